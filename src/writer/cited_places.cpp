// Whether a name stands at a place: as a definition, a call or a mention, or with the place inside its definition.
#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::last_part;
using internal::owner_part;
using program::ClassId;
using program::FunctionId;
using program::Program;

// A statement over more lines than these mentions its names at lines of their own.
constexpr std::size_t kLongStatement = 12;
constexpr std::size_t kLinesBehind = 2;

struct Lines {
  std::size_t first = 0, last = 0;  // from 1
  [[nodiscard]] bool holds(std::size_t line) const { return first <= line && line <= last; }
};

Lines lines_of(const SourceText& source, Span span) {
  const std::uint32_t end = span.end > span.begin ? span.end - 1 : span.end;
  return {source.line_of(span.begin) + std::size_t{1}, source.line_of(end) + std::size_t{1}};
}

// The name, or the option that argparse makes it of: "--some-name".
bool mentions(std::string_view text, std::string_view word) {
  if (find_name(text, word) != std::string_view::npos) return true;
  for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at + 2)) {
    std::size_t end = at + 2;
    while (end < text.size() && (text[end] == '-' || text[end] == '_' || (text[end] >= 'a' && text[end] <= 'z') ||
                                 (text[end] >= 'A' && text[end] <= 'Z') || (text[end] >= '0' && text[end] <= '9')))
      ++end;
    if (replace_all(text.substr(at + 2, end - at - 2), "-", "_") == word) return true;
  }
  return false;
}

// A definition, from its first decorator on.
struct Definition {
  Lines all;
  std::size_t head = 0;  // of `def` or `class`
  std::size_t code = 0;  // of the first statement that is no docstring
};

template <class Node>
Definition definition_of(const SourceText& source, const Node& node) {
  Definition found{lines_of(source, node.span), 0, 0};
  found.head = found.all.first;
  found.code = found.all.last + 1;
  for (const python::Stmt* statement : node.body) {
    const auto* text = python::as<python::ExprStmt>(statement);
    const auto* constant = text == nullptr ? nullptr : python::as<python::Constant>(text->value);
    if (constant != nullptr && constant->constant_kind == python::ConstantKind::kStr) continue;
    found.code = lines_of(source, statement->span).first;
    break;
  }
  for (const python::Expr* decorator : node.decorators)
    found.all.first = std::min(found.all.first, lines_of(source, decorator->span).first);
  return found;
}

// The statement that goes over the line, without what stands in its blocks; {0, 0} where none does.
struct Statement {
  const python::Stmt* node = nullptr;
  Span span;
};
Statement statement_at(const python::Node& root, const SourceText& source, std::size_t line) {
  Statement best;
  python::walk_statements(root, python::Nested::kEnter, [&](const python::Stmt* statement) {
    if (!lines_of(source, statement->span).holds(line)) return false;
    Span head = statement->span;
    python::walk_statements(*statement, python::Nested::kEnter, [&](const python::Stmt* inner) {
      if (inner->span.begin > head.begin) head.end = std::min(head.end, inner->span.begin);
      return false;
    });
    best = {statement, head};
    return true;
  });
  return best.node != nullptr && lines_of(source, best.span).holds(line) ? best : Statement();
}

bool calls_over_line(const python::Node& statement, const SourceText& source, std::size_t line, std::string_view name) {
  bool found = false;
  python::walk(statement, python::Nested::kSkip, [&](const python::Node* node) {
    if (const auto* call = python::as<python::Call>(node);
        call != nullptr && lines_of(source, call->span).holds(line)) {
      const std::string_view callee = source.slice(call->callee->span);
      found = found || callee == name || callee.ends_with("." + std::string(name));
    }
  });
  return found;
}

}  // namespace

CitedFacts::Stand CitedFacts::stands_at(std::string_view name, std::string_view path, std::size_t first,
                                        std::size_t last, bool is_range, bool before) const {
  if (before && sides_.size() < 2) return Stand::kUnknown;
  const Side& side = sides_[before ? 1 : 0];
  const Program& program = *side.program;
  const program::ModuleId id = program.find_path(path);
  if (!id.valid()) return Stand::kUnknown;
  const program::Module& module = program.modules()[id];
  const SourceText& source = module.facts->source();
  const std::string_view word = last_part(name), owner = owner_part(name);
  const bool has_owner = !owner.empty() && !classes_named(side, owner).empty();

  bool is_inside = false, is_in_head = false, is_of_another = false;
  const auto hold = [&](const Definition& one, std::string_view of) {
    const bool is_own =
        !has_owner ||
        (!of.empty() && (of == last_part(owner) || derives_in(side, of, owner) || derives_in(side, owner, of)));
    // Of a range that begins inside a few lines may lie behind: blank ones.
    const bool covers = is_range ? (first <= one.head && one.all.first <= last) ||
                                       (one.all.holds(first) && last <= one.all.last + kLinesBehind)
                                 : one.all.first <= first && first <= one.head;
    if (covers && is_own) return true;
    is_of_another = is_of_another || (covers && !is_own && first == one.head);
    const bool is_in = is_own && !is_range && one.all.holds(first);
    (first < one.code ? is_in_head : is_inside) |= is_in;
    return false;
  };
  for (const FunctionId function : module.functions) {
    const program::Function& row = program.functions()[function];
    if (row.name != word || row.def() == nullptr) continue;
    const std::string_view of = row.owner.valid() ? program.classes()[row.owner].name : std::string_view();
    if (hold(definition_of(source, *row.def()), of)) return Stand::kYes;
  }
  for (const ClassId cls : module.classes) {
    const program::Class& row = program.classes()[cls];
    if (row.name != word) continue;
    const std::string_view of = row.owner.valid() ? program.classes()[row.owner].name : std::string_view(owner);
    if (hold(definition_of(source, *row.node), of)) return Stand::kYes;
  }
  if (is_of_another) return Stand::kOfAnother;

  const std::size_t count = source.line_count();
  for (std::size_t line = first; line <= last && line <= count; ++line) {
    if (line > 0 && mentions(source.line(static_cast<std::uint32_t>(line - 1)), word)) return Stand::kYes;
  }
  const Statement statement = statement_at(*program.functions()[module.body].node, source, first);
  if (statement.node != nullptr && !python::is<python::FunctionDef>(statement.node) &&
      !python::is<python::ClassDef>(statement.node)) {
    const Lines all = lines_of(source, statement.span);
    const bool is_short = all.last - all.first < kLongStatement;
    if ((is_short || all.first == first) && mentions(source.slice(statement.span), word)) return Stand::kYes;
    if (calls_over_line(*statement.node, source, first, word)) return Stand::kYes;
  }
  return is_inside ? Stand::kInside : is_in_head ? Stand::kInHead : Stand::kNo;
}

bool CitedFacts::calls_on_line(std::string_view name, std::string_view path, std::size_t line, bool before) const {
  if (before && sides_.size() < 2) return false;
  const Program& program = *sides_[before ? 1 : 0].program;
  const program::ModuleId id = program.find_path(path);
  if (!id.valid()) return false;
  const program::Module& module = program.modules()[id];
  const SourceText& source = module.facts->source();
  const auto begins_here = [&](program::CallId call) {
    const program::CallSite& site = program.calls()[call];
    const auto* node = python::as<python::Call>(site.node);
    if (node == nullptr) return false;
    const bool is_here =
        lines_of(source, node->span).first == line || lines_of(source, node->callee->span).last == line;
    // What is known to be of a library, or built in, leads nowhere.
    return is_here && (site.targets.empty() ||
                       std::any_of(site.targets.begin(), site.targets.end(),
                                   [](const program::CallTarget& target) { return target.function.valid(); }));
  };
  return std::any_of(module.functions.begin(), module.functions.end(), [&](FunctionId function) {
    const program::Function& row = program.functions()[function];
    if (row.name != last_part(name) || row.def() == nullptr || !lines_of(source, row.node->span).holds(line))
      return false;
    return std::any_of(module.functions.begin(), module.functions.end(), [&](FunctionId inner) {
      const program::Function& one = program.functions()[inner];
      return row.node->span.contains(one.node->span) && std::any_of(one.calls.begin(), one.calls.end(), begins_here);
    });
  });
}

std::size_t CitedFacts::definition_line(std::string_view name, std::string_view path, bool before) const {
  if (before && sides_.size() < 2) return 0;
  const Program& program = *sides_[before ? 1 : 0].program;
  const program::ModuleId id = program.find_path(path);
  if (!id.valid()) return 0;
  const program::Module& module = program.modules()[id];
  const SourceText& source = module.facts->source();
  for (const std::string_view wanted : {name, last_part(name)}) {
    for (const FunctionId function : module.functions) {
      const program::Function& row = program.functions()[function];
      if (row.def() != nullptr && internal::ends_with_name(row.qualified_name, wanted))
        return lines_of(source, row.node->span).first;
    }
    for (const ClassId cls : module.classes) {
      const program::Class& row = program.classes()[cls];
      if (internal::ends_with_name(row.qualified_name, wanted)) return lines_of(source, row.node->span).first;
    }
  }
  return 0;
}

bool CitedFacts::defines_beside_module(std::string_view name, std::string_view path) const {
  const bool is_dotted = !owner_part(name).empty();
  const std::string dotted_path = replace_all(path.substr(0, path.rfind('.')), "/", ".");
  if (is_dotted && internal::ends_with_name(dotted_path, name)) return false;
  return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
    const Program& program = *side.program;
    const program::ModuleId id = program.find_path(path);
    if (!id.valid()) return false;
    const program::Module& module = program.modules()[id];
    const auto is_it = [&](std::string_view qualified) {
      // What stands at the top has no dot behind the module's name.
      return internal::ends_with_name(qualified, name) &&
             (is_dotted || qualified.size() == module.name.size() + 1 + name.size());
    };
    return std::any_of(module.functions.begin(), module.functions.end(),
                       [&](FunctionId one) {
                         const program::Function& row = program.functions()[one];
                         return row.def() != nullptr && is_it(row.qualified_name);
                       }) ||
           std::any_of(module.classes.begin(), module.classes.end(),
                       [&](ClassId one) { return is_it(program.classes()[one].qualified_name); });
  });
}

}  // namespace lockstep::writer
