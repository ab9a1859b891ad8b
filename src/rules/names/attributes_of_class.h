// Which attributes the objects of a class can have: what it, all classes below it, and all that those derive from set.
// Linked program in, answers out.
//
// Left out: classes outside the repository (callers ask for them), attributes set through a variable
// (AttributesSetFromOutside knows their names).
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

/// True for the names that torch.nn.Module gives its objects.
bool is_member_of_nn_module(std::string_view name);

/// One class, the classes below it, and every class of the repository above any of those.
class ClassFamily {
 public:
  ClassFamily(const program::Program& program, program::ClassId cls);

  [[nodiscard]] const std::vector<program::ClassId>& members() const { return members_; }
  /// True if a class of the family has a method, field or nested class of this name, or sets `self.name`.
  [[nodiscard]] bool has(std::string_view name) const;
  /// True if a class of the family may have attributes that its source does not name: `setattr`, `__dict__`,
  /// `__getattr__`, a metaclass, a decorator other than dataclass.
  [[nodiscard]] bool sets_by_other_means() const;
  /// True if anything but the function `init` gives objects of the family an attribute of this name: a method or field
  /// of a class body, or `self.name = …` in another method.
  [[nodiscard]] bool sets_outside(program::FunctionId init, std::string_view name) const;
  /// A member that differs from `name` in an underscore around it, or in one letter of a long name; empty for none.
  [[nodiscard]] std::string_view near_name(std::string_view name) const;

 private:
  const program::Program& program_;
  std::vector<program::ClassId> members_;
};

/// What a program does to the attributes of objects other than `self`: `model.name = …`, `getattr(model, "name")`.
class AttributesSetFromOutside {
 public:
  explicit AttributesSetFromOutside(const program::Program& program);
  /// True if a module that mentions the class sets an attribute of this name on some object that is not `self`.
  [[nodiscard]] bool may_set(const program::Class& cls, std::string_view name) const;
  /// True if a call of hasattr, getattr, setattr, or of a `register_…` or `add_…` method has the name as a text.
  [[nodiscard]] bool asks_by_text(std::string_view name) const;

 private:
  struct OneModule {
    const python::FileFacts* facts = nullptr;
    std::vector<std::string_view> names;
  };
  std::vector<OneModule> modules_;
  std::vector<std::string_view> texts_;
};

}  // namespace lockstep::rules
