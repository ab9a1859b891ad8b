// context_pack: the code that matters for a task, within a token budget.
//
// Functions are ranked by the words they share with the task (word_index.h), by the symbols that the task names, and
// by what a change touches; a share of their rank goes to what calls them and what they call. Then the budget is filled
// from the top: what the task names first and in full, then each in full while it takes no more than kLargestShare of
// what is left; else what is named or touched in part (its head, the touched lines, its calls, its end), the rest as
// one line.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "mcp/entity.h"
#include "mcp/tools.h"
#include "program/queries.h"
#include "render/graph_text.h"
#include "report/graph/graph_facts.h"
#include "report/graph/trace.h"
#include "report/source/code.h"
#include "writer/pack/elide.h"

namespace lockstep::mcp {

namespace {

using program::FunctionId;
using program::Program;

constexpr std::size_t kMostMatches = 60;
constexpr std::size_t kMostPieces = 80;
constexpr double kNamedScore = 100, kChangedScore = 60, kNeighbourShare = 0.35;
constexpr double kLargestShare = 0.6;
constexpr std::size_t kMostNeighbours = 12;
constexpr std::size_t kShortestPlainName = 5;  // of a function that a task may name by a plain word
constexpr std::size_t kMostOfOneName = 4;
constexpr std::size_t kFewestShortened = 60;
constexpr std::size_t kSpareTokens = 60;  // for the head and the last line

struct Piece {
  double score = 0;
  std::string why;
  bool is_named = false;               // by the task: first, and in full
  std::vector<std::uint32_t> touched;  // lines, from 0, that the change writes
};
using Pieces = std::map<FunctionId, Piece>;

void raise(Pieces& pieces, FunctionId function, double score, const std::string& why) {
  Piece& piece = pieces[function];
  if (piece.why.empty() || score > piece.score) piece.why = why;
  piece.score += score;
}

// Words of a task that are names: what it puts into back-quotes, and words with a dot, an underscore, a digit, a
// capital inside or "()" behind. Others may be: `certain` is false of them.
struct NameInTask {
  std::string name;
  bool certain = false;
  friend bool operator<(const NameInTask& a, const NameInTask& b) {
    return std::tie(b.certain, a.name) < std::tie(a.certain, b.name);  // certain ones first
  }
};

std::vector<NameInTask> names_in(std::string_view task) {
  std::set<NameInTask> names;
  bool is_quoted = false;
  for (std::size_t at = 0; at < task.size();) {
    const auto is_part = [&](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '/' ||
             c == '.';
    };
    if (!is_part(task[at])) {
      if (task[at] == '`') is_quoted = !is_quoted;
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < task.size() && is_part(task[at])) ++at;
    std::string_view word = task.substr(start, at - start);
    while (word.ends_with('.')) word.remove_suffix(1);
    while (word.starts_with('.')) word.remove_prefix(1);
    if (word.size() < 3) continue;
    const bool is_name = word.find_first_of("._0123456789") != std::string_view::npos ||
                         std::any_of(word.begin() + 1, word.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) ||
                         task.substr(at).starts_with("()") || is_quoted;
    if (is_name || word.size() >= kShortestPlainName) names.insert({std::string(word), is_name});
  }
  return {names.begin(), names.end()};
}

void add_neighbours(const Program& program, Pieces& pieces) {
  std::vector<std::pair<FunctionId, double>> seeds;
  for (const auto& [function, piece] : pieces) seeds.emplace_back(function, piece.score);
  for (const auto& [function, score] : seeds) {
    std::set<FunctionId> callees, callers;
    for (const program::CallId call : program.functions()[function].calls) {
      for (const program::CallTarget& target : program.calls()[call].targets) {
        if (target.function.valid() && target.certainty == program::Certainty::kExact) callees.insert(target.function);
      }
    }
    for (const program::CallId call : program.callers_of(function)) {
      const FunctionId caller = program.calls()[call].caller;
      if (!program::is_test_path(program.module_of(caller).path)) callers.insert(caller);
    }
    const std::string name = report::short_name(program, function);
    const auto share = [&](const std::set<FunctionId>& near, std::string_view verb) {
      if (near.empty() || near.size() > kMostNeighbours) return;
      const double part = score * kNeighbourShare / static_cast<double>(near.size());
      for (const FunctionId each : near) raise(pieces, each, part, fmt::format("{} {}", verb, name));
    };
    share(callees, "called by");
    share(callers, "calls");
  }
}

std::string head_line(const Program& program, FunctionId id, const Piece& piece) {
  return fmt::format("## {}  {}  ({})", program.functions()[id].qualified_name, place_text(program, id), piece.why);
}

std::string brief_text(const Program& program, FunctionId id, const Piece& piece) {
  const program::Function& function = program.functions()[id];
  std::string text =
      fmt::format("- {}({})  {}  ({})", function.qualified_name,
                  render::safe_line(report::parameters_of(program, function), 120), place_text(program, id), piece.why);
  const std::string doc = render::safe_line(report::docstring_sentence(function.node, 120));
  if (!doc.empty()) text += fmt::format(": \"{}\"", doc);
  return text;
}

std::string full_text(const Program& program, FunctionId id, const Piece& piece) {
  const Entity entity = entity_of(program, id);
  const Lines lines = lines_of(program, entity);
  std::string text = head_line(program, id, piece);
  for (const std::string& line : numbered_lines(program.module_of(id).facts->source(), lines.first, lines.last))
    text += "\n" + line;
  return text;
}

// So much of a function as fits: its head, the lines that the change touches, its calls, its end (writer/pack/elide.h).
// Empty where that would say no more than one line does.
std::string shortened_text(const Program& program, FunctionId id, const Piece& piece, std::size_t tokens) {
  const std::string head = head_line(program, id, piece) + ", in part";
  const std::size_t head_tokens = render::estimate_tokens(head) + 1;
  if (tokens < head_tokens + kFewestShortened) return {};
  const Lines lines = lines_of(program, entity_of(program, id));
  const std::vector<std::string> all = numbered_lines(program.module_of(id).facts->source(), lines.first, lines.last);
  std::vector<std::size_t> needed;
  for (const std::uint32_t line : piece.touched) {
    if (line >= lines.first && line <= lines.last) needed.push_back(line - lines.first);
  }
  const std::vector<std::string> some = writer::elided(all, needed, tokens - head_tokens);
  return some.empty() ? std::string() : head + "\n" + join(some, "\n");
}

// Bodies of modules are whole files: they are told by one line.
bool may_be_full(const Program& program, FunctionId id) {
  return program.functions()[id].kind == program::FunctionKind::kFunction;
}

Result<void> add_change(const ToolContext& context, const Program& program, Pieces& pieces) {
  if (!context.arguments.has("change")) return {};
  const Result<LiveChange*> change = context.workspace.change(context.arguments.text("change"), context.progress);
  if (!change) return tl::unexpected<Error>(change.error());
  const driver::AnalysedChange& analysed = *(*change)->analysed;
  for (const FunctionId function : driver::functions_touched(analysed)) {
    const FunctionId here = program.find_function(analysed.after.functions()[function].qualified_name);
    if (!here.valid()) continue;
    raise(pieces, here, kChangedScore, "touched by the change");
    // The tree at hand may have moved on: then these are other lines, and only a hint.
    const repo::FileChange* file = analysed.diff.find_after(analysed.after.module_of(function).path);
    if (file != nullptr) pieces[here].touched = file->lines.added_lines();
  }
  return {};
}

// The functions outside of the tests that are called so, where they are few: which of them is meant is not known.
std::vector<FunctionId> functions_called(const Program& program, std::string_view name) {
  std::vector<FunctionId> found;
  if (name.find_first_of("./") != std::string_view::npos) return found;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    if (program.functions()[id].name != name || program::is_test_path(program.module_of(id).path)) continue;
    if (found.size() == kMostOfOneName) return {};
    found.push_back(id);
  }
  return found;
}

void add_named(const Program& program, std::string_view task, Pieces& pieces) {
  const auto name_function = [&](FunctionId function, double score) {
    raise(pieces, function, score, "named in the task");
    pieces[function].why = "named in the task";
    pieces[function].is_named = true;
  };
  for (const auto& [name, certain] : names_in(task)) {
    const Result<Entity> entity = find_entity(program, name);
    if (!entity) {
      if (!certain) continue;
      for (const FunctionId function : functions_called(program, name)) name_function(function, kNamedScore);
    } else if (entity->kind == EntityKind::kFunction) {
      // A word of the language that happens to be a function's name ranks behind those that must be names.
      name_function(entity->function, certain ? kNamedScore : kNamedScore / 2);
    } else if (entity->kind == EntityKind::kClass && certain) {
      const auto& methods = program.classes()[entity->cls].methods;
      for (const FunctionId method : methods)
        raise(pieces, method, kNamedScore / static_cast<double>(methods.size() + 1), "of a class named in the task");
    }
  }
}

void add_matches(const Program& program, const WordIndex& words, std::string_view task, Pieces& pieces) {
  for (const WordIndex::Match& match : words.find(task, kMostMatches)) {
    if (program.functions()[match.function].kind == program::FunctionKind::kLambda) continue;
    std::vector<std::string> shown = match.words;
    if (shown.size() > 4) shown.resize(4);
    raise(pieces, match.function, match.score, fmt::format("matches {}", fmt::join(shown, ", ")));
  }
}

}  // namespace

Result<Answer> context_pack(const ToolContext& context) {
  const std::string task = context.arguments.text("task");
  const auto budget = static_cast<std::size_t>(context.arguments.number("tokens", 6000));
  const Result<const WordIndex*> words = context.workspace.words(context.progress);
  if (!words) return tl::unexpected<Error>(words.error());
  const Result<const driver::Tree*> tree = context.workspace.linked(context.progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const Program& program = (*tree)->program;
  Pieces pieces;
  add_matches(program, **words, task, pieces);
  add_named(program, task, pieces);
  if (const Result<void> added = add_change(context, program, pieces); !added)
    return tl::unexpected<Error>(added.error());
  add_neighbours(program, pieces);

  std::vector<std::pair<FunctionId, Piece>> ranked(pieces.begin(), pieces.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    if (a.second.is_named != b.second.is_named) return a.second.is_named;
    return a.second.score > b.second.score;
  });
  if (ranked.size() > kMostPieces) ranked.resize(kMostPieces);
  Answer answer;
  answer.version = context.workspace.version();
  std::size_t left = budget > kSpareTokens ? budget - kSpareTokens : 0;
  std::size_t full = 0, in_part = 0, brief = 0;
  for (const auto& [function, piece] : ranked) {
    const auto add = [&](std::string text, double share) {
      const std::size_t cost = render::estimate_tokens(text) + 1;
      if (text.empty() || static_cast<double>(cost) > share * static_cast<double>(left)) return false;
      left -= cost;
      answer.items.push_back(std::move(text));
      return true;
    };
    const double share = piece.is_named ? 1 : kLargestShare;
    const bool matters = piece.is_named || !piece.touched.empty() || answer.items.empty();
    if (may_be_full(program, function) && add(full_text(program, function, piece), share)) {
      ++full;
    } else if (matters && may_be_full(program, function) &&
               add(shortened_text(program, function, piece,
                                  static_cast<std::size_t>(kLargestShare * static_cast<double>(left))),
                   1)) {
      ++in_part;
    } else if (add(brief_text(program, function, piece), 1)) {
      ++brief;
    }
  }
  answer.head = ranked.empty() ? "No function shares a word with the task: name symbols, or use `find_symbol`"
                               : fmt::format("{} in full, {} in part and {} as one line, for about {} tokens", full,
                                             in_part, brief, budget);
  return answer;
}

}  // namespace lockstep::mcp
