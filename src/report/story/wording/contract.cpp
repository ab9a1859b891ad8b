#include "report/story/wording/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/find_text.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "report/source/untold_returns.h"
#include "report/source/value_text.h"
#include "report/story/communication/collectives_below.h"
#include "report/story/story.h"
#include "report/story/wording/containers.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow_state.h"
#include "rules/syntax/method_names.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

void add_once(std::vector<std::string>& list, std::string text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

/// What a block does at its end.
enum class BlockEnd : std::uint8_t {
  kLeaves,   ///< Returns or raises, whatever way it takes.
  kMayPass,  ///< What follows it may run.
  kUnknown,  ///< It ends in a call, which may raise, or in a loop.
};

/// The end of a statement of which one of several ways is taken.
BlockEnd worst(BlockEnd one, BlockEnd other) {
  if (one == BlockEnd::kMayPass || other == BlockEnd::kMayPass) return BlockEnd::kMayPass;
  return one == BlockEnd::kUnknown ? one : other;
}

BlockEnd end_of_block(Seq<Stmt> body) {
  if (body.empty()) return BlockEnd::kMayPass;
  const Stmt* last = body.back();
  if (is<Return>(last) || is<Raise>(last)) return BlockEnd::kLeaves;
  if (const auto* branch = as<If>(last)) return worst(end_of_block(branch->body), end_of_block(branch->orelse));
  if (is<Assign>(last) || is<AugAssign>(last) || is<AnnAssign>(last) || is<Pass>(last) || is<For>(last))
    return BlockEnd::kMayPass;
  if (const auto* with = as<With>(last))
    return end_of_block(with->body) == BlockEnd::kLeaves ? BlockEnd::kLeaves : BlockEnd::kUnknown;
  if (const auto* attempt = as<Try>(last)) {
    if (!attempt->finally_body.empty() && end_of_block(attempt->finally_body) == BlockEnd::kLeaves)
      return BlockEnd::kLeaves;
    BlockEnd end = end_of_block(attempt->body);
    if (end != BlockEnd::kLeaves && !attempt->orelse.empty()) end = end_of_block(attempt->orelse);
    for (const ExceptHandler* handler : attempt->handlers) end = worst(end, end_of_block(handler->body));
    return end;
  }
  return BlockEnd::kUnknown;
}

/// What of one kind stands below a node, nested definitions left out.
template <class T>
std::vector<const T*> all_below(const Node& node) {
  std::vector<const T*> out;
  walk_of<T>(node, Nested::kSkip, [&](const T* found) { out.push_back(found); });
  return out;
}

bool yields(const FunctionDef& def) {
  bool found = false;
  walk_expressions(def, Nested::kSkip,
                   [&](const Expr* part) { found = found || is<Yield>(part) || is<YieldFrom>(part); });
  return found;
}

/// What a docstring says of a result, without the type that the function's head tells: "Tensor: The sum", "out
/// (Tensor): The sum" -> "The sum".
std::string without_type(std::string words, std::string_view type) {
  if (type.empty()) return words;
  const auto name_end = std::find_if_not(words.begin(), words.end(), is_name_char);
  const std::string_view rest = std::string_view(words).substr(static_cast<std::size_t>(name_end - words.begin()));
  const std::string named = fmt::format(" ({}): ", type);
  if (rest.starts_with(named)) {
    words.erase(0, words.size() - rest.size() + named.size());
  } else if (words.starts_with(std::string(type) + ": ")) {
    words.erase(0, type.size() + 2);
  }
  return words;
}

class Reader {
 public:
  Reader(const WordsContext& context, Contract& contract) : context_(context), contract_(contract) {}

  void read(const FunctionDef& def) {
    contract_.name = std::string(def.name.text);
    const std::string_view docstring = docstring_text(&def);
    bool first = true;
    for (const Parameter* parameter : def.parameters->all) {
      const bool receiver = first && (parameter->name.text == "self" || parameter->name.text == "cls");
      first = false;
      if (!receiver) contract_.inputs.push_back(input(*parameter, docstring));
    }
    if (def.returns != nullptr) contract_.return_type = one_line(*context_.source, *def.returns, 60);
    contract_.return_words = without_type(docstring_returns(docstring), contract_.return_type);
    def_ = &def;
    for (const Stmt* statement : def.body) find_locals(*statement);
    for (const Stmt* statement : def.body) visit(*statement);
    // What a generator returns nobody who calls it gets.
    if (yields(def)) contract_.returns.clear();
    if (!contract_.returns.empty()) end_in(end_of_block(def.body));
  }

 private:
  ContractInput input(const Parameter& parameter, std::string_view docstring) const {
    ContractInput out;
    using Kind = Parameter::Kind;
    const std::string_view stars = parameter.parameter_kind == Kind::kVarArgs       ? "*"
                                   : parameter.parameter_kind == Kind::kVarKeywords ? "**"
                                                                                    : "";
    out.name = fmt::format("{}{}", stars, parameter.name.text);
    if (parameter.annotation != nullptr) out.type = one_line(*context_.source, *parameter.annotation, 50);
    if (parameter.default_value != nullptr)
      out.default_value = one_line(*context_.source, *parameter.default_value, 30);
    out.words = docstring_parameter(docstring, parameter.name.text);
    out.shape = shape_in(out.words);
    if (out.shape.empty())
      out.shape = shape_in(trailing_comment(*context_.source, context_.source->line_of(parameter.span.begin)));
    return out;
  }

  void add_collective(std::string words, Span span) {
    auto& all = contract_.collectives;
    const auto known = std::find(all.begin(), all.end(), words);
    const auto at = static_cast<std::size_t>(known - all.begin());
    if (known == all.end()) {
      all.push_back(std::move(words));
      contract_.collective_spans.emplace_back();
    }
    contract_.collective_spans[at].push_back(span);
  }

  void visit(const Node& node) {
    if (is<FunctionDef>(&node) || is<ClassDef>(&node) || is<Lambda>(&node)) return;
    switch (node.kind) {
      case NodeKind::kReturn:
        add_return(static_cast<const Return&>(node));
        break;
      case NodeKind::kAssign:
        for (const Expr* target : static_cast<const Assign&>(node).targets)
          assigned(*target, static_cast<const Assign&>(node).value, node);
        break;
      case NodeKind::kAnnAssign: {
        const auto& assign = static_cast<const AnnAssign&>(node);
        if (assign.value != nullptr) assigned(*assign.target, assign.value, node);
        break;
      }
      case NodeKind::kAugAssign:
        assigned(*static_cast<const AugAssign&>(node).target, nullptr, node);
        break;
      case NodeKind::kAssert:
        require(*static_cast<const Assert&>(node).test, false, {}, node.span);
        break;
      case NodeKind::kIf:
        guarded_raise(static_cast<const If&>(node));
        break;
      case NodeKind::kCall:
        if (const mesh::CollectiveSite* site = collective_at(context_, &node))
          add_collective(collective_words(*site, *context_.mesh), node.span);
        if (const Expr* changed = changed_container(static_cast<const Call&>(node))) add_write(*changed);
        break;
      default:
        break;
    }
    for_each_child(node, [&](const Node* child) { visit(*child); });
  }

  /// `self.x` of `self.x.append(…)`: a list, set, dictionary or queue that takes something up or gives something away;
  /// null for other calls, and where the method is the repository's own.
  [[nodiscard]] const Expr* changed_container(const Call& call) const {
    // Others than containers have these, too, and may give something new: `tensor.add(other)`.
    static constexpr std::string_view kOfOthers[] = {"add", "sort", "update"};
    const auto* method = as<Attribute>(call.callee);
    if (method == nullptr || rules::self_attribute(method->value).empty() ||
        !rules::changes_container(method->name.text) ||
        std::find(std::begin(kOfOthers), std::end(kOfOthers), method->name.text) != std::end(kOfOthers))
      return nullptr;
    const program::CallId id = context_.program->call_of(&call);
    const bool is_own =
        id.valid() && std::any_of(context_.program->calls()[id].targets.begin(),
                                  context_.program->calls()[id].targets.end(), [](const program::CallTarget& target) {
                                    return target.function.valid() && target.certainty != program::Certainty::kByName;
                                  });
    return is_own ? nullptr : method->value;
  }

  void end_in(BlockEnd end) {
    const auto& known = contract_.returns;
    const bool returns_none = std::find(known.begin(), known.end(), "None") != known.end();
    if (end == BlockEnd::kMayPass && !returns_none) contract_.returns.emplace_back("None");
    contract_.may_return_more = end == BlockEnd::kUnknown && !returns_none;
  }

  void add_return(const Return& statement) {
    add_once(contract_.returns,
             statement.value == nullptr ? "None" : value_text(*context_.source, *statement.value, 60));
  }

  void assigned(const Expr& target, const Expr* value, const Node& statement) {
    if (const auto* tuple = as<Tuple>(&target)) {
      for (const Expr* element : tuple->elements) assigned(*element, nullptr, statement);
    }
    if (is<Attribute>(&target) || is<Subscript>(&target)) {
      const Node* root = &target;
      while (is<Attribute>(root) || is<Subscript>(root)) {
        root = is<Attribute>(root) ? as<Attribute>(root)->value : as<Subscript>(root)->value;
      }
      const auto* name = as<Name>(root);
      const bool parameter =
          name != nullptr && (name->id == "self" || name->id == "cls" ||
                              std::any_of(contract_.inputs.begin(), contract_.inputs.end(),
                                          [&](const ContractInput& in) { return in.name == name->id; }));
      const auto* element = as<Subscript>(&target);
      if (element != nullptr && name != nullptr && element->value == name &&
          is_copied_before(name->id, target.span.begin))
        return;
      if (parameter || is<Attribute>(&target) || (name != nullptr && is_loop_variable(name->id))) add_write(target);
    }
    if (value != nullptr) add_shape(target, *value, statement);
  }

  /// Whether the function takes a copy of what the name holds, in any case, before that place: `state = state.copy()`.
  [[nodiscard]] bool is_copied_before(std::string_view local, std::uint32_t place) const {
    if (def_ == nullptr) return false;
    return std::any_of(def_->body.begin(), def_->body.end(), [&](const Stmt* statement) {
      const auto* assign = as<Assign>(statement);
      if (assign == nullptr || assign->span.end > place || assign->targets.size() != 1 ||
          rules::name_of(assign->targets[0]) != local)
        return false;
      const auto* call = as<Call>(assign->value);
      if (call == nullptr) return false;
      const std::string callee = dotted_text(call->callee);
      if (callee == std::string(local) + ".copy") return true;
      return (callee == "dict" || callee == "list" || callee == "copy.copy" || callee == "copy.deepcopy" ||
              callee == "deepcopy") &&
             call->arguments.size() == 1 && rules::name_of(call->arguments[0]) == local;
    });
  }

  /// Whether only a loop gives the local its values: what is set in it others see, too.
  [[nodiscard]] bool is_loop_variable(std::string_view local) const {
    if (def_ == nullptr) return false;
    std::size_t loops = 0;
    walk_of<For>(*def_, Nested::kSkip, [&](const For* loop) {
      const auto* tuple = as<Tuple>(loop->target);
      const bool sets = tuple == nullptr ? rules::name_of(loop->target) == local
                                         : std::any_of(tuple->elements.begin(), tuple->elements.end(),
                                                       [&](const Expr* one) { return rules::name_of(one) == local; });
      loops += sets ? 1 : 0;
    });
    return loops > 0 && loops == rules::bindings_of(*def_, local, Nested::kSkip);
  }

  void add_write(const Expr& target) {
    // A field without its name says nothing, however long that is.
    const std::string dotted = dotted_text(&target);
    const auto* item = as<Subscript>(&target);
    std::string name = dotted.empty() ? one_line(*context_.source, target, 40) : dotted;
    if (item != nullptr && name.ends_with("\u2026") && !dotted_text(item->value).empty())
      name = dotted_text(item->value) + "[\u2026]";
    if (name.empty()) return;
    add_once(contract_.writes, name);
    contract_.write_spans.resize(contract_.writes.size());
    const auto at = std::find(contract_.writes.begin(), contract_.writes.end(), name);
    contract_.write_spans[static_cast<std::size_t>(at - contract_.writes.begin())].push_back(target.span);
  }

  void add_shape(const Expr& target, const Expr& value, const Node& statement) {
    const auto* call = as<Call>(&value);
    const std::uint32_t line = context_.source->line_of(statement.span.begin);
    const std::string name = one_line(*context_.source, target, 40);
    std::string shape =
        shape_of(name, trailing_comment(*context_.source, context_.source->line_of(statement.span.end - 1)));
    if (shape.empty()) shape = shape_of(name, comment_above(*context_.source, line));
    bool relevant = !shape.empty();
    if (call != nullptr) {
      const KnownApi* known = known_api(external_callee(*context_.program, call));
      if (known == nullptr && is<Attribute>(call->callee)) known = known_method(callee_name(*call));
      const bool shaping = known != nullptr && (known->kind == ApiKind::kShape || known->kind == ApiKind::kAllocation);
      relevant = relevant || shaping || collective_at(context_, call) != nullptr;
      const std::string_view method = callee_name(*call);
      if (shape.empty() && (method == "view" || method == "reshape") && call->arguments.size() >= 2) {
        std::vector<std::string> axes;
        for (const Expr* argument : call->arguments) axes.push_back(one_line(*context_.source, *argument, 20));
        shape = "[" + join_plain(axes) + "]";
      }
    }
    if (shape.empty() && call != nullptr) shape = allocated_shape(*call);
    if (!relevant || contract_.shapes.size() >= 40) return;
    contract_.shapes.push_back(
        {one_line(*context_.source, target, 40), one_line(*context_.source, value, 60), shape, line});
  }

  /// "[b, s, h]" of `torch.empty((b, s, h), …)` and `torch.zeros(b, s, h)`; empty for others.
  [[nodiscard]] std::string allocated_shape(const Call& call) const {
    constexpr std::string_view kNames[] = {"torch.empty", "torch.ones", "torch.rand", "torch.randn", "torch.zeros"};
    const std::string_view callee = external_callee(*context_.program, &call);
    if (std::find(std::begin(kNames), std::end(kNames), callee) == std::end(kNames) || call.arguments.empty())
      return {};
    const auto* size = as<Tuple>(call.arguments.front());
    std::vector<std::string> axes;
    for (const Expr* one : size != nullptr ? size->elements : call.arguments) {
      // One name may be a whole shape, and a star may be any number of axes.
      const bool is_axis = !is<Starred>(one) && !is<python::List>(one) &&
                           (size != nullptr || call.arguments.size() > 1 || is<Constant>(one));
      if (!is_axis) return {};
      axes.push_back(one_line(*context_.source, *one, 30));
    }
    return axes.empty() ? std::string() : "[" + join_plain(axes) + "]";
  }

  static std::string join_plain(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
    return out;
  }

  /// Names that the function itself binds.
  void find_locals(const Node& node) {
    if (is<ClassDef>(&node) || is<Lambda>(&node) || is<FunctionDef>(&node)) return;
    if (const auto* name = as<Name>(&node); name != nullptr && name->context == ExprContext::kStore)
      locals_.insert(name->id);
    for_each_child(node, [&](const Node* child) { find_locals(*child); });
  }

  /// Whether a local is named that holds anything but one constant.
  [[nodiscard]] bool names_local(const Node& node) const {
    const auto* name = as<Name>(&node);
    bool found = name != nullptr && locals_.contains(name->id) && constant_of(name->id) == nullptr;
    for_each_child(node, [&](const Node* child) { found = found || names_local(*child); });
    return found;
  }

  /// The constant that a local has from its only assignment on; null for others.
  [[nodiscard]] const Constant* constant_of(std::string_view local) const {
    return as<Constant>(only_value_of(*def_, local));
  }

  /// The words with the constants in place of the locals that hold one.
  [[nodiscard]] std::string with_constants(std::string words) const {
    for (const std::string_view local : locals_) {
      const Constant* constant = constant_of(local);
      if (constant == nullptr) continue;
      const std::string value = one_line(*context_.source, *constant, 30);
      for (std::size_t at = find_name(words, local); at != std::string::npos;
           at = find_name(words, local, at + value.size()))
        words.replace(at, local.size(), value);
    }
    return words;
  }

  /// What a caller can see to: a condition on what the function is given, stands on or imports, outside loops and
  /// handlers; with the branches that it stands in and the early returns before it.
  void require(const Expr& condition, bool negated, const std::string& otherwise, Span span) {
    constexpr std::size_t kMostGuards = 2;
    if (names_local(condition)) return;
    for (const Node* node : chain_to(*def_, span)) {
      if (is<For>(node) || is<While>(node) || is<Try>(node) || is<Match>(node)) return;
      if (const auto* with = as<With>(node); with != nullptr && rules::may_swallow(*with)) return;
    }
    std::vector<Guard> guards = guards_of(*def_, span);
    std::erase_if(guards, [&](const Guard& guard) { return guard.statement->span == span; });
    if (guards.size() > kMostGuards || may_return_untold(*def_, span, guards)) return;
    for (const Guard& guard : guards) {
      if (guard.condition == nullptr) return;
    }
    std::string words = with_constants(condition_words_in(condition, *def_, *context_.source, negated));
    if (words == "never" || words == "always") return;
    if (!otherwise.empty()) words += fmt::format(", else {}", otherwise);
    const std::string where = guards_words(guards, *context_.source, kMostGuards);
    if (!where.empty()) words += fmt::format("{} where {}", otherwise.empty() ? "" : ",", where);
    const std::size_t known = contract_.requirements.size();
    add_once(contract_.requirements, std::move(words));
    if (contract_.requirements.size() > known) contract_.requirement_spans.push_back(span);
  }

  void guarded_raise(const If& branch) {
    const auto* raise = branch.body.empty() ? nullptr : as<Raise>(branch.body.back());
    if (raise == nullptr || raise->exception == nullptr) return;
    const auto type_of = [&](const Raise& one) {
      const auto* call = as<Call>(one.exception);
      return one.exception == nullptr
                 ? std::string()
                 : one_line(*context_.source, call != nullptr ? *call->callee : *one.exception, 30);
    };
    const std::string type = type_of(*raise);
    bool is_only_type = true;
    for (const Stmt* statement : branch.body) {
      if (is<FunctionDef>(statement) || is<ClassDef>(statement)) continue;
      // The caller may get away with it.
      if (!all_below<Return>(*statement).empty() || !all_below<Yield>(*statement).empty()) return;
      for (const Raise* other : all_below<Raise>(*statement)) is_only_type = is_only_type && type_of(*other) == type;
    }
    require(*branch.condition, true, is_only_type ? code(type) : std::string(), branch.span);
  }

  const WordsContext& context_;
  Contract& contract_;
  const FunctionDef* def_ = nullptr;
  std::set<std::string_view> locals_;
};

}  // namespace

Contract contract_of(const WordsContext& context) {
  Contract contract;
  const auto* def = context.program->functions()[context.function].def();
  if (def == nullptr) return contract;
  Reader(context, contract).read(*def);
  contract.config = config_reads(*def);
  contract.below = collectives_below(context);
  contract.may_communicate = context.mesh != nullptr && context.mesh->may_communicate(context.function);
  return contract;
}

std::string input_words(const ContractInput& input) {
  std::string out = code(input.name);
  if (!input.type.empty()) out += fmt::format(": {}", code(input.type));
  if (!input.shape.empty()) out += " " + code(input.shape);
  if (!input.default_value.empty()) out += fmt::format(", default {}", code(input.default_value));
  if (!input.words.empty()) out += fmt::format(" \u2014 \u201c{}\u201d", from_backquotes(input.words));
  return out;
}

}  // namespace lockstep::report
