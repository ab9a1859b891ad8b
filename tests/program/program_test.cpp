// Links the folders and files in fixtures/ and compares every call with the comment on its line. `# calls: a.f,
// ext:x.g` lists all targets of the calls that start on the line (a `?` behind a name: possible, not exact); `# calls:
// ? reason` says that none is known. A line with targets inside the fixture and no comment fails too.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "program/link.h"
#include "program/queries.h"
#include "python/tree_walk.h"

namespace lockstep::program {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(LOCKSTEP_SOURCE_DIR) / "tests/program/fixtures";

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<SourceFile> load(const fs::path& path) {
  std::vector<SourceFile> files;
  if (fs::is_regular_file(path)) {
    files.push_back({path.filename().string(), python::extract_facts(read(path))});
    return files;
  }
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().extension() != ".py") continue;
    files.push_back({fs::relative(entry.path(), path).generic_string(), python::extract_facts(read(entry.path()))});
  }
  return files;
}

Program link_texts(std::vector<std::pair<std::string, std::string>> texts, LinkOptions options = {}) {
  std::vector<SourceFile> files;
  for (auto& [path, text] : texts) files.push_back({path, python::extract_facts(text)});
  return link(std::move(files), options);
}

std::string describe(const Program& program, const CallTarget& target) {
  std::string text = target.function.valid() ? program.functions()[target.function].qualified_name
                                             : "ext:" + std::string(target.external);
  if (target.certainty == Certainty::kPossible) text += "?";
  return text;
}

/// (path, line from 1) -> what the calls on it reach.
using Lines = std::map<std::pair<std::string, std::uint32_t>, std::set<std::string>>;

Lines found_lines(const Program& program) {
  Lines lines;
  std::map<std::pair<std::string, std::uint32_t>, std::set<std::string>> unresolved;
  for (const CallSite& site : program.calls()) {
    const Module& module = program.module_of(site.caller);
    const std::pair key(module.path, module.facts->source().line_of(site.node->span.begin) + 1);
    for (const CallTarget& target : site.targets) lines[key].insert(describe(program, target));
    if (site.targets.empty()) unresolved[key].insert("? " + std::string(site.unresolved_because));
  }
  for (auto& [key, reasons] : unresolved) {
    if (!lines.contains(key)) lines[key] = reasons;
  }
  return lines;
}

Lines expected_lines(const Program& program) {
  Lines lines;
  for (const Module& module : program.modules()) {
    const auto& source = module.facts->source();
    for (std::uint32_t line = 0; line < source.line_count(); ++line) {
      const std::string_view text = source.line(line);
      const std::size_t at = text.find("# calls: ");
      if (at == std::string_view::npos) continue;
      const std::string_view list = text.substr(at + 9);
      auto& expected = lines[{module.path, line + 1}];
      if (list.starts_with("? ")) {
        expected.insert(std::string(list));
        continue;
      }
      for (const std::string_view part : split(list, ',')) expected.insert(std::string(trim(part)));
    }
  }
  return lines;
}

std::string joined(const std::set<std::string>& texts) {
  return join(std::vector<std::string>(texts.begin(), texts.end()), ", ");
}

class Fixture : public testing::TestWithParam<std::string> {};

TEST_P(Fixture, CallsWhatItsCommentsSay) {
  const Program program = link(load(kFixtures / GetParam()), {});
  const Lines found = found_lines(program);
  const Lines expected = expected_lines(program);
  EXPECT_FALSE(expected.empty());
  for (const auto& [place, targets] : expected) {
    const auto actual = found.find(place);
    EXPECT_EQ(joined(targets), actual == found.end() ? "(no call)" : joined(actual->second))
        << place.first << ":" << place.second;
  }
  for (const auto& [place, targets] : found) {
    if (expected.contains(place)) continue;
    for (const std::string& target : targets) {
      EXPECT_TRUE(target.starts_with("ext:") || target.starts_with("? "))
          << place.first << ":" << place.second << " calls " << target << ", which no comment says";
    }
  }
}

std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFixtures)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Fixture, testing::ValuesIn(fixture_names()),
                         [](const auto& param_info) { return replace_all(param_info.param, ".", "_"); });

/// All of a program's call sites as text, for comparing whole programs.
std::string dump(const Program& program) {
  std::string out;
  for (const CallSite& site : program.calls()) {
    const Module& module = program.module_of(site.caller);
    out += fmt::format("{}:{}-{} in {}:", module.path, site.node->span.begin, site.node->span.end,
                       program.functions()[site.caller].qualified_name);
    for (const CallTarget& target : site.targets) out += " " + describe(program, target);
    out += fmt::format(" {}\n", site.unresolved_because);
  }
  return out;
}

std::vector<SourceFile> all_fixtures() {
  std::vector<SourceFile> files;
  for (const std::string& name : fixture_names()) {
    for (SourceFile& file : load(kFixtures / name)) {
      if (!name.ends_with(".py")) file.path = name + "/" + file.path;
      files.push_back(std::move(file));
    }
  }
  return files;
}

TEST(Laws, OrderOfFilesDoesNotMatter) {
  std::vector<SourceFile> files = all_fixtures();
  const std::string sorted = dump(link(files, {}));
  std::reverse(files.begin(), files.end());
  EXPECT_EQ(dump(link(files, {})), sorted);
}

TEST(Laws, NumberOfThreadsDoesNotMatter) {
  EXPECT_EQ(dump(link(all_fixtures(), {.jobs = 1})), dump(link(all_fixtures(), {.jobs = 8})));
}

// Unchanged files are lowered once for both sides; what stands before them in one side shifts all its numbers.
TEST(Laws, SidesLinkedTogetherAreLinkedAsAlone) {
  const std::vector<SourceFile> first = all_fixtures();
  std::vector<SourceFile> second;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i % 5 != 3) second.push_back(first[i]);
  }
  second.push_back({"a_first.py", python::extract_facts("class A:\n    def f(self): return lambda: self.f()\n")});
  second.push_back({"a_second/copied.py", first.back().facts});
  for (const std::size_t jobs : {1u, 2u}) {
    const auto [one, two] = link_sides({first, {}}, {second, {}}, jobs);
    EXPECT_EQ(dump(one), dump(link(first, {})));
    EXPECT_EQ(dump(two), dump(link(second, {})));
  }
}

// Nothing else depends on what tests call.
TEST(Laws, WithoutTheCallsOfTestsTheOthersAreTheSame) {
  std::vector<SourceFile> files = all_fixtures();
  files.push_back(
      {"tests/helpers.py", python::extract_facts("def shared():\n    return helper()\ndef helper(): pass\n")});
  files.push_back({"a_user.py", python::extract_facts("from tests.helpers import shared\nshared()\n")});
  files.push_back(
      {"tests/test_it.py", python::extract_facts("from a_user import shared\ndef test_it():\n    shared()\n")});
  const auto sites_of = [](const Program& program, bool of_tests) {
    std::string text;
    for (const CallSite& site : program.calls()) {
      const std::string& path = program.module_of(site.caller).path;
      if (path.starts_with("tests/test_it") != of_tests) continue;
      text += path + " " + std::to_string(site.node->span.begin);
      for (const CallTarget& target : site.targets) text += " " + describe(program, target);
      text += "\n";
    }
    return text;
  };
  for (const std::size_t jobs : {1u, 2u}) {
    const Program whole = link(files, {.jobs = jobs});
    const Program part = link(files, {.jobs = jobs, .with_calls_of_tests = false});
    EXPECT_NE(sites_of(whole, true), "");
    EXPECT_EQ(sites_of(part, true), "");
    EXPECT_EQ(sites_of(part, false), sites_of(whole, false));
  }
}

// A blob that stands at two paths is read once: both modules have one tree.
TEST(Modules, OfOneContentCallTheirOwnFunctions) {
  const auto facts = python::extract_facts("def f(): pass\n\ndef g():\n    f()\n");
  const Program program =
      link({{"a/one.py", facts},
            {"b/two.py", facts},
            {"main.py", python::extract_facts("import a.one\nimport b.two\na.one.f()\nb.two.f()\n")}},
           {});
  std::set<std::string> reached;
  for (const CallSite& site : program.calls()) {
    if (program.module_of(site.caller).path != "main.py") continue;
    for (const CallTarget& target : site.targets) reached.insert(describe(program, target));
  }
  EXPECT_EQ(joined(reached), "a.one.f, b.two.f");
}

TEST(Modules, AreNamedByPackagesAndRoots) {
  const Program program = link_texts({{"src/tool/__init__.py", ""},
                                      {"src/tool/core.py", ""},
                                      {"scripts/run.py", "import helper\nhelper.go()\n"},
                                      {"scripts/helper.py", "def go(): pass\n"},
                                      {"python/inner/__init__.py", ""},
                                      {"python/inner/deep.py", "def f(): pass\n"},
                                      {"main.py", "from inner.deep import f\nf()\nfrom tool import core\n"}});
  EXPECT_TRUE(program.find_module("tool.core").valid());
  EXPECT_TRUE(program.find_module("inner.deep").valid());
  EXPECT_TRUE(program.find_module("scripts.run").valid());
  const Module& script = program.modules()[program.find_path("scripts/run.py")];
  const CallSite& call = program.calls()[program.functions()[script.body].calls.front()];
  ASSERT_EQ(call.targets.size(), 1u);
  EXPECT_EQ(describe(program, call.targets[0]), "scripts.helper.go");
}

TEST(Modules, KeepTheirWholeNamesWhereAScriptImportsAnotherOfThatNameFromBesideItself) {
  const Program program = link_texts({{"pkg/legacy/model/__init__.py", "from .bert import Bert\n"},
                                      {"pkg/legacy/model/bert.py", "class Bert:\n    def __init__(self): pass\n"},
                                      {"examples/model.py", "def build(): pass\n"},
                                      {"examples/train.py", "from model import build\nbuild()\n"},
                                      {"main.py", "import pkg.legacy.model\npkg.legacy.model.Bert()\n"}});
  EXPECT_TRUE(program.find_module("pkg.legacy.model").valid());
  EXPECT_TRUE(program.find_class("pkg.legacy.model.bert.Bert").valid());
  const Module& script = program.modules()[program.find_path("main.py")];
  const CallSite& call = program.calls()[program.functions()[script.body].calls.front()];
  ASSERT_EQ(call.targets.size(), 1u);
  EXPECT_EQ(describe(program, call.targets[0]), "pkg.legacy.model.bert.Bert.__init__");
}

TEST(Modules, AreNamedByTheNameThatMoreFilesImport) {
  const auto program_of = [](const std::string& first, const std::string& second) {
    return link_texts({{"python/inner/__init__.py", ""},
                       {"python/inner/deep.py", "def f(): pass\n"},
                       {"one/a.py", "import " + first + ".deep\n"},
                       {"one/b.py", "import " + first + ".deep\n"},
                       {"one/c.py", "import " + second + ".deep\n"}});
  };
  EXPECT_TRUE(program_of("inner", "python.inner").find_module("inner.deep").valid());
  EXPECT_TRUE(program_of("python.inner", "inner").find_module("python.inner.deep").valid());
}

TEST(Classes, HaveOrderAncestorsAndFields) {
  const Program program = link_texts({{"m.py",
                                       "import torch\n"
                                       "class A(torch.nn.Module):\n"
                                       "  size: int = 3\n"
                                       "  def __init__(self):\n"
                                       "    self.x: A = None\n"
                                       "  def f(self): pass\n"
                                       "class B(A): pass\n"
                                       "class C(A):\n"
                                       "  def f(self): pass\n"
                                       "class D(B, C): pass\n"}});
  const ClassId d = program.find_class("m.D");
  ASSERT_TRUE(d.valid());
  std::string order;
  for (const ClassId each : program.classes()[d].linearized) order += program.classes()[each].name;
  EXPECT_EQ(order, "DBCA");
  EXPECT_TRUE(program.derives_from(d, "torch.nn.Module"));
  EXPECT_EQ(program.functions()[program.find_method(d, "f")].qualified_name, "m.C.f");
  ASSERT_NE(program.find_field(d, "x"), nullptr);
  EXPECT_FALSE(program.find_field(d, "x")->in_class_body);
  EXPECT_TRUE(program.find_field(d, "size")->in_class_body);
  EXPECT_EQ(program.overrides_of(program.find_function("m.A.f")).size(), 1u);
  EXPECT_EQ(program.subclasses_of(program.find_class("m.A")).size(), 2u);
}

TEST(Resolve, FunctionsWithManyNamesHaveThemAll) {
  for (const int count : {3, 300}) {
    std::string body = "def f(): pass\ndef g(): pass\ndef many(x):\n    from torch import distributed\n    alias = f\n";
    for (int i = 0; i < count; ++i) body += "    g = g(x)\n    x = x + " + std::to_string(i) + "\n";
    const Program program = link_texts({{"m.py", body + "    return distributed(alias, f, g, x)\n"}});
    const FunctionId many = program.find_function("m.many");
    std::vector<Reference> found;
    python::walk_of<python::Return>(*program.functions()[many].node, python::Nested::kSkip,
                                    [&](const python::Return* last) {
                                      const auto* call = python::as<python::Call>(last->value);
                                      found.push_back(program.resolve(many, *call->callee));
                                      for (const python::Expr* one : call->arguments)
                                        found.push_back(program.resolve(many, *one));
                                    });
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[0].name, "torch.distributed");
    EXPECT_EQ(found[1].function, program.find_function("m.f"));
    EXPECT_EQ(found[2].function, program.find_function("m.f"));
    EXPECT_EQ(found[3].kind, Reference::Kind::kUnknown);
    EXPECT_EQ(found[4].kind, Reference::Kind::kUnknown);
  }
}

TEST(Resolve, FollowsImportsAndAliases) {
  const Program program =
      link_texts({{"pkg/__init__.py", "from .a import f as g\n"},
                  {"pkg/a.py", "import torch.distributed as dist\ndef f(): pass\nreduce = dist.all_reduce\n"},
                  {"use.py", "import pkg\nfrom pkg.a import reduce\nVALUE = 1 + 1\n"}});
  const ModuleId use = program.find_module("use");
  EXPECT_EQ(program.resolve(use, "pkg.g").function, program.find_function("pkg.a.f"));
  EXPECT_EQ(program.resolve(use, "reduce").name, "torch.distributed.all_reduce");
  EXPECT_EQ(program.resolve(use, "VALUE").kind, Reference::Kind::kVariable);
  EXPECT_EQ(program.resolve(use, "nothing").kind, Reference::Kind::kUnknown);
}

/// What the calls of `function` reach, with models of the user.
std::string targets_with(const std::vector<CallModel>& models, std::string_view text, std::string_view function) {
  LinkOptions options;
  options.models = models;
  const Program program = link_texts({{"m.py", std::string(text)}}, options);
  std::set<std::string> targets;
  for (const CallId id : program.functions()[program.find_function(function)].calls) {
    for (const CallTarget& target : program.calls()[id].targets) targets.insert(describe(program, target));
  }
  return joined(targets);
}

TEST(Modules, AreFoundThroughSymbolicLinks) {
  LinkOptions options;
  options.links = {{"tool/engine", "engine"}, {"tool/single.py", "engine/real.py"}, {"tool/loop", "tool"}};
  const Program program = link_texts({{"engine/__init__.py", "from .real import get\n"},
                                      {"engine/real.py", "def get(): pass\n"},
                                      {"engineer.py", "def get(): pass\n"},
                                      {"tool/__init__.py", ""},
                                      {"tool/use.py",
                                       "from tool.engine import get\n"
                                       "from .engine.real import get as again\n"
                                       "from tool.single import get as third\n"
                                       "get()\nagain()\nthird()\n"}},
                                     options);
  for (std::uint32_t line = 4; line <= 6; ++line) {
    EXPECT_EQ(joined(found_lines(program).at({"tool/use.py", line})), "engine.real.get") << line;
  }
}

TEST(UserModels, AreCarriedOut) {
  constexpr std::string_view kText =
      "import engine\n"
      "def work(x): return Result()\n"
      "class Result:\n  def use(self): pass\n"
      "def later(): engine.submit(0, work)\n"
      "def now(): engine.run(fn=work).use()\n"
      "def same(): engine.trace(Result()).use()\n"
      "@engine.traced(level=1)\ndef decorated(): return Result()\n"
      "def through(): decorated().use()\n"
      "def made(): engine.stream().wait()\n"
      "def registry(fn): pass\n"
      "def inside(): registry(work)\n";
  const std::vector<CallModel> models = {
      {"engine.submit", "keeps", 1, "", ""},
      {"engine.run", "calls", 0, "fn", ""},
      {"engine.trace", "identity", 0, "", ""},
      {"engine.traced", "decorator", 0, "", ""},
      {"engine.stream", "instance", 0, "", "engine.Stream"},

      {"m.registry", "keeps", 0, "", ""},
  };
  const auto targets = [&](std::string_view function) { return targets_with(models, kText, function); };
  EXPECT_EQ(targets("m.later"), "ext:engine.submit, m.work");
  EXPECT_EQ(targets("m.now"), "ext:engine.run, m.Result.use, m.work");
  EXPECT_EQ(targets("m.same"), "ext:engine.trace, m.Result.use");
  EXPECT_EQ(targets("m.through"), "m.Result.use, m.decorated");
  EXPECT_EQ(targets("m.made"), "ext:engine.Stream.wait, ext:engine.stream");
  EXPECT_EQ(targets("m.inside"), "m.registry, m.work");
  // Without them, nothing is known of that library.
  EXPECT_EQ(targets_with({}, kText, "m.later"), "ext:engine.submit");
  EXPECT_EQ(targets_with({}, kText, "m.inside"), "m.registry");
}

TEST(Queries, FindPathsAndCallers) {
  const Program program = link_texts({{"m.py",
                                       "def a():\n  b()\n  c()\n"
                                       "def b():\n  c()\n"
                                       "def c():\n  a()\n  d()\n"
                                       "def d(): pass\n"}});
  const auto function = [&](std::string_view name) { return program.find_function(name); };
  const auto paths = call_paths(program, function("m.a"), function("m.d"), 10);
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0].size(), 2u);
  EXPECT_EQ(paths[1].size(), 3u);
  EXPECT_EQ(program.callers_of(function("m.c")).size(), 2u);
  const FunctionId source = function("m.b");
  EXPECT_EQ(shortest_path(program, {&source, 1}, function("m.d")).size(), 2u);
  EXPECT_EQ(reaching(program, function("m.d"), 100).size(), 3u);
  EXPECT_EQ(reachable_from(program, {&source, 1}, 100).size(), 4u);
  EXPECT_EQ(program.function_at(program.find_module("m"), 12), function("m.a"));
}

TEST(Queries, GoOnToWhatTheCallerGives) {
  const Program program = link_texts({{"m.py",
                                       "def build(kind):\n  return kind()\n"
                                       "class A:\n  def __init__(self):\n    build(B)\n"
                                       "class B:\n  def __init__(self):\n    build(C)\n"
                                       "class C:\n  def __init__(self): pass\n"
                                       "def start():\n  build(A)\n"
                                       "def other(kind):\n  build(kind)\n"}});
  const auto function = [&](std::string_view name) { return program.find_function(name); };
  const auto only_call = [&](std::string_view name) { return program.functions()[function(name)].calls.front(); };
  const CallId inner = only_call("m.build");
  EXPECT_TRUE(program.depends_on_caller(inner));
  EXPECT_FALSE(program.depends_on_caller(only_call("m.start")));
  EXPECT_TRUE(program.can_follow(only_call("m.start"), inner, function("m.A.__init__")));
  EXPECT_FALSE(program.can_follow(only_call("m.start"), inner, function("m.C.__init__")));
  EXPECT_TRUE(program.can_follow(only_call("m.other"), inner, function("m.C.__init__")));  // Not known.
  const FunctionId source = function("m.start");
  EXPECT_EQ(shortest_path(program, {&source, 1}, function("m.C.__init__")).size(), 6u);
  const auto paths = call_paths(program, source, function("m.A.__init__"), 10);
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].size(), 2u);
}

TEST(Kinds, SayThroughWhatACallGoes) {
  const Program program = link(load(kFixtures / "torch_calls.py"), {});
  std::set<CallKind> kinds;
  for (const CallId id : program.functions()[program.find_function("torch_calls.Block.forward")].calls) {
    for (const CallTarget& target : program.calls()[id].targets) kinds.insert(target.kind);
  }
  EXPECT_TRUE(kinds.contains(CallKind::kModuleCall));
  EXPECT_TRUE(kinds.contains(CallKind::kAutograd));
  EXPECT_TRUE(kinds.contains(CallKind::kCallback));
}

TEST(Instances, AreKnownForExpressions) {
  const Program program = link_texts({{"m.py", "class A:\n  pass\ndef f(x: A):\n  return x\n"}});
  const auto* def = program.functions()[program.find_function("m.f")].def();
  const auto* result = python::as<python::Return>(def->body[0]);
  const auto classes = program.instance_classes(program.find_function("m.f"), *result->value);
  ASSERT_EQ(classes.size(), 1u);
  EXPECT_EQ(classes[0], program.find_class("m.A"));
}

TEST(Hostile, SelfReferencesEnd) {
  const Program program = link_texts({{"m.py",
                                       "import functools\n"
                                       "from m import *\n"
                                       "class A(A): pass\n"
                                       "class B(C): pass\n"
                                       "class C(B): pass\n"
                                       "f = functools.partial(f)\n"
                                       "def g(h): return g(lambda: h)\n"
                                       "g(g)\n"
                                       "f = functools.reduce\n"
                                       "f(f, [f])\n"
                                       "d = {}\nd['d'] = d\nd['d']['d']['d']()\n"
                                       "x = x.y.z\n"
                                       "while x:\n  x = x.next\n  f = functools.partial(f, f)\n  f()\n"}});
  EXPECT_GT(program.calls().size(), 3u);
}

}  // namespace
}  // namespace lockstep::program
