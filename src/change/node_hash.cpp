#include "change/node_hash.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "python/tree_walk.h"

namespace lockstep::change {

using namespace python;  // NOLINT: this file is about python's nodes and nothing else.

namespace {

constexpr std::uint64_t kBlockMark = 0x51ed270b7f1a2c33u;
constexpr std::uint64_t kInnerCall = 0x2545f4914f6cdd1du;

template <class T>
const T& to(const Node& node) {
  return static_cast<const T&>(node);
}

/// Whether an expression reads as a type: `"T"`, `_Like`, `nn.Module`, `int`, `list[T]`, `A | None`.
bool looks_like_type(const Expr& expression) {
  static constexpr std::string_view kPlain[] = {"bool", "bytes",  "dict", "float", "frozenset", "int",
                                                "list", "object", "set",  "str",   "tuple",     "type"};
  const auto is_named_so = [](std::string_view name) {
    while (name.starts_with('_')) name.remove_prefix(1);
    const bool is_capital = !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
    return is_capital || std::find(std::begin(kPlain), std::end(kPlain), name) != std::end(kPlain);
  };
  if (const auto* text = as<Constant>(&expression)) return text->constant_kind == ConstantKind::kStr;
  if (const auto* name = as<Name>(&expression)) return is_named_so(name->id);
  if (const auto* member = as<Attribute>(&expression)) return is_named_so(member->name.text);
  if (const auto* part = as<Subscript>(&expression)) return looks_like_type(*part->value);
  const auto* either = as<BinOp>(&expression);
  return either != nullptr && looks_like_type(*either->left);
}

/// The value of `cast(T, x)`, `typing.cast(T, x)`; null for other nodes.
const Expr* cast_value(const Node& node) {
  const auto* call = as<Call>(&node);
  if (call == nullptr || call->arguments.size() != 2 || !call->keywords.empty()) return nullptr;
  const auto* name = as<Name>(call->callee);
  const auto* member = as<Attribute>(call->callee);
  const auto* module = member == nullptr ? nullptr : as<Name>(member->value);
  const bool is_cast = (name != nullptr && name->id == "cast") ||
                       (module != nullptr && member->name.text == "cast" &&
                        (module->id == "typing" || module->id == "t" || module->id == "typing_extensions"));
  return is_cast && looks_like_type(*call->arguments[0]) ? call->arguments[1] : nullptr;
}

std::uint64_t flags(bool a, bool b = false, bool c = false) {
  return static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b) << 1 | static_cast<std::uint64_t>(c) << 2;
}

std::uint64_t hash_names(Identifiers names) {
  std::uint64_t hash = names.size();
  for (const Identifier& name : names) hash = mix(hash, hash64(name.text));
  return hash;
}

std::uint64_t null_keys(Seq<Expr> keys) {
  std::uint64_t hash = keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == nullptr) hash = mix(hash, i);
  }
  return hash;
}

std::uint64_t operators_of(const Compare& compare) {
  std::uint64_t hash = 0;
  for (const CompareOperator op : compare.ops) hash = mix(hash, static_cast<std::uint64_t>(op));
  return hash;
}

std::uint64_t statement_payload(const Node& node) {
  switch (node.kind) {
    case NodeKind::kFunctionDef: {
      const auto& def = to<FunctionDef>(node);
      return mix(hash64(def.name.text), flags(def.is_async, def.returns != nullptr));
    }
    case NodeKind::kClassDef:
      return hash64(to<ClassDef>(node).name.text);
    case NodeKind::kAssign:
      return to<Assign>(node).targets.size();
    case NodeKind::kAugAssign:
      return static_cast<std::uint64_t>(to<AugAssign>(node).op);
    case NodeKind::kAnnAssign:
      return flags(to<AnnAssign>(node).is_simple, to<AnnAssign>(node).value != nullptr);
    case NodeKind::kFor:
      return flags(to<For>(node).is_async);
    case NodeKind::kWith:
      return flags(to<With>(node).is_async);
    case NodeKind::kTry:
      return flags(to<Try>(node).is_star);
    case NodeKind::kImportFrom:
      return hash64(to<ImportFrom>(node).module.text, to<ImportFrom>(node).level);
    case NodeKind::kGlobal:
      return hash_names(to<Global>(node).names);
    case NodeKind::kNonlocal:
      return hash_names(to<Nonlocal>(node).names);
    default:
      return 0;
  }
}

std::uint64_t expression_payload(const Node& node) {
  switch (node.kind) {
    case NodeKind::kBoolOp:
      return static_cast<std::uint64_t>(to<BoolOp>(node).op);
    case NodeKind::kBinOp:
      return static_cast<std::uint64_t>(to<BinOp>(node).op);
    case NodeKind::kUnaryOp:
      return static_cast<std::uint64_t>(to<UnaryOp>(node).op);
    case NodeKind::kCompare:
      return operators_of(to<Compare>(node));
    case NodeKind::kDict:
      return null_keys(to<Dict>(node).keys);
    case NodeKind::kFormattedValue:
      return mix(static_cast<std::uint64_t>(to<FormattedValue>(node).conversion),
                 flags(to<FormattedValue>(node).format_spec != nullptr));
    case NodeKind::kConstant:
      return hash64(to<Constant>(node).text, static_cast<std::uint64_t>(to<Constant>(node).constant_kind));
    case NodeKind::kAttribute:
      return hash64(to<Attribute>(node).name.text);
    case NodeKind::kName:
      return hash64(to<Name>(node).id);
    case NodeKind::kSlice:
      return flags(to<Slice>(node).lower != nullptr, to<Slice>(node).upper != nullptr, to<Slice>(node).step != nullptr);
    default:
      return 0;
  }
}

std::uint64_t part_payload(const Node& node) {
  switch (node.kind) {
    case NodeKind::kMatchSingleton:
      return static_cast<std::uint64_t>(to<MatchSingleton>(node).value);
    case NodeKind::kMatchMapping:
      return hash64(to<MatchMapping>(node).rest.text);
    case NodeKind::kMatchClass:
      return hash_names(to<MatchClass>(node).keyword_names);
    case NodeKind::kMatchStar:
      return hash64(to<MatchStar>(node).name.text);
    case NodeKind::kMatchAs:
      return hash64(to<MatchAs>(node).name.text);
    case NodeKind::kParameter: {
      const auto& parameter = to<Parameter>(node);
      return mix(hash64(parameter.name.text, static_cast<std::uint64_t>(parameter.parameter_kind)),
                 flags(parameter.annotation != nullptr, parameter.default_value != nullptr));
    }
    case NodeKind::kKeyword:
      return hash64(to<Keyword>(node).name.text);
    case NodeKind::kAlias:
      return mix(hash64(to<Alias>(node).name.text), hash64(to<Alias>(node).as_name.text));
    case NodeKind::kComprehension:
      return flags(to<Comprehension>(node).is_async);
    case NodeKind::kExceptHandler:
      return hash64(to<ExceptHandler>(node).name.text);
    case NodeKind::kTypeParam:
      return mix(hash64(to<TypeParam>(node).name.text, static_cast<std::uint64_t>(to<TypeParam>(node).type_param_kind)),
                 flags(to<TypeParam>(node).bound != nullptr, to<TypeParam>(node).default_value != nullptr));
    default:
      return 0;
  }
}

}  // namespace

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (std::rotl(hash, 23) ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

const Constant* bare_string(const Stmt& statement) {
  const auto* expression = as<ExprStmt>(&statement);
  const auto* constant = expression == nullptr ? nullptr : as<Constant>(expression->value);
  return constant != nullptr && constant->constant_kind == ConstantKind::kStr ? constant : nullptr;
}

bool NodeHasher::leaves_out(const Stmt& statement) const {
  if (statement.kind == NodeKind::kPass || bare_string(statement) != nullptr) return true;
  if (leave_out_.definitions && (is<FunctionDef>(&statement) || is<ClassDef>(&statement))) return true;
  if (leave_out_.imports && (is<Import>(&statement) || is<ImportFrom>(&statement))) return true;
  return leave_out_.statements != nullptr && leave_out_.statements->contains(&statement);
}

std::uint64_t NodeHasher::token(const Node& node) const {
  const auto kind = static_cast<std::uint64_t>(node.kind) + 1;
  if (node.kind == NodeKind::kErrorStmt || node.kind == NodeKind::kErrorExpr) {
    return mix(kind, hash64(source_->slice(node.span)));
  }
  if (is_statement(&node)) return mix(kind, statement_payload(node));
  if (is_expression(&node)) return mix(kind, expression_payload(node));
  return mix(kind, part_payload(node));
}

std::uint64_t NodeHasher::hash(Seq<Stmt> block) const {
  std::uint64_t hash = kBlockMark;
  for (const Stmt* statement : block) {
    if (!leaves_out(*statement)) hash = mix(hash, hash_root(*statement));
  }
  return hash;
}

std::uint64_t NodeHasher::hash_root(const Node& node) const {
  if (leave_out_.casts) {
    if (const Expr* value = cast_value(node)) return hash_root(*value);
  }
  return mix(token(node), hash_below(node));
}

std::uint64_t NodeHasher::hash_below(const Node& node) const {
  // Parts that are no statements, then the blocks one by one, so that code cannot slip from one block into the next
  // unnoticed. Handlers and cases are parts, with their own blocks.
  std::uint64_t hash = 0;
  for_each_child(node, [&](const Node* child) {
    if (is_statement(child)) return;
    hash = mix(hash, leave_out_.inner_calls && child->kind == NodeKind::kCall ? kInnerCall : hash_root(*child));
  });
  const auto blocks = [&](std::initializer_list<Seq<Stmt>> all) {
    for (const Seq<Stmt> block : all) hash = mix(hash, this->hash(block));
  };
  switch (node.kind) {
    case NodeKind::kModule:
      blocks({to<Module>(node).body});
      break;
    case NodeKind::kFunctionDef:
      blocks({to<FunctionDef>(node).body});
      break;
    case NodeKind::kClassDef:
      blocks({to<ClassDef>(node).body});
      break;
    case NodeKind::kFor:
      blocks({to<For>(node).body, to<For>(node).orelse});
      break;
    case NodeKind::kWhile:
      blocks({to<While>(node).body, to<While>(node).orelse});
      break;
    case NodeKind::kIf:
      blocks({to<If>(node).body, to<If>(node).orelse});
      break;
    case NodeKind::kWith:
      blocks({to<With>(node).body});
      break;
    case NodeKind::kTry:
      blocks({to<Try>(node).body, to<Try>(node).orelse, to<Try>(node).finally_body});
      break;
    case NodeKind::kExceptHandler:
      blocks({to<ExceptHandler>(node).body});
      break;
    case NodeKind::kMatchCase:
      blocks({to<MatchCase>(node).body});
      break;
    default:
      break;
  }
  return hash;
}

void NodeHasher::tokens(const Node& node, std::size_t limit, std::vector<std::uint64_t>& out) const {
  if (out.size() >= limit) return;
  out.push_back(token(node));
  for_each_child(node, [&](const Node* child) {
    if (!is_statement(child) || !leaves_out(static_cast<const Stmt&>(*child))) tokens(*child, limit, out);
  });
}

double dice(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  if (a.empty() && b.empty()) return 1.0;
  std::size_t both = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) {
      ++both, ++i, ++j;
    } else if (*i < *j) {
      ++i;
    } else {
      ++j;
    }
  }
  return 2.0 * static_cast<double>(both) / static_cast<double>(a.size() + b.size());
}

std::vector<std::uint64_t> shingles(const std::vector<std::uint64_t>& tokens) {
  if (tokens.size() < 3) {
    std::vector<std::uint64_t> all = tokens;
    std::ranges::sort(all);
    return all;
  }
  std::vector<std::uint64_t> all;
  all.reserve(tokens.size() - 2);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) all.push_back(mix(mix(tokens[i], tokens[i + 1]), tokens[i + 2]));
  std::ranges::sort(all);
  return all;
}

}  // namespace lockstep::change
