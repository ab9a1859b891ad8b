#include "report/documents/correctness/read_after_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// `x` of `x.untyped_storage().resize_(0)`; null for other calls.
const Expr* emptied_by(const Call& call) {
  const auto* resize = as<Attribute>(call.callee);
  if (resize == nullptr || (resize->name.text != "resize_" && resize->name.text != "_resize_") ||
      call.arguments.size() != 1)
    return nullptr;
  const auto* size = as<Constant>(call.arguments.front());
  if (size == nullptr || size->constant_kind != ConstantKind::kInt || size->text != "0") return nullptr;
  const auto* storage = as<Call>(resize->value);
  const auto* asked = storage == nullptr ? nullptr : as<Attribute>(storage->callee);
  return asked != nullptr && asked->name.text.ends_with("storage") ? asked->value : nullptr;
}

/// "outputs" where the method empties the storages of `self.outputs`, or of its elements; and where it does.
struct Emptied {
  std::string_view attribute;
  const Call* at = nullptr;
};

Emptied emptied_attribute(const FunctionDef& method) {
  Emptied out;
  std::map<std::string_view, std::string_view> elements;  // Loop variable -> the attribute it goes over.
  walk_of<For>(method, Nested::kSkip, [&](const For* loop) {
    const std::string_view over = rules::self_attribute(loop->iterable);
    if (!over.empty() && !rules::name_of(loop->target).empty()) elements[rules::name_of(loop->target)] = over;
  });
  walk_of<Call>(method, Nested::kSkip, [&](const Call* call) {
    const Expr* emptied = emptied_by(*call);
    if (emptied == nullptr || !out.attribute.empty()) return;
    const auto element = elements.find(rules::name_of(emptied));
    out = {element != elements.end() ? element->second : rules::self_attribute(emptied), call};
  });
  return out;
}

/// Whether the method keeps in `self.attribute` what it returns, as it is or as the one element.
bool keeps_what_it_returns(const FunctionDef& method, std::string_view attribute) {
  std::set<std::string_view> kept;
  std::set<std::string_view> returned;
  walk(method, Nested::kSkip, [&](const Node* node) {
    if (const auto* assign = as<Assign>(node); assign != nullptr && assign->targets.size() == 1) {
      if (rules::self_attribute(assign->targets.front()) == attribute) kept.insert(rules::name_of(assign->value));
      // `outputs = (outputs,)`
      const auto* tuple = as<Tuple>(assign->value);
      if (tuple != nullptr && tuple->elements.size() == 1) {
        const std::string_view name = rules::name_of(assign->targets.front());
        if (!name.empty() && name == rules::name_of(tuple->elements.front())) kept.insert(name);
      }
    }
    if (const auto* give = as<Return>(node); give != nullptr && give->value != nullptr)
      returned.insert(rules::name_of(give->value));
  });
  kept.erase(std::string_view());
  return std::any_of(kept.begin(), kept.end(), [&](std::string_view name) { return returned.contains(name); });
}

/// What only asks for the shell of a tensor, not for its values.
bool asks_for_no_values(std::string_view member) {
  constexpr std::string_view kShell[] = {
      "shape",           "dtype",         "device",  "size",     "requires_grad", "grad_fn",
      "untyped_storage", "storage",       "numel",   "dim",      "ndim",          "register_hook",
      "element_size",    "_base",         "is_cuda", "stride",   "data_ptr",      "retain_grad",
      "requires_grad_",  "record_stream", "grad",    "main_grad"};
  return std::find(std::begin(kShell), std::end(kShell), member) != std::end(kShell);
}

class Finder {
 public:
  Finder(const DocumentInputs& inputs, const Actor& actor, const FunctionDef& def)
      : program_(*inputs.after), actor_(actor), def_(def), source_(*actor.steps.after_source) {
    walk(def_, Nested::kSkip, [&](const Node* node) {
      if (const auto* assign = as<Assign>(node)) assigns_.push_back(assign);
      if (const auto* name = as<Name>(node)) names_.push_back(name);
    });
  }

  std::optional<Risk> find(const DocumentInputs& inputs) {
    std::optional<Risk> out;
    walk_of<Call>(def_, Nested::kSkip, [&](const Call* call) {
      if (out) return;
      Freed freed = freed_by(*call);
      if (freed.names.empty()) return;
      for (const Name* read : names_) {
        const auto given = freed.names.find(read->id);
        if (given == freed.names.end() || !is_read_of(*read, *call) || is_bound_between(*read, *call) ||
            excludes(call->span, read->span) || excludes(given->second->span, call->span) ||
            excludes(given->second->span, read->span))
          continue;
        if (!is_new(call->span) && !is_new(read->span) && !is_new(given->second->span)) continue;
        out = question(inputs, *call, *read, freed, *given->second);
        return;
      }
    });
    return out;
  }

 private:
  /// Names that hold what a call frees, each with the statement that gave it to them.
  struct Freed {
    std::map<std::string_view, const Assign*> names;
    std::string how;  ///< Marked place of the code that frees it, in a method.
    std::string kept_by;
  };

  /// Names that hold the value of an assignment before `until`, or a part of it.
  void follow(const Assign& first, std::uint32_t until, std::map<std::string_view, const Assign*>& out) const {
    const auto add = [&](const Expr* target, const Assign* by) {
      if (!rules::name_of(target).empty()) out.emplace(rules::name_of(target), by);
      if (const auto* tuple = as<Tuple>(target)) {
        for (const Expr* each : tuple->elements) {
          if (!rules::name_of(each).empty()) out.emplace(rules::name_of(each), by);
        }
      }
    };
    for (const Expr* target : first.targets) add(target, &first);
    for (const Assign* assign : assigns_) {
      if (assign->span.begin <= first.span.end || assign->span.begin > until || excludes(first.span, assign->span))
        continue;
      const Expr* value = assign->value;
      if (const auto* part = as<Subscript>(value)) value = part->value;
      if (!out.contains(rules::name_of(value))) continue;
      for (const Expr* target : assign->targets) add(target, assign);
    }
  }

  Freed freed_by(const Call& call) const {
    Freed out;
    if (const Expr* emptied = emptied_by(call)) {
      // What is freed here under its own name.
      const std::string_view name = rules::name_of(emptied);
      const Assign* given = nullptr;
      for (const Assign* assign : assigns_) {
        const bool gives = std::any_of(assign->targets.begin(), assign->targets.end(),
                                       [&](const Expr* target) { return rules::name_of(target) == name; });
        if (gives && !name.empty() && assign->span.end < call.span.begin) given = assign;
      }
      if (given != nullptr) out.names.emplace(name, given);
      return out;
    }
    const auto* callee = as<Attribute>(call.callee);
    const program::CallId id = callee == nullptr ? program::CallId() : program_.call_of(&call);
    if (!id.valid()) return out;
    const std::string object = one_line_whole(source_, *callee->value);
    for (const program::CallTarget& target : program_.calls()[id].targets) {
      const FunctionDef* method = target.function.valid() ? program_.functions()[target.function].def() : nullptr;
      const ClassId owner = method == nullptr ? ClassId() : program_.functions()[target.function].owner;
      if (!owner.valid() || !program::surely_enters(program_.calls()[id], target.function)) continue;
      const Emptied emptied = emptied_attribute(*method);
      if (emptied.attribute.empty()) continue;
      for (const Assign* assign : assigns_) {
        const auto* made = as<Call>(assign->value);
        const auto* giving = made == nullptr ? nullptr : as<Attribute>(made->callee);
        if (giving == nullptr || assign->span.end > call.span.begin ||
            one_line_whole(source_, *giving->value) != object)
          continue;
        const FunctionId keeper = program_.find_method(owner, giving->name.text);
        const FunctionDef* keeping = keeper.valid() ? program_.functions()[keeper].def() : nullptr;
        if (keeping == nullptr || !keeps_what_it_returns(*keeping, emptied.attribute)) continue;
        follow(*assign, call.span.begin, out.names);
        out.how = place_of(program_, program_.functions()[target.function].module, emptied.at->span);
        out.kept_by = one_line(source_, *made->callee, 60);
      }
    }
    return out;
  }

  /// Whether the values are read there, after the call.
  bool is_read_of(const Name& read, const Call& call) const {
    if (read.context != ExprContext::kLoad || read.span.begin < call.span.end) return false;
    const std::vector<const Node*> around = chain_to(def_, read.span);
    if (around.empty()) return false;
    const Node* parent = around.back();
    if (const auto* member = as<Attribute>(parent)) return !asks_for_no_values(member->name.text);
    if (const auto* compare = as<Compare>(parent)) {
      return std::none_of(compare->comparators.begin(), compare->comparators.end(),
                          [](const Expr* one) { return rules::is_none(one); });
    }
    if (is<If>(parent) || is<Delete>(parent) || is<Return>(parent) || is<BoolOp>(parent)) return false;
    const auto* asking = as<Call>(parent);
    const std::string_view asked = asking == nullptr ? std::string_view() : callee_name(*asking);
    return asked != "isinstance" && asked != "id" && asked != "len" && asked != "type";
  }

  /// Whether the name gets another value between the two, or the storage its size again.
  bool is_bound_between(const Name& read, const Call& call) const {
    const bool is_bound = std::any_of(names_.begin(), names_.end(), [&](const Name* one) {
      return one->id == read.id && one->context != ExprContext::kLoad && one->span.begin > call.span.end &&
             one->span.begin <= read.span.begin;
    });
    if (is_bound) return true;
    // `x = f(x)`: bound behind, and read before.
    bool is_resized = false;
    walk_of<Call>(def_, Nested::kSkip, [&](const Call* other) {
      is_resized = is_resized || (other->span.begin > call.span.end && other->span.end <= read.span.begin &&
                                  callee_name(*other).ends_with("resize_"));
    });
    return is_resized;
  }

  /// What a guard asks for, and whether it has to fail: `not a` is `a` that fails.
  std::pair<std::string, bool> asked_by(const Guard& guard) const {
    const Expr* condition = guard.condition;
    bool fails = guard.negated;
    for (const auto* negation = as<UnaryOp>(condition); negation != nullptr && negation->op == UnaryOperator::kNot;
         negation = as<UnaryOp>(condition)) {
      condition = negation->operand;
      fails = !fails;
    }
    return {one_line_whole(source_, *condition), fails};
  }

  /// Whether the two places stand in different arms, or under conditions that exclude each other.
  bool excludes(Span a, Span b) const {
    const std::vector<Guard> of_b = guards_of(def_, b);
    for (const Guard& one : guards_of(def_, a)) {
      if (one.condition == nullptr) continue;
      const auto [text, fails] = asked_by(one);
      for (const Guard& other : of_b) {
        if (other.condition != nullptr && asked_by(other) == std::pair(text, !fails)) return true;
      }
    }
    return false;
  }

  bool is_new(Span at) const {
    return std::any_of(actor_.steps.after.begin(), actor_.steps.after.end(), [&](const Step& step) {
      return step.status != StepStatus::kKept && !step.is_moved && step.span.contains(at);
    });
  }

  std::string place_here(Span at) const { return place(actor_.change->after->path, source_.line_of(at.begin)); }

  Risk question(const DocumentInputs& inputs, const Call& call, const Name& read, const Freed& freed,
                const Assign& given) const {
    const std::string name = code(std::string(read.id));
    const std::string how =
        freed.how.empty()
            ? fmt::format("{} ({}) empties its storage", code(one_line(source_, call, 60)), place_here(call.span))
            : fmt::format("{} ({}) frees what {} gave ({})", code(std::string(callee_name(call))),
                          place_here(call.span), code(freed.kept_by), freed.how);
    const std::string concern =
        fmt::format("{} reads {} ({}) after {}; it has the value from {}.", code(short_name(inputs, *actor_.change)),
                    name, place_here(read.span), how, code(one_line(source_, given, 60)));
    const std::string asked = "Is its memory there still?";
    return {RiskKind::kCorrectness, concern, asked, false, concern + " " + asked};
  }

  const Program& program_;
  const Actor& actor_;
  const FunctionDef& def_;
  const SourceText& source_;
  std::vector<const Assign*> assigns_;
  std::vector<const Name*> names_;
};

}  // namespace

void add_reads_after_release(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    if (told == kMost) return;
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() || actor.is_module_code ||
        !actor.change->after->function.valid() || actor.steps.after_source == nullptr)
      continue;
    const FunctionDef* def = inputs.after->functions()[actor.change->after->function].def();
    if (def == nullptr) continue;
    std::optional<Risk> risk = Finder(inputs, actor, *def).find(inputs);
    if (!risk) continue;
    ++told;
    risks.push_back(std::move(*risk));
  }
}

}  // namespace lockstep::report
