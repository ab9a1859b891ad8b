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
    std::unordered_map<const python::FileFacts*, int> counts;
    for (const SourceFile& file : first) ++counts[file.facts.get()];
    for (const SourceFile& file : second) counts[file.facts.get()] += kOfSecond;
    for (const auto& [facts, count] : counts) {
      if (count == 1 + kOfSecond) entries_.try_emplace(facts);
    }
  }

  /// Null for files that are not shared.
  Entry* find(const python::FileFacts& facts) {
    const auto found = entries_.find(&facts);
    return found == entries_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr int kOfSecond = 1 << 16;
  std::unordered_map<const python::FileFacts*, Entry> entries_;
};

/// A program's end of the code that it shares; none for a program that is linked alone.
struct CodeShare {
  SharedCode* code = nullptr;
  bool from_the_end = false;  ///< One of the two starts with the last file, so that they meet in the middle.
};

}  // namespace lockstep::program::flow
