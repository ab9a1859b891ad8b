// lockstep-callgraph FOLDER [--why] [--stats] [--jobs=1]: the call graph of the Python files below FOLDER as JSON in
// PyCG's form, {"caller": ["callee", …]}: a module's own code goes by the module's name. --why lists call sites
// instead.
#include <sys/resource.h>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/worker_pool.h"
#include "program/link.h"
#include "program/queries.h"

namespace {

using namespace lockstep;
using program::Program;

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) / 1024;
}

std::string function_name(const Program& program, program::FunctionId id) {
  const program::Function& function = program.functions()[id];
  return function.kind == program::FunctionKind::kModuleBody ? program.modules()[function.module].name
                                                             : function.qualified_name;
}

/// PyCG writes builtins as `<builtin>.len`, and methods of literals as `<**PyStr**>.join`.
std::string external_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"builtins.str.", "<**PyStr**>."},     {"builtins.dict.", "<**PyDict**>."}, {"builtins.list.", "<**PyList**>."},
      {"builtins.tuple.", "<**PyTuple**>."}, {"builtins.set.", "<**PySet**>."},   {"builtins.", "<builtin>."}};
  for (const auto& [from, to] : kRenamed) {
    if (name.starts_with(from)) return std::string(to) + std::string(name.substr(from.size()));
  }
  return std::string(name);
}

void print_graph(const Program& program) {
  std::map<std::string, std::set<std::string>> graph;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::FunctionId id(i);
    auto& callees = graph[function_name(program, id)];
    for (const program::CallId call : program.functions()[id].calls) {
      for (const program::CallTarget& target : program.calls()[call].targets) {
        callees.insert(target.function.valid() ? function_name(program, target.function)
                                               : external_name(target.external));
      }
    }
  }
  std::string out = "{";
  for (const auto& [caller, callees] : graph) {
    out += fmt::format("{}\n  \"{}\": [", out.size() > 1 ? "," : "", caller);
    std::string_view comma;
    for (const std::string& callee : callees) {
      out += fmt::format("{}\n    \"{}\"", comma, callee);
      comma = ",";
    }
    out += callees.empty() ? "]" : "\n  ]";
  }
  fmt::print("{}\n}}\n", out);
}

void print_sites(const Program& program) {
  for (const program::CallSite& site : program.calls()) {
    const program::Module& module = program.module_of(site.caller);
    const auto& source = module.facts->source();
    std::string text(source.slice(site.node->span).substr(0, 60));
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::string targets;
    for (const program::CallTarget& target : site.targets) {
      targets += fmt::format(
          " {}{}",
          target.function.valid() ? function_name(program, target.function) : "ext:" + std::string(target.external),
          target.certainty == program::Certainty::kExact ? "" : "?");
    }
    if (site.targets.empty()) targets = fmt::format(" ?? {}", site.unresolved_because);
    fmt::print("{}:{}: {} | {} ->{}\n", module.path, source.line_of(site.node->span.begin) + 1,
               function_name(program, site.caller), text, targets);
  }
}

void print_stats(const Program& program) {
  std::size_t internal = 0;
  std::size_t external = 0;
  std::size_t unresolved = 0;
  std::size_t edges = 0;
  std::map<std::string_view, std::size_t> reasons;
  for (const program::CallSite& site : program.calls()) {
    const bool any_internal = std::any_of(site.targets.begin(), site.targets.end(),
                                          [](const auto& target) { return target.function.valid(); });
    (site.targets.empty() ? unresolved : any_internal ? internal : external) += 1;
    edges += site.targets.size();
    if (site.targets.empty()) ++reasons[site.unresolved_because];
  }
  fmt::print(stderr, "modules {} classes {} functions {} calls {}: internal {} external {} unresolved {}; edges {}\n",
             program.modules().size(), program.classes().size(), program.functions().size(), program.calls().size(),
             internal, external, unresolved, edges);
  for (const auto& [reason, count] : reasons) fmt::print(stderr, "  {:8} {}\n", count, reason);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: lockstep-callgraph FOLDER [--why] [--stats] [--jobs=1]\n");
    return 2;
  }
  bool why = false;
  bool stats = false;
  std::size_t jobs = default_job_count();
  for (int i = 2; i < argc; ++i) {
    const std::string_view flag = argv[i];
    why = why || flag == "--why";
    stats = stats || flag == "--stats";
    if (flag == "--jobs=1") jobs = 1;
  }
  const std::filesystem::path folder(argv[1]);
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".py") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) texts.push_back(read(path));
  std::vector<program::SourceFile> files(paths.size());
  const double start = now_ms();
  parallel_for(paths.size(), jobs, [&](std::size_t i) {
    files[i] = {std::filesystem::relative(paths[i], folder).generic_string(),
                python::extract_facts(std::move(texts[i]))};
  });
  const double extracted = now_ms();
  const std::size_t memory_before = peak_mb();
  const Program program = program::link(std::move(files), {.jobs = jobs});
  const double linked = now_ms();
  if (why) print_sites(program);
  if (!why && !stats) print_graph(program);
  if (stats) {
    print_stats(program);
    fmt::print(stderr, "parse+facts {:.0f} ms, link {:.0f} ms; peak {} MB before link, {} MB after\n",
               extracted - start, linked - extracted, memory_before, peak_mb());
  }
  return 0;
}
