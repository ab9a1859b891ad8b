#include "report/story/wording/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/field_setters.h"
#include "report/source/import_flags.h"
#include "report/source/variable_setters.h"
#include "report/story/classes/overridden.h"
#include "report/story/classes/successors.h"
#include "report/story/wording/change_clauses.h"
#include "report/story/wording/contract.h"
#include "report/story/wording/outer_steps.h"
#include "report/story/wording/status.h"
#include "report/story/wording/unchanged_input.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;
using change::EntityChange;
using change::EntityKind;

bool has_difference(const EntityChange& entity, DifferenceKind kind) {
  return std::any_of(entity.differences.begin(), entity.differences.end(),
                     [&](const Difference& one) { return one.kind == kind; });
}

namespace {

std::size_t count_methods(const EntityChange& cls) {
  const auto body = body_of(cls.latest().node);
  return static_cast<std::size_t>(
      std::count_if(body.begin(), body.end(), [](const Stmt* one) { return is<FunctionDef>(one); }));
}

/// Methods of a new class that another file had before.
std::size_t count_moved(const DocumentInputs& inputs, const EntityChange& cls) {
  const std::string prefix = cls.after->qualified_name + ".";
  return static_cast<std::size_t>(
      std::count_if(inputs.change->entities.begin(), inputs.change->entities.end(), [&](const EntityChange& one) {
        return one.kind == EntityKind::kMethod && one.moved && one.after &&
               one.after->qualified_name.starts_with(prefix) &&
               one.after->qualified_name.find('.', prefix.size()) == std::string::npos;
      }));
}

/// "which takes 12 of its 15 steps over from `f`" of a new function that does what a branch there did; empty for
/// others.
std::string taken_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kFewest = 3;
  const EntityChange* from = nullptr;
  std::size_t count = 0;
  for (const Step& step : actor.steps.after) {
    if (step.taken_from == nullptr || step.taken_from->status == change::Status::kRemoved) continue;
    if (from != nullptr && from != step.taken_from) return {};
    from = step.taken_from;
    ++count;
  }
  const std::size_t all = actor.steps.after.size();
  if (!actor.is_added() || count == 0 || (count < kFewest && count < all) || count * 3 < all) return {};
  return fmt::format("which takes {}{} over from {}", count == all ? "its " : fmt::format("{} of its ", count),
                     count_of(all, "step"), code(short_name(inputs, *from)));
}

/// "which has 37 of its 38 steps from `f`; `B` overrides it": of a method or function that only takes code out of
/// another one; empty for others.
std::string extraction_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 2;
  if (std::string taken = taken_words(inputs, actor); !taken.empty()) return taken;
  if (actor.extracted_from == nullptr) return {};
  const std::string all = count_of(actor.steps.after.size(), "step");
  std::string out =
      fmt::format("which has {}{} as they were in {}",
                  actor.extracted == actor.steps.after.size() ? "its " : fmt::format("{} of its ", actor.extracted),
                  all, code(short_name(inputs, *actor.extracted_from)));
  if (actor.change->kind != EntityKind::kMethod || !actor.change->after->function.valid()) return out;
  std::vector<std::string> classes;
  for (const program::FunctionId each : inputs.after->overrides_of(actor.change->after->function)) {
    const program::ClassId owner = inputs.after->functions()[each].owner;
    if (owner.valid() && !program::is_test_path(inputs.after->module_of(owner).path) && classes.size() < kMost)
      classes.push_back(code(inputs.after->classes()[owner].name));
  }
  if (classes.empty()) return out;
  return out + fmt::format("; {} {} it", join_words(classes), classes.size() == 1 ? "overrides" : "override");
}

/// "docstring", "comments", "layout": what differs in an entity that behaves as before.
std::string cosmetic_words(const EntityChange& entity) {
  if (has_difference(entity, DifferenceKind::kDocstringChanged)) return "documentation";
  return has_difference(entity, DifferenceKind::kCommentsChanged) ? "commentary" : "layout";
}

}  // namespace

/// Whether every collective of a function is issued whatever its conditions say.
static bool always_communicates(const WordsContext& context) {
  if (context.mesh == nullptr || !context.function.valid()) return true;
  const python::Node* body = context.program->functions()[context.function].node;
  const auto& sites = context.mesh->collectives_of(context.function);
  return body == nullptr || std::all_of(sites.begin(), sites.end(), [&](const mesh::CollectiveSite& site) {
           if (site.call == nullptr) return true;
           // Cases of a `match`, handlers, and functions that are defined there are no guards, and may not run either.
           const std::vector<const python::Node*> around = chain_to(*body, site.call->span);
           const bool is_at_times = std::any_of(around.begin(), around.end(), [](const python::Node* node) {
             return python::is<python::MatchCase>(node) || python::is<python::ExceptHandler>(node) ||
                    python::is<python::FunctionDef>(node) || python::is<python::Lambda>(node);
           });
           return !is_at_times && guards_of(*body, site.call->span).empty();
         });
}

/// " and keeps them in `self.x`, which `C.g` reads"; empty where it keeps them in no attribute.
static std::string kept_words(const program::Program& program, const FieldLoop& loop) {
  constexpr std::size_t kMost = 2;
  if (loop.kept_in.empty() || loop.readers.empty() || loop.readers.size() > kMost) return {};
  std::vector<std::string> names;
  for (const program::FunctionId reader : loop.readers) names.push_back(code(short_name(program, reader)));
  return fmt::format(" and keeps what it makes of them in {}, which {} {}", code("self." + std::string(loop.kept_in)),
                     join_words(names), names.size() == 1 ? "reads" : "read");
}

/// "; `a.py:3` in `f` goes over all fields of the class": of a field that a dataclass gains or loses; empty where
/// nothing does.
std::string field_loop_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> places;
  std::string kept;
  std::set<program::FunctionId> told;
  for (const FieldLoop& loop : actor.field_loops) {
    if (!told.insert(loop.function).second) continue;
    const std::string& path = inputs.after->module_of(loop.function).path;
    places.push_back(fmt::format("{} in {}", place(path, loop.line), code(short_name(*inputs.after, loop.function))));
    if (kept.empty()) kept = kept_words(*inputs.after, loop);
  }
  if (places.empty()) return {};
  if (places.size() > 1) kept.clear();
  const std::size_t all = places.size();
  if (all > kMost) places.resize(kMost - 1);
  if (all > kMost) places.push_back(fmt::format("{} more", all - places.size()));
  return fmt::format("; {} {} over all fields of the class{}", join_words(places), all == 1 ? "goes" : "go", kept);
}

/// "; no Python code outside tests sets it by name" of a field that a dataclass gains with a default; empty where some
/// may.
std::string unset_words(const DocumentInputs& inputs, const Actor& actor) {
  const change::EntitySide& side = *actor.change->after;
  if (actor.change->kind != EntityKind::kField || !side.cls.valid() ||
      !inputs.after->classes()[side.cls].is_dataclass || is_named_for_settings(inputs.after->classes()[side.cls].name))
    return {};  // Settings come from outside the code, too.
  const std::string_view name = change::last_part(side.qualified_name);
  // What each object makes for itself is filled, not set.
  const program::Field* field = inputs.after->find_field(side.cls, name);
  const auto* made = field == nullptr ? nullptr : python::as<python::Call>(field->default_value);
  if (made != nullptr && rules::keyword_value(*made, "default_factory") != nullptr) return {};
  return is_never_set(*inputs.after, side.cls, name) ? "; no Python code outside tests sets it by name" : std::string();
}

namespace {

/// Takes off what all clauses have as their outer conditions.
std::vector<std::string> take_common_conditions(std::vector<ToldClause>& clauses) {
  std::vector<std::string> common = clauses.front().conditions;
  for (const ToldClause& one : clauses) {
    const auto differs =
        std::mismatch(common.begin(), common.end(), one.conditions.begin(), one.conditions.end()).first;
    common.erase(differs, common.end());
  }
  const auto count = static_cast<std::ptrdiff_t>(common.size());
  for (ToldClause& one : clauses) one.conditions.erase(one.conditions.begin(), one.conditions.begin() + count);
  return common;
}

/// What the clauses say behind what they are about: ": a; b.", or, `as_list` and long, ", where c:" with one item for
/// each.
std::string clauses_text(std::vector<ToldClause> clauses, bool as_list) {
  if (clauses.empty()) return ".";
  constexpr std::size_t kLong = 320;  // Bytes: three lines that have to be read at one go.
  std::string sentence = fmt::format(": {}.", joined_phrases(phrases_of(clauses)));
  if (!as_list || clauses.size() < 2 || sentence.size() < kLong) return sentence;
  const std::vector<std::string> common = take_common_conditions(clauses);
  std::string out = common.empty() ? ":" : fmt::format(", where {}:", join_words(common));
  for (const std::string& phrase : phrases_of(clauses))
    out = with_below(std::move(out), as_sentence(capitalised(phrase)));
  return out;
}

/// ", and `TypeError` in other cases" of what a function raises besides the one `raise` of it, which raises `raised`;
/// empty where that is nothing.
std::string other_raises_words(const Node& function, const Raise& told, const std::string& raised) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> kinds;
  bool any = false;
  bool is_known = true;
  walk_of<Raise>(function, Nested::kSkip, [&](const Raise* one) {
    if (one == &told) return;
    any = true;
    const auto* call = as<Call>(one->exception);
    const Expr* kind = call != nullptr ? call->callee : one->exception;
    // What a local holds names no kind of error.
    const std::string name = kind == nullptr ? std::string() : dotted_text(kind);
    is_known = is_known && (name.ends_with("Error") || name.ends_with("Exception"));
    std::string text = code(name);
    if (std::find(kinds.begin(), kinds.end(), text) == kinds.end()) kinds.push_back(std::move(text));
  });
  const bool only_same = kinds.size() == 1 && kinds.front() == raised;
  if (!any || only_same || !is_known || kinds.size() > kMost) return any ? ", and in other cases" : "";
  return fmt::format(", and {} in other cases", join_words(kinds, "or"));
}

/// " It raises `ValueError` when …": of a function that only asks for what it has reckoned itself, the first such way
/// out of its body; empty for others.
std::string raise_words(const program::Program& program, program::FunctionId function) {
  const SourceText& source = source_of(program, function);
  for (const Stmt* statement : program.functions()[function].def()->body) {
    const auto* branch = as<If>(statement);
    const auto* raise = branch == nullptr || branch->body.empty() ? nullptr : as<Raise>(branch->body.back());
    if (raise == nullptr || raise->exception == nullptr) {
      // Behind a way out not every run is asked.
      bool may_leave = false;
      walk_of<Return>(*statement, Nested::kSkip, [&](const Return*) { may_leave = true; });
      if (may_leave || is<Return>(statement)) return {};
      continue;
    }
    const auto* call = as<Call>(raise->exception);
    const std::string raised = code(one_line(source, call ? *call->callee : *raise->exception, 30));
    return fmt::format(" It raises {} when {}{}.", raised, condition_words(*branch->condition, source),
                       other_raises_words(*program.functions()[function].node, *raise, raised));
  }
  return {};
}

/// " It raises `ValueError` unless …": of a function that ends with a raise and before it leaves only by returns
/// without a value, each under one condition; empty for others.
std::string ending_raise_words(const program::Program& program, program::FunctionId function) {
  constexpr std::size_t kMost = 3;
  const SourceText& source = source_of(program, function);
  const Seq<Stmt> body = program.functions()[function].def()->body;
  const auto* raise = body.empty() ? nullptr : as<Raise>(body.back());
  if (raise == nullptr || raise->exception == nullptr) return {};
  std::vector<std::string> conditions;
  for (const Stmt* statement : body) {
    const auto* branch = as<If>(statement);
    const auto* exit = branch == nullptr || branch->body.size() != 1 ? nullptr : as<Return>(branch->body.front());
    if (exit != nullptr && exit->value == nullptr && branch->orelse.empty()) {
      conditions.push_back(condition_words(*branch->condition, source));
      continue;
    }
    bool may_leave = is<Return>(statement);
    walk_of<Return>(*statement, Nested::kSkip, [&](const Return*) { may_leave = true; });
    walk_of<Raise>(*statement, Nested::kSkip, [&](const Raise*) { may_leave = true; });
    if (may_leave) return {};
  }
  if (conditions.empty() || conditions.size() > kMost) return {};
  const auto* call = as<Call>(raise->exception);
  return fmt::format(" It raises {} unless {}.", code(one_line(source, call ? *call->callee : *raise->exception, 30)),
                     join(conditions, " or "));
}

/// " It raised `ValueError` unless …" of a removed function: what is refused no more by it; empty for others.
std::string gone_refusal_words(const DocumentInputs& inputs, const EntityChange& entity) {
  if (entity.kind == EntityKind::kClass || !entity.before || !entity.before->function.valid() ||
      inputs.before->functions()[entity.before->function].def() == nullptr)
    return {};
  return replace_all(ending_raise_words(*inputs.before, entity.before->function), " It raises ", " It raised ");
}

/// "`a` is true where `c`" and "`b` is true where `c`" as one: "`a` is true and `b` is true where `c`".
std::vector<std::string> under_shared_conditions(std::vector<std::string> requirements) {
  constexpr std::string_view kWhere = " where ";
  std::vector<std::string> out;
  for (std::string& one : requirements) {
    const std::size_t at = one.rfind(kWhere);
    const bool is_joined = at != std::string::npos && !out.empty() && out.back().ends_with(one.substr(at)) &&
                           !contains(one.substr(0, at), ", ") && !contains(out.back(), ", ");
    if (!is_joined) {
      out.push_back(std::move(one));
      continue;
    }
    out.back().insert(out.back().size() - (one.size() - at), " and " + one.substr(0, at));
  }
  return out;
}

/// " It requires that …" of a new function, " Its `__init__` requires that …" of a new class: what it refuses else;
/// empty where that is nothing.
std::string requirement_words(const DocumentInputs& inputs, const EntityChange& entity) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> out;
  const auto add = [&](program::FunctionId function, const std::string& who) {
    if (!function.valid() || inputs.after->functions()[function].def() == nullptr) return;
    std::vector<std::string> requirements =
        contract_of({inputs.after, inputs.after_mesh, function, &source_of(*inputs.after, function)}).requirements;
    if (requirements.empty()) return;
    requirements = under_shared_conditions(std::move(requirements));
    const std::size_t all = requirements.size();
    if (all > kMost) requirements.resize(kMost);
    if (all > kMost) requirements.push_back(fmt::format("{} more", all - kMost));
    out.push_back(fmt::format(" {} requires that {}.", who, join(requirements, "; ")));
  };
  if (entity.kind != EntityKind::kClass) {
    const program::FunctionId function = entity.after->function;
    add(function, "It");
    if (out.empty() && function.valid() && inputs.after->functions()[function].def() != nullptr) {
      std::string ending = ending_raise_words(*inputs.after, function);
      return ending.empty() ? raise_words(*inputs.after, function) : ending;
    }
  } else if (entity.after->cls.valid()) {
    for (const program::FunctionId method : inputs.after->classes()[entity.after->cls].methods) {
      const std::string_view name = inputs.after->functions()[method].name;
      if (name == "__init__" || name == "__post_init__") add(method, fmt::format("Its {}", code(name)));
    }
  }
  return join(out, "");
}

/// "`True`": what the assignment to `target` gives, and what others of the module's own code do, `True` or `False` say
/// of a flag that an import decides over.
std::string values_words(const program::Program& program, program::ModuleId module, const Expr& target,
                         const Expr& value) {
  constexpr std::size_t kMost = 3;
  const SourceText& source = program.modules()[module].facts->source();
  std::string first = code(one_line(source, value, 60));
  const std::string_view name = rules::name_of(&target);
  // The first of many entries would read as all of them.
  const auto* dict = as<Dict>(&value);
  const auto* list = as<python::List>(&value);
  const std::size_t entries = dict != nullptr ? dict->values.size() : list != nullptr ? list->elements.size() : 0;
  constexpr std::size_t kFew = 2;
  // `*others` may bring any number.
  const bool is_open = (list != nullptr && std::any_of(list->elements.begin(), list->elements.end(),
                                                       [](const Expr* one) { return is<Starred>(one); })) ||
                       (dict != nullptr && std::any_of(dict->keys.begin(), dict->keys.end(),
                                                       [](const Expr* one) { return one == nullptr; }));
  if (entries > kFew && !is_open && one_line(source, value, 60) != one_line_whole(source, value))
    return fmt::format("{} of {} entries", dict != nullptr ? "a table" : "a list", entries);
  std::vector<std::string> values = {first};
  if (name.empty()) return first;
  if (const auto imported = imports_behind_flag(program.modules()[module].facts->tree(), name)) {
    constexpr std::size_t kMostImported = 2;
    std::vector<std::string> named;
    for (const std::string& one : *imported) named.push_back(code(one));
    if (const std::size_t all = named.size(); all > kMostImported + 1) {
      named.resize(kMostImported);
      named.push_back(fmt::format("{} more", all - kMostImported));
    }
    return fmt::format("{} where {} can be imported, else {}", code("True"), join_words(named), code("False"));
  }
  walk_statements(program.modules()[module].facts->tree(), Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets.front()) != name) return;
    std::string text = code(one_line(source, *assign->value, 60));
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
  });
  if (values.size() == 1 || values.size() > kMost) return first;
  std::string out = values.front();
  for (std::size_t i = 1; i < values.size(); ++i) out += (i + 1 == values.size() ? " or " : ", ") + values[i];
  return out;
}

/// "`None` until `f` sets it" of a variable that is there to be filled; empty where no function fills it.
std::string filled_words(const program::Program& program, program::ModuleId module, std::string_view name) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> setters;
  for (const program::FunctionId one : setters_of_variable(program, module, name))
    setters.push_back(code(short_name(program, one)));
  if (setters.empty() || setters.size() > kMost) return {};
  return fmt::format("{} until {} sets it", code("None"), join_words(setters, "or"));
}

/// " Sets `a` to `b`. When …": how a new function begins; empty where that is long.
std::string first_steps(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kLongest = 300;  // Bytes.
  std::string out;
  for (const std::string& sentence : outer_steps(inputs, actor, kMost)) {
    if (out.size() + sentence.size() > kLongest) break;
    out += " " + as_sentence(capitalised(sentence));
  }
  return out;
}

/// One sentence on an entity, or, `as_list` and long, an item with others below it.
std::string words_of(const DocumentInputs& inputs, const Actor& actor, std::size_t most_clauses, bool as_list) {
  const EntityChange& entity = *actor.change;
  const std::string name = code(short_name(inputs, entity));
  // What is new and long takes more than one sentence to say.
  constexpr std::uint32_t kLong = 15;  // Lines.
  constexpr std::size_t kMostWords = 45;
  const bool is_long =
      actor.is_added() && most_clauses > 1 && entity.latest().last_line - entity.latest().first_line >= kLong;
  const std::string purpose = entity.kind == EntityKind::kVariable || entity.kind == EntityKind::kField ? std::string()
                              : is_long ? docstring_opening(entity.latest().node, kMostWords)
                                        : docstring_sentence(entity.latest().node, 160);
  std::string out = fmt::format("{} ({})", name, status_and_place(inputs, entity));
  if (const std::string other = imported_instead(inputs, entity); !other.empty())
    out += fmt::format(", in place of which {} is imported", code(other));
  if (actor.is_removed() && !actor.field_loops.empty()) return out + field_loop_words(inputs, actor) + ".";
  if (actor.is_removed())
    return out + (purpose.empty() ? "." : fmt::format(": \u201c{}\u201d", from_backquotes(purpose))) +
           gone_refusal_words(inputs, entity);
  if (actor.is_added()) {
    if (entity.kind == EntityKind::kClass) {
      const std::size_t methods = count_methods(entity);
      if (methods > 1) out += fmt::format(", a class of {}", count_of(methods, "method"));
      if (const std::size_t moved = count_moved(inputs, entity); moved > 0)
        out += fmt::format(", {} of them moved here", moved);
    }
    if (const std::string other = imported_before(inputs, entity); !other.empty())
      out += fmt::format(", in place of the imported {}", code(other));
    out += inherited_words(inputs, entity);
    std::string moved = extraction_words(inputs, actor);
    if (moved.empty() && actor.successor_of != nullptr)
      moved = fmt::format("called where {} was, which is gone", code(short_name(inputs, *actor.successor_of)));
    if (!moved.empty() && !purpose.empty())
      return out + fmt::format(", {}: \u201c{}\u201d", moved, from_backquotes(purpose));
    if (!moved.empty()) return out + ", " + moved + ".";
    const std::string kept = actor.is_function() ? unchanged_input_words(context_after(inputs, actor)) : std::string();
    const std::string refused = kept + (most_clauses > 1 ? requirement_words(inputs, entity) : std::string());
    if (!purpose.empty()) return out + fmt::format(": \u201c{}\u201d{}", from_backquotes(purpose), refused);
    if (!actor.is_function()) {
      const Expr* target = nullptr;
      const Expr* value = assigned_value(entity.after->node, target);
      const program::ModuleId module = inputs.after->find_path(entity.after->path);
      const std::string loops = unset_words(inputs, actor) + field_loop_words(inputs, actor) + ".";
      if (value == nullptr || !module.valid()) return out + loops;
      if (entity.kind == EntityKind::kVariable && rules::is_none(value)) {
        if (const std::string filled =
                filled_words(*inputs.after, module, change::last_part(entity.after->qualified_name));
            !filled.empty())
          return out + ": " + filled + loops;
      }
      return out + ": " + values_words(*inputs.after, module, *target, *value) + loops;
    }
    const WordsContext context = context_after(inputs, actor);
    const Contract contract = contract_of(context);
    std::vector<std::string> facts;
    const std::string_view issues = always_communicates(context) ? "issues " : "can issue ";
    for (const std::string& collective : contract.collectives) facts.push_back(std::string(issues) + collective);
    if (!contract.writes.empty()) {
      std::vector<std::string> writes;
      for (std::size_t i = 0; i < contract.writes.size() && i < 3; ++i) writes.push_back(code(contract.writes[i]));
      facts.push_back("sets " + join_words(writes));
    }
    // One of several would read as what it always returns.
    const std::vector<std::string>& returns = contract.returns;
    const bool returns_none = std::find(returns.begin(), returns.end(), "None") != returns.end();
    const bool is_known = !contract.may_return_more || returns_none;
    if (returns.size() == 1 && !returns_none && is_known) facts.push_back("returns " + code(returns.front()));
    if (returns.size() == 2 && is_known)
      facts.push_back(fmt::format("returns {} or {}", code(returns[0]), code(returns[1])));
    if (facts.empty() && !contract.requirements.empty())
      facts.push_back("requires that " + contract.requirements.front());
    if (facts.size() > most_clauses) facts.resize(most_clauses);
    const bool are_told = !facts.empty() && facts.front().starts_with("requires ");
    if (facts.empty() && refused.empty()) return out + "." + first_steps(inputs, actor);
    return out + (facts.empty() ? "." : ": " + join_words(facts) + ".") + (are_told ? "" : refused);
  }
  if (entity.is_cosmetic())
    return fmt::format("{}: only its {} changes; what runs is the same.", out, cosmetic_words(entity));
  ToldClauses told = told_clauses(inputs, actor, most_clauses);
  std::string text = out + clauses_text(std::move(told.clauses), as_list);
  if (told.left_out == 0 || !text.ends_with('.')) return text;
  const std::string more = count_of(told.left_out, "more edit");
  if (has_below(text)) return with_below(std::move(text), fmt::format("And {}.", more));
  text.pop_back();
  return text + fmt::format("; and {}.", more);
}

}  // namespace

std::string actor_words(const DocumentInputs& inputs, const Actor& actor, std::size_t most_clauses) {
  return words_of(inputs, actor, most_clauses, false);
}

std::string actor_item(const DocumentInputs& inputs, const Actor& actor, std::size_t most_clauses) {
  return words_of(inputs, actor, most_clauses, true);
}

}  // namespace lockstep::report
