// A list, tuple, set or dictionary that is written out, before and after -> which elements came and which went.
#pragma once

#include <string>
#include <vector>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::report {

/// Source texts of elements, of dictionaries "key: value" of what came and the key of what went.
struct CollectionEdit {
  std::vector<std::string> added;
  std::vector<std::string> gone;
  std::vector<std::string> changed;     ///< Keys of a dictionary that hold something else now.
  std::vector<std::string> added_keys;  ///< Of what came to a dictionary.
  bool has_keys = false;
};

/// Of two collections of one kind, written out, or given to one call (`frozenset({…})`), which share elements; lists,
/// tuples and sets must differ in few. Empty for others, where nothing but values under keys change, and where elements
/// of a list or tuple changed places.
CollectionEdit collection_edit(const python::Expr& before, const SourceText& before_source, const python::Expr& after,
                               const SourceText& after_source);

/// "adds `"x"` to 3 lists in what it returns": where two values differ in nothing but lists inside of them, to all of
/// which the same came, or from which the same went. `where` is "what it returns". Empty for others.
std::string nested_lists_words(const python::Expr& before, const SourceText& before_source, const python::Expr& after,
                               const SourceText& after_source, const std::string& where);

/// "adds `"x"` to `NAMES`", "takes `"y"` out of `NAMES`", "adds the entry `"k": 1` to `OPTIONS`"; empty where nothing
/// came or went.
std::string collection_words(const CollectionEdit& edit, const std::string& target);

}  // namespace lockstep::report
