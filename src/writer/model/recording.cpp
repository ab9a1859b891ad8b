#include "writer/model/recording.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lockstep::writer {

namespace {

using Kind = ChatFailure::Kind;

constexpr std::size_t kMostRecordingBytes = 256u << 20;

tl::unexpected<ChatFailure> other(std::string message) {
  return tl::unexpected(ChatFailure{Kind::kOther, std::move(message)});
}

}  // namespace

RecordingModel::RecordingModel(std::string path, File file, std::unique_ptr<Model> inner)
    : path_(std::move(path)), file_(std::move(file)), inner_(std::move(inner)) {}

bool RecordingModel::write(std::string_view lines) {
  return std::fwrite(lines.data(), 1, lines.size(), file_.get()) == lines.size() && std::fflush(file_.get()) == 0;
}

Result<std::unique_ptr<RecordingModel>> RecordingModel::open(const std::string& path, const RecordedModel& recorded,
                                                             std::unique_ptr<Model> inner) {
  File file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (file == nullptr)
    return fail(fmt::format("cannot write the recording '{}': {}", path, std::strerror(errno)),
                "check that the folder exists and has room");
  std::unique_ptr<RecordingModel> model(new RecordingModel(path, std::move(file), std::move(inner)));
  if (!model->write(recording_head(recorded))) return fail(fmt::format("cannot write the recording '{}'", path));
  return model;
}

tl::expected<ChatAnswer, ChatFailure> RecordingModel::complete(const ChatRequest& request, const OnText& on_text) {
  Exchange exchange{request, {}, {}};
  exchange.outcome = inner_->complete(request, [&](std::string_view piece) {
    exchange.pieces.emplace_back(piece);
    return !on_text || on_text(piece);
  });
  if (!write(recording_of(exchange))) return other(fmt::format("cannot write the recording '{}'", path_));
  return std::move(exchange.outcome);
}

ReplayModel::ReplayModel(Recording recording, StopFlag stop) : recording_(std::move(recording)), stop_(stop) {}

Result<std::unique_ptr<ReplayModel>> ReplayModel::open(const std::string& path, StopFlag stop) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr)
    return fail(fmt::format("cannot read the recording '{}': {}", path, std::strerror(errno)),
                "check the path after --replay");
  std::string text;
  std::array<char, 1u << 16> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
    if (text.size() > kMostRecordingBytes) return fail(fmt::format("the recording '{}' is larger than 256 MiB", path));
  }
  Result<Recording> recording = parse_recording(text, path);
  if (!recording) return tl::unexpected<Error>(recording.error());
  return std::make_unique<ReplayModel>(std::move(*recording), stop);
}

tl::expected<ChatAnswer, ChatFailure> ReplayModel::complete(const ChatRequest& request, const OnText& on_text) {
  if (is_raised(stop_)) return tl::unexpected(ChatFailure{Kind::kStopped, "stopped before anything came"});
  if (next_ >= recording_.exchanges.size())
    return other(fmt::format("the recording has {} requests, and this is another", recording_.exchanges.size()));
  const Exchange& exchange = recording_.exchanges[next_];
  if (const std::string difference = first_difference(exchange.request, request); !difference.empty())
    return other(fmt::format("request {} is not the recorded one: {}", next_ + 1, difference));
  ++next_;
  std::string text;
  for (const std::string& piece : exchange.pieces) {
    text += piece;
    const bool wants_more = !on_text || on_text(piece);
    if (!wants_more || is_raised(stop_)) return ChatAnswer{std::move(text), {}, StopReason::kCut, {}};
  }
  return exchange.outcome;
}

}  // namespace lockstep::writer
