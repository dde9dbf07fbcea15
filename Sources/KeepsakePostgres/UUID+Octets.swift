#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

extension UUID {
  /// The sixteen bytes of the id.
  var octets: [UInt8] {
    let id = uuid
    return [
      id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7, id.8, id.9, id.10, id.11, id.12, id.13,
      id.14, id.15,
    ]
  }

  /// The id whose bytes come next in order; nil behind the last one.
  var next: UUID? {
    var octets = octets
    for place in octets.indices.reversed() {
      octets[place] &+= 1
      if octets[place] != 0 { return unsafe UUID(bytes: octets.span.bytes) }
    }
    return nil
  }
}
