#include "report/documents/content/new_types.h"

#include <fmt/format.h>

#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

namespace {

std::string item_of(const DocumentInputs& inputs, const change::EntityChange& entity, const program::Class& cls) {
  constexpr std::size_t kMostNamed = 6;
  std::vector<std::string> names;
  std::size_t all = 0;
  for (const program::Field& field : cls.fields) {
    if (!field.in_class_body) continue;
    if (++all <= kMostNamed) names.push_back(code(field.name));
  }
  if (all == 0) return {};
  if (all > kMostNamed) names.push_back(fmt::format("{} more", all - kMostNamed));
  const std::string words = first_sentence(docstring_text(cls.node), 200);
  return fmt::format("{} (new, {}), a class of {}: {}.{}", code(short_name(inputs, entity)), place_of(inputs, entity),
                     count_of(all, "field"), join_words(names),
                     words.empty() ? "" : fmt::format(" \u201c{}\u201d", from_backquotes(words)));
}

}  // namespace

std::vector<std::string> new_type_items(const DocumentInputs& inputs, const Story& story,
                                        const std::set<std::string>& told) {
  constexpr std::size_t kMost = 2;
  std::string annotations;
  for (const std::size_t index : story.central) {
    for (const change::Difference& one : story.actors[index].change->differences) {
      if (one.kind == change::DifferenceKind::kParameterAdded) annotations += one.after + "\n";
    }
  }
  std::vector<std::string> out;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (out.size() == kMost || annotations.empty()) break;
    if (entity.kind != change::EntityKind::kClass || entity.before || !entity.after || !entity.after->cls.valid() ||
        told.contains(entity.after->qualified_name) || program::is_test_path(entity.after->path))
      continue;
    const program::Class& cls = inputs.after->classes()[entity.after->cls];
    if (!cls.methods.empty() || find_name(annotations, cls.name) == std::string_view::npos) continue;
    if (std::string item = item_of(inputs, entity, cls); !item.empty()) out.push_back(std::move(item));
  }
  return out;
}

}  // namespace lockstep::report
