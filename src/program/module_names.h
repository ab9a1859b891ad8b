// Paths of Python files -> dotted module names, and which folders Python would search for absolute imports. Relative
// imports -> the absolute names they stand for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/link.h"

namespace lockstep::program {

struct ModuleNaming {
  std::vector<std::string> names;           ///< By file, in the order given; unique.
  std::vector<std::string> script_folders;  ///< By file: dotted name of its folder if that is no package, else "".
  /// Names that symbolic links give files beside their own, with the file's index; none is in `names`.
  std::vector<std::pair<std::string, std::size_t>> aliases;
};

/// `files` must be sorted by path. A module's name counts from the repository's root, from a `src` folder that is not a
/// package, or from a folder whose packages more files import by a name that the root does not have (`python/foo`
/// imported as `foo`) than by the whole one; what lies beside the importing file explains such a name alone.
ModuleNaming name_modules(std::span<const SourceFile> files, std::span<const SymbolicLink> links);

/// "pkg.sub.other" of `from ..other import x` (two dots) in pkg.sub.mod.file; empty where the dots lead out of the
/// repository.
std::string absolute_name(const Module& importer, std::uint32_t level, std::string_view dotted);

}  // namespace lockstep::program
