#include "report/documents/compatibility/removed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "program/module_names.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/file_name.h"
#include "report/source/code.h"
#include "report/source/held_settings.h"
#include "report/source/local_values.h"
#include "report/source/loggers.h"
#include "report/source/pydantic_extra.h"
#include "report/story/classes/successors.h"
#include "rules/calls/promises.h"
#include "rules/names/attributes_of_class.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using change::EntityChange;
using change::EntityKind;

namespace {

/// Whether the entity was read off an object, or a class, on the before side: a method may be a function of a module
/// now.
bool was_member(const DocumentInputs& inputs, const EntityChange& entity) {
  const bool is_member = entity.kind == EntityKind::kMethod || entity.kind == EntityKind::kField;
  if (!entity.before || !entity.before->function.valid()) return is_member;
  return inputs.before->functions()[entity.before->function].owner.valid();
}

/// Whether a method became a function of a module, or the other way round.
bool changes_kind(const DocumentInputs& inputs, const EntityChange& entity) {
  if (!entity.before || !entity.after || !entity.before->function.valid() || !entity.after->function.valid())
    return false;
  return inputs.before->functions()[entity.before->function].owner.valid() !=
         inputs.after->functions()[entity.after->function].owner.valid();
}

/// The class on the after side that is the member's class on the before side, under the same name or another; none for
/// what is no member, or where the class is gone.
program::ClassId class_now(const DocumentInputs& inputs, const EntityChange& gone) {
  if (!gone.before || !was_member(inputs, gone)) return {};
  program::ClassId was = gone.before->cls;
  if (!was.valid() && gone.before->function.valid()) was = inputs.before->functions()[gone.before->function].owner;
  if (!was.valid()) return {};
  for (const EntityChange& each : inputs.change->entities) {
    if (each.kind == EntityKind::kClass && each.before && each.before->cls == was)
      return each.after ? each.after->cls : program::ClassId();
  }
  return inputs.after->find_class(inputs.before->classes()[was].qualified_name);
}

/// The class that gives `cls` something of this name now, itself or one above it; none where nothing does, or what is
/// left is only there to be overridden.
program::ClassId giver_of(const program::Program& program, program::ClassId cls, std::string_view name,
                          bool is_of_method) {
  if (!cls.valid()) return {};
  const auto is_named = [&](const program::Field& field) { return field.name == name; };
  for (const program::ClassId base : program.classes()[cls].linearized) {
    const program::Class& each = program.classes()[base];
    const auto method = std::find_if(each.methods.begin(), each.methods.end(),
                                     [&](program::FunctionId one) { return program.functions()[one].name == name; });
    if (method != each.methods.end())
      return is_of_method && rules::is_only_promised(program, *method) ? program::ClassId() : base;
    const auto field = std::find_if(each.fields.begin(), each.fields.end(), is_named);
    if (field != each.fields.end())
      return is_of_method && rules::is_none(field->default_value) ? program::ClassId() : base;
  }
  return {};
}

bool has_method(const program::Program& program, program::ClassId cls, std::string_view name) {
  const auto& methods = program.classes()[cls].methods;
  return std::any_of(methods.begin(), methods.end(),
                     [&](program::FunctionId method) { return program.functions()[method].name == name; });
}

/// Whether nothing has the entity's old name in its old place: it is gone, is called something else or stands
/// elsewhere. Not where only its class is.
bool loses_name(const DocumentInputs& inputs, const EntityChange& entity) {
  if (!entity.before) return false;
  if (!entity.after || changes_kind(inputs, entity)) return true;
  if (change::last_part(entity.before->qualified_name) != change::last_part(entity.after->qualified_name)) return true;
  const bool is_member = entity.kind == EntityKind::kMethod || entity.kind == EntityKind::kField;
  return entity.moved && !is_member;
}

/// Whether the module that had the entity has something of its name again.
bool is_defined_anew(const DocumentInputs& inputs, const EntityChange& entity) {
  if (was_member(inputs, entity)) return false;
  const std::string& name = entity.before->qualified_name;
  return inputs.after->find_function(name).valid() || inputs.after->find_class(name).valid();
}

/// Whether `from b import *` brings the name into the module: of what the repository itself defines.
bool stars_in(const program::Program& program, program::ModuleId module, std::string_view name) {
  const auto& imports = program.modules()[module].facts->imports;
  const bool has_star = std::any_of(imports.begin(), imports.end(), [](const python::ImportedName& each) {
    return each.name == "*" && each.scope == python::ScopeId(0);
  });
  return has_star && program.resolve(module, name).kind != program::Reference::Kind::kUnknown;
}

/// A name that code outside could use and no longer finds: not one that the module still binds by an import, and not
/// what goes with its class.
bool is_gone_name(const DocumentInputs& inputs, const Story& story, const Actor& actor) {
  if (!loses_name(inputs, *actor.change) || actor.change->kind == EntityKind::kModule || is_logger(*actor.change))
    return false;
  // What a base class gives a class without such a method of its own is there still.
  const std::string& gone = actor.change->before->qualified_name;
  if (gone.find(".__") != std::string::npos && gone.ends_with("__")) return false;
  const bool is_method = actor.change->kind != EntityKind::kField && was_member(inputs, *actor.change);
  const program::ClassId now = class_now(inputs, *actor.change);
  if (giver_of(*inputs.after, now, change::last_part(gone), is_method).valid()) return false;
  if (is_method && now.valid() && rules::is_member_of_nn_module(change::last_part(gone)) &&
      inputs.after->derives_from(now, "torch.nn.Module"))
    return false;
  // Nobody outside gets at what a function defines for itself.
  const program::FunctionId function = actor.change->before->function;
  if (actor.is_function() && function.valid() && inputs.before->functions()[function].enclosing.valid()) return false;
  const program::ClassId local = actor.change->before->cls;
  if (local.valid() && inputs.before->classes()[local].enclosing.valid()) return false;
  const std::string& name = actor.change->before->qualified_name;
  const auto holds_it = [&](const Actor& other) {
    return other.is_removed() && other.change->kind == EntityKind::kClass &&
           other.change->before->path == actor.change->before->path &&
           name.starts_with(other.change->before->qualified_name + ".");
  };
  if (std::any_of(story.actors.begin(), story.actors.end(), holds_it)) return false;
  const std::string_view short_one = change::last_part(gone);
  // A module may have become a package, which is another file of the same name.
  const program::ModuleId home = inputs.before->find_path(actor.change->before->path);
  const auto imports_it = [&](const program::Program& side) {
    const program::ModuleId module =
        home.valid() ? side.find_module(inputs.before->modules()[home].name) : program::ModuleId();
    if (!module.valid()) return false;
    const auto& imports = side.modules()[module].facts->imports;
    if (stars_in(side, module, short_one)) return true;
    return std::any_of(imports.begin(), imports.end(), [&](const python::ImportedName& each) {
      return each.bound_as == short_one || (actor.change->after && each.name == "*");
    });
  };
  if (is_defined_anew(inputs, *actor.change)) return false;
  // `Headers = _Headers()` where a class of that name stood: the name is there still.
  const auto binds_it = [&](const Actor& other) {
    return other.is_added() && other.change->after->qualified_name == name;
  };
  if (std::any_of(story.actors.begin(), story.actors.end(), binds_it)) return false;
  // `f = None` where something else is missing is no name that anybody could use.
  const python::Expr* target = nullptr;
  const python::Expr* value = assigned_value(actor.change->before->node, target);
  if (actor.change->kind == EntityKind::kVariable && value != nullptr && rules::is_none(value)) return false;
  // With its file, which has another name.
  const bool is_there = home.valid() && inputs.after->find_module(inputs.before->modules()[home].name).valid();
  if (actor.change->after && actor.change->moved && !is_there) return false;
  // What stood in for a failed import is no name of the module's own.
  return !imports_it(*inputs.after) && !imports_it(*inputs.before);
}

/// With its file where another removed entity has the same name.
std::string name_with_file(const DocumentInputs& inputs, const Story& story, const EntityChange& entity) {
  if (changes_kind(inputs, entity)) {
    return fmt::format("{} (now {} in {})", code(short_name(*inputs.before, entity.before->function)),
                       code(short_name(inputs, entity)), place(entity.after->path));
  }
  if (entity.after) {
    const std::string now(change::last_part(entity.after->qualified_name));
    const std::string was(change::last_part(entity.before->qualified_name));
    const std::string above = short_name(inputs, entity);
    const std::string old_name = above.substr(0, above.size() - now.size()) + was;
    if (now == was) return fmt::format("{} (now in {})", code(old_name), place(entity.after->path));
    // Where its code stands; who called it may call something else.
    if (now.starts_with("_") && !was.starts_with("_"))
      return fmt::format("{} (its code is that of {} now)", code(old_name), code(now));
    return fmt::format("{} (now {})", code(old_name), code(now));
  }
  const std::string name = short_name(inputs, entity);
  const auto same = std::count_if(story.actors.begin(), story.actors.end(), [&](const Actor& other) {
    return other.is_removed() && short_name(inputs, *other.change) == name;
  });
  if (const std::string instead = imported_instead(inputs, entity); !instead.empty())
    return fmt::format("{} (now {})", code(name), code(instead));
  return same > 1 ? fmt::format("{} ({})", code(name), place(entity.latest().path)) : code(name);
}

/// Whether the name at `offset` is read off an object, or imported.
bool is_use(const program::Module& module, std::uint32_t offset, bool of_member, std::string_view home) {
  const std::vector<const python::Node*> around = chain_to(module.facts->tree(), {offset, offset + 1});
  for (auto node = around.rbegin(); node != around.rend(); ++node) {
    const auto* attribute = python::as<python::Attribute>(*node);
    // Of a module's own name only what is read off that module.
    if (attribute != nullptr && attribute->name.span.begin == offset)
      return of_member || dotted_text(attribute->value).ends_with(home);
    if (python::is<python::Constant>(*node)) return false;
    if (const auto* import = python::as<python::ImportFrom>(*node))
      return !of_member && (import->module.text == home || import->module.text.ends_with(fmt::format(".{}", home)));
  }
  return false;
}

/// Whether the function is a method of a class that derives from `cls`.
bool is_of_heir(const program::Program& program, program::FunctionId function, program::ClassId cls) {
  const program::ClassId owner = program.functions()[function].owner;
  return cls.valid() && owner.valid() && owner != cls && program::are_kin(program, owner, cls);
}

/// Whether the name at `offset` is that of a method in a call that is known to enter a function: that one is there. Not
/// where only its name leads to what overrode the method that `loser` had.
bool enters_another(const program::Program& program, const program::Module& module, std::uint32_t offset,
                    program::ClassId loser) {
  for (const python::Node* node : chain_to(module.facts->tree(), {offset, offset + 1})) {
    const auto* call = python::as<python::Call>(node);
    const auto* method = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
    if (method == nullptr || method->name.span.begin != offset) continue;
    const program::CallId id = program.call_of(call);
    if (!id.valid()) return false;
    const auto& targets = program.calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      return target.function.valid() &&
             (target.certainty != program::Certainty::kByName || !is_of_heir(program, target.function, loser));
    });
  }
  return false;
}

/// Whether `test` asks whether what `name` stands for is a `cls`, or below it: `isinstance(name, C)`, `issubclass(name,
/// C)` by `asks`; alone, or with more that must hold.
bool asks_for(const program::Program& program, program::FunctionId function, const python::Expr* test,
              std::string_view asks, std::string_view name, program::ClassId cls) {
  if (const auto* all = python::as<python::BoolOp>(test); all != nullptr && all->op == python::BoolOperator::kAnd)
    return std::any_of(all->values.begin(), all->values.end(),
                       [&](const python::Expr* one) { return asks_for(program, function, one, asks, name, cls); });
  const auto* call = python::as<python::Call>(test);
  if (call == nullptr || callee_name(*call) != asks || call->arguments.size() != 2 ||
      rules::name_of(call->arguments[0]) != name)
    return false;
  const program::Reference asked = program.resolve(function, *call->arguments[1]);
  if (asked.kind != program::Reference::Kind::kClass) return false;
  const std::vector<program::ClassId> below = program::with_descendants(program, cls);
  return std::find(below.begin(), below.end(), asked.cls) != below.end();
}

/// Whether the name at `offset` is read off a local that a branch around asks to be a `cls`, or that is made by calling
/// a name which one asks to stand for such a class.
bool is_read_off(const program::Program& program, program::ModuleId module, std::uint32_t offset,
                 program::ClassId cls) {
  if (!cls.valid()) return false;
  const std::vector<const python::Node*> around =
      chain_to(program.modules()[module].facts->tree(), {offset, offset + 1});
  std::string_view local;
  for (const python::Node* node : around) {
    const auto* attribute = python::as<python::Attribute>(node);
    if (attribute != nullptr && attribute->name.span.begin == offset) local = rules::name_of(attribute->value);
  }
  const program::FunctionId function = program.function_at(module, offset);
  if (local.empty() || !function.valid()) return false;
  const python::FunctionDef* def = program.functions()[function].def();
  const auto* made = def == nullptr ? nullptr : python::as<python::Call>(only_value_of(*def, local));
  const std::string_view maker = made == nullptr ? std::string_view() : rules::name_of(made->callee);
  return std::any_of(around.begin(), around.end(), [&](const python::Node* node) {
    const auto* branch = python::as<python::If>(node);
    if (branch == nullptr || branch->body.empty() || offset < branch->body.front()->span.begin ||
        offset >= branch->body.back()->span.end)
      return false;
    return asks_for(program, function, branch->condition, "isinstance", local, cls) ||
           (!maker.empty() && asks_for(program, function, branch->condition, "issubclass", maker, cls));
  });
}

/// Whether the class has something of this name, and is no kin of the class that loses it.
bool has_its_own(const program::Program& program, program::ClassId cls, std::string_view name, program::ClassId loser) {
  return cls.valid() && !program::are_kin(program, cls, loser) &&
         (program.find_field(cls, name) != nullptr || program.find_method(cls, name).valid());
}

/// Whether the name at `offset` is read off `self`, or off an object of known classes, and these have something of this
/// name and are no kin of the class that loses it.
bool is_own_of_another(const program::Program& program, program::ModuleId module, std::uint32_t offset,
                       std::string_view name, program::ClassId loser) {
  if (!loser.valid()) return false;
  const python::Attribute* read = nullptr;
  for (const python::Node* node : chain_to(program.modules()[module].facts->tree(), {offset, offset + 1})) {
    const auto* attribute = python::as<python::Attribute>(node);
    if (attribute != nullptr && attribute->name.span.begin == offset) read = attribute;
  }
  const program::FunctionId function = program.function_at(module, offset);
  if (read == nullptr || !function.valid()) return false;
  program::FunctionId around = function;
  while (program.functions()[around].enclosing.valid()) around = program.functions()[around].enclosing;
  if (rules::self_attribute(read) == name) return has_its_own(program, program.functions()[around].owner, name, loser);
  const auto all_have = [&](const std::vector<program::ClassId>& classes) {
    return !classes.empty() && std::all_of(classes.begin(), classes.end(), [&](program::ClassId cls) {
      return has_its_own(program, cls, name, loser);
    });
  };
  const std::vector<program::ClassId> classes = program.instance_classes(function, *read->value);
  if (!classes.empty()) return all_have(classes);
  // What a local stands for: `cfg = self.config`.
  const python::FunctionDef* def = program.functions()[function].def();
  const std::string_view local = rules::name_of(read->value);
  const python::Expr* value = def == nullptr || local.empty() ? nullptr : only_value_of(*def, local);
  return has_its_own(program, class_declaring(program, function, *read, name), name, loser) ||
         (value != nullptr && all_have(program.instance_classes(function, *value)));
}

/// Whether what the name stands for in the module is imported from another module than the one that loses it.
bool imports_from_elsewhere(const DocumentInputs& inputs, const program::Module& module, std::string_view name,
                            const EntityChange& entity) {
  const program::Program& program = *inputs.after;
  if (was_member(inputs, entity)) return false;
  bool any = false;
  for (const python::ImportedName& each : module.facts->imports) {
    if (each.bound_as != name || each.name.empty()) continue;
    const program::ModuleId from = program.find_module(program::absolute_name(module, each.level, each.module));
    if (!from.valid() || program.modules()[from].path == entity.before->path) return false;
    any = true;
  }
  return any;
}

/// Whether the change wrote this line, and something else that it brings has the name: that is what it uses there.
bool is_use_of_new(const DocumentInputs& inputs, const program::Module& module, std::uint32_t line,
                   const EntityChange& gone) {
  const std::string_view name = change::last_part(gone.before->qualified_name);
  const bool has_new =
      std::any_of(inputs.change->entities.begin(), inputs.change->entities.end(), [&](const EntityChange& one) {
        return one.status == change::Status::kAdded && change::last_part(one.after->qualified_name) == name;
      });
  if (!has_new) return false;
  return std::any_of(inputs.change->files.begin(), inputs.change->files.end(), [&](const change::FileSummary& file) {
    return file.file->new_path == module.path && file.file->lines.is_added_line(line);
  });
}

/// Places outside tests where code on the after side uses a member or a module's name of this name.
std::vector<std::string> remaining_uses(const DocumentInputs& inputs, const EntityChange& entity) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kMostLooked = 400;
  std::size_t looked = 0;
  std::vector<std::string> places;
  const std::string& qualified = entity.before->qualified_name;
  const std::size_t dot = qualified.rfind('.');
  if (dot == std::string::npos) return places;
  const std::string_view name = std::string_view(qualified).substr(dot + 1);
  const std::string_view above = std::string_view(qualified).substr(0, dot);
  const std::string_view home = above.substr(above.rfind('.') == std::string_view::npos ? 0 : above.rfind('.') + 1);
  const program::ClassId loser = class_now(inputs, entity);
  for (std::size_t i = 0; i < inputs.after->modules().size(); ++i) {
    const program::ModuleId id(static_cast<std::uint32_t>(i));
    const program::Module& module = inputs.after->modules()[id];
    if (program::is_test_path(module.path) || imports_from_elsewhere(inputs, module, name, entity)) continue;
    const python::FileFacts& facts = *module.facts;
    for (std::size_t at = facts.find_name(name);
         at != std::string_view::npos && places.size() < kMost && looked < kMostLooked;
         at = facts.find_name(name, at + 1), ++looked) {
      if (!is_use(module, static_cast<std::uint32_t>(at), was_member(inputs, entity), home) ||
          ((enters_another(*inputs.after, module, static_cast<std::uint32_t>(at), loser) ||
            is_own_of_another(*inputs.after, id, static_cast<std::uint32_t>(at), name, loser)) &&
           !is_read_off(*inputs.after, id, static_cast<std::uint32_t>(at), loser)))
        continue;
      const std::uint32_t line = module.facts->source().line_of(static_cast<std::uint32_t>(at));
      if (is_use_of_new(inputs, module, line, entity)) continue;
      std::string where = place(module.path, line);
      // A line may name it twice.
      if (places.empty() || places.back() != where) places.push_back(std::move(where));
    }
  }
  return places;
}

/// What else a class or module on the after side has of this name, other than what overrode it for `loser`: " (`f`,
/// `a.py:3`, has that name, too)" of one function; empty where nothing does.
std::string others_of_name(const DocumentInputs& inputs, std::string_view name, program::ClassId loser) {
  constexpr std::string_view kSome = " (something else has that name, too)";
  const auto is_named = [&](const auto& one) { return one.name == name; };
  const auto& functions = inputs.after->functions();
  std::string out;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const program::FunctionId id(static_cast<std::uint32_t>(i));
    if (!is_named(functions[id]) || is_of_heir(*inputs.after, id, loser)) continue;
    out = !out.empty() ? std::string(kSome)
                       : fmt::format(" ({}, {}, has that name, too)", code(short_name(*inputs.after, id)),
                                     place_of(*inputs.after, id));
  }
  const bool is_any =
      std::any_of(inputs.after->classes().begin(), inputs.after->classes().end(), [&](const program::Class& cls) {
        return cls.name == name || std::any_of(cls.fields.begin(), cls.fields.end(), is_named);
      });
  return is_any ? std::string(kSome) : out;
}

/// Who in the repository still uses names that are gone, as a sentence; empty where nobody does.
std::string users_text(const DocumentInputs& inputs, const std::vector<const EntityChange*>& gone) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kMostLooked = 40;
  constexpr std::size_t kTelling = 10;
  std::vector<std::string> items;
  for (std::size_t i = 0; i < gone.size() && i < kMostLooked && items.size() < kMost; ++i) {
    const std::string& qualified = gone[i]->before->qualified_name;
    const std::string name = qualified.substr(qualified.rfind('.') + 1);
    // A common word that something else has for its name, too, says nothing of whose it is.
    const std::string others = others_of_name(inputs, name, class_now(inputs, *gone[i]));
    if (!others.empty() && name.size() < kTelling) continue;
    const std::vector<std::string> places = remaining_uses(inputs, *gone[i]);
    if (places.empty()) continue;
    std::string text = fmt::format("{} at {}{}", code(name), join_words(places), others);
    if (std::find(items.begin(), items.end(), text) == items.end()) items.push_back(std::move(text));
  }
  return items.empty() ? std::string() : fmt::format(". Code inside still uses {}", join(items, "; "));
}

/// What outside tests overrode methods that are gone and stays, as a sentence; empty where nothing does.
std::string overriders_text(const DocumentInputs& inputs, const std::vector<const EntityChange*>& gone) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> called;
  std::vector<std::string> uncalled;
  for (const EntityChange* one : gone) {
    const program::ClassId loser = class_now(inputs, *one);
    if (!one->before->function.valid() || !loser.valid() || one->after) continue;
    const std::string_view name = inputs.before->functions()[one->before->function].name;
    for (const program::FunctionId was : inputs.before->overrides_of(one->before->function)) {
      const program::FunctionId now = inputs.after->find_function(inputs.before->functions()[was].qualified_name);
      if (!now.valid() || program::is_test_path(inputs.after->module_of(now).path) ||
          !is_of_heir(*inputs.after, now, loser))
        continue;
      const auto& above = inputs.after->classes()[inputs.after->functions()[now].owner].linearized;
      const bool overrides = std::any_of(above.begin() + 1, above.end(),
                                         [&](program::ClassId cls) { return has_method(*inputs.after, cls, name); });
      if (overrides) continue;
      const bool is_called = !inputs.after->callers_of(now).empty() || !remaining_uses(inputs, *one).empty();
      std::vector<std::string>& out = is_called ? called : uncalled;
      std::string text = fmt::format("{} ({})", code(short_name(*inputs.after, now)), place_of(*inputs.after, now));
      if (out.size() < kMost && std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
    }
  }
  std::string text;
  if (!called.empty())
    text += fmt::format(". {} overrode what is gone and stay{}", join_words(called), called.size() == 1 ? "s" : "");
  if (!uncalled.empty())
    text += fmt::format(". {} overrode what is gone and stay{}; no call by {} name was found", join_words(uncalled),
                        uncalled.size() == 1 ? "s" : "", uncalled.size() == 1 ? "its" : "their");
  return text;
}

/// What the class of a field that is gone does since with an argument of its name: "allow", "ignore", "forbid"; empty
/// where it took none before, has something else of that name, or that is not known.
std::string extra_since(const DocumentInputs& inputs, const EntityChange& gone) {
  if (gone.kind != EntityKind::kField || !gone.before->cls.valid()) return {};
  const program::Class& old = inputs.before->classes()[gone.before->cls];
  const std::string& qualified = gone.before->qualified_name;
  const std::string_view name = std::string_view(qualified).substr(qualified.rfind('.') + 1);
  const program::ClassId now = inputs.after->find_class(old.qualified_name);
  if (!now.valid() || !is_pydantic_field(old, name) || pydantic_extra(*inputs.before, gone.before->cls).empty() ||
      inputs.after->find_field(now, name) != nullptr || inputs.after->find_method(now, name).valid())
    return {};
  return pydantic_extra(*inputs.after, now);
}

/// ". `Rollout` still takes them as arguments and keeps them (pydantic, `extra="allow"`)" where all that is gone are
/// fields of pydantic's models that do not refuse what gives them. Empty for others.
std::string still_taken_text(const DocumentInputs& inputs, const std::vector<const EntityChange*>& gone) {
  std::map<std::string, std::vector<std::string>> classes;  // By what they do with such arguments.
  for (const EntityChange* one : gone) {
    const std::string extra = extra_since(inputs, *one);
    if (extra != "allow" && extra != "ignore") return {};
    std::vector<std::string>& names = classes[extra];
    const std::string name = code(std::string(inputs.before->classes()[one->before->cls].name));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  // Which of them are dropped and which are kept is not said.
  if (classes.size() != 1) return {};
  const auto& [extra, names] = *classes.begin();
  const bool is_one = names.size() == 1;
  const std::string_view keeps = extra == "allow" ? (is_one ? "keeps" : "keep") : (is_one ? "drops" : "drop");
  const std::string_view what = gone.size() == 1 ? "it" : "them";
  return fmt::format(". {} still {} {} as {} and {} {} (pydantic, {})", join_words(names), is_one ? "takes" : "take",
                     what, gone.size() == 1 ? "an argument" : "arguments", keeps, what,
                     code(fmt::format("extra=\"{}\"", extra)));
}

}  // namespace

namespace {

bool is_public_name(std::string_view name) {
  for (const std::string_view part : split(name, '.')) {
    if (part.starts_with("_") && !part.ends_with("__")) return false;
    if (part.starts_with("<")) return false;
  }
  return true;
}

}  // namespace

bool is_public(const EntityChange& entity) { return is_public_name(entity.latest().qualified_name); }

bool was_public(const EntityChange& entity) { return !entity.before || is_public_name(entity.before->qualified_name); }

namespace {

/// "a, b and 3 more".
std::string with_more(std::vector<std::string> names, std::size_t more) {
  if (more > 0) names.push_back(fmt::format("{} more", more));
  return join_words(names);
}

/// Whether what the side's module gives under the name is the definition.
bool gives(const program::Program& side, program::ModuleId module, std::string_view name,
           const change::EntitySide& of) {
  const program::Reference given = side.resolve(module, name);
  switch (given.kind) {
    case program::Reference::Kind::kClass:
      return of.cls.valid() && given.cls == of.cls;
    case program::Reference::Kind::kFunction:
      return of.function.valid() && given.function == of.function;
    case program::Reference::Kind::kVariable:
      return given.module.valid() && side.modules()[given.module].path == of.path && given.name == name;
    default:
      return false;
  }
}

/// The nearest package around the module that had the definition, and that gave it under its name before the change and
/// gives it, from its new place, since; empty where none does, or something else is called so.
std::string package_giving(const DocumentInputs& inputs, const EntityChange& entity) {
  const bool is_of_module = entity.kind == EntityKind::kClass || entity.kind == EntityKind::kVariable ||
                            (entity.kind == EntityKind::kFunction && !was_member(inputs, entity));
  if (!is_of_module || !entity.before || !entity.after) return {};
  const std::string_view name = change::last_part(entity.before->qualified_name);
  const program::ModuleId home = inputs.before->find_path(entity.before->path);
  if (!home.valid() || change::last_part(entity.after->qualified_name) != name) return {};
  std::string_view around = inputs.before->modules()[home].name;
  while (around.find('.') != std::string_view::npos) {
    around = around.substr(0, around.rfind('.'));
    const program::ModuleId was = inputs.before->find_module(around);
    const program::ModuleId now = inputs.after->find_module(around);
    if (was.valid() && now.valid() && inputs.after->modules()[now].path.ends_with("__init__.py") &&
        gives(*inputs.before, was, name, *entity.before) && gives(*inputs.after, now, name, *entity.after))
      return std::string(around);
  }
  return {};
}

/// What moved out of its module while the package that gives it to others still does: one risk a package.
void add_still_exported(const std::map<std::string, std::vector<std::string>>& names, std::vector<Risk>& risks) {
  constexpr std::size_t kMostNames = 4;
  for (const auto& [package, all] : names) {
    std::vector<std::string> told = all;
    if (all.size() > kMostNames + 1) told.resize(kMostNames);
    const std::string_view what = all.size() == 1 ? "it" : "them";
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("No longer importable by the name of {} old module: {}.",
                                 all.size() == 1 ? "its" : "their", with_more(told, all.size() - told.size())),
                     fmt::format("{} still exports {}. Code outside the repository that imports {} by the old module "
                                 "breaks",
                                 code(package), what, what),
                     false});
  }
}

/// Public methods that a class no longer has itself and that a class above it gives it now.
void add_inherited_names(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  std::vector<std::string> givers;
  std::size_t more = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !loses_name(inputs, *actor.change) || actor.change->kind != EntityKind::kMethod ||
        !was_public(*actor.change))
      continue;
    const program::ClassId cls = class_now(inputs, *actor.change);
    const std::string_view gone = change::last_part(actor.change->before->qualified_name);
    if (!cls.valid()) continue;
    const program::ClassId giver = giver_of(*inputs.after, cls, gone, true);
    // Of a field it is not known what runs.
    if (!giver.valid() || giver == cls || !has_method(*inputs.after, giver, gone)) continue;
    if (names.size() == kMost) {
      ++more;
      continue;
    }
    names.push_back(code(fmt::format("{}.{}", short_name(*inputs.after, cls), gone)));
    const std::string name = code(short_name(*inputs.after, giver));
    if (std::find(givers.begin(), givers.end(), name) == givers.end()) givers.push_back(name);
  }
  if (names.empty()) return;
  const bool several = names.size() > 1;
  risks.push_back(
      {RiskKind::kCompatibility,
       fmt::format("{} {} inherited now, from {}.", with_more(names, more), several ? "are" : "is", join_words(givers)),
       several ? "Their names stay; what runs is the base's" : "Its name stays; what runs is the base's", false});
}

}  // namespace

std::vector<std::string> removed_modules(const DocumentInputs& inputs) {
  std::vector<std::string> out;
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->old_path;
    if (!file.is_python || !file.file->new_path.empty() || program::is_test_path(path) || program::is_helper_path(path))
      continue;
    const program::ModuleId module = inputs.before->find_path(path);
    if (!module.valid()) continue;
    const std::string& name = inputs.before->modules()[module].name;
    if (!inputs.after->find_module(name).valid()) out.push_back(code(name));
  }
  return out;
}

std::vector<MovedModule> moved_modules(const DocumentInputs& inputs) {
  std::vector<MovedModule> out;
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& was = file.file->old_path;
    const std::string& is = file.file->new_path;
    if (!file.is_python || was.empty() || is.empty() || was == is || program::is_test_path(was) ||
        program::is_helper_path(was))
      continue;
    const program::ModuleId before = inputs.before->find_path(was);
    const program::ModuleId after = inputs.after->find_path(is);
    if (!before.valid() || !after.valid()) continue;
    const std::string& old_name = inputs.before->modules()[before].name;
    if (!inputs.after->find_module(old_name).valid())
      out.push_back({old_name, inputs.after->modules()[after].name, was, is});
  }
  return out;
}

std::vector<std::string> moved_module_items(const DocumentInputs& inputs) {
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kMostNamed = 3;
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/') + 1); };
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> moves;
  for (const MovedModule& one : moved_modules(inputs)) {
    const std::pair<std::string, std::string> folders{folder_of(one.old_path), folder_of(one.new_path)};
    if (folders.first != folders.second) moves[folders].push_back(code(file_name(one.new_path)));
  }
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<std::string>>> sorted(moves.begin(),
                                                                                               moves.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::vector<std::string> out;
  const auto folder = [](const std::string& path) { return path.empty() ? "the root folder" : code(path); };
  for (auto& [folders, names] : sorted) {
    const std::size_t all = names.size();
    if (all < kFewest) continue;
    if (all > kMostNamed + 1) names.resize(kMostNamed);
    out.push_back(fmt::format("{} modules move from {} to {}: {}.", all, folder(folders.first), folder(folders.second),
                              with_more(names, all - names.size())));
  }
  return out;
}

void add_removed_names(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostModules = 3;
  if (const std::vector<MovedModule> moved = moved_modules(inputs); !moved.empty()) {
    std::vector<std::string> names;
    for (const MovedModule& one : moved) {
      if (names.size() == kMostModules && moved.size() > kMostModules + 1) break;
      names.push_back(fmt::format("{} (now {})", code(one.old_name), code(one.new_name)));
    }
    const bool is_one = moved.size() == 1;
    risks.push_back(
        {RiskKind::kCompatibility,
         fmt::format("The {} {} {} imported by another name.", is_one ? "module" : "modules",
                     with_more(names, moved.size() - names.size()), is_one ? "is" : "are"),
         fmt::format("Code outside the repository that imports {} by the old one breaks", is_one ? "it" : "them"),
         false});
  }
  if (std::vector<std::string> modules = removed_modules(inputs); !modules.empty()) {
    const std::size_t all = modules.size();
    if (all > kMostModules + 1) modules.resize(kMostModules);
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("The {} {} {} gone.", all == 1 ? "module" : "modules",
                                 with_more(modules, all - modules.size()), all == 1 ? "is" : "are"),
                     fmt::format("Code outside the repository that imports {} breaks", all == 1 ? "it" : "them"),
                     false});
  }
  add_inherited_names(inputs, story, risks);
  std::vector<std::string> names;
  std::vector<const EntityChange*> gone;
  std::map<std::string, std::vector<std::string>> exported;  // By the package that still gives them.
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !was_public(*actor.change) || !is_gone_name(inputs, story, actor)) continue;
    if (const std::string package = package_giving(inputs, *actor.change); !package.empty()) {
      exported[package].push_back(
          fmt::format("{} (now in {})", code(actor.change->before->qualified_name), place(actor.change->after->path)));
      continue;
    }
    std::string name = name_with_file(inputs, story, *actor.change);
    // Both branches of a `try` may bind it.
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(std::move(name));
    gone.push_back(actor.change);
  }
  add_still_exported(exported, risks);
  if (names.empty()) return;
  const std::size_t all = names.size();
  if (all > 5) names.resize(4);
  // A field is read, and given to a constructor; nobody imports it.
  const bool are_fields =
      std::all_of(gone.begin(), gone.end(), [](const EntityChange* one) { return one->kind == EntityKind::kField; });
  risks.push_back(
      {RiskKind::kCompatibility,
       are_fields
           ? fmt::format("{} gone: {}.", all == 1 ? "A field is" : "Fields are", with_more(names, all - names.size()))
           : fmt::format("Removed from the importable names: {}.", with_more(names, all - names.size())),
       fmt::format("Code outside the repository that {} {} breaks{}{}", are_fields ? "reads" : "uses",
                   all == 1 ? "it" : "them", still_taken_text(inputs, gone),
                   users_text(inputs, gone) + overriders_text(inputs, gone)),
       false});
}

}  // namespace lockstep::report
