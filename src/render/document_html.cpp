#include "render/document_html.h"

#include <fmt/format.h>

#include "render/html_blocks.h"
#include "render/html_parts.h"
#include "render/html_text.h"
#include "render/svg.h"

namespace lockstep::render {
namespace {

std::string_view contents_word(std::string_view language) { return language == "zh" ? "目录" : "Contents"; }

std::string contents(const HtmlBlocks& blocks, std::string_view language) {
  std::string out = fmt::format("<nav aria-label=\"{0}\">\n<h2>{0}</h2>\n<ul>\n", contents_word(language));
  for (const HtmlSection& section : blocks.sections) {
    if (section.level > 4) continue;
    out += fmt::format("<li class=\"level{}\"><a href=\"#{}\">{}</a></li>\n", section.level, section.id,
                       html_escaped(section.title));
  }
  return out + "</ul>\n</nav>\n";
}

}  // namespace

std::string render_page(const report::Document& document, const PageOptions& options) {
  const HtmlBlocks blocks = html_blocks(document, {options.language, {}});
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; base-uri 'none'; "
      "form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "{}{}<main>\n<h1>{}</h1>\n{}</main>\n</body>\n</html>\n",
      html_escaped(options.language), policy_hash("document.css"), html_escaped(html_plain_text(document.title)),
      html_part("document.css"), blocks.has_drawings ? svg_definitions() : "", contents(blocks, options.language),
      html_title(document), blocks.html);
}

}  // namespace lockstep::render
