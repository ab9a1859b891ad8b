// In how many places a function is called, or a class is made, with and without those in tests. Where the call graph is
// not certain people may count more than one way: all calls that may enter it, those that surely do, and those that are
// written with its name. Each is a pair of numbers of its own.
#include <algorithm>
#include <array>

#include "program/queries.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::last_part;
using program::CallId;
using program::ClassId;
using program::FunctionId;
using program::Program;

/// Places that call, and the functions that these stand in.
class Tally {
 public:
  explicit Tally(const Program& program) : program_(program) {}

  void add(CallId call) {
    const program::CallSite& site = program_.calls()[call];
    const bool is_test = program::is_test_path(program_.module_of(site.caller).path);
    (is_test ? places_in_tests_ : places_).insert(site.node);
    (is_test ? callers_in_tests_ : callers_).insert(site.caller.index());
  }

  void write(CitedFacts::CallUnit unit, CitedFacts::CallCounts& counts) const {
    const bool of_places = unit == CitedFacts::CallUnit::kPlace;
    const std::size_t outside = of_places ? places_.size() : callers_.size();
    const std::size_t inside = of_places ? places_in_tests_.size() : callers_in_tests_.size();
    if (counts.all.empty()) counts.shown = {outside, outside + inside};
    counts.outside_tests.insert(outside);
    counts.all.insert(outside + inside);
    counts.in_tests.insert(inside);
  }

 private:
  const Program& program_;
  std::set<const python::Node*> places_, places_in_tests_;
  std::set<std::size_t> callers_, callers_in_tests_;
};

const program::CallTarget* target_of(const program::CallSite& site, FunctionId function) {
  const auto at = std::find_if(site.targets.begin(), site.targets.end(),
                               [&](const program::CallTarget& one) { return one.function == function; });
  return at == site.targets.end() ? nullptr : &*at;
}

}  // namespace

CitedFacts::CallCounts CitedFacts::call_counts(std::string_view name, CallUnit unit) const {
  constexpr std::array<std::string_view, 3> kMakers = {"__init__", "__new__", "__post_init__"};
  CallCounts counts;
  for (const Side& side : sides_) {
    const Program& program = *side.program;
    for (const FunctionId id : functions_named(side, name)) {
      Tally all(program), sure(program);
      for (const CallId call : program.callers_of(id)) {
        all.add(call);
        const program::CallSite& site = program.calls()[call];
        const program::CallTarget* target = target_of(site, id);
        const bool is_sure = target != nullptr && target->certainty == program::Certainty::kExact &&
                             target->kind != program::CallKind::kCallback &&
                             target->kind != program::CallKind::kImplicit;
        if (is_sure) sure.add(call);
      }
      all.write(unit, counts);
      sure.write(unit, counts);
    }
    for (const ClassId id : classes_named(side, name)) {
      Tally made(program);
      for (const std::string_view maker : kMakers) {
        const FunctionId method = program.find_method(id, maker);
        if (!method.valid()) continue;
        for (const CallId call : program.callers_of(method)) {
          const program::CallTarget* target = target_of(program.calls()[call], method);
          if (target != nullptr && target->kind == program::CallKind::kConstructor) made.add(call);
        }
      }
      made.write(unit, counts);
    }
    if (counts.all.empty()) continue;
    Tally written(program);
    for (std::size_t i = 0; i < program.calls().size(); ++i) {
      const auto* call = python::as<python::Call>(program.calls()[CallId(i)].node);
      if (call != nullptr && report::callee_name(*call) == last_part(name)) written.add(CallId(i));
    }
    written.write(unit, counts);
  }
  return counts;
}

}  // namespace lockstep::writer
