#include "report/documents/correctness/kept_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/given_arguments.h"
#include "report/story/calls/changed_arguments.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallSite;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostPlaces = 3;  ///< What more calls keep is a choice of its own.

/// What the call surely enters: a function of the repository, or one outside by its dotted name.
struct Callee {
  FunctionId function;
  std::string_view external;
};

Callee callee_of(const CallSite& site) {
  if (site.targets.size() != 1 || site.targets.front().certainty != program::Certainty::kExact) return {};
  const program::CallTarget& target = site.targets.front();
  if (target.kind == program::CallKind::kCallback) return {};
  return {target.function, target.external};
}

bool is_bool(const Expr* expression) { return value_of(expression).kind == Value::Kind::kBool; }

/// Whether the text of a value means the same in other functions: constants but `None`, `args.x`, names of the module.
bool means_the_same(const Program& program, FunctionId function, const Expr& value) {
  const Value known = value_of(&value);
  if (known.kind != Value::Kind::kUnknown) return known.kind != Value::Kind::kNone;
  if (!is<Attribute>(&value) && !is<Name>(&value)) return false;
  const std::string_view root = rules::root_name(&value);
  const FunctionDef* def = program.functions()[function].def();
  if (root.empty() || def == nullptr) return false;
  const bool is_local = rules::parameter_named(def, root) != nullptr || rules::binds_name(*def, root);
  return is<Attribute>(&value) ? !is_local || root == "args" || root == "config" : !is_local;
}

/// One argument that changed calls give otherwise.
class KeptArgument {
 public:
  KeptArgument(const DocumentInputs& inputs, const Actor& actor, const ChangedArgument& altered)
      : inputs_(inputs), program_(*inputs.after), actor_(actor), altered_(altered) {
    const program::CallId id = program_.call_of(altered.after);
    if (!id.valid()) return;
    site_ = &program_.calls()[id];
    callee_ = callee_of(*site_);
    if (altered.was != nullptr) was_ = without_layout(*actor.steps.before_source, altered.was->span);
  }

  /// The places beside the change that keep what the call gave; empty where there are none, or where others give what
  /// they like.
  std::vector<std::string> places() {
    if (!is_of_interest()) return {};
    if (callee_.function.valid()) {
      for (const program::CallId id : program_.callers_of(callee_.function)) look(program_.calls()[id]);
    } else {
      for (const CallSite& site : program_.calls()) look(site);
    }
    return others_ > kept_ ? std::vector<std::string>() : places_;
  }

  [[nodiscard]] std::string callee_words() const {
    return code(callee_.function.valid() ? short_name(program_, callee_.function) : std::string(callee_.external));
  }

 private:
  [[nodiscard]] bool is_of_interest() const {
    if (site_ == nullptr || (!callee_.function.valid() && callee_.external.empty()) || altered_.now == nullptr)
      return false;
    if (altered_.was == nullptr) return callee_.function.valid() && was_optional();
    if (!callee_.function.valid()) return is_bool(altered_.was);
    const FunctionId before = inputs_.before->find_function(program_.functions()[site_->caller].qualified_name);
    return before.valid() && means_the_same(*inputs_.before, before, *altered_.was);
  }

  /// Whether the callee took the argument before, and did without it.
  [[nodiscard]] bool was_optional() const {
    const Value now = value_of(altered_.now);
    if (now.kind == Value::Kind::kNone || (now.kind == Value::Kind::kBool && !now.truth)) return false;
    const FunctionId before = inputs_.before->find_function(program_.functions()[callee_.function].qualified_name);
    const FunctionDef* def = before.valid() ? inputs_.before->functions()[before].def() : nullptr;
    const Parameter* parameter = rules::parameter_named(def, altered_.name);
    return parameter != nullptr && parameter->default_value != nullptr;
  }

  /// Whether the call stands where what changes is likely to be meant, too.
  [[nodiscard]] bool is_beside(const CallSite& site) const {
    const program::Function& own = program_.functions()[site_->caller];
    const program::Function& other = program_.functions()[site.caller];
    // What a library is asked to do is asked alike all over the repository.
    if (!callee_.function.valid()) return true;
    return own.module == other.module || (own.def() != nullptr && own.name == other.name) ||
           (own.owner.valid() && other.owner.valid() && program::are_kin(program_, own.owner, other.owner));
  }

  /// Whether the call gives all that the changed one gives, the new argument apart, and nothing else.
  [[nodiscard]] bool is_alike(const Call& call) const {
    const auto names = [&](const Call& of) {
      std::set<std::string_view> out;
      for (const Keyword* keyword : of.keywords) out.insert(keyword->name.text);
      out.erase(altered_.name);
      return out;
    };
    return call.arguments.size() == altered_.before->arguments.size() && names(call) == names(*altered_.after);
  }

  void look(const CallSite& site) {
    const auto* call = as<Call>(site.node);
    const program::Module& module = program_.module_of(site.caller);
    if (call == nullptr || call == altered_.after || program::is_test_path(module.path)) return;
    const Callee callee = callee_of(site);
    if (callee.function != callee_.function || callee.external != callee_.external) return;
    rules::Given given;
    if (callee_.function.valid()) {
      given = given_by(program_, site, callee_.function, altered_.name);
    } else if (const Expr* value = rules::keyword_value(*call, altered_.name)) {
      given = {rules::Given::How::kValue, value};
    }
    if (given.how == rules::Given::How::kUnknown) return;
    const SourceText& source = module.facts->source();
    const bool keeps = altered_.was == nullptr
                           ? given.how == rules::Given::How::kNothing
                           : given.value != nullptr && without_layout(source, given.value->span) == was_;
    const bool is_touched =
        inputs_.change->touches_after(module.path, source.line_of(call->span.begin)) ||
        (given.value != nullptr && inputs_.change->touches_after(module.path, source.line_of(given.value->span.begin)));
    if (is_touched) return;
    if (keeps && altered_.was == nullptr && !is_alike(*call)) return;
    if (!keeps) {
      others_ += given.how == rules::Given::How::kValue ? 1 : 0;
      return;
    }
    ++kept_;
    const bool is_aside =
        program::is_helper_path(module.path) && !program::is_helper_path(program_.module_of(site_->caller).path);
    if (is_aside || !is_beside(site)) return;
    std::string where = fmt::format("{} ({})", code(short_name(program_, site.caller)),
                                    place(module.path, source.line_of(call->span.begin)));
    if (std::find(places_.begin(), places_.end(), where) == places_.end()) places_.push_back(std::move(where));
  }

  const DocumentInputs& inputs_;
  const Program& program_;
  const Actor& actor_;
  const ChangedArgument& altered_;
  const CallSite* site_ = nullptr;
  Callee callee_;
  std::string was_;
  std::size_t kept_ = 0;
  std::size_t others_ = 0;
  std::vector<std::string> places_;
};

std::vector<ChangedArgument> altered_arguments(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<ChangedArgument> out = changed_arguments(inputs, actor);
  for (const ChangedArgument& one : edited_arguments(inputs, actor)) {
    const bool is_known = std::any_of(out.begin(), out.end(), [&](const ChangedArgument& other) {
      return other.after == one.after && other.name == one.name;
    });
    if (!is_known) out.push_back(one);
  }
  return out;
}

}  // namespace

void add_kept_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  std::set<std::string> told;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        program::is_test_path(actor.change->latest().path))
      continue;
    for (const ChangedArgument& altered : altered_arguments(inputs, actor)) {
      if (told.size() == kMostQuestions) return;
      KeptArgument kept(inputs, actor, altered);
      std::vector<std::string> places = kept.places();
      std::erase_if(places, [&](const std::string& where) {
        const std::string at = where.substr(where.find(" ("));
        return std::any_of(risks.begin(), risks.end(), [&](const Risk& risk) { return contains(risk.concern, at); });
      });
      if (places.empty() || places.size() > kMostPlaces) continue;
      if (!told.insert(fmt::format("{}.{}", kept.callee_words(), altered.name)).second) continue;
      const bool is_one = places.size() == 1;
      const std::string name = code(short_name(inputs, *actor.change));
      const std::string now = code(one_line(*actor.steps.after_source, *altered.now, 60));
      std::string concern;
      if (altered.was == nullptr) {
        const std::string given = code(std::string(altered.name));
        concern = fmt::format("{} gives {} {} now{}; {} {} without it.", name, kept.callee_words(), given,
                              now == given ? std::string() : fmt::format(" ({})", now), join_words(places),
                              is_one ? "still calls it" : "still call it");
      } else {
        const std::string was = code(one_line(*actor.steps.before_source, *altered.was, 60));
        concern =
            fmt::format("{} gives {} {} as {} now, formerly {}; {} {} {}.", name, kept.callee_words(), now,
                        code(std::string(altered.name)), was, join_words(places), is_one ? "keeps to" : "keep to", was);
      }
      const std::string asked = is_one ? "Is it meant to differ?" : "Are they meant to differ?";
      risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
    }
  }
}

}  // namespace lockstep::report
