import KeepsakeFiles
import Keepsake

/// The last member of a bundle, with the number of members before it and the SHA-256 of all bytes before it.
///
/// The digest protects titles, tags and turns, which no session's chain covers.
struct BundleEnd {
  let members: Int
  let digest: SHA256Digest

  var json: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("members", members)
    json.member("sha256", digest.hex)
    json.endObject()
    return json.bytes + [0x0A]
  }
}
