// What became of what a model wrote -> the last section of a document: what was checked, mended, dropped, and what
// nobody could check; which sections are the model's, and why others are not.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/document.h"

namespace lockstep::writer {

struct Tally {
  std::size_t sentences = 0;  ///< That the model wrote.
  std::size_t claims = 0;     ///< Held against the code.
  std::size_t mended = 0;     ///< Sentences that were false and hold now.
  std::size_t corrected = 0;  ///< Sentences and drawings that the model put right when it read them again,
  std::size_t withdrawn = 0;  ///< and those that it took back.
  std::size_t unchecked = 0;  ///< Sentences without anything that can be held.
  std::size_t removed = 0;    ///< Blocks, links and images that a model must not place.
  std::map<std::string, std::map<std::string, std::size_t>> dropped;  ///< Section -> kind of fault -> sentences.
  std::vector<std::string> written;                                   ///< Sections by the model, as marked text.
  std::vector<std::pair<std::string, std::string>> kept;              ///< Section -> why it is Lockstep's own.
  std::vector<std::string> cut;                ///< Sections that end where the model was cut off.
  std::set<std::string, std::less<>> prompts;  ///< "explain-what v1"
  std::vector<std::string> remarks;            ///< Further sentences, marked text.
  std::size_t requests = 0;                    ///< For code and drawings that the model asked to have placed.
  std::size_t refused = 0;                     ///< Of them: nothing of it stands in the code.
  bool has_notes = false;                      ///< Some of that code has comments by the model.
  bool has_boxes = false;                      ///< Some boxes of those drawings have its words, or an example is drawn.
  std::size_t questions = 0;
  std::size_t tool_calls = 0;
};

/// One fold: its line says how much was checked, dropped and left unchecked. `model` is its name.
report::Document tally_section(const Tally& tally, const std::string& model);
/// One paragraph for the top of the document.
std::string tally_note(const Tally& tally, const std::string& model);

}  // namespace lockstep::writer
