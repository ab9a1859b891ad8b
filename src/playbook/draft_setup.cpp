// The environment: Python, the package manager and what it installs, what must be there before.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "playbook/draft.h"

namespace lockstep::playbook {

namespace {

std::string read_text(const DraftInputs& inputs, std::string_view path) {
  const Result<std::string> text = inputs.ground.snapshot.read(path);
  return text && text->size() <= kMaxConfigBytes ? *text : std::string();
}

void draft_python(const DraftInputs& inputs, DraftSection& section) {
  DraftLine line{"Python", {}, 95, {}};
  std::vector<std::string> parts;
  for (const Pin* pin : inputs.ground.tools.pins_of("python")) {
    if (contains(pin->place.path, "/")) continue;  // another project's
    parts.push_back(
        fmt::format("`{}` (`{}`)", pin->spec.starts_with("==") ? pin->spec.substr(2) : pin->spec, pin->place.path));
    line.sources.push_back(pin->place);
  }
  if (parts.empty()) return;
  line.text = join(parts, ", ") + ".";
  section.lines.push_back(std::move(line));
}

// An extra that installs nothing is kept for old commands only.
Named without_empty(const Named& named, const Project& project) {
  Named kept;
  for (const auto& [name, place] : named) {
    if (!project.empty.contains(name)) kept.emplace(name, place);
  }
  return kept;
}

std::vector<std::string> names_of(const Named& named) {
  std::vector<std::string> names;
  for (const auto& [name, place] : named) names.push_back(name);
  return names;
}

/// The extra or group that people who change the code install.
std::string developers_choice(const Named& named) {
  for (const std::string_view name : {"dev", "develop", "development", "all", "test", "tests", "testing"}) {
    if (named.contains(name)) return std::string(name);
  }
  return {};
}

std::vector<std::string> default_groups(const Value& root) {
  std::vector<std::string> groups = root["tool"]["uv"]["default-groups"].texts();
  if (!root["tool"]["uv"]["default-groups"].exists()) groups = {"dev"};  // uv's own default
  return groups;
}

// `uv sync` and what it leaves out.
void draft_uv(const Project& project, const Value& root, DraftSection& section) {
  const Value& uv = root["tool"]["uv"];
  const std::vector<std::string> standard = default_groups(root);
  DraftLine line{"Install", {}, 100, {{"uv.lock", 0}}};
  std::string command = "uv sync --locked";
  if (const std::string extra = developers_choice(without_empty(project.extras, project)); !extra.empty()) {
    command += " --extra " + extra;
    line.sources.push_back(project.extras.find(extra)->second);
  }
  const std::string group = developers_choice(without_empty(project.groups, project));
  const bool is_standard = std::find(standard.begin(), standard.end(), group) != standard.end();
  if (!group.empty() && !is_standard) {
    command += " --group " + group;
    line.sources.push_back(project.groups.find(group)->second);
  }
  line.text = fmt::format("uv: `{}`", command);
  if (uv["default-groups"].exists() && !standard.empty()) {
    line.text += fmt::format("; the groups {} come by default", quoted_list(standard, 6));
    line.sources.push_back({"pyproject.toml", uv["default-groups"].line});
  }
  line.text += ".";
  section.lines.push_back(std::move(line));

  std::vector<std::string> never;
  for (const std::string& requirement : uv["override-dependencies"].texts()) {
    if (contains(requirement, "'never'") || contains(requirement, "\"never\""))
      never.emplace_back(trim(std::string_view(requirement).substr(0, requirement.find(';'))));
  }
  if (!never.empty())
    section.lines.push_back({"Not installed by uv",
                             fmt::format("{}: they must be there before.", quoted_list(never, 5)),
                             92,
                             {{"pyproject.toml", uv["override-dependencies"].line}}});
  const std::vector<std::string> compiled = uv["no-build-isolation-package"].texts();
  if (!compiled.empty())
    section.lines.push_back({"Built without isolation, against what is installed",
                             fmt::format("{}.", quoted_list(compiled, 4, true)),
                             55,
                             {{"pyproject.toml", uv["no-build-isolation-package"].line}}});
}

void draft_poetry(const Project& project, DraftSection& section) {
  DraftLine line{"Install", "poetry: `poetry install", 100, {{"poetry.lock", 0}}};
  if (const std::string group = developers_choice(project.groups); !group.empty()) {
    line.text += " --with " + group;
    line.sources.push_back(project.groups.find(group)->second);
  }
  line.text += "`.";
  section.lines.push_back(std::move(line));
}

void draft_pip(const DraftInputs& inputs, const Project* project, DraftSection& section) {
  DraftLine line{"Install", {}, 100, {}};
  std::vector<std::string> commands;
  std::string requirements;
  for (const std::string_view name : {"requirements.txt", "requirements-dev.txt", "requirements_dev.txt",
                                      "dev-requirements.txt", "requirements-test.txt"}) {
    if (!inputs.ground.paths.has_file(name)) continue;
    requirements += fmt::format(" -r {}", name);
    line.sources.push_back({std::string(name), 0});
  }
  if (!requirements.empty()) commands.push_back(fmt::format("`pip install{}`", requirements));
  if (project != nullptr && !project->name.empty()) {
    const std::string extra = developers_choice(without_empty(project->extras, *project));
    commands.push_back(extra.empty() ? std::string("`pip install -e .`")
                                     : fmt::format("`pip install -e \".[{}]\"`", extra));
    if (!extra.empty())
      line.sources.push_back(project->extras.find(extra)->second);
    else
      line.sources.push_back({inputs.ground.paths.has_file("pyproject.toml") ? "pyproject.toml" : "setup.py", 0});
  }
  if (commands.empty()) return;
  line.text = fmt::format("{}.", join(commands, ", then "));
  section.lines.push_back(std::move(line));
}

// A package that the code imports everywhere and that no requirement names.
void draft_unlisted(const DraftInputs& inputs, DraftSection& section) {
  if (inputs.main_package.empty() || !inputs.ground.tools.pins_of("torch").empty()) return;
  std::size_t importing = 0;
  Place first;
  for (const program::Module& module : inputs.ground.program.modules()) {
    if (!is_below(module.path, inputs.main_package)) continue;
    for (const python::ImportedName& import : module.facts->imports) {
      if (import.level > 0 || (import.module != "torch" && !import.module.starts_with("torch."))) continue;
      if (importing++ == 0) first = place_of(module, import.span);
      break;
    }
  }
  if (importing < 3) return;
  section.lines.push_back({"Not among the requirements",
                           fmt::format("`torch`, which {} import: install it first.", count_of(importing, "file")),
                           93,
                           {first}});
}

void draft_extras(const Project& project, DraftSection& section) {
  DraftLine line{"Extras", {}, 60, {}};
  std::vector<std::string> parts;
  const Named extras = without_empty(project.extras, project), groups = without_empty(project.groups, project);
  if (extras.size() > 1) {
    parts.push_back(quoted_list(names_of(extras), 10, true));
    line.sources.push_back(extras.begin()->second);
  }
  if (!groups.empty()) {
    parts.push_back(fmt::format("dependency groups {}", quoted_list(names_of(groups), 10, true)));
    line.sources.push_back(groups.begin()->second);
  }
  if (parts.empty()) return;
  line.text = join(parts, "; ") + ".";
  section.lines.push_back(std::move(line));
}

void draft_containers(const DraftInputs& inputs, DraftSection& section) {
  std::vector<std::string> files;
  for (const std::string& path : inputs.ground.paths.files()) {
    const std::string_view name = name_of(path);
    const bool shallow = std::count(path.begin(), path.end(), '/') <= 1;
    if (shallow && (name.starts_with("Dockerfile") || name.ends_with(".Dockerfile"))) files.push_back(path);
  }
  if (files.empty()) return;
  section.lines.push_back({"Containers", fmt::format("{}.", quoted_list(files, 4, true)), 50, {{files.front(), 0}}});
}

// Code that must be compiled.
void draft_build(const DraftInputs& inputs, DraftSection& section) {
  for (const program::Module& module : inputs.ground.program.modules()) {
    if (module.path != "setup.py") continue;
    const std::string_view text = module.facts->source().bytes();
    const std::size_t at = text.find("ext_modules");
    if (at == std::string_view::npos) continue;
    section.lines.push_back({"Build",
                             "the installation compiles the extension modules of `setup.py`.",
                             70,
                             {{module.path, module.facts->source().line_of(static_cast<std::uint32_t>(at))}}});
  }
}

}  // namespace

DraftSection draft_setup(const DraftInputs& inputs) {
  DraftSection section{"Environment", {}};
  const Ground& ground = inputs.ground;
  draft_python(inputs, section);
  const Project* project = ground.tools.project_in("");
  const Value root = parse_toml(read_text(inputs, "pyproject.toml"));
  if (project != nullptr && ground.paths.has_file("uv.lock")) {
    draft_uv(*project, root, section);
  } else if (project != nullptr && ground.paths.has_file("poetry.lock")) {
    draft_poetry(*project, section);
  } else {
    draft_pip(inputs, project, section);
  }
  draft_unlisted(inputs, section);
  if (project != nullptr) draft_extras(*project, section);
  draft_build(inputs, section);
  draft_containers(inputs, section);
  return section;
}

}  // namespace lockstep::playbook
