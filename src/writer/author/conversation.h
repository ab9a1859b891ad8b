// One question to a model and all that belongs to it: tools within a bound, packs that shrink where the model's context
// is too short, answers that go on where they were cut. Gives the text, or why there is none; never throws work away.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "writer/author/toolbox.h"
#include "writer/model/chat.h"

namespace lockstep::writer {

struct Question {
  std::string purpose;  ///< For people: "Risks".
  std::string system;
  /// The question with a pack of at most about so many tokens; asked again with fewer where it is too long.
  std::function<std::string(std::size_t tokens)> text;
  std::size_t tokens = 6'000;
  std::size_t most_output_tokens = 1'500;
  std::size_t most_tool_calls = 0;
  std::size_t most_tool_rounds = 2;  ///< Each is a request that holds all before it, and half a minute.
  std::size_t most_tool_tokens = 0;  ///< Of all that the tools return, as render::estimate_tokens counts.
};

struct Reply {
  std::string text;      ///< What the model wrote, ends at a whole sentence if it was cut.
  std::string material;  ///< All that it was given: the question, and what tools answered.
  bool is_cut = false;
  std::string why_not;  ///< Why there is no text, as a clause: "the model refused"; empty where there is text.
  std::size_t tool_calls = 0;
  std::size_t tool_tokens = 0;
  [[nodiscard]] bool has_text() const { return why_not.empty(); }
};

class Conversation {
 public:
  /// `tools` may be null.
  Conversation(Model& model, const ToolBox* tools) : model_(model), tools_(tools) {}

  Reply ask(const Question& question);
  /// The same about the last answer: a further turn of the same exchange, whose beginning a server may have kept. The
  /// question's system text is that of the first, and its own text holds the answer as far as it is needed: what was
  /// answered is not sent along. Nothing can be asked where nothing was answered.
  Reply ask_further(const Question& question);
  /// Why no more questions are asked (the budget, Ctrl-C, no server); empty while they are.
  [[nodiscard]] const std::string& over() const { return over_; }
  [[nodiscard]] std::size_t questions() const { return questions_; }
  [[nodiscard]] std::size_t tool_calls() const { return tool_calls_; }

 private:
  std::optional<Reply> run(const Question& question, std::size_t tokens);
  /// Goes on with `request` until there is a text, and keeps it for a further question. nullopt: it was too long for
  /// the model.
  std::optional<Reply> exchange(const Question& question, ChatRequest request, Reply reply);
  Reply failed(const ChatFailure& failure, std::string text);
  void answer_calls(const ChatAnswer& answer, const Question& question, std::size_t round, ChatRequest& request,
                    Reply& reply);

  Model& model_;
  const ToolBox* tools_;
  std::string over_;
  std::optional<ChatRequest> last_;  ///< Up to its answer.
  std::size_t questions_ = 0;
  std::size_t tool_calls_ = 0;
};

/// The text up to the end of its last whole sentence or list item; empty where it has none.
std::string whole_sentences(std::string_view text);

}  // namespace lockstep::writer
