// strip-of-prefix: `name.lstrip("module.")` or `path.rstrip(".json")`: strip takes a set of characters, not a prefix or
// suffix, and goes on taking while any of them comes ("module.metric" becomes "tric").
//
// Left out: sets of characters that are meant as such: white space and punctuation, one character, alphabets; `strip`.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "strip-of-prefix";
constexpr std::size_t kMinLetters = 2;

/// A word with a separator at one end or inside (`module.`, `.json`, `model/`, `_orig_mod.`): nobody writes a set of
/// characters so.
bool is_affix(std::string_view text) {
  constexpr std::string_view kSeparators = "._-/:";
  std::size_t letters = 0;
  bool separated = false;
  for (const char c : text) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    const bool is_separator = kSeparators.find(c) != std::string_view::npos;
    if (!is_letter && !is_separator && std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
    letters += is_letter ? 1 : 0;
    separated = separated || is_separator;
  }
  // "a-z" and the like describe a set.
  return separated && letters >= kMinLetters && text.find("a-z") == std::string_view::npos &&
         text.find("A-Z") == std::string_view::npos;
}

/// An f-string whose own texts make an affix with what it fills in (`f"{prefix}."`).
bool is_built_affix(const Expr& argument) {
  const auto* joined = as<JoinedStr>(&argument);
  return joined != nullptr && std::any_of(joined->values.begin(), joined->values.end(),
                                          [](const Expr* part) { return is<FormattedValue>(part); });
}

/// The test that holds where `call` stands asks `startswith` / `endswith` of the same argument.
bool asks_for(const Expr& condition, std::string_view method, const FileFacts& facts, const Expr& argument) {
  const auto asks = [&](const Call& call) {
    const auto* asked = as<Attribute>(call.callee);
    return asked != nullptr && asked->name.text == method && call.arguments.size() == 1 &&
           squeezed(facts, call.arguments[0]->span) == squeezed(facts, argument.span);
  };
  const auto* whole = as<Call>(&condition);
  bool found = whole != nullptr && asks(*whole);
  walk_of<Call>(condition, Nested::kSkip, [&](const Call* call) { found = found || asks(*call); });
  return found;
}

class FileScan {
 public:
  FileScan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {}

  void run() {
    walk(facts_.tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* call = as<Call>(node)) check(*call);
    });
  }

 private:
  void check(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    if (method == nullptr || call.arguments.size() != 1 || !call.keywords.empty()) return;
    const bool is_left = method->name.text == "lstrip";
    if (!is_left && method->name.text != "rstrip") return;
    const Expr& argument = *call.arguments[0];
    const bool is_one = text_of(&argument).size() == 1;
    if (is_one || (!is_affix(text_of(&argument)) && !is_built_affix(argument) && !is_asked_for(call, is_left))) return;
    hits_.push_back(
        make_hit(program_, kRule, module_, call.span,
                 {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
                  fmt::format("`{}` takes characters away, not the {} `{}`", method->name.text,
                              is_left ? "prefix" : "suffix", quote(facts_, argument.span)),
                  "It goes on as long as any of these characters comes next, and so takes some of the rest too.",
                  fmt::format("Write `{}` (Python 3.9).", is_left ? "removeprefix" : "removesuffix")}));
  }

  /// Some condition around asks for just this prefix.
  [[nodiscard]] bool is_asked_for(const Call& call, bool is_left) const {
    const std::string_view asks = is_left ? "startswith" : "endswith";
    bool found = false;
    const auto look = [&](const Expr& condition, Span span) {
      found = found || (span.contains(call.span.begin) && asks_for(condition, asks, facts_, *call.arguments[0]));
    };
    walk(facts_.tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* branch = as<If>(node)) look(*branch->condition, branch->span);
      if (const auto* choice = as<IfExp>(node)) look(*choice->condition, choice->span);
      if (const auto* all = as<ListComp>(node)) {
        for (const Comprehension* each : all->generators) {
          for (const Expr* condition : each->conditions) look(*condition, all->span);
        }
      }
    });
    return found;
  }

  const program::Program& program_;
  const program::ModuleId module_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  FileScan(program, module, hits).run();
}

}  // namespace

void run_strip_of_prefix(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
