// Answers that are kept for each question. Any thread may ask; those that ask the same at once may each find it.
#pragma once

#include <mutex>
#include <unordered_map>
#include <utility>

namespace lockstep {

template <class Key, class Answer, class Hash = std::hash<Key>>
class Remembered {
 public:
  /// The answer to `key`: `find()`, which has to give the same whenever it is asked, and may ask for others.
  template <class Find>
  Answer of(const Key& key, const Find& find) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto at = known_.find(key); at != known_.end()) return at->second;
    }
    Answer found = find();
    const std::lock_guard lock(mutex_);
    return known_.try_emplace(key, std::move(found)).first->second;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::unordered_map<Key, Answer, Hash> known_;
};

}  // namespace lockstep
