#include "report/ways/scripts/script_places.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "program/program.h"
#include "program/queries.h"

namespace lockstep::report {

bool is_hidden_path(std::string_view path) { return path.starts_with(".") || contains(path, "/."); }

bool only_others_give(std::string_view caller_path, std::string_view path) {
  return (program::is_test_path(path) && !program::is_test_path(caller_path)) ||
         (program::is_helper_path(path) && !program::is_helper_path(caller_path));
}

std::map<std::string, std::size_t> mentions(const DocumentInputs& inputs, const std::set<std::string>& names) {
  std::map<std::string, std::size_t> counts;
  if (inputs.after_files == nullptr) return counts;
  std::size_t read = 0;
  for (const repo::FileEntry& file : inputs.after_files->files()) {
    if (!file.path.ends_with(".md") || file.size_bytes > 200'000 || program::is_test_path(file.path)) continue;
    if (++read > 60) break;
    const auto bytes = inputs.after_files->read(file.path);
    if (!bytes) continue;
    for (const std::string& name : names) {
      for (std::size_t at = bytes->find(name); at != std::string::npos; at = bytes->find(name, at + 1)) ++counts[name];
    }
  }
  return counts;
}

std::string_view aside_word(std::string_view name) {
  for (const std::string_view word : {"evaluat", "validat", "inference", "convert", "profil", "debug", "benchmark"}) {
    if (contains(name, word)) return word;
  }
  for (const std::string_view word : {"cuda_graph", "cudagraph", "CudaGraph", "fwd_graph"}) {
    if (contains(name, word)) return "cuda_graph";
  }
  return name.starts_with("rl_") || name.ends_with("_rl") || contains(name, "_rl_") ? "rl" : std::string_view();
}

bool is_aside(std::string_view name) { return !aside_word(name).empty(); }

bool is_for_engine(std::string_view path) {
  const std::set<std::string> words = path_words(path);
  return words.contains("vllm") || words.contains("sglang") || words.contains("trtllm");
}

std::string_view aside_folder(std::string_view path) {
  static constexpr std::string_view kFolders[] = {"benchmarks", "evaluation", "examples",      "experiments", "export",
                                                  "inference",  "rl",         "post_training", "scripts",     "tools"};
  static constexpr std::string_view kInference = "inference";
  if (is_for_engine(path)) return kInference;
  for (std::size_t begin = 0, slash = path.find('/'); slash != std::string_view::npos;
       begin = slash + 1, slash = path.find('/', begin)) {
    const std::string_view folder = path.substr(begin, slash - begin);
    if (std::find(std::begin(kFolders), std::end(kFolders), folder) != std::end(kFolders)) return folder;
  }
  // `token_dispatcher_inference.py` beside what trains.
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return path_words(file).contains(std::string(kInference)) ? kInference : std::string_view();
}

ScriptKind kind_of_script(std::string_view path) {
  const std::set<std::string> words = path_words(path);
  for (const char* word : {"eval", "evaluate", "evaluation", "generate", "generation", "infer", "inference", "serve",
                           "server", "serving"}) {
    if (words.contains(word)) return ScriptKind::kAside;
  }
  // What a script is called says more than its folder: `trainer/precompile.py` trains nothing.
  const std::set<std::string> own = path_words(path.substr(path.rfind('/') + 1));
  for (const char* word : {"benchmark", "convert", "converter", "export", "precompile", "preprocess"}) {
    if (own.contains(word)) return ScriptKind::kAside;
  }
  for (const char* word : {"pretrain", "pretraining", "train", "trainer", "training"}) {
    if (words.contains(word)) return ScriptKind::kTrains;
  }
  return ScriptKind::kUnknown;
}

std::string_view model_family(std::string_view path) {
  constexpr std::string_view kModels = "models/";
  const std::size_t at = path.find(kModels);
  if (at == std::string_view::npos || (at > 0 && path[at - 1] != '/')) return {};
  const std::string_view rest = path.substr(at + kModels.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view folder = rest.substr(0, slash);
  return folder == "common" || folder == "shared" || folder == "base" || folder == "utils" ? std::string_view()
                                                                                           : folder;
}

std::set<std::string> path_words(std::string_view path) {
  std::set<std::string> out;
  std::string word;
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) word += c;
    if (!letter) {
      // The one folder of a subject that has a name as short as this.
      if (word.size() > 3 || word == "rl") out.insert(word);
      word.clear();
    }
  }
  return out;
}

bool names_no_subject(std::string_view word) {
  for (const std::string_view common :
       {"base", "common", "core", "layers", "model", "models", "modules", "training", "utils"}) {
    if (word == common) return true;
  }
  return false;
}

}  // namespace lockstep::report
