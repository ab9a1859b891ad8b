#include "report/story/communication/allocating_calls.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "change/names.h"
#include "python/tree_walk.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

bool makes_one_element(const Call& call) {
  if (rules::text_of(rules::keyword_value(call, "device")) == "meta") return true;
  if (call.arguments.empty()) return false;
  const python::Expr* asked = call.arguments.front();
  const auto is_number = [](const python::Expr* one) {
    const auto* constant = python::as<python::Constant>(one);
    return constant != nullptr && (constant->constant_kind == python::ConstantKind::kInt ||
                                   constant->constant_kind == python::ConstantKind::kFloat ||
                                   constant->constant_kind == python::ConstantKind::kTrue ||
                                   constant->constant_kind == python::ConstantKind::kFalse);
  };
  const auto is_one = [&](const python::Expr* size) {
    const auto* constant = python::as<python::Constant>(size);
    return constant != nullptr && constant->constant_kind == python::ConstantKind::kInt && constant->text == "1";
  };
  const std::string name(change::last_part(dotted_text(call.callee)));
  if (name == "tensor" || name == "as_tensor" || name == "scalar_tensor") return is_number(asked);
  if (name != "ones" && name != "zeros" && name != "empty" && name != "full" && name != "rand") return false;
  std::vector<const python::Expr*> sizes(call.arguments.begin(),
                                         name == "full" ? call.arguments.begin() + 1 : call.arguments.end());
  if (const auto* tuple = python::as<python::Tuple>(asked))
    sizes.assign(tuple->elements.begin(), tuple->elements.end());
  if (const auto* list = python::as<python::List>(asked)) sizes.assign(list->elements.begin(), list->elements.end());
  return std::all_of(sizes.begin(), sizes.end(), is_one);
}

bool copies_rearranged(const Call& call) {
  const auto* method = as<Attribute>(call.callee);
  const auto* made = method == nullptr || method->name.text != "contiguous" ? nullptr : as<Call>(method->value);
  const std::string_view rearranges = made == nullptr ? std::string_view() : callee_name(*made);
  return rearranges == "transpose" || rearranges == "permute" || rearranges == "movedim" || rearranges == "swapaxes" ||
         rearranges == "t";
}

bool is_empty_shape(const Call& call) {
  const auto is_zero = [](const Expr* one) {
    const auto* number = as<Constant>(one);
    return number != nullptr && number->constant_kind == ConstantKind::kInt && number->text == "0";
  };
  if (call.arguments.empty()) return false;
  const auto any_zero = [&](const Seq<Expr>& lengths) { return std::any_of(lengths.begin(), lengths.end(), is_zero); };
  if (const auto* tuple = as<Tuple>(call.arguments.front())) return any_zero(tuple->elements);
  if (const auto* list = as<python::List>(call.arguments.front())) return any_zero(list->elements);
  const std::string_view name = callee_name(call);
  const bool takes_lengths = name == "empty" || name == "zeros" || name == "ones";
  return takes_lengths && any_zero(call.arguments);
}

std::size_t allocations_of(const program::Program& program, const Step& step) {
  std::size_t count = 0;
  walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
    const KnownApi* known = known_work(program, *call);
    const bool allocates = known != nullptr && known->kind == ApiKind::kAllocation && !makes_one_element(*call);
    count += allocates && !external_callee(program, call).starts_with("numpy.") ? 1 : 0;
  });
  return count;
}

}  // namespace lockstep::report
