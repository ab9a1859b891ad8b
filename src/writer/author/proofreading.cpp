// What a model wrote, shown to it once more with a number before each sentence -> its own corrections.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "writer/author/section_writer.h"
#include "writer/author/unseen_code.h"
#include "writer/author/words_of_all.h"
#include "writer/prompts.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostCalls = 24, kMostToolTokens = 14'000;
constexpr std::size_t kMostOutput = 5'000;
constexpr std::size_t kMostUnseen = 8'000;  // tokens of code that it wrote of and was not shown

// A sentence with one of these leaves a question to its reader. What is known of a library is none ("not seen here").
constexpr std::string_view kOpen[] = {"was not seen",         "were not seen",   "not seen here", "was not followed",
                                      "were not followed",    "not followed to", "not looked up", "not looked at",
                                      "history did not show", "stays open",      "remains open",  "in the code shown",
                                      "code shown here",      "was not shown",   "were not shown"};

/// The words by which a sentence leaves a question open; empty: it leaves none.
std::string_view open_words(std::string_view sentence) {
  const std::string lower = to_lower(sentence);
  if (contains(lower, "known of")) return {};
  const auto* found =
      std::find_if(std::begin(kOpen), std::end(kOpen), [&](std::string_view words) { return contains(lower, words); });
  return found == std::end(kOpen) ? std::string_view() : *found;
}

}  // namespace

std::vector<SectionWriter::Place> SectionWriter::all_places(std::vector<NamedText>& texts,
                                                            const std::vector<Place>& faulty, std::string& asked) {
  std::vector<Place> places;
  std::string faults;  // Of the passage.
  const auto add = [&](std::size_t text, std::size_t passage, std::size_t sentence) {
    Place place{text, passage, sentence, {}};
    const auto same = std::find_if(faulty.begin(), faulty.end(), [&](const Place& one) {
      return one.text == text && one.passage == passage && one.sentence == sentence;
    });
    places.push_back(same == faulty.end() ? std::move(place) : *same);
    for (const Fault& fault : places.back().faults)
      faults += fmt::format("   - [{}] does not hold: {}\n", places.size(), ClaimChecker::fault_text(fault));
    const std::string words = shown(texts, places.back());
    if (const std::string_view open = open_words(words); !open.empty())
      faults += fmt::format("   - [{}] may leave a question open (\"{}\")\n", places.size(), open);
    else if (const std::string_view all = words_of_all(words); !all.empty())
      faults += fmt::format("   - [{}] says it of all there are (\"{}\"): did you search for one that differs?\n",
                            places.size(), all);
    return fmt::format("[{}] {}", places.size(), words);
  };
  for (std::size_t t = 0; t < texts.size(); ++t) {
    asked += fmt::format("{}{}\n\n", t == 0 ? "" : "\n", report::unmarked(texts[t].section));
    const std::vector<Passage>& passages = texts[t].text.passages;
    for (std::size_t p = 0; p < passages.size(); ++p) {
      const Passage& passage = passages[p];
      faults.clear();
      std::string line = passage.is_item ? "- " : "";
      const bool is_laid_out = passage.is_table() || passage.is_sequence();
      const bool is_drawn = !passage.request.empty() && !is_laid_out && !passage.request.starts_with(kKeep) &&
                            !passage.request.starts_with("@code") && !passage.request.starts_with("@change");
      if (is_drawn) {
        line += add(t, p, kRequest);
        for (const Place& place : faulty) {
          if (place.text != t || place.passage != p || place.sentence == kRequest) continue;
          for (const Fault& fault : place.faults)
            faults +=
                fmt::format("   - [{}] words that do not hold: {}\n", places.size(), ClaimChecker::fault_text(fault));
        }
      } else if (!passage.request.empty()) {
        line += passage.request.substr(0, passage.request.find(is_laid_out ? ' ' : '\n'));
      }
      // The words of a drawing stand within it.
      const bool has_words = !is_drawn || !passage.request.starts_with("@flow");
      for (std::size_t s = 0; has_words && s < passage.sentences.size(); ++s) {
        if (passage.sentences[s].empty()) continue;
        const bool is_new_row =
            is_laid_out && s > 0 && s < passage.places.size() && passage.places[s] != passage.places[s - 1];
        line += line.empty() || line == "- "                               ? ""
                : is_new_row || (!is_laid_out && !passage.request.empty()) ? "\n  "
                                                                           : " ";
        line += passage.is_heading ? "### " : "";
        line += add(t, p, s);
      }
      if (!line.empty()) asked += line + "\n" + faults;
    }
  }
  return places;
}

void SectionWriter::proofread(std::vector<NamedText>& texts, std::vector<Place>& faulty, Material& material) {
  if (!conversation_.over().empty()) return;
  drawn_anew_.clear();
  std::string written;
  std::vector<Place> places = all_places(texts, faulty, written);
  if (places.empty()) return;
  tally_.prompts.insert(prompt_id("proofread"));
  std::string asked;
  if (const std::string code = unseen_code(*proofread_, written, material, kMostUnseen); !code.empty()) {
    tally_.prompts.insert(prompt_id("unseen"));
    asked = fmt::format("{}\n---\n\n", filled_prompt("unseen", {{"code", code}}));
  }
  asked += filled_prompt("proofread", {{"calls", std::to_string(kMostCalls)}, {"text", written}});
  Question question;
  question.purpose = "what it wrote, once more";
  question.text = [&](std::size_t) { return asked; };
  question.most_output_tokens = kMostOutput;
  question.most_tool_calls = kMostCalls;
  question.most_tool_rounds = 1;
  question.most_tool_tokens = kMostToolTokens;
  const Reply reply = conversation_.ask_further(question);
  if (!reply.has_text()) {
    tally_.remarks.push_back(fmt::format("{} {}; run it again for a text that its writer has checked.",
                                         report::strong("Not read again:"), reply.why_not));
    return;
  }
  material.add(reply.material);
  const std::map<std::size_t, std::string> lines = numbered_lines(reply.text);
  std::vector<Place> rest;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    const bool was_false = !place.faults.empty();
    const auto line = lines.find(i + 1);
    if (line != lines.end() && rewrite(texts, place, line->second, material)) {
      ++(was_false ? tally_.mended : tally_.corrected);
    } else if (was_false) {
      rest.push_back(place);
    } else if (line != lines.end()) {
      // What it takes back, or puts into words that do not hold either.
      take_out(texts, place);
      ++tally_.withdrawn;
    }
  }
  for (const auto& [number, line] : further_lines(reply.text)) {
    if (number > 0 && number <= places.size() && add_behind(texts, places[number - 1], line, material))
      ++tally_.corrected;
  }
  // Words in the boxes of a drawing that was left as it is.
  for (Place& place : faulty) {
    const bool was_shown = std::any_of(places.begin(), places.end(), [&](const Place& one) {
      return one.text == place.text && one.passage == place.passage && one.sentence == place.sentence;
    });
    if (!was_shown && !drawn_anew_.contains({place.text, place.passage})) rest.push_back(std::move(place));
  }
  faulty = std::move(rest);
}

}  // namespace lockstep::writer
