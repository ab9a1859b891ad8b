#include "playbook/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "playbook/options.h"
#include "python/tree_walk.h"

namespace lockstep::playbook {

namespace {

constexpr std::size_t kMostPlaces = 5;

std::uint32_t line_of(const program::Module& module, const python::Node* node) {
  return node != nullptr ? module.facts->source().line_of(node->span.begin) : 0;
}

// Names that appear in a module without a statement that binds them.
bool is_dynamic(const program::Module& module) {
  for (const python::ImportedName& name : module.facts->imports) {
    if (name.name == "*") return true;
  }
  const std::string_view text = module.facts->source().bytes();
  return contains(text, "globals()") || contains(text, "__getattr__") || contains(text, "setattr(");
}

bool has_open_ancestors(const program::Program& program, program::ClassId cls) {
  static const std::set<std::string_view> kClosed = {"object", "abc.ABC", "ABC", "typing.Generic", "typing.Protocol"};
  const program::Class& entry = program.classes()[cls];
  return std::any_of(entry.external_ancestors.begin(), entry.external_ancestors.end(),
                     [](const std::string& name) { return !kClosed.contains(name); });
}

}  // namespace

Names::Names(const program::Program& program) : program_(&program) {
  for (const program::Module& module : program.modules()) {
    roots_.emplace(module.name.substr(0, module.name.find('.')), true);
    const auto id = program.find_path(module.path);
    modules_[module.name.substr(module.name.rfind('.') + 1)].push_back(id);
  }
  const auto add = [&](std::string_view name, const program::Module& module, const python::Node* node) {
    std::vector<Place>& places = by_name_[std::string(name)];
    if (places.size() < kMostPlaces) places.push_back({module.path, line_of(module, node)});
  };
  for (const program::Function& function : program.functions()) {
    if (function.kind == program::FunctionKind::kFunction)
      add(function.name, program.modules()[function.module], function.node);
  }
  for (const program::Class& cls : program.classes()) {
    const program::Module& module = program.modules()[cls.module];
    add(cls.name, module, cls.node);
    classes_[std::string(cls.name)].push_back(program.class_of(cls.node));
    for (const program::Field& field : cls.fields) {
      add(field.name, module, field.node);
      if (!field.in_class_body || field.default_value == nullptr) continue;
      defaults_[std::string(field.name)].push_back(
          {std::string(module.facts->source().slice(field.default_value->span)),
           fmt::format("{}.{}", cls.name, field.name),
           {module.path, line_of(module, field.node)}});
    }
  }
  for (const Flag& flag : flags_of(program)) {
    if (!flag.default_text.empty()) defaults_[flag.name()].push_back({flag.default_text, flag.text, flag.place});
  }
}

DottedAnswer Names::look_up(std::string_view dotted) const {
  const std::vector<std::string_view> parts = split(dotted, '.');
  if (parts.size() < 2 || std::any_of(parts.begin(), parts.end(), [](auto part) { return part.empty(); })) return {};
  // The longest prefix that is a module, named in full.
  for (std::size_t count = parts.size(); count > 0; --count) {
    const std::string_view prefix = dotted.substr(0, parts[count - 1].data() + parts[count - 1].size() - dotted.data());
    const program::ModuleId module = program_->find_module(prefix);
    if (!module.valid()) continue;
    DottedAnswer answer = look_in_module(module, parts, count);
    answer.exact = true;
    return answer;
  }
  if (const auto classes = classes_.find(parts[0]); classes != classes_.end()) {
    DottedAnswer best;
    for (const program::ClassId cls : classes->second) {
      best = look_in_class(cls, parts, 1);
      if (best.answer != Answer::kMissing) return best;
    }
    best.exact = classes->second.size() == 1;
    return best;
  }
  if (const auto modules = modules_.find(parts[0]); modules != modules_.end()) {
    DottedAnswer best;
    for (const program::ModuleId module : modules->second) {
      best = look_in_module(module, parts, 1);
      if (best.answer != Answer::kMissing) return best;
    }
    return best;
  }
  return {};
}

DottedAnswer Names::look_in_module(program::ModuleId module, const std::vector<std::string_view>& parts,
                                   std::size_t next) const {
  const program::Module& entry = program_->modules()[module];
  if (next >= parts.size()) return {Answer::kExists, entry.name, {}, false};
  const program::Reference reference = program_->resolve(module, parts[next]);
  switch (reference.kind) {
    case program::Reference::Kind::kClass:
      return look_in_class(reference.cls, parts, next + 1);
    case program::Reference::Kind::kModule:
      return look_in_module(reference.module, parts, next + 1);
    case program::Reference::Kind::kFunction:
    case program::Reference::Kind::kVariable:
    case program::Reference::Kind::kExternal:
      return {Answer::kExists, entry.name, {}, false};
    case program::Reference::Kind::kUnknown:
      break;
  }
  // A folder of a package without `__init__.py` is a module as well.
  if (program_->find_module(fmt::format("{}.{}", entry.name, parts[next])).valid())
    return {Answer::kExists, entry.name, {}, false};
  return {is_dynamic(entry) ? Answer::kUnknown : Answer::kMissing, entry.name, std::string(parts[next]), false};
}

DottedAnswer Names::look_in_class(program::ClassId cls, const std::vector<std::string_view>& parts,
                                  std::size_t next) const {
  const std::string name = program_->classes()[cls].qualified_name;
  if (next >= parts.size()) return {Answer::kExists, name, {}, false};
  const std::string_view member = parts[next];
  if (program_->find_method(cls, member).valid() || program_->find_field(cls, member) != nullptr ||
      member.starts_with("__"))
    return {Answer::kExists, name, {}, false};
  const program::ClassId nested = program_->find_class(fmt::format("{}.{}", name, member));
  if (nested.valid()) return look_in_class(nested, parts, next + 1);
  const bool open = has_open_ancestors(*program_, cls);
  return {open ? Answer::kUnknown : Answer::kMissing, name, std::string(member), false};
}

std::vector<Place> Names::places_of(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second : std::vector<Place>{};
}

std::size_t Names::family_size(std::string_view prefix) const {
  std::size_t count = 0;
  for (auto at = by_name_.lower_bound(prefix); at != by_name_.end() && at->first.starts_with(prefix); ++at) ++count;
  return count;
}

std::string Names::nearest(std::string_view name) const {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 5) + 1;
  if (name.size() < 5) return best;
  for (const auto& [candidate, places] : by_name_) {
    if (candidate.size() < 4 || candidate == name) continue;
    const std::size_t distance = edit_distance(name, candidate, best_distance - 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

bool Names::has_test_like(std::string_view part, const std::vector<std::string>& folders) const {
  const std::string wanted = to_lower(part);
  const auto in_folders = [&](std::string_view path) {
    return folders.empty() || std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
             return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
           });
  };
  for (const program::Module& module : program_->modules()) {
    if (!in_folders(module.path)) continue;
    if (contains(to_lower(module.path), wanted)) return true;
    // Also the ids that parametrize gives, and marks: any text of the file will do.
    if (contains(to_lower(module.facts->source().bytes()), wanted)) return true;
  }
  return false;
}

std::vector<Default> Names::defaults_of(std::string_view name) const {
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  const auto found = defaults_.find(key);
  return found != defaults_.end() ? found->second : std::vector<Default>{};
}

}  // namespace lockstep::playbook
