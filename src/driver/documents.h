// From analysed values to the bytes of a document: which model goes to which renderer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/pipeline.h"
#include "repo/line_history.h"
#include "report/document.h"
#include "report/inputs.h"
#include "report/report.h"
#include "report/story/story.h"
#include "writer/author/reviewer.h"

namespace lockstep::driver {

/// What the author of a change says about it.
struct ChangeWords {
  std::string title;
  std::string body;
  std::string author;
  std::uint64_t number = 0;  ///< Of the pull request; 0 where there is none.
  bool is_pull_request = false;
};

/// What the documents are written from; refers to all its arguments.
std::vector<rules::Finding> findings_of(const report::Report& report);
report::DocumentInputs inputs_of(const AnalysedChange& analysed, const std::vector<rules::Finding>& findings,
                                 const ChangeWords& words);

/// Who wrote lines of the side before the change, by at most `walked` commits; empty where no history is at hand.
repo::LineEdits line_edits_of(const AnalysedChange& analysed, std::size_t walked = repo::kMostWalked);

/// The words that come with the commits or the patch.
ChangeWords words_of(const repo::ChangeSides& sides);

/// "en" or "zh": what is asked for, else the language of the change's own words.
std::string_view language_for(const ChangeWords& words, std::string_view asked);

enum class DocumentKind { kExplain, kDive, kReview };

/// The story of a change whose meshes are there, as such a document needs it; no finding is asked.
report::Story story_of(DocumentKind kind, const AnalysedChange& analysed, const ChangeWords& words);

/// `language` of explain and dive: "en", "zh", or empty for that of the change's own words. Reviews are in English.
/// `story`: as story_of() gives it; null: found here.
report::Document make_change_document(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                                      const ChangeWords& words, std::string_view language = {},
                                      const report::Story* story = nullptr);
/// Markdown of a document about a change.
std::string write_change_document(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                                  const ChangeWords& words, std::string_view language = {},
                                  const report::Story* story = nullptr);
/// The request body of a review on GitHub (render/github_review.h).
std::string write_github_review(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words);
/// Such bodies and pages of a review that a model wrote along.
std::string write_github_review(const AnalysedChange& analysed, const writer::ModelReview& review);
std::string write_review_page(const AnalysedChange& analysed, const writer::ModelReview& review,
                              const ChangeWords& words, std::string_view version);
/// The same as one HTML page.
std::string write_change_page(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                              const ChangeWords& words, std::string_view language = {},
                              const report::Story* story = nullptr);
/// The review as one HTML page (render/review_html.h). `version` is Lockstep's.
std::string write_review_page(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
                              std::string_view version);
/// The findings of a whole tree as such a page.
std::string write_check_page(const Tree& tree, const report::Report& report, std::string_view revision,
                             std::string_view version);
/// Markdown of a check.
std::string write_check_document(const report::Report& report);

/// What a graph is drawn of: a tree, or the after side of a change.
struct GraphSource {
  const program::Program& program;
  const mesh::MeshAnalysis& mesh;
  const std::vector<program::Reached>& step_path;
};
struct GraphRequest {
  std::string format;                      ///< llm, embargo, json, callgraph, dot, mermaid or html.
  std::vector<std::string> paths;          ///< All when empty.
  std::size_t tokens = 0;                  ///< 0: no limit; for llm only.
  std::vector<program::FunctionId> focus;  ///< What to centre on; may be empty.
  std::size_t jobs = 1;
  std::string title;  ///< Of the html page.
};
std::string write_graph_document(const GraphSource& source, const GraphRequest& request);
/// complete_tree and write_graph_document of a tree that is linked: what one does not need of the other runs beside it.
/// A format that says nothing of the mesh leaves it empty.
Result<std::string> write_graph_of_tree(Tree& tree, const GraphRequest& request, const PipelineOptions& options,
                                        Timings& timings);

/// Functions of the after side that a change adds or modifies, more than their comments and layout; for a class's own
/// lines its `__init__` and `forward`, for a module's its code. Sorted: what a graph of the change is centred on.
std::vector<program::FunctionId> functions_touched(const AnalysedChange& analysed);

struct TraceRequest {
  std::string symbol;
  std::optional<std::string> to;
  bool collectives = false;
};
/// Error: no such symbol, with the nearest ones.
Result<std::string> write_trace_document(const Tree& tree, const TraceRequest& request);

}  // namespace lockstep::driver
