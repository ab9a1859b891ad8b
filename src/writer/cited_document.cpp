#include "writer/cited_document.h"

#include <algorithm>

#include "base/strings.h"

namespace lockstep::writer {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Without the marks of quotes ("> > ").
std::string_view without_quotes(std::string_view line) {
  while (true) {
    std::size_t at = 0;
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size() || line[at] != '>') return line;
    line.remove_prefix(at + 1);
    if (!line.empty() && is_blank(line[0])) line.remove_prefix(1);
  }
}

std::size_t run_length(std::string_view text, std::size_t at, char c) {
  std::size_t end = at;
  while (end < text.size() && text[end] == c) ++end;
  return end - at;
}

// Where a run of exactly `length` back-quotes starts; npos where there is none.
std::size_t find_run(std::string_view text, std::size_t at, std::size_t length) {
  while ((at = text.find('`', at)) != std::string_view::npos) {
    const std::size_t found = run_length(text, at, '`');
    if (found == length) return at;
    at += found;
  }
  return at;
}

std::string_view inside_of(std::string_view inside) {
  const bool is_padded = inside.size() > 2 && inside.front() == ' ' && inside.back() == ' ' && !trim(inside).empty();
  return is_padded ? inside.substr(1, inside.size() - 2) : inside;
}

struct FoundSpan {
  std::string text;
  std::string lead;
};

// Code spans of one line, and the line without them.
std::vector<FoundSpan> code_spans(std::string_view text, std::string& rest) {
  std::vector<FoundSpan> spans;
  std::string lead;
  for (LinePart& part : parts_of_line(text)) {
    rest += part.is_code ? " " : part.text;
    if (part.is_code)
      spans.push_back({std::move(part.text), std::move(lead)});
    else
      lead = std::move(part.text);
  }
  return spans;
}

bool is_list_item(std::string_view body) { return trim(body).starts_with("- "); }

std::string without_comments(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t open = text.find("<!--");
    const std::size_t close = open == std::string_view::npos ? open : text.find("-->", open);
    out += text.substr(0, close == std::string_view::npos ? text.size() : open);
    if (close == std::string_view::npos) return out;
    text.remove_prefix(close + 3);
  }
}

std::string unescape_html(std::string_view text) {
  std::string out = replace_all(text, "&lt;", "<");
  for (const auto& [from, to] : {std::pair{"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    out = replace_all(out, from, to);
  return out;
}

std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = is_blank(c);
    if (!is_space || (!out.empty() && out.back() != ' ')) out += is_space ? ' ' : c;
  }
  return std::string(trim(out));
}

std::vector<CodeSpan> line_spans(std::string_view raw, std::uint32_t line, std::string_view intro) {
  const std::string text = without_comments(raw);
  const bool is_row = trim(text).starts_with('|');
  std::string rest;
  std::vector<FoundSpan> found = code_spans(text, rest);
  const std::string context = single_spaced(std::string(intro) + " " + rest);
  std::vector<CodeSpan> spans;
  for (FoundSpan& one : found)
    spans.push_back({is_row ? replace_all(one.text, "\\|", "|") : std::move(one.text), line, context, one.lead});
  for (std::size_t at = 0; (at = text.find("<code>", at)) != std::string::npos;) {
    const std::size_t end = text.find("</code>", at);
    if (end == std::string::npos) break;
    spans.push_back({unescape_html(std::string_view(text).substr(at + 6, end - at - 6)), line, context, {}});
    at = end;
  }
  return spans;
}

struct Opening {
  char mark = 0;
  std::size_t length = 0;
  std::string info;

  [[nodiscard]] std::string language() const { return info.substr(0, info.find_first_of(" \t")); }
};

// "```python", "~~~"; mark 0 where the line opens nothing.
Opening opening_of(std::string_view body) {
  const std::string_view text = trim(body);
  if (text.empty() || (text[0] != '`' && text[0] != '~')) return {};
  const std::size_t length = run_length(text, 0, text[0]);
  const std::string_view info = trim(text.substr(length));
  const bool is_word = std::all_of(info.begin(), info.end(), [](char c) { return c != '`' && !is_blank(c); });
  // An info string of several words ("python title=x") still opens a block of its first word.
  if (length < 3 || (!is_word && info.find('`') != std::string_view::npos)) return {};
  return {text[0], length, std::string(info)};
}

bool closes(std::string_view line, const Opening& opening) {
  const std::string_view text = trim(line);
  return text.size() >= opening.length && run_length(text, 0, opening.mark) == text.size();
}

int heading_level(std::string_view body) {
  const std::size_t level = run_length(body, 0, '#');
  return level >= 1 && level <= 6 && level < body.size() && is_blank(body[level]) ? static_cast<int>(level) : 0;
}

// The block that opens at lines[at]; gives the index behind it.
std::size_t read_fence(const std::vector<std::string_view>& lines, std::size_t at, const Opening& opening,
                       Fence& fence) {
  const std::string_view body = without_quotes(lines[at]);
  const std::size_t prefix = lines[at].size() - body.size() + (body.find_first_not_of(" \t"));
  const std::string_view start = lines[at].substr(0, prefix);
  std::size_t end = at + 1;
  for (; end < lines.size(); ++end) {
    std::string_view line = lines[end];
    if (line.starts_with(start)) {
      line.remove_prefix(prefix);
    } else {
      while (!line.empty() && (is_blank(line[0]) || line[0] == '>')) line.remove_prefix(1);
    }
    if (closes(line, opening)) break;
    fence.lines.emplace_back(line);
  }
  return end + 1;
}

// What stands above a block: its caption, and the paragraph that ends with it.
struct Caption {
  std::string text;
  std::string paragraph;
  std::vector<CodeSpan> spans;
  bool is_heading = false;
  bool is_open = false;  // the next line goes on with the paragraph

  void take(std::string_view line, std::vector<CodeSpan> found, bool heading) {
    if (line.empty()) {
      is_open = false;
      return;
    }
    paragraph = is_open && !heading ? paragraph + " " + std::string(line) : std::string(line);
    text = line;
    spans = std::move(found);
    is_heading = heading;
    is_open = !heading;
  }
};

}  // namespace

std::vector<LinePart> parts_of_line(std::string_view text) {
  std::vector<LinePart> parts(1);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      parts.back().text += text[at + 1];
      at += 2;
      continue;
    }
    if (text[at] != '`') {
      parts.back().text += text[at++];
      continue;
    }
    const std::size_t length = run_length(text, at, '`');
    const std::size_t close = find_run(text, at + length, length);
    if (close == std::string_view::npos) {
      parts.back().text.append(length, '`');
      at += length;
      continue;
    }
    parts.push_back({true, std::string(inside_of(text.substr(at + length, close - at - length)))});
    parts.push_back({false, {}});
    at = close + length;
  }
  return parts;
}

std::vector<Section> read_cited_document(std::string_view markdown) {
  const std::vector<std::string_view> lines = split_lines(markdown);
  std::vector<Section> sections(1);
  Caption caption;
  std::string intro;  // the last paragraph's last line above a list, where it introduces one
  for (std::size_t at = 0; at < lines.size();) {
    const std::string_view body = without_quotes(lines[at]);
    const auto number = static_cast<std::uint32_t>(at);
    if (const Opening opening = opening_of(body); opening.mark != 0) {
      Fence fence;
      fence.language = opening.language();
      fence.line = number;
      fence.caption = caption.text;
      fence.caption_spans = caption.spans;
      fence.info = opening.info;
      fence.paragraph = caption.paragraph;
      fence.is_below_heading = caption.is_heading;
      caption = {};
      at = read_fence(lines, at, opening, fence);
      sections.back().fences.push_back(std::move(fence));
      continue;
    }
    const bool is_heading = heading_level(body) > 0;
    std::vector<CodeSpan> spans = line_spans(lines[at], number, is_list_item(body) ? intro : "");
    if (!is_list_item(body) && !trim(body).empty())
      intro = !is_heading && trim(body).ends_with(':') ? std::string(trim(body)) : "";
    if (is_heading) {
      sections.push_back({true, number, std::string(trim(body)), {}, {}, {}});
    } else {
      sections.back().text.push_back({number, std::string(lines[at])});
    }
    sections.back().spans.insert(sections.back().spans.end(), spans.begin(), spans.end());
    caption.take(trim(body), std::move(spans), is_heading);
    ++at;
  }
  return sections;
}

}  // namespace lockstep::writer
