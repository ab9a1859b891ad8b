#include "mesh/flatten.h"

#include <algorithm>
#include <iterator>

#include "base/hash.h"

namespace lockstep::mesh {
namespace {

/// Calls followed below the function that is compared.
constexpr int kMaxCallDepth = 12;
/// Nodes nested in each other, over all functions followed: bounds the stack.
constexpr int kMaxDepth = 1000;

}  // namespace

Relevance relevance(const GroupInfo& group, Bits bits) {
  if (bits == 0) return Relevance::kNone;
  const bool every = (bits & kNamedBits) == kNamedBits;
  if (group.kind == Group::Kind::kWorld) return bits == kSomeRanks ? Relevance::kDoubtful : Relevance::kSure;
  // Who is in an embedding group depends on the stage: a condition on the stage may be just that.
  if (group.subset_only) return every ? Relevance::kDoubtful : Relevance::kNone;
  if (group.kind == Group::Kind::kKnown)
    return (group.span & bits & ~kSomeRanks) != 0 ? Relevance::kSure : Relevance::kNone;
  if (every) return Relevance::kDoubtful;
  return (group.span & bits & ~kSomeRanks & ~kNamedBits) != 0 ? Relevance::kSure : Relevance::kNone;
}

std::optional<ExitKind> exit_of(const Sequence& sequence) {
  if (sequence.empty()) return std::nullopt;
  const TraceNode& last = sequence.back();
  if (last.kind == TraceKind::kExit) return last.exit;
  if (last.kind != TraceKind::kChoice) return std::nullopt;
  const auto a = exit_of(last.branches[0]);
  const auto b = exit_of(last.branches[1]);
  if (!a || !b) return std::nullopt;
  return *a == *b ? a : std::optional<ExitKind>(ExitKind::kReturn);
}

void Comparison::flatten(const Sequence& sequence, Atoms& out) {
  const int before = conditional_;
  for (const TraceNode& node : sequence) {
    if (++visited_ > kMaxVisited) break;
    flatten_node(node, out);
    if (node.kind == TraceKind::kExit) break;
    // `if …: return` in a callee: what follows happens only sometimes.
    if (!path_.empty() && node.kind == TraceKind::kChoice && !node.is_guard &&
        exit_of(node.branches[0]).has_value() != exit_of(node.branches[1]).has_value()) {
      ++conditional_;
    }
  }
  conditional_ = before;
}

void Comparison::flatten_one(const TraceNode& node, Atoms& out) {
  if (++visited_ <= kMaxVisited) flatten_node(node, out);
}

void Comparison::assume_around(const Frame& frame, const TraceNode& choice) {
  for (const Assumption& assumption : choice.uniform) assume(assumption);
  for (const Frame* at = &frame; at != nullptr; at = at->outer) {
    if (at->owner == nullptr || at->owner->kind != TraceKind::kChoice || !at->owner->varies.empty()) continue;
    const ConditionPart& around = at->owner->condition;
    if (around.key != 0) assume({around.key, (at->part == 0) != around.negated, around.subject, around.constant});
  }
}

void Comparison::flatten_node(const TraceNode& node, Atoms& out) {
  if (depth_ > kMaxDepth) {
    visited_ = kMaxVisited + 1;
    return;
  }
  ++depth_;
  flatten_kind(node, out);
  --depth_;
}

void Comparison::flatten_kind(const TraceNode& node, Atoms& out) {
  switch (node.kind) {
    case TraceKind::kEvent: {
      if (node.event.model->is_point_to_point) return;
      const GroupInfo& group = in_.groups[node.event.group];
      const Bits known = bits_ == kEveryRank ? bits_ : bits_ & passed_;
      if (relevance(group, known) == Relevance::kNone) return;
      const std::uint64_t key = hash64(node.event.model->operation, hash64(group.identity));
      out.push_back({key, &node.event, path_, conditional_ > 0, exact_, leaves_ > 0, false, known});
      return;
    }
    case TraceKind::kCall:
      return flatten_call(node, out);
    case TraceKind::kChoice:
      return flatten_choice(node, out);
    case TraceKind::kLoop:
      return flatten_bracket(node, out);
    case TraceKind::kTry:
      for (std::size_t i = 0; i < 3; ++i) flatten(node.branches[i], out);
      return;
    case TraceKind::kExit:
      return;
  }
}

void Comparison::flatten_call(const TraceNode& node, Atoms& out) {
  if (static_cast<int>(path_.size()) >= kMaxCallDepth) return;
  const FunctionResult* callee = node.callees.front();
  const bool exact_before = exact_;
  const Bits passed_before = passed_;
  exact_ = exact_ && node.callees_exact;
  if (!same_class(node, *callee)) passed_ &= callee->argument_bits | kNamedBits | kSomeRanks | kOneRank;
  path_.push_back(node.call);
  // Exits of a callee end the callee alone: what is around a call goes on.
  if (!callee->in_progress) flatten(callee->trace, out);
  path_.pop_back();
  exact_ = exact_before;
  passed_ = passed_before;
}

bool Comparison::same_class(const TraceNode& node, const FunctionResult& callee) const {
  const program::FunctionId caller = in_.program.calls()[node.call].caller;
  const program::ClassId owner = in_.program.functions()[caller].owner;
  return owner.valid() && owner == in_.program.functions()[callee.function].owner;
}

void Comparison::flatten_choice(const TraceNode& node, Atoms& out) {
  if (path_.empty()) {
    if (const auto holds = decided(node)) return flatten(node.branches[*holds ? 0 : 1], out);
  }
  flatten_bracket(node, out);
}

std::optional<bool> Comparison::decided(const ConditionPart& part) const {
  if (part.key == 0) return std::nullopt;
  for (const Assumption& assumption : assumptions_) {
    if (assumption.key == part.key) return assumption.holds != part.negated;
    const bool other_constant = assumption.holds && assumption.subject != 0 && assumption.subject == part.subject &&
                                assumption.constant != part.constant;
    if (other_constant) return part.negated;
  }
  return std::nullopt;
}

std::optional<bool> Comparison::decided(const TraceNode& node) const {
  if (const auto whole = decided(node.condition)) return whole;
  std::size_t agree = 0;
  for (const ConditionPart& part : node.parts) {
    const auto holds = decided(part);
    if (holds && *holds != node.parts_are_and) return !node.parts_are_and;
    agree += holds.has_value() ? 1 : 0;
  }
  return !node.parts.empty() && agree == node.parts.size() ? std::optional<bool>(node.parts_are_and) : std::nullopt;
}

void Comparison::flatten_bracket(const TraceNode& node, Atoms& out) {
  const int deeper = path_.empty() || node.is_guard || node.kind != TraceKind::kChoice ? 0 : 1;
  conditional_ += deeper;
  std::vector<Atoms> parts(node.branches.size());
  bool any = false;
  bool every = true;
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    const int leaving = path_.empty() && node.kind == TraceKind::kChoice && exit_of(node.branches[i]) ? 1 : 0;
    leaves_ += leaving;
    flatten(node.branches[i], parts[i]);
    leaves_ -= leaving;
    any = any || !parts[i].empty();
    every = every && !parts[i].empty();
  }
  conditional_ -= deeper;
  if (!any) return;
  if (is_endless(node)) mark_awaiting(parts[0]);
  const bool is_choice = node.kind == TraceKind::kChoice;
  // Whichever way it goes, something is issued.
  if (is_choice && every && deeper > 0 && conditional_ == 0) {
    for (Atoms& part : parts) part.front().conditional_below = false;
  }
  const auto same = [](const Atom& a, const Atom& b) { return a.key == b.key; };
  const bool equal = is_choice && parts[0].size() == parts[1].size() &&
                     std::equal(parts[0].begin(), parts[0].end(), parts[1].begin(), same);
  if (equal) {
    out.insert(out.end(), parts[0].begin(), parts[0].end());
    return;
  }
  const std::uint64_t mark = is_choice ? node.condition.key * 2 + (node.condition.negated ? 1 : 0) : 7;
  out.push_back({hash64("(", mark), nullptr, {}, false, true});
  for (Atoms& part : parts) {
    out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    out.push_back({hash64("|", mark), nullptr, {}, false, true});
  }
}

bool Comparison::is_endless(const TraceNode& node) {
  const auto* constant = node.kind == TraceKind::kLoop ? python::as<python::Constant>(node.place) : nullptr;
  return constant != nullptr && constant->constant_kind != python::ConstantKind::kNone &&
         constant->constant_kind != python::ConstantKind::kFalse;
}

void Comparison::mark_awaiting(Atoms& atoms) {
  const auto first = std::find_if(atoms.begin(), atoms.end(), [](const Atom& atom) { return atom.event != nullptr; });
  if (first == atoms.end()) return;
  const std::string_view op = first->event->model->operation;
  if (op.find("broadcast") == std::string_view::npos && op.find("scatter") != 0) return;
  for (Atom& atom : atoms) atom.awaits = true;
}

}  // namespace lockstep::mesh
