#include "writer/author/text_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/file_name.h"
#include "report/source/code.h"
#include "report/source/givings.h"
#include "writer/pack/pieces.h"
#include "writer/pack/when_text.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;

constexpr std::size_t kMostLines = 30, kMostWithLines = 10;
constexpr std::size_t kMostOfOneFile = 60;      // where one file is asked for, all that it has
constexpr std::size_t kMostKept = 600;          // of all files, to choose from
constexpr std::uint32_t kMostOfStatement = 40;  // lines of one that begins where the text stands
// Configurations of tests and jobs, scripts and pages that are looked through beside the Python files.
constexpr std::string_view kOtherTexts[] = {".yaml", ".yml", ".sh",   ".toml", ".cfg", ".ini", ".md",
                                            ".txt",  ".rst", ".lock", ".cu",   ".cuh", ".cpp", ".h"};
constexpr std::uint64_t kMostBytesOfText = 2'000'000;
constexpr std::uint64_t kMostBytesOfAll = 32u << 20;

/// Lines that hold the text, of one file the first few; all are counted.
struct Hits {
  struct Shown {
    std::string text;
    std::size_t in_file = 0;  ///< The how manieth of its file.
  };
  std::vector<Shown> shown;
  std::size_t all = 0;
};

class Search {
 public:
  Search(const report::DocumentInputs& inputs, const SoughtText& sought)
      : program_(*inputs.after),
        sought_(sought),
        most_(sought.around > 0              ? kMostWithLines
              : sought.path.ends_with(".py") ? kMostOfOneFile
                                             : kMostLines) {
    if (sought.most > 0) most_ = std::min<std::size_t>(most_, sought.most);
  }

  void add_code(bool in_tests) {
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::ModuleId id(i);
      const program::Module& module = program_.modules()[id];
      if (program::is_test_path(module.path) == in_tests) add(module.path, module.facts->source(), id);
    }
  }
  void add_others(const OtherTexts& others, bool in_tests) {
    for (const auto& [path, source] : others) {
      if (program::is_test_path(path) == in_tests) add(path, source, program::ModuleId());
    }
  }
  [[nodiscard]] std::string text() const {
    const std::vector<std::string> shown = chosen();
    if (hits_.all > shown.size())
      return fmt::format("{}\n({} of {}; a longer text, whole_word or path narrows it down)", join(shown, "\n"),
                         shown.size(), count_of(hits_.all, "place"));
    if (hits_.all > 0) return join(shown, "\n");
    if (others_ > 0)
      return fmt::format("none of {} sets or gives it a value; without only_set they are listed",
                         count_of(others_, "place with this text", "places with this text"));
    if (sought_.path.empty()) return "no searched file has this text";
    if (sought_.path.starts_with("!"))
      return fmt::format("no searched file without \u201c{}\u201d in its path has this text", sought_.path.substr(1));
    if (searched_ == 0) return fmt::format("no file that is searched has \u201c{}\u201d in its path", sought_.path);
    if (searched_ == 1) return fmt::format("{} was searched and does not have this text", one_searched_);
    return fmt::format("none of {} with \u201c{}\u201d in the path has this text", count_of(searched_, "searched file"),
                       sought_.path);
  }

 private:
  /// As many as there is room for: where one file has many, those of others are not lost for it.
  [[nodiscard]] std::vector<std::string> chosen() const {
    std::size_t most_of_file = most_;
    const auto count = [&](std::size_t most) {
      return static_cast<std::size_t>(std::count_if(hits_.shown.begin(), hits_.shown.end(),
                                                    [&](const Hits::Shown& one) { return one.in_file < most; }));
    };
    while (most_of_file > 1 && count(most_of_file) > most_) --most_of_file;
    std::vector<std::string> out;
    for (const Hits::Shown& one : hits_.shown) {
      if (one.in_file < most_of_file && out.size() < most_) out.push_back(one.text);
    }
    return out;
  }

  void add(const std::string& path, const SourceText& source, program::ModuleId module) {
    if (!is_searched(path)) return;
    ++searched_;
    one_searched_ = path;
    const std::string_view bytes = source.bytes();
    std::optional<std::uint32_t> shown_to;
    std::size_t in_file = 0;
    for (std::size_t at = find_text(bytes, sought_.text); at != bytes.npos;
         at = find_text(bytes, sought_.text, at + 1)) {
      if (sought_.is_whole_word && !is_whole(bytes, at)) continue;
      const auto offset = static_cast<std::uint32_t>(at);
      const std::uint32_t line = source.line_of(offset);
      if (sought_.is_set_only && !is_set(path, source, module, offset)) {
        ++others_;
        continue;
      }
      // A hit among the lines that were shown with the one before it is there already.
      if (shown_to && line <= *shown_to) continue;
      ++hits_.all;
      shown_to = line + sought_.around;
      if (in_file == most_ || hits_.shown.size() == kMostKept) continue;
      std::string text =
          fmt::format("{}:{}| {}{}", path, line + 1, trim(source.line(line)).substr(0, 200), where(module, offset));
      if (sought_.around > 0) {
        const auto count = static_cast<std::uint32_t>(source.line_count());
        shown_to = std::min(std::max(line + sought_.around, end_of_statement(module, source, line)), count - 1);
        text += "\n" + join(numbered_source(source, line - std::min(line, sought_.around), *shown_to), "\n");
      }
      hits_.shown.push_back({std::move(text), in_file++});
    }
  }

  /// `!tests/` leaves out the files with "tests/" in their path.
  [[nodiscard]] bool is_searched(const std::string& path) const {
    const std::string_view part = sought_.path;
    return part.starts_with("!") ? !contains(path, part.substr(1)) : contains(path, part);
  }

  [[nodiscard]] bool is_whole(std::string_view bytes, std::size_t at) const {
    const std::size_t end = at + sought_.text.size();
    const bool goes_on_before = at > 0 && is_name_char(bytes[at - 1]) && is_name_char(sought_.text.front());
    const bool goes_on_behind = end < bytes.size() && is_name_char(bytes[end]) && is_name_char(sought_.text.back());
    return !goes_on_before && !goes_on_behind;
  }

  // Whether what stands there gives a name a value: in Python `x = …`, `f(x=…)`, a parameter or field with a default,
  // a name in a string that something sets by it; elsewhere `x: …`, `x = …` and `--x`.
  [[nodiscard]] bool is_set(const std::string& path, const SourceText& source, program::ModuleId module,
                            std::uint32_t offset) const {
    const std::string_view text = sought_.text;
    const std::size_t first = text.find_first_not_of(" .\"'-");
    if (first == std::string_view::npos) return false;
    const std::string_view named = text.substr(first);
    const std::size_t end =
        first + static_cast<std::size_t>(std::find_if_not(named.begin(), named.end(), is_name_char) - named.begin());
    const std::string_view bytes = source.bytes();
    if (module.valid()) {
      std::uint32_t begin = offset + static_cast<std::uint32_t>(first);
      while (begin > 0 && is_name_char(bytes[begin - 1])) --begin;
      const auto around = report::chain_to(program_.modules()[module].facts->tree(), {begin, begin + 1});
      if (around.empty()) return false;
      if (const auto* name = python::as<python::Name>(around.back()))
        return name->context == python::ExprContext::kStore;
      if (const auto* parameter = python::as<python::Parameter>(around.back()))
        return parameter->default_value != nullptr && parameter->name.span.begin == begin;
      return report::giving_at(around, begin, program::is_test_path(path)).gives;
    }
    std::string_view behind = bytes.substr(std::min<std::size_t>(offset + text.size(), bytes.size()));
    if (end < text.size()) behind = bytes.substr(offset + end);
    behind.remove_prefix(std::min(behind.find_first_not_of(" \"'"), behind.size()));
    const bool is_option = text.starts_with("--") || (offset > 1 && bytes.substr(offset - 2, 2) == "--");
    return is_option || behind.starts_with(':') || (behind.starts_with('=') && !behind.starts_with("=="));
  }

  // The last line of the statement that begins on `line`, a call over several lines or a short definition, say: what
  // matters stands behind the line that names it.
  [[nodiscard]] std::uint32_t end_of_statement(program::ModuleId module, const SourceText& source,
                                               std::uint32_t line) const {
    std::uint32_t last = line;
    if (!module.valid()) return last;
    python::walk(program_.modules()[module].facts->tree(), python::Nested::kEnter, [&](const python::Node* node) {
      if (!python::is_statement(node) || source.line_of(node->span.begin) != line) return;
      const std::uint32_t end = source.line_of(node->span.end > 0 ? node->span.end - 1 : 0);
      last = std::max(last, std::min(end, line + kMostOfStatement));
    });
    return last;
  }

  [[nodiscard]] std::string where(program::ModuleId module, std::uint32_t offset) const {
    if (!module.valid()) return {};
    const FunctionId function = program_.function_at(module, offset);
    if (program_.functions()[function].def() == nullptr) return {};
    return fmt::format("  (in {}){}", report::short_name(program_, function),
                       when_text(program_, function, {offset, offset + 1}));
  }

  const Program& program_;
  const SoughtText& sought_;
  std::size_t most_;
  Hits hits_;
  std::size_t others_ = 0;    ///< Places that were left out, since they set nothing.
  std::size_t searched_ = 0;  ///< Files.
  std::string one_searched_;  ///< The last of them.
};

bool is_other_text(const repo::FileEntry& entry) {
  const bool is_image = report::file_name(entry.path).starts_with("Dockerfile");
  return entry.kind == repo::FileKind::file && entry.size_bytes <= kMostBytesOfText &&
         (is_image || std::any_of(std::begin(kOtherTexts), std::end(kOtherTexts),
                                  [&](std::string_view end) { return entry.path.ends_with(end); }));
}

}  // namespace

std::string search_text(const report::DocumentInputs& inputs, const OtherTexts& others, const SoughtText& sought) {
  if (sought.text.size() < kShortestSought)
    return fmt::format("\u201c{}\u201d is too short to be looked for: search_text needs at least {} characters",
                       sought.text, kShortestSought);
  Search search(inputs, sought);
  for (const bool in_tests : {false, true}) {
    search.add_code(in_tests);
    search.add_others(others, in_tests);
  }
  return search.text();
}

OtherTexts other_texts(const repo::Snapshot& files) {
  OtherTexts texts;
  std::uint64_t bytes_of_all = 0;
  for (std::size_t i = 0; i < files.files().size() && bytes_of_all < kMostBytesOfAll; ++i) {
    if (!is_other_text(files.files()[i])) continue;
    bytes_of_all += files.files()[i].size_bytes;
    if (Result<std::string> bytes = files.read(i))
      texts.emplace_back(files.files()[i].path, SourceText{*std::move(bytes)});
  }
  return texts;
}

}  // namespace lockstep::writer
