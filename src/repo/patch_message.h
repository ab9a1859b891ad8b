// The words that come with a patch: the mail of `git format-patch`, the head of `git show`. Private to this room.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "repo/patch.h"
#include "repo/patch_lines.h"

namespace lockstep::repo {

/// Whether a mail or the head of a commit starts at the cursor's line.
bool starts_message(const PatchLines& lines);
/// Reads the message, up to the first line that belongs to the diff, the "---" under a mail's text, or the next
/// message. Error: a mail whose text is encoded (base64, quoted-printable).
Result<PatchMessage> read_message(PatchLines& lines);
/// Whether the line opens a diff: "diff --git …", "--- …" before "+++ …", "Index: …".
bool starts_diff(const PatchLines& lines);

}  // namespace lockstep::repo
