#include "mcp/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace lockstep::mcp {

namespace {

constexpr std::string_view kScheme = "lockstep://";
constexpr std::string_view kMarkdown = "text/markdown";

struct DocumentKind {
  std::string_view name;
  std::string_view title;
  std::string_view description;
};
constexpr std::array<DocumentKind, 4> kDocuments = {{
    {"explain", "Explanation", "Why, what, the walk through the code in execution order, risks"},
    {"dive", "Deep dive", "Seven sections with diagrams: big picture, design, execution path, relations, risks"},
    {"review", "Review", "Findings by severity with evidence, questions, comments ready to post"},
    {"graph", "Code graph", "The code graph centred on what the change touches"},
}};

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

std::optional<int> hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return out;
}

Json described(const DocumentKind& kind, std::string name, Dialect dialect) {
  Json each = {{"name", name}, {"description", kind.description}, {"mimeType", kMarkdown}};
  if (dialect.has_titles()) each["title"] = kind.title;
  return each;
}

RpcError not_found(const std::string& uri, Dialect dialect, const std::string& why) {
  return {
      dialect.resource_not_found(), why.empty() ? "Resource not found" : "Resource not found: " + why, {{"uri", uri}}};
}

}  // namespace

std::string document_uri(std::string_view document, std::string_view change) {
  std::string uri = fmt::format("{}{}/", kScheme, document);
  for (const char c : change) {
    if (is_unreserved(c)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

Json resource_list(Dialect dialect) {
  Json list = Json::array();
  for (const std::string_view change : {"HEAD", "--worktree"}) {
    for (const DocumentKind& kind : kDocuments) {
      Json each = described(kind, fmt::format("{} {}", kind.name, change), dialect);
      each["uri"] = document_uri(kind.name, change);
      list.push_back(std::move(each));
    }
  }
  return list;
}

Json resource_template_list(Dialect dialect) {
  Json list = Json::array();
  for (const DocumentKind& kind : kDocuments) {
    Json each = described(kind, std::string(kind.name), dialect);
    each["uriTemplate"] = fmt::format("{}{}/{{change}}", kScheme, kind.name);
    list.push_back(std::move(each));
  }
  return list;
}

std::variant<Json, RpcError> read_resource(Workspace& workspace, const Json& params, Dialect dialect,
                                           const Progress& progress) {
  const auto given = params.find("uri");
  if (given == params.end() || !given->is_string() || given->get_ref<const std::string&>().size() > 2000)
    return RpcError{ErrorCode::kInvalidParams, "no uri is named", nullptr};
  const std::string uri = given->get<std::string>();
  const std::size_t slash = uri.find('/', std::min(uri.size(), kScheme.size()));
  if (!uri.starts_with(kScheme) || slash == std::string::npos) return not_found(uri, dialect, {});
  const std::string kind = uri.substr(kScheme.size(), slash - kScheme.size());
  const bool is_known =
      std::any_of(kDocuments.begin(), kDocuments.end(), [&](const DocumentKind& each) { return each.name == kind; });
  const std::optional<std::string> change = decoded(std::string_view(uri).substr(slash + 1));
  if (!is_known || !change) return not_found(uri, dialect, {});
  const Result<std::string> text = workspace.document(kind, *change, progress);
  if (!text) return not_found(uri, dialect, text.error().message);
  return Json{{"contents", Json::array({{{"uri", uri}, {"mimeType", kMarkdown}, {"text", *text}}})}};
}

}  // namespace lockstep::mcp
