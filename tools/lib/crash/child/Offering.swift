import Foundation
import Keepsake

/// A process that offers commits for one session of a hub in a folder, beside others that do the same, until it is killed.
struct Offering {
  private let folder: String
  private let session: UUID

  init(_ arguments: inout Arguments) throws {
    folder = try arguments.required("FOLDER")
    let text = try arguments.required("SESSION")
    guard let session = UUID(uuidString: text) else { throw Failure("no session: '\(text)'.") }
    self.session = session
  }

  /// Says `offer <tab> STAMP` before it offers something, and `yes <tab> STAMP <tab> VERSION` when it was taken.
  func run() async throws {
    let hub = try await FolderHub.open(at: folder)
    var base = try await hub.directory().heads.first { $0.session == session }?.stamp
    while true {
      let stamp = UUID()
      // As many bytes as its stamp says, so that whoever reads it knows what it has to be.
      let bytes = Array(repeating: stamp.uuid.0, count: Int(stamp.uuid.1) * 40)
      let offer = HubOffer(
        session: session, base: base, stamp: stamp, bytes: bytes, artifacts: [])
      say("offer\t\(stamp.uuidString)")
      // The program sends an offer twice now and then, as after a lost answer.
      for _ in 0...(stamp.uuid.2 % 4 == 0 ? 1 : 0) {
        switch try await hub.commit([offer])[0] {
        case .yes(let version):
          say("yes\t\(stamp.uuidString)\t\(version)")
          base = stamp
        case .no(let head): base = head?.stamp
        case .lacks, .failed: throw Failure("a commit was not taken.")
        }
      }
    }
  }

  private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
