import Keepsake
import KeepsakeFiles

extension Artifact.ID {
  /// The 64 digits of the digest, without the scheme.
  var hex: String { digest.hex }
}
