#include "report/documents/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/author/reason_words.h"
#include "report/documents/content/short_reasons.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/documents/files.h"
#include "report/documents/settings/setting_readers.h"
#include "report/story/communication/collectives_below.h"
#include "report/story/communication/taking_part.h"
#include "report/story/steps/edit_kinds.h"

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
  // What lies in a folder that is told is told with it.
  for (auto at = folders.begin(); at != folders.end();) {
    const auto outer = std::find_if(folders.begin(), folders.end(), [&](const auto& one) {
      return at->first.starts_with(one.first + "/") && one.second.first == at->second.first;
    });
    if (outer != folders.end()) outer->second.second += at->second.second;
    at = outer == folders.end() ? std::next(at) : folders.erase(at);
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
  if (!words.absent.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : words.absent) names.push_back(code(name));
    document.paragraph(
        fmt::format("No Python file of the repository has the {} {} of these words, before or after the change.",
                    names.size() == 1 ? "name" : "names", join_words(names)));
  }
  if (!words.comments.empty()) {
    std::vector<std::string> items;
    for (const Saying& saying : words.comments)
      items.push_back(fmt::format("{}: \u201c{}\u201d", saying.source, saying.paragraphs.front()));
    const bool only_of_steps =
        std::all_of(words.comments.begin(), words.comments.end(), [](const Saying& one) { return one.is_of_step; });
    const bool any_gone =
        std::any_of(words.comments.begin(), words.comments.end(), [](const Saying& one) { return one.is_gone; });
    const std::string none =
        words.title.empty()
            ? std::string(only_of_steps ? "The change has no description, and no reason for it was found."
                                        : "The change has no description.")
            : fmt::format("Beyond its title, \u201c{}\u201d, no reason for the change was found in its message.",
                          words.title);
    document.paragraph(!words.sayings.empty() ? "Comments and docstrings that the change writes add:"
                       : only_of_steps        ? none + " Comments and docstrings say of single steps:"
                       : any_gone ? none + " Comments and docstrings that the change writes or takes out say:"
                                  : none + " Comments and docstrings that the change writes say:");
    document.bullets(items);
  }
  const auto add_written_before = [&] {
    for (const Saying& saying : words.written_before)
      document.paragraph(
          fmt::format("Written before the change, {}, says: \u201c{}\u201d", saying.source, saying.paragraphs.front()));
  };
  if (!words.failures.empty() && words.says_why()) {
    document.paragraph(join(words.failures, " "));
  } else if (!words.failures.empty()) {
    const std::string of_message = words.title.empty()
                                       ? std::string("The change has no description; the code shows a reason")
                                       : fmt::format(
                                             "Beyond its title, \u201c{}\u201d, its message gives no reason; "
                                             "the code shows one",
                                             words.title);
    document.paragraph(fmt::format("{}. {}", of_message, join(words.failures, " ")));
    if (words.remarks.empty()) return add_written_before();
  }
  if (words.says_why()) return add_written_before();
  const std::string title = words.title.empty() ? std::string("The change has no description")
                                                : fmt::format("Beyond its title, \u201c{}\u201d", words.title);
  if (words.remarks.empty()) {
    document.paragraph(title + (words.written_before.empty()
                                    ? ", no reason was found in its message. What follows is what the code shows."
                                    : ", no reason was found in its message."));
    add_written_before();
    return;
  }
  document.paragraph(
      fmt::format("{}, no reason was found in its message. Its {} say:", title, join_words(kinds_of_remarks(words))));
  std::vector<std::string> items;
  for (const Saying& saying : words.remarks)
    items.push_back(fmt::format("{}: \u201c{}\u201d", saying.source, saying.paragraphs.front()));
  document.bullets(items);
  add_written_before();
}

std::vector<std::string> purpose_items(const OwnWords& words) {
  std::vector<std::string> out;
  for (const Saying& saying : words.purposes) {
    const std::string& text = saying.paragraphs.front();
    const auto quotes = [&](const Saying& other) {
      return std::any_of(other.paragraphs.begin(), other.paragraphs.end(),
                         [&](const std::string& one) { return contains(one, text) || contains(text, one); });
    };
    if (std::any_of(words.comments.begin(), words.comments.end(), quotes) ||
        std::any_of(words.sayings.begin(), words.sayings.end(), quotes))
      continue;
    out.push_back(fmt::format("{}: \u201c{}\u201d", saying.source, text));
  }
  return out;
}

std::vector<std::string> kinds_of_remarks(const OwnWords& words) {
  std::vector<std::string> kinds;
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"", "comments"}, {"the check at", "checks"}, {"the test ", "tests"}};
  for (const auto& [start, kind] : kKinds) {
    const auto is_of = [&, start = start](const Saying& one) {
      const auto fits = [&](const auto& each) { return !each.first.empty() && one.source.starts_with(each.first); };
      return start.empty() ? std::none_of(std::begin(kKinds), std::end(kKinds), fits) : one.source.starts_with(start);
    };
    if (std::any_of(words.remarks.begin(), words.remarks.end(), is_of)) kinds.emplace_back(kind);
  }
  return kinds;
}

std::string why_in_short(const OwnWords& words) {
  if (!words.sayings.empty())
    return fmt::format("From {}: \u201c{}\u201d", words.sayings.front().source, reason_in_short(words.sayings.front()));
  // A comment beside one step says why that step is there, not why the change is.
  auto whole =
      std::find_if(words.comments.begin(), words.comments.end(), [](const Saying& one) { return !one.is_of_step; });
  // Among others it leads only where it stands nearest to the title.
  if (whole != words.comments.end()) whole = words.comments.begin();
  if (whole == words.comments.end()) {
    // What a test of the change guards against is why the change is there.
    const bool tests_say = !words.remarks.empty() && words.remarks.front().source.starts_with("the test ") &&
                           says_why_plainly(words.remarks.front().paragraphs.front());
    const bool docstring_says = !words.remarks.empty() && words.remarks.front().source.starts_with("the docstring of");
    if (!tests_say && !docstring_says) return {};
    return fmt::format("{} says: \u201c{}\u201d", capitalised(words.remarks.front().source),
                       reason_in_short(words.remarks.front()));
  }
  return fmt::format("{} says: \u201c{}\u201d",
                     whole->source.starts_with("the ") || whole->is_gone
                         ? capitalised(whole->source)
                         : fmt::format("A comment that it adds ({})", whole->source),
                     reason_in_short(*whole));
}

std::string argument_words(const Flag& flag) {
  return fmt::format("argument {}{}", code(flag.argument),
                     flag.argument_clears ? fmt::format(" makes it {}", code("False")) : std::string());
}

std::string flag_text(const Flag& flag, bool with_help, const std::string& told_guards) {
  std::string out = code(flag.name);
  out += fmt::format(" ({}{})", flag.is_new ? "new, " : flag.is_changed ? "changed, " : "", flag.place);
  if (!flag.derived.empty()) out += ", not to be set";
  if (!flag.argument.empty()) out += ", " + argument_words(flag);
  out += flag.default_value.empty() ? ", no default" : fmt::format(", default {}", code(flag.default_value));
  if (!flag.old_default.empty()) out += fmt::format(" instead of {}", code(flag.old_default));
  if (!flag.argument_default.empty())
    out += fmt::format(", but {} where the argument is not given", code(flag.argument_default));
  out += ".";
  if (flag.is_fixed)
    out += fmt::format(" The argument switches nothing: it gives {}, which is the default.", code(flag.default_value));
  for (const std::string& words : {flag.help, flag.derived == flag.help ? std::string() : flag.derived}) {
    if (!words.empty() && with_help) out += fmt::format(" \u201c{}\u201d", from_backquotes(words));
  }
  if (!flag.guards.empty()) {
    const bool is_told = flag.guards == told_guards;
    const std::string_view holds = !flag.runs_by_default.has_value() ? ""
                                   : *flag.runs_by_default           ? "holds by default"
                                                                     : "does not hold by default";
    if (flag.is_behind) {
      out += fmt::format(" That {} depends on it", flag.guards);
    } else {
      out += is_told ? std::string(" In the same condition") : fmt::format(" In the condition: {}", flag.guards);
    }
    // What does not hold is the whole of it, whatever the setting itself asks for.
    if (!holds.empty()) out += is_told ? fmt::format(", which as a whole {}", holds) : fmt::format(" ({})", holds);
    out += ".";
  }
  const bool is_refused = !flag.asked_text.empty() && !flag.argument.empty() && !flag.choices.empty() &&
                          std::find(flag.choices.begin(), flag.choices.end(), flag.asked_text) == flag.choices.end();
  if (is_refused)
    out += fmt::format(" The choices of {} lack {}: no command line gives it.", code(flag.argument),
                       code("\"" + flag.asked_text + "\""));
  if (!flag.set_elsewhere.empty()) out += fmt::format(" {}.", flag.set_elsewhere);
  if (!flag.given_in.empty()) out += fmt::format(" {}.", flag.given_in);
  if (const std::string readers = readers_text(flag); !readers.empty()) out += " " + readers;
  return out;
}

std::string short_flags_text(const std::vector<Flag>& flags, std::size_t from) {
  std::vector<std::string> all;
  for (std::size_t i = from; i < flags.size(); ++i) {
    const Flag& flag = flags[i];
    // Where other classes have a field of its name, too, with its own.
    std::string owner(change::last_part(flag.owner));
    if (owner == "Config" && flag.owner.size() > owner.size())
      owner = std::string(change::last_part(flag.owner.substr(0, flag.owner.size() - owner.size() - 1))) + "." + owner;
    // What is read off `args` is the option, whichever class takes it on.
    const bool is_of_object =
        contains(flag.guards, "." + flag.name) && !contains(flag.guards, "args." + flag.name) && flag.argument.empty();
    const auto same = std::count_if(flags.begin(), flags.end(), [&](const Flag& one) { return one.name == flag.name; });
    const bool needs_owner = (flag.more_may_read && is_of_object) || same > 1;
    std::string words = code(needs_owner && !owner.empty() ? owner + "." + flag.name : flag.name);
    std::vector<std::string> known;
    if (!flag.argument.empty()) known.push_back(code(flag.argument));
    const std::string& given = flag.argument_default.empty() ? flag.default_value : flag.argument_default;
    if (!given.empty()) known.push_back("default " + code(given));
    if (!known.empty()) words += fmt::format(" ({})", join(known, ", "));
    all.push_back(std::move(words));
  }
  return join_words(all);
}

std::string settings_text(const std::vector<Flag>& flags, std::size_t new_flags) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> added;
  std::string changed;
  for (const Flag& flag : flags) {
    if (!flag.derived.empty() || (flag.is_new && added.size() == kMost)) continue;
    if (flag.is_new) {
      added.push_back(flag.default_value.empty()
                          ? code(flag.name)
                          : fmt::format("{} (default {}{})", code(flag.name), code(flag.default_value),
                                        flag.is_fixed ? ", which its argument cannot change" : ""));
    } else if (!flag.old_default.empty()) {
      changed += fmt::format(" The default of {} changes from {} to {}", code(flag.name), code(flag.old_default),
                             code(flag.default_value));
      // Runs get what the argument gives.
      if (!flag.argument_default.empty())
        changed += fmt::format(", but {} is what runs get where {} is not given", code(flag.argument_default),
                               code(flag.argument));
      changed += '.';
    }
  }
  std::string out;
  const std::size_t left = new_flags > added.size() ? new_flags - added.size() : 0;
  const bool is_one = added.size() + left == 1;
  if (left > 0) added.push_back(fmt::format("{} more", left));
  if (!added.empty()) out = fmt::format("New {}: {}.", is_one ? "setting" : "settings", join_words(added));
  return std::string(trim(out + changed));
}

std::vector<std::string> contract_items(const Contract& contract, std::size_t most_inputs) {
  std::vector<std::string> items;
  std::vector<std::string> inputs;
  for (const ContractInput& input : contract.inputs) {
    if (inputs.size() == most_inputs) break;
    inputs.push_back(input_words(input));
  }
  // A reader counts all of them.
  const std::size_t left = contract.inputs.size() + contract.left_out - inputs.size();
  if (left > 0 && !inputs.empty()) inputs.push_back(fmt::format("and {} more", left));
  if (!inputs.empty()) items.push_back(strong("In:") + " " + join(inputs, "; ") + ".");
  std::string result;
  if (!contract.return_type.empty() && contract.return_type != "None") result = code(contract.return_type);
  // One left out would take as much room as it does.
  const auto values_in = std::count_if(contract.returns.begin(), contract.returns.end(),
                                       [](const std::string& text) { return text != "None"; });
  const std::size_t most_returned = values_in == 4 ? 4 : 3;
  std::vector<std::string> returned;
  std::size_t values = 0;
  bool returns_none = false;
  for (const std::string& text : contract.returns) {
    if (text != "None" && returned.size() < most_returned) returned.push_back(code(text));
    if (text != "None") ++values;
    returns_none = returns_none || text == "None";
  }
  if (values > most_returned) {
    const std::size_t more = values - most_returned + (returns_none ? 1 : 0);
    returned.push_back(more == 1 ? "another value" : fmt::format("one of {} more", more));
  } else if (!returned.empty() && returns_none) {
    returned.push_back(code("None"));
  } else if (!returned.empty() && contract.may_return_more) {
    returned.emplace_back("\u2026");
  }
  // Of many ways out a few say nothing.
  constexpr std::size_t kMany = 7;
  if (values > kMany && contract.return_type.empty()) returned.clear();
  if (!returned.empty()) result += (result.empty() ? "" : ": ") + join_words(returned, "or");
  if (!contract.return_words.empty() && contract.return_words != "None")
    result += fmt::format("{}\u201c{}\u201d", result.empty() ? "" : " \u2014 ", from_backquotes(contract.return_words));
  if (!result.empty()) items.push_back(strong("Out:") + " " + as_sentence(result));
  const auto list = [&](std::string_view label, const std::vector<std::string>& names, bool as_code, std::size_t most,
                        bool is_all = true) {
    if (names.empty()) return;
    std::vector<std::string> shown;
    for (const std::string& name : names) {
      if (shown.size() == most) break;
      shown.push_back(as_code ? code(name) : name);
    }
    std::string text = strong(label) + " " + join(shown, as_code ? ", " : "; ");
    if (names.size() > most)
      text += is_all ? fmt::format(" and {} more", names.size() - most) : std::string("; and others");
    items.push_back(as_sentence(text));
  };
  list(contract.is_cut_to_change ? "Newly reads from the configuration:" : "Reads from the configuration:",
       contract.config, true, 6);
  list(contract.is_cut_to_change ? "Writes, in the changed lines:" : "Writes:", contract.writes, true, 5);
  list(contract.kept_collectives.empty() ? "Communicates:" : "Communicates, in the changed lines:",
       contract.collectives, false, 4);
  constexpr std::size_t kMostKept = 2;
  list("Communicates, as before:", contract.kept_collectives, false, kMostKept);
  constexpr std::size_t kMostTakingPart = 3;
  if (!contract.taking_part.empty()) {
    std::vector<std::string> told = contract.taking_part;
    if (told.size() > kMostTakingPart) told.resize(kMostTakingPart);
    items.push_back(strong("Ranks that take part:") + " " + join(told, " "));
  }
  list("Communicates through what it calls:", contract.below, false, 3, false);
  list("Requires that", contract.requirements, false, 3);
  return items;
}

std::string altered_state_item(const DocumentInputs& inputs, const Actor& actor, std::size_t most_readers) {
  std::vector<std::string> told;
  for (const AlteredState& state : actor.altered) told.push_back(readers_words(inputs, state, most_readers));
  return told.empty() ? std::string() : strong("Read by unchanged code:") + " " + as_sentence(join(told, "; "));
}

Contract contract_for(const DocumentInputs& inputs, const Actor& actor) {
  Contract contract = contract_of(context_latest(inputs, actor));
  if (!actor.is_removed()) contract.taking_part = taking_part(inputs, actor);
  // Of a new parameter of a function that was there before all counts.
  for (const change::Difference& d : actor.change->differences) {
    if (d.kind != change::DifferenceKind::kParameterAdded || actor.is_added() || actor.is_removed()) continue;
    const auto input = std::find_if(contract.inputs.begin(), contract.inputs.end(),
                                    [&](const ContractInput& one) { return one.name == d.name; });
    if (input != contract.inputs.end())
      input->words = docstring_parameter(docstring_text(actor.change->after->node), d.name, true);
  }
  if (actor.is_added() || actor.is_removed() || actor.steps.after_source == nullptr) return contract;
  std::string text;
  const std::string old = actor.steps.before_source == nullptr || !actor.change->before
                              ? std::string()
                              : one_line_whole(*actor.steps.before_source, actor.change->before->node->span);
  // What it read through functions that it called is no news either.
  std::string old_below;
  if (actor.change->before && actor.change->before->function.valid()) {
    for (const program::CallId call : inputs.before->functions()[actor.change->before->function].calls) {
      for (const program::FunctionId callee : callees_of(*inputs.before, inputs.before->calls()[call].node)) {
        if (inputs.before->functions()[callee].module ==
            inputs.before->functions()[actor.change->before->function].module)
          old_below += one_line_whole(source_of(*inputs.before, callee), *inputs.before->functions()[callee].node);
      }
    }
  }
  const SourceText& source = *actor.steps.after_source;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept) continue;
    // Of a long statement only the lines that change.
    const std::uint32_t last = source.line_of(step.span.end > step.span.begin ? step.span.end - 1 : step.span.begin);
    for (std::uint32_t line = source.line_of(step.span.begin); line <= last; ++line) {
      const Span part{
          std::max(step.span.begin, source.line_start(line)),
          std::min(step.span.end, source.line_start(line) + static_cast<std::uint32_t>(source.line(line).size()))};
      if (part.begin < part.end &&
          (step.partner == Step::kNone || inputs.change->touches_after(actor.change->after->path, line)))
        text += " " + one_line_whole(source, part);
    }
  }
  for (const Step& step : actor.steps.before) {
    if (step.status == StepStatus::kRemoved) text += " " + one_line(*actor.steps.before_source, step.span, 4000);
  }
  for (const change::Difference& difference : actor.change->differences) text += " " + difference.name;
  const auto stands_in = [](const std::string& code, std::string_view name) {
    while (name.starts_with("*")) name.remove_prefix(1);
    return find_name(code, name) != std::string::npos;
  };
  const auto names = [&](std::string_view name) { return stands_in(text, name); };
  contract.left_out = std::erase_if(contract.inputs, [&](const ContractInput& input) { return !names(input.name); });
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
  // What unchanged lines come to through others is not touched by the change.
  const auto may_communicate = [&](const Step& step) {
    bool found = false;
    python::walk_of<python::Call>(*step.node, python::Nested::kEnter, [&](const python::Call* call) {
      if (found || !step.span.contains(call->span) || inputs.after_mesh == nullptr) return;
      const auto callees = callees_of(*inputs.after, call);
      found = std::any_of(callees.begin(), callees.end(),
                          [&](program::FunctionId one) { return inputs.after_mesh->may_communicate(one); });
    });
    return found;
  };
  const auto changes = [](const Step& step) { return step.status != StepStatus::kKept; };
  const auto& now = actor.steps.after;
  if (std::any_of(now.begin(), now.end(), changes) &&
      std::none_of(now.begin(), now.end(), [&](const Step& step) { return changes(step) && may_communicate(step); }))
    contract.below.clear();
  // Of the others those that changed lines come to, if they are found: they are what the change is about.
  if (!contract.below.empty()) {
    std::vector<std::string> own = collectives_below(context_after(inputs, actor), [&](const python::Node& call) {
      return report::stands_in_change(actor, call.span);
    });
    if (!own.empty()) contract.below = std::move(own);
  }
  {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < contract.requirements.size(); ++i) {
      if (stands_in_change(contract.requirement_spans[i])) kept.push_back(std::move(contract.requirements[i]));
    }
    contract.requirements = std::move(kept);
    contract.requirement_spans.clear();
  }
  std::vector<std::string> issued;
  for (std::size_t i = 0; i < contract.collectives.size(); ++i) {
    const std::vector<Span>& spans = contract.collective_spans[i];
    const bool is_changed = std::any_of(spans.begin(), spans.end(), stands_in_change);
    if (is_changed) {
      issued.push_back(contract.collectives[i]);
      continue;
    }
    const bool is_conditional = std::all_of(spans.begin(), spans.end(), [&](Span span) {
      const std::vector<Guard> guards = guards_of(*actor.change->after->node, span);
      return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.condition != nullptr; });
    });
    contract.kept_collectives.push_back(contract.collectives[i] + (is_conditional ? " (under conditions)" : ""));
  }
  contract.collectives = std::move(issued);
  contract.collective_spans.clear();
  std::vector<std::string> written;
  for (std::size_t i = 0; i < contract.writes.size(); ++i) {
    const std::vector<Span>& spans = contract.write_spans[i];
    const auto is_only_moved = [&](Span span) {
      return std::any_of(now.begin(), now.end(), [&](const Step& step) {
        return step.kind == StepKind::kPlain && step.is_moved && step.span.begin < span.end &&
               span.begin < step.span.end;
      });
    };
    if (std::any_of(spans.begin(), spans.end(),
                    [&](Span span) { return stands_in_change(span) && !is_only_moved(span); }))
      written.push_back(contract.writes[i]);
  }
  const std::size_t other_writes = contract.writes.size() - written.size();
  contract.writes = std::move(written);
  contract.write_spans.clear();
  const std::size_t others = other_writes + std::erase_if(contract.config, [&](const std::string& name) {
                               // What it read before, too, is no news of it.
                               return !names(name) || stands_in(old, name) || stands_in(old_below, name);
                             });
  contract.is_cut_to_change = others > 0;
  return contract;
}

bool is_of_new_class(const Story& story, const Actor& actor) {
  if (actor.change->kind != change::EntityKind::kField || !actor.is_added()) return false;
  const std::string& name = actor.change->after->qualified_name;
  const std::string_view holder = std::string_view(name).substr(0, std::min(name.rfind('.'), name.size()));
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& other) {
    return other.is_added() && other.change->kind == change::EntityKind::kClass &&
           other.change->after->qualified_name == holder && other.change->after->path == actor.change->after->path;
  });
}

bool says_more_than_code(const std::string& text) {
  constexpr std::string_view kTelling[] = {"\u201c",     ", which ",  "issues ",    " moved ",
                                           "moves ",     "hands ",    "takes over", "has the code",
                                           "leaves it ", "now only ", "no longer ", "asks whether "};
  return std::any_of(std::begin(kTelling), std::end(kTelling),
                     [&](std::string_view one) { return contains(text, one); });
}

}  // namespace lockstep::report
