// Tables of an immutable whole, made when first asked for: one of each type, whichever thread asks first.
#pragma once

#include <memory>
#include <mutex>
#include <typeindex>
#include <unordered_map>

namespace lockstep {

class DerivedTables {
 public:
  /// The table of the type; made by `make()`, which gives a shared pointer to it and may ask for tables of other types.
  /// Where that throws there is none, and the next to ask tries again.
  template <class T, class Make>
  const T& get(const Make& make) {
    Entry& entry = entry_of(typeid(T));
    std::call_once(entry.once, [&] { entry.table = make(); });
    return *static_cast<const T*>(entry.table.get());
  }

 private:
  struct Entry {
    std::once_flag once;
    std::shared_ptr<const void> table;
  };
  Entry& entry_of(std::type_index type) {
    const std::lock_guard lock(mutex_);
    return entries_[type];  // Entries of an unordered_map stay where they are.
  }

  std::mutex mutex_;
  std::unordered_map<std::type_index, Entry> entries_;
};

}  // namespace lockstep
