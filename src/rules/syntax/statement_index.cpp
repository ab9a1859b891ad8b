#include "rules/syntax/statement_index.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::rules {

using python::Stmt;

StatementIndex::StatementIndex(const python::FileFacts& facts) {
  std::vector<std::size_t> around;  // Rows of the statements around the one at hand.
  python::walk_statements(*facts.file->tree, python::Nested::kEnter, [&](const Stmt* statement) {
    while (!around.empty() && rows_[around.back()].statement->span.end <= statement->span.begin) around.pop_back();
    const std::size_t own = rows_.size();
    rows_.push_back({statement, around.empty() ? own : around.back()});
    around.push_back(own);
  });
}

std::size_t StatementIndex::holder_of(std::size_t row) const {
  return rows_[row].holder == row ? kNone : rows_[row].holder;
}

std::size_t StatementIndex::row_at(std::uint32_t place) const {
  const auto behind = std::upper_bound(rows_.begin(), rows_.end(), place,
                                       [](std::uint32_t at, const Row& row) { return at < row.statement->span.begin; });
  std::size_t row = behind == rows_.begin() ? kNone : static_cast<std::size_t>(behind - rows_.begin()) - 1;
  while (row != kNone && place >= rows_[row].statement->span.end) row = holder_of(row);
  return row;
}

const Stmt* StatementIndex::at(std::uint32_t place) const {
  const std::size_t row = row_at(place);
  return row == kNone ? nullptr : rows_[row].statement;
}

std::vector<const Stmt*> StatementIndex::around(std::uint32_t place) const {
  std::vector<const Stmt*> statements;
  for (std::size_t row = row_at(place); row != kNone; row = holder_of(row)) statements.push_back(rows_[row].statement);
  return statements;
}

}  // namespace lockstep::rules
