// The header is a Python dict literal of a fixed shape; what has another one is refused.
#include "aot/Npy.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <optional>

using namespace llvm;

namespace nereid {

static const StringLiteral magic("\x93NUMPY");

unsigned NpyArray::getElementSize() const {
  unsigned size = 0;
  StringRef(dtype).drop_front().getAsInteger(10, size);
  return size;
}

namespace {
/// The header, a dict as NumPy writes it: texts, True or False, and a tuple of integers.
struct Header {
  std::string descr;
  bool isStructured = false;
  bool isFortranOrder = false;
  std::optional<std::vector<int64_t>> shape;
};

class HeaderReader {
public:
  explicit HeaderReader(StringRef text) : rest(text) {}

  /// Nothing if the text is no such dict, or lacks one of its three entries.
  std::optional<Header> read() {
    if (!take("{"))
      return std::nullopt;
    bool hasDescr = false, hasOrder = false;
    while (!take("}")) {
      std::optional<StringRef> key = takeText();
      if (!key || !take(":"))
        return std::nullopt;
      if (*key == "descr") {
        hasDescr = true;
        rest = rest.ltrim();
        header.isStructured = rest.starts_with("[") || rest.starts_with("(");
        // Whatever such a type says, it is refused.
        if (header.isStructured)
          return header;
        std::optional<StringRef> descr = takeText();
        if (!descr)
          return std::nullopt;
        header.descr = descr->str();
      } else if (*key == "fortran_order") {
        hasOrder = true;
        header.isFortranOrder = take("True");
        if (!header.isFortranOrder && !take("False"))
          return std::nullopt;
      } else if (*key != "shape" || !takeShape()) {
        return std::nullopt;
      }
      if (!take(",") && !rest.ltrim().starts_with("}"))
        return std::nullopt;
    }
    if (!hasDescr || !hasOrder || !header.shape || !rest.trim().empty())
      return std::nullopt;
    return header;
  }

private:
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::optional<StringRef> takeText() {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }
  bool takeShape() {
    if (!take("("))
      return false;
    header.shape.emplace();
    while (!take(")")) {
      uint64_t extent = 0;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, extent) || extent > INT64_MAX)
        return false;
      rest.consume_front("L"); // As Python 2 wrote them.
      header.shape->push_back(static_cast<int64_t>(extent));
      if (!take(",") && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
  Header header;
};
} // namespace

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
  std::optional<Header> read = HeaderReader(header).read();
  if (!read)
    return fail("its header is not the dict of 'descr', 'fortran_order' and 'shape' that NumPy writes");
  if (read->isStructured)
    return fail("structured element types cannot be passed to a kernel");
  StringRef descr = read->descr;
  if (descr.starts_with(">"))
    return fail("its elements are big-endian");
  descr = descr.ltrim("<|=");
  array.dtype = descr.str();
  if (descr.size() < 2 || !StringRef("biufV").contains(descr[0]) || array.getElementSize() == 0 ||
      array.getElementSize() > 8)
    return fail("elements of type '" + descr + "' cannot be passed to a kernel");
  if (read->isFortranOrder)
    return fail("it is in Fortran order; save numpy.ascontiguousarray(x) instead");
  array.shape = std::move(*read->shape);
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
