#include "writer/author/section_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/strings.h"
#include "report/document.h"
#include "writer/prompts.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostMended = 20;
constexpr std::size_t kTokensPerWord = 2;  // with room to think of names and places
constexpr std::size_t kLeastOutput = 600;

std::string prompt_id(std::string_view name) { return fmt::format("{} v{}", name, find_prompt(name).version); }

/// "2. The new sentence." -> 2, "The new sentence."
std::map<std::size_t, std::string> numbered_lines(std::string_view text) {
  std::map<std::size_t, std::string> lines;
  for (const std::string_view whole : split_lines(text)) {
    const std::string_view line = trim(whole);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc{} || end == line.data() + line.size() || (*end != '.' && *end != ')' && *end != ':'))
      continue;
    const std::string_view rest = trim(line.substr(static_cast<std::size_t>(end - line.data()) + 1));
    lines.emplace(number, std::string(rest));
  }
  return lines;
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
  question.text = [this, recipe = task.recipe, asked](std::size_t tokens) {
    return fmt::format("{}\n---\n\n{}\n", packs_.pack(recipe, tokens), asked);
  };
  question.tokens = task.tokens;
  question.most_output_tokens = std::max(kLeastOutput, task.words * kTokensPerWord * 2);
  question.most_tool_calls = task.most_tool_calls;
  return question;
}

std::optional<std::vector<report::Block>> SectionWriter::write(const SectionTask& task) {
  const Reply reply = conversation_.ask(question(task));
  if (!reply.has_text()) {
    tally_.kept.emplace_back(task.name, reply.why_not);
    return std::nullopt;
  }
  if (trim(reply.text).starts_with(kNothingToAdd)) return std::vector<report::Block>{};
  Material material;
  material.add(reply.material);
  const ModelText text = checked(read_model_text(reply.text), material, task.name, task.recipe.own_text);
  std::vector<report::Block> blocks = blocks_of(text);
  if (blocks.empty()) {
    tally_.kept.emplace_back(task.name, "nothing of what the model wrote holds");
    return std::nullopt;
  }
  tally_.written.push_back(task.name);
  if (reply.is_cut) tally_.cut.push_back(task.name);
  return blocks;
}

ModelText SectionWriter::checked(ModelText text, const Material& material, const std::string& section,
                                 const std::string& pack) {
  tally_.removed += text.removed;
  std::vector<Place> faulty;
  for (std::size_t i = 0; i < text.passages.size(); ++i) {
    for (std::size_t j = 0; j < text.passages[i].sentences.size(); ++j) {
      SentenceCheck check = checker_.check(text.passages[i].sentences[j], material);
      ++tally_.sentences;
      tally_.claims += check.claims;
      tally_.unchecked += check.claims == 0 ? 1 : 0;
      if (!check.faults.empty()) faulty.push_back({i, j, std::move(check.faults)});
    }
  }
  if (faulty.empty()) return text;
  mend(text, faulty, material, pack);
  for (const Place& place : faulty) {
    text.passages[place.passage].sentences[place.sentence].clear();
    ++tally_.dropped[section][std::string(place.faults.front().kind)];
  }
  return text;
}

// Leaves in `faulty` what could not be mended.
void SectionWriter::mend(ModelText& text, std::vector<Place>& faulty, const Material& material,
                         const std::string& pack) {
  if (!conversation_.over().empty()) return;
  tally_.prompts.insert(prompt_id("repair"));
  std::string asked = filled_prompt("repair") + "\n\n";
  for (std::size_t i = 0; i < faulty.size() && i < kMostMended; ++i) {
    asked += fmt::format("{}. {}\n", i + 1, text.passages[faulty[i].passage].sentences[faulty[i].sentence]);
    for (const Fault& fault : faulty[i].faults) asked += fmt::format("   - {}\n", ClaimChecker::fault_text(fault));
  }
  Question question;
  question.purpose = "what did not hold";
  question.system = filled_prompt("system");
  question.text = [&](std::size_t tokens) {
    const std::string facts = pack.size() < tokens * 4 ? pack : std::string();
    return facts.empty() ? asked : fmt::format("## What Lockstep knows of it\n\n{}\n---\n\n{}", facts, asked);
  };
  question.tokens = 2'000;
  question.most_output_tokens = 1'000;
  const Reply reply = conversation_.ask(question);
  if (!reply.has_text()) return;
  const std::map<std::size_t, std::string> lines = numbered_lines(reply.text);
  std::vector<Place> rest;
  for (std::size_t i = 0; i < faulty.size(); ++i) {
    const auto line = lines.find(i + 1);
    bool is_mended = false;
    if (line != lines.end() && !line->second.starts_with("DROP")) {
      const ModelText again = read_model_text(line->second);
      std::string joined;
      bool holds = !again.passages.empty();
      for (const Passage& passage : again.passages) {
        for (const std::string& sentence : passage.sentences) {
          holds = holds && checker_.check(sentence, material).faults.empty();
          joined += (joined.empty() ? "" : " ") + sentence;
        }
      }
      if (holds) {
        text.passages[faulty[i].passage].sentences[faulty[i].sentence] = joined;
        ++tally_.mended;
        is_mended = true;
      }
    }
    if (!is_mended) rest.push_back(std::move(faulty[i]));
  }
  faulty = std::move(rest);
}

}  // namespace lockstep::writer
