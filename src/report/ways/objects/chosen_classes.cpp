#include "report/ways/objects/chosen_classes.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/local_values.h"
#include "report/source/registration.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/objects/class_uses.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// Parameters of the function, not bound anew, that an expression reads.
void add_parameters(const FunctionDef& function, const Node& expression, std::set<std::string_view>& out) {
  const auto* name = as<Name>(&expression);
  if (name != nullptr && rules::parameter_named(&function, name->id) != nullptr &&
      !rules::binds_name(function, name->id))
    out.insert(name->id);
  for_each_child(expression, [&](const Node* child) { add_parameters(function, *child, out); });
}

/// Whether all that an expression reads is this name: no attribute, no call.
bool reads_only(const Node& expression, std::string_view name) {
  bool out = !is<Attribute>(&expression) && !is<Call>(&expression) && !is<Subscript>(&expression);
  if (const auto* read = as<Name>(&expression)) out = read->id == name;
  for_each_child(expression, [&](const Node* child) { out = out && reads_only(*child, name); });
  return out;
}

/// `flag` for `flag` and `config.flag` alike; of others the text.
std::string subject_of(const Program& program, const ChoosingPlace& place) {
  const Expr* condition = place.guard.condition;
  bool negated = place.guard.negated;
  while (const auto* opposite = as<UnaryOp>(condition)) {
    if (opposite->op != UnaryOperator::kNot) break;
    condition = opposite->operand;
    negated = !negated;
  }
  const bool is_plain = is<Name>(condition) || is<Attribute>(condition);
  return std::string(negated ? "not " : "") + place.setting +
         (is_plain ? std::string() : one_line_whole(source_of(program, place.function), *condition));
}

/// Whether two places stand under the same condition on one setting.
bool is_same_condition(const Program& program, const ChoosingPlace& one, const ChoosingPlace& other) {
  const bool may_be_one =
      one.declared_by == other.declared_by || !one.declared_by.valid() || !other.declared_by.valid();
  return may_be_one && subject_of(program, one) == subject_of(program, other);
}

/// Whether configurations declare a setting of that name with different defaults.
bool declared_differently(const Program& program, std::string_view name) {
  std::set<std::string_view> defaults;
  for (const program::Class& cls : program.classes()) {
    const bool is_configuration = cls.is_dataclass || cls.name.ends_with("Config") || cls.name.ends_with("Args");
    if (!is_configuration || program::is_test_path(program.modules()[cls.module].path)) continue;
    const SourceText& source = program.modules()[cls.module].facts->source();
    for (const program::Field& field : cls.fields) {
      if (field.name != name || !field.in_class_body) continue;
      defaults.insert(field.default_value == nullptr ? std::string_view() : source.slice(field.default_value->span));
    }
  }
  return defaults.size() > 1;
}

/// Of the places that share a condition, one of those that stand nearest to the top of the repository.
const ChoosingPlace& outermost(const Program& program, const std::vector<std::vector<ChoosingPlace>>& uses,
                               const ChoosingPlace& shared) {
  const ChoosingPlace* best = nullptr;
  std::ptrdiff_t depth_of_best = 0;
  for (const std::vector<ChoosingPlace>& places : uses) {
    const auto place = std::find_if(places.begin(), places.end(),
                                    [&](const ChoosingPlace& one) { return is_same_condition(program, one, shared); });
    const std::string& path = program.module_of(place->function).path;
    const std::ptrdiff_t depth = std::count(path.begin(), path.end(), '/');
    if (best != nullptr && depth >= depth_of_best) continue;
    best = &*place;
    depth_of_best = depth;
  }
  return *best;
}

/// `if isinstance(x, Layer): x = Layer(x)`: where there was an object before.
bool replaces_one(const Program& program, const ClassUse& use, const std::vector<ClassId>& classes) {
  const FunctionDef* def = program.functions()[use.function].def();
  if (def == nullptr) return false;
  const std::vector<Guard> guards = taken_apart(guards_of(*def, use.node->span));
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    const auto* asked = as<Call>(guard.condition);
    if (asked == nullptr || guard.negated || rules::name_of(asked->callee) != "isinstance" ||
        asked->arguments.size() != 2)
      return false;
    // Of several classes it may be of one whose objects come from elsewhere.
    const Expr* of = asked->arguments[1];
    const std::string_view name = is<Call>(of) ? std::string_view() : rules::last_part_of(of);
    return std::any_of(classes.begin(), classes.end(),
                       [&](ClassId cls) { return program.classes()[cls].name == name; });
  });
}

/// Whether the name stands among others: `[Layer, WideLayer]` may well be what objects are held against.
bool is_one_of_list(const Program& program, const ClassUse& use) {
  const std::vector<const Node*> around = chain_to(program.modules()[use.module].facts->tree(), use.node->span);
  if (around.empty()) return false;
  const auto* list = as<python::List>(around.back());
  const auto* tuple = as<python::Tuple>(around.back());
  return (list != nullptr && list->elements.size() > 1) || (tuple != nullptr && tuple->elements.size() > 1);
}

}  // namespace

bool runs_on_object(const Program& program, FunctionId function) {
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr || !program.functions()[function].owner.valid() || def->name.text == "__new__") return false;
  return std::none_of(def->decorators.begin(), def->decorators.end(), [](const Expr* one) {
    const std::string_view name = rules::last_part_of(one);
    return name == "staticmethod" || name == "classmethod";
  });
}

/// Whether the setting is declared anywhere. Of several declarations that differ it is not told which one counts.
bool ChosenClasses::declare(ReadSetting setting, ChoosingPlace& place) {
  const auto [known, is_new] = declared_.try_emplace({setting.name, setting.declared_by.value});
  Flag& flag = known->second;
  if (is_new) {
    if (!declarations_) declarations_.emplace(program_);
    flag.name = setting.name;
    if (setting.declared_by.valid()) declarations_->fill_from_field(flag, setting.declared_by);
    declarations_->declare(flag);
  }
  const auto [differing, is_first] = differing_.try_emplace(setting.name, false);
  if (is_first) differing->second = declared_differently(program_, setting.name);
  const bool is_sure = setting.declared_by.valid() || !differing->second;
  place.setting = setting.name;
  place.declared_by = setting.declared_by;
  place.setting_place = is_sure ? flag.place : std::string();
  place.setting_default = is_sure && flag.argument_default.empty() ? flag.default_value : std::string();
  return !flag.place.empty();
}

std::optional<bool> ChosenClasses::holds(const ChoosingPlace& place) {
  if (!defaults_) defaults_.emplace(program_);
  const Value value = place.setting_place.empty() ? Value()
                      : !place.declared_by.valid()
                          ? defaults_->value_of_name(place.setting)
                          : Defaults::declared_by(program_.classes()[place.declared_by], place.setting);
  if (value.kind == Value::Kind::kUnknown) return std::nullopt;
  const auto result = holds_with(*place.guard.condition, [&](const Expr& part) -> Value {
    if (!place.parameter.empty()) return rules::name_of(&part) == place.parameter ? value : Value();
    const std::vector<ReadSetting> read = is<Name>(&part) || is<Attribute>(&part) || is<Call>(&part)
                                              ? settings_read(program_, place.function, part)
                                              : std::vector<ReadSetting>();
    return read.size() == 1 && read.front().name == place.setting ? value : Value();
  });
  if (!result) return std::nullopt;
  return *result != place.guard.negated;
}

/// What one condition makes of a setting: nothing where it reads none, or several.
void ChosenClasses::add_choosing(FunctionId function, const Guard& guard, std::vector<ChoosingPlace>& out) {
  const FunctionDef* def = program_.functions()[function].def();
  if (guard.condition == nullptr || def == nullptr || is<While>(guard.statement)) return;
  if (rules::calls_name(*guard.condition, "isinstance") || rules::calls_name(*guard.condition, "hasattr")) return;
  ChoosingPlace place;
  place.function = function;
  place.guard = guard;
  const std::vector<ReadSetting> read = settings_read(program_, function, *guard.condition);
  if (read.size() == 1) {
    if (!declare(read.front(), place)) return;
    place.holds = holds(place);
    out.push_back(place);
    return;
  }
  if (!read.empty()) return;
  std::set<std::string_view> parameters;
  add_parameters(*def, *guard.condition, parameters);
  if (parameters.size() != 1 || !reads_only(*guard.condition, *parameters.begin())) return;
  place.parameter = *parameters.begin();
  const auto [known, is_new] = given_to_.try_emplace({function.value, place.parameter});
  if (is_new) known->second = given_.of(function, place.parameter);
  const GivenValues& given = known->second;
  if (given.has_others || given.settings.size() != 1) return;
  // Who gives a value of its own with which the condition holds asks no setting.
  const bool is_open = std::any_of(given.constants.begin(), given.constants.end(), [&](const Expr* constant) {
    const auto result = holds_with(*guard.condition, [&](const Expr& part) {
      return rules::name_of(&part) == place.parameter ? value_of(constant) : Value();
    });
    return !result || *result != guard.negated;
  });
  if (is_open) return;
  if (!declare(given.settings.front(), place)) return;
  place.holds = holds(place);
  out.push_back(place);
}

/// The conditions on settings around what names a class, those that do not hold by default first, then the innermost.
const std::vector<ChoosingPlace>& ChosenClasses::places_of(FunctionId function, const Node& node) {
  const auto [known, is_new] = choosing_.try_emplace(&node);
  if (!is_new) return known->second;
  std::vector<ChoosingPlace> found;
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr) return known->second;
  for (const Guard& guard : taken_apart(guards_of(*def, node.span))) {
    add_choosing(function, guard, found);
    const Expr* held = only_value_of(*def, rules::name_of(guard.condition));
    if (held == nullptr) continue;
    for (const Guard& inner : taken_apart({{guard.statement, held, guard.negated}}))
      add_choosing(function, inner, found);
  }
  for (ChoosingPlace& place : found) place.node = &node;
  std::reverse(found.begin(), found.end());
  std::stable_sort(found.begin(), found.end(), [](const ChoosingPlace& a, const ChoosingPlace& b) {
    return a.holds.value_or(true) < b.holds.value_or(true);
  });
  return known->second = std::move(found);
}

std::vector<std::vector<ChoosingPlace>> ChosenClasses::places_around(FunctionId function, const Node& node, int depth) {
  constexpr std::size_t kMostCalls = 4;
  if (const std::vector<ChoosingPlace>& own = places_of(function, node); !own.empty()) return {own};
  const program::Function& around = program_.functions()[function];
  if (depth == 0 || around.def() == nullptr || around.owner.valid() || around.enclosing.valid()) return {};
  if (!unseen_) unseen_.emplace(program_);
  if (unseen_->may_call(function)) return {};
  std::vector<std::vector<ChoosingPlace>> out;
  std::size_t calls = 0;
  for (const program::CallId id : program_.callers_of(function)) {
    const program::CallSite& site = program_.calls()[id];
    if (program::is_test_path(program_.module_of(site.caller).path)) continue;
    if (++calls > kMostCalls) return {};
    std::vector<std::vector<ChoosingPlace>> places = places_around(site.caller, *site.node, depth - 1);
    if (places.empty()) return {};
    std::move(places.begin(), places.end(), std::back_inserter(out));
  }
  return out;
}

bool ChosenClasses::may_be_configured(const std::vector<ClassId>& classes) {
  if (!look_up_) look_up_ = look_up_by_name(program_);
  if (files_ == nullptr || *look_up_ == LookUp::kNone) return *look_up_ == LookUp::kLibrary;
  if (!configurations_) configurations_ = configuration_files(files_, FilesOf::kOthers);
  return std::any_of(configurations_->begin(), configurations_->end(), [&](const ConfigurationFile& file) {
    return std::any_of(classes.begin(), classes.end(), [&](ClassId cls) {
      return find_name(file.text, program_.classes()[cls].name) != std::string_view::npos;
    });
  });
}

/// Whether objects may come from where no name of the class shows: a decorator or a base class keeps it, a module
/// imports it under another name, or code looks classes up by names that a configuration holds.
bool ChosenClasses::is_met_otherwise(const std::vector<ClassId>& classes) {
  if (may_be_configured(classes)) return true;
  const Registration registration(program_);
  if (!unseen_) unseen_.emplace(program_);
  return std::any_of(classes.begin(), classes.end(), [&](ClassId cls) {
    const program::Class& it = program_.classes()[cls];
    if (registration.is_handed_on(it.module, *it.node) || registration.is_collected(cls) ||
        unseen_->may_look_up(it.module, it.name) || unseen_->may_list(cls))
      return true;
    return std::any_of(program_.modules().begin(), program_.modules().end(), [&](const program::Module& module) {
      const auto& imports = module.facts->imports;
      return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& imported) {
        return imported.name == it.name && imported.bound_as != it.name && !program::is_test_path(module.path);
      });
    });
  });
}

std::optional<ChosenClass> ChosenClasses::of(ClassId cls) {
  const auto [known, is_new] = known_.try_emplace(cls.value);
  if (!is_new) return known->second;
  constexpr std::size_t kMostClasses = 6;
  constexpr std::size_t kMostChoosing = 2;
  const std::vector<ClassId> classes = program::with_descendants(program_, cls);
  if (classes.size() > kMostClasses || program_.classes()[cls].enclosing.valid()) return std::nullopt;
  constexpr std::size_t kMostFree = 2;
  constexpr int kMostCallers = 3;
  std::vector<std::vector<ChoosingPlace>> uses;
  ChosenClass out{cls, {}, 0, {}};
  const bool are_all_chosen = for_each_use(program_, classes, [&](const ClassUse& use) {
    const program::Reference reference = is<Constant>(use.node)
                                             ? program::Reference()
                                             : program_.resolve(use.function, *static_cast<const Expr*>(use.node));
    // Another class of that name.
    if (reference.cls.valid() && std::find(classes.begin(), classes.end(), reference.cls) == classes.end()) return true;
    if (replaces_one(program_, use, classes)) return true;
    std::vector<std::vector<ChoosingPlace>> places;
    if (!is_one_of_list(program_, use)) places = places_around(use.function, *use.node, kMostCallers);
    if (places.empty()) out.free.emplace_back(use.function, use.node);
    std::move(places.begin(), places.end(), std::back_inserter(uses));
    return out.free.size() <= kMostFree;
  });
  if (!are_all_chosen || uses.empty() || is_met_otherwise(classes)) return std::nullopt;
  // One condition that all places share.
  for (const ChoosingPlace& place : uses.front()) {
    if (!out.free.empty() && place.holds != false) continue;
    const bool is_shared = std::all_of(uses.begin() + 1, uses.end(), [&](const std::vector<ChoosingPlace>& others) {
      return std::any_of(others.begin(), others.end(),
                         [&](const ChoosingPlace& other) { return is_same_condition(program_, other, place); });
    });
    if (!is_shared) continue;
    out.places = {outermost(program_, uses, place)};
    out.more = uses.size() - 1;
    return known_[cls.value] = out;
  }
  // Of several conditions one that holds by default says nothing, nor do two of which one always holds.
  const bool are_all_off = std::all_of(
      uses.begin(), uses.end(), [](const std::vector<ChoosingPlace>& places) { return places.front().holds == false; });
  if (uses.size() > kMostChoosing || !are_all_off) return std::nullopt;
  for (const std::vector<ChoosingPlace>& places : uses) out.places.push_back(places.front());
  return known_[cls.value] = out;
}

std::optional<ChosenClass> ChosenClasses::on_way(const std::vector<PathFrame>& frames) {
  constexpr std::size_t kMostClasses = 3;
  std::set<ClassId> asked;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!runs_on_object(program_, frame->function)) continue;
    const ClassId cls = program_.functions()[frame->function].owner;
    if (asked.contains(cls)) continue;
    if (asked.size() == kMostClasses) break;
    asked.insert(cls);
    if (auto found = of(cls); found && found->free.empty()) return found;
  }
  return std::nullopt;
}

}  // namespace lockstep::report
