// Changes between small programs held in memory, with everything the documents are written from.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "report/inputs.h"

namespace lockstep::render {

using Files = std::map<std::string, std::string>;

/// A change with all that its inputs refer to.
struct Fixture {
  repo::Snapshot before_files, after_files;
  program::Program before, after;
  repo::SnapshotDiff diff;
  change::Change change;
  mesh::MeshAnalysis before_mesh, after_mesh;
  std::vector<program::Reached> step_path;
  std::vector<rules::Finding> findings;
  report::DocumentInputs inputs;
};

std::unique_ptr<Fixture> make_fixture(const Files& before, const Files& after, std::string title,
                                      std::string body = {});

/// The documents on such a change as Markdown.
std::string explain_of(const Files& before, const Files& after, std::string title = "Change it", std::string body = {});
std::string dive_of(const Files& before, const Files& after);
/// What the documents choose from, of each central entity: its contract, what its steps do where it is new, what was
/// there and is otherwise now, its flow of control; and all risks.
std::string parts_of(const Files& before, const Files& after);
/// The files with `old_text` in one of them replaced.
Files with_edit(Files files, const std::string& path, std::string_view old_text, std::string_view new_text);
bool says(const std::string& text, std::string_view words);

/// Compares `text` with tests/render/goldens/NAME; with LOCKSTEP_UPDATE_GOLDENS=1 writes the file instead.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace lockstep::render
