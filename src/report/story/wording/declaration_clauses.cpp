#include "report/story/wording/declaration_clauses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/chosen_names.h"
#include "report/source/given_arguments.h"
#include "report/story/classes/bases.h"
#include "report/story/steps/following_edits.h"
#include "report/story/steps/wrapped_bodies.h"
#include "report/story/wording/change_clauses.h"
#include "report/story/wording/collection_edits.h"
#include "report/story/wording/differing_text.h"
#include "report/story/wording/edits.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;

namespace {

/// ", which is `torch.compile` or `torch.jit.script` (`jit.py:7`)" of a decorator that a module binds in several
/// branches; empty for others.
std::string decorator_words(const program::Program& program, const change::EntitySide& side,
                            std::string_view decorator) {
  const program::ModuleId module = program.find_path(side.path);
  if (!module.valid() || contains(decorator, "(") || contains(decorator, ".")) return {};
  const ChosenName chosen = chosen_values_of(program, module, decorator);
  if (chosen.values.empty()) return {};
  std::vector<std::string> values;
  for (const std::string& one : chosen.values) values.push_back(short_code(one, 40));
  return fmt::format(", which is {} ({})", join_words(values, "or"), place_of(program, chosen.module, chosen.first));
}

/// Which elements came and went where a variable or field holds a collection on both sides.
CollectionEdit elements_that_differ(const DocumentInputs& inputs, const change::EntityChange& entity) {
  if (!entity.before || !entity.after) return {};
  const program::ModuleId before = inputs.before->find_path(entity.before->path);
  const program::ModuleId after = inputs.after->find_path(entity.after->path);
  const Expr* target = nullptr;
  const Expr* was = assigned_value(entity.before->node, target);
  const Expr* now = assigned_value(entity.after->node, target);
  if (!before.valid() || !after.valid() || was == nullptr || now == nullptr) return {};
  return collection_edit(*was, inputs.before->modules()[before].facts->source(), *now,
                         inputs.after->modules()[after].facts->source());
}

}  // namespace

std::vector<Clause> parameter_clauses(const Actor& actor) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> added;
  std::vector<std::string> removed;
  for (const Difference& d : actor.change->differences) {
    if (d.kind == DifferenceKind::kParameterAdded) added.push_back(short_code(d.after, kParameterWidth));
    if (d.kind == DifferenceKind::kParameterRemoved) removed.push_back(code(d.name));
  }
  const auto list = [&](std::vector<std::string> names) {
    const std::size_t all = names.size();
    if (all > kMost) names.resize(kMost - 1);
    return all > kMost ? join(names, ", ") + fmt::format(" and {} more", all - names.size()) : join_words(names);
  };
  if (added.empty() && removed.empty()) return {};
  if (removed.empty()) return {{1, fmt::format("takes the new {}", list(std::move(added))), {}}};
  if (added.empty()) return {{1, fmt::format("no longer takes {}", list(std::move(removed))), {}}};
  return {{1, fmt::format("takes {} in place of {}", list(std::move(added)), list(std::move(removed))), {}}};
}

/// "scope="module"" of "@pytest.fixture(scope="module")"; empty for a decorator without arguments.
std::string decorator_arguments(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !trim(text).ends_with(")")) return {};
  text = trim(text).substr(open + 1);
  return std::string(trim(text.substr(0, text.size() - 1)));
}

/// The arguments of a list that the other one lacks; the whole where commas may stand inside of one, or where some
/// only come or go.
std::pair<std::string, std::string> differing_arguments(const std::string& left, const std::string& right) {
  const auto is_plain = [](const std::string& list) { return list.find_first_of("([{") == std::string::npos; };
  if (!is_plain(left) || !is_plain(right)) return {left, right};
  const auto without = [](const std::string& list, const std::string& other) {
    const std::vector<std::string_view> known = split(other, ',');
    std::vector<std::string> out;
    for (const std::string_view one : split(list, ',')) {
      const auto is_it = [&](std::string_view each) { return trim(each) == trim(one); };
      if (std::none_of(known.begin(), known.end(), is_it)) out.emplace_back(trim(one));
    }
    return join(out, ", ");
  };
  std::pair<std::string, std::string> out = {without(left, right), without(right, left)};
  return out.first.empty() || out.second.empty() ? std::make_pair(left, right) : out;
}

/// The other side of a decorator that stays and only gets other arguments; null for others, and where several of the
/// name come or go.
const Difference* same_decorator(const change::EntityChange& change, const Difference& one) {
  const Difference* other = nullptr;
  for (const Difference& each : change.differences) {
    if (each.kind != DifferenceKind::kDecoratorAdded && each.kind != DifferenceKind::kDecoratorRemoved) continue;
    if (&each == &one || each.name != one.name || one.name.empty()) continue;
    if (each.kind == one.kind || other != nullptr) return nullptr;
    other = &each;
  }
  if (other == nullptr) return nullptr;
  const auto arguments = [](const Difference& each) {
    return decorator_arguments(each.kind == DifferenceKind::kDecoratorAdded ? each.after : each.before);
  };
  return arguments(one).empty() || arguments(*other).empty() ? nullptr : other;
}

std::vector<Clause> signature_clauses(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Clause> out;
  for (const Difference& d : actor.change->differences) {
    switch (d.kind) {
      case DifferenceKind::kParameterRenamed:
        out.push_back(
            {2, fmt::format("renames the parameter {} to {}", short_code(d.before, 40), short_code(d.after, 40))});
        break;
      case DifferenceKind::kDefaultChanged:
        out.push_back(
            {1, fmt::format("changes the default of {} from {} to {}", code(d.name),
                            short_codes(d.before, d.after, 30).first, short_codes(d.before, d.after, 30).second)});
        break;
      case DifferenceKind::kDefaultRenamed:
        out.push_back(
            {8, fmt::format("gives the default of {} by its new name, {}", code(d.name), short_code(d.after, 30))});
        break;
      case DifferenceKind::kDefaultAdded:
        out.push_back({2, fmt::format("gives {} the default {}", code(d.name), short_code(d.after, 30))});
        break;
      case DifferenceKind::kDefaultRemoved:
        out.push_back({1, fmt::format("makes {} mandatory", code(d.name))});
        break;
      case DifferenceKind::kBaseAdded:
        out.push_back({1, base_words(*inputs.after, *actor.change, d.after)});
        break;
      case DifferenceKind::kBaseRemoved:
        out.push_back({1, fmt::format("no longer derives from {}", short_code(d.before, 40))});
        break;
      case DifferenceKind::kDecoratorAdded:
        if (stood_in_block(actor, d.after)) break;
        if (const Difference* was = same_decorator(*actor.change, d); was != nullptr) {
          const auto [left, right] =
              differing_arguments(decorator_arguments(was->before), decorator_arguments(d.after));
          const auto [before, after] = short_codes(left, right, 60);
          out.push_back({2, fmt::format("gives the decorator {} {} instead of {}", code(d.name), after, before)});
          break;
        }
        out.push_back({d.after == "staticmethod" && was_static_before(actor) ? 9 : 2,
                       fmt::format("is decorated with {}{}", short_code(d.after, 50),
                                   decorator_words(*inputs.after, *actor.change->after, d.after))});
        break;
      case DifferenceKind::kDecoratorRemoved:
        if (stands_in_block(actor, d.before) || same_decorator(*actor.change, d) != nullptr) break;
        out.push_back({2, fmt::format("loses the decorator {}", short_code(d.before, 50))});
        break;
      case DifferenceKind::kAnnotationChanged:
        // What runs is the same: told where nothing else is.
        if (actor.is_function() && !actor.change->moved && !actor.change->renamed && !d.before.empty() &&
            !d.after.empty()) {
          const auto [was, now] = short_codes(d.before, d.after, 40);
          out.push_back({9, fmt::format("annotates {} as {} instead of {}", code(d.name), now, was)});
        }
        break;
      case DifferenceKind::kAsyncChanged:
        out.push_back({1, d.after.empty() ? "is no longer async" : "becomes async"});
        break;
      default:
        break;
    }
  }
  return out;
}

std::vector<Clause> value_clauses(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Clause> out;
  if (actor.is_function()) return out;
  std::vector<std::string> gained;
  std::vector<std::string> lost;
  for (const Difference& d : actor.change->differences) {
    if (d.kind == DifferenceKind::kValueChanged || d.kind == DifferenceKind::kDefaultChanged) {
      const std::string key(change::entry_key(d.name));
      if (d.before.empty() || d.after.empty()) {
        const bool gains = d.before.empty();
        std::string text = gains ? d.after : d.before;
        if (!key.empty()) text = gains ? fmt::format("{}: {}", key, text) : key;
        if (d.before != d.after) (gains ? gained : lost).push_back(short_code(text));
        continue;
      }
      if (d.kind == DifferenceKind::kValueChanged && key.empty()) {
        const CollectionEdit edit = elements_that_differ(inputs, *actor.change);
        for (const std::string& text : edit.added) gained.push_back(short_code(text));
        for (const std::string& text : edit.gone) lost.push_back(short_code(text));
        if (!edit.added.empty() || !edit.gone.empty()) continue;
      }
      const auto [was, now] = short_codes(d.before, d.after);
      out.push_back({1, key.empty() ? fmt::format("changes from {} to {}", was, now)
                                    : fmt::format("holds {} under {} instead of {}", now, short_code(key, 40), was)});
    } else if (d.kind == DifferenceKind::kAnnotationChanged) {
      const auto [was, now] = short_codes(d.before, d.after, 40);
      out.push_back({2, fmt::format("changes its type from {} to {}", was, now)});
    } else if (d.kind == DifferenceKind::kBodyChanged && d.name == "order of definitions") {
      out.push_back({9, "has its definitions in another order"});
    } else if (d.kind == DifferenceKind::kBodyChanged && !d.after.empty()) {
      out.push_back({3, fmt::format("contains {}", short_code(d.after))});
    }
  }
  constexpr std::size_t kMost = 4;
  for (auto* names : {&gained, &lost}) {
    if (names->empty()) continue;
    const std::size_t all = names->size();
    if (all > kMost) names->resize(kMost - 1);
    if (all > kMost) names->push_back(fmt::format("{} more", all - names->size()));
    out.push_back({1, fmt::format("{} {}", names == &gained ? "gains" : "loses", join_words(*names))});
  }
  return out;
}

void join_kept(std::vector<Clause>& clauses, const Actor& actor) {
  if (clauses.empty() || !clauses.front().text.starts_with("takes the new ")) return;
  std::size_t added = 0;
  std::size_t kept = 0;
  for (const Difference& d : actor.change->differences) {
    if (d.kind != DifferenceKind::kParameterAdded) continue;
    ++added;
    kept += static_cast<std::size_t>(std::count_if(clauses.begin(), clauses.end(), [&](const Clause& one) {
      return one.where.empty() && one.text == fmt::format("sets {} to {}", code("self." + d.name), code(d.name));
    }));
  }
  if (added == 0 || kept != added) return;
  std::erase_if(clauses, [&](const Clause& one) {
    return std::any_of(actor.change->differences.begin(), actor.change->differences.end(), [&](const Difference& d) {
      return d.kind == DifferenceKind::kParameterAdded && one.where.empty() &&
             one.text == fmt::format("sets {} to {}", code("self." + d.name), code(d.name));
    });
  });
  clauses.front().text += added == 1 ? " and keeps it" : " and keeps them";
}

std::string givers_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  const Difference* added = nullptr;
  for (const Difference& d : actor.change->differences) {
    if (d.kind != DifferenceKind::kParameterAdded) continue;
    if (added != nullptr) return {};
    added = &d;
  }
  const auto& side = actor.change->after;
  if (added == nullptr || !contains(added->after, "=") || !side || !side->function.valid()) return {};
  const program::Program& program = *inputs.after;
  std::vector<program::FunctionId> givers;
  for (const program::CallId id : program.callers_of(side->function)) {
    const program::CallSite& site = program.calls()[id];
    if (site.caller == side->function || program::is_test_path(program.module_of(site.caller).path) ||
        program.functions()[site.caller].kind == program::FunctionKind::kLambda ||
        given_by(program, site, side->function, added->name).how != rules::Given::How::kValue ||
        std::find(givers.begin(), givers.end(), site.caller) != givers.end())
      continue;
    givers.push_back(site.caller);
  }
  if (givers.empty()) return {};
  std::vector<std::string> names;
  for (const program::FunctionId giver : givers) {
    if (names.size() == kMost && givers.size() > kMost + 1) {
      names.push_back(fmt::format("{} more", givers.size() - kMost));
      break;
    }
    names.push_back(program.functions()[giver].kind == program::FunctionKind::kModuleBody
                        ? place(program.module_of(giver).path)
                        : code(short_name(program, giver)));
  }
  return ", given by " + join_words(names);
}

}  // namespace lockstep::report
