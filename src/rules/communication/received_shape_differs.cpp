// received-shape-differs: before a broadcast one branch on the rank makes the tensor that is sent and the other one the
// tensor that takes it (`flags = torch.tensor([a, b, c])`, else `flags = torch.zeros(2)`), and they have not the same
// number of elements, or not the same type. A question where they differ by a dimension that may be 1.
//
// Left out: tensors that a branch gets from elsewhere, sizes and types that are not written at the call that makes the
// tensor, branches that are not on a rank or a stage, and what a branch assigns in two ways.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "received-shape-differs";
constexpr auto kBySize = std::to_array<std::string_view>({"empty", "ones", "rand", "randn", "zeros"});
constexpr auto kOfRanks = std::to_array<std::string_view>({"coordinator", "master", "rank", "src", "stage"});
/// Other names of types.
constexpr auto kAliases = std::to_array<std::pair<std::string_view, std::string_view>>({{"double", "float64"},
                                                                                        {"float", "float32"},
                                                                                        {"half", "float16"},
                                                                                        {"int", "int32"},
                                                                                        {"long", "int64"},
                                                                                        {"short", "int16"}});

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view type_of_name(std::string_view name) {
  for (const auto& [alias, type] : kAliases) {
    if (alias == name) return type;
  }
  return name;
}

std::optional<std::uint64_t> number_of(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  if (constant == nullptr || constant->constant_kind != ConstantKind::kInt) return std::nullopt;
  std::uint64_t number = 0;
  const std::string_view text = constant->text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// How many elements a tensor has, and of which type, as the call that makes it says.
struct Made {
  std::uint64_t number = 1;             ///< Product of the dimensions that are numbers.
  std::vector<std::string> dimensions;  ///< The others, as they are written; sorted.
  bool may_be_more = false;             ///< `[a, b]`: each may be a list itself.
  std::string_view type;                ///< Empty where it is not said.

  [[nodiscard]] bool operator==(const Made&) const = default;
};

class Reader {
 public:
  Reader(const Program& program, FunctionId function, const FileFacts& facts)
      : program_(program), function_(function), facts_(facts) {}

  /// Nullopt where the expression is no call that says so.
  [[nodiscard]] std::optional<Made> read(const Expr& expression) const {
    const auto* call = as<Call>(&expression);
    if (call == nullptr || has_spread_arguments(*call) || has_spread_keywords(*call)) return std::nullopt;
    const program::Reference callee = program_.resolve(function_, *call->callee);
    if (callee.kind == program::Reference::Kind::kExternal && callee.name.starts_with("torch."))
      return made_by(*call, std::string_view(callee.name).substr(6));
    const auto* method = as<Attribute>(call->callee);
    if (method == nullptr) return std::nullopt;
    std::optional<Made> made = read(*method->value);
    if (!made) return std::nullopt;
    const std::string_view name = method->name.text;
    if (name == "cuda" || name == "contiguous" || name == "cpu") return made;
    if (name == "to") {
      made->type = {};
      return made;
    }
    const auto alias =
        std::find_if(kAliases.begin(), kAliases.end(), [&](const auto& one) { return one.first == name; });
    if (alias == kAliases.end()) return std::nullopt;
    made->type = alias->second;
    return made;
  }

 private:
  [[nodiscard]] std::optional<Made> made_by(const Call& call, std::string_view name) const {
    Made made;
    if (const auto* type = as<Attribute>(keyword_value(call, "dtype"))) made.type = type_of_name(type->name.text);
    if (call.arguments.empty()) return std::nullopt;
    bool is_known = false;
    if (name == "tensor") {
      is_known = add_values(*call.arguments[0], made);
    } else if (is_one_of(kBySize, name)) {
      is_known = call.arguments.size() == 1 ? add_size(*call.arguments[0], made) : add_dimensions(call.arguments, made);
    } else if (name == "full") {
      is_known = add_list(*call.arguments[0], made);
    }
    if (!is_known) return std::nullopt;
    std::sort(made.dimensions.begin(), made.dimensions.end());
    return made;
  }

  /// `torch.tensor(5)`, `torch.tensor([a, b])`, `torch.tensor([0] * 4)`.
  static bool add_values(const Expr& values, Made& made) {
    if (const auto* product = as<BinOp>(&values); product != nullptr && product->op == BinaryOperator::kMult) {
      const auto times = number_of(product->right);
      if (!times || !is<List>(product->left)) return false;
      made.number *= *times;
      return add_values(*product->left, made);
    }
    const auto* list = as<List>(&values);
    if (list == nullptr) return number_of(&values).has_value();
    made.number *= list->elements.size();
    for (const Expr* element : list->elements) {
      if (is<Starred>(element)) return false;
      made.may_be_more = made.may_be_more || !is_number(*element);
    }
    return true;
  }

  static bool is_number(const Expr& value) {
    const auto* call = as<Call>(&value);
    const std::string_view callee = call == nullptr ? std::string_view() : name_of(call->callee);
    return is<Constant>(&value) || is<Compare>(&value) || callee == "int" || callee == "float" || callee == "bool" ||
           callee == "len";
  }

  /// The one argument of `torch.empty`: a name may be a number or all of a shape.
  bool add_size(const Expr& size, Made& made) const {
    if (const auto number = number_of(&size)) {
      made.number *= *number;
      return true;
    }
    return add_list(size, made);
  }

  bool add_list(const Expr& size, Made& made) const {
    if (const auto* list = as<List>(&size)) return add_dimensions(list->elements, made);
    const auto* tuple = as<Tuple>(&size);
    return tuple != nullptr && add_dimensions(tuple->elements, made);
  }

  bool add_dimensions(Seq<Expr> dimensions, Made& made) const {
    for (const Expr* dimension : dimensions) {
      if (is<Starred>(dimension)) return false;
      if (const auto number = number_of(dimension)) {
        made.number *= *number;
      } else {
        made.dimensions.push_back(squeezed(facts_, dimension->span));
      }
    }
    return true;
  }

  const Program& program_;
  const FunctionId function_;
  const FileFacts& facts_;
};

/// How two tensors differ.
struct Unlike {
  bool is_certain = false;
  std::string one, other;  ///< "3 elements", "`torch.int64`", "the dimension `n`".
};

std::optional<Unlike> difference(const Made& one, const Made& other) {
  const auto elements = [](std::uint64_t count) { return fmt::format("{} element{}", count, count == 1 ? "" : "s"); };
  if (one.dimensions == other.dimensions) {
    const auto fits = [](const Made& a, const Made& b) {
      return a.number == b.number || (a.may_be_more && a.number != 0 && b.number % a.number == 0);
    };
    if (!fits(one, other) && !fits(other, one)) {
      const std::string times = one.dimensions.empty() ? std::string() : " times the rest";
      return Unlike{true, elements(one.number) + times, elements(other.number) + times};
    }
  } else if (one.number == other.number && !one.may_be_more && !other.may_be_more) {
    const Made& more = one.dimensions.size() > other.dimensions.size() ? one : other;
    const Made& less = &more == &one ? other : one;
    if (!std::includes(more.dimensions.begin(), more.dimensions.end(), less.dimensions.begin(), less.dimensions.end()))
      return std::nullopt;
    std::vector<std::string> rest;
    std::set_difference(more.dimensions.begin(), more.dimensions.end(), less.dimensions.begin(), less.dimensions.end(),
                        std::back_inserter(rest));
    const std::string with = fmt::format("the dimension `{}`", rest.front()), without = "no such dimension";
    return &more == &one ? Unlike{false, with, without} : Unlike{false, without, with};
  }
  if (!one.type.empty() && !other.type.empty() && one.type != other.type)
    return Unlike{true, fmt::format("the type `torch.{}`", one.type), fmt::format("`torch.{}`", other.type)};
  return std::nullopt;
}

bool asks_for_rank(const Expr& condition) {
  bool found = false;
  const auto look = [&](const Node* node) {
    std::string_view name;
    if (const auto* bare = as<Name>(node)) name = bare->id;
    if (const auto* attribute = as<Attribute>(node)) name = attribute->name.text;
    found = found || std::any_of(kOfRanks.begin(), kOfRanks.end(),
                                 [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
  };
  look(&condition);
  walk(condition, Nested::kSkip, look);
  return found;
}

/// What a tensor is made by, and where.
struct Source {
  Made made;
  Span span;
};

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), reader_(program, function, facts_) {}

  void run() {
    for (const program::CallId id : row_.calls) {
      const program::CallSite& site = program_.calls()[id];
      const auto* call = as<Call>(site.node);
      if (call == nullptr || site.targets.size() != 1 || site.targets[0].external != "torch.distributed.broadcast")
        continue;
      const Expr* tensor = keyword_value(*call, "tensor");
      if (tensor == nullptr && !call->arguments.empty()) tensor = call->arguments[0];
      if (!name_of(tensor).empty()) check(*call, name_of(tensor));
    }
  }

 private:
  /// The statements that run before the call, those of the inmost block first, each block backwards.
  [[nodiscard]] std::vector<const Stmt*> before(const Call& call) const {
    std::vector<const Stmt*> statements;
    const Node* around = row_.node;
    while (around != nullptr) {
      const Node* next = nullptr;
      for_each_block(*around, [&](Seq<Stmt> block) {
        const auto holder =
            std::find_if(block.begin(), block.end(), [&](const Stmt* one) { return one->span.contains(call.span); });
        if (holder == block.end()) return;
        next = *holder;
        statements.insert(statements.begin(), std::make_reverse_iterator(holder),
                          std::make_reverse_iterator(block.begin()));
      });
      around = next;
    }
    return statements;
  }

  /// All values that the block gives the name, made alike; nullopt where one is not known, or it gives none.
  [[nodiscard]] std::optional<Source> made_in(Seq<Stmt> block, std::string_view name) const {
    std::optional<Source> source;
    bool is_known = true;
    int stores = 0, assigns = 0;
    const auto look = [&](const Node* node) {
      const auto* assign = as<Assign>(node);
      if (assign == nullptr || assign->targets.size() != 1 || name_of(assign->targets[0]) != name) {
        const auto* bound = as<Name>(node);
        const bool is_assigned = bound != nullptr && bound->id == name && bound->context == ExprContext::kStore;
        if (is_assigned) ++stores;
        return;
      }
      ++assigns;
      const std::optional<Made> made = reader_.read(*assign->value);
      is_known = is_known && made && (!source || source->made == *made);
      if (made && !source) source = Source{*made, assign->span};
    };
    for (const Stmt* statement : block) {
      look(statement);
      walk(*statement, Nested::kSkip, look);
    }
    return is_known && stores == assigns ? source : std::nullopt;
  }

  static bool mentions_store(const Stmt& statement, std::string_view name) {
    bool found = false;
    walk_of<Name>(statement, Nested::kSkip,
                  [&](const Name* one) { found = found || (one->id == name && one->context == ExprContext::kStore); });
    return found;
  }

  void check(const Call& call, std::string_view name) {
    const std::vector<const Stmt*> statements = before(call);
    const auto stores = [&](const Stmt* one) { return mentions_store(*one, name); };
    const auto last = std::find_if(statements.begin(), statements.end(), stores);
    const auto* branch = last == statements.end() ? nullptr : as<If>(*last);
    if (branch == nullptr || !asks_for_rank(*branch->condition)) return;
    const std::optional<Source> one = made_in(branch->body, name);
    std::optional<Source> other;
    if (!branch->orelse.empty()) {
      if (is<If>(branch->orelse.front())) return;  // an `elif`: more ways than two
      other = made_in(branch->orelse, name);
    } else {
      const auto earlier = std::find_if(last + 1, statements.end(), stores);
      if (earlier != statements.end() && is<Assign>(*earlier)) {
        const Stmt* whole[] = {*earlier};
        other = made_in(Seq<Stmt>(whole), name);
      }
    }
    if (!one || !other) return;
    if (const std::optional<Unlike> unlike = difference(one->made, other->made))
      report(call, name, *one, *other, *unlike);
  }

  void report(const Call& call, std::string_view name, const Source& one, const Source& other, const Unlike& unlike) {
    Hit hit = make_hit(
        program_, kRule, row_.module, call.span,
        {unlike.is_certain ? Severity::kP1 : Severity::kP2,
         unlike.is_certain ? FindingCertainty::kLikely : FindingCertainty::kQuestion, Category::kDistributed,
         fmt::format("`{}` has {} on the ranks of one branch and {} on the others, and is broadcast between them", name,
                     unlike.one, unlike.other),
         "A broadcast takes one size and one type on all ranks. Otherwise they wait for each other, or read what "
         "nobody sent.",
         fmt::format("Make `{}` with the same size and `dtype` in both.", name)});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, one.span, "one branch makes it here"));
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, other.span, "the others have this"));
    hit.key += fmt::format(" {} {} {}", name, unlike.one, unlike.other);
    hits_.push_back(std::move(hit));
  }

  const Reader reader_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  if (!row.facts->has_name("broadcast")) return;
  for (const FunctionId function : row.functions) {
    if (program.functions()[function].def() != nullptr) FunctionScan(program, function, hits).run();
  }
}

}  // namespace

void run_received_shape_differs(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
