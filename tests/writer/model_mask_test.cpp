// Secrets that are masked before anything is sent, and code that must stay as it is.
#include "writer/model/mask.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep::writer {
namespace {

std::string masked(std::string_view text) { return mask_secrets(text, {}).text; }

// Secrets are put together here: scanners of repositories would take whole ones for real.
std::string token(std::string_view start, std::size_t size) {
  std::string text(start);
  constexpr std::string_view kLetters = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z";
  for (std::size_t i = 0; i < size; ++i) text += kLetters[i % kLetters.size()];
  return text;
}

TEST(Mask, KnownFormats) {
  for (const std::string& secret :
       {token("ghp_", 36), token("github_pat_", 60), token("glpat-", 20), token("sk-ant-api03-", 60),
        token("sk-proj-", 60), token("sk-", 48), token("hf_", 34), token("xoxb-", 40), token("npm_", 36),
        token("AIza", 35), token("nvapi-", 60), std::string("AKIA") + "IOSFODNN7EXAMPLE",
        token("eyJ", 30) + "." + token("eyJ", 40) + "." + token("", 43)}) {
    EXPECT_EQ(masked("x = f('" + secret + "')\n"), "x = f('[secret masked]')\n") << secret;
    EXPECT_EQ(masked(secret), "[secret masked]");
    EXPECT_EQ(masked("# " + secret + "."), "# [secret masked].") << secret;
  }
}

TEST(Mask, Assignments) {
  const std::string random = token("", 24), hex = "0123456789abcdef0123456789abcdef01234567";
  for (const std::string name : {"api_key", "API_KEY", "WANDB_API_KEY", "client_secret", "auth-token",
                                 "aws_secret_access_key", "access_token", "private_key"}) {
    for (const std::string& value : {random, hex}) {
      EXPECT_EQ(masked(name + " = \"" + value + "\""), name + " = \"[secret masked]\"");
      EXPECT_EQ(masked(name + "='" + value + "'"), name + "='[secret masked]'");
      EXPECT_EQ(masked("\"" + name + "\": \"" + value + "\","), "\"" + name + "\": \"[secret masked]\",");
      EXPECT_EQ(masked("export " + name + "=" + value + "\n"), "export " + name + "=[secret masked]\n");
      EXPECT_EQ(masked("os.environ['" + name + "'] = '" + value + "'"),
                "os.environ['" + name + "'] = '[secret masked]'");
      EXPECT_EQ(masked("+    " + name + ": str = b'" + value + "'  # x"),
                "+    " + name + ": str = b'[secret masked]'  # x");
      EXPECT_EQ(masked("{\\\"" + name + "\\\": \\\"" + value + "\\\"}"),
                "{\\\"" + name + "\\\": \\\"[secret masked]\\\"}");
    }
  }
  EXPECT_EQ(masked("wandb.login(key=\"" + hex + "\")"), "wandb.login(key=\"[secret masked]\")");
  EXPECT_EQ(masked("password = \"hunter2!\""), "password = \"[secret masked]\"");
  EXPECT_EQ(masked("Server=db;User=sa;Password=Sup3r!pass;"), "Server=db;User=sa;Password=[secret masked];");
  EXPECT_EQ(masked("AccountKey=" + token("", 60) + "==;"), "AccountKey=[secret masked];");
  EXPECT_EQ(masked("Authorization: Bearer " + random), "Authorization: Bearer [secret masked]");
}

TEST(Mask, AddressesAndPrivateKeys) {
  EXPECT_EQ(masked("postgres://app:s3cr3t@db:5432/x"), "postgres://app:[secret masked]@db:5432/x");
  EXPECT_EQ(masked("redis://:s3cr3t@cache"), "redis://:[secret masked]@cache");
  EXPECT_EQ(masked("https://" + token("", 30) + "@host/x"), "https://[secret masked]@host/x");
  const std::string key =
      "+-----BEGIN RSA PRIVATE KEY-----\n+MIIEpAIBAAKCAQEA04up8hoqzS1\n+abcdefgh12345678==\n+-----END RSA PRIVATE "
      "KEY-----\nnext line stays\n";
  EXPECT_EQ(masked(key),
            "+-----BEGIN RSA PRIVATE KEY-----\n+[secret masked]\n+[secret masked]\n+-----END RSA PRIVATE "
            "KEY-----\nnext line stays\n");
  EXPECT_EQ(masked("k = '-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQ\\n-----END PRIVATE KEY-----'"),
            "k = '-----BEGIN PRIVATE KEY-----\\[secret masked]\\n-----END PRIVATE KEY-----'");
}

TEST(Mask, PrivateKeysWithoutAnEnd) {
  const std::string line = token("", 64);
  EXPECT_EQ(masked("-----BEGIN PRIVATE KEY-----\n" + line + "\n  " + line + "\nshort\n" + line + "\n"),
            "-----BEGIN PRIVATE KEY-----\n[secret masked]\n  [secret masked]\nshort\n" + line + "\n");
  EXPECT_EQ(
      masked("   12 | -----BEGIN EC PRIVATE KEY-----\n   13 | " + line + "\n   14 | " + line.substr(0, 20) +
             "==\n   15 | -----END EC PRIVATE KEY-----\n"),
      "   12 | -----BEGIN EC PRIVATE KEY-----\n   13 | [secret masked]\n   14 | [secret masked]\n   15 | -----END EC "
      "PRIVATE KEY-----\n");
}

TEST(Mask, CodeStaysCode) {
  for (const char* text :
       {"token = tokenizer.eos_token",
        "f(token=args.token, api_key=self.api_key, password=password)",
        "token: str = \"\"",
        "pad_token='<|endoftext|>'",
        "tokenizer = \"meta-llama/Llama-2-7b-hf\"",
        "token = \"Qwen2-VL-72B-Instruct-AWQ\"",
        "api_key = os.environ[\"OPENAI_API_KEY\"]",
        "api_key = f\"{prefix}-{suffix}0123456789abcdefghijk\"",
        "secret = config.get('secrets', 'path')",
        "key = 'decoder.layers.0.self_attention.linear_qkv.weight'",
        "password = 'password'",
        "password: Optional[str] = None",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-learn and hf_hub_download_with_retries_and_more",
        "https://user:password@host/",
        "https://{user}:{password}@host/",
        "https://user:$PASS@host",
        "git@github.com:a/b.git",
        "a = {'commit': '0123456789abcdef0123456789abcdef01234567'}",
        "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEF\n",
        "private_key_path = '/home/user1/.ssh/id_rsa_1234567890'",
        "pwd = '/root/dir1'",
        "if (token == \"abc\") {",
        "x: dict[str, int] = key",
        "secret_name = \"projects/123/secrets/my-secret\"",
        "moe_token_dispatcher_type = 'alltoall'",
        "a::b token::c",
        "bearer of bad news",
        "num_tokens_per_expert = 1234567890123456789",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "if re.search(r'-----BEGIN (?:RSA )?PRIVATE KEY-----', key) is None:\n    raise ValueError('no private key of "
        "2048 bits')\n",
        "a = '-----BEGIN PRIVATE KEY-----'\nb = strip_headers_and_whitespace(a)\nc = '-----END PRIVATE KEY-----'\n"}) {
    EXPECT_EQ(masked(text), text);
  }
}

TEST(Mask, KeepsLinesAndCounts) {
  const std::string text = "a\n" + token("ghp_", 36) + "\r\n\npassword = 'hunter2!'\nknown-value here\n";
  const MaskedText out = mask_secrets(text, {"known-value", "short"});
  EXPECT_EQ(out.count, 3u);
  EXPECT_EQ(std::count(out.text.begin(), out.text.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(out.text, "a\n[secret masked]\r\n\npassword = '[secret masked]'\n[secret masked] here\n");
  EXPECT_EQ(masked(out.text), out.text) << "a second time changes nothing";
}

TEST(Mask, HostileTextCostsLittle) {
  // Work that grew with the square of this would take minutes.
  for (const char* unit :
       {"token=", "eyJ.", "api_key: ", "://a:", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----x-----END ", "bearer ", "sk-", "password='"}) {
    std::string text;
    while (text.size() < (2u << 20)) text += unit;
    EXPECT_LE(masked(text).size(), text.size() * 2);
  }
}

TEST(Mask, RequestsAreFitToSend) {
  ChatRequest request;
  request.system = token("ghp_", 36);
  request.turns = {{ChatTurn::Role::kUser, "bad \xFF byte", {}, ""},
                   {ChatTurn::Role::kAssistant, "", {{"i", "f", "{\"q\": \"" + token("hf_", 34) + "\"}"}}, ""}};
  std::size_t count = 0;
  const ChatRequest fit = fit_to_send(request, {}, count);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(fit.system, "[secret masked]");
  EXPECT_EQ(fit.turns[0].text, "bad \xEF\xBF\xBD byte");
  EXPECT_EQ(fit.turns[1].calls[0].arguments_json, "{\"q\": \"[secret masked]\"}");
}

}  // namespace
}  // namespace lockstep::writer
