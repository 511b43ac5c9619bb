import { byId } from './elements.ts'

/** Hides what does not have all words that were typed: operations, their links, and groups without any. */
export function mountSearch(): void {
  const input = byId('search') as HTMLInputElement
  const count = byId('found')
  const found = [...document.querySelectorAll<HTMLElement>('[data-words]')]
  const groups = [...document.querySelectorAll<HTMLElement>('[data-group]')]
  const folds = [...document.querySelectorAll<HTMLDetailsElement>('details[data-group]')]
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const one of found) one.hidden = !words.every((word) => one.dataset.words?.includes(word))
    for (const group of groups) group.hidden = !group.querySelector('[data-words]:not([hidden])')
    document.body.classList.toggle('searching', words.length > 0)
    for (const fold of folds) fold.open = words.length > 0
    const shown = document.querySelectorAll('main [data-words]:not([hidden])').length
    count.textContent = words.length > 0 ? `${shown} found` : ''
  }
  input.hidden = false
  input.addEventListener('input', search)
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (event.key !== '/' || typing) return
    event.preventDefault()
    input.focus()
  })
  search()
}
