#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A row that a server answered, whose fields are read by their place.
struct PostgresRow: Sendable {
  /// The fields in PostgreSQL's binary form; nil for `NULL`.
  let fields: [[UInt8]?]

  /// Tells whether a field is `NULL`.
  func isNull(_ place: Int) -> Bool { fields[place] == nil }

  func bytes(_ place: Int) throws(PostgresFailure) -> [UInt8] {
    guard let bytes = fields[place] else { throw .strange("field \(place) has no value") }
    return bytes
  }

  func text(_ place: Int) throws(PostgresFailure) -> String {
    String(decoding: try bytes(place), as: UTF8.self)
  }

  func bool(_ place: Int) throws(PostgresFailure) -> Bool {
    let bytes = try bytes(place)
    guard bytes.count == 1 else { throw .strange("field \(place) is neither true nor false") }
    return bytes[0] != 0
  }

  func number(_ place: Int) throws(PostgresFailure) -> Int64 {
    let bytes = try bytes(place)
    switch bytes.count {
    case 4:
      return Int64(Int32(truncatingIfNeeded: bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
    case 8: return Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    default: throw .strange("field \(place) is no number")
    }
  }

  func id(_ place: Int) throws(PostgresFailure) -> UUID {
    guard let id = UUID(octets: try bytes(place)) else {
      throw .strange("field \(place) is no id")
    }
    return id
  }

  /// The id in a field; nil where there is none.
  func optionalID(_ place: Int) throws(PostgresFailure) -> UUID? {
    isNull(place) ? nil : try id(place)
  }
}
