#include "report/source/without_space.h"

#include <cctype>

namespace lockstep::report {

std::string without_space(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) out += c;
  }
  return out;
}

}  // namespace lockstep::report
