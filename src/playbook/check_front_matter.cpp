// The front matter of skills and rules: what an agent reads to decide whether to open the file.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "playbook/check_parts.h"

namespace lockstep::playbook {

namespace {

using rules::Severity;

constexpr std::string_view kWhySkill =
    "An agent picks a skill by its name and description, so that it never finds this one";

/// The Agent Skills format (agentskills.io/specification): lower-case letters, digits and hyphens, at most 64.
bool is_skill_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '-' && name.back() != '-' && !contains(name, "--") &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

constexpr std::size_t kMaxDescription = 1024;

std::uint32_t line_of(const Value& value) { return value.line + 1; }

void check_skill(const Playbook& playbook, Ledger& ledger) {
  const Page& page = playbook.page;
  const auto accuse = [&](std::uint32_t line, Severity severity, std::string message, std::string why,
                          std::string fix) {
    ledger.accuse(
        finding_at(page, line, "playbook-front-matter", severity, std::move(message), std::move(why), std::move(fix)));
  };
  if (!page.has_front_matter || page.front_matter.kind != Value::Kind::kMap) {
    return accuse(0, Severity::kP2,
                  page.has_front_matter    ? "the front matter is no valid YAML"
                  : page.front_matter_open ? "the front matter is not closed"
                                           : "the skill has no front matter",
                  std::string(kWhySkill), "open the file with `---`, `name:`, `description:`, `---`");
  }
  const Value& name = page.front_matter["name"];
  const Value& description = page.front_matter["description"];
  const std::string folder(name_of(folder_of(page.path)));
  if (name.scalar.empty()) {
    accuse(0, Severity::kP2, "the skill has no name", std::string(kWhySkill), fmt::format("add `name: {}`", folder));
  } else if (name.scalar != folder && !folder.empty()) {
    accuse(line_of(name), Severity::kP2,
           fmt::format("the skill calls itself `{}`, its folder is `{}`", name.scalar, folder),
           "Agents look a skill up by its folder and refuse one whose name differs",
           fmt::format("write `name: {}`", folder));
  } else if (!is_skill_name(name.scalar)) {
    accuse(line_of(name), Severity::kP3, fmt::format("`{}` is no skill name by the Agent Skills format", name.scalar),
           "Agents that hold to the format (lower-case letters, digits, hyphens, at most 64) refuse the skill",
           fmt::format("rename skill and folder to `{}`", replace_all(to_lower(name.scalar), "_", "-")));
  } else {
    ledger.hold();
  }
  if (trim(description.scalar).empty()) {
    accuse(0, Severity::kP2, "the skill has no description", std::string(kWhySkill),
           "say in `description:` what it does and when to use it");
  } else if (description.scalar.size() > kMaxDescription) {
    accuse(line_of(description), Severity::kP3,
           fmt::format("the description has {} characters, the Agent Skills format allows {}",
                       description.scalar.size(), kMaxDescription),
           "Agents that hold to the format refuse the skill", "shorten it");
  } else {
    ledger.hold();
  }
}

// `globs: torchtitan/models/**` of a rule: some file is meant.
void check_globs(const Facts& facts, const Page& page, Ledger& ledger) {
  for (const std::string_view key : {"globs", "paths", "applyTo"}) {
    const Value& value = page.front_matter[key];
    for (const std::string& text : value.texts()) {
      for (const std::string_view raw : split(text, ',')) {
        const std::string_view glob = trim(raw);
        if (glob.empty() || contains(glob, "{")) continue;
        if (facts.paths.matches(glob) || facts.paths.matches(fmt::format("**/{}", glob))) {
          ledger.hold();
          continue;
        }
        ledger.accuse(finding_at(
            page, line_of(value), "playbook-front-matter", Severity::kP2, fmt::format("no file matches `{}`", glob),
            "The rule is loaded for no file, so that nobody ever reads it", "name the folder as it is called now"));
      }
    }
  }
}

}  // namespace

void check_front_matter(const Facts& facts, const Playbook& playbook, Ledger& ledger) {
  if (playbook.kind == PlaybookKind::kSkill) check_skill(playbook, ledger);
  if (playbook.kind == PlaybookKind::kRule) check_globs(facts, playbook.page, ledger);
  if (playbook.kind == PlaybookKind::kRule && playbook.page.front_matter_open)
    ledger.accuse(finding_at(playbook.page, 0, "playbook-front-matter", Severity::kP2, "the front matter is not closed",
                             "What it says of the files for which the rule is read is taken for text",
                             "close it with a line `---`"));
}

}  // namespace lockstep::playbook
