// Pages are filled beside whoever writes to them: what is in them stays, whatever becomes of the table meanwhile.
#include "base/page_filler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

namespace lockstep {
namespace {

constexpr std::size_t kCount = (std::size_t{8} << 20) / sizeof(std::uint32_t);

TEST(FillPages, KeepsWhatIsWritten) {
  HugeVector<std::uint32_t> table(kCount / 2);
  std::iota(table.begin(), table.end(), 1u);
  table.reserve(kCount);
  std::thread filler([room = std::vector{pages_of(table, 0, kCount)}] { fill_pages(room); });
  for (std::size_t i = table.size(); i < kCount; ++i) table.push_back(static_cast<std::uint32_t>(i + 1));
  filler.join();
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(table[i], i + 1);
}

TEST(FillPages, OutlivesItsTable) {
  std::vector<PageRange> gone;
  for (int round = 0; round < 8; ++round) {
    HugeVector<std::uint32_t> table;
    table.reserve(kCount);
    gone.push_back(pages_of(table, 0, kCount));
  }
  HugeVector<std::uint32_t> other(kCount, 7u);
  fill_pages(gone);
  EXPECT_TRUE(std::all_of(other.begin(), other.end(), [](std::uint32_t each) { return each == 7; }));
}

TEST(FillPages, TablesWithoutPagesOfTheirOwnGiveNone) {
  HugeVector<std::uint32_t> table(16);
  EXPECT_EQ(pages_of(table, 0, 16).size_bytes, 0u);
  HugeVector<std::uint32_t> large(kCount);
  EXPECT_EQ(pages_of(large, kCount, kCount + 5).size_bytes, 0u);
  EXPECT_EQ(pages_of(large, 0, large.capacity() * 2).size_bytes, large.capacity() * sizeof(std::uint32_t));
}

}  // namespace
}  // namespace lockstep
