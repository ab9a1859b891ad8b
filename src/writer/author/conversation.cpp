#include "writer/author/conversation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "render/graph_text.h"
#include "writer/prompts.h"

namespace lockstep::writer {

namespace {

constexpr int kMostShrinks = 4;
constexpr int kMostContinuations = 2;
constexpr std::size_t kLeastTokens = 500;

// In the place of an answer that the next turn holds: servers want both sides to take turns.
constexpr std::string_view kAnswerBelow = "(My text stands in the next message.)";

// A model that only asks for tools must come to an end, too.
constexpr std::size_t kMostRounds = 12;

ChatTurn user_turn(std::string text) {
  ChatTurn turn;
  turn.role = ChatTurn::Role::kUser;
  turn.text = std::move(text);
  return turn;
}

ChatTurn assistant_turn(const ChatAnswer& answer) {
  ChatTurn turn;
  turn.role = ChatTurn::Role::kAssistant;
  turn.text = answer.text;
  turn.calls = answer.calls;
  return turn;
}

bool ends_run(ChatFailure::Kind kind) {
  return kind == ChatFailure::Kind::kDenied || kind == ChatFailure::Kind::kExhausted ||
         kind == ChatFailure::Kind::kBudget || kind == ChatFailure::Kind::kStopped;
}

}  // namespace

std::string whole_sentences(std::string_view text) {
  std::size_t end = 0;
  bool is_code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') is_code = !is_code;
    const bool is_end = text[i] == '.' || text[i] == '!' || text[i] == '?';
    if (is_end && !is_code && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n')) end = i + 1;
    if (!is_code && text.substr(i).starts_with("\u3002")) end = i + 3;  // the full stop of Chinese
  }
  return std::string(text.substr(0, end));
}

Reply Conversation::failed(const ChatFailure& failure, std::string text) {
  Reply reply;
  reply.text = whole_sentences(text);
  reply.is_cut = !reply.text.empty();
  if (ends_run(failure.kind)) over_ = failure.message.empty() ? "the model gave no answer" : failure.message;
  if (reply.text.empty()) {
    reply.why_not = failure.kind == ChatFailure::Kind::kTooLong
                        ? "even a small request is longer than the model's context"
                        : (failure.message.empty() ? std::string("the model gave no answer") : failure.message);
  }
  return reply;
}

void Conversation::answer_calls(const ChatAnswer& answer, const Question& question, std::size_t round,
                                ChatRequest& request, Reply& reply) {
  request.turns.push_back(assistant_turn(answer));
  for (const ToolCall& call : answer.calls) {
    ChatTurn turn;
    turn.role = ChatTurn::Role::kTool;
    turn.call_id = call.id;
    const bool has_room = round < question.most_tool_rounds && reply.tool_calls < question.most_tool_calls &&
                          reply.tool_tokens < question.most_tool_tokens;
    if (tools_ == nullptr || !has_room) {
      turn.text = "no more calls: write with what you have";
    } else {
      ++reply.tool_calls;
      ++tool_calls_;
      turn.text = tools_->call(call);
      reply.tool_tokens += render::estimate_tokens(turn.text);
      reply.material += "\n" + turn.text;
    }
    request.turns.push_back(std::move(turn));
  }
  // Whoever knows how much is left asks for what decides first, or writes.
  const std::size_t rounds = round < question.most_tool_rounds ? question.most_tool_rounds - round - 1 : 0;
  const std::size_t tokens = question.most_tool_tokens - std::min(question.most_tool_tokens, reply.tool_tokens);
  request.turns.back().text +=
      rounds > 0 && reply.tool_calls < question.most_tool_calls && tokens > 0
          ? fmt::format(
                "\n({}, {} and about {} tokens of answers left; write now unless a question is open that the document "
                "must answer)",
                count_of(question.most_tool_calls - reply.tool_calls, "call"), count_of(rounds, "round"), tokens)
          : "\n(that was the last round: write now)";
  // Some servers insist on the tools' definitions while results of tools stand in the turns, so they stay.
}

// nullopt: the request was too long for the model.
std::optional<Reply> Conversation::run(const Question& question, std::size_t tokens) {
  ChatRequest request;
  request.purpose = question.purpose;
  request.system = question.system;
  request.turns.push_back(user_turn(question.text(tokens)));
  request.most_output_tokens = question.most_output_tokens;
  if (tools_ != nullptr && question.most_tool_calls > 0) {
    const auto definitions = tools_->definitions();
    request.tools.assign(definitions.begin(), definitions.end());
    request.system +=
        fmt::format("\n\n{}", filled_prompt("tools", {{"calls", std::to_string(question.most_tool_calls)},
                                                      {"rounds", count_of(question.most_tool_rounds, "round")},
                                                      {"tokens", std::to_string(question.most_tool_tokens)}}));
  }
  Reply reply;
  reply.material = request.turns.front().text;
  return exchange(question, std::move(request), std::move(reply));
}

std::optional<Reply> Conversation::exchange(const Question& question, ChatRequest request, Reply reply) {
  last_.reset();
  std::string text;
  std::size_t before_text = request.turns.size();
  int continuations = 0;
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    ++questions_;
    auto answer = model_.complete(request, {});
    if (!answer) {
      if (answer.error().kind == ChatFailure::Kind::kTooLong && text.empty()) return std::nullopt;
      if (answer.error().kind == ChatFailure::Kind::kOther && request.turns.size() == 1 && !request.tools.empty()) {
        // Some models take no tools, and their servers refuse requests that offer any.
        tools_ = nullptr;
        request.tools.clear();
        request.system = question.system;
        continue;
      }
      Reply none = failed(answer.error(), text);
      none.material = reply.material;
      none.tool_calls = reply.tool_calls;
      return none;
    }
    if (answer->stop == StopReason::kRefusal) {
      reply.why_not = "the model refused to write it";
      return reply;
    }
    if (answer->stop == StopReason::kTools && !answer->calls.empty()) {
      answer_calls(*answer, question, round, request, reply);
      continue;
    }
    if (text.empty()) before_text = request.turns.size();
    text += answer->text;
    if (answer->stop == StopReason::kLength && continuations++ < kMostContinuations && !answer->text.empty()) {
      request.turns.push_back(assistant_turn(*answer));
      request.turns.push_back(user_turn(filled_prompt("continue")));
      continue;
    }
    reply.is_cut = answer->stop == StopReason::kCut || answer->stop == StopReason::kLength;
    reply.text = reply.is_cut ? whole_sentences(text) : std::string(trim(text));
    if (reply.text.empty()) reply.why_not = reply.is_cut ? "the answer broke off" : "the model wrote nothing";
    request.turns.resize(before_text);
    last_ = std::move(request);
    return reply;
  }
  reply.why_not = "the model only asked for tools";
  return reply;
}

Reply Conversation::ask(const Question& question) {
  if (!over_.empty()) {
    Reply reply;
    reply.why_not = over_;
    return reply;
  }
  std::size_t tokens = question.tokens;
  for (int attempt = 0; attempt <= kMostShrinks; ++attempt) {
    if (std::optional<Reply> reply = run(question, tokens)) return std::move(*reply);
    if (tokens <= kLeastTokens) break;
    tokens = std::max(kLeastTokens, tokens / 2);
  }
  return failed({ChatFailure::Kind::kTooLong, {}}, {});
}

Reply Conversation::ask_further(const Question& question) {
  Reply reply;
  if (!over_.empty() || !last_) {
    reply.why_not = over_.empty() ? "nothing was answered before" : over_;
    return reply;
  }
  ChatRequest request = *last_;
  request.purpose = question.purpose;
  request.most_output_tokens = question.most_output_tokens;
  ChatAnswer answer;
  answer.text = kAnswerBelow;
  request.turns.push_back(assistant_turn(answer));
  request.turns.push_back(user_turn(question.text(question.tokens)));
  std::optional<Reply> answered = exchange(question, std::move(request), std::move(reply));
  return answered ? *std::move(answered) : failed({ChatFailure::Kind::kTooLong, {}}, {});
}

}  // namespace lockstep::writer
