#include "driver/authoring.h"

#include "driver/packing.h"
#include "driver/verification.h"
#include "report/review/summary.h"
#include "writer/author/author.h"
#include "writer/author/change_tools.h"

namespace lockstep::driver {

namespace {

// Calls write(inputs) with all that a model's part of a document is written from.
template <class Write>
auto with_author(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
                 const std::optional<repo::Repository>& repository, const ModelWriter& writer,
                 std::string_view language, Timings& timings, Write write) {
  const PackSource source(analysed, report, words, repository, timings);
  std::optional<writer::CitedSides> sides;
  {
    const auto scope = timings.time("words of both sides");
    sides.emplace(cited_sides_of(analysed, words));
  }
  const auto scope = timings.time("model");
  const writer::ChangeTools tools(source.inputs().document, line_edits_of(analysed, repo::kMostWalkedWhenAsked));
  const writer::AuthorInputs inputs{
      source.inputs(),   *sides, writer.model, &tools, writer.name, std::string(language), writer.proofreads,
      writer.why_nothing};
  return write(inputs);
}

}  // namespace

report::Document write_with_model(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                                  const ChangeWords& words, const std::optional<repo::Repository>& repository,
                                  const ModelWriter& writer, std::string_view language, Timings& timings) {
  const auto write = [&](const writer::AuthorInputs& inputs) {
    const writer::Purpose purpose = kind == DocumentKind::kDive ? writer::Purpose::kDive : writer::Purpose::kExplain;
    return writer::author_document(purpose, make_change_document(kind, analysed, report, words, language), inputs);
  };
  return with_author(analysed, report, words, repository, writer, language_for(words, language), timings, write);
}

writer::ModelReview review_with_model(const AnalysedChange& analysed, const report::Report& report,
                                      const ChangeWords& words, const std::optional<repo::Repository>& repository,
                                      const ModelWriter& writer, Timings& timings) {
  const auto write = [&](const writer::AuthorInputs& inputs) {
    return writer::review_with_model(report, report::write_summary(inputs.pack.document), inputs);
  };
  return with_author(analysed, report, words, repository, writer, "en", timings, write);
}

}  // namespace lockstep::driver
