#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Takes away the bytes of images that a service would refuse, so that placeholders are written for them.
struct HandOverFit {
  private let limits: HandOverLimits
  private var count = 0

  init(_ limits: HandOverLimits) { self.limits = limits }

  mutating func fit(_ entry: inout OutgoingEntry) {
    for index in entry.attachments.keys.sorted() {
      guard let attachment = entry.attachments[index], !takes(attachment) else { continue }
      entry.attachments[index]?.content = .absent
    }
    for index in entry.loose.indices where entry.entry.kind == .prompt {
      if !takes(entry.loose[index]) { entry.loose[index].content = .absent }
    }
  }

  private mutating func takes(_ attachment: OutgoingAttachment) -> Bool {
    guard case .artifact(let artifact) = attachment.content else { return true }
    // An attachment that holds opaque JSON of a foreign format is no image.
    if OpaqueType.name(of: attachment.mediaType) != nil { return true }
    guard limits.types.contains(artifact.sniffedType.essence),
      (artifact.size + 2) / 3 * 4 <= limits.bytes, count < limits.count
    else { return false }
    let side = artifact.pixelSize.map { max($0.width, $0.height) } ?? 0
    // The number of images is not known yet, so each image after the first `many` has to be small.
    guard side <= (count < limits.many ? limits.side : limits.sideAmongMany) else { return false }
    count += 1
    return true
  }
}
