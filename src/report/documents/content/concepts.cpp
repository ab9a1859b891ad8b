#include "report/documents/content/concepts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

struct Concept {
  std::string_view name;
  std::vector<std::string_view> words;  ///< Any of them in the code of a changed step.
  std::string_view text;
};

constexpr std::string_view kCollectives = "Collectives and order";
constexpr std::string_view kGenerators = "Generators";
constexpr std::string_view kDTensor = "DTensor";
constexpr std::string_view kContextManagers = "Dispatch by context manager";
constexpr std::string_view kRecomputation = "Activation recomputation";

// Sources: documentation of PyTorch 2.x (CUDA semantics, autograd, distributed) and of Python 3.
const std::vector<Concept>& concepts() {
  static const std::vector<Concept> kConcepts = {
      {"CUDA graphs",
       {"CUDAGraph(", "cudagraph", "cuda_graph", "graph.replay"},
       "a CUDA graph records kernel launches once and replays them with fixed addresses and shapes. Host code inside "
       "the recorded region runs only while recording, so every value that it reads is frozen into the graph."},
      {"CUDA events",
       {"torch.cuda.Event", "_event.record", "event.record(", "event.synchronize(", "wait_event("},
       "an event marks a point in a stream. `record()` queues the mark; `synchronize()` makes the host wait for it, "
       "`wait_event()` only another stream. Work queued after the mark is not waited for."},
      {"CUDA streams",
       {"torch.cuda.Stream(", "torch.cuda.stream(", "wait_stream(", "record_stream(", "current_stream("},
       "kernels of one stream run in order, those of two streams in any order unless one waits for the other. Memory "
       "that a second stream still uses must be kept alive (`record_stream`) or waited for."},
      {"Asynchronous collectives",
       {"async_op=True", "async_op = True"},
       "with `async_op=True` a collective returns a handle at once. Its buffers must be neither read nor written "
       "before `handle.wait()`."},
      {"Custom autograd functions",
       {"autograd.Function", "ctx.save_for_backward", "ctx.saved_tensors", "needs_input_grad"},
       "`forward` computes the result and saves what `backward` needs on `ctx`; `backward` returns one gradient per "
       "argument of `forward`, `None` for those without one."},
      {kCollectives,
       {},  // Where the mesh sees one.
       "a collective completes only when every rank of its group issues it, in the same order. Tensors need matching "
       "shapes, pickled objects do not. A rank that skips one leaves the others waiting."},
      {"Point-to-point communication",
       {"isend(", "irecv(", "batch_isend_irecv", "dist.send(", "dist.recv(", "distributed.send(", "distributed.recv("},
       "each send needs its matching receive on the other rank. Issued in unlike orders on two ranks, blocking ones "
       "wait for each other for ever."},
      {"RNG trackers",
       {"get_cuda_rng_tracker", "rng_tracker", "rng_state"},
       "ranks that hold shards of one tensor need different random numbers in some places and equal ones in others; a "
       "tracker keeps one generator state per region and swaps it in with `fork()`."},
      {"Hooks",
       {"register_hook(", "register_forward_hook(", "register_forward_pre_hook(", "register_full_backward_hook(",
        "register_post_accumulate_grad_hook(", "_backward_hook"},
       "a hook is called by autograd or the module later, not where it is registered. What it refers to stays alive as "
       "long as what it is registered on."},
      {kRecomputation,
       {},  // Where code of it is called or one of its settings is read: `recompute_ids` is any name.
       "the forward pass of the region runs a second time during backward instead of keeping its activations, so that "
       "it must be repeatable: same random numbers, no side effects."},
      {kDTensor,
       {},  // Where code of `torch.distributed.tensor` is named: others have classes of these names, too.
       "a DTensor is a tensor spread over a device mesh. Its placements say per mesh dimension whether it is sharded "
       "(`Shard(d)`), replicated or partial; changing them communicates."},
      {kContextManagers,
       {"@contextmanager", "@contextlib.contextmanager"},
       "the code before `yield` runs on entry, the code after it on exit."},
      {kGenerators,
       {"yield "},
       "a generator runs only as far as its caller asks for values, so its side effects come late, or never."},
      {"Weak references",
       {"weakref."},
       "a weak reference does not keep its object alive and reads as `None` afterwards."},
      {"Cached functions",
       {"lru_cache", "functools.cache", "@cache"},
       "the cache keeps arguments and results alive for as long as the function, and ignores changes in what the "
       "function reads otherwise."},
      {"Lazy attributes",
       {"hasattr(self"},
       "an attribute that code asks for with `hasattr` is not there on every object, or not at every time: who copies, "
       "pickles or derives cannot count on it."},
      {"Async I/O",
       {"await ", "asyncio."},
       "between two `await`s nothing else of the event loop runs; a blocking call inside a coroutine stops all of "
       "them."},
      {"Pinned memory",
       {"pin_memory", "non_blocking=True"},
       "a `non_blocking` copy overlaps only with page-locked host memory, and a copy to the host must be waited for "
       "before the data is read."},
  };
  return kConcepts;
}

/// Whether each call outside tests takes all values at once: in a `for`, in a comprehension, or in `list(…)` and its
/// like. Then nothing comes late.
bool is_taken_at_once(const program::Program& program, program::FunctionId generator) {
  static constexpr std::string_view kTakers[] = {"dict", "list", "max", "min", "set", "sorted", "sum", "tuple"};
  std::size_t taken = 0;
  for (const program::CallId id : program.callers_of(generator)) {
    const program::CallSite& site = program.calls()[id];
    const Node* body = program.functions()[site.caller].node;
    if (program::is_test_path(program.module_of(site.caller).path)) continue;
    if (body == nullptr) return false;
    bool is_taken = false;
    walk(*body, Nested::kEnter, [&](const Node* node) {
      if (const auto* loop = as<For>(node)) is_taken = is_taken || loop->iterable == site.node;
      if (const auto* part = as<Comprehension>(node)) is_taken = is_taken || part->iterable == site.node;
      const auto* call = as<Call>(node);
      const std::string_view name = call == nullptr ? std::string_view() : rules::name_of(call->callee);
      if (std::find(std::begin(kTakers), std::end(kTakers), name) == std::end(kTakers)) return;
      is_taken = is_taken || std::any_of(call->arguments.begin(), call->arguments.end(),
                                         [&](const Expr* one) { return one == site.node; });
    });
    if (!is_taken) return false;
    ++taken;
  }
  return taken > 0;
}

/// Whether the code below `node`, within `part` of it, runs a region under activation recomputation or reads a setting
/// of it: a call of a function that checkpoints, `config.recompute_…`, `config.activation_checkpoint`.
bool recomputes(const Node& node, Span part) {
  constexpr std::string_view kCalls[] = {"checkpoint",         "checkpoint_sequential",
                                         "checkpoint_wrapper", "CheckpointWithoutOutput",
                                         "CheckpointFunction", "apply_activation_checkpointing"};
  constexpr std::string_view kHolders[] = {"config", "cfg", "args"};
  bool found = false;
  const auto look = [&](const Node* one) {
    if (found || !part.contains(one->span)) return;
    if (const auto* call = as<Call>(one))
      found = std::find(std::begin(kCalls), std::end(kCalls), rules::last_part_of(call->callee)) != std::end(kCalls);
    const auto* member = as<Attribute>(one);
    if (found || member == nullptr) return;
    const std::string_view holder = rules::last_part_of(member->value);
    const bool is_setting = std::any_of(std::begin(kHolders), std::end(kHolders),
                                        [&](std::string_view end) { return holder.ends_with(end); });
    found = is_setting &&
            (member->name.text.starts_with("recompute") || member->name.text.starts_with("activation_checkpoint"));
  };
  look(&node);
  walk(node, Nested::kSkip, look);
  return found;
}

/// Whether the code below `node`, within `part` of it, names what PyTorch's DTensors are made with.
bool names_dtensor(const program::Program& program, program::FunctionId function, const Node& node, Span part) {
  static constexpr std::string_view kNames[] = {
      "DTensor", "Shard", "Replicate", "Partial", "distribute_tensor", "distribute_module"};
  bool found = false;
  const auto look = [&](const Node* one) {
    if (found || !part.contains(one->span) || (!is<Name>(one) && !is<Attribute>(one))) return;
    const auto* named = static_cast<const Expr*>(one);
    const std::string_view last = rules::last_part_of(named);
    if (std::find(std::begin(kNames), std::end(kNames), last) == std::end(kNames)) return;
    const program::Reference is = program.resolve(function, *named);
    found = is.kind == program::Reference::Kind::kExternal &&
            (is.name.starts_with("torch.distributed.tensor") || is.name.starts_with("torch.distributed._tensor"));
  };
  look(&node);
  walk(node, Nested::kSkip, look);
  return found;
}

/// What happens to the code behind `yield` of a context manager where the block raises; empty where that is not plain.
std::string on_exception(const Node* function) {
  const auto* def = as<FunctionDef>(function);
  if (def == nullptr) return {};
  std::size_t yields = 0;
  std::size_t guarded = 0;
  bool is_caught = false;
  const auto count = [](const auto& body, std::size_t& sum) {
    for (const Stmt* statement : body) {
      const auto look = [&](const Node* node) { sum += is<Yield>(node) ? 1 : 0; };
      look(statement);
      walk(*statement, Nested::kSkip, look);
    }
  };
  count(def->body, yields);
  walk_of<Try>(*def, Nested::kSkip, [&](const Try* one) {
    std::size_t inside = 0;
    count(one->body, inside);
    if (inside == 0) return;
    is_caught = is_caught || !one->handlers.empty();
    guarded += one->finally_body.empty() ? 0 : inside;
  });
  bool is_with = false;
  walk_of<With>(*def, Nested::kSkip, [&](const With* one) {
    std::size_t inside = 0;
    count(one->body, inside);
    is_with = is_with || inside > 0;
  });
  if (yields != 1 || is_caught || is_with) return {};
  if (guarded > 0) return " It stands in `finally`, which runs on an exception, too.";
  // Nothing is skipped behind a last statement.
  std::size_t last = 0;
  if (!def->body.empty()) {
    const auto look = [&](const Node* node) { last += is<Yield>(node) ? 1 : 0; };
    look(def->body.back());
    walk(*def->body.back(), Nested::kSkip, look);
  }
  return last > 0 ? "" : " No `try`/`finally` is around it, so an exception in the block skips the latter.";
}

struct Spot {
  bool communicates = false;
  bool recomputes = false;
  bool names_dtensor = false;
  std::string text;
  std::string path;
  std::uint32_t line = 0;
  program::FunctionId function;
};

/// Whether the step issues a collective; what two peers exchange concerns no other rank of the group.
bool communicates(const DocumentInputs& inputs, const Actor& actor, const Step& step) {
  if (inputs.after_mesh == nullptr || !actor.change->after->function.valid()) return false;
  const auto sites = inputs.after_mesh->collectives_of(actor.change->after->function);
  return std::any_of(sites.begin(), sites.end(), [&](const mesh::CollectiveSite& site) {
    return site.call != nullptr && !site.is_point_to_point && step.span.contains(site.call->span);
  });
}

/// The word, not as the end of a longer name: `save_checkpoint(` is no `checkpoint(`.
bool names_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (at == 0 || !is_name_char(word.front()) || !is_name_char(text[at - 1])) return true;
  }
  return false;
}

/// Text of new and changed steps (and of new decorators and bases) of the central entities, with places.
std::vector<Spot> spots_of(const DocumentInputs& inputs, const Story& story) {
  std::vector<Spot> out;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (!actor.change->after || actor.steps.after_source == nullptr) continue;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept) continue;
      out.push_back({communicates(inputs, actor, step), recomputes(*step.node, step.span),
                     actor.change->after->function.valid() &&
                         names_dtensor(*inputs.after, actor.change->after->function, *step.node, step.span),
                     without_prose(one_line(*actor.steps.after_source, step.span, 1000)), actor.change->after->path,
                     step.first_line, actor.change->after->function});
    }
    const auto* def = as<FunctionDef>(actor.change->after->node);
    if (def != nullptr && actor.is_added()) {
      for (const Expr* decorator : def->decorators) {
        out.push_back({false, false, false, "@" + one_line(*actor.steps.after_source, *decorator, 200),
                       actor.change->after->path, actor.steps.after_source->line_of(decorator->span.begin),
                       actor.change->after->function});
      }
    }
  }
  return out;
}

/// Whether a method of this name would be called on the same object, or class: `x.optimizer.step()` in `step` is no
/// recursion, whatever the class of `x.optimizer` is.
bool is_on_itself(const Call& call) {
  const auto* attribute = as<Attribute>(call.callee);
  const auto* object = attribute == nullptr ? nullptr : as<Name>(attribute->value);
  return attribute == nullptr || (object != nullptr && (object->id == "self" || object->id == "cls"));
}

/// The call by which the function calls itself; null for none.
const Call* call_of_itself(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.change->after || !actor.change->after->function.valid() || !actor.is_function()) return nullptr;
  const program::FunctionId self = actor.change->after->function;
  const auto& calls = inputs.after->functions()[self].calls;
  const auto found = std::find_if(calls.begin(), calls.end(), [&](program::CallId call) {
    const auto* node = as<Call>(inputs.after->calls()[call].node);
    const auto callees = callees_of(*inputs.after, inputs.after->calls()[call].node);
    // `orig(x)` of what a table kept is another function, whatever the table was filled with later.
    return node != nullptr && is_on_itself(*node) && callees.size() == 1 && callees.front() == self &&
           callee_name(*node) == inputs.after->functions()[self].name;
  });
  return found == calls.end() ? nullptr : as<Call>(inputs.after->calls()[*found].node);
}

/// How it ends, by what stands around the call of itself: "it ends where …"; empty where nothing of the code does.
std::string end_of_recursion(const Actor& actor, const Call& call) {
  const Node& function = *actor.change->after->node;
  bool is_in_branch = false;
  bool is_in_loop = false;
  const Return* before = nullptr;
  walk(function, Nested::kSkip, [&](const Node* node) {
    const auto* branch = as<If>(node);
    const auto* loop = as<For>(node);
    if (branch != nullptr && branch->span.contains(call.span) && !branch->condition->span.contains(call.span))
      is_in_branch = true;
    if (is<IfExp>(node) && node->span.contains(call.span)) is_in_branch = true;
    if (loop != nullptr && loop->span.contains(call.span) && !loop->iterable->span.contains(call.span))
      is_in_loop = true;
    const auto* leaves = as<Return>(node);
    const bool holds_call = leaves != nullptr && leaves->span.contains(call.span);
    if (leaves != nullptr && !holds_call && before == nullptr && leaves->span.begin < call.span.begin) before = leaves;
  });
  if (is_in_branch) return "it ends where its arguments no longer take the branch that does";
  std::vector<std::string> ends;
  if (before != nullptr)
    ends.push_back(
        fmt::format("it returns before that ({})",
                    place(actor.change->after->path, actor.steps.after_source->line_of(before->span.begin))));
  if (is_in_loop) ends.emplace_back("the loop around that has nothing to go over");
  return ends.empty() ? std::string() : "it ends where " + join(ends, ", or where ");
}

}  // namespace

std::vector<std::string> concept_notes(const DocumentInputs& inputs, const Story& story, std::size_t limit) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < story.central.size() && out.size() < limit; ++i) {
    const Call* call = call_of_itself(inputs, story.actor(i));
    if (call == nullptr) continue;
    const std::string end = end_of_recursion(story.actor(i), *call);
    out.push_back(fmt::format("{} ({}): {} calls itself{}{}.", strong("Recursion"),
                              place_of(inputs, *story.actor(i).change),
                              code(short_name(inputs, *story.actor(i).change)), end.empty() ? "" : "; ", end));
  }
  const std::vector<Spot> spots = spots_of(inputs, story);
  for (const Concept& one : concepts()) {
    if (out.size() >= limit) break;
    const auto spot = std::find_if(spots.begin(), spots.end(), [&](const Spot& s) {
      if (one.name == kCollectives) return s.communicates;
      if (one.name == kRecomputation) return s.recomputes;
      if (one.name == kDTensor) return s.names_dtensor;
      if (one.name == kGenerators && s.function.valid() && is_taken_at_once(*inputs.after, s.function)) return false;
      return std::any_of(one.words.begin(), one.words.end(),
                         [&](std::string_view word) { return names_word(s.text, word); });
    });
    if (spot == spots.end()) continue;
    out.push_back(fmt::format("{} ({}): {}{}", strong(one.name), place(spot->path, spot->line),
                              from_backquotes(one.text),
                              one.name == kContextManagers && spot->text.starts_with("@") && spot->function.valid()
                                  ? from_backquotes(on_exception(inputs.after->functions()[spot->function].node))
                                  : std::string()));
  }
  return out;
}

namespace {

class Insights {
 public:
  Insights(const DocumentInputs& inputs, const Story& story, std::size_t limit)
      : inputs_(inputs), story_(story), limit_(limit) {}

  std::vector<std::string> run() {
    for (std::size_t i = 0; i < story_.central.size(); ++i) {
      const Actor& actor = story_.actor(i);
      if (!actor.change->after || actor.steps.after_source == nullptr) continue;
      about_function(actor);
      for (std::size_t s = 0; s < actor.steps.after.size(); ++s) about_step(actor, s);
      repeated_code(actor);
    }
    return std::move(out_);
  }

 private:
  void add(std::string kind, std::string text) {
    if (out_.size() < limit_ && seen_.insert(kind).second) out_.push_back(std::move(text));
  }

  std::string at(const Actor& actor, std::uint32_t line) const { return place(actor.change->after->path, line); }

  void about_function(const Actor& actor) {
    const auto* def = as<FunctionDef>(actor.change->after->node);
    if (def == nullptr) return;
    const SourceText& source = *actor.steps.after_source;
    const std::uint32_t lines = actor.change->after->last_line - actor.change->after->first_line + 1;
    int deepest = 0;
    for (const Step& step : actor.steps.after) deepest = std::max(deepest, step.depth);
    // A kernel is compiled as one.
    constexpr int kDeep = 3;
    const bool is_long = lines > 150 || (lines > 80 && deepest >= kDeep);
    if (actor.is_added() && is_long && !is_kernel(*def)) {
      add("long", fmt::format("{} is {} lines long with up to {} of nesting; parts of it could stand, and be tested, "
                              "on their own.",
                              code(short_name(inputs_, *actor.change)), lines, count_of(deepest, "level")));
    }
    for (const Parameter* parameter : def->parameters->all) {
      const Expr* value = parameter->default_value;
      const std::uint32_t line = source.line_of(parameter->span.begin);
      if (!actor.is_added() && !inputs_.change->touches_after(actor.change->after->path, line)) continue;
      if (value != nullptr && (is<python::List>(value) || is<Dict>(value) || is<Set>(value))) {
        add("mutable", fmt::format("{} has the mutable default {} ({}): all calls share one object.",
                                   code(parameter->name.text), code(one_line(source, *value, 30)), at(actor, line)));
      }
    }
  }

  void about_step(const Actor& actor, std::size_t index) {
    const Step& step = actor.steps.after[index];
    if (step.status == StepStatus::kKept) return;
    const SourceText& source = *actor.steps.after_source;
    if (step.kind == StepKind::kExcept) {
      const auto* handler = as<ExceptHandler>(step.node);
      const std::string type = handler->type == nullptr ? "" : one_line(source, *handler->type, 40);
      const bool goes_on = handler->body.empty() || !is<Raise>(handler->body.back());
      // A function that comes to no collective leaves none out.
      const program::FunctionId function = actor.change->after->function;
      const bool may_matter =
          inputs_.after_mesh == nullptr || !function.valid() || inputs_.after_mesh->may_communicate(function);
      if (goes_on && may_matter && (type.empty() || type == "Exception" || type == "BaseException")) {
        add("except", fmt::format("{} catches {} ({}): on a rank where it does, later collectives may be skipped or "
                                  "run in another order.",
                                  code(one_line(source, step.span, 40)),
                                  type.empty() ? "everything" : "nearly everything", at(actor, step.first_line)));
      }
    }
    about_notes(actor, step);
    if (step.depth >= 4 && step.kind == StepKind::kIf) {
      add("deep",
          fmt::format("{} levels of nesting at {}; {} would flatten it.", step.depth + 1, at(actor, step.first_line),
                      stands_in_loop(actor, step) ? "a function of its own" : "early returns"));
    }
  }

  /// Whether a return at the step would end a loop, or leave a `with` early.
  static bool stands_in_loop(const Actor& actor, const Step& step) {
    for (std::size_t at = step.parent; at != Step::kNone; at = actor.steps.after[at].parent) {
      const StepKind kind = actor.steps.after[at].kind;
      if (kind == StepKind::kFor || kind == StepKind::kWhile || kind == StepKind::kWith) return true;
    }
    return false;
  }

  /// "TODO: …" among the comment lines above a step or beside it, where the change wrote it.
  void about_notes(const Actor& actor, const Step& step) {
    const SourceText& source = *actor.steps.after_source;
    std::uint32_t line = step.first_line;
    while (line > 0 && trim(source.line(line - 1)).starts_with("#")) --line;
    for (; line <= step.first_line; ++line) {
      const std::string comment = trailing_comment(source, line);
      const std::string lower = to_lower(comment);
      std::size_t found = std::string::npos;
      for (const std::string_view word : {"todo", "fixme", "hack:"}) found = std::min(found, lower.find(word));
      if (found == std::string::npos || !inputs_.change->touches_after(actor.change->after->path, line)) continue;
      std::string note = comment.substr(found);
      for (std::uint32_t next = line + 1; next < step.first_line && note.size() < 200; ++next)
        note += " " + trailing_comment(source, next);
      add("todo", fmt::format("The change leaves a note to come back to ({}): \u201c{}\u201d", at(actor, line),
                              from_backquotes(first_sentence(note, 160))));
    }
  }

  /// The same run of four or more new steps twice in one function.
  void repeated_code(const Actor& actor) {
    constexpr std::size_t kRun = 4;
    const auto& steps = actor.steps.after;
    std::vector<std::pair<std::vector<std::uint64_t>, std::size_t>> first;
    for (std::size_t i = 0; i + kRun <= steps.size(); ++i) {
      std::vector<std::uint64_t> run;
      bool fresh = true;
      for (std::size_t j = i; j < i + kRun; ++j) {
        fresh = fresh && steps[j].status != StepStatus::kKept;
        run.push_back(steps[j].fingerprint);
      }
      if (!fresh) continue;
      const auto known = std::find_if(first.begin(), first.end(),
                                      [&](const auto& one) { return one.first == run && one.second + kRun <= i; });
      if (known != first.end()) {
        add("repeat", fmt::format("The steps at {} and {} are the same; a helper would keep them in step.",
                                  at(actor, steps[known->second].first_line), at(actor, steps[i].first_line)));
        return;
      }
      if (first.size() < 500) first.emplace_back(std::move(run), i);
    }
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  std::size_t limit_;
  std::vector<std::string> out_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> insight_notes(const DocumentInputs& inputs, const Story& story, std::size_t limit) {
  return Insights(inputs, story, limit).run();
}

}  // namespace lockstep::report
