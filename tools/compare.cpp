// lockstep-compare REPOSITORY BEFORE AFTER [--files]: what differs between two revisions, entity by entity, as plain
// text; with --files only the summaries of the files. Shows the change room's result as later rooms get it.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>

#include "change/change.h"
#include "program/link.h"
#include "repo/repository.h"

namespace {

using namespace lockstep;

constexpr std::string_view kKindNames[] = {"parameter-added",
                                           "parameter-removed",
                                           "parameter-renamed",
                                           "parameter-moved",
                                           "parameter-kind",
                                           "default-added",
                                           "default-removed",
                                           "default-changed",
                                           "default-renamed",
                                           "annotation",
                                           "return-annotation",
                                           "decorator-added",
                                           "decorator-removed",
                                           "base-added",
                                           "base-removed",
                                           "async",
                                           "import-added",
                                           "import-removed",
                                           "call-added",
                                           "call-removed",
                                           "call-arguments",
                                           "collective-added",
                                           "collective-removed",
                                           "collective-arguments",
                                           "raise-added",
                                           "raise-removed",
                                           "assert-added",
                                           "assert-removed",
                                           "branch-added",
                                           "branch-removed",
                                           "condition",
                                           "loop-added",
                                           "loop-removed",
                                           "return",
                                           "value",
                                           "body",
                                           "docstring",
                                           "comments",
                                           "formatting"};
constexpr std::string_view kEntityNames[] = {"module", "class", "function", "method", "variable", "field"};

using Facts = std::unordered_map<std::string, std::shared_ptr<const python::FileFacts>>;

program::Program link_side(const repo::Snapshot& snapshot, Facts& known) {
  std::vector<program::SourceFile> sources;
  for (std::size_t i = 0; i < snapshot.files().size(); ++i) {
    const repo::FileEntry& file = snapshot.files()[i];
    if (!file.path.ends_with(".py") || file.kind != repo::FileKind::file) continue;
    std::shared_ptr<const python::FileFacts>& facts = known[file.content_id];
    if (facts == nullptr) {
      Result<std::string> bytes = snapshot.read(i);
      if (bytes) facts = python::extract_facts(*std::move(bytes));
    }
    if (facts != nullptr) sources.push_back({file.path, facts});
  }
  return program::link(std::move(sources), {});
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("⏎") : std::string(1, c);
  return out;
}

std::string place(const std::optional<change::EntitySide>& side) {
  if (!side) return "-";
  return fmt::format("{} {}:{}-{}", side->qualified_name, side->path, side->first_line + 1, side->last_line + 1);
}

void print_entities(const change::Change& change) {
  for (const change::EntityChange& entity : change.entities) {
    fmt::print("{}{}{}{} {} {} | {}\n", entity.status == change::Status::kModified ? "modified" : "",
               entity.status == change::Status::kAdded ? "added" : "",
               entity.status == change::Status::kRemoved ? "removed" : "",
               fmt::format("{}{}{}", entity.moved ? ",moved" : "", entity.renamed ? ",renamed" : "",
                           entity.is_cosmetic() ? ",cosmetic" : ""),
               kEntityNames[static_cast<std::size_t>(entity.kind)], place(entity.before), place(entity.after));
    for (const change::Difference& one : entity.differences) {
      fmt::print("    {} {}: {} | {}  ({} | {})\n", kKindNames[static_cast<std::size_t>(one.kind)], one.name,
                 one_line(one.before), one_line(one.after),
                 one.before_line ? std::to_string(*one.before_line + 1) : "-",
                 one.after_line ? std::to_string(*one.after_line + 1) : "-");
    }
  }
}

int run(const std::string& path, const std::string& before_name, const std::string& after_name, bool files_only) {
  const Result<repo::Repository> repository = repo::Repository::open(path);
  if (!repository) return fmt::print(stderr, "{}\n", repository.error().message), 2;
  const Result<repo::Snapshot> before = repository->snapshot_at(before_name);
  const Result<repo::Snapshot> after = repository->snapshot_at(after_name);
  if (!before || !after) return fmt::print(stderr, "{}\n", (before ? after : before).error().message), 2;
  Facts facts;
  const program::Program left = link_side(*before, facts), right = link_side(*after, facts);
  const repo::SnapshotDiff diff = repo::diff_snapshots(*before, *after);
  const auto start = std::chrono::steady_clock::now();
  const change::Change change = change::compare(left, right, diff, {&*before, &*after});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  for (const change::FileSummary& file : change.files) {
    fmt::print("{} [+{} -{}] {}\n", file.file->path(), file.lines_added, file.lines_removed, file.summary);
  }
  if (!files_only) print_entities(change);
  fmt::print(stderr, "{} files, {} entities, compared in {:.1f} ms\n", change.files.size(), change.entities.size(),
             took.count());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool files_only = argc == 5 && std::string_view(argv[4]) == "--files";
  if (argc != 4 && !files_only) {
    fmt::print(stderr, "usage: lockstep-compare REPOSITORY BEFORE AFTER [--files]\n");
    return 2;
  }
  return run(argv[1], argv[2], argv[3], files_only);
}
