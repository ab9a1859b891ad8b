// Parts of gather_tools that have sources of their own. Private to this room.
#pragma once

#include <string>
#include <string_view>

#include "playbook/tools.h"

namespace lockstep::playbook {

/// A PEP 508 requirement ("torch>=2.6; sys_platform != 'darwin'") as a pin.
void add_pin(std::string_view requirement, const Place& place, Tools& tools);
/// The project, its extras, groups, scripts and pins, of a pyproject.toml.
void read_project(const Value& root, const std::string& path, Tools& tools);
/// The same of a setup.cfg.
void read_setup_cfg(const Value& root, const std::string& path, Tools& tools);
/// What Python files configure: `setup(…)` of setup.py, markers and options of conftest.py files.
void read_python_configuration(const program::Program& program, Tools& tools);

}  // namespace lockstep::playbook
