import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const runSandbox = /^(run_[0-9a-f]{32})_\d+$/

export const sandboxFolders = (dataDir: string): string => join(dataDir, 'agent/sandboxes')

/** The run that has the sandbox of that name: one that was made before it was asked for has its run in its ticket. */
export async function runOfSandbox(dataDir: string, name: string): Promise<string | undefined> {
  const id = name.startsWith('warm_') ? await ticketId(join(sandboxFolders(dataDir), name)) : name
  return runSandbox.exec(id)?.[1]
}

/** Empty while nobody has it: there is only room for the ticket then. */
async function ticketId(folder: string): Promise<string> {
  const text = await readFile(join(folder, 'ticket.json'), 'utf8').catch(() => '')
  return text.trim() === '' ? '' : (JSON.parse(text) as { spec: { id: string } }).spec.id
}
