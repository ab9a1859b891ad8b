#include "report/story/calls/late_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

using Names = std::set<std::string_view>;

/// An inner function and the one around it, of one side.
struct Nest {
  const FunctionDef* inner = nullptr;
  const FunctionDef* outer = nullptr;
};

Nest nest_of(const Program& program, FunctionId function) {
  const FunctionId holder = function.valid() ? program.functions()[function].enclosing : FunctionId();
  if (!holder.valid()) return {};
  return {program.functions()[function].def(), program.functions()[holder].def()};
}

/// What the inner function takes from variables of the outer one, parameters left out; of its first names.
Names taken_from_outer(const Nest& nest) {
  constexpr std::size_t kMostNames = 300;
  Names read;
  walk_of<Name>(*nest.inner, Nested::kEnter, [&](const Name* name) {
    if (name->context == ExprContext::kLoad && read.size() < kMostNames) read.insert(name->id);
  });
  std::erase_if(read, [&](std::string_view name) {
    return rules::parameter_named(nest.inner, name) != nullptr || rules::binds_name(*nest.inner, name) ||
           rules::bindings_of(*nest.outer, name, Nested::kSkip) == 0;
  });
  return read;
}

/// The attributes that a function reads, what `left_out` inside it reads aside. What is called is no value.
Names attributes_read(const FunctionDef& def, const FunctionDef* left_out) {
  Names out;
  std::set<const Node*> called;
  walk_of<Call>(def, Nested::kEnter, [&](const Call* call) { called.insert(call->callee); });
  walk_of<Attribute>(def, Nested::kEnter, [&](const Attribute* one) {
    const bool is_left_out = left_out != nullptr && left_out->span.contains(one->span);
    if (one->context == ExprContext::kLoad && !is_left_out && !called.contains(one)) out.insert(one->name.text);
  });
  return out;
}

/// The attributes that give the variable its value, or what is put into it, in the function itself; of the first few
/// calls of its methods.
Names sources_of(const FunctionDef& def, std::string_view variable) {
  constexpr std::size_t kMostCalls = 50;
  std::size_t calls = 0;
  Names out;
  const auto add_from = [&](const Node& node) {
    walk_of<Attribute>(node, Nested::kSkip, [&](const Attribute* one) { out.insert(one->name.text); });
  };
  // `for hook in part._hooks: hooks.append(hook)`: what the loop around goes through.
  const auto add_around = [&](const Node& place) {
    walk_of<For>(def, Nested::kSkip, [&](const For* loop) {
      if (!loop->span.contains(place.span)) return;
      if (const auto* whole = as<Attribute>(loop->iterable)) out.insert(whole->name.text);
      add_from(*loop->iterable);
    });
  };
  walk_of<Call>(def, Nested::kSkip, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    const auto* holder = method == nullptr ? nullptr : as<Name>(method->value);
    if (holder != nullptr && holder->id == variable && calls++ < kMostCalls) add_around(*call);
  });
  walk_of<Assign>(def, Nested::kSkip, [&](const Assign* assign) {
    const auto* target = as<Name>(assign->targets.front());
    if (target == nullptr || target->id != variable) return;
    if (const auto* whole = as<Attribute>(assign->value)) out.insert(whole->name.text);
    add_from(*assign->value);
  });
  return out;
}

}  // namespace

std::optional<LateRead> late_read(const DocumentInputs& inputs, const Actor& actor) {
  const auto& change = *actor.change;
  if (!actor.is_function() || !change.before || !change.after) return std::nullopt;
  const Nest was = nest_of(*inputs.before, change.before->function);
  const Nest now = nest_of(*inputs.after, change.after->function);
  if (was.inner == nullptr || was.outer == nullptr || now.inner == nullptr || now.outer == nullptr) return std::nullopt;
  const Names still_taken = taken_from_outer(now);
  const Names read_before = attributes_read(*was.inner, nullptr);
  const Names read_now = attributes_read(*now.inner, nullptr);
  const Names still_read = attributes_read(*now.outer, now.inner);
  LateRead out;
  std::set<std::string_view> attributes;
  constexpr std::size_t kMostVariables = 20;
  std::size_t variables = 0;
  for (const std::string_view variable : taken_from_outer(was)) {
    if (still_taken.contains(variable) || variables++ >= kMostVariables) continue;
    bool is_read_late = false;
    for (const std::string_view source : sources_of(*was.outer, variable)) {
      if (!read_now.contains(source) || read_before.contains(source) || still_read.contains(source)) continue;
      attributes.insert(source);
      is_read_late = true;
    }
    if (is_read_late) out.taken.emplace_back(variable);
  }
  if (out.taken.empty()) return std::nullopt;
  out.attributes.assign(attributes.begin(), attributes.end());
  out.holder = code(short_name(*inputs.after, inputs.after->functions()[change.after->function].enclosing));
  return out;
}

void weigh_late_reads(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  for (Actor& actor : actors) {
    if (actor.role == Role::kTest || !late_read(inputs, actor)) continue;
    const FunctionId holder = inputs.after->functions()[actor.change->after->function].enclosing;
    for (const Actor& other : actors) {
      if (other.change->after && other.change->after->function == holder)
        actor.weight = std::max(actor.weight, other.weight + 1);
    }
  }
}

std::string late_read_words(const DocumentInputs& inputs, const Actor& actor) {
  const std::optional<LateRead> read = late_read(inputs, actor);
  if (!read) return {};
  std::vector<std::string> attributes;
  for (const std::string& one : read->attributes) attributes.push_back(code(one));
  std::vector<std::string> taken;
  for (const std::string& one : read->taken) taken.push_back(code(one));
  return fmt::format(
      "reads {} each time it is called; before, {} read that once, into {}, and this function went by it",
      join_words(attributes), read->holder, join_words(taken));
}

}  // namespace lockstep::report
