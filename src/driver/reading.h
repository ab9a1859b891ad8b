// Snapshots -> facts -> linked programs. A blob that both sides hold is read and parsed once.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "base/timings.h"
#include "program/call_model.h"
#include "program/link.h"
#include "program/program.h"
#include "python/facts.h"
#include "repo/snapshot.h"
#include "report/report.h"

namespace lockstep::driver {

/// Facts by content id. Filled by read_facts, only ever added to.
using FactsByContent =
    std::unordered_map<std::string, std::shared_ptr<const python::FileFacts>, TextHash, std::equal_to<>>;

/// True for files that are read as Python: regular files ending in .py or .pyi-less scripts' ".py".
bool is_python_path(std::string_view path);

/// Reads and parses the Python files of `snapshot` that `known` lacks, largest first, on `jobs` threads. What cannot be
/// read becomes a problem of `coverage`.
void read_facts(const repo::Snapshot& snapshot, std::size_t jobs, FactsByContent& known, report::Coverage& coverage);

/// The Python files of `snapshot`, to be linked; all their facts must be in `known` (files that could not be read are
/// left out).
program::LinkInput link_input(const repo::Snapshot& snapshot, const FactsByContent& known,
                              program::LinkOptions options);

/// Links the Python files of `snapshot`; all their facts must be in `known` (files that could not be read are left
/// out).
program::Program link_snapshot(const repo::Snapshot& snapshot, const FactsByContent& known,
                               program::LinkOptions options);

/// Adds file and line counts and the parser's problems of the program's files to `coverage`, and sorts its problems.
void cover(const program::Program& program, report::Coverage& coverage);

}  // namespace lockstep::driver
