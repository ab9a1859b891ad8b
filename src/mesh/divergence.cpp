// The comparison. Two ways through the code are fine when their flattened forms (flatten.h) agree.
#include "mesh/divergence.h"

#include <algorithm>
#include <unordered_set>

#include "mesh/flatten.h"
#include "mesh/partners.h"

namespace lockstep::mesh {
namespace {

/// Cuts what two atoms lists share at both ends.
void strip_common(Atoms& a, Atoms& b) {
  std::size_t front = 0;
  while (front < a.size() && front < b.size() && a[front].key == b[front].key) ++front;
  a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(front));
  b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(front));
  while (!a.empty() && !b.empty() && a.back().key == b.back().key) {
    a.pop_back();
    b.pop_back();
  }
}

const Atom* first_event(const Atoms& atoms) {
  const auto found = std::find_if(atoms.begin(), atoms.end(), [](const Atom& atom) { return atom.event != nullptr; });
  return found == atoms.end() ? nullptr : &*found;
}

bool has_brackets(const Atoms& atoms) {
  return std::any_of(atoms.begin(), atoms.end(), [](const Atom& atom) { return atom.event == nullptr; });
}

class Checker {
 public:
  Checker(Interpreter& interpreter, FunctionResult& result) : in_(interpreter), result_(result) {}

  void check(const Sequence& sequence, const Frame* outer, Frame::Kind kind, const TraceNode* owner,
             std::size_t part = 0) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const Frame here{&sequence, i + 1, outer, kind, owner, part};
      const TraceNode& node = sequence[i];
      if (node.kind == TraceKind::kChoice) {
        if (!node.varies.empty() && !settled_.contains(&node) && check_choice(node, here)) continue;
        for (std::size_t branch = 0; branch < node.branches.size(); ++branch) {
          check(node.branches[branch], &here, Frame::Kind::kBody, &node, branch);
        }
      } else if (node.kind == TraceKind::kLoop) {
        if (check_loop(node)) continue;
        for (const Sequence& branch : node.branches) check(branch, &here, Frame::Kind::kLoop, &node);
      } else if (node.kind == TraceKind::kTry) {
        for (std::size_t branch = 0; branch < node.branches.size(); ++branch) {
          check(node.branches[branch], &here, branch == 0 ? Frame::Kind::kTry : Frame::Kind::kBody, &node, branch);
        }
      }
    }
  }

 private:
  bool check_choice(const TraceNode& node, const Frame& here) {
    const bool sure = node.varies.sure != 0 && (compare(node, here, node.varies.sure, true) || check_partners(node) ||
                                                check_inner_exits(node, here));
    return sure || (node.varies.maybe != 0 && compare(node, here, node.varies.maybe, false));
  }

  /// `if rank == 0: … if done: break`: ranks in one branch may leave, the others have no such way out.
  bool check_inner_exits(const TraceNode& node, const Frame& here) {
    if (!node.is_direct) return false;
    for (std::size_t branch = 0; branch < 2; ++branch) {
      const Sequence& other = node.branches[1 - branch];
      if (exit_of(other) || exit_of(node.branches[branch])) continue;
      for (const TraceNode& inner : node.branches[branch]) {
        if (inner.kind != TraceKind::kChoice || !inner.varies.empty()) continue;
        const auto a = exit_of(inner.branches[0]);
        const auto b = exit_of(inner.branches[1]);
        if (a.has_value() == b.has_value()) continue;
        const ExitKind exit = a ? *a : *b;
        if (exit == ExitKind::kRaise || exit == ExitKind::kProcess || has_choice(other, inner.condition.key)) continue;
        Comparison comparison(in_, node.varies.sure);
        comparison.assume_around(here, node);
        Atoms rest;
        follow(here, exit, comparison, rest);
        const Atom* event = first_event(rest);
        if (event == nullptr || comparison.gave_up()) continue;
        Atoms before_leaving;
        comparison.flatten(inner.branches[a ? 0 : 1], before_leaving);
        const auto same = [&](const Atom& atom) { return atom.key == event->key; };
        if (std::any_of(before_leaving.begin(), before_leaving.end(), same)) continue;
        return report(Divergence::Kind::kEarlyExit, inner, *event, node.varies.sure, true, node.varies.sure_source,
                      "hang", "whether the inner condition ever holds where only these ranks ask it");
      }
    }
    return false;
  }

  static bool has_choice(const Sequence& sequence, std::uint64_t key) {
    return std::any_of(sequence.begin(), sequence.end(), [&](const TraceNode& node) {
      return node.kind == TraceKind::kChoice && node.condition.key == key;
    });
  }

  /// Branches that issue the same collectives may still not fit together.
  bool check_partners(const TraceNode& node) {
    const auto report_event = [&](Divergence::Kind kind, const TraceEvent& event, std::string_view outcome) {
      Atom atom;
      atom.event = &event;
      return report(kind, node, atom, node.varies.sure, true, node.varies.sure_source, outcome, {});
    };
    if (const auto event = swapped_buffers(node)) {
      return report_event(Divergence::Kind::kCondition, *event, "wrong values, or a hang where the sizes differ");
    }
    if (!node.is_direct) return false;
    if (const auto event = uneven_transfer(node)) return report_event(Divergence::Kind::kShape, *event, "hang");
    if (const auto event = without_partner(in_, node))
      return report_event(Divergence::Kind::kCondition, *event, "hang");
    return false;
  }

  /// Compares the two ways through `node` for ranks that differ in `bits`; true if a divergence was reported.
  bool compare(const TraceNode& node, const Frame& here, Bits bits, bool sure) {
    const auto exit_a = exit_of(node.branches[0]);
    const auto exit_b = exit_of(node.branches[1]);
    Comparison comparison(in_, bits);
    comparison.assume_around(here, node);
    Atoms a;
    Atoms b;
    comparison.flatten(node.branches[0], a);
    comparison.flatten(node.branches[1], b);
    const bool one_leaves = exit_a.has_value() != exit_b.has_value() || (exit_a && exit_b && *exit_a != *exit_b);
    if (one_leaves) {
      const ExitKind kind = exit_a && (!exit_b || *exit_a != ExitKind::kReturn) ? *exit_a : *exit_b;
      if (!exit_a) follow(here, kind, comparison, a);
      if (!exit_b) follow(here, kind, comparison, b);
      if (kind == ExitKind::kRaise) handle(here, comparison, exit_a ? a : b);
    }
    strip_common(a, b);
    if (comparison.gave_up() || (a.empty() && b.empty())) return false;
    if (settled_later(node, here, bits)) return false;
    if (issued_before_leaving(here, comparison, a.empty() ? b : a)) return false;
    return report_difference(node, a, b, bits, sure, one_leaves, exit_a ? exit_a : exit_b, is_caught(here));
  }

  /// `if rank == 0: … if not found: barrier(); return …` and a barrier at the end: those who leave early have issued
  /// what comes later.
  static bool issued_before_leaving(const Frame& here, Comparison& comparison, const Atoms& atoms) {
    const bool all_leave =
        std::all_of(atoms.begin(), atoms.end(), [](const Atom& atom) { return atom.event == nullptr || atom.leaves; });
    const Atom* event = first_event(atoms);
    if (!all_leave || event == nullptr) return false;
    Atoms rest;
    for (const Frame* frame = &here; frame != nullptr; frame = frame->outer) {
      if (flatten_from(*frame, comparison, rest)) break;
    }
    return std::any_of(rest.begin(), rest.end(), [&](const Atom& atom) { return atom.key == event->key; });
  }

  /// Appends what a rank that does not leave issues from here to the point where the others go on.
  void follow(const Frame& here, ExitKind kind, Comparison& comparison, Atoms& out) {
    for (const Frame* frame = &here; frame != nullptr; frame = frame->outer) {
      const auto exit = flatten_from(*frame, comparison, out);
      if (exit == ExitKind::kReturn || exit == ExitKind::kRaise || exit == ExitKind::kProcess) return;
      if (frame->kind == Frame::Kind::kLoop && (kind == ExitKind::kContinue || kind == ExitKind::kBreak)) {
        if (kind == ExitKind::kBreak) comparison.flatten(frame->owner->branches[0], out);  // the rounds still to come
        return;
      }
      if (frame->kind == Frame::Kind::kTry && kind == ExitKind::kRaise) return;
    }
  }

  /// How the rest of the frame's sequence surely ends; none where what is around it goes on.
  static std::optional<ExitKind> flatten_from(const Frame& frame, Comparison& comparison, Atoms& out) {
    for (std::size_t i = frame.next; i < frame.sequence->size(); ++i) {
      const TraceNode& node = (*frame.sequence)[i];
      comparison.flatten_one(node, out);
      if (node.kind == TraceKind::kExit) return node.exit;
    }
    return frame.next < frame.sequence->size() ? exit_of(*frame.sequence) : std::nullopt;
  }

  static bool is_caught(const Frame& here) {
    for (const Frame* frame = &here; frame != nullptr; frame = frame->outer) {
      if (frame->kind == Frame::Kind::kTry && frame->owner->branches.size() > 3) return true;
    }
    return false;
  }

  /// A rank that raises inside a try goes on in the handler.
  void handle(const Frame& here, Comparison& comparison, Atoms& out) {
    for (const Frame* frame = &here; frame != nullptr; frame = frame->outer) {
      if (frame->kind != Frame::Kind::kTry) continue;
      if (frame->owner->branches.size() > 3) comparison.flatten(frame->owner->branches[3], out);
      return;
    }
  }

  /// `if rank != 0: barrier()` … `if rank == 0: barrier()`: every rank issues one. Compares all that follows, with
  /// later choices on the same condition decided alike.
  bool settled_later(const TraceNode& node, const Frame& here, Bits bits) {
    if (node.condition.key == 0) return false;
    std::vector<const TraceNode*> later;
    int budget = kMaxVisited;
    for (const Frame* frame = &here; frame != nullptr; frame = frame->outer) {
      for (std::size_t i = frame->next; i < frame->sequence->size(); ++i) {
        collect((*frame->sequence)[i], node.condition.key, later, budget);
      }
      if (frame->kind == Frame::Kind::kLoop) break;
    }
    if (later.empty()) return false;
    const auto whole = [&](std::size_t branch) {
      Comparison comparison(in_, bits);
      comparison.assume_around(here, node);
      comparison.assume({node.condition.key, (branch == 0) != node.condition.negated});
      Atoms atoms;
      comparison.flatten(node.branches[branch], atoms);
      if (!exit_of(node.branches[branch])) {
        for (const Frame* frame = &here; frame != nullptr; frame = frame->outer) {
          if (flatten_from(*frame, comparison, atoms) || frame->kind == Frame::Kind::kLoop) break;
        }
      }
      return atoms;
    };
    Atoms a = whole(0);
    Atoms b = whole(1);
    strip_common(a, b);
    if (!a.empty() || !b.empty()) return false;
    settled_.insert(later.begin(), later.end());
    return true;
  }

  static void collect(const TraceNode& node, std::uint64_t key, std::vector<const TraceNode*>& out, int& budget) {
    if (--budget < 0) return;
    if (node.kind == TraceKind::kChoice && node.condition.key == key) out.push_back(&node);
    if (out.size() > 16) return;
    for (const Sequence& branch : node.branches) {
      for (const TraceNode& child : branch) collect(child, key, out, budget);
    }
  }

  bool check_loop(const TraceNode& node) {
    for (const bool sure : {true, false}) {
      const Bits trip = sure ? node.varies.sure : node.varies.maybe;
      const Bits order = sure ? node.order.sure : node.order.maybe;
      if (trip != 0 && report_loop(node, trip, sure, Divergence::Kind::kLoop)) return true;
      if (order != 0 && node.uses_element && report_loop(node, order, sure, Divergence::Kind::kOrder)) return true;
    }
    return false;
  }

  bool report_loop(const TraceNode& node, Bits bits, bool sure, Divergence::Kind kind) {
    Comparison comparison(in_, bits);
    Atoms atoms;
    comparison.flatten(node.branches[0], atoms);
    const Atom* event = first_event(atoms);
    if (event == nullptr) return false;
    const Variation& variation = kind == Divergence::Kind::kLoop ? node.varies : node.order;
    return report(kind, node, *event, bits, sure, sure ? variation.sure_source : variation.maybe_source,
                  kind == Divergence::Kind::kLoop ? "hang" : "hang or wrong values", {});
  }

  bool report_difference(const TraceNode& node, const Atoms& a, const Atoms& b, Bits bits, bool sure, bool one_leaves,
                         std::optional<ExitKind> exit, bool caught) {
    const Atom* in_a = first_event(a);
    const Atom* in_b = first_event(b);
    std::string doubt;
    if (in_a != nullptr && in_b != nullptr) {
      // Both sides communicate. Where loops or further choices are involved, this may be a protocol that fits.
      if (has_brackets(a) || has_brackets(b)) return false;
    }
    const Atom* event = in_a != nullptr ? in_a : in_b;
    if (event == nullptr) return false;
    Divergence::Kind kind = one_leaves ? Divergence::Kind::kEarlyExit : Divergence::Kind::kCondition;
    if (one_leaves && exit == ExitKind::kRaise) {
      // Most raises reject what is wrong everywhere. One that asks for the rank itself is meant for some ranks.
      kind = Divergence::Kind::kException;
      if (!sure || !node.is_direct) return false;
      if (!caught) doubt = "that a rank which raises does not end the whole job at once";
    }
    if (event->event->model->creates_group) kind = Divergence::Kind::kGroupCreation;
    return report(kind, node, *event, bits, sure, sure ? node.varies.sure_source : node.varies.maybe_source, "hang",
                  doubt);
  }

  bool report(Divergence::Kind kind, const TraceNode& node, const Atom& atom, Bits bits, bool sure, SourceId source,
              std::string_view outcome, std::string doubt) {
    const GroupInfo& group = in_.groups[atom.event->group];
    const Relevance relevant = relevance(group, atom.bits != 0 ? atom.bits : bits);
    if (relevant == Relevance::kNone || atom.awaits) return false;
    const bool unknown_group = group.kind == Group::Kind::kParameter || group.kind == Group::Kind::kUnknown;
    if (relevant == Relevance::kDoubtful && unknown_group && result_.is_root && in_.has_callers(result_.function) &&
        group.kind == Group::Kind::kParameter) {
      return false;  // the callers say which group it is
    }
    if (doubt.empty() && group.either) doubt = "which group " + group.text + " is";
    const bool deep = atom.path.size() > 1 && (atom.conditional_below || !sure || relevant == Relevance::kDoubtful);
    const int doubts = (relevant == Relevance::kDoubtful ? 1 : 0) + (atom.exact ? 0 : 1) +
                       (atom.conditional_below ? 1 : 0) + (sure ? 0 : 1) + (deep ? 1 : 0);
    if (doubts > 1) return false;
    if (doubt.empty() && relevant == Relevance::kDoubtful) {
      doubt = unknown_group ? "which ranks " + group.text + " spans" : "that the condition splits the ranks of the job";
    }
    if (doubt.empty() && !atom.exact) doubt = "which of several functions a call on the way reaches";
    if (doubt.empty() && atom.conditional_below) doubt = "that the conditions inside the called functions hold";
    if (doubt.empty() && !sure) doubt = in_.sources.doubt_of(source);
    RawDivergence found;
    found.kind = kind;
    found.function = result_.function;
    found.place = node.place;
    found.bits = bits;
    found.source = source;
    found.event = *atom.event;
    found.path = atom.path;
    found.proven = sure && doubt.empty();
    found.doubt = std::move(doubt);
    found.outcome = outcome;
    in_.report(std::move(found));
    return true;
  }

  Interpreter& in_;
  FunctionResult& result_;
  std::unordered_set<const TraceNode*> settled_;
};

}  // namespace

bool has_events(const Sequence& sequence) {
  return std::any_of(sequence.begin(), sequence.end(), [](const TraceNode& node) {
    if (node.kind == TraceKind::kEvent || node.kind == TraceKind::kCall) return true;
    return std::any_of(node.branches.begin(), node.branches.end(), has_events);
  });
}

bool always_exits(const Sequence& sequence) { return exit_of(sequence).has_value(); }

namespace {

/// `__enter__` whose `__exit__` communicates too, and the other way round: what some ranks issue in one, the others
/// issue in the other (first rank goes ahead).
bool is_half_of_context(const Interpreter& interpreter, const FunctionResult& result) {
  const program::Function& row = interpreter.program.functions()[result.function];
  constexpr std::pair<std::string_view, std::string_view> kHalves[] = {
      {"__enter__", "__exit__"}, {"__exit__", "__enter__"}, {"__aenter__", "__aexit__"}, {"__aexit__", "__aenter__"}};
  if (!row.owner.valid()) return false;
  for (const auto& [mine, other] : kHalves) {
    if (row.name != mine) continue;
    for (const program::FunctionId method : interpreter.program.classes()[row.owner].methods) {
      if (interpreter.program.functions()[method].name == other && interpreter.may_communicate(method)) return true;
    }
  }
  return false;
}

}  // namespace

void check_divergence(Interpreter& interpreter, FunctionResult& result) {
  if (!result.communicates || is_half_of_context(interpreter, result)) return;
  Checker(interpreter, result).check(result.trace, nullptr, Frame::Kind::kBody, nullptr);
}

}  // namespace lockstep::mesh
