#include "rules/names/mentions.h"

#include "base/find_text.h"
#include "base/strings.h"
#include "python/characters.h"
#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;

namespace {

/// Part of an identifier; bytes beyond ASCII are taken for letters.
bool is_part_of_name(char c) { return is_name_byte(c) || is_beyond_ascii(c); }

std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

std::string_view without_dots_around(std::string_view word) {
  while (word.starts_with('.')) word.remove_prefix(1);
  while (word.ends_with('.')) word.remove_suffix(1);
  return word;
}

}  // namespace

void for_each_name_in_text(std::string_view text, const std::function<void(std::string_view)>& visit) {
  text = trim(text);
  const bool is_command_line = text.starts_with('-');
  bool follows_dotted = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (is_part_of_name(text[end]) || text[end] == '.')) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    const std::string_view word = without_dots_around(text.substr(at, end - at));
    const bool is_dotted = word.find('.') != std::string_view::npos;
    const bool is_whole = end - at == text.size();
    if (!word.empty() && (is_whole || is_dotted || follows_dotted || is_command_line)) visit(last_part(word));
    follows_dotted = is_dotted;
    at = end;
  }
}

void for_each_mention(const Node& node, const std::function<void(std::string_view)>& visit) {
  const auto look = [&](const Node* each) {
    if (const auto* name = as<Name>(each)) visit(name->id);
    if (const auto* attribute = as<Attribute>(each)) visit(attribute->name.text);
    if (const auto* alias = as<Alias>(each)) visit(last_part(alias->name.text));
    if (const auto* text = as<Constant>(each); text != nullptr && text->constant_kind == ConstantKind::kStr)
      for_each_name_in_text(text->text, visit);
  };
  look(&node);
  walk(node, Nested::kEnter, look);
}

std::size_t times_written(std::string_view source, std::string_view name) {
  if (name.empty()) return 0;
  std::size_t times = 0;
  for (std::size_t at = find_name(source, name); at != std::string_view::npos;
       at = find_name(source, name, at + name.size()))
    ++times;
  return times;
}

namespace {

using Times = std::unordered_map<std::string_view, std::size_t>;

void count_written(std::string_view source, Times& times) {
  // Searching for a few is quicker than reading each word.
  constexpr std::size_t kFew = 8;
  if (times.size() <= kFew) {
    for (auto& [name, count] : times) count += times_written(source, name);
    return;
  }
  for (std::size_t at = 0; at < source.size(); ++at) {
    std::size_t end = at;
    while (end < source.size() && is_name_byte(source[end])) ++end;
    const auto found = end == at ? times.end() : times.find(source.substr(at, end - at));
    if (found != times.end()) ++found->second;
    at = end;
  }
}

Times none_written(std::span<const std::string_view> names) {
  Times times;
  for (const std::string_view name : names) times.emplace(name, 0);
  return times;
}

}  // namespace

std::unordered_map<std::string_view, std::size_t> times_written(std::string_view source,
                                                                std::span<const std::string_view> names) {
  Times times = none_written(names);
  count_written(source, times);
  return times;
}

std::unordered_map<std::string_view, std::size_t> times_written(const program::Program& program,
                                                                std::span<const std::string_view> names) {
  Times times = none_written(names);
  for (const program::Module& module : program.modules()) count_written(module.facts->source().bytes(), times);
  return times;
}

}  // namespace lockstep::rules
