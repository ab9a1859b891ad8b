// held-object-replaced: a constructor hands an object that it made (`self.buffer`, a part of it) to another class,
// which keeps it, and another method makes `self.buffer` anew and hands nothing out: the other goes on with the old
// one. A question: the method may never run while the other is in use.
//
// Left out: holders that nobody keeps, that no method reads the kept object from or that another method gives one;
// those that copy what they get; methods that name the holder, hand it out again, build it anew or whose callers do;
// values that are made once only where there is none, or under a condition that the handing has, too, or that may share
// what the old one had; methods that close, and those that nothing outside the class calls; what is no buffer,
// container or object of a class.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "change/earlier.h"
#include "mesh/dimensions.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/logic/kept_objects.h"
#include "rules/names/bindings.h"
#include "rules/names/new_objects.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/guards.h"
#include "rules/syntax/method_names.h"
#include "rules/syntax/word_tables.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "held-object-replaced";
constexpr int kMostSteps = 3;  // calls of methods from one to the other
constexpr auto kClosing =
    std::to_array<std::string_view>({"close", "cleanup", "del", "destroy", "exit", "finalize", "free", "release",
                                     "shutdown", "stop", "teardown", "terminate"});
/// Methods of a tensor that give a view or a copy of it.
constexpr auto kViews = std::to_array<std::string_view>(
    {"clone", "contiguous", "cuda", "detach", "flatten", "narrow", "reshape", "squeeze", "to", "unsqueeze", "view"});
constexpr auto kTensors = std::to_array<std::string_view>(
    {"empty", "empty_like", "full", "full_like", "ones", "ones_like", "rand", "tensor", "zeros", "zeros_like"});

/// Another class that keeps what it was given.
struct Handed {
  FunctionId by;                ///< Which hands it out.
  Span place;                   ///< Where.
  const Expr* given = nullptr;  ///< `self.buffer`, `self.buffer.part`.
  FunctionId keeper;            ///< The method that keeps it; none where it is stored from outside.
  ClassId holder;
  std::string_view kept_as;
  std::string_view held_in;  ///< "x" where the holder stands in `self.x`; empty elsewhere.
};

/// A place that reads what is kept.
struct Read {
  ModuleId module;
  Span span;
};

/// The attribute of `self`, `cls` or `self.__class__`; empty for anything else.
std::string_view own_attribute(const Expr* expression) {
  const auto* attribute = as<Attribute>(expression);
  if (attribute == nullptr) return {};
  const std::string owner = dotted_text(attribute->value);
  return owner == "self" || owner == "cls" || owner == "self.__class__" ? attribute->name.text : std::string_view();
}

/// Whether the method ends the use of its object, by a word of its name.
bool closes(std::string_view method) {
  const std::vector<std::string> words = mesh::words_of(method);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) { return has(kClosing, word); });
}

class Finder {
 public:
  Finder(const RuleContext& context, std::vector<Finding>& findings)
      : context_(context),
        program_(context.program),
        signatures_(context.program),
        earlier_(*context.change),
        findings_(findings) {}

  void run() {
    for (const change::FileSummary& file : context_.change->files) {
      const ModuleId module = program_.find_path(file.file->new_path);
      if (!module.valid() || program::is_test_path(file.file->new_path)) continue;
      for (const ClassId cls : program_.modules()[module].classes) look_at(cls);
    }
  }

 private:
  void look_at(ClassId cls) {
    cls_ = cls;
    std::vector<Handed> handed;
    for (const FunctionId method : program_.classes()[cls].methods) {
      if (program_.functions()[method].name == "__init__") collect(method, handed);
    }
    for (const Handed& one : handed) judge(one);
  }

  [[nodiscard]] bool is_written(ModuleId module, Span span) const {
    const program::Module& row = program_.modules()[module];
    return context_.change->touches_after(row.path, row.facts->source().line_of(span.begin));
  }

  /// What the constructor gives to methods of other classes that keep it, or stores in their objects.
  void collect(FunctionId init, std::vector<Handed>& handed) const {
    for (const CallId id : program_.functions()[init].calls) {
      const program::CallSite& site = program_.calls()[id];
      const auto* call = as<Call>(site.node);
      if (call == nullptr || site.targets.size() != 1 || !site.targets.front().function.valid() ||
          site.targets.front().certainty != program::Certainty::kExact)
        continue;
      const FunctionId keeper = site.targets.front().function;
      const program::Function& row = program_.functions()[keeper];
      if (row.def() == nullptr || !row.owner.valid() || program::are_kin(program_, row.owner, cls_)) continue;
      const std::optional<Signature> signature = signatures_.of_target(site, site.targets.front());
      const Expr* holder = holder_of(*call, site.targets.front());
      const Keeping keeping = holder == nullptr ? Keeping() : keeping_of(program_, init, *holder);
      if (!signature || !keeping.is_kept || is_called_elsewhere(keeper, init)) continue;
      walk_of<Assign>(*row.node, Nested::kSkip, [&](const Assign* assign) {
        const std::string_view kept_as = own_attribute(assign->targets[0]), parameter = name_of(assign->value);
        if (kept_as.empty() || parameter.empty() || binds_name(*row.node, parameter)) return;
        const Expr* given = given_to(*signature, *call, parameter).value;
        if (given != nullptr && !first_attribute(given).empty())
          handed.push_back({init, call->span, given, keeper, row.owner, kept_as, keeping.attribute});
      });
    }
    walk_of<Assign>(*program_.functions()[init].node, Nested::kSkip, [&](const Assign* assign) {
      const auto* target = as<Attribute>(assign->targets[0]);
      if (target == nullptr || first_attribute(assign->value).empty() || name_of(target->value) == "self") return;
      const Keeping keeping = keeping_of(program_, init, *target->value);
      if (!keeping.is_kept) return;
      const program::Reference named = program_.resolve(init, *target->value);
      std::vector<ClassId> holders = named.kind == program::Reference::Kind::kClass
                                         ? std::vector<ClassId>{named.cls}
                                         : program_.instance_classes(init, *target->value);
      if (holders.size() == 1 && !program::are_kin(program_, holders.front(), cls_))
        handed.push_back(
            {init, assign->span, assign->value, FunctionId(), holders.front(), target->name.text, keeping.attribute});
    });
  }

  /// What holds what a call gives away: the object that it makes, or whose method it calls; null for other calls.
  static const Expr* holder_of(const Call& call, const program::CallTarget& target) {
    if (target.kind == program::CallKind::kConstructor) return &call;
    const auto* method = as<Attribute>(call.callee);
    return method == nullptr ? nullptr : method->value;
  }

  /// Whether others than the constructor give the holder something to keep.
  [[nodiscard]] bool is_called_elsewhere(FunctionId keeper, FunctionId init) const {
    const auto callers = program_.callers_of(keeper);
    return program_.functions()[keeper].name != "__init__" &&
           std::any_of(callers.begin(), callers.end(), [&](CallId id) {
             const FunctionId caller = program_.calls()[id].caller;
             return caller != init && !program::is_test_path(program_.module_of(caller).path);
           });
  }

  /// Whether another method of the holder gives the attribute a value, or storing it runs code.
  [[nodiscard]] bool may_get_another(const Handed& handed) const {
    if (program_.find_method(handed.holder, handed.kept_as).valid() ||
        program_.find_method(handed.holder, "__setattr__").valid())
      return true;
    bool found = false;
    for (const ClassId cls : program::with_descendants(program_, handed.holder)) {
      for (const FunctionId method : program_.classes()[cls].methods) {
        if (method == handed.keeper || program_.functions()[method].name == "__init__") continue;
        walk_of<Assign>(*program_.functions()[method].node, Nested::kEnter, [&](const Assign* assign) {
          for (const Expr* target : assign->targets)
            found = found || (own_attribute(target) == handed.kept_as && !is_none(assign->value));
        });
      }
    }
    return found;
  }

  void judge(const Handed& handed) {
    const std::string_view attribute = first_attribute(handed.given);
    const bool runs_code =
        program_.find_method(cls_, attribute).valid() || program_.find_method(cls_, "__setattr__").valid();
    const std::optional<Read> reader = reader_of(handed);
    if (!reader || runs_code || may_get_another(handed) || begins_as_none(attribute)) return;
    for (const FunctionId method : program_.classes()[cls_].methods) {
      if (method == handed.by || closes(program_.functions()[method].name)) continue;
      const Assign* made = made_anew(method, attribute, handed);
      if (made == nullptr || asks_alike(handed, method, *made)) continue;
      const bool is_old = was_handed(handed) && was_made(method, attribute);
      const ModuleId module = program_.functions()[method].module;
      const bool is_written_here = is_written(module, handed.place) || is_written(module, made->span);
      if (is_old || !is_written_here) continue;
      if (const std::optional<FunctionId> entered = entered_from_outside(method, handed)) {
        report(handed, attribute, *made, method, *entered, *reader);
        return;
      }
    }
  }

  [[nodiscard]] bool begins_as_none(std::string_view attribute) const {
    const program::Field* field = program_.find_field(cls_, attribute);
    const auto* assign = field == nullptr ? nullptr : as<Assign>(field->node);
    return assign != nullptr && is_none(assign->value);
  }

  /// Where a method of the holder reads what it keeps; nullopt where none does.
  [[nodiscard]] std::optional<Read> reader_of(const Handed& handed) const {
    std::optional<Read> reader;
    for (const ClassId cls : program::with_descendants(program_, handed.holder)) {
      for (const FunctionId method : program_.classes()[cls].methods) {
        if (method == handed.keeper || program_.functions()[method].name == "__init__") continue;
        walk_of<Attribute>(*program_.functions()[method].node, Nested::kEnter, [&](const Attribute* read) {
          const bool is_read = read->context == ExprContext::kLoad && own_attribute(read) == handed.kept_as;
          if (!reader && is_read) reader = Read{program_.functions()[method].module, read->span};
        });
      }
    }
    return reader;
  }

  /// Where the method gives the attribute a new object, whether there is one or not; null where it does not, or may
  /// give it the old one again.
  [[nodiscard]] const Assign* made_anew(FunctionId method, std::string_view attribute, const Handed& handed) const {
    const Node& body = *program_.functions()[method].node;
    const Assign* made = nullptr;
    bool is_new = true;
    walk_of<Assign>(body, Nested::kSkip, [&](const Assign* assign) {
      if (assign->targets.size() != 1 || self_attribute(assign->targets[0]) != attribute) return;
      made = assign;
      is_new = is_new && is_new_object(method, *assign->value, handed);
    });
    if (made == nullptr || !is_new) return nullptr;
    bool asks_for_it = false;
    walk_of<If>(body, Nested::kSkip, [&](const If* branch) {
      asks_for_it = asks_for_it || mentions_attribute(*branch->condition, attribute);
    });
    return asks_for_it ? nullptr : made;
  }

  [[nodiscard]] bool is_new_object(FunctionId method, const Expr& value, const Handed& handed) const {
    if (!self_attribute(handed.given).empty()) return is_fresh(method, value) && !takes_object(value);
    const auto* part = as<Attribute>(handed.given);
    const auto* call = as<Call>(&value);
    if (call == nullptr || self_attribute(part->value).empty()) return false;
    const program::Reference callee = program_.resolve(method, *call->callee);
    return callee.kind == program::Reference::Kind::kClass && gives_new_object(program_, callee.cls) &&
           is_new_part(method, *call, callee.cls, part->name.text);
  }

  /// Whether the expression surely makes a container, a tensor or an object that nobody else has.
  [[nodiscard]] bool is_fresh(FunctionId function, const Expr& value) const {
    if (is<List>(&value) || is<Dict>(&value) || is<Set>(&value) || is<ListComp>(&value) || is<DictComp>(&value))
      return true;
    const auto* call = as<Call>(&value);
    if (call == nullptr) return false;
    const program::Reference callee = program_.resolve(function, *call->callee);
    if (callee.kind == program::Reference::Kind::kClass) return gives_new_object(program_, callee.cls);
    const bool is_torch = callee.kind == program::Reference::Kind::kExternal && callee.name.starts_with("torch.");
    return makes_container(last_part_of(call->callee)) || (is_torch && has(kTensors, last_part_of(call->callee)));
  }

  /// Whether a new object is given one that its owner keeps, and may hold the same as the old one.
  [[nodiscard]] bool takes_object(const Expr& value) const {
    bool found = false;
    walk_of<Attribute>(value, Nested::kEnter, [&](const Attribute* read) {
      const std::string_view name = self_attribute(read);
      const program::Field* field = name.empty() ? nullptr : program_.find_field(cls_, name);
      found = found || (field != nullptr && is_fresh_field(*field));
    });
    return found;
  }

  [[nodiscard]] bool is_fresh_field(const program::Field& field) const {
    const auto* assign = as<Assign>(field.node);
    return assign != nullptr && field.assigned_in.valid() && is_fresh(field.assigned_in, *assign->value);
  }

  /// Whether the part `name` of an object that `call` makes is surely made with it, and no number: a container, a
  /// tensor, or a view of one.
  [[nodiscard]] bool is_new_part(FunctionId caller, const Call& call, ClassId cls, std::string_view name) const {
    const program::Field* field = program_.find_field(cls, name);
    const auto* assign = field == nullptr ? nullptr : as<Assign>(field->node);
    if (assign == nullptr || !field->assigned_in.valid()) return false;
    const Expr* value = assign->value;
    bool is_view = false;
    while (true) {
      const auto* method = is<Call>(value) ? as<Attribute>(as<Call>(value)->callee) : nullptr;
      const auto* part = as<Subscript>(value);
      if (method != nullptr && has(kViews, method->name.text)) {
        value = method->value;
      } else if (part != nullptr && is<Slice>(part->index)) {
        value = part->value;
      } else {
        break;
      }
      is_view = true;
    }
    if (is_fresh(field->assigned_in, *value)) return true;
    if (!is_view) return false;
    if (const std::string_view whole = self_attribute(value); !whole.empty()) {
      const program::Field* of = program_.find_field(cls, whole);
      return of != nullptr && is_fresh_field(*of);
    }
    return is_given_new(caller, call, field->assigned_in, name_of(value));
  }

  /// Whether the call makes what it gives to a parameter of the constructor.
  [[nodiscard]] bool is_given_new(FunctionId caller, const Call& call, FunctionId init,
                                  std::string_view parameter) const {
    if (parameter.empty() || program_.functions()[init].name != "__init__") return false;
    const std::optional<Signature> signature = signatures_.of_function(init, 1);
    const Expr* given = signature ? given_to(*signature, call, parameter).value : nullptr;
    return given != nullptr && is_fresh(caller, *given);
  }

  /// Names that the conditions around a place ask for.
  [[nodiscard]] std::set<std::string_view> asked_around(FunctionId function, Span place) const {
    std::set<std::string_view> asked;
    const auto look = [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node)) asked.insert(attribute->name.text);
      if (const auto* name = as<Name>(node); name != nullptr && name->id != "self") asked.insert(name->id);
    };
    for (const Guard& guard : guards_of(*program_.functions()[function].node, place)) {
      if (guard.condition == nullptr) continue;
      look(guard.condition);
      walk(*guard.condition, Nested::kSkip, look);
    }
    return asked;
  }

  /// Whether what is asked before the object is handed out is asked before it is made anew, too: one may exclude the
  /// other.
  [[nodiscard]] bool asks_alike(const Handed& handed, FunctionId method, const Assign& made) const {
    const std::set<std::string_view> first = asked_around(handed.by, handed.place),
                                     second = asked_around(method, made.span);
    return std::any_of(first.begin(), first.end(), [&](std::string_view name) { return second.contains(name); });
  }

  /// A method that comes to `method` by calls on `self`, that code outside the class calls, and that deals with the
  /// holder as little as its callers do.
  [[nodiscard]] std::optional<FunctionId> entered_from_outside(FunctionId method, const Handed& handed) const {
    std::vector<std::pair<FunctionId, int>> open{{method, 0}};
    std::set<FunctionId> seen{method};
    while (!open.empty()) {
      const auto [at, steps] = open.front();
      open.erase(open.begin());
      if (closes(program_.functions()[at].name) || deals_with(at, handed, kMostSteps)) continue;
      bool is_entered = false;
      for (const CallId id : program_.callers_of(at)) {
        const FunctionId caller = program_.calls()[id].caller;
        const program::Function& row = program_.functions()[caller];
        if (program::is_test_path(program_.module_of(caller).path) || row.name == "__init__") continue;
        if (row.owner.valid() && program::are_kin(program_, row.owner, cls_)) {
          if (steps < kMostSteps && seen.insert(caller).second) open.emplace_back(caller, steps + 1);
        } else if (deals_with(caller, handed, 0)) {
          return std::nullopt;
        } else {
          is_entered = true;
        }
      }
      if (is_entered) return at;
    }
    return std::nullopt;
  }

  /// Whether a function, or a method of the class that it comes to in so many steps, stores something under the
  /// holder's name for it, calls a method of the holder, or names the attribute in which that stands.
  [[nodiscard]] bool deals_with(FunctionId function, const Handed& handed, int steps) const {
    std::vector<std::pair<FunctionId, int>> open{{function, steps}};
    std::set<FunctionId> seen{function};
    while (!open.empty()) {
      const auto [at, left] = open.back();
      open.pop_back();
      bool deals = false;
      walk_of<Attribute>(*program_.functions()[at].node, Nested::kEnter, [&](const Attribute* attribute) {
        deals = deals || (attribute->context == ExprContext::kStore && attribute->name.text == handed.kept_as &&
                          name_of(attribute->value) != "self");
        deals = deals || (!handed.held_in.empty() && attribute->name.text == handed.held_in);
      });
      for (const CallId id : program_.functions()[at].calls) {
        for (const program::CallTarget& target : program_.calls()[id].targets) {
          if (!target.function.valid()) continue;
          const ClassId owner = program_.functions()[target.function].owner;
          deals = deals || program::are_kin(program_, owner, handed.holder);
          if (left > 0 && program::are_kin(program_, owner, cls_) && seen.insert(target.function).second)
            open.emplace_back(target.function, left - 1);
        }
      }
      if (deals) return true;
    }
    return false;
  }

  /// The same method before the change; null where there was none.
  [[nodiscard]] const Node* old_body(FunctionId method) const {
    const FunctionId old = earlier_.of(method);
    return old.valid() ? context_.before->functions()[old].node : nullptr;
  }

  [[nodiscard]] bool was_handed(const Handed& handed) const {
    const Node* body = old_body(handed.by);
    const std::string given = dotted_text(handed.given);
    bool found = false;
    if (body == nullptr) return false;
    walk_of<Call>(*body, Nested::kSkip, [&](const Call* call) {
      for (const Expr* argument : call->arguments) found = found || dotted_text(argument) == given;
      for (const Keyword* keyword : call->keywords) found = found || dotted_text(keyword->value) == given;
    });
    walk_of<Assign>(*body, Nested::kSkip,
                    [&](const Assign* assign) { found = found || dotted_text(assign->value) == given; });
    return found;
  }

  [[nodiscard]] bool was_made(FunctionId method, std::string_view attribute) const {
    const Node* body = old_body(method);
    bool found = false;
    if (body == nullptr) return false;
    walk_of<Assign>(*body, Nested::kSkip,
                    [&](const Assign* assign) { found = found || self_attribute(assign->targets[0]) == attribute; });
    return found;
  }

  void report(const Handed& handed, std::string_view attribute, const Assign& made, FunctionId method,
              FunctionId entered, const Read& reader) {
    const program::Function& row = program_.functions()[method];
    const std::string_view holder = program_.classes()[handed.holder].name;
    const bool hands_new = is_written(program_.functions()[handed.by].module, handed.place);
    const ModuleId module = hands_new ? program_.functions()[handed.by].module : row.module;
    Finding finding = finding_at(program_, kRule, module, hands_new ? handed.place : made.span);
    finding.severity = Severity::kP2;
    finding.certainty = FindingCertainty::kQuestion;
    finding.category = Category::kCorrectness;
    const std::string by = entered == method ? std::string() : fmt::format(", which calls `{}`,", row.name);
    finding.message = fmt::format(
        "`{}` keeps the `{}` that the constructor gives it; `{}`{} makes `self.{}` anew and does not hand it out again",
        holder, dotted_text(handed.given), short_name(program_, entered), by, attribute);
    finding.why = fmt::format("From then on `{}` reads the old object.", holder);
    finding.fix = fmt::format("Give the new one to `{}` there as well, or write into the old one.", holder);
    const auto add = [&](ModuleId where, Span span, std::string message) {
      finding.evidence.push_back(evidence_at(program_, where, span, std::move(message)));
    };
    if (!hands_new) add(program_.functions()[handed.by].module, handed.place, "the constructor hands it out");
    if (hands_new) add(row.module, made.span, fmt::format("`{}` makes a new one", row.name));
    add(reader.module, reader.span, fmt::format("`{}` reads what it keeps", holder));
    findings_.push_back(std::move(finding));
  }

  const RuleContext& context_;
  const Program& program_;
  Signatures signatures_;
  const change::EarlierFunctions earlier_;
  ClassId cls_;
  std::vector<Finding>& findings_;
};

}  // namespace

void run_held_object_replaced(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr && context.before != nullptr) Finder(context, findings).run();
}

}  // namespace lockstep::rules
