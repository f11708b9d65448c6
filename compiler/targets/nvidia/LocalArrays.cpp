// LLVM declares a function's arrays together, as a stack of so many bytes, and writes an access a line.
#include "compiler/targets/nvidia/LocalArrays.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace nereid {

/// The bytes of `.local .align 4 .b8 __local_depot0[28];`; 0 if there is no such line.
static unsigned countDeclaredBytes(StringRef ptx) {
  unsigned bytes = 0;
  ptx.split("__local_depot")
      .second.split('[')
      .second.take_until([](char c) { return c == ']'; })
      .getAsInteger(10, bytes);
  return bytes;
}

/// The register in `st.local.b32 [%rd21+8], %r1;`; empty for other lines.
static StringRef getAddress(StringRef line) {
  StringRef code = line.ltrim();
  if (code.starts_with("@"))
    code = code.drop_front(std::min(code.find_first_of(" \t"), code.size())).ltrim();
  if (!code.starts_with("st.local.") && !code.starts_with("ld.local."))
    return "";
  StringRef address = code.split('[').second.take_until([](char c) { return c == ']' || c == '+'; });
  return address.starts_with("%rd") ? address : "";
}

std::string keepArraysInMemory(StringRef ptx) {
  // Larger ones never are in registers.
  constexpr unsigned mostBytes = 64;
  unsigned bytes = countDeclaredBytes(ptx);
  if (bytes == 0 || bytes > mostBytes)
    return {};
  std::string text;
  text.reserve(ptx.size() + ptx.size() / 64);
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    bool isWhole = line.size() < ptx.size();
    ptx = rest;
    StringRef address = getAddress(line);
    if (address.empty()) {
      text += line;
    } else {
      size_t at = address.data() - line.data();
      text += formatv("\t{{ .reg .b64 %at; and.b64 %at, {0}, 0xffffffff;\n{1}%at{2} }", address,
                      line.take_front(at), line.drop_front(at + address.size()))
                  .str();
    }
    if (isWhole)
      text += '\n';
  }
  return text;
}

} // namespace nereid
