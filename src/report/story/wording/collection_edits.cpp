#include "report/story/wording/collection_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/edits.h"

namespace lockstep::report {

using namespace python;

namespace {

struct Element {
  std::string key;   ///< What tells it from others: its text, or that of its key.
  std::string text;  ///< All of it.
};

struct Collection {
  bool is_ordered = false;
  bool has_keys = false;
  std::string made_by;  ///< The callee around it; empty where there is none.
  std::vector<Element> elements;
};

std::vector<Element> elements_of(Seq<Expr> all, const SourceText& source) {
  std::vector<Element> out;
  for (const Expr* one : all) out.push_back({one_line_whole(source, *one), one_line_whole(source, *one)});
  return out;
}

/// What is written out; no elements where the value is no such thing.
Collection collection_of(const Expr& value, const SourceText& source) {
  Collection out;
  const Expr* shown = &value;
  if (const auto* call = as<Call>(&value); call != nullptr && call->arguments.size() == 1 && call->keywords.empty()) {
    out.made_by = one_line_whole(source, *call->callee);
    shown = call->arguments.front();
  }
  if (const auto* list = as<python::List>(shown)) {
    out.is_ordered = true;
    out.elements = elements_of(list->elements, source);
  } else if (const auto* tuple = as<Tuple>(shown)) {
    out.is_ordered = true;
    out.elements = elements_of(tuple->elements, source);
  } else if (const auto* set = as<python::Set>(shown)) {
    out.elements = elements_of(set->elements, source);
  } else if (const auto* dict = as<Dict>(shown)) {
    out.has_keys = true;
    for (std::size_t i = 0; i < dict->values.size() && i < dict->keys.size(); ++i) {
      const std::string held = one_line_whole(source, *dict->values[i]);
      if (dict->keys[i] == nullptr) {
        out.elements.push_back({"**" + held, "**" + held});
      } else {
        std::string key = one_line_whole(source, *dict->keys[i]);
        std::string text = fmt::format("{}: {}", key, held);
        out.elements.push_back({std::move(key), std::move(text)});
      }
    }
  }
  return out;
}

std::string named(const std::vector<std::string>& texts, bool has_keys) {
  std::vector<std::string> shown;
  for (const std::string& text : texts) shown.push_back(short_code(text));
  const std::string_view kind = !has_keys ? "" : texts.size() == 1 ? "the entry " : "the entries ";
  return std::string(kind) + join_words(shown);
}

/// "`"a"`, `"b"`, `"c"` and 7 more".
std::string first_keys(const std::vector<std::string>& keys) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMost, keys.size()); ++i) shown.push_back(short_code(keys[i], 40));
  if (keys.size() > kMost) shown.push_back(fmt::format("{} more", keys.size() - kMost));
  return join_words(shown);
}

/// Adds what came to lists and went from them inside of two values; false where the values differ in anything else.
bool add_nested(const Expr& before, const SourceText& before_source, const Expr& after, const SourceText& after_source,
                std::vector<CollectionEdit>& out) {
  if (one_line_whole(before_source, before) == one_line_whole(after_source, after)) return true;
  const auto each_of = [&](Seq<Expr> was, Seq<Expr> now) {
    if (was.size() != now.size()) return false;
    for (std::size_t i = 0; i < was.size(); ++i) {
      if (!add_nested(*was[i], before_source, *now[i], after_source, out)) return false;
    }
    return true;
  };
  const auto* old_list = as<python::List>(&before);
  const auto* new_list = as<python::List>(&after);
  if (old_list != nullptr && new_list != nullptr) {
    if (old_list->elements.size() == new_list->elements.size()) return each_of(old_list->elements, new_list->elements);
    CollectionEdit edit = collection_edit(before, before_source, after, after_source);
    if (edit.added.empty() && edit.gone.empty()) return false;
    out.push_back(std::move(edit));
    return true;
  }
  const auto* old_call = as<Call>(&before);
  const auto* new_call = as<Call>(&after);
  if (old_call == nullptr || new_call == nullptr || old_call->keywords.size() != new_call->keywords.size() ||
      one_line_whole(before_source, *old_call->callee) != one_line_whole(after_source, *new_call->callee) ||
      !each_of(old_call->arguments, new_call->arguments))
    return false;
  for (std::size_t i = 0; i < old_call->keywords.size(); ++i) {
    const Keyword& was = *old_call->keywords[i];
    const Keyword& now = *new_call->keywords[i];
    if (was.name.text != now.name.text || !add_nested(*was.value, before_source, *now.value, after_source, out))
      return false;
  }
  return true;
}

}  // namespace

std::string nested_lists_words(const Expr& before, const SourceText& before_source, const Expr& after,
                               const SourceText& after_source, const std::string& where) {
  std::vector<CollectionEdit> edits;
  if (!add_nested(before, before_source, after, after_source, edits) || edits.empty()) return {};
  const auto is_same = [&](const CollectionEdit& one) {
    return one.added == edits.front().added && one.gone == edits.front().gone;
  };
  if (!std::all_of(edits.begin(), edits.end(), is_same)) return {};
  if (edits.size() == 1) return collection_words(edits.front(), "a list in " + where);
  // Of "it" and "them" the sentence would have to say which.
  if (!edits.front().added.empty() && !edits.front().gone.empty()) return {};
  return collection_words(edits.front(), fmt::format("{} lists in {}", edits.size(), where));
}

CollectionEdit collection_edit(const Expr& before, const SourceText& before_source, const Expr& after,
                               const SourceText& after_source) {
  constexpr std::size_t kMost = 4;
  constexpr std::size_t kMostOfKeys = 40;
  const Collection was = collection_of(before, before_source);
  const Collection now = collection_of(after, after_source);
  if (was.elements.empty() || now.elements.empty() || was.is_ordered != now.is_ordered ||
      was.has_keys != now.has_keys || was.made_by != now.made_by)
    return {};
  std::map<std::string, std::string> held;  // Of the old side, by key.
  for (const Element& one : was.elements) held.emplace(one.key, one.text);
  std::set<std::string> keys;
  std::vector<std::string> added;
  std::vector<std::string> added_keys;
  std::vector<std::string> changed;
  std::vector<std::string> kept_now;
  for (const Element& one : now.elements) {
    if (!keys.insert(one.key).second) return {};
    const auto found = held.find(one.key);
    if (found == held.end()) {
      added.push_back(one.text);
      added_keys.push_back(one.key);
    } else {
      if (found->second != one.text) changed.push_back(one.key);
      kept_now.push_back(one.key);
    }
  }
  std::vector<std::string> gone;
  std::vector<std::string> kept_before;
  for (const Element& one : was.elements) {
    if (keys.contains(one.key)) {
      kept_before.push_back(one.key);
    } else {
      gone.push_back(was.has_keys ? one.key : one.text);
    }
  }
  const bool is_same_order = !was.is_ordered || kept_before == kept_now;
  const std::size_t differing = added.size() + gone.size();
  // Where nothing but a value gave way to another both are told side by side.
  if (kept_now.empty() || !is_same_order || differing == 0 || changed.size() > kMost) return {};
  if (differing > kMost && (!now.has_keys || differing > kMostOfKeys)) return {};
  return {std::move(added), std::move(gone), std::move(changed), std::move(added_keys), now.has_keys};
}

std::string collection_words(const CollectionEdit& edit, const std::string& target) {
  constexpr std::size_t kFew = 2;
  const auto named_all = [&](const std::vector<std::string>& texts, const std::vector<std::string>& keys) {
    return texts.size() > kFew && edit.has_keys ? fmt::format("{} entries, {},", texts.size(), first_keys(keys))
                                                : named(texts, edit.has_keys);
  };
  std::string out =
      edit.added.empty() ? std::string() : fmt::format("adds {} to {}", named_all(edit.added, edit.added_keys), target);
  if (!edit.gone.empty())
    out = out.empty() ? fmt::format("takes {} out of {}", named_all(edit.gone, edit.gone), target)
                      : fmt::format("{}, and takes {} out of it", out, named_all(edit.gone, edit.gone));
  if (edit.changed.empty() || out.empty()) return out;
  return fmt::format("{}; gives {} {} there", out, first_keys(edit.changed),
                     edit.changed.size() == 1 ? "another value" : "other values");
}

}  // namespace lockstep::report
