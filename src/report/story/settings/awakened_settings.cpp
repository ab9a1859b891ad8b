#include "report/story/settings/awakened_settings.h"

#include <algorithm>
#include <optional>
#include <set>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/defaults.h"
#include "report/source/generated_arguments.h"
#include "report/source/held_settings.h"

namespace lockstep::report {

namespace {

/// Whether Python code outside tests reads `x.name`, or has the name as a text. What names the field only to make no
/// option of it (`exclude=["name"]`) reads nothing.
/// `generated`: made when a text has the name, since it looks through all files.
bool reads_somewhere(const program::Program& program, std::string_view name,
                     std::optional<GeneratedArguments>& generated) {
  std::optional<decltype(generated->left_out(name))> left_out;  // Asked once.
  const auto is_left_out = [&](const program::Module& module, std::size_t at) {
    if (!generated) generated.emplace(program);
    if (!left_out) left_out = generated->left_out(name);
    if (!*left_out) return false;
    const program::CallSite& site = program.calls()[(*left_out)->call];
    return &program.module_of(site.caller) == &module && site.node->span.contains(static_cast<std::uint32_t>(at));
  };
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path)) continue;
    const std::string_view bytes = module.facts->source().bytes();
    for (std::size_t at = module.facts->find_name(name); at != std::string_view::npos;
         at = module.facts->find_name(name, at + name.size())) {
      const char before = at == 0 ? ' ' : bytes[at - 1];
      if (before == '.') return true;
      if ((before == '"' || before == '\'') && !is_left_out(module, at)) return true;
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

/// The one class that declares the field which the function reads by this name, where that is known of all reads.
program::ClassId declared_by(const program::Program& program, const change::EntitySide& side, std::string_view name) {
  program::ClassId out;
  bool is_known = side.function.valid();
  python::walk_of<python::Attribute>(*side.node, python::Nested::kSkip, [&](const python::Attribute* read) {
    if (!is_known || read->name.text != name) return;
    for (const program::ClassId held : program.instance_classes(side.function, *read->value)) {
      const program::ClassId declaring = declaring_class(program, held, name);
      is_known = is_known && (!declaring.valid() || !out.valid() || out == declaring);
      if (declaring.valid()) out = declaring;
    }
  });
  return is_known ? out : program::ClassId();
}

}  // namespace

std::vector<Flag> awakened_settings(const DocumentInputs& inputs, const std::vector<Actor>& actors,
                                    const FlagDeclarations& declarations) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostLooked = 8;  // Each asks the text of the whole repository.
  std::vector<Flag> out;
  std::set<std::string> looked;
  std::optional<GeneratedArguments> generated;
  for (const Actor& actor : actors) {
    const bool counts = actor.role == Role::kCentral || actor.role == Role::kSupporting;
    if (!counts || !actor.is_function() || actor.is_removed() || inputs.before == nullptr) continue;
    const std::vector<std::string> was =
        actor.change->before ? config_reads(*actor.change->before->node) : std::vector<std::string>();
    for (const std::string& name : config_reads(*actor.change->after->node)) {
      if (out.size() == kMost || looked.size() == kMostLooked) return out;
      if (std::find(was.begin(), was.end(), name) != was.end() || !looked.insert(name).second) continue;
      if (!is_declared(*inputs.before, name) || reads_somewhere(*inputs.before, name, generated)) continue;
      Flag flag;
      flag.name = name;
      if (const program::ClassId cls = declared_by(*inputs.after, *actor.change->after, name); cls.valid())
        declarations.fill_from_field(flag, cls);
      declarations.describe(flag);
      if (!flag.place.empty()) out.push_back(std::move(flag));
    }
  }
  return out;
}

}  // namespace lockstep::report
