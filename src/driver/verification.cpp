#include "driver/verification.h"

namespace lockstep::driver {

writer::CitedSides cited_sides_of(const AnalysedChange& analysed, const ChangeWords& words) {
  writer::CitedSidesInput input{
      &analysed.before, analysed.after, &analysed.sides.before, analysed.sides.after, &analysed.diff, {}, {},
      analysed.jobs};
  input.own_words = words.title + "\n" + words.body;
  for (const repo::CommitInfo& commit : analysed.sides.commits) {
    input.own_words += "\n" + commit.subject + "\n" + commit.body;
    input.commits.push_back(commit.id);
  }
  if (!analysed.sides.after_commit.empty()) input.commits.push_back(analysed.sides.after_commit);
  // Where the history is at hand the side before the change is a commit of it like others.
  input.repository = analysed.sides.repository;
  if (!input.repository && !analysed.sides.before_commit.empty()) input.commits.push_back(analysed.sides.before_commit);
  return writer::CitedSides(input);
}

writer::CitedSides cited_sides_of(const Tree& tree) {
  return writer::CitedSides({nullptr, tree.program, nullptr, tree.snapshot, nullptr, {}, {}, tree.jobs});
}

writer::Verification verify_of_change(std::string_view document, const AnalysedChange& analysed,
                                      const ChangeWords& words) {
  return writer::verify_document(document, cited_sides_of(analysed, words));
}

writer::Verification verify_of_tree(std::string_view document, const Tree& tree) {
  return writer::verify_document(document, cited_sides_of(tree));
}

}  // namespace lockstep::driver
