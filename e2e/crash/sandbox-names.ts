import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const runSandbox = /^(run_[0-9a-f]{32})_\d+$/

export const sandboxFolders = (dataDir: string): string => join(dataDir, 'agent/sandboxes')

/** The run that has the sandbox of that name: one that was made before it was asked for has its run in its ticket. */
export function runOfSandbox(dataDir: string, name: string): string | undefined {
  const id = name.startsWith('warm_') ? ticketId(join(sandboxFolders(dataDir), name)) : name
  return runSandbox.exec(id)?.[1]
}

/** Empty while nobody has it: there is only room for the ticket then. */
function ticketId(folder: string): string {
  const text = orEmpty(() => readFileSync(join(folder, 'ticket.json'), 'utf8'))
  return text.trim() === '' ? '' : (JSON.parse(text) as { spec: { id: string } }).spec.id
}

/** What is read may be gone by then. */
export function orEmpty(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
