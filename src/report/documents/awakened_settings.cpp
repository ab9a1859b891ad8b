#include "report/documents/awakened_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "report/story/flag_declarations.h"

namespace lockstep::report {

namespace {

/// Whether Python code outside tests reads `x.name`, or has the name as a text.
bool reads_somewhere(const program::Program& program, std::string_view name) {
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path)) continue;
    const std::string_view bytes = module.facts->source().bytes();
    for (std::size_t at = find_name(bytes, name); at != std::string_view::npos;
         at = find_name(bytes, name, at + name.size())) {
      const char before = at == 0 ? ' ' : bytes[at - 1];
      if (before == '.' || before == '"' || before == '\'') return true;
    }
  }
  return false;
}

/// Whether some class declares a field of this name.
bool is_declared(const program::Program& program, std::string_view name) {
  return std::any_of(program.classes().begin(), program.classes().end(), [&](const program::Class& cls) {
    return std::any_of(cls.fields.begin(), cls.fields.end(),
                       [&](const program::Field& field) { return field.in_class_body && field.name == name; });
  });
}

std::string sentence_of(const Flag& flag) {
  std::string known = flag.place;
  if (!flag.argument.empty()) known += fmt::format(", argument {}", code(flag.argument));
  if (!flag.default_value.empty()) known += fmt::format(", default {}", code(flag.default_value));
  return fmt::format("The setting {} ({}) is read now; before the change, no Python code outside tests read it.",
                     code(flag.name), known);
}

}  // namespace

std::vector<std::string> awakened_setting_items(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostLooked = 8;  // Each asks the text of the whole repository.
  std::vector<std::string> out;
  std::set<std::string> looked;
  for (const Actor& actor : story.actors) {
    const bool counts = actor.role == Role::kCentral || actor.role == Role::kSupporting;
    if (!counts || !actor.is_function() || actor.is_removed() || inputs.before == nullptr) continue;
    const std::vector<std::string> was =
        actor.change->before ? config_reads(*actor.change->before->node) : std::vector<std::string>();
    for (const std::string& name : config_reads(*actor.change->after->node)) {
      if (out.size() == kMost || looked.size() == kMostLooked) return out;
      if (std::find(was.begin(), was.end(), name) != was.end() || !looked.insert(name).second) continue;
      if (!is_declared(*inputs.before, name) || reads_somewhere(*inputs.before, name)) continue;
      Flag flag;
      flag.name = name;
      FlagDeclarations(*inputs.after).declare(flag);
      if (!flag.place.empty()) out.push_back(sentence_of(flag));
    }
  }
  return out;
}

}  // namespace lockstep::report
