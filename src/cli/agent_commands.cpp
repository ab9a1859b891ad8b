#include "cli/agent_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "cli/files.h"
#include "cli/loading.h"
#include "driver/configuration.h"
#include "mcp/server.h"
#include "mcp/skill.h"

namespace lockstep::cli {

namespace {

constexpr std::size_t kMostSkillBytes = 1u << 20;

}  // namespace

int run_mcp(const Options& options) {
  mcp::Workspace::Options workspace_options;
  workspace_options.directory = options.directory;
  workspace_options.jobs = job_count(options);
  if (options.config) {
    Result<rules::Settings> settings = driver::settings_from_file(*options.config);
    if (!settings) return stop(settings.error());
    workspace_options.settings = std::move(*settings);
  }
  Result<mcp::Workspace> workspace = mcp::Workspace::open(std::move(workspace_options));
  if (!workspace) return stop(workspace.error());
  std::signal(SIGPIPE, SIG_IGN);  // A client that is gone ends the program through the failed write.
  mcp::Server server(std::move(*workspace), STDIN_FILENO, STDOUT_FILENO);
  server.run();
  // All is answered. The other thread may be reading the tree ahead of a question that will not come.
  std::_Exit(0);
}

int run_skill(const Options& options) {
  namespace fs = std::filesystem;
  const fs::path folder(options.skill_folder);
  const auto files = mcp::skill_files();
  for (const auto& [name, content] : files) {
    const std::string path = (folder / name).string();
    std::error_code error;
    if (options.force || !fs::exists(path, error)) continue;
    const Result<std::string> there = read_file(path, kMostSkillBytes);
    if (!there || *there != content)
      return stop({fmt::format("'{}' is there already and differs", path), "`lockstep skill --force` replaces it"});
  }
  for (const auto& [name, content] : files) {
    const fs::path path = folder / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
      return stop({fmt::format("cannot make the folder '{}': {}", path.parent_path().string(), error.message()), ""});
    if (const Result<void> written = write_output(path.string(), content); !written) return stop(written.error());
    fmt::print("{}\n", path.string());
  }
  return 0;
}

}  // namespace lockstep::cli
