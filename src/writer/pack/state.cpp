#include "writer/pack/state.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "program/shared_objects.h"
#include "python/facts.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/named_attributes.h"
#include "report/source/standing_texts.h"
#include "rules/syntax/expressions.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::ModuleId;
using program::Program;
using python::as;
using python::Node;
using report::Actor;
using report::Role;
using rules::text_of;

constexpr std::size_t kMostNames = 10;
constexpr std::size_t kMostSought = 20;
constexpr std::size_t kMostGathered = 60;     // names of one change that are looked for
constexpr std::size_t kMostSites = 400;       // of one name; what stands everywhere tells nothing
constexpr std::size_t kFrequent = 60;         // places; a name that stands in more is no lead
constexpr std::size_t kFrequentAround = 16;   // the same of names that only unchanged lines read
constexpr std::uint32_t kWholeFunction = 40;  // lines; of longer ones only what changed counts, unless a third did
constexpr std::size_t kFrequentWord = 8;      // the same of single short words
constexpr std::size_t kLongWord = 10;
constexpr std::size_t kShortestName = 3;

bool is_word(char c) {
  return (c >= '0' && c <= '9') || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// A name in the changed lines.
struct Mention {
  bool is_set = false;
  bool is_new = false;            ///< On a line that the change adds.
  bool decides = false;           ///< A condition around what changes asks for it.
  bool is_asked_by_name = false;  ///< `getattr(x, "name")`, `hasattr(x, "name")`.
  std::string path;
  std::uint32_t line = 0;
  /// Where the changed code names it only as `self.name`: the classes of these objects; else empty.
  std::set<program::ClassId> owners = {};
  bool is_of_others = false;  ///< It stands behind something else than `self`, too.
};

bool is_name(std::string_view text) {
  return text.size() >= kShortestName && text.size() <= 80 && !text.starts_with("__") &&
         (text.front() < '0' || text.front() > '9') && std::all_of(text.begin(), text.end(), is_word);
}

/// Gathers the names that one changed function sets and reads.
class Gatherer {
 public:
  Gatherer(const report::DocumentInputs& inputs, std::map<std::string, Mention, std::less<>>& names)
      : inputs_(inputs), names_(names) {}

  void add(const Actor& actor, std::set<FunctionId>& whole) {
    const change::EntitySide& side = *actor.change->after;
    const repo::FileChange* file = inputs_.change->diff->find_after(side.path);
    if (file == nullptr || side.node == nullptr) return;
    const auto& program = *inputs_.after;
    const SourceText& source = report::source_of(program, side.function);
    const std::uint32_t size = side.last_line - side.first_line + 1;
    const auto& added = file->lines.added_lines();
    const auto changed = static_cast<std::uint32_t>(std::count_if(added.begin(), added.end(), [&](std::uint32_t line) {
      return side.first_line <= line && line <= side.last_line;
    }));
    const bool is_whole = actor.is_added() || size < kWholeFunction || changed * 3 >= size;
    if (is_whole) whole.insert(side.function);
    python::walk(*side.node, python::Nested::kEnter, [&](const Node* node) {
      const std::uint32_t line = source.line_of(node->span.begin);
      const bool is_new = actor.is_added() || file->lines.is_added_line(line);
      if (!is_new && !is_whole) return;
      here_ = {false, is_new, false, false, side.path, line};
      visit(side.function, *node);
    });
    add_conditions(actor, side, source);
  }

 private:
  // What the conditions around changed steps ask for decides whether these run: whoever sets it counts as much.
  void add_conditions(const Actor& actor, const change::EntitySide& side, const SourceText& source) {
    constexpr std::size_t kMostSteps = 60;
    std::size_t looked = 0;
    for (const report::Step& step : actor.steps.after) {
      if (step.status == report::StepStatus::kKept || actor.is_added()) continue;
      if (++looked > kMostSteps) return;
      for (const report::Guard& guard : report::guards_of(*side.node, step.span)) {
        if (guard.condition == nullptr) continue;
        here_ = {false, true, true, false, side.path, source.line_of(guard.condition->span.begin)};
        visit(side.function, *guard.condition);
        python::walk(*guard.condition, python::Nested::kSkip, [&](const Node* node) { visit(side.function, *node); });
      }
    }
  }

  void visit(FunctionId function, const Node& node) {
    if (const auto* call = as<python::Call>(&node)) {
      visit_call(*call);
    } else if (const auto* attribute = as<python::Attribute>(&node)) {
      const auto* object = as<python::Name>(attribute->value);
      // What an autograd function keeps from its forward to its backward is seen by these two alone.
      const bool is_of_context = object != nullptr && object->id == "ctx";
      if (!callees_.contains(attribute) && !is_of_context && !is_of_module(function, *attribute->value)) {
        owner_ =
            object != nullptr && object->id == "self" ? inputs_.after->functions()[function].owner : program::ClassId();
        note(attribute->name.text, attribute->context != python::ExprContext::kLoad);
        owner_ = {};
      }
    } else if (const auto* item = as<python::Subscript>(&node)) {
      note(text_of(item->index), item->context != python::ExprContext::kLoad);
    }
  }

  // getattr(x, "a"), setattr(x, "a", v), d.get("a"), d.pop("a").
  void visit_call(const python::Call& call) {
    const std::string_view callee = report::callee_name(call);
    const bool is_method = python::is<python::Attribute>(call.callee);
    if (is_method) callees_.insert(call.callee);
    const auto argument = [&](std::size_t at) {
      return at < call.arguments.size() ? text_of(call.arguments[at]) : std::string_view();
    };
    if (!is_method && (callee == "getattr" || callee == "hasattr" || callee == "setattr")) {
      here_.is_asked_by_name = callee != "setattr";
      note(argument(1), callee == "setattr");
      here_.is_asked_by_name = false;
    }
    if (is_method && (callee == "get" || callee == "pop" || callee == "setdefault"))
      note(argument(0), callee == "setdefault");
    // `set_all(model, "mode", 1)`, which sets what it is told the name of.
    for (const report::AttributeByCall& one : report::attributes_by_call(*inputs_.after, call))
      note(one.name, one.is_set);
  }

  [[nodiscard]] bool is_of_module(FunctionId function, const python::Expr& owner) const {
    if (!python::is<python::Name>(&owner) && !python::is<python::Attribute>(&owner)) return false;
    const auto kind = inputs_.after->resolve(function, owner).kind;
    return kind == program::Reference::Kind::kModule || kind == program::Reference::Kind::kExternal;
  }

  void note(std::string_view name, bool is_set) {
    if (!is_name(name)) return;
    const auto [at, is_first] = names_.try_emplace(std::string(name), here_);
    Mention& mention = at->second;
    const bool is_better = std::make_tuple(is_set, here_.is_new) > std::make_tuple(mention.is_set, mention.is_new);
    const bool decides = mention.decides || here_.decides;
    const bool is_asked = mention.is_asked_by_name || here_.is_asked_by_name;
    std::set<program::ClassId> owners = mention.owners;
    bool is_of_others = mention.is_of_others;
    if (!is_first && is_better) mention = here_;
    mention.decides = decides;
    mention.is_asked_by_name = is_asked;
    if (is_first || is_better) mention.is_set = is_set;
    if (owner_.valid()) {
      owners.insert(owner_);
    } else {
      is_of_others = true;
    }
    mention.owners = std::move(owners);
    mention.is_of_others = is_of_others;
  }

  const report::DocumentInputs& inputs_;
  std::map<std::string, Mention, std::less<>>& names_;
  std::set<const Node*> callees_;
  Mention here_;
  program::ClassId owner_;  ///< Of the object whose attribute is looked at, where that is `self`.
};

/// Where a name stands in other code.
class Finder {
 public:
  /// Functions of `shown` are read whole by whoever reads the change.
  Finder(const report::DocumentInputs& inputs, const std::set<FunctionId>& shown)
      : inputs_(inputs), program_(*inputs.after), shown_(shown), texts_(program_) {}

  void find(StateName& state) const {
    for (std::size_t i = 0; i < program_.modules().size() && state.sites.size() < kMostSites; ++i) {
      const ModuleId id(i);
      const program::Module& module = program_.modules()[id];
      const std::string_view bytes = module.facts->source().bytes();
      for (std::size_t at = find_text(bytes, state.name); at != std::string_view::npos;
           at = find_text(bytes, state.name, at + state.name.size()))
        consider(state, id, at);
    }
  }

 private:
  void consider(StateName& state, ModuleId id, std::size_t at) const {
    const program::Module& module = program_.modules()[id];
    const SourceText& source = module.facts->source();
    const std::string_view bytes = source.bytes();
    const std::size_t end = at + state.name.size();
    if ((at > 0 && is_word(bytes[at - 1])) || (end < bytes.size() && is_word(bytes[end]))) return;
    const auto offset = static_cast<std::uint32_t>(at);
    const std::uint32_t line = source.line_of(offset);
    const auto kind = kind_at(source, line, at, end);
    if (!kind) return;
    if (program::is_test_path(module.path)) {
      ++state.in_tests;
      return;
    }
    const repo::FileChange* file = inputs_.change->diff->find_after(module.path);
    if (file != nullptr && file->lines.in_hunk(line)) return;
    const FunctionId function = program_.function_at(id, offset);
    if (is_shown(function) || texts_.holds(id, offset)) return;
    // `self.name` of a class that has nothing to do with those of the change.
    const program::ClassId owner = owner_of(function);
    const bool is_own = at >= 5 && bytes.substr(at - 5, 5) == "self." && owner.valid();
    const bool is_of_others = is_own && !state.owners.empty() &&
                              std::none_of(state.owners.begin(), state.owners.end(), [&](program::ClassId one) {
                                return program::may_share_objects(program_, one, owner);
                              });
    std::vector<StateSite>& sites = is_of_others ? state.namesakes : state.sites;
    const bool is_known = std::any_of(sites.begin(), sites.end(), [&](const StateSite& site) {
      return site.kind == *kind && site.function == function && *kind != StateSite::Kind::kDeclares;
    });
    if (!is_known) sites.push_back({*kind, function, line});
  }

  // With those around it: what stands in a shown function is shown with it.
  [[nodiscard]] bool is_shown(FunctionId function) const {
    for (; function.valid(); function = program_.functions()[function].enclosing) {
      if (shown_.contains(function)) return true;
    }
    return false;
  }

  // The class whose `self` a function within a method speaks of.
  [[nodiscard]] program::ClassId owner_of(FunctionId function) const {
    while (function.valid() && !program_.functions()[function].owner.valid())
      function = program_.functions()[function].enclosing;
    return function.valid() ? program_.functions()[function].owner : program::ClassId();
  }

  // nullopt: a variable or an argument that only has the same name, or words in a text.
  static std::optional<StateSite::Kind> kind_at(const SourceText& source, std::uint32_t line, std::size_t at,
                                                std::size_t end) {
    using Kind = StateSite::Kind;
    const std::string_view bytes = source.bytes();
    const std::string_view text = source.line(line);
    const std::string_view before = text.substr(0, at - source.line_start(line));
    if (trim(text).starts_with('#'))
      return !before.empty() && (before.back() == '`' || before.back() == '.' || text.find('_') != text.npos)
                 ? std::optional(Kind::kComment)
                 : std::nullopt;
    if (before.find(" # ") != before.npos || trim(text).starts_with("from ")) return std::nullopt;
    std::string_view after = bytes.substr(end, std::min<std::size_t>(40, bytes.size() - end));
    const char left = before.empty() ? ' ' : before.back();
    if (left == '.') {
      if (is_in_text(before)) return std::nullopt;
      return is_assigned(trim(after)) ? Kind::kSets : Kind::kReads;
    }
    if (left == '"' || left == '\'') {
      if (!after.starts_with(left)) return std::nullopt;
      after = trim(after.substr(1));
      const bool is_key = after.starts_with(':') && before.find("lambda") == before.npos;
      const bool is_item = after.starts_with(']') && is_assigned(trim(after.substr(1)));
      const bool is_call = before.find("setattr(") != before.npos || before.find("setdefault(") != before.npos;
      return is_key || is_item || is_call ? Kind::kSets : Kind::kReads;
    }
    // A field: "    name: type" in a class, not a parameter on a line of its own.
    const std::string_view next = trim(after);
    if (!trim(before).empty() || before.empty() || !next.starts_with(':') || text.ends_with(',')) return std::nullopt;
    return trim(text).ends_with(')') || text.find(", ") != text.npos ? std::nullopt : std::optional(Kind::kDeclares);
  }

  // After an odd number of quotation marks: words of a text, unless a brace of an f-string is open.
  static bool is_in_text(std::string_view before) {
    const std::size_t open = before.rfind('{'), closed = before.rfind('}');
    if (open != before.npos && (closed == before.npos || closed < open)) return false;
    return std::count(before.begin(), before.end(), '"') % 2 == 1 ||
           std::count(before.begin(), before.end(), '\'') % 2 == 1;
  }

  // "= x", "+= x", ": int = x"; not "== x".
  static bool is_assigned(std::string_view text) {
    if (text.starts_with('=')) return !text.starts_with("==");
    for (const std::string_view mark : {"+=", "-=", "*=", "/=", "|=", "&=", "%=", "@="}) {
      if (text.starts_with(mark)) return true;
    }
    const std::size_t equals = text.find('=');
    const std::size_t end = text.find_first_of("\n,)");
    return text.starts_with(": ") && equals < end && equals + 1 < text.size() && text[equals + 1] != '=';
  }

  const report::DocumentInputs& inputs_;
  const Program& program_;
  const std::set<FunctionId>& shown_;
  report::StandingTexts texts_;
};

std::size_t shared_folders(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) count += a[i] == '/' ? 1 : 0;
  return count;
}

// Whether a place asks for the name where a run decides by it, not where objects are built or arguments are checked.
bool decides_in_run(const Program& program, const StateSite& site) {
  if (site.kind != StateSite::Kind::kReads) return false;
  const program::Function& function = program.functions()[site.function];
  static constexpr std::string_view kBuilding[] = {"__init__", "__post_init__", "validate_args", "__repr__"};
  if (function.def() == nullptr || contains(function.name, "valid") || contains(function.name, "check") ||
      std::find(std::begin(kBuilding), std::end(kBuilding), function.name) != std::end(kBuilding))
    return false;
  const std::string_view text = trim(report::source_of(program, site.function).line(site.line));
  return text.starts_with("if ") || text.starts_with("elif ") || text.starts_with("while ") ||
         text.starts_with("and ") || text.starts_with("or ") || text.starts_with("return ") || contains(text, " if ");
}

// Functions that touch several names of the change, then those that decide by them, then those that stand near it.
void rank_sites(const Program& program, std::vector<StateName>& state) {
  std::map<FunctionId, std::set<std::string_view>> touched;
  for (const StateName& one : state) {
    for (const StateSite& site : one.sites) touched[site.function].insert(one.name);
  }
  for (StateName& one : state) {
    std::stable_sort(one.sites.begin(), one.sites.end(), [&](const StateSite& a, const StateSite& b) {
      const std::size_t of_a = touched[a.function].size(), of_b = touched[b.function].size();
      if (of_a != of_b) return of_a > of_b;
      if (const bool a_decides = decides_in_run(program, a); a_decides != decides_in_run(program, b)) return a_decides;
      return shared_folders(program.module_of(a.function).path, one.path) >
             shared_folders(program.module_of(b.function).path, one.path);
    });
  }
}

/// Whether some function or class of the program has that name.
bool defines(const Program& program, std::string_view name) {
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    if (program.functions()[FunctionId(i)].name == name) return true;
  }
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    if (program.classes()[program::ClassId(i)].name == name) return true;
  }
  return false;
}

}  // namespace

std::vector<StateName> find_state(const report::DocumentInputs& inputs, const report::Story& story) {
  std::map<std::string, Mention, std::less<>> names;
  std::set<FunctionId> whole;
  Gatherer gatherer(inputs, names);
  for (const Actor& actor : story.actors) {
    const bool is_told = actor.role == Role::kCentral || actor.role == Role::kSupporting;
    if (is_told && actor.is_function() && actor.change->after && actor.change->after->function.valid() &&
        names.size() < kMostGathered)
      gatherer.add(actor, whole);
  }
  std::vector<StateName> state;
  const Finder finder(inputs, whole);
  // All source is searched for each name, so the likeliest leads come first and the rest goes without.
  std::vector<const std::pair<const std::string, Mention>*> order;
  for (const auto& named : names) order.push_back(&named);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    const auto rank = [](const Mention& one) {
      return std::make_pair(!one.is_new, !one.is_set && !one.decides && !one.is_asked_by_name);
    };
    return rank(a->second) < rank(b->second);
  });
  if (order.size() > kMostSought) order.resize(kMostSought);
  for (const auto* named : order) {
    const auto& [name, mention] = *named;
    StateName one{name, mention.is_set, mention.path, mention.line, {}, 0};
    if (!mention.is_of_others) one.owners = mention.owners;
    finder.find(one);
    // What only the changed lines read and nobody sets comes from outside; what everybody reads is no lead.
    // "model" and "step" are words of every second function.
    const bool is_word_alone = name.find('_') == name.npos && name.size() < kLongWord;
    const std::size_t most = is_word_alone && !(mention.is_set && mention.is_new) ? kFrequentWord
                             : mention.is_set                                     ? kMostSites - 1
                             : mention.is_new                                     ? kFrequent
                                                                                  : kFrequentAround;
    one.is_from_outside = one.sites.empty() && one.namesakes.empty() && !one.is_set && mention.is_new &&
                          mention.is_asked_by_name && !defines(*inputs.after, name);
    if ((one.sites.empty() && !one.is_set && !one.is_from_outside) || one.sites.size() > most) continue;
    state.push_back(std::move(one));
  }
  std::stable_sort(state.begin(), state.end(), [&](const StateName& a, const StateName& b) {
    const auto rank = [&](const StateName& one) {
      const Mention& mention = names.find(one.name)->second;
      // What nothing else names leads nowhere.
      return std::make_tuple(one.sites.empty() && !one.is_from_outside, !mention.is_new,
                             !one.is_set && !mention.decides, one.sites.size());
    };
    return rank(a) < rank(b);
  });
  if (state.size() > kMostNames) state.resize(kMostNames);
  rank_sites(*inputs.after, state);
  return state;
}

std::vector<StateUser> users_of(const Program& program, const std::vector<StateName>& state) {
  std::map<FunctionId, StateUser> found;
  for (const StateName& one : state) {
    for (const StateSite& site : one.sites) {
      StateUser& user = found[site.function];
      user.function = site.function;
      if (user.names.empty() || user.names.back() != one.name) user.names.push_back(one.name);
      user.lines.push_back(site.line);
      user.touches_set = user.touches_set || one.is_set;
      user.near = std::max(user.near, shared_folders(program.module_of(site.function).path, one.path));
    }
  }
  std::vector<StateUser> users;
  for (auto& [id, user] : found) users.push_back(std::move(user));
  std::stable_sort(users.begin(), users.end(), [](const StateUser& a, const StateUser& b) {
    const auto rank = [](const StateUser& user) {
      return std::make_tuple(user.near > 0, user.names.size(), user.touches_set, user.near);
    };
    return rank(a) > rank(b);
  });
  return users;
}

}  // namespace lockstep::writer
