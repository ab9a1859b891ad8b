#include "report/ways/objects/named_heirs.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "program/queries.h"
#include "report/source/words.h"

namespace lockstep::report {

using program::ClassId;
using program::Program;

namespace {

/// How well the title speaks of a class: more words of its name first, then fewer others.
struct Fit {
  std::ptrdiff_t named = 0;
  std::ptrdiff_t unnamed = 0;
  bool operator<(const Fit& other) const {
    return std::make_tuple(named, -unnamed) < std::make_tuple(other.named, -other.unnamed);
  }
};

Fit fit_of(const Program& program, ClassId cls, const std::set<std::string>& title_words) {
  const std::set<std::string> words = name_words(program.classes()[cls].name);
  const auto named =
      std::count_if(words.begin(), words.end(), [&](const std::string& word) { return title_words.contains(word); });
  return {named, static_cast<std::ptrdiff_t>(words.size()) - named};
}

}  // namespace

std::set<ClassId> heirs_beside_named(const Program& program, program::FunctionId target,
                                     const std::set<std::string>& title_words) {
  // A function inside a method runs on its object.
  program::FunctionId method = target;
  while (!program.functions()[method].owner.valid() && program.functions()[method].enclosing.valid())
    method = program.functions()[method].enclosing;
  const ClassId owner = program.functions()[method].owner;
  if (!owner.valid()) return {};
  std::vector<ClassId> heirs = program::with_descendants(program, owner);
  std::erase_if(heirs, [&](ClassId one) {
    return one == owner || program::is_test_path(program.modules()[program.classes()[one].module].path);
  });
  if (heirs.size() < 2) return {};
  std::vector<std::pair<Fit, ClassId>> fits;
  for (const ClassId heir : heirs) fits.emplace_back(fit_of(program, heir, title_words), heir);
  std::stable_sort(fits.begin(), fits.end(), [](const auto& a, const auto& b) { return b.first < a.first; });
  const auto& [best, named] = fits.front();
  // What the title says of the class itself says nothing of its heirs.
  if (best.named == 0 || !(fits[1].first < best) || best.named <= fit_of(program, owner, title_words).named) return {};
  std::set<ClassId> out;
  for (const ClassId heir : heirs) {
    if (!program::are_kin(program, heir, named)) out.insert(heir);
  }
  return out;
}

}  // namespace lockstep::report
