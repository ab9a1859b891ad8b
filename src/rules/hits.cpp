#include "rules/hits.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "python/tree_walk.h"

namespace lockstep::rules {

using python::FileFacts;
using python::Node;
using python::Seq;
using python::Stmt;

namespace {

std::string key_of(const FileFacts& facts, const Stmt& statement) {
  bool has_body = false;
  python::for_each_block(statement, [&](Seq<Stmt>) { has_body = true; });
  if (!has_body) return node_key(facts, statement);
  // Handlers and cases are on lines of their own.
  std::string key = fmt::format("{}", static_cast<int>(statement.kind));
  if (const auto* def = python::as<python::FunctionDef>(&statement)) key += fmt::format(" {}", def->name.text);
  if (const auto* cls = python::as<python::ClassDef>(&statement)) key += fmt::format(" {}", cls->name.text);
  python::for_each_child(statement, [&](const Node* child) {
    bool holds_body = python::is_statement(child);
    python::for_each_block(*child, [&](Seq<Stmt>) { holds_body = true; });
    if (!holds_body) key += " " + node_key(facts, *child);
  });
  return key;
}

/// The parameter of a function whose name, annotation or default holds the place; null for others. A place in one is
/// identified by it alone: what else the function takes has nothing to do with it.
const python::Parameter* parameter_holding(const Stmt& statement, std::uint32_t at) {
  const auto* def = python::as<python::FunctionDef>(&statement);
  if (def == nullptr) return nullptr;
  for (const python::Parameter* one : def->parameters->all) {
    if (one->span.contains(at) || (one->default_value != nullptr && one->default_value->span.contains(at))) return one;
  }
  return nullptr;
}

std::string key_of(const FileFacts& facts, const python::FunctionDef& def, const python::Parameter& parameter) {
  std::string key = fmt::format("{} {}", def.name.text, node_key(facts, parameter));
  if (parameter.default_value != nullptr) key += " = " + node_key(facts, *parameter.default_value);
  return key;
}

}  // namespace

StatementPlace statement_of(const program::Program& program, program::ModuleId module, Span span) {
  return {program.modules()[module].facts.get(), span.begin};
}

const std::string& StatementKeys::of(StatementPlace place) {
  const FileFacts& facts = *place.facts;
  auto known = files_.find(&facts);
  if (known == files_.end()) known = files_.emplace(&facts, File{StatementIndex(facts)}).first;
  File& file = known->second;
  if (const Stmt* statement = file.statements.at(place.at); statement != nullptr) {
    const python::Parameter* parameter = parameter_holding(*statement, place.at);
    const Node* node = parameter != nullptr ? static_cast<const Node*>(parameter) : statement;
    const auto [key, is_first] = file.keys.try_emplace(node);
    if (is_first)
      key->second = parameter != nullptr ? key_of(facts, *python::as<python::FunctionDef>(statement), *parameter)
                                         : key_of(facts, *statement);
    return key->second;
  }
  const std::uint32_t line = facts.source().line_of(place.at);
  const auto [key, is_first] = file.lines.try_emplace(line);
  if (is_first) key->second = std::string(trim(facts.source().line(line)));
  return key->second;
}

void Excuses::add(const std::string& key, std::string_view symbol) {
  Left& left = left_[key];
  ++left.all;
  ++left.by_symbol[symbol];
}

bool Excuses::take(const std::string& key, std::string_view symbol) {
  const auto found = left_.find(key);
  if (found == left_.end()) return false;
  const auto same = found->second.by_symbol.find(symbol);
  if (same == found->second.by_symbol.end() || same->second == 0) return false;
  --same->second;
  --found->second.all;
  return true;
}

bool Excuses::take(const std::string& key) {
  const auto found = left_.find(key);
  if (found == left_.end() || found->second.all == 0) return false;
  --found->second.all;
  return true;
}

std::vector<Finding> introduced(std::vector<Hit> after, const std::vector<Hit>& before) {
  std::vector<Finding> findings;
  for (Hit& hit : introduced_hits(std::move(after), before)) findings.push_back(std::move(hit.finding));
  return findings;
}

}  // namespace lockstep::rules
