// What names of functions, methods and classes outside the repository say by themselves: what a call of them returns,
// and which methods a class has. What they do with functions and modules given to them is in models.h.
#pragma once

#include <string_view>

namespace lockstep::program::flow {

/// Class of what `torch…` functions and tensor methods return: "torch.Tensor", or empty where it is not one tensor.
bool returns_tensor(std::string_view function);
/// True for functions and methods that return several tensors (torch.split, torch.Tensor.chunk).
bool returns_tensors(std::string_view function);
/// Class of what a function or method returns by the rules of its library; empty where nothing is known.
std::string_view result_class(std::string_view function);
/// True for the methods of str that return a list of strings.
bool returns_strings(std::string_view function);
/// True if method `name` of a tensor returns a tensor.
bool tensor_method_returns_tensor(std::string_view name);
/// True if `method` ("append") is one of class `type` ("builtins.list"); true for classes that are not built in.
bool may_have_method(std::string_view type, std::string_view method);
/// True if the thing outside of this dotted name (a module, class, function or constant) may have an attribute of that
/// name which code could call.
bool may_have_attribute(std::string_view dotted, std::string_view attribute);
/// True for the methods of torch.nn.Module.
bool is_module_method(std::string_view name);
/// True for the methods of torch.nn.Module that return the module itself (`to`, `cuda`, `train`): docs of
/// torch.nn.Module.
bool module_method_returns_self(std::string_view name);
/// True for classes whose instances have no methods, only what is stored in them.
bool is_namespace_class(std::string_view name);
/// True for the classes of unittest.mock that answer to every name.
bool is_mock_class(std::string_view name);
/// True for classes whose instances have a tensor's methods.
bool is_tensor_class(std::string_view name);
/// True for the dotted names of torch.nn.Module and of the base classes of other libraries that call `forward`.
bool is_module_class(std::string_view name);

}  // namespace lockstep::program::flow
