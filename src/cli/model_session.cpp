#include "cli/model_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/secrets.h"

namespace lockstep::cli {

namespace {

constexpr std::size_t kTokensBetweenLines = 20;  // on a terminal, where one line is written over and over

}  // namespace

Result<std::unique_ptr<ModelSession>> ModelSession::open(const Options& options) {
  std::unique_ptr<ModelSession> session(new ModelSession(options.quiet));
  session->is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  writer::ModelSurroundings surroundings;
  surroundings.config = options.config;
  surroundings.directory = options.directory;
  surroundings.stop = session->watch_.flag();
  surroundings.remark = [is_quiet = options.quiet](const std::string& text) {
    if (!is_quiet) fmt::print(stderr, "lockstep: {}\n", without_secrets(text));
  };
  surroundings.show = [](std::string_view text) { fmt::print("{}", text); };
  surroundings.on_progress = [raw = session.get()](const writer::ModelProgress& progress) { raw->show(progress); };
  Result<writer::OpenedModel> opened = writer::open_model(options.model, std::move(surroundings));
  if (!opened) return tl::unexpected<Error>(opened.error());
  session->opened_ = std::move(*opened);
  return session;
}

void ModelSession::show(const writer::ModelProgress& progress) {
  if (is_quiet_) return;
  if (progress.is_over) {
    shown_tokens_ = 0;
    fmt::print(stderr, "{}lockstep: {}\n", is_terminal_ ? "\r\x1b[K" : "", writer::progress_text(progress));
  } else if (is_terminal_ && progress.output_tokens >= shown_tokens_) {
    shown_tokens_ = progress.output_tokens + kTokensBetweenLines;
    fmt::print(stderr, "\r\x1b[Klockstep: {}", writer::progress_text(progress));
    std::fflush(stderr);
  }
}

void ModelSession::tell_cost() const {
  if (is_quiet_) return;
  fmt::print(stderr, "lockstep: {}: {}\n", opened_.name, writer::ledger_text(*opened_.ledger));
  if (opened_.ledger->requests == 0)
    fmt::print(stderr, "lockstep: the model wrote nothing: this is Lockstep's own document, and its end says why\n");
}

}  // namespace lockstep::cli
