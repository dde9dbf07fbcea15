// Lists of sessions: more of them when the end is near, and changes as they come.
import { fragment } from "/assets/base.js"
import { follow } from "/assets/live.js"

const rows = document.querySelector(".rows")

/** Puts the next page behind the list when its link comes near. */
function watchEnd() {
  const more = document.querySelector(".more a")
  if (!more) return
  const observer = new IntersectionObserver(async (seen) => {
    if (!seen.some((one) => one.isIntersecting)) return
    observer.disconnect()
    const page = await fragment(withPart(more.href))
    if (!page) return
    document.querySelector(".more").replaceWith(page.querySelector(".more") ?? "")
    rows.append(...page.querySelectorAll(".row, .gallery > li"))
    watchEnd()
  }, { rootMargin: "800px" })
  observer.observe(more)
}

const withPart = (address) => {
  const url = new URL(address, location.href)
  url.searchParams.set("part", "list")
  return url
}

watchEnd()

if (document.body.dataset.live === "sessions") {
  const waiting = new Set()
  let timer
  follow("/events", (event) => {
    if (event.what === "hello") {
      if (rows.dataset.change && rows.dataset.change !== String(event.change)) renew()
      rows.dataset.change = event.change
      return
    }
    waiting.add(event.session)
    clearTimeout(timer)
    timer = setTimeout(update, 30)
  })

  /** Draws the sessions that changed anew, the newest first. */
  async function update() {
    const ids = [...waiting]
    waiting.clear()
    if (ids.length > 20) return renew()
    for (const id of ids) {
      const address = new URL(location.href)
      address.pathname = `/s/${id}/row`
      const page = await fragment(address)
      const old = document.getElementById(`row-${id}`)
      const row = page?.querySelector(".row")
      if (!row) { old?.remove(); continue }
      row.classList.add("fresh")
      if (old && old === rows.firstElementChild) old.replaceWith(row)
      else { old?.remove(); rows.prepend(row) }
      document.querySelector(".empty")?.remove()
    }
  }

  async function renew() {
    const page = await fragment(withPart(location.href))
    if (!page) return
    rows.replaceChildren(...page.querySelectorAll(".row"))
    document.querySelector(".more")?.replaceWith(page.querySelector(".more") ?? "")
  }
}
