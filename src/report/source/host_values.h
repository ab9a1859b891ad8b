// Which values surely live on the host, as arrays of numpy and tensors of device "cpu" do: to read them makes nothing
// wait for a GPU.
#pragma once

#include <string_view>

#include "program/program.h"
#include "report/source/apis.h"

namespace lockstep::report {

/// Whether what a value is taken from is made on the host: where it stands (`np.where(…).flatten()`,
/// `einops.rearrange(np.arange(4), …)`, `torch.zeros(4, device="cpu")`, `torch.tensor(x)`, `x.cpu()`), in every
/// assignment to the local of the function that it is, in every statement of the class that sets the attribute, or, of
/// another object's attribute, in every statement outside tests that sets it for its class.
bool lives_on_host(const program::Program& program, program::FunctionId function, const python::Expr* value);

/// What is known of the function of a library that the call enters, by its dotted name; null where nothing is, and for
/// what would wait for the GPU for an argument that lives on the host.
const KnownApi* function_of_library(const program::Program& program, const python::Call& call, std::string_view name);

/// What is known of a method by its name alone, on a value that may be a tensor; null for calls of no method, for a
/// `detach` that is given something, and for what would wait for the GPU on a value that lives on the host, or that
/// may: a field of a class whose objects are read back from data by a method that sets their attributes one by one.
const KnownApi* method_of_value(const program::Program& program, const python::Call& call);

}  // namespace lockstep::report
