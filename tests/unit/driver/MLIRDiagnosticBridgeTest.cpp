// Where a message of MLIR is shown, for each shape of location.
#include "compiler/driver/MLIRDiagnosticBridge.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

class Bridge : public testing::Test {
protected:
  Bridge() : context(mlir::MLIRContext::Threading::DISABLED), bridge(context, diagnostics) {
    diagnostics.addSource("k.py", "first line\n  second(line)\nthird line\n");
  }
  mlir::Location at(unsigned line, unsigned column) {
    return mlir::FileLineColLoc::get(&context, "k.py", line, column);
  }
  mlir::Location named(llvm::StringRef name, mlir::Location inner) {
    return mlir::NameLoc::get(mlir::StringAttr::get(&context, name), inner);
  }
  std::string messages() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    diagnostics.flush(stream);
    return text;
  }

  mlir::MLIRContext context;
  Diagnostics diagnostics;
  MLIRDiagnosticBridge bridge;
};

TEST_F(Bridge, PositionShowsItsLine) {
  mlir::emitError(at(2, 3)) << "no";
  EXPECT_EQ(messages(), "k.py:2:3: error: no\n  second(line)\n  ^\n");
  EXPECT_TRUE(diagnostics.hasErrors());
}

TEST_F(Bridge, NamesAreLookedThrough) {
  mlir::emitWarning(named("x", at(3, 1))) << "hm";
  EXPECT_EQ(messages(), "k.py:3:1: warning: hm\nthird line\n^\n");
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST_F(Bridge, CallsBecomeNotesFromTheInsideOut) {
  mlir::Location inner = mlir::CallSiteLoc::get(named("x", at(1, 1)), at(2, 3));
  mlir::emitError(mlir::CallSiteLoc::get(inner, at(3, 1))) << "no";
  EXPECT_EQ(messages(), "k.py:1:1: error: no\nfirst line\n^\n"
                        "k.py:2:3: note: called from here\n  second(line)\n  ^\n"
                        "k.py:3:1: note: called from here\nthird line\n^\n");
}

TEST_F(Bridge, CallersThatWereThemselvesInlined) {
  mlir::Location outer = mlir::CallSiteLoc::get(at(2, 3), at(3, 1));
  mlir::emitError(mlir::CallSiteLoc::get(at(1, 1), outer)) << "no";
  EXPECT_EQ(messages(), "k.py:1:1: error: no\nfirst line\n^\n"
                        "k.py:2:3: note: called from here\n  second(line)\n  ^\n"
                        "k.py:3:1: note: called from here\nthird line\n^\n");
}

TEST_F(Bridge, FusedLocationsShowTheFirstThatIsKnown) {
  mlir::Location unknown = mlir::UnknownLoc::get(&context);
  mlir::emitError(mlir::FusedLoc::get(&context, {unknown, at(2, 3), at(3, 1)})) << "no";
  EXPECT_EQ(messages(), "k.py:2:3: error: no\n  second(line)\n  ^\n");
}

TEST_F(Bridge, NowhereIsStillAMessage) {
  mlir::emitError(mlir::UnknownLoc::get(&context)) << "no";
  EXPECT_NE(messages().find("error: no\n"), std::string::npos);
  EXPECT_TRUE(diagnostics.hasErrors());
}

TEST_F(Bridge, NotesFollowTheirMessage) {
  mlir::InFlightDiagnostic diagnostic = mlir::emitError(at(1, 1)) << "no";
  diagnostic.attachNote(at(3, 1)) << "because of this";
  diagnostic.report();
  EXPECT_EQ(messages(),
            "k.py:1:1: error: no\nfirst line\n^\nk.py:3:1: note: because of this\nthird line\n^\n");
}

} // namespace
