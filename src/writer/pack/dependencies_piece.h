// Which versions of the packages that a change uses a repository admits and pins. Private to this folder.
#pragma once

#include <optional>

#include "writer/pack/pieces.h"

namespace lockstep::writer {

/// Lines of the repository's manifests (pyproject.toml, setup.cfg, setup.py, requirements files, Dockerfiles) and lock
/// files that name a package which changed Python files import from outside; nullopt where there are none.
std::optional<Piece> dependencies_piece(const report::DocumentInputs& inputs);

}  // namespace lockstep::writer
