#include "report/story/communication/collectives_below.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/autograd_context.h"
#include "report/source/bound_arguments.h"
#include "report/source/code.h"

namespace lockstep::report {

using program::FunctionId;
using program::Program;
using python::as;

namespace {

/// Takes out of `known` what `other` does not know alike; returns whether something went.
bool weaken(BoundArguments& known, const BoundArguments& other) {
  return std::erase_if(known, [&](const auto& one) {
           const auto found = other.find(one.first);
           return found == other.end() || found->second.is_not_none != one.second.is_not_none ||
                  !is_same_value(found->second.value, one.second.value);
         }) > 0;
}

/// `world_size == 1`: alone nobody has to communicate.
bool asks_for_one(const python::Expr& condition) {
  const auto* compare = as<python::Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1 || compare->ops.front() != python::CompareOperator::kEq)
    return false;
  const auto* one = as<python::Constant>(compare->comparators.front());
  return one != nullptr && one->text == "1";
}

/// `if dist.is_initialized():`, `if not dist.is_available(): return`.
bool asks_for_backend(const python::Expr& condition) {
  const auto* opposite = as<python::UnaryOp>(&condition);
  const auto* call = as<python::Call>(opposite != nullptr ? opposite->operand : &condition);
  return call != nullptr && (callee_name(*call) == "is_initialized" || callee_name(*call) == "is_available");
}

/// Ends one round of a loop, not the function.
bool only_skips(const python::If& branch) {
  return !branch.body.empty() &&
         (python::is<python::Continue>(branch.body.back()) || python::is<python::Break>(branch.body.back()));
}

class Below {
 public:
  Below(const WordsContext& context, const std::function<bool(const python::Node&)>& counts)
      : context_(context), program_(*context.program), counts_(counts) {}

  std::vector<std::string> run() {
    constexpr std::size_t kMostCalls = 40;
    if (context_.mesh == nullptr || program_.functions()[context_.function].calls.size() > kMostCalls) return {};
    pending_.push_back({context_.function});
    walk(false);
    const bool is_forward_told = !out_.empty();
    for (std::size_t i = 0; i < backward_.size(); ++i) add(backward_[i]);
    walk(true);
    if (!is_forward_told && !out_.empty() && is_left_open_)
      out_.emplace_back("calls that can enter several functions may issue others in the forward pass");
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMost = 4;
  struct Place {
    FunctionId function;
    int depth = 0;
    bool is_known = false;        ///< It is entered through a call of which it is known what it comes to.
    BoundArguments bound = {};    ///< What the calls on the way give its parameters.
    BoundArguments context = {};  ///< Of a backward pass: what its context holds.
  };

  /// Through what runs at the call itself, from the first place not looked at yet.
  void walk(bool is_backward) {
    constexpr int kMostDepth = 5;
    for (; next_ < pending_.size() && next_ < 200 && out_.size() < kMost; ++next_) {
      const Place at = pending_[next_];
      if (at.depth > 0) tell(at, is_backward);
      if (at.depth == kMostDepth) continue;
      for (const program::CallId call : program_.functions()[at.function].calls) {
        const program::CallSite& site = program_.calls()[call];
        if (site.node != nullptr && is_closed(at, site.node->span)) continue;
        if (at.depth == 0 && counts_ && (site.node == nullptr || !counts_(*site.node))) continue;
        for (const program::CallTarget& target : site.targets) {
          if (!target.function.valid() || !context_.mesh->may_communicate(target.function)) continue;
          if (target.certainty != program::Certainty::kExact) {
            is_left_open_ = is_left_open_ || (!is_backward && mesh::runs_now(target, program_));
            continue;
          }
          const bool is_known = at.depth == 0 ? context_.mesh->knows_all_of(call) : at.is_known;
          Place below{target.function, at.depth + 1, is_known && !is_backward};
          if (mesh::runs_now(target, program_)) {
            below.bound = bound_by(program_, site, target.function, at.bound);
            add(below);
          } else if (target.kind == program::CallKind::kAutograd) {
            below.context = context_bound_by(program_, site, target.function, at.bound);
            backward_.push_back(std::move(below));
          }
        }
      }
    }
  }

  /// Whether what stands at `span` in a place is not reached on the way there.
  [[nodiscard]] bool is_closed(const Place& place, Span span) const {
    return is_ruled_out(program_, place.function, span, place.bound) ||
           is_ruled_out_by_context(program_, place.function, span, place.context);
  }

  void add(const Place& place) {
    const auto known = std::find_if(pending_.begin(), pending_.end(),
                                    [&](const Place& one) { return one.function == place.function; });
    if (known == pending_.end()) {
      pending_.push_back(place);
      return;
    }
    known->is_known = known->is_known && place.is_known;
    const bool is_less_bound = weaken(known->bound, place.bound);
    const bool is_less_held = weaken(known->context, place.context);
    // Branches that were closed are open on this way.
    const auto index = static_cast<std::size_t>(known - pending_.begin());
    if ((is_less_bound || is_less_held) && index < next_ + 1) pending_.push_back(Place(*known));
  }

  /// Whether the traces of the function's calls come to it.
  [[nodiscard]] bool is_issued(const mesh::CollectiveSite& site) const {
    const auto& calls = program_.functions()[context_.function].calls;
    return std::any_of(calls.begin(), calls.end(), [&](program::CallId call) {
      const auto issued = context_.mesh->issued_through(call);
      return std::any_of(issued.begin(), issued.end(), [&](const auto& one) { return one.call == site.call; });
    });
  }

  /// A collective, and the words of its condition.
  struct Issued {
    std::string words, condition;
  };
  static constexpr std::string_view kUnderConditions = " (under conditions)";

  /// One that is issued in several places stands under no condition in all of these, or under several.
  static void add_issued(std::vector<Issued>& issued, std::string words, std::string condition) {
    if (words.empty()) return;
    const auto known =
        std::find_if(issued.begin(), issued.end(), [&](const Issued& one) { return one.words == words; });
    if (known == issued.end()) {
      issued.push_back({std::move(words), std::move(condition)});
    } else if (known->condition.empty() || condition.empty()) {
      known->condition.clear();
    } else if (known->condition != condition) {
      known->condition = kUnderConditions;
    }
  }

  /// " (when `x` is set)" of a collective that stands under conditions of its function which the way does not decide;
  /// else empty.
  [[nodiscard]] std::string under(const mesh::CollectiveSite& site, const Place& place) const {
    constexpr std::size_t kMostConditions = 2;
    constexpr std::size_t kLongest = 160;  // Bytes, marks included.
    if (site.call == nullptr) return {};
    const program::Function& row = program_.functions()[place.function];
    if (row.node == nullptr) return {};
    std::vector<Guard> guards = guards_of(*row.node, site.call->span);
    std::erase_if(guards, [&](const Guard& guard) {
      const auto* branch = as<python::If>(guard.statement);
      return branch == nullptr || guard.condition == nullptr ||
             holds_surely(program_, place.function, guard, place.bound) || asks_for_backend(*guard.condition) ||
             (!branch->span.contains(site.call->span) && (asks_for_one(*guard.condition) || only_skips(*branch)));
    });
    const std::string words = guards_words(guards, source_of(program_, place.function), kMostConditions);
    if (words.empty()) return {};
    return words.size() > kLongest ? std::string(kUnderConditions) : fmt::format(" (when {})", words);
  }

  void tell(const Place& place, bool is_backward) {
    const FunctionId function = place.function;
    std::vector<Issued> issued;
    const auto sites = context_.mesh->collectives_of(function);
    for (const mesh::CollectiveSite& one : sites) {
      if (place.is_known && !is_issued(one)) continue;
      if (one.call != nullptr && is_closed(place, one.call->span)) continue;
      // Of two branches that issue the same the arguments may have chosen one.
      const bool is_other = !is_issued(one) && std::any_of(sites.begin(), sites.end(), [&](const auto& other) {
        return other.operation == one.operation && is_issued(other);
      });
      if (is_other) continue;
      mesh::CollectiveSite site = as_called(one, *context_.mesh, program_.functions()[context_.function].calls);
      site.is_async = false;  // Down here only what and over which ranks.
      add_issued(issued, collective_words(site, *context_.mesh), under(one, place));
    }
    // Where not all can be told, those come first that are issued in any case.
    std::stable_partition(issued.begin(), issued.end(), [](const Issued& one) { return one.condition.empty(); });
    std::vector<std::string> here;
    bool any_condition = false;
    for (const Issued& one : issued) {
      here.push_back(one.words + one.condition);
      any_condition = any_condition || !one.condition.empty();
    }
    if (here.empty()) return;
    if (here.size() > 3) here.resize(3);
    tell_of(function, is_backward,
            fmt::format("{} ({}): {}{}", code(short_name(program_, function)), place_of(program_, function),
                        any_condition ? join(here, ", ") : join_words(here),
                        is_backward ? ", in a backward pass only" : ""));
  }

  /// Each function once: of a second look, at which more branches are open, what that found; of a backward pass only
  /// what no forward pass does.
  void tell_of(FunctionId function, bool is_backward, std::string text) {
    const auto known =
        std::find_if(told_.begin(), told_.end(), [&](const Told& one) { return one.function == function; });
    if (known == told_.end()) {
      told_.push_back({function, is_backward});
      out_.push_back(std::move(text));
    } else if (known->is_backward == is_backward) {
      out_[static_cast<std::size_t>(known - told_.begin())] = std::move(text);
    }
  }

  struct Told {
    FunctionId function;
    bool is_backward = false;
  };

  const WordsContext& context_;
  const Program& program_;
  const std::function<bool(const python::Node&)>& counts_;
  std::vector<Place> pending_;
  std::size_t next_ = 0;
  std::vector<Place> backward_;  ///< Left for after all that runs at the calls.
  std::vector<std::string> out_;
  std::vector<Told> told_;     ///< Of which function each of these is.
  bool is_left_open_ = false;  ///< A call may enter one of several functions, and one of them may communicate.
};

}  // namespace

std::vector<std::string> collectives_below(const WordsContext& context,
                                           const std::function<bool(const python::Node&)>& counts) {
  return Below(context, counts).run();
}

}  // namespace lockstep::report
