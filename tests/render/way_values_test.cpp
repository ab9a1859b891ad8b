// Ways that values on them open or close: which of them a run can take, and which none takes.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kTarget = "def reduce_it(x):\n    y = x + 1\n    return y\n\n\n";

/// Explains a change of `reduce_it` in a library whose `run` a script calls.
std::string explained(const std::string& library, const std::string& script = "run(step)") {
  const std::string main = "from core import run\n\n\ndef main():\n    for step in range(3):\n        " + script +
                           "\n\n\nif __name__ == '__main__':\n    main()\n";
  std::string changed = kTarget;
  changed.replace(changed.find("x + 1"), 5, "x + 2");
  return explain_of({{"core.py", kTarget + library}, {"train.py", main}},
                    {{"core.py", changed + library}, {"train.py", main}});
}

TEST(WayValues, WhatBindsAParameterAnewOpensTheWay) {
  const std::string rest = " is None:\n        return x\n    return reduce_it(x)\n";
  const std::string closed = explained("def run(x, hook=None):\n    if hook" + rest);
  EXPECT_FALSE(says(closed, "Runs reach")) << closed;
  for (const std::string& library : {
           "def run(x, hook=None):\n    if hook is None:\n        def hook(y):\n            return y\n    if hook" +
               rest,
           "def run(x, Hook=None):\n    if Hook is None:\n        class Hook:\n            pass\n    if Hook" + rest,
           "def run(x, np=None):\n    try:\n        import numpy as np\n    except ImportError:\n        pass\n    if "
           "np" +
               rest,
           std::string(
               "def run(x, error=None):\n    try:\n        x + 1\n    except TypeError as error:\n        return "
               "reduce_it(x) if error else x\n    return x\n"),
           "def run(x, mode=None):\n    match x:\n        case mode:\n            pass\n    if mode" + rest,
           "def make(x):\n    return x * 2\n\n\ndef run(x, other=None, mask=None):\n    other = make(x)\n    mask = "
           "other\n    if mask" +
               rest,
           std::string("def run(x, mask=0xA):\n    if not mask:\n        return x\n    return reduce_it(x)\n"),
       }) {
    const std::string text = explained(library);
    EXPECT_TRUE(says(text, "Runs reach `reduce_it`: `train.py` → `main`")) << text;
  }
}

TEST(WayValues, WhatIsRefusedBeforeInAnyBlockAround) {
  const auto text_of = [](const std::string& opening, const std::string& closing) {
    return explained("def run(x, quick=True):\n    " + opening +
                     "\n        if quick:\n            return x\n        reduce_it(x)\n" + closing);
  };
  for (const auto& [opening, closing] : {std::pair<std::string, std::string>("while x:", ""),
                                         {"try:", "    except ValueError:\n        pass\n"},
                                         {"try:\n        x = x + 1\n    except ValueError:", ""},
                                         {"match x:\n      case 1:", ""},
                                         {"for y in x:\n        x = y\n    else:", ""}})
    EXPECT_FALSE(says(text_of(opening, closing), "Runs reach")) << text_of(opening, closing);
  EXPECT_TRUE(says(explained("def run(x, quick=True):\n    try:\n        if quick:\n            x = x + 2\n"
                             "        reduce_it(x)\n    except ValueError:\n        pass\n"),
                   "Runs reach `reduce_it`: `train.py` →"));
}

TEST(WayValues, AMappingThatIsHandedOverWholeMayBeFilled) {
  const auto text_of = [](const std::string& before) {
    return explained(
        "def fill(options):\n    options['reduce'] = True\n\n\ndef run_it(x, reduce=False):\n    if not "
        "reduce:\n        return x\n    return reduce_it(x)\n\n\ndef run(x, **kwargs):\n    " +
        before + "(kwargs)\n    return run_it(x, **kwargs)\n");
  };
  EXPECT_TRUE(says(text_of("fill"), "Runs reach `reduce_it`: `train.py` →")) << text_of("fill");
  EXPECT_FALSE(says(text_of("print"), "Runs reach")) << text_of("print");
}

// A call of which it does not show what it passes is no call that passes nothing.
TEST(WayValues, TheWayOnWhichAValueMayComeIsTold) {
  const auto text_of = [](const std::string& condition, const std::string& call) {
    const auto side = [&](const std::string& inside) {
      return "import functools\n\n\ndef run_it(x, scale=1.0, reduce=False):\n    if " + condition +
             ":\n        x = x + " + inside +
             "\n        print(x)\n    return x\n\n\ndef inner(x):\n    rest = (1.0, True)\n    return " + call +
             "\n\n\ndef run(x):\n    return inner(x)\n";
    };
    const std::string main =
        "from core import run, run_it\n\n\ndef main():\n    for step in range(3):\n        run_it(step)\n        "
        "run(step)\n\n\nif __name__ == '__main__':\n    main()\n";
    return explain_of({{"core.py", side("1")}, {"train.py", main}}, {{"core.py", side("2")}, {"train.py", main}});
  };
  const std::string way = "`run_it`: `train.py` → `main` (`train.py:4`) → `run` (`core.py:16`) → `inner`";
  EXPECT_TRUE(says(text_of("scale is None", "run_it(x, None)"), way));
  EXPECT_TRUE(says(text_of("reduce", "run_it(x, *rest)"), way));
  EXPECT_TRUE(says(text_of("reduce", "run_it(x, **dict(reduce=True))"), way));
  EXPECT_TRUE(says(text_of("reduce", "functools.partial(run_it, reduce=True)(x)"), way));
}

// One of two calls of a function is not made with what it is given: the other one is.
TEST(WayValues, ACallBesideTheOneThatIsNotMadeLeadsOn) {
  const std::string text = explained(
      "def inner(x):\n    return reduce_it(x)\n\n\ndef run(x, context=None):\n    if context is not None:\n"
      "        return inner(x + 1)\n    return inner(x)\n\n\ndef slow(x):\n    return slower(x)\n\n\n"
      "def slower(x):\n    return inner(x)\n",
      "run(step)\n        if step > 1:\n            from core import slow\n            slow(step)");
  EXPECT_TRUE(says(text, "`train.py` → `main` (`train.py:4`) → `run` (`core.py:10`) → `inner` (`core.py:6`) →"))
      << text;
}

TEST(WayValues, NoRunPassesADeadEnd) {
  const std::string alive = explained("def run(x):\n    print(x)\n    return reduce_it(x)\n");
  EXPECT_TRUE(says(alive, "Runs reach `reduce_it`")) << alive;
  // What stands in for a package that is missing raises only there.
  const std::string optional = explained(
      "try:\n    from fast import check\nexcept ImportError:\n    def check(x):\n        raise "
      "ImportError('fast')\n\n\n"
      "def run(x):\n    check(x)\n    return reduce_it(x)\n");
  EXPECT_TRUE(says(optional, "Runs reach `reduce_it`")) << optional;
  for (const std::string library : {
           "def run(x):\n    if False:\n        return reduce_it(x)\n",
           "def run(x):\n    raise NotImplementedError\n    reduce_it(x)\n",
           "import sys\n\n\ndef run(x):\n    sys.exit(0)\n    reduce_it(x)\n",
           "def off(x):\n    raise RuntimeError('off')\n\n\ndef run(x):\n    off(x)\n    reduce_it(x)\n",
           "def run(x, reduce=False):\n    assert reduce\n    return reduce_it(x)\n",
           "def run(x, reduce=False):\n    if x:\n        return x\n    else:\n        assert reduce\n"
           "        return reduce_it(x)\n",
       }) {
    const std::string text = explained(library);
    EXPECT_FALSE(says(text, "Runs reach")) << text;
  }
}

TEST(WayValues, NoTestPassesADeadEnd) {
  const auto text_of = [](const std::string& first) {
    const std::string test = "from core import reduce_it\n\n\ndef test_it():\n" + first + "    assert reduce_it(1)\n";
    std::string changed = kTarget;
    changed.replace(changed.find("x + 1"), 5, "x + 2");
    return explain_of({{"core.py", kTarget}, {"tests/test_core.py", test}},
                      {{"core.py", changed}, {"tests/test_core.py", test}});
  };
  EXPECT_TRUE(says(text_of(""), "Called in the test `test_it`")) << text_of("");
  EXPECT_FALSE(says(text_of("    raise ValueError\n"), "Called in the test")) << text_of("    raise ValueError\n");
}

/// What a partial object may add does not show: a way on which it shows that the value is passed comes first.
TEST(WayValues, AWayThatNeedsAnotherValueThanADefaultComesAfterOneThatPassesIt) {
  const std::string code =
      "from functools import partial\n\n\n"
      "class Linear:\n    def __init__(self, size, is_expert):\n        if is_expert:\n            mark(self)\n\n\n"
      "class Mlp:\n    def __init__(self, size, is_expert=False):\n        self.linear = Linear(size, is_expert)\n\n"
      "    @classmethod\n    def build(cls, size, width, is_expert=False):\n"
      "        return cls(size * width, is_expert=is_expert)\n\n\n"
      "class Experts:\n    def __init__(self, size):\n        self.start(size)\n\n    def start(self, size):\n"
      "        self.begin(size)\n\n    def begin(self, size):\n        self.linear = Linear(size, True)\n\n\n"
      "class Layer:\n    def __init__(self, mlp, size):\n        self.mlp = mlp(size)\n\n\n";
  const auto text_of = [&](const std::string& mlp) {
    const std::string train = "def train(has_experts):\n    mlp = " + mlp + "\n    return Layer(mlp, 3)\n\n\n";
    const std::string main = "if __name__ == \"__main__\":\n    train(False)\n";
    const std::string mark = "def mark(layer):\n    layer.reduced = ";
    return explain_of({{"train.py", code + train + mark + "1\n\n\n" + main}},
                      {{"train.py", code + train + mark + "2\n\n\n" + main}});
  };
  const std::string either = text_of("partial(Experts) if has_experts else partial(Mlp.build, width=2)");
  EXPECT_TRUE(says(either, "`Experts.begin` (`train.py:")) << either;
  EXPECT_FALSE(says(either, "`Mlp.__init__` (`train.py:")) << either;
  const std::string only = text_of("partial(Mlp.build, width=2)");
  EXPECT_TRUE(says(only, "`Mlp.__init__` (`train.py:")) << "where no other shows it, it may be passed: " << only;
}

/// A loader asks its data set for items, in processes of its own as a rule; going through a data set itself is rare.
TEST(WayValues, AWayToADataSetGoesThroughItsLoader) {
  const std::string code =
      "from torch.utils.data import DataLoader, Dataset\n\n\n"
      "class Rows(Dataset):\n    def __init__(self, rows):\n        self.rows = rows\n\n"
      "    def __getitem__(self, index):\n        return self.rows[index]\n\n\n"
      "def build_loader(rows, kind):\n    if kind == \"plain\":\n        return rows\n"
      "    return DataLoader(rows, batch_size=2)\n\n\n"
      "def cycle(loader):\n    while True:\n        for batch in loader:\n            yield batch\n\n\n"
      "def main(kind):\n    loader = build_loader(Rows([1, 2]), kind)\n"
      "    batches = iter(loader) if kind == \"single\" else cycle(loader)\n    print(next(batches))\n\n\n"
      "if __name__ == \"__main__\":\n    main(\"single\")\n";
  const Files before = {{"train.py", code}};
  const std::string text =
      explain_of(before, with_edit(before, "train.py", "self.rows[index]", "self.rows[index + 1]"));
  EXPECT_TRUE(says(text, "`build_loader` (`train.py:12`) \u2192 hands on `Rows.__getitem__`")) << text;
}

/// `save(args.form)` under `if form == "torch"` does not save in another form.
TEST(WayValues, WhatABranchAroundTheCallAsksForIsPassed) {
  const std::string save = "def save(form):\n    if form == 'zarr':\n        reduce_it(form)\n\n\n";
  const auto run = [&](const std::string& before, const std::string& asked, const std::string& passed) {
    return explained(save + "def run(args, other=1):\n" + before + "    if args and " + asked + ":\n        save(" +
                     passed + ")\n");
  };
  const std::string local = "    form = args.form if other else 'plain'\n";
  for (const std::string& closed : {
           run("", "args.form == 'torch'", "args.form"),
           run(local, "form == 'torch'", "args.form"),
           run(local, "form == 'torch'", "form=form"),
           run("    args = args.own\n    form = 1\n", "form == 1", "form"),
       })
    EXPECT_FALSE(says(closed, "Runs reach")) << closed;
  for (const std::string& open : {
           run("", "args.form == 'zarr'", "args.form"),
           run("", "args.form != 'torch'", "args.form"),
           run("", "other.form == 'torch'", "args.form"),
           run(local, "form == 'plain'", "args.form"),
           run("    args.form = other\n", "args.form == 'torch'", "args.form"),
           run("    form = args.form\n    form = other\n", "form == 'torch'", "form"),
       })
    EXPECT_TRUE(says(open, "Runs reach `reduce_it`: `train.py` \u2192 `main`")) << open;
}

/// Where all that changes asks for a parameter to be left out, who leaves it out is told, and runs that do are told
/// before others.
TEST(WayValues, WhatRunsOnlyWithoutAParameterIsToldByThoseWhoLeaveItOut) {
  const std::string loss =
      "def loss(x, labels=None):\n    derived = False\n    if labels is None:\n        labels = x + 1\n"
      "        derived = True\n    if derived:\n        x = x * 2\n    return x - labels\n";
  const std::string model =
      "from loss import loss\n\n\nclass Model:\n    def forward(self, x, labels=None):\n"
      "        return loss(x, labels=labels)\n";
  const auto script = [](const std::string& arguments) {
    return "from data import read\nfrom model import Model\n\n\ndef main():\n    model = Model()\n    y = read()\n"
           "    model.forward(" +
           arguments + ")\n\n\nif __name__ == '__main__':\n    main()\n";
  };
  const Files before = {{"data.py", "def read():\n    return 3\n"},
                        {"loss.py", loss},
                        {"model.py", model},
                        {"README.md", "Start `train.py`, or `train.py` again, or `train_policy.py`.\n"},
                        {"train.py", script("1, labels=y")},
                        {"train_policy.py", script("1")}};
  const std::string text = explain_of(before, with_edit(before, "loss.py", "labels = x + 1", "labels = x + 3"));
  EXPECT_TRUE(says(text,
                   "What changes there runs only without `labels`: calls that leave it out, or give `None`, stand in "
                   "`main` (`train_policy.py:8`)."))
      << text;
  EXPECT_TRUE(says(text, "reach `loss`: `train_policy.py`")) << text;
  // A call that Python refuses there leaves nothing out.
  Files refused = before;
  refused["tune.py"] =
      "from model import Model\n\n\nclass Other:\n    def forward(self, x, kind=0):\n        return x\n\n\n"
      "def tune(flag):\n    model = Model() if flag else Other()\n    return model.forward(1, kind=2)\n";
  const std::string fitting = explain_of(refused, with_edit(refused, "loss.py", "labels = x + 1", "labels = x + 3"));
  EXPECT_TRUE(says(fitting, "or give `None`, stand in `main` (`train_policy.py:8`).")) << fitting;
  // A flag that is only set there asks for it, too; what runs in any case does not.
  const std::string flagged = explain_of(before, with_edit(before, "loss.py", "x = x * 2", "x = x * 3"));
  EXPECT_TRUE(says(flagged, "What changes there runs only without `labels`")) << flagged;
  const std::string always = explain_of(before, with_edit(before, "loss.py", "x - labels", "x + labels"));
  EXPECT_FALSE(says(always, "runs only without")) << always;
  EXPECT_TRUE(says(always, "reach `loss`: `train.py`")) << always;
  // Nor where nobody leaves it out.
  Files giving = before;
  giving["train_policy.py"] = script("1, y");
  const std::string given = explain_of(giving, with_edit(giving, "loss.py", "labels = x + 1", "labels = x + 3"));
  EXPECT_FALSE(says(given, "runs only without")) << given;
}

TEST(WayValues, WhoMakesWhateverItIsToldToIsCalledForOtherThingsToo) {
  const auto core_with = [](const std::string& value) {
    return "class Linear:\n    def __init__(self, size, *, is_expert):\n        if is_expert:\n            self.wide "
           "= " +
           value +
           "\n\n\ndef build(spec, **options):\n    return spec(**options)\n\n\n"
           "class Dense:\n    def __init__(self, size):\n        self.linear = build(Linear, size=size, "
           "is_expert=False)\n\n\n"
           "class Experts:\n    def __init__(self, size):\n        self.linear = Linear(size, is_expert=True)\n\n\n"
           "class Layer:\n    def __init__(self, size):\n        self.dense = build(Dense, size=size)\n        "
           "self.experts = build(Experts, size=size)\n";
  };
  const std::string main =
      "from core import Layer, build\n\n\ndef main():\n    build(Layer, size=2)\n\n\nif __name__ == '__main__':\n    "
      "main()\n";
  const std::string text = explain_of({{"core.py", core_with("size > 1")}, {"train.py", main}},
                                      {{"core.py", core_with("size > 2")}, {"train.py", main}});
  EXPECT_TRUE(says(text, "`Experts.__init__` (`core.py:17`) → `Linear.__init__` (`core.py:2`)")) << text;
}

TEST(WayValues, AnOperandMoreCountsOnlyWhereTheOnesBeforeItLeaveItOpen) {
  const auto core_with = [](const std::string& condition) {
    return "def place(config, is_expert=False):\n    apart = is_expert and (" + condition +
           ")\n    return apart\n\n\ndef dense(config):\n    return place(config)\n\n\ndef experts(config):\n    "
           "return "
           "place(config, is_expert=True)\n";
  };
  const std::string main =
      "from core import dense, experts\n\n\ndef main(config):\n    dense(config)\n    experts(config)\n\n\nif __name__ "
      "== '__main__':\n    main(None)\n";
  const std::string was = "config.ep > 1 or config.etp != config.tp";
  const auto edited = [&](const std::string& condition) {
    return explain_of({{"core.py", core_with(was)}, {"train.py", main}},
                      {{"core.py", core_with(condition)}, {"train.py", main}});
  };
  const std::string text = edited(was + " or config.egtp != config.gtp");
  EXPECT_TRUE(says(text,
                   "What changes in `place` counts only when `is_expert` is true, `config.ep` is at most `1` and "
                   "`config.etp` equals `config.tp`."))
      << text;
  EXPECT_TRUE(says(text, "`experts` (`core.py:10`) → `place` (`core.py:1`)")) << text;
  // Where the order or another operand changes, too, all of it counts.
  const std::string other = edited("config.ep > 2 or config.etp != config.tp or config.egtp != config.gtp");
  EXPECT_FALSE(says(other, "counts only when")) << other;
}

}  // namespace
}  // namespace lockstep::render
