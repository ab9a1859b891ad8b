#include "writer/pack/counterparts.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;
using report::code;
using report::Role;

constexpr std::size_t kMostTargets = 4;  // of a call; of more, who knows which it takes the place of
constexpr std::size_t kMostInstead = 3, kMostAlike = 3;
constexpr std::size_t kMostLines = 40;  // of a call
constexpr double kInstead = 0.55, kAlike = 0.45;

/// `self.name = callee(…)`.
struct Filling {
  std::string_view attribute, callee;
  Span span;
  std::vector<std::string_view> keywords = {};
  friend bool operator<(const Filling& a, const Filling& b) {
    return std::tie(a.attribute, a.callee) < std::tie(b.attribute, b.callee);
  }
};

template <class Visit>
void for_each_filling(const python::Node& root, const Visit& visit) {
  python::walk_of<python::Assign>(root, python::Nested::kEnter, [&](const python::Assign* assign) {
    const auto* call = python::as<python::Call>(assign->value);
    const auto* target = assign->targets.size() == 1 ? python::as<python::Attribute>(assign->targets[0]) : nullptr;
    const auto* object = target == nullptr ? nullptr : python::as<python::Name>(target->value);
    if (call == nullptr || object == nullptr || object->id != "self") return;
    Filling filling{target->name.text, report::callee_name(*call), assign->span};
    for (const python::Keyword* keyword : call->keywords) filling.keywords.push_back(keyword->name.text);
    visit(filling);
  });
}

class Counterparts {
 public:
  Counterparts(const report::DocumentInputs& inputs, const report::Story& story, const std::set<FunctionId>& changed,
               Candidates& candidates)
      : inputs_(inputs), after_(*inputs.after), story_(story), changed_(changed), candidates_(candidates) {}

  void run() {
    for (const report::Actor& actor : story_.actors) {
      if (actor.role != Role::kCentral && actor.role != Role::kSupporting) continue;
      if (!actor.is_function()) continue;
      if (actor.change->after && actor.change->after->function.valid()) add_instead(actor);
      note_fillings(actor);
    }
    add_alike();
  }

 private:
  void add_instead(const report::Actor& actor) {
    const FunctionId function = actor.change->after->function;
    const program::Function& method = after_.functions()[function];
    if (!method.owner.valid() || !actor.is_added()) return;
    const std::string why = "may be entered instead of " + code(report::short_name(after_, function));
    std::map<FunctionId, std::size_t> others;
    for (const program::CallId call : after_.callers_of(function)) {
      const program::CallSite& site = after_.calls()[call];
      if (site.targets.size() > kMostTargets || program::is_test_path(after_.module_of(site.caller).path)) continue;
      for (const program::CallTarget& target : site.targets) {
        if (!target.function.valid() || target.function == function || changed_.contains(target.function)) continue;
        const program::Function& other = after_.functions()[target.function];
        if (other.name == method.name && other.owner.valid()) ++others[target.function];
      }
    }
    std::vector<std::pair<FunctionId, std::size_t>> order(others.begin(), others.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [other, count] : order) {
      if (instead_ == kMostInstead) return;
      candidates_.raise({false, other},
                        {kInstead / (1 + 0.3 * static_cast<double>(instead_++)), why, actor.change->after->path});
    }
  }

  // Of the lines that the change takes away and brings.
  void note_fillings(const report::Actor& actor) {
    const auto note = [&](const Program& program, const change::EntitySide& side,
                          const std::vector<std::uint32_t>& lines) {
      if (side.node == nullptr || !side.function.valid()) return;
      const SourceText& source = report::source_of(program, side.function);
      for_each_filling(*side.node, [&](const Filling& filling) {
        const auto first = std::lower_bound(lines.begin(), lines.end(), source.line_of(filling.span.begin));
        if (first != lines.end() && *first <= source.line_of(filling.span.end - 1))
          fillings_.emplace(filling, side.path);
      });
    };
    const auto& before = actor.change->before;
    const auto& after = actor.change->after;
    if (const auto* file = before ? inputs_.change->diff->find_before(before->path) : nullptr)
      note(*inputs_.before, *before, file->lines.removed_lines());
    if (const auto* file = after ? inputs_.change->diff->find_after(after->path) : nullptr)
      note(after_, *after, file->lines.added_lines());
  }

  /// An assignment elsewhere, and how many of its keywords the one of the change gives, too.
  struct Alike {
    std::size_t shared = 0;
    FunctionId function;
    std::uint32_t first = 0, last = 0;
  };

  void add_alike() {
    std::size_t shown = 0;
    for (const auto& [filling, path] : fillings_) {
      std::vector<Alike> found = alike(filling);
      std::stable_sort(found.begin(), found.end(), [](const Alike& a, const Alike& b) { return a.shared > b.shared; });
      const std::string why = "sets " + code("self." + std::string(filling.attribute)) + " the same way";
      for (const Alike& one : found) {
        if (shown == kMostAlike) return;
        candidates_.raise({false, one.function},
                          {kAlike / (1 + 0.5 * static_cast<double>(shown++)), why, path, one.first});
        for (std::uint32_t line = one.first; line <= one.last; ++line)
          candidates_[{false, one.function}].add_line(line, 1);
      }
    }
  }

  [[nodiscard]] std::vector<Alike> alike(const Filling& filling) const {
    std::vector<Alike> found;
    for (std::size_t i = 0; i < after_.modules().size(); ++i) {
      const program::ModuleId id(i);
      const program::Module& module = after_.modules()[id];
      if (program::is_test_path(module.path) || !module.facts->has_name(filling.attribute) ||
          !module.facts->has_name(filling.callee))
        continue;
      const SourceText& source = module.facts->source();
      for_each_filling(module.facts->tree(), [&](const Filling& other) {
        if (other.attribute != filling.attribute || other.callee != filling.callee) return;
        const FunctionId function = after_.function_at(id, other.span.begin);
        if (!function.valid() || changed_.contains(function)) return;
        const auto shared = static_cast<std::size_t>(
            std::count_if(other.keywords.begin(), other.keywords.end(), [&](std::string_view keyword) {
              return std::find(filling.keywords.begin(), filling.keywords.end(), keyword) != filling.keywords.end();
            }));
        const std::uint32_t first = source.line_of(other.span.begin);
        found.push_back(
            {shared, function, first, std::min<std::uint32_t>(source.line_of(other.span.end - 1), first + kMostLines)});
      });
    }
    return found;
  }

  const report::DocumentInputs& inputs_;
  const Program& after_;
  const report::Story& story_;
  const std::set<FunctionId>& changed_;
  Candidates& candidates_;
  std::map<Filling, std::string> fillings_;  ///< And in which changed file.
  std::size_t instead_ = 0;
};

}  // namespace

void add_counterparts(const report::DocumentInputs& inputs, const report::Story& story,
                      const std::set<FunctionId>& changed, Candidates& candidates) {
  Counterparts(inputs, story, changed, candidates).run();
}

}  // namespace lockstep::writer
