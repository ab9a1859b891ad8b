// What the change of a signature asks of those who call it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A change of a signature that was told: of a method, of which overrides may change alike.
struct ToldSignature {
  std::string method;  ///< Its own name; empty for functions.
  std::string what;
  std::vector<std::string> names;
  std::vector<const change::EntityChange*> entities;
  std::size_t risk = 0;  ///< Which one says so.
};

/// One risk for all parameters of the function that come, go or differ; none where none does. Methods of one name of
/// which the same changes share one. `told` is what was told so far.
void add_signature(const DocumentInputs& inputs, const Actor& actor, std::vector<ToldSignature>& told,
                   std::vector<Risk>& risks);

/// One risk for a function that has the name now which another one had, and takes something else than that one did.
void add_exchanged_name(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks);

/// One risk for a class that was made without arguments and gets a constructor that asks for some.
void add_new_constructor(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks);

/// One risk for private methods that take something new and that subclasses override: what calls the method may pass it
/// to any of them. Of public ones add_signature says so.
void add_bound_overrides(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

/// A risk where a method becomes a property, or the other way round.
void add_property(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks);

}  // namespace lockstep::report
