#include "base/secrets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

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

std::vector<std::string> found_in(std::string_view text) {
  std::vector<std::string> values;
  for (const FoundSecret& one : find_secrets(text)) values.emplace_back(text.substr(one.begin, one.length));
  return values;
}

TEST(Secrets, FindsWhatLooksReal) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(found_in("key AKIAIOSFODNN7EXAMPL3."), Values{"AKIAIOSFODNN7EXAMPL3"});
  EXPECT_EQ(found_in("`hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567`"), Values{"hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567"});
  EXPECT_EQ(found_in("glpat-aB3dE6gH9jK2mN5pQ"), Values{});  // too short
  EXPECT_EQ(found_in("glpat-aB3dE6gH9jK2mN5pQ8sTuv"), Values{"glpat-aB3dE6gH9jK2mN5pQ8sTuv"});
  EXPECT_EQ(found_in("Password: hunter2x9, user: me"), Values{"hunter2x9"});
  EXPECT_EQ(found_in("export DB_PASSWORD='s3cr-et!Q9'"), Values{"s3cr-et!Q9"});
  EXPECT_EQ(found_in("postgres://app:h7Gk2mQ9@db.example.org/x"), Values{"h7Gk2mQ9"});
  EXPECT_EQ(without_secrets("password=hunter2x9 hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567"), "password=*** ***");
}

TEST(Secrets, LeavesPlaceholdersAlone) {
  for (const std::string_view text :
       {"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "password: <your password>", "password=$DB_PASSWORD",
        "password: str | None = None", "password=args.password2", "password: changeme1", "PASSWORD=${{ secrets.P4SS }}",
        "postgres://user:password@host/db", "git clone ssh://git@github.com/o/r.git", "the password must have 8 signs",
        "hf_transfer_is_a_package_2_of_many_others_here_x", "passwords: 12 of 15", "password=getpass.getpass()"}) {
    EXPECT_EQ(found_in(text), std::vector<std::string>{}) << text;
  }
}

}  // namespace
}  // namespace lockstep
