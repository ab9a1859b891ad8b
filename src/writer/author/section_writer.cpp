#include "writer/author/section_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "report/document.h"
#include "writer/prompts.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostMended = 20;
constexpr std::size_t kFewLost = 2;        // sentences
constexpr std::size_t kTokensPerWord = 8;  // names and places have many, and some models count what they think
constexpr std::size_t kLeastOutput = 2'000;

// New words for an item that begins with its label ("**Correctness, high** the case", "**Why:** …") keep it where they
// lack it; what was in strong letters as a whole stays so.
std::string with_label(std::string_view old_words, std::string words) {
  constexpr std::string_view kStrong = "**";
  const std::size_t close = old_words.starts_with(kStrong) ? old_words.find(kStrong, 2) : std::string_view::npos;
  if (close == std::string_view::npos || words.starts_with(kStrong)) return words;
  const std::string_view label = old_words.substr(0, close + kStrong.size());
  if (contains(label, "`")) return words;  // what it names may be what does not hold
  if (label.size() < old_words.size()) return fmt::format("{} {}", label, words);
  return contains(words, "`") || contains(words, kStrong) ? words : fmt::format("**{}**", words);
}

}  // namespace

Question SectionWriter::question(const SectionTask& task) {
  Question question;
  question.purpose = report::unmarked(task.name);
  question.system = filled_prompt("system");
  tally_.prompts.insert(prompt_id("system"));
  tally_.prompts.insert(prompt_id(task.prompt));
  if (task.most_tool_calls > 0) tally_.prompts.insert(prompt_id("tools"));
  std::string asked = filled_prompt(task.prompt, task.holes);
  if (!language_.empty() && language_ != "en") {
    asked +=
        fmt::format("\n\n{}", filled_prompt("language", {{"language", language_ == "zh" ? "Chinese" : language_}}));
    tally_.prompts.insert(prompt_id("language"));
  }
  // The pack first, so that a server that keeps prefixes keeps it for the next question; the task last, after all that
  // the repository could have to say.
  for (const std::string_view part : task.parts) tally_.prompts.insert(prompt_id(part));
  question.text = [this, recipe = task.recipe, asked](std::size_t tokens) {
    return fmt::format("{}\n---\n\n{}\n", packs_.pack(recipe, tokens), asked);
  };
  question.tokens = task.tokens;
  question.most_output_tokens = std::max(kLeastOutput, task.words * kTokensPerWord);
  question.most_tool_calls = task.most_tool_calls;
  question.most_tool_rounds = task.most_tool_rounds;
  question.most_tool_tokens = task.most_tool_tokens;
  return question;
}

SentenceCheck SectionWriter::check_sentence(const NamedText& text, std::size_t passage, const std::string& sentence,
                                            const Material& material) const {
  SentenceCheck check = checker_.check(sentence, material);
  if (text.text.passages[passage].is_example())
    std::erase_if(check.faults, [](const Fault& fault) { return fault.is_own_number() || fault.is_own_value(); });
  if (text.is_advice)
    std::erase_if(check.faults, [](const Fault& fault) { return fault.kind != "path" && fault.kind != "line"; });
  return check;
}

std::vector<SectionWriter::Place> SectionWriter::what_does_not_hold(const std::vector<NamedText>& texts,
                                                                    const Material& material) {
  std::vector<Place> faulty;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    tally_.removed += texts[t].text.removed;
    const std::vector<Passage>& passages = texts[t].text.passages;
    for (std::size_t i = 0; i < passages.size(); ++i) {
      const std::string& request = passages[i].request;
      if (passages[i].is_sequence()) tally_.has_boxes = true;
      if (!request.empty() && !request.starts_with(kKeep) && !passages[i].is_table() && !passages[i].is_sequence()) {
        ++tally_.requests;
        const bool has_words = !passages[i].sentences.empty();
        (request.starts_with("@flow") ? tally_.has_boxes : tally_.has_notes) |= has_words;
        if (Filled filled = placements_.fill(std::string_view(request)); !filled.faults.empty())
          faulty.push_back({t, i, kRequest, std::move(filled.faults)});
      }
      for (std::size_t j = 0; j < passages[i].sentences.size(); ++j) {
        SentenceCheck check = check_sentence(texts[t], i, passages[i].sentences[j], material);
        ++tally_.sentences;
        tally_.claims += check.claims;
        tally_.unchecked += check.claims == 0 ? 1 : 0;
        if (!check.faults.empty()) faulty.push_back({t, i, j, std::move(check.faults)});
      }
    }
  }
  return faulty;
}

void SectionWriter::check(std::vector<NamedText>& texts, Material& material) {
  std::vector<Place> faulty = what_does_not_hold(texts, material);
  if (proofread_ != nullptr) {
    proofread(texts, faulty, material);
  } else if (!faulty.empty() && is_worth_mending(texts, faulty)) {
    mend(texts, faulty, material);
  }
  for (const Place& place : faulty) {
    if (place.sentence == kRequest) {
      // What of a drawing holds is drawn.
      if (placements_.fill(std::string_view(words_at(texts, place))).blocks.empty()) {
        take_out(texts, place);
        ++tally_.refused;
      }
      continue;
    }
    take_out(texts, place);
    ++tally_.dropped[texts[place.text].section][std::string(place.faults.front().kind)];
  }
  // The last first: places are numbers of passages.
  for (auto one = behind_.rbegin(); one != behind_.rend(); ++one) {
    std::vector<Passage>& passages = texts[one->first.first].text.passages;
    passages.insert(passages.begin() + static_cast<std::ptrdiff_t>(one->first.second) + 1,
                    std::make_move_iterator(one->second.begin()), std::make_move_iterator(one->second.end()));
  }
  behind_.clear();
}

bool SectionWriter::may_lead_list(const Passage& passage, std::size_t sentence) {
  return passage.request.empty() && !passage.is_item && !passage.is_heading && sentence + 1 == passage.sentences.size();
}

void SectionWriter::take_out(std::vector<NamedText>& texts, const Place& place) {
  words_at(texts, place).clear();
  if (place.sentence != kRequest) return;
  for (std::string& note : texts[place.text].text.passages[place.passage].sentences) note.clear();
}

// A request costs a reader half a minute. One or two sentences are simply dropped; a drawing, a row of a table or the
// only text of a part is not.
bool SectionWriter::is_worth_mending(const std::vector<NamedText>& texts, const std::vector<Place>& faulty) {
  std::size_t sentences = 0;
  std::map<std::size_t, std::size_t> lost;  // By text.
  for (const Place& place : faulty) {
    const Passage& passage = texts[place.text].text.passages[place.passage];
    if (place.sentence == kRequest || passage.is_table() || passage.is_sequence()) return true;
    ++sentences;
    ++lost[place.text];
  }
  if (sentences > kFewLost) return true;
  return std::any_of(lost.begin(), lost.end(), [&](const auto& one) {
    std::size_t all = 0;
    for (const Passage& passage : texts[one.first].text.passages) all += passage.sentences.size();
    return all == one.second;
  });
}

std::string& SectionWriter::words_at(std::vector<NamedText>& texts, const Place& place) {
  Passage& passage = texts[place.text].text.passages[place.passage];
  return place.sentence == kRequest ? passage.request : passage.sentences[place.sentence];
}

// As the model wrote it: a request for a drawing with the words of its boxes.
std::string SectionWriter::shown(std::vector<NamedText>& texts, const Place& place) {
  std::string words = words_at(texts, place);
  const Passage& passage = texts[place.text].text.passages[place.passage];
  if (place.sentence != kRequest || !passage.request.starts_with("@flow")) return words;
  for (std::size_t i = passage.sentences.size(); i > 0; --i)
    words = replace_all(words, fmt::format("\"{}\"", i),
                        fmt::format("\"{}\"", replace_all(passage.sentences[i - 1], "\"", "'")));
  return words;
}

// Leaves in `faulty` what could not be mended.
void SectionWriter::mend(std::vector<NamedText>& texts, std::vector<Place>& faulty, const Material& material) {
  if (!conversation_.over().empty()) return;
  drawn_anew_.clear();
  tally_.prompts.insert(prompt_id("repair"));
  std::string asked = filled_prompt("repair") + "\n\n";
  for (std::size_t i = 0; i < faulty.size() && i < kMostMended; ++i) {
    asked += fmt::format("{}. {}\n", i + 1, shown(texts, faulty[i]));
    for (const Fault& fault : faulty[i].faults) asked += fmt::format("   - {}\n", ClaimChecker::fault_text(fault));
  }
  Question question;
  question.purpose = "what did not hold";
  question.system = filled_prompt("system");
  question.text = [&](std::size_t) { return asked; };
  question.tokens = 2'000;
  question.most_output_tokens = 2'000;
  const Reply reply = conversation_.ask(question);
  if (!reply.has_text()) return;
  const std::map<std::size_t, std::string> lines = numbered_lines(reply.text);
  std::vector<Place> rest;
  for (std::size_t i = 0; i < faulty.size(); ++i) {
    // Words of a drawing that another has taken the place of.
    if (faulty[i].sentence != kRequest && drawn_anew_.contains({faulty[i].text, faulty[i].passage})) continue;
    const auto line = lines.find(i + 1);
    if (line != lines.end() && rewrite(texts, faulty[i], line->second, material)) {
      if (faulty[i].sentence != kRequest) ++tally_.mended;
    } else {
      rest.push_back(std::move(faulty[i]));
    }
  }
  faulty = std::move(rest);
}

bool SectionWriter::rewrite(std::vector<NamedText>& texts, const Place& place, std::string_view line,
                            const Material& material) {
  std::string joined;
  std::optional<Passage> drawing;
  std::vector<Passage> list;
  const Passage& old_passage = texts[place.text].text.passages[place.passage];
  const bool takes_list = place.sentence != kRequest && may_lead_list(old_passage, place.sentence);
  bool holds = !line.starts_with(kDropIt);
  for (const Passage& passage : holds ? read_model_text(line).passages : std::vector<Passage>()) {
    const bool is_request = !passage.request.empty();
    holds = holds && is_request == (place.sentence == kRequest);
    if (is_request && holds) {
      // As much of a drawing as holds is drawn.
      holds = !placements_.fill(std::string_view(passage.request)).blocks.empty();
      joined = passage.request;
      // The words of a drawing are not those of what takes its place.
      if (joined.starts_with("@flow") || words_at(texts, place).starts_with("@flow")) drawing = passage;
      continue;
    }
    const bool is_of_list = takes_list && passage.is_item && !joined.empty();
    for (const std::string& sentence : passage.sentences) {
      holds = holds && check_sentence(texts[place.text], place.passage, sentence, material).faults.empty();
      if (!is_of_list) joined += (joined.empty() ? "" : " ") + sentence;
    }
    if (is_of_list) list.push_back(passage);
  }
  if (!holds || joined.empty()) return false;
  std::string& written = words_at(texts, place);
  written = place.sentence == kRequest ? joined : with_label(written, std::move(joined));
  if (!list.empty()) behind_[{place.text, place.passage}] = std::move(list);
  if (!drawing) return true;
  // Its words come with it; false ones leave their box to the code.
  for (std::string& words : drawing->sentences) {
    if (!check_sentence(texts[place.text], place.passage, words, material).faults.empty()) words.clear();
  }
  texts[place.text].text.passages[place.passage] = *std::move(drawing);
  drawn_anew_.insert({place.text, place.passage});
  return true;
}

bool SectionWriter::add_behind(std::vector<NamedText>& texts, const Place& place, const std::string& line,
                               const Material& material) {
  Passage& passage = texts[place.text].text.passages[place.passage];
  const auto holds = [&](const std::string& sentence) {
    return check_sentence(texts[place.text], place.passage, sentence, material).faults.empty();
  };
  if (passage.is_table()) {
    const auto columns = static_cast<std::size_t>(std::count(passage.places.begin(), passage.places.end(), 0U));
    const std::vector<Passage> rows = read_model_text(fmt::format("{}\n@row {}", passage.request, line)).passages;
    if (rows.size() != 1 || rows[0].sentences.size() != columns * 2) return false;
    const std::vector<std::string> cells(rows[0].sentences.begin() + static_cast<std::ptrdiff_t>(columns),
                                         rows[0].sentences.end());
    if (!std::all_of(cells.begin(), cells.end(), [&](const std::string& cell) { return cell.empty() || holds(cell); }))
      return false;
    const std::uint32_t row = passage.places.back() + 1;
    passage.sentences.insert(passage.sentences.end(), cells.begin(), cells.end());
    passage.places.insert(passage.places.end(), columns, row);
    return true;
  }
  if (!passage.request.empty() || passage.is_heading) return false;
  std::vector<std::string> sentences = split_sentences(line.starts_with("- ") ? line.substr(2) : line);
  if (sentences.empty() || !std::all_of(sentences.begin(), sentences.end(), holds)) return false;
  if (passage.is_item) {
    Passage item;
    item.is_item = true;
    item.sentences = std::move(sentences);
    behind_[{place.text, place.passage}].push_back(std::move(item));
  } else {
    std::move(sentences.begin(), sentences.end(), std::back_inserter(passage.sentences));
  }
  return true;
}

}  // namespace lockstep::writer
