#include "program/definitions.h"

#include <algorithm>

#include <fmt/format.h>

#include "python/tree_walk.h"

namespace lockstep::program {
namespace {

using python::NodeKind;

/// Walks one module, keeping track of the function and class that hold the current node.
class Collector {
 public:
  Collector(const python::FileFacts& facts, std::string_view module_name, Definitions& out) : out_(out) {
    prefix_ = module_name;
    Function body;
    body.kind = FunctionKind::kModuleBody;
    body.qualified_name = fmt::format("{}.<module>", module_name);
    body.node = &facts.tree();
    add_function(std::move(body));
    function_ = FunctionId(0);
    for (const python::Stmt* statement : facts.tree().body) visit(statement);
  }

 private:
  FunctionId add_function(Function function) {
    out_.functions.push_back(std::move(function));
    lambda_counts_.push_back(0);
    return FunctionId(out_.functions.size() - 1);
  }

  void visit(const python::Node* node) {
    switch (node->kind) {
      case NodeKind::kFunctionDef:
        return function(static_cast<const python::FunctionDef&>(*node));
      case NodeKind::kClassDef:
        return class_def(static_cast<const python::ClassDef&>(*node));
      case NodeKind::kLambda:
        return lambda(static_cast<const python::Lambda&>(*node));
      default:
        break;
    }
    python::for_each_child(*node, [this](const python::Node* child) { visit(child); });
  }

  void visit_if(const python::Node* node) {
    if (node != nullptr) visit(node);
  }

  void function(const python::FunctionDef& node) {
    for (const python::Expr* decorator : node.decorators) visit(decorator);
    for (const python::TypeParam* parameter : node.type_params) visit(parameter);
    visit_if(node.parameters);
    visit_if(node.returns);
    Function function;
    function.kind = FunctionKind::kFunction;
    function.node = &node;
    enter(std::move(function), node.name.text, [&] {
      for (const python::Stmt* statement : node.body) visit(statement);
    });
  }

  void lambda(const python::Lambda& node) {
    visit_if(node.parameters);
    Function function;
    function.kind = FunctionKind::kLambda;
    function.node = &node;
    const int number = class_.valid() ? ++class_lambda_counts_[class_.index()] : ++lambda_counts_[function_.index()];
    enter(std::move(function), fmt::format("<lambda{}>", number), [&] { visit(node.body); });
  }

  template <class Body>
  void enter(Function function, std::string_view name, Body&& body) {
    function.qualified_name = fmt::format("{}.{}", prefix_, name);
    function.owner = class_;
    function.enclosing = class_.valid() ? FunctionId{} : enclosing_;
    const FunctionId outer_function = function_;
    const FunctionId outer_enclosing = enclosing_;
    const ClassId outer_class = class_;
    const std::string outer_prefix = std::exchange(prefix_, function.qualified_name);
    const bool is_method = class_.valid() && function.kind == FunctionKind::kFunction;
    function_ = add_function(std::move(function));
    if (is_method) out_.classes[class_.index()].methods.push_back(function_);
    enclosing_ = function_;
    class_ = ClassId{};
    body();
    function_ = outer_function;
    enclosing_ = outer_enclosing;
    class_ = outer_class;
    prefix_ = outer_prefix;
  }

  void class_def(const python::ClassDef& node) {
    for (const python::Expr* decorator : node.decorators) visit(decorator);
    for (const python::TypeParam* parameter : node.type_params) visit(parameter);
    for (const python::Expr* base : node.bases) visit(base);
    for (const python::Keyword* keyword : node.keywords) visit(keyword);
    Class cls;
    cls.qualified_name = fmt::format("{}.{}", prefix_, node.name.text);
    cls.name = node.name.text;
    cls.owner = class_;
    cls.enclosing = class_.valid() ? FunctionId{} : enclosing_;
    cls.node = &node;
    const ClassId outer_class = class_;
    const std::string outer_prefix = std::exchange(prefix_, cls.qualified_name);
    class_ = ClassId(out_.classes.size());
    out_.classes.push_back(std::move(cls));
    class_lambda_counts_.push_back(0);
    for (const python::Stmt* statement : node.body) visit(statement);
    class_ = outer_class;
    prefix_ = outer_prefix;
  }

  Definitions& out_;
  std::string prefix_;
  FunctionId function_;   ///< Whose body runs the current code.
  FunctionId enclosing_;  ///< As Function::enclosing: none at module level.
  ClassId class_;         ///< In whose body the current code stands directly.
  std::vector<int> lambda_counts_;
  std::vector<int> class_lambda_counts_;
};

bool is_self_attribute(const python::Expr* expression, std::string_view self) {
  const auto* attribute = python::as<python::Attribute>(expression);
  if (attribute == nullptr) return false;
  const auto* name = python::as<python::Name>(attribute->value);
  return name != nullptr && name->id == self;
}

/// Adds fields one by one, the first declaration of a name winning.
class FieldList {
 public:
  void declare(Field field) {
    const auto same = [&](const Field& other) { return other.name == field.name; };
    const auto found = std::find_if(fields.begin(), fields.end(), same);
    if (found == fields.end()) {
      fields.push_back(field);
    } else if (found->annotation == nullptr) {
      found->annotation = field.annotation;
    }
  }
  std::vector<Field> fields;
};

void body_fields(const python::ClassDef& cls, FieldList& out) {
  const auto declare = [&](const python::Expr* target, const python::Stmt* node, const python::Expr* annotation,
                           const python::Expr* value) {
    if (const auto* name = python::as<python::Name>(target)) {
      out.declare({name->id, node, annotation, value, true, FunctionId{}});
    }
  };
  python::walk_statements(cls, python::Nested::kSkip, [&](const python::Stmt* statement) {
    if (const auto* annotated = python::as<python::AnnAssign>(statement)) {
      declare(annotated->target, statement, annotated->annotation, annotated->value);
    } else if (const auto* assign = python::as<python::Assign>(statement)) {
      for (const python::Expr* target : assign->targets) declare(target, statement, nullptr, assign->value);
    }
  });
}

void method_fields(FunctionId id, const python::FunctionDef& method, FieldList& out) {
  const std::string_view self = self_name(method);
  if (self.empty()) return;
  const auto declare = [&](const auto& again, const python::Expr* target, const python::Stmt* node,
                           const python::Expr* annotation, const python::Expr* value) -> void {
    if (const auto* tuple = python::as<python::Tuple>(target)) {
      for (const python::Expr* element : tuple->elements) again(again, element, node, nullptr, nullptr);
    } else if (is_self_attribute(target, self)) {
      out.declare({static_cast<const python::Attribute*>(target)->name.text, node, annotation, value, false, id});
    }
  };
  python::walk_statements(method, python::Nested::kSkip, [&](const python::Stmt* statement) {
    if (const auto* annotated = python::as<python::AnnAssign>(statement)) {
      declare(declare, annotated->target, statement, annotated->annotation, annotated->value);
    } else if (const auto* assign = python::as<python::Assign>(statement)) {
      for (const python::Expr* target : assign->targets) declare(declare, target, statement, nullptr, assign->value);
    } else if (const auto* loop = python::as<python::For>(statement)) {
      declare(declare, loop->target, statement, nullptr, nullptr);
    } else if (const auto* with = python::as<python::With>(statement)) {
      for (const python::WithItem* item : with->items) declare(declare, item->target, statement, nullptr, nullptr);
    }
  });
}

}  // namespace

Definitions extract_definitions(const python::FileFacts& facts, std::string_view module_name) {
  Definitions definitions;
  Collector(facts, module_name, definitions);
  return definitions;
}

bool has_decorator(python::Seq<python::Expr> decorators, std::string_view name) {
  return std::any_of(decorators.begin(), decorators.end(), [name](const python::Expr* decorator) {
    if (const auto* call = python::as<python::Call>(decorator)) decorator = call->callee;
    if (const auto* bare = python::as<python::Name>(decorator)) return bare->id == name;
    const auto* attribute = python::as<python::Attribute>(decorator);
    return attribute != nullptr && attribute->name.text == name;
  });
}

std::string_view self_name(const python::FunctionDef& method) {
  if (has_decorator(method.decorators, "staticmethod") || has_decorator(method.decorators, "classmethod")) return {};
  if (method.parameters == nullptr || method.parameters->all.empty()) return {};
  const python::Parameter& first = *method.parameters->all.front();
  using Kind = python::Parameter::Kind;
  const bool positional =
      first.parameter_kind == Kind::kPositionalOnly || first.parameter_kind == Kind::kPositionalOrKeyword;
  return positional ? first.name.text : std::string_view{};
}

std::vector<Field> extract_fields(const python::ClassDef& cls, std::span<const FunctionId> methods,
                                  const Table<FunctionId, Function>& functions) {
  FieldList list;
  body_fields(cls, list);
  for (const FunctionId method : methods) method_fields(method, *functions[method].def(), list);
  return std::move(list.fields);
}

}  // namespace lockstep::program
