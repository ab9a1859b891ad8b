// Assignments to attributes that become calls which get the attribute's name:
//   model.config.flash_decode = False     ->     set_everywhere(model, "flash_decode", False)
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// All that one function sets of one object by one other function now; two assignments or more.
struct NamedStores {
  std::string call;                     ///< "set_everywhere(model, …)".
  std::string object;                   ///< "model.config".
  std::vector<std::string> attributes;  ///< In the order of the source, each once.
  std::vector<std::size_t> after;       ///< The calls.
  std::vector<std::size_t> before;      ///< The assignments, in the order of their calls.
};

/// A call counts as taking an assignment's place where it gets the attribute's name and the same value.
std::vector<NamedStores> named_stores(const Actor& actor);

/// "sets `a` and `b` by `f(model, …)` at 3 places, where it set these attributes of `model.config` itself".
std::string named_stores_words(const NamedStores& stores);

/// Whether the step of the before side, or of the after side, is among them.
bool is_named_store_before(const std::vector<NamedStores>& all, std::size_t index);
bool is_named_store_after(const std::vector<NamedStores>& all, std::size_t index);

}  // namespace lockstep::report
