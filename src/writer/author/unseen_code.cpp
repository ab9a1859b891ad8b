#include "writer/author/unseen_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "render/graph_text.h"
#include "render/markdown.h"
#include "report/source/code.h"
#include "report/story/words.h"
#include "writer/author/placements_parts.h"
#include "writer/pack/code_text.h"
#include "writer/pack/data_text.h"
#include "writer/pack/elide.h"
#include "writer/pack/pieces.h"
#include "writer/sentence_parts.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;

constexpr std::size_t kMostMeant = 2;      // functions of one name; of more, who knows which
constexpr std::size_t kShortestName = 5;   // of a name alone
constexpr std::size_t kTellingLine = 12;   // characters; shorter lines stand everywhere
constexpr std::size_t kMuch = 24;          // lines seen of a long function
constexpr std::uint32_t kAroundPlace = 7;  // lines before and after
constexpr std::uint32_t kAroundName = 3;
constexpr std::uint32_t kHead = 40;  // lines of a long function of which nothing is named
constexpr std::size_t kMostFunctions = 16, kMostPlaces = 16;
constexpr std::size_t kMostOfOne = 1'400;                    // tokens of one function
constexpr std::size_t kTellingWord = 8;                      // characters of a name without "_" that is worth a look
constexpr std::size_t kMostSetters = 4, kMostSettings = 24;  // places of one name, and of all

// Lines that set what functions read, and attributes that are looked for, each in the whole repository.
constexpr std::size_t kMostResets = 16, kMostAsked = 60;
/// A sentence with one of these says of something that it stays as it is.
constexpr std::string_view kLasting[] = {"same",  "keep", "keeps", "kept",      "always", "never", "constant",
                                         "fixed", "stay", "stays", "unchanged", "safe",   "equal", "only"};

/// Lines of one file.
using Lines = std::set<std::uint32_t>;

bool is_shown(std::string_view line, const Material& material) {
  const std::string_view code = trim(line);
  return code.size() < kTellingLine || code.starts_with('#') || material.has_text(code);
}

class UnseenCode {
 public:
  UnseenCode(const report::DocumentInputs& inputs, std::string_view text, const Material& material)
      : program_(*inputs.after), material_(material) {
    std::vector<std::string> code;
    for (const std::string_view line : split_lines(text)) {
      for (std::string& span : internal::spans_of(line).code) code.push_back(std::move(span));
    }
    for (const std::string& span : code) note_words(span);
    for (const std::string& span : code) {
      if (const std::string name = internal::name_in(span); !name.empty()) add_function(name);
    }
    for (const CitedPlace& place : places_in(replace_all(text, "`", " "))) {
      if (places_ < kMostPlaces) add_place(place);
    }
    std::set<std::string> values;
    for (const std::string& span : code) {
      const std::string name(internal::last_part(internal::name_in(span)));
      if (is_telling(name) && setters_.size() < kMostSettings && values.insert(name).second)
        add_setters(name, setters_);
    }
    for (const std::string_view line : split_lines(text)) {
      const internal::Spans spans = internal::spans_of(line);
      if (!internal::has_any_word(internal::words_of(spans), kLasting)) continue;
      for (const std::string& span : spans.code) add_resets(internal::name_in(span), values);
    }
  }

  [[nodiscard]] std::string shown(std::size_t tokens) const {
    std::string out;
    for (const auto& [function, candidate] : functions_) {
      std::vector<std::string> lines = function_text(program_, function, candidate, {}, Width::kTight);
      lines = elided(lines, needed_of(lines, candidate), kMostOfOne);
      add(fmt::format("{}, {}", report::code(report::short_name(program_, function)),
                      report::place(program_.module_of(function).path, report::line_of(program_, function))),
          lines, tokens, out);
    }
    for (const auto& [path, lines] : lines_) {
      const SourceText& source = program_.modules()[program_.find_path(path)].facts->source();
      for (auto line = lines.begin(); line != lines.end();) {
        const std::uint32_t first = *line;
        std::uint32_t last = first;
        while (++line != lines.end() && *line == last + 1) ++last;
        add(report::place(path, first, last), numbered_source(source, first, last), tokens, out);
      }
    }
    if (!setters_.empty())
      add("Where values are set that it names, in code that it was not shown:", setters_, tokens, out);
    if (!resets_.empty())
      add("Where values are set anew, after construction, that functions read of which it says that something stays "
          "so:",
          resets_, tokens, out);
    return out;
  }

 private:
  static void add(const std::string& place, const std::vector<std::string>& lines, std::size_t tokens,
                  std::string& out) {
    report::Document document;
    document.paragraph(place);
    report::CodeBlock block;
    block.language = "python";
    block.lines = lines;
    document.code_block(std::move(block));
    make_harmless(document);
    const std::string text = render::render_markdown(document);
    if (render::estimate_tokens(out) + render::estimate_tokens(text) <= tokens) out += text;
  }

  void note_words(std::string_view span) {
    for_each_word(span, [&](std::string_view word, std::size_t) {
      if (word.size() >= kTellingWord || contains(word, "_")) words_.emplace(word);
    });
  }

  /// A name that a search of the whole repository finds for what it is.
  static bool is_telling(std::string_view name) { return name.size() >= kTellingWord && contains(name, "_"); }

  /// The functions outside tests of that name; none where they are many.
  [[nodiscard]] std::vector<FunctionId> functions_meant(const std::string& name) const {
    std::vector<FunctionId> meant;
    for (const FunctionId id : internal::functions_named(program_, name)) {
      if (program_.functions()[id].def() != nullptr && !program::is_test_path(program_.module_of(id).path))
        meant.push_back(id);
    }
    if (meant.size() > kMostMeant) meant.clear();
    return meant;
  }

  void add_function(const std::string& name) {
    const bool is_plain = name.find('.') == std::string::npos;
    // "state", "shard": more often an attribute or a word than the function of that name.
    if (is_plain && (name.size() < kShortestName || name.find('_') == std::string::npos)) return;
    for (const FunctionId id : functions_meant(name)) {
      const bool is_known =
          std::any_of(functions_.begin(), functions_.end(), [&](const auto& one) { return one.first == id; });
      if (is_known || functions_.size() == kMostFunctions || is_seen(id)) continue;
      functions_.emplace_back(id, what_matters(id));
    }
  }

  // Half of its body, or much of a long one.
  [[nodiscard]] bool is_seen(FunctionId id) const {
    const program::Function& function = program_.functions()[id];
    const SourceText& source = report::source_of(program_, id);
    const auto& body = function.def()->body;
    if (body.empty()) return true;
    const python::Constant* docstring = python::docstring_of(body);
    const std::uint32_t begin = docstring == nullptr ? body[0]->span.begin : docstring->span.end;
    const FunctionLines lines = lines_of(program_, id);
    std::size_t telling = 0, seen = 0;
    for (std::uint32_t line = source.line_of(begin); line <= lines.last; ++line) {
      const std::string_view code = trim(source.line(line));
      if (code.size() < kTellingLine || code.starts_with('#')) continue;
      ++telling;
      seen += material_.has_text(code) ? 1 : 0;
    }
    return seen * 2 >= telling || seen >= kMuch;
  }

  [[nodiscard]] Candidate what_matters(FunctionId id) const {
    Candidate candidate;
    const SourceText& source = report::source_of(program_, id);
    const FunctionLines lines = lines_of(program_, id);
    for (std::uint32_t line = lines.first + 1; line <= lines.last; ++line) {
      bool names = false;
      for_each_word(source.line(line),
                    [&](std::string_view word, std::size_t) { names = names || words_.contains(word); });
      if (names) candidate.add_line(line, kAroundName);
    }
    if (candidate.lines.empty() && lines.last - lines.first > kHead) candidate.add_line(lines.first, kHead);
    return candidate;
  }

  // Of the attributes that a function of this name reads: who sets them anew when objects are made already.
  void add_resets(const std::string& name, std::set<std::string>& known) {
    if (name.size() < kShortestName || (!contains(name, "_") && !contains(name, "."))) return;
    for (const FunctionId id : functions_meant(name)) {
      python::walk_of<python::Attribute>(
          *program_.functions()[id].node, python::Nested::kEnter, [&](const python::Attribute* read) {
            const std::string attribute(read->name.text);
            if (!is_telling(attribute) || resets_.size() >= kMostResets || asked_ == kMostAsked) return;
            if (!known.insert(attribute).second) return;
            ++asked_;
            add_setters(attribute, resets_, /*after_construction=*/true);
          });
    }
  }

  // Assignments to attributes of this name, where there are few.
  void add_setters(const std::string& name, std::vector<std::string>& out, bool after_construction = false) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::Module& module = program_.modules()[program::ModuleId(i)];
      if (program::is_test_path(module.path)) continue;
      const SourceText& source = module.facts->source();
      const std::string_view text = source.bytes();
      for (std::size_t at = find_name(text, name); at != std::string_view::npos; at = find_name(text, name, at + 1)) {
        const std::size_t sign = text.find_first_not_of(' ', at + name.size());
        const bool is_set = sign != std::string_view::npos && text[sign] == '=' && !text.substr(sign).starts_with("==");
        if (at == 0 || text[at - 1] != '.' || !is_set) continue;
        const std::uint32_t line = source.line_of(static_cast<std::uint32_t>(at));
        const std::string_view code = trim(source.line(line));
        const std::string_view value = trim(code.substr(code.find('=') + 1));
        // `self.name = name` says no more than the caller does, and `f"{x.name=}"` sets nothing.
        if (value == name || value.starts_with('}') || material_.has_text(code)) continue;
        const FunctionId in = program_.function_at(program::ModuleId(i), static_cast<std::uint32_t>(at));
        const std::string_view setter = in.valid() ? program_.functions()[in].name : std::string_view();
        if (after_construction && (setter.empty() || setter == "__init__" || setter == "__post_init__")) continue;
        found.push_back(fmt::format("{}:{} in {}: {}", module.path, line + 1, report::short_name(program_, in), code));
        if (found.size() > kMostSetters) return;
      }
    }
    out.insert(out.end(), found.begin(), found.end());
  }

  void add_place(const CitedPlace& place) {
    const program::ModuleId module = program_.find_path(place.path);
    if (!module.valid() || place.first == 0) return;
    const SourceText& source = program_.modules()[module].facts->source();
    const auto count = static_cast<std::uint32_t>(source.line_count());
    const std::uint32_t last = std::max(place.first, place.last);
    if (last > count || last - place.first > kHead || names_definition(module, place)) return;
    bool is_seen = true;
    for (std::uint32_t line = place.first - 1; line < last; ++line)
      is_seen = is_seen && is_shown(source.line(line), material_);
    if (is_seen) return;
    ++places_;
    const std::uint32_t first = place.first > kAroundPlace ? place.first - 1 - kAroundPlace : 0;
    for (std::uint32_t line = first; line < std::min(last + kAroundPlace, count); ++line)
      lines_[place.path].insert(line);
  }

  // A place that only says where a function begins.
  [[nodiscard]] bool names_definition(program::ModuleId module, const CitedPlace& place) const {
    if (place.last > place.first) return false;
    const SourceText& source = program_.modules()[module].facts->source();
    const std::string_view line = trim(source.line(place.first - 1));
    return line.starts_with("def ") || line.starts_with("class ") || line.starts_with("async def ");
  }

  const Program& program_;
  const Material& material_;
  std::set<std::string, std::less<>> words_;  ///< Names of the text.
  std::vector<std::pair<FunctionId, Candidate>> functions_;
  std::map<std::string, Lines> lines_;
  std::vector<std::string> setters_, resets_;
  std::size_t places_ = 0, asked_ = 0;
};

}  // namespace

std::string unseen_code(const report::DocumentInputs& inputs, std::string_view text, const Material& material,
                        std::size_t tokens) {
  return UnseenCode(inputs, text, material).shown(tokens);
}

}  // namespace lockstep::writer
