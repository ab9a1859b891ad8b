#include "report/documents/tests/changed_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "program/queries.h"
#include "report/document.h"
#include "report/documents/tests/test_code.h"
#include "report/source/code.h"
#include "report/tests/skipped_tests.h"

namespace lockstep::report {

namespace {

using Marks = std::vector<TestMark>;

constexpr std::size_t kMostOfReason = 120;

/// What became of one kind of mark, and of whose.
struct Told {
  std::string what;
  std::string reason;
  std::vector<std::string> whose;
};

std::string fate(const TestMark& mark, bool is_gone) {
  const std::string_view marked = mark.kind == TestMark::Kind::kSkips ? "to be skipped" : "as expected to fail";
  const std::string where =
      mark.condition.empty() ? std::string() : fmt::format(" where {} holds", code(mark.condition));
  return is_gone ? fmt::format("No longer marked {}{}", marked, where) : fmt::format("Marked {}{} now", marked, where);
}

bool has_alike(const Marks& marks, const TestMark& mark) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](const TestMark& one) { return one.kind == mark.kind && one.condition == mark.condition; });
}

class Telling {
 public:
  void add(std::string what, std::string_view reason, const std::string& whose) {
    std::string said = first_sentence(reason, kMostOfReason);
    const auto known = std::find_if(told_.begin(), told_.end(),
                                    [&](const Told& one) { return one.what == what && one.reason == said; });
    if (known != told_.end()) {
      known->whose.push_back(whose);
    } else {
      told_.push_back({std::move(what), std::move(said), {whose}});
    }
  }

  /// `is_off`: something else skips it all the same.
  void compare(const Marks& before, const Marks& after, const std::string& whose, bool was_off, bool is_off) {
    const auto always = [](const TestMark& one) { return one.kind == TestMark::Kind::kSkips && one.condition.empty(); };
    const bool is_always = std::any_of(after.begin(), after.end(), always);
    const bool is_sometimes = std::any_of(after.begin(), after.end(), [&](const TestMark& one) {
      return one.kind == TestMark::Kind::kSkips && !always(one);
    });
    for (const TestMark& mark : before) {
      const bool skips = mark.kind == TestMark::Kind::kSkips;
      if (has_alike(after, mark) || (skips && (is_off || is_always))) continue;
      if (always(mark) && is_sometimes) {
        add("Skipped no longer always, but under a condition", mark.reason, whose);
      } else {
        add(fate(mark, true), mark.reason, whose);
      }
    }
    for (const TestMark& mark : after) {
      if (has_alike(before, mark) || (mark.kind == TestMark::Kind::kSkips && was_off)) continue;
      add(fate(mark, false), mark.reason, whose);
    }
  }

  std::vector<std::string> sentences(std::size_t most) const {
    constexpr std::size_t kMostNames = 4;
    std::vector<std::string> out;
    for (const Told& one : told_) {
      if (out.size() == most) break;
      std::vector<std::string> names = one.whose;
      if (names.size() > kMostNames + 1) {
        names.resize(kMostNames);
        names.push_back(fmt::format("{} more", one.whose.size() - kMostNames));
      }
      std::string text = fmt::format("{}: {}.", one.what, join_words(names));
      if (!one.reason.empty())
        text += fmt::format(" The mark said: \u201c{}\u201d{}", from_backquotes(one.reason),
                            one.reason.ends_with('.') ? "" : ".");
      out.push_back(std::move(text));
    }
    return out;
  }

 private:
  std::vector<Told> told_;
};

}  // namespace

std::vector<std::string> changed_marks(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  Telling telling;
  std::optional<std::vector<bool>> off_before;
  std::optional<std::vector<bool>> off_after;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId was = inputs.before->find_path(file.file->old_path);
    const program::ModuleId now = inputs.after->find_path(file.file->new_path);
    if (!was.valid() || !now.valid() || !program::is_test_path(file.file->new_path)) continue;
    const python::FileFacts& before = *inputs.before->modules()[was].facts;
    const python::FileFacts& after = *inputs.after->modules()[now].facts;
    telling.compare(marks_of_tests(before.source(), before.tree()), marks_of_tests(after.source(), after.tree()),
                    fmt::format("the tests of {}", place(file.file->new_path)), false, false);
  }
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    const bool is_class = entity.kind == change::EntityKind::kClass;
    if (actor.role != Role::kTest || !entity.before || !entity.after || (!is_class && !is_collected(inputs, actor)))
      continue;
    const program::ModuleId was = inputs.before->find_path(entity.before->path);
    const program::ModuleId now = inputs.after->find_path(entity.after->path);
    if (!was.valid() || !now.valid() || entity.before->node == nullptr || entity.after->node == nullptr) continue;
    const Marks before = marks_of_tests(inputs.before->modules()[was].facts->source(), *entity.before->node);
    const Marks after = marks_of_tests(inputs.after->modules()[now].facts->source(), *entity.after->node);
    if (before == after) continue;
    const std::string name = code(short_name(inputs, entity));
    if (is_class) {
      telling.compare(before, after,
                      fmt::format("the tests of {} ({})", name, place_of(*inputs.after, entity.after->cls)), false,
                      false);
      continue;
    }
    if (!entity.before->function.valid()) continue;
    if (!off_before) off_before = skipped_tests(*inputs.before);
    if (!off_after) off_after = skipped_tests(*inputs.after);
    const auto always = [](const TestMark& one) { return one.kind == TestMark::Kind::kSkips && one.condition.empty(); };
    // By another mark than its own.
    const bool was_off =
        (*off_before)[entity.before->function.index()] && std::none_of(before.begin(), before.end(), always);
    const bool is_off =
        (*off_after)[entity.after->function.index()] && std::none_of(after.begin(), after.end(), always);
    telling.compare(before, after, fmt::format("{} ({})", name, place_of(*inputs.after, entity.after->function)),
                    was_off, is_off);
  }
  return telling.sentences(most);
}

}  // namespace lockstep::report
