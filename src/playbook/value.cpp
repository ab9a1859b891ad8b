#include "playbook/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

// toml++ without exceptions, header only (Debian's compiled library has only the throwing form).
#define TOML_EXCEPTIONS 0
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_SHARED_LIB 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "base/strings.h"

namespace lockstep::playbook {

namespace {

constexpr int kMaxDepth = 64;

Value scalar_of(std::string text, std::uint32_t line) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.scalar = std::move(text);
  value.line = line;
  return value;
}

std::string number_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  return {};
}

Value from_toml(const toml::node& node, int depth) {
  const auto line = static_cast<std::uint32_t>(node.source().begin.line);
  Value value;
  value.line = line > 0 ? line - 1 : 0;
  if (depth > kMaxDepth) return value;
  if (const toml::table* table = node.as_table()) {
    value.kind = Value::Kind::kMap;
    for (const auto& [key, member] : *table)
      value.members.push_back({std::string(key.str()), from_toml(member, depth + 1)});
    return value;
  }
  if (const toml::array* array = node.as_array()) {
    value.kind = Value::Kind::kList;
    for (const toml::node& item : *array) value.items.push_back(from_toml(item, depth + 1));
    return value;
  }
  return scalar_of(number_text(node), value.line);
}

Value from_json(const nlohmann::ordered_json& json, int depth) {
  Value value;
  if (depth > kMaxDepth || json.is_null()) return value;
  if (json.is_object()) {
    value.kind = Value::Kind::kMap;
    for (const auto& [key, member] : json.items()) value.members.push_back({key, from_json(member, depth + 1)});
  } else if (json.is_array()) {
    value.kind = Value::Kind::kList;
    for (const auto& item : json) value.items.push_back(from_json(item, depth + 1));
  } else {
    value = scalar_of(json.is_string() ? json.get<std::string>() : json.dump(), 0);
  }
  return value;
}

// `#` and `;` start a comment at the start of a line, or after a blank.
std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts = line[i] == '#' || line[i] == ';';
    if (starts && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
  }
  return line;
}

}  // namespace

const Value& Value::operator[](std::string_view key) const {
  static const Value kNothing;
  for (const auto& [name, member] : members) {
    if (name == key) return member;
  }
  return kNothing;
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> result;
  if (kind == Kind::kScalar) result.push_back(scalar);
  for (const Value& item : items) {
    if (item.kind == Kind::kScalar) result.push_back(item.scalar);
  }
  return result;
}

Value parse_toml(std::string_view text) {
  if (text.size() > kMaxConfigBytes) return {};
  const toml::parse_result parsed = toml::parse(text);
  return parsed ? from_toml(parsed.table(), 0) : Value{};
}

Value parse_json(std::string_view text) {
  if (text.size() > kMaxConfigBytes) return {};
  // The parser recurses, so deep nesting is refused before it starts.
  int depth = 0, deepest = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  if (deepest > 2 * kMaxDepth) return {};
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  return json.is_discarded() ? Value{} : from_json(json, 0);
}

Value parse_ini(std::string_view text) {
  Value root;
  if (text.size() > kMaxConfigBytes) return root;
  root.kind = Value::Kind::kMap;
  std::uint32_t number = 0;
  for (const std::string_view raw : split_lines(text)) {
    const std::uint32_t line = number++;
    const std::string_view body = without_comment(raw);
    const std::string_view content = trim(body);
    if (content.empty()) continue;
    const bool indented = raw.front() == ' ' || raw.front() == '\t';
    if (content.front() == '[' && content.back() == ']' && !indented) {
      Value section;
      section.kind = Value::Kind::kMap;
      section.line = line;
      root.members.push_back({std::string(content.substr(1, content.size() - 2)), std::move(section)});
      continue;
    }
    if (root.members.empty()) continue;
    auto& members = root.members.back().value.members;
    if (indented && !members.empty()) {
      members.back().value.scalar += fmt::format("\n{}", content);
      continue;
    }
    const std::size_t equals = content.find_first_of("=:");
    if (equals == std::string_view::npos) continue;
    members.push_back(
        {std::string(trim(content.substr(0, equals))), scalar_of(std::string(trim(content.substr(equals + 1))), line)});
  }
  return root;
}

}  // namespace lockstep::playbook
