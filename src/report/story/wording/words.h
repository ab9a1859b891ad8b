// Code -> plain English: conditions ("`x` is `None`") and what a step does ("waits for the event on the host").
// Everything said is read off the tree, the call graph and a table of well-known calls (source/apis.h); sentences are
// marked text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"
#include "program/program.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/story/steps/steps.h"

namespace lockstep::report {

/// What the describing functions may look at: one function on one side.
struct WordsContext {
  const program::Program* program = nullptr;
  const mesh::MeshAnalysis* mesh = nullptr;  ///< May be null.
  program::FunctionId function;
  const SourceText* source = nullptr;
  bool is_brief = false;  ///< Callees without their places and docstrings.
};

/// A clause that reads after "when": "`x` is `None`", "no `a` of `b` has `c`". Negated on demand.
std::string condition_words(const python::Expr& condition, const SourceText& source, bool negated = false);
/// "when `a` and not `b`" of guards, without loops, tries and `if __name__ == "__main__":`; at most `limit` of them,
/// the innermost.
std::string guards_words(const std::vector<Guard>& guards, const SourceText& source, std::size_t limit = 3);

/// "`a` is set and `b` is not set": the branches of `function` that hold `step`, its own condition left out; at most
/// the innermost `limit`. Empty where it stands in none.
std::string where_words(const python::Node& function, const Step& step, const SourceText& source,
                        std::size_t limit = 4);
/// The same, each by itself, the outer first; where they are too long, the inner ones, and "more holds" behind them.
std::vector<std::string> where_parts(const python::Node& function, const Step& step, const SourceText& source,
                                     std::size_t limit = 4);

/// A sentence as a part of another: with a small first letter and no full stop.
std::string as_clause(std::string sentence);

/// A verb phrase in the third person without a full stop: "sets `x` to `y`", "returns `z`". Empty for steps that say
/// nothing (pass, global, a lone constant).
std::string step_words(const Step& step, const WordsContext& context);
/// What a call does: internal callee with its docstring, known external effect, or the bare call.
std::string call_words(const python::Call& call, const WordsContext& context);
/// Sentences, one a top-level step of [first, last): nested steps are told within it, up to `most` of them.
std::vector<std::string> block_words(const std::vector<Step>& steps, std::size_t first, std::size_t last,
                                     const WordsContext& context, std::size_t most = 6, std::size_t most_nested = 4);

/// The collective that `call` is, or null.
const mesh::CollectiveSite* collective_at(const WordsContext& context, const python::Node* call);
/// `site`, one below the calls `through`, with the group that these calls give it, where all give it one that is known.
mesh::CollectiveSite as_called(const mesh::CollectiveSite& site, const mesh::MeshAnalysis& mesh,
                               const std::vector<program::CallId>& through);
/// "`all_reduce` over the tensor-parallel group (tp)".
std::string collective_words(const mesh::CollectiveSite& site, const mesh::MeshAnalysis& mesh);

/// What a call does with a function that it does not call itself: it registers it as a hook or callback, or hands it on
/// in another way (to a thread, a pool, a wrapper); or that it calls the function as one that was looked up by a name.
enum class Handing : std::uint8_t { kNone, kRegisters, kHandsOn, kLooksUp };
Handing handing_of(const program::CallSite& site, program::FunctionId function);

/// Functions of the repository that a call surely or possibly enters, constructors and forwards included; not those
/// that it only hands on.
std::vector<program::FunctionId> callees_of(const program::Program& program, const python::Node* call);
/// The external dotted name a call surely reaches, or empty.
std::string_view external_callee(const program::Program& program, const python::Node* call);
/// What is known of a call that enters nothing of the repository: by what it calls, or by the name of the method on a
/// value of unknown class; null where nothing is.
const KnownApi* known_work(const program::Program& program, const python::Call& call);

}  // namespace lockstep::report
