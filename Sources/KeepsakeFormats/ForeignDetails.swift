import Keepsake

/// The details of an entry that Keepsake has no field for. They are kept in the entry's metadata under the format's
/// name.
struct ForeignDetails {
  private(set) var members: [(key: String, value: JSON)] = []

  init() {}

  /// Reads the details that an entry has of a format.
  init(of entry: Entry, format: String) {
    members = entry.metadata?[format]?.members ?? []
  }

  subscript(key: String) -> JSON? { members.first { $0.key == key }?.value }

  mutating func add(_ key: String, _ value: JSON) { members.append((key, value)) }

  mutating func remove(_ key: String) { members.removeAll { $0.key == key } }

  mutating func add(_ others: [(String, JSON)]) {
    for (key, value) in others { members.append((key, value)) }
  }

  /// Adds the details of a list's elements as an object, by the elements' index.
  mutating func add(_ key: String, _ elements: [Int: [(String, JSON)]]) {
    guard !elements.isEmpty else { return }
    add(
      key,
      .object(elements.sorted { $0.key < $1.key }.map { ("\($0.key)", .object($0.value)) }))
  }

  /// The details of a list's elements, by the elements' index.
  func elements(_ key: String) -> [Int: [(key: String, value: JSON)]] {
    var elements: [Int: [(key: String, value: JSON)]] = [:]
    for (name, value) in self[key]?.members ?? [] {
      // An index has one valid spelling ("01" is none), and of members with the same key the first is taken.
      guard let index = Int(name), "\(index)" == name, elements[index] == nil else { continue }
      elements[index] = value.members ?? []
    }
    return elements
  }

  /// The details as the metadata of an entry; nil where there are no details.
  func metadata(format: String) -> JSON? {
    members.isEmpty ? nil : .object([(format, .object(members.map { ($0.key, $0.value) }))])
  }
}

extension JSON {
  /// Whether the value is one that formats write in place of nothing: null, an empty object, or an empty array.
  var isDefault: Bool { isNull || members?.isEmpty ?? false || arrayValue?.isEmpty ?? false }
}
