// A model that answers from a script, and tells what it was asked: every test of the author drives one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "writer/model/chat.h"

namespace lockstep::writer::testing {

class ScriptedModel : public Model {
 public:
  using Answer = tl::expected<ChatAnswer, ChatFailure>;
  /// Asked for each request in turn.
  using Script = std::function<Answer(const ChatRequest& request, std::size_t number)>;
  explicit ScriptedModel(Script script) : script_(std::move(script)) {}

  Answer complete(const ChatRequest& request, const OnText& on_text) override {
    requests.push_back(request);
    Answer answer = script_(request, requests.size() - 1);
    if (answer && on_text) on_text(answer->text);
    return answer;
  }

  std::vector<ChatRequest> requests;

 private:
  Script script_;
};

inline ChatAnswer says(std::string text, StopReason stop = StopReason::kEnd) {
  ChatAnswer answer;
  answer.text = std::move(text);
  answer.stop = stop;
  return answer;
}

inline ChatAnswer calls(std::string name, std::string arguments) {
  ChatAnswer answer;
  answer.calls.push_back({"call-1", std::move(name), std::move(arguments)});
  answer.stop = StopReason::kTools;
  return answer;
}

inline ScriptedModel::Answer fails(ChatFailure::Kind kind, std::string message = "no server") {
  return tl::unexpected<ChatFailure>(ChatFailure{kind, std::move(message)});
}

/// Of a request: what it is asked to do (the last user turn), and whether it is for this prompt.
inline const std::string& question_of(const ChatRequest& request) {
  for (auto turn = request.turns.rbegin(); turn != request.turns.rend(); ++turn) {
    if (turn->role == ChatTurn::Role::kUser) return turn->text;
  }
  static const std::string kNone;
  return kNone;
}

}  // namespace lockstep::writer::testing
