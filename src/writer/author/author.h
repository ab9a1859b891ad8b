// Lockstep's own document and a model -> the same document with prose by the model in the sections that are its to
// write.
//
// Headings, code, tables, diagrams, quotes of the author and all other sections stay Lockstep's. The model writes all
// its parts in one answer, so that they tell one story; what it writes is checked sentence by sentence. Where it cannot
// or will not write one, Lockstep's own text stays. The last section says what came of it all.
#pragma once

#include <string>

#include "writer/author/toolbox.h"
#include "writer/cited_sides.h"
#include "writer/model/chat.h"
#include "writer/pack/pieces.h"

namespace lockstep::writer {

struct AuthorInputs {
  const PackInputs& pack;
  const CitedSides& sides;
  Model& model;
  const ToolBox* tools = nullptr;  ///< May be null.
  std::string model_name;
  std::string language = "en";
  bool proofreads = false;  ///< The model reads what it wrote again and corrects it (explain and dive).
  /// Set, where it is given, to why the model wrote nothing at all; left alone where it wrote something.
  std::string* why_nothing = nullptr;
};

/// `own` is Lockstep's document of this purpose (explain or dive).
report::Document author_document(Purpose purpose, report::Document own, const AuthorInputs& inputs);

}  // namespace lockstep::writer
