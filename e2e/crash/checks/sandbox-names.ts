import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const runSandbox = /^(run_[0-9a-f]{32})_\d+$/

export const sandboxFolders = (dataDir: string): string => join(dataDir, 'agent/sandboxes')

/** The run of the sandbox with that name. The run of a warm sandbox is in its start record. */
export function runOfSandbox(dataDir: string, name: string): string | undefined {
  const id = name.startsWith('warm_') ? sandboxIdInStartRecord(join(sandboxFolders(dataDir), name)) : name
  return runSandbox.exec(id)?.[1]
}

/** The id in the start record; empty while only the space for it is reserved. */
function sandboxIdInStartRecord(folder: string): string {
  const text = orEmpty(() => readFileSync(join(folder, 'ticket.json'), 'utf8'))
  return text.trim() === '' ? '' : (JSON.parse(text) as { spec: { id: string } }).spec.id
}

/** Empty if the file is gone. */
export function orEmpty(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
