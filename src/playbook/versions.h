// Version numbers and specifiers as Python packaging writes them: "24.4", ">=2.6,<3", "~=0.9.0", "v1.5.4".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::playbook {

/// "v24.4.2" → 24, 4, 2; nullopt where it does not start with a number and a dot ("3" alone counts too).
std::optional<std::vector<int>> parse_version(std::string_view text);
/// Whether `version` meets `spec`. A bare or "==" version is met by its own beginnings too: "24.4" meets "==24.4.2". A
/// spec without numbers is met by all; one that cannot be read gives nullopt.
std::optional<bool> satisfies(std::string_view spec, std::string_view version);
/// The version of the first ">=" or "~=" of a spec; empty where there is none.
std::string lower_bound_of(std::string_view spec);
/// "==24.4.2", "24.4.2", "v24.4.2": held to one version.
bool is_exact(std::string_view spec);

}  // namespace lockstep::playbook
