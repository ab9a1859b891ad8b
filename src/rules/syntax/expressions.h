// Small questions about syntax that many rules ask: what a call is called, which keyword it has, whether a name occurs.
// Knows no rule and no program.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "python/facts.h"
#include "python/tree.h"

namespace lockstep::rules {

/// Value of `name=…` in the call; null where it is not there.
const python::Expr* keyword_value(const python::Call& call, std::string_view name);
/// True if the call has `**something`.
bool has_spread_keywords(const python::Call& call);
/// True if the call has `*something`.
bool has_spread_arguments(const python::Call& call);

/// True for the constant None.
bool is_none(const python::Expr* expression);
/// A comparison with None.
struct NoneTest {
  const python::Expr* subject = nullptr;  ///< What is compared.
  bool is_none = true;                    ///< `is None`, `== None`; false for `is not None`, `!= None`.
  bool by_identity = true;                ///< `is`, `is not`.
};
/// The comparison with None that the condition is; nullopt where it is anything else.
std::optional<NoneTest> none_test(const python::Expr& condition);

/// True for the constants True and False (`is_constant_true` of names.h asks what a condition always is).
bool is_true(const python::Expr* expression);
bool is_false(const python::Expr* expression);
/// The text of a string constant; empty for anything else.
std::string_view text_of(const python::Expr* expression);
/// "x" of `self.x`; empty for anything else.
std::string_view self_attribute(const python::Expr* expression);
/// "x" of the bare name `x`; empty for anything else.
std::string_view name_of(const python::Expr* expression);
/// The name at the root of `a.b[0].c(…)`: "a"; empty where the root is no name.
std::string_view root_name(const python::Expr* expression);

/// The `for … in … if …` parts of a comprehension; none of other nodes.
python::Seq<python::Comprehension> comprehension_generators(const python::Node& node);

/// True if `node`, or anything below it, is the bare name `name`.
bool mentions_name(const python::Node& node, std::string_view name);
/// True if anything below `node` is an attribute called `name`, read or written.
bool mentions_attribute(const python::Node& node, std::string_view name);
/// `x`, `self.x`, `x.y`: what can be assigned and tested. Chains without calls or subscripts.
bool is_place(const python::Expr& expression);
/// The attribute under which argparse stores what `add_argument` declares: `dest`, else the first long option, else the
/// first short one, with dashes as underscores; empty where the call does not say ("x" alone, a name that is computed).
std::string argparse_destination(const python::Call& call);
/// True for a call that tells people something and does nothing else, by its name: `print`, `logger.info`,
/// `warnings.warn`, Megatron-LM's print_rank_0 and log_single_rank.
bool is_log_call(const python::Expr* expression);
/// True if anything below `node` calls a function or method with this last part.
bool calls_name(const python::Node& node, std::string_view last_part);

/// "self.config.x" of a chain of names and attributes; empty for anything else.
std::string dotted_text(const python::Expr* expression);
/// True for `return`, `raise`, `continue` and `break`: what follows in the block does not run.
bool leaves(const python::Stmt& statement);
/// Inside a `try` of the function that may be there for what `span` does.
bool is_in_try(const python::Node& function, Span span);

/// All blocks of statements of one function (nested functions left out), its own body first.
std::vector<python::Seq<python::Stmt>> blocks_of(const python::Node& function);

/// True if the source has an opening parenthesis right before `span` (white space aside).
bool is_parenthesised(const python::FileFacts& facts, Span span);

}  // namespace lockstep::rules
