import { operations } from './api-document.ts'
import { mountCredentials } from './credentials.ts'
import { mountFirstRun } from './first-run.ts'
import { mountSearch } from './search.ts'
import { tryIt } from './try-it.ts'

/** Adds to a page that can be read without scripts: search, credentials, and a form for each operation when it is opened. */
async function openOperation(details: HTMLDetailsElement, name: string): Promise<void> {
  const operation = (await operations()).get(name)
  if (operation) details.querySelector('summary')?.after(tryIt(operation))
}

mountSearch()
mountCredentials()
mountFirstRun().catch(() => {})

for (const details of document.querySelectorAll<HTMLDetailsElement>('details[data-operation]')) {
  const open = () => {
    openOperation(details, details.dataset.operation ?? '').catch((error: unknown) => {
      details.append(`The API document cannot be loaded: ${String(error)}`)
    })
  }
  if (details.open) open()
  else details.addEventListener('toggle', open, { once: true })
}

/** A link to an operation opens it, and the groups that it is in. */
const follow = () => {
  const target = document.getElementById(location.hash.slice(1))
  const details = target?.querySelector('details')
  if (details) details.open = true
  for (let group = target?.closest('details'); group; group = group.parentElement?.closest('details'))
    group.open = true
  target?.scrollIntoView()
}
addEventListener('hashchange', follow)
if (location.hash !== '') follow()
