#include "writer/cited_facts.h"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::ends_with_name;
using internal::last_part;
using internal::owner_part;
using program::ClassId;
using program::FunctionId;
using program::Program;

constexpr std::size_t kMostVisited = 2000;  // functions on the ways of one question
constexpr std::size_t kMostCallers = 400;   // of one function, asked for a common one

bool mentions(std::string_view text, std::string_view word) { return find_name(text, word) != std::string_view::npos; }

// A function with its decorators, a lambda, or a whole module.
bool body_mentions(const Program& program, FunctionId id, std::string_view word) {
  const program::Function& function = program.functions()[id];
  const SourceText& source = program.module_of(id).facts->source();
  Span span = function.node->span;
  if (function.kind == program::FunctionKind::kModuleBody) return mentions(source.bytes(), word);
  if (const python::FunctionDef* def = function.def()) {
    for (const python::Expr* decorator : def->decorators) span.begin = std::min(span.begin, decorator->span.begin);
    // Its own name says nothing of calls.
    if (function.name == word)
      return mentions(source.bytes().substr(span.begin, def->name.span.begin - span.begin), word) ||
             mentions(source.bytes().substr(def->name.span.end, span.end - def->name.span.end), word);
  }
  return mentions(source.slice(span), word);
}

}  // namespace

void CitedFacts::add_arguments(Side& side) {
  for (std::size_t i = 0; i < side.program->calls().size(); ++i) {
    const auto* call = python::as<python::Call>(side.program->calls()[program::CallId(i)].node);
    const std::string_view callee = call == nullptr ? std::string_view() : report::callee_name(*call);
    std::set<std::string> names;
    if (callee == "add_argument") {
      names.insert(rules::argparse_destination(*call));
      for (const python::Expr* argument : call->arguments) {
        const std::string_view option = rules::text_of(argument);
        if (option.starts_with("--")) names.insert(replace_all(option.substr(2), "-", "_"));
      }
    } else if (callee == "set_defaults") {
      for (const python::Keyword* keyword : call->keywords) names.emplace(keyword->name.text);
    }
    for (const std::string& name : names) side.arguments[name].emplace_back(i);
  }
}

CitedFacts::Side CitedFacts::side_of(const Program* program) {
  Side side{program, {}, {}, {}};
  for (std::size_t i = 0; i < program->functions().size(); ++i) {
    const FunctionId id(i);
    if (program->functions()[id].kind == program::FunctionKind::kFunction)
      side.functions[program->functions()[id].name].push_back(id);
  }
  for (std::size_t i = 0; i < program->classes().size(); ++i)
    side.classes[program->classes()[ClassId(i)].name].push_back(ClassId(i));
  add_arguments(side);
  return side;
}

CitedFacts::CitedFacts(const Program* before, const Program& after) {
  sides_.push_back(side_of(&after));
  if (before != nullptr) sides_.push_back(side_of(before));
}

std::vector<FunctionId> CitedFacts::functions_named(const Side& side, std::string_view name) {
  std::vector<FunctionId> found;
  if (const auto at = side.functions.find(last_part(name)); at != side.functions.end()) {
    for (const FunctionId id : at->second) {
      if (ends_with_name(side.program->functions()[id].qualified_name, name)) found.push_back(id);
    }
  }
  return found;
}

std::vector<ClassId> CitedFacts::classes_named(const Side& side, std::string_view name) {
  std::vector<ClassId> found;
  if (const auto at = side.classes.find(last_part(name)); at != side.classes.end()) {
    for (const ClassId id : at->second) {
      if (ends_with_name(side.program->classes()[id].qualified_name, name)) found.push_back(id);
    }
  }
  return found;
}

// A class means all its methods: "`MoELayer` calls `f`".
std::vector<FunctionId> CitedFacts::functions_of(const Side& side, std::string_view name) {
  std::vector<FunctionId> found = functions_named(side, name);
  for (const ClassId id : classes_named(side, name)) {
    const program::Class& cls = side.program->classes()[id];
    found.insert(found.end(), cls.methods.begin(), cls.methods.end());
  }
  return found;
}

// Everything whose text `name` may mean as one that calls: with what is inherited, and with what is defined inside; of
// a file all its functions.
std::vector<FunctionId> CitedFacts::bodies_of(const Side& side, std::string_view name) {
  const Program& program = *side.program;
  std::vector<FunctionId> found = functions_named(side, name);
  for (const ClassId id : classes_named(side, name)) {
    for (const ClassId above : program.classes()[id].linearized) {
      const program::Class& cls = program.classes()[above];
      found.insert(found.end(), cls.methods.begin(), cls.methods.end());
    }
  }
  if (!owner_part(name).empty()) {
    for (const ClassId id : classes_named(side, owner_part(name))) {
      if (const FunctionId inherited = program.find_method(id, last_part(name)); inherited.valid())
        found.push_back(inherited);
    }
  }
  if (has_file_ending(name)) {
    for (const program::Module& module : program.modules()) {
      if (module.path != name && !module.path.ends_with("/" + std::string(name))) continue;
      found.push_back(module.body);
      found.insert(found.end(), module.functions.begin(), module.functions.end());
    }
  }
  const std::size_t own = found.size();
  for (std::size_t i = 0; i < own; ++i) {
    const program::Function& outer = program.functions()[found[i]];
    if (outer.kind != program::FunctionKind::kFunction) continue;
    for (const FunctionId inner : program.modules()[outer.module].functions) {
      if (inner != found[i] && outer.node->span.contains(program.functions()[inner].node->span)) found.push_back(inner);
    }
  }
  return found;
}

std::vector<FunctionId> CitedFacts::functions_in(const Program& program, std::string_view name) const {
  const auto side =
      std::find_if(sides_.begin(), sides_.end(), [&](const Side& one) { return one.program == &program; });
  return side == sides_.end() ? std::vector<FunctionId>() : functions_of(*side, name);
}

bool CitedFacts::is_known_function(std::string_view name) const {
  return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) { return !functions_of(side, name).empty(); });
}

bool CitedFacts::is_function(std::string_view name) const {
  return std::any_of(sides_.begin(), sides_.end(),
                     [&](const Side& side) { return !functions_named(side, name).empty(); });
}

bool CitedFacts::is_method(std::string_view name) const {
  return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
    const std::vector<FunctionId> functions = functions_of(side, name);
    return std::any_of(functions.begin(), functions.end(),
                       [&](FunctionId id) { return side.program->functions()[id].owner.valid(); });
  });
}

bool CitedFacts::is_class(std::string_view name) const {
  return std::any_of(sides_.begin(), sides_.end(),
                     [&](const Side& side) { return !classes_named(side, name).empty(); });
}

bool CitedFacts::reaches_in(const Side& side, std::string_view caller, std::string_view callee, std::size_t hops) {
  const Program& program = *side.program;
  const std::string_view last = last_part(callee);
  std::unordered_set<std::size_t> targets, seen;
  for (const FunctionId id : functions_of(side, callee)) targets.insert(id.index());
  std::deque<std::pair<FunctionId, std::size_t>> pending;
  for (const FunctionId id : bodies_of(side, caller)) {
    if (body_mentions(program, id, last)) return true;
    if (seen.insert(id.index()).second) pending.emplace_back(id, 1);
  }
  for (; !pending.empty() && seen.size() < kMostVisited; pending.pop_front()) {
    const auto [id, depth] = pending.front();
    for (const program::CallId call : program.functions()[id].calls) {
      const program::CallSite& site = program.calls()[call];
      if (const auto* node = python::as<python::Call>(site.node); node != nullptr && report::callee_name(*node) == last)
        return true;
      for (const program::CallTarget& target : site.targets) {
        if (!target.function.valid()) {
          if (ends_with_name(target.external, last)) return true;
          continue;
        }
        const program::Function& function = program.functions()[target.function];
        if (targets.contains(target.function.index()) || function.name == last) return true;
        // What is defined inside a function is part of it.
        const std::size_t next = function.enclosing == id ? depth : depth + 1;
        if (next <= hops && seen.insert(target.function.index()).second) pending.emplace_back(target.function, next);
      }
    }
  }
  return !pending.empty();  // too much to say no
}

bool CitedFacts::reaches(std::string_view caller, std::string_view callee, std::size_t hops) const {
  return std::any_of(sides_.begin(), sides_.end(),
                     [&](const Side& side) { return reaches_in(side, caller, callee, hops); });
}

bool CitedFacts::is_handed_to(std::string_view handed, std::string_view function) const {
  const std::string_view word = last_part(handed);
  return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
    std::unordered_set<std::size_t> wanted;
    for (const FunctionId id : functions_of(side, handed)) wanted.insert(id.index());
    // `step`, `self.step`, `partial(step, x)`: of one that is only called there, its result is given.
    const auto names_it = [&](const python::Expr* given) {
      if (rules::last_part_of(given) == word) return true;
      const auto* call = python::as<python::Call>(given);
      return call != nullptr && std::any_of(call->arguments.begin(), call->arguments.end(),
                                            [&](const python::Expr* one) { return rules::last_part_of(one) == word; });
    };
    if (wanted.empty()) return false;
    std::size_t asked = 0;
    for (const FunctionId id : functions_named(side, function)) {
      for (const program::CallId call : side.program->callers_of(id)) {
        if (++asked > kMostCallers) return false;
        const auto* node = python::as<python::Call>(side.program->calls()[call].node);
        if (node == nullptr) continue;
        const bool is_given = std::any_of(node->arguments.begin(), node->arguments.end(), names_it) ||
                              std::any_of(node->keywords.begin(), node->keywords.end(),
                                          [&](const python::Keyword* one) { return names_it(one->value); });
        if (is_given) return true;
      }
    }
    return false;
  });
}

bool CitedFacts::share_caller(std::string_view a, std::string_view b) const {
  return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) {
    std::size_t asked = 0;
    for (const FunctionId id : functions_of(side, a)) {
      for (const program::CallId call : side.program->callers_of(id)) {
        if (++asked > kMostCallers) return true;
        if (body_mentions(*side.program, side.program->calls()[call].caller, last_part(b))) return true;
      }
    }
    return false;
  });
}

bool CitedFacts::calls_surely_in(const Side& side, std::string_view caller, std::string_view callee) {
  const std::vector<FunctionId> callers = functions_named(side, caller), callees = functions_named(side, callee);
  if (callers.size() != 1 || callees.size() != 1) return false;
  const auto& calls = side.program->functions()[callers[0]].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId call) {
    const auto& targets = side.program->calls()[call].targets;
    return targets.size() == 1 && targets[0].function == callees[0] &&
           targets[0].certainty == program::Certainty::kExact && targets[0].kind == program::CallKind::kDirect;
  });
}

bool CitedFacts::calls_surely(std::string_view caller, std::string_view callee) const {
  return calls_surely_in(sides_.front(), caller, callee);
}

bool CitedFacts::writes_call(std::string_view caller, std::string_view callee) const {
  const Side& side = sides_.front();
  const std::vector<FunctionId> callers = functions_named(side, caller);
  if (!owner_part(callee).empty() || callers.empty()) return false;
  return std::all_of(callers.begin(), callers.end(), [&](FunctionId id) {
    bool is_written = false;
    python::walk_of<python::Call>(*side.program->functions()[id].node, python::Nested::kSkip, [&](const auto* call) {
      is_written = is_written || rules::last_part_of(call->callee) == callee;
    });
    return is_written;
  });
}

bool CitedFacts::calls_no_more(std::string_view caller, std::string_view callee, std::size_t hops) const {
  return sides_.size() == 2 && calls_surely_in(sides_.back(), caller, callee) &&
         functions_named(sides_.front(), caller).size() == 1 && !reaches_in(sides_.front(), caller, callee, hops);
}

bool CitedFacts::derives_in(const Side& side, std::string_view cls, std::string_view base) {
  const auto at = side.classes.find(last_part(cls));
  if (at == side.classes.end()) return false;
  return std::any_of(at->second.begin(), at->second.end(), [&](ClassId id) {
    const program::Class& one = side.program->classes()[id];
    const auto is_base = [&](std::string_view name) { return ends_with_name(name, last_part(base)); };
    return std::any_of(one.linearized.begin(), one.linearized.end(),
                       [&](ClassId above) { return is_base(side.program->classes()[above].qualified_name); }) ||
           std::any_of(one.external_ancestors.begin(), one.external_ancestors.end(), is_base);
  });
}

bool CitedFacts::derives(std::string_view cls, std::string_view base) const {
  return std::any_of(sides_.begin(), sides_.end(), [&](const Side& side) { return derives_in(side, cls, base); });
}

}  // namespace lockstep::writer
