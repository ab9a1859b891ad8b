// A new parameter that makes others count for nothing.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string text_of(const std::string& with, const std::string& behind = "") {
  const std::string rest = behind + "    return run(sock, port)\n";
  const Files before = {{"serve.py", "def serve(port, host=None):\n    sock = bind(host, port)\n" + rest}};
  const Files after = {{"serve.py", "def serve(port, host=None, sock=None):\n    if sock is not None:\n" + with +
                                        "    else:\n        sock = bind(host, port)\n" + rest}};
  return explain_of(before, after);
}

TEST(UnreadParameters, WhatANewParameterReplacesIsTold) {
  const std::string text = text_of("        port = sock.port()\n");
  EXPECT_TRUE(
      contains(text, "`serve` does not read what it is given for `port` and `host` where `sock` is not `None`."))
      << text;
  // What is read behind the choice, too, counts.
  EXPECT_TRUE(contains(text_of("        check(sock)\n"), "does not read what it is given for `host` where"));
  EXPECT_FALSE(contains(text_of("        check(sock, host, port)\n"), "does not read what it is given"));
  EXPECT_FALSE(contains(text_of("        check(sock)\n", "    print(host)\n"), "does not read what it is given"));
}

}  // namespace
}  // namespace lockstep::render
