#include "base/find_text.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

TEST(FindText, AsTheStandardLibraryFindsIt) {
  // Few letters, so that parts of what is asked for stand everywhere.
  std::string text;
  std::uint32_t random = 1;
  for (int i = 0; i < 200; ++i) {
    random = random * 1664525u + 1013904223u;
    text += "ab_e"[random >> 30];
  }
  for (std::size_t size : {0, 1, 15, 16, 17, 31, 32, 33, 40, 200}) {
    const std::string_view whole(text.data(), size);
    for (std::size_t length : {0, 1, 2, 3, 7, 16, 20}) {
      for (std::size_t at = 0; at + length <= text.size(); at += 3) {
        const std::string_view part = std::string_view(text).substr(at, length);
        for (const std::size_t from : {0, 1, 9}) {
          const std::size_t expected = from > size ? kNowhere : whole.find(part, from);
          EXPECT_EQ(find_text(whole, part, from), expected) << part << " from " << from << " of " << size;
        }
      }
    }
  }
}

TEST(FindText, EndsWithTheText) {
  const std::string text = "0123456789abcdefghijklmnopqrstuvwxyz";
  EXPECT_EQ(find_text(text, "yz"), 34u);
  EXPECT_EQ(find_text(text, text), 0u);
  EXPECT_EQ(find_text(text, text + "!"), kNowhere);
  EXPECT_EQ(find_text(std::string_view(text).substr(0, 35), "yz"), kNowhere) << "what stands behind is none of it";
}

TEST(FindText, ANameStandsAlone) {
  EXPECT_EQ(find_name("my_layer, layer2, layer", "layer"), 18u);
  EXPECT_EQ(find_name("layer", "layer"), 0u);
  EXPECT_EQ(find_name("layers", "layer"), kNowhere);
}

TEST(FindText, AWholeStringStandsBetweenQuotesOfOneKind) {
  EXPECT_TRUE(is_quoted_in("add('--lag')", "--lag"));
  EXPECT_TRUE(is_quoted_in("add(--lag, \"--lag\")", "--lag"));
  EXPECT_FALSE(is_quoted_in("add('--lag\")", "--lag"));
  EXPECT_FALSE(is_quoted_in("add('--lag-more')", "--lag"));
  EXPECT_FALSE(is_quoted_in("--lag'", "--lag"));
  EXPECT_FALSE(is_quoted_in("'--lag", "--lag"));
}

}  // namespace
}  // namespace lockstep
