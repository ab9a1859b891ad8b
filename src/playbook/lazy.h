// What is gathered from a whole program only when somebody asks for it: most changes raise no question that needs it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "program/program.h"

namespace lockstep::playbook {

/// A `T` made of a program, on first use. Threads may share it; the program must outlive it.
template <typename T>
class Lazy {
 public:
  explicit Lazy(const program::Program& program) : program_(&program), made_(std::make_unique<Made>()) {}
  [[nodiscard]] const T& operator*() const {
    std::call_once(made_->once, [this] { made_->value.emplace(*program_); });
    return *made_->value;
  }
  [[nodiscard]] const T* operator->() const { return &**this; }

 private:
  struct Made {
    std::once_flag once;
    std::optional<T> value;
  };
  const program::Program* program_;
  std::unique_ptr<Made> made_;
};

}  // namespace lockstep::playbook
