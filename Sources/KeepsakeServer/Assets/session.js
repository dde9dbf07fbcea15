// A conversation of any length: only the entries near the reader are in the page.
import { fragment, send, tell, isWriting } from "/assets/base.js"
import { follow } from "/assets/live.js"

const list = document.getElementById("entries")
const now = document.getElementById("now")
const latest = document.getElementById("latest")
const path = list.dataset.path
const PAGE = 50
const MOST = 200
let count = Number(list.dataset.count)
let changes = list.dataset.changes
let isLoading = false

/** The positions that are drawn: from the first to before the last. An output is drawn with its call. */
let start = Number(list.dataset.from)
let stop = Number(list.dataset.to)

const entries = () => list.querySelectorAll(":scope > .entry")
const positionOf = (entry) => Number(entry.id.slice("entry-".length))
const isAtEnd = () => stop >= count

// Ranges

const above = document.getElementById("above")
const below = document.getElementById("below")

async function load(from, to) {
  const page = await fragment(`${path}/entries?from=${from}&to=${to}`)
  return page ? [...page.children] : []
}

/** Keeps what the reader looks at where it is while something above it changes. */
function holding(change) {
  const seen = [...entries()].find((one) => one.getBoundingClientRect().bottom > 0)
  const before = seen?.getBoundingClientRect().top
  change()
  if (seen?.isConnected) scrollBy({ top: seen.getBoundingClientRect().top - before, behavior: "instant" })
}

async function earlier() {
  if (isLoading || start <= 0) return
  isLoading = true
  try {
    const from = Math.max(0, start - PAGE)
    const drawn = await load(from, start)
    holding(() => {
      put(drawn, true)
      start = from
      trim(false)
    })
  } finally { isLoading = false; edges() }
}

async function later() {
  if (isLoading || isAtEnd()) return
  isLoading = true
  try {
    const to = Math.min(count, stop + PAGE)
    const drawn = await load(stop, to)
    holding(() => {
      put(drawn, false)
      stop = to
      trim(true)
    })
  } finally { isLoading = false; edges() }
}

/** Puts entries before or behind the others. One that is there already, such as a call with a new output, is replaced. */
function put(drawn, isBefore) {
  const fresh = []
  for (const one of drawn) {
    const old = one.id && document.getElementById(one.id)
    if (old && list.contains(old)) old.replaceWith(one)
    else fresh.push(one)
  }
  // A call of an earlier page that is not drawn would stand out of its order.
  const shown = isBefore ? fresh : fresh.filter((one) => !one.id || positionOf(one) >= stop)
  isBefore ? list.prepend(...shown) : list.append(...shown)
}

/** Takes entries out that are far from the reader. */
function trim(fromStart) {
  const all = [...entries()]
  const surplus = all.length - MOST
  if (surplus <= 0) return
  for (const entry of fromStart ? all.slice(0, surplus) : all.slice(-surplus)) {
    const day = entry.previousElementSibling
    if (day?.classList.contains("day")) day.remove()
    entry.remove()
  }
  if (fromStart) start = positionOf(all[surplus])
  else stop = positionOf(all[all.length - surplus])
}

function edges() {
  above.hidden = start <= 0
  below.hidden = isAtEnd()
  if (!above.hidden) above.firstElementChild.href = `${path}?at=${start - 1}`
  if (!below.hidden) below.firstElementChild.href = `${path}?at=${stop}`
}

const near = new IntersectionObserver((seen) => {
  for (const one of seen) if (one.isIntersecting) one.target === above ? earlier() : later()
}, { rootMargin: "1200px" })
near.observe(above)
near.observe(below)

/** Goes to an entry, wherever it is. */
async function go(position, push = true) {
  let entry = at(position)
  if (!entry) {
    isLoading = true
    try {
      await show(Math.max(0, position - 20))
    } finally { isLoading = false; edges() }
    entry = at(position)
  }
  if (!entry) return
  if (push) history.pushState({ position }, "", `${path}?at=${position}#entry-${position}`)
  mark(entry)
  entry.scrollIntoView({ block: "start", behavior: "instant" })
  entry.tabIndex = -1
  entry.focus({ preventScroll: true })
}

/** Draws one page of entries in place of all others. */
async function show(from) {
  const to = Math.min(count, from + PAGE)
  list.replaceChildren(...await load(from, to))
  start = from
  stop = to
}

/** The element that shows a position: its own, or that of the call which it answers. */
function at(position) {
  if (position < start || position >= stop) return undefined
  let found
  for (const entry of entries()) {
    if (positionOf(entry) > position) break
    found = entry
  }
  return found
}

function mark(entry) {
  for (const other of list.querySelectorAll(".current")) {
    other.classList.remove("current")
    delete other.dataset.current
  }
  entry.classList.add("current")
  entry.dataset.current = ""
}

addEventListener("popstate", (event) => {
  const position = event.state?.position ?? new URLSearchParams(location.search).get("at")
  if (position !== null && position !== undefined) go(Number(position), false)
})

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-position]")
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  go(Number(link.dataset.position))
})

// The outline shows where the reader is.

const outline = document.querySelector(".prompts")
if (outline) {
  const links = [...outline.querySelectorAll("a")]
  let timer
  addEventListener("scroll", () => {
    if (timer) return
    timer = setTimeout(() => {
      timer = undefined
      const seen = [...entries()].find((one) => one.getBoundingClientRect().bottom > 90)
      if (!seen) return
      const position = positionOf(seen)
      let here
      for (const link of links) if (Number(link.dataset.position) <= position) here = link
      for (const link of links) link.toggleAttribute("aria-current", false)
      here?.setAttribute("aria-current", "true")
    }, 150)
  }, { passive: true })
}

// What happens while one looks

const isSeeingEnd = () => isAtEnd() && innerHeight + scrollY >= document.documentElement.scrollHeight - 160

async function readOn(to) {
  const wasAtEnd = isAtEnd()
  const wasSeen = isSeeingEnd() || entries().length === 0
  count = Math.max(count, to)
  if (!wasAtEnd || count - stop > 2 * PAGE) {
    if (wasSeen) { await show(Math.max(0, count - PAGE)); holdEnd() } else latest.hidden = false
    return edges()
  }
  while (!isAtEnd()) {
    const next = Math.min(count, stop + PAGE)
    put(await load(stop, next), false)
    stop = next
  }
  if (wasSeen) { holdEnd(); trim(true) } else latest.hidden = false
  edges()
}

function holdEnd() { scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" }) }

async function again(position) {
  const old = at(position)
  if (!old) return
  const own = positionOf(old)
  for (const one of await load(own, own + 1)) {
    const there = one.id && document.getElementById(one.id)
    if (there) holding(() => there.replaceWith(one))
  }
}

async function all() {
  const drawn = await load(start, stop)
  holding(() => list.replaceChildren(...drawn))
}

async function live() {
  const page = await fragment(`${path}/now`)
  const wasSeen = isSeeingEnd()
  now.replaceChildren(page ?? "")
  if (wasSeen) holdEnd()
}

// One after the other, so that two answers never overtake each other.
let work = Promise.resolve()
const then = (step) => { work = work.then(step).catch((error) => tell(error.message)) }

let isLiveWaiting = false
function renewLive() {
  if (isLiveWaiting) return
  isLiveWaiting = true
  then(async () => { isLiveWaiting = false; await live() })
}

follow(`${path}/events`, (event) => {
  switch (event.what) {
    case "hello":
      then(async () => {
        if (event.entries > count) await readOn(event.entries)
        if (String(event.changes) !== changes) await all()
        changes = String(event.changes)
        await live()
      })
      break
    case "appended": then(async () => { await readOn(event.to); await live() }); break
    case "entry": then(() => again(event.position)); break
    case "now": renewLive(); break
    case "progress": progress(event); break
    case "elsewhere":
      then(async () => { await readOn(event.entries); await all(); await live() })
      break
    case "renamed": then(rename); break
    case "deleted": tell("This conversation was deleted."); document.body.dataset.gone = ""; break
  }
  if (event.changes !== undefined) changes = String(event.changes)
})

function progress(event) {
  const bar = document.getElementById(`run-${event.run}`)
  if (!bar) return renewLive()
  bar.value = event.fraction
  bar.nextElementSibling.textContent = event.note ?? ""
}

async function rename() {
  const page = await fragment(`${path}/title`)
  const title = page?.querySelector(".session-title")
  if (!title) return
  document.querySelector(".session-title").replaceWith(title)
  document.title = `${title.querySelector("h1").textContent} – Keepsake`
}

latest.addEventListener("click", async () => {
  latest.hidden = true
  if (!isAtEnd()) await show(Math.max(0, count - PAGE))
  edges()
  holdEnd()
})
addEventListener("scroll", () => { if (isSeeingEnd()) latest.hidden = true }, { passive: true })

// Find in this conversation

const find = document.getElementById("find")
addEventListener("keydown", (event) => {
  if (event.key !== "f" || event.ctrlKey || event.metaKey || isWriting(event)) return
  event.preventDefault()
  find.hidden = false
  find.querySelector("input").focus()
})
if (find) {
  const field = find.querySelector("input")
  const told = find.querySelector("output")
  let hits = []
  let here = -1
  find.addEventListener("submit", async (event) => {
    event.preventDefault()
    if (field.value !== field.dataset.asked) {
      field.dataset.asked = field.value
      const answer = await fetch(`/api/1/search?session=${list.dataset.session}&limit=100&q=${encodeURIComponent(field.value)}`,
        { headers: { "X-Keepsake": "1" } })
      const body = await answer.json()
      hits = answer.ok ? body.hits.map((hit) => hit.position).filter((position) => position !== null) : []
      here = -1
      if (!answer.ok) return told.textContent = body.detail
    }
    if (hits.length === 0) return told.textContent = "not found"
    here = (here + 1) % hits.length
    told.textContent = `${here + 1} of ${hits.length}`
    await go(hits[here])
    field.focus()
  })
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { find.hidden = true; field.blur() }
  })
}

// Acting

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-dialog]")
  if (button) document.getElementById(button.dataset.dialog).showModal()
  const closing = event.target.closest("button[data-close]")
  if (closing) closing.closest("dialog").close()
})

for (const form of document.querySelectorAll("form[data-act]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(form))
    try {
      const done = await acts[form.dataset.act](values)
      form.closest("dialog")?.close()
      if (done) location.href = done
    } catch (error) { tell(error.message) }
  })
}

const api = `/api/1/sessions/${list.dataset.session}`
const acts = {
  async rename({ title }) { await send("PATCH", api, { title: title || null }) },
  async tag({ tags }) {
    await send("PATCH", api, { tags: tags.split(/[\s,]+/).filter(Boolean) })
  },
  async fork({ before, title }) {
    const made = await send("POST", `${api}/fork`, {
      before: before === "" ? null : Number(before), title: title || null,
    })
    return `/s/${made.id}`
  },
  async remove() {
    await send("DELETE", api)
    return "/"
  },
}

edges()
const asked = new URLSearchParams(location.search).get("at")
if (asked !== null) {
  const entry = at(Number(asked))
  if (entry) { mark(entry); entry.scrollIntoView({ block: "start", behavior: "instant" }) }
} else holdEnd()
