#include "report/documents/compatibility/renamed_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

bool is_renamed_field(const change::EntityChange& entity) {
  return entity.kind == change::EntityKind::kField && entity.before && entity.after && entity.after->cls.valid() &&
         python::is<python::AnnAssign>(entity.after->node) && !program::is_test_path(entity.after->path) &&
         change::last_part(entity.before->qualified_name) != change::last_part(entity.after->qualified_name);
}

std::vector<std::string> renamed_field_items(const DocumentInputs& inputs) {
  constexpr std::size_t kMostClasses = 3;
  constexpr std::size_t kMostFields = 4;
  std::vector<std::pair<program::ClassId, std::vector<std::string>>> classes;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (!is_renamed_field(entity)) continue;
    const program::ClassId cls = entity.after->cls;
    auto known = std::find_if(classes.begin(), classes.end(), [&](const auto& one) { return one.first == cls; });
    if (known == classes.end()) known = classes.insert(known, {cls, {}});
    known->second.push_back(fmt::format("{} to {}", code(change::last_part(entity.before->qualified_name)),
                                        code(change::last_part(entity.after->qualified_name))));
  }
  std::vector<std::string> out;
  for (auto& [cls, fields] : classes) {
    if (out.size() == kMostClasses) break;
    const std::size_t all = fields.size();
    if (all > kMostFields) fields.resize(kMostFields - 1);
    if (all > fields.size()) fields.push_back(fmt::format("{} more", all - fields.size()));
    out.push_back(fmt::format("{} renames its {} {}.", code(short_name(*inputs.after, cls)),
                              all == 1 ? "field" : "fields", join_words(fields)));
  }
  return out;
}

}  // namespace lockstep::report
