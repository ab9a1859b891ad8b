// Markdown of somebody else -> the same, its mentions taken out. Where it is not plain what is code and what is not
// (HTML other than what Lockstep writes), all of it counts as text.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "render/markdown.h"

namespace lockstep::render {

namespace {

constexpr std::string_view kNothing = "<!-- -->";
// What Lockstep's own texts hold, outside of code.
constexpr std::array<std::string_view, 6> kOwnTags = {"<details>",  "</details>", "<summary>",
                                                      "</summary>", "<br>",       kNothing};
// Other ways to write "@".
constexpr std::array<std::string_view, 5> kEntities = {"&#64;", "&#x40;", "&#X40;", "&commat;", "&#064;"};

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

class Neutraliser {
 public:
  std::string run(std::string_view markdown) {
    for (const std::string_view line : split(markdown, '\n')) {
      if (!is_first_) out_ += '\n';
      is_first_ = false;
      if (is_in_fence(line)) {
        out_ += line;
      } else {
        text(line);
      }
      is_after_blank_ = trim(line).empty();
    }
    return std::move(out_);
  }

 private:
  // Fences that stand apart and not far in: others may be no fences to GitHub.
  bool is_in_fence(std::string_view line) {
    const std::size_t start = line.find_first_not_of(' ');
    if (is_unclear_ || start == std::string_view::npos || start > 3) return mark_ != 0 && !is_unclear_;
    const char c = line[start];
    std::size_t length = 0;
    while (start + length < line.size() && line[start + length] == c) ++length;
    const std::string_view rest = line.substr(start + length);
    if (mark_ != 0) {
      if (c == mark_ && length >= length_ && trim(rest).empty()) mark_ = 0;
      return true;
    }
    if ((c != '`' && c != '~') || length < 3 || !is_after_blank_ || rest.find('`') != std::string_view::npos)
      return false;
    mark_ = c;
    length_ = length;
    return true;
  }

  void text(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
      const std::string_view rest = line.substr(at);
      std::size_t taken = 1;
      if (rest[0] == '`' && !is_unclear_) {
        taken = code_size(rest);
      } else if (rest[0] == '\\' && rest.size() > 1 && rest[1] != '@') {
        taken = 2;
      } else if (rest[0] == '<') {
        taken = tag_size(rest);
      } else if (rest[0] == '@' && rest.size() > 1 && is_word(rest[1])) {
        out_ += '@';
        out_ += kNothing;
        ++at;
        continue;
      } else if (const std::size_t entity = entity_size(rest); entity > 0) {
        out_ += '@';
        out_ += kNothing;
        at += entity;
        continue;
      }
      out_ += rest.substr(0, taken);
      at += taken;
    }
  }

  // The whole code span that starts here; the run of marks alone where it does not end on this line.
  static std::size_t code_size(std::string_view rest) {
    const std::size_t length = std::min(rest.find_first_not_of('`'), rest.size());
    for (std::size_t at = length; (at = rest.find('`', at)) != std::string_view::npos;) {
      const std::size_t end = std::min(rest.find_first_not_of('`', at), rest.size());
      if (end - at == length) return end;
      at = end;
    }
    return length;
  }

  std::size_t tag_size(std::string_view rest) {
    for (const std::string_view tag : kOwnTags) {
      if (rest.starts_with(tag)) return tag.size();
    }
    const std::size_t end = rest.find("-->");
    if (rest.starts_with("<!-- lockstep:") && end != std::string_view::npos) return end + 3;
    const char next = rest.size() > 1 ? rest[1] : ' ';
    if (is_word(next) || next == '/' || next == '!' || next == '?') {
      is_unclear_ = true;
      mark_ = 0;
    }
    return 1;
  }

  static std::size_t entity_size(std::string_view rest) {
    for (const std::string_view entity : kEntities) {
      if (rest.starts_with(entity)) return entity.size();
    }
    return 0;
  }

  std::string out_;
  bool is_first_ = true, is_after_blank_ = true;
  bool is_unclear_ = false;
  char mark_ = 0;  // of the fence that is open; 0: none
  std::size_t length_ = 0;
};

}  // namespace

std::string without_mentions(std::string_view markdown) { return Neutraliser().run(markdown); }

}  // namespace lockstep::render
