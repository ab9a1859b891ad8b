// What a model may ask for while it writes: an interface, so that the author knows neither programs nor servers. Every
// tool only reads the snapshot under review: nothing outside it, no network, nothing to post to.
#pragma once

#include <span>
#include <string>

#include "writer/model/chat.h"

namespace lockstep::writer {

class ToolBox {
 public:
  virtual ~ToolBox() = default;
  [[nodiscard]] virtual std::span<const ToolDefinition> definitions() const = 0;
  /// The answer as text, at most kMostToolBytes of it. What is wrong with the call is told as text, too, so that the
  /// model can do better; text of the repository in it is harmless (writer/pack/data_text.h).
  [[nodiscard]] virtual std::string call(const ToolCall& call) const = 0;
};
inline constexpr std::size_t kMostToolBytes = 16'000;

}  // namespace lockstep::writer
