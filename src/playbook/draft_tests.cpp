// How to run one test: a test that exists, needs little, and says how the distributed ones are started.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "playbook/draft.h"
#include "program/queries.h"
#include "python/tree_walk.h"

namespace lockstep::playbook {

namespace {

/// Words of tests that need more than a processor.
constexpr std::string_view kDemanding[] = {"cuda",         "gpu",      "nccl",       "distributed",  "model_parallel",
                                           "triton",       "requests", "download",   "transformers", "skipif",
                                           "multiprocess", "spawn",    "subprocess", "world_size"};

bool is_test_file(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.starts_with("test_") && name.ends_with(".py");
}

std::size_t demands_of(std::string_view text) {
  const std::string lower = to_lower(text);
  return static_cast<std::size_t>(std::count_if(std::begin(kDemanding), std::end(kDemanding),
                                                [&](std::string_view word) { return contains(lower, word); }));
}

/// Packages outside the repository that a module imports unguarded. Nearly all of the standard library is small and
/// lower case; what is listed here comes with Python or with any install of the code.
std::size_t foreign_imports(const program::Program& program, program::ModuleId id) {
  static const std::set<std::string_view> kCommon = {
      "os",        "sys",      "math",     "json",    "re",      "typing",   "dataclasses", "collections",
      "functools", "unittest", "tempfile", "pathlib", "logging", "copy",     "itertools",   "contextlib",
      "random",    "types",    "pytest",   "torch",   "numpy",   "argparse", "datetime",    "__future__",
      "abc",       "enum",     "io",       "inspect", "time",    "string",   "warnings",    "operator",
      "textwrap",  "shutil",   "weakref",  "pickle"};
  std::set<std::string_view> roots;
  for (const python::ImportedName& import : program.modules()[id].facts->imports) {
    if (import.level > 0 || import.in_try || import.in_type_checking) continue;
    const std::string_view dotted = import.module.empty() ? import.name : import.module;
    const std::string_view root = dotted.substr(0, dotted.find('.'));
    if (!kCommon.contains(root) && !program.find_module(dotted).valid() && !program.find_module(root).valid())
      roots.insert(root);
  }
  return roots.size();
}

struct TestCase {
  std::string path, name;  // name: "test_x" or "TestClass::test_x"
  Place place;
  std::size_t cost = 0, lines = 0;
};

/// Modules of the repository that a module imports, itself left out.
std::vector<program::ModuleId> imports_of(const program::Program& program, program::ModuleId id) {
  std::set<program::ModuleId> found;
  for (const python::ImportedName& import : program.modules()[id].facts->imports) {
    if (import.level > 0 || import.in_type_checking) continue;
    for (const std::string& dotted : {std::string(import.module), fmt::format("{}.{}", import.module, import.name)}) {
      if (const program::ModuleId target = program.find_module(dotted); target.valid() && target != id)
        found.insert(target);
    }
  }
  return {found.begin(), found.end()};
}

std::size_t reach_of(const program::Program& program, program::ModuleId id) {
  std::set<program::ModuleId> seen{id};
  std::vector<program::ModuleId> open{id};
  while (!open.empty()) {
    const program::ModuleId next = open.back();
    open.pop_back();
    for (const program::ModuleId target : imports_of(program, next)) {
      if (seen.insert(target).second) open.push_back(target);
    }
  }
  return seen.size() - 1;
}

// A test that takes nothing from anybody: no fixture, no decorator but marks.
bool is_plain_test(const program::Program& program, const program::Function& function) {
  const python::FunctionDef* def = function.def();
  if (def == nullptr || !def->name.text.starts_with("test_") || def->is_async || function.enclosing.valid())
    return false;
  const std::size_t own = function.owner.valid() ? 1 : 0;
  if (def->parameters->all.size() != own || !def->decorators.empty()) return false;
  return !function.owner.valid() || (program.classes()[function.owner].name.starts_with("Test") &&
                                     !program.classes()[function.owner].owner.valid());
}

// The whole file, or all that matters of it, may not run.
bool is_skipped(const program::Module& module) {
  const std::string_view text = module.facts->source().bytes();
  return contains(text, "pytestmark") || contains(text, "mark.skip") || contains(text, "mark.flaky");
}

std::vector<TestCase> plain_tests(const program::Program& program, const std::string& main) {
  std::vector<TestCase> cases;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (!is_test_file(module.path) || is_skipped(module)) continue;
    const std::string_view text = module.facts->source().bytes();
    const std::vector<program::ModuleId> imports = imports_of(program, id);
    const bool of_main = std::any_of(imports.begin(), imports.end(), [&](program::ModuleId target) {
      const std::string& path = program.modules()[target].path;
      return (main.empty() || is_below(path, main)) && !program::is_test_path(path);
    });
    if (!of_main) continue;
    const std::size_t cost = 1000 * demands_of(text) + 300 * foreign_imports(program, id);
    for (const program::FunctionId function : module.functions) {
      const program::Function& entry = program.functions()[function];
      if (!is_plain_test(program, entry)) continue;
      const Place place = place_of(program, function);
      const std::size_t lines = module.facts->source().line_of(entry.node->span.end) - place.line;
      if (lines < 2) continue;
      std::string name(entry.name);
      if (entry.owner.valid()) name = fmt::format("{}::{}", program.classes()[entry.owner].name, name);
      cases.push_back({module.path, std::move(name), place, cost, lines});
    }
  }
  return cases;
}

// Which of the conftest.py files above a test asks for more than a processor.
std::size_t conftest_cost(const program::Program& program, std::string_view path) {
  std::size_t cost = 0;
  for (std::string_view folder = folder_of(path);; folder = folder_of(folder)) {
    const std::string name = fmt::format("{}{}conftest.py", folder, folder.empty() ? "" : "/");
    if (const program::ModuleId id = program.find_path(name); id.valid())
      cost += 100 * demands_of(program.modules()[id].facts->source().bytes()) + reach_of(program, id);
    if (folder.empty()) return cost;
  }
}

std::optional<TestCase> easiest_test(const DraftInputs& inputs) {
  const program::Program& program = inputs.ground.program;
  std::vector<TestCase> cases = plain_tests(program, inputs.main_package);
  const auto order = [](const TestCase& one) { return std::tie(one.cost, one.lines, one.path, one.name); };
  std::stable_sort(cases.begin(), cases.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  // Only the cheapest files are looked at more closely.
  std::set<std::string> files;
  std::map<std::string, std::size_t> closer;
  for (TestCase& one : cases) {
    if (files.size() >= 40 && !files.contains(one.path)) continue;
    files.insert(one.path);
    if (!closer.contains(one.path))
      closer[one.path] = conftest_cost(program, one.path) + reach_of(program, program.find_path(one.path));
    one.cost += closer[one.path];
  }
  std::erase_if(cases, [&](const TestCase& one) { return !files.contains(one.path); });
  std::stable_sort(cases.begin(), cases.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return cases.empty() ? std::nullopt : std::optional<TestCase>(cases.front());
}

/// A line of a script or document that starts pytest under a launcher.
struct Launch {
  std::string command;  // "torchrun --nproc-per-node 8 -m pytest"
  Place place;
};

std::string nproc_of(std::string_view line) {
  for (const std::string_view option : {"--nproc-per-node", "--nproc_per_node"}) {
    const std::size_t at = line.find(option);
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.substr(at + option.size());
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '=' || rest.front() == '"')) rest.remove_prefix(1);
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
  }
  return {};
}

std::optional<Launch> launch_in(const std::string& path, std::string_view text) {
  const std::vector<std::string_view> lines = split_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!contains(lines[i], "torchrun") && !contains(lines[i], "torch.distributed.run")) continue;
    std::string joined(lines[i]);
    for (std::size_t next = i + 1; next < lines.size() && next < i + 12 && joined.ends_with('\\'); ++next)
      joined = joined.substr(0, joined.size() - 1) + std::string(lines[next]);
    const std::size_t tests = joined.find("-m pytest");
    const std::string count = nproc_of(joined);
    if (tests == std::string::npos || count.empty()) continue;
    const bool is_module = contains(joined, "torch.distributed.run");
    return Launch{fmt::format("{} --nproc-per-node {} -m pytest",
                              is_module ? "python -m torch.distributed.run" : "torchrun", count),
                  {path, static_cast<std::uint32_t>(i)}};
  }
  return std::nullopt;
}

// The command that most scripts use; a script's word counts for more than a document's.
std::optional<Launch> launcher_of(const DraftInputs& inputs) {
  std::map<std::string, std::pair<std::size_t, Place>> found;
  for (const std::string& path : inputs.ground.paths.files()) {
    const bool is_script = path.ends_with(".sh") || path.ends_with(".yml") || path.ends_with(".yaml");
    if ((!is_script && !path.ends_with(".md")) || playbook_kind(path) || is_below(path, "node_modules")) continue;
    const Result<std::string> text = inputs.ground.snapshot.read(path);
    if (!text || text->size() > kMaxConfigBytes) continue;
    if (const auto launch = launch_in(path, *text)) {
      auto& [count, place] = found[launch->command];
      const bool better = is_script && place.path.ends_with(".md");
      if (count == 0 || better) place = launch->place;
      count += is_script ? 3 : 1;
    }
  }
  std::optional<Launch> best;
  std::size_t most = 0;
  for (const auto& [command, one] : found) {
    if (one.first <= most) continue;
    most = one.first;
    best = Launch{command, one.second};
  }
  return best;
}

/// Something that tests import from the tests themselves.
struct Helper {
  std::string name;
  Place place;
  std::set<std::string> users;  // paths of test files
};

// What a new distributed test starts from, most used first.
std::vector<Helper> helpers_of(const DraftInputs& inputs) {
  std::map<std::string, Helper> helpers;
  const program::Program& program = inputs.ground.program;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (!is_test_file(module.path)) continue;
    for (const python::ImportedName& import : module.facts->imports) {
      if (import.name.empty() || import.bound_as.empty() || import.name.starts_with('_')) continue;
      const program::Reference reference = program.resolve(id, import.bound_as);
      const bool is_class = reference.kind == program::Reference::Kind::kClass;
      if (!is_class && reference.kind != program::Reference::Kind::kFunction) continue;
      const Place place = is_class ? place_of(program, reference.cls) : place_of(program, reference.function);
      if (!program::is_test_path(place.path) || place.path == module.path) continue;
      const std::string& qualified = is_class ? program.classes()[reference.cls].qualified_name
                                              : program.functions()[reference.function].qualified_name;
      Helper& helper = helpers[qualified];
      helper.name = is_class ? program.classes()[reference.cls].name : program.functions()[reference.function].name;
      helper.place = place;
      helper.users.insert(module.path);
    }
  }
  std::vector<Helper> ranked;
  for (auto& [name, helper] : helpers) {
    if (helper.users.size() >= 3) ranked.push_back(std::move(helper));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Helper& a, const Helper& b) { return a.users.size() > b.users.size(); });
  return ranked;
}

void draft_helpers(const std::vector<Helper>& helpers, DraftSection& section) {
  DraftLine line{"Test helpers", {}, 78, {}};
  std::vector<std::string> parts;
  for (const Helper& helper : helpers) {
    if (parts.size() >= 3) break;
    parts.push_back(
        fmt::format("{} in {}", named_place(helper.name, helper.place), count_of(helper.users.size(), "test file")));
    line.sources.push_back(helper.place);
  }
  if (parts.empty()) return;
  line.text = fmt::format("{}.", join(parts, "; "));
  section.lines.push_back(std::move(line));
}

// A small test file that starts from the most used helper: one that means to run on several devices.
std::string distributed_test(const DraftInputs& inputs, const std::vector<Helper>& helpers) {
  std::string best;
  std::size_t least = 0;
  for (const std::string& path : helpers.empty() ? std::set<std::string>{} : helpers.front().users) {
    const program::Module& module = inputs.ground.program.modules()[inputs.ground.program.find_path(path)];
    const std::size_t size = module.facts->source().bytes().size();
    const bool parallel = contains(to_lower(module.facts->source().bytes()), "parallel");
    if (!parallel || is_skipped(module) || (!best.empty() && size >= least)) continue;
    best = path;
    least = size;
  }
  return best;
}

// Markers and options that the tests' own configuration declares.
void draft_markers(const DraftInputs& inputs, const std::string& test, DraftSection& section) {
  const Tools& tools = inputs.ground.tools;
  DraftLine line{"Markers", {}, 58, {}};
  std::vector<std::string> parts, markers, options;
  for (const auto& [name, place] : tools.markers) markers.push_back(name);
  std::vector<Place> option_places;
  for (const auto& [name, place] : tools.pytest_options) {
    if (!is_below(test, folder_of(place.path))) continue;  // of other tests
    options.push_back(name);
    option_places.push_back(place);
  }
  if (!markers.empty()) {
    parts.push_back(quoted_list(markers, 8, true));
    line.sources.push_back(tools.markers.begin()->second);
  }
  if (!options.empty()) {
    parts.push_back(fmt::format("own options of pytest: {}", quoted_list(options, 5, true)));
    line.sources.push_back(option_places.front());
  }
  if (parts.empty()) return;
  line.text = fmt::format("{}.", join(parts, "; "));
  section.lines.push_back(std::move(line));
}

}  // namespace

void draft_tests(const DraftInputs& inputs, DraftSection& section) {
  const std::string runner = inputs.ground.paths.has_file("uv.lock") ? "uv run " : "";
  const std::optional<TestCase> test = easiest_test(inputs);
  if (test)
    section.lines.push_back(
        {"One test", fmt::format("`{}python -m pytest {}::{}`", runner, test->path, test->name), 99, {test->place}});
  const std::vector<Helper> helpers = helpers_of(inputs);
  const std::optional<Launch> launch = launcher_of(inputs);
  const std::string path = distributed_test(inputs, helpers);
  if (launch && !path.empty())
    section.lines.push_back({"On several devices",
                             fmt::format("`{}{} {}` (as in `{}`).", runner, launch->command, path, launch->place.path),
                             85,
                             {launch->place, {path, 0}}});
  draft_helpers(helpers, section);
  draft_markers(inputs, test ? test->path : std::string(), section);
}

}  // namespace lockstep::playbook
