// Values that belong to a name: defaults of fields, parameters and command-line arguments, constants, and how many
// parameters a function takes.
#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "rules/syntax/expressions.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

using internal::last_part;
using program::ClassId;
using program::FunctionId;
using program::Program;

struct CitedFacts::DefaultQuery {
  std::string name;
  std::string_view path;  ///< Empty: wherever it is.
  std::size_t line = 0;   ///< From 1, with `path`.
};

namespace {

std::string written_value(const SourceText& source, const python::Expr& value) {
  // `field(default=3)` is 3.
  const report::Value known = report::value_of(&value);
  const auto* call = python::as<python::Call>(&value);
  if (call != nullptr) {
    const python::Expr* given = rules::keyword_value(*call, "default");
    if (given != nullptr && report::callee_name(*call) == "field") return std::string(source.slice(given->span));
  }
  return known.kind == report::Value::Kind::kNone ? "None" : std::string(source.slice(value.span));
}

bool spans_line(const SourceText& source, Span span, std::size_t line) {
  return source.line_of(span.begin) + std::size_t{1} <= line && line <= source.line_of(span.end) + std::size_t{1};
}

void add_field(const Program& program, ClassId id, std::string_view name, std::set<std::string>& defaults) {
  const program::Class& cls = program.classes()[id];
  for (const program::Field& field : cls.fields) {
    if (field.name == name && field.in_class_body && field.default_value != nullptr)
      defaults.insert(written_value(program.modules()[cls.module].facts->source(), *field.default_value));
  }
}

const python::Parameter* parameter_of(const Program& program, FunctionId id, std::string_view name) {
  const python::FunctionDef* def = program.functions()[id].def();
  if (def == nullptr) return nullptr;
  const auto& all = def->parameters->all;
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const python::Parameter* one) { return one->name.text == name; });
  return at == all.end() ? nullptr : *at;
}

void add_parameter(const Program& program, FunctionId id, std::string_view name, std::set<std::string>& defaults) {
  const python::Parameter* parameter = parameter_of(program, id, name);
  if (parameter != nullptr && parameter->default_value != nullptr)
    defaults.insert(written_value(program.module_of(id).facts->source(), *parameter->default_value));
}

bool is_capital(std::string_view name) {
  return name.size() > 2 && name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos &&
         name.find_first_of("abcdefghijklmnopqrstuvwxyz.") == std::string_view::npos;
}

std::vector<const python::Parameter*> counted_parameters(const python::FunctionDef& def) {
  std::vector<const python::Parameter*> counted;
  for (const python::Parameter* one : def.parameters->all) {
    if (one->name.text != "self" && one->name.text != "cls") counted.push_back(one);
  }
  return counted;
}

}  // namespace

void CitedFacts::add_defaults(const Side& side, const DefaultQuery& query, std::set<std::string>& defaults) {
  const Program& program = *side.program;
  const auto is_there = [&](program::ModuleId module, Span span) {
    if (query.path.empty()) return true;
    const program::Module& row = program.modules()[module];
    return (row.path == query.path || row.path.ends_with("/" + std::string(query.path))) &&
           spans_line(row.facts->source(), span, query.line);
  };
  for (const program::Class& cls : program.classes()) {
    for (const program::Field& field : cls.fields) {
      if (field.name == query.name && field.in_class_body && field.default_value != nullptr &&
          is_there(cls.module, field.node->span))
        defaults.insert(written_value(program.modules()[cls.module].facts->source(), *field.default_value));
    }
  }
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    const python::Parameter* parameter = parameter_of(program, id, query.name);
    if (parameter != nullptr && is_there(program.functions()[id].module, parameter->span))
      add_parameter(program, id, query.name, defaults);
  }
  const auto found = side.arguments.find(query.name);
  if (found == side.arguments.end()) return;
  for (const program::CallId id : found->second) {
    const program::CallSite& site = program.calls()[id];
    const auto& call = *python::as<python::Call>(site.node);
    if (!is_there(program.functions()[site.caller].module, call.span)) continue;
    const bool is_declaration = report::callee_name(call) == "add_argument";
    const report::Value value = is_declaration ? report::argument_default(call) : report::Value();
    const python::Expr* given = rules::keyword_value(call, is_declaration ? "default" : query.name);
    if (given != nullptr) {
      defaults.insert(std::string(program.module_of(site.caller).facts->source().slice(given->span)));
    } else {
      // An action of another kind gives what it likes: anything that is no literal leaves the claim open.
      defaults.insert(value.kind == report::Value::Kind::kUnknown ? "action" : value.text);
    }
  }
}

std::vector<std::string> CitedFacts::defaults_of(std::string_view name, std::string_view owner) const {
  std::set<std::string> defaults;
  for (const Side& side : sides_) {
    if (owner.empty()) break;
    for (const ClassId id : classes_named(side, owner)) {
      for (const ClassId above : side.program->classes()[id].linearized) {
        add_field(*side.program, above, name, defaults);
        const FunctionId init = side.program->find_method(above, "__init__");
        if (init.valid()) add_parameter(*side.program, init, name, defaults);
      }
    }
    for (const FunctionId id : functions_named(side, owner)) add_parameter(*side.program, id, name, defaults);
  }
  for (const Side& side : sides_) {
    if (!owner.empty() && !defaults.empty()) break;
    add_defaults(side, {std::string(name), {}, 0}, defaults);
    if (!defaults.empty()) add_asked_defaults(side, name, defaults);
  }
  return {defaults.begin(), defaults.end()};
}

std::vector<std::string> CitedFacts::defaults_at(std::string_view name, std::string_view path, std::size_t line) const {
  std::set<std::string> defaults;
  for (const Side& side : sides_) add_defaults(side, {std::string(name), path, line}, defaults);
  return {defaults.begin(), defaults.end()};
}

bool CitedFacts::is_made_elsewhere(std::string_view option) const {
  const std::string name = replace_all(option.substr(std::min(option.find_first_not_of('-'), option.size())), "-", "_");
  return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
    if (side.arguments.contains(name)) return false;
    return std::any_of(side.program->modules().begin(), side.program->modules().end(),
                       [&](const program::Module& one) { return is_quoted_in(one.facts->source().bytes(), option); });
  });
}

std::vector<std::string> CitedFacts::constants_of(std::string_view name) const {
  std::set<std::string> values;
  if (!is_capital(name)) return {};
  for (const Side& side : sides_) {
    for (const program::Module& module : side.program->modules()) {
      const SourceText& source = module.facts->source();
      if (!contains(source.bytes(), name)) continue;
      python::walk_statements(
          *side.program->functions()[module.body].node, python::Nested::kEnter, [&](const python::Stmt* statement) {
            const auto is_name = [&](const python::Expr* target) { return source.slice(target->span) == name; };
            const python::Expr* value = nullptr;
            if (const auto* assign = python::as<python::Assign>(statement)) {
              if (std::any_of(assign->targets.begin(), assign->targets.end(), is_name)) value = assign->value;
            } else if (const auto* declared = python::as<python::AnnAssign>(statement)) {
              if (is_name(declared->target)) value = declared->value;
            } else if (const auto* changed = python::as<python::AugAssign>(statement)) {
              if (is_name(changed->target)) value = changed->value;
              if (value != nullptr) values.insert("changed by a statement");
            }
            if (value != nullptr) values.insert(std::string(source.slice(value->span)));
          });
    }
  }
  return {values.begin(), values.end()};
}

std::set<std::size_t> CitedFacts::parameter_counts(std::string_view name) const {
  std::set<std::size_t> counts;
  for (const Side& side : sides_) {
    for (const FunctionId id : functions_named(side, name)) {
      const python::FunctionDef* def = side.program->functions()[id].def();
      if (def == nullptr) continue;
      const auto counted = counted_parameters(*def);
      std::size_t needed = 0, plain = 0;
      for (const python::Parameter* one : counted) {
        const bool is_open = one->parameter_kind == python::Parameter::Kind::kVarArgs ||
                             one->parameter_kind == python::Parameter::Kind::kVarKeywords;
        plain += is_open ? 0 : 1;
        needed += is_open || one->default_value != nullptr ? 0 : 1;
      }
      counts.insert({counted.size(), def->parameters->all.size(), needed, plain, plain - needed});
    }
    for (const ClassId id : classes_named(side, name)) counts.insert(side.program->classes()[id].fields.size());
  }
  return counts;
}

std::set<std::size_t> CitedFacts::added_parameter_counts(std::string_view name) const {
  std::set<std::size_t> counts;
  if (sides_.size() < 2) return counts;
  const Side& after = sides_[0];
  const Side& before = sides_[1];
  for (const FunctionId id : functions_named(after, name)) {
    const program::Function& now = after.program->functions()[id];
    const FunctionId old = before.program->find_function(now.qualified_name);
    if (!old.valid() || now.def() == nullptr || before.program->functions()[old].def() == nullptr) continue;
    const auto count_new = [](const python::FunctionDef& one, const python::FunctionDef& other, bool with_default) {
      std::size_t count = 0;
      for (const python::Parameter* parameter : one.parameters->all) {
        const auto& all = other.parameters->all;
        const bool is_old = std::any_of(all.begin(), all.end(), [&](const python::Parameter* known) {
          return known->name.text == parameter->name.text;
        });
        count += !is_old && (!with_default || parameter->default_value != nullptr) ? 1 : 0;
      }
      return count;
    };
    const python::FunctionDef& now_def = *now.def();
    const python::FunctionDef& old_def = *before.program->functions()[old].def();
    counts.insert({count_new(now_def, old_def, false), count_new(now_def, old_def, true)});
  }
  return counts;
}

}  // namespace lockstep::writer
