// Which collectives a sentence says that a function issues, held against what the mesh analysis found: "`f` issues
// `all_reduce`", "an `all_reduce` in `f`". Calls and base classes are for writer/verify_relations.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "writer/author/claims.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::has_any_word;
using internal::kDenials;
using internal::last_part;
using internal::name_in;
using internal::Spans;
using internal::spans_of;

bool is_collective(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kNames = {"all_reduce",
                                                              "all_gather",
                                                              "all_gather_into_tensor",
                                                              "reduce_scatter",
                                                              "reduce_scatter_tensor",
                                                              "broadcast",
                                                              "all_to_all",
                                                              "all_to_all_single",
                                                              "barrier",
                                                              "reduce",
                                                              "gather",
                                                              "scatter",
                                                              "send",
                                                              "recv"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

bool ClaimChecker::has_collective(std::string_view function, std::string_view operation) const {
  const std::pair<const program::Program*, const mesh::MeshAnalysis*> sides[] = {{inputs_.after, inputs_.after_mesh},
                                                                                 {inputs_.before, inputs_.before_mesh}};
  return std::any_of(std::begin(sides), std::end(sides), [&](const auto& side) {
    if (side.second == nullptr) return false;
    const std::vector<program::FunctionId> functions = sides_.facts().functions_in(*side.first, function);
    return std::any_of(functions.begin(), functions.end(), [&](program::FunctionId id) {
      const auto sites = side.second->collectives_of(id);
      // Or reached below what a trace tells.
      return contains(side.second->trace_text(id), operation) ||
             std::any_of(sites.begin(), sites.end(), [&](const auto& site) { return site.operation == operation; }) ||
             side.second->may_communicate(id);
    });
  });
}

void ClaimChecker::check_issues(std::string_view sentence, SentenceCheck& result) const {
  for (const internal::RelatedNames& one : internal::related_names(spans_of(sentence))) {
    const std::string operation(last_part(one.second));
    if (one.relation != internal::Relation::kIssues || !is_collective(operation) ||
        !sides_.facts().is_known_function(one.first))
      continue;
    ++result.claims;
    if (!has_collective(one.first, operation))
      result.faults.push_back(
          {"collective", one.written, fmt::format("'{}' is not known to issue '{}'", one.first, one.second), {}});
  }
}

// "It issues an `all_reduce` in `f`": some function that the sentence is about must.
void ClaimChecker::check_collectives(std::string_view sentence, SentenceCheck& result) const {
  const Spans spans = spans_of(sentence);
  if (has_any_word(join(spans.text, " "), kDenials)) return;
  for (const std::string& span : spans.code) {
    const std::string operation(last_part(name_in(span)));
    if (!is_collective(operation) || sides_.facts().is_known_function(operation)) continue;
    for (std::size_t i = 0; i < spans.code.size(); ++i) {
      const std::string name = name_in(spans.code[i]);
      const std::string_view lead = trim(spans.text[i]);
      const bool is_place =
          lead == "in" || lead.ends_with(" in") || lead.ends_with("inside") || lead.ends_with("within");
      if (!is_place || name.empty() || !sides_.facts().is_known_function(name)) continue;
      ++result.claims;
      if (has_collective(name, operation)) continue;
      result.faults.push_back({"collective",
                               fmt::format("`{}` in `{}`", span, spans.code[i]),
                               fmt::format("'{}' is not known to issue '{}'", name, operation),
                               {}});
    }
  }
}

}  // namespace lockstep::writer
