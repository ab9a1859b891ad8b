#include "report/documents/drawings/drawn_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/documents/drawings/drawn_names.h"
#include "report/source/apis.h"
#include "report/source/host_values.h"
#include "report/story/communication/handed_collectives.h"
#include "report/story/wording/words.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using change::EntityChange;
using program::FunctionId;
using program::Program;

namespace {

/// The name of the method that the call names; empty for functions, and for what is called on `super()`.
std::string_view method_of(const python::Call& call) {
  const auto* member = python::as<python::Attribute>(call.callee);
  return member == nullptr || rules::is_method_of_super(member) ? std::string_view() : member->name.text;
}

/// What a function calls, as labels in source order without repetition: functions of the repository by short name,
/// communication and host waits by name.
DrawnCalls calls_of(const Program& program, const mesh::MeshAnalysis* mesh, FunctionId function) {
  DrawnCalls result;
  std::vector<DrawnCall>& out = result.calls;
  if (!function.valid()) return result;
  const auto add = [&](std::string label, std::string text = {}, FunctionId called = {}, bool meets = false) {
    const auto is_known = [&](const DrawnCall& one) { return one.label == label; };
    if (!label.empty() && std::none_of(out.begin(), out.end(), is_known))
      out.push_back({std::move(label), std::move(text), called, meets, {}, nullptr, {}});
  };
  WordsContext context{&program, mesh, function, &source_of(program, function)};
  for (const program::CallId id : program.functions()[function].calls) {
    const program::CallSite& site = program.calls()[id];
    if (!python::is<python::Call>(site.node)) continue;  // Reading a property tells little.
    if (const mesh::CollectiveSite* collective = collective_at(context, site.node)) {
      const std::size_t known = out.size();
      add(unmarked(collective_words(*collective, *mesh)), one_line_whole(*context.source, *site.node), {}, true);
      if (out.size() > known) out.back().site = collective;
      continue;
    }
    const std::vector<FunctionId> callees = callees_of(program, site.node);
    const std::string_view method = method_of(*static_cast<const python::Call*>(site.node));
    if (!callees.empty()) {
      // What a lambda does stands in the function itself.
      if (python::is<python::Lambda>(program.functions()[callees.front()].node)) continue;
      // Of several that it may be, none alone is what is called.
      if (callees.size() == 1) {
        const std::size_t known = out.size();
        add(drawn_name(short_name(program, callees.front())), {}, callees.front());
        if (out.size() > known) out.back().method = method;
        continue;
      }
      const std::string written = one_line_whole(*context.source, *static_cast<const python::Call*>(site.node)->callee);
      const bool is_known =
          std::any_of(out.begin(), out.end(), [&](const DrawnCall& one) { return one.several == written; });
      std::string either = callees.size() > 2 ? std::string()
                                              : fmt::format("{} or {}", drawn_name(short_name(program, callees[0])),
                                                            drawn_name(short_name(program, callees[1])));
      if (!is_known) out.push_back({std::move(either), {}, {}, false, written, nullptr, method});
      result.open.insert(method);
      continue;
    }
    const std::string_view external = external_callee(program, site.node);
    if (external.empty()) result.open.insert(method);
    const auto* call = python::as<python::Call>(site.node);
    const KnownApi* known = call != nullptr ? function_of_library(program, *call, external) : known_api(external);
    if (known != nullptr && (known->kind == ApiKind::kHostSync || known->kind == ApiKind::kStream ||
                             known->kind == ApiKind::kCommunication || known->kind == ApiKind::kAllocation))
      add(std::string(external), {}, {}, known->kind == ApiKind::kCommunication);
    if (known == nullptr && external.empty() && call != nullptr) {
      const KnownApi* known_method = method_of_value(program, *call);
      if (known_method != nullptr &&
          (known_method->kind == ApiKind::kHostSync || known_method->kind == ApiKind::kStream))
        add(fmt::format(".{}()", known_method->name));
    }
  }
  result.open.erase(std::string_view());
  return result;
}

}  // namespace

CallChanges::CallChanges(const DocumentInputs& inputs, const Story& story)
    : inputs_(inputs), story_(story), earlier_(*inputs.change) {}

const DrawnCalls& CallChanges::before(const EntityChange& entity) const {
  const auto [at, is_new] = before_.try_emplace(&entity);
  if (is_new && entity.before) at->second = calls_of(*inputs_.before, inputs_.before_mesh, entity.before->function);
  return at->second;
}

const DrawnCalls& CallChanges::after(const EntityChange& entity) const {
  const auto [at, is_new] = after_.try_emplace(&entity);
  if (is_new && entity.after) at->second = calls_of(*inputs_.after, inputs_.after_mesh, entity.after->function);
  return at->second;
}

bool CallChanges::is_same(const DrawnCall& old_call, const DrawnCall& new_call) const {
  if (old_call.label == new_call.label && !old_call.label.empty()) return true;
  if (old_call.function.valid() && new_call.function.valid() && earlier_.of(new_call.function) == old_call.function)
    return true;
  if (!old_call.several.empty() && old_call.several == new_call.several) return true;
  // Where a caller gives the group the call is the same as it is written.
  constexpr std::string_view kGiven = "the group passed as";
  return !old_call.text.empty() && old_call.text == new_call.text &&
         (contains(old_call.label, kGiven) || contains(new_call.label, kGiven));
}

bool CallChanges::may_be_made(const DrawnCall& call, const DrawnCalls& other) {
  if (call.method.empty()) return false;
  return other.open.contains(call.method) ||
         (!call.several.empty() && std::any_of(other.calls.begin(), other.calls.end(),
                                               [&](const DrawnCall& one) { return one.method == call.method; }));
}

std::vector<GoneCall> CallChanges::gone(const EntityChange& entity) const {
  std::vector<GoneCall> out;
  const DrawnCalls& after_calls = after(entity);
  const std::vector<DrawnCall>& now = after_calls.calls;
  const std::vector<DrawnCall> fresh = come(entity);
  for (const DrawnCall& call : before(entity).calls) {
    if (call.label.empty() || may_be_made(call, after_calls) ||
        std::any_of(now.begin(), now.end(), [&](const DrawnCall& one) { return is_same(call, one); }))
      continue;
    GoneCall gone;
    gone.is_removed =
        call.function.valid() && std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
          return actor.is_removed() && actor.change->before->function == call.function;
        });
    gone.call = call;
    find_helper(gone, entity, fresh);
    out.push_back(std::move(gone));
  }
  return out;
}

std::vector<DrawnCall> CallChanges::come(const EntityChange& entity) const {
  std::vector<DrawnCall> out = after(entity).calls;
  const DrawnCalls& before_calls = before(entity);
  const std::vector<DrawnCall>& old = before_calls.calls;
  std::erase_if(out, [&](const DrawnCall& call) {
    return call.label.empty() || may_be_made(call, before_calls) ||
           std::any_of(old.begin(), old.end(), [&](const DrawnCall& one) { return is_same(one, call); });
  });
  return out;
}

void CallChanges::find_helper(GoneCall& gone, const EntityChange& entity, const std::vector<DrawnCall>& fresh) const {
  if (!entity.after || !entity.after->function.valid()) return;
  for (const program::CallId id : inputs_.after->functions()[entity.after->function].calls) {
    for (const FunctionId callee : callees_of(*inputs_.after, inputs_.after->calls()[id].node)) {
      const bool is_new = std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
        return actor.is_added() && actor.change->after->function == callee;
      });
      const bool is_newly_called =
          std::any_of(fresh.begin(), fresh.end(), [&](const DrawnCall& call) { return call.function == callee; });
      if (!is_new && !is_newly_called) continue;
      const mesh::CollectiveSite* handed =
          gone.call.site == nullptr ? nullptr : handed_collective(inputs_, entity, *gone.call.site, callee);
      for (DrawnCall& call : calls_of(*inputs_.after, inputs_.after_mesh, callee).calls) {
        if (!is_same(gone.call, call) && (handed == nullptr || call.site != handed)) continue;
        gone.helper = callee;
        gone.there = std::move(call);
        return;
      }
    }
  }
}

bool CallChanges::has_other_group(const GoneCall& gone, const EntityChange& entity) const {
  const auto operation = [](const DrawnCall& call) {
    return std::string_view(call.label).substr(0, call.label.find(" over "));
  };
  const std::vector<DrawnCall>& now = after(entity).calls;
  return gone.call.is_communication && std::any_of(now.begin(), now.end(), [&](const DrawnCall& one) {
           return one.is_communication && operation(one) == operation(gone.call);
         });
}

std::string CallChanges::arrow_label(const GoneCall& gone, const EntityChange& entity) const {
  if (!entity.after) return {};
  if (!gone.helper.valid() && has_other_group(gone, entity)) return "with another group now";
  return gone.helper.valid() ? fmt::format("calls, now through {}", drawn_name(short_name(*inputs_.after, gone.helper)))
                             : "removed call";
}

}  // namespace lockstep::report
