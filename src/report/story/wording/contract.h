// A function -> its contract as its code states it: what goes in (types, defaults, shapes, its author's words), what
// comes out, what it reads from the configuration, writes, communicates, requires and refuses. No inference beyond the
// text.
#pragma once

#include <string>
#include <vector>

#include "report/story/wording/words.h"

namespace lockstep::report {

struct ContractInput {
  std::string name;           ///< With its stars.
  std::string type;           ///< Source text of the annotation; may be empty.
  std::string default_value;  ///< Source text; may be empty.
  std::string shape;          ///< "[s, b, h]"; may be empty.
  std::string words;          ///< What its docstring says of it; may be empty.
};

/// How a tensor's shape changes on the way through: an assignment whose value reshapes, splits, joins or communicates.
struct ShapeFact {
  std::string name;   ///< The target.
  std::string text;   ///< The value, on one line.
  std::string shape;  ///< From a comment beside it, or the arguments of view / reshape; may be empty.
  std::uint32_t line = 0;
};

struct Contract {
  std::string name;
  std::vector<ContractInput> inputs;  ///< Without self and cls.
  std::size_t left_out = 0;           ///< Inputs that were taken out of `inputs`.
  std::string return_type;            ///< Annotation; may be empty.
  std::string return_words;           ///< Of the docstring; may be empty.
  std::vector<std::string> returns;   ///< Source of returned expressions, distinct, in order; "None" for a bare return.
  bool may_return_more = false;     ///< It may also run off its end, which is not sure; where it surely can, "None" is
                                    ///< among `returns`.
  std::vector<std::string> config;  ///< Names read from config, args, ….
  std::vector<std::string> writes;  ///< "self.x", globals, arguments' attributes and items that are assigned.
  std::vector<std::vector<Span>> write_spans;       ///< Where, for each of `writes`.
  std::vector<std::string> collectives;             ///< Marked text.
  std::vector<std::vector<Span>> collective_spans;  ///< Where, for each of `collectives`.
  std::vector<std::string> kept_collectives;        ///< Those of unchanged lines; filled where the change is known.
  std::vector<std::string> taking_part;  ///< Marked sentences of taking_part.h; filled where the change is known.
  bool is_cut_to_change = false;         ///< `config` and `writes` hold only what the changed lines name.
  /// Of what it surely calls, a few calls deep: "`f` (…): `all_reduce` over …". The first few; there may be more.
  std::vector<std::string> below;
  bool may_communicate = false;  ///< It, or something that it surely or possibly calls, issues a collective.
  std::vector<std::string>
      requirements;  ///< Marked text of assertions and guarded raises: "`x` is positive, else `ValueError`".
  std::vector<Span> requirement_spans;  ///< Of the statements they come from, one each.
  std::vector<ShapeFact> shapes;
};

/// `context.function` must have a def. Nested definitions are left out.
Contract contract_of(const WordsContext& context);

/// "`x`: `Tensor` [s, b, h], default `None`: words".
std::string input_words(const ContractInput& input);

}  // namespace lockstep::report
