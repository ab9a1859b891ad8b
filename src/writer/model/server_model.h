// A model on a server: a ChatRequest -> the wire -> a ChatAnswer, with patience where waiting helps. Asks again after
// lost connections, silence, 429 and 5xx (as late as Retry-After says, else twice as late each time, at random so that
// many clients do not come back at once), but never once a part of the answer has been handed on: that answer is kCut.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "writer/model/chat.h"
#include "writer/model/clock.h"
#include "writer/model/place.h"
#include "writer/model/setback.h"
#include "writer/model/stream_transport.h"

namespace lockstep::writer {

/// Told of waits and of what the server does not understand: "waiting 20 s: …"; may be empty. No credentials.
using Remark = std::function<void(const std::string&)>;

struct Patience {
  int most_attempts = 5;
  double first_pause_seconds = 1;
  /// Of one wait; a server that asks for a longer one is given up on at once.
  double longest_wait_seconds = 120;
  /// Of all waits for one answer.
  double most_waiting_seconds = 300;
};

class ServerModel final : public Model {
 public:
  /// All references outlive the model.
  ServerModel(ModelPlace place, forge::Token key, StreamTransport& transport, Clock& clock, StopFlag stop,
              Remark remark, Patience patience = {});

  tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest& request, const OnText& on_text) override;

 private:
  tl::expected<ChatAnswer, Setback> attempt(const ChatRequest& request, const OnText& on_text);
  /// False: no use in another attempt; `setback` then says why.
  bool prepare_next(Setback& setback, int attempt, double& waited_seconds);
  bool learn(Setback& setback);

  ModelPlace place_;
  forge::Token key_;
  StreamTransport& transport_;
  Clock& clock_;
  StopFlag stop_;
  Remark remark_;
  Patience patience_;
  Quirks quirks_;
};

}  // namespace lockstep::writer
