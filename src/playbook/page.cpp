#include "playbook/page.h"

#include <md4c.h>
#include <utf8proc.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace lockstep::playbook {

namespace {

/// Takes md4c's callbacks. md4c hands out pieces of the text it reads, so that a piece's place follows from its
/// address.
class Collector {
 public:
  Collector(Page& page, std::string_view text, std::uint32_t base) : page_(page), text_(text), base_(base) {}

  void run() {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) { return of(self).enter_block(type, detail); };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) { return of(self).leave_block(type); };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) { return of(self).enter_span(type, detail); };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) { return of(self).leave_span(type); };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return of(self).text(type, std::string_view(text, size));
    };
    md_parse(text_.data(), static_cast<MD_SIZE>(text_.size()), &parser, this);
  }

 private:
  static Collector& of(void* self) { return *static_cast<Collector*>(self); }

  std::uint32_t line_at(std::string_view piece) {
    const std::less<const char*> before;
    if (!before(piece.data(), text_.data()) && before(piece.data(), text_.data() + text_.size())) {
      line_ = page_.source.line_of(base_ + static_cast<std::uint32_t>(piece.data() - text_.data()));
    }
    return line_;
  }

  int enter_block(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_CODE) {
      const auto& language = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang;
      page_.blocks.push_back({to_lower(std::string_view(language.text, language.size)), {}});
      code_text_.clear();
      code_line_.reset();
    }
    if (type == MD_BLOCK_HTML) in_html_ = true;
    if (type == MD_BLOCK_H) {
      page_.headings.push_back({static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level), {}, 0});
      in_heading_ = true;
    }
    return 0;
  }

  int leave_block(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_CODE && !code_text_.empty()) finish_code_line();
    if (type == MD_BLOCK_H) in_heading_ = false;
    if (type == MD_BLOCK_HTML) in_html_ = false;
    return 0;
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_CODE) {
      page_.codes.push_back({{}, line_, in_link_});
      in_code_ = fresh_ = true;
    }
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
      const auto& target = type == MD_SPAN_A ? static_cast<MD_SPAN_A_DETAIL*>(detail)->href
                                             : static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src;
      const std::string_view text(target.text, target.size);
      page_.links.push_back({std::string(text), {}, line_at(text)});
      in_link_ = true;
    }
    return 0;
  }

  int leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_CODE) in_code_ = false;
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) in_link_ = false;
    return 0;
  }

  void finish_code_line() {
    page_.blocks.back().lines.push_back({code_text_, code_line_.value_or(line_)});
    code_text_.clear();
    code_line_.reset();
  }

  int text(MD_TEXTTYPE type, std::string_view piece) {
    const std::uint32_t line = line_at(piece);
    if (type == MD_TEXT_HTML) {
      // Inline, `<name>` is a placeholder far more often than a tag.
      if (!in_html_ && !piece.starts_with("<!--")) return 0;
      for (const std::string_view part : split_lines(piece)) page_.html.push_back({std::string(part), line});
      return 0;
    }
    if (type == MD_TEXT_CODE && !in_code_) return block_text(piece, line);
    const std::string_view shown = type == MD_TEXT_SOFTBR || type == MD_TEXT_BR ? " " : piece;
    if (in_code_) {
      CodeSpan& code = page_.codes.back();
      if (fresh_) code.line = line;
      fresh_ = false;
      code.text += shown;
    }
    if (in_link_) page_.links.back().text += shown;
    if (in_heading_) {
      page_.headings.back().text += shown;
      page_.headings.back().line = line;
    }
    return 0;
  }

  int block_text(std::string_view piece, std::uint32_t line) {
    if (page_.blocks.empty()) return 0;
    for (std::size_t start = 0; start < piece.size();) {
      const std::size_t end = piece.find('\n', start);
      const std::string_view part = piece.substr(start, end == std::string_view::npos ? end : end - start);
      if (!part.empty() && trim(part).size() > 0 && !code_line_) code_line_ = line;
      code_text_ += part;
      if (end == std::string_view::npos) return 0;
      finish_code_line();
      start = end + 1;
    }
    return 0;
  }

  Page& page_;
  std::string_view text_;
  std::uint32_t base_;
  std::uint32_t line_ = 0;
  bool in_code_ = false, fresh_ = false, in_link_ = false, in_heading_ = false, in_html_ = false;
  std::string code_text_;
  std::optional<std::uint32_t> code_line_;
};

// `---` on the first line opens front matter, the next `---` closes it.
std::size_t read_front_matter(Page& page) {
  const std::string_view bytes = page.source.bytes();
  if (!bytes.starts_with("---\n") && !bytes.starts_with("---\r\n")) return 0;
  for (std::uint32_t line = 1; line < page.source.line_count() && line < 200; ++line) {
    if (trim(page.source.line(line)) != "---") continue;
    const std::uint32_t start = page.source.line_start(1), end = page.source.line_start(line);
    page.front_matter = parse_yaml(bytes.substr(start, end - start));
    page.has_front_matter = true;
    page.first_line = line + 1;
    return line + 1 < page.source.line_count() ? page.source.line_start(line + 1) : bytes.size();
  }
  // A rule across the page opens a file as well: only "key: value" below it is front matter.
  const std::string_view next = page.source.line_count() > 1 ? page.source.line(1) : std::string_view{};
  const std::size_t colon = next.find(':');
  page.front_matter_open =
      colon != std::string_view::npos && colon > 0 && next.substr(0, colon).find(' ') == std::string_view::npos;
  return 0;
}

// "origin/dev" now and then: the page works on a branch whose files differ.
bool works_on_another_branch(std::string_view text) {
  constexpr std::size_t kMany = 3;
  constexpr std::string_view kRemote = "origin/";
  std::size_t count = 0;
  for (std::size_t at = text.find(kRemote); at != std::string_view::npos; at = text.find(kRemote, at + 1)) {
    const std::string_view rest = text.substr(at + kRemote.size());
    const std::string_view name = rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_"));
    count += !name.empty() && name != "main" && name != "master" ? 1u : 0u;
  }
  return count >= kMany;
}

// The page has its reader work on files that this tree may not have.
bool speaks_of_another_branch(std::string_view text) {
  return works_on_another_branch(text) || contains(text, "from branch") || contains(text, "from the branch") ||
         contains(text, "cherry-pick ");
}

bool is_separator_row(std::string_view line) {
  return !line.empty() && line.find_first_not_of("|-: \t") == std::string_view::npos;
}

}  // namespace

std::string Page::plain_line(std::uint32_t line) const {
  std::string text;
  for (const char c : source.line(line)) {
    if (c != '`' && c != '*') text += c;
  }
  return text;
}

std::string_view Page::section_of(std::uint32_t line) const {
  std::string_view section;
  for (const Heading& heading : headings) {
    if (heading.line > line) break;
    section = heading.text;
  }
  return section;
}

Page read_page(std::string path, std::string bytes) {
  Page page;
  page.path = std::move(path);
  page.source = SourceText(std::move(bytes));
  const std::size_t start = read_front_matter(page);
  const std::string_view body = page.source.bytes().substr(start);
  Collector(page, body, static_cast<std::uint32_t>(start)).run();
  page.of_another_branch = speaks_of_another_branch(page.source.bytes());
  page.is_prose.assign(page.source.line_count(), true);
  for (std::uint32_t line = 0; line < page.source.line_count(); ++line) {
    const std::string_view text = trim(page.source.line(line));
    if (line < page.first_line || text.empty() || is_separator_row(text) || text.starts_with("```")) {
      page.is_prose[line] = false;
    }
  }
  for (const CodeBlock& block : page.blocks) {
    for (const CodeLine& line : block.lines) page.is_prose[line.line] = false;
  }
  for (const CodeLine& line : page.html) page.is_prose[line.line] = false;
  return page;
}

std::string heading_slug(std::string_view heading) {
  std::string slug;
  const std::string lower = to_lower(heading);
  for (std::size_t i = 0; i < lower.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence_length(lower, i));
    const std::string_view one = std::string_view(lower).substr(i, length);
    i += length;
    if (one == " ") slug += '-';
    if (one == " ") continue;
    utf8proc_int32_t code = -1;
    utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(one.data()), static_cast<utf8proc_ssize_t>(one.size()),
                     &code);
    if (code < 0) continue;
    // Letters, marks, numbers, '-' and what joins words stay; other punctuation and symbols go.
    const utf8proc_category_t category = utf8proc_category(code);
    const bool kept = (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO) ||
                      category == UTF8PROC_CATEGORY_PC || one == "-";
    if (kept) slug += one;
  }
  return slug;
}

}  // namespace lockstep::playbook
