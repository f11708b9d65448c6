// See StampOption.h.
#include "aot/StampOption.h"

#include "CLI/CLI.hpp"

namespace nereid {

void addStampOption(CLI::App &command, std::string &path) {
  command.add_option("--stamp", path,
                     "A file to touch when all is done, also where no output has changed; the rule of "
                     "--depfile then is for it");
}

} // namespace nereid
