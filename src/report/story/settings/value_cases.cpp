#include "report/story/settings/value_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/strings.h"
#include "change/names.h"
#include "report/document.h"
#include "report/source/literal_texts.h"
#include "report/source/local_values.h"
#include "report/story/settings/compared_texts.h"
#include "report/story/settings/flag_declarations.h"
#include "report/story/wording/partial_conditions.h"
#include "report/ways/conditions/asked_settings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kFewest = 3;  // Of two values a sentence tells as much.
constexpr std::size_t kMostValues = 6;
constexpr std::size_t kLongestCell = 200;
constexpr const char* kNever = "no";
constexpr const char* kAlways = "yes";
constexpr const char* kNotSet = "not set";
constexpr const char* kNoStep = "none of these steps";

/// One setting, or another value that one function compares, and the values that it takes.
struct Taken {
  std::string name;
  std::string place;
  std::string argument;
  std::vector<Value> values;
  std::optional<ComparedTexts> compared = std::nullopt;  ///< Then it is no setting, and values are as written.
};

/// One side of a function whose code is asked.
struct Side {
  const AskedSettings& asked;
  const Program& program;
  FunctionId function;
  const Node& node;
  const SourceText& source;
};

/// The setting whose value the expression has; a function inside another sees the other's `self`.
std::string_view setting_held(const Side& side, const Expr& expression) {
  for (FunctionId at = side.function; at.valid(); at = side.program.functions()[at].enclosing) {
    const ReadSetting held = side.asked.held_as_it_is(at, expression);
    if (!held.name.empty()) return held.name;
  }
  return {};
}

Remainder remainder_with(const Side& side, const Expr& condition, bool negated, const Taken& setting,
                         const Value& value) {
  const auto* def = as<FunctionDef>(&side.node);
  return remainder_of(
      condition, negated, side.source,
      [&](const Expr& part) {
        if (setting.compared) {
          const std::optional<bool> holds = setting.compared->holds(part, value.text);
          if (holds) return Value{Value::Kind::kBool, *holds, *holds ? "True" : "False"};
          return dotted_text(&part) == setting.compared->expression ? value : Value();
        }
        const bool may_be = is<Attribute>(&part) || is<Name>(&part) || is<Call>(&part);
        return may_be && setting_held(side, part) == setting.name ? value : Value();
      },
      [&](std::string_view name) { return def == nullptr ? nullptr : only_value_of(*def, name); });
}

/// Whether the place waits for an error or for a case that matches, of which nothing is worked out.
bool waits_otherwise(const Side& side, Span place) {
  const std::vector<const Node*> chain = chain_to(side.node, place);
  return std::any_of(chain.begin(), chain.end(),
                     [](const Node* one) { return is<ExceptHandler>(one) || is<MatchCase>(one); });
}

/// A condition that has to hold, in words.
struct Clause {
  std::string words;
  bool joins_any = false;  ///< "`a` or `b`".
  bool operator==(const Clause&) const = default;
};

/// All of them have to hold.
std::string joined(const std::vector<Clause>& clauses) {
  std::vector<std::string> out;
  for (const Clause& one : clauses)
    out.push_back(one.joins_any && clauses.size() > 1 ? fmt::format("({})", one.words) : one.words);
  return join(out, " and ");
}

/// Whether a run of the function comes to a place: never, or when all of these hold.
struct Cell {
  bool never = false;
  bool is_unknown = false;  ///< A condition asks for the setting in a way of which nothing is worked out.
  std::vector<Clause> when = {};
};

/// `guards`: what stands around the place.
Cell runs_with(const Side& side, const std::vector<Guard>& guards, const Taken& setting, const Value& value) {
  Cell out;
  for (const Guard& guard : guards) {
    if (guard.condition == nullptr) continue;
    Remainder left = remainder_with(side, *guard.condition, guard.negated, setting, value);
    if (left.known && !*left.known) return {true, false, {}};
    if (left.known) continue;
    out.is_unknown = out.is_unknown || left.asks_known;
    Clause clause{std::move(left.words), left.joins_any};
    if (std::find(out.when.begin(), out.when.end(), clause) == out.when.end()) out.when.push_back(std::move(clause));
  }
  return out;
}

/// Takes out, and gives, what must hold in all of them that are not "never": no matter of the setting, nor of the
/// change.
std::vector<Clause> take_shared(std::vector<Cell>& before, std::vector<Cell>& after) {
  const auto is_among = [](const std::vector<Clause>& clauses, const Clause& one) {
    return std::find(clauses.begin(), clauses.end(), one) != clauses.end();
  };
  std::optional<std::vector<Clause>> shared;
  for (const std::vector<Cell>* cells : {&before, &after}) {
    for (const Cell& cell : *cells) {
      if (cell.never) continue;
      if (!shared) shared = cell.when;
      std::erase_if(*shared, [&](const Clause& one) { return !is_among(cell.when, one); });
    }
  }
  if (!shared) return {};
  for (std::vector<Cell>* cells : {&before, &after}) {
    for (Cell& cell : *cells) std::erase_if(cell.when, [&](const Clause& one) { return is_among(*shared, one); });
  }
  return *std::move(shared);
}

/// "no", "yes" or "when …".
std::string told_cell(const Cell& cell) {
  return cell.never ? kNever : cell.when.empty() ? kAlways : "when " + joined(cell.when);
}

/// What one step comes to with each value, before and after.
struct Outcome {
  std::vector<std::string> before;
  std::vector<std::string> after;
  bool operator==(const Outcome&) const = default;
};

/// Steps of one function to which the same happens.
struct Row {
  std::string what;
  std::vector<Clause> where = {};  ///< What must hold in all cases.
  bool is_of_target = false;       ///< `what` gets a value, the outcomes say which.
  std::size_t others = 0;
  Outcome outcome;
  int telling = 0;  ///< The more, the more the step itself says.
};

class Cases {
 public:
  Cases(const DocumentInputs& inputs, const AskedSettings& before, const AskedSettings& after, const Taken& setting)
      : inputs_(inputs), asked_before_(before), asked_after_(after), setting_(setting) {}

  std::vector<Row> of(const Actor& actor) const {
    std::vector<Row> out;
    const auto& change = *actor.change;
    const Side before{asked_before_, *inputs_.before, change.before->function, *change.before->node,
                      *actor.steps.before_source};
    const Side after{asked_after_, *inputs_.after, change.after->function, *change.after->node,
                     *actor.steps.after_source};
    for (const Step& step : actor.steps.after) {
      if (step.kind != StepKind::kPlain || step.elsewhere != nullptr) continue;
      const Step* old = step.partner == Step::kNone ? nullptr : &actor.steps.before[step.partner];
      add(actor, old, &step, before, after, out);
    }
    for (const Step& step : actor.steps.before) {
      if (step.kind == StepKind::kPlain && step.partner == Step::kNone && step.elsewhere == nullptr)
        add(actor, &step, nullptr, before, after, out);
    }
    return out;
  }

 private:
  using Told = std::vector<std::string>;

  /// With each value, on one side; never where the step is not there.
  [[nodiscard]] std::vector<Cell> runs(const Step* step, const Side& side) const {
    if (step == nullptr) return std::vector<Cell>(setting_.values.size(), Cell{true, false, {}});
    std::vector<Guard> guards = guards_of(side.node, step->span);
    // It counts where it fails.
    if (const auto* check = as<Assert>(step->node)) guards.push_back({nullptr, check->test, true});
    std::vector<Cell> out;
    for (const Value& value : setting_.values) out.push_back(runs_with(side, guards, setting_, value));
    return out;
  }

  static Told told_of(const std::vector<Cell>& cells) {
    Told out;
    for (const Cell& cell : cells) out.push_back(told_cell(cell));
    return out;
  }

  /// What it sets with each value, where a run comes there.
  [[nodiscard]] Told sets(const Expr& given, const Side& side, const std::vector<Cell>& cells) const {
    Told out;
    for (std::size_t i = 0; i < setting_.values.size(); ++i) {
      const Remainder left = remainder_with(side, given, false, setting_, setting_.values[i]);
      const std::string set = left.known ? code(*left.known ? "True" : "False") : code(one_line(side.source, given));
      out.push_back(cells[i].never ? kNotSet : cells[i].when.empty() ? set : set + " " + told_cell(cells[i]));
    }
    return out;
  }

  void add(const Actor& actor, const Step* old, const Step* now, const Side& before, const Side& after,
           std::vector<Row>& out) const {
    const Step& told = now != nullptr ? *now : *old;
    if (is<FunctionDef>(told.node) || is<ClassDef>(told.node)) return;
    if ((old != nullptr && waits_otherwise(before, old->span)) || (now != nullptr && waits_otherwise(after, now->span)))
      return;
    Row row;
    std::vector<Cell> was_run = runs(old, before);
    std::vector<Cell> is_run = runs(now, after);
    const auto is_unknown = [](const Cell& cell) { return cell.is_unknown; };
    if (std::any_of(was_run.begin(), was_run.end(), is_unknown) ||
        std::any_of(is_run.begin(), is_run.end(), is_unknown))
      return;
    row.where = take_shared(was_run, is_run);
    constexpr std::size_t kLongestWhere = 200;
    // What it stands under besides has to be told; and whether an assertion is met under other settings, code that
    // sets them decides.
    if (joined(row.where).size() > kLongestWhere ||
        (is<Assert>(told.node) && asks_for_settings(now != nullptr ? after : before, told)))
      return;
    row.outcome = {told_of(was_run), told_of(is_run)};
    const bool is_edited = old != nullptr && now != nullptr && now->status == StepStatus::kChanged;
    const Expr* target = nullptr;
    const Expr* given = now == nullptr ? nullptr : assigned_value(now->node, target);
    const Expr* old_target = nullptr;
    const Expr* was = old == nullptr ? nullptr : assigned_value(old->node, old_target);
    // What a local is set to counts by what is done with it, unless ranks meet there.
    const bool is_local = is<Name>(target) || is<Name>(old_target);
    if ((is_local && !contains(words_of(actor, told, now != nullptr), "issue")) || says_nothing(told)) return;
    if (is_edited && given != nullptr && was != nullptr && is<Attribute>(target) &&
        row.outcome.before == row.outcome.after) {
      const bool are_questions = is_truth(*given) && is_truth(*was);
      if (!are_questions) return;
      row.outcome = {sets(*was, before, was_run), sets(*given, after, is_run)};
      row.what = code(one_line(after.source, *target));
      row.is_of_target = true;
    } else if (is_edited) {
      return;
    }
    const bool depends = has_several(row.outcome.before) || has_several(row.outcome.after);
    const auto is_long = [](const std::string& cell) { return cell.size() > kLongestCell; };
    if (!depends || row.outcome.before == row.outcome.after ||
        std::any_of(row.outcome.before.begin(), row.outcome.before.end(), is_long) ||
        std::any_of(row.outcome.after.begin(), row.outcome.after.end(), is_long))
      return;
    if (row.what.empty()) row.what = words_of(actor, told, now != nullptr);
    if (row.what.empty()) return;
    row.telling = telling_of(row.what, told);
    // What a call comes to may depend on the setting, too.
    row.what = row.what.substr(0, row.what.find(", which can issue "));
    const auto alike = std::find_if(
        out.begin(), out.end(), [&](const Row& one) { return one.outcome == row.outcome && one.where == row.where; });
    if (alike == out.end()) {
      out.push_back(std::move(row));
      return;
    }
    row.others = alike->others + 1;
    if (row.telling > alike->telling) {
      *alike = std::move(row);
    } else {
      alike->others = row.others;
    }
  }

  [[nodiscard]] std::string words_of(const Actor& actor, const Step& step, bool is_after) const {
    if (const auto* check = as<Assert>(step.node)) {
      const SourceText& source = is_after ? *actor.steps.after_source : *actor.steps.before_source;
      return fmt::format("fails at the assertion {}", code(one_line(source, *check->test, 60)));
    }
    WordsContext context = is_after ? context_after(inputs_, actor) : context_before(inputs_, actor);
    context.is_brief = true;
    return step_words(step, context);
  }

  /// Whether a condition around the step asks for another setting.
  [[nodiscard]] bool asks_for_settings(const Side& side, const Step& step) const {
    const std::vector<Guard> guards = guards_of(side.node, step.span);
    return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      if (guard.condition == nullptr) return false;
      const std::vector<ReadSetting> asked = side.asked.of(side.function, *guard.condition, true);
      return std::any_of(asked.begin(), asked.end(), [&](const ReadSetting& one) { return one.name != setting_.name; });
    });
  }

  /// Imports, logs, `pass`.
  static bool says_nothing(const Step& step) {
    const auto* thrown = as<ExprStmt>(step.node);
    return is<Import>(step.node) || is<ImportFrom>(step.node) || is<Pass>(step.node) ||
           (thrown != nullptr && rules::is_log_call(thrown->value));
  }

  /// Collectives, then what is kept, then other calls, then ways out.
  static int telling_of(const std::string& words, const Step& step) {
    if (contains(words, "issue ") || contains(words, "issues ")) return 3;
    if (is<Continue>(step.node) || is<Break>(step.node)) return 0;
    const Expr* target = nullptr;
    return assigned_value(step.node, target) != nullptr ? 2 : 1;
  }

  /// `True`, a comparison, `a and b`, `not a`.
  static bool is_truth(const Expr& value) {
    const auto* opposite = as<UnaryOp>(&value);
    return value_of(&value).kind == Value::Kind::kBool || is<Compare>(&value) || is<BoolOp>(&value) ||
           (opposite != nullptr && opposite->op == UnaryOperator::kNot);
  }

  static bool has_several(const Told& told) {
    return std::any_of(told.begin(), told.end(), [&](const std::string& one) { return one != told.front(); });
  }

  const DocumentInputs& inputs_;
  const AskedSettings& asked_before_;
  const AskedSettings& asked_after_;
  const Taken& setting_;
};

/// Functions that stay and of which code changes, outside tests.
bool is_asked(const Actor& actor) {
  return actor.is_function() && actor.role != Role::kTest && actor.role != Role::kCosmetic && !actor.is_module_code &&
         actor.change->before && actor.change->after && actor.change->before->function.valid() &&
         actor.change->after->function.valid() && actor.steps.before_source != nullptr &&
         actor.steps.after_source != nullptr;
}

/// The settings that changed conditions and values ask for, by how many do.
std::map<std::string, std::size_t> settings_asked(const Story& story, const AskedSettings& before,
                                                  const AskedSettings& after) {
  std::map<std::string, std::size_t> out;
  for (const Actor& actor : story.actors) {
    if (!is_asked(actor)) continue;
    const auto look = [&](const std::vector<Step>& steps, const AskedSettings& asked, FunctionId function) {
      for (const Step& step : steps) {
        if (step.status == StepStatus::kKept) continue;
        const auto* branch = as<If>(step.node);
        const auto* check = as<Assert>(step.node);
        const Expr* target = nullptr;
        const Expr* given = assigned_value(step.node, target);
        const Expr* question = branch != nullptr ? branch->condition : check != nullptr ? check->test : given;
        if (question == nullptr) continue;
        for (const ReadSetting& one : asked.of(function, *question, true)) ++out[std::string(one.name)];
      }
    };
    look(actor.steps.before, before, actor.change->before->function);
    look(actor.steps.after, after, actor.change->after->function);
  }
  return out;
}

/// The texts that it is declared to take; None where it may be that, too.
Taken taken_by(const Program& program, const FlagDeclarations& declarations, const std::string& name) {
  Flag flag;
  flag.name = name;
  declarations.declare(flag);
  std::vector<std::string> texts = flag.choices;
  for (const program::Class& cls : program.classes()) {
    if (!texts.empty() || flag.owner.empty() || cls.name != flag.owner) continue;
    for (const program::Field& field : cls.fields) {
      if (field.name != name || field.annotation == nullptr) continue;
      for (const std::string_view text : literals_in(*field.annotation)) texts.emplace_back(text);
    }
  }
  Taken out{name, flag.place, flag.argument, {}};
  for (std::string& text : texts) out.values.push_back({Value::Kind::kText, !text.empty(), std::move(text)});
  if (!out.values.empty() && (flag.default_value == "None" || flag.argument_default == "None"))
    out.values.push_back({Value::Kind::kNone, false, "None"});
  return out;
}

std::string told_value(const Taken& setting, const Value& value) {
  if (setting.compared) return value.text == ComparedTexts::kOther ? value.text : code(value.text);
  return code(value.kind == Value::Kind::kText ? fmt::format("\"{}\"", value.text) : value.text);
}

/// One row of the table for each pair of outcomes, those that stay as they were last.
std::vector<std::vector<std::string>> rows_of(const std::string& what, const Row& row, const Taken& setting) {
  std::vector<std::vector<std::string>> out;
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<std::string>>> groups;
  for (std::size_t i = 0; i < setting.values.size(); ++i) {
    const std::pair told(row.outcome.before[i], row.outcome.after[i]);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == told; });
    if (found == groups.end()) found = groups.insert(groups.end(), {told, {}});
    found->second.push_back(told_value(setting, setting.values[i]));
  }
  std::stable_partition(groups.begin(), groups.end(),
                        [](const auto& one) { return one.first.first != one.first.second; });
  bool is_first = true;
  for (const auto& [told, values] : groups) {
    const bool stays = told.first == told.second;
    out.push_back({is_first ? what : "", join(values, ", "), told.first, stays ? "as before" : told.second});
    is_first = false;
  }
  return out;
}

/// ", where `a` is set"; empty where nothing must hold.
std::string where_words(const std::vector<Clause>& clauses) {
  return clauses.empty() ? std::string() : ", where " + joined(clauses);
}

std::string more_words(const Row& row) {
  return row.others == 0 ? std::string() : fmt::format("; and {} more that go with it", row.others);
}

ValueCases table_of(const DocumentInputs& inputs, const Story& story, const AskedSettings& before,
                    const AskedSettings& after, const Taken& setting) {
  ValueCases out;
  const Cases cases(inputs, before, after, setting);
  for (const Actor& actor : story.actors) {
    if (!is_asked(actor)) continue;
    for (const Row& row : cases.of(actor)) {
      const std::string what = row.is_of_target ? fmt::format("what {} is set to", row.what) : row.what;
      out.rows.push_back(rows_of(fmt::format("{}: {}{}", code(short_name(inputs, *actor.change)), what,
                                             where_words(row.where) + more_words(row)),
                                 row, setting));
    }
  }
  if (out.rows.empty()) return out;
  out.header = {"What", "With", "Before", "After"};
  const std::string named = setting.argument.empty() ? "" : fmt::format(", argument {}", code(setting.argument));
  out.caption = fmt::format("By the value of {} ({}{}):", code(setting.name), setting.place, named);
  return out;
}

/// What a run comes to with one value, of the steps that it decides: "returns `x`; calls `f`, when `a` is set".
std::string told_steps(const std::vector<Row>& rows, std::size_t value, bool is_after) {
  constexpr std::size_t kMostSteps = 4;
  std::vector<std::string> steps;
  for (const Row& row : rows) {
    // What a step costs stands with the code.
    const std::string what = row.what.substr(0, row.what.find(", which "));
    const std::string& cell = (is_after ? row.outcome.after : row.outcome.before)[value];
    if (cell == kNever || cell == kNotSet) continue;
    std::string words = row.is_of_target  ? fmt::format("sets {} to {}", what, cell)
                        : cell == kAlways ? what
                                          : fmt::format("{}, {}", what, cell);
    steps.push_back(words + where_words(row.where) +
                    (row.others == 0 ? "" : fmt::format(" (with {})", count_of(row.others, "more step"))));
  }
  if (steps.empty()) return kNoStep;
  const std::size_t left = steps.size() > kMostSteps ? steps.size() - kMostSteps : 0;
  if (left > 0) steps.resize(kMostSteps);
  return join(steps, "; ") + (left == 0 ? "" : fmt::format("; and {}", count_of(left, "more step")));
}

/// Takes out, and gives, what must hold in all rows.
std::vector<Clause> take_common(std::vector<Row>& rows) {
  std::vector<Clause> common = rows.front().where;
  const auto is_in = [](const Row& row, const Clause& one) {
    return std::find(row.where.begin(), row.where.end(), one) != row.where.end();
  };
  std::erase_if(common, [&](const Clause& one) {
    return !std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return is_in(row, one); });
  });
  for (Row& row : rows)
    std::erase_if(row.where,
                  [&](const Clause& one) { return std::find(common.begin(), common.end(), one) != common.end(); });
  return common;
}

/// Whether `Mode.FULL` names a member that its class did not have.
bool is_new_member(const Program& before, std::string_view value) {
  const std::size_t dot = value.rfind('.');
  if (dot == std::string_view::npos || value.front() == '"') return false;
  const std::string_view owner = change::last_part(value.substr(0, dot));
  const std::string_view member = value.substr(dot + 1);
  bool is_known = false;
  for (const program::Class& cls : before.classes()) {
    if (cls.name != owner) continue;
    is_known = true;
    for (const program::Field& field : cls.fields) {
      if (field.name == member) return false;
    }
  }
  return is_known;
}

/// Tables of what the functions that carry the change compare, where that is no setting of which one is there.
std::vector<ValueCases> compared_tables(const DocumentInputs& inputs, const Story& story, const AskedSettings& before,
                                        const AskedSettings& after) {
  std::vector<ValueCases> out;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (!is_asked(actor)) continue;
    for (ComparedTexts& compared : compared_texts(inputs, actor)) {
      Taken taken{compared.expression, {}, {}, {}, std::nullopt};
      if (compared.takes_others) compared.values.emplace_back(ComparedTexts::kOther);
      for (const std::string& value : compared.values) taken.values.push_back({Value::Kind::kText, true, value});
      taken.compared = std::move(compared);
      if (taken.values.size() < kFewest || taken.values.size() > kMostValues) continue;
      std::vector<Row> rows = Cases(inputs, before, after, taken).of(actor);
      if (rows.empty()) continue;
      const std::vector<Clause> common = take_common(rows);
      ValueCases one;
      one.header = {"With", "Before", "After"};
      for (std::size_t v = 0; v < taken.values.size(); ++v) {
        std::string was = told_steps(rows, v, false);
        std::string is = told_steps(rows, v, true);
        // "Anything else" must not stand for it.
        if (was == kNoStep && is == kNoStep) was = is = "other steps";
        if (is_new_member(*inputs.before, taken.values[v].text)) was = "there is no such value";
        if (is == was) is = "as before";
        one.rows.push_back({{told_value(taken, taken.values[v]), std::move(was), std::move(is)}});
      }
      one.caption = fmt::format("By the value of {} in {}{}:", code(taken.name),
                                code(short_name(inputs, *actor.change)), where_words(common));
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace

std::vector<ValueCases> value_cases(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  const AskedSettings before(*inputs.before);
  const AskedSettings after(*inputs.after);
  std::vector<std::pair<std::string, std::size_t>> asked;
  for (const auto& one : settings_asked(story, before, after)) asked.push_back(one);
  std::stable_sort(asked.begin(), asked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<ValueCases> out;
  std::vector<std::string> near;
  for (const change::FileSummary& file : inputs.change->files) near.push_back(file.file->new_path);
  std::optional<FlagDeclarations> declarations;
  if (!asked.empty()) declarations.emplace(*inputs.after, std::move(near));
  for (const auto& [name, times] : asked) {
    if (out.size() == most) break;
    const Taken setting = taken_by(*inputs.after, *declarations, name);
    if (setting.values.size() < kFewest || setting.values.size() > kMostValues || setting.place.empty()) continue;
    ValueCases one = table_of(inputs, story, before, after, setting);
    if (!one.rows.empty()) out.push_back(std::move(one));
  }
  for (ValueCases& one : compared_tables(inputs, story, before, after)) {
    if (out.size() < most) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace lockstep::report
