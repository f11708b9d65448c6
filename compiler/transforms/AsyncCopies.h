// Which asynchronous copies to shared memory may be under way.
//
// A copy is not done when it is issued. It belongs to the group that the next ttg.async_commit_group closes,
// and is done once the thread that issued it passes a ttg.async_wait that lets so few groups run on that its
// group is not among them: groups finish in order, so of three closed groups a wait for `num = 1` ends the
// first two.
//
// A copy's age is the number of groups closed since it was issued, its own included: 0 as long as its group
// is open. A wait for `num` has ended all copies older than `num`. Where control flow meets, a copy may be of
// several ages, of which the least and the greatest are kept. What is copied to is a number that the user
// gives.
#ifndef NEREID_COMPILER_TRANSFORMS_ASYNCCOPIES_H
#define NEREID_COMPILER_TRANSFORMS_ASYNCCOPIES_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>

namespace nereid {

class AsyncCopies {
public:
  /// Ages beyond this are alike; waits for as many groups do not exist.
  static constexpr unsigned oldest = 1024;

  void issue(uint64_t destination) { merge(destination, {0, 0}); }

  void commit() {
    for (auto &[destination, ages] : underWay) {
      ages.least = std::min(ages.least + 1, oldest);
      ages.greatest = std::min(ages.greatest + 1, oldest);
    }
  }

  /// The destinations of copies that may have been ended by this wait.
  llvm::SmallVector<uint64_t, 4> wait(unsigned num) {
    llvm::SmallVector<uint64_t, 4> done;
    for (auto &[destination, ages] : underWay)
      if (ages.greatest > num)
        done.push_back(destination);
    underWay.remove_if([&](const auto &copy) { return copy.second.least > num; });
    for (auto &[destination, ages] : underWay)
      ages.greatest = std::min(ages.greatest, num);
    return done;
  }

  /// Groups may be closed and waited for out of sight: any copy may be done, or not.
  llvm::SmallVector<uint64_t, 4> loseTrack() {
    llvm::SmallVector<uint64_t, 4> all;
    for (auto &[destination, ages] : underWay) {
      ages.greatest = oldest;
      all.push_back(destination);
    }
    return all;
  }

  /// Adds what may be under way on another path; true if something was new.
  bool merge(const AsyncCopies &other) {
    bool changed = false;
    for (auto &[destination, ages] : other.underWay)
      changed |= merge(destination, ages);
    return changed;
  }

  bool empty() const { return underWay.empty(); }
  auto begin() const { return underWay.begin(); }
  auto end() const { return underWay.end(); }

private:
  struct Ages {
    unsigned least, greatest;
    bool operator==(const Ages &other) const { return least == other.least && greatest == other.greatest; }
  };

  bool merge(uint64_t destination, Ages ages) {
    auto [it, isNew] = underWay.insert({destination, ages});
    if (isNew)
      return true;
    Ages both = {std::min(it->second.least, ages.least), std::max(it->second.greatest, ages.greatest)};
    bool changed = !(both == it->second);
    it->second = both;
    return changed;
  }

  llvm::MapVector<uint64_t, Ages> underWay;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_ASYNCCOPIES_H
