// companion-left-out: a change gives a class a new attribute, and two or more of its methods do to it now what they did
// to an attribute that was there (`self.grad_data.zero_()`, and now `for grad in self.extra_grads: grad.zero_()`).
// Other methods of the class still do such things to the old attribute alone. A question: what is meant to stay may be
// both.
//
// What counts as done to an attribute is what alters it in place: methods that end with an underscore, as torch has
// them, a few others by name, and `+=` and its like. Left out: constructors, methods that name the new attribute or
// call one that treats it, and old attributes that a method newly treats as well.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/strings.h"
#include "change/summary.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using program::ClassId;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "companion-left-out";
constexpr std::size_t kFewestTogether = 2;  // methods that treat both alike
constexpr auto kAltering = std::to_array<std::string_view>({"clear", "close", "record_stream", "reset", "wait"});

bool alters(std::string_view method) {
  return works_in_place(method) || std::find(kAltering.begin(), kAltering.end(), method) != kAltering.end();
}

/// What one method does in place to attributes of its object: attribute -> what ("zero_", "*="), and where first.
class Treatment {
 public:
  explicit Treatment(const FunctionDef& def) {
    walk(def, Nested::kSkip, [&](const Node* node) { look(*node); });
  }

  /// By attribute: what is done to it, with the first place.
  [[nodiscard]] const std::map<std::string_view, std::map<std::string, Span>>& all() const { return done_; }
  [[nodiscard]] bool names(std::string_view attribute) const { return named_.contains(attribute); }
  [[nodiscard]] bool calls(std::string_view method) const { return called_.contains(method); }
  /// Whether something is done to both alike.
  [[nodiscard]] bool does_alike(std::string_view one, std::string_view other) const {
    const auto a = done_.find(one), b = done_.find(other);
    return a != done_.end() && b != done_.end() &&
           std::any_of(a->second.begin(), a->second.end(),
                       [&](const auto& did) { return b->second.contains(did.first); });
  }

 private:
  void look(const Node& node) {
    if (const auto* attribute = as<Attribute>(&node); attribute != nullptr && name_of(attribute->value) == "self")
      named_.insert(attribute->name.text);
    if (const auto* loop = as<For>(&node)) {
      const std::string_view variable = name_of(loop->target), over = attribute_under(*loop->iterable);
      if (!variable.empty() && !over.empty()) loops_[variable] = over;
    } else if (const auto* augmented = as<AugAssign>(&node)) {
      note(*augmented->target, fmt::format("{}=", static_cast<int>(augmented->op)), augmented->span);
    } else if (const auto* call = as<Call>(&node)) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr) return;
      if (name_of(method->value) == "self") called_.insert(method->name.text);
      if (alters(method->name.text)) note(*method->value, std::string(method->name.text), call->span);
    }
  }

  void note(const Expr& what, std::string how, Span span) {
    const std::string_view attribute = attribute_under(what);
    if (!attribute.empty()) done_[attribute].emplace(std::move(how), span);
  }

  /// "x" of `self.x`, `self.x[0].y`, `self.x.storage()`, and of what a loop over such takes out of it.
  [[nodiscard]] std::string_view attribute_under(const Expr& expression) const {
    const Expr* at = &expression;
    std::string_view last;
    while (true) {
      if (const auto* attribute = as<Attribute>(at)) {
        last = attribute->name.text;
        at = attribute->value;
      } else if (const auto* call = as<Call>(at)) {
        at = call->callee;
      } else if (const auto* item = as<Subscript>(at)) {
        at = item->value;
      } else {
        break;
      }
    }
    const std::string_view root = name_of(at);
    if (root == "self") return last;
    const auto loop = loops_.find(root);
    return loop == loops_.end() ? std::string_view() : loop->second;
  }

  std::map<std::string_view, std::map<std::string, Span>> done_;
  std::map<std::string_view, std::string_view> loops_;
  std::set<std::string_view> named_, called_;
};

struct Method {
  FunctionId function;
  Treatment treatment;
};

class Finder {
 public:
  Finder(const RuleContext& context, std::vector<Finding>& findings) : context_(context), findings_(findings) {}

  void run() {
    std::set<std::uint32_t> seen;
    for (const EntityChange& entity : context_.change->entities) {
      if (!entity.before || !entity.after || !entity.after->cls.valid() || !entity.before->cls.valid()) continue;
      if (program::is_test_path(entity.after->path) || !seen.insert(entity.after->cls.value).second) continue;
      look_at(entity.before->cls, entity.after->cls);
    }
  }

 private:
  static std::map<std::string_view, Method> methods_of(const Program& program, ClassId cls) {
    std::map<std::string_view, Method> methods;
    for (const FunctionId id : program.classes()[cls].methods) {
      const program::Function& row = program.functions()[id];
      if (row.def() != nullptr) methods.emplace(row.name, Method{id, Treatment(*row.def())});
    }
    return methods;
  }

  void look_at(ClassId before, ClassId after) {
    const auto old_methods = methods_of(*context_.before, before);
    const auto methods = methods_of(context_.program, after);
    const auto is_old = [&](std::string_view attribute) {
      return std::any_of(old_methods.begin(), old_methods.end(),
                         [&](const auto& one) { return one.second.treatment.names(attribute); });
    };
    // By new attribute and old one: the methods that treat them alike.
    std::map<std::pair<std::string_view, std::string_view>, std::vector<std::string_view>> together;
    for (const auto& [name, method] : methods) {
      const auto old = old_methods.find(name);
      if (old == old_methods.end()) continue;
      for (const auto& [attribute, done] : method.treatment.all()) {
        if (is_old(attribute)) continue;
        for (const auto& [companion, what] : old->second.treatment.all()) {
          if (method.treatment.does_alike(attribute, companion)) together[{attribute, companion}].push_back(name);
        }
      }
    }
    for (const auto& [pair, names] : together) {
      if (names.size() >= kFewestTogether) report(pair.first, pair.second, names, methods);
    }
  }

  void report(std::string_view added, std::string_view companion, const std::vector<std::string_view>& together,
              const std::map<std::string_view, Method>& methods) {
    std::vector<const Method*> without;
    for (const auto& [name, method] : methods) {
      const bool hands_on = std::any_of(together.begin(), together.end(),
                                        [&](std::string_view other) { return method.treatment.calls(other); });
      if (name != "__init__" && !hands_on && method.treatment.all().contains(companion) &&
          !method.treatment.names(added))
        without.push_back(&method);
    }
    if (without.empty()) return;
    const Program& program = context_.program;
    const auto by_place = [&](const Method* one) { return program.functions()[one->function].node->span.begin; };
    std::sort(without.begin(), without.end(),
              [&](const Method* a, const Method* b) { return by_place(a) < by_place(b); });
    const auto span_of = [&](const Method& method) {
      const auto& done = method.treatment.all().at(companion);
      return std::min_element(done.begin(), done.end(),
                              [](const auto& a, const auto& b) { return a.second.begin < b.second.begin; })
          ->second;
    };
    const auto list_of = [&](const auto& names) {
      std::vector<std::string> quoted;
      for (const auto& name : names) quoted.push_back(fmt::format("`{}`", name));
      return change::list_names(quoted);
    };
    std::vector<std::string_view> names;
    for (const Method* one : without) names.push_back(program.functions()[one->function].name);
    const program::ModuleId module = program.functions()[without.front()->function].module;
    Finding finding = finding_at(program, kRule, module, span_of(*without.front()));
    finding.severity = Severity::kP2;
    finding.certainty = FindingCertainty::kQuestion;
    finding.category = Category::kCorrectness;
    const bool are_many = names.size() > 1;
    finding.message =
        fmt::format("{} {} `{}` and {} the new `{}` as it is; {} treat both alike now", list_of(names),
                    are_many ? "alter" : "alters", companion, are_many ? "leave" : "leaves", added, list_of(together));
    finding.why = "What is kept in two places and treated in one is stale, unreleased or counted twice in the other.";
    finding.fix = fmt::format("Treat `{}` there as well, or say in a comment why it may stay.", added);
    for (const std::string_view name : together) {
      const auto& done = methods.at(name).treatment.all().at(added);
      finding.evidence.push_back(
          evidence_at(program, module, done.begin()->second, fmt::format("`{}` treats both", name)));
    }
    for (std::size_t i = 1; i < without.size(); ++i)
      finding.evidence.push_back(
          evidence_at(program, module, span_of(*without[i]), fmt::format("`{}` treats one", names[i])));
    findings_.push_back(std::move(finding));
  }

  const RuleContext& context_;
  std::vector<Finding>& findings_;
};

}  // namespace

void run_companion_left_out(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr && context.before != nullptr) Finder(context, findings).run();
}

}  // namespace lockstep::rules
