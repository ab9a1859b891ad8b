#include "report/story/weights/relative_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/file_name.h"
#include "report/source/words.h"
#include "report/story/calls/followed.h"
#include "report/story/steps/matches.h"
#include "report/ways/objects/unmade_classes.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using change::DifferenceKind;
using change::EntityChange;
using change::EntityKind;
using change::EntitySide;
using change::FileCategory;
using program::FunctionId;
using program::Program;

namespace {

/// Whether calls lead from a script outside tests to the function, or to what makes objects of the class (a
/// method, where it has no constructor of its own).
bool is_run(const DocumentInputs& inputs, const EntitySide& side) {
  constexpr std::size_t kMostVisited = 4000;
  const Program& program = *inputs.after;
  std::vector<FunctionId> open;
  if (side.function.valid()) open.push_back(side.function);
  if (!side.function.valid() && side.cls.valid()) {
    const auto& methods = program.classes()[side.cls].methods;
    const auto makes = [&](FunctionId method) {
      return program.functions()[method].name == "__init__" || program.functions()[method].name == "__new__";
    };
    const bool has_own = std::any_of(methods.begin(), methods.end(), makes);
    std::copy_if(methods.begin(), methods.end(), std::back_inserter(open),
                 [&](FunctionId method) { return !has_own || makes(method); });
  }
  std::set<std::uint32_t> scripts;
  for (const program::Entry& entry : program::entry_points(program)) {
    if (entry.kind == program::EntryKind::kScript) scripts.insert(entry.function.value);
  }
  std::set<std::uint32_t> visited;
  for (std::size_t i = 0; i < open.size() && i < kMostVisited; ++i) {
    for (const program::CallId call : program.callers_of(open[i])) {
      const FunctionId caller = program.calls()[call].caller;
      if (program::is_test_path(program.module_of(caller).path) || !visited.insert(caller.value).second) continue;
      if (scripts.contains(caller.value)) return true;
      open.push_back(caller);
    }
  }
  return false;
}

/// Whether a word of the title, of some length, is in the name too.
bool is_in_title(const DocumentInputs& inputs, std::string_view name) {
  constexpr std::size_t kTelling = 3;
  const std::set<std::string> title = name_words(inputs.title);
  const std::set<std::string> words = name_words(std::string(name));
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.size() >= kTelling && title.contains(word); });
}

}  // namespace

void weigh_classes(std::vector<Actor>& actors) {
  constexpr double kMost = 40;
  std::map<std::string, Actor*> classes;
  for (Actor& actor : actors) {
    if (actor.is_added() && actor.change->kind == EntityKind::kClass && actor.role != Role::kTest)
      classes[actor.change->after->qualified_name] = &actor;
  }
  std::map<Actor*, std::vector<Actor*>> methods;
  for (Actor& actor : actors) {
    const std::string& name = actor.change->latest().qualified_name;
    const auto found = classes.find(name.substr(0, std::min(name.rfind('.'), name.size())));
    if (actor.is_added() && actor.change->kind == EntityKind::kMethod && found != classes.end())
      methods[found->second].push_back(&actor);
  }
  for (const auto& [cls, own] : methods) {
    if (own.size() < 2) continue;
    double sum = 0;
    for (Actor* method : own) {
      sum += method->weight;
      method->weight *= 0.4;
    }
    cls->weight += std::min(sum * 0.5, kMost);
  }
}

void weigh_new_files(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kMuch = 0.3;  // Of the lines that the change adds to source files.
  constexpr std::size_t kLong = 200;
  std::size_t all = 0;
  const change::FileSummary* longest = nullptr;
  for (const change::FileSummary& file : inputs.change->files) {
    if (file.category != FileCategory::kSource || !file.is_python) continue;
    all += file.lines_added;
    const bool is_new = file.file->kind == repo::ChangeKind::added;
    if (is_new && (longest == nullptr || file.lines_added > longest->lines_added)) longest = &file;
  }
  if (longest == nullptr || longest->lines_added < kLong || !is_in_title(inputs, file_name(longest->file->new_path)) ||
      static_cast<double>(longest->lines_added) < kMuch * static_cast<double>(all))
    return;
  constexpr std::size_t kPart = 5;  // Of the file's lines that the class has to have.
  Actor* largest = nullptr;
  std::size_t most_lines = longest->lines_added / kPart;
  double top = 0;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting) continue;
    top = std::max(top, actor.weight);
    if (!actor.is_added() || actor.change->kind != EntityKind::kClass ||
        actor.change->after->path != longest->file->new_path)
      continue;
    const std::size_t lines = actor.change->after->last_line - actor.change->after->first_line + 1;
    if (lines <= most_lines || !is_run(inputs, *actor.change->after)) continue;
    largest = &actor;
    most_lines = lines;
  }
  if (largest != nullptr) largest->weight = std::max(largest->weight, 1.05 * top);
}

void weigh_renames(std::vector<Actor>& actors) {
  for (Actor& actor : actors) {
    if (!actor.is_function() || actor.is_added() || actor.is_removed() || rename_words(actor).empty()) continue;
    const auto is_same = [](const Step& step) { return step.status == StepStatus::kKept || !step.renames.empty(); };
    if (std::all_of(actor.steps.after.begin(), actor.steps.after.end(), is_same) &&
        std::all_of(actor.steps.before.begin(), actor.steps.before.end(), is_same))
      actor.weight *= 0.2;
  }
}

void weigh_handed_over(std::vector<Actor>& actors) {
  constexpr std::size_t kFew = 3;
  constexpr double kLeast = 0.1;
  for (Actor& actor : actors) {
    if (!actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    std::size_t touched = 0;
    std::size_t handed = 0;
    bool is_same = true;
    std::set<std::string> receivers;
    for (const Step& step : actor.steps.before) {
      if (step.status != StepStatus::kRemoved || step.is_moved) continue;
      ++touched;
      if (step.elsewhere == nullptr || step.elsewhere == actor.change) continue;
      ++handed;
      is_same = is_same && !step.differs_there;
      const std::string& name = step.elsewhere->latest().qualified_name;
      receivers.insert(name.substr(name.rfind('.') + 1));
    }
    const bool is_little = handed < kFew;
    if (handed == 0 || (is_little && (handed < touched || !is_same))) continue;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.is_moved || step.status == StepStatus::kRemoved) continue;
      ++touched;
      const std::string_view text = actor.steps.after_source->slice(step.span);
      handed += std::any_of(receivers.begin(), receivers.end(),
                            [&](const std::string& name) { return find_name(text, name) != std::string_view::npos; });
    }
    if (is_little && handed < touched) continue;
    actor.weight *= std::max(kLeast, static_cast<double>(touched - handed) / static_cast<double>(touched));
  }
}

void weigh_order(std::vector<Actor>& actors) {
  constexpr double kOrder = 6;
  const auto only_moves = [](const std::vector<Step>& steps) {
    return std::all_of(steps.begin(), steps.end(),
                       [](const Step& step) { return step.status == StepStatus::kKept || step.is_moved; });
  };
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    const bool moves =
        std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [](const Step& step) { return step.is_moved; });
    if (moves && only_moves(actor.steps.after) && only_moves(actor.steps.before)) actor.weight += kOrder;
  }
}

void weigh_shared(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kWeighty = 0.3;
  constexpr std::uint32_t kLong = 8;  // Lines, from which a body tells more than a call of it.
  double top = 0;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kSupporting) top = std::max(top, actor.weight);
  }
  std::vector<FunctionId> changed;
  for (const Actor& actor : actors) {
    if (actor.role != Role::kSupporting || actor.weight < kWeighty * top || actor.is_removed()) continue;
    if (actor.change->kind == EntityKind::kClass && actor.is_added()) return;
    if (actor.is_function() && !actor.is_added()) changed.push_back(actor.change->after->function);
  }
  if (changed.size() < 2) return;
  constexpr std::size_t kMany = 3;
  Actor* best = nullptr;
  Actor* of_many = nullptr;
  double heaviest_of_many = 0;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function() || !actor.is_added() || actor.is_unnamed ||
        actor.extracted_from != nullptr || !actor.change->after->function.valid() ||
        actor.change->after->last_line - actor.change->after->first_line < kLong)
      continue;
    std::set<std::uint32_t> callers;
    for (const program::CallId call : inputs.after->callers_of(actor.change->after->function))
      callers.insert(inputs.after->calls()[call].caller.value);
    const bool by_all = std::all_of(changed.begin(), changed.end(),
                                    [&](FunctionId one) { return one.valid() && callers.contains(one.value); });
    if (by_all && (best == nullptr || actor.weight > best->weight)) best = &actor;
    std::size_t edited = 0;
    double heaviest = 0;
    for (const Actor& other : actors) {
      if (other.role != Role::kSupporting || !other.is_function() || other.is_added() || other.is_removed() ||
          !callers.contains(other.change->after->function.value))
        continue;
      ++edited;
      heaviest = std::max(heaviest, other.weight);
    }
    if (edited >= kMany && heaviest > heaviest_of_many) {
      of_many = &actor;
      heaviest_of_many = heaviest;
    }
  }
  constexpr double kAbove = 1.05;
  if (best != nullptr) {
    best->weight = std::max(best->weight, kAbove * top);
  } else if (of_many != nullptr) {
    of_many->weight = std::max(of_many->weight, kAbove * heaviest_of_many);
  }
}

void weigh_words(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  std::set<std::string> title;
  for (const std::string& word : name_words(inputs.title)) {
    static constexpr std::string_view kCommon[] = {
        "add",  "and",     "are",  "avoid", "fix",  "fixed",       "for",    "from", "into",  "not",  "remove", "set",
        "some", "support", "that", "the",   "this", "unnecessary", "update", "use",  "using", "when", "with"};
    if (!std::binary_search(std::begin(kCommon), std::end(kCommon), word)) title.insert(word);
  }
  if (title.empty()) return;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function()) continue;
    std::string text;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept) continue;
      text += actor.steps.after_source->slice(step.span);
      text += ' ' + comment_above(*actor.steps.after_source, step.first_line) + ' ';
    }
    const std::set<std::string> words = name_words(text);
    std::size_t matches = 0;
    for (const std::string& word : title) {
      const auto at = words.lower_bound(word.substr(0, 6));
      matches += at != words.end() && at->starts_with(word.substr(0, 6)) ? 1 : 0;
    }
    actor.weight *= 1.0 + 0.25 * static_cast<double>(std::min<std::size_t>(matches, 4));
  }
}

void weigh_connections(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  std::map<std::uint32_t, std::size_t> by_function;
  for (std::size_t i = 0; i < actors.size(); ++i) {
    const auto& after = actors[i].change->after;
    if (after && after->function.valid() && actors[i].is_function() && actors[i].role == Role::kSupporting)
      by_function[after->function.value] = i;
  }
  std::vector<std::size_t> links(actors.size(), 0);
  for (const auto& [function, index] : by_function) {
    std::set<std::size_t> callees;
    for (const program::CallId call : inputs.after->functions()[FunctionId(function)].calls) {
      for (const program::CallTarget& target : inputs.after->calls()[call].targets) {
        const auto callee = target.function.valid() ? by_function.find(target.function.value) : by_function.end();
        if (callee != by_function.end() && callee->second != index) callees.insert(callee->second);
      }
    }
    for (const std::size_t callee : callees) {
      ++links[index];
      ++links[callee];
    }
  }
  for (std::size_t i = 0; i < actors.size(); ++i)
    actors[i].weight *= 1.0 + 0.2 * static_cast<double>(std::min<std::size_t>(links[i], 2));
}

void weigh_sources(std::vector<Actor>& actors) {
  constexpr std::size_t kMost = 6;
  const auto counts = [](const Actor& actor) {
    return actor.role == Role::kSupporting && actor.is_function() && actor.steps.after_source != nullptr;
  };
  std::map<std::string, std::set<const Actor*>> makers;
  for (const Actor& actor : actors) {
    if (!counts(actor)) continue;
    for (const Step& step : actor.steps.after) {
      const auto* assign = step.status == StepStatus::kAdded && step.kind == StepKind::kPlain
                               ? python::as<python::Assign>(step.node)
                               : nullptr;
      const std::string target = assign == nullptr ? std::string() : dotted_text(assign->targets.front());
      if (target.starts_with("self.") && target.find('.', 5) == std::string::npos) makers[target].insert(&actor);
    }
  }
  if (makers.empty()) return;
  std::map<const Actor*, std::set<const Actor*>> readers;
  for (const Actor& actor : actors) {
    if (!counts(actor)) continue;
    std::string text;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kKept) text += fmt::format("{} ", actor.steps.after_source->slice(step.span));
    }
    for (const auto& [target, from] : makers) {
      if (from.size() != 1 || *from.begin() == &actor) continue;
      const std::size_t at = text.find(target);
      const std::size_t end = at + target.size();
      const bool is_whole = at != std::string::npos && (end == text.size() || !is_name_char(text[end]));
      if (is_whole) readers[*from.begin()].insert(&actor);
    }
  }
  for (Actor& actor : actors) {
    const auto found = readers.find(&actor);
    if (found != readers.end() && found->second.size() > 1)
      actor.weight *= 1.0 + 0.25 * static_cast<double>(std::min(found->second.size(), kMost));
  }
}

void weigh_use(std::vector<Actor>& actors) {
  constexpr double kLittle = 0.15;  // Of the heaviest one's weight: beside that, what runs is a trifle.
  constexpr double kMoved = 0.3;
  constexpr double kLeft = 0.15;
  const auto counts = [](const Actor& actor) {
    return actor.role == Role::kSupporting && (actor.is_function() || actor.change->kind == EntityKind::kClass);
  };
  double live = 0;
  double idle = 0;
  for (Actor& actor : actors) {
    if (actor.loses_last_call) actor.weight *= kLeft;
    if (actor.extracted_from != nullptr) actor.weight *= kMoved;
    if (!counts(actor) || actor.is_removed() || actor.loses_last_call || actor.extracted_from != nullptr) continue;
    double& top = actor.is_unnamed ? idle : live;
    top = std::max(top, actor.weight);
  }
  constexpr double kBelow = 0.95;
  if (live < kLittle * idle || idle <= kBelow * live) return;
  for (Actor& actor : actors) {
    if (actor.is_unnamed) actor.weight *= kBelow * live / idle;
  }
}

}  // namespace lockstep::report
