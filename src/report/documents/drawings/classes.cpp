// The class diagram (drawings.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/documents/drawings/drawings.h"
#include "report/source/attribute_stores.h"
#include "report/story/trails/trail.h"
#include "report/ways/scripts/script_places.h"
#include "rules/calls/promises.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using change::EntityChange;
using change::EntityKind;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostClasses = 12;
constexpr std::size_t kMostMembers = 7;

class Classes {
 public:
  Classes(const DocumentInputs& inputs, const Story& story, const std::optional<Trail>& trail)
      : inputs_(inputs), story_(story), trail_(trail) {}

  std::optional<ClassDiagram> run() {
    for (const Actor& actor : story_.actors) {
      if (actor.role == Role::kTest && !story_.only_tests) continue;
      if (actor.role == Role::kCosmetic || actor.change->kind == EntityKind::kModule) continue;
      add(actor);
    }
    if (diagram_.classes.empty()) return std::nullopt;
    for (const std::size_t index : story_.central) add_uses(story_.actors[index]);
    add_trail();
    // What only follows shows who uses the central ones; no class is drawn for its sake.
    may_add_ = false;
    for (const Actor& actor : story_.actors) {
      if (actor.role == Role::kSupporting || actor.role == Role::kFollowing) add_uses(actor);
    }
    relate_drawn();
    return std::move(diagram_);
  }

 private:
  /// Of classes that are drawn for their users, what they have to do with one another.
  void relate_drawn() {
    const Program& program = *inputs_.after;
    for (const auto& [name, at] : index_) {
      const ClassId cls = program.find_class(name);
      if (!cls.valid()) continue;
      for (const ClassId base : program.classes()[cls].bases) {
        const auto above = index_.find(program.classes()[base].qualified_name);
        if (above != index_.end()) relate(ClassRelation::Kind::kExtends, at, above->second, "extends");
      }
      for (const std::string& base : program.classes()[cls].external_bases) {
        const auto above = index_.find(base);
        if (above != index_.end()) relate(ClassRelation::Kind::kExtends, at, above->second, "extends");
      }
    }
  }

  /// The class after the change of one that stood elsewhere before it; none for others.
  [[nodiscard]] ClassId moved_to(ClassId before) const {
    for (const Actor& actor : story_.actors) {
      const EntityChange& entity = *actor.change;
      if (entity.kind == EntityKind::kClass && entity.before && entity.after && entity.before->cls == before)
        return entity.after->cls;
    }
    return {};
  }

  /// The box of a class; SIZE_MAX where there is no room left.
  std::size_t box(const Program& program, ClassId cls) {
    if (&program == inputs_.before && inputs_.before != inputs_.after) {
      if (const ClassId now = moved_to(cls); now.valid()) return box(*inputs_.after, now);
    }
    const std::string& name = program.classes()[cls].qualified_name;
    const auto known = index_.find(name);
    if (known != index_.end()) return known->second;
    if (diagram_.classes.size() >= kMostClasses || !may_add_) return SIZE_MAX;
    ClassBox out;
    out.name = short_name(program, cls);
    for (const Actor& actor : story_.actors) {
      if (actor.change->kind == EntityKind::kClass && actor.change->latest().qualified_name == name &&
          !actor.change->is_cosmetic())
        out.mark = mark_of(*actor.change);
    }
    diagram_.classes.push_back(std::move(out));
    const std::size_t at = index_[name] = diagram_.classes.size() - 1;
    add_bases(program, cls, at);
    return at;
  }

  /// Whether the class, or something in it, changes.
  [[nodiscard]] bool is_touched(const Program& program, ClassId cls) const {
    const std::string& name = program.classes()[cls].qualified_name;
    return std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
      const auto& side = actor.change->latest();
      const Program& of = actor.change->after ? *inputs_.after : *inputs_.before;
      return !actor.change->is_cosmetic() && side.cls.valid() && of.classes()[side.cls].qualified_name == name;
    });
  }

  /// What stands above a class that stays as it is says nothing of the change.
  void add_bases(const Program& program, ClassId cls, std::size_t at) {
    if (!is_touched(program, cls)) return;
    for (const ClassId base : program.classes()[cls].bases) {
      const std::size_t to = box(program, base);
      if (to != SIZE_MAX) relate(ClassRelation::Kind::kExtends, at, to, "extends");
    }
    for (const std::string& base : program.classes()[cls].external_bases) {
      static constexpr std::string_view kForms[] = {"object",         "builtins.object", "abc.ABC",
                                                    "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"};
      if (std::find(std::begin(kForms), std::end(kForms), base) != std::end(kForms)) continue;
      // A library's base that a class had is no news.
      const ClassId before = inputs_.before->find_class(program.classes()[cls].qualified_name);
      if (before.valid()) {
        const std::vector<std::string>& had = inputs_.before->classes()[before].external_bases;
        if (std::find(had.begin(), had.end(), base) != had.end() && &program == inputs_.after) continue;
      }
      const std::size_t to = named(base, std::string(change::last_part(base)), "external");
      if (to != SIZE_MAX) relate(ClassRelation::Kind::kExtends, at, to, "extends");
    }
  }

  std::size_t named(const std::string& key, const std::string& label, const std::string& stereotype) {
    const auto known = index_.find(key);
    if (known != index_.end()) return known->second;
    if (diagram_.classes.size() >= kMostClasses) return SIZE_MAX;
    diagram_.classes.push_back({label, Mark::kNone, stereotype, {}});
    return index_[key] = diagram_.classes.size() - 1;
  }

  void relate(ClassRelation::Kind kind, std::size_t from, std::size_t to, const std::string& label) {
    if (from == to || from == SIZE_MAX || to == SIZE_MAX) return;
    const bool known = std::any_of(diagram_.relations.begin(), diagram_.relations.end(),
                                   [&](const ClassRelation& one) { return one.from == from && one.to == to; });
    if (!known) diagram_.relations.push_back({kind, from, to, label});
  }

  void add(const Actor& actor) {
    const EntityChange& entity = *actor.change;
    const auto& side = entity.latest();
    const Program& program = entity.after ? *inputs_.after : *inputs_.before;
    if (entity.kind == EntityKind::kClass) {
      if (side.cls.valid()) box(program, side.cls);
      return;
    }
    if (side.qualified_name.find("<") != std::string::npos) return;
    const ClassId owner = side.cls;
    std::size_t at = SIZE_MAX;
    if (owner.valid()) {
      at = box(program, owner);
    } else {
      if (side.function.valid() && program.functions()[side.function].enclosing.valid())
        return;  // told with the outer one
      const std::size_t slash = side.path.rfind('/');
      at = named(side.path, side.path.substr(slash == std::string::npos ? 0 : slash + 1), "module");
    }
    if (at == SIZE_MAX) return;
    ClassBox& target = diagram_.classes[at];
    if (target.mark == Mark::kNone && owner.valid() && !entity.is_cosmetic()) target.mark = Mark::kModified;
    if (target.members.size() == kMostMembers) {
      target.members.push_back({"and more", false, false, Mark::kNone});
    }
    if (target.members.size() > kMostMembers) return;
    const std::string name(change::last_part(side.qualified_name));
    ClassMember member;
    member.is_method = actor.is_function() && !is_property(side.node);
    member.text = member.is_method      ? name + "(" + parameters(program, side.function) + ")"
                  : actor.is_function() ? name
                                        : name + annotation(program, owner, name);
    member.is_private = name.starts_with("_") && !name.ends_with("__");
    // In a new class every member is new.
    member.mark = target.mark == Mark::kNew || target.mark == Mark::kRemoved ? Mark::kNone : mark_of(entity);
    // What both branches of an `if` or `try` define is one member.
    const bool is_told = std::any_of(target.members.begin(), target.members.end(),
                                     [&](const ClassMember& other) { return other.text == member.text; });
    if (!is_told) target.members.push_back(std::move(member));
  }

  /// The box that a function stands in; SIZE_MAX for none.
  [[nodiscard]] std::size_t box_of(const Actor& actor) const {
    const auto& side = actor.change->latest();
    const Program& program = actor.change->after ? *inputs_.after : *inputs_.before;
    const auto found = index_.find(side.cls.valid() ? program.classes()[side.cls].qualified_name : side.path);
    return found == index_.end() ? SIZE_MAX : found->second;
  }

  /// Which class or module sets and takes new data of another: that is what the change joins them by. Says more than
  /// some call that they had.
  void add_trail() {
    if (!trail_) return;
    const auto tell = [&](std::size_t from, std::size_t to, const std::string& label) {
      if (from == to || from == SIZE_MAX || to == SIZE_MAX) return;
      const auto known = std::find_if(diagram_.relations.begin(), diagram_.relations.end(),
                                      [&](const ClassRelation& one) { return one.from == from && one.to == to; });
      if (known == diagram_.relations.end()) {
        diagram_.relations.push_back({ClassRelation::Kind::kUses, from, to, label});
      } else if (known->label.starts_with("calls ")) {
        known->label = label;
      }
    };
    const auto box_of_node = [&](const TrailNode& node) {
      if (!node.cls.valid()) return node.actor == nullptr ? SIZE_MAX : box_of(*node.actor);
      const auto found = index_.find(inputs_.after->classes()[node.cls].qualified_name);
      return found == index_.end() ? SIZE_MAX : found->second;
    };
    for (const TrailEdge& edge : trail_->edges) {
      const TrailNode& giver = trail_->nodes[edge.from];
      const TrailNode& taker = trail_->nodes[edge.to];
      if (edge.is_by_name) continue;
      if (giver.is_field) {
        tell(box_of_node(taker), box_of_node(giver), "reads " + std::string(change::last_part(giver.name)));
      } else if (taker.is_field) {
        tell(box_of_node(giver), box_of_node(taker), "sets " + std::string(change::last_part(taker.name)));
      } else if (edge.is_argument) {
        tell(box_of_node(giver), box_of_node(taker), "gives " + edge.names.front());
      } else if (!edge.names.empty() && edge.names.front() != "result") {
        tell(box_of_node(taker), box_of_node(giver), "takes " + edge.names.front());
      }
    }
  }

  static std::string parameters(const Program& program, FunctionId function) {
    if (!function.valid()) return {};
    const auto* def = program.functions()[function].def();
    if (def == nullptr) return {};
    std::vector<std::string> names;
    for (const python::Parameter* parameter : def->parameters->all) {
      if (parameter->name.text != "self" && parameter->name.text != "cls") names.emplace_back(parameter->name.text);
    }
    if (names.size() > 3) {
      names.resize(2);
      names.emplace_back("..");
    }
    return join(names, ", ");
  }

  static std::string annotation(const Program& program, ClassId owner, const std::string& name) {
    if (!owner.valid()) return {};
    const program::Field* field = program.find_field(owner, name);
    if (field == nullptr || field->annotation == nullptr) return {};
    return ": " + one_line(program.module_of(owner).facts->source(), *field->annotation, 40);
  }

  /// Whether the call stands in a changed step, or in a branch whose condition changes, which decides whether it is
  /// made: of a changed function the rest is as it was.
  static bool stands_in_change(const Actor& actor, const python::Node& call) {
    const std::vector<Step>& steps = actor.steps.after;
    if (actor.is_added() || steps.empty()) return true;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].status == StepStatus::kKept) continue;
      const bool decides = steps[i].kind == StepKind::kIf || steps[i].kind == StepKind::kWhile;
      if ((decides ? steps[i].node->span : steps[i].span).contains(call.span)) return true;
    }
    return false;
  }

  /// Whether the object holds what the call makes: `self.cache = Cache(…)`, also within a list or another expression.
  static bool is_kept(const python::Node& function, const python::Node& call) {
    bool found = false;
    python::walk_of<python::Assign>(function, python::Nested::kSkip, [&](const python::Assign* assign) {
      found = found || (assign->span.contains(call.span) &&
                        std::any_of(assign->targets.begin(), assign->targets.end(),
                                    [](const python::Expr* target) { return !rules::self_attribute(target).empty(); }));
    });
    return found;
  }

  /// Whether the method, one of those that the call may enter, only refuses, and none of the others overrides it: it is
  /// none that the call is for.
  [[nodiscard]] bool only_refuses(const program::CallSite& site, FunctionId method) const {
    const auto& functions = inputs_.after->functions();
    const ClassId owner = functions[method].owner;
    if (!owner.valid() || program::surely_enters(site, method) || !rules::is_only_promised(*inputs_.after, method))
      return false;
    return std::none_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& other) {
      if (!other.function.valid() || other.function == method || !functions[other.function].owner.valid()) return false;
      const auto& above = inputs_.after->classes()[functions[other.function].owner].linearized;
      return std::find(above.begin(), above.end(), owner) != above.end();
    });
  }

  /// Classes that a central function builds or calls into.
  void add_uses(const Actor& actor) {
    if (!actor.is_function() || !actor.change->after) return;
    const FunctionId function = actor.change->after->function;
    const auto& f = inputs_.after->functions()[function];
    std::size_t from = SIZE_MAX;
    const ClassId owner = class_of_self(*inputs_.after, function);  // Of what it stands in, too.
    const auto own = owner.valid() ? index_.find(inputs_.after->classes()[owner].qualified_name)
                                   : index_.find(actor.change->after->path);
    if (own != index_.end()) from = own->second;
    if (from == SIZE_MAX) return;
    std::size_t told = 0;
    for (const program::CallId id : f.calls) {
      if (!stands_in_change(actor, *inputs_.after->calls()[id].node)) continue;
      for (const program::CallTarget& target : inputs_.after->calls()[id].targets) {
        if (!target.function.valid() || told == 4 || target.kind == program::CallKind::kCallback ||
            !mesh::runs_now(target, *inputs_.after) || only_refuses(inputs_.after->calls()[id], target.function))
          continue;
        if (only_others_give(actor.change->after->path, inputs_.after->module_of(target.function).path)) continue;
        const auto& callee = inputs_.after->functions()[target.function];
        const bool builds = target.kind == program::CallKind::kConstructor;
        std::size_t to = SIZE_MAX;
        // A base does not know who overrides its methods.
        if (!builds && callee.owner.valid() && owner.valid()) {
          const auto& above = inputs_.after->classes()[callee.owner].linearized;
          if (callee.owner != owner && std::find(above.begin(), above.end(), owner) != above.end()) continue;
        }
        if (callee.owner.valid() && callee.owner != owner) {
          to = box(*inputs_.after, callee.owner);
        } else if (!callee.owner.valid()) {
          const auto known = index_.find(inputs_.after->module_of(target.function).path);
          if (known != index_.end()) to = known->second;
        }
        if (to == SIZE_MAX || to == from) continue;
        const bool keeps = builds && is_kept(*f.node, *inputs_.after->calls()[id].node);
        relate(keeps ? ClassRelation::Kind::kComposes : ClassRelation::Kind::kUses, from, to,
               builds ? "creates" : "calls " + std::string(callee.name));
        ++told;
      }
    }
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  const std::optional<Trail>& trail_;
  ClassDiagram diagram_;
  std::map<std::string, std::size_t> index_;
  bool may_add_ = true;
};

}  // namespace

std::optional<ClassDiagram> class_diagram(const DocumentInputs& inputs, const Story& story,
                                          const std::optional<Trail>& trail) {
  return Classes(inputs, story, trail).run();
}

}  // namespace lockstep::report
