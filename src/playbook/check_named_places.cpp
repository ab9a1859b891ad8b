// Names that a page places in a file: "`pkg/a.py:name`", "`a.py::Class.method`".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "playbook/check_parts.h"
#include "program/queries.h"

namespace lockstep::playbook {

namespace {

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') &&
         std::all_of(text.begin(), text.end(), in_name);
}

/// A file and what is said to stand in it.
struct NamedPlace {
  std::string_view path;
  std::string_view name;  ///< The first part: "Class" of "Class.method", whose methods may be a base's.
};

// "pkg/a.py:Class.method(x)" → "pkg/a.py" and "Class"; an empty name where the text says no such thing.
NamedPlace named_place_in(std::string_view text) {
  constexpr std::string_view kEnd = ".py:";
  const std::size_t at = text.find(kEnd);
  if (at == std::string_view::npos) return {};
  NamedPlace place{text.substr(0, at + kEnd.size() - 1), {}};
  std::string_view name = text.substr(at + kEnd.size());
  while (name.starts_with(':')) name.remove_prefix(1);
  name = trim(name.substr(0, name.find('(')));
  for (const std::string_view part : split(name, '.')) {
    if (!is_name(part)) return {};
    if (place.name.empty()) place.name = part;
  }
  return place;
}

/// Whether `name` stands in `text` as a whole word.
bool has_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end]))) return true;
  }
  return false;
}

}  // namespace

void check_named_places(const Facts& facts, const Page& page, Ledger& ledger) {
  for (const CodeSpan& code : page.codes) {
    if (code.in_link || is_command(code.text) || is_placeholder(code.text)) continue;
    const NamedPlace place = named_place_in(trim(code.text));
    // Tests are held as pytest finds them.
    if (place.name.empty() || facts.introduced.contains(place.name) || program::is_test_path(place.path)) continue;
    std::vector<const program::Module*> modules;
    for (const std::string& path : facts.paths.ending_in(place.path)) {
      const program::ModuleId module = facts.program.find_path(path);
      if (module.valid()) modules.push_back(&facts.program.modules()[module]);
    }
    if (modules.empty()) continue;
    const auto holds = [&](const program::Module* module) {
      const std::vector<python::ImportedName>& imports = module->facts->imports;
      const bool open =
          std::any_of(imports.begin(), imports.end(), [](const auto& import) { return import.name == "*"; });
      return open || has_word(module->facts->source().bytes(), place.name);
    };
    if (std::any_of(modules.begin(), modules.end(), holds)) {
      ledger.hold();
      continue;
    }
    const std::string sentence = sentence_at(page, code.line, code.text);
    if (speaks_of_absence(sentence) || speaks_of_making(sentence) || speaks_of_elsewhere(sentence)) continue;
    const std::vector<Place> elsewhere = facts.names.places_of(place.name);
    rules::Finding finding =
        finding_at(page, code.line, "playbook-symbol", rules::Severity::kP2,
                   fmt::format("`{}` has no `{}`", place.path, place.name),
                   "Whoever follows this line looks for what is not there",
                   elsewhere.size() == 1
                       ? fmt::format("it is defined at `{}:{}`", elsewhere.front().path, elsewhere.front().line + 1)
                       : std::string("name what the file defines, or drop the line"));
    if (elsewhere.size() == 1)
      finding.evidence.push_back(
          {elsewhere.front().path, elsewhere.front().line, fmt::format("`{}` is defined here", place.name)});
    finding.certainty = rules::FindingCertainty::kProven;
    ledger.accuse(std::move(finding));
  }
}

}  // namespace lockstep::playbook
