// The header is a Python dict literal of a fixed shape; it is read with a few searches rather than a parser
// of Python.
#include "aot/Npy.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace nereid {

static const StringLiteral magic("\x93NUMPY");

unsigned NpyArray::getElementSize() const {
  unsigned size = 0;
  StringRef(dtype).drop_front().getAsInteger(10, size);
  return size;
}

/// The text after `'key':` in the header.
static StringRef valueOf(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return "";
  return header.substr(at).split(':').second.ltrim();
}

Expected<NpyArray> parseNpy(StringRef contents, StringRef path) {
  auto fail = [&](const Twine &reason) {
    return createStringError("'" + path + "' is not a usable .npy file: " + reason);
  };
  if (!contents.starts_with(magic) || contents.size() < 10)
    return fail("it does not begin as one");
  unsigned version = static_cast<unsigned char>(contents[6]);
  size_t prefix = version == 1 ? 10 : 12;
  if (version < 1 || version > 3 || contents.size() < prefix)
    return fail("its version is not 1, 2 or 3");
  size_t length = version == 1 ? support::endian::read16le(contents.data() + 8)
                               : support::endian::read32le(contents.data() + 8);
  if (contents.size() - prefix < length)
    return fail("it is cut off in its header");
  StringRef header = contents.substr(prefix, length);
  StringRef data = contents.substr(prefix + length);

  NpyArray array;
  StringRef descr = valueOf(header, "descr");
  if (!descr.consume_front("'"))
    return fail("structured element types cannot be passed to a kernel");
  descr = descr.split('\'').first;
  if (descr.starts_with(">"))
    return fail("its elements are big-endian");
  descr = descr.ltrim("<|=");
  array.dtype = descr.str();
  if (descr.size() < 2 || !StringRef("biufV").contains(descr[0]) || array.getElementSize() == 0 ||
      array.getElementSize() > 8)
    return fail("elements of type '" + descr + "' cannot be passed to a kernel");
  if (!valueOf(header, "fortran_order").starts_with("False"))
    return fail("it is in Fortran order; save numpy.ascontiguousarray(x) instead");

  StringRef shape = valueOf(header, "shape");
  if (!shape.consume_front("("))
    return fail("it has no shape");
  SmallVector<StringRef> extents;
  shape.split(')').first.split(extents, ',', -1, /*KeepEmpty=*/false);
  for (StringRef extent : extents) {
    int64_t value = 0;
    if (extent.trim().empty())
      continue;
    if (extent.trim().getAsInteger(10, value) || value < 0)
      return fail("its shape is not made of integers");
    array.shape.push_back(value);
  }
  uint64_t expected = array.getElementSize();
  for (int64_t extent : array.shape) {
    if (extent != 0 && expected > UINT64_MAX / static_cast<uint64_t>(extent))
      return fail("its shape is too large");
    expected *= static_cast<uint64_t>(extent);
  }
  if (data.size() < expected)
    return fail("it holds " + Twine(data.size()) + " bytes of data where its shape needs " + Twine(expected));
  array.bytes.assign(data.begin(), data.begin() + expected);
  return array;
}

std::string printNpy(const NpyArray &array) {
  std::string shape = "(";
  for (int64_t extent : array.shape)
    shape += std::to_string(extent) + ", ";
  if (array.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (array.shape.size() == 1)
    shape.resize(shape.size() - 1);
  shape += ")";
  StringRef order = array.getElementSize() == 1 || array.dtype[0] == 'V' ? "|" : "<";
  std::string header =
      ("{'descr': '" + order + array.dtype + "', 'fortran_order': False, 'shape': " + shape + ", }").str();
  // The data begins at a multiple of 64 bytes, and the header ends in a line feed.
  while ((10 + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  std::string text = magic.str();
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  text.append(array.bytes.begin(), array.bytes.end());
  return text;
}

} // namespace nereid
