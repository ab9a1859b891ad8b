#include "writer/author/replacement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "base/strings.h"
#include "python/facts.h"
#include "rules/flow.h"
#include "rules/names.h"
#include "writer/pack/data_text.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostReplaced = 30, kMostNew = 40;
// What starts programs, runs text as code or reaches out.
constexpr auto kRefused = std::to_array<std::string_view>(
    {"eval",     "compile", "__import__", "importlib",    "subprocess",     "system",     "socket", "urllib",
     "requests", "pickle",  "marshal",    "ctypes",       "runpy",          "environ",    "open",   "load",
     "getattr",  "shutil",  "builtins",   "__builtins__", "__subclasses__", "__globals__"});

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// The lines with the indent of what they replace.
std::vector<std::string> indented_as(const std::vector<std::string_view>& lines, std::string_view model) {
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](std::string_view line) { return !trim(line).empty(); });
  const std::size_t have = first == lines.end() ? 0 : indent_of(*first), wanted = indent_of(model);
  std::vector<std::string> out;
  for (const std::string_view line : lines) {
    if (trim(line).empty()) {
      out.emplace_back();
    } else if (wanted >= have) {
      out.push_back(std::string(wanted - have, ' ') + std::string(line));
    } else {
      out.emplace_back(line.substr(std::min(indent_of(line), have - wanted)));
    }
  }
  return out;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Names that are used and bound nowhere, and variables that some path reads before they have a value.
std::multiset<std::string> unbound_in(const python::FileFacts& facts) {
  std::multiset<std::string> names;
  const rules::ScopeNames scopes(facts);
  rules::visit_name_uses(facts, [&](const rules::NameUse& use) {
    if (!rules::is_builtin_name(use.name->id) && !scopes.find(use.scope, use.name->id).valid())
      names.emplace(use.name->id);
  });
  const auto never = [](const python::Call&) { return false; };
  for (const rules::UnboundUse& use : rules::find_unbound_uses(scopes, never, never)) names.emplace(use.name);
  return names;
}

bool has_more(const std::multiset<std::string>& after, const std::multiset<std::string>& before, std::string& name) {
  const auto found = std::find_if(after.begin(), after.end(),
                                  [&](const std::string& one) { return after.count(one) > before.count(one); });
  if (found != after.end()) name = *found;
  return found != after.end();
}

bool imports_more(const python::FileFacts& after, const python::FileFacts& before) {
  return std::any_of(after.imports.begin(), after.imports.end(), [&](const python::ImportedName& one) {
    return std::none_of(before.imports.begin(), before.imports.end(), [&](const python::ImportedName& other) {
      return other.level == one.level && other.module == one.module && other.name == one.name;
    });
  });
}

/// What starts programs, runs text as code, reads what may be code, or reaches out: by its name.
bool is_refused_name(std::string_view word) {
  static constexpr std::string_view kStarts[] = {"exec", "spawn", "popen", "Popen", "posix_", "fork"};
  return std::find(kRefused.begin(), kRefused.end(), word) != kRefused.end() ||
         std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return word.starts_with(start); });
}

}  // namespace

Result<std::string> checked_replacement(const Replacement& replacement, const std::string& path, std::uint32_t quoted,
                                        const CitedSides& sides) {
  const CitedFile* file = sides.file(CitedSide::kAfter, path);
  if (file == nullptr || !path.ends_with(".py")) return fail("it is for no Python file");
  const std::vector<std::string>& lines = file->lines();
  if (replacement.first == 0 || replacement.last < replacement.first || replacement.last > lines.size() ||
      replacement.last - replacement.first >= kMostReplaced || quoted + 1 < replacement.first ||
      quoted + 1 > replacement.last)
    return fail("its lines are not those that the proposal quotes");
  std::vector<std::string_view> given = split_lines(replacement.code);
  while (!given.empty() && trim(given.back()).empty()) given.pop_back();
  while (!given.empty() && trim(given.front()).empty()) given.erase(given.begin());
  if (given.empty() || given.size() > kMostNew) return fail("it is empty or too long");
  std::uint32_t model = replacement.first - 1;  // The first line that is not blank says the indent.
  while (model + 1 < replacement.last && trim(lines[model]).empty()) ++model;
  const std::vector<std::string> code = indented_as(given, lines[model]);
  const std::string text = text_of(code);
  if (data_text(text) != text || contains(text, "://") || contains(text, "www.") || contains(text, "```"))
    return fail("it holds what code of a proposal must not");

  std::vector<std::string> whole(lines.begin(), lines.begin() + (replacement.first - 1));
  whole.insert(whole.end(), code.begin(), code.end());
  whole.insert(whole.end(), lines.begin() + replacement.last, lines.end());
  const std::string before = text_of(lines), after = text_of(whole);
  if (before == after) return fail("it changes nothing");
  const auto old_facts = python::extract_facts(before), new_facts = python::extract_facts(after);
  if (!old_facts->file->problems.empty() || !new_facts->file->problems.empty()) return fail("it does not parse");
  if (imports_more(*new_facts, *old_facts)) return fail("it imports");
  if (std::string name; has_more(unbound_in(*new_facts), unbound_in(*old_facts), name))
    return fail(fmt::format("nothing binds '{}' there", name));
  std::string unknown;
  const std::string replaced = text_of({lines.begin() + (replacement.first - 1), lines.begin() + replacement.last});
  std::set<std::string_view> known;
  for_each_word(replaced, [&](std::string_view word, std::size_t) { known.insert(word); });
  for_each_word(text, [&](std::string_view word, std::size_t at) {
    const bool is_own = std::string_view(text).substr(0, at).ends_with("self.");
    const bool is_refused = !known.contains(word) && is_refused_name(word);
    if (unknown.empty() && (is_refused || (is_own && !sides.has_word(word)))) unknown = word;
  });
  if (!unknown.empty()) return fail(fmt::format("'{}' is not for it to use", unknown));
  return text;
}

}  // namespace lockstep::writer
