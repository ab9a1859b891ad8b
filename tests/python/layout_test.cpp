// Bytes to logical lines: encodings, line ends, indentation, continuation, comments, names.
#include <gtest/gtest.h>

#include "python/encoding.h"
#include "python/outline.h"

namespace lockstep::python {
namespace {

using namespace std::string_literals;

TEST(Encoding, ByteOrderMarkIsNotPartOfTheText) {
  const auto file = parse("\xef\xbb\xbfx = 1\n");
  EXPECT_TRUE(file->problems.empty());
  EXPECT_EQ(file->source.bytes(), "x = 1\n");
  EXPECT_TRUE(parse("\xef\xbb\xbf# coding: utf-8\nx\n")->problems.empty());
  EXPECT_FALSE(parse("\xef\xbb\xbf# coding: latin-1\nx\n")->problems.empty());
}

TEST(Encoding, Cookies) {
  EXPECT_EQ(coding_cookie("# -*- coding: latin-1 -*-\n"), "latin-1");
  EXPECT_EQ(coding_cookie("#!/usr/bin/python\n# vim: set fileencoding=utf-8 :\n"), "utf-8");
  EXPECT_EQ(coding_cookie("x = 1\n# coding: latin-1\n"), "");
  EXPECT_EQ(coding_cookie("\n\n# coding: latin-1\n"), "");
  EXPECT_EQ(coding_cookie("s = '# coding: latin-1'\n"), "");
}

TEST(Encoding, OtherEncodingsBecomeUtf8) {
  const auto latin = parse("# coding: latin-1\ns = '\xe9'\n");
  EXPECT_TRUE(latin->problems.empty());
  EXPECT_EQ(latin->source.bytes(), "# coding: latin-1\ns = '\u00e9'\n");
  const auto koi8 = parse("# coding: koi8-r\ns = '\xc1'\n");
  EXPECT_TRUE(koi8->problems.empty());
  EXPECT_EQ(koi8->source.bytes(), "# coding: koi8-r\ns = '\u0430'\n");
}

TEST(Encoding, WhatCannotBeReadIsAProblemAndStillParses) {
  const auto unknown = parse("# coding: klingon\nx = 1\n");
  EXPECT_EQ(unknown->problems.size(), 1u);
  EXPECT_EQ(unknown->tree->body.size(), 1u);
  const auto invalid = parse("s = '\xff'\nx = 1\n");
  ASSERT_EQ(invalid->problems.size(), 1u);
  EXPECT_EQ(invalid->problems[0].message, "1 byte is not valid UTF-8");
  EXPECT_EQ(invalid->tree->body.size(), 2u);
  EXPECT_TRUE(is_valid_utf8(invalid->source.bytes()));
  EXPECT_FALSE(parse("x = 1\0\n"s)->problems.empty());
}

TEST(Layout, AllLineEnds) {
  for (const char* end : {"\n", "\r\n", "\r"}) {
    const auto file = parse(replace_all("if a:\n    b\n\n    c\nd\n", "\n", end));
    EXPECT_TRUE(file->problems.empty());
    ASSERT_EQ(file->tree->body.size(), 2u);
    EXPECT_EQ(as<If>(file->tree->body[0])->body.size(), 2u);
    EXPECT_EQ(file->source.position_of(file->tree->body[1]->span.begin).line, 4u);
  }
}

TEST(Layout, TheLastLineNeedsNoEnd) {
  EXPECT_TRUE(parse("if a:\n  b")->problems.empty());
  EXPECT_TRUE(parse("if a:\n  b\n  # c")->problems.empty());
  EXPECT_TRUE(parse("")->problems.empty());
  EXPECT_TRUE(parse("# only a comment")->problems.empty());
  EXPECT_TRUE(parse("   \n\t\n")->problems.empty());
}

TEST(Layout, TabsGoToTheNextMultipleOfEight) {
  EXPECT_TRUE(parse("if a:\n\tb\n\tc\n")->problems.empty());
  EXPECT_TRUE(parse("if a:\n    if b:\n    \tc\n    d\n")->problems.empty());
  const auto mixed = parse("if a:\n        b\n\tc\n");  // the same column, but only with tabs of 8
  ASSERT_EQ(mixed->problems.size(), 1u);
  EXPECT_EQ(mixed->problems[0].message, "inconsistent use of tabs and spaces in indentation");
}

TEST(Layout, FormFeedsStartTheColumnAgain) {
  EXPECT_TRUE(parse("a\n\fb\n")->problems.empty());
  EXPECT_TRUE(parse("if a:\n  \f  b\n  c\n")->problems.empty());
}

TEST(Layout, Dedents) {
  const auto file = parse("if a:\n        b\n    c\nd\n");
  ASSERT_EQ(file->problems.size(), 1u);
  EXPECT_EQ(file->problems[0].message, "unindent does not match any outer indentation level");
  ASSERT_EQ(file->tree->body.size(), 2u);
  EXPECT_EQ(as<If>(file->tree->body[0])->body.size(), 2u);
}

TEST(Layout, Continuations) {
  EXPECT_TRUE(parse("x = 1 + \\\n  2\n")->problems.empty());
  EXPECT_TRUE(parse("if a:\n    b\n    \\\nc\n")->problems.empty());
  EXPECT_TRUE(parse("x = 1 + \\\r\n  2\n")->problems.empty());
  EXPECT_FALSE(parse("x = 1 + \\ \n  2\n")->problems.empty());
  EXPECT_FALSE(parse("x = 1 \\")->problems.empty());
  EXPECT_FALSE(parse("x = 1 \\\n")->problems.empty());
}

TEST(Layout, CommentsAreRecorded) {
  const auto file = parse("# a\nx = [  # b\n    1,\n    # c\n]\nif x:\n  # d\r\n  y  #e");
  ASSERT_TRUE(file->problems.empty());
  std::vector<std::string_view> comments;
  for (const Comment& comment : file->comments) comments.push_back(file->source.slice(comment.span));
  EXPECT_EQ(comments, (std::vector<std::string_view>{"# a", "# b", "# c", "# d", "#e"}));
}

TEST(Names, AreNormalised) {
  const auto file = parse("\ufb01x = \u00e9.\u212b\n");  // the ligature fi, e acute, the Angstrom sign
  ASSERT_TRUE(file->problems.empty());
  const auto* assign = only_statement<Assign>(*file);
  EXPECT_EQ(as<Name>(assign->targets[0])->id, "fix");
  EXPECT_EQ(as<Attribute>(assign->value)->name.text, "\u00c5");
  EXPECT_EQ(file->source.slice(assign->targets[0]->span), "\ufb01x");
}

TEST(Names, OnlyLettersOfUnicode) {
  for (const char* name : {"\u4e2d\u6587", "a\u0301", "\u2118", "a\u00b7", "_\u0660"}) {
    EXPECT_TRUE(parse(std::string(name) + " = 1\n")->problems.empty()) << name;
  }
  for (const char* name : {"\u20ac", "\u0660a", "a\u2014b", "\u0301a", "\U0001f600", "\u037a", "x\u00a0"}) {
    EXPECT_FALSE(parse(std::string(name) + " = 1\n")->problems.empty()) << name;
  }
}

TEST(Names, KeywordsWithSpecialEndsAreNames) {
  EXPECT_TRUE(parse("ifx = Nones = not_ = classs = d = print = exec = async_ = 1\n")->problems.empty());
  for (const char* keyword : {"if", "None", "async", "await", "nonlocal", "yield", "True", "is"}) {
    EXPECT_FALSE(parse(fmt::format("x.{} = 1\n", keyword))->problems.empty()) << keyword;
  }
}

}  // namespace
}  // namespace lockstep::python
