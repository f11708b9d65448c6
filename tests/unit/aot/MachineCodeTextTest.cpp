// What nvdisasm prints of a cubin with line tables.
#include "aot/MachineCodeText.h"

#include "gtest/gtest.h"

using namespace nereid;

TEST(MachineCodeText, LinesAreTakenOut) {
  ArchivedStage stage = readDisassembly("\t.target\tsm_90\n"
                                        "add__1:\n"
                                        "\t//## File \"k.py\", line 16\n"
                                        "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                                        "        /*0010*/                   S2R R2, SR_TID.X ;\n"
                                        "\t//## File \"a b/helper.py\", line 4 inlined at \"k.py\", line 9\n"
                                        "\t//## File \"k.py\", line 9\n"
                                        "        /*0020*/                   FADD R3, R2, 1 ;\n"
                                        ".L_x_1:\n"
                                        "//--------------------- .nv.constant0 ---\n"
                                        "        /*0000*/ \t.byte\t0x00\n");
  EXPECT_EQ(stage.name, "sass");
  EXPECT_EQ(stage.text, "\t.target\tsm_90\nadd__1:\n"
                        "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                        "        /*0010*/                   S2R R2, SR_TID.X ;\n"
                        "        /*0020*/                   FADD R3, R2, 1 ;\n"
                        ".L_x_1:\n//--------------------- .nv.constant0 ---\n"
                        "        /*0000*/ \t.byte\t0x00\n");
  const auto &lines = stage.map.getLines();
  ASSERT_EQ(lines.size(), 5u);
  ASSERT_EQ(stage.map.getFiles(), (std::vector<std::string>{"k.py", "a b/helper.py"}));
  EXPECT_TRUE(lines[0].empty() && lines[1].empty());
  ASSERT_EQ(lines[2].size(), 1u);
  EXPECT_EQ(lines[2][0].line, 16u);
  EXPECT_TRUE(lines[3] == lines[2]);
  ASSERT_EQ(lines[4].size(), 2u);
  EXPECT_TRUE((lines[4][0] == LineMap::Place{1, 4}));
  EXPECT_TRUE((lines[4][1] == LineMap::Place{0, 9}));
}
