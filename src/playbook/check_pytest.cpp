// pytest's command line: do the files, the tests, the markers and the options exist?
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "playbook/check_commands.h"

namespace lockstep::playbook {

namespace {

using rules::Severity;

constexpr std::string_view kWhyNothing = "The command selects no test, so that nothing is checked and all seems well";

/// Long options of pytest itself and of its widespread plugins (cov, xdist, timeout, rerunfailures, random-order,
/// asyncio, mock, benchmark, html, forked): `pytest --help` of pytest 8.3.
const std::set<std::string_view>& known_options() {
  static const std::set<std::string_view> kKnown = {"--markers",
                                                    "--exitfirst",
                                                    "--fixtures",
                                                    "--funcargs",
                                                    "--fixtures-per-test",
                                                    "--pdb",
                                                    "--pdbcls",
                                                    "--trace",
                                                    "--capture",
                                                    "--runxfail",
                                                    "--last-failed",
                                                    "--lf",
                                                    "--failed-first",
                                                    "--ff",
                                                    "--new-first",
                                                    "--nf",
                                                    "--cache-show",
                                                    "--cache-clear",
                                                    "--last-failed-no-failures",
                                                    "--lfnf",
                                                    "--stepwise",
                                                    "--sw",
                                                    "--stepwise-skip",
                                                    "--sw-skip",
                                                    "--durations",
                                                    "--durations-min",
                                                    "--verbose",
                                                    "--no-header",
                                                    "--no-summary",
                                                    "--no-fold-skipped",
                                                    "--quiet",
                                                    "--verbosity",
                                                    "--disable-warnings",
                                                    "--disable-pytest-warnings",
                                                    "--showlocals",
                                                    "--no-showlocals",
                                                    "--tb",
                                                    "--xfail-tb",
                                                    "--show-capture",
                                                    "--full-trace",
                                                    "--color",
                                                    "--code-highlight",
                                                    "--pastebin",
                                                    "--junit-xml",
                                                    "--junitxml",
                                                    "--junit-prefix",
                                                    "--pythonwarnings",
                                                    "--maxfail",
                                                    "--strict-config",
                                                    "--strict-markers",
                                                    "--strict",
                                                    "--config-file",
                                                    "--continue-on-collection-errors",
                                                    "--rootdir",
                                                    "--collect-only",
                                                    "--co",
                                                    "--pyargs",
                                                    "--ignore",
                                                    "--ignore-glob",
                                                    "--deselect",
                                                    "--confcutdir",
                                                    "--noconftest",
                                                    "--keep-duplicates",
                                                    "--collect-in-virtualenv",
                                                    "--import-mode",
                                                    "--doctest-modules",
                                                    "--doctest-report",
                                                    "--doctest-glob",
                                                    "--doctest-ignore-import-errors",
                                                    "--doctest-continue-on-failure",
                                                    "--basetemp",
                                                    "--version",
                                                    "--help",
                                                    "--trace-config",
                                                    "--debug",
                                                    "--override-ini",
                                                    "--assert",
                                                    "--setup-only",
                                                    "--setup-show",
                                                    "--setup-plan",
                                                    "--log-level",
                                                    "--log-format",
                                                    "--log-date-format",
                                                    "--log-cli-level",
                                                    "--log-cli-format",
                                                    "--log-cli-date-format",
                                                    "--log-file",
                                                    "--log-file-mode",
                                                    "--log-file-level",
                                                    "--log-disable",
                                                    "--log-auto-indent",
                                                    "--cov",
                                                    "--cov-report",
                                                    "--cov-config",
                                                    "--no-cov",
                                                    "--no-cov-on-fail",
                                                    "--cov-fail-under",
                                                    "--cov-append",
                                                    "--cov-branch",
                                                    "--cov-context",
                                                    "--cov-reset",
                                                    "--numprocesses",
                                                    "--dist",
                                                    "--maxprocesses",
                                                    "--max-worker-restart",
                                                    "--tx",
                                                    "--loadscope-reorder",
                                                    "--no-loadscope-reorder",
                                                    "--px",
                                                    "--rsyncdir",
                                                    "--timeout",
                                                    "--timeout-method",
                                                    "--timeout-disable-debugger-detection",
                                                    "--session-timeout",
                                                    "--reruns",
                                                    "--reruns-delay",
                                                    "--only-rerun",
                                                    "--rerun-except",
                                                    "--fail-on-flaky",
                                                    "--random-order",
                                                    "--random-order-bucket",
                                                    "--random-order-seed",
                                                    "--asyncio-mode",
                                                    "--forked",
                                                    "--boxed",
                                                    "--html",
                                                    "--self-contained-html",
                                                    "--benchmark-only",
                                                    "--benchmark-skip",
                                                    "--count",
                                                    "--repeat-scope",
                                                    "--hypothesis-seed",
                                                    "--hypothesis-profile",
                                                    "--hypothesis-show-statistics",
                                                    "--shard-id",
                                                    "--num-shards",
                                                    "--picked",
                                                    "--testmon",
                                                    "--snapshot-update",
                                                    "--nbval",
                                                    "--mpi",
                                                    "--with-mpi",
                                                    "--flake-finder",
                                                    "--flake-runs"};
  return kKnown;
}

bool takes_value(std::string_view option) {
  static const std::set<std::string_view> kValued = {"-k",
                                                     "-m",
                                                     "-n",
                                                     "-p",
                                                     "-c",
                                                     "-o",
                                                     "-W",
                                                     "-r",
                                                     "--tb",
                                                     "--maxfail",
                                                     "--rootdir",
                                                     "--ignore",
                                                     "--deselect",
                                                     "--dist",
                                                     "--timeout",
                                                     "--durations",
                                                     "--capture",
                                                     "--log-cli-level",
                                                     "--log-level",
                                                     "--junitxml",
                                                     "--junit-xml",
                                                     "--color",
                                                     "--confcutdir",
                                                     "--basetemp",
                                                     "--import-mode",
                                                     "--numprocesses",
                                                     "--reruns",
                                                     "--count",
                                                     "--ignore-glob",
                                                     "--override-ini",
                                                     "--cov-report",
                                                     "--cov-config"};
  return kValued.contains(option);
}

// Words of a `-k` or `-m` expression that name something; "not x" asks that x be absent, which it may be.
std::vector<std::string> names_in(std::string_view expression) {
  std::vector<std::string> names;
  std::string word;
  bool bracketed = false;
  for (const char c : std::string(expression) + " ") {
    if (c == '[') bracketed = true;
    const bool in_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (in_word) {
      if (!bracketed) word += c;
      continue;
    }
    if (c == ']') bracketed = false;
    if (!word.empty() && word != "and" && word != "or" && word != "not") names.push_back(word);
    word.clear();
  }
  return names;
}

class PytestHolder {
 public:
  PytestHolder(const Facts& facts, const Page& page, const Session& session, Ledger& ledger)
      : facts_(facts), page_(page), session_(session), ledger_(ledger) {}

  void run(const std::vector<Word>& words) {
    const Word* keyword = nullptr;
    const Word* marker = nullptr;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Word& word = words[i];
      if (word.text.starts_with('-')) {
        const std::string option = word.text.substr(0, word.text.find('='));
        if (option.starts_with("--") && !word.expands) hold_option(word, option);
        if (!takes_value(option) || contains(word.text, "=") || i + 1 >= words.size()) continue;
        if (option == "-k") keyword = &words[i + 1];
        if (option == "-m") marker = &words[i + 1];
        ++i;
      } else if (!word.expands) {
        hold_target(word);
      }
    }
    if (keyword != nullptr && !keyword->expands && !is_placeholder(keyword->text)) hold_keyword(*keyword);
    if (marker != nullptr && !marker->expands) hold_markers(*marker);
  }

  // The test of "file.py::test" where the file is there and is one.
  void node_id(const Word& word) {
    const std::size_t node = word.text.find("::");
    const std::string file = word.text.substr(0, node);
    if (!file.ends_with(".py")) return;
    std::vector<std::string> files = facts_.paths.ending_in(file);
    if (facts_.paths.has_file(file)) files = {file};
    if (files.size() == 1) hold_node(word, files.front(), word.text.substr(node + 2));
  }

 private:
  void hold_option(const Word& word, const std::string& option) {
    if (known_options().contains(option) || facts_.tools.pytest_options.contains(option)) return ledger_.hold();
    if (facts_.words.has(option.substr(2)) || option.size() < 4) return;
    rules::Finding finding =
        finding_at(page_, word.line, "playbook-option", Severity::kP2,
                   fmt::format("pytest has no option `{}`, and no conftest.py adds it", option),
                   "The run stops with a usage error, unless a plugin that is not declared here adds the option",
                   "name an option that exists");
    finding.certainty = rules::FindingCertainty::kQuestion;
    ledger_.accuse(std::move(finding));
  }

  void hold_target(const Word& word) {
    if (!session_.folder || word.text.starts_with('/') || word.text.starts_with('~') || is_placeholder(word.text))
      return;
    const std::size_t node = word.text.find("::");
    const std::string file = word.text.substr(0, node);
    if (file.empty() || (!contains(file, "/") && !contains(file, "."))) {
      if (!facts_.paths.has_folder(file)) return;
    }
    const auto path = join_path(*session_.folder, file);
    if (path && facts_.paths.has(*path)) {
      ledger_.hold();
      folders_.push_back(facts_.paths.resolve(*path).value_or(*path));
      if (node != std::string::npos) hold_node(word, *path, word.text.substr(node + 2));
      return;
    }
    missing_target_ = true;
    hold_path(facts_, page_, word.line, file, PathUse::kCommand, *session_.folder, ledger_);
  }

  void hold_node(const Word& word, const std::string& path, std::string node) {
    node = node.substr(0, node.find('['));
    const program::ModuleId module = facts_.program.find_path(path);
    if (!module.valid() || is_placeholder(node) || node.empty()) return;
    const program::Module& entry = facts_.program.modules()[module];
    const std::string name = entry.name + "." + replace_all(node, "::", ".");
    if (facts_.program.find_function(name).valid() || facts_.program.find_class(name).valid()) return ledger_.hold();
    // Inherited tests.
    const std::size_t dot = name.rfind('.');
    const program::ClassId cls = facts_.program.find_class(name.substr(0, dot));
    if (cls.valid() && facts_.program.find_method(cls, name.substr(dot + 1)).valid()) return ledger_.hold();
    if (cls.valid() && !facts_.program.classes()[cls].external_ancestors.empty() && contains(name, "test_")) {
      const auto& ancestors = facts_.program.classes()[cls].external_ancestors;
      if (std::any_of(ancestors.begin(), ancestors.end(),
                      [](const std::string& one) { return one != "object" && !one.starts_with("unittest"); }))
        return;
    }
    std::string best;
    std::size_t best_distance = 1 + node.size() / 3;
    for (const program::FunctionId function : entry.functions) {
      const std::string_view candidate = facts_.program.functions()[function].name;
      const std::string_view wanted =
          std::string_view(node).substr(node.rfind(':') == std::string::npos ? 0 : node.rfind(':') + 1);
      const std::size_t distance = edit_distance(candidate, wanted, best_distance - 1);
      if (candidate.starts_with("test") && distance < best_distance) {
        best_distance = distance;
        best = candidate;
      }
    }
    rules::Finding finding =
        finding_at(page_, word.line, "playbook-test", Severity::kP1, fmt::format("`{}` has no test `{}`", path, node),
                   "pytest stops with \"not found\"",
                   best.empty() ? "name a test of that file" : fmt::format("the nearest is `{}`", best));
    if (!best.empty()) suggest(finding, page_, std::string_view(node).substr(node.rfind(':') + 1), best);
    ledger_.accuse(std::move(finding));
  }

  void hold_keyword(const Word& word) {
    if (missing_target_) return;
    for (const std::string& name : names_in(word.text)) {
      if (name.size() < 4 || facts_.names.has_test_like(name, folders_)) {
        ledger_.hold();
        continue;
      }
      std::vector<std::string> where;
      for (const std::string& folder : folders_) where.push_back(fmt::format("`{}`", folder));
      const bool anywhere = facts_.names.has_test_like(name, {});
      const std::string test = likely_test(name);
      rules::Finding finding =
          finding_at(page_, word.line, "playbook-test", Severity::kP1,
                     fmt::format("no test {} matches `-k {}`",
                                 where.empty() ? std::string("here") : fmt::format("in {}", join(where, ", ")), name),
                     std::string(kWhyNothing),
                     anywhere       ? std::string("it stands in other test files")
                     : test.empty() ? std::string("name a test that exists")
                                    : fmt::format("a test that exists is `{}`", test));
      if (!anywhere && !test.empty()) suggest(finding, page_, name, test);
      ledger_.accuse(std::move(finding));
    }
  }

  // The test of the named files that shares the most words with a name, the first of them where none does.
  [[nodiscard]] std::string likely_test(const std::string& name) const {
    std::string best;
    std::size_t most = 0;
    const std::vector<std::string_view> words = split(name, '_');
    for (const program::Function& function : facts_.program.functions()) {
      const std::string& path = facts_.program.modules()[function.module].path;
      const bool inside = std::find(folders_.begin(), folders_.end(), path) != folders_.end();
      if (!inside || !function.name.starts_with("test_") || function.enclosing.valid()) continue;
      const std::vector<std::string_view> own = split(function.name, '_');
      const auto shared = static_cast<std::size_t>(std::count_if(own.begin(), own.end(), [&](std::string_view word) {
        return std::find(words.begin(), words.end(), word) != words.end();
      }));
      if (shared <= most) continue;  // "test" is shared by all
      most = shared;
      best = function.name;
    }
    return best;
  }

  void hold_markers(const Word& word) {
    static const std::set<std::string_view> kBuiltIn = {"skip",        "skipif",         "xfail",    "parametrize",
                                                        "usefixtures", "filterwarnings", "asyncio",  "timeout",
                                                        "flaky",       "forked",         "benchmark"};
    for (const std::string& name : names_in(word.text)) {
      if (kBuiltIn.contains(name) || facts_.tools.markers.contains(name) || uses_marker(name)) {
        ledger_.hold();
        continue;
      }
      if (is_placeholder(name)) continue;
      std::vector<std::string> known;
      for (const auto& [marker, place] : facts_.tools.markers) known.push_back(fmt::format("`{}`", marker));
      rules::Finding finding =
          finding_at(page_, word.line, "playbook-test", Severity::kP2,
                     fmt::format("no test carries the marker `{}`, and no configuration declares it", name),
                     contains(word.text, fmt::format("not {}", name))
                         ? "The condition leaves nothing out, so that the run is longer than the line says"
                         : std::string(kWhyNothing),
                     known.empty() ? "name a marker that exists" : fmt::format("markers here: {}", join(known, ", ")));
      if (!facts_.tools.markers.empty()) {
        const Place& place = facts_.tools.markers.begin()->second;
        finding.evidence.push_back({place.path, place.line, "the markers are declared here"});
      }
      // "not x" where x is nothing says nothing.
      for (const char quote : {'\'', '"'}) {
        if (word.text == fmt::format("not {}", name))
          suggest(finding, page_, fmt::format(" -m {}not {}{}", quote, name, quote), "");
      }
      ledger_.accuse(std::move(finding));
    }
  }

  [[nodiscard]] bool uses_marker(const std::string& name) const {
    const std::string text = fmt::format("mark.{}", name);
    return std::any_of(facts_.program.modules().begin(), facts_.program.modules().end(),
                       [&](const program::Module& module) { return contains(module.facts->source().bytes(), text); });
  }

  const Facts& facts_;
  const Page& page_;
  const Session session_;
  Ledger& ledger_;
  std::vector<std::string> folders_;
  bool missing_target_ = false;
};

}  // namespace

void hold_node_id(const Facts& facts, const Page& page, const CodeSpan& code, Ledger& ledger) {
  static constexpr std::string_view kOpen = " <>{}*$()";
  if (code.text.find_first_of(kOpen) != std::string::npos || is_placeholder(code.text)) return;
  const std::string sentence = sentence_at(page, code.line, code.text);
  if (speaks_of_absence(sentence) || speaks_of_making(sentence) || speaks_of_elsewhere(sentence)) return;
  PytestHolder(facts, page, Session{}, ledger).node_id({code.text, code.line, false, false});
}

void hold_pytest(const Facts& facts, const Page& page, const Session& session, const std::vector<Word>& arguments,
                 Ledger& ledger) {
  PytestHolder(facts, page, session, ledger).run(arguments);
}

}  // namespace lockstep::playbook
