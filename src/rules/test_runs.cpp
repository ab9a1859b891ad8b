#include "rules/test_runs.h"

#include <algorithm>
#include <array>

#include "base/paths.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/characters.h"
#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

/// Larger files hold data: recorded values, logs.
constexpr std::uint64_t kMostBytes = 64 << 10;

bool is_shell(std::string_view path) { return path.ends_with(".sh") || path.ends_with(".bash"); }

/// Files that say what is run: by the ends of their names, and whole names.
bool is_script_or_configuration(std::string_view path) {
  constexpr auto kEnds =
      std::to_array<std::string_view>({".yml", ".yaml", ".toml", ".json", ".cfg", ".ini", ".txt", ".mk"});
  constexpr auto kNames = std::to_array<std::string_view>({"Makefile", "Jenkinsfile", "justfile"});
  return is_shell(path) ||
         std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return path.ends_with(end); }) ||
         std::find(kNames.begin(), kNames.end(), lockstep::name_of(path)) != kNames.end();
}

/// Files of a workflow that runs on each change.
bool is_workflow(std::string_view path) {
  constexpr auto kFolders = std::to_array<std::string_view>(
      {".github/workflows/", ".github/actions/", ".github/scripts/", ".gitlab", ".circleci/", ".buildkite/", ".azure",
       "azure-pipelines", "ci/", "Makefile", "Jenkinsfile", "justfile", "tox.ini"});
  return std::any_of(kFolders.begin(), kFolders.end(),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

bool is_word_byte(char c) { return is_name_byte(c) || c == '.' || c == '/' || c == '-'; }

/// `"name": …` without quotes, blanks and commas around it.
std::string_view bare(std::string_view text) {
  constexpr std::string_view kAround = " \t\"',[]";
  const std::size_t from = text.find_first_not_of(kAround);
  return from == std::string_view::npos ? std::string_view()
                                        : text.substr(from, text.find_last_not_of(kAround) + 1 - from);
}

bool has_doctest(const FunctionDef& def) {
  const auto* first = def.body.empty() ? nullptr : as<ExprStmt>(def.body.front());
  const auto* text = first == nullptr ? nullptr : as<Constant>(first->value);
  return text != nullptr && contains(text->text, ">>> ");
}

}  // namespace

TestRuns::TestRuns(const Program& program, const repo::Snapshot* files) : program_(program) {
  index_modules();
  if (files != nullptr) read_console_scripts(*files);
  if (files != nullptr) read_files(*files);
  for (const program::Module& module : program.modules()) {
    if (!program::is_test_path(module.path)) continue;
    walk_of<Constant>(module.facts->tree(), Nested::kEnter, [&](const Constant* text) {
      if (text->constant_kind == ConstantKind::kStr) read(text->text);
    });
  }
  while (!to_read_.empty()) {
    const std::size_t file = to_read_.back();
    to_read_.pop_back();
    const auto bytes = files->read(file);
    if (bytes) read(*bytes);
  }
  if (runs_doctests_) note_doctests();
  for (const auto& reached : program::reachable_from(program, started_, program.functions().size()))
    reached_.insert(reached.function);
}

bool TestRuns::start(FunctionId function) const {
  return reached_.contains(function) && modules_.contains(program_.functions()[function].module);
}

void TestRuns::index_modules() {
  for (std::size_t i = 0; i < program_.modules().size(); ++i)
    by_file_name_[lockstep::name_of(program_.modules()[ModuleId(i)].path)].push_back(ModuleId(i));
}

/// `name = "package.module:function"`, of pyproject.toml, setup.cfg or setup.py.
void TestRuns::read_console_scripts(const repo::Snapshot& files) {
  for (const std::string_view path : {"pyproject.toml", "setup.cfg", "setup.py", "pytest.ini"}) {
    const auto found = files.find(path);
    const auto bytes = found ? files.read(*found) : Result<std::string>(std::string());
    if (!bytes) continue;
    runs_doctests_ = runs_doctests_ || contains(*bytes, "doctest-modules");
    for (const std::string_view line : split_lines(*bytes)) {
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view value = bare(line.substr(equals + 1));
      const std::size_t colon = value.find(':');
      const auto is_part = [](char c) { return is_name_byte(c) || c == '.' || c == ':'; };
      if (colon == std::string_view::npos || !std::all_of(value.begin(), value.end(), is_part)) continue;
      console_scripts_.emplace(bare(line.substr(0, equals)),
                               std::string(value.substr(0, colon)) + "." + std::string(value.substr(colon + 1)));
    }
  }
}

/// Those of tests and workflows are read; shell scripts elsewhere when one of them names them.
void TestRuns::read_files(const repo::Snapshot& files) {
  for (std::size_t i = 0; i < files.files().size(); ++i) {
    const repo::FileEntry& entry = files.files()[i];
    if (entry.kind != repo::FileKind::file || entry.size_bytes > kMostBytes) continue;
    if (is_shell(entry.path)) shells_[lockstep::name_of(entry.path)].push_back(i);
    const bool is_run = is_workflow(entry.path) || program::is_test_path(entry.path);
    if (is_run && is_script_or_configuration(entry.path) && read_.insert(i).second) to_read_.push_back(i);
  }
}

void TestRuns::read(std::string_view text) {
  runs_doctests_ = runs_doctests_ || contains(text, "doctest-modules");
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (end > at) note(text.substr(at, end - at));
    at = end + 1;
  }
}

void TestRuns::note(std::string_view word) {
  while (!word.empty() && (word.back() == '.' || word.back() == '/')) word.remove_suffix(1);
  while (word.starts_with("./") || word.starts_with("../") || word.starts_with("/") || word.starts_with("-"))
    word.remove_prefix(word.starts_with("../") ? 3 : word.starts_with("./") ? 2 : 1);
  if (word.empty() || !words_.emplace(word).second) return;
  if (const auto script = console_scripts_.find(word); script != console_scripts_.end()) note_dotted(script->second);
  if (word.ends_with(".py") || is_shell(word)) return note_path(word);
  if (const ModuleId main = program_.find_module(std::string(word) + ".__main__"); main.valid()) start_module(main);
  if (word.find('.') != std::string_view::npos && word.find('/') == std::string_view::npos) note_dotted(word);
}

void TestRuns::note_path(std::string_view path) {
  // What precedes the repository's own path may be a folder of the machine, or hidden in a variable.
  const auto is_it = [&](std::string_view known) {
    const auto ends_in = [](std::string_view longer, std::string_view end) {
      return longer.ends_with(end) && (longer.size() == end.size() || longer[longer.size() - end.size() - 1] == '/');
    };
    return ends_in(known, path) || ends_in(path, known);
  };
  if (const auto found = by_file_name_.find(lockstep::name_of(path)); found != by_file_name_.end()) {
    for (const ModuleId module : found->second) {
      if (is_it(program_.modules()[module].path)) start_module(module);
    }
  }
  if (const auto found = shells_.find(lockstep::name_of(path)); found != shells_.end()) {
    for (const std::size_t file : found->second) {
      if (read_.insert(file).second) to_read_.push_back(file);
    }
  }
}

void TestRuns::note_dotted(std::string_view dotted) {
  if (const ModuleId module = program_.find_module(dotted); module.valid()) return start_module(module);
  if (const FunctionId function = program_.find_function(dotted); function.valid()) return start_function(function);
  if (const ClassId cls = program_.find_class(dotted); cls.valid()) {
    for (const FunctionId method : program_.classes()[cls].methods) start_function(method);
  }
}

void TestRuns::note_doctests() {
  for (std::size_t i = 0; i < program_.functions().size(); ++i) {
    const FunctionDef* def = program_.functions()[FunctionId(i)].def();
    if (def != nullptr && has_doctest(*def)) start_function(FunctionId(i));
  }
}

void TestRuns::start_module(ModuleId module) {
  modules_.insert(module);
  started_.push_back(program_.modules()[module].body);
}

void TestRuns::start_function(FunctionId function) {
  modules_.insert(program_.functions()[function].module);
  started_.push_back(function);
}

}  // namespace lockstep::rules
