#include "report/source/host_values.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/attribute_stores.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/training/value_places.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr int kMostDepth = 6;  // Locals that are made of locals.

/// The values that assignments alone give the local; empty where something else binds it, too.
std::vector<const Expr*> values_of(const FunctionDef& def, std::string_view local) {
  std::vector<const Expr*> values;
  if (rules::parameter_named(&def, local) != nullptr) return values;
  walk_of<Assign>(def, Nested::kSkip, [&](const Assign* assign) {
    for (const Expr* target : assign->targets) {
      const auto* name = as<Name>(target);
      if (name != nullptr && name->id == local) values.push_back(assign->value);
    }
  });
  return values.size() == rules::bindings_of(def, local, Nested::kSkip) ? values : std::vector<const Expr*>();
}

/// The values that statements of the class give `self.name`; empty where other statements do, or none.
std::vector<const Expr*> values_of_attribute(const ClassDef& cls, std::string_view name) {
  std::vector<const Expr*> values;
  std::size_t sets = 0;
  const auto is_it = [&](const Node* target) {
    const auto* attribute = as<Attribute>(target);
    return attribute != nullptr && attribute->name.text == name && attribute->context == ExprContext::kStore &&
           rules::name_of(attribute->value) == "self";
  };
  python::walk(cls, Nested::kEnter, [&](const Node* node) {
    sets += is_it(node) ? 1 : 0;
    const auto* assign = as<Assign>(node);
    if (assign != nullptr && assign->targets.size() == 1 && is_it(assign->targets.front()))
      values.push_back(assign->value);
  });
  if (values.size() != sets) return {};
  // Before it is made there is none.
  std::erase_if(values, [](const Expr* one) { return rules::is_none(one); });
  return values;
}

/// Whether one of the classes stands above the other, or is it.
bool is_related(const program::Program& program, program::ClassId one, program::ClassId other) {
  const auto has = [&](program::ClassId cls, program::ClassId above) {
    const auto& all = program.classes()[cls].linearized;
    return std::find(all.begin(), all.end(), above) != all.end();
  };
  return has(one, other) || has(other, one);
}

/// Follows a value to what makes it.
class Origin {
 public:
  Origin(const program::Program& program, program::FunctionId function) : program_(program), function_(function) {
    if (!function.valid()) return;
    def_ = program.functions()[function].def();
    const program::ClassId owner = class_of_self(program, function);
    cls_ = owner.valid() ? program.classes()[owner].node : nullptr;
  }

  /// `is_kept`: in an attribute, which moves with its object.
  [[nodiscard]] bool is_host(const Expr* value, std::string_view outer = {}, int depth = 0,
                             bool is_kept = false) const {
    while (value != nullptr && !is<Name>(value)) {
      if (const auto* call = as<Call>(value)) {
        if (makes_host_value(*call) || (!is_kept && is_made_without_device(*call))) return true;
        if (moves_value(*call)) return false;
        const auto* member = as<Attribute>(call->callee);
        const auto* library = member == nullptr ? nullptr : as<Name>(member->value);
        // What einops and torch make of a value stays where it is.
        const bool takes_value = library != nullptr && (library->id == "einops" || library->id == "torch");
        value = takes_value && !call->arguments.empty() ? call->arguments.front() : call->callee;
      } else if (const auto* pair = as<BinOp>(value)) {
        // Of two tensors neither can stand elsewhere.
        return is_host(pair->left, outer, depth, is_kept) || is_host(pair->right, outer, depth, is_kept);
      } else if (const auto* compare = as<Compare>(value)) {
        value = compare->left;
      } else if (const auto* unary = as<UnaryOp>(value)) {
        value = unary->operand;
      } else if (const auto* several = as<python::Tuple>(value); several != nullptr && !several->elements.empty()) {
        value = several->elements.front();  // `torch.cat((a, b))`: all stand where one does.
      } else if (const auto* list = as<python::List>(value); list != nullptr && !list->elements.empty()) {
        value = list->elements.front();
      } else if (const auto* item = as<Subscript>(value)) {
        value = item->value;
      } else if (const auto* attribute = as<Attribute>(value)) {
        if (cls_ != nullptr && rules::name_of(attribute->value) == "self")
          return are_host(values_of_attribute(*cls_, attribute->name.text), {}, depth, true);
        if (is_kept_on_host(*attribute, depth)) return true;
        value = attribute->value;
      } else {
        return false;
      }
    }
    const auto* name = as<Name>(value);
    if (name == nullptr) return false;
    if (name->id == "np" || name->id == "numpy" || name->id == outer) return true;
    return def_ != nullptr && are_host(values_of(*def_, name->id), name->id, depth, is_kept);
  }

 private:
  [[nodiscard]] bool are_host(const std::vector<const Expr*>& values, std::string_view outer, int depth,
                              bool is_kept) const {
    if (values.empty() || depth == kMostDepth) return false;
    return std::all_of(values.begin(), values.end(),
                       [&](const Expr* one) { return is_host(one, outer, depth + 1, is_kept); });
  }

  /// Whether all that stores the attribute of another object, of its class where that is known, keeps a value of the
  /// host there: `self.context.request_ids`.
  [[nodiscard]] bool is_kept_on_host(const Attribute& attribute, int depth) const {
    if (!function_.valid() || depth == kMostDepth) return false;
    const std::vector<program::ClassId> classes = program_.instance_classes(function_, *attribute.value);
    bool any = false;
    for (const AttributeStore& store : stores_of(program_, attribute.name.text)) {
      const bool is_other = store.cls.valid() && !classes.empty() &&
                            std::none_of(classes.begin(), classes.end(),
                                         [&](program::ClassId one) { return is_related(program_, one, store.cls); });
      const auto* assign = as<Assign>(store.statement);
      if (is_other || (assign != nullptr && rules::is_none(assign->value))) continue;
      if (assign == nullptr || assign->targets.size() != 1 ||
          !Origin(program_, store.function).is_host(assign->value, {}, depth + 1, true))
        return false;
      any = true;
    }
    return any;
  }

  /// `torch.zeros(n, device="cpu")`, `x.cpu()`.
  static bool makes_host_value(const Call& call) {
    const Expr* device = rules::keyword_value(call, "device");
    const bool is_method = is<Attribute>(call.callee);
    const bool is_moved = is_method && callee_name(call) == "to" && !call.arguments.empty() &&
                          rules::text_of(call.arguments.front()) == "cpu";
    return rules::text_of(device) == "cpu" || is_moved || (is_method && callee_name(call) == "cpu");
  }

  /// `torch.tensor(x)`: where nothing says where to, torch makes it in the memory of the host.
  static bool is_made_without_device(const Call& call) {
    const auto* member = as<Attribute>(call.callee);
    if (member == nullptr || rules::name_of(member->value) != "torch" ||
        rules::keyword_value(call, "device") != nullptr)
      return false;
    const std::string_view name = member->name.text;
    return name == "tensor" || name == "arange" || name == "zeros" || name == "ones" || name == "full" ||
           name == "linspace" || name == "from_numpy";
  }

  /// `x.cuda()`, `x.to(device)`, `torch.tensor(x, device=device)`: to where, it is not followed.
  static bool moves_value(const Call& call) {
    const std::string_view name = is<Attribute>(call.callee) ? callee_name(call) : std::string_view();
    return name == "cuda" || name == "to" || rules::keyword_value(call, "device") != nullptr;
  }

  const program::Program& program_;
  program::FunctionId function_;
  const FunctionDef* def_ = nullptr;
  const ClassDef* cls_ = nullptr;
};

}  // namespace

bool lives_on_host(const program::Program& program, program::FunctionId function, const Expr* value) {
  return Origin(program, function).is_host(value);
}

namespace {

/// Whether a method of the class, or of one above it, that reads objects back from data sets attributes by computed
/// names: `setattr(self, name, torch.tensor(value))` of `deserialize`.
bool is_read_back(const program::Program& program, program::ClassId cls) {
  for (const program::ClassId one : program.classes()[cls].linearized) {
    for (const program::FunctionId method : program.classes()[one].methods) {
      const std::string_view name = program.functions()[method].name;
      if (name.find("deserialize") == std::string_view::npos && name.find("from_dict") == std::string_view::npos &&
          name != "__setstate__")
        continue;
      bool sets = false;
      walk_of<Call>(*program.functions()[method].node, Nested::kSkip, [&](const Call* call) {
        sets = sets || (rules::name_of(call->callee) == "setattr" && call->arguments.size() == 3 &&
                        rules::text_of(call->arguments[1]).empty());
      });
      if (sets) return true;
    }
  }
  return false;
}

/// Whether `x.field`, or an element of it, may have been read back from data, where tensors are made on the host: all
/// classes that `x` may be of count where they are known, else those that declare a field of the name.
bool may_be_read_back(const program::Program& program, program::FunctionId function, const Expr& value) {
  const Expr* at = &value;
  while (const auto* item = as<Subscript>(at)) at = item->value;
  const auto* attribute = as<Attribute>(at);
  if (attribute == nullptr || !function.valid()) return false;
  std::vector<program::ClassId> classes = program.instance_classes(function, *attribute->value);
  const bool are_known = !classes.empty();
  for (std::size_t i = 0; i < program.classes().size() && !are_known; ++i) {
    const auto& fields = program.classes()[program::ClassId(i)].fields;
    if (std::any_of(fields.begin(), fields.end(), [&](const program::Field& field) {
          return field.in_class_body && field.name == attribute->name.text;
        }))
      classes.emplace_back(i);
  }
  return std::any_of(classes.begin(), classes.end(), [&](program::ClassId cls) { return is_read_back(program, cls); });
}

/// Whether it is a tensor on the CPU, as far as the function and its callers show.
bool is_on_cpu(const program::Program& program, program::FunctionId function, const Expr& value) {
  return function.valid() && rules::ValuePlaces(program).of(function, value) == rules::ValuePlace::kCpuTensor;
}

}  // namespace

const KnownApi* function_of_library(const program::Program& program, const Call& call, std::string_view name) {
  const KnownApi* known = known_api(name);
  if (name == "torch.topk") {
    constexpr std::size_t kLargest = 3;  // torch.topk(input, k, dim, largest)
    const Expr* largest = rules::keyword_value(call, "largest");
    if (largest == nullptr && call.arguments.size() > kLargest) largest = call.arguments[kLargest];
    const bool is_known = largest == nullptr || rules::is_false(largest) || rules::is_true(largest);
    return !is_known ? nullptr : rules::is_false(largest) ? known_api("torch.topk(largest=False)") : known;
  }
  if (known == nullptr || known->kind != ApiKind::kHostSync || call.arguments.empty()) return known;
  const program::CallId id = program.call_of(&call);
  const program::FunctionId function = id.valid() ? program.calls()[id].caller : program::FunctionId();
  const Expr& value = *call.arguments.front();
  return lives_on_host(program, function, &value) || is_on_cpu(program, function, value) ? nullptr : known;
}

const KnownApi* method_of_value(const program::Program& program, const Call& call) {
  const KnownApi* known = is<Attribute>(call.callee) ? known_method(callee_name(call)) : nullptr;
  if (known == nullptr) return known;
  // `context.detach(token)` of another library: that of a tensor takes nothing.
  if (callee_name(call) == "detach" && (!call.arguments.empty() || !call.keywords.empty())) return nullptr;
  if (known->kind != ApiKind::kHostSync) return known;
  const program::CallId id = program.call_of(&call);
  const program::FunctionId function = id.valid() ? program.calls()[id].caller : program::FunctionId();
  // `torch.nonzero(x)` is no method: function_of_library() knows it.
  const Expr& object = *as<Attribute>(call.callee)->value;
  const auto kind = function.valid() ? program.resolve(function, object).kind : program::Reference::Kind::kUnknown;
  if (kind == program::Reference::Kind::kModule || kind == program::Reference::Kind::kExternal) return nullptr;
  // The method itself may be what brings the value to the host: what it is called on counts.
  return lives_on_host(program, function, &object) || may_be_read_back(program, function, object) ||
                 is_on_cpu(program, function, object)
             ? nullptr
             : known;
}

}  // namespace lockstep::report
