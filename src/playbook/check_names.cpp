// Symbols, modules, flags, config fields and their defaults.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "base/strings.h"
#include "playbook/check_parts.h"
#include "program/queries.h"

namespace lockstep::playbook {

namespace {

using rules::Severity;

bool is_identifier(std::string_view text) {
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_dotted(std::string_view text) {
  const auto parts = split(text, '.');
  return parts.size() >= 2 && std::all_of(parts.begin(), parts.end(), is_identifier);
}

// "f(a, b)" → "f"; "@f" → "f".
std::string_view bare_name(std::string_view text) {
  text = trim(text);
  if (text.starts_with('@')) text.remove_prefix(1);
  if (text.ends_with(')')) text = text.substr(0, text.find('('));
  return text;
}

bool is_snake(std::string_view name) {
  std::string_view core = name;
  while (core.starts_with('_')) core.remove_prefix(1);
  const bool lower = std::none_of(core.begin(), core.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return lower && core.size() >= 6 && core.find('_') != std::string_view::npos && !core.ends_with('_');
}

// "TEGroupedMLP", "MoELayer": at least two capitals and small letters between.
bool is_camel(std::string_view name) {
  const auto capitals = std::count_if(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool small = std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return name.size() >= 6 && name.front() >= 'A' && name.front() <= 'Z' && capitals >= 2 && small &&
         !contains(name, "_");
}

/// A word beside the name says that it is a piece of code.
bool is_called_code(std::string_view sentence, std::string_view name) {
  static constexpr std::array<std::string_view, 21> kNouns = {
      "function", "class",     "method",    "field",    "flag",      "option",   "knob",
      "config",   "helper",    "fixture",   "module",   "attribute", "variable", "parameter",
      "argument", "decorator", "dataclass", "property", "enum",      "setting",  "test"};
  const std::string lower = to_lower(name);
  const std::size_t at = sentence.find(lower);
  if (at == std::string_view::npos) return false;
  const auto before = split(trim(sentence.substr(0, at)), ' ');
  const auto after = split(trim(sentence.substr(at + lower.size())), ' ');
  const auto is_noun = [&](std::string_view word) {
    while (!word.empty() && !std::isalpha(static_cast<unsigned char>(word.back()))) word.remove_suffix(1);
    return std::any_of(kNouns.begin(), kNouns.end(), [&](std::string_view noun) {
      return word == noun || (word.ends_with('s') && word.substr(0, word.size() - 1) == noun);
    });
  };
  return (!before.empty() && is_noun(before.back())) || (!after.empty() && is_noun(after.front()));
}

// Names of ways to write names, and of the tools of one agent, which check_hygiene speaks of.
bool is_common_term(std::string_view name) {
  static constexpr std::array<std::string_view, 13> kTerms = {
      "PascalCase",     "camelCase",       "CamelCase",  "UpperCamelCase",
      "lowerCamelCase", "snake_case",      "UPPER_CASE", "SCREAMING_SNAKE_CASE",
      "apply_patch",    "AskUserQuestion", "TodoWrite",  "str_replace_editor",
      "JavaScript"};
  return std::find(kTerms.begin(), kTerms.end(), name) != kTerms.end();
}

// "add `new_name`": the reader makes it.
bool is_to_be_made(const Page& page, std::uint32_t line, std::string_view written) {
  const std::string_view text = page.source.line(line);
  const std::size_t at = text.find(written);
  if (at == std::string_view::npos) return false;
  std::string before = to_lower(trim(replace_all(text.substr(0, at), "`", "")));
  if (before.empty() && line > 0) before = to_lower(trim(page.source.line(line - 1)));
  for (const std::string_view verb :
       {"add", "adds", "adding", "create", "define", "introduce", "name it", "call it", "write"}) {
    if (before == verb || before.ends_with(fmt::format(" {}", verb))) return true;
  }
  return false;
}

bool is_excused(const Facts& facts, const Page& page, std::uint32_t line, std::string_view written,
                std::string_view name) {
  if (facts.introduced.contains(name) || is_placeholder(name) || is_common_term(name)) return true;
  if (is_to_be_made(page, line, written) || takes_from_a_branch(page)) return true;
  const std::string sentence = sentence_at(page, line, written);
  return speaks_of_absence(sentence) || speaks_of_elsewhere(sentence);
}

std::string where_text(const std::vector<Place>& places) {
  return places.empty() ? std::string() : fmt::format("`{}:{}`", places.front().path, places.front().line + 1);
}

void accuse_name(const Facts& facts, const Page& page, std::uint32_t line, std::string_view name, std::string_view why,
                 Ledger& ledger) {
  const std::string nearest = facts.names.nearest(name);
  rules::Finding finding = finding_at(
      page, line, "playbook-symbol", Severity::kP2,
      fmt::format("`{}` stands nowhere in the code, the configuration or the documents", name), std::string(why),
      nearest.empty()
          ? "name what exists, or drop the line"
          : fmt::format("the nearest name is `{}` ({})", nearest, where_text(facts.names.places_of(nearest))));
  if (!nearest.empty()) {
    const Place place = facts.names.places_of(nearest).front();
    finding.evidence.push_back({place.path, place.line, fmt::format("`{}` is defined here", nearest)});
    suggest(finding, page, name, nearest);
  }
  ledger.accuse(std::move(finding));
}

constexpr std::string_view kWhyName = "An agent that follows this line searches for a name that does not exist";

// The last missing part of a dotted name: is it somewhere else?
void hold_dotted(const Facts& facts, const Page& page, std::uint32_t line, std::string_view name, Ledger& ledger) {
  if (facts.holds_only_taken && !facts.taken.contains(name.substr(name.rfind('.') + 1))) return;
  const DottedAnswer answer = facts.names.look_up(name);
  if (answer.answer == Answer::kExists) return ledger.hold();
  if (answer.answer == Answer::kUnknown || is_excused(facts, page, line, name, name)) return;
  // A word that code may set on the object at run time is no proof.
  const std::vector<Place> elsewhere = facts.names.places_of(answer.missing);
  if (facts.words.has(answer.missing) && (!answer.exact || elsewhere.empty())) return;
  if (facts.introduced.contains(answer.missing)) return;
  if (elsewhere.empty()) return accuse_name(facts, page, line, answer.missing, kWhyName, ledger);
  // A module attribute under another name of the module, or a class that code extends from outside, is not proof
  // enough.
  const bool module_found = facts.program.find_module(answer.found).valid();
  if (!module_found || elsewhere.size() != 1) return;
  rules::Finding finding = finding_at(page, line, "playbook-symbol", Severity::kP2,
                                      fmt::format("`{}` has no `{}`", answer.found, answer.missing),
                                      std::string(kWhyName), fmt::format("it is defined at {}", where_text(elsewhere)));
  finding.evidence.push_back(
      {elsewhere.front().path, elsewhere.front().line, fmt::format("`{}` is defined here", answer.missing)});
  ledger.accuse(std::move(finding));
}

std::size_t family_size(const Facts& facts, std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  const std::string prefix(name.substr(0, name.find('_') + 1));
  return prefix.size() < 4 ? 0 : facts.names.family_size(prefix);
}

void hold_bare(const Facts& facts, const Page& page, std::uint32_t line, std::string_view name, Ledger& ledger) {
  if (facts.holds_only_taken && !facts.taken.contains(name)) return;
  const bool snake = is_snake(name), camel = is_camel(name);
  if (!snake && !camel) return;
  if (facts.names.defines(name) || facts.words.has(name)) return ledger.hold();
  if (is_excused(facts, page, line, name, name)) return;
  const std::string sentence = sentence_at(page, line, name);
  const bool called_code = is_called_code(sentence, name);
  const bool near = !facts.names.nearest(name).empty();
  const bool family = snake && family_size(facts, name) >= 5;
  if (called_code || near || family || facts.taken.contains(name))
    accuse_name(facts, page, line, name, kWhyName, ledger);
}

// "moe_router_*": some name starts so.
void hold_name_glob(const Facts& facts, const Page& page, std::uint32_t line, std::string_view text, Ledger& ledger) {
  if (facts.holds_only_taken) return;
  const std::string_view prefix = text.substr(0, text.find('*'));
  if (!is_identifier(prefix) || !prefix.ends_with('_') || prefix.size() < 5) return;
  if (facts.words.has_prefix(prefix)) return ledger.hold();
  if (is_excused(facts, page, line, text, text)) return;
  ledger.accuse(finding_at(page, line, "playbook-symbol", Severity::kP2,
                           fmt::format("no name starts with `{}`", prefix), std::string(kWhyName),
                           "name what exists, or drop the line"));
}

bool names_outside_tool(std::string_view sentence) {
  static constexpr std::array<std::string_view, 30> kTools = {"docker",
                                                              "uv ",
                                                              "gh ",
                                                              "git ",
                                                              "srun",
                                                              "sbatch",
                                                              "slurm",
                                                              "pip ",
                                                              "pytest",
                                                              "ruff",
                                                              "black",
                                                              "isort",
                                                              "torchrun",
                                                              "kubectl",
                                                              "curl",
                                                              "mypy",
                                                              "nsys",
                                                              "pre-commit",
                                                              "scheduler",
                                                              "pylint",
                                                              "flake8",
                                                              "cmake",
                                                              "nvcc",
                                                              "conda",
                                                              "npm",
                                                              "enroot",
                                                              "singularity",
                                                              "apptainer",
                                                              "torch.distributed",
                                                              "container"};
  return std::any_of(kTools.begin(), kTools.end(), [&](std::string_view tool) { return contains(sentence, tool); });
}

std::string_view literal_after(std::string_view text, std::string_view phrase) {
  const std::size_t at = text.find(phrase);
  if (at == std::string_view::npos) return {};
  std::string_view rest = trim(text.substr(at + phrase.size()));
  while (!rest.empty() && (rest.front() == ':' || rest.front() == '=' || rest.front() == ' ')) rest.remove_prefix(1);
  std::size_t end = 0;
  while (end < rest.size() && !std::isspace(static_cast<unsigned char>(rest[end])) && rest[end] != ',' &&
         rest[end] != ')' && rest[end] != ';')
    ++end;
  std::string_view word = rest.substr(0, end);
  while (word.ends_with('.')) word.remove_suffix(1);
  return word;
}

bool is_literal(std::string_view word) {
  if (word == "True" || word == "False" || word == "None") return true;
  std::string_view digits = word.starts_with('-') ? word.substr(1) : word;
  return !digits.empty() && digits.front() >= '0' && digits.front() <= '9' &&
         digits.find_first_not_of("0123456789.e-") == std::string_view::npos;
}

bool same_literal(std::string_view a, std::string_view b) {
  if (to_lower(a) == to_lower(b)) return true;
  const std::string first(a), second(b);
  char* end_a = nullptr;
  char* end_b = nullptr;
  const double x = std::strtod(first.c_str(), &end_a), y = std::strtod(second.c_str(), &end_b);
  return end_a != first.c_str() && *end_a == 0 && end_b != second.c_str() && *end_b == 0 && x == y;
}

// A flag is what add_argument says of it where that is said; what tests declare is theirs.
std::vector<Default> defaults_meant(std::vector<Default> all, bool is_flag) {
  const auto keep = [&](const auto& wanted) {
    std::vector<Default> kept;
    std::copy_if(all.begin(), all.end(), std::back_inserter(kept), wanted);
    if (!kept.empty()) all = std::move(kept);
  };
  keep([](const Default& one) { return !program::is_test_path(one.place.path); });
  if (is_flag) keep([](const Default& one) { return one.owner.starts_with("--"); });
  return all;
}

// "if x is None: x = …": the default that users meet is computed.
bool is_filled_later(const Facts& facts, std::string_view name) {
  std::string field = replace_all(name, "-", "_");
  const auto asks = [&](std::string_view text, std::string_view end) {
    const std::string wanted = field + std::string(end);
    for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) {
      if (at == 0 || !(std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_')) return true;
    }
    return false;
  };
  return std::any_of(facts.program.modules().begin(), facts.program.modules().end(),
                     [&](const program::Module& module) {
                       const std::string_view text = module.facts->source().bytes();
                       return !program::is_test_path(module.path) && (asks(text, " is None") || asks(text, " or "));
                     });
}

// "`moe_topk` (default: 2)", "`--x` defaults to `4`": held where the line names one option and its defaults agree.
void hold_default(const Facts& facts, const Page& page, const CodeSpan& code, Ledger& ledger) {
  const std::string line = page.plain_line(code.line);
  std::string_view written = trim(code.text);
  const std::size_t at = line.find(written);
  if (at == std::string::npos) return;
  const std::string_view rest = std::string_view(line).substr(at + written.size());
  std::string_view value;
  for (const std::string_view phrase :
       {"defaults to", "(default:", "(default", "default is", "default:", "by default"}) {
    if (phrase == "by default") return;
    const std::size_t found = rest.find(phrase);
    // Close by, in the same sentence and about no other option.
    if (found == std::string_view::npos || found > 24 || contains(rest.substr(0, found), ". ")) continue;
    value = literal_after(rest, phrase);
    break;
  }
  if (!is_literal(value)) return;
  std::string_view name = written.substr(0, written.find_first_of("= "));
  while (name.starts_with('-')) name.remove_prefix(1);
  const std::vector<Default> defaults =
      defaults_meant(facts.names.defaults_of(name.substr(name.rfind('.') + 1)), written.starts_with("--"));
  if (defaults.empty()) return;
  if (std::any_of(defaults.begin(), defaults.end(), [&](const Default& one) { return same_literal(one.text, value); }))
    return ledger.hold();
  // Several declarations that disagree, or a computed default, prove nothing.
  const bool plain = std::all_of(defaults.begin(), defaults.end(), [&](const Default& one) {
    return one.text == defaults[0].text && is_literal(one.text);
  });
  if (!plain) return;
  const auto filled = [&] { return is_filled_later(facts, name); };
  if (defaults[0].text == "None" && ledger.answer(fmt::format("filled {}", name), true, filled)) return;
  rules::Finding finding =
      finding_at(page, code.line, "playbook-config", Severity::kP2,
                 fmt::format("the default of `{}` is `{}`, not `{}`", name, defaults[0].text, value),
                 "An agent that trusts the line leaves out what must be set, or sets what need not be",
                 fmt::format("write `{}`", defaults[0].text));
  finding.evidence.push_back(
      {defaults[0].place.path, defaults[0].place.line, fmt::format("`{}` is declared here", defaults[0].owner)});
  suggest(finding, page, value, defaults[0].text);
  ledger.accuse(std::move(finding));
}

// "`experts.py` hosts GroupedMLP/SequentialMLP": each name that is defined here is defined there.
void hold_contents(const Facts& facts, const Page& page, std::uint32_t line, Ledger& ledger) {
  const CodeSpan* file = nullptr;
  for (const CodeSpan& code : page.codes) {
    if (code.line == line && code.text.ends_with(".py")) {
      if (file != nullptr) return;
      file = &code;
    }
  }
  if (file == nullptr) return;
  const std::vector<std::string> files = facts.paths.ending_in(file->text);
  if (files.empty()) return;
  const std::string text = page.plain_line(line);
  std::size_t start = std::string::npos;
  for (const std::string_view verb : {" hosts ", " defines ", " implements "}) {
    const std::size_t found = text.find(std::string(file->text) + std::string(verb));
    if (found != std::string::npos) start = found + file->text.size() + verb.size();
  }
  if (start == std::string::npos) return;
  std::string_view rest = std::string_view(text).substr(start);
  rest = rest.substr(0, rest.find(". "));
  std::string word;
  for (const char c : std::string(rest) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
      continue;
    }
    const std::string name = std::move(word);
    word.clear();
    if (!is_camel(name)) continue;
    const std::vector<Place> places = facts.names.places_of(name);
    const bool here = std::any_of(places.begin(), places.end(), [&](const Place& place) {
      return std::find(files.begin(), files.end(), place.path) != files.end();
    });
    if (here) {
      ledger.hold();
    } else if (places.empty() && !facts.words.has(name)) {
      accuse_name(facts, page, line, name, kWhyName, ledger);
    } else if (places.empty() || places.size() == 1) {
      rules::Finding finding =
          finding_at(page, line, "playbook-symbol", Severity::kP2,
                     fmt::format("`{}` does not define `{}`", file->text, name), std::string(kWhyName),
                     places.empty() ? std::string("name what the file defines")
                                    : fmt::format("it is defined at {}", where_text(places)));
      if (!places.empty())
        finding.evidence.push_back({places[0].path, places[0].line, fmt::format("`{}` is defined here", name)});
      suggest(finding, page, fmt::format(" {}/", name), " ");  // the first of "A/B/C"
      ledger.accuse(std::move(finding));
    }
  }
}

// "`nv-grouped-gemm`" among what is installed or depended on: some file names it.
void hold_package(const Facts& facts, const Page& page, std::uint32_t line, std::string_view name, Ledger& ledger) {
  static constexpr std::array<std::string_view, 6> kVerbs = {"depend",   "install", "extra",
                                                             "requires", "package", "pip "};
  const bool shaped = name.size() >= 6 && contains(name, "-") &&
                      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
  if (!shaped || name.front() == '-' || name.back() == '-') return;
  const std::string sentence = sentence_at(page, line, name);
  if (std::none_of(kVerbs.begin(), kVerbs.end(), [&](std::string_view verb) { return contains(sentence, verb); }))
    return;
  if (facts.names.defines(name) || facts.words.has(name)) return ledger.hold();
  // Somebody else's package is nobody's claim: only where the line says that this code depends on it.
  if (!contains(sentence, "depend on") && !contains(sentence, "depends on")) return;
  if (is_excused(facts, page, line, name, name)) return;
  ledger.accuse(finding_at(page, line, "playbook-version", Severity::kP2,
                           fmt::format("nothing here depends on `{}`", name),
                           "An agent that follows this line installs what is not used",
                           "drop it, or name the dependency as it is called now"));
}

}  // namespace

namespace {

// The flag as the repository's own code writes it: tests and scripts that run.
bool is_written_in_code(const Facts& facts, std::string_view flag) {
  return std::any_of(facts.program.modules().begin(), facts.program.modules().end(),
                     [&](const program::Module& module) { return contains(module.facts->source().bytes(), flag); });
}

// "--compile.enable" is held as a whole; false where nothing is known of its section.
bool hold_dotted_flag(const Facts& facts, const Page& page, std::uint32_t line, std::string_view flag, bool is_given,
                      Ledger& ledger) {
  SectionAnswer answer = facts.sections->look_up(flag.substr(2));
  // A section that nobody knows is another program's, unless one of ours is given it.
  if (answer.kind == SectionAnswer::Kind::kUnknown && is_given && answer.found.empty() && !answer.missing.empty())
    answer.kind = SectionAnswer::Kind::kMissing;
  if (answer.kind == SectionAnswer::Kind::kUnknown) return false;
  const bool written =
      answer.kind != SectionAnswer::Kind::kExists && facts.words.has(flag.substr(flag.rfind('.') + 1)) &&
      ledger.answer(fmt::format("written {}", flag), true, [&] { return is_written_in_code(facts, flag); });
  if (answer.kind == SectionAnswer::Kind::kExists || written) {
    ledger.hold();
    return true;
  }
  // "--override.flags" stands for any flag.
  static constexpr std::array<std::string_view, 9> kAny = {"flag", "flags", "option", "options", "field",
                                                           "key",  "name",  "args",   "params"};
  if (std::find(kAny.begin(), kAny.end(), answer.missing) != kAny.end()) return true;
  if (is_excused(facts, page, line, flag, answer.missing)) return true;
  std::vector<std::string> flags;
  for (const std::string& name : answer.moved_to) flags.push_back(fmt::format("`--{}`", name));
  rules::Finding finding = finding_at(
      page, line, "playbook-option", Severity::kP2, fmt::format("no configuration here takes `{}`", flag),
      answer.found.empty()
          ? fmt::format("A run with this flag stops with an error: there is no section `{}`", answer.missing)
          : fmt::format("A run with this flag stops with an error: `{}` has no `{}`", answer.found, answer.missing),
      flags.empty() ? "name a flag that exists, or drop the line"
                    : fmt::format("the flag is now {}", join(flags, " or ")));
  if (!answer.place.path.empty())
    finding.evidence.push_back({answer.place.path, answer.place.line,
                                flags.empty() ? fmt::format("`{}` is declared here", answer.found)
                                              : fmt::format("`{}` is declared here", answer.moved_to.front())});
  if (flags.size() == 1) suggest(finding, page, flag, "--" + answer.moved_to.front());
  ledger.accuse(std::move(finding));
  return true;
}

}  // namespace

void hold_flag(const Facts& facts, const Page& page, std::uint32_t line, std::string_view text, bool is_given,
               Ledger& ledger) {
  std::string_view flag = text.substr(0, text.find_first_of("= \t"));
  if (!flag.starts_with("--") || flag.size() < 5 ||
      flag.find_first_of("<>{}*$[]|`'\"\\/():,") != std::string_view::npos)
    return;
  std::string_view name = flag.substr(2);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && hold_dotted_flag(facts, page, line, flag, is_given, ledger)) return;
  const std::string_view leaf = dot == std::string_view::npos ? name : name.substr(dot + 1);
  // tyro and argparse.BooleanOptionalAction turn a switch off with "no".
  const std::string_view positive = leaf.starts_with("no-") || leaf.starts_with("no_") ? leaf.substr(3) : leaf;
  if (dot == std::string_view::npos && facts.options->knows(leaf)) return ledger.hold();
  // A last word that stands somewhere says nothing for a whole path.
  if (facts.words.has(leaf) || facts.words.has(positive)) return dot == std::string_view::npos ? ledger.hold() : void();
  if (is_excused(facts, page, line, flag, leaf)) return;
  const std::string sentence = sentence_at(page, line, flag);
  if (names_outside_tool(sentence)) return;
  const bool section_known = dot != std::string_view::npos && facts.words.has(name.substr(0, name.find('.')));
  std::string family(leaf.substr(0, leaf.find_first_of("-_")));
  const bool compound = family.size() < leaf.size();
  const bool known_family = compound && family.size() >= 3 && facts.options->family_size(family + "_") >= 3;
  const std::string nearest = ScriptOptions::nearest(flag, facts.options->all());
  if (!section_known && !known_family && nearest.empty()) return;
  rules::Finding finding = finding_at(
      page, line, "playbook-option", Severity::kP2, fmt::format("no script here takes `{}`", flag),
      "A run with this flag stops with an error",
      nearest.empty() ? "name a flag that exists, or drop the line" : fmt::format("the nearest flag is `{}`", nearest));
  if (!nearest.empty()) suggest(finding, page, flag, nearest);
  ledger.accuse(std::move(finding));
}

void check_names(const Facts& facts, const Page& page, Ledger& ledger) {
  for (const CodeSpan& code : page.codes) {
    hold_default(facts, page, code, ledger);
    if (code.in_link || is_command(code.text)) continue;
    const std::string_view text = trim(code.text);
    if (text.starts_with("--")) {
      hold_flag(facts, page, code.line, text, false, ledger);
      continue;
    }
    if (text.ends_with('*') && !contains(text, "/")) {
      hold_name_glob(facts, page, code.line, text, ledger);
      continue;
    }
    const std::string_view name = bare_name(text);
    hold_package(facts, page, code.line, name, ledger);
    if (is_identifier(name)) hold_bare(facts, page, code.line, name, ledger);
    if (is_dotted(name) && !as_path(name)) hold_dotted(facts, page, code.line, name, ledger);
  }
  for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
    if (page.is_prose[line]) hold_contents(facts, page, line, ledger);
  }
}

}  // namespace lockstep::playbook
