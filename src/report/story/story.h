// A change -> its story: which changed entities carry it and which merely follow, from where real runs reach them and
// under which conditions, the configuration that switches them on with its defaults, the tests that reach them, and the
// order in which to tell it all. Facts only; the documents choose words and form.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/source/code.h"
#include "report/source/field_loops.h"
#include "report/story/calls/followed.h"
#include "report/story/checks/altered_state.h"
#include "report/story/steps/steps.h"
#include "report/story/wording/words.h"
#include "report/ways/objects/chosen_class.h"

namespace lockstep::report {

enum class Role : std::uint8_t {
  kCentral,     ///< Carries the change.
  kSupporting,  ///< Behaves differently, too, but the story can be told without it.
  kFollowing,   ///< Forwards a new argument, imports, re-exports.
  kCosmetic,    ///< Comments, docstrings, layout.
  kTest,
};

/// A changed entity in its role.
struct Actor {
  const change::EntityChange* change = nullptr;
  Role role = Role::kSupporting;
  double weight = 0;             ///< How much of the change it carries; only comparable within one story.
  StepComparison steps;          ///< Where is_function(); empty for others.
  bool on_step_path = false;     ///< A training step leads to it, by the call graph.
  bool on_build_path = false;    ///< The same, but only through constructors of what a model is made of.
  bool on_set_up_path = false;   ///< The same, but only through these and what by its name builds or sets something up.
  std::size_t fan_in = 0;        ///< Call sites outside tests, on the side it exists.
  bool is_unnamed = false;       ///< New, and no code outside tests names it, or what holds it, yet.
  bool loses_last_call = false;  ///< The change takes out its last call; no code outside tests names it any more.
  /// New, and nearly all its steps stood in this function, which goes on without them.
  const change::EntityChange* extracted_from = nullptr;
  std::size_t extracted = 0;  ///< How many of its steps did.
  /// Of a field that a dataclass gains or loses: code that goes over all of its fields, on the side after the change.
  std::vector<FieldLoop> field_loops;
  /// New, and called where this function was called, which is gone.
  const change::EntityChange* successor_of = nullptr;
  /// A module of which statements change that it runs itself when it is loaded, or as a script: no definition, variable
  /// or import.
  bool is_module_code = false;
  /// What comes of the arguments that its calls give otherwise: the most telling first.
  std::vector<FollowedArgument> followed;
  /// Attributes that it gives another value than before, and who reads them.
  std::vector<AlteredState> altered;

  /// What has steps: a function, a method, or a module whose own statements change.
  [[nodiscard]] bool is_function() const;
  /// A module that is only told by what it defines.
  [[nodiscard]] bool is_bare_module() const { return change->kind == change::EntityKind::kModule && !is_module_code; }
  [[nodiscard]] bool is_added() const { return change->status == change::Status::kAdded; }
  [[nodiscard]] bool is_removed() const { return change->status == change::Status::kRemoved; }
};

/// The last call of a function that stays, and that a change takes out.
struct LastCall {
  program::FunctionId callee;  ///< On the after side.
  program::FunctionId caller;  ///< Who called it, on the before side.
};

/// One function on the way from an entry point to a changed one.
struct PathFrame {
  program::FunctionId function;
  const python::Node* call = nullptr;  ///< The call in `function` that leads on; null in the last frame.
  std::vector<Guard> guards;           ///< Around that call.
  bool is_certain = true;              ///< The call surely enters the next frame.
  Handing handing = Handing::kNone;    ///< How the call passes the next frame on where it does not call it.
  /// The condition of one of `guards` that does not hold unless somebody sets what it asks for; null for none.
  const python::Expr* off_by_default = nullptr;
  /// One that does not hold with what is declared, though code may set what it asks for; null for none.
  const python::Expr* off_as_declared = nullptr;
  /// The conditions of `guards` that do not hold with what is declared, each once: these two and others like them.
  std::vector<const python::Expr*> asked = {};
  /// Those that hold unless somebody sets what they ask for to something else.
  std::vector<const python::Expr*> on_by_default = {};
  /// The condition of one of `guards` under which what `call` calls gets the value that leads on; null for none.
  const python::Expr* chosen_by = nullptr;
  std::vector<Guard> two_sided = {};  ///< Those of `guards` on whose other side calls lead on, too.
};
/// A parameter that is off unless it is given, and that nothing outside tests was found to give.
struct UngivenParameter {
  program::FunctionId function;  ///< None: there is no such.
  std::string_view name;
  program::ClassId cls;  ///< Objects of which are made only with it.
};
struct EntryPath {
  program::EntryKind kind = program::EntryKind::kScript;
  std::vector<PathFrame> frames;          ///< Entry first, the changed function last; empty where nothing reaches it.
  std::size_t other_entries = 0;          ///< Further scripts that reach it, at least.
  bool are_all_counted = false;           ///< No script but these may reach it.
  bool others_may = false;                ///< Of one of them a call on the way may enter something else.
  std::vector<std::string> by_name;       ///< Methods that calls on values of unknown class are taken to enter.
  std::vector<std::string> unshown;       ///< Parameters that the changed lines ask for, and whether it passes them no
                                          ///< call shows.
  std::vector<std::string> handed_on_in;  ///< Functions on the way that define the next one and hand it on.
  std::string_view left_out;              ///< The parameter that all that changes asks to be None; or empty.
  std::vector<program::CallId> leaving_out;  ///< Of a `left_out`: calls outside tests that leave it out.
  bool is_helper = false;                    ///< From an example or a tool, since no other script leads there.
  bool is_definition = false;  ///< The last frame is defined in the one before it; who calls it is not known.
  std::string missing_import;  ///< What its script imports in vain: it cannot start; empty where it can.
  UngivenParameter ungiven;    ///< Without which it is not taken.
  program::ClassId unmade;     ///< Of the method that is asked for: no code outside tests makes its objects.
  /// Of the last frame, or of the nearest before it: which settings choose its class.
  std::optional<ChosenClass> chosen;
  /// Early returns before all steps that change in the last frame, as guards; on the side before the change where all
  /// of these go.
  std::vector<Guard> exits;
  program::FunctionId exits_before;  ///< The function there; none where `exits` are of the side after it.
};

/// Where objects come from that a method runs on to which no script is found to lead.
struct ObjectOrigin {
  program::ClassId cls;                    ///< Of the method; none: nothing is known.
  program::ClassId made;                   ///< What is made: that class, or one below it.
  program::FunctionId method;              ///< The outermost on the way that was found.
  EntryPath way;                           ///< From a script to the constructor, or to what makes objects without one.
  std::vector<program::CallId> inherited;  ///< Calls of what the class inherits from a library, on such objects.
};

/// A configuration value that decides whether changed code runs, or that the change adds or alters.
/// What a condition on a configuration value decides.
enum class GuardScope : std::uint8_t {
  kNone,  ///< Nothing that was found.
  kStep,  ///< Some changed steps of a function.
  kWay,   ///< Whether a run gets to the function at all, on the way that is told.
};

struct Flag {
  std::string name;           ///< Field name, or the CLI argument with its dashes where there is no field.
  std::string place;          ///< Marked text of where it is declared; empty where it was not found.
  std::string path;           ///< Of the file that declares it; empty where it was not found.
  std::string owner;          ///< Class that declares it; empty for a CLI argument.
  std::string default_value;  ///< Source text; empty where there is none.
  /// What the CLI argument gives where it is not given, where that is another; else empty. Runs get this one.
  std::string argument_default;
  std::string old_default;  ///< The same before the change, where the change alters it; else empty.
  std::string help;         ///< First sentence of its documentation, in its author's words; may be empty.
  std::string derived;      ///< The sentence of it that says that nobody is to set it; may be empty.
  bool is_new = false;
  bool is_changed = false;
  std::string argument;              ///< "--name" where a CLI argument of that name is declared; may be empty.
  bool argument_clears = false;      ///< The argument makes it `False` (`store_false`).
  std::vector<std::string> choices;  ///< Texts that the argument takes and no others; empty where it takes any.
  std::string asked_text;  ///< Text that the condition of `guards` asks it to be equal to; empty for other conditions.
  bool is_fixed = false;   ///< The argument can only give what is the default anyway (`store_true`, default `True`).
  std::string
      guards;  ///< Marked text: the condition on a changed step or on the way there that reads it; may be empty.
  bool is_behind = false;                 ///< What the condition asks for is there only where the setting is set.
  GuardScope scope = GuardScope::kNone;   ///< Of that condition.
  bool guards_all = false;                ///< All changed steps of that function stand in one branch of it.
  std::size_t guarded = SIZE_MAX;         ///< The central[i] that it is about.
  bool is_decided_here = false;           ///< The condition itself is new or changed.
  std::optional<bool> runs_by_default;    ///< Whether that condition holds with the default, where that can be decided.
  std::string set_elsewhere;              ///< Marked text: where code sets it, see setting_values.h; may be empty.
  std::string given_in;                   ///< Marked text: which files give its argument; may be empty.
  std::size_t readers = 0;                ///< Functions outside tests that read an attribute of this name.
  bool more_may_read = false;             ///< Another class has a field of this name: who reads which is not all known.
  std::vector<std::string> reader_names;  ///< Marked text of the first few of them.
};

/// How a test comes to a function.
enum class TestLink : std::uint8_t {
  kCalls,     ///< Through calls each of which surely enters the next function.
  kNames,     ///< Its text names the function: calls it on something unknown, looks it up.
  kPossibly,  ///< Through at least one call that may enter several functions.
};
struct TestReach {
  program::FunctionId test;
  TestLink link = TestLink::kCalls;
  int distance = 0;         ///< Calls from the test to the function.
  bool is_changed = false;  ///< The change adds or edits the test.
  bool is_new = false;      ///< It adds it.
};

/// Settings that are off by default and that no test was found to set.
struct UnsetSettings {
  std::vector<std::string> on_way;      ///< Calls lead from tests to the function only where one of them is set.
  std::vector<std::string> of_changes;  ///< What changes in the function runs only where one of them is set.
  /// The same, of settings and parameters that other tests set: no file of those that lead to the function names them.
  std::vector<std::string> unnamed;
  /// Tests that surely lead to the function were left out: they cannot set what its changed lines need.
  bool sure_ones_lack_it = false;
};

/// One function that several now call in place of another; see swapped_calls.h.
struct SwappedCall {
  std::string before;  ///< As it was called: `numpy.load`.
  std::string after;
  const change::EntityChange* callee = nullptr;  ///< What is called now, where the change brings or edits it; or null.
  std::vector<std::pair<const change::EntityChange*, std::uint32_t>> places;  ///< Functions, and lines from 0.
};

/// A changed function that calls a new one.
struct HelperTaker {
  const change::EntityChange* function = nullptr;
  std::uint32_t line = 0;   ///< Of its first call of it, from 0.
  bool only_takes = false;  ///< Nothing else changes in it but messages and the place of its statements.
};

/// A new function that several changed ones call now; see calls/new_helpers.h.
struct NewHelper {
  const change::EntityChange* helper = nullptr;
  std::vector<HelperTaker> takers;    ///< By path and line; two at least.
  bool has_others = false;            ///< Other functions outside tests call it, too.
  std::vector<std::string> given_up;  ///< What each of them called, or one of which each did, and none calls any more.
  bool does_it = false;               ///< It does so itself, or communicates in place of that.
  bool left_loops = false;            ///< All that they called so stood in loops.
  std::string where;  ///< The conditions around each call of it, where all stand under the same; marked.
};

/// What changes by the value of one setting; see settings/value_cases.h.
struct ValueCases {
  std::string caption;              ///< Marked text: the setting and what it takes.
  std::vector<std::string> header;  ///< Of the columns.
  /// Of each step, or each value, its lines. Marked text.
  std::vector<std::vector<std::vector<std::string>>> rows;
};

struct Story {
  std::vector<Actor> actors;                  ///< By weight, heaviest first.
  std::vector<std::size_t> central;           ///< Indices of actors, in the order of telling.
  std::vector<EntryPath> entries;             ///< For central[i]; empty frames where there is none.
  std::vector<ObjectOrigin> origins;          ///< For central[i].
  std::vector<std::vector<TestReach>> tests;  ///< For central[i]: the surest and nearest first.
  /// For central[i]: tests that would be among them, had their author not switched them off, in the same order.
  std::vector<std::vector<TestReach>> skipped;
  /// For central[i]: tests that would be among them, did they not put a stand-in for it or for what leads there.
  std::vector<std::vector<TestReach>> replacing;
  std::map<program::FunctionId, std::vector<std::string>> stand_ins;  ///< By test, marked; see tests/used_stand_ins.h.
  std::vector<UnsetSettings> unset;                                   ///< For central[i].
  std::vector<SwappedCall> swapped;      ///< What several functions call in place of something else.
  std::vector<NewHelper> helpers;        ///< Without functions that have code of their callers: that is told as moved.
  std::vector<std::string> chains;       ///< See Chains::sentences (trails/chain.h).
  std::vector<std::string> carried;      ///< See Chains::carried.
  std::vector<std::string> trail_items;  ///< See Chains::items.
  std::vector<ValueCases> value_cases;
  std::vector<LastCall> last_calls;  ///< Those that the change takes out.
  std::vector<Flag> flags;           ///< New ones first; of these what the title names.
  std::vector<Flag> awakened;        ///< See awakened_settings.h.
  std::size_t new_flags = 0;         ///< All new ones; `flags` holds the first few.
  std::size_t only_removed = 0;      ///< See successors.h.
  bool touches_python = false;       ///< Outside tests.
  bool only_tests = false;

  /// Whether what carries the change differs in comments, documentation or layout alone: what runs is the same.
  [[nodiscard]] bool is_cosmetic() const;
  [[nodiscard]] const Actor& actor(std::size_t central_index) const { return actors[central[central_index]]; }
  /// The heaviest central actor's index in `central`; 0 where there is none.
  [[nodiscard]] std::size_t lead() const;
};

struct StoryOptions {
  std::size_t most_central = 5;
  bool lead_first = false;  ///< The heaviest is told first, the others in the order of execution.
};

Story find_story(const DocumentInputs& inputs, const StoryOptions& options = {});
/// The same with the `most` weightiest central entities; the others support (cut.cpp).
Story with_central(const Story& story, std::size_t most);

/// The side's function of an actor, and words context for it. `after` preferred where it exists.
WordsContext context_after(const DocumentInputs& inputs, const Actor& actor);
WordsContext context_before(const DocumentInputs& inputs, const Actor& actor);
/// The context of the side on which it exists, after first.
WordsContext context_latest(const DocumentInputs& inputs, const Actor& actor);

/// "Class.method" below its module.
std::string short_name(const DocumentInputs& inputs, const change::EntityChange& entity);
/// Marked place of its `def`, `class` or declaration line.
std::string place_of(const DocumentInputs& inputs, const change::EntityChange& entity);
/// That line, from 0.
std::uint32_t line_of(const DocumentInputs& inputs, const change::EntityChange& entity);
/// "new", "removed", "changed", "moved from …".
std::string status_words(const change::EntityChange& entity);

/// The new methods of a new class: public ones first, then by weight.
std::vector<const Actor*> methods_of(const Story& story, const change::EntityChange& cls);

/// Fills Story::flags (flags.cpp).
void find_flags(const DocumentInputs& inputs, Story& story);
/// Takes those away that belong to a class of data, not of settings (settings.cpp).
void drop_data_fields(const DocumentInputs& inputs, Story& story);
/// Fills entries (ways/paths.cpp).
void find_paths(const DocumentInputs& inputs, Story& story);
/// Fills tests and what stands beside them, stand_ins among it (tests/reaching.cpp).
void find_tests(const DocumentInputs& inputs, Story& story);
/// What stands for an entity in the call graph of the after side: itself, or a class's constructor; none for others.
program::FunctionId callable_of(const program::Program& program, const change::EntityChange& entity);

/// Names of configuration values read in `node`, functions inside it left out: attributes of things called config, cfg,
/// args.
std::vector<std::string> config_reads(const python::Node& node);

}  // namespace lockstep::report
