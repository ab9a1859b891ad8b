#include "change/fixture.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/link.h"

namespace lockstep::change {

namespace {

program::Program link_files(const Files& files) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, text] : files) {
    if (path.ends_with(".py")) sources.push_back({path, python::extract_facts(text)});
  }
  return program::link(std::move(sources), {});
}

std::string entity_kind_name(EntityKind kind) {
  static constexpr std::string_view kNames[] = {"module", "class", "function", "method", "variable", "field"};
  return std::string(kNames[static_cast<std::size_t>(kind)]);
}

struct KindName {
  DifferenceKind kind, mirrored;
  std::string_view name;
};

using enum DifferenceKind;
constexpr KindName kKinds[] = {
    {kParameterAdded, kParameterRemoved, "parameter-added"},
    {kParameterRemoved, kParameterAdded, "parameter-removed"},
    {kParameterRenamed, kParameterRenamed, "parameter-renamed"},
    {kParameterMoved, kParameterMoved, "parameter-moved"},
    {kParameterKindChanged, kParameterKindChanged, "parameter-kind"},
    {kDefaultAdded, kDefaultRemoved, "default-added"},
    {kDefaultRemoved, kDefaultAdded, "default-removed"},
    {kDefaultChanged, kDefaultChanged, "default-changed"},
    {kDefaultRenamed, kDefaultRenamed, "default-renamed"},
    {kAnnotationChanged, kAnnotationChanged, "annotation"},
    {kReturnAnnotationChanged, kReturnAnnotationChanged, "return-annotation"},
    {kDecoratorAdded, kDecoratorRemoved, "decorator-added"},
    {kDecoratorRemoved, kDecoratorAdded, "decorator-removed"},
    {kBaseAdded, kBaseRemoved, "base-added"},
    {kBaseRemoved, kBaseAdded, "base-removed"},
    {kAsyncChanged, kAsyncChanged, "async"},
    {kImportAdded, kImportRemoved, "import-added"},
    {kImportRemoved, kImportAdded, "import-removed"},
    {kCallAdded, kCallRemoved, "call-added"},
    {kCallRemoved, kCallAdded, "call-removed"},
    {kCallArgumentsChanged, kCallArgumentsChanged, "call-arguments"},
    {kCollectiveAdded, kCollectiveRemoved, "collective-added"},
    {kCollectiveRemoved, kCollectiveAdded, "collective-removed"},
    {kCollectiveArgumentsChanged, kCollectiveArgumentsChanged, "collective-arguments"},
    {kRaiseAdded, kRaiseRemoved, "raise-added"},
    {kRaiseRemoved, kRaiseAdded, "raise-removed"},
    {kAssertAdded, kAssertRemoved, "assert-added"},
    {kAssertRemoved, kAssertAdded, "assert-removed"},
    {kBranchAdded, kBranchRemoved, "branch-added"},
    {kBranchRemoved, kBranchAdded, "branch-removed"},
    {kConditionChanged, kConditionChanged, "condition"},
    {kLoopAdded, kLoopRemoved, "loop-added"},
    {kLoopRemoved, kLoopAdded, "loop-removed"},
    {kReturnChanged, kReturnChanged, "return"},
    {kValueChanged, kValueChanged, "value"},
    {kBodyChanged, kBodyChanged, "body"},
    {kDocstringChanged, kDocstringChanged, "docstring"},
    {kCommentsChanged, kCommentsChanged, "comments"},
    {kFormattingChanged, kFormattingChanged, "formatting"},
};

const KindName& entry(DifferenceKind kind) { return *std::ranges::find(kKinds, kind, &KindName::kind); }

std::string headline(const EntityChange& change) {
  const std::string kind = entity_kind_name(change.kind);
  if (change.status == Status::kAdded) return "added " + kind + " " + change.after->qualified_name;
  if (change.status == Status::kRemoved) return "removed " + kind + " " + change.before->qualified_name;
  std::string verb = change.moved ? "moved" : "modified";
  if (change.renamed) verb = change.moved ? "moved and renamed" : "renamed";
  std::string text = verb + " " + kind + " " + change.before->qualified_name;
  if (change.moved || change.renamed) text += " to " + change.after->qualified_name;
  if (change.is_cosmetic()) text += " (cosmetic)";
  return text;
}

std::string shown(const std::string& text) { return text.empty() ? "-" : text; }

std::string side_text(const std::optional<EntitySide>& side) {
  if (!side) return "none";
  return fmt::format("{}:{}-{} {} [{},{})", side->path, side->first_line, side->last_line, side->qualified_name,
                     side->span.begin, side->span.end);
}

std::string line_text(const std::optional<std::uint32_t>& line) { return line ? std::to_string(*line) : "none"; }

}  // namespace

std::unique_ptr<Compared> compare_files(const Files& before, const Files& after) {
  auto compared = std::make_unique<Compared>();
  compared->before_files = repo::memory_snapshot(before);
  compared->after_files = repo::memory_snapshot(after);
  compared->before = link_files(before);
  compared->after = link_files(after);
  compared->diff = repo::diff_snapshots(compared->before_files, compared->after_files);
  compared->change =
      compare(compared->before, compared->after, compared->diff, {&compared->before_files, &compared->after_files});
  return compared;
}

std::string kind_name(DifferenceKind kind) { return std::string(entry(kind).name); }

std::vector<std::string> describe(const Change& change) {
  std::vector<std::string> lines;
  for (const EntityChange& entity : change.entities) {
    lines.push_back(headline(entity));
    for (const Difference& one : entity.differences) {
      std::string line = "  " + kind_name(one.kind);
      if (!one.name.empty()) line += " " + one.name;
      if (!one.before.empty() || !one.after.empty()) line += ": " + shown(one.before) + " | " + shown(one.after);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<std::string> differences_of(const std::string& before, const std::string& after) {
  return describe(compare_files({{"m.py", before}}, {{"m.py", after}})->change);
}

std::vector<std::string> full_text(const Change& change, bool swapped) {
  std::vector<std::string> lines;
  for (const EntityChange& entity : change.entities) {
    const auto& [first, second] =
        swapped ? std::tie(entity.after, entity.before) : std::tie(entity.before, entity.after);
    const std::string head =
        fmt::format("{} | {} | {}{}{}", side_text(first), side_text(second), entity.moved ? "m" : "",
                    entity.renamed ? "r" : "", entity.is_cosmetic() ? "c" : "");
    lines.push_back(head);
    for (const Difference& one : entity.differences) {
      const DifferenceKind kind = swapped ? entry(one.kind).mirrored : one.kind;
      // A renamed parameter is named after its old name, a call by what it resolves to on the after side.
      const bool one_sided = one.kind == kParameterRenamed || one.kind == kCallArgumentsChanged;
      const std::string name = one_sided ? "" : one.name;
      const std::string before = one.before + "@" + line_text(one.before_line);
      const std::string after = one.after + "@" + line_text(one.after_line);
      lines.push_back(fmt::format("{} # {} {}: {} | {}", head, kind_name(kind), name, swapped ? after : before,
                                  swapped ? before : after));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

}  // namespace lockstep::change
