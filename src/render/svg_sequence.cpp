// Sequence diagrams as SVG: a column a participant, a row an event, a frame a block.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/html_text.h"
#include "render/svg.h"

namespace lockstep::render {
namespace {

using report::SequenceEvent;
using Kind = SequenceEvent::Kind;

constexpr double kRow = 40;
constexpr double kHead = 44;
constexpr double kLine = 16;

bool opens(Kind kind) { return kind == Kind::kOptional || kind == Kind::kAlternative || kind == Kind::kLoop; }
bool is_message(Kind kind) { return kind == Kind::kCall || kind == Kind::kReturn || kind == Kind::kAsync; }

class Writer {
 public:
  explicit Writer(const report::Sequence& sequence) : sequence_(sequence) {
    for (const report::Participant& one : sequence.participants) {
      heads_.push_back(svg_wrapped(one.label, 24, 2));
      if (one.mark != report::Mark::kNone) heads_.back().emplace_back(svg_mark_word(one.mark));
    }
    place_columns();
  }

  std::string run(std::string_view name) {
    if (heads_.empty()) return svg_element(10, 10, name, "");
    const auto tallest = std::max_element(heads_.begin(), heads_.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    head_height_ = std::max(kHead, 16 + kLine * static_cast<double>(tallest->size()));
    y_ = head_height_ + 26;
    for (const SequenceEvent& event : sequence_.events) add(event);
    while (!blocks_.empty()) close();
    std::string lines;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      lines += fmt::format("<path class=\"lifeline\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>", columns_[i], head_height_, y_);
      lines += head(i);
    }
    return svg_element(std::max(width_, rightmost_), y_, name, frames_ + lines + body_);
  }

 private:
  struct Block {
    double top = 0;
    std::size_t first = SIZE_MAX;  ///< Participants that it spans so far.
    std::size_t last = 0;
    std::string title;
    std::vector<std::pair<double, std::string>> branches;
  };

  [[nodiscard]] static double width_of(const std::vector<std::string>& lines) {
    double width = 50;
    for (const std::string& line : lines) width = std::max(width, svg_text_width(line));
    return width + 20;
  }

  /// Neighbours stand as far apart as their heads and the messages between them need.
  void place_columns() {
    double x = 0;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      const double half = width_of(heads_[i]) / 2;
      if (i == 0) {
        x = half + 24;
      } else {
        double gap = width_of(heads_[i - 1]) / 2 + half + 24;
        for (const SequenceEvent& event : sequence_.events) {
          if (!is_message(event.kind)) continue;
          const bool between = std::min(event.from, event.to) == i - 1 && std::max(event.from, event.to) == i;
          const bool beside = event.from == i - 1 && event.to == i - 1;
          if (between || beside) gap = std::max(gap, std::min(svg_text_width(event.text), 270.0) + (beside ? 60 : 34));
        }
        x += gap;
      }
      columns_.push_back(x);
      width_ = x + half + 24;
    }
  }

  [[nodiscard]] std::string head(std::size_t i) const {
    const double width = width_of(heads_[i]);
    return fmt::format(
        "<g class=\"node {}\"><rect x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\"/>{}</g>",
        svg_mark_class(sequence_.participants[i].mark), columns_[i] - width / 2, width, head_height_,
        svg_text(heads_[i], columns_[i], head_height_ / 2, "label"));
  }

  void span(std::size_t participant) {
    for (Block& block : blocks_) {
      block.first = std::min(block.first, participant);
      block.last = std::max(block.last, participant);
    }
  }

  void add(const SequenceEvent& event) {
    if (event.kind == Kind::kEnd) {
      if (!blocks_.empty()) close();
      return;
    }
    if (opens(event.kind)) {
      Block block;
      block.top = y_;
      block.title = fmt::format("{} {}",
                                event.kind == Kind::kLoop       ? "loop"
                                : event.kind == Kind::kOptional ? "opt"
                                                                : "alt",
                                event.text);
      blocks_.push_back(std::move(block));
      y_ += 34;
      return;
    }
    if (event.kind == Kind::kElse) {
      if (!blocks_.empty()) blocks_.back().branches.emplace_back(y_, "else " + event.text);
      y_ += 26;
      return;
    }
    if (std::max(event.from, event.to) >= columns_.size()) return;
    span(event.from);
    span(event.to);
    if (event.kind == Kind::kNote) return note(event);
    message(event);
  }

  void note(const SequenceEvent& event) {
    const auto lines = svg_wrapped(event.text, 44, 3);
    const double x = (columns_[event.from] + columns_[event.to]) / 2;
    const double height = 12 + kLine * static_cast<double>(lines.size());
    const double width = width_of(lines);
    body_ += fmt::format("<g class=\"note\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>{}</g>",
                         x - width / 2, y_, width, height, svg_text(lines, x, y_ + height / 2, "label"));
    rightmost_ = std::max(rightmost_, x + width / 2);
    y_ += height + 18;
  }

  void message(const SequenceEvent& event) {
    const double from = columns_[event.from];
    const double to = columns_[event.to];
    const std::string style = event.kind == Kind::kReturn ? " dotted" : "";
    if (event.from == event.to) {
      const std::string label = svg_wrapped(event.text, 40, 1).front();
      body_ += fmt::format(
          "<path class=\"edge{}\" d=\"M{:.1f} {:.1f}h26v16h-24\" marker-end=\"url(#arrow)\"/>"
          "<text class=\"message\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
          style, from, y_, from + 32, y_ + 12, html_escaped(label));
      rightmost_ = std::max(rightmost_, from + 36 + svg_text_width(label));
      y_ += kRow;
      return;
    }
    const double length = std::abs(to - from);
    const auto lines = svg_wrapped(event.text, static_cast<std::size_t>(std::max(18.0, length / 7.2)), 2);
    y_ += kLine * static_cast<double>(lines.size() - 1);
    body_ += fmt::format("<path class=\"edge{}\" d=\"M{:.1f} {:.1f}H{:.1f}\" marker-end=\"url(#arrow)\"/>", style, from,
                         y_ + 10, to);
    body_ += svg_text(lines, (from + to) / 2, y_ - kLine * static_cast<double>(lines.size() - 1) / 2 - 2, "message");
    y_ += kRow;
  }

  void close() {
    Block block = std::move(blocks_.back());
    blocks_.pop_back();
    const double depth = static_cast<double>(blocks_.size());
    const std::size_t first = block.first == SIZE_MAX ? 0 : block.first;
    const double left = columns_[first] - 44 + 7 * depth;
    const auto title = svg_wrapped(block.title, 60, 1).front();
    double right = columns_[std::max(first, block.last)] + 60 - 7 * depth;
    right = std::max({right, left + svg_text_width(title) + 24, rightmost_ + 10 - 4 * depth});
    frames_ = fmt::format(
                  "<rect class=\"frame\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" rx=\"4\"/>"
                  "<text class=\"frame-title\" x=\"{4:.1f}\" y=\"{5:.1f}\">{6}</text>",
                  left, block.top - 6, right - left, y_ - block.top, left + 8, block.top + 10, html_escaped(title)) +
              frames_;
    for (const auto& [y, text] : block.branches) {
      frames_ += fmt::format(
          "<path class=\"lifeline\" d=\"M{:.1f} {:.1f}H{:.1f}\"/><text class=\"frame-title\" x=\"{:.1f}\" "
          "y=\"{:.1f}\">{}</text>",
          left, y - 6, right, left + 8, y + 9, html_escaped(svg_wrapped(text, 60, 1).front()));
    }
    rightmost_ = std::max(rightmost_, right);
    y_ += 10;
  }

  const report::Sequence& sequence_;
  std::vector<std::vector<std::string>> heads_;
  std::vector<double> columns_;
  std::vector<Block> blocks_;
  std::string frames_;
  std::string body_;
  double head_height_ = kHead;
  double width_ = 0;
  double rightmost_ = 0;
  double y_ = 0;
};

}  // namespace

std::string svg_sequence(const report::Sequence& sequence, std::string_view name) { return Writer(sequence).run(name); }

}  // namespace lockstep::render
