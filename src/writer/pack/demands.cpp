#include "writer/pack/demands.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/paths.h"
#include "base/strings.h"
#include "report/source/code.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostDemands = 10;
constexpr std::size_t kMostTextBytes = 420;
constexpr std::size_t kShortestName = 6;

struct Demand {
  int score = 0;
  std::string path;
  std::uint32_t line = 0;
  std::string text;
  std::string named;  // what of the change it names; empty: it holds for every change
};

/// What a playbook may name of a change: paths, folders two levels deep and more, definitions.
std::set<std::string> names_of(const PackInputs& inputs, const report::Story& story) {
  std::set<std::string> names;
  for (const change::FileSummary& file : inputs.document.change->files) {
    const std::string& path = file.file->path();
    names.insert(path);
    names.insert(std::string(name_of(path)));
    for (std::string_view folder = folder_of(path); folder.find('/') != std::string_view::npos;
         folder = folder_of(folder))
      names.insert(std::string(folder));
  }
  for (const report::Actor& actor : story.actors) {
    const std::string& qualified = actor.change->latest().qualified_name;
    const std::string name = qualified.substr(qualified.rfind('.') + 1);
    // "forward" and "update" are words, too.
    const bool is_name =
        contains(name, "_") || std::any_of(name.begin() + 1, name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (is_name) names.insert(name);
  }
  names.erase("__init__.py");
  std::erase_if(names, [](const std::string& name) { return name.size() < kShortestName || name.starts_with("__"); });
  return names;
}

bool is_part_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool has_whole(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const bool starts = at == 0 || !is_part_of_word(line[at - 1]);
    const std::size_t end = at + name.size();
    if (starts && (end == line.size() || !is_part_of_word(line[end]))) return true;
  }
  return false;
}

/// The longest of `names` that stands in the text as a word, a dotted name or a path: it says the most.
std::string longest_named(std::string_view text, const std::set<std::string>& names) {
  std::string longest;
  const auto consider = [&](std::string_view run) {
    if (run.size() > longest.size() && names.contains(std::string(run))) longest = run;
  };
  const auto is_part = [](char c) { return is_part_of_word(c) || c == '/' || c == '.' || c == '-'; };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_part(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    std::string_view run = text.substr(at, end - at);
    at = end;
    while (!run.empty() && !is_part_of_word(run.back())) run.remove_suffix(1);
    while (run.starts_with("./")) run.remove_prefix(2);
    consider(run);
    for (std::size_t from = 0; from < run.size();) {
      std::size_t to = from;
      while (to < run.size() && is_part_of_word(run[to])) ++to;
      consider(run.substr(from, to - from));
      from = to + 1;
    }
  }
  return longest;
}

bool is_imperative(std::string_view lower) {
  static constexpr std::string_view kWords[] = {"must", "never", "always", "do not", "don't", "required", "require"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return has_whole(lower, word); });
}

/// A guide speaks of the files below its own folder.
bool applies(const playbook::Playbook& book, const change::Change& change) {
  const std::string_view folder = folder_of(book.page.path);
  if (folder.empty() || folder.starts_with('.')) return true;
  return std::any_of(change.files.begin(), change.files.end(), [&](const change::FileSummary& file) {
    return std::string_view(file.file->path()).starts_with(fmt::format("{}/", folder));
  });
}

bool starts_item(std::string_view line) {
  const std::string_view shown = trim(line);
  if (shown.starts_with("- ") || shown.starts_with("* ") || shown.starts_with("+ ") || shown.starts_with('|'))
    return true;
  const std::size_t digits = shown.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && shown.substr(digits).starts_with(". ");
}

/// A paragraph or list item that starts at `line`, on one line; `line` moves behind it.
std::string paragraph_at(const playbook::Page& page, std::uint32_t& line) {
  std::string text;
  do {
    const std::string_view shown = trim(page.source.line(line));
    text += (text.empty() ? "" : " ");
    text += shown;
    ++line;
  } while (line < page.is_prose.size() && page.is_prose[line] && !trim(page.source.line(line)).empty() &&
           !starts_item(page.source.line(line)) && !trim(page.source.line(line)).starts_with('#'));
  if (text.size() <= kMostTextBytes) return text;
  std::size_t cut = text.rfind(' ', kMostTextBytes);
  if (cut == std::string::npos) cut = kMostTextBytes;
  text.resize(cut);
  return text + " \u2026";
}

void add_demands(const playbook::Playbook& book, const std::set<std::string>& names, std::vector<Demand>& demands) {
  const playbook::Page& page = book.page;
  for (std::uint32_t line = page.first_line; line < page.is_prose.size();) {
    const std::string_view shown = trim(page.source.line(line));
    if (!page.is_prose[line] || shown.empty() || shown.starts_with('#')) {
      ++line;
      continue;
    }
    const std::uint32_t first = line;
    Demand demand{0, page.path, first, paragraph_at(page, line), {}};
    demand.named = longest_named(demand.text, names);
    const bool is_rule = is_imperative(to_lower(demand.text));
    if (demand.named.empty() && !(is_rule && book.kind == playbook::PlaybookKind::kGuide)) continue;
    demand.score = (demand.named.empty() ? 0 : 4) + (is_rule ? 2 : 0) + (contains(demand.named, "/") ? 1 : 0) +
                   (book.kind == playbook::PlaybookKind::kGuide ? 1 : 0);
    demands.push_back(std::move(demand));
  }
}

}  // namespace

Piece demands_piece(const PackInputs& inputs, const report::Story& story) {
  Piece piece;
  piece.kind = PieceKind::kDemands;
  piece.name = "what playbooks demand";
  piece.content.heading(3, "What the repository's playbooks demand (quoted)");
  std::vector<Demand> demands;
  const std::set<std::string> names = names_of(inputs, story);
  if (inputs.playbooks != nullptr) {
    for (const playbook::Playbook& book : inputs.playbooks->read) {
      if (applies(book, *inputs.document.change)) add_demands(book, names, demands);
    }
  }
  std::stable_sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) { return a.score > b.score; });
  const std::size_t all = demands.size();
  if (demands.size() > kMostDemands) demands.resize(kMostDemands);
  std::vector<std::string> items;
  for (const Demand& demand : demands) {
    items.push_back(fmt::format("{}: \u201c{}\u201d", report::place(demand.path, demand.line),
                                report::from_backquotes(demand.text)));
  }
  if (all > demands.size()) items.push_back(fmt::format("and {}.", count_of(all - demands.size(), "more paragraph")));
  if (items.empty()) {
    piece.content.paragraph("No playbook (AGENTS.md, CLAUDE.md, skills, rules) says anything of what it touches.");
  } else {
    piece.content.bullets(items);
  }
  return piece;
}

}  // namespace lockstep::writer
