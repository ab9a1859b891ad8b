// How a new option travels, shown on a recent one, and where the architecture is made to be extended.
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

bool is_own_code(const DraftInputs& inputs, std::string_view path) {
  return !is_side_code(path) && (inputs.main_package.empty() || is_below(path, inputs.main_package));
}

std::size_t declared_fields(const program::Class& cls) {
  return static_cast<std::size_t>(
      std::count_if(cls.fields.begin(), cls.fields.end(), [](const program::Field& one) { return one.in_class_body; }));
}

/// The dataclass that most options are fields of; none where no class has many.
program::ClassId config_class(const DraftInputs& inputs) {
  constexpr std::size_t kManyFields = 8;
  const program::Program& program = inputs.ground.program;
  program::ClassId best;
  std::size_t most = kManyFields - 1;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::Class& cls = program.classes()[program::ClassId(i)];
    const bool named = contains(cls.name, "Config") || contains(cls.name, "Args") || contains(cls.name, "Options");
    if (!cls.is_dataclass || !named || !is_own_code(inputs, program.modules()[cls.module].path)) continue;
    if (declared_fields(cls) <= most) continue;
    most = declared_fields(cls);
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
        return !one.path.ends_with(".py") ? 2 : program::is_test_path(one.path) ? 1 : 0;
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
      if (places.size() < 3 || places[0].path != path) continue;
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

// Names of options by what they start with.
void draft_families(const DraftInputs& inputs, DraftSection& section) {
  const program::ClassId id = config_class(inputs);
  if (!id.valid()) return;
  std::map<std::string, std::size_t> families;
  for (const program::Field& field : inputs.ground.program.classes()[id].fields) {
    const std::size_t end = field.name.find('_');
    if (field.in_class_body && end != std::string_view::npos && end >= 3)
      ++families[std::string(field.name.substr(0, end + 1))];
  }
  std::vector<std::pair<std::string, std::size_t>> ranked(families.begin(), families.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [prefix, count] : ranked) {
    if (count >= 5 && parts.size() < 5) parts.push_back(fmt::format("`{}*` ({})", prefix, count));
  }
  if (parts.empty()) return;
  section.lines.push_back(
      {"Families of names", fmt::format("{}.", join(parts, ", ")), 52, {place_of(inputs.ground.program, id)}});
}

bool has_abstract_method(const program::Program& program, const program::Class& cls) {
  for (const program::FunctionId method : cls.methods) {
    const python::FunctionDef* def = program.functions()[method].def();
    if (def == nullptr) continue;
    const SourceText& source = program.modules()[cls.module].facts->source();
    for (const python::Expr* decorator : def->decorators) {
      if (contains(source.slice(decorator->span), "abstract")) return true;
    }
    for (const python::Stmt* statement : def->body) {
      const auto* raise = python::as<python::Raise>(statement);
      if (raise != nullptr && contains(source.slice(raise->span), "NotImplementedError")) return true;
    }
  }
  return false;
}

struct Extensible {
  program::ClassId cls;
  std::vector<std::string> below;  // subclasses that the code itself has, in the order of path
};

std::vector<std::string> own_subclasses(const DraftInputs& inputs, program::ClassId top) {
  const program::Program& program = inputs.ground.program;
  std::vector<std::string> names;
  std::set<program::ClassId> seen{top};
  std::vector<program::ClassId> open{top};
  while (!open.empty()) {
    const program::ClassId next = open.back();
    open.pop_back();
    for (const program::ClassId sub : program.subclasses_of(next)) {
      if (!seen.insert(sub).second) continue;
      open.push_back(sub);
      const program::Class& cls = program.classes()[sub];
      const std::string name(cls.name);
      if (is_own_code(inputs, program.modules()[cls.module].path) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  return names;
}

// Abstract classes with several implementations: strategies that a new one joins.
void draft_bases(const DraftInputs& inputs, DraftSection& section) {
  const program::Program& program = inputs.ground.program;
  std::vector<Extensible> found;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::ClassId id(i);
    const program::Class& cls = program.classes()[id];
    if (!is_own_code(inputs, program.modules()[cls.module].path) || cls.enclosing.valid() || cls.owner.valid())
      continue;
    if (program.subclasses_of(id).size() < 2 || !has_abstract_method(program, cls)) continue;
    Extensible one{id, own_subclasses(inputs, id)};
    if (one.below.size() >= 2) found.push_back(std::move(one));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Extensible& a, const Extensible& b) { return a.below.size() > b.below.size(); });
  if (found.size() > 7) found.resize(7);
  int worth = 76;
  for (const Extensible& one : found) {
    const Place place = place_of(program, one.cls);
    section.lines.push_back(
        {fmt::format("Base `{}`", program.classes()[one.cls].name),
         fmt::format("`{}:{}`; below it {}.", place.path, place.line + 1, quoted_list(one.below, 3, true)),
         worth,
         {place}});
    worth -= 3;
  }
}

struct Registry {
  std::string name;
  Place place;
  std::size_t entries = 0;
};

// Tables from names to classes or functions, at module level.
void find_tables(const DraftInputs& inputs, std::vector<Registry>& registries) {
  const program::Program& program = inputs.ground.program;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (!is_own_code(inputs, module.path)) continue;
    for (const python::Stmt* statement : module.facts->tree().body) {
      const python::Expr* target = nullptr;
      const python::Expr* value = nullptr;
      if (const auto* assign = python::as<python::Assign>(statement);
          assign != nullptr && assign->targets.size() == 1) {
        target = assign->targets[0];
        value = assign->value;
      } else if (const auto* annotated = python::as<python::AnnAssign>(statement)) {
        target = annotated->target;
        value = annotated->value;
      }
      const auto* name = python::as<python::Name>(target);
      const auto* table = python::as<python::Dict>(value);
      if (name == nullptr || table == nullptr || table->values.size() < 3) continue;
      const auto defined = std::count_if(table->values.begin(), table->values.end(), [&](const python::Expr* one) {
        const program::Reference reference = program.resolve(module.body, *one);
        return reference.kind == program::Reference::Kind::kClass ||
               reference.kind == program::Reference::Kind::kFunction;
      });
      if (static_cast<std::size_t>(defined) < 3) continue;
      registries.push_back({std::string(name->id), place_of(module, statement->span), table->values.size()});
    }
  }
}

// register_x(…): functions that the code calls to be known.
void find_registrars(const DraftInputs& inputs, std::vector<Registry>& registries) {
  const program::Program& program = inputs.ground.program;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::FunctionId id(i);
    const program::Function& function = program.functions()[id];
    if (!function.name.starts_with("register_") || function.owner.valid() || function.enclosing.valid() ||
        !is_own_code(inputs, program.module_of(id).path))
      continue;
    const std::size_t calls = program.callers_of(id).size();
    if (calls >= 3) registries.push_back({std::string(function.name), place_of(program, id), calls});
  }
}

void draft_registries(const DraftInputs& inputs, DraftSection& section) {
  std::vector<Registry> registries;
  find_tables(inputs, registries);
  find_registrars(inputs, registries);
  std::stable_sort(registries.begin(), registries.end(),
                   [](const Registry& a, const Registry& b) { return a.entries > b.entries; });
  if (registries.empty()) return;
  if (registries.size() > 5) registries.resize(5);
  DraftLine line{"Registries", {}, 72, {}};
  std::vector<std::string> parts;
  for (const Registry& one : registries) {
    parts.push_back(named_place(one.name, one.place));
    line.sources.push_back(one.place);
  }
  line.text = fmt::format("{}.", join(parts, ", "));
  section.lines.push_back(std::move(line));
}

// Functions that return a …Spec: how a model is put together.
void draft_specs(const DraftInputs& inputs, DraftSection& section) {
  const program::Program& program = inputs.ground.program;
  std::map<std::string, std::vector<program::FunctionId>> by_spec;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::FunctionId id(i);
    const program::Function& function = program.functions()[id];
    const python::FunctionDef* def = function.def();
    if (def == nullptr || def->returns == nullptr || function.owner.valid() || function.enclosing.valid() ||
        function.name.starts_with('_') || !is_own_code(inputs, program.module_of(id).path))
      continue;
    const std::string_view type = program.module_of(id).facts->source().slice(def->returns->span);
    if (type.ends_with("Spec") && type.size() > 4 && inputs.ground.names.defines(type))
      by_spec[std::string(type)].push_back(id);
  }
  std::string best;
  for (const auto& [type, functions] : by_spec) {
    if (best.empty() || functions.size() > by_spec[best].size()) best = type;
  }
  if (best.empty() || by_spec[best].size() < 3) return;
  const Place type_place = inputs.ground.names.places_of(best).front();
  DraftLine line{"Specs",
                 fmt::format("{} functions return a {}, such as ", by_spec[best].size(), named_place(best, type_place)),
                 70,
                 {type_place}};
  std::vector<std::string> parts;
  std::vector<program::FunctionId> functions = by_spec[best];
  std::stable_sort(functions.begin(), functions.end(), [&](program::FunctionId a, program::FunctionId b) {
    return program.callers_of(a).size() > program.callers_of(b).size();
  });
  for (const program::FunctionId id : functions) {
    if (parts.size() >= 2) break;
    parts.push_back(named_place(program.functions()[id].name, place_of(program, id)));
    line.sources.push_back(place_of(program, id));
  }
  line.text += join(parts, ", ") + ".";
  section.lines.push_back(std::move(line));
}

}  // namespace

DraftSection draft_plumbing(const DraftInputs& inputs) {
  DraftSection section{"Where new things go", {}};
  draft_config(inputs, section);
  draft_families(inputs, section);
  draft_specs(inputs, section);
  draft_registries(inputs, section);
  draft_bases(inputs, section);
  return section;
}

}  // namespace lockstep::playbook
