// Files and streams as the commands use them: bounded reads, whole writes, errors that name the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::cli {

/// The bytes of a file, or of standard input for "-". Error: unreadable, or larger than `limit_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t limit_bytes);
/// Writes to `path`, or to standard output when absent or "-". A file is written whole or not at all.
Result<void> write_output(const std::optional<std::string>& path, std::string_view bytes);

/// Tells of an error on standard error, without credentials, and gives the exit code.
int stop(const Error& error);

}  // namespace lockstep::cli
