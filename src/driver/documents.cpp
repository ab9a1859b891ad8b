#include "driver/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/side_by_side.h"
#include "render/document_html.h"
#include "render/github_review.h"
#include "render/graph.h"
#include "render/graph_text.h"
#include "render/markdown.h"
#include "render/review_html.h"
#include "report/author/line_past.h"
#include "report/author/named_commits.h"
#include "report/documents/dive.h"
#include "report/documents/explain.h"
#include "report/graph/graph.h"
#include "report/graph/trace.h"
#include "report/inputs.h"
#include "report/language/language.h"
#include "report/review/review.h"
#include "report/review/review_pictures.h"
#include "report/review/review_post.h"
#include "report/review/summary.h"

namespace lockstep::driver {

std::string_view language_for(const ChangeWords& words, std::string_view asked) {
  return asked.empty() ? report::language_of(words.title + "\n" + words.body) : asked;
}

std::vector<rules::Finding> findings_of(const report::Report& report) {
  std::vector<rules::Finding> findings;
  findings.reserve(report.findings.size());
  for (const report::ReportedFinding& reported : report.findings) findings.push_back(reported.finding);
  return findings;
}

report::DocumentInputs inputs_of(const AnalysedChange& analysed, const std::vector<rules::Finding>& findings,
                                 const ChangeWords& words) {
  report::DocumentInputs inputs;
  inputs.title = words.title;
  inputs.body = words.body;
  inputs.author = words.author;
  if (words.number > 0) inputs.number = fmt::format("#{}", words.number);
  inputs.is_pull_request = words.is_pull_request;
  inputs.commits = analysed.sides.commits;
  inputs.before_name = analysed.sides.before_name;
  inputs.after_name = analysed.sides.after_name;
  inputs.before_commit = analysed.sides.before_commit;
  inputs.after_commit = analysed.sides.after_commit;
  inputs.before = &analysed.before;
  inputs.after = &analysed.after;
  inputs.before_mesh = &analysed.mesh_before;
  inputs.after_mesh = &analysed.mesh_after;
  inputs.change = &analysed.change;
  inputs.findings = findings;
  inputs.step_path = &analysed.step_path;
  inputs.before_files = &analysed.sides.before;
  inputs.after_files = &analysed.sides.after;
  inputs.jobs = analysed.jobs;
  return inputs;
}

repo::LineEdits line_edits_of(const AnalysedChange& analysed, std::size_t walked) {
  if (!analysed.sides.repository || analysed.sides.before_commit.empty()) return {};
  return repo::line_edits_of(*analysed.sides.repository, analysed.sides.before_commit, walked);
}

ChangeWords words_of(const repo::ChangeSides& sides) {
  ChangeWords words;
  words.title = sides.title;
  words.body = sides.body;
  if (sides.commits.size() == 1) words.author = sides.commits.front().author;
  return words;
}

report::Story story_of(DocumentKind kind, const AnalysedChange& analysed, const ChangeWords& words) {
  const report::DocumentInputs inputs = inputs_of(analysed, {}, words);
  switch (kind) {
    case DocumentKind::kExplain:
      return report::find_story_to_explain(inputs);
    case DocumentKind::kDive:
      return report::find_story_to_dive(inputs);
    case DocumentKind::kReview:
      break;
  }
  return report::find_story(inputs);
}

report::Document make_change_document(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                                      const ChangeWords& words, std::string_view language, const report::Story* story) {
  std::optional<report::Story> own;
  if (story == nullptr) story = &own.emplace(story_of(kind, analysed, words));
  const std::vector<rules::Finding> findings = findings_of(report);
  const report::DocumentInputs inputs = inputs_of(analysed, findings, words);
  const auto finished = [&](report::Document document) {
    report::tell_named_commits(analysed.sides.named, document);
    report::tell_line_past(report::line_past(inputs, *story, line_edits_of(analysed)), document);
    return report::in_language(std::move(document), language_for(words, language));
  };
  switch (kind) {
    case DocumentKind::kExplain:
      return finished(report::write_explain(inputs, *story));
    case DocumentKind::kDive:
      return finished(report::write_dive(inputs, *story));
    case DocumentKind::kReview:
      break;
  }
  report::Summary summary = report::write_summary(inputs, *story);
  for (report::LinePast& past : report::line_past(inputs, *story, line_edits_of(analysed))) {
    if (!past.question.empty()) summary.questions.insert(summary.questions.begin(), std::move(past.question));
  }
  summary.compared = report::compared_in(analysed.diff, report.coverage);
  return report::write_review(report, std::move(summary));
}

std::string write_change_document(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                                  const ChangeWords& words, std::string_view language, const report::Story* story) {
  return render::render_markdown(make_change_document(kind, analysed, report, words, language, story));
}

std::string write_change_page(DocumentKind kind, const AnalysedChange& analysed, const report::Report& report,
                              const ChangeWords& words, std::string_view language, const report::Story* story) {
  render::PageOptions options;
  options.language = language_for(words, language);
  return render::render_page(make_change_document(kind, analysed, report, words, language, story), options);
}

namespace {

std::string review_page(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
                        std::string_view version, report::Document summary) {
  const std::vector<rules::Finding> findings = findings_of(report);
  report::Document head;
  head.title = summary.title;
  const report::Compared compared = report::compared_in(analysed.diff, report.coverage);
  head.paragraph(report::write_verdict(report, report::group_issues(report), &compared)).heading(2, "Summary");
  head.append(std::move(summary));
  const report::Document pictures = report::write_review_pictures(inputs_of(analysed, findings, words));
  const render::ReportSubject subject{std::string(version),        analysed.sides.before_name,
                                      analysed.sides.after_name,   analysed.sides.before_commit,
                                      analysed.sides.after_commit, words.title};
  return render::render_review_page({report, subject, head, pictures, {&analysed.after, &analysed.before}});
}

std::string github_review(const AnalysedChange& analysed, const report::Report& report, report::Document summary) {
  const report::PostedReview review = report::write_posted_review(report, analysed.diff, std::move(summary));
  return render::render_github_review(review, analysed.sides.after_commit);
}

// The summary with what came of the model's part below it.
report::Document summary_and_closing(const writer::ModelReview& review) {
  report::Document document = report::with_questions(review.summary);
  document.append(review.closing);
  return document;
}

}  // namespace

std::string write_review_page(const AnalysedChange& analysed, const report::Report& report, const ChangeWords& words,
                              std::string_view version) {
  const std::vector<rules::Finding> findings = findings_of(report);
  return review_page(analysed, report, words, version,
                     report::write_summary_with_questions(inputs_of(analysed, findings, words)));
}

std::string write_review_page(const AnalysedChange& analysed, const writer::ModelReview& review,
                              const ChangeWords& words, std::string_view version) {
  return review_page(analysed, review.report, words, version, summary_and_closing(review));
}

std::string write_check_page(const Tree& tree, const report::Report& report, std::string_view revision,
                             std::string_view version) {
  report::Document head;
  head.title = report::prose("Check");
  head.paragraph(report::write_verdict(report, report::group_issues(report), nullptr));
  const render::ReportSubject subject{std::string(version), "", std::string(revision), "", "", ""};
  return render::render_review_page({report, subject, head, {}, {&tree.program, nullptr}});
}

std::string write_github_review(const AnalysedChange& analysed, const report::Report& report,
                                const ChangeWords& words) {
  const std::vector<rules::Finding> findings = findings_of(report);
  return github_review(analysed, report, report::write_summary_with_questions(inputs_of(analysed, findings, words)));
}

std::string write_github_review(const AnalysedChange& analysed, const writer::ModelReview& review) {
  return github_review(analysed, review.report, summary_and_closing(review));
}

std::string write_check_document(const report::Report& report) {
  return render::render_markdown(report::write_check(report));
}

std::vector<program::FunctionId> functions_touched(const AnalysedChange& analysed) {
  std::vector<program::FunctionId> touched;
  for (const change::EntityChange& entity : analysed.change.entities) {
    if (!entity.after) continue;
    const bool only_cosmetic =
        !entity.differences.empty() &&
        std::all_of(entity.differences.begin(), entity.differences.end(),
                    [](const change::Difference& difference) { return change::is_cosmetic(difference.kind); });
    if (only_cosmetic) continue;
    if (entity.after->function.valid()) {
      touched.push_back(entity.after->function);
    } else if (entity.after->cls.valid()) {
      for (const std::string_view name : {"__init__", "forward"}) {
        const program::FunctionId method = analysed.after.find_method(entity.after->cls, name);
        if (method.valid()) touched.push_back(method);
      }
    }
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return touched;
}

namespace {

std::string render_graph(const report::GraphModel& model, const GraphRequest& request) {
  if (request.format == "embargo") return render::render_graph_embargo(model);
  if (request.format == "json") return render::render_graph_json(model);
  if (request.format == "dot") return render::render_graph_dot(model);
  if (request.format == "mermaid") return render::render_graph_mermaid(model);
  if (request.format == "html") return render::render_graph_html(model, request.title);
  return render::render_graph_llm(model, render::ShortNames(model, request.jobs), request.tokens, request.jobs);
}

}  // namespace

std::string write_graph_document(const GraphSource& source, const GraphRequest& request) {
  if (request.format == "callgraph") return render::render_graph_callgraph(source.program, request.paths);
  const report::GraphOptions options{request.paths, request.focus, request.jobs};
  return render_graph(report::make_graph(source.program, source.mesh, source.step_path, options), request);
}

Result<std::string> write_graph_of_tree(Tree& tree, const GraphRequest& request, const PipelineOptions& options,
                                        Timings& timings) {
  if (request.format == "callgraph") return render::render_graph_callgraph(tree.program, request.paths);
  report::GraphModel model;
  Result<void> done;
  std::optional<render::ShortNames> names;
  Timings beside;
  // The mesh keeps one thread busy most of the time.
  const std::size_t jobs = request.jobs > 1 ? request.jobs - 1 : 1;
  side_by_side(
      request.jobs, [&] { done = analyse_mesh_of(tree, options, timings); },
      [&] {
        {
          const auto scope = beside.time("step path, beside the mesh");
          find_step_path(tree);
        }
        const auto scope = beside.time("graph, beside the mesh");
        const report::GraphGroundwork* groundwork = tree.graph_groundwork ? &*tree.graph_groundwork : nullptr;
        model = report::begin_graph(tree.program, tree.step_path, {request.paths, request.focus, jobs, groundwork});
        if (request.format == "llm") names.emplace(model, jobs);
      });
  if (!done) return tl::unexpected<Error>(done.error());
  for (const Timings::Phase& phase : beside.phases()) timings.add("  " + phase.name, phase.milliseconds);
  const auto scope = timings.time("document");
  report::complete_graph(model, tree.mesh);
  return request.format == "llm" ? render::render_graph_llm(model, *names, request.tokens, request.jobs)
                                 : render_graph(model, request);
}

Result<std::string> write_trace_document(const Tree& tree, const TraceRequest& request) {
  const Result<program::FunctionId> symbol = report::find_symbol(tree.program, request.symbol);
  if (!symbol) return tl::unexpected<Error>(symbol.error());
  std::optional<report::TraceTarget> to;
  if (request.to) {
    Result<report::TraceTarget> target = report::find_target(tree.program, *request.to);
    if (!target) return tl::unexpected<Error>(target.error());
    to = std::move(*target);
  }
  const report::Trace trace = report::make_trace(tree.program, *symbol, std::move(to));
  return render::render_markdown(report::write_trace(tree.program, tree.mesh, trace, request.collectives));
}

}  // namespace lockstep::driver
