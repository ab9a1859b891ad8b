#include "report/documents/drawings/drawn_names.h"

#include <algorithm>

namespace lockstep::report {

std::string drawn_name(std::string short_name) {
  if (std::count(short_name.begin(), short_name.end(), '.') < 2) return short_name;
  const std::size_t last = short_name.rfind('.');
  const std::size_t holder = short_name.rfind('.', last - 1) + 1;
  // Classes begin with a capital (PEP 8).
  const bool is_of_class = short_name[holder] >= 'A' && short_name[holder] <= 'Z';
  return is_of_class ? short_name : short_name.substr(last + 1);
}

}  // namespace lockstep::report
