// Edits that only follow another one come after what they follow: names of successors, keys, parameters in place of
// locals; and what is told first instead.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// The list of what changes.
std::string what_of(const std::string& text) {
  const std::size_t from = text.find("### What");
  return text.substr(from, text.find("## 2.") - from);
}

std::size_t place_of(const std::string& text, std::string_view part) { return text.find(part); }

const std::string kTracker = R"(class Tracker:
    values = {}

    def reduce_loss():
        return 1

    def track(scale, writer):
        Tracker.reduce_loss()
        if "values" not in Tracker.values:
            return
        losses = Tracker.values["values"] * scale
        writer.add_scalar("loss", losses)
)";

TEST(FollowingEdits, WhatIsWrittenNewComesBeforeNamesThatFollow) {
  std::string after = replace_all(kTracker, "reduce_loss", "reduce_metrics");
  after = replace_all(after, "    def track(", "    @staticmethod\n    def track(");
  after = replace_all(after, "\"values\"", "\"loss_values\"");
  after = replace_all(after, "        writer.add_scalar(\"loss\", losses)\n",
                      "        writer.add_scalar(\"loss\", losses)\n        rate = losses / 2\n"
                      "        if rate > 1:\n            writer.add_scalar(\"rate\", rate)\n"
                      "        for one in losses:\n            writer.add_histogram(\"one\", one)\n"
                      "        writer.flush(losses)\n");
  const std::string text = what_of(explain_of({{"a.py", kTracker}}, {{"a.py", after}}));
  EXPECT_TRUE(says(text, "alls `writer.add_scalar(\"rate\", rate)`")) << text;
  EXPECT_FALSE(says(text, "is decorated with")) << text;
  EXPECT_FALSE(says(text, "in place of `Tracker.reduce_loss()`")) << text;
  EXPECT_FALSE(says(text, "formerly when `\"values\"`")) << text;
  // A key that stays elsewhere is another one.
  const std::string other = replace_all(kTracker, "if \"values\" not in", "if \"other\" not in");
  const std::string asked = explain_of({{"a.py", kTracker}}, {{"a.py", other}});
  EXPECT_TRUE(says(asked, "formerly when `\"values\"`")) << asked;
  // A method that took its object before does not any more.
  const std::string bound = "class A:\n    def f(self, x):\n        return x\n";
  const std::string free = "class A:\n    @staticmethod\n    def f(x):\n        return x\n";
  const std::string decorated = explain_of({{"a.py", bound}}, {{"a.py", free}});
  EXPECT_TRUE(says(decorated, "s decorated with `staticmethod`")) << decorated;
}

TEST(FollowingEdits, WhatIsGivenNowIsReadWhereALocalWas) {
  const std::string before = R"(def fill(schedule, owner):
    members = list(get_members(owner))
    members.sort()
    if not members:
        print("none")
        return
    while len(schedule) < 12:
        first = members[0]
        if schedule[-1] in members:
            first = members[members.index(schedule[-1])]
        schedule.append(first)
)";
  std::string after = replace_all(before, "    members = list(get_members(owner))\n    members.sort()\n", "");
  after = replace_all(replace_all(after, "members", "order"), "schedule, owner", "schedule, order=None");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "akes `order=None` in place of `owner`")) << text;
  EXPECT_FALSE(says(text, "sets `first` to `order[0]`")) << text;
  // Where the local stays, another value is read.
  const std::string both = replace_all(replace_all(before, "schedule, owner", "schedule, owner, order=None"),
                                       "first = members[0]", "first = order[0]");
  const std::string other = explain_of({{"a.py", before}}, {{"a.py", both}});
  EXPECT_TRUE(says(other, "`order[0]`")) << other;
}

TEST(FollowingEdits, AnAttributeThatIsMadeNewComesBeforeWhatIsPassedOn) {
  const std::string before = R"(class Base:
    def __init__(self, config, name=None, kind=None):
        self.config = config


class Attention(Base):
    def __init__(self, config, kind):
        super().__init__(config=config, name="a")
        self.size = config.size
        self.k_up = build(config.k, self.size)
        self.v_up = build(config.v, self.size)

    def forward(self, x):
        return self.k_up(x) + self.v_up(x)
)";
  std::string after = replace_all(before, "name=\"a\")", "name=\"a\", kind=kind)");
  after = replace_all(after, "        self.k_up = build(config.k, self.size)\n", "");
  after = replace_all(after, "self.v_up = build(config.v, self.size)", "self.kv_up = build(config.kv, self.size * 2)");
  after = replace_all(after, "self.k_up(x) + self.v_up(x)", "self.kv_up(x).sum(dim=-1)");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_LT(place_of(text, "ets `self.kv_up` to"), place_of(text, "## 2.")) << text;
}

TEST(FollowingEdits, AGlobalStatementOfWhatIsOnlyReadIsNoChange) {
  const std::string before = R"(timer = make()


def step(x):
    global timer
    with timer:
        y = x + 1
    return y


def count(x):
    return x
)";
  const std::string after =
      replace_all(replace_all(before, "    global timer\n", ""), "    return x\n", "    return x + 1\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "- `step` (changed")) << text;
  // What is bound is another variable without it.
  const std::string binding = replace_all(before, "        y = x + 1\n", "        timer = y = x + 1\n");
  const std::string bound = explain_of({{"a.py", binding}}, {{"a.py", replace_all(binding, "    global timer\n", "")}});
  EXPECT_TRUE(says(bound, "`step` (changed")) << bound;
}

TEST(FollowingEdits, AWayToWhatAsksForANewParameterSaysWhatItAsksFor) {
  const std::string server = R"(def start(port, host=None):
    sock = open_socket()
    sock.bind((host or "0.0.0.0", port))
    sock.listen()
)";
  const std::string after = R"(def start(port, host=None, given=None):
    if given is not None:
        sock = given
        port = sock.getsockname()[1]
    else:
        sock = open_socket()
        sock.bind((host or "0.0.0.0", port))
    sock.listen()
)";
  const std::string script =
      "from server import start\n\n\ndef main():\n    start(5000)\n\n\nif __name__ == '__main__':\n    main()\n";
  const std::string text =
      explain_of({{"server.py", server}, {"serve.py", script}}, {{"server.py", after}, {"serve.py", script}});
  EXPECT_TRUE(says(text, "`serve.py` \u2192 `main`")) << text;
  EXPECT_TRUE(says(text, "The steps that change in `start` run only when `given` is not `None`.")) << text;
}

TEST(FollowingEdits, WhatATestSaysMustBeIsQuotedBeforeWhatItOnlyNames) {
  const std::string code = "def log(x):\n    return x\n";
  const std::string tests = R"(from a import log


def test_log():
    """Test logging of losses."""
    assert log(1) == 2


def test_log_keeps_scale():
    """Logged losses should keep their scale when rates are added."""
    assert log(2) == 3
)";
  const std::string text = explain_of(
      {{"a.py", code}}, {{"a.py", replace_all(code, "return x", "return x + 1")}, {"tests/test_a.py", tests}});
  EXPECT_TRUE(says(text, "\u201cLogged losses should keep their scale when rates are added.\u201d")) << text;
  EXPECT_LT(place_of(text, "Logged losses should keep"), place_of(text, "### What")) << text;
  const std::size_t named = place_of(text, "Test logging of losses");
  EXPECT_TRUE(named == std::string::npos || named > place_of(text, "### What")) << text;
}

TEST(FollowingEdits, FunctionsOfTwoFilesThatChangeAlikeAreToldOnce) {
  const std::string gpt = R"(cached = None


def loss_func(args, mask, output, model=None):
    """Loss."""
    if args.load_dir is not None:
        global cached
        if cached is None:
            cached = LossFunc(load_dir=args.load_dir, threads=args.load_threads, factor=args.load_factor)
        loss, count, report = cached(mask, output, model=model)
    else:
        loss, count, report = 1, 2, 3
    return loss, count, report
)";
  std::string now = replace_all(gpt, "        global cached\n        if cached is None:\n    ", "");
  now = replace_all(now, "cached = LossFunc(load_dir", "cached = build_cached(load_dir");
  now = replace_all(now, "cached = None\n\n\n", R"(def build_cached(load_dir, threads, factor):
    """Builds the loss once."""
    return LossFunc(load_dir=load_dir, threads=threads, factor=factor)


)");
  const auto hybrid = [](const std::string& text) {
    return replace_all(replace_all(text, "model=None", "model: object = None"), "\"\"\"Loss.", "\"\"\"Loss of both.");
  };
  const Files before = {{"gpt.py", gpt}, {"hybrid.py", hybrid(gpt)}};
  const std::string text = what_of(explain_of(before, {{"gpt.py", now}, {"hybrid.py", hybrid(now)}}));
  EXPECT_TRUE(says(text, "The same in `loss_func` (`hybrid.py:")) << text;
  EXPECT_TRUE(says(text, "The same in `build_cached` (`hybrid.py:")) << text;
  // Where one passes something else, it is told for itself.
  const std::string other = replace_all(hybrid(now), "threads=args.load_threads", "threads=args.other_threads");
  const std::string told = what_of(explain_of(before, {{"gpt.py", now}, {"hybrid.py", other}}));
  EXPECT_FALSE(says(told, "The same in `loss_func`")) << told;
}

}  // namespace
}  // namespace lockstep::render
