#include "report/documents/settings/new_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/literal_texts.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::Program;

namespace {

/// What one setting takes.
struct Choices {
  std::set<std::string_view> texts;
  std::string_view argument;  ///< "--name"; empty for a field alone.
};

/// The settings of one side.
struct Settings {
  std::map<std::string, Choices, std::less<>> chosen;
  std::set<std::string, std::less<>> open;  ///< Those declared somewhere to take any text.
};

/// `add_argument("--x", type=str)`: nothing but its type is asked of what is given.
bool takes_any_text(const Call& argument) {
  return rules::keyword_value(argument, "choices") == nullptr && rules::keyword_value(argument, "action") == nullptr &&
         rules::name_of(rules::keyword_value(argument, "type")) == "str";
}

/// `str`, `str | None`, `Optional[str]`.
bool is_text(const Expr& annotation) {
  if (rules::name_of(&annotation) == "str") return true;
  if (const auto* either = as<BinOp>(&annotation))
    return (is_text(*either->left) && rules::is_none(either->right)) ||
           (rules::is_none(either->left) && is_text(*either->right));
  const auto* optional = as<Subscript>(&annotation);
  return optional != nullptr && rules::last_part_of(optional->value) == "Optional" && is_text(*optional->index);
}

void add_choices(const Program& program, const std::string& path, Settings& all) {
  auto& out = all.chosen;
  const program::ModuleId module = program.find_path(path);
  if (!module.valid()) return;
  const FileFacts& facts = *program.modules()[module].facts;
  if (facts.has_name("add_argument")) {
    walk_of<Call>(facts.tree(), Nested::kEnter, [&](const Call* call) {
      if (callee_name(*call) != "add_argument") return;
      const Expr* choices = rules::keyword_value(*call, "choices");
      const std::string name = rules::argparse_destination(*call);
      if (!name.empty() && takes_any_text(*call)) all.open.insert(name);
      if (name.empty() || (!is<python::List>(choices) && !is<Tuple>(choices))) return;
      Choices& own = out[name];
      own.texts.merge(texts_in(*choices));
      for (const Expr* argument : call->arguments) {
        if (rules::text_of(argument).starts_with("--")) own.argument = rules::text_of(argument);
      }
    });
  }
  if (!facts.has_name("Literal") && !facts.has_name("str")) return;
  walk_of<ClassDef>(facts.tree(), Nested::kEnter, [&](const ClassDef* cls) {
    for (const Stmt* statement : cls->body) {
      const auto* field = as<AnnAssign>(statement);
      const auto* name = field == nullptr ? nullptr : as<Name>(field->target);
      std::set<std::string_view> texts =
          name == nullptr ? std::set<std::string_view>() : literals_in(*field->annotation);
      if (!texts.empty()) out[std::string(name->id)].texts.merge(texts);
      if (name != nullptr && is_text(*field->annotation)) all.open.emplace(name->id);
    }
  });
}

/// Whether a comparison, or a case, of the definition has the text.
bool asks_for(const Node& definition, std::string_view text) {
  bool found = false;
  const auto is_it = [&](const Expr* one) { return texts_in(*one).contains(text); };
  walk_of<Compare>(definition, Nested::kEnter, [&](const Compare* compare) {
    const auto& right = compare->comparators;
    found = found || is_it(compare->left) || std::any_of(right.begin(), right.end(), is_it);
  });
  return found;
}

std::vector<std::string> marked(const std::vector<std::string_view>& texts) {
  std::vector<std::string> out;
  for (const std::string_view text : texts) out.push_back(code(fmt::format("\"{}\"", text)));
  return out;
}

/// ", which `f` and `g` ask for"; empty where no changed function does.
std::string asked_words(const DocumentInputs& inputs, const Story& story, const std::vector<std::string_view>& texts) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.role == Role::kTest || !actor.change->after || actor.is_module_code) continue;
    const Node& node = *actor.change->after->node;
    if (std::any_of(texts.begin(), texts.end(), [&](std::string_view text) { return asks_for(node, text); }))
      names.push_back(code(short_name(inputs, *actor.change)));
  }
  if (names.empty()) return {};
  const std::size_t all = names.size();
  if (all > kMost + 1) {
    names.resize(kMost);
    names.push_back(fmt::format("{} more", all - kMost));
  }
  return fmt::format(", which {} {} for", join_words(names), all == 1 ? "asks" : "ask");
}

/// "`a`, `b` and 3 more".
std::string few_of(const std::set<std::string_view>& texts) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> names = marked({texts.begin(), texts.end()});
  if (names.size() > kMost) {
    const std::size_t more = names.size() - kMost + 1;
    names.resize(kMost - 1);
    names.push_back(fmt::format("{} more", more));
  }
  return join_words(names);
}

std::pair<Settings, Settings> both_sides(const DocumentInputs& inputs) {
  std::pair<Settings, Settings> out;
  for (const change::FileSummary& file : inputs.change->files) {
    if (!file.is_python || program::is_test_path(file.file->path())) continue;
    add_choices(*inputs.before, file.file->old_path, out.first);
    add_choices(*inputs.after, file.file->new_path, out.second);
  }
  return out;
}

}  // namespace

std::vector<std::string> new_choice_items(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kMost = 3;
  const auto [before, after] = both_sides(inputs);
  std::vector<std::string> out;
  for (const auto& [name, now] : after.chosen) {
    const auto found = before.chosen.find(name);
    if (found == before.chosen.end() || out.size() == kMost) continue;
    const std::set<std::string_view>& was = found->second.texts;
    std::vector<std::string_view> come;
    std::vector<std::string_view> gone;
    std::set_difference(now.texts.begin(), now.texts.end(), was.begin(), was.end(), std::back_inserter(come));
    std::set_difference(was.begin(), was.end(), now.texts.begin(), now.texts.end(), std::back_inserter(gone));
    if (come.empty() && gone.empty()) continue;
    std::string item = code(name);
    if (!now.argument.empty()) item += fmt::format(" (argument {})", code(std::string(now.argument)));
    const std::string asked = asked_words(inputs, story, come);
    if (!come.empty())
      item += fmt::format(" takes the new {} {}{}", come.size() == 1 ? "choice" : "choices", join_words(marked(come)),
                          asked);
    if (!gone.empty())
      item += fmt::format("{} no longer takes {}",
                          come.empty()    ? ""
                          : asked.empty() ? " and"
                                          : ", and",
                          join_words(marked(gone)));
    out.push_back(item + ".");
  }
  return out;
}

void add_closed_settings(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  const auto [before, after] = both_sides(inputs);
  std::size_t told = 0;
  for (const auto& [name, now] : after.chosen) {
    if (before.chosen.contains(name) || !before.open.contains(name) || after.open.contains(name) || told == kMost)
      continue;
    ++told;
    std::string setting = code(name);
    if (!now.argument.empty()) setting += fmt::format(" (argument {})", code(std::string(now.argument)));
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("{} is declared to take only {} now, formerly any text.", setting, few_of(now.texts)),
                     "What gives another one has to follow", false});
  }
}

}  // namespace lockstep::report
