#include "report/source/generated_arguments.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using program::Reference;
using rules::text_of;

namespace {

/// Makes an argument of each field of the class that it gets as `parameter`: a function, or the constructor of a class
/// one of whose methods does.
struct Generator {
  FunctionId entered;  ///< What the caller's arguments go to.
  ClassId cls;         ///< None for a plain function.
  std::string parameter;
  bool negates = false;  ///< A field that is true gets "--no-name".
};

/// Whether code gives an argument that switches something off the name with "no" before it.
bool spells_negation(std::string_view text) {
  return contains(text, "store_false") && (contains(text, "prefix=\"no\"") || contains(text, "prefix='no'"));
}

/// The parameter of the constructor that `self.name` holds; empty where that does not show.
std::string parameter_held(const Program& program, ClassId cls, std::string_view name) {
  const FunctionId constructor = program.find_method(cls, "__init__");
  const FunctionDef* def = constructor.valid() ? program.functions()[constructor].def() : nullptr;
  std::string out;
  if (def == nullptr) return out;
  walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
    const auto* target = as<Attribute>(assign->targets.front());
    const auto* object = target == nullptr ? nullptr : as<Name>(target->value);
    const auto* value = as<Name>(assign->value);
    if (object == nullptr || object->id != "self" || target->name.text != name || value == nullptr) return;
    if (rules::parameter_named(def, value->id) != nullptr) out = value->id;
  });
  return out;
}

/// Whether the text spells an argument as the name with dashes: `"--" + name.replace("_", "-")`.
bool spells_with_dashes(std::string_view text) {
  const bool replaces = contains(text, R"(replace("_", "-"))") || contains(text, "replace('_', '-')");
  return replaces && (contains(text, "\"--") || contains(text, "'--")) && contains(text, "add_argument");
}

/// Whether all that the code puts before a name is `--`: no other string of it begins with dashes.
bool has_plain_dashes(const Node& code) {
  bool any = false;
  bool all = true;
  walk_of<Constant>(code, Nested::kEnter, [&](const Constant* one) {
    if (one->constant_kind != ConstantKind::kStr || !one->text.starts_with("--")) return;
    any = true;
    all = all && one->text == "--";
  });
  return any && all;
}

/// Whether an expression holds names that the caller gives: a parameter, or an attribute that the constructor of `cls`
/// only fills from its parameters.
bool is_given_by_caller(const Program& program, ClassId cls, const FunctionDef& function, const Expr& expression) {
  if (const auto* name = as<Name>(&expression)) return rules::parameter_named(&function, name->id) != nullptr;
  const auto* held = as<Attribute>(&expression);
  if (held == nullptr || !cls.valid() || rules::name_of(held->value) != "self") return false;
  const FunctionId constructor = program.find_method(cls, "__init__");
  const FunctionDef* def = constructor.valid() ? program.functions()[constructor].def() : nullptr;
  if (def == nullptr) return false;
  std::size_t assigned = 0;
  std::size_t given = 0;
  walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
    const auto* target = as<Attribute>(assign->targets.front());
    if (target == nullptr || target->name.text != held->name.text || rules::name_of(target->value) != "self") return;
    ++assigned;
    const auto* whole = as<Name>(assign->value);
    bool reads = whole != nullptr && rules::parameter_named(def, whole->id) != nullptr;
    walk_of<Name>(*assign->value, Nested::kEnter,
                  [&](const Name* one) { reads = reads || rules::parameter_named(def, one->id) != nullptr; });
    given += reads ? 1 : 0;
  });
  return assigned > 0 && given == assigned;
}

/// Whether a condition holds for no field but those that the caller names or that no argument is made of anyway:
/// `field.name in self.exclude`, `not field.init`, joined by `or`. `is_given`: whether the caller gives what holds the
/// names.
bool is_known_exclusion(const Expr* condition, std::string_view field,
                        const std::function<bool(const Expr&)>& is_given) {
  const auto is_of_field = [&](const Expr* one, std::string_view attribute) {
    const auto* read = as<Attribute>(one);
    return read != nullptr && read->name.text == attribute && rules::name_of(read->value) == field;
  };
  if (const auto* either = as<BoolOp>(condition)) {
    return either->op == BoolOperator::kOr &&
           std::all_of(either->values.begin(), either->values.end(),
                       [&](const Expr* one) { return is_known_exclusion(one, field, is_given); });
  }
  if (const auto* negated = as<UnaryOp>(condition))
    return negated->op == UnaryOperator::kNot && is_of_field(negated->operand, "init");
  const auto* compare = as<Compare>(condition);
  if (compare == nullptr || compare->ops.size() != 1) return false;
  const Expr* right = compare->comparators.front();
  if (compare->ops.front() == CompareOperator::kIs) return is_of_field(compare->left, "init") && rules::is_false(right);
  // The names that the caller gives are read at the call: `GeneratedArguments`.
  return compare->ops.front() == CompareOperator::kIn && is_of_field(compare->left, "name") && is_given(*right);
}

/// Whether each field that the loop comes to gets an argument: no other is left out than a known exclusion names.
bool takes_all(const For& loop, const std::function<bool(const Expr&)>& is_given) {
  const auto* field = as<Name>(loop.target);
  if (field == nullptr) return false;
  bool all = true;
  for (const Stmt* statement : loop.body) {
    bool leaves = false;
    bool adds = false;
    walk_of<Call>(*statement, Nested::kSkip,
                  [&](const Call* call) { adds = adds || callee_name(*call) == "add_argument"; });
    walk_of<Continue>(*statement, Nested::kSkip, [&](const Continue*) { leaves = true; });
    walk_of<Break>(*statement, Nested::kSkip, [&](const Break*) { all = false; });
    if (adds && !is<ExprStmt>(statement) && !is<Assign>(statement)) all = false;
    const auto* branch = as<If>(statement);
    if (leaves) all = all && branch != nullptr && is_known_exclusion(branch->condition, field->id, is_given);
  }
  return all;
}

void add_generators(const Program& program, ModuleId id, std::vector<Generator>& out) {
  const program::Module& module = program.modules()[id];
  const SourceText& source = module.facts->source();
  walk_of<For>(module.facts->tree(), Nested::kEnter, [&](const For* loop) {
    const auto* fields = as<Call>(loop->iterable);
    if (fields == nullptr || fields->arguments.size() != 1) return;
    const FunctionId function = program.function_at(id, loop->span.begin);
    const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
    if (def == nullptr) return;
    const Reference callee = program.resolve(function, *fields->callee);
    if (callee.kind != Reference::Kind::kExternal || callee.name != "dataclasses.fields") return;
    bool adds = false;
    walk_of<Call>(*loop, Nested::kSkip, [&](const Call* call) { adds = adds || callee_name(*call) == "add_argument"; });
    const ClassId owner = program.functions()[function].owner;
    const Node& whole = owner.valid() ? static_cast<const Node&>(*program.classes()[owner].node) : *def;
    if (!adds || !spells_with_dashes(source.slice(whole.span)) || !has_plain_dashes(whole)) return;
    if (!takes_all(*loop, [&](const Expr& one) { return is_given_by_caller(program, owner, *def, one); })) return;
    const bool negates = spells_negation(source.slice(whole.span));
    const Expr* given = fields->arguments.front();
    const auto* name = as<Name>(given);
    const auto* held = as<Attribute>(given);
    const auto* object = held == nullptr ? nullptr : as<Name>(held->value);
    if (name != nullptr && rules::parameter_named(def, name->id) != nullptr && !owner.valid())
      out.push_back({function, {}, std::string(name->id), negates});
    if (object == nullptr || object->id != "self" || !owner.valid()) return;
    if (std::string parameter = parameter_held(program, owner, held->name.text); !parameter.empty())
      out.push_back({program.find_method(owner, "__init__"), owner, std::move(parameter), negates});
  });
}

/// The strings of `["a", "b"]`, or of a local that only ever holds such a list; nullopt for anything else.
std::optional<std::set<std::string, std::less<>>> strings_of(const FunctionDef* caller, const Expr& expression) {
  const Expr* value = &expression;
  if (const auto* name = as<Name>(value)) {
    value = caller == nullptr ? nullptr : only_value_of(*caller, name->id);
    bool is_changed = false;  // `names.append(…)`
    if (caller != nullptr) {
      walk_of<Attribute>(*caller, Nested::kEnter, [&](const Attribute* one) {
        const auto* object = as<Name>(one->value);
        is_changed = is_changed || (object != nullptr && object->id == name->id);
      });
    }
    if (value == nullptr || is_changed) return std::nullopt;
  }
  std::set<std::string, std::less<>> out;
  const auto take = [&](const auto& elements) {
    return std::all_of(elements.begin(), elements.end(), [&](const Expr* element) {
      const std::string_view text = text_of(element);
      if (!text.empty()) out.emplace(text);
      return !text.empty();
    });
  };
  const auto* list = as<List>(value);
  const auto* tuple = as<Tuple>(value);
  const auto* set = as<Set>(value);
  const bool is_read = list != nullptr    ? take(list->elements)
                       : tuple != nullptr ? take(tuple->elements)
                                          : set != nullptr && take(set->elements);
  if (!is_read) return std::nullopt;
  return out;
}

/// The first of the names that a field's own metadata gives its argument (`metadata={…: {"arg_names": ["--x"]}}`);
/// empty where it names none.
std::string named_in_metadata(const Expr& metadata) {
  std::string out;
  const auto look = [&](const Dict& dictionary) {
    for (std::size_t i = 0; i < dictionary.keys.size(); ++i) {
      if (dictionary.keys[i] == nullptr || text_of(dictionary.keys[i]) != "arg_names") continue;
      const auto* names = as<List>(dictionary.values[i]);
      const std::string_view first =
          names == nullptr || names->elements.empty() ? "" : text_of(names->elements.front());
      if (first.starts_with("--") && first.find(' ') == std::string_view::npos) out = first;
    }
  };
  if (const auto* whole = as<Dict>(&metadata)) look(*whole);
  walk_of<Dict>(metadata, Nested::kSkip, [&](const Dict* one) { look(*one); });
  return out;
}

/// `ClassVar[…]`, `InitVar[…]`: none of the fields that `dataclasses.fields` gives. `cls`, or a class that it derives
/// from, declares the field.
bool is_no_field(const Program& program, ClassId cls, const program::Field& field) {
  if (field.annotation == nullptr) return true;
  const auto& classes = program.classes()[cls].linearized;
  const auto declares = [&](ClassId each) {
    const auto& fields = program.classes()[each].fields;
    return std::any_of(fields.begin(), fields.end(), [&](const program::Field& one) { return &one == &field; });
  };
  const auto owner = std::find_if(classes.begin(), classes.end(), declares);
  if (owner == classes.end()) return true;
  const std::string_view text = program.module_of(*owner).facts->source().slice(field.annotation->span);
  return contains(text, "ClassVar") || contains(text, "InitVar");
}

}  // namespace

GeneratedArguments::GeneratedArguments(const Program& program) : program_(program) {
  std::vector<Generator> generators;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    const std::string_view bytes = module.facts->source().bytes();
    if (!program::is_test_path(module.path) && contains(bytes, "add_argument") &&
        find_name(bytes, "fields") != std::string_view::npos && spells_with_dashes(bytes))
      add_generators(program, ModuleId(i), generators);
  }
  for (const Generator& generator : generators) {
    const FunctionDef* def = generator.entered.valid() ? program.functions()[generator.entered].def() : nullptr;
    if (def == nullptr) continue;
    for (const program::CallId id : program.callers_of(generator.entered)) {
      const program::CallSite& site = program.calls()[id];
      const Call* call = site.node == nullptr ? nullptr : as<Call>(site.node);
      if (call == nullptr || program::is_test_path(program.module_of(site.caller).path)) continue;
      const auto& parameters = def->parameters->all;
      Source source;
      bool is_known = true;
      const auto take = [&](std::string_view parameter, const Expr& value) {
        if (parameter == generator.parameter) {
          const Reference to = program.resolve(site.caller, value);
          if (to.kind == Reference::Kind::kClass) source.cls = to.cls;
          return;
        }
        // What else there is, is a title, a parser, or what is left out.
        const bool may_leave_out = generator.cls.valid() ? !is<Constant>(&value) : contains(parameter, "exclude");
        if (!may_leave_out) return;
        if (auto names = strings_of(program.functions()[site.caller].def(), value)) {
          source.left_out.insert(names->begin(), names->end());
        } else {
          is_known = false;
        }
      };
      const std::size_t skipped = generator.cls.valid() ? 1 : 0;  // `self`
      for (std::size_t i = 0; i < call->arguments.size() && i + skipped < parameters.size(); ++i)
        take(parameters[i + skipped]->name.text, *call->arguments[i]);
      for (const Keyword* keyword : call->keywords) take(keyword->name.text, *keyword->value);
      source.negates = generator.negates;
      source.call = id;
      if (is_known && source.cls.valid()) sources_.push_back(std::move(source));
    }
  }
}

std::string GeneratedArguments::argument_of(ClassId cls, std::string_view field) const {
  if (!cls.valid()) return {};
  const std::string& owner = program_.classes()[cls].qualified_name;
  for (const Source& source : sources_) {
    if (source.left_out.contains(field) || (source.cls != cls && !program_.derives_from(source.cls, owner))) continue;
    const program::Field* declared = program_.find_field(source.cls, field);
    if (declared == nullptr || !declared->in_class_body || is_no_field(program_, source.cls, *declared)) continue;
    if (const auto* call = as<Call>(declared->default_value)) {
      if (rules::is_false(rules::keyword_value(*call, "init"))) continue;
      if (rules::is_true(rules::keyword_value(*call, "default"))) continue;
      if (const Expr* metadata = rules::keyword_value(*call, "metadata")) {
        if (std::string named = named_in_metadata(*metadata); !named.empty()) return named;
      }
    }
    const bool is_on = rules::is_true(declared->default_value);
    if (is_on && !source.negates) continue;
    std::string out = (is_on ? "--no-" : "--") + std::string(field);
    std::replace(out.begin() + 2, out.end(), '_', '-');
    return out;
  }
  return {};
}

std::optional<GeneratedArguments::LeftOut> GeneratedArguments::left_out(std::string_view field) const {
  std::optional<LeftOut> out;
  for (const Source& source : sources_) {
    const program::Field* declared = program_.find_field(source.cls, field);
    if (declared == nullptr || !declared->in_class_body) continue;
    if (!source.left_out.contains(field)) return std::nullopt;
    out = LeftOut{source.cls, source.call};
  }
  return out;
}

}  // namespace lockstep::report
