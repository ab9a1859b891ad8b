// Lookup tables of a Program: built once by the linker, read by the Program's queries. Private to src/program.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "program/program.h"

namespace lockstep::program {

/// Open-addressing map from tree nodes to 4-byte values, for tables with an entry for every call site.
class NodeMap {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  void reserve(std::size_t count) {
    std::size_t capacity = 16;
    while (capacity < count * 2) capacity *= 2;
    slots_.assign(capacity, {nullptr, kNone});
  }
  /// Keeps the first value given for a node. `reserve` must have made room.
  void insert(const python::Node* node, std::uint32_t value) {
    Slot& slot = slots_[find(node)];
    if (slot.first == nullptr) slot = {node, value};
  }
  [[nodiscard]] std::uint32_t at(const python::Node* node) const {
    return slots_.empty() ? kNone : slots_[find(node)].second;
  }

 private:
  using Slot = std::pair<const python::Node*, std::uint32_t>;
  [[nodiscard]] std::size_t find(const python::Node* node) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (reinterpret_cast<std::uintptr_t>(node) >> 3) * 0x9e3779b97f4a7c15ull >> 20 & mask;
    while (slots_[at].first != nullptr && slots_[at].first != node) at = (at + 1) & mask;
    return at;
  }
  HugeVector<Slot> slots_;
};

template <class IdType>
using NameMap = std::unordered_map<std::string_view, IdType, TextHash, std::equal_to<>>;

/// A module's names: indices into the bindings of its module scope, sorted by name, then by place.
using ModuleNames = std::vector<std::pair<std::string_view, std::uint32_t>>;

struct Program::Index {
  NameMap<ModuleId> module_by_name;
  NameMap<ModuleId> module_by_path;
  NameMap<FunctionId> function_by_name;
  NameMap<ClassId> class_by_name;
  /// Folders without `__init__.py` that hold modules, as dotted names. Views into `texts`.
  std::unordered_set<std::string_view, TextHash, std::equal_to<>> namespaces;
  /// Dotted folder in which a module's own siblings are found without a package; empty for modules in packages.
  std::vector<std::string> script_folder;
  NodeMap functions_of_nodes;
  NodeMap classes_of_nodes;
  NodeMap calls_of_nodes;
  std::vector<ModuleNames> names;  ///< By module.
  /// By module, and in it by scope: the same of those below the module's that bind many names.
  std::vector<std::unordered_map<std::uint32_t, ModuleNames>> long_scopes;
  std::vector<std::vector<std::string_view>> all;  ///< By module: names listed in `__all__`, sorted.
  std::vector<std::vector<ClassId>> subclasses;    ///< By class.
  std::vector<std::uint32_t> caller_starts;        ///< By function, into `callers`; one more at the end.
  std::vector<CallId> callers;
  /// What calls in functions with callers that are told apart can enter after one of these; sorted. Only for calls that
  /// may enter several functions.
  struct CallerChoice {
    CallId entering;
    CallId call;
    FunctionId target;
    friend auto operator<=>(const CallerChoice&, const CallerChoice&) = default;
  };
  std::vector<CallerChoice> caller_choices;
  std::vector<bool> depends_on_caller;         ///< By call.
  NodeMap instance_lists;                      ///< Expression -> index into `instance_starts`.
  std::vector<std::uint32_t> instance_starts;  ///< Into `instances`; one more at the end.
  std::vector<ClassId> instances;
  std::deque<std::string> texts;  ///< Owns external names.
};

}  // namespace lockstep::program
