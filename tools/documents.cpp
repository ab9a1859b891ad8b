// lockstep-documents REPOSITORY FOLDER CHANGE...: explain, dive and review of each change in one reading of its two
// sides, as FOLDER/CHANGE-explain.md and so on; a line of times a change. For holding the documents of many commits
// against their trees in a fraction of the time that three commands a commit take.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "driver/documents.h"
#include "driver/pipeline.h"

namespace fs = std::filesystem;
using namespace lockstep;

namespace {

constexpr std::pair<driver::DocumentKind, const char*> kKinds[] = {{driver::DocumentKind::kExplain, "explain"},
                                                                   {driver::DocumentKind::kDive, "dive"},
                                                                   {driver::DocumentKind::kReview, "review"}};

Result<std::string> write_documents(const repo::Repository& repository, const fs::path& folder,
                                    const std::string& name) {
  Result<repo::ChangeInput> input = repo::parse_change(repository, name);
  if (!input) return tl::unexpected<Error>(input.error());
  Result<repo::ChangeSides> sides = repo::load_change(repository, *input);
  if (!sides) return tl::unexpected<Error>(sides.error());
  Timings timings;
  const driver::ChangeWords words = driver::words_of(*sides);
  Result<std::unique_ptr<driver::AnalysedChange>> analysed = driver::analyse_change(std::move(*sides), {}, timings);
  if (!analysed) return tl::unexpected<Error>(analysed.error());
  const report::Report report = driver::review_change(**analysed, timings);
  std::string line = name;
  for (const auto& [kind, label] : kKinds) {
    const auto start = std::chrono::steady_clock::now();
    const std::string bytes = driver::write_change_document(kind, **analysed, report, words);
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    line += fmt::format(" {} {:.0f} ms", label, spent.count());
    std::ofstream(folder / fmt::format("{}-{}.md", name, label), std::ios::binary) << bytes;
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: lockstep-documents REPOSITORY FOLDER CHANGE...\n");
    return 2;
  }
  Result<repo::Repository> repository = repo::Repository::open(argv[1]);
  if (!repository) {
    fmt::print(stderr, "{}\n", repository.error().message);
    return 2;
  }
  fs::create_directories(argv[2]);
  int failed = 0;
  for (int i = 3; i < argc; ++i) {
    const Result<std::string> line = write_documents(*repository, argv[2], argv[i]);
    if (!line) failed = 1;
    fmt::print("{}\n", line ? *line : line.error().message);
    std::fflush(stdout);
  }
  return failed;
}
