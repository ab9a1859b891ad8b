// Tables by op, where ops are those of the modules' own code and copies of them; and lists of ops that wait for
// something.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "base/worker_pool.h"
#include "program/flow/code.h"

namespace lockstep::program::flow {

using OpId = std::uint32_t;

/// Ops of the modules' own code count from 0, their copies from here: both grow. Far enough from either end that two
/// bits of a key (KeyMap) that starts with an op stay free for what it is about.
inline constexpr OpId kFirstCopy = 1u << 29;
inline bool is_copy(OpId op) { return op >= kFirstCopy; }

/// A table by op.
template <class T>
struct ByOp {
  HugeVector<T> own;     ///< Of the modules' own code.
  HugeVector<T> copies;  ///< By op less kFirstCopy.
  T& operator[](OpId op) { return is_copy(op) ? copies[op - kFirstCopy] : own[op]; }
  const T& operator[](OpId op) const { return is_copy(op) ? copies[op - kFirstCopy] : own[op]; }
};

/// Ops whose slots were empty when last looked at. Slots never lose values, so each round looks at these and at what
/// is new.
struct EmptyOps {
  std::vector<OpId> ops;
  OpId seen = 0;
  OpId copies_seen = kFirstCopy;
  /// Gives those about which something can be done, in order. Both questions only read; they are asked on `jobs`
  /// threads, the second of ops for which the first was answered with yes.
  template <class IsEmpty, class IsReady>
  std::vector<OpId> update(std::size_t own_count, std::size_t copy_count, std::size_t jobs, IsEmpty&& is_empty,
                           IsReady&& is_ready) {
    std::vector<OpId> ready;
    const std::vector<OpId> known = std::exchange(ops, {});
    const auto add = [&](std::size_t count, auto&& op_at) {
      struct Found {
        std::vector<OpId> empty, ready;
      };
      constexpr std::size_t kChunk = std::size_t{1} << 15;
      std::vector<Found> found((count + kChunk - 1) / kChunk);
      parallel_for(found.size(), jobs, [&](std::size_t chunk) {
        for (std::size_t i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i) {
          const OpId id = op_at(i);
          if (!is_empty(id)) continue;
          found[chunk].empty.push_back(id);
          if (is_ready(id)) found[chunk].ready.push_back(id);
        }
      });
      for (const Found& each : found) {
        ops.insert(ops.end(), each.empty.begin(), each.empty.end());
        ready.insert(ready.end(), each.ready.begin(), each.ready.end());
      }
    };
    add(known.size(), [&](std::size_t i) { return known[i]; });
    add(own_count - seen, [&](std::size_t i) { return seen + static_cast<OpId>(i); });
    add(kFirstCopy + copy_count - copies_seen, [&](std::size_t i) { return copies_seen + static_cast<OpId>(i); });
    seen = static_cast<OpId>(own_count);
    copies_seen = static_cast<OpId>(kFirstCopy + copy_count);
    return ready;
  }
};

}  // namespace lockstep::program::flow
