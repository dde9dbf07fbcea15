// Lists: more of them when the end is near, and changes of sessions as they come.
import { fragment } from "/assets/base.js"
import { follow } from "/assets/live.js"

const rows = () => document.querySelector(".rows")

const withPart = (address) => {
  const url = new URL(address, location.href)
  url.searchParams.set("part", "list")
  return url
}

/** Puts the next page behind the list when its link comes near. */
function watchEnd() {
  const more = document.querySelector(".more a")
  if (!more) return
  const observer = new IntersectionObserver(async (seen) => {
    if (!seen.some((one) => one.isIntersecting)) return
    observer.disconnect()
    const page = await fragment(withPart(more.href))
    // Another list may have taken its place meanwhile.
    if (!page || !more.isConnected) return
    document.querySelector(".more").replaceWith(page.querySelector(".more") ?? "")
    rows().append(...page.querySelectorAll(".row, .gallery > li"))
    watchEnd()
  }, { rootMargin: "800px" })
  observer.observe(more)
}

watchEnd()
document.addEventListener("listed", watchEnd)

// Sessions as they come

const waiting = new Set()
let timer

switch (document.body.dataset.live) {
  case "sessions":
    // A session that changed is drawn anew.
    follow("/events", (event) => {
      if (event.what === "hello") return hello(event, renew)
      waiting.add(event.session)
      timer ??= setTimeout(update, 30)
    })
    break
  case "some-sessions":
    // Only the server knows which sessions meet the conditions.
    follow("/events", (event) => {
      const later = () => { timer ??= setTimeout(() => { timer = undefined; renew() }, 400) }
      event.what === "hello" ? hello(event, later) : later()
    })
    break
}

/** Something happened since the list was drawn, or while nobody listened. */
function hello(event, renew) {
  const known = rows().dataset.change
  rows().dataset.change = event.change
  if (known !== String(event.change)) renew()
}

/** Draws the sessions that changed anew. */
async function update() {
  timer = undefined
  const ids = [...waiting]
  waiting.clear()
  if (ids.length > 20) return renew()
  for (const id of ids) {
    const page = await fragment(`/s/${id}/row`)
    const row = page?.querySelector(".row")
    keepingChoice(() => {
      document.getElementById(`row-${id}`)?.remove()
      if (row) place(row)
    })
  }
}

/** Changes the list. A row that was chosen with the keys stays chosen, and keeps the focus, when it is drawn anew. */
function keepingChoice(change) {
  const chosen = document.querySelector(".rows > [data-current]")
  const hadFocus = chosen?.contains(document.activeElement)
  change()
  const row = chosen && document.getElementById(chosen.id)
  if (!row || row === chosen) return
  row.dataset.current = ""
  row.setAttribute("aria-current", "true")
  if (hadFocus) row.querySelector("a")?.focus({ preventScroll: true })
}

/** Puts a row where it belongs: the newest is first. */
function place(row) {
  const time = (one) => Date.parse(one.querySelector("time").dateTime)
  const next = [...rows().children].find((one) => time(one) <= time(row))
  // One that belongs to a page that was not read yet comes with it.
  if (!next && document.querySelector(".more a")) return
  row.classList.add("fresh")
  rows().insertBefore(row, next ?? null)
  document.querySelector(".empty")?.remove()
}

/** Draws the first page anew. What was read of later pages stays behind it. */
async function renew() {
  const page = await fragment(withPart(location.href))
  if (!page) return
  const fresh = [...page.querySelectorAll(".row")]
  const ids = new Set(fresh.map((row) => row.id))
  const old = [...rows().children]
  const rest = old.length > fresh.length ? old.slice(fresh.length).filter((row) => !ids.has(row.id)) : []
  keepingChoice(() => rows().replaceChildren(...fresh, ...rest))
  if (rest.length > 0) return
  document.querySelector(".empty")?.remove()
  document.querySelector(".more")?.replaceWith(...page.querySelectorAll(".empty, .more"))
}
