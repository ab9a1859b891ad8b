#include "report/story/wording/argument_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "report/story/steps/conditional_values.h"
#include "report/story/wording/differing_calls.h"
#include "report/story/wording/differing_text.h"
#include "report/story/wording/edits.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whole texts: what differs behind the sixtieth character differs.
std::vector<std::string> argument_texts(const Call& call, const SourceText& source) {
  std::vector<std::string> out;
  for (const Expr* argument : call.arguments) out.push_back(one_line_whole(source, *argument));
  for (const Keyword* keyword : call.keywords) out.push_back(one_line_whole(source, *keyword));
  return out;
}

/// Whether an argument that both calls pass by position stands at another one now.
bool moves_arguments(const Call& before, const SourceText& before_source, const Call& after,
                     const SourceText& after_source) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> places;  // Text -> its first and last place now.
  for (std::size_t i = 0; i < after.arguments.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(one_line(after_source, *after.arguments[i], 60), i, i);
    if (!is_new) place->second.second = i;
  }
  for (std::size_t i = 0; i < before.arguments.size(); ++i) {
    const auto place = places.find(one_line(before_source, *before.arguments[i], 60));
    if (place != places.end() && (place->second.first != i || place->second.second != i)) return true;
  }
  return false;
}

/// "also gives `f` the entry `"k"`": of the one dictionary that two calls pass with other keys; empty for others.
std::string entry_words(const Call& before, const SourceText& before_source, const Call& after,
                        const SourceText& after_source) {
  constexpr std::size_t kMost = 4;
  const auto dictionary = [](const Call& call) -> const Dict* {
    for (const Expr* argument : call.arguments) {
      if (const auto* dict = as<Dict>(argument)) return dict;
    }
    return nullptr;
  };
  const Dict* old_dict = dictionary(before);
  const Dict* new_dict = dictionary(after);
  if (old_dict == nullptr || new_dict == nullptr) return {};
  using Entries = std::vector<std::pair<std::string, std::string>>;
  const auto entries_of = [](const Dict& dict, const SourceText& source) {
    Entries out;
    for (std::size_t i = 0; i < dict.values.size() && i < dict.keys.size(); ++i) {
      if (dict.keys[i] != nullptr)
        out.emplace_back(one_line(source, *dict.keys[i], 60), one_line_whole(source, *dict.values[i]));
    }
    return out;
  };
  const Entries old_entries = entries_of(*old_dict, before_source);
  const Entries new_entries = entries_of(*new_dict, after_source);
  const auto missing_in = [](const Entries& from, const Entries& in) {
    const std::set<Entries::value_type> known(in.begin(), in.end());
    std::vector<std::string> out;
    for (const auto& one : from) {
      if (!known.contains(one)) out.push_back(code(one.first));
    }
    return out;
  };
  std::vector<std::string> gone = missing_in(old_entries, new_entries);
  std::vector<std::string> fresh = missing_in(new_entries, old_entries);
  if (gone.size() + fresh.size() > kMost || (gone.empty() && fresh.empty())) return {};
  const std::string callee = code(one_line(after_source, *after.callee, 50));
  if (gone == fresh) return fmt::format("gives {} another value of {}", callee, join_words(fresh));
  if (gone.empty()) return fmt::format("also gives {} the entry {}", callee, join_words(fresh));
  if (fresh.empty()) return fmt::format("no longer gives {} the entry {}", callee, join_words(gone));
  return fmt::format("gives {} the entry {} instead of {}", callee, join_words(fresh), join_words(gone));
}

/// "passes …a… to `f` instead of …b…": of the one argument in which two calls differ, around the difference.
std::string cut_argument_words(const Call& before, const SourceText& before_source, const Call& after,
                               const SourceText& after_source) {
  const auto spans_of = [](const Call& call) {
    std::vector<Span> out;
    for (const Expr* argument : call.arguments) out.push_back(argument->span);
    for (const Keyword* keyword : call.keywords) out.push_back(keyword->span);
    return out;
  };
  const auto lacks = [](const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) == texts.end();
  };
  const std::vector<std::string> old_texts = argument_texts(before, before_source);
  const std::vector<std::string> new_texts = argument_texts(after, after_source);
  Span was;
  Span now;
  for (std::size_t i = 0; i < old_texts.size(); ++i) {
    if (lacks(new_texts, old_texts[i])) was = spans_of(before)[i];
  }
  for (std::size_t i = 0; i < new_texts.size(); ++i) {
    if (lacks(old_texts, new_texts[i])) now = spans_of(after)[i];
  }
  const auto [old_text, new_text] = where_they_differ(before_source, was, after_source, now, 70);
  if (old_text == new_text) return {};
  return fmt::format("passes {} to {} instead of {}", code(new_text), code(one_line(after_source, *after.callee, 50)),
                     code(old_text));
}

/// What the functions of the repository that a call may enter accept from it.
std::vector<rules::Signature> signatures_of(const WordsContext& context, const Call& call) {
  std::vector<rules::Signature> out;
  const program::CallId id = context.program == nullptr ? program::CallId() : context.program->call_of(&call);
  if (!id.valid()) return out;
  const program::CallSite& site = context.program->calls()[id];
  const rules::Signatures signatures(*context.program);
  for (const program::CallTarget& target : site.targets) {
    if (std::optional<rules::Signature> one = signatures.of_target(site, target)) out.push_back(std::move(*one));
  }
  return out;
}

/// Whether the parameter `name` got the argument at `place` of the old call: true where it is not known what is called.
bool is_parameter_at(const std::vector<rules::Signature>& before, const std::vector<rules::Signature>& after,
                     const Call& call, std::size_t place, std::string_view name) {
  if (rules::has_spread_arguments(call) || (before.empty() && after.empty())) return true;
  const auto has_it = [&](const rules::Signature& one) {
    const rules::AcceptedParameter* parameter = rules::parameter_at(one, call, place);
    return parameter != nullptr && parameter->name == name;
  };
  if (std::any_of(before.begin(), before.end(), has_it)) return true;
  // The function may have given it another name.
  const auto knows_name = [&](const rules::Signature& one) { return one.find(name) != nullptr; };
  return std::none_of(before.begin(), before.end(), knows_name) && std::any_of(after.begin(), after.end(), has_it);
}

/// Takes out of both what is given by name now and was given by its place: the names.
std::vector<std::string> take_out_named(const Call& before, const WordsContext& before_context, const Call& after,
                                        const WordsContext& after_context, std::vector<std::string>& old_arguments,
                                        std::vector<std::string>& new_arguments) {
  const SourceText& before_source = *before_context.source;
  const SourceText& after_source = *after_context.source;
  std::vector<std::string> names;
  std::vector<rules::Signature> accepted_before;
  std::vector<rules::Signature> accepted_after;
  std::set<std::size_t> taken;  // Places of the old call.
  for (const Keyword* keyword : after.keywords) {
    const auto known = [&](const Keyword* one) { return one->name.text == keyword->name.text; };
    if (keyword->name.text.empty() || std::any_of(before.keywords.begin(), before.keywords.end(), known)) continue;
    const std::string value = one_line_whole(after_source, *keyword->value);
    if (accepted_before.empty() && accepted_after.empty()) {
      accepted_before = signatures_of(before_context, before);
      accepted_after = signatures_of(after_context, after);
    }
    for (std::size_t place = 0; place < before.arguments.size(); ++place) {
      // What stands in its place still is given in its place.
      const bool stays =
          place < after.arguments.size() && one_line_whole(after_source, *after.arguments[place]) == value;
      if (one_line_whole(before_source, *before.arguments[place]) != value || stays || taken.contains(place) ||
          !is_parameter_at(accepted_before, accepted_after, before, place, keyword->name.text))
        continue;
      taken.insert(place);
      old_arguments.erase(std::find(old_arguments.begin(), old_arguments.end(), value));
      std::erase(new_arguments, one_line_whole(after_source, *keyword));
      names.push_back(code(keyword->name.text));
      break;
    }
  }
  return names;
}

/// What a callee says of the parameter that a keyword gives.
struct KeywordWords {
  std::string default_value;  ///< As code: what it takes without the keyword; empty where that is not known.
  std::string purpose;        ///< What its docstring says that the parameter is for; may be empty.
};

/// The default of a parameter or field.
struct StatedDefault {
  const Expr* value = nullptr;  ///< Null where none shows.
  const SourceText* source = nullptr;
  const FunctionDef* function = nullptr;  ///< Whose parameter it is; null for a field.
};

/// Whether `__post_init__` of the class sets the field, whatever its default says.
bool is_set_after_init(const program::Program& program, program::ClassId cls, std::string_view name) {
  const program::FunctionId after = program.find_method(cls, "__post_init__");
  bool found = false;
  if (after.valid())
    walk_of<Attribute>(*program.functions()[after].node, Nested::kEnter, [&](const Attribute* one) {
      found = found || (one->name.text == name && one->context == ExprContext::kStore);
    });
  return found;
}

/// What the class or function which the call enters states for the parameter or field of this name.
StatedDefault default_stated(const Call& call, std::string_view name, const WordsContext& context) {
  if (context.program == nullptr || !context.function.valid()) return {};
  const program::Program& program = *context.program;
  const program::Reference to = program.resolve(context.function, *call.callee);
  program::FunctionId entered = to.kind == program::Reference::Kind::kFunction ? to.function : program::FunctionId();
  if (to.kind == program::Reference::Kind::kClass) {
    entered = program.find_method(to.cls, "__init__");
    if (!entered.valid() && is_set_after_init(program, to.cls, name)) return {};
    for (const program::ClassId cls : program.classes()[to.cls].linearized) {
      for (const program::Field& field : program.classes()[cls].fields) {
        if (!entered.valid() && field.name == name && field.in_class_body && field.default_value != nullptr)
          return {field.default_value, &program.modules()[program.classes()[cls].module].facts->source(), nullptr};
      }
    }
  }
  const auto* def = entered.valid() ? program.functions()[entered].def() : nullptr;
  const Parameter* parameter = def == nullptr ? nullptr : rules::parameter_named(def, name);
  if (parameter == nullptr || parameter->default_value == nullptr) return {};
  return {parameter->default_value, &source_of(program, entered), def};
}

/// Of the one keyword that the call `after` does not give, and `before` does: of the parameter of the function that is
/// called, or of the field of its dataclass.
KeywordWords words_of_gone_keyword(const Call& before, const Call& after, const WordsContext& context) {
  constexpr std::size_t kMostOfDefault = 40;
  constexpr std::size_t kMostOfPurpose = 160;
  std::string_view gone;
  for (const Keyword* keyword : before.keywords) {
    const bool stays = std::any_of(after.keywords.begin(), after.keywords.end(),
                                   [&](const Keyword* one) { return one->name.text == keyword->name.text; });
    if (stays || keyword->name.text.empty()) continue;
    if (!gone.empty()) return {};
    gone = keyword->name.text;
  }
  const StatedDefault stated = gone.empty() ? StatedDefault() : default_stated(after, gone, context);
  if (stated.value == nullptr || is<Call>(stated.value) || (stated.function == nullptr && !is<Constant>(stated.value)))
    return {};
  return {code(one_line(*stated.source, *stated.value, kMostOfDefault)),
          stated.function == nullptr
              ? std::string()
              : first_sentence(docstring_parameter(docstring_text(stated.function), gone), kMostOfPurpose)};
}

/// Marked names of the keywords that only the old call gives, and that say what the new one takes without them.
std::vector<std::string> given_defaults(const Call& before, const WordsContext& before_context, const Call& after,
                                        const WordsContext& after_context) {
  std::vector<std::string> out;
  for (const Keyword* keyword : before.keywords) {
    const bool stays = std::any_of(after.keywords.begin(), after.keywords.end(),
                                   [&](const Keyword* one) { return one->name.text == keyword->name.text; });
    if (stays || keyword->name.text.empty()) continue;
    const StatedDefault stated = default_stated(after, keyword->name.text, after_context);
    if (stated.value != nullptr &&
        one_line_whole(*stated.source, *stated.value) == one_line_whole(*before_context.source, *keyword->value))
      out.push_back(code(keyword->name.text));
  }
  return out;
}

/// Takes out of both lists the arguments of a call that are locals with one value, where the other side gives that
/// value itself: `f(x=made)` behind `made = C()` is `f(x=C())`.
void take_out_locals(const Call& call, const WordsContext& context, const WordsContext& other,
                     std::vector<std::string>& own, std::vector<std::string>& others) {
  if (context.program == nullptr || other.program == nullptr || !context.function.valid()) return;
  const FunctionDef* def = context.program->functions()[context.function].def();
  if (def == nullptr) return;
  for (const Keyword* keyword : call.keywords) {
    const auto* local = as<Name>(keyword->value);
    const Expr* value = local == nullptr ? nullptr : only_value_of(*def, local->id);
    if (value == nullptr) continue;
    const std::string given = one_line_whole(*context.source, *keyword);
    const std::string instead = fmt::format("{}={}", keyword->name.text, one_line_whole(*context.source, *value));
    const auto mine = std::find(own.begin(), own.end(), given);
    const auto theirs = std::find(others.begin(), others.end(), instead);
    if (mine == own.end() || theirs == others.end()) continue;
    own.erase(mine);
    others.erase(theirs);
  }
}

/// The calls that are the one argument in which two calls differ, of the same callee; none for others.
std::pair<const Call*, const Call*> differing_argument(const Call& before, const SourceText& before_source,
                                                       const Call& after, const SourceText& after_source) {
  if (before.arguments.size() != after.arguments.size() || before.keywords.size() != after.keywords.size()) return {};
  std::pair<const Expr*, const Expr*> found;
  std::size_t differing = 0;
  const auto compare = [&](const Expr* was, const Expr* now) {
    if (one_line_whole(before_source, *was) == one_line_whole(after_source, *now)) return;
    ++differing;
    found = {was, now};
  };
  for (std::size_t i = 0; i < before.arguments.size(); ++i) compare(before.arguments[i], after.arguments[i]);
  for (const Keyword* keyword : before.keywords) {
    const auto same = std::find_if(after.keywords.begin(), after.keywords.end(),
                                   [&](const Keyword* one) { return one->name.text == keyword->name.text; });
    if (same == after.keywords.end()) return {};
    compare(keyword->value, (*same)->value);
  }
  const auto* was = as<Call>(found.first);
  const auto* now = as<Call>(found.second);
  if (differing != 1 || was == nullptr || now == nullptr ||
      one_line_whole(before_source, *was->callee) != one_line_whole(after_source, *now->callee))
    return {};
  return {was, now};
}

}  // namespace

bool only_locals_differ(const Call& before, const WordsContext& before_context, const Call& after,
                        const WordsContext& after_context) {
  if (one_line_whole(*before_context.source, *before.callee) != one_line_whole(*after_context.source, *after.callee))
    return false;
  std::vector<std::string> was = argument_texts(before, *before_context.source);
  std::vector<std::string> is = argument_texts(after, *after_context.source);
  if (was == is || was.size() != is.size()) return false;
  const std::size_t all = was.size();
  take_out_locals(before, before_context, after_context, was, is);
  take_out_locals(after, after_context, before_context, is, was);
  return was == is && was.size() < all;
}

namespace {

/// The callee as it is shown: of a receiver that is no name, or a long one, only the method.
std::string shown_callee(const Call& call, const SourceText& source) {
  constexpr std::size_t kLongest = 50;
  const auto* member = as<Attribute>(call.callee);
  std::string name = member == nullptr ? std::string() : dotted_text(member);
  // `tracker().record`
  const auto* made = member == nullptr ? nullptr : as<Call>(member->value);
  if (made != nullptr && made->arguments.empty() && made->keywords.empty() && !dotted_text(made->callee).empty())
    name = fmt::format("{}().{}", dotted_text(made->callee), member->name.text);
  return member != nullptr && (name.empty() || name.size() > kLongest) ? fmt::format(".{}", member->name.text)
                                                                       : one_line(source, *call.callee, kLongest);
}

/// ", which takes `a` and `b` in this order": of the one function of the repository that the call enters, the
/// parameters that get its arguments; empty where it is not known, and where one argument alone is given.
std::string order_words(const Call& call, const WordsContext& context) {
  constexpr std::size_t kMost = 5;
  const std::vector<rules::Signature> signatures = signatures_of(context, call);
  if (signatures.size() != 1 || rules::has_spread_arguments(call) || call.arguments.size() < 2 ||
      call.arguments.size() > kMost)
    return {};
  std::vector<std::string> names;
  for (std::size_t place = 0; place < call.arguments.size(); ++place) {
    const rules::AcceptedParameter* parameter = rules::parameter_at(signatures.front(), call, place);
    if (parameter == nullptr || parameter->name.empty()) return {};
    names.push_back(code(parameter->name));
  }
  return fmt::format(", which takes {} in this order", join_words(names));
}

/// The arguments that only one of two calls of one callee gives, as code, and those that are given by name now.
struct DifferingArguments {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> named;
};

DifferingArguments differing_arguments(const Call& before, const WordsContext& before_context, const Call& after,
                                       const WordsContext& after_context) {
  std::vector<std::string> old_arguments = argument_texts(before, *before_context.source);
  std::vector<std::string> new_arguments = argument_texts(after, *after_context.source);
  take_out_locals(before, before_context, after_context, old_arguments, new_arguments);
  take_out_locals(after, after_context, before_context, new_arguments, old_arguments);
  DifferingArguments out;
  out.named = take_out_named(before, before_context, after, after_context, old_arguments, new_arguments);
  const auto missing_in = [](const std::vector<std::string>& from, const std::vector<std::string>& in,
                             std::size_t limit) {
    const std::set<std::string_view> known(in.begin(), in.end());
    std::vector<std::string> texts;
    for (const std::string& text : from) {
      if (!known.contains(text)) texts.push_back(short_code(text, limit));
    }
    return texts;
  };
  // One argument alone may take the room of several.
  constexpr std::size_t kLimit = 60;
  constexpr std::size_t kLimitOfOne = 110;
  out.added = missing_in(new_arguments, old_arguments, kLimit);
  out.removed = missing_in(old_arguments, new_arguments, kLimit);
  if (out.added.size() == 1 && out.removed.empty()) out.added = missing_in(new_arguments, old_arguments, kLimitOfOne);
  return out;
}

/// "also passes `a=1` and `b=2` to `f`, no longer passes `c`, and gives `d` another value": by the names of keywords,
/// where the arguments are too many or too long to be set side by side; empty where others differ, too.
std::string keyword_words(const Call& before, const SourceText& before_source, const Call& after,
                          const SourceText& after_source, const std::string& callee) {
  constexpr std::size_t kMost = 6;
  constexpr std::size_t kLimit = 60;
  constexpr std::size_t kLongestPair = 90;
  const auto is_keyword_of = [](const Call& call, const Keyword& keyword) {
    return std::any_of(call.keywords.begin(), call.keywords.end(),
                       [&](const Keyword* one) { return one->name.text == keyword.name.text; });
  };
  const auto is_unpacked = [](const Keyword* one) { return one->name.text.empty(); };
  if (before.arguments.size() != after.arguments.size() ||
      std::any_of(before.keywords.begin(), before.keywords.end(), is_unpacked) ||
      std::any_of(after.keywords.begin(), after.keywords.end(), is_unpacked))
    return {};
  for (std::size_t i = 0; i < before.arguments.size(); ++i) {
    if (one_line_whole(before_source, *before.arguments[i]) != one_line_whole(after_source, *after.arguments[i]))
      return {};
  }
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> altered;
  std::string instead;  // of one that is altered, where both values are short
  const std::vector<std::string> old_texts = argument_texts(before, before_source);
  for (const Keyword* keyword : after.keywords) {
    const std::string text = one_line_whole(after_source, *keyword);
    if (!is_keyword_of(before, *keyword)) {
      added.push_back(short_code(text, kLimit));
    } else if (std::find(old_texts.begin(), old_texts.end(), text) == old_texts.end()) {
      altered.push_back(code(keyword->name.text));
      const auto was = std::find_if(before.keywords.begin(), before.keywords.end(),
                                    [&](const Keyword* one) { return one->name.text == keyword->name.text; });
      const std::string old_value = one_line_whole(before_source, *(*was)->value);
      const bool is_short = text.size() <= kLongestPair && old_value.size() <= kLongestPair;
      instead = is_short ? fmt::format("passes {} to {} instead of {}", code(text), code(callee), code(old_value)) : "";
    }
  }
  for (const Keyword* keyword : before.keywords) {
    if (!is_keyword_of(after, *keyword)) removed.push_back(code(keyword->name.text));
  }
  if (added.size() + removed.size() == 0 || added.size() > kMost || removed.size() > kMost || altered.size() > kMost)
    return {};
  std::vector<std::string> parts;
  // What is decided otherwise comes before what only comes or goes.
  const bool is_told = altered.size() == 1 && !instead.empty() && added.empty();
  if (is_told) parts.push_back(instead);
  if (!added.empty()) parts.push_back(passed_words(join_words(added), code(callee)));
  if (!removed.empty())
    parts.push_back(parts.empty() ? fmt::format("no longer passes {} to {}", join_words(removed), code(callee))
                                  : fmt::format("no longer passes {}", join_words(removed)));
  if (!altered.empty() && !is_told)
    parts.push_back(
        fmt::format("gives {} {}", join_words(altered), altered.size() == 1 ? "another value" : "other values"));
  return join_words(parts);
}

/// "hands `f` itself to `g` instead of what it returns": where the one argument in which two calls differ is now the
/// function that gave the old one, to be called by whoever gets it.
std::string deferred_words(const Call& before, const WordsContext& before_context, const Call& after,
                           const WordsContext& after_context, const std::string& callee) {
  if (before.arguments.size() != after.arguments.size() || before.keywords.size() != after.keywords.size() ||
      after_context.program == nullptr || !after_context.function.valid() || before_context.program == nullptr ||
      !before_context.function.valid())
    return {};
  const Expr* was = nullptr;
  const Expr* now = nullptr;
  std::size_t differing = 0;
  const auto compare = [&](const Expr* old_one, const Expr* new_one) {
    if (one_line_whole(*before_context.source, *old_one) == one_line_whole(*after_context.source, *new_one)) return;
    ++differing;
    was = old_one;
    now = new_one;
  };
  for (std::size_t i = 0; i < before.arguments.size(); ++i) compare(before.arguments[i], after.arguments[i]);
  for (std::size_t i = 0; i < before.keywords.size(); ++i) {
    if (before.keywords[i]->name.text != after.keywords[i]->name.text) return {};
    compare(before.keywords[i]->value, after.keywords[i]->value);
  }
  if (differing != 1 || now == nullptr) return {};
  const std::string handed = dotted_text(now);
  if (handed.empty() ||
      after_context.program->resolve(after_context.function, *now).kind != program::Reference::Kind::kFunction)
    return {};
  const FunctionDef* def = before_context.program->functions()[before_context.function].def();
  if (const auto* local = as<Name>(was); local != nullptr && def != nullptr) {
    if (const Expr* value = only_value_of(*def, local->id); value != nullptr) was = value;
  }
  const auto* call = as<Call>(was);
  if (call == nullptr || dotted_text(call->callee) != handed) return {};
  return fmt::format("hands {} itself to {}, to be called there, instead of what it returns", code(handed),
                     code(callee));
}

}  // namespace

std::string argument_words(const Call& before, const WordsContext& before_context, const Call& after,
                           const WordsContext& after_context) {
  const SourceText& before_source = *before_context.source;
  const SourceText& after_source = *after_context.source;
  // The whole receivers are compared.
  if (one_line_whole(after_source, *after.callee) != one_line_whole(before_source, *before.callee)) return {};
  const std::string callee = shown_callee(after, after_source);
  if (std::string words = conditional_argument_words(before, before_source, after, after_source, callee);
      !words.empty())
    return words;
  // What differs may lie in a call that is an argument.
  if (const auto [was, now] = differing_argument(before, before_source, after, after_source); was != nullptr) {
    if (std::string inner = argument_words(*was, before_context, *now, after_context); !inner.empty()) return inner;
  }
  const auto [added, removed, named] = differing_arguments(before, before_context, after, after_context);
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kMostAdded = 6;  // Where nothing goes: a list.
  if (added.size() > (removed.empty() ? kMostAdded : kMost) || removed.size() > kMost)
    return keyword_words(before, before_source, after, after_source, callee);
  if (added.size() == 1 && removed.size() == 1) {
    if (std::string deferred = deferred_words(before, before_context, after, after_context, callee); !deferred.empty())
      return deferred;
    std::string entries = entry_words(before, before_source, after, after_source);
    if (!entries.empty()) return entries;
  }
  if (added.empty() == removed.empty() && moves_arguments(before, before_source, after, after_source)) {
    return fmt::format("calls {} instead of {}{}", code(one_line(after_source, after, 90)),
                       code(one_line(before_source, before, 90)), order_words(after, after_context));
  }
  if (!added.empty() && removed.empty()) {
    const KeywordWords taken =
        added.size() == 1 ? words_of_gone_keyword(after, before, before_context) : KeywordWords();
    std::string instead =
        taken.default_value.empty() ? "" : fmt::format(", which took {} without it", taken.default_value);
    if (!taken.purpose.empty()) instead += fmt::format(" (\u201c{}\u201d)", from_backquotes(taken.purpose));
    return passed_words(join_words(added), code(callee)) + instead;
  }
  if (added.empty() && !removed.empty()) {
    const KeywordWords taken =
        removed.size() == 1 ? words_of_gone_keyword(before, after, after_context) : KeywordWords();
    std::string instead =
        taken.default_value.empty() ? "" : fmt::format(", which takes {} without it", taken.default_value);
    if (removed.size() > 1) {
      const std::vector<std::string> same = given_defaults(before, before_context, after, after_context);
      if (!same.empty())
        instead = fmt::format(", which takes the same without {}",
                              same.size() == removed.size() ? std::string("them") : join_words(same));
    }
    return fmt::format("no longer passes {} to {}{}", join_words(removed), code(callee), instead);
  }
  if (added.empty() && removed.empty() && !named.empty())
    return fmt::format("gives {} to {} by name", join_words(named), code(callee));
  // What differs was cut off.
  if (added == removed && added.size() == 1) return cut_argument_words(before, before_source, after, after_source);
  if (added == removed) return {};
  // Of one that differs only where it was cut off, its name.
  const auto is_cut = [&, &gone = removed](const std::string& text) {
    return std::find(gone.begin(), gone.end(), text) != gone.end();
  };
  if (std::any_of(added.begin(), added.end(), is_cut))
    return keyword_words(before, before_source, after, after_source, callee);
  // One takes the place of one; further ones only go.
  if (added.size() == 1 && removed.size() > 1) {
    if (std::string words = keyword_words(before, before_source, after, after_source, callee); !words.empty())
      return words;
  }
  if (!added.empty())
    return fmt::format("passes {} to {} instead of {}", join_words(added), code(callee), join_words(removed));
  return {};
}

std::optional<AddedArguments> added_arguments(const Step& before, const WordsContext& before_context, const Step& after,
                                              const WordsContext& after_context) {
  const auto [was, now] =
      differing_calls(value_of_step(before), *before_context.source, value_of_step(after), *after_context.source);
  if (was == nullptr || now == nullptr ||
      one_line_whole(*after_context.source, *now->callee) != one_line_whole(*before_context.source, *was->callee))
    return {};
  const DifferingArguments differ = differing_arguments(*was, before_context, *now, after_context);
  if (differ.added.empty() || !differ.removed.empty()) return {};
  return AddedArguments{join_words(differ.added), code(shown_callee(*now, *after_context.source)), now};
}

std::string passed_words(const std::string& arguments, const std::string& callees) {
  return fmt::format("also passes {} to {}", arguments, callees);
}

}  // namespace lockstep::report
