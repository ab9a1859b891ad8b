#include "report/ways/functions/table_look_ups.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "report/ways/objects/class_uses.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using program::Reference;

namespace {

/// `table[key]`, `table.get(key)`.
struct Taking {
  const Expr* table = nullptr;
  const Expr* key = nullptr;
};

/// What the callee is taken out of, through attributes and a local that one assignment gives its value.
Taking taking_of(const FunctionDef& def, const Expr* callee) {
  constexpr int kMostSteps = 4;
  for (int i = 0; i < kMostSteps && callee != nullptr; ++i) {
    while (const auto* attribute = as<Attribute>(callee)) callee = attribute->value;
    if (const auto* subscript = as<Subscript>(callee)) return {subscript->value, subscript->index};
    if (const auto* call = as<Call>(callee)) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr || method->name.text != "get" || call->arguments.empty()) return {};
      return {method->value, call->arguments.front()};
    }
    callee = only_value_of(def, rules::name_of(callee));
  }
  return {};
}

const Constant* literal_text(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kStr ? constant : nullptr;
}

/// A place where a table holds something under a literal key.
struct Held {
  const Expr* table = nullptr;
  const Constant* key = nullptr;
};

/// Of a name with these nodes around it, innermost last: the table that holds it, alone or as an argument of what makes
/// an entry.
Held held_in(const std::vector<const Node*>& around) {
  Held out;
  const Node* inner = around.back();
  for (std::size_t i = around.size() - 1; i-- > 0; inner = around[i]) {
    const Node* outer = around[i];
    if (const auto* dict = as<Dict>(outer); dict != nullptr && out.key == nullptr) {
      const auto at = std::find(dict->values.begin(), dict->values.end(), inner);
      if (at == dict->values.end()) return {};
      out.key = literal_text(dict->keys[static_cast<std::size_t>(at - dict->values.begin())]);
      if (out.key == nullptr) return {};
    } else if (const auto* pair = as<Tuple>(outer); pair != nullptr && out.key == nullptr) {
      if (pair->elements.size() != 2 || pair->elements[1] != inner) return {};
      out.key = literal_text(pair->elements[0]);
      if (out.key == nullptr) return {};
    } else if (const auto* call = as<Call>(outer)) {
      const auto* method = as<Attribute>(call->callee);
      const bool is_update = out.key != nullptr && method != nullptr && method->name.text == "update";
      if (call->callee == inner) return {};
      if (is_update) return {method->value, out.key};
    } else if (const auto* assign = as<Assign>(outer)) {
      const Expr* target = assign->targets.size() == 1 ? assign->targets[0] : nullptr;
      if (out.key != nullptr) return {target, out.key};
      const auto* item = as<Subscript>(target);
      if (item == nullptr) return {};
      return {item->value, literal_text(item->index)};
    } else if (const auto* declared = as<AnnAssign>(outer)) {
      return {out.key == nullptr ? nullptr : declared->target, out.key};
    } else if (!is<Keyword>(outer) && !(is<python::List>(outer) && out.key != nullptr)) {
      return {};
    }
  }
  return {};
}

bool is_same_variable(const Reference& one, const Reference& other) {
  return one.kind == Reference::Kind::kVariable && other.kind == Reference::Kind::kVariable &&
         one.module == other.module && one.name == other.name;
}

/// What is entered: the class that a constructor makes, else the function.
struct Entered {
  program::ClassId cls;
  FunctionId function;
  std::string_view name;
};

Entered entered_by(const Program& program, FunctionId callee) {
  const program::Function& function = program.functions()[callee];
  if (!function.owner.valid()) return {{}, callee, function.name};
  const bool is_made = function.name == "__init__" || function.name == "__new__";
  if (!is_made) return {};
  return {function.owner, {}, program.classes()[function.owner].name};
}

/// Where the code outside tests puts it into the table; nothing where it does not show, or where several keys hold it.
std::optional<std::pair<ModuleId, const Constant*>> key_of(const Program& program, const Reference& table,
                                                           const Entered& entered) {
  std::optional<std::pair<ModuleId, const Constant*>> out;
  bool is_clear = true;
  for_each_place(program, entered.name, [&](ModuleId module, std::uint32_t at) {
    const std::vector<const Node*> around = chain_to(program.modules()[module].facts->tree(), {at, at + 1});
    if (around.size() < 2 || (!is<Name>(around.back()) && !is<Attribute>(around.back()))) return true;
    const Held held = held_in(around);
    if (held.key == nullptr || held.table == nullptr) return true;
    const FunctionId holder = program.function_at(module, at);
    if (!is_same_variable(program.resolve(holder, *held.table), table)) return true;
    const Reference named = program.resolve(holder, *static_cast<const Expr*>(around.back()));
    const bool is_it = entered.cls.valid() ? named.cls == entered.cls : named.function == entered.function;
    if (!is_it) return true;
    is_clear = !out || out->second->text == held.key->text;
    if (!out) out.emplace(module, held.key);
    return is_clear;
  });
  return is_clear ? out : std::nullopt;
}

/// What the call gives the function for its parameter.
const Expr* given_by(const Call& call, const FunctionDef& def, std::string_view parameter) {
  if (const Expr* value = rules::keyword_value(call, parameter)) return value;
  if (rules::has_spread_arguments(call)) return nullptr;
  const auto& all = def.parameters->all;
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == parameter; });
  const auto index = static_cast<std::size_t>(at - all.begin());
  const bool is_positional = at != all.end() && ((*at)->parameter_kind == Parameter::Kind::kPositionalOnly ||
                                                 (*at)->parameter_kind == Parameter::Kind::kPositionalOrKeyword);
  return is_positional && index < call.arguments.size() ? call.arguments[index] : nullptr;
}

/// The first value that an assignment gives the local.
const Expr* first_value_of(const FunctionDef& def, std::string_view local) {
  const Expr* out = nullptr;
  walk_of<Assign>(def, Nested::kSkip, [&](const Assign* assign) {
    if (out == nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == local)
      out = assign->value;
  });
  return out;
}

/// Follows what is asked for up the way to the attribute that it is set from.
void find_given(const Program& program, const std::vector<PathFrame>& frames, std::size_t at, const Expr* asked,
                TableLookUp& out) {
  constexpr int kMostSteps = 8;
  for (int i = 0; i < kMostSteps && asked != nullptr; ++i) {
    const FunctionId holder = frames[at].function;
    const FunctionDef* def = program.functions()[holder].def();
    if (def == nullptr) return;
    if (const auto* attribute = as<Attribute>(asked)) {
      const std::string text = dotted_text(attribute);
      if (text.empty() || text.starts_with("self.")) return;
      out.given = code(text);
      out.setting = attribute->name.text;
      out.given_place = place(program.module_of(holder).path, source_of(program, holder).line_of(asked->span.begin));
      return;
    }
    const std::string_view name = rules::name_of(asked);
    if (name.empty()) return;
    const auto& all = def->parameters->all;
    const bool is_parameter =
        std::any_of(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == name; });
    if (!is_parameter) {
      asked = first_value_of(*def, name);
      continue;
    }
    // A method's `self` is no argument of its call.
    const auto* call = at == 0 ? nullptr : as<Call>(frames[at - 1].call);
    if (call == nullptr || program.functions()[holder].owner.valid() || first_value_of(*def, name) != nullptr) return;
    asked = given_by(*call, *def, name);
    --at;
  }
}

/// The table of a module that holds the function; nothing where several do.
std::optional<Reference> table_of(const Program& program, FunctionId function) {
  std::optional<Reference> out;
  bool is_clear = true;
  for_each_place(program, program.functions()[function].name, [&](ModuleId module, std::uint32_t at) {
    const std::vector<const Node*> around = chain_to(program.modules()[module].facts->tree(), {at, at + 1});
    if (around.size() < 2 || !is<Name>(around.back())) return true;
    const Held held = held_in(around);
    if (held.key == nullptr || held.table == nullptr) return true;
    const FunctionId holder = program.function_at(module, at);
    const Reference table = program.resolve(holder, *held.table);
    if (table.kind != Reference::Kind::kVariable ||
        program.resolve(holder, *static_cast<const Expr*>(around.back())).function != function)
      return true;
    is_clear = !out || is_same_variable(*out, table);
    out = table;
    return is_clear;
  });
  return is_clear ? out : std::nullopt;
}

/// Whether a branch around the place asks `asked` to be another key, or not this one.
bool asks_for_another(const FunctionDef& def, const SourceText& source, Span place, const std::string& asked,
                      std::string_view key) {
  const std::vector<Guard> guards = guards_of(def, place);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    bool is_other = false;
    const auto look = [&](const Expr* part) {
      const auto* compare = as<Compare>(part);
      if (compare == nullptr || compare->ops.size() != 1 || compare->ops.front() != CompareOperator::kEq ||
          one_line_whole(source, *compare->left) != asked)
        return;
      const Constant* literal = literal_text(compare->comparators.front());
      is_other = is_other || (literal != nullptr && (literal->text == key) == guard.negated);
    };
    if (guard.condition == nullptr) return false;
    const auto* all = as<BoolOp>(guard.condition);
    if (all == nullptr) {
      look(guard.condition);
    } else if (all->op == BoolOperator::kAnd && !guard.negated) {
      for (const Expr* part : all->values) look(part);
    }
    return is_other;
  });
}

}  // namespace

std::optional<TableTaking> taken_from_table(const Program& program, FunctionId function,
                                            const std::vector<std::string_view>& asked) {
  const program::Function& taken = program.functions()[function];
  if (taken.owner.valid() || taken.enclosing.valid()) return std::nullopt;
  const std::optional<Reference> table = table_of(program, function);
  const auto key = table ? key_of(program, *table, {{}, function, taken.name}) : std::nullopt;
  if (!key) return std::nullopt;
  std::optional<TableTaking> out;
  std::size_t most_given = 0;
  for_each_place(program, table->name, [&](ModuleId module, std::uint32_t at) {
    const std::vector<const Node*> around = chain_to(program.modules()[module].facts->tree(), {at, at + 1});
    const auto* item = around.size() < 2 ? nullptr : as<Subscript>(around[around.size() - 2]);
    const FunctionId holder = program.function_at(module, at);
    const FunctionDef* def = holder.valid() ? program.functions()[holder].def() : nullptr;
    if (item == nullptr || item->value != around.back() || item->context != ExprContext::kLoad || def == nullptr ||
        literal_text(item->index) != nullptr || !is_same_variable(program.resolve(holder, *item->value), *table))
      return true;
    const Call* call = around.size() < 3 ? nullptr : as<Call>(around[around.size() - 3]);
    const SourceText& source = source_of(program, holder);
    if (call == nullptr ||
        asks_for_another(*def, source, call->span, one_line_whole(source, *item->index), key->second->text))
      return true;
    const auto given = static_cast<std::size_t>(std::count_if(asked.begin(), asked.end(), [&](std::string_view name) {
      return rules::keyword_value(*call, name) != nullptr;
    }));
    if (!out || given >= most_given) {
      out = TableTaking{holder, call};
      most_given = given;
    }
    return true;
  });
  return out;
}

std::optional<TableLookUp> table_look_up(const Program& program, const std::vector<PathFrame>& frames, std::size_t at) {
  if (at + 1 >= frames.size()) return std::nullopt;
  const FunctionId holder = frames[at].function;
  const auto* call = as<Call>(frames[at].call);
  const FunctionDef* def = program.functions()[holder].def();
  if (call == nullptr || def == nullptr) return std::nullopt;
  Taking taking = taking_of(*def, call->callee);
  for (std::size_t i = 0; i < call->arguments.size() && taking.table == nullptr; ++i) {
    const auto* item = frames[at].handing == Handing::kHandsOn ? as<Subscript>(call->arguments[i]) : nullptr;
    if (item != nullptr) taking = {item->value, item->index};
  }
  if (taking.table == nullptr || literal_text(taking.key) != nullptr) return std::nullopt;
  const Reference table = program.resolve(holder, *taking.table);
  if (table.kind != Reference::Kind::kVariable) return std::nullopt;
  const Entered entered = entered_by(program, frames[at + 1].function);
  if (entered.name.empty()) return std::nullopt;
  const auto key = key_of(program, table, entered);
  if (!key) return std::nullopt;
  const SourceText& source = source_of(program, holder);
  const program::Module& home = program.modules()[key->first];
  constexpr std::size_t kLongest = 40;
  TableLookUp out;
  out.table = code(table.name);
  out.key = code(fmt::format("\"{}\"", key->second->text));
  out.key_place = place(home.path, home.facts->source().line_of(key->second->span.begin));
  out.asked = code(one_line(source, *taking.key, kLongest));
  out.asked_place = place(program.module_of(holder).path, source.line_of(taking.key->span.begin));
  find_given(program, frames, at, taking.key, out);
  return out;
}

}  // namespace lockstep::report
