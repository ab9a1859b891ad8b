// What a model says of the files and functions that a table of Lockstep's lists, one line each -> the table with these
// words. The rows stay Lockstep's: a line that names none of them adds one only where it names a function that exists.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/document.h"
#include "writer/author/model_text.h"

namespace lockstep::writer {

/// "`Class.method` - what it is for."
struct ToldRow {
  std::string name;   ///< As the model wrote it, without back-quotes and brackets.
  std::string words;  ///< Marked text.
};
/// Takes the items that begin with a name out of the text.
std::vector<ToldRow> take_told_rows(ModelText& text);

/// "`a.py`, `b.py`": what the rows of the first table in `own` are called, in `column`, for a model to tell them by
/// (harmless: data_text); empty where there is none.
std::string row_names(std::span<const report::Block> own, std::size_t column);

/// Puts the words into the last cells of the rows of the first table in `own` that they name, in `column`. A name that
/// means two rows tells neither.
void tell_rows(std::span<report::Block> own, std::size_t column, const std::vector<ToldRow>& told);
/// Further rows, "function | place | words", of what names exactly one function outside the tests that the first table
/// of `own` does not list; at most `most`.
void add_functions(std::span<report::Block> own, const std::vector<ToldRow>& told, const program::Program& program,
                   std::size_t most);

}  // namespace lockstep::writer
