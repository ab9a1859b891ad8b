// A change and a language model -> the document that both write (writer/author).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/timings.h"
#include "driver/documents.h"
#include "driver/pipeline.h"
#include "repo/repository.h"
#include "writer/author/reviewer.h"
#include "writer/model/chat.h"

namespace lockstep::driver {

struct ModelWriter {
  writer::Model& model;
  std::string name;
  bool proofreads = false;  ///< As AuthorInputs::proofreads.
  /// Set, where it is given, to why the model wrote nothing at all.
  std::string* why_nothing = nullptr;
};

/// Of explain and dive. Never fails: where the model gives nothing, Lockstep's own text stands, and the document says
/// so.
report::Document write_with_model(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                                  const ChangeWords& words, const std::optional<repo::Repository>& repository,
                                  const ModelWriter& writer, std::string_view language, Timings& timings);

/// The same of a review, before it has a format. Always in English, as reviews are.
writer::ModelReview review_with_model(const AnalysedChange& analysed, const report::Report& report,
                                      const ChangeWords& words, const std::optional<repo::Repository>& repository,
                                      const ModelWriter& writer, Timings& timings);

}  // namespace lockstep::driver
