// unknown-setting: `args.name` where no flag, dataclass field, assignment or text anywhere in the repository brings
// that name in, and `args.name == "text"` where the flag takes a list. A flag was renamed or changed and a reader
// forgotten.
//
// Left out: objects that do not come from the repository's command line, for which another package makes the parser or
// gets it to add flags, which are given attributes by computed names, or whose variable has another value too; names
// under hasattr or getattr, repositories whose flags are not visible (fewer than ten).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/declared_options.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/signatures.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using program::Reference;

constexpr std::string_view kRule = "unknown-setting";
/// With fewer flags, the settings probably come from elsewhere.
constexpr std::size_t kMinFlags = 10;
/// Names that are this close are told as what may be meant.
constexpr std::size_t kNear = 4;

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

/// Statements that give `name` attributes which no source names: `setattr(args, key, value)`, `vars(args).update(…)`,
/// `args.__dict__[key] = value`.
bool sets_computed_attributes(const Node& node, std::string_view name) {
  bool found = false;
  const auto is_table = [&](const Expr* expression) {
    const auto* attribute = as<Attribute>(expression);
    if (attribute != nullptr) return attribute->name.text == "__dict__" && name_of(attribute->value) == name;
    const auto* call = as<Call>(expression);
    return call != nullptr && name_of(call->callee) == "vars" && call->arguments.size() == 1 &&
           name_of(call->arguments[0]) == name;
  };
  walk(node, Nested::kEnter, [&](const Node* each) {
    if (const auto* call = as<Call>(each)) {
      found = found || (name_of(call->callee) == "setattr" && call->arguments.size() == 3 &&
                        name_of(call->arguments[0]) == name && text_of(call->arguments[1]).empty());
    } else if (const auto* attribute = as<Attribute>(each)) {
      found = found || is_table(attribute->value) || (attribute->context == ExprContext::kStore && is_table(attribute));
    } else if (const auto* part = as<Subscript>(each)) {
      found = found || (part->context == ExprContext::kStore && is_table(part->value));
    }
  });
  return found;
}

/// Where the functions of one program have their settings from.
class Sources {
 public:
  explicit Sources(const Program& program) : program_(program) {}

  /// True if the function takes its settings, as `args`, from the repository's command line: `args = get_args()`, and
  /// nothing else gives that name a value or attributes that the source does not name.
  [[nodiscard]] bool gets_args(FunctionId id) {
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
    const bool is_method = name == "parse_args" && getter.kind != Reference::Kind::kExternal &&
                           keyword_value(*call, "namespace") == nullptr && call->arguments.size() < 2;
    if (is_ours ? name != "get_args" && name != "parse_args" : !is_method) return false;
    return !takes_flags_of_others(is_ours ? getter.function : id) && !is_filled(id, "args");
  }

 private:
  /// True if `getter`, or what it calls to get the settings, has them from another package or from a table: not all of
  /// their names are seen here.
  bool takes_flags_of_others(FunctionId getter) {
    const auto [known, is_new] = takes_others_.try_emplace(getter, true);
    if (!is_new) return known->second;
    std::unordered_set<FunctionId> seen{getter};
    std::vector<FunctionId> open{getter};
    while (!open.empty()) {
      const FunctionId function = open.back();
      open.pop_back();
      const Node& node = *program_.functions()[function].node;
      bool found = sets_computed_attributes(node, "args") || sets_computed_attributes(node, "namespace");
      walk_of<Call>(node, Nested::kEnter, [&](const Call* call) {
        if (found) return;
        const Reference callee = program_.resolve(function, *call->callee);
        const bool is_given = is_given_parser(*call);
        if (callee.kind == Reference::Kind::kExternal)
          found = makes_flags(callee.name) || (is_given && !callee.name.starts_with("argparse."));
        if (callee.kind != Reference::Kind::kFunction) return;
        const std::string_view name = program_.functions()[callee.function].name;
        const bool leads_on =
            is_given || contains(name, "args") || contains(name, "argument") || contains(name, "pars");
        if (leads_on && seen.insert(callee.function).second) open.push_back(callee.function);
      });
      if (found) return true;
    }
    takes_others_[getter] = false;
    return false;
  }

  /// True if the function, or one that it hands `name` to, gives it attributes that the source does not name.
  bool is_filled(FunctionId first, std::string_view first_name) {
    std::set<std::pair<FunctionId, std::string_view>> seen{{first, first_name}};
    std::vector<std::pair<FunctionId, std::string_view>> open{{first, first_name}};
    while (!open.empty()) {
      const auto [function, name] = open.back();
      open.pop_back();
      const auto [known, is_new] = filled_.try_emplace({function, name}, false);
      const Node& node = *program_.functions()[function].node;
      if (is_new) known->second = sets_computed_attributes(node, name);
      if (known->second) return true;
      walk_of<Call>(node, Nested::kSkip, [&](const Call* call) {
        for (std::size_t i = 0; i < call->arguments.size(); ++i) {
          if (name_of(call->arguments[i]) != name) continue;
          const Reference callee = program_.resolve(function, *call->callee);
          if (callee.kind != Reference::Kind::kFunction) continue;
          const auto signature = Signatures(program_).of_function(callee.function, 0);
          const AcceptedParameter* parameter = signature ? parameter_at(*signature, *call, i) : nullptr;
          if (parameter != nullptr && seen.insert({callee.function, parameter->name}).second)
            open.emplace_back(callee.function, parameter->name);
        }
      });
    }
    return false;
  }

  const Program& program_;
  std::unordered_map<FunctionId, bool> takes_others_;
  std::map<std::pair<FunctionId, std::string_view>, bool> filled_;  ///< By itself.
};

struct Tables {
  explicit Tables(const Program& program) : options(program), sources(program), program_(program) {}
  DeclaredOptions options;
  Sources sources;

  [[nodiscard]] bool is_known(std::string_view name) const {
    if (options.flag(name) != nullptr || options.field(name) != nullptr || name.starts_with("__")) return true;
    if (name == "_get_kwargs" || name == "_get_args") return true;  // Methods of argparse.Namespace.
    if (!used_) used_.emplace(program_);
    return used_->writes_attribute(name) || used_->has_text(name) || used_->has_keyword(name);
  }

 private:
  const Program& program_;
  mutable std::optional<UsedNames> used_;  ///< Reads the whole program: made for the first name that is not declared.
};

class Scan {
 public:
  Scan(const Program& program, Tables& tables, ModuleId module, std::vector<Hit>& hits)
      : program_(program), facts_(*program.modules()[module].facts), tables_(tables), module_(module), hits_(hits) {}

  void function(FunctionId function) {
    const Node& node = *program_.functions()[function].node;
    if (!tables_.sources.gets_args(function)) return;
    walk(node, Nested::kEnter, [&](const Node* child) {
      if (has_own_args(child)) return false;
      if (const auto* attribute = as<Attribute>(child)) read(*attribute);
      if (const auto* compare = as<Compare>(child)) compared(*compare);
      return true;
    });
  }

 private:
  /// A function, lambda or comprehension inside that binds `args` itself: other settings.
  [[nodiscard]] bool has_own_args(const Node* node) const {
    const auto scope = facts_.scope_of_node.find(node);
    if (scope == facts_.scope_of_node.end()) return false;
    const auto& bindings = facts_.scopes[scope->second].bindings;
    return std::any_of(bindings.begin(), bindings.end(), [](const Binding& each) { return each.name == "args"; });
  }

  void read(const Attribute& attribute) {
    const std::string_view name = attribute.name.text;
    if (attribute.context != ExprContext::kLoad || name_of(attribute.value) != "args" || tables_.is_known(name)) return;
    const std::string_view best = nearest(name);
    hits_.push_back(make_hit(program_, kRule, module_, attribute.span,
                             {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                              fmt::format("No flag, field or assignment brings in `args.{}`", name),
                              "Reading it raises AttributeError when this line runs.",
                              best.empty() ? "Read the setting under the name that it has now."
                                           : fmt::format("Probably `args.{}` is meant.", best)}));
  }

  [[nodiscard]] std::string_view nearest(std::string_view name) const {
    std::string_view best;
    std::size_t distance = kNear;
    for (const auto& [flag, declared] : tables_.options.flags()) {
      const std::size_t here = edit_distance(flag, name, kNear - 1);
      if (here < distance) best = flag, distance = here;
    }
    return best;
  }

  void compared(const Compare& compare) {
    const auto* attribute = as<Attribute>(compare.left);
    if (attribute == nullptr || name_of(attribute->value) != "args" || compare.ops.size() != 1) return;
    if (compare.ops[0] != CompareOperator::kEq && compare.ops[0] != CompareOperator::kNotEq) return;
    const std::string_view text = text_of(compare.comparators[0]);
    const std::vector<Flag>* flags = tables_.options.flag(attribute->name.text);
    if (text.empty() || flags == nullptr || flags->size() != 1 || !flags->front().takes_many) return;
    Hit hit = make_hit(program_, kRule, module_, compare.span,
                       {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                        fmt::format("`args.{}` is a list and never equals the text `{}`", attribute->name.text, text),
                        "The flag takes any number of values.",
                        fmt::format("Write `\"{}\" in args.{}`.", text, attribute->name.text)});
    hit.finding.evidence.push_back(
        evidence_at(program_, flags->front().module, flags->front().call->span, "the flag takes many values"));
    hits_.push_back(std::move(hit));
  }

  const Program& program_;
  const FileFacts& facts_;
  Tables& tables_;
  const ModuleId module_;
  std::vector<Hit>& hits_;
};

}  // namespace

void run_unknown_setting(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, Tables> tables;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        const program::Module& row = program.modules()[module];
        if (row.facts->source().bytes().find("args = ") == std::string_view::npos) return;
        Tables& known = tables.try_emplace(&program, program).first->second;
        if (known.options.flags().size() < kMinFlags) return;
        Scan scan(program, known, module, hits);
        for (const FunctionId function : row.functions) scan.function(function);
      },
      findings);
}

}  // namespace lockstep::rules
