// undefined-name: reads of names that nothing binds, locals that some path reads before any assignment, and, in
// module_members.h, what modules of the repository are asked for and do not have.
//
// Left out: string annotations, attributes of objects (of modules only), files with `exec` or whose source is broken,
// chains of branches that ask for every value that a declaration leaves (value_chain.h).

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/strings.h"
#include "change/summary.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/logic/value_chain.h"
#include "rules/names/left_failing.h"
#include "rules/names/module_members.h"
#include "rules/names/module_names.h"
#include "rules/names/names.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/flow.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "undefined-name";
constexpr std::size_t kMinSimilarLength = 4;
/// Bound on the names held against misspelt ones in a run: thousands of functions may each miss one.
constexpr std::size_t kMostCompared = 1'000'000;

/// Everything of one program that the rule needs; one for each side of a change.
class Checker {
 public:
  /// `change`: where a finding may choose between two places, it takes the one that the change touches; may be null.
  explicit Checker(const Program& program, const ModuleNames& names, const change::Change* change = nullptr)
      : program_(program), modules_(names), change_(change) {}

  /// Names without any binding, and locals without a value on some path.
  void check_names(ModuleId id, std::vector<NameHit>& hits) {
    const program::Module& module = program_.modules()[id];
    const FileFacts& facts = *module.facts;
    if (!facts.file->problems.empty()) return;
    const ScopeNames names(facts);
    if (!has_dynamic_names(facts) && !modules_.has_opaque_star_import(id)) check_unbound(id, names, hits);
    const auto never_returns = [this](const Call& call) { return this->never_returns(call); };
    const auto may_raise = [this](const Call& call) { return this->may_raise(call); };
    for (const UnboundUse& use : find_unbound_uses(names, never_returns, may_raise)) {
      if (!module_binds_instead(names, use)) report_path(id, use, names, hits);
    }
  }

 private:
  // -------------------------------------------------------------------------------------------------------------
  // Names that nothing binds

  void check_unbound(ModuleId id, const ScopeNames& names, std::vector<NameHit>& hits) {
    std::set<std::pair<FunctionId, std::string_view>> told;
    visit_name_uses(names.facts(), [&](const NameUse& use) {
      const std::string_view name = use.name->id;
      if (!use.evaluated || use.in_type_checking || use.in_unreachable || use.in_version_guard) return;
      if (use.name_error_caught || is_builtin_name(name) || name == "_") return;
      const ScopeId home = names.find(use.scope, name);
      const bool is_missing =
          !home.valid() && !modules_.star_imports_name(id, name) && !modules_.is_assigned_as_attribute(name);
      const bool type_checking = home.valid() && is_for_type_checking_only(names, home, name);
      if (!is_missing && !type_checking) return;
      const FunctionId function = program_.function_at(id, use.name->span.begin);
      if (is_snippet(id, function)) return;
      if (told.insert({function, name}).second) report_unbound(id, names, use, function, type_checking, hits);
    });
  }

  /// Statements of a documentation page, cut out of a longer program.
  [[nodiscard]] bool is_snippet(ModuleId id, FunctionId function) const {
    const std::string& path = program_.modules()[id].path;
    const bool in_docs =
        path.starts_with("docs/") || path.starts_with("doc/") || path.find("/docs/") != std::string::npos;
    return in_docs && function == program_.modules()[id].body;
  }

  static bool is_for_type_checking_only(const ScopeNames& names, ScopeId scope, std::string_view name) {
    const auto& bindings = names.bindings(scope, name);
    return std::all_of(bindings.begin(), bindings.end(), [&](const Binding* binding) {
      if (binding->kind != BindingKind::kImport) return false;
      const auto& imports = names.facts().imports;
      return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& import) {
        return import.in_type_checking && import.statement == binding->owner && import.bound_as == name;
      });
    });
  }

  void report_unbound(ModuleId id, const ScopeNames& names, const NameUse& use, FunctionId function, bool type_checking,
                      std::vector<NameHit>& hits) {
    const std::string_view name = use.name->id;
    Finding finding = finding_at(program_, kRule, id, use.name->span);
    const bool is_test = program::is_test_path(finding.path);
    finding.severity = use.broadly_caught || is_test ? Severity::kP1 : Severity::kP0;
    finding.certainty = use.broadly_caught ? FindingCertainty::kLikely : FindingCertainty::kProven;
    finding.category = Category::kCorrectness;
    if (type_checking) {
      finding.message = fmt::format("`{}` is imported only under `if TYPE_CHECKING:`, but is used at run time", name);
      finding.why = "At run time TYPE_CHECKING is false, so the import never happens and this line raises NameError.";
      finding.fix = fmt::format("Import `{}` unconditionally, or inside the function that uses it.", name);
      const ScopeId home = names.find(use.scope, name);
      finding.evidence.push_back(
          evidence_at(program_, id, names.bindings(home, name)[0]->name_span, "the only import of it"));
    } else {
      finding.message =
          fmt::format("`{}` is not defined: neither its scopes, nor the module, nor builtins bind it", name);
      finding.why = use.broadly_caught ? "This line raises NameError, which the broad `except` around it hides."
                                       : "This line raises NameError whenever it runs.";
      propose(id, names, use, function, finding);
    }
    hits.push_back({.key = fmt::format("unbound {}", name),
                    .finding = std::move(finding),
                    .place = statement_of(program_, id, use.name->span)});
  }

  /// Says what was probably meant: `self.name`, a missing import, a similar name.
  void propose(ModuleId id, const ScopeNames& names, const NameUse& use, FunctionId function, Finding& finding) const {
    const std::string name(use.name->id);
    const FileFacts& facts = names.facts();
    if (has_member(function, name)) {
      finding.fix = fmt::format("Write `self.{}`: the class has a member of that name.", name);
      if (finding.start_line == finding.end_line) {
        const std::uint32_t start = facts.source().line_start(finding.start_line);
        std::string line(facts.source().bytes().substr(start, line_end(facts, start) - start));
        finding.suggestion = line.insert(use.name->span.begin - start, "self.");
      }
      return;
    }
    const auto definers = modules_.definers(name);
    if (definers.size() == 1 && definers[0] != program_.modules()[id].name) {
      finding.fix = fmt::format("Import it: `from {} import {}`.", definers[0], name);
      return;
    }
    const std::string_view similar = similar_name(names, use);
    finding.fix = similar.empty()
                      ? fmt::format("Define or import `{}` before this line, or correct the name.", name)
                      : fmt::format("Probably `{}` is meant; otherwise define or import `{}`.", similar, name);
  }

  static std::uint32_t line_end(const FileFacts& facts, std::uint32_t start) {
    const std::string_view bytes = facts.source().bytes();
    const std::size_t newline = bytes.find('\n', start);
    return static_cast<std::uint32_t>(newline == std::string_view::npos ? bytes.size() : newline + 1);
  }

  [[nodiscard]] bool has_member(FunctionId function, std::string_view name) const {
    for (FunctionId at = function; at.valid(); at = program_.functions()[at].enclosing) {
      const program::Function& row = program_.functions()[at];
      if (!row.owner.valid()) continue;
      const auto* def = row.def();
      const bool has_self =
          def != nullptr && !def->parameters->all.empty() && def->parameters->all[0]->name.text == "self";
      return has_self &&
             (program_.find_field(row.owner, name) != nullptr || program_.find_method(row.owner, name).valid());
    }
    return false;
  }

  /// The nearest name by spelling that a visible scope binds; empty where none is near.
  std::string_view similar_name(const ScopeNames& names, const NameUse& use) const {
    const std::string_view name = use.name->id;
    if (name.size() < kMinSimilarLength || compared_ > kMostCompared) return {};
    const std::size_t limit = name.size() >= 8 ? 2 : 1;
    std::string_view best;
    std::size_t best_distance = limit + 1;
    const FileFacts& facts = names.facts();
    for (ScopeId scope = use.scope; scope.valid(); scope = facts.scopes[scope].parent) {
      compared_ += facts.scopes[scope].bindings.size();
      for (const Binding& binding : facts.scopes[scope].bindings) {
        const std::size_t distance = edit_distance(name, binding.name, limit);
        if (distance < best_distance) best = binding.name, best_distance = distance;
      }
    }
    return best;
  }

  // -------------------------------------------------------------------------------------------------------------
  // Locals without a value on some path

  /// A class body's or comprehension's local is also looked up further out; a module variable may be a builtin.
  static bool module_binds_instead(const ScopeNames& names, const UnboundUse& use) {
    return names.facts().scopes[use.scope].kind == ScopeKind::kModule && is_builtin_name(use.name);
  }

  bool never_returns(const Call& call) {
    const program::CallId id = program_.call_of(&call);
    if (!id.valid()) return false;
    const auto& targets = program_.calls()[id].targets;
    return !targets.empty() && std::all_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      return target.function.valid() && target.certainty == program::Certainty::kExact && raises(target.function);
    });
  }

  /// A function of the program that holds a `raise`, or one elsewhere whose name says so.
  [[nodiscard]] bool may_raise(const Call& call) const {
    const program::CallId id = program_.call_of(&call);
    const bool known = id.valid() && !program_.calls()[id].targets.empty();
    if (!known) {
      const std::string callee = to_lower(last_part_of(call.callee));
      return contains(callee, "raise") || contains(callee, "abort") || contains(callee, "exit");
    }
    const auto& targets = program_.calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      const FunctionDef* def = target.function.valid() ? program_.functions()[target.function].def() : nullptr;
      bool found = false;
      if (def != nullptr) walk_of<Raise>(*def, Nested::kSkip, [&](const Raise*) { found = true; });
      return found;
    });
  }

  bool raises(FunctionId function) {
    const auto [known, is_new] = raises_.try_emplace(function, false);
    if (is_new) {
      const FunctionDef* def = program_.functions()[function].def();
      const auto* returns = def == nullptr ? nullptr : as<Name>(def->returns);
      const bool declared = returns != nullptr && (returns->id == "NoReturn" || returns->id == "Never");
      known->second = def != nullptr && !def->is_async && (declared || always_raises(def->body));
    }
    return known->second;
  }

  void report_path(ModuleId id, const UnboundUse& use, const ScopeNames& names, std::vector<NameHit>& hits) const {
    const ValueChain chain = chain_of(names.facts(), use);
    const FunctionId reader = program_.function_at(id, use.use->span.begin);
    const FunctionDef* function = reader.valid() ? program_.functions()[reader].def() : nullptr;
    if (!chain.subject.empty() && (are_all_declared(program_, chain) || are_all_of_parameter(function, chain))) return;
    const bool at_decision = stands_at_decision(id, use);
    Finding finding = finding_at(program_, kRule, id, at_decision ? decision_of(use) : use.use->span);
    const bool is_test = program::is_test_path(finding.path);
    finding.category = Category::kCorrectness;
    switch (use.certainty) {
      case UnboundUse::Certainty::kAlways:
        finding.severity = is_test ? Severity::kP1 : Severity::kP0;
        finding.certainty = FindingCertainty::kProven;
        break;
      case UnboundUse::Certainty::kSomePath:
        finding.severity = is_test ? Severity::kP2 : Severity::kP1;
        finding.certainty = FindingCertainty::kLikely;
        break;
      case UnboundUse::Certainty::kMaybe:
        finding.severity = Severity::kP2;
        finding.certainty = FindingCertainty::kQuestion;
        break;
    }
    describe_path(id, use, names, at_decision, finding);
    const std::string key = fmt::format("path {} {}", use.name, static_cast<int>(use.certainty));
    std::string cause;
    if (use.skipped_by != nullptr && use.skip != UnboundUse::Skip::kDeleted) {
      cause = fmt::format("{} {} {}", finding.path, use.skipped_by->span.begin, decision_of(use).begin);
    }
    hits.push_back(
        {key, std::move(finding), std::move(cause), std::string(use.name), statement_of(program_, id, use.use->span)});
  }

  /// The branches that ask for one value after another and none of which was taken; empty for other ways.
  static ValueChain chain_of(const FileFacts& facts, const UnboundUse& use) {
    const auto* branch = use.skip == UnboundUse::Skip::kNoElse ? as<If>(use.skipped_by) : nullptr;
    return branch == nullptr ? ValueChain() : chain_ending_in(facts, *branch);
  }

  /// Where the name is left without a value: the branch, handler or case, else the `if`.
  static Span decision_of(const UnboundUse& use) {
    if (use.skip == UnboundUse::Skip::kBranch && use.branch.size() > 0) return use.branch;
    const Span span = use.branch.size() > 0 ? use.branch : use.skipped_by->span;
    return {span.begin, span.begin + 1};
  }

  /// The decision is what has to change, and so the place of the finding, unless a review can only comment on the read.
  [[nodiscard]] bool stands_at_decision(ModuleId id, const UnboundUse& use) const {
    if (use.certainty != UnboundUse::Certainty::kSomePath || use.skip == UnboundUse::Skip::kDeleted) return false;
    if (change_ == nullptr) return true;
    const program::Module& module = program_.modules()[id];
    const SourceText& source = module.facts->source();
    return change_->touches_after(module.path, source.line_of(decision_of(use).begin)) ||
           !change_->touches_after(module.path, source.line_of(use.use->span.begin));
  }

  void describe_path(ModuleId id, const UnboundUse& use, const ScopeNames& names, bool at_decision,
                     Finding& finding) const {
    const FileFacts& facts = names.facts();
    const bool is_module = facts.scopes[use.scope].kind == ScopeKind::kModule;
    const std::string_view error = is_module ? "NameError" : "UnboundLocalError";
    using Skip = UnboundUse::Skip;
    if (use.skip == Skip::kDeleted) {
      finding.message = fmt::format("`{}` is used after it was deleted", use.name);
      finding.evidence.push_back(evidence_at(program_, id, first_line_of(*use.skipped_by), "it loses its value here"));
    } else if (use.certainty == UnboundUse::Certainty::kAlways) {
      finding.message = fmt::format("`{}` is read before it has a value", use.name);
    } else {
      const std::string when = describe_skip(facts, use);
      finding.message = at_decision ? fmt::format("`{}` gets no value {}, but is read after it", use.name, when)
                                    : fmt::format("`{}` has no value here {}", use.name, when);
      finding.evidence.push_back(at_decision
                                     ? evidence_at(program_, id, use.use->span, "it is read here")
                                     : evidence_at(program_, id, decision_of(use), "it may stay without a value here"));
    }
    for (const Binding* binding : names.bindings(use.scope, use.name)) {
      if (binding->kind == BindingKind::kDelete || finding.evidence.size() >= 3) continue;
      finding.evidence.push_back(
          evidence_at(program_, id, binding->name_span, fmt::format("`{}` gets a value here", use.name)));
    }
    finding.why = use.certainty == UnboundUse::Certainty::kAlways
                      ? fmt::format("Every path to this line raises {}.", error)
                      : fmt::format("On that path the read raises {}.", error);
    finding.fix = fmt::format("Give `{}` a value before the decision, or on the path that lacks one.", use.name);
    const auto& bindings = names.bindings(ScopeId(0), use.name);
    if (use.certainty == UnboundUse::Certainty::kAlways && !is_module && !bindings.empty()) {
      finding.why +=
          fmt::format(" The module has a `{}` too, but the assignment in this function makes it a local.", use.name);
      finding.fix = fmt::format("Declare `global {}` if the module's is meant, or rename the local.", use.name);
    }
  }

  static Span first_line_of(const Node& node) { return {node.span.begin, node.span.begin + 1}; }

  static std::string describe_skip(const FileFacts& facts, const UnboundUse& use) {
    using Skip = UnboundUse::Skip;
    if (use.skip == Skip::kException) return "when the `try` body raises before it is assigned";
    const auto* branch = as<If>(use.skipped_by);
    if (branch == nullptr) return "when that case is taken";
    if (const ValueChain chain = chain_of(facts, use); chain.values.size() > 1) {
      std::vector<std::string> values;
      for (const std::string_view value : chain.values) values.push_back(fmt::format("`\"{}\"`", value));
      const std::string last = std::exchange(values.back(), {});
      values.pop_back();
      return fmt::format("when `{}` is neither {} nor {}", chain.subject, join(values, ", "), last);
    }
    const std::string condition = quote(facts, branch->condition->span);
    const bool else_side = !branch->orelse.empty() && branch->orelse.front()->span.begin <= use.branch.begin;
    if (use.skip == Skip::kNoElse || else_side) return fmt::format("when `{}` is false", condition);
    return fmt::format("when `{}` is true", condition);
  }

  const Program& program_;
  const ModuleNames& modules_;
  const change::Change* change_;
  std::unordered_map<FunctionId, bool> raises_;
  mutable std::size_t compared_ = 0;  ///< Names held against misspelt ones so far.
};

/// One decision may leave several names without a value: the surest is told, the others with it.
std::vector<Finding> told_once_for_each_cause(std::vector<NameHit> hits) {
  struct Group {
    Finding* lead = nullptr;
    std::string lead_subject;
    std::vector<std::string> others;
  };
  std::unordered_map<std::string_view, Group> groups;
  std::vector<Finding> told;
  told.reserve(hits.size());  // Groups point into it.
  for (NameHit& hit : hits) {
    Group* group = hit.cause.empty() ? nullptr : &groups[hit.cause];
    if (group == nullptr || group->lead == nullptr) {
      told.push_back(std::move(hit.finding));
      if (group != nullptr) group->lead = &told.back(), group->lead_subject = hit.subject;
      continue;
    }
    if (hit.finding.severity < group->lead->severity) {
      std::swap(hit.finding, *group->lead);
      std::swap(hit.subject, group->lead_subject);
    }
    const std::string other = fmt::format("`{}`", hit.subject);
    if (std::find(group->others.begin(), group->others.end(), other) == group->others.end()) {
      group->others.push_back(other);
    }
  }
  for (auto& [cause, group] : groups) {
    std::erase(group.others, fmt::format("`{}`", group.lead_subject));
    if (group.others.empty()) continue;
    group.lead->message += fmt::format("; the same holds for {}", change::list_names(group.others));
    group.lead->fix = "Give them a value before the decision, or on the path that lacks one.";
  }
  return told;
}

void run_check(const RuleContext& context, std::vector<Finding>& findings) {
  const ModuleNames names(context.program, context.files);
  Checker checker(context.program, names);
  const ModuleMembers members(context.program, names);
  std::vector<NameHit> hits;
  for (std::size_t i = 0; i < context.program.modules().size(); ++i) {
    const ModuleId id(i);
    if (!is_wanted(context, context.program.modules()[id].path)) continue;
    checker.check_names(id, hits);
    members.check(id, hits);
  }
  // Questions are for an author who is there to answer.
  std::erase_if(hits, [](const NameHit& hit) { return hit.finding.certainty == FindingCertainty::kQuestion; });
  for (Finding& finding : told_once_for_each_cause(std::move(hits))) findings.push_back(std::move(finding));
}

/// Names of the changed files; members of modules everywhere, for a change may remove what others import.
void run_review(const RuleContext& context, std::vector<Finding>& findings) {
  std::vector<NameHit> after, before;
  const ModuleNames names(context.program, context.files);
  Checker checker(context.program, names, context.change);
  const ModuleMembers members(context.program, names, context.before, context.change);
  const ChangedModules changed(context.program, *context.before);
  for (std::size_t i = 0; i < context.program.modules().size(); ++i) {
    if (members.may_differ(ModuleId(i), changed)) members.check(ModuleId(i), after);
  }
  for (const change::FileSummary& file : context.change->files) {
    const ModuleId now = context.program.find_path(file.file->new_path);
    if (now.valid()) checker.check_names(now, after);
  }
  for (Finding& finding : imports_left_failing(context, names)) findings.push_back(std::move(finding));
  if (after.empty()) return;
  const ModuleNames names_before(*context.before, context.files_before);
  Checker earlier(*context.before, names_before);
  const ModuleMembers members_before(*context.before, names_before);
  for (const change::FileSummary& file : context.change->files) {
    const ModuleId then = context.before->find_path(file.file->old_path);
    if (then.valid()) earlier.check_names(then, before);
  }
  // What was wrong with an import before is not the change's doing.
  std::set<std::string_view> paths;
  for (const NameHit& hit : after) paths.insert(hit.finding.path);
  for (const std::string_view path : paths) {
    const ModuleId then = context.before->find_path(path);
    if (then.valid()) members_before.check(then, before);
  }
  for (Finding& finding : told_once_for_each_cause(introduced_hits(std::move(after), before))) {
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void run_undefined_name(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr && context.before != nullptr) {
    run_review(context, findings);
  } else {
    run_check(context, findings);
  }
}

}  // namespace lockstep::rules
