// The author's own words beside the code: which comments give reasons, what documentation says of what is new, and that
// what the title names comes first.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kStart = "def start(x, size):\n    if size > 1:\n        reserve(x)\n    return x\n";

TEST(AuthorWords, AChoiceIsNoReason) {
  const auto with = [](const std::string& comment) {
    return explain_of(
        {{"a.py", kStart}},
        {{"a.py", replace_all(kStart, "    return x", "    # " + comment + "\n    prepare(x)\n    return x")}});
  };
  const std::string choice = "Use the latent size of x if it is set, else use the hidden size.";
  EXPECT_FALSE(says(with(choice), "“" + choice)) << with(choice);
  const std::string needed = "Both workers need the counter: the kernel reads it as a pointer regardless of the size.";
  EXPECT_TRUE(says(with(needed), "“" + needed)) << with(needed);
  const std::string equal = "All of the ranks must be given the same sizes, else the collective below does not end.";
  EXPECT_TRUE(says(with(equal), "“" + equal)) << with(equal);
}

// What the code does not do yet is a limit of the change; what follows from that is a reason.
TEST(AuthorWords, WhatANewDocstringDemandsIsAReasonWhereNothingElseIs) {
  const Files before = {{"lib.py", "def use(model):\n    model.config.mode = 1\n"}};
  const Files after = {
      {"lib.py",
       "def set_all(model, value):\n    \"\"\"Set the mode of all configs.\n\n    Layers may have configs of their "
       "own. A "
       "switch of the whole model must reach all of them.\n    \"\"\"\n    model.config.mode = value\n\n\ndef "
       "use(model):\n    set_all(model, 1)\n"}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "Comments and docstrings that the change writes say:\n\n- the docstring of `set_all` (`lib.py:1`): "
                   "\u201cLayers may have configs of "
                   "their own. A switch of the whole model must reach all of them.\u201d"))
      << text;
  // A demand in the first sentence is what it does.
  const Files plain = with_edit(after, "lib.py", "A switch of the whole model must reach all of them.", "It is quick.");
  EXPECT_FALSE(says(explain_of(before, plain), "the docstring of `set_all`"));
  // What something is not meant for is one, wherever it stands.
  const Files meant = with_edit(after, "lib.py", "Set the mode of all configs.",
                                "Set what is not meant to be passed through the server.");
  EXPECT_TRUE(says(explain_of(before, meant), "\u201cSet what is not meant to be passed through the server.\u201d"));
}

/// How a definition is to be used, or need not be, is no reason for it.
TEST(AuthorWords, WhatUsersHaveToDoIsNoReason) {
  const Files before = {{"lib.py", "def use(model):\n    model.config.mode = 1\n"}};
  for (const std::string_view demand :
       {"The caller must hold the lock while it runs.", "Callers do not have to hold the lock while this runs.",
        "It needs to be called before the first step of a run.", "There is no need to call the function twice.",
        "Values must be sorted in the order of the file.", "The given value has to be one of the known modes."}) {
    const Files after = {
        {"lib.py",
         "def set_all(model, values, value):\n    \"\"\"Set the mode of all configs.\n\n    Rows are read in "
         "the order of the file. " +
             std::string(demand) +
             "\n    \"\"\"\n    model.config.mode = (value, values)\n\n\ndef use(model):\n    "
             "set_all(model, 1, 2)\n"}};
    EXPECT_FALSE(says(explain_of(before, after), "the docstring of `set_all`")) << demand;
  }
}

/// Comments that say why come before those that describe, wherever they stand.
TEST(AuthorWords, ReasonsComeBeforeDescriptions) {
  const std::string described = "The helper keeps one attribute instead of reading the table at every use of it.";
  const std::string reason = "Refuse the combination instead of silently training on a part of the gradients.";
  const std::string after = "def start(x, size):\n    # " + described + "\n    prepare(x)\n    # " + reason +
                            "\n    clear(x)\n    if size > 1:\n        reserve(x)\n    return x\n";
  const std::string text = explain_of({{"a.py", kStart}}, {{"a.py", after}}, "Clear at the start");
  EXPECT_LT(text.find("\u201c" + reason), text.find("\u201c" + described)) << text;
}

TEST(AuthorWords, WhatIsNotDoneYetIsNoReason) {
  const auto with = [](const std::string& comment) {
    return explain_of(
        {{"a.py", kStart}},
        {{"a.py", replace_all(kStart, "    return x", "    # " + comment + "\n    prepare(x)\n    return x")}});
  };
  for (const std::string limit : {"The speculative path must know this but does not yet apply the sizes of x.",
                                  "This must be implemented in the subclass, which has not been done yet."})
    EXPECT_FALSE(says(with(limit), "“" + limit)) << with(limit);
  for (const std::string reason : {"The library does not yet support the size, so we prepare the values of x here.",
                                   "Rows that have not yet arrived must not be counted, otherwise the sum is wrong."})
    EXPECT_TRUE(says(with(reason), "“" + reason)) << with(reason);
}

/// A comment in other words, of which the meaning stays, tells nothing of the change; one that says something else
/// does.
TEST(AuthorWords, ACommentInOtherWordsIsNoNews) {
  const auto with = [](const std::string& before, const std::string& after) {
    const auto file = [](const std::string& comment, const std::string& size) {
      return replace_all(kStart, "    return x", "    # " + comment + "\n    prepare(x, " + size + ")\n    return x");
    };
    return explain_of({{"a.py", file(before, "1")}}, {{"a.py", file(after, "2")}});
  };
  const std::string was = "Clone needed: the fill on line 14 would corrupt the returned value.";
  const std::string same = "Clone needed: the fill below would corrupt the returned value.";
  EXPECT_FALSE(says(with(was, same), "\u201c" + same)) << with(was, same);
  const std::string turned = "Clone not needed: the fill on line 14 would corrupt the returned value.";
  EXPECT_TRUE(says(with(turned, same), "\u201c" + same)) << with(turned, same);
  const std::string other = "Copies are made in the loop that fills the cache, once for each of its blocks.";
  EXPECT_TRUE(says(with(other, same), "\u201c" + same)) << with(other, same);
}

TEST(AuthorWords, ACommentThatSharesTheTitlesWordsComesFirst) {
  const std::string reason = "The reader must wait here, since the writer would overwrite the block otherwise.";
  const std::string titled = "Lifetime counters are not reset here, where suspending must let all of these persist.";
  const auto file = [&](bool is_new) {
    return replace_all(kStart, "    return x",
                       is_new ? "    # " + reason + "\n    prepare(x)\n    # " + titled + "\n    clear(x)\n    return x"
                              : "    return x");
  };
  const auto text_of = [&](const std::string& title) {
    return explain_of({{"a.py", file(false)}}, {{"a.py", file(true)}}, title);
  };
  const std::string named = text_of("Let counters persist for the lifetime");
  EXPECT_LT(named.find("\u201c" + titled), named.find("\u201c" + reason)) << named;
  EXPECT_FALSE(says(text_of("Prepare before use"), "\u201c" + titled)) << text_of("Prepare before use");
}

TEST(AuthorWords, WhatWentWrongBeforeIsAReason) {
  const auto explained = [](const std::string& comment) {
    return explain_of({{"a.py", "def f(x):\n    y = x\n    return y\n"}},
                      {{"a.py", "def f(x):\n    # " + comment + "\n    y = x or 1\n    return y\n"}});
  };
  const std::string crash = "An unrewarded episode used to crash the mean with a TypeError.";
  EXPECT_TRUE(says(explained(crash), "\u201c" + crash.substr(0, crash.size() - 1))) << explained(crash);
  const std::string stays = "Refill the existing buffer so it remains mutable under inference mode.";
  EXPECT_TRUE(says(explained(stays), "\u201c" + stays.substr(0, stays.size() - 1))) << explained(stays);
  const std::string use = "A small integer buffer used to compute the mean of the rewards.";
  EXPECT_FALSE(says(explained(use), "\u201c" + use.substr(0, use.size() - 1))) << explained(use);
}

/// "so X can": what it is for.
TEST(AuthorWords, WhatSomethingCanDoThenIsAReason) {
  const auto explained = [](const std::string& comment) {
    return explain_of({{"a.py", "def f(x):\n    y = x\n    return y\n"}},
                      {{"a.py", "def f(x):\n    # " + comment + "\n    y = x or 1\n    return y\n"}});
  };
  const std::string purpose = "Mark the value of this call so the engine can omit the optional tensor.";
  EXPECT_TRUE(says(explained(purpose), "\u201c" + purpose)) << explained(purpose);
  const std::string other = "The values are kept so (as they come), and the engine can read the optional tensor.";
  EXPECT_FALSE(says(explained(other), "\u201c" + other)) << explained(other);
}

/// What a comment said that does not work yet, and that is gone, is what the change is for, where its title says the
/// same.
TEST(AuthorWords, AFormerLimitIsAReason) {
  const std::string limit =
      "Backward does not overlap, because the reduction is not delayed. The next PR addresses this.";
  const auto explained = [&](const std::string& comment, const std::string& title) {
    return explain_of({{"a.py", "def f(x):\n    # " + comment + "\n    y = x\n    return y\n"}},
                      {{"a.py", "def f(x):\n    y = x or 1\n    return y\n"}}, title);
  };
  const std::string text = explained(limit, "Overlap the reduction");
  EXPECT_TRUE(says(text, "Comments and docstrings that the change writes or takes out say:")) << text;
  EXPECT_TRUE(says(text, "- a comment that is gone (`a.py:2` before the change): \u201c" + limit + "\u201d")) << text;
  EXPECT_TRUE(says(dive_of({{"a.py", "def change(x):\n    # To change it is not safe yet.\n    return x\n"}},
                           {{"a.py", "def change(x):\n    return x or 1\n"}}),
                   "**Why:** A comment that is gone (`a.py:2` before the change) says:"));
  EXPECT_FALSE(says(explained(limit, "Rename a variable"), "a comment that is gone"));
  EXPECT_FALSE(says(explained("The overlap does not matter here.", "Overlap the reduction"), "a comment that is gone"));
  // What calls the code wrong is what a fix is for.
  const std::string fault = "This is a bug in the ranges of parameters. Here we can only pad it as a workaround.";
  EXPECT_TRUE(
      says(explained(fault, "Fix the state of the optimizer"), "before the change): \u201c" + fault + "\u201d"));
  EXPECT_FALSE(says(explained(fault, "Rename a variable"), "a comment that is gone"));
  // What stays is not gone.
  const std::string kept = "def f(x):\n    # " + limit + "\n    y = x";
  EXPECT_FALSE(says(explain_of({{"a.py", kept + "\n    return y\n"}}, {{"a.py", kept + " or 1\n    return y\n"}},
                               "Overlap the reduction"),
                    "a comment that is gone"));
}

TEST(AuthorWords, CommentsInATestGiveReasonsWhereThereWasAFault) {
  const std::string reason = "Experts take the latent size instead of the hidden one. The rest is as it was.";
  const Files before = {{"a.py", "def count(a):\n    return a.hidden * 2\n"}};
  const Files after = {{"a.py", "def count(a):\n    return a.latent * 2\n"},
                       {"tests/test_a.py", "from a import count\n\n\ndef test_count():\n    args = make()\n\n    # " +
                                               reason + "\n    assert count(args) == 8\n"}};
  EXPECT_TRUE(says(explain_of(before, after, "Fix the estimate"), reason))
      << explain_of(before, after, "Fix the estimate");
  EXPECT_FALSE(says(explain_of(before, after, "Add an estimate"), reason));
}

/// A comment above new code that says what may go wrong there comes before what tests say, where the title speaks of a
/// fault and it has words of it.
TEST(AuthorWords, WhatMayGoWrongAboveNewCodeComesBeforeTests) {
  const Files before = {{"lib.py", "def gather(weights, ready):\n    return weights.data\n"}};
  const std::string hazard =
      "Wait until the weights are published. The gather prefetches weights ahead of their module, whose hook may not "
      "have run yet.";
  const std::string tested = "Publishing must be off here, because the weights would be gathered twice otherwise.";
  const auto with = [&](const std::string& comment) {
    return Files{{"lib.py", "def gather(weights, ready):\n    # " + comment +
                                "\n    if ready is not None:\n        ready(weights)\n    return weights.data\n"},
                 {"tests/test_lib.py", "from lib import gather\n\n\ndef test_gather():\n    \"\"\"" + tested +
                                           "\"\"\"\n    assert gather([1], None)\n"}};
  };
  const std::string text = explain_of(before, with(hazard), "Fix a race: publish weights before the prefetch");
  EXPECT_LT(text.find("\u201c" + hazard), text.find("\u201c" + tested)) << text;
  EXPECT_TRUE(says(text, "\u201c" + tested)) << text;
  // What may be so and does no harm stands behind.
  const std::string harmless = "Weights of one module can still be passed, and callers may not have a group of theirs.";
  const std::string other = explain_of(before, with(harmless), "Fix a race: publish weights before the prefetch");
  EXPECT_LT(other.find("\u201c" + tested), other.find("\u201c" + harmless)) << other;
}

TEST(AuthorWords, WhatANewTestFileSaysIsAReasonForAMend) {
  const Files before = {{"lib.py", "def gather(weights, ready):\n    return weights.data\n"}};
  const std::string fault =
      "The prefetch reads a buffer whose copy is still in flight, and gathers stale weights of the last step.";
  const auto with = [&](const std::string& path) {
    return Files{{"lib.py", "def gather(weights, ready):\n    ready(weights)\n    return weights.data\n"},
                 {path, "\"\"\"The order of copies. " + fault +
                            "\n\n- `test_gather`: the copy must not be stale, otherwise it fails.\n\"\"\"\n\nfrom lib "
                            "import gather\n\n\ndef test_gather():\n    assert gather([1], None)\n"}};
  };
  const std::string text = explain_of(before, with("tests/test_lib.py"), "Fix a race of prefetch and copy of weights");
  EXPECT_TRUE(says(text, "the test file `tests/test_lib.py:1`: \u201c" + fault + "\u201d")) << text;
  // Why the tests are as they are is none.
  Files other = with("tests/test_lib.py");
  other["tests/test_lib.py"] =
      replace_all(other["tests/test_lib.py"], fault,
                  "Weights are small here, so that the prefetch and the copy run without a GPU.");
  EXPECT_FALSE(says(explain_of(before, other, "Fix a race of prefetch and copy of weights"), "the test file"));
  // Where the title speaks of no fault, or shares no words with it.
  EXPECT_FALSE(says(explain_of(before, with("tests/test_lib.py"), "Add an argument"), fault));
  EXPECT_FALSE(says(explain_of(before, with("tests/test_lib.py"), "Fix a bug"), fault));
}

TEST(AuthorWords, AParagraphThatAClassGainsSaysWhatIsNew) {
  const std::string grid =
      "class RankGrid:\n    \"\"\"A grid of ranks.\n\n    Each dimension has a name.\n    \"\"\"\n\n"
      "    def ranks_of(self, dim):\n        return self.dims[dim]\n";
  const auto with = [&](const std::string& paragraph) {
    std::string now = replace_all(grid, "has a name.\n", "has a name.\n\n    " + paragraph + "\n");
    now += "\n    def register_view(self, name, dims):\n        self.views[name] = dims\n        return list(dims)\n";
    return explain_of({{"grid.py", grid}}, {{"grid.py", now}}, "Add views");
  };
  const std::string text = with("Register other factorizations of the ranks with `register_view` first.");
  EXPECT_TRUE(says(text,
                   "The docstring of `RankGrid` (`grid.py:6`): “Register other factorizations of the ranks with "
                   "`register_view` first.”"))
      << text;
  EXPECT_FALSE(says(with("All of the dimensions are kept in the order that they are given in."), "The docstring of"));
}

const std::string kWrap = R"(def wrap_chunks(chunks, DP, groups=None):
    """Wraps them.

    Args:
        chunks: What is wrapped.
        groups: The groups. Only given to variants.
    """
    out = []
    if DP is None:
        size = world.get_size(chunks, of="data")
        other = world.get_other(chunks, of="experts")
        out.append(layout(chunks, size, other))
    kwargs = {}
    if groups is not None and DP is not None:
        kwargs["proc_groups"] = groups
    return DP(chunks, out, **kwargs)
)";

TEST(AuthorWords, WhatDocumentationSaysNowOfAParameterIsTold) {
  const std::string more = replace_all(
      replace_all(kWrap, "Only given to variants.", "Given to all, and read for the sizes that a layout needs."),
      "DP is not None:", "DP is not torch_dp:");
  const std::string text = explain_of({{"a.py", kWrap}}, {{"a.py", more}});
  EXPECT_TRUE(says(text,
                   "Of `groups` its documentation says now: “The groups. Given to all, and read for the sizes that "
                   "a layout needs.”"))
      << text;
  const std::string same = replace_all(replace_all(kWrap, "Only given", "Given only"), "not None:", "not torch_dp:");
  EXPECT_FALSE(says(explain_of({{"a.py", kWrap}}, {{"a.py", same}}), "documentation says now"));
}

/// The same of plain words, where the edit has clearly more of the title's than those before it, and no case of its
/// own.
TEST(AuthorWords, TheEditThatSpeaksMostOfTheTitleComesFirst) {
  const std::string was = "def train_step(model, loss):\n    model.backward(loss)\n    optimizer.step()\n";
  const auto text_of = [&](const std::string& check, const std::string& title) {
    return explain_of({{"a.py", was}},
                      {{"a.py", replace_all(was, "    optimizer.step()\n",
                                            "    track_loss(loss)\n" + check + "    optimizer.step()\n")}},
                      title);
  };
  const std::string title = "Stop steps that are not finite before the optimizer updates";
  const std::string check = "    assert_finite(loss, \"stopped before the optimizer update of a step\")\n";
  const std::string text = text_of(check, title);
  const auto at = [](const std::string& in, std::string_view words) { return in.find(words, in.find("### What")); };
  EXPECT_LT(at(text, "alls `assert_finite("), at(text, "alls `track_loss(loss)`")) << text;
  const std::string other = text_of(check, "Track the loss");
  EXPECT_LT(at(other, "alls `track_loss(loss)`"), at(other, "alls `assert_finite(")) << other;
}

TEST(AuthorWords, TheEditThatNamesWhatTheTitleNamesComesFirst) {
  std::string now =
      replace_all(kWrap, "groups is not None and DP is not None", "groups is not None and DP is not torch_dp");
  now = replace_all(now, "world.get_size(chunks, of=\"data\")", "size_of(groups.data_parallel_with_context)");
  now = replace_all(now, "world.get_other(chunks, of=\"experts\")", "size_of(groups.experts_data_parallel)");
  const std::string titled = explain_of({{"a.py", kWrap}}, {{"a.py", now}}, "Thread proc_groups through wrap_chunks");
  EXPECT_LT(titled.find("ets `kwargs[\"proc_groups\"]`"), titled.find("ets `size`")) << titled;
  const std::string other = explain_of({{"a.py", kWrap}}, {{"a.py", now}}, "Thread them through wrap_chunks");
  EXPECT_GT(other.find("ets `kwargs[\"proc_groups\"]`"), other.find("ets `size`")) << other;
}

// Why code that stays as it was does not support something is a limit; above code that changes it may be the reason.
TEST(AuthorWords, ALimitOfWhatStaysIsNoReason) {
  const std::string before =
      "def start(x, size, paged):\n    # no paging here\n    if paged:\n        raise ValueError('paged')\n"
      "    return x\n";
  const std::string limit = "Paging of x is not supported due to strong coupling with how the buffers are made.";
  const std::string reworded = replace_all(before, "no paging here", limit);
  const std::string changed = replace_all(reworded, "    return x", "    prepare(x)\n    return x");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", changed}});
  EXPECT_FALSE(says(text.substr(0, text.find("## 2.")), limit)) << text;
  const std::string refusing = replace_all(reworded, "if paged:", "if paged or size > 8:");
  const std::string refused = explain_of({{"a.py", before}}, {{"a.py", refusing}});
  EXPECT_TRUE(says(refused.substr(0, refused.find("## 2.")), limit)) << refused;
}

/// What a thing is not meant for is a reason, whoever is its subject.
TEST(AuthorWords, WhatADefinitionIsNotMeantForIsAReason) {
  const std::string text = explain_of(
      {{"m.py", "def run(x):\n    return x\n"}},
      {{"m.py",
        "def run(x):\n    return swap(x)\n\n\ndef swap(x):\n    \"\"\"Swap the weights of the two buffers.\n\n"
        "    This function is not meant to be called while a graph of the training step is captured.\n    \"\"\"\n"
        "    return x[::-1]\n"}});
  EXPECT_TRUE(says(text, "not meant to be called while a graph")) << text;
}

/// A docstring that tells what was not done, as an item of a list that is not indented, too, is no reason.
TEST(AuthorWords, WhatWasNotDoneIsAnAlternativeAndNoReason) {
  const auto code = [](const std::string& more) {
    return "def context(module):\n    \"\"\"Make one context for the subtree.\n" + more +
           "    \"\"\"\n    return Context(module)\n";
  };
  const std::string eager = "Make contexts eagerly, because parents would then find them.";
  const std::string field = "Store a field on each module. It must stay consistent so that no parent is lost.";
  const std::string section = "\n    Alternatives considered:\n    - " + eager + "\n    - " +
                              replace_all(field, " that", "\n      that") + "\n";
  const std::string reason = "\n    Children are made first, because modules are sharded bottom-up.\n";
  const std::string dive = dive_of({{"a.py", "\n"}}, {{"a.py", code(section + reason)}});
  EXPECT_TRUE(says(dive, "**Alternatives:** “" + eager + "” (the docstring of `context`, `a.py:5`) “" + field +
                             "” (the docstring of `context`, `a.py:6`)"))
      << dive;
  const std::string text = explain_of({{"a.py", "\n"}}, {{"a.py", code(section + reason)}});
  EXPECT_FALSE(says(text, "“Make contexts eagerly")) << text;
  EXPECT_FALSE(says(text, "“Store a field")) << text;
  EXPECT_FALSE(says(text, "“It must stay")) << text;
  EXPECT_TRUE(says(text, "“Children are made first, because modules are sharded bottom-up.”")) << text;
  // One that the change takes out was an alternative before it.
  const Files old = {{"a.py", code(section)}};
  const std::string gone = dive_of(old, {{"a.py", replace_all(code(""), "(module)\n", "(module, 1)\n")}});
  EXPECT_TRUE(says(gone, "“" + eager + "” (the docstring of `context` before the change, which no longer says it)"))
      << gone;
  const std::string kept = dive_of(old, {{"a.py", code(section + reason)}});
  EXPECT_FALSE(says(kept, "**Alternatives:**")) << kept;
}

TEST(AuthorWords, AlternativesInAMessageAreNoReasons) {
  const auto text_of = [](const std::string& body) {
    return explain_of({{"a.py", kStart}}, {{"a.py", replace_all(kStart, "size > 1", "size > 2")}}, "Reserve later",
                      body);
  };
  const std::string text = text_of(
      "Small sizes need no room.\n\n## Alternatives considered\n\nReserve always, since it is simple.\n\n## "
      "Notes\n\nIt "
      "is measured on all of the sizes.\n");
  EXPECT_TRUE(says(text, "Small sizes need no room.")) << text;
  EXPECT_FALSE(says(text, "Reserve always")) << text;
  EXPECT_TRUE(says(text, "It is measured")) << text;
  const std::string labelled = text_of(
      "Small sizes need no room.\n\nRejected: reserving always, since it is slow.\n\nIt is measured on all sizes.\n");
  EXPECT_FALSE(says(labelled, "reserving always")) << labelled;
  EXPECT_TRUE(says(labelled, "It is measured")) << labelled;
  // A sentence about what is refused is none.
  const std::string refused = text_of("Rejected sizes: those below two, since they need no room.\n");
  EXPECT_TRUE(says(refused, "those below two")) << refused;
}

/// A comparison is one with a design that was not taken where it says that it was meant.
TEST(AuthorWords, AChoiceOnPurposeNamesWhatWasNotTaken) {
  const auto dive = [](const std::string& comment) {
    return dive_of({{"a.py", kStart}}, {{"a.py", replace_all(kStart, "        reserve",
                                                             "        # " + comment +
                                                                 "\n        clear(x)\n"
                                                                 "        reserve")}});
  };
  const std::string meant = "The rows are deliberately cleared rather than freed, because others still read them.";
  EXPECT_TRUE(says(dive(meant), "**Alternatives:** “" + meant + "” (`a.py:3`)")) << dive(meant);
  const std::string only =
      "The only option is to clear the rows, because others still read them and would see what was there.";
  EXPECT_TRUE(says(dive(only), "**Alternatives:** “" + only + "” (`a.py:3`)")) << dive(only);
  const std::string swapped = "Clear the rows rather than free them, because others still read them.";
  EXPECT_FALSE(says(dive(swapped), "**Alternatives:**")) << dive(swapped);
}

TEST(AuthorWords, WhatTheDocumentationOfANewParameterSaysPlainlyIsAReason) {
  const auto text_of = [](const std::string& documentation) {
    const std::string was =
        "def shard(module, size):\n    \"\"\"Shards a module.\n\n    Args:\n        size: How many.\n";
    const std::string body = "    module.size = size\n    return module\n";
    return explain_of(
        {{"a.py", was + "    \"\"\"\n" + body}},
        {{"a.py", replace_all(was, "module, size)", "module, size, divisor=1)") + "        divisor: " + documentation +
                      "\n    \"\"\"\n" +
                      replace_all(body, "return module", "module.divisor = divisor\n    return module")}});
  };
  const std::string plain = text_of(
      "Further divisor of the gradient.\n\n            A rank's gradient sums over all tokens, so the mesh divides by\n"
      "            too little.");
  EXPECT_TRUE(says(plain,
                   "- the documentation of `divisor` of `shard` (`a.py:1`): “A rank's gradient sums over all tokens, "
                   "so the mesh divides by too little.”"))
      << plain;
  const std::string none = text_of("Further divisor of the gradient.");
  EXPECT_FALSE(says(none, "the documentation of `divisor`")) << none;
}

TEST(AuthorWords, TheHeadOfANewConfigurationThatNamesTheChangeIsAReason) {
  const auto text_of = [](const std::string& head) {
    return explain_of({{"a.py", kStart}},
                      {{"a.py", replace_all(kStart, "size > 1", "size > 2")}, {"tests/run.yaml", head + "steps: 3\n"}},
                      "Gather again (#57)");
  };
  const std::string text = text_of(
      "# A small run.\n#\n# Regression guard for the fix of #57: ranks meet\n# before the buffer is used again.\n");
  EXPECT_TRUE(says(text,
                   "- `tests/run.yaml:3`: “Regression guard for the fix of #57: ranks meet before the buffer is used "
                   "again.”"))
      << text;
  // Of another change, or of none.
  for (const char* head : {"# Regression guard for the fix of #577: ranks meet.\n", "# A small run of ranks.\n"})
    EXPECT_FALSE(says(text_of(head), "`tests/run.yaml:1`: “")) << text_of(head);
}

}  // namespace
}  // namespace lockstep::render
