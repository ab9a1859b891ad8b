#include "program/module_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "base/paths.h"

namespace lockstep::program {
namespace {

using TextSet = std::unordered_set<std::string_view, TextHash, std::equal_to<>>;

bool is_package_file(std::string_view path) { return name_of(path) == "__init__.py"; }

std::string dotted(std::string_view path) {
  std::string name(path);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

using TextCounts = std::unordered_map<std::string_view, std::size_t, TextHash, std::equal_to<>>;

/// Absolute imports: how many files import something of a name.
struct ImportCounts {
  TextCounts heads;     ///< By the first component; not those that Python finds beside a script.
  TextCounts prefixes;  ///< By each prefix of two or more components.
};

/// "tools/model" of `import model.x` in tools/train.py: what a script finds beside itself, as a path without its ending.
std::string path_beside(std::string_view importer, std::string_view head) {
  const std::string_view folder = folder_of(importer);
  return folder.empty() ? std::string(head) : std::string(folder) + "/" + std::string(head);
}

ImportCounts count_imports(std::span<const SourceFile> files, const TextSet& packages) {
  std::unordered_set<std::string, TextHash, std::equal_to<>> paths;
  for (const SourceFile& file : files) paths.emplace(file.path.substr(0, file.path.rfind('.')));
  ImportCounts out;
  for (const SourceFile& file : files) {
    TextSet counted;
    for (const python::ImportedName& imported : file.facts->imports) {
      if (imported.level != 0) continue;
      const std::string_view head = imported.module.substr(0, imported.module.find('.'));
      for (std::size_t dot = imported.module.find('.'); dot != std::string_view::npos;) {
        dot = imported.module.find('.', dot + 1);
        const std::string_view prefix = imported.module.substr(0, dot);
        if (counted.insert(prefix).second) ++out.prefixes[prefix];
      }
      if (!counted.insert(head).second) continue;
      const std::string beside = path_beside(file.path, head);
      if (!paths.contains(beside) && !packages.contains(beside)) ++out.heads[head];
    }
  }
  return out;
}

std::size_t count_in(const TextCounts& counts, std::string_view name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

/// Folders that hold modules but are no packages, below the root, mapped to whether imports are counted from them.
class Roots {
 public:
  explicit Roots(std::span<const SourceFile> files) {
    for (const SourceFile& file : files) {
      if (is_package_file(file.path)) packages_.insert(folder_of(file.path));
      top_level_.insert(std::string_view(file.path).substr(0, file.path.find_first_of("/.")));
    }
    const ImportCounts imports = count_imports(files, packages_);
    for (const std::string_view package : packages_) {
      const std::string_view parent = folder_of(package);
      if (parent.empty() || packages_.contains(parent)) continue;
      const std::string_view name = name_of(package);
      const std::size_t uses = count_in(imports.heads, name);
      if (uses > count_in(imports.prefixes, dotted(package)) && !top_level_.contains(name)) roots_.insert(parent);
    }
    for (const SourceFile& file : files) add_source_folders(file.path);
  }

  /// True for packages and for folders somewhere below one: what lies there is imported, not run as a script.
  [[nodiscard]] bool is_in_package(std::string_view folder) const {
    for (; !folder.empty(); folder = folder_of(folder)) {
      if (packages_.contains(folder)) return true;
    }
    return false;
  }

  /// The deepest root above `path`; empty for the repository's root.
  [[nodiscard]] std::string_view root_of(std::string_view path) const {
    std::string_view folder = folder_of(path);
    while (!folder.empty() && !roots_.contains(folder)) folder = folder_of(folder);
    return folder;
  }

 private:
  void add_source_folders(std::string_view path) {
    for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder)) {
      if (name_of(folder) == "src" && !packages_.contains(folder) && !packages_.contains(folder_of(folder))) {
        roots_.insert(folder);
      }
    }
  }

  TextSet packages_;
  TextSet top_level_;
  TextSet roots_;
};

std::string name_below(std::string_view path, std::string_view root) {
  if (!root.empty()) path.remove_prefix(root.size() + 1);
  std::string_view stem = path.substr(0, path.rfind('.'));
  if (name_of(stem) == "__init__" && stem != "__init__") stem = folder_of(stem);
  return dotted(stem);
}

/// Names by which symbolic links reach files. No more than there are files: links to links to … could make any number.
std::vector<std::pair<std::string, std::size_t>> linked_names(std::span<const SourceFile> files,
                                                              std::span<const SymbolicLink> links, const Roots& roots,
                                                              const std::unordered_set<std::string>& taken) {
  std::vector<std::pair<std::string, std::size_t>> names;
  std::unordered_set<std::string> known;
  for (const SymbolicLink& link : links) {
    const auto before = [](const SourceFile& file, const std::string& path) { return file.path < path; };
    auto file = std::lower_bound(files.begin(), files.end(), link.target, before);
    for (; file != files.end() && file->path.starts_with(link.target) && names.size() < files.size(); ++file) {
      const std::string_view rest = std::string_view(file->path).substr(link.target.size());
      if (!rest.empty() && !rest.starts_with('/')) continue;
      const std::string path = link.path + std::string(rest);
      if (!path.ends_with(".py")) continue;
      std::string name = name_below(path, roots.root_of(path));
      if (taken.contains(name) || !known.insert(name).second) continue;
      names.emplace_back(std::move(name), static_cast<std::size_t>(file - files.begin()));
    }
  }
  return names;
}

}  // namespace

ModuleNaming name_modules(std::span<const SourceFile> files, std::span<const SymbolicLink> links) {
  const Roots roots(files);
  ModuleNaming naming;
  std::unordered_set<std::string> taken;
  for (const SourceFile& file : files) {
    const std::string_view root = roots.root_of(file.path);
    std::string name = name_below(file.path, root);
    // Two roots can hold modules of one name: all but the first go by their whole path.
    if (taken.contains(name)) name = name_below(file.path, {});
    while (taken.contains(name)) name += "_";
    const std::string_view folder = folder_of(file.path);
    const bool in_root = folder == root;
    std::string script_folder;
    if (!in_root && !roots.is_in_package(folder)) script_folder = name_below(std::string(folder) + "/x.py", root);
    if (script_folder.size() > 2) script_folder.resize(script_folder.size() - 2);
    taken.insert(name);
    naming.names.push_back(std::move(name));
    naming.script_folders.push_back(std::move(script_folder));
  }
  naming.aliases = linked_names(files, links, roots, taken);
  return naming;
}

std::string absolute_name(const Module& importer, std::uint32_t level, std::string_view dotted) {
  if (level == 0) return std::string(dotted);
  std::string_view package = importer.name;
  for (std::uint32_t up = importer.is_package ? 1 : 0; up < level; ++up) {
    if (package.empty()) return {};
    const std::size_t dot = package.rfind('.');
    package = dot == std::string_view::npos ? std::string_view{} : package.substr(0, dot);
  }
  std::string name(package);
  if (!name.empty() && !dotted.empty()) name += '.';
  name += dotted;
  return name;
}

}  // namespace lockstep::program
