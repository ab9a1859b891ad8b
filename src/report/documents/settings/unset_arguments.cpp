#include "report/documents/settings/unset_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::Program;

namespace {

/// `args` and `self.args`; where a default is given, `config` and `self.config`, too.
bool holds_settings(const Expr& value, bool with_config) {
  const std::string text = dotted_text(&value);
  if (text == "args" || text == "self.args") return true;
  return with_config && (text == "config" || text == "self.config");
}

/// One reading of a setting.
struct Reading {
  std::string receiver;
  std::string default_text;  ///< Empty: none is given.
};

bool is_getattr(const Call& call) {
  return rules::name_of(call.callee) == "getattr" && call.arguments.size() == 3 && call.keywords.empty();
}

/// By name; of those with a default and of those without. What `hasattr` asks for is left out.
std::map<std::string, Reading, std::less<>> readings_of(const Node& code, const SourceText& source) {
  std::map<std::string, Reading, std::less<>> out;
  std::vector<std::string> asked;
  walk(code, Nested::kEnter, [&](const Node* node) {
    if (const auto* member = as<Attribute>(node);
        member != nullptr && member->context == ExprContext::kLoad && holds_settings(*member->value, false))
      out.try_emplace(std::string(member->name.text), Reading{dotted_text(member->value), ""});
    const auto* call = as<Call>(node);
    if (call == nullptr || call->arguments.size() < 2) return;
    const std::string name(rules::text_of(call->arguments[1]));
    if (name.empty()) return;
    const bool is_reading =
        is_getattr(*call) && is<Constant>(call->arguments[2]) && holds_settings(*call->arguments[0], true);
    if (is_reading) {
      out.insert_or_assign(name, Reading{dotted_text(call->arguments[0]), one_line(source, *call->arguments[2], 40)});
    } else if (rules::name_of(call->callee) == "hasattr" || rules::name_of(call->callee) == "getattr") {
      asked.push_back(name);
    }
  });
  for (const std::string& one : asked) out.erase(one);
  return out;
}

/// What code outside tests does with a name.
struct Uses {
  bool is_read = false;        ///< As `args.name`, or by `getattr` and `hasattr`.
  bool is_read_plain = false;  ///< The first.
  bool is_other = false;       ///< In any other way: an option, a field, an assignment, a keyword, a part of a text.
};

/// A text that says something: a message, a docstring.
bool is_prose(const Node& node) {
  const auto* text = as<Constant>(&node);
  return text != nullptr && contains(rules::text_of(text), " ");
}

/// Notes the use at one place of the name's text.
void note_use(const Program& program, program::ModuleId module, std::string_view name, std::uint32_t begin,
              Uses& uses) {
  const std::vector<const Node*> chain = chain_to(program.modules()[module].facts->tree(), {begin, begin + 1});
  if (chain.empty() || is<ExprStmt>(chain.back()) || is_prose(*chain.back())) return;
  const Node* last = chain.back();
  if (const auto* member = as<Attribute>(last); member != nullptr && member->name.text == name) {
    uses.is_read = true;
    (member->context == ExprContext::kLoad ? uses.is_read_plain : uses.is_other) = true;
    return;
  }
  // A local that is named after it.
  if (is<Name>(last)) {
    const program::FunctionId function = program.function_at(module, begin);
    const bool is_local = function.valid() && program.functions()[function].def() != nullptr &&
                          std::none_of(chain.begin(), chain.end(), [](const Node* one) { return is<ClassDef>(one); });
    const auto method = std::find_if(chain.rbegin(), chain.rend(),
                                     [](const Node* one) { return is<ClassDef>(one) || is<FunctionDef>(one); });
    if (!is_local && (method == chain.rend() || !is<FunctionDef>(*method))) uses.is_other = true;
    return;
  }
  const auto* call = chain.size() > 1 ? as<Call>(chain[chain.size() - 2]) : nullptr;
  const std::string_view callee = call == nullptr ? "" : rules::name_of(call->callee);
  const bool asks = (callee == "getattr" || callee == "hasattr") && call->arguments.size() > 1 &&
                    call->arguments[1] == last && rules::text_of(call->arguments[1]) == name;
  (asks ? uses.is_read : uses.is_other) = true;
}

Uses uses_of(const Program& program, std::string_view name) {
  std::string option(name);
  std::replace(option.begin(), option.end(), '_', '-');
  Uses out;
  for (std::size_t i = 0; i < program.modules().size() && !out.is_other; ++i) {
    const program::ModuleId module(i);
    if (program::is_test_path(program.modules()[module].path)) continue;
    const FileFacts& facts = *program.modules()[module].facts;
    for (std::size_t at = facts.find_name(name); at != std::string_view::npos; at = facts.find_name(name, at + 1))
      note_use(program, module, name, static_cast<std::uint32_t>(at), out);
    if (option == name) continue;
    const std::string_view text = facts.source().bytes();
    for (std::size_t at = text.find(option); at != std::string_view::npos; at = text.find(option, at + 1))
      note_use(program, module, name, static_cast<std::uint32_t>(at), out);
  }
  return out;
}

/// What is read of the names that nothing brings in, in the order of the story.
struct Found {
  std::vector<std::string> readers;   ///< Marked text.
  std::vector<std::string> names;     ///< Marked text: `args.x`.
  std::vector<std::string> defaults;  ///< Source texts.
};

void add(std::string name, std::vector<std::string>& to) {
  if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(std::move(name));
}

}  // namespace

void add_unset_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostNames = 4;
  constexpr std::size_t kMostAsked = 60;
  std::size_t asked = 0;
  Found with_default;
  Found without;
  for (const Actor& actor : story.actors) {
    const auto& now = actor.change->after;
    if (actor.role == Role::kTest || !actor.is_function() || !now || !now->function.valid() || now->node == nullptr)
      continue;
    const auto& was = actor.change->before;
    std::map<std::string, Reading, std::less<>> old;
    if (was && was->node != nullptr && was->function.valid())
      old = readings_of(*was->node, source_of(*inputs.before, was->function));
    for (const auto& [name, reading] : readings_of(*now->node, source_of(*inputs.after, now->function))) {
      const bool has_default = !reading.default_text.empty();
      Found& found = has_default ? with_default : without;
      if (old.contains(name) || found.names.size() == kMostNames || ++asked > kMostAsked) continue;
      const Uses uses = uses_of(*inputs.after, name);
      if (uses.is_other || (has_default && uses.is_read_plain)) continue;
      const Uses before = uses_of(*inputs.before, name);
      if (has_default ? before.is_read : before.is_read_plain) continue;
      if (before.is_other) continue;  // What used to bring it in goes: told elsewhere.
      add(code(short_name(inputs, *actor.change)), found.readers);
      const std::size_t known = found.names.size();
      add(code(reading.receiver + "." + name), found.names);
      if (found.names.size() > known) found.defaults.push_back(reading.default_text);
    }
  }
  const auto reads = [](const Found& found) { return found.readers.size() == 1 ? "reads" : "read"; };
  if (!with_default.names.empty()) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < with_default.names.size(); ++i)
      values.push_back(fmt::format("{} is always {}", with_default.names[i], code(with_default.defaults[i])));
    risks.push_back({RiskKind::kCorrectness,
                     fmt::format("{} {} {} by {} with a default, and no option, field or assignment of that name "
                                 "was found outside tests: as the repository stands, {}.",
                                 join_words(with_default.readers), reads(with_default), join_words(with_default.names),
                                 code("getattr"), join_words(values)),
                     "What is to set it?", false});
  }
  if (!without.names.empty()) {
    risks.push_back(
        {RiskKind::kCorrectness,
         fmt::format("{} {} {}, and no option, field or assignment of that name was found outside tests: "
                     "unless code outside this repository brings it in, reading it raises {}.",
                     join_words(without.readers), reads(without), join_words(without.names), code("AttributeError")),
         "What is to set it?", false});
  }
}

}  // namespace lockstep::report
