#include "cli/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace lockstep::cli {

namespace {

// Backslashes and hyphens have a meaning in man(7), dots and quotes at the start of a line too.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string names_text(const OptionWords& option) {
  std::string out;
  for (const std::string& name : option.names)
    out += fmt::format("{}\\fB{}\\fR", out.empty() ? "" : ", ", escaped(name));
  if (!option.value.empty()) out += fmt::format(" \\fI{}\\fR", escaped(option.value));
  return out;
}

std::string option_text(const OptionWords& option) {
  const bool are_told = std::all_of(option.choices.begin(), option.choices.end(),
                                    [&](const std::string& choice) { return contains(option.what, choice); });
  const std::string choices = are_told ? std::string() : fmt::format(" One of {}.", fmt::join(option.choices, ", "));
  return fmt::format(
      ".TP\n{}\n{}{}{}\n",
      option.is_positional ? fmt::format("\\fI{}\\fR", escaped(option.names.front())) : names_text(option),
      escaped(option.what), option.what.ends_with('.') ? "" : ".", escaped(choices));
}

std::string synopsis_of(const CommandWords& command) {
  std::string out = fmt::format("\\fBlockstep {}\\fR [\\fIoptions\\fR]", escaped(command.name));
  for (const OptionWords& option : command.options) {
    if (!option.is_positional) continue;
    const std::string name = fmt::format("\\fI{}\\fR{}", escaped(option.names.front()), option.takes_many ? "..." : "");
    out += option.is_required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
  }
  return out;
}

constexpr std::string_view kDescription =
    ".SH DESCRIPTION\n"
    "Lockstep reads a repository of distributed training code and a change to it, and says what the change does, how "
    "it\n"
    "runs and what is wrong with it. It works offline and without a model; only pull requests are asked of GitHub.\n"
    "The code that it reads is never run.\n"
    ".PP\n"
    "A \\fICHANGE\\fR is \\fIBASE\\fR..\\fIHEAD\\fR, \\fIBASE\\fR...\\fIHEAD\\fR (from the merge base), a single "
    "commit,\n"
    "a pull request on GitHub (its number, \\fIOWNER/REPO#NUMBER\\fR, or its address), a patch file, or \\- for a "
    "patch "
    "on\nstandard input.\n"
    "Documents go to standard output as Markdown, remarks to standard error.\n";

constexpr std::string_view kEnd =
    ".SH EXIT STATUS\n"
    ".TP\n0\nFine.\n"
    ".TP\n1\nFindings at or above \\fB\\-\\-fail\\-on\\fR; of \\fBverify\\fR: something is false.\n"
    ".TP\n2\nCould not run; standard error says why and what to do next.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBGH_TOKEN\\fR, \\fBGITHUB_TOKEN\\fR\nWith which GitHub is asked. Without them, what \\fBgh auth token\\fR "
    "gives;\nelse nobody's name.\n"
    ".TP\n\\fBGITHUB_API_URL\\fR\nThe REST API of a GitHub Enterprise Server.\n"
    ".TP\n\\fBOPENAI_API_KEY\\fR, \\fBANTHROPIC_API_KEY\\fR, \\fBLOCKSTEP_API_KEY\\fR\nThe key of the vendors' servers "
    "for\n\\fB\\-\\-model\\fR, and of another one; the configuration can name a variable of your own.\n"
    ".TP\n\\fBHTTPS_PROXY\\fR, \\fBNO_PROXY\\fR\nAs of curl(1).\n"
    ".SH FILES\n"
    ".TP\n\\fIlockstep.toml\\fR\nSettings of a repository; or the table \\fBtool.lockstep\\fR of "
    "\\fIpyproject.toml\\fR. Of a change the\nside before it counts.\n"
    ".TP\n\\fI~/.config/lockstep/config.toml\\fR\nYour own settings: the table \\fBmodel\\fR, which no repository can "
    "set.\n"
    ".SH SEE ALSO\ngit(1), gh(1)\n";

}  // namespace

std::string manual_page(const std::vector<CommandWords>& commands, std::string_view version) {
  std::string out = fmt::format(".TH LOCKSTEP 1 \"\" \"lockstep {}\" \"User Commands\"\n", escaped(version));
  out += ".SH NAME\nlockstep \\- review distributed training code\n.SH SYNOPSIS\n";
  for (const CommandWords& command : commands) {
    if (command.name.empty() || command.is_group) continue;
    out += synopsis_of(command) + "\n.br\n";
  }
  out += kDescription;
  out += ".SH OPTIONS\nThese may stand before the command too.\n";
  for (const OptionWords& option : commands.front().options) out += option_text(option);
  out += ".SH COMMANDS\n";
  for (const CommandWords& command : commands) {
    if (command.name.empty() || command.is_group) continue;
    out += fmt::format(".SS {}\n{}.\n", escaped(command.name), escaped(command.what));
    for (const OptionWords& option : command.options) {
      const bool is_common = std::any_of(commands.front().options.begin(), commands.front().options.end(),
                                         [&](const OptionWords& other) { return other.names == option.names; });
      if (!is_common) out += option_text(option);
    }
    if (!command.example.empty())
      out += fmt::format(".PP\nExample:\n.PP\n.RS\n.nf\n{}\n.fi\n.RE\n", escaped(command.example));
  }
  return out + std::string(kEnd);
}

}  // namespace lockstep::cli
