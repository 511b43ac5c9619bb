import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agentGroups } from '../crash/faults/agent-groups.ts'
import { runProcesses } from '../crash/faults/victims.ts'
import { withDatabase } from '../crash/load/history.ts'
import type { OwnService } from '../main-job/service.ts'

/** Target of an injected fault: a service and the task version that will run. */
export interface FaultTarget {
  service: OwnService
  version: string
}

/** The object store loses the bundle. */
export async function deleteBundle(scene: FaultTarget): Promise<void> {
  await rm((await bundleOf(scene)).path)
}

/** Replaces the bundle by bytes with a correct digest that are not a valid archive. */
export async function corruptBundle(scene: FaultTarget): Promise<void> {
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

async function bundleOf({ service, version }: FaultTarget): Promise<{ id: string; path: string }> {
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

/** Sets the process limit of the sandboxes' common control group to 0. */
export async function forbidForks({ service }: FaultTarget): Promise<() => Promise<void>> {
  for (const group of await agentGroups(service)) {
    const path = join(group, 'pids.max')
    const before = await readFile(path, 'utf8').catch(() => undefined)
    if (before === undefined) continue
    await writeFile(path, '0')
    return () => writeFile(path, before.trim())
  }
  throw new Error(`no control group counts the processes of ${service.dataDir}`)
}

export async function killShim({ service }: FaultTarget, rid: string): Promise<void> {
  const processes = runProcesses(service.dataDir)
  const shim = processes.find(({ kind, runId }) => kind === 'shim' && runId === rid)
  if (!shim) throw new Error(`${rid} has no shim`)
  process.kill(shim.pid, 'SIGKILL')
}
