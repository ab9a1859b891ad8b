// "@classes Trainer, HyperCommGrid, topology.py" -> how classes and modules hang together: who derives from whom, who
// makes and who calls whom, and what the change did to them, as the code has it after the change.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "change/names.h"
#include "report/file_name.h"
#include "report/story/words.h"
#include "writer/author/placements.h"
#include "writer/author/placements_parts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::drawing_fault;
using internal::DrawnSide;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using report::ClassRelation;

constexpr std::size_t kMostBoxes = 12, kMostMembers = 7, kMostNames = 2, kMostRelations = 20;

/// A class, or the functions of a module that belong to none.
struct Box {
  ClassId cls;
  ModuleId module;
};

class ClassesDrawing {
 public:
  ClassesDrawing(const report::DocumentInputs& inputs, const report::Story& story)
      : story_(story), side_(internal::after_side(inputs)), program_(*inputs.after) {}

  void run(std::string_view request) {
    for (const std::string_view item : internal::split_at(request, ",")) {
      const std::string name = internal::plain_name(item);
      if (faults_.size() >= internal::kMostDrawingFaults || name.empty()) continue;
      if (boxes_.size() == kMostBoxes) {
        faults_.push_back(drawing_fault("@classes", fmt::format("more than {} boxes", kMostBoxes)));
        return;
      }
      const std::optional<Box> box = box_named(name);
      if (!box) {
        faults_.push_back(drawing_fault(name, "there is no such class, and no such module"));
        continue;
      }
      const bool is_known = std::any_of(boxes_.begin(), boxes_.end(), [&](const Box& one) {
        return one.cls == box->cls && one.module == box->module;
      });
      if (!is_known) add(*box);
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) relate(i);
  }

  Filled take() {
    Filled filled;
    filled.faults = std::move(faults_);
    if (!diagram_.classes.empty() && !diagram_.relations.empty()) {
      filled.blocks.push_back({report::DiagramBlock{std::move(diagram_), {}}});
    } else if (filled.faults.empty()) {
      filled.faults.push_back(
          drawing_fault("@classes", "nothing in the code joins two of these: name what stands between"));
    }
    return filled;
  }

 private:
  /// "Class", "package.Class", "path/to/file.py", "file.py", "package.module"; of several the changed one.
  [[nodiscard]] std::optional<Box> box_named(const std::string& name) const {
    std::optional<Box> found;
    bool is_changed = false;
    const auto offer = [&](Box box, bool in_change) {
      if (found && (is_changed || !in_change)) return;
      found = box;
      is_changed = in_change;
    };
    const auto changes = [&](const std::string& path) { return side_.diff->find_after(path) != nullptr; };
    if (name.ends_with(".py")) {
      for (std::size_t i = 0; i < program_.modules().size(); ++i) {
        const std::string& path = program_.modules()[ModuleId(i)].path;
        if (path == name || path.ends_with("/" + name)) offer({ClassId(), ModuleId(i)}, changes(path));
      }
      return found;
    }
    for (std::size_t i = 0; i < program_.classes().size(); ++i) {
      const program::Class& cls = program_.classes()[ClassId(i)];
      if (!internal::ends_with_name(cls.qualified_name, name)) continue;
      const std::string& path = program_.module_of(ClassId(i)).path;
      if (!program::is_test_path(path)) offer({ClassId(i), cls.module}, changes(path));
    }
    for (std::size_t i = 0; !found && i < program_.modules().size(); ++i) {
      if (program_.modules()[ModuleId(i)].name == name) offer({ClassId(), ModuleId(i)}, true);
    }
    return found;
  }

  [[nodiscard]] std::vector<FunctionId> functions_of(const Box& box) const {
    std::vector<FunctionId> functions;
    for (const FunctionId function : program_.modules()[box.module].functions) {
      if (owner_of(function) == box.cls) functions.push_back(function);
    }
    if (!box.cls.valid()) functions.push_back(program_.modules()[box.module].body);
    return functions;
  }

  /// The class that a function belongs to, also as a function within a method.
  [[nodiscard]] ClassId owner_of(FunctionId function) const {
    for (FunctionId at = function; at.valid(); at = program_.functions()[at].enclosing) {
      if (program_.functions()[at].owner.valid()) return program_.functions()[at].owner;
    }
    return ClassId();
  }

  void add(const Box& box) {
    report::ClassBox drawn;
    drawn.name = box.cls.valid() ? report::short_name(program_, box.cls)
                                 : report::file_name(program_.modules()[box.module].path);
    if (!box.cls.valid()) drawn.stereotype = "module";
    for (const report::Actor& actor : story_.actors) {
      const auto& entity = actor.change->after;
      if (!entity || actor.role == report::Role::kCosmetic) continue;
      if (box.cls.valid() && actor.change->kind == change::EntityKind::kClass && entity->cls == box.cls)
        drawn.mark = actor.is_added() ? report::Mark::kNew : report::Mark::kModified;
      if (box.cls.valid() && entity->cls == box.cls && drawn.mark == report::Mark::kNone)
        drawn.mark = report::Mark::kModified;
      if (actor.is_function() && entity->function.valid()) add_member(box, entity->function, drawn);
    }
    boxes_.push_back(box);
    diagram_.classes.push_back(std::move(drawn));
  }

  void add_member(const Box& box, FunctionId function, report::ClassBox& drawn) const {
    const program::Function& one = program_.functions()[function];
    if (one.module != box.module || one.owner != box.cls || one.enclosing.valid() ||
        drawn.members.size() == kMostMembers)
      return;
    if (box.cls.valid() && drawn.mark == report::Mark::kNone) drawn.mark = report::Mark::kModified;
    report::ClassMember member;
    member.text = std::string(one.name) + "()";
    member.is_method = true;
    member.is_private = one.name.starts_with("_") && !one.name.ends_with("__");
    member.mark = drawn.mark == report::Mark::kNew ? report::Mark::kNone : internal::mark_of(story_, side_, function);
    drawn.members.push_back(std::move(member));
  }

  [[nodiscard]] std::size_t index_of(FunctionId function) const {
    const ClassId owner = owner_of(function);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (owner.valid() ? boxes_[i].cls == owner
                        : !boxes_[i].cls.valid() && boxes_[i].module == program_.functions()[function].module)
        return i;
    }
    return boxes_.size();
  }

  /// A class without a constructor of its own is made, too.
  [[nodiscard]] std::size_t class_made_at(program::CallId id) const {
    const program::CallSite& site = program_.calls()[id];
    const auto* call = python::as<python::Call>(site.node);
    if (call == nullptr) return boxes_.size();
    const program::Reference to = program_.resolve(site.caller, *call->callee);
    if (to.kind != program::Reference::Kind::kClass) return boxes_.size();
    const auto found = std::find_if(boxes_.begin(), boxes_.end(),
                                    [&](const Box& box) { return box.cls.valid() && box.cls == to.cls; });
    return static_cast<std::size_t>(found - boxes_.begin());
  }

  void relate(std::size_t from) {
    if (boxes_[from].cls.valid()) {
      for (const ClassId base : program_.classes()[boxes_[from].cls].bases) {
        for (std::size_t to = 0; to < boxes_.size(); ++to) {
          if (boxes_[to].cls == base) add_relation(ClassRelation::Kind::kExtends, from, to, "extends");
        }
      }
    }
    // What changed functions call, or what of it changed, is why the change is drawn: the rest of a large class is not.
    std::vector<std::vector<std::string>> called(boxes_.size()), telling(boxes_.size()), differing(boxes_.size());
    std::vector<bool> made(boxes_.size(), false);
    for (const FunctionId function : functions_of(boxes_[from])) {
      for (const program::CallId id : program_.functions()[function].calls) {
        if (const std::size_t to = class_made_at(id); to != boxes_.size() && to != from) made[to] = true;
        for (const program::CallTarget& target : program_.calls()[id].targets) {
          if (!target.function.valid() || target.kind == program::CallKind::kCallback) continue;
          const std::size_t to = index_of(target.function);
          if (to == boxes_.size() || to == from) continue;
          if (target.kind == program::CallKind::kConstructor) made[to] = true;
          if (target.kind == program::CallKind::kConstructor) continue;
          const std::string name(program_.functions()[target.function].name);
          add_once(called[to], name);
          if (internal::mark_of(story_, side_, target.function) != report::Mark::kNone) {
            add_once(differing[to], name);
          } else if (internal::mark_of(story_, side_, function) != report::Mark::kNone) {
            add_once(telling[to], name);
          }
        }
      }
    }
    for (std::size_t to = 0; to < boxes_.size(); ++to) {
      if (!made[to] && called[to].empty()) continue;
      std::vector<std::string> parts;
      if (made[to]) parts.emplace_back("creates");
      for (const std::string& name : telling[to]) add_once(differing[to], name);
      std::vector<std::string>& names = differing[to].empty() ? called[to] : differing[to];
      const std::size_t all = names.size();
      if (all > kMostNames) names.resize(kMostNames);
      if (all > 0) parts.push_back(fmt::format("calls {}{}", join(names, ", "), all > kMostNames ? ", …" : ""));
      add_relation(made[to] ? ClassRelation::Kind::kComposes : ClassRelation::Kind::kUses, from, to, join(parts, ", "));
    }
  }

  static void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  void add_relation(ClassRelation::Kind kind, std::size_t from, std::size_t to, std::string label) {
    const bool is_known = std::any_of(diagram_.relations.begin(), diagram_.relations.end(),
                                      [&](const ClassRelation& one) { return one.from == from && one.to == to; });
    if (!is_known && diagram_.relations.size() < kMostRelations)
      diagram_.relations.push_back({kind, from, to, std::move(label)});
  }

  const report::Story& story_;
  DrawnSide side_;
  const program::Program& program_;
  std::vector<Box> boxes_;
  report::ClassDiagram diagram_;
  std::vector<Fault> faults_;
};

}  // namespace

Filled draw_classes(const report::DocumentInputs& inputs, const report::Story& story, std::string_view request) {
  ClassesDrawing drawing(inputs, story);
  drawing.run(request);
  return drawing.take();
}

}  // namespace lockstep::writer
