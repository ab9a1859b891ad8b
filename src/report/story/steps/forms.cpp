#include "report/story/steps/forms.h"

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

void add_names(std::string_view text, std::set<std::string, std::less<>>& out) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end > i) out.emplace(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
}

/// What a reader would look for: names of called functions, of attributes and keys that are set.
void add_subjects(const Node& node, std::set<std::string, std::less<>>& out) {
  const auto target = [&](const Expr* expr) {
    if (const auto* attribute = as<Attribute>(expr)) out.emplace(attribute->name.text);
    const auto* item = as<Subscript>(expr);
    if (item == nullptr) return;
    const std::string_view key = rules::text_of(item->index);
    if (!key.empty()) add_names(key, out);
    // "losses[i] = …": the container.
    if (key.empty()) add_names(dotted_text(item->value), out);
  };
  const auto look_at = [&](const Node* each) {
    if (const auto* call = as<Call>(each)) out.emplace(callee_name(*call));
    if (const auto* assign = as<Assign>(each)) {
      for (const Expr* one : assign->targets) target(one);
    }
    if (const auto* assign = as<AugAssign>(each)) target(assign->target);
    if (const auto* assign = as<AnnAssign>(each)) target(assign->target);
    return true;
  };
  python::walk(node, python::Nested::kEnter, look_at);
  out.erase("");
}

/// Whether nearly all words of what a check tells people stand on added lines: it is told in another way now.
bool is_told_otherwise(const Node& check, const std::set<std::string, std::less<>>& added) {
  constexpr std::size_t kFewWords = 5;
  std::set<std::string, std::less<>> words;
  python::walk(check, python::Nested::kEnter, [&](const Node* node) {
    const auto* text = as<Constant>(node);
    if (text != nullptr && text->constant_kind == ConstantKind::kStr) add_names(text->text, words);
    return true;
  });
  const auto known = static_cast<std::size_t>(
      std::count_if(words.begin(), words.end(), [&](const std::string& word) { return added.contains(word); }));
  return words.size() >= kFewWords && known * 4 >= words.size() * 3;
}

}  // namespace

std::set<std::string, std::less<>> added_names(const DocumentInputs& inputs) {
  std::set<std::string, std::less<>> out;
  for (const change::FileSummary& file : inputs.change->files) {
    if (program::is_test_path(file.file->path())) continue;
    for (const repo::Hunk& hunk : file.file->lines.hunks()) {
      for (const repo::DiffLine& line : hunk.lines) {
        if (line.kind == repo::LineKind::added) add_names(line.text.substr(0, line.text.find('#')), out);
      }
    }
  }
  return out;
}

bool may_have_other_form(const Actor& actor, std::size_t index, const std::set<std::string, std::less<>>& added) {
  const std::vector<Step>& steps = actor.steps.before;
  const std::size_t end = end_of(steps, index);
  std::set<std::string, std::less<>> subjects;
  for (std::size_t i = index; i < end; ++i) {
    if (steps[i].kind != StepKind::kPlain) continue;
    if (is<Raise>(steps[i].node) || is<Assert>(steps[i].node)) return is_told_otherwise(*steps[i].node, added);
    add_subjects(*steps[i].node, subjects);
  }
  return subjects.empty() ||
         std::any_of(subjects.begin(), subjects.end(), [&](const std::string& name) { return added.contains(name); });
}

}  // namespace lockstep::report
