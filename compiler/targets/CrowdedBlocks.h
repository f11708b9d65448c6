// Blocks with so many accesses to memory that what asks of any two whether they may be the same takes too
// long.
//
// Scalar code that was written out, or unrolled by tl.static_range, makes them; a tile's accesses do not, as
// they are loops. 5,000 stores through two pointers took 6 s, of which 5 are spent in two passes:
//
//  - the straight-line vectorizer compares each store with all others at addresses that are not a constant
//  apart;
//  - the machine scheduler keeps the last thousand accesses in view, and looks through the list of what an
//    instruction depends on for each that it adds to it.
//
// What the code gains by either is little: it is as long as the memory that it writes.
#ifndef NEREID_COMPILER_TARGETS_CROWDEDBLOCKS_H
#define NEREID_COMPILER_TARGETS_CROWDEDBLOCKS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

bool hasCrowdedBlock(const llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_CROWDEDBLOCKS_H
