#include "report/source/standing_texts.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::report {

std::vector<Span> standing_texts(const python::Module& tree) {
  std::vector<Span> spans;
  python::walk_of<python::ExprStmt>(tree, python::Nested::kEnter, [&](const python::ExprStmt* statement) {
    const auto* constant = python::as<python::Constant>(statement->value);
    if (constant != nullptr && constant->constant_kind == python::ConstantKind::kStr) spans.push_back(constant->span);
  });
  return spans;
}

bool StandingTexts::holds(program::ModuleId module, std::uint32_t offset) const {
  auto known = spans_.find(module);
  if (known == spans_.end())
    known = spans_.emplace(module, standing_texts(program_.modules()[module].facts->tree())).first;
  return std::any_of(known->second.begin(), known->second.end(),
                     [&](const Span& span) { return span.contains(offset); });
}

}  // namespace lockstep::report
