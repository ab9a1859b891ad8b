#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/manual.h"

namespace lockstep::cli {

namespace {

enum class Values { kNone, kChoices, kFiles, kFolders, kRevisions, kRules };

Values values_of(const OptionWords& option) {
  if (option.is_flag()) return Values::kNone;
  if (!option.choices.empty()) return Values::kChoices;
  const std::string& name = option.value;
  if (name == "FOLDER" || option.names.front() == "-C") return Values::kFolders;
  if (name.starts_with("FILE") || name == "PATH") return Values::kFiles;
  if (name == "CHANGE" || name == "REV") return Values::kRevisions;
  if (name == "RULE") return Values::kRules;
  return Values::kNone;
}

bool is_within(const CommandWords& command, const CommandWords& group) {
  return command.name.starts_with(group.name + " ");
}

/// Commands that stand directly below `group` (the program itself: the first word of each).
std::vector<const CommandWords*> commands_below(const std::vector<CommandWords>& all, const CommandWords& group) {
  std::vector<const CommandWords*> below;
  for (const CommandWords& one : all) {
    if (one.name.empty()) continue;
    const bool is_top = one.name.find(' ') == std::string::npos;
    if (group.name.empty() ? is_top : is_within(one, group)) below.push_back(&one);
  }
  return below;
}

std::string_view last_word(std::string_view name) { return name.substr(name.rfind(' ') + 1); }

/// Names of all options that take a value.
std::vector<std::string> names_with_values(const std::vector<CommandWords>& all) {
  std::set<std::string> names;
  for (const CommandWords& command : all) {
    for (const OptionWords& option : command.options) {
      if (!option.is_flag() && !option.is_positional) names.insert(option.names.begin(), option.names.end());
    }
  }
  return {names.begin(), names.end()};
}

/// Commands that only have commands, each with a blank before it.
std::vector<std::string> groups_of(const std::vector<CommandWords>& all) {
  std::vector<std::string> groups;
  for (const CommandWords& command : all) {
    if (command.is_group && !command.name.empty()) groups.push_back(fmt::format(" {}", command.name));
  }
  return groups;
}

/// In single quotes of bash and zsh.
std::string shell_quoted(std::string_view text) { return fmt::format("'{}'", replace_all(text, "'", "'\\''")); }
/// In single quotes of fish.
std::string fish_quoted(std::string_view text) {
  return fmt::format("'{}'", replace_all(replace_all(text, "\\", "\\\\"), "'", "\\'"));
}

// --- bash

std::string bash_action(const OptionWords& option) {
  switch (values_of(option)) {
    case Values::kNone:
      return ":";
    case Values::kChoices:
      return fmt::format("_lockstep_words \"$cur\" {}", fmt::join(option.choices, " "));
    case Values::kFiles:
      return "_lockstep_files \"$cur\" -f";
    case Values::kFolders:
      return "_lockstep_files \"$cur\" -d";
    case Values::kRevisions:
      return "_lockstep_revisions \"$cur\"";
    case Values::kRules:
      return "_lockstep_words \"$cur\" $(lockstep rules 2>/dev/null | cut -d ' ' -f 1)";
  }
  return ":";
}

constexpr std::string_view kBashStart = R"SH(# bash completion of lockstep; made by lockstep-manual.
# Adds lines to the answers. No process substitution: it needs /proc, which small containers may lack.
_lockstep_take() {
  local line
  while IFS= read -r line; do [[ -n $line ]] && COMPREPLY+=("$line"); done <<<"$1"
}
_lockstep_words() {
  local cur=$1
  shift
  _lockstep_take "$(compgen -W "$*" -- "$cur")"
}
_lockstep_files() {
  compopt -o filenames 2>/dev/null
  _lockstep_take "$(compgen "$2" -- "$1")"
}
# Branches and tags, also behind "BASE.." and "BASE..."; and files, for patches.
_lockstep_revisions() {
  local rest=${1##*..}
  local before=${1%"$rest"}
  local names
  names=$(git for-each-ref --format='%(refname:short)' 2>/dev/null)
  _lockstep_take "$(compgen -P "$before" -W "HEAD $names" -- "$rest")"
  [[ -n $before ]] || _lockstep_take "$(compgen -f -- "$1")"
}
_lockstep() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' skip='' word i
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    [[ $word == '=' ]] && continue
    if [[ -n $skip ]]; then skip=''; continue; fi
)SH";

}  // namespace

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string out(kBashStart);
  out += fmt::format("    case $word in\n      {}) skip=1 ;;\n      -*) ;;\n",
                     fmt::join(names_with_values(commands), "|"));
  out += fmt::format(
      "      *) if [[ -z $command ]]; then command=$word; elif [[ '{} ' == *\" $command \"* ]]; then command+=\" "
      "$word\"; "
      "fi ;;\n    esac\n  done\n",
      fmt::join(groups_of(commands), ""));
  out += "  COMPREPLY=()\n  case \"$command:$prev\" in\n";
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (option.is_flag() || option.is_positional) continue;
      std::string patterns;
      for (const std::string& name : option.names)
        patterns += fmt::format("{}'{}:{}'", patterns.empty() ? "" : "|", command.name, name);
      out += fmt::format("    {}) {}; return ;;\n", patterns, bash_action(option));
    }
  }
  out += "  esac\n  case \"$command:$cur\" in\n";
  for (const CommandWords& command : commands) {
    std::string names, action;
    for (const OptionWords& option : command.options) {
      if (!option.is_positional) names += fmt::format(" {}", fmt::join(option.names, " "));
      if (option.is_positional && action.empty()) action = bash_action(option);
    }
    out += fmt::format("    '{}':-*) _lockstep_words \"$cur\"{} ;;\n", command.name, names);
    std::string below;
    for (const CommandWords* one : commands_below(commands, command)) below += fmt::format(" {}", last_word(one->name));
    const bool is_list = command.name.empty() || command.is_group;
    if (is_list) action = "_lockstep_words \"$cur\"" + below;
    if (!action.empty()) out += fmt::format("    '{}':*) {} ;;\n", command.name, action);
  }
  return out + "  esac\n}\ncomplete -F _lockstep lockstep\n";
}

// --- zsh

namespace {

std::string zsh_action(const OptionWords& option) {
  switch (values_of(option)) {
    case Values::kNone:
      return " ";
    case Values::kChoices:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case Values::kFiles:
      return "_files";
    case Values::kFolders:
      return "_files -/";
    case Values::kRevisions:
      return "_lockstep_revisions";
    case Values::kRules:
      return "_lockstep_rules";
  }
  return " ";
}

std::string zsh_argument(const OptionWords& option) {
  if (option.is_positional) {
    const std::string_view place = option.takes_many ? "*" : option.is_required ? "1" : "1";
    return shell_quoted(fmt::format("{}:{}:{}", place, option.names.front(), zsh_action(option)));
  }
  const std::string what = replace_all(replace_all(option.what, "[", "\\["), "]", "\\]");
  std::string out;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const std::string value = option.is_flag()
                                  ? std::string()
                                  : fmt::format(":{}:{}", replace_all(option.value, ":", "\\:"), zsh_action(option));
    out += fmt::format("{}{}", out.empty() ? "" : " ",
                       shell_quoted(fmt::format("({}){}{}[{}]{}", fmt::join(option.names, " "), name,
                                                is_long && !option.is_flag() ? "=" : "", what, value)));
  }
  return out;
}

std::string zsh_arguments(const CommandWords& command) {
  std::string out = "_arguments -s";
  for (const OptionWords& option : command.options) out += " \\\n        " + zsh_argument(option);
  return out;
}

std::string zsh_function(std::string_view name) {
  return fmt::format("_lockstep_{}", replace_all(replace_all(name, " ", "_"), "-", "_"));
}

// A function that completes commands below `group`, and their arguments behind them.
std::string zsh_group(const std::vector<CommandWords>& commands, const CommandWords& group) {
  const std::string name = group.name.empty() ? "_lockstep" : zsh_function(group.name + " command");
  std::string out = name + "() {\n  local context state state_descr line ret=1\n  typeset -A opt_args\n  _arguments -C";
  for (const OptionWords& option : group.options) out += " \\\n    " + zsh_argument(option);
  out +=
      " \\\n    '1: :->command' '*:: :->argument' && ret=0\n  case $state in\n    command)\n      local -a "
      "commands=(\n";
  const std::vector<const CommandWords*> below = commands_below(commands, group);
  for (const CommandWords* one : below)
    out += fmt::format("        {}\n", shell_quoted(fmt::format("{}:{}", last_word(one->name), one->what)));
  out +=
      "      )\n      _describe -t commands command commands && ret=0\n      ;;\n    argument)\n      case $words[1] "
      "in\n";
  for (const CommandWords* one : below) {
    const std::string call = one->is_group ? zsh_function(one->name + " command") : zsh_arguments(*one);
    out += fmt::format("      {}) {} && ret=0 ;;\n", last_word(one->name), call);
  }
  return out + "      esac\n      ;;\n  esac\n  return ret\n}\n";
}

constexpr std::string_view kZshStart = R"SH(#compdef lockstep
# zsh completion of lockstep; made by lockstep-manual.
_lockstep_revisions() {
  local -a revisions=(HEAD ${(f)"$(git for-each-ref --format='%(refname:short)' 2>/dev/null)"})
  if compset -P '*..(.|)'; then
    _describe -t revisions revision revisions
  else
    _alternative 'revisions:revision:compadd -a revisions' 'files:patch:_files'
  fi
}
_lockstep_rules() {
  local -a rules=(${${(f)"$(lockstep rules 2>/dev/null)"}%% *})
  _describe -t rules rule rules
}
)SH";

}  // namespace

std::string zsh_completion(const std::vector<CommandWords>& commands) {
  std::string out(kZshStart);
  for (const CommandWords& command : commands) {
    if (command.is_group && !command.name.empty()) out += zsh_group(commands, command);
  }
  return out + zsh_group(commands, commands.front()) + "_lockstep \"$@\"\n";
}

// --- fish

namespace {

constexpr std::string_view kFishStart = R"SH(# fish completion of lockstep; made by lockstep-manual.
function __lockstep_revisions
    set -l rest (string replace -r '^.*\.\.' '' -- (commandline -ct))
    set -l before (string replace -r -- (string escape --style=regex -- "$rest")'$' '' (commandline -ct))
    for one in HEAD (git for-each-ref --format='%(refname:short)' 2>/dev/null)
        echo $before$one
    end
end
)SH";

std::string fish_values(const OptionWords& option) {
  switch (values_of(option)) {
    case Values::kNone:
      return option.is_flag() ? "" : " -x";
    case Values::kChoices:
      return fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    case Values::kFiles:
      return " -r -F";
    case Values::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case Values::kRevisions:
      return " -x -a '(__lockstep_revisions)'";
    case Values::kRules:
      return " -x -a '(lockstep rules 2>/dev/null | string replace -r \" .*\" \"\")'";
  }
  return "";
}

std::string fish_option(const std::string& condition, const OptionWords& option) {
  std::string out = fmt::format("complete -c lockstep -n {}", condition);
  if (option.is_positional) {
    // Without " -x" and " -r", which say that an option takes a value.
    const std::string values = fish_values(option);
    if (values.size() <= 3) return {};
    const bool may_be_patch = values_of(option) == Values::kRevisions;
    return fmt::format("{}{}{}\n", out, values.substr(3), may_be_patch ? " -F" : "");
  }
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
  return out + fish_values(option) + " -d " + fish_quoted(option.what) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<CommandWords>& commands) {
  std::string out(kFishStart);
  out += fmt::format(
      "function __lockstep_is\n    set -l words (commandline -opc)\n    set -l skip 0\n    set -l command\n"
      "    for word in $words[2..-1]\n        if test $skip = 1\n            set skip 0\n            continue\n        "
      "end\n"
      "        switch $word\n            case {}\n                set skip 1\n            case '-*'\n"
      "            case '*'\n                if test (count $command) = 0\n                    set command $word\n"
      "                else if contains -- \"$command\"{}\n                    set command \"$command $word\"\n"
      "                end\n        end\n    end\n    test \"$command\" = \"$argv\"\nend\n",
      fmt::join(names_with_values(commands), " "), fmt::join(groups_of(commands), ""));
  out += "complete -c lockstep -f\n";
  for (const CommandWords& command : commands) {
    const std::string condition = fish_quoted(fmt::format("__lockstep_is {}", command.name));
    if (command.name.empty() || command.is_group) {
      for (const CommandWords* one : commands_below(commands, command))
        out += fmt::format("complete -c lockstep -n {} -a {} -d {}\n", condition, last_word(one->name),
                           fish_quoted(one->what));
    }
    for (const OptionWords& option : command.options) out += fish_option(condition, option);
  }
  return out;
}

}  // namespace lockstep::cli
