#include "mcp/prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "mcp/change_text.h"
#include "mcp/resources.h"
#include "render/graph_text.h"

namespace lockstep::mcp {

namespace {

struct Prompt {
  std::string_view name;  ///< Of the prompt and its file.
  std::string_view title;
  std::string_view description;
  std::string_view document;  ///< Attached as facts.
};

constexpr std::array<Prompt, 3> kPrompts = {{
    {"explain", "Explain a change", "A walk through a change for a developer who will not read the diff", "explain"},
    {"deep-dive", "Deep dive into a change", "Seven sections: architecture, design, execution path, relations, risks",
     "dive"},
    {"review", "Review a change", "A strict review: severities, evidence, comments ready to post", "review"},
}};

RpcError invalid(std::string message) { return {ErrorCode::kInvalidParams, std::move(message), nullptr}; }

// At a line end, so that no Markdown is cut in two.
std::string attached(std::string text, const std::string& uri) {
  if (text.size() <= kMostAttachedBytes) return text;
  text.resize(text.rfind('\n', kMostAttachedBytes) + 1);
  return text + fmt::format("\n[cut here; the whole document is the resource {}]\n", uri);
}

Json message(Json content) { return {{"role", "user"}, {"content", std::move(content)}}; }

}  // namespace

Json prompt_list(Dialect dialect) {
  Json list = Json::array();
  for (const Prompt& prompt : kPrompts) {
    const Json argument = {{"name", "change"},
                           {"description", "A commit, BASE..HEAD, BASE...HEAD, or --worktree (uncommitted work)"},
                           {"required", true}};
    Json each = {{"name", prompt.name}, {"description", prompt.description}, {"arguments", Json::array({argument})}};
    if (dialect.has_titles()) each["title"] = prompt.title;
    list.push_back(std::move(each));
  }
  return list;
}

std::variant<Json, RpcError> get_prompt(Workspace& workspace, const Json& params, const Progress& progress) {
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string()) return invalid("no prompt is named");
  const auto* prompt =
      std::find_if(kPrompts.begin(), kPrompts.end(), [&](const Prompt& each) { return each.name == *name; });
  if (prompt == kPrompts.end())
    return invalid(fmt::format("Unknown prompt: {}", render::safe_line(name->get<std::string>(), 100)));
  const auto arguments = params.find("arguments");
  if (arguments == params.end() || !arguments->is_object() || !arguments->contains("change") ||
      !arguments->at("change").is_string())
    return invalid("the prompt needs the argument 'change'");
  const std::string change_name = arguments->at("change").get<std::string>();
  const Result<std::string> facts = workspace.document(std::string(prompt->document), change_name, progress);
  if (!facts)
    return invalid(facts.error().message + (facts.error().next_step.empty() ? "" : "; ") + facts.error().next_step);
  const std::string uri = document_uri(prompt->document, change_name);
  std::string text = replace_all(prompt_text(prompt->name), "{{change}}", render::safe_line(change_name, 200));
  text = replace_all(text, "{{uri}}", uri);
  const Json attachment = {{"uri", uri}, {"mimeType", "text/markdown"}, {"text", attached(*facts, uri)}};
  return Json{{"description", prompt->description},
              {"messages", Json::array({message({{"type", "text"}, {"text", text}}),
                                        message({{"type", "resource"}, {"resource", attachment}})})}};
}

std::variant<Json, RpcError> complete_argument(Workspace& workspace, const Json& params) {
  const auto argument = params.find("argument");
  if (argument == params.end() || !argument->is_object() || !argument->contains("name") ||
      !argument->contains("value") || !argument->at("value").is_string())
    return invalid("there is no argument to complete");
  const std::string begun = argument->at("value").get<std::string>();
  std::vector<std::string> all = {"--worktree", "HEAD", "HEAD~1..HEAD"};
  for (const std::string_view trunk : {"main", "master", "dev"}) {
    if (workspace.repository().has_reference(trunk)) all.push_back(fmt::format("{}...HEAD", trunk));
  }
  Json values = Json::array();
  if (argument->at("name") == "change") {
    for (const std::string& each : all) {
      if (each.starts_with(begun)) values.push_back(each);
    }
  }
  const std::size_t count = values.size();
  return Json{{"completion", {{"values", std::move(values)}, {"total", count}, {"hasMore", false}}}};
}

}  // namespace lockstep::mcp
