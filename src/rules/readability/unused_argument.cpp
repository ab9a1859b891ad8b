// unused-argument: parameters, config fields and command-line flags that a change adds and that nothing reads.
//
// Left out: parameters that an interface asks for (overrides, abstract and stub bodies, callbacks, methods that have a
// namesake with the same parameter elsewhere, stand-ins for an import that failed), names with a leading underscore,
// flags that say they are deprecated. A field counts as read when any attribute of its name, or its name as a string,
// is read anywhere in the repository: an argument that is copied into a config by name is read through the config's
// field.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/names.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/settings/declared_options.h"
#include "rules/settings/forwarded_flags.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using change::EntityKind;
using change::Status;
using program::ClassId;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "unused-argument";

/// Whether some file reads a name without binding it first. Only files that hold the name are looked at.
class Reads {
 public:
  explicit Reads(const Program& program) : program_(program) {}

  /// `x.name`, `"name"`, or an attribute whose computed name starts as this one does: `getattr(x, f"muon_{name}")`; of
  /// `f"{prefix}_{name}"` with a prefix that stands as a text in the file.
  bool has(std::string_view name) {
    const bool is_written = stands_somewhere(name, [&](const Node* node, bool /*is_callee*/) {
      const auto* text = as<Constant>(node);
      return reads_attribute(node, name) ||
             (text != nullptr && text->constant_kind == ConstantKind::kStr && text->text == name);
    });
    if (is_written) return true;
    if (!computed_) find_computed();
    return std::any_of(computed_->begin(), computed_->end(), [&](const Computed& each) {
      return each.start.empty() ? may_be_joined(each, name) : name.starts_with(each.start);
    });
  }
  /// `name` or `x.name` other than as what is called.
  [[nodiscard]] bool is_value(std::string_view name) const {
    return stands_somewhere(name, [&](const Node* node, bool is_callee) {
      const auto* plain = as<Name>(node);
      return !is_callee && (reads_attribute(node, name) ||
                            (plain != nullptr && plain->context == ExprContext::kLoad && plain->id == name));
    });
  }

 private:
  /// The name of an attribute that a format computes.
  struct Computed {
    std::string_view start;      ///< Before the first value; may be empty.
    std::string_view separator;  ///< Where it is: between the first value and the second.
    const program::Module* module;
  };

  static bool may_be_joined(const Computed& computed, std::string_view name) {
    const std::string_view source = computed.module->facts->source().bytes();
    for (std::size_t at = name.find(computed.separator, 1); at != std::string_view::npos && at + 1 < name.size();
         at = name.find(computed.separator, at + 1)) {
      const std::string_view prefix = name.substr(0, at);
      for (const char quote : {'"', '\''}) {
        if (find_text(source, fmt::format("{0}{1}{0}", quote, prefix)) != std::string_view::npos) return true;
      }
    }
    return false;
  }

  static bool reads_attribute(const Node* node, std::string_view name) {
    const auto* attribute = as<Attribute>(node);
    return attribute != nullptr && attribute->context == ExprContext::kLoad && attribute->name.text == name;
  }

  /// Whether `is_it(node, whether it is what is called)` holds for a node of a file that holds the name.
  template <class IsIt>
  [[nodiscard]] bool stands_somewhere(std::string_view name, IsIt&& is_it) const {
    return std::any_of(program_.modules().begin(), program_.modules().end(), [&](const program::Module& module) {
      if (find_text(module.facts->source().bytes(), name) == std::string_view::npos) return false;
      const Node* callee = nullptr;  // of the call seen last: the walk comes to it next
      bool found = false;
      walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
        if (found) return false;
        if (const auto* call = as<Call>(node)) callee = call->callee;
        found = is_it(node, node == callee);
        return !found;
      });
      return found;
    });
  }

  /// Computed attribute names: a format that is passed, or that a variable of this name holds somewhere in the file.
  void find_computed() {
    computed_.emplace();
    for (const program::Module& module : program_.modules()) {
      if (find_text(module.facts->source().bytes(), "getattr") == std::string_view::npos) continue;
      std::unordered_map<std::string_view, std::vector<const JoinedStr*>> formats;
      walk_of<Assign>(module.facts->tree(), Nested::kEnter, [&](const Assign* assign) {
        const auto* name = as<Name>(assign->targets[0]);
        const auto* format = as<JoinedStr>(assign->value);
        if (name != nullptr && format != nullptr) formats[name->id].push_back(format);
      });
      walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
        const auto* callee = as<Name>(call->callee);
        if (callee == nullptr || callee->id != "getattr" || call->arguments.size() < 2) return;
        if (const auto* format = as<JoinedStr>(call->arguments[1])) add_computed(*format, module);
        if (const auto* name = as<Name>(call->arguments[1]); name != nullptr && formats.contains(name->id)) {
          for (const JoinedStr* format : formats[name->id]) add_computed(*format, module);
        }
      });
    }
  }

  void add_computed(const JoinedStr& format, const program::Module& module) {
    const auto text_at = [&](std::size_t i) {
      const auto* text = i < format.values.size() ? as<Constant>(format.values[i]) : nullptr;
      return text == nullptr ? std::string_view() : std::string_view(text->text);
    };
    const std::string_view start = text_at(0);
    const std::string_view separator = start.empty() ? text_at(1) : std::string_view();
    if (!start.empty() || (!separator.empty() && format.values.size() > 2))
      computed_->push_back({start, separator, &module});
  }

  const Program& program_;
  std::optional<std::vector<Computed>> computed_;
};

/// Nothing but a docstring, `pass`, `...`, `raise` or `return NotImplemented`.
bool is_stub(const FunctionDef& def) {
  return std::all_of(def.body.begin(), def.body.end(), [](const Stmt* statement) {
    const auto* value = as<ExprStmt>(statement);
    const auto* returned = as<Return>(statement);
    return is<Pass>(statement) || is<Raise>(statement) || (value != nullptr && is<Constant>(value->value)) ||
           (returned != nullptr && (returned->value == nullptr || is<Constant>(returned->value)));
  });
}

/// The docstring speaks of classes below, which may come later: "Subclasses extend this hook to …".
bool is_meant_for_subclasses(const FunctionDef& def) {
  const Constant* docstring = docstring_of(def.body);
  if (docstring == nullptr) return false;
  const std::string text = to_lower(docstring->text);
  return contains(text, "subclass") || contains(text, "overrid") || contains(text, "derived class");
}

/// True if the body (nested functions too) reads the name, deletes it, or reads all locals at once.
bool reads_parameter(const FunctionDef& def, std::string_view name) {
  bool found = false;
  for (const Stmt* statement : def.body) {
    const auto check = [&](const Node* node) {
      const auto* read = as<Name>(node);
      if (read != nullptr && read->context != ExprContext::kStore)
        found = found || read->id == name || read->id == "locals";
      const auto* augmented = as<AugAssign>(node);
      const auto* target = augmented == nullptr ? nullptr : as<Name>(augmented->target);
      found = found || (target != nullptr && target->id == name);
    };
    check(statement);
    walk(*statement, Nested::kEnter, check);
  }
  return found;
}

/// A new flag of argparse that nothing reads.
struct UnreadFlag {
  std::string destination;  ///< Attribute of the namespace.
  Span span;                ///< The option's text.
};
constexpr std::size_t kToldTogether = 4;  ///< As many of one file are one omission.

class Finder {
 public:
  Finder(const RuleContext& context, std::vector<Finding>& findings)
      : context_(context), program_(context.program), findings_(findings), reads_(context.program) {}

  void run() {
    for (const EntityChange& entity : context_.change->entities) {
      if (!entity.after || entity.moved || program::is_test_path(entity.after->path)) continue;
      if (entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kMethod) parameters(entity);
      if (entity.kind == EntityKind::kField && entity.status == Status::kAdded) field(entity);
      if (entity.kind == EntityKind::kClass && entity.status == Status::kAdded) fields_of(entity);
    }
    for (const change::FileSummary& file : context_.change->files) {
      const program::ModuleId module = program_.find_path(file.file->new_path);
      if (module.valid() && !program::is_test_path(file.file->new_path)) flags(module);
    }
  }

 private:
  Finding start(program::ModuleId module, Span span, Severity severity) const {
    Finding finding = finding_at(program_, kRule, module, span);
    finding.severity = severity;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kMaintainability;
    return finding;
  }

  // -------------------------------------------------------------------------------------------------------------
  // Parameters

  void parameters(const EntityChange& entity) {
    const FunctionId function = entity.after->function;
    if (!function.valid() || entity.renamed) return;
    const program::Function& row = program_.functions()[function];
    const FunctionDef* def = row.def();
    if (def == nullptr || is_stub(*def) || is_interface(function, *def) || stands_in_for_import(row)) return;
    const std::size_t first = row.owner.valid() ? 1 : 0;
    for (std::size_t i = first; i < def->parameters->all.size(); ++i) {
      const Parameter& parameter = *def->parameters->all[i];
      const std::string_view name = parameter.name.text;
      const bool variadic = parameter.parameter_kind == Parameter::Kind::kVarArgs ||
                            parameter.parameter_kind == Parameter::Kind::kVarKeywords;
      if (variadic || name.starts_with('_') || name.starts_with("unused") || !is_new_parameter(entity, name)) continue;
      if (reads_parameter(*def, name) || is_asked_for_elsewhere(function, name)) continue;
      if (reads_.is_value(row.name)) return;  // Passed as a value: whoever calls it decides.
      Finding finding = start(row.module, parameter.span, Severity::kP2);
      finding.message = fmt::format("`{}` never reads its new parameter `{}`", short_name(program_, function), name);
      finding.why = "What is passed for it has no effect.";
      finding.fix = fmt::format("Use `{}`, or leave it out.", name);
      findings_.push_back(std::move(finding));
    }
  }

  /// The module imports something of that name elsewhere: what is defined where the import fails takes what that takes.
  bool stands_in_for_import(const program::Function& row) const {
    const auto& imports = program_.modules()[row.module].facts->imports;
    return !row.owner.valid() && std::any_of(imports.begin(), imports.end(),
                                             [&](const ImportedName& import) { return import.bound_as == row.name; });
  }

  static bool is_new_parameter(const EntityChange& entity, std::string_view name) {
    if (entity.status == Status::kAdded) return true;
    return std::any_of(entity.differences.begin(), entity.differences.end(), [&](const change::Difference& difference) {
      return difference.kind == change::DifferenceKind::kParameterAdded && difference.name == name;
    });
  }

  /// Its shape is somebody else's choice: overrides, callbacks of decorators, special methods, autograd functions.
  bool is_interface(FunctionId function, const FunctionDef& def) const {
    const program::Function& row = program_.functions()[function];
    if (row.name.starts_with("__") && row.name != "__init__" && row.name != "__new__") return true;
    const bool unknown_decorator = std::any_of(def.decorators.begin(), def.decorators.end(), [](const Expr* decorator) {
      const std::string_view name = last_part_of(decorator);
      return name != "staticmethod" && name != "classmethod" && name != "no_grad" && name != "inference_mode";
    });
    if (unknown_decorator || (row.enclosing.valid() && !row.owner.valid() && is_nested(row))) return true;
    if (!row.owner.valid()) return false;
    const program::Class& cls = program_.classes()[row.owner];
    const auto& external = cls.external_ancestors;
    if (std::any_of(external.begin(), external.end(),
                    [](const std::string& name) { return name.ends_with("autograd.Function"); }))
      return true;
    if (!program_.overrides_of(function).empty() || is_meant_for_subclasses(def)) return true;
    for (std::size_t i = 1; i < cls.linearized.size(); ++i) {
      const auto& methods = program_.classes()[cls.linearized[i]].methods;
      if (row.name != "__init__" && std::any_of(methods.begin(), methods.end(),
                                                [&](FunctionId m) { return program_.functions()[m].name == row.name; }))
        return true;
    }
    // An external base other than a module's may call it with arguments of its own.
    return std::any_of(external.begin(), external.end(), [](const std::string& name) {
      return name != "object" && name != "abc.ABC" && name != "torch.nn.Module" &&
             name != "torch.nn.modules.module.Module";
    });
  }

  bool is_nested(const program::Function& row) const {
    return program_.functions()[row.enclosing].kind != program::FunctionKind::kModuleBody;
  }

  /// Another function of the same name takes the same parameter: the two are called alike.
  bool is_asked_for_elsewhere(FunctionId function, std::string_view parameter) const {
    const program::Function& row = program_.functions()[function];
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const program::Function& other = program_.functions()[FunctionId(i)];
      const FunctionDef* def = other.def();
      if (FunctionId(i) == function || def == nullptr || other.name != row.name || row.name == "__init__") continue;
      const auto& all = def->parameters->all;
      if (std::any_of(all.begin(), all.end(), [&](const Parameter* p) { return p->name.text == parameter; }))
        return true;
    }
    return is_one_of_alike(function, parameter);
  }

  /// A function beside it takes the very same parameters, two or more, and does not read this one either: passes of a
  /// list that are all called alike.
  bool is_one_of_alike(FunctionId function, std::string_view parameter) const {
    const program::Function& row = program_.functions()[function];
    const auto& own = row.def()->parameters->all;
    if (row.owner.valid() || own.size() < 2) return false;
    const auto is_alike = [&](FunctionId id) {
      const program::Function& other = program_.functions()[id];
      const FunctionDef* def = other.def();
      if (id == function || def == nullptr || other.owner.valid() || other.enclosing != row.enclosing) return false;
      const auto& all = def->parameters->all;
      const bool is_same =
          std::equal(own.begin(), own.end(), all.begin(), all.end(),
                     [](const Parameter* a, const Parameter* b) { return a->name.text == b->name.text; });
      return is_same && !is_stub(*def) && !reads_parameter(*def, parameter);
    };
    const auto& beside = program_.modules()[row.module].functions;
    return std::any_of(beside.begin(), beside.end(), is_alike);
  }

  // -------------------------------------------------------------------------------------------------------------
  // Fields of configs

  static bool is_config(const program::Class& cls) {
    return cls.name.ends_with("Config") || cls.name.ends_with("Args") || cls.name.ends_with("Arguments") ||
           cls.name.ends_with("Options") || cls.name.ends_with("Settings");
  }

  void field(const EntityChange& entity) {
    const ClassId cls = entity.after->cls;
    if (!cls.valid()) return;
    const program::Class& row = program_.classes()[cls];
    for (const program::Field& each : row.fields) {
      if (each.node == entity.after->node) one_field(row, each);
    }
  }

  void fields_of(const EntityChange& entity) {
    if (!entity.after->cls.valid()) return;
    const program::Class& row = program_.classes()[entity.after->cls];
    for (const program::Field& each : row.fields) one_field(row, each);
  }

  /// A method of the class or of one above it hands all fields on at once: `Other(**self.as_dict())`.
  bool is_handed_on_whole(const program::Class& cls) const {
    const auto takes_all = [](const Node* node) {
      const auto* attribute = as<Attribute>(node);
      const auto* call = as<Call>(node);
      if (attribute != nullptr && name_of(attribute->value) == "self")
        return attribute->name.text == "__dict__" || attribute->name.text.ends_with("as_dict") ||
               attribute->name.text == "to_dict";
      const std::string_view callee = call == nullptr ? std::string_view() : last_part_of(call->callee);
      return (callee == "asdict" || callee == "vars" || callee == "fields") && !call->arguments.empty() &&
             name_of(call->arguments[0]) == "self";
    };
    for (const ClassId each : cls.linearized) {
      for (const FunctionId method : program_.classes()[each].methods) {
        bool spreads = false;
        bool takes = false;
        walk(*program_.functions()[method].node, Nested::kEnter, [&](const Node* node) {
          spreads = spreads || (is<Call>(node) && has_spread_keywords(*as<Call>(node)));
          takes = takes || takes_all(node);
        });
        if (spreads && takes) return true;
      }
    }
    return false;
  }

  void one_field(const program::Class& cls, const program::Field& field) {
    if (!cls.is_dataclass || !is_config(cls) || !field.in_class_body || field.annotation == nullptr) return;
    if (field.name.starts_with('_') || last_part_of(field.annotation) == "ClassVar") return;
    if (reads_.has(field.name) || is_handed_on_whole(cls)) return;
    const std::string text = to_lower(quote(*program_.modules()[cls.module].facts, field.node->span, 400));
    if (contains(text, "deprecated")) return;
    Finding finding = start(cls.module, field.node->span, Severity::kP1);
    finding.end_line = finding.start_line;
    finding.symbol = cls.qualified_name + "." + std::string(field.name);
    finding.message = fmt::format("Nothing reads the new config field `{}.{}`", cls.name, field.name);
    finding.why = "Setting it changes nothing, and nobody is told.";
    finding.fix = fmt::format("Read `{}` where it should take effect, or leave the field out.", field.name);
    add_namesake_parameters(field.name, finding);
    new_fields_.emplace(std::string(field.name), findings_.size());
    findings_.push_back(std::move(finding));
  }

  /// A function has a parameter of that name: perhaps the value should be passed to it.
  void add_namesake_parameters(std::string_view name, Finding& finding) const {
    for (const program::Function& function : program_.functions()) {
      const FunctionDef* def = function.def();
      if (def == nullptr || function.name == "__init__" ||
          program::is_test_path(program_.modules()[function.module].path))
        continue;
      for (const Parameter* parameter : def->parameters->all) {
        if (parameter->name.text != name || finding.evidence.size() >= 2) continue;
        finding.evidence.push_back(
            evidence_at(program_, function.module, parameter->span,
                        fmt::format("`{}` has a parameter of this name", function.qualified_name)));
      }
    }
  }

  // -------------------------------------------------------------------------------------------------------------
  // Command-line flags

  void flags(program::ModuleId module) {
    const program::Module& row = program_.modules()[module];
    const SourceText& source = row.facts->source();
    std::vector<UnreadFlag> unread;
    walk_of<Call>(row.facts->tree(), Nested::kEnter, [&](const Call* call) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr || method->name.text != "add_argument" || call->arguments.empty()) return;
      const std::uint32_t line = source.line_of(call->arguments[0]->span.begin);
      if (context_.change->touches_after(row.path, line)) flag(module, *call, unread);
    });
    if (unread.size() < kToldTogether) {
      for (const UnreadFlag& one : unread) report(module, one);
    } else {
      report_together(module, unread);
    }
  }

  /// The same file declared the flag already.
  bool existed_before(program::ModuleId module, const std::string& dest) const {
    const program::ModuleId then = context_.before->find_path(program_.modules()[module].path);
    bool found = false;
    if (!then.valid()) return false;
    walk_of<Call>(context_.before->modules()[then].facts->tree(), Nested::kEnter, [&](const Call* call) {
      const auto* method = as<Attribute>(call->callee);
      if (method != nullptr && method->name.text == "add_argument")
        found = found || argparse_destination(*call) == dest;
    });
    return found;
  }

  void flag(program::ModuleId module, const Call& call, std::vector<UnreadFlag>& unread) {
    const std::string dest = argparse_destination(call);
    const Expr* done = keyword_value(call, "action");
    const auto* action = as<Constant>(done);
    // A class of the repository takes the value.
    const program::FunctionId body = program_.modules()[module].body;
    if (done != nullptr && program_.resolve(body, *done).kind == program::Reference::Kind::kClass) return;
    if (dest.empty() || (action != nullptr && (action->text == "version" || action->text == "help"))) return;
    // "model.norm_type" of `--model.norm_type` is a section's field: `config.model.norm_type` reads it.
    const std::string field_name = dest.substr(dest.rfind('.') + 1);
    if (reads_.has(dest) || reads_.has(field_name) || existed_before(module, dest)) return;
    if (!forwarded_) forwarded_.emplace(program_);
    if (forwarded_->forwards(module, dest)) return;
    // A flag and the field that it fills are one omission.
    if (const auto field = new_fields_.find(dest); field != new_fields_.end()) {
      findings_[field->second].evidence.push_back(
          evidence_at(program_, module, call.arguments[0]->span, "this flag sets it, and nothing reads that either"));
      return;
    }
    const auto* help = as<Constant>(keyword_value(call, "help"));
    const std::string words = help == nullptr ? std::string() : to_lower(help->text);
    if (contains(words, "deprecated") || contains(words, "ignored") || contains(words, "no-op")) return;
    unread.push_back({dest, call.arguments[0]->span});
  }

  static std::string option_of(const UnreadFlag& flag) {
    return fmt::format("`--{}`", replace_all(flag.destination, "_", "-"));
  }

  void report(program::ModuleId module, const UnreadFlag& flag) {
    Finding finding = start(module, flag.span, Severity::kP1);
    finding.message = "Nothing reads the new flag " + option_of(flag);
    finding.why =
        fmt::format("It sets `args.{}`, which no code of the repository reads: passing the flag changes nothing.",
                    flag.destination);
    finding.fix = fmt::format("Read `args.{}`, name the flag as the config field it is meant for, or leave it out.",
                              flag.destination);
    findings_.push_back(std::move(finding));
  }

  void report_together(program::ModuleId module, const std::vector<UnreadFlag>& flags) {
    constexpr std::size_t kNamed = 3;
    constexpr std::size_t kMostPlaces = 12;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kNamed; ++i) names.push_back(option_of(flags[i]));
    Finding finding = start(module, flags.front().span, Severity::kP1);
    finding.message = fmt::format("Nothing reads {} new flags of this file: {} and {} more", flags.size(),
                                  join(names, ", "), flags.size() - kNamed);
    finding.why = "No code of the repository reads what they set: passing them changes nothing.";
    finding.fix = "Bring the code that reads them along, or leave them out until it comes.";
    for (std::size_t i = 1; i < flags.size() && i <= kMostPlaces; ++i)
      finding.evidence.push_back(evidence_at(program_, module, flags[i].span, option_of(flags[i])));
    findings_.push_back(std::move(finding));
  }

  const RuleContext& context_;
  const Program& program_;
  std::vector<Finding>& findings_;
  Reads reads_;
  std::optional<ForwardedFlags> forwarded_;        // Made for the first flag that nothing reads by its name.
  std::map<std::string, std::size_t> new_fields_;  ///< Name of a new field that nothing reads -> its finding.
};

}  // namespace

void run_unused_argument(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change != nullptr && context.before != nullptr) Finder(context, findings).run();
}

}  // namespace lockstep::rules
