#include "report/ways/scripts/experiments.h"

#include <algorithm>

#include "base/strings.h"

namespace lockstep::report {

std::string_view experiment_of(std::string_view path) {
  constexpr std::string_view kFolder = "experiments/";
  const std::size_t at = path.find(kFolder);
  if (at == std::string_view::npos || (at > 0 && path[at - 1] != '/')) return {};
  const std::size_t end = path.find('/', at + kFolder.size());
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end + 1);
}

bool Experiments::exclude_each_other(std::string_view one, std::string_view other) {
  return !one.empty() && !other.empty() && one != other && !imports(one, other) && !imports(other, one);
}

bool Experiments::has_training_script(std::string_view experiment) {
  const auto [known, is_new] = trained_.try_emplace(experiment, false);
  if (!is_new) return known->second;
  known->second = std::any_of(program_.modules().begin(), program_.modules().end(), [&](const program::Module& one) {
    const std::string_view path = one.path;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return path.starts_with(experiment) && (name.starts_with("train.") || name.starts_with("pretrain")) &&
           one.facts->has_name("__main__");
  });
  return known->second;
}

bool Experiments::imports(std::string_view one, std::string_view other) {
  const auto [known, is_new] = imports_.try_emplace({one, other}, false);
  if (!is_new) return known->second;
  const std::string prefix = replace_all(other, "/", ".");  // With its last dot.
  const std::string last = prefix.substr(prefix.rfind('.', prefix.size() - 2) + 1);
  known->second = std::any_of(program_.modules().begin(), program_.modules().end(), [&](const program::Module& each) {
    if (!std::string_view(each.path).starts_with(one)) return false;
    const auto& all = each.facts->imports;
    return std::any_of(all.begin(), all.end(), [&](const python::ImportedName& name) {
      if (name.level > 1) return (std::string(name.module.empty() ? name.name : name.module) + ".").starts_with(last);
      return (std::string(name.module) + ".").starts_with(prefix);
    });
  });
  return known->second;
}

}  // namespace lockstep::report
