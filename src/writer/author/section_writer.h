// A prompt and a pack -> a question to the model; and what it answered -> what of it holds: cut into sentences, each
// held against the code, the false ones mended once by the model with the truth given, and dropped where they still do
// not hold.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "writer/author/claims.h"
#include "writer/author/conversation.h"
#include "writer/author/model_text.h"
#include "writer/author/placements.h"
#include "writer/author/section_pack.h"
#include "writer/author/tally.h"

namespace lockstep::writer {

struct SectionTask {
  std::string name;    ///< Marked text: what the section is called.
  std::string prompt;  ///< Of src/writer/prompts/.
  std::vector<std::pair<std::string_view, std::string>> holes;
  std::vector<std::string_view> parts;  ///< Further prompts that stand in its holes.
  Recipe recipe;
  std::size_t tokens = 6'000;
  std::size_t words = 250;
  std::size_t most_tool_calls = 4;
  std::size_t most_tool_rounds = 2;
  std::size_t most_tool_tokens = 6'000;
};

/// A text of the model that is to be checked, and what it is called.
struct NamedText {
  std::string section;  ///< Marked text.
  ModelText text;
  /// What it says is to be done: names that do not exist yet are no fault.
  bool is_advice = false;
};

class SectionWriter {
 public:
  SectionWriter(const SectionPacks& packs, const ClaimChecker& checker, const Placements& placements,
                Conversation& conversation, std::string language, Tally& tally)
      : packs_(packs),
        checker_(checker),
        placements_(placements),
        conversation_(conversation),
        language_(std::move(language)),
        tally_(tally) {}

  /// Leaves the sentences that hold, mended where need be; what does not hold in all of them goes back to the model in
  /// one request.
  void check(std::vector<NamedText>& texts, Material& material);
  /// From now on the model reads all its sentences and drawings again instead, with the tools at hand, with what does
  /// not hold pointed out, and with the code of `inputs` that it wrote of unseen, and corrects them: a further turn of
  /// the exchange, which must be the last.
  void proofreads(const report::DocumentInputs& inputs) { proofread_ = &inputs; }
  /// A question in this document's language, with a prompt of the folder.
  [[nodiscard]] Question question(const SectionTask& task);

 private:
  struct Place {
    std::size_t text, passage;
    std::size_t sentence;  ///< kRequest: what the passage asks for.
    std::vector<Fault> faults;
  };
  static constexpr std::size_t kRequest = SIZE_MAX;
  [[nodiscard]] std::vector<Place> what_does_not_hold(const std::vector<NamedText>& texts, const Material& material);
  [[nodiscard]] static std::string& words_at(std::vector<NamedText>& texts, const Place& place);
  [[nodiscard]] static std::string shown(std::vector<NamedText>& texts, const Place& place);
  [[nodiscard]] static bool is_worth_mending(const std::vector<NamedText>& texts, const std::vector<Place>& faulty);
  void mend(std::vector<NamedText>& texts, std::vector<Place>& faulty, const Material& material);
  void proofread(std::vector<NamedText>& texts, std::vector<Place>& faulty, Material& material);
  /// Every sentence and drawing that there is, with its faults; writes them out, each behind its number, into `asked`.
  [[nodiscard]] static std::vector<Place> all_places(std::vector<NamedText>& texts, const std::vector<Place>& faulty,
                                                     std::string& asked);
  /// A drawing goes with its words.
  static void take_out(std::vector<NamedText>& texts, const Place& place);
  /// Whether a list may follow the sentence: it ends a paragraph.
  [[nodiscard]] static bool may_lead_list(const Passage& passage, std::size_t sentence);
  /// Puts the model's new words, one line, or one with a list below it, in their place if they hold.
  bool rewrite(std::vector<NamedText>& texts, const Place& place, std::string_view line, const Material& material);
  /// Puts what the model adds behind a place there, if it holds: a row below its table, an item, or sentences at the
  /// end of its paragraph. Not behind drawings, code and headings.
  bool add_behind(std::vector<NamedText>& texts, const Place& place, const std::string& line, const Material& material);
  [[nodiscard]] SentenceCheck check_sentence(const NamedText& text, std::size_t passage, const std::string& sentence,
                                             const Material& material) const;

  const SectionPacks& packs_;
  const ClaimChecker& checker_;
  const Placements& placements_;
  Conversation& conversation_;
  std::string language_;
  Tally& tally_;
  const report::DocumentInputs* proofread_ = nullptr;     ///< Null: it does not read again.
  using PassageAt = std::pair<std::size_t, std::size_t>;  ///< Text and passage.
  std::set<PassageAt> drawn_anew_;                        ///< Words of them are gone.
  std::map<PassageAt, std::vector<Passage>> behind_;      ///< Lists that new words brought along.
};

/// A request for a passage of Lockstep's own, by its number: the document's author fills it.
inline constexpr std::string_view kKeep = "@keep ";

/// What a model says where it has nothing to add.
inline constexpr std::string_view kNothingToAdd = "Nothing beyond";

}  // namespace lockstep::writer
