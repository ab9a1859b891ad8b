#include "report/ways/way_options.h"

#include <algorithm>

#include "report/source/code.h"
#include "report/source/defaults.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// What the read gives where nobody declares the option: the default of `getattr`; nothing of use for `args.name`.
std::uint8_t states_undeclared(const Expr& read) {
  const auto* asked = as<Call>(&read);
  if (asked == nullptr || asked->arguments.size() < 3) return states::kNone | states::kFalse;
  const Value value = value_of(asked->arguments[2]);
  if (value.kind == Value::Kind::kUnknown) return states::kNone | states::kFalse | states::kTrue;
  return value.kind == Value::Kind::kNone ? states::kNone : value.truth ? states::kTrue : states::kFalse;
}

/// `x` of `x.name` and of `getattr(x, "name", …)` is what a parser gave, by its name.
bool is_of_arguments(const Expr& read) {
  const auto* attribute = as<Attribute>(&read);
  const auto* asked = as<Call>(&read);
  const Expr* holder = attribute != nullptr ? attribute->value : asked != nullptr ? asked->arguments[0] : nullptr;
  const auto* whole = as<Attribute>(holder);
  const std::string_view name = whole != nullptr ? whole->name.text : rules::name_of(holder);
  return name == "args" || name.ends_with("_args");
}

}  // namespace

void WayOptions::find() {
  if (!declared_.empty()) return;
  for (const program::CallSite& site : program_.calls()) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr || callee_name(*call) != "add_argument") continue;
    const std::size_t module = program_.functions()[site.caller].module.index();
    if (is_test_[module]) continue;
    Declared& declared = declared_[rules::argparse_destination(*call)];
    declared.modules.insert(static_cast<std::uint32_t>(module));
    declared.is_option = true;
  }
  // Parsers are made of classes' fields, too.
  for (const program::Class& cls : program_.classes()) {
    if (is_test_[cls.module.index()]) continue;
    for (const program::Field& field : cls.fields) {
      const auto declared = declared_.find(field.name);
      if (declared != declared_.end()) declared->second.modules.insert(cls.module.value);
    }
  }
  declared_.try_emplace("");
}

/// The setting that comes to the function at that place of the way as its parameter; null where it is anything else.
const Expr* WayOptions::given_at_start(const EntryPath& path, std::size_t frame, std::string_view name,
                                       const WayChecks& checks) const {
  for (; frame > 0; --frame) {
    const FunctionId function = path.frames[frame].function;
    const auto* call = as<Call>(path.frames[frame - 1].call);
    const program::CallId id = call == nullptr ? program::CallId() : program_.call_of(call);
    if (!id.valid() || rules::parameter_named(program_.functions()[function].def(), name) == nullptr) return nullptr;
    const program::CallSite& site = program_.calls()[id];
    const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                     [&](const program::CallTarget& one) { return one.function == function; });
    const auto signature = target == site.targets.end() ? std::nullopt : checks.constants().signature_of(site, *target);
    const Expr* value = signature ? rules::given_to(*signature, *call, name).value : nullptr;
    if (value == nullptr || !config_attribute(*value).empty()) return value;
    name = rules::name_of(value);
  }
  return nullptr;
}

WayOptions::Names WayOptions::needed(const EntryPath& path, WayChecks& checks, CallGuards& guards) {
  Names out;
  for (std::size_t i = 0; i < path.frames.size(); ++i) {
    const Node* node = path.frames[i].call;
    const program::CallId id = node == nullptr ? program::CallId() : program_.call_of(node);
    const bool is_last = i + 1 == path.frames.size();
    if (!is_last && !id.valid()) continue;
    for (const Required& one : is_last ? checks.asked_by_changes() : checks.asked_by(id, path.frames[i + 1].function)) {
      const Expr* read = is<Name>(one.read) ? given_at_start(path, i, one.name, checks) : one.read;
      if (read == nullptr || !is_of_arguments(*read) || (one.states & states_undeclared(*read)) != 0 ||
          guards.may_be_set_in_code(*read))
        continue;
      find();
      const auto declared = declared_.find(config_attribute(*read));
      if (declared != declared_.end() && declared->second.is_option) out.insert(declared->first);
    }
  }
  return out;
}

bool WayOptions::are_declared(const Names& options, const std::vector<int>& loaded) {
  return std::all_of(options.begin(), options.end(), [&](std::string_view option) {
    const std::set<std::uint32_t>& modules = declared_.find(option)->second.modules;
    return std::any_of(modules.begin(), modules.end(), [&](std::uint32_t module) { return loaded[module] >= 0; });
  });
}

}  // namespace lockstep::report
