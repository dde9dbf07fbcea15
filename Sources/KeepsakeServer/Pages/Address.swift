#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// The addresses of the server.
enum Address {
  static func session(_ id: UUID, at position: Int? = nil) -> String {
    let path = "/s/\(id.text)"
    return position.map { "\(path)?at=\($0)#entry-\($0)" } ?? path
  }

  static func bytes(_ artifact: Artifact.ID) -> String { "/artifacts/\(artifact.digest.hex)" }
  static func story(_ artifact: Artifact.ID) -> String { "/a/\(artifact.digest.hex)" }

  /// A path with a query, whose values are escaped. Items without a value are left out.
  static func with(_ path: String, _ items: [(String, String?)]) -> String {
    let query = items.compactMap { name, value in value.map { "\(name)=\(escaped($0))" } }
    return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
  }

  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
      default:
        let digits = Array("0123456789ABCDEF".utf8)
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
