// How a new option travels: where options are declared, and a recent one shown through its commit.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "playbook/draft.h"
#include "program/queries.h"
#include "python/tree_walk.h"

namespace lockstep::playbook {

namespace {

std::size_t declared_fields(const program::Class& cls) {
  return static_cast<std::size_t>(
      std::count_if(cls.fields.begin(), cls.fields.end(), [](const program::Field& one) { return one.in_class_body; }));
}

/// The dataclass with options that is used most; none where no class has many.
program::ClassId config_class(const DraftInputs& inputs) {
  constexpr std::size_t kManyFields = 8;
  const program::Program& program = inputs.ground.program;
  program::ClassId best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::Class& cls = program.classes()[program::ClassId(i)];
    const bool named = contains(cls.name, "Config") || contains(cls.name, "Args") || contains(cls.name, "Options");
    if (!cls.is_dataclass || !named || cls.owner.valid() || declared_fields(cls) < kManyFields ||
        !is_own_code(inputs, program.modules()[cls.module].path))
      continue;
    const std::size_t worth = (inputs.importers_of(cls.qualified_name) + 1) * declared_fields(cls);
    if (worth <= most) continue;
    most = worth;
    best = program::ClassId(i);
  }
  return best;
}

/// The module that declares the most flags, and how many.
std::pair<std::string, std::size_t> flag_module(const DraftInputs& inputs, Place& first) {
  std::map<std::string, std::pair<std::size_t, Place>> counts;
  for (const Flag& flag : flags_of(inputs.ground.program)) {
    if (!is_own_code(inputs, flag.place.path)) continue;
    auto& [count, place] = counts[flag.place.path];
    if (count++ == 0) place = flag.place;
  }
  std::pair<std::string, std::size_t> best{{}, 0};
  for (const auto& [path, one] : counts) {
    if (one.first <= best.second) continue;
    best = {path, one.first};
    first = one.second;
  }
  return best;
}

// Fields that a class declares in a text of its file.
std::set<std::string> fields_in(std::string text, std::string_view class_name) {
  std::set<std::string> names;
  const auto facts = python::extract_facts(std::move(text));
  python::walk_of<python::ClassDef>(facts->tree(), python::Nested::kEnter, [&](const python::ClassDef* cls) {
    if (cls->name.text != class_name) return;
    for (const python::Stmt* statement : cls->body) {
      const auto* field = python::as<python::AnnAssign>(statement);
      const auto* name = field != nullptr ? python::as<python::Name>(field->target) : nullptr;
      if (name != nullptr) names.emplace(name->id);
    }
  });
  return names;
}

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The first line of `text` with `name` (or its flag, with '-') as a whole word.
std::optional<std::uint32_t> line_with(std::string_view text, std::string_view name) {
  const std::string dashed = replace_all(name, "_", "-");
  for (const std::string_view form : {name, std::string_view(dashed)}) {
    for (std::size_t at = text.find(form); at != std::string_view::npos; at = text.find(form, at + 1)) {
      const std::size_t end = at + form.size();
      if ((at > 0 && is_word_char(text[at - 1])) || (end < text.size() && is_word_char(text[end]))) continue;
      return static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    }
  }
  return std::nullopt;
}

/// A field that a recent commit added, and where else that commit put it.
struct Example {
  std::string field, commit;
  std::vector<Place> places;  // the declaration first
};

std::vector<Place> places_of_field(const DraftInputs& inputs, const repo::CommitPaths& commit, const std::string& field,
                                   const std::string& config_path) {
  std::vector<Place> places;
  for (const std::string& path : commit.paths) {
    const bool readable = path.ends_with(".py") || path.ends_with(".md") || path.ends_with(".sh");
    if (!readable || !inputs.ground.paths.has_file(path) || playbook_kind(path)) continue;
    const Result<std::string> text = inputs.ground.snapshot.read(path);
    if (!text) continue;
    if (const auto line = line_with(*text, field)) {
      const Place place{path, *line};
      if (path == config_path) {
        places.insert(places.begin(), place);
      } else {
        places.push_back(place);
      }
    }
  }
  // Code before tests and documents.
  if (places.size() > 2)
    std::stable_sort(places.begin() + 1, places.end(), [](const Place& a, const Place& b) {
      const auto rank = [](const Place& one) {
        return !one.path.ends_with(".py") ? 3 : program::is_test_path(one.path) ? 2 : is_side_code(one.path) ? 1 : 0;
      };
      return rank(a) < rank(b);
    });
  return places;
}

std::optional<Example> recent_field(const DraftInputs& inputs, const program::Class& cls, const std::string& path) {
  constexpr std::size_t kMostLooked = 40;
  std::optional<Example> best;
  std::size_t looked = 0;
  const auto current = inputs.ground.snapshot.read(path);
  if (!current || inputs.repository == nullptr) return best;
  const std::set<std::string> present = fields_in(*current, cls.name);
  for (const repo::CommitPaths& commit : inputs.commits) {
    if (commit.info.parents.empty() || !std::binary_search(commit.paths.begin(), commit.paths.end(), path)) continue;
    if (++looked > kMostLooked) break;
    const auto after = inputs.repository->snapshot_at(commit.info.id);
    const auto before = inputs.repository->snapshot_at(commit.info.parents[0]);
    if (!after || !before) continue;
    Result<std::string> new_text = after->read(path), old_text = before->read(path);
    if (!new_text || !old_text) continue;
    const std::set<std::string> old_fields = fields_in(std::move(*old_text), cls.name);
    for (const std::string& field : fields_in(std::move(*new_text), cls.name)) {
      if (old_fields.contains(field) || !present.contains(field)) continue;
      std::vector<Place> places = places_of_field(inputs, commit, field, path);
      const auto declared = std::find_if(cls.fields.begin(), cls.fields.end(),
                                         [&](const program::Field& one) { return one.name == field; });
      if (places.size() < 3 || places[0].path != path || declared == cls.fields.end()) continue;
      places[0] = place_of(inputs.ground.program.modules()[cls.module], declared->node->span);
      return Example{field, commit.info.id.substr(0, 10), std::move(places)};
    }
  }
  return best;
}

void draft_config(const DraftInputs& inputs, DraftSection& section) {
  const program::Program& program = inputs.ground.program;
  const program::ClassId id = config_class(inputs);
  if (!id.valid()) return;
  const program::Class& cls = program.classes()[id];
  const Place place = place_of(program, id);
  DraftLine line{"Options", fmt::format("fields of {}", named_place(cls.name, place)), 86, {place}};
  Place first_flag;
  const auto [flags_path, count] = flag_module(inputs, first_flag);
  if (count >= 5) {
    line.text += fmt::format("; flags in `{}`", flags_path);
    line.sources.push_back(first_flag);
  }
  line.text += ".";
  section.lines.push_back(std::move(line));
  if (const auto example = recent_field(inputs, cls, place.path)) {
    DraftLine shown{"A recent option", fmt::format("`{}` (commit {})", example->field, example->commit), 88, {}};
    std::vector<std::string> parts;
    for (const Place& one : example->places) {
      if (parts.size() >= 6) break;
      parts.push_back(fmt::format("`{}:{}`", one.path, one.line + 1));
      shown.sources.push_back(one);
    }
    shown.text +=
        fmt::format(": declared at {}, then {}.", parts[0], join(std::span<const std::string>(parts).subspan(1), ", "));
    section.lines.push_back(std::move(shown));
  }
}

// Components that each declare their options in a class of their own inside.
void draft_nested(const DraftInputs& inputs, DraftSection& section) {
  constexpr std::size_t kMany = 8;
  const program::Program& program = inputs.ground.program;
  std::size_t count = 0, most = 0;
  program::ClassId best;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::Class& cls = program.classes()[program::ClassId(i)];
    if (!cls.owner.valid() || cls.name != "Config" || !is_own_code(inputs, program.modules()[cls.module].path))
      continue;
    ++count;
    const std::size_t use = inputs.importers_of(program.classes()[cls.owner].qualified_name);
    const std::size_t worth = (use + 1) * declared_fields(cls);
    if (worth <= most) continue;
    most = worth;
    best = program::ClassId(i);
  }
  if (count < kMany || !best.valid()) return;
  const program::Class& cls = program.classes()[best];
  const Place place = place_of(program, best);
  const std::string name = fmt::format("{}.{}", program.classes()[cls.owner].name, cls.name);
  section.lines.push_back(
      {"Options of a component",
       fmt::format("fields of the `Config` class inside it ({} of them), such as {}.", count, named_place(name, place)),
       87,
       {place}});
}

}  // namespace

void draft_options(const DraftInputs& inputs, DraftSection& section) {
  draft_nested(inputs, section);
  draft_config(inputs, section);
}

}  // namespace lockstep::playbook
