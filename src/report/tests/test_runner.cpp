#include "report/tests/test_runner.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "report/source/code.h"

namespace lockstep::report {

using program::FunctionId;
using program::Program;

namespace {

bool is_setup(std::string_view name) {
  static constexpr std::string_view kNames[] = {"setUp",       "setUpClass",      "setup",         "setup_method",
                                                "setup_class", "setup_module",    "setUpModule",   "asyncSetUp",
                                                "tearDown",    "teardown_method", "teardown_class"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// `@pytest.fixture`, `@fixture(…)`, `@pytest_asyncio.fixture`.
bool is_fixture(const python::FunctionDef* def, const SourceText& source, bool& is_automatic) {
  if (def == nullptr) return false;
  for (const python::Expr* decorator : def->decorators) {
    const std::string_view text = source.slice(decorator->span);
    const std::string_view name = text.substr(0, text.find('('));
    if (!name.ends_with("fixture")) continue;
    is_automatic = contains(text, "autouse=True");
    return true;
  }
  return false;
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

/// Who asks for which fixtures and set-up, as all tests of a program say it.
class Askers {
 public:
  explicit Askers(const Program& program) : program_(program) {
    for (std::size_t i = 0; i < program.functions().size(); ++i) {
      const FunctionId id(i);
      const program::Function& function = program.functions()[id];
      const python::FunctionDef* def = function.def();
      if (def == nullptr || !program::is_test_path(program.module_of(id).path)) continue;
      bool automatic = false;
      const bool fixture = is_fixture(def, source_of(program, id), automatic);
      if (fixture) fixtures_[id.value] = automatic;
      if (!fixture && !function.name.starts_with("test")) continue;
      by_module_[function.module.value].push_back(id);
      for (const python::Parameter* parameter : def->parameters->all) asking_[parameter->name.text].push_back(id);
      // pytest.mark.usefixtures("a", "b")
      for (const python::Expr* decorator : def->decorators) named_in_decorator(*decorator, id);
    }
  }

  [[nodiscard]] std::vector<FunctionId> of(FunctionId id) const {
    std::vector<FunctionId> out;
    const program::Function& function = program_.functions()[id];
    const auto fixture = fixtures_.find(id.value);
    const bool setup = fixture == fixtures_.end() && is_setup(function.name);
    if (fixture == fixtures_.end() && !setup) return out;
    if (setup || fixture->second) {
      const auto own = by_module_.find(function.module.value);
      if (own == by_module_.end()) return out;
      for (const FunctionId user : own->second) {
        if (user == id || !program_.functions()[user].name.starts_with("test")) continue;
        if (!function.owner.valid() || serves(function.owner, program_.functions()[user].owner)) out.push_back(user);
      }
      return out;
    }
    const auto asking = asking_.find(function.name);
    if (asking == asking_.end()) return out;
    const std::string& path = program_.module_of(id).path;
    for (const FunctionId user : asking->second) {
      const std::string& other = program_.module_of(user).path;
      const bool shared = path.ends_with("conftest.py") && other.starts_with(folder_of(path));
      if (user != id && (shared || other == path)) out.push_back(user);
    }
    return out;
  }

 private:
  [[nodiscard]] bool serves(program::ClassId owner, program::ClassId user) const {
    if (!user.valid()) return false;
    const auto& order = program_.classes()[user].linearized;
    return user == owner || std::find(order.begin(), order.end(), owner) != order.end();
  }

  void named_in_decorator(const python::Expr& decorator, FunctionId id) {
    const auto* call = python::as<python::Call>(&decorator);
    if (call == nullptr || callee_name(*call) != "usefixtures") return;
    for (const python::Expr* argument : call->arguments) {
      const auto* constant = python::as<python::Constant>(argument);
      if (constant != nullptr && constant->constant_kind == python::ConstantKind::kStr)
        asking_[constant->text].push_back(id);
    }
  }

  const Program& program_;
  std::unordered_map<std::uint32_t, bool> fixtures_;  ///< Fixture -> whether it runs unasked.
  std::unordered_map<std::uint32_t, std::vector<FunctionId>> by_module_;
  std::unordered_map<std::string_view, std::vector<FunctionId>> asking_;
};

}  // namespace

TestRunner::TestRunner(const Program& program) {
  const Askers askers(program);
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    if (!program::is_test_path(program.module_of(id).path)) continue;
    std::vector<FunctionId> users = askers.of(id);
    for (const FunctionId user : users) called_for_[user.value].push_back(id);
    if (!users.empty()) callers_[id.value] = std::move(users);
  }
}

namespace {

const std::vector<FunctionId>& found_in(const std::unordered_map<std::uint32_t, std::vector<FunctionId>>& edges,
                                        FunctionId id) {
  static const std::vector<FunctionId> kNone;
  const auto found = edges.find(id.value);
  return found == edges.end() ? kNone : found->second;
}

}  // namespace

const std::vector<FunctionId>& TestRunner::callers_of(FunctionId id) const { return found_in(callers_, id); }

const std::vector<FunctionId>& TestRunner::called_for(FunctionId id) const { return found_in(called_for_, id); }

}  // namespace lockstep::report
