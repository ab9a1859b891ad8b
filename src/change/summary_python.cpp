// Summaries of Python files, from their changed entities.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/strings.h"
#include "change/names.h"
#include "change/summary.h"
#include "program/queries.h"
#include "python/tree_walk.h"

namespace lockstep::change {

namespace {

using Kind = DifferenceKind;

/// What a reader wants to know first, and how to say it. `{}` is the difference's name, without its package.
struct Phrase {
  Kind kind;
  std::string_view words;
};

/// In the order of interest.
constexpr Phrase kPhrases[] = {
    {Kind::kCollectiveAdded, "issues {}"},
    {Kind::kCollectiveRemoved, "no longer calls {} itself"},
    {Kind::kCollectiveArgumentsChanged, "issues {} with other arguments"},
    {Kind::kParameterAdded, "new parameter {}"},
    {Kind::kParameterRemoved, "parameter {} removed"},
    {Kind::kParameterRenamed, "parameter {} renamed"},
    {Kind::kParameterMoved, "parameter {} moved"},
    {Kind::kParameterKindChanged, "parameter {} passed in another way"},
    {Kind::kDefaultChanged, "another default of {}"},
    {Kind::kDefaultAdded, "{} has a default now"},
    {Kind::kDefaultRemoved, "{} has no default any more"},
    {Kind::kBaseAdded, "new base {}"},
    {Kind::kBaseRemoved, "base {} removed"},
    {Kind::kDecoratorAdded, "new decorator {}"},
    {Kind::kDecoratorRemoved, "decorator {} removed"},
    {Kind::kAsyncChanged, "`async` changed"},
    {Kind::kValueChanged, "another value"},
    {Kind::kRaiseAdded, "raises {}"},
    {Kind::kRaiseRemoved, "no longer raises {}"},
    {Kind::kConditionChanged, "another condition"},
    {Kind::kBranchAdded, "new branch"},
    {Kind::kBranchRemoved, "branch removed"},
    {Kind::kLoopAdded, "new loop"},
    {Kind::kLoopRemoved, "loop removed"},
    {Kind::kAssertAdded, "new assertion"},
    {Kind::kAssertRemoved, "assertion removed"},
    {Kind::kReturnChanged, ""},
    {Kind::kCallAdded, "calls {}"},
    {Kind::kCallRemoved, "no longer calls {}"},
    {Kind::kCallArgumentsChanged, "calls {} with other arguments"},
    {Kind::kBodyChanged, "sets {}"},
    {Kind::kImportAdded, "imports {}"},
    {Kind::kImportRemoved, "no longer imports {}"},
    {Kind::kDefaultRenamed, "default of {} by its new name"},
    {Kind::kAnnotationChanged, "annotation"},
    {Kind::kReturnAnnotationChanged, "return annotation"},
};

/// Builtins and methods of everyday objects, which say nothing of what a change is about.
bool is_everyday(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "abs",       "all",   "any",    "append",     "bool",       "clear",  "copy",  "debug",   "dict",
      "enumerate", "error", "extend", "filter",     "float",      "format", "get",   "getattr", "hasattr",
      "id",        "info",  "int",    "isinstance", "items",      "join",   "keys",  "len",     "list",
      "map",       "max",   "min",    "next",       "pop",        "print",  "range", "replace", "repr",
      "reversed",  "round", "set",    "setattr",    "setdefault", "sorted", "split", "str",     "strip",
      "sum",       "super", "tuple",  "type",       "update",     "values", "warn",  "warning", "zip"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Methods of tensors and process groups that say little of it.
bool is_of_tensor(std::string_view name) {
  static constexpr std::string_view kNames[] = {"contiguous", "dim",       "expand", "is_cuda", "numel",
                                                "rank",       "reshape",   "size",   "squeeze", "to",
                                                "type_as",    "unsqueeze", "view"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// "`text`" on one line where it is short enough to stand in a table; empty for others.
std::string short_text(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string out;
  for (const char c : trim(text)) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
    if (out.size() > kMost) return {};
  }
  return out.empty() || contains(out, "`") ? std::string() : quoted_name(out);
}

/// The one line of a text of several that the other text does not have; empty where there is another number of them.
std::string_view only_new_line(std::string_view text, std::string_view other) {
  std::set<std::string_view> known;
  for (const std::string_view line : split_lines(other)) known.insert(trim(line));
  std::string_view out;
  for (const std::string_view line : split_lines(text)) {
    if (known.contains(trim(line))) continue;
    if (!out.empty()) return {};
    out = trim(line);
  }
  return out;
}

/// The condition of "if x:" or, where the difference holds it alone, the whole. Of one that stands on several lines,
/// the line that is new in it.
std::string condition_of(const Difference& difference) {
  std::string_view text = difference.after;
  if (contains(text, "\n"))
    text = difference.before.empty() ? std::string_view() : only_new_line(text, difference.before);
  for (const std::string_view word : {"if ", "elif ", "while ", "and ", "or "}) {
    if (text.starts_with(word)) text.remove_prefix(word.size());
  }
  if (trim(text).ends_with(":")) text = trim(text).substr(0, trim(text).size() - 1);
  return difference.name == "if" || difference.name == "elif" ? short_text(text) : std::string();
}

/// "items" of "for index, item in items:"; empty where the text is no head of a loop.
std::string_view iterable_of(std::string_view text) {
  const std::size_t at = text.find(" in ");
  return at == std::string_view::npos ? std::string_view() : trim(text.substr(at + 4));
}

/// What became of a variable's value: "gains `"key"`" of a table's entry, "`1` instead of `0`" of short values.
std::string other_value(const Difference& difference) {
  const std::string key = short_text(entry_key(difference.name));
  const std::string was = short_text(difference.before), now = short_text(difference.after);
  if (!key.empty() && difference.before.empty()) return fmt::format("gains {}", key);
  if (!key.empty() && difference.after.empty()) return fmt::format("loses {}", key);
  if (!key.empty()) return fmt::format("another value of {}", key);
  constexpr std::size_t kShort = 24;
  const bool are_short = !was.empty() && !now.empty() && was.size() <= kShort && now.size() <= kShort;
  return are_short ? fmt::format("{} instead of {}", now, was) : "another value";
}

/// The phrase with what one difference adds to it: the condition of a branch; that an assertion replaces another.
std::string detailed(const Phrase& phrase, const Difference& difference, const EntityChange& change) {
  const auto has = [&](Kind kind) {
    return std::any_of(change.differences.begin(), change.differences.end(),
                       [&](const Difference& each) { return each.kind == kind; });
  };
  if (phrase.kind == Kind::kAssertAdded && has(Kind::kAssertRemoved)) return "another assertion";
  // What a test takes is a fixture: under another name it is another one.
  if (phrase.kind == Kind::kParameterRenamed && program::is_test_path(change.latest().path)) {
    const std::string was = short_text(difference.before), now = short_text(difference.after);
    if (!was.empty() && !now.empty()) return fmt::format("takes {} instead of {}", now, was);
  }
  if (phrase.kind == Kind::kBranchAdded) {
    const std::string condition = condition_of(difference);
    if (!condition.empty()) return fmt::format("{} on {}", phrase.words, condition);
  }
  if (phrase.kind == Kind::kValueChanged) return other_value(difference);
  if (phrase.kind == Kind::kReturnChanged) {
    const auto value = [](std::string_view text) {
      return text.starts_with("return ") ? short_text(text.substr(7)) : std::string();
    };
    const std::string was = value(difference.before), now = value(difference.after);
    return was.empty() || now.empty() ? std::string() : fmt::format("returns {} instead of {}", now, was);
  }
  if (phrase.kind == Kind::kConditionChanged) {
    const std::string condition = condition_of(difference);
    if (!condition.empty()) return fmt::format("{}: {}", phrase.words, condition);
    if (difference.name == "for" || difference.name == "async for") {
      const std::string_view was = iterable_of(difference.before);
      const std::string_view now = iterable_of(difference.after);
      if (was.empty() || now.empty() || was != now) return "loops over something else";
      return "other loop variables";
    }
  }
  return std::string(phrase.words);
}

/// Whether the entity, with all that is defined inside it, still holds a call or a raise of this name: then it does it
/// less often, or in another place.
bool still_names(const EntityChange& change, std::string_view name) {
  if (!change.after || change.after->node == nullptr) return false;
  bool found = false;
  const auto look = [&](const python::Expr* callee) {
    const auto* member = python::as<python::Attribute>(callee);
    const auto* plain = python::as<python::Name>(callee);
    found = found || (member != nullptr && member->name.text == name) || (plain != nullptr && plain->id == name);
  };
  const python::Node& node = *change.after->node;
  python::walk_of<python::Call>(node, python::Nested::kEnter, [&](const python::Call* call) { look(call->callee); });
  python::walk_of<python::Raise>(node, python::Nested::kEnter,
                                 [&](const python::Raise* raise) { look(raise->exception); });
  return found;
}

/// "new parameters `a`, `b`, `c` and 2 more": where more than one comes or goes; empty for one.
std::string several_parameters(const EntityChange& change, Kind kind) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const Difference& found : change.differences) {
    if (found.kind == kind) names.push_back(quoted_name(found.name));
  }
  if (names.size() < 2) return {};
  std::string last = names.back();
  if (names.size() > kMost + 1) {
    last = fmt::format("{} more", names.size() - kMost);
    names.resize(kMost);
  } else {
    names.pop_back();
  }
  const std::string list = fmt::format("{} and {}", join(names, ", "), last);
  return kind == Kind::kParameterAdded ? "new parameters " + list : fmt::format("parameters {} removed", list);
}

/// Whether both sides declare a command-line argument in the same way, but for what its help says, their last keyword.
bool only_help_differs(const Difference& found) {
  if (last_part(found.name) != "add_argument") return false;
  const std::size_t was = found.before.find("help=");
  const std::size_t is = found.after.find("help=");
  return was != std::string::npos && is != std::string::npos &&
         std::string_view(found.before).substr(0, was) == std::string_view(found.after).substr(0, is);
}

/// Whether a branch only asks whether there is something, or whether what was called went well: others say more.
bool only_guards(const Difference& branch) {
  const std::string text = to_lower(branch.after);
  return contains(text, " is none") || contains(text, " is not none") || contains(text, "status_code") ||
         contains(text, "returncode") || contains(text, "isinstance(");
}

bool calls_anew(const EntityChange& change) {
  return std::any_of(change.differences.begin(), change.differences.end(), [](const Difference& one) {
    return one.kind == Kind::kCallAdded && !is_everyday(last_part(one.name));
  });
}

/// A name that a module takes from another module than before, of which nothing else differs in the import.
struct Replaced {
  std::string_view from, to;  ///< Modules, dotted.
  std::vector<std::string_view> names;
};

/// The imports that differ, sorted into those that only name another module and all others.
struct DifferingImports {
  std::vector<Replaced> replaced;
  std::vector<std::string_view> added, removed;
};

/// "x" of `from a.b import x`; empty for `import a.x`, and for what goes by another name here.
std::string_view taken_name(const Difference& difference) {
  const std::string& text = difference.after.empty() ? difference.before : difference.after;
  return text == last_part(difference.name) && text.size() < difference.name.size() ? std::string_view(text)
                                                                                    : std::string_view();
}

DifferingImports differing_imports(const EntityChange& change) {
  DifferingImports out;
  std::set<const Difference*> paired;
  for (const Difference& gone : change.differences) {
    const std::string_view name = gone.kind == Kind::kImportRemoved ? taken_name(gone) : std::string_view();
    if (name.empty()) continue;
    const auto is_partner = [&](const Difference& one) {
      return one.kind == Kind::kImportAdded && taken_name(one) == name && !paired.contains(&one);
    };
    const auto come = std::find_if(change.differences.begin(), change.differences.end(), is_partner);
    if (come == change.differences.end()) continue;
    paired.insert({&gone, &*come});
    const auto module_of = [&](const Difference& one) {
      return std::string_view(one.name).substr(0, one.name.size() - name.size() - 1);
    };
    const std::string_view from = module_of(gone), to = module_of(*come);
    auto known = std::find_if(out.replaced.begin(), out.replaced.end(),
                              [&](const Replaced& one) { return one.from == from && one.to == to; });
    if (known == out.replaced.end()) known = out.replaced.insert(known, {from, to, {}});
    known->names.push_back(name);
  }
  for (const Difference& one : change.differences) {
    if (paired.contains(&one)) continue;
    if (one.kind == Kind::kImportAdded) out.added.push_back(one.name);
    if (one.kind == Kind::kImportRemoved) out.removed.push_back(one.name);
  }
  return out;
}

/// "imports `x` from `a.new` instead of `a.old`": of a module of which imports alone differ, where each takes the same
/// name from another module; empty for others, and for more than can be listed whole.
std::string replaced_imports(const EntityChange& change) {
  constexpr std::size_t kMost = 4;  // Of names; twice as many modules.
  const bool only_imports = std::all_of(change.differences.begin(), change.differences.end(), [](const Difference& d) {
    return is_cosmetic(d.kind) || d.kind == Kind::kImportAdded || d.kind == Kind::kImportRemoved;
  });
  if (!only_imports) return {};
  const DifferingImports imports = differing_imports(change);
  if (imports.replaced.empty() || !imports.added.empty() || !imports.removed.empty()) return {};
  std::size_t count = 0;
  std::vector<std::string> clauses;
  for (const Replaced& one : imports.replaced) {
    std::vector<std::string> names;
    for (const std::string_view name : one.names) names.push_back(quoted_name(name));
    count += names.size();
    clauses.push_back(fmt::format("imports {} from {} instead of {}", list_names(names, kMost), quoted_name(one.to),
                                  quoted_name(one.from)));
  }
  return count > kMost ? std::string() : join(clauses, ", ");
}

/// The first phrase that fits one of the differences, calls of methods of tensors last, of everyday helpers none; empty
/// where only the body differs in some other way. `asserts_moved`: the new assertions are none of the change's.
std::string phrase_for(const EntityChange& change, bool asserts_moved) {
  if (std::string replaced = replaced_imports(change); !replaced.empty()) return replaced;
  std::string last;
  const bool has_telling_branch =
      std::any_of(change.differences.begin(), change.differences.end(),
                  [](const Difference& one) { return one.kind == Kind::kBranchAdded && !only_guards(one); });
  for (const Phrase& phrase : kPhrases) {
    for (const Difference& found : change.differences) {
      if (found.kind != phrase.kind || (found.kind == Kind::kAssertAdded && asserts_moved)) continue;
      if (found.kind == Kind::kBranchAdded && has_telling_branch && only_guards(found)) continue;
      if (!contains(phrase.words, "{}")) {
        if (std::string text = detailed(phrase, found, change); !text.empty()) return text;
        continue;
      }
      if (found.name.empty() || found.name == "order of statements") continue;
      if (phrase.kind == Kind::kParameterAdded || phrase.kind == Kind::kParameterRemoved) {
        if (std::string several = several_parameters(change, phrase.kind); !several.empty()) return several;
      }
      if (found.name.starts_with("order of ")) return fmt::format("other {}", found.name);
      const bool is_import = phrase.kind == Kind::kImportAdded || phrase.kind == Kind::kImportRemoved;
      const bool is_call = phrase.kind == Kind::kCallAdded || phrase.kind == Kind::kCallRemoved ||
                           phrase.kind == Kind::kCallArgumentsChanged;
      const bool is_body = phrase.kind == Kind::kBodyChanged;
      // `wrap(f)(x)` and `table[k](x)` have no name of their own: what they are made of is told for itself.
      if (is_call && found.name.find_first_of("([") != std::string::npos) continue;
      // The last name of a long import is the one that the file uses.
      constexpr std::size_t kLongImport = 40;
      const bool is_whole = is_body || (is_import && found.name.size() <= kLongImport);
      // A base goes by the name that the file gives it.
      const std::string_view base = phrase.kind == Kind::kBaseAdded     ? std::string_view(found.after)
                                    : phrase.kind == Kind::kBaseRemoved ? std::string_view(found.before)
                                                                        : std::string_view();
      const bool is_plain = !base.empty() && base.find_first_of("[](=, ") == std::string_view::npos;
      const std::string_view name = is_whole   ? std::string_view(found.name)
                                    : is_plain ? last_part(base)
                                               : last_part(found.name);
      const bool goes = phrase.kind == Kind::kCollectiveRemoved || phrase.kind == Kind::kCallRemoved ||
                        phrase.kind == Kind::kRaiseRemoved;
      // `@patch("a")` in the place of `@patch("b")`.
      const bool is_decorator = phrase.kind == Kind::kDecoratorAdded || phrase.kind == Kind::kDecoratorRemoved;
      const auto is_other_side = [&](const Difference& each) {
        return each.kind == (phrase.kind == Kind::kDecoratorAdded ? Kind::kDecoratorRemoved : Kind::kDecoratorAdded) &&
               each.name == found.name;
      };
      if (is_decorator && std::any_of(change.differences.begin(), change.differences.end(), is_other_side))
        return fmt::format("decorator {} with other arguments", quoted_name(name));
      if (goes && still_names(change, last_part(found.name))) continue;
      if (phrase.kind == Kind::kCallArgumentsChanged && only_help_differs(found)) return "another help text";
      // "calls `len`" says nothing: the reader wants to know of what.
      std::string_view words = is_body && found.after.empty() ? "no longer sets {}" : phrase.words;
      // What it calls now may raise it in its stead.
      if (phrase.kind == Kind::kRaiseRemoved && calls_anew(change)) words = "no longer raises {} itself";
      if (is_call && is_everyday(name)) continue;
      std::string text = replace_all(std::string(words), "{}", quoted_name(name));
      if (!is_call || !is_of_tensor(name)) return text;
      if (last.empty()) last = std::move(text);
    }
  }
  return last;
}

class Summarizer {
 public:
  explicit Summarizer(const PythonFile& file) : file_(file) {}

  std::string run() {
    for (const EntityChange* change : file_.here) {
      if (change->status == Status::kAdded) fresh_.insert(change->after->qualified_name);
      if (change->status == Status::kRemoved) gone_.insert(change->before->qualified_name);
      if (change->status == Status::kModified && change->before && change->after)
        stays_.insert(change->after->qualified_name);
    }
    // Classes and functions before variables; the module's own code, mostly imports, last.
    for (const EntityKind kind :
         {EntityKind::kClass, EntityKind::kFunction, EntityKind::kVariable, EntityKind::kModule}) {
      for (const EntityChange* change : file_.here) {
        if (rank_of(change->kind) == kind) sort_out(*change);
      }
    }
    const std::string status = file_status(*file_.file);
    if (!status.empty()) clauses_.push_back(status);
    add_clause(file_.file->kind == repo::ChangeKind::added ? "defines" : "adds", adds_);
    add_clause("removes", removes_);
    add_clause("makes", turns_, 2);
    for (const EntityChange* change : file_.away) {
      if (!goes_along(*change, file_.away)) leaves_.push_back(away_text(*change));
    }
    add_clause("moves", leaves_, 2);
    add_clause("takes over", arrives_, 2);
    add_clause("renames", renames_, 2);
    add_clause("changes", changes_, 2);
    add_cosmetic();
    if (const std::string imports = clauses_.size() == 1 ? only_imports() : std::string(); !imports.empty())
      clauses_ = {imports};
    if (clauses_.empty()) clauses_.push_back("layout only");
    return join(clauses_, "; ");
  }

 private:
  [[nodiscard]] std::string local_name(const EntitySide& side, bool after) const {
    const std::string_view module = after ? file_.after_module : file_.before_module;
    std::string_view name = side.qualified_name;
    if (name.size() > module.size() && name.starts_with(module) && name[module.size()] == '.') {
      name.remove_prefix(module.size() + 1);
    }
    return quoted_name(name);
  }

  /// Whether the entity came or went together with the class or function around it.
  static bool is_inside(const std::set<std::string_view>& names, std::string_view qualified_name,
                        std::string_view module) {
    const std::size_t dot = qualified_name.rfind('.');
    const std::string_view owner = dot == std::string_view::npos ? std::string_view{} : qualified_name.substr(0, dot);
    return !owner.empty() && owner != module && names.contains(owner);
  }

  /// Whether anything defined inside comes, goes or behaves differently.
  [[nodiscard]] bool changes_inside(const EntitySide& side) const {
    return std::ranges::any_of(file_.here, [&](const EntityChange* other) {
      const std::string& name = other->latest().qualified_name;
      return name.size() > side.qualified_name.size() + 1 && name.starts_with(side.qualified_name) &&
             name[side.qualified_name.size()] == '.' && !other->is_cosmetic();
    });
  }

  static std::string_view kind_words(const EntityChange& change) {
    return change.kind == EntityKind::kClass      ? "a class"
           : change.kind == EntityKind::kFunction ? "a function"
                                                  : "a variable";
  }

  /// "a variable": what a class or function that goes, or what comes in its place, is on the other side under the same
  /// name; empty where that is nothing, or of the same kind.
  [[nodiscard]] std::string_view other_kind(const EntityChange& change) const {
    const auto is_named = [](EntityKind kind) {
      return kind == EntityKind::kClass || kind == EntityKind::kFunction || kind == EntityKind::kVariable;
    };
    const bool is_added = change.status == Status::kAdded;
    const std::string name = local_name(change.latest(), is_added);
    for (const EntityChange* other : file_.here) {
      if (is_named(change.kind) && is_named(other->kind) && other->kind != change.kind &&
          other->status == (is_added ? Status::kRemoved : Status::kAdded) &&
          local_name(other->latest(), !is_added) == name)
        return kind_words(*other);
    }
    return {};
  }

  static EntityKind rank_of(EntityKind kind) {
    if (kind == EntityKind::kMethod) return EntityKind::kFunction;
    return kind == EntityKind::kField ? EntityKind::kVariable : kind;
  }

  void sort_out(const EntityChange& change) {
    const bool is_module = change.kind == EntityKind::kModule;
    if (change.status == Status::kAdded) {
      // One more assignment of a variable, in another branch say, adds no name.
      if (is_module || stays_.contains(change.after->qualified_name) || !other_kind(change).empty() ||
          is_inside(fresh_, change.after->qualified_name, file_.after_module))
        return;
      adds_.push_back(local_name(*change.after, true));
    } else if (change.status == Status::kRemoved) {
      if (is_module || stays_.contains(change.before->qualified_name) ||
          is_inside(gone_, change.before->qualified_name, file_.before_module))
        return;
      if (const std::string_view now = other_kind(change); !now.empty()) {
        turns_.push_back(
            fmt::format("{} {} instead of {}", local_name(*change.before, false), now, kind_words(change)));
        return;
      }
      removes_.push_back(local_name(*change.before, false));
    } else {
      sort_out_modified(change, is_module);
    }
  }

  void sort_out_modified(const EntityChange& change, bool is_module) {
    const bool other_file = change.moved && !is_module && file_.file->old_path != change.before->path;
    const std::string name = is_module ? "the module's own code" : local_name(*change.after, true);
    if (other_file && goes_along(change, file_.here)) {
      // What holds it says where it came from.
    } else if (other_file) {
      arrives_.push_back(fmt::format("{} from {}", name, quoted_name(change.before->path)));
    } else if (last_part(change.before->qualified_name) != last_part(change.after->qualified_name) && !is_module) {
      renames_.push_back(fmt::format("{} to {}", local_name(*change.before, false), name));
    }
    if (change.differences.empty()) return;
    if (std::ranges::all_of(change.differences, [](const Difference& one) { return is_cosmetic(one.kind); })) {
      // Of a class whose methods do something else now that would read as if nothing did.
      if (is_module || !changes_inside(*change.after)) cosmetic_.push_back(is_module ? "the module" : name);
      return;
    }
    const std::string phrase =
        phrase_for(change, file_.moved_asserts != nullptr && file_.moved_asserts->contains(&change));
    changes_.push_back(phrase.empty() ? name : fmt::format("{} ({})", name, phrase));
  }

  /// Whether the entity moved with the function or class that holds it on both sides.
  static bool goes_along(const EntityChange& change, const std::vector<const EntityChange*>& all) {
    const auto holds = [](const EntitySide& outer, const EntitySide& inner) {
      return inner.qualified_name.size() > outer.qualified_name.size() + 1 &&
             inner.qualified_name.starts_with(outer.qualified_name) &&
             inner.qualified_name[outer.qualified_name.size()] == '.';
    };
    return std::ranges::any_of(all, [&](const EntityChange* other) {
      return other->moved && other->before && other->after && other->kind != EntityKind::kModule &&
             holds(*other->before, *change.before) && holds(*other->after, *change.after);
    });
  }

  /// Where that is all that differs in the file: from where else it takes names.
  [[nodiscard]] std::string only_imports() const {
    const EntityChange* module = nullptr;
    for (const EntityChange* change : file_.here) {
      if (change->is_cosmetic()) continue;
      if (module != nullptr || change->kind != EntityKind::kModule || change->status != Status::kModified) return {};
      module = change;
    }
    return module == nullptr || !file_status(*file_.file).empty() ? std::string() : replaced_imports(*module);
  }

  [[nodiscard]] std::string away_text(const EntityChange& change) const {
    return fmt::format("{} to {}", local_name(*change.before, false), quoted_name(change.after->path));
  }

  void add_clause(std::string_view verb, std::vector<std::string>& names, std::size_t at_most = 3) {
    std::set<std::string> seen;  // Definitions in both branches of an `if` have one name.
    std::erase_if(names, [&](const std::string& name) { return !seen.insert(name).second; });
    if (!names.empty()) clauses_.push_back(fmt::format("{} {}", verb, list_names(names, at_most)));
  }

  void add_cosmetic() {
    if (cosmetic_.empty()) return;
    const bool only = clauses_.empty();
    clauses_.push_back(
        fmt::format("{}comments, docstrings or layout of {}", only ? "only " : "", list_names(cosmetic_, 2)));
  }

  const PythonFile& file_;
  std::set<std::string_view> fresh_, gone_, stays_;  // `stays_`: names that both sides have.
  std::vector<std::string> clauses_, adds_, removes_, turns_, leaves_, arrives_, renames_, changes_, cosmetic_;
};

}  // namespace

std::string summarize_python(const PythonFile& file) { return Summarizer(file).run(); }

bool tells_only_imports(const FileSummary& file) {
  return file.is_python && file.summary.starts_with("imports `") && !contains(file.summary, ";");
}

}  // namespace lockstep::change
