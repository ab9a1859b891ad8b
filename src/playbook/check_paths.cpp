// Paths, globs, links, anchors and drawn trees.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "playbook/check_parts.h"
#include "repo/diff.h"

namespace lockstep::playbook {

namespace {

using rules::Severity;

constexpr std::string_view kWhy = "An agent that follows this line looks for a file that is not there, or makes one up";

/// Extensions of files that repositories keep, not of what programs put out.
bool is_source_extension(std::string_view extension) {
  static constexpr std::array<std::string_view, 22> kKnown = {"py",    "sh",  "toml", "cfg", "ini", "yaml", "yml", "md",
                                                              "rst",   "cpp", "cc",   "cu",  "h",   "cuh",  "hpp", "c",
                                                              "ipynb", "mdc", "js",   "ts",  "rs",  "slurm"};
  return std::find(kKnown.begin(), kKnown.end(), extension) != kKnown.end();
}

std::string_view extension_of(std::string_view path) {
  const std::string_view name = name_of(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view{} : name.substr(dot + 1);
}

// "router.py:120", "test_a.py::TestA::test_b", "file.md#part" → the file.
std::string_view without_place(std::string_view text) {
  if (const std::size_t node = text.find("::"); node != std::string_view::npos) text = text.substr(0, node);
  text = text.substr(0, text.find('#'));
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && colon + 1 < text.size() &&
      text.find_first_not_of("0123456789-,", colon + 1) == std::string_view::npos)
    text = text.substr(0, colon);
  return text;
}

bool is_ignored(const Facts& facts, std::string_view path) {
  const Result<std::string> text = facts.snapshot.read(".gitignore");
  if (!text) return false;
  for (const std::string_view raw : split_lines(*text)) {
    std::string_view pattern = trim(raw);
    if (pattern.empty() || pattern.front() == '#' || pattern.front() == '!') continue;
    if (pattern.ends_with('/')) pattern.remove_suffix(1);
    if (pattern.starts_with('/')) pattern.remove_prefix(1);
    // A pattern without a folder means any component.
    for (std::string_view part = path; !part.empty(); part = folder_of(part)) {
      if (glob_match(pattern, part) || (!contains(pattern, "/") && glob_match(pattern, name_of(part)))) return true;
    }
  }
  return false;
}

bool exists_somewhere(const Facts& facts, const std::string& path, std::string_view folder, const Page& page) {
  // From the root, from the folder at hand, from the page and each folder above it.
  if (facts.paths.has(path)) return true;
  if (const auto here = join_path(folder, path); here && facts.paths.has(*here)) return true;
  for (std::string_view above = folder_of(page.path);; above = folder_of(above)) {
    if (const auto joined = join_path(above, path); joined && facts.paths.has(*joined)) return true;
    if (above.empty()) break;
  }
  return !facts.paths.ending_in(path).empty();
}

/// How sure it is that a missing path means one of this repository.
enum class Belonging : std::uint8_t { kOurs, kHistoryDecides, kNotOurs };

Belonging belonging_of(const Facts& facts, const PathText& text, PathUse use, const Page& page) {
  const std::string_view path = text.path;
  const std::string_view first = path.substr(0, path.find('/'));
  if (!text.has_folder) {
    if (!is_source_extension(extension_of(path)) || takes_from_a_branch(page)) return Belonging::kHistoryDecides;
    return Belonging::kOurs;
  }
  const bool known_top = facts.paths.has_folder(first) || facts.paths.links().contains(first);
  const bool known_here = [&] {
    const auto here = join_path(folder_of(page.path), first);
    return here && !here->empty() && facts.paths.has_folder(*here);
  }();
  if (!known_top && !known_here) return Belonging::kHistoryDecides;
  if (use == PathUse::kCommand || is_source_extension(extension_of(path))) return Belonging::kOurs;
  // "docs/foo/" and "pkg/a/b" look like folders of ours; "tools/call" may be anything.
  const auto slashes = std::count(path.begin(), path.end(), '/');
  if (path.ends_with('/') || (slashes >= 2 && extension_of(path).empty())) return Belonging::kOurs;
  return Belonging::kHistoryDecides;
}

void hold_glob(const Facts& facts, const Page& page, std::uint32_t line, const PathText& text, Ledger& ledger) {
  const std::string anywhere = fmt::format("**/{}", text.path);
  if (facts.paths.matches(text.path) || facts.paths.matches(anywhere)) return ledger.hold();
  const std::string_view first = std::string_view(text.path).substr(0, text.path.find('/'));
  if (first.find_first_of("*?{[") != std::string_view::npos || !facts.paths.has_folder(first)) return;
  const std::string sentence = sentence_at(page, line, text.path);
  if (speaks_of_absence(sentence) || speaks_of_making(sentence) || is_ignored(facts, text.path)) return;
  // Where the fixed part does not exist the name is what is wrong; a glob that selects outputs is left alone.
  const std::string fixed = text.path.substr(0, text.path.find_first_of("*?{["));
  const std::string_view folder = folder_of(fixed);
  const bool selects_sources = is_source_extension(extension_of(text.path)) || !facts.paths.has(folder);
  if (!selects_sources) return;
  ledger.accuse(finding_at(page, line, "playbook-path", Severity::kP2, fmt::format("no file matches `{}`", text.path),
                           std::string(kWhy), "correct the pattern, or drop the line"));
}

}  // namespace

std::optional<PathText> as_path(std::string_view raw) {
  std::string_view text = trim(raw);
  while (!text.empty() && (text.back() == ',' || text.back() == ';' || text.back() == ':')) text.remove_suffix(1);
  if (text.starts_with('@')) text.remove_prefix(1);
  if (text.starts_with("./")) text.remove_prefix(2);
  text = without_place(text);
  if (text.size() < 3 || text.size() > 300 || text.front() == '-' || text.front() == '~' || text.front() == '/' ||
      text.starts_with(".."))
    return std::nullopt;
  if (text.find_first_of(" \t<>$=\"'()|;!&\\`%@:#") != std::string_view::npos) return std::nullopt;
  if (text.find_first_of(",+^") != std::string_view::npos && !contains(text, "{")) return std::nullopt;
  if (contains(text, "...") || contains(text, "\u2026") || contains(text, "//")) return std::nullopt;
  PathText result{std::string(text), text.find_first_of("*?{[") != std::string_view::npos, contains(text, "/"), false};
  // "{model}/x" is for the reader to fill in; "{a,b}" is a choice.
  if (contains(text, "{") && !contains(text.substr(text.find('{')), ",")) return std::nullopt;
  const std::string_view extension = extension_of(text);
  result.has_extension = !extension.empty() && extension.size() <= 6 &&
                         std::all_of(extension.begin(), extension.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  const bool bare_file =
      !result.has_folder && result.has_extension &&
      (is_source_extension(extension) || extension == "txt" || extension == "json" || extension == "lock");
  if (!result.has_folder && !bare_file) return std::nullopt;
  if (result.glob && !result.has_folder) return std::nullopt;
  // "E203/E501", "True/False", "1/2": a path has a lower-case letter in each part.
  if (result.has_folder && !result.has_extension && !text.ends_with('/')) {
    for (const std::string_view part : split(text, '/')) {
      if (std::none_of(part.begin(), part.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '*'; }))
        return std::nullopt;
    }
  }
  return result;
}

void hold_path(const Facts& facts, const Page& page, std::uint32_t line, std::string_view text, PathUse use,
               std::string_view folder, Ledger& ledger) {
  const std::optional<PathText> path = as_path(text);
  if (!path || is_placeholder(path->path)) return;
  if (path->glob) return hold_glob(facts, page, line, *path, ledger);
  if (exists_somewhere(facts, path->path, folder, page)) return ledger.hold();
  PathText whole = *path;
  if (!folder.empty()) whole.path = join_path(folder, path->path).value_or(path->path);
  whole.has_folder |= !folder.empty();
  const Belonging belonging = belonging_of(facts, whole, use, page);
  if (belonging == Belonging::kNotOurs || is_ignored(facts, path->path)) return;
  const std::string sentence = sentence_at(page, line, path->path);
  if (speaks_of_absence(sentence) || speaks_of_making(sentence) || speaks_of_elsewhere(sentence)) return;
  if (facts.introduced.contains(path->path) || facts.introduced.contains(name_of(path->path))) return;
  const Severity severity = use == PathUse::kCommand ? Severity::kP1 : Severity::kP2;
  MissingPath missing;
  missing.finding = finding_at(page, line, "playbook-path", severity, fmt::format("there is no `{}`", path->path),
                               std::string(kWhy), "");
  missing.page = &page;
  missing.path = whole.path.ends_with('/') ? whole.path.substr(0, whole.path.size() - 1) : whole.path;
  missing.written = path->path;
  missing.only_if_known = belonging == Belonging::kHistoryDecides;
  ledger.accuse(std::move(missing));
}

namespace {

// A tree as people draw it: "├── name/", "│   └── file.py  # words".
void check_tree(const Facts& facts, const Page& page, const CodeBlock& block, Ledger& ledger) {
  std::vector<std::string> stack;
  std::string root;
  bool rooted = false;
  for (const CodeLine& line : block.lines) {
    const std::string_view text = line.text;
    const std::size_t tee = text.find("\u251c\u2500"), corner = text.find("\u2514\u2500");
    const std::size_t mark = std::min(tee, corner);
    std::string_view name = mark == std::string_view::npos ? text : text.substr(mark + 6);
    while (name.starts_with("\u2500")) name.remove_prefix(3);
    name = trim(name);
    name = name.substr(0, name.find_first_of(" \t"));
    if (mark == std::string_view::npos) {
      if (stack.empty() && !name.empty()) {
        root = name.ends_with('/') ? std::string(name.substr(0, name.size() - 1)) : std::string(name);
        if (root == ".") root.clear();
        rooted = root.empty() || facts.paths.has_folder(root);
        // The repository's own name stands for its root.
        if (!rooted && root.find('/') == std::string::npos) rooted = true, root.clear();
      }
      continue;
    }
    // Columns, not bytes: drawn bars are three bytes wide.
    std::size_t column = 0;
    for (std::size_t i = 0; i < mark; ++i) column += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    const std::size_t depth = column / 4;
    stack.resize(std::min(stack.size(), depth));
    const bool placeholder = name.empty() || name.find_first_of("<>{}*$[]") != std::string_view::npos ||
                             contains(name, "..") || contains(name, "\u2026") || is_placeholder(name) ||
                             stack.size() < depth;
    stack.push_back(placeholder ? "?" : std::string(name.ends_with('/') ? name.substr(0, name.size() - 1) : name));
    if (!rooted || std::find(stack.begin(), stack.end(), "?") != stack.end()) continue;
    const std::string path = join_path(root, join(stack, "/")).value_or("");
    if (facts.paths.has(path) || !facts.paths.ending_in(join(stack, "/")).empty()) {
      ledger.hold();
      continue;
    }
    // Only where the folder around it is there: else the whole drawing is of something else.
    if (!facts.paths.has_folder(folder_of(path)) || is_ignored(facts, path) || speaks_of_making(to_lower(text)))
      continue;
    if (folder_of(path).empty() && !contains(name, ".") && !name.ends_with('/')) continue;
    MissingPath missing;
    missing.finding = finding_at(page, line.line, "playbook-path", Severity::kP2, fmt::format("there is no `{}`", path),
                                 std::string(kWhy), "");
    missing.page = &page;
    missing.path = path;
    missing.written = std::string(name);
    missing.only_if_known = folder_of(path).empty();
    ledger.accuse(std::move(missing));
  }
}

bool is_tree(const CodeBlock& block) {
  return std::any_of(block.lines.begin(), block.lines.end(), [](const CodeLine& line) {
    return contains(line.text, "\u251c\u2500\u2500") || contains(line.text, "\u2514\u2500\u2500");
  });
}

}  // namespace

void check_paths(const Facts& facts, const Page& page, Ledger& ledger) {
  for (const CodeSpan& code : page.codes) {
    if (code.in_link || is_command(code.text)) continue;
    hold_path(facts, page, code.line, code.text, PathUse::kMention, {}, ledger);
  }
  for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
    if (!page.is_prose[line]) continue;
    for (const std::string& name : includes_in(page.source.line(line)))
      hold_path(facts, page, line, name, PathUse::kMention, {}, ledger);
  }
  for (const CodeBlock& block : page.blocks) {
    if (is_tree(block)) check_tree(facts, page, block, ledger);
  }
}

namespace {

/// Where links may lead in a Markdown file.
struct Anchors {
  std::set<std::string> names;
  bool open = false;  ///< Headings in HTML, whose anchors nobody here makes.
};

// GitHub's rule: the second heading of one name gets "-1", the third "-2".
Anchors anchors_of(const Page& page) {
  Anchors anchors;
  std::map<std::string, std::size_t> seen;
  for (const Heading& heading : page.headings) {
    const std::string slug = heading_slug(heading.text);
    const std::size_t count = seen[slug]++;
    anchors.names.insert(count == 0 ? slug : fmt::format("{}-{}", slug, count));
  }
  const std::string text = to_lower(page.source.bytes());
  for (const std::string_view lead : {"id=\"", "name=\"", "id='", "name='"}) {
    for (std::size_t at = text.find(lead); at != std::string::npos; at = text.find(lead, at + 1)) {
      const std::size_t start = at + lead.size();
      anchors.names.insert(text.substr(start, text.find(lead.back(), start) - start));
    }
  }
  for (const char level : {'1', '2', '3', '4', '5', '6'}) anchors.open |= contains(text, fmt::format("<h{}", level));
  // MyST names places itself: "(label)=".
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with('(') && line.ends_with(")=")) anchors.names.emplace(line.substr(1, line.size() - 3));
  }
  return anchors;
}

bool is_line_anchor(std::string_view anchor) {
  return anchor.size() > 1 && (anchor[0] == 'L' || anchor[0] == 'l') &&
         anchor.find_first_not_of("0123456789lLC-", 1) == std::string_view::npos;
}

/// The anchors of the files that one page links to, each read once.
class AnchorBook {
 public:
  AnchorBook(const Facts& facts, const Page& page) : facts_(facts), page_(page) {}

  /// Null where the file cannot be read.
  const Anchors* of(const std::string& path) {
    const auto known = known_.find(path);
    if (known != known_.end()) return known->second ? &*known->second : nullptr;
    std::optional<Anchors> anchors;
    if (path == page_.path) {
      anchors = anchors_of(page_);
    } else if (known_.size() < kMostFiles) {
      Result<std::string> text = facts_.snapshot.read(path);
      if (text && text->size() <= kMaxPageBytes && !repo::is_binary(*text))
        anchors = anchors_of(read_page(path, std::move(*text)));
    }
    const auto& kept = known_.emplace(path, std::move(anchors)).first->second;
    return kept ? &*kept : nullptr;
  }

 private:
  static constexpr std::size_t kMostFiles = 200;
  const Facts& facts_;
  const Page& page_;
  std::map<std::string, std::optional<Anchors>> known_;
};

// The anchor spelled most like this one; none among very many, which no hand wrote.
std::string nearest_anchor(const Anchors& anchors, const std::string& wanted) {
  std::string best;
  if (anchors.names.size() > 500 || wanted.size() > 200) return best;
  std::size_t distance = 2 + wanted.size() / 3;
  for (const std::string& name : anchors.names) {
    const std::size_t one = edit_distance(name, wanted, distance - 1);
    if (one >= distance) continue;
    distance = one;
    best = name;
  }
  return best;
}

void hold_anchor(const Page& page, std::uint32_t line, const std::string& target, const Anchors& anchors,
                 const std::string& anchor, Ledger& ledger) {
  if (anchor.empty() || is_line_anchor(anchor) || anchor.find_first_of("<>{}$*%:~ ") != std::string::npos) return;
  const std::string wanted = to_lower(anchor.starts_with("user-content-") ? anchor.substr(13) : anchor);
  if (anchors.names.contains(wanted)) return ledger.hold();
  if (anchors.open) return;
  const std::string best = nearest_anchor(anchors, wanted);
  rules::Finding finding =
      finding_at(page, line, "playbook-link", Severity::kP3,
                 fmt::format("no heading of {} makes the anchor `#{}`",
                             target == page.path ? std::string("this file") : fmt::format("`{}`", target), anchor),
                 "The link leads to the top of the page",
                 best.empty() ? std::string("name the heading as it reads now")
                              : fmt::format("the nearest heading makes `#{}`", best));
  if (!best.empty()) suggest(finding, page, "#" + anchor, "#" + best);
  ledger.accuse(std::move(finding));
}

void hold_anchor_in(const Facts& facts, const Page& page, std::uint32_t line, const std::string& path,
                    const std::string& anchor, AnchorBook& book, Ledger& ledger) {
  const std::string real = facts.paths.resolve(path).value_or(path);
  if (anchor.empty() || !to_lower(real).ends_with(".md") || !facts.paths.has_file(real)) return ledger.hold();
  if (const Anchors* anchors = book.of(real)) hold_anchor(page, line, real, *anchors, anchor, ledger);
}

// "../../issues" is a page of the forge beside the files.
bool is_forge_page(std::string_view target) {
  static constexpr std::array<std::string_view, 8> kPages = {"issues",   "pull",    "wiki",     "discussions",
                                                             "releases", "actions", "security", "compare"};
  while (target.starts_with("../")) target.remove_prefix(3);
  const std::string_view first = target.substr(0, target.find('/'));
  return std::any_of(kPages.begin(), kPages.end(), [&](std::string_view one) { return first.starts_with(one); });
}

// "`README.md#setup`" in back-quotes.
void check_quoted_anchors(const Facts& facts, const Page& page, AnchorBook& book, Ledger& ledger) {
  for (const CodeSpan& code : page.codes) {
    const std::size_t hash = code.text.find(".md#");
    if (hash == std::string::npos || code.in_link || code.text.find(' ') != std::string::npos) continue;
    const std::string file = code.text.substr(0, hash + 3), anchor = code.text.substr(hash + 4);
    if (contains(file, ":") || is_placeholder(code.text) || speaks_of_absence(sentence_at(page, code.line, code.text)))
      continue;
    for (const std::string_view base : {folder_of(page.path), std::string_view{}}) {
      const auto path = join_path(base, file);
      if (!path || !facts.paths.has(*path)) continue;
      hold_anchor_in(facts, page, code.line, *path, anchor, book, ledger);
      break;
    }
  }
}

}  // namespace

void check_links(const Facts& facts, const Page& page, Ledger& ledger) {
  AnchorBook book(facts, page);
  check_quoted_anchors(facts, page, book, ledger);
  const std::string_view folder = folder_of(page.path);
  for (const Link& link : page.links) {
    if (contains(link.target, ":") || link.target.empty() || is_placeholder(link.target)) continue;
    const std::size_t hash = link.target.find('#');
    const std::string file = link.target.substr(0, hash);
    const std::string anchor = hash == std::string::npos ? std::string() : link.target.substr(hash + 1);
    if (file.empty()) {
      if (const Anchors* anchors = book.of(page.path))
        hold_anchor(page, link.line, page.path, *anchors, anchor, ledger);
      continue;
    }
    const auto here = file.starts_with('/') ? join_path("", file) : join_path(folder, file);
    const bool escapes = !here.has_value();
    if (here && facts.paths.has(*here)) {
      hold_anchor_in(facts, page, link.line, *here, anchor, book, ledger);
      continue;
    }
    if (facts.paths.has(file)) {
      ledger.hold();
      continue;
    }
    if (escapes) {
      if (!is_forge_page(file))
        ledger.accuse(finding_at(page, link.line, "playbook-link", Severity::kP3,
                                 fmt::format("the link to `{}` leads outside the repository", file),
                                 "Whoever has only the repository finds nothing there",
                                 "link to a file of the repository"));
      continue;
    }
    MissingPath missing;
    missing.finding =
        finding_at(page, link.line, "playbook-link", Severity::kP2, fmt::format("the link to `{}` leads nowhere", file),
                   "A reader who follows it finds nothing", "");
    missing.page = &page;
    missing.path = *here;
    missing.written = file;
    ledger.accuse(std::move(missing));
  }
}

}  // namespace lockstep::playbook
