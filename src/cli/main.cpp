#include <cerrno>
#include <cstdio>
#ifdef LOCKSTEP_MIMALLOC
#include <mimalloc.h>
#endif
#include <variant>

#include "cli/commands.h"
#include "cli/options.h"

#ifdef __SANITIZE_ADDRESS__
/// Leaks of libraries: libgit2 1.5 does not free the match data of a regular expression that does not match
/// (git_regexp_search), once for each entry of a Git configuration that is searched.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
  return "leak:libpcre2-8.so\n";
}
#endif

int main(int argc, char** argv) {
#ifdef LOCKSTEP_MIMALLOC
  // Trees and tables of a large repository are hundreds of megabytes: in 4 KiB pages a fifth of the time is page
  // faults.
  mi_option_set_enabled_default(mi_option_large_os_pages, true);
#endif
  const auto parsed = lockstep::cli::parse_options(argc, argv);
  if (const auto* stop = std::get_if<lockstep::cli::Exit>(&parsed)) {
    std::FILE* stream = stop->code == 0 ? stdout : stderr;
    const bool is_told = std::fputs(stop->text.c_str(), stream) >= 0 && std::fflush(stream) == 0;
    return stop->code == 0 && !is_told && errno != EPIPE ? 2 : stop->code;
  }
  return lockstep::cli::run(std::get<lockstep::cli::Options>(parsed));
}
