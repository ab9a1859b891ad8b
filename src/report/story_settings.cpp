// Which of the fields that a change adds or alters are settings at all: those that somebody chooses for a run. Tensors
// and process groups are made by the program; a class that holds them carries the data of one call, whatever it is
// called.
#include <algorithm>
#include <cctype>

#include "report/story.h"

namespace lockstep::report {

namespace {

/// `Tensor`, `torch.Tensor | None`, `Optional["dist.ProcessGroup"]`.
bool names_data(const python::Expr* annotation, const SourceText& source) {
  if (annotation == nullptr) return false;
  const std::string_view text = source.slice(annotation->span);
  for (const std::string_view word : {"Tensor", "ProcessGroup", "ndarray"}) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
    }
  }
  return false;
}

bool holds_data(const program::Program& program, std::string_view name) {
  const program::ClassId cls = program.find_class(name);
  if (!cls.valid()) return false;
  const auto& fields = program.classes()[cls].fields;
  const SourceText& source = program.module_of(cls).facts->source();
  return std::any_of(fields.begin(), fields.end(), [&](const program::Field& field) {
    return field.in_class_body && names_data(field.annotation, source);
  });
}

}  // namespace

void drop_data_fields(const DocumentInputs& inputs, Story& story) {
  std::erase_if(story.flags, [&](const Flag& flag) {
    const bool is_data = !flag.owner.empty() && flag.argument.empty() && holds_data(*inputs.after, flag.owner);
    if (is_data && flag.is_new) --story.new_flags;
    return is_data;
  });
}

}  // namespace lockstep::report
