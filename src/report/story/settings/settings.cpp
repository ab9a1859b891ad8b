// Which of the fields that a change adds or alters are settings at all: those that somebody chooses for a run. Tensors
// and process groups are made by the program; a class that holds them carries the data of one call, whatever it is
// called.
#include <algorithm>

#include "base/find_text.h"
#include "report/story/story.h"

namespace lockstep::report {

namespace {

/// `Tensor`, `torch.Tensor | None`, `Optional["dist.ProcessGroup"]`; not a function that takes one.
bool names_data(const python::Expr* annotation, const SourceText& source) {
  if (annotation == nullptr) return false;
  const std::string_view text = source.slice(annotation->span);
  const auto names = [&](std::string_view word) { return find_name(text, word) != std::string_view::npos; };
  return (names("Tensor") || names("ProcessGroup") || names("ndarray")) && !names("Callable");
}

/// One in four of its fields at least: a config may hold a tensor among a hundred settings.
bool holds_data(const program::Program& program, std::string_view name) {
  const program::ClassId cls = program.find_class(name);
  if (!cls.valid()) return false;
  const SourceText& source = program.module_of(cls).facts->source();
  std::size_t fields = 0;
  std::size_t data = 0;
  for (const program::Field& field : program.classes()[cls].fields) {
    if (!field.in_class_body) continue;
    ++fields;
    data += names_data(field.annotation, source) ? 1 : 0;
  }
  return data > 0 && data * 4 >= fields;
}

}  // namespace

void drop_data_fields(const DocumentInputs& inputs, Story& story) {
  std::erase_if(story.flags, [&](const Flag& flag) {
    const bool is_data = !flag.owner.empty() && flag.argument.empty() && holds_data(*inputs.after, flag.owner);
    if (is_data && flag.is_new && flag.derived.empty()) --story.new_flags;
    return is_data;
  });
}

}  // namespace lockstep::report
