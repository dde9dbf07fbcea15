import KeepsakeFiles
import Keepsake

extension Artifact {
  /// The name of an artifact's file that follows from its bytes alone, such as `3f9c1b20d4a8e6f0.png`.
  var contentName: String {
    "\(id.digest.hex.prefix(16)).\(sniffedType.fileExtension ?? "bin")"
  }
}
