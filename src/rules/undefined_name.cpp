// undefined-name: reads of names that nothing binds, names imported from modules of the repository that do not define
// them or are no longer there (a module of that name with these names lies elsewhere in the package), and locals that
// some path reads before any assignment.
//
// Left out: string annotations, attributes of objects (of modules only), files with `exec` or whose source is broken.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "program/module_names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/flow.h"
#include "rules/module_names.h"
#include "rules/names.h"
#include "rules/place.h"
#include "rules/receivers.h"
#include "rules/rule_functions.h"
#include "rules/signatures.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "undefined-name";
constexpr std::size_t kMinSimilarLength = 4;
constexpr int kMostParts = 32;  // of a dotted name of a module

/// A hit (place.h), and the decision that leads to it.
struct NameHit {
  std::string key;
  Finding finding;
  std::string cause{};    ///< Equal for the names of one side that one decision leaves without a value; or empty.
  std::string subject{};  ///< With a cause: the name.
};

/// Everything of one program that the rule needs; one for each side of a change.
class Checker {
 public:
  /// `change`: where a finding may choose between two places, it takes the one that the change touches; may be null.
  explicit Checker(const Program& program, const change::Change* change = nullptr)
      : program_(program), modules_(program), change_(change) {}

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

  /// True if the module, or one that it imports from, is in `changed`.
  [[nodiscard]] bool may_differ(ModuleId id, const ChangedModules& changed) const {
    if (changed.contains(id)) return true;
    const auto& imports = program_.modules()[id].facts->imports;
    return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& import) {
      const ModuleId target = modules_.imported_module(id, import.level, import.module);
      if (target.valid() && changed.contains(target)) return true;
      if (!target.valid() && package_of_missing(id, import).valid()) return true;
      if (!target.valid() || import.name.empty()) return !target.valid() && import.level > 0;
      const ModuleId inner = program_.find_module(program_.modules()[target].name + "." + std::string(import.name));
      return inner.valid() && changed.contains(inner);
    });
  }

  /// `from module import name` and `module.name` where a module of the repository has no such name.
  void check_module_members(ModuleId id, std::vector<NameHit>& hits) {
    const FileFacts& facts = *program_.modules()[id].facts;
    if (!facts.file->problems.empty()) return;
    bool any_internal = false;
    for (const ImportedName& import : facts.imports) any_internal = check_import(id, import, hits) || any_internal;
    if (any_internal) check_attributes(id, hits);
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
    hits.push_back({fmt::format("unbound {} {}", name, line_text(id, use.name->span)), std::move(finding)});
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
  static std::string_view similar_name(const ScopeNames& names, const NameUse& use) {
    const std::string_view name = use.name->id;
    if (name.size() < kMinSimilarLength) return {};
    const std::size_t limit = name.size() >= 8 ? 2 : 1;
    std::string_view best;
    std::size_t best_distance = limit + 1;
    const FileFacts& facts = names.facts();
    for (ScopeId scope = use.scope; scope.valid(); scope = facts.scopes[scope].parent) {
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
    const std::string key =
        fmt::format("path {} {} {}", use.name, static_cast<int>(use.certainty), line_text(id, use.use->span));
    std::string cause;
    if (use.skipped_by != nullptr && use.skip != UnboundUse::Skip::kDeleted) {
      cause = fmt::format("{} {} {}", finding.path, use.skipped_by->span.begin, decision_of(use).begin);
    }
    hits.push_back({key, std::move(finding), std::move(cause), std::string(use.name)});
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
    const std::string condition = quote(facts, branch->condition->span);
    const bool else_side = !branch->orelse.empty() && branch->orelse.front()->span.begin <= use.branch.begin;
    if (use.skip == Skip::kNoElse || else_side) return fmt::format("when `{}` is false", condition);
    return fmt::format("when `{}` is true", condition);
  }

  // -------------------------------------------------------------------------------------------------------------
  // Members of modules

  /// True if the import names a module of the program.
  bool check_import(ModuleId id, const ImportedName& import, std::vector<NameHit>& hits) {
    const ModuleId target = modules_.imported_module(id, import.level, import.module);
    if (!target.valid()) check_moved(id, import, hits);
    if (!target.valid() || import.name.empty() || import.name == "*") return target.valid();
    if (import.in_try || import.in_type_checking || target == id) return true;
    if (import.level == 0 && !may_import(program_, id, target)) return true;
    const ModuleNames::Answer answer = modules_.has(target, import.name);
    if (answer != ModuleNames::Answer::kNo && answer != ModuleNames::Answer::kOnlyTypeChecking) return true;
    // A package may hold compiled or generated modules that are no Python source.
    const program::Module& module = program_.modules()[target];
    if (module.is_package && !looks_like_symbol(import.name)) return true;
    Finding finding = finding_at(program_, kRule, id, import.span);
    finding.severity = program::is_test_path(finding.path) || module.is_package ? Severity::kP1 : Severity::kP0;
    finding.certainty = module.is_package ? FindingCertainty::kLikely : FindingCertainty::kProven;
    finding.category = Category::kCorrectness;
    finding.message = fmt::format("`{}` does not define `{}`", module.name, import.name);
    finding.why = "Running this import raises ImportError, and with it every import of this module.";
    describe_missing(target, import.name, answer, finding);
    hits.push_back(
        {fmt::format("import {} {} {}", program_.modules()[id].name, module.name, import.name), std::move(finding)});
    return true;
  }

  /// The package of the program that would hold the module of an import, where there is no such module.
  [[nodiscard]] ModuleId package_of_missing(ModuleId id, const ImportedName& import) const {
    const std::string full = program::absolute_name(program_.modules()[id], import.level, import.module);
    const std::size_t dot = full.rfind('.');
    if (dot == std::string::npos || program_.find_module(full).valid()) return {};
    const ModuleId package = program_.find_module(std::string_view(full).substr(0, dot));
    return package.valid() && program_.modules()[package].is_package ? package : ModuleId();
  }

  /// An import of a module that is not in its package, where the package has a module of that name, with the imported
  /// name, elsewhere: it was moved.
  void check_moved(ModuleId id, const ImportedName& import, std::vector<NameHit>& hits) const {
    const ModuleId package = package_of_missing(id, import);
    if (!package.valid() || import.in_type_checking || !may_import(program_, id, package)) return;
    if (import.name.empty() || import.name == "*") return;  // Nothing shows that the other module is meant.
    const std::string full = program::absolute_name(program_.modules()[id], import.level, import.module);
    const ModuleId moved = moved_to(full, import.name);
    if (!moved.valid() || may_be_made(id, package, full) || (import.in_try && has_other_import(id, import))) return;
    const std::string key = fmt::format("moved {} {}", program_.modules()[id].name, full);
    Finding finding = finding_at(program_, kRule, id, import.statement->span);
    // Each name of one statement comes by itself.
    if (!hits.empty() && hits.back().key == key && hits.back().finding.start_line == finding.start_line) return;
    finding.severity = import.in_try                         ? Severity::kP2
                       : program::is_test_path(finding.path) ? Severity::kP1
                                                             : Severity::kP0;
    finding.certainty = import.in_try ? FindingCertainty::kLikely : FindingCertainty::kProven;
    finding.category = Category::kCorrectness;
    finding.message = fmt::format("There is no module `{}`", full);
    finding.why = import.in_try ? "The import always fails, and the `try` around it takes the other way each time."
                                : "Running this import raises ModuleNotFoundError.";
    finding.fix = fmt::format("`{}` is what has this name: import it from there.", program_.modules()[moved].name);
    finding.evidence.push_back({program_.modules()[moved].path, 0, "the module of this name"});
    hits.push_back({key, std::move(finding)});
  }

  /// The one module of the package of `full` that has its last part as its name, and `name` in it.
  [[nodiscard]] ModuleId moved_to(std::string_view full, std::string_view name) const {
    const std::string_view last = full.substr(full.rfind('.'));
    const std::string_view top = full.substr(0, full.find('.') + 1);
    if (!looks_like_symbol(last.substr(1))) return {};
    ModuleId found;
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const ModuleId id(i);
      const program::Module& module = program_.modules()[id];
      if (!module.name.starts_with(top) || !module.name.ends_with(last) || program::is_test_path(module.path)) continue;
      if (modules_.has(id, name) != ModuleNames::Answer::kYes) continue;
      if (found.valid()) return {};
      found = id;
    }
    return found;
  }

  /// The module may be there all the same: beside the file, on a path that the package adds, or put into `sys.modules`.
  [[nodiscard]] bool may_be_made(ModuleId id, ModuleId package, const std::string& full) const {
    std::string relative = full;
    std::replace(relative.begin(), relative.end(), '.', '/');
    const std::string_view path = program_.modules()[id].path;
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
      const std::string below = std::string(path.substr(0, slash + 1)) + relative;
      if (program_.find_path(below + ".py").valid() || program_.find_path(below + "/__init__.py").valid()) return true;
    }
    const std::string_view source = program_.modules()[package].facts->source().bytes();
    for (const std::string_view way : {"__path__", "__getattr__", "sys.modules", "__import__", "import_module"}) {
      if (contains(source, way)) return true;
    }
    const auto& modules = program_.modules();
    return std::any_of(modules.begin(), modules.end(), [&](const program::Module& each) {
      const std::string_view bytes = each.facts->source().bytes();
      return contains(bytes, fmt::format("\"{}\"", full)) || contains(bytes, fmt::format("'{}'", full));
    });
  }

  /// The file imports the name from somewhere else too: one of the two is for another version.
  [[nodiscard]] bool has_other_import(ModuleId id, const ImportedName& import) const {
    const auto& imports = program_.modules()[id].facts->imports;
    return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& other) {
      return &other != &import && other.bound_as == import.bound_as && other.statement != import.statement;
    });
  }

  /// Compiled and generated modules: `_C`, `helpers_cpp`, `messages_pb2`, `_version`, ….
  static bool looks_like_symbol(std::string_view name) {
    return !name.starts_with('_') && name != "version" && !name.ends_with("_pb2") && !name.ends_with("_pb2_grpc") &&
           !contains(name, "cpp") && !contains(name, "cuda") && !name.ends_with("_ext") && !name.ends_with("_C");
  }

  void describe_missing(ModuleId target, std::string_view name, ModuleNames::Answer answer, Finding& finding) const {
    finding.evidence.push_back({program_.modules()[target].path, 0, "the module that is imported from"});
    if (answer == ModuleNames::Answer::kOnlyTypeChecking) {
      finding.message += " at run time: it imports it only under `if TYPE_CHECKING:`";
      finding.fix = "Import it from where it is defined.";
      return;
    }
    const auto definers = modules_.definers(name);
    if (definers.size() == 1) {
      finding.fix = fmt::format("`{}` defines it: import it from there.", definers[0]);
      return;
    }
    const FileFacts& facts = *program_.modules()[target].facts;
    std::string_view best;
    std::size_t best_distance = 4;
    for (const Binding& binding : facts.scopes[ScopeId(0)].bindings) {
      const std::size_t distance = edit_distance(name, binding.name, 3);
      if (distance < best_distance) best = binding.name, best_distance = distance;
    }
    finding.fix = best.empty() ? fmt::format("Define `{}` there, or drop the use.", name)
                               : fmt::format("It defines `{}`: probably that is meant.", best);
  }

  /// What was said of the members of modules in one file, and the names that it has as texts.
  struct Told {
    std::set<std::pair<FunctionId, std::string_view>> members;
    std::optional<std::unordered_set<std::string_view>> texts;

    /// True if hasattr or getattr may ask for the name.
    bool asks(const FileFacts& facts, std::string_view name) {
      if (!texts) {
        texts.emplace();
        walk_of<Constant>(facts.tree(), Nested::kEnter, [&](const Constant* each) {
          if (each->constant_kind == ConstantKind::kStr) texts->insert(each->text);
        });
      }
      return texts->contains(name);
    }
  };

  void check_attributes(ModuleId id, std::vector<NameHit>& hits) {
    const FileFacts& facts = *program_.modules()[id].facts;
    const std::unordered_set<std::string_view> imported = names_of_modules(id);
    if (imported.empty()) return;
    std::unordered_map<const Node*, const Attribute*> parents;  // Of `module` and `module.name`.
    walk_of<Attribute>(facts.tree(), Nested::kEnter, [&](const Attribute* attribute) {
      if (imported.contains(root_of(*attribute))) parents[attribute->value] = attribute;
    });
    if (parents.empty()) return;
    const ScopeNames names(facts);
    Told told;
    visit_name_uses(facts, [&](const NameUse& use) {
      if (!use.evaluated || use.in_type_checking || use.in_unreachable || use.broadly_caught ||
          use.attribute_error_caught || !parents.contains(use.name))
        return;
      ModuleId module = module_named(id, names, use);
      const Node* at = use.name;
      while (module.valid()) {
        const auto parent = parents.find(at);
        if (parent == parents.end()) return;
        const Attribute& attribute = *parent->second;
        const ModuleId inner =
            program_.find_module(program_.modules()[module].name + "." + std::string(attribute.name.text));
        if (!inner.valid()) return check_member(id, module, attribute, told, hits);
        module = inner;
        at = &attribute;
      }
    });
  }

  /// Names that some import of the file may bind to a module of the program.
  [[nodiscard]] std::unordered_set<std::string_view> names_of_modules(ModuleId id) const {
    std::unordered_set<std::string_view> names;
    for (const ImportedName& import : program_.modules()[id].facts->imports) {
      ModuleId named;
      if (import.name.empty()) {
        const std::string_view head = import.module.substr(0, import.module.find('.'));
        named = program_.find_module(head);  // `import a.b` binds `a`, `import a.b as c` what `a.b` stands for.
        if (!named.valid()) named = program_.find_module(import.module);
      } else if (const ModuleId package = modules_.imported_module(id, import.level, import.module); package.valid()) {
        named = program_.find_module(program_.modules()[package].name + "." + std::string(import.name));
      }
      if (named.valid()) names.insert(import.bound_as);
    }
    return names;
  }

  /// "a" of `a.b.c`; empty where the chain hangs on something else, or is longer than names of modules are.
  static std::string_view root_of(const Attribute& attribute) {
    const Expr* at = attribute.value;
    for (int i = 0; i < kMostParts && is<Attribute>(at); ++i) at = as<Attribute>(at)->value;
    const auto* name = as<Name>(at);
    return name == nullptr ? std::string_view{} : name->id;
  }

  /// The module that a name stands for through its only kind of binding, imports of modules of the program.
  [[nodiscard]] ModuleId module_named(ModuleId id, const ScopeNames& names, const NameUse& use) const {
    const ScopeId home = names.find(use.scope, use.name->id);
    if (!home.valid()) return {};
    const auto& bindings = names.bindings(home, use.name->id);
    ModuleId module;
    for (const Binding* binding : bindings) {
      if (binding->kind != BindingKind::kImport) return {};
      const ModuleId named = module_of_import(id, *binding);
      if (!named.valid() || (module.valid() && module != named)) return {};
      module = named;
    }
    return module;
  }

  [[nodiscard]] ModuleId module_of_import(ModuleId id, const Binding& binding) const {
    const auto* alias = as<Alias>(binding.node);
    if (alias == nullptr) return {};
    if (const auto* from = as<ImportFrom>(binding.owner)) {
      const ModuleId package = modules_.imported_module(id, from->level, from->module.text);
      if (!package.valid()) return {};
      // The package may bind the name to something else than its submodule.
      const auto& facts = *program_.modules()[package].facts;
      const ScopeId top(0);
      for (const Binding& other : facts.scopes[top].bindings) {
        if (other.name == alias->name.text && other.kind != BindingKind::kImport) return {};
      }
      return program_.find_module(program_.modules()[package].name + "." + std::string(alias->name.text));
    }
    const std::string_view dotted = alias->name.text;
    return program_.find_module(alias->as_name.text.empty() ? dotted.substr(0, dotted.find('.')) : dotted);
  }

  void check_member(ModuleId id, ModuleId target, const Attribute& attribute, Told& told,
                    std::vector<NameHit>& hits) const {
    const std::string_view name = attribute.name.text;
    if (attribute.context != ExprContext::kLoad || !may_import(program_, id, target)) return;
    const program::Module& module = program_.modules()[target];
    const ModuleNames::Answer answer = modules_.has(target, name);
    if (answer != ModuleNames::Answer::kNo && answer != ModuleNames::Answer::kOnlyTypeChecking) return;
    if (module.is_package && !looks_like_symbol(name)) return;
    if (module.is_package && answer == ModuleNames::Answer::kNo && module.facts->scopes[ScopeId(0)].bindings.empty())
      return;
    if (told.asks(*program_.modules()[id].facts, name)) return;
    if (!told.members.insert({program_.function_at(id, attribute.span.begin), name}).second) return;
    Finding finding = finding_at(program_, kRule, id, attribute.span);
    finding.severity = program::is_test_path(finding.path) || module.is_package ? Severity::kP1 : Severity::kP0;
    finding.certainty = module.is_package ? FindingCertainty::kLikely : FindingCertainty::kProven;
    finding.category = Category::kCorrectness;
    finding.message = fmt::format("`{}` does not define `{}`", module.name, name);
    finding.why = "This line raises AttributeError whenever it runs.";
    describe_missing(target, name, answer, finding);
    const std::string key = fmt::format("member {} {} {}", module.name, name, line_text(id, attribute.span));
    hits.push_back({key, std::move(finding)});
  }

  // -------------------------------------------------------------------------------------------------------------

  [[nodiscard]] std::string line_text(ModuleId id, Span span) const {
    const SourceText& source = program_.modules()[id].facts->source();
    return std::string(trim(source.line(source.line_of(span.begin))));
  }

  const Program& program_;
  const ModuleNames modules_;
  const change::Change* change_;
  std::unordered_map<FunctionId, bool> raises_;
};

constexpr std::size_t kMostListed = 4;

/// "`a`", "`a` and `b`", "`a`, `b` and 3 others".
std::string listed(std::vector<std::string> names) {
  if (names.size() > kMostListed) {
    const std::size_t left = names.size() - (kMostListed - 1);
    names.resize(kMostListed - 1);
    names.push_back(fmt::format("{} others", left));
  }
  if (names.size() == 1) return names[0];
  const std::string last = names.back();
  names.pop_back();
  return join(names, ", ") + " and " + last;
}

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
    group.lead->message += fmt::format("; the same holds for {}", listed(group.others));
    group.lead->fix = "Give them a value before the decision, or on the path that lacks one.";
  }
  return told;
}

void run_check(const RuleContext& context, std::vector<Finding>& findings) {
  Checker checker(context.program);
  std::vector<NameHit> hits;
  for (std::size_t i = 0; i < context.program.modules().size(); ++i) {
    const ModuleId id(i);
    if (!is_wanted(context, context.program.modules()[id].path)) continue;
    checker.check_names(id, hits);
    checker.check_module_members(id, hits);
  }
  // Questions are for an author who is there to answer.
  std::erase_if(hits, [](const NameHit& hit) { return hit.finding.certainty == FindingCertainty::kQuestion; });
  for (Finding& finding : told_once_for_each_cause(std::move(hits))) findings.push_back(std::move(finding));
}

/// Names of the changed files; members of modules everywhere, for a change may remove what others import.
void run_review(const RuleContext& context, std::vector<Finding>& findings) {
  std::vector<NameHit> after, before;
  Checker checker(context.program, context.change);
  const ChangedModules changed(context.program, *context.before);
  for (std::size_t i = 0; i < context.program.modules().size(); ++i) {
    if (checker.may_differ(ModuleId(i), changed)) checker.check_module_members(ModuleId(i), after);
  }
  for (const change::FileSummary& file : context.change->files) {
    const ModuleId now = context.program.find_path(file.file->new_path);
    if (now.valid()) checker.check_names(now, after);
  }
  if (after.empty()) return;
  Checker earlier(*context.before);
  for (const change::FileSummary& file : context.change->files) {
    const ModuleId then = context.before->find_path(file.file->old_path);
    if (then.valid()) earlier.check_names(then, before);
  }
  // What was wrong with an import before is not the change's doing.
  std::set<std::string_view> paths;
  for (const NameHit& hit : after) paths.insert(hit.finding.path);
  for (const std::string_view path : paths) {
    const ModuleId then = context.before->find_path(path);
    if (then.valid()) earlier.check_module_members(then, before);
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
