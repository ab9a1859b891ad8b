# cmake -DFOLDER=docs/rules -DOUTPUT=rule_pages.cpp -P embed_pages.cmake
# The pages of the rules as string literals, so that `lockstep rules RULE` works wherever the program is installed.
file(GLOB pages "${FOLDER}/*.md")
list(SORT pages)
set(text "// Made by cmake/embed_pages.cmake from docs/rules/*.md.\n#include \"rules/pages.h\"\n\nnamespace lockstep::rules {\n\nstd::string_view rule_page(std::string_view id) {\n")
foreach(page IN LISTS pages)
  get_filename_component(id "${page}" NAME_WE)
  file(READ "${page}" content HEX)
  # Hexadecimal escapes, one literal a line: no quoting rules.
  string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${content}")
  string(REPLACE "\\x0a" "\\x0a\"\n           \"" literal "${escaped}")
  string(LENGTH "${content}" digits)
  math(EXPR size "${digits} / 2")
  string(APPEND text "  if (id == \"${id}\") {\n    return {\"${literal}\", ${size}};\n  }\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace lockstep::rules\n")
file(WRITE "${OUTPUT}" "${text}")
