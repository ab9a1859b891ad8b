#include "report/tests/test_settings.h"

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/source/attribute_stores.h"
#include "report/source/givings.h"
#include "report/story/story.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ModuleId;

namespace {

/// "--some-name" of `some_name`.
std::string option_of(const std::string& setting) {
  std::string option = "--" + setting;
  std::replace(option.begin() + 2, option.end(), '_', '-');
  return option;
}

}  // namespace

const Defaults& TestSettings::defaults() const {
  if (!defaults_) defaults_.emplace(program_);
  return *defaults_;
}

std::vector<std::string> TestSettings::asked(const Guard& guard) const {
  constexpr std::size_t kMost = 2;
  if (guard.condition == nullptr) return {};
  std::vector<std::string> reads = config_reads(*guard.condition);
  if (reads.empty() || reads.size() > kMost) return {};
  const std::optional<bool> result = defaults().holds(*guard.condition);
  return result && *result == guard.negated ? reads : std::vector<std::string>();
}

bool TestSettings::is_off(const std::string& setting) const {
  const Value value = defaults().value_of_name(setting);
  return value.kind == Value::Kind::kNone || (value.kind == Value::Kind::kBool && !value.truth);
}

/// asked() for the guards around a place in the function outside tests: of the first that asks for any.
std::vector<std::string> TestSettings::asked_by_guards(const program::Function& function, Span place) const {
  const program::Module& module = program_.modules()[function.module];
  if (function.def() == nullptr || program::is_test_path(module.path)) return {};
  const std::string_view text = module.facts->source().slice(function.def()->span);
  const bool reads_settings = contains(text, "config") || contains(text, "args") || contains(text, "cfg");
  if (!contains(text, "if ") || !reads_settings) return {};
  for (const Guard& guard : guards_of(*function.def(), place)) {
    if (std::vector<std::string> found = asked(guard); !found.empty()) return found;
  }
  return {};
}

/// The same of a statement that stores something; where its guards ask for nothing, what all calls of its function ask
/// for.
std::vector<std::string> TestSettings::asked_for_store(program::FunctionId function, Span place) const {
  std::vector<std::string> out = asked_by_guards(program_.functions()[function], place);
  if (!out.empty()) return out;
  for (const program::CallId id : program_.callers_of(function)) {
    const program::CallSite& site = program_.calls()[id];
    const std::vector<std::string> own = asked_by_guards(program_.functions()[site.caller], site.node->span);
    if (own.empty()) return {};
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

/// Of `self.manager(x)`, `self.manager.run(x)`: what is asked for where code outside tests sets an attribute
/// `manager` to something. None where one that sets it asks for nothing.
std::vector<std::string> TestSettings::asked_for_object(const program::CallSite& site) const {
  constexpr std::size_t kMost = 3;
  const auto* call = as<Call>(site.node);
  const program::ClassId owner = class_of_self(program_, site.caller);
  if (call == nullptr || !owner.valid()) return {};
  const auto* callee = as<Attribute>(call->callee);
  std::string_view name = callee == nullptr ? std::string_view() : rules::self_attribute(callee->value);
  if (name.empty()) name = rules::self_attribute(call->callee);
  const program::Field* field = name.empty() ? nullptr : program_.find_field(owner, name);
  // What a class declares, or sets in any case, is there.
  if (field == nullptr || field->in_class_body || !field->assigned_in.valid() || field->default_value == nullptr ||
      (!rules::is_none(field->default_value) &&
       asked_for_store(field->assigned_in, field->default_value->span).empty()))
    return {};
  std::vector<std::string> out;
  for (const AttributeStore& store : stores_of(program_, name)) {
    const auto* assign = as<Assign>(store.statement);
    if (assign != nullptr && rules::is_none(assign->value)) continue;
    const std::vector<std::string> own = asked_for_store(store.function, store.statement->span);
    if (own.empty()) return {};
    for (const std::string& one : own) {
      if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
    }
    if (out.size() > kMost) return {};
  }
  return out;
}

const std::vector<std::string>& TestSettings::asked_at(program::CallId call) const {
  const auto [place, is_new] = asked_.try_emplace(call.value);
  if (!is_new) return place->second;
  const program::CallSite& site = program_.calls()[call];
  if (site.node == nullptr || program::is_test_path(program_.module_of(site.caller).path)) return place->second;
  std::vector<std::string> found = asked_by_guards(program_.functions()[site.caller], site.node->span);
  if (found.empty()) found = asked_for_object(site);
  place->second = std::move(found);
  return place->second;
}

bool TestSettings::any_setting(ModuleId id, const std::string& setting, const Value& initial,
                               const std::function<bool(std::optional<std::uint32_t>)>& visit) const {
  const program::Module& module = program_.modules()[id];
  const std::string_view bytes = module.facts->source().bytes();
  const bool is_test = program::is_test_path(module.path);
  // A file that names it more often may be anything: then nothing is said of who leaves it alone.
  constexpr std::size_t kMostLooked = 1000;
  std::size_t looked = 0;
  for (std::size_t at = module.facts->find_name(setting); at != std::string_view::npos;
       at = module.facts->find_name(setting, at + 1)) {
    if (++looked > kMostLooked) return visit(std::nullopt);
    const auto begin = static_cast<std::uint32_t>(at);
    const Giving giving = giving_at(chain_to(module.facts->tree(), {begin, begin + 1}), begin, is_test);
    if (!giving.gives) continue;
    const bool is_other = giving.value == nullptr || !(is_same_value(value_of(giving.value), initial) ||
                                                       hands_on(*giving.value, setting, is_test));
    if (is_other && visit(begin)) return true;
  }
  // On a command line; where it is declared it is not given.
  for (const std::string& option : {option_of(setting), "--" + setting}) {
    for (std::size_t at = find_text(bytes, option); at != std::string_view::npos;
         at = find_text(bytes, option, at + 1)) {
      const char after = at + option.size() < bytes.size() ? bytes[at + option.size()] : ' ';
      if (is_name_char(after) || after == '-') continue;
      if (++looked > kMostLooked) return visit(std::nullopt);
      const auto begin = static_cast<std::uint32_t>(at);
      const std::vector<const Node*> around = chain_to(module.facts->tree(), {begin, begin + 1});
      const bool is_listed = around.size() >= 2 && is<List>(around[around.size() - 2]);
      if ((is_test || is_listed) && visit(begin)) return true;
    }
  }
  return false;
}

bool TestSettings::is_set_beside_python(const std::string& setting) const {
  if (!beside_python_) beside_python_ = configuration_files(inputs_.after_files, FilesOf::kTests);
  const std::string option = option_of(setting);
  return std::any_of(beside_python_->begin(), beside_python_->end(), [&](const ConfigurationFile& file) {
    return find_text(file.text, option) != std::string_view::npos ||
           find_name(file.text, setting) != std::string_view::npos;
  });
}

/// Fields and arguments by name.
const NamedSettings::Setting* TestSettings::named(const std::string& setting) const {
  return program_.derived<NamedSettings>().find(setting);
}

bool TestSettings::is_decided_elsewhere(const std::string& setting) const {
  const NamedSettings::Setting* known = named(setting);
  if (known == nullptr) return true;
  return std::any_of(known->modules.begin(), known->modules.end(), [&](ModuleId id) {
    const program::Module& module = program_.modules()[id];
    if (program::is_test_path(module.path)) return false;
    for (std::size_t at = module.facts->find_name(setting); at != std::string_view::npos;
         at = module.facts->find_name(setting, at + 1)) {
      const auto begin = static_cast<std::uint32_t>(at);
      const Giving giving = giving_at(chain_to(module.facts->tree(), {begin, begin + 1}), begin, false);
      if (!giving.gives) continue;
      if (giving.value == nullptr ||
          (!is_same_value(value_of(giving.value), *known->initial) &&
           find_text(module.facts->source().slice(giving.value->span), setting) == std::string_view::npos))
        return true;
    }
    return false;
  });
}

SettingUse TestSettings::find_use(const std::string& setting) const {
  SettingUse use;
  const NamedSettings::Setting* known = named(setting);
  if (known == nullptr) {
    use.anywhere = true;
    return use;
  }
  bool outside = false;
  for (const ModuleId id : known->modules) {
    if (!any_setting(id, setting, *known->initial, [](auto) { return true; })) continue;
    if (program::is_test_path(program_.modules()[id].path)) {
      use.in_tests.push_back(id);
    } else {
      outside = true;
    }
  }
  const bool beside = !outside && use.in_tests.empty() && is_set_beside_python(setting);
  use.anywhere = outside || beside || !use.in_tests.empty();
  use.only_in_tests = !outside && !use.in_tests.empty();
  return use;
}

TestSettings::Setters TestSettings::find_setters(const std::string& setting) const {
  Setters out;
  const NamedSettings::Setting* known = named(setting);
  out.are_known = known != nullptr;
  for (std::size_t i = 0; known != nullptr && i < known->modules.size() && out.are_known; ++i) {
    const ModuleId id = known->modules[i];
    if (program::is_test_path(program_.modules()[id].path)) continue;
    any_setting(id, setting, *known->initial, [&](std::optional<std::uint32_t> at) {
      const program::FunctionId function = at ? program_.function_at(id, *at) : program::FunctionId();
      out.are_known = at.has_value();
      if (!function.valid() || program_.functions()[function].kind != program::FunctionKind::kFunction)
        out.modules.push_back(id);
      else
        out.functions.push_back(function);
      return !out.are_known;
    });
  }
  return out;
}

const TestSettings::Setters& TestSettings::setters_outside(const std::string& setting) const {
  const auto known = setters_.find(setting);
  return known != setters_.end() ? known->second : setters_.emplace(setting, find_setters(setting)).first->second;
}

const SettingUse& TestSettings::use_of(const std::string& setting) const {
  const auto known = uses_.find(setting);
  return known != uses_.end() ? known->second : uses_.emplace(setting, find_use(setting)).first->second;
}

bool TestSettings::are_unset(const std::vector<std::string>& settings) const {
  return !settings.empty() && std::none_of(settings.begin(), settings.end(),
                                           [&](const std::string& setting) { return use_of(setting).anywhere; });
}

}  // namespace lockstep::report
