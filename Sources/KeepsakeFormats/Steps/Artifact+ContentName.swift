import KeepsakeFiles
import Keepsake

extension Artifact {
  /// What a file of its bytes is called where the content gives the name: `3f9c1b…e0.png`, always the same.
  var contentName: String {
    "\(id.digest.hex.prefix(16)).\(sniffedType.fileExtension ?? "bin")"
  }
}
