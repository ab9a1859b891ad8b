#include "report/story/communication/stream_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "report/story/calls/new_callees.h"

namespace lockstep::report {

using namespace python;

namespace {

std::string_view called(const Call& call) {
  const auto* member = as<Attribute>(call.callee);
  const auto* name = as<Name>(call.callee);
  return member != nullptr ? member->name.text : name != nullptr ? name->id : std::string_view();
}

constexpr std::string_view kCurrent = "the current stream";

/// The names of streams and events as one function writes them.
class Names {
 public:
  Names(const FunctionDef& function, const SourceText& source) : function_(function), source_(source) {}

  /// "`reduce_stream`" of `self.context.reduce_stream`, and of a local that is one; "the current stream".
  [[nodiscard]] std::string of(const Expr& expression, int depth = 0) const {
    constexpr int kDeepest = 4;
    constexpr std::size_t kLongest = 40;
    if (const auto* member = as<Attribute>(&expression)) return code(member->name.text);
    if (const auto* name = as<Name>(&expression)) {
      const Expr* value = depth < kDeepest ? only_value_of(function_, name->id) : nullptr;
      const auto* call = as<Call>(value);
      const bool stands_for_value = is<Attribute>(value) || is<Name>(value) || (call != nullptr && is_current(*call));
      return stands_for_value ? of(*value, depth + 1) : code(name->id);
    }
    const auto* call = as<Call>(&expression);
    if (call != nullptr && is_current(*call)) return current_at(expression.span.begin);
    return code(one_line(source_, expression, kLongest));
  }

  /// The stream that kernels are queued on at a place of the function.
  [[nodiscard]] std::string current_at(std::uint32_t offset) const {
    const Expr* inner = nullptr;
    walk_of<With>(function_, Nested::kEnter, [&](const With* with) {
      if (with->body.empty() || offset < with->body.front()->span.begin || offset >= with->span.end) return;
      for (const WithItem* item : with->items) {
        const auto* call = as<Call>(item->context);
        if (call != nullptr && called(*call) == "stream" && call->arguments.size() == 1)
          inner = call->arguments.front();
      }
    });
    return inner == nullptr ? std::string(kCurrent) : of(*inner);
  }

 private:
  static bool is_current(const Call& call) { return called(call) == "current_stream"; }

  const FunctionDef& function_;
  const SourceText& source_;
};

enum class OrderKind { kStream, kEvent, kMemory };

struct FoundOrder {
  OrderKind kind = OrderKind::kStream;
  std::string waiting;
  std::string awaited;
  std::string function;   ///< With its conditions.
  bool is_whole = false;  ///< The change adds or removes the function: its code shows the order.
};

/// The orders of one side, and on which streams the events are recorded.
struct SideOrders {
  std::vector<FoundOrder> orders;
  /// Event -> streams; the current one is that of the function.
  std::map<std::string, std::set<std::string>> recorded;
};

bool speaks_of(const std::string& text, std::string_view word) { return contains(to_lower(text), word); }

class Collector {
 public:
  Collector(const FunctionDef& function, const SourceText& source, std::string name, bool is_whole, SideOrders& out)
      : function_(function),
        source_(source),
        names_(function, source),
        name_(std::move(name)),
        is_whole_(is_whole),
        out_(out) {}

  /// Functions inside are told of themselves.
  void add(const Step& step) {
    if (is<FunctionDef>(step.node) || is<ClassDef>(step.node)) return;
    const Expr* target = nullptr;
    const auto* kept = as<Call>(assigned_value(step.node, target));
    if (kept != nullptr && called(*kept) == "record_event" && kept->arguments.empty())
      record(*target, stream_of(*kept));
    std::string where;
    walk_of<Call>(*step.node, Nested::kEnter, [&](const Call* call) {
      const auto* member = as<Attribute>(call->callee);
      if (member == nullptr || !step.span.contains(call->span) || !may_order(member->name.text)) return;
      if (where.empty()) where = function_words(step);
      add(*call, *member, where);
    });
  }

 private:
  /// The methods that add() knows.
  static bool may_order(std::string_view method) {
    static constexpr std::string_view kMethods[] = {"wait_stream",   "wait_event",   "wait",
                                                    "record_stream", "record_event", "record"};
    return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
  }

  [[nodiscard]] std::string function_words(const Step& step) const {
    const std::string condition = where_words(function_, step, source_);
    return condition.empty() ? name_ : fmt::format("{} where {}", name_, condition);
  }

  /// The stream whose method is called.
  [[nodiscard]] std::string stream_of(const Call& call) const { return names_.of(*as<Attribute>(call.callee)->value); }

  void record(const Expr& event, const std::string& stream) {
    out_.recorded[names_.of(event)].insert(stream == kCurrent ? fmt::format("the stream current in {}", name_)
                                                              : stream);
  }

  void add(const Call& call, const Attribute& member, const std::string& where) {
    const std::string_view method = member.name.text;
    const Expr* first = call.arguments.size() == 1 ? call.arguments.front() : nullptr;
    if (method == "wait_stream" && first != nullptr) {
      out_.orders.push_back({OrderKind::kStream, names_.of(*member.value), names_.of(*first), where, is_whole_});
    } else if (method == "wait_event" && first != nullptr) {
      out_.orders.push_back({OrderKind::kEvent, names_.of(*member.value), names_.of(*first), where, is_whole_});
    } else if (method == "wait" && first != nullptr && speaks_of(names_.of(*first), "stream") &&
               speaks_of(names_.of(*member.value), "event")) {
      out_.orders.push_back({OrderKind::kEvent, names_.of(*first), names_.of(*member.value), where, is_whole_});
    } else if (method == "record_stream" && first != nullptr) {
      out_.orders.push_back({OrderKind::kMemory, names_.of(*member.value), names_.of(*first), where, is_whole_});
    } else if (method == "record_event" && first != nullptr) {
      record(*first, names_.of(*member.value));
    } else if (method == "record" && call.arguments.size() < 2 && speaks_of(names_.of(*member.value), "event")) {
      record(*member.value, first != nullptr ? names_.of(*first) : names_.current_at(call.span.begin));
    }
  }

  const FunctionDef& function_;
  const SourceText& source_;
  Names names_;
  std::string name_;
  bool is_whole_;
  SideOrders& out_;
};

SideOrders orders_of(const DocumentInputs& inputs, const Story& story, bool is_after) {
  SideOrders out;
  for (const Actor& actor : story.actors) {
    const auto& side = is_after ? actor.change->after : actor.change->before;
    const auto* function = side && actor.role != Role::kTest ? as<FunctionDef>(side->node) : nullptr;
    const SourceText* source = is_after ? actor.steps.after_source : actor.steps.before_source;
    // All such calls speak of streams or events.
    const auto speaks = [&](std::string_view word) {
      return find_text(source->slice(function->span), word) != std::string_view::npos;
    };
    if (function == nullptr || source == nullptr || (!speaks("stream") && !speaks("event"))) continue;
    Collector collector(*function, *source, code(short_name(inputs, *actor.change)),
                        actor.is_added() || actor.is_removed(), out);
    for (const Step& step : is_after ? actor.steps.after : actor.steps.before) collector.add(step);
  }
  return out;
}

std::string words_of(const FoundOrder& order, const SideOrders& side) {
  switch (order.kind) {
    case OrderKind::kStream:
      return fmt::format("{} waits for {}", order.waiting, order.awaited);
    case OrderKind::kMemory:
      return fmt::format("the memory of {} is not given to others before {} is done with it", order.waiting,
                         order.awaited);
    case OrderKind::kEvent:
      break;
  }
  // A stream that waits for its own event waits for one that is recorded elsewhere, too.
  const auto recorded = side.recorded.find(order.awaited);
  const bool is_known =
      recorded != side.recorded.end() && recorded->second.size() == 1 && *recorded->second.begin() != order.waiting;
  return fmt::format("{} waits for the event {}{}", order.waiting, order.awaited,
                     is_known ? fmt::format(", recorded on {}", *recorded->second.begin()) : "");
}

/// Whether a changed function newly calls one of the repository that waits for streams or events it is given: what it
/// orders its own code does not show.
bool waits_in_new_callee(const DocumentInputs& inputs, const Story& story) {
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
    if (actor.role == Role::kTest || !actor.is_function() || !actor.change->before || !actor.change->after)
      return false;
    const std::vector<program::FunctionId> fresh = newly_called(*inputs.after, *actor.change);
    return std::any_of(fresh.begin(), fresh.end(), [&](program::FunctionId callee) {
      const program::Function& function = inputs.after->functions()[callee];
      if (function.node == nullptr) return false;
      const std::string_view text = source_of(*inputs.after, callee).slice(function.node->span);
      return find_name(text, "wait_stream") != std::string_view::npos ||
             find_name(text, "wait_event") != std::string_view::npos;
    });
  });
}

}  // namespace

std::vector<StreamOrder> changed_stream_orders(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  constexpr std::size_t kFewest = 2;
  std::vector<StreamOrder> out;
  bool are_whole = true;
  for (const bool is_after : {true, false}) {
    const SideOrders side = orders_of(inputs, story, is_after);
    for (const FoundOrder& one : side.orders) {
      are_whole = are_whole && one.is_whole;
      std::string words = words_of(one, side);
      auto known = std::find_if(out.begin(), out.end(), [&](const StreamOrder& each) { return each.words == words; });
      if (known == out.end()) known = out.insert(out.end(), {std::move(words), {}, {}});
      auto& functions = is_after ? known->after : known->before;
      if (std::find(functions.begin(), functions.end(), one.function) == functions.end())
        functions.push_back(one.function);
    }
  }
  std::erase_if(out, [](const StreamOrder& one) {
    return std::is_permutation(one.before.begin(), one.before.end(), one.after.begin(), one.after.end());
  });
  if (out.size() < kFewest || are_whole) return {};
  if (waits_in_new_callee(inputs, story)) std::erase_if(out, [](const StreamOrder& one) { return one.after.empty(); });
  if (out.size() < kFewest) return {};
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace lockstep::report
