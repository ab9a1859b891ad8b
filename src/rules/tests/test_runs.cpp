#include "rules/tests/test_runs.h"

#include <algorithm>
#include <array>

#include "base/paths.h"
#include "base/strings.h"
#include "change/summary.h"
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
/// Of a path: deeper ones are none of a repository.
constexpr int kMostParts = 64;

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
      {".gitlab", ".azure", "azure-pipelines", "ci/", "Makefile", "Jenkinsfile", "justfile", "tox.ini"});
  return change::file_category(path) == change::FileCategory::kCi ||
         std::any_of(kFolders.begin(), kFolders.end(),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

/// A Python file whose texts say what is run: a test, a script of a workflow, the sessions of nox, the tasks of invoke.
bool names_commands(std::string_view path) {
  return program::is_test_path(path) || path == "noxfile.py" || path == "tasks.py" || is_workflow(path);
}

bool is_word_byte(char c) { return is_name_byte(c) || c == '.' || c == '/' || c == '-'; }

bool is_space(char c) { return c == ' ' || c == '\t'; }

/// `name = package.module:function` in a text, quotes or not.
struct Script {
  std::string_view name;
  std::string_view module;
  std::string_view function;
};

/// The one whose colon stands at `colon`; nothing of it is empty, or all is.
Script script_at(std::string_view line, std::size_t colon) {
  const auto is_dotted = [](char c) { return is_name_byte(c) || c == '.'; };
  std::size_t begin = colon;
  while (begin > 0 && is_dotted(line[begin - 1])) --begin;
  std::size_t end = colon + 1;
  while (end < line.size() && is_dotted(line[end])) ++end;
  const auto is_around = [](char c) { return is_space(c) || c == '"' || c == '\''; };
  std::size_t equals = begin;
  while (equals > 0 && is_around(line[equals - 1])) --equals;
  if (begin == colon || end == colon + 1 || equals == 0 || line[equals - 1] != '=') return {};
  std::size_t last = equals - 1;
  while (last > 0 && is_around(line[last - 1])) --last;
  std::size_t first = last;
  while (first > 0 && (is_dotted(line[first - 1]) || line[first - 1] == '-')) --first;
  if (first == last) return {};
  return {line.substr(first, last - first), line.substr(begin, colon - begin), line.substr(colon + 1, end - colon - 1)};
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
    if (!names_commands(module.path)) continue;
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
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    const std::string_view name = program_.modules()[ModuleId(i)].name;
    roots_.insert(name.substr(0, name.find('.')));
    constexpr std::string_view kMain = ".__main__";
    if (name.ends_with(kMain)) mains_.insert(name.substr(0, name.size() - kMain.size()));
    std::string_view end = program_.modules()[ModuleId(i)].path;
    by_end_[end].push_back(ModuleId(i));
    for (std::size_t slash = end.find('/'); slash != std::string_view::npos; slash = end.find('/')) {
      end.remove_prefix(slash + 1);
      by_end_[end].push_back(ModuleId(i));
    }
  }
}

/// `name = "package.module:function"`, of pyproject.toml, setup.cfg or setup.py.
void TestRuns::read_console_scripts(const repo::Snapshot& files) {
  for (const std::string_view path : {"pyproject.toml", "setup.cfg", "setup.py", "pytest.ini"}) {
    const auto found = files.find(path);
    const auto bytes = found ? files.read(*found) : Result<std::string>(std::string());
    if (!bytes) continue;
    runs_doctests_ = runs_doctests_ || contains(*bytes, "doctest-modules");
    const std::string_view text = *bytes;
    for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
      const Script script = script_at(text, colon);
      if (!script.name.empty())
        console_scripts_.emplace(script.name, std::string(script.module) + "." + std::string(script.function));
    }
  }
}

/// Those of tests and workflows are read; shell scripts elsewhere when one of them names them.
void TestRuns::read_files(const repo::Snapshot& files) {
  for (std::size_t i = 0; i < files.files().size(); ++i) {
    const repo::FileEntry& entry = files.files()[i];
    if (entry.kind != repo::FileKind::file || entry.size_bytes > kMostBytes) continue;
    if (is_shell(entry.path)) shells_[lockstep::name_of(entry.path)].push_back(i);
    if (!is_script_or_configuration(entry.path)) continue;
    const bool is_run = is_workflow(entry.path) || program::is_test_path(entry.path);
    if (is_run && read_.insert(i).second) to_read_.push_back(i);
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
  if (word.empty() || !may_name_code(word) || !words_.emplace(word).second) return;
  if (const auto script = console_scripts_.find(word); script != console_scripts_.end()) note_dotted(script->second);
  if (word.ends_with(".py") || is_shell(word)) return note_path(word);
  if (const ModuleId main = program_.find_module(std::string(word) + ".__main__"); main.valid()) start_module(main);
  if (word.find('.') != std::string_view::npos && word.find('/') == std::string_view::npos) note_dotted(word);
}

/// Most words are numbers or prose: so much is said without keeping them.
bool TestRuns::may_name_code(std::string_view word) const {
  if (word.ends_with(".py") || is_shell(word) || mains_.contains(word) || console_scripts_.contains(word)) return true;
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos || word.find('/') != std::string_view::npos) return false;
  // What a module without a name holds may begin with anything.
  return roots_.contains(word.substr(0, dot)) || roots_.contains("");
}

void TestRuns::note_path(std::string_view path) {
  if (const auto found = by_end_.find(path); found != by_end_.end()) {
    for (const ModuleId module : found->second) start_module(module);
  }
  // What precedes the repository's own path may be a folder of the machine, or hidden in a variable.
  std::size_t slash = path.rfind('/');
  for (int parts = 0; slash != std::string_view::npos && slash > 0 && parts < kMostParts; ++parts) {
    if (const ModuleId module = program_.find_path(path.substr(slash + 1)); module.valid()) start_module(module);
    slash = path.rfind('/', slash - 1);
  }
  if (const auto found = shells_.find(lockstep::name_of(path)); found != shells_.end()) {
    for (const std::size_t file : found->second) {
      if (read_.insert(file).second) to_read_.push_back(file);
    }
    shells_.erase(found);  // All of this name are read.
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
