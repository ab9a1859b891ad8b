#include "report/documents/compatibility/library_keywords.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// The library of which the callee is, where its module imports it in a `try`; empty for others.
std::string optional_library(const Program& program, const program::Module& module, const Call& call) {
  const std::string callee = dotted_text(call.callee);
  const std::string_view root = std::string_view(callee).substr(0, callee.find('.'));
  if (root.empty()) return {};
  for (const ImportedName& one : module.facts->imports) {
    if (one.bound_as != root) continue;
    const std::string_view library = one.module.substr(0, one.module.find('.'));
    if (!one.in_try || one.level > 0 || library.empty() || library == "torch" || library == "triton" ||
        program.find_module(std::string(library)).valid() || program.find_module(std::string(one.module)).valid())
      return {};
    return std::string(library);
  }
  return {};
}

/// By callee: the keywords that calls of it get in the function; those of `**local` with the keys that the function
/// puts into that dictionary.
std::map<std::string, std::set<std::string>> keywords_of_calls(const Node& function) {
  std::map<std::string, std::set<std::string>> keys;  // Of local dictionaries.
  walk(function, Nested::kSkip, [&](const Node* node) {
    const auto* assign = as<Assign>(node);
    if (assign == nullptr || assign->targets.size() != 1) return;
    if (const auto* item = as<Subscript>(assign->targets.front())) {
      const std::string_view name = rules::name_of(item->value);
      const std::string_view key = rules::text_of(item->index);
      if (!name.empty() && !key.empty()) keys[std::string(name)].emplace(key);
    }
    const std::string_view name = rules::name_of(assign->targets.front());
    if (name.empty()) return;
    if (const auto* dict = as<Dict>(assign->value)) {
      for (const Expr* key : dict->keys) {
        if (key != nullptr && !rules::text_of(key).empty()) keys[std::string(name)].emplace(rules::text_of(key));
      }
    }
    const auto* made = as<Call>(assign->value);
    if (made != nullptr && rules::name_of(made->callee) == "dict") {
      for (const Keyword* each : made->keywords) keys[std::string(name)].emplace(each->name.text);
    }
  });
  std::map<std::string, std::set<std::string>> out;
  walk_of<Call>(function, Nested::kSkip, [&](const Call* call) {
    std::set<std::string>& given = out[dotted_text(call->callee)];
    for (const Keyword* each : call->keywords) {
      if (!each->name.text.empty()) {
        given.emplace(each->name.text);
      } else if (const auto found = keys.find(std::string(rules::name_of(each->value))); found != keys.end()) {
        given.insert(found->second.begin(), found->second.end());
      }
    }
  });
  return out;
}

bool speaks_of_version(std::string_view text) {
  const std::string lower = to_lower(text);
  return contains(lower, "version") || contains(lower, "signature") || contains(lower, "hasattr");
}

/// Whether the function asks what the library has, itself or by a variable of its module that holds the answer.
bool asks_for_version(const Node& function, const program::Module& module) {
  const SourceText& source = module.facts->source();
  const std::string_view text = source.slice(function.span);
  bool asks = speaks_of_version(text);
  if (asks) return true;
  walk_statements(module.facts->tree(), Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (asks || assign == nullptr || assign->targets.size() != 1) return;
    const std::string_view name = rules::name_of(assign->targets.front());
    asks = !name.empty() && speaks_of_version(source.slice(assign->value->span)) &&
           find_name(text, name) != std::string_view::npos;
  });
  return asks;
}

}  // namespace

void add_library_keywords(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostKeywords = 3;
  std::size_t told = 0;
  const Program& program = *inputs.after;
  for (const Actor& actor : story.actors) {
    if (told == kMost) return;
    const auto& now = actor.change->after;
    const auto& was = actor.change->before;
    if (actor.role == Role::kTest || !actor.is_function() || !now || !was || !now->function.valid() ||
        now->node == nullptr || was->node == nullptr || as<FunctionDef>(now->node) == nullptr)
      continue;
    const program::Module& module = program.module_of(now->function);
    const SourceText& source = module.facts->source();
    if (program::is_test_path(module.path) || asks_for_version(*now->node, module)) continue;
    std::map<std::string, std::set<std::string>> before;
    bool is_read = false;
    std::set<std::string> known;
    for (const auto& [callee, given] : keywords_of_calls(*now->node)) {
      const Call* call = nullptr;
      walk_of<Call>(*now->node, Nested::kSkip, [&](const Call* one) {
        if (call == nullptr && dotted_text(one->callee) == callee) call = one;
      });
      if (callee.empty() || call == nullptr || told == kMost) continue;
      const std::string library = optional_library(program, module, *call);
      if (library.empty()) continue;
      if (!is_read) before = keywords_of_calls(*was->node);
      is_read = true;
      const auto old = before.find(callee);
      if (old == before.end()) continue;
      std::vector<std::string> fresh;
      for (const std::string& one : given) {
        if (!old->second.contains(one)) fresh.push_back(code(one));
      }
      // Other keywords may be those of another call.
      const bool loses = std::any_of(old->second.begin(), old->second.end(),
                                     [&](const std::string& one) { return !given.contains(one); });
      if (fresh.empty() || fresh.size() > kMostKeywords || loses) continue;
      ++told;
      risks.push_back(
          {RiskKind::kCompatibility,
           fmt::format("{} newly gives {} to {} ({}) of the optional library {}, and asks for no version of it.",
                       code(short_name(inputs, *actor.change)), join_words(fresh), code(callee),
                       place(module.path, source.line_of(call->span.begin)), code(library)),
           fmt::format("Which version takes {}?", fresh.size() == 1 ? "it" : "them"), false});
    }
  }
}

}  // namespace lockstep::report
