#include "report/story/steps/definition_names.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>

#include "change/names.h"
#include "report/story/steps/renamed_code.h"

namespace lockstep::report {

using change::EntityChange;
using change::EntityKind;

namespace {

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<signed char>(c) < 0;
}

bool is_quote(char c) { return c == '"' || c == '\''; }

/// "f", "rb": what may stand before a string.
bool is_prefix(std::string_view token) {
  return token.size() <= 2 && std::all_of(token.begin(), token.end(), [](char c) {
           return std::string_view("fFrRbBuU").find(c) != std::string_view::npos;
         });
}

/// The tokens of code; strings side by side are one, which begins with a quote and has no other, and commas before a
/// closing bracket are layout.
std::vector<std::string> plain_tokens(std::string_view code) {
  const std::vector<std::string_view> tokens = tokens_of(code);
  std::vector<std::string> out;
  bool goes_on = false;  // The last token is a string.
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    const bool stands_before_string = i + 1 < tokens.size() && is_quote(tokens[i + 1].front()) && is_prefix(token);
    if (stands_before_string && (goes_on || token == "f" || token == "F")) continue;
    if (is_quote(token.front()) && token.size() >= 2) {
      if (!goes_on) out.emplace_back("\"");
      out.back() += token.substr(1, token.size() - 2);
      goes_on = true;
      continue;
    }
    goes_on = false;
    if (token == "," && i + 1 < tokens.size() && std::string_view(")]}").find(tokens[i + 1]) != std::string_view::npos)
      continue;
    out.emplace_back(token);
  }
  return out;
}

/// The last names of what is defined after the change in files that it touches, but for variables.
std::set<std::string, std::less<>> defined_after(const DocumentInputs& inputs) {
  std::set<std::string, std::less<>> out;
  for (const EntityChange& entity : inputs.change->entities) {
    if (entity.after && entity.kind != EntityKind::kVariable && entity.kind != EntityKind::kModule)
      out.emplace(change::last_part(entity.after->qualified_name));
  }
  return out;
}

}  // namespace

DefinitionNames::DefinitionNames(const DocumentInputs& inputs) {
  constexpr std::size_t kShortest = 4;  // `run`, `get`: too many have these names.
  std::set<std::string> unclear;
  for (const EntityChange& entity : inputs.change->entities) {
    if (!entity.before || !entity.after || entity.kind == EntityKind::kModule) continue;
    const std::string was(change::last_part(entity.before->qualified_name));
    const std::string now(change::last_part(entity.after->qualified_name));
    if (was == now || was.size() < kShortest || was.starts_with("__")) continue;
    const auto [known, is_new] = names_.emplace(was, now);
    if (!is_new && known->second != now) unclear.insert(was);
  }
  // Several had the old name and only one of them has the new one now: what the others did is gone, or done otherwise.
  for (const EntityChange& entity : inputs.change->entities) {
    if (entity.before && !entity.after && entity.kind != EntityKind::kModule)
      unclear.emplace(change::last_part(entity.before->qualified_name));
  }
  if (names_.empty()) return;
  const std::set<std::string, std::less<>> defined = defined_after(inputs);
  std::erase_if(names_, [&](const auto& one) { return unclear.contains(one.first) || defined.contains(one.first); });
  // A method or function that another class still has by the old name may be meant by it.
  if (names_.empty()) return;
  std::set<std::string> still;
  for (const program::Function& function : inputs.after->functions()) {
    if (names_.contains(function.name)) still.insert(std::string(function.name));
  }
  for (const program::Class& cls : inputs.after->classes()) {
    if (names_.contains(cls.name)) still.insert(std::string(cls.name));
  }
  std::erase_if(names_, [&](const auto& one) { return still.contains(one.first); });
}

std::vector<std::pair<std::string, std::string>> DefinitionNames::between(std::string_view before,
                                                                          std::string_view after) const {
  std::vector<std::pair<std::string, std::string>> out;
  if (names_.empty()) return out;
  const std::vector<std::string> old_tokens = plain_tokens(before);
  const std::vector<std::string> new_tokens = plain_tokens(after);
  if (old_tokens.size() != new_tokens.size()) return out;
  const auto note = [&](const auto& pair) {
    const std::pair<std::string, std::string> one{pair.first, pair.second};
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  };
  for (std::size_t i = 0; i < old_tokens.size(); ++i) {
    const std::string& was = old_tokens[i];
    const std::string& now = new_tokens[i];
    if (was == now) continue;
    if (was.front() != '"') {
      const auto found = names_.find(was);
      if (found == names_.end() || found->second != now) return {};
      note(*found);
      continue;
    }
    if (was.find(' ') == std::string::npos) return {};
    std::string text;
    for (std::size_t at = 0; at < was.size();) {
      std::size_t end = at;
      while (end < was.size() && is_word_char(was[end])) ++end;
      const std::string_view word = std::string_view(was).substr(at, std::max<std::size_t>(end - at, 1));
      const auto found = names_.find(word);
      text += found == names_.end() ? word : std::string_view(found->second);
      if (found != names_.end()) note(*found);
      at += word.size();
    }
    if (text != now) return {};
  }
  return out;
}

}  // namespace lockstep::report
