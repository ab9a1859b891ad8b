#include "forge/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace lockstep::forge {

namespace {

constexpr std::size_t kMostOutputBytes = 16u << 20;

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

std::vector<std::string> environment_with(const std::vector<std::string>& extra) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view ours = *entry;
    const auto is_same = [&](const std::string& other) { return name_of(other) == name_of(ours); };
    if (std::none_of(extra.begin(), extra.end(), is_same)) all.emplace_back(ours);
  }
  for (const std::string& entry : extra) {
    if (entry.find('=') != std::string::npos) all.push_back(entry);
  }
  return all;
}

// Reads both pipes until they end. False: out of time.
bool drain(const Pipe& out, const Pipe& err, double limit_seconds, ProcessOutput& output) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<long>(limit_seconds * 1000));
  std::array<pollfd, 2> ends = {pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0}};
  std::array<std::string*, 2> texts = {&output.standard_output, &output.standard_error};
  std::array<char, 1u << 14> buffer{};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const int ready = ::poll(ends.data(), ends.size(), static_cast<int>(std::min<long>(left, 1000)));
    if (ready < 0 && errno != EINTR) return false;
    for (std::size_t i = 0; i < ends.size() && ready > 0; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t count = ::read(ends[i].fd, buffer.data(), buffer.size());
      if (count <= 0) {
        if (count == 0 || errno != EINTR) ends[i].fd = -1;
      } else if (texts[i]->size() < kMostOutputBytes) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(count));
      }
    }
  }
  return true;
}

}  // namespace

Result<ProcessOutput> run_process(const ProcessRequest& request) {
  Pipe out, err;
  if (!out.open() || !err.open())
    return fail(fmt::format("no pipe for {}: {}", request.arguments[0], std::strerror(errno)));
  std::vector<std::string> arguments = request.arguments;
  std::vector<std::string> environment = environment_with(request.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  pid_t child = 0;
  const int problem = ::posix_spawnp(&child, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                     pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return fail(fmt::format("cannot run {}: {}", request.arguments[0], std::strerror(problem)));
  Pipe::close_end(out.write_end);
  Pipe::close_end(err.write_end);
  ProcessOutput output;
  const bool is_done = drain(out, err, request.limit_seconds, output);
  if (!is_done) ::kill(child, SIGTERM);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!is_done)
    return fail(fmt::format("{} took longer than {:.0f} seconds", request.arguments[0], request.limit_seconds));
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace lockstep::forge
