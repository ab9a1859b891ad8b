// A call that a function no longer makes and that a new function makes: the work went there, in other words.
//   await self.trainer.push_weights.call()   ->   await self._trainer.push_weights.call()   in `Sync._push`
#pragma once

#include <map>
#include <optional>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether a step of the actor that goes is a call that a function which was there makes, and that changed lines surely
/// enter now: nothing goes.
bool is_done_by_callee(const DocumentInputs& inputs, const Actor& actor, const Step& gone);

/// Whether the function holds a statement that does what a plain step does, but for names.
bool is_alike_in(const python::Node& function, const SourceText& source, const Step& gone,
                 const SourceText& gone_source);

/// Whether a plain step of the actor that goes stands, but for names, in a function that the change brings and that the
/// actor defines or calls now, or is a collective that such a function issues over the group that it is given: it has
/// moved.
bool is_alike_in_new_function(const DocumentInputs& inputs, const Actor& actor, const Step& gone);

class TakenOn {
 public:
  explicit TakenOn(const DocumentInputs& inputs) : inputs_(inputs) {}

  /// ", which the new `Sync._push` does" of a step of the actor that goes: the one new function outside tests which
  /// makes a call of the same name on the same thing, by the last two parts of their names. Empty where none does,
  /// where several do, or where the actor itself makes such a call still. ", which `Base.finish`, called now, does"
  /// where a function that was there makes the very call, and changed lines surely enter it.
  std::string words(const Actor& actor, const Step& gone);

 private:
  const DocumentInputs& inputs_;
  /// By what is called: the new function that does it; null where several do. Found when first asked for.
  std::optional<std::map<std::string, const change::EntityChange*>> takers_;
};

}  // namespace lockstep::report
