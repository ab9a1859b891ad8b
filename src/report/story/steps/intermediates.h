// The steps of a changed function that only work out locals for other changed steps -> known as such. What these do
// with the locals is what a reader asks for; the locals are how. Leaves out branches, which decide, names that nested
// functions, `global` or `nonlocal` share, and whatever an unchanged step reads: what that does changes with the value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A local and what it is.
struct LocalValue {
  std::string name;
  std::string words;              ///< "`n` being `a + b`", marked text.
  std::vector<LocalValue> inner;  ///< Those that its value reads, where they are short; theirs are left out.
};

class Intermediates {
 public:
  explicit Intermediates(const Actor& actor);

  /// Whether the new step `index` of the after side only sets such a local.
  [[nodiscard]] bool only_serves_after(std::size_t index) const { return after_[index]; }
  /// Whether all that the branch `index` of the after side holds does.
  [[nodiscard]] bool only_holds_serving(std::size_t index) const;
  /// The same as of `only_serves_after` of the removed step `index` of the before side.
  [[nodiscard]] bool only_serves_before(std::size_t index) const { return before_[index]; }
  /// The first local that the step `index` of the after side reads and that such steps set to one value; an empty one
  /// where it reads none, or where the value is long.
  [[nodiscard]] LocalValue value_read_at(std::size_t index) const;

 private:
  /// The value of a local that has one that is no constant and not longer; an empty one for others.
  [[nodiscard]] LocalValue value_of(std::string_view name, std::size_t longest) const;

  const Actor& actor_;
  std::vector<bool> after_;
  std::vector<bool> before_;
  std::map<std::string_view, std::vector<const python::Expr*>> values_;  ///< Of the after side.
};

}  // namespace lockstep::report
