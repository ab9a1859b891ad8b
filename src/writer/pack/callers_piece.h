// Who calls what changes, outside tests: of each changed function its call sites with the conditions around them and
// what they give the parameters that the change is about. As facts of a pack, and as tables that a document can place.
#pragma once

#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/inputs.h"
#include "report/story/story.h"
#include "writer/pack/pieces.h"

namespace lockstep::writer {

/// One piece for each function, those that carry the change with twelve sites, others with five; not completed. Those
/// of others, and of what is called from new lines alone, are kFurtherCallers. Where nothing that could be called
/// changes, one that says so.
std::vector<Piece> callers_pieces(const report::DocumentInputs& inputs, const report::Story& story);

/// Of the functions that carry the change and are called from several places: each as a table of its call sites, in the
/// given language.
std::vector<report::Block> callers_tables(const report::DocumentInputs& inputs, const report::Story& story,
                                          std::string_view language);

}  // namespace lockstep::writer
