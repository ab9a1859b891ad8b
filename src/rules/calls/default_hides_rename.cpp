// default-hides-rename: `getattr(config, "x", default)` on changed lines. Where no class that `config` can be has `x`
// but one has a field of nearly that name, the default is all that anybody ever gets. Where every such class declares
// `x`, the default is never used, and the day `x` is renamed it hides that.
//
// Left out: objects whose class is not known or that no annotation promises, classes with `__getattr__`, bases outside
// of the repository, and names that anything sets on an object.

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "default-hides-rename";
constexpr std::size_t kNear = 2;
constexpr std::size_t kShortestName = 6;

/// A config is written down in full: a dataclass of the repository, with nothing computed.
bool is_closed(const Program& program, ClassId cls) {
  const program::Class& row = program.classes()[cls];
  const bool only_known = std::all_of(row.external_ancestors.begin(), row.external_ancestors.end(),
                                      [](const std::string& name) { return name == "object" || name == "abc.ABC"; });
  return row.is_dataclass && only_known && !program.find_method(cls, "__getattr__").valid() &&
         !program.find_method(cls, "__getattribute__").valid();
}

bool declares(const Program& program, ClassId cls, std::string_view name) {
  const program::Field* field = program.find_field(cls, name);
  return field != nullptr && field->in_class_body;
}

/// A field whose name is nearly `name`; empty where there is none.
std::string_view near_field(const Program& program, ClassId cls, std::string_view name) {
  for (const ClassId each : program.classes()[cls].linearized) {
    for (const program::Field& field : program.classes()[each].fields) {
      if (field.name != name && edit_distance(field.name, name, kNear) <= kNear) return field.name;
    }
  }
  return {};
}

class Scan {
 public:
  Scan(const Program& program, ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {}

  void run() {
    walk_of<Call>(facts_.tree(), Nested::kEnter, [&](const Call* call) { check(*call); });
  }

 private:
  void check(const Call& call) {
    if (name_of(call.callee) != "getattr" || call.arguments.size() != 3) return;
    const std::string_view name = text_of(call.arguments[1]);
    if (name.empty() || name.starts_with('_')) return;
    const FunctionId function = program_.function_at(module_, call.span.begin);
    if (!is_promised(function, root_name(call.arguments[0]))) return;
    const auto classes = program_.instance_classes(function, *call.arguments[0]);
    if (classes.empty() ||
        !std::all_of(classes.begin(), classes.end(), [&](ClassId each) { return is_closed(program_, each); }))
      return;
    const auto has = [&](ClassId each) { return declares(program_, each, name); };
    if (std::all_of(classes.begin(), classes.end(), has)) return never_used(call, name, classes[0]);
    if (name.size() < kShortestName) return;
    const bool unknown = std::none_of(classes.begin(), classes.end(), [&](ClassId each) {
      return program_.find_field(each, name) != nullptr || program_.find_method(each, name).valid();
    });
    const std::string_view near = unknown ? near_field(program_, classes[0], name) : std::string_view();
    if (!near.empty()) always_default(call, name, near, classes[0]);
  }

  /// Objects reached from `self`, or from a parameter with an annotation that names a class: others hold more than what
  /// value flow sees.
  bool is_promised(FunctionId function, std::string_view root) const {
    if (root == "self") return true;
    const FunctionDef* def = function.valid() ? program_.functions()[function].def() : nullptr;
    if (def == nullptr) return false;
    return std::any_of(def->parameters->all.begin(), def->parameters->all.end(), [&](const Parameter* each) {
      const std::string_view type = last_part_of(each->annotation);
      return each->name.text == root && each->annotation != nullptr && type != "Any" && type != "object";
    });
  }

  /// The name of the class that declares the field: `cls`, or a base of it.
  std::string_view declaring(ClassId cls, std::string_view field) const {
    for (const ClassId each : program_.classes()[cls].linearized) {
      for (const program::Field& row : program_.classes()[each].fields) {
        if (row.name == field && row.in_class_body) return program_.classes()[each].name;
      }
    }
    return program_.classes()[cls].name;
  }

  void report(const Call& call, ClassId cls, std::string_view field, Words words) {
    Hit hit = make_hit(program_, kRule, module_, call.span, std::move(words));
    for (const ClassId each : program_.classes()[cls].linearized) {
      for (const program::Field& row : program_.classes()[each].fields) {
        if (row.name != field || row.node == nullptr || !hit.finding.evidence.empty()) continue;
        hit.finding.evidence.push_back(evidence_at(program_, program_.classes()[each].module, row.node->span,
                                                   fmt::format("`{}` is declared here", field)));
      }
    }
    hits_.push_back(std::move(hit));
  }

  void never_used(const Call& call, std::string_view name, ClassId cls) {
    report(call, cls, name,
           {Severity::kP3, FindingCertainty::kLikely, Category::kMaintainability,
            fmt::format("`{}` declares `{}`: the default of this getattr is never used", declaring(cls, name), name),
            "Once the field is renamed, the code goes on with the default and nobody is told.",
            fmt::format("Write `{}.{}`.", quote(facts_, call.arguments[0]->span), name)});
  }

  void always_default(const Call& call, std::string_view name, std::string_view near, ClassId cls) {
    report(call, cls, near,
           {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
            fmt::format("`{}` has no `{}`, so this getattr always gives its default; is `{}` meant?",
                        program_.classes()[cls].name, name, near),
            "The default hides that the name is not there.",
            fmt::format("Write `{}.{}`, without a default.", quote(facts_, call.arguments[0]->span), near)});
  }

  const Program& program_;
  const ModuleId module_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (text.find("getattr(") != std::string_view::npos) Scan(program, module, hits).run();
}

}  // namespace

void run_default_hides_rename(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_changed_lines(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
