import Keepsake

/// What a format says of an entry and Keepsake has no field for: kept in its metadata, under the format's name.
struct ForeignDetails {
  private(set) var members: [(key: String, value: JSON)] = []

  init() {}

  /// Those of an entry.
  init(of entry: Entry, format: String) {
    members = entry.metadata?[format]?.members ?? []
  }

  subscript(key: String) -> JSON? { members.first { $0.key == key }?.value }

  mutating func add(_ key: String, _ value: JSON) { members.append((key, value)) }

  mutating func remove(_ key: String) { members.removeAll { $0.key == key } }

  mutating func add(_ others: [(String, JSON)]) {
    for (key, value) in others { members.append((key, value)) }
  }

  /// Those of the elements of a list, by their index.
  mutating func add(_ key: String, _ elements: [Int: [(String, JSON)]]) {
    guard !elements.isEmpty else { return }
    add(
      key,
      .object(elements.sorted { $0.key < $1.key }.map { ("\($0.key)", .object($0.value)) }))
  }

  /// Those of all elements of a list, by their index.
  func elements(_ key: String) -> [Int: [(key: String, value: JSON)]] {
    var elements: [Int: [(key: String, value: JSON)]] = [:]
    for (name, value) in self[key]?.members ?? [] {
      // One spelling of each number, and of members with the same key the first.
      guard let index = Int(name), "\(index)" == name, elements[index] == nil else { continue }
      elements[index] = value.members ?? []
    }
    return elements
  }

  /// As an entry's metadata; nil where there are none.
  func metadata(format: String) -> JSON? {
    members.isEmpty ? nil : .object([(format, .object(members.map { ($0.key, $0.value) }))])
  }
}

extension JSON {
  /// What a format says when it says nothing: null, or something empty.
  var isDefault: Bool { isNull || members?.isEmpty ?? false || arrayValue?.isEmpty ?? false }
}
