// A document and what it is about → what in it is not true (writer/verify.h).
#pragma once

#include <string_view>

#include "driver/documents.h"
#include "driver/pipeline.h"
#include "writer/verify.h"

namespace lockstep::driver {

/// Holds a document about a change; its title, body and messages may be quoted freely.
writer::Verification verify_of_change(std::string_view document, const AnalysedChange& analysed,
                                      const ChangeWords& words);
/// Holds a document about a tree.
writer::Verification verify_of_tree(std::string_view document, const Tree& tree);

/// What documents about a change are held against: build it once to hold many. Refers to `analysed`.
writer::CitedSides cited_sides_of(const AnalysedChange& analysed, const ChangeWords& words);
writer::CitedSides cited_sides_of(const Tree& tree);

}  // namespace lockstep::driver
