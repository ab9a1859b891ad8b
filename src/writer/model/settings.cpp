#include "writer/model/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

// toml++ without exceptions, as in driver/configuration.cpp: Debian's compiled library has only the throwing form.
#define TOML_EXCEPTIONS 0
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_SHARED_LIB 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "base/strings.h"

namespace lockstep::writer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = 1u << 20;
constexpr std::array<std::string_view, 10> kKeys = {
    "name",           "url",    "api", "key-env", "input-price", "cached-input-price", "output-price", "currency",
    "context-tokens", "request"};
/// Of a request, what Lockstep writes itself: another value would break the exchange or let a document escape its
/// limits.
constexpr std::array<std::string_view, 10> kOwnFields = {
    "max_completion_tokens", "max_tokens", "messages",    "model", "n", "stream",
    "stream_options",        "system",     "tool_choice", "tools"};

std::string nearest(std::string_view key) {
  std::string_view best;
  std::size_t best_distance = 4;
  for (const std::string_view known : kKeys) {
    const std::size_t distance = edit_distance(key, known, 3);
    if (distance < best_distance) best = known, best_distance = distance;
  }
  return best.empty() ? fmt::format("known: {}", fmt::join(kKeys, ", ")) : fmt::format("did you mean '{}'?", best);
}

// Reads the table; the first error sticks.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string_view file) : table_(table), file_(file) {}

  void only_known_keys() {
    for (const auto& [key, value] : table_) {
      if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end())
        stop(fmt::format("{}: unknown setting 'model.{}'", file_, key.str()), nearest(key.str()));
    }
  }

  std::string text(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return {};
    if (const auto* value = node->as_string(); value != nullptr && !value->get().empty()) return value->get();
    stop(fmt::format("{}: 'model.{}' must be a text", file_, key), "put the value in quotes");
    return {};
  }

  std::optional<double> price(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const std::optional<double> value = node->value<double>();
    if (node->is_number() && value && std::isfinite(*value) && *value >= 0) return value;
    stop(fmt::format("{}: 'model.{}' must be a number, not negative", file_, key), "the price of a million tokens");
    return std::nullopt;
  }

  std::size_t count(std::string_view key) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return 0;
    constexpr std::int64_t kMost = 1'000'000'000;
    if (const auto* value = node->as_integer(); value != nullptr && value->get() > 0 && value->get() <= kMost)
      return static_cast<std::size_t>(value->get());
    stop(fmt::format("{}: 'model.{}' must be a positive whole number", file_, key), "");
    return 0;
  }

  /// The table [model.request] as JSON; empty where there is none.
  std::string request_fields() {
    const toml::node* node = table_.get("request");
    if (node == nullptr) return {};
    const toml::table* fields = node->as_table();
    if (fields == nullptr) {
      stop(fmt::format("{}: 'model.request' must be a table", file_), "write [model.request]");
      return {};
    }
    for (const auto& [key, value] : *fields) {
      if (std::find(kOwnFields.begin(), kOwnFields.end(), key.str()) != kOwnFields.end()) {
        stop(fmt::format("{}: 'model.request.{}' is written by Lockstep itself", file_, key.str()), "leave it out");
        return {};
      }
    }
    if (fields->empty()) return {};
    std::ostringstream out;
    // Dates have no JSON form of their own: they become texts.
    out << toml::json_formatter{
        *fields, toml::format_flags::quote_dates_and_times | toml::format_flags::quote_infinities_and_nans};
    return out.str();
  }

  void stop(std::string message, std::string next_step) {
    if (!error_) error_ = Error{std::move(message), std::move(next_step)};
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  const toml::table& table_;
  std::string_view file_;
  std::optional<Error> error_;
};

std::optional<Prices> read_prices(TableReader& reader, std::string_view file) {
  const std::optional<double> input = reader.price("input-price");
  const std::optional<double> cached = reader.price("cached-input-price");
  const std::optional<double> output = reader.price("output-price");
  const std::string currency = reader.text("currency");
  if (!input && !output && !cached) return std::nullopt;
  if (!input || !output) {
    reader.stop(fmt::format("{}: 'model.input-price' and 'model.output-price' belong together", file), "give both");
    return std::nullopt;
  }
  Prices prices{*input, cached.value_or(*input), *output, "USD"};
  if (!currency.empty()) prices.currency = currency;
  return prices;
}

Result<ModelSettings> read_table(const toml::table& table, std::string_view file) {
  TableReader reader(table, file);
  reader.only_known_keys();
  ModelSettings settings;
  settings.name = reader.text("name");
  settings.url = reader.text("url");
  settings.key_variable = reader.text("key-env");
  if (const std::string api = reader.text("api"); !api.empty()) {
    settings.api = api_of(api);
    if (!settings.api)
      reader.stop(fmt::format("{}: 'model.api' cannot be '{}'", file, api), "known: openai, anthropic");
  }
  settings.prices = read_prices(reader, file);
  settings.context_tokens = reader.count("context-tokens");
  settings.request_fields = reader.request_fields();
  if (reader.error()) return tl::unexpected<Error>(*reader.error());
  return settings;
}

// nullopt: there is no such file.
Result<std::optional<std::string>> read_whole(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
    if (text.size() > kMostFileBytes) return fail(fmt::format("the configuration '{}' is larger than 1 MiB", path));
  }
  return text;
}

// Empty: there is no such place.
std::string own_file() {
  const char* configured = std::getenv("XDG_CONFIG_HOME");
  // The XDG specification: relative paths are to be ignored. Here they would be the repository's.
  if (configured != nullptr && configured[0] == '/') return std::string(configured) + "/lockstep/config.toml";
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.config/lockstep/config.toml" : std::string();
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return in_folder == folder.end();
}

// The outermost folder that may be meant by "the repository": the nearest one above `directory` with a .git, else
// `directory` itself.
fs::path repository_of(const fs::path& directory) {
  std::error_code ignored;
  for (fs::path folder = directory; folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return folder;
  }
  return directory;
}

bool belongs_to_repository(const std::string& config, const std::string& directory) {
  std::error_code failed;
  const fs::path real_directory = fs::canonical(directory, failed);
  if (failed) return false;  // there is nothing to review there
  const fs::path repository = repository_of(real_directory);
  const fs::path real_config = fs::canonical(config, failed);
  const fs::path said_config = fs::canonical(fs::absolute(config).parent_path(), failed) / fs::path(config).filename();
  // Both ways: a link of the repository may lead out of it, and one outside may lead in.
  return is_inside(real_config, repository) || is_inside(said_config, repository);
}

}  // namespace

std::optional<WireApi> api_of(std::string_view name) {
  if (name == "openai") return WireApi::kOpenAi;
  if (name == "anthropic") return WireApi::kAnthropic;
  return std::nullopt;
}

Result<std::optional<ModelSettings>> parse_model_settings(std::string_view text, std::string_view name,
                                                          bool is_model_only) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return fail(fmt::format("{}:{}: not valid TOML: {}", name, parsed.error().source().begin.line,
                            parsed.error().description()),
                "correct the file");
  }
  const toml::table& all = parsed.table();
  if (is_model_only) {
    for (const auto& [key, value] : all) {
      if (key.str() != "model")
        return fail(fmt::format("{}: unknown setting '{}'", name, key.str()),
                    "only [model] stands in your own configuration; rules belong into a repository's lockstep.toml");
    }
  }
  const bool is_pyproject = name.ends_with("pyproject.toml");
  const toml::node_view<const toml::node> node = all.at_path(is_pyproject ? "tool.lockstep.model" : "model");
  if (!node) return std::optional<ModelSettings>();
  if (!node.is_table()) return fail(fmt::format("{}: 'model' must be a table", name), "write [model]");
  Result<ModelSettings> settings = read_table(*node.as_table(), name);
  if (!settings) return tl::unexpected<Error>(settings.error());
  return std::optional<ModelSettings>(std::move(*settings));
}

Result<ModelSettings> settings_of_user(const std::optional<std::string>& config, const std::string& directory) {
  const std::string own = own_file();
  for (const bool is_own : {false, true}) {
    if (is_own ? own.empty() : !config) continue;
    const std::string& path = is_own ? own : *config;
    const Result<std::optional<std::string>> text = read_whole(path);
    if (!text) return tl::unexpected<Error>(text.error());
    if (!*text) {
      if (is_own) continue;
      return fail(fmt::format("cannot read the configuration '{}'", path), "check the path after --config");
    }
    Result<std::optional<ModelSettings>> settings = parse_model_settings(**text, path, is_own);
    if (!settings) return tl::unexpected<Error>(settings.error());
    if (!*settings) continue;
    if (!is_own && belongs_to_repository(path, directory)) {
      return fail(fmt::format("'{}' belongs to the repository under review, which must not choose a model", path),
                  own.empty() ? std::string("keep [model] in a file outside of the repository")
                              : fmt::format("move [model] to {}", own));
    }
    return std::move(**settings);
  }
  return ModelSettings{};
}

}  // namespace lockstep::writer
