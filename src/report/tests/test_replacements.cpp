#include "report/tests/test_replacements.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;
using program::Reference;

namespace {

using Holder = TestReplacements::Holder;

Holder holder_of(const Reference& to) {
  if (to.kind == Reference::Kind::kModule) return {to.module, {}};
  if (to.kind == Reference::Kind::kClass) return {{}, to.cls};
  return {};
}

/// "pkg.mod.Class" as `mock.patch` looks it up: the longest front that is a module, then what that module holds.
Holder holder_of(const Program& program, std::string_view dotted, bool& is_known) {
  is_known = true;
  for (std::size_t end = dotted.size(); end != std::string_view::npos && end > 0; end = dotted.rfind('.', end - 1)) {
    const program::ModuleId module = program.find_module(dotted.substr(0, end));
    if (!module.valid()) continue;
    if (end == dotted.size()) return {module, {}};
    const Reference to = program.resolve(module, dotted.substr(end + 1));
    is_known = to.kind == Reference::Kind::kModule || to.kind == Reference::Kind::kClass;
    return holder_of(to);
  }
  is_known = false;
  return {};
}

/// The objects of which attributes are replaced, and their names, as one call or statement gives them.
struct Target {
  const Expr* object = nullptr;  ///< Null where `dotted` says it.
  std::string_view dotted;
  std::string_view name;
  Span text;                   ///< Of the name.
  const Expr* with = nullptr;  ///< What stands in; null where it is a mock.
};

bool split_dotted(std::string_view text, Target& target) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) return false;
  target.dotted = text.substr(0, dot);
  target.name = text.substr(dot + 1);
  return true;
}

bool is_patch(const Call& call) {
  const std::string callee = dotted_text(call.callee);
  return callee_name(call) == "patch" || callee == "patch.object" || callee.ends_with(".patch.object") ||
         callee == "patch.multiple" || callee.ends_with(".patch.multiple");
}

/// What a call binds anew; empty where it binds nothing. One that wraps what was there (`wraps=`) leaves it running.
std::vector<Target> targets_of(const Call& call) {
  std::vector<Target> out;
  const std::string_view last = callee_name(call);
  const auto& arguments = call.arguments;
  const auto argument = [&](std::size_t i) { return i < arguments.size() ? arguments[i] : nullptr; };
  const auto text = [&](std::size_t i) {
    return i < arguments.size() ? rules::text_of(arguments[i]) : std::string_view();
  };
  Target target;
  if (rules::keyword_value(call, "wraps") != nullptr) return out;
  const bool is_multiple = last == "multiple" && is_patch(call);
  const auto take = [&](std::size_t name_at) {
    target.text = arguments[name_at]->span;
    target.with = argument(name_at + 1);
    for (const std::string_view keyword : {"new", "side_effect", "value", "new_callable"}) {
      if (target.with == nullptr) target.with = rules::keyword_value(call, keyword);
    }
    out.push_back(target);
  };
  if (last == "setattr" || (last == "object" && is_patch(call))) {
    if (arguments.size() >= 2 && !text(1).empty() && text(0).empty()) {
      target.object = arguments[0];
      target.name = text(1);
      take(1);
    } else if (last == "setattr" && arguments.size() >= 2 && split_dotted(text(0), target)) {
      take(0);
    }
  } else if (last == "patch" && split_dotted(text(0), target)) {
    take(0);
  } else if (is_multiple && !arguments.empty()) {
    for (const Keyword* keyword : call.keywords) {
      if (keyword->name.text.empty()) continue;
      target.name = keyword->name.text;
      target.text = keyword->name.span;
      target.dotted = text(0);
      target.object = target.dotted.empty() ? arguments[0] : nullptr;
      target.with = keyword->value;
      out.push_back(target);
    }
  }
  return out;
}

/// Where in the test code a replacement holds, and whether that is known: a patch that nobody starts does nothing.
struct Extent {
  Span scope;
  bool is_sure = true;
  bool ends_in_block = false;  ///< At the end of a `with`.
};

/// Reads off one function of the tests how long what it replaces holds.
class Extents {
 public:
  explicit Extents(const FunctionDef& def) : def_(def) {
    walk_of<Yield>(def, Nested::kSkip, [&](const Yield* yield) { yields_.push_back(yield->span.begin); });
    walk_of<YieldFrom>(def, Nested::kSkip, [&](const YieldFrom* yield) { yields_.push_back(yield->span.begin); });
    walk_of<Call>(def, Nested::kSkip, [&](const Call* call) { calls_.push_back(call); });
  }

  /// Of an assignment or of a call that binds the name at once: `lib.f = stub`, `monkeypatch.setattr(…)`.
  [[nodiscard]] Extent from(Span at, const std::string& undone_by) const {
    Extent out{{at.begin, def_.span.end}, is_always(at), false};
    for (const Node* around : chain_to(def_, at)) {
      const auto* with = as<With>(around);
      if (with != nullptr && is_undone_by(*with, undone_by)) end_at_block(out, *with);
    }
    if (!undone_by.empty()) end_at_call(out, undone_by, {"undo", "stopall", "stop", "resetall"});
    return out;
  }

  /// Of `patch(…)`, which does nothing until it is entered or started.
  [[nodiscard]] Extent of_patch(const Call& call) const {
    const std::vector<const Node*> around = chain_to(def_, call.span);
    std::string name;
    for (std::size_t i = around.size(); i-- > 0;) {
      const Node* node = around[i];
      if (const auto* with = as<With>(node)) {
        const bool is_item = std::any_of(with->items.begin(), with->items.end(),
                                         [&](const WithItem* item) { return item->context->span == call.span; });
        if (is_item) return {{call.span.begin, with->span.end}, is_always(call.span), true};
        break;
      }
      if (is<WithItem>(node)) continue;  // `patch(…) as fake`
      if (const auto* attribute = as<Attribute>(node)) {
        if (attribute->name.text != "start") break;
        Extent out{{call.span.begin, def_.span.end}, is_always(call.span), false};
        end_at_call(out, "patch", {"stopall"});
        end_at_call(out, "mock.patch", {"stopall"});
        return out;
      }
      if (const auto* taker = as<Call>(node)) {
        const std::string_view callee = callee_name(*taker);
        if (callee != "enter_context" && callee != "enterContext") break;
        const auto* method = as<Attribute>(taker->callee);
        return from(call.span, method == nullptr ? std::string() : dotted_text(method->value));
      }
      const auto* assign = as<Assign>(node);
      if (assign != nullptr && assign->value->span == call.span && assign->targets.size() == 1)
        name = dotted_text(assign->targets.front());
      break;
    }
    if (name.empty()) return {{call.span.begin, def_.span.end}, false, false};
    return of_name(name, call.span);
  }

  /// Whether it still holds when the function has returned, or has given way to the test: `yield`.
  [[nodiscard]] bool is_lasting(const Extent& extent) const {
    if (yields_.empty()) return !extent.ends_in_block && extent.scope.end >= def_.span.end;
    return std::any_of(yields_.begin(), yields_.end(),
                       [&](std::uint32_t yield) { return extent.scope.begin <= yield && yield < extent.scope.end; });
  }

 private:
  /// Not in a branch, a loop, a handler or a case.
  [[nodiscard]] bool is_always(Span at) const {
    const std::vector<Guard> guards = guards_of(def_, at);
    const std::vector<const Node*> around = chain_to(def_, at);
    return std::none_of(guards.begin(), guards.end(),
                        [&](const Guard& guard) { return guard.statement->span.contains(at); }) &&
           std::none_of(around.begin(), around.end(),
                        [](const Node* node) { return is<ExceptHandler>(node) || is<MatchCase>(node); });
  }

  /// `with monkeypatch.context() as m: m.setattr(…)`, `with ExitStack() as stack: stack.enter_context(…)`.
  static bool is_undone_by(const With& with, const std::string& name) {
    return std::any_of(with.items.begin(), with.items.end(), [&](const WithItem* item) {
      const auto* call = as<Call>(item->context);
      const std::string_view callee = call == nullptr ? std::string_view() : callee_name(*call);
      return callee == "context" || (!name.empty() && item->target != nullptr && dotted_text(item->target) == name);
    });
  }

  static void end_at_block(Extent& out, const With& with) {
    out.scope.end = with.span.end;
    out.ends_in_block = true;
  }

  /// Ends it where a method of `name` with one of these names is called.
  void end_at_call(Extent& out, const std::string& name, std::initializer_list<std::string_view> methods) const {
    for (const Call* call : calls_) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr || call->span.begin <= out.scope.begin || call->span.begin >= out.scope.end) continue;
      if (std::find(methods.begin(), methods.end(), method->name.text) == methods.end()) continue;
      if (dotted_text(method->value) != name) continue;
      if (is_always(call->span)) {
        out.scope.end = call->span.begin;
      } else {
        out.is_sure = false;
      }
    }
  }

  /// Of a patch under a name: from where that is started or entered, once.
  [[nodiscard]] Extent of_name(const std::string& name, Span made) const {
    const Extent unknown{{made.begin, def_.span.end}, false, false};
    std::optional<Extent> found;
    std::size_t starts = 0;
    for (const Call* call : calls_) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr || method->name.text != "start" || dotted_text(method->value) != name) continue;
      ++starts;
      found = Extent{{call->span.begin, def_.span.end}, is_always(call->span) && is_always(made), false};
      end_at_call(*found, name, {"stop"});
      end_at_call(*found, "patch", {"stopall"});
      end_at_call(*found, "mock.patch", {"stopall"});
    }
    walk_of<With>(def_, Nested::kSkip, [&](const With* with) {
      for (const WithItem* item : with->items) {
        if (dotted_text(item->context) != name) continue;
        ++starts;
        found = Extent{{item->context->span.begin, with->span.end}, is_always(with->span) && is_always(made), true};
      }
    });
    return starts == 1 ? *found : unknown;
  }

  const FunctionDef& def_;
  std::vector<std::uint32_t> yields_;
  std::vector<const Call*> calls_;
};

/// Whether the code reads the name other than to bind it: what was there may be kept, and be called all the same.
bool reads_name(const Node& code, std::string_view name) {
  bool found = false;
  const auto visit = [&](const auto& walk, const Node& node) -> void {
    if (found) return;
    if (const auto* assign = as<Assign>(&node)) {
      walk(walk, *assign->value);
      return;
    }
    const auto* attribute = as<Attribute>(&node);
    const auto* one = as<Name>(&node);
    found = (attribute != nullptr && attribute->name.text == name) || (one != nullptr && one->id == name);
    for_each_child(node, [&](const Node* child) { walk(walk, *child); });
  };
  visit(visit, code);
  return found;
}

/// Whether the value comes of what the name gives: `maker = Maker()`, `thing = maker.make()`, `thing`.
bool comes_of(const Node& function, const Expr* value, std::string_view name, int depth) {
  while (value != nullptr) {
    if (const auto* attribute = as<Attribute>(value)) {
      value = attribute->value;
    } else if (const auto* call = as<Call>(value)) {
      value = call->callee;
    } else if (const auto* await = as<Await>(value)) {
      value = await->value;
    } else if (const auto* either = as<IfExp>(value)) {
      if (comes_of(function, either->body, name, depth)) return true;
      value = either->orelse;
    } else {
      break;
    }
  }
  const std::string_view local = rules::name_of(value);
  if (local.empty() || depth == 0) return false;
  if (local == name) return true;
  bool found = false;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    const auto* annotated = as<AnnAssign>(statement);
    const Expr* target = assign != nullptr && assign->targets.size() == 1 ? assign->targets.front()
                         : annotated != nullptr                           ? annotated->target
                                                                          : nullptr;
    const Expr* held = assign != nullptr ? assign->value : annotated != nullptr ? annotated->value : nullptr;
    found = found || (rules::name_of(target) == local && comes_of(function, held, name, depth - 1));
  });
  return found;
}

}  // namespace

bool is_plain_constant(const Expr& value) {
  if (const auto* signed_one = as<UnaryOp>(&value)) return is<Constant>(signed_one->operand);
  return is<Constant>(&value) || is<JoinedStr>(&value);
}

const std::vector<Replacement>& TestReplacements::of(FunctionId function) const {
  const auto [place, is_new] = known_.try_emplace(function.value);
  if (is_new) read(function, place->second);
  return place->second;
}

bool TestReplacements::may_run(FunctionId function, const Expr& stand_in, const Holder& holder,
                               std::string_view name) const {
  // What is replaced: where that is not known, its name has to do.
  FunctionId original;
  if (holder.module.valid()) {
    const Reference to = program_.resolve(holder.module, name);
    if (to.kind == Reference::Kind::kFunction) original = to.function;
  } else if (holder.cls.valid()) {
    original = program_.find_method(holder.cls, name);
  }
  const auto runs = [&](FunctionId one) {
    if (!original.valid()) return program_.functions()[one].name == name;
    constexpr std::size_t kMost = 2'000;
    const auto [place, is_new] = reaching_.try_emplace(original.value);
    if (is_new) {
      place->second.insert(original.value);
      for (const program::Reached& reached : program::reaching(program_, original, kMost))
        place->second.insert(reached.function.value);
    }
    return place->second.contains(one.value);
  };
  const auto* def = program_.functions()[function].def();
  bool found = false;
  const auto look = [&](const auto& again, const Expr& expression, int depth) -> void {
    const auto visit = [&](const Expr* each) {
      if (found || (!is<Name>(each) && !is<Attribute>(each))) return;
      const Reference to = program_.resolve(function, *each);
      if (to.kind == Reference::Kind::kFunction) {
        found = runs(to.function);
        return;
      }
      const std::string_view variable = rules::name_of(each);
      if (variable.empty() || depth == 0) return;
      bool is_given = def == nullptr;
      if (def != nullptr) {
        for (const Parameter* parameter : def->parameters->all) is_given = is_given || parameter->name.text == variable;
        walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
          const auto* assign = as<Assign>(statement);
          if (assign == nullptr || assign->targets.size() != 1) return;
          if (rules::name_of(assign->targets.front()) == variable) again(again, *assign->value, depth - 1);
        });
      }
      // A test's parameter may be whatever it is run with.
      found = found || (is_given && each == &expression);
    };
    visit(&expression);
    walk_expressions(expression, Nested::kEnter, visit);
  };
  look(look, stand_in, 2);
  return found;
}

void TestReplacements::read(FunctionId function, std::vector<Replacement>& out) const {
  const auto* def = program_.functions()[function].def();
  if (def == nullptr) return;
  const std::string_view text = source_of(program_, function).slice(def->span);
  const bool may_replace = contains(text, "patch") || contains(text, "setattr") || contains(text, " = ");
  const Extents extents(*def);
  const auto add = [&](const Target& target, const Extent& extent, bool is_decorator) {
    bool is_known = true;
    const Holder holder = target.object != nullptr ? holder_of(program_.resolve(function, *target.object))
                                                   : holder_of(program_, target.dotted, is_known);
    if (!is_known) return;
    if (!holder.module.valid() && !holder.cls.valid() && target.with != nullptr && is_plain_constant(*target.with))
      return;
    const bool is_sure = extent.is_sure && (holder.module.valid() || holder.cls.valid()) &&
                         !reads_name(*def, target.name) &&
                         (target.with == nullptr || !may_run(function, *target.with, holder, target.name));
    out.push_back({target.name, holder.module, holder.cls, is_sure, function, extent.scope,
                   !is_decorator && extents.is_lasting(extent), target.text});
  };
  const auto add_decorators = [&](Seq<Expr> decorators) {
    for (const Expr* decorator : decorators) {
      const auto* call = as<Call>(decorator);
      if (call == nullptr) continue;
      for (const Target& target : targets_of(*call)) add(target, {{0, UINT32_MAX}, true, false}, true);
    }
  };
  add_decorators(def->decorators);
  // That of a class holds for its tests, not for its set-up and helpers.
  const program::ClassId cls = program_.functions()[function].owner;
  if (cls.valid() && def->name.text.starts_with("test")) add_decorators(program_.classes()[cls].node->decorators);
  if (!may_replace) return;
  const std::string_view self = cls.valid() && !def->parameters->all.empty()
                                    ? std::string_view(def->parameters->all.front()->name.text)
                                    : std::string_view();
  walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr) return;
    for (const Expr* each : assign->targets) {
      const auto* attribute = as<Attribute>(each);
      if (attribute == nullptr) continue;
      // What a test keeps for itself: `self.data = 3`.
      if (!self.empty() && rules::name_of(attribute->value) == self) continue;
      add({attribute->value, {}, attribute->name.text, attribute->name.span, assign->value},
          extents.from(assign->span, {}), false);
    }
  });
  walk_of<Call>(*def, Nested::kSkip, [&](const Call* call) {
    const bool is_decorator = call->span.end <= def->name.span.begin;
    if (is_decorator) return;
    const std::vector<Target> targets = targets_of(*call);
    if (targets.empty()) return;
    const auto* method = as<Attribute>(call->callee);
    std::string by = method == nullptr ? std::string() : dotted_text(method->value);
    // pytest-mock's patches hold at once.
    const bool is_at_once = !is_patch(*call) || contains(by, "mocker");
    if (by.ends_with(".patch")) by.resize(by.size() - std::string_view(".patch").size());
    const Extent extent = is_at_once ? extents.from(call->span, by) : extents.of_patch(*call);
    for (const Target& target : targets) add(target, extent, false);
  });
}

Replaced TestReplacements::effect(const Replacement& replacement, program::CallId id, FunctionId callee) const {
  const program::Function& function = program_.functions()[callee];
  const program::CallSite& site = program_.calls()[id];
  const auto* call = as<Call>(site.node);
  const Replaced sure = replacement.is_sure ? Replaced::kSurely : Replaced::kMaybe;
  // A class that is replaced in a module makes no object.
  const bool makes = function.name == "__init__" && function.owner.valid() &&
                     program_.classes()[function.owner].name == replacement.name;
  if (function.name != replacement.name && !makes) {
    // What comes of a stand-in need be no object of what the code names.
    const program::Function& caller = program_.functions()[site.caller];
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    constexpr int kSteps = 4;
    return method != nullptr && replacement.module.valid() && replacement.module == caller.module &&
                   caller.node != nullptr && comes_of(*caller.node, method->value, replacement.name, kSteps)
               ? Replaced::kMaybe
               : Replaced::kNo;
  }
  if (!replacement.module.valid() && !replacement.cls.valid())
    return function.owner.valid() && !makes ? Replaced::kMaybe : Replaced::kNo;
  if (replacement.cls.valid()) {
    if (!function.owner.valid() || makes) return Replaced::kNo;
    if (function.owner == replacement.cls) return sure;
    const auto& line = program_.classes()[replacement.cls].linearized;
    return std::find(line.begin(), line.end(), function.owner) != line.end() ? Replaced::kMaybe : Replaced::kNo;
  }
  // Of a module: calls by the name in it, or through it.
  if (call == nullptr || (function.owner.valid() && !makes)) return Replaced::kNo;
  if (const auto* name = as<Name>(call->callee)) {
    const program::Function& caller = program_.functions()[site.caller];
    if (name->id != replacement.name) {
      // `cls = Fast if config.fast else Slow; cls(…)`
      constexpr int kSteps = 2;
      const bool stands_for = caller.module == replacement.module && caller.node != nullptr &&
                              comes_of(*caller.node, name, replacement.name, kSteps);
      return stands_for ? sure : Replaced::kNo;
    }
    if (caller.module == replacement.module) return sure;
    // What a function imports itself is looked up when it runs.
    const bool imports =
        caller.def() != nullptr && contains(source_of(program_, site.caller).slice(caller.def()->span), "import ");
    return imports ? Replaced::kMaybe : Replaced::kNo;
  }
  const auto* attribute = as<Attribute>(call->callee);
  if (attribute == nullptr || attribute->name.text != replacement.name) return Replaced::kNo;
  const Reference to = program_.resolve(site.caller, *attribute->value);
  return to.kind == Reference::Kind::kModule && to.module == replacement.module ? sure : Replaced::kNo;
}

}  // namespace lockstep::report
