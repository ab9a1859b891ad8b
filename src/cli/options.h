// The command line -> Options. Knows the commands, their options and their help; runs nothing.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rules/finding.h"
#include "writer/model/open_model.h"

namespace lockstep::cli {

enum class Command {
  kGraph,
  kTrace,
  kExplain,
  kDive,
  kReview,
  kCheck,
  kRules,
  kPost,
  kPlaybookCheck,
  kPlaybookWrite,
  kPlaybookRules,
  kMcp,
  kSkill,
  kVerify,
  kPack,
  kPrompts,
};
enum class ColorMode { kAuto, kAlways, kNever };

/// What the user asked for. Fields that a command does not take keep their defaults.
struct Options {
  Command command = Command::kReview;
  // Common
  std::string directory = ".";
  std::string format;                 ///< Empty: the command's default.
  std::optional<std::string> output;  ///< Standard output when absent or "-".
  std::optional<std::string> config;
  bool timings = false;
  bool quiet = false;
  ColorMode color = ColorMode::kAuto;
  std::size_t jobs = 0;  ///< 0: one for each core.
  // explain, dive, review
  std::string change;  ///< CHANGE as written; empty with --worktree.
  bool worktree = false;
  std::optional<std::string> pr_file;
  std::optional<std::string> patch_base;
  std::string language;             ///< explain, dive: "en", "zh", or empty for the change's own.
  std::optional<std::string> html;  ///< explain, dive: the page's file, instead of Markdown.
  writer::ModelOptions model;       ///< explain, dive, review.
  bool no_proofread = false;        ///< explain, dive: the model does not read what it wrote again.
  // review, post
  bool post = false;
  bool dry_run = false;
  std::string event = "COMMENT";  ///< Of a posted review.
  std::string review_file;        ///< post: what `review --format github` wrote.
  std::string pull_request;       ///< post: --pr.
  // review, check
  std::optional<rules::Severity> fail_on;
  // check
  std::optional<std::string> baseline;
  std::optional<std::string> write_baseline;
  // pack
  std::string purpose = "explain";
  std::size_t part = 1;
  // verify
  std::string document;
  // graph, check, trace
  std::vector<std::string> paths;
  std::optional<std::string> revision;
  // graph
  std::size_t tokens = 0;           ///< 0: no limit given.
  std::vector<std::string> around;  ///< Symbols to centre on.
  // playbook write
  std::optional<std::string> update;
  bool sources = false;
  // trace
  std::string symbol;
  std::optional<std::string> to;
  bool collectives = false;
  // prompts
  std::string prompt;
  // rules
  std::string rule;
  // skill
  std::string skill_folder = ".claude/skills";
  bool force = false;
};

/// The program must end now, having printed `text` (help, version, or an error).
struct Exit {
  int code = 0;
  std::string text;
};

/// Reads the command line. Errors name the argument and the nearest known one.
std::variant<Options, Exit> parse_options(int argc, const char* const* argv);

}  // namespace lockstep::cli
