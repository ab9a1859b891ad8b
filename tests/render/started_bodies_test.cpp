// Calls that do not run there what they call: coroutines given to the event loop as tasks, async generators.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// `call`: a statement of the function that the script runs; `work`: the definition that the change edits.
std::string documents(const std::string& call, const std::string& work) {
  const std::string head = "import asyncio\n\n\n";
  const std::string main = "\n\nasync def main(xs, loop):\n    " + call +
                           "\n    return xs\n\n\nif __name__ == '__main__':\n    asyncio.run(main([1], None))\n";
  const Files before = {{"run.py", head + work + main}};
  const Files after = with_edit(before, "run.py", "xs.sort()", "xs.sort(reverse=True)");
  return explain_of(before, after) + dive_of(before, after);
}

const char* const kCoroutine = "async def work(xs):\n    await asyncio.sleep(1)\n    xs.sort()\n    return xs\n";
const char* const kGenerator = "async def work(xs):\n    xs.sort()\n    for x in xs:\n        yield x\n";

TEST(StartedBodies, ATaskIsNoCall) {
  for (const char* call :
       {"task = asyncio.create_task(work(xs))", "task = loop.create_task(work(xs))", "asyncio.ensure_future(work(xs))",
        "await asyncio.gather(work(xs), asyncio.sleep(2))", "await asyncio.gather(*[work(xs) for _ in xs])",
        "asyncio.run_coroutine_threadsafe(work(xs), loop)", "loop.call_soon_threadsafe(loop.create_task, work(xs))"}) {
    const std::string text = documents(call, kCoroutine);
    EXPECT_TRUE(says(text, "\u2192 as a task, `work`")) << call << text;
    EXPECT_TRUE(says(text, "-)p0: starts task work(\u2026)")) << call << text;
    EXPECT_FALSE(says(text, "->>p0: work(")) << call << text;
    EXPECT_TRUE(says(text, "- starts, as a task, `work`")) << call << text;
  }
}

TEST(StartedBodies, WhatIsAwaitedThereIsCalledThere) {
  for (const char* call : {"ys = await work(xs)", "ys = await asyncio.wait_for(work(xs), 3)", "ys = work(xs)"}) {
    const std::string text = documents(call, kCoroutine);
    EXPECT_FALSE(says(text, "as a task") || says(text, "starts task")) << call << text;
    EXPECT_TRUE(says(text, "->>p0: work(")) << call << text;
  }
  // A function that no `async` stands before runs before the task is made of what it gives.
  const std::string plain =
      documents("asyncio.create_task(work(xs))",
                replace_all(replace_all(kCoroutine, "async ", ""), "    await asyncio.sleep(1)\n", ""));
  EXPECT_FALSE(says(plain, "as a task") || says(plain, "starts task")) << plain;
}

/// What the repository itself calls so may run it there.
TEST(StartedBodies, AFunctionOfTheRepositoryMakesNoTasks) {
  const std::string own = "def gather(*jobs):\n    return [asyncio.run(job) for job in jobs]\n\n\n";
  const std::string text = documents("gather(work(xs))", own + kCoroutine);
  EXPECT_FALSE(says(text, "as a task") || says(text, "starts task")) << text;
}

TEST(StartedBodies, AnAsyncGeneratorRunsWhenItIsIteratedOver) {
  const std::string kept = documents("stream = work(xs)", kGenerator);
  EXPECT_TRUE(says(kept, "\u2192 when it is iterated over, `work`")) << kept;
  EXPECT_TRUE(says(kept, "work runs when it is iterated over")) << kept;
  for (const char* call : {"async for x in work(xs): print(x)", "x = await anext(work(xs))",
                           "ys = [x async for x in work(xs)]", "x = await work(xs).__anext__()"}) {
    const std::string text = documents(call, kGenerator);
    EXPECT_FALSE(says(text, "when it is iterated over")) << call << text;
  }
  const std::string managed = documents(
      "stream = work(xs)", std::string("import contextlib\n\n\n@contextlib.asynccontextmanager\n") + kGenerator);
  EXPECT_FALSE(says(managed, "when it is iterated over")) << managed;
}

}  // namespace
}  // namespace lockstep::render
