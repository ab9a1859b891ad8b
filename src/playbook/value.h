// Configuration text (TOML, YAML, INI, JSON) → one plain tree of values with line numbers, so that whoever asks what a
// tool is configured to do need not know in which language its file is written. Hostile text gives an empty value,
// never an error: bounded in size, depth and number of nodes; YAML aliases are not followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::playbook {

/// One value of a configuration file.
struct Value {
  struct Member;
  enum class Kind : std::uint8_t { kNone, kScalar, kList, kMap };
  Kind kind = Kind::kNone;
  std::string scalar;           ///< As text: "100", "true", "black".
  std::vector<Value> items;     ///< Of a list.
  std::vector<Member> members;  ///< Of a map, in the order of the file (TOML: sorted by key).
  std::uint32_t line = 0;       ///< From 0; 0 where the format does not tell.

  [[nodiscard]] bool exists() const { return kind != Kind::kNone; }
  /// The member `key`; an empty value where there is none. The reference lives as long as this value.
  [[nodiscard]] const Value& operator[](std::string_view key) const;
  /// Scalars of a list, or the one scalar itself.
  [[nodiscard]] std::vector<std::string> texts() const;
};
struct Value::Member {
  std::string key;
  Value value;
};

/// Larger files are not configuration that a person wrote.
inline constexpr std::size_t kMaxConfigBytes = 4u << 20;

Value parse_toml(std::string_view text);
/// The first document of a stream.
Value parse_yaml(std::string_view text);
/// Sections → keys → text; lines that continue a value are joined by a newline.
Value parse_ini(std::string_view text);
Value parse_json(std::string_view text);

}  // namespace lockstep::playbook
