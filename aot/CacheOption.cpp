// See CacheOption.h.
#include "aot/CacheOption.h"

#include "CLI/CLI.hpp"

#include <cstdlib>

namespace nereid {

void addCacheOption(CLI::App &command) {
  command.add_flag_callback(
      "--no-cache", [] { setenv("NEREID_CACHE_DIR", "off", /*overwrite=*/1); },
      "Compile everything, whatever was compiled before, and keep nothing");
}

} // namespace nereid
