#include "report/story/trails/local_flow.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/syntax/method_names.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Methods that put an argument into what they are called on.
bool puts(std::string_view method) {
  return rules::fills(method) || method == "copy_" || method == "put" || method == "put_nowait";
}

/// Functions of torch.distributed that fill one argument from another.
bool exchanges(std::string_view function) {
  return contains(function, "gather") || contains(function, "broadcast") || contains(function, "scatter") ||
         contains(function, "all_to_all") || contains(function, "all_reduce");
}

class Flow {
 public:
  Flow(const program::Program& program, const FunctionDef& function, const std::vector<const Node*>& sources,
       std::string_view parameter)
      : program_(program), sources_(sources.begin(), sources.end()) {
    if (!parameter.empty()) names_.insert(std::string(parameter));
    std::size_t known = SIZE_MAX;
    constexpr int kMostRounds = 12;
    for (int round = 0; round < kMostRounds && known != names_.size(); ++round) {
      known = names_.size();
      walk(function, Nested::kSkip, [&](const Node* node) { look_at(*node); });
    }
  }

  [[nodiscard]] bool is_in(const Node& node) const {
    if (is_one(node)) return true;
    if (is<FunctionDef>(&node) || is<Lambda>(&node)) return false;
    const auto* call = as<Call>(&node);
    const bool is_own = call != nullptr && !callees_of(program_, call).empty();
    bool found = false;
    for_each_child(node, [&](const Node* child) {
      if (!found && !(is_own && child == call->callee)) found = is_in(*child);
    });
    return found;
  }

 private:
  [[nodiscard]] bool is_one(const Node& node) const {
    if (sources_.contains(&node)) return true;
    if (!is<Name>(&node) && !is<Attribute>(&node)) return false;
    return names_.contains(dotted_text(static_cast<const Expr*>(&node)));
  }

  void add(const Expr* target) {
    if (target == nullptr) return;
    if (const auto* tuple = as<Tuple>(target)) {
      for (const Expr* one : tuple->elements) add(one);
    } else if (const auto* list = as<python::List>(target)) {
      for (const Expr* one : list->elements) add(one);
    } else if (const auto* starred = as<Starred>(target)) {
      add(starred->value);
    } else if (const auto* item = as<Subscript>(target)) {
      add(item->value);
    } else if (std::string name = dotted_text(target); !name.empty()) {
      names_.insert(std::move(name));
    }
  }

  void assign(const Expr* target, const Expr* value) {
    const auto* targets = as<Tuple>(target);
    const auto* values = as<Tuple>(value);
    if (targets != nullptr && values != nullptr && targets->elements.size() == values->elements.size()) {
      for (std::size_t i = 0; i < targets->elements.size(); ++i) assign(targets->elements[i], values->elements[i]);
    } else if (value != nullptr && is_in(*value)) {
      add(target);
    }
  }

  void look_at(const Node& node) {
    if (const auto* assigned = as<Assign>(&node)) {
      for (const Expr* target : assigned->targets) assign(target, assigned->value);
    } else if (const auto* declared = as<AnnAssign>(&node)) {
      assign(declared->target, declared->value);
    } else if (const auto* added = as<AugAssign>(&node)) {
      assign(added->target, added->value);
    } else if (const auto* named = as<NamedExpr>(&node)) {
      assign(named->target, named->value);
    } else if (const auto* loop = as<For>(&node)) {
      assign(loop->target, loop->iterable);
    } else if (const auto* part = as<Comprehension>(&node)) {
      assign(part->target, part->iterable);
    } else if (const auto* call = as<Call>(&node)) {
      const auto* method = as<Attribute>(call->callee);
      const bool has = std::any_of(call->arguments.begin(), call->arguments.end(),
                                   [&](const Expr* argument) { return is_in(*argument); });
      if (has && method != nullptr && puts(method->name.text)) add(method->value);
      if (has && exchanges(callee_name(*call))) {
        for (const Expr* argument : call->arguments) add(argument);
      }
    }
  }

  const program::Program& program_;
  std::set<const Node*> sources_;
  std::set<std::string> names_;
};

}  // namespace

bool goes_into(const program::Program& program, const FunctionDef& function, const std::vector<const Node*>& sources,
               std::string_view parameter, const std::vector<const Node*>& targets) {
  const Flow flow(program, function, sources, parameter);
  return std::any_of(targets.begin(), targets.end(), [&](const Node* one) { return flow.is_in(*one); });
}

}  // namespace lockstep::report
