// One check held against the checks of the other side: what it asks for, whether it came, went or only stands
// elsewhere, and whether another one refuses the same.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "python/tree.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Functions that exist to refuse, and branches that read the configuration.
bool refuses_configurations(const Actor& actor, const Step& step);

/// Whether a constructor asserts something of the configuration alone: `assert not config.a or config.b`. What it makes
/// itself says nothing of who is refused.
bool asserts_of_configuration(const Actor& actor, const python::Assert& claim);

/// Whether the check asks for a setting that the change brings, other than that it is not set: nobody set it before.
bool asks_for_new_setting(const Story& story, const Step& step, const SourceText& source);

/// Whether a check asks for an attribute that a class has only now, other than a setting: nothing that was there had it
/// to be refused for.
bool asks_for_new_field(const Story& story, const std::vector<Step>& steps, std::size_t index);

/// The functions to which others left steps of theirs.
std::unordered_set<const change::EntityChange*> takers(const Story& story);

/// Whether step `index` asserts something or is a branch that only refuses, and has this status.
bool is_check(const std::vector<Step>& steps, std::size_t index, StepStatus status);

/// Whether a check stands in new branches that choose by settings which were there before: runs of before come to it.
bool is_in_choice_by_settings(const Story& story, const Actor& actor, std::size_t index);

/// What a condition asks about, by names; what holds it (`self`, `config`) says nothing.
std::set<std::string_view> asked_names(const python::Expr& condition);

/// Whether both hold one name.
bool share(const std::set<std::string_view>& one, const std::set<std::string_view>& other);

/// Whether a check comes, goes or changes on this side; one that stands elsewhere in the function, or only follows a
/// new name, does not.
/// `others`: the assertions of the other side; what is asserted there, too, is none that comes or goes.
bool changes_check(const python::FunctionDef* def, const std::vector<Step>& steps, const SourceText* source,
                   const std::set<std::string>& others);

/// What the functions of the change outside tests assert on each side, as texts.
struct AssertedTexts {
  explicit AssertedTexts(const Story& story);

  std::set<std::string> before;
  std::set<std::string> after;
};

/// Those of one condition that the other does not have, in words: "`a` is set and `b` is `1`".
std::string further_operands(const python::Expr& condition, const SourceText& source,
                             const std::set<std::string>& others);

/// Of a check that goes the new one that refuses some of what it refused: with more operands. Null where none does.
const Step* narrower_check(const Actor& actor, const Step& gone);

/// Whether another check may have taken the place of one that is gone.
bool is_replaced(const DocumentInputs& inputs, const Actor& actor, const Step& gone);

/// Whether a check that goes refused all that the new one does.
bool was_refused_before(const Actor& actor, const Step& fresh);

/// Whether a check that goes asks for something that goes with it: an assertion for a local that the new code no longer
/// has, a branch for a variable of the module that the change takes away.
bool asks_for_what_is_gone(const DocumentInputs& inputs, const Story& story, const Actor& actor, const Step& gone);

/// `assert x is not None` of a local that the function sets itself: nobody was refused by it.
bool tells_type_checker(const Actor& actor, const Step& gone);

/// Whether the function comes to refuse something that it did not.
bool has_new_check(const Actor& actor);

}  // namespace lockstep::report
