#include "report/documents/tests/test_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/main_check.h"
#include "report/document.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

/// Whether calls that surely enter what they call lead from one function to one of the others.
bool leads_to(const program::Program& program, FunctionId from, const std::vector<FunctionId>& functions) {
  constexpr std::size_t kMostCalls = 4;
  constexpr std::size_t kMostFunctions = 2'000;
  std::vector<FunctionId> edge = {from};
  std::set<std::uint32_t> seen = {from.value};
  for (std::size_t calls = 0; calls < kMostCalls && !edge.empty(); ++calls) {
    std::vector<FunctionId> next;
    for (const FunctionId function : edge) {
      for (const program::CallId call : program.functions()[function].calls) {
        const auto& targets = program.calls()[call].targets;
        if (targets.size() != 1 || targets.front().certainty != program::Certainty::kExact ||
            !targets.front().function.valid())
          continue;
        const FunctionId entered = targets.front().function;
        if (std::find(functions.begin(), functions.end(), entered) != functions.end()) return true;
        if (seen.size() < kMostFunctions && seen.insert(entered.value).second) next.push_back(entered);
      }
    }
    edge = std::move(next);
  }
  return false;
}

/// Whether a place in Python code is part of a text that is more than a docstring, or in another file stands before any
/// comment of its line.
bool is_in_use(const python::FileFacts* facts, std::string_view bytes, std::size_t at) {
  if (facts == nullptr) {
    const std::size_t start = bytes.rfind('\n', at) == std::string_view::npos ? 0 : bytes.rfind('\n', at) + 1;
    return !contains(bytes.substr(start, at - start), "#");
  }
  const auto place = static_cast<std::uint32_t>(at);
  const std::vector<const python::Node*> around = chain_to(facts->tree(), {place, place + 1});
  const bool is_text = !around.empty() && python::is<python::Constant>(around.back());
  return is_text && (around.size() < 2 || !python::is<python::ExprStmt>(around[around.size() - 2]));
}

/// Where a file names the script to start it, or starts it as a module (`python -m pkg.train`): the line, from 0.
/// `facts`: of Python code; null for other files.
std::optional<std::uint32_t> line_that_names(const python::FileFacts* facts, std::string_view bytes,
                                             const std::string& script) {
  constexpr std::size_t kMostLooked = 50;
  std::size_t at = find_name(bytes, script);
  for (std::size_t i = 0; at != std::string_view::npos && !is_in_use(facts, bytes, at); ++i)
    at = i < kMostLooked ? find_name(bytes, script, at + 1) : std::string_view::npos;
  if (at == std::string_view::npos && script.ends_with(".py")) {
    const std::string module = "-m " + replace_all(script.substr(0, script.size() - 3), "/", ".");
    at = find_text(bytes, module);
    const std::size_t end = at + module.size();
    if (at != std::string_view::npos &&
        ((end < bytes.size() && (is_name_char(bytes[end]) || bytes[end] == '.')) || !is_in_use(facts, bytes, at)))
      at = std::string_view::npos;
  }
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

bool may_start_scripts(std::string_view path) {
  static constexpr std::string_view kKinds[] = {".py", ".sh", ".toml", ".yaml", ".yml"};
  return program::is_test_path(path) &&
         std::any_of(std::begin(kKinds), std::end(kKinds), [&](auto kind) { return path.ends_with(kind); });
}

}  // namespace

namespace {

bool is_workflow(std::string_view path) {
  return (path.ends_with(".yml") || path.ends_with(".yaml")) &&
         (path.starts_with(".github/") || path.starts_with(".gitlab"));
}

/// "tests/recipes/serve.yaml:44 and 3 more files": the files of tests, and workflows where `with_workflows`, that name
/// the script to start it; empty where none does.
std::string places_that_start(const DocumentInputs& inputs, const std::string& script, bool with_workflows) {
  constexpr std::uint64_t kLargest = 200'000;
  std::vector<std::string> places;
  std::size_t files = 0;
  for (std::size_t i = 0; i < inputs.after_files->files().size(); ++i) {
    const repo::FileEntry& file = inputs.after_files->files()[i];
    if (file.kind != repo::FileKind::file || file.size_bytes > kLargest || file.path == script) continue;
    if (!may_start_scripts(file.path) && !(with_workflows && is_workflow(file.path))) continue;
    std::optional<std::uint32_t> line;
    if (const program::ModuleId module = inputs.after->find_path(file.path); module.valid()) {
      const python::FileFacts& facts = *inputs.after->modules()[module].facts;
      line = line_that_names(&facts, facts.source().bytes(), script);
    } else if (const auto bytes = inputs.after_files->read(i)) {
      line = line_that_names(nullptr, *bytes, script);
    }
    if (!line) continue;
    if (++files == 1) places.push_back(place(file.path, *line));
  }
  if (files > 1) places.push_back(count_of(files - 1, "more file"));
  return join_words(places);
}

/// A function that a test runner calls, by its name, or a class of such.
bool holds_tests(const program::Program& program, const program::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [&](FunctionId id) { return std::string_view(program.functions()[id].name).starts_with("test"); });
}

}  // namespace

bool is_script_among_tests(const DocumentInputs& inputs, std::string_view path) {
  const program::ModuleId id = program::is_test_path(path) ? inputs.after->find_path(path) : program::ModuleId();
  if (!id.valid()) return false;
  const program::Module& module = inputs.after->modules()[id];
  return python::has_main_check(module.facts->tree().body) && !holds_tests(*inputs.after, module);
}

bool is_collected(const DocumentInputs& inputs, const Actor& actor) {
  const auto& side = actor.change->after;
  if (actor.role != Role::kTest || actor.is_module_code || !side || !side->function.valid()) return false;
  const program::Function& function = inputs.after->functions()[side->function];
  return function.kind == program::FunctionKind::kFunction && function.name.starts_with("test") &&
         !function.enclosing.valid();
}

std::string_view changed_test_code(const DocumentInputs& inputs) {
  std::size_t files = 0, scripts = 0;
  for (const change::FileSummary& file : inputs.change->files) {
    if (!program::is_test_path(file.file->path())) continue;
    ++files;
    scripts += is_script_among_tests(inputs, file.file->path()) ? 1 : 0;
  }
  return scripts == 0 ? "tests" : scripts < files ? "tests and scripts among them" : "scripts among the tests";
}

bool changes_beside_tests(const DocumentInputs& inputs) {
  return std::any_of(inputs.change->files.begin(), inputs.change->files.end(),
                     [](const change::FileSummary& file) { return file.category != change::FileCategory::kTest; });
}

std::string tests_that_start(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  if (inputs.after_files == nullptr || index >= story.entries.size()) return {};
  const EntryPath& entry = story.entries[index];
  if (entry.frames.empty() || entry.kind != program::EntryKind::kScript) return {};
  const std::string& script = inputs.after->module_of(entry.frames.front().function).path;
  if (program::is_test_path(script)) return {};
  const std::string places = places_that_start(inputs, script, false);
  if (places.empty()) return {};
  return fmt::format("Tests start {}, from which a run can get there ({}); with which settings was not followed",
                     code(script), places);
}

std::vector<std::string> scripts_among_tests(const DocumentInputs& inputs) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string path(file.file->path());
    if (out.size() == kMost || !is_script_among_tests(inputs, path)) continue;
    const std::string places = inputs.after_files == nullptr ? "" : places_that_start(inputs, path, true);
    out.push_back(fmt::format("{} holds no test and is run as a script{}.", code(path),
                              places.empty() ? "" : fmt::format(", named in {}", places)));
  }
  return out;
}

std::string leading_test_code(const DocumentInputs& inputs, const Story& story,
                              const std::vector<FunctionId>& functions) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> told;
  for (const Actor& actor : story.actors) {
    const auto& after = actor.change->after;
    if (actor.role != Role::kTest || !after || !after->function.valid() || told.size() == kMost) continue;
    const program::Function& function = inputs.after->functions()[after->function];
    if (function.kind == program::FunctionKind::kModuleBody || std::string_view(function.name).starts_with("test"))
      continue;
    if (leads_to(*inputs.after, after->function, functions))
      told.push_back(fmt::format("{} ({})", code(function.name), place_of(inputs, *actor.change)));
  }
  if (told.empty()) return {};
  return fmt::format("Test code of the change that is no test function leads there: {}", join_words(told));
}

}  // namespace lockstep::report
