#include "rules/syntax/expressions.h"

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"

namespace lockstep::rules {

using namespace python;

const Expr* keyword_value(const Call& call, std::string_view name) {
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text == name) return keyword->value;
  }
  return nullptr;
}

bool has_spread_keywords(const Call& call) {
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text.empty()) return true;
  }
  return false;
}

bool has_spread_arguments(const Call& call) {
  for (const Expr* argument : call.arguments) {
    if (is<Starred>(argument)) return true;
  }
  return false;
}

bool is_none(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kNone;
}

std::optional<NoneTest> none_test(const Expr& condition) {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1 || !is_none(compare->comparators[0])) return std::nullopt;
  const CompareOperator op = compare->ops[0];
  const bool by_identity = op == CompareOperator::kIs || op == CompareOperator::kIsNot;
  if (!by_identity && op != CompareOperator::kEq && op != CompareOperator::kNotEq) return std::nullopt;
  return NoneTest{compare->left, op == CompareOperator::kIs || op == CompareOperator::kEq, by_identity};
}

bool is_true(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kTrue;
}

bool is_false(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kFalse;
}

std::string_view text_of(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kStr ? constant->text : std::string_view();
}

bool is_place(const Expr& expression) {
  if (is<Name>(&expression)) return true;
  const auto* attribute = as<Attribute>(&expression);
  return attribute != nullptr && is_place(*attribute->value);
}

std::string argparse_destination(const Call& call) {
  if (const Expr* dest = keyword_value(call, "dest")) return std::string(text_of(dest));
  std::string_view first_short;
  for (const Expr* argument : call.arguments) {
    const std::string_view option = text_of(argument);
    if (option.empty()) return {};
    if (option.starts_with("--")) return replace_all(option.substr(2), "-", "_");
    if (option.starts_with("-") && first_short.empty()) first_short = option.substr(1);
  }
  return replace_all(first_short, "-", "_");
}

bool is_log_call(const Expr* expression) {
  static constexpr std::string_view kNames[] = {"debug",
                                                "error",
                                                "exception",
                                                "info",
                                                "log",
                                                "log_on_each_pipeline_stage",
                                                "log_single_rank",
                                                "print",
                                                "print_rank_0",
                                                "print_rank_last",
                                                "warn",
                                                "warn_rank_0",
                                                "warning"};
  const auto* call = as<Call>(expression);
  if (call == nullptr) return false;
  const auto* method = as<Attribute>(call->callee);
  const std::string_view name = method != nullptr ? method->name.text : name_of(call->callee);
  // `torch.log(x)` computes; a logger's own is called on a logger.
  if (name == "log" && (method == nullptr || !root_name(method->value).starts_with("log"))) return false;
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::string_view self_attribute(const Expr* expression) {
  const auto* attribute = as<Attribute>(expression);
  const auto* self = attribute == nullptr ? nullptr : as<Name>(attribute->value);
  return self != nullptr && self->id == "self" ? attribute->name.text : std::string_view();
}

std::string_view name_of(const Expr* expression) {
  const auto* name = as<Name>(expression);
  return name == nullptr ? std::string_view() : name->id;
}

std::string_view root_name(const Expr* expression) {
  while (expression != nullptr) {
    if (const auto* attribute = as<Attribute>(expression)) {
      expression = attribute->value;
    } else if (const auto* subscript = as<Subscript>(expression)) {
      expression = subscript->value;
    } else if (const auto* call = as<Call>(expression)) {
      expression = call->callee;
    } else {
      return name_of(expression);
    }
  }
  return {};
}

Seq<Comprehension> comprehension_generators(const Node& node) {
  if (const auto* list = as<ListComp>(&node)) return list->generators;
  if (const auto* set = as<SetComp>(&node)) return set->generators;
  if (const auto* dictionary = as<DictComp>(&node)) return dictionary->generators;
  const auto* generator = as<GeneratorExp>(&node);
  return generator == nullptr ? Seq<Comprehension>() : generator->generators;
}

bool mentions_name(const Node& node, std::string_view name) {
  const auto* itself = as<Name>(&node);
  bool found = itself != nullptr && itself->id == name;
  walk(node, Nested::kEnter, [&](const Node* child) {
    const auto* read = as<Name>(child);
    found = found || (read != nullptr && read->id == name);
    return !found;
  });
  return found;
}

bool mentions_attribute(const Node& node, std::string_view name) {
  const auto* itself = as<Attribute>(&node);
  bool found = itself != nullptr && itself->name.text == name;
  walk(node, Nested::kEnter, [&](const Node* child) {
    const auto* attribute = as<Attribute>(child);
    found = found || (attribute != nullptr && attribute->name.text == name);
    return !found;
  });
  return found;
}

bool calls_name(const Node& node, std::string_view last_part) {
  const auto* itself = as<Call>(&node);
  bool found = itself != nullptr && last_part_of(itself->callee) == last_part;
  walk(node, Nested::kEnter, [&](const Node* child) {
    const auto* call = as<Call>(child);
    found = found || (call != nullptr && last_part_of(call->callee) == last_part);
    return !found;
  });
  return found;
}

std::string dotted_text(const Expr* expression) {
  std::vector<std::string_view> parts;
  while (const auto* attribute = as<Attribute>(expression)) {
    parts.push_back(attribute->name.text);
    expression = attribute->value;
  }
  const auto* name = as<Name>(expression);
  if (name == nullptr) return {};
  std::string out(name->id);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) out.append(".").append(*part);
  return out;
}

bool leaves(const Stmt& statement) {
  return is<Return>(&statement) || is<Raise>(&statement) || is<Continue>(&statement) || is<Break>(&statement);
}

bool is_in_try(const Node& function, Span span) {
  bool found = false;
  walk_of<Try>(function, Nested::kSkip, [&](const Try* attempt) {
    found = found || (!attempt->handlers.empty() && attempt->span.contains(span) &&
                      span.end <= attempt->handlers[0]->span.begin);
  });
  return found;
}

std::vector<Seq<Stmt>> blocks_of(const Node& function) {
  std::vector<Seq<Stmt>> blocks;
  const auto add = [&](Seq<Stmt> block) { blocks.push_back(block); };
  for_each_block(function, add);
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    if (!is<FunctionDef>(statement) && !is<ClassDef>(statement)) for_each_block(*statement, add);
  });
  return blocks;
}

bool is_parenthesised(const FileFacts& facts, Span span) {
  std::uint32_t at = span.begin;
  while (at > 0) {
    const char c = facts.source().slice({at - 1, at})[0];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\\') return c == '(';
    --at;
  }
  return false;
}

}  // namespace lockstep::rules
