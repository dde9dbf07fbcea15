import KeepsakeFiles
import Keepsake

/// The rules by which OpenAI's service refuses the items that Codex sends, from Codex's source and its users'
/// reports.
///
/// The rules look at items alone, and do not depend on how Codex stores or heals them.
struct CodexRules {
  /// A broken rule.
  struct Fault {
    let cause: RescueCause
    /// The index of the item.
    let item: Int
    /// The index of the image in the item; nil where the fault concerns no image.
    var image: Int?
    /// A sentence that says what is wrong.
    let detail: String
  }

  let limits: RescueLimits

  func faults(in items: [CodexItem]) -> [Fault] {
    images(in: items) + pairing(in: items) + reasoning(in: items) + size(of: items)
  }

  /// Checks that images are complete and of an accepted type.
  func images(in items: [CodexItem]) -> [Fault] {
    var faults: [Fault] = []
    for (index, item) in items.enumerated() {
      for (number, image) in item.images.enumerated() {
        let cause: RescueCause
        switch image.media.fault {
        case .notBase64, .empty, .cutOff, .notAnImage: cause = .imageDamaged
        case .otherImage: cause = .imageType
        case .misnamed, .notPDF, .locked, nil: continue
        }
        faults.append(
          Fault(cause: cause, item: index, image: number, detail: image.media.description))
      }
    }
    return faults
  }

  /// Checks that every call is followed by an output, and that every output follows its call.
  func pairing(in items: [CodexItem]) -> [Fault] {
    var open: [String: Int] = [:]
    var faults: [Fault] = []
    for (index, item) in items.enumerated() {
      guard let call = item.call else { continue }
      if item.kind == .call { open[call] = index }
      if item.kind == .output, open.removeValue(forKey: call) == nil {
        faults.append(
          Fault(
            cause: .resultWithoutCall, item: index, detail: "\(call) is the output of no call."))
      }
    }
    for (call, index) in open.sorted(by: { $0.value < $1.value }) {
      let detail = "\(items[index].tool ?? "A tool") was called as \(call)."
      faults.append(Fault(cause: .callUnanswered, item: index, detail: detail))
    }
    return faults
  }

  /// Checks that encrypted reasoning is followed by something that the model said or did.
  func reasoning(in items: [CodexItem]) -> [Fault] {
    items.indices.compactMap { index in
      guard items[index].kind == .reasoning, items[index].encrypted != nil else { return nil }
      let next = items[(index + 1)...].first { $0.kind != .reasoning }
      guard next.map({ $0.kind == .output || $0.isTold }) ?? true else { return nil }
      return Fault(
        cause: .thinkingLast, item: index, detail: "Nothing that the model said or did follows it.")
    }
  }

  /// Checks the size of the request. The faults are those of the oldest images, and then of the longest outputs.
  func size(of items: [CodexItem]) -> [Fault] {
    let total = items.reduce(0) { $0 + $1.range.count }
    var excess = total - limits.requestBytes
    if excess <= 0 { return [] }
    let detail = "\(ByteCount.text(Int64(total))) are sent."
    var images: [(fault: Fault, gain: Int)] = []
    var texts: [(fault: Fault, gain: Int)] = []
    for (index, item) in items.enumerated() {
      for (number, image) in item.images.enumerated() {
        images.append(
          (
            Fault(cause: .requestTooLarge, item: index, image: number, detail: detail),
            image.media.encoded
          ))
      }
      if let text = item.text, text.count > AnthropicRules.cuttable {
        texts.append(
          (Fault(cause: .requestTooLarge, item: index, detail: detail), text.count))
      }
    }
    var faults: [Fault] = []
    for (fault, gain) in images + texts.sorted(by: { $0.gain > $1.gain }) where excess > 0 {
      faults.append(fault)
      excess -= gain
    }
    return faults.isEmpty
      ? [Fault(cause: .requestTooLarge, item: items.count - 1, detail: detail)] : faults
  }
}
