// The table of models: what calls of functions and classes outside the repository do with functions, classes and
// modules that are given to them. Everything that Lockstep knows of the standard library and of frameworks for the call
// graph stands here; each row names its source, and tests/program/fixtures has a case for each kind of row.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "program/call_model.h"

namespace lockstep::program::flow {

enum class Effect : std::uint8_t {
  kIdentity,        ///< returns argument `argument`; as a decorator with arguments, returns a decorator that does
                    ///< (`result` "decorator": with positional ones too)
  kDecorator,       ///< returns a decorator that returns what it decorates (functools.wraps)
  kMakesDecorator,  ///< keeps argument `argument` to call it around what is decorated; returns a decorator that returns
                    ///< what it decorates. Without that argument it returns itself (wrapt.decorator)
  kCalls,           ///< calls argument `argument` with the arguments after it, now; returns its result
  kCallsElements,  ///< calls argument `argument` with the elements of the arguments after it; returns a list of results
  kKeeps,          ///< keeps argument `argument` to call it later
  kLoader,         ///< as kKeeps, and asks `dataset`, `sampler` and `batch_sampler` for items, where torch has them
  kPartial,        ///< functools.partial
  kReduce,         ///< calls argument 0 with the elements of argument 1; returns its result
  kElements,       ///< returns a container with the elements of argument `argument`; calls keyword `key` with each
  kBest,           ///< returns an element of argument 0 or one of the arguments; calls keyword `key` with each
  kMerge,          ///< returns a container with the elements of all arguments, each a pair or row (zip, enumerate)
  kChain,          ///< returns a container with the elements of the elements or arguments (itertools.chain)
  kDict,           ///< returns a dict: of argument 0's items and of the keywords
  kNext,           ///< returns an element of argument 0
  kRows,           ///< returns (index, element) pairs of argument 0 (enumerate)
  kArgumentList,   ///< returns a container of modules with the arguments as elements (torch.nn.Sequential)
  kWraps,          ///< returns a wrapper of module argument 0: calling it calls the module, `.module` gives it back
  kReference,      ///< returns a callable that returns argument `argument` (weakref.ref)
  kHook,           ///< method: the receiver's module calls argument `argument` whenever it is called
  kInstance,       ///< returns an instance of class `result`
  kTyped,          ///< returns what the type `result` says: a class, list[T], tuple[A, B] or dict[K, V] of such
  kAttribute,      ///< no call: an attribute that holds what the type `result` says
  kNamespace,      ///< returns an instance of its own with the keywords as attributes (types.SimpleNamespace)
  kFields,         ///< keywords become attributes of instances of class `result` (ArgumentParser.set_defaults)
  kField,          ///< returns argument 0 or keyword `default`, or what its keyword `default_factory` makes
  kSpecial,        ///< has code of its own in the solver (getattr, super, property, …), told apart by name
};

struct Model {
  std::string_view name;
  Effect effect;
  std::uint8_t argument = 0;
  std::string_view keyword = {};  ///< Name by which argument `argument` can be given instead.
  std::string_view result = {};
};

/// All rows, sorted by name.
std::span<const Model> models();
/// The row for a dotted name, or null.
const Model* find_model(std::string_view name);

/// The user's models as rows, sorted by name; they refer to `given`. Rows of unknown effect are left out (call_model.h
/// lists them).
std::vector<Model> user_models(std::span<const CallModel> given);

}  // namespace lockstep::program::flow
