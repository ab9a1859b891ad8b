#include "report/documents/tests/untested_refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/checks/new_errors.h"
#include "report/tests/expecting_tests.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The names by which tests come to the special methods of a class, and of those below it that have them from it: of
/// one that stands in another, such as `Config`, the name of that.
void add_class_names(const program::Program& program, program::ClassId cls, std::vector<std::string_view>& out) {
  for (program::ClassId one : program::with_descendants(program, cls)) {
    while (program.classes()[one].owner.valid()) one = program.classes()[one].owner;
    out.push_back(program.classes()[one].name);
  }
}

/// What calls a function, near by, and the names by which tests come to it: its own, those of what calls it, and of
/// their classes where these are made or used by Python itself. Tests and what runs before them have none.
ExpectedRaise leading_to(const program::Program& program, program::FunctionId function) {
  constexpr std::size_t kMostFunctions = 40;
  ExpectedRaise out;
  out.leading.push_back(function);
  for (std::size_t next = 0; next < out.leading.size(); ++next) {
    const program::Function& one = program.functions()[out.leading[next]];
    const std::string lower = to_lower(one.name);
    const bool is_test = program::is_test_path(program.module_of(out.leading[next]).path) &&
                         (lower.starts_with("test") || lower.starts_with("setup") || lower.starts_with("set_up"));
    if (one.owner.valid() && one.name.starts_with("__")) {
      add_class_names(program, one.owner, out.named);
    } else if (!is_test) {
      out.named.push_back(one.name);
    }
    for (const program::CallId id : program.callers_of(out.leading[next])) {
      const program::FunctionId caller = program.calls()[id].caller;
      if (out.leading.size() < kMostFunctions && program.functions()[caller].def() != nullptr &&
          std::find(out.leading.begin(), out.leading.end(), caller) == out.leading.end())
        out.leading.push_back(caller);
    }
  }
  return out;
}

/// The message of what is raised; null where its class may make another of it.
const Expr* message_of_raise(const Node* raise, std::string_view error) {
  static constexpr std::string_view kSaysAsGiven[] = {
      "ValueError",          "TypeError",      "RuntimeError", "AssertionError",
      "NotImplementedError", "AttributeError", "IndexError",   "Exception"};
  const auto* call = as<Call>(as<Raise>(raise)->exception);
  const bool is_given = call != nullptr && call->arguments.size() == 1 &&
                        std::find(std::begin(kSaysAsGiven), std::end(kSaysAsGiven), error) != std::end(kSaysAsGiven);
  return is_given ? call->arguments.front() : nullptr;
}

/// Marked: the errors with their functions and places. Of one kind and function the first.
std::vector<std::string> unexpected_errors(const DocumentInputs& inputs, const Story& story) {
  std::vector<std::string> out;
  ExpectedRaise raise;
  std::optional<program::FunctionId> known;  ///< Of `raise`.
  for (const NewErrors& all : new_errors(story)) {
    const Actor& actor = *all.actor;
    const program::FunctionId function = actor.change->after->function;
    if (!known || *known != function) raise = leading_to(*inputs.after, function);
    known = function;
    raise.error = all.error;
    std::vector<const Step*> open;
    for (const Step* step : all.steps) {
      raise.message = message_of_raise(step->node, all.error);
      if (!is_expected(*inputs.after, raise)) open.push_back(step);
    }
    // As many as there were before may only say it otherwise.
    if (open.size() <= all.steps.size() - all.more) continue;
    out.push_back(fmt::format("the {} of {} ({})", code(std::string(all.error)),
                              code(short_name(inputs, *actor.change)),
                              place(actor.change->after->path, open.front()->first_line)));
  }
  return out;
}

}  // namespace

void add_untested_refusals(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> open = unexpected_errors(inputs, story);
  if (open.empty()) return;
  const std::size_t all = open.size();
  if (all > kMostNamed + 1) open.resize(kMostNamed);
  if (open.size() < all) open.push_back(fmt::format("{} more", all - open.size()));
  risks.push_back({RiskKind::kTests, fmt::format("Does a test expect {}, which the change brings?", join_words(open)),
                   fmt::format("No test that names the code was found to expect {}.", all == 1 ? "it" : "one of these"),
                   false});
}

}  // namespace lockstep::report
