#include "driver/configuration.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <span>

// toml++ without exceptions: parsing hostile text gives a result, never a throw. Debian's compiled library has only the
// throwing form, so the header is used alone.
#define TOML_EXCEPTIONS 0
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_SHARED_LIB 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "base/nearest.h"
#include "base/strings.h"
#include "rules/rule.h"

namespace lockstep::driver {

namespace {

using rules::Settings;
using rules::Severity;

std::string nearest(std::string_view name, std::span<const std::string_view> known) {
  return did_you_mean_or(nearest_names(name, known, 3), fmt::format("known: {}", fmt::join(known, ", ")));
}

/// Reads one table; the first error sticks.
class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  void only_keys(const toml::table& table, std::string_view where, std::span<const std::string_view> known) {
    for (const auto& [key, value] : table) {
      if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
        stop(fmt::format("{}: unknown setting '{}{}'", name_, where, key.str()), nearest(key.str(), known));
      }
    }
  }

  const toml::table* table(const toml::table& parent, std::string_view key) {
    const toml::node* node = parent.get(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) stop(fmt::format("{}: '{}' must be a table", name_, key), fmt::format("write [{}]", key));
    return node->as_table();
  }

  std::vector<std::string> strings(const toml::node& node, std::string_view key) {
    std::vector<std::string> values;
    const toml::array* array = node.as_array();
    if (array == nullptr) {
      stop(fmt::format("{}: '{}' must be a list of strings", name_, key), "write [\"…\", \"…\"]");
      return values;
    }
    for (const toml::node& element : *array) {
      if (const auto* text = element.as_string()) {
        values.push_back(text->get());
      } else {
        stop(fmt::format("{}: '{}' must hold strings only", name_, key), "put each value in quotes");
      }
    }
    return values;
  }

  /// The list of tables under a key; null where it is something else.
  const toml::array* tables(const toml::node& node, std::string_view key) {
    const toml::array* array = node.as_array();
    const bool is_good = array != nullptr && std::all_of(array->begin(), array->end(),
                                                         [](const toml::node& each) { return each.is_table(); });
    if (!is_good) stop(fmt::format("{}: '{}' must be a list of tables", name_, key), fmt::format("write [[{}]]", key));
    return is_good ? array : nullptr;
  }

  /// A string that must be there and not empty.
  std::string text(const toml::table& table, std::string_view key, std::string_view where, std::string_view next_step) {
    const toml::node* node = table.get(key);
    const auto* text = node == nullptr ? nullptr : node->as_string();
    if (text != nullptr && !text->get().empty()) return text->get();
    stop(fmt::format("{}: '{}' must be a text", name_, where), std::string(next_step));
    return {};
  }

  /// The entry of `known` that `value` spells.
  std::string_view one_of(std::string_view value, std::span<const std::string_view> known, std::string_view what) {
    const auto found = std::find(known.begin(), known.end(), value);
    if (found != known.end()) return *found;
    stop(fmt::format("{}: {} cannot be '{}'", name_, what, value), nearest(value, known));
    return {};
  }

  std::uint8_t small_number(const toml::node& node, std::string_view key) {
    const auto* number = node.as_integer();
    if (number != nullptr && number->get() >= 0 && number->get() < 256) return static_cast<std::uint8_t>(number->get());
    stop(fmt::format("{}: '{}' must be a number from 0 to 255", name_, key), "count positions from 0, without self");
    return 0;
  }

  void no_model() {
    stop(fmt::format("{}: a repository cannot choose a model ('model')", name_),
         "keep [model] in ~/.config/lockstep/config.toml, or in a file outside of the repository that --config names");
  }

  std::int64_t number(const toml::node& node, std::string_view key, std::int64_t least, std::int64_t most) {
    const auto* number = node.as_integer();
    if (number != nullptr && number->get() >= least && number->get() <= most) return number->get();
    wrong(fmt::format("'{}' must be a number from {} to {}", key, least, most), "");
    return least;
  }

  void wrong(std::string_view message, std::string next_step) {
    stop(fmt::format("{}: {}", name_, message), std::move(next_step));
  }

  void rule_id(std::string_view id) {
    if (rules::find_rule(id) != nullptr) return;
    std::vector<std::string_view> ids;
    for (const rules::Rule& rule : rules::all_rules()) ids.push_back(rule.id);
    stop(fmt::format("{}: there is no rule '{}'", name_, id), nearest(id, ids));
  }

  std::optional<Severity> severity(const toml::node& node, std::string_view rule) {
    const auto* text = node.as_string();
    constexpr std::array<std::string_view, 4> kNames = {"P0", "P1", "P2", "P3"};
    for (std::size_t i = 0; text != nullptr && i < kNames.size(); ++i) {
      if (text->get() == kNames[i]) return static_cast<Severity>(i);
    }
    stop(fmt::format("{}: severity of '{}' must be \"P0\", \"P1\", \"P2\" or \"P3\"", name_, rule), "");
    return std::nullopt;
  }

 private:
  void stop(std::string message, std::string next_step) {
    if (!error_) error_ = Error{std::move(message), std::move(next_step)};
  }

  std::string_view name_;
  std::optional<Error> error_;
};

void read_rules(Reader& reader, const toml::table& table, Settings& settings) {
  constexpr std::array<std::string_view, 2> kKeys = {"disable", "severity"};
  reader.only_keys(table, "rules.", kKeys);
  if (const toml::node* disable = table.get("disable")) {
    settings.disabled_rules = reader.strings(*disable, "rules.disable");
    for (const std::string& id : settings.disabled_rules) reader.rule_id(id);
  }
  if (const toml::table* severities = reader.table(table, "severity")) {
    for (const auto& [key, value] : *severities) {
      reader.rule_id(key.str());
      if (const auto severity = reader.severity(value, key.str()))
        settings.severities[std::string(key.str())] = *severity;
    }
  }
}

program::CallModel read_model(Reader& reader, const toml::table& table) {
  constexpr std::array<std::string_view, 5> kKeys = {"name", "effect", "argument", "keyword", "returns"};
  reader.only_keys(table, "models.", kKeys);
  program::CallModel model;
  model.name = reader.text(table, "name", "models.name", "write the dotted name of a function, method or class");
  const std::string effect = reader.text(
      table, "effect", "models.effect",
      fmt::format("one of {}; docs/models.md says what each means", fmt::join(program::kCallModelEffects, ", ")));
  model.effect = reader.one_of(effect, program::kCallModelEffects, fmt::format("effect of '{}'", model.name));
  if (table.contains("keyword")) model.keyword = reader.text(table, "keyword", "models.keyword", "");
  if (const toml::node* argument = table.get("argument")) {
    model.argument = reader.small_number(*argument, "models.argument");
  }
  if (model.effect == "instance" || table.contains("returns")) {
    model.result = reader.text(table, "returns", "models.returns",
                               "write the dotted name of the class whose instance is returned");
  }
  return model;
}

void read_models(Reader& reader, const toml::table& root, Settings& settings) {
  const toml::node* node = root.get("models");
  if (node == nullptr) return;
  const toml::array* rows = reader.tables(*node, "models");
  if (rows == nullptr) return;
  for (const toml::node& row : *rows) settings.call_models.push_back(read_model(reader, *row.as_table()));
}

/// Optional list of strings.
void read_list(Reader& reader, const toml::table& table, std::string_view key, std::vector<std::string>& values) {
  if (const toml::node* node = table.get(key)) values = reader.strings(*node, fmt::format("written.{}", key));
}

rules::WrittenRule read_written_rule(Reader& reader, const toml::table& table) {
  constexpr std::array<std::string_view, 8> kKeys = {"name",       "paths",       "except", "forbid",
                                                     "raise-only", "line-length", "say",    "severity"};
  reader.only_keys(table, "written.", kKeys);
  rules::WrittenRule rule;
  rule.name = reader.text(table, "name", "written.name", "say in a few words what the rule is");
  if (table.contains("say")) rule.say = reader.text(table, "say", "written.say", "say what to do instead");
  read_list(reader, table, "paths", rule.paths);
  read_list(reader, table, "except", rule.except);
  read_list(reader, table, "forbid", rule.forbid);
  read_list(reader, table, "raise-only", rule.raise_only);
  if (const toml::node* node = table.get("line-length"))
    rule.line_length = reader.number(*node, "written.line-length", 1, 10000);
  if (const toml::node* node = table.get("severity")) {
    if (const auto severity = reader.severity(*node, rule.name)) rule.severity = *severity;
  }
  if (rule.forbid.empty() && rule.raise_only.empty() && rule.line_length == 0)
    reader.wrong(fmt::format("the written rule '{}' holds nothing", rule.name),
                 "give it forbid, raise-only or line-length: `lockstep rules written-rule` shows each");
  return rule;
}

void read_written(Reader& reader, const toml::table& root, Settings& settings) {
  const toml::node* node = root.get("written");
  if (node == nullptr) return;
  const toml::array* rows = reader.tables(*node, "written");
  if (rows == nullptr) return;
  for (const toml::node& row : *rows) settings.written.push_back(read_written_rule(reader, *row.as_table()));
}

void read_all(Reader& reader, const toml::table& root, bool is_of_user, Settings& settings) {
  constexpr std::array<std::string_view, 7> kKeys = {"rules", "paths", "mesh", "step", "models", "written", "model"};
  // [model] says where code and a key are sent: writer/model/settings.h reads it, from the user's own files alone.
  if (!is_of_user && root.contains("model")) reader.no_model();
  reader.only_keys(root, "", std::span<const std::string_view>(kKeys).first(is_of_user ? 7 : 6));
  if (const toml::table* table = reader.table(root, "rules")) read_rules(reader, *table, settings);
  if (const toml::table* table = reader.table(root, "paths")) {
    constexpr std::array<std::string_view, 1> kPathKeys = {"exclude"};
    reader.only_keys(*table, "paths.", kPathKeys);
    if (const toml::node* exclude = table->get("exclude"))
      settings.excluded_paths = reader.strings(*exclude, "paths.exclude");
  }
  if (const toml::table* table = reader.table(root, "mesh")) {
    constexpr std::array<std::string_view, 1> kMeshKeys = {"groups"};
    reader.only_keys(*table, "mesh.", kMeshKeys);
    if (const toml::table* groups = reader.table(*table, "groups")) {
      for (const auto& [key, value] : *groups) {
        settings.group_getters[std::string(key.str())] =
            reader.strings(value, fmt::format("mesh.groups.{}", key.str()));
      }
    }
  }
  if (const toml::table* table = reader.table(root, "step")) {
    constexpr std::array<std::string_view, 1> kStepKeys = {"entry-points"};
    reader.only_keys(*table, "step.", kStepKeys);
    if (const toml::node* points = table->get("entry-points")) {
      settings.hot_entry_points = reader.strings(*points, "step.entry-points");
    }
  }
  read_models(reader, root, settings);
  read_written(reader, root, settings);
}

Result<Settings> parse(std::string_view text, std::string_view name, std::string_view table, bool is_of_user) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const auto& where = parsed.error().source().begin;
    // A broken pyproject.toml is not ours to complain about; a broken lockstep.toml is.
    if (!table.empty()) return Settings{};
    return fail(fmt::format("{}:{}: not valid TOML: {}", name, where.line, parsed.error().description()),
                "correct the file, or pass another one with --config");
  }
  const toml::table* root = &parsed.table();
  Settings settings;
  if (!table.empty()) {
    root = parsed.table().at_path(table).as_table();
    if (root == nullptr) return settings;
  }
  Reader reader(name);
  read_all(reader, *root, is_of_user, settings);
  if (reader.error()) return tl::unexpected<Error>(*reader.error());
  return settings;
}

}  // namespace

Result<Settings> parse_settings(std::string_view text, std::string_view name, std::string_view table) {
  return parse(text, name, table, /*is_of_user=*/false);
}

Result<Settings> settings_of(const repo::Snapshot& snapshot) {
  if (snapshot.find("lockstep.toml")) {
    const Result<std::string> text = snapshot.read("lockstep.toml");
    if (!text) return tl::unexpected<Error>(text.error());
    return parse_settings(*text, "lockstep.toml");
  }
  if (snapshot.find("pyproject.toml")) {
    const Result<std::string> text = snapshot.read("pyproject.toml");
    if (text) return parse_settings(*text, "pyproject.toml", "tool.lockstep");
  }
  return Settings{};
}

Result<Settings> settings_from_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr)
    return fail(fmt::format("cannot read the configuration '{}'", path), "check the path after --config");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
    if (text.size() > (1u << 20)) return fail(fmt::format("the configuration '{}' is larger than 1 MiB", path));
  }
  const bool is_pyproject = path.ends_with("pyproject.toml");
  return parse(text, path, is_pyproject ? "tool.lockstep" : "", /*is_of_user=*/true);
}

}  // namespace lockstep::driver
