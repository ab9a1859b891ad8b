#include "base/paths.h"

#include <vector>

#include "base/strings.h"

namespace lockstep {

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<std::string> join_path(std::string_view folder, std::string_view relative) {
  std::vector<std::string_view> parts;
  for (const std::string_view source : {folder, relative}) {
    for (const std::string_view part : split(source, '/')) {
      if (part.empty() || part == ".") continue;
      if (part != "..") {
        parts.push_back(part);
      } else if (parts.empty()) {
        return std::nullopt;
      } else {
        parts.pop_back();
      }
    }
  }
  std::string path;
  for (const std::string_view part : parts) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

std::size_t shared_folders(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) count += a[i] == '/' ? 1 : 0;
  return count;
}

}  // namespace lockstep
