// Flowcharts and class diagrams as SVG: both are boxes and arrows, laid out by layout.h.
#include <fmt/format.h>

#include <algorithm>

#include "render/html_text.h"
#include "render/layout.h"
#include "render/svg.h"

namespace lockstep::render {
namespace {

using report::FlowEdge;
using report::FlowNode;
using report::Mark;
using report::NodeShape;

constexpr double kLine = 16;
constexpr double kGroupTitle = 26;
constexpr double kGroupGap = 26;
constexpr double kPageWidth = 960;

/// A curve through the points, straight where two stand above each other.
std::string path_of(const std::vector<Point>& points, bool left_to_right) {
  std::string out = fmt::format("M{:.1f} {:.1f}", points.front().x, points.front().y);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& a = points[i - 1];
    const Point& b = points[i];
    if (left_to_right) {
      const double middle = (a.x + b.x) / 2;
      out += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", middle, a.y, middle, b.y, b.x, b.y);
    } else {
      const double middle = (a.y + b.y) / 2;
      out += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, middle, b.x, middle, b.x, b.y);
    }
  }
  return out;
}

std::string outline(NodeShape shape, double x, double y, double width, double height) {
  const double left = x - width / 2;
  const double right = x + width / 2;
  const double top = y - height / 2;
  const double bottom = y + height / 2;
  switch (shape) {
    case NodeShape::kBox:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\"/>", left, top,
                         width, height);
    case NodeShape::kRounded:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\"/>", left,
                         top, width, height, std::min(height / 2, 18.0));
    case NodeShape::kDecision:
    case NodeShape::kCommunication: {
      const double tip = shape == NodeShape::kDecision ? 16 : 10;
      return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}z\"/>", left,
                         y, left + tip, top, right - tip, right, y, right - tip, bottom, left + tip);
    }
    case NodeShape::kData:
      return fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}L{:.1f} {:.1f}H{:.1f}z\"/>", left + 10, top, right, right - 10,
                         bottom, left);
    case NodeShape::kStore:
      return fmt::format(
          "<path d=\"M{:.1f} {:.1f}V{:.1f}A{:.1f} 5 0 0 0 {:.1f} {:.1f}V{:.1f}A{:.1f} 5 0 0 0 {:.1f} {:.1f}A{:.1f} 5 0 "
          "0 0 {:.1f} {:.1f}\"/>",
          left, top + 5, bottom - 5, width / 2, right, bottom - 5, top + 5, width / 2, left, top + 5, width / 2, right,
          top + 5);
  }
  return {};
}

struct Drawn {
  std::vector<std::string> lines;
  Box box;
};

Drawn measured(const FlowNode& node) {
  Drawn drawn;
  drawn.lines = svg_wrapped(node.label, 34, 5);
  if (node.mark != Mark::kNone) drawn.lines.emplace_back(svg_mark_word(node.mark));
  double width = 40;
  for (const std::string& line : drawn.lines) width = std::max(width, svg_text_width(line));
  const bool pointed = node.shape != NodeShape::kBox && node.shape != NodeShape::kRounded;
  drawn.box = {width + (pointed ? 44 : 24), kLine * static_cast<double>(drawn.lines.size()) + 16};
  return drawn;
}

std::string node_text(const FlowNode& node, const Drawn& drawn, Point at) {
  return fmt::format("<g class=\"node {}{}\">{}{}</g>", svg_mark_class(node.mark),
                     node.shape == NodeShape::kCommunication ? " communicates" : "",
                     outline(node.shape, at.x, at.y, drawn.box.width, drawn.box.height),
                     svg_text(drawn.lines, at.x, at.y, "label"));
}

std::string edge_text(const FlowEdge& edge, const std::vector<Point>& route, bool left_to_right) {
  if (route.size() < 2) return {};
  std::string out = fmt::format("<path class=\"edge{}\" d=\"{}\" marker-end=\"url(#arrow)\"/>",
                                edge.style == report::EdgeStyle::kDotted  ? " dotted"
                                : edge.style == report::EdgeStyle::kThick ? " thick"
                                                                          : "",
                                path_of(route, left_to_right));
  if (edge.label.empty()) return out;
  const auto lines = svg_wrapped(edge.label, 26, 2);
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, svg_text_width(line));
  const double x = (route[0].x + route[1].x) / 2;
  const double y = (route[0].y + route[1].y) / 2;
  const double height = kLine * static_cast<double>(lines.size());
  out += fmt::format("<rect class=\"behind\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                     x - width / 2 - 2, y - height / 2, width + 4, height);
  return out + svg_text(lines, x, y, "edge-label");
}

/// One group, or what stands outside all: its nodes laid out by the arrows between them.
struct Part {
  std::string title;
  std::vector<std::size_t> nodes;
  Layout layout;
  Point at;  ///< Of its frame.
  [[nodiscard]] bool is_framed() const { return !title.empty(); }
  [[nodiscard]] double pad() const { return is_framed() ? 14 : 0; }
  [[nodiscard]] double head() const { return is_framed() ? kGroupTitle : 0; }
  [[nodiscard]] double width() const { return std::max(layout.width, svg_text_width(title)) + 2 * pad(); }
  [[nodiscard]] double height() const { return layout.height + head() + 2 * pad(); }
};

class Chart {
 public:
  explicit Chart(const report::Flowchart& chart) : chart_(chart) {
    for (const FlowNode& node : chart.nodes) drawn_.push_back(measured(node));
    centres_.resize(chart.nodes.size());
  }

  std::string run(std::string_view name) {
    split();
    for (Part& part : parts_) arrange(part);
    place();
    std::string out;
    for (const Part& part : parts_) frame(part, out);
    for (const Part& part : parts_) edges(part, out);
    crossing_edges(out);
    for (std::size_t i = 0; i < chart_.nodes.size(); ++i) out += node_text(chart_.nodes[i], drawn_[i], centres_[i]);
    return svg_element(width_, height_, name, out);
  }

 private:
  void split() {
    parts_.resize(chart_.groups.size() + 1);
    for (std::size_t i = 0; i < chart_.groups.size(); ++i) parts_[i].title = chart_.groups[i].title;
    for (std::size_t i = 0; i < chart_.nodes.size(); ++i)
      parts_[std::min(chart_.nodes[i].group, chart_.groups.size())].nodes.push_back(i);
    std::erase_if(parts_, [](const Part& part) { return part.nodes.empty(); });
  }

  [[nodiscard]] static std::size_t index_in(const Part& part, std::size_t node) {
    const auto at = std::find(part.nodes.begin(), part.nodes.end(), node);
    return static_cast<std::size_t>(at - part.nodes.begin());
  }

  [[nodiscard]] bool is_inside(const Part& part, const FlowEdge& edge) const {
    return index_in(part, edge.from) < part.nodes.size() && index_in(part, edge.to) < part.nodes.size();
  }

  void arrange(Part& part) {
    std::vector<Box> boxes;
    std::vector<Arrow> arrows;
    for (const std::size_t node : part.nodes) boxes.push_back(drawn_[node].box);
    for (const FlowEdge& edge : chart_.edges) {
      if (is_inside(part, edge)) arrows.push_back({index_in(part, edge.from), index_in(part, edge.to)});
    }
    part.layout = lay_out(boxes, arrows, chart_.left_to_right);
  }

  /// Beside each other as long as the page is wide enough, else below each other.
  void place() {
    double all = -kGroupGap * 3;
    for (const Part& part : parts_) all += part.width() + kGroupGap * 3;
    const bool beside = all <= kPageWidth;
    double x = 0;
    double y = 0;
    for (Part& part : parts_) {
      part.at = {x, y};
      width_ = std::max(width_, x + part.width());
      height_ = std::max(height_, y + part.height());
      (beside ? x : y) += (beside ? part.width() + kGroupGap * 3 : part.height() + kGroupGap);
      for (std::size_t i = 0; i < part.nodes.size(); ++i) {
        centres_[part.nodes[i]] = {part.at.x + part.pad() + part.layout.centres[i].x,
                                   part.at.y + part.pad() + part.head() + part.layout.centres[i].y};
      }
    }
  }

  static void frame(const Part& part, std::string& out) {
    if (!part.is_framed()) return;
    out += fmt::format(
        "<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\"/>"
        "<text class=\"frame-title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
        part.at.x, part.at.y, part.width(), part.height(), part.at.x + 12, part.at.y + 19, html_escaped(part.title));
  }

  void edges(const Part& part, std::string& out) const {
    std::size_t next = 0;
    for (const FlowEdge& edge : chart_.edges) {
      if (!is_inside(part, edge)) continue;
      std::vector<Point> route = part.layout.routes[next++];
      for (Point& point : route) {
        point.x += part.at.x + part.pad();
        point.y += part.at.y + part.pad() + part.head();
      }
      out += edge_text(edge, route, chart_.left_to_right);
    }
  }

  /// Between groups: straight from side to side.
  void crossing_edges(std::string& out) const {
    for (const FlowEdge& edge : chart_.edges) {
      if (edge.from >= chart_.nodes.size() || edge.to >= chart_.nodes.size()) continue;
      const bool inside =
          std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) { return is_inside(part, edge); });
      if (inside) continue;
      Point from = centres_[edge.from];
      Point to = centres_[edge.to];
      const bool sideways = std::abs(to.x - from.x) > std::abs(to.y - from.y);
      const double sign = (sideways ? to.x > from.x : to.y > from.y) ? 0.5 : -0.5;
      (sideways ? from.x : from.y) += sign * (sideways ? drawn_[edge.from].box.width : drawn_[edge.from].box.height);
      (sideways ? to.x : to.y) -= sign * (sideways ? drawn_[edge.to].box.width : drawn_[edge.to].box.height);
      out += edge_text(edge, {from, to}, sideways);
    }
  }

  const report::Flowchart& chart_;
  std::vector<Drawn> drawn_;
  std::vector<Point> centres_;
  std::vector<Part> parts_;
  double width_ = 0;
  double height_ = 0;
};

struct DrawnClass {
  std::vector<std::string> head;
  std::vector<std::pair<std::string, Mark>> members;
  Box box;
};

DrawnClass measured(const report::ClassBox& box) {
  DrawnClass drawn;
  drawn.head = svg_wrapped(box.name, 34, 2);
  const std::string_view word = box.mark != Mark::kNone ? svg_mark_word(box.mark) : std::string_view(box.stereotype);
  if (!word.empty()) drawn.head.emplace_back(word);
  for (const report::ClassMember& member : box.members) {
    std::string line = svg_wrapped((member.is_private ? "\u2212 " : "+ ") + member.text, 40, 1).front();
    if (member.mark != Mark::kNone) line += fmt::format(" {}", svg_mark_word(member.mark));
    drawn.members.emplace_back(std::move(line), member.mark);
  }
  double width = 60;
  for (const std::string& line : drawn.head) width = std::max(width, svg_text_width(line));
  for (const auto& [line, mark] : drawn.members) width = std::max(width, svg_text_width(line));
  const double members = drawn.members.empty() ? 0 : 12 + kLine * static_cast<double>(drawn.members.size());
  drawn.box = {width + 26, 16 + kLine * static_cast<double>(drawn.head.size()) + members};
  return drawn;
}

std::string class_text(const report::ClassBox& box, const DrawnClass& drawn, Point at) {
  const double top = at.y - drawn.box.height / 2;
  const double left = at.x - drawn.box.width / 2;
  const double head = 12 + kLine * static_cast<double>(drawn.head.size());
  std::string out = fmt::format("<g class=\"class {}\">{}{}", svg_mark_class(box.mark),
                                outline(NodeShape::kBox, at.x, at.y, drawn.box.width, drawn.box.height),
                                svg_text(drawn.head, at.x, top + head / 2, "class-name"));
  if (!drawn.members.empty())
    out += fmt::format("<path class=\"rule\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>", left, top + head, drawn.box.width);
  for (std::size_t i = 0; i < drawn.members.size(); ++i) {
    out += fmt::format("<text class=\"member {}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                       svg_mark_class(drawn.members[i].second), left + 12,
                       top + head + 18 + kLine * static_cast<double>(i), html_escaped(drawn.members[i].first));
  }
  return out + "</g>";
}

}  // namespace

std::string svg_flowchart(const report::Flowchart& chart, std::string_view name) { return Chart(chart).run(name); }

std::string svg_classes(const report::ClassDiagram& diagram, std::string_view name) {
  using Kind = report::ClassRelation::Kind;
  std::vector<DrawnClass> drawn;
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;
  for (const report::ClassBox& box : diagram.classes) {
    drawn.push_back(measured(box));
    boxes.push_back(drawn.back().box);
  }
  // Bases stand above what derives from them, users above what they use.
  for (const report::ClassRelation& relation : diagram.relations)
    arrows.push_back(relation.kind == Kind::kExtends ? Arrow{relation.to, relation.from}
                                                     : Arrow{relation.from, relation.to});
  const Layout layout = lay_out(boxes, arrows, false);
  std::string out;
  for (std::size_t i = 0; i < arrows.size(); ++i) {
    std::vector<Point> route = layout.routes[i];
    if (route.size() < 2) continue;
    const Kind kind = diagram.relations[i].kind;
    if (kind == Kind::kExtends) std::reverse(route.begin(), route.end());
    const std::string_view ends = kind == Kind::kExtends ? "marker-end=\"url(#triangle)\""
                                  : kind == Kind::kComposes
                                      ? "marker-start=\"url(#diamond)\" marker-end=\"url(#arrow)\""
                                      : "marker-end=\"url(#arrow)\"";
    out += fmt::format("<path class=\"edge{}\" d=\"{}\" {}/>", kind == Kind::kDepends ? " dotted" : "",
                       path_of(route, false), ends);
    if (diagram.relations[i].label.empty()) continue;
    const Point middle{(route[0].x + route[1].x) / 2, (route[0].y + route[1].y) / 2};
    const auto lines = svg_wrapped(diagram.relations[i].label, 30, 1);
    const double width = svg_text_width(lines.front());
    out += fmt::format("<rect class=\"behind\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                       middle.x - width / 2 - 2, middle.y - 8, width + 4, kLine);
    out += svg_text(lines, middle.x, middle.y, "edge-label");
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) out += class_text(diagram.classes[i], drawn[i], layout.centres[i]);
  return svg_element(layout.width, layout.height, name, out);
}

}  // namespace lockstep::render
