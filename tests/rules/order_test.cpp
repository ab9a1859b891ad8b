// The rooms' order: a file of a room includes only that room and rooms before it (CMakeLists.txt: LOCKSTEP_ROOMS).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/strings.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> rooms() {
  std::ifstream stream(fs::path(LOCKSTEP_SOURCE_DIR) / "CMakeLists.txt");
  std::vector<std::string> names;
  for (std::string line; std::getline(stream, line);) {
    const std::string_view start = "set(LOCKSTEP_ROOMS ";
    if (!line.starts_with(start)) continue;
    const std::string list = line.substr(start.size(), line.find(')') - start.size());
    for (const std::string_view name : split(list, ' ')) names.emplace_back(name);
  }
  return names;
}

TEST(Order, RoomsIncludeOnlyRoomsBeforeThem) {
  const std::vector<std::string> order = rooms();
  ASSERT_GE(order.size(), 10u);
  int includes = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const fs::path folder = fs::path(LOCKSTEP_SOURCE_DIR) / "src" / order[i];
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) {
        if (!line.starts_with("#include \"")) continue;
        const std::string target = line.substr(10, line.find('/') - 10);
        const auto at = std::find(order.begin(), order.end(), target);
        if (at == order.end()) continue;
        ++includes;
        EXPECT_LE(static_cast<std::size_t>(at - order.begin()), i) << entry.path() << " includes room " << target;
      }
    }
  }
  EXPECT_GT(includes, 50);
}

TEST(Order, EveryRoomFolderIsListed) {
  const std::vector<std::string> order = rooms();
  for (const auto& entry : fs::directory_iterator(fs::path(LOCKSTEP_SOURCE_DIR) / "src")) {
    if (!entry.is_directory() || fs::is_empty(entry.path())) continue;
    EXPECT_NE(std::find(order.begin(), order.end(), entry.path().filename().string()), order.end()) << entry.path();
  }
}

}  // namespace
}  // namespace lockstep
