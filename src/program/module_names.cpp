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

/// How many files import a name.
struct Uses {
  std::size_t files = 0;
  std::size_t last = SIZE_MAX;  ///< The last of them.

  void add(std::size_t file) {
    files += last == file ? 0 : 1;
    last = file;
  }
};

/// Folders that hold modules but are no packages, below the root, mapped to whether imports are counted from them.
class Roots {
 public:
  explicit Roots(std::span<const SourceFile> files) {
    for (const SourceFile& file : files) {
      if (is_package_file(file.path)) packages_.insert(folder_of(file.path));
      top_level_.insert(std::string_view(file.path).substr(0, file.path.find_first_of("/.")));
    }
    add_parents_of_packages(files);
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
  /// Of a package in a folder that is none, and whose name the root does not have, files may import either name.
  void add_parents_of_packages(std::span<const SourceFile> files) {
    std::unordered_map<std::string_view, Uses, TextHash, std::equal_to<>> short_names;
    std::unordered_map<std::string, std::pair<std::string_view, Uses>, TextHash, std::equal_to<>> whole_names;
    for (const std::string_view package : packages_) {
      const std::string_view parent = folder_of(package);
      if (parent.empty() || packages_.contains(parent) || top_level_.contains(name_of(package))) continue;
      short_names.emplace(name_of(package), Uses());
      whole_names.emplace(dotted(package), std::pair{package, Uses()});
    }
    for (std::size_t i = 0; i < files.size() && !whole_names.empty(); ++i) {
      for (const python::ImportedName& imported : files[i].facts->imports) {
        if (imported.level != 0) continue;
        std::size_t dot = imported.module.find('.');
        const auto head = short_names.find(imported.module.substr(0, dot));
        if (head != short_names.end() && !lies_beside(files, files[i].path, head->first)) head->second.add(i);
        while (dot != std::string_view::npos) {
          dot = imported.module.find('.', dot + 1);
          if (const auto whole = whole_names.find(imported.module.substr(0, dot)); whole != whole_names.end())
            whole->second.second.add(i);
        }
      }
    }
    for (const auto& [name, use] : whole_names) {
      if (short_names.find(name_of(use.first))->second.files > use.second.files) roots_.insert(folder_of(use.first));
    }
  }

  /// Whether Python finds the module or package `head` in the folder of the script that imports it.
  [[nodiscard]] bool lies_beside(std::span<const SourceFile> files, std::string_view importer,
                                 std::string_view head) const {
    std::string beside(folder_of(importer));
    if (!beside.empty()) beside += '/';
    beside += head;
    if (packages_.contains(beside)) return true;
    beside += ".py";
    const auto found =
        std::lower_bound(files.begin(), files.end(), beside,
                         [](const SourceFile& file, const std::string& path) { return file.path < path; });
    return found != files.end() && found->path == beside;
  }

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
