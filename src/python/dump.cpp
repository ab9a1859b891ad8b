#include "python/dump.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/check.h"
#include "python/dump_fields.h"

namespace lockstep::python {

namespace {

std::uint32_t continuation_bits(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) & 0x3fu : 0u;
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
      ++at;
      if (lead == '"' || lead == '\\') out += '\\';
      if (lead < 0x20 || lead == 0x7f) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", lead);
      } else {
        out += static_cast<char>(lead);
      }
      continue;
    }
    const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    std::uint32_t c = lead & (0x7fu >> size);
    for (std::size_t i = 1; i < size; ++i) c = c << 6 | continuation_bits(text, at + i);
    at += size;
    if (c >= 0x10000) {
      c -= 0x10000;
      fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}", 0xd800 + (c >> 10), 0xdc00 + (c & 0x3ff));
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    }
  }
  out += '"';
}

void dump_tree(const ParsedFile& file, std::string& out) { dump_internal::Dumper(file, out).node(file.tree); }

namespace dump_internal {

namespace {

constexpr std::array<std::string_view, 13> kBinaryOperators = {
    "Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv"};
constexpr std::array<std::string_view, 4> kUnaryOperators = {"Invert", "Not", "UAdd", "USub"};
constexpr std::array<std::string_view, 10> kCompareOperators = {"Eq",  "NotEq", "Lt",    "LtE", "Gt",
                                                                "GtE", "Is",    "IsNot", "In",  "NotIn"};
constexpr std::array<std::string_view, 3> kContexts = {"Load", "Store", "Del"};
constexpr std::array<std::string_view, 9> kConstants = {"None",  "True",    "False", "Ellipsis", "int",
                                                        "float", "complex", "str",   "bytes"};

template <class Names, class Enum>
std::string_view name_in(const Names& names, Enum value) {
  CHECK(static_cast<std::size_t>(value) < names.size());
  return names[static_cast<std::size_t>(value)];
}

// Two lone surrogates side by side would read as one character in JSON.
bool has_surrogates(std::string_view text) {
  for (std::size_t at = text.find('\xed'); at != std::string_view::npos; at = text.find('\xed', at + 1)) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xa0) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(BinaryOperator op) { return name_in(kBinaryOperators, op); }
std::string_view name_of(UnaryOperator op) { return name_in(kUnaryOperators, op); }
std::string_view name_of(CompareOperator op) { return name_in(kCompareOperators, op); }
std::string_view name_of(ExprContext context) { return name_in(kContexts, context); }
std::string_view name_of(ConstantKind kind) { return name_in(kConstants, kind); }

void Dumper::begin(std::string_view cls, const Node* node) {
  if (cls.starts_with('~')) {
    fmt::format_to(std::back_inserter(out_), "[\"{}\",0,0,0,0", cls.substr(1));
    return;
  }
  const Position from = file_.source.position_of(node->span.begin), to = file_.source.position_of(node->span.end);
  fmt::format_to(std::back_inserter(out_), "[\"{}\",{},{},{},{}", cls, from.line + 1, from.column, to.line + 1,
                 to.column);
}

void Dumper::field(const Node* child) {
  if (child == nullptr) {
    out_ += ",null";
  } else {
    out_ += ',';
    node(child);
  }
}

void Dumper::field(std::string_view text) {
  out_ += ',';
  append_json_string(text, out_);
}

void Dumper::field(const Identifier& name) {
  if (name.text.empty()) {
    out_ += ",null";
  } else {
    field(name.text);
  }
}

void Dumper::field(Identifiers names) {
  list(names.size(), [&](std::size_t i) { append_json_string(names[i].text, out_); });
}

void Dumper::field(std::span<const CompareOperator> ops) {
  list(ops.size(), [&](std::size_t i) { append_json_string(name_of(ops[i]), out_); });
}

void Dumper::field(int number) { fmt::format_to(std::back_inserter(out_), ",{}", number); }

void Dumper::bytes(std::string_view value) {
  out_ += ",\"";
  for (const char c : value) fmt::format_to(std::back_inserter(out_), "{:02x}", static_cast<unsigned char>(c));
  out_ += '"';
}

void Dumper::constant(const Constant& value) {
  begin("Constant", &value);
  if (value.constant_kind == ConstantKind::kStr && has_surrogates(value.text)) {
    field(std::string_view("wtf-8"));
    bytes(value.text);
  } else if (value.constant_kind == ConstantKind::kBytes) {
    field(std::string_view("bytes"));
    bytes(value.text);
  } else {
    field(name_of(value.constant_kind));
    field(value.text);
  }
  out_ += value.has_u_prefix ? ",\"u\"]" : ",null]";
}

// ast.arguments keeps the parameters apart by kind, and defaults in lists of their own.
void Dumper::parameters(const Parameters& parameters) {
  using Kind = Parameter::Kind;
  const auto of_kind = [&](Kind kind) {
    std::vector<const Parameter*> found;
    for (const Parameter* parameter : parameters.all) {
      if (parameter->parameter_kind == kind) found.push_back(parameter);
    }
    return found;
  };
  const auto all = [&](Kind kind) { field(Seq<Parameter>(of_kind(kind))); };
  const auto one = [&](Kind kind) {
    const auto found = of_kind(kind);
    field(found.empty() ? nullptr : static_cast<const Node*>(found[0]));
  };
  begin("~arguments", &parameters);
  all(Kind::kPositionalOnly);
  all(Kind::kPositionalOrKeyword);
  one(Kind::kVarArgs);
  all(Kind::kKeywordOnly);
  defaults(parameters, true);
  one(Kind::kVarKeywords);
  defaults(parameters, false);
  out_ += ']';
}

// Keyword-only parameters: one entry each, null where there is none. Others: those that there are.
void Dumper::defaults(const Parameters& parameters, bool keyword_only) {
  std::vector<const Expr*> found;
  for (const Parameter* parameter : parameters.all) {
    const bool is_keyword_only = parameter->parameter_kind == Parameter::Kind::kKeywordOnly;
    if (is_keyword_only != keyword_only) continue;
    if (keyword_only || parameter->default_value != nullptr) found.push_back(parameter->default_value);
  }
  field(Seq<Expr>(found));
}

void Dumper::parameter(const Parameter& parameter) { put("arg", &parameter, parameter.name, parameter.annotation); }

void Dumper::node(const Node* node) {
  if (is_statement(node)) {
    statement(node);
  } else if (is_expression(node)) {
    expression(node);
  } else {
    pattern(node);
  }
}

}  // namespace dump_internal

}  // namespace lockstep::python
