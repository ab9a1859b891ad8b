#include "change/entities.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/strings.h"
#include "change/node_hash.h"
#include "python/main_check.h"
#include "python/tree_walk.h"

namespace lockstep::change {

using namespace python;  // NOLINT: this file is about python's nodes.

namespace {

/// Where the first decorator's "@" stands, or where the definition starts.
std::uint32_t definition_begin(const SourceText& source, const Node& definition, Seq<Expr> decorators) {
  if (decorators.empty()) return definition.span.begin;
  const std::string_view bytes = source.bytes();
  std::uint32_t at = decorators[0]->span.begin;
  while (at > 0 && bytes[at] != '@') --at;
  return at;
}

std::uint32_t last_line_of(const SourceText& source, Span span) {
  return source.line_of(span.end > span.begin ? span.end - 1 : span.begin);
}

class Collector {
 public:
  Collector(const program::Program& program, program::ModuleId module) : module_(program.modules()[module]) {
    file_.program = &program;
    file_.module = module;
    file_.source = &module_.facts->source();
    file_.path = module_.path;
  }

  FileEntities run() {
    const Module& tree = module_.facts->tree();
    Entity root;
    root.kind = EntityKind::kModule;
    root.name = module_.name;
    root.side.qualified_name = module_.name;
    root.side.span = Span{0, static_cast<std::uint32_t>(file_.source->bytes().size())};
    root.side.node = &tree;
    root.side.function = module_.body;
    root.body = tree.body;
    finish_side(root);
    file_.all.push_back(std::move(root));
    visit_block(tree.body, 0, true);
    assign_ordinals();
    assign_comments();
    return std::move(file_);
  }

 private:
  void finish_side(Entity& entity) const {
    entity.side.path = module_.path;
    entity.side.first_line = file_.source->line_of(entity.side.span.begin);
    entity.side.last_line = last_line_of(*file_.source, entity.side.span);
  }

  std::int32_t add(Entity entity, std::int32_t parent) {
    const Entity& owner = file_.all[static_cast<std::size_t>(parent)];
    entity.parent = parent;
    entity.local_name =
        owner.local_name.empty() ? std::string(entity.name) : owner.local_name + "." + std::string(entity.name);
    if (entity.side.qualified_name.empty()) entity.side.qualified_name = module_.name + "." + entity.local_name;
    finish_side(entity);
    const auto index = static_cast<std::int32_t>(file_.all.size());
    file_.all[static_cast<std::size_t>(parent)].children.push_back(index);
    file_.all.push_back(std::move(entity));
    return index;
  }

  [[nodiscard]] EntityKind kind_of(std::int32_t owner) const { return file_.all[static_cast<std::size_t>(owner)].kind; }

  void visit_block(Seq<Stmt> block, std::int32_t owner, bool variables) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Stmt* next = i + 1 < block.size() ? block[i + 1] : nullptr;
      if (variables && visit_variable(*block[i], next, owner)) {
        if (next != nullptr && bare_string(*next) != nullptr) ++i;  // It documents the variable.
        continue;
      }
      visit(*block[i], owner, variables);
    }
  }

  void visit(const Stmt& statement, std::int32_t owner, bool variables) {
    if (const auto* function = as<FunctionDef>(&statement)) return visit_function(*function, owner);
    if (const auto* cls = as<ClassDef>(&statement)) return visit_class(*cls, owner);
    if (const Constant* text = bare_string(statement)) {
      file_.all[static_cast<std::size_t>(owner)].docstrings.push_back(text);
      return;
    }
    if (const auto* global = as<Global>(&statement); global != nullptr && only_reads(*global, owner)) {
      file_.variable_statements.insert(&statement);
      return;
    }
    const auto* branch = as<If>(&statement);
    // What a script's own block assigns are its locals, not variables of the module.
    const bool is_open =
        (branch != nullptr && !is_main_check(*branch->condition)) || is<Try>(&statement) || is<With>(&statement);
    const bool inner = variables && is_open;
    if (const auto* attempt = as<Try>(&statement)) note_definitions(*attempt);
    for_each_block(statement, [&](Seq<Stmt> block) { visit_block(block, owner, inner); });
  }

  /// Whether the function only reads what it declares `global`: it would without the statement.
  [[nodiscard]] bool only_reads(const Global& global, std::int32_t owner) const {
    const Node* function = file_.all[static_cast<std::size_t>(owner)].side.node;
    if (!is<FunctionDef>(function)) return false;
    const auto is_one = [&](std::string_view name) {
      return std::ranges::any_of(global.names, [&](const auto& one) { return one.text == name; });
    };
    bool binds = false;
    walk(*function, Nested::kEnter, [&](const Node* node) {
      const auto* name = as<Name>(node);
      const auto* inner = as<FunctionDef>(node);
      const auto* cls = as<ClassDef>(node);
      binds = binds || is<Import>(node) || is<ImportFrom>(node) || (inner != nullptr && is_one(inner->name.text)) ||
              (cls != nullptr && is_one(cls->name.text)) ||
              (name != nullptr && name->context != ExprContext::kLoad && is_one(name->id));
    });
    return !binds;
  }

  void visit_function(const FunctionDef& def, std::int32_t owner) {
    Entity entity;
    entity.kind = kind_of(owner) == EntityKind::kClass ? EntityKind::kMethod : EntityKind::kFunction;
    entity.name = def.name.text;
    entity.body = def.body;
    entity.side.span = Span{definition_begin(*file_.source, def, def.decorators), def.span.end};
    entity.side.node = &def;
    entity.side.function = file_.program->function_of(&def);
    if (entity.kind == EntityKind::kMethod) entity.side.cls = file_.all[static_cast<std::size_t>(owner)].side.cls;
    if (entity.side.function.valid()) {
      entity.side.qualified_name = file_.program->functions()[entity.side.function].qualified_name;
    }
    const std::int32_t index = add(std::move(entity), owner);
    visit_block(def.body, index, false);
  }

  void visit_class(const ClassDef& def, std::int32_t owner) {
    Entity entity;
    entity.kind = EntityKind::kClass;
    entity.name = def.name.text;
    entity.body = def.body;
    entity.side.span = Span{definition_begin(*file_.source, def, def.decorators), def.span.end};
    entity.side.node = &def;
    entity.side.cls = file_.program->class_of(&def);
    if (entity.side.cls.valid()) {
      entity.side.qualified_name = file_.program->classes()[entity.side.cls].qualified_name;
    }
    const std::int32_t index = add(std::move(entity), owner);
    visit_block(def.body, index, true);
  }

  /// Adds an entity for each plain name that `statement` assigns; false where it is no such statement.
  bool visit_variable(const Stmt& statement, const Stmt* next, std::int32_t owner) {
    if (const auto* annotated = as<AnnAssign>(&statement)) {
      const auto* name = as<Name>(annotated->target);
      if (name == nullptr) return false;
      add_variable(*name, statement, next, owner, annotated->annotation, annotated->value);
    } else if (const auto* assign = as<Assign>(&statement)) {
      // `a = b = 1` defines both; a statement with any other target (a tuple, `x.y`) stays code of its owner.
      if (!std::ranges::all_of(assign->targets, [](const Expr* target) { return is<Name>(target); })) return false;
      if (stands_for_import(*assign)) return false;
      for (const Expr* target : assign->targets) {
        add_variable(*as<Name>(target), statement, next, owner, nullptr, assign->value);
      }
    } else {
      return false;
    }
    file_.variable_statements.insert(&statement);
    return true;
  }

  /// `x = None` where an optional import binds `x`, or what a `try` defines whose handler says so: what the name stands
  /// for is the other.
  [[nodiscard]] bool stands_for_import(const Assign& assign) const {
    const auto* value = as<Constant>(assign.value);
    if (value == nullptr || value->constant_kind != ConstantKind::kNone) return false;
    const auto& imports = module_.facts->imports;
    return std::ranges::all_of(assign.targets, [&](const Expr* target) {
      const std::string_view name = as<Name>(target)->id;
      return std::ranges::any_of(imports, [&](const ImportedName& one) { return one.bound_as == name; }) ||
             std::ranges::any_of(defined_in_try_, [&](const TryDefinition& one) {
               return one.name == name && one.handlers.contains(assign.span);
             });
    });
  }

  void add_variable(const Name& name, const Stmt& statement, const Stmt* next, std::int32_t owner,
                    const Expr* annotation, const Expr* value) {
    Entity entity;
    const bool in_class = kind_of(owner) == EntityKind::kClass;
    entity.kind = in_class ? EntityKind::kField : EntityKind::kVariable;
    entity.name = name.id;
    entity.annotation = annotation;
    entity.value = value;
    entity.side.span = statement.span;
    entity.side.node = &statement;
    if (in_class) entity.side.cls = file_.all[static_cast<std::size_t>(owner)].side.cls;
    if (next != nullptr && bare_string(*next) != nullptr) {
      entity.docstrings.push_back(bare_string(*next));
      entity.side.span.end = next->span.end;
    }
    add(std::move(entity), owner);
  }

  void assign_ordinals() {
    std::map<std::tuple<std::int32_t, EntityKind, std::string_view>, std::uint32_t> seen;
    for (Entity& entity : file_.all) entity.ordinal = seen[{entity.parent, entity.kind, entity.name}]++;
  }

  /// Gives each comment to the innermost entity whose lines hold it. Entities stand in pre-order, so a stack of open
  /// ones suffices. A comment behind the last line of a function is still in that function's line.
  void assign_comments() {
    std::vector<std::size_t> open;
    std::size_t next = 0;
    for (const Comment& comment : module_.facts->file->comments) {
      for (; next < file_.all.size() && file_.all[next].side.span.begin <= comment.span.begin; ++next) {
        close_before(open, file_.all[next].side.span.begin);
        open.push_back(next);
      }
      close_before(open, comment.span.begin);
      if (!open.empty()) file_.all[open.back()].comments.push_back(comment.span);
    }
  }

  void close_before(std::vector<std::size_t>& open, std::uint32_t offset) const {
    const auto holds = [&](const Entity& entity) {
      return offset < entity.side.span.end || file_.source->line_of(offset) == entity.side.last_line;
    };
    while (open.size() > 1 && !holds(file_.all[open.back()])) open.pop_back();
  }

  /// A class or function that a `try` defines, and where its handlers and what follows them stand.
  struct TryDefinition {
    std::string_view name;
    Span handlers;
  };

  void note_definitions(const Try& attempt) {
    const auto note = [&](std::string_view name, Span definition) {
      defined_in_try_.push_back({name, Span{definition.end, attempt.span.end}});
    };
    for (const Stmt* statement : attempt.body) {
      if (const auto* function = as<FunctionDef>(statement)) note(function->name.text, function->span);
      if (const auto* cls = as<ClassDef>(statement)) note(cls->name.text, cls->span);
    }
  }

  const program::Module& module_;
  std::vector<TryDefinition> defined_in_try_;
  FileEntities file_;
};

}  // namespace

FileEntities collect_entities(const program::Program& program, program::ModuleId module) {
  return Collector(program, module).run();
}

std::string own_text(const FileEntities& file, const Entity& entity) {
  std::string text;
  std::uint32_t at = entity.side.span.begin;
  const std::string_view bytes = file.source->bytes();
  for (const std::int32_t child : entity.children) {
    const Span inner = file.all[static_cast<std::size_t>(child)].side.span;
    if (inner.begin > at) text.append(bytes.substr(at, inner.begin - at));
    // A comment behind the last line of the child is the child's.
    const std::size_t line_end = std::min(bytes.find('\n', inner.end), bytes.size());
    const std::string_view tail = trim(bytes.substr(inner.end, line_end - inner.end));
    at = std::max(at, tail.starts_with('#') ? static_cast<std::uint32_t>(line_end) : inner.end);
  }
  if (entity.side.span.end > at) text.append(bytes.substr(at, entity.side.span.end - at));
  const bool holds_definitions = entity.kind == EntityKind::kModule || entity.kind == EntityKind::kClass;
  if (!holds_definitions && entity.children.empty()) return text;
  std::string lines;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    lines.append(line).push_back('\n');
  }
  return lines;
}

}  // namespace lockstep::change
