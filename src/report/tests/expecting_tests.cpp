#include "report/tests/expecting_tests.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/module_constants.h"
#include "report/tests/expected_errors.h"
#include "report/tests/test_runner.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// What is known of a text: the parts that are written out, each on a line of its own.
struct Literal {
  std::string text;
  bool has_gaps = false;
  bool is_known = true;
};

/// Of an expression as the function reads it; names stand for no text where that is none.
Literal literal_of(const program::Program& program, FunctionId function, const Expr* expression) {
  const auto literal_of_part = [&](const Expr* part) { return literal_of(program, function, part); };
  const auto with = [](Literal out, const Literal& more) {
    out.text += more.text;
    return Literal{std::move(out.text), out.has_gaps || more.has_gaps, out.is_known && more.is_known};
  };
  if (const auto* constant = as<Constant>(expression))
    return constant->constant_kind == ConstantKind::kStr ? Literal{std::string(constant->text)}
                                                         : Literal{{}, false, false};
  if (const auto* parts = as<JoinedStr>(expression)) {
    Literal out;
    for (const Expr* part : parts->values) {
      const auto* value = as<FormattedValue>(part);
      const auto text = value == nullptr || value->value == nullptr || value->format_spec != nullptr
                            ? std::nullopt
                            : text_of_constant(program, function, *value->value);
      out = with(std::move(out), text               ? Literal{std::string(*text)}
                                 : value != nullptr ? Literal{"\n", true}
                                                    : literal_of_part(part));
    }
    return out;
  }
  if (const auto* sum = as<BinOp>(expression); sum != nullptr && sum->op == BinaryOperator::kAdd)
    return with(literal_of_part(sum->left), literal_of_part(sum->right));
  const auto* call = as<Call>(expression);
  if (call != nullptr && callee_name(*call) == "escape" && call->arguments.size() == 1)
    return literal_of_part(call->arguments.front());
  return {{}, false, false};
}

/// The words of three letters or more that each text of the pattern has; none where it has other ways to be met.
std::vector<std::string> words_of_pattern(std::string_view pattern) {
  constexpr std::size_t kShortest = 3;
  std::vector<std::string> out;
  if (contains(pattern, "|") || contains(pattern, "(?") || contains(pattern, "[")) return out;
  std::string word;
  const auto end = [&](bool is_cut) {
    if (is_cut && !word.empty()) word.pop_back();
    if (word.size() >= kShortest) out.push_back(to_lower(word));
    word.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      end(false);
      ++i;
    } else if (is_name_char(c)) {
      word += c;
    } else {
      end(c == '?' || c == '*' || c == '{');
    }
  }
  end(false);
  return out;
}

/// Words of which messages are made, whatever they say.
bool is_common(std::string_view word) {
  static constexpr std::string_view kCommon[] = {"and", "are",  "but",  "can",  "cannot", "for",    "from",
                                                 "has", "have", "must", "not",  "only",   "should", "that",
                                                 "the", "was",  "when", "with", "without"};
  return std::find(std::begin(kCommon), std::end(kCommon), word) != std::end(kCommon);
}

/// The pattern that the call asks the message to have; null for none.
const Expr* pattern_of(const Call& call) {
  for (const Keyword* keyword : call.keywords) {
    const std::string_view name = keyword->name.text;
    if (name == "match" || name == "expected_regex") return keyword->value;
  }
  return contains(callee_name(call), "Regex") && call.arguments.size() > 1 ? call.arguments[1] : nullptr;
}

/// Whether a text that holds to the pattern of `pytest.raises(…, match=pattern)` may be the message; true where one of
/// both is not known. What stands in for `{…}` in a message of words is taken to be less than a whole pattern.
bool may_be_message(const program::Program& program, const Expr* pattern, const ExpectedRaise& raise) {
  constexpr std::size_t kFewestWords = 2;
  if (pattern == nullptr || raise.message == nullptr) return true;
  const Literal asked = literal_of(program, {}, pattern);
  const Literal said = literal_of(program, raise.leading.front(), raise.message);
  if (!asked.is_known || !said.is_known) return true;
  std::vector<std::string> words = words_of_pattern(asked.text);
  const std::string text = to_lower(said.text);
  const auto is_said = [&](const std::string& word) { return contains(text, word); };
  if (!said.has_gaps) return std::all_of(words.begin(), words.end(), is_said);
  std::erase_if(words, is_common);
  return words.size() < kFewestWords || words_of_pattern(text).size() < kFewestWords ||
         std::any_of(words.begin(), words.end(), is_said);
}

/// Whether the class, or one of several in a tuple or a list, is the error, or one that stands above every error.
bool takes_error(const Expr* expected, std::string_view error) {
  const auto is_taken = [&](const Expr* one) { return takes_error(one, error); };
  if (const auto* all = as<python::Tuple>(expected))
    return std::any_of(all->elements.begin(), all->elements.end(), is_taken);
  if (const auto* all = as<python::List>(expected))
    return std::any_of(all->elements.begin(), all->elements.end(), is_taken);
  const std::string_view name = rules::last_part_of(expected);
  return name == error || name == "Exception" || name == "BaseException";
}

/// Whether the call waits for the error: `pytest.raises(error)`, `self.assertRaises(error)`, `xfail(raises=error)`.
bool waits_for(const program::Program& program, const Call& call, const ExpectedRaise& raise) {
  const bool is_expecting = expects_error(callee_name(call));
  bool takes = is_expecting && !call.arguments.empty() && takes_error(call.arguments.front(), raise.error);
  for (const Keyword* keyword : call.keywords) {
    const std::string_view name = keyword->name.text;
    const bool names_error = name == "raises" || (is_expecting && name == "expected_exception");
    takes = takes || (names_error && takes_error(keyword->value, raise.error));
  }
  return takes && may_be_message(program, pattern_of(call), raise);
}

/// The functions of one test file in whose text, or in that of what they are run with, one of the names stands.
class NamingFunctions {
 public:
  NamingFunctions(const program::Program& program, const program::Module& module, const ExpectedRaise& raise)
      : program_(program), module_(module), names_(raise.named.begin(), raise.named.end()) {
    for (const FunctionId id : raise.leading) naming_.insert(id.value);
    for (bool grows = true; grows;) {
      grows = false;
      for (const FunctionId id : module.functions) {
        if (naming_.contains(id.value) || program.functions()[id].def() == nullptr || !names(id)) continue;
        naming_.insert(id.value);
        names_.insert(program.functions()[id].name);  // Of a helper, or a fixture.
        grows = true;
      }
    }
  }

  [[nodiscard]] bool contains(FunctionId id) const { return naming_.contains(id.value); }

 private:
  [[nodiscard]] bool names(FunctionId id) const {
    bool found = false;
    for_each_name(module_.facts->source().slice(program_.functions()[id].node->span),
                  [&](std::string_view name) { found = found || names_.contains(name); });
    return found;
  }

  const program::Program& program_;
  const program::Module& module_;
  std::unordered_set<std::string_view> names_;
  std::unordered_set<std::uint32_t> naming_;
};

/// Whether a fixture or a set-up of the test has one of the names in its text, or stands in `naming`.
bool is_run_with_naming(const program::Program& program, FunctionId test, const NamingFunctions& naming,
                        const std::vector<std::string_view>& names) {
  const auto& runner = program.derived<TestRunner>();
  std::vector<FunctionId> open{test};
  for (std::size_t next = 0; next < open.size(); ++next) {
    const FunctionId one = open[next];
    const std::string_view text = program.module_of(one).facts->source().slice(program.functions()[one].node->span);
    const auto stands = [&](std::string_view name) { return find_name(text, name) != std::string_view::npos; };
    if (naming.contains(one) || std::any_of(names.begin(), names.end(), stands)) return true;
    for (const FunctionId more : runner.called_for(one)) {
      if (std::find(open.begin(), open.end(), more) == open.end()) open.push_back(more);
    }
  }
  return false;
}

bool expects(const program::Program& program, const program::Module& module, const ExpectedRaise& raise) {
  std::vector<const Call*> waiting;
  walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
    if (waits_for(program, *call, raise)) waiting.push_back(call);
  });
  if (waiting.empty()) return false;
  const NamingFunctions naming(program, module, raise);
  return std::any_of(waiting.begin(), waiting.end(), [&](const Call* call) {
    // Decorators of a function are its own.
    const auto outer = std::find_if(module.functions.begin(), module.functions.end(), [&](FunctionId id) {
      const program::Function& one = program.functions()[id];
      const auto* def = one.def();
      if (def == nullptr || one.enclosing.valid()) return false;
      const auto holds = [&](const Expr* decorator) { return decorator->span.contains(call->span); };
      return def->span.contains(call->span) || std::any_of(def->decorators.begin(), def->decorators.end(), holds);
    });
    return outer == module.functions.end() || naming.contains(*outer) ||
           is_run_with_naming(program, *outer, naming, raise.named);
  });
}

}  // namespace

bool is_expected(const program::Program& program, const ExpectedRaise& raise) {
  return std::any_of(program.modules().begin(), program.modules().end(), [&](const program::Module& module) {
    const auto has = [&](std::string_view name) { return module.facts->has_name(name); };
    return program::is_test_path(module.path) && std::any_of(raise.named.begin(), raise.named.end(), has) &&
           (has(raise.error) || has("Exception") || has("BaseException")) && expects(program, module, raise);
  });
}

}  // namespace lockstep::report
