#include "writer/model/open_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "forge/http.h"
#include "writer/model/mask.h"
#include "writer/model/place.h"
#include "writer/model/recording.h"
#include "writer/model/wire.h"

namespace lockstep::writer {

namespace {

// The first in line: nobody behind it sees a secret or a byte that is no UTF-8.
class MaskingModel final : public Model {
 public:
  MaskingModel(std::unique_ptr<Model> inner, std::vector<std::string> known, std::shared_ptr<Ledger> ledger,
               Remark remark)
      : inner_(std::move(inner)), known_(std::move(known)), ledger_(std::move(ledger)), remark_(std::move(remark)) {}

  tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest& request, const OnText& on_text) override {
    std::size_t count = 0;
    const ChatRequest fit = fit_to_send(request, known_, count);
    if (count > 0 && ledger_->masked_secrets == 0 && remark_)
      remark_("the code holds what looks like secrets: the model gets them masked");
    ledger_->masked_secrets += count;
    return inner_->complete(fit, on_text);
  }

 private:
  std::unique_ptr<Model> inner_;
  std::vector<std::string> known_;
  std::shared_ptr<Ledger> ledger_;
  Remark remark_;
};

class ShowingModel final : public Model {
 public:
  ShowingModel(ModelPlace place, bool has_key, std::function<void(std::string_view)> show)
      : place_(std::move(place)), has_key_(has_key), show_(std::move(show)) {}

  tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest& request, const OnText& /*on_text*/) override {
    std::string text = fmt::format("POST {}\n", place_.url);
    for (const forge::Header& header : request_headers(place_, forge::Token()))
      text += fmt::format("{}: {}\n", header.name, header.value);
    if (has_key_)
      text += place_.api == WireApi::kAnthropic ? "x-api-key: (the key)\n" : "Authorization: Bearer (the key)\n";
    text += fmt::format("\n{}\n", request_body(place_, request, {}));
    if (show_) show_(text);
    return tl::unexpected(ChatFailure{ChatFailure::Kind::kShown, "shown, not sent (--show-request)"});
  }

 private:
  ModelPlace place_;
  bool has_key_;
  std::function<void(std::string_view)> show_;
};

// A server with what it needs to be asked.
class OwningServerModel final : public Model {
 public:
  OwningServerModel(const ModelPlace& place, const forge::Token& key, const ModelSurroundings& surroundings)
      : own_clock_(surroundings.clock == nullptr ? make_system_clock() : nullptr),
        transport_(make_curl_stream(surroundings.limits, surroundings.stop)),
        model_(place, key, *transport_, own_clock_ ? *own_clock_ : *surroundings.clock, surroundings.stop,
               surroundings.remark) {}

  tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest& request, const OnText& on_text) override {
    return model_.complete(request, on_text);
  }

 private:
  std::unique_ptr<Clock> own_clock_;
  std::unique_ptr<StreamTransport> transport_;
  ServerModel model_;
};

struct Innermost {
  std::unique_ptr<Model> model;
  RecordedModel about;
};

Result<Innermost> make_replay(const std::string& path, StopFlag stop) {
  Result<std::unique_ptr<ReplayModel>> replay = ReplayModel::open(path, stop);
  if (!replay) return tl::unexpected<Error>(replay.error());
  const RecordedModel about = (*replay)->recorded();
  return Innermost{std::move(*replay), about};
}

Result<Innermost> make_server(const ModelOptions& options, const ModelPlace& place, const forge::Token& key,
                              const RecordedModel& about, const ModelSurroundings& surroundings) {
  if (is_key_in_clear(place, key) && surroundings.remark)
    surroundings.remark(fmt::format("the key in {} goes to {} unencrypted", key.source(), forge::origin_of(place.url)));
  auto server = std::make_unique<OwningServerModel>(place, key, surroundings);
  if (!options.record) return Innermost{std::move(server), about};
  Result<std::unique_ptr<RecordingModel>> recording = RecordingModel::open(*options.record, about, std::move(server));
  if (!recording) return tl::unexpected<Error>(recording.error());
  return Innermost{std::move(*recording), about};
}

// The server, or the show of what it would get. Puts the key into `known`.
Result<Innermost> make_sender(const ModelOptions& options, const ModelSurroundings& surroundings,
                              std::vector<std::string>& known) {
  const Result<ModelSettings> settings = settings_of_user(surroundings.config, surroundings.directory);
  if (!settings) return tl::unexpected<Error>(settings.error());
  const Result<ModelPlace> place = resolve_place({options.name, options.url, options.api}, *settings);
  if (!place) return tl::unexpected<Error>(place.error());
  const RecordedModel about{place->name, settings->context_tokens, settings->prices};
  const Result<forge::Token> key = find_key(*place, *settings);
  if (key && !key->empty()) known.push_back(key->reveal());
  if (options.show_request) {  // even while there is no key yet
    const bool has_key = !key || !key->empty();
    return Innermost{std::make_unique<ShowingModel>(*place, has_key, surroundings.show), about};
  }
  if (!key) return tl::unexpected<Error>(key.error());
  return make_server(options, *place, *key, about, surroundings);
}

}  // namespace

Result<OpenedModel> open_model(const ModelOptions& options, ModelSurroundings surroundings) {
  std::vector<std::string> known = secrets_of_environment();
  Result<Innermost> innermost =
      options.replay ? make_replay(*options.replay, surroundings.stop) : make_sender(options, surroundings, known);
  if (!innermost) return tl::unexpected<Error>(innermost.error());
  const RecordedModel about = innermost->about;
  if (options.most_cost && !about.prices)
    return fail("--max-cost needs the model's prices",
                "write input-price and output-price (of a million tokens) into [model] of your configuration");
  auto ledger = std::make_shared<Ledger>();
  ledger->prices = about.prices;
  auto budget =
      std::make_unique<BudgetModel>(std::move(innermost->model), ledger, options.most_cost, surroundings.on_progress);
  auto model = std::make_unique<MaskingModel>(std::move(budget), std::move(known), ledger, surroundings.remark);
  return OpenedModel{std::move(model), ledger, about.name, about.context_tokens};
}

}  // namespace lockstep::writer
