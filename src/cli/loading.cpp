#include "cli/loading.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "base/secrets.h"
#include "base/strings.h"
#include "base/worker_pool.h"
#include "cli/files.h"
#include "driver/configuration.h"
#include "driver/pull_request.h"
#include "render/text_safety.h"

namespace lockstep::cli {

namespace {

using driver::AnalysedChange;
using driver::Tree;

constexpr std::size_t kMostPatchBytes = 64u << 20;
constexpr std::size_t kMostPullRequestBytes = 4u << 20;

std::string text_of(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// GitHub's own JSON of a pull request; only what the documents say is taken.
Result<driver::ChangeWords> read_pull_request(const std::string& path) {
  Result<std::string> bytes = read_file(path, kMostPullRequestBytes);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  const nlohmann::json json = nlohmann::json::parse(*bytes, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return fail(fmt::format("'{}' is not the JSON of a pull request", path),
                "give GitHub's own JSON: `gh api repos/OWNER/REPO/pulls/NUMBER`");
  }
  driver::ChangeWords words;
  words.is_pull_request = true;
  words.title = text_of(json, "title");
  words.body = text_of(json, "body");
  if (const auto user = json.find("user"); user != json.end() && user->is_object())
    words.author = text_of(*user, "login");
  if (const auto number = json.find("number"); number != json.end() && number->is_number_unsigned())
    words.number = number->get<std::uint64_t>();
  return words;
}

Result<repo::ChangeInput> parse_input(const Options& options, const repo::Repository& repository) {
  if (options.worktree) return repo::WorktreeChange{};
  std::optional<std::string> standard_input;
  if (options.change == "-") {
    Result<std::string> text = read_file("-", kMostPatchBytes);
    if (!text) return tl::unexpected<Error>(text.error());
    standard_input = std::move(*text);
  }
  return repo::parse_change(repository, options.change, standard_input);
}

// Where GitHub does not answer, the commits may be had otherwise.
Error offline_advice(Error error, std::uint64_t number) {
  if (contains(error.message, "does not answer"))
    error.next_step += fmt::format(
        ". Without it: `git fetch origin pull/{}/head` where Git gets through, then `BASE...FETCH_HEAD`", number);
  return error;
}

// The sides and words of a change, from the repository or from GitHub.
Result<repo::ChangeSides> load_sides(const Options& options, LoadedChange& loaded) {
  const Result<repo::Repository> repository = repo::Repository::open(options.directory);
  if (!repository) return tl::unexpected<Error>(repository.error());
  loaded.repository = *repository;
  const Result<repo::ChangeInput> input = parse_input(options, *repository);
  if (!input) return tl::unexpected<Error>(input.error());
  if (const auto* ref = std::get_if<repo::ForgeRef>(&*input)) {
    Result<driver::LoadedPullRequest> pull = driver::load_pull_request(*repository, *ref, remark_of(options));
    if (!pull) return tl::unexpected<Error>(offline_advice(pull.error(), ref->number));
    loaded.words = std::move(pull->words);
    loaded.pull_request = std::move(pull->place);
    loaded.session = std::move(pull->session);
    loaded.folder = std::move(pull->folder);
    return std::move(pull->sides);
  }
  loaded.is_range = std::holds_alternative<repo::RangeChange>(*input);
  repo::LoadOptions load;
  load.patch_base = options.patch_base;
  Result<repo::ChangeSides> sides = repo::load_change(*repository, *input, load);
  if (sides) loaded.words = driver::words_of(*sides);
  return sides;
}

std::vector<std::string> shown(std::vector<std::string> paths) {
  for (std::string& path : paths) path = render::visible_text(path, false);
  return paths;
}

}  // namespace

std::optional<Error> nothing_compared(const LoadedChange& loaded) {
  if (!loaded.is_range || !loaded.analysed->change.files.empty()) return std::nullopt;
  const repo::ChangeSides& sides = loaded.analysed->sides;
  const std::string_view why = sides.before_commit == sides.after_commit ? "are one commit" : "hold the same files";
  return Error{fmt::format("nothing to compare: {} and {} {}", sides.before_name, sides.after_name, why),
               "name two revisions that differ: BASE..HEAD, or BASE...HEAD from where they parted; in CI see that BASE "
               "is the branch that the change goes to"};
}

std::size_t job_count(const Options& options) { return options.jobs > 0 ? options.jobs : default_job_count(); }

driver::Remark remark_of(const Options& options) {
  return [is_quiet = options.quiet](const std::string& text) {
    if (!is_quiet) fmt::print(stderr, "lockstep: {}\n", without_secrets(text));
  };
}

Result<driver::PipelineOptions> pipeline_options(const Options& options) {
  driver::PipelineOptions pipeline;
  pipeline.jobs = job_count(options);
  if (options.config) {
    Result<rules::Settings> settings = driver::settings_from_file(*options.config);
    if (!settings) return tl::unexpected<Error>(settings.error());
    pipeline.settings = std::move(*settings);
  }
  return pipeline;
}

Result<LoadedChange> load_change(const Options& options, Timings& timings) {
  Result<driver::PipelineOptions> pipeline = pipeline_options(options);
  if (!pipeline) return tl::unexpected<Error>(pipeline.error());
  pipeline->with_calls_of_tests_before = options.command != Command::kReview || options.model.is_wanted();
  LoadedChange loaded;
  Result<repo::ChangeSides> sides = fail("not loaded");
  {
    const auto scope = timings.time("open and list");
    sides = load_sides(options, loaded);
    if (!sides) return tl::unexpected<Error>(sides.error());
  }
  if (options.pr_file) {
    Result<driver::ChangeWords> words = read_pull_request(*options.pr_file);
    if (!words) return tl::unexpected<Error>(words.error());
    loaded.words = std::move(*words);
  }
  Result<std::unique_ptr<AnalysedChange>> analysed = driver::analyse_change(std::move(*sides), *pipeline, timings);
  if (!analysed) return tl::unexpected<Error>(analysed.error());
  loaded.analysed.reset(analysed->release());
  return loaded;
}

Result<repo::Snapshot> load_snapshot(const Options& options, Timings& timings) {
  const auto scope = timings.time("open and list");
  const Result<repo::Repository> repository = repo::Repository::open(options.directory);
  if (!repository) return tl::unexpected<Error>(repository.error());
  Result<repo::Snapshot> snapshot =
      options.revision ? repository->snapshot_at(*options.revision) : repository->current();
  if (!snapshot) return snapshot;
  for (const std::string& path : options.paths) {
    const std::string prefix = path.ends_with('/') ? path : path + "/";
    const auto& files = snapshot->files();
    const bool known = path == "." || std::any_of(files.begin(), files.end(), [&](const repo::FileEntry& file) {
                         return file.path == path || file.path.starts_with(prefix);
                       });
    if (known) continue;
    std::vector<std::string_view> paths;
    for (const repo::FileEntry& file : files) paths.push_back(file.path);
    constexpr std::size_t kMostOffered = 3;
    return fail(
        fmt::format("there is no file or folder '{}' in this tree", render::visible_text(path, false)),
        did_you_mean_or(shown(nearest_paths(path, paths, kMostOffered)), "give paths from the repository's root"));
  }
  return snapshot;
}

Result<LoadedTree> load_tree(const Options& options, Timings& timings) {
  const Result<driver::PipelineOptions> pipeline = pipeline_options(options);
  if (!pipeline) return tl::unexpected<Error>(pipeline.error());
  Result<repo::Snapshot> snapshot = load_snapshot(options, timings);
  if (!snapshot) return tl::unexpected<Error>(snapshot.error());
  Result<std::unique_ptr<Tree>> tree = driver::analyse_tree(std::move(*snapshot), *pipeline, timings);
  if (!tree) return tl::unexpected<Error>(tree.error());
  return LoadedTree(tree->release());
}

}  // namespace lockstep::cli
