// The ttng dialect: what only NVIDIA's GPUs do, from Hopper on. This is its one public header.
#ifndef NEREID_COMPILER_DIALECTS_TTNG_DIALECT_H
#define NEREID_COMPILER_DIALECTS_TTNG_DIALECT_H

#include "compiler/dialects/ttg/Dialect.h"

#include "compiler/dialects/ttng/Dialect.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialects/ttng/Ops.h.inc"

#endif // NEREID_COMPILER_DIALECTS_TTNG_DIALECT_H
