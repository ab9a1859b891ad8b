#include "change/names.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace lockstep::change {

using python::as;

namespace {

/// Names below torch.distributed, sorted; from the c10d documentation of PyTorch 2.x. The functional variants have the
/// same names.
constexpr std::array kCollectives = std::to_array<std::string_view>({
    "_all_gather_base",
    "_reduce_scatter_base",
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_gather_tensor",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "gather_object",
    "irecv",
    "isend",
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
});

std::string without_space(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) > ' ') out.push_back(c);
  }
  return out;
}

/// Cuts at a character boundary; appends "…" where something was cut.
std::string cut(std::string_view text) {
  if (text.size() <= kMaxDifferenceText) return std::string(text);
  return std::string(cut_at_character(text, kMaxDifferenceText)) + "…";
}

/// People write `len`, not `builtins.len`.
std::string without_builtins(std::string_view name) {
  constexpr std::string_view kBuiltins = "builtins.";
  return std::string(name.starts_with(kBuiltins) ? name.substr(kBuiltins.size()) : name);
}

std::string name_of(const program::Program& program, const program::Reference& reference) {
  using Kind = program::Reference::Kind;
  switch (reference.kind) {
    case Kind::kModule:
      return program.modules()[reference.module].name;
    case Kind::kClass:
      return program.classes()[reference.cls].qualified_name;
    case Kind::kFunction:
      return program.functions()[reference.function].qualified_name;
    case Kind::kVariable:
      return program.modules()[reference.module].name + "." + reference.name;
    case Kind::kExternal:
      return without_builtins(reference.name);
    case Kind::kUnknown:
      break;
  }
  return {};
}

std::string name_of(const program::Program& program, const program::CallTarget& target) {
  if (!target.function.valid()) return without_builtins(target.external);
  const program::Function& function = program.functions()[target.function];
  if (target.kind == program::CallKind::kConstructor && function.owner.valid()) {
    return program.classes()[function.owner].qualified_name;
  }
  return function.qualified_name;
}

bool is_reference(const python::Expr& expression) {
  const python::Expr* at = &expression;
  while (const auto* attribute = as<python::Attribute>(at)) at = attribute->value;
  return python::is<python::Name>(at);
}

/// The name that the Program knows `expression` by; empty where it knows none.
std::string resolved_name(const CodeContext& context, const python::Expr& expression) {
  if (!context.function.valid() || !is_reference(expression)) return {};
  return name_of(*context.program, context.program->resolve(context.function, expression));
}

}  // namespace

std::string quote(const SourceText& source, Span span) { return cut(source.slice(span)); }

bool is_cut(std::string_view quoted) { return quoted.size() > kMaxDifferenceText - 4 && quoted.ends_with("…"); }

std::string_view entry_key(std::string_view name) {
  const std::size_t at = name.find('[');
  return at == std::string_view::npos || !name.ends_with(']') ? std::string_view()
                                                              : name.substr(at + 1, name.size() - at - 2);
}

bool stands_out(std::string_view name) {
  constexpr std::size_t kShort = 6;
  if (name.size() < kShort) return false;
  const std::string_view inside = name.substr(1);
  return inside.find('_') != std::string_view::npos ||
         std::any_of(inside.begin(), inside.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

std::string dotted_name(const CodeContext& context, const python::Expr& expression) {
  std::string name = resolved_name(context, expression);
  return name.empty() ? cut(without_space(context.source->slice(expression.span))) : name;
}

std::string callee_name(const CodeContext& context, const python::Call& call) {
  std::string name = resolved_name(context, *call.callee);
  if (!name.empty()) return name;
  const program::CallId id = context.program->call_of(&call);
  if (id.valid()) {
    const auto& targets = context.program->calls()[id].targets;
    // A lambda has no name that a reader could look for.
    const bool is_lambda = targets.size() == 1 && targets[0].function.valid() &&
                           context.program->functions()[targets[0].function].kind == program::FunctionKind::kLambda;
    if (targets.size() == 1 && !is_lambda && targets[0].certainty == program::Certainty::kExact) {
      return name_of(*context.program, targets[0]);
    }
  }
  return cut(without_space(context.source->slice(call.callee->span)));
}

bool is_collective(std::string_view external_name) {
  constexpr std::string_view kPackage = "torch.distributed.";
  if (!external_name.starts_with(kPackage)) return false;
  std::string_view rest = external_name.substr(kPackage.size());
  for (const std::string_view inner : {"distributed_c10d.", "nn.functional.", "nn.", "_functional_collectives."}) {
    if (rest.starts_with(inner)) {
      rest.remove_prefix(inner.size());
      break;
    }
  }
  return std::ranges::binary_search(kCollectives, rest);
}

}  // namespace lockstep::change
