// search_text: the lines of a repository that hold a text, code outside tests before tests, and how many there are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/inputs.h"
#include "text/source.h"

namespace lockstep::writer {

/// Texts that are no Python, by path.
using OtherTexts = std::vector<std::pair<std::string, SourceText>>;

/// What is looked for, and how the lines that hold it are shown.
struct SoughtText {
  std::string text;
  std::string path;            ///< Only files with this in their path, of "!x" without x; empty: all.
  bool is_whole_word = false;  ///< Not as part of a longer name.
  std::uint32_t around = 0;    ///< Lines before and after each. Of a statement that begins on the line, all its lines.
  bool is_set_only = false;    ///< Where a name of the text is given a value: set, passed, declared; `name: 1` of YAML.
  std::uint32_t most = 0;      ///< Places to show; 0: as many as there is room for.
};

constexpr std::size_t kShortestSought = 3;  // characters; of fewer, half the lines hold any
constexpr std::uint32_t kMostAroundSought = 12;

/// The lines with their places, functions and conditions, one a line, at most thirty, or with lines around each ten;
/// where there are more, how many. Why not, where there is none.
std::string search_text(const report::DocumentInputs& inputs, const OtherTexts& others, const SoughtText& sought);

/// Configurations, scripts, pages and the like of a snapshot.
OtherTexts other_texts(const repo::Snapshot& files);

}  // namespace lockstep::writer
