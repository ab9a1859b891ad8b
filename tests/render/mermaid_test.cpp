#include "render/mermaid.h"
#include "render/svg.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep::render {
namespace {

using report::ClassDiagram;
using report::ClassRelation;
using report::EdgeStyle;
using report::Flowchart;
using report::Mark;
using report::NodeShape;
using report::Sequence;
using report::SequenceEvent;

TEST(Mermaid, FlowchartWithGroupsAndMarks) {
  Flowchart chart;
  chart.left_to_right = true;
  chart.groups = {{"Before"}, {"After"}};
  chart.nodes = {{"a", NodeShape::kBox, Mark::kNone, 0}, {"b", NodeShape::kDecision, Mark::kNew, 1}};
  chart.edges = {{0, 1, "calls", EdgeStyle::kDotted}};
  EXPECT_EQ(render_mermaid(chart),
            "flowchart LR\n"
            "    subgraph g0[\"Before\"]\n"
            "        n0[\"a\"]\n"
            "    end\n"
            "    subgraph g1[\"After\"]\n"
            "        n1{\"b<br/>NEW\"}\n"
            "    end\n"
            "    n0 -.->|\"calls\"| n1\n"
            "    classDef isNew fill:#1a7f37,stroke:#0d5522,color:#ffffff\n"
            "    class n1 isNew\n");
}

TEST(Mermaid, SequenceClosesEveryBlock) {
  Sequence sequence;
  sequence.participants = {{"train"}, {"layer", Mark::kModified}};
  sequence.events = {{SequenceEvent::Kind::kOptional, 0, 0, "if x"},
                     {SequenceEvent::Kind::kCall, 0, 1, "forward(x; y)"},
                     {SequenceEvent::Kind::kNote, 1, 1, "end"}};
  EXPECT_EQ(render_mermaid(sequence),
            "sequenceDiagram\n"
            "    participant p0 as train\n"
            "    participant p1 as layer [MODIFIED]\n"
            "    opt if x\n"
            "        p0->>p1: forward(x#59; y)\n"
            "        Note over p1: (end)\n"
            "    end\n");
}

TEST(Mermaid, ClassDiagramTakesGenericsAndOddNames) {
  ClassDiagram diagram;
  diagram.classes = {{"Base", Mark::kNone, "", {}},
                     {"A[T]", Mark::kNew, "", {{"f(x: Dict[str, T]) -> {y}", true, false, Mark::kNew}}}};
  diagram.relations = {{ClassRelation::Kind::kExtends, 1, 0, "extends"}};
  EXPECT_EQ(render_mermaid(diagram),
            "classDiagram\n"
            "    class c0[\"Base\"] {\n"
            "    }\n"
            "    class c1[\"A[T]\"] {\n"
            "        <<NEW>>\n"
            "        +f(x: Dict[str, T]) - y NEW\n"
            "    }\n"
            "    c0 <|-- c1 : extends\n"
            "    style c1 stroke:#1a7f37,stroke-width:3px\n");
}

TEST(Mermaid, LabelsAreEscapedAndShortened) {
  EXPECT_EQ(mermaid_label("a\"b<c>#1;"), "a#quot;b#lt;c#gt;#35;1#59;");
  EXPECT_EQ(mermaid_label("one\ntwo"), "one<br/>two");
  EXPECT_EQ(mermaid_label("abcdef", 4), "abc\u2026");
  EXPECT_EQ(mermaid_label("placed = dispatch(hidden, probabilities)\nreturn placed", 24),
            "placed = dispatch(\u2026)<br/>return placed");
  EXPECT_EQ(mermaid_label("\u00e4\u00e4\u00e4\u00e4\u00e4", 4), "\u00e4\u00e4\u00e4\u2026");
  EXPECT_EQ(mermaid_label(""), " ");
}

TEST(Mermaid, StaysUnderTheLimits) {
  Flowchart chart;
  Sequence sequence;
  ClassDiagram diagram;
  sequence.participants = {{"a"}};
  for (std::size_t i = 0; i < 3000; ++i) {
    chart.nodes.push_back({std::string(80, 'x')});
    chart.edges.push_back({i, i / 2, std::string(50, 'y')});
    sequence.events.push_back({SequenceEvent::Kind::kLoop, 0, 0, std::string(80, 'x')});
    diagram.classes.push_back({"C", Mark::kNew, "", {{std::string(50, 'm')}}});
    diagram.relations.push_back({ClassRelation::Kind::kUses, i, 0, std::string(50, 'm')});
  }
  for (const report::Diagram& one : {report::Diagram(chart), report::Diagram(sequence), report::Diagram(diagram)}) {
    const std::string text = render_mermaid(one);
    EXPECT_LT(text.size(), 50'000u);
    EXPECT_NE(text.find("%% Cut"), std::string::npos);
  }
}

TEST(Mermaid, SkipsEdgesToNowhere) {
  Flowchart chart;
  chart.nodes = {{"a"}};
  chart.edges = {{0, 7}};
  EXPECT_EQ(render_mermaid(chart), "flowchart TD\n    n0[\"a\"]\n");
}

TEST(Svg, ALineIsAsWideAsAsked) {
  EXPECT_EQ(svg_wrapped("abcdef", 6, 1), std::vector<std::string>{"abcdef"});
  EXPECT_EQ(svg_wrapped("\u4e00\u4e01\u4e02", 6, 1), std::vector<std::string>{"\u4e00\u4e01\u4e02"});
  // Wide letters take two columns.
  EXPECT_EQ(svg_wrapped("\u4e00\u4e01\u4e02\u4e03", 6, 1), std::vector<std::string>{"\u4e00\u4e01\u2026"});
  EXPECT_EQ(svg_wrapped("abc def", 3, 0).size(), 1u);
}

}  // namespace
}  // namespace lockstep::render
