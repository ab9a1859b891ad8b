#include "writer/author/flow_leads.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/given_arguments.h"
#include "report/source/named_attributes.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow.h"
#include "rules/syntax/method_names.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer::internal {

namespace {

using program::FunctionId;
using report::StepKind;

constexpr std::size_t kMostCondition = 110;
constexpr std::size_t kShortestName = 3;  // that tells two functions to mean the same

// "--some-name" is `some_name` to whoever reads it.
std::string as_name(std::string_view text) {
  while (text.starts_with('-')) text.remove_prefix(1);
  return replace_all(text, "-", "_");
}

void add_target(const python::Expr* target, Names& names) {
  if (const auto* attribute = python::as<python::Attribute>(target)) {
    names.set.emplace(attribute->name.text);
  } else if (const auto* name = python::as<python::Name>(target)) {
    if (name->id != "_") names.local.emplace(name->id);  // what nobody reads
  } else if (const auto* item = python::as<python::Subscript>(target)) {
    if (const auto* key = python::as<python::Constant>(item->index);
        key != nullptr && key->constant_kind == python::ConstantKind::kStr)
      names.set.emplace(key->text);
    add_target(item->value, names);
  } else if (const auto* tuple = python::as<python::Tuple>(target)) {
    for (const python::Expr* element : tuple->elements) add_target(element, names);
  } else if (const auto* starred = python::as<python::Starred>(target)) {
    add_target(starred->value, names);
  }
}

void add_names(const python::Node& node, Span within, Names& names) {
  if (node.span.begin >= within.end) return;
  if (const auto* attribute = python::as<python::Attribute>(&node)) {
    names.used.emplace(attribute->name.text);
    if (attribute->context == python::ExprContext::kLoad) names.read_keys.emplace(attribute->name.text);
  }
  if (const auto* dict = python::as<python::Dict>(&node)) {
    for (const python::Expr* key : dict->keys) names.keys.emplace(rules::text_of(key));
  }
  if (const auto* item = python::as<python::Subscript>(&node);
      item != nullptr && item->context == python::ExprContext::kLoad)
    names.read_keys.emplace(rules::text_of(item->index));
  if (const auto* name = python::as<python::Name>(&node)) names.used.emplace(name->id);
  if (const auto* text = python::as<python::Constant>(&node);
      text != nullptr && text->constant_kind == python::ConstantKind::kStr && text->text.size() < 80)
    names.used.insert(as_name(text->text));
  if (const auto* call = python::as<python::Call>(&node)) {
    for (const python::Keyword* keyword : call->keywords) names.set.emplace(keyword->name.text);
    const std::string_view callee = report::callee_name(*call);
    if ((callee == "get" || callee == "pop") && !call->arguments.empty())
      names.read_keys.emplace(rules::text_of(call->arguments.front()));
    if (callee == "add_argument" || callee == "setattr" || callee == "register_buffer") {
      for (const python::Expr* argument : call->arguments) {
        if (const auto* text = python::as<python::Constant>(argument);
            text != nullptr && text->constant_kind == python::ConstantKind::kStr)
          names.set.insert(as_name(text->text));
      }
    }
    // `self.x.append(…)`, `total.add_(…)`
    const auto* method = python::as<python::Attribute>(call->callee);
    if (method != nullptr && (rules::works_in_place(callee) || rules::fills(callee))) add_target(method->value, names);
  }
  if (const auto* assign = python::as<python::Assign>(&node)) {
    for (const python::Expr* target : assign->targets) add_target(target, names);
  } else if (const auto* one = python::as<python::AnnAssign>(&node)) {
    add_target(one->target, names);
  } else if (const auto* more = python::as<python::AugAssign>(&node)) {
    add_target(more->target, names);
  } else if (const auto* each = python::as<python::For>(&node)) {
    add_target(each->target, names);
  }
  python::for_each_child(node, [&](const python::Node* child) { add_names(*child, within, names); });
}

// A field of a class, a variable of a module, an option: its line says what it declares.
void add_declaration(const DrawnPlace& place, Names& names) {
  bool is_first = true;
  for_each_word(place.text, [&](std::string_view word, std::size_t at) {
    const std::string_view rest = trim(std::string_view(place.text).substr(at + word.size()));
    const bool is_declared = is_first && at == 0 && (rest.starts_with(':') || rest.starts_with('='));
    (is_declared ? names.set : names.used).emplace(word);
    is_first = false;
  });
  if (const std::size_t dashes = place.text.find("--"); dashes != std::string::npos) {
    const std::size_t end = place.text.find_first_of("'\" ,)", dashes);
    names.set.insert(as_name(std::string_view(place.text).substr(dashes, end - dashes)));
  }
}

}  // namespace

Names names_of(const DrawnPlace& place) {
  Names names;
  if (place.step.node != nullptr) {
    add_names(*place.step.node, place.step.span, names);
  } else {
    add_declaration(place, names);
  }
  return names;
}

void add_names_given(const program::Program& program, const DrawnPlace& place, Names& names) {
  if (place.step.node == nullptr || !place.function.valid()) return;
  constexpr std::size_t kMostCallers = 60;
  for (const report::NamedAttribute& named : report::named_attributes(program, place.function)) {
    const bool is_here = std::any_of(names.used.begin(), names.used.end(),
                                     [&](const std::string& one) { return one == named.parameter; });
    if (!is_here) continue;
    std::size_t asked = 0;
    for (const program::CallId id : program.callers_of(place.function)) {
      if (++asked > kMostCallers) break;
      const rules::Given given = report::given_by(program, program.calls()[id], place.function, named.parameter);
      const std::string_view text = given.how == rules::Given::How::kValue ? rules::text_of(given.value) : "";
      if (!text.empty()) (named.is_set ? names.set : names.used).emplace(text);
    }
  }
}

bool leaves(const DrawnPlace& place) {
  return place.step.node != nullptr && place.step.kind == StepKind::kPlain &&
         rules::ends_block(*static_cast<const python::Stmt*>(place.step.node));
}

namespace {

bool leaves_function(const python::Stmt& statement) {
  if (python::is<python::Return>(&statement) || python::is<python::Raise>(&statement)) return true;
  const auto* branch = python::as<python::If>(&statement);
  return branch != nullptr && !branch->body.empty() && !branch->orelse.empty() &&
         leaves_function(*branch->body.back()) && leaves_function(*branch->orelse.back());
}

/// Whether a block that holds `a` and not `b` ends in a statement that leaves the function.
bool leaves_between(const std::vector<report::Step>& steps, std::size_t a, std::size_t b) {
  for (std::size_t up = steps[a].parent; up != report::Step::kNone && b >= report::end_of(steps, up);
       up = steps[up].parent) {
    std::size_t last = up;
    for (std::size_t i = up + 1; i < report::end_of(steps, up); ++i) {
      if (steps[i].parent == up) last = i;
    }
    // An `else` comes with its whole `if`.
    const auto* statement = last != up ? static_cast<const python::Stmt*>(steps[last].node) : nullptr;
    if (statement != nullptr && leaves_function(*statement)) return true;
  }
  return false;
}

/// Whether `b` is the `else:` or `elif` of a branch that holds `a`.
bool is_in_earlier_branch(const std::vector<report::Step>& steps, std::size_t a, std::size_t b) {
  const bool goes_on = steps[b].kind == StepKind::kElse || (steps[b].kind == StepKind::kIf && steps[b].is_elif) ||
                       steps[b].kind == StepKind::kExcept || steps[b].kind == StepKind::kCase;
  for (std::size_t up = steps[a].parent; goes_on && up != report::Step::kNone; up = steps[up].parent) {
    if (steps[up].depth == steps[b].depth && steps[up].parent == steps[b].parent) return true;
  }
  return false;
}

/// Whether a run comes to `b` only where the condition `a` does not hold: it stands in an `else` or `elif` of it, or
/// behind a branch that leaves.
bool is_other_side(const std::vector<report::Step>& steps, std::size_t a, std::size_t b) {
  const std::size_t end = report::end_of(steps, a);
  for (std::size_t i = end; i < steps.size(); i = report::end_of(steps, i)) {
    const bool goes_on = steps[i].depth == steps[a].depth && steps[i].parent == steps[a].parent &&
                         (steps[i].kind == StepKind::kElse || (steps[i].kind == StepKind::kIf && steps[i].is_elif));
    if (!goes_on) break;
    if (b >= i && b < report::end_of(steps, i)) return true;
  }
  std::size_t last = a;
  for (std::size_t i = a + 1; i < end; ++i) {
    if (steps[i].parent == a) last = i;
  }
  return last != a && steps[last].kind == StepKind::kPlain &&
         rules::ends_block(*static_cast<const python::Stmt*>(steps[last].node));
}

/// Last names of what is called, or handed over to be called.
std::set<std::string_view> named_functions(const python::Node& node) {
  constexpr std::size_t kShortest = 6;  // `cat`, `len` and `sum` stand everywhere
  std::set<std::string_view> names;
  const auto add = [&](const python::Expr* one) {
    const auto* name = python::as<python::Name>(one);
    const auto* attribute = python::as<python::Attribute>(one);
    const std::string_view text = name != nullptr        ? name->id
                                  : attribute != nullptr ? attribute->name.text
                                                         : std::string_view();
    if (text.size() >= kShortest) names.insert(text);
  };
  const auto visit = [&](const python::Call* call) {
    add(call->callee);
    for (const python::Expr* argument : call->arguments) {
      if (python::is<python::Name>(argument)) add(argument);
    }
  };
  python::walk_of<python::Call>(node, python::Nested::kEnter, visit);
  return names;
}

std::set<std::string_view> called_names(python::Seq<python::Stmt> block) {
  std::set<std::string_view> names;
  for (const python::Stmt* statement : block) {
    python::walk_of<python::Call>(*statement, python::Nested::kEnter, [&](const python::Call* call) {
      const std::string_view name = report::callee_name(*call);
      if (!name.empty()) names.insert(name);
    });
  }
  return names;
}

/// Attributes and variables that a block gives a value.
std::set<std::string> assigned_in(python::Seq<python::Stmt> block) {
  Names names;
  const auto add = [&](const auto* assign) {
    for (const python::Expr* target : assign->targets) add_target(target, names);
  };
  for (const python::Stmt* statement : block) {
    if (const auto* assign = python::as<python::Assign>(statement)) add(assign);
    python::walk_of<python::Assign>(*statement, python::Nested::kEnter, add);
  }
  std::set<std::string> all(names.set.begin(), names.set.end());
  all.insert(names.local.begin(), names.local.end());
  return all;
}

/// Whether the other side of the branch calls what the step calls or hands over, too, or gives what it gives a value:
/// then the condition chooses how, not whether.
bool runs_on_both_sides(const python::If& branch, bool is_else, const python::Node& step) {
  const auto& block = is_else ? branch.body : branch.orelse;
  const std::set<std::string_view> other = called_names(block);
  const std::set<std::string_view> own = named_functions(step);
  if (std::any_of(own.begin(), own.end(), [&](std::string_view name) { return other.contains(name); })) return true;
  const auto* assign = python::as<python::Assign>(&step);
  if (assign == nullptr || block.empty()) return false;
  Names names;
  for (const python::Expr* target : assign->targets) add_target(target, names);
  const std::set<std::string> there = assigned_in(block);
  const auto is_there = [&](const std::string& name) { return there.contains(name); };
  return std::any_of(names.set.begin(), names.set.end(), is_there) ||
         std::any_of(names.local.begin(), names.local.end(), is_there);
}

/// "when x is set": the innermost branch that holds the second and not the first.
std::string condition_between(const std::vector<report::Step>& steps, std::size_t a, std::size_t b,
                              const SourceText& source) {
  for (std::size_t up = steps[b].parent; up != report::Step::kNone; up = steps[up].parent) {
    if (a > up && a < report::end_of(steps, up)) return {};
    const auto* branch = python::as<python::If>(steps[up].node);
    if (branch == nullptr || (steps[up].kind != StepKind::kIf && steps[up].kind != StepKind::kElse)) continue;
    if (runs_on_both_sides(*branch, steps[up].kind == StepKind::kElse, *steps[b].node)) continue;
    std::string words =
        report::unmarked(report::condition_words(*branch->condition, source, steps[up].kind == StepKind::kElse));
    // A condition cut in the middle says less than that there is one.
    return words.size() > kMostCondition ? std::string("under a condition") : "when " + words;
  }
  return {};
}

/// The names that one sets and the other uses, the first three; what many statements have in common says nothing.
std::string shared_name(const std::set<std::string, std::less<>>& set, const std::set<std::string, std::less<>>& used) {
  static constexpr std::string_view kCommon[] = {"self",  "cls",   "args",   "config", "kwargs", "name",
                                                 "dtype", "group", "device", "dim",    "shape"};
  constexpr std::size_t kMostShared = 3;
  std::vector<std::string> shared;
  for (const std::string& name : set) {
    if (used.contains(name) && std::find(std::begin(kCommon), std::end(kCommon), name) == std::end(kCommon))
      shared.push_back(name);
  }
  // The longest says most.
  std::stable_sort(shared.begin(), shared.end(),
                   [](const std::string& x, const std::string& y) { return x.size() > y.size(); });
  const bool is_cut = shared.size() > kMostShared;
  if (is_cut) shared.resize(kMostShared);
  return join(shared, ", ") + (is_cut ? ", \u2026" : "");
}

bool calls(const DrawnPlace& from, FunctionId to, const DrawnSide& side) {
  if (!from.function.valid() || !to.valid()) return false;
  const program::Program& program = *side.program;
  for (const program::CallId id : program.functions()[from.function].calls) {
    const program::CallSite& site = program.calls()[id];
    if (!from.is_function && !from.step.span.contains(site.node->span)) continue;
    const bool enters = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
      if (target.function == to) return true;
      if (!target.function.valid() || !program.functions()[target.function].owner.valid()) return false;
      const std::vector<FunctionId> overrides = program.overrides_of(target.function);
      return std::find(overrides.begin(), overrides.end(), to) != overrides.end();
    });
    if (enters) return true;
    // By its name alone, where no other function is called so.
    const auto* call = python::as<python::Call>(site.node);
    const std::string_view name = program.functions()[to].name;
    if (call != nullptr && site.targets.empty() && report::callee_name(*call) == name &&
        functions_named(program, name) == std::vector<FunctionId>{to})
      return true;
  }
  return false;
}

/// The steps of the function that statements of a drawing stand in, and where these are among them.
class OwnSteps {
 public:
  OwnSteps(const DrawnSide& side, FunctionId function)
      : source_(report::source_of(*side.program, function)),
        steps_(report::steps_of(report::body_of(side.program->functions()[function].node), source_)) {}

  [[nodiscard]] const SourceText& source() const { return source_; }
  [[nodiscard]] const std::vector<report::Step>& steps() const { return steps_; }
  /// The number of steps where the place is none of them.
  [[nodiscard]] std::size_t index_of(const DrawnPlace& place) const {
    return static_cast<std::size_t>(std::find_if(steps_.begin(), steps_.end(),
                                                 [&](const report::Step& one) { return one.span == place.step.span; }) -
                                    steps_.begin());
  }

 private:
  const SourceText& source_;
  std::vector<report::Step> steps_;
};

/// Of two statements of one function.
std::optional<std::string> within(const FlowStop& from, const FlowStop& to, const DrawnSide& side, std::string& why) {
  const OwnSteps own(side, from.place.function);
  const std::vector<report::Step>& steps = own.steps();
  const SourceText& source = own.source();
  const std::size_t a = own.index_of(from.place), b = own.index_of(to.place);
  if (a >= steps.size() || b >= steps.size()) {
    why = "no statement of a function's body stands there";
    return std::nullopt;
  }
  if (b < a) {
    for (std::size_t up = steps[b].parent; up != report::Step::kNone; up = steps[up].parent) {
      const bool is_loop = steps[up].kind == StepKind::kFor || steps[up].kind == StepKind::kWhile;
      if (is_loop && a < report::end_of(steps, up)) return "next";
    }
    if ((steps[b].kind == StepKind::kFor || steps[b].kind == StepKind::kWhile) && a < report::end_of(steps, b))
      return "next";
    why = "it stands before the other, and no loop holds both";
    return std::nullopt;
  }
  if (report::are_alternatives(steps, a, b)) {
    why = "a run that takes the one branch does not take the other";
    return std::nullopt;
  }
  if (leaves(from.place)) {
    why = "a run leaves there";
    return std::nullopt;
  }
  if (leaves_between(steps, a, b)) {
    why = "a run leaves at the end of the block that holds the one, and does not come to the other";
    return std::nullopt;
  }
  const StepKind kind = steps[a].kind;
  const bool is_inside = b < report::end_of(steps, a);
  if (is_in_earlier_branch(steps, a, b)) {
    why = "a run that takes the one branch does not come to the other; name the condition or what stands in the branch";
    return std::nullopt;
  }
  if (kind == StepKind::kIf) return is_inside ? "yes" : is_other_side(steps, a, b) ? "no" : "";
  if (kind == StepKind::kFor || kind == StepKind::kWhile) return is_inside ? "next" : "done";
  std::string label = shared_name(from.names.local, to.names.used);
  if (label.empty()) label = shared_name(from.names.set, to.names.used);
  if (const std::string condition = condition_between(steps, a, b, source); !condition.empty())
    label += (label.empty() ? "" : ", ") + condition;
  return label;
}

/// Whether an `else` or `elif` follows the branch.
bool has_other_side(const std::vector<report::Step>& steps, std::size_t branch) {
  const std::size_t next = report::end_of(steps, branch);
  return next < steps.size() && steps[next].parent == steps[branch].parent &&
         (steps[next].kind == StepKind::kElse || (steps[next].kind == StepKind::kIf && steps[next].is_elif));
}

/// Whether `index` stands under a branch that does not hold `from`.
bool is_under_other_branch(const std::vector<report::Step>& steps, std::size_t index, std::size_t from) {
  for (std::size_t up = steps[index].parent; up != report::Step::kNone; up = steps[up].parent) {
    if (from >= up && from < report::end_of(steps, up)) return false;
    if (steps[up].kind == StepKind::kIf || steps[up].kind == StepKind::kElse) return true;
  }
  return false;
}

/// Whether a run that comes from `from` surely takes the branch, by a constant that it gives to the name which the
/// branch asks for: `flag = True` behind `from`, before `if flag:`.
bool is_surely_taken(const std::vector<report::Step>& steps, std::size_t from, std::size_t branch) {
  const auto* asked = python::as<python::If>(steps[branch].node);
  const python::Expr* condition = asked == nullptr ? nullptr : asked->condition;
  const auto* other = python::as<python::UnaryOp>(condition);
  const bool is_negated = other != nullptr && other->op == python::UnaryOperator::kNot;
  const auto* name = python::as<python::Name>(is_negated ? other->operand : condition);
  if (name == nullptr) return false;
  bool is_known = false, holds = false;
  for (std::size_t i = from; i < branch; ++i) {
    const python::Expr* target = nullptr;
    const python::Expr* value = report::assigned_value(steps[i].node, target);
    const auto* set = python::as<python::Name>(target);
    if (set == nullptr || set->id != name->id) continue;
    const bool is_run_after = steps[i].parent == report::Step::kNone ||
                              (from > steps[i].parent && from < report::end_of(steps, steps[i].parent));
    const auto* constant = python::as<python::Constant>(value);
    holds = constant != nullptr && constant->constant_kind == python::ConstantKind::kTrue;
    is_known =
        is_run_after && (holds || (constant != nullptr && constant->constant_kind == python::ConstantKind::kFalse));
  }
  return is_known && holds != is_negated;
}

}  // namespace

std::optional<std::string> flow_bypass(const Detour& detour, const DrawnSide& side) {
  const FunctionId function = detour.from.place.function;
  if (!function.valid()) return std::nullopt;
  for (const FlowStop* stop : {&detour.from, &detour.in, &detour.out, &detour.to}) {
    if (stop->place.function != function || stop->place.is_function) return std::nullopt;
  }
  const OwnSteps own(side, function);
  const std::vector<report::Step>& steps = own.steps();
  const std::size_t from = own.index_of(detour.from.place), in = own.index_of(detour.in.place);
  const std::size_t out = own.index_of(detour.out.place), to = own.index_of(detour.to.place);
  if (std::max({from, in, out, to}) >= steps.size()) return std::nullopt;
  std::size_t branch = report::Step::kNone, depth = 0;
  for (std::size_t up = steps[in].parent; up != report::Step::kNone; up = steps[up].parent) {
    const std::size_t end = report::end_of(steps, up);
    if ((from > up && from < end) || (to > up && to < end)) break;
    if (steps[up].kind == StepKind::kElse || steps[up].is_elif) return std::nullopt;
    if (steps[up].kind != StepKind::kIf) continue;
    if (has_other_side(steps, up)) return std::nullopt;
    branch = up;
    ++depth;
    if (from == up) break;
  }
  const bool is_around = branch != report::Step::kNone && from <= branch && out > branch &&
                         out < report::end_of(steps, branch) && to >= report::end_of(steps, branch);
  std::string why;
  if (!is_around || !flow_lead(detour.from, detour.to, side, why)) return std::nullopt;
  // What stands under a condition of its own behind the branch need not run then.
  if (is_under_other_branch(steps, to, from) || is_surely_taken(steps, from, branch)) return std::nullopt;
  if (from == branch) return "no";
  const auto* condition = python::as<python::If>(steps[branch].node);
  if (condition == nullptr || depth > 1) return "otherwise";
  std::string words = report::unmarked(report::condition_words(*condition->condition, own.source(), true));
  return words.size() > kMostCondition ? std::string("otherwise") : "when " + words;
}

std::optional<std::string> flow_lead(const FlowStop& from, const FlowStop& to, const DrawnSide& side,
                                     std::string& why) {
  const DrawnPlace& a = from.place;
  const DrawnPlace& b = to.place;
  if (calls(a, b.function, side)) return std::string(kCallsLabel);
  // What a function returns to the statement that calls it.
  if (a.function.valid() && !b.is_function && calls(b, a.function, side)) return std::string(kReturnsLabel);
  const bool is_same = a.function.valid() && a.function == b.function;
  if (is_same && a.is_function) return "";
  if (is_same && !b.is_function) return within(from, to, side, why);
  if (std::string name = shared_name(from.names.set, to.names.used); name.size() >= kShortestName) return name;
  // What one sends under a name and the other reads of an answer.
  for (const std::string& key : from.names.keys) {
    if (!key.empty() && to.names.read_keys.contains(key)) return fmt::format("\"{}\"", key);
  }
  // A variable that a nested function reads.
  if (b.function.valid() && a.function.valid() && side.program->functions()[b.function].enclosing == a.function) {
    if (std::string name = shared_name(from.names.local, to.names.used); !name.empty()) return name;
  }
  why =
      "nothing in the code leads there: no call, no order within one function, no name that one sets and the other "
      "reads (a local of one function is none of another's: name the call, the argument or the return); name what "
      "stands "
      "between, or leave it out";
  return std::nullopt;
}

}  // namespace lockstep::writer::internal
