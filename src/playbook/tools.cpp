#include "playbook/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/strings.h"
#include "playbook/tools_parts.h"

namespace lockstep::playbook {

namespace {

constexpr std::size_t kMostFilesOfAKind = 200;

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional<int>(value) : std::nullopt;
}

// "a, b\nc" → a b c
std::vector<std::string> items_of(const Value& value) {
  std::vector<std::string> items;
  for (std::string text : value.texts()) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ',' || c == '\n' || c == '\t'; }, ' ');
    for (const std::string_view item : split(text, ' ')) {
      if (!trim(item).empty()) items.emplace_back(trim(item));
    }
  }
  return items;
}

/// A tool's table and the file it stands in.
struct Section {
  std::string_view tool;
  const Value& value;
  const std::string& path;
};

void read_line_length(const Section& section, Tools& tools) {
  for (const std::string_view key :
       {"line-length", "line_length", "max-line-length", "max_line_length", "column_limit"}) {
    const Value& value = section.value[key];
    if (const std::optional<int> length = number_of(value.scalar)) {
      tools.line_lengths.push_back({std::string(section.tool), *length, {section.path, value.line}});
    }
  }
}

void read_rules(const Section& section, std::string_view key, bool on, Tools& tools) {
  const Value& value = section.value[key];
  for (const std::string& code : items_of(value)) {
    tools.lint_rules.push_back({std::string(section.tool), code, on, {section.path, value.line}});
  }
}

void read_lint_section(const Section& section, Tools& tools) {
  if (!section.value.exists()) return;
  tools.configured[std::string(section.tool)].push_back({section.path, section.value.line});
  read_line_length(section, tools);
  for (const std::string_view key : {"select", "extend-select", "enable"}) read_rules(section, key, true, tools);
  for (const std::string_view key : {"ignore", "extend-ignore", "disable"}) read_rules(section, key, false, tools);
}

void read_pytest(const Value& options, const std::string& path, Tools& tools) {
  if (!options.exists()) return;
  tools.configured["pytest"].push_back({path, options.line});
  const Value& markers = options["markers"];
  for (const std::string& text : markers.texts()) {
    for (const std::string_view line : split_lines(text)) {
      const std::string_view name = trim(line.substr(0, line.find_first_of(":(")));
      if (!name.empty()) tools.markers.emplace(name, Place{path, markers.line});
    }
  }
}

void read_pyproject_tools(const Value& root, const std::string& path, Tools& tools) {
  const Value& tool = root["tool"];
  for (const auto& [name, value] : tool.members) {
    if (name == "pytest") continue;
    if (name == "ruff") {
      read_lint_section({"ruff", value["lint"], path}, tools);
      const Value& convention = value["lint"]["pydocstyle"]["convention"];
      const Value& older = value["pydocstyle"]["convention"];
      const Value& named = convention.exists() ? convention : older;
      if (named.exists()) tools.docstring_convention = {"ruff", named.scalar, {path, named.line}};
    }
    if (name == "pydocstyle" && value["convention"].exists())
      tools.docstring_convention = {"pydocstyle", value["convention"].scalar, {path, value["convention"].line}};
    if (name == "isort" && value["profile"].exists())
      tools.import_profile = {"isort", value["profile"].scalar, {path, value["profile"].line}};
    read_lint_section({name, value, path}, tools);
  }
  read_pytest(tool["pytest"]["ini_options"], path, tools);
}

void read_ini(const Value& root, const std::string& path, Tools& tools) {
  for (const auto& [raw, section] : root.members) {
    const std::string name = raw.starts_with("tool:") ? raw.substr(5) : raw;
    if (name == "pytest") {
      read_pytest(section, path, tools);
    } else if (name == "flake8" || name == "isort" || name == "pycodestyle" || name == "pydocstyle" || name == "mypy") {
      read_lint_section({name, section, path}, tools);
    } else if (name.starts_with("testenv:")) {
      tools.tox_environments.emplace(name.substr(8), Place{path, section.line});
    } else if (name_of(path).ends_with("pylintrc")) {
      read_lint_section({"pylint", section, path}, tools);
    }
  }
}

void read_pre_commit(const Value& root, const std::string& path, Tools& tools) {
  tools.has_pre_commit = true;
  tools.configured["pre-commit"].push_back({path, 0});
  for (const Value& repository : root["repos"].items) {
    const std::string& revision = repository["rev"].scalar;
    for (const Value& hook : repository["hooks"].items) {
      const std::string& id = hook["id"].scalar;
      tools.hooks.emplace(id, Place{path, hook["id"].line});
      // "refs/tags/26.3.0:refs/tags/26.3.0" names a tag as well.
      const std::string version = revision.substr(revision.rfind('/') + 1);
      tools.pins.push_back({normalise_package(id), version, {path, repository["rev"].line}});
      for (const std::string& dependency : hook["additional_dependencies"].texts()) {
        add_pin(dependency, {path, hook["additional_dependencies"].line}, tools);
      }
      const auto arguments = hook["args"].texts();
      for (const std::string& argument : arguments) {
        const std::size_t equals = argument.find('=');
        if (equals == std::string::npos || !contains(argument, "line-length")) continue;
        if (const auto length = number_of(std::string_view(argument).substr(equals + 1)))
          tools.line_lengths.push_back({id, *length, {path, hook["args"].line}});
      }
    }
  }
}

void read_workflow(const Value& root, const std::string& path, Tools& tools) {
  Workflow workflow{path, root["name"].scalar, {}};
  for (const auto& [id, job] : root["jobs"].members) {
    workflow.jobs.insert(id);
    if (job["name"].exists()) workflow.jobs.insert(job["name"].scalar);
  }
  tools.workflows.push_back(std::move(workflow));
}

void read_make(std::string_view text, const std::string& path, Tools& tools) {
  Named& targets = tools.make_targets[std::string(folder_of(path))];
  std::uint32_t line = 0;
  for (const std::string_view row : split_lines(text)) {
    const std::size_t colon = row.find(':');
    const bool assignment = colon != std::string_view::npos && colon + 1 < row.size() && row[colon + 1] == '=';
    if (colon != std::string_view::npos && !assignment && !row.empty() && row.front() != '\t' && row.front() != '#') {
      for (const std::string_view name : split(row.substr(0, colon), ' ')) {
        if (!name.empty()) targets.emplace(name, Place{path, line});
      }
    }
    ++line;
  }
}

void read_owners(std::string_view text, const std::string& path, Tools& tools) {
  tools.code_owners_path = path;
  for (const std::string_view line : split_lines(text)) {
    for (const std::string_view word : split(line.substr(0, line.find('#')), ' ')) {
      if (word.starts_with('@')) tools.owners.emplace(trim(word));
    }
  }
}

bool is_requirements(std::string_view path) {
  const std::string_view name = name_of(path);
  return name.starts_with("requirements") && (name.ends_with(".txt") || name.ends_with(".in"));
}

void read_requirements(std::string_view text, const std::string& path, Tools& tools) {
  std::uint32_t line = 0;
  for (const std::string_view row : split_lines(text)) {
    const std::string_view content = trim(row.substr(0, row.find(" #")));
    if (!content.empty() && content.front() != '#' && content.front() != '-') add_pin(content, {path, line}, tools);
    ++line;
  }
}

std::string first_line_as_pin(std::string_view text) {
  return fmt::format("=={}", trim(text.substr(0, text.find('\n'))));
}

void read_file(const std::string& path, std::string_view text, Tools& tools) {
  const std::string_view name = name_of(path);
  if (name == "pyproject.toml") {
    const Value root = parse_toml(text);
    read_project(root, path, tools);
    if (folder_of(path).empty()) read_pyproject_tools(root, path, tools);
  } else if (name == "package.json") {
    const Value root = parse_json(text);
    for (const auto& [script, value] : root["scripts"].members)
      tools.npm_scripts[std::string(folder_of(path))].emplace(script, Place{path, 0});
  } else if (name == "Makefile" || name == "makefile" || name == "GNUmakefile") {
    read_make(text, path, tools);
  } else if (is_requirements(path)) {
    read_requirements(text, path, tools);
  } else if (path.starts_with(".github/workflows/")) {
    read_workflow(parse_yaml(text), path, tools);
  } else if (name == "CODEOWNERS") {
    read_owners(text, path, tools);
  } else if (path == "ruff.toml" || path == ".ruff.toml") {
    const Value root = parse_toml(text);
    read_lint_section({"ruff", root, path}, tools);
    read_lint_section({"ruff", root["lint"], path}, tools);
  } else if (path == ".pre-commit-config.yaml") {
    read_pre_commit(parse_yaml(text), path, tools);
  } else if (path == ".python-version") {
    tools.pins.push_back({"python", first_line_as_pin(text), {path, 0}});
  } else if (name == "setup.cfg") {
    const Value root = parse_ini(text);
    read_setup_cfg(root, path, tools);
    if (folder_of(path).empty()) read_ini(root, path, tools);
  } else {
    read_ini(parse_ini(text), path, tools);
  }
}

bool is_configuration(std::string_view path) {
  static const std::set<std::string_view> kAtRoot = {
      "tox.ini",    "pytest.ini", ".flake8",  ".pylintrc", "pylintrc",        "ruff.toml",
      ".ruff.toml", ".isort.cfg", "mypy.ini", ".mypy.ini", ".python-version", ".pre-commit-config.yaml"};
  static const std::set<std::string_view> kAnywhere = {"pyproject.toml", "setup.cfg", "package.json",
                                                       "Makefile",       "makefile",  "GNUmakefile"};
  const bool workflow = path.starts_with(".github/workflows/") && (path.ends_with(".yml") || path.ends_with(".yaml"));
  const bool owners = path == "CODEOWNERS" || path == ".github/CODEOWNERS" || path == "docs/CODEOWNERS";
  return kAtRoot.contains(path) || kAnywhere.contains(name_of(path)) || is_requirements(path) || workflow || owners;
}

}  // namespace

std::string normalise_package(std::string_view name) {
  std::string result;
  for (const char c : to_lower(trim(name))) {
    const bool separator = c == '_' || c == '.' || c == '-';
    if (separator && !result.empty() && result.back() == '-') continue;
    result += separator ? '-' : c;
  }
  return result;
}

void add_pin(std::string_view requirement, const Place& place, Tools& tools) {
  const std::string_view wanted = trim(requirement.substr(0, requirement.find(';')));
  std::size_t end = 0;
  while (end < wanted.size() && wanted.find_first_of("<>=!~ [@(", end) != end) ++end;
  if (end == 0) return;
  std::string_view rest = wanted.substr(end);
  if (rest.starts_with('[')) rest = rest.substr(std::min(rest.size(), rest.find(']') + 1));
  rest = trim(rest);
  if (rest.starts_with('@')) rest = {};
  tools.pins.push_back({normalise_package(wanted.substr(0, end)), replace_all(rest, " ", ""), place});
}

const Project* Tools::project_in(std::string_view folder) const {
  for (const Project& project : projects) {
    if (project.folder == folder) return &project;
  }
  return nullptr;
}

std::vector<const Pin*> Tools::pins_of(std::string_view package) const {
  const std::string name = normalise_package(package);
  std::vector<const Pin*> result;
  for (const Pin& pin : pins) {
    if (pin.name == name) result.push_back(&pin);
  }
  return result;
}

Tools gather_tools(const repo::Snapshot& snapshot, const Paths& paths, const program::Program& program) {
  Tools tools;
  std::map<std::string, std::size_t, std::less<>> seen;
  for (const std::string& path : paths.files()) {
    if (!is_configuration(path) || ++seen[std::string(name_of(path))] > kMostFilesOfAKind) continue;
    // A symbolic link's target is read through the file it points to.
    if (paths.links().contains(path)) continue;
    const Result<std::string> text = snapshot.read(path);
    if (text && text->size() <= kMaxConfigBytes) read_file(path, *text, tools);
  }
  read_python_configuration(program, tools);
  std::stable_sort(tools.pins.begin(), tools.pins.end(), [](const Pin& a, const Pin& b) {
    return std::tie(a.name, a.place.path, a.place.line) < std::tie(b.name, b.place.path, b.place.line);
  });
  return tools;
}

}  // namespace lockstep::playbook
