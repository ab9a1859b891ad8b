// The likeliest way from a script to one function, else from the outermost public function, else from a test: whose
// runs a change is for, and which of the ways there can be one run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/unmade_closures.h"
#include "report/source/import_closure.h"
#include "report/source/words.h"
#include "report/story/story.h"
#include "report/ways/functions/decorator_wrappers.h"
#include "report/ways/functions/given_functions.h"
#include "report/ways/functions/used_results.h"
#include "report/ways/objects/chosen_classes.h"
#include "report/ways/objects/ill_fitting_calls.h"
#include "report/ways/objects/module_calls.h"
#include "report/ways/objects/namesakes.h"
#include "report/ways/objects/overrides.h"
#include "report/ways/scripts/entry_scripts.h"
#include "report/ways/scripts/inference_targets.h"
#include "report/ways/scripts/script_reaches.h"
#include "report/ways/scripts/training_loop.h"
#include "report/ways/way_checks.h"
#include "report/ways/way_costs.h"
#include "report/ways/way_options.h"
#include "report/ways/ways.h"

namespace lockstep::report {

/// Finds ways to functions of one program, one after another: what it found out about the program it keeps. The rules
/// stand in path_finder.cpp, the search in path_search.cpp.
class PathFinder {
 public:
  /// `changed`: calls that the change brings or edits. A way to another changed place through one of them is the
  /// likeliest that the change is for.
  PathFinder(const DocumentInputs& inputs, const program::Program& program,
             std::unordered_set<const python::Node*> changed);

  [[nodiscard]] ChosenClasses& chosen() { return chosen_; }
  [[nodiscard]] const MadeClasses& made() const { return made_; }

  /// A way to what looks a function up by its name: likeliest from a script that is kin to that one. What runs beside
  /// the looking up in its own file only tries it.
  EntryPath find_look_up(program::FunctionId looking, program::FunctionId looked_up);

  /// A way on which nothing runs of what the change touches is none. Where all of that asks for a parameter to be left
  /// out, one on which it is comes before others.
  EntryPath find(program::FunctionId target, Touched touched = {});

 private:
  /// Whether words speak of what the script's runs are about.
  [[nodiscard]] bool is_named_by(const std::set<std::string>& words, program::FunctionId script) const;

  /// The words of the settings that have to be given for the way, where they name another script that trains and not
  /// the way's own.
  [[nodiscard]] std::set<std::string> words_asked_for(const EntryPath& path) const;

  EntryPath find_any(program::FunctionId target, const Touched& touched);
  /// The same, without a look at what has to be turned on.
  EntryPath find_set(program::FunctionId target, Touched touched);
  /// A way on which what turns an attribute on that the changed places ask for goes on to the target itself; empty
  /// where that is not sure.
  EntryPath through_switch(program::FunctionId target, const Touched& touched, const EntryPath& path);

  /// Notes who leaves out a parameter that all that changes asks to be None; takes a script's way through one of these
  /// calls in place of one on which a value is given.
  void prefer_left_out(program::FunctionId target, std::string_view parameter, Touched touched, EntryPath& path);

  /// Of ways on which it shows that values are passed which the target needs, the likeliest; else the likeliest.
  EntryPath passing(program::FunctionId target);

  /// Whether the way goes on in the function of `refused` from a place that does not ask for that parameter.
  [[nodiscard]] bool is_left_elsewhere(const EntryPath& path, const Needed& refused) const;

  [[nodiscard]] bool can_be_given_options(program::FunctionId script);

  /// A way that contradicts itself only where there is no other.
  EntryPath likeliest(program::FunctionId target);
  EntryPath likeliest_checked(program::FunctionId target);

  /// Whether the last call of the way throws away what it returns.
  [[nodiscard]] bool throws_it_away(const EntryPath& path) const;

  /// The way from the nearest script that trains and loads modules by computed names, whether or not its imports show
  /// that it loads the target's.
  EntryPath loading_by_name(const Ways& ways, program::FunctionId target);

  /// Whether a module that the script loads imports others by computed names.
  bool loads_by_name(program::ModuleId script);

  /// Where no known call leads there: the way that also takes calls of a method on a value of unknown class, where few
  /// methods have its name.
  EntryPath by_name(program::FunctionId target);

  /// Of a call that Python would refuse: another function is meant. None enters the target so; in between, where no
  /// other way is near, the right one may differ from it in that step alone.
  static constexpr int kIllFitting = 80;
  /// Of a call that throws away the result that the change is about.
  static constexpr int kUnusedResult = 40;
  /// Of a module's own call that comes to its `forward` through its bases: those are told where they can be.
  static constexpr int kThroughBases = 60;
  /// Through a method of a class that inherits the target, where the title means another.
  static constexpr int kOtherHeir = 80;
  /// A call and a function that it does not enter on the way in question.
  using Bans = CallsInto;

  /// Cheapest ways to the target from everything outside tests, by Dijkstra's algorithm; ties by function. Only through
  /// what `script` reaches, where given; where `source` is, ways that cost more than the one from there may be missing.
  Ways ways_to(program::FunctionId target, const ScriptReach* script, const Bans& bans,
               program::FunctionId source = program::FunctionId());

  struct CostedLegs {
    std::vector<Leg> legs;
    int cost = -1;
  };
  struct CostedPath {
    EntryPath path;
    int cost = -1;
  };
  /// Cheapest from any script; among scripts that are about as near, the one that the documentation names most.
  CostedPath best_script(const std::vector<program::FunctionId>& sources, const Ways& ways, program::FunctionId target);

  /// Whether a script that is no example goes through code of examples: who loads that is another.
  [[nodiscard]] bool enters_helpers(const std::vector<Leg>& legs) const;

  /// Counts the scripts of other files whose own cheapest way holds, and says whether these are all there may be.
  void count_others(const std::vector<program::FunctionId>& sources, const Ways& ways, program::FunctionId target,
                    EntryPath& path);

  program::FunctionId best_known(const std::vector<program::FunctionId>& sources,
                                 const std::function<int(program::FunctionId)>& cost) const;

  /// Drops the scripts that do not load the target's module, or nothing that makes its objects. False if none is left:
  /// then these scripts do not bring it in. A module that nothing imports is loaded by its path, by whom is not known.
  bool keep_loading(std::vector<program::FunctionId>& sources, program::FunctionId target);
  /// Of a method: where some of the scripts, or other scripts where no call surely enters it, load code that makes
  /// objects of its class or of an heir, drops those that do not.
  void drop_without_objects(std::vector<program::FunctionId>& sources, program::FunctionId target);

  /// Where a script comes there through its own classes alone, those go that come there at more cost through what
  /// others are about: however much the documentation names them, their runs hold no such objects unless told to.
  void drop_foreign(std::vector<program::FunctionId>& sources, std::map<std::uint32_t, CostedLegs>& ways) const;

  /// The best way that stays within what its script loads and in which `self` stays of one class; empty where none
  /// does.
  CostedPath within_closures(const std::vector<program::FunctionId>& sources, program::FunctionId target);

  /// Whether the title speaks of what the script's runs are about.
  [[nodiscard]] bool is_named_in_title(program::FunctionId script) const { return is_named_by(title_words_, script); }

  /// People start what stands at the top before what is a part of something; a change is for the runs whose script its
  /// title names. What the target's file does as a script of its own says less than what others do with it, unless it
  /// trains.
  [[nodiscard]] int cost_of_place(program::FunctionId script, program::FunctionId target) const;

  /// Where the way goes through objects of classes that the script's code never mentions, one without such comes first,
  /// and scripts that do mention them.
  CostedLegs consistent_way(program::FunctionId source, program::FunctionId target);
  CostedLegs consistent_way(program::FunctionId source, program::FunctionId target, const ScriptReach& script);
  /// The same, whatever the script loads.
  std::vector<Leg> consistent_way_of_all_code(program::FunctionId source, program::FunctionId target);
  /// What closes a way may be held against one or another of its calls: each is left out in turn.
  CostedLegs blaming_each(program::FunctionId source, program::FunctionId target, const ScriptReach* script, int tries);
  /// `script`: what it reaches; null for all code. `unlike`: a way that runs take only where somebody sets something;
  /// one is looked for that they take anyway, or else for less.
  CostedLegs consistent_way(program::FunctionId source, program::FunctionId target, const ScriptReach* script,
                            int tries, const std::vector<Leg>* unlike = nullptr);
  /// What somebody has to set for the calls of a way, as CallGuards::asked() gives it.
  using AskedSets = std::set<std::vector<std::string>>;
  AskedSets asked_on(const std::vector<Leg>& legs);
  /// Whether a run that takes the other way is given all that this one asks for, and more.
  bool asks_less(const std::vector<Leg>& legs, const std::vector<Leg>& other);

  /// Up through callers outside tests until nobody calls: the outermost function there is.
  EntryPath from_public_api(const Ways& ways, program::FunctionId target);

  [[nodiscard]] EntryPath along(const std::vector<Leg>& legs);
  /// Takes out the conditions that hold by what the calls on the way pass: nobody has to see to them.
  void drop_known(PathFrame& frame, const KnownValues& known) const;

  /// The calls of a way that was found; one that no call leads on by itself ends it.
  [[nodiscard]] std::vector<Leg> legs_of(const EntryPath& path) const;

  /// The shortest way from a test. Where the repository's code calls something that a test defines, a stub say, it does
  /// so for that test: the way up goes no further.
  EntryPath from_tests(program::FunctionId target);

  bool follows_names_ = false;  ///< Also calls of a method on values of unknown class.
  Bans bans_for_all_;           ///< Of the target in question.
  /// Classes that inherit the target and that the title does not mean, see named_heirs.h.
  std::set<program::ClassId> other_heirs_;
  CallsInto calls_without_;           ///< Through which nothing comes to the target of what its changed places need.
  WayOptions::Names needed_options_;  ///< Scripts that cannot be given them are left out.
  std::vector<std::vector<SwitchedOn>> needed_on_;  ///< Scripts that reach none of one of these are left out, too.
  std::set<std::string> asked_words_;  ///< Of settings that a way asks for: only scripts that are named so are asked.
  bool any_gets_there_ = false;        ///< By its code some script that was asked for the target in question does.
  bool is_only_inference_ = false;     ///< Its changed places ask for inference, wherever it stands.
  bool is_target_aside_ = false;       ///< Its file or folder is for inference or evaluation.

  program::FunctionId kin_;    ///< To which scripts are kin, in place of the target.
  program::ModuleId unasked_;  ///< The scripts of which are not asked.

  bool is_about_result_ = false;  ///< All that changes in the target only makes what it returns.
  const program::Program& program_;
  mutable UnusedResults unused_results_{program_};
  const program::Program& before_;
  const std::unordered_set<const python::Node*> changed_;
  std::optional<std::map<std::uint32_t, std::vector<program::CallId>>> namesakes_;  ///< Found when first asked for.
  ImportClosure closure_;
  const MadeClasses made_;
  IllFittingCalls ill_fitting_;
  GivenFunctions given_functions_{program_};
  CallGuards guards_;
  ChosenClasses chosen_;
  WayChecks checks_;
  const EntryScripts entries_;
  const DecoratorWrappers decorators_;
  const Overrides overrides_;
  const TrainingLoop loop_;
  const std::set<std::string> title_words_;
  std::set<std::string> changed_files_;
  std::vector<bool> has_computed_imports_;  ///< By module; found when first asked for.
  std::vector<bool> is_test_;               ///< By module.
  const program::UnmadeClosures unmade_closures_{program_};
  const ModuleCalls module_calls_{program_};
  std::vector<std::string_view> aside_;  ///< By module: its folder for things beside training; empty for none.
  WayOptions options_{program_, is_test_};
  WayCosts costs_;
  ScriptReaches reaches_;
};

}  // namespace lockstep::report
