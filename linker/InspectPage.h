// What a kernel object or a library holds, as one HTML file that needs nothing beside itself: tables that
// sort and filter, sizes and occupancy drawn, and the stages that were kept of each image side by side, with
// the lines linked that come from one another.
#ifndef NEREID_LINKER_INSPECTPAGE_H
#define NEREID_LINKER_INSPECTPAGE_H

#include <string>

namespace nereid {

struct InspectedFile;

/// Throws JSON's exceptions where a description is not as it should be.
std::string drawInspectPage(const InspectedFile &file);

} // namespace nereid

#endif // NEREID_LINKER_INSPECTPAGE_H
