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
  std::set<std::string_view> values;  ///< Texts that the branches ask for, or members of `enumeration`.
  std::string_view enumeration;       ///< "Kind" of `x == Kind.A`; empty where texts are asked for.
};

/// The chain that ends with `last`, an `if` or `elif` of the module: each of its branches compares one attribute or
/// name with texts, or with members of one enumeration (`==`, `is`, `in`). Its subject is empty where one asks
/// something else.
ValueChain chain_ending_in(const python::FileFacts& facts, const python::If& last);

/// Whether no value is left that the chain does not ask for: all members of its enumeration; all values of a field of
/// that name, declared outside tests with `Literal[…]` wherever it is; where no class has one, all `choices` of the
/// arguments of that name, none of which may be left out without a default among them.
bool are_all_declared(const program::Program& program, const ValueChain& chain);

/// The same of a chain that asks for a parameter of `function` that is annotated with `Literal[…]`.
bool are_all_of_parameter(const python::FunctionDef* function, const ValueChain& chain);

}  // namespace lockstep::rules
