// Projects as pyproject.toml, setup.cfg and setup.py declare them, and what conftest.py files add to pytest.
#include <algorithm>

#include "base/strings.h"
#include "playbook/tools_parts.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::playbook {

namespace {

Project& project_of(std::string_view folder, Tools& tools) {
  for (Project& project : tools.projects) {
    if (project.folder == folder) return project;
  }
  tools.projects.push_back({std::string(folder), {}, {}, {}, {}, {}, false});
  return tools.projects.back();
}

void add_pins(const Value& requirements, const std::string& path, Tools& tools) {
  for (const Value& item : requirements.items) {
    if (item.kind == Value::Kind::kScalar) add_pin(item.scalar, {path, item.line}, tools);
  }
}

void read_groups(const Value& table, const std::string& path, Named& names, std::set<std::string, std::less<>>& empty,
                 Tools& tools) {
  for (const auto& [name, requirements] : table.members) {
    names.emplace(name, Place{path, requirements.line});
    if (requirements.items.empty()) empty.insert(name);
    add_pins(requirements, path, tools);
  }
}

void read_poetry(const Value& poetry, const std::string& path, Project& project, Tools& tools) {
  if (!poetry.exists()) return;
  if (poetry["name"].exists()) project.name = poetry["name"].scalar;
  for (const auto& [name, value] : poetry["extras"].members) project.extras.emplace(name, Place{path, value.line});
  for (const auto& [name, value] : poetry["group"].members) project.groups.emplace(name, Place{path, value.line});
  for (const auto& [name, value] : poetry["scripts"].members) project.scripts.emplace(name, Place{path, value.line});
  for (const auto& [name, value] : poetry["dependencies"].members) {
    if (value.kind == Value::Kind::kScalar)
      tools.pins.push_back({normalise_package(name), value.scalar, {path, value.line}});
  }
}

void read_setup_call(const python::Call& call, const program::Module& module, Tools& tools) {
  Project& project = project_of(folder_of(module.path), tools);
  for (const python::Keyword* keyword : call.keywords) {
    const std::uint32_t line = module.facts->source().line_of(keyword->span.begin);
    if (keyword->name.text == "extras_require") {
      const auto* table = python::as<python::Dict>(keyword->value);
      if (table == nullptr) project.open_ended = true;
      for (const python::Expr* key : table != nullptr ? table->keys : python::Seq<python::Expr>{}) {
        if (key != nullptr) project.extras.emplace(rules::text_of(key), Place{module.path, line});
      }
    }
    if (keyword->name.text == "entry_points" || keyword->name.text.empty()) project.open_ended = true;
  }
}

void read_conftest(const program::Module& module, Tools& tools) {
  python::walk_of<python::Call>(module.facts->tree(), python::Nested::kEnter, [&](const python::Call* call) {
    const std::string_view name = rules::last_part_of(call->callee);
    const std::uint32_t line = module.facts->source().line_of(call->span.begin);
    if (name == "addoption" || name == "addini") {
      for (const python::Expr* argument : call->arguments) {
        const std::string_view text = rules::text_of(argument);
        if (text.starts_with('-')) tools.pytest_options.emplace(text, Place{module.path, line});
      }
    }
    if (name == "addinivalue_line" && call->arguments.size() == 2 && rules::text_of(call->arguments[0]) == "markers") {
      const std::string_view text = rules::text_of(call->arguments[1]);
      tools.markers.emplace(trim(text.substr(0, text.find_first_of(":("))), Place{module.path, line});
    }
  });
}

}  // namespace

void read_project(const Value& root, const std::string& path, Tools& tools) {
  const Value& table = root["project"];
  Project& project = project_of(folder_of(path), tools);
  if (table["name"].exists()) project.name = table["name"].scalar;
  if (const Value& python = table["requires-python"]; python.exists())
    tools.pins.push_back({"python", python.scalar, {path, python.line}});
  for (const std::string& dynamic : table["dynamic"].texts()) {
    if (dynamic == "optional-dependencies" || dynamic == "scripts") project.open_ended = true;
  }
  add_pins(table["dependencies"], path, tools);
  read_groups(table["optional-dependencies"], path, project.extras, project.empty, tools);
  read_groups(root["dependency-groups"], path, project.groups, project.empty, tools);
  if (const Value& dev = root["tool"]["uv"]["dev-dependencies"]; dev.exists()) {
    project.groups.emplace("dev", Place{path, dev.line});
    add_pins(dev, path, tools);
  }
  for (const auto& [name, value] : table["scripts"].members) project.scripts.emplace(name, Place{path, value.line});
  read_poetry(root["tool"]["poetry"], path, project, tools);
  add_pins(root["build-system"]["requires"], path, tools);
}

void read_setup_cfg(const Value& root, const std::string& path, Tools& tools) {
  const Value& options = root["options"];
  if (!options.exists() && !root["metadata"].exists()) return;
  Project& project = project_of(folder_of(path), tools);
  if (root["metadata"]["name"].exists()) project.name = root["metadata"]["name"].scalar;
  if (const Value& python = options["python_requires"]; python.exists())
    tools.pins.push_back({"python", python.scalar, {path, python.line}});
  for (const std::string_view line : split_lines(options["install_requires"].scalar))
    add_pin(line, {path, options["install_requires"].line}, tools);
  for (const auto& [name, value] : root["options.extras_require"].members) {
    project.extras.emplace(name, Place{path, value.line});
    for (const std::string_view line : split_lines(value.scalar)) add_pin(line, {path, value.line}, tools);
  }
  for (const std::string_view line : split_lines(root["options.entry_points"]["console_scripts"].scalar)) {
    const std::string_view name = trim(line.substr(0, line.find('=')));
    if (!name.empty()) project.scripts.emplace(name, Place{path, root["options.entry_points"].line});
  }
}

void read_python_configuration(const program::Program& program, Tools& tools) {
  for (const program::Module& module : program.modules()) {
    const std::string_view name = name_of(module.path);
    if (name == "conftest.py" || contains(name, "pytest_plugin")) read_conftest(module, tools);
    if (name != "setup.py") continue;
    python::walk_of<python::Call>(module.facts->tree(), python::Nested::kEnter, [&](const python::Call* call) {
      if (rules::last_part_of(call->callee) == "setup") read_setup_call(*call, module, tools);
    });
  }
}

}  // namespace lockstep::playbook
