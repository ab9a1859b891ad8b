#include "report/source/import_closure.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "program/module_names.h"
#include "program/queries.h"
#include "report/source/code.h"

namespace lockstep::report {

using program::ModuleId;

const std::vector<ModuleId>& ImportClosure::loaded_by(const std::string& dotted, std::string_view folder) {
  key_.assign(folder);
  key_ += ':';
  key_ += dotted;
  const auto [place, is_new] = loaded_.try_emplace(key_);
  std::vector<ModuleId>& out = place->second;
  if (!is_new) return out;
  for (std::size_t at = dotted.find('.');; at = dotted.find('.', at + 1)) {
    const std::string name = dotted.substr(0, at);
    ModuleId found = program_.find_module(name);
    if (!found.valid()) {
      const std::string path = std::string(folder) + replace_all(name, ".", "/");
      found = program_.find_path(path + ".py");
      if (!found.valid()) found = program_.find_path(path + "/__init__.py");
    }
    if (found.valid()) out.push_back(found);
    if (at == std::string::npos) return out;
  }
}

const std::vector<ModuleId>& ImportClosure::computed_by(ModuleId module) {
  if (!std::exchange(knows_computed_, true)) {
    for (const program::CallSite& site : program_.calls()) {
      const auto* call = python::as<python::Call>(site.node);
      const program::Function& function = program_.functions()[site.caller];
      if (call == nullptr || function.node == nullptr || callee_name(*call) != "import_module" ||
          program::is_test_path(program_.modules()[function.module].path))
        continue;
      const std::vector<program::NameForm> forms = program::forms_of_import(*function.node, *call);
      if (forms.empty()) continue;
      for (std::size_t i = 0; i < program_.modules().size(); ++i) {
        const program::Module& one = program_.modules()[ModuleId(i)];
        const bool has_one = std::any_of(forms.begin(), forms.end(), [&](const program::NameForm& form) {
          return program::has_form(one.name, form);
        });
        if (has_one && !program::is_test_path(one.path)) computed_[function.module.value].emplace_back(i);
      }
    }
  }
  return computed_[module.value];
}

const std::vector<ModuleId>& ImportClosure::imports_of(ModuleId module) {
  const auto known = imports_.find(module.value);
  if (known != imports_.end()) return known->second;
  std::vector<ModuleId>& out = imports_[module.value];
  const program::Module& file = program_.modules()[module];
  const std::size_t slash = file.path.rfind('/');
  const std::string_view folder = slash == std::string::npos ? "" : std::string_view(file.path).substr(0, slash + 1);
  for (const python::ImportedName& import : file.facts->imports) {
    if (import.in_type_checking) continue;
    const std::string dotted = program::absolute_name(file, import.level, import.module);
    const auto add = [&](const std::string& name) {
      const std::vector<ModuleId>& loaded = loaded_by(name, folder);
      out.insert(out.end(), loaded.begin(), loaded.end());
    };
    if (!dotted.empty()) add(dotted);
    // `from package import module`
    if (!import.name.empty() && import.name != "*")
      add(dotted.empty() ? std::string(import.name) : dotted + "." + std::string(import.name));
  }
  for (const ModuleId computed : computed_by(module)) {
    const std::vector<ModuleId>& loaded = loaded_by(program_.modules()[computed].name, folder);
    out.insert(out.end(), loaded.begin(), loaded.end());
  }
  // Packages come once for each module that is imported from them.
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

const std::vector<std::vector<ModuleId>>& ImportClosure::importers() {
  if (!importers_.empty()) return importers_;
  importers_.resize(program_.modules().size());
  for (std::size_t i = 0; i < importers_.size(); ++i) {
    for (const ModuleId imported : imports_of(ModuleId(i))) importers_[imported.index()].emplace_back(i);
  }
  return importers_;
}

bool ImportClosure::is_imported(ModuleId module) {
  const std::vector<ModuleId>& all = importers()[module.index()];
  return std::any_of(all.begin(), all.end(), [&](ModuleId importer) {
    return importer != module && !program::is_test_path(program_.modules()[importer].path);
  });
}

std::vector<bool> ImportClosure::loading(ModuleId module) {
  std::vector<bool> loads(program_.modules().size());
  std::vector<ModuleId> order = {module};
  loads[module.index()] = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const ModuleId importer : importers()[order[i].index()]) {
      if (!loads[importer.index()]) order.push_back(importer);
      loads[importer.index()] = true;
    }
  }
  return loads;
}

const std::vector<int>& ImportClosure::from(ModuleId start) {
  const auto known = closures_.find(start.value);
  if (known != closures_.end()) return known->second;
  std::vector<int> distance(program_.modules().size(), -1);
  std::vector<ModuleId> order = {start};
  distance[start.index()] = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const ModuleId next : imports_of(order[i])) {
      if (distance[next.index()] >= 0) continue;
      distance[next.index()] = distance[order[i].index()] + 1;
      order.push_back(next);
    }
  }
  return closures_[start.value] = std::move(distance);
}

}  // namespace lockstep::report
