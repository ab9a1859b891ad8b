#include "cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/nearest.h"
#include "base/strings.h"
#include "cli/agent_commands.h"
#include "cli/files.h"
#include "cli/loading.h"
#include "cli/model_session.h"
#include "cli/playbook_commands.h"
#include "driver/authoring.h"
#include "driver/documents.h"
#include "driver/packing.h"
#include "driver/pipeline.h"
#include "driver/verification.h"
#include "render/document_html.h"
#include "render/findings.h"
#include "render/markdown.h"
#include "report/graph/trace.h"
#include "rules/nearest_rules.h"
#include "rules/pages.h"
#include "rules/rule.h"
#include "writer/prompts.h"
#include "writer/verification_text.h"

namespace lockstep::cli {

namespace {

using driver::AnalysedChange;
using driver::Tree;

constexpr std::size_t kMostPatchBytes = 64u << 20;
constexpr std::size_t kMostDocumentBytes = 16u << 20;

/// Runs `body` and prints the timings afterwards where they are wanted.
template <class Body>
int timed(const Options& options, Body body) {
  Timings timings;
  const int code = body(timings);
  if (options.timings) fmt::print(stderr, "{}", timings.to_text());
  return code;
}

render::ReportSubject subject_of(const AnalysedChange& analysed, const driver::ChangeWords& words) {
  return {LOCKSTEP_VERSION,
          analysed.sides.before_name,
          analysed.sides.after_name,
          analysed.sides.before_commit,
          analysed.sides.after_commit,
          words.title};
}

// Writes bytes and gives the exit code.
int finish(const Options& options, std::string_view bytes, int code = 0) {
  const Result<void> written = write_output(options.output, bytes);
  return written ? code : stop(written.error());
}

// A model was asked for and wrote nothing: the document stands without it, and the exit code says so.
int without_model(const Options& options, const std::string& why_nothing) {
  if (why_nothing.empty()) return 0;
  remark_of(options)(fmt::format("the model wrote nothing ({}): the document is Lockstep's own", why_nothing));
  return 2;
}

// A document that a language model wrote along with. With --show-request its requests are printed instead.
int run_with_model(driver::DocumentKind kind, const Options& options, const LoadedChange& loaded,
                   const report::Report& report, Timings& timings) {
  const Result<std::unique_ptr<ModelSession>> session = ModelSession::open(options);
  if (!session) return stop(session.error());
  std::string why_nothing;
  const report::Document document = driver::write_with_model(
      kind, *loaded.analysed, report, loaded.words, loaded.repository,
      {(*session)->model(), (*session)->name(), !options.no_proofread, &why_nothing}, options.language, timings);
  if (options.model.show_request) return 0;
  (*session)->tell_cost();
  const int code = without_model(options, why_nothing);
  if (!options.html) return finish(options, render::render_markdown(document), code);
  render::PageOptions page;
  page.language = driver::language_for(loaded.words, options.language);
  const Result<void> written = write_output(options.html, render::render_page(document, page));
  return written ? code : stop(written.error());
}

int run_document(const Options& options, Timings& timings) {
  Result<LoadedChange> loaded = load_change(options, timings);
  if (!loaded) return stop(loaded.error());
  const driver::DocumentKind kind =
      options.command == Command::kExplain ? driver::DocumentKind::kExplain : driver::DocumentKind::kDive;
  std::optional<report::Story> story;
  // Found beside the rules: it takes one thread as long as they take another.
  const report::Report report = driver::review_change(*loaded->analysed, timings, [&] {
    if (!options.model.is_wanted()) story = driver::story_of(kind, *loaded->analysed, loaded->words);
  });
  const auto scope = timings.time("document");
  if (options.model.is_wanted()) return run_with_model(kind, options, *loaded, report, timings);
  if (!options.html)
    return finish(options, driver::write_change_document(kind, *loaded->analysed, report, loaded->words,
                                                         options.language, &*story));
  const Result<void> written = write_output(
      options.html,
      driver::write_change_page(kind, *loaded->analysed, report, loaded->words, options.language, &*story));
  return written ? 0 : stop(written.error());
}

int run_pack(const Options& options, Timings& timings) {
  Result<LoadedChange> loaded = load_change(options, timings);
  if (!loaded) return stop(loaded.error());
  if (const std::optional<Error> nothing = nothing_compared(*loaded)) return stop(*nothing);
  const report::Report report = driver::review_change(*loaded->analysed, timings);
  writer::PackOptions pack_options;
  pack_options.purpose = options.purpose == "review" ? writer::Purpose::kReview
                         : options.purpose == "dive" ? writer::Purpose::kDive
                                                     : writer::Purpose::kExplain;
  if (options.tokens > 0) pack_options.tokens = options.tokens;
  pack_options.part = options.part;
  const Result<writer::Pack> pack =
      driver::pack_change(*loaded->analysed, report, loaded->words, loaded->repository, pack_options, timings);
  if (!pack) return stop(pack.error());
  remark_of(options)(pack->parts == 1
                         ? fmt::format("about {} tokens", pack->tokens)
                         : fmt::format("part {} of {}, about {} tokens; --part K gives another one, --tokens N makes "
                                       "fewer of them",
                                       pack->part, pack->parts, pack->tokens));
  return finish(options, pack->text);
}

std::string render_report(const Options& options, const report::Report& report, const render::ReportSubject& subject) {
  if (options.format == "sarif") return render::render_sarif(report, subject);
  if (options.format == "rdjson") return render::render_rdjson(report);
  if (options.format == "gitlab") return render::render_gitlab(report);
  if (options.format == "annotations") return render::render_annotations(report);
  return render::render_json(report, subject);
}

int exit_code(const Options& options, const report::Report& report) {
  return options.fail_on && report::reaches(report, *options.fail_on) ? 1 : 0;
}

// `model` is null where no model wrote along, `story` where the review is no document of Lockstep's own.
std::string render_review(const Options& options, const LoadedChange& loaded, const report::Report& report,
                          const writer::ModelReview* model, const report::Story* story) {
  const AnalysedChange& analysed = *loaded.analysed;
  if (options.format.empty() || options.format == "md")
    return model != nullptr ? render::render_markdown(writer::review_document(*model))
                            : driver::write_change_document(driver::DocumentKind::kReview, analysed, report,
                                                            loaded.words, {}, story);
  if (options.format == "github")
    return model != nullptr ? driver::write_github_review(analysed, *model)
                            : driver::write_github_review(analysed, report, loaded.words);
  if (options.format == "html")
    return model != nullptr ? driver::write_review_page(analysed, *model, loaded.words, LOCKSTEP_VERSION)
                            : driver::write_review_page(analysed, report, loaded.words, LOCKSTEP_VERSION);
  render::ReportSubject subject = subject_of(analysed, loaded.words);
  if (model != nullptr) subject.model = &model->part;
  return render_report(options, model != nullptr ? model->report : report, subject);
}

// Posts a review and tells about it. A dry run prints the requests instead.
int post(const Options& options, driver::ForgeSession& session, const forge::PullRequestPlace& place,
         std::string_view review) {
  const Result<forge::PostOutcome> outcome =
      driver::post_review(session, place, review, {options.event, options.dry_run});
  if (!outcome) return stop(outcome.error());
  remark_of(options)(outcome->remark);
  return options.dry_run ? finish(options, outcome->requests) : 0;
}

// The review that a model writes along; none where its requests were only shown.
Result<std::optional<writer::ModelReview>> review_with_model(const Options& options, const LoadedChange& loaded,
                                                             const report::Report& report, Timings& timings,
                                                             std::string& why_nothing) {
  const Result<std::unique_ptr<ModelSession>> session = ModelSession::open(options);
  if (!session) return tl::unexpected<Error>(session.error());
  writer::ModelReview review =
      driver::review_with_model(*loaded.analysed, report, loaded.words, loaded.repository,
                                {(*session)->model(), (*session)->name(), false, &why_nothing}, timings);
  if (options.model.show_request) return std::optional<writer::ModelReview>();
  (*session)->tell_cost();
  return std::optional<writer::ModelReview>(std::move(review));
}

// `--fail-on` asks for Lockstep's own findings, whatever a model says of them.
int run_review(const Options& options, Timings& timings) {
  Result<LoadedChange> loaded = load_change(options, timings);
  if (!loaded) return stop(loaded.error());
  if (options.post && !loaded->pull_request)
    return stop(
        {"--post needs a pull request, and this change is none", "name it: 1234, OWNER/REPO#1234, or its address"});
  if (const std::optional<Error> nothing = nothing_compared(*loaded)) return stop(*nothing);
  // As a document it tells what the change does: that is found beside the rules.
  const bool is_document =
      (options.format.empty() || options.format == "md") && !options.model.is_wanted() && !options.post;
  std::optional<report::Story> story;
  const report::Report report = driver::review_change(*loaded->analysed, timings, [&] {
    if (is_document) story = driver::story_of(driver::DocumentKind::kReview, *loaded->analysed, loaded->words);
  });
  std::optional<writer::ModelReview> model;
  std::string why_nothing;
  if (options.model.is_wanted()) {
    Result<std::optional<writer::ModelReview>> written =
        review_with_model(options, *loaded, report, timings, why_nothing);
    if (!written) return stop(written.error());
    if (!*written) return exit_code(options, report);
    model = std::move(*written);
  }
  const auto scope = timings.time("document");
  const int failed = exit_code(options, report);
  const int without = model ? without_model(options, why_nothing) : 0;
  const int success = failed != 0 ? failed : without;
  if (options.post) {
    const std::string review = model ? driver::write_github_review(*loaded->analysed, *model)
                                     : driver::write_github_review(*loaded->analysed, report, loaded->words);
    const int code = post(options, *loaded->session, *loaded->pull_request, review);
    if (code != 0) return code;
    if (options.dry_run) return success;
  }
  return finish(options, render_review(options, *loaded, report, model ? &*model : nullptr, story ? &*story : nullptr),
                success);
}

int run_post(const Options& options) {
  const Result<std::string> review = read_file(options.review_file, kMostPatchBytes);
  if (!review) return stop(review.error());
  const Result<repo::Repository> repository = repo::Repository::open(options.directory);
  if (!repository) return stop(repository.error());
  // Only the forms that name a pull request: a number is never a commit here.
  const Result<repo::ForgeRef> ref = repo::parse_pull_request(options.pull_request);
  if (!ref) return stop(ref.error());
  const Result<forge::PullRequestPlace> place = forge::locate_pull_request(*ref, &*repository);
  if (!place) return stop(place.error());
  driver::ForgeSession session(place->server, remark_of(options));
  return post(options, session, *place, *review);
}

// One fingerprint a line; empty lines and `#` comments are skipped.
Result<std::vector<std::string>> read_baseline(const std::optional<std::string>& path) {
  std::vector<std::string> fingerprints;
  if (!path) return fingerprints;
  const Result<std::string> text = read_file(*path, 64u << 20);
  if (!text) return tl::unexpected<Error>(text.error());
  for (const std::string_view line : split_lines(*text)) {
    const std::string_view fingerprint = trim(line.substr(0, line.find('#')));
    if (!fingerprint.empty()) fingerprints.emplace_back(fingerprint);
  }
  return fingerprints;
}

Result<void> write_baseline(const std::string& path, const report::Report& report) {
  std::string text = "# Findings that are known and left as they are: fingerprint # severity rule place\n";
  for (const report::ReportedFinding& reported : report.findings) {
    const rules::Finding& finding = reported.finding;
    text += fmt::format("{} # {} {} {}:{}\n", reported.fingerprint, report::severity_name(finding.severity),
                        finding.rule, finding.path, finding.start_line + 1);
  }
  return write_output(path, text);
}

/// Why a check would look at nothing: where it is started in the wrong folder, it must not say that all is well.
std::optional<Error> nothing_checked(const Tree& tree, const std::vector<std::string>& paths) {
  const auto is_wanted = [&](const std::string& path) {
    return paths.empty() || std::any_of(paths.begin(), paths.end(), [&](const std::string& wanted) {
             return wanted == "." || path == wanted || path.starts_with(wanted.ends_with('/') ? wanted : wanted + "/");
           });
  };
  const auto& modules = tree.program.modules();
  const auto& problems = tree.coverage.problems;
  if (std::any_of(modules.begin(), modules.end(), [&](const program::Module& one) { return is_wanted(one.path); }) ||
      std::any_of(problems.begin(), problems.end(), [&](const auto& one) { return is_wanted(one.path); }))
    return std::nullopt;
  if (paths.empty())
    return Error{"there is no Python file here: nothing was checked", "name the code's folder with -C"};
  return Error{fmt::format("there is no Python file in {}: nothing was checked", fmt::join(paths, ", ")),
               "name files or folders with Python code in them"};
}

int run_check(const Options& options, Timings& timings) {
  const Result<std::vector<std::string>> baseline = read_baseline(options.baseline);
  if (!baseline) return stop(baseline.error());
  const Result<LoadedTree> tree = load_tree(options, timings);
  if (!tree) return stop(tree.error());
  if (const std::optional<Error> nothing = nothing_checked(**tree, options.paths)) return stop(*nothing);
  const report::Report report = driver::check_tree(**tree, options.paths, *baseline, timings);
  const auto scope = timings.time("document");
  if (options.write_baseline) {
    const Result<void> written = write_baseline(*options.write_baseline, report);
    if (!written) return stop(written.error());
  }
  const std::string revision = options.revision.value_or("the working tree");
  std::string bytes;
  if (options.format.empty() || options.format == "md") {
    bytes = driver::write_check_document(report);
  } else if (options.format == "html") {
    bytes = driver::write_check_page(**tree, report, revision, LOCKSTEP_VERSION);
  } else {
    bytes = render_report(options, report, {LOCKSTEP_VERSION, "", revision, "", "", ""});
  }
  return finish(options, bytes, exit_code(options, report));
}

// The last part of the folder's path, for titles.
std::string title_of(const Options& options) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::weakly_canonical(options.directory, error);
  const std::string name = path.filename().string();
  return name.empty() ? options.directory : name;
}

Result<driver::GraphRequest> graph_request(const Options& options, const program::Program& program) {
  driver::GraphRequest request;
  request.format = options.format.empty() ? "llm" : options.format;
  const std::string_view llm_only = options.tokens > 0        ? "--tokens"
                                    : !options.around.empty() ? "--around"
                                    : !options.change.empty() ? "--change"
                                                              : "";
  if (request.format != "llm" && !llm_only.empty())
    return fail(fmt::format("{} needs --format llm: {} shows everything below the paths that you name", llm_only,
                            request.format),
                "name files or folders to see less");
  request.paths = options.paths;
  request.tokens = options.tokens;
  request.jobs = job_count(options);
  request.title = title_of(options);
  for (const std::string& symbol : options.around) {
    const Result<std::vector<program::FunctionId>> focus = report::find_focus(program, symbol);
    if (!focus) return tl::unexpected<Error>(focus.error());
    request.focus.insert(request.focus.end(), focus->begin(), focus->end());
  }
  return request;
}

int run_graph_of_change(const Options& options, Timings& timings) {
  Result<LoadedChange> loaded = load_change(options, timings);
  if (!loaded) return stop(loaded.error());
  AnalysedChange& analysed = *loaded->analysed;
  driver::analyse_mesh_of(analysed, timings);
  const auto scope = timings.time("document");
  Result<driver::GraphRequest> request = graph_request(options, analysed.after);
  if (!request) return stop(request.error());
  const std::vector<program::FunctionId> touched = driver::functions_touched(analysed);
  if (touched.empty())
    fmt::print(stderr, "lockstep: the change touches no function of the after side; the graph is not centred\n");
  request->focus.insert(request->focus.end(), touched.begin(), touched.end());
  return finish(options,
                driver::write_graph_document({analysed.after, analysed.mesh_after, analysed.step_path}, *request));
}

int run_graph(const Options& options, Timings& timings) {
  if (!options.change.empty()) return run_graph_of_change(options, timings);
  Result<driver::PipelineOptions> pipeline = pipeline_options(options);
  if (!pipeline) return stop(pipeline.error());
  // A graph tells which collectives stand where, nothing of what leads to them.
  pipeline->mesh_extent = mesh::MeshExtent::kSites;
  pipeline->for_graph = true;
  Result<repo::Snapshot> snapshot = load_snapshot(options, timings);
  if (!snapshot) return stop(snapshot.error());
  driver::FactsByContent facts;
  Result<std::unique_ptr<Tree>> linked = driver::link_tree(std::move(*snapshot), *pipeline, facts, timings);
  if (!linked) return stop(linked.error());
  const LoadedTree tree(linked->release());
  if (tree->program.modules().empty()) remark_of(options)("there is no Python file here: the graph is empty");
  const Result<driver::GraphRequest> request = graph_request(options, tree->program);
  if (!request) return stop(request.error());
  const Result<std::string> document = driver::write_graph_of_tree(*tree, *request, *pipeline, timings);
  return document ? finish(options, *document) : stop(document.error());
}

int run_trace(const Options& options, Timings& timings) {
  const Result<LoadedTree> tree = load_tree(options, timings);
  if (!tree) return stop(tree.error());
  const auto scope = timings.time("document");
  const Result<std::string> document =
      driver::write_trace_document(**tree, {options.symbol, options.to, options.collectives});
  return document ? finish(options, *document) : stop(document.error());
}

// The document held against the change, or the tree, that it is about.
Result<writer::Verification> verify(const Options& options, std::string_view document, Timings& timings) {
  if (options.change.empty()) {
    const Result<LoadedTree> tree = load_tree(options, timings);
    if (!tree) return tl::unexpected<Error>(tree.error());
    const auto scope = timings.time("verify");
    return driver::verify_of_tree(document, **tree);
  }
  const Result<LoadedChange> loaded = load_change(options, timings);
  if (!loaded) return tl::unexpected<Error>(loaded.error());
  const auto scope = timings.time("verify");
  return driver::verify_of_change(document, *loaded->analysed, loaded->words);
}

int run_verify(const Options& options, Timings& timings) {
  const Result<std::string> document = read_file(options.document, kMostDocumentBytes);
  if (!document) return stop(document.error());
  const Result<writer::Verification> verification = verify(options, *document, timings);
  if (!verification) return stop(verification.error());
  const std::string bytes = options.format == "json" ? writer::verification_json(*verification, options.document)
                                                     : writer::verification_text(*verification, options.document);
  return finish(options, bytes, verification->problems.empty() ? 0 : 1);
}

/// One line for each rule whose id begins so.
std::string list_of_rules(std::string_view prefix) {
  std::string text;
  for (const rules::Rule& rule : rules::all_rules()) {
    if (!rule.id.starts_with(prefix)) continue;
    text += fmt::format("{:<29} {} {:<16} {}\n", rule.id, report::severity_name(rule.highest),
                        report::category_name(rule.category), rule.summary);
  }
  return text;
}

int run_prompts(const Options& options) {
  if (options.prompt.empty()) return finish(options, writer::prompt_list());
  const std::string_view text = writer::prompt_text(options.prompt);
  if (text.empty())
    return stop(
        {fmt::format("there is no prompt '{}'", options.prompt),
         did_you_mean_or(nearest_names(options.prompt, writer::prompt_names(), 3), "`lockstep prompts` lists them")});
  return finish(options, text);
}

int run_rules(const Options& options) {
  if (options.rule.empty()) return finish(options, list_of_rules({}));
  const std::string_view page = rules::rule_page(options.rule);
  if (!page.empty()) return finish(options, page);
  if (const std::string listed = list_of_rules(options.rule); !listed.empty()) return finish(options, listed);
  const std::string meant = did_you_mean(rules::nearest_rules(options.rule));
  return stop({fmt::format("there is no rule '{}'", options.rule),
               meant.empty() ? "`lockstep rules` lists them" : meant + " `lockstep rules` lists all"});
}

}  // namespace

int run(const Options& options) {
  return timed(options, [&](Timings& timings) {
    switch (options.command) {
      case Command::kGraph:
        return run_graph(options, timings);
      case Command::kTrace:
        return run_trace(options, timings);
      case Command::kExplain:
      case Command::kDive:
        return run_document(options, timings);
      case Command::kPack:
        return run_pack(options, timings);
      case Command::kReview:
        return run_review(options, timings);
      case Command::kCheck:
        return run_check(options, timings);
      case Command::kPrompts:
        return run_prompts(options);
      case Command::kRules:
        return run_rules(options);
      case Command::kVerify:
        return run_verify(options, timings);
      case Command::kPost:
        return run_post(options);
      case Command::kPlaybookCheck:
      case Command::kPlaybookWrite:
      case Command::kPlaybookRules:
        return run_playbook(options, timings);
      case Command::kMcp:
        return run_mcp(options);
      case Command::kSkill:
        return run_skill(options);
    }
    return 2;
  });
}

}  // namespace lockstep::cli
