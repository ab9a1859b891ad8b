// Which names the changed lines hold, and what they do with them.
#include <algorithm>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"
#include "writer/pack/names.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::ModuleId;
using program::Program;
using python::as;
using python::Node;

constexpr std::size_t kShortest = 4, kLongest = 80;
constexpr std::size_t kShortestVariable = 7;  // of the environment

bool is_identifier(std::string_view text) {
  return text.size() >= kShortest && text.size() <= kLongest && !text.starts_with("__") &&
         (text.front() < '0' || text.front() > '9') && std::all_of(text.begin(), text.end(), is_name_char);
}

// "--muon-tp-mode".
bool is_option(std::string_view text) {
  return text.size() > kShortest && text.size() <= kLongest && text.starts_with("--") &&
         std::all_of(text.begin(), text.end(), [](char c) { return c == '-' || is_name_char(c); });
}

// "CAUSAL_CONV1D_DETERMINISTIC".
bool is_variable(std::string_view text) {
  return text.size() >= kShortestVariable && is_identifier(text) && text.find('_') != text.npos &&
         std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Gathers the names of some lines of one file.
class Gatherer {
 public:
  using Names = std::map<std::string, NameMention, std::less<>>;
  Gatherer(const Program& program, ModuleId module, const std::vector<std::uint32_t>& lines, NameMention here,
           Names& names, std::set<std::string, std::less<>>& callees_before)
      : program_(program),
        module_(module),
        lines_(lines),
        here_(std::move(here)),
        names_(names),
        callees_before_(callees_before) {}

  void run() {
    const python::FileFacts& facts = *program_.modules()[module_].facts;
    python::walk(facts.tree(), python::Nested::kEnter, [&](const Node* node) {
      if (is_changed(source_line(node->span.begin), source_line(node->span.end))) visit(*node);
    });
  }

 private:
  void visit(const Node& node) {
    if (const auto* function = as<python::FunctionDef>(&node)) {
      note(function->name.text, function->name.span, NameUse::kDefines);
      // Nobody knows the parameters of a function that comes: who calls it is in the diff, too.
      if (is_whole(node)) of_no_interest_.insert(function->parameters->all.begin(), function->parameters->all.end());
    } else if (const auto* cls = as<python::ClassDef>(&node)) {
      note(cls->name.text, cls->name.span, NameUse::kDefines);
    } else if (const auto* parameter = as<python::Parameter>(&node)) {
      if (!of_no_interest_.contains(parameter)) note(parameter->name.text, parameter->name.span, NameUse::kTakes);
    } else if (const auto* keyword = as<python::Keyword>(&node)) {
      if (!of_no_interest_.contains(keyword)) note(keyword->name.text, keyword->name.span, NameUse::kPasses);
    } else if (const auto* call = as<python::Call>(&node)) {
      if (is_own(*call)) note(report::callee_name(*call), call->callee->span, NameUse::kCalls);
      visit_keywords(*call);
    } else if (const auto* from = as<python::ImportFrom>(&node)) {
      if (from->level == 0 && !is_own(from->module.text)) return;
      note(last_part(from->module.text), from->module.span, NameUse::kImports);
      for (const python::Alias* alias : from->names) note(alias->name.text, alias->name.span, NameUse::kImports);
    } else if (const auto* import = as<python::Import>(&node)) {
      for (const python::Alias* alias : import->names) {
        if (is_own(alias->name.text)) note(last_part(alias->name.text), alias->name.span, NameUse::kImports);
      }
    } else if (const auto* constant = as<python::Constant>(&node)) {
      const std::string_view text = rules::text_of(constant);
      if (is_option(text)) note(text.substr(2), constant->span, NameUse::kOption);
      if (is_variable(text)) note(text, constant->span, NameUse::kOption);
    }
  }

  [[nodiscard]] std::uint32_t source_line(std::uint32_t offset) const {
    return program_.modules()[module_].facts->source().line_of(offset);
  }

  [[nodiscard]] bool is_changed(std::uint32_t first, std::uint32_t last) const {
    const auto next = std::lower_bound(lines_.begin(), lines_.end(), first);
    return next != lines_.end() && *next <= last;
  }

  // Whether every line that says something of the node is among the changed ones.
  [[nodiscard]] bool is_whole(const Node& node) const {
    const SourceText& source = program_.modules()[module_].facts->source();
    for (std::uint32_t line = source_line(node.span.begin); line <= source_line(node.span.end - 1); ++line) {
      if (!trim(source.line(line)).empty() && !std::binary_search(lines_.begin(), lines_.end(), line)) return false;
    }
    return true;
  }

  // What a library takes has its names from the library, and what a call that comes with the change only hands on
  // (`group=self.group`) says little.
  void visit_keywords(const python::Call& call) {
    const std::string_view callee = report::callee_name(call);
    if (here_.is_before) callees_before_.emplace(callee);
    const bool is_new = !here_.is_before && !callees_before_.contains(callee) &&
                        std::binary_search(lines_.begin(), lines_.end(), source_line(call.span.begin));
    const bool is_library = is_of_library(call);
    for (const python::Keyword* keyword : call.keywords) {
      const bool hands_on = keyword->value != nullptr && rules::last_part_of(keyword->value) == keyword->name.text;
      if (is_library || (is_new && hands_on)) of_no_interest_.insert(keyword);
    }
  }

  [[nodiscard]] bool is_of_library(const python::Call& call) const {
    const program::CallId id = program_.call_of(&call);
    if (!id.valid()) return false;
    const auto& targets = program_.calls()[id].targets;
    return !targets.empty() && std::all_of(targets.begin(), targets.end(), [](const program::CallTarget& target) {
      return !target.function.valid() && !target.external.empty();
    });
  }

  // Of the repository, as far as is known: what a library is called for stands in its own pages.
  [[nodiscard]] bool is_own(const python::Call& call) const {
    const FunctionId caller = program_.function_at(module_, call.span.begin);
    if (!caller.valid()) return false;
    for (const program::CallId id : program_.functions()[caller].calls) {
      const program::CallSite& site = program_.calls()[id];
      if (site.node != &call) continue;
      return std::any_of(site.targets.begin(), site.targets.end(), [](const program::CallTarget& target) {
        return target.function.valid() && target.certainty != program::Certainty::kByName;
      });
    }
    return false;
  }

  [[nodiscard]] bool is_own(std::string_view module) const {
    const std::string_view top = module.substr(0, module.find('.'));
    const auto& modules = program_.modules();
    for (std::size_t i = 0; i < modules.size(); ++i) {
      const std::string_view name = modules[ModuleId(i)].name;
      if (name.substr(0, name.find('.')) == top) return true;
    }
    return false;
  }

  static std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

  void note(std::string_view name, Span span, NameUse use) {
    if (name.size() < kShortest || (use != NameUse::kOption && !is_identifier(name))) return;
    const std::uint32_t line = source_line(use == NameUse::kCalls && span.end > span.begin ? span.end - 1 : span.begin);
    if (!std::binary_search(lines_.begin(), lines_.end(), line)) return;
    here_.use = use;
    here_.line = line;
    const auto [at, is_new] = names_.try_emplace(std::string(name), here_);
    if (!is_new && !here_.is_before && at->second.use < use) at->second = here_;
  }

  const Program& program_;
  ModuleId module_;
  const std::vector<std::uint32_t>& lines_;
  NameMention here_;
  Names& names_;
  std::set<std::string, std::less<>>& callees_before_;  ///< What lines that the change takes away call.
  std::set<const Node*> of_no_interest_;                ///< Keywords and parameters.
};

}  // namespace

std::map<std::string, NameMention, std::less<>> names_of_change(const report::DocumentInputs& inputs,
                                                                const report::Story& story) {
  std::map<std::string, NameMention, std::less<>> names, old;
  for (const change::FileSummary& file : inputs.change->files) {
    if (program::is_test_path(file.file->path()) != story.only_tests) continue;
    std::set<std::string, std::less<>> callees;
    const auto gather = [&](const program::Program& program, const std::string& path,
                            const std::vector<std::uint32_t>& lines, bool is_before, auto& into) {
      const program::ModuleId module = program.find_path(path);
      if (!module.valid()) return;
      Gatherer(program, module, lines, {NameUse::kCalls, is_before, path, 0}, into, callees).run();
    };
    gather(*inputs.before, file.file->old_path, file.file->lines.removed_lines(), true, old);
    gather(*inputs.after, file.file->new_path, file.file->lines.added_lines(), false, names);
  }
  // What new lines take or give as old ones did was only laid out anew.
  std::erase_if(old, [&](const auto& one) {
    const auto now = names.find(one.first);
    const bool is_same = now != names.end() && now->second.use == one.second.use &&
                         (one.second.use == NameUse::kTakes || one.second.use == NameUse::kPasses);
    if (is_same) names.erase(now);
    return is_same;
  });
  // What stands on new lines, too, was only moved or edited around.
  for (auto& [name, mention] : old) {
    mention.use = NameUse::kDrops;
    names.try_emplace(name, mention);
  }
  return names;
}

}  // namespace lockstep::writer
