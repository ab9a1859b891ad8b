#include "writer/author/placements_parts.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "program/queries.h"
#include "report/file_name.h"
#include "report/source/code.h"
#include "report/story/steps/edit_kinds.h"
#include "writer/pack/data_text.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer::internal {

using program::ClassId;
using program::FunctionId;
using program::Program;
using report::Mark;

namespace {

constexpr std::size_t kMostNamed = 60;
constexpr int kMostNesting = 3;
constexpr std::size_t kMostText = 84;
constexpr std::uint32_t kMostBelow = 3;  // lines

bool is_of_test(const Program& program, FunctionId id) { return program::is_test_path(program.module_of(id).path); }

// The function's own calls and those of what is defined inside it.
void add_calls(const Program& program, FunctionId function, int depth, std::vector<program::CallId>& calls) {
  const auto& own = program.functions()[function].calls;
  calls.insert(calls.end(), own.begin(), own.end());
  if (depth == kMostNesting) return;
  for (const program::CallId call : own) {
    for (const program::CallTarget& target : program.calls()[call].targets) {
      if (target.function.valid() && program.functions()[target.function].enclosing == function)
        add_calls(program, target.function, depth + 1, calls);
    }
  }
}

// The method itself, or one that overrides it.
bool may_be(const Program& program, FunctionId target, const std::vector<FunctionId>& meant) {
  if (std::find(meant.begin(), meant.end(), target) != meant.end()) return true;
  if (!program.functions()[target].owner.valid()) return false;
  const std::vector<FunctionId> overrides = program.overrides_of(target);
  return std::any_of(overrides.begin(), overrides.end(),
                     [&](FunctionId one) { return std::find(meant.begin(), meant.end(), one) != meant.end(); });
}

// What the call may enter and is meant: of several methods that of the caller's own class, else the one that the others
// override.
FunctionId entered_by(const Program& program, const program::CallSite& site, const std::vector<FunctionId>& meant) {
  FunctionId found;
  const ClassId own = program.functions()[site.caller].owner;
  for (const program::CallTarget& target : site.targets) {
    if (!target.function.valid() || !may_be(program, target.function, meant)) continue;
    const ClassId owner = program.functions()[target.function].owner;
    if (owner.valid() && owner == own) return target.function;
    const bool is_base = found.valid() && owner.valid() && may_be(program, target.function, {found});
    if (!found.valid() || is_base) found = target.function;
  }
  return found;
}

// What the call does, if it may enter what is meant.
std::optional<Hop> hop_at(const Program& program, const program::CallSite& site, const std::vector<FunctionId>& meant,
                          std::string_view name) {
  const std::string_view last = last_part(name);
  Hop hop;
  hop.call = site.node;
  if (const FunctionId target = entered_by(program, site, meant); target.valid()) {
    // What the model names, where that is one function.
    hop.callee = meant.size() == 1 ? meant.front() : target;
    hop.registers = report::handing_of(site, target) != report::Handing::kNone;
    return hop;
  }
  for (const program::CallTarget& target : site.targets) {
    if (target.function.valid() || !meant.empty() || !ends_with_name(target.external, last)) continue;
    hop.external = std::string(target.external);
    return hop;
  }
  // By its name alone: to the only function called so, else to what it is called on.
  const auto* call = python::as<python::Call>(site.node);
  if (call == nullptr || !site.targets.empty() || report::callee_name(*call) != last) return std::nullopt;
  if (meant.size() == 1 && functions_named(program, last) == meant) {
    hop.callee = meant.front();
  } else if (meant.empty()) {
    hop.external = report::dotted_text(call->callee);
  }
  return hop.callee.valid() || !hop.external.empty() ? std::optional(hop) : std::nullopt;
}

}  // namespace

DrawnSide after_side(const report::DocumentInputs& inputs) {
  return {inputs.after, inputs.after_mesh, inputs.change->diff, false};
}
DrawnSide before_side(const report::DocumentInputs& inputs) {
  return {inputs.before, inputs.before_mesh, inputs.change->diff, true};
}

std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : trim(text)) {
    if (c != '`') name += c;
  }
  if (const std::size_t open = name.find('('); open != std::string::npos && open > 0) name.resize(open);
  return std::string(trim(name));
}

bool take_word(std::string_view& text, std::string_view word) {
  text = trim(text);
  if (!text.starts_with(word) || text.size() == word.size()) return false;
  const char next = text[word.size()];
  if (next != ' ' && next != ':') return false;
  text = trim(text.substr(word.size() + 1));
  return true;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(separator, at);
    if (const std::string_view part = trim(text.substr(at, next == std::string_view::npos ? next : next - at));
        !part.empty())
      parts.push_back(part);
    if (next == std::string_view::npos) return parts;
    at = next + separator.size();
  }
}

Fault drawing_fault(std::string_view text, std::string reason) {
  return {"drawing", data_text(text), std::move(reason), {}};
}

std::vector<FunctionId> functions_named(const Program& program, std::string_view name) {
  std::vector<FunctionId> found;
  if (name.empty()) return found;
  if (name.ends_with(".py")) {
    for (const program::Module& module : program.modules()) {
      const bool is_it = module.path == name ||
                         (module.path.ends_with(name) && module.path[module.path.size() - name.size() - 1] == '/');
      if (is_it && module.body.valid() && found.size() < kMostNamed) found.push_back(module.body);
    }
    return found;
  }
  for (std::size_t i = 0; i < program.functions().size() && found.size() < kMostNamed; ++i) {
    const program::Function& function = program.functions()[FunctionId(i)];
    if (function.kind == program::FunctionKind::kFunction && ends_with_name(function.qualified_name, name))
      found.emplace_back(i);
  }
  for (std::size_t i = 0; found.empty() && i < program.classes().size(); ++i) {
    if (!ends_with_name(program.classes()[ClassId(i)].qualified_name, name)) continue;
    for (const std::string_view method : {"__init__", "__new__", "forward", "__call__"}) {
      if (const FunctionId one = program.find_method(ClassId(i), method); one.valid()) found.push_back(one);
    }
  }
  std::stable_sort(found.begin(), found.end(), [&](FunctionId a, FunctionId b) {
    return static_cast<int>(is_of_test(program, a)) < static_cast<int>(is_of_test(program, b));
  });
  return found;
}

std::vector<Hop> hops_of(const Program& program, FunctionId caller, const HopSearch& search) {
  const std::vector<FunctionId> meant = functions_named(program, search.callee);
  std::vector<program::CallId> calls;
  add_calls(program, caller, 0, calls);
  std::vector<Hop> hops;
  for (const program::CallId id : calls) {
    const program::CallSite& site = program.calls()[id];
    const SourceText& source = program.module_of(site.caller).facts->source();
    const std::uint32_t first = source.line_of(site.node->span.begin);
    const std::uint32_t end = source.line_of(std::max(site.node->span.end, 1u) - 1);
    if (search.line > 0 && (search.line - 1 < first || search.line - 1 > end)) continue;
    std::optional<Hop> hop = hop_at(program, site, meant, search.callee);
    if (!hop) continue;
    hop->caller = caller;
    hop->id = id;
    hop->line = first;
    hops.push_back(*std::move(hop));
  }
  return hops;
}

std::optional<Hop> find_hop(const Program& program, const std::vector<FunctionId>& callers, const HopSearch& search) {
  std::optional<Hop> first, below, fitting;
  for (const FunctionId caller : callers) {
    const auto last = search.told.find(caller.value);
    for (Hop& hop : hops_of(program, caller, search)) {
      const bool is_told = search.line == 0 && last != search.told.end() && hop.line <= last->second;
      if (!is_told && (!search.fits || search.fits(hop))) return hop;
      if (is_told && !fitting && search.fits && search.fits(hop)) fitting = hop;
      if (!is_told && !below) below = hop;
      if (!first) first = std::move(hop);
    }
  }
  return fitting ? fitting : below ? below : first;
}

std::optional<std::pair<std::string, std::uint32_t>> place_in(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
  std::uint32_t line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  const bool is_number = error == std::errc{} && line > 0;
  // "12-15": where it begins.
  const bool is_whole = end == digits.data() + digits.size() || (is_number && *end == '-');
  if (!is_number || !is_whole) return std::nullopt;
  const std::string_view path = colon == std::string_view::npos ? std::string_view() : trim(text.substr(0, colon));
  if (!path.empty() && !path.ends_with(".py")) return std::nullopt;
  return std::pair{std::string(path), line};
}

namespace {

std::optional<DrawnPlace> place_at(const DrawnSide& side, std::string_view path, std::uint32_t line) {
  const Program& program = *side.program;
  const program::ModuleId module = program.find_path(path);
  if (!module.valid() || line == 0) return std::nullopt;
  const SourceText& source = program.modules()[module].facts->source();
  if (line > source.line_count()) return std::nullopt;
  DrawnPlace place;
  place.path = std::string(path);
  place.line = line - 1;
  const std::string_view text = source.line(place.line);
  const std::size_t indent = text.find_first_not_of(" \t");
  if (indent == std::string_view::npos) return std::nullopt;
  place.function = program.function_at(module, source.line_start(place.line) + static_cast<std::uint32_t>(indent));
  const auto* def = place.function.valid() ? program.functions()[place.function].def() : nullptr;
  if (def == nullptr) {
    place.function = {};
    if (text[indent] == '#') return std::nullopt;
    place.text = report::one_line(source,
                                  Span{source.line_start(place.line) + static_cast<std::uint32_t>(indent),
                                       source.line_start(place.line) + static_cast<std::uint32_t>(text.size())},
                                  kMostText);
    return place;
  }
  for (const report::Step& step : report::steps_of(report::body_of(def), source)) {
    if (step.first_line <= place.line && place.line <= step.last_line) place.step = step;
  }
  if (place.step.node == nullptr) {
    // The header is the function itself; blank lines, comments and docstrings are nothing to draw.
    const auto body = report::body_of(def);
    const bool is_header = place.line >= source.line_of(def->span.begin) &&
                           (body.empty() || place.line < source.line_of(body.front()->span.begin));
    if (!is_header || text[indent] == '#') return std::nullopt;
    place.is_function = true;
    place.line = report::line_of(program, place.function);
    return place;
  }
  place.line = place.step.first_line;
  place.text = report::one_line(source, place.step.span, kMostText);
  return place;
}

/// Whether a new function holds what other functions did: most of its steps stood there, some under other names.
bool is_taken_out(const report::Story& story, const report::Actor& actor) {
  if (actor.extracted_from != nullptr) return true;
  std::size_t moved = 0;
  for (const report::Actor& other : story.actors) {
    if (&other == &actor) continue;
    moved += static_cast<std::size_t>(
        std::count_if(other.steps.before.begin(), other.steps.before.end(),
                      [&](const report::Step& step) { return step.elsewhere == actor.change; }));
  }
  return moved * 2 >= actor.steps.after.size() && moved > 0;
}

}  // namespace

// A comment or blank line stands for the statement right below it.
std::optional<DrawnPlace> drawn_place(const DrawnSide& side, std::string_view path, std::uint32_t line) {
  std::optional<DrawnPlace> place;
  for (std::uint32_t below = 0; line > 0 && !place && below <= kMostBelow; ++below)
    place = place_at(side, path, line + below);
  return place;
}

Mark mark_of(const report::Story& story, const DrawnSide& side, const DrawnPlace& place) {
  if (!place.function.valid()) return Mark::kNone;
  for (const report::Actor& actor : story.actors) {
    const auto& entity = side.is_before ? actor.change->before : actor.change->after;
    if (!actor.is_function() || !entity || entity->function != place.function) continue;
    if (place.is_function) return mark_of(story, side, place.function);
    for (const report::Step& step : side.is_before ? actor.steps.before : actor.steps.after) {
      if (!(step.span == place.step.span)) continue;
      // What only stands elsewhere now is neither new nor gone, also where a new function holds it.
      const bool is_moved = step.is_moved || step.elsewhere != nullptr || step.taken_from != nullptr ||
                            (actor.is_added() && is_taken_out(story, actor));
      if (step.status == report::StepStatus::kAdded) return is_moved ? Mark::kNone : Mark::kNew;
      if (step.status == report::StepStatus::kRemoved) return is_moved ? Mark::kNone : Mark::kRemoved;
      const bool is_edited = step.status == report::StepStatus::kChanged && !side.is_before;
      return is_edited && !report::only_names_differ(actor, step) ? Mark::kModified : Mark::kNone;
    }
    if (actor.is_added()) return Mark::kNew;
    if (actor.is_removed()) return Mark::kRemoved;
  }
  return Mark::kNone;
}

Mark mark_of(const report::Story& story, const DrawnSide& side, FunctionId function) {
  for (const report::Actor& actor : story.actors) {
    const auto& entity = side.is_before ? actor.change->before : actor.change->after;
    if (!actor.is_function() || actor.role == report::Role::kCosmetic || !entity || entity->function != function)
      continue;
    if (actor.is_added()) return Mark::kNew;
    if (actor.is_removed()) return Mark::kRemoved;
    // What comes from another file is new in its own.
    if (actor.change->moved) return side.is_before ? Mark::kRemoved : Mark::kNew;
    return Mark::kModified;
  }
  return Mark::kNone;
}

Mark mark_of_owner(const report::Story& story, const DrawnSide& side, FunctionId function) {
  const std::string label = owner_label(*side.program, function);
  for (const report::Actor& actor : story.actors) {
    const auto& entity = side.is_before ? actor.change->before : actor.change->after;
    if (actor.change->kind != change::EntityKind::kClass || actor.role == report::Role::kCosmetic || !entity ||
        !entity->cls.valid() || report::short_name(*side.program, entity->cls) != label)
      continue;
    return actor.is_added() ? Mark::kNew : actor.is_removed() ? Mark::kRemoved : Mark::kModified;
  }
  if (mark_of(story, side, function) == Mark::kNone) return Mark::kNone;
  const repo::FileChange* file =
      side.is_before ? nullptr : side.diff->find_after(side.program->module_of(function).path);
  const bool is_own_file = !side.program->functions()[function].owner.valid();
  return is_own_file && file != nullptr && file->kind == repo::ChangeKind::added ? Mark::kNew : Mark::kModified;
}

std::string owner_label(const Program& program, FunctionId function) {
  const program::Function& one = program.functions()[function];
  ClassId owner = one.owner;
  for (FunctionId outer = one.enclosing; !owner.valid() && outer.valid(); outer = program.functions()[outer].enclosing)
    owner = program.functions()[outer].owner;
  return owner.valid() ? report::short_name(program, owner) : report::file_name(program.module_of(function).path);
}

}  // namespace lockstep::writer::internal
