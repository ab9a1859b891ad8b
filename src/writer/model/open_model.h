// What the user asked for -> a model that does it: --model, --model-url, --model-api, --record, --replay, --max-cost,
// --show-request. The one door to models; whoever writes documents knows chat.h and this.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "writer/model/chat.h"
#include "writer/model/clock.h"
#include "writer/model/ledger.h"
#include "writer/model/server_model.h"
#include "writer/model/settings.h"
#include "writer/model/stream_transport.h"

namespace lockstep::writer {

struct ModelOptions {
  std::string name;                   ///< --model; empty: no model (unless `replay`).
  std::optional<std::string> url;     ///< --model-url
  std::optional<WireApi> api;         ///< --model-api
  std::optional<std::string> record;  ///< --record FILE
  std::optional<std::string> replay;  ///< --replay FILE
  std::optional<double> most_cost;    ///< --max-cost
  bool show_request = false;          ///< --show-request

  /// A model is wanted. Without it nothing leaves the machine.
  [[nodiscard]] bool is_wanted() const { return !name.empty() || replay.has_value(); }
};

/// What stands around a model; all of it may be left as it is. What is pointed to outlives the model.
struct ModelSurroundings {
  std::optional<std::string> config;  ///< --config FILE
  std::string directory = ".";        ///< -C: its repository's files cannot choose a model.
  StopFlag stop = nullptr;
  Remark remark;
  OnProgress on_progress;
  /// Gets what --show-request prints: each request as it would be sent, without the key.
  std::function<void(std::string_view)> show;
  Clock* clock = nullptr;  ///< Null: the system's.
  StreamLimits limits;
};

struct OpenedModel {
  std::unique_ptr<Model> model;
  std::shared_ptr<const Ledger> ledger;
  std::string name;                ///< The server's name of the model.
  std::size_t context_tokens = 0;  ///< As configured, or recorded; 0: not known.
};

/// A replay reads neither the configuration nor a key: name, prices and context stand in the recording.
/// Requests pass, in this order: secrets masked, the budget, the recording, the server (or the replay, or the show).
/// Errors say what to do; nothing is sent here.
Result<OpenedModel> open_model(const ModelOptions& options, ModelSurroundings surroundings);

}  // namespace lockstep::writer
