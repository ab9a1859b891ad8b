// Where scripts stand and how a repository speaks of them: which of them people run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "report/inputs.h"

namespace lockstep::report {

/// Folders of tools for editors and agents: nobody starts a run there.
bool is_hidden_path(std::string_view path);
/// Whether a callee stands in tests, tools or examples, and its caller does not: only their runs get from one to the
/// other.
bool only_others_give(std::string_view caller_path, std::string_view path);
/// How often the repository's own top-level documentation names each script: which one people run.
std::map<std::string, std::size_t> mentions(const DocumentInputs& inputs, const std::set<std::string>& names);
/// What runs beside training, or only with CUDA graphs: its entry is told only where nothing else leads there.
bool is_aside(std::string_view name);
/// The word of a name or path that says so ("inference", "cuda_graph"); empty where none does.
std::string_view aside_word(std::string_view name);
/// Whether a file is about an engine that serves what was trained (vLLM, SGLang, TensorRT-LLM), by its name or folder.
bool is_for_engine(std::string_view path);
/// The folder on the path that says that its code is no training proper ("inference", "rl", "examples"); empty for
/// none.
std::string_view aside_folder(std::string_view path);
/// Whether the script's name or folder says that it trains, or that it is for something else ("inference", "eval").
enum class ScriptKind : std::uint8_t { kTrains, kUnknown, kAside };
ScriptKind kind_of_script(std::string_view path);
/// "gpt_oss" of "models/gpt_oss/moe.py": the folder of one model among those of others; empty for what models share and
/// for paths without such a folder.
std::string_view model_family(std::string_view path);
/// The words of a path that are longer than three letters, and "rl".
std::set<std::string> path_words(std::string_view path);
/// Words of paths that stand everywhere: "model", "utils".
bool names_no_subject(std::string_view word);

}  // namespace lockstep::report
