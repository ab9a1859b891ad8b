// Every fixture of the mesh analysis, exact both ways. A fixture is a file, or a folder of files that make one program.
//
// `# expect: RULE` on a line: the analysis finds something for that rule there; `# expect: RULE proven` (or likely):
// and it is that sure. `# miss: RULE reason`: it should find it and does not yet; the test tells on the day it does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/strings.h"
#include "mesh/mesh.h"
#include "program/link.h"

namespace lockstep::mesh {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(LOCKSTEP_SOURCE_DIR) / "tests/mesh/fixtures";

std::map<std::string, std::string> read_fixture(const fs::path& path) {
  std::map<std::string, std::string> files;
  const auto read = [&](const fs::path& file, const std::string& name) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    files[name] = text.str();
  };
  if (fs::is_regular_file(path)) read(path, path.filename().string());
  if (!fs::is_directory(path)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().extension() == ".py") read(entry.path(), fs::relative(entry.path(), path).generic_string());
  }
  return files;
}

/// "file.py:12 rule" -> "proven", "likely" or "" (any).
using Places = std::map<std::string, std::string>;

void collect_comments(const std::map<std::string, std::string>& files, std::string_view marker, Places& places) {
  for (const auto& [path, bytes] : files) {
    std::size_t line = 0;
    for (const std::string_view text : split_lines(bytes)) {
      ++line;
      const std::size_t at = text.find(marker);
      if (at == std::string_view::npos) continue;
      const std::vector<std::string_view> words = split(trim(text.substr(at + marker.size())), ' ');
      const bool told = words.size() > 1 && (words[1] == "proven" || words[1] == "likely");
      places[fmt::format("{}:{} {}", path, line, words.at(0))] = told ? std::string(words[1]) : "";
    }
  }
}

Places find(const std::map<std::string, std::string>& files, std::vector<std::string>& messages) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, bytes] : files) sources.push_back({path, python::extract_facts(bytes)});
  const program::Program program = program::link(std::move(sources), {});
  const MeshAnalysis analysis = analyse_mesh(program, {});
  Places places;
  const auto note = [&](program::FunctionId function, const python::Node& place, std::string_view rule,
                        std::string certainty, const std::string& message) {
    const program::Module& module = program.module_of(function);
    const std::string where =
        fmt::format("{}:{} {}", module.path, module.facts->source().line_of(place.span.begin) + 1, rule);
    places[where] = std::move(certainty);
    messages.push_back(where + " " + message);
  };
  for (const Divergence& row : analysis.divergences()) {
    const bool order = row.kind == Divergence::Kind::kOrder;
    EXPECT_FALSE(row.steps.empty());
    EXPECT_FALSE(row.outcome.empty());
    EXPECT_EQ(row.proven, row.missing_step.empty()) << row.missing_step;
    note(row.function, *row.place, order ? "unordered-collective" : "rank-divergent-collective",
         row.proven ? "proven" : "likely",
         fmt::format("{} on {} varies along {}; {}", row.collective.operation, row.collective.group.text,
                     analysis.describe(row.varies), row.missing_step));
  }
  for (const UnwaitedHandle& row : analysis.unwaited()) {
    note(row.function, *row.collective.call, "async-handle-not-waited", row.touched_at != nullptr ? "proven" : "likely",
         row.buffer);
  }
  return places;
}

std::vector<std::string> all_fixtures() {
  std::vector<std::string> paths;
  for (const std::string_view folder : {"nccl", "firing", "silent"}) {
    if (!fs::is_directory(kFixtures / folder)) continue;
    for (const auto& entry : fs::directory_iterator(kFixtures / folder)) {
      paths.push_back(std::string(folder) + "/" + entry.path().filename().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string case_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).replace_extension().generic_string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class MeshFixture : public testing::TestWithParam<std::string> {};

TEST_P(MeshFixture, FindsExactlyWhatItsCommentsExpect) {
  const auto files = read_fixture(kFixtures / GetParam());
  Places expected;
  Places misses;
  collect_comments(files, "# expect: ", expected);
  collect_comments(files, "# miss: ", misses);
  std::vector<std::string> messages;
  const Places found = find(files, messages);
  for (const auto& [place, certainty] : found) {
    if (misses.contains(place)) {
      ADD_FAILURE() << place << " is pinned as a miss and is found now: it got better, make it an expectation";
    } else {
      EXPECT_TRUE(expected.contains(place)) << "not expected:\n" << join(messages, "\n");
    }
  }
  for (const auto& [place, certainty] : expected) {
    const auto hit = found.find(place);
    EXPECT_TRUE(hit != found.end()) << "missing: " << place;
    if (hit != found.end() && !certainty.empty()) {
      EXPECT_EQ(hit->second, certainty) << place;
    }
  }
  const bool is_silent = GetParam().starts_with("silent") || GetParam().find("_ok.") != std::string::npos;
  if (GetParam().starts_with("firing")) {
    EXPECT_FALSE(expected.empty()) << "a firing fixture expects something";
  }
  if (is_silent) {
    EXPECT_TRUE(expected.empty() && misses.empty()) << "a silent fixture expects nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Mesh, MeshFixture, testing::ValuesIn(all_fixtures()), case_name);

TEST(NcclPrograms, AreAllThere) {
  std::set<std::string> numbers;
  int fine = 0;
  for (const auto& entry : fs::directory_iterator(kFixtures / "nccl")) {
    const std::string name = entry.path().filename().string();
    numbers.insert(name.substr(0, 2));
    fine += name.ends_with("_ok.py") ? 1 : 0;
  }
  EXPECT_EQ(numbers.size(), 49u);
  EXPECT_EQ(fine, 10);
}

}  // namespace
}  // namespace lockstep::mesh
