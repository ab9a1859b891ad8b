#include "report/documents/settings/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::Program;

namespace {

/// Long options with the attribute that each is stored under.
using Options = std::set<std::pair<std::string, std::string>>;

void add_options(const program::Module& module, Options& out) {
  if (!contains(module.facts->source().bytes(), "add_argument")) return;
  walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
    if (callee_name(*call) != "add_argument") return;
    for (const Expr* argument : call->arguments) {
      const std::string_view option = rules::text_of(argument);
      if (option.starts_with("--")) out.emplace(option, rules::argparse_destination(*call));
    }
  });
}

/// A field of a class of settings, from which a parser may make the argument.
bool is_field(const Program& program, std::string_view name) {
  static constexpr std::string_view kOfSettings[] = {"Config",    "Configuration", "Args",
                                                     "Arguments", "Options",       "Settings"};
  return std::any_of(program.classes().begin(), program.classes().end(), [&](const program::Class& cls) {
    const bool holds_settings = std::any_of(std::begin(kOfSettings), std::end(kOfSettings),
                                            [&](std::string_view end) { return cls.name.ends_with(end); });
    return holds_settings && std::any_of(cls.fields.begin(), cls.fields.end(), [&](const program::Field& field) {
             return field.in_class_body && field.name == name;
           });
  });
}

/// Whether Python code outside tests has the option as a text: in whatever form parsers are told of it.
bool is_written(const Program& program, const std::string& option) {
  return std::any_of(program.modules().begin(), program.modules().end(), [&](const program::Module& module) {
    return !program::is_test_path(module.path) && is_quoted_in(module.facts->source().bytes(), option);
  });
}

}  // namespace

std::vector<std::string> gone_arguments(const DocumentInputs& inputs) {
  Options before;
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->old_path;
    const program::ModuleId module = inputs.before->find_path(path);
    // What a file that goes declared, its own script goes with.
    const bool stays = inputs.after->find_path(file.file->new_path).valid();
    if (module.valid() && stays && !program::is_test_path(path)) add_options(inputs.before->modules()[module], before);
  }
  std::vector<std::string> gone;
  if (before.empty()) return gone;
  Options after;
  for (const program::Module& module : inputs.after->modules()) add_options(module, after);
  for (const auto& [option, destination] : before) {
    const bool stays =
        std::any_of(after.begin(), after.end(), [name = option](const auto& one) { return one.first == name; });
    if (!stays && !is_field(*inputs.after, destination) && !is_written(*inputs.after, option)) gone.push_back(option);
  }
  return gone;
}

namespace {

bool declares(const program::Module& module, const std::string& option) {
  Options all;
  add_options(module, all);
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.first == option; });
}

/// Whether the module makes a parser of its own, and calls nothing of a module that declares the option.
bool parses_without(const Program& program, program::ModuleId id, const std::string& option) {
  const program::Module& module = program.modules()[id];
  if (!contains(module.facts->source().bytes(), "ArgumentParser(") || declares(module, option)) return false;
  std::set<std::uint32_t> called;
  for (const program::CallSite& site : program.calls()) {
    if (program.functions()[site.caller].module != id) continue;
    for (const program::CallTarget& target : site.targets) {
      if (target.function.valid()) called.insert(program.functions()[target.function].module.value);
    }
  }
  return std::none_of(called.begin(), called.end(), [&](std::uint32_t one) {
    return one != id.value && declares(program.modules()[program::ModuleId(one)], option);
  });
}

}  // namespace

void add_arguments_gone_from_scripts(const DocumentInputs& inputs, const std::vector<std::string>& gone,
                                     std::vector<Risk>& risks) {
  constexpr std::size_t kMostScripts = 2;
  std::size_t told = 0;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId before = inputs.before->find_path(file.file->old_path);
    const program::ModuleId after = inputs.after->find_path(file.file->new_path);
    // What others import may hand its parser to code that is not seen here.
    if (!before.valid() || !after.valid() || !program::is_helper_path(file.file->new_path) || told == kMostScripts)
      continue;
    Options was;
    Options is_now;
    add_options(inputs.before->modules()[before], was);
    add_options(inputs.after->modules()[after], is_now);
    std::vector<std::string> names;
    for (const auto& [option, destination] : was) {
      const bool stays =
          std::any_of(is_now.begin(), is_now.end(), [name = option](const auto& one) { return one.first == name; });
      const bool is_told = std::find(gone.begin(), gone.end(), option) != gone.end();
      if (!stays && !is_told && !is_field(*inputs.after, destination) && parses_without(*inputs.after, after, option))
        names.push_back(code(option));
    }
    if (names.empty()) continue;
    ++told;
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("{} no longer takes {}.", place(file.file->new_path), join_words(names)),
                     fmt::format("{} refuses what it does not know: command lines that still give {} have to follow",
                                 code("parse_args"), names.size() > 1 ? "them" : "it"),
                     false});
  }
}

namespace {

/// The fields of classes whose declared value has an option as a text: `x: str = field(metadata={"names": ["--y"]})`.
void add_options_of_fields(const program::Module& module, Options& out) {
  walk_of<ClassDef>(module.facts->tree(), Nested::kEnter, [&](const ClassDef* cls) {
    for (const Stmt* statement : cls->body) {
      const auto* field = as<AnnAssign>(statement);
      const auto* name = field == nullptr ? nullptr : as<Name>(field->target);
      if (name == nullptr || field->value == nullptr) continue;
      // `{"names": ["--y"], "dest": "z"}` keeps it under that name.
      std::string_view destination = name->id;
      walk_of<Dict>(*field->value, Nested::kEnter, [&](const Dict* dict) {
        for (std::size_t i = 0; i < dict->keys.size() && i < dict->values.size(); ++i)
          if (rules::text_of(dict->keys[i]) == "dest") destination = rules::text_of(dict->values[i]);
      });
      walk_of<Constant>(*field->value, Nested::kEnter, [&](const Constant* one) {
        const std::string_view option = rules::text_of(one);
        if (option.starts_with("--") && option.find(' ') == std::string_view::npos) out.emplace(option, destination);
      });
    }
  });
}

/// Functions outside tests that read `args.name`.
std::vector<std::string> readers_off_args(const Program& program, std::string_view name) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* one) {
      if (one->name.text != name || one->context != ExprContext::kLoad || rules::name_of(one->value) != "args") return;
      std::string reader = code(short_name(program, program.function_at(id, one->span.begin)));
      if (std::find(out.begin(), out.end(), reader) == out.end()) out.push_back(std::move(reader));
    });
  }
  return out;
}

}  // namespace

void add_moved_destinations(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kMostReaders = 2;
  Options before;
  Options after;
  for (const change::FileSummary& file : inputs.change->files) {
    const auto add = [](const Program& program, const std::string& path, Options& out) {
      const program::ModuleId module = program.find_path(path);
      // A script that runs by itself keeps its options to itself.
      if (!module.valid() || program::is_test_path(path) || program::is_helper_path(path)) return;
      add_options(program.modules()[module], out);
      add_options_of_fields(program.modules()[module], out);
    };
    add(*inputs.before, file.file->old_path, before);
    add(*inputs.after, file.file->new_path, after);
  }
  const auto names_of = [](const Options& options, const std::string& option) {
    std::vector<std::string> out;
    for (const auto& [name, destination] : options)
      if (name == option && !destination.empty()) out.push_back(destination);
    return out;
  };
  std::vector<std::string> told;
  std::vector<std::string> readers;  // "`f` still reads `args.old`".
  for (const auto& [option, old_name] : before) {
    const std::vector<std::string> was = names_of(before, option);
    const std::vector<std::string> now = names_of(after, option);
    if (was.size() != 1 || now.size() != 1 || was.front() == now.front() || told.size() == kMost) continue;
    told.push_back(fmt::format("{} as {}, formerly {}", code(option), code(now.front()), code(old_name)));
    for (const std::string& reader : readers_off_args(*inputs.after, old_name)) {
      if (readers.size() < kMostReaders) readers.push_back(fmt::format("{} still reads {}", reader, code(old_name)));
    }
  }
  if (told.empty()) return;
  const bool is_one = told.size() == 1;
  risks.push_back(
      {RiskKind::kCompatibility,
       fmt::format("What {} is kept under another name now: {}.",
                   is_one ? "a command-line argument gives" : "command-line arguments give", join(told, "; ")),
       readers.empty()
           ? fmt::format("Code outside the repository that reads the old {} has to follow", is_one ? "one" : "ones")
           : join(readers, "; "),
       false});
}

void add_gone_arguments(const std::vector<std::string>& gone, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 5;
  if (gone.empty()) return;
  std::vector<std::string> names;
  for (const std::string& option : gone) names.push_back(code(option));
  const bool several = names.size() > 1;
  const std::size_t more = names.size() > kMost ? names.size() - kMost + 1 : 0;
  if (more > 0) names.resize(kMost - 1);
  risks.push_back(
      {RiskKind::kCompatibility,
       fmt::format("No parser declares the command-line {} {}{} any more.", several ? "arguments" : "argument",
                   join_words(names), more > 0 ? fmt::format(" and {} more", more) : ""),
       fmt::format("{} refuses what it does not know: command lines that still give {} have to follow",
                   code("parse_args"), several ? "them" : "it"),
       false});
}

}  // namespace lockstep::report
