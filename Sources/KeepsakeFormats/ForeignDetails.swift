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

  func element(_ key: String, _ index: Int) -> [(key: String, value: JSON)] {
    self[key]?["\(index)"]?.members ?? []
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
