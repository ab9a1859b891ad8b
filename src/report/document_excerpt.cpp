#include "report/document_excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "python/facts.h"
#include "repo/diff.h"

namespace lockstep::report {

using change::EntitySide;
using change::FileSummary;
using repo::DiffLine;
using repo::LineKind;

namespace {

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? SIZE_MAX : at;
}

/// Takes off the indent that all non-blank lines share, after the first `prefix` characters.
void dedent(std::vector<std::string>& lines, std::size_t prefix) {
  std::size_t common = SIZE_MAX;
  for (const std::string& line : lines) {
    if (line.size() > prefix) common = std::min(common, indent_of(std::string_view(line).substr(prefix)));
  }
  if (common == SIZE_MAX || common == 0) return;
  for (std::string& line : lines) {
    if (line.size() >= prefix + common)
      line.erase(prefix, common);
    else
      line.resize(std::min(line.size(), prefix));
  }
}

/// Lines of a docstring (first to last) of a definition; first > last where there is none.
std::pair<std::uint32_t, std::uint32_t> docstring_lines(const python::Node* definition, const SourceText& source) {
  const python::Constant* docstring = python::docstring_of(body_of(definition));
  if (docstring == nullptr) return {1, 0};
  return {source.line_of(docstring->span.begin), source.line_of(docstring->span.end - 1)};
}

const FileSummary* file_of(const change::Change& change, std::string_view path) {
  for (const FileSummary& file : change.files) {
    if (file.file->new_path == path) return &file;
  }
  return nullptr;
}

/// Long runs of one kind lose their middle: what comes after the first lines of a table or call mostly repeats them.
std::vector<std::string> without_repetition(std::vector<std::string> lines, std::size_t most,
                                            std::string_view ellipsis) {
  if (lines.size() <= most) return lines;
  const std::size_t head = most * 2 / 3;
  const std::size_t tail = most - head - 1;
  const std::size_t gone = lines.size() - head - tail;
  std::vector<std::string> out(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(head));
  const std::size_t indent = indent_of(lines[head]);
  out.push_back(std::string(indent == SIZE_MAX ? 0 : indent, ' ') +
                fmt::format("{} ({})", ellipsis, count_of(gone, "more line")));
  out.insert(out.end(), lines.end() - static_cast<std::ptrdiff_t>(tail), lines.end());
  return out;
}

/// A diff keeps whole runs of removed lines before added ones; the middle of a long run goes.
void shorten_runs(std::vector<std::string>& lines, std::size_t most_run) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i;
    while (end < lines.size() && lines[end].substr(0, 1) == lines[i].substr(0, 1)) ++end;
    std::vector<std::string> run(lines.begin() + static_cast<std::ptrdiff_t>(i),
                                 lines.begin() + static_cast<std::ptrdiff_t>(end));
    if (run.size() > most_run && run.front().front() != ' ') {
      const std::size_t head = most_run * 2 / 3;
      const std::size_t tail = most_run - head;
      out.insert(out.end(), run.begin(), run.begin() + static_cast<std::ptrdiff_t>(head));
      out.push_back(
          fmt::format("{} \u2026 ({})", run.front().front(), count_of(run.size() - head - tail, "more line")));
      out.insert(out.end(), run.end() - static_cast<std::ptrdiff_t>(tail), run.end());
    } else {
      out.insert(out.end(), run.begin(), run.end());
    }
    i = end;
  }
  lines = std::move(out);
}

/// Long comments are quoted among the reasons; beside the code their first lines do. `prefix` characters are the sign.
void shorten_comments(std::vector<std::string>& lines, std::size_t prefix) {
  constexpr std::size_t kLong = 5;
  constexpr std::size_t kKept = 2;
  const auto is_comment = [&](const std::string& line) {
    return line.size() > prefix && line.front() != '-' && trim(std::string_view(line).substr(prefix)).starts_with("#");
  };
  std::vector<std::string> out;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i;
    while (end < lines.size() && is_comment(lines[end]) && lines[end].front() == lines[i].front()) ++end;
    if (end - i < kLong) {
      out.push_back(lines[i]);
      ++i;
      continue;
    }
    out.insert(out.end(), lines.begin() + static_cast<std::ptrdiff_t>(i),
               lines.begin() + static_cast<std::ptrdiff_t>(i + kKept));
    const std::string indent = lines[i].substr(0, lines[i].find('#'));
    out.push_back(fmt::format("{}# \u2026 ({})", indent, count_of(end - i - kKept, "more line")));
    i = end;
  }
  lines = std::move(out);
}

class DiffExcerpts {
 public:
  DiffExcerpts(const DocumentInputs& inputs, const Actor& actor, const ExcerptOptions& options)
      : actor_(actor),
        options_(options),
        file_(file_of(*inputs.change, actor.change->after->path)),
        source_(*actor.steps.after_source) {}

  std::vector<Excerpt> run() {
    if (file_ == nullptr || actor_.steps.before_source == nullptr) return {};
    // Of the two versions of the entity, not of the files: what only stands elsewhere in its file is no difference.
    const EntitySide& before = *actor_.change->before;
    const EntitySide& after = *actor_.change->after;
    const repo::LineDiff own =
        repo::diff_lines(lines_of(*actor_.steps.before_source, before), lines_of(source_, after));
    for (repo::Hunk hunk : own.hunks()) {
      for (DiffLine& line : hunk.lines) {
        line.old_line += before.first_line;
        line.new_line += after.first_line;
      }
      add(hunk);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool inside(const DiffLine& line) const {
    const EntitySide& after = *actor_.change->after;
    const EntitySide& before = *actor_.change->before;
    if (line.kind == LineKind::removed) return line.old_line >= before.first_line && line.old_line <= before.last_line;
    return line.new_line >= after.first_line && line.new_line <= after.last_line;
  }

  static std::string lines_of(const SourceText& source, const EntitySide& side) {
    std::string out;
    for (std::uint32_t line = side.first_line; line <= side.last_line; ++line) {
      out += source.line(line);
      out += '\n';
    }
    return out;
  }

  void add(const repo::Hunk& hunk) {
    if (out_.size() >= options_.most_blocks || lines_used_ >= options_.most_lines) return;
    std::vector<const DiffLine*> lines;
    for (const DiffLine& line : hunk.lines) {
      if (inside(line)) lines.push_back(&line);
    }
    // One line of context on either side is enough: the branches around are named instead.
    const auto is_context = [](const DiffLine* line) { return line->kind == LineKind::context; };
    while (lines.size() > 1 && is_context(lines[0]) && is_context(lines[1])) lines.erase(lines.begin());
    while (lines.size() > 1 && is_context(lines.back()) && is_context(lines[lines.size() - 2])) lines.pop_back();
    const auto says_nothing = [&](const DiffLine* line) {
      return is_context(line) && line->text.find_first_not_of(" \t)]},:") == std::string::npos;
    };
    while (!lines.empty() && says_nothing(lines.front())) lines.erase(lines.begin());
    while (!lines.empty() && says_nothing(lines.back())) lines.pop_back();
    if (lines.empty()) return;
    Excerpt excerpt;
    collect_steps(lines, excerpt);
    if (std::all_of(lines.begin(), lines.end(), is_context)) return;
    if (excerpt.after_steps.empty() && excerpt.before_steps.empty() && !touches_header(lines)) return;
    write(lines, excerpt);
    lines_used_ += excerpt.code.lines.size();
    out_.push_back(std::move(excerpt));
  }

  /// The signature, decorators: not a step, but shown.
  [[nodiscard]] bool touches_header(const std::vector<const DiffLine*>& lines) const {
    const auto body = body_of(actor_.change->after->node);
    if (body.empty()) return false;
    const std::uint32_t first = source_.line_of(body.front()->span.begin);
    return std::any_of(lines.begin(), lines.end(),
                       [&](const DiffLine* line) { return line->kind != LineKind::context && line->new_line < first; });
  }

  void collect_steps(const std::vector<const DiffLine*>& lines, Excerpt& excerpt) const {
    std::set<std::uint32_t> added;
    std::set<std::uint32_t> removed;
    for (const DiffLine* line : lines) {
      if (line->kind == LineKind::added) added.insert(line->new_line);
      if (line->kind == LineKind::removed) removed.insert(line->old_line);
    }
    const auto shows = [](const std::set<std::uint32_t>& shown, const Step& step) {
      const auto at = shown.lower_bound(step.first_line);
      return at != shown.end() && *at <= step.last_line;
    };
    const StepComparison& steps = actor_.steps;
    for (std::size_t i = 0; i < steps.after.size(); ++i) {
      if (steps.after[i].status != StepStatus::kKept && shows(added, steps.after[i])) excerpt.after_steps.push_back(i);
    }
    for (std::size_t i = 0; i < steps.before.size(); ++i) {
      if (steps.before[i].status == StepStatus::kRemoved && shows(removed, steps.before[i]))
        excerpt.before_steps.push_back(i);
    }
  }

  /// Headers of the branches and loops around the first shown line that are not shown themselves.
  std::vector<std::uint32_t> headers_above(std::uint32_t first_shown, const Excerpt& excerpt) const {
    std::vector<std::uint32_t> headers;
    std::size_t at = excerpt.after_steps.empty() ? Step::kNone : actor_.steps.after[excerpt.after_steps.front()].parent;
    if (excerpt.after_steps.empty() && !excerpt.before_steps.empty()) {
      const Step& removed = actor_.steps.before[excerpt.before_steps.front()];
      if (removed.parent != Step::kNone) at = actor_.steps.before[removed.parent].partner;
    }
    while (at != Step::kNone) {
      const Step& header = actor_.steps.after[at];
      if (header.first_line < first_shown) headers.insert(headers.begin(), header.first_line);
      at = header.parent;
    }
    return headers;
  }

  void write(const std::vector<const DiffLine*>& lines, Excerpt& excerpt) {
    CodeBlock& block = excerpt.code;
    block.language = "diff";
    block.path = actor_.change->after->path;
    const std::uint32_t first = lines.front()->new_line;
    std::uint32_t last = lines.back()->new_line;
    if (lines.back()->kind == LineKind::removed && last > first) --last;
    block.first_line = first;
    block.last_line = std::max(first, std::min(last, actor_.change->after->last_line));
    std::vector<std::string> text;
    const std::uint32_t def_line = source_.line_of(actor_.change->after->node->span.begin);
    std::uint32_t previous = def_line;
    if (def_line < first) {
      text.push_back("  " + one_line(source_, {actor_.change->after->node->span.begin, header_end()}, 90));
      const std::size_t indent = indent_of(source_.line(def_line));
      if (indent != SIZE_MAX) text.back().insert(2, std::string(indent, ' '));
    }
    for (const std::uint32_t header : headers_above(first, excerpt)) {
      if (header <= previous) continue;
      if (header > previous + 1) text.push_back(elision(header));
      text.push_back("  " + std::string(source_.line(header)));
      previous = header;
    }
    if (def_line < first && first > previous + 1) text.push_back(elision(first));
    for (const DiffLine* line : lines) {
      const char sign = line->kind == LineKind::added ? '+' : line->kind == LineKind::removed ? '-' : ' ';
      text.push_back(fmt::format("{} {}", sign, line->text));
    }
    for (std::string& one : text) {
      while (!one.empty() && (one.back() == '\r' || one.back() == ' ')) one.pop_back();
      if (one.size() < 2) one.resize(2, ' ');
    }
    shorten_comments(text, 2);
    shorten_runs(text, std::clamp<std::size_t>(options_.most_lines / 3, 6, 16));
    const std::size_t most = std::max<std::size_t>(options_.most_lines - lines_used_, 10);
    if (text.size() > most + 2) {
      // What is around the change goes before the change itself does.
      const auto changed =
          std::find_if(text.begin(), text.end(), [](const std::string& line) { return line[0] != ' '; });
      const auto first_changed = static_cast<std::size_t>(changed - text.begin());
      if (changed != text.end() && first_changed > 3) {
        text.erase(text.begin() + 1, changed - 1);
        text.insert(text.begin() + 1, "      \u2026");
      }
    }
    if (text.size() > most + 2) {
      const std::size_t gone = text.size() - most;
      text.resize(most);
      text.push_back(fmt::format("  \u2026 ({})", count_of(gone, "more line")));
    }
    dedent(text, 2);
    block.lines = std::move(text);
  }

  [[nodiscard]] std::string elision(std::uint32_t next_line) const {
    while (next_line < actor_.change->after->last_line && trim(source_.line(next_line)).empty()) ++next_line;
    const std::size_t indent = indent_of(source_.line(next_line));
    return "  " + std::string(indent == SIZE_MAX ? 0 : indent, ' ') + "\u2026";
  }

  /// Up to the colon that ends the def's header.
  [[nodiscard]] std::uint32_t header_end() const {
    const auto body = body_of(actor_.change->after->node);
    std::uint32_t end = body.empty() ? actor_.change->after->node->span.end : body.front()->span.begin;
    const std::string_view bytes = source_.bytes();
    const std::size_t colon = bytes.rfind(':', end - 1);
    if (colon != std::string_view::npos && colon > actor_.change->after->node->span.begin) {
      // A comment between the colon and the body may hold colons of its own: take the last one on a line without "#".
      std::size_t at = colon;
      while (at != std::string_view::npos && at > actor_.change->after->node->span.begin) {
        const std::uint32_t line = source_.line_of(static_cast<std::uint32_t>(at));
        if (trim(source_.line(line)).front() != '#') return static_cast<std::uint32_t>(at) + 1;
        at = bytes.rfind(':', at - 1);
      }
    }
    return end;
  }

  const Actor& actor_;
  const ExcerptOptions& options_;
  const FileSummary* file_;
  const SourceText& source_;
  std::vector<Excerpt> out_;
  std::size_t lines_used_ = 0;
};

/// Lines [first, last] of a source, without the docstring's.
std::vector<std::string> lines_between(const SourceText& source, std::uint32_t first, std::uint32_t last,
                                       std::pair<std::uint32_t, std::uint32_t> docstring) {
  std::vector<std::string> out;
  for (std::uint32_t line = first; line <= last; ++line) {
    if (line >= docstring.first && line <= docstring.second) {
      if (line == docstring.first) {
        const std::size_t indent = indent_of(source.line(line));
        out.push_back(std::string(indent == SIZE_MAX ? 0 : indent, ' ') + "# \u2026 (docstring)");
      }
      continue;
    }
    out.emplace_back(source.line(line));
    while (!out.back().empty() && out.back().back() == ' ') out.back().pop_back();
  }
  return out;
}

/// Whole functions: in one block where they fit, else cut at top-level steps into blocks of about 25 lines.
std::vector<Excerpt> whole(const EntitySide& side, const std::vector<Step>& steps, const SourceText& source,
                           bool removed, const ExcerptOptions& options) {
  const auto docstring = docstring_lines(side.node, source);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cuts;
  std::uint32_t start = side.first_line;
  const std::uint32_t most = 26;
  if (side.last_line - side.first_line > options.most_lines) {
    for (const Step& step : steps) {
      const std::uint32_t told =
          docstring.second >= docstring.first && start <= docstring.first ? docstring.second - docstring.first : 0;
      if (step.depth != 0 || step.first_line <= start || step.first_line - start < most + told) continue;
      cuts.emplace_back(start, step.first_line - 1);
      start = step.first_line;
    }
  }
  cuts.emplace_back(start, side.last_line);
  std::vector<Excerpt> out;
  std::size_t used = 0;
  for (const auto& [first, last] : cuts) {
    if (out.size() == options.most_blocks || used >= options.most_lines) break;
    Excerpt excerpt;
    excerpt.code.language = "python";
    excerpt.code.path = side.path;
    excerpt.code.first_line = first;
    excerpt.code.last_line = last;
    excerpt.code.lines = lines_between(source, first, last, docstring);
    shorten_comments(excerpt.code.lines, 0);
    excerpt.code.lines =
        without_repetition(std::move(excerpt.code.lines), std::min<std::size_t>(34, options.most_lines), "# \u2026");
    while (!excerpt.code.lines.empty() && trim(excerpt.code.lines.back()).empty()) excerpt.code.lines.pop_back();
    dedent(excerpt.code.lines, 0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].first_line < first || steps[i].first_line > last) continue;
      (removed ? excerpt.before_steps : excerpt.after_steps).push_back(i);
    }
    used += excerpt.code.lines.size();
    out.push_back(std::move(excerpt));
  }
  return out;
}

}  // namespace

std::string with_backquotes(std::string_view marked) {
  std::string out;
  for (const Run& run : prose(marked)) {
    const bool is_code = run.style == Style::kCode && run.text.find('`') == std::string::npos;
    if (run.style == Style::kPlace) {
      out += run.line ? fmt::format("{}:{}", run.text, *run.line + 1) : run.text;
    } else {
      out += is_code ? "`" + run.text + "`" : run.text;
    }
  }
  return out;
}

std::vector<Excerpt> excerpts_of(const DocumentInputs& inputs, const Actor& actor, const ExcerptOptions& options) {
  if (!actor.is_function()) return {};
  const auto& entity = *actor.change;
  if (actor.is_removed()) {
    if (actor.steps.before_source == nullptr) return {};
    ExcerptOptions shorter = options;
    shorter.most_lines = std::min<std::size_t>(options.most_lines, 16);
    shorter.most_blocks = 1;
    auto out = whole(*entity.before, actor.steps.before, *actor.steps.before_source, true, shorter);
    for (Excerpt& excerpt : out) {
      excerpt.code.lines = without_repetition(std::move(excerpt.code.lines), 16, "# \u2026");
      excerpt.code.caption = "removed; lines of the old version";
    }
    return out;
  }
  if (actor.steps.after_source == nullptr) return {};
  // Lines of another file are no lines of this one: what came from there is shown as it is now.
  if (actor.is_added() || entity.moved)
    return whole(*entity.after, actor.steps.after, *actor.steps.after_source, false, options);
  return DiffExcerpts(inputs, actor, options).run();
}

namespace {

/// Both versions of a short definition and of the string that documents it, line by line.
std::vector<std::string> definition_difference(const DocumentInputs& inputs, const change::EntityChange& entity,
                                               const SourceText& after) {
  constexpr std::uint32_t kMostLines = 200;
  const program::ModuleId module = inputs.before->find_path(entity.before->path);
  if (!module.valid()) return {};
  const SourceText& before = inputs.before->modules()[module].facts->source();
  const auto text_of = [](const SourceText& source, const EntitySide& side) {
    std::string text;
    const std::uint32_t last = std::min(side.last_line, side.first_line + kMostLines - 1);
    for (std::uint32_t line = side.first_line; line <= last; ++line) text += fmt::format("{}\n", source.line(line));
    return text;
  };
  const std::string old_text = text_of(before, *entity.before);
  const std::string new_text = text_of(after, *entity.after);
  std::vector<std::string> out;
  const repo::LineDiff difference = repo::diff_lines(old_text, new_text, kMostLines);
  for (const repo::Hunk& hunk : difference.hunks()) {
    for (const repo::DiffLine& line : hunk.lines) {
      const char mark = line.kind == repo::LineKind::context ? ' ' : line.kind == repo::LineKind::added ? '+' : '-';
      out.push_back(fmt::format("{} {}", mark, line.text));
    }
  }
  if (!out.empty()) return out;
  for (const std::string_view line : split_lines(new_text)) out.push_back(fmt::format("  {}", line));
  return out;
}

}  // namespace

std::vector<CodeBlock> definition_excerpt(const DocumentInputs& inputs, const Actor& actor, std::size_t most_lines) {
  const auto& entity = *actor.change;
  const EntitySide& side = entity.latest();
  const program::Program& program = entity.after ? *inputs.after : *inputs.before;
  const program::ModuleId module = program.find_path(side.path);
  if (!module.valid() || side.node == nullptr) return {};
  const SourceText& source = program.modules()[module].facts->source();
  std::uint32_t last = side.last_line;
  if (entity.kind == change::EntityKind::kClass) {
    // Up to the first method: the class's own fields.
    for (const python::Stmt* statement : body_of(side.node)) {
      if (!python::is<python::FunctionDef>(statement) && !python::is<python::ClassDef>(statement)) continue;
      std::uint32_t line = source.line_of(statement->span.begin);
      const auto* function = python::as<python::FunctionDef>(statement);
      if (function != nullptr && !function->decorators.empty())
        line = source.line_of(function->decorators.front()->span.begin);
      last = line > side.first_line ? line - 1 : side.first_line;
      break;
    }
  }
  CodeBlock block;
  block.path = side.path;
  block.first_line = side.first_line;
  block.last_line = last;
  const bool is_value = entity.kind == change::EntityKind::kField || entity.kind == change::EntityKind::kVariable;
  if (is_value && entity.before && entity.after) {
    block.language = "diff";
    block.lines = definition_difference(inputs, entity, source);
    if (block.lines.size() > most_lines) block.lines.resize(most_lines);
    return {std::move(block)};
  }
  block.language = "python";
  if (!entity.after) block.caption = "removed; lines of the old version";
  block.lines = without_repetition(lines_between(source, side.first_line, last, docstring_lines(side.node, source)),
                                   most_lines, "# \u2026");
  while (!block.lines.empty() && trim(block.lines.back()).empty()) block.lines.pop_back();
  dedent(block.lines, 0);
  return {std::move(block)};
}

}  // namespace lockstep::report
