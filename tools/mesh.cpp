// lockstep-mesh FOLDER [--trace SYMBOL] [--sites] [--timings]: what the mesh analysis finds in a folder of Python
// files, one line a finding, for reading it by hand and for comparing runs.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/check.h"
#include "mesh/mesh.h"
#include "program/link.h"

namespace fs = std::filesystem;
using namespace lockstep;

namespace {

std::vector<program::SourceFile> read_folder(const fs::path& root) {
  std::vector<program::SourceFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".py") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    files.push_back({fs::relative(entry.path(), root).generic_string(), python::extract_facts(std::move(bytes))});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

constexpr const char* kKinds[] = {"condition", "loop",  "early-exit",     "order",    "exception",
                                  "root",      "shape", "group-creation", "operation"};

void print_divergence(const program::Program& program, const mesh::MeshAnalysis& analysis,
                      const mesh::Divergence& row) {
  const program::Module& module = program.module_of(row.function);
  fmt::print("{}:{}: {} {} varies along {}; {} on {}{}\n", module.path,
             module.facts->source().line_of(row.place->span.begin) + 1, row.proven ? "PROVEN" : "likely",
             kKinds[static_cast<int>(row.kind)], analysis.describe(row.varies), row.collective.operation,
             row.collective.group.text, row.missing_step.empty() ? "" : " (?" + row.missing_step + ")");
  for (const mesh::Step& step : row.steps) {
    fmt::print("    {}:{}: {}\n", program.modules()[step.module].path, step.line + 1, step.message);
  }
}

void print_handle(const program::Program& program, const mesh::UnwaitedHandle& row) {
  const program::Module& module = program.module_of(row.function);
  fmt::print("{}:{}: HANDLE {} {}{}\n", module.path,
             module.facts->source().line_of(row.collective.call->span.begin) + 1, row.collective.operation,
             row.handle_dropped ? "dropped " : "",
             row.touched_at == nullptr ? std::string("never waited for")
                                       : fmt::format("`{}` touched at line {}", row.buffer,
                                                     module.facts->source().line_of(row.touched_at->span.begin) + 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: lockstep-mesh FOLDER [--trace SYMBOL]... [--timings]\n");
    return 2;
  }
  bool timings = false;
  std::vector<std::string> traces;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--timings") timings = true;
    if (std::string_view(argv[i]) == "--trace" && i + 1 < argc) traces.emplace_back(argv[++i]);
  }
  const program::Program program = program::link(read_folder(argv[1]), {.jobs = 2});
  const std::clock_t start = std::clock();
  const mesh::MeshAnalysis analysis = mesh::analyse_mesh(program, {});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (timings) fmt::print(stderr, "mesh analysis: {:.3f} s of one core\n", seconds);
  for (const std::string& symbol : traces) {
    const program::FunctionId function = program.find_function(symbol);
    fmt::print("{}", function.valid() ? analysis.trace_text(function) : "no such function\n");
  }
  if (!traces.empty()) return 0;
  for (const mesh::Divergence& row : analysis.divergences()) print_divergence(program, analysis, row);
  for (const mesh::UnwaitedHandle& row : analysis.unwaited()) print_handle(program, row);
  return 0;
}
