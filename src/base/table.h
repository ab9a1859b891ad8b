// A dense table indexed by a typed id.
#pragma once

#include <utility>

#include "base/check.h"
#include "base/huge_pages.h"
#include "base/ids.h"

namespace lockstep {

/// Rows of `T`, addressed by `IdType`. Ids are handed out by `add` in order and stay valid: rows are never removed.
template <class IdType, class T>
class Table {
 public:
  IdType add(T row) {
    rows_.push_back(std::move(row));
    return IdType(rows_.size() - 1);
  }
  [[nodiscard]] const T& operator[](IdType id) const {
    CHECK(id.index() < rows_.size());
    return rows_[id.index()];
  }
  [[nodiscard]] T& operator[](IdType id) {
    CHECK(id.index() < rows_.size());
    return rows_[id.index()];
  }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  void reserve(std::size_t count) { rows_.reserve(count); }
  [[nodiscard]] auto begin() const { return rows_.begin(); }
  [[nodiscard]] auto end() const { return rows_.end(); }
  [[nodiscard]] auto begin() { return rows_.begin(); }
  [[nodiscard]] auto end() { return rows_.end(); }

 private:
  HugeVector<T> rows_;
};

}  // namespace lockstep
