// The names that the headers of C and of POSIX declare: functions, objects, types, and macros.
//
// The table is what the headers of C11, C17, C23 and POSIX.1 declare, with the extensions that glibc declares
// beside them, since g++ always asks for those. It is grouped by header. Families that would fill pages are
// rules instead: `sinf` and `sinf128` follow from `sin`, and no name that begins with `pthread_` is free.
#include "linker/CNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid {

static const char table[] =
    // <assert.h>
    "assert assert_perror "
    // <complex.h>
    "CMPLX CMPLXF CMPLXL I complex "
    // <ctype.h>
    "isalnum isalnum_l isalpha isalpha_l isascii isascii_l isblank isblank_l iscntrl iscntrl_l "
    "isctype isdigit isdigit_l isgraph isgraph_l islower islower_l isprint isprint_l ispunct "
    "ispunct_l isspace isspace_l isupper isupper_l isxdigit isxdigit_l locale_t toascii toascii_l "
    "tolower tolower_l toupper toupper_l "
    // <errno.h>
    "E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD "
    "EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED "
    "ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG "
    "EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM "
    "EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC "
    "ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL "
    "ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC ENOKEY "
    "ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS "
    "ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ "
    "ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE "
    "ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH "
    "ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK "
    "EXDEV EXFULL errno error_t program_invocation_name program_invocation_short_name "
    // <fenv.h>
    "FE_ALL_EXCEPT FE_DFL_ENV FE_DIVBYZERO FE_DOWNWARD FE_INEXACT FE_INVALID FE_OVERFLOW FE_TONEAREST "
    "FE_TOWARDZERO FE_UNDERFLOW FE_UPWARD feclearexcept fedisableexcept feenableexcept fegetenv "
    "fegetexcept fegetexceptflag fegetmode fegetround feholdexcept femode_t fenv_t feraiseexcept "
    "fesetenv fesetexcept fesetexceptflag fesetmode fesetround fetestexcept fetestexceptflag "
    "feupdateenv fexcept_t "
    // <float.h>
    "DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON DBL_HAS_SUBNORM DBL_MANT_DIG DBL_MAX DBL_MAX_10_EXP "
    "DBL_MAX_EXP DBL_MIN DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN DECIMAL_DIG FLT_DECIMAL_DIG FLT_DIG "
    "FLT_EPSILON FLT_EVAL_METHOD FLT_HAS_SUBNORM FLT_MANT_DIG FLT_MAX FLT_MAX_10_EXP FLT_MAX_EXP "
    "FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP FLT_RADIX FLT_ROUNDS FLT_TRUE_MIN LDBL_DECIMAL_DIG LDBL_DIG "
    "LDBL_EPSILON LDBL_HAS_SUBNORM LDBL_MANT_DIG LDBL_MAX LDBL_MAX_10_EXP LDBL_MAX_EXP LDBL_MIN "
    "LDBL_MIN_10_EXP LDBL_MIN_EXP LDBL_TRUE_MIN "
    // <inttypes.h>
    "INT16_C INT16_MAX INT16_MIN INT32_C INT32_MAX INT32_MIN INT64_C INT64_MAX INT64_MIN INT8_C "
    "INT8_MAX INT8_MIN INTMAX_C INTMAX_MAX INTMAX_MIN INTPTR_MAX INTPTR_MIN INT_FAST16_MAX "
    "INT_FAST16_MIN INT_FAST32_MAX INT_FAST32_MIN INT_FAST64_MAX INT_FAST64_MIN INT_FAST8_MAX "
    "INT_FAST8_MIN INT_LEAST16_MAX INT_LEAST16_MIN INT_LEAST32_MAX INT_LEAST32_MIN INT_LEAST64_MAX "
    "INT_LEAST64_MIN INT_LEAST8_MAX INT_LEAST8_MIN PTRDIFF_MAX PTRDIFF_MIN SIG_ATOMIC_MAX "
    "SIG_ATOMIC_MIN SIZE_MAX UINT16_C UINT16_MAX UINT32_C UINT32_MAX UINT64_C UINT64_MAX UINT8_C "
    "UINT8_MAX UINTMAX_C UINTMAX_MAX UINTPTR_MAX UINT_FAST16_MAX UINT_FAST32_MAX UINT_FAST64_MAX "
    "UINT_FAST8_MAX UINT_LEAST16_MAX UINT_LEAST32_MAX UINT_LEAST64_MAX UINT_LEAST8_MAX WCHAR_MAX "
    "WCHAR_MIN WINT_MAX WINT_MIN imaxabs imaxdiv imaxdiv_t int16_t int32_t int64_t int8_t "
    "int_fast16_t int_fast32_t int_fast64_t int_fast8_t int_least16_t int_least32_t int_least64_t "
    "int_least8_t intmax_t intptr_t strtoimax strtoumax uint16_t uint32_t uint64_t uint8_t "
    "uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t "
    "uint_least64_t uint_least8_t uintmax_t uintptr_t wcstoimax wcstoumax "
    // <limits.h>
    "CHAR_BIT CHAR_MAX CHAR_MIN INT_MAX INT_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN MB_LEN_MAX "
    "SCHAR_MAX SCHAR_MIN SHRT_MAX SHRT_MIN UCHAR_MAX UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX "
    // <locale.h>
    "LC_ADDRESS LC_ALL LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT LC_MESSAGES LC_MONETARY "
    "LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME duplocale freelocale getlocalename_l localeconv "
    "newlocale setlocale uselocale "
    // <math.h>
    "FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF "
    "HUGE_VALL INFINITY MATH_ERREXCEPT MATH_ERRNO MAXFLOAT M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 "
    "M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN SNAN SNANF SNANL daddl ddivl dfmal dmull "
    "double_t dsqrtl dsubl "
    "fadd faddl fdiv fdivl ffma ffmal float_t fmul fmull fpclassify fsqrt fsqrtl fsub fsubl gamma_r "
    "gammaf_r gammal_r iscanonical iseqsig isfinite isgreater isgreaterequal isless islessequal "
    "islessgreater isnormal issignaling issubnormal isunordered iszero lgamma_r lgammaf_r lgammal_r "
    "math_errhandling signbit signbitf signbitl signgam "
    // <setjmp.h>
    "jmp_buf longjmp setjmp sigjmp_buf siglongjmp sigsetjmp "
    // <signal.h>
    "SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL "
    "SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN SIGSEGV SIGSTKFLT SIGSTOP SIGSYS "
    "SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU "
    "SIGXFSZ SIG_DFL SIG_ERR SIG_IGN bsd_signal fpregset_t greg_t gregset_t gsignal kill killpg "
    "mcontext_t psiginfo psignal raise sig2str sig_atomic_t sig_t sigaction sigaddset sigaltstack "
    "sigandset sigblock sigdelset sigemptyset sigevent_t sigfillset siggetmask sighandler_t sighold "
    "sigignore siginterrupt sigisemptyset sigismember sigmask signal sigorset sigpause sigpending "
    "sigprocmask sigqueue sigrelse sigreturn sigset sigset_t sigsetmask sigstack sigsuspend "
    "sigtimedwait sigval_t sigwait sigwaitinfo size_t ssignal stack_t str2sig sysv_signal tgkill "
    "time_t ucontext_t "
    // <stdarg.h>
    "va_arg va_copy va_end va_list va_start "
    // <stdatomic.h>
    "ATOMIC_BOOL_LOCK_FREE ATOMIC_CHAR16_T_LOCK_FREE ATOMIC_CHAR32_T_LOCK_FREE ATOMIC_CHAR_LOCK_FREE "
    "ATOMIC_FLAG_INIT ATOMIC_INT_LOCK_FREE ATOMIC_LLONG_LOCK_FREE ATOMIC_LONG_LOCK_FREE "
    "ATOMIC_POINTER_LOCK_FREE ATOMIC_SHORT_LOCK_FREE ATOMIC_VAR_INIT ATOMIC_WCHAR_T_LOCK_FREE "
    "atomic_bool atomic_char atomic_char16_t atomic_char32_t atomic_compare_exchange_strong "
    "atomic_compare_exchange_strong_explicit atomic_compare_exchange_weak "
    "atomic_compare_exchange_weak_explicit atomic_exchange atomic_exchange_explicit atomic_fetch_add "
    "atomic_fetch_add_explicit atomic_fetch_and atomic_fetch_and_explicit atomic_fetch_or "
    "atomic_fetch_or_explicit atomic_fetch_sub atomic_fetch_sub_explicit atomic_fetch_xor "
    "atomic_fetch_xor_explicit atomic_flag atomic_flag_clear atomic_flag_clear_explicit "
    "atomic_flag_test_and_set atomic_flag_test_and_set_explicit atomic_init atomic_int "
    "atomic_int_fast16_t atomic_int_fast32_t atomic_int_fast64_t atomic_int_fast8_t "
    "atomic_int_least16_t atomic_int_least32_t atomic_int_least64_t atomic_int_least8_t "
    "atomic_intmax_t atomic_intptr_t atomic_is_lock_free atomic_llong atomic_load "
    "atomic_load_explicit atomic_long atomic_ptrdiff_t atomic_schar atomic_short atomic_signal_fence "
    "atomic_size_t atomic_store atomic_store_explicit atomic_thread_fence atomic_uchar atomic_uint "
    "atomic_uint_fast16_t atomic_uint_fast32_t atomic_uint_fast64_t atomic_uint_fast8_t "
    "atomic_uint_least16_t atomic_uint_least32_t atomic_uint_least64_t atomic_uint_least8_t "
    "atomic_uintmax_t atomic_uintptr_t atomic_ullong atomic_ulong atomic_ushort atomic_wchar_t "
    "kill_dependency memory_order "
    // <stdckdint.h>
    "ckd_add ckd_mul ckd_sub "
    // <stddef.h>
    "NULL max_align_t nullptr_t offsetof ptrdiff_t size_t unreachable "
    // <stdio.h>
    "BUFSIZ EOF FILE FILENAME_MAX FOPEN_MAX L_tmpnam SEEK_CUR SEEK_END SEEK_SET TMP_MAX asprintf "
    "clearerr clearerr_unlocked cookie_io_functions_t ctermid cuserid dprintf fclose fcloseall fdopen "
    "feof feof_unlocked ferror ferror_unlocked fflush fflush_unlocked fgetc fgetc_unlocked fgetpos "
    "fgets fgets_unlocked fileno fileno_unlocked flockfile fmemopen fopen fopencookie fpos64_t fpos_t "
    "fprintf fputc fputc_unlocked fputs fputs_unlocked fread fread_unlocked freopen fscanf fseek "
    "fseeko fsetpos ftell ftello ftrylockfile funlockfile fwrite fwrite_unlocked getc getc_unlocked "
    "getchar getchar_unlocked getdelim getline gets getw obstack_printf obstack_vprintf "
    "open_memstream pclose perror popen printf putc putc_unlocked putchar putchar_unlocked puts putw "
    "remove rename renameat renameat2 rewind scanf setbuf setbuffer setlinebuf setvbuf snprintf "
    "sprintf sscanf stderr stdin stdout tempnam tmpfile tmpnam tmpnam_r ungetc vasprintf vdprintf "
    "vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf "
    // <stdlib.h>
    "EXIT_FAILURE EXIT_SUCCESS MB_CUR_MAX RAND_MAX a64l abort abs aligned_alloc alloca arc4random "
    "arc4random_buf arc4random_uniform at_quick_exit atexit atof atoi atol atoll be16toh be32toh "
    "be64toh blkcnt64_t blkcnt_t blksize_t bsearch caddr_t calloc canonicalize_file_name cfree "
    "clearenv clock_t clockid_t comparison_fn_t daddr_t dev_t div div_t drand48 drand48_r ecvt ecvt_r "
    "erand48 erand48_r exit fcvt fcvt_r fd_mask fd_set free free_aligned_sized free_sized "
    "fsblkcnt64_t fsblkcnt_t fsfilcnt64_t fsfilcnt_t fsid_t gcvt getenv getloadavg getpt getsubopt "
    "grantpt htobe16 htobe32 htobe64 htole16 htole32 htole64 id_t initstate initstate_r ino64_t ino_t "
    "jrand48 jrand48_r key_t l64a labs lcong48 lcong48_r ldiv ldiv_t le16toh le32toh le64toh llabs "
    "lldiv lldiv_t loff_t lrand48 lrand48_r malloc mblen mbstowcs mbtowc memalignment mkdtemp "
    "mkostemp mkostemps mkstemp mkstemps mktemp mode_t mrand48 mrand48_r nlink_t nrand48 nrand48_r "
    "on_exit pselect ptsname ptsname_r putenv qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r quad_t "
    "quick_exit rand rand_r random random_r realloc reallocarray realpath rpmatch secure_getenv "
    "seed48 seed48_r select setenv setstate setstate_r srand srand48 srand48_r srandom srandom_r "
    "strfromd strfromf strfroml strtod strtod_l strtof strtof_l strtol strtol_l strtold strtold_l "
    "strtoll strtoll_l strtoq strtoul strtoul_l strtoull strtoull_l strtouq suseconds_t system "
    "timer_t u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t u_long u_quad_t u_short uint ulong "
    "unlockpt unsetenv ushort valloc wcstombs wctomb "
    // <stdnoreturn.h>
    "noreturn "
    // <string.h>
    "basename bcmp bcopy bzero explicit_bzero ffs ffsl ffsll index memccpy memchr memcmp memcpy "
    "memfrob memmem memmove mempcpy memrchr memset memset_explicit rawmemchr rindex sigabbrev_np "
    "sigdescr_np stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp "
    "strcoll strcoll_l strcpy strcspn strdup strdupa strerror strerror_l strerror_r strerrordesc_np "
    "strerrorname_np strfry strlcat strlcpy strlen strncasecmp strncasecmp_l strncat strncmp strncpy "
    "strndup strndupa strnlen strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r "
    "strverscmp strxfrm strxfrm_l timingsafe_bcmp "
    // <tgmath.h>
    "dadd ddiv dfma dmul dsqrt dsub "
    // <threads.h>
    "CLOCKS_PER_SEC ONCE_FLAG_INIT TIME_UTC TSS_DTOR_ITERATIONS asctime asctime_r call_once clock "
    "clock_adjtime clock_getcpuclockid clock_getres clock_gettime clock_nanosleep clock_settime "
    "cnd_broadcast cnd_destroy cnd_init cnd_signal cnd_t cnd_timedwait cnd_wait ctime ctime_r "
    "daylight difftime dysize getdate getdate_err getdate_r gmtime gmtime_r localtime localtime_r "
    "mktime mtx_destroy mtx_init mtx_lock mtx_t mtx_timedlock mtx_trylock mtx_unlock nanosleep "
    "once_flag strftime strftime_l strptime strptime_l thrd_create thrd_current thrd_detach "
    "thrd_equal thrd_exit thrd_join thrd_sleep thrd_start_t thrd_t thrd_yield time timegm timelocal "
    "timer_create timer_delete timer_getoverrun timer_gettime timer_settime timespec_get "
    "timespec_getres timezone tss_create tss_delete tss_dtor_t tss_get tss_set tss_t tzname tzset "
    // <uchar.h>
    "c16rtomb c32rtomb c8rtomb mbrtoc16 mbrtoc32 mbrtoc8 mbstate_t "
    // <wchar.h>
    "WEOF btowc fgetwc fgetwc_unlocked fgetws fgetws_unlocked fputwc fputwc_unlocked fputws "
    "fputws_unlocked fwide fwprintf fwscanf getwc getwc_unlocked getwchar getwchar_unlocked mbrlen "
    "mbrtowc mbsinit mbsnrtowcs mbsrtowcs open_wmemstream putwc putwc_unlocked putwchar "
    "putwchar_unlocked swprintf swscanf ungetwc vfwprintf vfwscanf vswprintf vswscanf vwprintf "
    "vwscanf wcpcpy wcpncpy wcrtomb wcscasecmp wcscasecmp_l wcscat wcschr wcschrnul wcscmp wcscoll "
    "wcscoll_l wcscpy wcscspn wcsdup wcsftime wcsftime_l wcslcat wcslcpy wcslen wcsncasecmp "
    "wcsncasecmp_l wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr "
    "wcstod wcstod_l wcstof wcstof_l wcstok wcstol wcstol_l wcstold wcstold_l wcstoll wcstoll_l "
    "wcstoq wcstoul wcstoul_l wcstoull wcstoull_l wcstouq wcswcs wcswidth wcsxfrm wcsxfrm_l wctob "
    "wcwidth wint_t wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wprintf wscanf "
    // <wctype.h>
    "iswalnum iswalnum_l iswalpha iswalpha_l iswblank iswblank_l iswcntrl iswcntrl_l iswctype "
    "iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower iswlower_l iswprint iswprint_l "
    "iswpunct iswpunct_l iswspace iswspace_l iswupper iswupper_l iswxdigit iswxdigit_l towctrans "
    "towctrans_l towlower towlower_l towupper towupper_l wctrans wctrans_l wctrans_t wctype wctype_l "
    "wctype_t "
    // <unistd.h>
    "access acct alarm brk chdir chown chroot close close_range closefrom confstr copy_file_range "
    "crypt daemon dup dup2 dup3 eaccess endusershell environ euidaccess execl execle execlp execv "
    "execve execveat execvp execvpe faccessat fchdir fchown fchownat fdatasync fexecve fork fpathconf "
    "fsync ftruncate get_current_dir_name getcwd getdomainname getdtablesize getegid getentropy "
    "geteuid getgid getgroups gethostid gethostname getlogin getlogin_r getopt getpagesize getpass "
    "getpgid getpgrp getpid getppid getresgid getresuid getsid gettid getuid getusershell getwd gid_t "
    "group_member isatty lchown link linkat lockf lseek nice off64_t off_t optarg opterr optind "
    "optopt pathconf pause pid_t pipe pipe2 pread profil pwrite read readlink readlinkat revoke rmdir "
    "sbrk setdomainname setegid seteuid setgid sethostid sethostname setlogin setpgid setpgrp "
    "setregid setresgid setresuid setreuid setsid setuid setusershell sleep socklen_t ssize_t swab "
    "symlink symlinkat sync syncfs syscall sysconf tcgetpgrp tcsetpgrp truncate ttyname ttyname_r "
    "ttyslot ualarm uid_t unlink unlinkat useconds_t usleep vfork vhangup write "
    // <fcntl.h>
    "creat fallocate fcntl name_to_handle_at open open_by_handle_at openat readahead splice "
    "sync_file_range tee vmsplice "
    // <sys/stat.h>
    "chmod fchmod fchmodat fstat fstatat futimens getumask lchmod lstat mkdir mkdirat mkfifo mkfifoat "
    "mknod mknodat stat statx umask utimensat "
    // <malloc.h>
    "mallinfo mallinfo2 malloc_info malloc_stats malloc_trim malloc_usable_size mallopt memalign "
    "pvalloc "
    // <dlfcn.h>
    "Dl_info Dl_serinfo Dl_serpath Lmid_t dladdr dladdr1 dlclose dlerror dlinfo dlmopen dlopen dlsym "
    "dlvsym "
    // <sched.h>
    "clone cpu_set_t getcpu sched_get_priority_max sched_get_priority_min sched_getaffinity "
    "sched_getcpu sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity "
    "sched_setparam sched_setscheduler sched_yield setns unshare "
    // <sys/mman.h>
    "madvise memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock munlockall "
    "munmap pkey_alloc pkey_free pkey_get pkey_mprotect pkey_set process_madvise process_mrelease "
    "remap_file_pages shm_open shm_unlink "
    // <sys/socket.h>
    "accept accept4 bind connect getpeername getsockname getsockopt isfdtype listen recv recvfrom "
    "recvmmsg recvmsg sa_family_t send sendmmsg sendmsg sendto setsockopt shutdown sockatmark socket "
    "socketpair "
    // <sys/time.h>
    "adjtime futimes futimesat getitimer gettimeofday lutimes setitimer settimeofday timeradd "
    "timerclear timercmp timerisset timersub utimes "
    // <sys/times.h>
    "times "
    // <sys/wait.h>
    "idtype_t wait wait3 wait4 waitid waitpid "
    // <sys/resource.h>
    "getpriority getrlimit getrusage prlimit rlim64_t rlim_t setpriority setrlimit "
    // <sys/uio.h>
    "preadv preadv2 preadv64v2 process_vm_readv process_vm_writev pwritev pwritev2 pwritev64v2 readv "
    "writev "
    // <sys/utsname.h>
    "uname "
    // <sys/ipc.h>
    "ftok "
    // <sys/msg.h>
    "msgctl msgget msglen_t msgqnum_t msgrcv msgsnd "
    // <sys/sem.h>
    "semctl semget semop semtimedop "
    // <sys/shm.h>
    "shmat shmatt_t shmctl shmdt shmget "
    // <sys/statvfs.h>
    "fstatvfs statvfs "
    // <sys/sysmacros.h>
    "gnu_dev_major gnu_dev_makedev gnu_dev_minor major makedev minor "
    // <poll.h>
    "nfds_t poll ppoll "
    // <dirent.h>
    "DIR alphasort closedir dirfd fdopendir getdents64 getdirentries opendir readdir readdir64_r "
    "readdir_r rewinddir scandir scandirat seekdir telldir versionsort "
    // <ftw.h>
    "ftw nftw "
    // <glob.h>
    "glob glob64_t glob_pattern_p glob_t globfree "
    // <fnmatch.h>
    "fnmatch "
    // <wordexp.h>
    "wordexp wordexp_t wordfree "
    // <grp.h>
    "endgrent fgetgrent fgetgrent_r getgrent getgrent_r getgrgid getgrgid_r getgrnam getgrnam_r "
    "getgrouplist initgroups putgrent setgrent setgroups "
    // <pwd.h>
    "endpwent fgetpwent fgetpwent_r getpw getpwent getpwent_r getpwnam getpwnam_r getpwuid getpwuid_r "
    "putpwent setpwent "
    // <search.h>
    "ACTION ENTRY VISIT hcreate hcreate_r hdestroy hdestroy_r hsearch hsearch_r insque lfind lsearch "
    "remque tdelete tdestroy tfind tsearch twalk twalk_r "
    // <regex.h>
    "active_reg_t re_compile_fastmap re_compile_pattern re_match re_match_2 re_search re_search_2 "
    "re_set_registers re_set_syntax re_syntax_options reg_errcode_t reg_syntax_t regcomp regerror "
    "regex_t regexec regfree regmatch_t regoff_t s_reg_t "
    // <syslog.h>
    "closelog openlog setlogmask syslog vsyslog "
    // <termios.h>
    "cc_t cfgetispeed cfgetospeed cfmakeraw cfsetispeed cfsetospeed cfsetspeed speed_t tcdrain "
    "tcflag_t tcflow tcflush tcgetattr tcgetsid tcgetwinsize tcsendbreak tcsetattr tcsetwinsize "
    // <ucontext.h>
    "getcontext makecontext setcontext swapcontext "
    // <utime.h>
    "utime "
    // <utmpx.h>
    "endutxent getutmp getutmpx getutxent getutxid getutxline pututxline setutxent updwtmpx utmpxname "
    // <langinfo.h>
    "catclose catgets catopen nl_catd nl_item nl_langinfo nl_langinfo_l "
    // <libgen.h>
    "dirname "
    // <libintl.h>
    "bind_textdomain_codeset bindtextdomain dcgettext dcngettext dgettext dngettext gettext ngettext "
    "textdomain "
    // <iconv.h>
    "iconv iconv_close iconv_open iconv_t "
    // <monetary.h>
    "strfmon strfmon_l "
    // <fmtmsg.h>
    "addseverity fmtmsg "
    // <arpa/inet.h>
    "bindresvport bindresvport6 getipv4sourcefilter getsourcefilter htonl htons in6addr_any "
    "in6addr_loopback in_addr_t in_port_t ntohl ntohs setipv4sourcefilter setsourcefilter "
    // <netdb.h>
    "endhostent endnetent endnetgrent endprotoent endrpcent endservent freeaddrinfo gai_cancel "
    "gai_error gai_strerror gai_suspend getaddrinfo getaddrinfo_a gethostbyaddr gethostbyaddr_r "
    "gethostbyname gethostbyname2 gethostbyname2_r gethostbyname_r gethostent gethostent_r "
    "getnameinfo getnetbyaddr getnetbyaddr_r getnetbyname getnetbyname_r getnetent getnetent_r "
    "getnetgrent getnetgrent_r getprotobyname getprotobyname_r getprotobynumber getprotobynumber_r "
    "getprotoent getprotoent_r getrpcbyname getrpcbyname_r getrpcbynumber getrpcbynumber_r getrpcent "
    "getrpcent_r getservbyname getservbyname_r getservbyport getservbyport_r getservent getservent_r "
    "h_errno herror hstrerror innetgr iruserok iruserok_af rcmd rcmd_af rexec rexec_af rresvport "
    "rresvport_af ruserok ruserok_af sethostent setnetent setnetgrent setprotoent setrpcent "
    "setservent "
    // <net/if.h>
    "if_freenameindex if_indextoname if_nameindex if_nametoindex "
    // <err.h>
    "err errx verr verrx vwarn vwarnx warn warnx "
    // <error.h>
    "error error_at_line error_message_count error_one_per_line "
    // <execinfo.h>
    "backtrace backtrace_symbols backtrace_symbols_fd "
    // <sys/epoll.h>
    "epoll_create epoll_create1 epoll_ctl epoll_data_t epoll_pwait epoll_pwait2 epoll_wait "
    // <sys/eventfd.h>
    "eventfd eventfd_read eventfd_t eventfd_write "
    // <sys/ioctl.h>
    "ioctl "
    // <sys/random.h>
    "getrandom "
    // <sys/sendfile.h>
    "sendfile "
    // <sys/signalfd.h>
    "signalfd "
    // <sys/timerfd.h>
    "timerfd_create timerfd_gettime timerfd_settime "
    // <sys/prctl.h>
    "prctl "
    // <sys/file.h>
    "flock "
    // Of _LARGEFILE64_SOURCE.
    "alphasort64 creat64 fallocate64 fcntl64 fgetpos64 fopen64 freopen64 fseeko64 fsetpos64 fstat64 "
    "fstatat64 fstatvfs64 ftello64 ftruncate64 ftw64 getrlimit64 glob64 globfree64 lockf64 lseek64 "
    "lstat64 mkostemp64 mkostemps64 mkstemp64 mkstemps64 mmap64 nftw64 open64 openat64 pread64 "
    "preadv64 prlimit64 pwrite64 pwritev64 readdir64 scandir64 setrlimit64 stat64 statvfs64 tmpfile64 "
    "truncate64 versionsort64 ";

/// Functions of <math.h> and <complex.h> that there is one of for each floating-point type.
static const char mathTable[] =
    "acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cabs cacos cacosh "
    "canonicalize carg casin casinh catan catanh cbrt ccos ccosh ceil cexp cimag clog clog10 "
    "compoundn conj copysign cos cosh cospi cpow cproj creal csin csinh csqrt ctan ctanh drem erf "
    "erfc exp exp10 exp10m1 exp2 exp2m1 expm1 fabs fdim finite floor fma fmax fmaximum fmaximum_mag "
    "fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num "
    "fminmag fmod frexp fromfp fromfpx gamma getpayload hypot ilogb isinf isnan j0 j1 jn ldexp lgamma "
    "llogb llrint llround log log10 log10p1 log1p log2 log2p1 logb logp1 lrint lround modf nan "
    "nearbyint nextafter nextdown nexttoward nextup pow pow10 pown powr remainder remquo rint rootn "
    "round roundeven rsqrt scalb scalbln scalbn setpayload setpayloadsig significand sin sincos sinh "
    "sinpi sqrt tan tanh tanpi tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn ";

static StringSet<> readTable(StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  StringSet<> names;
  for (StringRef word : words)
    names.insert(word);
  return names;
}

/// `sin` and `sinf`, `sinl`, `sinf32x`, `sind64`.
static bool isMathFunction(StringRef name) {
  static const StringSet<> functions = readTable(mathTable);
  for (StringRef suffix : {"", "f", "l", "f32", "f64", "f128", "f32x", "f64x", "d32", "d64", "d128"}) {
    StringRef stem = name;
    if (stem.consume_back(suffix) && functions.contains(stem))
      return true;
  }
  return false;
}

bool isCLibraryName(StringRef name) {
  static const StringSet<> names = readTable(table);
  for (StringRef prefix : {"pthread_", "posix_", "stdc_", "aio_", "mq_", "inet_", "inet6_"})
    if (name.starts_with(prefix))
      return true;
  // Conversions of <inttypes.h>: PRId32, SCNxPTR.
  if ((name.starts_with("PRI") || name.starts_with("SCN")) && name.size() > 4 &&
      StringRef("bBdiouxX").contains(name[3]))
    return true;
  return names.contains(name) || isMathFunction(name);
}

} // namespace nereid
