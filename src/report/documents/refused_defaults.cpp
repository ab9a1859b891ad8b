#include "report/documents/refused_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/configuration_files.h"
#include "report/source/defaults.h"
#include "report/source/given_options.h"
#include "report/story/operands.h"
#include "report/story/refusals.h"
#include "rules/bindings.h"
#include "rules/declared_options.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;

namespace {

/// All of which has to hold for the check to refuse.
struct Check {
  const Actor* actor = nullptr;
  const Step* step = nullptr;
  std::vector<Guard> operands;
};

/// What is declared, asked when a change brings a check.
class Declared {
 public:
  explicit Declared(const program::Program& program) : program_(program), defaults_(program), options_(program) {}

  /// The setting that the expression reads in the function, by its name; empty for others.
  std::string_view setting(FunctionId function, const Expr& expression) const {
    const auto* member = as<Attribute>(&expression);
    if (member == nullptr || member->context != ExprContext::kLoad) return {};
    const bool is_of_class = class_read_from(function, *member->value).valid();
    return is_of_class || !config_attribute(expression).empty() ? member->name.text : std::string_view();
  }

  /// Its default in the function; unknown where code of the same modules gives it a value.
  Value value(FunctionId function, const Expr& expression) const {
    const std::string_view name = setting(function, expression);
    if (name.empty()) return {};
    const Expr& holder = *static_cast<const Attribute&>(expression).value;
    const ClassId cls = class_read_from(function, holder);
    if (cls.valid()) {
      const Value own = declared_by(cls, name);
      const std::optional<Value> said = said_by_arguments(name);
      const bool is_same = !said || (said->kind == own.kind && said->text == own.text);
      return is_same && !is_stored(function, cls, name) ? own : Value();
    }
    if (is_stored(function, cls, name)) return {};
    const std::optional<Value> said = said_by_arguments(name);
    const Value of_name = defaults_.value_of_name(name);
    const std::string_view held_by = rules::name_of(&holder);
    if (said && held_by == "args") return *said;
    return !said || (said->kind == of_name.kind && said->text == of_name.text) ? of_name : Value();
  }

  const rules::DeclaredOptions& options() const { return options_; }

 private:
  /// The class of settings of which an object is read: `self` in its methods, `self.part` and a parameter by what
  /// declares them.
  ClassId class_read_from(FunctionId function, const Expr& holder) const {
    const program::Function& row = program_.functions()[function];
    const std::string_view name = rules::name_of(&holder);
    if (name == "self") return is_settings(row.owner) ? row.owner : ClassId();
    if (!name.empty()) {
      const Parameter* parameter = rules::parameter_named(row.def(), name);
      return parameter == nullptr ? ClassId() : class_named(function, parameter->annotation);
    }
    const auto* part = as<Attribute>(&holder);
    const ClassId outer = part == nullptr ? ClassId() : class_read_from(function, *part->value);
    const program::Field* field = outer.valid() ? program_.find_field(outer, part->name.text) : nullptr;
    if (field == nullptr || !field->in_class_body) return {};
    for (const ClassId one : program_.classes()[outer].linearized) {
      const auto& fields = program_.classes()[one].fields;
      const bool is_own =
          std::any_of(fields.begin(), fields.end(), [&](const program::Field& each) { return &each == field; });
      if (is_own) return class_named(program_.modules()[program_.classes()[one].module].body, field->annotation);
    }
    return {};
  }

  bool is_settings(ClassId cls) const { return cls.valid() && program_.classes()[cls].is_dataclass; }

  ClassId class_named(FunctionId context, const Expr* annotation) const {
    if (annotation == nullptr || (!is<Name>(annotation) && !is<Attribute>(annotation))) return {};
    const program::Reference named = program_.resolve(context, *annotation);
    return named.kind == program::Reference::Kind::kClass && is_settings(named.cls) ? named.cls : ClassId();
  }

  Value declared_by(ClassId cls, std::string_view name) const {
    for (const ClassId one : program_.classes()[cls].linearized) {
      const auto& fields = program_.classes()[one].fields;
      const bool has = std::any_of(fields.begin(), fields.end(),
                                   [&](const program::Field& each) { return each.in_class_body && each.name == name; });
      if (has) return Defaults::declared_by(program_.classes()[one], name);
    }
    return {};
  }

  /// What command lines of the product give where they say nothing; unknown where they differ.
  std::optional<Value> said_by_arguments(std::string_view name) const {
    const std::vector<rules::Flag>* flags = options_.flag(name);
    std::optional<Value> out;
    if (flags == nullptr) return out;
    for (const rules::Flag& flag : *flags) {
      if (program::is_helper_path(program_.modules()[flag.module].path)) continue;
      const Value given = argument_default(*flag.call);
      if (out && (out->kind != given.kind || out->text != given.text)) return Value();
      out = given;
    }
    return out;
  }

  /// Whether code where the function or the class stands gives an attribute of the name a value.
  bool is_stored(FunctionId function, ClassId cls, std::string_view name) const {
    std::set<program::ModuleId> modules{program_.functions()[function].module};
    if (cls.valid()) {
      for (const ClassId one : program_.classes()[cls].linearized) modules.insert(program_.classes()[one].module);
    }
    return std::any_of(modules.begin(), modules.end(), [&](program::ModuleId module) {
      const FileFacts& facts = *program_.modules()[module].facts;
      if (!facts.has_name(name)) return false;
      bool found = false;
      walk(facts.tree(), Nested::kEnter, [&](const Node* node) {
        const auto* member = as<Attribute>(node);
        found = found || (member != nullptr && member->context == ExprContext::kStore && member->name.text == name);
        const auto* call = as<Call>(node);
        const bool sets = call != nullptr && callee_name(*call).ends_with("setattr") && call->arguments.size() >= 2;
        found = found || (sets && rules::text_of(call->arguments[1]) == name);
      });
      return found;
    });
  }

  const program::Program& program_;
  const Defaults defaults_;
  const rules::DeclaredOptions options_;
};

/// What makes the check at a step refuse; empty where it is none, or where more than conditions decides over it.
std::vector<Guard> operands_at(const std::vector<Step>& steps, std::size_t index, const Node& function) {
  const Step& step = steps[index];
  const auto* claim = as<Assert>(step.node);
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  const bool raises = branch != nullptr && only_refuses(steps, index) && branch->orelse.empty() &&
                      !branch->body.empty() && is<Raise>(branch->body.back());
  std::vector<Guard> out;
  if (claim == nullptr && !raises) return out;
  for (const Guard& guard : guards_of(function, step.span)) {
    if (guard.condition == nullptr) return {};
    add_operands(*guard.condition, guard.negated, out);
  }
  if (claim != nullptr) add_operands(*claim->test, true, out);
  if (raises) add_operands(*branch->condition, false, out);
  // The condition of a branch stands in the branch, too.
  std::set<std::pair<const Expr*, bool>> known;
  std::erase_if(out, [&](const Guard& one) { return !known.emplace(one.condition, one.negated).second; });
  return out;
}

/// The checks that the change brings into what was there.
std::vector<Check> fresh_checks(const DocumentInputs& inputs, const Story& story) {
  std::vector<Check> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() || actor.is_module_code ||
        actor.steps.after_source == nullptr || !actor.change->after->function.valid() ||
        program::is_helper_path(actor.change->after->path))
      continue;
    const program::Function& function = inputs.after->functions()[actor.change->after->function];
    const bool is_of_known = function.owner.valid() &&
                             inputs.before->find_class(inputs.after->classes()[function.owner].qualified_name).valid();
    if (actor.is_added() && !(function.name == "__post_init__" && is_of_known)) continue;
    const Refusals refusals(actor);
    for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
      const Step& step = actor.steps.after[i];
      if (step.status != StepStatus::kAdded || step.is_moved || step.taken_from != nullptr ||
          step.elsewhere != nullptr || step.inlined != nullptr || refusals.refused_before(i) != Step::kNone)
        continue;
      Check check{&actor, &step, operands_at(actor.steps.after, i, *actor.change->after->node)};
      if (!check.operands.empty()) out.push_back(std::move(check));
    }
  }
  return out;
}

using ValueAt = std::function<Value(const Expr&)>;

std::optional<bool> is_met(const Guard& operand, const ValueAt& value_at) {
  const std::optional<bool> holds = holds_with(*operand.condition, value_at);
  return holds ? std::optional(*holds != operand.negated) : std::nullopt;
}

/// The reads of settings in an operand.
std::vector<const Expr*> reads_of(const Declared& declared, FunctionId function, const Guard& operand) {
  std::vector<const Expr*> out;
  const auto look = [&](const Expr* part) {
    const bool is_read = !declared.setting(function, *part).empty();
    if (is_read) out.push_back(part);
    return !is_read;
  };
  if (look(operand.condition)) walk_expressions(*operand.condition, Nested::kSkip, look);
  return out;
}

/// A value with which the operand holds, of the one setting that it asks for; unknown where none can be told.
Value value_to_meet(const Guard& operand, const Value& by_default) {
  const auto* compare = as<Compare>(operand.condition);
  if (compare == nullptr && by_default.kind == Value::Kind::kBool)
    return {Value::Kind::kBool, !by_default.truth, by_default.truth ? "False" : "True"};
  if (compare == nullptr || compare->ops.size() != 1) return {};
  const Value other = value_of(compare->comparators.front());
  const CompareOperator op = compare->ops.front();
  const bool asks_for_it = operand.negated ? op == CompareOperator::kNotEq || op == CompareOperator::kIsNot
                                           : op == CompareOperator::kEq || op == CompareOperator::kIs;
  if (asks_for_it) return other;
  const bool is_more = operand.negated ? op == CompareOperator::kLtE : op == CompareOperator::kGt;
  if (!is_more || other.kind != Value::Kind::kNumber || !same_number(other.text, "1").value_or(false)) return {};
  return {Value::Kind::kNumber, true, "2"};
}

std::string text_of_default(const Value& value) {
  return value.kind == Value::Kind::kText ? fmt::format("\"{}\"", value.text) : value.text;
}

/// Turns options of files into settings.
class Options {
 public:
  Options(const program::Program& program, const rules::DeclaredOptions& declared) {
    for (const auto& [destination, flags] : declared.flags()) {
      for (const rules::Flag& flag : flags) {
        if (program::is_helper_path(program.modules()[flag.module].path)) continue;
        for (const Expr* argument : flag.call->arguments) {
          const std::string_view spelling = rules::text_of(argument);
          if (spelling.starts_with("--")) by_spelling_[std::string(spelling)].push_back({destination, &flag});
        }
      }
    }
  }

  /// What a file gives the setting; nullopt where it does not name it.
  std::optional<Value> given(const std::map<std::string, GivenOption, std::less<>>& file, std::string_view setting,
                             const Value& by_default) const {
    std::optional<Value> out;
    for (const auto& [spelling, option] : file) {
      const std::optional<Value> value = of(spelling, option, setting, by_default);
      if (!value) continue;
      if (out) return Value();
      out = value;
    }
    return out;
  }

 private:
  std::optional<Value> of(const std::string& spelling, const GivenOption& option, std::string_view setting,
                          const Value& by_default) const {
    const Value on{Value::Kind::kBool, true, "True"};
    const Value off{Value::Kind::kBool, false, "False"};
    const auto known = by_spelling_.find(spelling);
    if (known != by_spelling_.end()) {
      if (known->second.front().first != setting) return std::nullopt;
      const std::string_view action = known->second.front().second->action;
      if (known->second.size() > 1) return Value();
      if (action == "store_true" || action == "store_false")
        return option.is_bare ? (action == "store_true" ? on : off) : Value();
      return action.empty() && !option.is_bare && option.value.kind != Value::Kind::kBool ? option.value : Value();
    }
    std::string name = spelling.substr(std::max<std::size_t>(2, spelling.rfind('.') + 1));
    std::replace(name.begin(), name.end(), '-', '_');
    if (name == setting)
      return !option.is_bare ? option.value : by_default.kind == Value::Kind::kBool && !by_default.truth ? on : Value();
    for (const std::string_view prefix : {"no_", "disable_"}) {
      if (name == fmt::format("{}{}", prefix, setting)) return option.is_bare && by_default.truth ? off : Value();
    }
    return std::nullopt;
  }

  std::map<std::string, std::vector<std::pair<std::string, const rules::Flag*>>> by_spelling_;
};

class Refused {
 public:
  explicit Refused(const DocumentInputs& inputs) : inputs_(inputs), declared_(*inputs.after) {}

  std::optional<Risk> risk_of(const Check& check) {
    const FunctionId function = check.actor->change->after->function;
    const ValueAt by_default = [&](const Expr& part) { return declared_.value(function, part); };
    std::vector<const Guard*> met;
    std::vector<const Guard*> unmet;
    for (const Guard& operand : check.operands) {
      const std::vector<const Expr*> reads = reads_of(declared_, function, operand);
      const bool are_old =
          std::all_of(reads.begin(), reads.end(), [&](const Expr* one) { return was_there(function, *one); });
      const std::optional<bool> holds = is_met(operand, by_default);
      // Of what is worked out nothing is known, of what is new nobody gives anything yet.
      if (reads.empty() || !holds || !are_old) return std::nullopt;
      (*holds ? met : unmet).push_back(&operand);
    }
    const bool is_one = unmet.size() == 1 && !met.empty() && !is_refused_anyway(check, *unmet.front(), function);
    if (unmet.empty()) return std::nullopt;  // What has to be given.
    const std::vector<std::string> files = refused_files(check, function);
    const SourceText& source = *check.actor->steps.after_source;
    const std::string name = code(short_name(inputs_, *check.actor->change));
    const std::string where = place(check.actor->change->after->path, check.step->first_line);
    std::string concern;
    std::string status = files_words(files);
    if (is_one) {
      concern = fmt::format("{} refuses now ({}) where {} and all else is at its default: {}.", name, where,
                            condition_words(*unmet.front()->condition, source, unmet.front()->negated),
                            defaults_words(met, function));
      if (status.empty()) status = "Who sets only that is stopped there";
    } else if (!files.empty()) {
      concern = fmt::format("{} has a new check ({}) that files of the repository do not pass.", name, where);
    } else {
      return std::nullopt;
    }
    return Risk{RiskKind::kCompatibility, concern, status, false, {}};
  }

 private:
  /// Whether another check of the function, as it was or is, refuses the defaults with what meets the operand in place
  /// of one of them; also where that is not known.
  bool is_refused_anyway(const Check& check, const Guard& operand, FunctionId function) const {
    const std::vector<const Expr*> reads = reads_of(declared_, function, operand);
    const std::string_view name = reads.size() == 1 ? declared_.setting(function, *reads.front()) : std::string_view();
    if (name.empty()) return true;
    const Value by_default = declared_.value(function, *reads.front());
    const ValueAt plain = [&](const Expr& part) { return declared_.value(function, part); };
    const Value value = is_met(operand, plain).value_or(false) ? by_default : value_to_meet(operand, by_default);
    if (value.kind == Value::Kind::kUnknown) return true;
    const ValueAt value_at = [&](const Expr& part) {
      return declared_.setting(function, part) == name ? value : declared_.value(function, part);
    };
    const auto refuses = [&](const std::vector<Step>& steps, const Node& node) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (&steps[i] == check.step) continue;
        const std::vector<Guard> operands = operands_at(steps, i, node);
        // What is not known of both sides is not known to refuse.
        if (!operands.empty() && std::all_of(operands.begin(), operands.end(),
                                             [&](const Guard& one) { return is_met(one, value_at).value_or(false); }))
          return true;
      }
      return false;
    };
    const Actor& actor = *check.actor;
    return refuses(actor.steps.after, *actor.change->after->node) ||
           (actor.change->before && refuses(actor.steps.before, *actor.change->before->node));
  }

  /// Whether the setting stood anywhere before.
  bool was_there(FunctionId function, const Expr& read) const {
    const std::string_view name = declared_.setting(function, read);
    return std::any_of(inputs_.before->modules().begin(), inputs_.before->modules().end(),
                       [&](const program::Module& module) {
                         return !program::is_test_path(module.path) && module.facts->has_name(name);
                       });
  }

  std::string defaults_words(const std::vector<const Guard*>& operands, FunctionId function) const {
    std::vector<std::string> out;
    for (const Guard* operand : operands) {
      for (const Expr* read : reads_of(declared_, function, *operand)) {
        std::string one = fmt::format("{} is {}", code(declared_.setting(function, *read)),
                                      code(text_of_default(declared_.value(function, *read))));
        if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
      }
    }
    return join_words(out);
  }

  /// Paths of scripts and configurations of which what they give, with defaults for the rest, is refused.
  std::vector<std::string> refused_files(const Check& check, FunctionId function) {
    std::vector<std::string> out;
    if (!files_) {
      files_.emplace();
      for (const FilesOf which : {FilesOf::kOthers, FilesOf::kTests}) {
        for (ConfigurationFile& file : configuration_files(inputs_.after_files, which)) {
          auto options = given_options(file.text);
          if (!options.empty()) files_->emplace_back(std::move(file.path), std::move(options));
        }
      }
      options_.emplace(*inputs_.after, declared_.options());
    }
    for (const auto& [path, options] : *files_) {
      bool gives = false;
      const ValueAt value_at = [&, &given_in = options](const Expr& part) {
        const std::string_view name = declared_.setting(function, part);
        if (name.empty()) return Value();
        const Value by_default = declared_.value(function, part);
        const std::optional<Value> given = options_->given(given_in, name, by_default);
        gives = gives || given.has_value();
        return given ? *given : by_default;
      };
      const bool is_refused = std::all_of(check.operands.begin(), check.operands.end(), [&](const Guard& operand) {
        return is_met(operand, value_at).value_or(false);
      });
      if (is_refused && gives) out.push_back(path);
    }
    return out;
  }

  static std::string files_words(const std::vector<std::string>& files) {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> named;
    for (const std::string& path : files) {
      if (named.size() < kMost) named.push_back(place(path));
    }
    if (named.size() < files.size()) named.push_back(fmt::format("{} more", files.size() - named.size()));
    if (named.empty()) return {};
    return fmt::format("By what {} {}, {} refused as far as a run of {} comes there", join_words(named),
                       files.size() == 1 ? "gives" : "give", files.size() == 1 ? "it is" : "they are",
                       files.size() == 1 ? "it" : "them");
  }

  const DocumentInputs& inputs_;
  const Declared declared_;
  std::optional<Options> options_;
  std::optional<std::vector<std::pair<std::string, std::map<std::string, GivenOption, std::less<>>>>> files_;
};

}  // namespace

void add_refused_defaults(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostTold = 2;
  const std::vector<Check> checks = fresh_checks(inputs, story);
  if (checks.empty()) return;
  Refused refused(inputs);
  std::size_t told = 0;
  for (const Check& check : checks) {
    if (told == kMostTold) return;
    const std::optional<Risk> risk = refused.risk_of(check);
    if (!risk) continue;
    risks.push_back(*risk);
    ++told;
  }
}

}  // namespace lockstep::report
