#include "report/documents/correctness/narrow_cache_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::Program;

namespace {

/// `D[key] = value` in new code.
struct Store {
  const Assign* assign = nullptr;
  const Expr* table = nullptr;
  const Expr* key = nullptr;
  const Expr* value = nullptr;
};

class Reader {
 public:
  Reader(const DocumentInputs& inputs, const Actor& actor, const FunctionDef& def)
      : inputs_(inputs),
        program_(*inputs.after),
        actor_(actor),
        def_(def),
        function_(actor.change->after->function),
        source_(*actor.steps.after_source) {
    for (const Parameter* one : def.parameters->all) {
      if (one->name.text != "self" && one->name.text != "cls") parameters_.insert(one->name.text);
    }
    walk_of<Assign>(def_, Nested::kSkip, [&](const Assign* one) { assigns_.push_back(one); });
  }

  void add(std::vector<Risk>& risks, std::size_t& told, std::size_t most) {
    for (const Store& store : stores()) {
      if (told == most) return;
      const bool is_shared = is_of_many(*store.table);
      if ((!is_shared && rules::self_attribute(store.table).empty()) || !is_asked(store)) continue;
      const std::vector<std::string> missing = missing_in(store, is_shared);
      if (missing.empty()) continue;
      ++told;
      constexpr std::size_t kMostNames = 3;
      std::vector<std::string> names(
          missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(std::min(missing.size(), kMostNames)));
      if (missing.size() > kMostNames) names.push_back(fmt::format("{} more", missing.size() - kMostNames));
      const std::string key = code(one_line(source_, *store.key, 60));
      const std::string concern = fmt::format(
          "{} keeps what it works out as {} ({}) and gives it again for the same {}; it is built from {}, too.",
          code(short_name(inputs_, *actor_.change)), code(one_line(source_, *store.assign->targets.front(), 60)),
          place(actor_.change->after->path, source_.line_of(store.assign->span.begin)), key, join_words(names));
      const std::string asked = names.size() == 1 ? fmt::format("Is that always the same for one {}?", key)
                                                  : fmt::format("Are these always the same for one {}?", key);
      risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
    }
  }

 private:
  [[nodiscard]] std::vector<Store> stores() const {
    std::vector<Store> out;
    for (const Assign* assign : assigns_) {
      const auto* slot = assign->targets.size() == 1 ? as<Subscript>(assign->targets.front()) : nullptr;
      if (slot == nullptr || is<Constant>(slot->index) || is<Slice>(slot->index)) continue;
      const bool is_new = std::any_of(actor_.steps.after.begin(), actor_.steps.after.end(), [&](const Step& step) {
        return step.node == assign && step.status != StepStatus::kKept && !step.is_moved && step.elsewhere == nullptr;
      });
      if (is_new) out.push_back({assign, slot->value, slot->index, assign->value});
    }
    return out;
  }

  /// A variable of a module, or an attribute of a class: several objects share it.
  [[nodiscard]] bool is_of_many(const Expr& table) const {
    if (const auto* name = as<Name>(&table)) {
      const bool is_local = std::any_of(assigns_.begin(), assigns_.end(), [&](const Assign* one) {
        return std::any_of(one->targets.begin(), one->targets.end(),
                           [&](const Expr* target) { return rules::name_of(target) == name->id; });
      });
      return !is_local && !parameters_.contains(name->id) &&
             program_.resolve(function_, table).kind == program::Reference::Kind::kVariable;
    }
    const auto* member = as<Attribute>(&table);
    if (member == nullptr) return false;
    if (rules::name_of(member->value) == "cls") return true;
    if (program_.resolve(function_, *member->value).kind == program::Reference::Kind::kClass) return true;
    const ClassId owner = program_.functions()[function_].owner;
    if (rules::name_of(member->value) != "self" || !owner.valid()) return false;
    const program::Field* field = program_.find_field(owner, member->name.text);
    // A dictionary that the class body makes, and no method anew.
    return field != nullptr && field->in_class_body && is<Dict>(field->default_value);
  }

  /// Whether the function asks whether the key is there, and reads what is there.
  [[nodiscard]] bool is_asked(const Store& store) const {
    const std::string table = one_line_whole(source_, *store.table);
    const std::string key = one_line_whole(source_, *store.key);
    bool is_asked = false;
    bool is_read = false;
    bool is_filled = false;  // `D[key][positions] = x`: the dictionary holds room, not results.
    walk(def_, Nested::kSkip, [&](const Node* node) {
      const auto same = [&](const Expr* a, const Expr* b) {
        return a != nullptr && b != nullptr && one_line_whole(source_, *a) == key &&
               one_line_whole(source_, *b) == table;
      };
      if (const auto* compare = as<Compare>(node); compare != nullptr && compare->comparators.size() == 1) {
        const CompareOperator op = compare->ops.front();
        if (op == CompareOperator::kIn || op == CompareOperator::kNotIn)
          is_asked = is_asked || same(compare->left, compare->comparators.front());
      }
      if (const auto* call = as<Call>(node)) {
        const auto* callee = as<Attribute>(call->callee);
        if (callee != nullptr && callee->name.text == "get" && !call->arguments.empty() &&
            same(call->arguments.front(), callee->value))
          is_asked = is_read = true;
      }
      const auto* part = as<Subscript>(node);
      const auto* whole = part == nullptr || part->context == ExprContext::kLoad ? nullptr : as<Subscript>(part->value);
      is_filled = is_filled || (whole != nullptr && same(whole->index, whole->value));
      if (const auto* slot = as<Subscript>(node); slot != nullptr && slot->context == ExprContext::kLoad)
        is_read = is_read || same(slot->index, slot->value);
    });
    return is_asked && is_read && !is_filled;
  }

  /// What an expression comes from, through locals of the function that are set before.
  struct Sources {
    std::set<std::string_view> parameters;
    std::set<std::string_view> of_self;
    std::vector<std::pair<std::string_view, const Expr*>> reads;  ///< Parameter, and how it is read.
    bool is_clear = true;
  };

  void collect(const Expr& expression, std::uint32_t before, Sources& out, std::set<std::string_view>& seen) const {
    if (const auto* member = as<Attribute>(&expression)) {
      if (const std::string_view own = rules::self_attribute(member); !own.empty()) {
        out.of_self.insert(own);
        return;
      }
      const std::string_view root = rules::root_name(member);
      if (parameters_.contains(root) && is_chain(*member)) {
        out.parameters.insert(root);
        out.reads.emplace_back(root, member);
        return;
      }
    }
    if (const auto* name = as<Name>(&expression)) {
      if (parameters_.contains(name->id)) {
        out.parameters.insert(name->id);
        out.reads.emplace_back(name->id, name);
      }
      if (!seen.insert(name->id).second) return;
      for (const Assign* assign : assigns_) {
        const bool gives = std::any_of(assign->targets.begin(), assign->targets.end(), [&](const Expr* target) {
          return rules::name_of(target) == name->id || (is<Tuple>(target) && rules::mentions_name(*target, name->id));
        });
        if (gives && assign->span.end < before) collect(*assign->value, before, out, seen);
      }
      return;
    }
    if (is<Lambda>(&expression)) out.is_clear = false;
    for_each_child(expression, [&](const Node* child) {
      if (is_expression(child)) collect(*static_cast<const Expr*>(child), before, out, seen);
      if (const auto* keyword = as<Keyword>(child)) collect(*keyword->value, before, out, seen);
    });
  }

  static bool is_chain(const Attribute& member) {
    const Expr* at = &member;
    while (const auto* deeper = as<Attribute>(at)) at = deeper->value;
    return is<Name>(at);
  }

  [[nodiscard]] std::vector<std::string> missing_in(const Store& store, bool is_shared) const {
    Sources of_value;
    Sources of_key;
    std::set<std::string_view> seen;
    std::set<std::string_view> seen_of_key;
    collect(*store.value, store.assign->span.begin, of_value, seen);
    collect(*store.key, store.assign->span.begin, of_key, seen_of_key);
    // What is put in as it was given is registered, not worked out.
    bool makes = false;
    const auto* local = as<Name>(store.value);
    if (local != nullptr && parameters_.contains(local->id)) return {};
    makes = is<Call>(store.value);
    for (const Assign* assign : assigns_) {
      const bool gives = local != nullptr && std::any_of(assign->targets.begin(), assign->targets.end(),
                                                         [&](auto* one) { return rules::name_of(one) == local->id; });
      makes = makes || (gives && is<Call>(assign->value));
    }
    if (!makes || !of_value.is_clear || (of_key.parameters.empty() && of_key.of_self.empty())) return {};
    std::vector<std::string> out;
    std::set<std::string> known;
    for (const auto& [parameter, read] : of_value.reads) {
      if (of_key.parameters.contains(parameter)) continue;
      std::string text = code(one_line(source_, *read, 50));
      if (known.insert(text).second) out.push_back(std::move(text));
    }
    if (is_shared) {
      for (const std::string_view own : of_value.of_self) {
        const ClassId owner = program_.functions()[function_].owner;
        const bool is_method = owner.valid() && program_.find_method(owner, own).valid();
        if (!of_key.of_self.contains(own) && !is_method &&
            one_line_whole(source_, *store.table) != fmt::format("self.{}", own))
          out.push_back(code(fmt::format("self.{}", own)));
      }
    }
    return out;
  }

  const DocumentInputs& inputs_;
  const Program& program_;
  const Actor& actor_;
  const FunctionDef& def_;
  program::FunctionId function_;
  const SourceText& source_;
  std::set<std::string_view> parameters_;
  std::vector<const Assign*> assigns_;
};

}  // namespace

void add_narrow_cache_keys(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() || actor.is_module_code ||
        !actor.change->after->function.valid() || actor.steps.after_source == nullptr)
      continue;
    const FunctionDef* def = inputs.after->functions()[actor.change->after->function].def();
    if (def != nullptr) Reader(inputs, actor, *def).add(risks, told, kMost);
  }
}

}  // namespace lockstep::report
