// What an expression of a kernel evaluates to: something known at compile time, or a run-time value in the
// IR.
//
// Triton wraps compile-time values in `tl.constexpr`; here a Value simply is a number, a string, a dtype, a
// function … and only RunTimeValue stands for run time, so `tl.constexpr(3)` and `3` are the same Value. What
// differs between them in Triton, that an assignment `n = 3` makes a run-time int32 while `n: tl.constexpr =
// 3` keeps 3, is decided where values are assigned (Evaluator::decay), not in the values. Example: in `offs =
// pid * BLOCK + tl.arange(0, BLOCK)` BLOCK is the BigInt 1024 all the time, which is why arange accepts it,
// and becomes an arith.constant only as an operand.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_VALUE_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_VALUE_H

#include "compiler/frontends/types/RunTimeValue.h"
#include "compiler/frontends/types/WorkMeter.h"

#include "llvm/Support/SMLoc.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nereid::python {

using namespace semantics;

struct Builtin;
struct Function;
class Value;

/// A Python file as a value; what its names mean is the concern of modules/SourceModule.h.
struct ModuleObject {
  explicit ModuleObject(std::string path) : path(std::move(path)) {}
  const std::string path;
};

/// What a class statement makes (ClassObject.h).
struct ClassObject;

/// A tuple, a named tuple or (at compile time) a list.
struct TupleObject {
  std::vector<Value> elements;
  /// The fields of a named tuple, parallel to elements; otherwise empty.
  std::vector<std::string> fields;
  std::string className;
  /// Of a named tuple that a kernel file defines.
  std::shared_ptr<const ClassObject> type;
  bool isList = false;
  /// A set: no element equals another.
  bool isSet = false;
};

struct DictObject {
  std::vector<std::pair<Value, Value>> entries;
  /// Null where there is no such key.
  Value *find(const Value &key);
  /// Replaces the value of a key that is there.
  void set(const Value &key, const Value &value);
};

struct SliceObject;
struct BoundMethod;

/// `range(a, b, c)`, `tl.range(…)`, `tl.static_range(…)`, before a `for` or a comprehension takes it apart.
struct RangeObject {
  enum class Kind { Python, Triton, Static };
  Kind kind = Kind::Python;
  std::vector<Value> bounds; // start, end, step
  std::vector<std::pair<std::string, Value>> options;
};

/// An object of such a class.
struct InstanceObject;

/// One of the modules this frontend knows by itself: `triton.language`, `math`, …
struct BuiltinModule {
  std::string name;
};

/// Something that exists in Python but not for a kernel: a name of an unknown module. Its use is an error
/// that says why.
struct Opaque {
  std::string name;
  std::string reason;
};

class Value {
public:
  struct None {};
  using Storage = std::variant<None, bool, BigInt, double, std::shared_ptr<const std::string>, Type,
                               RunTimeValue, std::shared_ptr<TupleObject>, std::shared_ptr<DictObject>,
                               std::shared_ptr<SliceObject>, std::shared_ptr<RangeObject>,
                               std::shared_ptr<const Function>, const Builtin *, std::shared_ptr<BoundMethod>,
                               std::shared_ptr<const ClassObject>, std::shared_ptr<InstanceObject>,
                               BuiltinModule, ModuleObject *, std::shared_ptr<const Opaque>>;

  /// See semantics/Tensor.h.
  using HoldsRunTimeValues = void;

  Value() = default;
  /// Of a bool alone: a pointer is no truth value.
  template <typename T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0> Value(T v) : storage(v) {}
  Value(BigInt v) : storage(v) {}
  Value(int v) : storage(BigInt(v)) {}
  Value(int64_t v) : storage(BigInt(v)) {}
  Value(double v) : storage(v) {}
  Value(std::string v) : storage(std::make_shared<const std::string>(std::move(v))) {
    spendBytes(asStr().size());
  }
  Value(const char *v) : Value(std::string(v)) {}
  Value(llvm::StringRef v) : Value(v.str()) {}
  Value(Type v) : storage(std::move(v)) {}
  Value(RunTimeValue v) : storage(std::move(v)) {}
  Value(const Builtin *v) : storage(v) {}
  Value(ModuleObject *v) : storage(v) {}
  Value(BuiltinModule v) : storage(std::move(v)) {}
  template <typename T> Value(std::shared_ptr<T> v) : storage(std::move(v)) {}
  Value(const Value &) = default;
  Value(Value &&) = default;
  Value &operator=(const Value &) = default;
  Value &operator=(Value &&) = default;
  /// A list in a list in a list … goes without recursion, however deep it is.
  ~Value() {
    if (storage.index() >= firstObject)
      release();
  }

  static Value tuple(std::vector<Value> elements);
  static Value list(std::vector<Value> elements);
  /// A tuple of integers: a shape.
  static Value sizes(llvm::ArrayRef<int64_t> sizes);
  /// Without those that equal an earlier one.
  static Value set(std::vector<Value> elements);
  static Value opaque(std::string name, std::string reason);

  template <typename T> bool is() const { return std::holds_alternative<T>(storage); }
  bool isNone() const { return is<None>(); }
  bool isBool() const { return is<bool>(); }
  bool isInt() const { return is<BigInt>(); }
  bool isFloat() const { return is<double>(); }
  bool isStr() const { return is<std::shared_ptr<const std::string>>(); }
  bool isType() const { return is<Type>(); }
  bool isTensor() const { return is<RunTimeValue>(); }
  bool isTuple() const { return is<std::shared_ptr<TupleObject>>(); }
  /// A Python number: bool, int or float.
  bool isNumber() const { return isBool() || isInt() || isFloat(); }
  bool isIntLike() const { return isBool() || isInt(); }

  bool asBool() const { return std::get<bool>(storage); }
  /// Of a bool or an int.
  BigInt asInt() const { return isBool() ? BigInt(asBool()) : std::get<BigInt>(storage); }
  /// Of any number.
  double asDouble() const { return isFloat() ? std::get<double>(storage) : static_cast<double>(asInt()); }
  const std::string &asStr() const { return *std::get<std::shared_ptr<const std::string>>(storage); }
  const Type &asType() const { return std::get<Type>(storage); }
  const RunTimeValue &asRunTime() const { return std::get<RunTimeValue>(storage); }
  TupleObject &asTuple() const { return *std::get<std::shared_ptr<TupleObject>>(storage); }
  template <typename T> const T &get() const { return std::get<T>(storage); }
  /// The object behind a shared pointer, or null where the value is something else.
  template <typename T> T *object() const {
    auto *pointer = std::get_if<std::shared_ptr<T>>(&storage);
    return pointer ? pointer->get() : nullptr;
  }

  /// The values it is made of, of a tuple or an object; empty for anything else.
  llvm::ArrayRef<Value> parts() const;
  /// A tuple or an object like this one, of other parts; anything else as it is.
  Value withParts(std::vector<Value> parts) const;
  /// Whether any part of it is a run-time value.
  bool hasTensor() const;
  /// As Python's bool(); a run-time value has no truth value at compile time (the caller must not ask).
  bool isTruthy() const;
  /// As Python's repr(), with Triton's names of types; short and stable, for messages and f-strings.
  std::string repr() const;
  /// As Python's str().
  std::string str() const;
  /// What Python calls the kind of thing, for messages: `int`, `str`, `tensor of type fp32`, `function 'f'`.
  std::string describe() const;

private:
  /// The alternatives from here on may hold values themselves.
  static constexpr size_t firstObject = 7;
  static_assert(
      std::is_same_v<std::variant_alternative_t<firstObject, Storage>, std::shared_ptr<TupleObject>>);
  void release();

  Storage storage;
};

struct SliceObject {
  Value start, stop, step;
};

struct InstanceObject {
  std::shared_ptr<const ClassObject> type;
  /// The attributes that it has so far, in the order of the class's fields as soon as it is complete.
  std::vector<std::string> names;
  std::vector<Value> values;
  /// `__init__` is running, which may set attributes even in a kernel.
  bool isUnderConstruction = false;
};

/// `x.to`, `x.sum`, `text.format`: a method with the object it was taken from.
struct BoundMethod {
  Value self;
  Value function;
};

/// Python's == on compile-time values (numbers across kinds, strings, dtypes, tuples; otherwise identity).
bool equalValues(const Value &a, const Value &b);
/// Python's `is`.
bool identicalValues(const Value &a, const Value &b);
/// The shortest decimal text that reads back as the same double, as Python prints floats.
std::string floatToString(double value);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_VALUES_VALUE_H
