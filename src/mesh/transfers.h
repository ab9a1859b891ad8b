// What one function does around a call that starts a transfer: the group that its operations name, and whether the
// same function waits for it. Read from the tree alone, without values.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::mesh {

/// Source text of the group that every `P2POp(…)` of `function` names, where the operations given to the
/// `batch_isend_irecv` at `batch` are surely those; else empty.
std::string group_of_operations(const python::Node& function, const python::Call& batch, const SourceText& source);

/// What one function may wait for. Read once, then asked for each of its calls.
class Waits {
 public:
  Waits(const python::Node& function, const SourceText& source);
  /// Whether the function itself may wait for what `call` gives: by `.wait()` on it, on what it is kept in, or on what
  /// a loop takes out of that.
  [[nodiscard]] bool waits_for(const python::Call& call) const;

 private:
  /// What a value goes to: names, or a wait. A name stands for all that it ever holds.
  struct Flow {
    std::vector<std::string_view> targets;
    bool is_wait = false;
  };

  void look(const python::Node& node);
  void passes(const python::Expr* value, const python::Expr* target);
  void add(const python::Expr& value, Flow flow);

  const SourceText& source_;
  std::vector<Flow> flows_;
  std::unordered_map<const python::Expr*, std::vector<std::size_t>> by_call_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_path_;
};

}  // namespace lockstep::mesh
