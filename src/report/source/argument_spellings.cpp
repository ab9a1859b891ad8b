#include "report/source/argument_spellings.h"

#include <algorithm>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Adds all names of an argument where one of them is the one asked for.
void add_names(Seq<Expr> names, std::vector<std::string>& spellings) {
  const auto is_asked_for = [&](const Expr* one) { return rules::text_of(one) == spellings.front(); };
  if (std::none_of(names.begin(), names.end(), is_asked_for)) return;
  for (const Expr* one : names) {
    const std::string_view text = rules::text_of(one);
    if (text.starts_with("--") && std::find(spellings.begin(), spellings.end(), text) == spellings.end())
      spellings.emplace_back(text);
  }
}

bool joins_words(char c) { return c == '-' || c == '_'; }

/// Whether `argument` stands at `at`, `-` and `_` taken for one.
bool stands_at(std::string_view text, std::size_t at, std::string_view argument) {
  if (text.size() - at < argument.size()) return false;
  return std::equal(argument.begin(), argument.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == b || (joins_words(a) && joins_words(b)); });
}

}  // namespace

std::vector<std::string> spellings_of(const program::Program& program, std::string_view argument) {
  std::vector<std::string> out{std::string(argument)};
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path) || !is_quoted_in(module.facts->source().bytes(), argument)) continue;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* call = as<Call>(node); call != nullptr && callee_name(*call) == "add_argument")
        add_names(call->arguments, out);
      const auto* dictionary = as<Dict>(node);
      for (std::size_t i = 0; dictionary != nullptr && i < dictionary->keys.size(); ++i) {
        const auto* names = as<python::List>(dictionary->values[i]);
        if (names != nullptr && rules::text_of(dictionary->keys[i]) == "arg_names") add_names(names->elements, out);
      }
    });
  }
  return out;
}

bool gives_argument(std::string_view text, std::string_view argument) {
  const std::size_t first_word =
      std::min(argument.find_first_of("-_", argument.find_first_not_of('-')), argument.size());
  const std::string_view head = argument.substr(0, first_word);
  for (std::size_t at = find_text(text, head); at != std::string_view::npos; at = find_text(text, head, at + 1)) {
    if (!stands_at(text, at, argument)) continue;
    const std::size_t end = at + argument.size();
    const bool begins = at == 0 || (!is_name_char(text[at - 1]) && text[at - 1] != '-');
    const bool ends = end == text.size() || (!is_name_char(text[end]) && text[end] != '-');
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace lockstep::report
