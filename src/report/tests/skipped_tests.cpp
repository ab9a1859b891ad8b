#include "report/tests/skipped_tests.h"

#include <algorithm>
#include <unordered_map>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// Whether `expression` is `name` of a module for tests (`pytest.skip`, `unittest.SkipTest`, `pytest.mark.skip`), or
/// the bare name, imported from one: a `skip` of anything else skips something else.
bool is_of_tests(const Expr* expression, std::string_view name) {
  const auto* attribute = as<Attribute>(expression);
  if (attribute == nullptr) return rules::name_of(expression) == name;
  const std::string_view module = rules::name_of(attribute->value);
  const auto* inner = as<Attribute>(attribute->value);
  return attribute->name.text == name && (module == "pytest" || module == "unittest" || module == "mark" ||
                                          (inner != nullptr && inner->name.text == "mark"));
}

const Expr* uncalled(const Expr* expression) {
  const auto* call = as<Call>(expression);
  return call != nullptr ? call->callee : expression;
}

/// `pytest.mark.skip`, `pytest.mark.skip(reason=…)`, `unittest.skip("…")`, `skip("…")`.
bool is_skip(const Expr* mark) { return is_of_tests(uncalled(mark), "skip"); }

/// `self.skipTest`
bool is_own_skip(const Expr* callee) {
  const auto* method = as<Attribute>(callee);
  return method != nullptr && method->name.text == "skipTest" && rules::name_of(method->value) == "self";
}

/// `@pytest.mark.skipif(IS_FLAKY, …)` where the module says `IS_FLAKY = True`, and nothing else of it.
bool is_skip_here(const Expr* mark, const program::Module& module) {
  const auto* call = as<Call>(mark);
  if (call == nullptr || call->arguments.empty() || !is_of_tests(call->callee, "skipif")) return false;
  if (rules::is_true(call->arguments.front())) return true;
  const std::string_view name = rules::name_of(call->arguments.front());
  std::size_t given = 0;
  bool is_on = false;
  if (name.empty()) return false;
  walk_of<Assign>(module.facts->tree(), Nested::kEnter, [&](const Assign* assign) {
    for (const Expr* target : assign->targets) {
      if (rules::name_of(target) != name) continue;
      ++given;
      is_on = rules::is_true(assign->value);
    }
  });
  return given == 1 && is_on;
}

bool any_skips_here(Seq<Expr> marks, const program::Module& module) {
  return std::any_of(marks.begin(), marks.end(), [&](const Expr* mark) { return is_skip_here(mark, module); });
}

bool any_skips(Seq<Expr> marks) {
  return std::any_of(marks.begin(), marks.end(), [](const Expr* mark) { return is_skip(mark); });
}

/// The marks of `pytestmark = mark` and `pytestmark = [mark, …]` in the body of a file or a class.
std::vector<const Expr*> marks_of_all(const Stmt& statement) {
  const auto* assign = as<Assign>(&statement);
  if (assign == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets.front()) != "pytestmark")
    return {};
  const auto* list = as<List>(assign->value);
  if (list == nullptr) return {assign->value};
  return {list->elements.begin(), list->elements.end()};
}

/// `pytestmark = pytest.mark.skip(…)`.
bool marks_all(const Stmt& statement) {
  const std::vector<const Expr*> marks = marks_of_all(statement);
  return std::any_of(marks.begin(), marks.end(), is_skip);
}

/// What `skipif` and `unittest.skipIf` among the marks ask.
class SkipConditions {
 public:
  explicit SkipConditions(const SourceText& source) : source_(source) {}

  template <typename Marks>
  void add(const Marks& marks) {
    for (const Expr* mark : marks) {
      const auto* call = as<Call>(mark);
      const bool skips = call != nullptr && !call->arguments.empty() &&
                         (is_of_tests(call->callee, "skipif") || is_of_tests(call->callee, "skipIf"));
      if (!skips) continue;
      std::string text = one_line(source_, *call->arguments.front(), kMostBytes);
      if (text == "not torch.cuda.is_available()") continue;  // Without a GPU next to nothing is tested.
      if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(std::move(text));
    }
  }
  void add_body(Seq<Stmt> body) {
    for (const Stmt* statement : body) add(marks_of_all(*statement));
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  static constexpr std::size_t kMostBytes = 70;
  const SourceText& source_;
  std::vector<std::string> texts_;
};

/// `pytest.skip(…)`, `self.skipTest(…)`, `raise unittest.SkipTest(…)` as a statement.
bool leaves_out(const Stmt& statement) {
  if (const auto* raise = as<Raise>(&statement)) return is_of_tests(uncalled(raise->exception), "SkipTest");
  const auto* expression = as<ExprStmt>(&statement);
  const auto* call = expression == nullptr ? nullptr : as<Call>(expression->value);
  return call != nullptr && (is_skip(call) || is_own_skip(call->callee));
}

bool is_off(const FunctionDef& test) {
  if (any_skips(test.decorators)) return true;
  const std::size_t first = docstring_of(test.body) != nullptr ? 1 : 0;
  return test.body.size() > first && leaves_out(*test.body[first]);
}

bool is_off(const ClassDef& tests) {
  return any_skips(tests.decorators) ||
         std::any_of(tests.body.begin(), tests.body.end(), [](const Stmt* one) { return marks_all(*one); });
}

bool is_off(const program::Module& module) {
  const auto& body = module.facts->tree().body;
  return std::any_of(body.begin(), body.end(), [](const Stmt* one) { return marks_all(*one) || leaves_out(*one); });
}

}  // namespace

std::vector<bool> skipped_tests(const Program& program) {
  std::vector<bool> off(program.functions().size());
  std::unordered_map<std::uint32_t, bool> off_classes;
  const auto is_class_off = [&](program::ClassId cls) {
    const auto [known, is_first] = off_classes.try_emplace(cls.value, false);
    if (is_first) known->second = is_off(*program.classes()[cls].node);
    return known->second;
  };
  for (const program::Module& module : program.modules()) {
    if (!program::is_test_path(module.path)) continue;
    const bool all = is_off(module);
    for (const FunctionId id : module.functions) {
      const program::Function& function = program.functions()[id];
      bool is_skipped = all || (function.def() != nullptr &&
                                (is_off(*function.def()) || any_skips_here(function.def()->decorators, module)));
      for (program::ClassId cls = function.owner; cls.valid() && !is_skipped; cls = program.classes()[cls].owner)
        is_skipped = is_class_off(cls);
      off[id.index()] = is_skipped;
    }
  }
  return off;
}

namespace {

/// The text given as `reason`, or as the only argument of a mark that takes no condition.
std::string_view reason_of(const Call& call, bool has_condition) {
  for (const Keyword* one : call.keywords) {
    if (one->name.text == "reason" || one->name.text == "msg") return rules::text_of(one->value);
  }
  const std::size_t at = has_condition ? 1 : 0;
  return call.arguments.size() > at ? rules::text_of(call.arguments[at]) : std::string_view();
}

void add_mark(const SourceText& source, const Expr* mark, std::vector<TestMark>& out) {
  constexpr std::size_t kMostBytes = 70;
  const Expr* name = uncalled(mark);
  const bool is_failure = is_of_tests(name, "xfail") || is_of_tests(name, "expectedFailure");
  const bool is_conditional = is_of_tests(name, "skipif") || is_of_tests(name, "skipIf");
  if (!is_failure && !is_conditional && !is_of_tests(name, "skip") && !is_of_tests(name, "SkipTest")) return;
  TestMark found;
  found.kind = is_failure ? TestMark::Kind::kFails : TestMark::Kind::kSkips;
  if (const auto* call = as<Call>(mark)) {
    // `xfail` takes a condition first, too; a text there is one that is worked out.
    const bool has_condition = (is_conditional || is_of_tests(name, "xfail")) && !call->arguments.empty();
    if (has_condition) found.condition = one_line(source, *call->arguments.front(), kMostBytes);
    found.reason = reason_of(*call, has_condition);
  }
  out.push_back(std::move(found));
}

}  // namespace

std::vector<TestMark> marks_of_tests(const SourceText& source, const Node& definition) {
  std::vector<TestMark> out;
  const auto add_body = [&](Seq<Stmt> body) {
    for (const Stmt* statement : body) {
      for (const Expr* mark : marks_of_all(*statement)) add_mark(source, mark, out);
    }
  };
  if (const auto* function = as<FunctionDef>(&definition)) {
    for (const Expr* mark : function->decorators) add_mark(source, mark, out);
    const std::size_t first = docstring_of(function->body) != nullptr ? 1 : 0;
    if (function->body.size() > first && leaves_out(*function->body[first])) {
      const Stmt* leaving = function->body[first];
      const auto* raise = as<Raise>(leaving);
      const auto* call = as<Call>(raise != nullptr ? raise->exception : as<ExprStmt>(leaving)->value);
      TestMark found;
      if (call != nullptr) found.reason = reason_of(*call, false);
      out.push_back(std::move(found));
    }
  } else if (const auto* cls = as<ClassDef>(&definition)) {
    for (const Expr* mark : cls->decorators) add_mark(source, mark, out);
    add_body(cls->body);
  } else if (const auto* module = as<Module>(&definition)) {
    add_body(module->body);
  }
  return out;
}

std::vector<std::string> skip_conditions(const Program& program, FunctionId test) {
  const program::Function& function = program.functions()[test];
  SkipConditions out(source_of(program, test));
  if (function.def() != nullptr) out.add(function.def()->decorators);
  for (program::ClassId cls = function.owner; cls.valid(); cls = program.classes()[cls].owner) {
    out.add(program.classes()[cls].node->decorators);
    out.add_body(program.classes()[cls].node->body);
  }
  out.add_body(program.modules()[function.module].facts->tree().body);
  return out.take();
}

}  // namespace lockstep::report
