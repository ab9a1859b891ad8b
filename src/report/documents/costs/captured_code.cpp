#include "report/documents/costs/captured_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// What a call does to the code that it is given: records it in a CUDA graph (torch.cuda docs, and classes that are
/// named for it), or compiles it (torch.compile docs). Empty for others.
std::string_view capture_of(const program::Program& program, const Call& call) {
  const std::string_view external = external_callee(program, &call);
  if (external == "torch.compile") return "compiles";
  if (external == "torch.cuda.make_graphed_callables" || external == "torch.cuda.graph") return "records";
  const std::string_view name = callee_name(call);
  const bool is_class = !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
  const bool is_named = contains(name, "CudaGraph") || contains(name, "CUDAGraph");
  return is_class && is_named && !name.ends_with("Error") && !name.ends_with("Config") ? "records" : std::string_view();
}

/// Such calls of a function, by the name that is called.
std::map<std::string, const Call*> captures_in(const program::Program& program, const Node& function) {
  std::map<std::string, const Call*> out;
  walk_of<Call>(function, Nested::kEnter, [&](const Call* call) {
    if (!capture_of(program, *call).empty()) out.try_emplace(std::string(callee_name(*call)), call);
  });
  return out;
}

}  // namespace

void add_captured_code(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  struct Gone {
    const Actor* actor;
    const Call* call;
  };
  std::vector<Gone> gone;
  std::set<std::string> come;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function()) continue;
    const auto captures = [](const program::Program& program, const std::optional<change::EntitySide>& side) {
      const bool is_there = side && as<FunctionDef>(side->node) != nullptr;
      return is_there ? captures_in(program, *side->node) : std::map<std::string, const Call*>();
    };
    const auto was = captures(*inputs.before, actor.change->before);
    const auto is_now = captures(*inputs.after, actor.change->after);
    for (const auto& [name, call] : is_now) {
      if (!was.contains(name)) come.insert(name);
    }
    for (const auto& [name, call] : was) {
      if (!is_now.contains(name) && actor.steps.before_source != nullptr && actor.change->after)
        gone.push_back({&actor, call});
    }
  }
  std::erase_if(gone, [&](const Gone& one) { return come.contains(std::string(callee_name(*one.call))); });
  if (gone.size() > kMost) gone.resize(kMost);
  for (const Gone& one : gone) {
    const bool compiles = capture_of(*inputs.before, *one.call) == "compiles";
    risks.push_back({RiskKind::kPerformance,
                     fmt::format("{} no longer calls {}: what {} is launched kernel by kernel from the host.",
                                 code(short_name(inputs, *one.actor->change)),
                                 code(one_line(*one.actor->steps.before_source, *one.call, 60)),
                                 compiles ? "it compiled" : "it recorded in a CUDA graph"),
                     "Needs profiling", false});
  }
}

}  // namespace lockstep::report
