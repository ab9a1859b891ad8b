// global-group-read: a function that is given its process groups (`pg_collection`, `tp_group`), itself or by its
// constructor, and yet asks the process-wide parallel state about the same dimension
// (`get_tensor_model_parallel_rank()`).
// A question where a class takes no groups, but one of the same file with the same bases takes one of that dimension.
//
// Of a collection whose class the repository declares, only the dimensions for which that class has a field: another
// one cannot be taken from it.
//
// Left out: fall-backs for a group that was not given (`if group is None`, `group or get_…()`, a default), functions
// of the module that holds the state, and getters whose names tell no dimension.

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow.h"

namespace lockstep::rules {
namespace {

using namespace python;
using mesh::Bits;
using mesh::DimensionTable;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "global-group-read";

/// The groups that a function has at hand.
struct Given {
  std::vector<std::pair<Bits, std::string_view>> groups;  ///< Single groups, with the parameters' names.
  std::string_view collection;                            ///< The parameter that holds several; may be empty.
  FunctionId taken_by;                                    ///< Whose parameters they are.
  bool is_own = false;       ///< Parameters of the function itself, not of its class's constructor.
  std::string_view sibling;  ///< Another class of the file, whose parameters they are; empty for those at hand.

  [[nodiscard]] bool empty() const { return groups.empty() && collection.empty(); }
  /// The parameter that knows about these dimensions; empty where none does.
  [[nodiscard]] std::string_view holder_of(Bits bits) const {
    for (const auto& [spans, name] : groups) {
      if (spans == bits) return name;
    }
    return collection;
  }
};

Given groups_among(const DimensionTable& table, const Parameters& parameters) {
  Given given;
  for (const Parameter* parameter : parameters.all) {
    const std::string_view name = parameter->name.text;
    if (DimensionTable::is_group_holder(name)) {
      given.collection = name;
    } else if (const auto group = table.group_named(name); group && !group->subset_only) {
      if ((group->bits & mesh::kNamedBits) == mesh::kNamedBits) continue;
      given.groups.emplace_back(group->bits, name);
    }
  }
  return given;
}

/// The class of the repository that an annotation names, alone or beside None ("Optional[Groups]"); none for others.
program::ClassId class_named_by(const Program& program, FunctionId context, const Expr* annotation) {
  std::vector<program::ClassId> classes;
  const auto add = [&](const program::Reference& reference) {
    if (reference.kind == program::Reference::Kind::kClass) classes.push_back(reference.cls);
  };
  const auto look = [&](const Node* node) {
    if (is<Name>(node) || is<Attribute>(node)) add(program.resolve(context, *static_cast<const Expr*>(node)));
    const auto* text = as<Constant>(node);
    if (text != nullptr && text->constant_kind == ConstantKind::kStr)
      add(program.resolve(program.functions()[context].module, text->text));
  };
  if (annotation == nullptr) return {};
  look(annotation);
  walk(*annotation, Nested::kEnter, look);
  return classes.size() == 1 ? classes[0] : program::ClassId();
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), queries_(program, function), function_(function) {}

  void run() {
    given_ = given_to();
    if (given_.empty() && row_.owner.valid()) given_ = given_to_sibling();
    if (!given_.empty()) block(row_.def()->body);
  }

 private:
  Given given_to() const {
    Given given = groups_among(table_, *row_.def()->parameters);
    if (!given.empty()) {
      given.is_own = true;
      given.taken_by = function_;
      return given;
    }
    if (!row_.owner.valid() || row_.name == "__init__") return {};
    const FunctionId constructor = program_.find_method(row_.owner, "__init__");
    if (!constructor.valid() || program_.functions()[constructor].def() == nullptr) return {};
    given = groups_among(table_, *program_.functions()[constructor].def()->parameters);
    given.taken_by = constructor;
    return given;
  }

  /// The class of the collection, where the repository declares it with all of its fields in plain sight.
  program::ClassId class_of_collection() const {
    if (!given_.taken_by.valid()) return {};
    for (const Parameter* parameter : program_.functions()[given_.taken_by].def()->parameters->all) {
      if (parameter->name.text != given_.collection) continue;
      const program::ClassId cls = class_named_by(program_, given_.taken_by, parameter->annotation);
      const bool is_open = !cls.valid() || program_.find_method(cls, "__getattr__").valid() ||
                           !program_.classes()[cls].external_ancestors.empty();
      return is_open ? program::ClassId() : cls;
    }
    return {};
  }

  /// `groups.tp` for tp, `groups` where the collection's class is not known; empty where it has no such field.
  std::string place_of(Bits bits) const {
    const std::string_view holder = given_.holder_of(bits);
    const program::ClassId cls = holder == given_.collection ? class_of_collection() : program::ClassId();
    if (!cls.valid()) return std::string(holder);
    for (const program::ClassId above : program_.classes()[cls].linearized) {
      for (const program::Field& field : program_.classes()[above].fields) {
        const mesh::NamedDimensions named = table_.dimensions_in(field.name);
        if (named.bits == bits && !named.subset_only) return fmt::format("{}.{}", holder, field.name);
      }
    }
    return {};
  }

  /// What another class of the file, which is no base and no subclass, takes in the method of the same name or in its
  /// constructor. Single groups alone: whoever holds a collection has many purposes.
  Given given_to_sibling() const {
    for (const program::ClassId cls : program_.modules()[row_.module].classes) {
      const program::Class& sibling = program_.classes()[cls];
      if (cls == row_.owner || sibling.bases != program_.classes()[row_.owner].bases ||
          sibling.external_bases != program_.classes()[row_.owner].external_bases)
        continue;
      for (const FunctionId method : sibling.methods) {
        const program::Function& other = program_.functions()[method];
        if (other.def() == nullptr || (other.name != row_.name && other.name != "__init__")) continue;
        Given given = groups_among(table_, *other.def()->parameters);
        given.collection = {};
        given.sibling = sibling.name;
        if (!given.empty()) return given;
      }
    }
    return {};
  }

  /// Code that asks whether a group is there decides for itself.
  static bool asks_for_group(const Node& condition) {
    bool found = false;
    const auto look = [&](const Node* node) {
      const auto* name = as<Name>(node);
      const auto* attribute = as<Attribute>(node);
      const auto* text = as<Constant>(node);
      const std::string_view word = name != nullptr        ? name->id
                                    : attribute != nullptr ? attribute->name.text
                                    : text != nullptr && text->constant_kind == ConstantKind::kStr ? text->text
                                                                                                   : std::string_view();
      found = found || contains(word, "group") || contains(word, "pg") || contains(word, "initialized");
    };
    look(&condition);
    walk(condition, Nested::kEnter, look);
    return found;
  }

  static bool asks_for_none(const Node& condition) {
    bool found = false;
    const auto look = [&](const Node* node) {
      const auto* compare = as<Compare>(node);
      if (compare == nullptr || compare->ops.size() != 1 || !is_none(compare->comparators[0])) return;
      const std::string_view name = last_part_of(compare->left);
      found = found || contains(name, "size") || contains(name, "rank");
    };
    look(&condition);
    walk(condition, Nested::kEnter, look);
    return found || asks_for_group(condition);
  }

  /// What follows `if group is not None: return …` is the fall-back.
  void block(Seq<Stmt> statements) {
    for (const Stmt* statement : statements) {
      visit(*statement);
      const auto* branch = as<If>(statement);
      if (branch != nullptr && asks_for_none(*branch->condition) && ends_block(*branch->body.back())) return;
    }
  }

  void visit(const Node& node) {
    if (is<FunctionDef>(&node) || is<ClassDef>(&node) || is<Assert>(&node)) return;
    if (const auto* branch = as<If>(&node); branch != nullptr && asks_for_none(*branch->condition)) return;
    if (const auto* choice = as<IfExp>(&node); choice != nullptr && asks_for_none(*choice->condition)) return;
    if (const auto* either = as<BoolOp>(&node);
        either != nullptr && either->op == BoolOperator::kOr && asks_for_group(*either->values[0]))
      return;
    if (is<Try>(&node)) return;  // A try is a fall-back, too.
    if (const auto* call = as<Call>(&node)) check(*call);
    if (!is_statement(&node)) return for_each_child(node, [&](const Node* child) { visit(*child); });
    for_each_block(node, [&](Seq<Stmt> statements) { block(statements); });
    for_each_child(node, [&](const Node* child) {
      if (!is_statement(child) && !is<ExceptHandler>(child) && !is<MatchCase>(child)) visit(*child);
    });
  }

  bool is_parameter(std::string_view name) const {
    const auto& all = row_.def()->parameters->all;
    return std::any_of(all.begin(), all.end(), [&](const Parameter* each) { return each->name.text == name; });
  }

  void check(const Call& call) {
    const std::string_view name = last_part_of(call.callee);
    const bool asks = name.starts_with("get_") &&
                      (name.ends_with("_rank") || name.ends_with("_world_size") || name.ends_with("_group"));
    if (!asks || (!call.arguments.empty() && !is_flag(*call.arguments[0]))) return;
    const program::CallId id = program_.call_of(&call);
    if (!id.valid() || program_.calls()[id].targets.size() != 1) return;
    const program::CallTarget& target = program_.calls()[id].targets[0];
    if (!target.function.valid() || !is_state(target.function)) return;
    const Bits bits = dimensions_of(call, name);
    if (bits == 0 || given_.holder_of(bits).empty() || place_of(bits).empty() || is_parameter(root_name(call.callee)))
      return;
    report(call, name, bits, target.function);
  }

  static bool is_flag(const Expr& expression) {
    const auto* constant = as<Constant>(&expression);
    return constant != nullptr && constant->constant_kind != ConstantKind::kStr;
  }

  /// Reads a variable of its module: process-wide state.
  bool is_state(FunctionId getter) const {
    const program::Function& row = program_.functions()[getter];
    if (row.owner.valid() || row.module == row_.module || row.def() == nullptr) return false;
    for (const Parameter* parameter : row.def()->parameters->all) {
      if (contains(parameter->name.text, "group") && !contains(parameter->name.text, "check")) return false;
    }
    const FileFacts& facts = *program_.modules()[row.module].facts;
    const auto& scope = facts.scopes.begin()->bindings;
    bool reads = false;
    walk(*row.node, Nested::kSkip, [&](const Node* node) {
      const auto* name = as<Name>(node);
      if (name == nullptr || reads || !name->id.starts_with('_')) return;
      for (const Binding& binding : scope) {
        reads = reads || (binding.name == name->id &&
                          (binding.kind == BindingKind::kAssign || binding.kind == BindingKind::kAnnotation));
      }
    });
    return reads || calls_group_getter(*row.node);
  }

  static bool calls_group_getter(const Node& node) {
    bool found = false;
    walk_of<Call>(node, Nested::kSkip, [&](const Call* call) {
      const std::string_view name = last_part_of(call->callee);
      found = found || (name.starts_with("get_") && name.ends_with("_group"));
    });
    return found;
  }

  Bits dimensions_of(const Call& call, std::string_view name) const {
    if (const auto query = queries_.of(call)) return query->dimensions;
    return name.ends_with("_group") ? queries_.group(call).value_or(0) : 0;
  }

  void report(const Call& call, std::string_view name, Bits bits, FunctionId getter) {
    const std::string_view holder = given_.holder_of(bits);
    const bool asks = !given_.sibling.empty();
    std::string message =
        asks ? fmt::format("`{}` of the same file takes `{}`; should `{}` take it, too, instead of asking `{}`?",
                           given_.sibling, holder, program_.classes()[row_.owner].name, name)
             : fmt::format("`{}` asks the process-wide state about {}, although `{}` {}", name, queries_.describe(bits),
                           holder, given_.is_own ? "is passed in" : "was passed to the constructor");
    Hit hit = make_hit(
        program_, kRule, row_.module, call.span,
        {Severity::kP2, asks ? FindingCertainty::kQuestion : FindingCertainty::kLikely, Category::kDistributed,
         std::move(message),
         "A caller that passes groups of its own gets ranks and sizes of others, and two models with different groups "
         "cannot live in one process.",
         asks ? fmt::format("Take `{}` as a parameter.", holder) : fmt::format("Take it from `{}`.", place_of(bits))});
    const program::Function& row = program_.functions()[getter];
    hit.finding.evidence.push_back(
        evidence_at(program_, row.module, row.def()->name.span, fmt::format("`{}` reads the state here", name)));
    hits_.push_back(std::move(hit));
  }

  const GroupQueries queries_;
  FunctionId function_;
  const DimensionTable table_;
  Given given_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (text.find("group") == std::string_view::npos || text.find("get_") == std::string_view::npos) return;
  for (const FunctionId function : program.modules()[module].functions) {
    if (program.functions()[function].def() != nullptr) FunctionScan(program, function, hits).run();
  }
}

}  // namespace

void run_global_group_read(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
