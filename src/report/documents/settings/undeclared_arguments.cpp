#include "report/documents/settings/undeclared_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/generated_arguments.h"
#include "rules/names/used_names.h"
#include "rules/settings/args_sources.h"
#include "rules/settings/declared_options.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// The names that are read off `args`; not those that `hasattr` or `getattr` may find missing.
std::set<std::string_view> read_of_args(const Node& code) {
  std::set<std::string_view> out;
  std::set<std::string_view> asked;
  walk(code, Nested::kEnter, [&](const Node* node) {
    if (const auto* member = as<Attribute>(node);
        member != nullptr && member->context == ExprContext::kLoad && rules::name_of(member->value) == "args")
      out.insert(member->name.text);
    const auto* call = as<Call>(node);
    const std::string_view callee = call == nullptr ? "" : rules::name_of(call->callee);
    if ((callee == "hasattr" || callee == "getattr") && call->arguments.size() > 1)
      asked.insert(rules::text_of(call->arguments[1]));
  });
  for (const std::string_view one : asked) out.erase(one);
  return out;
}

/// Whether code outside tests reads `args.name`.
bool reads_it(const Program& program, std::string_view name) {
  const std::string text = "args." + std::string(name);
  return std::any_of(program.modules().begin(), program.modules().end(), [&](const program::Module& module) {
    return !program::is_test_path(module.path) &&
           find_name(module.facts->source().bytes(), text) != std::string_view::npos;
  });
}

}  // namespace

void add_undeclared_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostReaders = 3;
  std::map<std::string, std::vector<const Actor*>> read;
  for (const Actor& actor : story.actors) {
    const auto& now = actor.change->after;
    if (actor.role == Role::kTest || !actor.is_function() || !now || !now->function.valid() || now->node == nullptr)
      continue;
    const auto& was = actor.change->before;
    const std::set<std::string_view> old =
        was && was->node != nullptr ? read_of_args(*was->node) : std::set<std::string_view>();
    for (const std::string_view name : read_of_args(*now->node)) {
      if (!old.contains(name)) read[std::string(name)].push_back(&actor);
    }
  }
  if (read.empty()) return;
  const GeneratedArguments generated(*inputs.after);
  std::optional<rules::DeclaredOptions> options;
  std::optional<rules::UsedNames> used;
  std::optional<rules::ArgsSources> sources;
  for (auto& [name, readers] : read) {
    const auto left_out = generated.left_out(name);
    if (!left_out || reads_it(*inputs.before, name)) continue;
    if (!options) options.emplace(*inputs.after);
    if (!used) used.emplace(*inputs.after);
    if (!sources) sources.emplace(*inputs.after);
    std::erase_if(readers, [&](const Actor* one) { return !sources->gets_args(one->change->after->function); });
    if (readers.empty() || options->flag(name) != nullptr || used->writes_attribute(name) || used->has_keyword(name))
      continue;
    std::vector<std::string> names;
    for (const Actor* one : readers) {
      if (names.size() < kMostReaders || readers.size() == kMostReaders + 1)
        names.push_back(code(short_name(inputs, *one->change)));
    }
    if (readers.size() > names.size()) names.push_back(fmt::format("{} more functions", readers.size() - names.size()));
    const program::CallSite& site = inputs.after->calls()[left_out->call];
    const program::Module& module = inputs.after->module_of(site.caller);
    risks.push_back(
        {RiskKind::kCorrectness,
         fmt::format("{} newly {} {}, but no option declares it: what makes options of the fields of {} leaves it out "
                     "({}), and nothing was found that sets it: reading it would raise {}.",
                     join_words(names), readers.size() == 1 ? "reads" : "read", code("args." + name),
                     code(inputs.after->classes()[left_out->cls].name),
                     place(module.path, module.facts->source().line_of(site.node->span.begin)), code("AttributeError")),
         "Where does it come from?", false});
  }
}

}  // namespace lockstep::report
