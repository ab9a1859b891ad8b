// What both sides of a change (or one tree) say of names that a sentence relates: who calls whom, what derives from
// what, defaults, constants, parameters. Asked by the last part of a name or by a dotted end of it, as people write
// them; the more things a name may mean, the more is true of it.
//
// Left out: what has no name in the repository, calls that no reading can find (getattr of a computed name).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/program.h"

namespace lockstep::writer {

class CitedFacts {
 public:
  /// `before` is null for one tree. Both must outlive the facts.
  CitedFacts(const program::Program* before, const program::Program& after);

  /// "f", "C.m", "pkg.mod.f", or "C" for its methods: whether either side defines it.
  [[nodiscard]] bool is_known_function(std::string_view name) const;
  /// The same, of functions and methods alone.
  [[nodiscard]] bool is_function(std::string_view name) const;
  [[nodiscard]] bool is_method(std::string_view name) const;
  [[nodiscard]] bool is_class(std::string_view name) const;
  /// The functions of one of the two programs that the name means; none for another program.
  [[nodiscard]] std::vector<program::FunctionId> functions_in(const program::Program& program,
                                                              std::string_view name) const;
  /// Whether code of either side can get from `caller` (a function, a class, or the path of a file) to `callee` in at
  /// most `hops` calls of whatever kind, or names it in its text.
  [[nodiscard]] bool reaches(std::string_view caller, std::string_view callee, std::size_t hops) const;
  /// Whether one function calls both, as a pipeline calls its steps.
  [[nodiscard]] bool share_caller(std::string_view a, std::string_view b) const;
  /// Whether the after side has a call of the one in the other that can mean nothing else.
  [[nodiscard]] bool calls_surely(std::string_view caller, std::string_view callee) const;
  /// Whether every function that `caller` may mean on the after side has a call that is written with the name `callee`,
  /// whatever it enters.
  [[nodiscard]] bool writes_call(std::string_view caller, std::string_view callee) const;
  /// Whether both sides have the function, and the change took from it a call that could mean nothing else: the after
  /// side does not get there in `hops` calls, nor names it in its text.
  [[nodiscard]] bool calls_no_more(std::string_view caller, std::string_view callee, std::size_t hops) const;
  /// Whether `base` is above `cls` on either side.
  [[nodiscard]] bool derives(std::string_view cls, std::string_view base) const;

  /// What is counted: places that call, or functions that have one.
  enum class CallUnit : std::uint8_t { kPlace, kCaller };
  /// In how many places a function is called, or a class made; more numbers than one where the name means several, or
  /// where it is not certain what a call enters. All empty: unknown name.
  struct CallCounts {
    std::set<std::size_t> all, outside_tests, in_tests;
    std::pair<std::size_t, std::size_t> shown;  ///< For people: outside tests, and with those in tests.
  };
  [[nodiscard]] CallCounts call_counts(std::string_view name, CallUnit unit) const;
  /// How many parameters functions called so take, in every way to count them; empty: unknown name.
  [[nodiscard]] std::set<std::size_t> parameter_counts(std::string_view name) const;
  /// How many parameters the change gave functions called so; empty: unknown, or new as a whole.
  [[nodiscard]] std::set<std::size_t> added_parameter_counts(std::string_view name) const;

  /// Source of what stands as the default of a field, parameter or command-line argument of either side: "3", "None",
  /// "action" for what an action of another kind gives. With `owner` (a class or function) of its own where it has any.
  [[nodiscard]] std::vector<std::string> defaults_of(std::string_view name, std::string_view owner = {}) const;
  /// Whether an option ("--x") is named by a string of the code that is no argument of add_argument: what is declared
  /// under its name need not be what it sets.
  [[nodiscard]] bool is_made_elsewhere(std::string_view option) const;
  /// Of those declared on that line (from 1) of a file; empty where none is declared there.
  [[nodiscard]] std::vector<std::string> defaults_at(std::string_view name, std::string_view path,
                                                     std::size_t line) const;
  /// What code of either side takes for a name of this spelling where nothing, or `None`, was given.
  struct Fallbacks {
    std::set<std::string> values;  ///< Source of those that are constants.
    bool is_open = false;          ///< One is worked out.
  };
  [[nodiscard]] Fallbacks fallbacks_of(std::string_view name) const;
  /// Whether a comment, a docstring or a help behind the name says that it defaults to the value.
  [[nodiscard]] bool documents_default(std::string_view name, std::string_view value) const;
  /// Source of what modules and class bodies of either side give a name that is written in capitals.
  [[nodiscard]] std::vector<std::string> constants_of(std::string_view name) const;

  /// What a place says of a name.
  enum class Stand : std::uint8_t {
    kUnknown,    ///< The file is no Python of either side.
    kNo,         ///< Nothing of that name is there.
    kYes,        ///< It is defined, called or mentioned there, or the lines are a part of its definition.
    kInHead,     ///< One line inside of its definition's signature or docstring, which does not mention it.
    kInside,     ///< The same, of its body.
    kOfAnother,  ///< Another class has what is defined there under this name.
  };
  /// Of lines [first, last], from 1.
  [[nodiscard]] Stand stands_at(std::string_view name, std::string_view path, std::size_t first, std::size_t last,
                                bool is_range, bool before) const;
  /// Whether a function of that name in the file has, on that line (from 1) of its body, the beginning of a call that
  /// may enter code of the repository: "`f` (`a.py:20`)" then tells where f calls what the sentence is about.
  [[nodiscard]] bool calls_on_line(std::string_view name, std::string_view path, std::size_t line, bool before) const;
  /// Whether a call of `function`, on either side, is given the function `handed` by its name: "`run` → `step`" then
  /// tells what `run` comes to call, however many calls are between.
  [[nodiscard]] bool is_handed_to(std::string_view handed, std::string_view function) const;
  /// The line (from 1) on which a file of a side defines the name; 0: it does not.
  [[nodiscard]] std::size_t definition_line(std::string_view name, std::string_view path, bool before) const;
  /// Whether a name that is a part of the file's path means a function or class of that file: one that stands at its
  /// top, or "C.m". False of "moe.router" in "moe/router.py", which is the module.
  [[nodiscard]] bool defines_beside_module(std::string_view name, std::string_view path) const;

 private:
  struct Side {
    const program::Program* program = nullptr;
    std::unordered_map<std::string_view, std::vector<program::FunctionId>> functions;  // by last name
    std::unordered_map<std::string_view, std::vector<program::ClassId>> classes;
    /// Calls of add_argument, by destination and options without dashes, and of set_defaults, by keyword.
    std::unordered_map<std::string, std::vector<program::CallId>> arguments;
  };
  static Side side_of(const program::Program* program);
  static void add_arguments(Side& side);
  [[nodiscard]] static std::vector<program::FunctionId> functions_named(const Side& side, std::string_view name);
  [[nodiscard]] static std::vector<program::ClassId> classes_named(const Side& side, std::string_view name);
  [[nodiscard]] static std::vector<program::FunctionId> functions_of(const Side& side, std::string_view name);
  [[nodiscard]] static std::vector<program::FunctionId> bodies_of(const Side& side, std::string_view name);
  [[nodiscard]] static bool reaches_in(const Side& side, std::string_view caller, std::string_view callee,
                                       std::size_t hops);
  [[nodiscard]] static bool calls_surely_in(const Side& side, std::string_view caller, std::string_view callee);
  [[nodiscard]] static bool derives_in(const Side& side, std::string_view cls, std::string_view base);
  struct DefaultQuery;
  /// `getattr(args, "name", 3)` and `.get("name", 3)`: what is taken where there is none.
  static void add_asked_defaults(const Side& side, std::string_view name, std::set<std::string>& defaults);
  static void add_defaults(const Side& side, const DefaultQuery& query, std::set<std::string>& defaults);

  std::vector<Side> sides_;  // after first
};

}  // namespace lockstep::writer
