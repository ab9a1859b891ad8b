// Boxes and arrows -> where each stands: a layered drawing (arrows run one way as far as cycles allow, long arrows get
// a lane between the boxes). Sizes and places in pixels; the same input gives the same drawing. Knows no drawing
// language.
#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::render {

struct Box {
  double width = 0;
  double height = 0;
};
struct Arrow {
  std::size_t from = 0;  ///< Indices of boxes.
  std::size_t to = 0;
};
struct Point {
  double x = 0;
  double y = 0;
};
struct Layout {
  double width = 0;
  double height = 0;
  std::vector<Point> centres;              ///< Of the boxes.
  std::vector<std::vector<Point>> routes;  ///< Of the arrows, from edge to edge; empty for one from a box to itself.
};

/// Rows from top to bottom, or columns from left to right. Arrows to boxes that do not exist get no route.
Layout lay_out(const std::vector<Box>& boxes, const std::vector<Arrow>& arrows, bool left_to_right);

}  // namespace lockstep::render
