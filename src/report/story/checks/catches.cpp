#include "report/story/checks/catches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/find_text.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow.h"
#include "rules/syntax/flow_state.h"

namespace lockstep::report {

using namespace python;

std::vector<std::string> caught_types(const ExceptHandler& handler, const SourceText& source) {
  if (handler.type == nullptr) return {std::string()};
  const auto* several = as<Tuple>(handler.type);
  if (several == nullptr) return {one_line_whole(source, *handler.type)};
  std::vector<std::string> out;
  for (const Expr* each : several->elements) out.push_back(one_line_whole(source, *each));
  return out;
}

namespace {

constexpr std::string_view kAny = "";  ///< The type of a bare `except:`.

bool is_broad(std::string_view type) { return type == kAny || type == "Exception" || type == "BaseException"; }

/// Whether a handler lets nothing out: it neither raises nor ends the program.
bool ends_the_matter(const ExceptHandler& handler) {
  bool out = !rules::always_raises(handler.body);
  walk(handler, Nested::kSkip, [&](const Node* node) {
    const auto* call = as<Call>(node);
    const std::string_view name = call == nullptr ? std::string_view() : callee_name(*call);
    out = out && !is<Raise>(node) && name != "exit" && name != "_exit" && name != "abort" && name != "set_exception" &&
          name != "reraise";
  });
  return out;
}

/// Whether a handler does no more than tell people, set something or return: what it calls might raise by itself.
bool only_tells(const ExceptHandler& handler) {
  bool out = true;
  walk_of<ExprStmt>(handler, Nested::kSkip, [&](const ExprStmt* one) {
    const auto* call = as<Call>(one->value);
    out = out && (call == nullptr || rules::is_log_call(one->value) || callee_name(*call) == "warn");
  });
  return out;
}

/// What is around a step that may take an exception of it.
struct Around {
  std::map<std::string, std::size_t> swallowed;  ///< Type -> the `except` that ends the matter.
  std::set<std::string> handled;                 ///< Types of all handlers.
  bool may_take_any = false;                     ///< A broad handler, or a `with` or `finally` that swallows.
};

/// The `except` steps of the `try` at `index`.
std::vector<std::size_t> handlers_of(const std::vector<Step>& steps, std::size_t index) {
  std::vector<std::size_t> out;
  for (std::size_t i = end_of(steps, index); i < steps.size() && steps[i].depth == steps[index].depth;
       i = end_of(steps, i)) {
    if (steps[i].kind != StepKind::kExcept) break;
    out.push_back(i);
  }
  return out;
}

Around around(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  Around out;
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    if (const auto* with = as<With>(steps[up].node); with != nullptr && rules::may_swallow(*with))
      out.may_take_any = true;
    if (const auto* attempt = as<Try>(steps[up].node)) {
      for (const Stmt* last : attempt->finally_body) {
        walk_of<Return>(*last, Nested::kSkip, [&](const Return*) { out.may_take_any = true; });
        if (is<Return>(last) || is<Break>(last) || is<Continue>(last)) out.may_take_any = true;
      }
    }
    if (steps[up].kind != StepKind::kTry) continue;
    for (const std::size_t at : handlers_of(steps, up)) {
      const auto& handler = *as<ExceptHandler>(steps[at].node);
      for (std::string& type : caught_types(handler, source)) {
        const bool is_taken_before = out.may_take_any || out.handled.contains(type);
        if (!is_taken_before && ends_the_matter(handler)) out.swallowed.emplace(type, at);
        if (is_broad(type)) out.may_take_any = true;
        out.handled.insert(std::move(type));
      }
    }
  }
  return out;
}

bool makes_call(const Step& step) {
  bool found = false;
  walk_of<Call>(*step.node, Nested::kSkip, [&](const Call*) { found = true; });
  return found && step.kind == StepKind::kPlain && !is<FunctionDef>(step.node) && !is<ClassDef>(step.node);
}

/// What one handler took of the code on the one side, and what of that code it is not around on the other.
struct Found {
  std::vector<std::string> types;
  std::vector<std::size_t> steps;  ///< Of the after side, in order.
};

std::string type_words(const std::vector<std::string>& types) {
  std::vector<std::string> out;
  for (const std::string& type : types) out.push_back(code(type));
  return join_words(out);
}

std::size_t count_names(std::string_view text, std::string_view name) {
  std::size_t count = 0;
  for (std::size_t at = find_name(text, name); at != std::string_view::npos; at = find_name(text, name, at + 1))
    ++count;
  return count;
}

}  // namespace

std::vector<CatchChange> catch_changes(const Actor& actor) {
  constexpr std::size_t kMostSteps = 1500;
  std::vector<CatchChange> out;
  const StepComparison& all = actor.steps;
  constexpr std::ptrdiff_t kMostHandlers = 30;  // Each is asked about again for each step.
  const auto has_many = [](const std::vector<Step>& steps) {
    return std::count_if(steps.begin(), steps.end(), [](const Step& one) { return one.kind == StepKind::kExcept; }) >
           kMostHandlers;
  };
  if (has_many(all.before) || has_many(all.after)) return out;
  const auto tries = [](const std::vector<Step>& steps) {
    return std::any_of(steps.begin(), steps.end(), [](const Step& one) { return one.kind == StepKind::kTry; });
  };
  if (all.before_source == nullptr || all.after_source == nullptr || actor.is_added() || actor.is_removed() ||
      (!tries(all.before) && !tries(all.after)) || all.after.size() > kMostSteps || all.before.size() > kMostSteps)
    return out;
  std::map<std::size_t, Found> lost;  // By the handler.
  std::map<std::size_t, Found> gained;
  std::set<std::string> still_handled;  // Anywhere in the new function.
  for (const Step& step : all.after) {
    if (step.kind != StepKind::kExcept) continue;
    for (std::string& type : caught_types(*as<ExceptHandler>(step.node), *all.after_source))
      still_handled.insert(std::move(type));
  }
  const auto add = [](std::map<std::size_t, Found>& to, const Around& from, const Around& other, std::size_t step) {
    if (other.may_take_any) return;
    for (const auto& [type, handler] : from.swallowed) {
      // A type that is no word of its own (`errors[kind]`) may be the same under another name.
      if (other.handled.contains(type) || (is_broad(type) && !other.handled.empty()) || type == kAny) continue;
      Found& found = to[handler];
      if (std::find(found.types.begin(), found.types.end(), type) == found.types.end()) found.types.push_back(type);
      if (found.steps.empty() || found.steps.back() != step) found.steps.push_back(step);
    }
  };
  for (std::size_t i = 0; i < all.after.size(); ++i) {
    const Step& step = all.after[i];
    if (step.partner == Step::kNone || !makes_call(step) || !makes_call(all.before[step.partner])) continue;
    const Around was = around(all.before, step.partner, *all.before_source);
    const Around now = around(all.after, i, *all.after_source);
    // Code that another handler takes under another name is not compared.
    if (!was.handled.empty() && !now.handled.empty()) continue;
    add(lost, was, now, i);
    add(gained, now, was, i);
  }
  // In the order of the source.
  const auto sort = [](std::map<std::size_t, Found>& all_found, const std::vector<Step>& steps,
                       const SourceText& source) {
    for (auto& [handler, found] : all_found) {
      std::vector<std::string> types = caught_types(*as<ExceptHandler>(steps[handler].node), source);
      std::erase_if(types, [&](const std::string& type) {
        return std::find(found.types.begin(), found.types.end(), type) == found.types.end();
      });
      found.types = std::move(types);
    }
  };
  sort(lost, all.before, *all.before_source);
  sort(gained, all.after, *all.after_source);
  const auto part = [&](const Found& found) {
    return code(one_line(*all.after_source, all.after[found.steps.front()].span, 60));
  };
  for (const auto& [handler, found] : lost) {
    const auto& node = *as<ExceptHandler>(all.before[handler].node);
    const bool elsewhere = std::any_of(found.types.begin(), found.types.end(),
                                       [&](const std::string& type) { return still_handled.contains(type); });
    const auto* result = node.body.size() == 1 ? as<Return>(node.body.front()) : nullptr;
    std::string text = "no longer catches " + type_words(found.types);
    if (elsewhere) text += " around " + part(found);
    if (result != nullptr)
      text += fmt::format(", on which it returned {}",
                          code(result->value == nullptr ? "None" : one_line(*all.before_source, *result->value, 60)));
    out.push_back({false, handler, found.types, found.steps, std::move(text)});
  }
  // What the old file did not know by name may be new: no caller ever met it.
  const auto may_be_new = [&](const std::string& type) {
    return find_name(all.before_source->bytes(), type) == std::string_view::npos &&
           count_names(all.after_source->bytes(), type) > 1;
  };
  for (const auto& [handler, found] : gained) {
    if (!only_tells(*as<ExceptHandler>(all.after[handler].node))) continue;
    if (std::any_of(found.types.begin(), found.types.end(), may_be_new)) {
      out.push_back({true, handler, found.types, found.steps,
                     fmt::format("catches {} from {}", type_words(found.types), part(found))});
      continue;
    }
    out.push_back({true, handler, found.types, found.steps,
                   fmt::format("catches {}, which no longer {} callers from {}", type_words(found.types),
                               found.types.size() == 1 ? "reaches" : "reach", part(found))});
  }
  return out;
}

}  // namespace lockstep::report
