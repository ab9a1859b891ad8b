#include "report/author/reason_words.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <span>

#include "base/strings.h"
#include "python/facts.h"
#include "report/author/quotation.h"
#include "report/document.h"
#include "report/source/words.h"

namespace lockstep::report {

bool says_one_of(std::string_view lower, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    for (std::size_t at = lower.find(word); at != std::string_view::npos; at = lower.find(word, at + 1)) {
      if (at == 0 || lower[at - 1] < 'a' || lower[at - 1] > 'z' || word.front() == ',') return true;
    }
    return false;
  });
}

namespace {

/// Without "(e.g. 'hang,crash')": an example is no reason.
std::string without_examples(std::string_view text) {
  std::string out(text);
  for (std::size_t at = out.find("(e.g."); at != std::string::npos; at = out.find("(e.g.", at)) {
    const std::size_t end = out.find(')', at);
    if (end == std::string::npos) break;
    out.erase(at, end + 1 - at);
  }
  return out;
}

/// In lower case, without "since version 2" and its like: a point in time is no reason.
std::string without_points_in_time(std::string_view text) {
  std::string lower = to_lower(without_examples(text));
  for (const std::string_view when : {"since the last", "since the previous", "since v", "since version"})
    lower = replace_all(lower, when, "");
  return lower;
}

/// "saving the transmission cost": not "saving a checkpoint".
bool says_what_it_saves(std::string_view text) {
  static constexpr std::string_view kVerbs[] = {" saving ",  " saves ",    " to save ",
                                                " reduces ", " reducing ", " to reduce "};
  static constexpr std::string_view kGains[] = {" cost",      " memory", " copy",       " copies",  " traffic",
                                                " bandwidth", " time ",  " allocation", " latency", " overhead"};
  const std::string lower = " " + to_lower(text);
  for (const std::string_view verb : kVerbs) {
    const std::size_t at = lower.find(verb);
    if (at == std::string::npos) continue;
    constexpr std::size_t kNear = 50;  // bytes
    const std::string_view behind = std::string_view(lower).substr(at + verb.size() - 1, kNear);
    if (std::any_of(std::begin(kGains), std::end(kGains),
                    [&](std::string_view gain) { return contains(behind, gain); }))
      return true;
  }
  return false;
}

/// Whether all words of `a`, those of some length, stand in `b`, too.
static bool is_said_in(std::string_view a, std::string_view b) {
  constexpr std::size_t kLong = 5;
  const std::set<std::string> others = name_words(b);
  for (const std::string& word : name_words(a)) {
    if (word.size() >= kLong && word != "without" && !others.contains(word)) return false;
  }
  return true;
}

/// "If the layout was sized by a larger group, its last parts are never updated": what would go wrong.
bool says_what_went_wrong(std::string_view text) {
  static constexpr std::string_view kFaults[] = {" never ", " no longer ", " lost",  " wrong", " fail",
                                                 " crash",  " hang",       " stale", " not "};
  const std::size_t comma = text.find(", ");
  if (!text.starts_with("If ") || comma == std::string_view::npos) return false;
  const std::string_view supposed = text.substr(0, comma);
  return (contains(supposed, " was ") || contains(supposed, " were ")) &&
         std::any_of(std::begin(kFaults), std::end(kFaults),
                     [&](std::string_view one) { return contains(text.substr(comma), one); });
}

/// Where a modal verb stands before one of the words, the text behind that: " can still hold the old value" gives "hold
/// the old value"; empty for none.
std::string_view behind_modal(std::string_view lower, std::string_view word) {
  static constexpr std::string_view kModals[] = {" can", " could", " may", " might"};
  for (std::size_t at = lower.find(word); at != std::string_view::npos; at = lower.find(word, at + 1)) {
    const std::string_view before = lower.substr(0, at);
    if (std::any_of(std::begin(kModals), std::end(kModals),
                    [&](std::string_view one) { return before.ends_with(one); }))
      return lower.substr(at + word.size());
  }
  return {};
}

/// "can still hold the values of the last step"; not "can still be passed".
bool says_what_may_remain(std::string_view lower) {
  static constexpr std::string_view kVerbs[] = {
      "hold ",  "contain ",   "point ",     "refer ",     "read ",      "see ",     "reference ", "carry ",
      "be in ", "be running", "be writing", "be reading", "be pending", "be using", "be empty",   "be unset"};
  const std::string_view behind = behind_modal(lower, " still ");
  return std::any_of(std::begin(kVerbs), std::end(kVerbs),
                     [&](std::string_view verb) { return behind.starts_with(verb); });
}

/// "may not have run yet", "may not have been sent"; not "may not have a group".
bool says_what_may_lack(std::string_view lower) {
  static constexpr std::string_view kForms[] = {"been", "begun", "come", "done", "gone",  "made", "put",    "read",
                                                "run",  "seen",  "sent", "set",  "built", "left", "reached"};
  const std::string_view behind = behind_modal(lower, " not have ");
  const std::string_view verb = behind.substr(0, behind.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
  return verb.ends_with("ed") || std::find(std::begin(kForms), std::end(kForms), verb) != std::end(kForms);
}

/// "reads it before the copy has finished".
bool says_what_comes_too_early(std::string_view lower) {
  constexpr std::string_view kBefore = " before ";
  for (std::size_t at = lower.find(kBefore); at != std::string_view::npos; at = lower.find(kBefore, at + 1)) {
    const std::string_view behind = lower.substr(at + kBefore.size());
    const std::string_view clause = behind.substr(0, behind.find_first_of(".,;:("));
    if (contains(clause, " has ") || contains(clause, " have ")) return true;
  }
  return false;
}

}  // namespace

bool says_what_may_go_wrong(std::string_view text) {
  constexpr std::size_t kFewWords = 6;
  if (words_in(text) < kFewWords) return false;
  const std::string lower = to_lower(text);
  if (says_what_may_remain(lower) || says_what_may_lack(lower)) return true;
  // One of these alone may only say what is done: "reads ahead of the module", "drops stale entries".
  static constexpr std::string_view kSigns[] = {" stale",      " ahead of ",   " in flight",     " in-flight",
                                                " not yet ",   " has not run", "last iteration", "previous iteration",
                                                "last step's", " out of date", " still "};
  const auto has = [&](std::string_view sign) { return contains(lower, sign); };
  const auto signs =
      std::count_if(std::begin(kSigns), std::end(kSigns), has) + (says_what_comes_too_early(lower) ? 1 : 0);
  return signs > 1;
}

bool leans_on_previous(std::string_view sentence) {
  static constexpr std::string_view kPronouns[] = {"both",  "it",    "its",  "such", "that",
                                                   "their", "these", "they", "this", "those"};
  static constexpr std::string_view kJoints[] = {"also",      "and",     "but",      "either",    "hence",
                                                 "however",   "instead", "likewise", "neither",   "otherwise",
                                                 "similarly", "so",      "then",     "therefore", "thus"};
  // "This module", "this test": what the text stands in.
  static constexpr std::string_view kItself[] = {"class",  "file",    "fixture", "flag",   "function",
                                                 "helper", "kernel",  "method",  "module", "option",
                                                 "script", "setting", "test",    "tests",  "suite"};
  const auto word_at = [&](std::size_t from) {
    std::size_t end = from;
    while (end < sentence.size() && std::isalpha(static_cast<unsigned char>(sentence[end])) != 0) ++end;
    return to_lower(sentence.substr(from, end - from));
  };
  const std::string first = word_at(0);
  const auto is_among = [](const std::string& word, const auto& words) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
  };
  if (is_among(first, kJoints) || sentence.starts_with("Only then ")) return true;
  // "where `unit` is …", behind a formula.
  static constexpr std::string_view kRelative[] = {"where", "which", "whose", "with"};
  if (!sentence.empty() && sentence.front() == std::tolower(static_cast<unsigned char>(sentence.front())) &&
      is_among(first, kRelative))
    return true;
  // "Only needed for x": of what is not said.
  if (first == "only" && word_at(5).ends_with("ed")) return true;
  // "`f` then admits …"
  const std::size_t second = sentence.find(' ');
  if (second != std::string_view::npos && sentence.substr(second).starts_with(" then ")) return true;
  if (!is_among(first, kPronouns)) return false;
  const std::size_t next = sentence.find_first_not_of(' ', first.size());
  if (next == std::string_view::npos) return true;
  if ((first == "this" || first == "these") && is_among(word_at(next), kItself)) return false;
  // "Both A and B", "Both dispatchers need it".
  if (first != "both") return true;
  const std::string named = word_at(next);
  const bool is_noun = named.size() > 4 && named.ends_with("s");
  return !is_noun && !contains(sentence.substr(0, 60), " and ");
}

bool says_what_was(std::string_view text) {
  static constexpr std::string_view kOfFix[] = {"pre-fix",          "before the fix",    "before this fix",
                                                "prior to the fix", "prior to this fix", "motivated the fix",
                                                "motivated this",   "without the fix",   "without this fix"};
  const std::string lower = to_lower(text);
  if (std::any_of(std::begin(kOfFix), std::end(kOfFix), [&](std::string_view words) { return contains(lower, words); }))
    return true;
  // "it used to crash"; not "a buffer (is) used to compute it".
  static constexpr std::string_view kFaults[] = {
      "crash",    "fail",   "hang", "raise", "drop",   "lose", "leak",   "skip", "break",       "overflow", "abort",
      "deadlock", "return", "read", "write", "ignore", "keep", "reduce", "let",  "manufacture", "be"};
  constexpr std::string_view kUsed = " used to ";
  for (std::size_t at = lower.find(kUsed); at != std::string::npos; at = lower.find(kUsed, at + 1)) {
    const std::string_view before = std::string_view(lower).substr(0, at);
    const std::string_view last = before.substr(before.rfind(' ') + 1);
    static constexpr std::string_view kPassive[] = {"is",  "are",  "be",   "was", "were", "been", "being",
                                                    "get", "gets", "only", "not", "also", "then"};
    const std::string_view behind = std::string_view(lower).substr(at + kUsed.size());
    const std::string_view verb = behind.substr(0, behind.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
    if (std::find(std::begin(kPassive), std::end(kPassive), last) == std::end(kPassive) &&
        std::find(std::begin(kFaults), std::end(kFaults), verb) != std::end(kFaults))
      return true;
  }
  return false;
}

/// "Mark it so the engine can skip the copy". Behind a comma that is what follows, not what it is for.
static bool says_so_can(std::string_view lower) {
  constexpr std::size_t kFar = 40;
  constexpr std::string_view kSo = " so ";
  for (std::size_t at = lower.find(kSo); at != std::string_view::npos; at = lower.find(kSo, at + 1)) {
    if (at > 0 && lower[at - 1] == ',') continue;
    const std::string_view behind = lower.substr(at + kSo.size(), kFar);
    const std::size_t can = behind.find(" can ");
    if (can != std::string_view::npos && behind.substr(0, can).find_first_of(".;:,(") == std::string_view::npos)
      return true;
  }
  return false;
}

bool says_why_plainly(std::string_view text) {
  static constexpr std::string_view kWords[] = {
      "because",   "since ",         "so that",     "otherwise ",  "otherwise,", "to avoid", "avoids ",
      "avoiding ", "to prevent",     "prevents ",   "in order to", "to ensure",  "due to",   "would ",
      "exists to", "workaround",     "work around", "to keep ",    "so it ",     "so they ", "trades ",
      "trading ",  "at the cost of", "to allow ",   "to enable ",  "or else ",
  };
  // "Must be equal, else it hangs"; not "use `a` if set, else `b`".
  const std::size_t other = text.find(", else ");
  const bool says_else =
      other != std::string_view::npos && !contains(text.substr(0, other), " if ") && !text.starts_with("If ");
  // "Without the offset, all but the first are read from the wrong place"; not "Without the flag, there is no flag".
  const auto says_without = [](std::string_view part) {
    const std::size_t comma = part.find(", ");
    return comma != std::string_view::npos &&
           (leans_on_previous(part.substr(8, comma - 8)) || !is_said_in(part.substr(0, comma), part.substr(comma)));
  };
  const std::size_t behind = text.find("; without ");
  const bool says_what_else = (text.starts_with("Without ") && says_without(text)) ||
                              (behind != std::string_view::npos && says_without(text.substr(behind + 2)));
  return words_in(text) >= 5 && (says_what_else || says_else || says_one_of(without_points_in_time(text), kWords) ||
                                 says_so_can(to_lower(text)) || says_what_was(text) || says_what_it_saves(text));
}

std::size_t words_of_title_in(std::string_view title, std::string_view text) {
  constexpr std::size_t kShortest = 4;
  const std::string lower = to_lower(text);
  std::set<std::string> found;
  std::string word;
  const auto take = [&] {
    for (const std::string_view ending : {"ing", "ed", "es", "s", "e"}) {
      if (word.ends_with(ending) && word.size() >= kShortest + ending.size()) {
        word.resize(word.size() - ending.size());
        break;
      }
    }
    if (word.size() >= kShortest && contains(lower, word)) found.insert(word);
    word.clear();
  };
  for (const char c : to_lower(title)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      word += c;
    else
      take();
  }
  take();
  return found.size();
}

bool explains_why(std::string_view text) {
  // What was relied on and may not be, and when alone something is done.
  static constexpr std::string_view kDoubts[] = {"unreliable", "can diverge", "-- so ", "only needed if",
                                                 "only needed when"};
  static constexpr std::string_view kWords[] = {
      "ensures ",         "deadlock",      "hang",         "race condition", "cannot",         "can't",
      "can cause",        "causes ",       "leads to",     "leading to",     "expensive",      "dominant",
      "known limitation", ", so ",         "so we ",       "mismatch",       "must not",       "does not support",
      "doesn't support",  "not supported", "incompatible", "wrong ",         "corrupt",        "silently",
      "eliminate",        "rather than",   "instead of",   "lets ",          "to reduce ",     "to save ",
      "to make ",         "can raise ",    "may raise ",   "regardless of ", "still expects ",
  };
  // "The server rejects longer names", "replay bypasses the refresh"; what a text begins with is done by the code
  // itself.
  return says_why_plainly(text) ||
         (words_in(text) >= 5 && (says_one_of(without_points_in_time(text), kWords) || contains(text, " rejects ") ||
                                  contains(text, " bypasses "))) ||
         (words_in(text) >= 5 &&
          (says_one_of(to_lower(without_examples(text)), kDoubts) || says_what_went_wrong(text))) ||
         says_what_may_go_wrong(text);
}

int weight_of_reason(std::string_view text) {
  static constexpr std::string_view kFaults[] = {"silently",   "deadlock",   "hang",     "crash",
                                                 "corrupt",    "mismatch",   "wrong",    "race condition",
                                                 "otherwise ", "otherwise,", "or else ", "would "};
  if (!explains_why(text)) return 0;
  if (says_what_went_wrong(text) || says_what_may_go_wrong(text) || says_one_of(to_lower(text), kFaults)) return 3;
  return says_why_plainly(text) ? 2 : 1;
}

bool gives_reason(std::string_view text) {
  static constexpr std::string_view kMoreWords[] = {
      "avoid",    "must ",     "ensure", "race",     "needed", "need to", "only when", "do not", "don't",   "doesn't",
      "does not", "important", "note:",  "required", "unless", "overlap", "safe",      "but ",   "need a ", "needs a ",
  };
  return explains_why(text) || (words_in(text) >= 5 && says_one_of(to_lower(without_examples(text)), kMoreWords));
}

bool leaves_undone(std::string_view sentence) {
  // "has not yet finished" is a state of a run.
  static constexpr std::string_view kUndone[] = {
      "does not yet ",   "do not yet ",       "doesn't yet ",        "don't yet ",      "cannot yet ",
      "can't yet ",      "not yet support",   "not yet implement",   "not yet handled", "not yet available",
      "not yet enabled", "not supported yet", "not implemented yet", "not handled yet"};
  static constexpr std::string_view kNotDone[] = {"not been done yet", "not yet been done", "not been implemented yet",
                                                  "not yet been implemented"};
  static constexpr std::string_view kFollows[] = {"because",   "since ", ", so ", "; so ",    "so that",
                                                  "therefore", "hence",  "thus ", "otherwise"};
  const std::string lower = to_lower(sentence);
  const auto has = [&](std::string_view words) { return contains(lower, words); };
  if (std::any_of(std::begin(kNotDone), std::end(kNotDone), has)) return true;
  return std::any_of(std::begin(kUndone), std::end(kUndone), has) &&
         std::none_of(std::begin(kFollows), std::end(kFollows), has);
}

bool speaks_of_fault(std::string_view title) {
  static constexpr std::string_view kWords[] = {"fix",    "bug",     "revert", "regress", "crash",  "hang",   "race",
                                                "deadl",  "leak",    "incorr", "wrong",   "broken", "repair", "correct",
                                                "restor", "prevent", "nan",    "error",   "fail",   "missing"};
  const std::string lower = to_lower(title);
  for (const std::string_view word : split(lower, ' ')) {
    const std::string_view shown = word.substr(std::min(word.find_first_not_of("[(\"'`"), word.size()));
    if (std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view one) { return shown.starts_with(one); }))
      return true;
  }
  return false;
}

}  // namespace lockstep::report
