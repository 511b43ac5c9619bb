import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import { copyOut, filesBelow } from './copy-files.ts'
import { dumpDatabase } from './database/dump-database.ts'
import { type ListedFile, writeFileList } from './file-list.ts'
import { holdDeletions } from './hold-deletions.ts'
import { completeBackup, type Manifest, startBackup } from './manifest.ts'

/*
 * Backs up a running service. First deletions of objects are held, then one snapshot of the database is dumped, then
 * keys and objects are copied. Objects are written before the rows that refer to them and never change. So every
 * object that the snapshot refers to existed when it was taken, and still exists: in place or among the held
 * deletions. The keys that the snapshot needs also existed before it. Newer objects are copied too, which does no
 * harm.
 */

export interface BackupOptions {
  db: Database
  dataDir: string
  /** A folder that does not exist or is empty. */
  target: string
  release: string
  clock: Clock
  say: (text: string) => void
}

const sayEveryFiles = 10_000

export async function backUp(options: BackupOptions): Promise<Manifest> {
  const { db, dataDir, target, say } = options
  await startBackup(target)
  const hold = await holdDeletions(join(dataDir, 'objects'))
  try {
    say('database')
    const { files, ...dump } = await dumpDatabase(db, target)
    say('keys')
    await copyAll(options, { root: join(dataDir, 'keys'), as: 'keys', files })
    say('objects')
    await copyAll(options, { root: join(dataDir, 'objects/objects'), as: 'objects', files })
    const copied = new Set(files.map(({ path }) => path))
    await copyAll(options, { root: hold.folder, as: 'objects', except: copied, files })
    const manifest: Manifest = {
      format: 1,
      release: options.release,
      madeAt: options.clock.now().toISOString(),
      ...dump,
      filesSha256: await writeFileList(target, files),
      files: files.length,
      bytes: files.reduce((sum, { byteSize }) => sum + byteSize, 0),
    }
    await promisify(execFile)('sync', ['--file-system', target])
    await completeBackup(target, manifest)
    return manifest
  } finally {
    await hold.release()
  }
}

interface CopyPlan {
  root: string
  /** Folder in the backup. */
  as: string
  except?: ReadonlySet<string>
  /** To which the copied files are added: there may be millions. */
  files: ListedFile[]
}

async function copyAll({ target, say }: BackupOptions, { root, as, except, files }: CopyPlan): Promise<void> {
  let copied = 0
  for await (const path of filesBelow(root)) {
    const name = join(as, path)
    if (except?.has(name)) continue
    const file = await copyOut({ root, path, target, name })
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
