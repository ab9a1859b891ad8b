#include "playbook/sections.h"

#include <algorithm>

#include "base/strings.h"

namespace lockstep::playbook {

namespace {

// Types without members that a flag could name.
bool is_plain_type(std::string_view name) {
  static const std::set<std::string_view> kPlain = {
      "int",      "float",  "str",      "bool",      "bytes",      "None",     "Path",     "Literal",
      "Optional", "Union",  "list",     "List",      "tuple",      "Tuple",    "Sequence", "set",
      "Set",      "Final",  "ClassVar", "Annotated", "Callable",   "torch",    "dtype",    "pathlib",
      "typing",   "object", "tyro",     "conf",      "Positional", "Suppress", "timedelta"};
  return kPlain.contains(name);
}

bool makes_flags(const program::Module& module) {
  const std::string_view text = module.facts->source().bytes();
  for (const std::string_view call : {"tyro.cli(", "jsonargparse", "simple_parsing", "draccus"}) {
    if (contains(text, call)) return true;
  }
  return false;
}

std::vector<std::string> parts_of(std::string_view dotted) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(dotted, '.')) parts.push_back(replace_all(part, "-", "_"));
  return parts;
}

std::string_view last_name(const python::Expr& expression) {
  if (const auto* name = python::as<python::Name>(&expression)) return name->id;
  if (const auto* attribute = python::as<python::Attribute>(&expression)) return attribute->name.text;
  return {};
}

}  // namespace

Sections::Sections(const program::Program& program) : program_(&program) {
  for (const program::Module& module : program.modules()) in_use_ |= makes_flags(module);
  if (!in_use_) return;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::Class& cls = program.classes()[program::ClassId(i)];
    const bool is_config =
        cls.is_dataclass || std::any_of(cls.linearized.begin(), cls.linearized.end(),
                                        [&](program::ClassId one) { return program.classes()[one].is_dataclass; });
    if (!is_config) continue;
    for (const program::Field& field : cls.fields) {
      if (field.in_class_body) by_name_[std::string(field.name)].push_back({program::ClassId(i), &field});
    }
  }
}

void Sections::add_class(program::ClassId cls, Types& types) const {
  std::vector<program::ClassId> open{cls};
  while (!open.empty()) {
    const program::ClassId next = open.back();
    open.pop_back();
    if (!types.classes.insert(next).second) continue;
    // A class of which part lies outside the repository may have any field.
    const program::Class& entry = program_->classes()[next];
    for (const std::string& ancestor : entry.external_ancestors)
      types.open |= ancestor != "object" && !ancestor.starts_with("typing.") && !ancestor.starts_with("abc.");
    for (const program::ClassId below : program_->subclasses_of(next)) open.push_back(below);
  }
}

void Sections::add_expression(const Declared& declared, const python::Expr* expression, Types& types) const {
  if (expression == nullptr) return;
  const program::Class& owner = program_->classes()[declared.owner];
  const program::Module& module = program_->modules()[owner.module];
  if (const auto* constant = python::as<python::Constant>(expression)) {
    if (constant->constant_kind != python::ConstantKind::kStr) return;
    const program::Reference reference = program_->resolve(owner.module, constant->text);
    if (reference.kind == program::Reference::Kind::kClass) return add_class(reference.cls, types);
    types.open |= !is_plain_type(constant->text);
  } else if (const auto* subscript = python::as<python::Subscript>(expression)) {
    if (last_name(*subscript->value) == "Literal") return;
    add_expression(declared, subscript->value, types);
    add_expression(declared, subscript->index, types);
  } else if (const auto* either = python::as<python::BinOp>(expression)) {
    add_expression(declared, either->left, types);
    add_expression(declared, either->right, types);
  } else if (const auto* tuple = python::as<python::Tuple>(expression)) {
    for (const python::Expr* element : tuple->elements) add_expression(declared, element, types);
  } else if (!last_name(*expression).empty()) {
    const program::Reference reference = program_->resolve(module.body, *expression);
    if (reference.kind == program::Reference::Kind::kClass) return add_class(reference.cls, types);
    // A class beside it, in the body of the same class.
    const program::ClassId beside =
        program_->find_class(owner.qualified_name + "." + std::string(last_name(*expression)));
    if (beside.valid()) return add_class(beside, types);
    types.open |= !is_plain_type(last_name(*expression));
  } else {
    types.open = true;
  }
}

void Sections::add_types(const Declared& declared, Types& types) const {
  if (declared.field->annotation == nullptr) types.open = true;
  add_expression(declared, declared.field->annotation, types);
  const auto* made = python::as<python::Call>(declared.field->default_value);
  for (const python::Keyword* keyword : made != nullptr ? made->keywords : python::Seq<python::Keyword>{}) {
    // `field(default_factory=Special.Config)`; other factories give what the annotation says.
    if (keyword->name.text != "default_factory" || last_name(*keyword->value).empty()) continue;
    const program::Module& module = program_->module_of(declared.owner);
    const program::Reference reference = program_->resolve(module.body, *keyword->value);
    if (reference.kind == program::Reference::Kind::kClass) add_class(reference.cls, types);
  }
}

Sections::Types Sections::types_of(const std::vector<Declared>& fields) const {
  Types types;
  for (const Declared& declared : fields) add_types(declared, types);
  return types;
}

// Fields of these classes or of those above them.
std::vector<Sections::Declared> Sections::fields_named(std::string_view name,
                                                       const std::set<program::ClassId>& in) const {
  std::vector<Declared> result;
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return result;
  std::set<program::ClassId> above;
  for (const program::ClassId cls : in) {
    const auto& line = program_->classes()[cls].linearized;
    above.insert(line.begin(), line.end());
  }
  for (const Declared& declared : found->second) {
    if (above.contains(declared.owner)) result.push_back(declared);
  }
  return result;
}

Place Sections::place_of(const Declared& declared) const {
  const program::Module& module = program_->module_of(declared.owner);
  return {module.path, module.facts->source().line_of(declared.field->node->span.begin)};
}

void Sections::find_moved(const std::vector<std::string>& parts, std::size_t missing, SectionAnswer& answer) const {
  const std::string& leaf = parts.back();
  if (missing > 1 || !by_name_.contains(leaf)) return;
  // Sections that stand beside the one that was named; anywhere, where that one is gone.
  std::set<program::ClassId> roots;
  if (missing == 1) {
    for (const Declared& declared : by_name_.find(parts[0])->second) roots.insert(declared.owner);
  }
  std::map<std::string, Place> found;
  std::size_t most = 0;  // classes with that section: what few have is a special case
  for (const auto& [name, fields] : by_name_) {
    std::vector<Declared> sections;
    for (const Declared& declared : fields) {
      if (roots.empty() || roots.contains(declared.owner)) sections.push_back(declared);
    }
    if (sections.empty()) continue;
    const std::vector<Declared> owning = fields_named(leaf, types_of(sections).classes);
    if (owning.empty() || sections.size() < most) continue;
    if (sections.size() > most) found.clear();
    most = sections.size();
    found.emplace(name + "." + leaf, place_of(owning.front()));
  }
  // Many of one name are no answer.
  if (found.empty() || found.size() > 3) return;
  answer.place = found.begin()->second;
  for (const auto& [name, place] : found) answer.moved_to.push_back(name);
}

SectionAnswer Sections::look_up(std::string_view dotted) const {
  SectionAnswer answer;
  const std::vector<std::string> parts = parts_of(dotted);
  if (!in_use_ || parts.size() < 2) return answer;
  std::vector<Declared> at;
  if (const auto found = by_name_.find(parts[0]); found != by_name_.end()) at = found->second;
  std::size_t next = 1;
  if (at.empty()) {
    answer.missing = parts[0];
    find_moved(parts, 0, answer);
    // A section that nobody knows may be another program's, unless its field is known.
    if (!answer.moved_to.empty()) answer.kind = SectionAnswer::Kind::kMissing;
    return answer;
  }
  for (; next < parts.size(); ++next) {
    const Types types = types_of(at);
    const std::string_view part = parts[next];
    std::vector<Declared> inside = fields_named(part, types.classes);
    if (inside.empty() && part.starts_with("no_")) inside = fields_named(part.substr(3), types.classes);
    if (inside.empty()) {
      if (types.open || types.classes.empty()) return answer;
      answer.kind = SectionAnswer::Kind::kMissing;
      answer.place = place_of(at.front());
      answer.found = parts[0];
      for (std::size_t i = 1; i < next; ++i) answer.found += "." + parts[i];
      answer.missing = part;
      if (next + 1 == parts.size()) find_moved(parts, next, answer);
      return answer;
    }
    at = std::move(inside);
  }
  answer.kind = SectionAnswer::Kind::kExists;
  return answer;
}

}  // namespace lockstep::playbook
