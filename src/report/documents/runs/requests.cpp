#include "report/documents/runs/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/ways/scripts/request_handlers.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

std::string upper(std::string_view verb) {
  std::string out(verb);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

/// The methods of a request that the decorator is for: of `post` that one, of `route` what `methods` lists; none where
/// that does not show.
std::vector<std::string> methods_of(const Call& decorator, std::string_view verb) {
  std::vector<std::string> out;
  if (verb != "route" && verb != "api_route" && verb != "websocket") {
    return {upper(verb)};
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
  if (!is_route(decorator)) return {};
  const auto* call = as<Call>(&decorator);
  const auto* callee = as<Attribute>(call->callee);
  const std::string_view path = rules::text_of(call->arguments.front());
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

std::string registered_request_text(const program::Program& program, const PathFrame& frame,
                                    program::FunctionId function, const std::string& name) {
  if (frame.handing != Handing::kRegisters) return {};
  if (std::string own = request_text(program, function, name); !own.empty()) return own;
  const auto* call = as<Call>(frame.call);
  if (call == nullptr || callee_name(*call) != "add_resource") return {};
  std::vector<std::string> requests;
  for (std::size_t i = 1; i < call->arguments.size(); ++i) {
    const std::string_view path = rules::text_of(call->arguments[i]);
    if (path.starts_with("/"))
      requests.push_back(code(fmt::format("{} {}", upper(program.functions()[function].name), path)));
  }
  if (requests.empty()) return {};
  return fmt::format("{} answers the {} {}: the server that its class is registered with calls it.", name,
                     requests.size() == 1 ? "request" : "requests", join_words(requests));
}

}  // namespace lockstep::report
