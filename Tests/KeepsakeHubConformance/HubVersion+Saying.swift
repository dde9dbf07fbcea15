package import Foundation
package import Keepsake
import KeepsakeFiles

extension HubVersion {
  /// Creates a version with any bytes, as a hub that lies gives it.
  package init(version: Int64, stamp: UUID, base: UUID?, saying bytes: [UInt8]) {
    let version = HubVersion(
      version: version, stamp: stamp, base: base, bytes: bytes, digest: SHA256.digest(of: bytes))
    guard let version else { preconditionFailure("Bytes do not have their digest.") }
    self = version
  }
}
