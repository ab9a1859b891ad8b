// Class headers -> bases, method resolution order, external ancestors, subclasses.
#pragma once

#include <vector>

#include "program/resolve.h"

namespace lockstep::program {

/// Direct bases of one class, as its header names them.
struct Bases {
  std::vector<ClassId> internal;
  std::vector<std::string> external;
};
Bases resolve_bases(const Program& program, const Resolver& resolver, const Class& cls);

/// C3 linearization of every class over the classes of the repository, itself first. Where C3 has no answer (broken
/// code, cycles) the order is depth first, each class once.
std::vector<std::vector<ClassId>> linearize(const Table<ClassId, Class>& classes);

}  // namespace lockstep::program
