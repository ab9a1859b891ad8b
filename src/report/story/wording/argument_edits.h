// Two calls of one callee -> what they give otherwise, in words.
#pragma once

#include <optional>
#include <string>

#include "report/story/steps/steps.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

/// "also passes a to f", "no longer passes b to f", where only arguments differ; empty for others, and where that is
/// too much to say.
std::string argument_words(const python::Call& before, const WordsContext& before_context, const python::Call& after,
                           const WordsContext& after_context);

/// What a call gives that it did not give, as marked text.
struct AddedArguments {
  std::string arguments;               ///< "`group=g` and `timeout=t`"
  std::string callee;                  ///< "`torch.distributed.barrier`"
  const python::Call* call = nullptr;  ///< Of the new version.
};

/// Of a plain step whose value differs in one call: what that gives besides; nothing where it no longer gives something
/// that it gave.
std::optional<AddedArguments> added_arguments(const Step& before, const WordsContext& before_context, const Step& after,
                                              const WordsContext& after_context);

/// "also passes … to …".
std::string passed_words(const std::string& arguments, const std::string& callees);

/// Whether two calls of one callee differ in nothing but locals that stand for their values.
bool only_locals_differ(const python::Call& before, const WordsContext& before_context, const python::Call& after,
                        const WordsContext& after_context);

}  // namespace lockstep::report
