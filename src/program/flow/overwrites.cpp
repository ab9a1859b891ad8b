// Attributes read right after a call that surely overwrites them: `c.change(g); c.fn()` calls g and nothing that `fn`
// held before. Each such read asks what the call leaves there. As long as every function that is called says what it
// stores, the read sees those values alone; once one does not, it reads the attribute as any other read does.
//
// Sound because reader and writer name the same object: the variable is passed to the call (or read by the function
// that is called) and holds the same version when it is read. Who else holds the object does not matter, since nothing
// runs in between.
#include <algorithm>
#include <utility>

#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

/// Functions that hand the object on to functions that hand it on …, and questions altogether, for hostile input.
constexpr int kMaxNestedQuestions = 16;
constexpr std::size_t kMaxQuestions = 20'000;

}  // namespace

/// Of the code from `first_function` and `first_read` on: keeps the reads of names that some function surely
/// overwrites, and marks the calls before them.
void Solver::find_overwritten_names(std::uint32_t first_function, std::uint32_t first_read) {
  for (std::size_t f = first_function; f < code_.size(); ++f) {
    for (std::uint32_t i = 0; i < code_[f].exit_count; ++i) {
      const Exit& exit = exits_[code_[f].first_exit + i];
      for (std::uint32_t at = 0; at < exit.store_count; ++at) {
        overwritten_names_.add(sure_stores_[exit.first_store + at].name);
      }
    }
  }
  const auto is_idle = [&](const ReadAfterCall& each) { return !overwritten_names_.has(op_of(each.read).name); };
  const auto first = reads_after_calls_.begin() + first_read;
  reads_after_calls_.erase(std::remove_if(first, reads_after_calls_.end(), is_idle), reads_after_calls_.end());
  for (std::size_t i = first_read; i < reads_after_calls_.size(); ++i) {
    own_ops_[reads_after_calls_[i].call].flags = kAsksAfterwards;
  }
}

void Solver::ask_for_readers(OpId call) {
  const OpId base = base_op(call);
  const auto before = [](const ReadAfterCall& read, OpId wanted) { return read.call < wanted; };
  auto at = std::lower_bound(reads_after_calls_.begin(), reads_after_calls_.end(), base, before);
  for (; at != reads_after_calls_.end() && at->call == base; ++at) {
    const OpId read = call + (at->read - base);  // copies of a function's ops keep their order
    const Slot cell = at->cell == 0 ? 0 : slot_in(frame_of_op(call), at->cell);
    const QuestionId id = ask(call, op_of(read).a, cell, op_of(read).name);
    alterable(read).c = id == kNone || questions_[id].is_open ? 0 : questions_[id].value;
    if (id != kNone) questions_[id].readers.push_back(read);
  }
}

/// The question with these words; kNone where there are too many already.
Solver::QuestionId Solver::ask(OpId call, Slot object, Slot cell, NameId name) {
  const std::uint64_t key = mix(pair_key(call, object)) ^ mix(pair_key(name, cell)) * 3;
  if (const std::uint32_t known = question_ids_.find(key | 1); known != kNone) return known;
  if (questions_.size() >= kMaxQuestions) return kNone;
  const auto id = static_cast<QuestionId>(questions_.size());
  question_ids_.at(key | 1) = id;
  Question& question = questions_.emplace_back();
  question.call = call;
  question.object = object;
  question.cell = cell;
  question.name = name;
  question.value = new_slot();
  std::uint32_t& first = first_questions_.at(std::uint64_t{call} + 1);
  question.next = first;
  first = id;
  if (call_of_op_[call] != kNone) {
    calls_[call_of_op_[call]].is_asked = true;
    ask_known_callees(id);
  }
  return id;
}

/// Answers for the functions that the call is known to reach already; others answer when they are found.
void Solver::ask_known_callees(QuestionId id) {
  const Op op = op_of(questions_[id].call);
  const CallRecordId record = call_of_op_[questions_[id].call];
  const auto consider = [&](ValueId callee, ValueId receiver) {
    const FrameId frame = links_.find(pair_key(record, callee));
    if (frame == kNone) return;
    if (values_[callee].kind != ValueKind::kFunction) return open(id);
    const std::uint32_t function = code_of_function_[values_[callee].a];
    answer(id, calls_[record], function, frame, receiver, receiver != kNone);
  };
  if (op.code == OpCode::kCall) {
    for (const ValueId callee : graph_.settled(op.a)) consider(callee, kNone);
    return;
  }
  for (const ValueId receiver : graph_.settled(op.a)) {
    if (values_[receiver].kind == ValueKind::kModule) continue;  // its functions come by op.b
    if (values_[receiver].kind != ValueKind::kInstance) return open(id);
    const Slot method = class_attribute(ClassId(std::size_t{values_[receiver].a}), op.name, ClassId{});
    if (method == 0) continue;
    for (const ValueId callee : graph_.settled(method)) {
      if (values_[callee].kind != ValueKind::kFunction) return open(id);
      consider(callee, receiver);
    }
  }
  for (const ValueId callee : graph_.settled(op.b)) consider(callee, kNone);
}

/// The call says nothing, and so does every call that ends with it: readers read the attribute itself.
void Solver::open(QuestionId first) {
  std::vector<QuestionId> waiting{first};
  while (!waiting.empty()) {
    const QuestionId id = waiting.back();
    waiting.pop_back();
    if (std::exchange(questions_[id].is_open, true)) continue;
    let_readers_read(id);
    waiting.insert(waiting.end(), questions_[id].asked_for.begin(), questions_[id].asked_for.end());
  }
}

void Solver::let_readers_read(QuestionId id) {
  const NameId name = questions_[id].name;
  for (std::size_t i = 0; i < questions_[id].readers.size(); ++i) {
    const OpId read = questions_[id].readers[i];
    alterable(read).c = 0;
    const Op op = op_of(read);
    const bool is_method = op.code == OpCode::kMethodCall;
    if (is_method && call_of_op_[read] == kNone) continue;  // not instantiated yet
    const Sink sink{read, is_method ? op.b : op.dst, is_method ? call_of_op_[read] : kNone};
    for (const ValueId value : graph_.settled(op.a)) {
      if (is_plain_field(value, name)) load(value, name, sink);
    }
  }
}

void Solver::open_all(OpId call) {
  for (QuestionId id = first_questions_.find(std::uint64_t{call} + 1); id != kNone; id = questions_[id].next) open(id);
}

/// Questions about calls that reach nothing known.
void Solver::open_unanswered() {
  for (QuestionId id = 0; id < questions_.size(); ++id) {
    if (!questions_[id].is_answered) open(id);
  }
}

/// Call `id` turned out to run `function`.
void Solver::answer_all(CallRecordId id, std::uint32_t function, FrameId frame, ValueId receiver, bool is_method) {
  const CallRecord call = calls_[id];
  for (QuestionId at = first_questions_.find(std::uint64_t{call.op} + 1); at != kNone; at = questions_[at].next) {
    answer(at, call, function, frame, receiver, is_method);
  }
}

void Solver::answer(QuestionId id, const CallRecord& call, std::uint32_t function, FrameId frame, ValueId receiver,
                    bool is_method) {
  if (questions_[id].is_open) return;
  questions_[id].is_answered = true;
  const FunctionCode& code = code_[function];
  if (code.exit_count == 0 || (receiver != kNone && !is_method)) return open(id);
  const KnownAs object = known_as(questions_[id], call, function, receiver);
  if (object.is_ambiguous || nested_questions_ >= kMaxNestedQuestions) return open(id);
  ++nested_questions_;
  for (std::uint32_t i = 0; i < code.exit_count && !questions_[id].is_open; ++i) {
    if (!answer_exit(id, exits_[code.first_exit + i], object, call, function, frame, receiver)) open(id);
  }
  --nested_questions_;
}

Solver::KnownAs Solver::known_as(const Question& question, const CallRecord& call, std::uint32_t function,
                                 ValueId receiver) const {
  const FunctionCode& code = code_[function];
  KnownAs known;
  known.cell = question.cell;
  const auto is_parameter = [&](std::uint32_t parameter) {
    known.is_ambiguous = known.is_ambiguous || known.parameter != kNone;
    known.parameter = parameter;
  };
  const Op& op = op_of(call.op);
  const std::uint32_t count = positional_count(code);
  const auto is_object = [&](Slot slot) { return slot != 0 && (slot == question.object || slot == question.cell); };
  if (receiver != kNone && is_object(op.a) && count > 0) is_parameter(0);
  std::uint32_t position = receiver != kNone ? 1 : 0;
  for (const Argument& argument : arguments_of(call)) {
    if (argument.name == Argument::kStar || argument.name == Argument::kDoubleStar) {
      known.is_ambiguous = true;
    } else if (argument.name == Argument::kPositional) {
      if (is_object(argument.slot) && position < count) is_parameter(position);
      ++position;
    } else if (is_object(argument.slot)) {
      const auto& names = code.parameter_names;
      const auto found = std::find(names.begin(), names.end(), argument.name);
      if (found != names.end()) is_parameter(static_cast<std::uint32_t>(found - names.begin()));
    }
  }
  return known;
}

/// Adds what `function` stores when it returns by `exit`; false if that is not known.
bool Solver::answer_exit(QuestionId id, const Exit& exit, const KnownAs& object, const CallRecord& call,
                         std::uint32_t function, FrameId frame, ValueId receiver) {
  const NameId name = questions_[id].name;
  const Slot stored = questions_[id].value;
  for (std::uint32_t i = exit.store_count; i-- > 0;) {
    const SureStore store = sure_stores_[exit.first_store + i];
    if (store.name != name) {
      if (setter_names_.has(store.name)) return false;  // storing there runs code
      continue;
    }
    const bool is_parameter = store.object >= SureStore::kParameter;
    const bool is_same = is_parameter ? store.object - SureStore::kParameter == object.parameter
                                      : object.cell != 0 && slot_in(frame, store.object) == object.cell;
    if (!is_same) return false;
    const Slot value = store.value >= SureStore::kParameter
                           ? given(call, function, frame, store.value - SureStore::kParameter, receiver)
                           : slot_in(frame, store.value);
    graph_.add_edge(value, stored);
    return true;
  }
  if (exit.last_call == kNone || exit.store_count > 0) return false;
  const Slot version = object.parameter == kNone ? 0 : version_of_parameter(function, object.parameter);
  const QuestionId inner =
      ask(op_in(frame, exit.last_call), version == 0 ? 0 : slot_in(frame, version), object.cell, name);
  if (inner == kNone || questions_[inner].is_open) return false;
  if (inner == id) return true;
  graph_.add_edge(questions_[inner].value, stored);
  questions_[inner].asked_for.push_back(id);
  return true;
}

/// What the call passes for a parameter: the argument itself, which other callers do not share.
Slot Solver::given(const CallRecord& call, std::uint32_t function, FrameId frame, std::uint32_t parameter,
                   ValueId receiver) const {
  const FunctionCode& code = code_[function];
  std::uint32_t position = receiver != kNone ? 1 : 0;
  for (const Argument& argument : arguments_of(call)) {
    const bool is_positional = argument.name == Argument::kPositional;
    if (is_positional && position == parameter && parameter < positional_count(code)) return argument.slot;
    if (argument.name == code.parameter_names[parameter]) return argument.slot;
    position += is_positional ? 1 : 0;
  }
  const auto is_it = [&](const auto& each) { return each.first == parameter; };
  const auto found = std::find_if(code.defaults.begin(), code.defaults.end(), is_it);
  const bool is_receiver = receiver != kNone && parameter == 0;
  const bool is_default = found != code.defaults.end() && !is_receiver;
  return slot_in(frame, is_default ? found->second : code.first_slot + parameter);
}

/// The slot that the function's body reads a parameter from: behind the filter of its annotation, if it has one.
Slot Solver::version_of_parameter(std::uint32_t function, std::uint32_t parameter) const {
  const FunctionCode& code = code_[function];
  const Slot raw = code.first_slot + parameter;
  for (OpId id = code.first_op; id < code.end_op; ++id) {
    const Op& op = op_of(id);
    if (op.code == OpCode::kDeclared && op.a == raw) return op.dst;
    if (op.code != OpCode::kDeclared && op.code != OpCode::kMake) break;
  }
  return raw;
}

/// The copy of base op `op` that runs in `frame`.
OpId Solver::op_in(FrameId frame, OpId op) const {
  for (; frame != 0; frame = frames_[frame].parent) {
    const FrameInfo& info = frames_[frame];
    const FunctionCode& code = code_[info.function];
    if (op >= code.first_op && op < code.end_op) return info.op_at + (op - code.first_op);
  }
  return op;
}

}  // namespace lockstep::program::flow
