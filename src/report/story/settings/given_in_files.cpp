#include "report/story/settings/given_in_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

namespace {

/// Whether the text has the argument as a whole: `--x`, `--x=1`, `"--x": true`, not `--x-more`.
bool gives(std::string_view text, std::string_view argument) {
  for (std::size_t at = find_text(text, argument); at != std::string_view::npos;
       at = find_text(text, argument, at + 1)) {
    const std::size_t end = at + argument.size();
    const bool begins = at == 0 || (!is_name_char(text[at - 1]) && text[at - 1] != '-');
    const bool ends = end == text.size() || (!is_name_char(text[end]) && text[end] != '-');
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

std::string GivenInFiles::words(std::string_view argument) {
  constexpr std::size_t kMostNamed = 2;
  if (!argument.starts_with("--")) return {};
  if (!of_tests_) of_tests_ = configuration_files(files_, FilesOf::kTests);
  if (!others_) others_ = configuration_files(files_, FilesOf::kOthers);
  if (of_tests_->empty() && others_->empty()) return {};
  const auto is_giving = [&](const ConfigurationFile& file) { return gives(file.text, argument); };
  const auto of_tests = static_cast<std::size_t>(std::count_if(of_tests_->begin(), of_tests_->end(), is_giving));
  std::vector<std::string> named;
  std::size_t more = 0;
  for (const ConfigurationFile& file : *others_) {
    if (!is_giving(file)) continue;
    if (named.size() < kMostNamed)
      named.push_back(place(file.path));
    else
      ++more;
  }
  const std::string name = code(std::string(argument));
  if (named.empty()) {
    if (!pages_) pages_ = configuration_files(files_, FilesOf::kPages);
    const auto page = std::find_if(pages_->begin(), pages_->end(), is_giving);
    const std::string beside =
        page == pages_->end() ? std::string() : fmt::format("; the page {} gives it", place(page->path));
    if (of_tests == 0)
      return fmt::format("No shell script or configuration file of the repository names {}{}", name, beside);
    return fmt::format("{} is given in {} of tests and in no other script or configuration{}", name,
                       count_of(of_tests, "file"), beside);
  }
  if (more > 0) named.push_back(fmt::format("{} more", more));
  const std::string tests =
      of_tests == 0 ? std::string() : fmt::format(", and in {} of tests", count_of(of_tests, "file"));
  return fmt::format("{} is given in {}{}", name, join_words(named), tests);
}

}  // namespace lockstep::report
