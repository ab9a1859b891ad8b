#include "report/source/alternative_sections.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

#include "base/strings.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

/// Without `**`, `#` and `_` around it.
std::string_view without_marks(std::string_view text) {
  static constexpr std::string_view kMarks = "#*_ \t";
  const std::size_t first = text.find_first_not_of(kMarks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kMarks) + 1 - first);
}

bool is_markdown_heading(std::string_view text) { return text.starts_with("#") && contains(text, "# "); }

/// The label before the first colon, where it heads alternatives; else empty.
std::string_view label_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view label = without_marks(text.substr(0, colon));
  return heads_alternatives(label) ? label : std::string_view();
}

}  // namespace

bool heads_alternatives(std::string_view heading) {
  static constexpr std::string_view kHeadings[] = {"alternative",
                                                   "alternatives",
                                                   "alternatives considered",
                                                   "alternative considered",
                                                   "alternative designs",
                                                   "alternative design",
                                                   "alternative approaches",
                                                   "alternative approach",
                                                   "alternatives rejected",
                                                   "alternatives tried",
                                                   "considered alternatives",
                                                   "rejected alternatives",
                                                   "rejected alternative",
                                                   "rejected",
                                                   "rejected designs",
                                                   "rejected design",
                                                   "rejected approaches",
                                                   "rejected approach",
                                                   "rejected options",
                                                   "considered",
                                                   "considered and rejected",
                                                   "considered but rejected",
                                                   "also considered",
                                                   "options considered",
                                                   "approaches considered",
                                                   "designs considered",
                                                   "other options",
                                                   "other approaches considered",
                                                   "other options considered"};
  if (heading.empty() || std::isupper(static_cast<unsigned char>(heading.front())) == 0) return false;
  return std::find(std::begin(kHeadings), std::end(kHeadings), to_lower(heading)) != std::end(kHeadings);
}

std::string_view behind_label(std::string_view line) {
  const std::string_view text = trim(line);
  return label_of(text).empty() ? std::string_view() : trim(without_marks(text.substr(text.find(':') + 1)));
}

AlternativeSections::Part AlternativeSections::read(std::string_view line) {
  const std::string_view text = trim(line);
  const bool was_empty = was_empty_;
  was_empty_ = text.empty();
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const bool is_heading = is_markdown_heading(text);
  std::string_view heading = without_marks(text);
  while (heading.ends_with(':')) heading.remove_suffix(1);
  if (is_heading || !label_of(text).empty()) {
    const bool heads = is_heading ? heads_alternatives(heading) : true;
    const bool has_text = heads && !is_heading && !behind_label(text).empty();
    kind_ = !heads ? Kind::kNone : is_heading ? Kind::kMarkdown : has_text ? Kind::kParagraph : Kind::kOpen;
    indent_ = indent;
    return !heads ? Part::kNone : has_text ? Part::kText : Part::kHeading;
  }
  const bool is_item = mark_of_item(text) > 0;
  switch (kind_) {
    case Kind::kNone:
      return Part::kNone;
    case Kind::kOpen:
      if (!text.empty()) kind_ = indent > indent_ || is_item ? Kind::kList : Kind::kParagraph;
      return Part::kText;
    case Kind::kMarkdown:
      return Part::kText;
    case Kind::kList:
      if (was_empty && !text.empty() && indent <= indent_ && !is_item) kind_ = Kind::kNone;
      break;
    case Kind::kParagraph:
      if (text.empty()) kind_ = Kind::kNone;
      break;
  }
  return kind_ == Kind::kNone ? Part::kNone : Part::kText;
}

}  // namespace lockstep::report
