#include "base/secrets.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace lockstep {
namespace {

TEST(Secrets, MaskTheUserPartOfAddresses) {
  EXPECT_EQ(without_secrets("cannot read https://x-access-token:abc@github.com/o/r.git"),
            "cannot read https://***@github.com/o/r.git");
  EXPECT_EQ(without_secrets("'ssh://me@host/x' and http://p@ss@host"), "'ssh://***@host/x' and http://***@host");
  EXPECT_EQ(without_secrets("https://github.com/o/r mail a@b.org"), "https://github.com/o/r mail a@b.org");
}

TEST(Secrets, MaskKnownFormatsAndFields) {
  EXPECT_EQ(without_secrets("bad ghp_0123456789abcdef, gone"), "bad ***, gone");
  EXPECT_EQ(without_secrets("github_pat_11AAAAA0x_y"), "***");
  EXPECT_EQ(without_secrets("/x?access_token=abc&page=2"), "/x?access_token=***&page=2");
  EXPECT_EQ(without_secrets("Authorization: Bearer abc def\nnext"), "Authorization: ***\nnext");
  EXPECT_EQ(without_secrets("ghp_ is how they start; a token = b"), "ghp_ is how they start; a token = b");
}

TEST(Secrets, MaskValuesOfTheEnvironment) {
  ::setenv("GITHUB_TOKEN", " opaque-value-of-a-token ", 1);
  EXPECT_EQ(without_secrets("I was sent opaque-value-of-a-token."), "I was sent ***.");
  ::setenv("GITHUB_TOKEN", "x", 1);
  EXPECT_EQ(without_secrets("max"), "max");
  ::unsetenv("GITHUB_TOKEN");
}

}  // namespace
}  // namespace lockstep
