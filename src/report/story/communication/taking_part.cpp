#include "report/story/communication/taking_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "mesh/agreement.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// What holds of one collective, or of calls that lead to it.
struct Note {
  std::string collective;  ///< "`all_reduce` over …"
  std::string call;        ///< Code of the call that leads to it; empty where the function issues it itself.
  std::string condition;
  bool is_only = false;  ///< The condition is known and the only one that there is.
  std::string outcome;
  std::vector<std::string> lines;
};

class Reader {
 public:
  Reader(const DocumentInputs& inputs, const Actor& actor)
      : program_(*inputs.after), actor_(actor), context_(context_after(inputs, actor)) {}

  std::vector<std::string> read() {
    for (const mesh::CollectiveSite& site : context_.mesh->collectives_of(context_.function)) {
      if (site.call != nullptr && is_told(site)) look(site, *site.call, {});
    }
    for (const program::CallId id : program_.functions()[context_.function].calls) look_below(program_.calls()[id]);
    std::vector<std::string> out;
    for (const Note& note : notes_) out.push_back(sentence(note));
    return out;
  }

 private:
  static bool is_told(const mesh::CollectiveSite& site) { return !site.is_point_to_point && !site.creates_group; }

  static std::string sentence(const Note& note) {
    constexpr std::size_t kMostLines = 4;
    const bool is_one = note.lines.size() == 1;
    std::vector<std::string> lines = note.lines;
    if (lines.size() > kMostLines) {
      lines.resize(kMostLines - 1);
      lines.push_back(fmt::format("{} more", note.lines.size() - lines.size()));
    }
    const std::string subject = note.call.empty() ? note.collective
                                : is_one          ? fmt::format("{}, which can lead to {}", note.call, note.collective)
                                                  : fmt::format("Calls that can lead to {}", note.collective);
    const std::string_view depends =
        is_one || note.call.empty() ? "whether it runs also depends on" : "whether they run also depends on";
    return fmt::format("{}: {} {} ({} {}). {}.", subject, note.is_only ? "only when" : depends, note.condition,
                       is_one ? "line" : "lines", join_words(lines), note.outcome);
  }

  /// Collectives a few sure calls below a call of the function.
  void look_below(const program::CallSite& call) {
    constexpr std::size_t kMostFunctions = 12;
    constexpr int kMostDepth = 3;
    if (!is<Call>(call.node) || !is_changed(call.node->span)) return;
    std::vector<std::pair<FunctionId, int>> pending;
    const auto enter = [&](const program::CallSite& site, int depth) {
      if (site.targets.size() != 1) return;
      const program::CallTarget& target = site.targets.front();
      const auto is_it = [&](const auto& one) { return one.first == target.function; };
      if (target.certainty == program::Certainty::kExact && mesh::runs_now(target, program_) &&
          context_.mesh->may_communicate(target.function) && std::none_of(pending.begin(), pending.end(), is_it))
        pending.emplace_back(target.function, depth);
    };
    enter(call, 1);
    std::vector<std::string> told;
    for (std::size_t next = 0; next < pending.size() && next < kMostFunctions; ++next) {
      const auto [at, depth] = pending[next];
      for (mesh::CollectiveSite site : context_.mesh->collectives_of(at)) {
        site.is_async = false;
        const std::string words = collective_words(site, *context_.mesh);
        if (!is_told(site) || std::find(told.begin(), told.end(), words) != told.end()) continue;
        told.push_back(words);
        look(site, *call.node, code(one_line(*context_.source, *call.node, 50)));
      }
      if (depth == kMostDepth) continue;
      for (const program::CallId id : program_.functions()[at].calls) enter(program_.calls()[id], depth + 1);
    }
  }

  /// `below`: the code of the call of this function that leads to the collective; empty where it is its own.
  void look(const mesh::CollectiveSite& site, const Node& call, std::string below) {
    if (!is_changed(call.span)) return;
    const std::vector<Guard> guards = guards_of(*program_.functions()[context_.function].node, call.span);
    std::vector<const Expr*> conditions;
    std::vector<bool> negated;
    for (const Guard& guard : guards) {
      if (guard.condition == nullptr) continue;
      conditions.push_back(guard.condition);
      negated.push_back(guard.negated);
    }
    const mesh::Agreement agreement = mesh::agreement_on(program_, *context_.mesh, site, context_.function, conditions);
    if (agreement.conditions.empty()) return;
    // The nearest one that is sure.
    const auto best = std::max_element(agreement.conditions.begin(), agreement.conditions.end(),
                                       [](const auto& a, const auto& b) { return rank_of(a) <= rank_of(b); });
    std::vector<std::string> along;
    for (const std::string& dimension : best->along) along.push_back(code(dimension));
    Note note;
    note.is_only = agreement.is_complete && guards.size() == 1 && conditions.size() == 1;
    note.condition = note.is_only ? condition_words(*best->condition, *context_.source, negated[best->index])
                                  : code(one_line(*context_.source, *best->condition, 80));
    note.outcome = fmt::format("{} differs along {} alone{} {}", best->is_by_name ? "By its name, that" : "That",
                               join_words(along),
                               agreement.is_span_told ? ", so all ranks of the group"
                                                      : " and the group spans other dimensions, so all its ranks",
                               note.is_only ? "take the same branch" : "agree on it");
    mesh::CollectiveSite plain = site;
    plain.is_async = false;
    note.collective = collective_words(plain, *context_.mesh);
    note.call = std::move(below);
    note.lines.push_back(std::to_string(context_.source->line_of(best->condition->span.begin) + 1));
    add(std::move(note));
  }

  static int rank_of(const mesh::AgreedCondition& one) { return (one.is_whole ? 2 : 0) + (one.is_by_name ? 0 : 1); }

  void add(Note note) {
    for (Note& known : notes_) {
      if (known.collective != note.collective || known.call.empty() != note.call.empty() ||
          known.condition != note.condition || known.outcome != note.outcome)
        continue;
      if (known.lines.back() != note.lines.front()) known.lines.push_back(std::move(note.lines.front()));
      return;
    }
    notes_.push_back(std::move(note));
  }

  /// Whether a call, or a condition around it, is new or another one than before.
  [[nodiscard]] bool is_changed(Span call) const {
    if (actor_.is_added()) return true;
    std::vector<Span> places{call};
    for (const Guard& guard : guards_of(*program_.functions()[context_.function].node, call)) {
      if (guard.condition != nullptr) places.push_back(guard.condition->span);
    }
    return std::any_of(actor_.steps.after.begin(), actor_.steps.after.end(), [&](const Step& step) {
      return step.status != StepStatus::kKept && !step.is_moved &&
             std::any_of(places.begin(), places.end(), [&](Span place) { return step.span.contains(place); });
    });
  }

  const program::Program& program_;
  const Actor& actor_;
  WordsContext context_;
  std::vector<Note> notes_;
};

}  // namespace

std::vector<std::string> taking_part(const DocumentInputs& inputs, const Actor& actor) {
  const WordsContext context = context_after(inputs, actor);
  if (context.mesh == nullptr || !context.function.valid() || context.source == nullptr ||
      !context.mesh->may_communicate(context.function))
    return {};
  return Reader(inputs, actor).read();
}

}  // namespace lockstep::report
