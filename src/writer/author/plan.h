// Which parts of Lockstep's documents are a model's to write, what each is told, and what each must hold. By the
// numbers of the headings, which are the same in every language.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "writer/pack/pieces.h"

namespace lockstep::writer {

/// A heading with the blocks below it, up to the next heading.
struct Spot {
  std::size_t heading = 0;  ///< Index of the block.
  std::size_t end = 0;      ///< Behind the last block.
  std::string part;         ///< "3" of the level-2 heading that it is or stands under; may be empty.
  std::string number;       ///< "3.1"; empty where the heading has none.
  int level = 2;
  std::size_t place = 0;  ///< Among the headings of its level in this part, from 1.
  std::string title;      ///< Plain text.
};
std::vector<Spot> spots_of(const report::Document& document);

struct PlannedPart {
  std::string_view mark;    ///< "walk": what its text begins with.
  std::string_view prompt;  ///< Of src/writer/prompts/: what the model is told of it.
  std::string name;         ///< Marked text: what the part is called.
  Spot spot;                ///< With all headings of lower levels below it.
  std::size_t words = 0;
  /// What a reader must find there: where the model places none, Lockstep's own stays.
  bool needs_code = false;
  bool needs_diagram = false;
  bool is_table = false;  ///< Its items become the rows of Lockstep's table.
  /// Its items are what is said of the rows of Lockstep's table, by the names in this column.
  std::optional<std::size_t> told_column = std::nullopt;
};

/// In the order of the document.
std::vector<PlannedPart> plan_parts(Purpose purpose, const report::Document& own);

/// An answer's parts by their marks ("=== walk"), in the order of `marks`; empty where the answer has none of it. What
/// stands before the first mark is left out.
std::vector<std::string> split_parts(std::string_view answer, const std::vector<std::string_view>& marks);

}  // namespace lockstep::writer
