#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/handler_words.h"
#include "report/story/wording/words.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether a step only gives a name to something that exists.
bool only_names(const Step& step) {
  const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
  return assign != nullptr && is<Name>(assign->targets.front()) &&
         (is<Name>(assign->value) || is<Attribute>(assign->value) || is<Constant>(assign->value));
}

bool only_imports(const Step& step) {
  return step.kind == StepKind::kPlain && (is<Import>(step.node) || is<ImportFrom>(step.node));
}

/// Whether a step belongs to the branch or `try` before it.
bool continues(const Step& step) {
  return step.kind == StepKind::kElse || step.kind == StepKind::kExcept || step.kind == StepKind::kFinally ||
         step.is_elif;
}

/// Tells the blocks of one function, those of its steps first that say most where not all can be told.
class BlockTeller {
 public:
  BlockTeller(const std::vector<Step>& steps, const WordsContext& context) : steps_(steps), context_(context) {}

  const std::string& words(std::size_t index) {
    const auto [place, is_new] = words_.try_emplace(index);
    if (is_new) place->second = step_words(steps_[index], context_);
    return place->second;
  }

  /// Whether the step is a branch that does nothing (`pass`) before others that are asked only where it is not taken.
  [[nodiscard]] bool only_passes_before_more(std::size_t index) const {
    const auto* branch = steps_[index].kind == StepKind::kIf ? as<If>(steps_[index].node) : nullptr;
    return branch != nullptr && branch->body.size() == 1 && is<Pass>(branch->body.front()) && !branch->orelse.empty();
  }

  /// "only logs", "does nothing" of a handler that does no more; empty for others.
  [[nodiscard]] std::string idle_words(std::size_t handler) const {
    if (only_logs(steps_, handler)) return logging_words(handler);
    const std::vector<std::size_t> children = children_of(handler);
    const auto is_idle = [&](std::size_t i) {
      const auto* text = as<ExprStmt>(steps_[i].node);
      return is<Pass>(steps_[i].node) || (text != nullptr && is<Constant>(text->value));
    };
    return std::all_of(children.begin(), children.end(), is_idle) ? "does nothing" : std::string();
  }

  /// What stands under a header in one breath, at most `most` steps of it, with how many of all levels were left out.
  std::string nested(std::size_t header, std::size_t most) {
    std::size_t left_out = 0;
    std::string out = nested(header, most, left_out);
    if (left_out > 0) out += fmt::format("; and {}", lockstep::count_of(left_out, "more step"));
    return out;
  }

 private:
  /// The steps directly below a header.
  [[nodiscard]] std::vector<std::size_t> children_of(std::size_t header) const {
    std::vector<std::size_t> out;
    for (std::size_t i = header + 1; i < end_of(steps_, header); i = end_of(steps_, i)) out.push_back(i);
    return out;
  }

  /// The steps that read a name, in their order.
  const std::vector<std::size_t>& readers_of(std::string_view name) {
    if (!has_readers_) read_names();
    has_readers_ = true;
    static const std::vector<std::size_t> kNone;
    const auto found = readers_.find(name);
    return found == readers_.end() ? kNone : found->second;
  }

  void read_names() {
    std::vector<std::size_t> in_order(steps_.size());
    for (std::size_t i = 0; i < in_order.size(); ++i) in_order[i] = i;
    const auto begin_of = [&](std::size_t i) { return steps_[i].span.begin; };
    std::stable_sort(in_order.begin(), in_order.end(),
                     [&](std::size_t a, std::size_t b) { return begin_of(a) < begin_of(b); });
    const auto note = [&](const Name* one) {
      if (one->context != ExprContext::kLoad) return;
      const auto behind = std::upper_bound(in_order.begin(), in_order.end(), one->span.begin,
                                           [&](std::uint32_t at, std::size_t i) { return at < begin_of(i); });
      if (behind == in_order.begin() || !steps_[*(behind - 1)].span.contains(one->span)) return;
      readers_[one->id].push_back(*(behind - 1));
    };
    for (std::size_t i = 0; i < steps_.size(); i = end_of(steps_, i))
      walk_of<Name>(*steps_[i].node, Nested::kEnter, note);
    for (auto& [name, readers] : readers_) std::sort(readers.begin(), readers.end());
  }

  /// Whether a step only works out a local for one of the steps behind it, before `end`.
  bool only_prepares_next(std::size_t index, std::size_t end) {
    const auto* assign = steps_[index].kind == StepKind::kPlain ? as<Assign>(steps_[index].node) : nullptr;
    const auto* name = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Name>(assign->targets.front());
    if (name == nullptr || collective_at(context_, assign->value) != nullptr) return false;
    const std::vector<std::size_t>& readers = readers_of(name->id);
    const auto next = std::lower_bound(readers.begin(), readers.end(), end_of(steps_, index));
    return next != readers.end() && *next < end;
  }

  /// Whether a step of a block gives a value to a name or attribute that the function reads outside the block.
  bool is_read_outside(std::size_t header, std::size_t index) {
    const bool is_plain = steps_[index].kind == StepKind::kPlain;
    const auto* assign = is_plain ? as<Assign>(steps_[index].node) : nullptr;
    const auto* added = is_plain ? as<AugAssign>(steps_[index].node) : nullptr;
    if (added != nullptr && is<Attribute>(added->target)) return true;
    const Expr* set = assign != nullptr ? assign->targets.front() : added != nullptr ? added->target : nullptr;
    // `group["lr"] = lr`: whoever has the group reads it.
    if (const auto* item = as<Subscript>(set); item != nullptr && !rules::text_of(item->index).empty()) return true;
    const auto* target = as<Name>(set);
    if (target == nullptr)
      return assign != nullptr && is<Attribute>(assign->targets.front()) && !is<Constant>(assign->value);
    const std::vector<std::size_t>& readers = readers_of(target->id);
    return !readers.empty() && (readers.front() < header || readers.back() >= end_of(steps_, header));
  }

  /// How much the child `index` of a block says of what the block does, 0 least: those are told that communicate, that
  /// give on what the function needs later, that call code of the repository.
  int telling_of(std::size_t header, std::size_t index) {
    const std::string& text = words(index);
    if (contains(text, "issues ") || contains(text, "can issue ")) return 5;
    if (steps_[index].kind != StepKind::kPlain) {
      // A block says what it holds, and that it is one.
      int most = only_logs(steps_, index) ? 0 : 3;
      for (const std::size_t child : children_of(index)) most = std::max(most, telling_of(header, child));
      return most;
    }
    const bool prepares = only_names(steps_[index]) || only_prepares_next(index, end_of(steps_, header));
    if (is_read_outside(header, index)) return prepares ? 2 : 4;
    bool calls = false;
    walk_of<Call>(*steps_[index].node, Nested::kSkip,
                  [&](const Call* call) { calls = calls || !callees_of(*context_.program, call).empty(); });
    if (prepares) return calls ? 2 : 0;
    return calls ? 3 : 2;
  }

  /// A refusal that stands alone: one that has an `else:` says when that runs.
  [[nodiscard]] bool only_stops(std::size_t index, std::size_t end) const {
    const std::size_t next = end_of(steps_, index);
    return only_refuses(steps_, index) && !continues(steps_[index]) && (next >= end || !continues(steps_[next]));
  }

  /// Whether step `index` is a branch without another side at the end of which a run leaves the function, or the round
  /// of its loop: what follows holds only where it was not taken.
  [[nodiscard]] bool leaves(std::size_t index) const {
    const auto* branch = steps_[index].kind == StepKind::kIf ? as<If>(steps_[index].node) : nullptr;
    if (branch == nullptr || steps_[index].is_elif || !branch->orelse.empty() || branch->body.empty()) return false;
    const Stmt* last = branch->body[branch->body.size() - 1];
    return is<Return>(last) || is<Continue>(last) || is<Break>(last);
  }

  [[nodiscard]] bool is_loop(std::size_t index) const {
    return steps_[index].kind == StepKind::kFor || steps_[index].kind == StepKind::kWhile;
  }

  /// How what follows a block says that it is no part of it: of a branch that no run leaves by, and of a loop, in words
  /// of their own; behind another one "then" cannot be taken for a part of it, or says as much.
  [[nodiscard]] std::string_view joint_behind(std::size_t block) const {
    const Node& node = *steps_[block].node;
    if (is_loop(block)) return "after the loop, ";
    if (!is<If>(&node)) return "then ";
    bool may_leave = false;
    walk(node, Nested::kSkip, [&](const Node* one) {
      may_leave = may_leave || is<Return>(one) || is<Raise>(one) || is<Break>(one) || is<Continue>(one);
    });
    return may_leave ? "then " : "either way, ";
  }

  /// The steps of a block with more than `most` that say least.
  std::set<std::size_t> least_telling(std::size_t header, std::size_t most) {
    struct Unit {
      int tells = 0;
      std::vector<std::size_t> children;  // A branch with its `elif` and `else:`: they go together.
    };
    std::vector<Unit> units;
    const std::vector<std::size_t> children = children_of(header);
    for (const std::size_t i : children) {
      // Where there is no room for all, these are told as such or not at all.
      const bool is_told_otherwise = only_stops(i, end_of(steps_, header)) || only_imports(steps_[i]) ||
                                     (steps_[i].kind == StepKind::kPlain && only_logs(steps_, i));
      if (is_told_otherwise) continue;
      if (units.empty() || !continues(steps_[i])) units.emplace_back();
      units.back().children.push_back(i);
      units.back().tells = std::max(units.back().tells, telling_of(header, i));
    }
    std::stable_sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) { return a.tells > b.tells; });
    std::set<std::size_t> out;
    std::size_t told = 0;
    for (const Unit& unit : units) {
      if (told >= most) out.insert(unit.children.begin(), unit.children.end());
      told += unit.children.size();
    }
    // What a step that is told sets is not what counts where one that is left out sets it anew.
    std::set<std::string_view> set_before;
    for (const std::size_t i : children) {
      std::set<std::string_view> sets;
      for (std::size_t inner = i; inner < end_of(steps_, i); ++inner) {
        const auto* assign = as<Assign>(steps_[inner].node);
        const auto* name = assign == nullptr ? nullptr : as<Name>(assign->targets.front());
        if (name != nullptr) sets.insert(name->id);
      }
      const bool again = std::any_of(sets.begin(), sets.end(), [&](auto name) { return set_before.contains(name); });
      if (again) out.erase(i);
      if (!out.contains(i)) set_before.insert(sets.begin(), sets.end());
    }
    // What is read elsewhere is told where that takes few words: `self.count -= 1` beside a long call.
    constexpr std::size_t kMostMore = 2, kFewWords = 60;
    std::size_t more = 0;
    for (const std::size_t i : children) {
      if (more == kMostMore || !out.contains(i) || steps_[i].kind != StepKind::kPlain || telling_of(header, i) < 4 ||
          words(i).size() > kFewWords || !is<AugAssign>(steps_[i].node))
        continue;
      out.erase(i);
      ++more;
    }
    // To say that one is left out takes as much room as a short one.
    constexpr std::size_t kShort = 110;
    std::size_t room = 0;
    for (const std::size_t i : out) room += steps_[i].kind == StepKind::kPlain ? words(i).size() : kShort + 1;
    constexpr std::size_t kFew = 2;
    if (out.size() <= kFew && room <= kShort) out.clear();
    return out;
  }

  /// The steps of a block that only work out a local for one beside them that communicates.
  std::set<std::size_t> preparing(std::size_t header, const std::vector<std::size_t>& children) {
    constexpr int kCommunicates = 5;
    std::set<std::size_t> out;
    const bool communicates = std::any_of(children.begin(), children.end(),
                                          [&](std::size_t i) { return telling_of(header, i) == kCommunicates; });
    for (const std::size_t i : children) {
      if (communicates && telling_of(header, i) < kCommunicates && only_prepares_next(i, end_of(steps_, header)))
        out.insert(i);
    }
    return out;
  }

  /// Whether the others beside a block only log, refuse or import: it is what is done, and has their room.
  [[nodiscard]] bool acts_alone(const std::vector<std::size_t>& children, std::size_t block) const {
    return children.size() > 1 && std::all_of(children.begin(), children.end(), [&](std::size_t i) {
             return i == block || only_logs(steps_, i) || only_imports(steps_[i]) || only_refuses(steps_, i);
           });
  }

  /// Of a block that only logs.
  [[nodiscard]] std::string logging_words(std::size_t header) const {
    for (std::size_t i = header; i < end_of(steps_, header); ++i) {
      const auto* statement = steps_[i].kind == StepKind::kPlain ? as<ExprStmt>(steps_[i].node) : nullptr;
      const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
      if (call != nullptr && !contains(to_lower(rules::last_part_of(call->callee)), "warn")) return "only logs";
    }
    return "only warns";
  }

  /// Adds to `left_out` how many steps were.
  std::string nested(std::size_t header, std::size_t most, std::size_t& left_out) {
    constexpr std::size_t kFew = 2;
    const std::size_t left_out_before = left_out;
    const std::vector<std::size_t> children = children_of(header);
    const bool all_import =
        std::all_of(children.begin(), children.end(), [&](std::size_t i) { return only_imports(steps_[i]); });
    const bool crowded = children.size() > most;
    const std::set<std::size_t> skipped = crowded ? least_telling(header, most) : preparing(header, children);
    std::vector<std::string> parts;
    std::size_t checks = 0;
    std::size_t block = Step::kNone;  // The one before: what follows is not part of it.
    bool any_branch = false;
    bool skipped_here = false;
    for (const std::size_t i : children) {
      std::string text = words(i);
      const bool is_plain = steps_[i].kind == StepKind::kPlain;
      if (!is_plain) {
        // A header without anything that happens below it says nothing.
        std::size_t left_out_inside = 0;
        const std::size_t room = std::max<std::size_t>(most / 2, acts_alone(children, i) ? std::min(most, kFew) : 1);
        std::string inner = steps_[i].kind == StepKind::kExcept ? idle_words(i)
                            : only_logs(steps_, i)              ? logging_words(i)
                                                                : std::string();
        if (inner.empty()) inner = nested(i, room, left_out_inside);
        // What one side leaves out is no part of the other.
        const std::size_t next = end_of(steps_, i);
        if (left_out_inside > 0 && !inner.empty() && next < end_of(steps_, header) && continues(steps_[next])) {
          inner += fmt::format("{} and {}", contains(inner, "; ") ? ";" : "",
                               lockstep::count_of(left_out_inside, "more step"));
          left_out_inside = 0;
        }
        left_out += left_out_inside;
        text = !inner.empty()               ? fmt::format("{}, {}", text, inner)
               : only_passes_before_more(i) ? text + ", nothing"
                                            : std::string();
      }
      if (text.empty()) continue;
      // An import serves what uses it.
      if (!all_import && only_imports(steps_[i])) continue;
      if (crowded && only_stops(i, end_of(steps_, header))) {
        ++checks;  // What is done comes before what is refused.
        continue;
      }
      if (crowded && is_plain && only_logs(steps_, i)) continue;
      const Node* node = steps_[i].node;
      const bool ends = is<Return>(node) || is<Raise>(node) || is<Break>(node) || is<Continue>(node) || leaves(i);
      if (skipped.contains(i) && !ends) {
        left_out += crowded ? 1 : 0;
        skipped_here = skipped_here || crowded;
        continue;
      }
      // How it ends is told, however long the list is, behind what is left out of it.
      if (skipped_here && parts.size() >= most && left_out > left_out_before) {
        parts.push_back(lockstep::count_of(left_out - left_out_before, "more step"));
        left_out = left_out_before;
      }
      // "for each `x`, sets `a`; when `c`, …": in the loop?
      const bool is_behind = block != Step::kNone && !continues(steps_[i]);
      const bool needs_joint = is_behind && (!text.starts_with("when ") || is_loop(block));
      parts.push_back(needs_joint ? fmt::format("{}{}", joint_behind(block), text) : std::move(text));
      if (is_plain) block = Step::kNone;
      if (!is_plain && !(block != Step::kNone && continues(steps_[i]))) block = i;
      any_branch = any_branch || !is_plain;
    }
    // "calls `f`, which adds a hook that runs later and returns": who returns?
    const bool any_clause = std::any_of(parts.begin(), parts.empty() ? parts.end() : parts.end() - 1,
                                        [](const std::string& part) { return contains(part, ", which "); });
    std::string out = parts.size() > 2 || any_branch || any_clause ? join(parts, "; ") : join_words(parts);
    if (checks > 0)
      out += fmt::format("{}{} that may stop it", out.empty() ? "" : "; with ", lockstep::count_of(checks, "check"));
    return out;
  }

  const std::vector<Step>& steps_;
  const WordsContext& context_;
  std::map<std::size_t, std::string> words_;
  std::map<std::string_view, std::vector<std::size_t>> readers_;
  bool has_readers_ = false;
};

}  // namespace

std::string handler_words(const std::vector<Step>& steps, std::size_t index, const WordsContext& context) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kMostNested = 2;
  if (steps[index].kind != StepKind::kTry) return {};
  std::string out;
  std::size_t told = 0;
  for (std::size_t i = end_of(steps, index);
       i < steps.size() && steps[i].kind == StepKind::kExcept && steps[i].parent == steps[index].parent && told < kMost;
       i = end_of(steps, i)) {
    // What only raises again changes nothing of what is caught.
    const auto* again = end_of(steps, i) == i + 2 ? as<Raise>(steps[i + 1].node) : nullptr;
    if (again != nullptr && again->exception == nullptr) continue;
    for (const std::string& text : block_words(steps, i, end_of(steps, i), context, 1, kMostNested)) {
      out += "; " + as_clause(text);
      ++told;
    }
  }
  return out;
}

bool is_told_with_try(const std::vector<Step>& steps, std::size_t index) {
  if (steps[index].kind != StepKind::kExcept || steps[index].status != StepStatus::kAdded) return false;
  for (std::size_t up = index; up-- > 0;) {
    if (steps[up].parent != steps[index].parent) continue;
    if (steps[up].kind == StepKind::kExcept) continue;
    return steps[up].kind == StepKind::kTry && steps[up].status == StepStatus::kAdded;
  }
  return false;
}

std::vector<std::string> block_words(const std::vector<Step>& steps, std::size_t first, std::size_t last,
                                     const WordsContext& context, std::size_t most, std::size_t most_nested) {
  BlockTeller teller(steps, context);
  std::vector<std::string> out;
  for (std::size_t i = first; i < last;) {
    const std::size_t end = std::min(end_of(steps, i), last);
    std::string text = teller.words(i);
    if (steps[i].kind != StepKind::kPlain) {
      std::string inner = steps[i].kind == StepKind::kExcept ? teller.idle_words(i) : std::string();
      const bool is_idle = !inner.empty();
      if (!is_idle) inner = teller.nested(i, most_nested);
      // What is caught is told behind it, and has to be found.
      constexpr std::size_t kLongest = 600;  // Bytes.
      for (std::size_t fewer = most_nested; steps[i].kind == StepKind::kTry && inner.size() > kLongest && fewer > 1;)
        inner = teller.nested(i, --fewer);
      const bool nests = !is_idle && i + 1 < end &&
                         std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     steps.begin() + static_cast<std::ptrdiff_t>(end),
                                     [](const Step& step) { return step.kind != StepKind::kPlain; });
      text = inner.empty() ? (teller.only_passes_before_more(i) ? text + ", nothing" : std::string())
                           : fmt::format("{}{} {}", text, nests || steps[i].kind == StepKind::kTry ? ":" : ",", inner);
    }
    if (!text.empty()) out.push_back(as_sentence(capitalised(std::move(text))));
    i = end;
  }
  if (out.size() > most) {
    const std::size_t rest = out.size() - (most - 1);
    out.resize(most - 1);
    out.push_back(fmt::format("{} more.", lockstep::count_of(rest, "step")));
  }
  return out;
}

}  // namespace lockstep::report
