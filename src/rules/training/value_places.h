// Where a value lives, as far as one function and the annotations it can see tell: on the host, in a tensor on the CPU,
// on the GPU, or in a tensor of which only that is known. Evidence, not proof: an unknown value stays unknown.
//
// Of a parameter it is looked at what its callers give it, where all of them give a tensor on the CPU.
//
// Left out: values that come through attributes without an annotation, containers' elements, other functions' bodies.
#pragma once

#include <string_view>

#include "program/program.h"

namespace lockstep::rules {

enum class ValuePlace : std::uint8_t {
  kUnknown,
  kHost,  ///< A Python or NumPy value.
  kCpuTensor,
  kTensor,  ///< A tensor, device unknown.
  kCudaTensor,
};

/// True for a tensor that may live on the GPU.
inline bool may_be_on_gpu(ValuePlace place) { return place == ValuePlace::kTensor || place == ValuePlace::kCudaTensor; }

class ValuePlaces {
 public:
  explicit ValuePlaces(const program::Program& program) : program_(program) {}

  /// Where the value of `expression`, read in the body of `function`, lives.
  [[nodiscard]] ValuePlace of(program::FunctionId function, const python::Expr& expression) const;
  /// Whether it is what `next(data_iterator)` or `next(self.loader)` gave, or an element of that: on the host, unless a
  /// loader that moves its batches gave it.
  [[nodiscard]] bool is_given_by_loader(program::FunctionId function, const python::Expr& expression) const;
  /// True if the tensor expression surely holds truth values (a comparison, `.bool()`, `~mask`, dtype=torch.bool).
  [[nodiscard]] bool is_mask(program::FunctionId function, const python::Expr& expression) const;
  /// Dotted external name of what is called ("torch.cuda.synchronize"); empty where it is not external.
  [[nodiscard]] std::string_view external_callee(const python::Call& call) const;

 private:
  struct Asked;  // Bounds one question.
  [[nodiscard]] ValuePlace place(Asked& asked, const python::Expr& expression) const;
  [[nodiscard]] ValuePlace place_of_name(Asked& asked, const python::Name& name) const;
  [[nodiscard]] ValuePlace place_of_parameter(Asked& asked, const python::Parameter& parameter) const;
  [[nodiscard]] ValuePlace place_of_attribute(Asked& asked, const python::Attribute& attribute) const;
  [[nodiscard]] ValuePlace place_of_call(Asked& asked, const python::Call& call) const;
  [[nodiscard]] ValuePlace place_of_method(Asked& asked, const python::Call& call,
                                           const python::Attribute& method) const;
  [[nodiscard]] ValuePlace place_of_torch(Asked& asked, const python::Call& call, std::string_view name) const;
  [[nodiscard]] ValuePlace place_of_moved(Asked& asked, const python::Call& call, ValuePlace receiver) const;
  [[nodiscard]] ValuePlace place_of_returned(program::FunctionId callee) const;
  [[nodiscard]] const python::Binding* last_binding(program::FunctionId function, const python::Name& name) const;
  [[nodiscard]] bool is_mask_within(Asked& asked, const python::Expr& expression) const;

  const program::Program& program_;
};

/// The place that an annotation promises.
ValuePlace place_of_annotation(const python::Expr* annotation);

}  // namespace lockstep::rules
