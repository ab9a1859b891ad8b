// A change -> the state it works on, by name: attributes, items and options that its changed lines set or read, and
// where else in the code the same names are set, read, declared or spoken of in a comment. What a change breaks is
// often not what calls it but what reads, much later, the state that it wrote.
//
// By name alone, not by value: two classes may have an attribute of one name. Where both the change and the other code
// say `self`, classes that share no object are told apart. Tests are left out, and so is what the diff shows already.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::writer {

struct StateSite {
  enum class Kind : std::uint8_t { kSets, kReads, kDeclares, kComment };
  Kind kind = Kind::kReads;
  program::FunctionId function;  ///< That holds it, the module's body at worst.
  std::uint32_t line = 0;        ///< From 0.
};

/// One name, and where else it stands: of each function and kind the first place, the most telling functions first.
struct StateName {
  std::string name;
  bool is_set = false;  ///< By the changed lines; else they only read it.
  std::string path;     ///< Where the change names it first.
  std::uint32_t line = 0;
  std::vector<StateSite> sites;  ///< All of them.
  std::size_t in_tests = 0;      ///< Lines of tests that name it.
  /// Where methods of classes that share no object with those of the change have a `self.name` of their own: of each
  /// function and kind the first place.
  std::vector<StateSite> namesakes = {};
  /// Where the change names it only as `self.name`: the classes of these objects; else empty.
  std::set<program::ClassId> owners = {};
  /// The change asks objects for it by its name (`getattr(x, "name", None)`), and no code sets or defines it: a library
  /// brings it, or nothing does.
  bool is_from_outside = false;
};

/// What the change sets first, then what it reads; rare names before frequent ones.
std::vector<StateName> find_state(const report::DocumentInputs& inputs, const report::Story& story);

/// A function (or a module's body) that touches state of the change, by how many of its names.
struct StateUser {
  program::FunctionId function;
  std::vector<std::string> names;    ///< Of the state, in its order.
  std::vector<std::uint32_t> lines;  ///< Where, from 0.
  bool touches_set = false;          ///< Something that the change sets.
  std::size_t near = 0;              ///< Folders that it shares with the change.
};
/// The users of most names first, those outside the folder of the change last.
std::vector<StateUser> users_of(const program::Program& program, const std::vector<StateName>& state);

}  // namespace lockstep::writer
