// A call of what a table holds -> the table, the key under which it holds what is entered, and what the key that is
// asked for comes from:
//   KINDS = {"muon": Entry(cls=Muon)}
//   def make(name): return KINDS[name].cls(params)
//   make(config.optimizer)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Marked text of what a call takes out of a table.
struct TableLookUp {
  std::string table;      ///< Its name.
  std::string key;        ///< The literal under which it holds what is entered.
  std::string key_place;  ///< Where it does.
  std::string asked;      ///< What the call asks for.
  std::string asked_place;
  std::string given;    ///< The attribute that this is set from; empty where that is not known.
  std::string setting;  ///< Its plain name.
  std::string given_place;
};

/// What `frames[at]` takes out of a table of a module, where its call enters the next frame; none where the table, or
/// the key of what is entered, is not known.
std::optional<TableLookUp> table_look_up(const program::Program& program, const std::vector<PathFrame>& frames,
                                         std::size_t at);

/// A call that hands on what a table holds under a key that is worked out: `passes.append(PASSES[name])`.
struct TableTaking {
  program::FunctionId function;  ///< That makes it.
  const python::Call* call = nullptr;
};

/// Where code outside tests takes the function, one at the top of its module, out of the only table of a module that
/// holds it, under one literal key. None where a branch around the call asks for another key. Of several the one that
/// gives the parameters `asked` most by name (`partial(PASSES[name], quick=True)`), else the last.
std::optional<TableTaking> taken_from_table(const program::Program& program, program::FunctionId function,
                                            const std::vector<std::string_view>& asked);

}  // namespace lockstep::report
