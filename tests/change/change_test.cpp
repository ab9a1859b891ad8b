// What differs within one entity: each fixture spells out all differences, so an extra one fails as a missing one does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "change/fixture.h"

namespace lockstep::change {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Change, NothingDiffers) { EXPECT_THAT(differences_of("def f(): pass\n", "def f(): pass\n"), IsEmpty()); }

TEST(Signature, ParametersAddedRemovedAndRenamed) {
  EXPECT_THAT(differences_of("def f(a, b: int = 1): pass\n", "def f(a, b: int = 1, *, c=None): pass\n"),
              ElementsAre("modified function m.f", "  parameter-added c: - | c=None"));
  EXPECT_THAT(differences_of("def f(a, *args, b): pass\n", "def f(a, **rest): pass\n"),
              ElementsAre("modified function m.f", "  parameter-added rest: - | **rest",
                          "  parameter-removed args: *args | -", "  parameter-removed b: b | -"));
  EXPECT_THAT(differences_of("def f(a, old: int = 1, z=0): pass\n", "def f(a, new: int = 1, z=0): pass\n"),
              ElementsAre("modified function m.f", "  parameter-renamed old: old: int = 1 | new: int = 1"));
}

TEST(Signature, AnotherTypeIsNoRename) {
  EXPECT_THAT(differences_of("def f(a, flag: bool = False): pass\n", "def f(a, mode: str = 'x'): pass\n"),
              ElementsAre("modified function m.f", "  parameter-added mode: - | mode: str = 'x'",
                          "  parameter-removed flag: flag: bool = False | -"));
}

TEST(Signature, OrderKindDefaultsAndAnnotations) {
  EXPECT_THAT(differences_of("def f(a, b): pass\n", "def f(b, a): pass\n"),
              ElementsAre("modified function m.f", "  parameter-moved a: a | a", "  parameter-moved b: b | b"));
  EXPECT_THAT(differences_of("def f(*, a, b): pass\n", "def f(*, b, a): pass\n"),
              ElementsAre("modified function m.f (cosmetic)", "  formatting"));
  EXPECT_THAT(differences_of("def f(a, b): pass\n", "def f(a, *, b): pass\n"),
              ElementsAre("modified function m.f", "  parameter-kind b: b | b"));
  EXPECT_THAT(differences_of("def f(a, b=1, c=2): pass\n", "def f(a=0, b=1+0, c: int = 2): pass\n"),
              ElementsAre("modified function m.f", "  default-added a: - | 0", "  default-changed b: 1 | 1+0",
                          "  annotation c: - | int"));
  EXPECT_THAT(
      differences_of("def f() -> int: pass\n", "async def f() -> 'str': pass\n"),
      ElementsAre("modified function m.f", "  return-annotation return: int | 'str'", "  async: def | async def"));
}

TEST(Signature, ADefaultOfARenamedClassIsTheSame) {
  const auto code = [](const std::string& name, const std::string& other) {
    return "class " + name +
           ":\n    FAST = 1\n    SLOW = 2\n\n    def speed(self):\n        return self.FAST\n\n\ndef f(mode=" + name +
           ".FAST, other=" + other + "): pass\n";
  };
  const auto of_f = [](const std::vector<std::string>& lines) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i] != "modified function m.f") continue;
      for (; i < lines.size() && (out.empty() || lines[i].starts_with("  ")); ++i) out.push_back(lines[i]);
    }
    return out;
  };
  EXPECT_THAT(of_f(differences_of(code("Mode", "Mode.SLOW"), code("PoolMode", "'Mode'"))),
              ElementsAre("modified function m.f", "  default-changed other: Mode.SLOW | 'Mode'",
                          "  default-renamed mode: Mode.FAST | PoolMode.FAST"));
  EXPECT_THAT(
      of_f(differences_of(code("Mode", "1"), replace_all(code("PoolMode", "1"), "=PoolMode.FAST", "=PoolMode.SLOW"))),
      ElementsAre("modified function m.f", "  default-changed mode: Mode.FAST | PoolMode.SLOW"));
  // Of a default too long to be kept nobody knows how it ends.
  const std::string table(1200, '1');
  EXPECT_THAT(of_f(differences_of(code("Mode", table + "2"), code("PoolMode", table + "3"))),
              ElementsAre("modified function m.f", testing::StartsWith("  default-changed other: 111"),
                          "  default-renamed mode: Mode.FAST | PoolMode.FAST"));
  // Another class has the old name, too.
  const std::string twin = "\n\nclass Outer:\n    class Mode:\n        FAST = 3\n";
  EXPECT_THAT(of_f(differences_of(code("Mode", "1") + twin, code("PoolMode", "1") + twin)),
              ElementsAre("modified function m.f", "  default-changed mode: Mode.FAST | PoolMode.FAST"));
}

TEST(Signature, DecoratorsAndBases) {
  EXPECT_THAT(differences_of("import torch\n@torch.no_grad()\ndef f(): pass\n",
                             "import torch\n@torch.compile\n@torch.no_grad()\ndef f(): pass\n"),
              ElementsAre("modified function m.f", "  decorator-added torch.compile: - | torch.compile"));
  EXPECT_THAT(differences_of("class A: pass\nclass B(A): pass\n", "class A: pass\nclass B(A, metaclass=M): pass\n"),
              ElementsAre("modified class m.B", "  base-added metaclass: - | metaclass=M"));
  EXPECT_THAT(differences_of("class A: pass\nclass B: pass\nclass C(A): pass\n",
                             "class A: pass\nclass B: pass\nclass C(B): pass\n"),
              ElementsAre("modified class m.C", "  base-added m.B: - | B", "  base-removed m.A: A | -"));
  EXPECT_THAT(differences_of("class C(A, B): pass\n", "class C(B, A): pass\n"),
              ElementsAre("modified class m.C", "  body order of bases: A, B | B, A"));
}

// What a formatter sorts and wraps is layout, as long as each block imports what it did.
TEST(Change, SortedImportsAreLayout) {
  EXPECT_THAT(
      differences_of("def f():\n    from a import y, x\n    from a import z\n    return x(y, z)\n",
                     "def f():\n    from a import (\n        x,\n        y,\n        z,\n    )\n    return x(y, z)\n"),
      ElementsAre("modified function m.f (cosmetic)", "  formatting"));
  EXPECT_THAT(differences_of("def f(t):\n    from a import x\n    if t:\n        from b import y\n    return x\n",
                             "def f(t):\n    if t:\n        from a import x\n        from b import y\n    return x\n"),
              testing::Not(ElementsAre("modified function m.f (cosmetic)", "  formatting")));
}

TEST(Body, CallsAreCountedByWhatTheyCall) {
  EXPECT_THAT(differences_of("def g(): pass\ndef f(x):\n    y = g()\n    return y\n",
                             "def g(): pass\ndef f(x):\n    y = g()\n    x.log(g())\n    return y\n"),
              ElementsAre("modified function m.f", "  call-added m.g: - | g()", "  call-added x.log: - | x.log(g())"));
  EXPECT_THAT(differences_of("def g(*a): pass\ndef f(x):\n    return g(x)\n",
                             "def g(*a): pass\ndef f(x):\n    return g(x, 1)\n"),
              ElementsAre("modified function m.f", "  call-arguments m.g: g(x) | g(x, 1)"));
}

TEST(Body, WhatAValueHoldsInsteadOfWhatANameMeansIsAnotherCallee) {
  const std::string head = "class A:\n    def __init__(self, n): pass\nclass S:\n    make: type = A\n";
  EXPECT_THAT(
      differences_of(head + "def f(s: S):\n    return A(n=1)\n", head + "def f(s: S):\n    return s.make(n=1)\n"),
      ElementsAre("modified function m.f", "  call-added s.make: - | s.make(n=1)", "  call-removed m.A: A(n=1) | -"));
  EXPECT_THAT(
      differences_of(head + "def f(s: S):\n    return A(n=1)\n", head + "def f(s: S):\n    return s.make(n=2)\n"),
      ElementsAre("modified function m.f", "  call-arguments m.A: A(n=1) | s.make(n=2)"));
}

TEST(Body, AChangedInnerCallDoesNotChangeTheOuterOne) {
  EXPECT_THAT(differences_of("def f(x):\n    a(b(x))\n", "def f(x):\n    a(c(x))\n"),
              ElementsAre("modified function m.f", "  call-added c: - | c(x)", "  call-removed b: b(x) | -"));
}

TEST(Body, CollectivesAreToldApartFromOtherCalls) {
  const std::string head =
      "import torch.distributed as dist\nfrom torch.distributed import all_gather_into_tensor as gather\n";
  EXPECT_THAT(differences_of(head + "def f(x, g):\n    dist.all_reduce(x)\n    gather(x, x)\n",
                             head + "def f(x, g):\n    dist.all_reduce(x, group=g)\n    dist.barrier()\n"),
              ElementsAre("modified function m.f", "  collective-added torch.distributed.barrier: - | dist.barrier()",
                          "  collective-removed torch.distributed.all_gather_into_tensor: gather(x, x) | -",
                          "  collective-arguments torch.distributed.all_reduce: dist.all_reduce(x) | "
                          "dist.all_reduce(x, group=g)"));
}

TEST(Body, AnEditInsideAnIfIsNoOtherIf) {
  EXPECT_THAT(differences_of("def f(a, b):\n    if a:\n        x = 1\n        y = 2\n    return b\n",
                             "def f(a, b):\n    if a and b:\n        x = 1\n        y = 3\n    return b\n"),
              ElementsAre("modified function m.f", "  condition if: a | a and b", "  body y: y = 2 | y = 3"));
}

TEST(Body, BranchesAddedRemovedAndWrapped) {
  EXPECT_THAT(
      differences_of("def f(a):\n    for i in a:\n        a.g(i)\n    return 1\n",
                     "def f(a):\n    if a is not None:\n        for i in a:\n            a.g(i)\n    return 1\n"),
      ElementsAre("modified function m.f", "  branch-added if: - | a is not None"));
  EXPECT_THAT(
      differences_of(
          "def f(a):\n    if a == 1:\n        x = 1\n    elif a == 2:\n        x = 2\n    else:\n        x = 3\n",
          "def f(a):\n    if a == 1:\n        x = 1\n    elif a == 4:\n        x = 4\n    elif a == 2:\n"
          "        x = 2\n    else:\n        x = 3\n"),
      ElementsAre("modified function m.f", "  branch-added elif: - | a == 4", "  body x: - | x = 4"));
  EXPECT_THAT(differences_of("def f(a):\n    if a:\n        x = 1\n",
                             "def f(a):\n    if a:\n        x = 1\n    else:\n        x = 2\n"),
              ElementsAre("modified function m.f", "  branch-added else: - | else", "  body x: - | x = 2"));
}

TEST(Body, LoopsAndOtherArms) {
  EXPECT_THAT(differences_of("def f(a):\n    for i in a:\n        g(i)\n",
                             "def f(a):\n    for i in reversed(a):\n        g(i)\n"),
              ElementsAre("modified function m.f", "  call-added reversed: - | reversed(a)",
                          "  condition for: i in a | i in reversed(a)"));
  EXPECT_THAT(differences_of("def f(a):\n    g(a)\n", "def f(a):\n    while a:\n        g(a)\n"),
              ElementsAre("modified function m.f", "  loop-added while: - | a"));
  EXPECT_THAT(differences_of("def f(a):\n    try:\n        g(a)\n    except KeyError:\n        h(a)\n",
                             "def f(a):\n    try:\n        g(a)\n    except (KeyError, OSError):\n        h(a)\n    "
                             "finally:\n        k()\n"),
              ElementsAre("modified function m.f", "  call-added k: - | k()", "  branch-added finally: - | finally",
                          "  condition except: KeyError | (KeyError, OSError)"));
  EXPECT_THAT(differences_of("def f(a):\n    match a:\n        case 1: return 'x'\n        case 2: return 'y'\n",
                             "def f(a):\n    match a:\n        case 1: return 'x'\n        case 3 if a: return 'y'\n"),
              ElementsAre("modified function m.f", "  condition case: 2 | 3 if a"));
}

TEST(Body, RaisesAssertsAndReturns) {
  EXPECT_THAT(differences_of("def f(a):\n    assert a > 0\n    return a\n",
                             "def f(a):\n    if a < 1:\n        raise ValueError('no')\n    return a + 1\n"),
              ElementsAre("modified function m.f", "  raise-added ValueError: - | raise ValueError('no')",
                          "  assert-removed: assert a > 0 | -", "  branch-added if: - | a < 1",
                          "  return: return a | return a + 1"));
  EXPECT_THAT(differences_of("def f(a):\n    raise ValueError('x')\n", "def f(a):\n    raise ValueError('y')\n"),
              ElementsAre("modified function m.f", "  body: raise ValueError('x') | raise ValueError('y')"));
}

TEST(Body, ImportsAreAbsolute) {
  const auto compared = compare_files(
      {{"p/__init__.py", ""}, {"p/m.py", "import os\n"}, {"p/n.py", "def f(): pass\n"}},
      {{"p/__init__.py", ""}, {"p/m.py", "import os\nfrom .n import f as g\n"}, {"p/n.py", "def f(): pass\n"}});
  EXPECT_THAT(describe(compared->change), ElementsAre("modified module p.m", "  import-added p.n.f: - | f as g"));
}

TEST(Body, WhatNothingElseSaysIsAChangedStatement) {
  EXPECT_THAT(differences_of("def f(self):\n    self.x = 1\n    y = 2\n",
                             "def f(self):\n    self.x = 2\n    y = 2\n    y += 1\n"),
              ElementsAre("modified function m.f", "  body self.x: self.x = 1 | self.x = 2", "  body y: - | y += 1"));
  EXPECT_THAT(differences_of("def f(a):\n    a.b()\n    a.c()\n", "def f(a):\n    a.c()\n    a.b()\n"),
              ElementsAre("modified function m.f", "  body order of statements: a.b() | a.c()"));
  EXPECT_THAT(differences_of("def f(a):\n    with a.b:\n        a.c()\n", "def f(a):\n    with a.d:\n        a.c()\n"),
              ElementsAre("modified function m.f", "  body: a.b | a.d"));
}

TEST(Variables, ValuesAndAnnotations) {
  EXPECT_THAT(differences_of("A = 1\nB: int = 2\n", "A = 2\nB: float = 2\nC = [A]\n"),
              ElementsAre("modified variable m.A", "  value A: 1 | 2", "modified variable m.B",
                          "  annotation B: int | float", "added variable m.C"));
  EXPECT_THAT(
      differences_of("class C:\n    a: int = 1\n    \"\"\"Says what.\"\"\"\n    b: int\n",
                     "class C:\n    a: int = 1\n    \"\"\"Says why.\"\"\"\n    b: int = 3\n"),
      ElementsAre("modified field m.C.a (cosmetic)", "  docstring: \"\"\"Says what.\"\"\" | \"\"\"Says why.\"\"\"",
                  "modified field m.C.b", "  value b: - | 3"));
}

TEST(Variables, LongCollectionsAreComparedByElement) {
  const std::string rest =
      "\n    'c': 'a value that makes this a long one',\n    'd': 'another value, just as long',\n}\n";
  EXPECT_THAT(
      differences_of("T = {'a': 1, 'b': 2," + rest, "T = {'a': 3, 'e': 4," + rest),
      ElementsAre("modified variable m.T", "  value T['a']: 1 | 3", "  value T['b']: 2 | -", "  value T['e']: - | 4"));
  const std::string names = "'some_long_name', 'another_long_name', 'yet_another_long_name', 'and_the_last_long_name'";
  EXPECT_THAT(differences_of("__all__ = [" + names + "]\n", "__all__ = ['new', " + names + "]\n"),
              ElementsAre("modified variable m.__all__", "  value __all__: - | 'new'"));
  EXPECT_THAT(differences_of("T = [" + names + ", 'x', 'y']\n", "T = [" + names + ", 'y', 'x']\n"),
              ElementsAre("modified variable m.T", "  value T: [" + names + ", 'x', 'y'] | [" + names + ", 'y', 'x']"));
}

TEST(Variables, OrderOfFieldsMatters) {
  EXPECT_THAT(differences_of("class C:\n    a: int\n    b: str\n", "class C:\n    b: str\n    a: int\n"),
              ElementsAre("modified class m.C", "  body order of definitions"));
  EXPECT_THAT(differences_of("def f(): return 1\n\ndef g(): return 2\n", "def g(): return 2\n\ndef f(): return 1\n"),
              ElementsAre("modified module m (cosmetic)", "  formatting order of definitions"));
}

TEST(Variables, InScriptsAndConditions) {
  EXPECT_THAT(differences_of("try:\n    import te\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n",
                             "try:\n    import te\n    HAVE = True\nexcept ImportError:\n    HAVE = None\n"),
              ElementsAre("modified variable m.HAVE", "  value HAVE: False | None"));
  EXPECT_THAT(differences_of("if __name__ == '__main__':\n    a = 1\n", "if __name__ == '__main__':\n    a = 2\n"),
              ElementsAre("modified module m", "  body a: a = 1 | a = 2"));
}

TEST(Cosmetic, DocstringCommentsAndLayout) {
  EXPECT_THAT(differences_of("def f(a):\n    '''Old.'''\n    return a\n", "def f(a):\n    '''New.'''\n    return a\n"),
              ElementsAre("modified function m.f (cosmetic)", "  docstring: '''Old.''' | '''New.'''"));
  EXPECT_THAT(differences_of("def f(a):\n    return a  # old\n", "def f(a):\n    # why\n    return a  # old\n"),
              ElementsAre("modified function m.f (cosmetic)", "  comments: - | # why"));
  EXPECT_THAT(
      differences_of("def f(a):\n    return g('a', (a))\n", "def f(a):\n  return g(\n    \"a\",\n    a,\n  )\n"),
      ElementsAre("modified function m.f (cosmetic)", "  formatting"));
  EXPECT_THAT(differences_of("def f(): pass\ndef g(): pass\n", "def f(): pass\n\n\ndef g(): pass\n"),
              ElementsAre("modified module m (cosmetic)", "  formatting"));
}

TEST(Cosmetic, NotWhereCodeDiffersToo) {
  EXPECT_THAT(differences_of("def f(a):\n    # old\n    return a\n", "def f(a):\n    # new\n    return -a\n"),
              ElementsAre("modified function m.f", "  return: return a | return -a", "  comments: # old | # new"));
}

TEST(Broken, ErrorsAreComparedAsText) {
  EXPECT_THAT(differences_of("def f(a):\n    return a\nx = = 1\n", "def f(a):\n    return a\nx = = 1\n"), IsEmpty());
  EXPECT_FALSE(differences_of("def f(a):\n    return a\nx = = 1\n", "def f(a):\n    return a\nx = = 2\n").empty());
}

}  // namespace
}  // namespace lockstep::change
