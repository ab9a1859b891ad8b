// checkpoint-key-required: a function that loads a state reads a key by subscript that only this change writes. States
// that were saved before do not have it, and loading one of them raises KeyError.
//
// Left out: functions that the change adds (there was nothing to load), keys that the file held in any text before,
// functions that test for the key, take it with a default, or catch the error; keys that are computed.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "checkpoint-key-required";

/// Functions that take a saved state in, by the names that torch and the training frameworks give them.
bool loads_a_state(std::string_view name) {
  const bool loads = contains(name, "load") || contains(name, "restore") || name == "__setstate__";
  const bool state = contains(name, "state") || contains(name, "checkpoint") || contains(name, "ckpt");
  return loads && state;
}

bool holds_text(const FileFacts& facts, std::string_view text) {
  bool found = false;
  walk_of<Constant>(facts.tree(), Nested::kEnter,
                    [&](const Constant* constant) { found = found || text_of(constant) == text; });
  return found;
}

/// The function's own answer to a missing key: a test, a default, or an except that may catch it.
bool expects_absence(const FunctionDef& def, const Subscript& read, std::string_view key) {
  int mentioned = 0;
  int read_or_written = 0;
  bool caught = false;
  walk(def, Nested::kEnter, [&](const Node* node) {
    const auto* subscript = as<Subscript>(node);
    if (subscript != nullptr && text_of(subscript->index) == key) ++read_or_written;
    const auto* constant = as<Constant>(node);
    if (constant != nullptr && text_of(constant) == key) ++mentioned;
    const auto* tried = as<Try>(node);
    caught = caught || (tried != nullptr && tried->span.begin <= read.span.begin && read.span.end <= tried->span.end);
  });
  return caught || mentioned > read_or_written;
}

/// True if a function of the module writes the key into what it saves.
bool writes_key(const Program& program, ModuleId module, std::string_view key, const Node& reader) {
  bool found = false;
  for (const FunctionId function : program.modules()[module].functions) {
    const FunctionDef* def = program.functions()[function].def();
    if (def == nullptr || def == &reader) continue;
    walk(*def, Nested::kSkip, [&](const Node* node) {
      if (const auto* dict = as<Dict>(node)) {
        found = found || std::any_of(dict->keys.begin(), dict->keys.end(),
                                     [&](const Expr* each) { return text_of(each) == key; });
      } else if (const auto* subscript = as<Subscript>(node)) {
        found = found || (subscript->context == ExprContext::kStore && text_of(subscript->index) == key);
      }
    });
  }
  return found;
}

void check(const RuleContext& context, const EntityChange& entity, std::vector<Finding>& findings) {
  const Program& program = context.program;
  const FunctionId function = entity.after->function;
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr || !loads_a_state(program.functions()[function].name)) return;
  const ModuleId module = program.functions()[function].module;
  const FileFacts& old_facts =
      *context.before->modules()[context.before->functions()[entity.before->function].module].facts;
  walk_of<Subscript>(*def, Nested::kSkip, [&](const Subscript* read) {
    const std::string_view key = text_of(read->index);
    if (key.empty() || read->context != ExprContext::kLoad) return;
    const std::string_view root = root_name(read->value);
    const bool is_parameter =
        std::any_of(def->parameters->all.begin(), def->parameters->all.end(),
                    [&](const Parameter* each) { return each->name.text == root && root != "self"; });
    if (!is_parameter || holds_text(old_facts, key) || expects_absence(*def, *read, key)) return;
    if (!writes_key(program, module, key, *def)) return;
    const FileFacts& facts = *program.modules()[module].facts;
    const std::uint32_t line = facts.source().line_of(read->span.begin);
    if (!context.change->touches_after(program.modules()[module].path, line)) return;
    findings.push_back(
        make_hit(
            program, kRule, module, read->span,
            {Severity::kP1, FindingCertainty::kLikely, Category::kCompatibility,
             fmt::format("States saved before this change have no `{}`, which `{}` needs", key,
                         short_name(program, function)),
             fmt::format("The key is written since this change only: `{}` raises KeyError for an older checkpoint.",
                         quote(facts, read->span)),
             fmt::format("Take it with a default, `{}.get(\"{}\", …)`, or only where `\"{}\" in {}`.",
                         quote(facts, read->value->span), key, key, quote(facts, read->value->span))})
            .finding);
  });
}

}  // namespace

void run_checkpoint_key_required(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change == nullptr || context.before == nullptr) return;
  for (const EntityChange& entity : context.change->entities) {
    const bool is_both = entity.before && entity.after && entity.before->function.valid() &&
                         entity.after->function.valid() && entity.kind != change::EntityKind::kModule;
    if (is_both && !program::is_test_path(entity.after->path)) check(context, entity, findings);
  }
}

}  // namespace lockstep::rules
