// JSON that nests deeper than anything that Nereid writes: found where it does, and refused by whoever reads
// it.
#include "linker/JsonDepth.h"
#include "Samples.h"
#include "linker/ImageObject.h"
#include "linker/Inspect.h"
#include "linker/LibraryManifest.h"
#include "linker/Subprocess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

TEST(JsonDepth, Found) {
  EXPECT_EQ(findJsonTooDeep(std::string(100, '[') + std::string(100, ']')), std::nullopt);
  EXPECT_EQ(findJsonTooDeep("  " + std::string(101, '[')), std::optional<size_t>(102));
  std::string objects;
  for (int i = 0; i < 101; ++i)
    objects += "{\"a\":";
  EXPECT_EQ(findJsonTooDeep(objects), std::optional<size_t>(500));
  // Side by side is not deep, and neither are strings and comments.
  std::string flat = "[";
  for (int i = 0; i < 1000; ++i)
    flat += "[{}], ";
  EXPECT_EQ(findJsonTooDeep(flat + "[]]"), std::nullopt);
  std::string deep(1000, '{');
  EXPECT_EQ(findJsonTooDeep("[\"\\\"" + deep + "\", // " + deep + "\n 1, /* " + deep + " */ 2]"),
            std::nullopt);
  EXPECT_TRUE(findJsonTooDeep("[1 // one\n, \"\", " + deep).has_value());
  for (const char *cut : {"", "\"", "\"\\", "/", "//", "/*", "[\"a\\"})
    EXPECT_EQ(findJsonTooDeep(cut), std::nullopt) << cut;
}

TEST(JsonDepth, LibrariesThatDescribeThemselvesSo) {
  DataSection section = {manifestSectionName, 1, "", {}};
  section.append("description", "{\"library\": " + std::string(200000, '[') + std::string(200000, ']') + "}");
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("nereid-test", "o", path));
  ASSERT_FALSE(bool(writeFile(path, writeDataObject(section, ELF::EM_X86_64))));
  for (InspectForm form : {InspectForm::Text, InspectForm::Json, InspectForm::Page}) {
    Expected<std::string> text = inspect(path, form);
    ASSERT_FALSE(bool(text));
    EXPECT_NE(toString(text.takeError()).find("its description is damaged"), std::string::npos);
  }
  (void)sys::fs::remove(path);
}
