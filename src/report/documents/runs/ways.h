// How runs reach changed code, in words: the way from an entry point, the conditions on it, who calls what else.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether a frame in the middle of a long way is only counted, as a call: in its text and in its diagram.
bool is_only_counted(const std::vector<PathFrame>& frames, std::size_t frame);
/// "`pretrain.py` → `train` (`a.py:1`) → …"; empty where there is none.
std::string path_text(const DocumentInputs& inputs, const EntryPath& path);
/// Whether the frame's call only applies an autograd function, of which `callee` is the backward pass: autograd runs
/// that later.
bool enters_backward(const program::Program& program, const PathFrame& frame, program::FunctionId callee);
/// The calls in the frame's function that lead to `callee`, the frame's own among them.
std::vector<const python::Node*> calls_on(const program::Program& program, const PathFrame& frame,
                                          program::FunctionId callee);
/// Of the conditions around a frame's call, those under which every call that leads from it to `callee` stands.
/// Conditions on whose other side calls lead on, too, are left out.
std::vector<Guard> guards_of_all(const program::Program& program, const PathFrame& frame, program::FunctionId callee);
/// The conditions that guards_of_all leaves out, of those around every one of these calls.
std::vector<Guard> two_sided_of_all(const program::Program& program, const PathFrame& frame,
                                    program::FunctionId callee);
/// Under which conditions the last calls of the path are made; empty where there are none.
std::string path_conditions(const DocumentInputs& inputs, const EntryPath& path);
/// Where a condition on the path does not hold unless somebody sets what it asks for: says so; else empty.
std::string path_defaults(const DocumentInputs& inputs, const EntryPath& path);
/// Other central entities of that name, in other files.
std::vector<std::size_t> namesakes_of(const DocumentInputs& inputs, const Story& story, std::size_t index);
/// "reached from …", one or two sentences; says so where nothing reaches it.
std::string reach_text(const DocumentInputs& inputs, const Story& story, std::size_t index);
/// The same where central[told]'s way has been told: what they share is not repeated.
std::string reach_from(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t told);
/// Whether a way from a script to central[index] is known.
bool has_script(const Story& story, std::size_t index);
/// central[lead], or, where no script is found that leads to it, the first companion to which one does: its way says
/// more, and is told first.
std::size_t first_with_script(const Story& story, std::size_t lead);
/// Who called a removed function before.
std::string removed_text(const DocumentInputs& inputs, const change::EntityChange& entity);

}  // namespace lockstep::report
