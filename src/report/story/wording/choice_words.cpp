#include "report/story/wording/choice_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/document.h"
#include "report/story/checks/new_exits.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kWidth = 60;

std::string error_text(const Act& act, const SourceText& source) {
  if (act.value == nullptr) return code("raise");
  const auto* call = as<Call>(act.value);
  return code(one_line(source, call != nullptr ? *call->callee : *act.value, kWidth));
}

/// "`f`", "`x`", "raising `E`": what an alternative comes to, behind "in place of".
std::string noun_of(const Act& act, const SourceText& source, bool whole) {
  switch (act.kind) {
    case ActKind::kNothing:
      return "doing nothing";
    case ActKind::kRaises:
      return act.value == nullptr ? std::string("raising") : "raising " + error_text(act, source);
    case ActKind::kCalls:
      if (!whole && !dotted_text(act.call()->callee).empty()) return code(dotted_text(act.call()->callee));
      return code(one_line(source, *act.value, kWidth));
    case ActKind::kReturns:
      if (act.value == nullptr) return code("None");
      if (act.call() != nullptr && !whole && !dotted_text(act.call()->callee).empty())
        return code(dotted_text(act.call()->callee) + "(\u2026)");
      return code(one_line(source, *act.value, kWidth));
    case ActKind::kSets:
      return code(one_line(source, *act.value, kWidth));
  }
  return {};
}

/// Whether two acts call one function: their arguments tell them apart.
bool call_alike(const Act& one, const Act& other) {
  return one.kind == other.kind && one.call() != nullptr && other.call() != nullptr &&
         dotted_text(one.call()->callee) == dotted_text(other.call()->callee);
}

}  // namespace

std::string act_words(const Act& act, const SourceText& source, bool whole) {
  switch (act.kind) {
    case ActKind::kNothing:
      return "does nothing";
    case ActKind::kRaises:
      return act.value == nullptr ? std::string("raises") : "raises " + error_text(act, source);
    case ActKind::kCalls:
      return "calls " + noun_of(act, source, whole);
    case ActKind::kReturns:
      return "returns " + noun_of(act, source, whole);
    case ActKind::kSets:
      return fmt::format("sets {} to {}", code(one_line(source, *act.target, kWidth)), noun_of(act, source, whole));
  }
  return {};
}

ToldChoices::ToldChoices(const Actor& actor) : actor_(actor), chains_(changed_chains(actor)) {
  const std::vector<Step>& after = actor.steps.after;
  const std::vector<Step>& before = actor.steps.before;
  const auto add = [](const std::vector<Step>& steps, const Node* node, bool whole, std::set<std::size_t>& out) {
    const std::size_t at = node == nullptr ? Step::kNone : step_of(steps, node);
    if (at == Step::kNone) return;
    out.insert(at);
    for (std::size_t i = at + 1; whole && i < end_of(steps, at); ++i) out.insert(i);
  };
  for (const ChoiceChain& chain : chains_) {
    for (const Alternative& one : chain.after) {
      const bool is_told = ChoiceChain::is_new(one) || one.stays;
      add(after, one.branch, false, after_);
      for (const Stmt* statement : one.body) {
        if (is_told) add(after, statement, true, after_);
      }
      for (const Stmt* statement : one.prepared) add(after, statement, true, after_);
    }
    for (const Alternative& one : chain.before) {
      add(before, one.branch, false, before_);
      for (const Stmt* statement : one.body) {
        if (one.stays) add(before, statement, true, before_);
      }
    }
  }
}

std::optional<ToldChoices::Place> ToldChoices::place_of_step(std::size_t after_step) const {
  const Node* node = actor_.steps.after[after_step].node;
  if (actor_.steps.after[after_step].kind != StepKind::kIf) return std::nullopt;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    for (std::size_t a = 0; a < chains_[c].after.size(); ++a) {
      const Alternative& one = chains_[c].after[a];
      if (one.branch == node && ChoiceChain::is_new(one)) return Place{c, a};
    }
  }
  return std::nullopt;
}

std::string ToldChoices::words(std::size_t after_step) const {
  const std::optional<Place> place = place_of_step(after_step);
  if (!place) return {};
  constexpr std::size_t kMostNamed = 4;
  const SourceText& source = *actor_.steps.after_source;
  const ChoiceChain& chain = chains_[place->chain];
  const Alternative& own = chain.after[place->alternative];
  // What ran there: the alternatives behind it that were there, up to one that is always taken where this one is.
  struct Replaced {
    const Alternative* alternative;
    std::string where;
  };
  std::vector<Replaced> replaced;
  for (std::size_t i = place->alternative + 1; i < chain.after.size(); ++i) {
    const Alternative& one = chain.after[i];
    if (ChoiceChain::is_new(one)) continue;
    if (one.condition == nullptr) {
      replaced.push_back({&one, {}});
      continue;
    }
    if (exclude_each_other(*own.condition, source, *one.condition, source)) continue;
    if (asks_for_all_of(*own.condition, source, *one.condition, source)) {
      replaced.push_back({&one, {}});
      break;
    }
    replaced.push_back({&one, condition_words(*one.condition, source)});
  }
  // Where nothing was done, and where others call the same, what the call is given tells it apart.
  const auto is_nothing = [](const Replaced& one) { return one.alternative->act.kind == ActKind::kNothing; };
  const auto calls_alike = [&](const Alternative& one) { return &one != &own && call_alike(own.act, one.act); };
  const bool whole = std::all_of(replaced.begin(), replaced.end(), is_nothing) ||
                     std::any_of(chain.after.begin(), chain.after.end(), calls_alike);
  // What is called and what is only read are both what a name is set to.
  Act act = own.act;
  const auto is_value = [](const Replaced& one) { return one.alternative->act.kind == ActKind::kSets; };
  const bool sets =
      act.target != nullptr && (act.kind == ActKind::kSets || std::any_of(replaced.begin(), replaced.end(), is_value));
  if (sets) act.kind = ActKind::kSets;
  std::vector<std::string> nouns;
  std::vector<std::string> said;
  bool raises = false;
  for (const Replaced& one : replaced) {
    Act other = one.alternative->act;
    if (other.kind == ActKind::kNothing) continue;
    raises = raises || other.kind == ActKind::kRaises;
    if (sets && other.kind == ActKind::kCalls) other.kind = ActKind::kSets;
    nouns.push_back(noun_of(other, source, whole));
    said.push_back(one.where.empty() ? nouns.back() : fmt::format("{} (where {}, too)", nouns.back(), one.where));
  }
  // The same in all cases.
  const bool is_one = replaced.size() == nouns.size() && !nouns.empty() &&
                      std::all_of(nouns.begin(), nouns.end(), [&](const std::string& n) { return n == nouns.front(); });
  if (is_one) said = {nouns.front()};
  if (const std::size_t all = said.size(); all > kMostNamed) {
    said.resize(kMostNamed - 1);
    said.push_back(fmt::format("one of {} others", all - said.size()));
  }
  std::string out = fmt::format("when {}, {}", condition_words(*own.condition, source), act_words(act, source, whole));
  if (!said.empty()) out += fmt::format(" {} {}", raises ? "instead of" : "in place of", join_words(said, "or"));
  const bool is_last_new =
      std::none_of(chain.after.begin() + static_cast<std::ptrdiff_t>(place->alternative) + 1, chain.after.end(),
                   [](const Alternative& one) { return ChoiceChain::is_new(one); });
  if (is_last_new && chain.others_stay()) out += "; otherwise as before";
  return out;
}

std::vector<std::string> ToldChoices::where(std::size_t after_step) const {
  const SourceText& source = *actor_.steps.after_source;
  std::vector<std::string> out = where_parts(*actor_.change->after->node, actor_.steps.after[after_step], source);
  for (std::string& exit : exits_before(actor_.steps.after, after_step, source)) {
    if (std::find(out.begin(), out.end(), exit) == out.end()) out.push_back(std::move(exit));
  }
  return out;
}

}  // namespace lockstep::report
