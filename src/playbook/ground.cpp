#include "playbook/ground.h"

#include <utility>

namespace lockstep::playbook {

Ground gather_ground(const repo::Snapshot& snapshot, const program::Program& program,
                     const std::set<std::string, std::less<>>& extra, std::size_t jobs) {
  Paths paths(snapshot);
  std::set<std::string, std::less<>> left_out = extra;
  for (const std::string& path : paths.files()) {
    if (playbook_kind(path)) left_out.insert(path);
  }
  Words words(snapshot, program, std::move(left_out), jobs);
  Tools tools = gather_tools(snapshot, paths, program);
  return {snapshot,
          program,
          std::move(paths),
          std::move(words),
          std::move(tools),
          Names(program),
          Lazy<ScriptOptions>(program),
          Lazy<Sections>(program)};
}

}  // namespace lockstep::playbook
