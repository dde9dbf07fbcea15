import Keepsake

/// Errors about a hub in a bucket, each with a ``HubFault`` as its cause where the hub itself is the reason.
extension KeepsakeError {
  static func objects(_ address: String, unreachable fault: TransportFault) -> KeepsakeError {
    KeepsakeError(
      .inputOutput,
      "Can't reach the hub at '\(address)': \(fault.reason). Check the network, the address of the server and its "
        + "certificate, then try again.",
      object: address, cause: HubFault.unreachable)
  }

  /// The server's refusal, said by its status and by what it says of itself.
  static func objects(
    _ address: String, refusal answer: ObjectAnswer, hiding credentials: ObjectCredentials
  ) -> KeepsakeError {
    let refusal = ObjectRefusal(answer)
    let said = credentials.hidden(in: refusal.said)
    let (code, remedy): (Code, String) =
      switch (answer.status, refusal.code) {
      case (_, "NoSuchBucket"):
        (.notFound, "Make the bucket, or check its name and the server's address.")
      case (301, _), (307, _), (_, "PermanentRedirect"), (_, "AuthorizationHeaderMalformed"):
        (
          .refused,
          "Set AWS_REGION to the bucket's region"
            + (answer.headers["x-amz-bucket-region"].map { ", which is '\(Self.plain($0))'." }
              ?? ".")
        )
      case (401, _), (403, _):
        (
          .permissionDenied,
          "Check the keys, and that they may read, write, list and delete below this prefix."
        )
      case (413, _), (_, "EntityTooLarge"): (.tooLarge, "Write less at once.")
      case (507, _), (_, "QuotaExceeded"): (.diskFull, "Make room, or raise the bucket's limit.")
      default: (.inputOutput, "Try again, and look into the server's log where it stays so.")
      }
    return KeepsakeError(
      code, "The server of the hub at '\(address)' refused: \(said). \(remedy)", object: address,
      cause: HubFault.unreachable)
  }

  static func objects(_ address: String, senseless reason: String) -> KeepsakeError {
    KeepsakeError(
      .inputOutput,
      "The server of the hub at '\(address)' does not keep to the rules of S3: \(reason). Use another server.",
      object: address, cause: HubFault.unconditional)
  }

  static func objectsNotAHub(_ address: String) -> KeepsakeError {
    KeepsakeError(
      .refused,
      "'\(address)' is not a hub: it holds other things. Name the place of a hub, or a prefix below which nothing is.",
      object: address, cause: HubFault.notAHub)
  }

  static func objectsUnconditional(_ address: String, _ reason: String) -> KeepsakeError {
    KeepsakeError(
      .refused,
      "The bucket of '\(address)' can't hold a hub: \(reason). So two stores could both be told that one version is theirs. "
        + "Choose a server that keeps to 'If-None-Match', such as Amazon S3, Ceph or SeaweedFS.",
      object: address, cause: HubFault.unconditional)
  }

  /// A text of the server with nothing in it that could disturb a message.
  static func plain(_ text: String) -> String {
    String(
      text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(200).map(
        Character.init))
  }
}
