// Commands and options come from the command line's own description; the environment, exit status and
// examples are written here. A test compares the environment with what the sources ask for.
#include "aot/ManualPage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace nereid {

namespace {

struct EnvironmentVariable {
  const char *name, *text;
};

constexpr EnvironmentVariable environment[] = {
    {"CC", "The C compiler, with arguments, that compiles and links libraries. Else cc, clang or gcc."},
    {"NEREID_PTXAS, NEREID_FATBINARY, NEREID_NVDISASM",
     "These programs of the CUDA toolkit; 'none' to do without. Else those of CUDA_HOME or "
     "CUDA_PATH, of PATH, of /usr/local/cuda."},
    {"NEREID_LIBDEVICE", "NVIDIA's libdevice.10.bc. Else that of the toolkit."},
    {"NEREID_ROCM_BITCODE",
     "The folder of AMD's device libraries. Else that of ROCM_PATH, or what came with nereid."},
    {"CUDA_HOME, CUDA_PATH, ROCM_PATH", "Where the vendors' toolkits are."},
    {"NEREID_TOOL_TIMEOUT",
     "After how many seconds a program of a toolkit is stopped: 600 if not set, 0 for never."},
    {"NEREID_COMPILER_LAUNCHER", "A command that is put before each compilation of 'nereid build'."},
    {"MAKEFLAGS",
     "Of GNU Make and of who does as it does: the job server, which says how many may be compiled at a "
     "time."},
    {"NEREID_CACHE_DIR",
     "The folder of the cache of compiled kernels, or 'off'. Else nereid in XDG_CACHE_HOME, or in ~/.cache."},
    {"NEREID_CACHE_SIZE", "The most that the cache may take, '500M' or '20G': 5 GiB if not set."},
    {"NEREID_CACHE_READONLY", "1 to take what the cache has and add nothing."},
    {"NEREID_CACHE_TIMEOUT", "After how many seconds a cache that is on another machine and does not answer "
                             "is given up: 10 if not set, "
                             "0 for never."},
    {"NEREID_NUM_THREADS",
     "Of programs that call libraries, not of nereid: how many threads a kernel on the CPU runs on."},
    {"NEREID_RECORD", "Of programs in Python with the package's modules: the manifest that their launches of "
                      "Triton's kernels are recorded in."},
    {"NEREID_SERVE",
     "Of those too: the library that such launches come from. NEREID_SERVE_DEVICE, "
     "NEREID_SERVE_STRICT and NEREID_SERVE_QUIET stand for the options of python -m nereid.serve."},
    {"NO_COLOR, CLICOLOR_FORCE", "Never, or always, colour messages, where --color does not say."},
};

/// Text, in which nothing is a request of troff's.
std::string escape(StringRef text) {
  std::string escaped;
  bool isLineStart = true;
  for (char c : text) {
    if (isLineStart && (c == '.' || c == '\''))
      escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if (c == '\'')
      escaped += "\\(aq";
    else
      escaped += c;
    isLineStart = c == '\n';
  }
  return escaped;
}

std::string bold(StringRef text) { return "\\fB" + escape(text) + "\\fR"; }
std::string italic(StringRef text) { return "\\fI" + escape(text) + "\\fR"; }

/// `-k, --kernel KERNEL`
std::string writeNames(const OptionDescription &option) {
  if (option.isPositional())
    return italic(option.placeholder) + (option.isRepeatable ? " ..." : "");
  std::string names;
  for (const std::string &name : option.names)
    names += (names.empty() ? "" : ", ") + bold(name);
  return option.takesValue ? names + " " + italic(option.placeholder) : names;
}

std::string writeOptions(ArrayRef<OptionDescription> options) {
  std::string text;
  for (const OptionDescription &option : options) {
    text += ".TP\n" + writeNames(option) + "\n" + escape(option.text);
    // Of targets and stages there are many; their command lists them.
    if (!option.choices.empty() && !option.isList) {
      text += ": ";
      for (const std::string &choice : option.choices)
        text += (&choice == &option.choices.front() ? "" : ", ") + bold(choice);
    }
    text += "\n";
  }
  return text;
}

/// `nereid compile SRC --kernel KERNEL [options]`
std::string writeSynopsis(const CommandDescription &command) {
  std::string text = bold("nereid " + command.name);
  for (const OptionDescription &option : command.options)
    if (option.isPositional())
      text += " " + writeNames(option);
  for (const OptionDescription &option : command.options)
    if (option.isRequired && !option.isPositional())
      text += " " + bold(option.getLongName()) + " " + italic(option.placeholder);
  return text + " [" + italic("options") + "]";
}

} // namespace

std::string writeManualPage(ArrayRef<CommandDescription> commands) {
  std::string text = ".\\\" Written by nereid from its own description of the command line.\n"
                     ".TH NEREID 1 \"\" \"nereid " NEREID_VERSION "\" \"User Commands\"\n"
                     ".SH NAME\nnereid \\- compile Triton kernels ahead of time into libraries\n"
                     ".SH SYNOPSIS\n.B nereid\n\\fICOMMAND\\fR [\\fIoptions\\fR] [\\fIfiles\\fR]\n"
                     ".SH DESCRIPTION\n"
                     "Nereid compiles Triton kernels, in Python or in Triton\\-C, ahead of time for "
                     "NVIDIA\\(aqs and AMD\\(aqs "
                     "GPUs and for CPUs, and links them into ordinary libraries with a C header. "
                     "Where such a library runs there is no Python, no compiler and no GPU toolkit.\n";
  for (const CommandDescription &command : commands) {
    if (command.name.empty()) {
      text += ".SH OPTIONS\n" + writeOptions(command.options) + ".SH COMMANDS\n";
      continue;
    }
    // One with commands of its own that has no options but --help is told by those.
    text += ".SS " + escape("nereid " + command.name) + "\n" + writeSynopsis(command) + "\n.PP\n" +
            escape(command.text) + ".\n" + writeOptions(command.options);
  }
  text += ".SH ENVIRONMENT\n";
  for (const EnvironmentVariable &variable : environment)
    text += ".TP\n" + bold(variable.name) + "\n" + escape(variable.text) + "\n";
  text += ".SH EXIT STATUS\n"
          ".TP\n0\nDone.\n"
          ".TP\n1\nThe input was refused, and every diagnostic is on the standard error. Output files appear "
          "whole or not at all.\n"
          ".TP\n2\nWrong usage.\n"
          ".SH EXAMPLES\n"
          "One kernel in two variants for three kinds of devices, and the library of them:\n.PP\n.nf\n.RS\n" +
          escape("nereid compile add.py -k add_kernel -t cpu,cuda:90a,hip:gfx942 -g 'cdiv(n, BLOCK)' \\\n"
                 "  -s '*fp32:16, *fp32:16, *fp32:16, i32:16, 1024' -o aligned.nko\n"
                 "nereid compile add.py -k add_kernel -t cpu,cuda:90a,hip:gfx942 -g 'cdiv(n, BLOCK)' \\\n"
                 "  -s '*fp32, *fp32, *fp32, i32, 1024' -o any.nko\n"
                 "nereid link aligned.nko any.nko -n vector_add -o .\n"
                 "nereid inspect libvector_add.so\n") +
          ".RE\n.fi\n"
          ".SH SEE ALSO\n"
          "The documentation, in share/doc/nereid of a package: docs/quickstart.md, docs/command\\-line.md "
          "and others.\n"
          ".PP\n" +
          bold("ptxas") + "(1), " + bold("cmake") + "(1)\n";
  return text;
}

} // namespace nereid
