import KeepsakeFiles
import KeepsakeHTTP

/// Decides who may ask, and from where, before anything of a request is looked at.
///
/// A page of another site that is open in the same browser can send requests to this machine, and a name that it controls can lead
/// here. So each request must be for a host of this server, must not come from a page of another origin, and must prove
/// that a person opened the link that the server printed, or has its token.
struct Gate: Sendable {
  /// The hosts and ports at which the server is asked, as the field `Host` has them.
  let authorities: Set<HTTPAuthority>
  /// Whether the listener is a socket in the file system. No browser reaches it, so the field `Host` says nothing.
  let isSocketFile: Bool
  /// Whether everybody who can connect is the owner: only the owner can open the socket, and no token is asked for.
  let trustsConnections: Bool
  /// The secret in the printed link. It opens the server once.
  private let invitation: Locked<AccessToken?>
  /// The secret that the cookie of a browser has. It follows from the kept one, so that the server knows its browsers
  /// again after it was started anew.
  let cookie: AccessToken
  /// The name of the cookie. It has the port in it, because browsers give the cookies of a host to each of its ports,
  /// and two servers on one machine would sign each other's browsers out.
  let cookieName: String
  /// The secret that programs send, from a file that a person keeps; nil where there is none.
  let kept: AccessToken?
  private let wrongTokens = WrongTokens()

  /// Makes a gate, whose cookie is a new one where no secret is kept.
  ///
  /// - Parameters:
  ///   - authorities: The hosts and ports at which the server is asked.
  ///   - isSocketFile: Whether the listener is a socket in the file system.
  ///   - port: The port at which the server listens; nil where it has none.
  ///   - kept: The secret that programs send; nil where there is none.
  init(authorities: Set<HTTPAuthority>, isSocketFile: Bool, port: Int?, kept: AccessToken?) {
    self.authorities = authorities
    self.isSocketFile = isSocketFile
    self.kept = kept
    cookie = kept?.derived(for: "cookie") ?? AccessToken()
    trustsConnections = isSocketFile && kept == nil
    cookieName = port.map { "keepsake-\($0)" } ?? "keepsake"
    invitation = Locked(nil)
  }

  /// The proof that a request brought.
  enum Proof: Sendable {
    /// A token that a page of a browser can't send by itself.
    case token
    /// A cookie, which a browser sends by itself.
    case cookie
    /// The printed link, opened for the first time.
    case invitation
  }

  /// The use that a request makes of the printed link.
  enum InvitationUse: Sendable {
    /// The link opens the server again afterwards.
    case looks
    /// The link is used up.
    case uses
    /// The link is refused and stays, because another user of this machine opened it, who may have seen it in the list of programs.
    case isRefused
  }

  /// Lets a request through, or says why not.
  ///
  /// - Parameters:
  ///   - head: The head of the request.
  ///   - invitation: The use that the request makes of the printed link, if it brings its secret.
  /// - Throws: A ``Problem`` that says nothing of what the server has.
  func check(_ head: HTTPRequestHead, _ invitation: InvitationUse) throws(Problem) -> Proof {
    try checkOrigin(head)
    // A client of MCP looks here for a service that gives tokens, and goes on without one only where there is nothing.
    if head.path.first == ".well-known" { throw .notFound() }
    let proof: Proof
    do {
      proof = try self.proof(
        of: head, head.isHeadOnly && invitation == .uses ? .looks : invitation)
    } catch {
      if Self.hasToken(head), let wait = wrongTokens.count() { throw Self.tooMany(wait) }
      throw error
    }
    if head.method != .get, proof == .cookie, head.fields["X-Keepsake"] != "1" {
      throw .refused(
        "A change needs the header 'X-Keepsake: 1', which no form of another site can send.")
    }
    return proof
  }

  private func checkOrigin(_ head: HTTPRequestHead) throws(Problem) {
    guard isSocketFile || authorities.contains(head.authority) else {
      throw .refused("This server does not answer for that host. Open the link that it printed.")
    }
    if let origin = head.fields["Origin"], !isOwn(origin) { throw Self.foreign }
    // A link that somebody clicks elsewhere may open a page, because nothing of the answer comes back to that site.
    if let site = head.fields["Sec-Fetch-Site"], site == "cross-site" || site == "same-site" {
      guard head.method == .get, head.fields["Sec-Fetch-Mode"] == "navigate",
        head.fields["Sec-Fetch-Dest"] == "document"
      else { throw Self.foreign }
    }
  }

  /// Returns whether the origin of a page is this server. A proxy that encrypts in front of it has it begin with `https`.
  private func isOwn(_ origin: String) -> Bool {
    for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
      guard let authority = HTTPAuthority(origin.dropFirst(scheme.count)) else { return false }
      return authorities.contains(authority)
    }
    return false
  }

  private func proof(
    of head: HTTPRequestHead, _ invitation: InvitationUse
  ) throws(Problem) -> Proof {
    if trustsConnections { return .token }
    if let authorization = head.fields["Authorization"] {
      let words = authorization.split(separator: " ", maxSplits: 1)
      guard words.count == 2, HTTPFields.isSame(words[0], "Bearer"), let kept,
        kept.matches(words[1])
      else { throw Self.unproved }
      return .token
    }
    // Before the cookie: a link that was opened is used up, also in a browser that had been let in before.
    if head.method == .get, head.path.isEmpty, let given = head.query("t"),
      try accepts(given, invitation)
    {
      return .invitation
    }
    for value in HTTPCookie.values(of: cookieName, in: head.fields)
    where cookie.matches(value) { return .cookie }
    throw Self.unproved
  }

  /// Returns whether a text is the secret of the printed link, which is used up then. The kept token opens the server, too, and
  /// is not used up.
  private func accepts(_ given: String, _ use: InvitationUse) throws(Problem) -> Bool {
    if let kept, kept.matches(given) { return true }
    let isRight = invitation.withLock { invitation in
      guard let expected = invitation, expected.matches(given) else { return false }
      if use == .uses { invitation = nil }
      return true
    }
    if isRight, use == .isRefused { throw .notYours }
    return isRight
  }

  /// Makes a new secret for a link, which replaces one that was not used.
  func invite() -> AccessToken {
    let token = AccessToken()
    invitation.withLock { $0 = token }
    return token
  }

  private static let foreign = Problem.refused("Pages of other sites may not ask this server.")

  /// Returns whether a request brings a token at all. A browser that has no cookie yet brings none.
  private static func hasToken(_ head: HTTPRequestHead) -> Bool {
    head.fields["Authorization"] != nil || head.query("t") != nil
  }

  private static func tooMany(_ seconds: Int) -> Problem {
    Problem(
      status: 429, code: "too-many-tries",
      detail: "Too many wrong tokens came in a short time. Look at the token, and wait a moment.",
      fields: ["Retry-After": "\(seconds)"])
  }

  private static let unproved = Problem(
    status: 401, code: "not-signed-in",
    detail:
      "Open the link that the server printed. It opens the server once; its cookie does from then on. "
      + "Programs send the token that the server was given: 'Authorization: Bearer TOKEN'.",
    fields: ["WWW-Authenticate": #"Bearer realm="keepsake""#])
}
