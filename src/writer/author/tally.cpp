#include "writer/author/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "writer/pack/data_text.h"

namespace lockstep::writer {

namespace {

std::size_t dropped_count(const Tally& tally) {
  std::size_t count = 0;
  for (const auto& [section, kinds] : tally.dropped) {
    for (const auto& [kind, sentences] : kinds) count += sentences;
  }
  return count;
}

// Without the words themselves: they name what does not exist.
std::string dropped_text(const Tally& tally) {
  std::vector<std::string> parts;
  for (const auto& [section, kinds] : tally.dropped) {
    std::vector<std::string> faults;
    for (const auto& [kind, sentences] : kinds) faults.push_back(fmt::format("{} for a false {}", sentences, kind));
    parts.push_back(fmt::format("{}: {}", section, join(faults, ", ")));
  }
  return join(parts, "; ");
}

std::string totals_text(const Tally& tally) {
  return fmt::format("{} held against the code; dropped: {}; not checked: {}", count_of(tally.claims, "claim"),
                     dropped_count(tally), tally.unchecked);
}

// What was checked, dropped and not checked.
std::string checked_text(const Tally& tally) {
  const std::size_t dropped = dropped_count(tally);
  return fmt::format(
      "{} {} (paths, lines, names, numbers, quoted code, who calls what). {} {}{}. {} {} no such claim: the model's "
      "opinion.",
      report::strong("Checked:"), count_of(tally.claims, "claim"), report::strong("Dropped:"),
      count_of(dropped, "sentence"), dropped > 0 ? fmt::format(" ({})", dropped_text(tally)) : "",
      report::strong("Not checked:"),
      tally.unchecked == 1 ? std::string("1 sentence makes") : fmt::format("{} sentences make", tally.unchecked));
}

void add_checks(const Tally& tally, std::vector<std::string>& items) {
  if (tally.mended > 0)
    items.push_back(fmt::format("{} {} did not hold, and the model mended them.", report::strong("Mended:"),
                                count_of(tally.mended, "sentence")));
  if (tally.corrected + tally.withdrawn > 0)
    items.push_back(fmt::format("{} the model corrected {} with the code at hand and took back {}.",
                                report::strong("Read again:"), count_of(tally.corrected, "passage"), tally.withdrawn));
  if (tally.removed > 0)
    items.push_back(fmt::format("{} {} that a model must not place (code, tables, links, images).",
                                report::strong("Removed:"), count_of(tally.removed, "thing")));
  if (tally.requests > 0)
    items.push_back(fmt::format(
        "{} {} of code and drawings, made by Lockstep where the model asked for them; {} refused{}{}.",
        report::strong("Placed:"), count_of(tally.requests - tally.refused, "piece"), tally.refused,
        tally.has_notes ? fmt::format("; comments that begin with {} are the model's", report::code("# \u00bb")) : "",
        !tally.has_boxes  ? ""
        : tally.has_notes ? "; so are words in boxes and drawn examples"
                          : "; words in boxes and drawn examples are the model's"));
}

// "http://localhost:8000 refuses access": as text, not as a link that the renderer must break up.
std::string without_scheme(const std::string& why) {
  return replace_all(replace_all(why, "https://", ""), "http://", "");
}

// In the order of the sections; a reason that several share is told once.
std::vector<std::pair<std::string, std::vector<std::string>>> kept_by_reason(const Tally& tally) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const auto& [section, why] : tally.kept) {
    const auto same =
        std::find_if(reasons.begin(), reasons.end(), [&](const auto& reason) { return reason.first == why; });
    if (same == reasons.end()) {
      reasons.push_back({why, {section}});
    } else {
      same->second.push_back(section);
    }
  }
  return reasons;
}

}  // namespace

std::string tally_note(const Tally& tally, const std::string& model) {
  if (tally.written.empty()) {
    return fmt::format(
        "The model {} was asked to write parts of this document and none of them came to be; what stands "
        "here is Lockstep's own.",
        report::emphasis(model));
  }
  return fmt::format(
      "The model {} wrote the prose; code, places and arrows are Lockstep's. What was checked stands at the end.",
      report::emphasis(model));
}

report::Document tally_section(const Tally& tally, const std::string& model) {
  std::vector<std::string> items;
  // Of a document that it wrote all of, that stands at the top.
  const bool is_document = std::any_of(tally.prompts.begin(), tally.prompts.end(),
                                       [](const std::string& prompt) { return prompt.starts_with("document "); });
  if (!tally.written.empty() && (!tally.kept.empty() || !is_document)) {
    items.push_back(fmt::format("{} {} wrote the prose of: {}.", report::strong("Written:"), report::emphasis(model),
                                join(tally.written, "; ")));
  }
  if (tally.sentences > 0) add_checks(tally, items);
  for (const auto& [why, sections] : kept_by_reason(tally))
    items.push_back(fmt::format("{} {}: {}.", report::strong("Lockstep's own text:"), join(sections, "; "),
                                report::plain(data_text(without_scheme(why)))));
  if (!tally.cut.empty())
    items.push_back(fmt::format("{} the model was cut off in: {}.", report::strong("Cut:"), join(tally.cut, "; ")));
  for (const std::string& remark : tally.remarks) items.push_back(remark);
  if (!tally.prompts.empty())
    items.push_back(fmt::format("{} {} ({} shows all); {}, {}.", report::strong("Prompts:"),
                                tally.prompts.size() == 1
                                    ? *tally.prompts.begin()
                                    : fmt::format("{} and {} more", *tally.prompts.begin(), tally.prompts.size() - 1),
                                report::code("lockstep prompts"), count_of(tally.questions, "question"),
                                count_of(tally.tool_calls, "tool call")));
  report::Document folded;
  if (tally.sentences > 0) folded.paragraph(checked_text(tally));
  folded.bullets(items);
  report::Document document;
  if (folded.blocks.empty()) return document;
  std::string summary = report::strong("How this was written and checked");
  if (tally.sentences > 0) summary += ": " + totals_text(tally);
  document.blocks.push_back({report::Details{report::prose(summary), std::move(folded.blocks)}});
  return document;
}

}  // namespace lockstep::writer
