#include "forge/place.h"

#include <gtest/gtest.h>

#include "forge/http.h"
#include "forge/review_request.h"

namespace lockstep::forge {
namespace {

std::string name_of(std::string_view url) {
  const auto name = parse_remote_url(url);
  return name ? name->host + " " + name->owner + " " + name->name : "none";
}

TEST(Place, ReadsRemotes) {
  for (const char* url :
       {"https://github.com/acme/train", "https://github.com/acme/train.git/", "git@github.com:acme/train.git",
        "ssh://git@github.com:22/acme/train.git", "https://x-access-token:abc@GitHub.com/acme/train.git",
        "git://github.com/acme/train", "github.com:acme/train"}) {
    EXPECT_EQ(name_of(url), "github.com acme train") << url;
  }
  EXPECT_EQ(name_of("http://127.0.0.1:8080/acme/train.git"), "127.0.0.1:8080 acme train");
  for (const char* url :
       {"/srv/git/train.git", "../train", "file:///srv/acme/train", "https://github.com/acme", "https://github.com",
        "https://github.com/acme/../x", "https://github.com/a/b/c", "git@github.com:acme/tr ain", "", "C:\\x\\y"}) {
    EXPECT_EQ(name_of(url), "none") << url;
  }
}

TEST(Place, OriginsIgnoreUsersAndStandardPorts) {
  EXPECT_EQ(origin_of("https://a:b@API.github.com:443/x?y"), "https://api.github.com");
  EXPECT_EQ(origin_of("http://h:80"), "http://h");
  EXPECT_EQ(origin_of("https://evil.org#@api.github.com/"), "https://evil.org");
  EXPECT_EQ(origin_of("/path"), "");
}

TEST(Hunks, AreTheNewSidesLines) {
  const Json files = Json::parse(
      R"([{"filename": "a.py", "patch": "@@ -1,2 +1,3 @@ x\n a\n+@@ -9 +90,5 @@\n@@ -8 +10 @@\n-b\n+c\n@@ -20,2 +21,0 @@\n-d\n-e"},
                                     {"filename": "b.bin"}, {"filename": "c.py", "patch": "@@ nonsense"}])");
  const HunksByPath hunks = hunks_of_files(files);
  ASSERT_EQ(hunks.at("a.py").size(), 2u);
  EXPECT_EQ(hunks.at("a.py")[0].first, 1u);
  EXPECT_EQ(hunks.at("a.py")[0].last, 3u);
  EXPECT_EQ(hunks.at("a.py")[1].last, 10u);
  EXPECT_TRUE(hunks.at("b.bin").empty() && hunks.at("c.py").empty());
  EXPECT_TRUE(is_on_diff({"a.py", 3, 1, "", {}}, hunks));
  EXPECT_FALSE(is_on_diff({"a.py", 10, 3, "", {}}, hunks));
  EXPECT_FALSE(is_on_diff({"a.py", 4, std::nullopt, "", {}}, hunks));
  EXPECT_FALSE(is_on_diff({"d.py", 1, std::nullopt, "", {}}, hunks));
}

TEST(Markers, AreReadBackAndBounded) {
  EXPECT_EQ(fingerprints_in("text\n<!-- lockstep:finding 0a 1b -->\n"), (std::vector<std::string>{"0a", "1b"}));
  EXPECT_EQ(fingerprints_in("<!-- lockstep:finding ff --> x <!-- lockstep:finding 0a <b> -->"),
            (std::vector<std::string>{"0a"}));
  EXPECT_TRUE(fingerprints_in("<!-- lockstep:finding 0a").empty());
  const std::string marked = body_with_posted("Body", {"0a", "1b"});
  EXPECT_EQ(marked, "Body\n\n<!-- lockstep:posted 0a 1b -->");
  EXPECT_EQ(body_with_posted(marked, {"0a"}), "Body\n\n<!-- lockstep:posted 0a -->");
  EXPECT_LE(body_with_posted(std::string(64'900, 'x'), std::vector<std::string>(500, "0123456789abcdef")).size(),
            65'000u);
}

}  // namespace
}  // namespace lockstep::forge
