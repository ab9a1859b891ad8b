// Which settings tests set: code under one that is off by default, and that no test sets, no test runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/inputs.h"
#include "report/source/code.h"
#include "report/source/configuration_files.h"
#include "report/source/defaults.h"
#include "report/tests/named_settings.h"

namespace lockstep::report {

/// Who gives a setting another value than its default.
struct SettingUse {
  bool anywhere = false;  ///< Code outside tests, a file of tests that is no Python, a module of them.
  std::vector<program::ModuleId> in_tests;  ///< Modules of tests that do.
  bool only_in_tests = false;               ///< Python modules of tests alone do: who sets it loads one of them.
};

class TestSettings {
 public:
  explicit TestSettings(const DocumentInputs& inputs) : inputs_(inputs), program_(*inputs.after) {}

  /// The settings of which one has to be given, other than by its default, for the guard to let a run through; none
  /// where the defaults do or that is not known.
  [[nodiscard]] std::vector<std::string> asked(const Guard& guard) const;
  /// Whether the setting's declared default is false, or None.
  [[nodiscard]] bool is_off(const std::string& setting) const;
  /// asked() for all of the guards around a call: the first that asks for any. Where none does, and the call is of an
  /// object that `self` keeps, what all code asks for that keeps one there: without that there is none.
  [[nodiscard]] const std::vector<std::string>& asked_at(program::CallId call) const;
  [[nodiscard]] const SettingUse& use_of(const std::string& setting) const;
  /// Who outside tests gives the setting another value than its declared default.
  struct Setters {
    std::vector<program::FunctionId> functions;
    std::vector<program::ModuleId> modules;  ///< By code outside their functions.
    bool are_known = true;                   ///< False: others may, too.
  };
  [[nodiscard]] const Setters& setters_outside(const std::string& setting) const;
  /// Whether code outside tests may give the setting another value by something that does not have its name in it
  /// (`config.x = True`; not `config.x = args.x`), or that is not known.
  [[nodiscard]] bool is_decided_elsewhere(const std::string& setting) const;
  /// Whether nothing that was found gives any of them another value.
  [[nodiscard]] bool are_unset(const std::vector<std::string>& settings) const;

 private:
  [[nodiscard]] std::vector<std::string> asked_by_guards(const program::Function& function, Span place) const;
  [[nodiscard]] std::vector<std::string> asked_for_store(program::FunctionId function, Span place) const;
  [[nodiscard]] std::vector<std::string> asked_for_object(const program::CallSite& site) const;
  [[nodiscard]] SettingUse find_use(const std::string& setting) const;
  [[nodiscard]] const NamedSettings::Setting* named(const std::string& setting) const;
  [[nodiscard]] Setters find_setters(const std::string& setting) const;
  /// Calls `visit` with where the module gives the setting another value, none where it may be anywhere; stops where
  /// it gives true, and gives that.
  bool any_setting(program::ModuleId id, const std::string& setting, const Value& initial,
                   const std::function<bool(std::optional<std::uint32_t>)>& visit) const;
  [[nodiscard]] bool is_set_beside_python(const std::string& setting) const;
  [[nodiscard]] const Defaults& defaults() const;

  const DocumentInputs& inputs_;
  const program::Program& program_;
  mutable std::optional<Defaults> defaults_;
  mutable std::unordered_map<std::uint32_t, std::vector<std::string>> asked_;
  mutable std::optional<std::vector<ConfigurationFile>> beside_python_;  ///< Of tests; read when first asked for.
  mutable std::unordered_map<std::string, SettingUse> uses_;
  mutable std::unordered_map<std::string, Setters> setters_;
};

}  // namespace lockstep::report
