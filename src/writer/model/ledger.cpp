#include "writer/model/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/strings.h"

namespace lockstep::writer {

namespace {

constexpr double kMillion = 1e6;
constexpr double kCacheWriteFactor = 1.25;
// Tokens of a byte before a server has told any: code has 0.25 to 0.35. Once one has, its own ratio with a margin
// counts.
constexpr double kFirstTokensPerByte = 0.4;
constexpr double kMargin = 1.1;
constexpr double kUsualTokensPerByte = 0.3;

std::size_t size_of(const ChatRequest& request) {
  std::size_t bytes = request.system.size();
  for (const ChatTurn& turn : request.turns) {
    bytes += turn.text.size();
    for (const ToolCall& call : turn.calls) bytes += call.name.size() + call.arguments_json.size();
  }
  for (const ToolDefinition& tool : request.tools)
    bytes += tool.name.size() + tool.description.size() + tool.input_schema_json.size();
  return bytes;
}

std::size_t size_of(const ChatAnswer& answer) {
  std::size_t bytes = answer.text.size();
  for (const ToolCall& call : answer.calls) bytes += call.name.size() + call.arguments_json.size();
  return bytes;
}

std::uint64_t usual_tokens(std::size_t bytes) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) * kUsualTokensPerByte));
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) out += ',';
    out += digits[at];
  }
  return out;
}

std::string money(double amount, const Prices& prices) { return fmt::format("{:.4f} {}", amount, prices.currency); }

}  // namespace

double cost_of(const Usage& usage, const Prices& prices) {
  const auto written = static_cast<double>(usage.cache_written_input_tokens);
  const auto cached = static_cast<double>(usage.cached_input_tokens);
  const double plain = std::max(0.0, static_cast<double>(usage.input_tokens) - written - cached);
  return ((plain + kCacheWriteFactor * written) * prices.input + cached * prices.cached_input +
          static_cast<double>(usage.output_tokens) * prices.output) /
         kMillion;
}

std::string ledger_text(const Ledger& ledger) {
  std::string out = fmt::format("{}, {}{} tokens in", count_of(ledger.requests, "request"),
                                ledger.is_estimated ? "about " : "", grouped(ledger.usage.input_tokens));
  if (ledger.usage.cached_input_tokens > 0)
    out += fmt::format(" ({} cached)", grouped(ledger.usage.cached_input_tokens));
  out += fmt::format(", {} out", grouped(ledger.usage.output_tokens));
  if (ledger.prices) out += ", " + money(ledger.cost, *ledger.prices);
  return out;
}

std::string progress_text(const ModelProgress& progress) {
  std::string out = fmt::format("{}: {} tokens", progress.section.empty() ? "answer" : progress.section,
                                grouped(progress.output_tokens));
  if (progress.ledger != nullptr && progress.ledger->requests > 0) out += "; so far " + ledger_text(*progress.ledger);
  return out;
}

BudgetModel::BudgetModel(std::unique_ptr<Model> inner, std::shared_ptr<Ledger> ledger, std::optional<double> most_cost,
                         OnProgress on_progress)
    : inner_(std::move(inner)),
      ledger_(std::move(ledger)),
      most_cost_(most_cost),
      on_progress_(std::move(on_progress)),
      tokens_per_byte_(kFirstTokensPerByte) {}

std::optional<ChatFailure> BudgetModel::excess(const ChatRequest& request) const {
  if (!most_cost_ || !ledger_->prices) return std::nullopt;
  Usage most;
  most.input_tokens = static_cast<std::uint64_t>(std::ceil(static_cast<double>(size_of(request)) * tokens_per_byte_));
  most.cache_written_input_tokens = most.input_tokens;  // the dearest kind
  most.output_tokens = request.most_output_tokens;
  const double most_more = cost_of(most, *ledger_->prices);
  if (ledger_->cost + most_more <= *most_cost_) return std::nullopt;
  const Prices& prices = *ledger_->prices;
  return ChatFailure{ChatFailure::Kind::kBudget,
                     fmt::format("{} of {} are spent, and the next request may cost {}: raise --max-cost for the rest",
                                 money(ledger_->cost, prices), money(*most_cost_, prices), money(most_more, prices))};
}

void BudgetModel::add(const ChatRequest& request, const ChatAnswer& answer) {
  Usage usage = answer.usage;
  const std::size_t bytes = size_of(request);
  if (usage.input_tokens > 0 && bytes > 0) {
    const double ratio = static_cast<double>(usage.input_tokens) / static_cast<double>(bytes) * kMargin;
    // Small requests consist of the server's own words around them.
    if (bytes >= 4096) tokens_per_byte_ = ratio;
  }
  if (usage.input_tokens == 0) usage.input_tokens = usual_tokens(bytes), ledger_->is_estimated = true;
  if (usage.output_tokens == 0 && size_of(answer) > 0)
    usage.output_tokens = usual_tokens(size_of(answer)), ledger_->is_estimated = true;
  ++ledger_->requests;
  ledger_->usage.input_tokens += usage.input_tokens;
  ledger_->usage.cached_input_tokens += usage.cached_input_tokens;
  ledger_->usage.cache_written_input_tokens += usage.cache_written_input_tokens;
  ledger_->usage.output_tokens += usage.output_tokens;
  if (ledger_->prices) ledger_->cost += cost_of(usage, *ledger_->prices);
}

tl::expected<ChatAnswer, ChatFailure> BudgetModel::complete(const ChatRequest& request, const OnText& on_text) {
  if (std::optional<ChatFailure> failure = excess(request)) return tl::unexpected(std::move(*failure));
  ModelProgress progress{request.purpose, 0, ledger_.get(), false};
  std::size_t bytes = 0;
  const auto tell = [&] {
    progress.output_tokens = usual_tokens(bytes);
    if (on_progress_) on_progress_(progress);
  };
  tell();
  tl::expected<ChatAnswer, ChatFailure> answer = inner_->complete(request, [&](std::string_view piece) {
    bytes += piece.size();
    tell();
    return !on_text || on_text(piece);
  });
  if (answer) add(request, *answer);
  progress.is_over = true;
  tell();
  return answer;
}

}  // namespace lockstep::writer
