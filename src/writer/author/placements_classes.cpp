// "@classes Trainer, HyperCommGrid, topology.py" -> how classes and modules hang together: who derives from whom, who
// makes and who calls whom, and what the change did to them, as the code has it after the change.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/file_name.h"
#include "report/story/wording/words.h"
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

constexpr std::size_t kMostBoxes = 12, kMostMembers = 7, kMostNames = 2, kMostRelations = 20, kMostFurther = 3;

/// A class, or the functions of a module that belong to none.
struct Box {
  ClassId cls;
  ModuleId module;
};

/// What the functions of one box call of another.
struct Calls {
  bool is_made = false;
  std::vector<std::string> changed;       ///< What the change did something to.
  std::vector<std::string> from_changed;  ///< What changed functions call beside.
  std::vector<std::string> others;
  std::vector<std::string> reads;   ///< Fields that the change adds or alters.
  std::vector<std::string> passes;  ///< Changed functions that it hands to others: "merge to Factory".
};

/// One that has nothing to do with the change, and how many functions are called.
struct FurtherRelation {
  ClassRelation relation;
  std::size_t calls = 0;
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
    for (const ClassRelation& one : relations_) add_relation(one);
    // What has to do with the change is drawn; of the rest only what joins a box that would stand alone, the closest
    // two relations.
    std::vector<std::size_t> alone(boxes_.size(), 0);
    for (std::size_t i = 0; i < boxes_.size(); ++i) alone[i] = is_joined(i) ? 0 : kMostFurther;
    std::stable_sort(further_.begin(), further_.end(),
                     [](const FurtherRelation& a, const FurtherRelation& b) { return a.calls > b.calls; });
    for (const FurtherRelation& one : further_) {
      if (alone[one.relation.from] == 0 && alone[one.relation.to] == 0) continue;
      add_relation(one.relation);
      for (const std::size_t end : {one.relation.from, one.relation.to}) alone[end] -= alone[end] > 0 ? 1 : 0;
    }
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
          if (boxes_[to].cls == base) relations_.push_back({ClassRelation::Kind::kExtends, from, to, "extends"});
        }
      }
    }
    // What changed functions call, or what of it changed, is why the change is drawn: the rest of a large class is not.
    std::vector<Calls> called(boxes_.size());
    for (const FunctionId function : functions_of(boxes_[from])) {
      const bool is_changed = internal::mark_of(story_, side_, function) != report::Mark::kNone;
      for (const program::CallId id : program_.functions()[function].calls) {
        add_passed(program_.calls()[id], from, called);
        if (const std::size_t to = class_made_at(id); to != boxes_.size() && to != from) called[to].is_made = true;
        for (const program::CallTarget& target : program_.calls()[id].targets) {
          if (!target.function.valid() || target.kind == program::CallKind::kCallback) continue;
          const std::size_t to = index_of(target.function);
          if (to == boxes_.size() || to == from) continue;
          if (target.kind == program::CallKind::kConstructor) {
            called[to].is_made = true;
          } else if (is_sure(program_.calls()[id], target) && !derives(boxes_[to].cls, boxes_[from].cls)) {
            const bool differs = internal::mark_of(story_, side_, target.function) != report::Mark::kNone;
            add_once(differs      ? called[to].changed
                     : is_changed ? called[to].from_changed
                                  : called[to].others,
                     called_name(program_.calls()[id], target));
          }
        }
      }
      if (is_changed) add_reads(function, called);
    }
    for (std::size_t to = 0; to < boxes_.size(); ++to) {
      const Calls& calls = called[to];
      std::vector<std::string> names = calls.changed, parts;
      for (const std::string& name : calls.from_changed) add_once(names, name);
      const bool is_telling = !names.empty() || !calls.reads.empty() || !calls.passes.empty() || calls.is_made;
      if (!is_telling) names = calls.others;
      if (!is_telling && names.empty()) continue;
      if (calls.is_made) parts.emplace_back("creates");
      if (!names.empty()) parts.push_back("calls " + first_of(std::move(names)));
      if (!calls.passes.empty()) parts.push_back("passes " + first_of(calls.passes));
      if (!calls.reads.empty()) parts.push_back("reads " + first_of(calls.reads));
      ClassRelation relation{calls.is_made ? ClassRelation::Kind::kComposes : ClassRelation::Kind::kUses, from, to,
                             join(parts, ", ")};
      if (is_telling) {
        relations_.push_back(std::move(relation));
      } else {
        further_.push_back({std::move(relation), calls.others.size()});
      }
    }
  }

  /// A function that the change adds or alters and that is handed on, to be called later by somebody else.
  void add_passed(const program::CallSite& site, std::size_t from, std::vector<Calls>& called) const {
    const auto* call = python::as<python::Call>(site.node);
    if (call == nullptr) return;
    const auto add = [&](const python::Expr& value) {
      if (!python::is<python::Name>(&value) && !python::is<python::Attribute>(&value)) return;
      const program::Reference to = program_.resolve(site.caller, value);
      if (to.kind != program::Reference::Kind::kFunction) return;
      const std::size_t box = index_of(to.function);
      if (box == boxes_.size() || box == from) return;
      if (internal::mark_of(story_, side_, to.function) == report::Mark::kNone) return;
      const std::string_view callee = report::callee_name(*call);
      add_once(called[box].passes, callee.empty()
                                       ? std::string(program_.functions()[to.function].name)
                                       : fmt::format("{} to {}", program_.functions()[to.function].name, callee));
    };
    for (const python::Expr* argument : call->arguments) add(*argument);
    for (const python::Keyword* keyword : call->keywords) add(*keyword->value);
  }

  static void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  /// As the code calls it: `apply` of an autograd function, whose forward and backward run then.
  [[nodiscard]] std::string called_name(const program::CallSite& site, const program::CallTarget& target) const {
    const auto* call = python::as<python::Call>(site.node);
    const auto* attribute = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
    const std::string_view own = program_.functions()[target.function].name;
    return std::string(attribute != nullptr && attribute->name.text == "apply" ? attribute->name.text : own);
  }

  static std::string first_of(std::vector<std::string> names) {
    const std::size_t all = names.size();
    if (all > kMostNames) names.resize(kMostNames);
    return join(names, ", ") + (all > kMostNames ? ", \u2026" : "");
  }

  [[nodiscard]] bool is_joined(std::size_t box) const {
    return std::any_of(diagram_.relations.begin(), diagram_.relations.end(),
                       [&](const ClassRelation& one) { return one.from == box || one.to == box; });
  }

  /// Whether one class is below the other: a call on `self` that an override may take is no relation of its own.
  [[nodiscard]] bool derives(ClassId cls, ClassId base) const {
    if (!cls.valid() || !base.valid() || cls == base) return false;
    const std::vector<ClassId>& above = program_.classes()[cls].linearized;
    return std::find(above.begin(), above.end(), base) != above.end();
  }

  /// Whether the call surely enters the target, or, of several that it may enter, one whose class is above all others.
  [[nodiscard]] bool is_sure(const program::CallSite& site, const program::CallTarget& target) const {
    if (target.certainty == program::Certainty::kExact) return true;
    const ClassId cls = program_.functions()[target.function].owner;
    return cls.valid() &&
           std::all_of(site.targets.begin(), site.targets.end(),
                       [&](const program::CallTarget& one) {
                         const ClassId other =
                             one.function.valid() ? program_.functions()[one.function].owner : ClassId();
                         return other == cls || derives(other, cls);
                       }) &&
           site.targets.size() > 1;
  }

  /// Whether the attribute is read off an object of that class: of one of a known class by that, else where no other
  /// class outside tests has one of this name.
  [[nodiscard]] bool may_be_of(ClassId cls, FunctionId function, const python::Attribute& attribute) const {
    const std::vector<ClassId> known = program_.instance_classes(function, *attribute.value);
    if (!known.empty())
      return std::any_of(known.begin(), known.end(), [&](ClassId one) { return program::are_kin(program_, one, cls); });
    return std::none_of(program_.classes().begin(), program_.classes().end(), [&](const program::Class& other) {
      return other.qualified_name != program_.classes()[cls].qualified_name &&
             !program::is_test_path(program_.modules()[other.module].path) &&
             std::any_of(other.fields.begin(), other.fields.end(),
                         [&](const program::Field& field) { return field.name == attribute.name.text; });
    });
  }

  /// Fields of drawn classes that the change adds or alters, and that the function reads.
  void add_reads(FunctionId function, std::vector<Calls>& called) const {
    const python::FunctionDef* def = program_.functions()[function].def();
    if (def == nullptr) return;
    for (const report::Actor& actor : story_.actors) {
      const auto& field = actor.change->after;
      if (actor.change->kind != change::EntityKind::kField || !field || !field->cls.valid()) continue;
      for (std::size_t to = 0; to < boxes_.size(); ++to) {
        if (boxes_[to].cls != field->cls || boxes_[to].cls == owner_of(function)) continue;
        const std::string name = field->qualified_name.substr(field->qualified_name.rfind('.') + 1);
        python::walk_of<python::Attribute>(*def, python::Nested::kEnter, [&](const python::Attribute* attribute) {
          if (attribute->name.text == name && may_be_of(boxes_[to].cls, function, *attribute))
            add_once(called[to].reads, name);
        });
      }
    }
  }

  void add_relation(const ClassRelation& relation) {
    const bool is_known =
        std::any_of(diagram_.relations.begin(), diagram_.relations.end(),
                    [&](const ClassRelation& one) { return one.from == relation.from && one.to == relation.to; });
    if (!is_known && diagram_.relations.size() < kMostRelations) diagram_.relations.push_back(relation);
  }

  const report::Story& story_;
  DrawnSide side_;
  const program::Program& program_;
  std::vector<Box> boxes_;
  std::vector<ClassRelation> relations_;  ///< Those that have to do with the change.
  std::vector<FurtherRelation> further_;
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
