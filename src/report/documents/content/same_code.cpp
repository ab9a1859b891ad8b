#include "report/documents/content/same_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kFewestSteps = 4;  ///< Of all that is told together: fewer are an idiom.
constexpr std::size_t kMostSentences = 2;
constexpr std::size_t kMostNames = 4;

bool have_same_steps(const std::vector<Step>& one, const std::vector<Step>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Step& a, const Step& b) {
    return a.kind == b.kind && a.depth == b.depth && a.fingerprint == b.fingerprint;
  });
}

/// New functions of one class or file with the code of those of another.
struct Copies {
  program::ClassId owner, twin_owner;  ///< None for functions of a file.
  program::ModuleId module, twin_module;
  std::vector<FunctionId> functions;
  FunctionId twin;  ///< Of the first.
  std::size_t steps = 0;
};

class CopyFinder {
 public:
  CopyFinder(const Program& program, const Story& story) : program_(program) {
    for (const Actor& actor : story.actors) {
      const auto& after = actor.change->after;
      if (after && after->function.valid() && !actor.change->is_cosmetic()) changed_.insert(after->function);
    }
  }

  void add(const Actor& actor) {
    const FunctionId id = actor.change->after->function;
    const program::Function& function = program_.functions()[id];
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const FunctionId other(static_cast<std::uint32_t>(i));
      const program::Function& twin = program_.functions()[other];
      if (twin.name != function.name || twin.def() == nullptr || changed_.contains(other) || twin.enclosing.valid() ||
          program::is_test_path(program_.module_of(other).path))
        continue;
      if (!have_same_steps(actor.steps.after, steps_of(*twin.node, source_of(program_, other)))) continue;
      note(id, other, actor.steps.after.size());
      return;
    }
  }

  [[nodiscard]] std::vector<std::string> sentences() const {
    std::vector<std::string> out;
    for (const Copies& one : copies_) {
      if (one.steps >= kFewestSteps && out.size() < kMostSentences) out.push_back(text_of(one));
    }
    return out;
  }

 private:
  void note(FunctionId function, FunctionId twin, std::size_t steps) {
    const program::Function& own = program_.functions()[function];
    const program::Function& other = program_.functions()[twin];
    auto found = std::find_if(copies_.begin(), copies_.end(), [&](const Copies& one) {
      return one.owner == own.owner && one.twin_owner == other.owner && one.module == own.module &&
             one.twin_module == other.module;
    });
    if (found == copies_.end())
      found = copies_.insert(copies_.end(), {own.owner, other.owner, own.module, other.module, {}, twin, 0});
    found->functions.push_back(function);
    found->steps += steps;
  }

  [[nodiscard]] std::string home(program::ClassId owner, program::ModuleId module) const {
    return owner.valid() ? code(program_.classes()[owner].name) : place(program_.modules()[module].path);
  }

  [[nodiscard]] std::string text_of(const Copies& copies) const {
    std::vector<std::string> names;
    for (const FunctionId function : copies.functions) {
      if (names.size() < kMostNames) names.push_back(code(program_.functions()[function].name));
    }
    if (copies.functions.size() > names.size())
      names.push_back(fmt::format("{} more", copies.functions.size() - names.size()));
    const bool is_one = copies.functions.size() == 1;
    return fmt::format("The new {} of {} {} the same statements as {} of {} ({}).", join_words(names),
                       home(copies.owner, copies.module), is_one ? "has" : "have", is_one ? "the one" : "those",
                       home(copies.twin_owner, copies.twin_module), place_of(program_, copies.twin));
  }

  const Program& program_;
  std::set<FunctionId> changed_;
  std::vector<Copies> copies_;
};

}  // namespace

std::vector<std::string> same_code_sentences(const DocumentInputs& inputs, const Story& story) {
  CopyFinder finder(*inputs.after, story);
  for (const Actor& actor : story.actors) {
    const bool counts = actor.is_added() && actor.is_function() && actor.change->after->function.valid() &&
                        (actor.role == Role::kCentral || actor.role == Role::kSupporting) &&
                        actor.extracted_from == nullptr && !actor.steps.after.empty();
    if (counts) finder.add(actor);
  }
  return finder.sentences();
}

}  // namespace lockstep::report
