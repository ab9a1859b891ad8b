// The way of new data from function to function: in a sentence, and drawn.
#include <gtest/gtest.h>

#include "base/strings.h"
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

/// Of a lead whose edits take long to tell the summary has the one that has to do with the data.
TEST(DataTrail, TheSummaryTellsOfTheLeadWhatHasToDoWithTheData) {
  const std::string unite = kAfter.at("lib/engine.py").substr(kAfter.at("lib/engine.py").find("def unite_ledgers"));
  const std::string united = unite.substr(0, unite.find("def collect"));
  const Files before =
      with_edit(kBefore, "lib/engine.py", "def collect",
                replace_all(replace_all(united, "    local, engine.key_ledger = engine.key_ledger, {}\n", ""), "local",
                            "engine.finished") +
                    "def collect");
  const auto summary = [&](const std::string& more) {
    return dive_of(before, with_edit(kAfter, "lib/engine.py", "    shards = [None]", more + "    shards = [None]"));
  };
  const std::string sets =
      "`unite_ledgers` (changed, `lib/engine.py:15`): sets `local, engine.key_ledger` to "
      "`engine.key_ledger, {}`";
  const std::string all = summary("");
  EXPECT_TRUE(says(all, sets + "; passes `local` to `dist.all_gather_object` instead of `engine.finished`.")) << all;
  const std::string asked =
      "engine.first_very_long_name_of_a_setting_that_is_asked_for and "
      "engine.second_very_long_name_of_a_setting_that_is_asked_for and "
      "engine.third_very_long_name_of_a_setting_that_is_asked_for";
  const std::string given = "(local, engine.first_very_long_name, engine.second_very_long_name)\n";
  const std::string branch = "    if " + asked + ":\n        engine.prepare_all_of_the_shards_of_all_ledgers" + given +
                             "        engine.publish_all_of_the_shards_of_all_ledgers" + given +
                             "        engine.forget_all_of_the_shards_of_all_ledgers" + given;
  const std::string one = summary(branch);
  EXPECT_TRUE(says(one, sets + ". Also ")) << one;
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
  // What nothing but a name ties is drawn, and not told.
  EXPECT_FALSE(says(text, "New data goes")) << text;
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

std::string with_edits(std::string text, const std::vector<std::pair<std::string, std::string>>& edits) {
  for (const auto& [old_text, new_text] : edits) text = replace_all(std::move(text), old_text, new_text);
  return text;
}

const std::string kFetcher =
    "class Fetcher:\n    def __init__(self, url):\n        self.url = url\n        self.backoff = len(url)\n\n"
    "    def fetch(self, client):\n        self.trace_id = self.backoff\n        return client.get(self.url)\n";

/// A word that is new to the repository may be that of fields of several classes.
TEST(DataTrail, FieldsOfUnrelatedClassesTieNothing) {
  const Files before = {{"fetch.py", with_edits(kFetcher, {{"        self.backoff = len(url)\n", ""},
                                                           {"        self.trace_id = self.backoff\n", ""}})},
                        {"upload.py", "class Uploader:\n    def close(self, client):\n        client.close()\n"}};
  const Files after = {
      {"fetch.py", kFetcher},
      {"upload.py", "class Uploader:\n    def close(self, client):\n        client.close(self.trace_id)\n"}};
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "New data goes")) << text;
  // The same of an heir: its objects have what the base sets.
  const Files heir = {{"fetch.py", kFetcher},
                      {"upload.py",
                       "from fetch import Fetcher\n\n\nclass Uploader(Fetcher):\n    def close(self, client):\n"
                       "        client.close(self.trace_id)\n"}};
  const Files heir_before = {{"fetch.py", before.at("fetch.py")},
                             {"upload.py",
                              "from fetch import Fetcher\n\n\nclass Uploader(Fetcher):\n    def close(self, client):\n"
                              "        client.close()\n"}};
  EXPECT_TRUE(says(explain_of(heir_before, heir),
                   "New data goes from `Fetcher.__init__` as `backoff` to `Fetcher.fetch`, as `trace_id` to "
                   "`Uploader.close`."));
}

/// Another name brings no data.
TEST(DataTrail, NamesThatChangeAreNoData) {
  const std::string file =
      "def embed(ids, seq_len):\n    out = ids[:seq_len]\n    return out\n\n\n"
      "def layers(ids, seq_len):\n    out = embed(ids, seq_len)\n    return out\n\n\n"
      "def forward(ids, seq_len):\n    out = layers(ids, seq_len)\n    return out\n\n\n"
      "def train(ids):\n    seq_len = len(ids)\n    return forward(ids, seq_len)\n";
  const std::string text = explain_of(
      {{"model.py", file}}, {{"model.py", replace_all(replace_all(file, "seq_len", "max_length"), "out", "hidden")}});
  EXPECT_FALSE(says(text, "New data goes")) << text;
  EXPECT_FALSE(says(text, "no longer go")) << text;
}

/// What a taker reads from elsewhere now still comes to it.
TEST(DataTrail, WhatATakerStillNamesIsNotSaidToBeGone) {
  const Files before = {{"m.py",
                         "def inner(x, width):\n    return x[:width]\n\n\ndef outer(x, width):\n"
                         "    return inner(x, width)\n\n\ndef start(x, config):\n"
                         "    return outer(x, config.width)\n"}};
  const Files after = {{"m.py",
                        "def inner(x, config):\n    return x[: config.width]\n\n\ndef outer(x, config):\n"
                        "    return inner(x, config)\n\n\ndef start(x, config):\n    return outer(x, config)\n"}};
  EXPECT_FALSE(says(explain_of(before, after), "no longer go"));
}

/// A method of one plain name may be that of a library's object.
TEST(DataTrail, ACallOnSomethingUnknownTiesOnlyByATellingName) {
  const std::string file =
      "class Tracker:\n    def __init__(self, rows):\n        self.rows = rows\n\n"
      "    def finalize(self):\n        return sorted(self.rows)\n\n\n"
      "def show(writer):\n    total = writer.finalize()\n    return total\n\n\n"
      "def report(writer):\n    total = show(writer)\n    return total\n";
  const std::string before =
      with_edits(file, {{"    def finalize(self):\n        return sorted(self.rows)\n", "    kind = 1\n"},
                        {"    total = writer.finalize()\n    return total\n", "    return 0\n"},
                        {"    total = show(writer)\n    return total\n", "    show(writer)\n"}});
  EXPECT_FALSE(says(explain_of({{"m.py", before}}, {{"m.py", file}}), "from `Tracker.finalize`"));
  const std::string telling = replace_all(file, "finalize", "merge_all_rows");
  EXPECT_TRUE(says(explain_of({{"m.py", before}}, {{"m.py", telling}}),
                   "New data goes from `Tracker.merge_all_rows` as its result to `show`, as `total` to `report`."));
}

/// What a name held before it got something else goes nowhere.
TEST(DataTrail, WhatIsPutInTheNamesPlaceEndsTheWay) {
  const auto file = [](const std::string& body) {
    return "class Request:\n    text: str\n    ledger_key: str = None\n\n\ndef make(text, key):\n"
           "    return Request(text, ledger_key=key)\n\n\ndef find(request: Request, table):\n" +
           body + "    return table[key]\n\n\ndef serve(request: Request, table):\n    row = find(request, table)\n" +
           "    print(row)\n";
  };
  const std::string before =
      "class Request:\n    text: str\n\n\ndef make(text, key):\n    return Request(text)\n\n\n"
      "def find(request: Request, table):\n    return table\n\n\ndef serve(request: Request, table):\n"
      "    find(request, table)\n";
  EXPECT_FALSE(says(
      explain_of({{"m.py", before}}, {{"m.py", file("    key = request.ledger_key\n    print(key)\n    key = 1\n")}}),
      "New data goes"));
  EXPECT_TRUE(says(explain_of({{"m.py", before}},
                              {{"m.py", file("    key = 1\n    if table:\n        key = request.ledger_key\n")}}),
                   "New data goes from `make` as `ledger_key` to `find`, as its result to `serve`."));
}

/// A field that both sides have, and that nothing gave before; read by its name, too.
TEST(DataTrail, AFieldThatIsGivenForTheFirstTimeIsFollowed) {
  const Files before = {{"m.py",
                         "class Layout:\n    size: int\n    shard_count: int = None\n\n\nclass Buffer:\n"
                         "    def __init__(self, layout: Layout):\n        self.size = layout.size\n\n\n"
                         "def plan(size):\n    return Layout(size=size)\n\n\n"
                         "def check(buffer: Buffer):\n    print(buffer.size)\n"}};
  const Files after = {{"m.py",
                        "class Layout:\n    size: int\n    shard_count: int = None\n\n\nclass Buffer:\n"
                        "    def __init__(self, layout: Layout):\n        self.size = layout.size\n"
                        "        self.shards_of_layout = layout.shard_count\n\n\n"
                        "def plan(size):\n    return Layout(size=size, shard_count=size)\n\n\n"
                        "def check(buffer: Buffer):\n    assert getattr(buffer, \"shards_of_layout\") == 1\n"
                        "    print(buffer.size)\n"}};
  EXPECT_TRUE(says(explain_of(before, after),
                   "New data goes from `plan` as `shard_count` to `Buffer.__init__`, as `shards_of_layout` to "
                   "`check`."));
}

/// What `Engine.run` hands on as `kept_x`, with these lines before, comes of the field that `Engine.set_up` fills.
bool comes_of_field(const std::string& lines) {
  const std::string rest =
      "def send(x, kept_x=None):\n    keep(x, last_x=kept_x)\n\n\n"
      "def keep(x, last_x=None):\n    print(x, last_x)\n";
  const std::string old_rest = "def send(x):\n    keep(x)\n\n\ndef keep(x):\n    print(x)\n";
  const std::string start = "class Engine:\n    def set_up(self, path):\n        self.size = path\n";
  const Files before = {{"m.py", start + "\n    def run(self, x):\n        send(x)\n\n\n" + old_rest}};
  const Files after = {{"m.py", start + "        self.offset_table = open(path).read()\n\n    def run(self, x):\n" +
                                    lines + "        send(x, kept_x=y)\n\n\n" + rest}};
  return says(explain_of(before, after), "New data goes from `Engine.set_up` as `offset_table` to `Engine.run`");
}

TEST(DataTrail, WhatAFunctionMakesIsFollowedStatementByStatement) {
  for (const std::string lines :
       {"        y = self.offset_table\n", "        y = 1\n        if x:\n            y = [self.offset_table]\n",
        "        y = [row for row in self.offset_table]\n", "        y = []\n        y.append(self.offset_table)\n",
        "        for z in self.offset_table:\n            y = z\n",
        "        with self.offset_table as file:\n            y = file\n",
        "        for y, z in zip(self.offset_table, x):\n            print(z)\n",
        "        for z in x:\n            try:\n                y = self.offset_table\n                break\n"
        "            finally:\n                print(z)\n",
        "        match self.offset_table:\n            case [y, *_] if x:\n                print(x)\n"
        "            case y:\n                print(x)\n"})
    EXPECT_TRUE(comes_of_field(lines)) << lines;
  for (const std::string lines :
       {"        y = self.offset_table\n        print(y)\n        y = 1\n",
        "        y = self.offset_table\n        print(y)\n        y = [y for y in x]\n",
        "        y = self.offset_table\n        z = x\n        z, y = y, z\n        print(z)\n",
        "        y = self.offset_table\n        print(y)\n        [y, z] = x\n",
        "        y = self.offset_table\n        print(y)\n        import os as y\n",
        "        y = self.offset_table\n        while True:\n            y = x\n            if y:\n                "
        "break\n",
        "        for z, y in zip(self.offset_table, x):\n            print(z)\n",
        "        y = len(self.offset_table)\n", "        y = self.offset_table.dtype\n",
        "        with open(self.offset_table) as file:\n            y = file\n",
        "        y = os.path.join(x, self.offset_table)\n", "        y = 3 if self.offset_table is None else 4\n",
        "        y = x.get(self.offset_table)\n",
        "        for z in x:\n            try:\n                y = self.offset_table\n                print(y)\n"
        "                break\n            finally:\n                y = z\n",
        "        match x:\n            case [y, *_]:\n                print(self.offset_table)\n",
        "        y = self.offset_table\n        print(y)\n        match x:\n            case y:\n                "
        "pass\n",
        "        match (x, self.offset_table):\n            case (y, z):\n                print(z)\n",
        "        match self.offset_table:\n            case Table(rows=y):\n                print(x)\n"})
    EXPECT_FALSE(comes_of_field(lines)) << lines;
}

/// What came in a bundle is nothing new by its name; of heirs of one base each has its own field.
TEST(DataTrail, WhatMayHaveComeBeforeIsNotNew) {
  const Files bundle = {{"m.py",
                         "def run(x, t):\n    send(x, offset_table=t)\n\n\ndef send(x, **kw):\n    keep(x, **kw)\n\n\n"
                         "def keep(x, **kw):\n    print(kw[\"offset_table\"])\n"}};
  const Files named = {{"m.py",
                        "def run(x, t):\n    send(x, offset_table=t)\n\n\ndef send(x, offset_table):\n"
                        "    keep(x, offset_table=offset_table)\n\n\ndef keep(x, offset_table):\n"
                        "    print(offset_table)\n"}};
  EXPECT_FALSE(says(explain_of(bundle, named), "New data goes"));
  EXPECT_FALSE(says(explain_of(named, bundle), "no longer go"));
  const std::string heirs =
      "class Base:\n    def __init__(self):\n        self.offset_table = None\n\n\nclass First(Base):\n"
      "    def set_up(self, path):\n        self.offset_table = open(path)\n\n\nclass Second(Base):\n"
      "    def run(self, x):\n        send(x, kept_x=self.offset_table)\n\n\ndef send(x, kept_x=None):\n"
      "    keep(x, last_x=kept_x)\n\n\ndef keep(x, last_x=None):\n    print(x, last_x)\n";
  const std::string without = with_edits(heirs, {{"        self.offset_table = None\n", "        pass\n"},
                                                 {"        self.offset_table = open(path)\n", "        print(path)\n"},
                                                 {", kept_x=self.offset_table", ""},
                                                 {", kept_x=None", ""},
                                                 {", last_x=kept_x", ""},
                                                 {", last_x=None", ""},
                                                 {", last_x)", ")"}});
  EXPECT_FALSE(says(explain_of({{"m.py", without}}, {{"m.py", heirs}}), "as `offset_table` to `Second.run`"));
}

/// Of a tuple that comes back each name is what is unpacked from its place.
TEST(DataTrail, OfATupleEachElementIsFollowedByItsPlace) {
  const auto file = [](const std::string& used) {
    return "class Engine:\n    def pack(self, x):\n        fresh_mask = x > 0\n        return x, 1, fresh_mask\n\n"
           "    def run(self, x):\n        y, n, fresh_mask = self.pack(x)\n        print(fresh_mask)\n        send(y, "
           "seen=" +
           used + ")\n\n\ndef send(x, seen=None):\n    print(x, seen)\n";
  };
  const std::string before =
      "class Engine:\n    def pack(self, x):\n        return x, 1\n\n    def run(self, x):\n        y, n = "
      "self.pack(x)\n"
      "        send(y)\n\n\ndef send(x):\n    print(x)\n";
  const std::string way = "New data goes from `Engine.pack` as `fresh_mask` to `Engine.run`, as `seen` to `send`.";
  EXPECT_TRUE(says(explain_of({{"m.py", before}}, {{"m.py", file("fresh_mask")}}), way));
  EXPECT_FALSE(says(explain_of({{"m.py", before}}, {{"m.py", file("n")}}), way));
}

}  // namespace
}  // namespace lockstep::render
