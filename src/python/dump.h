// A tree as JSON in the shape of CPython's `ast`, so that the two can be compared (tests/oracle/compare_ast.py).
#pragma once

#include <string>
#include <string_view>

#include "python/parser.h"

namespace lockstep::python {

/// Appends one JSON value to `out`: `[class, lineno, col_offset, end_lineno, end_col_offset, field, …]` for a node,
/// with the class names, positions and field order of `ast` (fields: tests/oracle/compare_ast.py). Nodes that have no
/// position in `ast` have zeros. Constants carry their type and text: numbers as written, bytes in hexadecimal, strings
/// with surrogates as the type "wtf-8" with their bytes in hexadecimal.
void dump_tree(const ParsedFile& file, std::string& out);

/// Appends `text` (UTF-8, surrogates allowed) as a JSON string of ASCII characters.
void append_json_string(std::string_view text, std::string& out);

}  // namespace lockstep::python
