// The libraries are half a megabyte and more, of which a kernel uses a function or two, so the file is loaded
// lazily: bodies are read only when the linker takes them.
#include "compiler/targets/DeviceLibrary.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace nereid {

StringRef findUndefined(const Module &module, StringRef prefix) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.use_empty() && function.getName().starts_with(prefix))
      return function.getName();
  return StringRef();
}

Error linkDeviceLibrary(Module &module, StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read '" + path + "': " + buffer.getError().message());
  Expected<std::unique_ptr<Module>> library =
      getOwningLazyBitcodeModule(std::move(*buffer), module.getContext(), /*ShouldLazyLoadMetadata=*/true);
  if (!library)
    return createStringError("cannot read '" + path + "': " + toString(library.takeError()));

  // The libraries name a triple and a layout of their own, which are compatible, but which the linker would
  // warn about.
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  // Of the module flags ours count: a library is built for several versions of the ABI.
  if (NamedMDNode *flags = (*library)->getModuleFlagsMetadata())
    flags->eraseFromParent();
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return createStringError("cannot link '" + path + "'");
  return Error::success();
}

} // namespace nereid
