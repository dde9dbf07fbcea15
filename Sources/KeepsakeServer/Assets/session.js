// A conversation: where the reader goes, and what happens while one looks.
import { fragment, tell } from "/assets/base.js"
import { follow } from "/assets/live.js"
import {
  again, all, at, counted, go, goTo, goToEnd, isSeeingEnd, look, path, readOn, showEnd, standing,
} from "/assets/ranges.js"
import "/assets/outline.js"
import "/assets/find.js"
import "/assets/acting.js"

const now = document.getElementById("now")
const latest = document.getElementById("latest")
let changes = document.getElementById("entries").dataset.changes

// Where the reader goes

/** The position that an address of this conversation names. */
function positionIn(address) {
  const url = new URL(address, location.href)
  if (url.origin !== location.origin || url.pathname !== path) return null
  const named = url.searchParams.get("at")
  return named === null ? null : Number(named)
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]")
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return
  const artifact = /^#(artifact-[0-9a-f]{64}-(\d+))$/.exec(link.getAttribute("href"))
  if (artifact) {
    event.preventDefault()
    goToArtifact(artifact[1], Number(artifact[2]))
    return
  }
  const position = positionIn(link.href)
  if (position === null || !(position < counted())) return
  event.preventDefault()
  go(position)
})

/** Goes to where an artifact is shown, which may be far away. */
async function goToArtifact(id, position) {
  await go(position)
  const shown = document.getElementById(id)
  shown?.closest("details")?.setAttribute("open", "")
  shown?.scrollIntoView({ block: "center", behavior: "instant" })
}

// Only a part of the entries is in the page, so the browser can't know where the reader was.
history.scrollRestoration = "manual"
let resting
addEventListener("scroll", () => {
  clearTimeout(resting)
  resting = setTimeout(() => { if (location.pathname === path) history.replaceState(standing(), "") }, 400)
}, { passive: true })

addEventListener("popstate", async (event) => {
  clearTimeout(resting)
  if (await goTo(event.state)) return
  const position = positionIn(location.href)
  if (position !== null) go(position, false)
  else if (!location.hash) goToEnd()
})

latest.addEventListener("click", () => {
  latest.hidden = true
  goToEnd()
})
addEventListener("scroll", () => { if (isSeeingEnd()) latest.hidden = true }, { passive: true })

// What happens while one looks

async function more(end) { if (!await readOn(end)) latest.hidden = false }

/** Shows what streams and runs. */
async function live() {
  const page = await fragment(`${path}/now`)
  const wasSeen = isSeeingEnd()
  now.replaceChildren(page ?? "")
  if (wasSeen) showEnd()
}

// One after the other, so that two answers never overtake each other.
let work = Promise.resolve()
// Nothing more is asked for of a conversation that is not there any more.
let isGone = false
const then = (step) => { work = work.then(() => isGone || step()).catch((error) => tell(error.message)) }

let isLiveWaiting = false
function renewLive() {
  if (isLiveWaiting) return
  isLiveWaiting = true
  then(async () => { isLiveWaiting = false; await live() })
}

follow(`${path}/events`, take, async () => { if (!await fragment(`${path}/title`)) gone() })

function take(event) {
  switch (event.what) {
    case "hello":
    case "elsewhere":
      then(async () => {
        // The server says how things stand: what was missed is drawn, whatever it was.
        const isChanged = event.what === "elsewhere" || String(event.changes) !== changes
        if (event.entries > counted()) await more(event.entries)
        if (isChanged) { await all(); await rename() }
        changes = String(event.changes)
        await live()
      })
      return
    case "appended": then(async () => { await more(event.to); await live() }); break
    case "entry": then(() => again(event.position)); break
    case "now": renewLive(); break
    case "progress": progress(event); break
    case "renamed": then(rename); break
    case "deleted": gone(); break
  }
  if (event.changes !== undefined) then(() => { changes = String(event.changes) })
}

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

/** The conversation is not there any more. What was read of it stays in the page. */
function gone() {
  isGone = true
  document.getElementById("gone").hidden = false
  for (const one of document.querySelectorAll(".session-title .actions, #now, #above, #below")) one.remove()
}

// Where one begins

const asked = positionIn(location.href)
const entry = asked === null ? undefined : at(asked)
if (entry) look(entry)
else showEnd()
goTo(history.state)
