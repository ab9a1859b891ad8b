#include "report/documents/content/new_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using namespace python;
using change::EntityKind;

namespace {

std::string_view owner_of(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : dotted.substr(0, dot);
}

/// Names in the order in which they come, each once.
class Names {
 public:
  void add(const std::string& name) {
    if (known_.insert(name).second) all_.push_back(name);
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }
  /// "`a`, `b` and 3 more"; "`a` and `b` of `C`" where all are of one class.
  [[nodiscard]] std::string words() const {
    const std::string_view owner = owner_of(all_.front());
    const bool have_one_owner =
        all_.size() > 1 && !owner.empty() &&
        std::all_of(all_.begin(), all_.end(), [&](const std::string& one) { return owner_of(one) == owner; });
    std::vector<std::string> shown;
    const std::size_t count = is_told_whole() ? all_.size() : kMost;
    for (std::size_t i = 0; i < count; ++i)
      shown.push_back(code(have_one_owner ? std::string_view(all_[i]).substr(owner.size() + 1) : all_[i]));
    if (count < all_.size()) shown.push_back(fmt::format("{} more", all_.size() - count));
    return join_words(shown) + (have_one_owner ? " of " + code(owner) : "");
  }

  /// Whether words() has all of them.
  [[nodiscard]] bool is_told_whole() const { return all_.size() <= kMost + 1; }

  friend bool operator==(const Names& a, const Names& b) { return a.all_ == b.all_; }

 private:
  static constexpr std::size_t kMost = 3;
  std::vector<std::string> all_;
  std::unordered_set<std::string> known_;
};

/// Names by what is done with them, both in the order in which they come.
class KeyedNames {
 public:
  void add(const std::string& key, const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(key, all_.size());
    if (is_new) all_.push_back({key, {}});
    all_[place->second].second.add(name);
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<std::pair<std::string, Names>>& all() const { return all_; }
  friend bool operator==(const KeyedNames& a, const KeyedNames& b) { return a.all_ == b.all_; }

 private:
  std::vector<std::pair<std::string, Names>> all_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// Where a name stands in the changed code of one side.
struct Places {
  Names field_of;
  Names parameter_of;
  Names buffer_in;                  ///< It is registered there as a buffer or parameter that checkpoints have.
  Names unsaved_buffer_in;          ///< The same, `persistent=False`.
  KeyedNames set_in;                ///< By the constant that it is set to; empty for other values.
  Names filled_in;                  ///< Its elements are set there.
  KeyedNames passed_by;             ///< By what it is passed to.
  std::set<std::string> passed_as;  ///< What it is passed as; empty for values that are long or called as it is.
  Names read_in;
  Names decides_in;  ///< As a parameter, over a branch.
  Names named_in;    ///< As a text: `getattr(x, "name")`.

  [[nodiscard]] std::set<std::string> definitions() const {
    std::set<std::string> out;
    for (const Names* names : {&field_of, &parameter_of, &buffer_in, &unsaved_buffer_in, &filled_in, &read_in})
      out.insert(names->all().begin(), names->all().end());
    for (const KeyedNames* keyed : {&set_in, &passed_by}) {
      for (const auto& [key, names] : keyed->all()) out.insert(names.all().begin(), names.all().end());
    }
    return out;
  }
  friend bool operator==(const Places& a, const Places& b) {
    const auto all = [](const Places& one) {
      return std::tie(one.field_of, one.parameter_of, one.buffer_in, one.unsaved_buffer_in, one.set_in, one.filled_in,
                      one.passed_by, one.passed_as, one.read_in, one.decides_in);
    };
    return all(a) == all(b);
  }
};

/// The constant, or the empty list, tuple or dictionary, as it is written; empty for any other value.
std::string constant_text(const SourceText& source, const Expr* value) {
  constexpr std::size_t kMost = 24;
  const auto* list = as<python::List>(value);
  const auto* tuple = as<Tuple>(value);
  const auto* dict = as<Dict>(value);
  const bool is_constant = is<Constant>(value) || (list != nullptr && list->elements.empty()) ||
                           (tuple != nullptr && tuple->elements.empty()) ||
                           (dict != nullptr && dict->keys.empty() && dict->values.empty());
  const std::string text = is_constant ? one_line_whole(source, *value) : std::string();
  return text.size() <= kMost ? text : std::string();
}

/// "x" of `o.x[i]` and `o.x[i][j]`; null for others.
const Attribute* attribute_of_element(const Expr* expression) {
  const auto* item = as<Subscript>(expression);
  while (item != nullptr && is<Subscript>(item->value)) item = as<Subscript>(item->value);
  return item == nullptr ? nullptr : as<Attribute>(item->value);
}

/// The changed code of one side.
class Side {
 public:
  Side(const DocumentInputs& inputs, const Story& story, bool is_after)
      : inputs_(inputs), story_(story), is_after_(is_after) {
    find_private_fields();
    for (const Actor& actor : story.actors) {
      const auto& side = is_after ? actor.change->after : actor.change->before;
      if (side && is<FunctionDef>(side->node)) functions_.insert(side->node);
    }
    for (const Actor& actor : story.actors) {
      const change::EntityChange& entity = *actor.change;
      const auto& side = is_after ? entity.after : entity.before;
      if (!side || actor.role == Role::kTest || program::is_test_path(side->path)) continue;
      const bool is_one_sided = is_after ? actor.is_added() : actor.is_removed();
      if (entity.kind == EntityKind::kField && is_one_sided) {
        const std::string name = short_name(inputs, entity);
        const std::size_t dot = name.rfind('.');
        if (dot != std::string::npos) places_[std::string(change::last_part(name))].field_of.add(name.substr(0, dot));
      }
      if (entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kMethod) look_at(actor, is_one_sided);
    }
    // What something sets is a value: `self.x(…)` reads it and calls what it holds.
    for (const auto& [name, called] : called_) {
      const auto value = places_.find(name);
      if (value == places_.end() || value->second.set_in.empty()) continue;
      for (const std::string& own : called.all()) value->second.read_in.add(own);
    }
    for (auto& [name, places] : places_) {
      const auto text = texts_.find(name);
      if (text == texts_.end()) continue;
      const std::set<std::string> told = places.definitions();
      for (const std::string& own : text->second.all()) {
        if (!told.contains(own)) places.named_in.add(own);
      }
    }
  }

  [[nodiscard]] const std::map<std::string, Places>& places() const { return places_; }

 private:
  /// `_x` of one class is not that of another.
  void find_private_fields() {
    for (const Actor& actor : story_.actors) {
      const auto& side = is_after_ ? actor.change->after : actor.change->before;
      if (actor.change->kind != EntityKind::kField || !side || !side->cls.valid()) continue;
      const std::string_view name = change::last_part(side->qualified_name);
      if (name.starts_with("_")) private_fields_[name].push_back(side->cls);
    }
  }

  /// Whether `self.name` in a method of `owner_` is a private attribute of another class than those whose field it is.
  [[nodiscard]] bool is_of_another(const Attribute& attribute) const {
    const auto* object = as<Name>(attribute.value);
    const auto fields = private_fields_.find(attribute.name.text);
    if (object == nullptr || object->id != "self" || !owner_.valid() || fields == private_fields_.end()) return false;
    const auto& classes = (is_after_ ? *inputs_.after : *inputs_.before).classes();
    const auto derives = [&](program::ClassId from, program::ClassId base) {
      const auto& line = classes[from].linearized;
      return from == base || std::find(line.begin(), line.end(), base) != line.end();
    };
    return std::none_of(fields->second.begin(), fields->second.end(),
                        [&](program::ClassId cls) { return derives(owner_, cls) || derives(cls, owner_); });
  }

  void look_at(const Actor& actor, bool is_one_sided) {
    const auto& side = is_after_ ? *actor.change->after : *actor.change->before;
    const auto* def = as<FunctionDef>(side.node);
    if (def == nullptr) return;
    const program::Program& program = is_after_ ? *inputs_.after : *inputs_.before;
    owner_ = side.function.valid() ? program.functions()[side.function].owner : program::ClassId();
    source_ = is_after_ ? actor.steps.after_source : actor.steps.before_source;
    if (source_ == nullptr) source_ = &source_of(is_after_ ? *inputs_.after : *inputs_.before, side.function);
    const std::string own = short_name(inputs_, *actor.change);
    const auto& other = is_after_ ? actor.change->before : actor.change->after;
    const auto* other_def = other ? as<FunctionDef>(other->node) : nullptr;
    for (const Parameter* parameter : def->parameters->all) {
      const std::string_view name = parameter->name.text;
      const bool is_kept =
          other_def != nullptr && std::any_of(other_def->parameters->all.begin(), other_def->parameters->all.end(),
                                              [&](const Parameter* one) { return one->name.text == name; });
      if (is_kept) continue;
      places_[std::string(name)].parameter_of.add(own);
      walk_of<If>(*def, Nested::kSkip, [&](const If* branch) {
        bool asks = rules::name_of(branch->condition) == name;
        walk_of<Name>(*branch->condition, Nested::kSkip, [&](const Name* one) { asks = asks || one->id == name; });
        if (asks) places_[std::string(name)].decides_in.add(own);
      });
    }
    const std::vector<Step>& steps = is_after_ ? actor.steps.after : actor.steps.before;
    if (is_one_sided || steps.empty()) {
      for (const Stmt* statement : def->body) look_below(*statement, own, nullptr);
      return;
    }
    for (const Step& step : steps) {
      // A check that asks what it asked may name something new in its message.
      const bool has_message = is<Assert>(step.node) || is<Raise>(step.node);
      if ((step.status != StepStatus::kKept || has_message) && !step.is_moved && step.node != nullptr)
        look_below(*step.node, own, &step.span);
    }
  }

  /// Notes what stands below the node, within `span` where given.
  void look_below(const Node& node, const std::string& own, const Span* span) {
    if (span != nullptr && (node.span.end <= span->begin || node.span.begin >= span->end)) return;
    // What is defined inside and changes, too, is looked at by itself.
    if (functions_.contains(&node)) return;
    note_written(node);
    if (const std::string_view text = rules::text_of(is_expression(&node) ? static_cast<const Expr*>(&node) : nullptr);
        !text.empty())
      texts_[std::string(text)].add(own);
    if (const auto* attribute = as<Attribute>(&node); attribute != nullptr && !is_of_another(*attribute)) {
      Places& places = places_[std::string(attribute->name.text)];
      if (attribute->context == ExprContext::kStore) {
        const auto value = values_.find(attribute);
        places.set_in.add(value == values_.end() ? std::string() : value_text(value->second, attribute->name.text),
                          own);
      } else {
        (filled_.contains(attribute) ? places.filled_in : places.read_in).add(own);
      }
    }
    const auto* call = as<Call>(&node);
    if (call != nullptr) {
      note_by_text(*call, own);
      const bool is_base = rules::is_method_of_super(call->callee);
      const std::string to = (is_base ? "super()." : "") + std::string(callee_name(*call));
      // `dict(a=1)` only makes entries.
      for (const Keyword* keyword : to == "dict" ? Seq<Keyword>{} : call->keywords) {
        if (keyword->name.text.empty() || callee_name(*call).empty()) continue;
        Places& places = places_[std::string(keyword->name.text)];
        places.passed_by.add(to, own);
        places.passed_as.insert(value_text(keyword->value, keyword->name.text));
      }
    }
    for_each_child(node, [&](const Node* child) {
      // `x.name(…)` calls a method, if nothing sets it: that is no value.
      const auto* method = call != nullptr && child == call->callee ? as<Attribute>(child) : nullptr;
      if (method != nullptr && rules::name_of(method->value) == "self")
        called_[std::string(method->name.text)].add(own);
      look_below(method != nullptr ? *method->value : *child, own, span);
    });
  }

  /// `getattr(x, "name", …)` reads, and `setattr(x, "name", value)` sets, as `x.name` does; so does
  /// `x.register_buffer("name", …)`.
  void note_by_text(const Call& call, const std::string& own) {
    const std::string_view method = is<Attribute>(call.callee) ? callee_name(call) : std::string_view();
    if ((method == "register_buffer" || method == "register_parameter") && !call.arguments.empty()) {
      const Expr* persistent = rules::keyword_value(call, "persistent");
      const auto* constant = as<Constant>(persistent);
      Places& places = places_[std::string(rules::text_of(call.arguments[0]))];
      const bool is_unsaved = constant != nullptr && constant->constant_kind == ConstantKind::kFalse;
      (is_unsaved ? places.unsaved_buffer_in : places.buffer_in).add(own);
      return;
    }
    const auto* function = as<Name>(call.callee);
    if (function == nullptr || call.arguments.size() < 2) return;
    const std::string_view name = rules::text_of(call.arguments[1]);
    if (name.empty()) return;
    if (function->id == "getattr" || function->id == "hasattr") places_[std::string(name)].read_in.add(own);
    if (function->id == "setattr" && call.arguments.size() == 3)
      places_[std::string(name)].set_in.add(value_text(call.arguments[2], name), own);
  }

  /// What a name is set to, where that is short and says more than the name: a constant, a variable, an attribute.
  [[nodiscard]] std::string value_text(const Expr* value, std::string_view name) const {
    constexpr std::size_t kMost = 32;
    if (std::string constant = constant_text(*source_, value); !constant.empty()) return constant;
    const std::string dotted = dotted_text(value);
    return dotted.size() > kMost || change::last_part(dotted) == name ? std::string() : dotted;
  }

  /// Keeps which attributes below the node are given what value, and of which the elements are set: by `o.x[i] = v`,
  /// or by a method of torch that works in place, `o.x[i].copy_(v)`.
  void note_written(const Node& node) {
    if (const auto* assign = as<Assign>(&node)) {
      for (const Expr* target : assign->targets) values_[target] = assign->value;
    } else if (const auto* declared = as<AnnAssign>(&node)) {
      values_[declared->target] = declared->value;
    } else if (const auto* item = as<Subscript>(&node); item != nullptr && item->context == ExprContext::kStore) {
      if (const Attribute* attribute = attribute_of_element(item)) filled_.insert(attribute);
    } else if (const auto* call = as<Call>(&node)) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr) return;
      const bool fills = is<Attribute>(method->value) && rules::fills(method->name.text);
      if (!fills && !rules::works_in_place(method->name.text)) return;
      const auto* whole = as<Attribute>(method->value);
      if (const Attribute* attribute = whole != nullptr ? whole : attribute_of_element(method->value))
        filled_.insert(attribute);
    }
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  const bool is_after_;
  const SourceText* source_ = nullptr;  ///< Of the function that is looked at.
  program::ClassId owner_;              ///< Its class; none for functions.
  std::map<std::string_view, std::vector<program::ClassId>> private_fields_;
  std::unordered_set<const Node*> functions_;  ///< Definitions that are looked at by themselves.
  std::map<std::string, Names> texts_;         ///< Where a text stands.
  std::map<std::string, Names> called_;        ///< Where a name is called on `self`.
  std::unordered_map<const Node*, const Expr*> values_;
  std::unordered_set<const Node*> filled_;
  std::map<std::string, Places> places_;
};

/// Takes the words out that a Python file of the program has.
void strike_out_known(const program::Program& program, std::set<std::string_view>& words) {
  for (std::size_t i = 0; i < program.modules().size() && !words.empty(); ++i) {
    const python::FileFacts& facts = *program.modules()[program::ModuleId(i)].facts;
    std::erase_if(words, [&](std::string_view word) { return facts.has_name(word); });
  }
}

/// Whether each value and all that set it are told.
bool are_values_told(const KeyedNames& set_in) {
  constexpr std::size_t kMost = 3;
  const auto& all = set_in.all();
  return !all.empty() && all.size() <= kMost && (all.size() > 1 || !all.front().first.empty()) &&
         std::all_of(all.begin(), all.end(), [](const auto& one) { return one.second.is_told_whole(); });
}

/// "set to `False` in `f`, to `True` in `g`"; what is not set to a constant is only "set in".
std::string set_words(const KeyedNames& set_in) {
  const auto& all = set_in.all();
  if (!are_values_told(set_in)) {
    Names names;
    for (const auto& [value, places] : all) {
      for (const std::string& one : places.all()) names.add(one);
    }
    return fmt::format("set in {}", names.words());
  }
  std::vector<std::string> parts;
  std::string others;
  for (const auto& [value, places] : all) {
    if (value.empty()) {
      others = fmt::format("to other values in {}", places.words());
    } else {
      parts.push_back(fmt::format("to {} in {}", code(value), places.words()));
    }
  }
  if (!others.empty()) parts.push_back(std::move(others));
  return "set " + join(parts, ", ");
}

std::string sentence(const std::vector<std::string>& names, const Places& places, bool is_after) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(code(name));
  const bool is_one = names.size() == 1;
  std::vector<std::string> parts;
  if (!places.field_of.empty())
    parts.push_back(fmt::format("{} of {}", is_one ? "a field" : "fields", places.field_of.words()));
  if (!places.parameter_of.empty())
    parts.push_back(fmt::format("{} of {}", is_one ? "a parameter" : "parameters", places.parameter_of.words()));
  if (!places.buffer_in.empty()) parts.push_back(fmt::format("registered in {}", places.buffer_in.words()));
  if (!places.unsaved_buffer_in.empty())
    parts.push_back(fmt::format("registered in {}, not to be saved", places.unsaved_buffer_in.words()));
  const bool is_registered = !places.buffer_in.empty() || !places.unsaved_buffer_in.empty();
  // Beside that, `None` stands where there is no buffer.
  const auto& set_in = places.set_in.all();
  const bool only_none = set_in.size() == 1 && set_in.front().first == "None";
  if (!set_in.empty() && !(is_registered && only_none)) parts.push_back(set_words(places.set_in));
  if (!places.filled_in.empty()) parts.push_back(fmt::format("elements set in {}", places.filled_in.words()));
  constexpr std::size_t kMostPassed = 3;
  std::vector<std::string> passed;
  for (const auto& [to, by] : places.passed_by.all()) {
    if (passed.size() == kMostPassed) break;
    passed.push_back(fmt::format("to {} by {}", code(to), by.words()));
  }
  const bool is_one_value = passed.size() == 1 && places.passed_as.size() == 1 && !places.passed_as.begin()->empty();
  // "as `x`" would say that it is called so there.
  const std::string value = is_one_value ? *places.passed_as.begin() : std::string();
  const bool is_named = !value.empty() && is_name_char(value.front()) &&
                        std::isdigit(static_cast<unsigned char>(value.front())) == 0 && value != "True" &&
                        value != "False" && value != "None";
  const std::string as = value.empty() ? value : fmt::format("{} {} ", is_named ? "with the value" : "as", code(value));
  if (!passed.empty()) parts.push_back(fmt::format("passed {}{}", as, join(passed, ", ")));
  if (!places.read_in.empty()) parts.push_back(fmt::format("read in {}", places.read_in.words()));
  if (!places.decides_in.empty())
    parts.push_back(fmt::format("decides over a branch in {}", places.decides_in.words()));
  if (!places.named_in.empty()) parts.push_back(fmt::format("named as a text in {}", places.named_in.words()));
  return fmt::format("{} {} {}: {}.", join_words(shown), is_one ? "is" : "are", is_after ? "new" : "gone, formerly",
                     join(parts, "; "));
}

}  // namespace

std::vector<NameSentence> name_sentences(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::set<std::string_view> told;  // What is told by other means.
  for (const Actor& actor : story.actors) {
    if (actor.change->kind != EntityKind::kField) told.insert(change::last_part(actor.change->latest().qualified_name));
  }
  std::set<std::string_view> settings;
  for (const Flag& flag : story.flags) settings.insert(flag.name);
  std::set<std::string> renamed;  // Old and new names of what is only called otherwise.
  for (const Actor& actor : story.actors) {
    for (const Step& step : actor.steps.after) {
      for (const auto& [was, now] : step.renames) renamed.insert({was, now});
    }
    const auto* now = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
    const auto* was = actor.change->before ? as<FunctionDef>(actor.change->before->node) : nullptr;
    if (now == nullptr || was == nullptr || now->parameters->all.size() != was->parameters->all.size()) continue;
    for (std::size_t i = 0; i < now->parameters->all.size(); ++i) {
      const std::string old_name(was->parameters->all[i]->name.text);
      const std::string new_name(now->parameters->all[i]->name.text);
      if (old_name != new_name) renamed.insert({old_name, new_name});
    }
  }
  told.insert(settings.begin(), settings.end());
  std::set<std::string> new_classes;
  for (const Actor& actor : story.actors) {
    if (actor.change->kind == EntityKind::kClass && (actor.is_added() || actor.is_removed()))
      new_classes.insert(short_name(inputs, *actor.change));
  }
  std::set<std::string> new_functions;
  for (const Actor& actor : story.actors) {
    if (actor.is_function() && (actor.is_added() || actor.is_removed()))
      new_functions.insert(short_name(inputs, *actor.change));
  }
  // A parameter of functions that are new themselves, which none but these hand over, says nothing that they do not.
  const auto is_all_new = [&](const Places& places, const std::set<std::string>& definitions) {
    return !places.parameter_of.empty() && places.field_of.empty() &&
           std::all_of(definitions.begin(), definitions.end(),
                       [&](const std::string& one) { return new_functions.contains(one); });
  };
  // So does a parameter of functions that go, whoever gave it to them: without them nobody can.
  const auto goes_with_takers = [&](const Places& places) {
    const auto& takers = places.parameter_of.all();
    return !takers.empty() && places.field_of.empty() && places.set_in.all().empty() &&
           std::all_of(takers.begin(), takers.end(),
                       [&](const std::string& one) { return new_functions.contains(one); });
  };
  // What a class that comes or goes keeps for itself says nothing that the class does not.
  const auto is_of_one_class = [&](const std::set<std::string>& definitions) {
    const std::string_view owner = owner_of(*definitions.begin());
    return new_classes.contains(std::string(owner)) &&
           std::all_of(definitions.begin(), definitions.end(),
                       [&](const std::string& one) { return owner_of(one) == owner; });
  };
  struct Found {
    std::vector<std::string> names;
    const Places* places;
    std::size_t definitions;
    bool is_after;
  };
  std::vector<Found> found;
  const Side sides[] = {Side(inputs, story, true), Side(inputs, story, false)};
  for (const bool is_after : {true, false}) {
    const std::map<std::string, Places>& all = sides[is_after ? 0 : 1].places();
    std::set<std::string_view> candidates;
    for (const auto& [name, places] : all) {
      constexpr std::size_t kShortest = 4;
      constexpr std::size_t kFewest = 3;  // Definitions: of two each says what the other does.
      const std::set<std::string> definitions = places.definitions();
      const std::size_t count = definitions.size();
      // Fields that several classes call by one name need have nothing in common.
      const bool goes_on = places.field_of.all().size() == 1 || !places.parameter_of.empty() ||
                           !places.set_in.empty() || !places.buffer_in.empty() || !places.unsaved_buffer_in.empty();
      if (count < kFewest || !goes_on || name.size() < kShortest || renamed.contains(name) ||
          is_of_one_class(definitions) || is_all_new(places, definitions) || (!is_after && goes_with_takers(places)))
        continue;
      // A property that is named after a field is one of its places.
      if (!told.contains(name) || (!places.field_of.empty() && !settings.contains(name))) candidates.insert(name);
    }
    strike_out_known(is_after ? *inputs.before : *inputs.after, candidates);
    for (const std::string_view candidate : candidates) {
      const auto& entry = *all.find(std::string(candidate));
      const std::string& name = entry.first;
      const Places& places = entry.second;
      const auto alike = std::find_if(found.begin(), found.end(), [&](const Found& one) {
        return one.is_after == is_after && *one.places == places;
      });
      if (alike != found.end()) {
        alike->names.push_back(name);
      } else {
        found.push_back({{name}, &places, places.definitions().size(), is_after});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.definitions > b.definitions; });
  if (found.size() > most) found.resize(most);
  std::vector<NameSentence> out;
  for (const Found& one : found) {
    constexpr std::size_t kMostNames = 4;
    if (one.names.size() > kMostNames) continue;
    out.push_back({sentence(one.names, *one.places, one.is_after), one.names, {}});
    if (!one.is_after) continue;
    const auto& takers = one.places->parameter_of.all();
    const bool are_told = are_values_told(one.places->set_in);
    for (const auto& [value, places] : one.places->set_in.all()) {
      for (const std::string& name : places.all()) {
        // What takes a parameter of that name, and sets an attribute of it, keeps it.
        const bool keeps = value.empty() && std::find(takers.begin(), takers.end(), name) != takers.end();
        if (keeps || (are_told && !value.empty())) out.back().setters.insert(name);
      }
    }
  }
  return out;
}

bool tells_all_of(const std::vector<NameSentence>& sentences, const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.is_function() || actor.is_added() || actor.is_removed()) return false;
  const auto is_gone = [](const Step& step) { return step.status != StepStatus::kKept; };
  if (std::any_of(actor.steps.before.begin(), actor.steps.before.end(), is_gone)) return false;
  const std::string own = short_name(inputs, *actor.change);
  const auto is_tied = [&](std::string_view name) {
    return std::any_of(sentences.begin(), sentences.end(), [&](const NameSentence& one) {
      return std::find(one.names.begin(), one.names.end(), name) != one.names.end();
    });
  };
  const auto& differences = actor.change->differences;
  if (std::any_of(differences.begin(), differences.end(), [&](const change::Difference& one) {
        return one.kind == change::DifferenceKind::kParameterAdded && !is_tied(one.name);
      }))
    return false;
  bool sets = false;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept) continue;
    const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
    const auto* target =
        assign != nullptr && assign->targets.size() == 1 ? as<Attribute>(assign->targets.front()) : nullptr;
    if (target == nullptr || step.status != StepStatus::kAdded) return false;
    sets = std::any_of(sentences.begin(), sentences.end(), [&](const NameSentence& one) {
      return one.setters.contains(own) &&
             std::find(one.names.begin(), one.names.end(), target->name.text) != one.names.end();
    });
    if (!sets) return false;
  }
  return sets;
}

}  // namespace lockstep::report
