// What functions were before a change, by other names of their own and of what holds them.
#include "change/earlier.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "change/fixture.h"

namespace lockstep::change {
namespace {

constexpr auto kBody =
    "def scale_rows(rows, factor):\n    return [row * factor for row in rows if row is not None]\n\n\n"
    "class Reader:\n    def read(self, path):\n        with open(path) as file:\n            return file.read()\n\n"
    "    def close(self, path):\n        print(\"closed\", path)\n        return path\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// The name before the change of the function called `name` since; empty for a new one.
std::string was(const Compared& compared, const std::string& name) {
  const program::FunctionId now = compared.after.find_function(name);
  EXPECT_TRUE(now.valid()) << name;
  const program::FunctionId then = EarlierFunctions(compared.change).of(now);
  return then.valid() ? compared.before.functions()[then].qualified_name : std::string();
}

TEST(EarlierFunctions, AFunctionIsFoundUnderItsOldName) {
  const auto same = compare_files({{"m.py", kBody}}, {{"m.py", kBody}, {"n.py", "def more():\n    pass\n"}});
  EXPECT_EQ(was(*same, "m.scale_rows"), "m.scale_rows");
  EXPECT_EQ(was(*same, "m.Reader.read"), "m.Reader.read");
  EXPECT_EQ(was(*same, "n.more"), "");
  const auto renamed = compare_files({{"m.py", kBody}}, {{"m.py", replaced(kBody, "scale_rows", "scaled_rows")}});
  EXPECT_EQ(was(*renamed, "m.scaled_rows"), "m.scale_rows");
}

TEST(EarlierFunctions, WhatHoldsItMayHaveAnotherName) {
  const auto of_class = compare_files({{"m.py", kBody}}, {{"m.py", replaced(kBody, "Reader", "FileReader")}});
  EXPECT_EQ(was(*of_class, "m.FileReader.read"), "m.Reader.read");
  const auto of_file = compare_files({{"m.py", kBody}}, {{"pkg/k.py", kBody}});
  EXPECT_EQ(was(*of_file, "pkg.k.scale_rows"), "m.scale_rows");
  EXPECT_EQ(was(*of_file, "pkg.k.Reader.close"), "m.Reader.close");
}

/// Files that it deletes, adds, moves and leaves alone.
}  // namespace
}  // namespace lockstep::change
