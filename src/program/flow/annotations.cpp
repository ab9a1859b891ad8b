// What annotations say: the values that stand for "some list of X", "a dict of texts", "X or Y". Used where value flow
// finds nothing better (seeds.cpp).
#include <algorithm>
#include <array>
#include <optional>

#include "base/strings.h"
#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

/// Aliases of aliases could make one annotation as long as a whole file squared.
constexpr int kMaxAnnotationParts = 4096;
constexpr int kMaxAnnotationDepth = 8;

bool is_union(std::string_view name) { return name == "typing.Optional" || name == "typing.Union"; }

/// True for `X[A, …]` that is an A, or gives one when it is awaited.
bool is_remarked(std::string_view name) {
  return name == "typing.Annotated" || name == "typing.ClassVar" || name == "typing.Final" ||
         name == "dataclasses.InitVar" || name == "typing.Required" || name == "typing.NotRequired" ||
         name == "typing.ReadOnly" || name == "typing.Awaitable" || name == "collections.abc.Awaitable" ||
         name.starts_with("tyro.conf.");  // tyro docs: markers, tyro.conf.Suppress[T] is a T
}

struct GenericRow {
  std::string_view name;
  ContainerKind kind;
  std::string_view plain = {};  ///< Class of what is given where nothing is known of the elements.
};

// docs.python.org/3/library/typing.html and collections.abc.html; torch.nn docs. Sorted by name.
constexpr auto kGenerics = std::to_array<GenericRow>({
    {"builtins.dict", ContainerKind::kDict, "builtins.dict"},
    {"builtins.frozenset", ContainerKind::kSet, "builtins.frozenset"},
    {"builtins.list", ContainerKind::kList, "builtins.list"},
    {"builtins.set", ContainerKind::kSet, "builtins.set"},
    {"builtins.tuple", ContainerKind::kTuple, "builtins.tuple"},
    {"collections.OrderedDict", ContainerKind::kDict, "collections.OrderedDict"},
    {"collections.abc.AsyncGenerator", ContainerKind::kList},
    {"collections.abc.AsyncIterable", ContainerKind::kList},
    {"collections.abc.AsyncIterator", ContainerKind::kList},
    {"collections.abc.Collection", ContainerKind::kList},
    {"collections.abc.Generator", ContainerKind::kList},
    {"collections.abc.Iterable", ContainerKind::kList},
    {"collections.abc.Iterator", ContainerKind::kList},
    {"collections.abc.Mapping", ContainerKind::kDict, "builtins.dict"},
    {"collections.abc.MutableMapping", ContainerKind::kDict, "builtins.dict"},
    {"collections.abc.MutableSequence", ContainerKind::kList, "builtins.list"},
    {"collections.abc.Sequence", ContainerKind::kList},
    {"collections.abc.Set", ContainerKind::kSet},
    {"collections.defaultdict", ContainerKind::kDict, "collections.defaultdict"},
    {"collections.deque", ContainerKind::kList, "collections.deque"},
    {"torch.nn.ModuleDict", ContainerKind::kDict, "torch.nn.ModuleDict"},
    {"torch.nn.ModuleList", ContainerKind::kModules, "torch.nn.ModuleList"},
    {"typing.AbstractSet", ContainerKind::kSet},
    {"typing.AsyncGenerator", ContainerKind::kList},
    {"typing.AsyncIterable", ContainerKind::kList},
    {"typing.AsyncIterator", ContainerKind::kList},
    {"typing.Collection", ContainerKind::kList},
    {"typing.DefaultDict", ContainerKind::kDict, "collections.defaultdict"},
    {"typing.Deque", ContainerKind::kList, "collections.deque"},
    {"typing.Dict", ContainerKind::kDict, "builtins.dict"},
    {"typing.FrozenSet", ContainerKind::kSet, "builtins.frozenset"},
    {"typing.Generator", ContainerKind::kList},
    {"typing.Iterable", ContainerKind::kList},
    {"typing.Iterator", ContainerKind::kList},
    {"typing.List", ContainerKind::kList, "builtins.list"},
    {"typing.Mapping", ContainerKind::kDict, "builtins.dict"},
    {"typing.MutableMapping", ContainerKind::kDict, "builtins.dict"},
    {"typing.MutableSequence", ContainerKind::kList, "builtins.list"},
    {"typing.OrderedDict", ContainerKind::kDict, "collections.OrderedDict"},
    {"typing.Sequence", ContainerKind::kList},
    {"typing.Set", ContainerKind::kSet, "builtins.set"},
    {"typing.Tuple", ContainerKind::kTuple, "builtins.tuple"},
});
static_assert(std::is_sorted(kGenerics.begin(), kGenerics.end(),
                             [](const GenericRow& a, const GenericRow& b) { return a.name < b.name; }));

const GenericRow* generic_row(std::string_view name) {
  const auto found = std::lower_bound(kGenerics.begin(), kGenerics.end(), name,
                                      [](const GenericRow& row, std::string_view wanted) { return row.name < wanted; });
  return found != kGenerics.end() && found->name == name ? &*found : nullptr;
}

/// Class of the instances that the bare name of a class outside stands for; empty where it says nothing.
std::string_view plain_class(std::string_view name) {
  if (const GenericRow* row = generic_row(name)) return row->plain;
  if (name == "typing.Text") return "builtins.str";
  if (name == "typing.Pattern" || name == "typing.Match") {
    return name == "typing.Pattern" ? "re.Pattern" : "re.Match";  // aliases, docs of typing
  }
  if (name == "numpy.typing.NDArray") return "numpy.ndarray";
  const bool says_nothing = name.starts_with("typing.") || name.starts_with("types.") ||
                            name.starts_with("typing_extensions.") || name.starts_with("collections.abc.") ||
                            name == "builtins.object" || name == "builtins.None" || name == "builtins.callable" ||
                            name == "builtins.any";
  return says_nothing ? std::string_view{} : name;
}

std::vector<const python::Expr*> parts_of(const python::Subscript& generic) {
  const auto* several = python::as<python::Tuple>(generic.index);
  if (several == nullptr) return {generic.index};
  return {several->elements.begin(), several->elements.end()};
}

/// The expression in a text that holds one and nothing else; null where it holds anything else.
const python::Expr* only_expression(const python::ParsedFile& parsed) {
  if (!parsed.problems.empty() || parsed.tree->body.size() != 1) return nullptr;
  const auto* statement = python::as<python::ExprStmt>(parsed.tree->body[0]);
  return statement == nullptr ? nullptr : statement->value;
}

/// `typing.TypeVar("T", bound=X)`: X; `typing.NewType("N", X)`: X; null for other calls.
const python::Expr* stands_for(const python::Call& call, std::string_view callee) {
  if (callee == "typing.NewType" && call.arguments.size() == 2) return call.arguments[1];
  if (callee != "typing.TypeVar" && callee != "typing_extensions.TypeVar") return nullptr;
  for (const python::Keyword* keyword : call.keywords) {
    if (keyword->name.text == "bound") return keyword->value;
  }
  return nullptr;
}

}  // namespace

/// The value of a variable at module level that is assigned once, as type aliases are; null for others.
const python::Expr* Solver::alias_of(ModuleId module, std::string_view name) {
  const auto [entry, is_first] = aliases_.try_emplace(module.value);
  auto& known = entry->second;
  if (is_first) {
    for (const python::Binding& binding : program_.modules()[module].facts->scopes[python::ScopeId(0)].bindings) {
      const python::Expr* value = nullptr;
      if (const auto* assignment = python::as<python::Assign>(binding.owner)) value = assignment->value;
      if (const auto* annotated = python::as<python::AnnAssign>(binding.owner)) value = annotated->value;
      if (const auto* alias = python::as<python::TypeAlias>(binding.owner)) value = alias->value;
      const auto [found, is_new] = known.try_emplace(binding.name, value);
      if (!is_new) found->second = nullptr;
    }
  }
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

/// Adds what stands for an object of type `annotation`; nothing where the annotation does not say.
void Solver::annotation_values(ModuleId module, python::ScopeId scope, const python::Expr* annotation, int depth,
                               std::vector<ValueId>& out) {
  if (depth == 0) annotation_parts_ = 0;
  if (annotation == nullptr || depth > kMaxAnnotationDepth || ++annotation_parts_ > kMaxAnnotationParts) return;
  const auto again = [&](const python::Expr* part) { annotation_values(module, scope, part, depth + 1, out); };
  const auto add_instance = [&](std::string_view cls) {
    if (!cls.empty()) out.push_back(values_.intern(ValueKind::kExternalInstance, name_id(cls)));
  };
  if (const auto* text = python::as<python::Constant>(annotation)) {
    if (text->constant_kind != python::ConstantKind::kStr) return;
    const auto parsed = python::parse(std::string(text->text));
    return annotation_values(module, python::ScopeId(0), only_expression(*parsed), depth + 1, out);
  }
  if (const auto* either_type = python::as<python::BinOp>(annotation)) {
    again(either_type->left);
    return again(either_type->right);
  }
  if (const auto* call = python::as<python::Call>(annotation)) {
    return again(stands_for(*call, resolver_.resolve(module, scope, *call->callee).name));
  }
  if (const auto* generic = python::as<python::Subscript>(annotation)) {
    const Reference head = resolver_.resolve(module, scope, *generic->value);
    if (head.kind == Reference::Kind::kExternal) return generic_values(module, scope, *generic, head.name, depth, out);
    return again(generic->value);
  }
  const Reference found = resolver_.resolve(module, scope, *annotation);
  if (found.kind == Reference::Kind::kClass) {
    for (const ValueId value : made_for(found.cls)) out.push_back(value);
  } else if (found.kind == Reference::Kind::kVariable) {
    annotation_values(found.module, python::ScopeId(0), alias_of(found.module, found.name), depth + 1, out);
  } else if (found.kind == Reference::Kind::kExternal) {
    add_instance(plain_class(found.name));
  }
}

/// The same for `head[…]` with a head outside the repository.
void Solver::generic_values(ModuleId module, python::ScopeId scope, const python::Subscript& generic,
                            std::string_view head, int depth, std::vector<ValueId>& out) {
  const std::vector<const python::Expr*> parts = parts_of(generic);
  if (parts.empty()) return;
  const auto add_values = [&](const python::Expr* part, std::vector<ValueId>& to) {
    annotation_values(module, scope, part, depth + 1, to);
  };
  const auto add_instance = [&](std::string_view cls) {
    if (!cls.empty()) out.push_back(values_.intern(ValueKind::kExternalInstance, name_id(cls)));
  };
  if (is_remarked(head)) return add_values(parts.front(), out);
  if (is_union(head)) {
    for (const python::Expr* part : parts) add_values(part, out);
    return;
  }
  if (head == "typing.Type" || head == "builtins.type") {
    const Reference cls = resolver_.resolve(module, scope, *parts.front());
    if (cls.kind == Reference::Kind::kClass) out.push_back(class_values_[cls.cls.index()]);
    return;
  }
  if (head == "typing.Literal") {
    const auto* literal = python::as<python::Constant>(parts.front());
    const bool is_text = literal != nullptr && literal->constant_kind == python::ConstantKind::kStr;
    return add_instance(is_text ? "builtins.str" : std::string_view{});
  }
  const GenericRow* row = generic_row(head);
  if (row == nullptr) return add_instance(plain_class(head));
  // tuple[A, B] has places; of list[T], dict[K, V], Iterator[T] and tuple[T, ...] all elements are alike.
  const auto* last = python::as<python::Constant>(parts.back());
  const bool has_places = row->kind == ContainerKind::kTuple &&
                          !(last != nullptr && last->constant_kind == python::ConstantKind::kEllipsis);
  std::vector<std::vector<ValueId>> elements(has_places ? parts.size() : 1);
  std::vector<ValueId> keys;
  if (has_places) {
    for (std::size_t i = 0; i < parts.size(); ++i) add_values(parts[i], elements[i]);
  } else {
    const bool is_mapping = row->kind == ContainerKind::kDict;
    add_values(is_mapping && parts.size() > 1 ? parts[1] : parts.front(), elements.front());
    if (is_mapping && parts.size() > 1) add_values(parts.front(), keys);
  }
  const bool says_anything = !keys.empty() || std::any_of(elements.begin(), elements.end(),
                                                          [](const auto& values) { return !values.empty(); });
  if (!says_anything) return add_instance(row->plain);
  const ObjectId object = new_object(row->kind);
  if (row->plain.starts_with("torch.") || row->plain.starts_with("collections.")) {
    objects_[object].type = name_id(row->plain);
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Slot to = has_places ? element_at(object, values_.intern(ValueKind::kInteger, static_cast<std::uint32_t>(i)))
                               : element_any(object);
    for (const ValueId value : elements[i]) graph_.add_value(to, value);
  }
  for (const ValueId key : keys) graph_.add_value(element_keys(object), key);
  out.push_back(container_value(object));
}

}  // namespace lockstep::program::flow
