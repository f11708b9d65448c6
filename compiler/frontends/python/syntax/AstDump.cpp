// Prints trees by way of visitFields: a field's type tells how it is written.
#include "compiler/frontends/python/syntax/AstDump.h"

#include "compiler/frontends/python/syntax/AstFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"

#include <vector>

using namespace llvm;

namespace nereid::python {

namespace {

class Dumper {
public:
  Dumper(const ast::Module *module, raw_ostream &os, const AstDumpOptions &options)
      : os(os), options(options) {
    const char *end = module->range.End.getPointer();
    lines.push_back(module->range.Start.getPointer());
    for (const char *at = lines.front(); at != end; ++at)
      if (*at == '\n' || (*at == '\r' && at[1] != '\n'))
        lines.push_back(at + 1);
  }

  void dump(const ast::Node *node) {
    os << ast::getKindName(node->kind);
    if (node->range.isValid() && !isa<ast::Module>(node) &&
        !(options.hidesFStringPositions && fstringDepth)) {
      dumpPosition(" ", node->range.Start);
      dumpPosition("-", node->range.End);
    }
    bool isFString = isa<ast::JoinedStr>(node);
    fstringDepth += isFString;
    if (auto *constant = dyn_cast<ast::Constant>(node)) {
      os << " value=";
      dumpValue(constant);
    } else if (auto *singleton = dyn_cast<ast::MatchSingleton>(node)) {
      os << " value=";
      dumpValue(singleton->value);
    } else {
      // First what goes on the node's own line, then the lines of its children.
      ast::visitFields(node, [&](const char *name, const auto &value) { dumpScalar(name, value); });
      ++indentation;
      ast::visitFields(node, [&](const char *name, const auto &value) { dumpChildren(name, value); });
      --indentation;
    }
    fstringDepth -= isFString;
  }

private:
  LLVM_ATTRIBUTE_NOINLINE void dumpPosition(const char *before, SMLoc loc) {
    auto behind = llvm::upper_bound(lines, loc.getPointer());
    os << before << behind - lines.begin() << ':' << loc.getPointer() - behind[-1];
  }

  void dumpText(StringRef text) {
    os << '"';
    for (char c : text) {
      if (c == '\\' || c == '"')
        os << '\\' << c;
      else if (c == '\n')
        os << "\\n";
      else
        os << c;
    }
    os << '"';
  }

  LLVM_ATTRIBUTE_NOINLINE void dumpValue(const ast::Constant *constant) {
    switch (constant->type) {
    case ast::Constant::Type::None:
      os << "None";
      return;
    case ast::Constant::Type::True:
      os << "True";
      return;
    case ast::Constant::Type::False:
      os << "False";
      return;
    case ast::Constant::Type::Ellipsis:
      os << "Ellipsis";
      return;
    case ast::Constant::Type::Int:
      os << "0x" << utohexstr(constant->words.back(), /*LowerCase=*/true);
      for (uint64_t word : llvm::reverse(constant->words.drop_back()))
        os << utohexstr(word, /*LowerCase=*/true, 16);
      return;
    case ast::Constant::Type::Float:
    case ast::Constant::Type::Complex:
      os << (constant->type == ast::Constant::Type::Float ? "float:" : "complex:")
         << format_hex_no_prefix(llvm::bit_cast<uint64_t>(constant->number), 16);
      return;
    case ast::Constant::Type::Str:
      if (constant->hasUnicodePrefix)
        os << 'u';
      dumpText(constant->text);
      return;
    case ast::Constant::Type::Bytes:
      os << "b\"" << toHex(constant->text, /*LowerCase=*/true) << '"';
      return;
    }
  }

  // What is not a node goes on the node's line. None of this is inlined into dump(), whose frame is on the
  // stack as many times as the tree is deep.
  template <typename T> LLVM_ATTRIBUTE_NOINLINE void dumpScalar(const char *name, const T &value) {
    if constexpr (std::is_same_v<T, StringRef>) {
      if (!value.empty())
        os << ' ' << name << '=' << value;
    } else if constexpr (std::is_enum_v<T>) {
      os << ' ' << name << '=' << ast::getName(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      os << ' ' << name << '=' << static_cast<int>(value);
    }
  }
  LLVM_ATTRIBUTE_NOINLINE void dumpScalar(const char *name, ast::Names names) {
    if (!names.empty())
      os << ' ' << name << '=' << llvm::join(names, ",");
  }
  LLVM_ATTRIBUTE_NOINLINE void dumpScalar(const char *name, ArrayRef<ast::CmpOp> ops) {
    os << ' ' << name << '=';
    ListSeparator comma(",");
    for (ast::CmpOp op : ops)
      os << comma << ast::getName(op);
  }

  template <typename T> void dumpChildren(const char *name, const T &value) {
    if constexpr (std::is_convertible_v<T, const ast::Node *>)
      if (value)
        dumpChild(name, value);
  }
  template <typename T> void dumpChildren(const char *name, ArrayRef<const T *> nodes) {
    for (const ast::Node *node : nodes)
      dumpChild(name, node);
  }
  void dumpChild(const char *name, const ast::Node *node) {
    os << '\n';
    os.indent(indentation) << name << ": ";
    if (node)
      dump(node);
    else
      os << "None";
  }

  raw_ostream &os;
  const AstDumpOptions &options;
  std::vector<const char *> lines;
  unsigned indentation = 0;
  unsigned fstringDepth = 0;
};

} // namespace

void dumpAst(const ast::Module *module, raw_ostream &os, const AstDumpOptions &options) {
  Dumper(module, os, options).dump(module);
  os << '\n';
}

} // namespace nereid::python
