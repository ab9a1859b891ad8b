#include "report/story/checks/altered_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/attribute_stores.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "report/story/steps/edit_kinds.h"
#include "report/story/story.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostStates = 4;    ///< Of one function.
constexpr std::size_t kMostReaders = 40;  ///< What everybody reads says nothing of the change.
constexpr std::size_t kShortestName = 4;
constexpr std::size_t kStatementWidth = 70;

/// What tensors, modules and the like have without anybody's doing.
constexpr std::array<std::string_view, 12> kOfLibraries = {"data",  "grad",     "requires_grad", "shape",
                                                           "dtype", "device",   "weight",        "bias",
                                                           "name",  "training", "params",        "status"};

/// An attribute that a statement sets (`object.name = …`, `setattr(object, "name", …)`), or an item by a text
/// (`object["name"] = …`).
struct Target {
  const Expr* object = nullptr;
  std::string_view name;
  const Expr* value = nullptr;
  bool is_item = false;
};

Target target_of(const Node* statement) {
  const Expr* target = nullptr;
  if (const Expr* value = assigned_value(statement, target); value != nullptr) {
    const auto* attribute = as<Attribute>(target);
    if (attribute != nullptr) return {attribute->value, attribute->name.text, value};
    const auto* item = as<Subscript>(target);
    const std::string_view key = item == nullptr ? std::string_view() : rules::text_of(item->index);
    return key.empty() ? Target() : Target{item->value, key, value, true};
  }
  const auto* thrown = as<ExprStmt>(statement);
  const auto* call = thrown == nullptr ? nullptr : as<Call>(thrown->value);
  if (call == nullptr || call->arguments.size() != 3 || rules::name_of(call->callee) != "setattr") return {};
  const std::string_view name = rules::text_of(call->arguments[1]);
  return name.empty() ? Target() : Target{call->arguments[0], name, call->arguments[2]};
}

bool is_self(const Expr* object) {
  const auto* name = as<Name>(object);
  return name != nullptr && name->id == "self";
}

/// `args`, `self.config`: what holds settings.
bool holds_settings(const Expr* object) {
  const std::string_view last = rules::last_part_of(object);
  return last == "args" || last.ends_with("config") || last.ends_with("cfg") || last.ends_with("_args");
}

/// All of a program that names one attribute.
struct Uses {
  std::set<program::ClassId> holders;  ///< Classes that have it: as a field, or set off `self`.
  bool is_set_off_others = false;      ///< By anything outside tests.
  struct Read {
    program::ModuleId module;
    const Expr* object = nullptr;
    const Node* node = nullptr;
  };
  std::vector<Read> reads;  ///< Outside tests.
};

Uses uses_of(const program::Program& program, std::string_view name) {
  Uses out;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::ClassId id(i);
    const auto& fields = program.classes()[id].fields;
    const bool has =
        std::any_of(fields.begin(), fields.end(), [&](const program::Field& one) { return one.name == name; });
    // A method or a property of the name, too, is what `x.name` may mean.
    const auto& methods = program.classes()[id].methods;
    const bool defines = std::any_of(methods.begin(), methods.end(),
                                     [&](program::FunctionId one) { return program.functions()[one].name == name; });
    if ((has || defines) && !program::is_test_path(program.modules()[program.classes()[id].module].path))
      out.holders.insert(id);
  }
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node); attribute != nullptr && attribute->name.text == name) {
        if (attribute->context == ExprContext::kLoad) {
          out.reads.push_back({id, attribute->value, node});
        } else {
          out.is_set_off_others = out.is_set_off_others || !is_self(attribute->value);
        }
      }
      const auto* call = as<Call>(node);
      if (call == nullptr || call->arguments.size() < 2 || rules::text_of(call->arguments[1]) != name) return;
      const std::string_view callee = rules::name_of(call->callee);
      if (callee == "getattr" || callee == "hasattr") out.reads.push_back({id, call->arguments[0], node});
      if (callee == "setattr") out.is_set_off_others = out.is_set_off_others || !is_self(call->arguments[0]);
    });
  }
  return out;
}

/// The same of items by a text: `x["name"]`, `x.get("name")`, `"name" in x`.
Uses uses_of_item(const program::Program& program, std::string_view name) {
  Uses out;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* item = as<Subscript>(node);
      if (item != nullptr && item->context == ExprContext::kLoad && rules::text_of(item->index) == name)
        out.reads.push_back({id, item->value, node});
      const auto* asked = as<Compare>(node);
      if (asked != nullptr && asked->ops.size() == 1 && rules::text_of(asked->left) == name &&
          (asked->ops.front() == CompareOperator::kIn || asked->ops.front() == CompareOperator::kNotIn))
        out.reads.push_back({id, asked->comparators.front(), node});
      const auto* call = as<Call>(node);
      const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (method != nullptr && method->name.text == "get" && !call->arguments.empty() &&
          rules::text_of(call->arguments.front()) == name)
        out.reads.push_back({id, method->value, node});
    });
  }
  return out;
}

/// Whether the dictionary is told from others by its name: `param_group`, not `kwargs`; and not one that the function
/// makes, of which others know by another name.
bool is_known_by_name(const program::Program& program, program::FunctionId function, const Expr* object) {
  static constexpr std::string_view kAny[] = {"args",   "attrs",  "batch",   "buffer",  "cache",   "config",  "context",
                                              "data",   "dict",   "entry",   "extra",   "groups",  "info",    "inputs",
                                              "item",   "items",  "kwargs",  "metrics", "model",   "options", "output",
                                              "params", "record", "records", "result",  "results", "sample",  "samples",
                                              "self",   "state",  "stats",   "tensors", "values"};
  constexpr std::size_t kShortest = 5;
  const std::string_view last = rules::last_part_of(object);
  if (last.size() < kShortest || last.ends_with("dict") || last.ends_with("kwargs") ||
      std::find(std::begin(kAny), std::end(kAny), last) != std::end(kAny))
    return false;
  const FunctionDef* def = program.functions()[function].def();
  const std::string_view local = rules::name_of(object);
  return local.empty() || def == nullptr || only_value_of(*def, local) == nullptr;
}

/// What an object is by its name: a module, or a tensor of one; unknown for others.
enum class ObjectKind : std::uint8_t { kUnknown, kModule, kTensor };
ObjectKind kind_of_object(const Expr* object) {
  const std::string name = to_lower(rules::last_part_of(object));
  const auto has = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return contains(name, word); });
  };
  if (has({"module", "layer", "model"})) return ObjectKind::kModule;
  if (has({"param", "weight", "bias", "tensor", "grad"}) || name == "p") return ObjectKind::kTensor;
  return ObjectKind::kUnknown;
}

bool are_two_kinds(const Expr* one, const Expr* other) {
  const ObjectKind first = kind_of_object(one);
  const ObjectKind second = kind_of_object(other);
  return first != ObjectKind::kUnknown && second != ObjectKind::kUnknown && first != second;
}

/// Whether the change edits the function anywhere.
bool is_edited(const DocumentInputs& inputs, program::FunctionId function) {
  const Node* node = inputs.after->functions()[function].node;
  const program::Module& module = inputs.after->module_of(function);
  const SourceText& source = module.facts->source();
  if (node == nullptr || inputs.after->functions()[function].def() == nullptr) return false;
  const std::uint32_t last = source.line_of(node->span.end > 0 ? node->span.end - 1 : 0);
  for (std::uint32_t line = source.line_of(node->span.begin); line <= last; ++line) {
    if (inputs.change->touches_after(module.path, line)) return true;
  }
  return false;
}

/// Whether a read of `read` gets what the target sets, as far as names tell.
bool may_get(const program::Program& program, const Uses& uses, const Uses::Read& read, program::FunctionId reader,
             program::ClassId owner) {
  if (!owner.valid()) return uses.holders.empty() && !is_self(read.object);
  if (is_self(read.object)) return program::are_kin(program, owner, class_of_self(program, reader));
  return !uses.is_set_off_others && !holds_settings(read.object) &&
         std::all_of(uses.holders.begin(), uses.holders.end(),
                     [&](program::ClassId one) { return program::are_kin(program, owner, one); });
}

/// Whether the object is a local that the function has a library make: others that have such an attribute are made by
/// somebody else, unless they have its name.
bool is_made_by_library(const program::Program& program, program::FunctionId function, const Expr* object) {
  const FunctionDef* def = program.functions()[function].def();
  const std::string_view name = rules::name_of(object);
  const Expr* made = def == nullptr || name.empty() ? nullptr : only_value_of(*def, name);
  return is<Call>(made) && callees_of(program, made).empty();
}

/// The statement, or the head of the block, that holds `node`, and whether it asks for it.
struct Place {
  const Node* statement = nullptr;
  Span shown;
  bool decides = false;
};

Place place_of_read(const Node& function, const Node& node) {
  Place out;
  for (const Node* one : chain_to(function, node.span)) {
    if (one == &function) continue;
    const auto asks = [&](const Expr* condition, Span head) {
      if (condition == nullptr) return;
      out = {one, head, condition->span.contains(node.span)};
    };
    if (const auto* branch = as<If>(one))
      asks(branch->condition, {branch->span.begin, branch->condition->span.end});
    else if (const auto* loop = as<While>(one))
      asks(loop->condition, {loop->span.begin, loop->condition->span.end});
    else if (const auto* check = as<Assert>(one))
      asks(check->test, check->test->span);
    else if (const auto* choice = as<IfExp>(one))
      out.decides = out.decides || choice->condition->span.contains(node.span);
    else if (const auto* each = as<For>(one))
      out = {one, {each->span.begin, each->iterable->span.end}, false};
    else if (is_statement(one))
      out = {one, one->span, false};
  }
  return out;
}

/// What the branches around a place ask to be equal to a text: `kind` -> "rope" of `if self.kind == "rope"`.
std::map<std::string, std::string_view> texts_asked_around(const Node& function, Span place) {
  std::map<std::string, std::string_view> out;
  for (const Guard& guard : guards_of(function, place)) {
    const auto* compare = guard.negated ? nullptr : as<Compare>(guard.condition);
    if (compare == nullptr || compare->ops.size() != 1 || compare->ops.front() != CompareOperator::kEq) continue;
    const std::string_view text = rules::text_of(compare->comparators.front());
    if (!text.empty()) out.emplace(dotted_text(compare->left), text);
  }
  return out;
}

/// Whether a run that comes to the one place does not come to the other: they stand in branches for two values of one
/// attribute.
bool are_for_two_values(const Node& one, Span place, const Node& other, Span other_place) {
  const auto first = texts_asked_around(one, place);
  const auto second = first.empty() ? first : texts_asked_around(other, other_place);
  return std::any_of(first.begin(), first.end(), [&](const auto& asked) {
    const auto same = second.find(asked.first);
    return !asked.first.empty() && same != second.end() && same->second != asked.second;
  });
}

/// Whether the value that the step gives the attribute is another one than before, or a new one.
bool alters(const Actor& actor, std::size_t index, const Target& target) {
  const Step& step = actor.steps.after[index];
  if (actor.is_added()) return true;
  if (step.status == StepStatus::kKept || step.is_moved || step.elsewhere != nullptr || step.inlined != nullptr ||
      !step.renames.empty())
    return false;
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return true;
  const Target was = target_of(actor.steps.before[step.partner].node);
  if (was.value == nullptr) return true;
  return one_line_whole(*actor.steps.before_source, *was.value) !=
             one_line_whole(*actor.steps.after_source, *target.value) &&
         !only_names_differ(actor, step) && !only_names_value(actor, step) && !only_reads_renamed(actor, step);
}

/// Adds what is altered to `told`.
std::vector<AlteredState> altered_by(const DocumentInputs& inputs, const Actor& actor,
                                     std::set<std::string, std::less<>>& told) {
  std::vector<AlteredState> out;
  if (!actor.is_function() || actor.is_removed() || actor.role == Role::kTest || actor.steps.after_source == nullptr ||
      !actor.change->after || !actor.change->after->function.valid())
    return out;
  const program::Program& program = *inputs.after;
  const program::FunctionId function = actor.change->after->function;
  const program::ModuleId home = program.functions()[function].module;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < actor.steps.after.size() && seen < kMostStates; ++i) {
    const Step& step = actor.steps.after[i];
    if (step.kind != StepKind::kPlain) continue;
    const Target target = target_of(step.node);
    const bool is_library =
        !target.is_item && std::find(kOfLibraries.begin(), kOfLibraries.end(), target.name) != kOfLibraries.end();
    if (target.is_item && !is_known_by_name(program, function, target.object)) continue;
    if (target.name.size() < kShortestName || target.name.starts_with("__") ||
        (is_library && !is_self(target.object)) || holds_settings(target.object) || !alters(actor, i, target) ||
        !told.emplace(target.name).second)
      continue;
    ++seen;
    const program::ClassId owner =
        is_self(target.object) && !target.is_item ? class_of_self(program, function) : program::ClassId();
    if (is_self(target.object) && !owner.valid()) continue;
    const Uses uses = target.is_item ? uses_of_item(program, target.name) : uses_of(program, target.name);
    if (uses.reads.size() > kMostReaders) continue;
    const bool is_made = is_made_by_library(program, function, target.object);
    std::map<program::FunctionId, StateReader> readers;
    for (const Uses::Read& read : uses.reads) {
      if (target.is_item && rules::last_part_of(read.object) != rules::last_part_of(target.object)) continue;
      if (is_made && rules::last_part_of(read.object) != rules::name_of(target.object)) continue;
      const program::Module& module = program.modules()[read.module];
      const SourceText& source = module.facts->source();
      const std::uint32_t line = source.line_of(read.node->span.begin);
      const program::FunctionId reader = program.function_at(read.module, read.node->span.begin);
      if (inputs.change->touches_after(module.path, line) || reader == function ||
          are_two_kinds(target.object, read.object) || !may_get(program, uses, read, reader, owner) ||
          is_edited(inputs, reader))
        continue;
      if (are_for_two_values(*program.functions()[function].node, step.span, *program.functions()[reader].node,
                             read.node->span))
        continue;
      const Place place = place_of_read(*program.functions()[reader].node, *read.node);
      if (place.statement == nullptr || inputs.change->touches_after(module.path, source.line_of(place.shown.begin)))
        continue;
      const auto [known, is_first] = readers.try_emplace(reader);
      if (!is_first && (known->second.decides || !place.decides)) continue;
      known->second = {reader, line, code(one_line(source, place.shown, kStatementWidth)), place.decides,
                       read.module != home};
    }
    if (readers.empty()) continue;
    const std::string object = one_line(*actor.steps.after_source, *target.object, 30);
    AlteredState state{
        target.is_item ? fmt::format("{}[\"{}\"]", object, target.name) : fmt::format("{}.{}", object, target.name),
        target.name,
        {}};
    for (auto& [id, one] : readers) state.readers.push_back(std::move(one));
    std::stable_sort(state.readers.begin(), state.readers.end(), [](const StateReader& a, const StateReader& b) {
      return std::make_tuple(!a.decides, !a.is_in_other_module) < std::make_tuple(!b.decides, !b.is_in_other_module);
    });
    out.push_back(std::move(state));
  }
  return out;
}

}  // namespace

void find_altered_state(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr std::size_t kMostFunctions = 12;
  std::size_t looked = 0;
  std::set<std::string, std::less<>> told;
  for (Actor& actor : actors) {
    const bool counts = (actor.role == Role::kCentral || actor.role == Role::kSupporting) && actor.is_function();
    if (!counts || looked == kMostFunctions) continue;
    ++looked;
    actor.altered = altered_by(inputs, actor, told);
  }
}

std::string readers_words(const DocumentInputs& inputs, const AlteredState& state, std::size_t most) {
  std::vector<std::string> named;
  for (const StateReader& one : state.readers) {
    if (named.size() == most) break;
    const program::Module& module = inputs.after->module_of(one.function);
    const std::string where = contains(one.statement, state.name)
                                  ? fmt::format("{}: {}", place(module.path, one.line), one.statement)
                                  : place(module.path, one.line);
    const bool is_body = inputs.after->functions()[one.function].kind == program::FunctionKind::kModuleBody;
    named.push_back(is_body ? where : fmt::format("{} ({})", code(short_name(*inputs.after, one.function)), where));
  }
  const std::size_t left = state.readers.size() - named.size();
  if (left > 0) named.push_back(count_of(left, "more function"));
  return fmt::format("{} in {}", code(state.shown), join_words(named));
}

}  // namespace lockstep::report
