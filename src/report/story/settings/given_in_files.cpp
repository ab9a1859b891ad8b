#include "report/story/settings/given_in_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/argument_spellings.h"
#include "report/source/code.h"

namespace lockstep::report {

std::string GivenInFiles::words(std::string_view argument) {
  constexpr std::size_t kMostNamed = 2;
  if (!argument.starts_with("--")) return {};
  if (!of_tests_) of_tests_ = configuration_files(files_, FilesOf::kTests);
  if (!others_) others_ = configuration_files(files_, FilesOf::kOthers);
  if (of_tests_->empty() && others_->empty()) return {};
  const std::vector<std::string> spellings = spellings_of(program_, argument);
  const auto is_giving = [&](const ConfigurationFile& file) {
    return std::any_of(spellings.begin(), spellings.end(),
                       [&](const std::string& one) { return gives_argument(file.text, one); });
  };
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
  const std::string name = code(spellings.front());
  std::string same;
  for (std::size_t i = 1; i < spellings.size(); ++i) same += fmt::format("; {} is the same option", code(spellings[i]));
  if (named.empty()) {
    if (!pages_) pages_ = configuration_files(files_, FilesOf::kPages);
    std::vector<std::string> pages;
    std::size_t more_pages = 0;
    for (const ConfigurationFile& file : *pages_) {
      if (!is_giving(file)) continue;
      if (pages.size() < kMostNamed) {
        pages.push_back(place(file.path));
      } else {
        ++more_pages;
      }
    }
    if (more_pages > 0) pages.push_back(fmt::format("{} more", more_pages));
    const std::string beside = pages.empty() ? std::string()
                                             : fmt::format("; the {} {} {} it", pages.size() == 1 ? "page" : "pages",
                                                           join_words(pages), pages.size() == 1 ? "gives" : "give");
    if (of_tests == 0)
      return fmt::format("No shell script or configuration file of the repository names {}{}{}", name, same, beside);
    return fmt::format("{} is given in {} of tests and in no other script or configuration{}{}", name,
                       count_of(of_tests, "file"), same, beside);
  }
  if (more > 0) named.push_back(fmt::format("{} more", more));
  const std::string tests =
      of_tests == 0 ? std::string() : fmt::format(", and in {} of tests", count_of(of_tests, "file"));
  return fmt::format("{} is given in {}{}{}", name, join_words(named), tests, same);
}

}  // namespace lockstep::report
