# How lit runs the IR tests. Each file says in its RUN lines what is run; %s is the file itself, %S its folder.
import os

import lit.formats

config.name = "nereid-ir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = config.source_folder
config.test_exec_root = config.binary_folder
config.environment["PATH"] = os.pathsep.join(config.tool_folders + [os.environ["PATH"]])
