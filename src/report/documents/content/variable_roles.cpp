#include "report/documents/content/variable_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/wording/edits.h"

namespace lockstep::report {

using namespace python;

namespace {

/// "line 5", "lines 5 and 8": the first few.
std::string lines_text(const std::set<std::uint32_t>& lines) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown;
  for (const std::uint32_t line : lines) {
    if (shown.size() < kMost) shown.push_back(std::to_string(line + 1));
  }
  return fmt::format("{} {}{}", lines.size() == 1 ? "line" : "lines", join_words(shown),
                     lines.size() > shown.size() ? ", among others" : "");
}

/// Whether the expression is the name, or reads nothing but an item or attribute of it.
bool is_of_name(const Expr* expression, std::string_view name) {
  while (expression != nullptr) {
    if (const auto* found = as<Name>(expression)) return found->id == name;
    if (const auto* item = as<Subscript>(expression)) {
      expression = item->value;
    } else if (const auto* member = as<Attribute>(expression)) {
      expression = member->value;
    } else {
      return false;
    }
  }
  return false;
}

/// All that is done with one local, in the order in which it is done first.
class Roles {
 public:
  Roles(std::string_view name, const SourceText& source) : name_(name), source_(source) {}

  /// Notes what the step by itself does with the local; false where it does not read it.
  bool add(const Step& step) {
    const std::set<std::uint32_t> lines = lines_of(step);
    if (lines.empty()) return false;
    bool is_told = false;
    const auto note = [&](const std::string& role, std::uint32_t line) {
      is_told = true;
      if (roles_[role].empty()) order_.push_back(role);
      roles_[role].insert(line);
    };
    if (decides(step)) note(is<Assert>(step.node) ? kChecked : kDecides, step.first_line);
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      if (step.span.contains(call->span)) add_call(*call, note);
    });
    if (!is_told) add_statement(step, note);
    if (!is_told) {
      for (const std::uint32_t line : lines) note(kUsed, line);
    }
    return true;
  }

  [[nodiscard]] std::string text() const {
    std::vector<std::string> parts;
    for (const std::string& role : order_) {
      const std::string lines = lines_text(roles_.at(role));
      parts.push_back(role == kDecides || role == kChecked || role == kUsed ? fmt::format("{} {}", role, lines)
                                                                            : fmt::format("{} ({})", role, lines));
    }
    return join(parts, "; ");
  }
  /// Whether it decides something, changes, or is kept: where a value only goes on to, the code shows.
  [[nodiscard]] bool says_something() const {
    return std::any_of(order_.begin(), order_.end(), [](const std::string& role) {
      return role == kDecides || role == kChecked || role.starts_with(kChanged) || role.starts_with(kKept);
    });
  }

 private:
  static constexpr const char* kDecides = "decides the branch at";
  static constexpr const char* kChecked = "is checked at";
  static constexpr const char* kUsed = "is used at";
  static constexpr const char* kChanged = "is changed in place by";
  static constexpr const char* kKept = "is kept as";

  /// Lines in which the step by itself reads the name: a new value is no use.
  [[nodiscard]] std::set<std::uint32_t> lines_of(const Step& step) const {
    const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
    const Span span = assign != nullptr && is<Name>(assign->targets.front()) ? assign->value->span : step.span;
    std::set<std::uint32_t> lines;
    walk(*step.node, Nested::kEnter, [&](const Node* node) {
      const auto* name = as<Name>(node);
      if (name != nullptr && name->id == name_ && span.contains(name->span))
        lines.insert(source_.line_of(name->span.begin));
      return node->span.begin < span.end && node->span.end > span.begin;
    });
    return lines;
  }

  [[nodiscard]] bool reads(const Node& node) const {
    const auto* self = as<Name>(&node);
    bool found = self != nullptr && self->id == name_;
    walk_of<Name>(node, Nested::kEnter, [&](const Name* name) { found = found || name->id == name_; });
    return found;
  }

  [[nodiscard]] bool decides(const Step& step) const {
    if (const auto* branch = as<If>(step.node)) return step.kind == StepKind::kIf && reads(*branch->condition);
    if (const auto* loop = as<While>(step.node)) return step.kind == StepKind::kWhile && reads(*loop->condition);
    if (const auto* check = as<Assert>(step.node)) return reads(*check->test);
    return false;
  }

  template <class Note>
  void add_call(const Call& call, const Note& note) const {
    const std::uint32_t line = source_.line_of(call.span.begin);
    const auto* method = as<Attribute>(call.callee);
    // Methods whose names end so change their receiver: torch's convention.
    if (method != nullptr && method->name.text.ends_with('_') && !method->name.text.starts_with("_") &&
        is_of_name(method->value, name_))
      note(fmt::format("{} {}", kChanged, code(std::string(method->name.text))), line);
    // What these give is asked, or told; the value goes nowhere.
    static constexpr std::string_view kAsking[] = {"isinstance", "len",   "print", "type",   "id",  "hasattr",
                                                   "getattr",    "tuple", "list",  "sorted", "set", "enumerate",
                                                   "range",      "zip",   "int",   "str",    "sum", "dict"};
    const std::string callee = dotted_text(call.callee);
    if (callee.empty() || std::find(std::begin(kAsking), std::end(kAsking), callee) != std::end(kAsking)) return;
    const bool is_given = std::any_of(call.arguments.begin(), call.arguments.end(),
                                      [&](const Expr* one) { return is_of_name(one, name_); }) ||
                          std::any_of(call.keywords.begin(), call.keywords.end(),
                                      [&](const Keyword* keyword) { return is_of_name(keyword->value, name_); });
    if (is_given) note(fmt::format("is passed to {}", code(callee)), line);
  }

  template <class Note>
  void add_statement(const Step& step, const Note& note) const {
    if (step.kind != StepKind::kPlain) {
      if (const auto* loop = as<For>(step.node);
          loop != nullptr && step.kind == StepKind::kFor && reads(*loop->iterable))
        note("is looped over", step.first_line);
      return;
    }
    if (const auto* returned = as<Return>(step.node); returned != nullptr)
      return note(is_of_name(returned->value, name_) ? "is returned" : "goes into what is returned", step.first_line);
    const auto* assign = as<Assign>(step.node);
    if (assign == nullptr || assign->targets.size() != 1) return;
    const std::string target = one_line_whole(source_, *assign->targets.front());
    constexpr std::size_t kLongestTarget = 50;
    if (target.size() > kLongestTarget || target == name_) return;
    const bool is_kept = !is<Name>(assign->targets.front()) && is_of_name(assign->value, name_);
    note(fmt::format("{} {}", is_kept ? kKept : "goes into", code(target)), step.first_line);
  }

  std::string_view name_;
  const SourceText& source_;
  std::map<std::string, std::set<std::uint32_t>> roles_;
  std::vector<std::string> order_;
};

}  // namespace

std::vector<std::string> variable_roles(const DocumentInputs& inputs, const Actor& actor, std::size_t most) {
  std::vector<std::string> out;
  if (actor.steps.after_source == nullptr || actor.is_removed()) return out;
  const program::ModuleId module = inputs.after->find_path(actor.change->after->path);
  if (!module.valid()) return out;
  const FileFacts& facts = *inputs.after->modules()[module].facts;
  const auto scope = facts.scope_of_node.find(actor.change->after->node);
  if (scope == facts.scope_of_node.end()) return out;
  const auto& bindings = facts.scopes[scope->second].bindings;
  for (const Step& step : actor.steps.after) {
    const auto* assign = as<Assign>(step.node);
    if (step.status == StepStatus::kKept || step.kind != StepKind::kPlain || assign == nullptr || out.size() == most)
      continue;
    const auto* name = as<Name>(assign->targets.front());
    if (name == nullptr || name->id.size() < 4 || name->id.starts_with("_")) continue;
    const auto binds = [&](const Binding& binding) { return binding.name == name->id; };
    if (std::count_if(bindings.begin(), bindings.end(), binds) != 1) continue;
    Roles roles(name->id, *actor.steps.after_source);
    std::size_t readers = 0;
    for (const Step& other : actor.steps.after) {
      const bool is_later = other.span != step.span && other.first_line > step.first_line;
      if (is_later && roles.add(other)) ++readers;
    }
    // A value used once on the next line explains itself.
    if (readers < 2 || !roles.says_something()) continue;
    out.push_back(fmt::format("{} (line {}): {}.", code(name->id), step.first_line + 1, roles.text()));
  }
  return out;
}

}  // namespace lockstep::report
