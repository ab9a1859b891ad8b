// What a tool that is built on tree-sitter does before it can look at anything: a whole process that lists the Python
// files of a folder, reads and parses each on all cores, and forgets the tree. usage: tree_sitter_repository FOLDER
#include <fmt/format.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/worker_pool.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace {

struct Listed {
  std::uintmax_t size_bytes;
  std::filesystem::path path;
};

std::vector<Listed> list(const std::string& folder) {
  std::vector<Listed> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".py") {
      files.push_back({entry.file_size(), entry.path()});
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.size_bytes > b.size_bytes; });
  return files;
}

void read_and_parse(const Listed& file) {
  thread_local TSParser* parser = [] {
    TSParser* created = ts_parser_new();
    ts_parser_set_language(created, tree_sitter_python());
    return created;
  }();
  std::string bytes(file.size_bytes, '\0');
  std::ifstream(file.path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ts_tree_delete(ts_parser_parse_string(parser, nullptr, bytes.data(), static_cast<std::uint32_t>(bytes.size())));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: tree_sitter_repository FOLDER\n");
    return 2;
  }
  const std::vector<Listed> files = list(argv[1]);
  lockstep::parallel_for(files.size(), lockstep::default_job_count(), [&](std::size_t i) { read_and_parse(files[i]); });
  return 0;
}
