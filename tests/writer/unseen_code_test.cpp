// Code that a model wrote of without having been shown it: which functions, lines and assignments that is, and what was
// seen.
#include "writer/author/unseen_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "writer/author_fixture.h"

namespace lockstep::writer {
namespace {

using testing::AuthorFixture;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kEnough = 4'000;

constexpr const char* kBuffer = R"(class Buffer:
    def __init__(self, policy):
        self.grad_policy = policy
        self.chunk_count = 0

    def reduce_bucket(self, bucket):
        """Reduce one bucket of gradients."""
        dtype = self.grad_policy.comm_dtype
        self.chunk_count += 1
        return bucket.to(dtype)

    def reset_policy(self, other):
        self.grad_policy = other_policy(other)


def other_policy(other):
    converted = other.copy_with_defaults()
    return converted
)";

class UnseenCode : public ::testing::Test {
 protected:
  UnseenCode() {
    const render::Files before = {{"lib/__init__.py", ""}, {"lib/buffer.py", kBuffer}, {"run.py", "x = 1\n"}};
    render::Files after = before;
    after["run.py"] = "x = 2\n";
    after["tests/test_buffer.py"] = "def reset_of_test(buffer):\n    buffer.grad_policy = None\n";
    fixture_ = render::make_fixture(before, after, "Title", "");
  }
  std::string unseen(std::string_view text, std::string_view shown = {}, std::size_t tokens = kEnough) {
    Material material;
    material.add(shown);
    return unseen_code(fixture_->inputs, text, material, tokens);
  }
  std::unique_ptr<render::Fixture> fixture_;
};

TEST_F(UnseenCode, ShowsFunctionsThatAreNamedOnly) {
  const std::string text = unseen("[1] The dtype is what `Buffer.reduce_bucket` asked for first.");
  EXPECT_THAT(text, HasSubstr("`Buffer.reduce_bucket`, `lib/buffer.py:6`"));
  EXPECT_THAT(text, HasSubstr("8|         dtype = self.grad_policy.comm_dtype"));
  EXPECT_THAT(text, Not(HasSubstr("other_policy")));
}

TEST_F(UnseenCode, ShowsNothingThatWasSeen) {
  EXPECT_THAT(unseen("`Buffer.reduce_bucket` asks.", kBuffer), IsEmpty());
  EXPECT_THAT(unseen("[2] `lib/buffer.py:8` asks.", kBuffer), IsEmpty());
  EXPECT_THAT(unseen("`grad_policy` stays.", kBuffer), IsEmpty());
}

TEST_F(UnseenCode, LeavesWordsThatAreNoNamesOfFunctions) {
  EXPECT_THAT(unseen("The `bucket` and `Buffer` are as before, `no_such_function` too."), IsEmpty());
}

TEST_F(UnseenCode, ShowsLinesAroundPlaces) {
  const std::string text = unseen("The count grows at `lib/buffer.py:9`.");
  EXPECT_THAT(text, HasSubstr("9|         self.chunk_count += 1"));
  // Where a function begins says nothing that could be held against it.
  EXPECT_THAT(unseen("It begins at `lib/buffer.py:6`."), IsEmpty());
}

TEST_F(UnseenCode, ShowsWhereValuesAreSet) {
  const std::string text = unseen("Its `grad_policy` never changes.", "        self.grad_policy = policy\n");
  EXPECT_THAT(text, HasSubstr("lib/buffer.py:13 in Buffer.reset_policy: self.grad_policy = other_policy(other)"));
  EXPECT_THAT(text, Not(HasSubstr("tests/")));
  EXPECT_THAT(text, Not(HasSubstr("lib/buffer.py:3 ")));
}

// What a function reads may be set anew by code that neither the text nor the function names.
TEST_F(UnseenCode, ShowsWhoSetsAnewWhatIsSaidToStay) {
  const std::string seen = std::string(kBuffer).substr(0, std::string(kBuffer).find("    def reset_policy"));
  const std::string text = unseen("[1] `Buffer.reduce_bucket` asks for the same dtype each time.", seen);
  EXPECT_THAT(text, HasSubstr("Where values are set anew, after construction"));
  EXPECT_THAT(text, HasSubstr("lib/buffer.py:13 in Buffer.reset_policy: self.grad_policy = other_policy(other)"));
  EXPECT_THAT(text, Not(HasSubstr("__init__")));
  EXPECT_THAT(unseen("[1] `Buffer.reduce_bucket` asks for a dtype.", seen), IsEmpty());
}

constexpr const char* kOthers = R"(class Cursor:
    def __init__(self, first_row):
        """Sets self.row_offset = 0 in the end."""
        self.row_offset = first_row + 1

    def move_on(self):
        self.row_offset = self.row_offset + 1


class Table:
    def __init__(self, first_row):
        self.row_offset = first_row * 2

    def move_on(self):
        return self.row_offset

    def move_back(self):
        self.row_offset = 0


def advance(args):
    args.row_offset = 1
)";

// Attributes of one name of classes that share no object, and functions of one name.
class UnseenNamesakes : public ::testing::Test {
 protected:
  UnseenNamesakes() {
    const render::Files before = {{"lib/__init__.py", ""},
                                  {"lib/others.py", kOthers},
                                  {"run.py", "x = 1\n"},
                                  {"tools/t.py", "def f(x):\n    x.row_offset = 5\n"}};
    render::Files after = before;
    after["run.py"] = "x = 2\n";
    fixture_ = render::make_fixture(before, after, "Title", "");
  }
  std::string unseen(std::string_view text, std::string_view shown = {}) {
    Material material;
    material.add(shown);
    return unseen_code(fixture_->inputs, text, material, kEnough);
  }
  std::unique_ptr<render::Fixture> fixture_;
};

TEST_F(UnseenNamesakes, SettersAreThoseOfTheClassThatTheTextSpeaksOf) {
  const std::string text = unseen("[1] `Table.row_offset` is set once.");
  EXPECT_THAT(text, HasSubstr("in Table.__init__: self.row_offset = first_row * 2"));
  EXPECT_THAT(text, HasSubstr("in Table.move_back: self.row_offset = 0"));
  EXPECT_THAT(text, Not(HasSubstr("in Cursor.")));
  EXPECT_THAT(text, Not(HasSubstr("docstring")));
  EXPECT_THAT(text, Not(HasSubstr("tools/")));
  // Of which class, nobody says.
  EXPECT_THAT(unseen("[1] The `row_offset` is set once."), Not(HasSubstr("Where values are set")));
  EXPECT_THAT(unseen("[1] The `row_offset` is set once.", "class Table"), HasSubstr("in Table.move_back"));
}

TEST_F(UnseenNamesakes, ResetsAreThoseOfTheObjectThatIsRead) {
  const std::string text = unseen("[1] `Table.move_on` gives the same row.", kOthers + 200);
  EXPECT_THAT(text, Not(HasSubstr("in Cursor.move_on")));
  EXPECT_THAT(text, Not(HasSubstr("args.row_offset")));
}

TEST_F(UnseenNamesakes, AFunctionWithoutItsClassIsTheOneThatIsSpokenOf) {
  const std::string text = unseen("[1] `move_on` of the table reads, as `Table.move_on` says.");
  EXPECT_THAT(text, HasSubstr("`Table.move_on`"));
  EXPECT_THAT(text, Not(HasSubstr("`Cursor.move_on`")));
  EXPECT_THAT(unseen("[1] `move_on` counts.", "#### `Cursor.move_on`, `lib/others.py:6-7`"),
              Not(HasSubstr("`Table.move_on`")));
  const std::string either = unseen("[1] `move_on` counts.");
  EXPECT_THAT(either, HasSubstr("`Table.move_on`"));
  EXPECT_THAT(either, HasSubstr("`Cursor.move_on`"));
}

TEST_F(UnseenCode, KeepsToItsTokens) { EXPECT_THAT(unseen("`Buffer.reduce_bucket` asks.", "", 20), IsEmpty()); }

}  // namespace
}  // namespace lockstep::writer
