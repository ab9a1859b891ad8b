#include "report/ways/scripts/entry_scripts.h"

#include <algorithm>
#include <iterator>

#include "base/paths.h"
#include "program/queries.h"
#include "report/file_name.h"
#include "report/source/words.h"
#include "report/ways/objects/class_uses.h"

namespace lockstep::report {

using program::FunctionId;

EntryScripts::EntryScripts(const DocumentInputs& inputs, const program::Program& program)
    : program_(program), missing_(program, inputs.after_files) {
  std::set<std::string> names;
  for (const program::Entry& entry : program::entry_points(program)) {
    const std::string& path = program.module_of(entry.function).path;
    if (entry.kind == program::EntryKind::kScript && !program::is_test_path(path) && is_hidden_path(path)) {
      hidden_scripts_.push_back(entry.function);
    } else if (entry.kind == program::EntryKind::kScript && !program::is_test_path(path)) {
      const bool fails = !missing_import(entry.function).empty();
      (fails ? failing_scripts_ : program::is_helper_path(path) ? helper_scripts_ : scripts_).push_back(entry.function);
      if (!program::is_helper_path(path)) names.insert(file_name(path));
    } else if (entry.kind == program::EntryKind::kTest) {
      tests_.push_back(entry.function);
    }
  }
  mentions_ = mentions(inputs, names);
  for (const auto* scripts : {&scripts_, &failing_scripts_}) {
    for (const FunctionId script : *scripts) {
      if (program::is_helper_path(program.module_of(script).path)) continue;
      const std::set<std::string>& words = subjects_of(script);
      subjects_.insert(words.begin(), words.end());
    }
  }
}

const std::set<std::string>& EntryScripts::subjects_of(FunctionId script) const {
  const auto [place, is_new] = subjects_of_script_.try_emplace(script.value);
  if (!is_new) return place->second;
  constexpr std::string_view kTasks[] = {"eval", "finetune", "generate", "main",    "pretrain", "run",
                                         "sft",  "test",     "train",    "trainer", "training"};
  std::set<std::string>& words = place->second;
  words = split_words(file_name(program_.module_of(script).path));
  std::erase_if(words, [&](const std::string& word) {
    return word == "py" || std::find(std::begin(kTasks), std::end(kTasks), word) != std::end(kTasks);
  });
  return words;
}

std::set<std::string> EntryScripts::subjects_of_class(program::ClassId cls) const {
  constexpr std::size_t kShortest = 2;  // As split_words: "T5".
  const auto drop_others = [&](std::set<std::string> words) {
    std::erase_if(words, [&](const std::string& word) { return !subjects_.contains(word); });
    return words;
  };
  std::set<std::string> out = drop_others(name_words(program_.classes()[cls].name, kShortest));
  // A layer of a hybrid model need not say so: who makes it does. What others make, too, is anybody's.
  const bool is_named = !out.empty();
  bool is_general = false;
  const bool are_all = for_each_use(program_, {cls}, [&](const ClassUse& use) {
    const std::string& path = program_.modules()[use.module].path;
    if (program::is_helper_path(path)) return true;
    const std::set<std::string> words = drop_others(split_words(path));
    is_general = is_general || words.empty();
    out.insert(words.begin(), words.end());
    return true;
  });
  if (!is_named && (is_general || !are_all)) out.clear();
  return out;
}

bool EntryScripts::is_of_another(FunctionId script, FunctionId function) const {
  const program::ClassId owner = program_.functions()[function].owner;
  if (!owner.valid()) return false;
  const auto [place, is_new] = subjects_of_class_.try_emplace(owner.value);
  if (is_new) place->second = subjects_of_class(owner);
  if (place->second.empty()) return false;
  const std::set<std::string>& own = subjects_of(script);
  return std::none_of(place->second.begin(), place->second.end(),
                      [&](const std::string& word) { return own.contains(word); });
}

std::vector<FunctionId> EntryScripts::hidden_beside(FunctionId target) const {
  const std::string_view path = program_.module_of(target).path;
  if (!is_hidden_path(path)) return {};
  std::vector<FunctionId> out;
  std::copy_if(hidden_scripts_.begin(), hidden_scripts_.end(), std::back_inserter(out), [&](FunctionId script) {
    return script != target && folder_of(program_.module_of(script).path) == folder_of(path);
  });
  return out;
}

std::size_t EntryScripts::mentions_of(FunctionId source) const {
  const auto found = mentions_.find(file_name(program_.module_of(source).path));
  return found == mentions_.end() ? 0 : found->second;
}

FunctionId EntryScripts::best_known(const std::vector<FunctionId>& sources, const std::function<int(FunctionId)>& cost,
                                    bool prefers_training) const {
  if (sources.empty()) return {};
  std::vector<int> costs;
  costs.reserve(sources.size());
  for (const FunctionId source : sources) costs.push_back(cost(source));
  const int cheapest = *std::min_element(costs.begin(), costs.end());
  // Of a long way a detour says little.
  const int about_as_near = std::max(8, cheapest / 6);
  // Nor does it of one to the script that people run, where the nearest is one of many.
  constexpr std::size_t kTimes = 4;
  const auto nearest = static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
  const std::size_t well_known = kTimes * std::max<std::size_t>(1, mentions_of(sources[nearest]));
  const auto best_of = [&](int farther, const auto& counts) {
    FunctionId best;
    std::pair<std::size_t, int> rank_of_best;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool is_well_known = farther == about_as_near && mentions_of(sources[i]) >= well_known;
      const int allowed = is_well_known ? 4 * farther : farther;
      if (costs[i] > cheapest + allowed || !counts(sources[i])) continue;
      const auto rank = std::make_pair(mentions_of(sources[i]), -costs[i]);
      if (best.valid() && rank <= rank_of_best) continue;
      best = sources[i];
      rank_of_best = rank;
    }
    return best;
  };
  const FunctionId best = best_of(about_as_near, [](FunctionId) { return true; });
  if (!best.valid() || !prefers_training || kind_of(best) == ScriptKind::kTrains) return best;
  const auto trains = [&](FunctionId source) { return kind_of(source) == ScriptKind::kTrains; };
  FunctionId training = best_of(about_as_near, trains);
  // Of a script whose name tells nothing documents speak often where it has many uses: `tasks/main.py`.
  if (kind_of(best) == ScriptKind::kUnknown) return training.valid() && mentions_of(training) > 0 ? training : best;
  // A script that builds a model to try it out does so in fewer calls than the one beside it that trains it.
  constexpr int kFarther = 90;
  const std::string_view folder = folder_of(program_.module_of(best).path);
  if (!training.valid()) {
    training = best_of(kFarther, [&](FunctionId source) {
      return trains(source) && !folder.empty() && folder_of(program_.module_of(source).path) == folder;
    });
  }
  // Nor is what it serves more likely meant than what a script trains in a few calls more.
  constexpr int kAnywhere = 30;
  if (!training.valid()) training = best_of(kAnywhere, trains);
  return training.valid() ? training : best;
}

std::vector<FunctionId> EntryScripts::candidates(std::vector<FunctionId> sources) const {
  constexpr std::size_t kOfEach = 4;
  std::vector<FunctionId> out(sources.begin(),
                              sources.begin() + static_cast<std::ptrdiff_t>(std::min(kOfEach, sources.size())));
  constexpr std::size_t kTraining = 2;
  std::size_t training = 0;
  for (std::size_t i = out.size(); i < sources.size() && training < kTraining; ++i) {
    if (kind_of(sources[i]) != ScriptKind::kTrains) continue;
    out.push_back(sources[i]);
    ++training;
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [&](FunctionId a, FunctionId b) { return mentions_of(a) > mentions_of(b); });
  for (std::size_t i = 0; i < std::min(kOfEach, sources.size()); ++i) {
    if (std::find(out.begin(), out.end(), sources[i]) == out.end()) out.push_back(sources[i]);
  }
  return out;
}

std::vector<FunctionId> EntryScripts::of_experiment(FunctionId target) const {
  constexpr std::string_view kExperiments = "experiments/";
  const std::string_view path = program_.module_of(target).path;
  const std::size_t at = path.find(kExperiments);
  if (at == std::string_view::npos || (at > 0 && path[at - 1] != '/')) return {};
  const std::size_t end = path.find('/', at + kExperiments.size());
  if (end == std::string_view::npos) return {};
  const std::string_view folder = path.substr(0, end + 1);
  std::vector<FunctionId> out;
  for (const auto* sources : {&scripts_, &helper_scripts_}) {
    std::copy_if(sources->begin(), sources->end(), std::back_inserter(out), [&](FunctionId source) {
      return source != target && std::string_view(program_.module_of(source).path).starts_with(folder);
    });
  }
  return out;
}

std::vector<FunctionId> EntryScripts::kin_of(FunctionId target, const Ways& ways, bool at_any_distance) const {
  // Of its folders: "hybrid" of a file `hybrid_optimizer.py` says how it is made, not what runs are about.
  const std::string_view path = program_.module_of(target).path;
  const std::set<std::string> words = telling_words(path.substr(0, path.rfind('/') + 1));
  int nearest = -1;
  for (const FunctionId source : scripts_) {
    const int cost = ways.cost(source);
    if (cost >= 0 && source != target && (nearest < 0 || cost < nearest)) nearest = cost;
  }
  std::vector<FunctionId> out;
  for (const auto* sources : {&scripts_, &helper_scripts_}) {
    for (const FunctionId source : *sources) {
      const int cost = ways.cost(source);
      const bool is_own_file = program_.functions()[source].module == program_.functions()[target].module;
      if (cost < 0 || is_own_file || (nearest >= 0 && cost > nearest && !at_any_distance)) continue;
      const std::set<std::string> own = path_words(program_.module_of(source).path);
      if (std::any_of(own.begin(), own.end(), [&](const std::string& word) { return words.contains(word); }))
        out.push_back(source);
    }
  }
  return out;
}

std::vector<FunctionId> EntryScripts::serving(const Ways& ways) const {
  std::vector<FunctionId> out;
  for (const auto* sources : {&scripts_, &helper_scripts_}) {
    std::copy_if(sources->begin(), sources->end(), std::back_inserter(out),
                 [&](FunctionId script) { return ways.cost(script) >= 0 && kind_of(script) == ScriptKind::kAside; });
  }
  return out;
}

bool EntryScripts::are_all_to(FunctionId target, const std::set<std::string>& files) const {
  std::vector<bool> reaches(program_.functions().size());
  for (const program::Reached& one : program::reaching(program_, target, reaches.size()))
    reaches[one.function.index()] = true;
  const auto is_missing = [&](FunctionId script) {
    return script != target && reaches[script.index()] && !files.contains(program_.module_of(script).path);
  };
  return std::none_of(scripts_.begin(), scripts_.end(), is_missing) &&
         std::none_of(helper_scripts_.begin(), helper_scripts_.end(), is_missing);
}

/// Words of a path that few other modules' paths hold.
std::set<std::string> EntryScripts::telling_words(std::string_view path) const {
  std::set<std::string> out = path_words(path);
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    if (program::is_test_path(program_.modules()[program::ModuleId(i)].path)) continue;
    for (const std::string& word : path_words(program_.modules()[program::ModuleId(i)].path)) {
      if (out.contains(word)) ++counts[word];
    }
  }
  std::erase_if(out, [&](const std::string& word) {
    return counts[word] * 5 > program_.modules().size() || names_no_subject(word);
  });
  return out;
}

}  // namespace lockstep::report
