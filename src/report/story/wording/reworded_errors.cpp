#include "report/story/wording/reworded_errors.h"

#include <algorithm>
#include <array>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Python's own exceptions whose one argument is what people read. That of KeyError, StopIteration and SystemExit is a
/// value.
constexpr auto kWithMessage =
    std::to_array<std::string_view>({"ArithmeticError", "AssertionError",     "AttributeError",
                                     "BufferError",     "ConnectionError",    "EOFError",
                                     "Exception",       "FileExistsError",    "FileNotFoundError",
                                     "ImportError",     "IndexError",         "IOError",
                                     "LookupError",     "MemoryError",        "ModuleNotFoundError",
                                     "NameError",       "NotADirectoryError", "NotImplementedError",
                                     "OSError",         "OverflowError",      "PermissionError",
                                     "RecursionError",  "ReferenceError",     "RuntimeError",
                                     "SyntaxError",     "SystemError",        "TimeoutError",
                                     "TypeError",       "ValueError",         "ZeroDivisionError"});

/// A message: a text, plain or with values in it.
bool is_text(const Expr& value) { return is<JoinedStr>(&value) || !rules::text_of(&value).empty(); }

/// The call that makes the exception of one text; null for others.
const Call* worded_error(const Step& step) {
  const auto* raised = as<Raise>(step.node);
  const auto* made = raised == nullptr ? nullptr : as<Call>(raised->exception);
  return made != nullptr && made->arguments.size() == 1 && made->keywords.empty() && is_text(*made->arguments.front())
             ? made
             : nullptr;
}

/// What a message says, however it is laid out.
std::string words_of(const Expr& message, const SourceText& source) {
  const auto* joined = as<JoinedStr>(&message);
  if (joined == nullptr) return std::string(rules::text_of(&message));
  std::string words;
  for (const Expr* part : joined->values) {
    const std::string_view text = rules::text_of(part);
    words += text.empty() ? one_line_whole(source, *part) : std::string(text);
  }
  return words;
}

/// What a message calls or names, sorted.
std::vector<std::string> effects_of(const Expr& message, const SourceText& source) {
  std::vector<std::string> effects;
  walk(message, Nested::kEnter, [&](const Node* node) {
    if (is<Call>(node) || is<NamedExpr>(node) || is<Await>(node)) effects.push_back(one_line_whole(source, *node));
  });
  std::sort(effects.begin(), effects.end());
  return effects;
}

std::string cause_of(const Step& step, const SourceText& source) {
  const Expr* cause = as<Raise>(step.node)->cause;
  return cause == nullptr ? std::string() : one_line_whole(source, *cause);
}

}  // namespace

std::string reworded_error(const Step& before, const SourceText& before_source, const Step& after,
                           const SourceText& after_source) {
  const Call* was = worded_error(before);
  const Call* now = worded_error(after);
  if (was == nullptr || now == nullptr) return {};
  std::string name = dotted_text(now->callee);
  const bool is_alike = name == dotted_text(was->callee) &&
                        std::find(kWithMessage.begin(), kWithMessage.end(), name) != kWithMessage.end() &&
                        cause_of(before, before_source) == cause_of(after, after_source);
  const Expr& old_message = *was->arguments.front();
  const Expr& new_message = *now->arguments.front();
  return is_alike && words_of(old_message, before_source) != words_of(new_message, after_source) &&
                 effects_of(old_message, before_source) == effects_of(new_message, after_source)
             ? name
             : std::string();
}

}  // namespace lockstep::report
