#include "report/author/template.h"

#include "base/strings.h"

namespace lockstep::report {

namespace {

/// Where GitHub and GitLab look for templates.
bool is_template_path(std::string_view path) {
  const std::string lower = to_lower(path);
  const std::size_t slash = lower.rfind('/');
  const std::string_view name = std::string_view(lower).substr(slash == std::string::npos ? 0 : slash + 1);
  return name.starts_with("pull_request_template") || contains(lower, "pull_request_template/") ||
         contains(lower, ".gitlab/merge_request_templates/");
}

void add_side(const repo::Snapshot* files, std::string& out) {
  if (files == nullptr) return;
  for (const repo::FileEntry& file : files->files()) {
    if (file.kind != repo::FileKind::file || !is_template_path(file.path)) continue;
    const auto bytes = files->read(file.path);
    if (bytes) out += letters_of(*bytes) + "\n";
  }
}

}  // namespace

std::string letters_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<signed char>(c) < 0;
    if (is_letter) out += c;
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string letters_of_templates(const DocumentInputs& inputs) {
  std::string out;
  add_side(inputs.before_files, out);
  add_side(inputs.after_files, out);
  return out;
}

bool stands_in_template(std::string_view template_letters, std::string_view paragraph) {
  constexpr std::size_t kTelling = 12;
  const std::string letters = letters_of(paragraph);
  return letters.size() >= kTelling && contains(template_letters, letters);
}

}  // namespace lockstep::report
