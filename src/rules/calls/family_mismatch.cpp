// Left out: calls on `self`, `super()`, classes and modules; calls under a condition that asks what the object is
// (isinstance, hasattr); families whose other members no code outside of tests names; bases that are only promised.
#include "rules/calls/family_mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/promises.h"
#include "rules/calls/receivers.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/guards.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::CallSite;
using program::CallTarget;
using program::ClassId;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "signature-mismatch";
constexpr std::string_view kTypeChecks[] = {"isinstance", "issubclass", "hasattr", "type", "signature"};

bool is_of_test(const Program& program, FunctionId function) {
  return program::is_test_path(program.module_of(function).path);
}

/// A method that the change gives a parameter.
struct Widened {
  FunctionId method;
  std::string_view parameter;
};

class FamilySearch {
 public:
  FamilySearch(const RuleContext& context, const ChangedModules& changed)
      : context_(context), changed_(changed), program_(context.program), signatures_(context.program) {}

  std::vector<Finding> run() {
    const std::multimap<std::string_view, Widened> widened = widened_methods();
    if (widened.empty()) return {};
    for (const CallSite& site : program_.calls()) {
      const auto* call = as<Call>(site.node);
      const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (method == nullptr || call->keywords.empty()) continue;
      const auto [first, last] = widened.equal_range(method->name.text);
      if (first == last || !is_subject(site, *call)) continue;
      for (auto each = first; each != last; ++each) {
        const auto passes = [&](const Keyword* keyword) { return keyword->name.text == each->second.parameter; };
        if (!std::any_of(call->keywords.begin(), call->keywords.end(), passes)) continue;
        if (may_be_of_family(site, each->second) && passed_none_before(site, *method, each->second.parameter))
          check_family(site, *call, each->second);
      }
    }
    return std::move(findings_);
  }

 private:
  /// By name: methods of classes, outside of tests, with a parameter that they did not have before.
  [[nodiscard]] std::multimap<std::string_view, Widened> widened_methods() const {
    std::multimap<std::string_view, Widened> found;
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const FunctionId id(i);
      const program::Function& row = program_.functions()[id];
      if (!row.owner.valid() || row.def() == nullptr || !changed_.contains(row.module) || is_of_test(program_, id))
        continue;
      const FunctionId same = context_.before->find_function(row.qualified_name);
      const FunctionDef* old = same.valid() ? context_.before->functions()[same].def() : nullptr;
      if (old == nullptr) continue;
      for (const Parameter* parameter : row.def()->parameters->all) {
        if (parameter_named(old, parameter->name.text) == nullptr && parameter->default_value != nullptr)
          found.emplace(row.name, Widened{id, parameter->name.text});
      }
    }
    return found;
  }

  /// A call that the change writes, outside of tests, on an object whose class the code may not show, and not under a
  /// condition that asks for it.
  [[nodiscard]] bool is_subject(const CallSite& site, const Call& call) const {
    if (is_of_test(program_, site.caller)) return false;
    const program::Module& module = program_.module_of(site.caller);
    const SourceText& source = module.facts->source();
    const std::uint32_t first = source.line_of(call.span.begin), last = source.line_of(call.span.end);
    bool is_touched = false;
    for (std::uint32_t line = first; line <= last; ++line)
      is_touched = is_touched || context_.change->touches_after(module.path, line);
    if (!is_touched || receiver_of(program_, site, call) == ReceiverKind::kSure) return false;
    for (const Guard& guard : guards_of(*program_.functions()[site.caller].node, call.span)) {
      if (guard.condition == nullptr) continue;
      if (std::any_of(std::begin(kTypeChecks), std::end(kTypeChecks),
                      [&](std::string_view check) { return calls_name(*guard.condition, check); }))
        return false;
    }
    return true;
  }

  /// The targets that are more than a guess by the name do not leave the family's other members out.
  [[nodiscard]] bool may_be_of_family(const CallSite& site, const Widened& widened) const {
    const bool is_guess = std::all_of(site.targets.begin(), site.targets.end(), [](const CallTarget& target) {
      return target.certainty == program::Certainty::kByName || !target.function.valid();
    });
    if (is_guess) return true;
    const ClassId own = program_.functions()[widened.method].owner;
    return std::any_of(site.targets.begin(), site.targets.end(), [&](const CallTarget& target) {
      if (!target.function.valid() || target.function == widened.method) return false;
      const program::Function& row = program_.functions()[target.function];
      return row.owner.valid() && row.name == program_.functions()[widened.method].name && row.owner != own;
    });
  }

  /// The caller called the method before the change, and never with this keyword.
  [[nodiscard]] bool passed_none_before(const CallSite& site, const Attribute& method, std::string_view keyword) const {
    const FunctionId same = context_.before->find_function(program_.functions()[site.caller].qualified_name);
    if (!same.valid()) return false;
    std::size_t calls = 0, passing = 0;
    walk_of<Call>(*context_.before->functions()[same].node, Nested::kEnter, [&](const Call* each) {
      const auto* attribute = as<Attribute>(each->callee);
      if (attribute == nullptr || attribute->name.text != method.name.text) return;
      ++calls;
      for (const Keyword* given : each->keywords) passing += given->name.text == keyword ? 1 : 0;
    });
    return calls > 0 && passing == 0;
  }

  void check_family(const CallSite& site, const Call& call, const Widened& widened) {
    const program::Function& row = program_.functions()[widened.method];
    const program::Function& caller = program_.functions()[site.caller];
    for (const ClassId above : program_.classes()[row.owner].linearized) {
      if (above == row.owner) continue;
      const FunctionId base = method_in(above, row.name);
      if (!base.valid()) continue;
      // A member hands on what it is asked to do to what it holds, which is not of its own kind.
      if (caller.name == row.name && caller.owner.valid() &&
          program_.derives_from(caller.owner, program_.classes()[above].qualified_name))
        return;
      // Who comes with the base's own, what overrides it, and what an object of the class has in its place.
      std::vector<std::pair<FunctionId, ClassId>> members;
      for (const ClassId below : program::with_descendants(program_, above)) {
        if (below == above || program::is_test_path(program_.module_of(below).path)) continue;
        for (const FunctionId own : methods_of(below, row.name)) {
          if (own != widened.method) members.emplace_back(own, below);
        }
      }
      for (const auto& [method, cls] : members) {
        if (told_.contains(method) || !rejects(site, call, method, widened.parameter) || !is_used(cls)) continue;
        told_.insert(method);
        report(site, call, widened, method, cls);
      }
      return;
    }
  }

  /// What runs as the method on an object of the class: its own or an inherited one, or, where the class sets it to
  /// that of an object that it holds (`self.m = self.inner.m`), those of the classes that this one may have.
  [[nodiscard]] std::vector<FunctionId> methods_of(ClassId cls, std::string_view name) const {
    const program::Field* field = program_.find_field(cls, name);
    if (field == nullptr) return {program_.find_method(cls, name)};
    const auto* assign = as<Assign>(field->node);
    const auto* held = assign == nullptr ? nullptr : as<Attribute>(assign->value);
    if (held == nullptr || !field->assigned_in.valid()) return {};
    std::vector<FunctionId> methods;
    for (const ClassId inner : program_.instance_classes(field->assigned_in, *held->value))
      methods.push_back(program_.find_method(inner, held->name.text));
    return methods;
  }

  /// The method that the class itself defines.
  [[nodiscard]] FunctionId method_in(ClassId cls, std::string_view name) const {
    const FunctionId found = program_.find_method(cls, name);
    return found.valid() && program_.functions()[found].owner == cls ? found : FunctionId{};
  }

  [[nodiscard]] bool rejects(const CallSite& site, const Call& call, FunctionId method,
                             std::string_view keyword) const {
    if (!method.valid()) return false;
    const program::Function& row = program_.functions()[method];
    if (row.def() == nullptr || is_of_test(program_, method) || is_abstract(*row.def())) return false;
    if (!signatures_.is_transparent(method) || !signatures_.is_sole_definition(method)) return false;
    CallTarget target;
    target.function = method;
    target.kind = program::CallKind::kDirect;
    const auto signature = signatures_.of_target(site, target);
    const auto mismatch = signature ? bind_arguments(*signature, call) : std::nullopt;
    return mismatch && mismatch->kind == Mismatch::Kind::kUnknownKeyword && mismatch->names.size() == 1 &&
           mismatch->names.front() == keyword;
  }

  /// Code outside of tests and of the class's own file names it: something may make one.
  [[nodiscard]] bool is_used(ClassId cls) const {
    const program::Class& row = program_.classes()[cls];
    return std::any_of(program_.modules().begin(), program_.modules().end(), [&](const program::Module& module) {
      if (&module == &program_.module_of(cls) || program::is_test_path(module.path)) return false;
      if (module.path.ends_with("__init__.py")) return false;
      return find_name(module.facts->source().bytes(), row.name) != std::string_view::npos;
    });
  }

  void report(const CallSite& site, const Call& call, const Widened& widened, FunctionId method, ClassId cls) {
    const program::Function& row = program_.functions()[method];
    const python::FileFacts& facts = *program_.module_of(site.caller).facts;
    Finding finding = finding_at(program_, kRule, row.module, row.def()->name.span);
    finding.severity = Severity::kP1;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kCorrectness;
    finding.message = fmt::format("`{}` does not take `{}`, which `{}` passes now", short_name(program_, method),
                                  widened.parameter, short_name(program_, site.caller));
    const program::Function& wide = program_.functions()[widened.method];
    const program::Class& kind = program_.classes()[cls];
    const program::Field* field = program_.find_field(cls, wide.name);
    const std::string origin = field != nullptr   ? std::string(", which has it from an object that it holds")
                               : cls != row.owner ? std::string(", which inherits it")
                                                  : std::string();
    finding.why = fmt::format(
        "The change gives `{}` to `{}` and not to `{}`. Where the object is a `{}`{}, the call raises TypeError.",
        widened.parameter, short_name(program_, widened.method), short_name(program_, method), kind.name, origin);
    finding.fix =
        fmt::format("Give `{}` the parameter, too, or pass it only to what takes it.", short_name(program_, method));
    finding.evidence.push_back(
        evidence_at(program_, program_.functions()[site.caller].module, call.span,
                    fmt::format("`{}` is called on an object whose class does not show", quote(facts, call.span))));
    finding.evidence.push_back(evidence_at(program_, wide.module, wide.def()->name.span,
                                           fmt::format("`{}` takes it", short_name(program_, widened.method))));
    if (field != nullptr) {
      const python::FileFacts& holder = *program_.module_of(cls).facts;
      finding.evidence.push_back(
          evidence_at(program_, kind.module, field->node->span, fmt::format("`{}`", quote(holder, field->node->span))));
    } else if (cls != row.owner) {
      finding.evidence.push_back(
          evidence_at(program_, kind.module, kind.node->name.span, fmt::format("`{}` has none of its own", kind.name)));
    }
    findings_.push_back(std::move(finding));
  }

  const RuleContext& context_;
  const ChangedModules& changed_;
  const Program& program_;
  const Signatures signatures_;
  std::set<FunctionId> told_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> find_family_misfits(const RuleContext& context, const ChangedModules& changed) {
  return FamilySearch(context, changed).run();
}

}  // namespace lockstep::rules
