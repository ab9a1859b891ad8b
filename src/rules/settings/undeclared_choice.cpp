// undeclared-choice: a config field or argument is compared with a text that is not among the choices that its
// declarations allow (argparse `choices=[…]`, `Literal[…]` annotations), so the comparison is never true.
//
// Left out: names that some flag of that name leaves open; fields that have no choices of their own, but for texts that
// are a misspelt choice of the flag that fills them; texts that anything gives to the name (a keyword, an assignment, a
// dictionary's key). Choices declared in several places count together.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "undeclared-choice";
/// Up to this many edits from a choice, a text is that choice misspelt.
constexpr std::size_t kMisspelt = 2;
/// So many names are looked for in the files that hold them before one reading of all files serves all names.
constexpr std::size_t kMostNamesByText = 12;

struct Choices {
  std::string_view name;
  std::set<std::string_view> values;
  bool is_open = false;   ///< Some flag of that name takes anything.
  bool is_plain = false;  ///< A config field of that name has no choices of its own: code may set what flags cannot.
  ModuleId module;        ///< Of the first declaration with choices.
  Span span;
};

/// Texts of a list or tuple display; false where an element is something else.
bool collect_texts(Seq<Expr> elements, std::set<std::string_view>& values) {
  for (const Expr* element : elements) {
    const auto* text = as<Constant>(element);
    if (text == nullptr || (text->constant_kind != ConstantKind::kStr && text->constant_kind != ConstantKind::kNone))
      return false;
    if (text->constant_kind == ConstantKind::kStr) values.insert(text->text);
  }
  return !elements.empty();
}

/// `Literal["a", "b"]`, also in `Optional[…]`, `Union[…]` and beside `|`.
bool collect_literals(const Expr* annotation, std::set<std::string_view>& values) {
  if (annotation == nullptr) return false;
  if (const auto* subscript = as<Subscript>(annotation)) {
    const std::string_view name = last_part_of(subscript->value);
    const auto* tuple = as<Tuple>(subscript->index);
    if (name == "Union" && tuple != nullptr) {
      bool any = false;
      for (const Expr* each : tuple->elements) any = collect_literals(each, values) || any;
      return any;
    }
    if (name != "Literal") return (name == "Optional" || name == "Union") && collect_literals(subscript->index, values);
    if (tuple != nullptr) return collect_texts(tuple->elements, values);
    const Expr* one[] = {subscript->index};
    return collect_texts(Seq<Expr>(one), values);
  }
  const auto* either = as<BinOp>(annotation);
  return either != nullptr && (collect_literals(either->left, values) | collect_literals(either->right, values));
}

/// Choices of every declared name of a program.
class Declarations {
 public:
  explicit Declarations(const Program& program) : program_(program) {
    for (std::size_t i = 0; i < program.modules().size(); ++i) {
      const ModuleId module(i);
      const program::Module& row = program.modules()[module];
      if (!program::is_test_path(row.path) && contains(row.facts->source().bytes(), "add_argument")) flags(module);
    }
    for (const program::Class& cls : program.classes()) {
      if (!program::is_test_path(program.modules()[cls.module].path)) fields(cls);
    }
  }

  /// Null where nothing is declared, or anything goes.
  [[nodiscard]] const Choices* of(std::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || found->second.is_open || found->second.values.empty()) return nullptr;
    return &found->second;
  }

  /// True if `text` is declared, or some code gives it to such a name. Adds to the choices what code gives them, where
  /// a text is not declared.
  [[nodiscard]] bool allows(const Choices& choices, std::string_view text) {
    if (choices.values.contains(text)) return true;
    if (!knows_given_ && !completed_.contains(choices.name)) complete(choices.name);
    return choices.values.contains(text);
  }

  /// The choices of `name`, or of the only declared name that ends in it: "drop_policy" of "moe_token_drop_policy".
  [[nodiscard]] const Choices* ending_in(std::string_view name) const {
    if (by_name_.contains(name)) return of(name);
    std::string_view only;
    for (const auto& [declared, choices] : by_name_) {
      if (!declared.ends_with(fmt::format("_{}", name))) continue;
      if (!only.empty()) return nullptr;
      only = declared;
    }
    return only.empty() ? nullptr : of(only);
  }

 private:
  void add(std::string name, const std::set<std::string_view>& values, ModuleId module, Span span) {
    const auto at = by_name_.try_emplace(std::move(name)).first;
    Choices& choices = at->second;
    choices.name = at->first;
    if (choices.values.empty()) choices.module = module, choices.span = span;
    choices.values.insert(values.begin(), values.end());
  }

  void flags(ModuleId module) {
    walk_of<Call>(program_.modules()[module].facts->tree(), Nested::kEnter, [&](const Call* call) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr || method->name.text != "add_argument") return;
      const std::string dest = argparse_destination(*call);
      if (dest.empty() || keyword_value(*call, "action") != nullptr) return;
      std::set<std::string_view> values;
      const Expr* given = keyword_value(*call, "choices");
      const auto* list = as<List>(given);
      const auto* tuple = as<Tuple>(given);
      const bool listed = (list != nullptr && collect_texts(list->elements, values)) ||
                          (tuple != nullptr && collect_texts(tuple->elements, values));
      if (listed) {
        if (const auto* text = as<Constant>(keyword_value(*call, "default"));
            text != nullptr && text->constant_kind == ConstantKind::kStr)
          values.insert(text->text);
        add(dest, values, module, call->span);
      } else {
        by_name_[dest].is_open = true;
      }
    });
  }

  /// Texts that some code gives to a declared name.
  void give(std::string_view name, const Expr* value) {
    const auto* text = as<Constant>(value);
    if (text == nullptr || text->constant_kind != ConstantKind::kStr) return;
    const auto found = by_name_.find(name);
    if (found != by_name_.end() && !found->second.values.empty()) found->second.values.insert(text->text);
  }

  /// Reads the files that hold the name; from so many names on, all files for all names.
  void complete(std::string_view name) {
    knows_given_ = completed_.size() >= kMostNamesByText;
    completed_.insert(name);
    for (const program::Module& module : program_.modules()) {
      if (!knows_given_ && !contains(module.facts->source().bytes(), name)) continue;
      for_each_given(module.facts->tree(), [&](std::string_view given, const Expr* value) {
        if (knows_given_ || given == name) give(given, value);
      });
    }
  }

  /// `name=value` in calls, `x.name = value`, `{"name": value}`.
  template <class Visitor>
  static void for_each_given(const python::Module& tree, Visitor&& visit) {
    walk(tree, Nested::kEnter, [&](const Node* node) {
      if (const auto* call = as<Call>(node)) {
        for (const Keyword* each : call->keywords) visit(each->name.text, each->value);
      } else if (const auto* assign = as<Assign>(node)) {
        for (const Expr* target : assign->targets) {
          if (const auto* attribute = as<Attribute>(target)) visit(attribute->name.text, assign->value);
        }
      } else if (const auto* dict = as<Dict>(node)) {
        for (std::size_t i = 0; i < dict->keys.size(); ++i) {
          const auto* key = as<Constant>(dict->keys[i]);
          if (key != nullptr && key->constant_kind == ConstantKind::kStr) visit(key->text, dict->values[i]);
        }
      }
    });
  }

  void fields(const program::Class& cls) {
    for (const program::Field& field : cls.fields) {
      if (!field.in_class_body || field.annotation == nullptr) continue;
      std::set<std::string_view> values;
      if (!collect_literals(field.annotation, values)) {
        by_name_[std::string(field.name)].is_plain = true;
        continue;
      }
      if (const auto* text = as<Constant>(field.default_value);
          text != nullptr && text->constant_kind == ConstantKind::kStr)
        values.insert(text->text);
      add(std::string(field.name), values, cls.module, field.node->span);
    }
  }

  const Program& program_;
  std::map<std::string, Choices, std::less<>> by_name_;
  bool knows_given_ = false;
  std::set<std::string_view> completed_;  ///< Names whose choices hold what code gives them.
};

/// `config.x`, `args.x`, `self.config.x`, and `self.x` in a class that declares x.
const Attribute* option(const Expr* expression) {
  const auto* attribute = as<Attribute>(expression);
  if (attribute == nullptr) return nullptr;
  const std::string_view holder = last_part_of(attribute->value);
  const bool is_options = holder == "config" || holder == "args" || holder == "cfg" || holder == "self" ||
                          holder.ends_with("_config") || holder.ends_with("_args") || holder == "options";
  return is_options ? attribute : nullptr;
}

class Scan {
 public:
  Scan(const Program& program, Declarations& declared, ModuleId module, std::vector<Hit>& hits)
      : program_(program),
        declared_(declared),
        module_(module),
        facts_(*program.modules()[module].facts),
        hits_(hits) {}

  void run() {
    walk_of<Compare>(facts_.tree(), Nested::kEnter, [&](const Compare* compare) {
      if (compare->ops.size() != 1) return;
      if (const auto* name = as<Name>(compare->left)) return parameter(*compare, *name);
      const Attribute* named = option(compare->left);
      if (named == nullptr) return;
      const Choices* choices = declared_.of(named->name.text);
      if (choices == nullptr || (last_part_of(named->value) == "self" && !owner_declares(*named))) return;
      const CompareOperator op = compare->ops[0];
      const Expr* right = compare->comparators[0];
      if (op == CompareOperator::kEq || op == CompareOperator::kNotEq) return text(*named, right, *choices);
      if (op != CompareOperator::kIn && op != CompareOperator::kNotIn) return;
      const auto* list = as<List>(right);
      const auto* tuple = as<Tuple>(right);
      const auto* set = as<Set>(right);
      for (const Expr* element : list != nullptr    ? list->elements
                                 : tuple != nullptr ? tuple->elements
                                 : set != nullptr   ? set->elements
                                                    : Seq<Expr>{}) {
        text(*named, element, *choices);
      }
    });
  }

 private:
  /// `drop_policy == "prob"` of a parameter that is named like an option (`--moe-token-drop-policy`), where the
  /// function compares it with a choice of that option too, and this text is such a choice misspelt.
  void parameter(const Compare& compare, const Name& name) {
    const auto* literal = as<Constant>(compare.comparators[0]);
    if (compare.ops[0] != CompareOperator::kEq || literal == nullptr || literal->constant_kind != ConstantKind::kStr ||
        name.id.find('_') == std::string_view::npos)
      return;
    const program::FunctionId at = program_.function_at(module_, name.span.begin);
    const FunctionDef* def = at.valid() ? program_.functions()[at].def() : nullptr;
    if (def == nullptr) return;
    const auto& all = def->parameters->all;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Parameter* p) { return p->name.text == name.id; });
    if (found == all.end() || text_of((*found)->default_value) == literal->text) return;
    const Choices* choices = declared_.ending_in(name.id);
    if (choices == nullptr || declared_.allows(*choices, literal->text)) return;
    const bool is_misspelt = std::any_of(choices->values.begin(), choices->values.end(), [&](std::string_view choice) {
      return edit_distance(choice, literal->text, kMisspelt + 1) <= kMisspelt;
    });
    bool compares_a_choice = false;
    walk_of<Compare>(*def, Nested::kSkip, [&](const Compare* other) {
      const bool same = other->ops.size() == 1 && name_of(other->left) == name.id;
      compares_a_choice = compares_a_choice || (same && choices->values.contains(text_of(other->comparators[0])));
    });
    if (is_misspelt && compares_a_choice) text(name, literal, *choices);
  }

  bool owner_declares(const Attribute& named) const {
    program::FunctionId at = program_.function_at(module_, named.span.begin);
    while (at.valid() && !program_.functions()[at].owner.valid()) at = program_.functions()[at].enclosing;
    if (!at.valid()) return false;
    const program::Field* field = program_.find_field(program_.functions()[at].owner, named.name.text);
    return field != nullptr && field->in_class_body;
  }

  void text(const Expr& named, const Expr* value, const Choices& choices) {
    const auto* literal = as<Constant>(value);
    if (literal == nullptr || literal->constant_kind != ConstantKind::kStr) return;
    if (declared_.allows(choices, literal->text)) return;
    std::string_view best;
    std::size_t distance = 4;
    for (const std::string_view choice : choices.values) {
      const std::size_t here = edit_distance(choice, literal->text, 3);
      if (here < distance) best = choice, distance = here;
    }
    if (choices.is_plain && distance > kMisspelt) return;
    std::vector<std::string> listed;
    for (const std::string_view choice : choices.values) listed.push_back("`" + std::string(choice) + "`");
    Finding finding = finding_at(program_, kRule, module_, value->span);
    finding.severity = Severity::kP1;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kCorrectness;
    finding.message = fmt::format("`{}` is compared with `{}`, which is not one of its choices",
                                  quote(facts_, named.span), literal->text);
    finding.why = fmt::format("It is declared to be one of {}, so the comparison never holds.", join(listed, ", "));
    finding.fix = best.empty() ? "Use one of the declared choices, or declare this one."
                               : fmt::format("Probably `{}` is meant.", best);
    finding.evidence.push_back(evidence_at(program_, choices.module, choices.span, "its choices are declared here"));
    hits_.push_back(hit_of(program_, module_, std::move(finding)));
  }

  const Program& program_;
  Declarations& declared_;
  const ModuleId module_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
};

}  // namespace

void run_undeclared_choice(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, Declarations> declared;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        const auto at = declared.try_emplace(&program, program).first;
        Scan(program, at->second, module, hits).run();
      },
      findings);
}

}  // namespace lockstep::rules
