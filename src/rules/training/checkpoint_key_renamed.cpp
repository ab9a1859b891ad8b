// checkpoint-key-renamed: a change gives the attribute of a torch module that holds parameters another name. The name
// is part of the keys of every checkpoint, so those saved before no longer fit.
//
// Left out: modules without parameters of their own (activations, dropout), classes that map keys while loading, names
// that the changed files still mention in a text, attributes whose value changes in more than that name, tests.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/names/attributes_of_class.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/training/value_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "checkpoint-key-renamed";
// Of torch.nn: what owns parameters or buffers.
constexpr auto kWithState = std::to_array<std::string_view>(
    {"torch.nn.Linear", "torch.nn.Bilinear", "torch.nn.LayerNorm", "torch.nn.RMSNorm", "torch.nn.GroupNorm",
     "torch.nn.BatchNorm1d", "torch.nn.BatchNorm2d", "torch.nn.Embedding", "torch.nn.Conv1d", "torch.nn.Conv2d",
     "torch.nn.Conv3d", "torch.nn.MultiheadAttention", "torch.nn.Parameter", "torch.nn.parameter.Parameter"});
// How a class, or a module that holds it, answers for keys of another name.
constexpr auto kMigrations = std::to_array<std::string_view>(
    {"_load_from_state_dict", "_register_load_state_dict_pre_hook", "register_load_state_dict_pre_hook",
     "replace_prefix_for_sharding", "apply_prefix_mapping"});

/// `self.name = …` in a constructor, of a value with parameters.
struct StateAttribute {
  std::string_view name;
  const Assign* assign = nullptr;
  std::string made;  ///< The value without white space.
};

bool has_state(const Program& program, FunctionId function, const Call& call) {
  const std::string_view external = ValuePlaces(program).external_callee(call);
  if (std::find(kWithState.begin(), kWithState.end(), external) != kWithState.end()) return true;
  const std::vector<ClassId> classes = program.instance_classes(function, call);
  return !classes.empty() && std::all_of(classes.begin(), classes.end(),
                                         [&](ClassId each) { return program.derives_from(each, "torch.nn.Module"); });
}

std::vector<StateAttribute> state_of(const Program& program, ClassId cls) {
  std::vector<StateAttribute> found;
  const FileFacts& facts = *program.modules()[program.classes()[cls].module].facts;
  for (const FunctionId method : program.classes()[cls].methods) {
    if (program.functions()[method].name != "__init__") continue;
    walk_of<Assign>(*program.functions()[method].node, Nested::kSkip, [&](const Assign* assign) {
      const std::string_view name = self_attribute(assign->targets[0]);
      const auto* made = as<Call>(assign->value);
      if (name.empty() || made == nullptr || !has_state(program, method, *made)) return;
      found.push_back({name, assign, squeezed(facts, made->span)});
    });
  }
  return found;
}

/// `text` with each name `from` in it called `to`.
std::string replace_names(const std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found = find_name(text, from); found != std::string_view::npos; found = find_name(text, from, at)) {
    out += text.substr(at, found - at);
    out += to;
    at = found + from.size();
  }
  return out + text.substr(at);
}

/// True if the file still says the old name in a text, or maps keys.
bool is_migrated(const Program& program, ClassId cls, std::string_view old_name) {
  const program::Class& row = program.classes()[cls];
  bool found = false;
  walk_of<Constant>(program.modules()[row.module].facts->tree(), Nested::kEnter, [&](const Constant* constant) {
    found = found || find_name(text_of(constant), old_name, 0) != std::string_view::npos;
  });
  const std::string_view source = program.modules()[row.module].facts->source().bytes();
  return found || program.find_method(cls, "load_state_dict").valid() ||
         std::any_of(kMigrations.begin(), kMigrations.end(),
                     [&](std::string_view each) { return find_name(source, each, 0) != std::string_view::npos; });
}

void compare(const RuleContext& context, ClassId before, ClassId after, std::vector<Finding>& findings) {
  const Program& program = context.program;
  const std::vector<StateAttribute> then = state_of(*context.before, before);
  if (then.empty()) return;
  const std::vector<StateAttribute> now = state_of(program, after);
  const auto has = [](const std::vector<StateAttribute>& all, std::string_view name) {
    return std::any_of(all.begin(), all.end(), [&](const StateAttribute& each) { return each.name == name; });
  };
  const ClassFamily family(program, after);
  const auto is_gone = [&](const StateAttribute& each) { return !has(now, each.name) && !family.has(each.name); };
  const auto fits = [&](const StateAttribute& old, const StateAttribute& fresh) {
    return is_gone(old) && !has(then, fresh.name) &&
           (fresh.made == old.made || fresh.made == replace_names(old.made, old.name, fresh.name));
  };
  for (const StateAttribute& old : then) {
    const auto is_new_name = [&](const StateAttribute& fresh) { return fits(old, fresh); };
    const auto renamed = std::find_if(now.begin(), now.end(), is_new_name);
    if (renamed == now.end() || is_migrated(program, after, old.name)) continue;
    // Of several that are made alike it is not known which became which.
    const auto was = [&](const StateAttribute& other) { return fits(other, *renamed); };
    if (std::count_if(now.begin(), now.end(), is_new_name) > 1 || std::count_if(then.begin(), then.end(), was) > 1)
      continue;
    const program::Class& row = program.classes()[after];
    findings.push_back(
        make_hit(program, kRule, row.module, renamed->assign->span,
                 {Severity::kP2, FindingCertainty::kLikely, Category::kCompatibility,
                  fmt::format("Checkpoints saved before hold `{}.…` where `{}` now looks for `{}.…`", old.name,
                              row.name, renamed->name),
                  fmt::format("The name of the attribute is part of the keys of `state_dict()`: loading an older "
                              "checkpoint fails, or leaves `{}` as it was initialised where loading is not strict.",
                              renamed->name),
                  fmt::format("Keep the name `{}`, or map the old keys in a load_state_dict pre-hook.", old.name)})
            .finding);
  }
}

/// The same class before the change.
ClassId before_of(const RuleContext& context, ClassId after) {
  for (const change::EntityChange& entity : context.change->entities) {
    if (entity.kind == change::EntityKind::kClass && entity.after && entity.after->cls == after)
      return entity.before ? entity.before->cls : ClassId();
  }
  return context.before->find_class(context.program.classes()[after].qualified_name);
}

}  // namespace

void run_checkpoint_key_renamed(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change == nullptr || context.before == nullptr) return;
  const Program& program = context.program;
  for (const change::FileSummary& file : context.change->files) {
    const ModuleId module = program.find_path(file.file->new_path);
    if (!module.valid() || program::is_test_path(file.file->new_path)) continue;
    for (const ClassId cls : program.modules()[module].classes) {
      if (!program.derives_from(cls, "torch.nn.Module")) continue;
      const ClassId before = before_of(context, cls);
      if (before.valid()) compare(context, before, cls, findings);
    }
  }
}

}  // namespace lockstep::rules
