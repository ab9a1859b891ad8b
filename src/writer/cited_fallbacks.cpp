// What code takes for a name where nothing, or `None`, was given: what "defaults to 5" may mean of a parameter that is
// declared with `None`. `x = x or 5`, `5 if x is None else x`, `if x is None: x = 5`, `getattr(args, "x", 5)`.
//
// Asked by the name's spelling alone: the more code of that spelling there is, the more is true of it. A value that is
// worked out leaves open what it is, but only where the code asks for the name first: that some other class gives an
// attribute of this spelling a value says nothing of the default.
#include <algorithm>
#include <array>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/identifiers.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"
#include "writer/cited_facts.h"

namespace lockstep::writer {

namespace {

using namespace python;

constexpr std::size_t kDocumentedNear = 400;  // bytes from a name to the words that tell its default

bool is_constant(const Expr* expression) {
  if (const auto* sign = as<UnaryOp>(expression)) return is_constant(sign->operand);
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind != ConstantKind::kEllipsis;
}

/// "x" of `x`, `self.x` and `kwargs["x"]`; empty for others.
std::string_view spelled(const Expr* expression) {
  if (const auto* name = as<Name>(expression)) return name->id;
  if (const auto* attribute = as<Attribute>(expression)) return attribute->name.text;
  if (const auto* item = as<Subscript>(expression)) return rules::text_of(item->index);
  return {};
}

/// The value for where there is none of `getattr(o, "x", V)`, `d.get("x", V)` and their like; null for others.
const Expr* asked_default(const Call& call, std::string_view name) {
  const std::string_view callee = report::callee_name(call);
  const std::size_t at = callee == "getattr" ? 1 : 0;
  const bool asks = callee == "getattr" || callee == "get" || callee == "pop" || callee == "setdefault";
  const bool has_both = call.arguments.size() == at + 2;
  return asks && has_both && rules::text_of(call.arguments[at]) == name ? call.arguments[at + 1] : nullptr;
}

class FallbackScan {
 public:
  FallbackScan(const SourceText& source, std::string_view name, CitedFacts::Fallbacks& found)
      : source_(source), name_(name), found_(found) {}

  void block(Seq<Stmt> statements, bool is_asked) {
    for (const Stmt* statement : statements) {
      visit(*statement, is_asked);
      // What follows `if x is not None: return …` is what is done without it.
      const auto* branch = as<If>(statement);
      is_asked = is_asked || (branch != nullptr && rules::leaves(*branch->body.back()) && mentions(*branch->condition));
    }
  }

 private:
  bool is_mention(const Node& node) const {
    if (!is_expression(&node)) return false;
    const auto* expression = static_cast<const Expr*>(&node);
    return spelled(expression) == name_ || rules::text_of(expression) == name_;
  }
  bool mentions(const Node& node) const {
    bool found = is_mention(node);
    walk(node, Nested::kEnter, [&](const Node* one) { found = found || is_mention(*one); });
    return found;
  }

  /// `value` stands for the name; with `may_be_open` one that is worked out leaves it open.
  void take(const Expr* value, bool may_be_open) {
    if (value == nullptr || spelled(value) == name_) return;
    if (is_constant(value)) {
      found_.values.emplace(source_.slice(value->span));
    } else if (const auto* either = as<BoolOp>(value)) {
      for (const Expr* one : either->values) take(one, may_be_open);
    } else if (const auto* choice = as<IfExp>(value)) {
      take(choice->body, may_be_open);
      take(choice->orelse, may_be_open);
    } else {
      // What is made of the value itself may put one in where there is none.
      const bool is_of_itself = is<Call>(value) && mentions(*value);
      found_.is_open = found_.is_open || may_be_open || is_of_itself;
    }
  }

  void assign(const Expr* target, const Expr* value, bool is_asked) {
    const auto* targets = as<Tuple>(target);
    const auto* values = as<Tuple>(value);
    if (targets == nullptr) {
      if (spelled(target) == name_) {
        take(value, is_asked);
      } else if (is_asked && is_constant(value)) {  // `if lr is None: self._lr = 0.1`
        take(value, false);
      }
      return;
    }
    const bool are_paired = values != nullptr && values->elements.size() == targets->elements.size();
    for (std::size_t i = 0; i < targets->elements.size(); ++i)
      assign(targets->elements[i], are_paired ? values->elements[i] : value, is_asked);
  }

  void visit(const Node& node, bool is_asked) {
    if (const auto* assigned = as<Assign>(&node)) {
      for (const Expr* target : assigned->targets) assign(target, assigned->value, is_asked);
    } else if (const auto* declared = as<AnnAssign>(&node)) {
      if (declared->value != nullptr) assign(declared->target, declared->value, is_asked);
    } else if (const auto* named = as<NamedExpr>(&node)) {
      assign(named->target, named->value, is_asked);
    } else if (const auto* returned = as<Return>(&node)) {
      if (is_asked && returned->value != nullptr) take(returned->value, is_asked);
    } else if (const auto* either = as<BoolOp>(&node);
               either != nullptr && either->op == BoolOperator::kOr && !is_condition_) {
      bool is_behind = false;
      for (const Expr* value : either->values) {
        if (is_behind) take(value, true);
        is_behind = is_behind || mentions_as_value(*value);
      }
    } else if (const auto* choice = as<IfExp>(&node); choice != nullptr && mentions(*choice->condition)) {
      take(choice->body, true);
      take(choice->orelse, true);
    } else if (const auto* call = as<Call>(&node)) {
      take(asked_default(*call, name_), true);
      if (report::callee_name(*call) == "setattr" && call->arguments.size() == 3 &&
          rules::text_of(call->arguments[1]) == name_)
        take(call->arguments[2], is_asked);
    }
    const auto* branch = as<If>(&node);
    const bool asks = is_asked || (branch != nullptr && mentions(*branch->condition));
    // The body of a function knows nothing of what was asked around its definition.
    const bool below = asks && !is<FunctionDef>(&node);
    if (const auto* cls = as<ClassDef>(&node)) {
      // What a class declares is none of what code puts in its place.
      for (const Stmt* statement : cls->body) {
        if (!is<AnnAssign>(statement)) visit(*statement, false);
      }
      return;
    }
    for_each_block(node, [&](Seq<Stmt> statements) { block(statements, below); });
    for_each_child(node, [&](const Node* child) {
      // Statements stand in the blocks; what holds blocks of its own (handlers, cases) gave them to for_each_block.
      if (is_statement(child) || is<ExceptHandler>(child) || is<MatchCase>(child)) return;
      const bool was_condition = is_condition_;
      is_condition_ = child == condition_of(node) || (was_condition && is<BoolOp>(&node));
      visit(*child, below);
      is_condition_ = was_condition;
    });
  }

  /// What is only asked for its truth: `x or y` puts nothing in the place of x there.
  static const Expr* condition_of(const Node& node) {
    if (const auto* branch = as<If>(&node)) return branch->condition;
    if (const auto* loop = as<While>(&node)) return loop->condition;
    if (const auto* check = as<Assert>(&node)) return check->test;
    const auto* choice = as<IfExp>(&node);
    return choice == nullptr ? nullptr : choice->condition;
  }

  /// `x`, or `getattr(args, "x", None)`.
  bool mentions_as_value(const Expr& expression) const {
    const auto* call = as<Call>(&expression);
    return spelled(&expression) == name_ || (call != nullptr && mentions(*call));
  }

  const SourceText& source_;
  std::string_view name_;
  CitedFacts::Fallbacks& found_;
  bool is_condition_ = false;  ///< What is visited is asked for its truth.
};

/// Whether another entry begins in the lines: "depth (int): …", "depth: int = 3", "def run(", not "help=" of the same.
bool begins_other_entry(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kOfArguments = {"help",    "type",    "dest", "action",
                                                                   "choices", "metavar", "nargs"};
  const std::vector<std::string_view> lines = split(text, '\n');
  return std::any_of(lines.begin() + 1, lines.end(), [&](std::string_view line) {
    line = trim(line);
    const std::string_view word = line.substr(0, identifier_length(line));
    const std::string_view behind = line.substr(word.size());
    if (word == "def" || word == "class" || contains(line, "add_argument(")) return true;
    if (word.empty() || std::find(kOfArguments.begin(), kOfArguments.end(), word) != kOfArguments.end()) return false;
    return behind.starts_with(':') || behind.starts_with('=') || behind.starts_with(" =") || behind.starts_with(" (");
  });
}

/// Whether a text of the code (a comment, a docstring, a help) says behind the name that it defaults to the value.
bool tells_default(std::string_view bytes, std::string_view name, std::string_view value) {
  for (std::size_t at = find_name(bytes, name); at != std::string_view::npos; at = find_name(bytes, name, at + 1)) {
    const std::string_view near = bytes.substr(at + name.size(), kDocumentedNear);
    for (std::size_t told = near.find("efault"); told != std::string_view::npos; told = near.find("efault", told + 1)) {
      if (begins_other_entry(near.substr(0, told))) break;
      std::string_view rest = near.substr(told + 6);
      if (rest.starts_with('=')) continue;  // `default=None` is code
      for (const std::string_view lead : {"s", " value", " is", " to", ":", " =", " of", " "}) {
        if (rest.starts_with(lead)) rest.remove_prefix(lead.size());
      }
      rest = rest.substr(0, rest.find('\n'));
      while (!rest.empty() && std::string_view(" `'\"").find(rest.front()) != std::string_view::npos)
        rest.remove_prefix(1);
      if (find_name(rest.substr(0, value.size() + 1), value) == 0) return true;
    }
  }
  return false;
}

}  // namespace

CitedFacts::Fallbacks CitedFacts::fallbacks_of(std::string_view name) const {
  Fallbacks found;
  for (const Side& side : sides_) {
    for (const program::Module& module : side.program->modules()) {
      const SourceText& source = module.facts->source();
      if (find_name(source.bytes(), name) == std::string_view::npos) continue;
      FallbackScan scan(source, name, found);
      for_each_block(*side.program->functions()[module.body].node,
                     [&](Seq<Stmt> statements) { scan.block(statements, false); });
    }
  }
  return found;
}

void CitedFacts::add_asked_defaults(const Side& side, std::string_view name, std::set<std::string>& defaults) {
  for (const program::Module& module : side.program->modules()) {
    const SourceText& source = module.facts->source();
    if (!is_quoted_in(source.bytes(), name)) continue;
    walk_of<Call>(*side.program->functions()[module.body].node, Nested::kEnter, [&](const Call* call) {
      const Expr* value = asked_default(*call, name);
      if (value != nullptr && spelled(value) != name) defaults.emplace(source.slice(value->span));
    });
  }
}

bool CitedFacts::documents_default(std::string_view name, std::string_view value) const {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'')) value = value.substr(1, value.size() - 2);
  return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
    const auto& modules = side.program->modules();
    return std::any_of(modules.begin(), modules.end(), [&](const program::Module& one) {
      return tells_default(one.facts->source().bytes(), name, value);
    });
  });
}

}  // namespace lockstep::writer
