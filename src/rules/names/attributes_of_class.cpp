#include "rules/names/attributes_of_class.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

// Members of torch.nn.Module (torch 2.x) that code reads as `self.name`, near enough to names of its own.
constexpr auto kModuleMembers = std::to_array<std::string_view>({"training",
                                                                 "parameters",
                                                                 "named_parameters",
                                                                 "buffers",
                                                                 "named_buffers",
                                                                 "children",
                                                                 "named_children",
                                                                 "modules",
                                                                 "named_modules",
                                                                 "state_dict",
                                                                 "load_state_dict",
                                                                 "train",
                                                                 "eval",
                                                                 "to",
                                                                 "cuda",
                                                                 "cpu",
                                                                 "half",
                                                                 "float",
                                                                 "double",
                                                                 "bfloat16",
                                                                 "type",
                                                                 "apply",
                                                                 "forward",
                                                                 "zero_grad",
                                                                 "requires_grad_",
                                                                 "share_memory",
                                                                 "extra_repr",
                                                                 "compile",
                                                                 "get_submodule",
                                                                 "get_parameter",
                                                                 "get_buffer",
                                                                 "add_module",
                                                                 "register_buffer",
                                                                 "register_parameter",
                                                                 "register_module",
                                                                 "dump_patches",
                                                                 "_parameters",
                                                                 "_buffers",
                                                                 "_modules",
                                                                 "_apply",
                                                                 "_version",
                                                                 "_backward_hooks",
                                                                 "_forward_hooks",
                                                                 "_forward_pre_hooks",
                                                                 "_state_dict_hooks",
                                                                 "_load_from_state_dict",
                                                                 "_get_name",
                                                                 "_call_impl",
                                                                 "__class__"});

bool binds_in_body(const Program& program, ClassId cls, std::string_view name) {
  const program::Class& row = program.classes()[cls];
  const FileFacts& facts = *program.modules()[row.module].facts;
  const auto scope = facts.scope_of_node.find(row.node);
  if (scope == facts.scope_of_node.end()) return true;
  const auto& bindings = facts.scopes[scope->second].bindings;
  return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& each) { return each.name == name; });
}

bool has_own(const Program& program, ClassId cls, std::string_view name) {
  const program::Class& row = program.classes()[cls];
  const auto is_it = [&](const program::Field& field) { return field.name == name; };
  return std::any_of(row.fields.begin(), row.fields.end(), is_it) || binds_in_body(program, cls, name);
}

bool is_near(std::string_view a, std::string_view b) {
  const auto framed = [](std::string_view plain, std::string_view with) {
    return with.size() == plain.size() + 1 &&
           (with.starts_with('_') ? with.substr(1) == plain : with.ends_with('_') && with.starts_with(plain));
  };
  if (framed(a, b) || framed(b, a)) return true;
  constexpr std::size_t kLongEnough = 8;
  return a.size() >= kLongEnough && b.size() >= kLongEnough && edit_distance(a, b, 1) <= 1;
}

}  // namespace

bool is_member_of_nn_module(std::string_view name) {
  return std::find(kModuleMembers.begin(), kModuleMembers.end(), name) != kModuleMembers.end();
}

ClassFamily::ClassFamily(const Program& program, ClassId cls) : program_(program) {
  std::set<ClassId> seen;
  for (const ClassId below : program::with_descendants(program, cls)) {
    for (const ClassId each : program.classes()[below].linearized) {
      if (seen.insert(each).second) members_.push_back(each);
    }
  }
}

bool ClassFamily::has(std::string_view name) const {
  return std::any_of(members_.begin(), members_.end(), [&](ClassId cls) { return has_own(program_, cls, name); });
}

bool ClassFamily::sets_by_other_means() const {
  return std::any_of(members_.begin(), members_.end(), [&](ClassId cls) {
    const program::Class& row = program_.classes()[cls];
    const FileFacts& facts = *program_.modules()[row.module].facts;
    const std::string_view source = facts.source().slice(row.node->span);
    return source.find("__dict__") != std::string_view::npos || source.find("setattr") != std::string_view::npos ||
           source.find("vars(self)") != std::string_view::npos || !row.node->keywords.empty() ||
           source.find("__getattr") != std::string_view::npos || source.find("__slots__") != std::string_view::npos ||
           !facts.file->problems.empty() ||
           std::any_of(row.node->decorators.begin(), row.node->decorators.end(), [](const Expr* decorator) {
             const auto* call = as<Call>(decorator);
             const Expr* named = call != nullptr ? call->callee : decorator;
             const auto* attribute = as<Attribute>(named);
             return (attribute != nullptr ? attribute->name.text : name_of(named)) != "dataclass";
           });
  });
}

bool ClassFamily::sets_outside(FunctionId init, std::string_view name) const {
  return std::any_of(members_.begin(), members_.end(), [&](ClassId cls) {
    if (binds_in_body(program_, cls, name)) return true;
    const auto& methods = program_.classes()[cls].methods;
    return std::any_of(methods.begin(), methods.end(), [&](FunctionId method) {
      if (method == init) return false;
      bool sets = false;
      walk_of<Attribute>(*program_.functions()[method].node, Nested::kEnter, [&](const Attribute* attribute) {
        sets = sets || (attribute->context == ExprContext::kStore && self_attribute(attribute) == name);
      });
      return sets;
    });
  });
}

std::string_view ClassFamily::near_name(std::string_view name) const {
  for (const ClassId cls : members_) {
    const program::Class& row = program_.classes()[cls];
    for (const program::Field& field : row.fields) {
      if (is_near(name, field.name)) return field.name;
    }
    for (const FunctionId method : row.methods) {
      if (is_near(name, program_.functions()[method].name)) return program_.functions()[method].name;
    }
  }
  return {};
}

namespace {

void sort_unique(std::vector<std::string_view>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

/// `getattr(x, "name")`, `self.register_buffer("name", …)`: the name; empty for other calls.
std::string_view asked_by_text(const Call& call) {
  const std::string_view callee = name_of(call.callee);
  if (callee == "getattr" || callee == "hasattr" || callee == "setattr" || callee == "delattr")
    return call.arguments.size() >= 2 ? text_of(call.arguments[1]) : std::string_view();
  const auto* method = as<Attribute>(call.callee);
  const bool registers = method != nullptr && (method->name.text.starts_with("register_") ||
                                               method->name.text.starts_with("add_") || method->name.text == "setattr");
  return registers && !call.arguments.empty() ? text_of(call.arguments[0]) : std::string_view();
}

}  // namespace

AttributesSetFromOutside::AttributesSetFromOutside(const Program& program) {
  for (const program::Module& module : program.modules()) {
    OneModule one{module.facts.get(), {}};
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* attribute = as<Attribute>(node);
      if (attribute != nullptr && attribute->context == ExprContext::kStore && name_of(attribute->value) != "self")
        one.names.push_back(attribute->name.text);
      const auto* call = as<Call>(node);
      const std::string_view text = call == nullptr ? std::string_view() : asked_by_text(*call);
      if (!text.empty()) texts_.push_back(text);
    });
    sort_unique(one.names);
    modules_.push_back(std::move(one));
  }
  sort_unique(texts_);
}

bool AttributesSetFromOutside::may_set(const program::Class& cls, std::string_view name) const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const OneModule& each) {
    return std::binary_search(each.names.begin(), each.names.end(), name) &&
           each.facts->source().bytes().find(cls.name) != std::string_view::npos;
  });
}

bool AttributesSetFromOutside::asks_by_text(std::string_view name) const {
  return std::binary_search(texts_.begin(), texts_.end(), name);
}

}  // namespace lockstep::rules
