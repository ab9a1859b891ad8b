#include "rules/settings/parser_sources.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/strings.h"
#include "program/resolve.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/attributes_of_class.h"
#include "rules/names/computed_attributes.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
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

bool parses(std::string_view method) {
  return method == "parse_args" || method == "parse_known_args" || method == "parse_intermixed_args" ||
         method == "parse_known_intermixed_args";
}

/// Methods of a parser that give a part of it: what is added to the part is added to the parser.
bool gives_part(std::string_view method) {
  return method == "add_argument_group" || method == "add_mutually_exclusive_group" || method == "add_subparsers" ||
         method == "add_parser";
}

/// What code does with parsers, by the last parts of the names that they have in it: `parser`, and names of which it
/// calls a parser's methods or to which it gives a parser.
class ParserNames {
 public:
  explicit ParserNames(const Node& node) {
    const auto note = [&](const Expr* expression) {
      if (is<Name>(expression) || is<Attribute>(expression)) names_.insert(last_part_of(expression));
    };
    walk(node, Nested::kEnter, [&](const Node* each) {
      if (const auto* call = as<Call>(each)) {
        const auto* method = as<Attribute>(call->callee);
        if (method == nullptr) return;
        const std::string_view name = method->name.text;
        if (name == "add_argument" || parses(name) || gives_part(name)) note(method->value);
      } else if (const auto* assign = as<Assign>(each)) {
        const auto* making = as<Call>(assign->value);
        const std::string_view made = making == nullptr ? std::string_view() : last_part_of(making->callee);
        if (made != "ArgumentParser" && !gives_part(made)) return;
        for (const Expr* target : assign->targets) note(target);
      }
    });
    names_.erase("self");
  }

  /// Some argument of the call is a parser, or a part of one.
  [[nodiscard]] bool is_given(const Call& call) const {
    const auto is_parser = [&](const Expr* argument) {
      const std::string_view name = last_part_of(argument);
      const bool is_plain = is<Name>(argument) || is<Attribute>(argument);
      return contains(to_lower(name), "parser") || (is_plain && names_.contains(name));
    };
    return std::any_of(call.arguments.begin(), call.arguments.end(), is_parser) ||
           std::any_of(call.keywords.begin(), call.keywords.end(),
                       [&](const Keyword* keyword) { return is_parser(keyword->value); });
  }

 private:
  std::unordered_set<std::string_view> names_;
};

/// The call declares a flag whose name the source does not show: `add_argument(f"--{role}-lr")`.
bool has_computed_name(const Call& call) {
  if (call.arguments.empty()) return has_spread_keywords(call);
  if (const Expr* dest = keyword_value(call, "dest"); dest != nullptr) return text_of(dest).empty();
  return std::any_of(call.arguments.begin(), call.arguments.end(),
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

/// A class of the repository with a base that may bring flags of its own.
bool has_foreign_base(const Program& program, ClassId cls) {
  const auto& above = program.classes()[cls].external_ancestors;
  return std::any_of(above.begin(), above.end(), [](const std::string& base) {
    return !base.starts_with("argparse.") && !base.starts_with("typing.") && !base.starts_with("abc.");
  });
}

/// `action=Pair`, a class of the repository that gives the settings attributes of computed names.
bool has_filling_action(const Program& program, FunctionId function, const Call& call) {
  const Expr* action = keyword_value(call, "action");
  const Reference named = action == nullptr ? Reference{} : program.resolve(function, *action);
  if (named.kind != Reference::Kind::kClass) return false;
  const FunctionId method = program.find_method(named.cls, "__call__");
  return method.valid() && sets_computed_attributes(*program.functions()[method].node, {});
}

/// The function declares or takes in settings whose names the source does not show.
bool has_open_flags(const Program& program, FunctionId function, const ParserNames& parsers) {
  const Node& node = *program.functions()[function].node;
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
    const Reference callee = program.resolve(function, *call->callee);
    if (callee.kind == Reference::Kind::kExternal)
      found = makes_flags(callee.name) || (parsers.is_given(*call) && !callee.name.starts_with("argparse."));
    if (!is<Attribute>(call->callee)) return;
    if (name == "add_argument") {
      has_computed = has_computed || has_computed_name(*call);
      found = found || has_filling_action(program, function, *call);
    }
    found = found || (name == "set_defaults" && has_spread_keywords(*call)) ||
            (parses(name) && (keyword_value(*call, "namespace") != nullptr || call->arguments.size() > 1));
  });
  // Under another name (`opt = group.add_argument`) it declares flags that are not seen.
  found = found || std::any_of(declaring.begin(), declaring.end(),
                               [&](const Attribute* attribute) { return !called.contains(attribute); });
  return found || (has_computed && !reads_fields_of_dataclass(program, function));
}

}  // namespace

std::vector<const program::CallTarget*> entered_by(const Program& program, const Call& call) {
  std::vector<const program::CallTarget*> entered;
  const program::CallId id = program.call_of(&call);
  if (!id.valid()) return entered;
  for (const program::CallTarget& target : program.calls()[id].targets) {
    if (target.function.valid() && target.kind != program::CallKind::kCallback) entered.push_back(&target);
  }
  return entered;
}

bool is_harmless(const Program& program, const Call& call) {
  if (const std::string_view name = name_of(call.callee); program::is_builtin(name)) return true;
  const program::CallId id = program.call_of(&call);
  return id.valid() && !program.calls()[id].targets.empty();
}

bool ParserSources::takes_flags_of_others(FunctionId getter) {
  const auto [known, is_new] = sets_computed_.try_emplace(getter);
  // A function that only reads the settings may set anything else by computed names; the getter may not.
  if (is_new) known->second = sets_computed_attributes(*program_.functions()[getter].node, {});
  return known->second || memory_.reaches({.function = getter}, [&](const Place& place, std::vector<Place>& next) {
    Step step = look(place);
    next = std::move(step.next);
    return step.is_open;
  });
}

ParserSources::Step ParserSources::look(const Place& place) {
  Step step;
  if (place.cls.valid()) {
    place.name.empty() ? members(place.cls, step) : field(place.cls, place.name, step);
  } else if (!place.name.empty()) {
    name(place.function, place.name, place.call, step);
  } else if (place.call != nullptr) {
    result(place.function, *place.call, step);
  } else {
    function(place.function, step);
  }
  return step;
}

/// What a function declares, to what it hands its parsers, and where it has those from whose command line it reads.
void ParserSources::function(FunctionId function, Step& step) {
  const program::Function& row = program_.functions()[function];
  const ParserNames parsers(*row.node);
  step.is_open = has_open_flags(program_, function, parsers) ||
                 (contains(row.name, "pars") && sets_computed_attributes(*row.node, {}));
  if (step.is_open) return;
  walk_of<Call>(*row.node, Nested::kEnter, [&](const Call* call) {
    const bool is_given = parsers.is_given(*call);
    const auto entered = entered_by(program_, *call);
    for (const program::CallTarget* target : entered) {
      const std::string_view name = program_.functions()[target->function].name;
      const bool leads_on = is_given || contains(name, "args") || contains(name, "argument") ||
                            contains(name, "pars") || contains(name, "flag") || contains(name, "option") ||
                            target->kind == program::CallKind::kConstructor;
      if (leads_on) step.next.push_back({.function = target->function});
    }
    if (!entered.empty()) return;
    const auto* method = as<Attribute>(call->callee);
    const std::string_view called = method == nullptr ? std::string_view() : std::string_view(method->name.text);
    // Nobody knows what `hook.add_arguments(parser)` adds. What a parser's own methods take is no parser to fill.
    const bool is_own = method != nullptr && (called == "add_argument" || gives_part(called) || parses(called));
    step.is_open = step.is_open || (is_given && !is_own && !is_harmless(program_, *call));
  });
  walk_of<Call>(*row.node, Nested::kSkip, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    if (method == nullptr || !entered_by(program_, *call).empty()) return;
    if (method->name.text == "add_parser") parents_of(function, *call, step);
    if (parses(method->name.text)) origin(function, method->value, nullptr, step);
  });
}

/// Where what `name` stands for in the function comes from.
void ParserSources::name(FunctionId function, std::string_view name, const Call* through, Step& step) {
  const program::Function& row = program_.functions()[function];
  const FileFacts& facts = *program_.modules()[row.module].facts;
  const auto scope = facts.scope_of_node.find(row.node);
  const ScopeNames& names = names_.of(row.module);
  const ScopeId home = scope == facts.scope_of_node.end() ? ScopeId() : names.find(scope->second, name);
  if (!home.valid()) {
    step.is_open = true;
    return;
  }
  // The scope of a function around it, or of the module: what else is done there with the parser counts too.
  FunctionId owner = function;
  while (owner.valid() && program_.functions()[owner].node != facts.scopes[home].node)
    owner = program_.functions()[owner].enclosing;
  if (!owner.valid() && home == ScopeId(0)) owner = program_.modules()[row.module].body;
  if (!owner.valid()) {
    step.is_open = true;
    return;
  }
  step.next.push_back({.function = owner});
  for (const Binding* binding : names.bindings(home, name)) {
    const auto* assign = as<Assign>(binding->owner);
    const auto* annotated = as<AnnAssign>(binding->owner);
    if (binding->kind == BindingKind::kParameter) {
      parameter(owner, name, owner == function ? through : nullptr, step);
    } else if (binding->kind == BindingKind::kAssign && assign != nullptr && is<Name>(binding->node)) {
      const bool is_plain = std::all_of(assign->targets.begin(), assign->targets.end(),
                                        [](const Expr* target) { return !is<Tuple>(target) && !is<List>(target); });
      origin(owner, is_plain ? assign->value : nullptr, owner == function ? through : nullptr, step);
    } else if (annotated != nullptr) {
      if (annotated->value != nullptr) origin(owner, annotated->value, nullptr, step);
    } else if (binding->kind == BindingKind::kImport) {
      const Reference named = program_.resolve(row.module, name);
      const bool is_ours = named.kind == Reference::Kind::kVariable && named.module.valid();
      step.is_open = step.is_open || !is_ours;
      if (is_ours) field_of_module(named, step);
    } else if (binding->kind != BindingKind::kDelete && binding->kind != BindingKind::kAnnotation) {
      step.is_open = true;
    }
  }
}

/// A parser that the function is given: by the call `through`, or by all of them.
void ParserSources::parameter(FunctionId function, std::string_view name, const Call* through, Step& step) {
  const program::Function& row = program_.functions()[function];
  if (row.owner.valid() && name == "self") {
    step.next.push_back({.cls = row.owner});
    return;
  }
  if (through != nullptr) return given(function, name, *through, step);
  const auto callers = program_.callers_of(function);
  step.is_open = step.is_open || callers.empty();
  for (const program::CallId id : callers) {
    const auto* call = as<Call>(program_.calls()[id].node);
    step.is_open = step.is_open || call == nullptr;
    if (call != nullptr) given(function, name, *call, step);
  }
}

/// What one call gives to a parameter of a function that it enters.
void ParserSources::given(FunctionId function, std::string_view name, const Call& call, Step& step) {
  const program::CallSite& site = program_.calls()[program_.call_of(&call)];
  const Signatures signatures(program_);
  for (const program::CallTarget& target : site.targets) {
    if (target.function != function) continue;
    const auto signature = signatures.of_target(site, target);
    const Given what = signature ? given_to(*signature, call, name) : Given{};
    if (what.how == Given::How::kValue) {
      step.next.push_back({.function = site.caller});
      origin(site.caller, what.value, nullptr, step);
    } else {
      step.is_open = step.is_open || what.how == Given::How::kUnknown;
    }
  }
}

/// What a call of a function or class of the repository gives.
void ParserSources::result(FunctionId function, const Call& call, Step& step) {
  const Reference made = program_.resolve(function, *call.callee);
  if (made.kind == Reference::Kind::kExternal) {
    step.is_open = !made.name.starts_with("argparse.");
    return parents_of(function, call, step);
  }
  const auto entered = entered_by(program_, call);
  if (made.kind == Reference::Kind::kClass) {
    step.is_open = has_foreign_base(program_, made.cls);
    parents_of(function, call, step);
    for (const program::CallTarget* target : entered) step.next.push_back({.function = target->function});
    return;
  }
  const auto* method = as<Attribute>(call.callee);
  if (entered.empty() && method != nullptr && gives_part(method->name.text))
    return origin(function, method->value, nullptr, step);
  step.is_open = entered.empty();
  for (const program::CallTarget* target : entered) {
    step.next.push_back({.function = target->function});
    walk_of<Return>(*program_.functions()[target->function].node, Nested::kSkip, [&](const Return* back) {
      if (back->value != nullptr) origin(target->function, back->value, &call, step);
    });
  }
}

/// Where the value of an expression comes from; null for one that is not known.
void ParserSources::origin(FunctionId function, const Expr* made, const Call* through, Step& step) {
  if (const auto* call = as<Call>(made)) {
    step.next.push_back({.function = function, .call = call});
  } else if (const std::string_view called = name_of(made); !called.empty()) {
    step.next.push_back({.function = function, .name = called, .call = through});
  } else if (const std::string_view part = self_attribute(made); !part.empty()) {
    const ClassId owner = program_.functions()[function].owner;
    step.is_open = step.is_open || !owner.valid();
    if (owner.valid()) step.next.push_back({.name = part, .cls = owner});
  } else if (const auto* choice = as<IfExp>(made)) {
    origin(function, choice->body, through, step);
    origin(function, choice->orelse, through, step);
  } else if (const auto* either = as<BoolOp>(made)) {
    for (const Expr* value : either->values) origin(function, value, through, step);
  } else if (const Reference named = made == nullptr ? Reference{} : program_.resolve(function, *made);
             named.kind == Reference::Kind::kVariable && named.module.valid()) {
    field_of_module(named, step);
  } else {
    step.is_open = step.is_open || !is_none(made);
  }
}

/// A parser that is a variable of a module of the repository.
void ParserSources::field_of_module(const Reference& named, Step& step) {
  const program::Module& module = program_.modules()[named.module];
  const auto& bindings = names_.of(named.module).bindings(ScopeId(0), named.name);
  step.is_open = step.is_open || bindings.empty();
  if (!bindings.empty()) step.next.push_back({.function = module.body, .name = bindings.front()->name});
}

/// `ArgumentParser(parents=[common])`: their flags are its own.
void ParserSources::parents_of(FunctionId function, const Call& call, Step& step) {
  const Expr* parents = keyword_value(call, "parents");
  step.is_open = step.is_open || has_spread_keywords(call);
  const auto* list = as<List>(parents);
  const auto* tuple = as<Tuple>(parents);
  if (parents == nullptr) return;
  step.is_open = step.is_open || (list == nullptr && tuple == nullptr);
  for (const Expr* each : list != nullptr ? list->elements : tuple != nullptr ? tuple->elements : Seq<Expr>())
    origin(function, each, nullptr, step);
}

/// All methods of the classes that the object may be of: each may do something with it.
void ParserSources::members(ClassId owner, Step& step) {
  const ClassFamily family(program_, owner);
  for (const ClassId cls : family.members()) {
    step.is_open = step.is_open || has_foreign_base(program_, cls);
    for (const FunctionId method : program_.classes()[cls].methods) step.next.push_back({.function = method});
  }
}

/// A parser that the object keeps: what its methods give the field.
void ParserSources::field(ClassId owner, std::string_view name, Step& step) {
  bool is_set = false;
  step.next.push_back({.cls = owner});
  const ClassFamily family(program_, owner);
  for (const ClassId cls : family.members()) {
    for (const FieldValues::Given& given : fields_.of(cls, name)) {
      is_set = true;
      origin(given.by, given.value, nullptr, step);
    }
  }
  step.is_open = step.is_open || !is_set;
}

}  // namespace lockstep::rules
