#include "report/ways/conditions/class_guards.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;

ClassGuards::ClassGuards(const program::Program& program, const MadeClasses& made) : program_(program) {
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    if (!program::is_test_path(program.modules()[ModuleId(i)].path)) note(made, ModuleId(i));
  }
}

const std::vector<ClassGuards::AnyOf>& ClassGuards::around(CallId call) const {
  const auto found = around_.find(call.value);
  return found == around_.end() ? none_ : found->second;
}

/// Of a class below torch.nn.Module, where all that makes it, or an heir, outside tests names it: who is given a class
/// may be anybody.
ClassGuards::AnyOf ClassGuards::makers_of(const MadeClasses& made, ClassId cls) const {
  AnyOf out;
  if (!made.is_known(cls) || !program_.derives_from(cls, "torch.nn.Module")) return out;
  for (std::size_t i = 0; i < program_.classes().size(); ++i) {
    const auto& line = program_.classes()[ClassId(i)].linearized;
    if (std::find(line.begin(), line.end(), cls) == line.end()) continue;
    for (const CallId call : made.makers_of(ClassId(i))) {
      if (made.is_given(call)) return {};
      out.push_back(program_.functions()[program_.calls()[call].caller].module);
    }
  }
  return out;
}

/// Of `isinstance(x, C)` and `isinstance(x, (C, D))`; empty for other conditions, and where one of the classes may be
/// made by anybody.
ClassGuards::AnyOf ClassGuards::asked_for(const MadeClasses& made, ModuleId module, const Expr& condition) const {
  const auto* call = as<Call>(&condition);
  if (call == nullptr || rules::name_of(call->callee) != "isinstance" || call->arguments.size() != 2) return {};
  std::vector<const Expr*> asked = {call->arguments[1]};
  if (const auto* several = as<Tuple>(call->arguments[1]))
    asked.assign(several->elements.begin(), several->elements.end());
  const FunctionId function = program_.function_at(module, condition.span.begin);
  AnyOf out;
  for (const Expr* one : asked) {
    const program::Reference found = function.valid() ? program_.resolve(function, *one) : program::Reference();
    const AnyOf makers = found.kind == program::Reference::Kind::kClass ? makers_of(made, found.cls) : AnyOf();
    if (makers.empty()) return {};
    out.insert(out.end(), makers.begin(), makers.end());
  }
  return out;
}

void ClassGuards::note(const MadeClasses& made, ModuleId module) {
  const FileFacts& facts = *program_.modules()[module].facts;
  for (std::size_t at = facts.find_name("isinstance"); at != std::string_view::npos;
       at = facts.find_name("isinstance", at + 1)) {
    const auto begin = static_cast<std::uint32_t>(at);
    const If* branch = nullptr;
    for (const Node* node : chain_to(facts.tree(), {begin, begin + 1})) {
      if (const auto* one = as<If>(node); one != nullptr && one->condition->span.contains(begin)) branch = one;
    }
    if (branch == nullptr || branch->body.empty()) continue;
    // `isinstance(x, C) and …`: each part has to hold.
    const auto* all = as<BoolOp>(branch->condition);
    const bool is_and = all != nullptr && all->op == BoolOperator::kAnd;
    const Expr* asking = nullptr;
    const auto look = [&](const Expr* part) { asking = part->span.contains(begin) ? part : asking; };
    if (is_and) {
      for (const Expr* part : all->values) look(part);
    } else {
      look(branch->condition);
    }
    const AnyOf makers = asking == nullptr ? AnyOf() : asked_for(made, module, *asking);
    if (makers.empty()) continue;
    for (const Stmt* statement : branch->body) {
      walk_of<Call>(*statement, Nested::kEnter, [&](const Call* call) {
        if (const CallId id = program_.call_of(call); id.valid()) around_[id.value].push_back(makers);
      });
    }
  }
}

}  // namespace lockstep::report
