// Calls: models of external functions, contexts for functions of the repository, and what comes back.
#include <fmt/format.h>

#include <algorithm>

#include "mesh/interpreter.h"
#include "program/queries.h"

namespace lockstep::mesh {

using namespace python;

namespace {

std::string_view last_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

bool has_decorator(const program::Function& function, std::string_view name) {
  const FunctionDef* def = function.def();
  if (def == nullptr) return false;
  return std::any_of(def->decorators.begin(), def->decorators.end(), [&](const Expr* decorator) {
    const auto* plain = as<Name>(decorator);
    return plain != nullptr && plain->id == name;
  });
}

bool is_true(const Value& value) { return value.constant == ConstantTag::kTrue; }

}  // namespace

const Expr* FunctionRun::argument_expression(const Call& call, int position, std::string_view keyword) {
  for (const Keyword* candidate : call.keywords) {
    if (!keyword.empty() && candidate->name.text == keyword) return candidate->value;
  }
  if (position < 0 || static_cast<std::size_t>(position) >= call.arguments.size()) return nullptr;
  return is<Starred>(call.arguments[position]) ? nullptr : call.arguments[position];
}

FunctionRun::Ref FunctionRun::argument(const Call& call, const CallArguments& arguments, int position,
                                       std::string_view keyword) const {
  for (std::size_t i = 0; i < call.keywords.size(); ++i) {
    if (!keyword.empty() && call.keywords[i]->name.text == keyword) return arguments.keywords[i];
  }
  if (position < 0 || static_cast<std::size_t>(position) >= arguments.positional.size()) return kUnset;
  return arguments.positional[position];
}

FunctionRun::CallArguments FunctionRun::evaluate_arguments(const Call& call) {
  CallArguments arguments;
  for (const Expr* positional : call.arguments) {
    arguments.has_star = arguments.has_star || is<Starred>(positional);
    arguments.positional.push_back(evaluate(*positional));
  }
  for (const Keyword* keyword : call.keywords) {
    arguments.has_star = arguments.has_star || keyword->name.text.empty();
    arguments.keywords.push_back(evaluate(*keyword->value));
  }
  return arguments;
}

FunctionRun::Ref FunctionRun::evaluate_call(const Call& call) {
  const CallArguments arguments = evaluate_arguments(call);
  const program::CallId site = program_.call_of(&call);
  const std::string_view name = called_name(call);
  bool has_internal = false;
  if (site.valid()) {
    for (const program::CallTarget& target : program_.calls()[site].targets) {
      if (target.function.valid()) {
        has_internal = has_internal || runs_now(target, program_);
        continue;
      }
      bool known = false;
      const Ref result = call_external(call, target.external, arguments, known);
      if (known) return result;
    }
  }
  if (has_internal) return call_internal(call, site, arguments);
  if (const auto* callee = as<Attribute>(call.callee)) return call_method(call, *callee, arguments);
  if (is<Name>(call.callee)) {
    const BuiltinKind builtin = find_builtin(name);
    if (builtin != BuiltinKind::kNone) return call_builtin(call, builtin, arguments);
    return named_call(call, name, arguments);
  }
  evaluate(*call.callee);
  return kDull;
}

FunctionRun::Ref FunctionRun::call_external(const Call& call, std::string_view name, const CallArguments& arguments,
                                            bool& known) {
  known = true;
  if (const CollectiveModel* model = find_collective(name)) return call_collective(call, *model, arguments);
  if (const SourceKind kind = find_source(name); kind != SourceKind::kNone)
    return call_source(call, kind, name, arguments);
  if (const auto getter = in_.configured_getters.find(name); getter != in_.configured_getters.end()) {
    return group_value(in_.groups.known({getter->second, false}, last_part(name)));
  }
  known = false;
  return kDull;
}

FunctionRun::Ref FunctionRun::call_source(const Call& call, SourceKind kind, std::string_view name,
                                          const CallArguments& arguments) {
  const auto maybe = [&](std::string what, std::string doubt) {
    return varying(Variation::possibly(kEveryRank, source(call, std::move(what), 0, std::move(doubt), true)));
  };
  const Ref first = argument(call, arguments, 0, {});
  Value result;
  switch (kind) {
    case SourceKind::kRank: {
      const Ref given = argument(call, arguments, 0, "group");
      const bool none = given == kUnset || at(given).constant == ConstantTag::kNone;
      const Bits bits = none ? kEveryRank : in_.groups[group_of(given, *argument_expression(call, 0, "group"))].span;
      if (bits == 0) return kDull;
      return varying(Variation::surely(bits, source(call, fmt::format("`{}` is this process's rank", text(call)))),
                     true);
    }
    case SourceKind::kNodeRank:
      return varying(Variation::surely(
                         kEveryRank, source(call, fmt::format("`{}` differs between the ranks of a node", text(call)))),
                     true);
    case SourceKind::kEnvironment: {
      const auto* key = as<Constant>(argument_expression(call, 0, "key"));
      if (key == nullptr || (key->text != "RANK" && key->text != "LOCAL_RANK" && key->text != "SLURM_PROCID" &&
                             key->text != "SLURM_LOCALID"))
        return kDull;
      return varying(Variation::surely(kEveryRank, source(call, fmt::format("`{}` is this process's rank", key->text))),
                     true);
    }
    case SourceKind::kClock:
      return maybe("the clock is read at another moment on every rank",
                   "that the ranks come to this point at different times");
    case SourceKind::kRandom:
      if (seeded_) return varying(random_);
      return maybe("a random number, without a seed in sight", "whether the ranks were seeded alike");
    case SourceKind::kSeed:
      seeded_ = true;
      random_ = first == kUnset ? Variation{} : at(first).value;
      return kDull;
    case SourceKind::kFileSystem:
      return maybe("the local file system is asked", "whether all ranks see the same files");
    case SourceKind::kListing: {
      const SourceId from = source(call, fmt::format("`{}` lists files in no certain order", last_part(name)), 0,
                                   "whether all ranks see the same files in the same order", true);
      result.form = Form::kContainer;
      result.order = Variation::possibly(kEveryRank, from);
      return add(result);
    }
    case SourceKind::kMemory:
      return maybe("free memory differs between ranks", "how much the ranks have in use");
    case SourceKind::kPure: {
      for (const Ref ref : arguments.positional) result = join_values(result, at(ref));
      result.constant = ConstantTag::kUnknown;
      result.group = 0;
      result.kind = ValueKind::kPlain;
      result.elements = 0;
      result.is_rank = false;
      result.length = -1;
      result.is_direct = false;
      result.presence = {};
      result.form = name.starts_with("torch.") || name.starts_with("numpy.") ? Form::kTensor : Form::kScalar;
      if (name == "torch.sum" || name == "torch.mean" || name == "torch.max" || name == "torch.min" ||
          name == "torch.any" || name == "torch.all") {
        result.extent = {};
      }
      return add(result);
    }
    case SourceKind::kShaped: {
      result.form = Form::kTensor;
      for (const Ref ref : arguments.positional) result.extent.join(at(ref).value);
      for (const std::string_view keyword : {"size", "dtype"})
        result.extent.join(at(argument(call, arguments, -1, keyword)).value);
      return add(result);
    }
    case SourceKind::kFilled:
      result.form = Form::kTensor;
      result.extent = name.ends_with("_like") ? at(first).extent : at(first).value;
      result.value = at(argument(call, arguments, 1, "fill_value")).value;
      return add(result);
    case SourceKind::kLike:
      result.form = Form::kTensor;
      result.extent = at(first).extent;
      return add(result);
    case SourceKind::kGroupWorld:
      return group_value(in_.groups.world());
    case SourceKind::kExit: {
      TraceNode node;
      node.kind = TraceKind::kExit;
      node.place = &call;
      node.exit = ExitKind::kProcess;
      trace_->push_back(std::move(node));
      return kDull;
    }
    default:
      return kDull;  // the world's size, the ranks of a group
  }
}

/// What the name of a called function alone says: get_data_parallel_group(with_context_parallel=True).
FunctionRun::Ref FunctionRun::named_call(const Call& call, std::string_view name, const CallArguments& arguments) {
  const NameFacts& facts = in_.name_facts(name);
  if (facts.is_size) return kDull;
  const Ref flag = argument(call, arguments, -1, "with_context_parallel");
  const Bits more = flag != kUnset && is_true(at(flag)) ? in_.dimensions.dimensions_in("cp").bits : 0;
  if (facts.group) return group_value(in_.groups.known({facts.group->bits | more, facts.group->subset_only}, name));
  if (facts.rank && !facts.names_rank_plainly) {
    const SourceId from = source(call, fmt::format("`{}` is a rank", text(call)));
    return varying(Variation::surely(*facts.rank | more, from), true);
  }
  return named_value(name, call, true);
}

FunctionRun::Ref FunctionRun::call_internal(const Call& call, program::CallId site, const CallArguments& arguments) {
  const program::CallSite& row = program_.calls()[site];
  const std::string_view name = called_name(call);
  const NameFacts& facts = in_.name_facts(name);
  for (const program::CallTarget& target : row.targets) {
    if (!target.function.valid()) continue;
    const auto getter = in_.configured_getters.find(program_.functions()[target.function].qualified_name);
    if (getter != in_.configured_getters.end()) return group_value(in_.groups.known({getter->second, false}, name));
  }
  if (facts.group || facts.is_size || (facts.rank && !facts.names_rank_plainly)) {
    // By its name alone it is known what it gives, not what it does.
    result_.may_hide = result_.may_hide || std::any_of(row.targets.begin(), row.targets.end(), [&](const auto& target) {
                         return target.function.valid() && in_.may_communicate(target.function);
                       });
    return named_call(call, name, arguments);
  }
  TraceNode node;
  node.kind = TraceKind::kCall;
  node.place = &call;
  node.call = site;
  Ref joined = kUnset;
  std::size_t runnable = 0;
  bool may_communicate = false;
  bool hides = false;
  bool gives_others = false;  // Something of which nothing is known.
  for (const program::CallTarget& target : row.targets) {
    const bool is_backward = target.kind == program::CallKind::kAutograd && !runs_now(target, program_);
    const bool communicates = target.function.valid() && !is_backward && in_.may_communicate(target.function);
    may_communicate = may_communicate || communicates;
    if (!runs_now(target, program_)) {
      hides = hides || communicates;
      continue;
    }
    ++runnable;
    if (runnable > 4 || !worth_running(call, target.function, arguments)) {
      hides = hides || communicates;
      gives_others = gives_others || in_.returns_value(target.function);
      continue;
    }
    const FunctionResult* result = nullptr;
    const Ref one = call_one(call, target.function, target.kind, arguments, result);
    hides = hides || (communicates && (result == nullptr || result->in_progress || result->may_hide));
    joined = joined == kUnset ? one : add(join_values(at(joined), at(one)));
    if (result != nullptr && result->communicates) node.callees.push_back(result);
    node.callees_exact = node.callees_exact && target.certainty == program::Certainty::kExact;
  }
  if (!node.callees.empty()) {
    node.callees_exact = node.callees_exact && node.callees.size() == runnable;
    hides = hides || node.callees.size() != runnable;
    if (node.callees.size() == runnable) trace_->push_back(std::move(node));
  }
  result_.may_hide = result_.may_hide || hides;
  if (result_.is_root && may_communicate) result_.calls.emplace_back(site, !hides);
  // Which mesh comes back hangs on a table that the function looks into; the name asked for says it.
  if (joined == kUnset || at(joined).group == 0) {
    if (const auto bits = mesh_asked_for(call)) return mesh_value(*bits);
  }
  if (joined == kUnset) return kDull;
  if (gives_others && at(joined).group != 0) {
    Value one_of = at(joined);
    one_of.group = in_.groups.either(one_of.group, text(call));
    return add(one_of);
  }
  if (at(joined).value.any() != 0 && DimensionTable::is_membership_name(name)) {
    Value member = at(joined);
    if (member.value.sure != 0) member.value.sure = kSomeRanks;
    if (member.value.maybe != 0) member.value.maybe = kSomeRanks;
    return add(member);
  }
  if (!at(joined).varies() && at(joined).group == 0 && facts.rank && call.arguments.empty()) {
    return varying(Variation::surely(*facts.rank, source(call, fmt::format("`{}` is this process's rank", text(call)))),
                   true);
  }
  return joined;
}

/// Functions that neither communicate nor bring back anything but what their arguments are need not be run.
bool FunctionRun::worth_running(const Call& call, program::FunctionId target, const CallArguments& arguments) const {
  if (in_.may_communicate(target)) return true;
  if (&call == discarded_ || !in_.returns_value(target)) return false;
  if (in_.brings_back(target)) return true;
  const auto interesting = [&](Ref ref) {
    return at(ref).varies() || at(ref).group != 0 || at(ref).kind != ValueKind::kPlain;
  };
  return std::any_of(arguments.positional.begin(), arguments.positional.end(), interesting) ||
         std::any_of(arguments.keywords.begin(), arguments.keywords.end(), interesting);
}

int FunctionRun::first_parameter(const Call& call, const program::Function& target, program::CallKind kind) const {
  if (kind == program::CallKind::kAutograd || kind == program::CallKind::kConstructor) return 1;
  if (!target.owner.valid() || has_decorator(target, "staticmethod")) return 0;
  const auto* callee = as<Attribute>(call.callee);
  if (callee != nullptr && !has_decorator(target, "classmethod") && !call.arguments.empty() &&
      is_self(*call.arguments[0])) {
    const auto* cls = as<Name>(callee->value);  // Base.method(self, …)
    if (cls != nullptr && !cls->id.empty() && cls->id[0] >= 'A' && cls->id[0] <= 'Z') return 0;
  }
  return 1;
}

Arguments FunctionRun::arguments_for(const Call& call, const program::Function& target, program::CallKind kind,
                                     const CallArguments& given) {
  Arguments result;
  const FunctionDef* def = target.def();
  if (def == nullptr) return result;
  const auto& parameters = def->parameters->all;
  const int first = first_parameter(call, target, kind);
  result.resize(parameters.size());
  std::vector<bool> passed(parameters.size(), false);
  const auto pass = [&](std::size_t index, Ref ref) {
    const Value& value = at(ref);
    passed[index] = true;
    result[index] = value;
    const std::string_view name = parameters[index]->name.text;
    const auto link = [&](Variation& variation) {
      const auto step = [&](SourceId parent) {
        const SourceId at_call = source(call, fmt::format("passed to `{}` as `{}`", target.name, name), parent);
        return at_call;
      };
      if (variation.sure != 0) variation.sure_source = step(variation.sure_source);
      if (variation.maybe != 0) variation.maybe_source = step(variation.maybe_source);
    };
    result[index] = leaving(result[index]);
    link(result[index].value);
    link(result[index].extent);
    link(result[index].presence);
    link(result[index].order);
  };
  for (std::size_t i = 0; i < given.positional.size(); ++i) {
    if (is<Starred>(call.arguments[i])) break;
    const std::size_t index = i + first;
    if (index >= parameters.size() || parameters[index]->parameter_kind == Parameter::Kind::kVarArgs) break;
    pass(index, given.positional[i]);
  }
  for (std::size_t i = 0; i < given.keywords.size(); ++i) {
    for (std::size_t index = 0; index < parameters.size(); ++index) {
      if (!call.keywords[i]->name.text.empty() && parameters[index]->name.text == call.keywords[i]->name.text)
        pass(index, given.keywords[i]);
    }
  }
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const auto* constant = as<Constant>(parameters[index]->default_value);
    if (passed[index] || given.has_star || constant == nullptr) continue;
    if (constant->constant_kind == ConstantKind::kNone) result[index].constant = ConstantTag::kNone;
    if (constant->constant_kind == ConstantKind::kTrue) result[index].constant = ConstantTag::kTrue;
    if (constant->constant_kind == ConstantKind::kFalse) result[index].constant = ConstantTag::kFalse;
  }
  return result;
}

FunctionRun::Ref FunctionRun::call_one(const Call& call, program::FunctionId target_id, program::CallKind kind,
                                       const CallArguments& given, const FunctionResult*& result) {
  const program::Function& target = program_.functions()[target_id];
  Arguments arguments = arguments_for(call, target, kind, given);
  if (in_test_ && !program::is_test_path(program_.modules()[target.module].path)) {
    // What a test feeds is no evidence of what a job does.
    for (Value& argument : arguments) argument.value = argument.extent = argument.presence = argument.order = {};
  }
  result = in_.run(target_id, arguments);
  if (result->in_progress) return kDull;
  apply_cleaning(call, *result, target, kind);
  if (!result->returns_value || kind == program::CallKind::kConstructor) return kDull;
  Value returned = result->returned;
  // One way through the function made an argument the same everywhere: the others (a single rank, say) have no need to.
  for (const Bits bits : result->cleaned) {
    for (Variation* variation : {&returned.value, &returned.extent, &returned.presence, &returned.order})
      variation->remove(bits);
  }
  // What only the callee knows by a symbol means nothing here.
  Bits mine = 0;
  for (const Value& argument : arguments)
    mine |= argument.value.any() | argument.extent.any() | in_.groups[argument.group].span;
  const Bits symbols = kEveryRank & ~kNamedBits & ~kSomeRanks & ~kOneRank;
  const auto strip = [&](Bits& bits) {
    if (bits != kEveryRank) bits &= ~(symbols & ~mine);
  };
  for (Variation* variation : {&returned.value, &returned.extent, &returned.presence, &returned.order}) {
    strip(variation->sure);
    strip(variation->maybe);
  }
  if (returned.group != 0 && in_.groups[returned.group].span != kEveryRank) {
    const GroupInfo& group = in_.groups[returned.group];
    const Bits foreign = group.span & symbols & ~mine;
    if (foreign != 0) returned.group = local_symbol(text(call), false);
  }
  return add(returned);
}

void FunctionRun::apply_cleaning(const Call& call, const FunctionResult& result, const program::Function& target,
                                 program::CallKind kind) {
  const FunctionDef* def = target.def();
  if (def == nullptr) return;
  const int first = first_parameter(call, target, kind);
  for (std::size_t i = 0; i < result.cleaned.size() && i < def->parameters->all.size(); ++i) {
    if (result.cleaned[i] == 0) continue;
    const Expr* expression = argument_expression(call, static_cast<int>(i) - first, def->parameters->all[i]->name.text);
    if (expression != nullptr) clean(*expression, result.cleaned[i]);
  }
}

FunctionRun::Ref FunctionRun::call_builtin(const Call& call, BuiltinKind kind, const CallArguments& arguments) {
  Value result;
  const Ref first = argument(call, arguments, 0, {});
  const std::string_view name = called_name(call);
  switch (kind) {
    case BuiltinKind::kLength:
      result.value = at(first).extent;
      result.form = Form::kScalar;
      if (at(first).length >= 0 && at(first).extent.empty()) {
        result.constant = ConstantTag::kInt;
        result.number = at(first).length;
      }
      return add(result);
    case BuiltinKind::kSorted:
      result = at(first);
      result.order = {};
      result.elements = 0;
      if (result.kind == ValueKind::kUnordered) result.kind = ValueKind::kPlain;
      return add(result);
    case BuiltinKind::kSequence:
      result.form = Form::kContainer;
      if (first == kUnset) {
        result.length = 0;
        return add(result);
      }
      result = at(first);
      result.order = iteration_order(first, *call.arguments[0]);
      if (result.kind == ValueKind::kUnordered) result.kind = ValueKind::kPlain;
      return add(result);
    case BuiltinKind::kSet:
      if (first != kUnset) {
        result = at(first);
        result.order = {};
        result.group = 0;
        result.elements = 0;
        if (result.length >= 0 && is<Dict>(call.arguments[0])) result.length = -1;
      }
      result.form = Form::kContainer;
      result.kind =
          call.arguments.empty() || !is<Call>(call.arguments[0]) || called_name(*as<Call>(call.arguments[0])) != "range"
              ? ValueKind::kUnordered
              : ValueKind::kPlain;
      return add(result);
    case BuiltinKind::kRange: {
      // range(n): n turns. range(a, b) with both moving is usually a block of one size: only a lone moving end counts.
      const Ref second = argument(call, arguments, 1, {});
      const Variation start = second == kUnset ? Variation{} : at(first).value;
      const Variation stop = second == kUnset ? at(first).value : at(second).value;
      if (start.empty() || second == kUnset) result.extent = stop;
      if (stop.empty() && second != kUnset && arguments.positional.size() == 2) result.extent = start;
      result.form = Form::kContainer;
      result.value = start;
      return add(result);
    }
    case BuiltinKind::kEnumerate:
      for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
        Value part = at(arguments.positional[i]);
        part.order = iteration_order(arguments.positional[i], *call.arguments[i]);
        result = join_values(result, part);
      }
      result.constant = ConstantTag::kUnknown;
      result.elements = 0;
      result.group = 0;
      if (result.kind == ValueKind::kUnordered) result.kind = ValueKind::kPlain;
      return add(result);
    case BuiltinKind::kReduce:
    case BuiltinKind::kPure:
      if (name == "getattr") {
        const auto* attribute = as<Constant>(call.arguments.size() > 1 ? call.arguments[1] : nullptr);
        if (attribute == nullptr) return kDull;
        if (at(first).kind == ValueKind::kModelParts) {
          Value part = at(first);
          part.form = Form::kScalar;
          if (in_.name_facts(attribute->text).is_shard) part.value.join(shard_variation(attribute->text, call));
          return add(part);
        }
        return named_value(attribute->text, call, false);
      }
      for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
        const Value& value = at(arguments.positional[i]);
        const bool counts = value.form == Form::kScalar || value.form == Form::kTensor;
        if (counts) result.value.join(value.value);
        if (counts && result.form != Form::kTensor)
          result.form = name == "int" || name == "float" || name == "bool" ? Form::kScalar : value.form;
        if (name == "bool") result.value.join(value.extent);
      }
      if (kind == BuiltinKind::kPure && first != kUnset && arguments.positional.size() == 1) {
        result.is_rank = at(first).is_rank;
        result.is_direct = at(first).is_direct;
        if (name == "bool") result.value.join(at(first).presence);
        result.kind = name == "next" ? at(first).kind : ValueKind::kPlain;
        if (name == "next") result.group = at(first).group;
        if (name == "int" || name == "bool") {
          result.constant = at(first).constant;
          result.number = at(first).number;
        }
      }
      return add(result);
    case BuiltinKind::kExit:
      return call_source(call, SourceKind::kExit, name, arguments);
    default:
      return kDull;
  }
}

}  // namespace lockstep::mesh
