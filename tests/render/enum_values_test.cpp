// Members of enumerations whose values change: told where code works with the values, and both sides are known.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string kinds(const std::string& members) {
  return "from enum import Enum, IntEnum, auto\n\n\nclass Kind(Enum):\n" + members;
}

std::string text_of(const std::string& before, const std::string& after, const std::string& user) {
  return explain_of({{"kinds.py", before}, {"user.py", user}}, {{"kinds.py", after}, {"user.py", user}});
}

const std::string kSender = "from kinds import Kind\n\n\ndef send(socket):\n    socket.send(Kind.STOP.value)\n";

TEST(EnumValues, OtherValuesAreToldWhereCodeReadsThem) {
  const std::string before = kinds("    START = auto()\n    STOP = auto()\n");
  const std::string after = kinds("    START = auto()\n    PAUSE = auto()\n    STOP = auto()\n");
  const std::string told =
      "A member of `Kind` has another value: `STOP` (`3`, formerly `2`). Code reads the values (`user.py:5`): where a "
      "value is sent or stored, the other side of the change takes it for another member or for none.";
  EXPECT_TRUE(says(text_of(before, after, kSender), told)) << text_of(before, after, kSender);
  const std::string reader = "from kinds import Kind\n\n\ndef read(data):\n    return Kind(data[0])\n";
  EXPECT_TRUE(says(text_of(before, after, reader), "Code makes members from values (`user.py:5`)"));
  // Who only compares members sees no values.
  const std::string asker = "from kinds import Kind\n\n\ndef stops(kind):\n    return kind is Kind.STOP\n";
  EXPECT_FALSE(says(text_of(before, after, asker), "another value"));
}

TEST(EnumValues, OnlyWhatIsKnownIsTold) {
  const std::string before = kinds("    START = auto()\n    STOP = auto()\n");
  // A member at the end leaves the others as they were; numbers may be spelt out.
  for (const std::string members :
       {"    START = auto()\n    STOP = auto()\n    PAUSE = auto()\n", "    START = 1\n    STOP = 2\n",
        "    START = auto()\n    PAUSE = size()\n    STOP = auto()\n",
        "    START = auto()\n    PAUSE = auto()\n    STOP = auto()\n\n    def _generate_next_value_(name, *rest):\n"
        "        return name\n"})
    EXPECT_FALSE(says(text_of(before, kinds(members), kSender), "other value")) << members;
}

TEST(EnumValues, ClassesThatTakeItsPlaceHaveItsMembers) {
  const std::string before = kinds("    START = auto()\n    STOP = auto()\n");
  const auto after = [](const std::string& stop) {
    return "from enum import IntEnum\n\n\nclass Begin(IntEnum):\n    START = 0\n\n\nclass End(IntEnum):\n    " + stop +
           " = 20\n\n\nclass _Kinds:\n    def __getattr__(self, name):\n        return END[name]\n\n\nKind = "
           "_Kinds()\n";
  };
  const std::string text = text_of(before, after("STOP"), kSender);
  EXPECT_TRUE(says(text,
                   "Members of `Kind` have other values: `START` (`0`, formerly `1`) and `STOP` (`20`, formerly "
                   "`2`)."))
      << text;
  const std::string other = text_of(before, after("HALT"), kSender);
  EXPECT_FALSE(says(other, "other values")) << other;
}

}  // namespace
}  // namespace lockstep::render
