#include "render/mermaid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "render/text_safety.h"
#include "text/shorten.h"

namespace lockstep::render {
namespace {

using report::Mark;
using report::NodeShape;

// Mid-tone fills with their own text colour stay readable whatever the page's background is.
constexpr std::string_view kNewStyle = "fill:#1a7f37,stroke:#0d5522,color:#ffffff";
constexpr std::string_view kModifiedStyle = "fill:#9a6700,stroke:#6b4800,color:#ffffff";
constexpr std::string_view kRemovedStyle = "fill:#cf222e,stroke:#8a1620,color:#ffffff,stroke-dasharray: 5 3";

std::string_view mark_word(Mark mark) {
  switch (mark) {
    case Mark::kNew:
      return "NEW";
    case Mark::kModified:
      return "MODIFIED";
    case Mark::kRemoved:
      return "REMOVED";
    case Mark::kNone:
      break;
  }
  return "";
}

std::string_view mark_class(Mark mark) {
  switch (mark) {
    case Mark::kNew:
      return "isNew";
    case Mark::kModified:
      return "isModified";
    case Mark::kRemoved:
      return "isRemoved";
    case Mark::kNone:
      break;
  }
  return "";
}

/// Entities that all Mermaid grammars read inside a label or a message; "#" starts one and ";" ends a statement.
std::string with_entities(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "#quot;";
        break;
      case '#':
        out += "#35;";
        break;
      case ';':
        out += "#59;";
        break;
      case '<':
        out += "#lt;";
        break;
      case '>':
        out += "#gt;";
        break;
      case '&':
        out += "#amp;";
        break;
      case '`':
        out += "#96;";
        break;
      case '\\':
        out += "#92;";
        break;
      case '{':
        out += "#123;";
        break;
      case '}':
        out += "#125;";
        break;
      case '%':
        out += "#37;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Text of a sequence message or note: to the end of the line. "end" alone would close a block.
std::string message_text(std::string_view text) {
  std::string one_line = visible_text(text, false);
  std::string out = with_entities(shortened(trim(one_line), kMermaidMaxLabel));
  if (to_lower(out) == "end") out = "(end)";
  return out.empty() ? " " : out;
}

/// Members of a class box are not quoted, so only characters that the grammar takes as they are remain.
std::string member_text(std::string_view text) {
  std::string out;
  constexpr std::string_view kCut = "\u2026";
  const std::string visible = visible_text(text, false);
  for (std::size_t i = 0; i < visible.size(); ++i) {
    const char c = visible[i];
    if (std::string_view(visible).substr(i).starts_with(kCut)) out += kCut;  // its other bytes are passed over
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || std::string_view("_.,()[] =-/|").find(c) != std::string_view::npos) out += c;
    if (c == ':') out += c;
    if (c == '*') out += "\u2217";
    if (c == '$') out += "S";
  }
  // "direction LR" anywhere in a line is a statement of its own to Mermaid's lexer.
  out = replace_all(out, "direction ", "direction-");
  const std::string text_only = shortened(trim(out), 60);
  return text_only.empty() ? "unnamed" : text_only;
}

/// Inside `<<…>>` the grammar takes a plain word or two.
std::string stereotype_text(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ';
    if (letter) out += c;
  }
  out = trim(replace_all(out, "direction ", ""));
  return out.empty() ? "class" : out;
}

struct Output {
  std::string text;
  bool cut = false;

  void line(std::string_view content) {
    if (text.size() + content.size() + 1 > kMermaidMaxBytes) {
      cut = true;
      return;
    }
    text += content;
    text += '\n';
  }
};

std::string node_text(const report::FlowNode& node, std::size_t index) {
  std::string label = mermaid_label(node.label);
  if (node.mark != Mark::kNone) label = fmt::format("{}<br/>{}", label, mark_word(node.mark));
  std::string_view open = "[\"";
  std::string_view close = "\"]";
  switch (node.shape) {
    case NodeShape::kBox:
      break;
    case NodeShape::kRounded:
      open = "([\"", close = "\"])";
      break;
    case NodeShape::kDecision:
      open = "{\"", close = "\"}";
      break;
    case NodeShape::kData:
      open = "[/\"", close = "\"/]";
      break;
    case NodeShape::kCommunication:
      open = "{{\"", close = "\"}}";
      break;
    case NodeShape::kStore:
      open = "[(\"", close = "\")]";
      break;
  }
  return fmt::format("n{}{}{}{}", index, open, label, close);
}

void write_marks(const report::Flowchart& chart, Output& out) {
  const std::pair<Mark, std::string_view> styles[] = {
      {Mark::kNew, kNewStyle}, {Mark::kModified, kModifiedStyle}, {Mark::kRemoved, kRemovedStyle}};
  for (const auto& [mark, style] : styles) {
    std::string members;
    for (std::size_t i = 0; i < chart.nodes.size(); ++i) {
      if (chart.nodes[i].mark == mark) members += fmt::format("{}n{}", members.empty() ? "" : ",", i);
    }
    if (members.empty()) continue;
    out.line(fmt::format("    classDef {} {}", mark_class(mark), style));
    out.line(fmt::format("    class {} {}", members, mark_class(mark)));
  }
}

void write(const report::Flowchart& chart, Output& out) {
  out.line(chart.left_to_right ? "flowchart LR" : "flowchart TD");
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    out.line(fmt::format("    subgraph g{}[\"{}\"]", group, mermaid_label(chart.groups[group].title)));
    for (std::size_t i = 0; i < chart.nodes.size(); ++i) {
      if (chart.nodes[i].group == group) out.line("        " + node_text(chart.nodes[i], i));
    }
    out.line("    end");
  }
  for (std::size_t i = 0; i < chart.nodes.size(); ++i) {
    if (chart.nodes[i].group >= chart.groups.size()) out.line("    " + node_text(chart.nodes[i], i));
  }
  std::size_t drawn = 0;
  for (const report::FlowEdge& edge : chart.edges) {
    if (edge.from >= chart.nodes.size() || edge.to >= chart.nodes.size()) continue;
    if (++drawn > kMermaidMaxEdges) {
      out.cut = true;
      break;
    }
    const std::string_view arrow = edge.style == report::EdgeStyle::kDotted  ? "-.->"
                                   : edge.style == report::EdgeStyle::kThick ? "==>"
                                                                             : "-->";
    const std::string label = edge.label.empty() ? "" : fmt::format("|\"{}\"|", mermaid_label(edge.label, 120));
    out.line(fmt::format("    n{} {}{} n{}", edge.from, arrow, label, edge.to));
  }
  write_marks(chart, out);
}

std::string event_text(const report::SequenceEvent& event) {
  using Kind = report::SequenceEvent::Kind;
  const std::string text = message_text(event.text);
  switch (event.kind) {
    case Kind::kCall:
      return fmt::format("p{}->>p{}: {}", event.from, event.to, text);
    case Kind::kReturn:
      return fmt::format("p{}-->>p{}: {}", event.from, event.to, text);
    case Kind::kAsync:
      return fmt::format("p{}-)p{}: {}", event.from, event.to, text);
    case Kind::kNote:
      if (event.from == event.to) return fmt::format("Note over p{}: {}", event.from, text);
      return fmt::format("Note over p{},p{}: {}", event.from, event.to, text);
    case Kind::kOptional:
      return "opt " + text;
    case Kind::kAlternative:
      return "alt " + text;
    case Kind::kElse:
      return "else " + text;
    case Kind::kLoop:
      return "loop " + text;
    case Kind::kEnd:
      break;
  }
  return "end";
}

void write(const report::Sequence& sequence, Output& out) {
  using Kind = report::SequenceEvent::Kind;
  out.line("sequenceDiagram");
  for (std::size_t i = 0; i < sequence.participants.size(); ++i) {
    const report::Participant& one = sequence.participants[i];
    std::string label = message_text(one.label);
    if (one.mark != Mark::kNone) label += fmt::format(" [{}]", mark_word(one.mark));
    out.line(fmt::format("    participant p{} as {}", i, label));
  }
  std::size_t depth = 0;
  std::size_t drawn = 0;
  for (const report::SequenceEvent& event : sequence.events) {
    const bool opens = event.kind == Kind::kOptional || event.kind == Kind::kAlternative || event.kind == Kind::kLoop;
    const bool closes = event.kind == Kind::kEnd;
    if (closes && depth == 0) continue;
    const bool is_message = !opens && !closes && event.kind != Kind::kElse;
    if (is_message && std::max(event.from, event.to) >= sequence.participants.size()) continue;
    // Room for the `end` of every open block is kept, so that cutting never leaves one open.
    if (!closes && (++drawn > kMermaidMaxEdges || out.text.size() + 200 + 40 * depth > kMermaidMaxBytes)) {
      out.cut = true;
      break;
    }
    if (closes) --depth;
    const std::size_t level = event.kind == Kind::kElse && depth > 0 ? depth - 1 : depth;
    out.line(std::string(4 + 4 * std::min<std::size_t>(level, 8), ' ') + event_text(event));
    if (opens) ++depth;
  }
  for (; depth > 0; --depth) out.line("    end");
}

std::string_view relation_arrow(report::ClassRelation::Kind kind) {
  using Kind = report::ClassRelation::Kind;
  switch (kind) {
    case Kind::kExtends:
      return "<|--";
    case Kind::kComposes:
      return "*--";
    case Kind::kUses:
      return "-->";
    case Kind::kDepends:
      break;
  }
  return "..>";
}

void write_class(const report::ClassBox& box, std::size_t index, Output& out) {
  const std::string_view stereotype = box.mark != Mark::kNone ? mark_word(box.mark) : std::string_view(box.stereotype);
  out.line(fmt::format("    class c{}[\"{}\"] {{", index, mermaid_label(box.name, 60)));
  if (!stereotype.empty()) out.line(fmt::format("        <<{}>>", stereotype_text(stereotype)));
  for (const report::ClassMember& member : box.members) {
    std::string text = member_text(member.text);
    if (member.is_method && text.find('(') == std::string::npos) text += "()";
    const std::string suffix = member.mark == Mark::kNone ? "" : fmt::format(" {}", mark_word(member.mark));
    out.line(fmt::format("        {}{}{}", member.is_private ? '-' : '+', text, suffix));
  }
  out.line("    }");
}

void write(const report::ClassDiagram& diagram, Output& out) {
  out.line("classDiagram");
  for (std::size_t i = 0; i < diagram.classes.size(); ++i) {
    if (out.text.size() + 100 * (diagram.classes[i].members.size() + 3) > kMermaidMaxBytes) {
      out.cut = true;
      break;
    }
    write_class(diagram.classes[i], i, out);
  }
  std::size_t drawn = 0;
  for (const report::ClassRelation& relation : diagram.relations) {
    if (relation.from >= diagram.classes.size() || relation.to >= diagram.classes.size()) continue;
    if (++drawn > kMermaidMaxEdges) {
      out.cut = true;
      break;
    }
    // The base stands first in `Base <|-- Derived`.
    const bool reversed = relation.kind == report::ClassRelation::Kind::kExtends;
    const std::string label = relation.label.empty() ? "" : " : " + member_text(replace_all(relation.label, ":", " "));
    out.line(fmt::format("    c{} {} c{}{}", reversed ? relation.to : relation.from, relation_arrow(relation.kind),
                         reversed ? relation.from : relation.to, label));
  }
  for (std::size_t i = 0; i < diagram.classes.size(); ++i) {
    const Mark mark = diagram.classes[i].mark;
    const std::string_view style = mark == Mark::kNew        ? kNewStyle
                                   : mark == Mark::kModified ? kModifiedStyle
                                   : mark == Mark::kRemoved  ? kRemovedStyle
                                                             : std::string_view();
    // The title and members keep the theme's text colour, so only the frame is coloured.
    const std::size_t from = style.find("fill:");
    if (from == std::string_view::npos) continue;
    out.line(fmt::format("    style c{} stroke:{},stroke-width:3px", i, style.substr(from + 5, 7)));
  }
}

}  // namespace

std::string mermaid_label(std::string_view text, std::size_t max_line) {
  std::string out;
  const std::string shown = visible_text(text, true);
  for (const std::string_view one : split(shown, '\n')) {
    if (!out.empty()) out += "<br/>";
    out += with_entities(shortened(trim(replace_all(one, "\t", " ")), max_line));
  }
  return out.empty() ? " " : out;
}

std::string render_mermaid(const report::Diagram& diagram) {
  Output out;
  std::visit([&](const auto& value) { write(value, out); }, diagram);
  if (out.cut) out.text += "%% Cut: over the limits of what GitHub draws.\n";
  return out.text;
}

}  // namespace lockstep::render
