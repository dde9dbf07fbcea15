"""Tells the code of a Swift file from its comments and its string literals."""

import re

_COMMENT_EDGE = re.compile(r"/\*|\*/")
_STRING_START = re.compile(r'(#*)("""|")')
_PLAIN = re.compile(r'[^/"#`]+')
_RAW_IDENTIFIER = re.compile(r"`[^`\n]*`")
_FUNCTION = re.compile(
    r"(?m)^[ \t]*(?:[@\w().:]+[ \t]+)*?(func\b|init[?!]?[ \t]*(?=[(<])|deinit\b|subscript\b|var\b)")
# What a declaration goes on with on the line below.
_GOES_ON = re.compile(r"\s*(\{|where\b|->|throws\b|rethrows\b|async\b|:)")


def blank(text):
    """The same text, line by line as long, with everything but line ends replaced by spaces."""
    return re.sub(r"[^\n]", " ", text)


def split(source):
    """Returns (code, strings): the source with comments, strings and raw identifiers blanked out, and the
    source with all but the string literals blanked out. Both keep every line and column."""
    code, strings = [], []
    at = 0
    while at < len(source):
        plain = _PLAIN.match(source, at)
        if plain:
            code.append(plain.group())
            strings.append(blank(plain.group()))
            at = plain.end()
            continue
        end, is_string = _end_of_token(source, at)
        if end == at:
            code.append(source[at])
            strings.append(" ")
            at += 1
            continue
        token = source[at:end]
        code.append(blank(token))
        strings.append(token if is_string else blank(token))
        at = end
    return "".join(code), "".join(strings)


def _end_of_token(source, at):
    """Where the comment, string or raw identifier that begins at `at` ends; `at` itself when none does."""
    if source.startswith("//", at):
        end = source.find("\n", at)
        return (len(source) if end < 0 else end), False
    if source.startswith("/*", at):
        return _end_of_comment(source, at), False
    name = _RAW_IDENTIFIER.match(source, at)
    if name:
        return name.end(), False
    start = _STRING_START.match(source, at)
    if start:
        return _end_of_string(source, start), True
    return at, False


def _end_of_comment(source, at):
    depth = 0
    for edge in _COMMENT_EDGE.finditer(source, at):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(source)


def _end_of_string(source, start):
    """Code inside an interpolation counts as a part of the string: the rules look at neither."""
    hashes, quotes = start.groups()
    closing, escape = quotes + hashes, "\\" + hashes
    at = start.end()
    depth = 0  # of parentheses, inside an interpolation
    while at < len(source):
        if source[at] == "\n" and len(quotes) == 1 and depth == 0:
            return at  # never closed: not a string, perhaps a quote in a regex literal
        if depth == 0 and source.startswith(closing, at):
            return at + len(closing)
        if depth == 0 and source.startswith(escape, at):
            at += len(escape)
            if source.startswith("(", at):
                depth = 1
            at += 1
        elif depth > 0:
            nested, _ = _end_of_token(source, at)
            if nested > at:
                at = nested
                continue
            depth += {"(": 1, ")": -1}.get(source[at], 0)
            at += 1
        else:
            at += 1
    return len(source)


def functions(code):
    """Yields (first line, last line) of each function, initializer and computed property that has a body; `code` is
    without comments and strings."""
    for declaration in _FUNCTION.finditer(code):
        body = _start_of_body(code, declaration.end(), declaration.group(1) == "var")
        if body is None:
            continue
        end = _closing(code, body)
        yield code.count("\n", 0, declaration.start(1)) + 1, code.count("\n", 0, end) + 1


def _start_of_body(code, at, is_property):
    """Where the brace is that opens a declaration's body; None where it has no body."""
    depth = 0
    for at in range(at, len(code)):
        character = code[at]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            if depth < 0:
                return None
        elif depth > 0:
            continue
        elif character == "{":
            return at
        elif character == "}" or is_property and character == "=":
            return None
        elif character == "\n" and not _GOES_ON.match(code, at):
            return None
    return None


def _closing(code, opening):
    """Where the brace is that closes the one at `opening`; the end of the code when none does."""
    depth = 0
    for brace in re.finditer(r"[{}]", code[opening:]):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return opening + brace.start()
    return len(code)
