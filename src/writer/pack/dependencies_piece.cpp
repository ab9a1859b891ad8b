#include "writer/pack/dependencies_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "report/file_name.h"
#include "report/source/standard_modules.h"
#include "writer/pack/data_text.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostPackages = 12, kMostPlaces = 4, kMostManifests = 24;
constexpr std::uint64_t kMostManifestBytes = 4u << 20;
constexpr std::size_t kMostLine = 140, kMostScanned = 4'000;

/// As package indexes compare names (PEP 503): lower case, and one sign for "-", "_" and ".".
std::string normalized(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_sign = c == '_' || c == '.' || c == '-';
    out += is_sign ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

bool is_lock(std::string_view name) { return name == "uv.lock" || name == "poetry.lock"; }

bool is_manifest(const repo::FileEntry& entry) {
  const std::string name = report::file_name(entry.path);
  const bool is_one = name == "pyproject.toml" || name == "setup.cfg" || name == "setup.py" || is_lock(name) ||
                      name.starts_with("Dockerfile") || name.ends_with(".Dockerfile") ||
                      (name.starts_with("requirements") && name.ends_with(".txt"));
  return is_one && entry.kind == repo::FileKind::file && entry.size_bytes <= kMostManifestBytes;
}

bool is_name_sign(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

using Places = std::map<std::string, std::vector<std::string>, std::less<>>;

void add_place(Places& places, std::string_view package, const std::string& path, std::size_t line,
               std::string_view text) {
  const auto found = places.find(package);
  if (found == places.end() || found->second.size() == kMostPlaces) return;
  const std::string shown(cut_at_character(trim(text), kMostLine));
  found->second.push_back(
      fmt::format("{}: {}", report::place(path, static_cast<std::uint32_t>(line)), report::code(shown)));
}

/// `name = "torch"`, and `version = "2.6"` on the next line.
void scan_lock(const std::string& path, const std::vector<std::string_view>& lines, Places& places) {
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    std::string_view name = lines[i];
    if (!name.starts_with("name = \"") || !lines[i + 1].starts_with("version = \"")) continue;
    name = name.substr(8, name.rfind('"') - 8);
    add_place(places, normalized(name), path, i + 1, lines[i + 1]);
  }
}

bool says_requirements(std::string_view words) {
  return contains(words, "dependenc") || contains(words, "requires") || contains(words, "constraint") ||
         contains(words, "sources");
}

/// Which lines of a TOML file may name requirements: not those of a tool's other settings (`known_third_party`).
class TomlTables {
 public:
  /// To be asked of each line in turn.
  bool may_require(std::string_view line) {
    const std::string_view text = trim(line);
    const bool is_continued = is_open_;
    if (!is_continued && text.starts_with('[')) {
      table_ = text.substr(1, text.find(']') - 1);
      return false;
    }
    if (!is_continued) key_ = trim(text.substr(0, text.find('=')));
    const std::size_t open = text.rfind('['), closed = text.rfind(']');
    // Extras have brackets of their own, in quotation marks.
    if (is_continued) is_open_ = !text.starts_with(']') && !text.ends_with(']');
    if (!is_continued) is_open_ = open != text.npos && (closed == text.npos || closed < open);
    return !table_.starts_with("tool.") || says_requirements(table_) || says_requirements(key_);
  }

 private:
  std::string_view table_, key_;
  bool is_open_ = false;  ///< Within a list of several lines.
};

/// A requirement begins a line or a quoted text that is not what a key is set to; a Dockerfile may name it anywhere.
void scan_manifest(const std::string& path, const std::vector<std::string_view>& lines, Places& places) {
  const std::string name = report::file_name(path);
  const bool is_anywhere = contains(name, "Dockerfile"), is_toml = name.ends_with(".toml");
  TomlTables tables;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i].substr(0, kMostScanned);
    if (trim(line).starts_with('#') || (is_anywhere && !contains(line, "install") && !contains(line, "=="))) continue;
    if (is_toml && !tables.may_require(line)) continue;
    std::set<std::string> told;
    for (std::size_t at = 0; at < line.size();) {
      std::size_t end = at;
      while (end < line.size() && is_name_sign(line[end])) ++end;
      const bool begins_text =
          at > 0 && (line[at - 1] == '"' || line[at - 1] == '\'') && !trim(line.substr(0, at - 1)).ends_with('=');
      if (end > at && (at == 0 || begins_text || is_anywhere)) {
        const std::string package = normalized(line.substr(at, end - at));
        if (places.contains(package) && told.insert(package).second) add_place(places, package, path, i, line);
      }
      at = end + (end == at ? 1 : 0);
    }
  }
}

/// The names on the lines of a file that the change adds or takes away.
std::set<std::string, std::less<>> changed_words(const repo::FileChange& file) {
  std::set<std::string, std::less<>> words;
  for (const repo::Hunk& hunk : file.lines.hunks()) {
    for (const repo::DiffLine& line : hunk.lines) {
      if (line.kind != repo::LineKind::context)
        for_each_name(line.text, [&](std::string_view word) { words.emplace(word); });
    }
  }
  return words;
}

std::string top_of(std::string_view dotted) { return std::string(dotted.substr(0, dotted.find('.'))); }

/// Packages that changed Python files import and the repository does not hold, as far as changed lines name what comes
/// from them, or changed classes derive from it: on the others nothing hangs.
std::set<std::string> packages_of(const report::DocumentInputs& inputs) {
  std::set<std::string> own, packages;
  for (const program::Module& module : inputs.after->modules()) own.insert(top_of(module.name));
  const auto add = [&](const std::string& package) {
    if (!package.empty() && !own.contains(package) && !report::is_standard_module(package))
      packages.insert(normalized(package));
  };
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId id = inputs.after->find_path(file.file->new_path);
    if (!id.valid()) continue;
    const auto words = changed_words(*file.file);
    for (const python::ImportedName& import : inputs.after->modules()[id].facts->imports) {
      if (!words.contains(import.bound_as)) continue;
      if (import.level == 0) add(top_of(import.module));
    }
  }
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (!entity.after) continue;
    const program::ClassId cls = entity.after->cls;
    if (!cls.valid()) continue;
    for (const std::string& base : inputs.after->classes()[cls].external_ancestors) add(top_of(base));
  }
  return packages;
}

}  // namespace

std::optional<Piece> dependencies_piece(const report::DocumentInputs& inputs) {
  if (inputs.after_files == nullptr) return std::nullopt;
  Places places;
  for (const std::string& package : packages_of(inputs)) places[package];
  std::vector<std::size_t> manifests;
  for (std::size_t i = 0; i < inputs.after_files->files().size(); ++i) {
    if (is_manifest(inputs.after_files->files()[i])) manifests.push_back(i);
  }
  // Those of the whole repository first; images last.
  const auto rank = [&](std::size_t i) {
    const std::string& path = inputs.after_files->files()[i].path;
    return std::pair(contains(report::file_name(path), "Dockerfile"), std::count(path.begin(), path.end(), '/'));
  };
  std::stable_sort(manifests.begin(), manifests.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  if (manifests.size() > kMostManifests) manifests.resize(kMostManifests);
  for (const std::size_t i : manifests) {
    const repo::FileEntry& entry = inputs.after_files->files()[i];
    const Result<std::string> bytes = inputs.after_files->read(i);
    if (!bytes || repo::is_binary(*bytes)) continue;
    const std::vector<std::string_view> lines = split_lines(*bytes);
    if (is_lock(report::file_name(entry.path))) {
      scan_lock(entry.path, lines, places);
    } else {
      scan_manifest(entry.path, lines, places);
    }
  }
  Piece piece;
  piece.kind = PieceKind::kVersions;
  piece.name = "versions of the packages that it uses";
  piece.content.heading(3, "Versions of the packages that changed files import: what the repository admits and pins");
  report::List list;
  for (const auto& [package, lines] : places) {
    if (lines.empty() || list.items.size() == kMostPackages) continue;
    list.items.push_back(
        {report::prose(fmt::format("{}: {}", report::code(package), join(lines, "; "))), {}, std::nullopt});
  }
  if (list.items.empty()) return std::nullopt;
  piece.content.blocks.push_back({std::move(list)});
  return piece;
}

}  // namespace lockstep::writer
