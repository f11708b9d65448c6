// The command lines of triton.tools.compile and triton.tools.link in the form that this tool's parser reads.
//
// Python's parser knows options of several letters behind one hyphen (`-ns 3`, `-on=add`), and takes the
// beginning of a long option for the whole where only one begins so (`--sig`).
#ifndef NEREID_AOT_TRITONOPTIONS_H
#define NEREID_AOT_TRITONOPTIONS_H

#include <string>
#include <vector>

namespace nereid {

/// Spells out the options if the first argument is triton-compile or triton-link; otherwise changes nothing.
void spellOutTritonOptions(std::vector<std::string> &arguments);

} // namespace nereid

#endif // NEREID_AOT_TRITONOPTIONS_H
