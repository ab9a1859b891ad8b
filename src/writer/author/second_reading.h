// The proposals of a model, read a second time: held against the code, put to the model to refute them; what is left of
// them -> findings of the report, what stays open -> questions for the author.
#pragma once

#include "render/findings.h"
#include "report/report.h"
#include "report/review/summary.h"
#include "report/story/story.h"
#include "writer/author/author.h"
#include "writer/author/conversation.h"
#include "writer/author/proposals.h"
#include "writer/author/section_writer.h"

namespace lockstep::writer {

/// What the reading needs, and what it adds to.
struct SecondReading {
  const AuthorInputs& inputs;
  const report::Story& story;
  Conversation& conversation;
  SectionWriter& writer;
  report::Report& report;   ///< Gets what survives.
  Tally& tally;             ///< Gets what became of the proposals.
  render::ModelPart& part;  ///< Gets the second reader's reasons, by fingerprint.
};

/// Takes out of `opinion.looked_into` what is refuted. `material`: what the first reading was shown.
void read_again(SecondReading reading, Opinion& opinion, const Material& material, report::Summary& summary);

}  // namespace lockstep::writer
