// unmasked-access: a Triton kernel loads or stores at offsets under a mask in one place and at the same offsets without
// one in another. Where the mask is needed, the other access reads or writes behind the end.
//
// Left out: kernels without any mask, accesses in the other branch of a condition, accesses through block pointers,
// offsets without a name. Asked of new lines only: a buffer may be padded, which the kernel does not say.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/signatures.h"
#include "rules/triton_kernels.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "unmasked-access";

/// `tl.load(pointer, mask=…)`, `tl.store(pointer, value, mask=…)`.
struct Access {
  const Call* call = nullptr;
  bool is_masked = false;
  std::set<std::string_view> offsets;  ///< Names made of `tl.arange` in its pointer.
};

std::set<std::string_view> ranges_of(const FunctionDef& kernel) {
  std::set<std::string_view> names;
  walk_of<Assign>(kernel, Nested::kSkip, [&](const Assign* assign) {
    const std::string_view name = name_of(assign->targets[0]);
    if (!name.empty() && calls_name(*assign->value, "arange")) names.insert(name);
  });
  return names;
}

std::vector<Access> accesses_of(const Program& program, FunctionId function, const FunctionDef& kernel) {
  const std::set<std::string_view> ranges = ranges_of(kernel);
  std::vector<Access> all;
  walk_of<Call>(kernel, Nested::kSkip, [&](const Call* call) {
    if (call->arguments.empty()) return;
    const std::string does = triton_language_name(program, function, *call->callee);
    const bool loads = does == "load";
    if (!loads && does != "store") return;
    Access access{call, keyword_value(*call, "mask") != nullptr || has_spread_keywords(*call), {}};
    access.is_masked = access.is_masked || call->arguments.size() > (loads ? 1u : 2u) ||
                       keyword_value(*call, "boundary_check") != nullptr;
    walk_of<Name>(*call->arguments[0], Nested::kSkip, [&](const Name* name) {
      if (ranges.contains(name->id)) access.offsets.insert(name->id);
    });
    if (const auto* pointer = as<Name>(call->arguments[0]); pointer != nullptr && ranges.contains(pointer->id))
      access.offsets.insert(pointer->id);
    all.push_back(std::move(access));
  });
  return all;
}

bool holds(Seq<Stmt> block, Span place) {
  return !block.empty() && block.front()->span.begin <= place.begin && place.end <= block.back()->span.end;
}

/// One in each branch of a condition: it says where no mask is needed.
bool are_alternatives(const FunctionDef& kernel, Span one, Span other) {
  bool found = false;
  walk_of<If>(kernel, Nested::kSkip, [&](const If* branch) {
    found = found || (holds(branch->body, one) && holds(branch->orelse, other)) ||
            (holds(branch->body, other) && holds(branch->orelse, one));
  });
  return found;
}

void scan_kernel(const Program& program, FunctionId function, const FunctionDef& kernel, std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  const std::vector<Access> all = accesses_of(program, function, kernel);
  for (const Access& access : all) {
    if (access.is_masked || access.offsets.empty()) continue;
    const auto twin = std::find_if(all.begin(), all.end(), [&](const Access& other) {
      return other.is_masked && other.offsets == access.offsets &&
             !are_alternatives(kernel, access.call->span, other.call->span);
    });
    if (twin == all.end()) continue;
    const FileFacts& facts = *program.modules()[row.module].facts;
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
