import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type pg from 'pg'
import type { OwnService } from '../../main-job/service.ts'
import { agentGroups } from '../faults/agent-groups.ts'
import { isSmallDisk } from '../faults/small-disks.ts'
import { runProcesses } from '../faults/victims.ts'
import { runOfSandbox, sandboxFolders } from './sandbox-names.ts'

/** Residue of runs: empty if the service has cleaned up everything. */
export async function findResidue(service: OwnService, database: pg.Client): Promise<string[]> {
  const { dataDir } = service
  const found = await Promise.all([
    remainingSandboxes(dataDir),
    controlGroups(service),
    mounts(service),
    unfinishedFiles(dataDir),
    unownedObjects(dataDir, database),
    openUploads(database),
  ])
  return [...found.flat(), ...processes(dataDir)]
}

/** Folders of sandboxes, except warm ones and those with only the `forbidden` file of older agents. */
async function remainingSandboxes(dataDir: string): Promise<string[]> {
  const root = sandboxFolders(dataDir)
  const kept: string[] = []
  for (const name of await readdir(root)) {
    if (isWarm(dataDir, name)) continue
    const names = await namesIn(join(root, name))
    if (names.length !== 1 || !names[0]?.endsWith('/forbidden'))
      kept.push(`sandbox ${name}: ${names.length} files`)
  }
  return kept
}

/** A warm sandbox without a run is no residue. */
function isWarm(dataDir: string, name: string): boolean {
  const isThere = existsSync(join(sandboxFolders(dataDir), name))
  return name.startsWith('warm_') && isThere && runOfSandbox(dataDir, name) === undefined
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).map((name) => join(folder, name))

async function controlGroups(service: OwnService): Promise<string[]> {
  const { dataDir } = service
  const groups = await Promise.all((await agentGroups(service)).map(namesIn))
  const ofSandboxes = groups.flat().filter((path) => /\/(run|warm)_/.test(path))
  return ofSandboxes.filter((path) => !isWarm(dataDir, basename(path)))
}

async function mounts({ dataDir, pid }: OwnService): Promise<string[]> {
  const lines = (await readFile(`/proc/${pid}/mounts`, 'utf8')).split('\n')
  return lines
    .filter((line) => line.includes(dataDir) && !isSmallDisk(line, dataDir))
    .map((line) => `mount ${line}`)
}

const processes = (dataDir: string): string[] =>
  runProcesses(dataDir).map(({ kind, pid, runId }) => `process ${pid}, ${kind} of ${runId}`)

/** Temporary files of interrupted writes. */
async function unfinishedFiles(dataDir: string): Promise<string[]> {
  const [incoming, images] = await Promise.all(
    ['objects/incoming', 'agent/images'].map((path) => filesBelow(join(dataDir, path), 2)),
  )
  return [...(incoming ?? []), ...(images ?? []).filter((path) => /\/\.(new|removed)-/.test(path))]
}

async function filesBelow(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const below = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    const isOpen = entry.isDirectory() && depth > 0 && !entry.name.startsWith('.')
    return isOpen ? filesBelow(path, depth - 1) : [path]
  })
  return (await Promise.all(below)).flat()
}

async function unownedObjects(dataDir: string, database: pg.Client): Promise<string[]> {
  const root = join(dataDir, 'objects/objects')
  const keys = (await filesBelow(join(root, 'runs'), 2)).map((path) => path.slice(root.length + 1))
  const { rows } = await database.query<{ key: string }>(
    `select key from unnest($1::text[]) as given(key)
     where not exists (select 1 from run_contents c where given.key in (c.output_key, c.log_key, c.bundle_key))`,
    [keys],
  )
  const packs = (await filesBelow(join(root, 'sessions'), 1)).map((path) => path.slice(root.length + 1))
  const unowned = await database.query<{ key: string }>(
    `select key from unnest($1::text[]) as given(key)
     where not exists (select 1 from session_packs p where p.storage_key = given.key)`,
    [packs],
  )
  return [...rows, ...unowned.rows].map(({ key }) => `object ${key}`)
}

async function openUploads(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<{ found: string }>(
    `select 'upload ' || id as found from upload_sessions where state not in ('completed', 'aborted')`,
  )
  return rows.map(({ found }) => found)
}
