// Arena, typed ids and tables, hashing, worker pool, timings.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "base/arena.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/table.h"
#include "base/timings.h"
#include "base/worker_pool.h"

namespace lockstep {
namespace {

TEST(Arena, ValuesAreAlignedAndStay) {
  Arena arena;
  std::vector<std::uint64_t*> numbers;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    arena.make<char>('x');
    numbers.push_back(arena.make<std::uint64_t>(i));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(numbers.back()) % alignof(std::uint64_t), 0u);
  }
  const Arena moved = std::move(arena);
  for (std::uint64_t i = 0; i < 10'000; ++i) EXPECT_EQ(*numbers[i], i);
}

TEST(Arena, CopiesOwnTheirBytes) {
  Arena arena;
  std::string text = "hello";
  const std::string_view copy = arena.copy(std::string_view(text));
  text = "other";
  EXPECT_EQ(copy, "hello");
  const std::vector<int> numbers = {1, 2, 3};
  const std::span<int> copied = arena.copy(std::span<const int>(numbers));
  EXPECT_EQ(std::vector<int>(copied.begin(), copied.end()), numbers);
  EXPECT_TRUE(arena.copy(std::string_view()).empty());
  EXPECT_TRUE(arena.copy(std::span<const int>()).empty());
}

TEST(Arena, LargeValuesGetBlocksOfTheirOwn) {
  Arena arena;
  const std::string large(5u << 20, 'x');
  EXPECT_EQ(arena.copy(std::string_view(large)), large);
}

TEST(Arena, KeepsItsValuesWhenOthersFillTheSameBlock) {
  std::vector<Arena> arenas(64);
  std::vector<std::vector<std::uint32_t*>> values(arenas.size());
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < arenas.size(); ++i) {
      for (std::uint32_t k = 0; k < 3000; ++k) values[i].push_back(arenas[i].make<std::uint32_t>(i * 10'000 + k));
      arenas[i].close();
    }
    // What other arenas share a block with stays when one of them goes.
    arenas[round * 7] = Arena();
    values[round * 7].clear();
  }
  for (std::uint32_t i = 0; i < arenas.size(); ++i) {
    for (std::size_t k = 0; k < values[i].size(); ++k) {
      ASSERT_EQ(*values[i][k], i * 10'000 + static_cast<std::uint32_t>(k % 3000));
    }
  }
}

TEST(Arena, IsFilledOnSeveralThreadsAtOnce) {
  std::vector<Arena> arenas(200);
  std::vector<std::vector<std::size_t*>> values(arenas.size());
  parallel_for(arenas.size(), 4, [&](std::size_t i) {
    for (std::size_t k = 0; k < 1000; ++k) values[i].push_back(arenas[i].make<std::size_t>(i));
    arenas[i].close();
  });
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    for (const std::size_t* value : values[i]) ASSERT_EQ(*value, i);
  }
}

struct AppleTag;
using AppleId = Id<AppleTag>;

TEST(Table, IdsAreDenseAndTyped) {
  Table<AppleId, std::string> table;
  const AppleId first = table.add("a"), second = table.add("b");
  EXPECT_EQ(table[first], "a");
  EXPECT_EQ(table[second], "b");
  EXPECT_EQ(second.index(), 1u);
  EXPECT_LT(first, second);
  EXPECT_FALSE(AppleId().valid());
  EXPECT_TRUE(first.valid());
  EXPECT_EQ(table.size(), 2u);
  static_assert(sizeof(AppleId) == 4);
}

TEST(TableDeathTest, AnIdOutOfRangeStopsTheProgram) {
  const Table<AppleId, int> table;
  EXPECT_DEATH(static_cast<void>(table[AppleId(std::size_t{3})]), "does not hold");
}

TEST(Hash, IsFixedForAllMachines) {
  EXPECT_EQ(hash128_hex(""), "99aa06d3014798d86001c324468d497f");  // XXH3's own test value for no input.
  EXPECT_EQ(hash128_hex("a").size(), 32u);
  EXPECT_NE(hash64("a"), hash64("b"));
  EXPECT_NE(hash64("a", 1), hash64("a", 2));
  std::unordered_map<std::string, int, TextHash, std::equal_to<>> map = {{"key", 1}};
  EXPECT_EQ(map.find(std::string_view("key"))->second, 1);
}

TEST(ParallelFor, EveryItemIsDoneOnce) {
  for (const std::size_t jobs : {0u, 1u, 2u, 7u, 64u}) {
    std::vector<std::atomic<int>> counts(1000);
    parallel_for(counts.size(), jobs, [&](std::size_t i) { ++counts[i]; });
    for (const std::atomic<int>& count : counts) ASSERT_EQ(count.load(), 1) << jobs;
  }
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
  EXPECT_GE(default_job_count(), 1u);
}

TEST(ResultType, FailCarriesMessageAndNextStep) {
  const auto broken = []() -> Result<int> { return fail("no file x", "name another"); };
  const Result<int> result = broken();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no file x");
  EXPECT_EQ(result.error().next_step, "name another");
}

TEST(TimingsTable, PhasesStandInTheOrderInWhichTheyStarted) {
  Timings timings;
  {
    const auto outer = timings.time("outer");
    const auto inner = timings.time("inner");
  }
  ASSERT_EQ(timings.phases().size(), 2u);
  EXPECT_EQ(timings.phases()[0].name, "outer");
  EXPECT_GE(timings.phases()[0].milliseconds, timings.phases()[1].milliseconds);
  EXPECT_GT(timings.phases()[1].peak_memory_bytes, 0u);
  EXPECT_NE(timings.to_text().find("inner"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
