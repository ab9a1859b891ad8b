// Paths of a repository as text: components separated by '/', from the root. Nothing is looked up on disk.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

/// The folder of a path ("" for the root).
std::string_view folder_of(std::string_view path);
/// The last component.
std::string_view name_of(std::string_view path);
/// How many folders two paths have in common, from the root on.
std::size_t shared_folders(std::string_view a, std::string_view b);
/// `relative` seen from `folder`, "." and ".." resolved; nullopt if that leaves the tree.
std::optional<std::string> join_path(std::string_view folder, std::string_view relative);

}  // namespace lockstep
