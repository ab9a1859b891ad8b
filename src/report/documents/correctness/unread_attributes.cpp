#include "report/documents/correctness/unread_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/attribute_stores.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

constexpr std::size_t kMost = 3;

/// Whether the bases of the class are all of the repository: a library reads what it likes off its own.
bool is_of_repository(const program::Class& cls) {
  static constexpr std::string_view kBare[] = {"ABC", "abc.ABC", "object", "typing.Generic", "Generic"};
  return std::all_of(cls.external_ancestors.begin(), cls.external_ancestors.end(), [](const std::string& one) {
    return std::find(std::begin(kBare), std::end(kBare), one) != std::end(kBare);
  });
}

/// Whether code of the module goes over the attributes of objects at once (`vars(x)`, `x.__dict__`), or gets one whose
/// name it works out.
bool takes_all(const program::Module& module) {
  bool found = false;
  walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
    const auto* member = as<Attribute>(node);
    const auto* call = as<Call>(node);
    found = found || (member != nullptr && member->name.text == "__dict__");
    if (call == nullptr || call->arguments.empty()) return;
    const std::string_view callee = callee_name(*call);
    found = found || callee == "vars" || callee == "dir" || callee == "getmembers" || callee == "attrgetter" ||
            (callee == "getattr" && call->arguments.size() > 1 && rules::text_of(call->arguments[1]).empty());
  });
  return found;
}

/// Whether a module that names the class, or one that derives from it, takes all attributes of some object.
bool may_be_taken_whole(const Program& program, ClassId cls) {
  std::vector<ClassId> family = program::with_descendants(program, cls);
  const auto& above = program.classes()[cls].linearized;
  family.insert(family.end(), above.begin(), above.end());
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    if (program::is_test_path(module.path)) continue;
    const bool names = std::any_of(family.begin(), family.end(),
                                   [&](ClassId one) { return module.facts->has_name(program.classes()[one].name); });
    if (names && takes_all(module)) return true;
  }
  return false;
}

/// What code outside tests makes of an attribute's name.
struct Uses {
  bool is_read = false;
  std::vector<FunctionId> keepers;  ///< That read it only to put it back later.
};

/// Whether the statement only keeps what it reads in variables: `was = x.a`, `was = [(x, x.a) for x in all]`.
bool only_keeps(const std::vector<const Node*>& around, const Attribute& read) {
  for (auto at = around.rbegin(); at != around.rend(); ++at) {
    const Node* node = *at;
    if (node == &read || is<Tuple>(node) || is<python::List>(node) || is<Dict>(node)) continue;
    if (const auto* list = as<ListComp>(node)) {
      if (!list->element->span.contains(read.span)) return false;
      continue;
    }
    const auto* assign = as<Assign>(node);
    return assign != nullptr && assign->targets.size() == 1 && assign->value->span.contains(read.span) &&
           is<Name>(assign->targets.front());
  }
  return false;
}

/// Whether the function's own code sets the attribute at two places or more: what was there and something else.
bool sets_and_restores(const Program& program, FunctionId function, std::string_view name) {
  std::size_t sets = 0;
  for (const AttributeStore& store : stores_of(program, name)) sets += store.function == function && !store.counts;
  return sets > 1;
}

/// Whether it is `self` in a class that has nothing to do with `cls`: what is read off it is another attribute.
bool is_another_self(const Program& program, ModuleId id, const Expr* object, ClassId cls) {
  if (rules::name_of(object) != "self") return false;
  const FunctionId holder = program.function_at(id, object->span.begin);
  const ClassId own = holder.valid() ? class_of_self(program, holder) : ClassId();
  return own.valid() && !program::are_kin(program, own, cls);
}

/// The call of `getattr`, `hasattr` or `setattr` that the text names an attribute for; null for other texts.
const Call* call_naming(const std::vector<const Node*>& around, const Constant* text) {
  for (const Node* node : around) {
    const auto* call = as<Call>(node);
    if (call == nullptr || call->arguments.size() < 2 || call->arguments[1] != text) continue;
    const std::string_view callee = rules::name_of(call->callee);
    if (callee == "getattr" || callee == "hasattr" || callee == "setattr") return call;
  }
  return nullptr;
}

void add_uses(const Program& program, ModuleId id, std::string_view name, ClassId cls, Uses& uses) {
  const program::Module& module = program.modules()[id];
  const Constant* docstring = nullptr;
  walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
    if (uses.is_read) return;
    if (const auto* statement = as<ExprStmt>(node)) docstring = as<Constant>(statement->value);
    if (const auto* text = as<Constant>(node)) {
      // A docstring speaks of it; any other text may name it.
      if (text == docstring || text->constant_kind != ConstantKind::kStr || !contains(text->text, name)) return;
      const Call* call = text->text == name ? call_naming(chain_to(module.facts->tree(), text->span), text) : nullptr;
      uses.is_read = call == nullptr || !is_another_self(program, id, call->arguments[0], cls);
      return;
    }
    if (const auto* pattern = as<MatchClass>(node)) {
      for (const auto& one : pattern->keyword_names) uses.is_read = uses.is_read || one.text == name;
      return;
    }
    const auto* read = as<Attribute>(node);
    if (read == nullptr || read->name.text != name || read->context != ExprContext::kLoad) return;
    if (is_another_self(program, id, read->value, cls)) return;
    const FunctionId holder = program.function_at(id, read->span.begin);
    if (!holder.valid() || !only_keeps(chain_to(module.facts->tree(), read->span), *read) ||
        !sets_and_restores(program, holder, name)) {
      uses.is_read = true;
    } else if (std::find(uses.keepers.begin(), uses.keepers.end(), holder) == uses.keepers.end()) {
      uses.keepers.push_back(holder);
    }
  });
}

Uses uses_of(const Program& program, std::string_view name, ClassId cls) {
  Uses out;
  for (std::size_t i = 0; i < program.modules().size() && !out.is_read; ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    if (!program::is_test_path(module.path) && module.facts->has_name(name))
      add_uses(program, ModuleId(i), name, cls, out);
  }
  return out;
}

/// Whether the class, or one above it, had something of the name before the change.
bool had(const DocumentInputs& inputs, ClassId cls, std::string_view name) {
  for (const ClassId one : inputs.after->classes()[cls].linearized) {
    const ClassId was = inputs.before->find_class(inputs.after->classes()[one].qualified_name);
    if (was.valid() &&
        (inputs.before->find_field(was, name) != nullptr || inputs.before->find_method(was, name).valid()))
      return true;
  }
  return false;
}

struct NewAttribute {
  ClassId cls;
  std::string_view name;
};

/// What new steps of methods set on `self` that the class did not have.
std::vector<NewAttribute> new_attributes(const DocumentInputs& inputs, const Story& story) {
  std::vector<NewAttribute> out;
  std::set<std::pair<ClassId, std::string_view>> seen;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (actor.role == Role::kTest || !actor.is_function() || !entity.after || !entity.after->function.valid()) continue;
    const ClassId cls = class_of_self(*inputs.after, entity.after->function);
    if (!cls.valid() || program::is_helper_path(entity.after->path) || program::is_test_path(entity.after->path))
      continue;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.node == nullptr) continue;
      walk_of<Attribute>(*step.node, Nested::kSkip, [&](const Attribute* one) {
        if (one->context == ExprContext::kStore && rules::name_of(one->value) == "self" &&
            step.span.contains(one->span) && one->name.text.size() > 2 && !one->name.text.starts_with("__") &&
            seen.insert({cls, one->name.text}).second)
          out.push_back({cls, one->name.text});
      });
    }
  }
  std::erase_if(out, [&](const NewAttribute& one) {
    const program::Class& cls = inputs.after->classes()[one.cls];
    return cls.is_dataclass || !is_of_repository(cls) || had(inputs, one.cls, one.name) ||
           inputs.after->find_method(one.cls, one.name).valid();
  });
  return out;
}

}  // namespace

std::vector<std::string> unread_attributes(const DocumentInputs& inputs, const Story& story) {
  const Program& program = *inputs.after;
  std::vector<std::string> unread;
  std::map<std::string, std::vector<std::string>> kept;  // By who keeps and restores them.
  std::map<ClassId, bool> is_taken_whole;
  for (const NewAttribute& one : new_attributes(inputs, story)) {
    const Uses uses = uses_of(program, one.name, one.cls);
    if (uses.is_read || uses.keepers.size() > 1) continue;
    const auto [known, is_first] = is_taken_whole.try_emplace(one.cls, false);
    if (is_first) known->second = may_be_taken_whole(program, one.cls);
    if (known->second) continue;
    const std::string name = code(fmt::format("{}.{}", short_name(program, one.cls), one.name));
    if (uses.keepers.empty()) {
      unread.push_back(name);
    } else {
      kept[code(short_name(program, uses.keepers.front()))].push_back(name);
    }
  }
  const auto shortened = [](std::vector<std::string> names) {
    const std::size_t all = names.size();
    if (all > kMost + 1) {
      names.resize(kMost);
      names.push_back(fmt::format("{} more", all - kMost));
    }
    return join_words(names, all > kMost + 1 ? "and" : "or");
  };
  std::vector<std::string> out;
  if (!unread.empty())
    out.push_back(fmt::format("No Python code of the repository outside tests reads the new {} {} yet.",
                              unread.size() == 1 ? "attribute" : "attributes", shortened(unread)));
  for (const auto& [keeper, names] : kept) {
    out.push_back(
        fmt::format("No Python code of the repository outside tests reads the new {} {} yet but {}, which keeps the "
                    "value that was there to set it again.",
                    names.size() == 1 ? "attribute" : "attributes", shortened(names), keeper));
  }
  return out;
}

}  // namespace lockstep::report
