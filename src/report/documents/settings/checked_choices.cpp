#include "report/documents/settings/checked_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/story/steps/steps.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

using Texts = std::set<std::string_view>;

struct Check {
  Texts texts;
  const Stmt* statement = nullptr;
};

/// What a name stands for where a check asks for it.
using Names = std::map<std::string_view, const Expr*>;

/// The checks of one function, by the field that they are of.
class Checks {
 public:
  Checks(const Program& program, FunctionId function) : program_(program), function_(function) {
    if (const FunctionDef* def = program.functions()[function].def()) read(def->body, {});
  }
  [[nodiscard]] const std::map<std::string_view, std::vector<Check>>& all() const { return all_; }

 private:
  static const Expr* value_of(const Expr* expression, const Names& names) {
    const std::string_view name = rules::name_of(expression);
    const auto found = name.empty() ? names.end() : names.find(name);
    return found == names.end() ? expression : found->second;
  }

  /// Of a list, tuple or set of nothing but texts and `None`, or `set(…)`, `frozenset(…)` of one; empty for others.
  static Texts texts_of(const Expr* expression, const Names& names) {
    const Expr* value = value_of(expression, names);
    if (const auto* call = as<Call>(value); call != nullptr && call->arguments.size() == 1) {
      const std::string_view made = rules::name_of(call->callee);
      if (made == "set" || made == "frozenset") value = call->arguments.front();
    }
    const auto* list = as<python::List>(value);
    const auto* tuple = as<Tuple>(value);
    const auto* set = as<python::Set>(value);
    if (list == nullptr && tuple == nullptr && set == nullptr) return {};
    Texts out;
    for (const Expr* one : list != nullptr ? list->elements : tuple != nullptr ? tuple->elements : set->elements) {
      if (rules::is_none(one)) continue;
      if (rules::text_of(one).empty()) return {};
      out.insert(rules::text_of(one));
    }
    return out;
  }

  /// The field of a configuration that is read: `self.x` in a class that declares it, `config.x`; or the elements of
  /// one, `set(self.x)`.
  [[nodiscard]] std::string_view field_of(const Expr* expression, const Names& names) const {
    const Expr* value = value_of(expression, names);
    if (const auto* call = as<Call>(value);
        call != nullptr && rules::name_of(call->callee) == "set" && call->arguments.size() == 1)
      value = call->arguments.front();
    const std::string_view own = rules::self_attribute(value);
    const program::ClassId cls = program_.functions()[function_].owner;
    if (!own.empty() && cls.valid()) {
      const program::Field* field = program_.find_field(cls, own);
      if (field != nullptr && field->in_class_body && field->annotation != nullptr) return own;
    }
    return value == nullptr ? std::string_view() : config_attribute(*value);
  }

  void add(std::string_view field, Texts texts, const Stmt* statement) {
    if (!field.empty() && texts.size() > 1) all_[field].push_back({std::move(texts), statement});
  }

  /// `holds`: the condition has to be true, else false, for the function to go on.
  void add_condition(const Expr* condition, bool holds, const Names& names, const Stmt* statement) {
    const Expr* value = value_of(condition, names);
    if (const auto* turned = as<UnaryOp>(value); turned != nullptr && turned->op == UnaryOperator::kNot)
      return add_condition(turned->operand, !holds, names, statement);
    if (const auto* compare = as<Compare>(value); compare != nullptr && compare->ops.size() == 1) {
      const CompareOperator asked = compare->ops.front();
      if (asked == (holds ? CompareOperator::kIn : CompareOperator::kNotIn) ||
          (holds && asked == CompareOperator::kLtE))
        add(field_of(compare->left, names), texts_of(compare->comparators.front(), names), statement);
      return;
    }
    const auto* without = as<BinOp>(value);
    if (!holds && without != nullptr && without->op == BinaryOperator::kSub)
      return add(field_of(without->left, names), texts_of(without->right, names), statement);
    const auto* call = as<Call>(value);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (holds && method != nullptr && method->name.text == "issubset" && call->arguments.size() == 1)
      add(field_of(method->value, names), texts_of(call->arguments.front(), names), statement);
  }

  static bool only_raises(const If& branch) {
    return branch.orelse.empty() && branch.body.size() == 1 && is<Raise>(branch.body.front());
  }

  void read(Seq<Stmt> block, Names names) {
    for (const Stmt* statement : block) {
      const Expr* target = nullptr;
      if (const Expr* value = assigned_value(statement, target); value != nullptr) {
        if (const std::string_view name = rules::name_of(target); !name.empty()) names[name] = value;
      } else if (const auto* assertion = as<Assert>(statement)) {
        add_condition(assertion->test, true, names, statement);
      } else if (const auto* branch = as<If>(statement); branch != nullptr && only_raises(*branch)) {
        add_condition(branch->condition, false, names, statement);
      } else if (!is<FunctionDef>(statement) && !is<ClassDef>(statement)) {
        Names inside = names;
        if (const auto* loop = as<For>(statement)) {
          const std::string_view name = rules::name_of(loop->target);
          if (!name.empty()) inside[name] = loop->iterable;
        }
        for_each_block(*statement, [&](Seq<Stmt> inner) { read(inner, inside); });
        // What it sets may stand for something else behind it.
        walk_of<Name>(*statement, Nested::kSkip, [&](const Name* one) {
          if (one->context == ExprContext::kStore) names.erase(one->id);
        });
      }
    }
  }

  const Program& program_;
  FunctionId function_;
  std::map<std::string_view, std::vector<Check>> all_;
};

std::string listed(const std::vector<std::string_view>& texts) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> out;
  for (const std::string_view text : texts) {
    if (out.size() == kMost && texts.size() > kMost + 1) {
      out.push_back(fmt::format("{} more", texts.size() - kMost));
      break;
    }
    out.push_back(code(fmt::format("\"{}\"", text)));
  }
  return join_words(out);
}

}  // namespace

std::vector<std::string> checked_choice_items(const DocumentInputs& inputs) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (!entity.before || !entity.after || !entity.before->function.valid() || !entity.after->function.valid() ||
        entity.is_cosmetic() || program::is_test_path(entity.after->path) ||
        program::is_helper_path(entity.after->path))
      continue;
    const Checks before(*inputs.before, entity.before->function);
    const Checks after(*inputs.after, entity.after->function);
    for (const auto& [field, now] : after.all()) {
      const auto was = before.all().find(field);
      if (now.size() != 1 || was == before.all().end() || was->second.size() != 1 || out.size() == kMost) continue;
      const Texts& old_texts = was->second.front().texts;
      const Texts& new_texts = now.front().texts;
      std::vector<std::string_view> come;
      std::vector<std::string_view> gone;
      std::set_difference(new_texts.begin(), new_texts.end(), old_texts.begin(), old_texts.end(),
                          std::back_inserter(come));
      std::set_difference(old_texts.begin(), old_texts.end(), new_texts.begin(), new_texts.end(),
                          std::back_inserter(gone));
      if (come.empty() && gone.empty()) continue;
      const SourceText& source = source_of(*inputs.after, entity.after->function);
      const std::string fate = gone.empty() ? fmt::format("accepts {} now", listed(come))
                               : come.empty()
                                   ? fmt::format("no longer accepts {}", listed(gone))
                                   : fmt::format("accepts {} now and no longer {}", listed(come), listed(gone));
      out.push_back(fmt::format("The check of {} ({}, in {}) {}.", code(field),
                                place(entity.after->path, source.line_of(now.front().statement->span.begin)),
                                code(short_name(*inputs.after, entity.after->function)), fate));
    }
  }
  return out;
}

}  // namespace lockstep::report
