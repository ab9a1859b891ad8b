#include "writer/author/proposed_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/facts.h"
#include "python/tree_walk.h"
#include "report/source/standing_texts.h"
#include "rules/names/names.h"
#include "rules/syntax/flow.h"
#include "writer/author/model_text.h"
#include "writer/pack/data_text.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostReplaced = 30, kMostNew = 40, kMostAdded = 90;
// What starts programs, runs text as code or reaches out.
constexpr auto kRefused = std::to_array<std::string_view>({"eval",
                                                           "compile",
                                                           "__import__",
                                                           "importlib",
                                                           "subprocess",
                                                           "system",
                                                           "socket",
                                                           "urllib",
                                                           "requests",
                                                           "pickle",
                                                           "marshal",
                                                           "ctypes",
                                                           "runpy",
                                                           "environ",
                                                           "open",
                                                           "load",
                                                           "getattr",
                                                           "shutil",
                                                           "builtins",
                                                           "__builtins__",
                                                           "__globals__",
                                                           "__subclasses__",
                                                           "os",
                                                           "sys",
                                                           "vars",
                                                           "globals",
                                                           "locals",
                                                           "import_module",
                                                           "urlopen",
                                                           "loads",
                                                           "hub",
                                                           "signal",
                                                           "rmtree",
                                                           "unlink",
                                                           "kill",
                                                           "load_inline",
                                                           "cpp_extension",
                                                           "load_state_dict_from_url"});

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// The lines with their first one indented by `wanted` columns.
std::vector<std::string> indented_by(const std::vector<std::string_view>& lines, std::size_t wanted) {
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](std::string_view line) { return !trim(line).empty(); });
  const std::size_t have = first == lines.end() ? 0 : indent_of(*first);
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

/// Without blank lines at both ends.
std::vector<std::string_view> lines_of(std::string_view code) {
  std::vector<std::string_view> lines = split_lines(code);
  while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
  while (!lines.empty() && trim(lines.front()).empty()) lines.erase(lines.begin());
  return lines;
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

/// What `after` imports and `before` does not.
std::vector<const python::ImportedName*> new_imports(const python::FileFacts& after, const python::FileFacts& before) {
  std::vector<const python::ImportedName*> found;
  for (const python::ImportedName& one : after.imports) {
    const bool is_old = std::any_of(before.imports.begin(), before.imports.end(), [&](const auto& other) {
      return other.level == one.level && other.module == one.module && other.name == one.name;
    });
    if (!is_old) found.push_back(&one);
  }
  return found;
}

bool is_own_module(std::string_view module, const CitedSides& sides) {
  const std::string path = replace_all(module, ".", "/");
  return sides.has_file(CitedSide::kAfter, path + ".py") || sides.has_file(CitedSide::kAfter, path + "/__init__.py");
}

/// Of the standard library, what tests are made with and what does nothing by itself.
constexpr auto kHarmless =
    std::to_array<std::string_view>({"collections", "contextlib", "copy", "dataclasses", "functools", "itertools",
                                     "math", "random", "re", "types", "typing", "unittest", "warnings"});

std::string_view package_of(std::string_view module) { return module.substr(0, module.find('.')); }

/// Whether an import names what the repository holds, or what belongs to a package that the file imports from
/// elsewhere.
bool is_at_hand(const python::ImportedName& import, const python::FileFacts& file, const CitedSides& sides) {
  if (import.level > 0 || import.name == "*") return false;
  if (is_own_module(import.module, sides)) return import.name.empty() || sides.has_word(import.name);
  bool is_known = std::find(kHarmless.begin(), kHarmless.end(), package_of(import.module)) != kHarmless.end();
  for (const python::ImportedName& other : file.imports) {
    if (other.level > 0 || package_of(other.module) != package_of(import.module)) continue;
    if (is_own_module(other.module, sides)) return false;  // Of this repository, and it is not there.
    is_known = true;
  }
  return is_known;
}

/// What starts programs, runs text as code, reads what may be code, or reaches out: by its name.
bool is_refused_name(std::string_view word) {
  static constexpr std::string_view kStarts[] = {"exec", "spawn", "popen", "Popen", "posix_", "fork"};
  return std::find(kRefused.begin(), kRefused.end(), word) != kRefused.end() ||
         std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return word.starts_with(start); });
}

/// Whether an attribute may be asked for by that name, which stands in the code for all to read.
bool is_plain_attribute(const python::Expr* name) {
  const auto* text = python::as<python::Constant>(name);
  return text != nullptr && text->constant_kind == python::ConstantKind::kStr && !text->text.empty() &&
         !text->text.starts_with("__") && std::all_of(text->text.begin(), text->text.end(), is_name_char) &&
         !is_refused_name(text->text);
}

/// The variables that loops within `part` give such names, one after another: `for name in ("weight", "bias")`.
std::set<std::string_view> loops_over_attributes(const python::FileFacts& facts, Span part) {
  std::set<std::string_view> names;
  python::walk_of<python::For>(facts.tree(), python::Nested::kEnter, [&](const python::For* loop) {
    const auto* target = python::as<python::Name>(loop->target);
    const auto* items = python::as<python::Tuple>(loop->iterable);
    const bool is_own = part.contains(loop->span.begin) && target != nullptr && items != nullptr;
    if (is_own && std::all_of(items->elements.begin(), items->elements.end(), is_plain_attribute))
      names.insert(target->id);
  });
  return names;
}

/// Where calls of `getattr` within `part` stand that ask for attributes by names which everybody can read.
std::set<std::size_t> plain_look_ups(const python::FileFacts& facts, Span part) {
  std::set<std::size_t> found;
  const std::set<std::string_view> loops = loops_over_attributes(facts, part);
  python::walk_of<python::Call>(facts.tree(), python::Nested::kEnter, [&](const python::Call* call) {
    const auto* callee = python::as<python::Name>(call->callee);
    if (callee == nullptr || callee->id != "getattr" || !part.contains(callee->span.begin) ||
        call->arguments.size() < 2)
      return;
    const auto* variable = python::as<python::Name>(call->arguments[1]);
    if (is_plain_attribute(call->arguments[1]) || (variable != nullptr && loops.contains(variable->id)))
      found.insert(callee->span.begin);
  });
  return found;
}

/// `text`, which stands at `at` in the file, with blanks for its comments, for strings that are statements, such as
/// docstrings, and for those of several words, such as messages: words that do nothing.
std::string without_comments(std::string text, std::size_t at, const python::FileFacts& facts) {
  const auto blank = [&](Span span) {
    for (std::size_t i = std::max<std::size_t>(span.begin, at); i < span.end && i < at + text.size(); ++i)
      text[i - at] = ' ';
  };
  for (const python::Comment& comment : facts.file->comments) blank(comment.span);
  for (const Span& span : report::standing_texts(facts.tree())) blank(span);
  python::walk_of<python::Constant>(facts.tree(), python::Nested::kEnter, [&](const python::Constant* constant) {
    const bool is_prose = constant->constant_kind == python::ConstantKind::kStr && contains(trim(constant->text), " ");
    if (is_prose && constant->span.begin >= at && constant->span.end <= at + text.size()) blank(constant->span);
  });
  return text;
}

enum class Imports : std::uint8_t { kNone, kAtHand };

/// A new piece of code in a file.
struct Piece {
  std::string text;
  std::size_t at = 0;       ///< The byte of the file behind `text` where it stands.
  std::string replaced;     ///< What stood there.
  std::string_view beside;  ///< Other code of the same proposal.
};

/// Whether the code gives objects of its class that attribute.
bool sets_attribute(std::string_view code, std::string_view name) {
  return contains(code, fmt::format("self.{} = ", name)) || contains(code, fmt::format("self.{}: ", name));
}

/// What is wrong with a piece of `after`, a file that was `before`.
std::optional<std::string> fault_in(const Piece& piece, const std::string& before, const std::string& after,
                                    Imports imports, const CitedSides& sides) {
  const auto& [text, at, replaced, beside] = piece;
  const auto old_facts = python::extract_facts(before), new_facts = python::extract_facts(after);
  if (!old_facts->file->problems.empty() || !new_facts->file->problems.empty()) return "it does not parse";
  for (const python::ImportedName* import : new_imports(*new_facts, *old_facts)) {
    if (imports == Imports::kNone || !is_at_hand(*import, *old_facts, sides)) return "it imports";
  }
  if (std::string name; has_more(unbound_in(*new_facts), unbound_in(*old_facts), name))
    return fmt::format("nothing binds '{}' there", name);
  std::string unknown;
  const auto begin = static_cast<std::uint32_t>(at);
  const std::set<std::size_t> look_ups =
      plain_look_ups(*new_facts, {begin, begin + static_cast<std::uint32_t>(text.size())});
  std::set<std::string_view> known;
  for_each_word(replaced, [&](std::string_view word, std::size_t) { known.insert(word); });
  const std::string code = without_comments(text, at, *new_facts);
  for_each_word(code, [&](std::string_view word, std::size_t where) {
    const std::string_view before_it = std::string_view(code).substr(0, where);
    const bool is_strange = before_it.ends_with("self.") && !sides.has_word(word) && !sets_attribute(text, word) &&
                            !sets_attribute(beside, word);
    // Of a kernel's language, and of the compiler of models.
    const bool is_kernel = before_it.ends_with("tl.") && !contains(code, "tl =") &&
                           (before_it.size() == 3 || !is_name_char(before_it[before_it.size() - 4]));
    const bool is_meant_well = (word == "load" && is_kernel) || (word == "compile" && before_it.ends_with("torch.")) ||
                               look_ups.contains(at + where) ||
                               // The mode of a module.
                               (word == "eval" && before_it.ends_with(".") &&
                                std::string_view(code).substr(where + word.size()).starts_with("()"));
    // Python reads letters that look alike as one: a name of others than ASCII may be any of the refused ones.
    const bool is_plain = std::all_of(word.begin(), word.end(), is_name_char);
    const bool is_refused = !known.contains(word) && !is_meant_well && (!is_plain || is_refused_name(word));
    if (unknown.empty() && (is_refused || is_strange)) unknown = word;
  });
  return unknown.empty() ? std::nullopt : std::optional(fmt::format("'{}' is not for it to use", unknown));
}

/// What no code of a proposal may hold: it is printed, and read by people.
bool is_fit_to_print(const std::string& text) {
  return data_text(text) == text && !contains(text, "://") && !contains(text, "www.") && !contains(text, "```");
}

}  // namespace

Result<std::string> checked_replacement(const Replacement& replacement, const std::string& path, std::uint32_t quoted,
                                        std::string_view beside, const CitedSides& sides) {
  const CitedFile* file = sides.file(CitedSide::kAfter, path);
  if (file == nullptr || !path.ends_with(".py")) return fail("it is for no Python file");
  const std::vector<std::string>& lines = file->lines();
  if (replacement.first == 0 || replacement.last < replacement.first || replacement.last > lines.size() ||
      replacement.last - replacement.first >= kMostReplaced || quoted + 1 < replacement.first ||
      quoted + 1 > replacement.last)
    return fail("its lines are not those that the proposal quotes");
  const std::vector<std::string_view> given = lines_of(replacement.code);
  if (given.empty() || given.size() > kMostNew) return fail("it is empty or too long");
  std::uint32_t model = replacement.first - 1;  // The first line that is not blank says the indent.
  while (model + 1 < replacement.last && trim(lines[model]).empty()) ++model;
  const std::vector<std::string> code = indented_by(given, indent_of(lines[model]));
  std::string text = text_of(code);
  if (!is_fit_to_print(text)) return fail("it holds what code of a proposal must not");

  std::vector<std::string> whole(lines.begin(), lines.begin() + (replacement.first - 1));
  whole.insert(whole.end(), code.begin(), code.end());
  whole.insert(whole.end(), lines.begin() + replacement.last, lines.end());
  const std::string before = text_of(lines), after = text_of(whole);
  if (before == after) return fail("it changes nothing");
  const std::string replaced = text_of({lines.begin() + (replacement.first - 1), lines.begin() + replacement.last});
  const std::size_t at = text_of({lines.begin(), lines.begin() + (replacement.first - 1)}).size();
  if (auto fault = fault_in({text, at, replaced, beside}, before, after, Imports::kNone, sides))
    return fail(*std::move(fault));
  return text;
}

Result<std::string> checked_addition(const Addition& addition, const CitedSides& sides) {
  const CitedFile* file = sides.file(CitedSide::kAfter, addition.path);
  if (file == nullptr || !addition.path.ends_with(".py")) return fail("it is for no Python file");
  const std::vector<std::string>& lines = file->lines();
  if (addition.after > lines.size()) return fail("the file has no such line");
  const std::vector<std::string_view> given = lines_of(addition.code);
  if (given.empty() || given.size() > kMostAdded) return fail("it is empty or too long");
  const std::string before = text_of(lines);
  const std::size_t at = text_of({lines.begin(), lines.begin() + addition.after}).size();
  // As it was written, else as deep as what stands above it or below it.
  std::vector<std::size_t> indents = {indent_of(given.front())};
  if (addition.after > 0) indents.push_back(indent_of(lines[addition.after - 1]));
  if (addition.after < lines.size()) indents.push_back(indent_of(lines[addition.after]));
  std::string why;
  for (const std::size_t indent : indents) {
    const std::vector<std::string> code = indented_by(given, indent);
    std::string text = text_of(code);
    if (!is_fit_to_print(text)) return fail("it holds what code of a proposal must not");
    std::vector<std::string> whole(lines.begin(), lines.begin() + addition.after);
    whole.insert(whole.end(), code.begin(), code.end());
    whole.insert(whole.end(), lines.begin() + addition.after, lines.end());
    auto fault = fault_in({text, at, {}, {}}, before, text_of(whole), Imports::kAtHand, sides);
    if (!fault) return text;
    if (why.empty()) why = *std::move(fault);
  }
  return fail(why);
}

namespace {

/// Where "below" stands that means code: "the test below", "as below"; npos for "a value below 0".
std::size_t pointer_in(std::string_view sentence) {
  constexpr std::string_view kBelow = " below";
  constexpr std::array<std::string_view, 12> kCode = {"code",    "test",       "tests",       "case",
                                                      "cases",   "suggestion", "replacement", "patch",
                                                      "snippet", "helper",     "as",          "given"};
  for (std::size_t at = sentence.find(kBelow); at != std::string_view::npos; at = sentence.find(kBelow, at + 1)) {
    const std::string before = to_lower(sentence.substr(0, at));
    const std::string_view word = std::string_view(before).substr(before.rfind(' ') + 1);
    if (std::find(kCode.begin(), kCode.end(), word) != kCode.end()) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string without_pointers_to_code(std::string_view text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view mark = line.starts_with("- ") ? "- " : "";
    std::string kept;
    for (const std::string& sentence : split_sentences(line.substr(mark.size()))) {
      if (pointer_in(sentence) == std::string_view::npos) kept += (kept.empty() ? "" : " ") + sentence;
    }
    if (!kept.empty()) out += fmt::format("{}{}{}", out.empty() ? "" : "\n", mark, kept);
  }
  return out.empty() ? std::string(text) : out;
}

}  // namespace lockstep::writer
