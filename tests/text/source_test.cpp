#include "text/source.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(SourceText, LinesEndAsPythonCountsThem) {
  const SourceText text("a\nbb\r\nccc\rd");
  ASSERT_EQ(text.line_count(), 4u);
  EXPECT_EQ(text.line(0), "a");
  EXPECT_EQ(text.line(1), "bb");
  EXPECT_EQ(text.line(2), "ccc");
  EXPECT_EQ(text.line(3), "d");
  EXPECT_EQ(text.line(4), "");
  EXPECT_EQ(text.line_start(1), 2u);
  EXPECT_EQ(text.line_start(2), 6u);
  EXPECT_EQ(text.line_start(99), 11u);
}

TEST(SourceText, AFinalLineEndOpensAnEmptyLine) {
  EXPECT_EQ(SourceText("a\n").line_count(), 2u);
  EXPECT_EQ(SourceText("").line_count(), 1u);
  EXPECT_EQ(SourceText("\r").line_count(), 2u);
}

TEST(SourceText, PositionsAndSlices) {
  const SourceText text("ab\ncd\n");
  EXPECT_EQ(text.position_of(0), (Position{0, 0}));
  EXPECT_EQ(text.position_of(2), (Position{0, 2})) << "the line end belongs to its line";
  EXPECT_EQ(text.position_of(4), (Position{1, 1}));
  EXPECT_EQ(text.position_of(6), (Position{2, 0}));
  EXPECT_EQ(text.slice({3, 5}), "cd");
  EXPECT_EQ(text.line_of(5), 1u);
}

TEST(SourceText, ColumnsInUtf16) {
  const SourceText text("x = 'ä' + '日' + '😀' # e\n");
  const auto column_at = [&](std::string_view part) {
    return text.utf16_column(static_cast<std::uint32_t>(text.bytes().find(part)));
  };
  EXPECT_EQ(column_at("ä"), 5u);
  EXPECT_EQ(column_at("日"), 11u);
  EXPECT_EQ(column_at("😀"), 17u);
  EXPECT_EQ(column_at("#"), 21u) << "a character outside the basic plane counts as two";
}

TEST(SourceText, BytesThatAreNotUtf8CountOneEach) {
  const SourceText text("\xff\xfe x");
  EXPECT_EQ(text.utf16_column(3), 3u);
}

TEST(Spans, ContainAndCompare) {
  const Span span{2, 5};
  EXPECT_EQ(span.size(), 3u);
  EXPECT_TRUE(span.contains(2));
  EXPECT_FALSE(span.contains(5));
  EXPECT_TRUE(span.contains(Span{3, 5}));
  EXPECT_FALSE(span.contains(Span{1, 3}));
}

TEST(Utf8, ValidAndInvalidSequences) {
  for (const char* valid : {"", "abc", "ä", "日", "😀", "\xf4\x8f\xbf\xbf"}) EXPECT_TRUE(is_valid_utf8(valid)) << valid;
  for (const char* invalid :
       {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8", "\xc3", "\xe6\x97", "a\xff"}) {
    EXPECT_FALSE(is_valid_utf8(invalid));
  }
  EXPECT_EQ(utf8_sequence_length("日", 0), 3u);
  EXPECT_EQ(utf8_sequence_length("日", 1), 0u);
  EXPECT_EQ(utf8_sequence_length("a", 1), 0u) << "past the end";
}

}  // namespace
}  // namespace lockstep
