#include "report/ways/conditions/early_exits.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"

namespace lockstep::report {

namespace {

/// Which guards of a place: those that statements before it leave behind, or those whose branch it stands in.
enum class Stands : std::uint8_t { kBehind, kInside };

/// The guards that all of the places have; none where there are no places.
std::vector<Guard> common_guards(const program::Program& program, program::FunctionId function,
                                 const std::vector<Span>& places, Stands where) {
  const python::FunctionDef* def = program.functions()[function].def();
  std::vector<Guard> common;
  if (def == nullptr || places.empty()) return common;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<Guard> own = guards_of(*def, places[i]);
    std::erase_if(own, [&](const Guard& guard) {
      const bool may_be = python::is<python::If>(guard.statement) || python::is<python::BoolOp>(guard.statement);
      return guard.condition == nullptr || !may_be ||
             guard.statement->span.contains(places[i]) != (where == Stands::kInside);
    });
    if (i == 0) {
      common = std::move(own);
      continue;
    }
    std::erase_if(common, [&](const Guard& guard) {
      return std::none_of(own.begin(), own.end(), [&](const Guard& other) {
        const bool is_same = other.statement == guard.statement && other.negated == guard.negated;
        return is_same && (python::is<python::If>(guard.statement) || other.condition == guard.condition);
      });
    });
  }
  return common;
}

/// Whether the other version asks the same around something: the branch is not the change's own.
bool is_asked_in(const program::Program& program, program::FunctionId function, const std::string& condition) {
  bool found = false;
  const SourceText& source = source_of(program, function);
  python::walk_of<python::If>(
      *program.functions()[function].node, python::Nested::kSkip,
      [&](const python::If* branch) { found = found || one_line_whole(source, *branch->condition) == condition; });
  // An operand of `and` or `or` that decides whether the next one is asked.
  python::walk_of<python::BoolOp>(
      *program.functions()[function].node, python::Nested::kSkip, [&](const python::BoolOp* joined) {
        found = found || std::any_of(joined->values.begin(), joined->values.end(), [&](const python::Expr* operand) {
                  return one_line_whole(source, *operand) == condition;
                });
      });
  return found;
}

/// Whether the guard is only that the arms before a new one of the same if/elif chain are not taken.
bool leads_to_new_arm(const program::Program& before, program::FunctionId function_before,
                      const program::Program& after, program::FunctionId function_after, const Guard& guard) {
  const auto* branch = python::as<python::If>(guard.statement);
  while (guard.negated && branch != nullptr && branch->orelse.size() == 1) {
    branch = python::as<python::If>(branch->orelse[0]);
    if (branch != nullptr &&
        !is_asked_in(before, function_before, one_line_whole(source_of(after, function_after), *branch->condition)))
      return true;
  }
  return false;
}

}  // namespace

void find_exits(const DocumentInputs& inputs, program::FunctionId target, const Touched& touched, EntryPath& path) {
  if (!touched.function_before.valid()) return;
  const auto text_of = [](const program::Program& program, program::FunctionId function, const Guard& guard) {
    return one_line_whole(source_of(program, function), *guard.condition) + (guard.negated ? "-" : "+");
  };
  std::vector<Guard> after = common_guards(*inputs.after, target, touched.after, Stands::kBehind);
  std::vector<Guard> before = common_guards(*inputs.before, touched.function_before, touched.before, Stands::kBehind);
  std::vector<Guard> around = common_guards(*inputs.after, target, touched.after, Stands::kInside);
  std::erase_if(around, [&](const Guard& guard) {
    return leads_to_new_arm(*inputs.before, touched.function_before, *inputs.after, target, guard) ||
           !is_asked_in(*inputs.before, touched.function_before,
                        one_line_whole(source_of(*inputs.after, target), *guard.condition));
  });
  std::vector<Guard> around_before =
      common_guards(*inputs.before, touched.function_before, touched.before, Stands::kInside);
  std::erase_if(around_before, [&](const Guard& guard) {
    return !is_asked_in(*inputs.after, target,
                        one_line_whole(source_of(*inputs.before, touched.function_before), *guard.condition));
  });
  after.insert(after.end(), around.begin(), around.end());
  before.insert(before.end(), around_before.begin(), around_before.end());
  for (std::vector<Guard>* guards : {&after, &before}) {
    std::stable_sort(guards->begin(), guards->end(),
                     [](const Guard& a, const Guard& b) { return a.statement->span.begin < b.statement->span.begin; });
  }
  if (touched.after.empty()) {
    path.exits = std::move(before);
    path.exits_before = touched.function_before;
    return;
  }
  if (!touched.before.empty()) {
    std::erase_if(after, [&](const Guard& guard) {
      return std::none_of(before.begin(), before.end(), [&](const Guard& other) {
        return text_of(*inputs.after, target, guard) == text_of(*inputs.before, touched.function_before, other);
      });
    });
  }
  path.exits = std::move(after);
}

std::vector<Guard> asked_of_new_parameters(const DocumentInputs& inputs, program::FunctionId target,
                                           const Touched& touched) {
  const python::FunctionDef* def = inputs.after->functions()[target].def();
  if (def == nullptr || !touched.function_before.valid()) return {};
  const python::FunctionDef* was = inputs.before->functions()[touched.function_before].def();
  const auto is_new_parameter = [&](const python::Name* name) {
    return rules::parameter_named(def, name->id) != nullptr && rules::parameter_named(was, name->id) == nullptr;
  };
  const auto asks = [&](const python::Expr& condition) {
    const auto* whole = python::as<python::Name>(&condition);
    bool found = whole != nullptr && is_new_parameter(whole);
    python::walk_of<python::Name>(condition, python::Nested::kSkip,
                                  [&](const python::Name* name) { found = found || is_new_parameter(name); });
    return found;
  };
  // The question itself changes, too: it stands in no branch of its own.
  std::vector<Span> places = touched.after;
  python::walk_of<python::If>(*def, python::Nested::kSkip, [&](const python::If* branch) {
    if (asks(*branch->condition)) std::erase_if(places, [&](Span one) { return one.begin == branch->span.begin; });
  });
  std::vector<Guard> guards = common_guards(*inputs.after, target, places, Stands::kInside);
  std::erase_if(guards, [&](const Guard& guard) { return !asks(*guard.condition); });
  return guards;
}

}  // namespace lockstep::report
