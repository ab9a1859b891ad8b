// Parsing, per core and on all cores: Lockstep's parser against tree-sitter with its Python grammar, on the same bytes
// in memory, in one run. usage: parse_bench FOLDER [ROUNDS]
#include <fmt/format.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "base/worker_pool.h"
#include "python/facts.h"
#include "python/parser.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace {

std::vector<std::string> read_all(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".py") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    files.push_back(bytes.str());
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return files;
}

void tree_sitter_parse(const std::string& bytes) {
  thread_local TSParser* parser = [] {
    TSParser* created = ts_parser_new();
    ts_parser_set_language(created, tree_sitter_python());
    return created;
  }();
  TSTree* tree = ts_parser_parse_string(parser, nullptr, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  ts_tree_delete(tree);
}

// Best of the rounds, in seconds: the machine's noise only ever adds.
double best_of(int rounds, const std::vector<std::string>& files, std::size_t jobs,
               const std::function<void(const std::string&)>& parse) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    lockstep::parallel_for(files.size(), jobs, [&](std::size_t i) { parse(files[i]); });
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: parse_bench FOLDER [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
  const std::vector<std::string> files = read_all(argv[1]);
  std::size_t size_bytes = 0;
  for (const std::string& file : files) size_bytes += file.size();
  const double megabytes = static_cast<double>(size_bytes) / 1e6;
  fmt::print("{} files, {:.1f} MB\n{:<44}{:>10}{:>10}\n", files.size(), megabytes, "parsing", "s", "MB/s");
  const auto row = [&](const char* name, std::size_t jobs, const std::function<void(const std::string&)>& parse) {
    const double seconds = best_of(rounds, files, jobs, parse);
    fmt::print("{:<44}{:>10.3f}{:>10.1f}\n", fmt::format("{}, {} thread{}", name, jobs, jobs == 1 ? "" : "s"), seconds,
               megabytes / seconds);
    return seconds;
  };
  const std::size_t cores = lockstep::default_job_count();
  const double theirs = row("tree-sitter-python", 1, tree_sitter_parse);
  const double ours = row("lockstep parser", 1, [](const std::string& bytes) { lockstep::python::parse(bytes); });
  row("lockstep parser and facts", 1, [](const std::string& bytes) { lockstep::python::extract_facts(bytes); });
  row("tree-sitter-python", cores, tree_sitter_parse);
  row("lockstep parser", cores, [](const std::string& bytes) { lockstep::python::parse(bytes); });
  fmt::print("per core, lockstep parses {:.1f} times as fast\n", theirs / ours);
  return 0;
}
