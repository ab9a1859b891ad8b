// Code that two programs have in common: the unchanged files of the two sides of a change. Each file is lowered once,
// by whichever program comes to it first.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "program/flow/code.h"
#include "program/link.h"

namespace lockstep::program::flow {

class SharedCode {
 public:
  /// One file of both programs.
  class Entry {
   public:
    /// True for the first of the two that asks: it has to `publish` the code, and to ask for nothing before it has.
    bool claim() { return !is_claimed_.exchange(true); }
    void publish(std::shared_ptr<const ModuleCode> code) {
      code_ = std::move(code);
      is_ready_.store(true, std::memory_order_release);
      is_ready_.notify_one();
    }
    /// What the other program published; waits for it. To be asked once.
    std::shared_ptr<const ModuleCode> take() {
      is_ready_.wait(false, std::memory_order_acquire);
      return std::move(code_);
    }

   private:
    std::atomic<bool> is_claimed_ = false;
    std::atomic<bool> is_ready_ = false;
    std::shared_ptr<const ModuleCode> code_;
  };

  /// Shares the files that each holds once.
  SharedCode(const std::vector<SourceFile>& first, const std::vector<SourceFile>& second) {
    const Counts of_second = counts_of(second);
    for (const auto& [facts, count] : counts_of(first)) {
      const auto other = of_second.find(facts);
      if (count == 1 && other != of_second.end() && other->second == 1) entries_.try_emplace(facts);
    }
  }

  /// Null for files that are not shared.
  Entry* find(const python::FileFacts& facts) {
    const auto found = entries_.find(&facts);
    return found == entries_.end() ? nullptr : &found->second;
  }

 private:
  using Counts = std::unordered_map<const python::FileFacts*, int>;
  static Counts counts_of(const std::vector<SourceFile>& files) {
    Counts counts;
    for (const SourceFile& file : files) ++counts[file.facts.get()];
    return counts;
  }

  std::unordered_map<const python::FileFacts*, Entry> entries_;
};

/// A program's end of the code that it shares; none for a program that is linked alone.
struct CodeShare {
  SharedCode* code = nullptr;
  bool from_the_end = false;  ///< One of the two starts with the last file, so that they meet in the middle.
};

}  // namespace lockstep::program::flow
