/// A sorted table of names that is searched unit by unit.
///
/// Names with a common beginning are adjacent, so each unit narrows a range. This needs no tree, and no memory beside the
/// names.
struct NameTable {
  private let codes: [UInt64]
  /// The start of each name in `codes`, and the end of the last name.
  private let starts: [Int]
  /// The index in the original list of each name in the table.
  let order: [Int]

  /// Creates a table.
  ///
  /// - Parameter names: The names, without duplicates.
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

  /// The range of the names that begin with the units searched so far.
  struct Prefix {
    fileprivate(set) var names: Range<Int>
    fileprivate(set) var length = 0
  }

  var all: Prefix { Prefix(names: order.indices) }

  /// Narrows a prefix to the names that continue with a unit; returns false if there are none.
  func narrow(_ prefix: inout Prefix, by code: UInt64) -> Bool {
    let low = first(in: prefix) { $0 >= code }
    if low == prefix.names.upperBound { return false }
    let rest = Prefix(names: low..<prefix.names.upperBound, length: prefix.length)
    let high = prefix.names.count == 1 ? rest.names.upperBound : first(in: rest) { $0 > code }
    guard low < high, self.code(low, prefix.length) == code else { return false }
    prefix = Prefix(names: low..<high, length: prefix.length + 1)
    return true
  }

  /// Returns the name that equals the searched units; nil if there is none.
  func whole(_ prefix: Prefix) -> Int? {
    guard let first = prefix.names.first, starts[first + 1] - starts[first] == prefix.length else {
      return nil
    }
    return first
  }

  /// Returns the first name whose next unit passes a test; names without a next unit come first.
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
