// How messages look, and that jobs on several threads may point into the same text.
#include "compiler/model/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <thread>

using namespace nereid;

namespace {

std::string flush(Diagnostics &diagnostics) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  diagnostics.flush(stream);
  return text;
}

TEST(Diagnostics, UnderlinesTheRange) {
  Diagnostics diagnostics;
  llvm::StringRef text = diagnostics.addSource("add.py", "a = 1\nb = offset\n");
  diagnostics.error(rangeOf(text.substr(10, 6)), "name 'offset' is not defined");
  EXPECT_EQ(flush(diagnostics), "add.py:2:5: error: name 'offset' is not defined\nb = offset\n    ^~~~~~\n");
  EXPECT_TRUE(diagnostics.hasErrors());
  EXPECT_EQ(flush(diagnostics), "");
}

TEST(Diagnostics, PointsIntoLinesThatAreNotPlainASCII) {
  Diagnostics diagnostics;
  // A tab, a character of two bytes and one column, one of three bytes and two columns, and a stray byte.
  llvm::StringRef text = diagnostics.addSource("a.py", "\tx = é + 漢 + \xFF + y\n");
  diagnostics.error(rangeOf(text.substr(text.find('y'), 1)), "no");
  EXPECT_EQ(flush(diagnostics),
            "a.py:1:21: error: no\n        x = é + 漢 + ? + y\n                         ^\n");
}

TEST(Diagnostics, DoesNotLetTextsSpeakToTheTerminal) {
  Diagnostics diagnostics;
  // A colour of ASCII's, one of the other control characters', a stray byte, and what may stay.
  llvm::StringRef text = diagnostics.addSource("a\x1b[31m.py", "x\n");
  diagnostics.error(rangeOf(text.take_front(1)), llvm::StringRef("no \x1b[2J\0\xC2\x9B\xFF é\t漢\nmore", 23));
  EXPECT_EQ(flush(diagnostics),
            "a\\x1b[31m.py:1:1: error: no \\x1b[2J\\x00\\xc2\\x9b\\xff é\t漢\nmore\nx\n^\n");
}

TEST(Diagnostics, ShowsThePartOfALongLine) {
  Diagnostics diagnostics;
  std::string line = std::string(1000, 'a') + "BCD" + std::string(1000, 'e');
  llvm::StringRef text = diagnostics.addSource("a.py", line + "\n");
  diagnostics.error(rangeOf(text.substr(1000, 3)), "no");
  EXPECT_EQ(flush(diagnostics), "a.py:1:1001: error: no\n" + std::string(100, 'a') + "BCD" +
                                    std::string(97, 'e') + "\n" + std::string(100, ' ') + "^~~\n");
}

TEST(Diagnostics, ReportsByLineAndColumn) {
  Diagnostics diagnostics;
  diagnostics.addSource("add.py", "a = 1\nb = offset\n");
  diagnostics.report(llvm::SourceMgr::DK_Error, "add.py", 2, 5, "no");
  diagnostics.report(llvm::SourceMgr::DK_Warning, "other.py", 7, 3, "hm");
  EXPECT_EQ(flush(diagnostics), "add.py:2:5: error: no\nb = offset\n    ^\nother.py:7:3: warning: hm\n");
  EXPECT_EQ(diagnostics.getErrorCount(), 1u);
}

TEST(Diagnostics, NamesAFileThatIsNotThere) {
  Diagnostics diagnostics;
  EXPECT_EQ(diagnostics.addFile("/no/such/file.py").data(), nullptr);
  EXPECT_EQ(flush(diagnostics), "nereid: error: cannot open '/no/such/file.py': No such file or directory\n");
}

TEST(Diagnostics, AJobPointsIntoItsParentsText) {
  Diagnostics parent;
  llvm::StringRef text = parent.addSource("<signature>", "*fp32, i32");
  std::vector<std::string> messages(4);
  std::vector<std::thread> threads;
  for (std::string &message : messages) {
    threads.emplace_back([&] {
      Diagnostics job(parent);
      job.error(rangeOf(text.substr(7, 3)), "no");
      message = flush(job);
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &message : messages)
    EXPECT_EQ(message, "<signature>:1:8: error: no\n*fp32, i32\n       ^~~\n");
  EXPECT_FALSE(parent.hasErrors());
}

TEST(Diagnostics, SurvivesAPositionFromNowhere) {
  Diagnostics diagnostics;
  static const char elsewhere[] = "text";
  diagnostics.error(rangeOf(elsewhere), "lost");
  EXPECT_EQ(flush(diagnostics), "nereid: error: lost\n");
}

} // namespace
