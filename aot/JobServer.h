// How many compilations may run at a time, where a build system that started this process has a say in that.
//
// GNU Make with -j N has N - 1 tokens, bytes in a pipe that all of its recipes may read from. A process that
// Make starts may do one thing at a time; for each more it takes a token, and writes the same one back when
// that is done. So `nereid build` in a recipe shares the processors with all other recipes of the build,
// those of Makes and Ninjas below included. MAKEFLAGS says where the pipe is:
//
//     -j8 --jobserver-auth=fifo:/tmp/GMfifo1234     its name (Make from 4.4 on)
//     -j8 --jobserver-auth=3,4                      open files, which Make passes on to recipes behind a `+`
//
// A token that is not given back is lost for the whole build. So tokens are given back by what becomes of
// this process as well: signals, crashes, exit(). Only SIGKILL leaves no time for that.
#ifndef NEREID_AOT_JOBSERVER_H
#define NEREID_AOT_JOBSERVER_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid {

/// What MAKEFLAGS says of jobs.
struct MakeJobs {
  /// Of --jobserver-auth, `fifo:PATH` or `R,W`; empty where there is no job server.
  std::string server;
  /// Of -j.
  std::optional<unsigned> count;
};
MakeJobs parseMakeFlags(llvm::StringRef text);

/// Permissions to do something beside others: one that this process was started with, and those of the job
/// server. There is one object of this class at a time in a process.
class JobSlots {
public:
  /// `asked` is how many at a time the user wants; 0 where that is not said, for as many as the job server
  /// has, or as there are processors. Prints a warning if there is a job server that cannot be used.
  explicit JobSlots(unsigned asked);
  ~JobSlots();
  JobSlots(const JobSlots &) = delete;
  JobSlots &operator=(const JobSlots &) = delete;

  /// At most so many at a time, however many tokens there are.
  unsigned getMost() const { return most; }

  /// Held while something is done.
  class Permission {
  public:
    explicit Permission(JobSlots &slots) : slots(slots) { take(); }
    ~Permission() { giveBack(); }
    Permission(const Permission &) = delete;
    Permission &operator=(const Permission &) = delete;

    /// Waits until there is one.
    void take();
    /// For as long as nothing is done: somebody else may want it.
    void giveBack();

  private:
    JobSlots &slots;
    /// Where the token lies that this is, or one of the numbers in JobServer.cpp.
    int held = 0;
  };

private:
  /// Opens the server's files. Returns why it cannot be used, or nothing.
  std::string connect(const std::string &server);
  bool openNamed(const std::string &path);
  bool takeFromServer(int &slot);

  unsigned most = 1;
  /// Of the server, or -1. Nobody waits in a read: another process may have been faster.
  int readEnd = -1, writeEnd = -1;
  /// A pipe with the one token that this process was started with.
  int ownReadEnd = -1, ownWriteEnd = -1;
};

} // namespace nereid

#endif // NEREID_AOT_JOBSERVER_H
