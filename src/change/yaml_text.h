// Text of a YAML file -> the tree of its block mappings and sequences, with lines. Read by indentation, as
// configuration files are written; anchors, tags and plain scalars over several lines are not followed. Never fails:
// what it does not see is left out, and depth and number of nodes are bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::change {

/// `text` without the quotes around it.
std::string_view without_quotes(std::string_view text);

struct YamlNode {
  std::string key;  ///< Without quotes; empty for an item of a sequence.
  /// A scalar without quotes and comment, or a flow collection as written; of a block scalar its lines, trimmed, joined
  /// by line feeds. Empty where `children` tell.
  std::string value;
  std::uint32_t line = 0;  ///< From 0.
  bool is_item = false;
  std::vector<YamlNode> children;

  /// The child with this key, or null.
  [[nodiscard]] const YamlNode* find(std::string_view name) const;
  /// The text of the child with this key; empty where there is none.
  [[nodiscard]] std::string_view text_of(std::string_view name) const;
  /// The plain items of a sequence, flow or block; a lone scalar is one item.
  [[nodiscard]] std::vector<std::string> items() const;
};

/// The root's children are the top-level keys. Files above half a megabyte give an empty tree.
YamlNode yaml_tree(std::string_view text);

}  // namespace lockstep::change
