// The working thread: requests that need the code, one after the other; between them, the tree is kept as it is on
// disk, so that the question after an edit need not wait for it.
#include <fmt/format.h>

#include <chrono>

#include "mcp/prompts.h"
#include "mcp/resources.h"
#include "mcp/server.h"
#include "mcp/tools.h"

namespace lockstep::mcp {

namespace {

using Clock = std::chrono::steady_clock;
// Looking for edits while idle costs at most one part in 200 of a core, and ends some minutes after the last question.
constexpr std::chrono::milliseconds kLookEvery(1000);
constexpr int kLookShare = 200;
constexpr std::chrono::minutes kLookFor(10);

}  // namespace

void Server::work() {
  bool is_cold = true;
  Clock::time_point last_request = Clock::now();
  std::chrono::nanoseconds pause = kLookEvery;
  for (;;) {
    JobPtr job;
    {
      std::unique_lock lock(mutex_);
      const auto is_due = [&] { return !waiting_.empty() || is_closing_ || is_broken_; };
      if (!is_cold) {
        if (Clock::now() - last_request < kLookFor) {
          changed_.wait_for(lock, pause, is_due);
        } else {
          changed_.wait(lock, is_due);
        }
      }
      if (is_broken_ || (is_closing_ && waiting_.empty())) break;
      if (!waiting_.empty()) {
        job = waiting_.front();
        waiting_.pop_front();
      }
    }
    if (job != nullptr) {
      changed_.notify_all();
      finish(*job, answer(*job));
      last_request = Clock::now();
      continue;
    }
    const Clock::time_point start = Clock::now();
    if (!is_cold) is_cold = !workspace_.is_current();
    pause = std::max<std::chrono::nanoseconds>(kLookEvery, (Clock::now() - start) * kLookShare);
    if (is_cold) is_cold = !warm_up();
  }
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

// Reads the tree ahead of the next question. False: a question came first.
bool Server::warm_up() {
  const auto nobody_waits = [this](std::string_view phase) {
    const std::lock_guard lock(mutex_);
    if (is_broken_ || (is_closing_ && waiting_.empty())) return false;
    // Whatever was asked needs the linked program; the mesh may not be needed.
    return waiting_.empty() || phase == "read and parse" || phase == "link";
  };
  const Result<const report::GraphModel*> graph = workspace_.graph(nobody_waits);
  return graph.has_value() || graph.error().message != "cancelled";
}

Json Server::answer(Job& job) {
  if (job.is_cancelled) return nullptr;
  const Progress progress = [&](std::string_view phase) { return report_progress(job, phase); };
  const Request& request = job.request;
  std::variant<Json, RpcError> result;
  bool is_cacheable = false;
  if (request.method == "tools/call") {
    result = call_tool(workspace_, request.params, progress);
  } else if (request.method == "prompts/get") {
    result = get_prompt(workspace_, request.params, progress);
  } else if (request.method == "resources/read") {
    is_cacheable = true;
    result = read_resource(workspace_, request.params, job.dialect, progress);
  } else {
    result = complete_argument(workspace_, request.params);
  }
  if (const auto* error = std::get_if<RpcError>(&result)) return error_message(request.id, *error, false);
  return result_message(request.id, complete_result(std::move(std::get<Json>(result)), job.dialect, is_cacheable));
}

bool Server::report_progress(Job& job, std::string_view phase) {
  if (job.is_cancelled || is_broken_) return false;
  if (const std::optional<Json> token = progress_token(job.request.params)) {
    Json params = {{"progressToken", *token}, {"progress", ++job.progress}};
    if (job.dialect.has_progress_messages()) params["message"] = phase;
    write(notification_message("notifications/progress", std::move(params)));
  }
  return true;
}

void Server::finish(Job& job, Json answer) {
  const std::string key = job.request.id.dump(-1, ' ', false, Json::error_handler_t::replace);
  bool is_wanted = false;
  {
    // Free before the answer goes out: a client may use the id again as soon as it has it.
    const std::lock_guard lock(mutex_);
    is_wanted = !job.is_cancelled;
    in_flight_.erase(key);
  }
  if (is_wanted) send(answer, job.batch);
  if (job.batch != nullptr) end_batch(job.batch);
  {
    const std::lock_guard lock(mutex_);
    --unanswered_;
  }
  changed_.notify_all();
}

}  // namespace lockstep::mcp
