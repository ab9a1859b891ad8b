#include "report/author/line_past.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "python/parser.h"
#include "report/author/named_commits.h"
#include "report/author/reason_words.h"
#include "report/author/title.h"
#include "report/source/code.h"
#include "report/source/words.h"
#include "report/story/steps/renamed_code.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostFunctions = 3;  // whose lines are followed
constexpr std::size_t kMostSteps = 4;      // of each
constexpr std::size_t kMostPast = 2;       // values told
constexpr std::size_t kMostValue = 90;     // bytes of one

// Words of subjects of commits that bring files by moving them.
constexpr std::string_view kMoving[] = {"renam",      "mov",      "relocat", "reorgani",
                                        "restructur", "refactor", "migrat",  "split"};

std::string shown(const repo::CommitInfo& commit) {
  constexpr std::size_t kIdLength = 10, kDateLength = 10, kMostSubject = 100;
  const std::string subject = commit.subject.size() <= kMostSubject
                                  ? commit.subject
                                  : std::string(cut_at_character(commit.subject, kMostSubject)) + " \u2026";
  return fmt::format("{} \u201c{}\u201d ({})", code(commit.id.substr(0, kIdLength)), own_words(subject),
                     commit.date.substr(0, kDateLength));
}

/// What a step gives a value, or asks: "self.x" and its value, "" and the condition.
struct Value {
  bool is_condition = false;
  std::string target;
  std::string text;
};

std::optional<Value> value_of(const Step& step, const SourceText& source) {
  if (step.kind == StepKind::kIf) {
    const auto* branch = python::as<python::If>(step.node);
    if (branch == nullptr) return std::nullopt;
    return Value{true, "", one_line_whole(source, *branch->condition)};
  }
  if (step.kind != StepKind::kPlain) return std::nullopt;
  if (const auto* result = python::as<python::Return>(step.node); result != nullptr && result->value != nullptr)
    return Value{false, "return", one_line_whole(source, *result->value)};
  const python::Expr* target = nullptr;
  const python::Expr* value = assigned_value(step.node, target);
  if (value == nullptr || target == nullptr) return std::nullopt;
  return Value{false, one_line_whole(source, *target), one_line_whole(source, *value)};
}

/// Whether one can be what the other was made of: an assignment has its target for that; of conditions and results that
/// stand close to each other, at least half of the words of the shorter one are in both.
bool is_earlier_form(const Value& then, const Value& now) {
  if (!now.is_condition && now.target != "return") return true;
  const std::set<std::string> old_words = split_words(then.text), new_words = split_words(now.text);
  const auto shared = std::count_if(old_words.begin(), old_words.end(),
                                    [&](const std::string& word) { return new_words.contains(word); });
  return shared > 0 && static_cast<std::size_t>(shared) * 2 >= std::min(old_words.size(), new_words.size());
}

using Tokens = std::multiset<std::string_view>;

/// The tokens of the one that the other lacks.
Tokens without(const Tokens& some, const Tokens& others) {
  Tokens out;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(), std::inserter(out, out.end()));
  return out;
}

bool share_one(const Tokens& some, const Tokens& others) {
  return std::any_of(some.begin(), some.end(), [&](std::string_view token) { return others.contains(token); });
}

/// Whether the change `now` to `then` touches what the earlier edit made of `past`: it takes away what that brought, or
/// brings what that took away.
bool touches_same(std::string_view past, std::string_view now, std::string_view then) {
  const auto of = [](std::string_view text) {
    constexpr std::string_view kBinding = "()[]{},.:";  // They come and go with what they bind.
    Tokens tokens;
    for (const std::string_view token : tokens_of(text)) {
      if (kBinding.find(token) == std::string_view::npos) tokens.insert(token);
    }
    return tokens;
  };
  const Tokens was = of(past), is = of(now), will_be = of(then);
  return past == then || share_one(without(is, was), without(is, will_be)) ||
         share_one(without(was, is), without(will_be, is));
}

/// The function of this name, "Class.method", in a parsed file; null where there is none or more than one.
const python::Node* definition_named(python::Seq<python::Stmt> body, std::string_view name) {
  const std::string_view first = name.substr(0, name.find('.'));
  const std::string_view rest = first.size() == name.size() ? std::string_view() : name.substr(first.size() + 1);
  const python::Node* found = nullptr;
  for (const python::Stmt* statement : body) {
    const auto* cls = python::as<python::ClassDef>(statement);
    const auto* function = python::as<python::FunctionDef>(statement);
    const std::string_view own = cls != nullptr        ? cls->name.text
                                 : function != nullptr ? function->name.text
                                                       : std::string_view();
    if (own != first) continue;
    if (found != nullptr) return nullptr;
    found = statement;
  }
  return found == nullptr || rest.empty() ? found : definition_named(body_of(found), rest);
}

/// What the same function gave the same target, or asked there, before the edit: nullopt unless it is one thing.
std::optional<std::string> value_before(const repo::LineEdit& edit, const std::string& function, const Value& now) {
  if (edit.before.empty() || edit.removed_lines.empty()) return std::nullopt;
  const std::unique_ptr<python::ParsedFile> file = python::parse(edit.before);
  const python::Node* definition = definition_named(file->tree->body, function);
  if (definition == nullptr) return std::nullopt;
  std::set<std::string> values;
  for (const Step& step : steps_of(*definition, file->source)) {
    const bool is_there = std::any_of(edit.removed_lines.begin(), edit.removed_lines.end(), [&](std::uint32_t line) {
      return line >= step.first_line && line <= step.last_line;
    });
    if (!is_there) continue;
    const std::optional<Value> value = value_of(step, file->source);
    if (value && value->is_condition == now.is_condition && value->target == now.target && is_earlier_form(*value, now))
      values.insert(value->text);
  }
  return values.size() == 1 ? std::optional<std::string>(*values.begin()) : std::nullopt;
}

std::vector<std::uint32_t> lines_of(const Step& step) {
  std::vector<std::uint32_t> lines;
  for (std::uint32_t line = step.first_line; line <= step.last_line; ++line) lines.push_back(line);
  return lines;
}

bool has_both_sides(const Actor& actor) {
  return actor.is_function() && !actor.is_module_code && actor.change->before && actor.change->after &&
         actor.role != Role::kCosmetic && actor.role != Role::kTest;
}

/// Whether the change's own words name the commit, by its number or its id.
bool is_named(const DocumentInputs& inputs, const repo::CommitInfo& commit) {
  constexpr std::size_t kShortestId = 7;
  const std::string words = inputs.title + "\n" + inputs.body;
  const std::string_view number = number_in(commit.subject);
  return contains(words, commit.id.substr(0, kShortestId)) || (!number.empty() && contains(words, number));
}

/// A replaced step that may have had an earlier form.
struct Replaced {
  const Actor* actor = nullptr;
  std::string function;
  Value now, then;  ///< Before and after the change.
  repo::TouchedLines lines;
};

std::optional<Replaced> replaced_step(const Actor& actor, const std::string& function, const Step& step) {
  const StepComparison& steps = actor.steps;
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !step.renames.empty() || step.swaps_call)
    return std::nullopt;
  const std::optional<Value> now = value_of(step, *steps.before_source);
  const std::optional<Value> then = value_of(steps.after[step.partner], *steps.after_source);
  if (!now || !then || now->target != then->target || now->is_condition != then->is_condition) return std::nullopt;
  return Replaced{&actor, function, *now, *then, {actor.change->before->path, lines_of(step)}};
}

/// "Until … it was …"; nullopt where the edit says nothing of it.
std::optional<LinePast> past_of(const DocumentInputs& inputs, const Replaced& step, const repo::LineEdit& edit) {
  const std::optional<std::string> past = value_before(edit, step.function, step.now);
  if (!past || *past == step.now.text || past->size() > kMostValue ||
      !touches_same(*past, step.now.text, step.then.text))
    return std::nullopt;
  const bool is_result = step.now.target == "return";
  const std::string what = code(step.now.is_condition || is_result ? step.function : step.now.target);
  const bool is_back = *past == step.then.text;
  const std::string commit = shown(edit.commit);
  LinePast told;
  told.sentence = fmt::format("Until {}, {} {} {}{}.", commit, what,
                              step.now.is_condition ? "asked"
                              : is_result           ? "returned"
                                                    : "was",
                              code(*past), is_back ? ", which the change puts back" : "");
  if (is_back && !is_named(inputs, edit.commit))
    told.question = fmt::format("{} {} {} again, as until {}: does what that commit was for still hold?", what,
                                step.now.is_condition ? "asks"
                                : is_result           ? "returns"
                                                      : "is",
                                code(*past), commit);
  return told;
}

/// "What it replaces in `f` was written by …"; empty where several commits wrote it, or one that may have moved it.
std::string origin_of(const std::string& function, const repo::TouchedLines& lines, const repo::LineEdit& edit) {
  // It is the newest one which wrote any of it.
  if (edit.wrote < lines.lines.size()) return {};
  const std::string subject = to_lower(edit.commit.subject);
  const bool may_be_moved = std::any_of(std::begin(kMoving), std::end(kMoving),
                                        [&](std::string_view word) { return contains(subject, word); });
  if (edit.is_new_file && may_be_moved) return {};
  return fmt::format("What it replaces in {} {} {}.", code(function),
                     edit.is_new_file ? "came with the file, in" : "was written by", shown(edit.commit));
}

}  // namespace

repo::TouchedLines replaced_lines(const Actor& actor) {
  repo::TouchedLines lines{actor.change->before->path, {}};
  for (const Step& step : actor.steps.before) {
    const bool goes = step.status == StepStatus::kChanged ||
                      (step.status == StepStatus::kRemoved && !step.is_moved && step.elsewhere == nullptr);
    if (!goes || python::is<python::Import>(step.node) || python::is<python::ImportFrom>(step.node)) continue;
    for (const std::uint32_t line : lines_of(step)) lines.lines.push_back(line);
  }
  std::sort(lines.lines.begin(), lines.lines.end());
  lines.lines.erase(std::unique(lines.lines.begin(), lines.lines.end()), lines.lines.end());
  return lines;
}

std::vector<LinePast> line_past(const DocumentInputs& inputs, const Story& story, const repo::LineEdits& edits) {
  std::vector<LinePast> past;
  if (!edits) return past;
  std::vector<Replaced> steps;
  std::vector<std::pair<std::string, repo::TouchedLines>> functions;  // with all that each loses
  for (std::size_t i = 0; i < story.central.size() && functions.size() < kMostFunctions; ++i) {
    const Actor& actor = story.actor(i);
    if (!has_both_sides(actor) || actor.steps.before_source == nullptr) continue;
    const std::string function = short_name(*inputs.before, actor.change->before->function);
    functions.emplace_back(function, replaced_lines(actor));
    std::size_t asked = 0;
    for (const Step& step : actor.steps.before) {
      if (asked == kMostSteps) break;
      std::optional<Replaced> one = replaced_step(actor, function, step);
      if (!one) continue;
      ++asked;
      steps.push_back(*std::move(one));
    }
  }
  // One walk through the history for all.
  std::vector<repo::TouchedLines> lines;
  for (const Replaced& step : steps) lines.push_back(step.lines);
  const bool asks_since_when = speaks_of_fault(inputs.title);
  for (const auto& function : functions) {
    if (asks_since_when) lines.push_back(function.second);
  }
  if (lines.empty()) return past;
  const std::vector<std::vector<repo::LineEdit>> made = edits(lines, 1);
  for (std::size_t i = 0; i < steps.size() && past.size() < kMostPast; ++i) {
    if (made[i].empty()) continue;
    if (std::optional<LinePast> one = past_of(inputs, steps[i], made[i].front())) past.push_back(*std::move(one));
  }
  for (std::size_t i = 0; past.empty() && asks_since_when && i < functions.size(); ++i) {
    const std::vector<repo::LineEdit>& edit = made[steps.size() + i];
    std::string origin =
        edit.empty() ? std::string() : origin_of(functions[i].first, functions[i].second, edit.front());
    if (!origin.empty()) past.push_back({std::move(origin), {}});
  }
  return past;
}

void tell_line_past(const std::vector<LinePast>& past, Document& document) {
  if (past.empty()) return;
  std::vector<std::string> sentences;
  for (const LinePast& one : past) {
    sentences.push_back(one.sentence);
    if (!one.question.empty()) sentences.emplace_back("Does what that commit was for still hold?");
  }
  bool is_why = false;
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const auto* heading = std::get_if<Heading>(&document.blocks[i].value);
    if (heading == nullptr) continue;
    if (is_why) {
      Document told;
      told.paragraph(join(sentences, " "));
      document.blocks.insert(document.blocks.begin() + static_cast<std::ptrdiff_t>(i), std::move(told.blocks.front()));
      return;
    }
    is_why = begins_why(document.blocks[i]);
  }
}

}  // namespace lockstep::report
