// Sentences of one comment or docstring -> what is quoted of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/author/why.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

inline constexpr std::size_t kMostWordsEach = 70;  ///< Of one quotation.

std::size_t words_in(std::string_view text);
/// The paragraphs' first `most_words` words, whole paragraphs as far as they fit; at least the first.
std::vector<std::string> condensed(std::vector<std::string> paragraphs, std::size_t most_words, bool& is_cut);

struct Quotation {
  std::string text;
  std::uint32_t first_line = 0;
  bool is_cut = false;
};

/// Which new sentences are quoted.
enum class Wanted : std::uint8_t { kReasons, kAll };

/// How surely a sentence gives a reason; 0 where it gives none.
int reason_rank(std::string_view sentence);

/// The new sentences that give reasons, each with the one that it leans on; "…" where some between are left out. Only
/// those that give them as surely as any of the text does.
Quotation quotation_of(const std::vector<SourceSentence>& sentences, bool skips_first, Wanted what = Wanted::kReasons);

/// Of a short comment that is new throughout: all of it. What the reason is a reason for mostly stands before it.
Quotation whole_comment(Quotation quotation, const std::vector<SourceSentence>& sentences);

/// The same of the paragraph that the quotation begins in, where that is longer.
Quotation whole_paragraph(Quotation quotation, const std::vector<SourceSentence>& sentences);

/// Adds it unless it is empty, a licence or there already. `source`: marked text.
void add_quotation(std::vector<Saying>& out, std::string source, Quotation quotation);

}  // namespace lockstep::report
