// unmasked-access: a Triton kernel loads or stores at offsets under a mask in one place and at the same offsets without
// one in another: of the same pointer, or to store what was loaded so. Where the mask is needed, the other access reads
// or writes behind the end.
//
// Left out: kernels without any mask, accesses of which conditions let only one run, loops over whole blocks (bounded
// by `//`, or with the masked access to the rest behind them), accesses through block pointers, offsets without a name
// or under one that is given two values. Asked of new lines only: a buffer may be padded, which the kernel does not
// say.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/path_facts.h"
#include "rules/training/triton_kernels.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "unmasked-access";
/// Kernels with more loads and stores are left alone: each is held to each.
constexpr std::size_t kMostAccesses = 200;

/// `tl.load(pointer, mask=…)`, `tl.store(pointer, value, mask=…)`.
struct Access {
  const Call* call = nullptr;
  bool is_masked = false;
  bool loads = false;
  std::set<std::string_view> offsets;  ///< Names made of `tl.arange` in its pointer.
  std::string_view base;               ///< The name that its pointer starts with.
  std::string distance;                ///< What is added to it, without white space.
};

/// Names made of `tl.arange`, and given no other value.
std::set<std::string_view> ranges_of(const FileFacts& facts, const FunctionDef& kernel) {
  std::set<std::string_view> names;
  auto times = times_bound_in(facts, kernel);
  walk_of<Assign>(kernel, Nested::kSkip, [&](const Assign* assign) {
    const std::string_view name = name_of(assign->targets[0]);
    if (!name.empty() && times[name] == 1 && calls_name(*assign->value, "arange")) names.insert(name);
  });
  return names;
}

/// The name at the left end of `pointer + a + b`; null where there is none.
const Name* base_of(const Expr& pointer) {
  const Expr* at = &pointer;
  while (const auto* sum = as<BinOp>(at)) at = sum->left;
  return as<Name>(at);
}

std::vector<Access> accesses_of(const Program& program, FunctionId function, const FunctionDef& kernel) {
  const FileFacts& facts = *program.module_of(function).facts;
  const std::set<std::string_view> ranges = ranges_of(facts, kernel);
  std::vector<Access> all;
  walk_of<Call>(kernel, Nested::kSkip, [&](const Call* call) {
    if (call->arguments.empty()) return;
    const std::string does = triton_language_name(program, function, *call->callee);
    const bool loads = does == "load";
    if (!loads && does != "store") return;
    Access access;
    access.call = call;
    access.loads = loads;
    access.is_masked = keyword_value(*call, "mask") != nullptr || has_spread_keywords(*call);
    access.is_masked = access.is_masked || call->arguments.size() > (loads ? 1u : 2u) ||
                       keyword_value(*call, "boundary_check") != nullptr;
    walk_of<Name>(*call->arguments[0], Nested::kSkip, [&](const Name* name) {
      if (ranges.contains(name->id)) access.offsets.insert(name->id);
    });
    if (const auto* pointer = as<Name>(call->arguments[0]); pointer != nullptr && ranges.contains(pointer->id))
      access.offsets.insert(pointer->id);
    if (const Name* base = base_of(*call->arguments[0])) {
      access.base = base->id;
      access.distance = squeezed(facts, {base->span.end, call->arguments[0]->span.end});
    }
    all.push_back(std::move(access));
  });
  return all;
}

bool holds(Seq<Stmt> block, Span place) {
  return !block.empty() && block.front()->span.begin <= place.begin && place.end <= block.back()->span.end;
}

/// What the conditions around `place`, and those before it that return, came out as where it runs.
std::vector<std::pair<const Expr*, bool>> outcomes_at(const FunctionDef& kernel, Span place) {
  std::vector<std::pair<const Expr*, bool>> outcomes;
  walk(kernel, Nested::kSkip, [&](const Node* node) {
    if (const auto* branch = as<If>(node)) {
      const bool returns = !branch->body.empty() && is<Return>(branch->body.back());
      const bool is_else = holds(branch->orelse, place) || (returns && place.begin >= branch->span.end);
      if (holds(branch->body, place) || is_else) outcomes.emplace_back(branch->condition, !is_else);
    } else if (const auto* choice = as<IfExp>(node)) {
      const bool is_else = choice->orelse->span.contains(place);
      if (choice->body->span.contains(place) || is_else) outcomes.emplace_back(choice->condition, !is_else);
    }
  });
  return outcomes;
}

/// No run of the kernel gets to both: a condition says where no mask is needed.
bool are_alternatives(const FileFacts& facts, const FunctionDef& kernel, Span one, Span other) {
  Atoms atoms(facts);
  PathFacts known;
  for (const Span place : {one, other}) {
    for (const auto& [condition, outcome] : outcomes_at(kernel, place)) {
      if (!known.assume(atoms, *condition, outcome)) return true;
    }
  }
  return false;
}

/// In a loop, and the masked access to the same behind it: the loop takes whole blocks, and that the rest.
bool is_before_the_rest(const FunctionDef& kernel, const Access& access, const Access& masked) {
  if (access.base != masked.base) return false;
  bool found = false;
  const auto look = [&](const Stmt& loop, Seq<Stmt> body) {
    found = found || (holds(body, access.call->span) && masked.call->span.begin >= loop.span.end);
  };
  walk(kernel, Nested::kSkip, [&](const Node* node) {
    if (const auto* each = as<For>(node)) look(*each, each->body);
    if (const auto* until = as<While>(node)) look(*until, until->body);
  });
  return found;
}

bool holds_floor_division(const Expr& value) {
  const auto is_one = [](const Node* node) {
    const auto* division = as<BinOp>(node);
    return division != nullptr && division->op == BinaryOperator::kFloorDiv;
  };
  bool found = is_one(&value);
  walk(value, Nested::kSkip, [&](const Node* node) { found = found || is_one(node); });
  return found;
}

/// In a loop over whole blocks: `for i in range(n // BLOCK)`, or with a name for the number of blocks.
bool is_in_whole_blocks(const FunctionDef& kernel, Span place) {
  std::set<std::string_view> counts;
  walk_of<Assign>(kernel, Nested::kSkip, [&](const Assign* assign) {
    if (holds_floor_division(*assign->value)) counts.insert(name_of(assign->targets[0]));
  });
  bool found = false;
  walk_of<For>(kernel, Nested::kSkip, [&](const For* loop) {
    if (!holds(loop->body, place)) return;
    found = found || holds_floor_division(*loop->iterable);
    walk_of<Name>(*loop->iterable, Nested::kSkip,
                  [&](const Name* name) { found = found || counts.contains(name->id); });
  });
  return found;
}

/// Names that get a value in a loop: a pointer among them goes on through its buffer.
std::set<std::string_view> moved_in_loops(const FunctionDef& kernel) {
  std::set<std::string_view> names;
  const auto collect = [&](const Node& loop) {
    walk_of<Name>(loop, Nested::kSkip, [&](const Name* name) {
      if (name->context == ExprContext::kStore) names.insert(name->id);
    });
  };
  walk(kernel, Nested::kSkip, [&](const Node* node) {
    if (is<For>(node) || is<While>(node)) collect(*node);
  });
  return names;
}

/// True if both go to the same place, or one stores behind another pointer what is as far from its start. `moved`: by
/// moved_in_loops.
bool is_twin(const Access& access, const Access& other, const std::set<std::string_view>& moved) {
  const bool is_copied = !access.loads && other.loads && moved.contains(access.base) == moved.contains(other.base);
  return other.offsets == access.offsets && !access.base.empty() && !other.base.empty() &&
         other.distance == access.distance && (other.base == access.base || is_copied);
}

void scan_kernel(const Program& program, FunctionId function, const FunctionDef& kernel, std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  const std::vector<Access> all = accesses_of(program, function, kernel);
  if (all.size() > kMostAccesses) return;
  const std::set<std::string_view> moved = moved_in_loops(kernel);
  const FileFacts& facts = *program.modules()[row.module].facts;
  for (const Access& access : all) {
    if (access.is_masked || access.offsets.empty() || is_in_whole_blocks(kernel, access.call->span)) continue;
    const auto twin = std::find_if(all.begin(), all.end(), [&](const Access& other) {
      return other.is_masked && is_twin(access, other, moved) && !is_before_the_rest(kernel, access, other) &&
             !are_alternatives(facts, kernel, access.call->span, other.call->span);
    });
    if (twin == all.end()) continue;
    Hit hit =
        make_hit(program, kRule, row.module, access.call->span,
                 {Severity::kP2, FindingCertainty::kQuestion, Category::kNumerics,
                  fmt::format("Can `{}` go without a mask?", quote(facts, access.call->span)),
                  fmt::format("The kernel masks another access at the same `{}`; without one this touches what lies "
                              "behind the end, unless the buffer is padded.",
                              *access.offsets.begin()),
                  "Give it the same `mask` (and `other` for a load), or say why the buffer is long enough."});
    hit.finding.evidence.push_back(evidence_at(program, row.module, twin->call->span, "masked here"));
    hits.push_back(std::move(hit));
  }
}

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for_each_triton_kernel(program, module, [&](FunctionId function, const FunctionDef& kernel) {
    scan_kernel(program, function, kernel, hits);
  });
}

}  // namespace

void run_unmasked_access(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_changed_lines(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
