#include "report/documents/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "change/outline.h"
#include "change/summary.h"
#include "change/workflow.h"
#include "report/documents/file_parts.h"
#include "report/file_name.h"
#include "report/source/code.h"
#include "report/source/sentence_ends.h"
#include "report/story/steps/mended_imports.h"

namespace lockstep::report {

using change::FileCategory;
using change::FileSummary;
using change::Workflow;
using change::WorkflowJob;

namespace {

constexpr std::size_t kMostWorkflows = 4;
constexpr std::size_t kMostJobs = 5;  ///< Of a side.
constexpr std::size_t kMostSections = 11;

std::string text_on(const repo::Snapshot* files, const std::optional<std::size_t>& index) {
  if (files == nullptr || !index) return {};
  Result<std::string> bytes = files->read(*index);
  return bytes ? *std::move(bytes) : std::string();
}
std::string text_before(const DocumentInputs& inputs, const FileSummary& file) {
  return text_on(inputs.before_files, file.file->before_index);
}
std::string text_after(const DocumentInputs& inputs, const FileSummary& file) {
  return text_on(inputs.after_files, file.file->after_index);
}

/// A changed workflow on both sides.
struct WorkflowPair {
  const FileSummary* file = nullptr;
  Workflow before, after;
  std::set<std::string> changed;  ///< Jobs that differ, on either side.
};

std::vector<WorkflowPair> workflows_of(const DocumentInputs& inputs) {
  std::vector<WorkflowPair> out;
  for (const FileSummary* file : files_in_order(inputs)) {
    if (!change::is_workflow(file->file->path()) || out.size() == kMostWorkflows) continue;
    const change::YamlNode left = change::yaml_tree(text_before(inputs, *file));
    const change::YamlNode right = change::yaml_tree(text_after(inputs, *file));
    WorkflowPair pair{file, change::workflow_of(left), change::workflow_of(right), change::changed_jobs(left, right)};
    out.push_back(std::move(pair));
  }
  return out;
}

bool has_job(const Workflow& workflow, const std::string& name) {
  return std::any_of(workflow.jobs.begin(), workflow.jobs.end(),
                     [&](const WorkflowJob& job) { return job.name == name; });
}

/// Draws jobs of both sides as two groups.
class JobsPicture {
 public:
  explicit JobsPicture(const std::vector<WorkflowPair>& workflows) : workflows_(workflows) {
    chart_.left_to_right = true;
    chart_.groups = {{"Before"}, {"After"}};
  }

  std::optional<Flowchart> run() {
    for (std::size_t side = 0; side < 2; ++side) {
      index_.clear();
      shown_ = 0;
      for (const WorkflowPair& pair : workflows_) add_jobs(pair, side);
      if (left_ > 0)
        chart_.nodes.push_back({fmt::format("\u2026 {}", count_of(left_, "more changed job")), NodeShape::kBox,
                                side == 1 ? Mark::kModified : Mark::kNone, side});
      left_ = 0;
      for (const WorkflowPair& pair : workflows_) add_edges(pair, side);
    }
    if (chart_.nodes.empty()) return std::nullopt;
    for (std::size_t side = 0; side < 2; ++side) {
      const bool any = std::any_of(chart_.nodes.begin(), chart_.nodes.end(),
                                   [&](const FlowNode& node) { return node.group == side; });
      if (!any)
        chart_.nodes.push_back(
            {side == 0 ? "none of these jobs" : "these jobs are gone", NodeShape::kBox, Mark::kNone, side});
    }
    return std::move(chart_);
  }

 private:
  static const Workflow& on(const WorkflowPair& pair, std::size_t side) { return side == 0 ? pair.before : pair.after; }

  void add_jobs(const WorkflowPair& pair, std::size_t side) {
    const std::string file = file_name(pair.file->file->path());
    for (const WorkflowJob& job : on(pair, side).jobs) {
      if (!pair.changed.contains(job.name)) continue;
      if (shown_ == kMostJobs) {
        ++left_;
        continue;
      }
      ++shown_;
      const bool elsewhere = has_job(on(pair, 1 - side), job.name);
      const Mark mark =
          side == 0 ? (elsewhere ? Mark::kNone : Mark::kRemoved) : (elsewhere ? Mark::kModified : Mark::kNew);
      index_[{file, job.name}] = chart_.nodes.size();
      chart_.nodes.push_back({fmt::format("{}\n{}", job.name, file), NodeShape::kBox, mark, side});
    }
  }

  void add_edges(const WorkflowPair& pair, std::size_t side) {
    const Workflow& workflow = on(pair, side);
    const std::string file = file_name(pair.file->file->path());
    std::vector<std::size_t> first;
    for (const WorkflowJob& job : workflow.jobs) {
      const auto at = index_.find({file, job.name});
      if (at == index_.end()) continue;
      for (const std::string& need : job.needs) {
        const auto needed = index_.find({file, need});
        if (needed != index_.end()) chart_.edges.push_back({needed->second, at->second, "then", EdgeStyle::kSolid});
      }
      if (job.needs.empty()) first.push_back(at->second);
      if (!job.uses.empty()) add_call(at->second, job.uses, side);
    }
    if (pair.before.triggers == pair.after.triggers || workflow.triggers.empty()) return;
    const Mark mark = side == 0 ? Mark::kNone : pair.before.triggers.empty() ? Mark::kNew : Mark::kModified;
    std::string label = "on " + replace_all(change::list_names(workflow.triggers, 3), "`", "");
    if (first.empty()) label += "\n" + file;
    chart_.nodes.push_back({std::move(label), NodeShape::kRounded, mark, side});
    for (const std::size_t job : first)
      chart_.edges.push_back({chart_.nodes.size() - 1, job, "starts", EdgeStyle::kSolid});
  }

  /// To the first jobs of the called workflow, or to its name.
  void add_call(std::size_t from, const std::string& uses, std::size_t side) {
    const std::string name = file_name(uses.substr(0, uses.find('@')));
    bool found = false;
    for (const WorkflowPair& pair : workflows_) {
      if (file_name(pair.file->file->path()) != name) continue;
      for (const WorkflowJob& job : on(pair, side).jobs) {
        const auto at = index_.find({name, job.name});
        if (at == index_.end() || !job.needs.empty()) continue;
        chart_.edges.push_back({from, at->second, "calls", EdgeStyle::kDotted});
        found = true;
      }
    }
    if (found) return;
    chart_.nodes.push_back({name, NodeShape::kRounded, Mark::kNone, side});
    chart_.edges.push_back({from, chart_.nodes.size() - 1, "calls", EdgeStyle::kDotted});
  }

  const std::vector<WorkflowPair>& workflows_;
  Flowchart chart_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
  std::size_t shown_ = 0;
  std::size_t left_ = 0;
};

/// A section of a document that the change adds, edits or removes.
struct SectionNote {
  std::string name;
  std::uint32_t line = 0;
  std::size_t level = 1;
  Mark mark = Mark::kModified;
  std::string first_sentence;  ///< Of a section that is there after the change; may be empty.
};

/// Tables, code, directives, headings: what holds no sentence.
bool is_markup(std::string_view line) {
  return line.empty() || contains("#|<=~{", line.substr(0, 1)) || line.starts_with("```") || line.starts_with("---") ||
         line.starts_with("..") || line.starts_with("![");
}

/// "- x" and "1. x" without their marks.
std::string_view without_bullet(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) return trim(line.substr(2));
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits != std::string_view::npos && digits > 0 && line.substr(digits).starts_with(". "))
    return trim(line.substr(digits + 2));
  return line;
}

/// The first sentence in lines [begin, end).
std::string first_sentence(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end) {
  constexpr std::size_t kMostBytes = 160;
  std::string out;
  bool in_code = false;
  for (std::size_t i = begin; i < end && out.size() < 2 * kMostBytes; ++i) {
    const std::string_view line = trim(lines[i]);
    const bool fence = line.starts_with("```") || line.starts_with("~~~");
    if (fence) in_code = !in_code;
    const std::string_view text = without_bullet(line);
    if (in_code || fence || is_markup(line) || (!out.empty() && text.size() != line.size())) {
      if (!out.empty()) break;
      continue;
    }
    out.append(out.empty() ? "" : " ").append(text);
  }
  out = replace_all(out, "*", "");
  out.resize(sentence_end(out, 0));
  if (out.size() <= kMostBytes) return out;
  out.resize(out.rfind(' ', kMostBytes));
  return out + " \u2026";
}

std::set<std::string> names_of(const change::Outline& outline) {
  std::set<std::string> names;
  for (const change::OutlinePart& part : outline.parts) names.insert(part.name);
  return names;
}

std::vector<SectionNote> section_notes(const DocumentInputs& inputs, const FileSummary& file) {
  const std::string before = text_before(inputs, file), after = text_after(inputs, file);
  const change::Outline left = change::outline_of(file.file->path(), file.category, before);
  const change::Outline right = change::outline_of(file.file->path(), file.category, after);
  std::vector<SectionNote> out;
  if ((right.noun.empty() ? left.noun : right.noun) != "section") return out;
  const std::set<std::string> old_names = names_of(left), new_names = names_of(right);
  const std::vector<std::uint32_t> added = file.file->lines.added_lines();
  const std::vector<std::string_view> lines = split_lines(after);
  for (std::size_t i = 0; i < right.parts.size(); ++i) {
    const std::uint32_t begin = right.parts[i].line;
    const std::size_t end = i + 1 < right.parts.size() ? right.parts[i + 1].line : lines.size();
    const bool touched = std::any_of(added.begin(), added.end(), [&](std::uint32_t line) {
      return line >= begin && line < end && line < lines.size() && !trim(lines[line]).empty();
    });
    const bool is_new = !old_names.contains(right.parts[i].name);
    if (!is_new && !touched) continue;
    const std::size_t marks = begin < lines.size() ? lines[begin].find_first_not_of('#') : 0;
    out.push_back({right.parts[i].name, begin, std::max<std::size_t>(marks == std::string_view::npos ? 1 : marks, 1),
                   is_new ? Mark::kNew : Mark::kModified,
                   first_sentence(lines, begin + 1, std::min(end, lines.size()))});
  }
  for (const change::OutlinePart& part : left.parts) {
    if (!new_names.contains(part.name)) out.push_back({part.name, part.line, 1, Mark::kRemoved, {}});
  }
  return out;
}

std::string_view mark_word(Mark mark) {
  return mark == Mark::kNew ? "new" : mark == Mark::kRemoved ? "removed" : "changed";
}

Mark mark_of(const repo::FileChange& file) {
  if (file.kind == repo::ChangeKind::added) return Mark::kNew;
  return file.kind == repo::ChangeKind::deleted ? Mark::kRemoved : Mark::kModified;
}

std::optional<Flowchart> sections_picture(const DocumentInputs& inputs) {
  Flowchart chart;
  chart.left_to_right = true;
  std::size_t shown = 0;
  std::size_t files = 0;
  for (const FileSummary* file : files_in_order(inputs)) {
    const std::vector<SectionNote> notes = section_notes(inputs, *file);
    if (notes.empty() || files == 3) continue;
    ++files;
    const std::size_t at = chart.nodes.size();
    chart.nodes.push_back({file_name(file->file->path()), NodeShape::kBox, mark_of(*file->file), SIZE_MAX});
    const std::size_t most = files == 1 ? kMostSections - 2 : kMostSections;
    // Each hangs below the last one of a higher level.
    std::vector<std::pair<std::size_t, std::size_t>> open = {{0, at}};
    for (std::size_t i = 0; i < notes.size(); ++i) {
      const bool is_last = shown + 1 >= most && i + 1 < notes.size();
      const std::string label =
          is_last ? fmt::format("\u2026 {}", count_of(notes.size() - i, "more section")) : notes[i].name;
      chart.nodes.push_back({label, NodeShape::kRounded, notes[i].mark, SIZE_MAX});
      while (open.back().first >= notes[i].level) open.pop_back();
      const std::size_t above = is_last ? at : open.back().second;
      chart.edges.push_back({above, chart.nodes.size() - 1, "", EdgeStyle::kSolid});
      open.emplace_back(notes[i].level, chart.nodes.size() - 1);
      ++shown;
      if (is_last) break;
    }
    if (shown >= kMostSections) break;
  }
  if (chart.nodes.size() < 2) return std::nullopt;
  return chart;
}

FileTable job_table(const WorkflowPair& pair, std::size_t most_rows) {
  FileTable out;
  out.header = {"Job", "Line", "Status", "Runs on or calls", "Waits for", "Steps"};
  const auto names = [](const std::vector<std::string>& all, std::size_t most) {
    std::vector<std::string> marked;
    for (std::size_t i = 0; i < all.size() && i < most; ++i) marked.push_back(code(all[i]));
    if (all.size() > most) marked.push_back(fmt::format("{} more", all.size() - most));
    return marked.empty() ? std::string("\u2014") : join(marked, ", ");
  };
  for (const WorkflowJob& job : pair.after.jobs) {
    if (!pair.changed.contains(job.name) || out.rows.size() == most_rows) continue;
    const std::string place_of_work = job.uses.empty() ? job.runs_on : job.uses;
    out.rows.push_back({code(job.name), std::to_string(job.line + 1),
                        has_job(pair.before, job.name) ? "changed" : "new",
                        place_of_work.empty() ? std::string("\u2014") : code(place_of_work), names(job.needs, 4),
                        names(job.steps, 9)});
  }
  return out;
}

}  // namespace

std::optional<Diagram> files_picture(const DocumentInputs& inputs) {
  const std::vector<WorkflowPair> workflows = workflows_of(inputs);
  if (auto jobs = JobsPicture(workflows).run()) return Diagram(*std::move(jobs));
  if (auto sections = sections_picture(inputs)) return Diagram(*std::move(sections));
  return std::nullopt;
}

std::string files_picture_caption(const DocumentInputs& inputs) {
  const std::vector<WorkflowPair> workflows = workflows_of(inputs);
  return JobsPicture(workflows).run() ? "The jobs that change, before and after:" : "The sections that change:";
}

std::vector<std::string> workflow_starts(const DocumentInputs& inputs) {
  const std::vector<WorkflowPair> workflows = workflows_of(inputs);
  std::vector<std::string> out;
  for (const WorkflowPair& pair : workflows) {
    const std::string path = pair.file->file->path();
    if (pair.after.triggers.empty()) continue;
    std::string text =
        fmt::format("{} is started by {}", place(path), from_backquotes(change::list_names(pair.after.triggers, 4)));
    std::vector<std::string> callers;
    for (const WorkflowPair& other : workflows) {
      for (const WorkflowJob& job : other.after.jobs) {
        if (!job.uses.empty() && file_name(job.uses.substr(0, job.uses.find('@'))) == file_name(path))
          callers.push_back(fmt::format("job {} ({})", code(job.name), place(other.file->file->path(), job.line)));
      }
    }
    if (!callers.empty()) text += fmt::format("; called by {}", join_words(callers));
    out.push_back(text + ".");
  }
  return out;
}

FileTable file_table(const DocumentInputs& inputs, const FileSummary& file, std::size_t most_rows) {
  for (const WorkflowPair& pair : workflows_of(inputs)) {
    if (pair.file == &file) return job_table(pair, most_rows);
  }
  FileTable out;
  out.header = {"Section", "Line", "Status", "Begins"};
  for (const SectionNote& note : section_notes(inputs, file)) {
    if (note.mark == Mark::kRemoved || out.rows.size() == most_rows) continue;
    out.rows.push_back({plain(note.name), std::to_string(note.line + 1), std::string(mark_word(note.mark)),
                        note.first_sentence.empty()
                            ? std::string("\u2014")
                            : fmt::format("\u201c{}\u201d", from_backquotes(note.first_sentence))});
  }
  return out;
}

bool may_reach_runs(const change::Change& change) {
  return std::any_of(change.files.begin(), change.files.end(), [](const FileSummary& file) {
    switch (file.category) {
      case FileCategory::kDocs:
      case FileCategory::kCi:
      case FileCategory::kTest:
        return false;
      default:
        return true;
    }
  });
}

std::vector<std::string> other_file_items(const DocumentInputs& inputs, std::size_t most) {
  std::vector<std::string> items;
  std::size_t left = 0;
  for (const FileSummary* file : files_in_order(inputs)) {
    const std::string& path = file->file->path();
    const bool tells = file->category == FileCategory::kDependencies || file->category == FileCategory::kBuild ||
                       file->category == FileCategory::kConfig || file->category == FileCategory::kCi ||
                       file->category == FileCategory::kNative || file->category == FileCategory::kScript;
    if (!tells || file->is_python || file->file->binary || path.ends_with(".lock") || program::is_test_path(path))
      continue;
    if (items.size() == most) {
      ++left;
      continue;
    }
    items.push_back(fmt::format("{}: {}", place(path), as_sentence(from_backquotes(file->summary))));
  }
  if (left > 0) items.push_back(fmt::format("and {}.", count_of(left, "more file")));
  return items;
}

std::string files_impact(const DocumentInputs& inputs) {
  const change::Change& change = *inputs.change;
  const std::vector<std::string> starts = workflow_starts(inputs);
  if (may_reach_runs(change)) {
    std::vector<std::string> names;
    const std::string entered = entered_imports(inputs, false);
    for (const FileSummary* file : files_in_order(inputs)) {
      change::Change one;
      one.files = {*file};
      // What of Python code runs changed imports is told of itself.
      const bool is_told = !entered.empty() && file->is_python;
      if (names.size() < 3 && may_reach_runs(one) && !is_told) names.push_back(place(file->file->path()));
    }
    if (names.empty()) return fmt::format("No Python definition changes. {}", entered);
    const std::string head =
        entered.empty() ? std::string() : fmt::format("No Python definition changes. {} ", entered);
    if (!head.empty())
      return fmt::format("{}Whether a run or an installation reads {} is outside the call graph.", head,
                         join_words(names));
    return fmt::format(
        "No Python definition changes. Whether a run or an installation reads {} is outside the call graph.",
        join_words(names));
  }
  // What tests run with is no training of anybody's, but it trains.
  const auto configures = [](const FileSummary* file) {
    const std::string& path = file->file->path();
    return file->category == FileCategory::kTest && !file->is_python &&
           (path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".sh"));
  };
  const std::vector<const FileSummary*> files = files_in_order(inputs);
  const auto configuration = std::find_if(files.begin(), files.end(), configures);
  std::string out = configuration == files.end()
                        ? "No Python code changes, so nothing that runs in training is affected."
                        : fmt::format("No Python code changes; runs of tests read what changes in {}.",
                                      place((*configuration)->file->path()));
  for (std::size_t i = 0; i < starts.size() && i < 2; ++i) out += " " + starts[i];
  return out;
}

bool is_licence_text(std::string_view text) {
  const std::string lower = to_lower(text);
  for (const std::string_view words :
       {"licensed under", "the license", "this license", "license agreement", "license file", "copyright", "spdx-",
        "warranties", "all rights reserved", "proprietary rights"}) {
    if (contains(lower, words)) return true;
  }
  return false;
}

}  // namespace lockstep::report
