#include "report/ways/conditions/ungiven_parameters.h"

#include <algorithm>
#include <string>

#include "base/find_text.h"
#include "program/queries.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "report/ways/conditions/asked_parameters.h"
#include "report/ways/objects/class_uses.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;

namespace {

/// What is named more often may be used anywhere.
constexpr std::size_t kMostPlaces = 400;
constexpr std::size_t kByKeyword = SIZE_MAX;  ///< Instead of the place of a parameter that has none.

bool is_off(const Expr* expression) { return rules::is_false(expression) || rules::is_none(expression); }

/// `parameter` of the function around it, as it was given.
bool is_handed_on(const Expr* value, std::string_view parameter, const FunctionDef* around) {
  return around != nullptr && rules::name_of(value) == parameter &&
         rules::parameter_named(around, parameter) != nullptr && !rules::binds_name(*around, parameter);
}

}  // namespace

UngivenParameter UngivenParameters::of(ClassId cls) {
  constexpr std::size_t kMostClasses = 6;
  const std::vector<ClassId> classes = program::with_descendants(program_, cls);
  if (classes.size() > kMostClasses) return {};
  UngivenParameter found;
  const bool is_for_all = for_each_use(program_, classes, [&](const ClassUse& use) {
    const FunctionDef* def = program_.functions()[use.function].def();
    if (def == nullptr) return false;
    for (const std::string_view parameter : parameters_wanted_at(*def, use.node->span)) {
      if (!is_never_given(parameter)) continue;
      if (!found.function.valid()) found = {use.function, parameter, cls};
      return true;
    }
    return false;
  });
  return is_for_all ? found : UngivenParameter();
}

/// Whether no code outside tests gives a parameter of that name a value of its own, whatever function it is of.
bool UngivenParameters::is_never_given(std::string_view parameter) {
  const auto [place, is_new] = never_given_.try_emplace(parameter, false);
  if (is_new) place->second = !is_named_as_given(parameter) && !is_passed_by_place(parameter);
  return place->second;
}

bool UngivenParameters::is_named_as_given(std::string_view parameter) const {
  std::string option = "--" + std::string(parameter);
  std::replace(option.begin() + 2, option.end(), '_', '-');
  for (const program::Module& module : program_.modules()) {
    if (!program::is_test_path(module.path) &&
        find_text(module.facts->source().bytes(), option) != std::string_view::npos)
      return true;
  }
  bool is_given = false;
  std::size_t places = 0;
  for_each_place(program_, parameter, [&](ModuleId id, std::uint32_t at) {
    const std::vector<const Node*> around = chain_to(program_.modules()[id].facts->tree(), {at, at + 1});
    const Node* inner = around.empty() ? nullptr : around.back();
    if (++places > kMostPlaces) {
      is_given = true;
    } else if (const auto* declared = as<Parameter>(inner)) {
      is_given = declared->name.span.begin == at && !is_off(declared->default_value);
    } else if (const auto* keyword = as<Keyword>(inner)) {
      const FunctionId function = program_.function_at(id, at);
      const FunctionDef* def = function.valid() ? program_.functions()[function].def() : nullptr;
      is_given =
          keyword->name.span.begin == at && !is_off(keyword->value) && !is_handed_on(keyword->value, parameter, def);
    } else if (const auto* name = as<Name>(inner)) {
      is_given = name->context != ExprContext::kLoad;
    } else if (const auto* text = as<Constant>(inner)) {
      is_given = text->text == parameter;
    } else {
      is_given = is<Attribute>(inner);
    }
    return !is_given;
  });
  return is_given;
}

/// Whether a call outside tests passes one by its place among the arguments, or may do so.
bool UngivenParameters::is_passed_by_place(std::string_view parameter) const {
  std::vector<Taken> open;
  for (std::size_t i = 0; i < program_.functions().size(); ++i) {
    const FunctionDef* def = program_.functions()[FunctionId(i)].def();
    if (def == nullptr || rules::parameter_named(def, parameter) == nullptr) continue;
    const auto& all = def->parameters->all;
    const auto taken =
        std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == parameter; });
    // What a decorator makes of it may be called with anything: from a command line, say.
    const bool is_plain = std::all_of(def->decorators.begin(), def->decorators.end(), [](const Expr* one) {
      const std::string_view name = rules::last_part_of(one);
      return name == "staticmethod" || name == "classmethod";
    });
    if (!is_plain) return true;
    const bool is_keyword = (*taken)->parameter_kind == Parameter::Kind::kKeywordOnly;
    open.push_back({FunctionId(i), is_keyword ? kByKeyword : static_cast<std::size_t>(taken - all.begin())});
  }
  constexpr std::size_t kMostTaken = 100;
  for (std::size_t next = 0; next < open.size(); ++next) {
    if (next >= kMostTaken) return true;
    const Taken taken = open[next];
    for (const CallId id : program_.callers_of(taken.function)) {
      if (may_pass(program_.calls()[id], taken, parameter, open)) return true;
    }
  }
  return false;
}

/// Whether the call passes one as the positional argument that is taken. Where it hands on `*args`, the calls of its
/// own function are to be asked.
bool UngivenParameters::may_pass(const program::CallSite& site, Taken taken, std::string_view parameter,
                                 std::vector<Taken>& open) const {
  const auto* call = as<Call>(site.node);
  if (call == nullptr || program::is_test_path(program_.module_of(site.caller).path)) return false;
  const FunctionDef* caller = program_.functions()[site.caller].def();
  const bool has_keywords = std::any_of(call->keywords.begin(), call->keywords.end(),
                                        [](const Keyword* one) { return one->name.text.empty(); });
  if (taken.index == kByKeyword) return has_keywords;
  const std::size_t own = unwritten_parameters(program_, site, taken.function);
  if (rules::has_spread_arguments(*call)) {
    const auto* spread = call->arguments.size() == 1 ? as<Starred>(call->arguments[0]) : nullptr;
    if (spread == nullptr || caller == nullptr) return true;
    const auto& all = caller->parameters->all;
    const auto rest = std::find_if(all.begin(), all.end(), [&](const Parameter* one) {
      return one->parameter_kind == Parameter::Kind::kVarArgs && one->name.text == rules::name_of(spread->value);
    });
    if (rest == all.end() || rules::binds_name(*caller, (*rest)->name.text)) return true;
    const std::size_t index = taken.index - std::min(taken.index, own) + static_cast<std::size_t>(rest - all.begin());
    const bool is_known = std::any_of(
        open.begin(), open.end(), [&](const Taken& one) { return one.function == site.caller && one.index == index; });
    if (!is_known) open.push_back({site.caller, index});
    return false;
  }
  if (call->arguments.size() + own <= taken.index) return false;
  const Expr* value = taken.index < own ? nullptr : call->arguments[taken.index - own];
  return value == nullptr || !(is_off(value) || is_handed_on(value, parameter, caller));
}

}  // namespace lockstep::report
