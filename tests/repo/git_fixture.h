// Real Git repositories in a temporary folder, made by the `git` command: what tests of the repository room read.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::testing {

/// A folder that is removed with everything in it at the end of the test.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view bytes);  ///< Makes the folders above it too.
std::string read_file(const std::string& path);                    ///< Fails the test if there is none.
std::string quote_for_shell(std::string_view text);
/// Standard output of a shell command run in `folder`; fails the test if the command fails. Git sees no configuration
/// but the repository's own, and fixed names and dates.
std::string run_shell(const std::string& folder, const std::string& command);

/// A repository with a work tree.
class GitFixture {
 public:
  explicit GitFixture(const std::string& name = "repo");

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string path(std::string_view relative) const { return root_ + "/" + std::string(relative); }
  /// A path beside the repository, removed with it.
  [[nodiscard]] std::string beside(std::string_view name) const { return folder_.path() + "/" + std::string(name); }
  void write(std::string_view relative, std::string_view bytes) const { write_file(path(relative), bytes); }
  /// `git ARGUMENTS` in the work tree, through a shell; its output without the last line end.
  std::string git(const std::string& arguments) const;
  /// Adds everything and commits it; the commit's id.
  std::string commit(const std::string& message) const;

 private:
  TempFolder folder_;
  std::string root_;
};

}  // namespace lockstep::testing
