#include <fmt/format.h>

#include <chrono>

#include "base/check.h"
#include "base/secrets.h"
#include "forge/curl_setup.h"
#include "writer/model/stream_transport.h"

namespace lockstep::writer {

namespace {

using SteadyClock = std::chrono::steady_clock;

// How soon a raised flag and the time limits are seen.
constexpr int kPollMilliseconds = 50;

struct EasyFree {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiFree {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
using Easy = std::unique_ptr<CURL, EasyFree>;
using Multi = std::unique_ptr<CURLM, MultiFree>;

struct Receiver {
  CURL* curl = nullptr;
  const OnBytes* on_bytes = nullptr;
  std::vector<forge::Header> headers;
  SteadyClock::time_point last_byte;
  std::size_t byte_count = 0;
  std::size_t most_bytes = 0;
  bool is_refused = false;
  bool is_too_large = false;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& receiver = *static_cast<Receiver*>(user);
  receiver.last_byte = SteadyClock::now();
  receiver.byte_count += size * count;
  receiver.is_too_large = receiver.byte_count > receiver.most_bytes;
  if (receiver.is_too_large) return 0;
  long status = 0;
  curl_easy_getinfo(receiver.curl, CURLINFO_RESPONSE_CODE, &status);
  receiver.is_refused = !(*receiver.on_bytes)(status, std::string_view(data, size * count));
  return receiver.is_refused ? 0 : size * count;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& receiver = *static_cast<Receiver*>(user);
  receiver.last_byte = SteadyClock::now();
  forge::take_header_line(std::string_view(data, size * count), receiver.headers);
  return size * count;
}

StreamEnd end_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return StreamEnd::kWhole;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      return StreamEnd::kNoConnection;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return StreamEnd::kUntrusted;
    default:
      return StreamEnd::kBroken;
  }
}

class CurlStream final : public StreamTransport {
 public:
  CurlStream(const StreamLimits& limits, StopFlag stop)
      : limits_(limits), stop_(stop), easy_(curl_easy_init()), multi_(curl_multi_init()) {
    CHECK(easy_ != nullptr && multi_ != nullptr);
  }

  StreamOutcome post(const StreamRequest& request, const OnBytes& on_bytes) override {
    Receiver receiver;
    receiver.curl = easy_.get();
    receiver.on_bytes = &on_bytes;
    receiver.most_bytes = limits_.most_body_bytes;
    receiver.last_byte = SteadyClock::now();
    const forge::CurlHeaderList headers = forge::curl_header_list(request.headers);
    set_up(request, receiver, headers);
    CHECK(curl_multi_add_handle(multi_.get(), easy_.get()) == CURLM_OK);
    StreamOutcome outcome = drive(request, receiver);
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &outcome.status);
    curl_multi_remove_handle(multi_.get(), easy_.get());
    outcome.headers = std::move(receiver.headers);
    return outcome;
  }

 private:
  void set_up(const StreamRequest& request, Receiver& receiver, const forge::CurlHeaderList& headers) {
    CURL* curl = easy_.get();
    forge::set_up_curl(curl, request.url, headers);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits_.connect_seconds * 1000));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &receiver);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &receiver);
    // A request that costs money must not be sent a second time by curl itself.
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  }

  StreamOutcome drive(const StreamRequest& request, const Receiver& receiver) {
    const std::string origin = forge::origin_of(request.url);
    const auto start = SteadyClock::now();
    for (;;) {
      int running = 0;
      if (curl_multi_perform(multi_.get(), &running) != CURLM_OK)
        return {StreamEnd::kBroken, 0, {}, origin + " cannot be asked: curl fails"};
      if (running == 0) return ended(origin, receiver);
      const auto now = SteadyClock::now();
      if (is_raised(stop_)) return {StreamEnd::kStopped, 0, {}, ""};
      if (now - receiver.last_byte > std::chrono::duration<double>(limits_.silent_seconds))
        return {StreamEnd::kSilent, 0, {}, fmt::format("{} was silent for {:.3g} s", origin, limits_.silent_seconds)};
      if (now - start > std::chrono::duration<double>(limits_.total_seconds))
        return {StreamEnd::kTooSlow, 0, {}, fmt::format("{} takes over {:.3g} s", origin, limits_.total_seconds)};
      curl_multi_poll(multi_.get(), nullptr, 0, kPollMilliseconds, nullptr);
    }
  }

  StreamOutcome ended(const std::string& origin, const Receiver& receiver) {
    int left = 0;
    CURLcode code = CURLE_RECV_ERROR;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg == CURLMSG_DONE) code = message->data.result;
    }
    if (receiver.is_refused) return {StreamEnd::kStopped, 0, {}, ""};
    if (receiver.is_too_large)
      return {
          StreamEnd::kTooLarge, 0, {}, fmt::format("{} answers with over {} MiB", origin, receiver.most_bytes >> 20)};
    if (code == CURLE_OK) return {};
    return {end_of(code), 0, {}, fmt::format("{}: {}", origin, without_secrets(curl_easy_strerror(code)))};
  }

  StreamLimits limits_;
  StopFlag stop_;
  Easy easy_;
  Multi multi_;
};

}  // namespace

std::string_view StreamOutcome::header(std::string_view name) const {
  for (const forge::Header& header : headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

std::unique_ptr<StreamTransport> make_curl_stream(const StreamLimits& limits, StopFlag stop) {
  static const bool is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  CHECK(is_ready);
  return std::make_unique<CurlStream>(limits, stop);
}

}  // namespace lockstep::writer
