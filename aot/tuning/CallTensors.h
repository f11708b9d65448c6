// The arguments of one call that is measured: tensors in the device's memory, and scalars.
#ifndef NEREID_AOT_TUNING_CALLTENSORS_H
#define NEREID_AOT_TUNING_CALLTENSORS_H

#include "aot/tuning/TuningPlan.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// What makes a call impossible, and the argument that it is about.
struct ArgumentProblem {
  std::string argument, text;
};

class CallTensors {
public:
  CallTensors(const TuningTask &task, TuningDevice &device) : task(task), device(device) {}
  CallTensors(const CallTensors &) = delete;
  ~CallTensors();

  /// Computes scalars and allocates tensors, which hold nothing yet.
  std::optional<ArgumentProblem> allocate();
  /// Writes the tensors that kernels only read, and keeps what the others begin with.
  std::optional<ArgumentProblem> fill();

  /// Before a run whose results count, all that kernels write; before one that is timed only what is said to
  /// have contents, which kernels may update.
  llvm::Error restore(bool withPoison);

  /// The results of a run that has ended, one for each tensor that kernels write.
  llvm::Expected<std::vector<std::vector<char>>> takeResults();
  /// The arguments they are of.
  std::vector<const TunableArgument *> getWritten() const;
  /// Whether what kernels write there had no contents.
  bool isPoisoned(unsigned result) const;

  llvm::ArrayRef<const void *> getPacked() const { return packed; }

private:
  struct Tensor {
    const TunableArgument *argument;
    const TuningArgument *given;
    void *memory = nullptr;
    size_t bytes = 0;
    /// Of one that kernels write.
    std::vector<char> initial;
    bool isWritten() const { return !argument->isConst; }
  };
  /// A value of any type of C that arguments have.
  struct alignas(16) Slot {
    char bytes[16] = {};
  };

  std::optional<ArgumentProblem> setTensor(const TunableArgument &argument, const TuningArgument &given,
                                           Slot &slot);
  /// What is written into a tensor of the case.
  llvm::Expected<TensorContents> getContents(const Tensor &tensor) const;
  std::optional<ArgumentProblem> setScalar(const TunableArgument &argument, const TuningArgument *given,
                                           Slot &slot);

  const TuningTask &task;
  TuningDevice &device;
  std::vector<Tensor> tensors;
  std::vector<Slot> slots;
  std::vector<const void *> packed;
};

} // namespace nereid

#endif // NEREID_AOT_TUNING_CALLTENSORS_H
