#include "mcp/workspace.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/hash.h"

namespace lockstep::mcp {

namespace {

constexpr int kMostAttempts = 3;
// Longer than a tick of the kernel's clock, so that a second look tells what was written before from what came after.
constexpr std::chrono::milliseconds kSettle(25);

bool is_settings_path(std::string_view path) { return path == "lockstep.toml" || path == "pyproject.toml"; }

// What linking depends on.
std::string python_key_of(const repo::Snapshot& snapshot) {
  std::string text;
  for (const repo::FileEntry& file : snapshot.files()) {
    if (!driver::is_python_path(file.path) && !is_settings_path(file.path)) continue;
    text += fmt::format("{}\n{}\n{}\n", file.path, file.content_id, static_cast<int>(file.kind));
  }
  return hash128_hex(text);
}

// Content ids of plain folders hold times and inodes; the version depends on the text alone.
std::string version_of(const program::Program& program) {
  std::uint64_t hash = 0;
  for (const program::Module& module : program.modules()) {
    hash = hash64(module.path, hash);
    hash = hash64(module.facts->source().bytes(), hash);
  }
  return fmt::format("{:016x}", hash);
}

Result<repo::ChangeInput> no_such_kind(std::string_view name) {
  return fail(fmt::format("'{}' is not a change that can be read here", name),
              "name a commit, BASE..HEAD, BASE...HEAD (from the merge base), or --worktree for uncommitted work");
}

}  // namespace

Result<Workspace> Workspace::open(Options options) {
  Result<repo::Repository> repository = repo::Repository::open(options.directory);
  if (!repository) return tl::unexpected<Error>(repository.error());
  return Workspace(std::move(options), std::move(*repository));
}

std::string Workspace::title() const { return std::filesystem::path(repository_.root()).filename().string(); }

driver::PipelineOptions Workspace::pipeline(const Progress& progress) const {
  driver::PipelineOptions options;
  options.jobs = options_.jobs;
  options.settings = options_.settings;
  options.before_phase = progress;
  return options;
}

bool Workspace::is_current() const { return tree_ != nullptr && watch_.is_current(); }

Result<void> Workspace::refresh_snapshot() {
  if (watch_.is_current()) return {};
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kSettle);
    const auto start = std::chrono::system_clock::now();
    Result<repo::Snapshot> snapshot = repository_.current();
    if (!snapshot) return tl::unexpected<Error>(snapshot.error());
    snapshot_ = std::move(*snapshot);
    watch_ = repo::TreeWatch(repository_, snapshot_);
    if (!watch_.written_since(start)) break;
  }
  ++generation_;
  return {};
}

// What nothing uses any more goes, so that a day of edits does not pile up every version of every file.
void Workspace::keep_facts(driver::FactsByContent facts) {
  facts_ = std::move(facts);
  std::erase_if(facts_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

Result<const driver::Tree*> Workspace::linked(const Progress& progress) {
  if (const Result<void> fresh = refresh_snapshot(); !fresh) return tl::unexpected<Error>(fresh.error());
  std::string key = python_key_of(snapshot_);
  if (tree_ != nullptr && key == python_key_) return tree_.get();
  graph_.reset();
  report_.reset();
  words_.reset();
  cited_.reset();
  tree_.reset();
  has_mesh_ = false;
  Timings timings;
  driver::FactsByContent facts = facts_;
  Result<std::unique_ptr<driver::Tree>> tree = driver::link_tree(snapshot_, pipeline(progress), facts, timings);
  // A file that was written while it was read may stand under the wrong content id: then nothing is kept for later.
  if (watch_.is_current()) {
    keep_facts(std::move(facts));
  } else {
    watch_ = {};
  }
  ::malloc_trim(0);
  if (!tree) return tl::unexpected<Error>(tree.error());
  tree_ = std::move(*tree);
  python_key_ = std::move(key);
  version_ = version_of(tree_->program);
  return tree_.get();
}

Result<const driver::Tree*> Workspace::analysed(const Progress& progress) {
  const Result<const driver::Tree*> tree = linked(progress);
  if (!tree || has_mesh_) return tree;
  Timings timings;
  const Result<void> done = driver::complete_tree(*tree_, pipeline(progress), timings);
  if (!done) return tl::unexpected<Error>(done.error());
  has_mesh_ = true;
  return tree_.get();
}

Result<const report::GraphModel*> Workspace::graph(const Progress& progress) {
  const Result<const driver::Tree*> tree = analysed(progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  if (graph_ == nullptr) {
    if (progress && !progress("rank")) return fail("cancelled");
    graph_ = std::make_unique<report::GraphModel>(
        report::make_graph(tree_->program, tree_->mesh, tree_->step_path, {{}, {}, options_.jobs}));
  }
  return graph_.get();
}

Result<const report::Report*> Workspace::findings(const Progress& progress) {
  const Result<const driver::Tree*> tree = analysed(progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  if (report_ == nullptr) {
    if (progress && !progress("rules")) return fail("cancelled");
    Timings timings;
    report_ = std::make_unique<report::Report>(driver::check_tree(*tree_, {}, {}, timings));
  }
  return report_.get();
}

Result<const WordIndex*> Workspace::words(const Progress& progress) {
  const Result<const driver::Tree*> tree = linked(progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  if (words_ == nullptr) {
    if (progress && !progress("index")) return fail("cancelled");
    words_ = std::make_unique<WordIndex>(tree_->program);
  }
  return words_.get();
}

Result<const writer::CitedSides*> Workspace::cited(const Progress& progress) {
  const Result<const driver::Tree*> tree = linked(progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  if (cited_ == nullptr || cited_generation_ != generation_) {
    if (progress && !progress("words")) return fail("cancelled");
    cited_ = std::make_unique<writer::CitedSides>(
        writer::CitedSidesInput{nullptr, tree_->program, nullptr, snapshot_, nullptr, {}, {}, options_.jobs});
    cited_generation_ = generation_;
  }
  return cited_.get();
}

Result<const writer::CitedSides*> Workspace::cited(const std::string& change_name, const Progress& progress) {
  const Result<LiveChange*> found = change(change_name, progress);
  if (!found) return tl::unexpected<Error>(found.error());
  LiveChange& live = **found;
  if (live.cited == nullptr) {
    if (progress && !progress("words")) return fail("cancelled");
    live.cited = std::make_unique<writer::CitedSides>(driver::cited_sides_of(*live.analysed, live.words));
  }
  return live.cited.get();
}

Result<repo::ChangeInput> Workspace::parse_change_name(const std::string& name, std::string& key) {
  if (name == "--worktree") {
    if (const Result<void> fresh = refresh_snapshot(); !fresh) return tl::unexpected<Error>(fresh.error());
    key = fmt::format("--worktree {} {}", repository_.resolve("HEAD").value_or(""), generation_);
    return repo::WorktreeChange{};
  }
  if (name.empty() || name.starts_with('-') || name.find("://") != std::string::npos) return no_such_kind(name);
  const std::size_t dots = name.find("..");
  if (dots == std::string::npos) {
    const Result<std::string> commit = repository_.resolve(name);
    if (!commit) return tl::unexpected<Error>(commit.error());
    key = *commit;
    return repo::CommitChange{name};
  }
  const bool three = name.compare(dots, 3, "...") == 0;
  repo::RangeChange range{name.substr(0, dots), name.substr(dots + (three ? 3 : 2)), three};
  if (range.base.empty()) range.base = "HEAD";
  if (range.head.empty()) range.head = "HEAD";
  const Result<std::string> base = repository_.resolve(range.base);
  if (!base) return tl::unexpected<Error>(base.error());
  const Result<std::string> head = repository_.resolve(range.head);
  if (!head) return tl::unexpected<Error>(head.error());
  key = fmt::format("{}{}{}", *base, three ? "..." : "..", *head);
  return range;
}

namespace {

std::unordered_set<program::FunctionId> surely_reached(const program::Program& program,
                                                       const std::vector<program::Reached>& step_path) {
  std::unordered_set<program::FunctionId> reached;
  std::vector<program::FunctionId> queue;
  for (const program::Reached& one : step_path) {
    if (one.distance == 0 && reached.insert(one.function).second) queue.push_back(one.function);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const program::CallId call : program.functions()[queue[i]].calls) {
      for (const program::CallTarget& target : program.calls()[call].targets) {
        if (target.function.valid() && target.certainty == program::Certainty::kExact &&
            reached.insert(target.function).second)
          queue.push_back(target.function);
      }
    }
  }
  return reached;
}

}  // namespace

Result<std::unique_ptr<LiveChange>> Workspace::load_change(const repo::ChangeInput& input, const Progress& progress) {
  if (progress && !progress("open and list")) return fail("cancelled");
  Result<repo::ChangeSides> sides = repo::load_change(repository_, input, {});
  if (!sides) return tl::unexpected<Error>(sides.error());
  auto change = std::make_unique<LiveChange>();
  change->words = driver::words_of(*sides);
  Timings timings;
  driver::FactsByContent facts = facts_;
  Result<std::unique_ptr<driver::AnalysedChange>> analysed =
      driver::analyse_change(std::move(*sides), pipeline(progress), facts, timings);
  const bool reads_disk = std::holds_alternative<repo::WorktreeChange>(input);
  if (!reads_disk || watch_.is_current()) keep_facts(std::move(facts));
  if (!analysed) return tl::unexpected<Error>(analysed.error());
  change->analysed = std::move(*analysed);
  change->surely_in_step = surely_reached(change->analysed->after, change->analysed->step_path);
  if (progress && !progress("rules")) return fail("cancelled");
  change->report = driver::review_change(*change->analysed, timings);
  return change;
}

Result<LiveChange*> Workspace::change(const std::string& name, const Progress& progress) {
  std::string key;
  const Result<repo::ChangeInput> input = parse_change_name(name, key);
  if (!input) return tl::unexpected<Error>(input.error());
  // The names of the sides stand in the documents: "main..x" and its commits' ids are two changes.
  key = fmt::format("{} {}", name, key);
  const auto known =
      std::find_if(changes_.begin(), changes_.end(), [&](const auto& each) { return each.first == key; });
  if (known != changes_.end()) {
    changes_.splice(changes_.begin(), changes_, known);
    return changes_.front().second.get();
  }
  while (changes_.size() >= kMostChanges) changes_.pop_back();
  ::malloc_trim(0);
  Result<std::unique_ptr<LiveChange>> loaded = load_change(*input, progress);
  if (!loaded) return tl::unexpected<Error>(loaded.error());
  (*loaded)->version = fmt::format(
      "{:016x}", hash64(version_of((*loaded)->analysed->after), hash64(version_of((*loaded)->analysed->before))));
  changes_.emplace_front(std::move(key), std::move(*loaded));
  return changes_.front().second.get();
}

Result<std::string> Workspace::document(const std::string& kind, const std::string& change_name,
                                        const Progress& progress) {
  const Result<LiveChange*> found = change(change_name, progress);
  if (!found) return tl::unexpected<Error>(found.error());
  LiveChange& live = **found;
  if (const auto known = live.documents.find(kind); known != live.documents.end()) return known->second;
  if (progress && !progress("document")) return fail("cancelled");
  std::string text;
  if (kind == "graph") {
    driver::GraphRequest request;
    request.format = "llm";
    request.tokens = 8000;
    request.jobs = options_.jobs;
    request.focus = driver::functions_touched(*live.analysed);
    text = driver::write_graph_document({live.analysed->after, live.analysed->mesh_after, live.analysed->step_path},
                                        request);
  } else {
    const driver::DocumentKind document = kind == "explain" ? driver::DocumentKind::kExplain
                                          : kind == "dive"  ? driver::DocumentKind::kDive
                                                            : driver::DocumentKind::kReview;
    text = driver::write_change_document(document, *live.analysed, live.report, live.words);
  }
  live.documents.emplace(kind, text);
  return text;
}

}  // namespace lockstep::mcp
