#include "render/document_fixture.h"

#include <gtest/gtest.h>

#include "base/strings.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "change/changed_functions.h"
#include "program/link.h"
#include "render/markdown.h"
#include "report/documents/dive.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/explain.h"
#include "report/documents/parts.h"
#include "report/documents/risks.h"
#include "report/story/wording/before_after.h"
#include "report/story/wording/changes.h"

namespace lockstep::render {

namespace {

program::Program link_files(const Files& files) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, text] : files) {
    if (path.ends_with(".py")) sources.push_back({path, python::extract_facts(text)});
  }
  return program::link(std::move(sources), {});
}

}  // namespace

std::unique_ptr<Fixture> make_fixture(const Files& before, const Files& after, std::string title, std::string body) {
  auto fixture = std::make_unique<Fixture>();
  fixture->before_files = repo::memory_snapshot(before);
  fixture->after_files = repo::memory_snapshot(after);
  fixture->before = link_files(before);
  fixture->after = link_files(after);
  fixture->diff = repo::diff_snapshots(fixture->before_files, fixture->after_files);
  fixture->change = change::compare(fixture->before, fixture->after, fixture->diff);
  const auto mesh_of = [&](const program::Program& program, bool is_after) {
    const std::vector<program::FunctionId> changed = change::changed_functions(fixture->change, program, is_after);
    mesh::MeshOptions options;
    options.told = &changed;
    return mesh::analyse_mesh(program, options);
  };
  fixture->before_mesh = mesh_of(fixture->before, false);
  fixture->after_mesh = mesh_of(fixture->after, true);
  fixture->step_path = program::step_path(fixture->after, {});
  report::DocumentInputs& inputs = fixture->inputs;
  inputs.title = std::move(title);
  inputs.body = std::move(body);
  inputs.author = "Ada Example <ada@example.com>";
  inputs.before_name = "main";
  inputs.after_name = "topic";
  inputs.before = &fixture->before;
  inputs.after = &fixture->after;
  inputs.before_mesh = &fixture->before_mesh;
  inputs.after_mesh = &fixture->after_mesh;
  inputs.change = &fixture->change;
  inputs.step_path = &fixture->step_path;
  inputs.before_files = &fixture->before_files;
  inputs.after_files = &fixture->after_files;
  return fixture;
}

std::string explain_of(const Files& before, const Files& after, std::string title, std::string body) {
  return render_markdown(report::write_explain(make_fixture(before, after, std::move(title), std::move(body))->inputs));
}

std::string dive_of(const Files& before, const Files& after) {
  return render_markdown(report::write_dive(make_fixture(before, after, "Change it")->inputs));
}

std::string parts_of(const Files& before, const Files& after) {
  using namespace report;
  const std::unique_ptr<Fixture> fixture = make_fixture(before, after, "Change it");
  const DocumentInputs& inputs = fixture->inputs;
  const Story story = find_story(inputs);
  Document document;
  for (const std::size_t index : story.central) {
    const Actor& actor = story.actors[index];
    document.heading(2, code(actor.change->latest().qualified_name));
    if (!actor.is_function() || !actor.change->after) continue;
    document.bullets(contract_items(contract_for(inputs, actor), 5));
    if (actor.is_added())
      document.bullets(
          block_words(actor.steps.after, 0, actor.steps.after.size(), context_after(inputs, actor), 100, 100));
    std::vector<std::vector<std::string>> rows;
    for (const BeforeAfter& row : before_after(inputs, actor, 100))
      rows.push_back({code(short_name(inputs, *actor.change)) + (row.aspect.empty() ? "" : ", " + row.aspect),
                      row.before, row.after});
    if (!rows.empty()) document.table({"Where", "Before", "After"}, rows);
    if (const auto flow = control_flow_diagram(inputs, actor)) document.diagram(*flow, "Flow of control:");
  }
  std::vector<std::string> risks;
  for (const Risk& risk : risks_of(inputs, story)) risks.push_back(risk.concern + " " + risk.status);
  document.bullets(risks);
  return render_markdown(document);
}

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(LOCKSTEP_SOURCE_DIR) + "/tests/render/goldens/" + name;
  if (std::getenv("LOCKSTEP_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.good()) << "no golden " << path << "; write it with LOCKSTEP_UPDATE_GOLDENS=1";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << "accept with LOCKSTEP_UPDATE_GOLDENS=1 if the new text is right";
}

Files with_edit(Files files, const std::string& path, std::string_view old_text, std::string_view new_text) {
  files[path] = replace_all(files[path], old_text, new_text);
  return files;
}

}  // namespace lockstep::render
