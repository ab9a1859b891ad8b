#include "playbook/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

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

std::string absolute_module(const program::Module& module, const python::ImportedName& import) {
  if (import.level == 0) return std::string(import.module);
  std::string base = module.name;
  const std::uint32_t drops = module.is_package ? import.level - 1 : import.level;
  for (std::uint32_t i = 0; i < drops; ++i) {
    const std::size_t dot = base.rfind('.');
    base = dot == std::string::npos ? std::string() : base.substr(0, dot);
  }
  if (import.module.empty()) return base;
  return base.empty() ? std::string(import.module) : fmt::format("{}.{}", base, import.module);
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
    const std::string base = absolute_module(module, import);
    if (import.module.empty() && import.level == 0) continue;
    add(base);
    if (!import.name.empty() && import.name != "*")
      add(base.empty() ? std::string(import.name) : fmt::format("{}.{}", base, import.name));
  }
  return result;
}

// Libraries that make flags out of something else, or take any.
bool imports_flag_maker(const program::Module& module) {
  static const std::set<std::string_view> kMakers = {"tyro",           "hydra",     "fire",    "jsonargparse",
                                                     "simple_parsing", "absl",      "typer",   "transformers",
                                                     "draccus",        "omegaconf", "nemo_run"};
  for (const python::ImportedName& import : module.facts->imports) {
    if (kMakers.contains(import.module.substr(0, import.module.find('.')))) return true;
  }
  return false;
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
  for (const program::Module& module : program.modules()) {
    const std::string_view text = module.facts->source().bytes();
    ModuleFlags& entry = by_module_[module.path];
    entry.open = imports_flag_maker(module) || contains(text, "parse_known_args") || contains(text, "REMAINDER");
    if (!contains(text, "add_argument") && !contains(text, "option(") && !contains(text, "ArgumentParser")) continue;
    python::walk_of<python::Call>(module.facts->tree(), python::Nested::kEnter, [&](const python::Call* call) {
      const std::string_view name = rules::last_part_of(call->callee);
      if (name == "ArgumentParser") entry.has_parser = true;
      if (!adds_flag(name)) return;
      const std::size_t before = entry.flags.size();
      read_call(*call, module, entry.flags);
      const bool literal = !call->arguments.empty() && !rules::text_of(call->arguments[0]).empty();
      if (entry.flags.size() == before && !literal) entry.open = true;
    });
    for (const Flag& flag : entry.flags) {
      all_.insert(flag.text);
      names_.insert(flag.name());
    }
  }
}

ScriptFlags ScriptOptions::of(program::ModuleId script) const {
  ScriptFlags result;
  std::set<program::ModuleId> seen{script};
  std::vector<program::ModuleId> open{script};
  bool any_open = false;
  while (!open.empty()) {
    const program::Module& module = program_->modules()[open.back()];
    open.pop_back();
    if (const auto entry = by_module_.find(module.path); entry != by_module_.end()) {
      for (const Flag& flag : entry->second.flags) {
        result.flags.insert(flag.text);
        result.names.insert(flag.name());
      }
      any_open |= entry->second.open;
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
  const auto own = by_module_.find(program_->modules()[script].path);
  const bool has_parser = own != by_module_.end() && own->second.has_parser;
  result.closed = has_parser && !any_open && !result.flags.empty();
  return result;
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
