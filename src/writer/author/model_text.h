// What a model wrote -> paragraphs and lists of a document, sentence by sentence, so that each can be held against the
// code, mended or dropped. Only text, code spans, strong and emphasised words survive: headings become text; code
// blocks, tables, diagrams, images and HTML go (Lockstep places those itself); links keep their words and lose their
// targets, so that nothing in a document leads to where a hostile repository talked a model into sending people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace lockstep::writer {

/// A paragraph or a list item.
struct Passage {
  bool is_item = false;
  std::vector<std::string> sentences;  ///< Markdown of one line each; emptied ones are dropped.
};

struct ModelText {
  std::vector<Passage> passages;
  std::size_t removed = 0;  ///< Blocks that a model must not place: code, tables, diagrams, HTML; links and images.
};

ModelText read_model_text(std::string_view markdown);
/// Blocks without what is empty.
std::vector<report::Block> blocks_of(const ModelText& text);
/// Marked text (report/document.h) of one sentence's Markdown.
std::string marked_text(std::string_view sentence);
/// Sentences of one line of Markdown; back-quotes and abbreviations do not end one.
std::vector<std::string> split_sentences(std::string_view line);

}  // namespace lockstep::writer
