import Files

/// The canonical bytes of a row, for its digest: a domain, then each column with its type.
///
/// NULL is `0`; an integer is `1` and eight bytes, big-endian; text is `2`, its length as an integer, and its UTF-8;
/// a blob is `3`, its length and its bytes. So no two different rows have the same bytes.
struct Canonical {
  private var bytes: [UInt8]

  init(_ domain: StaticString) {
    bytes = []
    bytes.reserveCapacity(256)
    domain.withUTF8Buffer { bytes += $0 }
  }

  mutating func add(_ value: Int64?) {
    guard let value else { return bytes.append(0) }
    bytes.append(1)
    Self.append(value, to: &bytes)
  }

  mutating func add(_ value: Int?) { add(value.map(Int64.init)) }

  mutating func add(_ value: String?) { add(text: value?.utf8) }

  mutating func add(text utf8: (some Collection<UInt8>)?) {
    guard let utf8 else { return bytes.append(0) }
    bytes.append(2)
    Self.append(Int64(utf8.count), to: &bytes)
    bytes += utf8
  }

  mutating func add(bytes blob: [UInt8]?) {
    guard let blob else { return bytes.append(0) }
    bytes.append(3)
    Self.append(Int64(blob.count), to: &bytes)
    bytes += blob
  }

  mutating func add(_ digest: SHA256Digest?) { add(bytes: digest?.bytes) }

  var digest: SHA256Digest { SHA256.digest(of: bytes) }

  static func append(_ value: Int64, to bytes: inout [UInt8]) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> Int64(shift)))
    }
  }
}
