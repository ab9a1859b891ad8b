#include "cli/usage_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/secrets.h"
#include "base/strings.h"
#include "render/text_safety.h"

namespace lockstep::cli {

namespace {

/// "; did you mean 'check'?" of the one that is nearest; empty where none is near.
std::string guess(std::string_view wanted, const std::vector<std::string>& known, std::string_view prefix = {}) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::vector<std::string> near = nearest_names(wanted, candidates, 1);
  // Of very short words anything would be near: "-x" is not "-q" mistyped.
  if (near.empty() || typing_distance(wanted, near.front(), wanted.size()) >= wanted.size()) return {};
  near.front().insert(0, prefix);
  return "; " + did_you_mean(near);
}

std::string said(std::string_view text) { return render::visible_text(without_secrets(text), false); }

const OptionWords* find_option(const CommandWords& command, std::string_view name) {
  for (const OptionWords& option : command.options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end() && !option.is_positional)
      return &option;
  }
  return nullptr;
}

const CommandWords* find_command(const std::vector<CommandWords>& commands, std::string_view name) {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const CommandWords& one) { return one.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

std::string help_of(const CommandWords& command) {
  return command.name.empty() ? "`lockstep --help` lists the commands and their options\n"
                              : fmt::format("`lockstep {} --help` shows its options and an example\n", command.name);
}

std::string unknown_command(const std::vector<CommandWords>& commands, const CommandWords& group,
                            std::string_view word) {
  std::vector<std::string> known;
  const std::string prefix = group.name.empty() ? std::string() : fmt::format("{} ", group.name);
  for (const CommandWords& one : commands) {
    if (one.name.size() > prefix.size() && one.name.starts_with(prefix))
      known.push_back(one.name.substr(prefix.size()));
  }
  std::erase_if(known, [](const std::string& name) { return contains(name, " "); });
  return fmt::format("lockstep: there is no command '{}{}'{}\n{}", prefix, said(word), guess(word, known, prefix),
                     help_of(group));
}

std::string unknown_option(const CommandWords& command, std::string_view name) {
  std::vector<std::string> known;
  for (const OptionWords& option : command.options) {
    if (!option.is_positional) known.insert(known.end(), option.names.begin(), option.names.end());
  }
  const std::string of = command.name.empty() ? "there is no option" : fmt::format("`{}` has no option", command.name);
  return fmt::format("lockstep: {} '{}'{}\n{}", of, said(name), guess(name, known), help_of(command));
}

/// "--format: jsn not in {md,json}" with what was probably meant of these.
std::string with_guess(std::string_view problem) {
  constexpr std::string_view kNotIn = " not in {";
  const std::size_t at = problem.find(kNotIn);
  const std::size_t colon = problem.find(": ");
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at || !problem.ends_with('}'))
    return std::string(problem);
  const std::string_view list = problem.substr(at + kNotIn.size());
  const std::vector<std::string_view> all = split(list.substr(0, list.size() - 1), ',');
  return fmt::format("{}{}", problem, guess(problem.substr(colon + 2, at - colon - 2), {all.begin(), all.end()}));
}

}  // namespace

std::string usage_error(const std::vector<CommandWords>& commands, const std::vector<std::string>& arguments,
                        std::string_view otherwise) {
  const CommandWords* command = &commands.front();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") break;
    if (word.size() > 1 && word.starts_with('-')) {
      const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
      const OptionWords* option = find_option(*command, name);
      if (option == nullptr) return unknown_option(*command, name);
      const bool has_value_here = word.size() > name.size();
      if (option->is_flag() || has_value_here) continue;
      ++i;
      // "--html -C repo": what follows is an option of its own, taken for the value.
      if (i < arguments.size() && find_option(*command, arguments[i]) != nullptr)
        return fmt::format("lockstep: {} needs a value ({}), and the option '{}' follows it\n{}", name, option->value,
                           said(arguments[i]), help_of(*command));
      continue;
    }
    if (!command->name.empty() && !command->is_group) continue;  // its own argument
    const CommandWords* inner =
        find_command(commands, command->name.empty() ? word : fmt::format("{} {}", command->name, word));
    if (inner == nullptr) return unknown_command(commands, *command, word);
    command = inner;
  }
  if (command->name.empty()) return fmt::format("lockstep: no command named\n{}", help_of(*command));
  if (command->is_group) return fmt::format("lockstep: which `{}` command?\n{}", command->name, help_of(*command));
  // "-C: 1 required PATH missing" is the library's word for a value that was left out.
  constexpr std::string_view kRequired = ": 1 required ", kMissing = " missing";
  const std::size_t at = otherwise.find(kRequired);
  if (at != std::string_view::npos && otherwise.ends_with(kMissing)) {
    const std::size_t value = at + kRequired.size();
    return fmt::format("lockstep: {} needs a value ({})\n{}", said(otherwise.substr(0, at)),
                       said(otherwise.substr(value, otherwise.size() - kMissing.size() - value)), help_of(*command));
  }
  // `git diff A B` is a habit.
  const bool takes_change = std::any_of(command->options.begin(), command->options.end(), [](const OptionWords& one) {
    return one.is_positional && !one.names.empty() && one.names.front() == "CHANGE";
  });
  const bool is_second = otherwise.starts_with("The following argument was not expected: ");
  return fmt::format("lockstep: {}{}\n{}", said(with_guess(otherwise)),
                     takes_change && is_second ? "; two revisions are written as one, `A..B`" : "", help_of(*command));
}

}  // namespace lockstep::cli
