// The Model Context Protocol over standard input and output: one JSON message a line. A thread reads and answers what
// needs no code (handshake, lists, pings) at once, so that cancelling works while another thread works; that one takes
// tool calls, prompts and documents in the order in which they came.
//
// Left out: what tools answer (tools.h), what differs between versions of the protocol (dialect.h). The server asks
// nothing of its client: it sends no requests.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mcp/dialect.h"
#include "mcp/json_rpc.h"
#include "mcp/workspace.h"

namespace lockstep::mcp {

/// Bytes of one message; a longer line is refused, and skipped without being held.
inline constexpr std::size_t kMostLineBytes = 8u << 20;
/// Requests that wait; with more, nothing is read until some are answered.
inline constexpr std::size_t kMostWaiting = 512;
inline constexpr std::size_t kMostSubscriptions = 64;

class Server {
 public:
  /// Reads from and writes to open file descriptors, which stay its caller's.
  Server(Workspace workspace, int input, int output)
      : workspace_(std::move(workspace)), input_(input), output_(output) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// Serves until the input ends and all that was asked is answered, or the output is gone. The working thread may
  /// still be busy with what nobody asked for; the destructor waits for it.
  void run();

 private:
  /// The requests of one line, which are answered in one line.
  struct Batch {
    std::size_t pending = 0;
    std::vector<Json> answers;
  };
  struct Job {
    Request request;
    Dialect dialect;
    std::shared_ptr<Batch> batch;  ///< Null: on its own.
    std::atomic<bool> is_cancelled = false;
    int progress = 0;  ///< Notifications sent.
  };
  using JobPtr = std::shared_ptr<Job>;

  void read_line(std::string_view line);
  void take(Message& message, const std::shared_ptr<Batch>& batch);
  void take_request(Request request, const std::shared_ptr<Batch>& batch);
  void take_notification(const Notification& notification);
  void cancel(const Json& id);
  /// The answer to what needs no code; nothing where the working thread must answer.
  std::optional<Json> answer_at_once(const Request& request, Dialect dialect);
  Json initialize(const Request& request);
  Json discover(const Request& request, Dialect dialect) const;
  Json listen(const Request& request, Dialect dialect);
  void enqueue(Request request, Dialect dialect, const std::shared_ptr<Batch>& batch);

  void work();
  bool warm_up();
  Json answer(Job& job);
  bool report_progress(Job& job, std::string_view phase);
  void finish(Job& job, Json answer);

  void send(const Json& message, const std::shared_ptr<Batch>& batch);
  void write(const Json& message);
  void end_batch(const std::shared_ptr<Batch>& batch);

  Workspace workspace_;
  int input_;
  int output_;
  std::string_view negotiated_;  ///< Version of the handshake; of the reading thread alone.

  std::mutex mutex_;  ///< Guards what follows, and the batches.
  std::condition_variable changed_;
  std::deque<JobPtr> waiting_;
  std::map<std::string, JobPtr> in_flight_;  ///< By id as JSON text; waiting or worked on.
  std::size_t unanswered_ = 0;               ///< Requests taken, and neither answered nor dropped.
  std::map<std::string, Json> subscriptions_;
  bool is_closing_ = false;
  std::mutex output_mutex_;
  std::atomic<bool> is_broken_ = false;  ///< Nobody reads our output.
  std::thread worker_;
};

}  // namespace lockstep::mcp
