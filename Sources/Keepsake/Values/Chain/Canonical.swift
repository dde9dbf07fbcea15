import KeepsakeFiles

/// The canonical bytes of a row, for its digest: a domain, then each column with its type.
///
/// NULL is `0`; an integer is `1` and eight bytes, big-endian; text is `2`, its length as an integer, and its UTF-8;
/// a blob is `3`, its length and its bytes. So no two different rows have the same bytes.
struct Canonical {
  private var bytes: [UInt8]

  init(_ domain: StaticString) {
    bytes = []
    bytes.reserveCapacity(256)
    bytes.append(copying: domain)
  }

  mutating func add(_ value: Int64?) {
    guard let value else { return bytes.append(0) }
    bytes.append(1)
    bytes.append(bigEndian: value)
  }

  mutating func add(_ value: Int?) { add(value.map(Int64.init)) }

  mutating func add(_ value: String?) { add(text: value?.utf8) }

  mutating func add(text utf8: (some Collection<UInt8>)?) {
    guard let utf8 else { return bytes.append(0) }
    bytes.append(2)
    bytes.append(bigEndian: Int64(utf8.count))
    bytes += utf8
  }

  mutating func add(bytes blob: [UInt8]?) {
    guard let blob else { return bytes.append(0) }
    add(blob.span.bytes)
  }

  mutating func add(_ digest: SHA256Digest?) {
    guard let digest else { return bytes.append(0) }
    digest.withBytes { add($0) }
  }

  mutating func add(_ salt: Salt) { salt.withBytes { add($0) } }

  private mutating func add(_ blob: RawSpan) {
    bytes.append(3)
    bytes.append(bigEndian: Int64(blob.byteCount))
    bytes.append(copying: blob)
  }

  var digest: SHA256Digest { SHA256.digest(of: bytes) }
}
