// attribute-not-copied: code that makes one object of another copies the marks of the old one by a list of names
// (`for name in ("allreduce", "shared"): setattr(new, name, getattr(old, name))`), and the change has other such code
// copy one more mark beside one that the list has. A question: the copy may not need it.
//
// Left out: marks that are merely set beside such a mark (state of one object is set so, too), lists that the change
// writes, lists with names that cannot be told, objects of classes that are no kin, marks beside one that a class of
// the repository has as a field, functions that name the new mark anywhere or call what copies it, and those of which a
// caller does, or another function that gets the same objects.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/strings.h"
#include "change/earlier.h"
#include "change/summary.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/logic/copiers.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/word_tables.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "attribute-not-copied";
constexpr std::size_t kFewestCopied = 2;  // attributes of a list
// What every tensor or function has says nothing of the kind of an object.
constexpr auto kOfAll =
    std::to_array<std::string_view>({"data", "device", "dtype", "grad", "name", "requires_grad", "shape"});

bool tells_kind(std::string_view attribute) { return !attribute.starts_with("__") && !has(kOfAll, attribute); }

/// A place of the change from which on a function copies `attribute` beside `beside`.
struct Brought {
  std::string_view attribute, beside;
  FunctionId function;
  std::string from;  ///< "old", as it is written.
  Span span;
};

/// The bare names that a call is given.
std::set<std::string_view> names_given(const Node* node) {
  std::set<std::string_view> names;
  const auto* call = as<Call>(node);
  if (call == nullptr) return names;
  for (const Expr* given : call->arguments) names.insert(name_of(given));
  for (const Keyword* given : call->keywords) names.insert(name_of(given->value));
  names.erase(std::string_view());
  return names;
}

bool share_one(const std::set<std::string_view>& a, const std::set<std::string_view>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::string_view name) { return b.contains(name); });
}

class Finder {
 public:
  Finder(const RuleContext& context, std::vector<Finding>& findings)
      : context_(context),
        program_(context.program),
        before_(*context.before),
        earlier_(*context.change),
        findings_(findings) {}

  void run() {
    std::vector<Brought> brought;
    for (const change::FileSummary& file : context_.change->files) {
      const ModuleId module = program_.find_path(file.file->new_path);
      if (module.valid() && !program::is_test_path(file.file->new_path)) collect(module, brought);
    }
    if (brought.empty()) return;
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      if (program::is_test_path(program_.modules()[ModuleId(i)].path)) continue;
      for (Copier& one : copiers_in(program_, ModuleId(i))) {
        if (one.attributes.size() >= kFewestCopied && !one.may_copy_more && was_there(one))
          lists_.push_back(std::move(one));
      }
    }
    std::set<std::string_view> told;
    for (const Brought& one : brought) {
      if (told.contains(one.attribute)) continue;
      std::vector<const Copier*> without;
      for (const Copier& list : lists_) {
        if (lacks(list, one)) without.push_back(&list);
      }
      if (without.empty()) continue;
      told.insert(one.attribute);
      report(one, without);
    }
  }

 private:
  [[nodiscard]] bool is_changed(ModuleId module, Span span) const {
    const program::Module& row = program_.modules()[module];
    return context_.change->touches_after(row.path, row.facts->source().line_of(span.begin));
  }

  [[nodiscard]] bool is_new_name(std::string_view name) const { return !program::has_name(before_, name); }

  /// The copiers of a function before the change.
  [[nodiscard]] const std::vector<Copier>& copiers_before(FunctionId old) const {
    const auto [known, is_new] = copiers_before_.try_emplace(old);
    if (is_new) known->second = copiers_of(before_, old);
    return known->second;
  }

  /// What the function copied before the change.
  [[nodiscard]] std::set<std::string_view> copied_before(FunctionId function) const {
    std::set<std::string_view> names;
    const FunctionId old = earlier_.of(function);
    if (!old.valid()) return names;
    for (const Copier& one : copiers_before(old)) {
      for (const auto& [name, span] : one.attributes) names.insert(name);
    }
    return names;
  }

  /// Whether the function copies the name since the change alone. Of one that is new: the name is new, too, or it may
  /// have been copied elsewhere.
  [[nodiscard]] bool is_brought(FunctionId function, std::string_view name) const {
    const FunctionId old = earlier_.of(function);
    if (!old.valid()) return is_new_name(name);
    const std::vector<Copier>& copiers = copiers_before(old);
    return !names_mark(before_, old, name) &&
           std::none_of(copiers.begin(), copiers.end(), [](const Copier& one) { return one.may_copy_more; });
  }

  /// Whether the list stood there before the change.
  [[nodiscard]] bool was_there(const Copier& list) const {
    const std::set<std::string_view> old = copied_before(list.function);
    return std::count_if(list.attributes.begin(), list.attributes.end(), [&](const auto& one) {
             return old.contains(one.first);
           }) >= static_cast<std::ptrdiff_t>(kFewestCopied);
  }

  void collect(ModuleId module, std::vector<Brought>& brought) const {
    for (const Copier& one : copiers_in(program_, module)) {
      for (const auto& [name, span] : one.attributes) {
        if (!is_changed(module, span) || !tells_kind(name) || !is_brought(one.function, name)) continue;
        for (const auto& [beside, place] : one.attributes) {
          if (beside != name && tells_kind(beside) && !is_field(beside))
            brought.push_back({name, beside, one.function, one.from, span});
        }
      }
    }
  }

  [[nodiscard]] FunctionId outermost(FunctionId function) const {
    while (program_.functions()[function].enclosing.valid()) function = program_.functions()[function].enclosing;
    return function;
  }

  /// Whether a class of the repository has a field of this name: it says less of what kind an object is.
  [[nodiscard]] bool is_field(std::string_view name) const {
    if (!fields_) {
      fields_.emplace();
      for (const program::Class& row : program_.classes()) {
        if (program::is_test_path(program_.modules()[row.module].path)) continue;
        for (const program::Field& field : row.fields) fields_->insert(field.name);
      }
    }
    return fields_->contains(name);
  }

  /// Whether the function, with all that is nested in it, names the mark.
  static bool names_mark(const Program& program, FunctionId function, std::string_view mark) {
    bool found = false;
    walk(*program.functions()[function].node, Nested::kEnter, [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node)) {
        found = found || attribute->name.text == mark;
      } else if (const auto* constant = as<Constant>(node)) {
        found = found || (constant->constant_kind == ConstantKind::kStr && constant->text == mark);
      } else if (const auto* call = as<Call>(node); call != nullptr && call->arguments.size() >= 2) {
        const std::string_view callee = name_of(call->callee);
        if (callee == "setattr" || callee == "getattr" || callee == "hasattr")
          found = found || literal_text(program, function, *call->arguments[1]) == mark;
      }
    });
    return found;
  }

  /// Whether the function names what is brought, or calls what copies it.
  [[nodiscard]] bool deals_with(FunctionId function, const Brought& what) const {
    const std::string_view copier = program_.functions()[what.function].name;
    const Node& body = *program_.functions()[function].node;
    return mentions_name(body, copier) || mentions_attribute(body, copier) ||
           names_mark(program_, function, what.attribute);
  }

  /// Whether a call of the function that is given one of these objects enters what deals with the mark.
  [[nodiscard]] bool hands_on(FunctionId function, const std::set<std::string_view>& objects,
                              const Brought& what) const {
    for (const program::CallId id : program_.functions()[function].calls) {
      const program::CallSite& site = program_.calls()[id];
      if (!share_one(names_given(site.node), objects)) continue;
      for (const program::CallTarget& target : site.targets) {
        if (target.function.valid() && deals_with(target.function, what)) return true;
      }
    }
    return false;
  }

  /// Whether what the two copy from are objects of classes that have nothing to do with one another.
  [[nodiscard]] bool are_of_other_kinds(const Copier& list, const Brought& what) const {
    const auto classes_of = [&](FunctionId function, std::string_view name) {
      std::vector<program::ClassId> classes;
      walk_of<Name>(*program_.functions()[function].node, Nested::kSkip, [&](const Name* one) {
        if (classes.empty() && one->id == name) classes = program_.instance_classes(function, *one);
      });
      return classes;
    };
    const auto here = classes_of(what.function, what.from), there = classes_of(list.function, list.from);
    return !here.empty() && !there.empty() && std::none_of(here.begin(), here.end(), [&](program::ClassId a) {
      return std::any_of(there.begin(), there.end(),
                         [&](program::ClassId b) { return program::are_kin(program_, a, b); });
    });
  }

  [[nodiscard]] bool lacks(const Copier& list, const Brought& what) const {
    if (!list.attributes.contains(what.beside) || list.attributes.contains(what.attribute)) return false;
    const FunctionId outer = outermost(list.function);
    if (outer == outermost(what.function) || deals_with(outer, what) || are_of_other_kinds(list, what) ||
        hands_on(list.function, {list.from, list.to}, what))
      return false;
    for (const FunctionId function : {list.function, outer}) {
      for (const program::CallId id : program_.callers_of(function)) {
        const program::CallSite& call = program_.calls()[id];
        if (deals_with(call.caller, what) || hands_on(call.caller, names_given(call.node), what)) return false;
      }
    }
    return true;
  }

  void report(const Brought& what, const std::vector<const Copier*>& without) {
    std::vector<std::string> names;
    for (const Copier* list : without) {
      std::string name = fmt::format("`{}`", short_name(program_, list->function));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    const bool is_many = names.size() > 1;
    const std::string who = change::list_names(names);
    Finding finding = finding_at(program_, kRule, program_.functions()[what.function].module, what.span);
    finding.severity = Severity::kP2;
    finding.certainty = FindingCertainty::kQuestion;
    finding.category = Category::kCorrectness;
    const std::string here = fmt::format("`{}` copies `{}` now, beside `{}`", short_name(program_, what.function),
                                         what.attribute, what.beside);
    finding.message =
        fmt::format("{}; {}, which {} `{}` from one object to another by name, {} `{}` behind", here, who,
                    is_many ? "copy" : "copies", what.beside, is_many ? "leave" : "leaves", what.attribute);
    finding.why = fmt::format(
        "What is made there has `{}` and no `{}`: code that asks it for `{}` does as if it had never been set.",
        what.beside, what.attribute, what.attribute);
    finding.fix = fmt::format("Copy `{}` there as well, or say in a comment why it is not needed.", what.attribute);
    for (const Copier* list : without) {
      finding.evidence.push_back(
          evidence_at(program_, program_.functions()[list->function].module, list->attributes.at(what.beside),
                      fmt::format("`{}` copies `{}` and {}", short_name(program_, list->function), what.beside,
                                  count_of(list->attributes.size() - 1, "other attribute", "other attributes"))));
    }
    findings_.push_back(std::move(finding));
  }

  const RuleContext& context_;
  const Program& program_;
  const Program& before_;
  const change::EarlierFunctions earlier_;
  std::vector<Copier> lists_;
  mutable std::map<FunctionId, std::vector<Copier>> copiers_before_;    ///< By the function before the change.
  mutable std::optional<std::unordered_set<std::string_view>> fields_;  ///< Of all classes outside tests.
  std::vector<Finding>& findings_;
};

}  // namespace

void run_attribute_not_copied(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr && context.before != nullptr) Finder(context, findings).run();
}

}  // namespace lockstep::rules
