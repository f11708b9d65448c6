// The way from LLVM IR to an image that all back ends share: a target machine, device libraries,
// optimization, code.
//
// What differs is asked of the back end at four points of that way. The names of the target and its stages
// come from the table of back ends (compiler/model/Backends.h).
#ifndef NEREID_COMPILER_TARGETS_CODEGENERATINGBACKEND_H
#define NEREID_COMPILER_TARGETS_CODEGENERATINGBACKEND_H

#include "compiler/targets/OptimizeModule.h"
#include "compiler/targets/TargetBackend.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid {

class CodeGeneratingBackend : public TargetBackend {
public:
  bool generate(std::unique_ptr<llvm::Module> module, const CompileRequest &request, CompileResult &result,
                Diagnostics &diagnostics) const final;

protected:
  explicit CodeGeneratingBackend(Backend backend) : backend(backend) {}

  /// keepStage for code as text.
  static bool keepText(const CompileRequest &request, CompileResult &result, Stage stage, std::string text);

  /// Of LLVM's machine, as in `+ptx86`, for what is in `module`.
  virtual std::string getFeatures(const Target &target, const llvm::Module &module) const { return ""; }
  /// Before optimization: attributes, flags, device libraries. Reports and returns false if something is
  /// missing.
  virtual bool prepare(llvm::Module &module, const CompileRequest &request, CompileResult &result,
                       Diagnostics &diagnostics) const {
    return true;
  }
  /// Before optimization: whether makeImages may ask for code with branches kept.
  virtual bool mayWantBranches(const llvm::Module &module) const { return false; }
  virtual OptimizeOptions getOptions(const llvm::Module &module) const { return {}; }
  /// After optimization: what LLVM leaves that its code generator makes bad code of.
  virtual void finish(llvm::Module &module, const Target &target) const {}
  /// Whether an image is made of the code's text, by another program, rather than of an object.
  virtual bool makesImagesOfText() const { return false; }
  /// Code for the same module, changed before: empty if there is none.
  using MakeCodeAgain = llvm::function_ref<std::string(llvm::function_ref<void(llvm::Module &)> change)>;
  /// Code for the same module, optimized with OptimizeOptions::keepsDeviceBranches, once: empty if there are
  /// none.
  using MakeCodeWithBranches = llvm::function_ref<std::string()>;
  /// Makes images of code, or, where request.emit asks for it, the last stage alone.
  virtual bool makeImages(std::string code, MakeCodeAgain makeCodeAgain,
                          MakeCodeWithBranches makeCodeWithBranches, const CompileRequest &request,
                          CompileResult &result, Diagnostics &diagnostics) const = 0;

private:
  Backend backend;
};

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_CODEGENERATINGBACKEND_H
