#include "rules/names/new_objects.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using program::ClassId;
using program::Program;

namespace {

/// Whether classes below an external one give a new object for each call, as far as it is up to that one.
bool is_plain_base(std::string_view name) {
  static constexpr std::string_view kHomes[] = {"abc.", "builtins.", "collections.", "torch.", "typing."};
  return name != "builtins.type" && std::any_of(std::begin(kHomes), std::end(kHomes),
                                                [&](std::string_view home) { return name.starts_with(home); });
}

bool is_plain_keyword(const python::Keyword& keyword) {
  return keyword.name.text == "metaclass" && last_part_of(keyword.value) == "ABCMeta";
}

/// Whether nothing that the class itself says makes a call of it give anything else than a new object, and all that it
/// derives from is known.
bool makes_plainly(const Program& program, ClassId cls) {
  const program::Class& row = program.classes()[cls];
  const auto& keywords = row.node->keywords;
  const auto& bases = row.node->bases;
  const auto objects =
      std::count_if(bases.begin(), bases.end(), [](const python::Expr* one) { return name_of(one) == "object"; });
  return row.bases.size() + row.external_bases.size() + static_cast<std::size_t>(objects) >= bases.size() &&
         std::all_of(keywords.begin(), keywords.end(), [](const auto* one) { return is_plain_keyword(*one); }) &&
         std::none_of(row.methods.begin(), row.methods.end(),
                      [&](program::FunctionId method) { return program.functions()[method].name == "__new__"; });
}

}  // namespace

bool gives_new_object(const Program& program, ClassId cls) {
  const program::Class& row = program.classes()[cls];
  const auto& outside = row.external_ancestors;
  const std::size_t decorators = row.node->decorators.size();
  return (decorators == 0 || (decorators == 1 && row.is_dataclass)) &&
         std::all_of(outside.begin(), outside.end(), [](const std::string& one) { return is_plain_base(one); }) &&
         std::all_of(row.linearized.begin(), row.linearized.end(),
                     [&](ClassId one) { return makes_plainly(program, one); });
}

}  // namespace lockstep::rules
