// Rename, tag, fork, delete. Where nothing may be changed there are no dialogs, and nothing here does anything.
import { send, tell } from "/assets/base.js"

const api = `/api/1/sessions/${document.getElementById("entries").dataset.session}`

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

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-dialog]")
  if (!button) return
  const dialog = document.getElementById(button.dataset.dialog)
  dialog.showModal()
  dialog.querySelector("input")?.select()
})

for (const form of document.querySelectorAll("form[data-act]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const button = form.querySelector("button:not([type])")
    button.disabled = true
    try {
      const next = await acts[form.dataset.act](Object.fromEntries(new FormData(form)))
      form.closest("dialog").close()
      if (next) location.href = next
    } catch (error) { tell(error.message) }
    button.disabled = false
  })
}
