// visit_name_uses: one walk over the tree that keeps the current scope and what surrounds the place.

#include "python/tree_walk.h"
#include "rules/names/names.h"
#include "rules/syntax/flow.h"

namespace lockstep::rules {
namespace {

using namespace python;

class UseWalker {
 public:
  UseWalker(const FileFacts& facts, const std::function<void(const NameUse&)>& visit)
      : facts_(facts), visit_(visit), postponed_(has_postponed_annotations(facts)) {}

  void run() {
    at_.scope = ScopeId(0);
    block(facts_.tree().body);
  }

 private:
  /// Runs `action` and puts the surroundings back.
  template <class Action>
  void within(Action&& action) {
    const NameUse saved = at_;
    action();
    at_ = saved;
  }

  ScopeId scope_of(const Node* node) const {
    const auto found = facts_.scope_of_node.find(node);
    return found == facts_.scope_of_node.end() ? at_.scope : found->second;
  }
  /// The scope of PEP 695 type parameters around `inner`, or the current one.
  ScopeId header_scope(ScopeId inner) const {
    const ScopeId parent = facts_.scopes[inner].parent;
    return parent.valid() && facts_.scopes[parent].kind == ScopeKind::kTypeParams ? parent : at_.scope;
  }
  bool in_function() const {
    const ScopeKind kind = facts_.scopes[at_.scope].kind;
    return kind == ScopeKind::kFunction || kind == ScopeKind::kLambda;
  }

  void block(Seq<Stmt> statements) {
    within([&] {
      for (const Stmt* statement : statements) {
        node(statement);
        if (ends_block(*statement)) at_.in_unreachable = true;
      }
    });
  }

  void annotation(const Expr* expression, ScopeId scope, bool evaluated) {
    if (expression == nullptr) return;
    within([&] {
      at_.scope = scope;
      at_.evaluated = at_.evaluated && evaluated && !postponed_;
      node(expression);
    });
  }

  void parameters(const Parameters* list, ScopeId header) {
    if (list == nullptr) return;
    for (const Parameter* parameter : list->all) {
      if (parameter->default_value != nullptr) node(parameter->default_value);
      annotation(parameter->annotation, header, true);
    }
  }

  void function(const FunctionDef& def) {
    const ScopeId inner = scope_of(&def);
    const ScopeId header = header_scope(inner);
    for (const Expr* decorator : def.decorators) node(decorator);
    parameters(def.parameters, header);
    annotation(def.returns, header, true);
    within([&] {
      enter_body(inner);
      block(def.body);
    });
  }

  /// The body of a definition runs later: a `try` around the definition does not protect it.
  void enter_body(ScopeId scope) {
    at_.scope = scope;
    at_.name_error_caught = at_.attribute_error_caught = at_.broadly_caught = false;
  }

  void class_def(const ClassDef& def) {
    const ScopeId inner = scope_of(&def);
    for (const Expr* decorator : def.decorators) node(decorator);
    within([&] {
      at_.scope = header_scope(inner);
      for (const Expr* base : def.bases) node(base);
      for (const Keyword* keyword : def.keywords) node(keyword->value);
    });
    within([&] {
      at_.scope = inner;
      block(def.body);
    });
  }

  void lambda(const Lambda& expression) {
    parameters(expression.parameters, at_.scope);
    within([&] {
      enter_body(scope_of(&expression));
      node(expression.body);
    });
  }

  /// The first iterable is evaluated outside, everything else inside.
  void comprehension(const Expr& expression, Seq<Comprehension> generators, const Expr* first, const Expr* second) {
    if (!generators.empty()) node(generators[0]->iterable);
    within([&] {
      at_.scope = scope_of(&expression);
      for (std::size_t i = 0; i < generators.size(); ++i) {
        if (i > 0) node(generators[i]->iterable);
        node(generators[i]->target);
        for (const Expr* condition : generators[i]->conditions) node(condition);
      }
      node(first);
      if (second != nullptr) node(second);
    });
  }

  void if_statement(const If& statement) {
    node(statement.condition);
    const bool type_checking = is_type_checking_test(*statement.condition);
    const bool version = mentions_version(*statement.condition);
    within([&] {
      at_.in_type_checking = at_.in_type_checking || type_checking;
      at_.in_version_guard = at_.in_version_guard || version;
      at_.in_unreachable = at_.in_unreachable || is_constant_false(*statement.condition);
      block(statement.body);
    });
    within([&] {
      at_.in_version_guard = at_.in_version_guard || version;
      at_.in_unreachable = at_.in_unreachable || is_constant_true(*statement.condition);
      block(statement.orelse);
    });
  }

  /// `sys.version_info >= (3,)`, `six.PY2`, `platform.python_version()`.
  static bool mentions_version(const Expr& test) {
    bool found = false;
    const auto check = [&](const Node* node) {
      const auto* attribute = as<Attribute>(node);
      const auto* name = as<Name>(node);
      const std::string_view text = attribute != nullptr ? attribute->name.text : name != nullptr ? name->id : "";
      found = found || text == "version_info" || text == "PY2" || text == "PY3" || text == "python_version" ||
              text == "hexversion";
    };
    check(&test);
    walk(test, Nested::kEnter, check);
    return found;
  }

  void try_statement(const Try& statement) {
    within([&] {
      for (const ExceptHandler* handler : statement.handlers) catches(handler->type);
      block(statement.body);
    });
    for (const ExceptHandler* handler : statement.handlers) {
      if (handler->type != nullptr) node(handler->type);
      block(handler->body);
    }
    block(statement.orelse);
    block(statement.finally_body);
  }

  void catches(const Expr* type) {
    if (type == nullptr) at_.broadly_caught = true;
    if (const auto* name = as<Name>(type)) {
      at_.name_error_caught = at_.name_error_caught || name->id == "NameError" || name->id == "UnboundLocalError";
      at_.attribute_error_caught = at_.attribute_error_caught || name->id == "AttributeError";
      at_.broadly_caught = at_.broadly_caught || name->id == "Exception" || name->id == "BaseException";
    } else if (const auto* tuple = as<Tuple>(type)) {
      for (const Expr* element : tuple->elements) catches(element);
    }
  }

  void node(const Node* at) {
    switch (at->kind) {
      case NodeKind::kFunctionDef:
        return function(*as<FunctionDef>(at));
      case NodeKind::kClassDef:
        return class_def(*as<ClassDef>(at));
      case NodeKind::kLambda:
        return lambda(*as<Lambda>(at));
      case NodeKind::kIf:
        return if_statement(*as<If>(at));
      case NodeKind::kTry:
        return try_statement(*as<Try>(at));
      case NodeKind::kListComp:
        return comprehension_of(*as<ListComp>(at));
      case NodeKind::kSetComp:
        return comprehension_of(*as<SetComp>(at));
      case NodeKind::kGeneratorExp:
        return comprehension_of(*as<GeneratorExp>(at));
      case NodeKind::kDictComp: {
        const auto& dict = *as<DictComp>(at);
        return comprehension(dict, dict.generators, dict.key, dict.value);
      }
      case NodeKind::kAnnAssign:
        return annotated(*as<AnnAssign>(at));
      case NodeKind::kTypeAlias:
        return;  // Evaluated lazily.
      case NodeKind::kName:
        return name(*as<Name>(at));
      default:
        return others(*at);
    }
  }

  template <class T>
  void comprehension_of(const T& expression) {
    comprehension(expression, expression.generators, expression.element, nullptr);
  }

  void annotated(const AnnAssign& statement) {
    if (statement.value != nullptr) node(statement.value);
    node(statement.target);
    annotation(statement.annotation, at_.scope, !in_function());
  }

  void name(const Name& expression) {
    if (expression.context != ExprContext::kLoad) return;
    at_.name = &expression;
    visit_(at_);
  }

  /// Blocks as blocks (a return ends them), everything else child by child.
  void others(const Node& at) {
    if (const auto* loop = as<For>(&at)) {
      node(loop->iterable);
      node(loop->target);
    } else if (const auto* while_loop = as<While>(&at)) {
      node(while_loop->condition);
    } else if (const auto* with = as<With>(&at)) {
      for (const WithItem* item : with->items) node(item);
    } else if (const auto* match = as<Match>(&at)) {
      node(match->subject);
      for (const MatchCase* match_case : match->cases) {
        node(match_case->pattern);
        if (match_case->guard != nullptr) node(match_case->guard);
      }
    } else {
      for_each_child(at, [&](const Node* child) { node(child); });
      return;
    }
    for_each_block(at, [&](Seq<Stmt> statements) { block(statements); });
  }

  const FileFacts& facts_;
  const std::function<void(const NameUse&)>& visit_;
  const bool postponed_;
  NameUse at_;
};

}  // namespace

void visit_name_uses(const FileFacts& facts, const std::function<void(const NameUse&)>& visit) {
  UseWalker(facts, visit).run();
}

}  // namespace lockstep::rules
