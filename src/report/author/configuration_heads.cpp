#include "report/author/configuration_heads.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "report/author/quotation.h"
#include "report/author/title.h"
#include "report/document.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

/// Whether the text names the pull request "#5748": "/pull/5748", "#5748".
bool names_number(std::string_view text, std::string_view number) {
  for (const std::string_view before : {"/pull/", "#"}) {
    const std::string name = std::string(before) + std::string(number.substr(1));
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + name.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') return true;
  }
  return false;
}

/// The lines of comments with which a file opens, without their marks.
std::vector<TextLine> opening_comment(const std::vector<TextLine>& lines) {
  std::vector<TextLine> out;
  for (const TextLine& one : lines) {
    std::string_view text = trim(one.text);
    if (text.starts_with("#!")) continue;
    if (!text.starts_with("#")) break;
    text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
    out.push_back({one.line, trim(text)});
  }
  return out;
}

}  // namespace

std::vector<Saying> reasons_in_configuration_heads(const DocumentInputs& inputs) {
  constexpr std::size_t kMostWords = 70;
  const std::string_view number = inputs.number.starts_with("#") ? inputs.number : number_in(inputs.title);
  std::vector<Saying> out;
  if (number.empty()) return out;
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->path();
    if (file.file->kind != repo::ChangeKind::added || path.ends_with(".py") || is_prose_file(file)) continue;
    const std::vector<std::vector<TextLine>> runs = added_runs(file);
    if (runs.empty()) continue;
    const std::vector<TextLine> head = opening_comment(runs.front());
    Quotation quotation;
    for (const SourceSentence& one : sentences_of(*inputs.change, path, {}, head, TextKind::kComment)) {
      if (quotation.text.empty() && !names_number(one.text, number)) continue;
      if (words_in(quotation.text) + words_in(one.text) > kMostWords) {
        quotation.is_cut = true;
        break;
      }
      if (quotation.text.empty()) quotation.first_line = one.first_line;
      quotation.text.append(quotation.text.empty() ? "" : " ").append(one.text);
    }
    if (quotation.text.empty()) continue;
    std::string where = place(path, quotation.first_line);
    add_quotation(out, std::move(where), std::move(quotation));
    return out;
  }
  return out;
}

}  // namespace lockstep::report
