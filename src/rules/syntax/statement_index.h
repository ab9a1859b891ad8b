// The statements of a file by place: which one holds a byte, and which are around it. Made once, each question costs
// the logarithm of the file, where a walk from the root costs the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "python/facts.h"

namespace lockstep::rules {

class StatementIndex {
 public:
  /// The tree must outlive it.
  explicit StatementIndex(const python::FileFacts& facts);

  /// The statements that hold the place, the innermost first.
  [[nodiscard]] std::vector<const python::Stmt*> around(std::uint32_t place) const;
  /// The innermost of them; null where there is none.
  [[nodiscard]] const python::Stmt* at(std::uint32_t place) const;

 private:
  struct Row {
    const python::Stmt* statement = nullptr;
    std::size_t holder = 0;  ///< The row of the statement around it; its own where there is none.
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t row_at(std::uint32_t place) const;
  [[nodiscard]] std::size_t holder_of(std::size_t row) const;

  std::vector<Row> rows_;  ///< In the order of the source, each before those inside it.
};

}  // namespace lockstep::rules
