#include <cstdio>
#include <variant>

#include "cli/commands.h"
#include "cli/options.h"

int main(int argc, char** argv) {
  const auto parsed = lockstep::cli::parse_options(argc, argv);
  if (const auto* stop = std::get_if<lockstep::cli::Exit>(&parsed)) {
    std::fputs(stop->text.c_str(), stop->code == 0 ? stdout : stderr);
    return stop->code;
  }
  return lockstep::cli::run(std::get<lockstep::cli::Options>(parsed));
}
