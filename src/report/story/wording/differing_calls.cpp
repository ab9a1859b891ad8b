#include "report/story/wording/differing_calls.h"

#include <cstdint>
#include <string>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The outermost calls within a value, and the texts before, between and behind them.
struct CallsOfValue {
  std::vector<const Call*> calls;
  std::vector<std::string> around;
};

CallsOfValue calls_of_value(const Expr& value, const SourceText& source) {
  CallsOfValue out;
  std::uint32_t begin = value.span.begin;
  walk_of<Call>(value, Nested::kSkip, [&](const Call* call) {
    out.around.push_back(one_line_whole(source, Span{begin, call->span.begin}));
    out.calls.push_back(call);
    begin = call->span.end;
    return false;
  });
  out.around.push_back(one_line_whole(source, Span{begin, value.span.end}));
  return out;
}

}  // namespace

std::pair<const Call*, const Call*> differing_calls(const Expr* before, const SourceText& before_source,
                                                    const Expr* after, const SourceText& after_source) {
  if (before == nullptr || after == nullptr) return {};
  if (is<Call>(before) && is<Call>(after)) return {as<Call>(before), as<Call>(after)};
  const CallsOfValue was = calls_of_value(*before, before_source);
  const CallsOfValue now = calls_of_value(*after, after_source);
  if (was.calls.empty() || was.around != now.around) return {};
  std::pair<const Call*, const Call*> found;
  for (std::size_t i = 0; i < was.calls.size(); ++i) {
    if (one_line_whole(before_source, *was.calls[i]) == one_line_whole(after_source, *now.calls[i])) continue;
    if (found.first != nullptr) return {};
    found = {was.calls[i], now.calls[i]};
  }
  return found;
}

}  // namespace lockstep::report
