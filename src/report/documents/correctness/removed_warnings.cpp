#include "report/documents/correctness/removed_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree.h"
#include "report/author/quotation.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/sentence_ends.h"
#include "report/source/source_sentences.h"
#include "report/source/words.h"
#include "report/story/steps/renamed_code.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWords = 50;

bool warns(std::string_view text) {
  static constexpr std::string_view kWords[] = {
      "can race",  "race condition", "races with", "race with",      "stale",
      "deadlock",  "hang",           "corrupt",    "unsafe",         "not safe",
      "only safe", "is safe",        "undefined",  "use-after-free", "would be overwritten",
      "must not",  "must be called"};
  const std::string lower = to_lower(text);
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    const std::size_t at = lower.find(word);
    return at != std::string::npos && (at == 0 || lower[at - 1] < 'a' || lower[at - 1] > 'z');
  });
}

/// The sentence of a comment that says that something is so on purpose; empty where none does.
std::string intention_in(const std::string& text) {
  static constexpr std::string_view kWords[] = {"deliberately", "intentionally", "on purpose"};
  const std::string lower = to_lower(text);
  for (const std::string_view word : kWords) {
    const std::size_t at = lower.find(word);
    if (at == std::string::npos) continue;
    const std::size_t begin = sentence_begin(text, at);
    return std::string(trim(std::string_view(text).substr(begin, sentence_end(text, at) - begin)));
  }
  return {};
}

/// Whether the change takes out each of the lines of the old file.
bool goes(const repo::FileChange& file, const std::vector<TextLine>& lines) {
  return !lines.empty() && std::all_of(lines.begin(), lines.end(),
                                       [&](const TextLine& one) { return file.lines.is_removed_line(one.line); });
}

/// Whether most of the words of a sentence, those of some length, stand in a text: it says the same in other words.
bool is_said_again(std::string_view sentence, const std::string& text) {
  constexpr std::size_t kLong = 5;
  constexpr double kMost = 0.7;
  std::size_t all = 0;
  std::size_t kept = 0;
  for (const std::string& word : split_words(sentence)) {
    if (word.size() < kLong) continue;
    ++all;
    kept += find_text(text, squeezed(word)) != std::string_view::npos ? 1 : 0;
  }
  return all == 0 || static_cast<double>(kept) >= kMost * static_cast<double>(all);
}

/// What the change adds to the file, squeezed.
std::string added_text(const SourceText& after, const repo::FileChange& file) {
  std::string out;
  for (const std::uint32_t line : file.lines.added_lines()) {
    if (line < after.line_count()) out += squeezed(after.line(line));
  }
  return to_lower(out);
}

/// The same of all files outside tests: what moves to another one may be said in other words there.
std::string added_text_of_all(const DocumentInputs& inputs) {
  std::string out;
  for (const change::FileSummary& summary : inputs.change->files) {
    const program::ModuleId module = inputs.after->find_path(summary.file->new_path);
    if (module.valid() && !program::is_test_path(summary.file->new_path))
      out += added_text(inputs.after->modules()[module].facts->source(), *summary.file);
  }
  return out;
}

/// The strings of the message of an assertion, or of the one argument of an error that is raised.
std::vector<std::string_view> message_of(const Step& step, const SourceText& source) {
  const auto* check = python::as<python::Assert>(step.node);
  const auto* raise = python::as<python::Raise>(step.node);
  const auto* error = raise == nullptr ? nullptr : python::as<python::Call>(raise->exception);
  const python::Expr* message = check != nullptr                                   ? check->message
                                : error != nullptr && error->arguments.size() == 1 ? error->arguments.front()
                                                                                   : nullptr;
  std::vector<std::string_view> out;
  if (message == nullptr) return out;
  for (const std::string_view token : tokens_of(source.slice(message->span))) {
    if (token.size() > 1 && (token.front() == '"' || token.front() == '\''))
      out.push_back(token.substr(1, token.size() - 2));
  }
  return out;
}

/// Whether the new file still has a string of the message that says part of the reason.
bool stands_in(const SourceText& after, const std::vector<std::string_view>& message, std::string_view reason) {
  constexpr std::size_t kTelling = 16;  // Bytes.
  return std::any_of(message.begin(), message.end(), [&](std::string_view one) {
    if (one.size() < kTelling) return false;
    const bool is_part = find_text(reason, one.substr(one.size() - kTelling)) != std::string_view::npos ||
                         find_text(one, reason.substr(0, kTelling)) != std::string_view::npos;
    return is_part && find_text(after.bytes(), one) != std::string_view::npos;
  });
}

/// The first sentence of a message that gives a reason for what it asks; empty where none does.
std::string reason_in_message(const std::vector<std::string_view>& strings) {
  std::string message;
  for (const std::string_view one : strings) message += one;
  static constexpr std::string_view kReasons[] = {"because", "otherwise", "so that", "to avoid", "deadlock", "corrupt"};
  // Of a message that is one sentence these say what is asked, not why.
  static constexpr std::string_view kNeeds[] = {"is required", "are required", "is needed", "are needed"};
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t end = std::min(message.find(". ", at), message.size());
    const std::string sentence(trim(std::string_view(message).substr(at, end - at)));
    const std::string lower = to_lower(sentence);
    const auto has = [&](std::string_view word) { return find_text(lower, word) != std::string::npos; };
    const bool gives = std::any_of(std::begin(kReasons), std::end(kReasons), has) ||
                       (at > 0 && std::any_of(std::begin(kNeeds), std::end(kNeeds), has));
    if (gives) return sentence.ends_with(".") ? sentence : sentence + ".";
    at = end + 1;
  }
  return {};
}

}  // namespace

void add_removed_reasons(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kFewest = 5;  // Words: less tells no reason.
  std::size_t told = 0;
  std::optional<std::string> added;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        actor.steps.before_source == nullptr || actor.steps.after_source == nullptr)
      continue;
    for (const Step& step : actor.steps.before) {
      const bool goes_on = step.is_moved || step.elsewhere != nullptr || step.inlined != nullptr;
      if (told == kMost || step.status == StepStatus::kKept || goes_on || step.node == nullptr) continue;
      // What goes whole is told as a check that goes.
      const auto comes = [](const Step& one) {
        return one.status == StepStatus::kAdded &&
               (python::is<python::Assert>(one.node) || python::is<python::Raise>(one.node));
      };
      if (step.status == StepStatus::kRemoved &&
          std::none_of(actor.steps.after.begin(), actor.steps.after.end(), comes))
        continue;
      const std::vector<std::string_view> message = message_of(step, *actor.steps.before_source);
      const std::string reason = reason_in_message(message);
      if (reason.empty() || words_in(reason) < kFewest || words_in(reason) > kMostWords) continue;
      if (stands_in(*actor.steps.after_source, message, reason)) continue;
      if (!added) added = added_text_of_all(inputs);
      if (is_said_again(reason, *added)) continue;
      ++told;
      risks.push_back({RiskKind::kCorrectness,
                       fmt::format("In {} the message of a check no longer says why ({} before the change): "
                                   "\u201c{}\u201d",
                                   code(short_name(inputs, *actor.change)),
                                   place(actor.change->before->path, step.first_line), from_backquotes(reason)),
                       "Does that no longer hold?", false});
    }
  }
}

void add_removed_warnings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  std::set<std::pair<std::string, std::uint32_t>> known;
  std::optional<std::string> added;  ///< Of all files; put together when first asked for.
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        actor.steps.before_source == nullptr || actor.steps.after_source == nullptr)
      continue;
    const std::string& path = actor.change->before->path;
    const repo::FileChange* file = inputs.change->diff->find_before(path);
    if (file == nullptr) continue;
    const SourceText& source = *actor.steps.before_source;
    for (const Step& step : actor.steps.before) {
      // What moved took its comment along.
      if (told == kMost || step.is_moved || step.elsewhere != nullptr) continue;
      const std::vector<TextLine> lines = comment_lines_above(source, step.first_line);
      if (!goes(*file, lines) || !known.insert({path, lines.front().line}).second) continue;
      std::string text;
      for (const TextLine& one : lines) text += (text.empty() ? "" : " ") + std::string(trim(one.text));
      const bool warned = warns(text);
      if (!warned) text = intention_in(text);
      if (text.empty() || words_in(text) > kMostWords) continue;
      if (!added) added = added_text_of_all(inputs);
      if (is_said_again(text, *added)) continue;
      ++told;
      risks.push_back(
          {RiskKind::kCorrectness,
           fmt::format("In {} a comment is gone ({} before the change): \u201c{}\u201d",
                       code(short_name(inputs, *actor.change)), place(path, lines.front().line), from_backquotes(text)),
           warned ? "Can that no longer happen?" : "Does that no longer hold?", false});
    }
  }
}

}  // namespace lockstep::report
