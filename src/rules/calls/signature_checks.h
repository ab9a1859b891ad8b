// The checks of signature-mismatch on one program: calls, unpackings and overrides that do not fit what they reach.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rules/hits.h"

namespace lockstep::rules {

/// Which of them are made.
struct SignatureChecks {
  bool calls = true;  ///< Calls and positions.
  bool dataclasses = true;
  bool unpackings = true;
  bool overrides = true;
  std::optional<std::unordered_set<std::string_view>> names;  ///< Last parts of what is called; everything if absent.

  [[nodiscard]] bool wants(std::string_view name) const { return !names || names->contains(name); }
  [[nodiscard]] bool wants(const program::Program& program, const program::CallSite& site) const;
};

/// `changed`: calls are looked at where they, or what they may reach, stand in one of these modules; in all, where it
/// is null. In a `review`, calls of tests that did not fit before the change either are left out, unless it wrote them
/// anew.
std::vector<Hit> find_misfits(const program::Program& program, const ChangedModules* changed,
                              const SignatureChecks& wanted, const RuleContext* review = nullptr);

}  // namespace lockstep::rules
