#include "report/documents/correctness/callers_without.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/documents/correctness/new_parameter_calls.h"
#include "report/documents/parts.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/given_arguments.h"
#include "report/source/held_settings.h"
#include "rules/names/bindings.h"

namespace lockstep::report {

using namespace python;
using program::CallSite;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostCallers = 4;

/// One new parameter of a function and of those that override it, or that it overrides.
struct Family {
  std::vector<FunctionId> functions;
  const Parameter* parameter = nullptr;
  std::vector<const CallSite*> giving;
  std::vector<const CallSite*> lacking;
  std::vector<const CallSite*> spreading;
};

std::vector<Family> families_of(const DocumentInputs& inputs, const Story& story) {
  const Program& program = *inputs.after;
  std::vector<Family> out;
  for (NewParameterCalls& calls : calls_of_new_parameters(inputs, story)) {
    const program::Function& function = program.functions()[calls.function];
    const auto is_of_it = [&](const Family& family) {
      const program::Function& one = program.functions()[family.functions.front()];
      return one.name == function.name && one.owner.valid() && function.owner.valid() &&
             program::are_kin(program, one.owner, function.owner) &&
             family.parameter->name.text == calls.parameter->name.text;
    };
    auto known = std::find_if(out.begin(), out.end(), is_of_it);
    if (known == out.end()) known = out.insert(out.end(), Family{{}, calls.parameter, {}, {}, {}});
    known->functions.push_back(calls.function);
    add_calls(known->giving, calls.giving);
    add_calls(known->lacking, calls.lacking);
    add_calls(known->spreading, calls.spreading);
  }
  return out;
}

class CallersWithout {
 public:
  CallersWithout(const DocumentInputs& inputs, const Family& family)
      : inputs_(inputs), program_(*inputs.after), family_(family) {
    for (const CallSite* site : family.giving) {
      if (is_of_family(site->caller) || !is_changed(*site) || is_constant_given(*site)) continue;
      if (std::find(givers_.begin(), givers_.end(), site->caller) == givers_.end()) givers_.push_back(site->caller);
      all_are_off_ = all_are_off_ && is_off_setting(*site);
    }
    for (const CallSite* site : family.lacking) note(*site, false);
    for (const CallSite* site : family.spreading) note(*site, true);
  }

  [[nodiscard]] bool is_of_interest() const {
    return !givers_.empty() && !all_are_off_ && count_ > 0 && count_ <= kMostCallers;
  }
  [[nodiscard]] const std::vector<FunctionId>& givers() const { return givers_; }
  /// The one of the highest class, which stands for the others.
  [[nodiscard]] FunctionId first() const {
    FunctionId out = family_.functions.front();
    for (const FunctionId one : family_.functions) {
      const program::ClassId owner = program_.functions()[one].owner;
      const program::ClassId below = program_.functions()[out].owner;
      if (owner.valid() && below.valid() && program_.derives_from(below, program_.classes()[owner].qualified_name))
        out = one;
    }
    return out;
  }
  /// "`f` (`a.py:3`)" of each.
  [[nodiscard]] const std::vector<std::string>& places() const { return places_; }

 private:
  [[nodiscard]] bool is_of_family(FunctionId function) const {
    const auto& all = family_.functions;
    return std::find(all.begin(), all.end(), function) != all.end();
  }

  /// Whether the change wrote the call, or the whole caller.
  [[nodiscard]] bool is_changed(const CallSite& site) const {
    const program::Module& module = program_.module_of(site.caller);
    const SourceText& source = module.facts->source();
    for (std::uint32_t line = source.line_of(site.node->span.begin); line <= source.line_of(site.node->span.end - 1);
         ++line) {
      if (inputs_.change->touches_after(module.path, line)) return true;
    }
    return false;
  }

  /// Whether anything of the function that makes the call differs.
  [[nodiscard]] bool is_caller_changed(const CallSite& site) const {
    const auto& entities = inputs_.change->entities;
    return std::any_of(entities.begin(), entities.end(), [&](const change::EntityChange& one) {
      return one.after && one.after->function == site.caller && !one.is_cosmetic();
    });
  }

  [[nodiscard]] const Expr* given(const CallSite& site) const {
    for (const FunctionId function : family_.functions) {
      const rules::Given one = given_by(program_, site, function, family_.parameter->name.text);
      if (one.how == rules::Given::How::kValue) return one.value;
    }
    return nullptr;
  }

  /// What a caller asks for by a constant is a choice of its own.
  [[nodiscard]] bool is_constant_given(const CallSite& site) const {
    const Expr* value = given(site);
    return value == nullptr || value_of(value).kind != Value::Kind::kUnknown;
  }

  /// Whether what is given is a setting of which the declared default is what the function does without it.
  [[nodiscard]] bool is_off_setting(const CallSite& site) const {
    const Expr* value = given(site);
    if (value == nullptr) return false;
    std::string_view name = config_attribute(*value);
    const program::ClassId owner = program_.functions()[site.caller].owner;
    if (name.empty() && owner.valid()) name = setting_held_by(program_, owner, *value).name;
    if (name.empty()) return false;
    const Value declared = program_.derived<Defaults>().value_of_name(name);
    const auto is_off = [](const Value& one) {
      return one.kind == Value::Kind::kNone || (one.kind == Value::Kind::kBool && !one.truth);
    };
    const Value taken = value_of(family_.parameter->default_value);
    return is_same_value(declared, taken) || (is_off(declared) && is_off(taken));
  }

  /// Whether all that the call may enter takes the parameter.
  [[nodiscard]] bool surely_enters(const CallSite& site) const {
    const auto takes = [&](const program::CallTarget& target) {
      if (!target.function.valid()) return false;
      const auto& own = program_.functions()[family_.functions.front()];
      const program::Function& entered = program_.functions()[target.function];
      return is_of_family(target.function) ||
             (entered.name == own.name && entered.owner.valid() && own.owner.valid() &&
              program::are_kin(program_, entered.owner, own.owner) &&
              rules::parameter_named(entered.def(), family_.parameter->name.text) != nullptr);
    };
    if (site.targets.empty() || !std::all_of(site.targets.begin(), site.targets.end(), takes)) return false;
    const bool is_guess = std::any_of(site.targets.begin(), site.targets.end(), [](const program::CallTarget& one) {
      return one.certainty == program::Certainty::kByName;
    });
    return !is_guess || has_only_name();
  }

  /// Whether no other function outside tests has the name.
  [[nodiscard]] bool has_only_name() const {
    const std::string_view name = program_.functions()[family_.functions.front()].name;
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const FunctionId id(i);
      if (program_.functions()[id].name == name && !is_of_family(id) &&
          !program::is_test_path(program_.module_of(id).path))
        return false;
    }
    return true;
  }

  /// A constructor that asks it of the object that it makes: there is nothing yet that could be given.
  [[nodiscard]] bool is_constructor_of_family(FunctionId function) const {
    const program::Function& caller = program_.functions()[function];
    const program::ClassId owner = program_.functions()[family_.functions.front()].owner;
    return caller.name == "__init__" && caller.owner.valid() && owner.valid() &&
           program::are_kin(program_, caller.owner, owner);
  }

  void note(const CallSite& site, bool spreads) {
    const program::Module& module = program_.module_of(site.caller);
    if (has_call(family_.giving, site) || is_changed(site) || is_of_family(site.caller) ||
        is_constructor_of_family(site.caller))
      return;
    if (spreads && is_caller_changed(site)) return;
    // With too many nothing is told.
    if (++count_ > kMostCallers) return;
    if (!surely_enters(site) || program::is_helper_path(module.path) ||
        program_.functions()[site.caller].kind != program::FunctionKind::kFunction)
      return;
    places_.push_back(fmt::format("{} ({})", code(short_name(program_, site.caller)),
                                  place(module.path, module.facts->source().line_of(site.node->span.begin))));
  }

  const DocumentInputs& inputs_;
  const Program& program_;
  const Family& family_;
  std::vector<FunctionId> givers_;
  bool all_are_off_ = true;
  std::size_t count_ = 0;
  std::vector<std::string> places_;
};

}  // namespace

void add_callers_without(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  constexpr std::size_t kMostGivers = 2;
  std::size_t told = 0;
  for (const Family& family : families_of(inputs, story)) {
    if (told == kMostQuestions) return;
    const CallersWithout callers(inputs, family);
    if (!callers.is_of_interest()) continue;
    std::vector<std::string> places = callers.places();
    std::erase_if(places, [&](const std::string& where) {
      const std::size_t at = where.find(" (") + 2;
      const std::string place = where.substr(at, where.size() - at - 1);
      return std::any_of(risks.begin(), risks.end(), [&](const Risk& risk) { return contains(risk.concern, place); });
    });
    if (places.empty()) continue;
    std::vector<std::string> givers;
    for (const FunctionId giver : callers.givers()) {
      if (givers.size() < kMostGivers) givers.push_back(code(short_name(*inputs.after, giver)));
    }
    const SourceText& source = source_of(*inputs.after, family.functions.front());
    const bool is_one = places.size() == 1;
    const std::string callee = code(short_name(*inputs.after, callers.first()));
    const std::string concern =
        fmt::format("The new {} of {} is given by {}; {} {} {} without it and {} {}.",
                    code(std::string(family.parameter->name.text)), callee, join_words(givers), join_words(places),
                    is_one ? "calls" : "call", callee, is_one ? "gets" : "get",
                    code(one_line(source, *family.parameter->default_value, 40)));
    const std::string asked = fmt::format("Is the change meant for {}, too?", is_one ? "it" : "them");
    risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
    ++told;
  }
}

}  // namespace lockstep::report
