// strip-of-prefix: `name.lstrip("module.")` or `path.rstrip(".json")`: strip takes a set of characters, not a prefix or
// suffix, and goes on taking while any of them comes ("module.metric" becomes "tric").
//
// Left out: sets of characters that are meant as such: white space and punctuation, one character, alphabets and
// digits, letters in both cases, units; variables whose names say nothing of a prefix or suffix, or speak of
// characters; numbers that are left over (`int(name.lstrip("step_"))`, at once or by way of a variable); `strip`.

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cctype>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "strip-of-prefix";
constexpr std::size_t kMinLetters = 2;

/// Some letter stands in it as a capital and as a small one: a set (`"vV."`, `"kKmM"`).
bool has_both_cases(std::string_view text) {
  std::bitset<256> there;
  for (const char c : text) there.set(static_cast<unsigned char>(c));
  return std::any_of(text.begin(), text.end(), [&](char c) {
    const char other = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return other != c && there.test(static_cast<unsigned char>(other));
  });
}

/// Letters enough for a word, and no run of digits or letters as sets are written.
bool is_word(std::string_view text) {
  const auto letters =
      std::count_if(text.begin(), text.end(), [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  const std::string lower = to_lower(text);
  return static_cast<std::size_t>(letters) >= kMinLetters && !contains(lower, "0123") && !contains(lower, "abcdef") &&
         !contains(lower, "a-z") && !has_both_cases(text);
}

/// A word with a separator at one end or inside (`module.`, `.json`, `model/`, `_orig_mod.`): nobody writes a set of
/// characters so.
bool is_affix(std::string_view text) {
  constexpr std::string_view kSeparators = "._-/:";
  const auto is_separator = [&](char c) { return kSeparators.find(c) != std::string_view::npos; };
  // `"iB/s"`: units.
  const bool is_unit = text.size() > 2 && text[text.size() - 2] == '/';
  // `".-_aeiou"`: the separators of a set follow one upon another, each once.
  const std::string_view first = text.substr(0, std::min(text.find_first_not_of(kSeparators), text.size()));
  const bool is_set = first.size() > 2 && first[0] != first[1] && first[1] != first[2] && first[0] != first[2];
  return is_word(text) && !is_unit && !is_set && std::any_of(text.begin(), text.end(), is_separator) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_separator(c) || std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

/// A variable or setting whose name says that it holds one.
bool is_named_affix(const Expr& value) {
  const auto* attribute = as<Attribute>(&value);
  const std::string name = to_lower(attribute != nullptr ? attribute->name.text : name_of(&value));
  return (contains(name, "prefix") || contains(name, "suffix")) && !contains(name, "char");
}

/// An f-string that makes an affix with what it fills in (`f"{prefix}."`, `f"{name}_step"`).
bool is_built_affix(const Expr& argument) {
  const auto* joined = as<JoinedStr>(&argument);
  if (joined == nullptr) return false;
  bool fills = false;
  bool says = false;
  for (const Expr* part : joined->values) {
    const auto* filled = as<FormattedValue>(part);
    fills = fills || filled != nullptr;
    says = says || (filled != nullptr ? is_named_affix(*filled->value) : is_word(text_of(part)));
  }
  return fills && says;
}

class FileScan {
 public:
  FileScan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {}

  void run() { enter(facts_.tree()); }

 private:
  /// What a condition asks for: "startswith" or "endswith", and the source of the argument.
  using Asked = std::pair<std::string_view, std::string>;

  /// Goes down the tree; `asked_` holds what the conditions around ask for.
  void enter(const Node& node) {
    const std::size_t known = asked_.size();
    const Node* const outer = function_;
    if (is<FunctionDef>(&node)) function_ = &node;
    descend(node, known);
    function_ = outer;
  }

  void descend(const Node& node, std::size_t known) {
    if (const auto* assign = as<Assign>(&node); assign != nullptr && assign->targets.size() == 1)
      assigned_ = {assign->value, name_of(assign->targets[0])};
    if (const auto* call = as<Call>(&node)) {
      const std::string_view maker = name_of(call->callee);
      // What is left of "checkpoint-100" and "cuda:0" is a number: right as it stands.
      if ((maker == "int" || maker == "float") && !call->arguments.empty()) as_number_ = call->arguments[0];
      check(*call);
    }
    if (const auto* branch = as<If>(&node)) {
      enter(*branch->condition);
      ask(*branch->condition);
      for (const Stmt* statement : branch->body) enter(*statement);
      asked_.resize(known);
      for (const Stmt* statement : branch->orelse) enter(*statement);
      // `if not name.startswith(prefix): continue`: asked for in the rest of the block.
      const auto* negation = as<UnaryOp>(branch->condition);
      if (negation != nullptr && negation->op == UnaryOperator::kNot && !branch->body.empty() &&
          leaves(*branch->body.back()))
        ask(*negation->operand);
      return;
    }
    if (const auto* choice = as<IfExp>(&node)) {
      enter(*choice->condition);
      ask(*choice->condition);
      enter(*choice->body);
      asked_.resize(known);
      return enter(*choice->orelse);
    }
    // Of a comprehension: what its conditions let through.
    for_each_child(node, [&](const Node* child) {
      const auto* generator = as<Comprehension>(child);
      if (generator == nullptr) return;
      for (const Expr* condition : generator->conditions) ask(*condition);
    });
    for_each_child(node, [&](const Node* child) { enter(*child); });
    asked_.resize(known);
  }

  void ask(const Expr& condition) {
    const auto note = [&](const Call& call) {
      const auto* method = as<Attribute>(call.callee);
      if (method == nullptr || call.arguments.size() != 1) return;
      if (method->name.text == "startswith" || method->name.text == "endswith")
        asked_.emplace_back(method->name.text, squeezed(facts_, call.arguments[0]->span));
    };
    if (const auto* whole = as<Call>(&condition)) note(*whole);
    walk_of<Call>(condition, Nested::kSkip, [&](const Call* call) { note(*call); });
  }

  void check(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    if (method == nullptr || call.arguments.size() != 1 || !call.keywords.empty() || as_number_ == &call) return;
    const bool is_left = method->name.text == "lstrip";
    if (!is_left && method->name.text != "rstrip") return;
    const Expr& argument = *call.arguments[0];
    const bool may_be_asked = is_word(text_of(&argument)) || is_named_affix(argument);
    if (!is_affix(text_of(&argument)) && !is_built_affix(argument) &&
        !(may_be_asked && is_asked_for(argument, is_left)))
      return;
    if (assigned_.first == &call && becomes_number(assigned_.second)) return;
    hits_.push_back(
        make_hit(program_, kRule, module_, call.span,
                 {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
                  fmt::format("`{}` takes characters away, not the {} `{}`", method->name.text,
                              is_left ? "prefix" : "suffix", quote(facts_, argument.span)),
                  "It goes on as long as any of these characters comes next, and so takes some of the rest too.",
                  fmt::format("Write `{}` (Python 3.9).", is_left ? "removeprefix" : "removesuffix")}));
  }

  /// `int(rank)` somewhere in the function that gives the variable its value.
  [[nodiscard]] bool becomes_number(std::string_view variable) {
    if (function_ == nullptr || variable.empty()) return false;
    const auto [known, is_new] = numbers_.try_emplace(function_);
    if (is_new) {
      walk_of<Call>(*function_, Nested::kEnter, [&](const Call* call) {
        const std::string_view maker = name_of(call->callee);
        if ((maker == "int" || maker == "float") && !call->arguments.empty())
          known->second.insert(name_of(call->arguments[0]));
      });
    }
    return known->second.contains(variable);
  }

  /// Some condition around asks for just this prefix.
  [[nodiscard]] bool is_asked_for(const Expr& argument, bool is_left) const {
    const Asked wanted(is_left ? "startswith" : "endswith", squeezed(facts_, argument.span));
    return std::find(asked_.begin(), asked_.end(), wanted) != asked_.end();
  }

  const program::Program& program_;
  const program::ModuleId module_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
  std::vector<Asked> asked_;
  const Node* function_ = nullptr;                       ///< Around the node at hand; null in code of the module.
  std::pair<const Expr*, std::string_view> assigned_{};  ///< The last value given to a plain variable, and that.
  const Expr* as_number_ = nullptr;                      ///< The last argument of int or float.
  std::unordered_map<const Node*, std::unordered_set<std::string_view>> numbers_;  ///< By function: what int() takes.
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const std::string_view source = program.modules()[module].facts->source().bytes();
  if (contains(source, "lstrip") || contains(source, "rstrip")) FileScan(program, module, hits).run();
}

}  // namespace

void run_strip_of_prefix(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
