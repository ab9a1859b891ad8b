#include "report/documents/correctness/unasked_alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/wording/choice_words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Names and attributes that a condition asks for.
std::set<std::string> names_in(const Expr& condition) {
  std::set<std::string> out;
  const auto note = [&](const Node* node) {
    if (is<Name>(node) || is<Attribute>(node)) {
      if (std::string name = dotted_text(static_cast<const Expr*>(node)); !name.empty() && name != "self")
        out.insert(std::move(name));
    }
  };
  note(&condition);
  walk(condition, Nested::kSkip, note);
  return out;
}

/// Whether any statement asks for one of the names, or the condition does.
bool asks_for_one(const Alternative& one, const std::set<std::string>& names) {
  const auto asks = [&](const Node& node) {
    bool found = false;
    const auto look = [&](const Node* each) {
      if (is<Name>(each) || is<Attribute>(each))
        found = found || names.contains(dotted_text(static_cast<const Expr*>(each)));
    };
    look(&node);
    walk(node, Nested::kSkip, look);
    return found;
  };
  return asks(*one.condition) ||
         std::any_of(one.body.begin(), one.body.end(), [&](const Stmt* statement) { return asks(*statement); });
}

}  // namespace

void add_unasked_alternatives(const DocumentInputs&, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (!actor.is_function() || actor.steps.after_source == nullptr) continue;
    const SourceText& source = *actor.steps.after_source;
    std::set<std::set<std::string>> asked;
    for (const ChoiceChain& chain : changed_chains(actor)) {
      for (std::size_t own = 0; own < chain.after.size(); ++own) {
        if (!ChoiceChain::is_new(chain.after[own]) || chain.after[own].act.call() == nullptr) continue;
        for (std::size_t other = own + 1; other < chain.after.size(); ++other) {
          const Alternative& replaced = chain.after[other];
          if (ChoiceChain::is_new(replaced) || replaced.act.call() == nullptr ||
              (replaced.condition != nullptr &&
               exclude_each_other(*chain.after[own].condition, source, *replaced.condition, source)))
            continue;
          for (const Stmt* statement : replaced.body) {
            if (statement == replaced.act.statement) break;  // What is checked behind the call is no condition of it.
            const auto* check = as<Assert>(statement);
            const std::set<std::string> names = check == nullptr ? std::set<std::string>() : names_in(*check->test);
            if (names.empty() || told == kMost || dotted_text(replaced.act.call()->callee).empty() ||
                dotted_text(chain.after[own].act.call()->callee).empty() || asks_for_one(chain.after[own], names) ||
                !asked.insert(names).second)
              continue;
            const std::string taken = code(dotted_text(chain.after[own].act.call()->callee));
            Risk risk{RiskKind::kEdgeCases,
                      fmt::format("{} is called only where {} (an assertion, {}); {}, which is taken before it now, is "
                                  "called in either "
                                  "case. Is that right?",
                                  code(dotted_text(replaced.act.call()->callee)), condition_words(*check->test, source),
                                  place(actor.change->after->path, source.line_of(check->span.begin)), taken),
                      "Open"};
            risk.question = risk.concern;
            risks.push_back(std::move(risk));
            ++told;
          }
        }
      }
    }
  }
}

}  // namespace lockstep::report
