// "@calls f -> g -> h; f -> k; path:12" -> a sequence diagram: the calls in the order in which the model tells them,
// each one that the call graph has, with the code of its call site, the branches and loops around it, and collectives.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/strings.h"
#include "report/source/bound_arguments.h"
#include "report/story/wording/words.h"
#include "writer/author/placements.h"
#include "writer/author/placements_parts.h"

namespace lockstep::writer {

namespace {

using internal::drawing_fault;
using internal::DrawnPlace;
using internal::DrawnSide;
using internal::Hop;
using program::FunctionId;
using report::Sequence;
using report::SequenceEvent;
using Kind = SequenceEvent::Kind;

constexpr std::size_t kMostParticipants = 8, kMostCalls = 16, kMostText = 72;
// Blocks around a place: of the first function, of one that was entered, and in all.
constexpr std::size_t kMostBlocks = 4, kMostOwnBlocks = 2, kDeepest = 6;
constexpr std::string_view kOtherRanks = "other ranks of the group";

class CallsDrawing {
 public:
  CallsDrawing(const report::DocumentInputs& inputs, const report::Story& story, bool is_before)
      : story_(story), side_(is_before ? internal::before_side(inputs) : internal::after_side(inputs)) {}

  void run(std::string_view request) {
    const std::vector<std::string_view> items = internal::split_at(request, ";");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::vector<std::string_view> names = internal::split_at(items[i], "->");
      if (names.size() == 1) {
        statement(names[0]);
        continue;
      }
      if (std::any_of(names.begin(), names.end(), is_place)) {
        with_statements(names);
        continue;
      }
      calls_of(names, with_next(names, std::span(items).subspan(i + 1)));
    }
  }

  Filled take() {
    frame({});
    Filled filled;
    filled.faults = std::move(faults_);
    if (calls_ >= 2) filled.blocks.push_back({report::DiagramBlock{std::move(sequence_), {}}});
    if (calls_ < 2 && filled.faults.empty())
      filled.faults.push_back(drawing_fault("@calls", "a drawing needs at least two calls or statements"));
    return filled;
  }

 private:
  /// A branch or loop that calls stand in.
  struct Frame {
    const void* id;
    Kind kind;
    std::string text;
    friend bool operator==(const Frame& a, const Frame& b) { return a.id == b.id && a.text == b.text; }
  };

  void calls_of(const std::vector<std::string_view>& names, const std::vector<std::string_view>& chain) {
    std::vector<FunctionId> from;
    for (std::size_t at = 0; at + 1 < names.size(); ++at)
      from = hop(std::move(from), chain[at], std::span(chain).subspan(at + 1));
  }

  /// "dir/file.py:12"; not "g:120".
  static bool is_place(std::string_view text) {
    return contains(text, ".py:") && internal::place_in(internal::plain_name(text)).has_value();
  }

  /// "f -> g -> dir/file.py:12 -> h": the calls, and between them statements of the function before.
  void with_statements(const std::vector<std::string_view>& names) {
    std::vector<std::string_view> calls;
    for (const std::string_view name : names) {
      if (!is_place(name)) {
        calls.push_back(name);
        continue;
      }
      if (calls.size() > 1) calls_of(calls, calls);
      if (!calls.empty()) calls = {calls.back()};
      statement(name);
    }
    if (calls.size() > 1) calls_of(calls, calls);
  }

  // "g" or "g:120", the line of the call.
  static std::pair<std::string, std::uint32_t> name_and_line(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon != std::string_view::npos) {
      if (const auto place = internal::place_in(text.substr(colon + 1)))
        return {internal::plain_name(text.substr(0, colon)), place->second};
    }
    return {internal::plain_name(text), 0};
  }

  /// The names of a chain of calls, and those of the chains that go on where it ends: "f -> g; g -> h".
  static std::vector<std::string_view> with_next(std::vector<std::string_view> names,
                                                 std::span<const std::string_view> later) {
    for (const std::string_view item : later) {
      const std::vector<std::string_view> next = internal::split_at(item, "->");
      if (next.size() < 2 || name_and_line(next.front()).first != name_and_line(names.back()).first) break;
      names.insert(names.end(), next.begin() + 1, next.end());
    }
    return names;
  }

  /// Whether a run that makes the call, in a function of which `known` holds, gets to the calls of `rest` one after the
  /// other, by the constants that it passes: `f(x, quick=True)` does not get past `if quick: return`.
  [[nodiscard]] bool leads_on(const Hop& hop, const report::BoundArguments& known,
                              std::span<const std::string_view> rest) const {
    const program::Program& program = *side_.program;
    const program::CallSite& site = program.calls()[hop.id];
    if (site.caller != hop.caller) return true;  // of a function inside it
    if (report::is_ruled_out(program, hop.caller, site.node->span, known)) return false;
    if (rest.empty() || !hop.callee.valid() || hop.registers) return true;
    const auto [callee, line] = name_and_line(rest.front());
    const std::vector<Hop> next = internal::hops_of(program, hop.callee, {callee, line});
    const report::BoundArguments inside = report::bound_by(program, site, hop.callee, known);
    return next.empty() || std::any_of(next.begin(), next.end(),
                                       [&](const Hop& one) { return leads_on(one, inside, rest.subspan(1)); });
  }

  /// `names`: what is called, and what that calls in turn.
  std::vector<FunctionId> hop(std::vector<FunctionId> callers, std::string_view first,
                              std::span<const std::string_view> names) {
    const std::string caller = name_and_line(first).first;
    const auto [callee, line] = name_and_line(names.front());
    const bool is_entered = !callers.empty();
    if (callers.empty()) {
      callers = internal::functions_named(*side_.program, caller);
      // Whoever was told of before is meant again.
      std::stable_partition(callers.begin(), callers.end(),
                            [&](FunctionId one) { return entered_.contains(one.value); });
    }
    if (callers.empty()) {
      faults_.push_back(drawing_fault(std::string(first), "there is no such function"));
      return {};
    }
    internal::HopSearch search{callee, line, told_};
    search.fits = [&](const Hop& one) { return leads_on(one, known_[one.caller.value], names.subspan(1)); };
    const auto found = internal::find_hop(*side_.program, callers, search);
    if (!found) {
      faults_.push_back(
          drawing_fault(fmt::format("{} -> {}", caller, callee),
                        line > 0 ? fmt::format("the call graph has no such call on line {}", line)
                                 : "the call graph has no such call; name the functions between, or leave it out"));
      return is_entered ? std::vector<FunctionId>() : internal::functions_named(*side_.program, callee);
    }
    draw(*found, line > 0 ? std::vector<Hop>() : beside(*found, callee));
    if (found->callee.valid())
      known_[found->callee.value] = report::bound_by(*side_.program, side_.program->calls()[found->id], found->callee,
                                                     known_[found->caller.value]);
    return found->callee.valid() ? std::vector{found->callee} : std::vector<FunctionId>();
  }

  /// Further calls by which the same function may get there: one alone would say that its conditions have to hold.
  [[nodiscard]] std::vector<Hop> beside(const Hop& hop, std::string_view callee) {
    std::vector<Hop> out;
    if (!hop.callee.valid() || hop.registers) return out;
    for (Hop& one : internal::hops_of(*side_.program, hop.caller, {callee, 0})) {
      if (one.call != hop.call && one.callee == hop.callee && !one.registers) out.push_back(std::move(one));
    }
    const std::size_t own = frames_of(hop.caller, hop.call->span).size();
    const bool differ = std::any_of(out.begin(), out.end(), [&](const Hop& one) {
      return shared_frames(frames_of(hop.caller, hop.call->span), frames_of(one.caller, one.call->span)) < own;
    });
    return differ ? out : std::vector<Hop>();
  }

  static std::size_t shared_frames(const std::vector<Frame>& one, const std::vector<Frame>& other) {
    std::size_t count = 0;
    while (count < one.size() && count < other.size() && one[count] == other[count]) ++count;
    return count;
  }

  void draw(const Hop& hop, const std::vector<Hop>& others) {
    const program::Program& program = *side_.program;
    const SourceText& source = report::source_of(program, hop.caller);
    const report::WordsContext context{side_.program, side_.mesh, hop.caller, &source};
    const mesh::CollectiveSite* collective = report::collective_at(context, hop.call);
    const std::string to_label = collective != nullptr         ? std::string(kOtherRanks)
                                 : hop.callee.valid()          ? internal::owner_label(program, hop.callee)
                                 : contains(hop.external, ".") ? hop.external.substr(0, hop.external.rfind('.'))
                                                               : hop.external;
    if (!has_room(internal::owner_label(program, hop.caller), to_label)) return;
    std::vector<Frame> frames = frames_of(hop.caller, hop.call->span);
    for (const Hop& other : others) frames.resize(shared_frames(frames, frames_of(other.caller, other.call->span)));
    frame(frames);
    const std::string where = others.empty() ? fmt::format("line {}", hop.line + 1)
                                             : fmt::format("one of {} calls, under conditions", others.size() + 1);
    const std::size_t from = participant(hop.caller);
    const std::size_t to = hop.callee.valid() && collective == nullptr ? participant(hop.callee) : labelled(to_label);
    if (hop.registers) {
      event(Kind::kNote, from, from,
            fmt::format("line {}: hands {} on, to be called later", hop.line + 1,
                        report::short_name(program, hop.callee)));
      frames.clear();
    } else {
      const bool is_async = collective != nullptr && collective->is_async;
      event(is_async ? Kind::kAsync : Kind::kCall, from, to,
            fmt::format("{}: {}", where,
                        collective != nullptr ? report::unmarked(report::collective_words(*collective, *side_.mesh))
                                              : report::one_line(source, *hop.call, kMostText)));
    }
    ++calls_;
    told_[hop.caller.value] = hop.line;
    if (hop.callee.valid()) entered_[hop.callee.value] = std::move(frames);
  }

  // A line of a function that the story needs beside the calls.
  void statement(std::string_view text) {
    if (faults_.size() >= internal::kMostDrawingFaults) return;
    const auto named = internal::place_in(internal::plain_name(text));
    if (!named || (named->first.empty() && path_.empty())) {
      faults_.push_back(drawing_fault(std::string(text), "neither a call (f -> g) nor a place (path:12)"));
      return;
    }
    if (!named->first.empty()) path_ = named->first;
    const auto place = internal::drawn_place(side_, path_, named->second);
    if (!place || !place->function.valid() || place->is_function) {
      faults_.push_back(drawing_fault(std::string(text), "no statement of a function stands there"));
      return;
    }
    const program::Program& program = *side_.program;
    const mesh::CollectiveSite* collective = collective_in(*place);
    const std::string self_label = internal::owner_label(program, place->function);
    if (!has_room(self_label, collective != nullptr ? kOtherRanks : std::string_view(self_label))) return;
    frame(frames_of(place->function, place->step.span));
    const std::size_t self = participant(place->function);
    const std::string where = fmt::format("line {}: ", place->line + 1);
    if (collective != nullptr) {
      event(collective->is_async ? Kind::kAsync : Kind::kCall, self, labelled(kOtherRanks),
            where + report::unmarked(report::collective_words(*collective, *side_.mesh)));
    } else {
      const FunctionId callee = callee_in(*place);
      const bool is_elsewhere = callee.valid() && has_room(self_label, internal::owner_label(program, callee));
      event(Kind::kCall, self, is_elsewhere ? participant(callee) : self, where + place->text);
    }
    ++calls_;
    told_[place->function.value] = place->line;
  }

  /// What the outermost call of a statement enters, where that is one function.
  [[nodiscard]] FunctionId callee_in(const DrawnPlace& place) const {
    const program::CallSite* outermost = nullptr;
    for (const program::CallId id : side_.program->functions()[place.function].calls) {
      const program::CallSite& site = side_.program->calls()[id];
      if (!place.step.span.contains(site.node->span)) continue;
      if (outermost == nullptr || site.node->span.contains(outermost->node->span)) outermost = &site;
    }
    const bool is_one = outermost != nullptr && outermost->targets.size() == 1 &&
                        outermost->targets.front().kind != program::CallKind::kCallback;
    return is_one ? outermost->targets.front().function : FunctionId();
  }

  [[nodiscard]] const mesh::CollectiveSite* collective_in(const DrawnPlace& place) const {
    if (side_.mesh == nullptr) return nullptr;
    for (const mesh::CollectiveSite& site : side_.mesh->collectives_of(place.function)) {
      if (site.call != nullptr && place.step.span.contains(site.call->span)) return &site;
    }
    return nullptr;
  }

  /// The branches and loops around a place, after those in which its function was entered.
  std::vector<Frame> frames_of(FunctionId function, Span target) {
    std::vector<Frame> frames;
    if (const auto entered = entered_.find(function.value); entered != entered_.end()) frames = entered->second;
    const std::size_t inherited = frames.size();
    const program::Function& one = side_.program->functions()[function];
    if (one.node == nullptr) return frames;
    const SourceText& source = report::source_of(*side_.program, function);
    for (const report::Guard& guard : report::guards_of(*one.node, target)) {
      if (guard.statement == nullptr || !guard.statement->span.contains(target)) continue;
      if (const auto* each = python::as<python::For>(guard.statement)) {
        frames.push_back({guard.statement, Kind::kLoop,
                          fmt::format("for each {} of {}", report::one_line(source, *each->target, 25),
                                      report::one_line(source, *each->iterable, 40))});
      } else if (python::is<python::While>(guard.statement)) {
        frames.push_back({guard.statement, Kind::kLoop, "while " + report::one_line(source, *guard.condition, 50)});
      } else if (guard.condition != nullptr) {
        frames.push_back(
            {guard.statement, Kind::kOptional,
             "when " + report::unmarked(report::condition_words(*guard.condition, source, guard.negated))});
      }
    }
    // Those of the call that led here stay open: without them each call inside would open blocks of its own.
    const std::size_t own = frames.size() - inherited;
    const std::size_t kept = std::min(own, inherited == 0 ? kMostBlocks : kMostOwnBlocks);
    if (own > kept) join_frames(frames, inherited, own - kept + 1);
    if (frames.size() > kDeepest) join_frames(frames, 0, frames.size() - kDeepest + 1);
    return frames;
  }

  /// Makes one block of `count` that stand in one another: without an outer one the inner ones would say too much.
  static void join_frames(std::vector<Frame>& frames, std::size_t first, std::size_t count) {
    constexpr std::string_view kWhen = "when ";
    Frame joined = frames[first];
    for (std::size_t i = first + 1; i < first + count; ++i) {
      const std::string_view text = frames[i].text;
      const bool goes_on = text.starts_with(kWhen) && joined.text.starts_with(kWhen);
      joined.text += goes_on ? " and " + std::string(text.substr(kWhen.size())) : ", " + std::string(text);
      joined.id = frames[i].id;
      if (frames[i].kind == Kind::kLoop) joined.kind = Kind::kLoop;
    }
    frames[first] = std::move(joined);
    const auto begin = frames.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    frames.erase(begin, begin + static_cast<std::ptrdiff_t>(count) - 1);
  }

  // Closes the blocks that the next event does not stand in, and opens its own.
  void frame(const std::vector<Frame>& wanted) {
    std::size_t common = 0;
    while (common < open_.size() && common < wanted.size() && open_[common] == wanted[common]) ++common;
    for (; open_.size() > common; open_.pop_back()) event(Kind::kEnd, 0, 0, {});
    for (std::size_t i = common; i < wanted.size(); ++i) {
      event(wanted[i].kind, 0, 0, wanted[i].text);
      open_.push_back(wanted[i]);
    }
  }

  bool has_room(std::string_view from, std::string_view to) {
    std::size_t more = index_.contains(std::string(from)) ? 0 : 1;
    if (to != from && !index_.contains(std::string(to))) ++more;
    return calls_ < kMostCalls && sequence_.participants.size() + more <= kMostParticipants;
  }

  std::size_t participant(FunctionId function) {
    const std::size_t at = labelled(internal::owner_label(*side_.program, function));
    report::Mark& mark = sequence_.participants[at].mark;
    if (mark == report::Mark::kNone) mark = internal::mark_of_owner(story_, side_, function);
    return at;
  }
  std::size_t labelled(std::string_view label) {
    const auto [at, is_new] = index_.emplace(std::string(label), sequence_.participants.size());
    if (is_new) sequence_.participants.push_back({std::string(label), report::Mark::kNone});
    return at->second;
  }
  void event(Kind kind, std::size_t from, std::size_t to, std::string text) {
    sequence_.events.push_back({kind, from, to, std::move(text)});
  }

  const report::Story& story_;
  DrawnSide side_;
  Sequence sequence_;
  std::map<std::string, std::size_t> index_;
  std::map<std::uint32_t, std::vector<Frame>> entered_;  ///< By function: what stands around the call that entered it.
  std::map<std::uint32_t, std::uint32_t> told_;          ///< By function: the line of it that was told last.
  /// By function: what it was entered with last.
  std::map<std::uint32_t, report::BoundArguments> known_;
  std::vector<Frame> open_;
  std::vector<Fault> faults_;
  std::string path_;
  std::size_t calls_ = 0;
};

}  // namespace

Filled draw_calls(const report::DocumentInputs& inputs, const report::Story& story, std::string_view request) {
  const bool is_before = internal::take_word(request, "before");
  CallsDrawing drawing(inputs, story, is_before);
  drawing.run(request);
  return drawing.take();
}

}  // namespace lockstep::writer
