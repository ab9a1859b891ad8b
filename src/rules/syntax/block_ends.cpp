// Which statements end their block, as far as their own text shows.

#include <algorithm>
#include <array>

#include "python/tree_walk.h"
#include "rules/syntax/flow.h"
#include "rules/syntax/flow_state.h"

namespace lockstep::rules {
namespace {

using namespace python;

// Functions of the standard library, argparse and pytest that never return.
constexpr std::array<std::string_view, 12> kExits = {"sys.exit",     "os._exit",     "os.abort",    "exit",
                                                     "quit",         "parser.error", "pytest.skip", "pytest.fail",
                                                     "pytest.xfail", "pytest.exit",  "self.fail",   "self.skipTest"};

bool is_dotted(const Expr* expression, std::string_view dotted) {
  const std::size_t dot = dotted.find('.');
  if (dot == std::string_view::npos) {
    const auto* name = as<Name>(expression);
    return name != nullptr && name->id == dotted;
  }
  const auto* attribute = as<Attribute>(expression);
  const auto* base = attribute == nullptr ? nullptr : as<Name>(attribute->value);
  return base != nullptr && base->id == dotted.substr(0, dot) && attribute->name.text == dotted.substr(dot + 1);
}

/// `self._parser.error(…)`, `arg_parser.error(…)`: argparse leaves the process.
bool is_parser_error(const Call& call) {
  const auto* method = as<Attribute>(call.callee);
  if (method == nullptr || method->name.text != "error") return false;
  const auto* name = as<Name>(method->value);
  const auto* attribute = as<Attribute>(method->value);
  const std::string_view object = name != nullptr        ? name->id
                                  : attribute != nullptr ? attribute->name.text
                                                         : std::string_view{};
  return object.ends_with("parser");
}

bool block_ends(Seq<Stmt> block) {
  return std::any_of(block.begin(), block.end(), [](const Stmt* statement) { return ends_block(*statement); });
}

/// A `break` that leaves this loop (not one of a loop inside it).
bool has_break(Seq<Stmt> block) {
  for (const Stmt* statement : block) {
    if (is<Break>(statement)) return true;
    if (is<For>(statement) || is<While>(statement) || is<FunctionDef>(statement) || is<ClassDef>(statement)) continue;
    bool inside = false;
    for_each_block(*statement, [&](Seq<Stmt> inner) { inside = inside || has_break(inner); });
    if (inside) return true;
  }
  return false;
}

bool returns_or_yields(Seq<Stmt> body) {
  bool found = false;
  for (const Stmt* statement : body) {
    found = found || is<Return>(statement);
    walk(*statement, Nested::kSkip,
         [&](const Node* node) { found = found || is<Return>(node) || is<Yield>(node) || is<YieldFrom>(node); });
  }
  return found;
}

}  // namespace

bool ends_block(const Stmt& statement) {
  switch (statement.kind) {
    case NodeKind::kReturn:
    case NodeKind::kRaise:
    case NodeKind::kBreak:
    case NodeKind::kContinue:
      return true;
    case NodeKind::kAssert:
      return is_constant_false(*as<Assert>(&statement)->test);
    case NodeKind::kExprStmt: {
      const auto* call = as<Call>(as<ExprStmt>(&statement)->value);
      return call != nullptr && (is_parser_error(*call) || std::any_of(kExits.begin(), kExits.end(), [&](auto dotted) {
                                   return is_dotted(call->callee, dotted);
                                 }));
    }
    case NodeKind::kIf: {
      const auto& branch = *as<If>(&statement);
      return block_ends(branch.body) && block_ends(branch.orelse);
    }
    case NodeKind::kWhile: {
      const auto& loop = *as<While>(&statement);
      return is_constant_true(*loop.condition) && !has_break(loop.body);
    }
    case NodeKind::kTry: {
      const auto& attempt = *as<Try>(&statement);
      if (block_ends(attempt.finally_body)) return true;
      const bool body_ends = block_ends(attempt.body) || block_ends(attempt.orelse);
      return body_ends && std::all_of(attempt.handlers.begin(), attempt.handlers.end(),
                                      [](const ExceptHandler* handler) { return block_ends(handler->body); });
    }
    default:
      return false;  // A `with` may swallow an exception.
  }
}

bool always_raises(Seq<Stmt> body) {
  if (returns_or_yields(body)) return false;
  // A body that is nothing but `raise NotImplementedError` is an interface: what overrides it returns.
  const Stmt* last = body.empty() ? nullptr : body.back();
  if (const auto* raise = as<Raise>(last)) {
    const Expr* exception = raise->exception;
    if (const auto* call = as<Call>(exception)) exception = call->callee;
    if (is_dotted(exception, "NotImplementedError")) return false;
  }
  return block_ends(body);
}

bool may_swallow(const With& statement) {
  return std::any_of(statement.items.begin(), statement.items.end(), [](const WithItem* item) {
    const auto* call = as<Call>(item->context);
    if (call == nullptr) return false;
    const auto* attribute = as<Attribute>(call->callee);
    const auto* name = as<Name>(call->callee);
    const std::string_view text = attribute != nullptr ? attribute->name.text : name != nullptr ? name->id : "";
    return text == "suppress" || text == "raises" || text.starts_with("assertRaises");
  });
}

bool is_irrefutable(const MatchCase& match_case) {
  const auto* capture = as<MatchAs>(match_case.pattern);
  return match_case.guard == nullptr && capture != nullptr && capture->pattern == nullptr;
}

}  // namespace lockstep::rules
