#include "report/documents/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/document.h"
#include "report/documents/removed.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;

namespace {

/// What a field is for the constructor.
enum class Taking : std::uint8_t { kNot, kMandatory, kOptional };

Taking taking_of(const program::Field& field, const SourceText& source) {
  const auto* declared = as<AnnAssign>(field.node);
  if (!field.in_class_body || declared == nullptr) return Taking::kNot;
  if (source.slice(declared->annotation->span).find("ClassVar") != std::string_view::npos) return Taking::kNot;
  const auto* call = as<Call>(declared->value);
  const std::string_view callee = call == nullptr ? std::string_view() : callee_name(*call);
  if (callee != "field" && callee != "Field")
    return declared->value == nullptr ? Taking::kMandatory : Taking::kOptional;
  if (rules::is_false(rules::keyword_value(*call, "init"))) return Taking::kNot;
  const bool has_default =
      rules::keyword_value(*call, "default") != nullptr || rules::keyword_value(*call, "default_factory") != nullptr;
  return has_default ? Taking::kOptional : Taking::kMandatory;
}

/// `@dataclass(kw_only=True)`: no field has a position.
bool takes_by_name_only(const program::Class& cls) {
  return std::any_of(cls.node->decorators.begin(), cls.node->decorators.end(), [](const Expr* decorator) {
    const auto* call = as<Call>(decorator);
    return call != nullptr && rules::is_true(rules::keyword_value(*call, "kw_only"));
  });
}

bool has_own_constructor(const program::Program& program, const program::Class& cls) {
  return std::any_of(cls.methods.begin(), cls.methods.end(),
                     [&](program::FunctionId method) { return program.functions()[method].name == "__init__"; });
}

bool is_told_as_setting(const Story& story, const program::Class& cls, std::string_view name) {
  static constexpr std::string_view kEnds[] = {"Config", "Configuration", "Args", "Arguments", "Options", "Settings"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return cls.name.ends_with(end); }) ||
         std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) { return flag.name == name; });
}

void add_fields_of(const program::Program& program, ClassId id, const std::vector<std::string_view>& added,
                   std::vector<Risk>& risks) {
  const program::Class& cls = program.classes()[id];
  const SourceText& source = program.module_of(id).facts->source();
  std::vector<std::string> mandatory;
  std::vector<std::string> optional;
  std::string_view pushed;  // The first field of before that comes to stand behind a new one.
  for (const program::Field& field : cls.fields) {
    const Taking taking = taking_of(field, source);
    if (taking == Taking::kNot) continue;
    if (std::find(added.begin(), added.end(), field.name) != added.end()) {
      (taking == Taking::kMandatory ? mandatory : optional).push_back(code(field.name));
    } else if (pushed.empty() && !(mandatory.empty() && optional.empty())) {
      pushed = field.name;
    }
  }
  if (mandatory.empty() && optional.empty()) return;
  const std::string name = code(short_name(program, id));
  if (!mandatory.empty()) {
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("The dataclass {} takes the new {} without a default.", name, join_words(mandatory)),
                     "Whoever makes one has to give it", false});
    return;
  }
  std::string status = "Backward compatible for callers";
  if (!takes_by_name_only(cls) && !pushed.empty())
    status = fmt::format("Only callers that give {} or what follows it by position have to follow", code(pushed));
  else if (!takes_by_name_only(cls) && !program.subclasses_of(id).empty())
    status = "Backward compatible for callers that give the fields of its subclasses by name";
  risks.push_back({RiskKind::kCompatibility,
                   fmt::format("The dataclass {} takes the new {}, with a default.", name, join_words(optional)),
                   std::move(status), false});
}

}  // namespace

void add_new_fields(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  std::vector<std::pair<ClassId, std::vector<std::string_view>>> grown;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (entity.kind != change::EntityKind::kField || !actor.is_added() || actor.role == Role::kTest ||
        !is_public(entity) || !entity.after->cls.valid())
      continue;
    const program::Class& cls = inputs.after->classes()[entity.after->cls];
    const std::string_view qualified = entity.after->qualified_name;
    const std::string_view name = qualified.substr(qualified.rfind('.') + 1);
    const ClassId old_class = inputs.before->find_class(cls.qualified_name);
    if (!cls.is_dataclass || !old_class.valid() || has_own_constructor(*inputs.after, cls) ||
        is_told_as_setting(story, cls, name))
      continue;
    const program::Field* inherited = inputs.before->find_field(old_class, name);
    if (inherited != nullptr && inherited->in_class_body) continue;
    const auto known =
        std::find_if(grown.begin(), grown.end(), [&](const auto& one) { return one.first == entity.after->cls; });
    auto& names = known != grown.end() ? known->second
                                       : grown.emplace_back(entity.after->cls, std::vector<std::string_view>()).second;
    names.push_back(name);
  }
  if (grown.size() > kMost) grown.resize(kMost);
  for (const auto& [cls, names] : grown) add_fields_of(*inputs.after, cls, names, risks);
}

}  // namespace lockstep::report
