#include "report/documents/compatibility/signatures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "report/document.h"
#include "report/documents/compatibility/call_sites.h"
#include "report/documents/compatibility/handed_rest.h"
#include "report/documents/compatibility/removed.h"
#include "report/documents/correctness/demanded_parts.h"
#include "report/ways/functions/outside_callers.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;
using change::EntityChange;
using change::EntityKind;
using program::FunctionId;

namespace {

/// "a, b, c and 4 more" of more than `most`.
std::string listed_up_to(std::vector<std::string> names, std::size_t most) {
  const std::size_t all = names.size();
  if (all <= most + 1) return join_words(names);
  names.resize(most);
  names.push_back(fmt::format("{} more", all - most));
  return join_words(names);
}

/// Of a constructor that nothing calls by its name: where its class is handed on to what may; empty for others.
std::string handed_on_text(const DocumentInputs& inputs, const EntityChange& entity) {
  if (!entity.after || !entity.after->function.valid()) return {};
  const program::Function& function = inputs.after->functions()[entity.after->function];
  const bool makes = function.name == "__init__" && function.owner.valid();
  if (!makes || !call_sites_of(*inputs.after, entity.after->function).sites.empty()) return {};
  const std::vector<std::string> places = handed_on_places(*inputs.after, function.owner, 2);
  return places.empty()
             ? std::string()
             : fmt::format("No call by its name outside tests; the class is handed on at {}", join_words(places));
}

/// The call sites outside tests that may call any of the methods, each once.
CallSites call_sites_of_all(const program::Program& program, const std::vector<const EntityChange*>& entities) {
  CallSites out;
  std::set<const program::CallSite*> known;
  for (const EntityChange* one : entities) {
    if (!one->after || !one->after->function.valid()) continue;
    CallSites own = call_sites_of(program, one->after->function);
    if (out.sites.empty()) out.by_name = own.by_name;
    for (const program::CallSite* site : own.sites) {
      if (known.insert(site).second) out.sites.push_back(site);
    }
  }
  return out;
}

/// ", of which 2 do not fit it (`a.py:3` and `b.py:4`)" of call sites that surely enter the function and give it what
/// it does not accept, or not what it requires; ", which all fit it" where that is known of each; else empty.
std::string ill_fitting_text(const program::Program& program, const CallSites& callers, FunctionId function) {
  constexpr std::size_t kMostPlaces = 3;
  const rules::Signatures signatures(program);
  std::vector<std::string> places;
  std::size_t fitting = 0;
  for (const program::CallSite* site : callers.sites) {
    const auto* call = as<Call>(site->node);
    const auto target = std::find_if(site->targets.begin(), site->targets.end(),
                                     [&](const program::CallTarget& one) { return one.function == function; });
    if (call == nullptr || target == site->targets.end() || site->targets.size() != 1 ||
        target->kind != program::CallKind::kDirect)
      continue;
    const std::optional<rules::Signature> signature = signatures.of_target(*site, *target);
    if (!signature) continue;
    if (!rules::bind_arguments(*signature, *call)) {
      const bool spreads = std::any_of(call->arguments.begin(), call->arguments.end(),
                                       [](const Expr* one) { return is<Starred>(one); }) ||
                           std::any_of(call->keywords.begin(), call->keywords.end(),
                                       [](const Keyword* one) { return one->name.text.empty(); });
      fitting += spreads ? 0 : 1;
      continue;
    }
    const SourceText& source = program.module_of(site->caller).facts->source();
    places.push_back(place(program.module_of(site->caller).path, source.line_of(call->span.begin)));
  }
  if (places.empty() && fitting == callers.sites.size() && fitting > 0)
    return fitting == 1 ? ", which fits it" : ", which all fit it";
  if (places.empty()) return {};
  const std::size_t all = places.size();
  if (all > kMostPlaces + 1) places.resize(kMostPlaces);
  if (places.size() < all) places.push_back(fmt::format("{} more", all - places.size()));
  return fmt::format(", of which {} {} not fit it ({})", all, all == 1 ? "does" : "do", join_words(places));
}

/// Who has to follow a signature that breaks, that of a method and of its overrides: how many call sites the repository
/// has, and others.
std::string callers_text(const DocumentInputs& inputs, const std::vector<const EntityChange*>& entities) {
  const EntityChange& entity = *entities.front();
  if (!entity.after || !entity.after->function.valid()) return "Code outside the repository has to follow";
  if (const std::string handed = handed_on_text(inputs, entity); !handed.empty())
    return handed + ": what takes it from there, and code outside the repository, have to follow";
  const CallSites callers = call_sites_of_all(*inputs.after, entities);
  const std::string known =
      callers.sites.empty() ? std::string("No caller found outside tests")
      : callers.by_name     ? fmt::format("{} found outside tests may enter it", count_of(callers.sites.size(), "call"))
                            : fmt::format("{} found outside tests{}", count_of(callers.sites.size(), "call site"),
                                          ill_fitting_text(*inputs.after, callers, entity.after->function));
  return known + "; code outside the repository that calls it the old way has to follow";
}

/// "The call at `a.py:3`, which stays, gives `x` already: …" of a function that takes new keywords which calls that the
/// change does not touch give it; empty where there are none, and where the old signature took any keyword.
std::string given_already_text(const DocumentInputs& inputs, const EntityChange& entity,
                               const std::vector<std::string_view>& names) {
  constexpr std::size_t kMostPlaces = 3;
  const auto* was = entity.before ? as<FunctionDef>(entity.before->node) : nullptr;
  if (was == nullptr || names.empty() || !entity.after || !entity.after->function.valid()) return {};
  const auto& all = was->parameters->all;
  if (std::any_of(all.begin(), all.end(),
                  [](const Parameter* one) { return one->parameter_kind == Parameter::Kind::kVarKeywords; }))
    return {};
  std::vector<std::string> places;
  for (const program::CallSite* site : call_sites_of(*inputs.after, entity.after->function).sites) {
    const auto* call = as<Call>(site->node);
    if (call == nullptr) continue;
    const program::Module& module = inputs.after->module_of(site->caller);
    const SourceText& source = module.facts->source();
    const bool stays = std::all_of(names.begin(), names.end(), [&](std::string_view name) {
      const Expr* value = rules::keyword_value(*call, name);
      return value != nullptr && !inputs.change->touches_after(module.path, source.line_of(value->span.begin));
    });
    if (stays) places.push_back(place(module.path, source.line_of(call->span.begin)));
  }
  if (places.empty()) return {};
  const std::size_t count = places.size();
  if (count > kMostPlaces + 1) places.resize(kMostPlaces);
  if (places.size() < count) places.push_back(fmt::format("{} more", count - places.size()));
  return fmt::format("The unchanged {} at {} {} {} already; the old signature refused that",
                     count == 1 ? "call" : "calls", join_words(places), count == 1 ? "gives" : "give",
                     names.size() == 1 ? "it" : "them");
}

/// Call sites outside tests that surely call `function` and leave `parameter` to its default, as places.
std::vector<std::string> callers_on_default(const DocumentInputs& inputs, FunctionId function,
                                            std::string_view parameter) {
  std::vector<std::string> places;
  const rules::Signatures signatures(*inputs.after);
  for (const program::CallId id : inputs.after->callers_of(function)) {
    const program::CallSite& site = inputs.after->calls()[id];
    const auto* call = as<Call>(site.node);
    const program::Module& module = inputs.after->module_of(site.caller);
    if (call == nullptr || program::is_test_path(module.path)) continue;
    if (rules::has_spread_arguments(*call) || rules::has_spread_keywords(*call)) continue;
    const auto target = std::find_if(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& each) {
      return each.function == function && each.certainty == program::Certainty::kExact;
    });
    if (target == site.targets.end()) continue;
    const auto signature = signatures.of_target(site, *target);
    if (!signature || signature->find(parameter) == nullptr) continue;
    bool passes = std::any_of(call->keywords.begin(), call->keywords.end(),
                              [&](const Keyword* keyword) { return keyword->name.text == parameter; });
    for (std::size_t i = 0; i < call->arguments.size() && !passes; ++i) {
      const rules::AcceptedParameter* taken_by = rules::parameter_at(*signature, *call, i);
      passes = taken_by == nullptr || taken_by->name == parameter;
    }
    if (!passes) places.push_back(place(module.path, module.facts->source().line_of(call->span.begin)));
  }
  return places;
}

/// Asks whether those who rely on a default that changes are meant to get the new one.
std::string default_question(const DocumentInputs& inputs, const EntityChange& entity) {
  constexpr std::size_t kMostPlaces = 3;
  if (!entity.after || !entity.after->function.valid()) return {};
  if (inputs.after->functions()[entity.after->function].def() == nullptr) return {};
  for (const Difference& d : entity.differences) {
    if (d.kind != DifferenceKind::kDefaultChanged) continue;
    std::vector<std::string> places = callers_on_default(inputs, entity.after->function, d.name);
    if (places.empty()) continue;
    const std::size_t all = places.size();
    if (all > kMostPlaces) places.resize(kMostPlaces);
    return fmt::format("The default of {} of {} changes: {} \u2192 {}. {} on it ({}{}): is the new value meant for {}?",
                       code(d.name), code(short_name(inputs, entity)), code(d.before), code(d.after),
                       all == 1 ? "1 call site relies" : fmt::format("{} call sites rely", all), join_words(places),
                       all > kMostPlaces ? " and others" : "", all == 1 ? "it" : "all of them");
  }
  return {};
}

/// The parameter that an added one pushes to a later position, with its star; empty where it pushes none.
std::string pushed_by(const EntityChange& entity, std::string_view added) {
  using Kind = Parameter::Kind;
  const auto* before = as<FunctionDef>(entity.before ? entity.before->node : nullptr);
  const auto* after = as<FunctionDef>(entity.after ? entity.after->node : nullptr);
  if (before == nullptr || after == nullptr) return {};
  const auto takes_position = [](const Parameter* each) {
    return each->parameter_kind == Kind::kPositionalOnly || each->parameter_kind == Kind::kPositionalOrKeyword ||
           each->parameter_kind == Kind::kVarArgs;
  };
  const auto& all = after->parameters->all;
  const auto place = std::find_if(all.begin(), all.end(), [&](const auto* each) { return each->name.text == added; });
  if (place == all.end() || !takes_position(*place)) return {};
  for (auto later = place + 1; later != all.end() && takes_position(*later); ++later) {
    const bool was_there = std::any_of(
        before->parameters->all.begin(), before->parameters->all.end(),
        [&](const Parameter* each) { return takes_position(each) && each->name.text == (*later)->name.text; });
    if (was_there) return ((*later)->parameter_kind == Kind::kVarArgs ? "*" : "") + std::string((*later)->name.text);
  }
  return {};
}

/// What it means that new parameters stand before `pushed`: whoever gives it by position has to follow, and nobody
/// else. Says of the repository's own calls only what all of them show.
std::string pushed_text(const DocumentInputs& inputs, const EntityChange& entity, const std::string& added,
                        const std::string& pushed) {
  std::string whom =
      fmt::format("Only callers that give {} or what follows it by position have to follow", code(pushed));
  if (const std::string handed = handed_on_text(inputs, entity); !handed.empty()) return whom + ". " + handed;
  if (!entity.after || !entity.after->function.valid()) return whom;
  const rules::Signatures signatures(*inputs.after);
  const std::vector<const program::CallSite*> sites = call_sites_of(*inputs.after, entity.after->function).sites;
  for (const program::CallSite* site : sites) {
    const auto* call = as<Call>(site->node);
    if (call == nullptr || rules::has_spread_arguments(*call)) return whom;
    const auto target = std::find_if(site->targets.begin(), site->targets.end(), [&](const auto& each) {
      return each.function == entity.after->function && each.kind != program::CallKind::kCallback;
    });
    const auto signature = target == site->targets.end() ? std::nullopt : signatures.of_target(*site, *target);
    if (!signature || signature->find(added) == nullptr) return whom;
    for (std::size_t i = 0; i < call->arguments.size(); ++i) {
      const rules::AcceptedParameter* taken_by = rules::parameter_at(*signature, *call, i);
      if (taken_by == nullptr || taken_by->name == added) return whom;
    }
  }
  return sites.empty()
             ? whom
             : fmt::format("{}; of {} found outside tests none does", whom, count_of(sites.size(), "call site"));
}

std::string one_lined(const std::string& text) {
  return code(one_line(SourceText(text), {0, static_cast<std::uint32_t>(text.size())}, 30));
}

/// Where code outside tests gives a call of the function one of its new parameters, as marked text; empty where none
/// does.
std::string passing_place(const DocumentInputs& inputs, const EntityChange& entity) {
  if (!entity.after->function.valid()) return {};
  const program::Program& program = *inputs.after;
  for (const program::CallId id : program.callers_of(entity.after->function)) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = python::as<python::Call>(site.node);
    const program::Module& module = program.module_of(site.caller);
    if (call == nullptr || program::is_test_path(module.path)) continue;
    const bool passes = std::any_of(entity.differences.begin(), entity.differences.end(), [&](const Difference& d) {
      return d.kind == DifferenceKind::kParameterAdded && rules::keyword_value(*call, d.name) != nullptr;
    });
    if (passes) return place(module.path, module.facts->source().line_of(call->span.begin));
  }
  return {};
}

/// That what leaves a new parameter out is refused: its default is none that the function takes. Empty where it is.
std::string refused_default_text(const Actor& actor) {
  for (const Difference& difference : actor.change->differences) {
    if (difference.kind != DifferenceKind::kParameterAdded) continue;
    const std::size_t check = check_against_default(actor, difference.name);
    if (check == Step::kNone) continue;
    const std::string where =
        where_words(*actor.change->after->node, actor.steps.after[check], *actor.steps.after_source);
    return fmt::format("Calls that leave out {} are refused{}{}", code(difference.name), where.empty() ? "" : " where ",
                       where);
  }
  return {};
}

/// Parameters that come with a default; functions that take the same share one risk, and so do methods.
void add_optional(const DocumentInputs& inputs, const Actor& actor, const std::string& added,
                  std::vector<ToldSignature>& told, std::vector<Risk>& risks) {
  const std::string name = code(short_name(inputs, *actor.change));
  const bool may_be_overridden =
      actor.change->kind == EntityKind::kMethod && !actor.change->latest().qualified_name.ends_with(".__init__");
  const std::string passing = may_be_overridden ? passing_place(inputs, *actor.change) : std::string();
  const std::string refused = refused_default_text(actor);
  const std::string status =
      !refused.empty()     ? refused
      : !may_be_overridden ? "Existing calls still fit"
      : passing.empty()    ? "Existing calls still fit; overrides in subclasses outside the repository lack it"
                           : fmt::format(
                                 "Existing calls still fit; an override outside the repository that lacks it fails "
                                    "where it is passed, as at {}",
                                 passing);
  const auto same = std::find_if(told.begin(), told.end(), [&](const ToldSignature& one) {
    return one.what == added && one.method.empty() && risks[one.risk].is_settled == !may_be_overridden;
  });
  if (same != told.end() && refused.empty()) {
    constexpr std::size_t kMost = 3;
    same->names.push_back(name);
    std::vector<std::string> shown = same->names;
    if (shown.size() > kMost + 1) {
      shown.resize(kMost);
      shown.push_back(fmt::format("{} more functions", same->names.size() - kMost));
    }
    risks[same->risk].concern = fmt::format("{} take the new {}, with a default.", join_words(shown), added);
    if (!passing.empty()) risks[same->risk].status = status;
    return;
  }
  told.push_back({refused, added, {name}, {actor.change}, risks.size()});  // One that refuses stands by itself.
  risks.push_back({RiskKind::kCompatibility,
                   fmt::format("{} takes the new {}, with a default.", name, added),
                   status,
                   false,
                   {},
                   !may_be_overridden && refused.empty()});
}

/// The parameters of a function in code, without `self`; "nothing" where it has none.
std::string parameters_text(const program::Program& program, FunctionId function) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> names;
  for (const Parameter* one : program.functions()[function].def()->parameters->all) {
    if (one->name.text != "self" && one->name.text != "cls") names.push_back(code(one->name.text));
  }
  const std::size_t all = names.size();
  if (all > kMost) names.resize(kMost - 1);
  if (all > kMost) names.push_back(fmt::format("{} more", all - names.size()));
  return names.empty() ? "nothing" : join_words(names);
}

}  // namespace

void add_exchanged_name(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks) {
  const EntityChange& entity = *actor.change;
  if (!entity.renamed || !entity.before || !entity.after || !entity.after->function.valid()) return;
  const FunctionId was = inputs.before->find_function(entity.after->qualified_name);
  if (!was.valid() || inputs.before->functions()[was].def() == nullptr ||
      inputs.after->functions()[entity.after->function].def() == nullptr)
    return;
  const std::string taken = parameters_text(*inputs.before, was);
  const std::string takes = parameters_text(*inputs.after, entity.after->function);
  if (taken == takes) return;
  risks.push_back(
      {RiskKind::kCompatibility,
       fmt::format("{} is what {} was: it takes {}, where that of its name took {}.", code(short_name(inputs, entity)),
                   code(short_name(*inputs.before, entity.before->function)), takes, taken),
       "Who calls it the old way has to follow", false});
}

void add_property(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks) {
  if (!actor.change->before || !actor.change->after) return;
  const bool was = is_property(actor.change->before->node);
  if (was == is_property(actor.change->after->node)) return;
  const std::string name = code(short_name(inputs, *actor.change));
  risks.push_back({RiskKind::kCompatibility,
                   was ? fmt::format("{} is a method now, formerly a property.", name)
                       : fmt::format("{} is a property now, formerly a method.", name),
                   was ? "Code outside the repository that reads it gets the method itself"
                       : "Code outside the repository that calls it calls what it gives",
                   false});
}

void add_signature(const DocumentInputs& inputs, const Actor& actor, std::vector<ToldSignature>& told,
                   std::vector<Risk>& risks) {
  std::vector<std::string> breaking;  // For all who call it the old way.
  std::vector<std::string> mandatory;
  std::vector<std::string_view> mandatory_names;
  std::vector<std::string> defaults;
  std::vector<std::string> added;
  std::vector<std::pair<std::string, std::vector<std::string>>> pushed;  // What is pushed, by which new ones.
  const FunctionDef* was = actor.change->before ? as<FunctionDef>(actor.change->before->node) : nullptr;
  const FunctionDef* is = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  const auto takes_any = [](const FunctionDef* def, Parameter::Kind kind) {
    return def != nullptr && std::any_of(def->parameters->all.begin(), def->parameters->all.end(),
                                         [&](const Parameter* one) { return one->parameter_kind == kind; });
  };
  const bool took_any_position = takes_any(was, Parameter::Kind::kVarArgs);
  const bool takes_any_keyword = takes_any(is, Parameter::Kind::kVarKeywords);
  const program::FunctionId taken_by =
      takes_any_keyword ? taker_of_keywords(*inputs.after, actor.change->after->function) : program::FunctionId();
  const FunctionDef* taker = taken_by.valid() ? inputs.after->functions()[taken_by].def() : nullptr;
  std::vector<std::string> handed;     // Still taken by their names, by what it hands them on to.
  std::vector<std::string> collected;  // What only its `**` takes now.
  const auto has_default = [](const Difference& d) { return contains(d.after, "=") || d.after.starts_with("*"); };
  for (const Difference& d : actor.change->differences) {
    switch (d.kind) {
      case DifferenceKind::kParameterRemoved:
        if (taker != nullptr && rules::parameter_named(taker, d.name) != nullptr) {
          handed.push_back(code(d.name));
        } else if (takes_any_keyword) {
          collected.push_back(code(d.name));
        } else {
          breaking.push_back(fmt::format("no longer takes {}", code(d.name)));
        }
        break;
      case DifferenceKind::kParameterRenamed:
        breaking.push_back(fmt::format("renames {} to {}", one_lined(d.before), one_lined(d.after)));
        break;
      case DifferenceKind::kParameterMoved:
        breaking.push_back(fmt::format("moves {} to another position", code(d.name)));
        break;
      case DifferenceKind::kDefaultRemoved:
        breaking.push_back(fmt::format("makes {} mandatory", code(d.name)));
        break;
      case DifferenceKind::kParameterAdded:
        if (const std::string next = pushed_by(*actor.change, d.name); has_default(d) && !next.empty()) {
          if (pushed.empty() || pushed.back().first != next) pushed.push_back({next, {}});
          pushed.back().second.push_back(d.name);
        } else if (has_default(d)) {
          added.push_back(code(d.after.starts_with("*") ? d.after.substr(0, d.after.find(':')) : d.name));
        } else {
          mandatory_names.push_back(d.name);
          mandatory.push_back(code(d.name) +
                              (took_any_position ? fmt::format(" (which was one of its {})", code("*")) : ""));
        }
        break;
      case DifferenceKind::kDefaultChanged:
        defaults.push_back(
            fmt::format("changes the default of {}: {} \u2192 {}", code(d.name), code(d.before), code(d.after)));
        break;
      default:
        break;
    }
  }
  if (!collected.empty()) {
    const bool is_one = collected.size() == 1;
    breaking.push_back(fmt::format("no longer takes {} by {} ({} into its {})", listed_up_to(collected, 4),
                                   is_one ? "that name" : "these names", is_one ? "it goes" : "they go", code("**")));
  }
  if (mandatory.size() == 1) breaking.push_back(fmt::format("takes a new {} without a default", mandatory.front()));
  if (mandatory.size() > 1)
    breaking.push_back(fmt::format("takes the new {} without a default", join_words(mandatory)));
  const std::string name = code(short_name(inputs, *actor.change));
  if (!handed.empty()) {
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("{} hands its {} on to {}, which takes what it no longer names itself: {}.", name,
                                 code("**"), code(short_name(*inputs.after, taken_by)), listed_up_to(handed, 4)),
                     "Calls that give them by name still fit", false});
  }
  std::vector<std::string> clauses = breaking;
  for (const auto& [next, by] : pushed) {
    std::vector<std::string> names;
    for (const std::string& one : by) names.push_back(code(one));
    clauses.push_back(fmt::format("takes the new {} before {}, which moves {} on", join_words(names), code(next),
                                  by.size() == 1 ? std::string("a position") : fmt::format("{} positions", by.size())));
  }
  clauses.insert(clauses.end(), defaults.begin(), defaults.end());
  if (!clauses.empty()) {
    std::string status;
    const std::string what = join_words(clauses);
    const std::string& whole = actor.change->latest().qualified_name;
    const bool is_method = actor.change->kind == EntityKind::kMethod;
    const std::string last = is_method ? whole.substr(whole.rfind('.') + 1) : std::string();
    // What a method and its overrides take alike is told once.
    const auto same = std::find_if(told.begin(), told.end(), [&](const ToldSignature& one) {
      return is_method && last != "__init__" && one.method == last && one.what == what;
    });
    if (same != told.end() && !breaking.empty()) {
      same->names.push_back(name);
      same->entities.push_back(actor.change);
      risks[same->risk].concern = fmt::format("{} each: {}.", join_words(same->names), what);
      risks[same->risk].status = callers_text(inputs, same->entities);
      return;
    }
    told.push_back({last, what, {name}, {actor.change}, risks.size()});
    if (!breaking.empty()) {
      // Where nothing else breaks, that they come at all may be what mends calls.
      const std::string already = breaking.size() == 1 && !mandatory.empty()
                                      ? given_already_text(inputs, *actor.change, mandatory_names)
                                      : std::string();
      status = already.empty() ? callers_text(inputs, {actor.change})
                               : already + "; code outside the repository that calls it the old way has to follow";
    } else if (!pushed.empty()) {
      status = pushed_text(inputs, *actor.change, pushed.front().second.front(), pushed.front().first);
      if (!defaults.empty()) status += "; callers that leave out a default that changes get the new one";
    } else {
      status = "Callers that leave it out get the new one";
    }
    risks.push_back({RiskKind::kCompatibility, fmt::format("{} {}.", name, what), std::move(status), false,
                     default_question(inputs, *actor.change)});
  } else if (!added.empty()) {
    add_optional(inputs, actor, join_words(added), told, risks);
  }
}

void add_new_constructor(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks) {
  const EntityChange& entity = *actor.change;
  if (!actor.is_added() || entity.kind != EntityKind::kMethod || !entity.after->function.valid()) return;
  const program::Function& made_by = inputs.after->functions()[entity.after->function];
  if (made_by.name != "__init__" || !made_by.owner.valid()) return;
  const program::ClassId was = inputs.before->find_class(inputs.after->classes()[made_by.owner].qualified_name);
  if (!was.valid()) return;
  const program::Class& old_class = inputs.before->classes()[was];
  const auto is_known = [&](program::ClassId one) {
    const program::Class& row = inputs.before->classes()[one];
    return row.node != nullptr && row.node->bases.size() == row.bases.size() + row.external_bases.size();
  };
  if (!std::all_of(old_class.linearized.begin(), old_class.linearized.end(), is_known)) return;
  const auto takes_nothing = [](const std::string& base) { return base == "object" || base == "abc.ABC"; };
  if (old_class.is_dataclass ||
      !std::all_of(old_class.external_ancestors.begin(), old_class.external_ancestors.end(), takes_nothing))
    return;
  for (const std::string_view method : {"__init__", "__new__"}) {
    if (inputs.before->find_method(was, method).valid()) return;
  }
  const auto signature = rules::Signatures(*inputs.after).of_function(entity.after->function, 1);
  if (!signature) return;
  std::vector<std::string> mandatory;
  for (const rules::AcceptedParameter& one : signature->parameters) {
    const bool collects = one.kind == Parameter::Kind::kVarArgs || one.kind == Parameter::Kind::kVarKeywords;
    if (!one.has_default && !collects) mandatory.push_back(code(one.name));
  }
  if (mandatory.empty()) return;
  risks.push_back({RiskKind::kCompatibility,
                   fmt::format("{} is made with {} now; it was made without arguments.", code(old_class.name),
                               join_words(mandatory)),
                   callers_text(inputs, {&entity}), false});
}

void add_bound_overrides(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const Actor& actor : story.actors) {
    const EntityChange& entity = *actor.change;
    if (actor.role == Role::kTest || actor.is_added() || actor.is_removed() || entity.kind != EntityKind::kMethod ||
        is_public(entity) || !entity.after->function.valid() || names.size() == kMost)
      continue;
    const std::string_view name = inputs.after->functions()[entity.after->function].name;
    const auto adds = [](const Difference& d) { return d.kind == DifferenceKind::kParameterAdded; };
    const auto added = std::find_if(entity.differences.begin(), entity.differences.end(), adds);
    // Nobody outside can override what had another name.
    if (name.starts_with("__") || entity.renamed || added == entity.differences.end() ||
        inputs.after->overrides_of(entity.after->function).empty())
      continue;
    names.push_back(fmt::format("{} (now with {})", code(short_name(inputs, entity)), code(added->name)));
  }
  if (names.empty()) return;
  risks.push_back({RiskKind::kCompatibility, fmt::format("Subclasses override {}.", join_words(names)),
                   "An override outside the repository has to accept what is new wherever a call through the base "
                   "passes it",
                   false});
}

}  // namespace lockstep::report
