#include "playbook/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/strings.h"
#include "program/module_names.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::playbook {

namespace {

std::string name_of_flag(std::string_view text) {
  while (text.starts_with('-')) text.remove_prefix(1);
  std::string name(text);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool adds_flag(std::string_view called) { return called == "add_argument" || called == "option"; }

/// One call that declares a flag; every alias is a flag of its own.
void read_call(const python::Call& call, const program::Module& module, std::vector<Flag>& flags) {
  const SourceText& source = module.facts->source();
  std::string default_text;
  for (const python::Keyword* keyword : call.keywords) {
    const std::string_view value = source.slice(keyword->value->span);
    if (keyword->name.text == "default") default_text = value;
    if (keyword->name.text == "action" && default_text.empty()) {
      if (rules::text_of(keyword->value) == "store_true") default_text = "False";
      if (rules::text_of(keyword->value) == "store_false") default_text = "True";
    }
  }
  for (const python::Expr* argument : call.arguments) {
    const std::string_view text = rules::text_of(argument);
    // click: "--shout/--no-shout".
    for (const std::string_view part : split(text, '/')) {
      if (part.starts_with('-'))
        flags.push_back({std::string(part), default_text, {module.path, source.line_of(call.span.begin)}});
    }
  }
}

std::vector<program::ModuleId> imports_of(const program::Program& program, const program::Module& module) {
  std::vector<program::ModuleId> result;
  const auto add = [&](const std::string& name) {
    program::ModuleId id = program.find_module(name);
    if (!id.valid()) {
      // A script's sibling.
      const std::string_view folder = folder_of(module.path);
      id = program.find_path(fmt::format("{}{}{}.py", folder, folder.empty() ? "" : "/", name));
    }
    if (id.valid()) result.push_back(id);
  };
  for (const python::ImportedName& import : module.facts->imports) {
    if (import.in_type_checking) continue;
    const std::string base = program::absolute_name(module, import.level, import.module);
    if (import.module.empty() && import.level == 0) continue;
    add(base);
    if (!import.name.empty() && import.name != "*")
      add(base.empty() ? std::string(import.name) : fmt::format("{}.{}", base, import.name));
  }
  return result;
}

// Libraries that make flags out of something else, or take any; by what starts them.
bool calls_flag_maker(std::string_view text) {
  static constexpr std::string_view kStarts[] = {
      "tyro.cli",   "fire.Fire(",      "hydra.main",        "HfArgumentParser", "typer.",
      "absl.flags", "absl import app", "absl import flags", "jsonargparse",     "simple_parsing",
      "draccus",    "import click",    "OptionParser"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return contains(text, start); });
}

// Parts of a program that come from where nobody looks may declare flags.
bool loads_code(std::string_view text) {
  return contains(text, "import_module(") || contains(text, "__import__(") ||
         contains(text, "spec_from_file_location") || contains(text, "runpy.");
}

// f"--{a}-{b}" or f"--{a}_size": a flag whose name stands nowhere as a whole.
bool is_composed(const python::Expr* expression) {
  if (const auto* joined = python::as<python::JoinedStr>(expression)) {
    std::size_t values = 0;
    std::string literal;
    for (const python::Expr* part : joined->values) {
      const std::string_view text = rules::text_of(part);
      literal += text;
      values += python::as<python::FormattedValue>(part) != nullptr ? 1u : 0u;
    }
    return values > 1 || literal.find_first_not_of('-') != std::string::npos;
  }
  if (const auto* sum = python::as<python::BinOp>(expression)) {
    const std::string_view left = rules::text_of(sum->left);
    return left.empty() || left.find_first_not_of('-') != std::string_view::npos || is_composed(sum->right);
  }
  return false;
}

/// The parameters of the innermost function around `offset` that have a default.
std::set<std::string> optional_parameters(const program::Program& program, const program::Module& module,
                                          std::uint32_t offset) {
  std::set<std::string> names;
  const program::FunctionId id = program.function_at(program.find_path(module.path), offset);
  const python::FunctionDef* def = id.valid() ? program.functions()[id].def() : nullptr;
  if (def == nullptr) return names;
  for (const python::Parameter* parameter : def->parameters->all) {
    if (parameter->default_value != nullptr && module.facts->source().slice(parameter->default_value->span) == "False")
      names.emplace(parameter->name.text);
  }
  return names;
}

/// Calls of parse_known_args, by the parameter of their function that alone lets them run; "" for those that always do.
std::set<std::string> lenient_parameters(const program::Program& program, const program::Module& module) {
  std::map<const python::Call*, std::string> guarded;
  std::set<std::string> result;
  python::walk_of<python::If>(module.facts->tree(), python::Nested::kEnter, [&](const python::If* branch) {
    const auto* name = python::as<python::Name>(branch->condition);
    if (name == nullptr || !optional_parameters(program, module, branch->span.begin).contains(std::string(name->id)))
      return;
    for (const python::Stmt* statement : branch->body) {
      python::walk_of<python::Call>(*statement, python::Nested::kEnter, [&](const python::Call* call) {
        if (rules::last_part_of(call->callee) == "parse_known_args") guarded[call] = name->id;
      });
    }
  });
  python::walk_of<python::Call>(module.facts->tree(), python::Nested::kEnter, [&](const python::Call* call) {
    if (rules::last_part_of(call->callee) != "parse_known_args") return;
    const auto found = guarded.find(call);
    result.insert(found != guarded.end() ? found->second : std::string());
  });
  return result;
}

}  // namespace

std::string Flag::name() const { return name_of_flag(text); }

std::vector<Flag> flags_of(const program::Program& program) {
  std::vector<Flag> flags;
  for (const program::Module& module : program.modules()) {
    const std::string_view text = module.facts->source().bytes();
    if (!contains(text, "add_argument") && !contains(text, "option(")) continue;
    python::walk_of<python::Call>(module.facts->tree(), python::Nested::kEnter, [&](const python::Call* call) {
      if (adds_flag(rules::last_part_of(call->callee))) read_call(*call, module, flags);
    });
  }
  return flags;
}

ScriptOptions::ScriptOptions(const program::Program& program) : program_(&program) {
  for (const program::Module& module : program.modules()) read_module(module);
  // From the functions that parse, back to whoever calls them.
  std::vector<program::FunctionId> open;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::FunctionId id(i);
    const program::Function& function = program.functions()[id];
    const bool parses = std::any_of(function.calls.begin(), function.calls.end(), [&](program::CallId call) {
      const auto* node = python::as<python::Call>(program.calls()[call].node);
      return node != nullptr && python::as<python::Attribute>(node->callee) != nullptr &&
             (rules::last_part_of(node->callee) == "parse_args" ||
              rules::last_part_of(node->callee) == "parse_known_args");
    });
    if (parses && parsing_.insert(id).second) open.push_back(id);
  }
  while (!open.empty()) {
    const program::FunctionId next = open.back();
    open.pop_back();
    for (const program::CallId call : program.callers_of(next)) {
      const program::FunctionId caller = program.calls()[call].caller;
      if (parsing_.insert(caller).second) open.push_back(caller);
    }
  }
}

void ScriptOptions::read_module(const program::Module& module) {
  const std::string_view text = module.facts->source().bytes();
  ModuleFlags& entry = by_module_[module.path];
  entry.open = calls_flag_maker(text) || contains(text, "REMAINDER");
  if (contains(text, "parse_known_args")) {
    entry.lenient_if = lenient_parameters(*program_, module);
    entry.open |= entry.lenient_if.contains("");
  }
  if (!contains(text, "add_argument") && !contains(text, "option(") && !contains(text, "ArgumentParser")) return;
  python::walk_of<python::Call>(module.facts->tree(), python::Nested::kEnter, [&](const python::Call* call) {
    const std::string_view name = rules::last_part_of(call->callee);
    if (name == "ArgumentParser" && !entry.has_parser) {
      entry.has_parser = true;
      entry.parser_line = module.facts->source().line_of(call->span.begin);
    }
    if (!adds_flag(name)) return;
    const std::size_t before = entry.flags.size();
    read_call(*call, module, entry.flags);
    const bool literal = !call->arguments.empty() && !rules::text_of(call->arguments[0]).empty();
    if (entry.flags.size() != before || literal) return;
    entry.computed = true;
    for (const python::Expr* argument : call->arguments) entry.open |= is_composed(argument);
  });
  // Between making a parser and asking it, what was loaded may add to it.
  entry.open |= entry.has_parser && loads_code(text);
  for (const Flag& flag : entry.flags) {
    all_.insert(flag.text);
    names_.insert(flag.name());
  }
}

// The script itself, or a function of it, reaches a parser.
bool ScriptOptions::parses(const program::Module& script) const {
  return parsing_.contains(script.body) ||
         std::any_of(script.functions.begin(), script.functions.end(),
                     [&](program::FunctionId function) { return parsing_.contains(function); });
}

ScriptFlags ScriptOptions::of(program::ModuleId script) const {
  ScriptFlags result;
  std::set<program::ModuleId> seen{script};
  std::vector<program::ModuleId> open{script};
  const program::Module& own = program_->modules()[script];
  const std::string_view own_text = own.facts->source().bytes();
  bool any_open = contains(own_text, "sys.argv"), computed = false, has_parser = false;
  std::size_t most = 0;
  while (!open.empty()) {
    const program::Module& module = program_->modules()[open.back()];
    result.reach.push_back(open.back());
    open.pop_back();
    if (const auto entry = by_module_.find(module.path); entry != by_module_.end()) {
      const ModuleFlags& flags = entry->second;
      for (const Flag& flag : flags.flags) {
        result.flags.insert(flag.text);
        result.names.insert(flag.name());
      }
      // The script's own parser, else the one with the most flags.
      const bool better = module.path == own.path || (result.parser.path != own.path && flags.flags.size() >= most);
      if (flags.has_parser && better) {
        has_parser = true;
        most = flags.flags.size();
        result.parser = {module.path, flags.parser_line};
      }
      any_open |= flags.open;
      computed |= flags.computed || !flags.lenient_if.empty();
      for (const std::string& parameter : flags.lenient_if) any_open |= contains(own_text, parameter + "=");
    }
    for (const program::ClassId cls : module.classes) {
      for (const program::Field& field : program_->classes()[cls].fields) {
        if (field.in_class_body) result.names.insert(std::string(field.name));
      }
    }
    for (const program::ModuleId next : imports_of(*program_, module)) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  const auto entry = by_module_.find(own.path);
  const bool own_parser = entry != by_module_.end() && entry->second.has_parser;
  result.closed = own_parser && !any_open && !computed && !result.flags.empty();
  result.refuses = has_parser && !any_open && !result.flags.empty() && parses(own);
  return result;
}

bool ScriptOptions::stands_in_reach(const ScriptFlags& script, std::string_view name) const {
  const std::string under = replace_all(name, "-", "_"), dashed = replace_all(name, "_", "-");
  return std::any_of(script.reach.begin(), script.reach.end(), [&](program::ModuleId id) {
    const std::string_view text = program_->modules()[id].facts->source().bytes();
    return contains(text, under) || contains(text, dashed);
  });
}

bool ScriptOptions::knows(std::string_view name) const { return names_.contains(name_of_flag(name)); }

std::size_t ScriptOptions::family_size(std::string_view prefix) const {
  std::size_t count = 0;
  for (auto at = names_.lower_bound(prefix); at != names_.end() && at->starts_with(prefix); ++at) ++count;
  return count;
}

std::string ScriptOptions::nearest(std::string_view flag, const std::set<std::string>& flags) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, flag.size() / 4) + 1;
  for (const std::string& candidate : flags) {
    const std::size_t distance = edit_distance(flag, candidate, best_distance - 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace lockstep::playbook
