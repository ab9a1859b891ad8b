#include "program/simple_calls.h"

#include <unordered_set>

#include "program/definitions.h"
#include "program/resolve.h"

namespace lockstep::program {
namespace {

/// Keeps external names once each.
class Names {
 public:
  explicit Names(Program::Index& index) : index_(index) {}
  std::string_view keep(const std::string& text) {
    if (const auto found = known_.find(text); found != known_.end()) return *found;
    index_.texts.push_back(text);
    return *known_.insert(index_.texts.back()).first;
  }

 private:
  Program::Index& index_;
  std::unordered_set<std::string_view, TextHash, std::equal_to<>> known_;
};

void add_constructor(const Program& program, ClassId cls, Names& names, CallSite& site) {
  bool any = false;
  for (const std::string_view method : {"__new__", "__init__", "__post_init__"}) {
    const FunctionId found = program.find_method(cls, method);
    if (!found.valid()) continue;
    site.targets.push_back({found, {}, Certainty::kExact, CallKind::kConstructor});
    any = true;
  }
  const Class& of = program.classes()[cls];
  if (!any && !of.external_ancestors.empty()) {
    site.targets.push_back(
        {FunctionId{}, names.keep(of.external_ancestors.front() + ".__init__"), Certainty::kExact, CallKind::kConstructor});
  }
  if (!any && of.external_ancestors.empty()) site.unresolved_because = "the class has no constructor of its own";
}

/// Class whose method's `self` the Name `expression` is, seen from `function`; none otherwise.
ClassId class_of_self(const Function& function, const python::Expr* expression) {
  const auto* name = python::as<python::Name>(expression);
  if (name == nullptr || !function.owner.valid() || function.def() == nullptr) return {};
  return self_name(*function.def()) == name->id ? function.owner : ClassId{};
}

CallSite resolve_call(const Program& program, FunctionId caller, const python::Call& call, Names& names) {
  CallSite site;
  site.caller = caller;
  site.node = &call;
  if (const auto* attribute = python::as<python::Attribute>(call.callee)) {
    const ClassId cls = class_of_self(program.functions()[caller], attribute->value);
    if (cls.valid()) {
      const FunctionId method = program.find_method(cls, attribute->name.text);
      if (method.valid()) site.targets.push_back({method, {}, Certainty::kExact, CallKind::kDirect});
      if (!method.valid()) site.unresolved_because = "no method of this name in the class";
      return site;
    }
  }
  const Reference found = program.resolve(caller, *call.callee);
  switch (found.kind) {
    case Reference::Kind::kFunction: site.targets.push_back({found.function, {}}); break;
    case Reference::Kind::kClass: add_constructor(program, found.cls, names, site); break;
    case Reference::Kind::kExternal: site.targets.push_back({FunctionId{}, names.keep(found.name)}); break;
    default: site.unresolved_because = "receiver's type is unknown";
  }
  return site;
}

}  // namespace

void add_simple_calls(const Program& program, Program::Index& index,
                      const std::vector<std::vector<const python::Call*>>& call_nodes,
                      Table<FunctionId, Function>& functions, Table<CallId, CallSite>& calls) {
  Names names(index);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const python::Call* call : call_nodes[i]) {
      functions[FunctionId(i)].calls.push_back(calls.add(resolve_call(program, FunctionId(i), *call, names)));
    }
  }
}

}  // namespace lockstep::program
