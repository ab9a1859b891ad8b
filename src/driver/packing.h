// A change -> its context pack (writer/pack/pack.h): gathers what stands outside the programs, playbooks and history.
#pragma once

#include <optional>

#include "base/result.h"
#include "base/timings.h"
#include "driver/documents.h"
#include "driver/pipeline.h"
#include "repo/repository.h"
#include "writer/pack/pack.h"

namespace lockstep::driver {

/// `repository`: whose history is asked; may be absent. Error: there is no such part.
Result<writer::Pack> pack_change(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
                                 const std::optional<repo::Repository>& repository, const writer::PackOptions& options,
                                 Timings& timings);

}  // namespace lockstep::driver
