#include "report/story/trails/local_flow.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mesh/models.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/syntax/method_names.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Methods that put an argument into what they are called on.
bool puts(std::string_view method) {
  return rules::fills(method) || method == "copy_" || method == "put" || method == "put_nowait";
}

/// What holds the data at one place of the function.
struct State {
  std::set<std::string> names;  ///< Dotted.
  bool ends = false;            ///< Control does not come here.

  void join(const State& other) {
    if (other.ends) return;
    if (ends) names.clear();
    ends = false;
    names.insert(other.names.begin(), other.names.end());
  }
};

class Flow {
 public:
  Flow(const program::Program& program, const FunctionDef& function, const std::vector<const Node*>& sources,
       std::string_view parameter, const std::vector<const Node*>& targets)
      : program_(program),
        function_(program.function_of(&function)),
        sources_(sources.begin(), sources.end()),
        targets_(targets.begin(), targets.end()) {
    if (!parameter.empty()) state_.names.insert(std::string(parameter));
    block(function.body);
  }

  [[nodiscard]] std::set<const Node*> found() && { return std::move(found_); }

 private:
  void block(Seq<Stmt> body) {
    for (const Stmt* one : body) {
      if (state_.ends) return;
      statement(*one);
    }
  }

  void statement(const Stmt& node) {
    if (const auto* choice = as<If>(&node)) {
      expression(choice->condition);
      branches({choice->body, choice->orelse}, false);
    } else if (const auto* match = as<Match>(&node)) {
      expression(match->subject);
      std::vector<Seq<Stmt>> cases;
      for (const MatchCase* one : match->cases) cases.push_back(one->body);
      branches(cases, true);
    } else if (const auto* loop = as<For>(&node)) {
      expression(loop->iterable);
      round([&] {
        assign(loop->target, loop->iterable);
        block(loop->body);
      });
      block(loop->orelse);
    } else if (const auto* again = as<While>(&node)) {
      round([&] {
        expression(again->condition);
        block(again->body);
      });
      block(again->orelse);
    } else if (const auto* tried = as<Try>(&node)) {
      attempt(*tried);
    } else if (const auto* with = as<With>(&node)) {
      for (const WithItem* item : with->items) {
        expression(item->context);
        if (item->target != nullptr) assign(item->target, item->context);
      }
      block(with->body);
    } else if (!is<FunctionDef>(&node) && !is<ClassDef>(&node)) {
      simple(node);
    }
  }

  void simple(const Stmt& node) {
    expression(&node);
    if (const auto* assigned = as<Assign>(&node)) {
      for (const Expr* target : assigned->targets) assign(target, assigned->value);
    } else if (const auto* declared = as<AnnAssign>(&node)) {
      if (declared->value != nullptr) assign(declared->target, declared->value);
    } else if (const auto* added = as<AugAssign>(&node)) {
      if (is_in(*added->value)) add(added->target);
    } else if (const auto* deleted = as<Delete>(&node)) {
      for (const Expr* target : deleted->targets) erase(target);
    } else if (is<Break>(&node) || is<Continue>(&node)) {
      left_.join(state_);
      state_.ends = true;
    } else if (is<Return>(&node) || is<Raise>(&node)) {
      state_.ends = true;
    }
  }

  void branches(const std::vector<Seq<Stmt>>& bodies, bool may_skip) {
    const State start = state_;
    State joined;
    joined.ends = true;
    if (may_skip) joined.join(start);
    for (const Seq<Stmt>& body : bodies) {
      state_ = start;
      block(body);
      joined.join(state_);
    }
    state_ = std::move(joined);
  }

  /// A loop: `body` is run until nothing new comes back to its head.
  template <typename Body>
  void round(const Body& body) {
    const State outer = std::exchange(left_, State{{}, true});
    constexpr int kMostRounds = 12;
    for (int i = 0; i < kMostRounds; ++i) {
      const State start = state_;
      body();
      State next = start;
      next.join(state_);
      next.join(left_);
      state_ = std::move(next);
      if (state_.names == start.names) break;
    }
    left_ = outer;
  }

  void attempt(const Try& tried) {
    const State start = state_;
    block(tried.body);
    // A handler may be entered before and after each statement.
    State raised = start;
    raised.names.insert(state_.names.begin(), state_.names.end());
    block(tried.orelse);
    State joined = state_;
    for (const ExceptHandler* handler : tried.handlers) {
      state_ = raised;
      block(handler->body);
      joined.join(state_);
    }
    state_ = std::move(joined);
    if (tried.finally_body.empty()) return;
    const bool ends = state_.ends;
    state_.ends = false;
    block(tried.finally_body);
    state_.ends = state_.ends || ends;
  }

  /// What stands in an expression, or in a statement without a body: which targets are made, and what is filled.
  void expression(const Node* node) {
    if (node == nullptr) return;
    walk_of<Comprehension>(*node, Nested::kSkip, [&](const Comprehension* part) {
      if (is_in(*part->iterable)) add(part->target);
    });
    walk_of<NamedExpr>(*node, Nested::kSkip, [&](const NamedExpr* named) { assign(named->target, named->value); });
    const auto look = [&](const Node* one) {
      if (targets_.contains(one) && is_in(*one)) found_.insert(one);
      if (const auto* call = as<Call>(one)) fill(*call);
    };
    look(node);
    walk(*node, Nested::kSkip, look);
  }

  void fill(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    const bool has =
        std::any_of(call.arguments.begin(), call.arguments.end(), [&](const Expr* one) { return is_in(*one); });
    if (!has) return;
    if (method != nullptr && puts(method->name.text)) add(method->value);
    const program::Reference callee = program_.resolve(function_, *call.callee);
    if (callee.kind != program::Reference::Kind::kExternal) return;
    const mesh::CollectiveModel* model = mesh::find_collective(callee.name);
    if (model == nullptr || model->input < 0 || model->buffer < 0) return;
    const auto given = [&](std::int8_t position) {
      const auto at = static_cast<std::size_t>(position);
      return at < call.arguments.size() ? call.arguments[at] : nullptr;
    };
    const Expr* input = given(model->input);
    if (input != nullptr && is_in(*input)) add(given(model->buffer));
  }

  [[nodiscard]] bool is_in(const Node& node) const {
    if (is_one(node)) return true;
    if (is<FunctionDef>(&node) || is<Lambda>(&node)) return false;
    const auto* call = as<Call>(&node);
    const bool is_own = call != nullptr && !callees_of(program_, call).empty();
    bool found = false;
    for_each_child(node, [&](const Node* child) {
      if (!found && !(is_own && child == call->callee)) found = is_in(*child);
    });
    return found;
  }

  [[nodiscard]] bool is_one(const Node& node) const {
    if (sources_.contains(&node)) return true;
    if (!is<Name>(&node) && !is<Attribute>(&node)) return false;
    return state_.names.contains(dotted_text(static_cast<const Expr*>(&node)));
  }

  void assign(const Expr* target, const Expr* value) {
    const auto* targets = as<Tuple>(target);
    const auto* values = as<Tuple>(value);
    if (targets != nullptr && values != nullptr && targets->elements.size() == values->elements.size()) {
      for (std::size_t i = 0; i < targets->elements.size(); ++i) assign(targets->elements[i], values->elements[i]);
      return;
    }
    const bool gets_it = is_in(*value);
    // An element that gets something else leaves the others.
    if (!gets_it && !is<Subscript>(target)) erase(target);
    if (gets_it) add(target);
  }

  void add(const Expr* target) {
    if (target == nullptr) return;
    if (const auto* tuple = as<Tuple>(target)) {
      for (const Expr* one : tuple->elements) add(one);
    } else if (const auto* list = as<python::List>(target)) {
      for (const Expr* one : list->elements) add(one);
    } else if (const auto* starred = as<Starred>(target)) {
      add(starred->value);
    } else if (const auto* item = as<Subscript>(target)) {
      add(item->value);
    } else if (std::string name = dotted_text(target); !name.empty()) {
      state_.names.insert(std::move(name));
    }
  }

  /// Takes out a name, and what is below it.
  void erase(const Expr* target) {
    if (const auto* tuple = as<Tuple>(target)) {
      for (const Expr* one : tuple->elements) erase(one);
    } else if (const std::string name = dotted_text(target); !name.empty()) {
      std::erase_if(state_.names, [&](const std::string& one) {
        return one.starts_with(name) && (one.size() == name.size() || one[name.size()] == '.');
      });
    }
  }

  const program::Program& program_;
  const program::FunctionId function_;
  const std::set<const Node*> sources_;
  const std::set<const Node*> targets_;
  std::set<const Node*> found_;
  State state_;
  State left_{{}, true};  ///< Of the loop that is run: where `break` and `continue` leave its body.
};

}  // namespace

std::set<const Node*> made_of(const program::Program& program, const FunctionDef& function,
                              const std::vector<const Node*>& sources, std::string_view parameter,
                              const std::vector<const Node*>& targets) {
  return Flow(program, function, sources, parameter, targets).found();
}

}  // namespace lockstep::report
