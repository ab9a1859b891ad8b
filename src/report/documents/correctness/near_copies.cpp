#include "report/documents/correctness/near_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/steps/edit_kinds.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

constexpr std::size_t kFewestCommon = 7;
constexpr std::size_t kLeastOfTen = 6;  ///< Of ten statements of either function that many stand in both.
constexpr std::size_t kMostActors = 12;
constexpr std::size_t kMostCopies = 3;

/// How often each statement stands, by its tokens.
using Counts = std::map<std::uint64_t, std::size_t>;

std::size_t total_of(const Counts& counts) {
  std::size_t out = 0;
  for (const auto& [fingerprint, count] : counts) out += count;
  return out;
}

std::size_t common_of(const Counts& a, const Counts& b) {
  std::size_t out = 0;
  for (const auto& [fingerprint, count] : a) {
    const auto other = b.find(fingerprint);
    if (other != b.end()) out += std::min(count, other->second);
  }
  return out;
}

/// `self.x = x`, `super().__init__()`: constructors are alike in these, whatever they are for.
bool is_idiom(const Step& step) {
  const Expr* target = nullptr;
  const std::string_view value = rules::name_of(assigned_value(step.node, target));
  if (!value.empty() && rules::self_attribute(target) == value) return true;
  const auto* call = as<Call>(thrown_away_by(*step.node));
  return call != nullptr && (rules::is_log_call(call) || callee_name(*call) == "__init__");
}

bool counts(const Step& step) {
  const auto* thrown = as<ExprStmt>(step.node);
  return tells_itself(step) && !is_idiom(step) && !is<FunctionDef>(step.node) && !is<ClassDef>(step.node) &&
         (thrown == nullptr || !is<Constant>(thrown->value));
}

Counts counts_of(const std::vector<Step>& steps) {
  Counts out;
  for (const Step& step : steps) {
    if (counts(step)) ++out[step.fingerprint];
  }
  return out;
}

/// What the function does now and did not before.
struct Fresh {
  Counts counts;
  /// Of each of them what stands around it, as it was: its old form, or the statements before and behind it.
  std::vector<std::vector<std::uint64_t>> around;
};

/// The statements next to a new one that were there before.
std::vector<std::uint64_t> neighbours_of(const std::vector<Step>& steps, std::size_t index) {
  std::vector<std::uint64_t> out;
  const auto is_old = [&](const Step& step) { return step.status == StepStatus::kKept && counts(step); };
  for (std::size_t i = index; i-- > 0;) {
    if (!is_old(steps[i])) continue;
    out.push_back(steps[i].fingerprint);
    break;
  }
  for (std::size_t i = index + 1; i < steps.size(); ++i) {
    if (!is_old(steps[i])) continue;
    out.push_back(steps[i].fingerprint);
    break;
  }
  return out;
}

/// Empty where a step came from another function.
Fresh fresh_of(const Actor& actor) {
  Fresh out;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    const Step& step = actor.steps.after[i];
    if (step.status == StepStatus::kKept || step.is_moved) continue;
    if (step.elsewhere != nullptr || step.taken_from != nullptr || step.inlined != nullptr) return {};
    const bool is_changed = step.status == StepStatus::kChanged;
    if (is_changed && (!step.renames.empty() || step.swaps_call || step.partner == Step::kNone ||
                       only_names_differ(actor, step) || only_names_value(actor, step)))
      continue;
    if (!counts(step)) continue;
    ++out.counts[step.fingerprint];
    out.around.push_back(is_changed ? std::vector{actor.steps.before[step.partner].fingerprint}
                                    : neighbours_of(actor.steps.after, i));
  }
  return out;
}

/// Whether something new has its place in the copy, too.
bool has_place(const Counts& copy, const Fresh& fresh) {
  return std::any_of(fresh.around.begin(), fresh.around.end(), [&](const std::vector<std::uint64_t>& around) {
    return !around.empty() &&
           std::all_of(around.begin(), around.end(), [&](std::uint64_t one) { return copy.contains(one); });
  });
}

/// The longest names of the text, each once: what few other functions have.
std::vector<std::string_view> telling_names(std::string_view text) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string_view> out;
  for_each_name(text, [&](std::string_view one) {
    if (one.front() >= '0' && one.front() <= '9') return;
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  });
  std::stable_sort(out.begin(), out.end(), [](std::string_view a, std::string_view b) { return a.size() > b.size(); });
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

/// Whether at least half of the names are there.
template <class Has>
bool has_half(const std::vector<std::string_view>& names, const Has& has) {
  const auto there = static_cast<std::size_t>(std::count_if(names.begin(), names.end(), has));
  return there * 2 >= names.size();
}

/// Whether the change edits the function, or brings it.
bool is_touched(const DocumentInputs& inputs, FunctionId function) {
  for (; function.valid(); function = inputs.after->functions()[function].enclosing) {
    const auto& entities = inputs.change->entities;
    if (std::any_of(entities.begin(), entities.end(), [&](const change::EntityChange& one) {
          return one.after && one.after->function == function && !one.is_cosmetic();
        }))
      return true;
  }
  return false;
}

struct Copy {
  FunctionId function;
  std::size_t common = 0;  ///< Statements of the changed function, as it was, that it has.
  std::size_t all = 0;     ///< Of the longer of both.
  std::size_t fresh = 0;   ///< Of those that are new there.
  bool has_place = false;  ///< What is new there stands between statements that it has, too.
};

/// Whether the actor is a function outside tests of which both sides are known and which gets something new.
bool is_edited_function(const Actor& actor) {
  return actor.role != Role::kTest && actor.role != Role::kCosmetic && actor.is_function() && !actor.is_module_code &&
         !actor.is_added() && !actor.is_removed() && actor.steps.before_source != nullptr &&
         actor.steps.after_source != nullptr && actor.change->after->function.valid() &&
         is<FunctionDef>(actor.change->before->node);
}

std::optional<Copy> compared(const program::Program& program, FunctionId function, const Counts& before,
                             const Fresh& fresh) {
  const FunctionDef& def = *program.functions()[function].def();
  const Counts own = counts_of(steps_of(def, source_of(program, function)));
  const std::size_t longer = std::max(total_of(own), total_of(before));
  const std::size_t common = common_of(own, before);
  if (common < kFewestCommon || common * 10 < longer * kLeastOfTen) return std::nullopt;
  return Copy{function, common, longer, common_of(fresh.counts, own), has_place(own, fresh)};
}

/// Functions outside tests that are largely what the changed one was, the most alike first.
std::vector<Copy> copies_of(const DocumentInputs& inputs, const Actor& actor, const Fresh& fresh) {
  std::vector<Copy> out;
  const Counts before = counts_of(actor.steps.before);
  if (total_of(before) < kFewestCommon) return out;
  const program::Program& program = *inputs.after;
  const FunctionId self = actor.change->after->function;
  const Span span = actor.change->before->node->span;
  const std::string_view text = actor.steps.before_source->slice(span);
  const std::vector<std::string_view> names = telling_names(text);
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    const bool is_aside = program::is_helper_path(module.path) && !program::is_helper_path(actor.change->after->path);
    if (program::is_test_path(module.path) || is_aside ||
        !has_half(names, [&](std::string_view one) { return module.facts->has_name(one); }))
      continue;
    for (const FunctionId function : module.functions) {
      const FunctionDef* def = program.functions()[function].def();
      if (def == nullptr || function == self || def->span.size() > 3 * span.size() ||
          3 * def->span.size() < span.size())
        continue;
      const std::string_view own = module.facts->source().slice(def->span);
      if (!has_half(names, [&](std::string_view one) { return find_name(own, one) != std::string_view::npos; }) ||
          is_touched(inputs, function))
        continue;
      if (const auto copy = compared(program, function, before, fresh)) out.push_back(*copy);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Copy& a, const Copy& b) { return a.common * b.all > b.common * a.all; });
  return out;
}

std::string name_with_place(const program::Program& program, const Copy& copy) {
  return fmt::format("{} ({}, {} of {} statements)", code(short_name(program, copy.function)),
                     place_of(program, copy.function), copy.common, copy.all);
}

/// Whether it stands in the place of the changed method: that is told as such.
bool is_override(const program::Program& program, FunctionId changed, FunctionId copy) {
  const program::Function& a = program.functions()[changed];
  const program::Function& b = program.functions()[copy];
  return a.name == b.name && program::are_kin(program, a.owner, b.owner);
}

}  // namespace

void add_near_copies(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  std::size_t told = 0;
  std::size_t looked = 0;
  for (const Actor& actor : story.actors) {
    if (!is_edited_function(actor)) continue;
    if (told == kMostQuestions || looked++ == kMostActors) return;
    const Fresh fresh = fresh_of(actor);
    if (fresh.counts.empty()) continue;
    const std::string name = code(short_name(inputs, *actor.change));
    std::vector<std::string> copies;
    std::size_t more = 0;
    bool has_namesake = false;
    for (const Copy& copy : copies_of(inputs, actor, fresh)) {
      const std::string own = code(short_name(*inputs.after, copy.function));
      const bool is_told = std::any_of(risks.begin(), risks.end(), [&](const Risk& risk) {
        return contains(risk.concern, name) && contains(risk.concern, own) && own != name;
      });
      if (copy.fresh > 0 || !copy.has_place || is_told ||
          is_override(*inputs.after, actor.change->after->function, copy.function))
        continue;
      has_namesake = has_namesake || own == name;
      if (copies.size() < kMostCopies) {
        copies.push_back(name_with_place(*inputs.after, copy));
      } else {
        ++more;
      }
    }
    if (copies.empty()) continue;
    ++told;
    const bool is_one = copies.size() + more == 1;
    if (more > 0) copies.push_back(fmt::format("{} more", more));
    const std::string concern = fmt::format(
        "{} {} largely the code that {} was, and {} none of what is new in it.", join_words(copies),
        is_one ? "is" : "are", has_namesake ? fmt::format("{} ({})", name, place_of(inputs, *actor.change)) : name,
        is_one ? "has" : "have");
    const std::string asked = is_one ? "Should it get that, too?" : "Should they get that, too?";
    risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
  }
}

std::string had_by_copies(const DocumentInputs& inputs, const Actor& actor) {
  if (!is_edited_function(actor)) return {};
  const Fresh fresh = fresh_of(actor);
  if (fresh.counts.empty()) return {};
  std::vector<std::string> copies;
  for (const Copy& copy : copies_of(inputs, actor, fresh)) {
    if (copy.fresh == total_of(fresh.counts) && copies.size() < kMostCopies)
      copies.push_back(name_with_place(*inputs.after, copy));
  }
  if (copies.empty()) return {};
  return fmt::format(" What is new in it stood already in {}, which {} largely the code that it was.",
                     join_words(copies), copies.size() == 1 ? "is" : "are");
}

}  // namespace lockstep::report
