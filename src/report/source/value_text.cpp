#include "report/source/value_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::string_view kEllipsis = "\u2026";

/// Where the calls at the end of a chain begin that only change its shape: past `x.view(a, b)` of `x.view(a,
/// b).squeeze(1)` where the last two are too long together; the end of the value where there are none.
std::uint32_t shaping_from(const SourceText& source, const Node& value, std::size_t most) {
  std::uint32_t from = value.span.end;
  const auto* call = as<Call>(&value);
  while (call != nullptr) {
    const auto* member = as<Attribute>(call->callee);
    const KnownApi* known = member == nullptr ? nullptr : known_method(member->name.text);
    if (known == nullptr || known->kind != ApiKind::kShape) break;
    if (one_line_whole(source, Span{member->value->span.end, value.span.end}).size() > most) break;
    from = member->value->span.end;
    call = as<Call>(member->value);
  }
  return from;
}

/// The default of `x.get(key, default)`, `x.pop(key, default)` and `getattr(x, name, default)`; null for others.
const Expr* default_of(const Node& value) {
  const auto* call = as<Call>(&value);
  if (call == nullptr || !call->keywords.empty()) return nullptr;
  const std::string_view name = callee_name(*call);
  const bool is_method = is<Attribute>(call->callee);
  const std::size_t place = is_method && (name == "get" || name == "pop") ? 1 : !is_method && name == "getattr" ? 2 : 0;
  const bool has_default =
      place > 0 && call->arguments.size() == place + 1 &&
      std::none_of(call->arguments.begin(), call->arguments.end(), [](const Expr* one) { return is<Starred>(one); });
  return has_default ? call->arguments[place] : nullptr;
}

/// `log({"loss": …})` of a call that is given one entry and nothing else: the key says what it is. Empty for others.
std::string with_key(const SourceText& source, const Node& value) {
  const auto* call = as<Call>(&value);
  const bool is_alone = call != nullptr && call->keywords.empty() && call->arguments.size() == 1;
  const auto* dict = is_alone ? as<Dict>(call->arguments.front()) : nullptr;
  if (dict == nullptr || dict->keys.size() != 1 || rules::text_of(dict->keys.front()).empty()) return {};
  return fmt::format("{}({{{}: {}}})", one_line_whole(source, *call->callee),
                     one_line_whole(source, *dict->keys.front()), kEllipsis);
}

}  // namespace

std::string value_text(const SourceText& source, const Node& value, std::size_t limit) {
  // The last of several conditions is as likely the one that counts.
  constexpr std::size_t kMostOfConditions = 140;
  if (is<BoolOp>(&value)) limit = std::max(limit, kMostOfConditions);
  std::string out = one_line(source, value, limit);
  if (!contains(out, kEllipsis)) return out;
  if (std::string keyed = with_key(source, value); !keyed.empty() && keyed.size() <= limit) return keyed;
  if (const std::uint32_t from = shaping_from(source, value, limit / 2); from < value.span.end) {
    const std::string tail = one_line_whole(source, Span{from, value.span.end});
    if (out.ends_with(tail)) return out;
    return one_line(source, Span{value.span.begin, from}, limit - tail.size()) + tail;
  }
  if (const Expr* otherwise = default_of(value)) {
    const std::string tail = ", " + one_line(source, *otherwise, limit / 3) + ")";
    if (out.ends_with(tail)) return out;
    const Span lead{value.span.begin, as<Call>(&value)->callee->span.end};
    const Expr* key = as<Call>(&value)->arguments.front();
    const std::string start = one_line(source, lead, limit / 2) + "(";
    const std::size_t taken = start.size() + tail.size();
    constexpr std::size_t kShortest = 6;
    const bool is_method = is<Attribute>(as<Call>(&value)->callee);
    return start +
           (is_method && taken + kShortest < limit ? one_line(source, *key, limit - taken) : std::string(kEllipsis)) +
           tail;
  }
  return out;
}

}  // namespace lockstep::report
