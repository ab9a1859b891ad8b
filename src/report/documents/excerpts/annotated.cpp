// Annotated code and pseudo-code of a function (excerpt.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "change/names.h"
#include "python/facts.h"
#include "python/tree_walk.h"
#include "report/documents/excerpts/cited_once.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/documents/excerpts/standing_lines.h"
#include "report/documents/parts.h"
#include "report/source/apis.h"
#include "report/story/calls/taken_on.h"
#include "report/story/steps/conditional_entries.h"
#include "report/story/wording/choice_words.h"
#include "report/story/wording/handler_words.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kSlack = 10;            ///< Lines by which a block may be too long.
constexpr std::uint32_t kShortFunction = 40;  ///< Lines up to which a changed function is shown whole.

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? 0 : at;
}

/// "# " lines of at most kWidth columns.
std::vector<std::string> comment_lines(const std::string& text, std::size_t indent) {
  std::vector<std::string> out;
  const std::string margin(indent, ' ');
  std::string line = margin + "#";
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    if (line.size() + 1 + word.size() > std::max(kWidth, indent + 40) && line.size() > indent + 3) {
      out.push_back(line);
      line = margin + "#  ";
    }
    line.append(" ").append(word);
  }
  out.push_back(line);
  return out;
}

bool is_communication(const Step& step, const WordsContext& context, std::string& what) {
  if (step.kind != StepKind::kPlain || context.mesh == nullptr || !context.function.valid()) return false;
  for (const mesh::CollectiveSite& site : context.mesh->collectives_of(context.function)) {
    if (site.call == nullptr || !step.span.contains(site.call->span)) continue;
    what = collective_words(site, *context.mesh);
    return true;
  }
  return false;
}

bool leaves_early(const std::vector<Step>& steps, std::size_t index) {
  const std::size_t end = end_of(steps, index);
  if (end == index + 1 || end - index > 4) return false;
  const Node* last = steps[end - 1].node;
  return is_statement(last) && rules::leaves(static_cast<const Stmt&>(*last));
}

/// What kind of step it is, for the reader's eye.
std::string label_of(const std::vector<Step>& steps, std::size_t index, const WordsContext& context) {
  const Step& step = steps[index];
  std::string what;
  if (is_communication(step, context, what)) return "Communication";
  if (step.kind == StepKind::kIf && leaves_early(steps, index)) {
    return is<Raise>(steps[end_of(steps, index) - 1].node) ? "Assumption" : "Edge case";
  }
  if (is<Assert>(step.node) && step.kind == StepKind::kPlain) return "Assumption";
  if (step.kind == StepKind::kExcept) return "Edge case";
  return {};
}

class Annotator {
 public:
  /// `with_neighbours`: of a long function also the small steps beside what changed.
  Annotator(const DocumentInputs& inputs, const Actor& actor, std::size_t most_lines, bool with_neighbours = true)
      : inputs_(inputs),
        change_(*inputs.change),
        actor_(actor),
        context_(context_after(inputs, actor)),
        before_context_(context_before(inputs, actor)),
        source_(*actor.steps.after_source),
        most_lines_(most_lines),
        with_neighbours_(with_neighbours),
        points_(removal_points(actor.steps)),
        choices_(actor) {
    choose_shown();
    for (StandingLine& one : standing_lines(actor, choices_)) {
      if (shown_[one.step] && !one.is_header) continue;
      show(one.step);
      standing_.insert_or_assign(one.step, std::move(one));
    }
  }

  CodeBlock run() {
    const auto& side = *actor_.change->after;
    block_.language = "python";
    block_.path = side.path;
    block_.first_line = side.first_line;
    block_.last_line = side.last_line;
    header();
    const std::vector<Step>& steps = actor_.steps.after;
    std::size_t i = 0;
    for (; i < steps.size() && (block_.lines.size() < most_lines_ || ends_small_block(i)); ++i) {
      removed_before(i);
      visit(i);
    }
    for (std::size_t k = i; k < steps.size(); ++k)
      is_cut_ = is_cut_ || (shown_[k] && steps[k].status != StepStatus::kKept);
    if (i < steps.size()) add_new_guard(i);
    if (block_.lines.size() < most_lines_) removed_before(steps.size());
    if (next_line_ <= side.last_line) gap(side.last_line + 1, last_indent(steps.size()));
    tidy();
    return std::move(block_);
  }

  /// Whether steps that changed found no room.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  /// Whether the step stands in a block of a few lines whose header was the last to be shown: alone that says nothing.
  [[nodiscard]] bool ends_small_block(std::size_t i) const {
    constexpr std::uint32_t kFewLines = 6;
    const std::size_t parent = actor_.steps.after[i].parent;
    if (parent == Step::kNone || !shown_[parent] || !shown_[i]) return false;
    const std::vector<Step>& steps = actor_.steps.after;
    return steps[end_of(steps, parent) - 1].last_line - steps[parent].first_line <= kFewLines;
  }

  /// What was done in any case, and is not any more, is shown however long what stands before it is: the first such
  /// branch among the steps from `from` on that found no room, with the beginning of what stands under it.
  void add_new_guard(std::size_t from) {
    constexpr std::size_t kMostLines = 5;  // Of what stands under it.
    const std::vector<Step>& steps = actor_.steps.after;
    const std::vector<std::size_t> guards = new_guards(actor_, before_context_, context_);
    const auto first = std::find_if(guards.begin(), guards.end(), [&](std::size_t guard) {
      return guard >= from && steps[guard].first_line >= next_line_;
    });
    if (first == guards.end()) return;
    if (block_.lines.size() > most_lines_ + kSlack) {
      block_.lines.resize(most_lines_ + kSlack);
      block_.lines.emplace_back("    # ...");
    }
    shown_.assign(steps.size(), false);
    show(*first);
    for (std::size_t at = from; at <= *first; ++at) visit(at);
    std::vector<std::uint32_t> lines;
    const std::uint32_t last = steps[end_of(steps, *first) - 1].last_line;
    for (std::uint32_t line = next_line_; line <= last; ++line) lines.push_back(line);
    for (std::size_t k = 0; k < lines.size() && (k < kMostLines || lines.size() <= kMostLines + 1); ++k)
      block_.lines.emplace_back(source_.line(lines[k]));
    if (lines.size() > kMostLines + 1)
      block_.lines.push_back(std::string(indent_of(source_.line(lines[kMostLines])), ' ') +
                             fmt::format("# ... ({} more lines)", lines.size() - kMostLines));
    next_line_ = last + 1;
    has_guard_ = true;
  }

  void header() {
    const auto& side = *actor_.change->after;
    const auto body = body_of(side.node);
    std::uint32_t end = body.empty() ? side.last_line : source_.line_of(body.front()->span.begin);
    if (end == side.first_line) end = side.first_line + 1;
    std::vector<std::uint32_t> lines;
    for (std::uint32_t line = side.first_line; line < end && line <= side.last_line; ++line) {
      if (!trim(source_.line(line)).starts_with("#")) lines.push_back(line);
    }
    constexpr std::size_t kLongHeader = 14;
    add_lines(lines, lines.size() > kLongHeader ? kLongHeader / 2 : lines.size());
    next_line_ = end;
    if (const Constant* docstring = docstring_of(body)) {
      next_line_ = source_.line_of(docstring->span.end - 1) + 1;
      const std::string sentence = docstring_sentence(side.node, 90);
      if (!sentence.empty())
        block_.lines.push_back(
            fmt::format("{}# Docstring: {}",
                        std::string(indent_of(source_.line(source_.line_of(docstring->span.begin))), ' '), sentence));
    }
  }

  /// A short function is shown whole. Of a long one: what changed, what holds it, the small steps beside it, and what
  /// a changed branch leads to.
  void choose_shown() {
    const std::vector<Step>& steps = actor_.steps.after;
    const auto& side = *actor_.change->after;
    shown_.assign(steps.size(), side.last_line - side.first_line < kShortFunction);
    if (!steps.empty() && shown_.front()) return;
    std::vector<bool> touched(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) touched[i] = steps[i].status != StepStatus::kKept;
    for (std::size_t b = 0; b < points_.size(); ++b) {
      if (points_[b] == Step::kNone) continue;
      if (points_[b] > 0) show_beside(points_[b] - 1);
      if (points_[b] < steps.size()) show_beside(points_[b]);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!touched[i]) continue;
      show(i);
      if (i > 0) show_beside(i - 1);
      const std::size_t end = end_of(steps, i);
      if (end < steps.size()) show_beside(end);
      // What a new branch holds that was done anyway is what it is about.
      const bool takes_in = steps[i].status == StepStatus::kAdded && !touched[std::min(i + 1, steps.size() - 1)];
      constexpr std::size_t kFew = 5;
      constexpr std::size_t kFirst = 8;
      if (end - i <= kFew || takes_in) {
        for (std::size_t inner = i + 1; inner < std::min(end, i + 1 + kFirst); ++inner) shown_[inner] = true;
      }
    }
    if (with_neighbours_) show_ways_out(touched);
  }

  /// Short branches that stand before a changed step, in its block, and leave it (`if x: break`): without them the step
  /// reads as if it always ran. The nearest few.
  void show_ways_out(const std::vector<bool>& touched) {
    constexpr std::size_t kMost = 3;
    const std::vector<Step>& steps = actor_.steps.after;
    std::size_t told = 0;
    for (std::size_t i = steps.size(); i-- > 0 && told < kMost;) {
      if (touched[i] || shown_[i] || steps[i].kind != StepKind::kIf || !leaves_early(steps, i)) continue;
      const std::size_t end = end_of(steps, i);
      bool is_before_change = false;
      for (std::size_t k = end; k < steps.size(); ++k)
        is_before_change = is_before_change || (touched[k] && steps[k].parent == steps[i].parent);
      if (!is_before_change) continue;
      for (std::size_t k = i; k < end; ++k) show(k);
      ++told;
    }
    // And right behind one, with the small step that it may pass over.
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::size_t next = end_of(steps, i);
      if (!touched[i] || next >= steps.size() || touched[next] || steps[next].parent != steps[i].parent ||
          steps[next].kind != StepKind::kIf || !leaves_early(steps, next))
        continue;
      const std::size_t end = end_of(steps, next);
      for (std::size_t k = next; k < end; ++k) show(k);
      if (end < steps.size() && steps[end].parent == steps[i].parent) show_beside(end);
    }
  }

  void show(std::size_t i) {
    for (; i != Step::kNone; i = actor_.steps.after[i].parent) {
      shown_[i] = true;
      show_opening(i);
    }
  }

  /// An `else`, `elif`, `except` or `finally` is read as that of the header above it: its own is shown.
  void show_opening(std::size_t i) {
    const std::vector<Step>& steps = actor_.steps.after;
    const auto goes_on = [&](std::size_t at) {
      return steps[at].kind == StepKind::kElse || steps[at].is_elif || steps[at].kind == StepKind::kExcept ||
             steps[at].kind == StepKind::kFinally;
    };
    while (goes_on(i)) {
      std::size_t above = i;
      while (above > 0 && (--above, steps[above].depth > steps[i].depth)) continue;
      if (steps[above].depth != steps[i].depth || steps[above].parent != steps[i].parent || above == i) return;
      shown_[above] = true;
      i = above;
    }
  }

  void show_beside(std::size_t i) {
    if (!with_neighbours_) return;
    const Step& step = actor_.steps.after[i];
    if (step.kind == StepKind::kPlain && step.last_line - step.first_line < 4) show(i);
  }

  [[nodiscard]] bool is_shown(std::size_t i) const { return shown_[i]; }

  void gap(std::uint32_t until, std::size_t indent) {
    bool any = false;
    for (std::uint32_t line = next_line_; line < until; ++line) any = any || !trim(source_.line(line)).empty();
    if (!any || (!block_.lines.empty() && trim(block_.lines.back()).starts_with("# ..."))) return;
    // Below a header alone its block is what is left out.
    const std::size_t header = block_.lines.empty() ? 0 : indent_of(block_.lines.back());
    const bool opens = !block_.lines.empty() && block_.lines.size() > 1 && trim(block_.lines.back()).ends_with(":") &&
                       !trim(block_.lines.back()).starts_with("#") && header >= indent;
    constexpr std::size_t kDeeper = 4;
    block_.lines.push_back(std::string(opens ? header + kDeeper : indent, ' ') + "# ...");
  }

  void visit(std::size_t i) {
    const Step& step = actor_.steps.after[i];
    if (step.first_line < next_line_ && step.last_line < next_line_) return;
    if (!is_shown(i)) return;
    const std::size_t indent = indent_of(source_.line(step.first_line));
    if (const auto standing = standing_.find(i); standing != standing_.end() && !standing->second.is_header) {
      gap(step.first_line, indent);
      block_.lines.push_back(standing->second.text);
      next_line_ = step.last_line + 1;
      return;
    }
    // The author's own comment directly above belongs to the step.
    std::uint32_t first = step.first_line;
    while (first > next_line_ && trim(source_.line(first - 1)).starts_with("#")) --first;
    if (first > next_line_) gap(first, indent);
    if (step.status != StepStatus::kKept) annotate(i, indent);
    std::vector<std::uint32_t> lines;
    for (std::uint32_t line = std::max(first, next_line_); line <= step.last_line; ++line) lines.push_back(line);
    // What the change writes is cut later than what was there.
    const bool is_old = step.status == StepStatus::kKept;
    const std::size_t most = is_old ? 14 : 24;
    add_lines(lines, lines.size() > most ? most - 6 : lines.size());
    next_line_ = step.last_line + 1;
  }

  /// Of lines that are too many the first `head` and the last few stay, and with them those that the change writes
  /// where others do not change.
  void add_lines(const std::vector<std::uint32_t>& lines, std::size_t head) {
    constexpr std::size_t kTail = 3;
    constexpr std::size_t kMostChanged = 24;
    std::vector<bool> kept(lines.size(), false);
    for (std::size_t i = 0; i < lines.size(); ++i) kept[i] = i < head || i + kTail >= lines.size();
    const auto changes = [&](std::uint32_t line) { return change_.touches_after(actor_.change->after->path, line); };
    const bool is_mixed = !actor_.is_added() && !std::all_of(lines.begin(), lines.end(), changes);
    for (std::size_t i = 0, shown = 0; i < lines.size() && is_mixed; ++i) {
      if (!changes(lines[i]) || shown == kMostChanged) continue;
      // With the line before: the call that a changed argument belongs to, say.
      kept[i] = true;
      if (i > 0) kept[i - 1] = true;
      ++shown;
    }
    for (std::size_t i = 0; i < lines.size();) {
      std::size_t end = i;
      while (end < lines.size() && !kept[end]) ++end;
      if (end < i + 2) {
        block_.lines.emplace_back(source_.line(lines[i]));
        ++i;
        continue;
      }
      block_.lines.push_back(std::string(indent_of(source_.line(lines[i])), ' ') +
                             fmt::format("# ... ({} more lines)", end - i));
      i = end;
    }
  }

  /// Steps in a row that only assign or call are told one by one only while they are few; a branch tells its inside.
  // Whether the change writes a line of the step: where a branch comes around it, its lines may have been there.
  [[nodiscard]] bool is_written(const Step& step) const {
    const repo::FileChange* file = change_.diff->find_after(actor_.change->after->path);
    if (file == nullptr) return true;
    for (std::uint32_t line = step.first_line; line <= step.last_line; ++line) {
      if (file->lines.is_added_line(line)) return true;
    }
    return false;
  }

  /// Whether the words only read the code out: "calls `f(x)`", "sets `a` to `b`".
  static bool only_reads_code(std::string_view text) {
    static constexpr std::string_view kReading[] = {"calls", "sets",   "to",  "returns",
                                                    "adds",  "awaits", "and", "yields"};
    bool is_code = false;
    std::string outside;
    for (const char c : text) {
      if (c == '`') {
        is_code = !is_code;
        outside += ' ';
      } else if (!is_code) {
        outside += c;
      }
    }
    for (const std::string_view word : split(outside, ' ')) {
      if (!word.empty() && std::find(std::begin(kReading), std::end(kReading), word) == std::end(kReading))
        return false;
    }
    return true;
  }

  void annotate(std::size_t i, std::size_t indent) {
    const Step& step = actor_.steps.after[i];
    // What it imports serves the other steps.
    if (is<Import>(step.node) || is<ImportFrom>(step.node)) return;
    std::string words = step_words(step, context_);
    if (words.empty() || step.kind == StepKind::kElse) return;
    if (const std::string choice = choices_.words(i); !choice.empty()) {
      const std::string told = fmt::format("Step {} [NEW]: {}.", ++number_, with_backquotes(choice));
      for (std::string& line : comment_lines(told, indent)) block_.lines.push_back(std::move(line));
      return;
    }
    if (choices_.tells_after(i)) return;
    const std::string label = label_of(actor_.steps.after, i, context_);
    if (i < told_until_ && label.empty()) return;
    const bool worth =
        !label.empty() || step.kind != StepKind::kPlain || step.status == StepStatus::kChanged || says_more(step);
    if (!worth) return;
    const bool whole_is_new = actor_.is_added();
    std::string head = label.empty() ? fmt::format("Step {}", ++number_) : label;
    if (whole_is_new && step.taken_from != nullptr) head += " [MOVED]";
    if (!whole_is_new && step.inlined != nullptr) {
      head += fmt::format(" [INLINED from {}]", change::last_part(step.inlined->before->qualified_name));
    } else if (!whole_is_new) {
      const bool is_moved = step.is_moved || step.taken_from != nullptr || !is_written(step) || stood_elsewhere(i);
      const bool is_other = step.status != StepStatus::kAdded || (label == "Assumption" && raised_before(i));
      head += is_moved && step.status == StepStatus::kAdded ? " [MOVED]" : is_other ? " [MODIFIED]" : " [NEW]";
    }
    if (step.kind != StepKind::kPlain && step.status == StepStatus::kAdded && end_of(actor_.steps.after, i) - i <= 4) {
      const auto told = block_words(actor_.steps.after, i, end_of(actor_.steps.after, i), context_, 1);
      if (!told.empty()) words = told.front();
      told_until_ = end_of(actor_.steps.after, i);
      words = as_clause(std::move(words));
    }
    // The handlers of a long block stand far below it, or where nothing is shown any more.
    constexpr std::size_t kLong = 8;
    if (step.kind == StepKind::kTry && step.status == StepStatus::kAdded && end_of(actor_.steps.after, i) - i > kLong)
      words += handler_words(actor_.steps.after, i, context_);
    std::string text = with_backquotes(cited_once(std::move(words), told_purposes_));
    std::string what;
    if (is_communication(step, context_, what) && !contains(text, "issues "))
      text += "; issues " + with_backquotes(what);
    std::string was;
    if (step.status == StepStatus::kChanged && step.partner != Step::kNone)
      was = one_line(*actor_.steps.before_source, actor_.steps.before[step.partner].span, 140);
    // Where the old code stands beside it, the words say what the line below says.
    const bool is_said = !was.empty() && label.empty() && only_reads_code(text);
    for (std::string& line :
         comment_lines(is_said ? fmt::format("{}, was: {}", head, was) : fmt::format("{}: {}.", head, text), indent))
      block_.lines.push_back(std::move(line));
    if (was.empty() || is_said) return;
    for (std::string& line : comment_lines("Was: " + was, indent)) block_.lines.push_back(std::move(line));
  }

  /// Whether the block at `was` has the head of the one at `is`, and something that it held stands there now.
  [[nodiscard]] bool holds_what_it_held(std::size_t was, std::size_t is) const {
    const std::vector<Step>& before = actor_.steps.before;
    const std::vector<Step>& after = actor_.steps.after;
    if (before[was].kind != after[is].kind || before[was].fingerprint != after[is].fingerprint) return false;
    const std::size_t end = end_of(after, is);
    for (std::size_t k = was + 1; k < end_of(before, was); ++k) {
      const bool is_kept = before[k].status == StepStatus::kKept || before[k].is_moved;
      if (is_kept && before[k].partner != Step::kNone && before[k].partner > is && before[k].partner < end) return true;
    }
    return false;
  }

  /// Where a block that goes stands now, by its head and something that it holds: a step of the new version that is
  /// none of the old one's.
  [[nodiscard]] std::size_t block_now(std::size_t was) const {
    if (actor_.steps.before[was].kind == StepKind::kPlain) return Step::kNone;
    for (std::size_t i = 0; i < actor_.steps.after.size(); ++i) {
      if (actor_.steps.after[i].status == StepStatus::kAdded && holds_what_it_held(was, i)) return i;
    }
    return Step::kNone;
  }

  /// Whether a new block is one that stood elsewhere in the function, by its head and something that it holds.
  [[nodiscard]] bool stood_elsewhere(std::size_t is) const {
    const Step& step = actor_.steps.after[is];
    if (step.kind == StepKind::kPlain || step.status != StepStatus::kAdded) return false;
    for (std::size_t i = 0; i < actor_.steps.before.size(); ++i) {
      if (holds_what_it_held(i, is)) return true;
    }
    return false;
  }

  /// Whether the function raised before, to the letter, what the branch raises: it asks for something else now.
  [[nodiscard]] bool raised_before(std::size_t index) const {
    const Step& raise = actor_.steps.after[end_of(actor_.steps.after, index) - 1];
    if (!is<Raise>(raise.node)) return false;
    return raise.status == StepStatus::kKept || raise.is_moved ||
           std::any_of(actor_.steps.before.begin(), actor_.steps.before.end(), [&](const Step& was) {
             return was.status == StepStatus::kRemoved && was.fingerprint == raise.fingerprint && is<Raise>(was.node);
           });
  }

  /// Whether the words tell more than the code beside them, or where a callee stands.
  [[nodiscard]] bool says_more(const Step& step) const {
    const std::string text = step_words(step, context_);
    return says_more_than_code(text) || contains(text, std::string(1, '\x01') + "p");
  }

  void removed_before(std::size_t index) {
    std::size_t told = 0;
    for (std::size_t b = 0; b < points_.size(); ++b) {
      if (points_[b] != index) continue;
      const Step& step = actor_.steps.before[b];
      if (step.kind == StepKind::kElse || choices_.tells_before(b)) continue;
      if (++told > 4) {
        block_.lines.push_back(std::string(last_indent(index), ' ') + "# REMOVED: \u2026");
        break;
      }
      if (index < actor_.steps.after.size()) {
        std::uint32_t first = actor_.steps.after[index].first_line;
        while (first > next_line_ && trim(source_.line(first - 1)).starts_with("#")) --first;
        if (first > next_line_) {
          gap(first, last_indent(index));
          next_line_ = first;
        }
      } else if (next_line_ <= actor_.change->after->last_line) {
        gap(actor_.change->after->last_line + 1, last_indent(index));
        next_line_ = actor_.change->after->last_line + 1;
      }
      const std::size_t indent = indent_of(actor_.steps.before_source->line(step.first_line));
      const std::size_t now = step.is_moved ? step.partner : block_now(b);
      const std::string what =
          now != Step::kNone
              ? fmt::format("MOVED {} to line {}", now < index ? "up" : "down", actor_.steps.after[now].first_line + 1)
          : step.elsewhere != nullptr && step.elsewhere != actor_.change && asks_as_elif_there(step)
              ? fmt::format("MOVED to {}, as `elif`", change::last_part(step.elsewhere->latest().qualified_name))
          : step.elsewhere != nullptr && step.elsewhere != actor_.change && stands_there(step)
              ? fmt::format("MOVED to {}", change::last_part(step.elsewhere->latest().qualified_name))
          : is_alike_in_new_function(inputs_, actor_, step) ? std::string("MOVED to a new function")
                                                            : std::string("REMOVED");
      const std::string line = fmt::format("{}: {}", what, one_line(*actor_.steps.before_source, step.span, 120));
      for (std::string& one : comment_lines(line, indent)) block_.lines.push_back(std::move(one));
    }
  }

  /// Whether the question of an `if` that was matched with a step of another function is that of an `elif` there.
  [[nodiscard]] bool asks_as_elif_there(const Step& step) const {
    const auto* branch = step.kind == StepKind::kIf && !step.is_elif ? as<If>(step.node) : nullptr;
    const auto& there = step.elsewhere->after;
    const program::ModuleId module = there ? inputs_.after->find_path(there->path) : program::ModuleId();
    if (branch == nullptr || !module.valid() || there->node == nullptr) return false;
    const SourceText& source = inputs_.after->modules()[module].facts->source();
    const std::string asked = without_layout(*actor_.steps.before_source, branch->condition->span);
    bool found = false;
    walk_of<If>(*there->node, Nested::kSkip, [&](const If* one) {
      const std::string_view text = source.slice(one->span);
      found = found || (text.starts_with("elif") && without_layout(source, one->condition->span) == asked);
    });
    return found;
  }

  /// Whether a step that was matched with one of another function stands there in its own words, but for names.
  [[nodiscard]] bool stands_there(const Step& step) const {
    const auto& there = step.elsewhere->after;
    if (!there || there->node == nullptr || step.differs_there) return false;
    const program::ModuleId module = inputs_.after->find_path(there->path);
    return module.valid() &&
           (step.kind != StepKind::kPlain || is_alike_in(*there->node, inputs_.after->modules()[module].facts->source(),
                                                         step, *actor_.steps.before_source));
  }

  [[nodiscard]] std::size_t last_indent(std::size_t index) const {
    if (index < actor_.steps.after.size()) return indent_of(source_.line(actor_.steps.after[index].first_line));
    const std::size_t own = indent_of(source_.line(source_.line_of(actor_.change->after->node->span.begin)));
    return own + 4;
  }

  void tidy() {
    std::vector<std::string> lines;
    for (std::string& line : block_.lines) {
      while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
      if (line.empty() && (lines.empty() || lines.back().empty())) continue;
      lines.push_back(std::move(line));
    }
    if (lines.size() > most_lines_ + kSlack + 2 && !has_guard_) {
      lines.resize(most_lines_ + kSlack);
      lines.push_back("    # ... (cut: the function goes on)");
    }
    std::size_t common = SIZE_MAX;
    for (const std::string& line : lines) {
      if (!line.empty()) common = std::min(common, indent_of(line));
    }
    for (std::string& line : lines) line.erase(0, common == SIZE_MAX ? 0 : std::min(common, line.size()));
    block_.lines = std::move(lines);
  }

  const DocumentInputs& inputs_;
  const change::Change& change_;
  const Actor& actor_;
  WordsContext context_;
  WordsContext before_context_;
  const SourceText& source_;
  std::size_t most_lines_;
  bool with_neighbours_;
  bool is_cut_ = false;
  std::vector<std::size_t> points_;
  ToldChoices choices_;
  std::map<std::size_t, StandingLine> standing_;  ///< By step: alternatives that stay beside a new one.
  std::vector<bool> shown_;                       ///< By step of the new side.
  CodeBlock block_;
  bool has_guard_ = false;  ///< A branch was added behind the cut.
  std::uint32_t next_line_ = 0;
  std::set<std::string> told_purposes_;
  std::size_t told_until_ = 0;  ///< Steps before it have been told with the branch that holds them.
  int number_ = 0;
};

/// `results.append(x)`, `await queue.put(x)`: what the function gives others, whatever it is worked out from.
bool hands_over(const Call& call) {
  static constexpr std::string_view kMethods[] = {"put", "put_nowait", "send", "set_result", "write"};
  const std::string_view name = callee_name(call);
  return is<Attribute>(call.callee) &&
         (rules::fills(name) || std::find(std::begin(kMethods), std::end(kMethods), name) != std::end(kMethods));
}

/// Worth a line of pseudo-code of its own.
bool is_landmark(const Step& step, const WordsContext& context) {
  if (step.kind != StepKind::kPlain) return true;
  switch (step.node->kind) {
    case NodeKind::kReturn:
    case NodeKind::kRaise:
    case NodeKind::kBreak:
    case NodeKind::kContinue:
    case NodeKind::kFunctionDef:
    case NodeKind::kAssert:
      return true;
    default:
      break;
  }
  std::string what;
  if (is_communication(step, context, what)) return true;
  // What outlives the function: `self.x = …`, `self.x[i] += …`, `self.x.add_(…)`.
  const Expr* target = nullptr;
  if (const auto* assign = as<Assign>(step.node)) target = assign->targets.front();
  if (const auto* assign = as<AugAssign>(step.node)) target = assign->target;
  if (is<Attribute>(target) || is<Subscript>(target)) return true;
  const Call* call = is<ExprStmt>(step.node) ? call_of_step(step) : nullptr;
  if (call != nullptr && (rules::works_in_place(callee_name(*call)) || hands_over(*call))) return true;
  const Node* value = nullptr;
  if (const auto* assign = as<Assign>(step.node)) value = assign->value;
  if (const auto* expression = as<ExprStmt>(step.node)) value = expression->value;
  return value != nullptr && is<Call>(value) && !callees_of(*context.program, value).empty();
}

std::string assigned_name(const Step& step, const SourceText& source) {
  if (const auto* assign = as<Assign>(step.node)) return one_line(source, *assign->targets.front(), 30);
  if (const auto* assign = as<AnnAssign>(step.node)) return one_line(source, *assign->target, 30);
  if (const auto* assign = as<AugAssign>(step.node)) return one_line(source, *assign->target, 30);
  return {};
}

}  // namespace

CodeBlock annotated_code(const DocumentInputs& inputs, const Actor& actor, std::size_t most_lines) {
  if (!actor.is_function() || actor.steps.after_source == nullptr) return {};
  Annotator whole(inputs, actor, most_lines);
  CodeBlock block = whole.run();
  // What changed comes before what stands beside it.
  return whole.is_cut() ? Annotator(inputs, actor, most_lines, false).run() : block;
}

CodeBlock pseudo_code(const std::vector<Step>& steps, const WordsContext& context, std::size_t most_lines) {
  CodeBlock block;
  block.language = "text";
  constexpr std::size_t kLineWidth = 88;
  std::vector<const Step*> pending;
  int pending_depth = 0;
  const auto flush = [&] {
    constexpr std::size_t kFew = 2;  // To name these takes as much room as to show them.
    if (pending.empty()) return;
    std::vector<std::string> names;
    for (const Step* step : pending) {
      std::string name = assigned_name(*step, *context.source);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    if (pending.size() <= kFew && names.size() == pending.size()) {
      for (const Step* step : pending)
        block.lines.push_back(std::string(4 * static_cast<std::size_t>(pending_depth), ' ') +
                              one_line(*context.source, step->span, kLineWidth));
      pending.clear();
      return;
    }
    const std::string text =
        names.empty() ? std::string("\u2026")
                      : "\u2026 work out " +
                            (names.size() > 5 ? join(std::vector<std::string>(names.begin(), names.begin() + 4), ", ") +
                                                    fmt::format(" and {} more", names.size() - 4)
                                              : join_words(names));
    block.lines.push_back(std::string(4 * static_cast<std::size_t>(pending_depth), ' ') + text);
    pending.clear();
  };
  for (const Step& step : steps) {
    if (block.lines.size() >= most_lines) {
      pending.clear();
      block.lines.emplace_back("\u2026");
      break;
    }
    if (step.depth > 3) continue;
    if (!is_landmark(step, context)) {
      if (!pending.empty() && pending_depth != step.depth) flush();
      pending_depth = step.depth;
      pending.push_back(&step);
      continue;
    }
    flush();
    std::string text = one_line(*context.source, step.span, kLineWidth);
    if (const auto* nested = as<FunctionDef>(step.node); nested != nullptr && step.kind == StepKind::kPlain)
      text = fmt::format("def {}(\u2026): \u2026", nested->name.text);
    std::string what;
    if (is_communication(step, context, what)) text += "    # " + with_backquotes(what);
    block.lines.push_back(std::string(4 * static_cast<std::size_t>(step.depth), ' ') + text);
  }
  flush();
  return block;
}

}  // namespace lockstep::report
