// misplaced-attribute: a change sets `self.name`, which nothing reads, while the class reads that name off one part of
// the object, at two places or more (`self.context.name`).
//
// Left out: classes that are new, attributes that the class, one above or one below it has or had before, names that
// stand as a text anywhere, that any other object is asked for, or that more than one part has, and classes with a base
// outside of the repository.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using change::EntityKind;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "misplaced-attribute";
constexpr std::size_t kFewestReads = 2;

/// `self.name = …` on a line that the change writes.
struct Write {
  const Assign* assign = nullptr;
  const Attribute* target = nullptr;
};

std::vector<Write> new_writes(const RuleContext& context, const EntityChange& entity) {
  std::vector<Write> out;
  const Program& program = context.program;
  const FunctionId function = entity.after->function;
  const SourceText& source = program.module_of(function).facts->source();
  walk_of<Assign>(*entity.after->node, Nested::kSkip, [&](const Assign* assign) {
    const auto* target = assign->targets.size() == 1 ? as<Attribute>(assign->targets.front()) : nullptr;
    if (target == nullptr || name_of(target->value) != "self") return;
    if (context.change->touches_after(entity.after->path, source.line_of(target->span.begin)))
      out.push_back({assign, target});
  });
  return out;
}

/// Where a name is read, apart from the writes asked about.
struct Reads {
  std::map<std::string, std::vector<const Attribute*>> parts;  ///< Of the class: "context" of `self.context.name`.
  bool any_of_self = false;      ///< `self.name` stands elsewhere in the class, or the name as a text anywhere.
  std::set<std::string> others;  ///< What else it is read off: the last name, empty where it has none.
};

Reads reads_of(const Program& program, ClassId cls, std::string_view name, const std::vector<Write>& writes) {
  Reads out;
  const program::Class& row = program.classes()[cls];
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    const bool is_home = &module == &program.modules()[row.module];
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* text = as<Constant>(node);
      if (text != nullptr && text_of(text) == name) out.any_of_self = true;
      const auto* member = as<Attribute>(node);
      if (member == nullptr || member->name.text != name) return;
      const bool is_here = is_home && row.node->span.contains(member->span);
      if (name_of(member->value) == "self") {
        const bool is_new =
            std::any_of(writes.begin(), writes.end(), [&](const Write& one) { return one.target == member; });
        out.any_of_self = out.any_of_self || (is_here && !is_new);
        return;  // Of other classes it is their own.
      }
      const std::string last(last_part_of(member->value));
      if (!is_here || self_attribute(member->value).empty()) {
        out.others.insert(last);
      } else if (member->context == ExprContext::kLoad) {
        out.parts[last].push_back(member);
      }
    });
  }
  return out;
}

/// Whether the class reads `self.….name`: asked first, since it asks one class alone.
bool reads_off_part(const Program& program, ClassId cls, std::string_view name) {
  bool found = false;
  walk_of<Attribute>(*program.classes()[cls].node, Nested::kEnter, [&](const Attribute* member) {
    found = found || (member->name.text == name && !self_attribute(member->value).empty());
  });
  return found;
}

/// Whether a class above or below has or declares the name, or may read it without the code showing it.
bool is_of_family(const Program& program, ClassId cls, std::string_view name) {
  const program::Field* field = program.find_field(cls, name);
  if ((field != nullptr && field->in_class_body) || program.find_method(cls, name).valid()) return true;
  const std::vector<std::string>& bases = program.classes()[cls].external_ancestors;
  return std::any_of(bases.begin(), bases.end(),
                     [](const std::string& base) { return !base.starts_with("abc.") && base != "object"; });
}

bool was_set_before(const Program& before, std::string_view qualified_name, std::string_view name) {
  const ClassId cls = before.find_class(qualified_name);
  return cls.valid() && before.find_field(cls, name) != nullptr;
}

/// The lines of the assignment, with the part put in.
std::string on_part(const FileFacts& facts, const Finding& finding, const Attribute& target, std::string_view part) {
  const SourceText& source = facts.source();
  const std::string_view bytes = source.bytes();
  const std::uint32_t begin = source.line_start(finding.start_line);
  std::uint32_t end =
      source.line_start(finding.end_line) + static_cast<std::uint32_t>(source.line(finding.end_line).size());
  while (end < bytes.size() && (bytes[end] == '\r' || bytes[end] == '\n')) {
    if (bytes[end++] == '\n') break;
  }
  const std::uint32_t at = target.value->span.end;
  return fmt::format("{}.{}{}", bytes.substr(begin, at - begin), part, bytes.substr(at, end - at));
}

void check(const RuleContext& context, const EntityChange& entity, std::set<std::string>& known,
           std::vector<Finding>& findings) {
  const Program& program = context.program;
  const FunctionId function = entity.after->function;
  const ClassId cls = program.functions()[function].owner;
  const std::string& owner = program.classes()[cls].qualified_name;
  const std::vector<Write> writes = new_writes(context, entity);
  for (const Write& write : writes) {
    const std::string_view name = write.target->name.text;
    if (!known.insert(fmt::format("{}.{}", owner, name)).second) continue;
    if (is_of_family(program, cls, name) || was_set_before(*context.before, owner, name) ||
        !reads_off_part(program, cls, name))
      continue;
    const Reads reads = reads_of(program, cls, name, writes);
    if (reads.any_of_self || reads.parts.size() != 1 || reads.parts.begin()->second.size() < kFewestReads) continue;
    const auto& [part, places] = *reads.parts.begin();
    // Read off anything else it may be read off this object.
    if (std::any_of(reads.others.begin(), reads.others.end(), [&](const std::string& one) { return one != part; }))
      continue;
    const program::Module& module = program.module_of(function);
    const ModuleId id = program.functions()[function].module;
    Finding finding = finding_at(program, kRule, id, write.assign->span);
    finding.severity = Severity::kP2;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kCorrectness;
    finding.message = fmt::format("Nothing was found to read `self.{}`, while `{}` reads `self.{}.{}` at {} places",
                                  name, program.classes()[cls].name, part, name, places.size());
    finding.why = fmt::format("If that is meant, `self.{}` keeps what it had.", part);
    finding.fix = fmt::format("Set `self.{}.{}`, or drop the assignment.", part, name);
    const auto is_of_name = [&](const Write& one) { return one.target->name.text == name; };
    if (std::count_if(writes.begin(), writes.end(), is_of_name) == 1)
      finding.suggestion = on_part(*module.facts, finding, *write.target, part);
    constexpr std::size_t kMostShown = 3;
    for (std::size_t i = 0; i < places.size() && i < kMostShown; ++i)
      finding.evidence.push_back(
          evidence_at(program, id, places[i]->span, fmt::format("reads `self.{}.{}`", part, name)));
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void run_misplaced_attribute(const RuleContext& context, std::vector<Finding>& findings) {
  std::set<std::string> known;
  for (const EntityChange& entity : context.change->entities) {
    if (entity.kind != EntityKind::kMethod || !entity.after || !entity.after->function.valid() ||
        program::is_test_path(entity.after->path))
      continue;
    const ClassId cls = context.program.functions()[entity.after->function].owner;
    // A new class may leave it to code that is still to come to read what it keeps.
    if (cls.valid() && context.before->find_class(context.program.classes()[cls].qualified_name).valid())
      check(context, entity, known, findings);
  }
}

}  // namespace lockstep::rules
