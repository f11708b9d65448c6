// Lets a package run on systems whose C library is older than the one that it was built with: of the
// functions that newer versions brought, two are all that stands between Debian 12's (2.36) and 2.34, which
// RHEL 9 has.
#include <cstdint>
#include <sys/random.h>

// 2.36, for libstdc++'s and LLVM's random numbers. The program's own comes before the C library's.
extern "C" uint32_t arc4random() noexcept {
  uint32_t number;
  while (getrandom(&number, sizeof(number), 0) != sizeof(number))
    ;
  return number;
}

// 2.35 has a version of it that leaves errno alone. The linker is told to bind hypot here (--wrap=hypot).
#if defined(__x86_64__)
asm(".symver olderHypot, hypot@GLIBC_2.2.5");
#elif defined(__aarch64__)
asm(".symver olderHypot, hypot@GLIBC_2.17");
#endif
extern "C" double olderHypot(double x, double y);
extern "C" double __wrap_hypot(double x, double y);
extern "C" double __wrap_hypot(double x, double y) { return olderHypot(x, y); }
