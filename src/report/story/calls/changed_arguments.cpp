#include "report/story/calls/changed_arguments.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/given_arguments.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::Program;

namespace {

std::vector<const Call*> calls_within(const Step& step) {
  std::vector<const Call*> out;
  walk(*step.node, Nested::kSkip, [&](const Node* node) {
    const auto* call = as<Call>(node);
    if (call != nullptr && step.span.contains(call->span)) out.push_back(call);
  });
  return out;
}

/// What the calls of one step become.
class Comparison {
 public:
  /// `edited`: of arguments that are given on both sides those that are no constants and written otherwise, and nothing
  /// else.
  Comparison(const DocumentInputs& inputs, const Actor& actor, bool edited, std::vector<ChangedArgument>& out)
      : inputs_(inputs),
        old_(*actor.steps.before_source),
        new_(*actor.steps.after_source),
        edited_(edited),
        out_(out) {}

  void compare(const Call& was, const Call& now) {
    if (rules::has_spread_keywords(was) || rules::has_spread_keywords(now) || rules::has_spread_arguments(was) ||
        rules::has_spread_arguments(now) || rules::is_log_call(&now))
      return;
    if (edited_) {
      compare_edited(was, now);
      return;
    }
    compare_positions(was, now);
    // With other positions a keyword may only have been written as one of them.
    if (was.arguments.size() == now.arguments.size()) compare_keywords(was, now);
  }

 private:
  void compare_edited(const Call& was, const Call& now) {
    const auto is_edited = [&](const Expr& before, const Expr& after) {
      return value_of(&after).kind == Value::Kind::kUnknown &&
             one_line_whole(old_, before) != one_line_whole(new_, after);
    };
    for (const Keyword* keyword : now.keywords) {
      const Expr* before = rules::keyword_value(was, keyword->name.text);
      if (before != nullptr && is_edited(*before, *keyword->value))
        out_.push_back({&was, &now, keyword->name.text, before, keyword->value});
    }
    for (std::size_t i = 0; was.arguments.size() == now.arguments.size() && i < now.arguments.size(); ++i) {
      if (!is_edited(*was.arguments[i], *now.arguments[i])) continue;
      if (const std::string_view name = taken_by(*inputs_.after, now, i); !name.empty())
        out_.push_back({&was, &now, name, was.arguments[i], now.arguments[i]});
    }
  }

  void compare_keywords(const Call& was, const Call& now) {
    for (const Keyword* keyword : now.keywords) {
      const Expr* before = rules::keyword_value(was, keyword->name.text);
      if (before == nullptr || differ(before, keyword->value))
        out_.push_back({&was, &now, keyword->name.text, before, keyword->value});
    }
    for (const Keyword* keyword : was.keywords) {
      if (rules::keyword_value(now, keyword->name.text) == nullptr)
        out_.push_back({&was, &now, keyword->name.text, keyword->value, nullptr});
    }
  }

  void compare_positions(const Call& was, const Call& now) {
    const std::size_t common = std::min(was.arguments.size(), now.arguments.size());
    for (std::size_t i = 0; i < common; ++i) {
      const bool is_same = one_line_whole(old_, *was.arguments[i]) == one_line_whole(new_, *now.arguments[i]);
      if (!is_same && common != std::max(was.arguments.size(), now.arguments.size())) return;
      if (!is_same && differ(was.arguments[i], now.arguments[i])) {
        if (const std::string_view name = taken_by(*inputs_.after, now, i); !name.empty())
          out_.push_back({&was, &now, name, was.arguments[i], now.arguments[i]});
      }
    }
    for (std::size_t i = common; i < now.arguments.size(); ++i) {
      const std::string_view name = taken_by(*inputs_.after, now, i);
      if (!name.empty() && rules::keyword_value(was, name) == nullptr)
        out_.push_back({&was, &now, name, nullptr, now.arguments[i]});
    }
    for (std::size_t i = common; i < was.arguments.size(); ++i) {
      const std::string_view name = taken_by(*inputs_.before, was, i);
      if (!name.empty() && rules::keyword_value(now, name) == nullptr)
        out_.push_back({&was, &now, name, was.arguments[i], nullptr});
    }
  }

  /// Two constants that are not the same, or None and what is no constant; whether other values differ, no one knows.
  static bool differ(const Expr* was, const Expr* now) {
    const Value before = value_of(was);
    const Value after = value_of(now);
    using Kind = Value::Kind;
    if (before.kind == Kind::kNone && after.kind == Kind::kUnknown) return is_value(now);
    if (after.kind == Kind::kNone && before.kind == Kind::kUnknown) return is_value(was);
    return before.kind != Kind::kUnknown && after.kind != Kind::kUnknown && !is_same_value(before, after) &&
           !same_number(before.text, after.text).value_or(false);
  }

  /// A variable, an attribute, a call: what is hardly None where None stood before.
  static bool is_value(const Expr* given) { return is<Name>(given) || is<Attribute>(given) || is<Call>(given); }

  /// The parameter of the only function that the call enters; empty where that is not known.
  static std::string_view taken_by(const Program& program, const Call& call, std::size_t index) {
    const program::CallId id = program.call_of(&call);
    if (!id.valid() || program.calls()[id].targets.size() != 1) return {};
    const program::CallSite& site = program.calls()[id];
    const program::FunctionId callee = site.targets.front().function;
    if (!callee.valid() || !gets_as_written(program, site, callee)) return {};
    const auto signature = rules::Signatures(program).of_function(callee, unwritten_parameters(program, site, callee));
    const rules::AcceptedParameter* parameter = signature ? rules::parameter_at(*signature, call, index) : nullptr;
    return parameter == nullptr ? std::string_view() : parameter->name;
  }

  const DocumentInputs& inputs_;
  const SourceText& old_;
  const SourceText& new_;
  const bool edited_;
  std::vector<ChangedArgument>& out_;
};

}  // namespace

static std::vector<ChangedArgument> compared(const DocumentInputs& inputs, const Actor& actor, bool edited) {
  std::vector<ChangedArgument> out;
  if (inputs.before == nullptr || actor.steps.before_source == nullptr || actor.steps.after_source == nullptr)
    return out;
  Comparison comparison(inputs, actor, edited, out);
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
    const std::vector<const Call*> old_calls = calls_within(actor.steps.before[step.partner]);
    const std::vector<const Call*> new_calls = calls_within(step);
    const auto callee = [](const SourceText& source, const Call& call) { return source.slice(call.callee->span); };
    for (const Call* call : new_calls) {
      const std::string_view name = callee(*actor.steps.after_source, *call);
      const auto is_new = [&](const Call* one) { return callee(*actor.steps.after_source, *one) == name; };
      const auto is_old = [&](const Call* one) { return callee(*actor.steps.before_source, *one) == name; };
      if (std::count_if(old_calls.begin(), old_calls.end(), is_old) != 1 ||
          std::count_if(new_calls.begin(), new_calls.end(), is_new) != 1)
        continue;
      comparison.compare(**std::find_if(old_calls.begin(), old_calls.end(), is_old), *call);
    }
  }
  return out;
}

std::vector<ChangedArgument> changed_arguments(const DocumentInputs& inputs, const Actor& actor) {
  return compared(inputs, actor, false);
}

std::vector<ChangedArgument> edited_arguments(const DocumentInputs& inputs, const Actor& actor) {
  return compared(inputs, actor, true);
}

}  // namespace lockstep::report
