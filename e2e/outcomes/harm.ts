import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agentGroups } from '../crash/agent-groups.ts'
import { withDatabase } from '../crash/history.ts'
import { runProcesses } from '../crash/victims.ts'
import type { OwnService } from '../main-job/service.ts'

/** Where harm is done: a service, and the task version that is to run. */
export interface Scene {
  service: OwnService
  version: string
}

/** The object store loses the bundle. */
export async function dropBundle(scene: Scene): Promise<void> {
  await rm((await bundleOf(scene)).path)
}

/** What is stored is whole by its digest, and no archive that the rules of today let in. */
export async function breakBundle(scene: Scene): Promise<void> {
  const bytes = Buffer.from('no archive at all')
  const { id, path } = await bundleOf(scene)
  await writeFile(path, bytes)
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  await withDatabase(scene.service.dataDir, (database) =>
    database.query('update task_bundles set digest = $1, byte_size = $2 where id = $3', [
      digest,
      bytes.length,
      id,
    ]),
  )
}

async function bundleOf({ service, version }: Scene): Promise<{ id: string; path: string }> {
  const { rows } = await withDatabase(service.dataDir, (database) =>
    database.query<{ id: string; storage_key: string }>(
      'select b.id, b.storage_key from task_bundles b join task_versions v on v.bundle_id = b.id where v.id = $1',
      [version],
    ),
  )
  const [bundle] = rows
  if (!bundle) throw new Error(`${version} has no bundle`)
  return { id: bundle.id, path: join(service.dataDir, 'objects/objects', bundle.storage_key) }
}

/** The operating system grants the sandboxes of this service no process more. */
export async function stopForks({ service }: Scene): Promise<() => Promise<void>> {
  for (const group of await agentGroups(service)) {
    const path = join(group, 'pids.max')
    const before = await readFile(path, 'utf8').catch(() => undefined)
    if (before === undefined) continue
    await writeFile(path, '0')
    return () => writeFile(path, before.trim())
  }
  throw new Error(`no control group counts the processes of ${service.dataDir}`)
}

export async function killShim({ service }: Scene, rid: string): Promise<void> {
  const processes = runProcesses(service.dataDir)
  const shim = processes.find(({ kind, runId }) => kind === 'shim' && runId === rid)
  if (!shim) throw new Error(`${rid} has no shim`)
  process.kill(shim.pid, 'SIGKILL')
}
