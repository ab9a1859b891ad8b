// String literals: values of plain ones, structure and positions of f-strings.
#include <gtest/gtest.h>

#include "python/outline.h"

namespace lockstep::python {
namespace {

using namespace std::string_literals;

// The value of a string or bytes literal; "(wrong)" where it has a problem or is no constant.
std::string value_of(std::string_view literal) {
  const auto file = parse(std::string(literal) + "\n");
  const auto* constant = only_expression<Constant>(*file);
  return file->problems.empty() && constant != nullptr ? std::string(constant->text) : "(wrong)";
}

TEST(Strings, Escapes) {
  EXPECT_EQ(value_of(R"('a\n\t\\\'\"\a\b\f\r\v')"), "a\n\t\\'\"\a\b\f\r\v");
  EXPECT_EQ(value_of(R"('\x41\101\0\u00e9\U0001f600')"), "AA\0\u00e9\U0001f600"s);
  EXPECT_EQ(value_of(R"('\777')"), "\u01ff");
  EXPECT_EQ(value_of("'a\\\nb'"), "ab");
  EXPECT_EQ(value_of("'a\\\r\nb'"), "ab");
  EXPECT_EQ(value_of(R"('\q\8')"), R"(\q\8)");
  EXPECT_EQ(value_of(R"(r'\n\'')"), R"(\n\')");
  EXPECT_EQ(value_of(R"('\ud800')"), "\xed\xa0\x80");
  EXPECT_EQ(value_of(R"('\N{BULLET}')"), R"(\N{BULLET})");
}

TEST(Strings, Bytes) {
  EXPECT_EQ(value_of(R"(b'\xff\u0041\377')"), "\xff\\u0041\xff");
  EXPECT_EQ(value_of(R"(rb'\xff')"), R"(\xff)");
  EXPECT_EQ(value_of(R"(Br'a' b"b")"), "ab");
  EXPECT_EQ(only_expression<Constant>(*parse("b'a'\n"))->constant_kind, ConstantKind::kBytes);
}

TEST(Strings, SideBySide) {
  const auto file = parse("x = ('a' \"b\"\n     r'\\n' '''c\n''')\n");
  ASSERT_TRUE(file->problems.empty());
  const auto* constant = as<Constant>(as<Assign>(file->tree->body[0])->value);
  EXPECT_EQ(constant->text, "ab\\nc\n");
  EXPECT_EQ(file->source.slice(constant->span), "'a' \"b\"\n     r'\\n' '''c\n'''");
}

TEST(Strings, PrefixU) {
  EXPECT_TRUE(only_expression<Constant>(*parse("u'a' 'b'\n"))->has_u_prefix);
  EXPECT_FALSE(only_expression<Constant>(*parse("'a' u'b'\n"))->has_u_prefix);
}

TEST(Strings, LineEndsBecomeNewlines) {
  EXPECT_EQ(value_of("'''a\r\nb\rc\n'''"), "a\nb\nc\n");
  EXPECT_EQ(value_of("r'''a\\\r\nb'''"), "a\\\nb");
}

TEST(Strings, PlainTextStaysInTheSource) {
  const auto file = parse("'''long text'''\n");
  const std::string_view text = only_expression<Constant>(*file)->text;
  EXPECT_EQ(text.data(), file->source.bytes().data() + 3);
}

TEST(Strings, WhatPythonRejects) {
  for (const char* literal :
       {"'a", "'a\nb'", "'''a", R"('\x4')", R"('\u004')", R"('\U00110000')", R"('\N{}')", R"('\N')", "b'\xc3\xa9'",
        "'a' b'b'", "ur'a'", "bu'a'", "fb'a'", "b'a' f'b'", R"(b'\x4')", "rr'a'"}) {
    EXPECT_EQ(value_of(literal), "(wrong)") << literal;
  }
}

TEST(FStrings, FieldsAndTheirParts) {
  EXPECT_EQ(outline("f'a{{b{x!r:>{w}}c}}'\n"), R"(ExprStmt |f'a{{b{x!r:>{w}}c}}'|
  JoinedStr |f'a{{b{x!r:>{w}}c}}'|
    Constant |a{{b|
    FormattedValue |{x!r:>{w}}|
      Name |x|
      JoinedStr |:>{w}|
        Constant |>|
        FormattedValue |{w}|
          Name |w|
    Constant |c}}|
)");
  const auto file = parse("f'a{{b{x!r:>{w}}c}}'\n");
  const auto* joined = only_expression<JoinedStr>(*file);
  EXPECT_EQ(as<Constant>(joined->values[0])->text, "a{b");
  EXPECT_EQ(as<FormattedValue>(joined->values[1])->conversion, 'r');
  EXPECT_EQ(as<Constant>(joined->values[2])->text, "c}");
}

TEST(FStrings, ShownExpressions) {
  EXPECT_EQ(outline("f'{x = }' 'z'\n"), R"(ExprStmt |f'{x = }' 'z'|
  JoinedStr |f'{x = }' 'z'|
    Constant |x = |
    FormattedValue |{x = }|
      Name |x|
    Constant |'z'|
)");
  const auto conversion = [](const char* source) {
    const auto file = parse(std::string(source) + "\n");
    return as<FormattedValue>(only_expression<JoinedStr>(*file)->values.back())->conversion;
  };
  EXPECT_EQ(conversion("f'{x=}'"), 'r');
  EXPECT_EQ(conversion("f'{x=!s}'"), 's');
  EXPECT_EQ(conversion("f'{x=:>5}'"), '\0');
}

TEST(FStrings, QuotesNestSincePython312) {
  EXPECT_EQ(outline("f\"{d[\"k\"]}{'\\n'.join(a)}\"\n"), R"(ExprStmt |f"{d["k"]}{'\n'.join(a)}"|
  JoinedStr |f"{d["k"]}{'\n'.join(a)}"|
    FormattedValue |{d["k"]}|
      Subscript |d["k"]|
        Name |d|
        Constant |"k"|
    FormattedValue |{'\n'.join(a)}|
      Call |'\n'.join(a)|
        Attribute |'\n'.join|
          Constant |'\n'|
        Name |a|
)");
  EXPECT_EQ(outline("f'{f'{f'{x}'}'}'\n"), R"(ExprStmt |f'{f'{f'{x}'}'}'|
  JoinedStr |f'{f'{f'{x}'}'}'|
    FormattedValue |{f'{f'{x}'}'}|
      JoinedStr |f'{f'{x}'}'|
        FormattedValue |{f'{x}'}|
          JoinedStr |f'{x}'|
            FormattedValue |{x}|
              Name |x|
)");
}

TEST(FStrings, FieldsMaySpanLinesAndHoldComments) {
  EXPECT_EQ(outline("x = f'{\n    a  # why\n}'\ny\n"), R"(Assign |x = f'{\n    a  # why\n}'|
  Name |x|
  JoinedStr |f'{\n    a  # why\n}'|
    FormattedValue |{\n    a  # why\n}|
      Name |a|
ExprStmt |y|
  Name |y|
)");
}

TEST(FStrings, ColonsAndExclamationMarks) {
  for (const char* source :
       {"f'{x:=5}'", "f'{(x:=5)}'", "f'{a!=b}'", "f'{x!r:}'", "f'{(lambda y: y)(x)}'", "f'{d[1:2]}'",
        "f'{ {1: 2}[1] }'", "f'{x:%H:%M}'", "f'{yield}'", "f'{*a, b}'", "f'{x:{y}{z}}'", "rf'\\{x}'", "f'\\N{DASH}{x}'",
        "f'{x:{{1}.pop()}}'", "f''", "f'' ''", "F'''{x:\n}'''", "f'{x = !r:>5}'"}) {
    EXPECT_TRUE(parse(std::string(source) + "\n")->problems.empty()) << source;
  }
  const auto file = parse("f'{x:=5}'\n");
  const auto* field = as<FormattedValue>(only_expression<JoinedStr>(*file)->values[0]);
  EXPECT_TRUE(is<Name>(field->value));
  EXPECT_EQ(file->source.slice(field->format_spec->span), ":=5");
}

TEST(FStrings, WhatPythonRejects) {
  for (const char* source :
       {"f'{}'",    "f'{x'",     "f'x}'",     "f'{x!z}'", "f'{x! r}'", "f'{x!}'",    "f'{lambda x: 1}'",
        "f'{a b}'", "f'{x:{y}'", "f'{'",      "f'",       "f'{x}",     "f'''{x",     "f'{x!r s}'",
        "f'{!r}'",  "f'{=}'",    "f'{x:\n}'", "f'{:5}'",  "f'{#}'",    "f'{a $ b}'", "f'\\x4{x}'"}) {
    EXPECT_FALSE(parse(std::string(source) + "\n")->problems.empty()) << source;
  }
}

}  // namespace
}  // namespace lockstep::python
