#include "change/entity_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "change/align.h"
#include "change/effects.h"
#include "change/names.h"
#include "change/node_hash.h"
#include "change/signature.h"
#include "python/tree_walk.h"

namespace lockstep::change {

namespace {

CodeContext context_of(const FileEntities& file, const Entity& entity) {
  program::FunctionId function = entity.side.function;
  if (!function.valid()) function = file.program->modules()[file.module].body;
  return {file.program, file.source, file.module, function};
}

/// One text that documents or comments, with where it stands.
struct Text {
  std::string normalized;  ///< White space at the ends of lines, and what only indents, is layout.
  Span span;
};

std::string normalized(std::string_view text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) out.append(trim(line)).push_back('\n');
  return std::string(trim(out));
}

class EntityComparer {
 public:
  EntityComparer(const FileEntities& before_file, const Entity& before, const FileEntities& after_file,
                 const Entity& after)
      : files_{&before_file, &after_file},
        entities_{&before, &after},
        contexts_{context_of(before_file, before), context_of(after_file, after)} {}

  std::vector<Difference> run(const ChildPairs& children) {
    compare_headers();
    compare_code();
    compare_order(children);
    compare_texts(DifferenceKind::kDocstringChanged, docstrings(0), docstrings(1));
    compare_texts(DifferenceKind::kCommentsChanged, comments(0), comments(1));
    // Its own name stands in its text, so a renamed entity is never laid out alike.
    const bool same_name = entities_[0]->name == entities_[1]->name || entities_[0]->kind == EntityKind::kModule;
    if (out_.empty() && same_name && own_text(*files_[0], *entities_[0]) != own_text(*files_[1], *entities_[1])) {
      add_places(DifferenceKind::kFormattingChanged, {}, entities_[0]->side.span, entities_[1]->side.span);
    }
    std::ranges::stable_sort(out_, {}, [](const Difference& one) {
      return std::tuple(one.kind, one.after_line ? *one.after_line : one.before_line.value_or(0), one.name);
    });
    return std::move(out_);
  }

 private:
  [[nodiscard]] const SourceText& source(std::size_t side) const { return *files_[side]->source; }

  /// A difference with places but no text.
  void add_places(DifferenceKind kind, std::string name, Span before, Span after) {
    out_.push_back({kind, std::move(name), {}, {}, source(0).line_of(before.begin), source(1).line_of(after.begin)});
  }

  void compare_headers() {
    using python::as;
    const Entity& before = *entities_[0];
    const Entity& after = *entities_[1];
    if (before.kind == EntityKind::kVariable || before.kind == EntityKind::kField) {
      return compare_variables(contexts_[0], before, contexts_[1], after, out_);
    }
    const auto* functions = as<python::FunctionDef>(before.side.node);
    if (functions != nullptr) {
      compare_functions(contexts_[0], *functions, contexts_[1], *as<python::FunctionDef>(after.side.node), out_);
      // What is called on an object no longer, or newly, tells of no parameter that callers give.
      if (before.kind != after.kind) std::erase_if(out_, is_of_receiver);
    }
    const auto* cls = as<python::ClassDef>(before.side.node);
    if (cls != nullptr) {
      compare_classes(contexts_[0], *cls, contexts_[1], *as<python::ClassDef>(after.side.node), out_);
    }
  }

  /// Whether a parameter `self` or `cls` comes, goes, or takes another one's place.
  static bool is_of_receiver(const Difference& one) {
    const auto is_receiver = [](std::string_view text) { return text == "self" || text == "cls"; };
    switch (one.kind) {
      case DifferenceKind::kParameterAdded:
      case DifferenceKind::kParameterRemoved:
      case DifferenceKind::kParameterRenamed:
      case DifferenceKind::kParameterMoved:
      case DifferenceKind::kAnnotationChanged:
        return is_receiver(one.name) || is_receiver(one.before) || is_receiver(one.after);
      default:
        return false;
    }
  }

  [[nodiscard]] std::uint64_t code_hash(std::size_t side, bool without_imports = false) const {
    const NodeHasher hasher(source(side), LeaveOut{true, &files_[side]->variable_statements, false, without_imports});
    return hasher.hash(entities_[side]->body);
  }

  /// What each block of the entity imports: the how manieth block it is, and the names, sorted.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::string>> imports_by_block(std::size_t side) const {
    std::vector<std::pair<std::size_t, std::string>> out;
    std::size_t block_number = 0;
    const auto visit = [&](const auto& self, python::Seq<python::Stmt> block) -> void {
      const std::size_t number = block_number++;
      for (const python::Stmt* statement : block) {
        const auto* from = python::as<python::ImportFrom>(statement);
        const auto* plain = python::as<python::Import>(statement);
        const std::string module =
            from == nullptr ? std::string() : fmt::format("{}:{}.", from->level, from->module.text);
        for (const python::Alias* alias : from != nullptr    ? from->names
                                          : plain != nullptr ? plain->names
                                                             : python::Seq<python::Alias>())
          out.emplace_back(number, fmt::format("{}{} as {}", module, alias->name.text, alias->as_name.text));
        if (from == nullptr && plain == nullptr)
          python::for_each_block(*statement, [&](python::Seq<python::Stmt> inner) { self(self, inner); });
      }
    };
    visit(visit, entities_[side]->body);
    std::sort(out.begin(), out.end());
    return out;
  }

  void compare_code() {
    if (code_hash(0) == code_hash(1)) return;
    const OwnCode before{contexts_[0], entities_[0]->body, &files_[0]->variable_statements};
    const OwnCode after{contexts_[1], entities_[1]->body, &files_[1]->variable_statements};
    Alignment alignment = align(before, after);
    const std::size_t count = out_.size();
    std::ranges::move(alignment.differences, std::back_inserter(out_));
    compare_effects(before, after, alignment, out_);
    if (out_.size() != count) return;
    // The same names are imported: what a formatter sorts and wraps.
    if (code_hash(0, true) == code_hash(1, true) && imports_by_block(0) == imports_by_block(1))
      return add_places(DifferenceKind::kFormattingChanged, {}, entities_[0]->side.span, entities_[1]->side.span);
    if (alignment.reordered[0] == nullptr) {
      return add_places(DifferenceKind::kBodyChanged, {}, entities_[0]->side.span, entities_[1]->side.span);
    }
    add_places(DifferenceKind::kBodyChanged, "order of statements", alignment.reordered[0]->span,
               alignment.reordered[1]->span);
    out_.back().before = quote(source(0), alignment.reordered[0]->span);
    out_.back().after = quote(source(1), alignment.reordered[1]->span);
  }

  /// Where functions without decorators stand among each other is layout; the order of fields, variables, classes and
  /// whatever a decorator registers is not.
  [[nodiscard]] bool order_matters(const Entity& entity) const {
    const auto* def = python::as<python::FunctionDef>(entity.side.node);
    return def == nullptr || !def->decorators.empty();
  }

  void compare_order(const ChildPairs& children) {
    ChildPairs weighty;
    for (const auto& pair : children) {
      const bool matters = order_matters(files_[0]->all[static_cast<std::size_t>(pair.first)]) ||
                           order_matters(files_[1]->all[static_cast<std::size_t>(pair.second)]);
      if (matters) weighty.push_back(pair);
    }
    if (!note_order(weighty, DifferenceKind::kBodyChanged)) note_order(children, DifferenceKind::kFormattingChanged);
  }

  /// `by_before` is sorted by its first members; says where the order by the second ones departs from it, if it does.
  bool note_order(const ChildPairs& by_before, DifferenceKind kind) {
    ChildPairs by_after = by_before;
    std::ranges::sort(by_after, {}, &ChildPairs::value_type::second);
    const auto [i, j] = std::ranges::mismatch(by_before, by_after);
    if (i == by_before.end()) return false;
    const Entity& before = files_[0]->all[static_cast<std::size_t>(i->first)];
    const Entity& after = files_[1]->all[static_cast<std::size_t>(j->second)];
    add_places(kind, "order of definitions", before.side.span, after.side.span);
    return true;
  }

  [[nodiscard]] std::vector<Text> docstrings(std::size_t side) const {
    std::vector<Text> texts;
    for (const python::Constant* one : entities_[side]->docstrings) texts.push_back({normalized(one->text), one->span});
    return texts;
  }

  [[nodiscard]] std::vector<Text> comments(std::size_t side) const {
    std::vector<Text> texts;
    for (const Span span : entities_[side]->comments) {
      texts.push_back({normalized(source(side).slice(span).substr(1)), span});
    }
    return texts;
  }

  /// One difference for all texts of a kind, at the first that differ.
  void compare_texts(DifferenceKind kind, const std::vector<Text>& before, const std::vector<Text>& after) {
    const auto [i, j] = std::ranges::mismatch(before, after, {}, &Text::normalized, &Text::normalized);
    if (i == before.end() && j == after.end()) return;
    auto last_before = before.end(), last_after = after.end();
    while (last_before != i && last_after != j &&
           std::prev(last_before)->normalized == std::prev(last_after)->normalized) {
      --last_before, --last_after;
    }
    Difference difference{kind, {}, {}, {}, {}, {}};
    if (i != last_before) {
      difference.before = quote(source(0), i->span);
      difference.before_line = source(0).line_of(i->span.begin);
    }
    if (j != last_after) {
      difference.after = quote(source(1), j->span);
      difference.after_line = source(1).line_of(j->span.begin);
    }
    out_.push_back(std::move(difference));
  }

  const FileEntities* files_[2];
  const Entity* entities_[2];
  CodeContext contexts_[2];
  std::vector<Difference> out_;
};

}  // namespace

std::vector<Difference> compare_entities(const FileEntities& before_file, const Entity& before,
                                         const FileEntities& after_file, const Entity& after,
                                         const ChildPairs& children) {
  return EntityComparer(before_file, before, after_file, after).run(children);
}

}  // namespace lockstep::change
