// `if x.kind == "a": … elif x.kind == "b": …` -> the values that the branches of a chain ask for, and whether the
// declaration of what they ask leaves no other.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "program/program.h"

namespace lockstep::rules {

struct ValueChain {
  std::string subject;                ///< "args.kind", as it is written; empty: the branch stands in no such chain.
  std::string_view name;              ///< "kind".
  std::set<std::string_view> values;  ///< Texts that the branches ask for.
};

/// The chain that ends with `last`, an `if` or `elif` of the module: each of its branches compares one attribute or
/// name with texts (`==`, `in`). Its subject is empty where one asks something else.
ValueChain chain_ending_in(const python::FileFacts& facts, const python::If& last);

/// Whether a field of that name is declared, outside tests, with `Literal[…]` of these values alone, wherever it is
/// declared.
bool are_all_declared(const program::Program& program, std::string_view name, const std::set<std::string_view>& values);

}  // namespace lockstep::rules
