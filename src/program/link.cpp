#include "program/link.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/side_by_side.h"
#include "base/worker_pool.h"
#include "program/definitions.h"
#include "program/flow/results.h"
#include "program/flow/solver.h"
#include "program/hierarchy.h"
#include "program/index.h"
#include "program/module_names.h"
#include "program/resolve.h"

namespace lockstep::program {

/// Fills in a Program step by step; each step reads what the ones before it wrote.
class Linker {
 public:
  Linker(std::vector<SourceFile> files, const LinkOptions& options, flow::CodeShare share = {})
      : files_(std::move(files)), options_(options), share_(share) {
    program_.index_ = index_;
  }

  Program run() {
    std::sort(files_.begin(), files_.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    add_modules();
    add_definitions();
    index_names();
    link_classes();
    add_calls();
    return std::move(program_);
  }

 private:
  void add_modules() {
    ModuleNaming naming = name_modules(files_, options_.links);
    program_.modules_.reserve(files_.size());
    for (std::size_t i = 0; i < files_.size(); ++i) {
      CHECK(i == 0 || files_[i - 1].path != files_[i].path);
      Module module;
      module.name = std::move(naming.names[i]);
      module.path = std::move(files_[i].path);
      module.facts = std::move(files_[i].facts);
      module.is_package = module.path == "__init__.py" || module.path.ends_with("/__init__.py");
      program_.modules_.add(std::move(module));
    }
    index_->script_folder = std::move(naming.script_folders);
    for (auto& [name, file] : naming.aliases) {
      index_->texts.push_back(std::move(name));
      aliases_.emplace_back(index_->texts.back(), ModuleId(file));
    }
  }

  void add_definitions() {
    const std::size_t count = program_.modules_.size();
    std::vector<Definitions> all(count);
    parallel_for(count, options_.jobs, [&](std::size_t i) {
      const Module& module = program_.modules_[ModuleId(i)];
      all[i] = extract_definitions(*module.facts, module.name);
    });
    std::size_t functions = 0;
    std::size_t classes = 0;
    for (const Definitions& each : all) {
      functions += each.functions.size();
      classes += each.classes.size();
    }
    program_.functions_.reserve(functions);
    program_.classes_.reserve(classes);
    index_->functions_of_nodes.reserve(functions);
    index_->classes_of_nodes.reserve(classes);
    for (std::size_t i = 0; i < count; ++i) place(ModuleId(i), std::move(all[i]));
  }

  /// Moves one module's definitions to their place in the program.
  void place(ModuleId id, Definitions definitions) {
    const std::size_t first_function = program_.functions_.size();
    const std::size_t first_class = program_.classes_.size();
    const auto function_id = [&](FunctionId at) { return at.valid() ? FunctionId(first_function + at.index()) : at; };
    const auto class_id = [&](ClassId at) { return at.valid() ? ClassId(first_class + at.index()) : at; };
    Module& module = program_.modules_[id];
    module.body = FunctionId(first_function);
    for (Function& each : definitions.functions) {
      each.module = id;
      each.owner = class_id(each.owner);
      each.enclosing = function_id(each.enclosing);
      const FunctionId at = program_.functions_.add(std::move(each));
      Function& placed = program_.functions_[at];
      const std::string_view name = placed.qualified_name;
      placed.name = name.substr(name.rfind('.') + 1);  // only now: moving a short string moves its characters
      index_->functions_of_nodes.insert(placed.node, at.value);
      if (at != module.body) module.functions.push_back(at);
    }
    for (Class& each : definitions.classes) {
      each.module = id;
      each.owner = class_id(each.owner);
      each.enclosing = function_id(each.enclosing);
      for (FunctionId& method : each.methods) method = function_id(method);
      const ClassId at = program_.classes_.add(std::move(each));
      index_->classes_of_nodes.insert(program_.classes_[at].node, at.value);
      module.classes.push_back(at);
    }
  }

  /// To look through all bindings for each name would take a square of the function's length.
  void index_long_scopes(std::size_t module) {
    constexpr std::size_t kMany = 64;
    const auto& scopes = program_.modules_[ModuleId(module)].facts->scopes;
    for (std::size_t scope = 1; scope < scopes.size(); ++scope) {
      const auto& bindings = scopes[python::ScopeId(scope)].bindings;
      if (bindings.size() < kMany) continue;
      ModuleNames& names = index_->long_scopes[module][static_cast<std::uint32_t>(scope)];
      names.reserve(bindings.size());
      for (std::uint32_t at = 0; at < bindings.size(); ++at) names.emplace_back(bindings[at].name, at);
      std::sort(names.begin(), names.end());
    }
  }

  void index_names() {
    index_->names.resize(program_.modules_.size());
    index_->all.resize(program_.modules_.size());
    index_->long_scopes.resize(program_.modules_.size());
    parallel_for(program_.modules_.size(), options_.jobs, [&](std::size_t i) {
      const auto& bindings = program_.modules_[ModuleId(i)].facts->scopes[python::ScopeId(0)].bindings;
      ModuleNames& names = index_->names[i];
      names.reserve(bindings.size());
      for (std::uint32_t at = 0; at < bindings.size(); ++at) {
        if (bindings[at].kind != python::BindingKind::kDelete) names.emplace_back(bindings[at].name, at);
      }
      std::sort(names.begin(), names.end());
      index_long_scopes(i);
      index_->all[i] = dunder_all(*program_.modules_[ModuleId(i)].facts);
      std::sort(index_->all[i].begin(), index_->all[i].end());
    });
    for (std::size_t i = 0; i < program_.modules_.size(); ++i) {
      const Module& module = program_.modules_[ModuleId(i)];
      index_->module_by_name.emplace(module.name, ModuleId(i));
      index_->module_by_path.emplace(module.path, ModuleId(i));
      add_namespaces(module.name);
    }
    for (const auto& [name, module] : aliases_) {
      index_->module_by_name.emplace(name, module);
      add_namespaces(name);
    }
    // The last definition of a name is what the name means afterwards (overloads, redefinitions).
    index_->function_by_name.reserve(program_.functions_.size());
    for (std::size_t i = 0; i < program_.functions_.size(); ++i) {
      index_->function_by_name[program_.functions_[FunctionId(i)].qualified_name] = FunctionId(i);
    }
    for (std::size_t i = 0; i < program_.classes_.size(); ++i) {
      index_->class_by_name[program_.classes_[ClassId(i)].qualified_name] = ClassId(i);
    }
  }

  void add_namespaces(std::string_view module) {
    for (std::size_t dot = module.rfind('.'); dot != std::string_view::npos; dot = module.rfind('.')) {
      module = module.substr(0, dot);
      if (!index_->namespaces.insert(module).second) break;
    }
  }

  void link_classes() {
    const std::size_t count = program_.classes_.size();
    const Resolver resolver(program_, *index_);
    std::vector<Bases> bases(count);
    for (std::size_t i = 0; i < count; ++i) program_.classes_[ClassId(i)].linearized = {ClassId(i)};
    parallel_for(count, options_.jobs,
                 [&](std::size_t i) { bases[i] = resolve_bases(program_, resolver, program_.classes_[ClassId(i)]); });
    index_->subclasses.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      Class& cls = program_.classes_[ClassId(i)];
      cls.bases = std::move(bases[i].internal);
      cls.external_bases = std::move(bases[i].external);
      for (const ClassId base : cls.bases) index_->subclasses[base.index()].push_back(ClassId(i));
    }
    auto orders = linearize(program_.classes_);
    for (std::size_t i = 0; i < count; ++i) {
      program_.classes_[ClassId(i)].linearized = std::move(orders[i]);
    }
    parallel_for(count, options_.jobs, [&](std::size_t i) { complete_class(resolver, ClassId(i)); });
  }

  void complete_class(const Resolver& resolver, ClassId id) {
    Class& cls = program_.classes_[id];
    auto& ancestors = cls.external_ancestors;
    for (const ClassId each : cls.linearized) {
      const auto& external = program_.classes_[each].external_bases;
      ancestors.insert(ancestors.end(), external.begin(), external.end());
    }
    std::sort(ancestors.begin(), ancestors.end());
    ancestors.erase(std::unique(ancestors.begin(), ancestors.end()), ancestors.end());
    cls.fields = extract_fields(*cls.node, cls.methods, program_.functions_);
    const auto& facts = *program_.modules_[cls.module].facts;
    const python::ScopeId scope = facts.scopes[facts.scope_of_node.at(cls.node)].parent;
    for (const python::Expr* decorator : cls.node->decorators) {
      if (const auto* call = python::as<python::Call>(decorator)) decorator = call->callee;
      const Reference found = resolver.resolve(cls.module, scope, *decorator);
      const bool by_name =
          found.kind == Reference::Kind::kExternal &&
          (found.name.ends_with(".dataclass") || found.name == "attr.s" || found.name == "attrs.define" ||
           found.name == "attr.dataclass" || found.name == "attrs.frozen");
      cls.is_dataclass = cls.is_dataclass || by_name;
    }
  }

  void add_calls() {
    flow::Solver solver(program_, *index_, options_.models, options_.jobs, share_);
    solver.run(options_.beside_calls ? [&] { options_.beside_calls(program_); } : std::function<void()>(),
               options_.with_calls_of_tests);
    solver.release();
    side_by_side(
        options_.jobs,
        [&] {
          flow::add_call_sites(solver, *index_, program_.functions_, program_.calls_, options_.jobs);
          index_callers();
          flow::add_caller_choices(solver, *index_, program_.calls_);
        },
        [&] { flow::add_instances(solver, *index_); });
  }

  void index_callers() {
    const std::size_t count = program_.functions_.size();
    std::vector<std::uint32_t>& starts = index_->caller_starts;
    starts.assign(count + 1, 0);
    for_each_edge([&](CallId, FunctionId callee) { ++starts[callee.index() + 1]; });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    index_->callers.resize(starts.back());
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    for_each_edge([&](CallId call, FunctionId callee) { index_->callers[next[callee.index()]++] = call; });
    index_->calls_of_nodes.reserve(program_.calls_.size());
    for (std::size_t i = 0; i < program_.calls_.size(); ++i) {
      index_->calls_of_nodes.insert(program_.calls_[CallId(i)].node, static_cast<std::uint32_t>(i));
    }
  }

  /// Call sites are in the order of path and place already.
  template <class Visit>
  void for_each_edge(Visit&& visit) const {
    for (std::size_t i = 0; i < program_.calls_.size(); ++i) {
      const CallSite& call = program_.calls_[CallId(i)];
      for (const CallTarget& target : call.targets) {
        if (target.function.valid() && target.certainty != Certainty::kByName) visit(CallId(i), target.function);
      }
    }
  }

  std::vector<SourceFile> files_;
  LinkOptions options_;
  flow::CodeShare share_;
  std::vector<std::pair<std::string_view, ModuleId>> aliases_;  ///< Names that symbolic links give modules.
  Program program_;
  std::shared_ptr<Program::Index> index_ = std::make_shared<Program::Index>();
};

Program link(std::vector<SourceFile> files, const LinkOptions& options) {
  return Linker(std::move(files), options).run();
}

std::pair<Program, Program> link_sides(LinkInput first, LinkInput second, std::size_t jobs) {
  std::pair<Program, Program> linked;
  if (jobs < 2) {
    linked.first = link(std::move(first.files), first.options);
    linked.second = link(std::move(second.files), second.options);
    return linked;
  }
  flow::SharedCode shared(first.files, second.files);
  side_by_side(
      jobs,
      [&] {
        linked.first = Linker(std::move(first.files), first.options, {&shared, false}).run();
      },
      [&] {
        linked.second = Linker(std::move(second.files), second.options, {&shared, true}).run();
      });
  return linked;
}

}  // namespace lockstep::program
