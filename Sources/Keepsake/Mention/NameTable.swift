/// Names in their order, looked up unit by unit.
///
/// The names that begin alike stand together, so that each unit narrows a range: no tree, and no memory beside the
/// names themselves.
struct NameTable {
  private let codes: [UInt64]
  /// Where each name begins, and where the last one ends.
  private let starts: [Int]
  /// Of each name in its place here, which one of those that were given it is.
  let order: [Int]

  /// - Parameter names: Each once.
  init(_ names: [[UInt64]]) {
    order = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
    var codes: [UInt64] = []
    var starts = [0]
    for index in order {
      codes += names[index]
      starts.append(codes.count)
    }
    self.codes = codes
    self.starts = starts
  }

  /// The names that begin with what was looked up so far.
  struct Prefix {
    fileprivate(set) var names: Range<Int>
    fileprivate(set) var length = 0
  }

  var all: Prefix { Prefix(names: order.indices) }

  /// Narrows to the names that go on with a unit; false where there is none.
  func narrow(_ prefix: inout Prefix, by code: UInt64) -> Bool {
    let low = first(in: prefix) { $0 >= code }
    if low == prefix.names.upperBound { return false }
    let rest = Prefix(names: low..<prefix.names.upperBound, length: prefix.length)
    let high = prefix.names.count == 1 ? rest.names.upperBound : first(in: rest) { $0 > code }
    guard low < high, self.code(low, prefix.length) == code else { return false }
    prefix = Prefix(names: low..<high, length: prefix.length + 1)
    return true
  }

  /// The name that is exactly what was looked up.
  func whole(_ prefix: Prefix) -> Int? {
    guard let first = prefix.names.first, starts[first + 1] - starts[first] == prefix.length else {
      return nil
    }
    return first
  }

  /// The first name whose next unit passes; a name that has no next one comes before all.
  private func first(in prefix: Prefix, where passes: (UInt64) -> Bool) -> Int {
    var low = prefix.names.lowerBound
    var high = prefix.names.upperBound
    while low < high {
      let middle = (low + high) / 2
      if let code = code(middle, prefix.length), passes(code) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }

  private func code(_ name: Int, _ depth: Int) -> UInt64? {
    let index = starts[name] + depth
    return index < starts[name + 1] ? codes[index] : nil
  }
}
