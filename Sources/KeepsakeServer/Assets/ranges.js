// The entries of a conversation of any length: only those near the reader are in the page.
import { fragment } from "/assets/base.js"

const list = document.getElementById("entries")
const above = document.getElementById("above")
const below = document.getElementById("below")
export const path = list.dataset.path
const PAGE = 50
const MOST = 200

/** The number of entries, and the positions that are drawn: from the first to before the last. */
let count = Number(list.dataset.count)
let start = Number(list.dataset.from)
let stop = Number(list.dataset.to)
let isLoading = false
/** Counts how often all entries were replaced. What was asked for before that comes too late. */
let epoch = 0
let isShowing = false

export const entries = () => [...list.querySelectorAll(":scope > .entry")]
export const positionOf = (entry) => Number(entry.id.slice("entry-".length))
export const isAtEnd = () => stop >= count
export const isSeeingEnd = () =>
  isAtEnd() && innerHeight + scrollY >= document.documentElement.scrollHeight - 160
export const counted = () => count

async function load(from, to) {
  const page = await fragment(`${path}/entries?from=${from}&to=${to}`)
  return page ? [...page.children] : []
}

/** Keeps what the reader looks at where it is while something of the page changes. */
export function holding(change) {
  const top = (one) => one.getBoundingClientRect().top
  const seen = entries().filter((one) => one.getBoundingClientRect().bottom > 60).slice(0, 5)
  const before = seen.map((one) => [one.id, top(one)])
  change()
  for (const [id, old] of before) {
    const now = document.getElementById(id)
    if (!now) continue
    const by = top(now) - old
    if (Math.abs(by) >= 1) scrollBy({ top: by, behavior: "instant" })
    return
  }
}

/** Puts entries before or behind the others. What is there already, such as a call with a new output, is replaced. */
function put(drawn, isBefore) {
  const fresh = []
  let heads = []
  for (const one of drawn) {
    const old = one.id && document.getElementById(one.id)
    if (old && list.contains(old)) old.replaceWith(one)
    else if (!one.classList.contains("entry")) heads.push(one)
    // A call of an earlier page that is not drawn would stand out of its order.
    else {
      if (isBefore || positionOf(one) >= stop) fresh.push(...heads, one)
      heads = []
    }
  }
  fresh.push(...heads)
  if (isBefore) list.prepend(...fresh)
  else list.append(...fresh)
  said()
}

/** Takes entries out that are far from the reader, with the days and branches before them. */
function trim(fromStart) {
  const all = entries()
  const surplus = all.length - MOST
  if (surplus <= 0) return
  for (const entry of fromStart ? all.slice(0, surplus) : all.slice(-surplus)) {
    while (entry.previousElementSibling && !entry.previousElementSibling.classList.contains("entry")) {
      entry.previousElementSibling.remove()
    }
    entry.remove()
  }
  if (fromStart) start = positionOf(all[surplus])
  else stop = positionOf(all[all.length - surplus])
}

/** Says where one can go on, and looks again whether the reader is near. */
export function edges() {
  above.hidden = start <= 0
  below.hidden = isAtEnd()
  if (!above.hidden) above.firstElementChild.href = `${path}?at=${start - 1}`
  if (!below.hidden) below.firstElementChild.href = `${path}?at=${stop}`
  for (const edge of [above, below]) {
    near.unobserve(edge)
    near.observe(edge)
  }
}

async function earlier() {
  if (isLoading || isShowing || start <= 0) return
  isLoading = true
  try {
    const own = epoch
    const from = Math.max(0, start - PAGE)
    const drawn = await load(from, start)
    if (own !== epoch) return
    holding(() => {
      put(drawn, true)
      start = from
      trim(false)
      edges()
    })
  } finally { isLoading = false }
}

async function later() {
  if (isLoading || isShowing || isAtEnd()) return
  isLoading = true
  try {
    const own = epoch
    const to = Math.min(count, stop + PAGE)
    const drawn = await load(stop, to)
    if (own !== epoch) return
    holding(() => {
      put(drawn, false)
      stop = Math.max(stop, to)
      trim(true)
      edges()
    })
  } finally { isLoading = false }
}

const near = new IntersectionObserver((seen) => {
  for (const one of seen) if (one.isIntersecting) one.target === above ? earlier() : later()
}, { rootMargin: "1500px" })

/** Draws one page of entries in place of all others. */
async function show(from) {
  const own = ++epoch
  isShowing = true
  try {
    const to = Math.min(count, from + PAGE)
    const drawn = await load(from, to)
    if (own !== epoch) return
    list.replaceChildren(...drawn)
    start = from
    stop = to
    said()
  } finally { if (own === epoch) isShowing = false }
}

/** How far down the page stood when its end was shown, for as long as the reader stays there. */
let topAtEnd = null

export function showEnd() {
  scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" })
  topAtEnd = scrollY
}

// An image that comes late makes the page longer. A reader at its end stays at its end, unless it is they who move.
new ResizeObserver(() => { if (topAtEnd !== null) showEnd() }).observe(document.body)
const leaveEnd = () => { topAtEnd = null }
for (const action of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(action, leaveEnd, { passive: true })
// A scroll bar is moved without any of these. What becomes longer moves nobody up.
addEventListener("scroll", () => { if (topAtEnd !== null && scrollY < topAtEnd - 1) leaveEnd() }, { passive: true })

/** Goes to the end, wherever it is. */
export async function goToEnd() {
  if (!isAtEnd()) await show(Math.max(0, count - PAGE))
  edges()
  showEnd()
}

/** Goes to an entry, wherever it is. */
export async function go(position, push = true) {
  if (!(position >= 0 && position < count)) return
  if (!at(position)) {
    await show(Math.max(0, position - PAGE / 2))
    edges()
  }
  const entry = at(position)
  if (!entry) return
  if (push) history.pushState({ at: position }, "", `${path}?at=${position}#entry-${position}`)
  look(entry)
  entry.tabIndex = -1
  entry.focus({ preventScroll: true })
}

/** Where the reader is: the entry that is seen first and how far it has moved, or the end. */
export function standing() {
  if (isSeeingEnd()) return { isEnd: true }
  const seen = entries().find((one) => one.getBoundingClientRect().bottom > 60)
  return seen ? { at: positionOf(seen), top: seen.getBoundingClientRect().top } : {}
}

/** Goes back to where the reader was. Gives false where that is not known. */
export async function goTo(place) {
  if (place?.isEnd) { await goToEnd(); return true }
  if (place?.at === undefined) return false
  await go(place.at, false)
  const entry = at(place.at)
  if (entry && place.top !== undefined) {
    scrollBy({ top: entry.getBoundingClientRect().top - place.top, behavior: "instant" })
  }
  return true
}

/** Shows an entry at the top of the window, marked. */
export function look(entry) {
  leaveEnd()
  for (const other of document.querySelectorAll("[data-current]")) {
    other.classList.remove("current")
    delete other.dataset.current
  }
  entry.classList.add("current")
  entry.dataset.current = ""
  entry.scrollIntoView({ block: "start", behavior: "instant" })
}

/** The element that shows a position: its own, or that of the call which it answers. */
export function at(position) {
  if (position < start || position >= stop) return undefined
  const output = document.getElementById(`entry-${position}`)
  if (output) return output.closest("#entries > .entry") ?? output
  let found
  for (const entry of entries()) {
    if (positionOf(entry) > position) break
    found = entry
  }
  return found
}

/** Reads on to a new end. Gives whether the reader was at the end, and still is. */
export async function readOn(to) {
  const wasAtEnd = isAtEnd()
  const wasSeen = isSeeingEnd() || entries().length === 0
  count = Math.max(count, to)
  if (!wasAtEnd || count - stop > 2 * PAGE) {
    if (wasSeen) {
      await show(Math.max(0, count - PAGE))
      showEnd()
    }
    edges()
    return wasSeen
  }
  const own = epoch
  while (!isAtEnd()) {
    const next = Math.min(count, stop + PAGE)
    const drawn = await load(stop, next)
    if (own !== epoch) return wasSeen
    put(drawn, false)
    stop = Math.max(stop, next)
  }
  if (wasSeen) {
    trim(true)
    showEnd()
  }
  edges()
  return wasSeen
}

/** Draws an entry anew. */
export async function again(position) {
  const old = at(position)
  if (!old) return
  const own = positionOf(old)
  for (const one of await load(own, own + 1)) {
    const there = one.id && document.getElementById(one.id)
    if (there) holding(() => there.replaceWith(one))
  }
  said()
}

/** Draws all entries anew that are in the page. */
export async function all() {
  const own = epoch
  const [from, to] = [start, stop]
  const drawn = await load(from, to)
  // The reader went elsewhere meanwhile, where all is new.
  if (own !== epoch) return
  if (from !== start || to !== stop) return all()
  const open = new Set([...list.querySelectorAll("details[open]")].map(place))
  holding(() => {
    list.replaceChildren(...drawn)
    for (const one of list.querySelectorAll("details")) if (open.has(place(one))) one.open = true
  })
  said()
}

/** Names a fold by its entry and its number in it, so that what a reader opened stays open. */
function place(fold) {
  const entry = fold.closest(".entry")
  return `${entry?.id} ${[...entry?.querySelectorAll("details") ?? []].indexOf(fold)}`
}

/** Offers to show what the model or the person saw, where that makes a difference. */
function said() {
  const seen = document.getElementById("seen")
  if (seen.hidden && list.querySelector("[data-for]")) seen.hidden = false
}
document.getElementById("seen").addEventListener("change", (event) => {
  holding(() => { list.dataset.seen = event.target.value })
  edges()
})
said()
edges()
