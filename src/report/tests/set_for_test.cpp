#include "report/tests/set_for_test.h"

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

/// Whether what stands behind a name gives it a value that is off: `: None`, `= False`.
bool is_given_off(std::string_view behind) {
  const auto skip = [&](std::string_view any) {
    while (!behind.empty() && contains(any, behind.substr(0, 1))) behind.remove_prefix(1);
  };
  skip("\"'");
  skip(" \t");
  if (!behind.starts_with(':') && (!behind.starts_with('=') || behind.starts_with("=="))) return false;
  behind.remove_prefix(1);
  skip(" \t\n");
  for (const std::string_view off : {"None", "False"}) {
    if (behind.starts_with(off) && (behind.size() == off.size() || !is_name_char(behind[off.size()]))) return true;
  }
  return false;
}

/// Calls `visit` with each place of the text that has the name and may set it, and not only to be off; stops where it
/// gives true, and gives that.
template <typename Visit>
bool any_place(std::string_view text, const std::string& name, Visit visit) {
  std::string option = name;
  std::replace(option.begin(), option.end(), '_', '-');
  for (const std::string& spelling : {name, option}) {
    for (std::size_t at = find_text(text, spelling); at != std::string_view::npos;
         at = find_text(text, spelling, at + 1)) {
      if (!is_given_off(text.substr(at + spelling.size())) && visit(static_cast<std::uint32_t>(at))) return true;
    }
    if (name == option) break;
  }
  return false;
}

/// Its `def` with its decorators: what `pytest.mark.parametrize` gives stands there.
std::string_view text_of(const program::Program& program, FunctionId function) {
  const python::FunctionDef* def = program.functions()[function].def();
  if (def == nullptr) return {};
  Span span = def->span;
  for (const python::Expr* decorator : def->decorators) span.begin = std::min(span.begin, decorator->span.begin);
  return program.module_of(function).facts->source().slice(span);
}

}  // namespace

/// Whether a function of a test file may run for the test: not another test, nor a method of another class of tests,
/// nor what none of the code that runs for it names.
bool SetForTest::may_run(FunctionId test, FunctionId function) const {
  const auto [place, is_new] = may_run_.try_emplace({test.value, function.value}, true);
  if (!is_new) return place->second;
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  const auto runs = [&](FunctionId one) { return std::find(code.begin(), code.end(), one) != code.end(); };
  for (FunctionId one = function; one.valid(); one = program_.functions()[one].enclosing) {
    if (runs(one)) return true;
  }
  FunctionId outer = function;
  while (program_.functions()[outer].enclosing.valid()) outer = program_.functions()[outer].enclosing;
  const program::Function& row = program_.functions()[outer];
  if (row.kind != program::FunctionKind::kFunction) return true;
  const auto is_named = [&](std::string_view name) {
    return std::any_of(code.begin(), code.end(), [&](FunctionId one) {
      const std::string_view text = text_of(program_, one);
      std::size_t at = find_name(text, name);
      // Its own name.
      if (program_.functions()[one].name == name && at != std::string_view::npos) at = find_name(text, name, at + 1);
      return at != std::string_view::npos;
    });
  };
  const program::ClassId own = program_.functions()[test].owner;
  if (row.owner.valid()) {
    const program::Class& cls = program_.classes()[row.owner];
    const bool is_own =
        own.valid() && std::find(program_.classes()[own].linearized.begin(), program_.classes()[own].linearized.end(),
                                 row.owner) != program_.classes()[own].linearized.end();
    const bool is_test = row.name.starts_with("test");
    return place->second = is_own ? !is_test : !is_test && (is_named(cls.name) || is_named(row.name));
  }
  return place->second = !row.name.starts_with("test") && is_named(row.name);
}

bool SetForTest::may_set(FunctionId test, const std::string& name, program::ModuleId file) const {
  const python::FileFacts& facts = *program_.modules()[file].facts;
  return any_place(facts.source().bytes(), name, [&](std::uint32_t at) {
    FunctionId function = program_.function_at(file, at);
    // What a decorator gives, it gives to what it stands above.
    if (function.valid() && program_.functions()[function].kind != program::FunctionKind::kFunction) {
      python::walk_of<python::FunctionDef>(facts.tree(), python::Nested::kEnter, [&](const python::FunctionDef* def) {
        const bool is_above = std::any_of(def->decorators.begin(), def->decorators.end(),
                                          [&](const python::Expr* one) { return one->span.contains(at); });
        if (is_above && program_.function_of(def).valid()) function = program_.function_of(def);
      });
    }
    return !function.valid() || may_run(test, function);
  });
}

bool SetForTest::sets(FunctionId test, const std::string& name) const {
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  return std::any_of(code.begin(), code.end(), [&](FunctionId one) {
    return any_place(text_of(program_, one), name, [](std::uint32_t) { return true; });
  });
}

}  // namespace lockstep::report
