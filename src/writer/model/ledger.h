// What a document costs: tokens and money of all requests, a limit that is never passed, and the words that tell about
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "writer/model/chat.h"
#include "writer/model/settings.h"

namespace lockstep::writer {

/// Sums over the requests of one document.
struct Ledger {
  std::size_t requests = 0;  ///< That were answered, if only in part.
  Usage usage;
  double cost = 0;                 ///< 0 without prices.
  std::optional<Prices> prices;    ///< None: the cost is not known.
  bool is_estimated = false;       ///< A server told no tokens: those were counted by size.
  std::size_t masked_secrets = 0;  ///< In what was sent.
};

/// What `usage` costs. Tokens that the server now keeps cost a quarter more than others
/// (https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching); those that it had kept have their own price.
double cost_of(const Usage& usage, const Prices& prices);

/// "3 requests, 18,210 tokens in (9,000 cached), 2,100 out, 0.0861 USD"; "about" where tokens were estimated, no cost
/// where no prices are known.
std::string ledger_text(const Ledger& ledger);

/// What is being written.
struct ModelProgress {
  std::string section;              ///< The request's purpose.
  std::uint64_t output_tokens = 0;  ///< Of this answer so far, by its size.
  const Ledger* ledger = nullptr;   ///< Without this answer, until `is_over`.
  bool is_over = false;
};
/// Called for each piece of text, at the begin and at the end of each request: whoever shows it chooses how often.
using OnProgress = std::function<void(const ModelProgress&)>;

/// "Risks: 312 tokens; so far 3 requests, …"
std::string progress_text(const ModelProgress& progress);

/// Counts what passes to another model, and refuses a request that might cost more than is left of `most_cost`: as
/// many tokens as its size allows, and all the output that it permits.
class BudgetModel final : public Model {
 public:
  BudgetModel(std::unique_ptr<Model> inner, std::shared_ptr<Ledger> ledger, std::optional<double> most_cost,
              OnProgress on_progress);

  tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest& request, const OnText& on_text) override;

 private:
  [[nodiscard]] std::optional<ChatFailure> excess(const ChatRequest& request) const;
  void add(const ChatRequest& request, const ChatAnswer& answer);

  std::unique_ptr<Model> inner_;
  std::shared_ptr<Ledger> ledger_;
  std::optional<double> most_cost_;
  OnProgress on_progress_;
  double tokens_per_byte_;
};

}  // namespace lockstep::writer
