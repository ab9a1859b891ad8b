// Playbooks → entries of lockstep.toml that say the same to Lockstep, for a person to accept. Only what the
// configuration can express is proposed, with the line that asks for it; nothing is switched on here.
#pragma once

#include <string>
#include <vector>

#include "playbook/files.h"
#include "playbook/paths.h"
#include "rules/settings.h"

namespace lockstep::playbook {

struct Proposal {
  std::string table;       ///< "rules.severity", "paths" or "written".
  std::string key;         ///< Rule id, the glob to exclude, or the name to forbid.
  std::string value;       ///< "P1"; empty for globs and names.
  std::string path;        ///< Of the playbook.
  std::uint32_t line = 0;  ///< From 0.
  std::string sentence;    ///< The line that asks for it.
};

/// What `present` says already is left out. Sorted by table and key; one proposal for each key.
std::vector<Proposal> propose_rules(const Playbooks& playbooks, const Paths& paths, const rules::Settings& present);

/// Valid TOML for lockstep.toml, each entry below a comment with its source. Only comments where nothing is proposed.
std::string proposals_as_toml(const std::vector<Proposal>& proposals);

}  // namespace lockstep::playbook
