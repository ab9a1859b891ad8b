#include "python/facts.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::python {
namespace {

/// True for `TYPE_CHECKING` and `anything.TYPE_CHECKING`.
bool is_type_checking(const Expr* condition) {
  if (const auto* name = as<Name>(condition)) return name->id == "TYPE_CHECKING";
  if (const auto* attribute = as<Attribute>(condition)) return attribute->name.text == "TYPE_CHECKING";
  return false;
}

/// Walks one tree in the order of the source and fills in scopes, bindings and imports.
class Extractor {
 public:
  explicit Extractor(FileFacts& facts) : facts_(facts) {}

  void run(const Module& module) {
    facts_.scope_of_node.reserve(64);
    scope_ = open(ScopeKind::kModule, ScopeId{}, module);
    block(module.body);
  }

 private:
  ScopeId open(ScopeKind kind, ScopeId parent, const Node& node) {
    Scope scope{};
    scope.kind = kind;
    scope.parent = parent;
    scope.node = &node;
    const ScopeId id = facts_.scopes.add(std::move(scope));
    if (kind != ScopeKind::kTypeParams) facts_.scope_of_node.emplace(&node, id);
    return id;
  }

  void block(Seq<Stmt> body) {
    for (const Stmt* statement : body) visit(statement);
  }

  void visit_all(const Node& node) {
    for_each_child(node, [this](const Node* child) { visit(child); });
  }

  /// Scope in which an assignment to `name` in `from` binds it.
  ScopeId binding_scope(ScopeId from, std::string_view name) const {
    const Scope& scope = facts_.scopes[from];
    const auto declares = [name](const std::vector<std::string_view>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (declares(scope.global_names)) return ScopeId(0);
    if (declares(scope.nonlocal_names)) return nonlocal_scope(scope.parent, name);
    return from;
  }

  /// The enclosing function that binds `name`; the nearest one where none does yet (it may bind it further down).
  ScopeId nonlocal_scope(ScopeId from, std::string_view name) const {
    ScopeId nearest;
    for (ScopeId id = from; id.valid(); id = facts_.scopes[id].parent) {
      const Scope& scope = facts_.scopes[id];
      if (scope.kind != ScopeKind::kFunction && scope.kind != ScopeKind::kLambda) continue;
      if (!nearest.valid()) nearest = id;
      const auto binds = [name](const Binding& binding) { return binding.name == name; };
      if (std::any_of(scope.bindings.begin(), scope.bindings.end(), binds)) return id;
    }
    return nearest.valid() ? nearest : from;
  }

  void bind(std::string_view name, BindingKind kind, const Node* node, const Node* owner, Span span) {
    bind_in(binding_scope(scope_, name), name, kind, node, owner, span);
  }
  void bind_in(ScopeId scope, std::string_view name, BindingKind kind, const Node* node, const Node* owner, Span span) {
    facts_.scopes[scope].bindings.push_back({name, kind, node, owner, span});
  }

  /// Binds the names of an assignment's target; visits the expressions in it.
  void target(const Expr* expression, BindingKind kind, const Node* owner) {
    if (expression == nullptr) return;
    if (const auto* name = as<Name>(expression)) {
      bind(name->id, kind, name, owner, name->span);
    } else if (const auto* tuple = as<Tuple>(expression)) {
      for (const Expr* element : tuple->elements) target(element, kind, owner);
    } else if (const auto* list = as<List>(expression)) {
      for (const Expr* element : list->elements) target(element, kind, owner);
    } else if (const auto* starred = as<Starred>(expression)) {
      target(starred->value, kind, owner);
    } else {
      visit_all(*expression);
    }
  }

  void visit(const Node* node) {
    if (node == nullptr) return;
    switch (node->kind) {
      case NodeKind::kFunctionDef:
        return function(static_cast<const FunctionDef&>(*node));
      case NodeKind::kClassDef:
        return class_def(static_cast<const ClassDef&>(*node));
      case NodeKind::kLambda:
        return lambda(static_cast<const Lambda&>(*node));
      case NodeKind::kListComp:
        return comprehension(*node, static_cast<const ListComp&>(*node).generators);
      case NodeKind::kSetComp:
        return comprehension(*node, static_cast<const SetComp&>(*node).generators);
      case NodeKind::kDictComp:
        return comprehension(*node, static_cast<const DictComp&>(*node).generators);
      case NodeKind::kGeneratorExp:
        return comprehension(*node, static_cast<const GeneratorExp&>(*node).generators);
      case NodeKind::kImport:
        return import(static_cast<const Import&>(*node));
      case NodeKind::kImportFrom:
        return import_from(static_cast<const ImportFrom&>(*node));
      case NodeKind::kNamedExpr:
        return walrus(static_cast<const NamedExpr&>(*node));
      case NodeKind::kTypeAlias:
        return type_alias(static_cast<const TypeAlias&>(*node));
      default:
        break;
    }
    if (is_statement(node)) return statement(*node);
    if (node->kind >= NodeKind::kMatchValue && node->kind <= NodeKind::kMatchOr) return pattern(*node);
    visit_all(*node);
  }

  void statement(const Node& node) {
    switch (node.kind) {
      case NodeKind::kAssign: {
        const auto& assign = static_cast<const Assign&>(node);
        for (const Expr* each : assign.targets) target(each, BindingKind::kAssign, &node);
        return visit(assign.value);
      }
      case NodeKind::kAugAssign: {
        const auto& assign = static_cast<const AugAssign&>(node);
        target(assign.target, BindingKind::kAugAssign, &node);
        return visit(assign.value);
      }
      case NodeKind::kAnnAssign: {
        const auto& assign = static_cast<const AnnAssign&>(node);
        target(assign.target, assign.value != nullptr ? BindingKind::kAssign : BindingKind::kAnnotation, &node);
        visit(assign.annotation);
        return visit(assign.value);
      }
      case NodeKind::kDelete:
        for (const Expr* each : static_cast<const Delete&>(node).targets) target(each, BindingKind::kDelete, &node);
        return;
      case NodeKind::kFor: {
        const auto& loop = static_cast<const For&>(node);
        target(loop.target, BindingKind::kFor, &node);
        visit(loop.iterable);
        block(loop.body);
        return block(loop.orelse);
      }
      case NodeKind::kWith:
        return with_statement(static_cast<const With&>(node));
      case NodeKind::kGlobal:
        for (const Identifier& name : static_cast<const Global&>(node).names) {
          facts_.scopes[scope_].global_names.push_back(name.text);
        }
        return;
      case NodeKind::kNonlocal:
        for (const Identifier& name : static_cast<const Nonlocal&>(node).names) {
          facts_.scopes[scope_].nonlocal_names.push_back(name.text);
        }
        return;
      case NodeKind::kIf:
        return if_statement(static_cast<const If&>(node));
      case NodeKind::kTry:
        return try_statement(static_cast<const Try&>(node));
      default:
        return visit_all(node);
    }
  }

  void if_statement(const If& node) {
    visit(node.condition);
    const bool before = in_type_checking_;
    in_type_checking_ = before || is_type_checking(node.condition);
    block(node.body);
    in_type_checking_ = before;
    block(node.orelse);
  }

  void try_statement(const Try& node) {
    const bool before = in_try_;
    in_try_ = true;
    block(node.body);
    for (const ExceptHandler* handler : node.handlers) {
      visit(handler->type);
      if (!handler->name.text.empty()) {
        bind(handler->name.text, BindingKind::kExcept, handler, &node, handler->name.span);
      }
      block(handler->body);
    }
    in_try_ = before;
    block(node.orelse);
    block(node.finally_body);
  }

  static std::string_view last_name(const Expr* expression) {
    if (const auto* name = as<Name>(expression)) return name->id;
    const auto* attribute = as<Attribute>(expression);
    return attribute == nullptr ? std::string_view() : attribute->name.text;
  }

  static bool suppresses_failed_imports(const Call* call) {
    if (call == nullptr || last_name(call->callee) != "suppress") return false;
    return std::any_of(call->arguments.begin(), call->arguments.end(), [](const Expr* error) {
      const std::string_view name = last_name(error);
      // `*errors` may hold any.
      return is<Starred>(error) || name == "ImportError" || name == "ModuleNotFoundError" || name == "Exception" ||
             name == "BaseException";
    });
  }

  /// `with suppress(ImportError): …` hides imports that fail in it, as a `try` does.
  void with_statement(const With& node) {
    const bool before = in_try_;
    for (const WithItem* item : node.items) {
      visit(item->context);
      target(item->target, BindingKind::kWith, &node);
      in_try_ = in_try_ || suppresses_failed_imports(as<Call>(item->context));
    }
    block(node.body);
    in_try_ = before;
  }

  void pattern(const Node& node) {
    const auto capture = [&](const Identifier& name) {
      if (!name.text.empty()) bind(name.text, BindingKind::kPattern, &node, &node, name.span);
    };
    if (const auto* star = as<MatchStar>(&node)) capture(star->name);
    if (const auto* captured = as<MatchAs>(&node)) capture(captured->name);
    if (const auto* mapping = as<MatchMapping>(&node)) capture(mapping->rest);
    visit_all(node);
  }

  void walrus(const NamedExpr& node) {
    const auto* name = as<Name>(node.target);
    ScopeId scope = scope_;
    while (facts_.scopes[scope].kind == ScopeKind::kComprehension) scope = facts_.scopes[scope].parent;
    if (name != nullptr) {
      bind_in(binding_scope(scope, name->id), name->id, BindingKind::kNamedExpr, name, &node, name->span);
    }
    visit(node.value);
  }

  void type_alias(const TypeAlias& node) {
    if (const auto* name = as<Name>(node.name)) bind(name->id, BindingKind::kTypeAlias, name, &node, name->span);
    const ScopeId outer = scope_;
    type_parameters(node.type_params, node);
    visit(node.value);
    scope_ = outer;
  }

  /// Opens the scope of PEP 695 type parameters, if there are any, and makes it the current one.
  void type_parameters(Seq<TypeParam> parameters, const Node& owner) {
    if (parameters.empty()) return;
    scope_ = open(ScopeKind::kTypeParams, scope_, owner);
    for (const TypeParam* parameter : parameters) {
      bind(parameter->name.text, BindingKind::kTypeParam, parameter, &owner, parameter->name.span);
      visit(parameter->bound);
      visit(parameter->default_value);
    }
  }

  void parameters(const Parameters* list, const Node& owner) {
    if (list == nullptr) return;
    for (const Parameter* parameter : list->all) {
      bind(parameter->name.text, BindingKind::kParameter, parameter, &owner, parameter->name.span);
    }
  }
  void parameter_expressions(const Parameters* list) {
    if (list == nullptr) return;
    for (const Parameter* parameter : list->all) {
      visit(parameter->annotation);
      visit(parameter->default_value);
    }
  }

  void function(const FunctionDef& node) {
    for (const Expr* decorator : node.decorators) visit(decorator);
    bind(node.name.text, BindingKind::kFunction, &node, &node, node.name.span);
    const ScopeId outer = scope_;
    type_parameters(node.type_params, node);
    parameter_expressions(node.parameters);
    visit(node.returns);
    scope_ = open(ScopeKind::kFunction, scope_, node);
    parameters(node.parameters, node);
    const bool in_try = std::exchange(in_try_, false);
    block(node.body);
    in_try_ = in_try;
    scope_ = outer;
  }

  void lambda(const Lambda& node) {
    parameter_expressions(node.parameters);
    const ScopeId outer = scope_;
    scope_ = open(ScopeKind::kLambda, outer, node);
    parameters(node.parameters, node);
    visit(node.body);
    scope_ = outer;
  }

  void class_def(const ClassDef& node) {
    for (const Expr* decorator : node.decorators) visit(decorator);
    bind(node.name.text, BindingKind::kClass, &node, &node, node.name.span);
    const ScopeId outer = scope_;
    type_parameters(node.type_params, node);
    for (const Expr* base : node.bases) visit(base);
    for (const Keyword* keyword : node.keywords) visit(keyword->value);
    scope_ = open(ScopeKind::kClass, scope_, node);
    block(node.body);
    scope_ = outer;
  }

  /// The first iterable is evaluated outside; everything else belongs to the comprehension.
  void comprehension(const Node& node, Seq<Comprehension> generators) {
    const ScopeId outer = scope_;
    if (!generators.empty()) visit(generators.front()->iterable);
    scope_ = open(ScopeKind::kComprehension, outer, node);
    for (std::size_t i = 0; i < generators.size(); ++i) {
      const Comprehension& generator = *generators[i];
      target(generator.target, BindingKind::kComprehensionTarget, &node);
      if (i > 0) visit(generator.iterable);
      for (const Expr* condition : generator.conditions) visit(condition);
    }
    comprehension_elements(node);
    scope_ = outer;
  }

  void comprehension_elements(const Node& node) {
    if (const auto* list = as<ListComp>(&node)) visit(list->element);
    if (const auto* set = as<SetComp>(&node)) visit(set->element);
    if (const auto* generator = as<GeneratorExp>(&node)) visit(generator->element);
    if (const auto* dict = as<DictComp>(&node)) {
      visit(dict->key);
      visit(dict->value);
    }
  }

  void import(const Import& node) {
    for (const Alias* alias : node.names) {
      const bool renamed = !alias->as_name.text.empty();
      const std::string_view dotted = alias->name.text;
      const std::string_view bound = renamed ? alias->as_name.text : dotted.substr(0, dotted.find('.'));
      ImportedName imported{};
      imported.module = dotted;
      add_import(imported, node, *alias, bound);
    }
  }

  void import_from(const ImportFrom& node) {
    for (const Alias* alias : node.names) {
      const bool is_star = alias->name.text == "*";
      const bool renamed = !alias->as_name.text.empty();
      ImportedName imported{};
      imported.level = node.level;
      imported.module = node.module.text;
      imported.name = alias->name.text;
      const std::string_view bound = renamed ? alias->as_name.text : alias->name.text;
      add_import(imported, node, *alias, is_star ? std::string_view{} : bound);
    }
  }

  void add_import(ImportedName imported, const Node& statement, const Alias& alias, std::string_view bound) {
    imported.statement = &statement;
    imported.scope = bound.empty() ? scope_ : binding_scope(scope_, bound);
    imported.bound_as = bound;
    imported.in_type_checking = in_type_checking_;
    imported.in_try = in_try_;
    imported.span = alias.span;
    facts_.imports.push_back(imported);
    if (bound.empty()) return;
    const Span span = alias.as_name.text.empty() ? alias.name.span : alias.as_name.span;
    bind(bound, BindingKind::kImport, &alias, &statement, span);
  }

  FileFacts& facts_;
  ScopeId scope_;
  bool in_type_checking_ = false;
  bool in_try_ = false;
};

}  // namespace

std::shared_ptr<const FileFacts> extract_facts(std::string bytes) {
  auto facts = std::make_shared<FileFacts>();
  facts->file = parse(std::move(bytes));
  Extractor(*facts).run(facts->tree());
  return facts;
}

const Constant* docstring_of(Seq<Stmt> body) {
  if (body.empty()) return nullptr;
  const auto* statement = as<ExprStmt>(body.front());
  if (statement == nullptr) return nullptr;
  const auto* constant = as<Constant>(statement->value);
  return constant != nullptr && constant->constant_kind == ConstantKind::kStr ? constant : nullptr;
}

}  // namespace lockstep::python
