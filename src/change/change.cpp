#include "change/change.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "change/entities.h"
#include "change/entity_diff.h"
#include "change/match.h"
#include "change/renamed_defaults.h"
#include "change/summary.h"
#include "python/tree_walk.h"

namespace lockstep::change {

namespace {

bool is_python_path(std::string_view path) { return path.ends_with(".py") || path.ends_with(".pyi"); }

/// The changed Python files of both sides, and which of them are the same file.
struct ChangedFiles {
  std::vector<FileEntities> before, after;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> same_file;
};

ChangedFiles collect_changed(const program::Program& before, const program::Program& after,
                             const repo::SnapshotDiff& diff) {
  ChangedFiles files;
  for (const repo::FileChange& file : diff.files) {
    if (file.kind == repo::ChangeKind::mode_changed || file.file_kind != repo::FileKind::file) continue;
    const auto find = [](const program::Program& program, const std::string& path) {
      return path.empty() ? program::ModuleId{} : program.find_path(path);
    };
    const program::ModuleId left = find(before, file.old_path), right = find(after, file.new_path);
    // A side that exists but could not be read says nothing about what was added or removed.
    if (!left.valid() && is_python_path(file.old_path)) continue;
    if (!right.valid() && is_python_path(file.new_path)) continue;
    if (left.valid() && right.valid()) {
      files.same_file.emplace_back(static_cast<std::uint32_t>(files.before.size()),
                                   static_cast<std::uint32_t>(files.after.size()));
    }
    if (left.valid()) files.before.push_back(collect_entities(before, left));
    if (right.valid()) files.after.push_back(collect_entities(after, right));
  }
  return files;
}

class ChangeBuilder {
 public:
  ChangeBuilder(const ChangedFiles& files, const Matching& matching) : files_(files), matching_(matching) {
    for (const auto& [before, after] : matching_.pairs) partner_.emplace(before, after);
  }

  std::vector<EntityChange> run() {
    for (const auto& [before, after] : matching_.pairs) add_pair(before, after);
    for (const EntityRef ref : matching_.removed) add_alone(entity(files_.before, ref), Status::kRemoved);
    for (const EntityRef ref : matching_.added) add_alone(entity(files_.after, ref), Status::kAdded);
    return std::move(out_);
  }

 private:
  static const Entity& entity(const std::vector<FileEntities>& files, EntityRef ref) {
    return files[ref.file].all[ref.index];
  }

  void add_alone(const Entity& one, Status status) {
    EntityChange change{one.kind, status, false, false, {}, {}, {}};
    (status == Status::kAdded ? change.after : change.before) = one.side;
    out_.push_back(std::move(change));
  }

  [[nodiscard]] ChildPairs child_pairs(EntityRef before, EntityRef after) const {
    ChildPairs pairs;
    for (const std::int32_t child : entity(files_.before, before).children) {
      const auto found = partner_.find({before.file, static_cast<std::uint32_t>(child)});
      if (found == partner_.end() || found->second.file != after.file) continue;
      const Entity& other = entity(files_.after, found->second);
      if (other.parent != static_cast<std::int32_t>(after.index)) continue;
      pairs.emplace_back(child, static_cast<std::int32_t>(found->second.index));
    }
    return pairs;
  }

  /// Whether what holds the one now holds the other, so that it came along where its owner went.
  [[nodiscard]] bool same_owner(EntityRef before, EntityRef after) const {
    const std::int32_t left = entity(files_.before, before).parent, right = entity(files_.after, after).parent;
    if (left < 0 || right < 0) return left == right;
    const auto found = partner_.find({before.file, static_cast<std::uint32_t>(left)});
    return found != partner_.end() && found->second == EntityRef{after.file, static_cast<std::uint32_t>(right)};
  }

  void add_pair(EntityRef before, EntityRef after) {
    const Entity& left = entity(files_.before, before);
    const Entity& right = entity(files_.after, after);
    EntityChange change{right.kind, Status::kModified, false, false, left.side, right.side, {}};
    change.moved = left.side.path != right.side.path;
    change.renamed = left.local_name != right.local_name;
    change.differences =
        compare_entities(files_.before[before.file], left, files_.after[after.file], right, child_pairs(before, after));
    const bool is_module = right.kind == EntityKind::kModule;
    const bool went_itself = is_module ? change.moved : left.name != right.name || !same_owner(before, after);
    if (!change.differences.empty() || went_itself) out_.push_back(std::move(change));
  }

  const ChangedFiles& files_;
  const Matching& matching_;
  std::map<EntityRef, EntityRef> partner_;  ///< Before → after.
  std::vector<EntityChange> out_;
};

/// A Python file that differs, though nothing in it does: blank lines between definitions.
void add_blank_modules(const ChangedFiles& files, std::vector<EntityChange>& entities) {
  std::map<std::string_view, bool> told;
  for (const EntityChange& change : entities) {
    if (change.before) told[change.before->path] = true;
    if (change.after) told[change.after->path] = true;
  }
  std::vector<EntityChange> blank;
  for (const auto& [before, after] : files.same_file) {
    const Entity& left = files.before[before].all[0];
    const Entity& right = files.after[after].all[0];
    if (told.contains(left.side.path) || told.contains(right.side.path)) continue;
    EntityChange change{EntityKind::kModule, Status::kModified, false, false, left.side, right.side, {}};
    change.differences.push_back({DifferenceKind::kFormattingChanged, {}, {}, {}, 0u, 0u});
    blank.push_back(std::move(change));
  }
  std::ranges::move(blank, std::back_inserter(entities));
}

void sort_entities(std::vector<EntityChange>& entities) {
  std::ranges::sort(entities, [](const EntityChange& x, const EntityChange& y) {
    const EntitySide& a = x.latest();
    const EntitySide& b = y.latest();
    return std::tie(a.path, a.first_line, b.last_line, x.kind, a.qualified_name, x.status, a.span.begin) <
           std::tie(b.path, b.first_line, a.last_line, y.kind, b.qualified_name, y.status, b.span.begin);
  });
}

/// Flattens the nested line ranges of one file's entities (outer before inner) into segments.
std::vector<EntitySegment> segments_of(const std::vector<EntityChange>& entities,
                                       const std::vector<std::uint32_t>& in_file) {
  std::vector<EntitySegment> segments;
  std::vector<std::uint32_t> open;
  const auto start = [&](std::uint32_t line, std::uint32_t entity) {
    if (!segments.empty() && segments.back().first_line == line) {
      segments.back().entity = entity;
    } else {
      segments.push_back({line, entity});
    }
  };
  const auto close_before = [&](std::uint32_t line) {
    while (!open.empty() && entities[open.back()].after->last_line < line) {
      const std::uint32_t end = entities[open.back()].after->last_line + 1;
      open.pop_back();
      start(end, open.empty() ? kNoEntity : open.back());
    }
  };
  for (const std::uint32_t index : in_file) {
    close_before(entities[index].after->first_line);
    open.push_back(index);
    start(entities[index].after->first_line, index);
  }
  close_before(0xffffffffu);
  return segments;
}

void index_lines(Change& change) {
  std::map<std::string_view, std::vector<std::uint32_t>> by_path;
  for (std::uint32_t i = 0; i < change.entities.size(); ++i) {
    const EntityChange& entity = change.entities[i];
    if (entity.after) by_path[entity.after->path].push_back(i);
  }
  for (const auto& [path, in_file] : by_path) change.segments.emplace_back(path, segments_of(change.entities, in_file));
}

std::string_view module_name(const program::Program& program, const std::string& path) {
  const program::ModuleId module = path.empty() ? program::ModuleId{} : program.find_path(path);
  return module.valid() ? std::string_view(program.modules()[module].name) : std::string_view{};
}

/// The texts of the assertions in a function or method, without blanks.
std::set<std::string> asserted_in(const program::Program& program, const EntitySide& side) {
  std::set<std::string> out;
  const program::ModuleId module = program.find_path(side.path);
  const bool is_function = side.node != nullptr && python::is<python::FunctionDef>(side.node);
  if (!module.valid() || !is_function) return out;
  const SourceText& source = program.modules()[module].facts->source();
  python::walk_of<python::Assert>(*side.node, python::Nested::kSkip, [&](const python::Assert* one) {
    std::string text(source.slice(one->test->span));
    std::erase_if(text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    out.insert(std::move(text));
  });
  return out;
}

/// Functions whose new assertions stood in functions that go.
std::set<const EntityChange*> with_moved_asserts(const Change& change) {
  std::set<std::string> gone;
  for (const EntityChange& entity : change.entities) {
    if (entity.status == Status::kRemoved) gone.merge(asserted_in(*change.before, *entity.before));
  }
  std::set<const EntityChange*> out;
  if (gone.empty()) return out;
  for (const EntityChange& entity : change.entities) {
    const bool gains = std::ranges::any_of(
        entity.differences, [](const Difference& one) { return one.kind == DifferenceKind::kAssertAdded; });
    if (!gains || !entity.before || !entity.after) continue;
    const std::set<std::string> was = asserted_in(*change.before, *entity.before);
    const std::set<std::string> is = asserted_in(*change.after, *entity.after);
    const bool all_moved =
        std::ranges::all_of(is, [&](const std::string& text) { return was.contains(text) || gone.contains(text); });
    if (all_moved) out.insert(&entity);
  }
  return out;
}

void summarize_files(Change& change, const Contents& contents) {
  std::map<std::string_view, std::vector<const EntityChange*>> here, away;
  for (const EntityChange& entity : change.entities) {
    here[entity.latest().path].push_back(&entity);
    // What a renamed file holds did not leave it.
    const repo::FileChange* file = entity.moved ? change.diff->find_before(entity.before->path) : nullptr;
    if (file != nullptr && file->new_path != entity.after->path) away[entity.before->path].push_back(&entity);
  }
  const std::set<const EntityChange*> moved_asserts = with_moved_asserts(change);
  for (const repo::FileChange& file : change.diff->files) {
    FileSummary summary;
    summary.file = &file;
    summary.category = file_category(file.path());
    if (file.binary && summary.category == FileCategory::kOther) summary.category = FileCategory::kBinary;
    summary.is_python = is_python_path(file.path());
    summary.lines_added = file.lines.added_lines().size();
    summary.lines_removed = file.lines.removed_lines().size();
    const PythonFile python{&file,
                            module_name(*change.before, file.old_path),
                            module_name(*change.after, file.new_path),
                            here[file.path()],
                            away[file.old_path],
                            &moved_asserts};
    const bool has_entities = !python.here.empty() || !python.away.empty();
    summary.summary = has_entities ? summarize_python(python) : summarize_other(file, summary.category, contents);
    change.files.push_back(std::move(summary));
  }
}

}  // namespace

bool EntityChange::is_cosmetic() const {
  return status == Status::kModified && !moved && !renamed &&
         std::ranges::all_of(differences, [](const Difference& one) { return change::is_cosmetic(one.kind); });
}

bool Change::touches_after(std::string_view path, std::uint32_t line) const {
  const repo::FileChange* file = diff == nullptr ? nullptr : diff->find_after(path);
  return file != nullptr && file->lines.is_added_line(line);
}

const EntityChange* Change::entity_at_after(std::string_view path, std::uint32_t line) const {
  const auto file = std::ranges::lower_bound(segments, path, {}, [](const auto& one) { return one.first; });
  if (file == segments.end() || file->first != path) return nullptr;
  const auto next = std::ranges::upper_bound(file->second, line, {}, &EntitySegment::first_line);
  if (next == file->second.begin() || std::prev(next)->entity == kNoEntity) return nullptr;
  return &entities[std::prev(next)->entity];
}

Change compare(const program::Program& before, const program::Program& after, const repo::SnapshotDiff& diff,
               const Contents& contents) {
  Change change;
  change.before = &before;
  change.after = &after;
  change.diff = &diff;
  const ChangedFiles files = collect_changed(before, after, diff);
  const Matching matching = match_entities(files.before, files.after, files.same_file);
  change.entities = ChangeBuilder(files, matching).run();
  add_blank_modules(files, change.entities);
  mark_renamed_defaults(before, after, change.entities);
  sort_entities(change.entities);
  index_lines(change);
  summarize_files(change, contents);
  return change;
}

}  // namespace lockstep::change
