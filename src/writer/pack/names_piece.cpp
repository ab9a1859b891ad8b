#include "writer/pack/names_piece.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/source/code.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostLines = 90;    // of all names
constexpr std::size_t kMostOfFirst = 12;  // of the likeliest lead; the others have fewer and fewer
constexpr std::size_t kFewest = 4, kFew = 2;
constexpr std::size_t kMostLineBytes = 100;

std::string_view use_word(const NameMention& mention) {
  constexpr std::string_view kWords[] = {"imported", "called", "defined", "given", "dropped", "named", "taken"};
  return kWords[static_cast<std::size_t>(mention.use)];
}

std::string head_of(const ChangedName& name) {
  std::string text = fmt::format("{}, {} at {}:{}{}", name.name, use_word(name.mention), name.mention.path,
                                 name.mention.line + 1, name.mention.is_before ? " before" : "");
  text += name.sites.empty()
              ? ": no other line outside tests"
              : fmt::format(": {} outside tests", count_of(name.sites.size(), "more line", "more lines"));
  if (name.in_tests > 0) text += fmt::format(", {} of tests", count_of(name.in_tests, "line"));
  return text;
}

/// The first `most` of those that tell something: of imports and of what is said one, where there is little else.
std::vector<NameSite> shown_of(const ChangedName& name, std::size_t most) {
  std::vector<NameSite> shown;
  for (const NameSite& site : name.sites) {
    const bool says_little = site.kind >= NameSite::Kind::kLocal;
    if (shown.size() < most && (!says_little || shown.size() < kFew)) shown.push_back(site);
  }
  return shown;
}

/// Below their files, in the order of the best of each file.
void add_sites(const program::Program& program, std::vector<NameSite> shown, std::vector<std::string>& lines) {
  std::vector<program::ModuleId> files;
  for (const NameSite& site : shown) {
    const program::ModuleId file = program.functions()[site.function].module;
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
  std::stable_sort(shown.begin(), shown.end(), [](const NameSite& a, const NameSite& b) { return a.line < b.line; });
  for (const program::ModuleId file : files) {
    const program::Module& module = program.modules()[file];
    lines.push_back(fmt::format("  {}", module.path));
    for (const NameSite& site : shown) {
      const program::Function& function = program.functions()[site.function];
      if (function.module != file) continue;
      std::string line(trim(module.facts->source().line(site.line)));
      if (line.size() > kMostLineBytes) line = std::string(cut_at_character(line, kMostLineBytes)) + "\u2026";
      const bool is_body = function.kind == program::FunctionKind::kModuleBody;
      lines.push_back(fmt::format(
          "  {:>5}{}: {}", site.line + 1,
          is_body ? std::string() : fmt::format(" in {}", report::short_name(program, site.function)), line));
    }
  }
}

}  // namespace

Piece names_piece(const report::DocumentInputs& inputs, const std::vector<ChangedName>& names) {
  Piece piece;
  piece.kind = PieceKind::kNames;
  piece.name = "where the names of the change stand";
  piece.content.heading(3, "Where the names of this change stand outside the diff, tests left out");
  if (names.empty()) {
    piece.content.paragraph("No other line has a name that the changed lines define, hand over, call, import or drop.");
    return piece;
  }
  report::CodeBlock block;
  block.language = "text";
  std::size_t left = kMostLines, most = kMostOfFirst;
  for (const ChangedName& name : names) {
    const bool is_lead = name.mention.use > NameUse::kCalls;
    std::vector<NameSite> shown = shown_of(name, std::min(left, is_lead ? most : kFewest));
    left -= shown.size();
    block.lines.push_back(head_of(name));
    add_sites(*inputs.after, std::move(shown), block.lines);
    most = std::max(kFewest, most - 1);
  }
  piece.content.code_block(std::move(block));
  return piece;
}

}  // namespace lockstep::writer
