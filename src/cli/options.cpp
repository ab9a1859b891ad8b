#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/build_version.h"
#include "cli/command_line.h"
#include "cli/command_words.h"
#include "cli/usage_error.h"

namespace lockstep::cli {

namespace {

constexpr std::size_t kMostTokens = 1'000'000'000;

constexpr const char* kChangeHelp =
    "BASE..HEAD, BASE...HEAD (merge base), a commit, a pull request, a patch file, or - (a patch on standard input)";

// Options that people type before the command too, as in `git -C PATH log`.
void add_shared(CLI::App& command, Options& options) {
  command.add_option("-C", options.directory, "Repository or folder to read (default: the current one)")
      ->type_name("PATH");
  command.add_option("--config", options.config, "Configuration file (default: the repository's lockstep.toml)")
      ->type_name("FILE");
  command.add_option("-j,--jobs", options.jobs, "Threads (default: one for each core)")->check(CLI::Range(1, 1024));
  const std::map<std::string, ColorMode> colors = {
      {"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}};
  command.add_option("--color", options.color, "auto, always or never")
      ->transform(CLI::CheckedTransformer(colors))
      ->type_name("WHEN");
  command.add_flag("--timings", options.timings, "Print the time and memory of each phase to standard error");
  command.add_flag("-q,--quiet", options.quiet, "No progress and no remarks on standard error");
}

void add_common(CLI::App& command, Options& options, const std::vector<std::string>& formats) {
  if (!formats.empty()) {
    command.add_option("--format", options.format, "Output format (default: " + formats.front() + ")")
        ->check(CLI::IsMember(formats));
  }
  command.add_option("-o,--output", options.output, "Write the document to FILE instead of standard output")
      ->type_name("FILE");
  add_shared(command, options);
}

void add_posting(CLI::App& command, Options& options) {
  command.add_flag("--dry-run", options.dry_run, "Print the requests that would be sent, and send none");
  command.add_option("--event", options.event, "What the review says of the change (default: COMMENT)")
      ->check(CLI::IsMember({"COMMENT", "APPROVE", "REQUEST_CHANGES"}));
}

void add_change(CLI::App& command, Options& options) {
  auto* change = command.add_option("CHANGE", options.change, kChangeHelp);
  auto* worktree = command.add_flag("--worktree", options.worktree, "The uncommitted work against HEAD");
  change->excludes(worktree);
  command.add_option("--pr", options.pr_file, "Title and body of the pull request (GitHub's own JSON)")
      ->type_name("FILE.json");
  command.add_option("--base", options.patch_base, "Revision to which a patch is applied (default: the working tree)")
      ->type_name("REV");
}

// Without --model or --replay nothing leaves the machine.
void add_model(CLI::App& command, Options& options) {
  auto* name = command
                   .add_option("--model", options.model.name,
                               "Let this language model write along (default: no model; `default`: the configured one)")
                   ->type_name("NAME");
  command
      .add_option("--model-url", options.model.url,
                  "The model's server: base address of an OpenAI-compatible or Anthropic API (default: the vendor's)")
      ->type_name("URL")
      ->needs(name);
  const std::map<std::string, writer::WireApi> apis = {{"openai", writer::WireApi::kOpenAi},
                                                       {"anthropic", writer::WireApi::kAnthropic}};
  command
      .add_option_function<std::string>(
          "--model-api", [&options, apis](const std::string& api) { options.model.api = apis.at(api); },
          "What the server speaks: openai or anthropic (default: by its address)")
      ->check(CLI::IsMember({"openai", "anthropic"}))
      ->needs(name);
  auto* record = command.add_option("--record", options.model.record, "Keep the exchange with the model in a file")
                     ->type_name("FILE")
                     ->needs(name);
  auto* replay = command
                     .add_option("--replay", options.model.replay,
                                 "Take the model's answers from a file that --record wrote; nothing is sent")
                     ->type_name("FILE")
                     ->excludes(record);
  command
      .add_option("--max-cost", options.model.most_cost,
                  "Stop before a request that would cost more in all, by the configured prices")
      ->type_name("AMOUNT")
      ->check(CLI::Range(std::size_t{1}, kMostTokens));
  command
      .add_flag("--show-request", options.model.show_request, "Print what would be sent to the model, and send nothing")
      ->needs(name)
      ->excludes(record)
      ->excludes(replay);
}

void add_no_proofread(CLI::App& command, Options& options) {
  command.add_flag("--no-proofread", options.no_proofread,
                   "Do not let the model read what it wrote again, look up what it left open, and correct it: half the "
                   "tokens, and more of it is wrong");
}

void add_html(CLI::App& command, Options& options) {
  command.add_option("--html", options.html, "Write one self-contained HTML page to this file instead of Markdown")
      ->type_name("FILE")
      ->excludes(command.get_option("--format"))
      ->excludes(command.get_option("--output"));
}

void add_fail_on(CLI::App& command, Options& options) {
  const std::map<std::string, rules::Severity> severities = {{"P0", rules::Severity::kP0},
                                                             {"P1", rules::Severity::kP1},
                                                             {"P2", rules::Severity::kP2},
                                                             {"P3", rules::Severity::kP3}};
  command
      .add_option_function<std::string>(
          "--fail-on", [&options, severities](const std::string& name) { options.fail_on = severities.at(name); },
          "Exit with 1 if a finding is at least this severe (default: never)")
      ->check(CLI::IsMember({"P0", "P1", "P2", "P3"}));
}

CLI::App* add_command(CLI::App& app, Options& options, Command command, const std::string& name,
                      const std::string& what, const std::string& example) {
  CLI::App* sub = app.add_subcommand(name, what);
  sub->callback([&options, command] { options.command = command; });
  sub->footer("Example:\n  " + example);
  return sub;
}

void add_tree_commands(CLI::App& app, Options& options) {
  auto* graph = add_command(app, options, Command::kGraph, "graph",
                            "The dependency graph of the code base, for a language model or a person",
                            "lockstep graph --tokens 20000 megatron/core/transformer/moe");
  add_common(*graph, options, {"llm", "embargo", "json", "callgraph", "dot", "mermaid", "html"});
  graph->add_option("PATH", options.paths, "Files or folders to show (default: all)");
  graph
      ->add_option("--tokens", options.tokens, "Keep to about this many tokens, the parts that matter first (llm only)")
      ->check(CLI::Range(std::size_t{1}, kMostTokens));
  graph
      ->add_option("--around", options.around,
                   "Centre on a function, class or module: how to get there, and what is near (llm only)")
      ->type_name("SYMBOL")
      ->allow_extra_args(false);
  auto* change =
      graph->add_option("--change", options.change, "Centre on what a change touches (llm only)")->type_name("CHANGE");
  graph->add_option("--rev", options.revision, "Revision to read instead of the working tree")->excludes(change);

  auto* trace = add_command(app, options, Command::kTrace, "trace",
                            "Who reaches a symbol, what it reaches, which collectives it issues",
                            "lockstep trace TransformerLayer.forward --to all_reduce");
  add_common(*trace, options, {"md"});
  trace->add_option("SYMBOL", options.symbol, "Qualified name, or the end of one")->required();
  trace->add_option("--to", options.to, "Show the call paths to this symbol");
  trace->add_flag("--collectives", options.collectives, "Show the collective trace only");
  trace->add_option("--rev", options.revision, "Revision to read instead of the working tree");

  auto* check =
      add_command(app, options, Command::kCheck, "check", "Run the rules over a whole tree instead of a change",
                  "lockstep check --fail-on P0 megatron/core");
  add_common(*check, options, {"md", "json", "sarif", "rdjson", "gitlab", "annotations", "html"});
  add_fail_on(*check, options);
  add_html(*check, options);
  check->add_option("PATH", options.paths, "Files or folders to report on (default: all)");
  check->add_option("--rev", options.revision, "Revision to read instead of the working tree");
  check->add_option("--baseline", options.baseline, "Leave out the findings that this file lists")->type_name("FILE");
  check->add_option("--write-baseline", options.write_baseline, "Write all findings as a baseline")->type_name("FILE");

  auto* verify = add_command(
      app, options, Command::kVerify, "verify",
      "Hold a document that anybody wrote against the code: paths, lines, names, quoted code, calls, values",
      "lockstep verify notes.md --change main...my-branch");
  add_common(*verify, options, {"text", "json"});
  verify->add_option("FILE", options.document, "The document (Markdown), or - for standard input")->required();
  auto* about = verify->add_option("--change", options.change, "The change that it is about (default: the tree)")
                    ->type_name("CHANGE");
  verify->add_option("--rev", options.revision, "Revision to read instead of the working tree")->excludes(about);

  auto* rules = add_command(app, options, Command::kRules, "rules", "The rules, or one rule's page",
                            "lockstep rules rank-divergent-collective");
  add_common(*rules, options, {});
  rules->add_option("RULE", options.rule, "Rule to explain");
}

void add_playbook_commands(CLI::App& app, Options& options) {
  auto* playbook =
      app.add_subcommand("playbook", "Hold AGENTS.md, CLAUDE.md and SKILL.md files against the repository");
  playbook->require_subcommand(1);
  auto* check = add_command(*playbook, options, Command::kPlaybookCheck, "check", "What playbooks claim that is not so",
                            "lockstep playbook check --fail-on P1 AGENTS.md");
  add_common(*check, options, {"md", "json", "sarif"});
  add_fail_on(*check, options);
  check->add_option("FILE", options.paths, "Playbooks to hold (default: all that are found, and what they include)");
  check->add_option("--rev", options.revision, "Revision to read instead of the working tree");

  auto* write = add_command(*playbook, options, Command::kPlaybookWrite, "write",
                            "A short AGENTS.md of what is true, or an old one with its stale lines renewed",
                            "lockstep playbook write --update AGENTS.md -o AGENTS.md");
  add_common(*write, options, {});
  write->add_option("--tokens", options.tokens, "At most so many tokens, about four bytes each (default: 1500)")
      ->check(CLI::Range(100, 100000));
  auto* sources = write->add_flag("--sources", options.sources, "Say in a comment on each line where it was read off");
  write->add_option("--update", options.update, "Renew the stale lines of this playbook and leave all others")
      ->type_name("FILE")
      ->excludes(sources);
  write->add_option("--rev", options.revision, "Revision to read instead of the working tree");

  auto* rules = add_command(*playbook, options, Command::kPlaybookRules, "rules",
                            "Entries of lockstep.toml that say what playbooks ask for, to accept by hand",
                            "lockstep playbook rules AGENTS.md");
  add_common(*rules, options, {});
  rules->add_option("FILE", options.paths, "Playbooks to read (default: all that are found, and what they include)");
  rules->add_option("--rev", options.revision, "Revision to read instead of the working tree");
}

void add_agent_commands(CLI::App& app, Options& options) {
  auto* mcp = add_command(app, options, Command::kMcp, "mcp",
                          "Answer an agent over standard input and output (Model Context Protocol)",
                          "lockstep mcp -C path/to/repository");
  mcp->add_option("-C", options.directory, "Repository or folder to read (default: the current one)")
      ->type_name("PATH");
  mcp->add_option("--config", options.config, "Configuration file (default: the repository's lockstep.toml)")
      ->type_name("FILE");
  mcp->add_option("-j,--jobs", options.jobs, "Threads (default: one for each core)")->check(CLI::Range(1, 1024));

  auto* skill = add_command(app, options, Command::kSkill, "skill",
                            "Write a skill that teaches an agent to use Lockstep", "lockstep skill .claude/skills");
  skill->add_option("FOLDER", options.skill_folder, "Where skills are kept (default: .claude/skills)");
  skill->add_flag("--force", options.force, "Replace files that differ");
}

void add_change_commands(CLI::App& app, Options& options) {
  auto* explain =
      add_command(app, options, Command::kExplain, "explain",
                  "Why, what, how and what to watch out for, as a blog post", "lockstep explain main...my-branch");
  auto* dive = add_command(app, options, Command::kDive, "dive", "The deep dive: seven sections, every diagram",
                           "lockstep dive HEAD");
  auto* review =
      add_command(app, options, Command::kReview, "review", "What is wrong with a change, with comments ready to post",
                  "lockstep review --fail-on P0 main...my-branch");
  for (CLI::App* command : {explain, dive, review}) add_model(*command, options);
  for (CLI::App* command : {explain, dive}) add_no_proofread(*command, options);
  for (CLI::App* command : {explain, dive}) {
    add_common(*command, options, {"md"});
    add_change(*command, options);
    add_html(*command, options);
    command
        ->add_option("--lang", options.language,
                     "Language of the fixed sentences: en or zh (default: that of the change's own words)")
        ->type_name("LANGUAGE")
        ->check(CLI::IsMember({"en", "zh"}));
  }
  add_common(*review, options, {"md", "json", "sarif", "rdjson", "github", "gitlab", "annotations", "html"});
  add_change(*review, options);
  add_fail_on(*review, options);
  add_html(*review, options);
  auto* post_flag = review->add_flag("--post", options.post, "Post the review on the pull request that CHANGE names");
  add_posting(*review, options);
  review->get_option("--dry-run")->needs(post_flag);
  review->get_option("--event")->needs(post_flag);

  auto* pack = add_command(app, options, Command::kPack, "pack",
                           "What there is to know of a change as one text, to paste into any chat",
                           "lockstep pack main...my-branch --for review --tokens 30000");
  add_common(*pack, options, {"md"});
  add_change(*pack, options);
  pack->add_option("--for", options.purpose, "What the reader is to write (default: explain)")
      ->check(CLI::IsMember({"explain", "dive", "review"}));
  pack->add_option("--tokens", options.tokens, "Keep to about this many tokens (default: 20000)")
      ->check(CLI::Range(2'000, 2'000'000));
  pack->add_option("--part", options.part, "Of a change whose diff does not fit: this part (default: 1)")
      ->check(CLI::Range(1, 100'000));

  auto* prompts = add_command(app, options, Command::kPrompts, "prompts",
                              "What a language model is told when it writes along, or one of these prompts",
                              "lockstep prompts explain-what");
  add_common(*prompts, options, {});
  prompts->add_option("NAME", options.prompt, "Prompt to show");

  auto* post = add_command(app, options, Command::kPost, "post", "Post a review that `review --format github` wrote",
                           "lockstep post review.json --pr 1234");
  add_common(*post, options, {});
  post->add_option("FILE", options.review_file, "The review, or - for standard input")->required();
  post->add_option("--pr", options.pull_request, "The pull request: a number, OWNER/REPO#1234, or its address")
      ->type_name("PULL_REQUEST")
      ->required();
  add_posting(*post, options);
}

}  // namespace

void define_commands(CLI::App& app, Options& options) {
  app.name("lockstep");
  app.description(
      "Lockstep reads a repository of distributed training code and a change to it, and says what the change does, how "
      "it\n"
      "runs and what is wrong with it. Offline; a language model only where you name one.");
  app.set_version_flag("--version", "lockstep " + std::string(build_version()), "Print the version and exit");
  app.require_subcommand(1);
  add_shared(app, options);
  app.footer(
      "Exit codes: 0 fine, 1 findings at or above --fail-on (verify: something false), 2 could not run.\n"
      "`lockstep COMMAND --help` shows the options of a command and an example.");
  add_change_commands(app, options);
  add_tree_commands(app, options);
  add_playbook_commands(app, options);
  add_agent_commands(app, options);
}

namespace {

/// "./pkg/" and "pkg/../pkg" are "pkg": the tree names files as Git does.
std::string as_git_writes(const std::string& path) {
  std::string plain = std::filesystem::path(path).lexically_normal().generic_string();
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain.empty() ? path : plain;
}

/// The command line without the program's name; `lockstep help review` as `lockstep review --help`.
std::vector<std::string> arguments_of(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  return arguments;
}

}  // namespace

std::variant<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  const std::vector<std::string> arguments = arguments_of(argc, argv);
  CLI::App app;
  define_commands(app, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them backwards.
    if (options.no_proofread && !options.model.is_wanted())
      throw CLI::RequiresError("--no-proofread", "--model or --replay");
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text;
    app.exit(success, text, text);
    return Exit{0, text.str()};
  } catch (const CLI::ParseError& error) {
    return Exit{2, usage_error(command_words(), arguments, error.what())};
  }
  if (options.command == Command::kGraph || options.command == Command::kCheck)
    std::transform(options.paths.begin(), options.paths.end(), options.paths.begin(), as_git_writes);
  const bool is_report = options.command == Command::kReview || options.command == Command::kCheck;
  if (is_report && options.html) {  // the same as `--format html --output FILE`
    options.format = "html";
    options.output = options.html;
  }
  const bool needs_change = options.command == Command::kExplain || options.command == Command::kDive ||
                            options.command == Command::kReview || options.command == Command::kPack;
  if (needs_change && options.change.empty() && !options.worktree) {
    return Exit{2,
                "lockstep: no change named\nName one: BASE..HEAD, a commit, a pull request, a patch file, - for "
                "standard input, or --worktree "
                "for uncommitted work.\n"};
  }
  return options;
}

}  // namespace lockstep::cli
