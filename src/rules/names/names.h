// Names as Python looks them up: which scope of a file gives a name its value, and every place where a name is read at
// run time, with what surrounds it. Works on the facts of one file.
//
// Left out: string annotations (nothing evaluates them at run time) and the order of statements (see flow.h).
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "python/facts.h"

namespace lockstep::rules {

/// True for the names that every module sees without binding them: builtins of Python 3.8 to 3.13, what `site` adds,
/// and the module attributes `__name__`, `__file__`, ….
bool is_builtin_name(std::string_view name);

/// The bindings of a file's scopes by name.
class ScopeNames {
 public:
  explicit ScopeNames(const python::FileFacts& facts);

  /// The scope that a read of `name` in scope `from` finds it in: class scopes are invisible from inside functions, a
  /// `global` declaration jumps to the module. None where no scope of the file binds it.
  [[nodiscard]] python::ScopeId find(python::ScopeId from, std::string_view name) const;
  /// Bindings of `name` in exactly `scope`, in source order (those declared `global` elsewhere count for the module).
  [[nodiscard]] const std::vector<const python::Binding*>& bindings(python::ScopeId scope, std::string_view name) const;
  [[nodiscard]] const python::FileFacts& facts() const { return facts_; }

 private:
  using ByName = std::unordered_map<std::string_view, std::vector<const python::Binding*>>;
  const python::FileFacts& facts_;
  std::vector<ByName> scopes_;
};

/// A read of a name that is evaluated when the code runs (or, with `evaluated` false, an annotation that is not).
struct NameUse {
  const python::Name* name = nullptr;
  python::ScopeId scope;  ///< The scope in which it is looked up.
  bool evaluated = true;
  bool in_type_checking = false;        ///< Under `if TYPE_CHECKING:`.
  bool in_unreachable = false;          ///< Under `if False:`, or after a return / raise of the same block.
  bool in_version_guard = false;        ///< Under a condition on the Python version.
  bool name_error_caught = false;       ///< In a `try` that catches NameError by name.
  bool broadly_caught = false;          ///< In a `try` that catches everything.
  bool attribute_error_caught = false;  ///< In a `try` that catches AttributeError by name.
};

/// Calls `visit` for each read of a name in the file, in the order of evaluation as far as the source shows it.
void visit_name_uses(const python::FileFacts& facts, const std::function<void(const NameUse&)>& visit);

/// How often a function gives each name of its own scope a value, parameters among them.
std::unordered_map<std::string_view, std::size_t> times_bound_in(const python::FileFacts& facts,
                                                                 const python::FunctionDef& function);

/// True if the file starts with `from __future__ import annotations`.
bool has_postponed_annotations(const python::FileFacts& facts);

/// True if the file can bind names in ways that are not visible: `exec`, `globals()[…] = …`, `globals().update(…)`, ….
bool has_dynamic_names(const python::FileFacts& facts);

/// True if the file reads or writes `sys.modules`: a module of that name may be something else at run time.
bool replaces_modules(const python::FileFacts& facts);

/// True if `test` mentions TYPE_CHECKING / is a constant false.
bool is_type_checking_test(const python::Expr& test);
bool is_constant_false(const python::Expr& test);
bool is_constant_true(const python::Expr& test);

}  // namespace lockstep::rules
