# cmake -DFILES="a.md;b.md" -DOUTPUT=pages.cpp -DHEADER=rules/pages.h -DSCOPE=lockstep::rules -DFUNCTION=rule_page -P embed_pages.cmake
# Files as string literals, so that what the program prints works wherever it is installed: a function from a file's name
# to its content. Names go without their extension, unless -DWHOLE_NAMES=ON. With -DHASHES=ON there is a second function,
# FUNCTION_sha256, that gives the SHA-256 of a file in hexadecimal digits (for the security policy of pages).
list(SORT FILES)
set(text "// Made by cmake/embed_pages.cmake.\n#include \"${HEADER}\"\n\nnamespace ${SCOPE} {\n\nstd::string_view ${FUNCTION}(std::string_view id) {\n")
set(hashes "\nstd::string_view ${FUNCTION}_sha256(std::string_view id) {\n")
foreach(page IN LISTS FILES)
  if(WHOLE_NAMES)
    get_filename_component(id "${page}" NAME)
  else()
    get_filename_component(id "${page}" NAME_WE)
  endif()
  file(READ "${page}" content HEX)
  # Hexadecimal escapes, one literal a line: no quoting rules.
  string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${content}")
  string(REPLACE "\\x0a" "\\x0a\"\n           \"" literal "${escaped}")
  string(LENGTH "${content}" digits)
  math(EXPR size "${digits} / 2")
  string(APPEND text "  if (id == \"${id}\") {\n    return {\"${literal}\", ${size}};\n  }\n")
  file(SHA256 "${page}" hash)
  string(APPEND hashes "  if (id == \"${id}\") return \"${hash}\";\n")
endforeach()
string(APPEND text "  return {};\n}\n")
if(HASHES)
  string(APPEND text "${hashes}  return {};\n}\n")
endif()
string(APPEND text "\n}  // namespace ${SCOPE}\n")
file(WRITE "${OUTPUT}" "${text}")
