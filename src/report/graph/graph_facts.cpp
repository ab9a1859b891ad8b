#include "report/graph/graph_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"
#include "rules/training/sync_ops_table.h"

namespace lockstep::report {

namespace {

using program::CallSite;
using program::CallTarget;
using program::Function;
using program::Program;
using python::Node;
using python::NodeKind;
using rules::SyncOp;

const python::Expr* first_iterable(const Node& node) {
  const python::Seq<python::Comprehension> generators = rules::comprehension_generators(node);
  return generators.empty() ? nullptr : generators[0]->iterable;
}

const SyncOp* find_sync(std::string_view name) {
  static const auto kByName = [] {
    std::unordered_map<std::string_view, const SyncOp*> table;
    for (const SyncOp& op : rules::sync_ops()) table.emplace(op.name, &op);
    return table;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : found->second;
}

/// `x.item(i)` of NumPy and forms of the operation that did not block.
bool is_blocking_form(const SyncOp& op, const python::Call& call) {
  if (op.form == SyncOp::Form::kMethod) return call.arguments.empty() && call.keywords.empty();
  if (op.unless_positional > 0 && call.arguments.size() >= static_cast<std::size_t>(op.unless_positional)) return false;
  return std::none_of(call.keywords.begin(), call.keywords.end(), [&](const python::Keyword* keyword) {
    return !op.unless_keyword.empty() && keyword->name.text == op.unless_keyword;
  });
}

/// The name that is called outside the repository: nothing where a target is inside; empty where none is known.
std::optional<std::string_view> outside_callee(const CallSite& site) {
  std::string_view name;
  for (const CallTarget& target : site.targets) {
    if (target.function.valid()) return std::nullopt;
    if (name.empty()) name = target.external;
  }
  return name;
}

bool is_config_name(std::string_view name) {
  return name == "config" || name == "cfg" || name == "args" || name == "opts" || name.ends_with("_config") ||
         name.ends_with("_cfg") || name.ends_with("_args");
}

bool is_config(const python::Expr* expression) {
  if (const auto* name = python::as<python::Name>(expression)) return is_config_name(name->id);
  const auto* attribute = python::as<python::Attribute>(expression);
  return attribute != nullptr && is_config_name(attribute->name.text) &&
         (python::is<python::Name>(attribute->value) || python::is<python::Attribute>(attribute->value));
}

/// The field that an outermost chain of attributes reads: "training.steps" of `job_config.training.steps`.
std::string_view config_field(const SourceText& source, const python::Attribute& chain, bool is_called) {
  std::vector<const python::Attribute*> links;  // outermost first
  const python::Expr* at = &chain;
  while (const auto* attribute = python::as<python::Attribute>(at)) {
    links.push_back(attribute);
    at = attribute->value;
  }
  std::size_t first =
      links.size();  // the outermost config: `self.config.model_config.x` reads model_config.x of config
  while (first > 0 && !is_config(links[first - 1]->value)) --first;
  const std::size_t last = is_called ? 1 : 0;
  if (first <= last) return {};
  const std::uint32_t begin = links[first - 1]->name.span.begin;
  const std::string_view text = source.slice({begin, links[last]->name.span.end});
  return text.find_first_of(" \t\r\n\\#") == std::string_view::npos ? text : links[first - 1]->name.text;
}

struct ConfigReader {
  const SourceText& source;
  std::vector<std::string_view>& fields;

  void visit(const Node* node) {
    if (node->kind == NodeKind::kFunctionDef || node->kind == NodeKind::kLambda || node->kind == NodeKind::kClassDef)
      return;
    if (const auto* call = python::as<python::Call>(node)) {
      if (const auto* callee = python::as<python::Attribute>(call->callee)) {
        chain(*callee, true);
        for (const python::Expr* argument : call->arguments) visit(argument);
        for (const python::Keyword* keyword : call->keywords) visit(keyword);
        return;
      }
    }
    if (const auto* attribute = python::as<python::Attribute>(node)) return chain(*attribute, false);
    python::for_each_child(*node, [&](const Node* child) { visit(child); });
  }

  void chain(const python::Attribute& outermost, bool is_called) {
    if (outermost.context == python::ExprContext::kLoad) {
      const std::string_view field = config_field(source, outermost, is_called);
      if (!field.empty()) fields.push_back(field);
    }
    const python::Expr* root = outermost.value;
    while (const auto* attribute = python::as<python::Attribute>(root)) root = attribute->value;
    visit(root);
  }
};

bool mentions_config(std::string_view text) {
  // Dots are rarer than the letters that the words begin with.
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
    const std::string_view before = text.substr(0, dot);
    for (const std::string_view word : {"config", "cfg", "args", "opts"}) {
      if (before.ends_with(word)) return true;
    }
  }
  return false;
}

// White space runs become one blank, none beside brackets; comments go. Strings stay as they are.
std::string squeezed(std::string_view text, bool tight) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      out += c == '\n' || c == '\r' ? ' ' : c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '#') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
      continue;
    }
    const bool blank =
        c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || (c == '\\' && i + 1 < text.size());
    if (!blank) {
      if (c == '"' || c == '\'') quote = c;
      if ((c == ']' || c == ')' || c == '}' || c == ',') && !out.empty() && out.back() == ' ') out.pop_back();
      out += c;
    } else if (!out.empty() && out.back() != ' ' && out.back() != '(' && out.back() != '[' && out.back() != '{' &&
               !(tight && out.back() == ',')) {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string parameter_text(const SourceText& source, const python::Parameter& parameter, bool tight) {
  using Kind = python::Parameter::Kind;
  std::string text;
  if (parameter.parameter_kind == Kind::kVarArgs) text = "*";
  if (parameter.parameter_kind == Kind::kVarKeywords) text = "**";
  text += parameter.name.text;
  if (parameter.annotation != nullptr) text += ": " + squeezed(source.slice(parameter.annotation->span), tight);
  if (parameter.default_value != nullptr) {
    text += parameter.annotation != nullptr ? " = " : "=";
    text += squeezed(source.slice(parameter.default_value->span), tight);
  }
  return text;
}

/// True if the source has a comma between the last parameter and the closing parenthesis.
bool has_last_comma(const SourceText& source, const python::Parameters& parameters) {
  const python::Parameter& last = *parameters.all.back();
  if (last.parameter_kind == python::Parameter::Kind::kPositionalOnly) return false;
  std::uint32_t at = last.default_value != nullptr ? last.default_value->span.end : last.span.end;
  const std::string_view bytes = source.bytes();
  for (bool in_comment = false; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c == '\n') in_comment = false;
    if (c == '#') in_comment = true;
    if (in_comment || c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ')') {
      // `def f(a=(1))`: the parenthesis of the default lies outside its span; the list's own ends the search at ':' or
      // '->'.
      continue;
    }
    return c == ',';
  }
  return false;
}

}  // namespace

LoopSpans::LoopSpans(const python::FileFacts& facts) {
  std::vector<Span> spans;
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    if (begin < end) spans.push_back({begin, end});
  };
  python::walk_statements(facts.tree(), python::Nested::kEnter, [&](const python::Stmt* statement) {
    if (const auto* loop = python::as<python::For>(statement); loop != nullptr && !loop->body.empty()) {
      add(loop->body.front()->span.begin, loop->body.back()->span.end);
    }
    if (const auto* loop = python::as<python::While>(statement); loop != nullptr && !loop->body.empty()) {
      add(loop->condition->span.begin, loop->body.back()->span.end);
    }
  });
  for (const python::Scope& scope : facts.scopes) {
    if (scope.kind != python::ScopeKind::kComprehension || scope.node == nullptr) continue;
    const python::Expr* iterable = first_iterable(*scope.node);
    if (iterable == nullptr) continue;
    add(scope.node->span.begin, iterable->span.begin);
    add(iterable->span.end, scope.node->span.end);
  }
  std::sort(spans.begin(), spans.end(),
            [](Span a, Span b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  std::vector<std::uint32_t> open;
  loops_.reserve(spans.size());
  for (const Span span : spans) {
    while (!open.empty() && loops_[open.back()].span.end <= span.begin) open.pop_back();
    loops_.push_back({span, open.empty() ? kNone : open.back()});
    open.push_back(static_cast<std::uint32_t>(loops_.size() - 1));
  }
}

bool LoopSpans::holds(Span function, std::uint32_t offset) const {
  const auto after = std::upper_bound(loops_.begin(), loops_.end(), offset,
                                      [](std::uint32_t value, const Loop& loop) { return value < loop.span.begin; });
  if (after == loops_.begin()) return false;
  std::uint32_t at = static_cast<std::uint32_t>(after - loops_.begin() - 1);
  while (at != kNone && !loops_[at].span.contains(offset)) at = loops_[at].parent;
  return at != kNone && function.contains(loops_[at].span);
}

std::vector<std::string_view> config_reads(const Program& program, const Function& function) {
  std::vector<std::string_view> fields;
  if (function.node == nullptr) return fields;
  const SourceText& source = program.modules()[function.module].facts->source();
  // Most functions never name a configuration: one search of their bytes is cheaper than a walk of their trees.
  if (!mentions_config(source.slice(function.node->span))) return fields;
  ConfigReader reader{source, fields};
  if (const auto* lambda = python::as<python::Lambda>(function.node)) {
    reader.visit(lambda->body);
  } else {
    for (const python::Stmt* statement : body_of(function.node)) reader.visit(statement);
  }
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
  return fields;
}

bool host_sync_of(const CallSite& site, const rules::ValuePlaces& places, GraphHostSync& sync) {
  const auto* call = python::as<python::Call>(site.node);
  if (call == nullptr) return false;
  const auto* attribute = python::as<python::Attribute>(call->callee);
  const auto* name = python::as<python::Name>(call->callee);
  const std::string_view written = attribute != nullptr ? attribute->name.text
                                   : name != nullptr    ? name->id
                                                        : std::string_view{};
  const SyncOp* op = written.empty() ? nullptr : find_sync(written);
  const std::optional<std::string_view> outside = outside_callee(site);
  if (!outside) return false;
  const bool is_torch = outside->starts_with("torch.");
  if (op == nullptr) op = is_torch ? find_sync(change::last_part(*outside)) : nullptr;
  if (op == nullptr) return false;
  sync.name = op->name;
  if (op->form == SyncOp::Form::kBuiltin) {
    // int(x) waits only for a tensor; any() and others over containers are too many to guess about.
    const bool is_conversion = op->name == "int" || op->name == "float" || op->name == "bool";
    if (!is_conversion || name == nullptr || call->arguments.size() != 1) return false;
    const rules::ValuePlace place = places.of(site.caller, *call->arguments[0]);
    sync.is_sure = place == rules::ValuePlace::kCudaTensor;
    return rules::may_be_on_gpu(place);
  }
  if (op->form == SyncOp::Form::kCuda) {
    sync.name = change::last_part(op->name);
    sync.is_sure = is_torch;
    return is_torch || (outside->empty() && attribute != nullptr);
  }
  if (!is_blocking_form(*op, *call)) return false;
  if (attribute == nullptr) return is_torch;
  const rules::ValuePlace place =
      is_torch && !python::is<python::Call>(attribute->value) && !outside->starts_with("torch.Tensor.")
          ? rules::ValuePlace::kTensor
          : places.of(site.caller, *attribute->value);
  if (place == rules::ValuePlace::kHost || place == rules::ValuePlace::kCpuTensor) return false;
  sync.is_sure = is_torch || rules::may_be_on_gpu(place);
  // Of unknown receivers only the names that little but tensors has.
  return sync.is_sure || (outside->empty() && op->form == SyncOp::Form::kMethod);
}

std::string parameters_of(const Program& program, const Function& function, bool tight) {
  using Kind = python::Parameter::Kind;
  const SourceText& source = program.modules()[function.module].facts->source();
  const python::Parameters* parameters = nullptr;
  if (const auto* def = function.def()) parameters = def->parameters;
  if (const auto* lambda = python::as<python::Lambda>(function.node)) parameters = lambda->parameters;
  if (parameters == nullptr || parameters->all.empty()) return {};
  std::string text;
  const auto add = [&](std::string_view part) {
    if (!text.empty()) text += tight ? "," : ", ";
    text += part;
  };
  bool saw_star = false;
  for (std::size_t i = 0; i < parameters->all.size(); ++i) {
    const python::Parameter& parameter = *parameters->all[i];
    if (parameter.parameter_kind == Kind::kVarArgs) saw_star = true;
    if (parameter.parameter_kind == Kind::kKeywordOnly && !saw_star) {
      add("*");
      saw_star = true;
    }
    add(parameter_text(source, parameter, tight));
    const bool ends_positional_only =
        parameter.parameter_kind == Kind::kPositionalOnly &&
        (i + 1 == parameters->all.size() || parameters->all[i + 1]->parameter_kind != Kind::kPositionalOnly);
    if (ends_positional_only) add("/");
  }
  if (tight && function.def() != nullptr && has_last_comma(source, *parameters)) text += ',';
  return text;
}

bool is_test_function(const Program& program, const Function& function, bool in_test_file) {
  if (function.kind != program::FunctionKind::kFunction || !function.name.starts_with("test")) return false;
  if (in_test_file) return true;
  if (function.enclosing.valid()) return false;
  if (!function.owner.valid()) return function.name.starts_with("test_");
  return program.classes()[function.owner].name.starts_with("Test") ||
         program.derives_from(function.owner, "unittest.TestCase") ||
         program.derives_from(function.owner, "unittest.case.TestCase");
}

}  // namespace lockstep::report
