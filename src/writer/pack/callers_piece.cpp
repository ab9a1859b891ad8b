#include "writer/pack/callers_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "base/strings.h"
#include "program/queries.h"
#include "report/documents/parts.h"
#include "report/documents/runs/ways.h"
#include "report/language/language.h"
#include "report/source/code.h"
#include "report/story/wording/changes.h"
#include "rules/calls/signatures.h"
#include "writer/cited_sides.h"
#include "writer/pack/call_arguments.h"
#include "writer/pack/callers.h"
#include "writer/pack/when_text.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using report::Actor;
using report::code;
using report::DocumentInputs;
using report::place;
using report::Story;

constexpr std::size_t kMostCalled = 12;  // changed functions whose callers are listed
constexpr std::size_t kMostSites = 12, kMostSitesOfOthers = 5;
constexpr std::size_t kMostParameters = 4;  // that the change is about
constexpr std::size_t kMostTables = 2, kLeastRows = 3;

bool is_told(const Actor& actor) {
  return actor.change->kind != change::EntityKind::kModule &&
         (actor.role == report::Role::kCentral || actor.role == report::Role::kSupporting);
}

/// Names that stand on added lines of the function.
std::set<std::string, std::less<>> added_names(const DocumentInputs& inputs, const program::Program& program,
                                               FunctionId function) {
  std::set<std::string, std::less<>> names;
  const program::Module& module = program.module_of(function);
  const repo::FileChange* file = inputs.change->diff->find_after(module.path);
  if (file == nullptr) return names;
  const SourceText& source = module.facts->source();
  const Span span = program.functions()[function].node->span;
  const std::uint32_t first = source.line_of(span.begin), last = source.line_of(span.end);
  for (const repo::Hunk& hunk : file->lines.hunks()) {
    for (const repo::DiffLine& line : hunk.lines) {
      if (line.kind != repo::LineKind::added || line.new_line < first || line.new_line > last) continue;
      for_each_word(line.text, [&](std::string_view word, std::size_t) { names.emplace(word); });
    }
  }
  return names;
}

/// The parameters with a default that the change names on an added line; of a new function the first few.
std::vector<std::string> parameters_of_change(const DocumentInputs& inputs, const change::EntityChange& change,
                                              FunctionId function) {
  const program::Program& after = *inputs.after;
  std::vector<std::string> found;
  const python::FunctionDef* def = after.functions()[function].def();
  if (def == nullptr) return found;
  const std::set<std::string, std::less<>> names = added_names(inputs, after, function);
  for (const python::Parameter* parameter : def->parameters->all) {
    if (found.size() == kMostParameters) break;
    const bool is_of_change = !change.before || names.contains(parameter->name.text);
    if (parameter->default_value != nullptr && is_of_change) found.emplace_back(parameter->name.text);
  }
  return found;
}

/// "leaves out `a`; gives `b=x`", without what `shown` has already; empty where nothing is known of them.
std::string given_text(const program::Program& program, const program::CallSite& site, FunctionId function,
                       const std::vector<std::string>& parameters, std::string_view shown) {
  std::vector<std::string> left_out, given;
  for (const std::string& parameter : parameters) {
    const auto [gives, value] = given_to_parameter(program, site, function, parameter);
    if (gives == Gives::kNothing) left_out.push_back(code(parameter));
    if (gives != Gives::kValue) continue;
    const std::string text = value.empty() ? parameter : fmt::format("{}={}", parameter, value);
    if (!contains(shown, text)) given.push_back(code(text));
  }
  std::string text = left_out.empty() ? std::string() : fmt::format("leaves out {}", report::join_words(left_out));
  if (!given.empty()) text += fmt::format("{}gives {}", text.empty() ? "" : "; ", report::join_words(given));
  return text;
}

struct Site {
  std::string place, caller, call;  ///< Marked text.
  std::string when, given;          ///< Marked text; may be empty.
  bool is_sure = false;
};

/// Of the sites in a list, which show their calls, or in a table, which does not.
enum class Form : std::uint8_t { kList, kTable };

struct Sites {
  std::vector<Site> shown;
  std::size_t all = 0, in_tests = 0;  ///< All of them outside tests.
  std::size_t unchanged = 0;          ///< Of all: on lines that the change does not write.
};

/// "does not fit: missing `b`": of a call that surely enters the function, where the function refuses it, whatever
/// the change has to do with that; empty where it fits or nobody can tell.
std::string misfit_text(const rules::Signatures& signatures, const program::CallSite& site, FunctionId function) {
  const std::optional<rules::Mismatch> mismatch = signatures.bind(site, function).mismatch;
  return mismatch ? fmt::format("does not fit: {}", report::from_backquotes(rules::describe(*mismatch)))
                  : std::string();
}

Sites sites_of(const DocumentInputs& inputs, const change::EntityChange& change, FunctionId function, std::size_t most,
               Form form) {
  const program::Program& program = *inputs.after;
  const std::vector<std::string> parameters = parameters_of_change(inputs, change, function);
  const rules::Signatures signatures(program);
  Sites sites;
  for (const program::CallId id : calls_of(program, function)) {
    const program::CallSite& site = program.calls()[id];
    const program::Module& module = program.module_of(site.caller);
    if (program::is_test_path(module.path)) {
      ++sites.in_tests;
      continue;
    }
    const SourceText& source = module.facts->source();
    const std::uint32_t line = source.line_of(site.node->span.begin);
    const repo::FileChange* file = inputs.change->diff->find_after(module.path);
    if (file == nullptr || !file->lines.is_added_line(line)) ++sites.unchanged;
    if (++sites.all > most) continue;
    Site one;
    one.place = place(module.path, line);
    one.caller = code(report::short_name(program, site.caller));
    one.call = code(report::one_line(source, *site.node, 100));
    one.when = conditions_text(program, site.caller, site.node->span);
    one.given = given_text(program, site, function, parameters, form == Form::kList ? one.call : std::string());
    if (const std::string misfit = misfit_text(signatures, site, function); !misfit.empty())
      one.given += (one.given.empty() ? "" : "; ") + misfit;
    one.is_sure = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
      return target.function == function && target.certainty == program::Certainty::kExact;
    });
    sites.shown.push_back(std::move(one));
  }
  return sites;
}

std::string site_text(const Site& site) {
  std::string text =
      fmt::format("{} in {}: {}{}", site.place, site.caller, site.call, site.is_sure ? "" : " (possibly)");
  if (!site.when.empty()) text += fmt::format(" when {}", site.when);
  if (!site.given.empty()) text += fmt::format("; {}", site.given);
  return text;
}

Piece piece_of(std::string name) {
  Piece piece;
  piece.kind = PieceKind::kCallers;
  piece.name = std::move(name);
  return piece;
}

}  // namespace

std::vector<Piece> callers_pieces(const DocumentInputs& inputs, const Story& story) {
  std::vector<Piece> pieces;
  for (const Actor& actor : story.actors) {
    if (!is_told(actor) || pieces.size() == kMostCalled) continue;
    const std::string name = code(report::short_name(inputs, *actor.change));
    Piece piece = piece_of(fmt::format("who calls {}", name));
    piece.content.heading(3, fmt::format("Who calls {}", name));
    if (actor.is_removed()) {
      piece.content.paragraph(report::removed_text(inputs, *actor.change));
      pieces.push_back(std::move(piece));
      continue;
    }
    const FunctionId function = report::callable_of(*inputs.after, *actor.change);
    if (!function.valid()) continue;
    const bool is_central = actor.role == report::Role::kCentral;
    const Sites sites =
        sites_of(inputs, *actor.change, function, is_central ? kMostSites : kMostSitesOfOthers, Form::kList);
    if (!is_central || sites.unchanged == 0) piece.kind = PieceKind::kFurtherCallers;
    std::string text = sites.all == 0
                           ? fmt::format("No call of {} was found outside tests", name)
                           : fmt::format("{} is called from {} outside tests", name, count_of(sites.all, "place"));
    if (sites.in_tests > 0)
      text += sites.all == 0 ? fmt::format("; {} in tests", sites.in_tests)
                             : fmt::format(" and {} in tests", sites.in_tests);
    if (sites.all > sites.shown.size()) text += fmt::format("; the surest and nearest {}", sites.shown.size());
    piece.content.paragraph(text + (sites.shown.empty() ? "." : ":"));
    std::vector<std::string> items;
    for (const Site& site : sites.shown) items.push_back(site_text(site));
    if (!items.empty()) piece.content.bullets(items);
    pieces.push_back(std::move(piece));
  }
  if (pieces.empty()) {
    pieces.push_back(piece_of("who calls it"));
    pieces.back().content.heading(3, "Who calls it").paragraph("No function or class changes that could be called.");
  }
  return pieces;
}

std::vector<report::Block> callers_tables(const DocumentInputs& inputs, const Story& story, std::string_view language) {
  std::vector<report::Block> tables;
  for (const Actor& actor : story.actors) {
    if (actor.role != report::Role::kCentral || !is_told(actor) || actor.is_removed() || tables.size() == kMostTables)
      continue;
    const FunctionId function = report::callable_of(*inputs.after, *actor.change);
    if (!function.valid()) continue;
    const Sites sites = sites_of(inputs, *actor.change, function, kMostSites, Form::kTable);
    if (sites.shown.size() < kLeastRows) continue;
    report::Table table;
    const auto cell = [&](std::string_view marked) { return report::in_language(report::prose(marked), language); };
    table.header = {cell(fmt::format("Call of {}", code(report::short_name(inputs, *actor.change)))), cell("Caller"),
                    cell("When"), cell("Arguments that the change is about")};
    for (const Site& site : sites.shown)
      table.rows.push_back({cell(site.is_sure ? site.place : fmt::format("{} (possibly)", site.place)),
                            cell(site.caller), cell(site.when.empty() ? "-" : site.when),
                            cell(site.given.empty() ? "-" : site.given)});
    if (sites.all > sites.shown.size())
      table.rows.push_back({cell(fmt::format("and {}", count_of(sites.all - sites.shown.size(), "more call"))),
                            cell("-"), cell("-"), cell("-")});
    tables.push_back({std::move(table)});
  }
  return tables;
}

}  // namespace lockstep::writer
