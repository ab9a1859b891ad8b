#include "report/documents/correctness/sibling_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/strings.h"
#include "report/document.h"
#include "report/documents/correctness/new_parameter_calls.h"
#include "report/documents/parts.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The calls outside tests of the functions that newly take a parameter of one name.
struct CallsOfParameter {
  std::vector<const program::CallSite*> giving;
  std::vector<const program::CallSite*> lacking;
};

/// By the name of the parameter: of whichever functions newly take it.
std::map<std::string_view, CallsOfParameter> calls_by_name(const DocumentInputs& inputs, const Story& story) {
  std::map<std::string_view, CallsOfParameter> out;
  for (const NewParameterCalls& one : calls_of_new_parameters(inputs, story)) {
    CallsOfParameter& calls = out[one.parameter->name.text];
    add_calls(calls.giving, one.giving);
    add_calls(calls.lacking, one.lacking);
  }
  // Of several functions that a call may enter one alone may take it.
  for (auto& [name, calls] : out)
    std::erase_if(calls.lacking, [&](const auto* site) { return has_call(calls.giving, *site); });
  return out;
}

std::set<std::string_view> keywords_of(const program::CallSite& site) {
  std::set<std::string_view> out;
  for (const Keyword* keyword : as<Call>(site.node)->keywords) {
    if (!keyword->name.text.empty() && !rules::is_none(keyword->value)) out.insert(keyword->name.text);
  }
  return out;
}

/// Names of two words or more in common: `gtp_remat_group` and `gtp_replica_group`.
bool are_siblings(std::string_view one, std::string_view other) {
  const std::vector<std::string_view> words = split(one, '_');
  const std::vector<std::string_view> others = split(other, '_');
  const auto common = std::count_if(words.begin(), words.end(), [&](std::string_view word) {
    return word.size() > 1 && std::find(others.begin(), others.end(), word) != others.end();
  });
  return one != other && common >= 2;
}

}  // namespace

void add_sibling_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kFewestGiving = 2;
  constexpr std::size_t kMostLacking = 8;
  constexpr std::size_t kMostNamed = 3;
  for (const auto& [name, calls] : calls_by_name(inputs, story)) {
    if (calls.giving.size() < kFewestGiving) continue;
    std::set<std::string_view> common = keywords_of(*calls.giving.front());
    for (const program::CallSite* site : calls.giving) {
      const std::set<std::string_view> own = keywords_of(*site);
      std::erase_if(common, [&](std::string_view one) { return !own.contains(one); });
    }
    std::erase_if(common, [&](std::string_view one) { return !are_siblings(name, one); });
    if (common.empty()) continue;
    const std::string_view sibling = *common.begin();
    std::vector<std::string> places;
    for (const program::CallSite* site : calls.lacking) {
      if (!keywords_of(*site).contains(sibling)) continue;
      std::string where = place_of(*inputs.after, inputs.after->functions()[site->caller].module, site->node->span);
      if (std::find(places.begin(), places.end(), where) == places.end()) places.push_back(std::move(where));
    }
    if (places.empty() || places.size() > kMostLacking) continue;
    const bool is_one = places.size() == 1;
    const std::size_t all = places.size();
    if (all > kMostNamed + 1) places.resize(kMostNamed);
    if (places.size() < all) places.push_back(fmt::format("{} more", all - places.size()));
    risks.push_back({RiskKind::kCorrectness,
                     fmt::format("{} {} {} and not the new {}, which {} that give both do.", join_words(places),
                                 is_one ? "gives" : "give", code(std::string(sibling)), code(std::string(name)),
                                 count_of(calls.giving.size(), "call")),
                     is_one ? "Does it not need it?" : "Do they not need it?", false});
  }
}

}  // namespace lockstep::report
