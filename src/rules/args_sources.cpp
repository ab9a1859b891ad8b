#include "rules/args_sources.h"

#include <algorithm>
#include <unordered_set>

#include "base/strings.h"
#include "program/resolve.h"
#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

namespace lockstep::rules {

using namespace python;
using program::FunctionId;
using program::Program;
using program::Reference;

namespace {

/// A function of another package that makes a parser, parses a command line or adds flags to a parser, by the last part
/// of its name.
bool makes_flags(std::string_view name) {
  if (name.starts_with("argparse.")) return false;
  const std::string last = to_lower(name.substr(name.rfind('.') + 1));
  const bool adds = last.starts_with("add_") && (last.ends_with("args") || last.ends_with("arguments"));
  return adds || last == "get_args" || contains(last, "parse");
}

/// Some argument of the call is a parser, by its name.
bool is_given_parser(const Call& call) {
  const auto is_parser = [](const Expr* argument) { return contains(to_lower(last_part_of(argument)), "parser"); };
  return std::any_of(call.arguments.begin(), call.arguments.end(), is_parser) ||
         std::any_of(call.keywords.begin(), call.keywords.end(),
                     [&](const Keyword* keyword) { return is_parser(keyword->value); });
}

/// Statements that give `name` (any name, where it is empty) attributes which no source names: `setattr(args, key,
/// value)`, `vars(args).update(…)`, `args.__dict__[key] = value`, `table = vars(args)` and then the same with `table`.
bool sets_computed_attributes(const Node& node, std::string_view name) {
  bool found = false;
  std::unordered_set<std::string_view> tables;
  const auto is_it = [&](const Expr* expression) {
    return name.empty() ? is<Name>(expression) && name_of(expression) != "self" : name_of(expression) == name;
  };
  const auto is_table = [&](const Expr* expression) {
    if (tables.contains(name_of(expression))) return true;
    const auto* attribute = as<Attribute>(expression);
    if (attribute != nullptr) return attribute->name.text == "__dict__" && is_it(attribute->value);
    const auto* call = as<Call>(expression);
    return call != nullptr && name_of(call->callee) == "vars" && call->arguments.size() == 1 &&
           is_it(call->arguments[0]);
  };
  walk_of<Assign>(node, Nested::kEnter, [&](const Assign* assign) {
    const std::string_view target = assign->targets.size() == 1 ? name_of(assign->targets[0]) : std::string_view();
    if (!target.empty() && is_table(assign->value)) tables.insert(target);
  });
  const auto changes = [](std::string_view method) {
    return method == "update" || method == "setdefault" || method == "__setitem__";
  };
  walk(node, Nested::kEnter, [&](const Node* each) {
    if (const auto* call = as<Call>(each)) {
      found = found || (name_of(call->callee) == "setattr" && call->arguments.size() == 3 &&
                        is_it(call->arguments[0]) && text_of(call->arguments[1]).empty());
    } else if (const auto* attribute = as<Attribute>(each)) {
      found = found || (is_table(attribute->value) && changes(attribute->name.text)) ||
              (attribute->context == ExprContext::kStore && is_table(attribute));
    } else if (const auto* part = as<Subscript>(each)) {
      found = found || (part->context == ExprContext::kStore && is_table(part->value));
    }
  });
  return found;
}

/// The call declares a flag whose name the source does not show: `add_argument(f"--{role}-lr")`.
bool has_computed_name(const Call& call) {
  if (call.arguments.empty()) return has_spread_keywords(call);
  return text_of(keyword_value(call, "dest")).empty() &&
         std::any_of(call.arguments.begin(), call.arguments.end(),
                     [](const Expr* argument) { return text_of(argument).empty(); });
}

/// `@dataclass` classes give their fields to the parser by name: `for field in dataclasses.fields(Config)`.
bool reads_fields_of_dataclass(const Program& program, FunctionId function) {
  bool found = false;
  walk_of<Call>(*program.functions()[function].node, Nested::kEnter, [&](const Call* call) {
    found = found || (last_part_of(call->callee) == "fields" &&
                      program.resolve(function, *call->callee).name == "dataclasses.fields");
  });
  return found;
}

/// A parser of a class that takes flags from elsewhere: of another package, or below one of its classes.
bool is_foreign_parser(const Program& program, FunctionId function, const Expr* made) {
  const auto* call = as<Call>(made);
  if (call == nullptr) return false;
  const Reference named = program.resolve(function, *call->callee);
  if (named.kind == Reference::Kind::kExternal) return !named.name.starts_with("argparse.");
  if (named.kind != Reference::Kind::kClass) return false;
  const auto& above = program.classes()[named.cls].external_ancestors;
  return std::any_of(above.begin(), above.end(), [](const std::string& base) {
    return !base.starts_with("argparse.") && !base.starts_with("typing.") && !base.starts_with("abc.");
  });
}

/// Some parser whose command line the function reads is foreign: `Arguments().parse_args()`, or under a name.
bool reads_foreign_parser(const Program& program, FunctionId function) {
  const Node& node = *program.functions()[function].node;
  bool found = false;
  std::unordered_set<std::string_view> names;
  walk_of<Call>(node, Nested::kEnter, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    if (method == nullptr || !method->name.text.starts_with("parse_")) return;
    found = found || is_foreign_parser(program, function, method->value);
    if (const std::string_view name = name_of(method->value); !name.empty()) names.insert(name);
  });
  if (found || names.empty()) return found;
  walk_of<Assign>(node, Nested::kEnter, [&](const Assign* assign) {
    for (const Expr* target : assign->targets)
      found = found || (names.contains(name_of(target)) && is_foreign_parser(program, function, assign->value));
  });
  return found;
}

/// `action=Pair`, a class of the repository that gives the settings attributes of computed names.
bool has_filling_action(const Program& program, FunctionId function, const Call& call) {
  const Expr* action = keyword_value(call, "action");
  const Reference named = action == nullptr ? Reference{} : program.resolve(function, *action);
  if (named.kind != Reference::Kind::kClass) return false;
  const FunctionId method = program.find_method(named.cls, "__call__");
  return method.valid() && sets_computed_attributes(*program.functions()[method].node, {});
}

/// The functions of the repository that the call enters, methods too.
std::vector<const program::CallTarget*> entered_by(const Program& program, const Call& call) {
  std::vector<const program::CallTarget*> entered;
  const program::CallId id = program.call_of(&call);
  if (!id.valid()) return entered;
  for (const program::CallTarget& target : program.calls()[id].targets) {
    if (target.function.valid() && target.kind != program::CallKind::kCallback) entered.push_back(&target);
  }
  return entered;
}

/// True if the call is known not to change what it is given: a built-in function, or one of another package.
bool is_harmless(const Program& program, const Call& call) {
  if (const std::string_view name = name_of(call.callee); program::is_builtin(name)) return true;
  const program::CallId id = program.call_of(&call);
  return id.valid() && !program.calls()[id].targets.empty();
}

}  // namespace

bool ArgsSources::gets_args(FunctionId id) {
  const FileFacts& facts = *program_.module_of(id).facts;
  const Node& function = *program_.functions()[id].node;
  const auto scope = facts.scope_of_node.find(&function);
  if (scope == facts.scope_of_node.end()) return false;
  const auto& bindings = facts.scopes[scope->second].bindings;
  const auto is_args = [](const Binding& each) { return each.name == "args"; };
  if (std::count_if(bindings.begin(), bindings.end(), is_args) != 1) return false;
  const auto* assign = as<Assign>(std::find_if(bindings.begin(), bindings.end(), is_args)->owner);
  const auto* call = assign == nullptr ? nullptr : as<Call>(assign->value);
  if (call == nullptr || assign->targets.size() != 1 || !is<Name>(assign->targets[0])) return false;
  const std::string_view name = last_part_of(call->callee);
  // get_args of another package, or of nobody: its flags are not seen here.
  const Reference getter = program_.resolve(id, *call->callee);
  const bool is_ours = getter.kind == Reference::Kind::kFunction;
  const bool is_method = name == "parse_args" && getter.kind != Reference::Kind::kExternal;
  if (is_ours ? name != "get_args" && name != "parse_args" : !is_method) return false;
  return !takes_flags_of_others(is_ours ? getter.function : id) && !reaches({id, "args"}, &Use::fills, filled_);
}

bool ArgsSources::hands_args_away(FunctionId id) { return reaches({id, "args"}, &Use::hands_away, handed_away_); }

/// True if `getter`, or what it calls to get the settings, has them from another package or from a table: not all of
/// their names are seen here.
bool ArgsSources::takes_flags_of_others(FunctionId getter) {
  const auto [known, is_new] = takes_others_.try_emplace(getter, true);
  if (!is_new) return known->second;
  std::unordered_set<FunctionId> seen{getter};
  std::vector<FunctionId> open{getter};
  while (!open.empty()) {
    const FunctionId function = open.back();
    open.pop_back();
    if (has_open_flags(function)) return true;
    const bool is_first = function == getter;
    // A function that only reads the settings may set anything else by computed names; its `args` is asked for alone.
    const bool fills = is_first || program_.functions()[function].name.find("pars") != std::string_view::npos;
    if (fills && sets_computed_attributes(*program_.functions()[function].node, {})) return true;
    walk_of<Call>(*program_.functions()[function].node, Nested::kEnter, [&](const Call* call) {
      const bool is_given = is_given_parser(*call);
      for (const program::CallTarget* target : entered_by(program_, *call)) {
        const std::string_view name = program_.functions()[target->function].name;
        const bool leads_on = is_given || contains(name, "args") || contains(name, "argument") ||
                              contains(name, "pars") || contains(name, "flag") || contains(name, "option") ||
                              target->kind == program::CallKind::kConstructor;
        if (leads_on && seen.insert(target->function).second) open.push_back(target->function);
      }
    });
  }
  takes_others_[getter] = false;
  return false;
}

/// The function declares or takes in settings whose names the source does not show.
bool ArgsSources::has_open_flags(FunctionId function) const {
  const Node& node = *program_.functions()[function].node;
  if (sets_computed_attributes(node, "args") || sets_computed_attributes(node, "namespace")) return true;
  bool found = false;
  std::unordered_set<const Node*> called;
  std::vector<const Attribute*> declaring;  // `parser.add_argument`, called or not.
  bool has_computed = false;
  walk(node, Nested::kEnter, [&](const Node* each) {
    if (const auto* attribute = as<Attribute>(each);
        attribute != nullptr && attribute->name.text == "add_argument" && attribute->context == ExprContext::kLoad)
      declaring.push_back(attribute);
    const auto* call = as<Call>(each);
    if (call == nullptr || found) return;
    called.insert(call->callee);
    const std::string_view name = last_part_of(call->callee);
    const Reference callee = program_.resolve(function, *call->callee);
    if (callee.kind == Reference::Kind::kExternal)
      found = makes_flags(callee.name) || (is_given_parser(*call) && !callee.name.starts_with("argparse."));
    if (!is<Attribute>(call->callee)) return;
    const bool parses = name == "parse_args" || name == "parse_known_args";
    if (name == "add_argument") {
      has_computed = has_computed || has_computed_name(*call);
      found = found || has_filling_action(program_, function, *call);
    }
    found = found || (name == "set_defaults" && has_spread_keywords(*call)) ||
            (parses && (keyword_value(*call, "namespace") != nullptr || call->arguments.size() > 1));
  });
  // Under another name (`opt = group.add_argument`) it declares flags that are not seen.
  found = found || std::any_of(declaring.begin(), declaring.end(),
                               [&](const Attribute* attribute) { return !called.contains(attribute); });
  found = found || (has_computed && !reads_fields_of_dataclass(program_, function));
  return found || reads_foreign_parser(program_, function);
}

void ArgsSources::note_call(const Call& call, const Holder& holder, Use& use) const {
  const auto& [function, name] = holder;
  const auto is_it = [&](const Expr* value) { return name_of(value) == name; };
  const bool by_keyword =
      std::any_of(call.keywords.begin(), call.keywords.end(), [&](const Keyword* each) { return is_it(each->value); });
  if (!by_keyword && std::none_of(call.arguments.begin(), call.arguments.end(), is_it)) return;
  const auto targets = entered_by(program_, call);
  if (targets.empty()) use.hands_away = use.hands_away || !is_harmless(program_, call);
  const Signatures signatures(program_);
  for (const program::CallTarget* target : targets) {
    const auto signature = signatures.of_target(program_.calls()[program_.call_of(&call)], *target);
    if (!signature) {
      use.hands_away = true;
      continue;
    }
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const AcceptedParameter* parameter = is_it(call.arguments[i]) ? parameter_at(*signature, call, i) : nullptr;
      if (parameter != nullptr) use.handed_to.emplace_back(target->function, parameter->name);
    }
    for (const Keyword* each : call.keywords) {
      const AcceptedParameter* parameter = is_it(each->value) ? signature->find(each->name.text) : nullptr;
      if (parameter != nullptr) use.handed_to.emplace_back(target->function, parameter->name);
    }
  }
}

const ArgsSources::Use& ArgsSources::use_by(const Holder& holder) {
  const auto [known, is_new] = uses_.try_emplace(holder);
  Use& use = known->second;
  if (!is_new) return use;
  const Node& node = *program_.functions()[holder.first].node;
  use.fills = sets_computed_attributes(node, holder.second);
  walk_of<Call>(node, Nested::kEnter, [&](const Call* call) { note_call(*call, holder, use); });
  return use;
}

/// True if `first`, or a function that it hands the settings to, does `what`. What a search finds out of others on its
/// way is kept: each is searched from once.
bool ArgsSources::reaches(const Holder& first, bool Use::*what, Known& known) {
  std::map<Holder, Holder> came_from{{first, first}};
  std::vector<Holder> open{first};
  while (!open.empty()) {
    Holder holder = open.back();
    open.pop_back();
    const auto answer = known.find(holder);
    if (answer != known.end() && !answer->second) continue;
    if (answer != known.end() || use_by(holder).*what) {
      for (known[holder] = true; holder != first; known[holder] = true) holder = came_from.at(holder);
      return true;
    }
    for (const Holder& next : use_by(holder).handed_to) {
      if (came_from.try_emplace(next, holder).second) open.push_back(next);
    }
  }
  for (const auto& [holder, from] : came_from) known.try_emplace(holder, false);
  return false;
}

}  // namespace lockstep::rules
