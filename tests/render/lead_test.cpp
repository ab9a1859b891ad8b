// What leads a document: of a large change with a new file of which the title speaks, the class that fills it.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/documents/dive.h"

namespace lockstep::render {
namespace {

/// A class of more than 200 lines.
std::string long_class() {
  std::string text = "class RolloutBank:\n    def __init__(self):\n        self.total = 0\n";
  for (int i = 0; i < 70; ++i)
    text += "\n    def part_" + std::to_string(i) + "(self):\n        return self.total + " + std::to_string(i) + "\n";
  return text;
}

Files with_bank(const std::string& run) {
  return {{"rollout_bank.py", long_class()}, {"train.py", "from rollout_bank import RolloutBank\n\n\n" + run}};
}

const char* const kBefore = R"(def train(x, group):
    return x


if __name__ == "__main__":
    train(1, None)
)";

const char* const kAfter = R"(import torch.distributed as dist


def train(x, group):
    bank = RolloutBank()
    if x > 1:
        dist.all_reduce(x, group=group)
    elif x < 0:
        raise ValueError(x)
    return bank.part_1()


if __name__ == "__main__":
    train(1, None)
)";

TEST(Lead, IsTheClassThatFillsTheNewFileOfTheTitle) {
  const std::string text = explain_of({{"train.py", kBefore}}, with_bank(kAfter), "Add a durable rollout bank");
  EXPECT_TRUE(says(text, "### What\n\n- `RolloutBank` (new")) << text;
  // A title that speaks of something else does not make it the subject.
  const std::string other = explain_of({{"train.py", kBefore}}, with_bank(kAfter), "Reduce over the group");
  EXPECT_TRUE(says(other, "### What\n\n- `train` (changed")) << other;
}

const char* const kBuckets = R"(def make_buckets(buffers, single=False, sum_in_fp32=False):
    return [buffers] if single else [[one] for one in buffers]


def swap(tensor, data):
    old = tensor.data
    setattr(tensor, "data", data)
    return old


class Wrapper:
    def __init__(self, config, buffers):
        swap(buffers[0], buffers[1])
        self.groups = make_buckets(buffers, single=config.single)


if __name__ == "__main__":
    Wrapper(None, [1, 2])
)";

TEST(Lead, ACallThatGivesNowWhatTheTitleCallsByNameCarriesTheChange) {
  const Files base = {{"buckets.py", kBuckets}};
  Files after =
      with_edit(base, "buckets.py", "single=config.single)", "single=config.single, sum_in_fp32=config.sum_in_fp32)");
  after = with_edit(after, "buckets.py", "    setattr(tensor, \"data\", data)\n    return old\n",
                    "    tensor.data = data\n    return old\n");
  const auto leads = [&](const std::string& title) {
    const std::string text = explain_of(base, after, title);
    const std::size_t given = text.find("`Wrapper.__init__` (changed");
    const std::size_t other = text.find("`swap` (changed");
    return given != std::string::npos && (other == std::string::npos || given < other);
  };
  EXPECT_TRUE(leads("Add missing knob for sum_in_fp32"));
  EXPECT_FALSE(leads("Swap the data of a tensor"));
}

/// A title that says that something goes is about the lines that go, however much else comes.
TEST(Lead, ATitleOfRemovalIsAboutWhatGoes) {
  const std::string before = R"(class Sampler:
    def __init__(self, config, enable_cuda_graph):
        self.config = config
        if enable_cuda_graph:
            CudaGraphManager(config, self)

    def sample(self, logits, kind):
        return joint(logits)
)";
  std::string after = R"(class Sampler:
    def __init__(self, config, enable_cuda_graph):
        del enable_cuda_graph
        self.config = config

    def sample(self, logits, kind):
        if kind == "k":
            probs = softmax(logits)
            return top_k(probs)
        if kind == "p":
            probs = softmax(logits)
            return top_p(probs)
        return joint(logits)
)";
  const auto first_item = [&](const std::string& title) {
    const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}}, title);
    const std::size_t at = text.find("- `Sampler.");
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string gone = first_item("Prevent the sampler from running with CUDA graphs");
  EXPECT_TRUE(gone.starts_with("- `Sampler.__init__`")) << gone;
  EXPECT_TRUE(says(gone, "`CudaGraphManager(config, self)`")) << gone;
  EXPECT_FALSE(says(gone, "del enable_cuda_graph")) << gone;
  const std::string come = first_item("Sample by kind of the logits with softmax");
  EXPECT_TRUE(come.starts_with("- `Sampler.sample`")) << come;
}

TEST(Lead, AFunctionThatTheTitleSpellsLeads) {
  const std::string scheduler =
      "import torch.distributed as dist\n\n\nclass Scheduler:\n    def run(self, batch, group):\n"
      "        dist.all_gather(batch, group=group)\n        dist.all_to_all(batch, group=group)\n"
      "        self.count = len(batch)\n        return batch\n";
  const std::string wrapper =
      "\n\ndef wrap_data_iterator(iterator, group):\n    return iter([Scheduler().run(next(iterator), group)])\n";
  const auto first_item = [&](const std::string& title) {
    const std::string text = explain_of({{"a.py", "X = 1\n"}}, {{"a.py", "X = 1\n" + scheduler + wrapper}}, title);
    const std::size_t at = text.find("### `");
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string spelled = first_item("Add the scheduler and its wrap_data_iterator entry point");
  EXPECT_TRUE(spelled.starts_with("### `wrap_data_iterator`")) << spelled;
  const std::string other = first_item("Add the scheduler");
  EXPECT_FALSE(other.starts_with("### `wrap_data_iterator`")) << other;
}

/// What decides by a new flag leads what hands it on, and what asks for it before doing the same as ever.
TEST(Lead, IsWhatDecidesByTheNewFlag) {
  const std::string before = R"(class Saved:
    def __init__(self, function):
        self.function = function

    def keep(self, *args):
        self.outputs = self.function(*args)
        return self.outputs


def build(layer, norm):
    layer.norm = norm


def attention(layer, x):
    layer.saved = Saved(layer.norm)
    y = layer.saved.keep(x)
    if isinstance(y, tuple):
        if len(y) != 2:
            raise ValueError("a pair is expected")
        y, x = y
    return layer.attend(y) + x


def mlp(layer, x):
    layer.saved = Saved(layer.norm)
    y = layer.saved.keep(x)
    if isinstance(y, tuple):
        if len(y) != 2:
            raise ValueError("a pair is expected")
        y, x = y
    return layer.project(y) + x
)";
  const std::string after = R"(class Saved:
    def __init__(self, function, retains=False):
        self.function = function
        self.retains = retains

    def keep(self, *args):
        if self.retains:
            self.pointers = [one.data_ptr() for one in args]
        self.outputs = self.function(*args)
        return self.outputs


def build(layer, norm):
    layer.norm = norm
    layer.returns_pair = norm.size > 1


def attention(layer, x):
    layer.saved = Saved(layer.norm, retains=layer.returns_pair)
    y = layer.saved.keep(x)
    if layer.returns_pair:
        y, x = y
    return layer.attend(y) + x


def mlp(layer, x):
    layer.saved = Saved(layer.norm, retains=layer.returns_pair)
    y = layer.saved.keep(x)
    if layer.returns_pair:
        y, x = y
    return layer.project(y) + x
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "### What\n\n- `Saved.keep` (changed")) << text;
  // The branch is the same branch: what it does is no news.
  EXPECT_TRUE(
      says(text, "takes the branch when `layer.returns_pair` is set, formerly when `y` is an instance of `tuple`") ||
      says(text, "Takes the branch when `layer.returns_pair` is set, formerly when `y` is an instance of `tuple`"))
      << text;
  EXPECT_FALSE(says(text, "sets `y, x` to `y`")) << text;
}

/// A step that went, as it was, into a function that is called in its place is the least of a change.
TEST(Lead, IsNotWhatOnlyCallsWhatItDidItself) {
  const std::string before = R"(import torch


class Mixer:
    def get_cache(self):
        if self.is_stale:
            with torch.no_grad():
                self.cache.copy_(-torch.exp(self.weight.float()))
            self.is_stale = False
        return self.cache.view(-1, 1)

    def train(self, mode):
        if mode:
            self.is_stale = True
        return mode
)";
  const std::string after = R"(import torch


class Mixer:
    @torch.no_grad()
    def refresh(self):
        self.cache.copy_(-torch.exp(self.weight.float()))
        self.is_stale = False

    def get_cache(self):
        if self.is_stale:
            self.refresh()
        return self.cache.view(-1, 1)

    def train(self, mode):
        if mode:
            self.is_stale = True
        elif self.is_stale:
            self.refresh()
        return mode
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "### What\n\n- `Mixer.get_cache`")) << text;
  EXPECT_TRUE(says(text, "moves 3 steps to `Mixer.refresh`")) << text;
  EXPECT_FALSE(says(text, "with changes")) << text;
}

/// A function in which nothing but the order changes is told with its code.
TEST(Lead, TheOrderOfTwoCallsIsAChange) {
  const std::string before = R"(class Module:
    def post_backward(self):
        self.reduce()
        self.reshard()
        self.phase = 1

    def scale(self, x):
        return x
)";
  const std::string after = R"(class Module:
    def post_backward(self):
        self.reshard()
        self.reduce()
        self.phase = 1

    def scale(self, x):
        return x * 2
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "### `Module.post_backward`")) << text;
}

/// What a constructor makes ready is told by who uses it; a constant by what it holds, before its readers.
TEST(Lead, IsNotTheConstructorThatMakesReady) {
  const std::string before =
      "class Router:\n    def __init__(self, config):\n        self.config = config\n\n"
      "    def route(self, logits):\n        return logits\n";
  const std::string after = R"(class Router:
    def __init__(self, config):
        self.config = config
        if config.kind == "balanced":
            self.register_buffer("bias", torch.zeros(config.experts))
            self.register_buffer("bias_sum", torch.zeros(config.experts), persistent=False)
            self.register_buffer("bias_count", torch.zeros(1), persistent=False)
        else:
            self.bias = None
            self.bias_sum = None
            self.bias_count = None

    def route(self, logits):
        if self.config.kind == "balanced":
            return self.balance(logits)
        return logits

    def balance(self, logits):
        """Pick by what is left of the bias."""
        scores = logits - self.bias
        self.bias_sum.add_(scores.mean(dim=0))
        return scores


def update(router):
    router.bias.copy_(router.bias_sum)
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_LT(text.find("- `Router.balance` (new"), text.find("- `Router.__init__` (changed")) << text;
  EXPECT_TRUE(says(text, "`bias_sum` is new: registered in `Router.__init__`, not to be saved;")) << text;
  EXPECT_FALSE(says(text, "set to `None` in `Router.__init__`")) << text;
}

/// A method that leaves where it did its work before is kept from doing it twice; what comes to call it does more. What
/// a constructor sets on other objects makes these ready, too.
TEST(Lead, IsNotTheLatchThatKeepsFromDoingTwice) {
  const auto groups = [](const std::string& links, const std::string& drains, const std::string& latch,
                         const std::string& sets) {
    return "class Group:\n    def start_sync(self, grads):\n" + drains +
           "        self.handle = send(grads)\n        note(self.handle)\n\n    def finish_sync(self, grads):\n" +
           latch + "        self.handle.wait()\n        copy_back(grads)\n" + sets +
           "\n\nclass Wrapper:\n    def __init__(self, groups, config):\n        self.groups = groups\n" + links +
           "        self.config = config\n";
  };
  const std::string links =
      "        if config.overlap and config.fp32 and config.instances == 1:\n"
      "            for i in range(1, len(groups)):\n                groups[i].previous_group = groups[i - 1]\n";
  const std::string drains =
      "        # Drain the predecessor first.\n"
      "        if self.previous_group is not None and self.previous_group.handle is not None:\n"
      "            self.previous_group.finish_sync(grads)\n";
  const std::string latch = "        if self.is_finished:\n            return\n";
  const std::string text =
      explain_of({{"a.py", groups("", "", "", "")}},
                 {{"a.py", groups(links, drains, latch, "        self.is_finished = True\n")}}, "Drain predecessors");
  EXPECT_TRUE(says(text, "### What\n\n- `Group.start_sync` (changed")) << text;
}

/// A constructor that makes something else in place of what it made is the change, which its users follow.
TEST(Lead, IsTheConstructorThatReplacesWhatOthersRead) {
  const auto mixer = [](const std::string& made, const std::string& weight, const std::string& bias) {
    return "import torch\nfrom torch import nn\n\n\nclass Mixer(nn.Module):\n    def __init__(self, size):\n"
           "        super().__init__()\n" +
           made + "        mark_parallel(self." + weight + ")\n        mark_parallel(self." + bias +
           ")\n\n    def decode(self, x, state):\n        if state is None:\n            x = x * self." + weight +
           "\n        else:\n            x = update(x, state, self." + weight + ", self." + bias +
           ")\n        return x\n";
  };
  const std::string text =
      explain_of({{"a.py", mixer("        self.conv = nn.Conv1d(size, size, 4)\n", "conv.weight", "conv.bias")}},
                 {{"a.py", mixer("        self.conv_weight = nn.Parameter(torch.empty(size, 1, 4))\n"
                                 "        self.conv_bias = nn.Parameter(torch.empty(size))\n",
                                 "conv_weight", "conv_bias")}},
                 "Make weights direct parameters");
  EXPECT_TRUE(says(text, "### What\n\n- `Mixer.__init__` (changed")) << text;
}

TEST(Lead, IsTheConstantThatSeveralRead) {
  const std::string before = R"(KEYS = ("rate", "decay", "expert")


def save(groups):
    return sorted(groups, key=lambda group: [group[key] for key in KEYS])


def load(groups, saved):
    known = {tuple(group[key] for key in KEYS): group for group in saved}
    return [known[tuple(group[key] for key in KEYS)] for group in groups]
)";
  std::string after = before;
  after.replace(after.find("(\"rate\", "), 9, "(\"largest\", \"rate\", ");
  after.replace(after.find("group[key] for key in KEYS]"), 27, "group.get(key) for key in KEYS]");
  after.replace(after.find("    known = {"), 13, "    print(saved)\n    known = {");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "### What\n\n- `KEYS` (changed, `a.py:1`): gains `\"largest\"`.")) << text;
}

/// What other ranks meet changes more than what one rank reckons.
TEST(Lead, IsTheFunctionThatGainsOrLosesACollective) {
  const std::string before = R"(import torch.distributed as dist


def pack(lengths, size):
    total = sum(lengths)
    return lengths + [size - total]


def loss_of(loss, args):
    if args.context_size > 1:
        dist.all_reduce(loss)
    return loss * args.context_size
)";
  const std::string after = R"(import torch.distributed as dist


def pack(lengths, size, multiple=1):
    padded = [round_up(one, multiple) for one in lengths]
    total = sum(padded)
    if multiple > 1:
        for one in padded:
            if one % multiple != 0:
                padded = [one for one in padded if one > 0]
    if total > size:
        padded = padded[:-1]
    return padded + [size - total]


def round_up(length, multiple):
    return (length + multiple - 1) // multiple * multiple


def loss_of(loss, args):
    return loss.clone()
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "### What\n\n- `loss_of` (changed")) << text;
}

/// A hook that did nothing and does something now is what a change is about, whatever moves beside it.
TEST(Lead, IsTheFunctionThatDidNothingBefore) {
  const std::string before = R"(class Optimizer:
    def copy_back(self):
        """No-op: the forward hook does it."""

    def step(self, groups):
        seen = set()
        for group in groups:
            for parameter in group:
                seen.add(parameter.owner)
        for owner in seen:
            owner.sync()
)";
  const std::string after = R"(class Optimizer:
    def copy_back(self):
        """Refresh the weights."""
        sync_all(self.parameters())

    def step(self, groups):
        sync_all(one for group in groups for one in group)

    def parameters(self):
        return self.all


def sync_all(parameters):
    """Refresh each owner once."""
    seen = set()
    for parameter in parameters:
        if parameter.owner in seen:
            continue
        seen.add(parameter.owner)
        parameter.owner.sync()
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "- `Optimizer.copy_back` (changed, `a.py:2`): did nothing before (“No-op: the forward hook "
                   "does it.”); calls `sync_all(self.parameters())`."))
      << text;
  EXPECT_LT(text.find("- `Optimizer.copy_back`"), text.find("- `Optimizer.step`"));
  const std::string gone = explain_of({{"a.py", after}}, {{"a.py", before}});
  EXPECT_TRUE(says(gone, "`Optimizer.copy_back` (changed, `a.py:2`): does nothing any more")) << gone;
}

/// A refusal that goes is what a change makes possible.
TEST(Lead, IsWhatIsNoLongerRefusedAsUnsupported) {
  const std::string before =
      "class Request:\n    def __init__(self, filters):\n        self.filters = filters\n\n\ndef validate(request):\n  "
      "  "
      "assert not request.filters, \"filters are not supported: dropped groups are not made anew\"\n    return "
      "request\n";
  const std::string after = replace_all(
      before, "    assert not request.filters, \"filters are not supported: dropped groups are not made anew\"\n", "");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "### What\n\n- `validate` no longer insists that `request.filters` is not set")) << text;
  const std::string other = replace_all(before, "are not supported: dropped groups are not made anew", "must be off");
  EXPECT_FALSE(says(explain_of({{"a.py", other}}, {{"a.py", after}}), "### What\n\n- `validate` no longer insists"));
}

const char* const kDispatchers = R"(class AllToAllDispatcher:
    def dispatch(self, x):
        return x

    def combine(self, x):
        return x


class MoEFlexTokenDispatcher:
    def dispatch(self, x):
        return x


def main(x):
    AllToAllDispatcher().dispatch(x)
    AllToAllDispatcher().combine(x)
    MoEFlexTokenDispatcher().dispatch(x)


if __name__ == "__main__":
    main(1)
)";

TEST(Lead, IsTheMethodOfTheClassThatTheTitleWrites) {
  std::string after = kDispatchers;
  const auto replace = [&](std::string_view old_text, std::string_view new_text) {
    after.replace(after.find(old_text), old_text.size(), new_text);
  };
  replace(
      "        return x\n\n    def combine",
      "        if x > 1:\n            print(x)\n        if x > 2:\n            x = x + 1\n        return x\n\n    def "
      "combine");
  replace("        return x\n\n\ndef main", "        if x > 1:\n            x = x * 2\n        return x\n\n\ndef main");
  const auto lead = [&](const std::string& title) {
    const std::string text = explain_of({{"train.py", kDispatchers}}, {{"train.py", after}}, title);
    const std::size_t at = text.find("### What\n\n- ");
    return text.substr(at + 12, text.find('(', at) - at - 13);
  };
  EXPECT_EQ(lead("[MoE] Support overlap for FlexDispatcher"), "`MoEFlexTokenDispatcher.dispatch`");
  EXPECT_EQ(lead("[MoE] Support overlap"), "`AllToAllDispatcher.dispatch`") << "\"MoE\" names no class";
  EXPECT_EQ(lead("Support overlap for TokenFlex"), "`AllToAllDispatcher.dispatch`") << "the words in another order";
}

TEST(Lead, IsWhatTheChangeWorksOnAndNotTheWrapperAroundIt) {
  const auto side = [](const std::string& decorators, const std::string& bound) {
    std::string text = "from functools import wraps\n\n\n" + decorators + "def reduce_it(x):\n    if x > " + bound +
                       ":\n        x = x + 1\n    return x\n";
    for (const std::string name : {"first", "second", "third", "fourth"})
      text += "\n\ndef " + name + "(x):\n    if x > " + bound + ":\n        x = x * 2\n    return reduce_it(x)\n";
    return text + "\n\nif __name__ == \"__main__\":\n    first(second(third(fourth(1))))\n";
  };
  const std::string decorator =
      "def checked(state):\n    def decorator(method):\n        @wraps(method)\n        def wrapper(x):\n"
      "            # What is given is checked.\n            assert x is not None, \"no x\"\n"
      "            assert x != state, \"not in its turn\"\n            # Then it runs.\n"
      "            result = method(x)\n            # What it gives back, too.\n"
      "            assert result is not None\n            # That is all.\n            return result\n\n"
      "        return wrapper\n\n    return decorator\n\n\n@checked(3)\n";
  const std::string text = explain_of({{"train.py", side("", "1")}}, {{"train.py", side(decorator, "2")}});
  EXPECT_FALSE(says(text, "### What\n\n- `checked.decorator.wrapper` (new")) << text;
}

// A function that moved to where others can use it, word for word, is not the change: what others do with it is.
TEST(Lead, WhatComesToUseAMovedFunctionIsToldBeforeIt) {
  const auto merge = [](const std::string& name, const std::string& indent) {
    const std::vector<std::string> lines = {"@no_grad()",
                                            "def " + name + "(parts):",
                                            "    try:",
                                            "        return cat(parts)",
                                            "    except RuntimeError:",
                                            "        warn('the device has no room, so it is done on the host')",
                                            "        merged = cat(to_host(parts))",
                                            "        collect_garbage(generation=2)",
                                            "        empty_cache(device=parts[0].device, wait=True)",
                                            "        return merged"};
    return indent + join(lines, "\n" + indent) + "\n";
  };
  const std::string shared = merge("cat_with_fallback", "");
  const std::string mlp_before =
      "def mlp_factory(tensor):\n" + merge("merge_parts", "    ") + "\n    return Factory(tensor, merge_parts)\n";
  const std::string mlp_after =
      "from shared import cat_with_fallback\n\n\ndef mlp_factory(tensor):\n    return Factory(tensor, "
      "cat_with_fallback)\n";
  const std::string ssm_before =
      "def ssm_factory(tensor):\n    def merge_parts(parts):\n        return cat(parts)\n\n"
      "    return Factory(tensor, merge_parts)\n";
  const std::string ssm_after =
      "from shared import cat_with_fallback\n\n\ndef ssm_factory(tensor):\n    return Factory(tensor, "
      "cat_with_fallback)\n";
  const std::string run = "from ssm import ssm_factory\n\n\nif __name__ == '__main__':\n    ssm_factory(1)\n";
  const std::string text = explain_of(
      {{"mlp.py", mlp_before}, {"ssm.py", ssm_before}, {"shared.py", "x = 1\n"}, {"run.py", run}},
      {{"mlp.py", mlp_after}, {"ssm.py", ssm_after}, {"shared.py", "x = 1\n\n\n" + shared}, {"run.py", run}});
  const std::size_t user = text.find("- `ssm_factory` (changed");
  const std::size_t moved = text.find("- `cat_with_fallback` (moved from");
  EXPECT_NE(user, std::string::npos) << text;
  EXPECT_NE(moved, std::string::npos) << text;
  EXPECT_LT(user, moved) << text;
  // What it defined for itself is told with it.
  EXPECT_TRUE(says(text, "no longer defines the inner function `merge_parts`")) << text;
  EXPECT_FALSE(says(text, "- `ssm_factory.merge_parts` (removed")) << text;
  EXPECT_TRUE(says(text, "Runs reach `ssm_factory`: `run.py`")) << text;
}

TEST(Lead, AMovedFunctionLeadsWhereNobodyElseComesToUseIt) {
  const std::string body = "def steady(parts):\n    first(parts)\n    second(parts)\n    return third(parts)\n";
  const std::string text = explain_of(
      {{"a.py", body + "\n\ndef use(x):\n    return steady(x)\n"}, {"b.py", "x = 1\n"}},
      {{"a.py", "from b import steady\n\n\ndef use(x):\n    return steady(x)\n"}, {"b.py", "x = 1\n\n\n" + body}});
  EXPECT_FALSE(says(text, "- `use` (changed")) << text;
}

TEST(Lead, WhatTheTitleSpeaksOfIsToldByItsOwnWordsFirst) {
  const std::string before = "def finish(requests):\n    return [r.merge() for r in requests]\n";
  const std::string after =
      "class RequestLedger:\n    \"\"\"Keeps what finished requests used.\"\"\"\n\n    def __init__(self):\n"
      "        self.kept = {}\n\n\ndef finish(requests, ledger):\n    merged = [r.merge() for r in requests]\n"
      "    for one in merged:\n        ledger.kept[one.uid] = one\n    return merged\n";
  const auto dive = [&](const std::string& title) {
    return render_markdown(report::write_dive(make_fixture({{"a.py", before}}, {{"a.py", after}}, title)->inputs));
  };
  const std::string text = dive("Add a ledger for requests");
  EXPECT_TRUE(
      says(text, "**What:** `RequestLedger` (new): \u201cKeeps what finished requests used.\u201d `finish` (changed"))
      << text;
  EXPECT_TRUE(says(dive("Speed it up"), "**What:** `finish` (changed")) << dive("Speed it up");
}

/// What a title that is about refusing things refuses is what it is about; under others checks follow.
TEST(Lead, ATitleAboutRefusingIsAboutTheNewCheck) {
  const Files before = {{"m.py",
                         "def layout(params, size):\n    total = 0\n    for p in params:\n        total += p.n\n"
                         "    return total, size\n\n\ndef shard(buffer, group):\n    rows = buffer.rows\n"
                         "    return rows[group.rank()]\n\n\ndef train(params, buffer, group):\n"
                         "    print(layout(params, group.size()))\n    return shard(buffer, group)\n"}};
  const Files after = {{"m.py",
                        "def layout(params, size):\n    total = 0\n    for p in params:\n        total += p.n * size\n"
                        "    total -= total % size\n    return total, size\n\n\n"
                        "def shard(buffer, group):\n    rows = buffer.rows\n"
                        "    assert len(rows) == group.size(), \"rows were laid out for another number of ranks\"\n"
                        "    return rows[group.rank()]\n\n\ndef train(params, buffer, group):\n"
                        "    print(layout(params, group.size()))\n    return shard(buffer, group)\n"}};
  const auto first = [&](const std::string& title) {
    const std::string text = explain_of(before, after, title);
    return text.find("`shard` (changed") < text.find("`layout` (changed");
  };
  EXPECT_TRUE(first("Enforce that rows are laid out for this number of ranks"));
  EXPECT_FALSE(first("Scale totals"));
}

}  // namespace
}  // namespace lockstep::render
