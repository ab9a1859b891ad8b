// Parameters of functions and lambdas.
#include "python/parser_impl.h"

namespace lockstep::python {

struct Parser::ParameterState {
  TokenKind end;
  bool is_lambda;
  std::size_t mark;
  bool saw_slash = false;
  bool saw_star = false;
  bool saw_default = false;
  bool saw_double_star = false;
  bool star_needs_name = false;  ///< A bare `*` must be followed by a keyword-only parameter.
};

// `name`, `name: annotation`, each with `= default` where the kind allows it.
Parameter* Parser::parse_named_parameter(ParameterState& state, Parameter::Kind kind) {
  const std::uint32_t begin = tok_.begin;
  const bool has_star = kind == Parameter::Kind::kVarArgs;
  const Identifier name = expect_identifier("expected a parameter");
  const Expr* annotation = nullptr;
  if (!state.is_lambda && accept(TokenKind::kColon)) {
    annotation = has_star ? parse_star_expression() : parse_expression();
  }
  auto* node = make<Parameter>(begin);
  node->parameter_kind = kind;
  node->name = name;
  node->annotation = annotation;
  const bool can_have_default = !has_star && kind != Parameter::Kind::kVarKeywords;
  if (can_have_default && accept(TokenKind::kAssign)) node->default_value = parse_expression();
  raise_over(node, {annotation, node->default_value});
  push(node);
  return node;
}

void Parser::parse_star_parameter(ParameterState& state) {
  if (state.saw_star) fail("* may appear only once");
  advance();
  state.saw_star = true;
  if (at(TokenKind::kComma)) {
    state.star_needs_name = true;
  } else {
    parse_named_parameter(state, Parameter::Kind::kVarArgs);
  }
}

void Parser::parse_parameter(ParameterState& state) {
  if (state.saw_double_star) fail("parameters cannot follow var-keyword parameter");
  switch (tok_.kind) {
    case TokenKind::kStar:
      parse_star_parameter(state);
      break;
    case TokenKind::kDoubleStar:
      if (state.star_needs_name) fail("named parameters must follow bare *");
      advance();
      state.saw_double_star = true;
      parse_named_parameter(state, Parameter::Kind::kVarKeywords);
      break;
    case TokenKind::kSlash:
      if (state.saw_slash || state.saw_star || stack_.size() == state.mark) fail("unexpected '/' among parameters");
      advance();
      state.saw_slash = true;
      for (std::size_t i = state.mark; i < stack_.size(); ++i) {
        auto* parameter = const_cast<Parameter*>(static_cast<const Parameter*>(stack_[i]));  // ours, being built
        parameter->parameter_kind = Parameter::Kind::kPositionalOnly;
      }
      break;
    default: {
      const auto kind = state.saw_star ? Parameter::Kind::kKeywordOnly : Parameter::Kind::kPositionalOrKeyword;
      const Parameter* parameter = parse_named_parameter(state, kind);
      state.star_needs_name = false;
      if (state.saw_star) break;
      if (state.saw_default && parameter->default_value == nullptr) {
        fail_at(parameter->span, "parameter without a default follows parameter with a default");
      }
      state.saw_default = parameter->default_value != nullptr;
    }
  }
}

// Up to, not including, `end`.
const Parameters* Parser::parse_parameters(TokenKind end, bool is_lambda) {
  ParameterState state{end, is_lambda, stack_.size()};
  const std::uint32_t begin = tok_.begin;
  bool is_first = true;
  while (!at(end) && !failed_) {
    parse_parameter(state);
    is_first = false;
    if (!accept(TokenKind::kComma)) break;
  }
  if (state.star_needs_name && !failed_) fail("named parameters must follow bare *");
  auto* node = make<Parameters>(begin);
  if (is_first) node->span = {begin, begin};
  node->all = pop_nodes<Parameter>(state.mark);
  raise_over(node, node->all);
  return node;
}

}  // namespace lockstep::python
