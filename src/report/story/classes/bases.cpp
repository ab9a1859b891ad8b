#include "report/story/classes/bases.h"

#include <fmt/format.h>

#include <algorithm>

#include "change/names.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// The direct base that the class's header names by these words; none for one outside the repository.
ClassId base_called(const Program& program, ClassId cls, std::string_view words) {
  const program::Class& row = program.classes()[cls];
  const auto is_its_own = [&](ClassId base) {
    return std::find(row.bases.begin(), row.bases.end(), base) != row.bases.end();
  };
  const std::string_view dotted = words.substr(0, words.find('['));  // Base[T]
  for (const ClassId known : {program.resolve(row.module, dotted).cls, program.find_class(dotted)}) {
    if (known.valid() && is_its_own(known)) return known;
  }
  // By an alias, or from inside a function: the last name decides where only one base has it.
  ClassId found;
  for (const ClassId base : row.bases) {
    if (program.classes()[base].name != change::last_part(dotted)) continue;
    if (found.valid()) return {};
    found = base;
  }
  return found;
}

/// Whether code of `from` calls the method.
bool calls_it(const Program& program, ClassId from, FunctionId method) {
  const auto callers = program.callers_of(method);
  return std::any_of(callers.begin(), callers.end(), [&](program::CallId call) {
    return program.functions()[program.calls()[call].caller].owner == from;
  });
}

std::string names_of(const Program& program, const std::vector<FunctionId>& functions) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < functions.size() && i < kMost; ++i)
    names.push_back(code(std::string(program.functions()[functions[i]].name)));
  return join_words(names) + (functions.size() > kMost ? ", among others" : "");
}

}  // namespace

std::vector<NewBase> new_bases(const Program& after, const change::EntityChange& entity) {
  std::vector<NewBase> out;
  if (entity.kind != change::EntityKind::kClass || !entity.before || !entity.after || !entity.after->cls.valid())
    return out;
  const ClassId cls = entity.after->cls;
  for (const ClassId base : after.classes()[cls].bases) {
    const bool is_new = std::any_of(entity.differences.begin(), entity.differences.end(), [&](const auto& difference) {
      return difference.kind == change::DifferenceKind::kBaseAdded && base_called(after, cls, difference.after) == base;
    });
    if (!is_new) continue;
    NewBase found{base, {}, {}};
    for (const FunctionId method : after.classes()[base].methods) {
      if (calls_it(after, cls, method)) found.used.push_back(method);
    }
    for (const FunctionId method : after.classes()[cls].methods) {
      if (calls_it(after, base, method)) found.hooks.push_back(method);
    }
    out.push_back(std::move(found));
  }
  return out;
}

std::string base_words(const Program& after, const change::EntityChange& entity, const std::string& base) {
  std::string text = fmt::format("derives from {}", code(base));
  for (const NewBase& one : new_bases(after, entity)) {
    if (base_called(after, entity.after->cls, base) != one.base) continue;
    if (!one.used.empty()) text += fmt::format(", calls its {}", names_of(after, one.used));
    if (!one.hooks.empty()) {
      text += fmt::format(" and gives it {} to call", names_of(after, one.hooks));
    }
  }
  return text;
}

}  // namespace lockstep::report
