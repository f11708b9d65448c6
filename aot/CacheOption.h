// `--no-cache`, of every command that compiles.
#ifndef NEREID_AOT_CACHEOPTION_H
#define NEREID_AOT_CACHEOPTION_H

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

/// The same as NEREID_CACHE_DIR=off, also for programs that the command starts.
void addCacheOption(CLI::App &command);

} // namespace nereid

#endif // NEREID_AOT_CACHEOPTION_H
