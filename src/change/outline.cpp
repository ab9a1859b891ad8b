#include "change/outline.h"

#include <algorithm>

#include "base/strings.h"
#include "change/workflow.h"

namespace lockstep::change {

namespace {

using Parts = std::vector<OutlinePart>;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view unquoted(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

/// Lines as the diff counts them: ended by "\n" only.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

Parts markdown_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  std::string_view fence;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    if (line.starts_with("```") || line.starts_with("~~~")) {
      const std::string_view mark = line.substr(0, 3);
      if (fence.empty()) {
        fence = mark;
      } else if (fence == mark) {
        fence = {};
      }
      continue;
    }
    if (!fence.empty() || !lines[i].starts_with('#')) continue;
    const std::size_t level = lines[i].find_first_not_of('#');
    if (level == std::string_view::npos || level > 6 || lines[i][level] != ' ') continue;
    parts.push_back({i, std::string(trim(lines[i].substr(level)))});
  }
  return parts;
}

/// A line of text above a line of punctuation at least as long.
Parts rst_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  constexpr std::string_view kMarks = "=-~^\"'`#*+.:_";
  for (std::uint32_t i = 1; i < lines.size(); ++i) {
    const std::string_view rule = trim(lines[i]), title = trim(lines[i - 1]);
    if (rule.size() < 3 || title.empty() || rule.size() < title.size() || !contains(kMarks, rule.substr(0, 1)))
      continue;
    if (rule.find_first_not_of(rule[0]) != std::string_view::npos || contains(kMarks, title.substr(0, 1))) continue;
    parts.push_back({i - 1, std::string(title)});
  }
  return parts;
}

/// "key" of "key: …" at the start of `line`; empty where there is none.
std::string_view yaml_key(std::string_view line) {
  if (line.empty() || line[0] == '#' || line[0] == '-' || line[0] == ' ' || line[0] == '\t') return {};
  std::size_t colon = std::string_view::npos;
  for (std::size_t i = 0; i < line.size() && colon == std::string_view::npos; ++i) {
    if (line[i] == ':' && (i + 1 == line.size() || line[i + 1] == ' ')) colon = i;
  }
  return colon == std::string_view::npos ? std::string_view{} : unquoted(line.substr(0, colon));
}

Parts yaml_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const std::string_view key = yaml_key(lines[i]);
    if (!key.empty()) parts.push_back({i, std::string(key)});
  }
  return parts;
}

/// What stands one level below `jobs`.
Parts workflow_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  std::size_t indent = 0;
  bool in_jobs = false;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const std::string_view key = yaml_key(lines[i]);
    if (!key.empty()) {
      // What stands behind the jobs belongs to none of them.
      if (in_jobs && key != "jobs") break;
      in_jobs = key == "jobs";
      indent = 0;
      continue;
    }
    const std::size_t depth = lines[i].find_first_not_of(' ');
    if (!in_jobs || depth == 0 || depth == std::string_view::npos) continue;
    if (indent == 0 && lines[i][depth] != '#') indent = depth;
    const std::string_view job = depth == indent ? yaml_key(lines[i].substr(depth)) : std::string_view{};
    if (!job.empty()) parts.push_back({i, std::string(job)});
  }
  return parts;
}

/// Tables, and keys that stand before the first one.
Parts toml_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  bool in_table = false;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    if (line.size() > 2 && line[0] == '[' && lines[i][0] == '[') {
      const std::size_t end = line.find(']');
      const std::size_t begin = line.find_first_not_of('[');
      if (end == std::string_view::npos || begin >= end) continue;
      parts.push_back({i, std::string(line.substr(begin, end - begin))});
      in_table = true;
    } else if (!in_table && !line.empty() && line[0] != '#' && !lines[i].starts_with(' ')) {
      const std::size_t equals = line.find('=');
      if (equals != std::string_view::npos) parts.push_back({i, std::string(unquoted(line.substr(0, equals)))});
    }
  }
  return parts;
}

/// `[[package]]` tables of uv.lock and poetry.lock, by their `name`.
Parts lock_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  for (std::uint32_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i] != "[[package]]" || !lines[i + 1].starts_with("name = ")) continue;
    parts.push_back({i, std::string(unquoted(lines[i + 1].substr(7)))});
  }
  return parts;
}

/// Keys of the outermost object.
Parts json_parts(std::string_view text) {
  Parts parts;
  std::uint32_t line = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t begin = i + 1;
    for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) {
      if (text[i] == '\\') ++i;
    }
    if (i >= text.size() || text[i] != '"') break;  // No JSON.
    const std::size_t next = text.find_first_not_of(" \t", i + 1);
    const bool is_key = depth == 1 && next != std::string_view::npos && text[next] == ':';
    if (is_key) parts.push_back({line, std::string(text.substr(begin, i - begin))});
  }
  return parts;
}

/// Name of what a line at the left margin starts to define, as `git diff` finds the function of a hunk: the word before
/// the first "(" that is no attribute, or the name behind `class`, `struct`, `enum`, `namespace`.
std::string_view native_name(std::string_view line) {
  for (const std::string_view keyword : {"class ", "struct ", "enum class ", "enum ", "namespace "}) {
    if (!line.starts_with(keyword)) continue;
    std::string_view rest = trim(line.substr(keyword.size()));
    const auto end = std::ranges::find_if(rest, [](char c) { return !is_word(c) && c != ':'; });
    rest = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    while (rest.ends_with(':')) rest.remove_suffix(1);
    return rest;
  }
  for (std::size_t open = line.find('('); open != std::string_view::npos; open = line.find('(', open + 1)) {
    std::size_t end = open;
    while (end > 0 && line[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(line[begin - 1])) --begin;
    const std::string_view name = line.substr(begin, end - begin);
    if (!name.empty() && !name.starts_with("__") && name != "alignas" && name != "decltype") return name;
  }
  return {};
}

Parts native_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.empty() || !is_word(line[0]) || line.ends_with(';') || line.ends_with(':')) continue;
    const std::string_view name = native_name(line);
    if (!name.empty()) parts.push_back({i, std::string(name)});
  }
  return parts;
}

Parts shell_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    const bool keyword = line.starts_with("function ");
    if (keyword) line = trim(line.substr(9));
    const auto end = std::ranges::find_if(line, [](char c) { return !is_word(c) && c != '-'; });
    const std::string_view name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
    if (name.empty() || (!keyword && !trim(line.substr(name.size())).starts_with("()"))) continue;
    parts.push_back({i, std::string(name)});
  }
  return parts;
}

/// Stages of a Dockerfile: the name behind AS, else the image.
Parts docker_parts(const std::vector<std::string_view>& lines) {
  Parts parts;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    if (!to_lower(lines[i].substr(0, 5)).starts_with("from ")) continue;
    std::string_view name = trim(lines[i].substr(5));
    const std::size_t as = to_lower(name).find(" as ");
    if (as != std::string::npos) name = trim(name.substr(as + 4));
    parts.push_back({i, std::string(name)});
  }
  return parts;
}

}  // namespace

Outline outline_of(std::string_view path, FileCategory category, std::string_view text) {
  const std::string lower = to_lower(path);
  const std::string_view name = std::string_view(lower).substr(lower.rfind('/') + 1);
  const auto ends = [&](std::initializer_list<std::string_view> endings) {
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
  };
  if (ends({".json"})) return {"key", json_parts(text)};
  const std::vector<std::string_view> lines = lines_of(text);
  if (name == "uv.lock" || name == "poetry.lock") return {"package", lock_parts(lines)};
  if (ends({".md"})) return {"section", markdown_parts(lines)};
  if (ends({".rst"})) return {"section", rst_parts(lines)};
  if (is_workflow(path)) return {"job", workflow_parts(lines)};
  if (ends({".yml", ".yaml"})) return {"key", yaml_parts(lines)};
  if (ends({".toml", ".ini", ".cfg"})) return {"table", toml_parts(lines)};
  if (ends({".sh", ".bash", ".zsh"})) return {"function", shell_parts(lines)};
  if (name.starts_with("dockerfile") || ends({".dockerfile"})) return {"stage", docker_parts(lines)};
  if (category == FileCategory::kNative || ends({".cpp", ".cu", ".cuh", ".h", ".c", ".cc", ".hpp"})) {
    return {"function", native_parts(lines)};
  }
  return {};
}

}  // namespace lockstep::change
