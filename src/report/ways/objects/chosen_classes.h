// Which settings choose a class: where all code outside tests that may bring its objects stands under conditions on
// them, in what builds a model say.
//   if use_fuser: module = FusedLayer      # def layer_spec(use_fuser=False)
//   layer_spec(use_fuser=config.use_fusion)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/program.h"
#include "repo/snapshot.h"
#include "report/source/computed_imports.h"
#include "report/source/configuration_files.h"
#include "report/source/defaults.h"
#include "report/story/settings/flag_declarations.h"
#include "report/story/story.h"
#include "report/ways/conditions/given_settings.h"
#include "report/ways/functions/unseen_uses.h"
#include "report/ways/objects/chosen_class.h"

namespace lockstep::report {

/// Whether the function is a method that an object of its class is needed for.
bool runs_on_object(const program::Program& program, program::FunctionId function);

class ChosenClasses {
 public:
  /// `files`: where configurations name classes; null: not known.
  explicit ChosenClasses(const program::Program& program, const repo::Snapshot* files = nullptr)
      : program_(program), given_(program), files_(files) {}

  /// None where some place may bring an object of the class, or of one below it, whatever the settings are.
  std::optional<ChosenClass> of(program::ClassId cls);
  /// The same of the objects that a way goes through: the nearest to its end for which there is one without free
  /// places.
  std::optional<ChosenClass> on_way(const std::vector<PathFrame>& frames);

 private:
  [[nodiscard]] bool is_met_otherwise(const std::vector<program::ClassId>& classes);
  /// Whether code may look one of them up by a name that a configuration holds.
  bool may_be_configured(const std::vector<program::ClassId>& classes);
  const std::vector<ChoosingPlace>& places_of(program::FunctionId function, const python::Node& node);
  /// The same of each way to the place: where it stands under no such condition, of the calls of its function. Empty
  /// where one of them is free.
  std::vector<std::vector<ChoosingPlace>> places_around(program::FunctionId function, const python::Node& node,
                                                        int depth);
  void add_choosing(program::FunctionId function, const Guard& guard, std::vector<ChoosingPlace>& out);
  std::optional<bool> holds(const ChoosingPlace& place);
  bool declare(ReadSetting setting, ChoosingPlace& place);

  const program::Program& program_;
  const GivenSettings given_;
  const repo::Snapshot* files_;
  std::optional<UnseenUses> unseen_;
  std::optional<Defaults> defaults_;
  std::optional<LookUp> look_up_;
  std::optional<std::vector<ConfigurationFile>> configurations_;
  std::optional<FlagDeclarations> declarations_;
  /// By name and the class that declares it; found when asked for.
  std::map<std::pair<std::string_view, std::uint32_t>, Flag> declared_;
  std::map<std::string_view, bool> differing_;  ///< By name: whether declarations of it differ.
  std::unordered_map<std::uint32_t, std::optional<ChosenClass>> known_;           ///< By class.
  std::map<std::pair<std::uint32_t, std::string_view>, GivenValues> given_to_;    ///< By function and parameter.
  std::unordered_map<const python::Node*, std::vector<ChoosingPlace>> choosing_;  ///< By what names a class.
};

}  // namespace lockstep::report
