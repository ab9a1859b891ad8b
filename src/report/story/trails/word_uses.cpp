#include "report/story/trails/word_uses.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/attribute_stores.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::Program;

bool is_given(const Program& program, std::string_view name, bool or_read) {
  for (const program::Module& module : program.modules()) {
    if (!module.facts->has_name(name) || program::is_test_path(module.path)) continue;
    bool found = false;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* attribute = as<Attribute>(node);
      const auto* keyword = as<Keyword>(node);
      found = found || stored_on(*node, name) != nullptr || (keyword != nullptr && keyword->name.text == name) ||
              (or_read && attribute != nullptr && attribute->name.text == name);
      return !found;
    });
    if (found) return true;
  }
  return false;
}

bool may_be_given(const Program& program, std::string_view cls, std::string_view name) {
  if (is_given(program, name)) return true;
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path) || (!module.facts->has_name(cls) && !module.facts->has_name(name))) continue;
    bool found = false;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* call = as<Call>(node);
      const auto* constant = as<Constant>(node);
      found = found || (constant != nullptr && rules::text_of(constant) == name) ||
              (call != nullptr && callee_name(*call) == cls &&
               (!call->arguments.empty() || rules::has_spread_keywords(*call)));
      return !found;
    });
    if (found) return true;
  }
  return false;
}

std::set<std::string_view> words_in(const FunctionDef* def) {
  std::set<std::string_view> out;
  if (def == nullptr) return out;
  for (const Parameter* one : def->parameters->all) out.insert(one->name.text);
  walk(*def, Nested::kEnter, [&](const Node* node) {
    if (const auto* name = as<Name>(node)) out.insert(name->id);
    if (const auto* attribute = as<Attribute>(node)) out.insert(attribute->name.text);
    if (const auto* keyword = as<Keyword>(node)) out.insert(keyword->name.text);
  });
  return out;
}

bool takes_bundle(const FunctionDef& function) {
  const auto& parameters = function.parameters->all;
  return std::any_of(parameters.begin(), parameters.end(), [](const Parameter* one) {
    return one->parameter_kind == Parameter::Kind::kVarArgs || one->parameter_kind == Parameter::Kind::kVarKeywords;
  });
}

/// Whether a text, or the name of an argument, is the word.
static bool mentions_text(const FunctionDef& function, std::string_view word) {
  bool found = false;
  walk(function, Nested::kEnter, [&](const Node* node) {
    const auto* constant = as<Constant>(node);
    const auto* keyword = as<Keyword>(node);
    found = found || (keyword != nullptr && keyword->name.text == word) ||
            (constant != nullptr && rules::text_of(constant) == word);
    return !found;
  });
  return found;
}

bool names_word(const FunctionDef& function, std::string_view word) {
  const auto& parameters = function.parameters->all;
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const Parameter* one) { return one->name.text == word; }) ||
         rules::mentions_name(function, word) || rules::mentions_attribute(function, word) ||
         mentions_text(function, word);
}

}  // namespace lockstep::report
