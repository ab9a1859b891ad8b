#include "render/review_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "render/highlight.h"
#include "render/html_blocks.h"
#include "render/html_parts.h"
#include "render/html_text.h"
#include "render/svg.h"
#include "report/code_frame.h"
#include "report/review/review.h"

namespace lockstep::render {

namespace {

using report::ReportedFinding;
using rules::Finding;

constexpr std::uint32_t kAroundFinding = 4, kAroundEvidence = 2;
/// Beyond, findings are told without their code: a page must open.
constexpr std::size_t kMostFrames = 2000;

std::string_view severity_words(std::string_view severity) {
  if (severity == "P0") return "P0, critical";
  if (severity == "P1") return "P1, important";
  return severity == "P2" ? "P2, suggested" : "P3, nitpick";
}

std::string place_text(std::string_view path, std::uint32_t first, std::uint32_t last) {
  return last > first ? fmt::format("{}:{}-{}", path, first + 1, last + 1) : fmt::format("{}:{}", path, first + 1);
}

/// Text in which back-quotes set off code, and points stand on lines of their own.
std::string words_html(std::string_view text) {
  report::Document document;
  const report::Points points = report::points_of(text);
  if (!points.first.empty()) document.paragraph(report::from_backquotes(points.first));
  std::vector<std::string> items;
  for (const std::string& point : points.more) items.push_back(report::from_backquotes(point));
  if (!items.empty()) document.bullets(items);
  return html_blocks(document, {}).html;
}

std::string inline_html(std::string_view text) {
  report::Document document;
  document.title = report::prose(report::from_backquotes(text));
  return html_title(document);
}

std::string_view language_of(std::string_view path) { return path.ends_with(".py") ? "python" : "text"; }

std::string frame_html(const report::CodeFrame& frame) {
  if (frame.lines.empty()) return {};
  std::string out = "<pre tabindex=\"0\"><code>";
  const std::vector<std::string> lines = highlighted(frame.lines, language_of(frame.path));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint32_t line = frame.first_line + static_cast<std::uint32_t>(i);
    const bool is_marked = frame.marked_first <= line && line <= frame.marked_last;
    out += fmt::format("<span class=\"{}\"><span class=\"number\">{:>5} </span>{}\n</span>",
                       is_marked ? "marked" : "same", line + 1, lines[i]);
  }
  return out + "</code></pre>\n";
}

struct Choice {
  std::string value;
  std::string label;
  std::size_t count = 0;
};

class Page {
 public:
  explicit Page(const ReviewPage& page) : page_(page) {}

  std::string run() {
    const HtmlBlocks summary = html_blocks(page_.summary, {"en", "a"});
    const HtmlBlocks pictures = html_blocks(page_.pictures, {"en", "b"});
    const std::string title = html_plain_text(page_.summary.title);
    std::string body = summary.has_drawings || pictures.has_drawings ? svg_definitions() : std::string();
    body += side();
    body += fmt::format("<main>\n<h1>{}</h1>\n{}<section id=\"summary\" aria-label=\"Summary\">\n{}</section>\n",
                        html_title(page_.summary), subject(), summary.html);
    if (!pictures.html.empty())
      body += fmt::format("<section id=\"pictures\">\n<h2>Pictures</h2>\n{}</section>\n", pictures.html);
    body += findings() + coverage() + "</main>\n";
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; style-src {} {}; "
        "base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title>\n<style>{}</style>\n<style>{}</style>\n"
        "</head>\n<body class=\"review\">\n{}<script>{}</script>\n</body>\n</html>\n",
        policy_hash("review.js"), policy_hash("document.css"), policy_hash("review.css"), html_escaped(title),
        html_part("document.css"), html_part("review.css"), body, html_part("review.js"));
  }

 private:
  std::string subject() const {
    std::string out = "<p class=\"subject\">";
    const auto side = [&](std::string_view name, std::string_view commit) {
      return commit.empty() || commit.starts_with(name)
                 ? fmt::format("<code>{}</code>", html_escaped(name))
                 : fmt::format("<code>{}</code> (<code>{}</code>)", html_escaped(name),
                               html_escaped(commit.substr(0, 10)));
    };
    if (!page_.subject.before_name.empty())
      out += side(page_.subject.before_name, page_.subject.before_commit) + " \u2192 ";
    out += side(page_.subject.after_name, page_.subject.after_commit);
    return out + fmt::format(" \u00b7 lockstep {}</p>\n", html_escaped(page_.subject.version));
  }

  /// One group of boxes; each is checked at first.
  static std::string boxes(std::string_view name, std::string_view legend, const std::vector<Choice>& choices) {
    if (choices.size() < 2) return {};
    std::string out = fmt::format("<fieldset><legend>{}</legend>\n", legend);
    for (const Choice& choice : choices) {
      out += fmt::format(
          "<label><input type=\"checkbox\" name=\"{0}\" value=\"{1}\" checked> {2} <span "
          "class=\"count\">{3}</span></label>\n",
          name, html_escaped(choice.value), html_escaped(choice.label), choice.count);
    }
    return out + "</fieldset>\n";
  }

  template <class ValueOf, class LabelOf>
  std::vector<Choice> choices(ValueOf value_of, LabelOf label_of) const {
    std::map<std::string, std::size_t> counts;
    for (const ReportedFinding& reported : page_.report.findings) ++counts[std::string(value_of(reported.finding))];
    std::vector<Choice> all;
    for (const auto& [value, count] : counts) all.push_back({value, std::string(label_of(value)), count});
    return all;
  }

  std::string side() const {
    const auto same = [](std::string_view value) { return value; };
    std::string out =
        "<nav aria-label=\"Contents and filters\">\n<h2>Review</h2>\n<ul>\n<li><a href=\"#summary\">Summary</a></li>\n";
    if (!page_.pictures.blocks.empty()) out += "<li><a href=\"#pictures\">Pictures</a></li>\n";
    out += fmt::format("<li><a href=\"#findings\">Findings</a> <span class=\"count\">{}</span></li>\n",
                       page_.report.findings.size());
    out += "<li><a href=\"#coverage\">What was read</a></li>\n</ul>\n";
    if (!page_.report.findings.empty()) {
      out +=
          "<form id=\"filters\" hidden>\n<h2>Show</h2>\n"
          "<label class=\"search\">Search <input type=\"search\" id=\"search\" autocomplete=\"off\" "
          "spellcheck=\"false\"></label>\n"
          "<fieldset><legend>Order by</legend>\n"
          "<label><input type=\"radio\" name=\"order\" value=\"severity\" checked> severity</label>\n"
          "<label><input type=\"radio\" name=\"order\" value=\"file\"> file</label>\n</fieldset>\n";
      out += boxes("severity", "Severity",
                   choices([](const Finding& f) { return report::severity_name(f.severity); }, severity_words));
      out += boxes("certainty", "Certainty",
                   choices([](const Finding& f) { return report::certainty_name(f.certainty); }, same));
      out +=
          boxes("category", "Kind", choices([](const Finding& f) { return report::category_name(f.category); }, same));
      out += boxes("rule", "Rule", choices([](const Finding& f) { return f.rule; }, same));
      out += boxes("file", "File", choices([](const Finding& f) { return std::string_view(f.path); }, same));
      out +=
          "<button type=\"reset\">Show all</button>\n"
          "<label><input type=\"checkbox\" id=\"keys\" checked> keys: <kbd>j</kbd> next, <kbd>k</kbd> previous, "
          "<kbd>e</kbd> "
          "evidence, <kbd>/</kbd> search</label>\n</form>\n";
    }
    return out + "</nav>\n";
  }

  std::string findings() {
    std::string out = "<section id=\"findings\">\n<h2>Findings</h2>\n<p id=\"shown\" role=\"status\"></p>\n";
    if (page_.report.findings.empty()) return out + "<p>No rule found anything to raise.</p>\n</section>\n";
    out += "<div id=\"list\">\n";
    std::string_view severity;
    std::size_t number = 0;
    for (const ReportedFinding& reported : page_.report.findings) {
      const std::string_view own = report::severity_name(reported.finding.severity);
      if (own != severity) out += fmt::format("<h3 class=\"group\">{}</h3>\n", severity_words(own));
      severity = own;
      out += finding(reported, ++number);
    }
    return out + "</div>\n</section>\n";
  }

  std::string finding(const ReportedFinding& reported, std::size_t number) {
    const Finding& f = reported.finding;
    const std::string_view severity = report::severity_name(f.severity);
    std::string out = fmt::format(
        "<article class=\"finding {0}\" id=\"f{1}\" tabindex=\"-1\" aria-labelledby=\"f{1}t\" data-number=\"{1}\" "
        "data-severity=\"{0}\" data-certainty=\"{2}\" data-category=\"{3}\" data-rule=\"{4}\" data-file=\"{5}\" "
        "data-line=\"{6}\">\n",
        severity, number, report::certainty_name(f.certainty), report::category_name(f.category), html_escaped(f.rule),
        html_escaped(f.path), f.start_line);
    out += fmt::format("<h4 id=\"f{0}t\"><span class=\"badge {1}\">{1}</span> {2}</h4>\n", number, severity,
                       inline_html(f.message));
    out += fmt::format("<p class=\"where\"><a href=\"#f{}\"><code class=\"place\">{}</code></a>", number,
                       html_escaped(place_text(f.path, f.start_line, f.end_line)));
    if (f.side == rules::Side::kBefore) out += " of the old version";
    if (!f.symbol.empty()) out += fmt::format(" in <code>{}</code>", html_escaped(f.symbol));
    out += fmt::format(" \u00b7 <code>{}</code> \u00b7 {} \u00b7 {}</p>\n", html_escaped(f.rule),
                       report::certainty_name(f.certainty), report::category_name(f.category));
    out += code(f.side, f.path, f.start_line, f.end_line, kAroundFinding);
    if (!reported.doubt.empty()) out += "<p class=\"label\">Weighs less</p>\n" + words_html(reported.doubt);
    if (!f.why.empty()) out += "<p class=\"label\">Problem</p>\n" + words_html(f.why);
    if (!f.fix.empty()) out += "<p class=\"label\">Fix</p>\n" + words_html(f.fix);
    return out + suggestion(f) + proposed(reported) + evidence(f) + also(reported) + "</article>\n";
  }

  std::string code(rules::Side side, std::string_view path, std::uint32_t first, std::uint32_t last,
                   std::uint32_t around) {
    if (++frames_ > kMostFrames) return {};
    const std::string shown = frame_html(report::code_frame(page_.sources, side, path, first, last, around));
    return shown.empty() ? shown : fmt::format("<figure class=\"code\">\n{}</figure>\n", shown);
  }

  static std::string suggestion(const Finding& f) {
    return f.suggestion ? new_code("Suggested instead", *f.suggestion, f.path) : std::string();
  }

  static std::string proposed(const ReportedFinding& reported) {
    std::string out;
    for (const report::ProposedCode& one : reported.proposed) {
      const std::string where =
          one.replaced > 0 ? "in place of " + html_escaped(place_text(one.path, one.line, one.line + one.replaced - 1))
          : one.line == 0  ? "at the head of " + html_escaped(one.path)
                           : "behind " + html_escaped(place_text(one.path, one.line - 1, one.line - 1));
      out += new_code(fmt::format("Proposed, {}; nobody ran it", where), one.code, one.path);
    }
    return out;
  }

  /// `label` is HTML.
  static std::string new_code(std::string_view label, std::string_view code, std::string_view path) {
    std::vector<std::string> lines;
    for (const std::string_view line : split_lines(code)) lines.emplace_back(line);
    std::string out =
        fmt::format("<p class=\"label\">{}</p>\n<figure class=\"code\">\n<pre tabindex=\"0\"><code>", label);
    for (const std::string& line : highlighted(lines, language_of(path)))
      out += fmt::format("<span class=\"add\"><span class=\"sign\">+ </span>{}\n</span>", line);
    return out + "</code></pre>\n</figure>\n";
  }

  /// The way from the cause to the finding, in the order in which to read it.
  std::string evidence(const Finding& f) {
    if (f.evidence.empty()) return {};
    std::string out = fmt::format("<details class=\"evidence\">\n<summary>Evidence, {}</summary>\n<ol>\n",
                                  count_of(f.evidence.size(), "step"));
    for (const rules::Evidence& step : f.evidence) {
      out += fmt::format("<li><code class=\"place\">{}</code>: {}\n",
                         html_escaped(place_text(step.path, step.line, step.line)), inline_html(step.message));
      // Evidence of a removal may stand on the side that is gone.
      const rules::Side side = has_line(rules::Side::kAfter, step) ? rules::Side::kAfter : f.side;
      out += code(side, step.path, step.line, step.line, kAroundEvidence) + "</li>\n";
    }
    return out + "</ol>\n</details>\n";
  }

  bool has_line(rules::Side side, const rules::Evidence& step) const {
    return !report::code_frame(page_.sources, side, step.path, step.line, step.line, 0).lines.empty();
  }

  static std::string also(const ReportedFinding& reported) {
    if (reported.also_at.empty()) return {};
    std::string out = "<p class=\"label\">Also at</p>\n<ul>\n";
    for (const rules::Evidence& place : reported.also_at)
      out += fmt::format("<li><code class=\"place\">{}</code></li>\n",
                         html_escaped(place_text(place.path, place.line, place.line)));
    return out + "</ul>\n";
  }

  std::string coverage() const {
    const report::Coverage& read = page_.report.coverage;
    std::string out = fmt::format("<section id=\"coverage\">\n<h2>What was read</h2>\n<p>{}, {}.",
                                  count_of(read.files_read, "file"), count_of(read.lines_read, "line"));
    if (page_.report.suppressed > 0)
      out += fmt::format(" {} allowed by comments.", count_of(page_.report.suppressed, "finding is", "findings are"));
    out += "</p>\n";
    if (!read.problems.empty()) {
      out += "<p>Could not be read in full:</p>\n<ul>\n";
      for (const auto& problem : read.problems)
        out += fmt::format("<li><code class=\"place\">{}</code>: {}</li>\n",
                           html_escaped(place_text(problem.path, static_cast<std::uint32_t>(problem.line),
                                                   static_cast<std::uint32_t>(problem.line))),
                           html_escaped(problem.message));
      out += "</ul>\n";
    }
    return out + "</section>\n";
  }

  const ReviewPage& page_;
  std::size_t frames_ = 0;
};

}  // namespace

std::string render_review_page(const ReviewPage& page) { return Page(page).run(); }

}  // namespace lockstep::render
