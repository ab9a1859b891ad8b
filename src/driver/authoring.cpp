#include "driver/authoring.h"

#include "driver/packing.h"
#include "driver/verification.h"
#include "report/summary.h"
#include "writer/author/change_tools.h"
#include "writer/author/reviewer.h"

namespace lockstep::driver {

report::Document write_with_model(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                                  const ChangeWords& words, const std::optional<repo::Repository>& repository,
                                  const ModelWriter& writer, std::string_view language, Timings& timings) {
  const PackSource source(analysed, report, words, repository, timings);
  std::optional<writer::CitedSides> sides;
  {
    const auto scope = timings.time("words of both sides");
    sides.emplace(cited_sides_of(analysed, words));
  }
  const auto scope = timings.time("model");
  const writer::ChangeTools tools(source.inputs().document);
  const writer::AuthorInputs inputs{source.inputs(), *sides,      writer.model,
                                    &tools,          writer.name, std::string(language_for(words, language))};
  if (kind == DocumentKind::kReview)
    return writer::review_document(report, report::write_summary(source.inputs().document), inputs);
  const writer::Purpose purpose = kind == DocumentKind::kDive ? writer::Purpose::kDive : writer::Purpose::kExplain;
  return writer::author_document(purpose, make_change_document(kind, analysed, report, words, language), inputs);
}

}  // namespace lockstep::driver
