#include "report/documents/tests/test_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/tests/test_code.h"
#include "report/source/code.h"
#include "report/ways/objects/class_uses.h"
#include "report/ways/scripts/script_reach.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// A word that a command line asks for, where the first one stands and in how many files.
struct Asked {
  std::string word;
  std::string option;
  std::string place;
  std::size_t files = 0;
};

/// The option before the word at `at` on its line, where nothing but its values stand between: `--passes a word`.
std::string_view option_before(std::string_view bytes, std::size_t at) {
  const std::size_t line = bytes.rfind('\n', at) + 1;
  std::string_view before = bytes.substr(line, at - line);
  const std::size_t dashes = before.rfind("--");
  if (dashes == std::string_view::npos || before.find('#') < dashes) return {};
  const auto is_option = [](char c) { return is_name_char(c) || c == '.' || c == '-'; };
  std::size_t end = dashes + 2;
  while (end < before.size() && is_option(before[end])) ++end;
  const std::string_view rest = before.substr(end);
  const bool are_values = !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) {
    return is_name_char(c) || std::string_view(" \t=:,'\"").find(c) != std::string_view::npos;
  });
  return are_values && end > dashes + 2 ? before.substr(dashes, end - dashes) : std::string_view();
}

bool may_hold_commands(std::string_view path) {
  static constexpr std::string_view kKinds[] = {".py", ".sh", ".toml", ".yaml", ".yml"};
  return program::is_test_path(path) &&
         std::any_of(std::begin(kKinds), std::end(kKinds), [&](auto kind) { return path.ends_with(kind); });
}

/// Those of the words that command lines in files of tests ask for, each with the first place: files that the change
/// touches come before others.
std::vector<Asked> asked_in_tests(const DocumentInputs& inputs, const std::vector<std::string>& words) {
  constexpr std::uint64_t kLargest = 200'000;
  std::vector<Asked> found(words.size());
  const auto look = [&](std::string_view path, std::string_view bytes) {
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::size_t at = find_name(bytes, words[w]); at != std::string_view::npos;
           at = find_name(bytes, words[w], at + 1)) {
        const std::string_view option = option_before(bytes, at);
        if (option.empty()) continue;
        if (++found[w].files == 1) {
          const auto line = std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at), '\n');
          found[w].word = words[w];
          found[w].option = option;
          found[w].place = place(path, static_cast<std::uint32_t>(line));
        }
        break;
      }
    }
  };
  std::set<std::string_view> touched;
  for (const change::FileSummary& file : inputs.change->files) touched.insert(file.file->new_path);
  for (const bool is_touched : {true, false}) {
    for (std::size_t i = 0; i < inputs.after_files->files().size(); ++i) {
      const repo::FileEntry& file = inputs.after_files->files()[i];
      if (file.kind != repo::FileKind::file || file.size_bytes > kLargest || !may_hold_commands(file.path) ||
          touched.contains(file.path) != is_touched)
        continue;
      if (const program::ModuleId module = inputs.after->find_path(file.path); module.valid()) {
        look(file.path, inputs.after->modules()[module].facts->source().bytes());
      } else if (const auto bytes = inputs.after_files->read(i)) {
        look(file.path, *bytes);
      }
    }
  }
  std::erase_if(found, [](const Asked& one) { return one.files == 0; });
  return found;
}

struct TableKey {
  std::string table;
  std::string key;
};

/// Where a table of a module outside tests holds the function: `PASSES = {"regional": regional_pass}`.
std::optional<TableKey> key_of(const Program& program, FunctionId function) {
  constexpr std::size_t kMostPlaces = 60;
  if (program.functions()[function].owner.valid() || program.functions()[function].enclosing.valid())
    return std::nullopt;
  std::optional<TableKey> found;
  std::size_t places = 0;
  for_each_place(program, program.functions()[function].name, [&](program::ModuleId id, std::uint32_t at) {
    if (++places > kMostPlaces || found) return false;
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path)) return true;
    const std::vector<const Node*> around = chain_to(module.facts->tree(), {at, at + 1});
    const auto* dict = around.size() < 2 ? nullptr : as<Dict>(around[around.size() - 2]);
    const auto* assign = around.size() < 3 ? nullptr : as<Assign>(around[around.size() - 3]);
    const auto* name = around.empty() ? nullptr : as<Name>(around.back());
    if (dict == nullptr || assign == nullptr || name == nullptr || assign->targets.size() != 1) return true;
    if (program.resolve(program.function_at(id, at), *name).function != function) return true;
    for (std::size_t i = 0; i < dict->values.size(); ++i) {
      const std::string_view key = dict->values[i] == name ? rules::text_of(dict->keys[i]) : std::string_view();
      if (key.size() > 3) found = {std::string(rules::name_of(assign->targets[0])), std::string(key)};
    }
    if (found && found->table.empty()) found.reset();
    return true;
  });
  return found;
}

/// Functions of modules outside tests that give the `Config` of the class, and those that call them for it.
std::vector<FunctionId> givers_of_config(const Program& program, ClassId cls) {
  constexpr std::size_t kMost = 40;
  const ClassId config = program.find_class(program.classes()[cls].qualified_name + ".Config");
  if (!config.valid()) return {};
  std::vector<FunctionId> out;
  const auto add = [&](program::CallId call) {
    const FunctionId caller = program.calls()[call].caller;
    const program::Function& row = program.functions()[caller];
    if (row.kind == program::FunctionKind::kFunction && !row.owner.valid() &&
        !program::is_test_path(program.module_of(caller).path) && out.size() < kMost &&
        std::find(out.begin(), out.end(), caller) == out.end())
      out.push_back(caller);
  };
  const MadeClasses made(program);
  for (const program::CallId call : made.makers_of(config)) add(call);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const program::CallId call : program.callers_of(out[i])) {
      if (program.module_of(program.calls()[call].caller).path == program.module_of(out[i]).path) add(call);
    }
  }
  return out;
}

/// "`--config a` (tests/x.py:3), `--config b` (tests/x.py:9) and 4 more".
std::string words_of(const std::vector<Asked>& all) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> out;
  for (const Asked& asked : all) {
    if (out.size() == kMost && all.size() > kMost + 1) {
      out.push_back(fmt::format("{} more", all.size() - kMost));
      break;
    }
    out.push_back(fmt::format("{} ({})", code(asked.option + " " + asked.word), asked.place));
  }
  return join_words(out);
}

}  // namespace

std::string commands_that_ask(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  const Actor& actor = story.actor(index);
  if (inputs.after_files == nullptr || !actor.change->after || !actor.change->after->function.valid()) return {};
  const Program& program = *inputs.after;
  const FunctionId function = actor.change->after->function;
  if (program::is_test_path(program.module_of(function).path)) return {};
  const std::string not_followed = "; whether such a run comes to what changed was not followed";
  if (const auto held = key_of(program, function)) {
    if (const std::vector<Asked> asked = asked_in_tests(inputs, {held->key}); !asked.empty())
      return fmt::format("Command lines of tests give {}, and {} has {} under that key{}", words_of(asked),
                         code(held->table), code(short_name(program, function)), not_followed);
  }
  ClassId cls = program.functions()[function].owner;
  if (index < story.origins.size() && story.origins[index].made.valid()) cls = story.origins[index].made;
  if (!cls.valid()) return {};
  std::vector<std::string> words;
  for (const FunctionId giver : givers_of_config(program, cls)) words.emplace_back(program.functions()[giver].name);
  const std::vector<Asked> asked = words.empty() ? std::vector<Asked>() : asked_in_tests(inputs, words);
  if (asked.empty()) return {};
  return fmt::format("Command lines of tests give {}, {} of {} a {}{}", words_of(asked),
                     asked.size() == 1 ? "the name" : "the names",
                     asked.size() == 1 ? "a function that configures" : "functions that configure",
                     code(short_name(program, cls)), not_followed);
}

std::string runs_of_tests(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  std::string asked = commands_that_ask(inputs, story, index);
  return asked.empty() ? tests_that_start(inputs, story, index) : asked;
}

}  // namespace lockstep::report
