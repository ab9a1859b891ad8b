#include "mesh/handles.h"

#include <algorithm>
#include <array>

#include "mesh/groundwork.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;

namespace {

/// Handles looked at in one function, and attribute names looked for in the whole program: each costs a walk.
constexpr std::size_t kMaxHandlesInFunction = 200;
constexpr std::size_t kMaxAttributeNames = 64;

/// A statement that issues an async collective, with what follows it in its block.
struct Issued {
  const Stmt* statement = nullptr;
  Seq<Stmt> following;
  bool coalesced = false;  ///< Inside a coalescing manager, which waits for all of them.
};

bool contains_node(const Node& root, const Node* wanted) { return root.span.contains(wanted->span); }

bool is_coalescing(const With& statement) {
  return std::any_of(statement.items.begin(), statement.items.end(), [](const WithItem* item) {
    const auto* call = as<Call>(item->context);
    return call != nullptr && called_name(*call).find("coalescing") != std::string_view::npos;
  });
}

/// The innermost simple statement that holds `call`, and what follows it on the straight line.
bool find_statement(Seq<Stmt> block, const Node* call, bool coalesced, Issued& out) {
  // Statements stand in order: the last one that starts at or before the call.
  const auto after = std::upper_bound(block.begin(), block.end(), call->span.begin,
                                      [](std::uint32_t offset, const Stmt* row) { return offset < row->span.begin; });
  if (after != block.begin()) {
    const auto i = static_cast<std::size_t>(after - block.begin()) - 1;
    const Stmt& statement = *block[i];
    if (!contains_node(statement, call)) return false;
    bool nested = false;
    const auto* with = as<With>(&statement);
    const bool inside = coalesced || (with != nullptr && is_coalescing(*with));
    if (!is<FunctionDef>(&statement) && !is<ClassDef>(&statement)) {
      for_each_block(statement, [&](Seq<Stmt> inner) { nested = nested || find_statement(inner, call, inside, out); });
    }
    if (!nested) out = {&statement, block.subspan(i + 1), coalesced};
    return true;
  }
  return false;
}

std::string_view path_text(const Expr& expression, const SourceText& source) {
  const Expr* base = &expression;
  while (const auto* attribute = as<Attribute>(base)) base = attribute->value;
  return is<Name>(base) ? source.slice(expression.span) : std::string_view{};
}

/// True if `expression` below `root` is only compared with None there.
bool only_tested(const Node& root, std::string_view name) {
  bool used = false;
  walk(root, Nested::kEnter, [&](const Node* node) {
    if (const auto* compare = as<Compare>(node)) {
      const auto* constant = as<Constant>(compare->comparators[0]);
      const auto* left = as<Name>(compare->left);
      if (left != nullptr && left->id == name && constant != nullptr && constant->constant_kind == ConstantKind::kNone)
        return false;
    }
    const auto* load = as<Name>(node);
    if (load != nullptr && load->id == name && load->context == ExprContext::kLoad) used = true;
    return true;
  });
  return !used;
}

/// `torch.cuda.synchronize()`, or a helper whose name says so (`sync_all()`, `device_synchronize()`).
bool synchronizes(const Node& root, std::uint32_t from = 0) {
  bool found = false;
  walk_of<Call>(root, Nested::kSkip, [&](const Call* call) {
    const std::string_view name = call->span.begin < from ? std::string_view{} : called_name(*call);
    found = found || name.ends_with("synchronize") || name.starts_with("sync_") || name == "sync";
  });
  return found;
}

constexpr std::string_view kMetadata[] = {
    "shape",         "size",   "numel",  "dtype",           "device",        "element_size",
    "record_stream", "dim",    "ndim",   "data_ptr",        "is_contiguous", "requires_grad",
    "is_cuda",       "stride", "nbytes", "untyped_storage", "storage",       "is_floating_point"};

/// Looks for a use of `buffer` below one statement that must not happen while the collective is in flight.
class UseFinder {
 public:
  UseFinder(std::string_view buffer, bool reads_matter, const SourceText& source)
      : buffer_(buffer), reads_matter_(reads_matter), source_(source) {}

  const Node* find(const Node& root) {
    visit(root);
    return found_;
  }
  [[nodiscard]] bool rebound() const { return rebound_; }

 private:
  bool is_buffer(const Expr* expression) const { return path_text(*expression, source_) == buffer_; }

  void visit(const Node& node) {
    if (found_ != nullptr) return;
    if (const auto* assign = as<Assign>(&node)) {
      if (is_buffer(assign->value)) {
        rebound_ = true;  // an alias: followed no further
        return;
      }
      visit(*assign->value);
      for (const Expr* target : assign->targets) visit_target(*target);
      return;
    }
    if (const auto* assign = as<AugAssign>(&node)) {
      visit(*assign->value);
      if (is_buffer(assign->target)) set(assign->target);
      return;
    }
    if (is<Delete>(&node)) {
      rebound_ = true;
      return;
    }
    if (const auto* attribute = as<Attribute>(&node); attribute != nullptr && is_buffer(attribute->value)) {
      const std::string_view name = attribute->name.text;
      if (std::find(std::begin(kMetadata), std::end(kMetadata), name) != std::end(kMetadata)) return;
      const bool writes = name.size() > 1 && name.ends_with("_") && !name.ends_with("__");
      if (writes || reads_matter_) set(&node);
      return;
    }
    if (const auto* call = as<Call>(&node)) {
      // Collectives of one group are queued behind each other; len() asks nothing of the contents.
      const std::string_view name = called_name(*call);
      if (find_collective(std::string("torch.distributed.") + std::string(name)) != nullptr || name == "len" ||
          name == "id" || name == "isinstance") {
        return;
      }
    }
    if (const auto* compare = as<Compare>(&node);
        compare != nullptr && compare->ops.size() == 1 &&
        (compare->ops[0] == CompareOperator::kIs || compare->ops[0] == CompareOperator::kIsNot)) {
      return;
    }
    if (is_expression(&node) && is_buffer(static_cast<const Expr*>(&node))) {
      if (reads_matter_) set(&node);
      return;
    }
    if (is<Return>(&node) || is<List>(&node) || is<Tuple>(&node) || is<Dict>(&node)) return;  // kept, not read
    if (is<FunctionDef>(&node) || is<Lambda>(&node) || is<ClassDef>(&node)) return;
    for_each_child(node, [&](const Node* child) { visit(*child); });
  }

  void visit_target(const Expr& target) {
    if (is_buffer(&target)) {
      rebound_ = true;
    } else if (const auto* subscript = as<Subscript>(&target); subscript != nullptr && is_buffer(subscript->value)) {
      set(&target);
    } else if (!is<Name>(&target)) {
      for_each_child(target, [&](const Node* child) { visit(*child); });
    }
  }

  void set(const Node* node) { found_ = found_ == nullptr ? node : found_; }

  std::string_view buffer_;
  bool reads_matter_;
  const SourceText& source_;
  const Node* found_ = nullptr;
  bool rebound_ = false;
};

/// Follows the straight line after the collective until the handle is used; gives the first wrong use of `buffer`.
const Node* touched_before_wait(const Issued& issued, std::string_view handle, std::string_view buffer,
                                bool reads_matter, const SourceText& source) {
  for (const Stmt* statement : issued.following) {
    if (!handle.empty() && !only_tested(*statement, handle)) return nullptr;
    if (is<If>(statement) || is<For>(statement) || is<While>(statement) || is<Try>(statement)) return nullptr;
    UseFinder finder(buffer, reads_matter, source);
    if (const Node* place = finder.find(*statement)) return place;
    if (finder.rebound() || synchronizes(*statement)) return nullptr;
  }
  return nullptr;
}

/// Another method of the class waits for the whole device: `step` of an optimizer whose hooks start the transfers.
bool class_synchronizes(const program::Program& program, program::FunctionId function) {
  while (function.valid() && !program.functions()[function].owner.valid())
    function = program.functions()[function].enclosing;
  if (!function.valid()) return false;
  const auto& methods = program.classes()[program.functions()[function].owner].methods;
  return std::any_of(methods.begin(), methods.end(), [&](program::FunctionId method) {
    return method != function && synchronizes(*program.functions()[method].node);
  });
}

}  // namespace

bool HandleChecker::attribute_is_read(std::string_view name) {
  const auto [place, is_new] = attribute_reads_.try_emplace(name, false);
  if (!is_new) return place->second;
  if (attribute_reads_.size() > kMaxAttributeNames) return place->second = true;
  const std::string wanted = "." + std::string(name);
  for (const program::Module& module : program_.modules()) {
    const std::string_view bytes = module.facts->source().bytes();
    for (std::size_t at = bytes.find(wanted); at != std::string_view::npos; at = bytes.find(wanted, at + 1)) {
      std::size_t after = at + wanted.size();
      const auto is_word = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      };
      if (after < bytes.size() && is_word(bytes[after])) continue;
      while (after < bytes.size() && bytes[after] == ' ') ++after;
      const bool stored = after + 1 < bytes.size() && bytes[after] == '=' && bytes[after + 1] != '=';
      if (!stored) return place->second = true;
    }
  }
  return false;
}

void HandleChecker::check(program::FunctionId function, const std::vector<TraceEvent>& events,
                          std::vector<RawHandle>& found) {
  const program::Function& row = program_.functions()[function];
  const SourceText& source = program_.module_of(function).facts->source();
  Seq<Stmt> body;
  if (const FunctionDef* def = row.def()) body = def->body;
  if (const auto* module = as<python::Module>(row.node)) body = module->body;
  std::size_t checked = 0;
  for (const TraceEvent& event : events) {
    Issued issued;
    if (!event.is_async || ++checked > kMaxHandlesInFunction || !find_statement(body, event.call, false, issued) ||
        issued.coalesced)
      continue;
    RawHandle raw;
    raw.event = event;
    const Expr* buffer = nullptr;
    const int position = event.model->buffer;
    if (position >= 0 && static_cast<std::size_t>(position) < event.call->arguments.size())
      buffer = event.call->arguments[position];
    const std::string_view buffer_path = buffer == nullptr ? std::string_view{} : path_text(*buffer, source);
    raw.buffer = std::string(buffer_path);
    const bool reads_matter = event.model->operation != "isend";
    std::string_view handle;
    const auto* expression = as<ExprStmt>(issued.statement);
    const auto* assign = as<Assign>(issued.statement);
    if (expression != nullptr && expression->value == event.call) {
      raw.dropped = true;
    } else if (assign != nullptr && assign->value == event.call && assign->targets.size() == 1) {
      const Expr* target = assign->targets[0];
      if (const auto* name = as<Name>(target)) {
        handle = name->id;
        raw.dropped = handle == "_";
        const bool never = only_tested(*row.node, handle);
        if (!never && !raw.dropped) {
          if (buffer_path.empty()) continue;
          raw.touched_at = touched_before_wait(issued, handle, buffer_path, reads_matter, source);
          if (raw.touched_at != nullptr) found.push_back(std::move(raw));
          continue;
        }
      } else if (const auto* attribute = as<Attribute>(target)) {
        if (attribute_is_read(attribute->name.text)) continue;
      } else {
        continue;
      }
    } else {
      continue;
    }
    // Nobody waits: waiting for the whole device does as well, unless the buffer is used before.
    if (!buffer_path.empty()) raw.touched_at = touched_before_wait(issued, handle, buffer_path, reads_matter, source);
    if (raw.touched_at == nullptr &&
        (synchronizes(*row.node, event.call->span.end) || class_synchronizes(program_, function)))
      continue;
    found.push_back(std::move(raw));
  }
}

}  // namespace lockstep::mesh
