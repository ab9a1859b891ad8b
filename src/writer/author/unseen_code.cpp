#include "writer/author/unseen_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "render/graph_text.h"
#include "render/markdown.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "writer/author/attribute_setters.h"
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
      : program_(*inputs.after), material_(material), text_(text), setters_in_(program_) {
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
      const std::string full = internal::name_in(span);
      const std::string name(internal::last_part(full));
      if (is_telling(name) && setters_.size() < kMostSettings && values.insert(name).second)
        add_setters(name, owners_named(full));
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

  /// The functions outside tests of that name; none where they are many. Without its class, the ones of classes that
  /// the text speaks of with it, or else what it was given does.
  [[nodiscard]] std::vector<FunctionId> functions_meant(const std::string& name) const {
    std::vector<FunctionId> meant;
    for (const FunctionId id : internal::functions_named(program_, name)) {
      if (program_.functions()[id].def() != nullptr && !program::is_test_path(program_.module_of(id).path))
        meant.push_back(id);
    }
    if (meant.size() > 1) {
      std::vector<FunctionId> spoken = spoken_of(meant, [&](std::string_view words) { return contains(text_, words); });
      if (spoken.empty()) spoken = spoken_of(meant, [&](std::string_view words) { return material_.has_text(words); });
      if (!spoken.empty()) meant = std::move(spoken);
    }
    if (meant.size() > kMostMeant) meant.clear();
    return meant;
  }

  template <class Has>
  [[nodiscard]] std::vector<FunctionId> spoken_of(const std::vector<FunctionId>& functions, const Has& has) const {
    std::vector<FunctionId> spoken;
    for (const FunctionId id : functions) {
      const program::ClassId owner = program_.functions()[id].owner;
      if (owner.valid() && has(fmt::format("{}.{}", program_.classes()[owner].name, program_.functions()[id].name)))
        spoken.push_back(id);
    }
    return spoken;
  }

  /// Of "Class.attribute": the class.
  [[nodiscard]] std::vector<program::ClassId> owners_named(std::string_view full) const {
    std::vector<program::ClassId> owners;
    const std::size_t dot = full.rfind('.');
    if (dot == std::string_view::npos) return owners;
    const std::string_view name = internal::last_part(full.substr(0, dot));
    for (std::size_t i = 0; i < program_.classes().size(); ++i) {
      if (program_.classes()[program::ClassId(i)].name == name) owners.emplace_back(i);
    }
    return owners;
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
            add_resets_of(attribute, setters_in_.classes_of(id, *read->value));
          });
    }
  }

  [[nodiscard]] bool is_told(const Setter& setter, std::string_view name) const {
    const std::string_view value = trim(setter.code.substr(setter.code.find('=') + 1));
    // `self.name = name` says no more than the caller does.
    return value == name || material_.has_text(setter.code);
  }

  // Where a value is set that the text names, where there are few places.
  void add_setters(const std::string& name, const std::vector<program::ClassId>& owners) {
    std::vector<std::string> found;
    std::vector<Setter> setters = setters_in_.of(name);
    if (owners.empty()) keep_one_meaning(setters);
    for (const Setter& setter : setters) {
      if (is_told(setter, name) || !setters_in_.may_be_of(setter, owners)) continue;
      found.push_back(place_text(setter));
      if (found.size() > kMostSetters) return;
    }
    setters_.insert(setters_.end(), found.begin(), found.end());
  }

  // Classes that share no object have attributes of their own: those that the text or what it was given speaks of.
  void keep_one_meaning(std::vector<Setter>& setters) const {
    const auto is_spoken_of = [&](const Setter& setter) {
      return std::any_of(setter.classes.begin(), setter.classes.end(), [&](program::ClassId cls) {
        const std::string_view name = program_.classes()[cls].name;
        return contains(text_, name) || material_.has_text(name);
      });
    };
    const auto first =
        std::find_if(setters.begin(), setters.end(), [](const Setter& setter) { return !setter.classes.empty(); });
    const bool is_one = first == setters.end() || std::all_of(setters.begin(), setters.end(), [&](const Setter& other) {
                          return other.classes.empty() || setters_in_.may_be_of(other, first->classes);
                        });
    if (!is_one) std::erase_if(setters, [&](const Setter& setter) { return !is_spoken_of(setter); });
  }

  // Who sets anew, when objects are made already, what an object of `owners` reads. What is not known to be such an
  // object counts only where few places set a value of this name at all.
  void add_resets_of(const std::string& name, const std::vector<program::ClassId>& owners) {
    const std::vector<Setter> setters = setters_in_.of(name);
    std::vector<std::string> found;
    for (const Setter& setter : setters) {
      const bool is_known = !owners.empty() && !setter.classes.empty();
      if (is_known ? !setters_in_.may_be_of(setter, owners) : setters.size() > kMostSetters) continue;
      const std::string_view in = program_.functions()[setter.function].name;
      const bool is_made =
          in == "__init__" || in == "__post_init__" || program_.functions()[setter.function].def() == nullptr;
      if (is_made || is_told(setter, name)) continue;
      found.push_back(place_text(setter));
      if (found.size() > kMostSetters) return;
    }
    resets_.insert(resets_.end(), found.begin(), found.end());
  }

  [[nodiscard]] std::string place_text(const Setter& setter) const {
    return fmt::format("{}:{} in {}: {}", program_.module_of(setter.function).path, setter.line + 1,
                       report::short_name(program_, setter.function), setter.code);
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
  std::string_view text_;
  AttributeSetters setters_in_;
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
