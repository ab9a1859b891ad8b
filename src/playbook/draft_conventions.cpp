// Conventions that the code really follows, measured over the main package.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "playbook/draft.h"
#include "python/tree_walk.h"

namespace lockstep::playbook {

namespace {

/// A number and the first place that adds to it.
struct Count {
  std::size_t value = 0;
  Place first;

  void add(const Place& place) {
    if (value++ == 0) first = place;
  }
};

struct Measured {
  Count functions, documented, google, numpy, sphinx;  // public functions and classes
  std::size_t parameters = 0, annotated = 0;
  Count loggers, prints, asserts;
  std::map<std::string, std::size_t> shared_loggers;  // "from pkg.log import logger" → files
  std::map<std::string, Count> raised;
  std::map<std::string, Count> guards;  // HAVE_X
};

void measure_docstring(const program::Module& module, const python::FunctionDef& def, Measured& measured) {
  const Place place = place_of(module, def.span);
  measured.functions.add(place);
  const python::Constant* text = python::docstring_of(def.body);
  if (text == nullptr) return;
  measured.documented.add(place);
  if (contains(text->text, "Args:") || contains(text->text, "Returns:")) measured.google.add(place);
  if (contains(text->text, "----")) measured.numpy.add(place);
  if (contains(text->text, ":param ")) measured.sphinx.add(place);
}

void measure_function(const program::Module& module, const program::Function& function, Measured& measured) {
  const python::FunctionDef* def = function.def();
  if (def == nullptr || function.name.starts_with("_") || function.enclosing.valid()) return;
  measure_docstring(module, *def, measured);
  for (const python::Parameter* parameter : def->parameters->all) {
    if (parameter->name.text == "self" || parameter->name.text == "cls") continue;
    ++measured.parameters;
    measured.annotated += parameter->annotation != nullptr ? 1u : 0u;
  }
}

std::string raised_name(const python::Raise& raise) {
  const python::Expr* expression = raise.exception;
  if (const auto* call = python::as<python::Call>(expression)) expression = call->callee;
  const auto* name = python::as<python::Name>(expression);
  return name != nullptr ? std::string(name->id) : std::string();
}

// HAVE_TE = True
void measure_assignment(const program::Module& module, const python::Assign& assign, Measured& measured) {
  const auto* name = assign.targets.empty() ? nullptr : python::as<python::Name>(assign.targets[0]);
  if (name == nullptr) return;
  const std::string_view id = name->id;
  if (!id.starts_with("HAVE_") && !id.starts_with("HAS_") && !id.starts_with("_HAVE") && !id.ends_with("_AVAILABLE"))
    return;
  Count& guard = measured.guards[std::string(id)];
  if (guard.value == 0 || guard.first.path != module.path) guard.add(place_of(module, assign.span));
}

void measure_module(const program::Program& program, const program::Module& module, Measured& measured) {
  for (const program::FunctionId function : module.functions)
    measure_function(module, program.functions()[function], measured);
  for (const python::ImportedName& import : module.facts->imports) {
    const bool is_logger = import.name == "logger" || import.name == "log" || import.name == "LOGGER";
    if (is_logger && import.level == 0 && program.find_module(import.module).valid())
      ++measured.shared_loggers[fmt::format("from {} import {}", import.module, import.name)];
  }
  bool logs = false;
  python::walk(module.facts->tree(), python::Nested::kEnter, [&](const python::Node* node) {
    if (const auto* raise = python::as<python::Raise>(node)) {
      if (const std::string name = raised_name(*raise); name.ends_with("Error"))
        measured.raised[name].add(place_of(module, raise->span));
    } else if (const auto* assertion = python::as<python::Assert>(node)) {
      measured.asserts.add(place_of(module, assertion->span));
    } else if (const auto* assign = python::as<python::Assign>(node)) {
      measure_assignment(module, *assign, measured);
    } else if (const auto* call = python::as<python::Call>(node)) {
      const std::string_view callee = module.facts->source().slice(call->callee->span);
      if (callee == "print") measured.prints.add(place_of(module, call->span));
      if (!logs && callee == "logging.getLogger") {
        logs = true;
        measured.loggers.add(place_of(module, call->span));
      }
    }
  });
}

int percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<int>((100 * part + whole / 2) / whole);
}

void tell_docstrings(const Measured& measured, DraftSection& section) {
  if (measured.documented.value < 10) return;
  const std::pair<std::string_view, const Count*> styles[] = {
      {"Google style (`Args:`)", &measured.google}, {"NumPy style", &measured.numpy}, {"`:param`", &measured.sphinx}};
  const auto best = std::max_element(std::begin(styles), std::end(styles),
                                     [](const auto& a, const auto& b) { return a.second->value < b.second->value; });
  std::string text =
      fmt::format("{}% of public functions have one", percent(measured.documented.value, measured.functions.value));
  std::vector<Place> sources{measured.documented.first};
  if (best->second->value * 10 >= measured.documented.value) {
    text += fmt::format("; those that list parameters do so in {}", best->first);
    sources = {best->second->first};
  }
  section.lines.push_back({"Docstrings", text + ".", 62, std::move(sources)});
}

void tell_errors(const Measured& measured, DraftSection& section) {
  std::vector<std::pair<std::string, const Count*>> ranked;
  for (const auto& [name, count] : measured.raised) ranked.emplace_back(name, &count);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second->value > b.second->value; });
  if (ranked.empty() || ranked[0].second->value < 5) return;
  std::erase_if(ranked, [](const auto& one) { return one.second->value < 3; });
  if (ranked.size() > 3) ranked.resize(3);
  DraftLine line{"Errors", {}, 56, {}};
  std::vector<std::string> parts;
  for (const auto& [name, count] : ranked) {
    parts.push_back(fmt::format("{} × `{}`", count->value, name));
    line.sources.push_back(count->first);
  }
  line.text = join(parts, ", ");
  if (measured.asserts.value > 0) line.text += fmt::format("; {}", count_of(measured.asserts.value, "assert"));
  line.text += ".";
  section.lines.push_back(std::move(line));
}

// One logger that most files import says more than how few make their own.
bool tell_shared_logger(const program::Program& program, const Measured& measured, DraftSection& section) {
  const auto best = std::max_element(measured.shared_loggers.begin(), measured.shared_loggers.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (best == measured.shared_loggers.end() || best->second < 3 || best->second <= measured.loggers.value) return false;
  const std::string_view statement = best->first;
  const std::string_view name = statement.substr(statement.rfind(' ') + 1);
  const program::ModuleId id = program.find_module(statement.substr(5, statement.find(" import ") - 5));
  const program::Module& module = program.modules()[id];
  Place place{module.path, 0};
  for (const python::Stmt* one : module.facts->tree().body) {
    const auto* assign = python::as<python::Assign>(one);
    const auto* target = assign != nullptr ? python::as<python::Name>(assign->targets[0]) : nullptr;
    if (target != nullptr && target->id == name) place = place_of(module, assign->span);
  }
  section.lines.push_back({"Logging",
                           fmt::format("`{}` in {}; `logging.getLogger` in {}, `print` is called {} times.", statement,
                                       count_of(best->second, "file"), measured.loggers.value, measured.prints.value),
                           60,
                           {place}});
  return true;
}

void tell_logging(const program::Program& program, const Measured& measured, DraftSection& section) {
  if (tell_shared_logger(program, measured, section)) return;
  if (measured.loggers.value < 2) return;
  section.lines.push_back({"Logging",
                           fmt::format("`logging.getLogger` in {}; `print` is called {} times.",
                                       count_of(measured.loggers.value, "file"), measured.prints.value),
                           54,
                           {measured.loggers.first}});
}

void tell_guards(const Measured& measured, DraftSection& section) {
  std::vector<std::pair<std::string, const Count*>> ranked;
  for (const auto& [name, count] : measured.guards) ranked.emplace_back(name, &count);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second->value > b.second->value; });
  if (ranked.size() < 2) return;
  DraftLine line{"Optional imports", {}, 74, {}};
  std::vector<std::string> names;
  for (const auto& [name, count] : ranked) {
    names.push_back(name);
    if (line.sources.size() < 3) line.sources.push_back(count->first);
  }
  line.text = fmt::format("guarded by {}; the pattern: `{}:{}`.", quoted_list(names, 5, true),
                          ranked[0].second->first.path, ranked[0].second->first.line + 1);
  section.lines.push_back(std::move(line));
}

// Import order is what isort is told.
void tell_imports(const DraftInputs& inputs, DraftSection& section) {
  const auto& profile = inputs.ground.tools.import_profile;
  if (!profile) return;
  section.lines.push_back({"Import order",
                           fmt::format("isort, profile {} (`{}`).", profile->spec, profile->place.path),
                           48,
                           {profile->place}});
}

}  // namespace

DraftSection draft_conventions(const DraftInputs& inputs) {
  DraftSection section{"Conventions", {}};
  Measured measured;
  std::size_t files = 0;
  for (const program::Module& module : inputs.ground.program.modules()) {
    if (is_side_code(module.path) || (!inputs.main_package.empty() && !is_below(module.path, inputs.main_package)))
      continue;
    ++files;
    measure_module(inputs.ground.program, module, measured);
  }
  if (files == 0) return section;
  section.title =
      fmt::format("Conventions of `{}/`, measured over {}",
                  inputs.main_package.empty() ? std::string(".") : inputs.main_package, count_of(files, "file"));
  tell_guards(measured, section);
  tell_docstrings(measured, section);
  if (measured.parameters >= 20)
    section.lines.push_back({"Typing",
                             fmt::format("{}% of the parameters of public functions are annotated.",
                                         percent(measured.annotated, measured.parameters)),
                             57,
                             {measured.functions.first}});
  tell_errors(measured, section);
  tell_logging(inputs.ground.program, measured, section);
  tell_imports(inputs, section);
  return section;
}

}  // namespace lockstep::playbook
