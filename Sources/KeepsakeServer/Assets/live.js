// Events of the server, for as long as the page is seen.
// A hidden page holds no connection. When it is seen again, the first event says how things stand now.

/** Gives each event to `take`, and asks `refused` why, where the server does not let one listen. */
export function follow(address, take, refused = () => {}) {
  const lamp = document.getElementById("live")
  let source
  let isLeft = false
  const show = (state, text) => {
    lamp.dataset.state = state
    lamp.firstElementChild.textContent = text
  }
  const close = () => { source?.close(); source = undefined }
  const open = () => {
    if (source || isLeft || document.hidden) return
    source = new EventSource(address)
    source.onopen = () => show("on", "live")
    // The browser asks again by itself, unless the server refused.
    source.onerror = () => {
      show("lost", "not connected")
      if (source?.readyState !== EventSource.CLOSED) return
      close()
      refused()
      setTimeout(open, 3000)
    }
    source.onmessage = (event) => take(JSON.parse(event.data))
  }
  document.addEventListener("visibilitychange", () => document.hidden ? close() : open())
  document.addEventListener("left", () => {
    isLeft = true
    lamp.hidden = true
    close()
  })
  addEventListener("pagehide", close)
  addEventListener("pageshow", open)
  open()
}
