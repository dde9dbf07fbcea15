import KeepsakeFiles
import Keepsake

/// The rules by which Anthropic's service refuses a list of messages, from its documentation and its error messages.
///
/// The rules look at messages alone, and do not depend on how a program stores or heals them.
struct AnthropicRules {
  /// A broken rule.
  struct Fault {
    let cause: RescueCause
    /// The line in which the fault shows.
    let line: Int
    /// The index of the message.
    let message: Int
    /// The block that breaks the rule; nil where the whole message does.
    let block: SentBlock?
    /// A sentence that says what is wrong.
    let detail: String
  }

  let limits: RescueLimits

  /// All faults, in the order in which they are found.
  func faults(in messages: [SentMessage]) -> [Fault] {
    content(of: messages) + ids(in: messages) + pairing(in: messages) + counts(in: messages)
      + size(of: messages)
  }

  // MARK: Blocks by themselves

  /// Checks texts, thinking, images and documents, each alone.
  func content(of messages: [SentMessage]) -> [Fault] {
    var faults: [Fault] = []
    for (index, message) in messages.enumerated() {
      for (line, block) in message.blocks {
        for block in [block] + block.parts {
          guard let (cause, detail) = fault(of: block) else { continue }
          faults.append(
            Fault(cause: cause, line: line, message: index, block: block, detail: detail))
        }
      }
      if message.isModel, let (line, last) = message.blocks.last, last.kind == .thinking {
        faults.append(
          Fault(
            cause: .thinkingLast, line: line, message: index, block: last,
            detail: "The message ends with it."))
      }
      faults += order(of: message, index)
      faults += characters(of: message, index)
    }
    return faults
  }

  private func fault(of block: SentBlock) -> (RescueCause, String)? {
    switch block.kind {
    case .text: block.isBlank ? (.textEmpty, "The text says nothing.") : nil
    case .thinking: block.isSigned ? nil : (.thinkingUnsigned, "It has no signature.")
    case .result:
      block.isMisshapen ? (.lineUnreadable, "A result is neither a text nor a list.") : nil
    case .image, .document: block.media.flatMap(fault(of:))
    default: nil
    }
  }

  private func fault(of media: SentMedia) -> (RescueCause, String)? {
    let sides = media.size.map { max($0.width, $0.height) } ?? 0
    let broken: RescueCause? =
      switch media.fault {
      case .notBase64, .empty, .cutOff, .notAnImage:
        media.isImage ? .imageDamaged : .documentRefused
      case .otherImage: .imageType
      case .notPDF, .locked: .documentRefused
      case .misnamed, nil:
        if media.isImage, media.encoded > limits.imageBytes {
          .imageTooLarge
        } else if sides > limits.imageSide {
          .imageTooWide
        } else if media.pages > limits.documentPages {
          .documentRefused
        } else {
          media.fault == .misnamed ? .imageType : nil
        }
      }
    return broken.map { ($0, media.description) }
  }

  /// Checks that the results in each line of a message stand before its other content.
  private func order(of message: SentMessage, _ index: Int) -> [Fault] {
    if message.isModel { return [] }
    return message.lines.compactMap { line in
      let kinds = message.blocks.filter { $0.line == line }.map(\.block)
      guard let first = kinds.firstIndex(where: { $0.kind != .result }),
        let late = kinds[first...].first(where: { $0.kind == .result })
      else { return nil }
      return Fault(
        cause: .resultNotFirst, line: line, message: index, block: late,
        detail: "The result of \(late.id ?? "a call") follows other content.")
    }
  }

  /// Returns one fault for all characters of a kind in a line.
  private func characters(of message: SentMessage, _ index: Int) -> [Fault] {
    var counts: [Int: (surrogates: Int, controls: Int)] = [:]
    for (line, escape) in message.unsendable {
      if escape.isSurrogate {
        counts[line, default: (0, 0)].surrogates += 1
      } else {
        counts[line, default: (0, 0)].controls += 1
      }
    }
    return counts.sorted { $0.key < $1.key }.flatMap { line, count in
      [(RescueCause.surrogate, count.surrogates), (.controlCharacter, count.controls)]
        .filter { $0.1 > 0 }.map { cause, count in
          Fault(
            cause: cause, line: line, message: index, block: nil,
            detail: count == 1 ? "There is one." : "There are \(count).")
        }
    }
  }

  // MARK: Calls and results

  /// Checks that every call and every result has an id, and that no two calls have the same id.
  func ids(in messages: [SentMessage]) -> [Fault] {
    var faults: [Fault] = []
    var known: Set<String> = []
    for (index, message) in messages.enumerated() {
      var answered: [String: Int] = [:]
      var called: [String: Int] = [:]
      for (_, block) in index > 0 ? messages[index - 1].calls : [] {
        if let id = block.id { called[id, default: 0] += 1 }
      }
      for (line, block) in message.blocks {
        func fault(_ cause: RescueCause, _ detail: String) {
          faults.append(
            Fault(cause: cause, line: line, message: index, block: block, detail: detail))
        }
        switch block.kind {
        case .call, .serverCall:
          guard let id = block.id else {
            fault(.idMissing, "A call of \(block.tool ?? "a tool") has no id.")
            continue
          }
          if !known.insert(id).inserted { fault(.idTwice, "Another call has the id \(id).") }
        case .result:
          guard let id = block.id else {
            fault(.idMissing, "A result does not say which call it answers.")
            continue
          }
          answered[id, default: 0] += 1
          if answered[id, default: 0] > max(1, called[id, default: 1]) {
            fault(.idTwice, "\(id) has another result.")
          }
        default: break
        }
      }
    }
    return faults
  }

  /// Checks that every call is answered in the next message, and that every result answers a call of the message
  /// before.
  func pairing(in messages: [SentMessage]) -> [Fault] {
    var faults: [Fault] = []
    for (index, message) in messages.enumerated() {
      let previous = index > 0 && messages[index - 1].isModel ? messages[index - 1].calls : []
      let callable = Set(previous.compactMap(\.block.id))
      for (line, block) in message.results
      where message.isModel || block.id.map({ !callable.contains($0) }) ?? false {
        let detail = "\(block.id ?? "It") answers no call of the message before."
        faults.append(
          Fault(
            cause: .resultWithoutCall, line: line, message: index, block: block, detail: detail))
      }
      guard message.isModel else { continue }
      let next = index + 1 < messages.count ? messages[index + 1].results : []
      let answered = Set(next.compactMap(\.block.id))
      for (line, block) in message.calls {
        guard let id = block.id, !answered.contains(id) else { continue }
        let detail = "\(block.tool ?? "A tool") was called as \(id)."
        faults.append(
          Fault(cause: .callUnanswered, line: line, message: index, block: block, detail: detail))
      }
      faults += pairing(inside: message, index, isLast: index + 1 == messages.count)
    }
    return faults
  }

  /// Checks that the results of the service's own tools stand in the message of their calls.
  private func pairing(inside message: SentMessage, _ index: Int, isLast: Bool) -> [Fault] {
    var open: [String: (line: Int, block: SentBlock)] = [:]
    var faults: [Fault] = []
    for (line, block) in message.blocks {
      guard let id = block.id else { continue }
      if block.kind == .serverCall { open[id] = (line, block) }
      if block.kind == .serverResult, open.removeValue(forKey: id) == nil {
        faults.append(
          Fault(
            cause: .resultWithoutCall, line: line, message: index, block: block,
            detail: "\(id) answers no call of its message."))
      }
    }
    // The service may still be working on a call at the end of the conversation.
    if isLast { return faults }
    for (id, (line, block)) in open.sorted(by: { $0.key < $1.key }) {
      faults.append(
        Fault(
          cause: .callUnanswered, line: line, message: index, block: block,
          detail: "\(block.tool ?? "A tool of the service") was called as \(id)."))
    }
    return faults
  }

  // MARK: All of them together

  /// Checks the number of images and pages, and the size of images where there are many.
  ///
  /// The faults are those of the oldest images where there are too many, and of the largest ones where many are too
  /// large.
  func counts(in messages: [SentMessage]) -> [Fault] {
    let media = messages.enumerated().flatMap { index, message in
      message.media.map { line, block, media in
        let fault: (RescueCause, String) -> Fault = { cause, detail in
          Fault(cause: cause, line: line, message: index, block: block, detail: detail)
        }
        return (fault: fault, media: media)
      }
    }
    var total = media.reduce(0) { $0 + max(1, $1.media.pages) }
    if total > limits.images {
      let all = total
      var faults: [Fault] = []
      for (fault, media) in media where total > limits.images {
        faults.append(
          fault(.imagesTooMany, "\(media.description): one of \(all) images and pages."))
        total -= max(1, media.pages)
      }
      return faults
    }
    let images = media.filter(\.media.isImage)
    guard images.count > limits.manyImages else { return [] }
    func side(_ media: SentMedia) -> Int { media.size.map { max($0.width, $0.height) } ?? 0 }
    let wide = images.filter { side($0.media) > limits.imageSideAmongMany }
      .enumerated().sorted {
        (side($1.element.media), $0.offset) < (side($0.element.media), $1.offset)
      }
      .map(\.element)
    // It is enough to remove so many of the large images that the limit for many images no longer applies.
    return wide.prefix(images.count - limits.manyImages).map { fault, media in
      fault(.imageTooWideAmongMany, "\(media.description), among \(images.count) images.")
    }
  }

  /// Checks the size of the request. The faults are those of the oldest images, and then of the longest texts.
  func size(of messages: [SentMessage]) -> [Fault] {
    let total = messages.reduce(0) { $0 + $1.bytes }
    var excess = total - limits.requestBytes
    if excess <= 0 { return [] }
    var blocks: [(fault: Fault, gain: Int)] = []
    for (index, message) in messages.enumerated() {
      for (line, block) in message.blocks {
        for block in [block] + block.parts {
          let isOutput = block.kind == .result && block.parts.isEmpty
          guard block.media != nil || isOutput || block.kind == .text else { continue }
          let detail = "\(ByteCount.text(Int64(total))) are sent."
          let fault = Fault(
            cause: .requestTooLarge, line: line, message: index, block: block, detail: detail)
          blocks.append((fault, block.media?.encoded ?? (block.content?.count ?? 0)))
        }
      }
    }
    let images = blocks.filter { $0.fault.block?.media != nil }
    let texts = blocks.filter { $0.fault.block?.media == nil && $0.gain > Self.cuttable }
      .sorted { $0.gain > $1.gain }
    var faults: [Fault] = []
    for (fault, gain) in images + texts where excess > 0 {
      faults.append(fault)
      excess -= gain
    }
    if !faults.isEmpty { return faults }
    return [
      Fault(
        cause: .requestTooLarge, line: messages.last?.lines.last ?? 0,
        message: messages.count - 1, block: nil, detail: "\(ByteCount.text(Int64(total))) are sent."
      )
    ]
  }

  /// The size in bytes from which cutting a text is worth it.
  static let cuttable = 64 << 10
}
