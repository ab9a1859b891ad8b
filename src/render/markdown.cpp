#include "render/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "render/mermaid.h"
#include "render/text_safety.h"

namespace lockstep::render {
namespace {

using report::Block;
using report::Inline;
using report::Run;
using report::Style;

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}

/// Longest run of back-quotes in `text`.
std::size_t longest_quote_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t length = 0;
  for (const char c : text) {
    length = c == '`' ? length + 1 : 0;
    longest = std::max(longest, length);
  }
  return longest;
}

bool starts_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("www.") ||
         text.starts_with("ftp://");
}

/// Bytes of the address that `text` starts with: without what ends the sentence or the brackets around it.
std::size_t url_length(std::string_view text) {
  const auto ends_address = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80u ||
           std::string_view(" \t\n\r<>\"`|").find(c) != std::string_view::npos;
  };
  std::size_t length = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), ends_address) - text.begin());
  const auto ends_sentence = [&](char last) {
    const bool is_closing = last == ')' && text.substr(0, length).find('(') == std::string_view::npos;
    return is_closing || std::string_view(".,;:!?'*_~]}").find(last) != std::string_view::npos;
  };
  while (length > 1 && ends_sentence(text[length - 1])) --length;
  return length;
}

/// Whether the bracket at text[i] pairs with one that cannot make a link, a footnote, a check box or an alert: "[P0]",
/// as severities are written. Such brackets need no backslash, which people read who see the raw text.
bool is_plain_bracket(std::string_view text, std::size_t i) {
  const std::size_t open = text[i] == '[' ? i : text.rfind('[', i);
  if (open == std::string_view::npos) return false;
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos || close < i || close - open < 3) return false;
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  const auto is_label = [](char c) { return is_word(c) || c == '/' || c == ' '; };
  if (!std::all_of(inside.begin(), inside.end(), is_label) || (open > 0 && text[open - 1] == '!')) return false;
  return close + 1 == text.size() || (text[close + 1] != '(' && text[close + 1] != '[' && text[close + 1] != ':');
}

/// What stands for text[i] in Markdown. A comment splits a mention or issue number, which GitHub looks for in the text
/// after Markdown has been read, so that a backslash does not stop it.
std::string escaped_at(std::string_view text, std::size_t i) {
  const char c = text[i];
  const char previous = i > 0 ? text[i - 1] : ' ';
  const char next = i + 1 < text.size() ? text[i + 1] : ' ';
  switch (c) {
    case '\\':
    case '`':
    case '*':
    case '|':
    case '~':
    case '$':
      return {'\\', c};
    case '[':
    case ']':
      return is_plain_bracket(text, i) ? std::string(1, c) : std::string{'\\', c};
    case '<':
      return "&lt;";
    case '>':
      return i == 0 ? "&gt;" : ">";
    case '&':
      return next == '#' || is_word(next) ? "&amp;" : "&";
    case '_':
      return is_word(previous) && is_word(next) ? "_" : "\\_";
    case '@':
      return is_word(next) ? "@<!-- -->" : "@";
    case '#':
      if (next >= '0' && next <= '9') return "#<!-- -->";
      return i == 0 ? "\\#" : "#";
    default:
      return std::string(1, c);
  }
}

/// Block markers at the start of a line: bullets, numbers, rules, setext underlines.
std::string escape_line_start(std::string text) {
  text.erase(0, text.find_first_not_of(' '));  // Four blanks would start a code block.
  if (text.empty()) return text;
  const char first = text.front();
  if (first == '-' || first == '+' || first == '=') return "\\" + text;
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits != 0 && digits != std::string::npos && (text[digits] == '.' || text[digits] == ')')) {
    text.insert(digits, "\\");
  }
  return text;
}

std::string url_of(std::string_view target) {
  std::string out;
  for (const char c : target) {
    const bool keep = (is_word(c) && (static_cast<unsigned char>(c) & 0x80u) == 0) ||
                      std::string_view("-._~:/?#@!$&'+,;=%").find(c) != std::string_view::npos;
    out += keep ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// A path as part of a URL: everything that could end it or start a query is encoded.
std::string url_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool keep = (is_word(c) && (static_cast<unsigned char>(c) & 0x80u) == 0) ||
                      std::string_view("-._~/").find(c) != std::string_view::npos;
    out += keep ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string place_text(const Run& run) {
  if (!run.line) return run.text;
  if (!run.last_line || *run.last_line == *run.line) return fmt::format("{}:{}", run.text, *run.line + 1);
  return fmt::format("{}:{}-{}", run.text, *run.line + 1, *run.last_line + 1);
}

class Writer {
 public:
  explicit Writer(const MarkdownOptions& options) : options_(options) {}

  [[nodiscard]] std::string inline_text(const Inline& runs, bool in_table) const {
    std::string out;
    for (const Run& run : runs) {
      std::string piece = run_text(run, in_table);
      // Two code spans that touch would join: "`a``b`".
      if (!out.empty() && !piece.empty() && out.back() == '`' && piece.front() == '`') out += "\u200a";
      out += piece;
    }
    return out;
  }

  void blocks(const std::vector<Block>& all, const std::string& indent) {
    for (const Block& block : all) {
      if (!out_.empty()) separate(indent);
      std::visit([&](const auto& value) { write(value, indent); }, block.value);
    }
  }

  std::string finish(const Inline& title, const std::vector<Block>& all) {
    if (!title.empty()) line("", "# " + inline_text(title, false));
    blocks(all, "");
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string run_text(const Run& run, bool in_table) const {
    switch (run.style) {
      case Style::kText:
        return escape_markdown(run.text);
      case Style::kCode:
        return code_span(run.text, in_table);
      case Style::kEmphasis:
        return around("*", run.text);
      case Style::kStrong:
        return around("**", run.text);
      case Style::kReference:
        return visible_text(run.text, false);
      case Style::kLink:
        if (!starts_url(run.target) || run.target.starts_with("www.")) return escape_markdown(run.text);
        return fmt::format("[{}]({})", escape_markdown(run.text), url_of(run.target));
      case Style::kPlace:
        return place(run, in_table);
    }
    return {};
  }

  /// Emphasis must not open before or close after a blank.
  static std::string around(std::string_view mark, std::string_view text) {
    const std::string_view inner = trim(text);
    if (inner.empty()) return escape_markdown(text);
    return fmt::format("{}{}{}", mark, escape_markdown(inner), mark);
  }

  [[nodiscard]] std::string place(const Run& run, bool in_table) const {
    const std::string shown = code_span(place_text(run), in_table);
    if (options_.source_url.empty()) return shown;
    std::string anchor;
    if (run.line) anchor = fmt::format("#L{}", *run.line + 1);
    if (run.line && run.last_line && *run.last_line != *run.line) anchor += fmt::format("-L{}", *run.last_line + 1);
    return fmt::format("[{}]({}{}{})", shown, url_of(options_.source_url), url_path(run.text), anchor);
  }

  void line(const std::string& indent, std::string_view text) {
    std::string whole = indent + std::string(text);
    while (!whole.empty() && whole.back() == ' ') whole.pop_back();
    out_ += whole + "\n";
  }

  void separate(const std::string& indent) { line(indent, ""); }

  void write(const report::Heading& block, const std::string& indent) {
    line(indent, std::string(static_cast<std::size_t>(std::clamp(block.level, 1, 6)), '#') + " " +
                     inline_text(block.text, false));
  }

  void write(const report::Paragraph& block, const std::string& indent) {
    line(indent, escape_line_start(inline_text(block.text, false)));
  }

  void write(const report::List& block, const std::string& indent) {
    std::size_t number = 0;
    for (const report::ListItem& item : block.items) {
      ++number;
      std::string marker = block.ordered ? fmt::format("{}. ", number) : "- ";
      const std::string inner = indent + std::string(marker.size(), ' ');
      if (item.checked) marker += *item.checked ? "[x] " : "[ ] ";
      line(indent, marker + escape_line_start(inline_text(item.text, false)));
      for (const Block& child : item.children) {
        if (!std::holds_alternative<report::List>(child.value)) separate(inner);
        std::visit([&](const auto& value) { write(value, inner); }, child.value);
      }
    }
  }

  void write(const report::Table& block, const std::string& indent) {
    const auto row = [&](const std::vector<Inline>& cells) {
      std::string text = "|";
      for (std::size_t i = 0; i < block.header.size(); ++i) {
        text += " " + (i < cells.size() ? inline_text(cells[i], true) : std::string()) + " |";
      }
      line(indent, text);
    };
    row(block.header);
    std::string rule = "|";
    for (std::size_t i = 0; i < block.header.size(); ++i) rule += " --- |";
    line(indent, rule);
    for (const auto& cells : block.rows) row(cells);
  }

  void write(const report::CodeBlock& block, const std::string& indent) {
    std::string caption;
    if (!block.path.empty())
      caption = run_text({Style::kPlace, block.path, {}, block.first_line, block.last_line}, false);
    if (!block.caption.empty()) {
      if (!caption.empty()) caption += " \u00b7 ";
      caption += inline_text(report::prose(block.caption), false);
    }
    if (!caption.empty()) {
      line(indent, caption);
      separate(indent);
    }
    fenced(block.language, block.lines, indent);
  }

  void write(const report::DiagramBlock& block, const std::string& indent) {
    if (!block.caption.empty()) {
      line(indent, escape_line_start(inline_text(report::prose(block.caption), false)));
      separate(indent);
    }
    const std::string text = render_mermaid(block.diagram);
    std::vector<std::string> lines;
    for (const std::string_view one : split_lines(text)) lines.emplace_back(one);
    fenced("mermaid", lines, indent);
  }

  void write(const report::Quote& block, const std::string& indent) { nested(block.blocks, indent + "> "); }

  void write(const report::Details& block, const std::string& indent) {
    line(indent, "<details>");
    line(indent, "<summary>" + html_inline(block.summary) + "</summary>");
    separate(indent);
    nested(block.blocks, indent);
    separate(indent);
    line(indent, "</details>");
  }

  void write(const report::Divider&, const std::string& indent) { line(indent, "---"); }

  void nested(const std::vector<Block>& all, const std::string& indent) {
    bool first = true;
    for (const Block& block : all) {
      if (!first) separate(indent);
      first = false;
      std::visit([&](const auto& value) { write(value, indent); }, block.value);
    }
  }

  void fenced(std::string_view language, const std::vector<std::string>& lines, const std::string& indent) {
    std::size_t longest = 2;
    std::vector<std::string> shown;
    for (const std::string& text : lines) {
      // A lone "\r" or another line separator inside a line must not start a new one outside the fence's indent.
      for (const std::string_view one : split(text, '\n')) {
        shown.push_back(visible_text(one, true));
        longest = std::max(longest, longest_quote_run(shown.back()));
      }
    }
    const std::string fence(longest + 1, '`');
    std::string safe_language;
    for (const char c : language) {
      if (is_word(c) || c == '+' || c == '-') safe_language += c;
    }
    line(indent, fence + safe_language);
    for (const std::string& text : shown) line(indent, text);
    line(indent, fence);
  }

  /// Inside an HTML line Markdown is not read.
  static std::string html_inline(const Inline& runs) {
    std::string out;
    for (const Run& run : runs) {
      std::string text = visible_text(run.style == Style::kPlace ? place_text(run) : run.text, false);
      text = replace_all(text, "&", "&amp;");
      text = replace_all(text, "<", "&lt;");
      text = replace_all(text, ">", "&gt;");
      text = replace_all(text, "@", "@<!-- -->");
      text = replace_all(text, "#", "#<!-- -->");
      const bool is_code = run.style == Style::kCode || run.style == Style::kPlace;
      out += is_code ? "<code>" + text + "</code>" : run.style == Style::kStrong ? "<b>" + text + "</b>" : text;
    }
    return out;
  }

  const MarkdownOptions& options_;
  std::string out_;
};

}  // namespace

std::string escape_markdown(std::string_view text) {
  const std::string shown = visible_text(text, false);
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view rest = std::string_view(shown).substr(i);
    if (starts_url(rest) && (i == 0 || !is_word(shown[i - 1]))) {
      // An untrusted address must not become a link. Next to a backtick code would end elsewhere: there it is split.
      const std::size_t length = url_length(rest);
      const std::size_t end = i + length;
      const bool is_beside_backtick = (i > 0 && shown[i - 1] == '`') || (end < shown.size() && shown[end] == '`');
      const std::size_t taken = !is_beside_backtick ? length : rest.starts_with("www.") ? 3 : 1;
      if (is_beside_backtick) {
        out.append(rest.substr(0, taken)).append("<!-- -->");
      } else {
        out.append(code_span(rest.substr(0, length), false));
      }
      i += taken - 1;
      continue;
    }
    out += escaped_at(shown, i);
  }
  return out;
}

std::string code_span(std::string_view text, bool in_table) {
  std::string shown = visible_text(text, false);
  if (trim(shown).empty()) return shown.empty() ? "" : "` `";
  if (in_table) shown = replace_all(shown, "|", "\\|");
  const std::size_t run = longest_quote_run(shown);
  std::string fence(1, '`');
  while (run > 0 && fence.size() <= run) fence += '`';
  const bool pad = shown.front() == '`' || shown.back() == '`' || (shown.front() == ' ' && shown.back() == ' ');
  return pad ? fence + " " + shown + " " + fence : fence + shown + fence;
}

std::string render_inline(const Inline& runs, const MarkdownOptions& options) {
  return Writer(options).inline_text(runs, false);
}

std::string render_markdown(const report::Document& document, const MarkdownOptions& options) {
  return Writer(options).finish(document.title, document.blocks);
}

}  // namespace lockstep::render
