#include "rules/names/module_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/module_names.h"
#include "program/queries.h"
#include "python/characters.h"
#include "python/tree_walk.h"
#include "rules/calls/receivers.h"
#include "rules/calls/signatures.h"
#include "rules/names/compiled_endings.h"
#include "rules/names/failing_imports.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::ModuleId;

namespace {

constexpr std::string_view kRule = "undefined-name";
constexpr int kMostParts = 32;  // of a dotted name of a module

/// The path of a module without what makes it one: `a/b` of `a/b.py` and of `a/b/__init__.py`.
std::string_view module_path(std::string_view path) {
  for (const std::string_view end : {"/__init__.py", ".py"}) {
    if (path.ends_with(end)) path.remove_suffix(end.size());
  }
  return path;
}

/// "a" of `a.b.c`; empty where the chain hangs on something else, or is longer than names of modules are.
std::string_view root_of(const Attribute& attribute) {
  const Expr* at = attribute.value;
  for (int i = 0; i < kMostParts && is<Attribute>(at); ++i) at = as<Attribute>(at)->value;
  const auto* name = as<Name>(at);
  return name == nullptr ? std::string_view{} : name->id;
}

}  // namespace

bool ModuleMembers::may_differ(ModuleId id, const ChangedModules& changed) const {
  if (changed.contains(id)) return true;
  const auto& imports = program_.modules()[id].facts->imports;
  return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& import) {
    const ModuleId target = modules_.imported_module(id, import.level, import.module);
    if (target.valid() && (changed.contains(target) || (!import.name.empty() && was_compiled(import.name))))
      return true;
    if (!target.valid() && package_of_missing(id, import).valid()) return true;
    if (!target.valid() || import.name.empty()) return !target.valid() && import.level > 0;
    const ModuleId inner = program_.find_module(program_.modules()[target].name + "." + std::string(import.name));
    return inner.valid() && changed.contains(inner);
  });
}

void ModuleMembers::check(ModuleId id, std::vector<NameHit>& hits) const {
  const FileFacts& facts = *program_.modules()[id].facts;
  if (!facts.file->problems.empty()) return;
  bool any_internal = false;
  for (const ImportedName& import : facts.imports) any_internal = check_import(id, import, hits) || any_internal;
  if (any_internal) check_attributes(id, hits);
}

// -------------------------------------------------------------------------------------------------------------
// Members of modules

/// True if the import names a module of the program.
bool ModuleMembers::check_import(ModuleId id, const ImportedName& import, std::vector<NameHit>& hits) const {
  const ModuleId target = modules_.imported_module(id, import.level, import.module);
  if (!target.valid()) check_moved(id, import, hits);
  if (!target.valid()) return false;
  const std::optional<LackedName> lacked = lacked_name(program_, modules_, id, import);
  if (!lacked) return true;
  const program::Module& module = program_.modules()[target];
  // Of a package: "package.name" as a text is what a build is told to make.
  if (module.is_package && named_in_texts().whole.contains(fmt::format("{}.{}", module.name, import.name))) return true;
  Finding finding = finding_at(program_, kRule, id, import.span);
  finding.severity = program::is_test_path(finding.path) || module.is_package ? Severity::kP1 : Severity::kP0;
  finding.certainty = module.is_package ? FindingCertainty::kLikely : FindingCertainty::kProven;
  finding.category = Category::kCorrectness;
  finding.message = fmt::format("`{}` does not define `{}`", module.name, import.name);
  finding.why = "Running this import raises ImportError, and with it every import of this module.";
  describe_missing(target, import.name, lacked->answer, finding);
  hits.push_back(
      {fmt::format("import {} {} {}", program_.modules()[id].name, module.name, import.name), std::move(finding)});
  return true;
}

/// The package of the program that would hold the module of an import, where there is no such module.
ModuleId ModuleMembers::package_of_missing(ModuleId id, const ImportedName& import) const {
  const std::string full = program::absolute_name(program_.modules()[id], import.level, import.module);
  const std::size_t dot = full.rfind('.');
  if (dot == std::string::npos || program_.find_module(full).valid()) return {};
  const ModuleId package = program_.find_module(std::string_view(full).substr(0, dot));
  return package.valid() && program_.modules()[package].is_package ? package : ModuleId();
}

/// An import of a module that is not in its package: the change takes it away, or the package has a module of that
/// name, with the imported name, elsewhere. Certain where the change itself takes it away and nothing that is no Python
/// source looks like it.
void ModuleMembers::check_moved(ModuleId id, const ImportedName& import, std::vector<NameHit>& hits) const {
  const ModuleId package = package_of_missing(id, import);
  if (!package.valid() || import.in_type_checking || !may_import(program_, id, package)) return;
  const std::string full = program::absolute_name(program_.modules()[id], import.level, import.module);
  const std::string_view last = std::string_view(full).substr(full.rfind('.') + 1);
  const bool by_change = before_ != nullptr && change_ != nullptr && before_->find_module(full).valid();
  // Without a name, nothing shows that another module is meant.
  const ModuleId moved = import.name.empty() || import.name == "*" ? ModuleId() : moved_to(full, import.name);
  const std::string gone = by_change ? before_->modules()[before_->find_module(full)].path : std::string();
  const bool is_deleted = by_change && !import.in_try && is_taken_away(gone);
  if ((!moved.valid() && !is_deleted) || (by_change && has_substitute(gone))) return;
  if (lies_beside(id, full) || may_be_made(full) || (import.in_try && has_other_import(id, import))) return;
  // A file or a module of this name in a text is one that is written or compiled as a package is built:
  // `open("name.py", "w")`, `CppExtension("package.name", …)`.
  const bool may_be_built = named_in_texts().files.contains(last);
  if (may_be_built && (!by_change || !moved.valid())) return;
  // Of files that stay, and are another module now, what the others name is not known.
  const bool is_sure = by_change && is_taken_away(gone) && !may_be_built && !is_named_by_other_files(last);
  if (!is_sure && !moved.valid()) return;
  const std::string key = fmt::format("moved {} {}", program_.modules()[id].name, full);
  Finding finding = finding_at(program_, kRule, id, import.statement->span);
  // Each name of one statement comes by itself.
  if (!hits.empty() && hits.back().key == key && hits.back().finding.start_line == finding.start_line) return;
  const bool in_run = is_sure && !program::is_test_path(finding.path) && !stands_under_condition(id, import.span);
  finding.severity = import.in_try ? Severity::kP2 : in_run ? Severity::kP0 : Severity::kP1;
  finding.certainty = is_sure && !import.in_try ? FindingCertainty::kProven : FindingCertainty::kLikely;
  finding.category = Category::kCorrectness;
  finding.message = is_sure && !moved.valid()
                        ? fmt::format("There is no module `{}` any more: the change removes `{}`", full, gone)
                    : is_sure   ? fmt::format("There is no module `{}` any more", full)
                    : by_change ? fmt::format("No Python source is the module `{}` any more", full)
                                : fmt::format("No Python source of the package is the module `{}`", full);
  const std::string_view unless = is_sure ? "" : "Unless something else provides it, ";
  finding.why = import.in_try ? fmt::format("{}{} import always fails, and the `try` around it takes the other way.",
                                            unless, is_sure ? "The" : "the")
                              : fmt::format("{}{} this import raises ModuleNotFoundError.", unless,
                                            is_sure ? "Running" : "running");
  if (moved.valid()) {
    finding.fix = fmt::format("`{}` is what has this name: import it from there.", program_.modules()[moved].name);
    finding.evidence.push_back({program_.modules()[moved].path, 0, "the module of this name"});
  } else {
    finding.fix = "Take the import out, with what needs it, or keep the module.";
  }
  hits.push_back({key, std::move(finding)});
}

/// Whether an `if` of the innermost function, or of the module, holds the place: it may be there for a version or a
/// platform that nobody has any more.
bool ModuleMembers::stands_under_condition(ModuleId id, Span place) const {
  auto known = statements_.find(id);
  if (known == statements_.end()) known = statements_.emplace(id, StatementIndex(*program_.modules()[id].facts)).first;
  for (const Stmt* statement : known->second.around(place.begin)) {
    if (is<If>(statement)) return true;
    if (is<FunctionDef>(statement) || is<ClassDef>(statement)) break;
  }
  return false;
}

ModuleMembers::ChangedPaths::ChangedPaths(const change::Change& change) {
  for (const change::FileSummary& file : change.files) {
    const std::string_view then = file.file->old_path;
    const std::string_view now = file.file->new_path;
    if (!now.empty()) present.insert(now);
    if (then.empty() || then == now) continue;
    taken_away.insert(then);
    if (!is_compiled_file(then.substr(then.rfind('/') + 1))) continue;
    for (const std::string_view part : split(then, '/')) compiled.insert(part.substr(0, part.find('.')));
  }
  std::unordered_set<std::string_view> modules;
  for (const std::string_view path : taken_away) {
    const std::string_view module = module_path(path);
    modules.insert(module.substr(module.rfind('/') + 1));
  }
  const auto note_word = [&](std::string_view word) {
    if (const auto name = modules.find(word); name != modules.end()) named_elsewhere.insert(*name);
  };
  for (const change::FileSummary& file : change.files) {
    const std::string_view path = file.file->new_path;
    if (path.empty() || file.is_python || path.ends_with(".md") || path.ends_with(".rst")) continue;
    const std::string_view base = path.substr(path.rfind('/') + 1);
    named_elsewhere.insert(base.substr(0, base.find('.')));
    if (modules.empty()) continue;
    for (const repo::Hunk& hunk : file.file->lines.hunks()) {
      for (const repo::DiffLine& line : hunk.lines) {
        if (line.kind == repo::LineKind::added) for_each_name(line.text, note_word);
      }
    }
  }
}

const ModuleMembers::ChangedPaths& ModuleMembers::changed_paths() const {
  if (!changed_paths_) changed_paths_.emplace(*change_);
  return *changed_paths_;
}

/// Whether the change deletes the file, or moves it elsewhere.
bool ModuleMembers::is_taken_away(std::string_view path) const { return changed_paths().taken_away.contains(path); }

/// Whether the change adds a file of this name that is no Python source, or a line with this word to one: it may be
/// compiled from there. Asked of modules that the change takes away.
bool ModuleMembers::is_named_by_other_files(std::string_view name) const {
  return changed_paths().named_elsewhere.contains(name);
}

/// Whether the change takes away a file of another language that may have been the module `name` of a package, or was
/// in a folder of that name.
bool ModuleMembers::was_compiled(std::string_view name) const {
  return change_ != nullptr && changed_paths().compiled.contains(name);
}

/// True if the change leaves another file that may stand for the module at `path`: `name.pyx`, `name.cpp`, a link.
bool ModuleMembers::has_substitute(std::string_view path) const {
  const auto& present = changed_paths().present;
  const std::string module(module_path(path));
  const auto has_below = [&](const std::string& start) {
    const auto first = present.lower_bound(start);
    return first != present.end() && first->starts_with(start);
  };
  return present.contains(module) || has_below(module + ".") || has_below(module + "/");
}

ModuleMembers::NamedInTexts::NamedInTexts(const program::Program& program) {
  constexpr auto kEnds = std::to_array<std::string_view>({"py", "pyx", "pyd", "so", "cu", "c", "cc", "cpp", "cxx"});
  const auto word_before = [](std::string_view text, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
    return text.substr(begin, end - begin);
  };
  const auto add = [&](std::string_view text) {
    if (const std::string_view last = word_before(text, text.size()); !last.empty()) files.insert(last);
    const bool is_dotted = std::all_of(text.begin(), text.end(), [](char c) { return is_name_byte(c) || c == '.'; });
    if (is_dotted && !text.empty()) whole.insert(text);
    for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
      std::size_t end = dot + 1;
      while (end < text.size() && is_name_byte(text[end])) ++end;
      const std::string_view word = word_before(text, dot);
      if (!word.empty() && std::find(kEnds.begin(), kEnds.end(), text.substr(dot + 1, end - dot - 1)) != kEnds.end())
        files.insert(word);
    }
  };
  for (const program::Module& module : program.modules()) {
    walk_of<Constant>(module.facts->tree(), Nested::kEnter, [&](const Constant* text) {
      if (text->constant_kind == ConstantKind::kStr) add(text->text);
    });
  }
}

const ModuleMembers::NamedInTexts& ModuleMembers::named_in_texts() const {
  if (!texts_) texts_.emplace(program_);
  return *texts_;
}

/// The one module of the package of `full` that has its last part as its name, and `name` in it.
ModuleId ModuleMembers::moved_to(std::string_view full, std::string_view name) const {
  const std::string_view last = full.substr(full.rfind('.') + 1);
  const std::string_view top = full.substr(0, full.find('.') + 1);
  if (!looks_like_symbol(last)) return {};
  if (by_last_part_.empty()) {
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::Module& module = program_.modules()[ModuleId(i)];
      const std::size_t dot = module.name.rfind('.');
      if (dot == std::string::npos || program::is_test_path(module.path)) continue;
      by_last_part_[std::string_view(module.name).substr(dot + 1)].push_back(ModuleId(i));
    }
  }
  const auto [known, is_new] = moved_.try_emplace(fmt::format("{} {}", full, name));
  if (!is_new) return known->second;
  const auto same = by_last_part_.find(last);
  if (same == by_last_part_.end()) return {};
  ModuleId found;
  for (const ModuleId id : same->second) {
    if (!program_.modules()[id].name.starts_with(top)) continue;
    if (modules_.has(id, name) != ModuleNames::Answer::kYes) continue;
    if (found.valid()) return {};
    found = id;
  }
  known->second = found;
  return found;
}

/// The module is there all the same: the file that imports it lies in a folder that is a root of imports by itself.
bool ModuleMembers::lies_beside(ModuleId id, const std::string& full) const {
  std::string relative = full;
  std::replace(relative.begin(), relative.end(), '.', '/');
  const std::string_view path = program_.modules()[id].path;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    const std::string below = std::string(path.substr(0, slash + 1)) + relative;
    if (program_.find_path(below + ".py").valid() || program_.find_path(below + "/__init__.py").valid()) return true;
  }
  return false;
}

/// The module may be there all the same: on a path that a package above it adds, or put into `sys.modules`.
bool ModuleMembers::may_be_made(const std::string& full) const {
  const auto [known, is_new] = made_.try_emplace(full, true);
  if (!is_new) return known->second;
  std::string_view above = full;
  for (std::size_t dot = above.rfind('.'); dot != std::string_view::npos; dot = above.rfind('.')) {
    above = above.substr(0, dot);
    const ModuleId package = program_.find_module(above);
    if (!package.valid()) continue;
    const std::string_view source = program_.modules()[package].facts->source().bytes();
    for (const std::string_view way : {"__path__", "__getattr__", "sys.modules", "__import__", "import_module"}) {
      if (contains(source, way)) return true;
    }
  }
  if (package_makes_modules(full.substr(0, full.find('.')))) return true;
  known->second = named_in_texts().whole.contains(full);
  return known->second;
}

/// True if a module of the package puts modules under names that it computes into `sys.modules`, or hooks into imports.
bool ModuleMembers::package_makes_modules(const std::string& top) const {
  const auto [known, is_new] = makers_.try_emplace(top, false);
  if (!is_new) return known->second;
  const auto& modules = program_.modules();
  known->second = std::any_of(modules.begin(), modules.end(), [&](const program::Module& module) {
    if (module.name != top && !(module.name.starts_with(top) && module.name[top.size()] == '.')) return false;
    const std::string_view source = module.facts->source().bytes();
    if (contains(source, "meta_path") || contains(source, "path_hooks")) return true;
    bool found = false;
    if (!contains(source, "sys.modules") && !contains(source, "sys import")) return found;
    const auto is_table = [](const Expr* expression) { return last_part_of(expression) == "modules"; };
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* assign = as<Assign>(node)) {
        for (const Expr* target : assign->targets) {
          const auto* part = as<Subscript>(target);
          found = found || (part != nullptr && is_table(part->value) && text_of(part->index).empty() &&
                            name_of(part->index) != "__name__");
        }
      } else if (const auto* call = as<Call>(node)) {
        const auto* method = as<Attribute>(call->callee);
        found = found || (method != nullptr && is_table(method->value) &&
                          (method->name.text == "update" || method->name.text == "setdefault"));
      }
    });
    return found;
  });
  return known->second;
}

/// The file imports the name from somewhere else too: one of the two is for another version.
bool ModuleMembers::has_other_import(ModuleId id, const ImportedName& import) const {
  const auto& imports = program_.modules()[id].facts->imports;
  return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& other) {
    return &other != &import && other.bound_as == import.bound_as && other.statement != import.statement;
  });
}

void ModuleMembers::describe_missing(ModuleId target, std::string_view name, ModuleNames::Answer answer,
                                     Finding& finding) const {
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

bool ModuleMembers::Told::asks(const FileFacts& facts, std::string_view name) {
  if (!texts) {
    texts.emplace();
    walk_of<Constant>(facts.tree(), Nested::kEnter, [&](const Constant* each) {
      if (each->constant_kind == ConstantKind::kStr) texts->insert(each->text);
    });
  }
  return texts->contains(name);
}

void ModuleMembers::check_attributes(ModuleId id, std::vector<NameHit>& hits) const {
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
std::unordered_set<std::string_view> ModuleMembers::names_of_modules(ModuleId id) const {
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

/// The module that a name stands for through its only kind of binding, imports of modules of the program.
ModuleId ModuleMembers::module_named(ModuleId id, const ScopeNames& names, const NameUse& use) const {
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

ModuleId ModuleMembers::module_of_import(ModuleId id, const Binding& binding) const {
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

void ModuleMembers::check_member(ModuleId id, ModuleId target, const Attribute& attribute, Told& told,
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
  hits.push_back({.key = fmt::format("member {} {}", module.name, name),
                  .finding = std::move(finding),
                  .place = statement_of(program_, id, attribute.span)});
}

}  // namespace lockstep::rules
