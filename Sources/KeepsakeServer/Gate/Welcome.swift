import KeepsakeHTTP

/// The answer to the printed link: it gives the browser its cookie, and leads on to an address without the secret.
///
/// It is a page and no redirection, because a browser keeps a `SameSite=Strict` cookie back from a redirection that
/// began on another site, such as in a mail. The page leads on by itself.
enum Welcome {
  /// - Parameters:
  ///   - gate: The gate, whose cookie is given.
  ///   - head: The head of the request. One that asks for the header alone uses nothing up, and gets no cookie.
  static func answer(_ gate: Gate, to head: HTTPRequestHead) -> HTTPResponse {
    var fields: HTTPFields = [
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": SecurityFields.dataPolicy,
    ]
    if !head.isHeadOnly {
      fields["Set-Cookie"] = HTTPCookie(name: gate.cookieName, value: gate.cookie.text)?.text
    }
    return HTTPResponse(
      .ok, fields,
      body: .bytes(
        Array(
          """
          <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Keepsake</title>
          <meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open Keepsake</a></p></html>
          """.utf8)))
  }
}
