#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension JSONWriter {
  /// Writes an array whose elements the closure writes.
  package mutating func array<Element>(
    _ elements: [Element], _ write: (Element, inout JSONWriter) throws -> Void
  ) rethrows {
    beginArray()
    for element in elements { try write(element, &self) }
    endArray()
  }

  package mutating func fixed(_ key: StaticString, _ id: UUID) {
    fixed(key, id.text)
  }

  package mutating func fixed(_ key: StaticString, _ date: Date?) {
    fixed(key, date.map { RFC3339.text($0.microseconds) })
  }

  package mutating func flag(_ key: StaticString, _ value: Bool) {
    self.key(key)
    bool(value)
  }
}
