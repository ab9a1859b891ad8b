#include "render/html_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "render/highlight.h"
#include "render/html_text.h"
#include "render/svg.h"

namespace lockstep::render {
namespace {

using report::Block;
using report::Inline;
using report::Run;
using report::Style;

/// The few words that belong to the page, not to the document.
struct SideWords {
  std::string_view both;
  std::string_view before;
  std::string_view after;
};
SideWords words_in(std::string_view language) {
  if (language == "zh") return {"差异", "之前", "之后"};
  return {"Diff", "Before", "After"};
}

std::string place_text(const Run& run) {
  std::string text = run.text;
  if (run.line) text += fmt::format(":{}", *run.line + 1);
  if (run.line && run.last_line && *run.last_line != *run.line) text += fmt::format("-{}", *run.last_line + 1);
  return text;
}

/// "4.2" of a heading "4.2 Call Chain"; empty for others.
std::string number_of(std::string_view title) {
  std::size_t end = 0;
  while (end < title.size() && ((title[end] >= '0' && title[end] <= '9') || title[end] == '.')) ++end;
  while (end > 0 && title[end - 1] == '.') --end;
  return std::string(title.substr(0, end));
}

/// What the page can link to, found before it is written: headings, and code by the lines it quotes.
class Targets {
 public:
  Targets(const report::Document& document, std::string_view prefix) : prefix_(prefix) { collect(document.blocks); }

  [[nodiscard]] const std::vector<HtmlSection>& sections() const { return sections_; }

  /// Id of the section with this number; empty where there is none.
  [[nodiscard]] std::string section(std::string_view number) const {
    for (const HtmlSection& one : sections_) {
      if (!number.empty() && number_of(one.title) == number) return one.id;
    }
    return {};
  }

  /// Id of the first code block that quotes the place; empty where none does.
  [[nodiscard]] std::string code(const Run& run) const {
    if (!run.line) return {};
    const auto at = code_.find(run.text);
    if (at == code_.end()) return {};
    for (const auto& [first, last, id] : at->second) {
      if (*run.line >= first && *run.line <= last) return id;
    }
    return {};
  }

 private:
  void collect(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (const auto* heading = std::get_if<report::Heading>(&block.value))
        sections_.push_back(
            {heading->level, html_plain_text(heading->text), fmt::format("{}s{}", prefix_, sections_.size() + 1)});
      if (const auto* code = std::get_if<report::CodeBlock>(&block.value)) {
        ++count_;
        if (!code->path.empty() && code->first_line)
          code_[code->path].push_back(
              {*code->first_line, code->last_line.value_or(*code->first_line), fmt::format("{}c{}", prefix_, count_)});
      }
      if (const auto* list = std::get_if<report::List>(&block.value)) {
        for (const report::ListItem& item : list->items) collect(item.children);
      }
      if (const auto* quote = std::get_if<report::Quote>(&block.value)) collect(quote->blocks);
      if (const auto* details = std::get_if<report::Details>(&block.value)) collect(details->blocks);
    }
  }

  struct Quoted {
    std::uint32_t first;
    std::uint32_t last;
    std::string id;
  };
  std::string_view prefix_;
  std::vector<HtmlSection> sections_;
  std::map<std::string, std::vector<Quoted>> code_;
  std::size_t count_ = 0;
};

class Blocks {
 public:
  Blocks(const report::Document& document, const HtmlOptions& options)
      : document_(document),
        prefix_(options.id_prefix),
        words_(words_in(options.language)),
        targets_(document, prefix_) {}

  HtmlBlocks run() {
    blocks(document_.blocks);
    return {std::move(out_), targets_.sections(), has_drawings_};
  }

  [[nodiscard]] std::string title() const { return inline_text(document_.title); }

 private:
  [[nodiscard]] std::string inline_text(const Inline& runs) const {
    std::string out;
    for (const Run& run : runs) out += run_text(run);
    return out;
  }

  [[nodiscard]] std::string run_text(const Run& run) const {
    switch (run.style) {
      case Style::kText:
        return with_sections(run.text);
      case Style::kCode:
        return "<code>" + html_escaped(run.text) + "</code>";
      case Style::kEmphasis:
        return "<em>" + html_escaped(run.text) + "</em>";
      case Style::kStrong:
        return "<strong>" + html_escaped(run.text) + "</strong>";
      case Style::kReference:
        return html_escaped(run.text);
      case Style::kLink:
        if (!run.target.starts_with("https://") && !run.target.starts_with("http://")) return html_escaped(run.text);
        return fmt::format("<a href=\"{}\" rel=\"noopener noreferrer\">{}</a>", html_escaped(run.target),
                           html_escaped(run.text));
      case Style::kPlace:
        break;
    }
    const std::string shown = "<code class=\"place\">" + html_escaped(place_text(run)) + "</code>";
    const std::string id = targets_.code(run);
    return id.empty() ? shown : fmt::format("<a href=\"#{}\">{}</a>", id, shown);
  }

  /// "section 4.4" of our own sentences leads there.
  [[nodiscard]] std::string with_sections(std::string_view text) const {
    constexpr std::string_view kWord = "section ";
    std::string out;
    for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord)) {
      const std::string number = number_of(text.substr(at + kWord.size()));
      const std::string id = targets_.section(number);
      out += html_escaped(text.substr(0, at));
      out += id.empty() ? std::string(kWord) + number : fmt::format("<a href=\"#{}\">{}{}</a>", id, kWord, number);
      text.remove_prefix(at + kWord.size() + number.size());
    }
    return out + html_escaped(text);
  }

  void blocks(const std::vector<Block>& all) {
    for (const Block& block : all) std::visit([&](const auto& value) { write(value); }, block.value);
  }

  void write(const report::Heading& block) {
    const int level = std::clamp(block.level, 2, 6);
    section_ = html_plain_text(block.text);
    out_ += fmt::format("<h{0} id=\"{1}s{2}\">{3}</h{0}>\n", level, prefix_, ++sections_, inline_text(block.text));
  }

  void write(const report::Paragraph& block) { out_ += "<p>" + inline_text(block.text) + "</p>\n"; }

  void write(const report::List& block) {
    const std::string_view tag = block.ordered ? "ol" : "ul";
    out_ += fmt::format("<{}>\n", tag);
    for (const report::ListItem& item : block.items) {
      out_ += "<li>";
      if (item.checked) out_ += *item.checked ? "\u2611 " : "\u2610 ";
      out_ += inline_text(item.text);
      blocks(item.children);
      out_ += "</li>\n";
    }
    out_ += fmt::format("</{}>\n", tag);
  }

  void write(const report::Table& block) {
    out_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
    for (const Inline& cell : block.header) out_ += "<th>" + inline_text(cell) + "</th>";
    out_ += "</tr></thead>\n<tbody>\n";
    for (const auto& row : block.rows) {
      out_ += "<tr>";
      for (std::size_t i = 0; i < block.header.size(); ++i)
        out_ += "<td>" + (i < row.size() ? inline_text(row[i]) : std::string()) + "</td>";
      out_ += "</tr>\n";
    }
    out_ += "</tbody>\n</table></div>\n";
  }

  void write(const report::CodeBlock& block) {
    const std::size_t number = ++codes_;
    out_ += fmt::format("<figure class=\"code\" id=\"{}c{}\">\n", prefix_, number);
    std::string caption;
    if (!block.path.empty())
      caption = "<code class=\"place\">" +
                html_escaped(place_text({Style::kPlace, block.path, {}, block.first_line, block.last_line})) +
                "</code>";
    if (!block.caption.empty())
      caption += (caption.empty() ? "" : " \u00b7 ") + inline_text(report::prose(block.caption));
    if (!caption.empty()) out_ += "<figcaption>" + caption + "</figcaption>\n";
    block.language == "diff" ? difference(block, number) : lines(block);
    out_ += "</figure>\n";
  }

  void lines(const report::CodeBlock& block) {
    out_ += "<pre tabindex=\"0\"><code>";
    for (const std::string& line : highlighted(block.lines, block.language)) out_ += line + "\n";
    out_ += "</code></pre>\n";
  }

  /// Three buttons of one radio group; the style sheet hides the lines that the chosen side does not have.
  void difference(const report::CodeBlock& block, std::size_t number) {
    const std::pair<std::string_view, std::string_view> sides[] = {
        {"both", words_.both}, {"old", words_.before}, {"new", words_.after}};
    out_ += "<div class=\"sides\">";
    for (const auto& [side, label] : sides) {
      out_ += fmt::format(
          "<input type=\"radio\" name=\"{4}d{0}\" id=\"{4}d{0}{1}\" class=\"{1}\"{2}>"
          "<label for=\"{4}d{0}{1}\">{3}</label>",
          number, side, side == "both" ? " checked" : "", label, prefix_);
    }
    std::vector<std::string> code;
    for (const std::string& line : block.lines) code.push_back(line.size() > 2 ? line.substr(2) : std::string());
    const bool is_python = block.path.ends_with(".py");
    const std::vector<std::string> shown = highlighted(code, is_python ? "python" : "text");
    out_ += "<pre tabindex=\"0\"><code>";
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
      const char sign = block.lines[i].empty() ? ' ' : block.lines[i].front();
      const std::string_view style = sign == '+' ? "add" : sign == '-' ? "del" : "same";
      out_ += fmt::format("<span class=\"{}\"><span class=\"sign\">{} </span>{}\n</span>", style, sign, shown[i]);
    }
    out_ += "</code></pre></div>\n";
  }

  void write(const report::DiagramBlock& block) {
    has_drawings_ = true;
    const std::string caption = inline_text(report::prose(block.caption));
    out_ += "<figure class=\"diagram\">\n";
    if (!caption.empty()) out_ += "<figcaption>" + caption + "</figcaption>\n";
    out_ += "<div class=\"scroll\" tabindex=\"0\">" +
            render_svg(block.diagram, caption.empty() ? section_ : report::unmarked(block.caption)) +
            "</div></figure>\n";
  }

  void write(const report::Quote& block) {
    out_ += "<blockquote>\n";
    blocks(block.blocks);
    out_ += "</blockquote>\n";
  }

  void write(const report::Details& block) {
    out_ += "<details>\n<summary>" + inline_text(block.summary) + "</summary>\n";
    blocks(block.blocks);
    out_ += "</details>\n";
  }

  void write(const report::Divider&) { out_ += "<hr>\n"; }

  const report::Document& document_;
  std::string_view prefix_;
  SideWords words_;
  Targets targets_;
  std::string out_;
  std::string section_;  ///< Title of the section that is being written.
  std::size_t sections_ = 0;
  std::size_t codes_ = 0;
  bool has_drawings_ = false;
};

}  // namespace

std::string html_plain_text(const Inline& runs) {
  std::string out;
  for (const Run& run : runs) out += run.style == Style::kPlace ? place_text(run) : run.text;
  return out;
}

HtmlBlocks html_blocks(const report::Document& document, const HtmlOptions& options) {
  return Blocks(document, options).run();
}

std::string html_title(const report::Document& document) { return Blocks(document, {}).title(); }

}  // namespace lockstep::render
