// signature-mismatch: calls that no possible target accepts, overrides that do not accept what is called through their
// base, arguments given in another parameter's place, and results unpacked into the wrong number of names.
//
// Left out: calls of anything whose signature the source does not show (unknown decorators, metaclasses, monkeypatched
// or conditionally defined functions), calls with an unknown or external target.

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "rules/calls/family_mismatch.h"
#include "rules/calls/mismatch_at_definition.h"
#include "rules/calls/signature_checks.h"
#include "rules/hits.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

/// From so many calls outside of a change's lines on, what it does to them is told once, at the definition.
constexpr std::size_t kFewestCallsTogether = 2;

/// Whether what is defined on this line is new, went elsewhere, or takes other parameters; a dataclass may where any
/// field of its file differs.
bool has_other_signature(const change::Change& change, std::string_view path, std::uint32_t line) {
  const auto is_field_there = [&](const change::EntityChange& each) {
    return each.kind == change::EntityKind::kField && each.latest().path == path;
  };
  if (std::any_of(change.entities.begin(), change.entities.end(), is_field_there)) return true;
  const change::EntityChange* entity = change.entity_at_after(path, line);
  if (entity == nullptr) return false;
  if (entity->status != change::Status::kModified || entity->moved || entity->renamed) return true;
  return std::any_of(entity->differences.begin(), entity->differences.end(),
                     [](const change::Difference& each) { return each.kind <= change::DifferenceKind::kAsyncChanged; });
}

/// A call in a test, of which nothing says that it fits otherwise than before: neither it nor what it calls is written
/// anew. What tests called before may not be known.
bool stayed_in_test(const RuleContext& context, const Finding& finding) {
  if (!program::is_test_path(finding.path) || is_written(context, finding)) return false;
  return std::none_of(finding.evidence.begin(), finding.evidence.end(),
                      [&](const Evidence& step) { return has_other_signature(*context.change, step.path, step.line); });
}

/// What must be known of the other side to tell whether it has `hits` too: their keys start with their kind and the
/// name of what is called.
SignatureChecks counterparts_of(const std::vector<Hit>& hits) {
  SignatureChecks wanted{false, false, false, false, std::unordered_set<std::string_view>()};
  for (const Hit& hit : hits) {
    const std::string_view key = hit.key;
    const std::size_t first = key.find(' ') + 1;
    const std::string_view name = key.substr(first, key.find(' ', first) - first);
    wanted.names->insert(name.substr(name.rfind('.') + 1));
    wanted.unpackings |= key.starts_with("unpack ");
    wanted.overrides |= key.starts_with("override ");
    const bool is_call = !key.starts_with("unpack ") && !key.starts_with("override ");
    wanted.calls |= is_call;
    wanted.dataclasses |= is_call && !contains(name, ".");
  }
  return wanted;
}

}  // namespace

void run_signature_mismatch(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.before != nullptr) {
    const ChangedModules changed(context.program, *context.before);
    std::vector<Hit> hits = find_misfits(context.program, &changed, {}, &context);
    std::erase_if(hits, [&](const Hit& hit) { return stayed_in_test(context, hit.finding); });
    std::vector<Finding> of_families = find_family_misfits(context, changed);
    std::move(of_families.begin(), of_families.end(), std::back_inserter(findings));
    if (hits.empty()) return;
    const std::vector<Hit> before = find_misfits(*context.before, nullptr, counterparts_of(hits));
    const auto touched = [&](std::string_view path, std::uint32_t line) {
      return context.change->touches_after(path, line);
    };
    const auto changed_entity = [&](std::string_view path, std::uint32_t line) {
      return touched(path, line) || context.change->entity_at_after(path, line) != nullptr;
    };
    auto told = told_at_definitions(introduced(std::move(hits), before), context.program, touched, changed_entity,
                                    kFewestCallsTogether);
    std::move(told.begin(), told.end(), std::back_inserter(findings));
    return;
  }
  std::vector<Finding> found;
  for (Hit& hit : find_misfits(context.program, nullptr, {})) found.push_back(std::move(hit.finding));
  // A check of some files speaks of calls in others where the definition is in one of them.
  const auto is_asked = [&](std::string_view path, std::uint32_t) { return is_wanted(context, path); };
  for (Finding& finding : told_at_definitions(std::move(found), context.program, is_asked, is_asked, 1)) {
    if (is_wanted(context, finding.path)) findings.push_back(std::move(finding));
  }
}

}  // namespace lockstep::rules
