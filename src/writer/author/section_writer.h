// A prompt and a pack -> a section's prose that holds: asked of the model, cut into sentences, each held against the
// code, the false ones mended once by the model with the truth given, and dropped where they still do not hold.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "writer/author/claims.h"
#include "writer/author/conversation.h"
#include "writer/author/model_text.h"
#include "writer/author/section_pack.h"
#include "writer/author/tally.h"

namespace lockstep::writer {

struct SectionTask {
  std::string name;    ///< Marked text: what the section is called.
  std::string prompt;  ///< Of src/writer/prompts/.
  std::vector<std::pair<std::string_view, std::string>> holes;
  Recipe recipe;
  std::size_t tokens = 6'000;
  std::size_t words = 250;
  std::size_t most_tool_calls = 4;
};

class SectionWriter {
 public:
  SectionWriter(const SectionPacks& packs, const ClaimChecker& checker, Conversation& conversation,
                std::string language, Tally& tally)
      : packs_(packs), checker_(checker), conversation_(conversation), language_(std::move(language)), tally_(tally) {}

  /// Blocks, possibly none (the model had nothing to add); nullopt where Lockstep's own text must stand (the tally says
  /// why).
  std::optional<std::vector<report::Block>> write(const SectionTask& task);
  /// The sentences of `text` that hold, mended where need be.
  ModelText checked(ModelText text, const Material& material, const std::string& section, const std::string& pack);
  /// A question in this document's language, with a prompt of the folder.
  [[nodiscard]] Question question(const SectionTask& task);

 private:
  struct Place {
    std::size_t passage, sentence;
    std::vector<Fault> faults;
  };
  void mend(ModelText& text, std::vector<Place>& faulty, const Material& material, const std::string& pack);

  const SectionPacks& packs_;
  const ClaimChecker& checker_;
  Conversation& conversation_;
  std::string language_;
  Tally& tally_;
};

/// What a model says where it has nothing to add.
inline constexpr std::string_view kNothingToAdd = "Nothing beyond";

}  // namespace lockstep::writer
