#include "report/test_replacements.h"

#include <algorithm>
#include <string>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/story_code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;
using program::Reference;

namespace {

/// What holds a name: a module or a class; neither where nothing is known of it.
struct Holder {
  program::ModuleId module;
  program::ClassId cls;
};

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
};

bool split_dotted(std::string_view text, Target& target) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) return false;
  target.dotted = text.substr(0, dot);
  target.name = text.substr(dot + 1);
  return true;
}

const Expr* keyword_of(const Call& call, std::string_view name) {
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text == name) return keyword->value;
  }
  return nullptr;
}

/// What a call binds anew; empty where it binds nothing. One that wraps what was there (`wraps=`) leaves it running.
std::vector<Target> targets_of(const Call& call) {
  std::vector<Target> out;
  const std::string callee = dotted_text(call.callee);
  const std::string_view last = callee_name(call);
  const auto& arguments = call.arguments;
  const auto text = [&](std::size_t i) {
    return i < arguments.size() ? rules::text_of(arguments[i]) : std::string_view();
  };
  Target target;
  if (keyword_of(call, "wraps") != nullptr) return out;
  const bool is_object = callee == "patch.object" || callee.ends_with(".patch.object");
  const bool is_patch = last == "patch";
  const bool is_multiple = callee == "patch.multiple" || callee.ends_with(".patch.multiple");
  if (last == "setattr" || is_object) {
    if (arguments.size() >= 2 && !text(1).empty() && text(0).empty()) {
      target.object = arguments[0];
      target.name = text(1);
      out.push_back(target);
    } else if (last == "setattr" && arguments.size() >= 2 && split_dotted(text(0), target)) {
      out.push_back(target);
    }
  } else if (is_patch && split_dotted(text(0), target)) {
    out.push_back(target);
  } else if (is_multiple && !arguments.empty()) {
    for (const Keyword* keyword : call.keywords) {
      if (keyword->name.text.empty()) continue;
      target.name = keyword->name.text;
      target.dotted = text(0);
      target.object = target.dotted.empty() ? arguments[0] : nullptr;
      out.push_back(target);
    }
  }
  return out;
}

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

}  // namespace

const std::vector<Replacement>& TestReplacements::of(FunctionId function) const {
  const auto [place, is_new] = known_.try_emplace(function.value);
  if (is_new) read(function, place->second);
  return place->second;
}

void TestReplacements::read(FunctionId function, std::vector<Replacement>& out) const {
  const auto* def = program_.functions()[function].def();
  if (def == nullptr) return;
  const std::string_view text = source_of(program_, function).slice(def->span);
  const bool may_replace = contains(text, "patch") || contains(text, "setattr") || contains(text, " = ");
  const auto add = [&](const Target& target, Span at, Span scope, bool is_sure) {
    bool is_known = true;
    const Holder holder = target.object != nullptr ? holder_of(program_.resolve(function, *target.object))
                                                   : holder_of(program_, target.dotted, is_known);
    if (!is_known) return;
    out.push_back({target.name, holder.module, holder.cls,
                   is_sure && (holder.module.valid() || holder.cls.valid()) && !reads_name(*def, target.name), scope,
                   at});
  };
  const auto add_decorators = [&](Seq<Expr> decorators) {
    for (const Expr* decorator : decorators) {
      const auto* call = as<Call>(decorator);
      if (call == nullptr) continue;
      for (const Target& target : targets_of(*call)) add(target, call->span, {0, UINT32_MAX}, true);
    }
  };
  add_decorators(def->decorators);
  for (program::ClassId cls = program_.functions()[function].owner; cls.valid(); cls = program_.classes()[cls].owner)
    add_decorators(program_.classes()[cls].node->decorators);
  if (!may_replace) return;
  const auto scope_of = [&](Span at) {
    Span scope{at.begin, def->span.end};
    for (const Node* around : chain_to(*def, at)) {
      const auto* with = as<With>(around);
      if (with == nullptr) continue;
      const bool is_item = std::any_of(with->items.begin(), with->items.end(),
                                       [&](const WithItem* item) { return item->context->span.contains(at); });
      const bool is_undone = std::any_of(with->items.begin(), with->items.end(), [&](const WithItem* item) {
        const auto* call = as<Call>(item->context);
        return call != nullptr && callee_name(*call) == "context";
      });
      if (is_item || is_undone) scope.end = with->span.end;
    }
    return scope;
  };
  const auto is_always = [&](Span at) {
    const std::vector<Guard> guards = guards_of(*def, at);
    return std::none_of(guards.begin(), guards.end(),
                        [&](const Guard& guard) { return guard.statement->span.contains(at); });
  };
  walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr) return;
    for (const Expr* each : assign->targets) {
      const auto* attribute = as<Attribute>(each);
      if (attribute == nullptr) continue;
      add({attribute->value, {}, attribute->name.text}, assign->span, scope_of(assign->span), is_always(assign->span));
    }
  });
  walk_of<Call>(*def, Nested::kSkip, [&](const Call* call) {
    for (const Target& target : targets_of(*call)) {
      const bool is_decorator = call->span.end <= def->name.span.begin;
      if (!is_decorator) add(target, call->span, scope_of(call->span), is_always(call->span));
    }
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
  if (function.name != replacement.name && !makes) return Replaced::kNo;
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
    if (name->id != replacement.name) return Replaced::kNo;
    const program::Function& caller = program_.functions()[site.caller];
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
