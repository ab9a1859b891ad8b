// unknown-setting: `args.name` where no flag, dataclass field, assignment or text anywhere in the repository brings
// that name in, and `args.name == "text"` where the flag takes a list. A flag was renamed or changed and a reader
// forgotten.
//
// Left out: objects that do not come from the repository's command line, for which another package makes the parser or
// gets it to add flags, whose flags or attributes have computed names, or whose variable has another value too; names
// under hasattr or getattr, repositories whose flags are not visible (fewer than ten).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/names/used_names.h"
#include "rules/rule_functions.h"
#include "rules/settings/args_sources.h"
#include "rules/settings/declared_options.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "unknown-setting";
/// With fewer flags, the settings probably come from elsewhere.
constexpr std::size_t kMinFlags = 10;
/// Names that are this close are told as what may be meant.
constexpr std::size_t kNear = 4;

struct Tables {
  explicit Tables(const Program& program) : options(program), sources(program), program_(program) {}
  DeclaredOptions options;
  ArgsSources sources;

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
    severity_ = tables_.sources.hands_args_away(function) ? Severity::kP2 : Severity::kP1;
    function_ = &node;
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
    if (is_in_try(*function_, attribute.span)) return;
    const std::string_view best = nearest(name);
    hits_.push_back(make_hit(program_, kRule, module_, attribute.span,
                             {severity_, FindingCertainty::kLikely, Category::kCorrectness,
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
  const Node* function_ = nullptr;     ///< The one at hand.
  Severity severity_ = Severity::kP1;  ///< Of a name that nothing brings in.
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
