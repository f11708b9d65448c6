// Whole links: the three kinds of output, what `inspect` says of them, and that failures leave nothing half
// done.
#include "linker/Link.h"
#include "Samples.h"
#include "linker/ImageObject.h"
#include "linker/Inspect.h"
#include "linker/InspectedFile.h"
#include "linker/StageArchive.h"
#include "linker/Subprocess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;
using namespace nereid;

namespace {

class Link : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("nereid-test", folder));
    // CPU code from the C compiler, with a helper and a constant of its own.
    ASSERT_FALSE(bool(writeFile(path("add.c"), "static const float table[4] = {1, 2, 3, 4};\n"
                                               "int helper(int i) { return i + (int)table[i & 3]; }\n"
                                               "void add(void) { helper(1); }\n")));
    Error error = runProgram({LLVM_TOOLS "/clang", "-c", "-fPIC", path("add.c"), "-o", path("add.o")});
    ASSERT_FALSE(bool(error)) << toString(std::move(error));
    code = cantFail(readFile(path("add.o")));
    setenv("NEREID_FATBINARY", "none", 1);
  }
  void TearDown() override {
    unsetenv("CC");
    unsetenv("NEREID_FATBINARY");
    (void)sys::fs::remove_directories(folder);
  }

  std::string path(const Twine &name) { return (folder + "/" + name).str(); }

  std::vector<KernelObject> makeObjects() {
    std::vector<KernelObject> objects = {
        makeObject(plainParameters(), "*fp32, i32, 64",
                   {"cpu:x86-64-v2", "cpu:x86-64-v3", "cuda:80", "hip:gfx942"}),
        makeObject({makePointer("x", true, true), makeInteger("n"), makeConstant("BLOCK", int64_t(64))},
                   "*fp32:16, i32, 64", {"cpu:x86-64-v2", "cuda:80"})};
    for (KernelObject &object : objects)
      for (TargetCode &target : object.targets)
        if (!target.target.isGPU())
          target.images[0].bytes = code;
    return objects;
  }

  /// The messages; empty after a link without a word.
  /// Whether the files are in their places now.
  static bool isDone(OutputSet &outputs) {
    Error error = outputs.commit();
    bool ok = !error;
    EXPECT_EQ(toString(std::move(error)), "");
    return ok;
  }

  std::string tryLink(ArrayRef<KernelObject> objects, LinkMode mode, StringRef outDir, bool shouldSucceed) {
    Diagnostics diagnostics;
    OutputSet outputs;
    EXPECT_EQ(link(objects, "lib", outDir, mode, outputs, diagnostics) && isDone(outputs), shouldSucceed);
    std::string messages = flush(diagnostics);
    EXPECT_EQ(messages.empty() || messages.find("error:") == std::string::npos, shouldSucceed) << messages;
    return messages;
  }

  std::vector<std::string> listOut() {
    std::vector<std::string> names;
    std::error_code error;
    for (sys::fs::directory_iterator entry(path("out"), error), end; !error && entry != end;
         entry.increment(error))
      names.push_back(sys::path::filename(entry->path()).str());
    llvm::sort(names);
    return names;
  }

  SmallString<128> folder;
  std::string code;
};

} // namespace

TEST_F(Link, StoresTheSameCodeOnce) {
  auto count = [&](ArrayRef<KernelObject> objects) {
    tryLink(objects, LinkMode::Source, path("out"), true);
    std::string text = cantFail(readFile(path("out/lib.c")));
    return std::pair(StringRef(text).count("extern const unsigned char lib_nrd_image_"),
                     StringRef(text).count("void lib_nrd_add_"));
  };
  std::vector<KernelObject> objects = makeObjects();
  auto [images, entries] = count(objects);
  // What differs in more than the kernel's symbol is stored by itself.
  for (TargetCode &code : objects[1].targets)
    for (KernelImage &image : code.images)
      if (code.target.isGPU()) {
        code.info.symbol = "abc";
        image.bytes += " abc";
      }
  for (TargetCode &code : objects[0].targets)
    for (KernelImage &image : code.images)
      if (code.target.isGPU())
        image.bytes += " add";
  EXPECT_EQ(count(objects).first, images);
  objects[1].targets.back().images.front().bytes += "!";
  EXPECT_GT(count(objects).first, images);
  EXPECT_EQ(entries, 2u);
}

// AMD's files are linked, and have tables of hashes of the symbols.
TEST_F(Link, StoresTheSameLinkedCodeOnce) {
  auto build = [&](const std::string &symbol, const std::string &instruction) {
    EXPECT_FALSE(bool(writeFile(path("code.s"), ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.globl " +
                                                    symbol + "\n.type " + symbol + ",@function\n" + symbol +
                                                    ":\n" + instruction + "\n")));
    Error error = runProgram({LLVM_TOOLS "/clang", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942",
                              "-nogpulib", path("code.s"), "-o", path("code.hsaco")});
    EXPECT_FALSE(bool(error)) << toString(std::move(error));
    return cantFail(readFile(path("code.hsaco")));
  };
  std::vector<KernelObject> objects = {
      makeObject(plainParameters(), "*fp32, i32, 64", {"hip:gfx942"}),
      makeObject({makePointer("x", true, true), makeInteger("n"), makeConstant("BLOCK", int64_t(64))},
                 "*fp32:16, i32, 64", {"hip:gfx942"})};
  auto count = [&](const std::string &first, const std::string &second) {
    const char *symbols[] = {"add__7eefd04b3c361209", "add__7b53b4ca2fc46ff4"};
    const std::string *instructions[] = {&first, &second};
    for (unsigned i = 0; i < 2; ++i) {
      objects[i].targets[0].info.symbol = symbols[i];
      objects[i].targets[0].images[0].bytes = build(symbols[i], *instructions[i]);
    }
    EXPECT_NE(objects[0].targets[0].images[0].bytes, objects[1].targets[0].images[0].bytes);
    tryLink(objects, LinkMode::Source, path("out"), true);
    return StringRef(cantFail(readFile(path("out/lib.c"))))
        .count("extern const unsigned char lib_nrd_image_");
  };
  EXPECT_EQ(count("s_endpgm", "s_endpgm"), 1u);
  EXPECT_EQ(count("s_endpgm", "s_nop 1"), 2u);
}

TEST_F(Link, WarpsBeyondThoseAskedForAreShown) {
  std::vector<KernelObject> objects = makeObjects();
  for (KernelObject &object : objects)
    for (auto &target : object.targets)
      target.info.numWorkerWarps = 4;
  tryLink(objects, LinkMode::Shared, path("out"), true);
  Expected<std::string> text = inspect(path("out/liblib.so"), InspectForm::Text);
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  EXPECT_NE(text->find("4 warps of 32 and 4 more, 4096 bytes of shared memory"), std::string::npos) << *text;
}

TEST_F(Link, Shared) {
  tryLink(makeObjects(), LinkMode::Shared, path("out"), true);
  EXPECT_EQ(listOut(), (std::vector<std::string>{"lib.h", "lib.hpp", "lib.rs", "liblib.so"}));
  Expected<std::string> text = inspect(path("out/liblib.so"), InspectForm::Text);
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  EXPECT_NE(text->find("add(x: const *fp32, n: i32)"), std::string::npos) << *text;
  EXPECT_NE(text->find("*fp32:16, i32, 64    grid cdiv(n, BLOCK)"), std::string::npos) << *text;
  EXPECT_NE(text->find("4 warps of 32, 4096 bytes of shared memory"), std::string::npos) << *text;
  Expected<std::string> json = inspect(path("out/liblib.so"), InspectForm::Json);
  ASSERT_TRUE(bool(json));
  EXPECT_NE(json->find("\"library\": \"lib\""), std::string::npos);
  // Needs no driver, exports the C functions and nothing else, and each container is in its section.
  Error error =
      runProgram({"/bin/sh", "-c",
                  "set -e; lib=" + path("out/liblib.so") +
                      "; " LLVM_TOOLS "/llvm-readelf -d $lib | grep NEEDED > needed; "
                      "! grep -vE 'lib(c|m|pthread|dl)\\.so|ld-linux' needed; " LLVM_TOOLS
                      "/llvm-readelf -S $lib | grep -q nv_fatbin; " LLVM_TOOLS
                      "/llvm-readelf -S $lib | grep -q hip_fatbin; "
                      "rm needed; " LLVM_TOOLS "/llvm-nm -D --defined-only --format=just-symbols $lib > " +
                      path("exported")});
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  // Functions have a plain name and one that says what they take; before them are those for the TVM FFI, and
  // the Python package has one.
  std::string exported = cantFail(readFile(path("exported")));
  EXPECT_TRUE(
      Regex("^__tvm_ffi__doc_add\n__tvm_ffi__metadata_add\n__tvm_ffi_add\n__tvm_ffi_add_explain\n"
            "__tvm_ffi_add_force\n__tvm_ffi_add_variants\nlib_abi_version\nlib_add\nlib_add__"
            "nrd2_[0-9a-f]{8}\nlib_add_choose_packed\n"
            "lib_add_explain\nlib_add_explain__nrd2_[0-9a-f]{8}\n"
            "lib_add_force\nlib_add_force__nrd2_[0-9a-f]{8}\n"
            "lib_add_force_grid\nlib_add_force_grid__nrd2_[0-9a-f]{8}\nlib_add_force_packed\nlib_add_grid\n"
            "lib_add_grid__nrd2_[0-9a-f]{8}\nlib_add_variants\nlib_last_error\nlib_load\nlib_load__nrd2\n"
            "lib_num_threads\nlib_python__nrd2\nlib_set_allocator\nlib_set_num_threads\nlib_unload\n$")
          .match(exported))
      << exported;
}

TEST_F(Link, Static) {
  tryLink(makeObjects(), LinkMode::Static, path("out"), true);
  EXPECT_EQ(listOut(), (std::vector<std::string>{"lib.h", "lib.hpp", "lib.rs", "liblib.a"}));
  Expected<std::string> text = inspect(path("out/liblib.a"), InspectForm::Text);
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  EXPECT_NE(text->find("library: lib"), std::string::npos);
  // Two libraries with a kernel of the same kind go into one program.
  Error error =
      writeFile(path("main.c"), "#include \"lib.h\"\n"
                                "int main(void) { return add(nrd_cpu_stream(), 0, 0) != NRD_OK; }\n");
  ASSERT_FALSE(bool(error));
  error = runProgram({LLVM_TOOLS "/clang", path("main.c"), "-I" + path("out"), path("out/liblib.a"), "-lm",
                      "-ldl", "-lpthread", "-o", path("main")});
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  error = runProgram({path("main")});
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
}

TEST_F(Link, Source) {
  setenv("CC", "/nonexistent/compiler", 1); // is not needed
  tryLink(makeObjects(), LinkMode::Source, path("out"), true);
  EXPECT_EQ(listOut(), (std::vector<std::string>{"lib.c", "lib.h", "lib.hpp", "lib.rs", "lib_images.o"}));
}

TEST_F(Link, TheSameBytesAnywhere) {
  // The folders' names are of different lengths, and the temporary ones in them are random.
  setenv("CC", LLVM_TOOLS "/clang -g", 1);
  for (auto [mode, file] :
       {std::pair(LinkMode::Shared, "liblib.so"), std::pair(LinkMode::Static, "liblib.a")}) {
    tryLink(makeObjects(), mode, path("here"), true);
    tryLink(makeObjects(), mode, path("somewhere/else"), true);
    std::string bytes = cantFail(readFile(path("here/" + Twine(file))));
    EXPECT_TRUE(bytes == cantFail(readFile(path("somewhere/else/" + Twine(file))))) << file;
    EXPECT_EQ(StringRef(bytes).count(".nereid-"), 0u) << file;
    EXPECT_EQ(StringRef(bytes).count(folder), 0u) << file;
  }
}

TEST_F(Link, KernelObjectsAreInspected) {
  ASSERT_FALSE(bool(writeFile(path("add.nko"), serializeKernelObject(makeObjects()[0]))));
  Expected<std::string> text = inspect(path("add.nko"), InspectForm::Text);
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  EXPECT_NE(text->find("kernel object: add"), std::string::npos) << *text;
  EXPECT_NE(text->find("x                *fp32, only read"), std::string::npos) << *text;
  EXPECT_NE(text->find("BLOCK            = 64"), std::string::npos) << *text;
  Expected<std::string> json = inspect(path("add.nko"), InspectForm::Json);
  ASSERT_TRUE(bool(json));
  EXPECT_NE(json->find("\"kind\": \"kernel object\""), std::string::npos) << *json;
}

TEST_F(Link, StagesGoAlongIfTheyAreWanted) {
  std::vector<KernelObject> objects = makeObjects();
  StageRecord record;
  record.text = "module {\n}\n";
  record.map.add(1, "add.py", 7);
  std::string archive = packStages(
      ArchivedStage(record), [](const std::string &path) { return ArchivedFile{path, "def add():\n"}; });
  objects[0].targets[0].stages = archive;
  PackingOptions packing;
  packing.keepsStages = true;
  Diagnostics diagnostics;
  OutputSet outputs;
  ASSERT_TRUE(
      link(objects, "lib", path("with"), LinkMode::Shared, outputs, diagnostics, "", {}, {}, packing) &&
      isDone(outputs))
      << flush(diagnostics);
  Expected<InspectedFile> with = readInspectedFile(path("with/liblib.so"));
  ASSERT_TRUE(bool(with)) << toString(with.takeError());
  ASSERT_EQ(with->archives.size(), 1u);
  EXPECT_EQ(with->archives.begin()->second, archive);
  tryLink(objects, LinkMode::Shared, path("without"), true);
  EXPECT_EQ(cantFail(readInspectedFile(path("without/liblib.so"))).archives.size(), 0u);
  // Programs do not load them: the manifest names them, and that is all.
  uint64_t more = countLoadedBytes(cantFail(readFile(path("with/liblib.so")))) -
                  countLoadedBytes(cantFail(readFile(path("without/liblib.so"))));
  EXPECT_GT(more, 64u);
  EXPECT_LT(more, 64u + 32u);
}

TEST_F(Link, InspectRefusesWhatItDoesNotKnow) {
  auto errorOf = [&](StringRef file) {
    Expected<std::string> text = inspect(path(file), InspectForm::Text);
    return text ? std::string() : toString(text.takeError());
  };
  EXPECT_NE(errorOf("missing").find("cannot open"), std::string::npos);
  EXPECT_NE(errorOf("add.c").find("is not a complete kernel object"), std::string::npos);
  EXPECT_NE(errorOf("add.o").find("holds no library that nereid made"), std::string::npos);
  ASSERT_FALSE(bool(writeFile(path("m.json"), "{\"name\": \"lib\"}")));
  EXPECT_NE(errorOf("m.json").find("is not a complete kernel object: it does not begin like one"),
            std::string::npos)
      << errorOf("m.json");
  // A library that was cut short anywhere gives an error or its description, never a crash.
  tryLink(makeObjects(), LinkMode::Shared, path("out"), true);
  std::string bytes = cantFail(readFile(path("out/liblib.so")));
  for (size_t size = 0; size < bytes.size(); size += bytes.size() / 97 + 1) {
    ASSERT_FALSE(bool(writeFile(path("cut"), StringRef(bytes).take_front(size))));
    Expected<std::string> text = inspect(path("cut"), InspectForm::Text);
    consumeError(text.takeError());
  }
}

TEST_F(Link, AFailureKeepsTheOldLibrary) {
  tryLink(makeObjects(), LinkMode::Shared, path("out"), true);
  std::string before = cantFail(readFile(path("out/liblib.so")));
  setenv("CC", "/bin/false", 1);
  EXPECT_NE(tryLink(makeObjects(), LinkMode::Shared, path("out"), false).find("/bin/false"),
            std::string::npos);
  setenv("CC", "no-such-compiler -O2", 1);
  EXPECT_NE(tryLink(makeObjects(), LinkMode::Shared, path("out"), false)
                .find("the C compiler 'no-such-compiler', which CC names, was not found"),
            std::string::npos);
  EXPECT_EQ(listOut(), (std::vector<std::string>{"lib.h", "lib.hpp", "lib.rs", "liblib.so"}));
  EXPECT_EQ(cantFail(readFile(path("out/liblib.so"))), before);
}

TEST_F(Link, Refused) {
  Diagnostics diagnostics;
  OutputSet outputs;
  EXPECT_FALSE(
      link(makeObjects(), "my-lib", path("out"), LinkMode::Source, outputs, diagnostics).has_value());
  EXPECT_NE(flush(diagnostics).find("'my-lib' cannot be the name of a library"), std::string::npos);
  for (const char *name : {"nrd", "nrd_x", "__x"})
    EXPECT_FALSE(link(makeObjects(), name, path("out"), LinkMode::Source, outputs, diagnostics).has_value());
  EXPECT_NE(flush(diagnostics).find("'nrd' cannot be the name of a library"), std::string::npos);
  EXPECT_NE(tryLink({}, LinkMode::Source, path("out"), false).find("nothing to link"), std::string::npos);
  EXPECT_FALSE(sys::fs::exists(path("out")));
  // A file where the folder should be.
  EXPECT_NE(tryLink(makeObjects(), LinkMode::Source, path("add.c"), false).find(path("add.c")),
            std::string::npos);

  std::vector<KernelObject> objects = makeObjects();
  objects[0].targets[0].images[0].bytes = "no code";
  EXPECT_NE(tryLink(objects, LinkMode::Source, path("out"), false).find("its CPU code is not an ELF object"),
            std::string::npos);
  objects = makeObjects();
  objects[0].targets[0].info.symbol = "other";
  EXPECT_NE(
      tryLink(objects, LinkMode::Source, path("out"), false).find("its CPU code does not define 'other'"),
      std::string::npos);
  objects = makeObjects();
  objects[0].targets[0].images[0].bytes.resize(200);
  tryLink(objects, LinkMode::Source, path("out"), false);
  EXPECT_TRUE(listOut().empty());
}
