// Whether what stands at one place of a function goes into what stands at another, by its locals.
//   record = ledger.pop(key)            # from `ledger`
//   rows.append(record.epoch)
//   return rows                         # to what is returned
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

/// Whether one of `targets` mentions one of `sources`, the parameter (where given), or a local or attribute that gets
/// something which does. In whatever order: what a name held before counts, too. Functions inside are left out, and
/// objects of which only a method of the repository is called: `storage.list()` is none of the storage.
bool goes_into(const program::Program& program, const python::FunctionDef& function,
               const std::vector<const python::Node*>& sources, std::string_view parameter,
               const std::vector<const python::Node*>& targets);

}  // namespace lockstep::report
