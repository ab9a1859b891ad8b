#include "cli/command_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/strings.h"
#include "cli/command_line.h"

namespace lockstep::cli {

namespace {

// "{md,json}" and "{auto->0,always->1}" of CLI11's descriptions of validators.
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return choices;
  for (const std::string_view one : split(std::string_view(type).substr(open + 1, close - open - 1), ','))
    choices.emplace_back(one.substr(0, one.find("->")));
  std::sort(choices.begin(), choices.end());
  return choices;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  const std::string type = option.get_type_name();
  words.is_positional = !option.get_positional();
  words.is_positional = option.get_snames().empty() && option.get_lnames().empty();
  words.choices = choices_of(type);
  words.what = option.get_description();
  words.is_required = option.get_required();
  words.takes_many = option.get_items_expected_max() > 1;
  if (words.is_positional) {
    words.names.push_back(option.get_name(true, false));
    words.value = words.names.front();
    return words;
  }
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (option.get_type_size_max() > 0) {
    words.value = type.substr(0, type.find(':'));
    const bool is_number = words.value == "INT" || words.value == "UINT";
    words.value = is_number ? "N" : words.value == "TEXT" ? "VALUE" : words.value;
  }
  return words;
}

CommandWords words_of(const CLI::App& app, const std::string& name) {
  CommandWords words{name, app.get_description(), {}, {}, app.get_require_subcommand_min() > 0};
  const std::string footer = app.get_footer();
  constexpr std::string_view kExample = "Example:\n  ";
  if (footer.starts_with(kExample)) words.example = footer.substr(kExample.size());
  for (const CLI::Option* option : app.get_options()) words.options.push_back(words_of(*option));
  std::stable_partition(words.options.begin(), words.options.end(),
                        [](const OptionWords& option) { return option.is_positional; });
  return words;
}

}  // namespace

std::vector<CommandWords> command_words() {
  Options options;
  CLI::App app;
  define_commands(app, options);
  std::vector<CommandWords> all = {words_of(app, "")};
  for (const CLI::App* command : app.get_subcommands({})) {
    all.push_back(words_of(*command, command->get_name()));
    for (const CLI::App* inner : command->get_subcommands({}))
      all.push_back(words_of(*inner, command->get_name() + " " + inner->get_name()));
  }
  return all;
}

}  // namespace lockstep::cli
