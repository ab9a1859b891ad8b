#include "report/documents/correctness/exiting_blocks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_exit(const Stmt& statement) {
  const auto* call = as<Call>(thrown_away_by(statement));
  const std::string name = call == nullptr ? std::string() : dotted_text(call->callee);
  return name == "sys.exit" || name == "os._exit" || name == "exit";
}

}  // namespace

bool ends_process(const Node& function, Span place) {
  const std::vector<const Node*> around = chain_to(function, place);
  return std::any_of(around.begin(), around.end(), [&](const Node* node) {
    const auto* branch = as<If>(node);
    if (branch == nullptr) return false;
    const Seq<Stmt>& body = branch->body;
    const bool holds =
        std::any_of(body.begin(), body.end(), [&](const Stmt* one) { return one->span.contains(place); });
    return holds && is_exit(*body.back());
  });
}

}  // namespace lockstep::report
