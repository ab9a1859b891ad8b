// Places that a model names in full, as it is asked to -> as a reader wants them: the whole path once, then the name of
// the file where no other has it. A document that says "megatron/core/ssm/ops/state.py" in each line hides what it
// says.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "writer/cited_sides.h"

namespace lockstep::writer {

class ShortPlaces {
 public:
  /// `own`: a file whose places stay as they are, the one that the text is about.
  explicit ShortPlaces(const CitedSides& sides, std::string own = {}) : sides_(sides), own_(std::move(own)) {}

  /// A sentence with places in back-quotes; those of files that earlier sentences named whole are shortened.
  std::string operator()(std::string_view sentence);

 private:
  [[nodiscard]] std::string shortened(std::string_view span);

  const CitedSides& sides_;
  const std::string own_;
  std::set<std::string, std::less<>> named_;
};

}  // namespace lockstep::writer
