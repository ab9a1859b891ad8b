#include "report/story/steps/choice_chains.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "change/node_hash.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/wording/operands.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostAlternatives = 24;

/// Whether a condition only asks: calls that by their name do are taken at their word.
bool only_asks(const Expr& condition) {
  bool asks = true;
  const auto look = [&](const Node* node) {
    if (is<NamedExpr>(node) || is<Await>(node) || is<Yield>(node)) asks = false;
    const auto* call = as<Call>(node);
    if (call == nullptr) return;
    constexpr std::string_view kAsking[] = {"isinstance", "hasattr",  "getattr",    "callable", "len",
                                            "get",        "lower",    "upper",      "all",      "any",
                                            "startswith", "endswith", "issubclass", "size",     "dim"};
    const std::string_view name = callee_name(*call);
    asks = asks && (name.starts_with("is_") || name.starts_with("has_") || name.starts_with("_is_") ||
                    std::find(std::begin(kAsking), std::end(kAsking), name) != std::end(kAsking));
  };
  look(&condition);
  walk(condition, Nested::kEnter, look);
  return asks;
}

/// Assigned names of a plain `x = …`; nothing for other statements.
std::optional<std::string_view> name_set(const Stmt& statement) {
  const auto* assign = as<Assign>(&statement);
  const auto* name = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Name>(assign->targets.front());
  return name == nullptr ? std::nullopt : std::optional<std::string_view>(name->id);
}

/// Whether anything below the `if` asks for one of the names.
bool asks_for(const If& branch, const std::set<std::string_view>& names) {
  bool asks = false;
  walk_of<Name>(*branch.condition, Nested::kEnter, [&](const Name* name) { asks = asks || names.contains(name->id); });
  if (const auto* own = as<Name>(branch.condition)) asks = asks || names.contains(own->id);
  const auto* next = branch.orelse.empty() ? nullptr : as<If>(branch.orelse.back());
  return asks || (next != nullptr && asks_for(*next, names));
}

/// Where the block of each `if` goes on behind it.
class Flattener {
 public:
  std::vector<Alternative> run(const If& head, Seq<Stmt> following) {
    arms(head, following);
    if (goes_on_) out_.clear();
    return std::move(out_);
  }

 private:
  void arms(const If& branch, Seq<Stmt> following) {
    Alternative one;
    one.condition = branch.condition;
    one.branch = &branch;
    one.body = branch.body;
    one.prepared = prepared_;
    all_leave_ = all_leave_ && !branch.body.empty() && rules::ends_block(*branch.body.back());
    out_.push_back(std::move(one));
    if (out_.size() > kMostAlternatives) return;
    if (branch.orelse.empty()) {
      rest(following);
      return;
    }
    // An `if` that is the last of an `else`, behind what only sets locals for it.
    const auto* inner = as<If>(branch.orelse.back());
    std::vector<const Stmt*> first;
    std::set<std::string_view> names;
    for (std::size_t i = 0; inner != nullptr && i + 1 < branch.orelse.size(); ++i) {
      const std::optional<std::string_view> name = name_set(*branch.orelse[i]);
      if (!name) inner = nullptr;
      if (name) names.insert(*name);
      first.push_back(branch.orelse[i]);
    }
    if (inner != nullptr && !asks_for(*inner, names)) {
      prepared_.insert(prepared_.end(), first.begin(), first.end());
      arms(*inner, following);
      return;
    }
    last(branch.orelse);
  }

  /// What is left where no condition holds and no `else` is there.
  void rest(Seq<Stmt> following) {
    if (all_leave_ && !following.empty()) {
      const auto* next = as<If>(following.front());
      if (next != nullptr && !next->body.empty() && rules::ends_block(*next->body.back())) {
        arms(*next, following.subspan(1));
        return;
      }
      if (is<Return>(following.front()) || is<Raise>(following.front())) {
        last(following.subspan(0, 1));
        return;
      }
      goes_on_ = true;  // What follows is what happens where none holds: more than one thing.
    }
    last({});
  }

  void last(Seq<Stmt> body) {
    Alternative one;
    one.body = body;
    one.prepared = prepared_;
    out_.push_back(std::move(one));
  }

  std::vector<Alternative> out_;
  std::vector<const Stmt*> prepared_;
  bool all_leave_ = true;
  bool goes_on_ = false;
};

/// An `if` that may begin a chain, with what follows it in its block.
struct Head {
  const If* branch;
  Seq<Stmt> following;
  bool goes_on = false;  ///< It is all that is left where another one does not hold: `elif`, the last of an `else`.
};

void add_heads(Seq<Stmt> block, bool is_else, std::vector<Head>& out);

/// The blocks of a statement, without definitions.
void add_heads_of(const Stmt& statement, std::vector<Head>& out) {
  if (const auto* branch = as<If>(&statement)) {
    add_heads(branch->body, false, out);
    add_heads(branch->orelse, true, out);
  } else if (const auto* each = as<For>(&statement)) {
    add_heads(each->body, false, out);
    add_heads(each->orelse, false, out);
  } else if (const auto* loop = as<While>(&statement)) {
    add_heads(loop->body, false, out);
    add_heads(loop->orelse, false, out);
  } else if (const auto* with = as<With>(&statement)) {
    add_heads(with->body, false, out);
  } else if (const auto* attempt = as<Try>(&statement)) {
    add_heads(attempt->body, false, out);
    for (const ExceptHandler* handler : attempt->handlers) add_heads(handler->body, false, out);
    add_heads(attempt->orelse, false, out);
    add_heads(attempt->finally_body, false, out);
  }
}

void add_heads(Seq<Stmt> block, bool is_else, std::vector<Head>& out) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool is_last = is_else && i + 1 == block.size();
    const auto* previous = i == 0 ? nullptr : as<If>(block[i - 1]);
    const bool is_left = previous != nullptr && previous->orelse.empty() && !previous->body.empty() &&
                         rules::ends_block(*previous->body.back());
    if (const auto* branch = as<If>(block[i])) out.push_back({branch, block.subspan(i + 1), is_last || is_left});
    add_heads_of(*block[i], out);
  }
}

/// Whether a statement says and does nothing.
bool is_idle(const Stmt& statement) {
  const auto* dropped = as<ExprStmt>(&statement);
  return is<Pass>(&statement) || is<Assert>(&statement) ||
         (dropped != nullptr && (is<Constant>(dropped->value) || rules::is_log_call(dropped->value)));
}

const Call* call_in(const Expr* value) {
  const auto* awaited = as<Await>(value);
  return as<Call>(awaited != nullptr ? awaited->value : value);
}

/// "x", "self.x" of what a plain assignment gives a value: the names of a tuple one by one.
std::vector<std::pair<std::string, const Expr*>> targets_of(const Stmt& statement) {
  std::vector<std::pair<std::string, const Expr*>> out;
  const Expr* target = nullptr;
  if (assigned_value(&statement, target) == nullptr) return out;
  const auto* assign = as<Assign>(&statement);
  if (assign != nullptr && assign->targets.size() != 1) return out;
  const auto add = [&](const Expr* one) {
    std::string name = dotted_text(one);
    if (!name.empty()) out.emplace_back(std::move(name), one);
  };
  if (const auto* tuple = as<Tuple>(target)) {
    for (const Expr* one : tuple->elements) add(one);
  } else {
    add(target);
  }
  return out;
}

bool mentions(const Node& node, const std::string& dotted) {
  bool found = false;
  const auto look = [&](const Node* one) {
    if (is<Name>(one) || is<Attribute>(one)) found = found || dotted_text(static_cast<const Expr*>(one)) == dotted;
  };
  look(&node);
  walk(node, Nested::kEnter, look);
  return found;
}

/// What gives `target` its value: the last assignment that does not work on from an earlier one.
std::optional<Act> act_on(Seq<Stmt> body, const std::string& target) {
  Act out;
  for (const Stmt* statement : body) {
    const auto targets = targets_of(*statement);
    const auto own =
        std::find_if(targets.begin(), targets.end(), [&](const auto& each) { return each.first == target; });
    if (own == targets.end()) {
      // Set in a branch or a loop within: in which way is not known.
      bool is_set = false;
      walk_statements(*statement, Nested::kSkip, [&](const Stmt* inner) {
        for (const auto& each : targets_of(*inner)) is_set = is_set || each.first == target;
      });
      if (is_set || (is<AugAssign>(statement) && dotted_text(as<AugAssign>(statement)->target) == target))
        return std::nullopt;
      continue;
    }
    const Expr* whole = nullptr;
    const Expr* value = assigned_value(statement, whole);
    if (out.statement != nullptr && mentions(*value, target)) continue;
    // Of several names that get what one call gives, the call is what counts; of a tuple of values none is it.
    if (targets.size() > 1 && call_in(value) == nullptr) return std::nullopt;
    const auto* call = call_in(value);
    out = {call != nullptr && !dotted_text(call->callee).empty() ? ActKind::kCalls : ActKind::kSets, statement, value,
           own->second};
  }
  if (out.statement == nullptr) return std::nullopt;
  return out;
}

/// How an alternative ends that does not go on behind the chain; nothing where it does, or not in one way.
std::optional<Act> ending_act(Seq<Stmt> body) {
  if (body.empty()) return std::nullopt;
  Act out;
  out.statement = body.back();
  if (const auto* raised = as<Raise>(body.back())) {
    out.kind = ActKind::kRaises;
    out.value = raised->exception;
    return out;
  }
  const auto* back = as<Return>(body.back());
  if (back == nullptr) return std::nullopt;
  out.kind = ActKind::kReturns;
  out.value = back->value;
  // `x = f(); return x` returns what `f` gives.
  const auto* name = as<Name>(back->value);
  const auto given = name == nullptr ? std::nullopt : act_on(body.subspan(0, body.size() - 1), std::string(name->id));
  if (given) out.value = given->value;
  return out;
}

/// The one call that an alternative makes and does nothing else.
std::optional<Act> only_call(Seq<Stmt> body) {
  Act out;
  for (const Stmt* statement : body) {
    if (is_idle(*statement)) continue;
    const Expr* value = thrown_away_by(*statement);
    if (call_in(value) == nullptr || out.statement != nullptr) return std::nullopt;
    out = {ActKind::kCalls, statement, value, nullptr};
  }
  return out;
}

/// `return`, `return None`, `return x`, `return []`; a class (`return Fast`) is something.
bool gives_nothing(const Expr* value) {
  const auto* constant = as<Constant>(value);
  const auto* name = as<Name>(value);
  const auto* list = as<List>(value);
  const auto* dict = as<Dict>(value);
  const auto* tuple = as<Tuple>(value);
  const bool is_flag = constant != nullptr && (constant->constant_kind == ConstantKind::kNone ||
                                               constant->constant_kind == ConstantKind::kTrue ||
                                               constant->constant_kind == ConstantKind::kFalse);
  const bool is_variable = name != nullptr && (name->id.empty() || name->id.front() < 'A' || name->id.front() > 'Z');
  return value == nullptr || is_flag || is_variable || (list != nullptr && list->elements.empty()) ||
         (dict != nullptr && dict->values.empty()) || (tuple != nullptr && tuple->elements.empty());
}

/// Whether an alternative does something that lasts beside its act: calls for their effect, attributes and elements
/// that it sets, other ways out.
bool does_more(const Alternative& one, const std::set<std::string>& common) {
  bool more = false;
  const auto look = [&](const Stmt* statement) {
    if (statement == one.act.statement || is_idle(*statement)) return;
    if (is<ExprStmt>(statement) || is<Return>(statement) || is<Raise>(statement) || is<Delete>(statement) ||
        is<Continue>(statement) || is<Break>(statement) || is<With>(statement) || is<Try>(statement))
      more = true;
    const Expr* target = nullptr;
    if (const auto* added = as<AugAssign>(statement)) target = added->target;
    if (assigned_value(statement, target) != nullptr || target != nullptr) {
      const std::string name = dotted_text(target);
      if (!is<Name>(target) && !is<Tuple>(target) && !common.contains(name)) more = true;
    }
  };
  for (const Stmt* statement : one.body) {
    look(statement);
    walk_statements(*statement, Nested::kSkip, look);
  }
  return more;
}

/// Whether a new alternative gives the name what one of those that were there gives it, too: the name does not tell
/// them apart.
bool is_given_alike(const std::vector<Alternative>& after, const std::string& name, const change::NodeHasher& hasher) {
  std::set<std::uint64_t> given[2];  // By those that were there, by new ones.
  for (const Alternative& one : after) {
    const std::optional<Act> act = act_on(one.body, name);
    if (act) given[one.partner == Alternative::kNone ? 1 : 0].insert(hasher.hash(act->value));
  }
  return std::any_of(given[1].begin(), given[1].end(), [&](std::uint64_t one) { return given[0].contains(one); });
}

/// Fills what each alternative comes to; false where that cannot be told exactly. `hasher`: of the source of `all`.
bool find_acts(std::vector<Alternative>& all, std::vector<Alternative>& others, const change::NodeHasher& hasher) {
  std::vector<Alternative*> open;
  std::size_t returns = 0;
  std::size_t raises = 0;
  for (std::vector<Alternative>* side : {&all, &others}) {
    for (Alternative& one : *side) {
      if (const std::optional<Act> act = ending_act(one.body)) {
        one.act = *act;
        returns += act->kind == ActKind::kReturns ? 1 : 0;
        raises += act->kind == ActKind::kRaises ? 1 : 0;
      } else if (std::any_of(one.body.begin(), one.body.end(), [](const Stmt* s) { return !is_idle(*s); })) {
        open.push_back(&one);
      }
    }
  }
  if (returns > 0 && !open.empty()) return false;
  std::set<std::string> common;
  if (returns == 0) {
    if (open.empty()) return false;
    // What all of them give a value.
    for (std::size_t i = 0; i < open.size(); ++i) {
      std::set<std::string> own;
      for (const Stmt* statement : open[i]->body) {
        for (const auto& each : targets_of(*statement)) {
          if (each.first != "_") own.insert(each.first);
        }
      }
      if (i == 0)
        common = std::move(own);
      else
        std::erase_if(common, [&](const std::string& name) { return !own.contains(name); });
    }
    if (common.empty()) {
      for (Alternative* one : open) {
        const std::optional<Act> act = only_call(one->body);
        if (!act || act->statement == nullptr) return false;
        one->act = *act;
      }
    } else {
      // A value that a call gives before others: the implementation, not its options.
      std::string best;
      int most = -1;
      for (const std::string& name : common) {
        int calls = 0;
        bool fits = !is_given_alike(all, name, hasher);
        for (const Alternative* one : open) {
          const std::optional<Act> act = act_on(one->body, name);
          fits = fits && act.has_value();
          calls += act && act->kind == ActKind::kCalls ? 1 : 0;
        }
        if (fits && calls > most) {
          most = calls;
          best = name;
        }
      }
      if (most < 0) return false;
      for (Alternative* one : open) one->act = *act_on(one->body, best);
    }
  }
  for (std::vector<Alternative>* side : {&all, &others}) {
    for (Alternative& one : *side) {
      one.does_more = does_more(one, common);
      if (!one.stays && one.does_more) return false;
    }
  }
  return true;
}

class Finder {
 public:
  explicit Finder(const Actor& actor)
      : change_(*actor.change),
        steps_(actor.steps),
        before_hasher_(*actor.steps.before_source),
        after_hasher_(*actor.steps.after_source) {}

  std::vector<ChoiceChain> run() {
    // Only where a branch came.
    const auto is_new_branch = [](const Step& step) {
      return step.kind == StepKind::kIf && step.status != StepStatus::kKept;
    };
    if (std::none_of(steps_.after.begin(), steps_.after.end(), is_new_branch)) return {};
    std::vector<Head> before;
    add_heads(body_of(change_.before->node), false, before);
    std::vector<Head> after;
    add_heads(body_of(change_.after->node), false, after);
    std::vector<std::vector<Alternative>> chains_before;
    for (const Head& was : before) chains_before.push_back(Flattener().run(*was.branch, was.following));
    std::set<const If*> told;
    for (const Head& now : after) {
      if (told.contains(now.branch)) continue;
      const std::vector<Alternative> chain_after = Flattener().run(*now.branch, now.following);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const Head& was = before[i];
        if (taken_.contains(was.branch) || was.goes_on != now.goes_on) continue;
        std::optional<ChoiceChain> chain = matched(chains_before[i], chain_after);
        if (!chain) continue;
        for (const Alternative& one : chain->before) taken_.insert(one.branch);
        for (const Alternative& one : chain->after) {
          told.insert(one.branch);
          // What stands in a new alternative is told with it.
          if (one.branch == nullptr || !ChoiceChain::is_new(one)) continue;
          walk_of<If>(*one.branch, Nested::kSkip, [&](const If* inner) {
            if (std::any_of(one.body.begin(), one.body.end(),
                            [&](const Stmt* statement) { return statement->span.contains(inner->span); }))
              told.insert(inner);
          });
        }
        out_.push_back(std::move(*chain));
        break;
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint64_t body_hash(const change::NodeHasher& hasher, const Alternative& one) const {
    return hasher.hash(one.body);
  }

  /// Whether what the `else` around new places of alternatives does stood there before.
  [[nodiscard]] bool were_done(const std::vector<const Stmt*>& prepared) const {
    return std::all_of(prepared.begin(), prepared.end(), [&](const Stmt* statement) {
      const std::size_t at = step_of(steps_.after, statement);
      return at != Step::kNone && steps_.after[at].partner != Step::kNone &&
             steps_.after[at].fingerprint == steps_.before[steps_.after[at].partner].fingerprint;
    });
  }

  /// Whether the function had a branch on this before: that one may have become the alternative.
  [[nodiscard]] bool stood_there(const Expr& condition) const {
    const std::uint64_t asked = after_hasher_.hash(&condition);
    bool found = false;
    walk_of<If>(*change_.before->node, Nested::kSkip,
                [&](const If* one) { found = found || before_hasher_.hash(one->condition) == asked; });
    return found;
  }

  [[nodiscard]] bool is_anchored(const Alternative& was, const Alternative& now) const {
    for (const Stmt* statement : now.body) {
      const std::size_t at = step_of(steps_.after, statement);
      if (at == Step::kNone || steps_.after[at].partner == Step::kNone) continue;
      const Node* old = steps_.before[steps_.after[at].partner].node;
      if (std::find(was.body.begin(), was.body.end(), old) != was.body.end()) return true;
    }
    return false;
  }

  [[nodiscard]] std::optional<ChoiceChain> matched(const std::vector<Alternative>& was,
                                                   const std::vector<Alternative>& now) const {
    if (was.size() >= now.size() || now.size() > kMostAlternatives) return std::nullopt;
    ChoiceChain out;
    out.before = was;
    out.after = now;
    const auto are_there = std::count_if(out.before.begin(), out.before.end(), [](const Alternative& one) {
      return one.condition != nullptr || !one.body.empty();
    });
    if (are_there < 2) return std::nullopt;
    std::size_t b = 0;
    bool is_anchor = false;
    for (std::size_t a = 0; a < out.after.size(); ++a) {
      Alternative& one = out.after[a];
      const bool is_last = one.condition == nullptr;
      const bool fits = b < out.before.size() && is_last == (out.before[b].condition == nullptr) &&
                        (is_last || before_hasher_.hash(out.before[b].condition) == after_hasher_.hash(one.condition));
      if (!fits) continue;
      one.partner = b;
      out.before[b].partner = a;
      one.stays = out.before[b].stays =
          body_hash(before_hasher_, out.before[b]) == body_hash(after_hasher_, one) && were_done(one.prepared);
      is_anchor = is_anchor || (one.stays && is_anchored(out.before[b], one));
      ++b;
    }
    if (b < out.before.size() || !is_anchor) return std::nullopt;
    for (const Alternative& one : out.after) {
      if (ChoiceChain::is_new(one) &&
          (one.condition == nullptr || !were_done(one.prepared) || stood_there(*one.condition)))
        return std::nullopt;
      if (one.condition != nullptr && !only_asks(*one.condition)) return std::nullopt;
    }
    if (!find_acts(out.after, out.before, after_hasher_)) return std::nullopt;
    // What only refuses is told as a check, what leaves with nothing as a case that needs no work.
    const bool is_guard = std::any_of(out.after.begin(), out.after.end(), [](const Alternative& one) {
      return ChoiceChain::is_new(one) && (one.act.kind == ActKind::kRaises || one.act.kind == ActKind::kNothing ||
                                          (one.act.kind == ActKind::kReturns && gives_nothing(one.act.value)));
    });
    if (is_guard) return std::nullopt;
    return out;
  }

  const change::EntityChange& change_;
  const StepComparison& steps_;
  change::NodeHasher before_hasher_;
  change::NodeHasher after_hasher_;
  std::set<const If*> taken_;
  std::vector<ChoiceChain> out_;
};

/// What a comparison with texts, or with members of classes (`Backend.flash`), lets through.
struct AskedConstants {
  std::string of;
  bool are_texts = false;
  std::set<std::string> values;
};

std::optional<AskedConstants> asked_constants(const Guard& operand, const SourceText& source) {
  const auto* compare = as<Compare>(operand.condition);
  if (operand.negated || compare == nullptr || compare->ops.size() != 1) return std::nullopt;
  const CompareOperator op = compare->ops.front();
  AskedConstants out{one_line_whole(source, *compare->left), false, {}};
  const auto add = [&](const Expr* value) {
    const std::string_view text = rules::text_of(value);
    const bool is_text = !text.empty();
    if (!out.values.empty() && is_text != out.are_texts) return false;
    out.are_texts = is_text;
    const auto* member = as<Attribute>(value);
    const std::string_view owner = member == nullptr ? std::string_view() : rules::name_of(member->value);
    const bool is_of_class = !owner.empty() && std::isupper(static_cast<unsigned char>(owner.front())) != 0;
    if (!is_text && !is_of_class) return false;
    out.values.insert(is_text ? std::string(text) : std::string(member->name.text));
    return true;
  };
  const Expr* with = compare->comparators.front();
  if (op == CompareOperator::kEq || op == CompareOperator::kIs)
    return add(with) ? std::optional<AskedConstants>(std::move(out)) : std::nullopt;
  if (op != CompareOperator::kIn) return std::nullopt;
  const auto* tuple = as<Tuple>(with);
  const auto* list = as<List>(with);
  const auto* set = as<Set>(with);
  if (tuple == nullptr && list == nullptr && set == nullptr) return std::nullopt;
  const Seq<Expr> all = tuple != nullptr ? tuple->elements : list != nullptr ? list->elements : set->elements;
  for (const Expr* one : all) {
    if (!add(one)) return std::nullopt;
  }
  return out;
}

}  // namespace

const Call* Act::call() const { return call_in(value); }

bool ChoiceChain::others_stay() const {
  return std::all_of(before.begin(), before.end(), [](const Alternative& one) { return one.stays; });
}

std::vector<ChoiceChain> changed_chains(const Actor& actor) {
  const StepComparison& steps = actor.steps;
  if (!actor.is_function() || !actor.change->before || !actor.change->after || steps.before_source == nullptr ||
      steps.after_source == nullptr || steps.before.empty())
    return {};
  return Finder(actor).run();
}

std::size_t step_of(const std::vector<Step>& steps, const Node* node) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].node == node && steps[i].kind != StepKind::kElse) return i;
  }
  return Step::kNone;
}

bool exclude_each_other(const Expr& one, const SourceText& source, const Expr& other, const SourceText& other_source) {
  std::vector<Guard> own;
  std::vector<Guard> others;
  add_operands(one, false, own);
  add_operands(other, false, others);
  for (const Guard& a : own) {
    const std::string text = operand_text(a, source);
    const std::optional<AskedConstants> values = asked_constants(a, source);
    for (const Guard& b : others) {
      const std::string other_text = operand_text(b, other_source);
      if (text == "not " + other_text || other_text == "not " + text) return true;
      const std::optional<AskedConstants> other_values = asked_constants(b, other_source);
      if (!values || !other_values || values->of != other_values->of || values->are_texts != other_values->are_texts)
        continue;
      if (std::none_of(values->values.begin(), values->values.end(),
                       [&](const std::string& value) { return other_values->values.contains(value); }))
        return true;
    }
  }
  return false;
}

bool asks_for_all_of(const Expr& one, const SourceText& source, const Expr& other, const SourceText& other_source) {
  const std::set<std::string> own = operand_texts(one, source);
  const std::set<std::string> others = operand_texts(other, other_source);
  return std::includes(own.begin(), own.end(), others.begin(), others.end());
}

}  // namespace lockstep::report
