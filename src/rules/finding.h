// A finding: one thing that is wrong (or asked about), with its evidence, before any policy (severity caps,
// suppression, ranking: report/) and before any format (render/).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/source.h"

namespace lockstep::rules {

enum class Severity : std::uint8_t { kP0, kP1, kP2, kP3 };
enum class FindingCertainty : std::uint8_t { kProven, kLikely, kQuestion };
enum class Category : std::uint8_t {
  kCorrectness,
  kDistributed,
  kPerformance,
  kNumerics,
  kCompatibility,
  kTests,
  kReadability,
  kMaintainability,
  kDocs,
};

/// A place that supports a finding. Lines count from 0.
struct Evidence {
  std::string path;
  std::uint32_t line = 0;
  std::string message;
};

/// Which side of the change a place is on.
enum class Side : std::uint8_t { kAfter, kBefore };

struct Finding {
  std::string_view rule;  ///< Kebab-case id from the rule list (static storage).
  Severity severity = Severity::kP2;
  FindingCertainty certainty = FindingCertainty::kLikely;
  Category category = Category::kCorrectness;
  std::string path;
  Span span;                     ///< Bytes in the file at `side`; {0,0} for a whole file.
  std::uint32_t start_line = 0;  ///< From 0.
  std::uint32_t end_line = 0;    ///< From 0, inclusive.
  std::string symbol;            ///< Qualified name of the entity that holds it; may be empty.
  std::string message;           ///< What is wrong, one sentence, no full stop; plain text with `code` in back-quotes.
  std::string why;               ///< Why it matters here: who reaches it, what was measured to happen. Plain sentences.
  std::string fix;               ///< What to do, concretely.
  std::optional<std::string> suggestion;  ///< Replacement text of exactly start_line..end_line (with line ends).
  std::vector<Evidence> evidence;         ///< In the order in which a reader should follow them.
  Side side = Side::kAfter;
};

}  // namespace lockstep::rules
