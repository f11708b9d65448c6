// Times of a library's variants, measured by `nereid tune`: the file that a build keeps, and that the linker
// reads.
//
//     {"nereid_tuning": 1, "measurements": [
//       {"function": "matmul", "device": "NVIDIA H200", "target": "cuda:90a", "key": {"M": 512, "N": 512,
//       "K": 64},
//        "variant": "*fp16:16, …, 128, 128, 64 num_warps=8 num_stages=3", "nanoseconds": 8123.0, "spread":
//        0.004, "runs": 57, "outliers": 2, "default": true, "nereid": "0.1.0", "driver": "580.159.04",
//        "date": "2026-11-23"},
//       {…, "variant": …, "failed": "…"}]}
//
// A measurement is of one variant, for one key on one kind of device; of two of the same the later in the
// file counts, so that files of several machines, or of several runs, are merged by putting one behind the
// other. What a variant is called (VariantName.h) does not depend on the others in the library: a file goes
// on being true when variants are added or removed.
#ifndef NEREID_LINKER_TUNINGRESULTS_H
#define NEREID_LINKER_TUNINGRESULTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nereid {

struct Measurement {
  std::string function;
  /// As its driver calls it; of a CPU, its model.
  std::string device;
  /// What the variant was compiled for.
  std::string target;
  std::map<std::string, int64_t> key;
  std::string variant;
  /// Of a launch that failed, or whose results differed: why. Then there are no times.
  std::string failed;
  double nanoseconds = 0;
  /// Half of the runs lie within this share of the time.
  double spread = 0;
  unsigned runs = 0, outliers = 0;
  /// The library that was measured runs this one for such a call by itself.
  bool isDefault = false;
  /// Of the tool that measured, and of the device's driver; the day. May be empty.
  std::string nereid, driver, date;

  /// True if both are of the same thing.
  bool isSame(const Measurement &other) const;
};

/// What is wrong with a file, and where: its whole text, if the pointer is empty.
class TuningResultsError : public llvm::ErrorInfo<TuningResultsError> {
public:
  TuningResultsError(llvm::StringRef path, llvm::StringRef pointer, llvm::StringRef problem)
      : path(path.str()), pointer(pointer.str()), problem(problem.str()) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  std::string path;
  /// Of the value, as RFC 6901 has it: `/measurements/3/key`.
  std::string pointer;
  std::string problem;
  static char ID;
};

/// Reads a file; what is wrong with it is an error that names it, a TuningResultsError if it could be read.
llvm::Expected<std::vector<Measurement>> readTuningResults(llvm::StringRef path);
llvm::Expected<std::vector<Measurement>> parseTuningResults(llvm::StringRef text, llvm::StringRef path);

/// Reads several, of which the later ones count where they have the same.
llvm::Expected<std::vector<Measurement>> readAllTuningResults(llvm::ArrayRef<std::string> paths);

std::string printTuningResults(llvm::ArrayRef<Measurement> measurements);

/// Those of `more` take the place of the same ones in `measurements`, or come behind.
void mergeTuningResults(std::vector<Measurement> &measurements, llvm::ArrayRef<Measurement> more);

} // namespace nereid

#endif // NEREID_LINKER_TUNINGRESULTS_H
