// Sugiyama's method: turn back arrows round, give each box the row of its longest way from a start, put a point on each
// row that a long arrow crosses, order the rows by the mean place of their neighbours, then pull each box towards its
// neighbours as far as the boxes beside it leave room.
#include "render/layout.h"

#include <algorithm>
#include <numeric>

namespace lockstep::render {
namespace {

constexpr double kBesideGap = 26;
constexpr double kRowGap = 48;
constexpr double kLane = 14;
constexpr int kSweeps = 6;

class Layering {
 public:
  Layering(const std::vector<Box>& boxes, const std::vector<Arrow>& arrows) : boxes_(boxes), arrows_(arrows) {}

  Layout run() {
    turn_back_arrows();
    rank();
    add_lanes();
    order_rows();
    place_rows();
    for (int sweep = 0; sweep < kSweeps; ++sweep) pull(sweep % 2 == 0);
    return result();
  }

 private:
  struct Cell {
    double width = 0;
    double height = 0;
    std::size_t row = 0;
    double x = 0;
    double y = 0;
    std::vector<std::size_t> above;
    std::vector<std::size_t> below;
  };

  [[nodiscard]] bool is_drawn(const Arrow& arrow) const {
    return arrow.from < boxes_.size() && arrow.to < boxes_.size() && arrow.from != arrow.to;
  }

  /// Depth first with a stack of our own; an arrow to a box that is still open closes a cycle.
  void turn_back_arrows() {
    std::vector<std::vector<std::size_t>> out(boxes_.size());
    for (std::size_t i = 0; i < arrows_.size(); ++i) {
      if (is_drawn(arrows_[i])) out[arrows_[i].from].push_back(i);
    }
    is_turned_.assign(arrows_.size(), false);
    std::vector<int> state(boxes_.size(), 0);
    for (std::size_t start = 0; start < boxes_.size(); ++start) {
      if (state[start] != 0) continue;
      std::vector<std::pair<std::size_t, std::size_t>> stack{{start, 0}};
      state[start] = 1;
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        if (next == out[at].size()) {
          state[at] = 2;
          stack.pop_back();
          continue;
        }
        const std::size_t arrow = out[at][next++];
        const std::size_t to = arrows_[arrow].to;
        if (state[to] == 1) is_turned_[arrow] = true;
        if (state[to] == 0) {
          state[to] = 1;
          stack.emplace_back(to, 0);
        }
      }
    }
  }

  [[nodiscard]] std::size_t upper(std::size_t arrow) const {
    return is_turned_[arrow] ? arrows_[arrow].to : arrows_[arrow].from;
  }
  [[nodiscard]] std::size_t lower(std::size_t arrow) const {
    return is_turned_[arrow] ? arrows_[arrow].from : arrows_[arrow].to;
  }

  void rank() {
    cells_.resize(boxes_.size());
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      cells_[i].width = boxes_[i].width;
      cells_[i].height = boxes_[i].height;
    }
    std::vector<std::size_t> waiting(boxes_.size(), 0);
    for (std::size_t i = 0; i < arrows_.size(); ++i) {
      if (is_drawn(arrows_[i])) ++waiting[lower(i)];
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (waiting[i] == 0) ready.push_back(i);
    }
    for (std::size_t next = 0; next < ready.size(); ++next) {
      for (std::size_t i = 0; i < arrows_.size(); ++i) {
        if (!is_drawn(arrows_[i]) || upper(i) != ready[next]) continue;
        cells_[lower(i)].row = std::max(cells_[lower(i)].row, cells_[upper(i)].row + 1);
        if (--waiting[lower(i)] == 0) ready.push_back(lower(i));
      }
    }
  }

  void add_lanes() {
    lanes_.resize(arrows_.size());
    for (std::size_t i = 0; i < arrows_.size(); ++i) {
      if (!is_drawn(arrows_[i])) continue;
      std::size_t above = upper(i);
      lanes_[i].push_back(above);
      for (std::size_t row = cells_[above].row + 1; row < cells_[lower(i)].row; ++row) {
        Cell lane;
        lane.width = kLane;
        lane.row = row;
        cells_.push_back(lane);
        connect(above, cells_.size() - 1);
        above = cells_.size() - 1;
        lanes_[i].push_back(above);
      }
      connect(above, lower(i));
      lanes_[i].push_back(lower(i));
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (rows_.size() <= cells_[i].row) rows_.resize(cells_[i].row + 1);
      rows_[cells_[i].row].push_back(i);
    }
  }

  void connect(std::size_t above, std::size_t below) {
    cells_[above].below.push_back(below);
    cells_[below].above.push_back(above);
  }

  void order_rows() {
    std::vector<double> place(cells_.size());
    const auto number = [&](const std::vector<std::size_t>& row) {
      for (std::size_t i = 0; i < row.size(); ++i) place[row[i]] = static_cast<double>(i);
    };
    for (const auto& row : rows_) number(row);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t n = 0; n < rows_.size(); ++n) {
        std::vector<std::size_t>& row = rows_[down ? n : rows_.size() - 1 - n];
        std::vector<double> mean(cells_.size());
        for (const std::size_t cell : row)
          mean[cell] = mean_of(down ? cells_[cell].above : cells_[cell].below, place, place[cell]);
        std::stable_sort(row.begin(), row.end(), [&](std::size_t a, std::size_t b) { return mean[a] < mean[b]; });
        number(row);
      }
    }
  }

  static double mean_of(const std::vector<std::size_t>& cells, const std::vector<double>& place, double otherwise) {
    if (cells.empty()) return otherwise;
    double sum = 0;
    for (const std::size_t cell : cells) sum += place[cell];
    return sum / static_cast<double>(cells.size());
  }

  void place_rows() {
    double y = 0;
    for (const auto& row : rows_) {
      double x = 0;
      double height = 0;
      for (const std::size_t cell : row) height = std::max(height, cells_[cell].height);
      for (const std::size_t cell : row) {
        cells_[cell].x = x + cells_[cell].width / 2;
        cells_[cell].y = y + height / 2;
        x += cells_[cell].width + kBesideGap;
      }
      y += height + kRowGap;
    }
  }

  /// Each cell towards the mean of its neighbours in the row before; then the row as a whole to where it wants to be.
  void pull(bool down) {
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const std::vector<std::size_t>& row = rows_[down ? n : rows_.size() - 1 - n];
      double drift = 0;
      double edge = -1e9;
      for (const std::size_t id : row) {
        Cell& cell = cells_[id];
        const auto& neighbours = down ? cell.above : cell.below;
        double wanted = cell.x;
        if (!neighbours.empty()) {
          wanted = 0;
          for (const std::size_t other : neighbours) wanted += cells_[other].x;
          wanted /= static_cast<double>(neighbours.size());
        }
        const double x = std::max(wanted, edge + cell.width / 2);
        drift += wanted - x;
        cell.x = x;
        edge = x + cell.width / 2 + kBesideGap;
      }
      for (const std::size_t id : row) cells_[id].x += drift / static_cast<double>(row.size());
    }
  }

  Layout result() {
    double left = 1e9;
    double right = 0;
    double bottom = 0;
    for (const Cell& cell : cells_) left = std::min(left, cell.x - cell.width / 2);
    Layout layout;
    for (Cell& cell : cells_) {
      cell.x -= left;
      right = std::max(right, cell.x + cell.width / 2);
      bottom = std::max(bottom, cell.y + cell.height / 2);
    }
    layout.width = right;
    layout.height = bottom;
    for (std::size_t i = 0; i < boxes_.size(); ++i) layout.centres.push_back({cells_[i].x, cells_[i].y});
    for (std::size_t i = 0; i < arrows_.size(); ++i) {
      std::vector<Point> route;
      for (const std::size_t cell : lanes_[i]) route.push_back({cells_[cell].x, cells_[cell].y});
      if (!route.empty()) {
        route.front().y += cells_[lanes_[i].front()].height / 2;
        route.back().y -= cells_[lanes_[i].back()].height / 2;
        if (is_turned_[i]) std::reverse(route.begin(), route.end());
      }
      layout.routes.push_back(std::move(route));
    }
    return layout;
  }

  const std::vector<Box>& boxes_;
  const std::vector<Arrow>& arrows_;
  std::vector<bool> is_turned_;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::size_t>> lanes_;  ///< Of each arrow: the cells it passes, from top to bottom.
  std::vector<std::vector<std::size_t>> rows_;
};

}  // namespace

Layout lay_out(const std::vector<Box>& boxes, const std::vector<Arrow>& arrows, bool left_to_right) {
  if (boxes.empty()) return {};
  if (!left_to_right) return Layering(boxes, arrows).run();
  std::vector<Box> turned;
  for (const Box& box : boxes) turned.push_back({box.height, box.width});
  Layout layout = Layering(turned, arrows).run();
  std::swap(layout.width, layout.height);
  for (Point& point : layout.centres) std::swap(point.x, point.y);
  for (std::vector<Point>& route : layout.routes) {
    for (Point& point : route) std::swap(point.x, point.y);
  }
  return layout;
}

}  // namespace lockstep::render
