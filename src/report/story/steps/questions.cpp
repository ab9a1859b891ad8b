#include "report/story/steps/questions.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

using Words = std::set<std::string_view>;

constexpr std::string_view kAsking[] = {"hasattr", "getattr"};

bool asks_attribute(const Call& call) {
  const auto* callee = as<Name>(call.callee);
  return callee != nullptr && std::find(std::begin(kAsking), std::end(kAsking), callee->id) != std::end(kAsking);
}

/// `"x"` of `hasattr(a, "x")`, without its quotes; empty for others.
std::string_view attribute_asked(const Call& call) {
  if (!asks_attribute(call) || call.arguments.size() < 2) return {};
  const auto* name = as<Constant>(call.arguments[1]);
  return name != nullptr && name->constant_kind == ConstantKind::kStr ? name->text : std::string_view{};
}

/// Names that a function gets or sets itself.
Words local_names(const Node& function) {
  Words out;
  if (const auto* def = as<FunctionDef>(&function)) {
    for (const Parameter* parameter : def->parameters->all) out.insert(parameter->name.text);
  }
  walk_of<Name>(function, Nested::kEnter, [&](const Name* name) {
    if (name->context == ExprContext::kStore) out.insert(name->id);
  });
  return out;
}

/// What a piece of code names: attributes (of `a.b.c` the last), those asked for by text, and bare names.
struct Named {
  Words attributes;
  Words names;
};

void add_named(const Expr& expression, Named& out) {
  if (const auto* attribute = as<Attribute>(&expression)) {
    out.attributes.insert(attribute->name.text);
    // What it is an attribute of is not asked.
    const Expr* base = attribute->value;
    while (const auto* inner = as<Attribute>(base)) base = inner->value;
    if (!is<Name>(base)) add_named(*base, out);
    return;
  }
  if (const auto* name = as<Name>(&expression)) {
    out.names.insert(name->id);
    return;
  }
  if (const auto* call = as<Call>(&expression)) {
    if (const std::string_view asked = attribute_asked(*call); !asked.empty()) {
      out.attributes.insert(asked);
      for (std::size_t i = 2; i < call->arguments.size(); ++i) add_named(*call->arguments[i], out);
      return;
    }
  }
  for_each_child(expression, [&](const Node* child) {
    if (is_expression(child)) {
      add_named(*static_cast<const Expr*>(child), out);
    } else {
      walk_expressions(*child, Nested::kEnter, [&](const Expr* inner) {
        add_named(*inner, out);
        return false;
      });
    }
  });
}

/// What `function` names where it asks: in conditions, comparisons, `getattr`, and, of attributes and globals, in what
/// it sets a variable to.
Named asked_in(const Node& function) {
  Named out;
  Named kept;
  const auto add = [](const Expr* expression, Named& into) {
    if (expression != nullptr) add_named(*expression, into);
  };
  walk(function, Nested::kEnter, [&](const Node* node) {
    if (const auto* branch = as<If>(node)) add(branch->condition, out);
    if (const auto* loop = as<While>(node)) add(loop->condition, out);
    if (const auto* choice = as<IfExp>(node)) add(choice->condition, out);
    if (const auto* check = as<Assert>(node)) add(check->test, out);
    if (const auto* match = as<Match>(node)) add(match->subject, out);
    if (const auto* some = as<Comprehension>(node)) {
      for (const Expr* condition : some->conditions) add(condition, out);
    }
    if (is<BoolOp>(node) || is<Compare>(node)) add(static_cast<const Expr*>(node), out);
    if (const auto* call = as<Call>(node); call != nullptr && asks_attribute(*call)) add(call, out);
    if (const auto* assign = as<Assign>(node)) add(assign->value, kept);
    if (const auto* declared = as<AnnAssign>(node)) add(declared->value, kept);
    if (const auto* named = as<NamedExpr>(node)) add(named->value, kept);
    if (const auto* given = as<Return>(node)) add(given->value, kept);
  });
  out.attributes.merge(kept.attributes);
  const Words own = local_names(function);
  for (const std::string_view name : kept.names) {
    if (!own.contains(name)) out.names.insert(name);
  }
  return out;
}

bool share(const Words& one, const Words& other) {
  return std::any_of(one.begin(), one.end(), [&](std::string_view word) { return other.contains(word); });
}

/// What `function` calls, and what of its own module it names, which it may hand on to be called: `map(f, x)`.
std::vector<program::FunctionId> entered_from(const program::Program& program, program::FunctionId function) {
  std::vector<program::FunctionId> out;
  const auto add = [&](program::FunctionId id) {
    if (id.valid() && id != function && program.functions()[id].node != nullptr &&
        std::find(out.begin(), out.end(), id) == out.end())
      out.push_back(id);
  };
  const program::Function& row = program.functions()[function];
  for (const program::CallId call : row.calls) {
    for (const program::CallTarget& target : program.calls()[call].targets) add(target.function);
  }
  Words named;
  walk_of<Name>(*row.node, Nested::kEnter, [&](const Name* name) { named.insert(name->id); });
  for (const program::FunctionId id : program.module_of(function).functions) {
    if (!program.functions()[id].owner.valid() && named.contains(program.functions()[id].name)) add(id);
  }
  return out;
}

/// The branches around step `index`, and those that are all that it holds, with what they ask.
void add_asked_with(const std::vector<Step>& steps, std::size_t index, const SourceText& source,
                    std::vector<std::string>& out) {
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    if (steps[up].kind == StepKind::kIf) add_operands(*as<If>(steps[up].node)->condition, source, out);
  }
  for (const auto* branch = as<If>(steps[index].node);
       branch != nullptr && branch->orelse.empty() && branch->body.size() == 1;) {
    branch = as<If>(branch->body.front());
    if (branch != nullptr && branch->orelse.empty()) add_operands(*branch->condition, source, out);
  }
}

}  // namespace

std::set<std::string_view> names_asked(const Expr& condition) {
  std::set<std::string_view> out;
  const auto look = [&](const Node* one) {
    if (const auto* name = as<Name>(one)) out.insert(name->id);
    if (const auto* attribute = as<Attribute>(one)) out.insert(attribute->name.text);
  };
  look(&condition);
  walk(condition, Nested::kSkip, look);
  out.erase("self");
  return out;
}

void add_operands(const Expr& condition, const SourceText& source, std::vector<std::string>& out) {
  const auto* all = as<BoolOp>(&condition);
  if (all != nullptr && all->op == BoolOperator::kAnd) {
    for (const Expr* one : all->values) add_operands(*one, source, out);
  } else {
    out.push_back(one_line_whole(source, condition));
  }
}

AskedWith asked_with(const StepComparison& steps, std::size_t index) {
  AskedWith out;
  const Step& step = steps.after[index];
  if (step.kind != StepKind::kIf || step.partner == Step::kNone) return out;
  add_asked_with(steps.before, step.partner, *steps.before_source, out.before);
  add_asked_with(steps.after, index, *steps.after_source, out.after);
  return out;
}

bool is_still_asked(const Expr& condition, const Node& function, const WordsContext& after) {
  if (after.program == nullptr || !after.function.valid()) return true;
  Named gone;
  add_named(condition, gone);
  const Words own = local_names(function);
  Words locals;
  Words globals;
  for (const std::string_view name : gone.names) (own.contains(name) ? locals : globals).insert(name);
  std::erase_if(globals, [](std::string_view name) {
    return name == "isinstance" || name == "len" || name == "hasattr" || name == "getattr" || name == "any" ||
           name == "all" || name == "bool" || name == "int";
  });
  const bool only_locals = gone.attributes.empty() && globals.empty();
  const Named here = asked_in(*after.program->functions()[after.function].node);
  if (share(gone.attributes, here.attributes) || share(globals, here.names)) return true;
  if (only_locals) return share(locals, here.names);
  for (const program::FunctionId callee : entered_from(*after.program, after.function)) {
    const Named there = asked_in(*after.program->functions()[callee].node);
    if (share(gone.attributes, there.attributes) || share(globals, there.names)) return true;
  }
  return false;
}

}  // namespace lockstep::report
