// What the changed statements of functions give and take that is new on one side: fields, parameters, results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "python/tree.h"
#include "report/story/story.h"

namespace lockstep::report {

/// A thing that holds data between functions, which the change brings (or takes away).
struct Carrier {
  /// kKey: new data that one function puts into a dictionary under a text, and that of which another makes new data
  /// under this name, of a thing of unknown class: an answer over HTTP, whose route the call names. Tied by names
  /// alone.
  enum class Kind : std::uint8_t { kField, kParameter, kResult, kKey };
  Kind kind = Kind::kField;
  std::string name;              ///< As the code calls it; of a result what is returned, where that is short.
  std::string owner;             ///< Short name of the class of a field; empty where it is not known.
  program::ClassId cls;          ///< The class of a field; none where it is not known.
  const Actor* field = nullptr;  ///< The field, where it is an entity of the change; null otherwise.
  bool is_old = false;           ///< Of a field: both sides have it, and nothing gave it on the other one.
  bool is_of_one_sided = false;  ///< Of a parameter: its function comes (or goes) itself.
  bool is_filled =
      false;  ///< Of a field: its declaration gives it a value that is none of `None`, `False`, `""`, `[]`.
  std::vector<const Actor*> givers;  ///< Functions, each once, in the order of the story.
  std::vector<const Actor*> takers;
  /// What a function makes of what: the expressions of which a giver makes it, and those that are it in a taker. The
  /// taker of a parameter has it under its name.
  struct Use {
    const Actor* actor = nullptr;
    const python::Node* node = nullptr;
  };
  std::vector<Use> made_of;
  std::vector<Use> taken_at;
};

/// Those of one side. What only has another name there is none.
std::vector<Carrier> carriers_of(const DocumentInputs& inputs, const Story& story, bool is_after);

}  // namespace lockstep::report
