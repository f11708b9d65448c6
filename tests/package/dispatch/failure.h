/* The record of a failed assertion, as compiled kernels know it (compiler/model/KernelFailure.h), and what
 * they do with it. */
#include <stdint.h>

typedef struct failure {
  uint32_t failed;
  uint32_t program[3];
  uint32_t line, column;
  const char *file, *message;
} failure;

static inline void fail(failure *record, uint64_t program, const char *message) {
  uint32_t none = 0;
  if (!__atomic_compare_exchange_n(&record->failed, &none, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  record->program[0] = (uint32_t)program;
  record->program[1] = record->program[2] = 0;
  record->line = 7;
  record->column = 5;
  record->file = "kernels/synthetic.py";
  record->message = message;
}

static inline int has_failed(const failure *record) {
  return __atomic_load_n(&record->failed, __ATOMIC_RELAXED) != 0;
}
