#include "report/ways/scripts/request_handlers.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Reference;

bool is_route(const Expr& decorator) {
  constexpr std::string_view kVerbs[] = {"route", "get",     "post",      "put",      "delete",
                                         "patch", "options", "api_route", "websocket"};
  const auto* call = as<Call>(&decorator);
  const auto* callee = call == nullptr ? nullptr : as<Attribute>(call->callee);
  return callee != nullptr && !call->arguments.empty() && rules::text_of(call->arguments.front()).starts_with("/") &&
         std::find(std::begin(kVerbs), std::end(kVerbs), callee->name.text) != std::end(kVerbs);
}

bool is_request_method(std::string_view name) {
  constexpr std::string_view kMethods[] = {"get", "post", "put", "delete", "patch", "options", "head"};
  return std::find(std::begin(kMethods), std::end(kMethods), name) != std::end(kMethods);
}

/// What the elements of a list stand for: of one that is written there, or that a variable of a module is set to once.
std::vector<Reference> RequestHandlers::elements_of(FunctionId function, const Expr& sequence) const {
  std::vector<Reference> out;
  const auto add_all = [&](FunctionId at, const Expr& value) {
    const auto add = [&](const auto& elements) {
      for (const Expr* one : elements) out.push_back(program_.resolve(at, *one));
    };
    if (const auto* list = as<List>(&value)) add(list->elements);
    if (const auto* tuple = as<Tuple>(&value)) add(tuple->elements);
  };
  add_all(function, sequence);
  if (!out.empty()) return out;
  program::ModuleId module;
  std::string name;
  if (const Reference named = program_.resolve(function, sequence); named.kind == Reference::Kind::kVariable) {
    module = named.module;
    name = named.name;
  } else if (const auto* member = as<Attribute>(&sequence)) {
    const Reference owner = program_.resolve(function, *member->value);
    if (owner.kind != Reference::Kind::kModule) return out;
    module = owner.module;
    name = member->name.text;
  }
  if (!module.valid()) return out;
  const FunctionId body = program_.modules()[module].body;
  walk_of<Assign>(program_.modules()[module].facts->tree(), Nested::kSkip, [&](const Assign* assign) {
    if (assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == name) add_all(body, *assign->value);
  });
  return out;
}

/// What the argument of a registering call stands for: by itself, or one after another of a list in a loop.
std::vector<Reference> RequestHandlers::values_of(FunctionId function, const Expr& argument) const {
  const std::string_view local = rules::name_of(&argument);
  const Node* body = program_.functions()[function].node;
  std::vector<Reference> out;
  if (!local.empty() && body != nullptr) {
    walk_of<For>(*body, Nested::kSkip, [&](const For* loop) {
      if (rules::name_of(loop->target) == local && loop->span.contains(argument.span))
        out = elements_of(function, *loop->iterable);
    });
  }
  if (out.empty()) out.push_back(program_.resolve(function, argument));
  return out;
}

const std::vector<RequestHandlers::Registered>& RequestHandlers::registered() {
  if (registered_) return *registered_;
  registered_.emplace();
  for (const program::CallSite& site : program_.calls()) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr || call->arguments.empty() || !is<Attribute>(call->callee)) continue;
    const std::string_view name = callee_name(*call);
    if ((name != "register_blueprint" && name != "include_router" && name != "add_resource") ||
        program::is_test_path(program_.module_of(site.caller).path))
      continue;
    for (Reference& what : values_of(site.caller, *call->arguments.front()))
      registered_->push_back({{site.caller, call}, std::move(what)});
  }
  return *registered_;
}

std::optional<RequestHandlers::Registration> RequestHandlers::of(FunctionId handler) {
  if (!handler.valid()) return std::nullopt;
  const program::Function& row = program_.functions()[handler];
  const auto find = [&](const auto& is_it) -> std::optional<Registration> {
    const auto& all = registered();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Registered& one) { return is_it(one.what); });
    return found == all.end() ? std::nullopt : std::optional(found->by);
  };
  if (row.owner.valid()) {
    if (!is_request_method(row.name)) return std::nullopt;
    return find([&](const Reference& what) { return what.kind == Reference::Kind::kClass && what.cls == row.owner; });
  }
  const FunctionDef* def = row.def();
  if (def == nullptr) return std::nullopt;
  for (const Expr* decorator : def->decorators) {
    if (!is_route(*decorator)) continue;
    const auto& call = *as<Call>(decorator);
    const Expr& server = *as<Attribute>(call.callee)->value;
    if (row.enclosing.valid()) return Registration{row.enclosing, &call};
    const std::string_view name = rules::name_of(&server);
    if (name.empty()) continue;
    return find([&](const Reference& what) {
      return what.kind == Reference::Kind::kVariable && what.module == row.module && what.name == name;
    });
  }
  return std::nullopt;
}

}  // namespace lockstep::report
