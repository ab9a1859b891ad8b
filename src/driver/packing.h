// A change -> its context pack (writer/pack/pack.h): gathers what stands outside the programs, playbooks and history.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/timings.h"
#include "driver/documents.h"
#include "driver/pipeline.h"
#include "repo/repository.h"
#include "writer/pack/pack.h"

namespace lockstep::driver {

/// What packs are made of. Its parts refer to each other and to `analysed`, so it stays where it was made.
class PackSource {
 public:
  /// `repository`: whose history is asked; may be absent.
  PackSource(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
             const std::optional<repo::Repository>& repository, Timings& timings);
  PackSource(const PackSource&) = delete;
  PackSource& operator=(const PackSource&) = delete;
  [[nodiscard]] const writer::PackInputs& inputs() const { return *inputs_; }

 private:
  std::vector<rules::Finding> findings_;
  report::DocumentInputs document_;
  playbook::Playbooks playbooks_;
  std::unique_ptr<writer::PackInputs> inputs_;
};

/// Error: there is no such part.
Result<writer::Pack> pack_change(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
                                 const std::optional<repo::Repository>& repository, const writer::PackOptions& options,
                                 Timings& timings);

}  // namespace lockstep::driver
