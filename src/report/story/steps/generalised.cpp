#include "report/story/steps/generalised.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool is_identifier(std::string_view token) {
  return !token.empty() && in_name(token[0]) && !(token[0] >= '0' && token[0] <= '9');
}

/// Names, numbers, texts and signs.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (in_name(text[at])) {
      while (end < text.size() && in_name(text[end])) ++end;
    } else if (text[at] == '"' || text[at] == '\'') {
      while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r' || text[at] == '\\') {
      ++at;
      continue;
    }
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// What of a step has to be the same: the words of messages may differ.
Span told_span(const Step& step) {
  if (const auto* check = as<Assert>(step.node)) return check->test->span;
  const auto* raise = as<Raise>(step.node);
  const auto* error = raise == nullptr ? nullptr : as<Call>(raise->exception);
  return error != nullptr ? error->callee->span : step.span;
}

/// Which names of one side stand for which of the other.
class Renaming {
 public:
  /// `was` is what `now` stands for in the loop: the constant for the loop's own variable.
  Renaming(std::string variable, std::string constant)
      : variable_(std::move(variable)), constant_(std::move(constant)) {}

  bool take(const std::vector<std::string>& was, const std::vector<std::string>& now) {
    if (was.size() != now.size()) return false;
    for (std::size_t i = 0; i < was.size(); ++i) {
      if (now[i] == variable_) {
        if (was[i] != constant_) return false;
        uses_variable_ = true;
        continue;
      }
      const bool may_differ = is_identifier(was[i]) && is_identifier(now[i]);
      if (!may_differ && was[i] != now[i]) return false;
      if (!may_differ) continue;
      if (forth_.try_emplace(was[i], now[i]).first->second != now[i]) return false;
      if (back_.try_emplace(now[i], was[i]).first->second != was[i]) return false;
    }
    return true;
  }
  [[nodiscard]] bool uses_variable() const { return uses_variable_; }
  [[nodiscard]] std::size_t renamed() const {
    return static_cast<std::size_t>(
        std::count_if(forth_.begin(), forth_.end(), [](const auto& one) { return one.first != one.second; }));
  }

 private:
  std::string variable_, constant_;
  std::map<std::string, std::string> forth_, back_;
  bool uses_variable_ = false;
};

/// The few constants that a new loop goes through, as written; empty for other steps.
std::vector<std::string> constants_of(const Step& step, const SourceText& source) {
  const auto* loop = step.kind == StepKind::kFor && step.status == StepStatus::kAdded ? as<For>(step.node) : nullptr;
  if (loop == nullptr || as<Name>(loop->target) == nullptr) return {};
  const auto* tuple = as<Tuple>(loop->iterable);
  const auto* list = as<python::List>(loop->iterable);
  if (tuple == nullptr && list == nullptr) return {};
  std::vector<std::string> out;
  for (const Expr* one : tuple != nullptr ? tuple->elements : list->elements) {
    const auto* constant = as<Constant>(one);
    if (constant == nullptr || constant->constant_kind != ConstantKind::kStr) return {};
    out.emplace_back(source.slice(one->span));
  }
  constexpr std::size_t kMostConstants = 6;
  return out.size() < 2 || out.size() > kMostConstants ? std::vector<std::string>() : out;
}

/// Whether the steps from `from` on, as many as the loop has inside, are what its body does for the constant.
bool are_done_inside(const Actor& actor, std::size_t from, std::size_t loop, const std::string& constant) {
  constexpr std::size_t kMostRenamed = 2;
  const auto& before = actor.steps.before;
  const auto& after = actor.steps.after;
  const std::size_t count = end_of(after, loop) - loop - 1;
  if (from + count > before.size()) return false;
  Renaming renaming(std::string(as<Name>(as<For>(after[loop].node)->target)->id), constant);
  for (std::size_t i = 0; i < count; ++i) {
    const Step& was = before[from + i];
    const Step& now = after[loop + 1 + i];
    const bool stays_elsewhere =
        was.partner != Step::kNone && (was.partner <= loop || was.partner >= end_of(after, loop));
    if (was.kind != now.kind || stays_elsewhere ||
        was.depth - before[from].depth != now.depth - after[loop].depth - 1 ||
        !renaming.take(tokens_of(actor.steps.before_source->slice(told_span(was))),
                       tokens_of(actor.steps.after_source->slice(told_span(now)))))
      return false;
  }
  return renaming.uses_variable() && renaming.renamed() <= kMostRenamed;
}

}  // namespace

std::vector<GeneralisedSteps> generalised_steps(const Actor& actor) {
  constexpr std::size_t kMostSteps = 300;  // Of the old version: each is held against each loop.
  constexpr std::size_t kMostLoops = 3;
  std::vector<GeneralisedSteps> out;
  if (actor.steps.before_source == nullptr || actor.steps.after_source == nullptr ||
      actor.steps.before.size() > kMostSteps)
    return out;
  std::size_t loops = 0;
  for (std::size_t loop = 0; loop < actor.steps.after.size() && loops < kMostLoops; ++loop) {
    const std::vector<std::string> constants = constants_of(actor.steps.after[loop], *actor.steps.after_source);
    const std::size_t count = constants.empty() ? 0 : end_of(actor.steps.after, loop) - loop - 1;
    if (count == 0) continue;
    ++loops;
    std::vector<GeneralisedSteps> found;
    for (const std::string& constant : constants) {
      for (std::size_t from = 0; from < actor.steps.before.size(); ++from) {
        if (!are_done_inside(actor, from, loop, constant)) continue;
        GeneralisedSteps one{loop, {}, constant, {}};
        for (std::size_t i = 0; i < count; ++i) one.before.push_back(from + i);
        for (const std::string& other : constants) {
          if (other != constant) one.others.push_back(other);
        }
        found.push_back(std::move(one));
      }
    }
    // What was done for several is no news for these.
    if (found.size() == 1) out.push_back(std::move(found.front()));
  }
  return out;
}

std::string generalised_words(const std::vector<GeneralisedSteps>& all, std::size_t loop) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const GeneralisedSteps& one) { return one.loop == loop; });
  if (at == all.end()) return {};
  std::vector<std::string> others;
  for (const std::string& one : at->others) others.push_back(code(one));
  return fmt::format("does for {}, too, what it did for {} alone: ", join_words(others), code(at->was));
}

bool is_generalised(const std::vector<GeneralisedSteps>& all, std::size_t index) {
  return std::any_of(all.begin(), all.end(), [&](const GeneralisedSteps& one) {
    return std::find(one.before.begin(), one.before.end(), index) != one.before.end();
  });
}

}  // namespace lockstep::report
