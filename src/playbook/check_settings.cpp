// What a playbook says of settings: lengths of lines, versions, lint rules, hooks, docstring style, and "there is no
// such configuration".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/strings.h"
#include "playbook/check_parts.h"
#include "playbook/versions.h"

namespace lockstep::playbook {

namespace {

using rules::Severity;

constexpr std::string_view kWhy =
    "An agent that follows this line works against the configuration, and CI refuses its change";

/// A word of a line: letters, digits and what versions and rule codes are made of.
struct Piece {
  std::string_view text;
  std::size_t at = 0;
};

bool in_piece(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '+';
}

std::vector<Piece> pieces_of(std::string_view line) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < line.size();) {
    if (!in_piece(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && in_piece(line[end])) ++end;
    std::string_view text = line.substr(i, end - i);
    while (text.ends_with('.')) text.remove_suffix(1);
    if (!text.empty()) pieces.push_back({text, i});
    i = end;
  }
  return pieces;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_style_tool(std::string_view name) {
  static const std::set<std::string_view> kTools = {"black", "ruff", "isort", "flake8",   "pylint",
                                                    "yapf",  "ufmt", "usort", "autopep8", "pycodestyle"};
  return kTools.contains(name);
}

/// "max line 100", "line length: 119", "100-col", "120 characters" where lines are spoken of.
struct LengthClaim {
  int value = 0;
  std::string tool;  // empty: none named
};

std::optional<LengthClaim> length_claim(std::string_view line) {
  const std::vector<Piece> pieces = pieces_of(line);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!is_number(pieces[i].text) || pieces[i].text.size() > 3 || pieces[i].text.size() < 2) continue;
    const int value = std::stoi(std::string(pieces[i].text));
    if (value < 60 || value > 200) continue;
    const std::size_t end = pieces[i].at + pieces[i].text.size();
    // "80-120" is a range, and advice.
    const bool ranged =
        (pieces[i].at > 0 && line[pieces[i].at - 1] == '-' && i > 0 && is_number(pieces[i - 1].text)) ||
        (end < line.size() && line[end] == '-' && i + 1 < pieces.size() && is_number(pieces[i + 1].text));
    if (ranged) continue;
    const std::string_view next = i + 1 < pieces.size() ? pieces[i + 1].text : std::string_view{};
    const auto word_back = [&](std::size_t back) { return i >= back ? pieces[i - back].text : std::string_view{}; };
    const bool columns = next.starts_with("col") && (end < line.size() && (line[end] == '-' || line[end] == ' '));
    const bool characters = next.starts_with("char") && contains(line, "line");
    bool after_line =
        word_back(1) == "line" && (word_back(2) == "max" || contains(line, "black") || contains(line, "isort"));
    for (std::size_t back = 1; back <= 4; ++back) {
      after_line |= word_back(back) == "length" && (word_back(back + 1) == "line");
      after_line |= word_back(back) == "line_length" || word_back(back) == "max_line_length";
    }
    if (!columns && !characters && !after_line) continue;
    LengthClaim claim{value, {}};
    const std::string_view clause = line.substr(0, pieces[i].at);
    const std::size_t stop = std::max(clause.rfind(';') == std::string_view::npos ? 0 : clause.rfind(';'),
                                      clause.rfind(". ") == std::string_view::npos ? 0 : clause.rfind(". "));
    for (const Piece& piece : pieces) {
      if (piece.at >= stop && piece.at < pieces[i].at && is_style_tool(piece.text)) claim.tool = piece.text;
    }
    return claim;
  }
  return std::nullopt;
}

void check_length(const Facts& facts, const Page& page, std::uint32_t line, const std::string& text, Ledger& ledger) {
  const std::optional<LengthClaim> claim = length_claim(text);
  if (!claim || facts.tools.line_lengths.empty() || contains(text, "commit message") || contains(text, "docs/") ||
      contains(text, "markdown"))
    return;
  std::vector<const LineLength*> relevant;
  for (const LineLength& length : facts.tools.line_lengths) {
    if (claim->tool.empty() || length.tool == claim->tool) relevant.push_back(&length);
  }
  if (relevant.empty()) {
    for (const LineLength& length : facts.tools.line_lengths) relevant.push_back(&length);
  }
  if (std::any_of(relevant.begin(), relevant.end(),
                  [&](const LineLength* length) { return length->value == claim->value; }))
    return ledger.hold();
  std::vector<std::string> actual;
  std::set<int> values;
  for (const LineLength* length : relevant) {
    const std::string item = fmt::format("{} for {} (`{}`)", length->value, length->tool, length->place.path);
    if (std::find(actual.begin(), actual.end(), item) == actual.end()) actual.push_back(item);
    values.insert(length->value);
  }
  rules::Finding finding = finding_at(
      page, line, "playbook-lint", Severity::kP2,
      fmt::format("lines may not be {} characters long: the configuration says {}", claim->value, join(actual, ", ")),
      std::string(kWhy), fmt::format("write {}", *values.begin()));
  for (const LineLength* length : relevant)
    finding.evidence.push_back(
        {length->place.path, length->place.line, fmt::format("{} is told {}", length->tool, length->value)});
  if (values.size() == 1) suggest(finding, page, std::to_string(claim->value), std::to_string(*values.begin()));
  ledger.accuse(std::move(finding));
}

/// "black 24.4", "Python 3.12+", "torch>=2.6".
struct VersionClaim {
  std::string package;
  std::string version;
  bool at_least = false;
  bool is_choice = false;  ///< "use Python 3.10": this one, whatever else would do.
};

// "use python 3.10", "target 3.10 (.python-version)"; not "use python 3.10 syntax", "3.10 or newer".
bool is_choice_of_python(std::string_view line, const std::vector<Piece>& pieces, std::size_t version) {
  if (contains(line, "container") || contains(line, "docker") || contains(line, "image")) return false;
  const std::size_t end = pieces[version].at + pieces[version].text.size();
  const std::string_view rest = trim(line.substr(end));
  const bool ends = rest.empty() || rest.front() == '.' || rest.front() == ',' || rest.front() == ';' ||
                    rest.front() == '(' || rest.front() == ')' || rest.front() == '|';
  if (!ends || contains(rest.substr(0, 24), "or newer") || contains(rest.substr(0, 24), "or later")) return false;
  if (contains(line, ".python-version")) return true;
  static const std::set<std::string_view> kVerbs = {"use", "uses", "using", "target", "targets"};
  return kVerbs.contains(pieces[version - 1].text) || (version >= 2 && kVerbs.contains(pieces[version - 2].text));
}

std::vector<VersionClaim> version_claims(std::string_view line, const Tools* tools) {
  std::vector<VersionClaim> claims;
  const std::vector<Piece> pieces = pieces_of(line);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    std::string_view version = pieces[i].text;
    const bool plus = version.ends_with('+');
    if (plus) version.remove_suffix(1);
    if (version.empty() || version.front() < '0' || version.front() > '9' || !contains(version, ".") ||
        version.find_first_not_of("0123456789.") != std::string_view::npos)
      continue;
    const std::size_t name_end = pieces[i - 1].at + pieces[i - 1].text.size();
    const std::string_view between = line.substr(name_end, pieces[i].at - name_end);
    std::string_view name = pieces[i - 1].text;
    std::string lower = to_lower(name);
    // "Python: Target 3.12"
    if ((lower == "target" || lower == "version" || lower == "requires") && i >= 2 &&
        to_lower(pieces[i - 2].text) == "python")
      lower = "python";
    if ((lower == "target" || lower == "targets" || lower == "use") && version.starts_with("3.") &&
        contains(line, ".python-version"))
      lower = "python";
    if (lower == "pytorch") lower = "torch";
    static const std::set<std::string_view> kBetween = {" ", "==", ">=", " >=", " >= ", " == ", ": ", " (", "~=", " v"};
    if (!kBetween.contains(between)) continue;
    const bool operated = contains(between, "=");
    const bool known = lower == "python" || is_style_tool(lower) || lower == "mypy" || lower == "pytest" ||
                       (operated && tools != nullptr && !tools->pins_of(lower).empty()) || lower == "torch";
    if (!known) continue;
    const bool at_least = plus || contains(between, ">=");
    claims.push_back({normalise_package(lower), std::string(version), at_least,
                      lower == "python" && !at_least && is_choice_of_python(line, pieces, i)});
  }
  return claims;
}

bool is_interpreter_pin(const Pin* pin) { return pin->place.path == ".python-version" && is_exact(pin->spec); }

void check_version(const Facts& facts, const Page& page, std::uint32_t line, const VersionClaim& claim,
                   Ledger& ledger) {
  const std::vector<const Pin*> pins = facts.tools.pins_of(claim.package);
  bool judged = false;
  const Pin* wrong = nullptr;
  const bool pinned = claim.is_choice && std::any_of(pins.begin(), pins.end(), is_interpreter_pin);
  for (const Pin* pin : pins) {
    // One interpreter is chosen already: what else the project would run on does not matter.
    if (pinned && !is_interpreter_pin(pin)) continue;
    if (claim.at_least) {
      const std::string bound = lower_bound_of(pin->spec);
      if (bound.empty()) continue;
      if (satisfies(fmt::format("=={}", bound), claim.version).value_or(true)) return ledger.hold();
      judged = true;
      wrong = wrong == nullptr ? pin : wrong;
    } else if (is_exact(pin->spec) || claim.package == "python") {
      const std::optional<bool> met = satisfies(pin->spec, claim.version);
      if (!met || *met) return ledger.hold();
      judged = true;
      wrong = wrong == nullptr ? pin : wrong;
    } else {
      if (satisfies(pin->spec, claim.version).value_or(true)) return ledger.hold();
    }
  }
  if (!judged || wrong == nullptr) return;
  const std::string sentence = sentence_at(page, line, claim.version);
  if (speaks_of_absence(sentence)) return;
  rules::Finding finding = finding_at(page, line, "playbook-version", Severity::kP2,
                                      fmt::format("{} {}{} is not what `{}` says: `{}`", claim.package, claim.version,
                                                  claim.at_least ? "+" : "", wrong->place.path, wrong->spec),
                                      "Another version behaves otherwise: formatters rewrite files, installs fail",
                                      fmt::format("write what `{}` says", wrong->place.path));
  finding.evidence.push_back(
      {wrong->place.path, wrong->place.line, fmt::format("`{}` is held to `{}`", claim.package, wrong->spec)});
  // As many numbers as the line has: "24.4" becomes "26.3", not "26.3.0".
  const std::string true_version = claim.at_least          ? lower_bound_of(wrong->spec)
                                   : is_exact(wrong->spec) ? wrong->spec
                                                           : "";
  if (const auto numbers =
          parse_version(true_version.substr(std::min(true_version.size(), true_version.find_first_of("0123456789"))))) {
    std::vector<std::string> parts;
    for (const int number : *numbers) {
      if (parts.size() < split(claim.version, '.').size()) parts.push_back(std::to_string(number));
    }
    suggest(finding, page, claim.version, join(parts, "."));
  }
  ledger.accuse(std::move(finding));
}

bool is_rule_code(std::string_view text) {
  std::size_t letters = 0;
  while (letters < text.size() && text[letters] >= 'A' && text[letters] <= 'Z') ++letters;
  const std::size_t digits = text.size() - letters;
  return letters >= 1 && letters <= 4 && digits >= 3 && digits <= 4 && is_number(text.substr(letters));
}

// "flake8 … ignores E203/E501", "ruff … rule S506".
void check_rules(const Facts& facts, const Page& page, std::uint32_t line, const std::string& text, Ledger& ledger) {
  const std::string plain = page.plain_line(line);
  std::string tool;
  bool on = true, polarity_known = false;
  for (const Piece& piece : pieces_of(plain)) {
    const std::string lower = to_lower(piece.text);
    if (lower == "ruff" || lower == "flake8" || lower == "pylint") {
      tool = lower;
      polarity_known = false;
    }
    if (lower.starts_with("ignor") || lower.starts_with("disabl") || lower == "skips") {
      on = false;
      polarity_known = true;
    }
    if (lower == "rule" || lower == "rules" || lower.starts_with("select") || lower.starts_with("enabl") ||
        lower.starts_with("enforc")) {
      on = true;
      polarity_known = true;
    }
    if (!is_rule_code(piece.text) || tool.empty() || !polarity_known) continue;
    const LintRule* opposite = nullptr;
    bool same = false, any = false;
    for (const LintRule& rule : facts.tools.lint_rules) {
      if (rule.tool != tool) continue;
      any |= rule.on == on;
      const bool covers = piece.text.starts_with(rule.code);
      same |= covers && rule.on == on;
      if (covers && rule.on != on) opposite = &rule;
    }
    if (same) {
      ledger.hold();
      continue;
    }
    if (speaks_of_absence(text)) continue;
    const bool hooked = std::any_of(facts.tools.hooks.begin(), facts.tools.hooks.end(),
                                    [&](const auto& hook) { return contains(hook.first, tool); });
    if (!facts.tools.configured.contains(tool) && !hooked) {
      ledger.accuse(finding_at(page, line, "playbook-lint", Severity::kP2,
                               fmt::format("no configuration of {} is left here", tool), std::string(kWhy),
                               "drop what the line says of its settings"));
      return;
    }
    if (opposite == nullptr && !any) continue;
    rules::Finding finding = finding_at(page, line, "playbook-lint", Severity::kP2,
                                        fmt::format("{} does not {} `{}`", tool, on ? "check" : "ignore", piece.text),
                                        std::string(kWhy), "say what the configuration says");
    if (opposite != nullptr) {
      finding.evidence.push_back(
          {opposite->place.path, opposite->place.line,
           fmt::format("{} is told to {} `{}`", tool, opposite->on ? "check" : "ignore", opposite->code)});
    } else {
      for (const Place& place : facts.tools.configured.find(tool)->second)
        finding.evidence.push_back({place.path, place.line, fmt::format("{} is configured here", tool)});
    }
    ledger.accuse(std::move(finding));
  }
}

// "`.pre-commit-config.yaml` enforces `black`, `isort`": each is a hook.
void check_hooks(const Facts& facts, const Page& page, std::uint32_t line, const std::string& text, Ledger& ledger) {
  if (!contains(text, "pre-commit") || !facts.tools.has_pre_commit) return;
  const std::size_t verb =
      std::min({text.find("enforces"), text.find(" runs "), text.find("hooks:"), text.find("hooks for")});
  if (verb == std::string::npos || text.find("pre-commit") > verb || speaks_of_absence(text)) return;
  for (const CodeSpan& code : page.codes) {
    if (code.line != line ||
        !(is_style_tool(code.text) || code.text == "mypy" || code.text == "codespell" || code.text == "pyright"))
      continue;
    const bool known = std::any_of(facts.tools.hooks.begin(), facts.tools.hooks.end(),
                                   [&](const auto& hook) { return contains(hook.first, code.text); });
    if (known) {
      ledger.hold();
      continue;
    }
    std::vector<std::string> hooks;
    for (const auto& [id, place] : facts.tools.hooks) hooks.push_back(fmt::format("`{}`", id));
    rules::Finding finding = finding_at(page, line, "playbook-lint", Severity::kP2,
                                        fmt::format("pre-commit has no hook for `{}`", code.text), std::string(kWhy),
                                        fmt::format("its hooks: {}", join(hooks, ", ")));
    finding.evidence.push_back({".pre-commit-config.yaml", 0, "the hooks are listed here"});
    ledger.accuse(std::move(finding));
  }
}

void check_docstrings(const Facts& facts, const Page& page, std::uint32_t line, const std::string& text,
                      Ledger& ledger) {
  if (!contains(text, "docstring") || !facts.tools.docstring_convention) return;
  const Pin& convention = *facts.tools.docstring_convention;
  for (const std::string_view style : {"google", "numpy"}) {
    if (!contains(text, style)) continue;
    if (style == convention.spec) return ledger.hold();
    if (speaks_of_absence(text)) return;
    rules::Finding finding =
        finding_at(page, line, "playbook-lint", Severity::kP2,
                   fmt::format("docstrings follow the {} convention here, not {}", convention.spec, style),
                   std::string(kWhy), fmt::format("write {}", convention.spec));
    finding.evidence.push_back({convention.place.path, convention.place.line,
                                fmt::format("{} is told `{}`", convention.name, convention.spec)});
    ledger.accuse(std::move(finding));
    return;
  }
}

/// What "no X" says is absent, and the files whose presence makes it false.
struct Absence {
  std::string_view subject;
  std::array<std::string_view, 4> files;
  std::string_view tool;
};

constexpr std::array<Absence, 7> kAbsences = {{
    {"cursor", {".cursorrules", ".cursor/rules", "", ""}, ""},
    {"copilot", {".github/copilot-instructions.md", "", "", ""}, ""},
    {"pyright", {"pyrightconfig.json", "", "", ""}, "pyright"},
    {"mypy", {"mypy.ini", ".mypy.ini", "", ""}, "mypy"},
    {"pre-commit", {".pre-commit-config.yaml", "", "", ""}, ""},
    {"makefile", {"Makefile", "makefile", "", ""}, ""},
    {"changelog", {"CHANGELOG.md", "", "", ""}, ""},
}};

// "No Cursor/Copilot instruction files present", "No pyright config".
void check_absence(const Facts& facts, const Page& page, std::uint32_t line, const std::string& text, Ledger& ledger) {
  for (const std::string_view opening : {"no ", "there is no ", "there are no "}) {
    std::string_view rest = trim(text);
    while (!rest.empty() && (rest.front() == '-' || rest.front() == ' ')) rest.remove_prefix(1);
    std::size_t at = rest.starts_with(opening) ? 0 : std::string_view::npos;
    for (const std::string_view lead : {". ", ": ", "; "}) {
      const std::size_t found = rest.find(std::string(lead) + std::string(opening));
      if (at == std::string_view::npos && found != std::string_view::npos) at = found + lead.size();
    }
    if (at == std::string_view::npos) continue;
    std::string_view claim = rest.substr(at + opening.size());
    claim = claim.substr(0, std::min({claim.find(';'), claim.find(". "), claim.find(','), claim.size()}));
    const bool of_files = contains(claim, "config") || contains(claim, "file") || contains(claim, "present");
    if (!of_files) continue;
    for (const Absence& absence : kAbsences) {
      if (!contains(claim, absence.subject)) continue;
      std::optional<Place> present;
      for (const std::string_view file : absence.files) {
        if (!file.empty() && !present && facts.paths.has(file)) present = Place{std::string(file), 0};
      }
      const auto configured = facts.tools.configured.find(absence.tool);
      if (!present && configured != facts.tools.configured.end()) present = configured->second.front();
      if (!present) {
        ledger.hold();
        continue;
      }
      rules::Finding finding =
          finding_at(page, line, "playbook-absence", Severity::kP2, fmt::format("there is one: `{}`", present->path),
                     "An agent that believes the line never reads it", "name the file");
      finding.evidence.push_back(
          {present->path, present->line, fmt::format("what the line says there is none of ({})", absence.subject)});
      ledger.accuse(std::move(finding));
    }
    return;
  }
}

// "the `nightly` workflow", "`lint` job": one of .github/workflows.
void check_workflows(const Facts& facts, const Page& page, Ledger& ledger) {
  if (facts.tools.workflows.empty()) return;
  for (const CodeSpan& code : page.codes) {
    const std::string sentence = sentence_at(page, code.line, code.text);
    const std::string name = to_lower(code.text);
    const bool called = contains(sentence, name + " workflow") || contains(sentence, "workflow " + name);
    if (!called || name.find_first_of("/<>{}$* ") != std::string::npos || name.size() < 3) continue;
    const auto is_it = [&](const Workflow& workflow) {
      const std::string file = to_lower(name_of(workflow.path));
      return to_lower(workflow.name) == name || file == name || file.substr(0, file.rfind('.')) == name ||
             workflow.jobs.contains(code.text);
    };
    if (std::any_of(facts.tools.workflows.begin(), facts.tools.workflows.end(), is_it) || facts.words.has(code.text)) {
      ledger.hold();
    } else if (contains(name, ".yml") || contains(name, ".yaml")) {
      continue;  // a path, held as such
    } else if (!speaks_of_absence(sentence) && !speaks_of_making(sentence)) {
      ledger.accuse(finding_at(page, code.line, "playbook-workflow", Severity::kP2,
                               fmt::format("no workflow is called `{}`", code.text),
                               "An agent waits for a check that never runs", "name a workflow of `.github/workflows`"));
    }
  }
}

// "@someone" and "@org/team" of a line; not "@docs/file.md" and "me@example.org".
std::vector<std::string> handles_in(std::string_view line) {
  std::vector<std::string> handles;
  for (std::size_t at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
    const bool starts = at == 0 || line[at - 1] == ' ' || line[at - 1] == '(' || line[at - 1] == ',';
    std::size_t end = at + 1;
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '-' ||
                                 line[end] == '/' || line[end] == '_' || line[end] == '.'))
      ++end;
    std::string_view handle = line.substr(at, end - at);
    while (handle.ends_with('.')) handle.remove_suffix(1);
    const bool is_name = std::count(handle.begin(), handle.end(), '/') <= 1 && !contains(handle, ".") &&
                         !handle.ends_with('/') && handle.size() > 2;
    if (starts && is_name) handles.emplace_back(handle);
  }
  return handles;
}

// "@org/team" on a line about owners, "@someone" on one about CODEOWNERS: an owner of that file.
void check_owners(const Facts& facts, const Page& page, std::uint32_t line, const std::string& text, Ledger& ledger) {
  if (facts.tools.owners.empty() || !(contains(text, "codeowner") || contains(text, "owner"))) return;
  for (const std::string& handle : handles_in(page.plain_line(line))) {
    if (!contains(handle, "/") && !contains(text, "codeowners")) continue;
    // GitHub's names have no case.
    const bool known = std::any_of(facts.tools.owners.begin(), facts.tools.owners.end(),
                                   [&](const std::string& owner) { return to_lower(owner) == to_lower(handle); });
    if (known) {
      ledger.hold();
    } else if (!speaks_of_absence(text) && !is_placeholder(handle)) {
      ledger.accuse(finding_at(page, line, "playbook-owner", Severity::kP3,
                               fmt::format("`{}` owns nothing in `{}`", handle, facts.tools.code_owners_path),
                               "A review is asked of a team that is not told of it", "name a team of that file"));
    }
  }
}

}  // namespace

std::vector<Statement> statements_of(const Page& page) {
  std::vector<Statement> statements;
  for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
    if (!page.is_prose[line]) continue;
    const std::string text = to_lower(page.plain_line(line));
    if (speaks_of_absence(text) || contains(text, "docs/") || contains(text, "markdown")) continue;
    if (const auto length = length_claim(text))
      statements.push_back(
          {length->tool.empty() ? "line length" : length->tool + " line length", std::to_string(length->value), line});
    for (const VersionClaim& claim : version_claims(text, nullptr)) {
      if (!claim.at_least) statements.push_back({claim.package + " version", claim.version, line});
    }
  }
  return statements;
}

void check_settings(const Facts& facts, const Page& page, Ledger& ledger) {
  for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
    if (!page.is_prose[line]) continue;
    const std::string text = to_lower(page.plain_line(line));
    check_length(facts, page, line, text, ledger);
    for (const VersionClaim& claim : version_claims(text, &facts.tools))
      check_version(facts, page, line, claim, ledger);
    check_rules(facts, page, line, text, ledger);
    check_hooks(facts, page, line, text, ledger);
    check_docstrings(facts, page, line, text, ledger);
    check_absence(facts, page, line, text, ledger);
    check_owners(facts, page, line, text, ledger);
  }
  check_workflows(facts, page, ledger);
}

}  // namespace lockstep::playbook
