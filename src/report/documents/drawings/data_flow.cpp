// How data passes through one function, as a diagram (drawings.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/drawings/alike_nodes.h"
#include "report/documents/drawings/data_names.h"
#include "report/documents/drawings/data_sides.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/drawings/drawn_arguments.h"
#include "report/documents/drawings/reaching_values.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/source/apis.h"
#include "report/story/wording/choice_words.h"
#include "report/story/wording/contract.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostData = 15;  ///< Nodes.

class DataFlow {
 public:
  /// `side`: the header of the side of a choice that is taken; `untaken`: steps of those that are not.
  DataFlow(const Actor& actor, WordsContext context, std::size_t side = Step::kNone, std::set<std::size_t> untaken = {})
      : actor_(actor),
        context_(context),
        contract_(contract_of(context)),
        choices_(actor),
        side_(side),
        untaken_(std::move(untaken)),
        flow_(actor.steps.after, *context.source, untaken_) {
    for (const ChoiceChain& chain : choices_.chains()) {
      for (const Alternative& one : chain.after) {
        const std::size_t at =
            one.act.statement == nullptr ? Step::kNone : step_of(actor.steps.after, one.act.statement);
        if (at != Step::kNone) (ChoiceChain::is_new(one) ? new_acts_ : standing_acts_).insert(at);
      }
    }
    for (const ContractInput& input : contract_.inputs) {
      std::string label = input.name;
      if (!input.type.empty()) label += ": " + input.type;
      if (!input.shape.empty()) label += " " + input.shape;
      inputs_[bare(input.name)] = label;
    }
    for (const ShapeFact& fact : contract_.shapes) {
      if (!fact.shape.empty()) shapes_[fact.line] = fact.shape;
    }
  }

  std::optional<Flowchart> run() {
    const std::vector<Step>& steps = actor_.steps.after;
    const std::set<std::size_t> wanted = relevant(steps);
    left_ = wanted.size();
    for (const std::size_t i : wanted) {
      --left_;
      // Where ranks meet is drawn as long as there is room for it at all.
      const bool meets = collective_at(context_, value_of(steps[i])) != nullptr;
      if (chart_.nodes.size() + (meets ? 0 : 2) < kMostData) add(i);
    }
    if (chart_.nodes.size() < 2 || chart_.edges.empty()) return std::nullopt;
    if (!choices_.chains().empty()) drop_dead_ends();
    drop_unconnected();
    if (chart_.nodes.size() < 2) return std::nullopt;
    return std::move(chart_);
  }

 private:
  /// Of a function that chooses: locals that what is drawn does not take, and what only they take.
  void drop_dead_ends() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < chart_.nodes.size(); ++i) {
        const auto leaves = [&](const FlowEdge& edge) { return edge.from == i; };
        const auto comes = [&](const FlowEdge& edge) { return edge.to == i; };
        if (!locals_.contains(i) || std::any_of(chart_.edges.begin(), chart_.edges.end(), leaves)) continue;
        again = std::erase_if(chart_.edges, comes) > 0 || again;
      }
    }
  }

  /// Whether a return of the function gives the name, alone or with others.
  [[nodiscard]] bool is_returned(const std::string& name) const {
    return std::any_of(actor_.steps.after.begin(), actor_.steps.after.end(), [&](const Step& step) {
      if (!is<Return>(step.node) || value_of(step) == nullptr) return false;
      std::vector<std::string> given;
      names_in(*value_of(step), given);
      return std::find(given.begin(), given.end(), name) != given.end();
    });
  }

  /// Nodes that no arrow touches tell nothing of the flow.
  void drop_unconnected() {
    std::vector<bool> used(chart_.nodes.size());
    for (const FlowEdge& edge : chart_.edges) used[edge.from] = used[edge.to] = true;
    std::vector<std::size_t> place(chart_.nodes.size());
    std::vector<FlowNode> kept;
    for (std::size_t i = 0; i < chart_.nodes.size(); ++i) {
      place[i] = kept.size();
      if (used[i]) kept.push_back(std::move(chart_.nodes[i]));
    }
    chart_.nodes = std::move(kept);
    for (FlowEdge& edge : chart_.edges) {
      edge.from = place[edge.from];
      edge.to = place[edge.to];
    }
  }

  static std::string bare(std::string_view name) {
    while (name.starts_with("*")) name.remove_prefix(1);
    return std::string(name);
  }

  static const Expr* value_of(const Step& step) {
    if (step.kind == StepKind::kFor) return as<For>(step.node)->iterable;
    if (step.kind != StepKind::kPlain) return nullptr;
    if (const auto* assign = as<Assign>(step.node)) return assign->value;
    if (const auto* assign = as<AnnAssign>(step.node)) return assign->value;
    if (const auto* assign = as<AugAssign>(step.node)) return assign->value;
    if (const auto* statement = as<Return>(step.node)) return statement->value;
    if (const auto* expression = as<ExprStmt>(step.node)) return as<Call>(expression->value);
    return nullptr;
  }

  std::vector<std::string> targets_of(const Step& step) const {
    std::vector<std::string> out;
    if (const auto* assign = as<Assign>(step.node); assign != nullptr && step.kind == StepKind::kPlain) {
      for (const Expr* target : assign->targets) add_bound(*context_.source, target, out);
    }
    if (const auto* assign = as<AnnAssign>(step.node)) add_bound(*context_.source, assign->target, out);
    if (const auto* assign = as<AugAssign>(step.node)) add_bound(*context_.source, assign->target, out);
    if (step.kind == StepKind::kFor) add_bound(*context_.source, as<For>(step.node)->target, out);
    return out;
  }

  /// Changed steps that move data, and the steps around that feed them or use what they make.
  std::set<std::size_t> relevant(const std::vector<Step>& steps) const {
    std::set<std::size_t> wanted;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool changed = steps[i].status != StepStatus::kKept;
      if (!changed || value_of(steps[i]) == nullptr || untaken_.contains(i)) continue;
      if (actor_.is_added() && !moves_tensors(steps[i]) && !is<Return>(steps[i].node)) continue;
      wanted.insert(i);
    }
    // What only feeds a check is no part of the flow.
    for (auto at = wanted.begin(); at != wanted.end() && wanted.size() > 2;)
      at = is_used_on(steps, *at) ? std::next(at) : wanted.erase(at);
    while (wanted.size() > 7) wanted.erase(least_telling(steps, wanted));
    if (wanted.empty()) return wanted;
    const std::set<std::size_t> core = wanted;
    std::set<std::string> results;
    for (const std::size_t i : core) {
      for (std::string& target : targets_of(steps[i])) results.insert(std::move(target));
    }
    // One round of neighbours, nearest first: kept collectives, shape changes and returns of the same names.
    for (std::size_t i = 0; i < steps.size() && wanted.size() < 9; ++i) {
      if (wanted.contains(i) || value_of(steps[i]) == nullptr || standing_acts_.contains(i) || untaken_.contains(i))
        continue;
      if (!moves_tensors(steps[i]) && !is<Return>(steps[i].node)) continue;
      // What takes a result, also when another gave it anew, makes what a changed step takes, or is another that makes
      // what it makes; what no way joins with them has nothing of theirs.
      const bool takes = std::any_of(wanted.begin(), wanted.end(), [&](std::size_t one) {
        return std::any_of(results.begin(), results.end(),
                           [&](const std::string& name) { return makes(one, name) && hands_on(one, i, name); });
      });
      const bool is_joined = takes || std::any_of(core.begin(), core.end(),
                                                  [&](std::size_t one) { return hands_on(i, one) || meet(i, one); });
      if (is_joined) wanted.insert(i);
    }
    return wanted;
  }

  /// Whether step `to` may take what step `from` makes.
  [[nodiscard]] bool hands_on(std::size_t from, std::size_t to) const {
    const std::vector<std::string> made = targets_of(actor_.steps.after[from]);
    return std::any_of(made.begin(), made.end(), [&](const std::string& name) { return hands_on(from, to, name); });
  }

  [[nodiscard]] bool hands_on(std::size_t from, std::size_t to, const std::string& name) const {
    const Step& taking = actor_.steps.after[to];
    if (value_of(taking) == nullptr || from >= to) return false;
    std::vector<std::string> used;
    names_in(*value_of(taking), used);
    if (is<AugAssign>(taking.node)) used.push_back(targets_of(taking).front());
    return std::find(used.begin(), used.end(), name) != used.end() && flow_.reaches(from, to, name) &&
           !exclude(from, to);
  }

  [[nodiscard]] bool makes(std::size_t index, const std::string& name) const {
    const std::vector<std::string> made = targets_of(actor_.steps.after[index]);
    return std::find(made.begin(), made.end(), name) != made.end();
  }

  /// Whether two steps make one name, and a step that takes it may get it from either.
  [[nodiscard]] bool meet(std::size_t one, std::size_t other) const {
    const std::vector<std::string> made = targets_of(actor_.steps.after[one]);
    return std::any_of(made.begin(), made.end(), [&](const std::string& name) {
      if (!makes(other, name)) return false;
      for (std::size_t i = std::max(one, other) + 1; i < actor_.steps.after.size(); ++i) {
        if (hands_on(one, i, name) && hands_on(other, i, name)) return true;
      }
      return false;
    });
  }

  /// Whether a step communicates, returns, writes what outlives the function, or makes what a later step that moves
  /// data takes.
  bool is_used_on(const std::vector<Step>& steps, std::size_t i) const {
    if (is<Return>(steps[i].node) || collective_at(context_, value_of(steps[i])) != nullptr) return true;
    const std::vector<std::string> made = targets_of(steps[i]);
    if (made.empty()) return true;
    for (const std::string& name : made) {
      if (name.find_first_of(".[") != std::string::npos) return true;
      for (std::size_t j = 0; j < steps.size(); ++j) {
        const bool leads_out = steps[j].kind == StepKind::kPlain && is<Raise>(steps[j].node);
        if (j == i || leads_out || value_of(steps[j]) == nullptr) continue;
        std::vector<std::string> used;
        names_in(*value_of(steps[j]), used);
        const std::string inner = name + ".";
        if (std::any_of(used.begin(), used.end(),
                        [&](const std::string& one) { return one == name || one.starts_with(inner); }))
          return true;
      }
    }
    return false;
  }

  /// The wanted step that says least of the data: neither communicates nor shapes nor returns; the last of those.
  std::size_t least_telling(const std::vector<Step>& steps, const std::set<std::size_t>& wanted) const {
    std::size_t least = *wanted.begin();
    int lowest = 100;
    for (const std::size_t i : wanted) {
      int score = 0;
      if (collective_at(context_, value_of(steps[i])) != nullptr) score += 8;
      if (shapes_.contains(steps[i].first_line)) score += 4;
      if (moves_tensors(steps[i])) score += 3;
      if (is<Return>(steps[i].node)) score += 4;
      if (is<Constant>(value_of(steps[i]))) score -= 2;
      if (new_acts_.contains(i)) score += 8;
      if (score <= lowest) {
        lowest = score;
        least = i;
      }
    }
    return least;
  }

  bool moves_tensors(const Step& step) const {
    const auto* call = as<Call>(value_of(step));
    if (call == nullptr) return shapes_.contains(step.first_line);
    if (collective_at(context_, call) != nullptr || shapes_.contains(step.first_line) || is_launch(call)) return true;
    if (!callees_of(*context_.program, call).empty()) return true;
    const std::string_view external = external_callee(*context_.program, call);
    return known_api(external) != nullptr ||
           (is<Attribute>(call->callee) && known_method(callee_name(*call)) != nullptr);
  }

  /// The nodes that may have made what `name` is at the step that is being drawn: the last one before it, and where
  /// that stands in a branch, those before that branch; none of the other side of a branch around the step.
  std::vector<std::size_t> makers_of(const std::string& name) const {
    constexpr std::size_t kMost = 3;
    const std::vector<Step>& steps = actor_.steps.after;
    std::vector<std::size_t> out;
    const auto known = latest_.find(name);
    if (known == latest_.end()) return out;
    std::vector<std::size_t> taken;
    for (auto made = known->second.rbegin(); made != known->second.rend() && out.size() < kMost; ++made) {
      if (!gets_here(made->step, name) || std::find(taken.begin(), taken.end(), made->step) != taken.end()) continue;
      // Where a later one surely runs behind it, it does not get here.
      const auto is_behind = [&](std::size_t later) {
        return made->step != Step::kNone && is_around(steps[later].parent, made->step) &&
               flow_.reaches(made->step, later, name);
      };
      if (std::any_of(taken.begin(), taken.end(), is_behind)) continue;
      out.push_back(made->node);
      if (made->step == Step::kNone || is_around(steps[made->step].parent, now_)) break;
      taken.push_back(made->step);
    }
    return out;
  }

  /// Whether `name` may be at the step that is being drawn what the other step made it; none: what comes in.
  [[nodiscard]] bool gets_here(std::size_t maker, const std::string& name) const {
    return flow_.reaches(maker, now_, name) && (maker == Step::kNone || !exclude(maker, now_));
  }

  /// The conditions that hold at a step, with whether they are negated: of the branches around it that ask for what the
  /// function does not assign.
  [[nodiscard]] std::map<std::string, bool> conditions_at(std::size_t index) const {
    const std::vector<Step>& steps = actor_.steps.after;
    std::map<std::string, bool> out;
    for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
      std::size_t owner = up;
      const bool is_else = steps[up].kind == StepKind::kElse;
      // Of an `else` the branch that ends right before it; with an `elif` between, more than one must not hold.
      for (std::size_t i = 0; i < up && is_else; ++i) {
        if (steps[i].kind == StepKind::kIf && !steps[i].is_elif && steps[i].parent == steps[up].parent &&
            end_of(steps, i) == up)
          owner = i;
      }
      const auto* branch = steps[owner].kind == StepKind::kIf ? as<If>(steps[owner].node) : nullptr;
      if (branch != nullptr) out.emplace(one_line_whole(*context_.source, branch->condition->span), is_else);
    }
    return out;
  }

  /// Whether one of two steps runs only where a condition holds, the other only where the same one does not: in two
  /// branches on one thing.
  [[nodiscard]] bool exclude(std::size_t one, std::size_t other) const {
    const std::map<std::string, bool> first = conditions_at(one);
    const std::map<std::string, bool> second = conditions_at(other);
    return std::any_of(first.begin(), first.end(), [&](const auto& condition) {
      const auto same = second.find(condition.first);
      return same != second.end() && same->second != condition.second && is_constant_here(condition.first);
    });
  }

  /// Whether no step gives anything that the words name.
  [[nodiscard]] bool is_constant_here(const std::string& words) const {
    return std::none_of(actor_.steps.after.begin(), actor_.steps.after.end(), [&](const Step& step) {
      const std::vector<std::string> targets = targets_of(step);
      return std::any_of(targets.begin(), targets.end(),
                         [&](const std::string& target) { return find_name(words, target) != std::string::npos; });
    });
  }

  /// Whether the block `parent` (none: the function's body) holds step `index`.
  bool is_around(std::size_t parent, std::size_t index) const {
    if (parent == Step::kNone) return true;
    // The side that is drawn is taken.
    if (parent == side_) return is_around(actor_.steps.after[parent].parent, index);
    for (std::size_t up = actor_.steps.after[index].parent; up != Step::kNone; up = actor_.steps.after[up].parent) {
      if (up == parent) return true;
    }
    return false;
  }

  /// The last step before the one that is being drawn that may have made what `name` is there.
  [[nodiscard]] std::size_t step_that_makes(const std::string& name) const {
    const std::vector<Step>& steps = actor_.steps.after;
    for (std::size_t i = now_; i-- > 0;) {
      if (value_of(steps[i]) == nullptr || is<AugAssign>(steps[i].node) || untaken_.contains(i)) continue;
      const std::vector<std::string> made = targets_of(steps[i]);
      if (std::find(made.begin(), made.end(), name) == made.end()) continue;
      const bool is_loop_over = steps[i].kind == StepKind::kFor && !holds(i, now_);
      if (!is_loop_over && gets_here(i, name)) return i;
    }
    return Step::kNone;
  }

  [[nodiscard]] bool holds(std::size_t block, std::size_t index) const {
    return index > block && index < end_of(actor_.steps.after, block);
  }

  /// In the order of the code; what comes in stands first.
  void remember(const std::string& name, std::size_t node, std::size_t step) {
    std::vector<Made>& made = latest_[name];
    const auto place = std::find_if(made.begin(), made.end(), [&](const Made& one) {
      return step == Step::kNone || (one.step != Step::kNone && one.step > step);
    });
    made.insert(place, {node, step});
  }

  /// The steps that give the name what it may be at the one that is being drawn, where all of that are containers or
  /// tensors without contents.
  [[nodiscard]] std::vector<std::size_t> empty_starts_of(const std::string& name) const {
    const std::vector<Step>& steps = actor_.steps.after;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < now_; ++i) {
      const Expr* value = value_of(steps[i]);
      if (value == nullptr || is<AugAssign>(steps[i].node) || steps[i].kind == StepKind::kFor || untaken_.contains(i))
        continue;
      const std::vector<std::string> made = targets_of(steps[i]);
      if (std::find(made.begin(), made.end(), name) == made.end() || !flow_.reaches(i, now_, name)) continue;
      const auto* list = as<python::List>(value);
      const auto* dict = as<Dict>(value);
      const bool is_empty =
          (list != nullptr && list->elements.empty()) || (dict != nullptr && dict->values.empty()) || allocates(value);
      // What holds something in one of the cases is drawn by that.
      if (!is_empty) return {};
      out.push_back(i);
    }
    return out;
  }

  /// Draws what fills the container between a start of it and the step that is being drawn.
  void add_fillers(const std::string& name) {
    constexpr std::size_t kMost = 2;
    const std::vector<std::size_t> starts = empty_starts_of(name);
    if (starts.empty() || depth_ >= kMostDepth) return;
    const std::size_t now = now_;
    std::size_t told = 0;
    for (std::size_t i = starts.front() + 1; i < now && told < kMost; ++i) {
      const Step& step = actor_.steps.after[i];
      const Expr* filled = changed_in_place(step);
      const bool is_started = std::any_of(
          starts.begin(), starts.end(), [&](std::size_t start) { return start < i && flow_.reaches(start, i, name); });
      if (filled == nullptr || untaken_.contains(i) || one_line(*context_.source, *filled, 40) != name ||
          drawn_.contains(i) || !is_started || !flow_.reaches(i, now, name) ||
          chart_.nodes.size() + left_ + left_ / 2 + 2 >= kMostData)
        continue;
      ++depth_;
      add(i);
      --depth_;
      now_ = now;
      ++told;
    }
  }

  std::vector<std::size_t> data_nodes(const std::string& name) {
    if (!only_known_) add_fillers(name);
    std::vector<std::size_t> known = makers_of(name);
    if (!known.empty() || only_known_) return known;
    const bool has_room = chart_.nodes.size() + 2 <= kMostData;  // The step itself needs the last one.
    // What the function makes itself does not come in: the step that makes it is drawn, too, with what it takes where
    // there is room for that.
    if (const std::size_t maker = step_that_makes(name); maker != Step::kNone && has_room) {
      const std::size_t now = now_;
      only_known_ = depth_ >= kMostDepth || chart_.nodes.size() + left_ + left_ / 2 + 2 >= kMostData;
      ++depth_;
      add(maker);
      --depth_;
      only_known_ = false;
      now_ = now;
      known = makers_of(name);
      if (!known.empty()) return known;
    }
    if (!has_room) return {};
    const bool comes_in = flow_.reaches(Step::kNone, now_, name);
    const auto input = comes_in ? inputs_.find(name) : inputs_.end();
    const std::string label = input != inputs_.end() ? "in: " + input->second : name;
    const NodeShape shape = name.starts_with("self.")                                      ? NodeShape::kStore
                            : input == inputs_.end() && assigned_anywhere().contains(name) ? NodeShape::kBox
                                                                                           : NodeShape::kData;
    chart_.nodes.push_back({label, shape, Mark::kNone, SIZE_MAX});
    remember(name, chart_.nodes.size() - 1, comes_in ? Step::kNone : flow_.last_binding(name, now_));
    return {chart_.nodes.size() - 1};
  }

  /// Whether a call launches a kernel: `kernel[grid](x, out, …)`, which returns nothing and writes what it is given.
  static bool is_launch(const Expr* value) {
    const auto* call = as<Call>(value);
    const auto* launched = call == nullptr ? nullptr : as<Subscript>(call->callee);
    if (launched == nullptr) return false;
    const auto* grid = as<Name>(launched->index);
    return is<Tuple>(launched->index) || is<Lambda>(launched->index) || (grid != nullptr && contains(grid->id, "grid"));
  }

  /// `torch.empty(…)`, `x.new_zeros(…)`: a tensor without contents.
  static bool allocates(const Expr* value) {
    static constexpr std::string_view kAllocates[] = {"empty",     "empty_like", "empty_strided", "new_empty",
                                                      "new_zeros", "zeros",      "zeros_like"};
    const auto* call = as<Call>(value);
    return call != nullptr &&
           std::find(std::begin(kAllocates), std::end(kAllocates), callee_name(*call)) != std::end(kAllocates);
  }

  /// Tensors without contents that were made before and that a launch is given: only it can fill them.
  std::vector<std::string> filled_by(const Expr& launch) const {
    std::vector<std::string> out;
    const auto look = [&](const Expr* argument) {
      const auto* name = as<Name>(argument);
      const auto made = name == nullptr ? latest_.end() : latest_.find(std::string(name->id));
      if (made == latest_.end() || made->second.back().step == Step::kNone) return;
      if (allocates(value_of(actor_.steps.after[made->second.back().step]))) out.push_back(made->first);
    };
    for (const Expr* argument : as<Call>(&launch)->arguments) look(argument);
    for (const Keyword* keyword : as<Call>(&launch)->keywords) look(keyword->value);
    return out;
  }

  /// The data that an expression's names stand for, leaving out modules, constants and configuration.
  std::vector<std::size_t> sources_of(const Expr& value) {
    std::vector<std::string> used;
    names_in(value, used);
    std::size_t most = 3;  // New nodes for it.
    if (is_launch(&value)) {
      // What it fills is a part of what it is given.
      const std::vector<std::string> filled = filled_by(value);
      most += filled.size();
      used.insert(used.begin(), filled.begin(), filled.end());
    }
    std::vector<std::size_t> out;
    std::size_t fresh = 0;
    const std::vector<std::string> new_names = names_that_come();
    for (const std::string& name : used) {
      const bool drawn = latest_.contains(name);
      const bool is_input = inputs_.contains(name);
      const std::string root = name.substr(0, name.find('.'));
      const bool local = assigned_anywhere().contains(name);
      const bool comes = std::find(new_names.begin(), new_names.end(), name) != new_names.end();
      const bool is_of_known = inputs_.contains(root) ||
                               (!rules::describes_tensor(name.substr(name.rfind('.') + 1)) && !makers_of(root).empty());
      if (!drawn && !is_input && !local && !comes && !(is_of_known && root != "self" && !is_config(name))) continue;
      if (is_config(name) && !comes) continue;
      const std::size_t count = chart_.nodes.size();
      if (fresh >= most && !drawn) continue;
      for (const std::size_t node : data_nodes(drawn || is_input || local || comes ? name : root)) {
        if (std::find(out.begin(), out.end(), node) == out.end()) out.push_back(node);
      }
      fresh += chart_.nodes.size() - count;
      constexpr std::size_t kMostEdges = 6;
      if (out.size() >= kMostEdges) break;
    }
    return out;
  }

  /// The names that the step which is being drawn reads and its old version did not; none of other steps.
  [[nodiscard]] std::vector<std::string> names_that_come() const {
    const Step& step = actor_.steps.after[now_];
    if (step.status != StepStatus::kChanged || step.partner >= actor_.steps.before.size()) return {};
    const Expr* was = value_of(actor_.steps.before[step.partner]);
    if (was == nullptr || value_of(step) == nullptr) return {};
    std::vector<std::string> before;
    names_in(*was, before);
    std::vector<std::string> now;
    names_in(*value_of(step), now);
    std::erase_if(now, [&](const std::string& name) {
      return name == "self" || name == "cls" || std::find(before.begin(), before.end(), name) != before.end();
    });
    return now;
  }

  static bool is_config(const std::string& name) {
    return contains(name, "config") || contains(name, "args.") || name == "args";
  }

  const std::set<std::string>& assigned_anywhere() {
    if (assigned_.empty()) {
      for (const Step& step : actor_.steps.after) {
        for (std::string& target : targets_of(step)) assigned_.insert(std::move(target));
      }
      assigned_.insert("");
    }
    return assigned_;
  }

  /// The value of a step, short; of a call that the change touches with the arguments that differ.
  [[nodiscard]] std::string value_text(std::size_t index, std::size_t limit) const {
    const Step& step = actor_.steps.after[index];
    const std::string text = one_line(*context_.source, *value_of(step), limit);
    const Call* call = call_of_step(step);
    if (call == nullptr) return text;
    std::string told = told_call(actor_, index, text, one_line(*context_.source, *call->callee, limit), 2);
    return told.empty() ? text : told;
  }

  void add(std::size_t index) {
    const Step& step = actor_.steps.after[index];
    now_ = index;
    const Expr* value = value_of(step);
    if (value == nullptr || !drawn_.insert(index).second) return;
    std::vector<std::size_t> sources = sources_of(*value);
    std::vector<std::string> targets = targets_of(step);
    if (is<AugAssign>(step.node) && !targets.empty()) {
      for (const std::size_t maker : makers_of(targets.front())) sources.insert(sources.begin(), maker);
    }
    const mesh::CollectiveSite* site = collective_at(context_, value);
    std::string label;
    NodeShape shape = NodeShape::kBox;
    if (is<Return>(step.node)) {
      label = "return " + value_text(index, 44);
      shape = NodeShape::kRounded;
    } else if (site != nullptr) {
      label = unmarked(collective_words(*site, *context_.mesh));
      shape = NodeShape::kCommunication;
    } else {
      for (const std::string& target : targets) label += (label.empty() ? "" : ", ") + target;
      if (step.kind == StepKind::kFor && !label.empty()) label = "each " + label;
      if (targets.size() > 3) label = targets[0] + ", " + targets[1] + ", \u2026";
      const auto shape_text = shapes_.find(step.first_line);
      if (shape_text != shapes_.end()) label += " " + shape_text->second;
      if (label.empty()) label = value_text(index, 50);
    }
    const bool is_local = !is<Return>(step.node) && site == nullptr && !targets.empty() &&
                          std::none_of(targets.begin(), targets.end(), [&](const std::string& one) {
                            return one.find_first_of(".[") != std::string::npos || is_returned(one);
                          });
    const Mark mark = actor_.is_added() ? Mark::kNone : mark_of(drawn_status(step));
    if (sources.empty() && !is<Return>(step.node) && site == nullptr && !targets.empty()) {
      const auto* augmented = as<AugAssign>(step.node);
      const std::string sign =  // As it stands between the two: "-=".
          augmented == nullptr
              ? std::string("=")
              : std::string(trim(context_.source->slice({augmented->target->span.end, augmented->value->span.begin})));
      label += (step.kind == StepKind::kFor ? "\nof " : "\n" + sign + " ") + value_text(index, 44);
    }
    chart_.nodes.push_back({label, shape, mark, SIZE_MAX});
    const std::size_t here = chart_.nodes.size() - 1;
    if (is_local) locals_.insert(here);
    const std::string edge = is<Return>(step.node) || site != nullptr ? "" : operation(*value);
    for (const std::size_t source : sources) {
      if (source != here) chart_.edges.push_back({source, here, edge, EdgeStyle::kSolid});
    }
    for (const std::string& target : targets) remember(target, here, index);
    if (targets.empty() && site != nullptr) {
      // In place: what was communicated is the same tensor from here on.
      const auto* call = as<Call>(value);
      if (call != nullptr && !call->arguments.empty())
        remember(one_line(*context_.source, *call->arguments.front(), 40), here, index);
    }
    if (targets.empty() && is_launch(value) && !is<Return>(step.node)) {
      for (const std::string& name : filled_by(*value)) remember(name, here, index);
    } else if (targets.empty() && site == nullptr) {
      if (const Expr* changed = changed_in_place(step)) remember(one_line(*context_.source, *changed, 40), here, index);
    }
  }

  /// What a statement changes in place: `x` of `x.logical_and_(y)`, torch's way of naming such methods, and of
  /// `x.append(y)`; null for others.
  static const Expr* changed_in_place(const Step& step) {
    const auto* statement = step.kind == StepKind::kPlain ? as<ExprStmt>(step.node) : nullptr;
    const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (method == nullptr) return nullptr;
    const std::string_view name = method->name.text;
    return rules::works_in_place(name) || rules::fills(name) ? method->value : nullptr;
  }

  /// "view", "torch.zeros", "a + b": what makes the target from its sources.
  std::string operation(const Expr& value) const {
    if (const auto* call = as<Call>(&value)) {
      // Of `f(x).cuda()` the call that takes `x`.
      while (call->arguments.empty() && call->keywords.empty()) {
        const auto* method = as<Attribute>(call->callee);
        const auto* inner = method == nullptr ? nullptr : as<Call>(method->value);
        if (inner == nullptr) break;
        call = inner;
      }
      const std::string name(callee_name(*call));
      if (name == "view" || name == "reshape" || name == "permute" || name == "transpose" || name == "chunk" ||
          name == "split")
        return one_line(*context_.source,
                        Span{static_cast<std::uint32_t>(call->callee->span.end - name.size()), call->span.end}, 40);
      return name.empty() ? std::string() : name;
    }
    if (is<BinOp>(&value) || is<Compare>(&value) || is<Subscript>(&value) || is<IfExp>(&value))
      return one_line(*context_.source, value, 36);
    return {};
  }

  const Actor& actor_;
  WordsContext context_;
  Contract contract_;
  ToldChoices choices_;
  std::size_t side_;               ///< The header of the side that is drawn; none: there is no choice.
  std::set<std::size_t> untaken_;  ///< Steps of sides that are not drawn.
  ReachingValues flow_;
  std::set<std::size_t> new_acts_;       ///< What new alternatives come to.
  std::set<std::size_t> standing_acts_;  ///< What those beside them do.
  std::set<std::size_t> locals_;         ///< Nodes of what only the function itself sees.
  std::map<std::string, std::string> inputs_;
  std::map<std::uint32_t, std::string> shapes_;
  /// A node that holds a value of some name, and the step that made it; none for what comes in.
  struct Made {
    std::size_t node;
    std::size_t step;
  };
  std::map<std::string, std::vector<Made>> latest_;  ///< By name, in the order of the code.
  std::size_t now_ = 0;                              ///< The step that is being drawn.
  std::set<std::size_t> drawn_;                      ///< Steps.
  /// How far what was made before is followed back from a step; one step further to what is drawn already.
  static constexpr std::size_t kMostDepth = 2;
  std::size_t depth_ = 0;
  bool only_known_ = false;  ///< What a step takes is not followed back: it is joined to what is drawn already.
  std::size_t left_ = 0;     ///< Steps that are to be drawn still, beside those that made what they take.
  std::set<std::string> assigned_;
  Flowchart chart_;
};

}  // namespace

std::vector<DataFlowDrawing> data_flow_diagrams(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<DataFlowDrawing> out;
  if (!actor.is_function() || actor.steps.after_source == nullptr || actor.steps.after.empty()) return out;
  const WordsContext context = context_after(inputs, actor);
  const std::vector<Side> sides = changed_sides(actor);
  const SourceText& source = *actor.steps.after_source;
  for (const Side& side : sides) {
    std::set<std::size_t> untaken;
    DataFlowDrawing drawing;
    for (const Side& other : sides) {
      if (other.first == side.first) continue;
      for (std::size_t i = other.first; i < other.end; ++i) untaken.insert(i);
      drawing.others.emplace_back(actor.steps.after[other.first].first_line,
                                  actor.steps.after[other.end - 1].last_line);
    }
    std::optional<Flowchart> chart = DataFlow(actor, context, side.first, std::move(untaken)).run();
    if (!chart) continue;
    drawing.condition = condition_of(actor.steps.after, side, source);
    merge_alike(*chart);
    drawing.chart = std::move(*chart);
    out.push_back(std::move(drawing));
  }
  if (out.size() == 2) return out;
  out.clear();
  if (std::optional<Flowchart> chart = DataFlow(actor, context).run()) {
    merge_alike(*chart);
    out.push_back({{}, {}, std::move(*chart)});
  }
  return out;
}

}  // namespace lockstep::report
