#include "change/yaml_text.h"

#include <algorithm>

#include "base/strings.h"

namespace lockstep::change {

namespace {

constexpr std::size_t kMostBytes = 512 * 1024;
constexpr std::size_t kMostNodes = 20'000;
constexpr int kMostDepth = 40;

/// Where the comment of a line starts: a "#" at the start or behind white space, outside quotes.
std::size_t comment_at(std::string_view text) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '"' || c == '\'') && (i == 0 || contains(" [{,:", text.substr(i - 1, 1)))) {
      quote = c;
    } else if (c == '#' && (i == 0 || text[i - 1] == ' ')) {
      return i;
    }
  }
  return text.size();
}

/// The colon that ends the key at the start of `text`; npos where there is none.
std::size_t colon_at(std::string_view text) {
  std::size_t i = 0;
  if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
    i = text.find(text[0], 1);
    if (i == std::string_view::npos) return i;
  }
  for (; i < text.size(); ++i) {
    if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' ')) return i;
    if (text[i] == '[' || text[i] == '{') return std::string_view::npos;
  }
  return std::string_view::npos;
}

int open_brackets(std::string_view text) {
  int open = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++open;
    if (c == ']' || c == '}') --open;
  }
  return open;
}

struct Line {
  std::size_t indent = 0;
  std::string_view text;  ///< Without indentation and comment.
  std::uint32_t number = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : lines_(split_lines(text)) { advance(); }

  void read(YamlNode& into, std::size_t indent, int depth, bool items_only) {
    while (has_line_ && now_.indent >= indent && depth < kMostDepth && nodes_ < kMostNodes) {
      const bool item = now_.text == "-" || now_.text.starts_with("- ");
      if (items_only && (!item || now_.indent != indent)) return;
      if (item) {
        add_item(into, depth);
      } else if (!add_key(into, depth)) {
        advance();
      }
    }
  }

 private:
  void advance() {
    for (; next_ < lines_.size(); ++next_) {
      const std::string_view raw = lines_[next_];
      const std::size_t indent = raw.find_first_not_of(' ');
      if (indent == std::string_view::npos) continue;
      const std::string_view rest = raw.substr(indent);
      const std::string_view text = trim(rest.substr(0, comment_at(rest)));
      if (text.empty() || text == "---") continue;
      now_ = {indent, text, static_cast<std::uint32_t>(next_++)};
      has_line_ = true;
      return;
    }
    has_line_ = false;
  }

  YamlNode& add(YamlNode& into, bool is_item) {
    ++nodes_;
    YamlNode node;
    node.line = now_.number;
    node.is_item = is_item;
    into.children.push_back(std::move(node));
    return into.children.back();
  }

  void add_item(YamlNode& into, int depth) {
    YamlNode& node = add(into, true);
    const std::size_t indent = now_.indent;
    const std::size_t start = now_.text.find_first_not_of(' ', 1);
    if (start == std::string_view::npos) {
      advance();
      read_below(node, indent + 1, depth);
      return;
    }
    const std::string_view rest = now_.text.substr(start);
    if (colon_at(rest) == std::string_view::npos && !rest.starts_with("- ")) {
      take_value(node, rest, indent);
      return;
    }
    now_.indent = indent + start;
    now_.text = rest;
    read_below(node, now_.indent, depth);
  }

  bool add_key(YamlNode& into, int depth) {
    const std::size_t colon = colon_at(now_.text);
    if (colon == std::string_view::npos) return false;
    YamlNode& node = add(into, false);
    node.key = std::string(without_quotes(now_.text.substr(0, colon)));
    const std::string_view rest = trim(now_.text.substr(colon + 1));
    const std::size_t indent = now_.indent;
    if (!rest.empty() && rest.front() != '&') {
      take_value(node, rest, indent);
      return true;
    }
    advance();
    if (!has_line_) return true;
    if (now_.indent > indent) {
      read_below(node, now_.indent, depth);
    } else if (now_.indent == indent) {
      read(node, indent, depth + 1, true);
    }
    return true;
  }

  void read_below(YamlNode& node, std::size_t indent, int depth) { read(node, indent, depth + 1, false); }

  /// A scalar that starts on this line, its further lines included.
  void take_value(YamlNode& node, std::string_view text, std::size_t indent) {
    if (text.front() == '|' || text.front() == '>') {
      take_block(node, indent);
      return;
    }
    node.value = std::string(without_quotes(text));
    int open = text.front() == '[' || text.front() == '{' ? open_brackets(text) : 0;
    advance();
    for (int more = 0; open > 0 && has_line_ && more < 50; ++more) {
      node.value.append(" ").append(now_.text);
      open += open_brackets(now_.text);
      advance();
    }
  }

  void take_block(YamlNode& node, std::size_t indent) {
    for (; next_ < lines_.size(); ++next_) {
      const std::size_t at = lines_[next_].find_first_not_of(' ');
      if (at == std::string_view::npos) continue;
      if (at <= indent) break;
      node.value.append(node.value.empty() ? "" : "\n").append(trim(lines_[next_]));
    }
    advance();
  }

  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
  std::size_t nodes_ = 0;
  Line now_;
  bool has_line_ = false;
};

}  // namespace

std::string_view without_quotes(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return text;
}

const YamlNode* YamlNode::find(std::string_view name) const {
  const auto at =
      std::find_if(children.begin(), children.end(), [&](const YamlNode& each) { return each.key == name; });
  return at == children.end() ? nullptr : &*at;
}

std::string_view YamlNode::text_of(std::string_view name) const {
  const YamlNode* child = find(name);
  return child == nullptr ? std::string_view() : child->value;
}

std::vector<std::string> YamlNode::items() const {
  std::vector<std::string> out;
  if (value.size() >= 2 && value.front() == '[' && value.back() == ']') {
    for (const std::string_view part : split(std::string_view(value).substr(1, value.size() - 2), ',')) {
      if (!trim(part).empty()) out.emplace_back(without_quotes(part));
    }
    return out;
  }
  if (!value.empty()) out.push_back(value);
  for (const YamlNode& child : children) {
    if (child.is_item && !child.value.empty()) out.push_back(child.value);
  }
  return out;
}

YamlNode yaml_tree(std::string_view text) {
  YamlNode root;
  if (text.size() <= kMostBytes) Reader(text).read(root, 0, 0, false);
  return root;
}

}  // namespace lockstep::change
