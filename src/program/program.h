// The linked program: modules, classes with their hierarchy, functions, call sites with what they may call. Built from
// the facts of all files by `link` (link.h), then frozen: every later phase takes it as `const Program&`.
//
// Left out: files that are not Python; standard library and site-packages (their symbols are external dotted names such
// as "torch.distributed.all_reduce").
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/derived_tables.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/table.h"
#include "python/facts.h"

namespace lockstep::program {

using ModuleId = Id<struct ModuleTag>;
using ClassId = Id<struct ClassTag>;
using FunctionId = Id<struct FunctionTag>;
using CallId = Id<struct CallTag>;

/// One Python file.
struct Module {
  std::string name;  ///< Dotted: "megatron.core.utils"; a package's `__init__.py` has the package's name.
  std::string path;  ///< In the repository, with '/'.
  std::shared_ptr<const python::FileFacts> facts;
  bool is_package = false;
  FunctionId body;               ///< The code at module level, as a function named "<module>".
  std::vector<ClassId> classes;  ///< All classes of the file, nested ones too, in the order of the source.
  std::vector<FunctionId>
      functions;  ///< All functions and lambdas of the file (not `body`), in the order of the source.
};

enum class FunctionKind : std::uint8_t { kFunction, kLambda, kModuleBody };

/// A function, method, nested function, lambda, or the code at module level.
struct Function {
  FunctionKind kind = FunctionKind::kFunction;
  ModuleId module;
  std::string
      qualified_name;     ///< "pkg.mod.Class.method", "pkg.mod.outer.inner", "pkg.mod.<module>", "pkg.mod.f.<lambda1>".
  std::string_view name;  ///< Last part.
  ClassId owner;          ///< The class in whose body it is defined; none otherwise.
  FunctionId enclosing;   ///< The function whose body holds it; none at module or class level.
  const python::Node* node = nullptr;  ///< FunctionDef, Lambda or Module.
  std::vector<CallId> calls;  ///< Call sites in its own body (nested definitions have their own), in source order.

  [[nodiscard]] const python::FunctionDef* def() const { return python::as<python::FunctionDef>(node); }
};

/// A name that a class body, or `self.name = …` in its methods, defines.
struct Field {
  std::string_view name;
  const python::Node* node = nullptr;           ///< First statement that declares it (AnnAssign, Assign, …).
  const python::Expr* annotation = nullptr;     ///< May be null.
  const python::Expr* default_value = nullptr;  ///< May be null: value of the declaration.
  bool in_class_body = false;                   ///< Declared in the class body (dataclass field, class attribute).
  FunctionId assigned_in;                       ///< For `self.name = …`: the first method that does.
};

struct Class {
  ModuleId module;
  std::string qualified_name;
  std::string_view name;
  FunctionId enclosing;  ///< The function whose body holds it; none at module or class level.
  ClassId owner;         ///< Class in whose body it is nested; none otherwise.
  const python::ClassDef* node = nullptr;
  std::vector<ClassId> bases;                   ///< Direct bases inside the repository.
  std::vector<std::string> external_bases;      ///< Direct bases outside, as dotted names ("torch.nn.Module").
  std::vector<ClassId> linearized;              ///< MRO over classes of the repository, itself first.
  std::vector<std::string> external_ancestors;  ///< All external classes above it, sorted.
  std::vector<FunctionId> methods;              ///< Defined in its own body, in source order.
  std::vector<Field> fields;                    ///< Its own, in source order.
  bool is_dataclass = false;
};

/// How sure an edge of the call graph is.
enum class Certainty : std::uint8_t {
  kExact,     ///< The only target.
  kPossible,  ///< One of several.
  kByName,    ///< A guess by method name alone; left out unless asked for.
};

/// Through what a call reaches its target.
enum class CallKind : std::uint8_t {
  kDirect,       ///< f(…), obj.method(…)
  kConstructor,  ///< Class(…) -> __init__ / __new__ / __post_init__
  kModuleCall,   ///< module(…) -> forward (torch.nn.Module.__call__)
  kAutograd,     ///< Function.apply(…) -> forward / backward
  kImplicit,     ///< property, operator, context manager, iteration
  kCallback,     ///< called later or by a library: hooks, checkpoint(fn), partial, decorators
};

struct CallTarget {
  FunctionId function;        ///< None for an external target.
  std::string_view external;  ///< Dotted name of an external target; empty for an internal one. Owned by the Program.
  Certainty certainty = Certainty::kExact;
  CallKind kind = CallKind::kDirect;
};

/// One place that calls. `node` is a Call, or for implicit calls the Attribute, Subscript, BinOp, With item, For, ….
struct CallSite {
  FunctionId caller;
  const python::Node* node = nullptr;
  std::vector<CallTarget> targets;      ///< Internal and external; sorted: certainty, then qualified name.
  std::string_view unresolved_because;  ///< Empty when there is a target.
};

/// What a name or dotted expression stands for at some place.
struct Reference {
  enum class Kind : std::uint8_t { kUnknown, kModule, kClass, kFunction, kVariable, kExternal };
  Kind kind = Kind::kUnknown;
  ModuleId module;      ///< kModule; kVariable: the module that binds it.
  ClassId cls;          ///< kClass
  FunctionId function;  ///< kFunction
  std::string name;     ///< kVariable: its name in that module; kExternal: the dotted name.
};

class Program {
 public:
  struct Index;  ///< Lookup tables of the program room itself (index.h).

  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program(Program&&) = default;
  Program& operator=(Program&&) = default;

  [[nodiscard]] const Table<ModuleId, Module>& modules() const { return modules_; }  ///< Sorted by path.
  [[nodiscard]] const Table<ClassId, Class>& classes() const { return classes_; }
  [[nodiscard]] const Table<FunctionId, Function>& functions() const { return functions_; }
  [[nodiscard]] const Table<CallId, CallSite>& calls() const { return calls_; }

  [[nodiscard]] const Module& module_of(FunctionId id) const { return modules_[functions_[id].module]; }
  [[nodiscard]] const Module& module_of(ClassId id) const { return modules_[classes_[id].module]; }

  /// Lookups by name or place; none where there is nothing.
  [[nodiscard]] ModuleId find_module(std::string_view dotted_name) const;
  [[nodiscard]] ModuleId find_path(std::string_view path) const;
  [[nodiscard]] FunctionId find_function(std::string_view qualified_name) const;
  [[nodiscard]] ClassId find_class(std::string_view qualified_name) const;
  /// The function or class that a tree node (FunctionDef, Lambda, Module / ClassDef) defines.
  [[nodiscard]] FunctionId function_of(const python::Node* node) const;
  [[nodiscard]] ClassId class_of(const python::Node* node) const;
  /// The innermost function (never a lambda; the module's body at worst) that holds byte `offset`.
  [[nodiscard]] FunctionId function_at(ModuleId module, std::uint32_t offset) const;
  /// The call site of a Call node (or implicit call's node); none where the node calls nothing known.
  [[nodiscard]] CallId call_of(const python::Node* node) const;

  /// Call sites that may call `function` (not by-name guesses unless `with_guesses`), in the order of path and line.
  [[nodiscard]] std::span<const CallId> callers_of(FunctionId function) const;

  /// Whether `call` can enter `target` where `entering`, a call of the function that makes it, was made before: a
  /// function that calls what it is given enters what this caller gives it. True where that is not known.
  [[nodiscard]] bool can_follow(CallId entering, CallId call, FunctionId target) const;
  /// Whether can_follow says false of some calls of the function that makes `call`.
  [[nodiscard]] bool depends_on_caller(CallId call) const;

  /// Finds `name` along the MRO of `cls`; none where no class of the repository defines it as a method.
  [[nodiscard]] FunctionId find_method(ClassId cls, std::string_view name) const;
  /// Field `name` along the MRO; null where there is none.
  [[nodiscard]] const Field* find_field(ClassId cls, std::string_view name) const;
  /// True if `cls` is or derives from the class with dotted name `ancestor` (internal or external).
  [[nodiscard]] bool derives_from(ClassId cls, std::string_view ancestor) const;
  /// Methods in classes below `owner` that override `method`.
  [[nodiscard]] std::vector<FunctionId> overrides_of(FunctionId method) const;
  [[nodiscard]] std::span<const ClassId> subclasses_of(ClassId cls) const;  ///< Direct ones.

  /// What `expression` (a Name, or Attribute chain) refers to at module, class or function level of `context`, through
  /// imports and re-exports. Locals that merely hold values are kUnknown (ask values_of).
  [[nodiscard]] Reference resolve(FunctionId context, const python::Expr& expression) const;
  /// Same for dotted text seen from a module ("dist.all_reduce").
  [[nodiscard]] Reference resolve(ModuleId context, std::string_view dotted_text) const;

  /// Classes of the repository whose instances `expression` may hold, from value flow; empty where unknown.
  [[nodiscard]] std::vector<ClassId> instance_classes(FunctionId context, const python::Expr& expression) const;

  /// What another room derives from the whole program, `T(*this)`: made once, when first asked for, and kept as long as
  /// the program. Any thread may ask. It may hold ids, nodes and views, but not the Program itself, which may move.
  template <class T>
  [[nodiscard]] const T& derived() const {
    return derived_->get<T>([this] { return std::make_shared<const T>(*this); });
  }

 private:
  friend class Linker;

  Table<ModuleId, Module> modules_;
  Table<ClassId, Class> classes_;
  Table<FunctionId, Function> functions_;
  Table<CallId, CallSite> calls_;
  std::shared_ptr<const Index> index_;
  std::unique_ptr<DerivedTables> derived_ = std::make_unique<DerivedTables>();
};

}  // namespace lockstep::program
