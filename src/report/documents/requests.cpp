#include "report/documents/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The methods of a request that the decorator is for: of `post` that one, of `route` what `methods` lists; none where
/// that does not show.
std::vector<std::string> methods_of(const Call& decorator, std::string_view verb) {
  std::vector<std::string> out;
  if (verb != "route" && verb != "api_route" && verb != "websocket") {
    std::string method(verb);
    std::transform(method.begin(), method.end(), method.begin(), [](unsigned char c) { return std::toupper(c); });
    return {method};
  }
  const Expr* listed = rules::keyword_value(decorator, "methods");
  const auto add = [&](const auto* sequence) {
    for (const Expr* one : sequence->elements) {
      if (const std::string_view text = rules::text_of(one); !text.empty()) out.emplace_back(text);
    }
  };
  if (const auto* list = as<python::List>(listed)) add(list);
  if (const auto* tuple = as<python::Tuple>(listed)) add(tuple);
  return out;
}

/// "POST /chat" of a decorator; empty for others.
std::vector<std::string> requests_of(const Expr& decorator) {
  static constexpr std::string_view kVerbs[] = {"route", "get",     "post",      "put",      "delete",
                                                "patch", "options", "api_route", "websocket"};
  const auto* call = as<Call>(&decorator);
  const auto* callee = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (callee == nullptr || call->arguments.empty()) return {};
  const std::string_view path = rules::text_of(call->arguments.front());
  if (!path.starts_with("/") || std::find(std::begin(kVerbs), std::end(kVerbs), callee->name.text) == std::end(kVerbs))
    return {};
  std::vector<std::string> out;
  for (const std::string& method : methods_of(*call, callee->name.text))
    out.push_back(fmt::format("{} {}", method, path));
  if (out.empty()) out.emplace_back(path);
  return out;
}

}  // namespace

std::string request_text(const program::Program& program, program::FunctionId function, const std::string& name) {
  constexpr std::size_t kMost = 4;
  const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
  if (def == nullptr) return {};
  std::vector<std::string> requests;
  for (const Expr* decorator : def->decorators) {
    for (const std::string& request : requests_of(*decorator)) {
      if (requests.size() < kMost) requests.push_back(code(request));
    }
  }
  if (requests.empty()) return {};
  const bool is_one = requests.size() == 1;
  return fmt::format("{} answers the {} {}: the server that its decorator registers it with calls it for {}.", name,
                     is_one ? "request" : "requests", join_words(requests), is_one ? "each" : "each of them");
}

}  // namespace lockstep::report
