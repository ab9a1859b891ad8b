// Values that a sentence gives to a name: "`x` is 5 by default", "`f` is called from 3 places". That the number stands
// somewhere in what the model was given says nothing of it; here it is held against the thing itself.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "rules/expressions.h"
#include "writer/author/claims.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

using internal::Spans;
using program::FunctionId;
using program::Program;

// `"x"`, 'x' and x are one value.
std::string plain_value(std::string_view value) {
  value = trim(value);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  return std::string(value);
}

// "4" and "4.0" are one value.
bool is_same_value(std::string_view a, std::string_view b) {
  return a == b || report::same_number(a, b).value_or(false);
}

bool is_literal(std::string_view value) {
  if (value == "None" || value == "True" || value == "False") return true;
  return !value.empty() && value.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
         value.find_first_of("0123456789") != std::string_view::npos;
}

void add_field_defaults(const Program& program, std::string_view name, std::set<std::string>& defaults) {
  for (const program::Class& cls : program.classes()) {
    for (const program::Field& field : cls.fields) {
      if (field.name != name || !field.in_class_body || field.default_value == nullptr) continue;
      const SourceText& source = program.modules()[cls.module].facts->source();
      defaults.insert(plain_value(source.slice(field.default_value->span)));
    }
  }
}

/// The value in "`x` defaults to V", "whose default is V", "(V by default)"; empty where a sentence gives none, or may
/// give that of something else.
std::string default_in(const Spans& spans, std::size_t name) {
  const std::string_view after = trim(spans.text[name + 1]);
  static constexpr std::string_view kLeads[] = {"defaults to",      "is by default", "with a default of",
                                                "has the default",  ", default",     ", whose default is",
                                                "whose default is", "(default"};
  for (const std::string_view lead : kLeads) {
    if (!after.starts_with(lead)) continue;
    const std::string_view rest = trim(after.substr(lead.size()));
    if (rest.empty() && name + 1 < spans.code.size()) return plain_value(spans.code[name + 1]);
    const std::string value(rest.substr(0, rest.find_first_of(" ,;)")));
    return value.ends_with('.') ? value.substr(0, value.size() - 1) : value;
  }
  // "`x` is 5 by default", "`x` steps, 5 by default"
  const std::size_t by_default = after.find(" by default");
  if (by_default == std::string_view::npos) return {};
  const std::string_view before = after.substr(0, by_default);
  return std::string(before.substr(before.rfind(' ') == before.npos ? 0 : before.rfind(' ') + 1));
}

}  // namespace

// `add_argument("--name", …, default=x)` and `set_defaults(name=x)`.
void ClaimChecker::add_argument_defaults(const Side& side, const std::string& name, std::set<std::string>& defaults) {
  const auto found = side.arguments.find(name);
  if (found == side.arguments.end()) return;
  for (const program::CallId id : found->second) {
    const program::CallSite& site = side.program->calls()[id];
    const auto& call = *python::as<python::Call>(site.node);
    const bool is_declaration = report::callee_name(call) == "add_argument";
    const report::Value value = is_declaration ? report::argument_default(call) : report::Value();
    const python::Expr* given = rules::keyword_value(call, is_declaration ? "default" : name);
    if (given != nullptr) {
      const SourceText& source = side.program->module_of(site.caller).facts->source();
      defaults.insert(plain_value(source.slice(given->span)));
    } else {
      // An action of another kind gives what it likes: anything that is no literal leaves the claim open.
      defaults.insert(value.kind == report::Value::Kind::kUnknown ? "action" : value.text);
    }
  }
}

std::vector<std::string> ClaimChecker::defaults_of(const std::string& name) const {
  std::set<std::string> defaults;
  for (const Side* side : {&after_, &before_}) {
    add_field_defaults(*side->program, name, defaults);
    add_argument_defaults(*side, name, defaults);
  }
  return {defaults.begin(), defaults.end()};
}

void ClaimChecker::check_defaults(std::string_view sentence, SentenceCheck& result) const {
  if (!contains(sentence, "default")) return;
  const Spans spans = internal::spans_of(sentence);
  for (std::size_t i = 0; i < spans.code.size(); ++i) {
    std::string name = spans.code[i].substr(spans.code[i].rfind('.') + 1);
    if (name.starts_with("--")) {
      name = name.substr(2);
      std::replace(name.begin(), name.end(), '-', '_');
    }
    const std::string value = default_in(spans, i);
    if (!is_dotted_name(name) || !is_literal(value)) continue;
    const std::vector<std::string> known = defaults_of(name);
    if (known.empty()) continue;
    ++result.claims;
    const bool holds =
        std::any_of(known.begin(), known.end(), [&](const std::string& one) { return is_same_value(one, value); });
    // A default that is a call or a name may be anything.
    const bool is_open =
        std::any_of(known.begin(), known.end(), [](const std::string& one) { return !is_literal(one); });
    if (!holds && !is_open)
      result.faults.push_back({"number", fmt::format("`{}` … default {}", spans.code[i], value),
                               fmt::format("the default of '{}' is another one", name), join(known, ", ")});
  }
}

// "`f` is called from 3 places", with or without those in tests.
void ClaimChecker::check_counts(std::string_view sentence, SentenceCheck& result) const {
  const Spans spans = internal::spans_of(sentence);
  constexpr std::string_view kLead = "is called from ";
  for (std::size_t i = 0; i < spans.code.size(); ++i) {
    const std::string_view after = trim(spans.text[i + 1]);
    if (!after.starts_with(kLead)) continue;
    const std::string_view rest = after.substr(kLead.size());
    std::size_t said = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), said);
    const std::string_view unit = trim(rest.substr(static_cast<std::size_t>(end - rest.data())));
    if (error != std::errc{} || !(unit.starts_with("place") || unit.starts_with("call site"))) continue;
    const std::string name = spans.code[i].substr(0, spans.code[i].find('('));
    if (!is_dotted_name(name)) continue;
    std::set<std::size_t> counts;
    for (const Side* side : {&after_, &before_}) {
      for (const FunctionId id : functions_of(*side, name)) {
        std::size_t in_tests = 0, all = 0;
        for (const program::CallId call : side->program->callers_of(id)) {
          ++all;
          in_tests += program::is_test_path(side->program->module_of(side->program->calls()[call].caller).path) ? 1 : 0;
        }
        counts.insert({all, all - in_tests, in_tests});
      }
    }
    if (counts.empty()) continue;
    ++result.claims;
    if (!counts.contains(said))
      result.faults.push_back({"number", fmt::format("`{}` is called from {}", spans.code[i], said),
                               "the call graph has another number of such places",
                               fmt::format("{}", *counts.rbegin())});
  }
}

}  // namespace lockstep::writer
