#include "report/story/settings/flag_declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <tuple>

#include "base/find_text.h"
#include "base/paths.h"
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "report/source/givings.h"
#include "report/source/sentence_ends.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using rules::keyword_value;
using rules::text_of;

namespace {

/// What a field holds unless it is given: of `field(default=x)` that is `x`, of `field(default_factory=list)` it is
/// `list()`; empty for a `field(…)` with neither.
std::string default_text(const Expr& declared, const SourceText& source) {
  const auto* call = as<Call>(&declared);
  if (call == nullptr) return one_line(source, declared, 50);
  const std::string_view callee = rules::last_part_of(call);
  if (callee != "field" && callee != "Field") return one_line(source, declared, 50);
  if (const Expr* value = keyword_value(*call, "default")) return one_line(source, *value, 50);
  const Expr* factory = keyword_value(*call, "default_factory");
  if (const auto* lambda = as<Lambda>(factory)) return one_line(source, *lambda->body, 50);
  return factory == nullptr ? std::string() : one_line(source, *factory, 48) + "()";
}

/// The sentences of all paragraphs, without runs of white space.
std::vector<std::string> sentences_of(std::string_view words) {
  std::vector<std::string> out;
  const std::string paragraphs = replace_all(std::string(words), "\n\n", "\f");
  for (const std::string_view paragraph : split(paragraphs, '\f')) {
    std::string text;
    for (const char c : paragraph) {
      const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!is_blank || (!text.empty() && text.back() != ' ')) text += is_blank ? ' ' : c;
    }
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = sentence_end(text, at);
      out.emplace_back(trim(std::string_view(text).substr(at, end - at)));
      at = end;
    }
  }
  return out;
}

bool has_any(const std::string& text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return contains(text, word); });
}

/// The sentence that says that the program sets the field, and nobody else is to; empty where none says so whatever
/// the other settings are.
std::string derived_sentence(std::string_view words) {
  constexpr std::string_view kSays[] = {"automatically set", "do not set",     "don't set",        "internal /",
                                        "internal only",     "internal use",   "must not be set",  "not to be set",
                                        "set automatically", "set internally", "should not be set"};
  constexpr std::string_view kOnlySometimes[] = {" if ", "if ", " when ", "when ", " unless ", " default"};
  const std::vector<std::string> sentences = sentences_of(words);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::string lower = to_lower(sentences[i]);
    const bool sometimes = std::any_of(std::begin(kOnlySometimes), std::end(kOnlySometimes), [&](auto word) {
      return word.front() == ' ' ? contains(lower, word) : lower.starts_with(word);
    });
    if (sometimes || !has_any(lower, kSays)) continue;
    // "Use `other_setting` to control it.": what people set in its place.
    const std::string said = first_sentence(sentences[i], 240);
    const bool names_other = i + 1 < sentences.size() && sentences[i + 1].starts_with("Use ");
    return names_other ? said + " " + first_sentence(sentences[i + 1], 160) : said;
  }
  return {};
}

/// Whether a list begins before the sentence: what it says is said of one item, of which a quotation says nothing.
bool is_of_list(std::string_view words, const std::string& sentence) {
  const std::size_t at = words.find(std::string_view(sentence).substr(0, 12));
  const std::string_view before = words.substr(0, at);
  const std::vector<std::string_view> lines = split_lines(before);
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    line = trim(line);
    return line.starts_with("- ") || line.starts_with("* ") || line.starts_with("\"");
  });
}

/// What is quoted of the documentation of a setting that was there: what it does, and the first further sentence that
/// says what it needs, or where it does not work.
std::string known_help(std::string_view words) {
  constexpr std::size_t kMostBytes = 160;
  constexpr std::string_view kLimits[] = {" only ",        "only ",          "requires ",    " must ",
                                          "not supported", "only supported", " currently ",  "currently ",
                                          " cannot ",      "can't be",       "incompatible", "no effect",
                                          "is required",   "must be used",   "unsupported"};
  std::string out = first_sentence(words, kMostBytes);
  const std::vector<std::string> sentences = sentences_of(words);
  for (std::size_t i = 1; i < sentences.size() && !out.empty() && !out.ends_with("\u2026"); ++i) {
    if (sentences[i].size() > kMostBytes || !has_any(to_lower(sentences[i]), kLimits)) continue;
    const std::string limit = first_sentence(sentences[i], kMostBytes);
    if (limit.empty() || contains(out, limit) || is_of_list(words, sentences[i])) continue;
    return fmt::format("{}{} {}", out, i > 1 ? " \u2026" : "", limit);
  }
  return out;
}

/// The bare string below a field, or the comment above or beside it.
std::string documentation(const ClassDef& cls, const Node& field, const SourceText& source) {
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

}  // namespace

const Call* option_declared_by(const Step& step) {
  const auto* statement = as<ExprStmt>(step.node);
  const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
  const bool declares = call != nullptr && callee_name(*call) == "add_argument" && !call->arguments.empty() &&
                        text_of(call->arguments.front()).starts_with("--");
  return declares ? call : nullptr;
}

bool is_of_script(const program::Program& program, const Flag& flag) {
  if (!flag.owner.empty() || flag.path.empty()) return false;
  const program::ModuleId module = program.find_path(flag.path);
  return module.valid() && program.modules()[module].facts->has_name("__main__");
}

FlagDeclarations::FlagDeclarations(const Program& program, std::vector<std::string> near)
    : program_(program), near_(std::move(near)) {
  for (const program::Module& module : program.modules()) {
    if (!program::is_test_path(module.path) && contains(module.facts->source().bytes(), "add_argument"))
      declaring_.push_back(&module);
  }
}

void FlagDeclarations::describe(Flag& flag) const {
  declare(flag);
  if (names_unknown(flag.help)) flag.help.clear();
  count_readers(flag);
}

/// Whether a script beside the product that is asked about, or what it imports itself there, declares the option that a
/// condition reads as `args.x`: then that is meant, whatever classes have a field of its name.
bool FlagDeclarations::use_own_parser(Flag& flag) const {
  const std::size_t read = find_name(flag.guards, flag.name);
  if (read < 5 || read == std::string::npos || flag.guards.compare(read - 5, 5, "args.") != 0) return false;
  std::string dashed = "--" + flag.name;
  std::replace(dashed.begin() + 2, dashed.end(), '_', '-');
  for (const std::string& path : near_) {
    const program::ModuleId id = program_.find_path(path);
    if (!id.valid() || !program::is_helper_path(path)) continue;
    std::vector<ModuleId> own = {id};
    for (const ImportedName& one : program_.modules()[id].facts->imports) {
      const ModuleId imported = program_.find_module(one.module);
      if (imported.valid() && program::is_helper_path(program_.modules()[imported].path)) own.push_back(imported);
    }
    for (const ModuleId each : own) {
      const program::Module& module = program_.modules()[each];
      if (std::find(declaring_.begin(), declaring_.end(), &module) == declaring_.end()) continue;
      const std::string_view bytes = module.facts->source().bytes();
      for (const std::string& spelling : {dashed, "--" + flag.name}) {
        const std::size_t at = find_text(bytes, "\"" + spelling + "\"");
        if (at != std::string_view::npos && use_argument(flag, module, static_cast<std::uint32_t>(at + 1), spelling))
          return true;
      }
    }
  }
  return false;
}

void FlagDeclarations::declare(Flag& flag) const {
  if (flag.place.empty() && !flag.is_new && !flag.is_changed && use_own_parser(flag)) return;
  // What a script beside the product declares is no field of the product.
  if (flag.place.empty() && !program::is_helper_path(flag.path)) find_field(flag);
  const std::string_view field = change::last_part(flag.owner);
  if (!flag.is_new && !flag.is_changed && !field.ends_with("Config") && !field.ends_with("Args")) {
    // A dataclass that only happens to have a field of this name; a command-line argument is the better witness.
    Flag argument;
    argument.name = flag.name;
    argument.argument = flag.argument;
    argument.guards = flag.guards;
    argument.asked_text = flag.asked_text;
    argument.is_behind = flag.is_behind;
    argument.scope = flag.scope;
    argument.guarded = flag.guarded;
    argument.is_decided_here = flag.is_decided_here;
    find_argument(argument);
    if (!argument.place.empty()) flag = argument;
  }
  find_argument(flag);
  if (!flag.argument.empty() || flag.owner.empty()) return;
  flag.argument = generated().argument_of(program_.find_class(flag.owner), flag.name);
  if (flag.argument.empty()) flag.argument = argument_of_another_name(flag.name);
}

/// "--y" where all that code outside tests and tools gives the field x is `args.y`, an argument; else empty.
std::string FlagDeclarations::argument_of_another_name(std::string_view field) const {
  std::string_view given;
  for (const program::Module& module : program_.modules()) {
    if (program::is_test_path(module.path) || program::is_helper_path(module.path)) continue;
    for (std::size_t at = module.facts->find_name(field); at != std::string_view::npos;
         at = module.facts->find_name(field, at + 1)) {
      const auto begin = static_cast<std::uint32_t>(at);
      const Giving giving = giving_at(chain_to(module.facts->tree(), {begin, begin + 1}), begin, false);
      if (!giving.gives || giving.value == nullptr) continue;
      const auto* from = as<Attribute>(giving.value);
      const auto* object = from == nullptr ? nullptr : as<Name>(from->value);
      // What hands the field itself on, or a constant, says nothing of arguments.
      if ((from != nullptr && from->name.text == field) || is<Constant>(giving.value)) continue;
      if (object == nullptr || object->id != "args" || (!given.empty() && given != from->name.text)) return {};
      given = from->name.text;
    }
  }
  if (given.empty()) return {};
  std::string option = "--" + std::string(given);
  std::replace(option.begin() + 2, option.end(), '_', '-');
  return is_known_option(option) ? option : std::string();
}

const Expr* FlagDeclarations::default_expression(const Flag& flag) const {
  const ClassId cls = flag.owner.empty() ? ClassId() : program_.find_class(flag.owner);
  if (!cls.valid()) return nullptr;
  const program::Field* field = program_.find_field(cls, flag.name);
  return field == nullptr ? nullptr : field->default_value;
}

void FlagDeclarations::fill_from_field(Flag& flag, ClassId cls) const {
  const auto& owner = program_.classes()[cls];
  for (const program::Field& field : owner.fields) {
    if (field.name != flag.name || !field.in_class_body || field.node == nullptr) continue;
    const auto& module = program_.module_of(cls);
    const SourceText& source = module.facts->source();
    flag.owner = owner.qualified_name;
    flag.place = report::place(module.path, source.line_of(field.node->span.begin));
    flag.path = module.path;
    if (field.default_value != nullptr) flag.default_value = default_text(*field.default_value, source);
    const std::string words = documentation(*owner.node, *field.node, source);
    flag.derived = derived_sentence(words);
    flag.help = (flag.is_new || flag.is_changed) && flag.derived.empty() ? first_sentences(words) : known_help(words);
  }
}

namespace {

/// The words of what the field is read off where the condition names it: {"compile"} of `compile_config.mode`.
std::vector<std::string> object_words(const Flag& flag) {
  static constexpr std::string_view kAny[] = {"",        "args",    "cfg",  "conf",    "config",
                                              "configs", "options", "self", "settings"};
  std::vector<std::string> out;
  for (std::size_t at = find_name(flag.guards, flag.name); at != std::string::npos;
       at = find_name(flag.guards, flag.name, at + 1)) {
    if (at == 0 || flag.guards[at - 1] != '.') continue;
    std::size_t begin = at - 1;
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    while (begin > 0 && is_word(flag.guards[begin - 1])) --begin;
    const std::string_view object = std::string_view(flag.guards).substr(begin, at - 1 - begin);
    for (const std::string_view word : split(object, '_')) {
      if (std::find(std::begin(kAny), std::end(kAny), word) == std::end(kAny)) out.push_back(to_lower(word));
    }
    break;
  }
  return out;
}

/// "ddpc" of `DistributedDataParallelConfig`.
std::string initials_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out.push_back(static_cast<char>(c - 'A' + 'a'));
  }
  return out;
}

}  // namespace

void FlagDeclarations::keep_meant(const Flag& flag, std::vector<ClassId>& declaring) const {
  constexpr std::size_t kMany = 3;
  const auto are_one_family = [&] {
    return std::all_of(declaring.begin(), declaring.end(), [&](ClassId one) {
      return one == declaring.front() || program::are_kin(program_, one, declaring.front());
    });
  };
  if (flag.is_new || flag.is_changed || near_.empty() || declaring.size() < 2 || are_one_family()) return;
  if (const std::vector<std::string> words = object_words(flag); !words.empty()) {
    std::vector<ClassId> named;
    for (const ClassId one : declaring) {
      const std::string name = to_lower(program_.classes()[one].qualified_name);
      const std::string initials = initials_of(program_.classes()[one].name);
      if (std::all_of(words.begin(), words.end(), [&](const std::string& word) {
            return contains(name, word) || (word.size() > 1 && initials.starts_with(word));
          }))
        named.push_back(one);
    }
    if (!named.empty()) declaring = std::move(named);
    if (are_one_family()) return;
  }
  const auto nearness = [&](ClassId one) {
    std::size_t most = 0;
    for (const std::string& path : near_) most = std::max(most, shared_folders(path, program_.module_of(one).path));
    return most;
  };
  std::size_t most = 0;
  for (const ClassId one : declaring) most = std::max(most, nearness(one));
  std::erase_if(declaring, [&](ClassId one) { return nearness(one) < most; });
  // Of a local, or a condition that shows no object, nothing says which of them is meant.
  const bool shows_object = contains(flag.guards, "." + flag.name);
  const auto is_told_alike = [&](ClassId one) {
    return is_same_value(Defaults::declared_by(program_.classes()[one], flag.name),
                         Defaults::declared_by(program_.classes()[declaring.front()], flag.name));
  };
  const bool are_alike = std::all_of(declaring.begin(), declaring.end(), is_told_alike);
  if ((declaring.size() >= kMany || (!shows_object && !are_alike)) && !are_one_family()) declaring.clear();
}

void FlagDeclarations::find_field(Flag& flag) const {
  std::vector<ClassId> declaring;
  for (std::size_t i = 0; i < program_.classes().size(); ++i) {
    const ClassId id(i);
    const auto& cls = program_.classes()[id];
    const bool has = std::any_of(cls.fields.begin(), cls.fields.end(), [&](const program::Field& field) {
      return field.in_class_body && field.name == flag.name;
    });
    if (!has || program::is_test_path(program_.module_of(id).path)) continue;
    if (!cls.is_dataclass && !cls.name.ends_with("Config") && !cls.name.ends_with("Args")) continue;
    declaring.push_back(id);
  }
  keep_meant(flag, declaring);
  if (declaring.empty()) return;
  // Where people look: a class called Config before other dataclasses; what a command line sets before what code fills
  // from it; the one with the most fields before others.
  const auto rank = [&](ClassId one) {
    const auto& c = program_.classes()[one];
    const bool is_set = declaring.size() > 1 && !generated().argument_of(one, flag.name).empty();
    return std::make_tuple(c.name.ends_with("Config") || c.name.ends_with("Args"), is_set, c.fields.size());
  };
  ClassId best = declaring.front();
  for (const ClassId id : declaring) {
    if (rank(id) > rank(best)) best = id;
  }
  fill_from_field(flag, best);
}

const GeneratedArguments& FlagDeclarations::generated() const {
  if (!generated_) generated_.emplace(program_);
  return *generated_;
}

/// Whether the class that owns it stands outside examples, scripts and tools.
bool FlagDeclarations::is_of_product(const Flag& flag) const {
  const ClassId owner = flag.owner.empty() ? ClassId() : program_.find_class(flag.owner);
  return owner.valid() && !program::is_helper_path(program_.module_of(owner).path);
}

void FlagDeclarations::find_argument(Flag& flag) const {
  std::string dashed = "--" + flag.name;
  std::replace(dashed.begin() + 2, dashed.end(), '_', '-');
  // The file that is known to declare it before others; what a script declares for itself after all of these.
  std::vector<const program::Module*> declaring_modules = declaring_;
  std::stable_partition(declaring_modules.begin(), declaring_modules.end(), [&](const program::Module* one) {
    return !one->facts->has_name("__main__") || std::find(near_.begin(), near_.end(), one->path) != near_.end();
  });
  std::stable_partition(declaring_modules.begin(), declaring_modules.end(),
                        [&](const program::Module* one) { return flag.place.empty() && one->path == flag.path; });
  for (const program::Module* declaring : declaring_modules) {
    const program::Module& module = *declaring;
    // An argument of a script beside the product sets no field of the product.
    if (program::is_helper_path(module.path) && is_of_product(flag)) continue;
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
  if (flag.argument.empty()) find_argument_for(flag);
}

/// An argument of another name that says it gives the setting: `add_argument("--no-x", dest="x", …)`.
void FlagDeclarations::find_argument_for(Flag& flag) const {
  for (const program::Module* declaring : declaring_) {
    const program::Module& module = *declaring;
    if (program::is_helper_path(module.path) && is_of_product(flag)) continue;
    const std::string_view bytes = module.facts->source().bytes();
    for (std::size_t at = find_text(bytes, flag.name); at != std::string_view::npos;
         at = find_text(bytes, flag.name, at + 1)) {
      const std::size_t end = at + flag.name.size();
      const char before = at == 0 ? ' ' : bytes[at - 1];
      if ((before != '"' && before != '\'') || end >= bytes.size() || bytes[end] != before) continue;
      const auto offset = static_cast<std::uint32_t>(at);
      const auto* call = innermost_call(module, offset);
      const Expr* option = call == nullptr || call->arguments.empty() ? nullptr : call->arguments.front();
      const std::string spelling(text_of(option));
      const bool is_destination = call != nullptr && text_of(keyword_value(*call, "dest")) == flag.name;
      if (is_destination && spelling.starts_with("--") && use_argument(flag, module, offset, spelling)) return;
    }
  }
}

const Call* FlagDeclarations::innermost_call(const program::Module& module, std::uint32_t offset) {
  const Call* found = nullptr;
  for (const Node* node : chain_to(module.facts->tree(), {offset, offset + 1})) {
    if (const auto* call = as<Call>(node)) found = call;
  }
  return found;
}

bool FlagDeclarations::use_argument(Flag& flag, const program::Module& module, std::uint32_t offset,
                                    const std::string& spelling) const {
  for (const Node* node : chain_to(module.facts->tree(), {offset, offset + 1})) {
    const auto* call = as<Call>(node);
    if (call == nullptr || callee_name(*call) != "add_argument" || rules::argparse_destination(*call) != flag.name)
      continue;
    const SourceText& source = module.facts->source();
    flag.argument = spelling;
    const std::string_view action = text_of(keyword_value(*call, "action"));
    const Value given = value_of(keyword_value(*call, "default"));
    flag.argument_clears = action == "store_false";
    flag.choices.clear();
    if (const auto* choices = as<python::List>(keyword_value(*call, "choices"))) {
      for (const Expr* one : choices->elements) flag.choices.emplace_back(text_of(one));
      const bool are_texts =
          std::none_of(flag.choices.begin(), flag.choices.end(), [](const std::string& one) { return one.empty(); });
      if (!are_texts) flag.choices.clear();
    }
    flag.is_fixed = given.kind == Value::Kind::kBool &&
                    ((action == "store_true" && given.truth) || (action == "store_false" && !given.truth));
    if (!flag.place.empty()) {
      const Expr* stated = keyword_value(*call, "default");
      const std::string own = stated == nullptr ? argument_default(*call).text : one_line(source, *stated, 50);
      const bool is_stated = stated != nullptr || action.starts_with("store_");
      if (is_stated && !program::is_helper_path(module.path) && !rules::is_none(stated) && !own.empty() &&
          !flag.default_value.empty() && replace_all(own, "\"", "'") != replace_all(flag.default_value, "\"", "'"))
        flag.argument_default = own;
      return true;
    }
    flag.place = report::place(module.path, source.line_of(call->span.begin));
    flag.path = module.path;
    if (const Expr* value = keyword_value(*call, "default")) {
      flag.default_value = one_line(source, *value, 50);
    } else {
      flag.default_value = argument_default(*call).text;
    }
    const std::string_view help = text_of(keyword_value(*call, "help"));
    if (flag.help.empty()) flag.help = flag.is_new || flag.is_changed ? first_sentences(help) : known_help(help);
    return true;
  }
  return false;
}

/// Whether words on a setting name an argument (`--x`) or a class (:class:`X`) that the repository does not have:
/// they were written for another state of it.
bool FlagDeclarations::names_unknown(const std::string& words) const {
  const auto is_part = [](char c) { return is_name_char(c) || c == '-'; };
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

bool FlagDeclarations::is_known_option(const std::string& option) const {
  std::string name = option.substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  for (const program::Module& module : program_.modules()) {
    if (module.facts->has_name(name) || is_quoted_in(module.facts->source().bytes(), option)) return true;
  }
  return false;
}

bool FlagDeclarations::is_known_class(std::string_view name) const {
  if (std::any_of(program_.classes().begin(), program_.classes().end(),
                  [&](const program::Class& cls) { return cls.name == name; }))
    return true;
  return std::any_of(program_.modules().begin(), program_.modules().end(), [&](const program::Module& module) {
    const auto& imports = module.facts->imports;
    return std::any_of(imports.begin(), imports.end(),
                       [&](const ImportedName& each) { return each.bound_as == name || each.name == name; });
  });
}

bool FlagDeclarations::has_namesake(ClassId owner, std::string_view field) const {
  for (std::size_t i = 0; i < program_.classes().size(); ++i) {
    const ClassId id(i);
    const program::Class& cls = program_.classes()[id];
    if (program::are_kin(program_, id, owner) || program::is_test_path(program_.modules()[cls.module].path)) continue;
    const auto declares = [&](const program::Field& one) { return one.in_class_body && one.name == field; };
    if (std::any_of(cls.fields.begin(), cls.fields.end(), declares)) return true;
  }
  return false;
}

bool FlagDeclarations::is_read_of(const Flag& flag, ModuleId module, std::uint32_t at) const {
  const std::vector<const Node*> around = chain_to(program_.modules()[module].facts->tree(), {at, at + 1});
  const auto* attribute = around.empty() ? nullptr : as<Attribute>(around.back());
  if (attribute == nullptr || attribute->name.span.begin != at || attribute->context != ExprContext::kLoad)
    return false;
  const auto* call = around.size() < 2 ? nullptr : as<Call>(around[around.size() - 2]);
  if (call != nullptr && call->callee == attribute) return false;
  const ClassId owner = flag.owner.empty() ? ClassId() : program_.find_class(flag.owner);
  // By its name alone, where no other configuration has a field of that name.
  if (!config_attribute(*attribute).empty() && !flag.more_may_read) return true;
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
  const Parameter* parameter = def == nullptr || object == nullptr ? nullptr : rules::parameter_named(def, object->id);
  return parameter != nullptr && parameter->annotation != nullptr &&
         has_field(program_.resolve(function, *parameter->annotation).cls);
}

void FlagDeclarations::count_readers(Flag& flag) const {
  constexpr std::size_t kMostLooked = 1000;  // Places of one module.
  const std::string needle = "." + flag.name;
  const ClassId owner = flag.owner.empty() ? ClassId() : program_.find_class(flag.owner);
  flag.more_may_read = owner.valid() && has_namesake(owner, flag.name);
  std::set<std::uint32_t> readers;
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    const program::Module& module = program_.modules()[ModuleId(i)];
    const std::string_view bytes = module.facts->source().bytes();
    if (!contains(bytes, flag.name) || program::is_test_path(module.path)) continue;
    std::size_t looked = 0;
    for (std::size_t at = find_text(bytes, needle); at != std::string_view::npos && looked < kMostLooked;
         at = find_text(bytes, needle, at + 1)) {
      const char after = at + needle.size() < bytes.size() ? bytes[at + needle.size()] : ' ';
      if (is_name_char(after)) continue;
      ++looked;
      if (!is_read_of(flag, ModuleId(i), static_cast<std::uint32_t>(at) + 1)) continue;
      readers.insert(program_.function_at(ModuleId(i), static_cast<std::uint32_t>(at)).value);
    }
    // getattr(args, "name", …)
    for (const char quote : {'"', '\''}) {
      const std::string text = fmt::format("{0}{1}{0}", quote, flag.name);
      for (std::size_t at = find_text(bytes, text); at != std::string_view::npos; at = find_text(bytes, text, at + 1)) {
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

}  // namespace lockstep::report
