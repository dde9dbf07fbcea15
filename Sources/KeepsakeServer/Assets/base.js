// What every page needs: fragments from the server, writes, words for the person.

const policy = self.trustedTypes?.createPolicy("keepsake", { createHTML: (text) => text })
  ?? { createHTML: (text) => text }

/** Makes elements of HTML that this server wrote. */
export function elements(html) {
  const template = document.createElement("template")
  template.innerHTML = policy.createHTML(html)
  return template.content
}

/** Asks for a piece of a page. Gives null where there is nothing any more. */
export async function fragment(address, signal) {
  const answer = await fetch(address, { headers: { "X-Keepsake": "1" }, signal })
  if (answer.status === 404 || answer.status === 410) return null
  if (!answer.ok) throw new Error(await reason(answer))
  return elements(await answer.text())
}

/** Sends a change. A form of another site can't send this header, so such a site can't either. */
export async function send(method, address, value) {
  const answer = await fetch(address, {
    method,
    headers: { "X-Keepsake": "1", "Content-Type": "application/json" },
    body: value === undefined ? undefined : JSON.stringify(value),
  })
  if (!answer.ok) throw new Error(await reason(answer))
  return answer.status === 204 ? null : answer.json()
}

async function reason(answer) {
  try { return (await answer.json()).detail } catch { return `The server answered ${answer.status}.` }
}

let silence
/** Tells the person something, at the edge of the page and to screen readers. */
export function tell(text) {
  const place = document.getElementById("told")
  place.textContent = text
  clearTimeout(silence)
  silence = setTimeout(() => { place.textContent = "" }, 6000)
}

/** Whether keys belong to a field that somebody writes in. */
export function isWriting(event) {
  return event.target.closest?.("input, textarea, select, [contenteditable]") !== null
}
