// docstring-disagrees: of functions whose parameters or docstring a change touches: the docstring documents a parameter
// that is not there (any more), or leaves out the new one where it documents all others. The constructor's parameters
// may be documented by the class.
//
// Reads `Args:` sections (Google style) and `:param name:` fields (Sphinx). Left out: functions with **kwargs, which
// may take what is documented, and overrides with an inherited docstring.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/strings.h"
#include "change/summary.h"
#include "program/queries.h"
#include "python/characters.h"
#include "rules/place.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using change::EntityKind;
using change::Status;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "docstring-disagrees";
constexpr std::size_t kFewestDocumented = 2;
constexpr std::size_t kNear = 3;

struct Documented {
  std::string_view name;  ///< Without stars.
  Span span;
};

std::string_view leading_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && python::is_name_byte(text[end])) ++end;
  return text.substr(0, end);
}

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? line.size() : at;
}

/// Reads what a docstring documents, line by line.
class DocstringReader {
 public:
  DocstringReader(const SourceText& source, Span docstring) : source_(source) {
    const std::uint32_t first = source.line_of(docstring.begin);
    const std::uint32_t last = source.line_of(docstring.end - 1);
    for (std::uint32_t line = first; line <= last; ++line) read(line);
  }

  [[nodiscard]] const std::vector<Documented>& names() const { return names_; }

 private:
  void add(std::uint32_t line, std::string_view text, std::string_view name) {
    const auto begin = source_.line_start(line) + static_cast<std::uint32_t>(name.data() - text.data());
    names_.push_back({name, {begin, begin + static_cast<std::uint32_t>(name.size())}});
  }

  void read(std::uint32_t line) {
    const std::string_view text = source_.line(line);
    const std::string_view trimmed = trim(text);
    if (trimmed.empty()) return;
    if (trimmed.starts_with(":param ")) return sphinx(line, text, trimmed);
    const std::size_t indent = indent_of(text);
    if (trimmed == "Args:" || trimmed == "Arguments:" || trimmed == "Parameters:") {
      section_ = indent;
      entries_.reset();
      return;
    }
    if (!section_) return;
    if (indent <= *section_) return section_.reset();
    if (!entries_) entries_ = indent;
    if (indent == *entries_) google(line, text, trimmed);
  }

  /// `name:`, `name (type):`, `*args:`.
  void google(std::uint32_t line, std::string_view text, std::string_view entry) {
    while (entry.starts_with('*')) entry.remove_prefix(1);
    const std::string_view name = leading_name(entry);
    std::string_view rest = trim(entry.substr(name.size()));
    if (rest.starts_with('(')) {
      const std::size_t close = rest.rfind("):");
      if (close == std::string_view::npos) return;
      rest = rest.substr(close + 1);
    }
    if (!name.empty() && rest.starts_with(':') && !rest.starts_with("::")) add(line, text, name);
  }

  /// `:param name:`, `:param type name:`.
  void sphinx(std::uint32_t line, std::string_view text, std::string_view field) {
    const std::size_t end = field.find(':', 1);
    if (end == std::string_view::npos) return;
    std::string_view words = trim(field.substr(6, end - 6));
    const std::size_t blank = words.rfind(' ');
    if (blank != std::string_view::npos) words = words.substr(blank + 1);
    while (words.starts_with('*')) words.remove_prefix(1);
    if (!words.empty() && leading_name(words) == words) add(line, text, words);
  }

  const SourceText& source_;
  std::vector<Documented> names_;
  std::optional<std::size_t> section_;  ///< Indent of the heading of the section at hand.
  std::optional<std::size_t> entries_;  ///< Indent of its entries.
};

/// What documents a function's parameters: its own docstring, or its class's for a constructor.
std::vector<Documented> documented(const Program& program, FunctionId function) {
  const program::Function& row = program.functions()[function];
  const SourceText& source = program.modules()[row.module].facts->source();
  const Constant* text = docstring_of(row.def()->body);
  if (text == nullptr && row.name == "__init__" && row.owner.valid())
    text = docstring_of(program.classes()[row.owner].node->body);
  return text == nullptr ? std::vector<Documented>{} : DocstringReader(source, text->span).names();
}

class Finder {
 public:
  Finder(const RuleContext& context, std::vector<Finding>& findings)
      : context_(context), program_(context.program), findings_(findings) {}

  void run() {
    for (const EntityChange& entity : context_.change->entities) {
      const bool is_function = entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kMethod;
      if (!is_function || !entity.after || !entity.after->function.valid()) continue;
      if (program::is_test_path(entity.after->path)) continue;
      if (program_.functions()[entity.after->function].def() != nullptr) check(entity);
    }
  }

 private:
  static const Parameter* parameter(const FunctionDef& def, std::string_view name) {
    for (const Parameter* each : def.parameters->all) {
      if (each->name.text == name) return each;
    }
    return nullptr;
  }

  static bool takes_anything(const FunctionDef& def) {
    const auto& all = def.parameters->all;
    return !all.empty() && all.back()->parameter_kind == Parameter::Kind::kVarKeywords;
  }

  void check(const EntityChange& entity) {
    const FunctionId function = entity.after->function;
    const FunctionDef& def = *program_.functions()[function].def();
    const std::vector<Documented> names = documented(program_, function);
    if (names.empty()) return;
    const std::set<std::string_view> wrong_before = wrong_names_before(entity);
    if (!takes_anything(def)) {
      std::vector<Documented> wrong;
      for (const Documented& each : names) {
        if (parameter(def, each.name) == nullptr && !wrong_before.contains(each.name)) wrong.push_back(each);
      }
      if (!wrong.empty()) not_there(entity, wrong, names);
    }
    left_out(entity, names);
  }

  std::set<std::string_view> wrong_names_before(const EntityChange& entity) const {
    std::set<std::string_view> names;
    if (!entity.before || !entity.before->function.valid() || context_.before == nullptr) return names;
    const FunctionDef* def = context_.before->functions()[entity.before->function].def();
    if (def == nullptr) return names;
    for (const Documented& each : documented(*context_.before, entity.before->function)) {
      if (parameter(*def, each.name) == nullptr) names.insert(each.name);
    }
    return names;
  }

  Finding start(FunctionId function, Span span, Severity severity) const {
    Finding finding = finding_at(program_, kRule, program_.functions()[function].module, span);
    finding.severity = severity;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kDocs;
    return finding;
  }

  static std::string listed(const std::vector<Documented>& names) {
    std::vector<std::string> quoted;
    for (const Documented& each : names) quoted.push_back(fmt::format("`{}`", each.name));
    return change::list_names(quoted);
  }

  void not_there(const EntityChange& entity, const std::vector<Documented>& wrong,
                 const std::vector<Documented>& names) {
    const FunctionId function = entity.after->function;
    Finding finding = start(function, wrong.front().span, Severity::kP2);
    const std::string_view renamed = wrong.size() == 1 ? new_name_of(entity, wrong.front().name, names) : "";
    const bool had_all = std::all_of(wrong.begin(), wrong.end(),
                                     [&](const Documented& each) { return position_before(entity, each.name); });
    finding.message =
        fmt::format("The docstring of {} documents {}, which {}", owner_of_docstring(function), listed(wrong),
                    !renamed.empty()    ? fmt::format("this change renames to `{}`", renamed)
                    : had_all           ? "this change takes away"
                    : wrong.size() == 1 ? "is no parameter of it"
                                        : "are no parameters of it");
    finding.why = "Who reads it passes an argument that raises, or looks for an effect that is not there.";
    const std::string_view meant = near_parameter(function, wrong.front().name, names);
    finding.fix = !renamed.empty()    ? fmt::format("Rename the entry to `{}`.", renamed)
                  : !meant.empty()    ? fmt::format("Rename the entry to `{}`, if that is meant.", meant)
                  : wrong.size() == 1 ? "Take the entry out, or give it the parameter's name."
                                      : "Take these entries out, or give them the parameters' names.";
    findings_.push_back(std::move(finding));
  }

  /// "`f`"; "class `C`" of a constructor whose parameters its class documents.
  std::string owner_of_docstring(FunctionId function) const {
    const program::Function& row = program_.functions()[function];
    const bool is_of_class = docstring_of(row.def()->body) == nullptr && row.owner.valid();
    return is_of_class ? fmt::format("class `{}`", program_.classes()[row.owner].name)
                       : fmt::format("`{}`", short_name(program_, function));
  }

  /// Where the old version of the function had a parameter of that name.
  std::optional<std::size_t> position_before(const EntityChange& entity, std::string_view name) const {
    if (!entity.before || !entity.before->function.valid() || context_.before == nullptr) return std::nullopt;
    const FunctionDef* def = context_.before->functions()[entity.before->function].def();
    if (def == nullptr) return std::nullopt;
    const auto& all = def->parameters->all;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == name; });
    return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
  }

  /// What stands in the place of a parameter that is gone, and is new and without an entry: its new name.
  std::string_view new_name_of(const EntityChange& entity, std::string_view name,
                               const std::vector<Documented>& names) const {
    const auto at = position_before(entity, name);
    const auto& all = program_.functions()[entity.after->function].def()->parameters->all;
    if (!at || *at >= all.size()) return {};
    const Parameter& now = *all[*at];
    const bool has_entry =
        std::any_of(names.begin(), names.end(), [&](const Documented& other) { return other.name == now.name.text; });
    const bool is_variadic =
        now.parameter_kind == Parameter::Kind::kVarArgs || now.parameter_kind == Parameter::Kind::kVarKeywords;
    return has_entry || is_variadic || position_before(entity, now.name.text) ? std::string_view() : now.name.text;
  }

  /// A parameter without an entry whose name is nearly `name`: perhaps its new name.
  std::string_view near_parameter(FunctionId function, std::string_view name,
                                  const std::vector<Documented>& names) const {
    const std::size_t limit = std::min(kNear, name.size() / 2);
    for (const Parameter* each : program_.functions()[function].def()->parameters->all) {
      const bool has_entry = std::any_of(names.begin(), names.end(),
                                         [&](const Documented& other) { return other.name == each->name.text; });
      if (!has_entry && edit_distance(each->name.text, name, limit) <= limit) return each->name.text;
    }
    return {};
  }

  void left_out(const EntityChange& entity, const std::vector<Documented>& names) {
    const FunctionId function = entity.after->function;
    const FunctionDef& def = *program_.functions()[function].def();
    const auto has_entry = [&](std::string_view wanted) {
      return std::any_of(names.begin(), names.end(), [&](const Documented& each) { return each.name == wanted; });
    };
    std::size_t others = 0;
    std::vector<const Parameter*> added;
    for (std::size_t i = 0; i < def.parameters->all.size(); ++i) {
      const Parameter& each = *def.parameters->all[i];
      const bool is_receiver = i == 0 && (each.name.text == "self" || each.name.text == "cls");
      const bool is_variadic =
          each.parameter_kind == Parameter::Kind::kVarArgs || each.parameter_kind == Parameter::Kind::kVarKeywords;
      if (is_receiver || is_variadic || each.name.text.starts_with('_')) continue;
      if (has_entry(each.name.text)) {
        ++others;
      } else if (is_new(entity, each.name.text)) {
        added.push_back(&each);
      } else {
        return;
      }
    }
    if (others < kFewestDocumented || added.empty()) return;
    std::vector<std::string> quoted;
    for (const Parameter* each : added) quoted.push_back(fmt::format("`{}`", each->name.text));
    const std::string list = join(quoted, ", ");
    Finding finding = start(function, added.front()->span, Severity::kP3);
    finding.message = fmt::format("The docstring of `{}` documents all parameters but the new {}",
                                  short_name(program_, function), list);
    finding.why = "What it does, and what it may be, is to be guessed from the code.";
    finding.fix = fmt::format("Add an entry for {}.", list);
    findings_.push_back(std::move(finding));
  }

  static bool is_new(const EntityChange& entity, std::string_view name) {
    return std::any_of(entity.differences.begin(), entity.differences.end(), [&](const change::Difference& difference) {
      return difference.kind == change::DifferenceKind::kParameterAdded && difference.name == name;
    });
  }

  const RuleContext& context_;
  const Program& program_;
  std::vector<Finding>& findings_;
};

}  // namespace

void run_docstring_disagrees(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr) Finder(context, findings).run();
}

}  // namespace lockstep::rules
