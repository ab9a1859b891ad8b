// Section 4 of the deep dive: entry point, call chain, data flow, annotated code.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/documents/areas.h"
#include "report/documents/content/choice_tables.h"
#include "report/documents/content/concepts.h"
#include "report/documents/content/return_tables.h"
#include "report/documents/dive_parts.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/documents/excerpts/excerpt_lines.h"
#include "report/documents/file_parts.h"
#include "report/documents/files.h"
#include "report/documents/parts.h"
#include "report/documents/runs/built_from.h"
#include "report/documents/runs/chosen.h"
#include "report/documents/runs/origins.h"
#include "report/documents/runs/receiver_choices.h"
#include "report/documents/runs/switches.h"
#include "report/documents/runs/way_table.h"
#include "report/documents/runs/ways.h"
#include "report/documents/settings/asked_members.h"
#include "report/documents/tests/test_code.h"
#include "report/source/communicating_words.h"
#include "report/story/calls/calls.h"
#include "report/story/steps/edit_kinds.h"
#include "report/story/steps/mended_imports.h"
#include "report/story/wording/changes.h"
#include "report/story/wording/status.h"
#include "report/story/wording/told_guards.h"
#include "report/ways/functions/started_bodies.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

namespace {

/// Whether the function, or one that it calls, has a decorator that is not known to hand its arguments on as they are.
bool is_decorated_on_the_way(const program::Program& program, const change::EntityChange& entity) {
  if (!entity.after || !entity.after->function.valid()) return false;
  const rules::Signatures signatures(program);
  if (!signatures.is_transparent(entity.after->function)) return true;
  for (const program::CallId call : program.functions()[entity.after->function].calls) {
    for (const program::CallTarget& target : program.calls()[call].targets) {
      if (target.function.valid() && !signatures.is_transparent(target.function)) return true;
    }
  }
  return false;
}

/// "no known collective was found in it; the docstring of `f` (`a.py:3`), below it, speaks of communication.": what
/// speaks of communication where no collective is known; empty where nothing does.
std::string spoken_communication(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.change->after) return {};
  const program::Program& program = *inputs.after;
  const program::FunctionId function = actor.change->after->function;
  const CommunicatingWords words = communicating_words(
      program, function, [&](const python::Call& call) { return stands_in_change(actor, call.span); });
  if (words.call != nullptr)
    return fmt::format("no collective of torch.distributed was found in it; {} ({}) can move a DTensor between ranks.",
                       code(one_line(source_of(program, function), *words.call, 60)),
                       place_of(program, program.functions()[function].module, words.call->span));
  if (!words.documented.valid()) return {};
  return fmt::format(
      "no known collective was found in it; the docstring of {} ({}), below it, speaks of communication.",
      code(short_name(program, words.documented)), place_of(program, words.documented));
}

/// "it issues no collective itself; `f` (line 3), which it calls, can come to some.": the first call in the code of
/// the function that may enter one from which the call graph leads to a collective; empty where none is found.
std::string communicating_callee(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.change->after || inputs.after_mesh == nullptr) return {};
  const program::Program& program = *inputs.after;
  const program::FunctionId function = actor.change->after->function;
  for (const bool surely : {true, false}) {
    for (const program::CallId id : program.functions()[function].calls) {
      const program::CallSite& site = program.calls()[id];
      for (const program::CallTarget& target : site.targets) {
        // What is registered, or runs in the backward pass, is not entered here.
        const bool is_entered =
            target.kind != program::CallKind::kCallback && target.kind != program::CallKind::kAutograd;
        const bool leads = target.function.valid() && target.function != function && site.node != nullptr &&
                           is_entered && inputs.after_mesh->may_communicate(target.function) &&
                           (!surely || program::surely_enters(site, target.function));
        if (!leads) continue;
        return fmt::format("it issues no collective itself; {} ({}) {} {}, from which calls can lead to collectives.",
                           code(one_line(source_of(program, function), *site.node, 60)),
                           place_of(program, program.functions()[function].module, site.node->span),
                           surely ? "enters" : "may enter", code(short_name(program, target.function)));
      }
    }
  }
  return {};
}

/// Whether the statement holds others.
bool opens_block(const python::Node& statement) {
  return !python::is<python::Assign>(&statement) && !python::is<python::AnnAssign>(&statement) &&
         !python::is<python::Return>(&statement) && !python::is<python::ExprStmt>(&statement);
}

/// The lines that open the block of a guard; all lines of a statement that opens none.
std::vector<std::string> head_lines(const python::Node& statement, const SourceText& source) {
  constexpr std::size_t kMostLines = 8;
  const std::uint32_t line = source.line_of(statement.span.begin);
  const std::string text(source.line(line));
  // As it stands, up to the line before its body.
  const auto head = [&](const python::Expr* end, const python::Stmt* body) {
    const std::uint32_t first_of_body = source.line_of(body->span.begin);
    std::uint32_t last = source.line_of(end->span.end - 1);
    while (last + 1 < first_of_body && !trim(source.line(last)).ends_with(":")) ++last;
    std::vector<std::string> lines;
    for (std::uint32_t at = line; at <= last; ++at) lines.emplace_back(source.line(at));
    return fit_statement(std::move(lines), kMostLines);
  };
  const auto* branch = python::as<python::If>(&statement);
  if (branch != nullptr && !branch->body.empty()) return head(branch->condition, branch->body.front());
  const auto* repeated = python::as<python::While>(&statement);
  if (repeated != nullptr && !repeated->body.empty()) return head(repeated->condition, repeated->body.front());
  const auto* loop = python::as<python::For>(&statement);
  if (loop != nullptr && !loop->body.empty()) return head(loop->iterable, loop->body.front());
  std::vector<std::string> out = {text};
  for (std::uint32_t at = line + 1; !opens_block(statement) && at <= source.line_of(statement.span.end - 1); ++at)
    out.emplace_back(source.line(at));
  return fit_statement(std::move(out), kMostLines);
}

/// The call that leads into the changed function, with the branches around it.
CodeBlock entry_code(const DocumentInputs& inputs, const PathFrame& frame, program::FunctionId next,
                     const std::string& callee) {
  const program::Program& program = *inputs.after;
  const SourceText& source = source_of(program, frame.function);
  CodeBlock block;
  block.language = "python";
  block.path = program.module_of(frame.function).path;
  const std::uint32_t call_line = source.line_of(frame.call->span.begin);
  const std::uint32_t call_end = source.line_of(frame.call->span.end - 1);
  block.first_line = call_line;
  block.last_line = call_end;
  const auto* def = program.functions()[frame.function].def();
  const auto line_text = [&](std::uint32_t line) { return std::string(source.line(line)); };
  std::uint32_t previous = call_line;
  if (def != nullptr) {
    const std::uint32_t line = source.line_of(def->span.begin);
    const std::string header = line_text(line);
    const std::size_t indent = header.find_first_not_of(' ');
    // Without parameters nothing is left out, so what it gives (`-> None`) stays too.
    const bool stands_there = def->parameters->all.empty() && header.ends_with(':') && indent != std::string::npos &&
                              std::string_view(header).substr(indent).starts_with(def->is_async ? "async" : "def");
    block.lines.push_back(
        stands_there
            ? header
            : fmt::format("{}{}def {}({}):", std::string(indent == std::string::npos ? 0 : indent, ' '),
                          def->is_async ? "async " : "", def->name.text, def->parameters->all.empty() ? "" : "..."));
    previous = line;
  }
  for (const Guard& guard : told_guards(frame.guards, source)) {
    const std::uint32_t line = source.line_of(guard.statement->span.begin);
    if (line >= call_line || line <= previous || python::is<python::IfExp>(guard.statement) ||
        python::is<python::BoolOp>(guard.statement))
      continue;
    const std::size_t indent = std::min(line_text(line).find_first_not_of(' '), std::size_t{40});
    if (line > previous + 1) block.lines.push_back(std::string(indent, ' ') + "# ...");
    const auto* branch = python::as<python::If>(guard.statement);
    const bool leaves = branch != nullptr && !branch->span.contains(frame.call->span);
    if (branch != nullptr && (guard.negated || leaves)) {
      const std::string_view how = !leaves         ? "in the else branch of"
                                   : guard.negated ? "only where this did not leave"
                                                   : "only where this held";
      block.lines.push_back(
          fmt::format("{}# {}: {}", std::string(indent, ' '), how, one_line(source, *branch->condition, 80)));
    } else {
      const bool holds_call = !opens_block(*guard.statement) && guard.statement->span.contains(frame.call->span);
      const std::vector<std::string> head =
          holds_call ? std::vector<std::string>{line_text(line)} : head_lines(*guard.statement, source);
      block.lines.insert(block.lines.end(), head.begin(), head.end());
      if (head.size() > 1) {
        const auto behind = line + static_cast<std::uint32_t>(head.size()) - 1;
        previous = opens_block(*guard.statement) ? std::min(behind, call_line)
                                                 : std::min(source.line_of(guard.statement->span.end - 1), call_line);
        continue;
      }
    }
    previous = line;
  }
  if (call_line > previous + 1) {
    const std::size_t indent = std::min(line_text(call_line).find_first_not_of(' '), std::size_t{40});
    block.lines.push_back(std::string(indent, ' ') + "# ...");
  }
  constexpr std::size_t kMostOfCall = 10;
  std::vector<std::string> made;
  for (std::uint32_t line = call_line; line <= call_end; ++line) made.push_back(line_text(line));
  made = fit_statement(std::move(made), kMostOfCall);
  const BodyStart start = body_start(program, frame.function, frame.call, next);
  const std::string_view verb = frame.handing == Handing::kRegisters ? "registers"
                                : frame.handing == Handing::kHandsOn ? "hands on"
                                : frame.handing == Handing::kLooksUp ? "looks up"
                                : start == BodyStart::kAsTask        ? "starts, as a task,"
                                : start == BodyStart::kWhenIterated  ? "makes the async generator"
                                                                     : "enters";
  made.front() += fmt::format("  # <-- {} {}", verb, callee);
  block.lines.insert(block.lines.end(), made.begin(), made.end());
  std::size_t common = SIZE_MAX;
  for (const std::string& line : block.lines) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at != std::string::npos) common = std::min(common, at);
  }
  for (std::string& line : block.lines) line.erase(0, std::min(common, line.size()));
  return block;
}

void add_entry_point(Document& document, const DiveInputs& dive) {
  document.heading(3, "4.1 Entry Point");
  if (dive.story.central.empty()) {
    const std::vector<std::string> starts = workflow_starts(dive.inputs);
    if (starts.empty()) {
      const std::string imports = entered_imports(dive.inputs, true);
      document.paragraph(imports.empty() ? "N/A - no Python function changes, so no run enters new code." : imports);
    } else {
      document.bullets(starts);
    }
    return;
  }
  if (dive.story.only_tests) {
    const auto is_test = [&](std::size_t central) {
      const std::string name = short_name(dive.inputs, *dive.story.actors[central].change);
      return name.starts_with("test") || name.starts_with("Test");
    };
    const std::vector<std::string> scripts = scripts_among_tests(dive.inputs);
    const bool has_tests = std::any_of(dive.story.central.begin(), dive.story.central.end(), is_test);
    if (has_tests)
      document.paragraph(scripts.empty() ? "Only tests change; the test runner enters them directly."
                                         : "The test runner enters the tests directly.");
    document.bullets(scripts);
    if (!has_tests && scripts.empty()) document.paragraph("Only code of tests changes; it runs where tests use it.");
    return;
  }
  const std::size_t first = dive.story.lead();
  const std::size_t lead = dive.story.is_cosmetic() ? first : first_with_script(dive.story, first);
  const auto tell_origin = [&] {
    if (const std::string origin = origin_text(dive.inputs, dive.story, first); !origin.empty())
      document.paragraph(origin);
  };
  document.paragraph(reach_text(dive.inputs, dive.story, lead));
  if (lead == first) tell_origin();
  const std::string conditions = path_conditions(dive.inputs, dive.story.entries[lead]);
  if (!conditions.empty()) document.paragraph(conditions);
  if (const auto rows = way_rows(dive.inputs, dive.story.entries[lead]); !rows.empty())
    document.paragraph("This way, call by call:").table({"Call", "Place", "Only when"}, rows);
  if (const std::string on = switches_text(dive.inputs, dive.story.actor(lead)); !on.empty()) document.paragraph(on);
  if (lead != first) {
    document.paragraph(reach_from(dive.inputs, dive.story, first, lead));
    tell_origin();
  }
  if (const std::string start = start_text(dive.inputs, dive.story, lead); !start.empty()) document.paragraph(start);
  if (const std::string members = asked_members_text(dive.inputs, dive.story, lead); !members.empty())
    document.paragraph(members);
  if (const std::string chosen = chosen_text(dive.inputs, dive.story, lead); !chosen.empty())
    document.paragraph(chosen);
  const auto& frames = dive.story.entries[lead].frames;
  const std::string name = short_name(dive.inputs, *dive.story.actor(lead).change);
  if (frames.size() >= 2 && frames[frames.size() - 2].call != nullptr)
    document.code_block(entry_code(dive.inputs, frames[frames.size() - 2], frames.back().function, name));
  std::vector<std::string> others;
  for (std::size_t i = 0; i < dive.story.central.size() && others.size() < 3; ++i) {
    if (i == lead || i == first || dive.story.entries[i].frames.size() < 2) continue;
    others.push_back(reach_from(dive.inputs, dive.story, i, lead));
    if (const std::string defaults = path_defaults(dive.inputs, dive.story.entries[i]); !defaults.empty())
      others.back() += " " + defaults;
    if (const std::string held = receiver_holding_text(*dive.inputs.after, dive.story.entries[i]); !held.empty())
      others.back() += " " + held;
    if (const std::string made = receiver_made_text(*dive.inputs.after, dive.story.entries[i]); !made.empty())
      others.back() += " " + made;
  }
  document.bullets(others);
}

void add_call_chain(Document& document, const DiveInputs& dive) {
  document.heading(3, "4.2 Call Chain Visualization");
  if (auto diagram = best_sequence(dive.inputs, dive.story)) {
    document.diagram(*diagram);
    return;
  }
  if (dive.story.central.empty()) {
    document.paragraph("N/A - no function changes, so there is no call to draw.");
    return;
  }
  const Actor& lead = dive.story.actor(dive.story.lead());
  document.paragraph(lead.is_module_code ? "N/A - the file's own code changes, which runs when it is loaded."
                     : lead.is_function()
                         ? "N/A - no way of a run to what changed was found, and no call in its changed "
                           "lines that could be drawn."
                         : "N/A - what changed is not called as a function.");
}

/// One drawing of the data of a function, with the shapes that its code states there.
void add_data_drawing(Document& document, const std::string& name, const Contract& contract,
                      const DataFlowDrawing& drawing) {
  const bool communicates = std::any_of(drawing.chart.nodes.begin(), drawing.chart.nodes.end(),
                                        [](const auto& node) { return node.shape == NodeShape::kCommunication; });
  document.diagram(drawing.chart,
                   fmt::format("Data in {}{}{}{}:", name, drawing.condition.empty() ? "" : " ", drawing.condition,
                               communicates ? "; hexagons communicate between ranks" : ""));
  std::vector<std::string> shapes;
  for (const ContractInput& input : contract.inputs) {
    if (!input.shape.empty() && shapes.size() < 4)
      shapes.push_back(fmt::format("{} comes in as {}", code(input.name), code(input.shape)));
  }
  for (const ShapeFact& fact : contract.shapes) {
    const bool is_of_other = std::any_of(drawing.others.begin(), drawing.others.end(), [&](const auto& lines) {
      return fact.line >= lines.first && fact.line <= lines.second;
    });
    if (!fact.shape.empty() && !is_of_other && shapes.size() < 6)
      shapes.push_back(fmt::format("{} is {} (line {})", code(fact.name), code(fact.shape), fact.line + 1));
  }
  if (!shapes.empty()) document.paragraph("Shapes, as comments and code state them: " + join(shapes, "; ") + ".");
}

void add_data_flow(Document& document, const DiveInputs& dive) {
  document.heading(3, "4.3 Data Flow");
  if (draws_trail_first(dive)) {
    document.paragraph("Section 2.1 draws how what is new passes from function to function.");
  } else {
    add_trail(document, dive.trail);
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < dive.story.central.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return dive.story.central[a] < dive.story.central[b]; });
  // The heaviest whose data takes more than a step or two; where there is none, the one with the longest way.
  std::size_t best = dive.story.central.size();
  std::size_t most_edges = 0;
  for (const std::size_t i : order) {
    const std::vector<DataFlowDrawing> flows = data_flow_diagrams(dive.inputs, dive.story.actor(i));
    std::size_t edges = 0;
    for (const DataFlowDrawing& one : flows) edges += one.chart.edges.size();
    if (edges <= most_edges) continue;
    best = i;
    most_edges = edges;
    if (most_edges >= 3) break;
  }
  if (best < dive.story.central.size()) {
    const std::size_t i = best;
    const Contract contract = contract_of(context_after(dive.inputs, dive.story.actor(i)));
    for (const DataFlowDrawing& one : data_flow_diagrams(dive.inputs, dive.story.actor(i)))
      add_data_drawing(document, code(short_name(dive.inputs, *dive.story.actor(i).change)), contract, one);
    const std::string spoken = spoken_communication(dive.inputs, dive.story.actor(i));
    const std::string ranks =
        contract.collectives.empty()
            ? contract.below.empty()
                  ? contract.may_communicate ? communicating_callee(dive.inputs, dive.story.actor(i))
                    : !spoken.empty()        ? spoken
                    : is_decorated_on_the_way(*dive.inputs.after, *dive.story.actor(i).change)
                        ? std::string(
                              "no collective was found in it; what its decorators and those of its callees do around "
                              "them was not followed.")
                        : std::string("no collective was found in it or in what it is known to call.")
                  : "it issues no collective itself; below it ranks meet in " + join(contract.below, "; ") + "."
            : "ranks meet in " + join(contract.collectives, "; ") + ".";
    if (!ranks.empty())
      document.paragraph(fmt::format("Of {}: {}", code(short_name(dive.inputs, *dive.story.actor(i).change)), ranks));
    return;
  }
  if (!dive.trail.charts.empty()) return;
  document.paragraph(dive.story.central.empty() ? "N/A - no data passes through what changes."
                                                : "N/A - the changed definitions move no data that the code names.");
}

/// What each of the first few files is about, with its changed lines.
void add_changed_files(Document& document, const DiveInputs& dive) {
  std::size_t shown = 0;
  for (const AlikeFiles& group : alike(files_in_order(dive.inputs))) {
    const change::FileSummary* file = group.files.front();
    CodeBlock block = file_excerpt(*file, 30);
    if (block.lines.empty() || shown == 4) continue;
    document.paragraph(fmt::format("{}: {}", alike_names(group, 8), as_sentence(from_backquotes(file->summary))));
    if (FileTable table = file_table(dive.inputs, *file, 16); table.rows.size() > 1)
      document.table(table.header, table.rows);
    document.code_block(std::move(block));
    ++shown;
  }
  if (shown == 0) document.paragraph("N/A - no file with lines of text changes.");
}

void add_core_code(Document& document, const DiveInputs& dive) {
  document.heading(3, "4.4 Core Code Walkthrough");
  if (dive.story.central.empty()) {
    add_changed_files(document, dive);
    return;
  }
  const std::size_t lead = dive.story.lead();
  // What calls another one stands before it, but for constructors, and where that would part what belongs together.
  const auto calls_other = [&](std::size_t caller, std::size_t callee) {
    const auto& to = dive.story.actor(callee).change->after;
    if (!to || !to->function.valid()) return false;
    if (calls(*dive.inputs.after, *dive.story.actor(caller).change, to->function)) return true;
    // By its name alone, on what is of no known class.
    const auto& from = dive.story.actor(caller).change->after;
    const std::string_view name = dive.inputs.after->functions()[to->function].name;
    bool may = false;
    if (from && from->node != nullptr)
      python::walk_of<python::Call>(*from->node, python::Nested::kEnter,
                                    [&](const python::Call* call) { may = may || callee_name(*call) == name; });
    return may;
  };
  bool is_in_order = true;
  for (std::size_t later = 1; later < dive.story.central.size(); ++later) {
    for (std::size_t i = 0; i < later; ++i)
      is_in_order = is_in_order && (!calls_other(later, i) || calls_other(i, later));
  }
  const bool has_constructor =
      std::any_of(dive.story.central.begin(), dive.story.central.end(), [&](std::size_t index) {
        const change::EntityChange& entity = *dive.story.actors[index].change;
        return entity.kind == change::EntityKind::kClass || short_name(dive.inputs, entity).ends_with("__init__");
      });
  document.paragraph(
      fmt::format("{}{} stands for code that is left out, comments that begin with "
                  "Step, Edge case, Assumption or Communication are added here.",
                  dive.story.central.size() < 2 || !is_in_order ? ""
                  : has_constructor ? "Classes and constructors first, then callers before what they call, "
                                      "as far as the call graph shows it; "
                                    : "Callers before what they call, as far as the call graph shows it; ",
                  code("# ...")));
  for (std::size_t i = 0; i < dive.story.central.size(); ++i) {
    const Actor& actor = dive.story.actor(i);
    const auto& entity = *actor.change;
    document.heading(
        4, fmt::format("{} \u2014 {}", code(short_name(dive.inputs, entity)), status_with_origin(dive.inputs, entity)));
    if (!actor.is_function()) {
      for (CodeBlock& block : definition_excerpt(dive.inputs, actor, 24)) document.code_block(std::move(block));
      continue;
    }
    if (actor.is_removed()) {
      for (Excerpt& excerpt : excerpts_of(dive.inputs, actor, {})) document.code_block(std::move(excerpt.code));
      document.paragraph(removed_text(dive.inputs, entity));
      continue;
    }
    constexpr std::size_t kMostTables = 3;
    add_choice_tables(document, actor, kMostTables);
    add_return_table(document, dive.inputs, dive.story, actor);
    CodeBlock block = annotated_code(dive.inputs, actor, i == lead ? dive.detail.lead_lines : dive.detail.other_lines);
    if (!block.lines.empty()) document.code_block(std::move(block));
  }
  const std::vector<std::string> concepts = concept_notes(dive.inputs, dive.story, 4);
  if (!concepts.empty()) document.paragraph("To understand it:").bullets(concepts);
  const std::vector<std::string> insights = insight_notes(dive.inputs, dive.story, 4);
  if (!insights.empty()) document.paragraph("Worth a second look:").bullets(insights);
}

/// The section for a change of comments, documentation or layout: the lines alone.
void add_same_code(Document& document, const DiveInputs& dive) {
  for (const char* title : {"4.1 Entry Point", "4.2 Call Chain Visualization", "4.3 Data Flow"})
    document.heading(3, title).paragraph(
        "N/A - outside tests, only comments, documentation or layout of Python code change.");
  document.heading(3, "4.4 Core Code Walkthrough");
  add_changed_files(document, dive);
}

}  // namespace

void add_execution(Document& document, const DiveInputs& dive) {
  document.heading(2, "4. Execution Path Deep Dive");
  if (dive.story.is_cosmetic()) {
    add_same_code(document, dive);
    return;
  }
  add_entry_point(document, dive);
  add_call_chain(document, dive);
  add_data_flow(document, dive);
  add_core_code(document, dive);
}

}  // namespace lockstep::report
