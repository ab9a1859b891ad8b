#include "report/author/absent_names.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"

namespace lockstep::report {

namespace {

bool is_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A name that only code has: words joined by underscores, not all in capitals as environment variables are.
bool is_of_code(std::string_view word) {
  constexpr std::size_t kShortest = 8;
  if (word.size() < kShortest || word.starts_with('_') || word.ends_with('_') || !contains(word, "_")) return false;
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }) &&
         std::isalpha(static_cast<unsigned char>(word.front())) != 0;
}

/// Whether what stands around the word makes it a path, an option, part of a link, or a name of a library
/// (`torch.foo_bar`).
bool is_something_else(std::string_view text, std::size_t begin, std::size_t end) {
  const char before = begin > 0 ? text[begin - 1] : ' ';
  const char after = end < text.size() ? text[end] : ' ';
  return before == '/' || before == '.' || before == '-' || before == '@' || after == '/' || after == '-' ||
         (after == '.' && end + 1 < text.size() && is_part(text[end + 1])) || after == '*';
}

/// "MXFP8", "Linear" and "Converter" of `MXFP8LinearConverter`.
std::vector<std::string_view> humps_of(std::string_view name) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= name.size(); ++i) {
    const bool is_end = i == name.size();
    const bool starts = !is_end && std::isupper(static_cast<unsigned char>(name[i])) != 0 &&
                        std::isupper(static_cast<unsigned char>(name[i - 1])) == 0;
    if (!is_end && !starts) continue;
    out.push_back(name.substr(begin, i - begin));
    begin = i;
  }
  return out;
}

/// A class by its form, made of the words of one that the change touches: `MXFP8Converter` beside
/// `MXFP8LinearConverter`. Products have such names, too, but not of the same words.
bool is_like_touched_class(const DocumentInputs& inputs, std::string_view word) {
  constexpr std::size_t kShortest = 8;
  const std::vector<std::string_view> humps = humps_of(word);
  if (word.size() < kShortest || humps.size() < 2 || contains(word, "_") ||
      std::isupper(static_cast<unsigned char>(word.front())) == 0)
    return false;
  const auto has_words = [&](std::string_view name) {
    const std::vector<std::string_view> others = humps_of(name);
    return std::all_of(humps.begin(), humps.end(), [&](std::string_view hump) {
      return std::find(others.begin(), others.end(), hump) != others.end();
    });
  };
  return std::any_of(inputs.change->entities.begin(), inputs.change->entities.end(), [&](const auto& entity) {
    const std::vector<std::string_view> parts = split(entity.latest().qualified_name, '.');
    return std::any_of(parts.begin(), parts.end(), has_words);  // The class itself, or the one of a method.
  });
}

bool is_name_of_python(const DocumentInputs& inputs, std::string_view name) {
  return program::has_name(*inputs.after, name) || program::has_name(*inputs.before, name);
}

bool stands_in_code(const DocumentInputs& inputs, std::string_view name) {
  for (const program::Program* side : {inputs.after, inputs.before}) {
    for (const program::Module& module : side->modules()) {
      // A module is named after its file.
      if (contains(module.path, name) || module.facts->has_name(name)) return true;
    }
  }
  // Of what the change touches a part of a name is enough: a message may leave off how it ends.
  const auto& files = inputs.change->files;
  return std::any_of(files.begin(), files.end(), [&](const change::FileSummary& file) {
    if (contains(file.file->new_path, name) || contains(file.file->old_path, name)) return true;
    const auto& hunks = file.file->lines.hunks();
    return std::any_of(hunks.begin(), hunks.end(), [&](const repo::Hunk& hunk) {
      return std::any_of(hunk.lines.begin(), hunk.lines.end(),
                         [&](const repo::DiffLine& line) { return contains(line.text, name); });
    });
  });
}

}  // namespace

std::vector<std::string> absent_names(const DocumentInputs& inputs, const std::vector<Saying>& sayings,
                                      std::size_t most) {
  constexpr std::size_t kMostLooked = 24;  // Each is looked for in the whole repository.
  std::vector<std::string> seen;
  std::vector<std::string> out;
  for (const Saying& saying : sayings) {
    for (const std::string& paragraph : saying.paragraphs) {
      const std::string text = replace_all(unmarked(paragraph), "\\_", "_");
      for (std::size_t begin = 0; begin < text.size();) {
        if (!is_part(text[begin])) {
          ++begin;
          continue;
        }
        std::size_t end = begin;
        while (end < text.size() && is_part(text[end])) ++end;
        const std::string word = text.substr(begin, end - begin);
        const bool is_class = is_like_touched_class(inputs, word);
        const bool is_candidate = (is_class || is_of_code(word)) && !is_something_else(text, begin, end) &&
                                  std::find(seen.begin(), seen.end(), word) == seen.end();
        begin = end;
        if (!is_candidate || seen.size() == kMostLooked || out.size() == most) continue;
        seen.push_back(word);
        if (is_class ? !is_name_of_python(inputs, word) : !stands_in_code(inputs, word)) out.push_back(word);
      }
    }
  }
  return out;
}

}  // namespace lockstep::report
