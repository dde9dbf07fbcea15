#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension JSONWriter {
  /// Writes a member, or nothing if there is no value.
  package mutating func member(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    self.key(key)
    string(value)
  }

  package mutating func member(_ key: StaticString, _ value: Int64?) {
    guard let value else { return }
    self.key(key)
    int(value)
  }

  package mutating func member(_ key: StaticString, _ value: Int?) {
    member(key, value.map(Int64.init))
  }

  package mutating func member(_ key: StaticString, _ value: JSON?) {
    guard let value else { return }
    self.key(key)
    raw(value)
  }

  /// Writes a member whose value is a string with the base64 of bytes.
  package mutating func member(_ key: StaticString, base64 data: Data) {
    self.key(key)
    base64(data)
  }

  /// Writes a member, with null if there is no value.
  package mutating func fixed(_ key: StaticString, _ value: String?) {
    self.key(key)
    if let value { string(value) } else { null() }
  }

  package mutating func fixed(_ key: StaticString, _ value: Int64?) {
    self.key(key)
    if let value { int(value) } else { null() }
  }

  package mutating func fixed(_ key: StaticString, _ value: Int?) {
    fixed(key, value.map(Int64.init))
  }

  package mutating func strings(_ key: StaticString, _ values: [String]) {
    self.key(key)
    beginArray()
    for value in values { string(value) }
    endArray()
  }
}
