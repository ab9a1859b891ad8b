// Checks that end the program, and locals that became constants of their module.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string headers(const std::string& check, const std::string& more = "") {
  return "import sys\n\n\ndef headers(token):\n" + check + "    return {'token': token}\n" + more;
}

std::string text_of(const std::string& check, const std::string& more = "") {
  return explain_of({{"run.py", headers("")}}, {{"run.py", headers(check, more)}});
}

TEST(NewProgramExits, ACheckThatEndsTheProgramIsARefusal) {
  const std::string told = "`headers` refuses more: it ends the program (`sys.exit(1)`) when `token` is not set.";
  const std::string text = text_of("    if not token:\n        print('no token')\n        sys.exit(1)\n");
  EXPECT_TRUE(contains(text, told)) << text;
  for (const char* check : {"    if not token:\n        print('nothing to do')\n        sys.exit(0)\n",
                            "    if not token:\n        print('no token')\n        return None\n"})
    EXPECT_FALSE(contains(text_of(check), "ends the program")) << check;
}

TEST(NewProgramExits, ANewFunctionThatIsCalledNewlyCounts) {
  const std::string check = "\n\ndef check_token(token):\n    if not token:\n        sys.exit('no token')\n";
  const std::string text = text_of("    check_token(token)\n", check);
  EXPECT_TRUE(contains(text,
                       "`headers` calls `check_token` now, which ends the program (`sys.exit('no token')`) when "
                       "`token` is not set."))
      << text;
  EXPECT_FALSE(contains(text_of("", check), "ends the program"));
}

std::string batch(const std::string& top, const std::string& local) {
  return top + "def get_batch(data):\n" + local + "    return [data[key] for key in KEYS]\n";
}

TEST(ModuleLocals, AConstantThatMovesToTheModuleIsNotGone) {
  const std::string local = "    KEYS = [\"tokens\", \"labels\"]\n";
  const std::string text = explain_of({{"run.py", batch("", local)}},
                                      {{"run.py", batch("KEYS = [\n    \"tokens\",\n    \"labels\",\n]\n\n\n", "")}});
  EXPECT_TRUE(contains(text, "takes `KEYS` from the module (`run.py:1`), formerly a local of the same value")) << text;
  EXPECT_FALSE(contains(text, "no longer sets `KEYS`")) << text;
  const std::string other =
      explain_of({{"run.py", batch("", local)}}, {{"run.py", batch("KEYS = [\"tokens\"]\n\n\n", "")}});
  EXPECT_FALSE(contains(other, "formerly a local of the same value")) << other;
}

}  // namespace
}  // namespace lockstep::render
