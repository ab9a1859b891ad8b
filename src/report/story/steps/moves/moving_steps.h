// The two ends of code that moves from function to function: the steps that one loses, and those that others gain.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "report/story/steps/renamed_code.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Parameters of the function `node` and whatever it binds in its body; none of other nodes.
LocalNames locals_of(const python::Node* node);

/// The one thing that an assignment sets; null for others.
const python::Expr* target_of(const Step& step);
/// What an assignment, a lone call, a `return` or a `raise` calls; null for others.
const python::Call* main_call(const Step& step);

/// The words of a part of the source.
CodeWords words_of(const SourceText& source, Span span);
/// The words of a step; a type that it declares does nothing, and an `elif` asks what an `if` does.
CodeWords words_of(const SourceText& source, const Step& step);

/// What words name beyond their function: what is no local, and the attributes of what is one.
using NamedWords = std::set<std::string, std::less<>>;
/// Adds to `out` what these words of a function with these locals name so.
void add_named(const CodeWords& words, const LocalNames& locals, NamedWords& out);

/// A function outside tests that gains steps.
struct Holder {
  const Actor* actor = nullptr;
  std::vector<std::size_t> added;
  std::vector<CodeWords> words;  ///< Of these.
  LocalNames locals;
  NamedWords named;
};

/// How a run gets from the function that loses code to one that gains some.
struct Connection {
  const Holder* holder = nullptr;
  const python::Call* call = nullptr;  ///< Where the one calls the other itself.
  std::size_t site = Step::kNone;      ///< The step of the after side that makes this call.
  bool is_loose = false;               ///< No call that was found leads there: it may be looked up in a table, say.

  /// Steps of the version after of the function that gains them.
  [[nodiscard]] const std::vector<Step>& steps() const { return holder->actor->steps.after; }
};

/// A function that loses steps, and where they may have gone.
struct LosingFunction {
  Actor* actor = nullptr;
  LocalNames locals = {};             ///< Of the version before.
  std::vector<CodeWords> words = {};  ///< Of its steps before the change.
  std::vector<bool> taken = {};       ///< Of these: found for an earlier connection.
  std::vector<Connection> connections = {};
};

/// Whether decorators of the holder name all that the branch at step `head` of the before side compares with:
/// `@handler(Kind.START)` and `if kind == Kind.START:`.
bool is_registered_for(const Holder& holder, const LosingFunction& from, std::size_t head);

}  // namespace lockstep::report
