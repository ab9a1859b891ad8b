#include "report/documents/excerpts/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/strings.h"
#include "python/facts.h"
#include "repo/diff.h"
#include "report/documents/excerpts/bracket_groups.h"
#include "report/documents/excerpts/excerpt_lines.h"
#include "report/documents/excerpts/excerpt_pieces.h"
#include "report/documents/excerpts/standing_lines.h"
#include "report/story/steps/conditional_entries.h"
#include "report/story/wording/change_steps.h"

namespace lockstep::report {

using change::EntitySide;
using change::FileSummary;
using repo::DiffLine;
using repo::LineKind;

namespace {

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

class DiffExcerpts {
 public:
  DiffExcerpts(const DocumentInputs& inputs, const Actor& actor, const ExcerptOptions& options)
      : inputs_(inputs),
        actor_(actor),
        options_(options),
        file_(file_of(*inputs.change, actor.change->after->path)),
        source_(*actor.steps.after_source) {}

  std::vector<Excerpt> run() {
    if (file_ == nullptr || actor_.steps.before_source == nullptr) return {};
    const ToldChoices choices(actor_);
    standing_ = standing_lines(actor_, choices);
    std::vector<Shown> pieces;
    for (Piece& piece : pieces_of(actor_)) {
      if (!trim_around(piece.lines)) continue;
      Excerpt steps;
      collect_steps(piece.lines, steps);
      const bool is_import = only_imports(piece.lines, steps);
      add_standing(piece.lines);
      pieces.push_back({std::move(piece), std::move(steps), is_import});
    }
    // An import serves what uses it.
    const auto is_import = [](const Shown& shown) { return shown.is_import; };
    if (!std::all_of(pieces.begin(), pieces.end(), is_import)) std::erase_if(pieces, is_import);
    // New code first, where there is no room for all: what only goes is told in words as well.
    const auto is_added = [](const DiffLine& line) { return line.kind == LineKind::added; };
    std::vector<std::size_t> order(pieces.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
      const std::vector<DiffLine>& lines = pieces[i].piece.lines;
      return std::any_of(lines.begin(), lines.end(), is_added);
    });
    // Of that first what was done in any case and is not any more.
    const std::vector<std::size_t> guards =
        new_guards(actor_, context_before(inputs_, actor_), context_after(inputs_, actor_));
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
      const std::vector<std::size_t>& shown = pieces[i].steps.after_steps;
      return std::any_of(guards.begin(), guards.end(), [&](std::size_t guard) {
        return std::find(shown.begin(), shown.end(), guard) != shown.end();
      });
    });
    std::vector<std::pair<std::size_t, Excerpt>> excerpts;
    for (std::size_t i = 0; i < order.size(); ++i) {
      // The later ones get some lines, too.
      const std::size_t later = std::min(order.size(), options_.most_blocks) - std::min(i + 1, options_.most_blocks);
      const std::size_t fewest = std::clamp<std::size_t>(options_.most_lines / 2, 10, 14);
      const std::size_t left = options_.most_lines - std::min(lines_used_ + later * fewest, options_.most_lines);
      add(pieces[order[i]], order[i], std::max(left, fewest), excerpts);
    }
    std::sort(excerpts.begin(), excerpts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Excerpt> out;
    for (auto& [place, excerpt] : excerpts) out.push_back(std::move(excerpt));
    return out;
  }

 private:
  struct Shown {
    Piece piece;
    Excerpt steps;  ///< Its steps, without code.
    bool is_import = false;
  };

  /// One line of context on either side is enough: the branches around are named instead. False if nothing is left.
  static bool trim_around(std::vector<DiffLine>& lines) {
    const auto is_context = [](const DiffLine& line) { return line.kind == LineKind::context; };
    while (lines.size() > 1 && is_context(lines[0]) && is_context(lines[1])) lines.erase(lines.begin());
    while (lines.size() > 1 && is_context(lines.back()) && is_context(lines[lines.size() - 2])) lines.pop_back();
    const auto says_nothing = [&](const DiffLine& line) {
      return is_context(line) && line.text.find_first_not_of(" \t)]},:\u2026") == std::string::npos;
    };
    while (!lines.empty() && says_nothing(lines.front())) lines.erase(lines.begin());
    while (!lines.empty() && says_nothing(lines.back())) lines.pop_back();
    return !std::all_of(lines.begin(), lines.end(), is_context);
  }

  /// Behind lines that show a new alternative: what is asked where it is not taken, and what that comes to.
  void add_standing(std::vector<DiffLine>& lines) {
    const auto shows = [&](std::uint32_t line, bool is_new) {
      return std::any_of(lines.begin(), lines.end(), [&](const DiffLine& one) {
        return one.new_line == line && one.kind != LineKind::removed && (!is_new || one.kind == LineKind::added);
      });
    };
    for (std::size_t i = 0; i < standing_.size(); ++i) {
      const StandingLine& one = standing_[i];
      if (!shows(one.new_alternative, true)) continue;
      std::uint32_t last = 0;
      for (const DiffLine& line : lines) {
        if (line.kind != LineKind::removed) last = std::max(last, line.new_line);
      }
      // What it begins with is shown with the next line.
      if (one.line < last || shows(one.line, false)) continue;
      while (lines.back().kind == LineKind::context && trim(lines.back().text).starts_with("#")) lines.pop_back();
      lines.push_back({LineKind::context, 0, one.line, true, one.text});
      kept_lines_.insert(one.line);
    }
  }

  void add(Shown& shown, std::size_t place, std::size_t most, std::vector<std::pair<std::size_t, Excerpt>>& out) {
    if (out.size() >= options_.most_blocks || lines_used_ >= options_.most_lines) return;
    const Piece& piece = shown.piece;
    Excerpt excerpt = std::move(shown.steps);
    if (excerpt.after_steps.empty() && excerpt.before_steps.empty() && !touches_header(piece.lines)) return;
    const std::size_t more = write(piece, most, excerpt);
    lines_used_ += excerpt.code.lines.size() - more;
    out.emplace_back(place, std::move(excerpt));
  }

  /// Whether the lines of the new version, without what is left out of them, open more brackets than they close.
  static bool leaves_brackets_open(const std::vector<std::string>& lines) {
    BracketReader reader;
    for (const std::string& line : lines) {
      const std::string_view text = std::string_view(line).substr(std::min<std::size_t>(line.size(), 2));
      if (!line.starts_with('-') && !trim(text).starts_with("\u2026")) reader.read(text);
    }
    return reader.depth() > 0;
  }

  /// The line of the new version that closes the brackets which the lines leave open, behind "\u2026" where it is not
  /// the next one; none where they leave none open.
  [[nodiscard]] std::vector<DiffLine> closing_lines(const std::vector<DiffLine>& lines) const {
    std::vector<DiffLine> out;
    constexpr std::uint32_t kMostLooked = 60;
    BracketReader reader;
    std::uint32_t last = 0;
    // What the statement opens above the first line.
    const std::uint32_t first = lines.front().new_line;
    std::uint32_t start = first;
    for (const Step& step : actor_.steps.after) {
      if (is_simple_statement(*step.node) && step.first_line < first && step.last_line >= first)
        start = step.first_line;
    }
    for (; start < first; ++start) reader.read(source_.line(start));
    for (const DiffLine& line : lines) {
      if (line.kind == LineKind::removed) continue;
      if (trim(line.text) == "\u2026") {
        reader.reset();
        continue;
      }
      reader.read(line.text);
      last = line.new_line;
    }
    const std::uint32_t end = std::min(last + kMostLooked, actor_.change->after->last_line);
    for (std::uint32_t at = last + 1; reader.depth() > 0 && at <= end; ++at) {
      if (reader.read(source_.line(at)) > 0) continue;
      const std::string indent(std::min(indent_of(source_.line(at)), source_.line(at).size()), ' ');
      if (at > last + 1) out.push_back({LineKind::context, 0, at, true, indent + "    \u2026"});
      out.push_back({LineKind::context, 0, at, true, std::string(source_.line(at))});
      break;
    }
    return out;
  }

  [[nodiscard]] bool only_imports(const std::vector<DiffLine>& lines, const Excerpt& excerpt) const {
    const auto is_import = [](const Step& step) {
      return python::is<python::Import>(step.node) || python::is<python::ImportFrom>(step.node);
    };
    return excerpt.after_steps.size() + excerpt.before_steps.size() > 0 && !touches_header(lines) &&
           std::all_of(excerpt.after_steps.begin(), excerpt.after_steps.end(),
                       [&](std::size_t i) { return is_import(actor_.steps.after[i]); }) &&
           std::all_of(excerpt.before_steps.begin(), excerpt.before_steps.end(),
                       [&](std::size_t i) { return is_import(actor_.steps.before[i]); });
  }

  /// The signature, decorators: not a step, but shown.
  [[nodiscard]] bool touches_header(const std::vector<DiffLine>& lines) const {
    const auto body = body_of(actor_.change->after->node);
    if (body.empty() || !has_header()) return false;
    const std::uint32_t first = source_.line_of(body.front()->span.begin);
    return std::any_of(lines.begin(), lines.end(),
                       [&](const DiffLine& line) { return line.kind != LineKind::context && line.new_line < first; });
  }

  void collect_steps(const std::vector<DiffLine>& lines, Excerpt& excerpt) const {
    std::set<std::uint32_t> added;
    std::set<std::uint32_t> removed;
    for (const DiffLine& line : lines) {
      if (line.kind == LineKind::added) added.insert(line.new_line);
      if (line.kind == LineKind::removed) removed.insert(line.old_line);
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

  static bool is_simple_statement(const python::Node& node) {
    return python::is<python::Assign>(&node) || python::is<python::AugAssign>(&node) ||
           python::is<python::AnnAssign>(&node) || python::is<python::ExprStmt>(&node) ||
           python::is<python::Return>(&node);
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
    if (!excerpt.after_steps.empty()) {
      const Step& own = actor_.steps.after[excerpt.after_steps.front()];
      if (is_simple_statement(*own.node) && own.first_line < first_shown) headers.push_back(own.first_line);
    }
    add_headers_inside(first_shown, excerpt, headers);
    return headers;
  }

  /// Of a definition in the function, whose own steps are not known: its header, and those of its branches.
  void add_headers_inside(std::uint32_t first_shown, const Excerpt& excerpt,
                          std::vector<std::uint32_t>& headers) const {
    if (excerpt.after_steps.empty()) return;
    const python::Node* node = actor_.steps.after[excerpt.after_steps.front()].node;
    if (!python::is<python::FunctionDef>(node) && !python::is<python::ClassDef>(node)) return;
    const std::string_view line = source_.line(first_shown);
    const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    const std::uint32_t at = source_.line_start(first_shown) + static_cast<std::uint32_t>(indent);
    std::vector<const python::Node*> around = chain_to(*node, {at, at + 1});
    around.insert(around.begin(), node);
    for (const python::Node* one : around) {
      const auto* function = python::as<python::FunctionDef>(one);
      const auto* cls = python::as<python::ClassDef>(one);
      const bool opens = function != nullptr || cls != nullptr || python::is<python::If>(one) ||
                         python::is<python::For>(one) || python::is<python::While>(one) ||
                         python::is<python::With>(one);
      // Decorators stand above a header.
      const std::uint32_t header = source_.line_of(function != nullptr ? function->name.span.begin
                                                   : cls != nullptr    ? cls->name.span.begin
                                                                       : one->span.begin);
      // An argument says little without the call that it is given to.
      const bool is_cut = is_simple_statement(*one);
      if ((opens || is_cut) && header < first_shown && (headers.empty() || headers.back() < header))
        headers.push_back(header);
    }
  }

  /// Gives how many lines it added to those of the piece, or kept beyond `most` lest a cut stand behind the head of a
  /// block: they take no room from other pieces.
  std::size_t write(const Piece& piece, std::size_t most, Excerpt& excerpt) {
    std::vector<DiffLine> lines = piece.lines;
    // The header stands above on one line: how it ends says nothing more, unless it changes.
    const std::uint32_t header = has_header() ? source_.line_of(header_end() - 1) : 0;
    const bool cuts_header = std::none_of(lines.begin(), lines.end(), [&](const DiffLine& line) {
      return line.kind != LineKind::context && line.new_line <= header;
    });
    while (has_header() && cuts_header && lines.size() > 1 && lines.front().kind == LineKind::context &&
           lines.front().new_line <= header &&
           lines.front().new_line > source_.line_of(actor_.change->after->node->span.begin))
      lines.erase(lines.begin());
    const std::vector<DiffLine> closing = closing_lines(lines);
    CodeBlock& block = excerpt.code;
    block.language = "diff";
    block.path = actor_.change->after->path;
    const std::uint32_t first = lines.front().new_line;
    std::uint32_t last = lines.back().new_line;
    if (lines.back().kind == LineKind::removed && last > first) --last;
    if (piece.moved_from) block.caption = fmt::format("moved from line {} of the old version", *piece.moved_from + 1);
    block.first_line = first;
    block.last_line = std::max(first, std::min(last, actor_.change->after->last_line));
    std::vector<DifferenceLine> text = frame(first, excerpt);
    const std::size_t framed = text.size();
    if (framed + lines.size() > most && !names_) names_ = changed_names(inputs_);
    const auto [docstring_begin, docstring_end] = docstring_lines(actor_.change->after->node, source_);
    for (const DiffLine& line : lines) {
      DifferenceLine one;
      one.is_frame = line.kind == LineKind::context && kept_lines_.contains(line.new_line);
      const char sign = line.kind == LineKind::added ? '+' : line.kind == LineKind::removed ? '-' : ' ';
      one.text = fmt::format("{} {}", sign, line.text);
      if (line.kind != LineKind::removed) {
        const auto step = std::find_if(actor_.steps.after.begin(), actor_.steps.after.end(),
                                       [&](const Step& each) { return each.first_line == line.new_line; });
        one.starts_step = step != actor_.steps.after.end();
        if (one.starts_step) one.depth = step->depth;
        one.is_header = one.starts_step && step->kind != StepKind::kPlain;
        one.tells = one.starts_step && step->kind == StepKind::kPlain && step->status == StepStatus::kAdded && names_ &&
                    calls_one_of(*names_, source_.slice(step->span));
        one.is_docstring = line.new_line >= docstring_begin && line.new_line <= docstring_end;
      }
      text.push_back(std::move(one));
    }
    // A call stays with the branches that hold it.
    for (std::size_t i = text.size(); i-- > 0;) {
      if (!text[i].tells) continue;
      int depth = text[i].depth;
      for (std::size_t up = i; up-- > 0 && depth > 0;) {
        if (!text[up].is_header || text[up].depth >= depth) continue;
        depth = text[up].depth;
        text[up].tells = true;
      }
    }
    for (DifferenceLine& one : text) {
      while (!one.text.empty() && (one.text.back() == '\r' || one.text.back() == ' ')) one.text.pop_back();
      if (one.text.size() < 2) one.text.resize(2, ' ');
    }
    if (text.size() > most + 2 && framed > 3) {
      // What is around the change goes before the change itself does.
      const bool ends_in_gap = trim(text[framed - 1].text) == "\u2026";
      text.erase(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(framed) - 1);
      if (!ends_in_gap) text.insert(text.begin() + 1, {"      \u2026", true});
    }
    if (piece.moved_from && text.size() > most) {
      // What stands there now matters more than how it differs line by line.
      std::erase_if(text, [](const DifferenceLine& line) { return line.text.front() == '-'; });
      block.caption += "; removed lines left out";
    }
    mark_quoted(text, options_.quoted);
    block.lines = fit_difference(text, most, options_.keeps_wholes);
    const std::size_t cut = options_.keeps_wholes ? fit_difference(text, most, false).size() : block.lines.size();
    const std::size_t kept = block.lines.size() - std::min(cut, block.lines.size());
    const bool is_open = !closing.empty() && leaves_brackets_open(block.lines);
    if (is_open) {
      for (const DiffLine& line : closing) block.lines.push_back("  " + line.text);
      block.last_line = closing.back().new_line;
    }
    dedent(block.lines, 2);
    return kept + (is_open ? closing.size() : 0);
  }

  /// The definition, and the branches around the first shown line.
  [[nodiscard]] std::vector<DifferenceLine> frame(std::uint32_t first, const Excerpt& excerpt) const {
    std::vector<DifferenceLine> out;
    const std::uint32_t def_line = source_.line_of(actor_.change->after->node->span.begin);
    std::uint32_t previous = def_line;
    if (has_header() && def_line < first) {
      const std::size_t indent = indent_of(source_.line(def_line));
      // A header that is shown further down is not closed above.
      const bool goes_on = first <= source_.line_of(header_end() - 1);
      out.push_back(
          {"  " + (goes_on ? std::string(source_.line(def_line))
                           : std::string(indent == SIZE_MAX ? 0 : indent, ' ') +
                                 one_line(source_, {actor_.change->after->node->span.begin, header_end()}, 90)),
           true});
      if (const std::uint32_t end = source_.line_of(header_end() - 1); end < first) previous = end;
    }
    for (const std::uint32_t header : headers_above(first, excerpt)) {
      if (has_header() && header <= previous) continue;
      if (header > previous + 1 && (has_header() || !out.empty())) out.push_back({elision(header), true});
      out.push_back({"  " + std::string(source_.line(header)), true});
      previous = header;
    }
    if (has_header() && def_line < first && first > previous + 1) out.push_back({elision(first), true});
    return out;
  }

  [[nodiscard]] std::string elision(std::uint32_t next_line) const {
    while (next_line < actor_.change->after->last_line && trim(source_.line(next_line)).empty()) ++next_line;
    const std::size_t indent = indent_of(source_.line(next_line));
    return "  " + std::string(indent == SIZE_MAX ? 0 : indent, ' ') + "\u2026";
  }

  [[nodiscard]] bool has_header() const { return !python::is<python::Module>(actor_.change->after->node); }

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

  const DocumentInputs& inputs_;
  const Actor& actor_;
  const ExcerptOptions& options_;
  const FileSummary* file_;
  const SourceText& source_;
  std::vector<StandingLine> standing_;  ///< What stands beside new alternatives.
  std::set<std::uint32_t> kept_lines_;  ///< Those of them that are shown for that.
  std::optional<ChangedNames> names_;   ///< Once something must be cut.
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

/// The lines of a signature between its first and its last one; an empty range where they are few.
std::pair<std::uint32_t, std::uint32_t> inner_signature_lines(const python::Node* definition,
                                                              const SourceText& source) {
  constexpr std::uint32_t kFew = 3;
  const auto* def = python::as<python::FunctionDef>(definition);
  if (def == nullptr || def->body.empty() || def->parameters->all.empty()) return {1, 0};
  const std::uint32_t first = source.line_of(def->parameters->all.front()->span.begin);
  const std::uint32_t last = source.line_of(def->parameters->all.back()->span.end - 1);
  const bool stands_apart =
      first > source.line_of(def->span.begin) && last < source.line_of(def->body.front()->span.begin);
  return stands_apart && last - first >= kFew ? std::pair{first, last} : std::pair<std::uint32_t, std::uint32_t>{1, 0};
}

/// The lines of a new function, cut where they are too many: what says least goes first, as in a difference.
std::vector<std::string> fit_new_code(const std::vector<Step>& steps, const SourceText& source, std::uint32_t first,
                                      std::uint32_t last, const python::Node& definition, const ChangedNames& names,
                                      std::size_t most, bool keeps_beginnings, std::string_view quoted) {
  const auto docstring = docstring_lines(&definition, source);
  const auto [inner_first, inner_last] = inner_signature_lines(&definition, source);
  const python::Seq<python::Stmt> body = body_of(&definition);
  const std::uint32_t body_line = body.empty() ? first : source.line_of(body.front()->span.begin);
  std::vector<DifferenceLine> lines;
  const auto add_note = [&](std::uint32_t line, const std::string& note) {
    const std::size_t indent = indent_of(source.line(line));
    lines.push_back({fmt::format("+ {}# \u2026 ({})", std::string(indent == SIZE_MAX ? 0 : indent, ' '), note), true});
  };
  for (std::uint32_t at = first; at <= last; ++at) {
    if (at >= docstring.first && at <= docstring.second) {
      if (at == docstring.first) add_note(at, "docstring");
      continue;
    }
    if (at >= inner_first && at <= inner_last) {
      if (at == inner_first) add_note(at, count_of(inner_last - inner_first + 1, "more line"));
      continue;
    }
    DifferenceLine one{fmt::format("+ {}", source.line(at))};
    const auto step = std::find_if(steps.begin(), steps.end(), [&](const Step& each) { return each.first_line == at; });
    one.is_frame = at < body_line;
    one.starts_step = step != steps.end();
    if (one.starts_step) {
      one.depth = step->depth;
      one.is_header = step->kind != StepKind::kPlain;
      one.tells = !one.is_header && calls_one_of(names, source.slice(step->span));
    }
    while (one.text.size() > 2 && one.text.back() == ' ') one.text.pop_back();
    lines.push_back(std::move(one));
  }
  mark_quoted(lines, quoted);
  std::vector<std::string> out = fit_difference(lines, most, keeps_beginnings);
  for (std::string& line : out) {
    line.erase(0, 2);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (std::string_view(line).substr(begin).starts_with("\u2026")) line.insert(begin, "# ");
  }
  return out;
}

/// Whole functions: in one block where they fit, else cut at top-level steps into blocks of about 25 lines.
/// `names`: what the change brings and alters, of code that is new; null for code that goes.
std::vector<Excerpt> whole(const EntitySide& side, const std::vector<Step>& steps, const SourceText& source,
                           const ChangedNames* names, const ExcerptOptions& options) {
  const bool removed = names == nullptr;
  const auto docstring = docstring_lines(side.node, source);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cuts;
  std::uint32_t start = side.first_line;
  const std::uint32_t most = 26;
  // So short a function is shown whole: what is left out of it is what the reader looks for.
  constexpr std::size_t kShort = 30;
  const bool is_short = !removed && options.keeps_wholes &&
                        lines_between(source, side.first_line, side.last_line, docstring).size() <= kShort;
  // Of what goes the start and the end are shown: the end is what it was for.
  if (!removed && !is_short && side.last_line - side.first_line > options.most_lines) {
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
    const std::size_t most_lines = is_short ? kShort : std::min<std::size_t>(34, options.most_lines);
    // What goes in is told above: where not all lines fit, those of the body say more.
    const auto [inner_first, inner_last] = inner_signature_lines(side.node, source);
    const bool is_cut = !fits_whole(excerpt.code.lines, most_lines);
    if (is_cut && inner_first <= inner_last && first <= inner_first && inner_last <= last)
      fold_lines(excerpt.code.lines, inner_first - first, inner_last - inner_first + 1);
    shorten_comments(excerpt.code.lines, options.quoted);
    if (is_cut && !removed && !fits_whole(excerpt.code.lines, most_lines)) {
      excerpt.code.lines = fit_new_code(steps, source, first, last, *side.node, *names, most_lines,
                                        options.keeps_wholes, options.quoted);
    } else {
      excerpt.code.lines = without_repetition(std::move(excerpt.code.lines), most_lines, "# \u2026");
    }
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

/// Whether a function came out of another one, or of its class, or into one: all of it is indented otherwise.
static bool is_at_another_depth(const change::EntityChange& entity) {
  const auto depth = [](const change::EntitySide& side) {
    return std::count(side.qualified_name.begin(), side.qualified_name.end(), '.');
  };
  return entity.before && entity.after && entity.before->path == entity.after->path &&
         depth(*entity.before) != depth(*entity.after);
}

std::vector<Excerpt> excerpts_of(const DocumentInputs& inputs, const Actor& actor, const ExcerptOptions& options) {
  if (!actor.is_function()) return {};
  const auto& entity = *actor.change;
  if (actor.is_removed()) {
    if (actor.steps.before_source == nullptr) return {};
    ExcerptOptions shorter = options;
    shorter.most_lines = std::min<std::size_t>(options.most_lines, 16);
    shorter.most_blocks = 1;
    auto out = whole(*entity.before, actor.steps.before, *actor.steps.before_source, nullptr, shorter);
    for (Excerpt& excerpt : out) {
      excerpt.code.lines = without_repetition(std::move(excerpt.code.lines), 16, "# \u2026");
      excerpt.code.caption = "removed; lines of the old version";
    }
    return out;
  }
  if (actor.steps.after_source == nullptr) return {};
  // Lines of another file are no lines of this one: what came from there is shown as it is now. So is what stands at
  // another depth, of which no line is as it was.
  if (actor.is_added() || entity.moved || is_at_another_depth(entity)) {
    const ChangedNames names = changed_names(inputs);
    return whole(*entity.after, actor.steps.after, *actor.steps.after_source, &names, options);
  }
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
      const auto* inner = python::as<python::ClassDef>(statement);
      const auto& decorators = function != nullptr ? function->decorators : inner->decorators;
      if (!decorators.empty()) line = source.line_of(decorators.front()->span.begin);
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
