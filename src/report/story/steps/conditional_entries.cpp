#include "report/story/steps/conditional_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/steps/newly_under.h"
#include "report/story/wording/collection_edits.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

struct Entry {
  std::string_view key;  ///< Its value.
  const Expr* written = nullptr;
  const Expr* value = nullptr;
};

bool is_text(const Expr* key) {
  const auto* constant = as<Constant>(key);
  return constant != nullptr && constant->constant_kind == ConstantKind::kStr;
}

/// Entries under texts of a dictionary that is written out, and what it unpacks; `is_known`: it holds no other key.
struct Written {
  std::vector<Entry> entries;
  std::vector<const Expr*> unpacked;
  bool is_known = true;
};

Written written_in(const Dict& dict) {
  Written out;
  for (std::size_t i = 0; i < dict.values.size(); ++i) {
    const Expr* key = i < dict.keys.size() ? dict.keys[i] : nullptr;
    if (key == nullptr) {
      out.unpacked.push_back(dict.values[i]);
    } else if (is_text(key)) {
      out.entries.push_back({as<Constant>(key)->text, key, dict.values[i]});
    } else {
      out.is_known = false;
    }
  }
  return out;
}

/// The dictionary that a plain statement adds to `name`: `name |= {…}`, `name.update({…})`; null for others.
const Dict* added_by(const Node& statement, std::string_view name) {
  if (const auto* added = as<AugAssign>(&statement))
    return added->op == BinaryOperator::kBitOr && rules::name_of(added->target) == name ? as<Dict>(added->value)
                                                                                        : nullptr;
  const auto* dropped = as<ExprStmt>(&statement);
  const auto* call = dropped == nullptr ? nullptr : as<Call>(dropped->value);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  const bool updates = method != nullptr && method->name.text == "update" && rules::name_of(method->value) == name &&
                       call->arguments.size() == 1 && call->keywords.empty();
  return updates ? as<Dict>(call->arguments.front()) : nullptr;
}

/// What a plain statement puts into `name` under texts; nullopt for other statements.
std::optional<std::vector<Entry>> put_by(const Node& statement, std::string_view name) {
  if (const Dict* dict = added_by(statement, name)) {
    const Written written = written_in(*dict);
    if (!written.is_known || !written.unpacked.empty()) return std::nullopt;
    return written.entries;
  }
  const auto* assign = as<Assign>(&statement);
  const auto* place =
      assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Subscript>(assign->targets.front());
  if (place == nullptr || rules::name_of(place->value) != name || !is_text(place->index)) return std::nullopt;
  return std::vector<Entry>{{as<Constant>(place->index)->text, place->index, assign->value}};
}

/// Whether a function, outside of `allowed`, may put one of the keys into the dictionary `name`, in another way than by
/// the one statement that binds it.
class Writers {
 public:
  Writers(const Node& function, const WordsContext& context, const std::set<std::string_view>& keys, Span allowed)
      : function_(function), context_(context), keys_(keys), allowed_(allowed) {}

  [[nodiscard]] bool may_put(std::string_view name) {
    if (!asked_.insert(name).second) return false;
    std::size_t bindings = 0;
    bool may = false;
    const auto is_it = [&](const Expr* one) { return rules::name_of(one) == name; };
    const auto note = [&](const Node* node) {
      if (may || allowed_.contains(node->span)) return;
      if (const auto* bound = as<Name>(node); bound != nullptr && bound->id == name) {
        bindings += bound->context == ExprContext::kLoad ? 0u : 1u;
      } else if (const auto* assign = as<Assign>(node)) {
        may = may || is_it(assign->value) || (is_bound_by(*assign, name) && may_hold(assign->value));
      } else if (const auto* annotated = as<AnnAssign>(node)) {
        may = may || is_it(annotated->value) || (is_it(annotated->target) && may_hold(annotated->value));
      } else if (const auto* added = as<AugAssign>(node)) {
        if (is_it(added->target)) {
          --bindings;
          may = added->op != BinaryOperator::kBitOr || may_hold(added->value);
        }
      } else if (const auto* place = as<Subscript>(node)) {
        const bool puts = place->context != ExprContext::kLoad && is_it(place->value);
        may = puts && (!is_text(place->index) || keys_.contains(as<Constant>(place->index)->text));
      } else if (const auto* call = as<Call>(node)) {
        may = may_put_by(*call, name);
      }
    };
    walk(function_, Nested::kEnter, note);
    return may || bindings != 1;
  }

 private:
  static bool is_bound_by(const Assign& assign, std::string_view name) {
    return std::any_of(assign.targets.begin(), assign.targets.end(),
                       [&](const Expr* one) { return rules::name_of(one) == name; });
  }

  /// Whether a value may hold one of the keys.
  bool may_hold(const Expr* value) {
    const auto* dict = as<Dict>(value);
    if (dict == nullptr) return true;
    const Written written = written_in(*dict);
    const bool has = std::any_of(written.entries.begin(), written.entries.end(),
                                 [&](const Entry& one) { return keys_.contains(one.key); });
    return has || !written.is_known ||
           std::any_of(written.unpacked.begin(), written.unpacked.end(), [&](const Expr* other) {
             const std::string_view name = rules::name_of(other);
             return name.empty() || may_put(name);
           });
  }

  bool may_put_by(const Call& call, std::string_view name) {
    const auto* method = as<Attribute>(call.callee);
    if (method != nullptr && rules::name_of(method->value) == name) {
      static constexpr std::string_view kReading[] = {"copy", "get", "items", "keys", "values"};
      if (std::find(std::begin(kReading), std::end(kReading), method->name.text) != std::end(kReading)) return false;
      const bool updates = method->name.text == "update" && call.arguments.size() <= 1;
      if (!updates || rules::has_spread_keywords(call)) return true;
      const bool names_key = std::any_of(call.keywords.begin(), call.keywords.end(),
                                         [&](const Keyword* one) { return keys_.contains(one->name.text); });
      return names_key || (!call.arguments.empty() && may_hold(call.arguments.front()));
    }
    const auto is_it = [&](const Expr* one) { return rules::name_of(one) == name; };
    const bool gives =
        std::any_of(call.arguments.begin(), call.arguments.end(), is_it) ||
        std::any_of(call.keywords.begin(), call.keywords.end(), [&](const Keyword* one) { return is_it(one->value); });
    return gives && context_.program != nullptr && names_a_key(call);
  }

  /// Whether a function of the repository that the call may enter names one of the keys.
  bool names_a_key(const Call& call) {
    for (const program::FunctionId entered : callees_of(*context_.program, &call)) {
      const FunctionDef* def = context_.program->functions()[entered].def();
      bool found = def == nullptr;
      if (def != nullptr) {
        walk_of<Constant>(*def, Nested::kEnter, [&](const Constant* one) {
          found = found || (one->constant_kind == ConstantKind::kStr && keys_.contains(one->text));
        });
      }
      if (found) return true;
    }
    return false;
  }

  const Node& function_;
  const WordsContext& context_;
  const std::set<std::string_view>& keys_;
  Span allowed_;
  std::set<std::string_view> asked_;
};

/// Whether the function may take something out of the dictionary `name` again.
bool takes_out(const Node& function, std::string_view name) {
  bool found = false;
  walk_of<Call>(function, Nested::kEnter, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    const bool removes = method != nullptr &&
                         (method->name.text == "pop" || method->name.text == "popitem" || method->name.text == "clear");
    found = found || (removes && rules::name_of(method->value) == name);
  });
  walk_of<Subscript>(function, Nested::kEnter, [&](const Subscript* place) {
    found = found || (place->context == ExprContext::kDel && rules::name_of(place->value) == name);
  });
  return found;
}

/// An `if` that came, or went, and has no other side.
bool is_lone_branch(const std::vector<Step>& steps, std::size_t index, StepStatus status) {
  const Step& step = steps[index];
  const auto* branch = step.kind == StepKind::kIf && !step.is_elif ? as<If>(step.node) : nullptr;
  return branch != nullptr && step.status == status && branch->orelse.empty();
}

/// What the branch puts into `name` right below it, without the keys that it puts there twice.
std::vector<Entry> put_in_branch(const std::vector<Step>& steps, std::size_t branch, std::string_view name,
                                 bool& is_all) {
  std::vector<Entry> out;
  is_all = true;
  for (std::size_t i = branch + 1; i < end_of(steps, branch); ++i) {
    const std::optional<std::vector<Entry>> put =
        steps[i].parent == branch ? put_by(*steps[i].node, name) : std::nullopt;
    is_all = is_all && put.has_value();
    if (put) out.insert(out.end(), put->begin(), put->end());
  }
  return out;
}

/// The name that the assignment gives a dictionary that is written out, and that one; null for others.
const Dict* dict_of(const Step& step, std::string_view& name) {
  const Expr* target = nullptr;
  const auto* dict = step.kind == StepKind::kPlain ? as<Dict>(assigned_value(step.node, target)) : nullptr;
  if (dict != nullptr) name = rules::name_of(target);
  return name.empty() ? nullptr : dict;
}

/// Both sides; `with` has the branch, `without` writes all out.
struct Sides {
  const std::vector<Step>& with;
  const SourceText& with_source;
  const Node& function;
  const WordsContext& context;
  const Node& without_function;
  const SourceText& without_source;
  const Dict& with_dict;
  const Dict& without_dict;
};

std::optional<ConditionalEntries> entries_in(const Sides& sides, std::size_t assignment, std::string_view name,
                                             StepStatus status) {
  const Written kept = written_in(sides.with_dict);
  const Written all = written_in(sides.without_dict);
  const auto holds = [](const Written& written, std::string_view key) {
    const auto is_it = [&](const Entry& one) { return one.key == key; };
    const auto found = std::find_if(written.entries.begin(), written.entries.end(), is_it);
    return found == written.entries.end() ? nullptr : &*found;
  };
  for (std::size_t i = end_of(sides.with, assignment); i < sides.with.size(); ++i) {
    if (!is_lone_branch(sides.with, i, status) || sides.with[i].parent != sides.with[assignment].parent) continue;
    ConditionalEntries out;
    out.branch = i;
    out.name = name;
    std::set<std::string_view> keys;
    bool has_others = false;
    for (const Entry& put : put_in_branch(sides.with, i, name, out.is_all_of_branch)) {
      const Entry* stood = holds(all, put.key);
      if (stood == nullptr || holds(kept, put.key) != nullptr || !keys.insert(put.key).second) {
        has_others = true;
        continue;
      }
      out.keys.push_back(one_line_whole(sides.with_source, *put.written));
      if (one_line_whole(sides.with_source, *put.value) != one_line_whole(sides.without_source, *stood->value))
        out.other_values.push_back(out.keys.back());
    }
    if (out.keys.empty()) continue;
    Writers writers(sides.function, sides.context, keys, as<If>(sides.with[i].node)->span);
    if (writers.may_put(name) || takes_out(sides.without_function, name)) return std::nullopt;
    out.is_all_of_branch = out.is_all_of_branch && !has_others;
    return out;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ConditionalEntries> conditional_entries(const Actor& actor, std::size_t index, const WordsContext& before,
                                                      const WordsContext& after) {
  const StepComparison& steps = actor.steps;
  const Step& step = steps.after[index];
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.is_moved || !actor.change->before ||
      !actor.change->after)
    return std::nullopt;
  const Step& old = steps.before[step.partner];
  std::string_view old_name;
  std::string_view new_name;
  const Dict* was = dict_of(old, old_name);
  const Dict* is = dict_of(step, new_name);
  const std::size_t around = step.parent == Step::kNone ? Step::kNone : steps.after[step.parent].partner;
  const bool is_in_place = (step.parent == Step::kNone) == (old.parent == Step::kNone) && around == old.parent;
  if (was == nullptr || is == nullptr || old_name != new_name || !is_in_place) return std::nullopt;
  const Node& then = *actor.change->before->node;
  const Node& now = *actor.change->after->node;
  const Sides guarded{steps.after, *steps.after_source, now, after, then, *steps.before_source, *is, *was};
  std::optional<ConditionalEntries> out = entries_in(guarded, index, new_name, StepStatus::kAdded);
  if (!out) {
    const Sides freed{steps.before, *steps.before_source, then, before, now, *steps.after_source, *was, *is};
    out = entries_in(freed, step.partner, old_name, StepStatus::kRemoved);
    if (out) out->is_freed = true;
  }
  if (out) out->assignment = index;
  return out;
}

std::string entries_words(const ConditionalEntries& entries, const Actor& actor, const WordsContext& before,
                          const WordsContext& after) {
  constexpr std::size_t kMost = 3;
  const auto named = [&](const std::vector<std::string>& keys) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(kMost, keys.size()); ++i) shown.push_back(code(keys[i]));
    if (keys.size() > kMost) shown.push_back(fmt::format("{} more", keys.size() - kMost));
    return join_words(shown);
  };
  const std::vector<Step>& steps = entries.is_freed ? actor.steps.before : actor.steps.after;
  constexpr std::string_view kWhen = "when ";
  std::string condition = step_words(steps[entries.branch], entries.is_freed ? before : after);
  if (condition.starts_with(kWhen)) condition.erase(0, kWhen.size());
  const std::string name = code(entries.name);
  const bool is_one = entries.keys.size() == 1;
  const std::string what = is_one ? fmt::format("the entry {} of {}", named(entries.keys), name)
                           : entries.keys.size() <= kMost
                               ? fmt::format("the entries {} of {}", named(entries.keys), name)
                               : fmt::format("{} entries of {}, {},", entries.keys.size(), name, named(entries.keys));
  std::string out = entries.is_freed
                        ? fmt::format("sets {} whenever it sets {} now, formerly only when {}", what, name, condition)
                        : fmt::format("sets {} now only when {}, formerly whenever it set {}; otherwise {} absent",
                                      what, condition, name, is_one ? "it is" : "they are");
  if (!entries.other_values.empty())
    out += fmt::format("; gives {} {} there", named(entries.other_values),
                       entries.other_values.size() == 1 ? "another value" : "other values");
  return out;
}

std::string other_entries_words(const ConditionalEntries& entries, const Actor& actor) {
  const Step& step = actor.steps.after[entries.assignment];
  const Expr* target = nullptr;
  const Expr* was = assigned_value(actor.steps.before[step.partner].node, target);
  const Expr* is = assigned_value(step.node, target);
  CollectionEdit edit = collection_edit(*was, *actor.steps.before_source, *is, *actor.steps.after_source);
  const auto is_told = [&](const std::string& key) {
    return std::find(entries.keys.begin(), entries.keys.end(), key) != entries.keys.end();
  };
  if (entries.is_freed) {
    for (std::size_t i = edit.added_keys.size(); i-- > 0;) {
      if (!is_told(edit.added_keys[i])) continue;
      edit.added.erase(edit.added.begin() + static_cast<std::ptrdiff_t>(i));
      edit.added_keys.erase(edit.added_keys.begin() + static_cast<std::ptrdiff_t>(i));
    }
  } else {
    std::erase_if(edit.gone, is_told);
  }
  const std::string words = collection_words(edit, code(entries.name));
  return words.empty() ? std::string() : "; " + words;
}

bool is_told_with_entries(const Actor& actor, std::size_t index, bool is_before, const WordsContext& before,
                          const WordsContext& after) {
  const std::vector<Step>& steps = is_before ? actor.steps.before : actor.steps.after;
  if (!is_lone_branch(steps, index, is_before ? StepStatus::kRemoved : StepStatus::kAdded)) return false;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    if (actor.steps.after[i].status != StepStatus::kChanged) continue;
    const std::optional<ConditionalEntries> entries = conditional_entries(actor, i, before, after);
    if (entries && entries->branch == index && entries->is_freed == is_before) return entries->is_all_of_branch;
  }
  return false;
}

std::vector<std::size_t> new_guards(const Actor& actor, const WordsContext& before, const WordsContext& after) {
  std::vector<std::size_t> out;
  if (!actor.change->before || !actor.change->after) return out;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    if (guards_work_that_was_done(actor.steps, i)) out.push_back(i);
    const std::optional<ConditionalEntries> entries = conditional_entries(actor, i, before, after);
    if (entries && !entries->is_freed) out.push_back(entries->branch);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace lockstep::report
