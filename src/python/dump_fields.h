// The writer behind dump.h: for each kind of node, its class name in `ast` and its fields in the order of `ast`.
#pragma once

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
  // dump.cpp: the parts that values are written in; each but begin() starts with a comma.
  void begin(std::string_view cls, const Node* node);
  void begin_without_position(std::string_view cls);
  void child(const Node* node);
  template <class T>
  void children(Seq<T> nodes);
  void text(std::string_view value);
  void name(const Identifier& value);
  void names(Identifiers values);
  void bytes(std::string_view value);
  void boolean(bool value) { out_ += value ? ",1" : ",0"; }
  void constant(const Constant& value);
  void parameters(const Parameters& parameters);
  void parameter(const Parameter& parameter);
  void defaults(const Parameters& parameters, bool keyword_only);

  // dump_fields.cpp
  void statement(const Node* node);
  void definition(const Node* node);
  void block_statement(const Node* node);
  void expression(const Node* node);
  void comprehension(const Node* node);
  void pattern_or_part(const Node* node);
  void part(const Node* node);

  const ParsedFile& file_;
  std::string& out_;
};

template <class T>
void Dumper::children(Seq<T> nodes) {
  out_ += ",[";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) out_ += ',';
    if (nodes[i] == nullptr) {
      out_ += "null";
    } else {
      node(nodes[i]);
    }
  }
  out_ += ']';
}

}  // namespace lockstep::python::dump_internal
