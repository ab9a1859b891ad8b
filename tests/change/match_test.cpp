// Which entity of one side is which of the other, and where changed lines belong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "change/fixture.h"

namespace lockstep::change {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// A function body long enough to be recognised elsewhere.
std::string body(const std::string& indent, const std::string& first = "total") {
  return indent + first + " = 0\n" + indent + "for index, item in enumerate(items):\n" + indent +
         "    if item.size > limit:\n" + indent + "        raise ValueError(f'{item} at {index} is too large')\n" +
         indent + "    total += item.size * scale + offset\n" + indent + "return total / len(items)\n";
}

const std::string kSum = "def weigh(items, limit, scale, offset):\n" + body("    ");

TEST(Match, AddedAndRemoved) {
  const auto compared =
      compare_files({{"m.py", "def f(): return 1\n"}, {"gone.py", "X = 1\n"}},
                    {{"m.py", "def g(x): return x.y\n"}, {"new.py", "class C:\n    def m(self): pass\n"}});
  EXPECT_THAT(describe(compared->change),
              ElementsAre("removed module gone", "removed variable gone.X", "removed function m.f",
                          "added function m.g", "added module new", "added class new.C", "added method new.C.m"));
}

TEST(Match, FunctionMovedToAnotherFile) {
  const auto compared = compare_files({{"a.py", kSum + "def f(): return 1\n"}, {"b.py", "B = 1\n"}},
                                      {{"a.py", "def f(): return 1\n"}, {"b.py", "B = 1\n" + kSum}});
  EXPECT_THAT(describe(compared->change), ElementsAre("moved function a.weigh to b.weigh"));
  EXPECT_EQ(compared->change.files[0].summary, "moves `weigh` to `b.py`");
  EXPECT_EQ(compared->change.files[1].summary, "takes over `weigh` from `a.py`");
}

TEST(Match, FunctionMovedAndEdited) {
  std::string edited = kSum;
  edited.replace(edited.find("item.size * scale"), 17, "item.size");
  const auto compared =
      compare_files({{"a.py", kSum}, {"b.py", "B = 1\n"}}, {{"a.py", "A = 1\n"}, {"b.py", "B = 1\n" + edited}});
  EXPECT_THAT(describe(compared->change),
              ElementsAre("added variable a.A", "moved function a.weigh to b.weigh",
                          "  body total: total += item.size * scale + offset | total += item.size + offset"));
}

/// A class of one name that goes and comes in another file with most of its members was rewritten on the way.
TEST(Match, AClassThatIsRewrittenInAnotherFile) {
  const std::string was =
      "class Policy:\n    first: int\n    last: str\n\n    def make(self, request):\n        return request.first\n";
  const std::string now =
      "class Policy:\n    first: tuple\n    rest: list\n\n    def make(self, request, sizes):\n        "
      "self.check(request, sizes)\n        return sum(sizes) * len(request.parts) + self.first[0]\n";
  const auto moves = [&](const std::string& other) {
    return describe(compare_files({{"a.py", was + "\n\nA = 1\n"}, {"b.py", "B = 1\n"}},
                                  {{"a.py", "A = 1\n"}, {"b.py", "B = 1\n\n\n" + other}})
                        ->change);
  };
  EXPECT_THAT(moves(now), Contains("moved class a.Policy to b.Policy"));
  // Two that only share a name are two.
  EXPECT_THAT(moves("class Policy:\n    def apply(self, x):\n        return x * 3\n\n    def undo(self, x):\n        "
                    "return x / 3\n"),
              Contains("removed class a.Policy"));
}

/// A class that stood in another one, as it was.
TEST(Match, AClassThatLeavesAClass) {
  const std::string states = "class State(Enum):\n    RUNNING = auto()\n    PAUSED = auto()\n    STOPPED = auto()\n";
  const std::string inner = replace_all("    " + replace_all(states, "\n", "\n    "), "    \n", "\n");
  const std::string uses = "\n    def start(self):\n        return self.State.RUNNING\n";
  const auto compared = compare_files(
      {{"a.py", "from enum import Enum, auto\n\n\nclass Pool:\n" + inner.substr(0, inner.rfind('\n') + 1) + uses}},
      {{"a.py", "from states import State\n\n\nclass Pool:\n    State = State\n" + uses},
       {"states.py", "from enum import Enum, auto\n\n\n" + states}});
  EXPECT_THAT(describe(compared->change), Contains("moved and renamed class a.Pool.State to states.State"));
}

// What is pulled up to a base, or pushed down to an heir, may be short and edited; into any other class it is another.
TEST(Match, AMethodThatGoesToABaseOrAnHeir) {
  const std::string base = "class Base:\n    folder = 1\n";
  const std::string purges =
      "    def may_purge(self) -> bool:\n        return self.keep > 0 and dist.get_rank() == 0 and ";
  const std::string was = purges + "files.isdir(self.folder)\n";
  const std::string now = purges + "self.storage.isdir(self.folder)\n";
  const auto moved = [&](const std::string& heir) {
    const std::string head = base + "\n";
    const std::string other = "\n\n" + heir + ":\n    size = 2\n";
    return describe(compare_files({{"m.py", head + other + "\n" + was}}, {{"m.py", head + now + other}})->change);
  };
  EXPECT_THAT(moved("class Heir(Base)"), Contains("renamed method m.Heir.may_purge to m.Base.may_purge"));
  EXPECT_THAT(moved("class Other"), Contains("added method m.Base.may_purge"));
}

TEST(Match, FunctionRenamedInPlace) {
  std::string renamed = kSum;
  renamed.replace(renamed.find("weigh"), 5, "measure");
  EXPECT_THAT(differences_of(kSum, renamed), ElementsAre("renamed function m.weigh to m.measure"));
}

// `forward` goes into another class, and the method that did the work takes its name: the work is what it was.
TEST(Match, AMethodThatTakesTheNameOfOneThatGoes) {
  const std::string work =
      "        total = 0\n        for item in items:\n            if item.size > limit:\n"
      "                total += item.size * scale + offset\n        return total / len(items)\n";
  const std::string hands_on =
      "        order = self.sort(items)\n        first = order[0].owner.name\n"
      "        self.log.append((first, len(order)))\n        sent = self.send(order, first)\n"
      "        return self.collect(sent)\n";
  const std::string taken = "(self, items, limit, scale, offset):\n";
  const std::string both =
      "class Experts:\n    def forward" + taken + hands_on + "    def _experts_forward" + taken + work;
  const std::string parted =
      "class Experts:\n    def forward" + taken + work + "class Routed:\n    def forward" + taken + hands_on;
  EXPECT_THAT(differences_of(both, parted),
              ElementsAre("renamed method m.Experts._experts_forward to m.Experts.forward", "added class m.Routed",
                          "renamed method m.Experts.forward to m.Routed.forward"));
  EXPECT_THAT(differences_of(parted, both),
              ElementsAre("renamed method m.Routed.forward to m.Experts.forward", "removed class m.Routed",
                          "renamed method m.Experts.forward to m.Experts._experts_forward"));
  // What is taken out of a method leaves it the one that it was.
  const std::string whole = "class Experts:\n    def forward" + taken + work;
  EXPECT_THAT(differences_of(whole, both), testing::Contains("added method m.Experts._experts_forward"));
  EXPECT_THAT(differences_of(both, whole), testing::Contains("removed method m.Experts._experts_forward"));
}

// Functions of a registry of settings look alike: short ones are one function only where they agree further.
TEST(Match, ShortCodeThatGrowsUnderAnotherNameIsAnother) {
  const auto config = [](const std::string& name, const std::string& arguments) {
    return "def " + name + "() -> Config:\n    config = debug_model()\n    config.model = registry('debug'" +
           arguments + ")\n    return config\n";
  };
  const std::string model = config("model_ep", "");
  EXPECT_THAT(differences_of(model, config("model_hybrid_ep", ", backend='hybrid', capacity=1.0")),
              ElementsAre("removed function m.model_ep", "added function m.model_hybrid_ep"));
  EXPECT_THAT(differences_of(model, config("model_expert_parallel", "")),
              ElementsAre("renamed function m.model_ep to m.model_expert_parallel"));
}

TEST(Match, ShortFunctionsAreNotRenamed) {
  EXPECT_THAT(differences_of("def f(x): return x\n", "def g(x): return x\n"),
              ElementsAre("removed function m.f", "added function m.g"));
}

TEST(Match, ClassRenamedWithItsMethods) {
  const std::string rest =
      ":\n    def weigh(self, items, limit, scale, offset):\n" + body("        ") + "    def small(self): return 1\n";
  std::string edited = rest;
  edited.replace(edited.find("return 1"), 8, "return 2");
  EXPECT_THAT(differences_of("class Old" + rest, "class New" + rest), ElementsAre("renamed class m.Old to m.New"));
  EXPECT_THAT(differences_of("class Old" + rest, "class New" + edited),
              ElementsAre("renamed class m.Old to m.New", "renamed method m.Old.small to m.New.small",
                          "  return: return 1 | return 2"));
}

// A class that loses a method would be too unlike; that its old name stays as another name of the new one says it.
TEST(Match, AClassWhoseOldNameStaysAsAnother) {
  const std::string head = "class Old:\n    kind = 'all'\n    def first(self): return self.kind.split('-')[0]\n";
  const std::string gone = "    def weigh(self, items, limit, scale, offset):\n" + body("        ");
  const std::string now = "class New" + head.substr(9);
  EXPECT_THAT(differences_of(head + gone, now + "Old = New\n"), Contains("renamed class m.Old to m.New"));
  EXPECT_THAT(differences_of(head + gone, now), Contains("removed class m.Old"));
  // Something else under the old name.
  EXPECT_THAT(differences_of(head + gone, now + "class Third: pass\nOld = Third\n"), Contains("removed class m.Old"));
}

TEST(Match, AClassOfFieldsAlone) {
  const std::string fields = ":\n    tokens: Tensor\n    slots: Tensor\n";
  EXPECT_THAT(differences_of("class Sent" + fields, "class SentTokens" + fields),
              ElementsAre("renamed class m.Sent to m.SentTokens"));
  EXPECT_THAT(differences_of("class Sent" + fields, "class SentTokens:\n    tokens: Tensor\n    places: Tensor\n"),
              Contains("removed class m.Sent"));
}

TEST(Match, MethodPulledUpIntoABaseClass) {
  const std::string method = "    def weigh(self, items, limit, scale, offset):\n" + body("        ");
  EXPECT_THAT(differences_of("class A:\n    x = 1\nclass B(A):\n    y = 1\n" + method,
                             "class A:\n    x = 1\n" + method + "class B(A):\n    y = 1\n"),
              ElementsAre("renamed method m.B.weigh to m.A.weigh"));
}

TEST(Match, FileRenamed) {
  const std::string more = kSum + "\n\nclass C:\n    def m(self): return 1\n    def n(self): return 1\n";
  const auto same = compare_files({{"p/a.py", more}}, {{"p/b.py", more}});
  EXPECT_THAT(describe(same->change), ElementsAre("moved module p.a to p.b"));
  EXPECT_EQ(same->change.files[0].summary, "renamed from `p/a.py`");
  std::string edited = more;
  edited.replace(edited.find("return 1"), 8, "return 2");
  const auto changed = compare_files({{"p/a.py", more}}, {{"p/b.py", edited}});
  EXPECT_THAT(describe(changed->change), ElementsAre("moved module p.a to p.b", "moved method p.a.C.m to p.b.C.m",
                                                     "  return: return 1 | return 2"));
}

TEST(Match, OverloadsAndPropertySetters) {
  const std::string before =
      "class C:\n    @property\n    def x(self): return self._x\n    @x.setter\n    def x(self, value): self._x = "
      "value\n";
  const std::string after =
      "class C:\n    @property\n    def x(self): return self._x\n    @x.setter\n    def x(self, value): self._x = "
      "int(value)\n";
  EXPECT_THAT(differences_of(before, after), ElementsAre("modified method m.C.x", "  call-added int: - | int(value)"));
  EXPECT_THAT(differences_of("if A:\n    def f(): return 1\nelse:\n    def f(): return 2\n",
                             "if A:\n    def f(): return 0\nelse:\n    def f(): return 2\n"),
              ElementsAre("modified function m.f", "  return: return 1 | return 0"));
}

TEST(Match, FieldsAndVariables) {
  EXPECT_THAT(differences_of("class C:\n    num_experts: int = 8\n    x = 0\n",
                             "class C:\n    num_moe_experts: int = 8\n    x = 0\n"),
              ElementsAre("renamed field m.C.num_experts to m.C.num_moe_experts"));
  EXPECT_THAT(differences_of("class C:\n    use_a: bool = False\n", "class C:\n    overlap_b: bool = False\n"),
              ElementsAre("added field m.C.overlap_b", "removed field m.C.use_a"));
  const auto moved = compare_files({{"a.py", "TABLE = {1: 2}\nlogger = get('x')\n"}, {"b.py", "B = 1\n"}},
                                   {{"a.py", "A = 1\n"}, {"b.py", "TABLE = {1: 2}\nB = 1\nlogger = get('x')\n"}});
  EXPECT_THAT(describe(moved->change), ElementsAre("added variable a.A", "removed variable a.logger",
                                                   "moved variable a.TABLE to b.TABLE", "added variable b.logger"));
}

TEST(Match, NestedFunctions) {
  EXPECT_THAT(differences_of("def f():\n    def g(): return 1\n    return g\n",
                             "def f():\n    def g(): return 2\n    return g\n"),
              ElementsAre("modified function m.f.g", "  return: return 1 | return 2"));
}

/// Short as it is, it is the same where it has the same name.
TEST(Match, NestedFunctionGoesIntoAnotherFunction) {
  const auto hook = [](const std::string& parameter) {
    return "    def hook(" + parameter +
           "):\n        module = held()\n        if module is None:\n            return\n        module.ready += 1\n";
  };
  const std::string before =
      "def register(self):\n    self.add(self.make())\ndef make(held):\n" + hook("_parameter") + "    return hook\n";
  const std::string after = "def register(self):\n    held = ref(self)\n" + hook("_") + "    self.add(hook)\n";
  EXPECT_THAT(differences_of(before, after), testing::Contains("renamed function m.make.hook to m.register.hook"));
}

/// Edited on the way, but for underscores of the same name: what leaves its class for a module is still that function.
TEST(Match, AMethodThatBecomesAFunctionOfAModule) {
  const auto moved = [](const std::string& was, const std::string& now, const std::string& first = "total") {
    const std::string rest = "\nclass Box:\n    size = 1\n\n";
    const std::string method = "    def " + was + "(self, items, limit, scale, offset):\n" + body("        ");
    const std::string function =
        "def " + now + "(self, items, limit, scale, offset):\n    log(items)\n" + body("    ", first);
    return describe(compare_files({{"a.py", rest + method}}, {{"a.py", rest}, {"b.py", function}})->change);
  };
  const std::string more = "x[1].y = x[0].z\n    if x[1]:\n        print(x[2], x[3].sizes)\n    total";
  EXPECT_THAT(moved("_weigh", "weigh", more), Contains("moved and renamed function a.Box._weigh to b.weigh"));
  EXPECT_THAT(moved("weigh", "weigh"), Contains("moved and renamed function a.Box.weigh to b.weigh"));
  // Of another name, nearly all of the code must be the same.
  EXPECT_THAT(moved("_weigh", "measure", more), Contains("added function b.measure"));
  // A name that says nothing is none to go by.
  EXPECT_THAT(moved("forward", "forward", more), Contains("added function b.forward"));
}

/// What stands inside goes along: the summary of a file names what moved once.
TEST(Match, WhatMovesWithItsFunctionIsNotToldBesideIt) {
  const auto code = [](const std::string& indent, const std::string& first) {
    return indent + "def inner(x):\n" + indent + "    y = x[0].size + " + first + "\n" + indent +
           "    z = y * x[1].size + x[2].size\n" + indent + "    return y + z, x[3], x[4]\n" + body(indent);
  };
  const auto compared = compare_files(
      {{"a.py", "class Box:\n    def _weigh(self, items):\n" + code("        ", "1")}},
      {{"a.py", "class Box:\n    size = 1\n"}, {"b.py", "def weigh(self, items):\n" + code("    ", "2")}});
  ASSERT_EQ(compared->change.files.size(), 2u);
  EXPECT_EQ(compared->change.files[0].summary, "adds `Box.size`; moves `Box._weigh` to `b.py`");
  EXPECT_TRUE(compared->change.files[1].summary.starts_with("new file; takes over `weigh` from `a.py`; changes"))
      << compared->change.files[1].summary;
}

TEST(Lines, BelongToTheInnermostChangedEntity) {
  const auto compared = compare_files({{"m.py",
                                        "A = 1\nclass C:\n    x = 1\n\n    def m(self):\n        return 1\n\n    def "
                                        "n(self):\n        return 2\nB = 1\n"}},
                                      {{"m.py",
                                        "A = 2\nclass C:\n    x = 1\n    # why\n    def m(self):\n        return 3\n\n "
                                        "   def n(self):\n        return 2\nB = 1\n"}});
  const Change& change = compared->change;
  const auto name_at = [&](std::uint32_t line) {
    const EntityChange* entity = change.entity_at_after("m.py", line);
    return entity == nullptr ? std::string("none") : entity->after->qualified_name;
  };
  EXPECT_EQ(name_at(0), "m.A");
  EXPECT_EQ(name_at(1), "m.C");
  EXPECT_EQ(name_at(2), "m.C");
  EXPECT_EQ(name_at(5), "m.C.m");
  EXPECT_EQ(name_at(8), "m.C");  // C.n did not change, C did (its comment).
  EXPECT_EQ(name_at(9), "none");
  EXPECT_EQ(name_at(1000), "none");
  EXPECT_EQ(change.entity_at_after("other.py", 0), nullptr);
  EXPECT_TRUE(change.touches_after("m.py", 0));
  EXPECT_TRUE(change.touches_after("m.py", 5));
  EXPECT_FALSE(change.touches_after("m.py", 2));
  EXPECT_FALSE(change.touches_after("other.py", 0));
}

TEST(Lines, DecoratorsAndDocumentationBelongToTheEntity) {
  const auto compared = compare_files({}, {{"m.py", "@a\n@b\ndef f(): pass\nX = 1\n\"\"\"Says what.\"\"\"\n"}});
  const std::vector<EntityChange>& entities = compared->change.entities;
  ASSERT_EQ(entities.size(), 3u);
  EXPECT_EQ(entities[1].after->first_line, 0u);
  EXPECT_EQ(entities[1].after->last_line, 2u);
  EXPECT_EQ(entities[2].after->first_line, 3u);
  EXPECT_EQ(entities[2].after->last_line, 4u);
}

}  // namespace
}  // namespace lockstep::change
