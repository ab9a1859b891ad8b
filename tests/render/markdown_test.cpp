#include "render/markdown.h"

#include <gtest/gtest.h>
#include <md4c.h>

#include <string>
#include <vector>

namespace lockstep::render {
namespace {

using report::code;
using report::Document;
using report::own_words;
using report::place;
using report::prose;

/// What a Markdown reader makes of a text: its kinds of spans and blocks, and the text shown.
struct Reading {
  std::string text;
  std::string code;
  std::string shown;  // Text and code in their order.
  int links = 0;
  int images = 0;
  int html = 0;
  int emphases = 0;
  int headings = 0;
  int code_blocks = 0;
  int lists = 0;
  int tables = 0;
  int rows = 0;
  int cells = 0;
  bool in_code = false;
};

int enter_block(MD_BLOCKTYPE type, void*, void* data) {
  auto& reading = *static_cast<Reading*>(data);
  if (type == MD_BLOCK_H) ++reading.headings;
  if (type == MD_BLOCK_CODE) ++reading.code_blocks, reading.in_code = true;
  if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) ++reading.lists;
  if (type == MD_BLOCK_TABLE) ++reading.tables;
  if (type == MD_BLOCK_TR) ++reading.rows;
  if (type == MD_BLOCK_TD || type == MD_BLOCK_TH) ++reading.cells;
  if (type == MD_BLOCK_HTML) ++reading.html;
  return 0;
}
int leave_block(MD_BLOCKTYPE type, void*, void* data) {
  if (type == MD_BLOCK_CODE) static_cast<Reading*>(data)->in_code = false;
  return 0;
}
int enter_span(MD_SPANTYPE type, void*, void* data) {
  auto& reading = *static_cast<Reading*>(data);
  if (type == MD_SPAN_A) ++reading.links;
  if (type == MD_SPAN_IMG) ++reading.images;
  if (type == MD_SPAN_EM || type == MD_SPAN_STRONG || type == MD_SPAN_DEL) ++reading.emphases;
  if (type == MD_SPAN_CODE) reading.in_code = true;
  return 0;
}
int leave_span(MD_SPANTYPE type, void*, void* data) {
  if (type == MD_SPAN_CODE) static_cast<Reading*>(data)->in_code = false;
  return 0;
}
int text(MD_TEXTTYPE type, const MD_CHAR* bytes, MD_SIZE size, void* data) {
  auto& reading = *static_cast<Reading*>(data);
  const std::string piece(bytes, size);
  if (type == MD_TEXT_HTML) {
    if (piece != "<!-- -->") ++reading.html;
  } else if (type == MD_TEXT_ENTITY) {
    const std::string meant = piece == "&lt;" ? "<" : piece == "&gt;" ? ">" : piece == "&amp;" ? "&" : piece;
    reading.text += meant;
    reading.shown += meant;
  } else {
    (reading.in_code ? reading.code : reading.text) += piece;
    reading.shown += piece;
  }
  return 0;
}

Reading read(const std::string& markdown) {
  Reading reading;
  MD_PARSER parser{};
  parser.flags = MD_DIALECT_GITHUB;
  parser.enter_block = enter_block;
  parser.leave_block = leave_block;
  parser.enter_span = enter_span;
  parser.leave_span = leave_span;
  parser.text = text;
  EXPECT_EQ(md_parse(markdown.c_str(), static_cast<MD_SIZE>(markdown.size()), &parser, &reading), 0);
  return reading;
}

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> kTexts = {
      "<img src=x onerror=alert(1)>",
      "<script>alert(1)</script>",
      "</details>",
      "[a](javascript:alert(1))",
      "![a](http://evil/x.png)",
      "http://evil.example/x",
      "see www.evil.example now",
      "back`quote (http://evil.example/x(y)#1), then",
      "`http://evil.example` and @all",
      "http://evil.example/`x` www.",
      "**bold** *it* _em_ __st__ ~~del~~",
      "# heading",
      "- item",
      "1. item",
      "12) item",
      "+ item",
      "> quote",
      "```\nfence",
      "    indented",
      "a | b | c",
      "--- | ---",
      "===",
      "&lt;b&gt; &#x41; &copy;",
      "back`quote",
      "``two``",
      "\\`escaped\\`",
      "a\nb\n# c",
      "[ref]: http://evil",
      "<!-- open",
      "*",
      "__init__",
      "a_b_c",
      "snake_case_",
      "$x^2$",
      "mail@evil.example",
      "\\",
      "<http://evil.example>",
  };
  return kTexts;
}

TEST(Markdown, ShowsHostileTextAsItIs) {
  for (const std::string& hostile : hostile_texts()) {
    const Reading reading = read(render_markdown(Document{{}, {}}.paragraph(report::plain(hostile))));
    std::string expected = hostile;
    for (char& c : expected) c = c == '\n' ? ' ' : c;
    const std::size_t start = expected.find_first_not_of(' ');
    EXPECT_EQ(reading.shown, expected.substr(start)) << hostile;
    const bool is_address = reading.code.starts_with("http://") || reading.code.starts_with("www");
    EXPECT_TRUE(reading.code.empty() || is_address) << reading.code;
    EXPECT_EQ(reading.links + reading.images + reading.html + reading.emphases + reading.headings +
                  reading.code_blocks + reading.lists + reading.tables,
              0)
        << hostile;
  }
}

TEST(Markdown, ShowsHostileTextInTablesHeadingsAndLists) {
  for (const std::string& hostile : hostile_texts()) {
    Document document;
    document.heading(2, report::plain(hostile));
    document.table({"a", "b"}, {{report::plain(hostile), code(hostile)}});
    document.bullets({report::plain(hostile), code(hostile)});
    const Reading reading = read(render_markdown(document));
    EXPECT_EQ(reading.links + reading.images + reading.html + reading.emphases + reading.code_blocks, 0) << hostile;
    EXPECT_EQ(reading.headings, 1) << hostile;
    EXPECT_EQ(reading.tables, 1) << hostile;
    EXPECT_EQ(reading.rows, 2) << hostile;
    EXPECT_EQ(reading.cells, 4) << hostile;
    EXPECT_EQ(reading.lists, 1) << hostile;
  }
}

TEST(Markdown, CodeSpansHoldAnyText) {
  for (const std::string& hostile : hostile_texts()) {
    const Reading reading = read(render_markdown(Document{{}, {}}.paragraph("See " + code(hostile) + ".")));
    std::string expected = hostile;
    for (char& c : expected) c = c == '\n' ? ' ' : c;
    EXPECT_EQ(reading.code, expected) << hostile;
    EXPECT_EQ(reading.text, "See .") << hostile;
  }
}

/// An address that somebody else wrote is no link; as code it can be read and copied whole.
// Of a link in the change's own words the text and the address are told.
TEST(Markdown, TellsLinksOfOthersWithoutTheirMarks) {
  const auto shown = [](const char* text) { return render_markdown(Document{{}, {}}.paragraph(own_words(text))); };
  EXPECT_EQ(shown("See [the design](https://a.b/c) and [x](http://d)."),
            "See the design (`https://a.b/c`) and x (`http://d`).\n");
  EXPECT_EQ(shown("[](https://a.b) a](https://c) [d](e)"), "\\[\\](`https://a.b`) a\\](`https://c`) \\[d\\](e)\n");
}

TEST(Markdown, ShowsAddressesAsCode) {
  const auto shown = [](const char* text) { return render_markdown(Document{{}, {}}.paragraph(report::plain(text))); };
  EXPECT_EQ(shown("See https://a.b/c_(d)#4, then (www.e.f)."), "See `https://a.b/c_(d)#4`, then (`www.e.f`).\n");
  EXPECT_EQ(shown("“of https://a.b”"), "“of `https://a.b`”\n");
  EXPECT_EQ(shown("<https://a.b/@c> xhttps://d"), "&lt;`https://a.b/@c`> xhttps://d\n");
  EXPECT_EQ(shown("`https://a.b`"), "\\`h<!-- -->ttps://a.b\\`\n");
}

TEST(Markdown, SplitsMentionsAndIssueNumbersOfUntrustedText) {
  const std::string markdown = render_markdown(Document{{}, {}}.paragraph("by @octocat in #123"));
  EXPECT_EQ(markdown, "by @<!-- -->octocat in #<!-- -->123\n");
}

TEST(Markdown, KeepsTheChangesOwnIssueNumbers) {
  EXPECT_EQ(render_markdown(Document{{}, {}}.paragraph(own_words("Fix `x` (#123), not a#4"))),
            "Fix `x` (#123), not a#<!-- -->4\n");
}

TEST(Markdown, FenceIsLongerThanAnyInTheCode) {
  Document document;
  report::CodeBlock block;
  block.language = "python";
  block.lines = {"'''", "````", "x"};
  document.code_block(block);
  EXPECT_EQ(render_markdown(document), "`````python\n'''\n````\nx\n`````\n");
}

TEST(Markdown, CodeCannotLeaveItsFence) {
  Document document;
  report::CodeBlock block;
  block.lines = {"a\n```\n# heading", "```"};
  document.code_block(block);
  const Reading reading = read(render_markdown(document));
  EXPECT_EQ(reading.headings, 0);
  EXPECT_EQ(reading.code_blocks, 1);
}

TEST(Markdown, ShowsBidirectionalAndControlCharacters) {
  Document document;
  document.paragraph("a\u202eb\x1b[31mc " + code("x\u2066y"));
  EXPECT_EQ(render_markdown(document), "a\u27e8U+202E\u27e9b\u27e8U+001B\u27e9\\[31mc `x\u27e8U+2066\u27e9y`\n");
}

TEST(Markdown, SourceTextCannotForgeMarks) {
  const std::string forged = "\x01lclick\x03http://evil\x02";
  EXPECT_EQ(read(render_markdown(Document{{}, {}}.paragraph(code(forged)))).links, 0);
  EXPECT_EQ(read(render_markdown(Document{{}, {}}.paragraph(report::plain(forged)))).links, 0);
}

TEST(Markdown, PlacesCountFromOneAndLinkWhereAsked) {
  Document document;
  document.paragraph("at " + place("a/b c.py", 11, 13));
  EXPECT_EQ(render_markdown(document), "at `a/b c.py:12-14`\n");
  EXPECT_EQ(render_markdown(document, {"https://github.com/o/r/blob/abc/"}),
            "at [`a/b c.py:12-14`](https://github.com/o/r/blob/abc/a/b%20c.py#L12-L14)\n");
}

TEST(Markdown, WritesEveryKindOfBlock) {
  Document document;
  document.title = prose("Title");
  document.heading(2, "Part");
  document.paragraph("Text.");
  document.bullets({"one", "two"});
  document.numbered({"first"});
  document.table({"k", "v"}, {{"a"}});
  document.quote("words");
  document.details("More", Document{{}, {}}.paragraph("inside"));
  report::CodeBlock block;
  block.language = "python";
  block.path = "a.py";
  block.first_line = 0;
  block.last_line = 1;
  block.caption = "before";
  block.lines = {"x = 1"};
  document.code_block(block);
  EXPECT_EQ(
      render_markdown(document),
      "# Title\n\n## Part\n\nText.\n\n- one\n- two\n\n1. first\n\n| k | v |\n| --- | --- |\n| a |  |\n\n> words\n\n"
      "<details>\n<summary>More</summary>\n\ninside\n\n</details>\n\n`a.py:1-2` \u00b7 before\n\n```python\nx = "
      "1\n```\n");
}

}  // namespace
}  // namespace lockstep::render
