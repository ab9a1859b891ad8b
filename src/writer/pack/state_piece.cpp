#include "writer/pack/state_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include "base/strings.h"
#include "report/source/code.h"

namespace lockstep::writer {

namespace {

using Kind = StateSite::Kind;
using report::code;

constexpr std::size_t kMostNames = 8;
constexpr std::size_t kFrequent = 20, kMostOfFrequent = 4, kMostOfRare = 7;  // places of one name
constexpr std::size_t kMostLineBytes = 110;
struct Shown {
  Kind kind;
  std::string_view word;
  std::size_t most;
};
constexpr std::array<Shown, 4> kShown = {
    {{Kind::kSets, "set", 3}, {Kind::kReads, "read", 4}, {Kind::kDeclares, "declared", 1}, {Kind::kComment, "", 1}}};

std::string site_text(const program::Program& program, const StateSite& site, std::string_view word) {
  const program::Module& module = program.module_of(site.function);
  const program::Function& function = program.functions()[site.function];
  std::string line(trim(module.facts->source().line(site.line)));
  if (line.size() > kMostLineBytes) line = std::string(cut_at_character(line, kMostLineBytes)) + "\u2026";
  const std::string where = report::place(module.path, site.line);
  const bool is_body = function.kind == program::FunctionKind::kModuleBody;
  const std::string in = is_body ? "" : fmt::format(" in {}", code(report::short_name(program, site.function)));
  if (site.kind == Kind::kComment) return fmt::format("a comment at {}{}: {}", where, in, code(line));
  return fmt::format("{} at {}{}: {}", word, where, in, code(line));
}

/// What can be said where no site of a kind is known; what other classes do with attributes of the same name is none.
std::string nothing_else(const program::Program& program, const StateName& state, Kind kind, std::string_view verb) {
  constexpr std::size_t kMostNamed = 2;
  std::vector<std::string> others;
  std::size_t more = 0;
  for (const StateSite& site : state.namesakes) {
    if (site.kind != kind) continue;
    std::string name = code(report::short_name(program, site.function));
    if (std::find(others.begin(), others.end(), name) != others.end()) continue;
    if (others.size() < kMostNamed) {
      others.push_back(std::move(name));
    } else {
      ++more;
    }
  }
  if (others.empty()) return fmt::format("nothing else outside tests {} it by name", verb);
  if (more > 0) others.push_back(count_of(more, "other function"));
  const bool are_many = others.size() > 1;
  return fmt::format(
      "nothing else outside tests {} it of these objects; {} {} another {}, of classes that share no object with these",
      verb, report::join_words(others), are_many ? verb.substr(0, verb.size() - 1) : verb, code("self." + state.name));
}

using Places = std::set<std::pair<program::FunctionId, std::uint32_t>>;

/// `told` are the lines of the names before; a line that two names share is shown once.
report::ListItem item_of(const program::Program& program, const StateName& state, Places& told) {
  report::ListItem item;
  std::string text = fmt::format("{}, {} here ({})", code(state.name), state.is_set ? "set" : "read",
                                 report::place(state.path, state.line));
  std::vector<std::string> lines;
  std::vector<std::string> above;  // On lines that are told already.
  std::size_t shown = 0;
  // Of a name that stands everywhere, more places say no more.
  const std::size_t most_of_all = state.sites.size() > kFrequent ? kMostOfFrequent : kMostOfRare;
  for (const auto& [kind, word, most] : kShown) {
    std::size_t count = 0;
    for (const StateSite& site : state.sites) {
      if (site.kind != kind || count == most || lines.size() + above.size() == most_of_all) continue;
      ++count;
      std::vector<std::string>& to = told.insert({site.function, site.line}).second ? lines : above;
      to.push_back(site_text(program, site, word));
    }
    shown += count;
  }
  // To say that one line stands above is as long as the line.
  if (above.size() > 1)
    lines.push_back(fmt::format("on {} lines above", above.size()));
  else
    lines.insert(lines.begin(), above.begin(), above.end());
  const auto has = [&](Kind kind) {
    return std::any_of(state.sites.begin(), state.sites.end(),
                       [&](const StateSite& site) { return site.kind == kind; });
  };
  if (state.is_set && !has(Kind::kReads)) text += ": " + nothing_else(program, state, Kind::kReads, "reads");
  if (!state.is_set && !has(Kind::kSets) && !has(Kind::kDeclares))
    text += ": " + nothing_else(program, state, Kind::kSets, "sets");
  if (state.in_tests > 0) text += fmt::format("; named on {} of tests", count_of(state.in_tests, "line"));
  if (state.sites.size() > shown)
    lines.push_back(fmt::format("and {}", count_of(state.sites.size() - shown, "more place")));
  item.text = report::prose(text + (lines.empty() ? "." : ":"));
  if (!lines.empty()) {
    report::Document inner;
    inner.bullets(lines);
    item.children = std::move(inner.blocks);
  }
  return item;
}

}  // namespace

Piece state_piece(const report::DocumentInputs& inputs, const std::vector<StateName>& state) {
  Piece piece;
  piece.kind = PieceKind::kState;
  piece.name = "the state it works on";
  piece.content.heading(3, "The state it works on: where else the same names are set and read");
  if (state.empty()) {
    piece.content.paragraph("The changed functions set and read no attribute, item or option that other code names.");
    return piece;
  }
  report::List list;
  Places told;
  std::vector<std::string> own, from_outside;  // What only the change names.
  for (const StateName& one : state) {
    if (one.is_from_outside) {
      from_outside.push_back(fmt::format("{} ({})", code(one.name), report::place(one.path, one.line)));
    } else if (one.sites.empty() && one.namesakes.empty()) {
      own.push_back(fmt::format("{} ({})", code(one.name), report::place(one.path, one.line)));
    } else if (list.items.size() < kMostNames) {
      list.items.push_back(item_of(*inputs.after, one, told));
    }
  }
  if (!own.empty()) {
    report::ListItem item;
    item.text =
        report::prose(fmt::format("set here, and named nowhere else outside tests: {}.", report::join_words(own)));
    list.items.push_back(std::move(item));
  }
  if (!from_outside.empty()) {
    report::ListItem item;
    item.text =
        report::prose(fmt::format("asked for by name here, and set or defined by no code of this repository: {}. "
                                  "A library brings it, some version of it perhaps, or nothing does.",
                                  report::join_words(from_outside)));
    list.items.push_back(std::move(item));
  }
  piece.content.blocks.push_back({std::move(list)});
  return piece;
}

}  // namespace lockstep::writer
