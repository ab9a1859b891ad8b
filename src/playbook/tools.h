// What a repository's configuration says of its tools: projects with their extras and scripts, version pins, line
// lengths, lint rules, hooks, test markers, build targets, workflows, owners. Read from pyproject.toml, setup.cfg,
// setup.py, tox.ini, pytest.ini, .flake8, .pylintrc, ruff.toml, .pre-commit-config.yaml, package.json, Makefile,
// requirements files, .python-version, GitHub workflows and CODEOWNERS. Leaves out: what the tools would do by default.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/paths.h"
#include "playbook/value.h"
#include "program/program.h"
#include "repo/snapshot.h"

namespace lockstep::playbook {

/// Where a fact stands. Lines count from 0.
struct Place {
  std::string path;
  std::uint32_t line = 0;
};
using Named = std::map<std::string, Place, std::less<>>;

/// A version that something is held to: "==24.4.2", ">=2.6.0", "v1.5.4".
struct Pin {
  std::string name;  ///< As normalise_package gives it; "python" for the interpreter.
  std::string spec;
  Place place;
};

/// A length of line that a tool is told.
struct LineLength {
  std::string tool;
  int value = 0;
  Place place;
};

/// Lint rules that a tool is told to check (`on`) or to leave.
struct LintRule {
  std::string tool;
  std::string code;
  bool on = true;
  Place place;
};

/// One pyproject.toml, setup.cfg or setup.py.
struct Project {
  std::string folder;  ///< "" for the root.
  std::string name;
  Named extras;
  Named groups;                              ///< PEP 735 dependency groups, and uv's dev-dependencies as "dev".
  std::set<std::string, std::less<>> empty;  ///< Extras and groups that install nothing.
  Named scripts;                             ///< Console entry points.
  bool open_ended = false;                   ///< Extras or scripts are computed by code.
};

struct Workflow {
  std::string path;
  std::string name;
  std::set<std::string> jobs;  ///< Ids and names.
};

struct Tools {
  std::vector<Project> projects;
  std::vector<Pin> pins;  ///< Sorted by name, then place.
  std::vector<LineLength> line_lengths;
  std::vector<LintRule> lint_rules;
  std::map<std::string, std::vector<Place>, std::less<>> configured;  ///< Tool → where it is configured.
  Named hooks;                                                        ///< Ids of pre-commit.
  bool has_pre_commit = false;
  Named markers;         ///< Of pytest: declared in a configuration or by a conftest.py.
  Named pytest_options;  ///< `addoption` of the repository's conftest files and plugins.
  std::map<std::string, Named, std::less<>> make_targets;  ///< Folder → targets.
  std::map<std::string, Named, std::less<>> npm_scripts;   ///< Folder → scripts.
  Named tox_environments;
  std::vector<Workflow> workflows;
  std::set<std::string> owners;  ///< "@org/team" of CODEOWNERS.
  std::string code_owners_path;
  std::optional<Pin> docstring_convention;  ///< spec: "google", "numpy", "pep257".
  std::optional<Pin> import_profile;        ///< spec: isort's profile.

  [[nodiscard]] const Project* project_in(std::string_view folder) const;
  [[nodiscard]] std::vector<const Pin*> pins_of(std::string_view package) const;
};

Tools gather_tools(const repo::Snapshot& snapshot, const Paths& paths, const program::Program& program);

/// "Torch_Vision" → "torch-vision" (PEP 503).
std::string normalise_package(std::string_view name);

}  // namespace lockstep::playbook
