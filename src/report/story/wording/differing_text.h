// Two texts of which one became the other -> both on one line, short, with what differs in sight.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Both texts on one line, cut to `limit` characters around the first difference; what differs is shown whole where it
/// fits.
std::pair<std::string, std::string> where_they_differ(const SourceText& before_source, Span before,
                                                      const SourceText& after_source, Span after, std::size_t limit);

/// The arguments of `call` that `other` does not have alike, as they are written; each stretch of those that it has is
/// one "\u2026".
std::vector<std::string> own_arguments(const SourceText& source, const python::Call& call,
                                       const SourceText& other_source, const python::Call& other);

/// Of a statement that does nothing but one call, or gives its result on, before and after: both on one line, with
/// "\u2026" for the arguments that stay. nullopt where they call different things, or differ in more than arguments.
std::optional<std::pair<std::string, std::string>> where_arguments_differ(const SourceText& before_source,
                                                                          const Step& before,
                                                                          const SourceText& after_source,
                                                                          const Step& after);

/// Source text before and after the change as code on one line, cut to `limit` characters so that what differs shows.
std::pair<std::string, std::string> short_codes(std::string_view before, std::string_view after,
                                                std::size_t limit = 60);

}  // namespace lockstep::report
