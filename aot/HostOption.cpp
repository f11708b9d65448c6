// A family of processors is enough: what plain `cpu` stands for, and the kind of the ELF files, follow from
// it.
#include "aot/HostOption.h"

#include "CLI/CLI.hpp"

namespace nereid {

void addHostOption(CLI::App &command, std::string &host) {
  command
      .add_option("--host", host,
                  "The processors that the library is for: x86_64 or aarch64 (this machine's)")
      ->check(CLI::IsMember({"x86_64", "aarch64"}));
}

} // namespace nereid
