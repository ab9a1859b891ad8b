#include "report/documents/runs/chosen.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/strings.h"
#include "report/document.h"

namespace lockstep::report {

namespace {

std::string place_of_use(const program::Program& program, const ChoosingPlace& at) {
  return place(program.module_of(at.function).path, source_of(program, at.function).line_of(at.node->span.begin));
}

/// Where the setting comes from that a condition reads, and what it is unless somebody sets it; empty where neither is
/// known.
std::string setting_words(const ChoosingPlace& at) {
  const std::string setting =
      at.setting_place.empty() ? code(at.setting) : fmt::format("{} ({})", code(at.setting), at.setting_place);
  if (at.parameter.empty())
    return at.setting_default.empty() ? std::string()
                                      : fmt::format("{} is {} by default", setting, code(at.setting_default));
  return fmt::format(
      "{} is given from the setting {}{}", code(at.parameter), setting,
      at.setting_default.empty() ? "" : fmt::format(", which is {} by default", code(at.setting_default)));
}

/// Whether the place stands under further conditions that have to hold: those of an `elif` that came before do not
/// count.
bool asks_for_more(const program::Program& program, const ChoosingPlace& at) {
  const python::FunctionDef* def = program.functions()[at.function].def();
  if (def == nullptr) return false;
  const std::vector<Guard> guards = guards_of(*def, at.node->span);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.condition != nullptr && !guard.negated && python::is<python::If>(guard.statement) &&
           guard.condition != at.guard.condition;
  });
}

std::string sentence(const program::Program& program, const ChosenClass& chosen) {
  std::vector<std::string> conditions;
  std::vector<std::string> settings;
  for (const ChoosingPlace& at : chosen.places) {
    conditions.push_back(fmt::format(
        "{}{} ({})", condition_words(*at.guard.condition, source_of(program, at.function), at.guard.negated),
        asks_for_more(program, at) ? " and more holds" : "", place_of_use(program, at)));
    std::string words = setting_words(at);
    if (!words.empty() && std::find(settings.begin(), settings.end(), words) == settings.end())
      settings.push_back(std::move(words));
  }
  const std::string name = code(short_name(program, chosen.cls));
  const std::string where = join(conditions, ", or where ");
  // Of a function of autograd no object is made by hand.
  const bool is_applied = program.derives_from(chosen.cls, "torch.autograd.Function");
  std::string out =
      is_applied && chosen.free.empty() ? fmt::format("Outside tests, {} is applied only where {}", name, where)
      : is_applied                      ? fmt::format("{} is applied where {}", name, where)
      : chosen.free.empty() ? fmt::format("Outside tests, objects of {} are made only where {}", name, where)
                            : fmt::format("Objects of {} are made where {}", name, where);
  if (chosen.more > 0)
    out += fmt::format("; {} {} under the same condition", count_of(chosen.more, "more place"),
                       chosen.more == 1 ? "stands" : "stand");
  for (const std::string& words : settings) out += "; " + words;
  out += ".";
  if (chosen.free.empty()) return out;
  std::vector<std::string> others;
  for (const auto& [function, node] : chosen.free) {
    others.push_back(place(program.module_of(function).path, source_of(program, function).line_of(node->span.begin)));
  }
  return out + fmt::format(" The class is named at {}, too, under no condition on a setting.", join_words(others));
}

}  // namespace

std::string chosen_text(const DocumentInputs& inputs, const Story& story, std::size_t told) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> out;
  std::set<program::ClassId> classes;
  const auto tell = [&](const EntryPath& path) {
    if (out.size() < kMost && path.chosen && classes.insert(path.chosen->cls).second)
      out.push_back(sentence(*inputs.after, *path.chosen));
  };
  if (told < story.entries.size()) tell(story.entries[told]);
  for (const EntryPath& path : story.entries) tell(path);
  return join(out, " ");
}

}  // namespace lockstep::report
