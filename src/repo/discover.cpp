#include "repo/discover.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace lockstep::repo {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Git's own test (is_git_directory in setup.c): HEAD, objects/ and refs/.
bool is_git_folder(const fs::path& path) {
  return is_there(path / "HEAD") && is_folder(path / "objects") && is_folder(path / "refs");
}

// A `.git` folder that is one, or a `.git` file that points to one (linked work trees, submodules).
bool has_git_entry(const fs::path& folder) {
  const fs::path entry = folder / ".git";
  std::error_code error;
  return is_folder(entry) ? is_there(entry / "HEAD") : fs::is_regular_file(entry, error);
}

}  // namespace

Result<Place> discover(const std::string& path) {
  std::error_code error;
  fs::path start = fs::canonical(path.empty() ? "." : path, error);
  if (error) return fail(fmt::format("{}: {}", path, error.message()), "name an existing folder with -C");
  if (!is_folder(start)) start = start.parent_path();
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (has_git_entry(folder)) return Place{PlaceKind::worktree, folder.string()};
    if (is_git_folder(folder)) return Place{PlaceKind::bare, folder.string()};
    if (is_there(folder / "lockstep.toml")) return Place{PlaceKind::plain, folder.string()};
    if (folder == folder.parent_path()) return Place{PlaceKind::plain, start.string()};
  }
}

}  // namespace lockstep::repo
