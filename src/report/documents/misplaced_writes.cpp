#include "report/documents/misplaced_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// `self.name = …` on a line that the change writes.
struct Write {
  const Attribute* target = nullptr;
  std::uint32_t line = 0;
};

std::vector<Write> new_writes(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Write> out;
  const SourceText& source = *actor.steps.after_source;
  walk_of<Assign>(*actor.change->after->node, Nested::kSkip, [&](const Assign* assign) {
    const auto* target = assign->targets.size() == 1 ? as<Attribute>(assign->targets.front()) : nullptr;
    if (target == nullptr || rules::name_of(target->value) != "self") return;
    const std::uint32_t line = source.line_of(target->span.begin);
    if (inputs.change->touches_after(actor.change->after->path, line)) out.push_back({target, line});
  });
  return out;
}

/// Where the name is read, apart from `self.name`.
struct Reads {
  std::map<std::string, std::size_t> parts;  ///< Of the class itself: "context" of `self.context.name`, how often.
  std::string first;                         ///< Place of the first of them.
  bool any_of_self = false;                  ///< `self.name` read, or set before, or given by text, anywhere.
  std::set<std::string> others;              ///< What else it is read off: the last name, empty where it has none.
};

Reads reads_of(const Program& program, ClassId cls, std::string_view name, const std::vector<Write>& writes) {
  Reads out;
  const program::Class& row = program.classes()[cls];
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    const SourceText& source = module.facts->source();
    const bool is_home = &module == &program.modules()[row.module];
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* text = as<Constant>(node);
      if (text != nullptr && rules::text_of(text) == name) out.any_of_self = true;
      const auto* member = as<Attribute>(node);
      if (member == nullptr || member->name.text != name) return;
      if (rules::name_of(member->value) == "self") {
        const bool is_new =
            std::any_of(writes.begin(), writes.end(), [&](const Write& one) { return one.target == member; });
        // Of other classes it is their own; which class this is, its place says.
        const bool is_here = is_home && row.node->span.contains(member->span);
        out.any_of_self = out.any_of_self || (is_here && !is_new);
        if (!is_here) out.others.insert("self");
        return;
      }
      const auto* part = as<Attribute>(member->value);
      const bool is_own_part =
          part != nullptr && rules::name_of(part->value) == "self" && is_home && row.node->span.contains(member->span);
      const std::string last(rules::last_part_of(member->value));
      if (is_own_part && member->context == ExprContext::kLoad) {
        if (out.parts[last]++ == 0 && out.first.empty())
          out.first = place(module.path, source.line_of(member->span.begin));
      }
      if (!is_own_part) out.others.insert(last);
    });
  }
  return out;
}

/// Whether the class reads `self.….name`: asked first, since it asks one class alone.
bool reads_off_part(const Program& program, ClassId cls, std::string_view name) {
  bool found = false;
  walk_of<Attribute>(*program.classes()[cls].node, Nested::kEnter, [&](const Attribute* member) {
    const auto* part = member->name.text == name ? as<Attribute>(member->value) : nullptr;
    found = found || (part != nullptr && rules::name_of(part->value) == "self");
  });
  return found;
}

/// Whether a class above or below has, sets or declares the name.
bool is_of_family(const Program& program, ClassId cls, std::string_view name) {
  if (program.find_field(cls, name) != nullptr && program.find_field(cls, name)->in_class_body) return true;
  if (program.find_method(cls, name).valid()) return true;
  // A base outside may read it.
  return !program.classes()[cls].external_ancestors.empty() &&
         std::any_of(program.classes()[cls].external_ancestors.begin(), program.classes()[cls].external_ancestors.end(),
                     [](const std::string& base) { return !base.starts_with("abc.") && base != "object"; });
}

bool was_set_before(const Program& before, std::string_view qualified_name, std::string_view name) {
  const ClassId cls = before.find_class(qualified_name);
  return cls.valid() && before.find_field(cls, name) != nullptr;
}

}  // namespace

void add_misplaced_writes(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kFewestReads = 2;
  const Program& program = *inputs.after;
  std::size_t told = 0;
  std::set<std::string> known;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() ||
        actor.steps.after_source == nullptr || !actor.change->after || !actor.change->after->function.valid())
      continue;
    const ClassId cls = program.functions()[actor.change->after->function].owner;
    // A new class may leave it to code that is still to come to read what it keeps.
    if (!cls.valid() || !inputs.before->find_class(program.classes()[cls].qualified_name).valid()) continue;
    const std::vector<Write> writes = new_writes(inputs, actor);
    for (const Write& write : writes) {
      const std::string_view name = write.target->name.text;
      const std::string& owner = program.classes()[cls].qualified_name;
      if (told == kMost || !known.insert(owner + "." + std::string(name)).second) continue;
      if (is_of_family(program, cls, name) || was_set_before(*inputs.before, owner, name) ||
          !reads_off_part(program, cls, name))
        continue;
      const Reads reads = reads_of(program, cls, name, writes);
      if (reads.any_of_self || reads.parts.size() != 1 || reads.parts.begin()->second < kFewestReads) continue;
      const std::string& part = reads.parts.begin()->first;
      // Read off anything else it may be read off this object.
      const bool is_elsewhere = std::any_of(reads.others.begin(), reads.others.end(),
                                            [&](const std::string& one) { return one != part && one != "self"; });
      if (is_elsewhere) continue;
      ++told;
      const std::string meant = fmt::format("self.{}.{}", part, name);
      const std::string concern =
          fmt::format("{} sets {} ({}), which nothing was found to read; {} reads {} at {} places ({} first).",
                      code(short_name(inputs, *actor.change)), code(fmt::format("self.{}", name)),
                      place(actor.change->after->path, write.line), code(program.classes()[cls].name), code(meant),
                      reads.parts.begin()->second, reads.first);
      const std::string asked = fmt::format("Is {} meant?", code(meant));
      risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
    }
  }
}

}  // namespace lockstep::report
