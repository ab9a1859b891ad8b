// The small language that value flow runs on. lower.h turns the tree of a module into it; the solver instantiates it,
// once for every module and once more for each call of a function that is worth telling apart by caller.
//
// A slot stands for the set of values that an expression, one version of a local variable, a parameter, or a result may
// hold. Ops say how values move between slots. Slots, objects and ops of a function, including those of the functions
// nested in it, are contiguous ranges: this is what makes copying a function for one caller cheap.
//
// The code of a module counts everything from the module's first: slots, objects, names, seeds, and also its functions
// and classes. So it depends on the file alone, and programs that hold the same file share it (shared_code.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::program::flow {

using Slot = std::uint32_t;    ///< In ModuleCode: counted from the module's first; 0 never holds anything.
using NameId = std::uint32_t;  ///< In ModuleCode: index into its `names`; in the solver: index into all names.
inline constexpr std::uint32_t kNone = 0xffffffffu;

enum class OpCode : std::uint8_t {
  kCopy,            ///< dst <- a
  kText,            ///< dst <- the string `name`
  kInteger,         ///< dst <- the integer a (as int32)
  kBuiltinValue,    ///< dst <- some instance of the builtin class `name`
  kBuiltin,         ///< dst <- the builtin function or class `name`
  kClosure,         ///< dst <- function a
  kClass,           ///< dst <- class a
  kClassAttribute,  ///< attribute `name` of class a's body <- slot b
  kClassCreated,    ///< class a exists now: __init_subclass__ and metaclass run; arguments are the header's keywords
  kImport,          ///< dst <- what import number a of the module binds
  kGlobal,          ///< dst <- `name` from star-imports or builtins
  kLoad,            ///< dst <- a.name; c, if any, is what was just stored there
  kStore,           ///< a.name <- b
  kCall,            ///< dst <- a(arguments)
  kMethodCall,      ///< dst <- a.name(arguments); b is a slot for callables found in fields; c as for kLoad
  kDecorate,        ///< dst <- a(b), as a decorator
  kMake,            ///< dst <- new container number a; arguments are its elements
  kGetItem,         ///< dst <- a[b]; c, if any, is what was just stored there
  kSetItem,         ///< a[b] <- c
  kSlice,           ///< dst <- a[flags:] as container number b
  kIterate,         ///< dst <- each element of a
  kUnpack,          ///< dst <- element number `b` of a
  kEnter,           ///< dst <- a.__enter__(), and __exit__
  kBinary,          ///< dst <- a op b; name is the dunder method
  kUnary,           ///< dst <- op a; name is the dunder method
  kSuper,           ///< dst <- super() in class b for receiver a
  kNarrow,          ///< dst <- values of a that are instances of b (flags 1: that are not)
  kDeclared,        ///< dst <- values of a that fit the annotation of seed number b
  kRaise,           ///< raise a: a class is instantiated
};

/// One argument of a call or element of a container.
struct Argument {
  static constexpr NameId kPositional = kNone;
  static constexpr NameId kStar = kNone - 1;        ///< *slot
  static constexpr NameId kDoubleStar = kNone - 2;  ///< **slot
  Slot slot;
  NameId name;  ///< Keyword name, or one of the above.
};

/// Flag of a tuple that is made with what its readers call: `return output, partial(loss_func, mask)`.
inline constexpr std::uint8_t kHoldsCallable = 2;

/// Flags of a call in the solver: attributes are read right after it that some function surely overwrites.
inline constexpr std::uint8_t kAsksAfterwards = 1;

struct Op {
  OpCode code;
  std::uint8_t flags = 0;
  std::uint16_t argument_count = 0;
  Slot dst = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;  ///< A slot, for kSetItem the value's.
  NameId name = kNone;
  std::uint32_t first_argument = 0;
};

/// What is counted from a module's first in its code, and where that first stands in the program.
struct ModuleStarts {
  std::uint32_t seed = 0;
  std::uint32_t function = 0;
  std::uint32_t cls = 0;
};

/// Moves what `op` names to another numbering: `slot` and `object` map one number each, the others grow by `starts`.
/// Names and arguments are left to the caller.
template <class MapSlot, class MapObject>
void relocate(Op& op, MapSlot&& slot, MapObject&& object, const ModuleStarts& starts) {
  op.dst = slot(op.dst);
  switch (op.code) {
    case OpCode::kText:
    case OpCode::kInteger:
    case OpCode::kImport:
    case OpCode::kGlobal:
    case OpCode::kBuiltin:
    case OpCode::kBuiltinValue:
      break;
    case OpCode::kClosure:
      op.a += starts.function;
      break;
    case OpCode::kClass:
    case OpCode::kClassCreated:
      op.a += starts.cls;
      break;
    case OpCode::kMake:
      op.a = object(op.a);
      break;
    case OpCode::kClassAttribute:
      op.a += starts.cls;
      op.b = slot(op.b);
      break;
    case OpCode::kSlice:
      op.a = slot(op.a);
      op.b = object(op.b);
      break;
    case OpCode::kDeclared:
      op.a = slot(op.a);
      op.b += starts.seed;
      break;
    case OpCode::kUnpack:
      op.a = slot(op.a);
      break;
    case OpCode::kSuper:
      op.a = slot(op.a);
      op.b += starts.cls;
      break;
    default:
      op.a = slot(op.a);
      op.b = slot(op.b);
      op.c = slot(op.c);
  }
}

enum class ContainerKind : std::uint8_t {
  kList,
  kTuple,
  kDict,
  kSet,
  kGenerator,
  kRest,
  kKeywords,
  kPartial,
  kProperty,
  kModules,
  kWrapper,
  kRecord,
  kReference,
  kOther,
};

enum class MethodKind : std::uint8_t { kPlain, kInstance, kClass, kStatic };

/// Ops of a function that run only if a test of its parameters comes out as `holds`.
struct Guard {
  const python::Expr* test;  ///< Every parameter in it still is what was passed.
  bool holds;
  std::uint32_t first_op;
  std::uint32_t end_op;
};

/// Code of one function, lambda or module body.
struct FunctionCode {
  FunctionId id;        ///< In ModuleCode: counted from the module's body.
  Slot first_slot = 0;  ///< Parameters come first, in the order of the source.
  Slot end_slot = 0;    ///< Past the slots of nested functions too.
  std::uint32_t first_op = 0;
  std::uint32_t end_op = 0;  ///< Past the ops of nested functions too.
  std::uint32_t first_object = 0;
  std::uint32_t end_object = 0;
  Slot result = 0;                        ///< What it returns.
  Slot yielded = 0;                       ///< What it yields; 0 if it is no generator.
  std::uint32_t rest_object = kNone;      ///< The tuple behind *args.
  std::uint32_t keywords_object = kNone;  ///< The dict behind **kwargs.
  MethodKind method = MethodKind::kPlain;
  bool per_caller = false;  ///< Told apart by caller: returns or calls its parameters, or makes closures.
  bool is_factory = false;  ///< Set by the solver: returns what a field of its receiver makes, or is __init_subclass__.
  const python::Parameters* parameters = nullptr;
  std::uint32_t first_exit = 0;  ///< Into ModuleCode::exits.
  std::uint32_t exit_count = 0;  ///< 0: nothing is known of what it leaves behind.
  std::vector<Guard> guards;
  std::vector<NameId> parameter_names;
  std::vector<std::pair<std::uint32_t, Slot>> defaults;  ///< (parameter, slot in the code around the function)
};

/// How many parameters of a function take positional arguments, `*args` aside.
inline std::uint32_t positional_count(const FunctionCode& code) {
  using Kind = python::Parameter::Kind;
  std::uint32_t count = 0;
  if (code.parameters == nullptr) return 0;
  for (const python::Parameter* parameter : code.parameters->all) {
    const Kind kind = parameter->parameter_kind;
    if (kind != Kind::kPositionalOnly && kind != Kind::kPositionalOrKeyword) break;
    ++count;
  }
  return count;
}

/// What a slot holds, by its annotation, where value flow finds nothing better.
struct Seed {
  Slot slot;
  python::ScopeId scope;
  const python::Expr* annotation;
  std::uint32_t function;  ///< Index into ModuleCode::functions.
  bool is_parameter;
  /// The slot holds a container that is made empty: where nothing known is put in, the annotation says what is.
  bool of_elements = false;
  /// The slot is the result of `typing.cast(T, value)`, which may say of a mixin what it is mixed into.
  bool is_cast = false;
};

/// `object.name = value`, which every caller finds so when the function returns this way.
struct SureStore {
  static constexpr std::uint32_t kParameter = 0x80000000u;
  std::uint32_t object;  ///< kParameter + which parameter, or the slot of a variable of the code around the function.
  NameId name;
  std::uint32_t value;  ///< kParameter + which parameter, or a slot.
};

/// One way by which a function returns.
struct Exit {
  std::uint32_t first_store;  ///< Into ModuleCode::sure_stores, in the order in which they happen.
  std::uint32_t store_count;
  std::uint32_t last_call;  ///< Op of a call after which nothing else happens; kNone if something may.
};

/// A read of an attribute of a local variable, with nothing in between that could store there since a call
/// (overwrites.h).
struct ReadAfterCall {
  std::uint32_t read;  ///< Op.
  std::uint32_t call;  ///< Op.
  Slot cell;           ///< Where nested functions and functions of the module find the variable; 0 if they do not.
};

struct ModuleCode {
  std::vector<Op> ops;
  std::vector<const python::Node*> nodes;  ///< By op: the tree node it comes from.
  std::vector<Argument> arguments;
  std::vector<ContainerKind> objects;
  std::vector<FunctionCode> functions;  ///< In the order in which they are lowered: by first_op.
  std::vector<std::string_view> names;
  std::vector<std::uint32_t> name_hashes;        ///< By name: NameIndex::hash_of.
  std::vector<std::pair<NameId, Slot>> exports;  ///< Module-level variables, sorted by name id.
  std::vector<Seed> seeds;
  std::vector<Exit> exits;
  std::vector<SureStore> sure_stores;
  std::vector<ReadAfterCall> reads_after_calls;  ///< Sorted by call.
  /// Loads of names, attributes, calls, … with the slot that holds what they evaluate to, in the order of lowering.
  std::vector<std::pair<const python::Expr*, Slot>> expressions;
  Slot slot_count = 1;
};

}  // namespace lockstep::program::flow
