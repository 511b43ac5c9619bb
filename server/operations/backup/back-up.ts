import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import { dumpCluster } from './archive/dump-cluster.ts'
import { BackupProblem } from './backup-problem.ts'
import { copyOut, filesBelow } from './copy-files.ts'
import { dumpDatabase } from './database/dump-database.ts'
import { checkRecipients } from './encryption/age.ts'
import { isEncrypted, plainPath } from './encryption/backup-files.ts'
import { type ListedFile, writeFileList } from './file-list.ts'
import { completeBackup, type Manifest, startBackup } from './manifest.ts'
import { pauseDeletions } from './pause-deletions.ts'

/*
 * Backs up a running service. First deletions of objects are held and the keys are copied, then one snapshot of the database
 * is dumped, then the keys that are new since and the objects are copied. Objects are written before the rows that refer to
 * them and never change. So every object that the snapshot refers to existed when it was taken, and still exists: in place or
 * among the held deletions. A key that the snapshot needs existed before it, and is in one of the two copies: an operator may
 * make and remove keys while the dump lasts. Newer objects are copied too, which does no harm. Objects in a bucket are not held
 * and not copied.
 */

export interface BackupOptions {
  db: Database
  dataDir: string
  /** A folder that does not exist or is empty. */
  target: string
  /** Public keys that the backup is encrypted to; none: it is not encrypted. */
  recipients: readonly string[]
  release: string
  clock: Clock
  say: (text: string) => void
  /** The bucket of the objects, which stay there; undefined: they are in the data folder. */
  objectsIn?: string | undefined
  /** Address of the superuser of the embedded database, for a backup from which a moment can be restored. */
  clusterUrl?: string | undefined
  /** Ends the backup, which then rejects and stays incomplete. */
  signal?: AbortSignal | undefined
}

const sayEveryFiles = 10_000

export async function backUp(options: BackupOptions): Promise<Manifest> {
  const { db, dataDir, target, recipients, say } = options
  await checkRecipients(recipients)
  await startBackup(target)
  const pause = await pauseDeletions(join(dataDir, 'objects'))
  try {
    const files: ListedFile[] = []
    const copy = async (root: string, as: string) => {
      const except = new Set(files.map(({ path }) => plainPath(path, options)))
      await copyAll(options, { root, as, except, files })
    }
    say('keys')
    await copy(join(dataDir, 'keys'), 'keys')
    say('database')
    const { files: tables, ...dump } = await dumpDatabase(db, options)
    files.push(...tables)
    const cluster =
      options.clusterUrl === undefined ? undefined : await dumpCluster(options.clusterUrl, options)
    if (cluster) files.push(cluster.file)
    await copy(join(dataDir, 'keys'), 'keys')
    say('objects')
    await copy(join(dataDir, 'objects/objects'), 'objects')
    await copy(pause.folder, 'objects')
    if (!(await pause.release())) {
      throw new BackupProblem(
        'deletions were not held until the end, so objects may be missing: remove the backup and make another',
      )
    }
    const manifest: Manifest = {
      format: 1,
      release: options.release,
      madeAt: options.clock.now().toISOString(),
      ...dump,
      filesSha256: await writeFileList(target, files),
      files: files.length,
      bytes: files.reduce((sum, { byteSize }) => sum + byteSize, 0),
      ...(isEncrypted(options) && { recipients }),
      ...(cluster && { walSegment: cluster.segment }),
      ...(options.objectsIn !== undefined && { objectsIn: options.objectsIn }),
    }
    options.signal?.throwIfAborted()
    await promisify(execFile)('sync', ['--file-system', target])
    await completeBackup(target, manifest)
    return manifest
  } finally {
    await pause.release()
  }
}

interface CopyPlan {
  root: string
  /** Folder in the backup. */
  as: string
  except: ReadonlySet<string>
  /** To which the copied files are added: there may be millions. */
  files: ListedFile[]
}

async function copyAll(
  { target, recipients, say, signal }: BackupOptions,
  { root, as, except, files }: CopyPlan,
): Promise<void> {
  let copied = 0
  for await (const path of filesBelow(root)) {
    const name = join(as, path)
    signal?.throwIfAborted()
    if (except.has(name)) continue
    const file = await copyOut({ root, path, target, name, recipients, signal })
    if (!file) {
      // The object was deleted while it was opened. It is then among the held deletions.
      await rm(join(target, name), { force: true })
      continue
    }
    files.push(file)
    copied += 1
    if (copied % sayEveryFiles === 0) say(`${as}: ${copied} files`)
  }
}
