// lockstep-dump_ast: what the Python parser makes of files.
//
//   lockstep-dump_ast FILE…             one line of JSON a file: [path, [[line, column, problem], …], tree]
//   lockstep-dump_ast --list FILE       the same for every path that stands in FILE, one a line ("-": standard input)
//   lockstep-dump_ast --problems FILE…  the problems only, as path:line:column: message
//   lockstep-dump_ast --time DIR [N]    parses every .py file below DIR N times (5), prints sizes, MB/s (of CPU time)
//   and memory
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "python/dump.h"
#include "python/parser.h"

namespace {

using lockstep::python::ParsedFile;

bool read_stream(std::FILE* stream, std::string& bytes) {
  char buffer[1 << 16];
  for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, stream)) > 0;) bytes.append(buffer, size);
  return std::ferror(stream) == 0;
}

bool read_file(const std::string& path, std::string& bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "rb"), std::fclose);
  return stream != nullptr && read_stream(stream.get(), bytes);
}

bool dump(const std::string& path) {
  std::string bytes;
  if (!read_file(path, bytes)) {
    fmt::print(stderr, "cannot read {}\n", path);
    return false;
  }
  const auto file = lockstep::python::parse(std::move(bytes));
  std::string out = "[";
  lockstep::python::append_json_string(path, out);
  std::string_view separator = ",[";
  for (const auto& problem : file->problems) {
    const auto at = file->source.position_of(problem.span.begin);
    out += fmt::format("{}[{},{},", separator, at.line + 1, at.column);
    lockstep::python::append_json_string(problem.message, out);
    out += ']';
    separator = ",";
  }
  out += file->problems.empty() ? ",[]," : "],";
  lockstep::python::dump_tree(*file, out);
  out += "]\n";
  std::fwrite(out.data(), 1, out.size(), stdout);
  return true;
}

bool print_problems(const std::string& path) {
  std::string bytes;
  if (!read_file(path, bytes)) {
    fmt::print(stderr, "cannot read {}\n", path);
    return false;
  }
  const auto file = lockstep::python::parse(std::move(bytes));
  for (const auto& problem : file->problems) {
    const auto at = file->source.position_of(problem.span.begin);
    fmt::print("{}:{}:{}: {}\n", path, at.line + 1, at.column + 1, problem.message);
  }
  return true;
}

bool dump_list(const std::string& list) {
  std::string text;
  if (list == "-" ? !read_stream(stdin, text) : !read_file(list, text)) {
    fmt::print(stderr, "cannot read {}\n", list);
    return false;
  }
  bool all = true;
  for (const std::string_view path : lockstep::split_lines(text)) all = dump(std::string(path)) && all;
  return all;
}

bool time_folder(const std::string& folder, int rounds) {
  std::vector<std::string> sources;
  std::size_t total_bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".py") continue;
    sources.emplace_back();
    if (!read_file(entry.path().string(), sources.back())) sources.pop_back();
  }
  for (const std::string& source : sources) total_bytes += source.size();
  double best_seconds = 1e9;
  std::size_t problem_count = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::unique_ptr<ParsedFile>> files;
    files.reserve(sources.size());
    std::vector<std::string> copies = sources;
    const std::clock_t start = std::clock();  // CPU time: other programs on the machine do not count
    for (std::string& copy : copies) files.push_back(lockstep::python::parse(std::move(copy)));
    best_seconds = std::min(best_seconds, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    problem_count = 0;
    for (const auto& file : files) problem_count += file->problems.size();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double megabytes = static_cast<double>(total_bytes) / 1e6;
  fmt::print(
      "{} files, {:.1f} MB, {} problems; best of {}: {:.0f} ms, {:.1f} MB/s; peak memory {:.1f} MB "
      "(holds the sources twice)\n",
      sources.size(), megabytes, problem_count, rounds, best_seconds * 1e3, megabytes / best_seconds,
      static_cast<double>(usage.ru_maxrss) / 1e3);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() >= 2 && arguments[0] == "--time") {
    return time_folder(arguments[1], arguments.size() > 2 ? std::max(1, std::atoi(arguments[2].c_str())) : 5) ? 0 : 1;
  }
  if (arguments.size() == 2 && arguments[0] == "--list") return dump_list(arguments[1]) ? 0 : 1;
  const bool problems_only = !arguments.empty() && arguments[0] == "--problems";
  if (arguments.size() == (problems_only ? 1u : 0u)) {
    fmt::print(stderr, "usage: lockstep-dump_ast FILE... | --list FILE | --problems FILE... | --time DIR [N]\n");
    return 2;
  }
  bool all = true;
  for (std::size_t i = problems_only ? 1 : 0; i < arguments.size(); ++i) {
    all = (problems_only ? print_problems(arguments[i]) : dump(arguments[i])) && all;
  }
  return all ? 0 : 1;
}
