// A stream of bytes -> its lines, none held that is longer than a limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::mcp {

class LineReader {
 public:
  /// Reads an open file descriptor, which stays its caller's.
  LineReader(int file, std::size_t most_bytes) : file_(file), most_bytes_(most_bytes) {}

  enum class Outcome { kLine, kTooLong, kEnd };
  /// The next line into `line`, without its end ("\n", "\r\n"); a last line may lack it. kTooLong: it was skipped.
  Outcome next(std::string& line);

 private:
  int file_;
  std::size_t most_bytes_;
  std::string buffer_;      ///< Read and not given out.
  std::size_t taken_ = 0;   ///< Of buffer_.
  std::size_t looked_ = 0;  ///< In buffer_, no line end stands before it.
};

}  // namespace lockstep::mcp
