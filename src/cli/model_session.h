// The language model of one run: opened from the options, its progress and cost told on standard error, Ctrl-C heard.
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/options.h"
#include "writer/model/interrupt.h"
#include "writer/model/open_model.h"

namespace lockstep::cli {

class ModelSession {
 public:
  /// Error: what is wrong with the options, the configuration or a recording.
  static Result<std::unique_ptr<ModelSession>> open(const Options& options);

  [[nodiscard]] writer::Model& model() { return *opened_.model; }
  [[nodiscard]] const std::string& name() const { return opened_.name; }
  /// What it cost in all, as a remark on standard error.
  void tell_cost() const;

 private:
  explicit ModelSession(bool is_quiet) : is_quiet_(is_quiet) {}
  void show(const writer::ModelProgress& progress);

  bool is_quiet_;
  bool is_terminal_ = false;
  std::size_t shown_tokens_ = 0;
  writer::InterruptWatch watch_;
  writer::OpenedModel opened_;
};

}  // namespace lockstep::cli
