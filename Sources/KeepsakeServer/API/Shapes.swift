/// The shapes of what the server answers, as Documentation/JSON.md describes them.
extension Shape {
  static let session = Shape.named(
    "Session",
    .object([
      .init("id", .uuid), .init("title", .nullable(.string)), .init("model", .nullable(.string)),
      .init("origin", .nullable(.string)), .init("created", .time), .init("updated", .time),
      .init("entries", .integer), .init("attachments", .integer), .init("bytes", .integer),
      .init("preview", .nullable(.string)), .init("tags", .array(.string)),
      .init("forkOf", .nullable(.uuid)), .init("forkPosition", .nullable(.integer)),
    ]))

  static let attachment = Shape.named(
    "Attachment",
    .object(
      [
        .init("artifact", .nullable(.artifactID)), .init("label", .string),
        .init("direction", .choice(["given", "made", "content"])), .init("state", .string),
        .init("basis", .string),
      ], isOpen: true))

  static let entry = Shape.named(
    "Entry",
    .object(
      [
        .init("position", .nullable(.integer)), .init("id", .uuid),
        .init(
          "kind",
          .choice([
            "instructions", "prompt", "reasoning", "toolCalls", "toolOutput", "response", "event",
            "unknown",
          ])), .init("created", .nullable(.time)), .init("text", .string),
        .init("segments", .array(.object([], isOpen: true))),
        .init("toolCalls", .array(.object([], isOpen: true))),
        .init("callID", .nullable(.string)), .init("tool", .nullable(.string)),
        .init("attachments", .array(attachment)),
      ], isOpen: true))

  static let revision = Shape.named(
    "Revision",
    .object([.init("number", .integer), .init("replaced", .time), .init("entry", entry)]))

  static let invocation = Shape.named(
    "Invocation",
    .object([
      .init("id", .uuid), .init("maker", .choice(["tool", "step"])), .init("name", .string),
      .init("turn", .nullable(.integer)), .init("started", .time), .init("ended", .nullable(.time)),
      .init(
        "outcome", .nullable(.choice(["finished", "failed", "cancelled", "interrupted"]))),
      .init("detail", .nullable(.string)), .init("arguments", .nullable(.string)),
      .init("output", .nullable(.string)), .init("callID", .nullable(.string)),
      .init("basis", .nullable(.string)), .init("implementation", .nullable(.string)),
      .init("version", .nullable(.string)), .init("model", .nullable(.string)),
      .init("parameters", .nullable(.string)),
    ]))

  static let hit = Shape.named(
    "Hit",
    .object([
      .init("session", .uuid), .init("title", .nullable(.string)),
      .init("position", .nullable(.integer)), .init("entry", .nullable(.uuid)),
      .init("kind", .string), .init("callID", .nullable(.string)),
      .init("created", .nullable(.time)), .init("snippet", .nullable(.string)),
      .init("score", .nullable(.number)),
    ]))

  static let artifact = Shape.named(
    "Artifact",
    .object([
      .init("artifact", .artifactID), .init("size", .integer), .init("mediaType", .string),
      .init("width", .nullable(.integer)), .init("height", .nullable(.integer)),
      .init("uses", .integer), .init("tool", .nullable(.string)),
      .init("state", .nullable(.string)),
    ]))

  static let product = Shape.named(
    "Product",
    .object([
      .init("artifact", .nullable(.artifactID)), .init("mediaType", .nullable(.string)),
      .init("size", .nullable(.integer)), .init("session", .uuid),
      .init("position", .nullable(.integer)), .init("label", .string),
      .init("tool", .nullable(.string)), .init("callID", .nullable(.string)),
      .init("basis", .string), .init("state", .string), .init("created", .time),
      .init("recording", .integer),
    ]))

  static let occurrence = Shape.named(
    "Occurrence",
    .object(
      [
        .init("recording", .integer), .init("created", .time), .init("session", .uuid),
        .init("title", .nullable(.string)), .init("position", .nullable(.integer)),
        .init("artifact", .nullable(.artifactID)), .init("label", .string),
        .init("direction", .string), .init("basis", .string), .init("basisReason", .string),
        .init("tool", .nullable(.string)), .init("arguments", .nullable(.string)),
        .init("state", .string),
      ], isOpen: true))

  static let trail = Shape.named(
    "Trail",
    .object([
      .init("artifact", .artifactID), .init("size", .integer), .init("sniffedType", .string),
      .init("attachments", .array(occurrence)),
      .init("madeFrom", .array(.object([], isOpen: true))), .init("madeInto", .array(product)),
      .init("next", .nullable(.string)),
    ]))

  static let audit = Shape.named(
    "SessionAudit",
    .object([
      .init("session", .uuid), .init("title", .nullable(.string)), .init("head", .string),
      .init("changes", .integer), .init("attachments", .array(occurrence)),
      .init("callsWithoutOutput", .array(.object([], isOpen: true))),
      .init("unendedInvocations", .array(.object([], isOpen: true))),
      .init("unboundInvocations", .array(.object([], isOpen: true))),
    ]))

  static let statistics = Shape.named(
    "Statistics",
    .object([
      .init("sessions", .integer), .init("entries", .integer), .init("attachments", .integer),
      .init("artifacts", .integer), .init("artifactBytes", .integer), .init("savedBytes", .integer),
      .init("databaseBytes", .integer), .init("types", .array(share)),
      .init("tools", .array(share)),
    ]))

  private static let share = Shape.named(
    "Share",
    .object([.init("name", .string), .init("artifacts", .integer), .init("bytes", .integer)]))

  static let usage = Shape.named(
    "Usage",
    .object([
      .init("by", .choice(["day", "model", "session", "tool", "origin"])),
      .init(
        "usage",
        .array(
          .object(
            [
              .init("name", .nullable(.string)), .init("answers", .integer),
              .init("input", .integer), .init("cachedInput", .integer), .init("output", .integer),
              .init("reasoning", .integer),
              .init(
                "costs", .array(.object([.init("amount", .number), .init("currency", .string)]))),
            ], isOpen: true))),
    ]))

  static let appended = Shape.named(
    "Appended",
    .object([
      .init("position", .integer), .init("id", .uuid), .init("labels", .array(.string)),
    ]))

  static let problem = Shape.named(
    "Problem",
    .object([
      .init("type", .string), .init("title", .string), .init("status", .integer),
      .init("code", .string), .init("detail", .string),
    ]))
}
