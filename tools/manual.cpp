// lockstep-manual FOLDER: writes what is installed beside the program into FOLDER: lockstep.1, lockstep.bash, _lockstep
// (zsh) and lockstep.fish. The build runs it.
#include <fmt/format.h>

#include "cli/build_version.h"
#include "cli/files.h"
#include "cli/manual.h"

int main(int argc, char** argv) {
  using namespace lockstep::cli;
  if (argc != 2) {
    fmt::print(stderr, "usage: lockstep-manual FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  const std::vector<CommandWords> commands = command_words();
  const std::pair<const char*, std::string> files[] = {{"lockstep.1", manual_page(commands, build_version())},
                                                       {"lockstep.bash", bash_completion(commands)},
                                                       {"_lockstep", zsh_completion(commands)},
                                                       {"lockstep.fish", fish_completion(commands)}};
  for (const auto& [name, text] : files) {
    if (const auto written = write_output(folder + "/" + name, text); !written) {
      fmt::print(stderr, "lockstep-manual: {}\n", written.error().message);
      return 2;
    }
  }
  return 0;
}
