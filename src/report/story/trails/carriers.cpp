#include "report/story/trails/carriers.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "report/source/words.h"
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

const FunctionDef* definition(const Actor& actor, bool is_after) {
  const auto& side = is_after ? actor.change->after : actor.change->before;
  return side ? as<FunctionDef>(side->node) : nullptr;
}

std::vector<std::string_view> parameter_names(const FunctionDef* def) {
  std::vector<std::string_view> out;
  if (def == nullptr) return out;
  for (const Parameter* one : def->parameters->all) out.push_back(one->name.text);
  return out;
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
      // Where nothing but constants is set, these are what there is to take.
      if (carrier.givers.empty()) carrier.givers = carrier.emptied_by;
      if (!carrier.takers.empty() && (!carrier.givers.empty() || carrier.is_filled)) out.push_back(std::move(carrier));
    }
    for (auto& [name, key] : keys_) {
      if (key.givers.size() > 1) keep_named_giver(key);
      if (key.givers.empty() || key.takers.empty()) continue;
      key.kind = Carrier::Kind::kKey;
      key.name = name;
      out.push_back(std::move(key));
    }
    return out;
  }

 private:
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
    if (is_function_here(actor)) functions_[side->function.value] = &actor;
  }

  /// Whether no file of the other side has the word.
  bool is_new_word(std::string_view word) {
    const auto [found, is_first] = words_.try_emplace(std::string(word), false);
    return is_first ? found->second = !program::has_name(other_, word) : found->second;
  }

  /// How many classes of this side have a field of the name.
  std::size_t classes_with(std::string_view name) {
    if (class_counts_.empty()) {
      for (std::size_t i = 0; i < program_.classes().size(); ++i) {
        for (const program::Field& field : program_.classes()[ClassId(i)].fields) ++class_counts_[field.name];
      }
    }
    const auto found = class_counts_.find(name);
    return found == class_counts_.end() ? 0 : found->second;
  }

  Carrier& carrier(Carrier::Kind kind, std::string_view name, std::uint32_t id) {
    Carrier& out = carriers_[Key(kind, std::string(name), id)];
    if (out.name.empty()) {
      out.kind = kind;
      out.name = name;
    }
    return out;
  }

  Carrier* field_of(std::string_view name, ClassId cls) {
    // A field that is an entity of the change, of that class or of one that it derives from.
    const auto fields = fields_.find(std::string(name));
    if (fields != fields_.end()) {
      for (const Actor* field : fields->second) {
        const ClassId owner = side_of(*field)->cls;
        const bool is_only = fields->second.size() == 1 && (is_new_word(name) || classes_with(name) == 1);
        if (cls.valid() ? program::are_kin(program_, owner, cls) : is_only) {
          Carrier& out = carrier(Carrier::Kind::kField, name, owner.value);
          out.owner = program_.classes()[owner].name;
          out.cls = owner;
          out.field = field;
          const program::Field* declared = program_.find_field(owner, name);
          out.is_filled = declared != nullptr && !is_nothing(declared->default_value);
          return &out;
        }
      }
    }
    if (name.size() < 3 || !is_new_word(name)) return nullptr;
    Carrier& out = carrier(Carrier::Kind::kField, name, ClassId().value);
    if (out.owner.empty() && cls.valid()) {
      out.owner = program_.classes()[cls].name;
      out.cls = cls;
    }
    return &out;
  }

  /// The field that `object.name` is, in the function that is looked at.
  Carrier* field_of(const Attribute& attribute) {
    const std::string_view name = attribute.name.text;
    if (!fields_.contains(std::string(name)) && !is_new_word(name)) return nullptr;
    const auto* object = as<Name>(attribute.value);
    ClassId cls;
    if (object != nullptr && object->id == "self") {
      cls = program_.functions()[function_].owner;
    } else {
      const std::vector<ClassId> classes = program_.instance_classes(function_, *attribute.value);
      if (classes.size() == 1) cls = classes.front();
    }
    return field_of(name, cls);
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
    if (carrier == nullptr) return;
    add(is_something ? carrier->givers : carrier->emptied_by, actor_);
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
    source_ = &source_of(program_, function_);
    const std::vector<Step>& steps = is_after_ ? actor.steps.after : actor.steps.before;
    if (is_one_sided(actor) || steps.empty()) {
      for (const Stmt* statement : definition(actor, is_after_)->body) look_below(*statement, nullptr);
      return;
    }
    for (const Step& step : steps) {
      if (step.status != StepStatus::kKept && !step.is_moved && step.node != nullptr)
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
      for (const Expr* target : assign->targets) note_value(target, assign->value);
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
    const auto fields = fields_.find(std::string(key));
    if (key.empty() || fields == fields_.end() || fields->second.size() != 1 || classes_with(key) != 1) return nullptr;
    return field_of(key, side_of(*fields->second.front())->cls);
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
    const bool is_known = callees.size() == 1 && functions_.contains(callees.front().value);
    const Actor* callee = is_known ? functions_.at(callees.front().value) : only_of_name(callee_name(call));
    if (callee == nullptr || callee == actor_) return skipped;
    if (is_known && program::surely_enters(site, callees.front())) note_arguments(site, *callee);
    note_result(call, *callee);
    return skipped;
  }

  /// The function that the change brings under a name which no file of the other side has.
  const Actor* only_of_name(std::string_view name) {
    const Actor* only = nullptr;
    std::size_t count = 0;
    for (const auto& [id, actor] : functions_) {
      if (program_.functions()[FunctionId(id)].name != name || !is_one_sided(*actor)) continue;
      only = actor;
      ++count;
    }
    return count == 1 && is_new_word(name) ? only : nullptr;
  }

  void give_field(ClassId cls, std::string_view name, const Expr& value) {
    Carrier* field = fields_.contains(std::string(name)) || is_new_word(name) ? field_of(name, cls) : nullptr;
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
    const std::vector<std::string_view> others = parameter_names(definition(callee, !is_after_));
    for (const std::string_view name : parameter_names(definition(callee, is_after_))) {
      if (name == "self" || name == "cls" || std::find(others.begin(), others.end(), name) != others.end()) continue;
      const rules::Given given = given_by(program_, site, function, name);
      if (given.how != rules::Given::How::kValue) continue;
      Carrier& parameter = carrier(Carrier::Kind::kParameter, name, function.value);
      parameter.is_of_one_sided = is_one_sided(callee);
      give(&parameter, given.value);
      add(parameter.takers, &callee);
    }
  }

  /// What a return of the callee gives that it did not give.
  void note_result(const Call& call, const Actor& callee) {
    const FunctionId function = side_of(callee)->function;
    const std::string what = result_words(callee);
    if (what.empty() || thrown_away_ == &call) return;
    Carrier& result = carrier(Carrier::Kind::kResult, what, function.value);
    add(result.givers, &callee);
    walk_of<Return>(*definition(callee, is_after_), Nested::kSkip, [&](const Return* one) {
      if (one->value != nullptr) result.made_of.push_back({&callee, one->value});
    });
    take(&result, call);
  }

  /// Of a tuple the names that are not among `before`, of a variable or attribute its text; "result" for others.
  static std::string value_words(const Expr& value, const SourceText& source, const std::set<std::string>& before) {
    std::string out;
    if (const auto* tuple = as<Tuple>(&value)) {
      for (const Expr* element : tuple->elements) {
        const std::string name(rules::name_of(element));
        if (name.empty() || before.contains(name)) continue;
        out += (out.empty() ? "" : ", ") + name;
      }
    }
    if (!out.empty()) return out;
    constexpr std::size_t kMost = 28;
    constexpr std::size_t kFewest = 4;
    const std::string text = one_line_whole(source, value);
    const bool says = is<Name>(&value) || is<Attribute>(&value);
    return says && text.size() <= kMost && text.size() >= kFewest ? text : "result";
  }

  /// The names that its returns give and did not give before, the value of its last return where it is short, "result";
  /// empty where no return differs.
  std::string result_words(const Actor& callee) {
    const auto [found, is_first] = results_.try_emplace(&callee);
    if (!is_first) return found->second;
    const FunctionDef* def = definition(callee, is_after_);
    const SourceText& source = source_of(program_, side_of(callee)->function);
    std::vector<const Expr*> values;
    if (is_one_sided(callee)) {
      walk_of<Return>(*def, Nested::kSkip, [&](const Return* one) {
        if (one->value != nullptr && !rules::is_none(one->value)) values.push_back(one->value);
      });
    } else {
      for (const Step& step : is_after_ ? callee.steps.after : callee.steps.before) {
        const auto* one = as<Return>(step.node);
        if (one != nullptr && step.status != StepStatus::kKept && !step.is_moved && one->value != nullptr &&
            !rules::is_none(one->value))
          values.push_back(one->value);
      }
    }
    if (values.empty()) return {};
    std::set<std::string> before;
    if (const FunctionDef* other = definition(callee, !is_after_)) {
      walk_of<Return>(*other, Nested::kSkip, [&](const Return* one) {
        if (one->value == nullptr) return;
        before.insert(std::string(rules::name_of(one->value)));
        walk_of<Name>(*one->value, Nested::kSkip, [&](const Name* name) { before.insert(std::string(name->id)); });
      });
    }
    // What one return of several gives is not what comes back.
    std::string& out = found->second;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string words = value_words(*values[i], source, before);
      if (i > 0 && words != out) return out = "result";
      out = words;
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
  const SourceText* source_ = nullptr;
  std::map<std::string, std::vector<const Actor*>> fields_;
  std::unordered_map<std::uint32_t, const Actor*> functions_;
  std::unordered_map<std::string, bool> words_;
  std::unordered_map<std::string_view, std::size_t> class_counts_;
  const Node* thrown_away_ = nullptr;  ///< The call whose value the statement that is looked at drops.
  /// Texts under which a dictionary of changed code gets new data, and attributes of unknown things of which new fields
  /// are made.
  std::map<std::string, Carrier> keys_;
  std::map<const Node*, const Expr*> values_;  ///< By target.
  std::set<const Node*> empties_;              ///< Targets that get nothing, or a constant.
  std::map<const Actor*, std::string> results_;
  std::map<Key, Carrier> carriers_;
};

}  // namespace

std::vector<Carrier> carriers_of(const DocumentInputs& inputs, const Story& story, bool is_after) {
  return Finder(inputs, story, is_after).run();
}

}  // namespace lockstep::report
