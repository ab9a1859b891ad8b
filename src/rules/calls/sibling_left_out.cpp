// sibling-left-out: code that treats a family alike leaves one member out. Two families: classes that share a method
// that sets something up (`set_loss_scale`), which one function calls on some and nobody on this one; and attributes of
// one class that its methods walk through together (`self.a_groups`, `self.b_groups`, `self.c_groups`), one of which
// this method passes over.
//
// Left out: families of fewer than three attributes, and methods that walk through a single one.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "sibling-left-out";

/// Classes with a static or class method `set_…`, by the method's name, that somebody uses through `.apply`.
class Families {
 public:
  explicit Families(const Program& program) : program_(program) {
    std::map<std::string_view, std::vector<ClassId>> by_method;
    for (std::size_t i = 0; i < program.classes().size(); ++i) {
      const program::Class& cls = program.classes()[ClassId(i)];
      if (program::is_test_path(program.modules()[cls.module].path)) continue;
      if (!program.derives_from(ClassId(i), "torch.autograd.Function")) continue;
      for (const FunctionId method : cls.methods) {
        const program::Function& row = program.functions()[method];
        if (row.name.starts_with("set_")) by_method[row.name].push_back(ClassId(i));
      }
    }
    for (auto& [name, classes] : by_method) {
      if (classes.size() >= 3) families_[name] = std::move(classes);
    }
  }

  [[nodiscard]] bool empty() const { return families_.empty(); }
  [[nodiscard]] const std::map<std::string_view, std::vector<ClassId>>& all() const { return families_; }
  [[nodiscard]] bool uses(std::string_view cls, std::string_view method) const {
    if (used_.empty()) collect_uses();
    return used_.contains({cls, method});
  }

 private:
  void collect_uses() const {
    for (const program::Module& module : program_.modules()) {
      if (program::is_test_path(module.path)) continue;
      walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* attribute) {
        if (const std::string_view cls = name_of(attribute->value); !cls.empty())
          used_.insert({cls, attribute->name.text});
      });
    }
  }

  const Program& program_;
  std::map<std::string_view, std::vector<ClassId>> families_;
  mutable std::set<std::pair<std::string_view, std::string_view>> used_;  // A walk over all modules: when first asked.
};

void unset_classes(const Program& program, const Families& families, FunctionId function, std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  std::map<std::string_view, std::map<std::string_view, const Call*>> set_here;  // Method -> class -> its last call.
  walk_of<Call>(*row.node, Nested::kSkip, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    const std::string_view cls = method == nullptr ? std::string_view() : name_of(method->value);
    if (!cls.empty() && families.all().contains(method->name.text)) set_here[method->name.text][cls] = call;
  });
  for (const auto& [method, calls] : set_here) {
    if (calls.size() < 2) continue;
    for (const ClassId id : families.all().at(method)) {
      const program::Class& cls = program.classes()[id];
      if (families.uses(cls.name, method) || !families.uses(cls.name, "apply")) continue;
      const Call* last = nullptr;
      for (const auto& [name, call] : calls) {
        if (last == nullptr || call->span.begin > last->span.begin) last = call;
      }
      Hit hit = make_hit(
          program, kRule, row.module, last->span,
          {Severity::kP1, FindingCertainty::kLikely, Category::kNumerics,
           fmt::format("`{}.{}` is never called, though its siblings are set here", cls.name, method),
           fmt::format("`{}` is applied like {} siblings, but keeps the value it starts with.", cls.name, calls.size()),
           fmt::format("Call `{}.{}` here too.", cls.name, method)});
      hit.key += cls.name;
      hit.finding.evidence.push_back(evidence_at(program, cls.module, cls.node->name.span, "the class left out"));
      hits.push_back(std::move(hit));
    }
  }
}

/// Attributes that a method loops over: `for x in self.a`.
std::map<std::string_view, const For*> looped(const Node& method) {
  std::map<std::string_view, const For*> loops;
  walk_statements(method, Nested::kSkip, [&](const Stmt* statement) {
    const auto* loop = as<For>(statement);
    const std::string_view name = loop == nullptr ? std::string_view() : self_attribute(loop->iterable);
    if (!name.empty()) loops.emplace(name, loop);
  });
  return loops;
}

void passed_over(const Program& program, ClassId id, std::vector<Hit>& hits) {
  const program::Class& cls = program.classes()[id];
  std::vector<std::pair<FunctionId, std::map<std::string_view, const For*>>> methods;
  for (const FunctionId method : cls.methods) {
    auto loops = looped(*program.functions()[method].node);
    if (loops.size() >= 2) methods.emplace_back(method, std::move(loops));
  }
  for (const auto& [full, loops] : methods) {
    if (loops.size() < 3) continue;
    std::set<std::string_view> family;
    for (const auto& [name, loop] : loops) family.insert(name);
    const auto walks_all = [&](const auto& method) {
      return std::all_of(family.begin(), family.end(), [&](auto name) { return method.second.contains(name); });
    };
    if (std::count_if(methods.begin(), methods.end(), walks_all) < 2) continue;  // One alone is no pattern.
    for (const auto& [partial, some] : methods) {
      if (some.size() + 1 != family.size() || partial == full) continue;
      std::vector<std::string_view> missing;
      for (const std::string_view name : family) {
        if (!some.contains(name)) missing.push_back(name);
      }
      const Node& node = *program.functions()[partial].node;
      if (missing.size() != 1 || mentions_attribute(node, missing[0])) continue;
      const For* last = some.rbegin()->second;
      Hit hit =
          make_hit(program, kRule, cls.module, last->iterable->span,
                   {Severity::kP2, FindingCertainty::kQuestion, Category::kCorrectness,
                    fmt::format("Is `self.{}` left out of `{}` on purpose?", missing[0], short_name(program, partial)),
                    fmt::format("`{}` walks through it together with the others that are walked through here.",
                                short_name(program, full)),
                    fmt::format("Treat `self.{}` here too, or say in a comment why not.", missing[0])});
      hit.finding.evidence.push_back(
          evidence_at(program, cls.module, loops.at(missing[0])->span, "here it is one of the family"));
      hits.push_back(std::move(hit));
    }
    break;
  }
}

}  // namespace

void run_sibling_left_out(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, Families> families;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        const program::Module& row = program.modules()[module];
        for (const ClassId cls : row.classes) passed_over(program, cls, hits);
        const Families& known = families.try_emplace(&program, program).first->second;
        if (known.empty()) return;
        for (const FunctionId function : row.functions) unset_classes(program, known, function, hits);
      },
      findings);
}

}  // namespace lockstep::rules
