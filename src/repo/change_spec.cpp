// Reading the CHANGE argument. Making the two sides of it is in change_sides.cpp.
#include "repo/change_spec.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/secrets.h"
#include "base/strings.h"
#include "repo/disk.h"
#include "repo/message.h"

namespace lockstep::repo {
namespace {

// Fewer digits than this name a pull request, not a commit: Git shortens ids to seven digits or more.
constexpr std::size_t kMinIdDigits = 7;

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint64_t> pull_number(std::string_view text) {
  std::uint64_t number = 0;
  if (!all_digits(text)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number == 0 || number > 0xffffffffu) return std::nullopt;
  return number;
}

// What GitHub allows in the names of owners and repositories.
bool is_forge_name(std::string_view text) {
  return !text.empty() && text != "." && text != ".." && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == '.';
  });
}

// "https://github.com/OWNER/REPO/pull/1234", with whatever follows ("/files", "#discussion…").
Result<ChangeInput> parse_url(std::string_view url) {
  const std::size_t host_start = url.find("://") + 3;
  const std::vector<std::string_view> parts = split(url.substr(host_start, url.find_first_of("?#") - host_start), '/');
  if (parts.size() >= 5 && parts[3] == "pull" && is_forge_name(parts[1]) && is_forge_name(parts[2])) {
    if (const auto number = pull_number(parts[4])) {
      // A user part ("https://TOKEN@github.com/…") is nobody's business.
      const std::string_view host = parts[0].substr(parts[0].rfind('@') + 1);
      return ForgeRef{to_lower(host), std::string(parts[1]), std::string(parts[2]), *number};
    }
  }
  return fail(fmt::format("'{}' is not the address of a pull request", without_secrets(to_utf8(url))),
              "give an address like https://github.com/OWNER/REPO/pull/1234");
}

// "OWNER/REPO#1234" or "#1234".
std::optional<ForgeRef> parse_short_forge_ref(std::string_view text) {
  const std::size_t hash = text.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  const auto number = pull_number(text.substr(hash + 1));
  if (!number) return std::nullopt;
  if (hash == 0) return ForgeRef{"", "", "", *number};
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash > hash) return std::nullopt;
  const std::string_view owner = text.substr(0, slash), name = text.substr(slash + 1, hash - slash - 1);
  if (!is_forge_name(owner) || !is_forge_name(name)) return std::nullopt;
  return ForgeRef{"", std::string(owner), std::string(name), *number};
}

std::optional<RangeChange> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const bool three = text.substr(dots).starts_with("...");
  const auto or_head = [](std::string_view name) { return name.empty() ? std::string("HEAD") : std::string(name); };
  return RangeChange{or_head(text.substr(0, dots)), or_head(text.substr(dots + (three ? 3 : 2))), three};
}

bool names_patch(std::string_view text) {
  return text.ends_with(".patch") || text.ends_with(".diff") || text.ends_with(".mbox") || text.ends_with(".eml");
}

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

Result<ChangeInput> read_patch_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    return fail(fmt::format("{}: {}", to_utf8(path), std::error_code(errno, std::generic_category()).message()),
                "name an existing patch file, or `-` for standard input");
  }
  Result<std::string> text = read_open_file(file.number(), PatchLimits{}.max_bytes, path);
  if (!text) return fail(text.error().message, "split the patch");
  return PatchChange{to_utf8(path), std::move(*text)};
}

Result<ChangeInput> check_range(const Repository& repository, std::string_view text, RangeChange range) {
  for (const std::string& end : {range.base, range.head}) {
    // No name of a revision holds two dots (git-check-ref-format).
    if (contains(end, "..")) {
      return fail(fmt::format("'{}' names more than two ends of a range", without_secrets(to_utf8(text))),
                  "give BASE..HEAD, or BASE...HEAD for what HEAD has since it left BASE");
    }
    const Result<std::string> commit = repository.resolve(end);
    if (!commit) return tl::unexpected(commit.error());
  }
  return range;
}

}  // namespace

Result<ChangeInput> parse_change(const Repository& repository, std::string_view argument,
                                 const std::optional<std::string>& stdin_text) {
  if (argument.empty()) return fail("no change was named", "name a commit, BASE..HEAD, a pull request or a patch file");
  if (argument == "-") {
    if (!stdin_text) return fail("no patch was given on standard input", "pipe one in: `git diff | lockstep review -`");
    return PatchChange{"standard input", *stdin_text};
  }
  if (argument == "--worktree") return WorktreeChange{};
  if (argument.starts_with("https://") || argument.starts_with("http://")) return parse_url(argument);
  const std::string text(argument);
  // Before ranges: "../change.patch" has two dots too.
  if (names_patch(argument) && (is_file(text) || !repository.has_revision(argument))) return read_patch_file(text);
  const bool is_path = argument.starts_with("./") || argument.starts_with("../") || argument.starts_with('/');
  if (is_path && is_file(text)) return read_patch_file(text);
  if (const auto forge = parse_short_forge_ref(argument); forge && !repository.has_reference(argument)) return *forge;
  if (auto range = parse_range(argument)) return check_range(repository, argument, std::move(*range));
  if (const auto number = pull_number(argument)) {
    const bool is_revision =
        repository.has_reference(argument) || (argument.size() >= kMinIdDigits && repository.has_revision(argument));
    if (!is_revision) return ForgeRef{"", "", "", *number};
  }
  const Result<std::string> commit = repository.resolve(argument);
  if (commit) return CommitChange{text};
  if (is_file(text)) return read_patch_file(text);
  return tl::unexpected(commit.error());
}

Result<ForgeRef> parse_pull_request(std::string_view argument) {
  if (argument.starts_with("https://") || argument.starts_with("http://")) {
    const Result<ChangeInput> parsed = parse_url(argument);
    if (!parsed) return tl::unexpected(parsed.error());
    return std::get<ForgeRef>(*parsed);
  }
  if (const auto number = pull_number(argument)) return ForgeRef{"", "", "", *number};
  if (const auto ref = parse_short_forge_ref(argument)) return *ref;
  return fail(fmt::format("'{}' is no pull request", without_secrets(to_utf8(argument))),
              "give its number, OWNER/REPO#1234, or its address");
}

}  // namespace lockstep::repo
