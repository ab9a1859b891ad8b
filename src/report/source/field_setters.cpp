#include "report/source/field_setters.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::ModuleId;
using program::Program;

namespace {

/// What a call does with a name that it is given as text does not set what has the name.
bool only_asks(const Call& call) {
  const std::string_view name = callee_name(call);
  return name == "getattr" || name == "hasattr" || name == "discard" || name == "remove" || name == "pop" ||
         name == "delattr";
}

class Setters {
 public:
  Setters(const Program& program, ClassId cls, std::string_view name, std::size_t position)
      : program_(program), cls_(cls), name_(name), dashed_("--" + std::string(name)), position_(position) {
    std::replace(dashed_.begin() + 2, dashed_.end(), '_', '-');
  }

  [[nodiscard]] bool found_in(ModuleId module) {
    const FileFacts& facts = *program_.modules()[module].facts;
    const bool is_named = facts.has_name(name_) || facts.source().bytes().find(dashed_) != std::string_view::npos;
    if (!is_named && !facts.has_name(program_.classes()[cls_].name)) return false;
    found_ = false;
    look(facts.tree(), nullptr);
    return found_;
  }

 private:
  void look(const Node& node, const Call* given_to) {
    if (found_) return;
    if (const auto* keyword = as<Keyword>(&node)) found_ = keyword->name.text == name_;
    if (const auto* attribute = as<Attribute>(&node))
      found_ = attribute->context == ExprContext::kStore && attribute->name.text == name_;
    if (const auto* constant = as<Constant>(&node)) {
      const std::string_view text = rules::text_of(constant);
      if (text == name_ || text == dashed_) found_ = given_to == nullptr || !only_asks(*given_to);
    }
    const auto* call = as<Call>(&node);
    if (call != nullptr && may_set_unnamed(*call)) found_ = true;
    for_each_child(node, [&](const Node* child) { look(*child, call); });
  }

  /// Whether the call makes an object of the class and may give the field without naming it.
  [[nodiscard]] bool may_set_unnamed(const Call& call) const {
    if (rules::last_part_of(call.callee) != program_.classes()[cls_].name) return false;
    return call.arguments.size() > position_ || rules::has_spread_arguments(call);
  }

  const Program& program_;
  const ClassId cls_;
  const std::string_view name_;
  std::string dashed_;
  const std::size_t position_;  ///< Among what a call can give by position.
  bool found_ = false;
};

}  // namespace

bool is_never_set(const Program& program, ClassId cls, std::string_view name) {
  const auto signature = rules::Signatures(program).of_dataclass(cls);
  if (!signature || !program.subclasses_of(cls).empty()) return false;
  std::size_t position = 0;
  bool is_taken = false;
  for (const rules::AcceptedParameter& each : signature->parameters) {
    if (each.name == name) {
      is_taken = each.has_default;
      break;
    }
    if (each.kind == Parameter::Kind::kPositionalOrKeyword) ++position;
  }
  if (!is_taken) return false;
  Setters setters(program, cls, name, position);
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const ModuleId id(i);
    if (!program::is_test_path(program.modules()[id].path) && setters.found_in(id)) return false;
  }
  return true;
}

bool is_named_for_settings(std::string_view class_name) {
  static constexpr std::string_view kEnds[] = {"Config", "Configuration", "Args", "Arguments", "Options", "Settings"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return class_name.ends_with(end); });
}

}  // namespace lockstep::report
