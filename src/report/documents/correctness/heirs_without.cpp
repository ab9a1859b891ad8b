#include "report/documents/correctness/heirs_without.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/correctness/member_questions.h"
#include "report/source/code.h"
#include "report/source/named_rows.h"
#include "rules/names/attributes_of_class.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// A dataclass that derives from nothing but dataclasses of the repository: its fields are what stands there.
bool is_plain_dataclass(const Program& program, ClassId cls) {
  const program::Class& row = program.classes()[cls];
  return std::all_of(row.linearized.begin(), row.linearized.end(), [&](ClassId one) {
    const program::Class& each = program.classes()[one];
    const bool sees_bases = each.node->bases.size() == each.bases.size();
    return each.is_dataclass && sees_bases && each.node->keywords.empty() &&
           std::none_of(each.methods.begin(), each.methods.end(),
                        [&](FunctionId method) { return program.functions()[method].name.starts_with("__getattr"); });
  });
}

/// A new read of an attribute.
struct Read {
  const Actor* actor = nullptr;
  const Attribute* node = nullptr;
  std::vector<Guard> guards;
};

std::vector<Read> new_reads(const Actor& actor) {
  std::vector<Read> out;
  const auto* def = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  if (def == nullptr || actor.steps.after_source == nullptr) return out;
  const SourceText& source = *actor.steps.after_source;
  const std::string_view before = actor.change->before && actor.steps.before_source != nullptr
                                      ? actor.steps.before_source->slice(actor.change->before->node->span)
                                      : std::string_view();
  std::set<std::string> known;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || step.is_moved) continue;
    walk_of<Attribute>(*step.node, Nested::kSkip, [&](const Attribute* one) {
      const std::string_view name = one->name.text;
      if (!step.span.contains(one->span) || one->context != ExprContext::kLoad || name.starts_with("__") ||
          rules::is_member_of_nn_module(name) || find_name(before, name) != std::string_view::npos ||
          contains(source.slice(def->span), fmt::format("\"{}\"", name)) ||
          !known.insert(one_line_whole(source, *one)).second)
        return;
      Read read{&actor, one, guards_of(*def, one->span)};
      if (!asks_for_object(*one->value, read.guards, source) && !rules::is_in_try(*def, one->span))
        out.push_back(std::move(read));
    });
  }
  return out;
}

/// Whether the method runs for objects of the heir: it inherits it, or its own calls it.
bool runs_for(const Program& program, FunctionId method, ClassId heir) {
  const program::Function& base = program.functions()[method];
  const FunctionId own = program.find_method(heir, base.name);
  if (own == method || !own.valid()) return own.valid();
  const auto& calls = program.functions()[own].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const auto& targets = program.calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(),
                       [&](const program::CallTarget& one) { return one.function == method; });
  });
}

std::string folder_of(const Program& program, program::ModuleId module) {
  const std::string& path = program.modules()[module].path;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

bool is_of_tests(const Program& program, ClassId cls) {
  return program::is_test_path(program.modules()[program.classes()[cls].module].path);
}

/// Where a keyword is given an object of a class.
struct Given {
  ClassId cls;
  program::ModuleId module;
  Span at;
};

/// `attention=Attention.Config(…)` outside tests.
std::vector<Given> given_objects(const Program& program, std::string_view keyword) {
  struct Argument {
    program::ModuleId module;
    const Keyword* node = nullptr;
  };
  const auto read = [&](program::ModuleId module, const auto& add) {
    walk_of<Keyword>(program.modules()[module].facts->tree(), Nested::kEnter, [&](const Keyword* one) {
      add(one->name.text, Argument{module, one});
    });
  };
  std::vector<Given> out;
  for (const auto& [module, one] : program.derived<NamedRows<Argument>>().of(program, keyword, read)) {
    const FunctionId function = program.function_at(module, one->span.begin);
    const auto* call = as<Call>(one->value);
    const program::Reference made = call == nullptr ? program::Reference() : program.resolve(function, *call->callee);
    const bool is_class = made.kind == program::Reference::Kind::kClass;
    const std::vector<ClassId> held =
        is_class ? std::vector<ClassId>{made.cls} : program.instance_classes(function, *one->value);
    if (held.size() == 1) out.push_back({held.front(), module, one->span});
  }
  return out;
}

/// The place, and the conditions around it.
std::string where_of(const Read& read) {
  const SourceText& source = *read.actor->steps.after_source;
  std::string out = place(read.actor->change->after->path, source.line_of(read.node->span.begin));
  const std::string when = guards_words(read.guards, source);
  return when.empty() ? out : fmt::format("{}, if {}", out, when);
}

std::optional<Risk> part_without(const DocumentInputs& inputs, const Read& read) {
  const Program& program = *inputs.after;
  const auto* part = as<Attribute>(read.node->value);
  const FunctionId function = read.actor->change->after->function;
  const ClassId owner = program.functions()[function].owner;
  const std::string_view name = read.node->name.text;
  if (part == nullptr || !owner.valid()) return std::nullopt;
  std::map<std::string, ClassId> heirs;  // By their folders.
  for (const ClassId heir : program::with_descendants(program, owner)) {
    if (heir != owner && !is_of_tests(program, heir) && runs_for(program, function, heir))
      heirs.emplace(folder_of(program, program.classes()[heir].module), heir);
  }
  if (heirs.empty()) return std::nullopt;
  const std::vector<Given> given = given_objects(program, part->name.text);
  const auto has = [&](const Given& one) { return has_member(program, one.cls, name); };
  if (std::none_of(given.begin(), given.end(), has) || is_set_otherwise(program, name, false)) return std::nullopt;
  for (const auto& [folder, heir] : heirs) {
    const auto is_near = [&, &at = folder](const Given& one) { return folder_of(program, one.module) == at; };
    const auto first = std::find_if(given.begin(), given.end(), is_near);
    const bool lack_all = std::none_of(given.begin(), given.end(), [&](const Given& one) {
      return is_near(one) && (has(one) || !is_plain_dataclass(program, one.cls));
    });
    if (first == given.end() || !lack_all) continue;
    const std::string concern = fmt::format(
        "{} reads {} now ({}); {} comes to it, too, and in its folder {} is given an object of {} ({}), which has no "
        "{}.",
        code(short_name(inputs, *read.actor->change)), code(one_line(*read.actor->steps.after_source, *read.node)),
        where_of(read), code(short_name(program, heir)), code(part->name.text), code(short_name(program, first->cls)),
        place_of(program, first->module, first->at), code(name));
    const std::string asked = fmt::format("Does a run of {} come there?", code(short_name(program, heir)));
    return Risk{RiskKind::kCorrectness, concern, asked, false, concern + " " + asked};
  }
  return std::nullopt;
}

std::optional<Risk> heir_without(const DocumentInputs& inputs, const Read& read) {
  const Program& program = *inputs.after;
  const FunctionId function = read.actor->change->after->function;
  const ClassId owner = program.functions()[function].owner;
  const std::string_view name = rules::self_attribute(read.node);
  if (name.empty() || !owner.valid() || program.subclasses_of(owner).empty() || has_member(program, owner, name))
    return std::nullopt;
  std::vector<std::string> with;
  std::vector<std::string> without;
  for (const ClassId heir : program::with_descendants(program, owner)) {
    if (is_of_tests(program, heir)) continue;
    if (has_member(program, heir, name)) {
      with.push_back(code(short_name(program, heir)));
    } else if (heir != owner && program.subclasses_of(heir).empty() && runs_for(program, function, heir)) {
      if (!is_all_seen(program, heir)) return std::nullopt;
      without.push_back(fmt::format("{} ({})", code(short_name(program, heir)), place_of(program, heir)));
    }
  }
  constexpr std::size_t kMost = 3;
  if (with.empty() || without.empty() || is_set_otherwise(program, name, true)) return std::nullopt;
  for (std::vector<std::string>* list : {&with, &without}) {
    const std::size_t all = list->size();
    if (all > kMost) list->resize(kMost);
    if (all > kMost) list->push_back(fmt::format("{} more", all - kMost));
  }
  const bool is_one = without.size() == 1;
  const std::string concern =
      fmt::format("{} reads {} now ({}), which {} {}; nothing that was found sets it for {}.",
                  code(short_name(inputs, *read.actor->change)), code(fmt::format("self.{}", name)), where_of(read),
                  join_words(with), with.size() == 1 ? "has" : "have", join_words(without));
  const std::string asked = is_one ? "Does it come there?" : "Do they come there?";
  return Risk{RiskKind::kCorrectness, concern, asked, false, concern + " " + asked};
}

}  // namespace

void add_heirs_without(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  constexpr std::size_t kMostReads = 60;
  std::size_t told = 0;
  std::size_t looked = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() || actor.is_module_code ||
        !actor.change->after->function.valid() || program::is_helper_path(actor.change->after->path))
      continue;
    const ClassId owner = inputs.after->functions()[actor.change->after->function].owner;
    // Only methods that heirs have, too.
    if (!owner.valid() || inputs.after->subclasses_of(owner).empty()) continue;
    std::set<std::string_view> known;
    for (const Read& read : new_reads(actor)) {
      if (told == kMostQuestions || looked++ == kMostReads) return;
      if (known.contains(read.node->name.text)) continue;
      std::optional<Risk> risk = heir_without(inputs, read);
      if (!risk) risk = part_without(inputs, read);
      if (!risk) continue;
      known.insert(read.node->name.text);
      risks.push_back(std::move(*risk));
      ++told;
      break;
    }
  }
}

}  // namespace lockstep::report
