// "@sequence Example: two stages" with "@step from | to | words" below it -> a sequence diagram of what ranks, streams,
// the host or other actors do to each other in one case. Its participants and words are the model's, checked as its
// sentences are; the call graph knows nothing of them, so it stands below its title.
#include <algorithm>

#include "text/shorten.h"
#include "writer/author/placements.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostParticipants = 6, kFewestSteps = 2, kMostText = 110;

std::string label(std::string_view sentence) {
  const std::string text = report::unmarked(marked_text(sentence));
  return shortened(text, kMostText);
}

}  // namespace

Filled sequence_of(const Passage& passage) {
  report::Sequence sequence;
  const auto participant = [&](const std::string& name) {
    auto& all = sequence.participants;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.label == name; });
    const auto place = static_cast<std::size_t>(found - all.begin());
    if (place == all.size()) all.push_back({name});
    return place;
  };
  // One that lost a step to the check would tell another story.
  if (std::any_of(passage.sentences.begin(), passage.sentences.end(), [](const auto& one) { return one.empty(); }))
    return {};
  constexpr std::size_t kCells = 3;
  if (passage.sentences.size() % kCells != 1) return {};
  for (std::size_t i = 1; i + kCells <= passage.sentences.size(); i += kCells) {
    // Cells of one step have its number.
    if (passage.places[i] != passage.places[i + kCells - 1]) return {};
    const std::size_t from = participant(label(passage.sentences[i]));
    const std::size_t to = participant(label(passage.sentences[i + 1]));
    sequence.events.push_back({report::SequenceEvent::Kind::kCall, from, to, label(passage.sentences[i + 2])});
  }
  if (sequence.events.size() < kFewestSteps || sequence.participants.size() > kMostParticipants) return {};
  report::DiagramBlock block{std::move(sequence), {}};
  block.caption = marked_text(passage.sentences.front());
  return {{report::Block{std::move(block)}}, {}, {}};
}

}  // namespace lockstep::writer
