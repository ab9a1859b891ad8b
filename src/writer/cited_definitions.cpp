// What both sides define: members of classes, signatures, and where definitions lie.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "program/module_names.h"
#include "rules/names/attributes_of_class.h"
#include "writer/cited_sides.h"

namespace lockstep::writer {

namespace {

constexpr int kMostBases = 8;
constexpr int kMostStars = 4;  // modules that import everything from each other

// Whether the text of a class may give its objects the member: it defines it, reads it of itself, or names it in a
// string. `other.member` and a call of `member(…)` say nothing of the class.
bool text_has_member(std::string_view text, std::string_view cls, std::string_view member) {
  bool found = false;
  for_each_word(text, [&](std::string_view word, std::size_t offset) {
    if (found || word != member) return;
    const std::string_view lead = text.substr(0, offset);
    if (lead.ends_with('.')) {
      const std::string_view before = lead.substr(0, lead.size() - 1);
      found = before.ends_with(')') || before.ends_with(']');
      for (const std::string_view own : {std::string_view("self"), std::string_view("cls"), cls})
        found = found || before.ends_with(own);
      return;
    }
    const std::string_view behind = text.substr(offset + word.size());
    found = !behind.starts_with('(') || trim(lead.substr(lead.rfind('\n') + 1)).ends_with("def") ||
            trim(lead.substr(lead.rfind('\n') + 1)).ends_with("class");
  });
  return found;
}

// What classes of the standard library and of torch, from which others derive without taking much along, have.
constexpr std::array<std::string_view, 16> kPlainBases = {"object",
                                                          "builtins.object",
                                                          "abc.ABC",
                                                          "typing.Protocol",
                                                          "typing.Generic",
                                                          "enum.Enum",
                                                          "builtins.Exception",
                                                          "Exception",
                                                          "builtins.ValueError",
                                                          "builtins.RuntimeError",
                                                          "torch.autograd.Function",
                                                          "torch.autograd.function.Function",
                                                          "torch.utils.data.Dataset",
                                                          "torch.utils.data.dataset.Dataset",
                                                          "torch.utils.data.IterableDataset",
                                                          "torch.utils.data.Sampler"};
constexpr std::array<std::string_view, 28> kPlainMembers = {"name",
                                                            "value",
                                                            "args",
                                                            "with_traceback",
                                                            "add_note",
                                                            "forward",
                                                            "backward",
                                                            "apply",
                                                            "jvp",
                                                            "vjp",
                                                            "vmap",
                                                            "setup_context",
                                                            "register",
                                                            "save_for_backward",
                                                            "save_for_forward",
                                                            "mark_dirty",
                                                            "mark_non_differentiable",
                                                            "set_materialize_grads",
                                                            "saved_tensors",
                                                            "needs_input_grad",
                                                            "saved_variables",
                                                            "materialize_grads",
                                                            "dirty_tensors",
                                                            "non_differentiable",
                                                            "to_save",
                                                            "generate_vmap_rule",
                                                            "next_functions",
                                                            "metadata"};

bool is_one_of(std::string_view text, const auto& all) { return std::find(all.begin(), all.end(), text) != all.end(); }

}  // namespace

void CitedSides::add_definitions(const program::Program& program) {
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::ClassId id(i);
    const program::Class& cls = program.classes()[id];
    classes_[std::string(cls.name)].push_back({&program, id});
    names_.emplace(cls.name);
    for (const program::Field& field : cls.fields) names_.emplace(field.name);
  }
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::FunctionId id(i);
    const program::Function& function = program.functions()[id];
    names_.emplace(function.name);
    if (function.name.starts_with("<lambda")) lambdas_.push_back(function.qualified_name);
    if (function.def() != nullptr) functions_[std::string(function.name)].push_back({&program, id});
  }
}

bool CitedSides::has_lambda(std::string_view name) const {
  return std::any_of(lambdas_.begin(), lambdas_.end(), [&](std::string_view one) {
    return one == name || (one.ends_with(name) && one[one.size() - name.size() - 1] == '.');
  });
}

bool CitedSides::file_has(std::string_view path, std::string_view word) const {
  for (const CitedSide side : {CitedSide::kAfter, CitedSide::kBefore}) {
    const CitedFile* known = has_file(side, path) ? file(side, path) : nullptr;
    if (known != nullptr && known->has_word(word)) return true;
  }
  // A star takes no private names along.
  return !word.starts_with('_') &&
         std::any_of(programs_.begin(), programs_.end(), [&](const program::Program* program) {
           const program::ModuleId module = program->find_path(path);
           return module.valid() && stars_have(*program, module, word, 0);
         });
}

bool CitedSides::stars_have(const program::Program& program, program::ModuleId module, std::string_view word,
                            int depth) const {
  const program::Module& row = program.modules()[module];
  return std::any_of(row.facts->imports.begin(), row.facts->imports.end(), [&](const python::ImportedName& import) {
    if (import.name != "*") return false;
    const program::ModuleId target = program.find_module(program::absolute_name(row, import.level, import.module));
    if (!target.valid() || target == module) return false;
    bool found = false;
    for_each_word(program.modules()[target].facts->source().bytes(),
                  [&](std::string_view one, std::size_t) { found = found || one == word; });
    return found || (depth < kMostStars && stars_have(program, target, word, depth + 1));
  });
}

bool CitedSides::class_has(const ClassPlace& place, std::string_view member, int depth) const {
  const program::Class& cls = place.program->classes()[place.id];
  const SourceText& source = place.program->module_of(place.id).facts->source();
  if (depth > kMostBases || text_has_member(source.slice(cls.node->span), cls.name, member)) return true;
  const auto is_known = [&](const std::string& base) {
    const bool is_module = base == "torch.nn.Module" || base == "torch.nn.modules.module.Module";
    return (is_one_of(base, kPlainBases) && !member.starts_with("__") && !is_one_of(member, kPlainMembers)) ||
           (is_module && !member.starts_with("__") && !rules::is_member_of_nn_module(member));
  };
  const bool knows_all = std::all_of(cls.external_bases.begin(), cls.external_bases.end(), is_known) &&
                         cls.bases.size() + cls.external_bases.size() >= cls.node->bases.size();
  // A class from outside, or a base that could not be resolved, may have anything; what nothing in the repository uses
  // as a member, and what is a word of its prose alone, it is not believed to have.
  if (!knows_all && (member.starts_with("__") || names_.contains(member) || has_word(fmt::format(".{}", member))))
    return true;
  return std::any_of(cls.bases.begin(), cls.bases.end(), [&](program::ClassId base) {
    return class_has({place.program, base}, member, depth + 1);
  });
}

bool CitedSides::may_have_member(std::string_view cls, std::string_view member) const {
  const auto found = classes_.find(cls);
  if (found == classes_.end()) return true;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const ClassPlace& place) { return class_has(place, member, 0); });
}

std::vector<CitedSignature> CitedSides::signatures_of(std::string_view name, std::string_view owner) const {
  std::vector<CitedSignature> signatures;
  const auto found = functions_.find(name);
  if (found == functions_.end()) return signatures;
  for (const FunctionPlace& place : found->second) {
    const program::Function& function = place.program->functions()[place.id];
    const std::string_view cls = function.owner.valid() ? place.program->classes()[function.owner].name : "";
    if (!owner.empty() && cls != owner) continue;
    const program::Module& module = place.program->module_of(place.id);
    const SourceText& source = module.facts->source();
    CitedSignature signature;
    signature.place = fmt::format("{}:{}", module.path, source.line_of(function.def()->span.begin) + 1);
    for (const python::Parameter* parameter : function.def()->parameters->all) {
      signature.takes_any = signature.takes_any || parameter->parameter_kind == python::Parameter::Kind::kVarKeywords;
      const python::Expr* value = parameter->default_value;
      signature.parameters.push_back(
          {std::string(parameter->name.text), value == nullptr ? "" : std::string(source.slice(value->span))});
    }
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

bool CitedSides::defines_function(std::string_view path, std::size_t line) const {
  const std::vector<std::string> paths = files_named(path);
  return std::any_of(programs_.begin(), programs_.end(), [&](const program::Program* program) {
    return std::any_of(paths.begin(), paths.end(), [&](const std::string& one) {
      const program::ModuleId module = program->find_path(one);
      if (!module.valid()) return false;
      const program::Module& row = program->modules()[module];
      const auto begins = [&](Span span) { return row.facts->source().line_of(span.begin) + std::size_t{1} == line; };
      return std::any_of(row.functions.begin(), row.functions.end(),
                         [&](program::FunctionId id) { return begins(program->functions()[id].node->span); }) ||
             std::any_of(row.classes.begin(), row.classes.end(),
                         [&](program::ClassId id) { return begins(program->classes()[id].node->span); });
    });
  });
}

}  // namespace lockstep::writer
