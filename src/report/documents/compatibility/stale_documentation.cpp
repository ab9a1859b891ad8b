#include "report/documents/compatibility/stale_documentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "report/document.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostFiles = 500;
constexpr std::size_t kMostBytes = 300'000;  ///< Of one file.
constexpr std::size_t kMostNames = 200;

/// The names of definitions and fields outside tests that nothing of the change goes on with under that name.
std::set<std::string> gone_names(const DocumentInputs& inputs) {
  std::set<std::string> gone;
  std::set<std::string> kept;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (entity.after) kept.emplace(change::last_part(entity.after->qualified_name));
    if (!entity.before || program::is_test_path(entity.before->path) || entity.kind == change::EntityKind::kModule)
      continue;
    const std::string_view name = change::last_part(entity.before->qualified_name);
    if (gone.size() < kMostNames && change::stands_out(name)) gone.emplace(name);
  }
  std::erase_if(gone, [&](const std::string& name) { return kept.contains(name); });
  return gone;
}

bool is_documentation(const repo::FileEntry& file) {
  const std::string name = to_lower(file.path);
  const bool is_prose = name.ends_with(".md") || name.ends_with(".rst");
  return is_prose && !contains(name, "changelog") && !contains(name, "release") && !program::is_test_path(file.path) &&
         file.size_bytes <= kMostBytes;
}

/// A field that a class loses, and the texts by which documentation makes objects of that class: "Owner.Config(".
struct LostField {
  std::string name;
  std::string maker;
};

/// Fields of classes outside tests that go while their class stays.
std::vector<LostField> lost_fields(const DocumentInputs& inputs) {
  std::vector<LostField> out;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (entity.kind != change::EntityKind::kField || !entity.before || entity.after ||
        program::is_test_path(entity.before->path) || out.size() == kMostNames)
      continue;
    const program::ClassId cls = entity.before->cls;
    if (!cls.valid()) continue;
    const program::Class& row = inputs.before->classes()[cls];
    const program::ClassId now = inputs.after->find_class(row.qualified_name);
    if (!now.valid() || inputs.after->find_field(now, change::last_part(entity.before->qualified_name)) != nullptr)
      continue;
    // `Config` alone may be anybody's.
    std::string maker(row.name);
    const std::string_view above =
        std::string_view(row.qualified_name).substr(0, row.qualified_name.size() - maker.size());
    if (above.ends_with(".") && inputs.before->find_class(above.substr(0, above.size() - 1)).valid())
      maker = std::string(change::last_part(above.substr(0, above.size() - 1))) + "." + maker;
    if (maker.size() > 8) out.push_back({std::string(change::last_part(entity.before->qualified_name)), maker + "("});
  }
  return out;
}

/// Where a call in a text that starts behind `open` ends: behind the bracket that closes it; none where it has no end
/// near.
std::size_t end_of_call(std::string_view text, std::size_t open) {
  constexpr std::size_t kLongest = 2'000;
  int depth = 1;
  for (std::size_t at = open; at < std::min(text.size(), open + kLongest); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return open;
}

/// Lines, from 0, on which calls of the maker give the field, themselves and not in a call inside.
std::vector<std::uint32_t> lines_giving(std::string_view text, const LostField& field) {
  std::vector<std::uint32_t> out;
  for (std::size_t at = find_text(text, field.maker); at != std::string_view::npos;
       at = find_text(text, field.maker, at + 1)) {
    if (at > 0 && is_name_char(text[at - 1])) continue;
    const std::size_t open = at + field.maker.size();
    const std::size_t end = end_of_call(text, open);
    const std::string_view inside = text.substr(open, end - open);
    for (std::size_t name = find_name(inside, field.name); name != std::string_view::npos;
         name = find_name(inside, field.name, name + 1)) {
      const std::string_view before = inside.substr(0, name);
      const bool is_own =
          std::count(before.begin(), before.end(), '(') == std::count(before.begin(), before.end(), ')');
      const std::string_view behind = trim(inside.substr(name + field.name.size()));
      if (!is_own || !behind.starts_with("=") || behind.starts_with("==")) continue;
      out.push_back(static_cast<std::uint32_t>(
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(open + name), '\n')));
    }
  }
  return out;
}

/// Documentation that makes an object of a class with a field that this loses.
void add_given_fields(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  const std::vector<LostField> fields = lost_fields(inputs);
  if (fields.empty()) return;
  std::vector<std::vector<std::string>> places(fields.size());
  std::size_t read = 0;
  for (const repo::FileEntry& file : inputs.after_files->files()) {
    if (!is_documentation(file)) continue;
    if (++read > kMostFiles) break;
    const auto bytes = inputs.after_files->read(file.path);
    if (!bytes) continue;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      for (const std::uint32_t line : lines_giving(*bytes, fields[i])) places[i].push_back(place(file.path, line));
    }
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (places[i].empty()) continue;
    constexpr std::size_t kMostPlaces = 3;
    const std::size_t all = places[i].size();
    if (all > kMostPlaces + 1) {
      places[i].resize(kMostPlaces);
      places[i].push_back(fmt::format("{} more", all - kMostPlaces));
    }
    risks.push_back(
        {RiskKind::kCompatibility,
         fmt::format("Documentation still gives {} to {}, which has no such field any more ({}).", code(fields[i].name),
                     code(fields[i].maker.substr(0, fields[i].maker.size() - 1)), join_words(places[i])),
         "Describes what is gone", false});
  }
}

/// A finding of the review says it already.
bool is_found(const DocumentInputs& inputs, const std::string& path, std::uint32_t line) {
  return std::any_of(inputs.findings.begin(), inputs.findings.end(), [&](const rules::Finding& finding) {
    return finding.rule == "stale-documentation" && finding.path == path && finding.start_line == line;
  });
}

bool stands_in_code(const program::Program& program, const std::string& name) {
  return std::any_of(program.modules().begin(), program.modules().end(),
                     [&](const program::Module& module) { return module.facts->has_name(name); });
}

}  // namespace

void add_stale_documentation(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  if (inputs.after_files == nullptr) return;
  add_given_fields(inputs, risks);
  const std::set<std::string> gone = gone_names(inputs);
  if (gone.empty()) return;
  std::map<std::string, std::vector<std::string>> places;  // By name, marked.
  std::size_t read = 0;
  for (const repo::FileEntry& file : inputs.after_files->files()) {
    if (!is_documentation(file)) continue;
    if (++read > kMostFiles) break;
    const auto bytes = inputs.after_files->read(file.path);
    if (!bytes) continue;
    for (const std::string& name : gone) {
      std::uint32_t line = 0;
      std::size_t from = 0;
      for (std::size_t at = find_name(*bytes, name); at != std::string_view::npos;
           at = find_name(*bytes, name, at + 1)) {
        line += static_cast<std::uint32_t>(std::count(bytes->begin() + static_cast<std::ptrdiff_t>(from),
                                                      bytes->begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        from = at;
        std::string where = place(file.path, line);
        if (is_found(inputs, file.path, line)) continue;
        if (places[name].empty() || places[name].back() != where) places[name].push_back(std::move(where));
      }
    }
  }
  std::erase_if(places, [&](const auto& one) { return stands_in_code(*inputs.after, one.first); });
  if (places.empty()) return;
  constexpr std::size_t kMostTold = 3;
  std::vector<std::string> told;
  for (const auto& [name, where] : places) {
    if (told.size() == kMostTold) break;
    constexpr std::size_t kMostPlaces = 2;
    std::vector<std::string> shown(where.begin(),
                                   where.begin() + static_cast<std::ptrdiff_t>(std::min(where.size(), kMostPlaces)));
    if (where.size() > shown.size()) shown.push_back(fmt::format("{} more", where.size() - shown.size()));
    told.push_back(fmt::format("{} ({})", code(name), join_words(shown)));
  }
  std::string names = join_words(told);
  if (places.size() > told.size()) names += fmt::format(" and {} more", places.size() - told.size());
  risks.push_back(
      {RiskKind::kCompatibility,
       fmt::format("Documentation still names what no Python code of the repository has any more: {}.", names),
       "Describes what is gone", false});
}

}  // namespace lockstep::report
