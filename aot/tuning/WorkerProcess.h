// A child of this process that runs what may crash or hang, and talks with it: lines of JSON, one a message.
//
// The child is a fork that runs a function of this program. It ends with its parent, leaves no core file, and
// leaves interrupts (^C reaches both) to its parent. A signal that interrupts this process while it waits for
// a message is noticed there and nowhere else, so that nothing else is cut short.
#ifndef NEREID_AOT_TUNING_WORKERPROCESS_H
#define NEREID_AOT_TUNING_WORKERPROCESS_H

#include "llvm/Support/Error.h"

#include "nlohmann/json_fwd.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace nereid {

/// One end of the two pipes.
class MessageChannel {
public:
  MessageChannel(int input, int output) : input(input), output(output) {}
  MessageChannel(const MessageChannel &) = delete;
  MessageChannel &operator=(const MessageChannel &) = delete;
  ~MessageChannel();

  /// False if nobody is at the other end any more.
  bool send(const nlohmann::json &message);
  /// Waits for a message; nothing if none will come.
  std::optional<nlohmann::json> receive();

private:
  friend class WorkerProcess;
  /// The next message of what was read already.
  std::optional<nlohmann::json> takeLine();
  /// False at the end.
  bool readMore();

  int input, output;
  std::string buffer;
};

/// While this exists SIGINT, SIGTERM and SIGHUP interrupt waiting for messages, and nothing else.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  /// The signal that came, or 0.
  static int getSignal();
};

class WorkerProcess {
public:
  explicit WorkerProcess(std::function<void(MessageChannel &)> body) : body(std::move(body)) {}
  WorkerProcess(const WorkerProcess &) = delete;
  ~WorkerProcess() { stop(); }

  llvm::Error start();
  bool isRunning() const { return child > 0; }
  /// Ends it at once.
  void stop();

  bool send(const nlohmann::json &message) { return channel && channel->send(message); }

  enum class Outcome { Message, Ended, TimedOut, Interrupted };
  /// Waits so many seconds for a message.
  Outcome receive(nlohmann::json &message, double seconds);
  /// How it ended, `it was ended by SIGSEGV (Segmentation fault)`.
  std::string describeEnd() const;

private:
  std::function<void(MessageChannel &)> body;
  std::unique_ptr<MessageChannel> channel;
  int child = -1;
  int status = 0;
};

} // namespace nereid

#endif // NEREID_AOT_TUNING_WORKERPROCESS_H
