#include "report/document_parts.h"
#include "rules/expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "report/document_excerpt.h"
#include "report/document_files.h"
#include "report/variable_readers.h"

namespace lockstep::report {

using change::FileCategory;
using change::FileSummary;

namespace {

std::string author_name(std::string_view author) {
  const std::size_t mail = author.find(" <");
  return std::string(author.substr(0, mail));
}

/// The folder of a path, at most three levels.
std::string folder_of(std::string_view path) {
  std::size_t end = std::string_view::npos;
  std::size_t at = 0;
  for (int level = 0; level < 4; ++level) {
    const std::size_t slash = path.find('/', at);
    if (slash == std::string_view::npos) break;
    end = slash;
    at = slash + 1;
  }
  return end == std::string_view::npos ? "the root folder" : std::string(path.substr(0, end));
}

std::string frame_name(const program::Program& program, program::FunctionId function) {
  const auto& f = program.functions()[function];
  if (f.kind == program::FunctionKind::kModuleBody) return place(program.module_of(function).path);
  if (f.kind == program::FunctionKind::kLambda) return fmt::format("a lambda ({})", place_of(program, function));
  return fmt::format("{} ({})", code(short_name(program, function)), place_of(program, function));
}

/// " → ", with what the frame before does where it calls the next one only later, or has it called.
std::string arrow_after(const PathFrame& frame) {
  switch (frame.handing) {
    case Handing::kRegisters:
      return " \u2192 registers ";
    case Handing::kHandsOn:
      return " \u2192 hands on ";
    case Handing::kNone:
      break;
  }
  return " \u2192 ";
}

/// Of the conditions around a frame's call, those under which every call that leads from it to `callee` stands.
std::vector<Guard> guards_of_all(const program::Program& program, const PathFrame& frame, program::FunctionId callee) {
  std::vector<Guard> sure = frame.guards;
  const python::Node* body = program.functions()[frame.function].node;
  for (const program::CallId id : program.functions()[frame.function].calls) {
    const program::CallSite& site = program.calls()[id];
    const bool leads_on = std::any_of(site.targets.begin(), site.targets.end(),
                                      [&](const program::CallTarget& target) { return target.function == callee; });
    if (!leads_on || body == nullptr || site.node == frame.call) continue;
    const std::vector<Guard> own = guards_of(*body, site.node->span);
    std::erase_if(sure, [&](const Guard& guard) {
      return std::none_of(own.begin(), own.end(), [&](const Guard& other) {
        return other.statement == guard.statement && other.negated == guard.negated;
      });
    });
  }
  return sure;
}

}  // namespace

std::string title_text(const DocumentInputs& inputs, const OwnWords& words) {
  const std::string number = words.number.empty() ? std::string() : " (" + reference(words.number) + ")";
  if (!words.title.empty()) return words.title + number;
  if (inputs.before_name.empty() && inputs.after_name.empty()) return "Changes" + number;
  return fmt::format("{} \u2192 {}{}", plain(inputs.before_name), plain(inputs.after_name), number);
}

std::string scope_text(const DocumentInputs& inputs) {
  std::size_t added = 0;
  std::size_t removed = 0;
  // Folders of code before those of tests, each by lines.
  std::map<std::string, std::pair<bool, std::size_t>> folders;
  for (const FileSummary& file : inputs.change->files) {
    added += file.lines_added;
    removed += file.lines_removed;
    auto& [holds_code, lines] = folders[folder_of(file.file->path())];
    holds_code = holds_code || file.category != FileCategory::kTest;
    lines += file.lines_added + file.lines_removed;
  }
  std::vector<std::pair<std::pair<bool, std::size_t>, std::string>> ranked;
  for (const auto& [folder, rank] : folders) ranked.emplace_back(rank, folder);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> named;
  for (const auto& [rank, folder] : ranked) {
    if (named.size() == 3) break;
    named.push_back(folder == "the root folder" ? folder : code(folder + "/"));
  }
  std::string where = join_words(named);
  if (ranked.size() > named.size()) where += fmt::format(" and {} more", ranked.size() - named.size());
  std::string head;
  if (!inputs.after_commit.empty()) head = "Commit " + inputs.after_commit.substr(0, 10);
  if (!inputs.author.empty())
    head += fmt::format("{} {}", head.empty() ? "By" : " by", plain(author_name(inputs.author)));
  std::string files = fmt::format("{} (+{} \u2212{})", count_of(inputs.change->files.size(), "file"), added, removed);
  return fmt::format("{}{}{}.", head, head.empty() ? "" : ": ", where.empty() ? files : files + " in " + where);
}

void add_why(Document& document, const OwnWords& words) {
  for (const Saying& saying : words.sayings) {
    document.paragraph(fmt::format("In the words of {}{}:", saying.source, saying.is_cut ? " (shortened)" : ""));
    Quote quote;
    List list;
    for (const std::string& text : saying.paragraphs) {
      if (text.starts_with("\u2022 ")) {
        list.items.push_back({prose(text.substr(4)), {}, std::nullopt});
        continue;
      }
      if (!list.items.empty()) quote.blocks.push_back({std::exchange(list, {})});
      quote.blocks.push_back({Paragraph{prose(text)}});
    }
    if (!list.items.empty()) quote.blocks.push_back({std::move(list)});
    document.blocks.push_back({std::move(quote)});
  }
  if (!words.comments.empty()) {
    std::vector<std::string> items;
    for (const Saying& saying : words.comments)
      items.push_back(fmt::format("{}: \u201c{}\u201d", saying.source, saying.paragraphs.front()));
    const std::string none =
        words.title.empty()
            ? std::string("The change has no description: the reason for it is not recorded.")
            : fmt::format("Beyond its title, \u201c{}\u201d, the reason for the change is not recorded.", words.title);
    document.paragraph(words.sayings.empty() ? none + " Comments and docstrings give reasons for single steps:"
                                             : "Comments and docstrings that the change writes give reasons, too:");
    document.bullets(items);
  }
  if (words.says_why()) return;
  const std::string title = words.title.empty() ? std::string("The change has no description")
                                                : fmt::format("Beyond its title, \u201c{}\u201d", words.title);
  if (words.remarks.empty()) {
    document.paragraph(title + ", the reason is not recorded. What follows is what the code shows.");
    return;
  }
  document.paragraph(title + ", the reason is not recorded as such. Its comments and tests say:");
  std::vector<std::string> items;
  for (const Saying& saying : words.remarks)
    items.push_back(fmt::format("{}: \u201c{}\u201d", saying.source, saying.paragraphs.front()));
  document.bullets(items);
}

std::string why_in_short(const OwnWords& words) {
  const auto first = [](const Saying& saying) {
    std::string text = saying.paragraphs.front();
    if (text.starts_with("\u2022 ")) text = text.substr(4);
    const std::string reason = reason_in(with_backquotes(text));
    const std::size_t end = reason.find(". ");
    if (end == std::string::npos) return first_sentence(reason, 240);
    return first_sentence(reason.substr(0, end + 1), 160) + " " + first_sentence(reason.substr(end + 2), 120);
  };
  if (!words.sayings.empty())
    return fmt::format("From {}: \u201c{}\u201d", words.sayings.front().source,
                       own_words(first(words.sayings.front())));
  if (!words.comments.empty())
    return fmt::format("{} says: \u201c{}\u201d",
                       words.comments.front().source.starts_with("the docstring")
                           ? capitalised(words.comments.front().source)
                           : fmt::format("A comment that it adds ({})", words.comments.front().source),
                       own_words(first(words.comments.front())));
  return {};
}

namespace {

/// The frames with arrows between them; those that `is_folded` says of are counted, as calls, unless they hand a
/// function on: who calls that one is told in any case.
template <typename Folded>
std::string way_text(const program::Program& program, std::span<const PathFrame> frames, const Folded& is_folded) {
  std::string out;
  std::size_t folded = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool hands_on = frames[i].handing != Handing::kNone || (i > 0 && frames[i - 1].handing != Handing::kNone);
    if (is_folded(i) && !hands_on) {
      ++folded;
      continue;
    }
    if (folded > 0) out += fmt::format(" \u2192 \u2026 {} \u2026", count_of(folded, "call"));
    folded = 0;
    if (i > 0) out += arrow_after(frames[i - 1]);
    out += frame_name(program, frames[i].function);
  }
  return out;
}

}  // namespace

std::string path_text(const DocumentInputs& inputs, const EntryPath& path, std::size_t most) {
  if (path.frames.size() < 2) return {};
  const auto is_folded = [&](std::size_t i) {
    return path.frames.size() > most && i >= 2 && i + (most - 3) < path.frames.size();
  };
  return way_text(*inputs.after, path.frames, is_folded);
}

std::string path_conditions(const DocumentInputs& inputs, const EntryPath& path) {
  constexpr std::size_t kMostParts = 4;
  constexpr std::size_t kMostOfCall = 3;
  bool left_out = false;
  const auto words_of = [&](const PathFrame& frame, const std::vector<Guard>& guards) {
    const SourceText& source = source_of(*inputs.after, frame.function);
    std::string words = guards_words(guards, source, kMostOfCall);
    if (words.empty() || contains(words, "__main__")) return std::string();
    left_out = left_out || words != guards_words(guards, source, SIZE_MAX);
    const std::uint32_t line = source.line_of(frame.call->span.begin);
    return fmt::format("{} ({})", words, place(inputs.after->module_of(frame.function).path, line));
  };
  // What kind of thing a helper was given, its callers decide.
  const auto asks_for_type = [](const Guard& guard) {
    return guard.condition != nullptr && rules::calls_name(*guard.condition, "isinstance");
  };
  const auto sure_guards = [&](std::size_t i) {
    const PathFrame& frame = path.frames[i];
    if (frame.call == nullptr || i + 1 >= path.frames.size()) return std::vector<Guard>();
    std::vector<Guard> guards = guards_of_all(*inputs.after, frame, path.frames[i + 1].function);
    left_out = std::erase_if(guards, asks_for_type) > 0 || left_out;
    return guards;
  };
  std::vector<std::string> parts;
  std::vector<bool> told(path.frames.size(), false);
  for (std::size_t i = path.frames.size(); i-- > 0 && i + 4 > path.frames.size();) {
    std::string words = words_of(path.frames[i], sure_guards(i));
    told[i] = true;
    if (!words.empty()) parts.insert(parts.begin(), std::move(words));
  }
  // Farther away only settings matter, those that are off by default before others: who leaves them never gets here.
  std::vector<std::pair<std::size_t, std::string>> settings;
  for (const bool wants_off : {true, false}) {
    for (std::size_t i = 0; i < path.frames.size(); ++i) {
      if (told[i] || (path.frames[i].off_by_default != nullptr) != wants_off) continue;
      std::vector<Guard> guards = sure_guards(i);
      std::erase_if(guards, [](const Guard& guard) {
        return guard.condition == nullptr || config_reads(*guard.condition).empty();
      });
      std::string words = words_of(path.frames[i], guards);
      if (words.empty()) continue;
      if (settings.size() + parts.size() < kMostParts) {
        settings.emplace_back(i, std::move(words));
      } else {
        left_out = true;
      }
    }
  }
  std::sort(settings.begin(), settings.end());
  std::vector<std::string> all;
  for (auto& [frame, words] : settings) all.push_back(std::move(words));
  for (std::string& words : parts) all.push_back(std::move(words));
  if (all.empty()) return {};
  return fmt::format("This way is taken when {}{}.", join(all, ", and when "),
                     left_out ? ", among other conditions" : "");
}

std::string path_defaults(const DocumentInputs& inputs, const EntryPath& path) {
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    const PathFrame& frame = path.frames[i];
    if (frame.off_by_default == nullptr || frame.call == nullptr) continue;
    const SourceText& source = source_of(*inputs.after, frame.function);
    std::vector<Guard> guards = guards_of_all(*inputs.after, frame, path.frames[i + 1].function);
    std::erase_if(guards, [&](const Guard& guard) { return guard.condition != frame.off_by_default; });
    const std::string words = guards_words(guards, source, 1);
    if (words.empty()) continue;
    return fmt::format("By default no run takes this way: it is taken when {} ({}).", words,
                       place(inputs.after->module_of(frame.function).path, source.line_of(frame.call->span.begin)));
  }
  return {};
}

std::string removed_text(const DocumentInputs& inputs, const change::EntityChange& entity) {
  if (!entity.before || !entity.before->function.valid()) return "It had no code of its own.";
  std::size_t callers = 0;
  std::size_t tests = 0;
  for (const program::CallId call : inputs.before->callers_of(entity.before->function)) {
    const bool test = program::is_test_path(inputs.before->module_of(inputs.before->calls()[call].caller).path);
    ++(test ? tests : callers);
  }
  if (callers + tests == 0) return "Before the change no call in the repository led to it, by the call graph.";
  if (callers == 0) return fmt::format("Before the change only tests called it ({}).", count_of(tests, "call site"));
  return fmt::format("Before the change it was called at {} outside tests.", count_of(callers, "place"));
}

namespace {

/// The words before a path: from what kind of entry it comes, and how sure it is.
std::string way_in(const DocumentInputs& inputs, const EntryPath& path, const std::string& name, bool is_certain) {
  if (path.is_definition) {
    const std::string maker = code(short_name(*inputs.after, path.frames[path.frames.size() - 2].function));
    return fmt::format(
        "{} is defined in {} and handed on; who calls it later, the call graph does not say. A run reaches the "
        "definition: ",
        name, maker);
  }
  const auto hands_on = [](Handing how) { return [how](const PathFrame& frame) { return frame.handing == how; }; };
  const bool registers = std::any_of(path.frames.begin(), path.frames.end(), hands_on(Handing::kRegisters));
  const bool hands = std::any_of(path.frames.begin(), path.frames.end(), hands_on(Handing::kHandsOn));
  if (path.by_name.empty() && path.kind == program::EntryKind::kScript && !path.is_helper && (registers || hands))
    return fmt::format("Runs can reach {} through a function that is {}: ", name,
                       registers ? "registered to be called later" : "handed on to be called elsewhere");
  if (path.by_name.empty() && !path.handed_on_in.empty()) {
    std::vector<std::string> names;
    for (const std::string& each : path.handed_on_in) names.push_back(code(each));
    return fmt::format("Runs may reach {} through a function that {} defines and hands on, to a hook say: ", name,
                       join_words(names));
  }
  if (!path.by_name.empty()) {
    std::vector<std::string> names;
    for (const std::string& each : path.by_name) names.push_back(code(each));
    return fmt::format("Runs may reach {}, taking calls of {} on values of unknown class to enter it: ", name,
                       join_words(names));
  }
  switch (path.kind) {
    case program::EntryKind::kScript:
      if (path.is_helper) return fmt::format("By the call graph only examples and tools lead to {}: ", name);
      return fmt::format("{} reach {}: ", is_certain ? "Runs" : "Runs can", name);
    case program::EntryKind::kPublicApi:
      return fmt::format("The call graph finds no script that leads to {}; its public way in is: ", name);
    case program::EntryKind::kTest:
      break;
  }
  return fmt::format("By the call graph only tests lead to {}: ", name);
}

/// Up to three functions that read the variable, with their places, and how many more; "" for what is no variable.
std::string known_readers(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  if (actor.change->kind != change::EntityKind::kVariable || !actor.change->after) return {};
  const program::ModuleId module = inputs.after->find_path(actor.change->after->path);
  if (!module.valid()) return {};
  const std::string& qualified = actor.change->after->qualified_name;
  const std::vector<program::FunctionId> readers =
      readers_of_variable(*inputs.after, module, std::string_view(qualified).substr(qualified.rfind('.') + 1));
  std::vector<std::string> names;
  for (const program::FunctionId reader : readers) {
    if (names.size() == kMost) break;
    const program::Module& home = inputs.after->module_of(reader);
    names.push_back(home.body == reader ? code(home.path)
                                        : fmt::format("{} ({})", code(short_name(*inputs.after, reader)),
                                                      place_of(*inputs.after, reader)));
  }
  if (readers.size() > kMost) return join(names, ", ") + fmt::format(" and {} more", readers.size() - kMost);
  return join_words(names);
}

/// Up to three functions outside tests that call it, with their places.
std::string known_callers(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  if (!actor.change->after || !actor.change->after->function.valid()) return {};
  for (const program::CallId call : inputs.after->callers_of(actor.change->after->function)) {
    const program::FunctionId caller = inputs.after->calls()[call].caller;
    if (handing_of(inputs.after->calls()[call], actor.change->after->function) != Handing::kNone) continue;
    if (program::is_test_path(inputs.after->module_of(caller).path)) continue;
    std::string text = fmt::format("{} ({})", code(short_name(*inputs.after, caller)), place_of(*inputs.after, caller));
    const python::Node* body = inputs.after->functions()[caller].node;
    const std::string when = body == nullptr ? std::string()
                                             : guards_words(guards_of(*body, inputs.after->calls()[call].node->span),
                                                            source_of(*inputs.after, caller), 2);
    if (!when.empty() && !contains(when, "__main__")) text += fmt::format(" where {}", when);
    if (names.size() < kMost && std::find(names.begin(), names.end(), text) == names.end())
      names.push_back(std::move(text));
  }
  return join_words(names);
}

/// Of a method whose class derives from a library's: that the library may call it, and where the class is made; empty
/// for others.
std::string library_text(const DocumentInputs& inputs, const Actor& actor, const std::string& name) {
  const program::Program& program = *inputs.after;
  const program::FunctionId method = actor.change->after ? actor.change->after->function : program::FunctionId();
  const program::ClassId cls = method.valid() ? program.functions()[method].owner : program::ClassId();
  if (!cls.valid()) return {};
  // Bases that call nothing of a class, or only what the call graph knows.
  constexpr std::string_view kPlain[] = {"object", "abc.ABC", "torch.nn.Module", "typing.", "enum.", "Exception"};
  const auto& bases = program.classes()[cls].external_ancestors;
  const auto base = std::find_if(bases.begin(), bases.end(), [&](const std::string& each) {
    return contains(each, ".") && std::none_of(std::begin(kPlain), std::end(kPlain),
                                               [&](std::string_view one) { return each.starts_with(one); });
  });
  if (base == bases.end()) return {};
  std::string made;
  const program::FunctionId constructor = program.find_method(cls, "__init__");
  if (constructor.valid()) {
    for (const program::CallId call : program.callers_of(constructor)) {
      const program::CallSite& site = program.calls()[call];
      const program::Module& module = program.module_of(site.caller);
      if (!made.empty() || program::is_test_path(module.path)) continue;
      const std::uint32_t line = module.facts->source().line_of(site.node->span.begin);
      made = fmt::format(" Objects of the class are made in {} ({}).", code(short_name(program, site.caller)),
                         place(module.path, line));
    }
  }
  return fmt::format("Nothing in the repository calls {}; its class derives from {}, and that library may call it.{}",
                     name, code(*base), made);
}

}  // namespace

std::string reach_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  const EntryPath& path = story.entries[index];
  const std::string name = code(short_name(inputs, *story.actor(index).change));
  if (story.actor(index).change->is_cosmetic())
    return fmt::format("N/A - only comments, documentation or layout of {} change: what runs is the same.", name);
  if (path.frames.size() < 2) {
    if (!story.actor(index).change->after)
      return fmt::format("{} is gone. {}", name, removed_text(inputs, *story.actor(index).change));
    if (story.actor(index).change->kind == change::EntityKind::kClass &&
        callable_of(*inputs.after, *story.actor(index).change).valid())
      return fmt::format(
          "The call graph finds no call that makes a {}: it is made from outside, through a table or a configuration, "
          "or "
          "not at all.",
          name);
    if (!story.actor(index).is_function()) {
      if (std::string readers = known_readers(inputs, story.actor(index)); !readers.empty())
        return fmt::format("{} is no function; it is read in {}.", name, readers);
      return fmt::format("{} is no function, so the call graph has no way to it.", name);
    }
    if (std::string callers = known_callers(inputs, story.actor(index)); !callers.empty())
      return fmt::format("{} is called by {}; from where a run gets there, the call graph does not say.", name,
                         callers);
    if (std::string library = library_text(inputs, story.actor(index), name); !library.empty()) return library;
    return fmt::format(
        "The call graph finds no call that leads to {}: it is called from outside, on a value of unknown class, "
        "through "
        "a table or a library, or not at all.",
        name);
  }
  const bool certain = std::all_of(path.frames.begin(), path.frames.end(), [](const PathFrame& frame) {
    return frame.is_certain && frame.off_by_default == nullptr;
  });
  std::string out = way_in(inputs, path, name, certain);
  out += path_text(inputs, path, 7) + ".";
  if (path.other_entries > 0 && path.others_may) {
    out += fmt::format(" {} can lead there.", capitalised(count_of(path.other_entries, "more script")));
  } else if (path.other_entries > 0) {
    out += fmt::format(" {} more {} there.", path.other_entries,
                       path.other_entries == 1 ? "script leads" : "scripts lead");
  }
  return out;
}

std::string reach_from(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t told) {
  const EntryPath& path = story.entries[index];
  const EntryPath& other = story.entries[told];
  std::size_t same = 0;
  while (same < path.frames.size() && same < other.frames.size() &&
         path.frames[same].function == other.frames[same].function)
    ++same;
  if (path.frames.size() < 2 || same < 2 || path.kind != other.kind) return reach_text(inputs, story, index);
  const std::string name = code(short_name(inputs, *story.actor(index).change));
  const std::string fork = code(short_name(*inputs.after, path.frames[same - 1].function));
  if (same == path.frames.size()) return fmt::format("{} stands on that way.", name);
  EntryPath rest = path;
  rest.frames.erase(rest.frames.begin(), rest.frames.begin() + static_cast<std::ptrdiff_t>(same));
  const auto is_folded = [&](std::size_t i) { return rest.frames.size() > 5 && i >= 1 && i + 3 < rest.frames.size(); };
  return fmt::format("{}: the same way to {}, then{}{}.", name, fork, arrow_after(path.frames[same - 1]),
                     way_text(*inputs.after, rest.frames, is_folded));
}

std::string flag_text(const Flag& flag) {
  std::string out = code(flag.name);
  out += fmt::format(" ({}{})", flag.is_new ? "new, " : flag.is_changed ? "changed, " : "", flag.place);
  if (!flag.argument.empty()) out += fmt::format(", argument {}", code(flag.argument));
  out += flag.default_value.empty() ? ", no default" : fmt::format(", default {}", code(flag.default_value));
  if (!flag.old_default.empty()) out += fmt::format(" instead of {}", code(flag.old_default));
  out += ".";
  if (flag.is_fixed)
    out += fmt::format(" The argument switches nothing: it gives {}, which is the default.", code(flag.default_value));
  if (!flag.help.empty()) out += fmt::format(" \u201c{}\u201d", from_backquotes(flag.help));
  if (!flag.guards.empty()) {
    out += fmt::format(" In the condition: {}", flag.guards);
    if (flag.runs_by_default) out += *flag.runs_by_default ? " (holds by default)" : " (does not hold by default)";
    out += ".";
  }
  if (flag.readers > 0) {
    std::vector<std::string> readers = flag.reader_names;
    if (flag.readers > readers.size()) readers.push_back(count_of(flag.readers - readers.size(), "more function"));
    out += fmt::format(" Read in {}.", join_words(readers));
  }
  return out;
}

std::string settings_text(const Story& story) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> added;
  std::string changed;
  for (const Flag& flag : story.flags) {
    if (flag.is_new && added.size() == kMost) continue;
    if (flag.is_new) {
      added.push_back(flag.default_value.empty()
                          ? code(flag.name)
                          : fmt::format("{} (default {}{})", code(flag.name), code(flag.default_value),
                                        flag.is_fixed ? ", which its argument cannot change" : ""));
    } else if (!flag.old_default.empty()) {
      changed += fmt::format(" The default of {} changes from {} to {}.", code(flag.name), code(flag.old_default),
                             code(flag.default_value));
    }
  }
  std::string out;
  const std::size_t left = story.new_flags > added.size() ? story.new_flags - added.size() : 0;
  const bool is_one = added.size() + left == 1;
  if (left > 0) added.push_back(fmt::format("{} more", left));
  if (!added.empty()) out = fmt::format("New {}: {}.", is_one ? "setting" : "settings", join_words(added));
  return std::string(trim(out + changed));
}

std::vector<std::string> contract_items(const Contract& contract, std::size_t most_inputs) {
  std::vector<std::string> items;
  std::vector<std::string> inputs;
  for (const ContractInput& input : contract.inputs) {
    if (inputs.size() == most_inputs) {
      inputs.push_back(fmt::format("and {} more", contract.inputs.size() - most_inputs));
      break;
    }
    inputs.push_back(input_words(input));
  }
  if (!inputs.empty()) items.push_back(strong("In:") + " " + join(inputs, "; ") + ".");
  std::string result;
  if (!contract.return_type.empty() && contract.return_type != "None") result = code(contract.return_type);
  std::vector<std::string> returned;
  for (const std::string& text : contract.returns) {
    if (returned.size() < 3 && text != "None") returned.push_back(code(text));
  }
  if (!returned.empty()) result += (result.empty() ? "" : ": ") + join_words(returned, "or");
  if (!contract.return_words.empty())
    result += fmt::format("{}\u201c{}\u201d", result.empty() ? "" : " \u2014 ", from_backquotes(contract.return_words));
  if (!result.empty()) items.push_back(strong("Out:") + " " + as_sentence(result));
  const auto list = [&](std::string_view label, const std::vector<std::string>& names, bool as_code, std::size_t most) {
    if (names.empty()) return;
    std::vector<std::string> shown;
    for (const std::string& name : names) {
      if (shown.size() == most) break;
      shown.push_back(as_code ? code(name) : name);
    }
    std::string text = strong(label) + " " + join(shown, as_code ? ", " : "; ");
    if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
    items.push_back(as_sentence(text));
  };
  list("Reads from the configuration:", contract.config, true, 6);
  list("Writes:", contract.writes, true, 5);
  list("Communicates:", contract.collectives, false, 4);
  list("Communicates through what it calls:", contract.below, false, 3);
  list("Requires that", contract.requirements, false, 3);
  return items;
}

Contract contract_for(const DocumentInputs& inputs, const Actor& actor) {
  Contract contract = contract_of(context_latest(inputs, actor));
  if (actor.is_added() || actor.is_removed() || actor.steps.after_source == nullptr) return contract;
  std::string text;
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kKept) text += " " + one_line(*actor.steps.after_source, step.span, 4000);
  }
  for (const Step& step : actor.steps.before) {
    if (step.status == StepStatus::kRemoved) text += " " + one_line(*actor.steps.before_source, step.span, 4000);
  }
  for (const change::Difference& difference : actor.change->differences) text += " " + difference.name;
  const auto names = [&](std::string_view name) {
    while (name.starts_with("*")) name.remove_prefix(1);
    const auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const bool starts = at == 0 || !is_part(text[at - 1]);
      const bool ends = at + name.size() == text.size() || !is_part(text[at + name.size()]);
      if (starts && ends) return true;
    }
    return false;
  };
  std::erase_if(contract.inputs, [&](const ContractInput& input) { return !names(input.name); });
  std::stable_partition(contract.inputs.begin(), contract.inputs.end(), [&](const ContractInput& input) {
    return std::any_of(
        actor.change->differences.begin(), actor.change->differences.end(), [&](const change::Difference& difference) {
          return difference.kind == change::DifferenceKind::kParameterAdded && input.name.ends_with(difference.name);
        });
  });
  // What a long function asked for before is no news.
  const auto stands_in_change = [&](Span span) {
    return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
      return step.status != StepStatus::kKept && step.span.begin < span.end && span.begin < step.span.end;
    });
  };
  if (contract.requirements.size() > 2) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < contract.requirements.size(); ++i) {
      if (stands_in_change(contract.requirement_spans[i])) kept.push_back(std::move(contract.requirements[i]));
    }
    contract.requirements = std::move(kept);
    contract.requirement_spans.clear();
  }
  std::erase_if(contract.writes, [&](const std::string& name) { return !contains(text, name); });
  std::erase_if(contract.config, [&](const std::string& name) { return !names(name); });
  return contract;
}

}  // namespace lockstep::report
