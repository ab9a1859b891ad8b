// The way of new data from function to function: in a sentence, and drawn.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const Files kBefore = {{"lib/records.py", R"(from dataclasses import dataclass


@dataclass
class Request:
    prompt: str
)"},
                       {"lib/engine.py", R"(import torch.distributed as dist


class Engine:
    def __init__(self):
        self.finished = []

    def finish(self, requests):
        for request in requests:
            self.finished.append(request.prompt)


def collect(engine):
    rows = []
    for prompt in engine.finished:
        rows.append(prompt)
    return rows


def score(rows, limit):
    return rows[:limit]


def train(engine):
    rows = collect(engine)
    return score(rows, 3)
)"}};

const Files kAfter = {{"lib/records.py", R"(from dataclasses import dataclass, field
from uuid import uuid4


@dataclass
class Request:
    prompt: str
    request_key: str = field(default_factory=uuid4)
)"},
                      {"lib/engine.py", R"(import torch.distributed as dist


class Engine:
    def __init__(self):
        self.finished = []
        self.key_ledger = {}

    def finish(self, requests):
        for request in requests:
            self.finished.append(request.prompt)
            self.key_ledger[request.request_key] = len(request.prompt)


def unite_ledgers(engine):
    local, engine.key_ledger = engine.key_ledger, {}
    shards = [None] * dist.get_world_size()
    dist.all_gather_object(shards, local)
    united = {}
    for shard in shards:
        united.update(shard)
    return united


def collect(engine):
    rows = []
    for prompt in engine.finished:
        rows.append(prompt)
    lengths = unite_ledgers(engine)
    return rows, lengths


def score(rows, limit, lengths):
    return [row for row in rows[:limit] if lengths.get(row)]


def train(engine):
    rows, lengths = collect(engine)
    return score(rows, 3, lengths)
)"}};

TEST(DataTrail, NewDataIsFollowedFromFunctionToFunction) {
  const std::string text = explain_of(kBefore, kAfter);
  EXPECT_TRUE(says(text,
                   "New data goes from the field `Request.request_key` to `Engine.finish`, as `key_ledger` to "
                   "`unite_ledgers`, as `united` to `collect`, as `lengths` to `train`, to `score`."))
      << text;
  EXPECT_FALSE(says(text, "no longer go")) << text;
}

TEST(DataTrail, WhatGoesAwayIsFollowedToo) {
  const std::string text = explain_of(kAfter, kBefore);
  EXPECT_FALSE(says(text, "New data goes")) << text;
}

TEST(DataTrail, ItIsDrawnAsTheArchitecture) {
  const std::string text = dive_of(kBefore, kAfter);
  EXPECT_TRUE(says(text, " : reads request_key\n")) << text;
  EXPECT_TRUE(says(text, " : takes key_ledger\n")) << text;
  EXPECT_TRUE(says(text, "[(\"Request.request_key<br/>NEW\")]") || says(text, "|\"request_key\"|")) << text;
  EXPECT_TRUE(says(text, "unite_ledgers<br/>all_gather_object over all ranks<br/>NEW")) << text;
  EXPECT_TRUE(says(text, "-->|\"key_ledger\"|")) << text;
  EXPECT_TRUE(says(text, "-->|\"lengths\"|")) << text;
  EXPECT_TRUE(says(text, "Section 2.1 draws how what is new passes from function to function.")) << text;
}

/// What a function makes of other things does not come from what it takes.
TEST(DataTrail, AFunctionThatMakesItOfSomethingElseEndsTheWay) {
  const Files after =
      with_edit(kAfter, "lib/engine.py", "    lengths = unite_ledgers(engine)\n    return rows, lengths",
                "    print(unite_ledgers(engine))\n    lengths = {\"a\": 1}\n    return rows, lengths");
  const std::string text = explain_of(kBefore, after);
  EXPECT_FALSE(says(text, "as `united` to `collect`, as `lengths`")) << text;
}

/// A result goes back to whoever called, not to another caller.
TEST(DataTrail, AResultGoesBackToItsCaller) {
  const Files before = {{"lib.py", R"(def clean(text):
    return text.strip()


def first(text):
    return clean(text)


def second(text):
    print(clean(text))


def third(text):
    second(text)
)"}};
  const Files after = {{"lib.py", R"(def clean(text, marks):
    shown = [mark for mark in marks if mark in text]
    return shown


def first(text):
    return clean(text, ["a"])


def second(text):
    shown = clean(text, ["b"])
    return shown


def third(text):
    shown = second(text)
    print(shown)
)"}};
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "from `first` as `marks` to `clean`")) << text;
  EXPECT_TRUE(says(text, "New data goes from `clean` as `shown` to `second`, as `shown` to `third`.")) << text;
}

/// What one of several returns gives is not what comes back.
TEST(DataTrail, OfSeveralReturnsNoneNamesTheResult) {
  const Files before = {{"lib.py",
                         "def pick(x):\n    return x\n\n\ndef use(x):\n    return pick(x)\n\n\ndef run(x):\n"
                         "    use(x)\n"}};
  const Files after = {{"lib.py",
                        "HAVE_FAST = True\n\n\ndef pick(x):\n    if x:\n        return HAVE_FAST, False\n"
                        "    return False, True\n\n\ndef use(x):\n    fast, slow = pick(x)\n    found = fast or slow\n"
                        "    return found\n\n\ndef run(x):\n    found = use(x)\n    print(found)\n"}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "New data goes from `pick` as its result to `use`, as `found` to `run`.")) << text;
}

/// Over HTTP: of two that send something under one name, the one that the reader's call names.
TEST(DataTrail, AnAnswerIsReadFromTheRouteThatTheCallNames) {
  const Files before = {
      {"server.py",
       "def text_completions(result):\n    return jsonify({\"id\": 1})\n\n\ndef chat_completions(result):\n"
       "    return jsonify({\"id\": 2})\n"},
      {"client.py",
       "class Answer:\n    prompt: str\n\n\ndef ask(client):\n"
       "    reply = client.chat.completions.create()\n    return Answer(prompt=reply.text)\n\n\n"
       "def log(answer: Answer):\n    return answer.prompt\n"},
      {"request.py", "class Request:\n    prompt: str\n"}};
  const Files after = {
      {"server.py",
       "def text_completions(result):\n    return jsonify({\"id\": result[\"request_uid\"]})\n\n\n"
       "def chat_completions(result):\n    return jsonify({\"id\": result[\"request_uid\"]})\n"},
      {"client.py",
       "class Answer:\n    prompt: str\n    answer_key: str = None\n\n\ndef ask(client):\n"
       "    reply = client.chat.completions.create()\n"
       "    return Answer(prompt=reply.text, answer_key=reply.id)\n\n\n"
       "def log(answer: Answer):\n    return answer.answer_key\n"},
      {"request.py", "from uuid import uuid4\n\n\nclass Request:\n    prompt: str\n    request_uid: str = uuid4()\n"}};
  const std::string text = dive_of(before, after);
  EXPECT_TRUE(says(text, "-.->|\"id\"|")) << text;
  EXPECT_EQ(text.find("-.->|"), text.rfind("-.->|")) << text;
  EXPECT_TRUE(says(text,
                   "New data goes from the field `Request.request_uid` to `chat_completions`, under the name `id` to "
                   "`ask`, as `answer_key` to `log`."))
      << text;
}

/// Who calls a new function, and with what, says nothing of new data.
TEST(DataTrail, ArgumentsOfANewFunctionAloneAreNoTrail) {
  const Files before = {{"lib.py", "def a(x):\n    x.mode = 1\n    x.size = 2\n\n\ndef b(x):\n    x.mode = 3\n"}};
  const Files after = {
      {"lib.py",
       "def put(x, name, value):\n    setattr(x, name, value)\n\n\ndef a(x):\n    put(x, \"mode\", 1)\n"
       "    put(x, \"size\", 2)\n\n\ndef b(x):\n    put(x, \"mode\", 3)\n"}};
  EXPECT_FALSE(says(dive_of(before, after), "How data passes between functions"));
}

/// A word that the repository had is not followed by its name alone: two classes may have such a field.
TEST(DataTrail, AFieldThatSeveralClassesHaveTiesNothing) {
  Files before = kBefore;
  Files after = kAfter;
  before["lib/other.py"] =
      "class Other:\n    def __init__(self, request_key, key_ledger):\n"
      "        self.request_key = request_key\n        self.key_ledger = key_ledger\n";
  after["lib/other.py"] = before["lib/other.py"];
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "the field `Request.request_key`")) << text;
}

/// Of fields that go all names are told.
TEST(DataTrail, OldDataNoLongerGoes) {
  const Files before = {{"lib.py", R"(class Row:
    epoch_mark: int = 0


class Answer:
    epoch_mark: int = 0


def ask(reply):
    return Answer(epoch_mark=reply["mark"])


def collect(answer: Answer):
    return Row(epoch_mark=answer.epoch_mark)


def log(row: Row):
    print(row.epoch_mark)
    print("logged")
)"}};
  const Files after = {{"lib.py", R"(class Row:
    pass


class Answer:
    pass


def ask(reply):
    return Answer()


def collect(answer: Answer):
    return Row()


def log(row: Row):
    print("logged")
)"}};
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "`epoch_mark` no longer goes from `ask` to `collect`, to `log`.")) << text;
}

}  // namespace
}  // namespace lockstep::render
