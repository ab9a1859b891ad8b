#include "base/nearest.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Names = std::vector<std::string>;

TEST(Nearest, ExchangedLettersAreOneMistake) {
  EXPECT_EQ(typing_distance("scael", "scale", 3), 1u);
  EXPECT_EQ(typing_distance("HAED", "HEAD", 3), 1u);
  EXPECT_EQ(typing_distance("Undefined_Name", "undefined-name", 3), 0u);
  EXPECT_EQ(typing_distance("abc", "abcdef", 2), 3u);
  EXPECT_EQ(typing_distance("kitten", "sitting", 5), 3u);
}

TEST(Nearest, NamesNearBegunOrHeld) {
  const std::vector<std::string_view> rules = {"host-sync-in-step", "lost-result", "mixed-groups", "global-group-read"};
  EXPECT_EQ(nearest_names("host-sync-in-stp", rules, 3), Names{"host-sync-in-step"});
  EXPECT_EQ(nearest_names("lost_reslut", rules, 3), Names{"lost-result"});
  EXPECT_EQ(nearest_names("sync", rules, 3), Names{"host-sync-in-step"});
  EXPECT_EQ(nearest_names("group", rules, 3), (Names{"global-group-read", "mixed-groups"}));
  EXPECT_EQ(nearest_names("zzz", rules, 3), Names{});
}

TEST(Nearest, ThePathsLastPartWeighsMost) {
  const std::vector<std::string_view> paths = {"README.md", "pkg/core/layers.py", "pkg/model/layers.py",
                                               "pkg/core/loss.py", "tests/core/test_layers.py"};
  EXPECT_EQ(nearest_paths("pkg/core/layres.py", paths, 1), Names{"pkg/core/layers.py"});
  EXPECT_EQ(nearest_paths("pkg/model/layer.py", paths, 1), Names{"pkg/model/layers.py"});
  EXPECT_EQ(nearest_paths("layers.py", paths, 2), (Names{"pkg/core/layers.py", "pkg/model/layers.py"}));
  EXPECT_EQ(nearest_paths("core", paths, 2), (Names{"pkg/core", "tests/core"}));
  EXPECT_EQ(nearest_paths("pkg/cor/", paths, 1), Names{"pkg/core"});
  EXPECT_EQ(nearest_paths("readme.md", paths, 1), Names{"README.md"});
  EXPECT_EQ(nearest_paths("nothing.txt", paths, 3), Names{});
}

TEST(Nearest, TheQuestion) {
  EXPECT_EQ(did_you_mean(Names{}), "");
  EXPECT_EQ(did_you_mean(Names{"a"}), "did you mean 'a'?");
  EXPECT_EQ(did_you_mean(Names{"a", "b", "c"}), "did you mean 'a', 'b' or 'c'?");
}

}  // namespace
}  // namespace lockstep
