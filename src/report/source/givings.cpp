#include "report/source/givings.h"

#include <cctype>

#include "base/strings.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A sentence: words beside one another, and nothing that a command line or a list of names would have.
bool is_prose(std::string_view text) {
  if (contains(text, "--") || contains(text, "=") || contains(text, "\n")) return false;
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = text.find(' '); at != std::string_view::npos; at = text.find(' ', at + 1)) {
    if (at > 0 && at + 1 < text.size() && is_letter(text[at - 1]) && is_letter(text[at + 1])) return true;
  }
  return false;
}

}  // namespace

bool hands_on(const Expr& value, std::string_view setting, bool is_test) {
  const auto* attribute = as<Attribute>(&value);
  if (attribute != nullptr) return attribute->name.text == setting;
  // In a test the name may be a parameter that the runner gives.
  return !is_test && rules::name_of(&value) == setting;
}

Giving giving_at(const std::vector<const Node*>& around, std::uint32_t at, bool is_test) {
  if (around.empty()) return {};
  const Node* inner = around.back();
  const Node* outer = around.size() < 2 ? nullptr : around[around.size() - 2];
  if (const auto* keyword = as<Keyword>(inner))
    return {keyword->name.span.begin == at, keyword->value, nullptr, as<Call>(outer)};
  if (const auto* attribute = as<Attribute>(inner)) {
    if (attribute->context != ExprContext::kStore || attribute->name.span.begin != at) return {};
    const auto* assign = as<Assign>(outer);
    return {true, assign == nullptr ? nullptr : assign->value, attribute->value};
  }
  if (const auto* text = as<Constant>(inner)) {
    if (const auto* dict = as<Dict>(outer)) {
      for (std::size_t i = 0; i < dict->keys.size(); ++i) {
        if (dict->keys[i] == inner) return {true, dict->values[i]};
      }
    }
    if (const auto* call = as<Call>(outer)) {
      const std::string_view callee = callee_name(*call);
      if (callee == "getattr" || callee == "hasattr" || callee == "add_argument" || callee == "get") return {};
      if (callee == "setattr" && call->arguments.size() == 3) return {true, call->arguments[2], call->arguments[0]};
    }
    if (const auto* subscript = as<Subscript>(outer)) {
      const Node* statement = around.size() < 3 ? nullptr : around[around.size() - 3];
      const auto* assign = as<Assign>(statement);
      if (subscript->context != ExprContext::kStore) return {};
      return {true, assign == nullptr ? nullptr : assign->value};
    }
    if (is<ExprStmt>(outer)) return {};  // A docstring.
    // A text elsewhere may be anything: the names that a test is run with, a list of names that are only looked at.
    return {is_test && !is_prose(text->text), nullptr};
  }
  return {};
}

}  // namespace lockstep::report
