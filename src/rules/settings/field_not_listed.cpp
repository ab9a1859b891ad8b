// field-not-listed: a list of names in the code (the keys of a dict, a list, a tuple or a set of strings) that held
// nearly all fields of a dataclass before the change, and lacks those that the change adds, or still holds those that
// it takes away: the golden state of a test, the table of a converter.
//
// Left out: classes with few fields, lists that lacked more than a few before, and files that name the field elsewhere
// as a string (in a set of fields to skip, say).

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "field-not-listed";
constexpr std::size_t kFewestFields = 12;
/// A list may have lacked one field in so many before, and one always.
constexpr std::size_t kFieldsForEachMissing = 25;
constexpr std::size_t kMostNamed = 4;

using Names = std::set<std::string_view>;

/// The fields that a dataclass declares and inherits.
Names fields_of(const Program& program, ClassId cls) {
  Names names;
  for (const ClassId each : program.classes()[cls].linearized) {
    for (const program::Field& field : program.classes()[each].fields) {
      if (field.in_class_body && field.annotation != nullptr) names.insert(field.name);
    }
  }
  return names;
}

/// A dataclass whose fields the change alters.
struct AlteredFields {
  ClassId cls;
  Names before;
  Names added, removed;
};

std::vector<AlteredFields> altered_fields(const Program& program, const Program& before) {
  std::vector<AlteredFields> found;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const ClassId cls(i);
    const program::Class& row = program.classes()[cls];
    if (!row.is_dataclass || program::is_test_path(program.module_of(cls).path)) continue;
    const ClassId same = before.find_class(row.qualified_name);
    if (!same.valid()) continue;
    AlteredFields altered{cls, fields_of(before, same), {}, {}};
    if (altered.before.size() < kFewestFields) continue;
    const Names after = fields_of(program, cls);
    std::set_difference(after.begin(), after.end(), altered.before.begin(), altered.before.end(),
                        std::inserter(altered.added, altered.added.end()));
    std::set_difference(altered.before.begin(), altered.before.end(), after.begin(), after.end(),
                        std::inserter(altered.removed, altered.removed.end()));
    if (!altered.added.empty() || !altered.removed.empty()) found.push_back(std::move(altered));
  }
  return found;
}

/// The strings that a display holds: as keys of a dict, or as elements.
Names names_in(const Node& node) {
  Names names;
  const auto add = [&](const Seq<Expr>& all) {
    for (const Expr* each : all) {
      if (const std::string_view text = text_of(each); !text.empty()) names.insert(text);
    }
  };
  if (const auto* dict = as<Dict>(&node)) add(dict->keys);
  if (const auto* list = as<List>(&node)) add(list->elements);
  if (const auto* tuple = as<Tuple>(&node)) add(tuple->elements);
  if (const auto* set = as<Set>(&node)) add(set->elements);
  return names;
}

/// The first ones, each as `entry` has it, and how many more.
template <class Entry>
std::string listed(const Names& names, Entry&& entry) {
  std::vector<std::string> parts;
  for (const std::string_view name : names) {
    if (parts.size() < kMostNamed) parts.push_back(entry(name));
  }
  const std::size_t more = names.size() - parts.size();
  return fmt::format("{}{}", fmt::join(parts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string listed(const Names& names) {
  return listed(names, [](std::string_view name) { return fmt::format("`{}`", name); });
}

class Search {
 public:
  Search(const RuleContext& context, std::vector<Finding>& findings)
      : context_(context), program_(context.program), findings_(findings) {}

  void run() {
    altered_ = altered_fields(program_, *context_.before);
    if (altered_.empty()) return;
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const ModuleId module(i);
      const FileFacts& facts = *program_.modules()[module].facts;
      // A list of all fields is not shorter than their names.
      if (facts.source().bytes().size() < kFewestFields * 4) continue;
      walk(facts.tree(), Nested::kEnter, [&](const Node* node) {
        if (is<Dict>(node) || is<List>(node) || is<Tuple>(node) || is<Set>(node)) check(module, *node);
      });
    }
  }

 private:
  void check(ModuleId module, const Node& node) {
    const Names names = names_in(node);
    if (names.size() < kFewestFields) return;
    // Of classes of one family the list is of the one whose fields it has.
    const AlteredFields* listed_class = nullptr;
    std::size_t fewest = 0;
    for (const AlteredFields& altered : altered_) {
      const std::size_t missing = missing_of(altered.before, names);
      if (missing > std::max<std::size_t>(1, altered.before.size() / kFieldsForEachMissing)) continue;
      const bool is_better = listed_class == nullptr || missing < fewest ||
                             (missing == fewest && altered.before.size() > listed_class->before.size());
      if (!is_better) continue;
      listed_class = &altered;
      fewest = missing;
    }
    if (listed_class == nullptr) return;
    const std::string_view bytes = program_.modules()[module].facts->source().bytes();
    Names lacking, outlived;
    for (const std::string_view name : listed_class->added) {
      const bool is_spelled =
          contains(bytes, fmt::format("\"{}\"", name)) || contains(bytes, fmt::format("'{}'", name));
      if (!is_spelled) lacking.insert(name);
    }
    for (const std::string_view name : listed_class->removed) {
      if (names.contains(name)) outlived.insert(name);
    }
    if (!lacking.empty() || !outlived.empty()) report(module, node, *listed_class, fewest, lacking, outlived);
  }

  static std::size_t missing_of(const Names& fields, const Names& names) {
    return static_cast<std::size_t>(
        std::count_if(fields.begin(), fields.end(), [&](std::string_view name) { return !names.contains(name); }));
  }

  void report(ModuleId module, const Node& node, const AlteredFields& altered, std::size_t missing,
              const Names& lacking, const Names& outlived) {
    const program::Class& row = program_.classes()[altered.cls];
    Finding finding = finding_at(program_, kRule, module, node.span);
    finding.end_line = finding.start_line;
    finding.severity = Severity::kP1;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = program::is_test_path(finding.path) ? Category::kTests : Category::kCompatibility;
    finding.message = lacking.empty()
                          ? fmt::format("This list of the fields of `{}` still has {}", row.name, listed(outlived))
                          : fmt::format("This list of the fields of `{}` lacks the new {}", row.name, listed(lacking));
    finding.why = fmt::format(
        "It had {} of the {} fields before the change. What compares or converts all of them fails, or leaves {} out.",
        missing == 0 ? "all" : fmt::format("all but {}", missing), altered.before.size(),
        lacking.size() + outlived.size() == 1 ? "it" : "them");
    finding.fix = lacking.empty()
                      ? fmt::format("Take {} out.", listed(outlived))
                      : fmt::format("Add {}, or say which fields it leaves out.", added(node, row, lacking));
    for (const ClassId each : row.linearized) {
      for (const program::Field& field : program_.classes()[each].fields) {
        if (!lacking.contains(field.name) || !field.in_class_body) continue;
        finding.evidence.push_back(evidence_at(program_, program_.classes()[each].module, field.node->span,
                                               fmt::format("`{}` is new", field.name)));
      }
    }
    findings_.push_back(std::move(finding));
  }

  /// What is to be added: of a dict with the default that the field declares.
  [[nodiscard]] std::string added(const Node& node, const program::Class& row, const Names& lacking) const {
    if (!is<Dict>(&node)) return listed(lacking);
    return listed(lacking, [&](std::string_view name) {
      for (const ClassId each : row.linearized) {
        for (const program::Field& field : program_.classes()[each].fields) {
          if (field.name != name || !is<Constant>(field.default_value)) continue;
          return fmt::format("`\"{}\": {}`", name, quote(*program_.module_of(each).facts, field.default_value->span));
        }
      }
      return fmt::format("`\"{}\"`", name);
    });
  }

  const RuleContext& context_;
  const Program& program_;
  std::vector<Finding>& findings_;
  std::vector<AlteredFields> altered_;
};

}  // namespace

void run_field_not_listed(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.before != nullptr) Search(context, findings).run();
}

}  // namespace lockstep::rules
