// Models that keep an exchange and give it again (--record, --replay): the same requests get the same pieces, answers
// and failures, byte for byte and without a server.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "base/result.h"
#include "writer/model/clock.h"
#include "writer/model/exchange.h"

namespace lockstep::writer {

/// Passes on to another model and writes each exchange to a file as soon as it is over.
class RecordingModel final : public Model {
 public:
  /// Error: the file cannot be written.
  static Result<std::unique_ptr<RecordingModel>> open(const std::string& path, const RecordedModel& recorded,
                                                      std::unique_ptr<Model> inner);

  tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest& request, const OnText& on_text) override;

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  RecordingModel(std::string path, File file, std::unique_ptr<Model> inner);
  bool write(std::string_view lines);

  std::string path_;
  File file_;
  std::unique_ptr<Model> inner_;
};

/// Gives a recorded exchange again. A request that differs from the recorded one is a failure that says where.
class ReplayModel final : public Model {
 public:
  ReplayModel(Recording recording, StopFlag stop);

  /// Error: the file cannot be read, or is no recording.
  static Result<std::unique_ptr<ReplayModel>> open(const std::string& path, StopFlag stop);

  tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest& request, const OnText& on_text) override;

  [[nodiscard]] const RecordedModel& recorded() const { return recording_.model; }

 private:
  Recording recording_;
  StopFlag stop_;
  std::size_t next_ = 0;
};

}  // namespace lockstep::writer
