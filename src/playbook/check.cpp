#include "playbook/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/hash.h"
#include "base/secrets.h"
#include "base/strings.h"
#include "playbook/check_parts.h"
#include "python/tree_walk.h"

namespace lockstep::playbook {

namespace {

// Names that a code block defines: the reader is shown how to make them.
void introduce_python(const CodeBlock& block, std::set<std::string, std::less<>>& names) {
  std::string text;
  for (const CodeLine& line : block.lines) text += line.text + "\n";
  const auto facts = python::extract_facts(std::move(text));
  for (const python::Scope& scope : facts->scopes) {
    for (const python::Binding& binding : scope.bindings) {
      if (binding.kind != python::BindingKind::kImport) names.emplace(binding.name);
    }
  }
  python::walk_of<python::Attribute>(facts->tree(), python::Nested::kEnter, [&](const python::Attribute* attribute) {
    if (attribute->context == python::ExprContext::kStore) names.emplace(attribute->name.text);
  });
}

// "key: value" and "key = value" lines of configuration, NAME=value lines of shell.
void introduce_keys(const CodeBlock& block, std::set<std::string, std::less<>>& names) {
  for (const CodeLine& line : block.lines) {
    const std::string_view text = trim(line.text);
    const std::size_t end = text.find_first_of(":=");
    if (end == std::string_view::npos) continue;
    std::string_view key = trim(text.substr(0, end));
    if (key.starts_with("- ")) key = trim(key.substr(2));
    if (key.starts_with("export ")) key = trim(key.substr(7));
    if (!key.empty() && key.find(' ') == std::string_view::npos) names.emplace(key);
  }
}

std::set<std::string, std::less<>> introduced_names(const Playbooks& playbooks) {
  std::set<std::string, std::less<>> names;
  for (const Playbook& playbook : playbooks.read) {
    for (const CodeBlock& block : playbook.page.blocks) {
      if (block.language == "python" || block.language == "py") {
        introduce_python(block, names);
      } else {
        introduce_keys(block, names);
      }
    }
  }
  return names;
}

// `from own.module import name`: held like a dotted name.
void hold_imports(const Facts& facts, const Page& page, const std::vector<CodeLine>& lines, Ledger& ledger) {
  std::string text;
  for (const CodeLine& line : lines) text += line.text + "\n";
  const auto parsed = python::extract_facts(std::move(text));
  for (const python::ImportedName& import : parsed->imports) {
    if (import.level > 0 || import.module.empty() || import.name == "*") continue;
    const std::string dotted =
        import.name.empty() ? std::string(import.module) : fmt::format("{}.{}", import.module, import.name);
    const std::string root = dotted.substr(0, dotted.find('.'));
    const std::uint32_t row = parsed->source().line_of(import.span.begin);
    if (!facts.names.is_own_root(root) || row >= lines.size() || dotted == root) continue;
    const DottedAnswer answer = facts.names.look_up(dotted);
    if (answer.answer == Answer::kExists) ledger.hold();
    if (answer.answer != Answer::kMissing || !answer.exact || facts.introduced.contains(answer.missing)) continue;
    const std::vector<Place> elsewhere = facts.names.places_of(answer.missing);
    rules::Finding finding =
        finding_at(page, lines[row].line, "playbook-symbol", rules::Severity::kP1,
                   fmt::format("`{}` has no `{}` to import", answer.found, answer.missing),
                   "The example stops with an ImportError",
                   elsewhere.empty()
                       ? std::string("import what exists")
                       : fmt::format("it is defined at `{}:{}`", elsewhere.front().path, elsewhere.front().line + 1));
    if (!elsewhere.empty())
      finding.evidence.push_back(
          {elsewhere.front().path, elsewhere.front().line, fmt::format("`{}` is defined here", answer.missing)});
    finding.certainty = rules::FindingCertainty::kProven;
    ledger.accuse(std::move(finding));
  }
}

// Python blocks, and import statements inside a sentence.
void check_imports(const Facts& facts, const Page& page, Ledger& ledger) {
  for (const CodeBlock& block : page.blocks) {
    if (block.language == "python" || block.language == "py") hold_imports(facts, page, block.lines, ledger);
  }
  for (const CodeSpan& code : page.codes) {
    const bool imports =
        code.text.starts_with("import ") || (code.text.starts_with("from ") && contains(code.text, " import "));
    if (!imports || code.in_link || is_placeholder(code.text) || contains(code.text, "...")) continue;
    const std::string sentence = sentence_at(page, code.line, code.text);
    if (speaks_of_absence(sentence) || speaks_of_making(sentence) || speaks_of_elsewhere(sentence)) continue;
    hold_imports(facts, page, {{code.text, code.line}}, ledger);
  }
}

/// `target` as a link from a file in `folder` names it.
std::string seen_from(std::string_view folder, std::string_view target) {
  const std::vector<std::string_view> from = split(folder, '/'), to = split(target, '/');
  std::size_t shared = 0;
  while (!folder.empty() && shared < from.size() && shared + 1 < to.size() && from[shared] == to[shared]) ++shared;
  std::string path;
  for (std::size_t i = shared; !folder.empty() && i < from.size(); ++i) path += "../";
  for (std::size_t i = shared; i < to.size(); ++i) path += fmt::format("{}{}", i == shared ? "" : "/", to[i]);
  return path;
}

/// What the line must say instead, where `path`, which it writes as `written`, is `target` now; empty where that is
/// not clear.
std::string written_anew(const Page& page, std::string_view written, std::string_view path, std::string_view target) {
  if (written == path) return std::string(target);
  if (join_path(folder_of(page.path), written) == path) return seen_from(folder_of(page.path), target);
  if (path.ends_with(".py") && replace_all(path.substr(0, path.size() - 3), "/", ".") == written)
    return target.ends_with(".py") ? replace_all(target.substr(0, target.size() - 3), "/", ".") : std::string();
  if (path.ends_with(written) && path[path.size() - written.size() - 1] == '/') {
    const std::string_view lead = path.substr(0, path.size() - written.size());
    return std::string(target.starts_with(lead) ? target.substr(lead.size()) : target);
  }
  return {};
}

// Follows renames up to the commit that removed the last name.
void follow_renames(const repo::Repository& repository, std::string_view revision, const Paths& paths,
                    std::vector<repo::PathFate>& fates) {
  constexpr int kMostRenames = 5;
  for (int round = 0; round < kMostRenames; ++round) {
    std::vector<std::string> wanted;
    std::vector<std::size_t> whose;
    for (std::size_t i = 0; i < fates.size(); ++i) {
      if (!fates[i].known || fates[i].renamed_to.empty() || paths.has(fates[i].renamed_to)) continue;
      wanted.push_back(fates[i].renamed_to);
      whose.push_back(i);
    }
    if (wanted.empty()) return;
    bool moved = false;
    const std::vector<repo::PathFate> next = repository.fates_of(revision, wanted);
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (!next[i].known || next[i].renamed_to == fates[whose[i]].renamed_to) continue;
      fates[whose[i]] = next[i];
      moved = true;
    }
    if (!moved) return;
  }
}

// The thing itself is no other name of it.
std::string nearest_other(const Paths& paths, const std::string& path) {
  std::string nearest = paths.nearest(path);
  const std::string_view bare =
      nearest.ends_with('/') ? std::string_view(nearest).substr(0, nearest.size() - 1) : nearest;
  return bare == path ? std::string() : nearest;
}

// What the history or the tree says of a path that is gone.
void explain_missing(MissingPath& missing, const repo::PathFate& fate, const Paths& paths) {
  rules::Finding& finding = missing.finding;
  std::string target;
  if (fate.known) {
    const std::string commit = fmt::format("{} ({}, \"{}\")", fate.removed_by.id.substr(0, 10),
                                           fate.removed_by.date.substr(0, 10), fate.removed_by.subject);
    const bool renamed = !fate.renamed_to.empty() && paths.has(fate.renamed_to);
    if (renamed) {
      target = fate.renamed_to;
      finding.fix = fmt::format("it was renamed to `{}` by {}", target, commit);
    } else {
      target = nearest_other(paths, missing.path);
      finding.fix = fmt::format("it was removed by {}{}", commit,
                                target.empty() ? std::string() : fmt::format("; the nearest is `{}`", target));
    }
    finding.certainty = rules::FindingCertainty::kProven;
    if (!renamed) target.clear();
  } else {
    target = nearest_other(paths, missing.path);
    finding.fix = target.empty() ? "name what exists, or drop the line" : fmt::format("the nearest is `{}`", target);
    // A name elsewhere is a guess: told, but not put in place.
    if (name_of(target) == name_of(missing.path) || target.ends_with('/')) return;
    target.clear();
  }
  if (target.empty() || missing.page == nullptr) return;
  const std::string anew = written_anew(*missing.page, missing.written, missing.path, target);
  if (!anew.empty()) suggest_everywhere(finding, *missing.page, missing.written, anew);
}

void settle_missing(const repo::Repository* repository, std::string_view revision, const Paths& paths, Ledger& ledger) {
  std::vector<std::string> wanted;
  for (const MissingPath& missing : ledger.missing_) wanted.push_back(missing.path);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<repo::PathFate> fates(wanted.size());
  if (repository != nullptr) {
    fates = repository->fates_of(revision, wanted);
    follow_renames(*repository, revision, paths, fates);
  }
  for (MissingPath& missing : ledger.missing_) {
    const auto at = std::lower_bound(wanted.begin(), wanted.end(), missing.path) - wanted.begin();
    const repo::PathFate& fate = fates[static_cast<std::size_t>(at)];
    if (missing.only_if_known && !fate.known) continue;
    explain_missing(missing, fate, paths);
    ledger.accuse(std::move(missing.finding));
  }
  ledger.missing_.clear();
}

/// What lines of playbooks hold that nobody should see.
struct Secrets {
  std::map<std::pair<std::string, std::uint32_t>, std::vector<std::string>> by_line;
  std::vector<std::string> first;  ///< Of all lines; a file with more is made of them, and each line knows its own.
};

Secrets secrets_of(const Playbooks& playbooks) {
  constexpr std::size_t kMost = 100;
  Secrets secrets;
  for (const Playbook& playbook : playbooks.read) {
    const Page& page = playbook.page;
    for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
      const std::string_view text = page.source.line(line);
      for (const FoundSecret& one : find_secrets(text)) {
        std::vector<std::string>& own = secrets.by_line[{page.path, line}];
        const std::string value(text.substr(one.begin, one.length));
        for (const std::string& form : {value, to_lower(value)}) {
          if (own.size() < kMost) own.push_back(form);
          if (secrets.first.size() < kMost) secrets.first.push_back(form);
        }
      }
    }
  }
  return secrets;
}

// Findings quote lines; a secret of a line is in none of them.
void redact(const Secrets& secrets, std::vector<rules::Finding>& findings) {
  for (rules::Finding& finding : findings) {
    const auto own = secrets.by_line.find({finding.path, finding.start_line});
    const auto plain = [&](std::string_view text) {
      std::string result(text);
      for (const std::string& secret : secrets.first) result = replace_all(result, secret, "***");
      if (own != secrets.by_line.end())
        for (const std::string& secret : own->second) result = replace_all(result, secret, "***");
      return without_secrets(result);
    };
    for (std::string* text : {&finding.message, &finding.why, &finding.fix, &finding.symbol}) *text = plain(*text);
    for (rules::Evidence& evidence : finding.evidence) evidence.message = plain(evidence.message);
    // A line with a mask in it is no replacement.
    if (finding.suggestion && plain(*finding.suggestion) != *finding.suggestion) finding.suggestion.reset();
  }
}

auto order(const rules::Finding& finding) {
  return std::tie(finding.path, finding.start_line, finding.rule, finding.message);
}

}  // namespace

CheckResult hold_playbooks(const Ground& ground, const Playbooks& playbooks, const repo::Repository* repository,
                           std::string_view revision, const Playbooks* all) {
  const Facts facts{ground.snapshot, ground.program,
                    ground.paths,    ground.words,
                    ground.tools,    ground.names,
                    ground.options,  ground.sections,
                    playbooks,       introduced_names(all != nullptr ? *all : playbooks),
                    ground.taken,    ground.holds_only_taken};
  Ledger ledger;
  CheckResult result;
  for (const Playbook& playbook : playbooks.read) {
    const Page& page = playbook.page;
    check_paths(facts, page, ledger);
    check_links(facts, page, ledger);
    check_names(facts, page, ledger);
    check_named_places(facts, page, ledger);
    check_imports(facts, page, ledger);
    check_commands(facts, page, ledger);
    check_settings(facts, page, ledger);
    check_front_matter(facts, playbook, ledger);
    check_hygiene(facts, playbook, ledger);
    result.lines += page.source.line_count();
  }
  check_together(facts, ledger);
  settle_missing(repository, revision, ground.paths, ledger);
  result.findings = std::move(ledger.findings_);
  redact(secrets_of(playbooks), result.findings);
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const auto& a, const auto& b) { return order(a) < order(b); });
  result.findings.erase(std::unique(result.findings.begin(), result.findings.end(),
                                    [](const auto& a, const auto& b) { return order(a) == order(b); }),
                        result.findings.end());
  result.claims_held = ledger.held_;
  result.playbooks = playbooks.read.size();
  return result;
}

CheckResult check_playbooks(const CheckInputs& inputs) {
  const Playbooks playbooks = read_playbooks(inputs.snapshot, Paths(inputs.snapshot), inputs.files);
  std::set<std::string, std::less<>> read;
  for (const Playbook& playbook : playbooks.read) read.insert(playbook.page.path);
  const Ground ground = gather_ground(inputs.snapshot, inputs.program, read, inputs.jobs);
  return hold_playbooks(ground, playbooks, inputs.repository, inputs.revision);
}

report::Report report_of(CheckResult result, const repo::Snapshot& snapshot) {
  report::Report report;
  report.coverage.files_read = result.playbooks;
  report.coverage.lines_read = result.lines;
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const rules::Finding& a, const rules::Finding& b) {
                     return std::tie(a.severity, a.path, a.start_line, a.rule, a.message) <
                            std::tie(b.severity, b.path, b.start_line, b.rule, b.message);
                   });
  std::map<std::string, SourceText> sources;
  std::map<std::string, std::size_t> occurrences;
  for (rules::Finding& finding : result.findings) {
    auto source = sources.find(finding.path);
    if (source == sources.end()) {
      Result<std::string> bytes = snapshot.read(finding.path);
      source = sources.emplace(finding.path, SourceText(bytes ? std::move(*bytes) : std::string())).first;
    }
    const std::string key =
        fmt::format("{}\n{}\n{}", finding.rule, finding.path, trim(source->second.line(finding.start_line)));
    report::ReportedFinding reported;
    reported.fingerprint = hash128_hex(fmt::format("{}\n{}", key, occurrences[key]++));
    reported.finding = std::move(finding);
    report.findings.push_back(std::move(reported));
  }
  return report;
}

}  // namespace lockstep::playbook
