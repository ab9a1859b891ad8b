// What of a function's statements makes what, by its locals, statement by statement.
//   record = ledger.pop(key)            # from `ledger`
//   rows.append(record.epoch)
//   return rows                         # of `ledger`
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

/// Those of `targets` that mention, where they stand, one of `sources`, the parameter (where given), or a local or
/// attribute that holds something which does: what a name held before it gets something else no longer counts. Of
/// `sources` a target that an assignment unpacks into is what it gets there. Branches join, loops go round. Left out
/// are functions inside, objects of which only a method of the repository is called (`storage.list()` is none of the
/// storage), what only describes (`x.dtype`, comparisons), and functions with a `match` on the data that takes
/// attributes of objects or has several values as its subject, of which nothing is said.
std::set<const python::Node*> made_of(const program::Program& program, const python::FunctionDef& function,
                                      const std::vector<const python::Node*>& sources, std::string_view parameter,
                                      const std::vector<const python::Node*>& targets);

}  // namespace lockstep::report
