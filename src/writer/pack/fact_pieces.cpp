// What Lockstep knows of a change as sentences: the same facts that explain and dive tell, in short.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/strings.h"
#include "report/author/line_past.h"
#include "report/documents/areas.h"
#include "report/documents/file_parts.h"
#include "report/documents/parts.h"
#include "report/documents/risks.h"
#include "report/documents/runs/switches.h"
#include "report/documents/runs/ways.h"
#include "report/documents/tests/test_code.h"
#include "report/documents/tests/tests.h"
#include "report/report.h"
#include "report/source/code.h"
#include "report/story/wording/changes.h"
#include "writer/pack/callers_piece.h"
#include "writer/pack/demands.h"
#include "writer/pack/dependencies_piece.h"
#include "writer/pack/names_piece.h"
#include "writer/pack/pieces.h"
#include "writer/pack/state_piece.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using report::Actor;
using report::code;
using report::DocumentInputs;
using report::place;
using report::Role;
using report::Story;

constexpr std::size_t kMostWhyWords = 400;
constexpr std::size_t kMostWhat = 10, kMostFollowed = 6, kMostOfTrail = 12;
constexpr std::size_t kMostNamed = 30;
constexpr std::size_t kMostTraced = 12;  // changed functions
constexpr std::size_t kMostReaders = 3;
constexpr std::size_t kFewReaders = 25;  // of a name that stands in more places, a list says nothing
constexpr std::size_t kMostEvidence = 6;
constexpr std::size_t kMostTraceLines = 30, kMostUnchangedLines = 10;
constexpr std::size_t kMostFiles = 40;
constexpr std::size_t kMostOrigins = 4;

bool is_told(const Actor& actor) {
  return actor.change->kind != change::EntityKind::kModule &&
         (actor.role == Role::kCentral || actor.role == Role::kSupporting);
}

Piece why_piece(const DocumentInputs& inputs, const Story& story) {
  Piece piece;
  piece.kind = PieceKind::kWhy;
  piece.name = "what its author says";
  piece.content.heading(3, "What its author says (quoted)");
  report::add_why(piece.content, report::own_words_of(inputs, story, kMostWhyWords));
  return piece;
}

Piece what_piece(const DocumentInputs& inputs, const Story& story) {
  Piece piece;
  piece.kind = PieceKind::kWhat;
  piece.name = "what changes";
  piece.content.heading(3, "What changes, the weightiest first");
  std::vector<std::string> items, names;
  for (const Actor& actor : story.actors) {
    if (is_told(actor) && items.size() < kMostWhat) {
      items.push_back(report::actor_words(inputs, actor, actor.role == Role::kCentral ? 3 : 1));
    } else if (actor.change->kind != change::EntityKind::kModule) {
      names.push_back(fmt::format("{} ({})", code(report::short_name(inputs, *actor.change)),
                                  report::place_of(inputs, *actor.change)));
    }
  }
  if (items.empty()) items = report::alike_items(report::files_in_order(inputs), kMostWhat);
  piece.content.bullets(items);
  if (names.empty()) return piece;
  const std::size_t all = names.size();
  if (names.size() > kMostNamed) names.resize(kMostNamed);
  piece.content.paragraph(fmt::format("Also changed: {}{}.", join(names, ", "),
                                      all > names.size() ? fmt::format(" and {} more", all - names.size()) : ""));
  return piece;
}

// What comes of arguments that calls give otherwise: the diff shows the argument alone.
std::optional<Piece> followed_piece(const Story& story) {
  std::vector<std::string> items;
  for (const Actor& actor : story.actors) {
    for (const report::FollowedArgument& followed : actor.followed) {
      if (items.size() == kMostFollowed) break;
      items.push_back(followed.sentence +
                      (followed.others.empty() ? "" : fmt::format(" {}", join(followed.others, " "))));
    }
  }
  std::vector<std::string> trail = story.trail_items;
  if (trail.size() > kMostOfTrail) trail.resize(kMostOfTrail);
  if (items.empty() && trail.empty()) return std::nullopt;
  Piece piece;
  piece.kind = PieceKind::kFollowed;
  piece.name = "what its arguments decide, and where new data goes";
  if (!items.empty())
    piece.content.heading(3, "What the arguments decide that its calls give otherwise").bullets(items);
  if (!trail.empty()) {
    piece.content.heading(3, "What is new and passes between the functions that change");
    for (const std::string& chain : story.chains) piece.content.paragraph(chain);
    piece.content.bullets(trail);
  }
  return piece;
}

Piece runs_piece(const DocumentInputs& inputs, const Story& story) {
  Piece piece;
  piece.kind = PieceKind::kRuns;
  piece.name = "where it runs";
  piece.content.heading(3, "Where it runs");
  std::vector<std::string> items;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    // What a way shares with the first one is told once.
    std::string text = i == 0 ? report::reach_text(inputs, story, i) : report::reach_from(inputs, story, i, 0);
    report::EntryPath path = story.entries[i];
    const auto& first = story.entries.front().frames;
    std::size_t same = 0;
    while (i > 0 && same < first.size() && same < path.frames.size() &&
           first[same].function == path.frames[same].function)
      ++same;
    if (same > 1) path.frames.erase(path.frames.begin(), path.frames.begin() + static_cast<std::ptrdiff_t>(same) - 1);
    const std::string conditions = report::path_conditions(inputs, path);
    if (!conditions.empty()) text += fmt::format(" {}", conditions);
    if (const std::string on = report::switches_text(inputs, actor); !on.empty()) text += fmt::format(" {}", on);
    if (actor.on_step_path) text += " A training step can lead to it.";
    items.push_back(std::move(text));
  }
  if (items.empty())
    items.emplace_back(story.only_tests ? fmt::format("Only {} change.", report::changed_test_code(inputs))
                                        : "No Python definition changes outside tests.");
  piece.content.bullets(items);
  return piece;
}

/// Places outside tests that name `.flag`.
std::vector<std::string> readers_of(const program::Program& program, const std::string& flag, std::size_t& more) {
  const std::string needle = "." + flag;
  std::vector<std::string> readers;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    if (program::is_test_path(module.path)) continue;
    const SourceText& source = module.facts->source();
    const std::string_view bytes = source.bytes();
    std::set<std::uint32_t> seen;
    for (std::size_t at = bytes.find(needle); at != std::string_view::npos; at = bytes.find(needle, at + 1)) {
      const char next = at + needle.size() < bytes.size() ? bytes[at + needle.size()] : ' ';
      if (std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_') continue;
      const auto offset = static_cast<std::uint32_t>(at);
      const FunctionId function = program.function_at(program::ModuleId(i), offset);
      if (!function.valid() || !seen.insert(function.value).second) continue;
      if (readers.size() == kMostReaders) {
        ++more;
        continue;
      }
      readers.push_back(fmt::format("{} ({})", code(report::short_name(program, function)),
                                    place(module.path, source.line_of(offset))));
    }
  }
  return readers;
}

Piece settings_piece(const DocumentInputs& inputs, const Story& story) {
  Piece piece;
  piece.kind = PieceKind::kSettings;
  piece.name = "settings";
  piece.content.heading(3, "Settings that turn it on");
  std::vector<std::string> items;
  for (const report::Flag& flag : story.flags) {
    std::string text = report::flag_text(flag);
    std::size_t more = 0;
    const bool is_of_change = flag.is_new || flag.is_changed || flag.scope != report::GuardScope::kWay;
    const std::vector<std::string> readers =
        is_of_change ? readers_of(*inputs.after, flag.name, more) : std::vector<std::string>();
    if (!readers.empty() && readers.size() + more <= kFewReaders)
      text += fmt::format(" Named in {}{}.", report::join_words(readers),
                          more > 0 ? fmt::format(", and {} more places", more) : "");
    items.push_back(std::move(text));
  }
  if (items.empty()) {
    items.emplace_back(
        "No configuration value or command-line argument was found in the conditions around the changed lines "
        "themselves; those on the way there stand under \u201cWhere it runs\u201d.");
  }
  piece.content.bullets(items);
  return piece;
}

Piece breaks_piece(const std::vector<report::Risk>& risks) {
  Piece piece;
  piece.kind = PieceKind::kBreaks;
  piece.name = "what it can break";
  piece.content.heading(3, "What it can break, and questions that facts cannot decide");
  std::vector<std::string> items;
  for (const report::Risk& risk : risks) {
    if (risk.kind == report::RiskKind::kTests || risk.is_finding) continue;
    items.push_back(fmt::format("{} {}", risk.concern, report::as_sentence(risk.status)));
  }
  if (items.empty())
    items.emplace_back(
        "No public signature, declared default, setting or state_dict function changes, nothing is added to the "
        "training step, and no parallel dimension or precision is named in the changed lines.");
  piece.content.bullets(items);
  return piece;
}

/// Within another function that changes: what reaches that one is what can be told of it, too.
bool is_nested(const DocumentInputs& inputs, const Story& story, const Actor& actor) {
  if (!actor.change->after || !actor.change->after->function.valid()) return false;
  const program::Program& program = *inputs.after;
  FunctionId at = program.functions()[actor.change->after->function].enclosing;
  for (; at.valid(); at = program.functions()[at].enclosing) {
    if (std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& other) {
          return other.is_function() && other.change->after && other.change->after->function == at;
        }))
      return true;
  }
  return false;
}

/// The story with what supports the change and what follows it among what is looked up.
Story with_supporting(const DocumentInputs& inputs, const Story& story) {
  Story wider = story;
  for (const Role role : {Role::kSupporting, Role::kFollowing}) {
    for (std::size_t i = 0; i < story.actors.size() && wider.central.size() < kMostTraced; ++i) {
      const Actor& actor = story.actors[i];
      if (actor.role == role && actor.is_function() && !actor.is_removed() && !is_nested(inputs, story, actor))
        wider.central.push_back(i);
    }
  }
  wider.entries.resize(wider.central.size());
  report::find_tests(inputs, wider);
  return wider;
}

Piece tests_piece(const DocumentInputs& inputs, const Story& central, const std::vector<report::Risk>& risks) {
  const Story story = with_supporting(inputs, central);
  Piece piece;
  piece.kind = PieceKind::kTests;
  piece.name = "tests";
  piece.content.heading(3, "Tests that reach it, and what is not tested");
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // What is said, and of which functions.
  for (std::size_t i = 0; i < story.central.size() && !story.only_tests; ++i) {
    std::string words = report::tests_words(inputs, story, i, i < central.central.size() ? 2 : 1);
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == words; });
    std::string name = code(report::short_name(inputs, *story.actor(i).change));
    if (known != groups.end()) {
      known->second.push_back(std::move(name));
    } else {
      groups.push_back({std::move(words), {std::move(name)}});
    }
  }
  std::vector<std::string> items;
  for (const auto& [words, names] : groups) items.push_back(fmt::format("{}: {}", report::join_words(names), words));
  for (const report::Risk& risk : risks) {
    if (risk.kind == report::RiskKind::kTests)
      items.push_back(fmt::format("{} {}", risk.concern, report::as_sentence(risk.status)));
  }
  const std::vector<std::string> changed = report::changed_tests(inputs, story, 8);
  items.push_back(changed.empty() ? std::string("The change adds and edits no test function.")
                                  : fmt::format("Tests that it adds or edits: {}.", join(changed, "; ")));
  piece.content.bullets(items);
  return piece;
}

report::ListItem finding_item(const rules::Finding& finding) {
  report::ListItem item;
  item.text = report::prose(fmt::format("[{}] {}, {}: {} ({})", report::severity_name(finding.severity),
                                        code(finding.rule), report::certainty_name(finding.certainty),
                                        report::from_backquotes(report::as_sentence(finding.message)),
                                        place(finding.path, finding.start_line, finding.end_line)));
  report::Document inner;
  std::vector<std::string> lines;
  if (!finding.why.empty()) lines.push_back(fmt::format("Why: {}", report::from_backquotes(finding.why)));
  if (!finding.fix.empty()) lines.push_back(fmt::format("Fix: {}", report::from_backquotes(finding.fix)));
  for (std::size_t i = 0; i < finding.evidence.size() && i < kMostEvidence; ++i) {
    const rules::Evidence& step = finding.evidence[i];
    lines.push_back(fmt::format("{}: {}", place(step.path, step.line), report::from_backquotes(step.message)));
  }
  inner.bullets(lines);
  item.children = std::move(inner.blocks);
  return item;
}

Piece findings_piece(const DocumentInputs& inputs) {
  Piece piece;
  piece.kind = PieceKind::kFindings;
  piece.name = "findings";
  piece.content.heading(3, "Findings of Lockstep's rules");
  if (inputs.findings.empty()) {
    piece.content.paragraph("None.");
    return piece;
  }
  report::List list;
  for (const rules::Finding& finding : inputs.findings) list.items.push_back(finding_item(finding));
  piece.content.blocks.push_back({std::move(list)});
  return piece;
}

std::vector<std::string> trace_lines(const mesh::MeshAnalysis* mesh, FunctionId function) {
  if (mesh == nullptr || !function.valid() || !mesh->may_communicate(function)) return {};
  std::vector<std::string> lines;
  const std::string text = mesh->trace_text(function);
  for (const std::string_view line : split_lines(text)) {
    if (lines.size() == kMostTraceLines) {
      lines.emplace_back("… (more)");
      break;
    }
    if (!trim(line).empty()) lines.emplace_back(line);
  }
  return lines;
}

Piece collectives_piece(const DocumentInputs& inputs, const Story& story) {
  Piece piece;
  piece.kind = PieceKind::kCollectives;
  piece.name = "collective traces";
  piece.content.heading(3, "Collectives that it issues");
  bool any = false;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const change::EntityChange& entity = *story.actor(i).change;
    const std::string name = code(report::short_name(inputs, entity));
    const auto after =
        entity.after ? trace_lines(inputs.after_mesh, entity.after->function) : std::vector<std::string>();
    const auto before =
        entity.before ? trace_lines(inputs.before_mesh, entity.before->function) : std::vector<std::string>();
    if (after.empty() && before.empty()) continue;
    any = true;
    const auto add = [&](const std::vector<std::string>& lines, std::string caption) {
      report::CodeBlock block;
      block.language = "text";
      block.caption = std::move(caption);
      block.lines = lines;
      piece.content.code_block(std::move(block));
    };
    if (after == before) {
      std::vector<std::string> first = after;
      if (first.size() > kMostUnchangedLines) {
        first.resize(kMostUnchangedLines);
        first.emplace_back("\u2026 (more)");
      }
      add(first, name + ", the same on both sides");
      continue;
    }
    if (!before.empty()) add(before, name + ", before");
    if (!after.empty()) add(after, name + (entity.before ? ", after" : ", new"));
    if (after.empty() && entity.after) piece.content.paragraph(name + ", after: none.");
  }
  if (!any) piece.content.paragraph("None is known in the central changed functions and what they call.");
  return piece;
}

/// What the last edit of lines of the functions that carry the change had replaced.
std::vector<std::string> last_edits(const PackInputs& inputs, const Story& story) {
  constexpr std::size_t kMostEdited = 3, kMostLines = 6;
  std::vector<const Actor*> edited;
  std::vector<repo::TouchedLines> lines;
  for (std::size_t i = 0; i < story.central.size() && i < kMostEdited; ++i) {
    const Actor& actor = story.actor(i);
    if (!actor.is_function() || !actor.change->before || !actor.change->after) continue;
    edited.push_back(&actor);
    lines.push_back(report::replaced_lines(actor));
  }
  std::vector<std::string> items;
  const std::vector<std::vector<repo::LineEdit>> edits = inputs.line_edits(lines, 1);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].empty()) continue;
    std::vector<std::string> was;
    for (const std::string& line : edits[i].front().removed) {
      const std::string_view shown = trim(line);
      if (!shown.empty() && was.size() < kMostLines) was.push_back(code(shown));
    }
    if (!was.empty())
      items.push_back(fmt::format("In the place of what goes from {} stood before {}: {}.",
                                  code(report::short_name(inputs.document, *edited[i]->change)),
                                  code(edits[i].front().commit.id.substr(0, 10)), join(was, "; ")));
  }
  return items;
}

/// The commits that wrote most of the lines, in the order of `wrote`.
std::vector<repo::LineOrigin> main_origins(const std::vector<repo::LineOrigin>& wrote) {
  std::vector<std::size_t> chosen(wrote.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return wrote[a].lines > wrote[b].lines; });
  if (chosen.size() > kMostOrigins) chosen.resize(kMostOrigins);
  std::sort(chosen.begin(), chosen.end());
  std::vector<repo::LineOrigin> origins;
  for (const std::size_t i : chosen) origins.push_back(wrote[i]);
  return origins;
}

Piece history_piece(const PackInputs& inputs, const Story& story) {
  Piece piece;
  piece.kind = PieceKind::kHistory;
  piece.name = "history of the lines";
  piece.content.heading(3, "History of the lines that it replaces (subjects quoted)");
  const auto commit_text = [](const repo::CommitInfo& commit) {
    return fmt::format("{} {} \u201c{}\u201d", code(commit.id.substr(0, 10)), commit.date.substr(0, 10),
                       report::own_words(commit.subject.substr(0, 120)));
  };
  std::vector<std::string> items;
  for (const repo::FileHistory& file : inputs.history) {
    std::vector<std::string> parts;
    for (const repo::LineOrigin& origin : main_origins(file.wrote))
      parts.push_back(fmt::format("{} by {}", count_of(origin.lines, "line"), commit_text(origin.commit)));
    if (file.wrote.size() > parts.size())
      parts.push_back(fmt::format("the rest by {}", count_of(file.wrote.size() - parts.size(), "more commit")));
    if (parts.empty()) {
      for (std::size_t i = 0; i < file.newest.size() && i < 2; ++i)
        parts.push_back(fmt::format("last changed by {}", commit_text(file.newest[i])));
    }
    if (!parts.empty()) items.push_back(fmt::format("{}: {}.", place(file.path), join(parts, "; ")));
  }
  if (inputs.line_edits) {
    for (report::LinePast& past : report::line_past(inputs.document, story, inputs.line_edits))
      items.push_back(std::move(past.sentence));
    for (std::string& edit : last_edits(inputs, story)) items.push_back(std::move(edit));
  }
  if (items.empty()) {
    piece.content.paragraph("Not known: no file that was there before changes, or the history is not at hand.");
  } else {
    piece.content.bullets(items);
  }
  return piece;
}

Piece files_piece(const DocumentInputs& inputs) {
  Piece piece;
  piece.kind = PieceKind::kFiles;
  piece.name = "all files";
  piece.content.heading(3, "All files of the change");
  std::vector<std::string> items = report::alike_items(report::files_in_order(inputs), kMostFiles);
  piece.content.bullets(items);
  return piece;
}

}  // namespace

std::vector<Piece> fact_pieces(const PackInputs& inputs, const Story& story, const Leads& leads, Purpose purpose) {
  const DocumentInputs& document = inputs.document;
  const std::vector<report::Risk> risks = report::risks_of(document, story);
  std::vector<Piece> pieces;
  pieces.push_back(why_piece(document, story));
  pieces.push_back(what_piece(document, story));
  if (auto followed = followed_piece(story)) pieces.push_back(std::move(*followed));
  pieces.push_back(runs_piece(document, story));
  pieces.push_back(settings_piece(document, story));
  for (Piece& piece : callers_pieces(document, story)) pieces.push_back(std::move(piece));
  pieces.push_back(state_piece(document, leads.state));
  pieces.push_back(names_piece(document, leads.names));
  if (auto bindings = bindings_piece(document, story)) pieces.push_back(std::move(*bindings));
  if (auto dependencies = dependencies_piece(document)) pieces.push_back(std::move(*dependencies));
  pieces.push_back(breaks_piece(risks));
  pieces.push_back(tests_piece(document, story, risks));
  pieces.push_back(findings_piece(document));
  pieces.push_back(collectives_piece(document, story));
  pieces.push_back(demands_piece(inputs, story));
  pieces.push_back(history_piece(inputs, story));
  pieces.push_back(files_piece(document));
  if (purpose == Purpose::kReview) {  // what a reviewer starts from
    const auto findings = std::find_if(pieces.begin(), pieces.end(),
                                       [](const Piece& piece) { return piece.kind == PieceKind::kFindings; });
    std::rotate(pieces.begin() + 2, findings, findings + 1);
  }
  for (Piece& piece : pieces) complete(piece);
  return pieces;
}

}  // namespace lockstep::writer
