#include "report/ways/conditions/settings_behind.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/given_arguments.h"
#include "report/source/held_settings.h"
#include "report/source/variable_setters.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;

namespace {

constexpr std::size_t kMostOpen = 12;     // Values that are asked for on the way to one setting.
constexpr std::size_t kMostCallers = 12;  // Calls of one function.

void add_all(const std::vector<ReadSetting>& from, std::vector<ReadSetting>& out) {
  for (const ReadSetting& one : from) {
    if (std::none_of(out.begin(), out.end(), [&](const ReadSetting& known) { return known.name == one.name; }))
      out.push_back(one);
  }
}

/// None, False, 0, 1, an empty text or container: what is there until something is given.
bool is_idle(const Expr& value) {
  if (const auto* constant = as<Constant>(&value))
    return rules::is_none(&value) || rules::is_false(&value) || constant->text == "0" || constant->text == "1" ||
           (constant->constant_kind == ConstantKind::kStr && rules::text_of(&value).empty());
  if (const auto* list = as<List>(&value)) return list->elements.empty();
  if (const auto* tuple = as<Tuple>(&value)) return tuple->elements.empty();
  if (const auto* dict = as<Dict>(&value)) return dict->values.empty();
  return false;
}

/// The settings of a dimension of the mesh, by what the names of its groups hold. Megatron-LM's and torchtitan's.
struct Dimension {
  std::string_view word;        ///< As a part of a name: `cp_group`.
  std::string_view whole_word;  ///< `get_context_parallel_group`.
  std::string_view settings[2];
};
constexpr Dimension kDimensions[] = {
    {"tp", "tensor", {"tensor_model_parallel_size", "tensor_parallel_degree"}},
    {"pp", "pipeline", {"pipeline_model_parallel_size", "pipeline_parallel_degree"}},
    {"cp", "context", {"context_parallel_size", "context_parallel_degree"}},
    {"ep", "expert", {"expert_model_parallel_size", "expert_parallel_degree"}},
};
constexpr Dimension kExpertTensor = {"etp", "", {"expert_tensor_parallel_size", "expert_tensor_parallel_degree"}};

/// The one dimension that the name of a group, or of a function that gives one, speaks of; null for none or several.
const Dimension* dimension_of(std::string_view name) {
  std::vector<const Dimension*> found;
  bool is_other = false;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    const std::string_view word = name.substr(at, end - at);
    at = end + 1;
    is_other = is_other || word == "dp" || word == "data" || word == "hybrid" || word == "embd";
    if (word == "etp" || word == "expt") found.push_back(&kExpertTensor);
    for (const Dimension& one : kDimensions) {
      if (word == one.word || word == one.whole_word) found.push_back(&one);
    }
  }
  // `expt_tp_group`: of the experts' own.
  if (found.size() == 2 && found[0] == &kExpertTensor && found[1] == &kDimensions[0]) found.pop_back();
  return is_other || found.size() != 1 ? nullptr : found.front();
}

/// The last name of a chain of names, or of what is called: `cp` of `self.pg_collection.cp`.
std::string_view last_name(const Expr& expression) {
  if (const auto* attribute = as<Attribute>(&expression)) return attribute->name.text;
  if (const auto* call = as<Call>(&expression)) return last_name(*call->callee);
  return rules::name_of(&expression);
}

/// The class whose field says how many ranks a dimension has, by the field: of several that have one of that name the
/// one that has the most of them (a configuration of the whole mesh), none where two have as many.
std::map<std::string_view, ClassId> classes_of_sizes(const program::Program& program) {
  std::map<std::string_view, std::pair<std::size_t, ClassId>> best;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const ClassId id(i);
    const program::Class& cls = program.classes()[id];
    if (program::is_test_path(program.module_of(id).path)) continue;
    std::vector<std::string_view> own;
    const auto look = [&](const Dimension& dimension) {
      for (const std::string_view setting : dimension.settings) {
        if (std::any_of(cls.fields.begin(), cls.fields.end(),
                        [&](const program::Field& field) { return field.in_class_body && field.name == setting; }))
          own.push_back(setting);
      }
    };
    for (const Dimension& dimension : kDimensions) look(dimension);
    look(kExpertTensor);
    for (const std::string_view setting : own) {
      auto& known = best[setting];
      if (own.size() > known.first) {
        known = {own.size(), id};
      } else if (own.size() == known.first) {
        known.second = ClassId();
      }
    }
  }
  std::map<std::string_view, ClassId> out;
  for (const auto& [setting, found] : best) out.emplace(setting, found.second);
  return out;
}

/// An assignment to a plain name.
struct Binding {
  const Expr* value;
  Span place;
};

/// `x` of `x > 1`, `x != 1`, `x >= 2` and `x > 0`, and of `x == 1` and `x <= 1` where that has not to hold; null for
/// others.
const Expr* asked_to_be_more(const Expr& condition, bool wanted) {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return nullptr;
  const auto* than = as<Constant>(compare->comparators.front());
  const CompareOperator op = compare->ops.front();
  const bool is_more = op == CompareOperator::kGt || op == CompareOperator::kNotEq;
  if (than == nullptr) return nullptr;
  const bool is_asked = wanted ? (is_more && (than->text == "1" || than->text == "0")) ||
                                     (op == CompareOperator::kGtE && than->text == "2")
                               : (op == CompareOperator::kEq || op == CompareOperator::kLtE) && than->text == "1";
  return is_asked ? compare->left : nullptr;
}

/// The assignments of the function whose only target `is_target` wants.
template <class IsTarget>
std::vector<Binding> assigned_in(const FunctionDef& def, IsTarget&& is_target) {
  std::vector<Binding> out;
  walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
    if (const auto* assign = as<Assign>(statement)) {
      if (assign->targets.size() == 1 && is_target(assign->targets[0])) out.push_back({assign->value, assign->span});
    } else if (const auto* annotated = as<AnnAssign>(statement)) {
      if (annotated->value != nullptr && is_target(annotated->target))
        out.push_back({annotated->value, annotated->span});
    }
  });
  return out;
}

/// All that gives the local a value; nothing where something else than assignments to the plain name does.
std::vector<Binding> bindings_of(const FunctionDef& def, std::string_view name) {
  std::vector<Binding> out = assigned_in(def, [&](const Expr* target) { return rules::name_of(target) == name; });
  return out.size() == rules::bindings_of(def, name, Nested::kEnter) ? out : std::vector<Binding>();
}

}  // namespace

SettingsBehind::Settings SettingsBehind::for_group_size(FunctionId function, const Call& call) const {
  const std::string_view callee = last_name(*call.callee);
  std::string_view group;
  const Expr* given = nullptr;
  if (callee.starts_with("get_") && callee.ends_with("_parallel_world_size")) {
    group = callee;
  } else if (callee == "size" && call.arguments.empty() && is<Attribute>(call.callee)) {
    given = as<Attribute>(call.callee)->value;
  } else if (callee == "get_pg_size" || callee == "get_world_size") {
    given = call.arguments.empty() ? rules::keyword_value(call, "group") : call.arguments.front();
  }
  if (given != nullptr) group = last_name(*given);
  const Dimension* dimension = dimension_of(group);
  // A local whose name says nothing, and that holds one group: `group = get_context_parallel_group()`.
  const FunctionDef* def = program_.functions()[function].def();
  if (dimension == nullptr && given != nullptr && def != nullptr && is<Name>(given)) {
    const std::vector<Binding> held = bindings_of(*def, group);
    if (held.size() == 1) dimension = dimension_of(last_name(*held.front().value));
  }
  if (dimension == nullptr) return {};
  if (!sizes_) sizes_ = classes_of_sizes(program_);
  for (const std::string_view setting : dimension->settings) {
    if (const auto found = sizes_->find(setting); found != sizes_->end()) return {{setting, found->second}};
  }
  return {};
}

SettingsBehind::Settings SettingsBehind::for_returned(const Call& call) const {
  const program::CallId id = program_.call_of(&call);
  if (!id.valid() || program_.calls()[id].targets.size() != 1) return {};
  const FunctionId function = program_.calls()[id].targets.front().function;
  const FunctionDef* def = function.valid() ? program_.functions()[function].def() : nullptr;
  if (def == nullptr) return {};
  // One that does more than to answer is none of these.
  const Return* only = nullptr;
  bool does_more = false;
  walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
    const auto* back = as<Return>(statement);
    const auto* text = as<ExprStmt>(statement);
    const bool is_docstring = text != nullptr && is<Constant>(text->value);
    const auto* assign = as<Assign>(statement);
    const bool names = assign != nullptr && assign->targets.size() == 1 && is<Name>(assign->targets.front());
    does_more = does_more || (back == nullptr ? !is_docstring && !names : only != nullptr);
    if (back != nullptr) only = back;
  });
  return does_more || only == nullptr || only->value == nullptr ? Settings() : asked_.of(function, *only->value, true);
}

SettingsBehind::Settings SettingsBehind::for_variable_behind(const Call& call, Open& open) const {
  const program::CallId id = program_.call_of(&call);
  if (!id.valid() || program_.calls()[id].targets.size() != 1) return {};
  const FunctionId getter = program_.calls()[id].targets.front().function;
  const FunctionDef* def = getter.valid() ? program_.functions()[getter].def() : nullptr;
  const auto* only = def == nullptr || def->body.empty() ? nullptr : as<Return>(def->body.back());
  const std::string_view name =
      only == nullptr || only->value == nullptr ? std::string_view() : rules::name_of(only->value);
  const bool is_plain =
      def != nullptr && std::all_of(def->body.begin(), def->body.end(), [&](const Stmt* statement) {
        const auto* text = as<ExprStmt>(statement);
        return statement == only || is<Global>(statement) || (text != nullptr && is<Constant>(text->value));
      });
  if (name.empty() || !is_plain || rules::parameter_named(def, name) != nullptr || rules::binds_name(*def, name))
    return {};
  Settings out;
  for (const FunctionId setter : setters_of_variable(program_, program_.functions()[getter].module, name)) {
    const FunctionDef* sets = program_.functions()[setter].def();
    for (const Binding& one : assigned_in(*sets, [&](const Expr* target) { return rules::name_of(target) == name; })) {
      if (is_idle(*one.value)) continue;
      const Settings behind = for_value(setter, *one.value, open);
      if (behind.empty()) return {};
      add_all(behind, out);
    }
  }
  return out;
}

std::vector<SettingBehind> SettingsBehind::of(FunctionId function, const Expr& condition, bool negated) const {
  if (!function.valid()) return {};
  std::vector<const Expr*> parts = {&condition};
  const auto* both = as<BoolOp>(&condition);
  if (both != nullptr && (both->op == BoolOperator::kAnd) != negated)
    parts.assign(both->values.begin(), both->values.end());
  const Settings read = asked_.of(function, condition, false);
  std::vector<SettingBehind> out;
  for (const Expr* part : parts) {
    Open open;
    for (const ReadSetting& one : for_condition(function, *part, !negated, open)) {
      const auto is_known = [&](const auto& all, const auto& name) {
        return std::any_of(all.begin(), all.end(), [&](const auto& known) { return name(known) == one.name; });
      };
      if (!is_known(read, [](const ReadSetting& known) { return known.name; }) &&
          !is_known(out, [](const SettingBehind& known) { return known.setting.name; }))
        out.push_back({one, part, negated});
    }
  }
  return out;
}

SettingsBehind::Settings SettingsBehind::for_condition(FunctionId function, const Expr& condition, bool wanted,
                                                       Open& open) const {
  if (const auto* inverse = as<UnaryOp>(&condition); inverse != nullptr && inverse->op == UnaryOperator::kNot)
    return for_condition(function, *inverse->operand, !wanted, open);
  if (const auto* both = as<BoolOp>(&condition)) {
    // All parts have to hold, or all not: each of them says something.
    if ((both->op == BoolOperator::kAnd) != wanted) return {};
    Settings out;
    for (const Expr* part : both->values) add_all(for_condition(function, *part, wanted, open), out);
    return out;
  }
  if (const auto test = rules::none_test(condition))
    return test->is_none != wanted ? for_value(function, *test->subject, open) : Settings();
  // What a function gives is one of its values.
  if (const auto* compare = as<Compare>(&condition);
      compare != nullptr && compare->ops.size() == 1 && is<Call>(compare->left) &&
      !rules::text_of(compare->comparators.front()).empty() &&
      compare->ops.front() == (wanted ? CompareOperator::kEq : CompareOperator::kNotEq))
    return for_variable_behind(*as<Call>(compare->left), open);
  if (const Expr* counted = asked_to_be_more(condition, wanted)) return for_value(function, *counted, open);
  return wanted ? for_value(function, condition, open) : Settings();
}

SettingsBehind::Settings SettingsBehind::for_value(FunctionId function, const Expr& value, Open& open) const {
  if (Settings read = asked_.of_value(function, value, false); !read.empty()) return read;
  if (is<BoolOp>(&value) || is<UnaryOp>(&value) || is<Compare>(&value)) {
    // `x = a is not None and b` is true where its parts are.
    const auto* both = as<BoolOp>(&value);
    const bool is_test = both != nullptr || rules::none_test(value).has_value() || is<UnaryOp>(&value);
    return is_test ? for_condition(function, value, true, open) : Settings();
  }
  // `group.size() if group is not None else 1`: what is not idle needs its arm, and what its arm asks for.
  if (const auto* choice = as<IfExp>(&value)) {
    Settings out;
    for (const auto& [arm, wanted] : {std::pair<const Expr*, bool>(choice->body, true), {choice->orelse, false}}) {
      if (is_idle(*arm)) continue;
      Settings under = for_condition(function, *choice->condition, wanted, open);
      add_all(for_value(function, *arm, open), under);
      if (under.empty()) return {};
      add_all(under, out);
    }
    return out;
  }
  if (const auto* call = as<Call>(&value)) {
    if (Settings size = for_group_size(function, *call); !size.empty()) return size;
    Settings returned = for_returned(*call);
    return returned.empty() ? for_variable_behind(*call, open) : returned;
  }
  if (const std::string_view name = rules::name_of(&value); !name.empty()) return for_name(function, name, open);
  if (const std::string_view name = rules::self_attribute(&value); !name.empty())
    return for_attribute(function, name, open);
  return {};
}

SettingsBehind::Settings SettingsBehind::for_name(FunctionId function, std::string_view name, Open& open) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr || open.size() >= kMostOpen || !open.emplace(function.value, name).second) return {};
  const Parameter* parameter = rules::parameter_named(def, name);
  if (parameter != nullptr) {
    return rules::binds_name(*def, name) ? Settings() : for_parameter(function, *def, *parameter, open);
  }
  Settings out;
  for (const Binding& one : bindings_of(*def, name)) {
    if (is_idle(*one.value)) continue;
    Settings under = for_place(function, one.place, open);
    add_all(for_value(function, *one.value, open), under);
    if (under.empty()) return {};
    add_all(under, out);
  }
  return out;
}

SettingsBehind::Settings SettingsBehind::for_parameter(FunctionId function, const FunctionDef& def,
                                                       const Parameter& parameter, Open& open) const {
  const std::string_view name = parameter.name.text;
  if (parameter.parameter_kind == Parameter::Kind::kVarArgs ||
      parameter.parameter_kind == Parameter::Kind::kVarKeywords || !def.decorators.empty())
    return {};
  Settings out;
  std::size_t looked = 0;
  for (const program::CallId id : program_.callers_of(function)) {
    const program::CallSite& site = program_.calls()[id];
    if (program::is_test_path(program_.module_of(site.caller).path)) continue;
    if (++looked > kMostCallers) return {};
    const rules::Given given = given_by(program_, site, function, name);
    // What `**options` holds, nobody can say; it hardly is another switch.
    if (given.how == rules::Given::How::kUnknown) continue;
    const Expr* value = given.how == rules::Given::How::kValue ? given.value : parameter.default_value;
    if (value == nullptr) return {};
    if (is_idle(*value)) continue;
    const Settings behind = for_value(site.caller, *value, open);
    if (behind.empty()) return {};
    add_all(behind, out);
  }
  return out;
}

SettingsBehind::Settings SettingsBehind::for_attribute(FunctionId function, std::string_view name, Open& open) const {
  const ClassId owner = program_.functions()[function].owner;
  if (!owner.valid() || open.size() >= kMostOpen || !open.emplace(owner.value, name).second) return {};
  Settings out;
  for (const ClassId id : program_.classes()[owner].linearized) {
    const program::Class& cls = program_.classes()[id];
    std::size_t seen = 0;
    for (const FunctionId method : cls.methods) {
      const FunctionDef* def = program_.functions()[method].def();
      if (def == nullptr) continue;
      const std::vector<Binding> given =
          assigned_in(*def, [&](const Expr* target) { return rules::self_attribute(target) == name; });
      seen += given.size();
      for (const Binding& one : given) {
        if (is_idle(*one.value)) continue;
        Settings under = for_place(method, one.place, open);
        add_all(for_value(method, *one.value, open), under);
        if (under.empty()) under = for_calls(method, open);
        if (under.empty()) return {};
        add_all(under, out);
      }
    }
    // Something else gives it a value, too.
    if (seen != times_set(cls, name)) return {};
  }
  return out;
}

SettingsBehind::Settings SettingsBehind::for_place(FunctionId function, Span place, Open& open) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr) return {};
  Settings out;
  for (const Guard& guard : guards_of(*def, place)) {
    if (guard.condition == nullptr) continue;
    if (!guard.negated) add_all(asked_.of(function, *guard.condition, true), out);
    add_all(for_condition(function, *guard.condition, !guard.negated, open), out);
  }
  return out;
}

SettingsBehind::Settings SettingsBehind::for_calls(FunctionId function, Open& open) const {
  const program::Function& row = program_.functions()[function];
  if (row.name == "__init__" || row.def() == nullptr || !row.def()->decorators.empty() || open.size() >= kMostOpen)
    return {};
  Settings out;
  std::size_t looked = 0;
  for (const program::CallId id : program_.callers_of(function)) {
    const program::CallSite& site = program_.calls()[id];
    if (program::is_test_path(program_.module_of(site.caller).path)) continue;
    const FunctionDef* caller = program_.functions()[site.caller].def();
    if (++looked > kMostCallers || site.node == nullptr || caller == nullptr) return {};
    Settings under;
    for (const Guard& guard : guards_of(*caller, site.node->span)) {
      if (guard.condition != nullptr && !guard.negated) {
        add_all(asked_.of(site.caller, *guard.condition, true), under);
        add_all(for_condition(site.caller, *guard.condition, true, open), under);
      }
    }
    if (under.empty()) return {};
    add_all(under, out);
  }
  return out;
}

}  // namespace lockstep::report
