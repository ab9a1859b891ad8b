#include "report/documents/runs/changed_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "repo/diff.h"
#include "report/document.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// An option as a command line gives it.
struct Option {
  std::string name;  ///< With its dashes.
  std::string value;
  std::uint32_t line = 0;
};

/// `spmd_backend` of `--parallelism.spmd-backend`.
std::string setting_of(const Option& option) {
  std::string name = option.name.substr(option.name.find_first_not_of('-'));
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_text(const Expr* item) {
  const auto* text = as<Constant>(item);
  return text != nullptr && text->constant_kind == ConstantKind::kStr;
}

/// The options of a list of texts: `["--a b", "--c", "d"]`.
std::vector<Option> options_of(const python::List& list, const SourceText& source) {
  std::vector<Option> out;
  for (const Expr* item : list.elements) {
    if (!is_text(item)) continue;
    for (std::string_view word : split(as<Constant>(item)->text, ' ')) {
      word = trim(word);
      if (word.empty()) continue;
      if (!word.starts_with("--") || word.size() < 4) {
        if (out.empty()) continue;
        if (!out.back().value.empty()) out.back().value += ' ';
        out.back().value += word;
        continue;
      }
      const std::size_t equals = word.find('=');
      Option option{std::string(word.substr(0, equals)), {}, source.line_of(item->span.begin)};
      if (equals != std::string_view::npos) option.value = word.substr(equals + 1);
      out.push_back(std::move(option));
    }
  }
  return out;
}

/// The name of the run among the texts that the call around its list is given: the last one that has no blank.
std::string name_of_run(const Call* call) {
  std::string out;
  if (call == nullptr) return out;
  const auto take = [&](const Expr* value) {
    const std::string_view text = is_text(value) ? as<Constant>(value)->text : std::string_view();
    if (!text.empty() && text.size() < 80 && !contains(text, " ") && !contains(text, "\n")) out = text;
  };
  for (const Expr* argument : call->arguments) take(argument);
  if (out.empty()) {
    for (const Keyword* keyword : call->keywords) take(keyword->value);
  }
  return out;
}

/// Names of settings on which the change turns, with the texts that give their defaults; empty text: not known.
class Mattering {
 public:
  explicit Mattering(const Story& story) {
    for (const Flag& flag : story.flags) {
      if (!flag.is_fixed) add(flag.name, flag.default_value);
    }
    for (const std::size_t index : story.central) {
      const Actor& actor = story.actors[index];
      if (!actor.change->after || actor.steps.after_source == nullptr) continue;
      folders_of(actor.change->after->path);
      for (const Step& step : actor.steps.after) {
        if (step.status == StepStatus::kKept) continue;
        if (const auto* branch = as<If>(step.node)) {
          for (const std::string& name : config_reads(*branch->condition)) add(name, {});
        }
      }
    }
  }

  [[nodiscard]] bool is_one(const Option& option) const {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.first == setting_of(option); });
    if (found == all_.end()) return false;
    std::string_view initial = found->second;
    if (initial.size() > 1 && (initial.front() == '"' || initial.front() == '\''))
      initial = initial.substr(1, initial.size() - 2);
    return initial.empty() || to_lower(initial) != to_lower(option.value);
  }
  [[nodiscard]] bool is_folder(const Option& option) const { return folders_.contains(option.value); }

 private:
  void add(std::string name, std::string initial) {
    name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
    std::replace(name.begin(), name.end(), '-', '_');
    const auto is_known = [&](const auto& one) { return one.first == name; };
    if (std::none_of(all_.begin(), all_.end(), is_known)) all_.emplace_back(std::move(name), std::move(initial));
  }
  void folders_of(std::string_view path) {
    const std::vector<std::string_view> parts = split(path, '/');
    // The outermost folder holds everything.
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) folders_.emplace(parts[i]);
  }

  std::vector<std::pair<std::string, std::string>> all_;
  std::set<std::string> folders_;
};

}  // namespace

std::vector<ChangedRun> changed_runs(const DocumentInputs& inputs, const Story& story) {
  std::vector<ChangedRun> out;
  if (story.only_tests) return out;
  std::optional<Mattering> matters;
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->new_path;
    if (!path.ends_with(".py") || !program::is_test_path(path) || file.lines_added == 0) continue;
    const program::ModuleId after = inputs.after->find_path(path);
    if (!after.valid()) continue;
    const SourceText& source = inputs.after->modules()[after].facts->source();
    if (!contains(source.bytes(), "\"--") && !contains(source.bytes(), "'--")) continue;
    const program::ModuleId before =
        file.file->old_path.empty() ? program::ModuleId() : inputs.before->find_path(file.file->old_path);
    const repo::LineDiff diff = repo::diff_lines(
        before.valid() ? inputs.before->modules()[before].facts->source().bytes() : std::string_view(), source.bytes());
    if (!matters) matters.emplace(story);
    walk_of<python::List>(inputs.after->modules()[after].facts->tree(), Nested::kEnter, [&](const python::List* list) {
      const std::vector<Option> options = options_of(*list, source);
      // What a test function gives, its own name stands for.
      const program::FunctionId holder = inputs.after->function_at(after, list->span.begin);
      if (options.empty() || (holder.valid() && inputs.after->functions()[holder].name.starts_with("test"))) return;
      const auto is_added = [&](const Option& option) { return diff.is_added_line(option.line); };
      ChangedRun run;
      std::uint32_t line = UINT32_MAX;
      std::vector<std::string> folders;
      for (const Option& option : options) {
        std::string text = code(option.value.empty() ? option.name : option.name + " " + option.value);
        if (option.value.size() < 60 && is_added(option) && matters->is_one(option)) {
          line = std::min(line, option.line);
          run.given.push_back(std::move(text));
        } else if (matters->is_folder(option)) {
          folders.push_back(std::move(text));
        }
      }
      if (run.given.empty()) return;
      std::move(folders.begin(), folders.end(), std::back_inserter(run.given));
      const Call* call = nullptr;
      for (const Node* node : chain_to(inputs.after->modules()[after].facts->tree(), list->span)) {
        if (const auto* one = as<Call>(node)) call = one;
      }
      const std::uint32_t head = source.line_of(call == nullptr ? list->span.begin : call->span.begin);
      run.is_new = diff.is_added_line(head) && std::all_of(options.begin(), options.end(), is_added);
      run.name = name_of_run(call);
      run.place = place(path, line);
      out.push_back(std::move(run));
    });
  }
  return out;
}

std::string run_words(const ChangedRun& run, std::size_t most) {
  std::vector<std::string> given = run.given;
  if (given.size() > most) given.resize(most);
  return fmt::format("the command line{} ({}, {}: with {})", run.name.empty() ? "" : " " + code(run.name),
                     run.is_new ? "new" : "changed", run.place, join_words(given));
}

}  // namespace lockstep::report
