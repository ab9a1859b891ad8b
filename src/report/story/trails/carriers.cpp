#include "report/story/trails/carriers.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/find_text.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "report/source/words.h"
#include "report/story/steps/edit_kinds.h"
#include "report/story/trails/word_uses.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

namespace lockstep::report {

using namespace python;
using change::EntityKind;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// `None`, `False`, `""`.
bool is_off(const Constant& constant) {
  switch (constant.constant_kind) {
    case ConstantKind::kNone:
    case ConstantKind::kFalse:
      return true;
    case ConstantKind::kStr:
      return rules::text_of(&constant).empty();
    default:
      return false;
  }
}

/// Whether a value says that there is nothing yet.
bool is_nothing(const Expr* value) {
  const auto* constant = as<Constant>(value);
  const auto* call = as<Call>(value);
  const auto* list = as<python::List>(value);
  const auto* dict = as<Dict>(value);
  // `field(default=…)`, `field(default_factory=list)`.
  if (call != nullptr && callee_name(*call) == "field") {
    const Expr* made = rules::keyword_value(*call, "default_factory");
    const std::string_view maker = rules::name_of(made);
    static constexpr std::string_view kEmpty[] = {"bool", "dict", "float", "int", "list", "set", "str", "tuple"};
    if (made != nullptr) return std::find(std::begin(kEmpty), std::end(kEmpty), maker) != std::end(kEmpty);
    return is_nothing(rules::keyword_value(*call, "default"));
  }
  return value == nullptr || (constant != nullptr && is_off(*constant)) ||
         (list != nullptr && list->elements.empty()) || (dict != nullptr && dict->values.empty());
}

/// Bases whose methods have no names that a repository's own methods share by chance.
bool is_plain_base(std::string_view dotted) {
  static constexpr std::string_view kPlain[] = {"abc.ABC", "pydantic.BaseModel", "typing.Generic", "typing.Protocol"};
  return std::find(std::begin(kPlain), std::end(kPlain), dotted) != std::end(kPlain);
}

const FunctionDef* definition(const Actor& actor, bool is_after) {
  const auto& side = is_after ? actor.change->after : actor.change->before;
  return side ? as<FunctionDef>(side->node) : nullptr;
}

/// Whether a step of one side does on both sides the same to the same, under other names.
bool only_renames(const Actor& actor, const Step& step, bool is_after) {
  if (!step.renames.empty()) return true;
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
  return only_names_differ(actor, is_after ? step : actor.steps.after[step.partner]);
}

class Finder {
 public:
  Finder(const DocumentInputs& inputs, const Story& story, bool is_after)
      : inputs_(inputs),
        story_(story),
        is_after_(is_after),
        program_(is_after ? *inputs.after : *inputs.before),
        other_(is_after ? *inputs.before : *inputs.after) {}

  std::vector<Carrier> run() {
    for (const Actor& actor : story_.actors) note(actor);
    for (const Actor& actor : story_.actors) {
      if (is_function_here(actor)) look_at(actor);
    }
    std::vector<Carrier> out;
    for (auto& [key, carrier] : carriers_) {
      keep_kin(carrier);
      if (carrier.takers.empty() || (carrier.givers.empty() && !carrier.is_filled)) continue;
      if (!carrier.is_old || !may_be_given(other_, carrier.owner, carrier.name)) out.push_back(std::move(carrier));
    }
    for (auto& [name, key] : keys_) {
      keep_named_giver(key);
      if (key.givers.empty() || key.takers.empty()) continue;
      key.kind = Carrier::Kind::kKey;
      key.name = name;
      out.push_back(std::move(key));
    }
    return out;
  }

 private:
  /// Drops those that take a field of objects of another class than some of which it is given: of two heirs of a base
  /// each has its own.
  void keep_kin(Carrier& carrier) const {
    if (carrier.kind != Carrier::Kind::kField || carrier.givers.empty()) return;
    const auto class_of = [&](const Actor* actor) {
      const auto found = seen_of_.find({&carrier, actor});
      return found == seen_of_.end() ? carrier.cls : found->second;
    };
    std::erase_if(carrier.takers, [&](const Actor* taker) {
      return !std::all_of(carrier.givers.begin(), carrier.givers.end(), [&](const Actor* giver) {
        return program::are_kin(program_, class_of(giver), class_of(taker));
      });
    });
  }

  using Key = std::tuple<Carrier::Kind, std::string, std::uint32_t>;

  [[nodiscard]] const auto& side_of(const Actor& actor) const {
    return is_after_ ? actor.change->after : actor.change->before;
  }
  [[nodiscard]] bool is_one_sided(const Actor& actor) const {
    return is_after_ ? actor.is_added() : actor.is_removed();
  }
  [[nodiscard]] bool is_function_here(const Actor& actor) const {
    const auto& side = side_of(actor);
    return side && side->function.valid() && actor.role != Role::kTest && actor.role != Role::kCosmetic &&
           !program::is_test_path(side->path) && definition(actor, is_after_) != nullptr;
  }

  /// Fields that come, or go, and functions.
  void note(const Actor& actor) {
    const auto& side = side_of(actor);
    if (!side || program::is_test_path(side->path)) return;
    // A member of an enumeration is a constant, which nothing passes on.
    const bool is_field = actor.change->kind == EntityKind::kField && is_one_sided(actor) && side->cls.valid();
    if (is_field && !program_.derives_from(side->cls, "enum.Enum") && !program_.derives_from(side->cls, "enum.IntEnum"))
      fields_[std::string(change::last_part(side->qualified_name))].push_back(&actor);
    if (!is_function_here(actor)) return;
    functions_[side->function.value] = &actor;
    if (is_one_sided(actor)) one_sided_.emplace(program_.functions()[side->function].name, &actor);
  }

  /// Whether the function that is looked at does not name the word on the other side.
  [[nodiscard]] bool is_new_here(std::string_view word) const { return !other_words_.contains(word); }

  /// Whether no file of the other side has the word; of a field that the change brings, whether none has it as that of
  /// an attribute.
  bool is_new_attribute(std::string_view name) {
    if (is_new_word(name)) return true;
    const auto [found, is_first] = attributes_.try_emplace(std::string(name), false);
    if (is_first) found->second = fields_.contains(found->first) && !is_given(other_, name, true);
    return found->second;
  }

  /// Whether both sides have the class with the field.
  [[nodiscard]] bool has_field(ClassId owner, std::string_view name) const {
    const ClassId same = other_.find_class(program_.classes()[owner].qualified_name);
    return program_.find_field(owner, name) != nullptr && same.valid() && other_.find_field(same, name) != nullptr;
  }

  /// Whether no file of the other side has the word.
  bool is_new_word(std::string_view word) {
    const auto [found, is_first] = words_.try_emplace(std::string(word), false);
    if (is_first) found->second = !program::has_name(other_, word);
    return found->second;
  }

  /// The class that an object of `cls` has the field from; `cls` itself where none declares or sets it.
  [[nodiscard]] ClassId owner_of(std::string_view name, ClassId cls) const {
    ClassId out = cls;
    for (const ClassId one : program_.classes()[cls].linearized) {
      const auto& fields = program_.classes()[one].fields;
      if (std::any_of(fields.begin(), fields.end(), [&](const program::Field& field) { return field.name == name; }))
        out = one;
    }
    return out;
  }

  /// The classes of this side that have a field of the name from no other class.
  const std::set<ClassId>& owners_of(std::string_view name) {
    if (owners_.empty()) {
      for (std::size_t i = 0; i < program_.classes().size(); ++i) {
        for (const program::Field& field : program_.classes()[ClassId(i)].fields)
          owners_[field.name].insert(owner_of(field.name, ClassId(i)));
      }
    }
    return owners_[name];
  }

  /// `id`: of the class or function that it belongs to.
  Carrier& carrier(Carrier::Kind kind, std::string_view name, std::uint32_t id) {
    Carrier& out = carriers_[Key(kind, std::string(name), id)];
    if (out.name.empty()) {
      out.kind = kind;
      out.name = name;
    }
    return out;
  }

  /// The field of that name of objects of the class: one that is an entity of the change, a new word, or one that stood
  /// there and that the function which is looked at does not name on the other side.
  Carrier* field_of(std::string_view name, ClassId cls) {
    const ClassId owner = owner_of(name, cls);
    const auto fields = fields_.find(std::string(name));
    const Actor* field = nullptr;
    for (const Actor* one : fields == fields_.end() ? std::vector<const Actor*>() : fields->second) {
      if (program::are_kin(program_, side_of(*one)->cls, owner)) field = one;
    }
    const bool is_old = field == nullptr && !is_new_word(name);
    if (field == nullptr && (name.size() < 3 || (is_old && (!is_new_here(name) || !has_field(owner, name)))))
      return nullptr;
    Carrier& out = carrier(Carrier::Kind::kField, name, owner.value);
    out.is_old = is_old;
    out.owner = program_.classes()[owner].name;
    out.cls = owner;
    out.field = field;
    seen_of_[{&out, actor_}] = cls;
    const program::Field* declared = program_.find_field(owner, name);
    out.is_filled = field != nullptr && declared != nullptr && !is_nothing(declared->default_value);
    return &out;
  }

  /// The field that `object.name` is, in the function that is looked at. Of an object of unknown class it is that of
  /// the only class which has one.
  Carrier* field_of(const Expr& whole, std::string_view name) {
    if (!fields_.contains(std::string(name)) && !is_new_word(name) && !is_new_here(name)) return nullptr;
    const auto* object = as<Name>(&whole);
    std::vector<ClassId> classes;
    if (object != nullptr && object->id == "self") {
      classes = {program_.functions()[function_].owner};
    } else {
      classes = program_.instance_classes(function_, whole);
    }
    if (classes.size() == 1 && classes.front().valid()) return field_of(name, classes.front());
    std::set<ClassId> owners;
    for (const ClassId cls : classes) {
      if (cls.valid()) owners.insert(owner_of(name, cls));
    }
    if (owners.empty()) {
      if (name.size() < 3 || !is_new_attribute(name) || is_of_library(whole)) return nullptr;
      owners = owners_of(name);
      // A library's objects may have a field of one plain word, too.
      const bool is_telling = name.find('_', 1) < name.size() - 1;
      if (owners.size() == 1 && !is_telling && !is_named_for(whole, *owners.begin())) return nullptr;
    }
    return owners.size() == 1 ? field_of(name, *owners.begin()) : nullptr;
  }

  Carrier* field_of(const Attribute& attribute) { return field_of(*attribute.value, attribute.name.text); }

  /// Whether an expression is a module or a class of a library, or what is made by one: `torch.cuda`.
  [[nodiscard]] bool is_of_library(const Expr& expression) const {
    const auto* call = as<Call>(&expression);
    return program_.resolve(function_, call == nullptr ? expression : *call->callee).kind ==
           program::Reference::Kind::kExternal;
  }

  /// Of several that send something under a name, the one whose name the reader's calls say: `client.chat.completions`
  /// asks `chat_completions`. None where they say it of none or of several.
  void keep_named_giver(Carrier& key) const {
    std::set<std::string> said;
    for (const Actor* taker : key.takers) {
      walk_of<Call>(*definition(*taker, is_after_), Nested::kSkip, [&](const Call* call) {
        for (const std::string& word : name_words(dotted_text(call->callee))) said.insert(word);
      });
    }
    const Actor* best = nullptr;
    std::size_t most = 0;
    bool is_tied = false;
    for (const Actor* giver : key.givers) {
      const std::set<std::string> words = name_words(short_name(inputs_, *giver->change));
      const bool all =
          std::all_of(words.begin(), words.end(), [&](const std::string& one) { return said.contains(one); });
      if (!all || words.size() < most) continue;
      is_tied = words.size() == most;
      most = words.size();
      best = giver;
    }
    key.givers.clear();
    if (best != nullptr && !is_tied) key.givers.push_back(best);
  }

  static void add(std::vector<const Actor*>& to, const Actor* actor) {
    if (std::find(to.begin(), to.end(), actor) == to.end()) to.push_back(actor);
  }
  /// `value`: of which it is made; null where that is not known.
  void give(Carrier* carrier, const Node* value, bool is_something = true) {
    if (carrier == nullptr || !is_something) return;
    add(carrier->givers, actor_);
    if (value != nullptr) carrier->made_of.push_back({actor_, value});
  }
  void take(Carrier* carrier, const Node& node) {
    if (carrier == nullptr) return;
    add(carrier->takers, actor_);
    carrier->taken_at.push_back({actor_, &node});
  }

  void look_at(const Actor& actor) {
    actor_ = &actor;
    function_ = side_of(actor)->function;
    other_words_ = words_in(definition(actor, !is_after_));
    const std::vector<Step>& steps = is_after_ ? actor.steps.after : actor.steps.before;
    if (is_one_sided(actor) || steps.empty()) {
      for (const Stmt* statement : definition(actor, is_after_)->body) look_below(*statement, nullptr);
      return;
    }
    for (const Step& step : steps) {
      if (step.status != StepStatus::kKept && !step.is_moved && step.node != nullptr &&
          !only_renames(actor, step, is_after_))
        look_below(*step.node, &step.span);
    }
  }

  void look_below(const Node& node, const Span* span) {
    if (span != nullptr && (node.span.end <= span->begin || node.span.begin >= span->end)) return;
    // What is defined inside and changes, too, is looked at by itself.
    if (const auto* inner = as<FunctionDef>(&node)) {
      const FunctionId id = program_.function_of(inner);
      if (id.valid() && functions_.contains(id.value)) return;
    }
    std::vector<const Node*> skipped;  // Attributes that are only filled, names of methods: what is below them counts.
    if (const auto* assign = as<Assign>(&node)) {
      const auto* awaited = as<Await>(assign->value);
      for (const Expr* target : assign->targets) {
        note_value(target, assign->value);
        if (const auto* tuple = as<Tuple>(target))
          unpacked_[awaited != nullptr ? awaited->value : assign->value] = tuple;
      }
    } else if (const auto* declared = as<AnnAssign>(&node)) {
      note_value(declared->target, declared->value);
    }
    if (const Expr* dropped = thrown_away_by(node)) {
      const auto* waited = as<Await>(dropped);
      thrown_away_ = waited != nullptr ? waited->value : dropped;
    }
    if (const auto* attribute = as<Attribute>(&node)) {
      Carrier* carrier = field_of(*attribute);
      if (attribute->context == ExprContext::kLoad) {
        take(carrier, *attribute);
      } else {
        give(carrier, value_of(*attribute), !empties_.contains(attribute));
      }
    } else if (const auto* item = as<Subscript>(&node)) {
      const auto* whole = as<Attribute>(item->value);
      if (item->context != ExprContext::kLoad && whole != nullptr) {
        Carrier* filled = field_of(*whole);
        give(filled, value_of(*item));
        give(filled, item->index);
        skipped.push_back(whole);
      }
      Carrier* field = field_of_key(rules::text_of(item->index));
      if (item->context == ExprContext::kLoad) {
        take(field, *item);
      } else {
        give(field, value_of(*item));
      }
    } else if (const auto* dict = as<Dict>(&node)) {
      for (std::size_t i = 0; i < dict->keys.size(); ++i) {
        const std::string_view key = rules::text_of(dict->keys[i]);
        if (key.empty() || i >= dict->values.size()) continue;
        give(field_of_key(key), dict->values[i]);
        if (takes_new_field(*dict->values[i])) give(&keys_[std::string(key)], dict->values[i]);
      }
    } else if (const auto* call = as<Call>(&node)) {
      skipped = look_at_call(*call);
    }
    look_at_children(node, skipped, span);
  }

  /// Keeps what a target gets, and whether that is something.
  void note_value(const Expr* target, const Expr* value) {
    const auto* targets = as<Tuple>(target);
    const auto* values = as<Tuple>(value);
    if (targets != nullptr && values != nullptr && targets->elements.size() == values->elements.size()) {
      for (std::size_t i = 0; i < targets->elements.size(); ++i) note_value(targets->elements[i], values->elements[i]);
      return;
    }
    if (targets != nullptr) {
      for (const Expr* one : targets->elements) note_value(one, value);
      return;
    }
    values_[target] = value;
    if (is_nothing(value)) empties_.insert(target);
  }
  [[nodiscard]] const Node* value_of(const Node& target) const {
    const auto found = values_.find(&target);
    return found == values_.end() ? nullptr : found->second;
  }

  void look_at_children(const Node& node, const std::vector<const Node*>& skipped, const Span* span) {
    for_each_child(node, [&](const Node* child) {
      if (std::find(skipped.begin(), skipped.end(), child) != skipped.end()) {
        look_at_children(*child, skipped, span);
      } else {
        look_below(*child, span);
      }
    });
  }

  /// `d["name"]` is what a dictionary made of an object's fields holds of the only field of that name.
  Carrier* field_of_key(std::string_view key) {
    if (key.empty() || !fields_.contains(std::string(key)) || !is_new_word(key)) return nullptr;
    const std::set<ClassId>& owners = owners_of(key);
    return owners.size() == 1 ? field_of(key, *owners.begin()) : nullptr;
  }

  /// `getattr(object, "name")`, `hasattr(object, "name")`, `setattr(object, "name", value)`.
  void look_at_named_attribute(const Call& call) {
    const std::string_view callee = rules::name_of(call.callee);
    const std::string_view name = call.arguments.size() < 2 ? std::string_view() : rules::text_of(call.arguments[1]);
    if (name.empty()) return;
    if (callee == "getattr" || callee == "hasattr") take(field_of(*call.arguments[0], name), call);
    if (callee == "setattr" && call.arguments.size() > 2)
      give(field_of(*call.arguments[0], name), call.arguments[2], !is_nothing(call.arguments[2]));
  }

  /// What the call gives its callee, and takes from it. Returns what of the callee is no value that is taken.
  std::vector<const Node*> look_at_call(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    std::vector<const Node*> skipped;
    if (method != nullptr) {
      skipped.push_back(method);
      const auto* whole = as<Attribute>(method->value);
      if (whole != nullptr && rules::fills(method->name.text)) {
        Carrier* filled = field_of(*whole);
        for (const Expr* argument : call.arguments) give(filled, argument);
        skipped.push_back(whole);
      }
      const bool looks_up = method->name.text == "get" || method->name.text == "pop";
      if (looks_up && !call.arguments.empty()) take(field_of_key(rules::text_of(call.arguments.front())), call);
    }
    if (method == nullptr) look_at_named_attribute(call);
    const program::Reference made = program_.resolve(function_, *call.callee);
    if (made.kind == program::Reference::Kind::kClass) {
      for (const Keyword* keyword : call.keywords) {
        const std::string_view name = keyword->name.text;
        if (!name.empty() && program_.find_field(made.cls, name) != nullptr)
          give_field(made.cls, name, *keyword->value);
      }
    }
    const program::CallId id = program_.call_of(&call);
    if (!id.valid()) return skipped;
    const program::CallSite& site = program_.calls()[id];
    const std::vector<FunctionId> callees = callees_of(program_, &call);
    const Actor* callee = nullptr;
    if (callees.empty() && method != nullptr) {
      callee = only_method_of_name(*method);
    } else if (callees.size() == 1 && enters(site, callees.front())) {
      const auto found = functions_.find(callees.front().value);
      if (found != functions_.end()) callee = found->second;
      if (callee != nullptr && callee != actor_) note_arguments(site, *callee);
    }
    if (callee != nullptr && callee != actor_) note_result(call, *callee);
    return skipped;
  }

  /// Whether the call enters the function, be it through what decorates it.
  [[nodiscard]] bool enters(const program::CallSite& site, FunctionId function) const {
    if (program::surely_enters(site, function)) return true;
    const FunctionDef* def = program_.functions()[function].def();
    return site.targets.size() == 1 && site.targets.front().kind == program::CallKind::kDirect && def != nullptr &&
           !def->decorators.empty() && site.targets.front().certainty == program::Certainty::kPossible;
  }

  /// Of a call on something unknown: the method that the change brings under a name which no file of the other side
  /// has, where its class inherits nothing from a library that may have others of the name.
  const Actor* only_method_of_name(const Attribute& called) {
    const std::string_view name = called.name.text;
    const auto [first, last] = one_sided_.equal_range(name);
    if (first == last || std::next(first) != last || !is_new_word(name) || is_of_library(*called.value) ||
        !program_.instance_classes(function_, *called.value).empty())
      return nullptr;
    const ClassId owner = program_.functions()[side_of(*first->second)->function].owner;
    // What hands a call on to something of its own kind (`self.wrapped.step_all_of()`) enters the other.
    if (!owner.valid() || program_.functions()[function_].name == name) return nullptr;
    constexpr std::ptrdiff_t kTelling = 2;  // Three words or more.
    if (!is_named_for(*called.value, owner) && std::count(name.begin(), name.end(), '_') < kTelling) return nullptr;
    const auto& ancestors = program_.classes()[owner].external_ancestors;
    return std::all_of(ancestors.begin(), ancestors.end(), is_plain_base) ? first->second : nullptr;
  }

  /// Whether what an expression is called has a word of the class's name: `engine` and `self.engine` of `StaticEngine`.
  [[nodiscard]] bool is_named_for(const Expr& expression, ClassId cls) const {
    const auto* attribute = as<Attribute>(&expression);
    const std::set<std::string> said =
        name_words(attribute != nullptr ? attribute->name.text : rules::name_of(&expression));
    const std::set<std::string> own = name_words(program_.classes()[cls].name);
    return std::any_of(said.begin(), said.end(), [&](const std::string& word) { return own.contains(word); });
  }

  void give_field(ClassId cls, std::string_view name, const Expr& value) {
    Carrier* field = field_of(name, cls);
    if (field == nullptr) return;
    give(field, &value);
    const auto look = [&](const Attribute& one) {
      if (one.context == ExprContext::kLoad && program_.instance_classes(function_, *one.value).empty() &&
          rules::name_of(one.value) != "self")
        take(&keys_[std::string(one.name.text)], one);
    };
    if (const auto* own = as<Attribute>(&value)) look(*own);
    walk_of<Attribute>(value, Nested::kSkip, [&](const Attribute* one) { look(*one); });
  }

  /// Whether a value is made of a field that the change brings, or of a local that gets one.
  bool takes_new_field(const Expr& value, bool may_be_local = true) {
    bool takes = false;
    const auto look = [&](const Node* node) {
      if (takes) return;
      if (const auto* attribute = as<Attribute>(node)) {
        takes = field_of(*attribute) != nullptr;
      } else if (const auto* item = as<Subscript>(node)) {
        takes = field_of_key(rules::text_of(item->index)) != nullptr;
      } else if (const auto* name = as<Name>(node); name != nullptr && may_be_local) {
        walk_of<Assign>(*program_.functions()[function_].node, Nested::kSkip, [&](const Assign* assign) {
          if (assign->targets.size() == 1 && rules::name_of(assign->targets.front()) == name->id)
            takes = takes || takes_new_field(*assign->value, false);
        });
      }
    };
    look(&value);
    walk(value, Nested::kSkip, look);
    return takes;
  }

  /// Parameters of the callee that it did not have, and that the call gives a value.
  void note_arguments(const program::CallSite& site, const Actor& callee) {
    const FunctionId function = side_of(callee)->function;
    if (!gets_as_written(program_, site, function)) return;
    for (const Parameter* one : definition(callee, is_after_)->parameters->all) {
      const std::string_view name = one->name.text;
      if (name == "self" || name == "cls" || had_parameter(callee, name)) continue;
      const rules::Given given = given_by(program_, site, function, name);
      if (given.how != rules::Given::How::kValue) continue;
      Carrier& parameter = carrier(Carrier::Kind::kParameter, name, function.value);
      parameter.is_of_one_sided = is_one_sided(callee);
      give(&parameter, given.value);
      add(parameter.takers, &callee);
    }
  }

  /// Whether the function has a parameter of the name on the other side, or this one under another name, or names
  /// something so.
  [[nodiscard]] bool had_parameter(const Actor& function, std::string_view name) const {
    const FunctionDef* other = definition(function, !is_after_);
    if (other == nullptr) return false;
    // What came in a bundle may come by name now.
    if (takes_bundle(*other)) return true;
    const bool is_renamed = std::any_of(
        function.change->differences.begin(), function.change->differences.end(), [&](const change::Difference& one) {
          const std::string& text = is_after_ ? one.after : one.before;
          return one.kind == change::DifferenceKind::kParameterRenamed && text.starts_with(name) &&
                 (text.size() == name.size() || !is_name_char(text[name.size()]));
        });
    return is_renamed || names_word(*other, name);
  }

  /// What a return of the callee gives that it did not give.
  void note_result(const Call& call, const Actor& callee) {
    const Result& given = result_of(callee);
    if (given.words.empty() || thrown_away_ == &call) return;
    Carrier& result = carrier(Carrier::Kind::kResult, given.words, side_of(callee)->function.value);
    add(result.givers, &callee);
    for (const Expr* one : given.made_of) result.made_of.push_back({&callee, one});
    if (given.positions.empty()) return take(&result, call);
    // Of a tuple, what is named is only what is unpacked from its place.
    add(result.takers, actor_);
    const auto found = unpacked_.find(&call);
    if (found == unpacked_.end() || found->second->elements.size() != given.tuple_size) return;
    for (const std::size_t position : given.positions)
      result.taken_at.push_back({actor_, found->second->elements[position]});
  }

  struct Result {
    std::string words;  ///< Empty: there is nothing new.
    std::vector<const Expr*> made_of;
    std::size_t tuple_size = 0;
    std::vector<std::size_t> positions;  ///< Of the elements of a tuple that have the names; none for others.
  };

  /// Of a tuple the names that are not among `before`, of a variable or attribute its text; "result" for others.
  static Result result_in(const Expr& value, const SourceText& source, const std::set<std::string>& before) {
    Result out;
    if (const auto* tuple = as<Tuple>(&value)) {
      for (std::size_t i = 0; i < tuple->elements.size(); ++i) {
        const std::string name(rules::name_of(tuple->elements[i]));
        if (name.empty() || before.contains(name)) continue;
        out.words += (out.words.empty() ? "" : ", ") + name;
        out.made_of.push_back(tuple->elements[i]);
        out.positions.push_back(i);
      }
      out.tuple_size = tuple->elements.size();
    }
    if (!out.words.empty()) return out;
    constexpr std::size_t kMost = 28;
    constexpr std::size_t kFewest = 4;
    const std::string text = one_line_whole(source, value);
    const bool says = is<Name>(&value) || is<Attribute>(&value);
    out.words = says && text.size() <= kMost && text.size() >= kFewest ? text : "result";
    out.made_of = {&value};
    return out;
  }

  /// The values of its returns that come, or go.
  std::vector<const Expr*> new_returns(const Actor& callee) const {
    std::vector<const Expr*> out;
    if (is_one_sided(callee)) {
      walk_of<Return>(*definition(callee, is_after_), Nested::kSkip, [&](const Return* one) {
        if (one->value != nullptr && !rules::is_none(one->value)) out.push_back(one->value);
      });
      return out;
    }
    for (const Step& step : is_after_ ? callee.steps.after : callee.steps.before) {
      const auto* one = as<Return>(step.node);
      if (one != nullptr && step.status != StepStatus::kKept && !step.is_moved && one->value != nullptr &&
          !rules::is_none(one->value) && !only_renames(callee, step, is_after_))
        out.push_back(one->value);
    }
    return out;
  }

  /// The names that its returns give and did not give before, the value of its last return where it is short, "result".
  /// Nothing where no return differs, or none by a name that the other side does not have.
  const Result& result_of(const Actor& callee) {
    const auto [found, is_first] = results_.try_emplace(&callee);
    Result& out = found->second;
    if (!is_first) return out;
    const std::vector<const Expr*> values = new_returns(callee);
    const FunctionDef* other = definition(callee, !is_after_);
    const std::set<std::string_view> known = words_in(other);
    bool has_new_name = other == nullptr;
    for (const Expr* value : values) {
      const auto look = [&](const Node* node) {
        const auto* name = as<Name>(node);
        has_new_name = has_new_name || (name != nullptr && !known.contains(name->id));
      };
      look(value);
      walk(*value, Nested::kSkip, look);
    }
    if (values.empty() || !has_new_name) return out;
    std::set<std::string> before;
    if (other != nullptr) {
      walk_of<Return>(*other, Nested::kSkip, [&](const Return* one) {
        if (one->value == nullptr) return;
        before.insert(std::string(rules::name_of(one->value)));
        walk_of<Name>(*one->value, Nested::kSkip, [&](const Name* name) { before.insert(std::string(name->id)); });
      });
    }
    const SourceText& source = source_of(program_, side_of(callee)->function);
    for (std::size_t i = 0; i < values.size(); ++i) {
      Result one = result_in(*values[i], source, before);
      if (i == 0) {
        out = std::move(one);
      } else if (one.words == out.words && one.positions == out.positions && one.tuple_size == out.tuple_size) {
        out.made_of.insert(out.made_of.end(), one.made_of.begin(), one.made_of.end());
      } else {
        // What one return of several gives is not what comes back.
        return out = {"result", values, 0, {}};
      }
    }
    return out;
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  const bool is_after_;
  const Program& program_;
  const Program& other_;
  const Actor* actor_ = nullptr;  ///< The function that is looked at.
  FunctionId function_;
  std::map<std::string, std::vector<const Actor*>> fields_;
  std::unordered_map<std::uint32_t, const Actor*> functions_;
  std::set<std::string_view> other_words_;            ///< Names in the function that is looked at, on the other side.
  std::unordered_map<std::string, bool> words_;       ///< Answers of is_new_word().
  std::unordered_map<std::string, bool> attributes_;  ///< Answers of is_new_attribute().
  std::unordered_map<std::string_view, std::set<ClassId>> owners_;  ///< By field.
  std::multimap<std::string_view, const Actor*> one_sided_;         ///< Functions that come, or go, by name.
  const Node* thrown_away_ = nullptr;  ///< The call whose value the statement that is looked at drops.
  /// Texts under which a dictionary of changed code gets new data, and attributes of unknown things of which new fields
  /// are made.
  std::map<std::string, Carrier> keys_;
  std::map<const Node*, const Expr*> values_;  ///< By target.
  std::set<const Node*> empties_;              ///< Targets that get nothing, or a constant.
  std::map<const Actor*, Result> results_;
  std::map<const Node*, const Tuple*> unpacked_;  ///< By call: the tuple of targets that an assignment unpacks it into.
  std::map<std::pair<const Carrier*, const Actor*>, ClassId> seen_of_;  ///< Of what class's objects a function has it.
  std::map<Key, Carrier> carriers_;
};

}  // namespace

std::vector<Carrier> carriers_of(const DocumentInputs& inputs, const Story& story, bool is_after) {
  return Finder(inputs, story, is_after).run();
}

}  // namespace lockstep::report
