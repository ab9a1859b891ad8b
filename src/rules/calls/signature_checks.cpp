#include "rules/calls/signature_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/misplaced_argument.h"
#include "rules/calls/promises.h"
#include "rules/calls/receivers.h"
#include "rules/calls/signatures.h"
#include "rules/names/replaced_names.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::CallId;
using program::CallKind;
using program::CallSite;
using program::CallTarget;
using program::Certainty;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using program::Reference;

constexpr std::string_view kRule = "signature-mismatch";

/// Targets that take the arguments of the call itself: not hooks, callbacks, __post_init__, or a backward.
bool takes_arguments(const Program& program, const CallTarget& target) {
  if (target.kind == CallKind::kCallback || target.kind == CallKind::kImplicit) return false;
  if (!target.function.valid()) return true;
  const std::string_view name = program.functions()[target.function].name;
  if (target.kind == CallKind::kAutograd) return name == "forward";
  return target.kind != CallKind::kConstructor || name != "__post_init__";
}

/// A class of `enum`, or one of another package that is called as those are ("aenum.IntFlag").
bool is_enumeration(std::string_view dotted) {
  const std::string_view last = dotted.substr(dotted.rfind('.') + 1);
  return dotted.starts_with("enum.") || last.ends_with("Enum") || last.ends_with("Flag");
}

class Checker {
 public:
  /// `before`: the program that the change started from, where tests' calls are held to it too; or null.
  explicit Checker(const Program& program, const Program* before = nullptr)
      : program_(program), signatures_(program), before_(before), replaced_(program) {}

  /// Keys of hits at calls of tests that did not fit before the change either.
  [[nodiscard]] const std::unordered_set<std::string>& misfits_before() const { return misfits_before_; }

  void check_call(const CallSite& site, std::vector<Hit>& hits) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr) return;
    std::vector<const CallTarget*> targets;
    for (const CallTarget& target : site.targets) {
      if (takes_arguments(program_, target)) targets.push_back(&target);
    }
    if (targets.empty()) return check_dataclass(site, *call, hits);
    std::vector<Signature> accepted;
    std::optional<Mismatch> first;
    std::size_t rejected = 0;
    for (const CallTarget* target : targets) {
      auto signature = signatures_.of_target(site, *target);
      if (!signature || target->certainty == Certainty::kByName) return;
      const auto mismatch = bind_arguments(*signature, *call);
      if (mismatch && (!has_shown_signature(*target) || an_override_accepts(site, *call, *target))) return;
      if (mismatch && may_be_partial(site, *call, *target)) return;
      if (mismatch && !first) first = mismatch;
      rejected += mismatch ? 1 : 0;
      accepted.push_back(std::move(*signature));
    }
    if (rejected == 0 && targets.size() == 1) check_positions(site, *call, *targets[0], accepted[0], hits);
    if (rejected == 0 || rejected != targets.size() || !is_shown(site, *call, *targets[0])) return;
    const bool any_replaced = std::any_of(targets.begin(), targets.end(), [&](const CallTarget* target) {
      return replaced_.has(program_.functions()[target->function].name);
    });
    if (any_replaced) return;
    const std::size_t told = hits.size();
    report_call(site, *call, *targets[0], targets.size(), *first, hits);
    if (hits.size() > told) told_calls_.emplace(call, told);
    note_before(site, hits, [&] {
      const auto known = signature_before(targets[0]->function, accepted[0]);
      return known && bind_arguments(*known, *call);
    });
  }

  /// `a, b = f()` where f returns three.
  void check_unpacking(FunctionId function, std::vector<Hit>& hits) {
    const program::Function& row = program_.functions()[function];
    walk_of<Assign>(*row.node, Nested::kSkip, [&](const Assign* assign) {
      const auto* tuple = assign->targets.size() == 1 ? as<Tuple>(assign->targets[0]) : nullptr;
      if (tuple == nullptr || !is<Call>(assign->value)) return;
      const bool starred =
          std::any_of(tuple->elements.begin(), tuple->elements.end(), [](auto e) { return is<Starred>(e); });
      const CallId id = program_.call_of(assign->value);
      if (!starred && id.valid()) check_returned(program_.calls()[id], *tuple, hits);
    });
  }

  /// Overrides of `base` that reject a call which may reach them through it.
  void check_overrides(FunctionId base, std::vector<Hit>& hits) {
    const ClassId owner = program_.functions()[base].owner;
    if (program_.subclasses_of(owner).empty() || program_.callers_of(base).empty()) return;
    const auto overrides = program_.overrides_of(base);
    if (overrides.empty()) return;
    for (const CallId id : program_.callers_of(base)) {
      const CallSite& site = program_.calls()[id];
      const auto* call = as<Call>(site.node);
      if (call == nullptr || site.targets.size() < 2) continue;
      const CallTarget* through = target_of(site, base);
      if (through == nullptr || through->kind == CallKind::kCallback || through->kind == CallKind::kImplicit) continue;
      const auto own = signatures_.of_target(site, *through);
      if (!own || bind_arguments(*own, *call)) continue;
      for (const FunctionId override : overrides) {
        const CallTarget* direct = target_of(site, override);
        if (direct == nullptr || told_overrides_.contains(override)) continue;
        if (is_out_of_reach(site, *call, override)) continue;
        const auto signature = signatures_.of_target(site, *direct);
        if (!signature) continue;
        if (const auto mismatch = bind_arguments(*signature, *call); mismatch && is_certain(*direct)) {
          told_overrides_.insert(override);
          report_override(site, *call, base, override, *mismatch, hits);
        }
      }
    }
  }

 private:
  /// The call does not run for objects of the override's class: that class has a method of its own in place of the
  /// caller, or the caller is a test's or the override a test's own.
  [[nodiscard]] bool is_out_of_reach(const CallSite& site, const Call& call, FunctionId override) const {
    const program::Function& caller = program_.functions()[site.caller];
    const program::Function& row = program_.functions()[override];
    if (program::is_test_path(program_.modules()[row.module].path)) return true;
    if (program::is_test_path(program_.modules()[caller.module].path)) return true;
    const auto* attribute = as<Attribute>(call.callee);
    const auto* self = attribute == nullptr ? nullptr : as<Name>(attribute->value);
    // `self.m(…)`; what `self.layer(…)` enters is of another object.
    if (self != nullptr && self->id == "self" && caller.owner.valid() && attribute->name.text == row.name) {
      const FunctionId own = program_.find_method(row.owner, caller.name);
      return own.valid() && own != site.caller && !calls_super(own);
    }
    // A caller whose own overrides call the override as it is meant: the two hierarchies belong together.
    const auto callers = program_.callers_of(override);
    return std::any_of(callers.begin(), callers.end(), [&](const CallId id) {
      const program::Function& other = program_.functions()[program_.calls()[id].caller];
      return &other != &caller && other.owner.valid() && other.name == caller.name && caller.owner.valid() &&
             are_of_one_hierarchy(other.owner, caller.owner, caller.name);
    });
  }

  /// Whether one class derives from the other, or both from one that has a method of that name itself: every module has
  /// a `forward`, and most have nothing to do with each other.
  [[nodiscard]] bool are_of_one_hierarchy(ClassId one, ClassId other, std::string_view method) const {
    const auto& above = program_.classes()[other].linearized;
    return std::any_of(program_.classes()[one].linearized.begin(), program_.classes()[one].linearized.end(),
                       [&](const ClassId cls) {
                         if (std::find(above.begin(), above.end(), cls) == above.end()) return false;
                         const FunctionId own = program_.find_method(cls, method);
                         return cls == one || cls == other || (own.valid() && program_.functions()[own].owner == cls);
                       });
  }

  /// `super().same_name(…)` somewhere in the method.
  [[nodiscard]] bool calls_super(FunctionId method) const {
    const program::Function& row = program_.functions()[method];
    bool found = false;
    walk_of<Call>(*row.node, Nested::kSkip, [&](const Call* call) {
      found = found || (is_method_of_super(call->callee) && as<Attribute>(call->callee)->name.text == row.name);
    });
    return found;
  }

  /// True if the target is what runs, with the signature that its source shows.
  [[nodiscard]] bool is_certain(const CallTarget& target) const {
    return has_shown_signature(target) && !replaced_.has(program_.functions()[target.function].name);
  }

  /// As is_certain, where nothing replaces the function from outside.
  [[nodiscard]] bool has_shown_signature(const CallTarget& target) const {
    if (signatures_.has_decorator(target.function, "overload")) return false;
    if (!program_.module_of(target.function).facts->file->problems.empty()) return false;
    if (target.kind == CallKind::kConstructor && !has_plain_construction(target.function)) return false;
    return signatures_.is_transparent(target.function) && signatures_.is_sole_definition(target.function);
  }

  /// The source shows that the call reaches the target: no other library's object, no module of another script, no
  /// method that something wraps by its name.
  [[nodiscard]] bool is_shown(const CallSite& site, const Call& call, const CallTarget& target) const {
    const program::Module& module = program_.module_of(site.caller);
    if (receiver_of(program_, site, call) == ReceiverKind::kUnknown) return false;
    const ModuleId from = program_.functions()[site.caller].module;
    if (!may_import(program_, from, program_.functions()[target.function].module)) return false;
    const std::string_view name = program_.functions()[target.function].name;
    const std::string_view bytes = module.facts->source().bytes();
    return !is<Attribute>(call.callee) || (bytes.find(fmt::format("\"{}\"", name)) == std::string_view::npos &&
                                           bytes.find(fmt::format("'{}'", name)) == std::string_view::npos);
  }

  /// The callee is a value that came from elsewhere, and somewhere `partial(target, …)` supplies some of its arguments.
  [[nodiscard]] bool may_be_partial(const CallSite& site, const Call& call, const CallTarget& target) const {
    const Reference named = program_.resolve(site.caller, *call.callee);
    if (named.kind == Reference::Kind::kClass || named.kind == Reference::Kind::kFunction) return false;
    if (!partials_) {
      partials_.emplace();
      for (const program::Module& module : program_.modules()) {
        if (module.facts->source().bytes().find("partial(") == std::string_view::npos) continue;
        walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* each) {
          if (last_part_of(each->callee) == "partial" && !each->arguments.empty())
            partials_->insert(last_part_of(each->arguments[0]));
        });
      }
    }
    const program::Function& row = program_.functions()[target.function];
    const bool constructs = target.kind == CallKind::kConstructor && row.owner.valid();
    return partials_->contains(constructs ? program_.classes()[row.owner].name : row.name);
  }

  /// The object may be of a class below, whose own definition takes the call; or the method is there to be overridden.
  [[nodiscard]] bool an_override_accepts(const CallSite& site, const Call& call, const CallTarget& target) const {
    if (target.kind != CallKind::kDirect && target.kind != CallKind::kModuleCall) return false;
    const program::Function& row = program_.functions()[target.function];
    if (!row.owner.valid() || row.def() == nullptr) return false;
    const Reference base =
        is<Attribute>(call.callee) ? program_.resolve(site.caller, *as<Attribute>(call.callee)->value) : Reference{};
    if (base.kind == Reference::Kind::kClass) return false;
    if (is_abstract(*row.def()) && program_.overrides_of(target.function).empty()) return true;
    for (const FunctionId override : program_.overrides_of(target.function)) {
      CallTarget below = target;
      below.function = override;
      const auto signature = signatures_.of_target(site, below);
      if (!signature || !bind_arguments(*signature, call)) return true;
    }
    return false;
  }

  /// No metaclass, `__new__` or base that is made on the spot takes the arguments before `__init__`. A call of an Enum
  /// looks a member up by its value; `__init__` runs with what the class body gives it.
  [[nodiscard]] bool has_plain_construction(FunctionId init) const {
    const ClassId cls = program_.functions()[init].owner;
    if (!cls.valid()) return false;
    const program::Class& row = program_.classes()[cls];
    const auto& ancestors = row.external_ancestors;
    if (std::any_of(ancestors.begin(), ancestors.end(), is_enumeration)) return false;
    for (const ClassId each : row.linearized) {
      const ClassDef& node = *program_.classes()[each].node;
      const auto is_made = [](const Expr* base) { return is<Call>(base); };
      if (!node.keywords.empty() || std::any_of(node.bases.begin(), node.bases.end(), is_made)) return false;
    }
    return !program_.find_method(cls, "__new__").valid();
  }

  static const CallTarget* target_of(const CallSite& site, FunctionId function) {
    const auto found = std::find_if(site.targets.begin(), site.targets.end(),
                                    [&](const CallTarget& target) { return target.function == function; });
    return found == site.targets.end() ? nullptr : &*found;
  }

  /// `with pytest.raises(TypeError):` around the call.
  [[nodiscard]] bool expects_failure(const CallSite& site) const {
    const auto [known, is_new] = failing_blocks_.try_emplace(site.caller);
    if (is_new) {
      walk_of<With>(*program_.functions()[site.caller].node, Nested::kEnter, [&](const With* with) {
        const bool expects = std::any_of(with->items.begin(), with->items.end(), [](const WithItem* item) {
          const std::string_view name = last_part_of(item->context);
          return name == "raises" || name.starts_with("assertRaises");
        });
        if (expects) known->second.push_back(with->span);
      });
    }
    const std::vector<Span>& blocks = known->second;
    return std::any_of(blocks.begin(), blocks.end(), [&](Span block) { return block.contains(site.node->span); });
  }

  [[nodiscard]] Finding start(const CallSite& site, Span span, bool exact) const {
    Finding finding = finding_at(program_, kRule, program_.functions()[site.caller].module, span);
    const bool is_test = program::is_test_path(finding.path);
    finding.severity = exact && !is_test ? Severity::kP0 : Severity::kP1;
    finding.certainty = exact ? FindingCertainty::kProven : FindingCertainty::kLikely;
    finding.category = Category::kCorrectness;
    return finding;
  }

  [[nodiscard]] Evidence definition_of(FunctionId function) const {
    const program::Function& row = program_.functions()[function];
    const FunctionDef* def = row.def();
    const Span span = def != nullptr ? def->name.span : row.node->span;
    return evidence_at(program_, row.module, span, fmt::format("`{}` is defined here", short_name(program_, function)));
  }

  [[nodiscard]] const FileFacts& facts_of(const CallSite& site) const { return *program_.module_of(site.caller).facts; }

  static std::string advice(const Mismatch& mismatch) {
    switch (mismatch.kind) {
      case Mismatch::Kind::kMissing:
        return "Pass what is missing.";
      case Mismatch::Kind::kTooMany:
        return "Drop the extra arguments, or pass them by name to what takes them.";
      case Mismatch::Kind::kUnknownKeyword:
        return "Drop or rename the keyword, or add the parameter to what is called.";
      case Mismatch::Kind::kDuplicate:
        return "Pass it once: by position or by name.";
      default:
        return "Pass it by position.";
    }
  }

  void report_call(const CallSite& site, const Call& call, const CallTarget& target, std::size_t targets,
                   const Mismatch& mismatch, std::vector<Hit>& hits) const {
    if (expects_failure(site)) return;
    const std::string name = short_name(program_, target.function);
    const bool sure = receiver_of(program_, site, call) == ReceiverKind::kSure;
    Finding finding = start(site, call.span, sure && targets == 1 && target.certainty == Certainty::kExact);
    finding.end_line = finding.start_line;
    finding.message = fmt::format("This call does not fit `{}`: {}", name, describe(mismatch));
    finding.why = "The call raises TypeError whenever it runs.";
    if (targets > 1) finding.why += fmt::format(" None of the {} functions it may reach accepts it.", targets);
    finding.fix = advice(mismatch);
    finding.evidence.push_back(definition_of(target.function));
    add_fitting_call(target.function, finding);
    hits.push_back(
        {fmt::format("call {} {} {}", name, describe(mismatch), node_key(facts_of(site), call)), std::move(finding)});
  }

  /// A call that does fit shows how it is meant.
  void add_fitting_call(FunctionId function, Finding& finding) const {
    const auto [known, is_new] = fitting_calls_.try_emplace(function);
    if (is_new) known->second = fitting_call(function);
    if (!known->second.valid()) return;
    const CallSite& site = program_.calls()[known->second];
    finding.evidence.push_back(evidence_at(program_, program_.functions()[site.caller].module, site.node->span,
                                           fmt::format("`{}` fits", quote(facts_of(site), site.node->span))));
  }

  /// The first call that surely reaches the function and fits it; none where no call does.
  [[nodiscard]] CallId fitting_call(FunctionId function) const {
    for (const CallId id : program_.callers_of(function)) {
      const CallSite& site = program_.calls()[id];
      const auto* call = as<Call>(site.node);
      const CallTarget* target = call == nullptr ? nullptr : target_of(site, function);
      if (target == nullptr || target->certainty != Certainty::kExact || !takes_arguments(program_, *target)) continue;
      const auto signature = signatures_.of_target(site, *target);
      if (signature && !bind_arguments(*signature, *call)) return id;
    }
    return {};
  }

  void check_dataclass(const CallSite& site, const Call& call, std::vector<Hit>& hits) {
    if (!is<Name>(call.callee) && !is<Attribute>(call.callee)) return;
    const Reference reference = program_.resolve(site.caller, *call.callee);
    if (reference.kind != Reference::Kind::kClass) return;
    const program::Class& cls = program_.classes()[reference.cls];
    if (!cls.is_dataclass || program_.find_method(reference.cls, "__init__").valid()) return;
    if (!may_import(program_, program_.functions()[site.caller].module, cls.module)) return;
    if (!program_.module_of(reference.cls).facts->file->problems.empty()) return;
    const auto [known, is_new] = dataclasses_.try_emplace(reference.cls);
    if (is_new) known->second = signatures_.of_dataclass(reference.cls);
    const std::optional<Signature>& signature = known->second;
    const auto mismatch = signature ? bind_arguments(*signature, call) : std::nullopt;
    if (!mismatch || expects_failure(site)) return;
    Finding finding = start(site, call.span, true);
    finding.end_line = finding.start_line;
    finding.message =
        fmt::format("This call does not fit the fields of dataclass `{}`: {}", cls.name, describe(*mismatch));
    finding.why = "The call raises TypeError whenever it runs.";
    finding.fix = advice(*mismatch);
    finding.evidence.push_back(
        evidence_at(program_, cls.module, cls.node->name.span, fmt::format("`{}` is defined here", cls.name)));
    const std::string key = fmt::format("call {} {} {}", cls.name, describe(*mismatch), node_key(facts_of(site), call));
    hits.push_back({key, std::move(finding)});
    note_before(site, hits, [&] {
      const ClassId same = before_->find_class(cls.qualified_name);
      const auto known_before = same.valid() ? Signatures(*before_).of_dataclass(same) : std::nullopt;
      return known_before && bind_arguments(*known_before, call);
    });
  }

  /// A positional argument that has the name of another parameter, which gets nothing else.
  void check_positions(const CallSite& site, const Call& call, const CallTarget& target, const Signature& signature,
                       std::vector<Hit>& hits) const {
    if (target.certainty != Certainty::kExact || site.caller == target.function)
      return;                                                             // Recursion may swap on purpose.
    if (program_.functions()[target.function].name == "__new__") return;  // Its class is passed by hand.
    const auto misplaced = misplaced_argument(signature, call);
    if (!misplaced || !is_certain(target)) return;
    report_position(site, call, target, signature, *misplaced, hits);
    note_before(site, hits, [&] {
      const auto known = signature_before(target.function, signature);
      const auto before = known ? misplaced_argument(*known, call) : std::nullopt;
      return before && before->argument == misplaced->argument;
    });
  }

  /// Notes the key of the last hit where it stands at a call of a test and `was_so` says that the call did not fit what
  /// it calls before the change either: what tests called then, the call graph of the before side does not hold.
  template <class WasSo>
  void note_before(const CallSite& site, const std::vector<Hit>& hits, WasSo&& was_so) const {
    if (before_ == nullptr || hits.empty() || !program::is_test_path(program_.module_of(site.caller).path)) return;
    if (was_so()) misfits_before_.insert(hits.back().key);
  }

  /// The parameters of the function before the change, without as many first ones as `now` leaves out.
  [[nodiscard]] std::optional<Signature> signature_before(FunctionId function, const Signature& now) const {
    const FunctionId same = before_->find_function(program_.functions()[function].qualified_name);
    const auto all = signatures_.of_function(function, 0);
    if (!same.valid() || !all) return std::nullopt;
    return Signatures(*before_).of_function(same, all->parameters.size() - now.parameters.size());
  }

  void report_position(const CallSite& site, const Call& call, const CallTarget& target, const Signature& signature,
                       const Misplaced& misplaced, std::vector<Hit>& hits) const {
    const Name& argument = *misplaced.argument;
    const AcceptedParameter& taken_by = *misplaced.taken_by;
    const std::string name = short_name(program_, target.function);
    Finding finding = start(site, call.span, false);
    finding.end_line = finding.start_line;
    finding.message = fmt::format("`{}` is passed in the place of parameter `{}` of `{}`, which has a parameter `{}`",
                                  argument.id, taken_by.name, name, argument.id);
    finding.why = "The call is accepted, with the value in the wrong parameter.";
    finding.fix = advice_for(misplaced, signature, call);
    finding.evidence.push_back(definition_of(target.function));
    hits.push_back(
        {fmt::format("position {} {} {}", name, argument.id, node_key(facts_of(site), call)), std::move(finding)});
  }

  void check_returned(const CallSite& site, const Tuple& names, std::vector<Hit>& hits) const {
    const CallTarget* wrong = nullptr;
    std::size_t returned = 0;
    for (const CallTarget& target : site.targets) {
      if (target.kind == CallKind::kCallback || target.kind == CallKind::kImplicit) continue;
      if (target.kind == CallKind::kAutograd && program_.functions()[target.function].name != "forward") continue;
      if (!target.function.valid() || target.certainty == Certainty::kByName || target.kind == CallKind::kConstructor)
        return;
      const auto length = signatures_.returned_tuple(target.function);
      if (!length || *length == names.elements.size() || !is_certain(target)) return;
      if (signatures_.has_decorator(target.function, "contextmanager")) return;
      wrong = &target;
      returned = *length;
    }
    const auto* call = as<Call>(site.node);
    if (wrong == nullptr || call == nullptr || expects_failure(site) || !is_shown(site, *call, *wrong)) return;
    const bool sure =
        wrong->certainty == Certainty::kExact && receiver_of(program_, site, *call) == ReceiverKind::kSure;
    const std::string name = short_name(program_, wrong->function);
    // A call that fails gives nothing to unpack: the two are one problem, to be mended together.
    if (const auto told = told_calls_.find(call); told != told_calls_.end()) {
      Finding& failing = hits[told->second].finding;
      failing.why += fmt::format(" Once it is accepted, it gives {} values, which are unpacked into {}.", returned,
                                 names.elements.size());
      failing.fix += fmt::format(" Unpack {} values.", returned);
      return;
    }
    Finding finding = start(site, {names.span.begin, site.node->span.end}, sure);
    finding.end_line = finding.start_line;
    finding.message =
        fmt::format("`{}` returns {} values, which are unpacked into {}", name, returned, names.elements.size());
    finding.why = "The assignment raises ValueError whenever it runs.";
    finding.fix = fmt::format("Unpack {} values.", returned);
    finding.evidence.push_back(definition_of(wrong->function));
    hits.push_back(
        {fmt::format("unpack {} {} {}", name, returned, squeezed(facts_of(site), names.span)), std::move(finding)});
    note_before(site, hits, [&] {
      const FunctionId same = before_->find_function(program_.functions()[wrong->function].qualified_name);
      const auto length = same.valid() ? Signatures(*before_).returned_tuple(same) : std::nullopt;
      return length && *length != names.elements.size();
    });
  }

  void report_override(const CallSite& site, const Call& call, FunctionId base, FunctionId override,
                       const Mismatch& mismatch, std::vector<Hit>& hits) const {
    if (expects_failure(site)) return;
    const program::Function& row = program_.functions()[override];
    Finding finding = finding_at(program_, kRule, row.module, row.def()->name.span);
    finding.severity = Severity::kP1;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kCorrectness;
    finding.message =
        fmt::format("`{}` does not accept the call that `{}` makes through `{}`: {}", short_name(program_, override),
                    short_name(program_, site.caller), short_name(program_, base), describe(mismatch));
    finding.why = "The call raises TypeError when the object is of this class.";
    finding.fix = "Give the override the parameters of what it overrides.";
    finding.evidence.push_back(evidence_at(program_, program_.functions()[site.caller].module, call.span,
                                           fmt::format("`{}` may reach it", quote(facts_of(site), call.span))));
    finding.evidence.push_back(definition_of(base));
    const std::string key = fmt::format("override {} {}", row.qualified_name, describe(mismatch));
    hits.push_back({key, std::move(finding)});
  }

  const Program& program_;
  const Signatures signatures_;
  const Program* before_;
  mutable std::unordered_set<std::string> misfits_before_;
  std::unordered_map<const python::Node*, std::size_t> told_calls_;  ///< Calls that fail, by the number of the hit.
  std::set<FunctionId> told_overrides_;                              // An override can have several bases.
  std::unordered_map<ClassId, std::optional<Signature>> dataclasses_;
  ReplacedNames replaced_;
  // Found out when first asked.
  mutable std::optional<std::unordered_set<std::string_view>> partials_;
  mutable std::unordered_map<FunctionId, std::vector<Span>> failing_blocks_;  // Blocks of a caller that expect failure.
  mutable std::unordered_map<FunctionId, CallId> fitting_calls_;
};

/// True if the call, or what it may reach, stands in a module of `changed` (everything, when that is null).
bool concerns(const Program& program, const CallSite& site, const ChangedModules* changed) {
  if (changed == nullptr || changed->contains(program.functions()[site.caller].module)) return true;
  return std::any_of(site.targets.begin(), site.targets.end(), [&](const CallTarget& target) {
    return target.function.valid() && changed->contains(program.functions()[target.function].module);
  });
}

}  // namespace

bool SignatureChecks::wants(const Program& program, const CallSite& site) const {
  return !names || std::any_of(site.targets.begin(), site.targets.end(), [&](const CallTarget& target) {
    return target.function.valid() && names->contains(program.functions()[target.function].name);
  });
}

std::vector<Hit> find_misfits(const Program& program, const ChangedModules* changed, const SignatureChecks& wanted,
                              const RuleContext* review) {
  Checker checker(program, review == nullptr ? nullptr : review->before);
  std::vector<Hit> hits;
  for (const CallSite& site : program.calls()) {
    const bool may_be_dataclass = std::none_of(site.targets.begin(), site.targets.end(), [&](const CallTarget& target) {
      return takes_arguments(program, target);
    });
    if (may_be_dataclass ? !wanted.dataclasses : !(wanted.calls && wanted.wants(program, site))) continue;
    // A call without a target may construct a dataclass, whose fields may stand anywhere.
    if (site.targets.empty() || concerns(program, site, changed)) checker.check_call(site, hits);
  }
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId function(i);
    const program::Function& row = program.functions()[function];
    const auto called_differs = [&](CallId id) {
      const CallSite& site = program.calls()[id];
      return wanted.wants(program, site) && concerns(program, site, changed);
    };
    if (wanted.unpackings && row.kind != program::FunctionKind::kLambda &&
        std::any_of(row.calls.begin(), row.calls.end(), called_differs)) {
      checker.check_unpacking(function, hits);
    }
    if (wanted.overrides && row.owner.valid() && wanted.wants(row.name)) checker.check_overrides(function, hits);
  }
  std::erase_if(hits, [&](const Hit& hit) {
    return checker.misfits_before().contains(hit.key) && program::is_test_path(hit.finding.path) &&
           !is_written(*review, hit.finding);
  });
  return hits;
}

}  // namespace lockstep::rules
