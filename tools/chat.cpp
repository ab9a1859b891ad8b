// lockstep-chat: the client of language models without the documents. Reads requests from standard input, in the format
// of recordings (writer/model/exchange.h; what was answered there does not count), asks each of the model that the
// options name, and writes what came in the same format. Remarks and waits go to standard error; it never really waits.
//
//   lockstep-chat --model NAME --model-url URL [options as of `lockstep review`] < requests.jsonl
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <cstdio>

#include "base/secrets.h"
#include "writer/model/exchange.h"
#include "writer/model/interrupt.h"
#include "writer/model/open_model.h"

namespace {

using namespace lockstep;
using namespace lockstep::writer;

constexpr double kNow = 1'767'225'600;  // 2026-01-01 00:00:00 UTC: dates in headers are held against it

class TellingClock final : public Clock {
 public:
  double now() override { return kNow + slept_; }
  void sleep(double seconds, StopFlag /*stop*/) override {
    slept_ += seconds;
    fmt::print(stderr, "slept {:.2f}\n", seconds);
  }
  double chance() override { return 0.5; }

 private:
  double slept_ = 0;
};

struct ToolOptions {
  ModelOptions model;
  ModelSurroundings surroundings;
  std::size_t refuse_after = 0;  // pieces; 0: never
  std::size_t stop_after = 0;
  bool tells_progress = false;
};

std::string read_standard_input() {
  std::string text;
  std::array<char, 1u << 16> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stdin))
    text.append(buffer.data(), count);
  return text;
}

int stop(const Error& error) {
  fmt::print(stderr, "error: {}\nnext: {}\n", error.message, error.next_step);
  return 2;
}

void define(CLI::App& app, ToolOptions& options) {
  ModelOptions& model = options.model;
  app.add_option("--model", model.name);
  app.add_option("--model-url", model.url);
  app.add_option_function<std::string>("--model-api", [&model](const std::string& api) { model.api = api_of(api); });
  app.add_option("--record", model.record);
  app.add_option("--replay", model.replay);
  app.add_option("--max-cost", model.most_cost);
  app.add_flag("--show-request", model.show_request);
  app.add_option("--config", options.surroundings.config);
  app.add_option("-C", options.surroundings.directory);
  app.add_option("--connect-seconds", options.surroundings.limits.connect_seconds);
  app.add_option("--silent-seconds", options.surroundings.limits.silent_seconds);
  app.add_option("--total-seconds", options.surroundings.limits.total_seconds);
  app.add_option("--most-bytes", options.surroundings.limits.most_body_bytes);
  app.add_option("--refuse-after", options.refuse_after);
  app.add_option("--stop-after", options.stop_after);
  app.add_flag("--progress", options.tells_progress);
}

int run(ToolOptions& options) {
  TellingClock clock;
  const InterruptWatch watch;
  std::atomic<bool> is_stopped = false;
  ModelSurroundings& surroundings = options.surroundings;
  surroundings.clock = &clock;
  surroundings.stop = options.stop_after > 0 ? &is_stopped : watch.flag();
  surroundings.remark = [](const std::string& text) { fmt::print(stderr, "remark: {}\n", text); };
  surroundings.show = [](std::string_view text) { fmt::print("{}", text); };
  if (options.tells_progress) {
    surroundings.on_progress = [](const ModelProgress& progress) {
      fmt::print(stderr, "progress: {}\n", progress_text(progress));
    };
  }
  const Result<Recording> requests = parse_recording(read_standard_input(), "standard input");
  if (!requests) return stop(requests.error());
  const Result<OpenedModel> opened = open_model(options.model, surroundings);
  if (!opened) return stop(opened.error());
  for (const Exchange& asked : requests->exchanges) {
    Exchange exchange{asked.request, {}, {}};
    exchange.outcome = opened->model->complete(asked.request, [&](std::string_view piece) {
      exchange.pieces.emplace_back(piece);
      if (exchange.pieces.size() == options.stop_after) is_stopped = true;
      return exchange.pieces.size() != options.refuse_after;
    });
    if (!options.model.show_request) fmt::print("{}", recording_of(exchange));
    std::fflush(stdout);
  }
  fmt::print(stderr, "ledger: {}\n", ledger_text(*opened->ledger));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ToolOptions options;
  CLI::App app;
  define(app, options);
  CLI11_PARSE(app, argc, argv);
  return run(options);
}
