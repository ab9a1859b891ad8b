#include "playbook/versions.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace lockstep::playbook {

namespace {

int compare(const std::vector<int>& a, const std::vector<int>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const int x = i < a.size() ? a[i] : 0, y = i < b.size() ? b[i] : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

bool begins(const std::vector<int>& whole, const std::vector<int>& part) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

std::string_view operator_of(std::string_view clause) {
  return clause.substr(0, std::min(clause.size(), clause.find_first_not_of("<>=!~^")));
}

}  // namespace

std::optional<std::vector<int>> parse_version(std::string_view text) {
  text = trim(text);
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<int> numbers;
  for (const std::string_view part : split(text, '.')) {
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc()) break;
    numbers.push_back(value);
    if (end != part.data() + part.size()) break;
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

std::optional<bool> satisfies(std::string_view spec, std::string_view version) {
  const auto wanted = parse_version(version);
  if (!wanted) return std::nullopt;
  for (const std::string_view raw : split(spec, ',')) {
    const std::string_view clause = trim(raw), op = operator_of(clause);
    if (clause.empty() || clause == "*") continue;
    const auto bound = parse_version(clause.substr(op.size()));
    if (!bound) return std::nullopt;
    const int order = compare(*wanted, *bound);
    bool met = true;
    if (op.empty() || op == "==" || op == "===") met = begins(*bound, *wanted) || begins(*wanted, *bound);
    if (op == ">=") met = order >= 0 || begins(*bound, *wanted);
    if (op == ">") met = order > 0;
    if (op == "<=") met = order <= 0;
    if (op == "<") met = order < 0;
    if (op == "~=" || op == "^") {
      const std::vector<int> prefix(bound->begin(), bound->end() - (bound->size() > 1 ? 1 : 0));
      met = begins(*bound, *wanted) || (order >= 0 && begins(*wanted, prefix));
    }
    if (op == "!=") met = order != 0;
    if (!met) return false;
  }
  return true;
}

std::string lower_bound_of(std::string_view spec) {
  for (const std::string_view raw : split(spec, ',')) {
    const std::string_view clause = trim(raw);
    if (clause.starts_with(">=") || clause.starts_with("~=")) return std::string(trim(clause.substr(2)));
  }
  return {};
}

bool is_exact(std::string_view spec) {
  const std::string_view op = operator_of(spec);
  if (!(op.empty() || op == "==") || contains(spec, ",")) return false;
  const std::string_view number = trim(spec.substr(op.size()));
  // A commit id starts with digits now and then, but has no dot.
  return parse_version(number).has_value() && contains(number, ".");
}

}  // namespace lockstep::playbook
