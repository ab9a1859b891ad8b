// The configuration values that the change adds, alters, or stands under: where declared, their defaults, who reads
// them, and whether the changed code runs with the defaults.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "report/story/story.h"
#include "report/ways/stored_settings.h"
#include "rules/bindings.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

namespace lockstep::report {

using namespace python;
using change::EntityKind;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using rules::keyword_value;
using rules::text_of;

namespace {

constexpr std::size_t kMostFlags = 6;

/// Finds where names are declared: fields of configuration classes, and CLI arguments.
class Declarations {
 public:
  explicit Declarations(const Program& program) : program_(program) {
    for (const program::Module& module : program.modules()) {
      if (!program::is_test_path(module.path) && contains(module.facts->source().bytes(), "add_argument"))
        declaring_.push_back(&module);
    }
  }

  void describe(Flag& flag) const {
    if (flag.place.empty()) find_field(flag);
    const std::string field = flag.owner.substr(flag.owner.rfind('.') + 1);
    if (!flag.is_new && !flag.is_changed && !field.ends_with("Config") && !field.ends_with("Args")) {
      // A dataclass that only happens to have a field of this name; a command-line argument is the better witness.
      Flag argument;
      argument.name = flag.name;
      argument.argument = flag.argument;
      argument.guards = flag.guards;
      argument.scope = flag.scope;
      argument.guarded = flag.guarded;
      argument.is_decided_here = flag.is_decided_here;
      find_argument(argument);
      if (!argument.place.empty()) flag = argument;
    }
    find_argument(flag);
    if (names_unknown(flag.help)) flag.help.clear();
    count_readers(flag);
  }

  const Expr* default_expression(const Flag& flag) const {
    const ClassId cls = flag.owner.empty() ? ClassId() : program_.find_class(flag.owner);
    if (!cls.valid()) return nullptr;
    const program::Field* field = program_.find_field(cls, flag.name);
    return field == nullptr ? nullptr : field->default_value;
  }

  void fill_from_field(Flag& flag, ClassId cls) const {
    const auto& owner = program_.classes()[cls];
    for (const program::Field& field : owner.fields) {
      if (field.name != flag.name || !field.in_class_body || field.node == nullptr) continue;
      const auto& module = program_.module_of(cls);
      const SourceText& source = module.facts->source();
      flag.owner = owner.qualified_name;
      flag.place = report::place(module.path, source.line_of(field.node->span.begin));
      if (field.default_value != nullptr) flag.default_value = default_text(*field.default_value, source);
      const std::string words = documentation(*owner.node, *field.node, source);
      flag.help = first_sentence(words, 160);
      flag.derived = derived_sentence(words);
    }
  }

 private:
  /// What a field holds unless it is given: of `field(default=x)` that is `x`, of `field(default_factory=list)` it is
  /// `list()`; empty for a `field(…)` with neither.
  static std::string default_text(const Expr& declared, const SourceText& source) {
    const auto* call = as<Call>(&declared);
    const std::string_view callee = call == nullptr ? std::string_view() : rules::last_part_of(call);
    if (callee != "field" && callee != "Field") return one_line(source, declared, 50);
    if (const Expr* value = keyword_value(*call, "default")) return one_line(source, *value, 50);
    const Expr* factory = keyword_value(*call, "default_factory");
    if (const auto* lambda = as<Lambda>(factory)) return one_line(source, *lambda->body, 50);
    return factory == nullptr ? std::string() : one_line(source, *factory, 48) + "()";
  }

  /// The sentence that says that the program sets the field, and nobody else is to; empty where none says so whatever
  /// the other settings are.
  static std::string derived_sentence(std::string_view words) {
    constexpr std::string_view kSays[] = {"automatically set", "do not set",     "don't set",        "internal /",
                                          "internal only",     "internal use",   "must not be set",  "not to be set",
                                          "set automatically", "set internally", "should not be set"};
    constexpr std::string_view kOnlySometimes[] = {" if ", "if ", " when ", "when ", " unless ", " default"};
    const auto has = [](const std::string& text, std::string_view word) { return contains(text, word); };
    const std::string paragraphs = replace_all(std::string(words), "\n\n", "\f");
    for (const std::string_view paragraph : split(paragraphs, '\f')) {
      std::string text;
      for (const char c : paragraph) {
        const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!is_blank || (!text.empty() && text.back() != ' ')) text += is_blank ? ' ' : c;
      }
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(". ", at), text.size() - 1);  // Of its full stop.
        const std::string sentence(trim(std::string_view(text).substr(at, end + 1 - at)));
        const std::string lower = to_lower(sentence);
        const auto is_in = [&](std::string_view word) { return has(lower, word); };
        const bool sometimes = std::any_of(std::begin(kOnlySometimes), std::end(kOnlySometimes), [&](auto word) {
          return word.front() == ' ' ? is_in(word) : lower.starts_with(word);
        });
        if (!sometimes && std::any_of(std::begin(kSays), std::end(kSays), is_in)) return first_sentence(sentence, 240);
        at = end + 1;
      }
    }
    return {};
  }

  /// The bare string below a field, or the comment above or beside it.
  static std::string documentation(const ClassDef& cls, const Node& field, const SourceText& source) {
    for (std::size_t i = 0; i + 1 < cls.body.size(); ++i) {
      if (cls.body[i]->span.begin != field.span.begin) continue;
      const auto* next = as<ExprStmt>(cls.body[i + 1]);
      const std::string_view text = next == nullptr ? std::string_view() : text_of(next->value);
      if (!text.empty()) return std::string(text);
    }
    const std::uint32_t line = source.line_of(field.span.begin);
    const std::string above = comment_above(source, line);
    // Two words above a field are a heading.
    const bool is_heading = std::count(above.begin(), above.end(), ' ') < 2;
    return is_heading ? trailing_comment(source, line) : above;
  }

  void find_field(Flag& flag) const {
    ClassId best;
    for (std::size_t i = 0; i < program_.classes().size(); ++i) {
      const ClassId id(i);
      const auto& cls = program_.classes()[id];
      const bool has = std::any_of(cls.fields.begin(), cls.fields.end(), [&](const program::Field& field) {
        return field.in_class_body && field.name == flag.name;
      });
      if (!has || program::is_test_path(program_.module_of(id).path)) continue;
      if (!cls.is_dataclass && !cls.name.ends_with("Config") && !cls.name.ends_with("Args")) continue;
      // Where people look: a class called Config before other dataclasses, the one with the most fields before others.
      const auto rank = [&](ClassId one) {
        const auto& c = program_.classes()[one];
        return std::make_pair(c.name.ends_with("Config") || c.name.ends_with("Args"), c.fields.size());
      };
      if (!best.valid() || rank(id) > rank(best)) best = id;
    }
    if (best.valid()) fill_from_field(flag, best);
  }

  void find_argument(Flag& flag) const {
    std::string dashed = "--" + flag.name;
    std::replace(dashed.begin() + 2, dashed.end(), '_', '-');
    for (const program::Module* declaring : declaring_) {
      const program::Module& module = *declaring;
      const std::string_view bytes = module.facts->source().bytes();
      for (const std::string& spelling : {flag.argument.empty() ? dashed : flag.argument, "--" + flag.name}) {
        for (std::size_t at = find_text(bytes, spelling); at != std::string_view::npos;
             at = find_text(bytes, spelling, at + 1)) {
          if (at == 0 || (bytes[at - 1] != '"' && bytes[at - 1] != '\'')) continue;
          const char after = at + spelling.size() < bytes.size() ? bytes[at + spelling.size()] : ' ';
          if (after != '"' && after != '\'') continue;
          if (use_argument(flag, module, static_cast<std::uint32_t>(at), spelling)) return;
        }
      }
    }
  }

  bool use_argument(Flag& flag, const program::Module& module, std::uint32_t offset,
                    const std::string& spelling) const {
    for (const Node* node : chain_to(module.facts->tree(), {offset, offset + 1})) {
      const auto* call = as<Call>(node);
      if (call == nullptr || callee_name(*call) != "add_argument" || rules::argparse_destination(*call) != flag.name)
        continue;
      const SourceText& source = module.facts->source();
      flag.argument = spelling;
      const std::string_view action = text_of(keyword_value(*call, "action"));
      const Value given = value_of(keyword_value(*call, "default"));
      flag.is_fixed = given.kind == Value::Kind::kBool &&
                      ((action == "store_true" && given.truth) || (action == "store_false" && !given.truth));
      if (!flag.place.empty()) return true;
      flag.place = report::place(module.path, source.line_of(call->span.begin));
      if (const Expr* value = keyword_value(*call, "default")) {
        flag.default_value = one_line(source, *value, 50);
      } else {
        flag.default_value = argument_default(*call).text;
      }
      if (flag.help.empty()) flag.help = first_sentence(text_of(keyword_value(*call, "help")), 160);
      return true;
    }
    return false;
  }

  /// Whether words on a setting name an argument (`--x`) or a class (:class:`X`) that the repository does not have:
  /// they were written for another state of it.
  [[nodiscard]] bool names_unknown(const std::string& words) const {
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    for (std::size_t at = words.find("--"); at != std::string::npos; at = words.find("--", at + 2)) {
      std::size_t end = at + 2;
      while (end < words.size() && is_part(words[end])) ++end;
      const bool is_option = end > at + 4 && std::isalpha(static_cast<unsigned char>(words[at + 2])) != 0 &&
                             (at == 0 || !is_part(words[at - 1]));
      if (is_option && !is_known_option(words.substr(at, end - at))) return true;
    }
    constexpr std::string_view kRole = ":class:`";
    for (std::size_t at = words.find(kRole); at != std::string::npos; at = words.find(kRole, at + 1)) {
      const std::size_t begin = at + kRole.size();
      std::size_t end = begin;
      while (end < words.size() && is_part(words[end])) ++end;
      // Of a dotted name the class is not told from the module.
      if (end > begin && words.compare(end, 3, ".__") != 0 && (end == words.size() || words[end] != '`')) continue;
      if (end > begin && !is_known_class(std::string_view(words).substr(begin, end - begin))) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_known_option(const std::string& option) const {
    std::string name = option.substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    for (const program::Module& module : program_.modules()) {
      const std::string_view bytes = module.facts->source().bytes();
      if (find_name(bytes, name) != std::string_view::npos) return true;
      for (const char quote : {'"', '\''}) {
        if (contains(bytes, quote + option + quote)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool is_known_class(std::string_view name) const {
    if (std::any_of(program_.classes().begin(), program_.classes().end(),
                    [&](const program::Class& cls) { return cls.name == name; }))
      return true;
    return std::any_of(program_.modules().begin(), program_.modules().end(), [&](const program::Module& module) {
      const auto& imports = module.facts->imports;
      return std::any_of(imports.begin(), imports.end(),
                         [&](const ImportedName& each) { return each.bound_as == name || each.name == name; });
    });
  }

  /// Whether the attribute whose name stands at `at` is read off a configuration, or off anything that is known to be
  /// of the class that declares it: no call of a method of that name, nothing that a text or comment says.
  [[nodiscard]] bool is_read_of(const Flag& flag, ModuleId module, std::uint32_t at) const {
    const std::vector<const Node*> around = chain_to(program_.modules()[module].facts->tree(), {at, at + 1});
    const auto* attribute = around.empty() ? nullptr : as<Attribute>(around.back());
    if (attribute == nullptr || attribute->name.span.begin != at || attribute->context != ExprContext::kLoad)
      return false;
    const auto* call = around.size() < 2 ? nullptr : as<Call>(around[around.size() - 2]);
    if (call != nullptr && call->callee == attribute) return false;
    if (!config_attribute(*attribute).empty()) return true;
    const ClassId owner = flag.owner.empty() ? ClassId() : program_.find_class(flag.owner);
    const FunctionId function = owner.valid() ? program_.function_at(module, at) : FunctionId();
    if (!function.valid()) return false;
    const auto has_field = [&](ClassId cls) {
      return cls == owner || (cls.valid() && program_.derives_from(cls, flag.owner));
    };
    const auto* object = as<Name>(attribute->value);
    if (object != nullptr && object->id == "self") return has_field(program_.functions()[function].owner);
    const std::vector<ClassId> classes = program_.instance_classes(function, *attribute->value);
    if (!classes.empty()) return std::all_of(classes.begin(), classes.end(), has_field);
    // `def f(options: Options)`.
    const FunctionDef* def = program_.functions()[function].def();
    const Parameter* parameter =
        def == nullptr || object == nullptr ? nullptr : rules::parameter_named(def, object->id);
    return parameter != nullptr && parameter->annotation != nullptr &&
           has_field(program_.resolve(function, *parameter->annotation).cls);
  }

  void count_readers(Flag& flag) const {
    constexpr std::size_t kMostLooked = 1000;  // Places of one module.
    const std::string needle = "." + flag.name;
    std::set<std::uint32_t> readers;
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::Module& module = program_.modules()[ModuleId(i)];
      const std::string_view bytes = module.facts->source().bytes();
      if (!contains(bytes, flag.name) || program::is_test_path(module.path)) continue;
      std::size_t looked = 0;
      for (std::size_t at = find_text(bytes, needle); at != std::string_view::npos && looked < kMostLooked;
           at = find_text(bytes, needle, at + 1)) {
        const char after = at + needle.size() < bytes.size() ? bytes[at + needle.size()] : ' ';
        if (std::isalnum(static_cast<unsigned char>(after)) != 0 || after == '_') continue;
        ++looked;
        if (!is_read_of(flag, ModuleId(i), static_cast<std::uint32_t>(at) + 1)) continue;
        readers.insert(program_.function_at(ModuleId(i), static_cast<std::uint32_t>(at)).value);
      }
      // getattr(args, "name", …)
      for (const char quote : {'"', '\''}) {
        const std::string text = fmt::format("{0}{1}{0}", quote, flag.name);
        for (std::size_t at = find_text(bytes, text); at != std::string_view::npos;
             at = find_text(bytes, text, at + 1)) {
          const std::string_view before = bytes.substr(at > 60 ? at - 60 : 0, std::min<std::size_t>(at, 60));
          if (contains(before.substr(before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n')), "attr(")) {
            readers.insert(program_.function_at(ModuleId(i), static_cast<std::uint32_t>(at)).value);
          }
        }
      }
    }
    constexpr std::size_t kMostNames = 3;
    for (const std::uint32_t reader : readers) {
      const FunctionId id(reader);
      // The field's own class only checks it.
      if (!id.valid() || program_.functions()[id].kind != program::FunctionKind::kFunction) continue;
      ++flag.readers;
      if (flag.reader_names.size() < kMostNames) flag.reader_names.push_back(code(short_name(program_, id)));
    }
  }

  const Program& program_;
  std::vector<const program::Module*> declaring_;  ///< Modules outside tests that declare command-line arguments.
};

struct Condition {
  const Expr* expression;
  bool negated;
  const SourceText* source;
  GuardScope scope;
  std::size_t central;
  bool is_changed;          ///< The condition itself is new or changed.
  ClassId owner;            ///< Class of the function that it stands in; may be none.
  bool guards_all = false;  ///< All changed steps of the function stand in one branch of it.
};

/// The changed steps of a function, each with the branches that hold it.
struct GuardedSteps {
  std::vector<std::pair<const Step*, std::vector<Guard>>> steps;
  bool are_all = true;  ///< There are no more, and none was taken away.
};

GuardedSteps guarded_steps(const Actor& actor) {
  constexpr std::size_t kMostSteps = 100;
  GuardedSteps out;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept) continue;
    if (out.steps.size() == kMostSteps) {
      out.are_all = false;
      break;
    }
    out.steps.emplace_back(&step, guards_of(*actor.change->after->node, step.span));
  }
  // What was taken away stood somewhere too.
  const auto stays = [](const Step& step) { return step.status == StepStatus::kKept || step.partner != Step::kNone; };
  out.are_all = out.are_all && std::all_of(actor.steps.before.begin(), actor.steps.before.end(), stays);
  return out;
}

/// True if all changed steps of a function stand in one branch of `condition`: the `else` if that is `negated`.
bool guards_all_changes(const GuardedSteps& changed, const Expr& condition, bool negated) {
  return changed.are_all && std::all_of(changed.steps.begin(), changed.steps.end(), [&](const auto& each) {
           const auto& [step, guards] = each;
           const auto* branch = as<If>(step->node);
           if (branch != nullptr && branch->condition == &condition && branch->orelse.empty()) return true;
           return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
             return guard.condition == &condition && guard.negated == negated;
           });
         });
}

/// The configuration value that `self.x` of the class was made from (`self.x = config.y`); empty for others.
std::string_view made_from(const Program& program, ClassId owner, const Node& node) {
  const auto* attribute = as<Attribute>(&node);
  const auto* self = attribute == nullptr ? nullptr : as<Name>(attribute->value);
  if (self == nullptr || self->id != "self" || !owner.valid()) return {};
  const program::Field* field = program.find_field(owner, attribute->name.text);
  return field == nullptr || field->default_value == nullptr || field->in_class_body
             ? std::string_view()
             : config_attribute(*field->default_value);
}

/// Configuration values that a condition reads, directly or as attributes made from them.
std::vector<std::string> reads_of(const Program& program, const Condition& condition) {
  std::vector<std::string> out = config_reads(*condition.expression);
  const auto visit = [&](const auto& walk, const Node& node) -> void {
    const std::string_view name = made_from(program, condition.owner, node);
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.emplace_back(name);
    for_each_child(node, [&](const Node* child) { walk(walk, *child); });
  };
  visit(visit, *condition.expression);
  return out;
}

/// Conditions of changed steps, around them, and on the last calls of the way there; the lead's first.
std::vector<Condition> conditions_of(const DocumentInputs& inputs, const Story& story) {
  std::vector<Condition> out;
  std::vector<std::size_t> order(story.central.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return story.central[a] < story.central[b]; });
  for (const std::size_t c : order) {
    const Actor& actor = story.actor(c);
    if (actor.steps.after_source == nullptr) continue;
    const FunctionId function = actor.change->after ? actor.change->after->function : FunctionId();
    const ClassId owner = function.valid() ? inputs.after->functions()[function].owner : ClassId();
    const GuardedSteps changed = guarded_steps(actor);
    std::size_t told = 0;
    for (const auto& [step, guards] : changed.steps) {
      if (const auto* branch = as<If>(step->node); branch != nullptr && step->kind == StepKind::kIf)
        out.push_back({branch->condition, false, actor.steps.after_source, GuardScope::kStep, c, true, owner,
                       guards_all_changes(changed, *branch->condition, false)});
      if (actor.is_added() || ++told > 20) continue;
      for (const Guard& guard : guards) {
        if (guard.condition != nullptr)
          out.push_back({guard.condition, guard.negated, actor.steps.after_source, GuardScope::kStep, c, false, owner,
                         guards_all_changes(changed, *guard.condition, guard.negated)});
      }
    }
    const EntryPath& path = story.entries[c];
    for (std::size_t i = path.frames.size() > 2 ? path.frames.size() - 2 : 0; i < path.frames.size(); ++i) {
      for (const Guard& guard : path.frames[i].guards) {
        if (guard.condition != nullptr)
          out.push_back({guard.condition, guard.negated, &source_of(*inputs.after, path.frames[i].function),
                         GuardScope::kWay, c, false, inputs.after->functions()[path.frames[i].function].owner});
      }
    }
  }
  return out;
}

bool has_flag(const Story& story, std::string_view name) {
  return std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) { return flag.name == name; });
}

bool holds_configuration(const program::Class& cls) {
  if (cls.name.starts_with('_')) return false;  // Nobody outside sets what a private class holds.
  for (const std::string_view end : {"Config", "Configuration", "Args", "Arguments", "Options", "Settings", "Params"}) {
    if (cls.name.ends_with(end)) return true;
  }
  return false;
}

void add_changed_fields(const DocumentInputs& inputs, const Declarations& declarations, Story& story) {
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (entity.kind != EntityKind::kField || !entity.after || !entity.after->cls.valid() || actor.role == Role::kTest ||
        entity.is_cosmetic())
      continue;
    if (!holds_configuration(inputs.after->classes()[entity.after->cls])) continue;
    Flag flag;
    flag.name = entity.after->qualified_name.substr(entity.after->qualified_name.rfind('.') + 1);
    if (has_flag(story, flag.name)) continue;
    declarations.fill_from_field(flag, entity.after->cls);
    flag.is_new = actor.is_added();
    flag.is_changed = !flag.is_new;
    if (flag.is_changed && entity.before && entity.before->cls.valid()) {
      Flag old_flag;
      old_flag.name = flag.name;
      Declarations(*inputs.before).fill_from_field(old_flag, entity.before->cls);
      if (old_flag.default_value != flag.default_value) flag.old_default = old_flag.default_value;
    }
    story.flags.push_back(std::move(flag));
  }
}

/// Source text of all that an `add_argument` says beside its help.
std::vector<std::string> declaration_of(const Call& call, const SourceText& source) {
  std::vector<std::string> out;
  for (const Expr* argument : call.arguments) out.emplace_back(source.slice(argument->span));
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text != "help") out.emplace_back(source.slice(keyword->span));
  }
  return out;
}

/// Another help text declares no other setting.
bool differs_only_in_help(const Actor& actor, const Step& step, const Call& call) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
  const auto* statement = as<ExprStmt>(actor.steps.before[step.partner].node);
  const auto* old_call = statement == nullptr ? nullptr : as<Call>(statement->value);
  return old_call != nullptr && callee_name(*old_call) == "add_argument" &&
         declaration_of(*old_call, *actor.steps.before_source) == declaration_of(call, *actor.steps.after_source);
}

/// `add_argument("--x", …)` on lines that the change adds.
void add_changed_arguments(Story& story) {
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.role == Role::kTest || actor.steps.after_source == nullptr) continue;
    for (const Step& step : actor.steps.after) {
      const auto* statement = as<ExprStmt>(step.node);
      const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
      if (step.status == StepStatus::kKept || call == nullptr || callee_name(*call) != "add_argument" ||
          call->arguments.empty())
        continue;
      const std::string_view option = text_of(call->arguments.front());
      if (!option.starts_with("--") || differs_only_in_help(actor, step, *call)) continue;
      Flag flag;
      flag.name = rules::argparse_destination(*call);
      flag.argument = option;
      if (flag.name.empty()) continue;
      const auto known =
          std::find_if(story.flags.begin(), story.flags.end(), [&](const Flag& one) { return one.name == flag.name; });
      if (known != story.flags.end()) {
        known->argument = option;
        continue;
      }
      flag.is_new = step.status == StepStatus::kAdded;
      flag.is_changed = !flag.is_new;
      story.flags.push_back(std::move(flag));
    }
  }
}

void add_guards(const Program& program, const std::vector<Condition>& conditions, Story& story) {
  for (const Condition& condition : conditions) {
    for (const std::string& name : reads_of(program, condition)) {
      auto flag =
          std::find_if(story.flags.begin(), story.flags.end(), [&](const Flag& one) { return one.name == name; });
      if (flag == story.flags.end()) {
        if (story.flags.size() >= 2 * kMostFlags) continue;
        story.flags.push_back({});
        flag = std::prev(story.flags.end());
        flag->name = name;
      }
      if (!flag->guards.empty()) continue;
      flag->guards = condition_words(*condition.expression, *condition.source, condition.negated);
      flag->scope = condition.scope;
      flag->guards_all = condition.guards_all;
      flag->guarded = condition.central;
      flag->is_decided_here = condition.is_changed;
    }
  }
}

/// Attributes that changed steps of functions outside tests read.
std::set<std::string_view> attributes_read(const Story& story) {
  std::set<std::string_view> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.steps.after_source == nullptr) continue;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept) continue;
      walk_of<Attribute>(*step.node, Nested::kSkip, [&](const Attribute* one) {
        if (step.span.contains(one->span) && one->context == ExprContext::kLoad) out.insert(one->name.text);
      });
      walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
        const std::string_view callee = callee_name(*call);
        if (step.span.contains(call->span) && (callee == "getattr" || callee == "hasattr") &&
            call->arguments.size() >= 2)
          out.insert(text_of(call->arguments[1]));
      });
    }
  }
  return out;
}

/// A setting under which the change marks something (`param.group = 'x'`) that other changed code then asks for: it
/// switches that code on, though no condition there reads it.
void add_switches(const DocumentInputs& inputs, Story& story) {
  const std::set<std::string_view> read = attributes_read(story);
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.steps.after_source == nullptr || !actor.change->after) continue;
    const program::ModuleId old = inputs.before->find_path(actor.change->after->path);
    for (const Step& step : actor.steps.after) {
      const auto* assign = as<Assign>(step.node);
      const auto* marked =
          assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Attribute>(assign->targets[0]);
      if (step.status != StepStatus::kAdded || marked == nullptr || !read.contains(marked->name.text)) continue;
      // An attribute that was there before marked other things, too.
      if (old.valid() &&
          find_name(inputs.before->modules()[old].facts->source().bytes(), marked->name.text) != std::string_view::npos)
        continue;
      for (const Guard& guard : guards_of(*actor.change->after->node, step.span)) {
        if (guard.condition == nullptr) continue;
        for (const std::string& name : config_reads(*guard.condition)) {
          if (has_flag(story, name)) continue;
          Flag flag;
          flag.name = name;
          flag.guards = condition_words(*guard.condition, *actor.steps.after_source, guard.negated);
          flag.is_decided_here = true;
          story.flags.push_back(std::move(flag));
        }
      }
    }
  }
}

/// Where a title begins behind the part of the code that it is filed under: "fix(tensor_parallel): …", "data_utils: …".
std::size_t behind_scope(std::string_view title) {
  const std::size_t colon = title.find(": ");
  if (colon == std::string_view::npos) return 0;
  const std::string_view head = title.substr(0, colon);
  const std::string_view word = head.substr(0, head.find('('));
  return word.find(' ') == std::string_view::npos ? colon + 2 : 0;
}

/// Settings that the title may name: `some_setting`, `--some-setting`. Their names.
std::set<std::string> add_titled(const DocumentInputs& inputs, Story& story) {
  std::set<std::string> names;
  const std::string& title = inputs.title;
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  for (std::size_t at = behind_scope(title); at < title.size();) {
    std::size_t end = at;
    while (end < title.size() && is_part(title[end])) ++end;
    std::string name = title.substr(at, end - at);
    at = end + 1;
    const bool is_option = name.starts_with("--");
    if (is_option) name.erase(0, 2);
    if (name.size() < 5 || (!is_option && !contains(name, "_"))) continue;
    std::replace(name.begin(), name.end(), '-', '_');
    if (has_flag(story, name) || !names.insert(name).second) continue;
    Flag flag;
    flag.name = std::move(name);
    flag.is_decided_here = true;
    story.flags.push_back(std::move(flag));
  }
  return names;
}

/// Drops those of the names that are no settings: fields of data, and what functions are called, too.
void drop_no_settings(const Program& program, const std::set<std::string>& titled, Story& story) {
  std::erase_if(story.flags, [&](const Flag& flag) {
    if (!titled.contains(flag.name)) return false;
    const bool is_config = flag.owner.ends_with("Config") || flag.owner.ends_with("Args") || !flag.argument.empty();
    return !is_config || std::any_of(program.functions().begin(), program.functions().end(),
                                     [&](const program::Function& one) { return one.name == flag.name; });
  });
}

void decide_defaults(const Program& program, const std::vector<Condition>& conditions, const Declarations& declarations,
                     Story& story) {
  const Defaults defaults(program);
  StoredSettings stored(program, defaults);
  for (Flag& flag : story.flags) {
    // What code sets afterwards is not what was declared.
    if (flag.guards.empty() || stored.contains(flag.name)) continue;
    const Expr* expression = declarations.default_expression(flag);
    Value value = value_of(expression);
    if (expression == nullptr && (flag.default_value == "True" || flag.default_value == "False"))
      value = {Value::Kind::kBool, flag.default_value == "True", flag.default_value};
    if (expression == nullptr && flag.default_value == "None") value = {Value::Kind::kNone, false, "None"};
    const auto lookup = [&](std::string_view name) { return name == flag.name ? value : Value(); };
    for (const Condition& condition : conditions) {
      if (made_from(program, condition.owner, *condition.expression) == flag.name &&
          value.kind != Value::Kind::kUnknown) {
        flag.runs_by_default = value.truth != condition.negated;
        break;
      }
      const auto reads = config_reads(*condition.expression);
      if (std::find(reads.begin(), reads.end(), flag.name) == reads.end()) continue;
      const auto result = holds(*condition.expression, lookup);
      if (result) flag.runs_by_default = *result != condition.negated;
      break;
    }
  }
}

}  // namespace

void find_flags(const DocumentInputs& inputs, Story& story) {
  const Declarations declarations(*inputs.after);
  add_changed_fields(inputs, declarations, story);
  add_changed_arguments(story);
  add_switches(inputs, story);
  const auto count_new = [&] {
    return static_cast<std::size_t>(std::count_if(
        story.flags.begin(), story.flags.end(), [](const Flag& flag) { return flag.is_new && flag.derived.empty(); }));
  };
  const std::size_t all_new = count_new();
  // What nobody is to set comes last.
  std::stable_partition(story.flags.begin(), story.flags.end(), [](const Flag& flag) { return flag.derived.empty(); });
  if (story.flags.size() > 2 * kMostFlags) story.flags.resize(2 * kMostFlags);
  const std::size_t looked_at = count_new();
  const std::vector<Condition> conditions = conditions_of(inputs, story);
  add_guards(*inputs.after, conditions, story);
  const std::set<std::string> titled = add_titled(inputs, story);
  for (Flag& flag : story.flags) declarations.describe(flag);
  // A name that is declared nowhere is no configuration (a local called args, say).
  std::erase_if(story.flags, [](const Flag& flag) { return flag.place.empty(); });
  drop_no_settings(*inputs.after, titled, story);
  decide_defaults(*inputs.after, conditions, declarations, story);
  story.new_flags = count_new() + (all_new - looked_at);
  // A kept condition around a companion's changed lines tells little of the change.
  const std::size_t lead = story.lead();
  std::erase_if(story.flags, [&](const Flag& flag) {
    return !flag.is_new && !flag.is_changed && !flag.is_decided_here && flag.guarded != lead;
  });
  std::stable_sort(story.flags.begin(), story.flags.end(), [](const Flag& a, const Flag& b) {
    const auto key = [](const Flag& one) {
      return std::make_tuple(!one.derived.empty(), !one.is_new, !one.is_changed, !one.is_decided_here,
                             one.guards.empty());
    };
    return key(a) < key(b);
  });
  if (story.flags.size() > kMostFlags) story.flags.resize(kMostFlags);
}

}  // namespace lockstep::report
