// collected-not-read: a local list, dict or set that a function fills and never reads, or a local that it only counts
// up: either something else is read in its place, or the work is for nothing.
//
// Left out: what is kept so that it lives on (handles, references, memory held on purpose, by its name; tasks,
// processes, files, tensors, objects of classes, by the call that makes them), names that start with an underscore,
// what a comment or a text in the function mentions too (debugging that was switched off), functions that read their
// locals by name (`locals()`, `eval`), tests.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/names/mentions.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"
#include "rules/syntax/word_tables.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "collected-not-read";
// Words in the names of what is kept for its own sake: dropping it is what would do something.
constexpr auto kKept = std::to_array<std::string_view>(
    {"keep",       "keeps",   "kept",    "alive", "hold",   "holder",  "held",    "ref",     "refs",  "reference",
     "references", "handle",  "handles", "hook",  "hooks",  "dummy",   "garbage", "ballast", "block", "blocks",
     "buffer",     "buffers", "cache",   "trash", "waste",  "guard",   "guards",  "lock",    "locks", "pool",
     "tmp",        "temp",    "unused",  "leak",  "leaked", "ignored", "warmup",  "dump"});

// Calls that make something which works, or takes memory, as long as it is held.
constexpr auto kMakesSomething = std::to_array<std::string_view>(
    {"create_task", "ensure_future", "remote", "submit", "start", "spawn", "open", "empty", "zeros", "ones", "full",
     "rand", "randn", "randint", "empty_like", "zeros_like", "ones_like", "empty_strided"});

/// `asyncio.create_task(…)`, `Actor.remote()`, `Thread(…)`, `torch.empty(…)`, `NamedTemporaryFile()`: classes by their
/// capital letter.
bool makes_something(const Expr* value) {
  const auto* call = as<Call>(value);
  if (call == nullptr) return false;
  const std::string_view name = last_part_of(call->callee);
  return has(kMakesSomething, name) || (!name.empty() && std::isupper(static_cast<unsigned char>(name[0])) != 0);
}

bool is_kept(std::string_view name) {
  const auto words = split(name, '_');
  return name.starts_with('_') ||
         std::any_of(words.begin(), words.end(), [](std::string_view word) { return has(kKept, word); });
}

/// What one function does with its locals.
class FunctionScan : FunctionView {
 public:
  FunctionScan(const program::Program& program, const ScopeNames& names, program::FunctionId function,
               std::vector<Hit>& hits)
      : FunctionView(program, function, hits), names_(names) {}

  void run() {
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (scope == facts_.scope_of_node.end() || row_.def() == nullptr) return;
    for (const Binding& binding : facts_.scopes[scope->second].bindings) {
      if (binding.kind == BindingKind::kAssign) locals_.try_emplace(binding.name, &binding);
    }
    std::erase_if(locals_, [&](const auto& each) { return !is_collector(scope->second, each.first); });
    if (locals_.empty()) return;
    count_uses();
    std::erase_if(locals_, [&](const auto& each) {
      const Uses& uses = uses_[each.first];
      return uses.fills == 0 || uses.fills != uses.all || keeps_something(uses);
    });
    if (locals_.empty()) return;
    std::vector<std::string_view> names;
    for (const auto& each : locals_) names.push_back(each.first);
    const std::string_view source = facts_.source().bytes().substr(row_.node->span.begin, row_.node->span.size());
    const auto times = times_written(source, names);
    for (const auto& [name, first] : locals_) {
      const Uses& uses = uses_[name];
      if (uses.names == times.at(name)) report(name, *first, *uses.last);
    }
  }

 private:
  /// An empty container or a zero: what collecting and counting start from.
  [[nodiscard]] bool is_start(const Expr* value) const {
    if (const auto* list = as<List>(value)) return list->elements.empty();
    if (const auto* dict = as<Dict>(value)) return dict->values.empty();
    if (const auto* call = as<Call>(value)) {
      const std::string_view maker = name_of(call->callee);
      const bool is_empty = call->keywords.empty() && (call->arguments.empty() || maker == "defaultdict");
      return is_empty && makes_container(maker) && is_python_own(*call->callee, maker);
    }
    const auto* number = as<Constant>(value);
    return number != nullptr && number->constant_kind == ConstantKind::kInt && number->text == "0";
  }

  /// The name of a maker stands for the builtin, or for the class of `collections`.
  [[nodiscard]] bool is_python_own(const Expr& callee, std::string_view maker) const {
    const program::Reference named = program_.resolve(program_.function_of(row_.node), callee);
    if (named.kind == program::Reference::Kind::kExternal)
      return named.name.starts_with("collections.") || named.name.starts_with("builtins.") || named.name == maker;
    const bool is_builtin = maker == "list" || maker == "dict" || maker == "set";
    return named.kind == program::Reference::Kind::kUnknown && is_builtin;
  }

  struct Uses {
    std::size_t all = 0;    ///< Every mention but those that bind it, and `name += …`.
    std::size_t fills = 0;  ///< Of these, statements that only put something in.
    std::size_t names = 0;  ///< All mentions in code, those that bind it among them.
    const Node* last = nullptr;
    bool holds = false;                    ///< Something goes in that does its work by being held.
    std::vector<std::string_view> held{};  ///< Names of variables that go in.
  };

  [[nodiscard]] bool keeps_something(const Uses& uses) const {
    return uses.holds ||
           std::any_of(uses.held.begin(), uses.held.end(), [&](std::string_view name) { return made_.contains(name); });
  }

  /// Every binding in the function starts or grows it, and the name says nothing of keeping.
  [[nodiscard]] bool is_collector(ScopeId scope, std::string_view name) const {
    const auto& bindings = names_.bindings(scope, name);
    const auto& own = facts_.scopes[scope];
    const bool is_shared =
        std::find(own.global_names.begin(), own.global_names.end(), name) != own.global_names.end() ||
        std::find(own.nonlocal_names.begin(), own.nonlocal_names.end(), name) != own.nonlocal_names.end();
    return !is_shared && !is_kept(name) && std::all_of(bindings.begin(), bindings.end(), [&](const Binding* each) {
      if (each->kind == BindingKind::kAugAssign) return true;
      const auto* assign = as<Assign>(each->owner);
      const auto* annotated = as<AnnAssign>(each->owner);
      if (assign != nullptr)
        return assign->targets.size() == 1 && is<Name>(assign->targets[0]) && is_start(assign->value);
      return annotated != nullptr && is_start(annotated->value);
    });
  }

  void count_uses() {
    walk(*row_.node, Nested::kEnter, [&](const Node* node) {
      if (const auto* name = as<Name>(node)) {
        const auto at = locals_.find(name->id);
        if (at != locals_.end()) ++uses_[name->id].names;
        if (at != locals_.end() && name->context != ExprContext::kStore) ++uses_[name->id].all;
        reads_locals_ =
            reads_locals_ || name->id == "locals" || name->id == "eval" || name->id == "exec" || name->id == "vars";
      } else if (const auto* alone = as<ExprStmt>(node)) {
        const auto* call = as<Call>(alone->value);
        const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
        if (method == nullptr || (!fills(method->name.text) && method->name.text != "clear")) return;
        fill(*method->value, *node);
        for (const Expr* argument : call->arguments) hold(*method->value, *argument);
      } else if (const auto* assign = as<Assign>(node)) {
        for (const Expr* target : assign->targets) {
          if (is<Subscript>(target)) fill(*target, *node), hold(*target, *assign->value);
        }
        if (makes_something(assign->value)) made_.insert(name_of(assign->targets[0]));
      } else if (const auto* augmented = as<AugAssign>(node)) {
        fill(*augmented->target, *node);
      }
    });
    if (reads_locals_) locals_.clear();
  }

  /// "items" of `items` and `items[…][…]`.
  static std::string_view filled_name(const Expr& place) {
    const Expr* at = &place;
    while (const auto* part = as<Subscript>(at)) at = part->value;
    return name_of(at);
  }

  /// `value` goes into the place: held there, what it makes goes on.
  void hold(const Expr& place, const Expr& value) {
    if (makes_something(&value)) uses_[filled_name(place)].holds = true;
    if (is<Name>(&value)) uses_[filled_name(place)].held.push_back(name_of(&value));
  }

  /// `items` or `items[…][…]`, stored to or filled.
  void fill(const Expr& place, const Node& statement) {
    const std::string_view name = filled_name(place);
    if (name.empty() || !locals_.contains(name)) return;
    Uses& uses = uses_[name];
    ++uses.fills;
    if (is<AugAssign>(&statement) && is<Name>(&place)) ++uses.all;  // Its target is a store, not a read.
    uses.last = &statement;
  }

  void report(std::string_view name, const Binding& first, const Node& last) {
    const auto* assign = as<Assign>(first.owner);
    const auto* annotated = as<AnnAssign>(first.owner);
    const bool is_counted = is<Constant>(assign != nullptr ? assign->value : annotated->value);
    Hit hit = make_hit(program_, kRule, row_.module, first.name_span,
                       {Severity::kP3, FindingCertainty::kLikely, Category::kMaintainability,
                        fmt::format("`{}` is {} here and never read", name, is_counted ? "counted" : "filled"),
                        "Either something else is read where this was meant, or the work is for nothing.",
                        fmt::format("Read `{}` where it was meant to be read, or remove it.", name)});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, last.span, "the last of what goes in"));
    hits_.push_back(std::move(hit));
  }

  const ScopeNames& names_;
  std::unordered_map<std::string_view, const Binding*> locals_;
  std::unordered_map<std::string_view, Uses> uses_;
  std::unordered_set<std::string_view> made_;  ///< Variables given something that a call makes.
  bool reads_locals_ = false;
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const ScopeNames names(*program.modules()[module].facts);
  for (const program::FunctionId function : program.modules()[module].functions)
    FunctionScan(program, names, function, hits).run();
}

}  // namespace

void run_collected_not_read(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
