#include "repo/git_fixture.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

// libgit2 1.5 leaks PCRE's match data of each regular expression that it looks for in a config: not ours to free.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libpcre2\n"; }

namespace lockstep::testing {
namespace {

// One environment for every command: the machine's Git configuration must not decide what a test sees.
constexpr const char* kEnvironment =
    "env -i PATH=\"$PATH\" HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null LC_ALL=C "
    "GIT_AUTHOR_NAME='Ada Lovelace' GIT_AUTHOR_EMAIL=ada@example.org GIT_AUTHOR_DATE='2024-05-31T11:30:00+0200' "
    "GIT_COMMITTER_NAME='Ada Lovelace' GIT_COMMITTER_EMAIL=ada@example.org "
    "GIT_COMMITTER_DATE='2024-05-31T11:30:00+0200' GIT_ALLOW_PROTOCOL=file GIT_TERMINAL_PROMPT=0 sh -c ";

}  // namespace

TempFolder::TempFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
  const char* made = ::mkdtemp(pattern.data());
  if (made == nullptr) {
    ADD_FAILURE() << "cannot make a temporary folder";
    return;
  }
  path_ = std::filesystem::canonical(pattern).string();
}

TempFolder::~TempFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

void write_file(const std::string& path, std::string_view bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good()) << path;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string quote_for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string run_shell(const std::string& folder, const std::string& command) {
  const std::string whole = kEnvironment + quote_for_shell("cd " + quote_for_shell(folder) + " && " + command);
  FILE* pipe = ::popen(whole.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot run " << command;
    return "";
  }
  std::string output;
  std::array<char, 65536> buffer{};
  while (const std::size_t count = ::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), count);
  EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << output;
  return output;
}

GitFixture::GitFixture(const std::string& name) : root_(folder_.path() + "/" + name) {
  std::filesystem::create_directories(root_);
  git("init -q -b main");
}

std::string GitFixture::git(const std::string& arguments) const {
  std::string output = run_shell(root_, "git " + arguments);
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

std::string GitFixture::commit(const std::string& message) const {
  git("add -A");
  git("commit -q --allow-empty -m " + quote_for_shell(message));
  return git("rev-parse HEAD");
}

}  // namespace lockstep::testing
