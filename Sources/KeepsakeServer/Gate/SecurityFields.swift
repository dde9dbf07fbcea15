import KeepsakeHTTP

/// The header fields that keep what the server sends from being used by others.
enum SecurityFields {
  /// The fields of every answer.
  static let common: HTTPFields = [
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY", "Cache-Control": "no-store",
    "Permissions-Policy":
      "camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()",
  ]

  /// The policy of a page of ours: scripts, styles, images and requests of this server alone, and no script in a page.
  static let pagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    + "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types keepsake"

  /// The policy of an artifact. Whatever it is, it runs nothing, asks for nothing, and is of no origin.
  static let artifactPolicy =
    "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'; sandbox; "
    + "frame-ancestors 'none'"

  /// The policy of everything else, which no browser draws.
  static let dataPolicy = "default-src 'none'; frame-ancestors 'none'"
}
