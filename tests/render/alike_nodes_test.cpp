// Boxes of a flowchart that say the same.
#include "report/documents/drawings/alike_nodes.h"

#include <gtest/gtest.h>

namespace lockstep::report {
namespace {

FlowNode box(const char* label) {
  FlowNode node;
  node.label = label;
  return node;
}

TEST(AlikeNodes, AreDrawnOnceWithTheirNumber) {
  Flowchart chart;
  chart.nodes = {box("model"), box("set(model)"), box("set(model)"), box("set(model)"), box("other")};
  chart.edges = {{0, 1, "set", EdgeStyle::kSolid},
                 {0, 2, "set", EdgeStyle::kSolid},
                 {0, 3, "set", EdgeStyle::kSolid},
                 {3, 4, "", EdgeStyle::kSolid}};
  merge_alike(chart);
  ASSERT_EQ(chart.nodes.size(), 4u);
  EXPECT_EQ(chart.nodes[1].label, "set(model)\nin 2 places");
  EXPECT_EQ(chart.nodes[2].label, "set(model)");  // From there it goes on.
  ASSERT_EQ(chart.edges.size(), 3u);
  EXPECT_EQ(chart.edges[2].from, 2u);
  EXPECT_EQ(chart.edges[2].to, 3u);
}

TEST(AlikeNodes, NodesOfOtherLabelsMarksOrArrowsStay) {
  Flowchart chart;
  chart.nodes = {box("a"), box("x"), box("x"), box("lonely"), box("lonely")};
  chart.nodes[2].mark = Mark::kNew;
  chart.edges = {{0, 1, "f", EdgeStyle::kSolid}, {0, 2, "f", EdgeStyle::kSolid}};
  merge_alike(chart);
  EXPECT_EQ(chart.nodes.size(), 5u);
  EXPECT_EQ(chart.edges.size(), 2u);
}

}  // namespace
}  // namespace lockstep::report
