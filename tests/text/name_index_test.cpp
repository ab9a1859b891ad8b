#include "text/name_index.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/find_text.h"

namespace lockstep {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

TEST(NameIndex, KnowsTheFirstPlaceOfEachName) {
  std::string text = "a_long_name_of_a_layer x, a_long_name_of_a_later_layer.x 2d a\n";
  // More names than there is room for at first.
  for (int i = 0; i < 500; ++i) text += "n" + std::to_string(i % 300) + ";";
  std::map<std::string_view, std::size_t> first;
  for_each_name(text, [&](std::string_view name) {
    first.try_emplace(name, static_cast<std::size_t>(name.data() - text.data()));
  });
  const NameIndex index(text);
  for (const auto& [name, at] : first) EXPECT_EQ(index.first_of(text, name), at) << name;
  EXPECT_EQ(index.first_of(text, "a_long_name"), kNowhere);
  EXPECT_EQ(index.first_of(text, "d"), kNowhere);
  std::map<std::string_view, std::size_t> visited;
  index.for_each(text, [&](std::string_view name) {
    EXPECT_TRUE(visited.emplace(name, static_cast<std::size_t>(name.data() - text.data())).second) << name;
  });
  EXPECT_EQ(visited, first);
  EXPECT_EQ(NameIndex("").first_of("", "a"), kNowhere);
}

TEST(NameIndex, FindsAsTheTextDoes) {
  const std::string text = "layer = layers.layer(\u03b1, a.b)  # --layer-b";
  const LazyNameIndex index;
  for (const std::string_view name : {"layer", "layers", "laye", "b", "a.b", "\u03b1", "", "-b"}) {
    for (std::size_t from = 0; from < text.size(); ++from)
      EXPECT_EQ(index.of(text).find(text, name, from), find_name(text, name, from)) << name << " from " << from;
  }
}

}  // namespace
}  // namespace lockstep
