// Text of a patch → Patch. One pass over the lines; what is not part of a diff or message is skipped, as `git apply`
// does.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/strings.h"
#include "repo/patch.h"
#include "repo/patch_lines.h"
#include "repo/patch_message.h"
#include "repo/patch_names.h"

namespace lockstep::repo {
namespace {

constexpr std::uint32_t kMaxLineNumber = 1u << 30;

struct Range {
  std::uint32_t start = 0, count = 0;
};

// "12,3" or "12" at the start of `text`, which moves past it.
std::optional<Range> take_range(std::string_view& text) {
  const auto take_number = [&]() -> std::optional<std::uint32_t> {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value > kMaxLineNumber) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  const std::optional<std::uint32_t> line = take_number();
  if (!line) return std::nullopt;
  std::uint32_t count = 1;
  if (text.starts_with(',')) {
    text.remove_prefix(1);
    const std::optional<std::uint32_t> given = take_number();
    if (!given) return std::nullopt;
    count = *given;
  }
  if (count > 0 && *line == 0) return std::nullopt;
  return Range{count > 0 ? *line - 1 : *line, count};
}

// "@@ -1,3 +1,4 @@ section".
std::optional<PatchHunk> parse_hunk_header(std::string_view line) {
  std::string_view text = line;
  if (!text.starts_with("@@ -")) return std::nullopt;
  text.remove_prefix(4);
  const std::optional<Range> old_range = take_range(text);
  if (!old_range || !text.starts_with(" +")) return std::nullopt;
  text.remove_prefix(2);
  const std::optional<Range> new_range = take_range(text);
  if (!new_range || !text.starts_with(" @@")) return std::nullopt;
  return PatchHunk{old_range->start, old_range->count, new_range->start, new_range->count, line, {}};
}

std::optional<std::uint32_t> parse_mode(std::string_view text) {
  std::uint32_t mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  switch (mode & 0170000) {
    case 0100000:
      return (mode & 0100) != 0 ? 0100755 : 0100644;
    case 0120000:
      return 0120000;
    case 0160000:
      return 0160000;
    default:
      return std::nullopt;
  }
}

// What the lines above a file's hunks say.
struct FileHeader {
  std::optional<NamePair> git_names;  // Of the "diff --git" line, without prefixes.
  bool prefixed = true;               // Whether names on ---/+++ lines carry prefixes, as far as "diff --git" tells.
  std::optional<HeaderName> old_line, new_line;
  std::optional<std::string> moved_from, moved_to;  // Renames and copies: names without prefixes.
  bool added = false, deleted = false, copied = false, binary = false;
  std::optional<std::uint32_t> old_mode, new_mode;
};

class PatchParser {
 public:
  PatchParser(Patch& patch, const PatchLimits& limits) : patch_(patch), limits_(limits), lines_(*patch.text) {}

  Result<void> run() {
    while (!lines_.at_end()) {
      Result<void> step = parse_next();
      if (!step) return step;
    }
    return {};
  }

 private:
  Result<void> parse_next() {
    const std::string_view line = lines_.line();
    if (starts_message(lines_)) {
      Result<PatchMessage> message = read_message(lines_);
      if (!message) return tl::unexpected(message.error());
      if (!patch_.messages.empty() || !patch_.files.empty()) ++part_;
      patch_.messages.push_back(std::move(*message));
    } else if (line.starts_with("diff --git ")) {
      return parse_git_file();
    } else if (line.starts_with("diff --cc ") || line.starts_with("diff --combined ")) {
      return fail(fmt::format("line {}: this is a combined diff of a merge, which cannot be applied", lines_.number()),
                  "make the patch with `git diff BASE HEAD`, or name the merge commit itself");
    } else if (starts_diff(lines_)) {
      return parse_plain_file();
    } else if (line.starts_with("Binary files ") && line.ends_with(" differ")) {
      return parse_plain_binary();
    } else if (line.starts_with("@@ -") && parse_hunk_header(line)) {
      return fail(fmt::format("line {}: a hunk without a file name above it", lines_.number()),
                  "make the patch with `git diff`");
    } else {
      lines_.advance();
    }
    return {};
  }

  Result<void> parse_git_file() {
    FileHeader header;
    const std::size_t first_line = lines_.number();
    if (const auto names = parse_git_names(lines_.line().substr(std::string_view("diff --git ").size()))) {
      header.prefixed = has_prefixes(*names);
      header.git_names = header.prefixed
                             ? NamePair{without_first_folder(names->first), without_first_folder(names->second)}
                             : NamePair{names->first, names->second};
    }
    lines_.advance();
    while (!lines_.at_end() && read_extended_header(header)) lines_.advance();
    if (header.binary) skip_binary();
    read_file_lines(header);
    return add_file(header, first_line);
  }

  // One line between "diff --git" and the hunks; false when it is none.
  bool read_extended_header(FileHeader& header) {
    const std::string_view line = lines_.line();
    const auto rest_after = [&](std::string_view prefix) -> std::optional<std::string_view> {
      if (!line.starts_with(prefix)) return std::nullopt;
      return line.substr(prefix.size());
    };
    if (const auto old_mode = rest_after("old mode ")) {
      header.old_mode = parse_mode(*old_mode);
    } else if (const auto new_mode = rest_after("new mode ")) {
      header.new_mode = parse_mode(*new_mode);
    } else if (const auto deleted = rest_after("deleted file mode ")) {
      header.deleted = true;
      header.old_mode = parse_mode(*deleted);
    } else if (const auto added = rest_after("new file mode ")) {
      header.added = true;
      header.new_mode = parse_mode(*added);
    } else if (const auto copy_from = rest_after("copy from ")) {
      header.copied = true;
      header.moved_from = parse_plain_name(*copy_from);
    } else if (const auto copy_to = rest_after("copy to ")) {
      header.moved_to = parse_plain_name(*copy_to);
    } else if (const auto from = rest_after("rename from ")) {
      header.moved_from = parse_plain_name(*from);
    } else if (const auto to = rest_after("rename to ")) {
      header.moved_to = parse_plain_name(*to);
    } else if (line == "GIT binary patch" || (line.starts_with("Binary files ") && line.ends_with(" differ"))) {
      header.binary = true;
    } else if (const auto index = rest_after("index ")) {
      const std::size_t space = index->rfind(' ');
      if (space != std::string_view::npos) header.old_mode = parse_mode(index->substr(space + 1));
    } else {
      return line.starts_with("similarity index ") || line.starts_with("dissimilarity index ");
    }
    return true;
  }

  // The data of a "GIT binary patch": up to the next file.
  void skip_binary() {
    while (!lines_.at_end() && !starts_diff(lines_) && !starts_message(lines_)) lines_.advance();
  }

  void read_file_lines(FileHeader& header) {
    if (!lines_.line().starts_with("--- ") || !lines_.ahead(1).starts_with("+++ ")) return;
    header.old_line = parse_file_line(lines_.line().substr(4));
    lines_.advance();
    header.new_line = parse_file_line(lines_.line().substr(4));
    lines_.advance();
  }

  Result<void> parse_plain_file() {
    FileHeader header;
    const std::size_t first_line = lines_.number();
    read_file_lines(header);
    // `diff -N` dates a file that is not there at 1970; so are real files of reproducible builds, but these have lines.
    const std::optional<PatchHunk> first = parse_hunk_header(lines_.line());
    const bool old_empty = first && first->old_start == 0 && first->old_count == 0;
    const bool new_empty = first && first->new_start == 0 && first->new_count == 0;
    header.added = header.old_line->raw == "/dev/null" || (header.old_line->epoch && old_empty);
    header.deleted = header.new_line->raw == "/dev/null" || (header.new_line->epoch && new_empty);
    return add_file(header, first_line);
  }

  // "Binary files a/x and b/x differ" of a plain diff.
  Result<void> parse_plain_binary() {
    std::string_view names = lines_.line().substr(std::string_view("Binary files ").size());
    names.remove_suffix(std::string_view(" differ").size());
    const std::size_t first_line = lines_.number();
    lines_.advance();
    const std::size_t middle = names.find(" and ");
    if (middle == std::string_view::npos) return {};
    FileHeader header;
    header.binary = true;
    header.old_line = HeaderName{std::string(names.substr(0, middle)), false};
    header.new_line = HeaderName{std::string(names.substr(middle + 5)), false};
    return add_file(header, first_line);
  }

  static NamePair names_of(const FileHeader& header) {
    if (header.moved_from && header.moved_to) return {*header.moved_from, *header.moved_to};
    NamePair names;
    if (header.old_line && header.new_line && (header.prefixed || !header.git_names)) {
      names = strip_prefixes(header.old_line->raw, header.new_line->raw);
      // `diff -u x.py.orig x.py`: both are the file that the new name gives.
      if (!header.git_names && !names.old_name.empty() && !names.new_name.empty()) names.old_name = names.new_name;
    }
    // The git line also names files without ---/+++ lines, and knows best what a lone "b/x" is.
    if (header.git_names) names = *header.git_names;
    if (header.added) names.old_name.clear();
    if (header.deleted) names.new_name.clear();
    return names;
  }

  Result<void> add_file(const FileHeader& header, std::size_t first_line) {
    NamePair names = names_of(header);
    FilePatch file;
    file.part = part_;
    file.binary = header.binary;
    file.copied = header.copied;
    file.old_mode = header.old_mode;
    file.new_mode = header.new_mode;
    if (names.old_name.empty() && names.new_name.empty()) {
      return fail(fmt::format("line {}: no file name can be read from this header", first_line),
                  "make the patch with `git diff`");
    }
    for (const std::string& name : {names.old_name, names.new_name}) {
      if (name.empty() || is_safe_path(name)) continue;
      return fail(fmt::format("line {}: the patch names '{}', which is not a path inside the repository", first_line,
                              escape_path(std::string_view(name).substr(0, 200))),
                  "make the patch with `git diff` at the top of the repository");
    }
    if (patch_.files.size() == limits_.max_files) {
      return fail(fmt::format("the patch changes more than {} files", limits_.max_files), "split it");
    }
    file.old_path = escape_path(names.old_name);
    file.new_path = escape_path(names.new_name);
    file.kind = kind_of(header, file);
    Result<void> hunks = parse_hunks(file);
    if (!hunks) return hunks;
    if (file.kind == ChangeKind::mode_changed && (!file.hunks.empty() || file.binary)) file.kind = ChangeKind::modified;
    patch_.files.push_back(std::move(file));
    return {};
  }

  static ChangeKind kind_of(const FileHeader& header, const FilePatch& file) {
    if (file.old_path.empty()) return ChangeKind::added;
    if (file.new_path.empty()) return ChangeKind::deleted;
    if (header.moved_from || file.old_path != file.new_path) return ChangeKind::renamed;
    return header.new_mode ? ChangeKind::mode_changed : ChangeKind::modified;
  }

  Result<void> parse_hunks(FilePatch& file) {
    while (!lines_.at_end()) {
      std::optional<PatchHunk> hunk = parse_hunk_header(lines_.line());
      if (!hunk) {
        if (!lines_.line().starts_with("@@ ")) return {};
        return fail(fmt::format("line {}: this hunk header cannot be read: '{}'", lines_.number(),
                                escape_path(lines_.line().substr(0, 80))),
                    "make the patch with `git diff`");
      }
      Result<void> body = parse_hunk_lines(*hunk);
      if (!body) return body;
      file.hunks.push_back(std::move(*hunk));
    }
    return {};
  }

  Result<void> parse_hunk_lines(PatchHunk& hunk) {
    // A header that ends in "\r" means that the whole text went through a program that writes CRLF.
    const bool transport_crlf = lines_.raw().ends_with('\r');
    const std::size_t header_line = lines_.number();
    lines_.advance();
    std::uint32_t old_left = hunk.old_count, new_left = hunk.new_count;
    while (old_left > 0 || new_left > 0) {
      if (lines_.at_end()) return cut_hunk(header_line, old_left, new_left);
      std::string_view text = transport_crlf ? lines_.line() : lines_.raw();
      if (mark_missing_newline(hunk, text)) continue;
      PatchLine line;
      // An empty line is an empty context line whose blank some program dropped.
      const char mark = text.empty() || text == "\r" ? ' ' : text.front();
      if (!text.empty() && text != "\r") text.remove_prefix(1);
      line.text = text;
      if (mark == '-') line.kind = LineKind::removed;
      if (mark == '+') line.kind = LineKind::added;
      const bool fits = (mark == '+' || old_left > 0) && (mark == '-' || new_left > 0);
      if ((mark != ' ' && mark != '-' && mark != '+') || !fits) return cut_hunk(header_line, old_left, new_left);
      if (mark != '+') --old_left;
      if (mark != '-') --new_left;
      if (++line_count_ > limits_.max_lines) {
        return fail(fmt::format("the patch has more than {} lines", limits_.max_lines), "split it");
      }
      hunk.lines.push_back(line);
      lines_.advance();
    }
    if (!lines_.at_end()) mark_missing_newline(hunk, lines_.line());
    return {};
  }

  // "\ No newline at end of file", in any language: it speaks of the line above.
  bool mark_missing_newline(PatchHunk& hunk, std::string_view text) {
    if (!text.starts_with("\\ ") || hunk.lines.empty()) return false;
    hunk.lines.back().ends_with_newline = false;
    lines_.advance();
    return true;
  }

  Result<void> cut_hunk(std::size_t header_line, std::uint32_t old_left, std::uint32_t new_left) const {
    const std::string where =
        lines_.at_end() ? "the patch ends" : fmt::format("line {} is no part of it", lines_.number());
    return fail(fmt::format("line {}: the hunk promises {} more old and {} more new lines, but {}", header_line,
                            old_left, new_left, where),
                "the patch was cut or edited; make it again with `git diff`");
  }

  Patch& patch_;
  const PatchLimits& limits_;
  PatchLines lines_;
  std::size_t part_ = 0;
  std::size_t line_count_ = 0;
};

}  // namespace

Result<Patch> parse_patch(std::string text, const PatchLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return fail(fmt::format("the patch has {} bytes; at most {} are read", text.size(), limits.max_bytes), "split it");
  }
  Patch patch;
  patch.text = std::make_shared<const std::string>(std::move(text));
  Result<void> parsed = PatchParser(patch, limits).run();
  if (!parsed) return tl::unexpected(parsed.error());
  if (patch.files.empty()) {
    return fail("no diff was found in the patch", "give the output of `git diff`, `git show` or `git format-patch`");
  }
  return patch;
}

}  // namespace lockstep::repo
