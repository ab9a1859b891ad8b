// What the name of a method or an attribute says of its object, and the name of a callee of what it makes.
#pragma once

#include <string_view>

namespace lockstep::rules {

/// "add_", "fill_": PyTorch's way of naming methods that change the tensor itself (docs of torch.Tensor).
bool works_in_place(std::string_view method);

/// Methods that put something into a list, deque, set or dictionary: "append", "update".
bool fills(std::string_view method);

/// Methods that change the list, deque, set or dictionary that they are called on: these, and "pop", "clear", "sort".
bool changes_container(std::string_view method);

/// Calls that make a list, deque, set or dictionary: "dict", "defaultdict".
bool makes_container(std::string_view callee);

/// Attributes that say how a tensor is, not what is in it: "dtype", "shape" (docs of torch.Tensor).
bool describes_tensor(std::string_view attribute);

}  // namespace lockstep::rules
