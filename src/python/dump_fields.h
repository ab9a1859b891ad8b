// The writer behind dump.h: for each kind of node, its class name in `ast` and its fields in the order of `ast`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "python/dump.h"

namespace lockstep::python::dump_internal {

std::string_view name_of(BinaryOperator op);
std::string_view name_of(UnaryOperator op);
std::string_view name_of(CompareOperator op);
std::string_view name_of(ExprContext context);
std::string_view name_of(ConstantKind kind);

class Dumper {
 public:
  Dumper(const ParsedFile& file, std::string& out) : file_(file), out_(out) {}
  void node(const Node* node);

 private:
  // dump.cpp: how values are written. Each field starts with a comma.
  void begin(std::string_view cls, const Node* node);
  void field(const Node* child);
  template <class T>
  void field(Seq<T> children);
  void field(std::string_view text);
  void field(const Identifier& name);  ///< null where it is empty
  void field(Identifiers names);
  void field(std::span<const CompareOperator> ops);
  void field(int number);
  void bytes(std::string_view value);
  void constant(const Constant& value);
  void parameters(const Parameters& parameters);
  void parameter(const Parameter& parameter);
  void defaults(const Parameters& parameters, bool keyword_only);
  template <class Write>
  void list(std::size_t count, Write write);

  /// A whole node. Its class starts with `~` where `ast` gives it no position.
  template <class... Fields>
  void put(std::string_view cls, const Node* node, const Fields&... fields) {
    begin(cls, node);
    (field(fields), ...);
    out_ += ']';
  }

  // dump_fields.cpp
  void definition(const Node* node);
  void block_statement(const Node* node);
  void assignment(const Node* node);
  void statement(const Node* node);
  void operation(const Node* node);
  void comprehension(const Node* node);
  void expression(const Node* node);
  void pattern(const Node* node);
  void part(const Node* node);
  void type_param(const TypeParam& param);

  const ParsedFile& file_;
  std::string& out_;
};

template <class Write>
void Dumper::list(std::size_t count, Write write) {
  out_ += ",[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out_ += ',';
    write(i);
  }
  out_ += ']';
}

template <class T>
void Dumper::field(Seq<T> children) {
  list(children.size(), [&](std::size_t i) {
    if (children[i] == nullptr) {
      out_ += "null";
    } else {
      node(children[i]);
    }
  });
}

}  // namespace lockstep::python::dump_internal
