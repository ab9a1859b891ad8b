// What HTML pages are made of (src/render/html/), built into the program by cmake/embed_pages.cmake.
#pragma once

#include <string_view>

namespace lockstep::render {

/// Content of a file of src/render/html/ by its name ("graph.css"); empty where there is none.
std::string_view html_part(std::string_view name);
/// Its SHA-256 as 64 hexadecimal digits.
std::string_view html_part_sha256(std::string_view name);

}  // namespace lockstep::render
