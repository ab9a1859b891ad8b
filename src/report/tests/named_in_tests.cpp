#include "report/tests/named_in_tests.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/story.h"
#include "report/tests/stand_in_selves.h"
#include "report/tests/test_replacements.h"

namespace lockstep::report {

using program::FunctionId;
using program::Program;

namespace {

/// Whether `C.name` is what a class has by the name, and that is another function.
bool is_of_other_class(const Program& program, FunctionId target, FunctionId function, const python::Attribute& read) {
  const program::Reference to = program.resolve(function, *read.value);
  if (to.kind != program::Reference::Kind::kClass) return false;
  const FunctionId method = program.find_method(to.cls, read.name.text);
  return method.valid() && method != target;
}

/// Whether `x.name` may be the function: a method, or a function where no class of the test's module has a field of
/// that name and, where it is not called and `x` is no module, none at all declares one. `around`: up to the read.
bool may_be_read_off(const Program& program, FunctionId target, program::ModuleId id, std::uint32_t at,
                     const std::vector<const python::Node*>& around) {
  const program::Function& function = program.functions()[target];
  if (function.owner.valid()) return true;
  const auto& read = *python::as<python::Attribute>(around.back());
  const auto* call = around.size() < 2 ? nullptr : python::as<python::Call>(around[around.size() - 2]);
  const bool is_called = call != nullptr && call->callee == &read;
  const bool may_be_field =
      !is_called && program.resolve(program.function_at(id, at), *read.value).kind != program::Reference::Kind::kModule;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::Class& cls = program.classes()[program::ClassId(i)];
    if (cls.module != id && !may_be_field) continue;
    const bool has = std::any_of(cls.fields.begin(), cls.fields.end(), [&](const program::Field& field) {
      return field.name == function.name && (cls.module == id || field.in_class_body);
    });
    if (has) return false;
  }
  return true;
}

/// Whether the innermost node is an attribute that is given a plain constant (`args.name = False`), and is none of a
/// module or a class: a setting of that name.
bool is_set_to_constant(const Program& program, program::ModuleId id, std::uint32_t at,
                        const std::vector<const python::Node*>& around) {
  const auto* attribute = python::as<python::Attribute>(around.back());
  const auto* assign = around.size() < 2 ? nullptr : python::as<python::Assign>(around[around.size() - 2]);
  if (attribute == nullptr || assign == nullptr || assign->value == attribute || !is_plain_constant(*assign->value))
    return false;
  const program::Reference to = program.resolve(program.function_at(id, at), *attribute->value);
  return to.kind != program::Reference::Kind::kModule && to.kind != program::Reference::Kind::kClass;
}

/// Whether a text means the function by its name: as the last part of a dotted path ("lib.module.name"), as what
/// `getattr`, `patch.object` and their like are asked for, or by itself where nothing else has that name. Of a name
/// that others share, a text that is the name alone may be a label.
bool is_looked_up(const std::vector<const python::Node*>& around, std::string_view name, bool is_shared) {
  const auto* constant = python::as<python::Constant>(around.back());
  const python::Node* outer = around.size() < 2 ? nullptr : around[around.size() - 2];
  if (outer != nullptr && python::is<python::ExprStmt>(outer)) return false;
  if (!is_shared || constant->text != name) return true;
  static constexpr std::string_view kAsking[] = {"attrgetter",   "delattr", "getattr", "hasattr",
                                                 "methodcaller", "object",  "patch",   "setattr"};
  const auto* call = outer == nullptr ? nullptr : python::as<python::Call>(outer);
  return call != nullptr && std::find(std::begin(kAsking), std::end(kAsking), callee_name(*call)) != std::end(kAsking);
}

/// The dotted path in a text that has a name as one of its parts, up to the name.
struct Dotted {
  std::string_view path;
  bool has_slash = false;  ///< One stands beside the name: a path of files, or of an address.
};
Dotted dotted_at(std::string_view bytes, std::size_t at, std::size_t size) {
  const auto is_part = [](char c) { return is_name_char(c) || c == '.'; };
  std::size_t begin = at;
  while (begin > 0 && is_part(bytes[begin - 1])) --begin;
  const std::size_t end = at + size;
  const char before = begin > 0 ? bytes[begin - 1] : ' ';
  const char behind = end < bytes.size() ? bytes[end] : ' ';
  return {bytes.substr(begin, end - begin), before == '/' || behind == '/'};
}

/// Whether a dotted path in a text leads to something else of that name: a module, or a function of another module.
bool leads_elsewhere(const Program& program, FunctionId target, const Dotted& dotted) {
  if (dotted.has_slash) return true;
  const std::size_t dot = dotted.path.rfind('.');
  if (dot == std::string_view::npos) return false;
  if (program.find_module(dotted.path).valid()) return true;
  const FunctionId named = program.find_function(dotted.path);
  return named.valid() && named != target;
}

}  // namespace

std::string_view home_of(const Program& program, const program::Function& function) {
  std::size_t sharing = 0;
  const bool is_test = program::is_test_path(program.modules()[function.module].path);
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::Function& other = program.functions()[FunctionId(i)];
    if (other.name != function.name) continue;
    if (is_test || !program::is_test_path(program.modules()[other.module].path)) ++sharing;
  }
  if (sharing < 2) return {};
  if (function.owner.valid()) return program.classes()[function.owner].name;
  const std::string_view module = program.modules()[function.module].name;
  return module.substr(module.rfind('.') == std::string_view::npos ? 0 : module.rfind('.') + 1);
}

bool may_mean(const Program& program, FunctionId target, program::ModuleId id, std::uint32_t at, bool is_shared) {
  const program::Module& module = program.modules()[id];
  const std::vector<python::Comment>& comments = module.facts->file->comments;
  const auto past = std::upper_bound(comments.begin(), comments.end(), at,
                                     [](std::uint32_t place, const auto& one) { return place < one.span.begin; });
  if (past != comments.begin() && at < std::prev(past)->span.end) return false;
  const std::vector<const python::Node*> around = chain_to(module.facts->tree(), {at, at + 1});
  if (around.empty()) return false;
  if (python::is<python::Constant>(around.back())) {
    const std::string_view name = program.functions()[target].name;
    return is_looked_up(around, name, is_shared) &&
           !leads_elsewhere(program, target, dotted_at(module.facts->source().bytes(), at, name.size()));
  }
  if (const auto* attribute = python::as<python::Attribute>(around.back()))
    return attribute->name.span.begin == at && !is_stand_in(program, id, at, *attribute->value) &&
           may_be_read_off(program, target, id, at, around) && !is_set_to_constant(program, id, at, around) &&
           !is_of_other_class(program, target, program.function_at(id, at), *attribute);
  const auto* name = python::as<python::Name>(around.back());
  if (name == nullptr) return false;
  const program::Reference to = program.resolve(program.function_at(id, at), *name);
  return to.kind == program::Reference::Kind::kFunction && to.function == target;
}

bool is_call_on_loaded(const Program& program, FunctionId target, program::ModuleId id, std::uint32_t at) {
  const program::Function& function = program.functions()[target];
  const program::Module& test = program.modules()[id];
  const std::string_view bytes = test.facts->source().bytes();
  if (function.owner.valid() || function.enclosing.valid() || !contains(bytes, "spec_from_file_location")) return false;
  const std::string_view path = program.modules()[function.module].path;
  if (find_text(bytes, path.substr(path.rfind('/') + 1)) == std::string_view::npos) return false;
  const std::vector<const python::Node*> around = chain_to(test.facts->tree(), {at, at + 1});
  const auto* attribute = around.size() < 2 ? nullptr : python::as<python::Attribute>(around.back());
  const auto* call = attribute == nullptr ? nullptr : python::as<python::Call>(around[around.size() - 2]);
  const auto* module = attribute == nullptr ? nullptr : python::as<python::Name>(attribute->value);
  if (call == nullptr || module == nullptr || call->callee != attribute || attribute->name.span.begin != at)
    return false;
  const auto& imports = test.facts->imports;
  return std::none_of(imports.begin(), imports.end(),
                      [&](const python::ImportedName& each) { return each.bound_as == module->id; });
}

}  // namespace lockstep::report
