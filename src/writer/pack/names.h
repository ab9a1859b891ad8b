// A change -> the names that its changed lines define, hand over, call, import or drop, and where else they stand. The
// state of objects is left to state.h; this is for what has no owner: parameters, arguments, functions, modules,
// options, variables of the environment. Whoever judges a change looks for these first.
//
// By name alone, as a search of the text would find them, but by what each line does with the name: where it decides
// something says more than where it is handed on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"
#include "writer/pack/state.h"

namespace lockstep::writer {

/// What the changed lines do with a name, the most telling last.
enum class NameUse : std::uint8_t { kImports, kCalls, kDefines, kPasses, kDrops, kOption, kTakes };

struct NameMention {
  NameUse use = NameUse::kCalls;
  bool is_before = false;  ///< Only lines that the change takes away have it.
  std::string path;
  std::uint32_t line = 0;  ///< From 0.
};

/// Of the changed lines outside tests (of tests, where nothing else changes).
std::map<std::string, NameMention, std::less<>> names_of_change(const report::DocumentInputs& inputs,
                                                                const report::Story& story);

struct NameSite {
  /// What a line does with the name, the most telling first.
  enum class Kind : std::uint8_t {
    kDecides,
    kSets,
    kGives,
    kDefines,
    kCalls,
    kReads,
    kHandsOn,
    kLocal,
    kImports,
    kSays
  };
  Kind kind = Kind::kReads;
  program::FunctionId function;  ///< That holds it, the module's body at worst.
  std::uint32_t line = 0;        ///< From 0.
};

/// One name, and where it stands outside the diff and outside tests: the most telling lines first.
struct ChangedName {
  std::string name;
  NameMention mention;
  std::vector<NameSite> sites;
  std::size_t in_tests = 0;  ///< Lines of tests that have it.
};

/// What a change leads to by name.
struct Leads {
  std::vector<StateName> state;
  std::vector<ChangedName> names;
};
Leads find_leads(const report::DocumentInputs& inputs, const report::Story& story);

/// The likeliest leads first; names of `state` are left out, and those that stand everywhere.
std::vector<ChangedName> find_names(const report::DocumentInputs& inputs, const report::Story& story,
                                    const std::vector<StateName>& state);

}  // namespace lockstep::writer
