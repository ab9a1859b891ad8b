#include "report/story/trails/local_flow.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mesh/models.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"
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
  std::set<std::string> names;   ///< Dotted.
  std::set<std::string> filled;  ///< Of these, what it was only put into: another attribute of such a thing is not it.
  bool ends = false;             ///< Control does not come here.

  void join(const State& other) {
    if (other.ends) return;
    if (ends) names.clear();
    if (ends) filled.clear();
    ends = false;
    names.insert(other.names.begin(), other.names.end());
    filled.insert(other.filled.begin(), other.filled.end());
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

  [[nodiscard]] std::set<const Node*> found() && {
    return left_to_try_ == 0 ? std::set<const Node*>() : std::move(found_);
  }

 private:
  void block(Seq<Stmt> body) {
    for (const Stmt* one : body) {
      if (state_.ends || left_to_try_ == 0) return;
      --left_to_try_;
      statement(*one);
    }
  }

  void statement(const Stmt& node) {
    if (const auto* choice = as<If>(&node)) {
      expression(choice->condition);
      branches({choice->body, choice->orelse});
    } else if (const auto* match = as<Match>(&node)) {
      cases(*match);
    } else if (const auto* loop = as<For>(&node)) {
      expression(loop->iterable);
      round([&] {
        take_item(loop->target, loop->iterable);
        block(loop->body);
      });
      block(loop->orelse);
    } else if (const auto* again = as<While>(&node)) {
      const bool is_endless = rules::is_true(again->condition);
      round(
          [&] {
            expression(again->condition);
            block(again->body);
          },
          is_endless);
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
    } else if (const auto* imported = as<Import>(&node)) {
      for (const Alias* one : imported->names) erase_alias(*one);
    } else if (const auto* from = as<ImportFrom>(&node)) {
      for (const Alias* one : from->names) erase_alias(*one);
    } else if (is<Break>(&node) || is<Continue>(&node)) {
      left_.join(state_);
      state_.ends = true;
    } else if (is<Return>(&node) || is<Raise>(&node)) {
      state_.ends = true;
    }
  }

  void erase_alias(const Alias& alias) {
    const std::string_view name = alias.as_name.text.empty() ? alias.name.text : alias.as_name.text;
    erase(std::string(name.substr(0, name.find('.'))));
  }

  void branches(const std::vector<Seq<Stmt>>& bodies) {
    const State start = state_;
    State joined;
    joined.ends = true;
    for (const Seq<Stmt>& body : bodies) {
      state_ = start;
      block(body);
      joined.join(state_);
    }
    state_ = std::move(joined);
  }

  /// A loop: `body` is run until nothing new comes back to its head. One that is endless is left by `break` alone.
  template <typename Body>
  void round(const Body& body, bool is_endless = false) {
    const State outer = std::exchange(left_, State{{}, {}, true});
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
    if (is_endless) state_ = left_;
    left_ = outer;
  }

  /// What a `case` binds is the subject or a part of it.
  void cases(const Match& match) {
    expression(match.subject);
    const bool gets_it = is_in(*match.subject);
    State start = state_, joined;
    joined.ends = true;
    bool takes_all = false;
    for (const MatchCase* one : match.cases) {
      state_ = start;
      const bool is_known = capture(*one->pattern, gets_it);
      // Of several values in one subject it is not followed which one it is, nor what an attribute is.
      if (gets_it && (!is_known || !is_one(*match.subject))) left_to_try_ = 0;
      expression(one->guard);
      if (one->guard != nullptr) start.join(state_);  // It has bound its names when the guard fails.
      const auto* all = as<MatchAs>(one->pattern);
      takes_all = takes_all || (all != nullptr && all->pattern == nullptr && one->guard == nullptr);
      block(one->body);
      joined.join(state_);
    }
    if (!takes_all) joined.join(start);
    state_ = std::move(joined);
  }

  /// Gives the names of a pattern their values; false where it takes attributes of an object.
  bool capture(const Pattern& pattern, bool gets_it) {
    bool is_known = true;
    const auto bind = [&](const Identifier& name) {
      if (name.text.empty()) return;
      erase(std::string(name.text));
      if (gets_it) state_.names.insert(std::string(name.text));
    };
    const auto look = [&](const Node* node) {
      if (const auto* as_name = as<MatchAs>(node)) bind(as_name->name);
      if (const auto* star = as<MatchStar>(node)) bind(star->name);
      if (const auto* mapping = as<MatchMapping>(node)) bind(mapping->rest);
      is_known = is_known && !is<MatchClass>(node);
    };
    look(&pattern);
    walk(pattern, Nested::kSkip, look);
    return is_known;
  }

  /// `finally` runs on every way out of the statement, also on those of `break` and `continue`.
  void attempt(const Try& tried) {
    if (tried.finally_body.empty()) return try_and_handle(tried);
    const State outer = std::exchange(left_, State{{}, {}, true});
    try_and_handle(tried);
    const State cut = std::exchange(left_, outer);
    State after = state_;
    if (!cut.ends) {
      state_ = cut;
      block(tried.finally_body);
      left_.join(state_);
    }
    const bool ends = after.ends;
    state_ = std::move(after);
    state_.ends = false;
    block(tried.finally_body);
    state_.ends = state_.ends || ends;
  }

  void try_and_handle(const Try& tried) {
    const State start = state_;
    block(tried.body);
    // A handler may be entered before and after each statement.
    State raised = start;
    raised.names.insert(state_.names.begin(), state_.names.end());
    block(tried.orelse);
    State joined = state_;
    for (const ExceptHandler* handler : tried.handlers) {
      state_ = raised;
      if (!handler->name.text.empty()) erase(std::string(handler->name.text));
      block(handler->body);
      joined.join(state_);
    }
    state_ = std::move(joined);
  }

  /// What stands in an expression, or in a statement without a body: which targets are made, and what is filled.
  void expression(const Node* node) {
    if (node == nullptr) return;
    const State outside = state_;
    std::vector<const Expr*> inner;  // Names of comprehensions are their own.
    walk_of<Comprehension>(*node, Nested::kSkip, [&](const Comprehension* part) {
      take_item(part->target, part->iterable);
      inner.push_back(part->target);
    });
    walk_of<NamedExpr>(*node, Nested::kSkip, [&](const NamedExpr* named) { assign(named->target, named->value); });
    const auto look = [&](const Node* one) {
      if (targets_.contains(one) && is_in(*one)) found_.insert(one);
      if (const auto* call = as<Call>(one)) fill(*call);
    };
    look(node);
    walk(*node, Nested::kSkip, look);
    for (const Expr* target : inner) restore(target, outside);
  }

  /// What a target held in another state, it holds again.
  void restore(const Expr* target, const State& other) {
    if (const auto* tuple = as<Tuple>(target)) {
      for (const Expr* one : tuple->elements) restore(one, other);
    } else if (const std::string name = dotted_text(target); !name.empty()) {
      erase(name);
      if (other.names.contains(name)) state_.names.insert(name);
    }
  }

  /// A loop's target gets an item of the iterable; of `zip(a, b)` and `enumerate(a)` each its own.
  void take_item(const Expr* target, const Expr* iterable) {
    const auto* call = as<Call>(iterable);
    const auto* targets = as<Tuple>(target);
    const std::string_view callee = call == nullptr ? std::string_view() : rules::name_of(call->callee);
    if (targets != nullptr && callee == "zip" && targets->elements.size() == call->arguments.size()) {
      for (std::size_t i = 0; i < targets->elements.size(); ++i) assign(targets->elements[i], call->arguments[i]);
    } else if (targets != nullptr && callee == "enumerate" && targets->elements.size() == 2 &&
               !call->arguments.empty()) {
      erase(targets->elements[0]);
      assign(targets->elements[1], call->arguments[0]);
    } else {
      assign(target, iterable);
    }
  }

  void fill(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    const bool has =
        std::any_of(call.arguments.begin(), call.arguments.end(), [&](const Expr* one) { return is_in(*one); });
    if (!has) return;
    if (method != nullptr && puts(method->name.text)) fill(method->value);
    const program::Reference callee = program_.resolve(function_, *call.callee);
    if (callee.kind != program::Reference::Kind::kExternal) return;
    const mesh::CollectiveModel* model = mesh::find_collective(callee.name);
    if (model == nullptr || model->input < 0 || model->buffer < 0) return;
    const auto given = [&](std::int8_t position) {
      const auto at = static_cast<std::size_t>(position);
      return at < call.arguments.size() ? call.arguments[at] : nullptr;
    };
    const Expr* input = given(model->input);
    if (input != nullptr && is_in(*input)) fill(given(model->buffer));
  }

  /// The data is put into what the target names.
  void fill(const Expr* target) {
    const std::string name = target == nullptr ? std::string() : dotted_text(target);
    if (name.empty() || state_.names.contains(name)) return;
    state_.names.insert(name);
    state_.filled.insert(name);
  }

  /// Whether what is read off something says how it is, or where, and is no part of it: `x.dtype`, `len(x)`,
  /// `open(x)`.
  [[nodiscard]] static bool only_describes(const Node& node) {
    static constexpr std::string_view kCalls[] = {"Path", "bool", "hasattr", "id",  "isinstance",
                                                  "len",  "open", "print",   "type"};
    if (const auto* attribute = as<Attribute>(&node)) return rules::describes_tensor(attribute->name.text);
    const auto* call = as<Call>(&node);
    const std::string_view callee = call == nullptr ? std::string_view() : rules::name_of(call->callee);
    // Where something stands is no part of it: what a file holds comes of no path.
    if (call != nullptr && dotted_text(call->callee).starts_with("os.path.")) return true;
    return is<Compare>(&node) || std::find(std::begin(kCalls), std::end(kCalls), callee) != std::end(kCalls);
  }

  [[nodiscard]] bool is_in(const Node& node) const {
    if (is_one(node)) return true;
    if (is<FunctionDef>(&node) || is<Lambda>(&node) || only_describes(node)) return false;
    if (const auto* choice = as<IfExp>(&node)) return is_in(*choice->body) || is_in(*choice->orelse);
    if (const auto* attribute = as<Attribute>(&node); attribute != nullptr && is_filled(*attribute->value))
      return false;
    if (const Seq<Comprehension> parts = rules::comprehension_generators(node); !parts.empty()) {
      // What its own names hold comes of what it goes over.
      return std::any_of(parts.begin(), parts.end(), [&](const Comprehension* part) { return is_in(*part->iterable); });
    }
    const auto* call = as<Call>(&node);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (method != nullptr && only_looks_up(method->name.text)) return is_in(*method->value);
    const bool is_own = call != nullptr && !callees_of(program_, call).empty();
    bool found = method != nullptr && !is_own && is_filled(*method->value);
    for_each_child(node, [&](const Node* child) {
      if (!found && !(is_own && child == call->callee)) found = is_in(*child);
    });
    return found;
  }

  /// Methods whose argument says where, and is not what comes back.
  [[nodiscard]] static bool only_looks_up(std::string_view method) {
    static constexpr std::string_view kLookUps[] = {"count", "endswith", "find", "get", "index", "pop", "startswith"};
    return std::find(std::begin(kLookUps), std::end(kLookUps), method) != std::end(kLookUps);
  }

  [[nodiscard]] bool is_filled(const Expr& expression) const {
    return state_.filled.contains(dotted_text(&expression));
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
      // `a, b = b, a`: all values are worked out before.
      std::vector<bool> are_in;
      for (const Expr* one : values->elements) are_in.push_back(is_in(*one));
      for (std::size_t i = 0; i < targets->elements.size(); ++i) set(targets->elements[i], are_in[i]);
    } else if (const bool is_whole = is_in(*value); targets != nullptr) {
      for (const Expr* one : targets->elements) set(one, is_whole || sources_.contains(one));
    } else {
      set(target, is_whole || sources_.contains(target));
    }
  }

  void set(const Expr* target, bool gets_it) {
    const auto* item = as<Subscript>(target);
    const auto* slice = item == nullptr ? nullptr : as<Slice>(item->index);
    const bool is_whole = slice != nullptr && slice->lower == nullptr && slice->upper == nullptr;
    // An element that gets something else leaves the others.
    if (!gets_it && (item == nullptr || is_whole)) erase(is_whole ? item->value : target);
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
      state_.filled.erase(name);
      state_.names.insert(std::move(name));
    }
  }

  /// Takes out a name, and what is below it.
  void erase(const Expr* target) {
    if (const auto* tuple = as<Tuple>(target)) {
      for (const Expr* one : tuple->elements) erase(one);
    } else if (const auto* list = as<python::List>(target)) {
      for (const Expr* one : list->elements) erase(one);
    } else if (const auto* starred = as<Starred>(target)) {
      erase(starred->value);
    } else if (const std::string name = dotted_text(target); !name.empty()) {
      erase(name);
    }
  }

  void erase(const std::string& name) {
    const auto is_below = [&](const std::string& one) {
      return one.starts_with(name) && (one.size() == name.size() || one[name.size()] == '.');
    };
    std::erase_if(state_.names, is_below);
    std::erase_if(state_.filled, is_below);
  }

  const program::Program& program_;
  const program::FunctionId function_;
  const std::set<const Node*> sources_;
  const std::set<const Node*> targets_;
  std::set<const Node*> found_;
  std::size_t left_to_try_ = 20000;  ///< Statements, those of loops again in each round; at 0 nothing is known.
  State state_;
  State left_{{}, {}, true};  ///< Of the loop that is run: where `break` and `continue` leave its body.
};

}  // namespace

std::set<const Node*> made_of(const program::Program& program, const FunctionDef& function,
                              const std::vector<const Node*>& sources, std::string_view parameter,
                              const std::vector<const Node*>& targets) {
  return Flow(program, function, sources, parameter, targets).found();
}

}  // namespace lockstep::report
