#include "mesh/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "mesh/divergence.h"
#include "mesh/outside_stores.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {

namespace {

/// Contexts kept for one function; further ones are run as if nothing were known.
constexpr std::size_t kMaxContexts = 16;
/// Functions being run at once. Each needs stack for the depth of its tree.
constexpr int kMaxActive = 60;

void append_key(std::string& key, const Value& value) {
  if (value.dull()) {
    key += '-';
    return;
  }
  for (const Variation* variation : {&value.value, &value.extent, &value.presence, &value.order}) {
    if (variation->empty()) {
      key += '.';
    } else {
      fmt::format_to(std::back_inserter(key), "{:x},{:x};", variation->sure, variation->maybe);
    }
  }
  fmt::format_to(std::back_inserter(key), "{},{},{},{};", value.group, static_cast<int>(value.kind),
                 static_cast<int>(value.form), static_cast<int>(value.constant));
}

/// Literal numbers and lengths decide too few branches to be worth a context of their own.
Value worth_knowing(Value value) {
  if (value.constant == ConstantTag::kInt || value.constant == ConstantTag::kText)
    value.constant = ConstantTag::kUnknown;
  value.length = -1;
  value.elements = 0;
  if (!value.varies() && value.constant == ConstantTag::kUnknown && value.kind == ValueKind::kPlain)
    value.form = Form::kUnknown;
  return value;
}

bool contains_any(const std::vector<std::string>& words, std::initializer_list<std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

}  // namespace

Interpreter::Interpreter(const program::Program& the_program, const MeshOptions& options)
    : program(the_program),
      groups(dimensions),
      results_(the_program.functions().size()),
      elements_(1),
      returns_value_(the_program.functions().size(), -1) {
  if (options.groundwork != nullptr) returns_value_ = options.groundwork->returns_value;
  for (const auto& [name, spans] : options.group_getters) {
    Bits bits = 0;
    for (const std::string& dimension : spans) bits |= dimensions.mesh_dimension(dimension);
    if (bits != 0) configured_getters.emplace(name, bits);
  }
}

std::uint32_t Interpreter::line_of(program::ModuleId module, std::uint32_t offset) const {
  return program.modules()[module].facts->source().line_of(offset);
}

std::string_view Interpreter::text_of(program::ModuleId module, const python::Node& node) const {
  return program.modules()[module].facts->source().slice(node.span);
}

std::uint32_t Interpreter::add_elements(std::vector<Value> elements) {
  elements_.push_back(std::move(elements));
  return static_cast<std::uint32_t>(elements_.size() - 1);
}

bool Interpreter::returns_value(program::FunctionId function) {
  std::int8_t& known = returns_value_[function.index()];
  if (known >= 0) return known != 0;
  known = mesh::returns_value(program.functions()[function]) ? 1 : 0;
  return known != 0;
}

bool may_tell(std::string_view name) {
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    const char* const at = name.data() + i;
    const std::size_t left = name.size() - i;
    // The length of a literal is known here, so that comparing it is one instruction or two.
    const auto is = [&]<std::size_t N>(const char(&part)[N]) {
      return left >= N - 1 && std::memcmp(at, part, N - 1) == 0;
    };
    const auto tells = [&] {
      switch (*at) {
        case 'r':
          return is("rank");
        case 'R':
          return is("RANK") || is("Rank");
        case 'g':
          return is("group");
        case 'G':
          return is("GROUP") || is("Group");
        case 'p':
          return is("pg");
        case 'P':
          return is("PG");
        case 'm':
          return is("mesh") || is("main") || is("master");
        case 'M':
          return is("Mesh");
        case 's':
          return is("size") || is("stage") || is("shard");
        case 'z':
          return is("zero");
        default:
          return false;
      }
    };
    if (tells()) return true;
  }
  return false;
}

const NameFacts& Interpreter::name_facts(std::string_view name) {
  static const NameFacts kNothing;
  if (!may_tell(name)) return kNothing;
  const auto found = name_facts_.find(name);
  if (found != name_facts_.end()) return found->second;
  return name_facts_.emplace(name, compute_name_facts(name)).first->second;
}

NameFacts Interpreter::compute_name_facts(std::string_view name) const {
  NameFacts facts;
  if (!may_tell(name)) return facts;
  facts.group = dimensions.group_named(name);
  facts.rank = dimensions.rank_named(name);
  facts.role = dimensions.role_named(name);
  facts.is_size = DimensionTable::is_size_name(name);
  facts.is_group_holder = DimensionTable::is_group_holder(name);
  facts.is_mesh = DimensionTable::is_mesh_name(name);
  facts.is_group_parameter = name == "group" || name == "process_group" || name == "pg" || name == "comm_group";
  const std::vector<std::string> words = words_of(name);
  facts.is_shard =
      contains_any(words, {"shard", "shards", "sharded"}) && !contains_any(words, {"is", "should", "use", "num"});
  facts.names_rank_plainly = facts.rank == std::optional<Bits>(kEveryRank);
  return facts;
}

const FunctionResult* Interpreter::run_root(program::FunctionId function) { return run_in_context(function, {}, true); }

const FunctionResult* Interpreter::run(program::FunctionId function, const Arguments& arguments) {
  Arguments known;
  bool any = false;
  for (const Value& argument : arguments) {
    known.push_back(worth_knowing(argument));
    any = any || !known.back().dull();
  }
  return any ? run_in_context(function, known, false) : run_root(function);
}

const FunctionResult* Interpreter::run_in_context(program::FunctionId function, const Arguments& arguments,
                                                  bool is_root) {
  std::string key;
  if (!is_root) {
    for (const Value& argument : arguments) append_key(key, argument);
  }
  std::vector<Kept>& kept = results_[function.index()];
  for (const Kept& candidate : kept) {
    if (candidate.key == key) return candidate.result.get();
  }
  if (!is_root && kept.size() >= kMaxContexts) return run_root(function);
  auto result = std::make_unique<FunctionResult>();
  FunctionResult* raw = result.get();
  raw->function = function;
  raw->is_root = is_root;
  kept.push_back({std::move(key), std::move(result)});
  if (static_cast<int>(active_.size()) >= kMaxActive) {
    raw->in_progress = false;
    raw->may_hide = true;
    return raw;
  }
  FunctionRun run(*this, function, arguments, *raw);
  active_.push_back(&run);
  run.run();
  active_.pop_back();
  raw->communicates = has_events(raw->trace);
  raw->may_hide = raw->may_hide || enters_unseen(function);
  raw->in_progress = false;
  check_divergence(*this, *raw);
  return raw;
}

bool Interpreter::enters_unseen(program::FunctionId function) const {
  const auto& calls = program.functions()[function].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId call) {
    const auto& targets = program.calls()[call].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      const bool is_unseen = target.kind == program::CallKind::kCallback || target.kind == program::CallKind::kImplicit;
      return is_unseen && target.function.valid() && may_communicate(target.function);
    });
  });
}

Value Interpreter::free_variable(program::FunctionId function, std::string_view name) {
  program::FunctionId outer = program.functions()[function].enclosing;
  const program::FunctionId body = program.modules()[program.functions()[function].module].body;
  for (int guard = 0; guard < 16; ++guard) {
    const program::FunctionId scope = outer.valid() ? outer : body;
    if (!scope.valid() || scope == function) break;
    const auto active = std::find_if(active_.rbegin(), active_.rend(),
                                     [&](const FunctionRun* run) { return run->function() == scope; });
    if (active != active_.rend()) {
      if (const Value* value = (*active)->local(name)) return *value;
    } else {
      const FunctionResult* result = run_root(scope);
      const auto found = std::lower_bound(result->locals.begin(), result->locals.end(), name,
                                          [](const auto& row, std::string_view key) { return row.first < key; });
      if (found != result->locals.end() && found->first == name) return found->second;
    }
    if (!outer.valid()) break;
    outer = program.functions()[outer].enclosing;
  }
  return {};
}

Interpreter::ClassAttributes& Interpreter::attributes_of(program::ClassId cls) {
  const auto [place, is_new] = attributes_.try_emplace(cls);
  if (!is_new) return place->second;
  ClassAttributes& attributes = place->second;
  for (const program::ClassId base : program.classes()[cls].linearized) {
    for (const program::FunctionId method : program.classes()[base].methods) {
      const python::FunctionDef* def = program.functions()[method].def();
      if (def == nullptr || def->parameters->all.empty()) continue;
      const std::string_view self = def->parameters->all[0]->name.text;
      const auto note = [&](const python::Expr* target) {
        const auto* attribute = python::as<python::Attribute>(target);
        const auto* base_name = attribute == nullptr ? nullptr : python::as<python::Name>(attribute->value);
        if (base_name == nullptr || base_name->id != self) return;
        auto& methods = attributes.stored_in[attribute->name.text];
        if (methods.empty() || methods.back() != method) methods.push_back(method);
      };
      python::walk_statements(*def, python::Nested::kSkip, [&](const python::Stmt* statement) {
        if (const auto* assign = python::as<python::Assign>(statement)) {
          for (const python::Expr* target : assign->targets) {
            note(target);
            if (const auto* tuple = python::as<python::Tuple>(target)) {
              for (const python::Expr* element : tuple->elements) note(element);
            }
          }
        } else if (const auto* annotated = python::as<python::AnnAssign>(statement)) {
          note(annotated->target);
        }
      });
    }
  }
  return attributes;
}

Value Interpreter::attribute(program::ClassId cls, std::string_view name) {
  ClassAttributes& attributes = attributes_of(cls);
  const auto found = attributes.values.find(name);
  if (found != attributes.values.end()) return found->second;
  attributes.values.emplace(name, Value{});  // asked again while it is worked out: nothing known
  const Value value = compute_attribute(cls, attributes, name);
  attributes_of(cls).values[name] = value;
  return value;
}

/// A group known to one class alone, by the name of the attribute that holds it.
GroupId Interpreter::attribute_group(program::ClassId cls, std::string_view name) {
  auto& symbols = attributes_of(cls).group_symbols;
  auto place = std::find(symbols.begin(), symbols.end(), name);
  if (place == symbols.end()) place = symbols.insert(symbols.end(), name);
  const int index = static_cast<int>(place - symbols.begin());
  return index < kAttributeSymbols ? groups.symbol(kFirstAttributeSymbol + index, name, false) : groups.unknown(name);
}

/// `self.group = group; self.rank = get_rank(group)`: the rank varies along what the attribute `group` stands for.
Value Interpreter::with_attribute_symbols(program::ClassId cls, const FunctionResult& method, Value value) {
  if (value.group != 0) return value;
  const Bits local = ((Bits{1} << kFirstAttributeSymbol) - 1) & ~kNamedBits;
  for (const auto& [attribute, stored] : method.self_stores) {
    const Bits symbol = stored.group == 0 ? 0 : groups[stored.group].span & local;
    if (symbol == 0 || groups[stored.group].span == kEveryRank) continue;
    const Bits known = groups[attribute_group(cls, attribute)].span;
    for (Variation* variation : {&value.value, &value.extent, &value.presence, &value.order}) {
      for (Bits* bits : {&variation->sure, &variation->maybe}) {
        if (*bits != kEveryRank && (*bits & symbol) != 0) *bits |= known;
      }
    }
  }
  return value;
}

Value Interpreter::compute_attribute(program::ClassId cls, ClassAttributes& attributes, std::string_view name) {
  const auto stored = attributes.stored_in.find(name);
  if (stored == attributes.stored_in.end()) return {};
  const std::vector<program::FunctionId> methods = stored->second;
  Value joined;
  bool first = true;
  for (const program::FunctionId method : methods) {
    const FunctionResult* result = run_root(method);
    if (result->in_progress) continue;
    for (const auto& [attribute, stored_value] : result->self_stores) {
      if (attribute != name) continue;
      const Value value = with_attribute_symbols(cls, *result, stored_value);
      const GroupId group = value.group != 0 ? value.group : joined.group;
      joined = first ? value : join_values(joined, value);
      joined.group = group;
      first = false;
    }
  }
  joined.constant = ConstantTag::kUnknown;
  joined.length = -1;
  joined.elements = 0;
  if (joined.group != 0) {
    joined.value = {};
    joined.kind = joined.kind == ValueKind::kMesh ? ValueKind::kMesh : ValueKind::kGroup;
    const GroupInfo& info = groups[joined.group];
    if (info.kind == Group::Kind::kParameter || info.kind == Group::Kind::kUnknown)
      joined.group = attribute_group(cls, name);
    // What others set on the object need not be what its methods do.
    else if (!info.either && is_set_from_outside(program, name, false))
      joined.group = groups.either(joined.group, fmt::format("self.{}", name));
    return joined;
  }
  const auto link = [&](Variation& variation) {
    // Local symbols of the method that stored it mean nothing elsewhere.
    const Bits local = ((Bits{1} << kFirstAttributeSymbol) - 1) & ~kNamedBits;
    if (variation.sure != kEveryRank) variation.sure &= ~local;
    if (variation.maybe != kEveryRank) variation.maybe &= ~local;
  };
  link(joined.value);
  link(joined.extent);
  link(joined.presence);
  link(joined.order);
  return joined;
}

}  // namespace lockstep::mesh
