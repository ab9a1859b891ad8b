#include "writer/pack/names.h"

#include <algorithm>
#include <tuple>

#include "base/find_text.h"
#include "base/paths.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/source/code.h"
#include "report/source/standing_texts.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::ModuleId;
using program::Program;
using Kind = NameSite::Kind;

constexpr std::size_t kMostSought = 36;  // all source is searched for each
constexpr std::size_t kMostNames = 16;
constexpr std::size_t kOften = 30;        // lines with a name that is only handed around: `group`, `async_op`
constexpr std::size_t kEverywhere = 150;  // lines; what stands in more is no lead
constexpr std::size_t kLongWord = 9;      // shorter ones without an underscore are words of every second function

bool is_word_alone(std::string_view name) {
  return name.size() < kLongWord && name.find('_') == name.npos && name.find('-') == name.npos;
}

// "name = x" sets it, "name=x" hands it over; "name=name" only hands it on.
std::optional<Kind> assigned(std::string_view before, std::string_view after, std::string_view name) {
  const std::string_view next = trim(after);
  if (!next.starts_with('=') || next.starts_with("==")) return std::nullopt;
  if (after.starts_with('=') && !before.ends_with('.')) {
    const std::string_view value = trim(next.substr(1));
    const bool is_same = value.starts_with(name) && (value.size() == name.size() || !is_name_char(value[name.size()]));
    return is_same ? Kind::kHandsOn : Kind::kGives;
  }
  return Kind::kSets;
}

bool decides(std::string_view line, std::string_view before) {
  for (const std::string_view word : {"if ", "elif ", "while ", "assert ", "and ", "or ", "not ", "return "}) {
    if (line.starts_with(word)) return word != "return " || contains(line, " if ");
  }
  return contains(before, " if ");
}

Kind kind_of(std::string_view line, std::string_view before, std::string_view after, std::string_view name) {
  const std::string_view text = trim(line);
  if (text.starts_with(">>>")) return Kind::kSays;
  if (text.starts_with('#') || contains(before, " # ")) return Kind::kSays;
  if (text.starts_with("from ") || text.starts_with("import ")) return Kind::kImports;
  if (text.starts_with("def ") || text.starts_with("class ") || text.starts_with("async def ")) return Kind::kDefines;
  if (const auto kind = assigned(before, after, name)) {
    const bool is_owned = before.ends_with('.') || before.ends_with('"') || before.ends_with('\'');
    return *kind == Kind::kSets && !is_owned ? Kind::kLocal : *kind;
  }
  if (trim(before).empty() && trim(after).starts_with(':') && !after.starts_with(":=")) return Kind::kDefines;
  if (decides(text, before)) return Kind::kDecides;
  if (after.starts_with('(')) return Kind::kCalls;
  if (trim(before).empty() && (trim(after) == "," || trim(after).empty())) return Kind::kHandsOn;
  return Kind::kReads;
}

/// Finds where a name stands.
class Finder {
 public:
  explicit Finder(const report::DocumentInputs& inputs) : inputs_(inputs), program_(*inputs.after), texts_(program_) {}

  void find(ChangedName& name) const {
    for (std::size_t i = 0; i < program_.modules().size() && name.sites.size() <= kEverywhere; ++i) {
      const ModuleId id(i);
      const program::Module& module = program_.modules()[id];
      const SourceText& source = module.facts->source();
      const std::string_view bytes = source.bytes();
      std::optional<std::uint32_t> last;
      for (std::size_t at = find_name(bytes, name.name); at != bytes.npos; at = find_name(bytes, name.name, at + 1)) {
        const std::uint32_t line = source.line_of(static_cast<std::uint32_t>(at));
        if (line != last) consider(name, id, at, line);
        last = line;
      }
    }
  }

 private:
  void consider(ChangedName& name, ModuleId id, std::size_t at, std::uint32_t line) const {
    const program::Module& module = program_.modules()[id];
    const repo::FileChange* file = inputs_.change->diff->find_after(module.path);
    if (file != nullptr && file->lines.in_hunk(line)) return;
    if (program::is_test_path(module.path)) {
      ++name.in_tests;
      return;
    }
    const SourceText& source = module.facts->source();
    const FunctionId function = program_.function_at(id, static_cast<std::uint32_t>(at));
    const std::string_view text = source.line(line);
    const std::size_t column = at - source.line_start(line);
    const std::string_view before = text.substr(0, column), after = text.substr(column + name.name.size());
    const Kind kind =
        texts_.holds(id, static_cast<std::uint32_t>(at)) ? Kind::kSays : kind_of(text, before, after, name.name);
    name.sites.push_back({kind, function, line});
  }

  const report::DocumentInputs& inputs_;
  const Program& program_;
  report::StandingTexts texts_;
};

// A function says what it does with a name where it does the most with it; a second line of the same kind says little
// more, so these come behind.
void rank_sites(const Program& program, ChangedName& name) {
  std::stable_sort(name.sites.begin(), name.sites.end(), [&](const NameSite& a, const NameSite& b) {
    const auto rank = [&](const NameSite& site) {
      return std::make_tuple(
          site.kind, -static_cast<int>(shared_folders(program.module_of(site.function).path, name.mention.path)));
    };
    return rank(a) < rank(b);
  });
  std::set<std::pair<Kind, FunctionId>> seen;
  std::stable_partition(name.sites.begin(), name.sites.end(), [&](const NameSite& site) {
    return site.kind != Kind::kSays && seen.emplace(site.kind, site.function).second;
  });
}

// What a name promises before it is looked for.
double promise(std::string_view name, const NameMention& mention) {
  constexpr double kByUse[] = {1.5, 2, 3, 4, 4, 4.5, 5};
  return kByUse[static_cast<std::size_t>(mention.use)] * (name.find_first_of("_-") == name.npos ? 0.5 : 1);
}

// Rare names lead somewhere; of frequent ones a few lines tell little.
double worth(const ChangedName& name) {
  return promise(name.name, name.mention) / (1 + static_cast<double>(name.sites.size()) / 40);
}

}  // namespace

std::vector<ChangedName> find_names(const report::DocumentInputs& inputs, const report::Story& story,
                                    const std::vector<StateName>& state) {
  std::vector<ChangedName> names;
  for (auto& [name, mention] : names_of_change(inputs, story)) {
    const bool is_state =
        std::any_of(state.begin(), state.end(), [&](const StateName& one) { return one.name == name; });
    if (!is_state && !is_word_alone(name)) names.push_back({name, mention, {}, 0});
  }
  std::stable_sort(names.begin(), names.end(), [](const ChangedName& a, const ChangedName& b) {
    return promise(a.name, a.mention) > promise(b.name, b.mention);
  });
  if (names.size() > kMostSought) names.resize(kMostSought);
  const Finder finder(inputs);
  for (ChangedName& name : names) finder.find(name);
  // A name that the change makes and that nothing else has is told by the diff alone.
  std::erase_if(names, [](const ChangedName& name) {
    const NameUse use = name.mention.use;
    const bool only_said =
        std::all_of(name.sites.begin(), name.sites.end(), [](const NameSite& one) { return one.kind == Kind::kSays; });
    const bool is_handed = use == NameUse::kTakes || use == NameUse::kPasses || use == NameUse::kImports;
    return name.sites.size() > (is_handed ? kOften : kEverywhere) || (only_said && use != NameUse::kDrops);
  });
  std::stable_sort(names.begin(), names.end(),
                   [](const ChangedName& a, const ChangedName& b) { return worth(a) > worth(b); });
  if (names.size() > kMostNames) names.resize(kMostNames);
  for (ChangedName& name : names) rank_sites(*inputs.after, name);
  return names;
}

Leads find_leads(const report::DocumentInputs& inputs, const report::Story& story) {
  Leads leads{find_state(inputs, story), {}};
  leads.names = find_names(inputs, story, leads.state);
  return leads;
}

}  // namespace lockstep::writer
