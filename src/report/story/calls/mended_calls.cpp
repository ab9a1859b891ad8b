#include "report/story/calls/mended_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::CallSite;
using program::FunctionId;
using program::Program;

namespace {

/// Of calls outside tests.
rules::BoundCall bound_call(const Program& program, const CallSite& site, FunctionId function) {
  if (program::is_test_path(program.module_of(site.caller).path)) return {};
  return rules::Signatures(program).bind(site, function);
}

/// The call of the after side that stands as `before` did, in the function of the same name; null where none fits now.
const CallSite* same_call_that_fits(const DocumentInputs& inputs, const CallSite& before, FunctionId function) {
  const Program& program = *inputs.after;
  const std::string text = one_line_whole(inputs.before->module_of(before.caller).facts->source(), *before.node);
  for (const CallId id : program.callers_of(function)) {
    const CallSite& site = program.calls()[id];
    if (program.functions()[site.caller].qualified_name != inputs.before->functions()[before.caller].qualified_name)
      continue;
    if (one_line_whole(program.module_of(site.caller).facts->source(), *site.node) != text) continue;
    const rules::BoundCall bound = bound_call(program, site, function);
    if (bound.is_known && !bound.mismatch) return &site;
  }
  return nullptr;
}

std::string mended_calls_of(const DocumentInputs& inputs, const change::EntityChange& entity) {
  constexpr std::size_t kMostPlaces = 3;
  constexpr std::size_t kMostNames = 3;
  std::vector<std::string> names;
  std::vector<std::string> places;
  std::string where;
  for (const CallId id : inputs.before->callers_of(entity.before->function)) {
    const CallSite& site = inputs.before->calls()[id];
    const rules::BoundCall bound = bound_call(*inputs.before, site, entity.before->function);
    if (!bound.mismatch || bound.mismatch->kind != rules::Mismatch::Kind::kUnknownKeyword) continue;
    const CallSite* now = same_call_that_fits(inputs, site, entity.after->function);
    if (now == nullptr) continue;
    for (const std::string_view name : bound.mismatch->names) {
      if (std::find(names.begin(), names.end(), code(name)) == names.end()) names.push_back(code(name));
    }
    const Program& program = *inputs.after;
    const SourceText& source = program.module_of(now->caller).facts->source();
    places.push_back(fmt::format("{} ({})", code(short_name(program, now->caller)),
                                 place(program.module_of(now->caller).path, source.line_of(now->node->span.begin))));
    if (const Node* body = program.functions()[now->caller].node; body != nullptr)
      where = guards_words(guards_of(*body, now->node->span), source, 2);
  }
  if (places.empty() || names.size() > kMostNames) return {};
  const std::size_t count = places.size();
  if (count > kMostPlaces + 1) places.resize(kMostPlaces);
  if (places.size() < count) places.push_back(fmt::format("{} more", count - places.size()));
  if (count > 1) where.clear();
  return fmt::format("{} takes {} now. The unchanged {} in {} gave {} before: {} raised {}{}.",
                     code(short_name(*inputs.after, entity.after->function)), join_words(names),
                     count == 1 ? "call" : "calls", join_words(places), names.size() == 1 ? "it" : "them",
                     count == 1 ? "it" : "each of them", code("TypeError"), where.empty() ? "" : ", where " + where);
}

}  // namespace

std::vector<std::string> mended_calls(const DocumentInputs& inputs) {
  std::vector<std::string> out;
  for (const change::EntityChange& entity : inputs.change->entities) {
    const bool takes_more = std::any_of(entity.differences.begin(), entity.differences.end(), [](const auto& one) {
      return one.kind == change::DifferenceKind::kParameterAdded ||
             one.kind == change::DifferenceKind::kParameterRenamed;
    });
    if (!takes_more || !entity.before || !entity.after || !entity.before->function.valid() ||
        !entity.after->function.valid() || program::is_test_path(entity.after->path))
      continue;
    if (std::string text = mended_calls_of(inputs, entity); !text.empty()) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace lockstep::report
