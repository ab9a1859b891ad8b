// stream-not-ordered: work on a side stream of the GPU that nothing orders after what it reads, or before who reads it:
// a block on a stream that has no name to wait for, an event recorded on another stream than the work, a wait for the
// default stream where the work is on the current one, a pinned buffer that is filled again while a copy may still run.
//
// Left out: streams that come in as arguments, and orders that hold through the host (synchronize).

#include <fmt/format.h>

#include <set>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/training/value_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "stream-not-ordered";

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), places_(program) {}

  void run() {
    walk_of<Call>(*row_.node, Nested::kSkip, [&](const Call* call) { default_stream(*call); });
    for (const Seq<Stmt> block : blocks_of(*row_.node)) {
      for (std::size_t i = 0; i < block.size(); ++i) {
        const auto* with = as<With>(block[i]);
        const Expr* stream = with == nullptr ? nullptr : entered_stream(*with);
        if (stream == nullptr) continue;
        nameless(*stream);
        if (i + 1 < block.size()) event_of_another(*stream, *with, *block[i + 1]);
      }
    }
  }

 private:
  /// The stream of `with torch.cuda.stream(…)`; null for other contexts.
  const Expr* entered_stream(const With& with) const {
    for (const WithItem* item : with.items) {
      const auto* call = as<Call>(item->context);
      if (call != nullptr && !call->arguments.empty() && places_.external_callee(*call) == "torch.cuda.stream")
        return call->arguments[0];
    }
    return nullptr;
  }

  void nameless(const Expr& stream) {
    const auto* made = as<Call>(&stream);
    if (made == nullptr || places_.external_callee(*made) != "torch.cuda.Stream") return;
    if (calls_name(*row_.node, "synchronize")) return;
    hits_.push_back(make_hit(
        program_, kRule, row_.module, stream.span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
         "This block runs on a new stream that has no name, so nothing can wait for it",
         "A new stream waits for no other: the block can read values that the current stream has not written yet, and "
         "what follows can read what the block has not written yet.",
         "Keep the stream: `stream.wait_stream(torch.cuda.current_stream())` before the block, and "
         "`torch.cuda.current_stream().wait_stream(stream)` after it."}));
  }

  void default_stream(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    if (method == nullptr || method->name.text != "wait_stream" || call.arguments.size() != 1) return;
    const auto* waited = as<Call>(call.arguments[0]);
    if (waited == nullptr || places_.external_callee(*waited) != "torch.cuda.default_stream") return;
    hits_.push_back(make_hit(program_, kRule, row_.module, call.span,
                             {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
                              fmt::format("`{}` waits for the default stream, not for the stream that the caller is on",
                                          quote(facts_, method->value->span)),
                              "Where a caller runs on a side stream (CUDA graph capture, overlap), what it has just "
                              "queued is not waited for.",
                              "Wait for `torch.cuda.current_stream()`."}));
  }

  /// Work under `with stream(A)`, and in the next statement an event of B that others wait for.
  void event_of_another(const Expr& stream, const With& with, const Stmt& next) {
    if (!is<Name>(&stream) && !is<Attribute>(&stream)) return;
    const std::string worked_on = squeezed(facts_, stream.span);
    bool copies = false;
    walk_of<Call>(with, Nested::kSkip,
                  [&](const Call* call) { copies = copies || is_true(keyword_value(*call, "non_blocking")); });
    if (!copies) return;
    walk_of<Call>(next, Nested::kSkip, [&](const Call* call) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr || method->name.text != "record_event") return;
      if (!is<Name>(method->value) && !is<Attribute>(method->value)) return;
      if (squeezed(facts_, method->value->span) == worked_on) return;
      hits_.push_back(make_hit(program_, kRule, row_.module, call->span,
                               {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                                fmt::format("The copies above run on `{}`, but this event is recorded on `{}`",
                                            quote(facts_, stream.span), quote(facts_, method->value->span)),
                                "Who waits for the event does not wait for the copies.",
                                fmt::format("Record the event on `{}`.", quote(facts_, stream.span))}));
    });
  }

  const ValuePlaces places_;
};

/// `x.copy_(self.buffer, non_blocking=True)` in a class that pins `buffer`, writes it elsewhere, and never waits.
void reused_buffers(const Program& program, program::ClassId id, std::vector<Hit>& hits) {
  const program::Class& cls = program.classes()[id];
  std::set<std::string_view> pinned;
  walk_of<Assign>(*cls.node, Nested::kEnter, [&](const Assign* assign) {
    const auto* made = as<Call>(assign->value);
    const std::string_view name = self_attribute(assign->targets[0]);
    if (made == nullptr || name.empty()) return;
    if (is_true(keyword_value(*made, "pin_memory")) || last_part_of(made->callee) == "pin_memory") pinned.insert(name);
  });
  // What the GPU fills is ordered by its stream.
  walk_of<Call>(*cls.node, Nested::kEnter, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    if (method != nullptr && method->name.text == "copy_") pinned.erase(self_attribute(method->value));
  });
  if (pinned.empty()) return;
  for (const std::string_view waiting : {"synchronize", "record", "record_event", "query", "wait", "wait_event"}) {
    if (calls_name(*cls.node, waiting)) return;
  }
  walk_of<Call>(*cls.node, Nested::kEnter, [&](const Call* call) {
    if (last_part_of(call->callee) != "copy_" || call->arguments.empty()) return;
    const std::string_view name = self_attribute(call->arguments[0]);
    if (!pinned.contains(name) || !is_true(keyword_value(*call, "non_blocking"))) return;
    hits.push_back(make_hit(
        program, kRule, cls.module, call->span,
        {Severity::kP2, FindingCertainty::kQuestion, Category::kCorrectness,
         fmt::format("What keeps the host from filling `self.{}` again while this copy still runs?", name),
         "The buffer is pinned and the copy does not block, so it reads the buffer later; nothing in the class records "
         "or waits for an event.",
         "Record an event after the copy and wait for it before the buffer is written again, or use two buffers in "
         "turn."}));
  });
}

/// Most files have neither streams nor copies; their text says so at once.
bool contains_streams(const program::Module& module) {
  const std::string_view text = module.facts->source().bytes();
  return text.find("stream(") != std::string_view::npos || text.find("non_blocking") != std::string_view::npos;
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  if (!contains_streams(row)) return;
  for (const FunctionId function : row.functions) FunctionScan(program, function, hits).run();
  for (const program::ClassId cls : row.classes) reused_buffers(program, cls, hits);
}

}  // namespace

void run_stream_not_ordered(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
