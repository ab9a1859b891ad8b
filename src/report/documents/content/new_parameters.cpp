#include "report/documents/content/new_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/documents/parts.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/given_arguments.h"
#include "report/source/words.h"
#include "report/ways/conditions/given_settings.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether no Python code outside tests but the function itself has this name in its text.
bool is_named_nowhere_else(const program::Program& program, const change::EntityChange& entity, std::string_view name) {
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path)) continue;
    const python::FileFacts& facts = *module.facts;
    const bool is_own = module.path == entity.after->path;
    for (std::size_t at = facts.find_name(name); at != std::string_view::npos;
         at = facts.find_name(name, at + name.size())) {
      if (!is_own || !entity.after->node->span.contains(
                         {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + name.size())}))
        return false;
    }
  }
  return true;
}

/// Whether the function is called outside tests, and no such call gives it the parameter.
bool is_given_by_tests_only(const program::Program& program, program::FunctionId function, std::string_view name) {
  bool is_called = false;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (program::is_test_path(program.module_of(site.caller).path)) continue;
    is_called = true;
    if (given_by(program, site, function, name).how != rules::Given::How::kNothing) return false;
  }
  return is_called;
}

/// The parameter's default as it is written, where every call outside tests leaves it at that, through whatever
/// function hands it on; empty where one may not.
std::string kept_default(const program::Program& program, program::FunctionId function, const Parameter& parameter) {
  const GivenValues given = GivenSettings(program).of(function, parameter.name.text);
  if (given.has_others || !given.settings.empty() || given.constants.empty()) return {};
  const Value kept = value_of(parameter.default_value);
  const bool is_kept = std::all_of(given.constants.begin(), given.constants.end(),
                                   [&](const Expr* one) { return is_same_value(value_of(one), kept); });
  return is_kept ? one_line(source_of(program, function), *parameter.default_value, 30) : std::string();
}

std::size_t blanks_in(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
}

bool takes_anew(const change::EntityChange& entity, std::string_view name) {
  const auto* now = entity.after ? as<FunctionDef>(entity.after->node) : nullptr;
  const auto* was = entity.before ? as<FunctionDef>(entity.before->node) : nullptr;
  return rules::parameter_named(now, name) != nullptr && rules::parameter_named(was, name) == nullptr;
}

/// The functions of the change that newly take the parameter, too, and hand it to `function`, as marked names.
std::vector<std::string> handing_on(const DocumentInputs& inputs, program::FunctionId function, std::string_view name) {
  std::vector<std::string> names;
  const auto& calls = inputs.after->callers_of(function);
  for (const change::EntityChange& other : inputs.change->entities) {
    if (!takes_anew(other, name) || !other.after->function.valid() || program::is_test_path(other.after->path))
      continue;
    const bool hands_on = std::any_of(calls.begin(), calls.end(), [&](const program::CallId id) {
      const program::CallSite& site = inputs.after->calls()[id];
      const auto* call = as<python::Call>(site.node);
      const Expr* given = call == nullptr ? nullptr : rules::keyword_value(*call, name);
      const auto* passed = given == nullptr ? nullptr : as<python::Name>(given);
      return site.caller == other.after->function && passed != nullptr && passed->id == name;
    });
    if (hands_on) names.push_back(code(short_name(inputs, other)));
  }
  return names;
}

/// A parameter of a function.
struct Taken {
  program::FunctionId function;
  const Parameter* parameter = nullptr;
  bool operator==(const Taken& other) const {
    return function == other.function && parameter->name.text == other.parameter->name.text;
  }
};

/// Where a parameter that nobody gives a value comes from.
struct Origins {
  std::vector<Taken> taken;             ///< No call outside tests that shows what it gives gives these anything.
  std::vector<program::CallId> spread;  ///< Calls that hand on `*args` or `**kwargs`, which were not followed.
};

/// What hands the function its parameter, where calls outside tests give it nothing but parameters of their own
/// functions: those of these that no such call gives anything, which leaves them at their defaults. Empty where one
/// gives a value, or where the function itself is left without.
Origins ungiven_origins(const program::Program& program, program::FunctionId function, const Parameter& parameter) {
  constexpr std::size_t kMostAsked = 12;
  constexpr std::size_t kMostSpread = 1;
  std::vector<Taken> open{{function, &parameter}};
  Origins origins;
  for (std::size_t next = 0; next < open.size(); ++next) {
    if (next == kMostAsked) return {};
    const Taken taken = open[next];
    bool is_called = false;
    bool is_handed = false;
    for (const program::CallId id : program.callers_of(taken.function)) {
      const program::CallSite& site = program.calls()[id];
      if (program::is_test_path(program.module_of(site.caller).path)) continue;
      is_called = true;
      const rules::Given given = given_by(program, site, taken.function, taken.parameter->name.text);
      if (given.how == rules::Given::How::kNothing) continue;
      const auto* call = as<Call>(site.node);
      if (given.how == rules::Given::How::kUnknown && call != nullptr &&
          (rules::has_spread_arguments(*call) || rules::has_spread_keywords(*call)) &&
          origins.spread.size() < kMostSpread) {
        origins.spread.push_back(id);
        continue;
      }
      const std::string_view name = given.how == rules::Given::How::kValue ? rules::name_of(given.value) : "";
      const FunctionDef* caller = program.functions()[site.caller].def();
      const Parameter* handed = name.empty() || caller == nullptr ? nullptr : rules::parameter_named(caller, name);
      if (handed == nullptr || handed->default_value == nullptr || rules::binds_name(*caller, name)) return {};
      is_handed = true;
      const Taken above{site.caller, handed};
      if (std::find(open.begin(), open.end(), above) == open.end()) open.push_back(above);
    }
    if (!is_called) return {};
    if (!is_handed) origins.taken.push_back(taken);
  }
  const bool is_itself = origins.taken.size() == 1 && origins.taken.front() == open.front();
  return is_itself ? Origins() : origins;
}

/// "It comes from `g` alone, and no call of that outside tests that was found gives `x`: it stays at `None`." Empty
/// where one may give it.
std::string origin_words(const DocumentInputs& inputs, program::FunctionId function, const Parameter& parameter) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> from;
  std::vector<std::string> names;
  std::optional<std::string> kept;
  bool is_one_value = true;
  const auto once = [](std::vector<std::string>& list, std::string text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
  };
  const Origins origins = ungiven_origins(*inputs.after, function, parameter);
  for (const Taken& origin : origins.taken) {
    once(from, code(short_name(*inputs.after, origin.function)));
    once(names, code(std::string(origin.parameter->name.text)));
    std::string text = one_line(source_of(*inputs.after, origin.function), *origin.parameter->default_value, 30);
    is_one_value = is_one_value && value_of(origin.parameter->default_value).kind != Value::Kind::kUnknown &&
                   kept.value_or(text) == text;
    kept = std::move(text);
  }
  if (from.empty() || from.size() > kMostNamed) return {};
  const bool is_one = from.size() == 1;
  std::string out = fmt::format("{} comes from {}{}, and no call of {} outside tests that was found gives {}{}.",
                                code(std::string(parameter.name.text)), join_words(from), is_one ? " alone" : "",
                                is_one ? "that" : "these", join_words(names, "or"),
                                is_one_value ? fmt::format(": it stays at {}", code(*kept)) : "");
  for (const program::CallId id : origins.spread) {
    const program::CallSite& site = inputs.after->calls()[id];
    out += fmt::format(" What {} hands on with {} or {} ({}) was not followed.",
                       code(short_name(*inputs.after, site.caller)), code("*"), code("**"),
                       place_of(*inputs.after, inputs.after->functions()[site.caller].module, site.node->span));
  }
  return out;
}

/// Where calls outside tests leave the parameter at its default, as marked texts, while others give it; empty where all
/// or none do, where more leave it than may be named, and where one does not show what it gives.
std::vector<std::string> calls_without(const program::Program& program, program::FunctionId function,
                                       std::string_view name) {
  constexpr std::size_t kMostCalls = 4;
  std::vector<std::string> out;
  bool is_given = false;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const program::Function& caller = program.functions()[site.caller];
    if (program::is_test_path(program.module_of(site.caller).path)) continue;
    const rules::Given given = given_by(program, site, function, name);
    if (given.how == rules::Given::How::kUnknown) return {};
    is_given = is_given || given.how == rules::Given::How::kValue;
    if (given.how == rules::Given::How::kValue) continue;
    const std::string where = place_of(program, caller.module, site.node->span);
    std::string words =
        caller.def() == nullptr ? where : fmt::format("{} ({})", code(short_name(program, site.caller)), where);
    if (std::find(out.begin(), out.end(), words) == out.end()) out.push_back(std::move(words));
    if (out.size() > kMostCalls) return {};
  }
  return is_given ? out : std::vector<std::string>();
}

/// Documentation of a parameter, and whose it is.
struct ParameterWords {
  std::string text;
  const change::EntityChange* of = nullptr;
};

/// What the function says of its new parameter; where another one that newly takes it, too, says clearly more, that.
ParameterWords best_words(const DocumentInputs& inputs, const change::EntityChange& entity, std::string_view name) {
  ParameterWords best{docstring_parameter(docstring_text(entity.after->node), name, true), &entity};
  const std::size_t clearly_more = 2 * blanks_in(best.text);
  for (const change::EntityChange& other : inputs.change->entities) {
    if (&other == &entity || !takes_anew(other, name) || program::is_test_path(other.after->path)) continue;
    std::string text = docstring_parameter(docstring_text(other.after->node), name, true);
    if (blanks_in(text) > std::max(clearly_more, blanks_in(best.text))) best = {std::move(text), &other};
  }
  return best;
}

/// Whether what is documented of a parameter has a few words that stood there in no other form.
bool says_more(std::string_view before, std::string_view after) {
  constexpr std::size_t kFewest = 5;
  const std::set<std::string> known = name_words(before);
  const std::set<std::string> words = name_words(after);
  return !before.empty() && std::count_if(words.begin(), words.end(), [&](const std::string& one) {
                              return !known.contains(one);
                            }) >= static_cast<std::ptrdiff_t>(kFewest);
}

}  // namespace

std::string NewParameters::words(const Actor& actor) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostLookedAt = 4;  // Each asks the text of the whole repository.
  const change::EntityChange& entity = *actor.change;
  const auto* now = entity.after ? as<FunctionDef>(entity.after->node) : nullptr;
  if (now == nullptr || !entity.before || !is<FunctionDef>(entity.before->node)) return {};
  std::string out;
  std::size_t told = 0;
  std::size_t looked_at = 0;
  std::vector<std::string> ungiven;
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> left_out;  // Calls -> the parameters.
  const auto add = [&](const std::string& sentence) {
    if (told_.insert(sentence).second) out += " " + sentence;
  };
  for (const Parameter* parameter : now->parameters->all) {
    const std::string_view name = parameter->name.text;
    if (!takes_anew(entity, name) || parameter->default_value == nullptr) continue;
    if (told == kMost || looked_at++ == kMostLookedAt) break;
    const ParameterWords documented = best_words(inputs_, entity, name);
    // Fewer words than these only say its name again.
    const bool says = blanks_in(documented.text) >= 4;
    const bool is_idle = is_named_nowhere_else(*inputs_.after, entity, name);
    const program::FunctionId function = entity.after->function;
    std::string kept;
    if (!is_idle && function.valid()) {
      if (is_given_by_tests_only(*inputs_.after, function, name)) {
        ungiven.push_back(code(name));
      } else {
        kept = kept_default(*inputs_.after, function, *parameter);
      }
    }
    if (says) {
      const std::string quoted = from_backquotes(documented.text);
      add(documented.of == &entity ? fmt::format("Of {} its documentation says: \u201c{}\u201d", code(name), quoted)
                                   : fmt::format("Of {} the documentation of {} says: \u201c{}\u201d", code(name),
                                                 code(short_name(inputs_, *documented.of)), quoted));
    }
    if (is_idle) add(fmt::format("No other Python code outside tests names {}.", code(name)));
    if (!is_idle && function.valid() && kept.empty()) {
      if (const std::string origin = origin_words(inputs_, function, *parameter); !origin.empty()) add(origin);
    }
    if (!kept.empty()) {
      const std::vector<std::string> handing = handing_on(inputs_, function, name);
      const std::string stays =
          fmt::format("In all calls outside tests that were found, {} stays at {}", code(name), code(kept));
      const bool is_one = handing.size() == 1;
      const std::string also = handing.empty()
                                   ? std::string(", through whatever hands it on.")
                                   : fmt::format(", also where {} {} a new {} of {} own on.", join_words(handing),
                                                 is_one ? "hands" : "hand", code(name), is_one ? "its" : "their");
      if (told_.insert(stays).second) out += " " + stays + also;
    }
    if (!is_idle && function.valid() && kept.empty()) {
      const std::vector<std::string> without = calls_without(*inputs_.after, function, name);
      const auto same =
          std::find_if(left_out.begin(), left_out.end(), [&](const auto& one) { return one.first == without; });
      if (same != left_out.end()) same->second.push_back(code(name));
      if (same == left_out.end() && !without.empty()) left_out.push_back({without, {code(name)}});
    }
    told += says || is_idle || !kept.empty() ? 1 : 0;
  }
  const FunctionDef& was = *as<FunctionDef>(entity.before->node);
  for (const Parameter* parameter : now->parameters->all) {
    const std::string_view name = parameter->name.text;
    if (told == kMost || takes_anew(entity, name)) continue;
    const std::string text = docstring_parameter(docstring_text(now), name, true);
    if (!says_more(docstring_parameter(docstring_text(&was), name, true), text)) continue;
    add(fmt::format("Of {} its documentation says now: \u201c{}\u201d", code(name), from_backquotes(text)));
    ++told;
  }
  for (const auto& [calls, names] : left_out) {
    add(fmt::format("{} still {} {} out: {}.", calls.size() == 1 ? "One call" : count_of(calls.size(), "call"),
                    calls.size() == 1 ? "leaves" : "leave", join_words(names), join_words(calls)));
  }
  if (!ungiven.empty()) add(fmt::format("No call outside tests that was found gives {}.", join_words(ungiven, "or")));
  return out;
}

}  // namespace lockstep::report
