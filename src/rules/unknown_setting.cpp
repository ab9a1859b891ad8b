// unknown-setting: `args.name` where no flag, dataclass field, assignment or text anywhere in the repository brings
// that name in, and `args.name == "text"` where the flag takes a list. A flag was renamed or changed and a reader
// forgotten.
//
// Left out: objects that do not come from the repository's command line, or to which another package's parser adds
// flags on the way, names under hasattr or getattr, repositories whose flags are not visible (fewer than ten).

#include <fmt/format.h>

#include <map>
#include <optional>

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

struct Tables {
  explicit Tables(const Program& program) : options(program), program_(program) {}
  DeclaredOptions options;

  [[nodiscard]] bool is_known(std::string_view name) const {
    if (options.flag(name) != nullptr || options.field(name) != nullptr || name.starts_with("__")) return true;
    if (!used_) used_.emplace(program_);
    return used_->writes_attribute(name) || used_->has_text(name) || used_->has_keyword(name);
  }

 private:
  const Program& program_;
  mutable std::optional<UsedNames> used_;  ///< Reads the whole program: made for the first name that is not declared.
};

/// How far down flags of another package are looked for in what makes `args`.
constexpr int kMaxDepth = 4;

/// A function of another package that parses a command line or adds flags to a parser, by the last part of its name.
bool makes_flags(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  const bool parses = last == "parse_args" || last == "get_args" || last == "parse_known_args";
  const bool adds = last.starts_with("add_") && (last.ends_with("args") || last.ends_with("arguments"));
  return (parses || adds) && !name.starts_with("argparse.");
}

/// True if `getter`, or what it calls to get the settings, has them from another package: its flags are not seen here.
bool takes_flags_of_others(const Program& program, FunctionId getter, int depth) {
  bool found = false;
  walk_of<Call>(*program.functions()[getter].node, Nested::kEnter, [&](const Call* call) {
    if (found) return;
    const Reference callee = program.resolve(getter, *call->callee);
    if (callee.kind == Reference::Kind::kExternal) found = makes_flags(callee.name);
    if (callee.kind != Reference::Kind::kFunction || depth == 0 || callee.function == getter) return;
    const std::string_view name = program.functions()[callee.function].name;
    if (contains(name, "args") || contains(name, "argument") || contains(name, "pars"))
      found = takes_flags_of_others(program, callee.function, depth - 1);
  });
  return found;
}

/// True if the function takes its settings from the repository's command line: `args = get_args()`.
bool gets_args(const Program& program, FunctionId id) {
  const Node& function = *program.functions()[id].node;
  bool found = false;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    const auto* call = as<Call>(assign->value);
    if (call == nullptr || assign->targets.size() != 1 || name_of(assign->targets[0]) != "args") return;
    const std::string_view name = last_part_of(call->callee);
    // get_args of another package, or of nobody: its flags are not seen here.
    const Reference getter = program.resolve(id, *call->callee);
    const bool is_ours = getter.kind == Reference::Kind::kFunction;
    const bool is_method = name == "parse_args" && getter.kind != Reference::Kind::kExternal;
    if (is_ours ? name != "get_args" && name != "parse_args" : !is_method) return;
    found = found || !takes_flags_of_others(program, is_ours ? getter.function : id, is_ours ? kMaxDepth : 0);
  });
  return found;
}

class Scan {
 public:
  Scan(const Program& program, const Tables& tables, ModuleId module, std::vector<Hit>& hits)
      : program_(program), tables_(tables), module_(module), hits_(hits) {}

  void function(FunctionId function) {
    const Node& node = *program_.functions()[function].node;
    if (!gets_args(program_, function)) return;
    walk(node, Nested::kEnter, [&](const Node* child) {
      if (const auto* attribute = as<Attribute>(child)) read(*attribute);
      if (const auto* compare = as<Compare>(child)) compared(*compare);
    });
  }

 private:
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
  const Tables& tables_;
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
        const Tables& known = tables.try_emplace(&program, program).first->second;
        if (known.options.flags().size() < kMinFlags) return;
        Scan scan(program, known, module, hits);
        for (const FunctionId function : row.functions) scan.function(function);
      },
      findings);
}

}  // namespace lockstep::rules
