// repeated-function: a function that a change adds is nearly the same as one that was there before and stays: the same
// tree but for a few parts in a hundred (names and constants count, layout and comments do not).
//
// Left out: short functions, tests, methods that override each other or implement one interface for two classes with a
// common base (their name says that they are variants), and functions that moved.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "change/node_hash.h"
#include "program/queries.h"
#include "rules/place.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using change::EntityKind;
using change::NodeHasher;
using change::Status;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "repeated-function";
constexpr std::size_t kFewestTokens = 100;
constexpr std::size_t kMostTokens = 4000;
constexpr double kAlike = 0.9;
/// The sizes of two functions that are nearly the same differ by no more than this part.
constexpr double kSizeSlack = 0.12;

/// At most `limit` of them: then there may be more.
std::vector<std::uint64_t> tokens_of(const Program& program, FunctionId function, std::size_t limit) {
  const program::Function& row = program.functions()[function];
  std::vector<std::uint64_t> tokens;
  const NodeHasher hasher(program.modules()[row.module].facts->source());
  for (const Stmt* statement : row.def()->body) {
    if (!hasher.leaves_out(*statement)) hasher.tokens(*statement, limit, tokens);
  }
  return tokens;
}

class Finder {
 public:
  Finder(const RuleContext& context, std::vector<Finding>& findings)
      : context_(context), program_(context.program), findings_(findings) {}

  void run() {
    std::vector<std::pair<FunctionId, std::vector<std::uint64_t>>> added;
    for (const EntityChange& entity : context_.change->entities) {
      const bool is_function = entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kMethod;
      if (!is_function || entity.status != Status::kAdded || !entity.after || entity.moved || entity.renamed) continue;
      if (program::is_test_path(entity.after->path)) continue;
      const FunctionId function = entity.after->function;
      if (!function.valid() || program_.functions()[function].def() == nullptr) continue;
      std::vector<std::uint64_t> tokens = tokens_of(program_, function, kMostTokens);
      if (tokens.size() < kFewestTokens || tokens.size() >= kMostTokens) continue;
      sizes_.push_back(tokens.size());
      added.emplace_back(function, std::move(tokens));
    }
    for (const auto& [function, tokens] : added) compare(function, tokens);
  }

 private:
  struct Known {
    FunctionId function;
    std::size_t size = 0;
    std::vector<std::uint64_t> shingles;
  };

  static bool is_near(std::size_t size, std::size_t other) {
    const auto from = static_cast<double>(size);
    const auto to = static_cast<double>(other);
    return to >= from * (1 - kSizeSlack) && to <= from * (1 + kSizeSlack);
  }

  /// Functions that were there before, are about as long as one of the new ones, and are no tests.
  const std::vector<Known>& known() {
    if (known_) return *known_;
    known_.emplace();
    const auto largest = static_cast<double>(*std::max_element(sizes_.begin(), sizes_.end()));
    const auto limit = static_cast<std::size_t>(largest * (1 + kSizeSlack)) + 1;
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const program::Function& row = program_.functions()[FunctionId(i)];
      if (row.def() == nullptr || program::is_test_path(program_.modules()[row.module].path)) continue;
      const FunctionId then = context_.before->find_function(row.qualified_name);
      if (!then.valid()) continue;
      const std::vector<std::uint64_t> tokens = tokens_of(program_, FunctionId(i), std::min(limit, kMostTokens));
      if (tokens.size() >= kMostTokens) continue;
      if (std::none_of(sizes_.begin(), sizes_.end(), [&](std::size_t size) { return is_near(size, tokens.size()); }))
        continue;
      known_->push_back({FunctionId(i), tokens.size(), change::shingles(tokens)});
    }
    return *known_;
  }

  void compare(FunctionId function, const std::vector<std::uint64_t>& tokens) {
    const std::vector<std::uint64_t> shingles = change::shingles(tokens);
    const Known* best = nullptr;
    double best_score = kAlike;
    for (const Known& other : known()) {
      if (!is_near(tokens.size(), other.size)) continue;
      if (other.function == function || are_variants(function, other.function)) continue;
      const double score = change::dice(shingles, other.shingles);
      if (score > best_score || (best == nullptr && score >= kAlike)) {
        best = &other;
        best_score = score;
      }
    }
    if (best != nullptr) report(function, best->function, best_score);
  }

  /// Methods of one name in classes of one family.
  bool are_variants(FunctionId a, FunctionId b) const {
    const program::Function& one = program_.functions()[a];
    const program::Function& other = program_.functions()[b];
    if (!one.owner.valid() || !other.owner.valid() || one.name != other.name) return false;
    const auto& above = program_.classes()[one.owner].linearized;
    const auto& beside = program_.classes()[other.owner].linearized;
    return std::any_of(above.begin(), above.end(), [&](program::ClassId cls) {
      return std::find(beside.begin(), beside.end(), cls) != beside.end();
    });
  }

  void report(FunctionId function, FunctionId twin, double score) {
    const program::Function& row = program_.functions()[function];
    const program::Function& other = program_.functions()[twin];
    const program::Module& module = program_.modules()[other.module];
    const std::uint32_t line = module.facts->source().line_of(other.def()->name.span.begin);
    Finding finding = finding_at(program_, kRule, row.module, row.def()->name.span);
    finding.severity = Severity::kP2;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kMaintainability;
    finding.symbol = row.qualified_name;
    const bool same = score >= 1.0;
    finding.message =
        fmt::format("The new `{}` {} `{}` ({}:{})", short_name(program_, function), same ? "repeats" : "nearly repeats",
                    short_name(program_, twin), module.path, line + 1);
    finding.why = same ? "A mistake that is mended in one of the two stays in the other."
                       : fmt::format(
                             "{} of 100 parts of the two are the same: a mistake that is mended in one stays in "
                             "the other.",
                             static_cast<int>(score * 100));
    finding.fix = fmt::format("Call `{}`, with parameters for what differs, or move what they share to one place.",
                              short_name(program_, twin));
    finding.evidence.push_back(evidence_at(program_, other.module, other.def()->name.span, "the other one"));
    findings_.push_back(std::move(finding));
  }

  const RuleContext& context_;
  const Program& program_;
  std::vector<std::size_t> sizes_;  ///< Of the new functions.
  std::optional<std::vector<Known>> known_;
  std::vector<Finding>& findings_;
};

}  // namespace

void run_repeated_function(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr && context.before != nullptr) Finder(context, findings).run();
}

}  // namespace lockstep::rules
