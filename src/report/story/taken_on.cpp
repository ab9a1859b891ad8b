#include "report/story/taken_on.h"

#include <fmt/format.h>

#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// "push_weights.call" of `self.trainer.push_weights.call()`; the name alone of what is called on `self` or nothing.
/// Empty for names that are too short to say that two calls are the same.
std::string work_of(const Call& call) {
  constexpr std::size_t kShortest = 8;
  std::string name = dotted_text(call.callee);
  const std::size_t last = name.rfind('.');
  if (last != std::string::npos && last > 0) {
    const std::size_t before = name.rfind('.', last - 1);
    if (before != std::string::npos) name.erase(0, before + 1);
  }
  for (const std::string_view own : {"self.", "cls."}) {
    if (name.starts_with(own)) name.erase(0, own.size());
  }
  while (name.starts_with("_")) name.erase(0, 1);
  // `out.append` is anybody's.
  return name.size() < kShortest || name.find('_') == std::string::npos ? std::string() : name;
}

bool does(const Node& code, const std::string& work) {
  bool found = false;
  walk_of<Call>(code, Nested::kEnter, [&](const Call* call) { found = found || work_of(*call) == work; });
  return found;
}

}  // namespace

std::string TakenOn::words(const Actor& actor, const Step& gone) {
  const auto* with = as<With>(gone.node);
  const bool is_one = gone.kind == StepKind::kPlain || (with != nullptr && with->body.size() == 1);
  if (gone.node == nullptr || !is_one || !actor.change->after) return {};
  std::string work;
  walk_of<Call>(with != nullptr ? *with->body.front() : *gone.node, Nested::kSkip, [&](const Call* call) {
    // What every other function calls of a library says nothing of who does the work.
    if (work.empty() && external_callee(*inputs_.before, call).empty()) work = work_of(*call);
  });
  if (work.empty() || does(*actor.change->after->node, work)) return {};
  if (!takers_) {
    takers_.emplace();
    for (const change::EntityChange& entity : inputs_.change->entities) {
      const bool is_function =
          entity.kind == change::EntityKind::kFunction || entity.kind == change::EntityKind::kMethod;
      if (!is_function || entity.before || !entity.after || program::is_test_path(entity.after->path) ||
          entity.after->node == nullptr)
        continue;
      walk_of<Call>(*entity.after->node, Nested::kEnter, [&](const Call* call) {
        const auto [place, is_new] = takers_->try_emplace(work_of(*call), &entity);
        if (!is_new && place->second != &entity) place->second = nullptr;
      });
    }
  }
  const auto taker = takers_->find(work);
  return taker == takers_->end() || taker->second == nullptr
             ? std::string()
             : fmt::format(", which the new {} does", code(short_name(inputs_, *taker->second)));
}

}  // namespace lockstep::report
