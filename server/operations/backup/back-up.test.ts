import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { systemClock } from '../../base/clock.ts'
import { DiskStorage } from '../../storage/disk.ts'
import { backUp } from './back-up.ts'
import { checkBackup } from './check-backup.ts'
import { copyOut, filesBelow } from './copy-files.ts'
import { pauseDeletions } from './pause-deletions.ts'

const { db } = await createTestDatabase()
const silent = () => undefined
const recipients: string[] = []
let parent: string
let dataDir: string
let target: string
let storage: DiskStorage

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'sandbox-test-backup-'))
  dataDir = join(parent, 'data')
  target = join(parent, 'backup')
  mkdirSync(join(dataDir, 'keys'), { recursive: true })
  mkdirSync(join(dataDir, 'objects'))
  writeFileSync(join(dataDir, 'keys/root.key'), 'secret')
  storage = new DiskStorage(join(dataDir, 'objects'))
  await storage.put('runs/a/log', Buffer.from('kept'))
  await storage.put('runs/b/log', Buffer.from('deleted'))
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const make = (say: (text: string) => void = silent) =>
  backUp({ db, dataDir, target, recipients, release: '1', clock: systemClock, say })
const inObjects = () => readdirSync(join(dataDir, 'objects')).toSorted()

describe('a backup', () => {
  it('contains objects deleted during the backup, which the service removes afterwards', async () => {
    let deleted: Promise<void> | undefined
    await make((text) => {
      if (text === 'database') deleted = storage.delete('runs/b/log')
    })
    await deleted
    const { files } = await checkBackup(target, silent)
    const paths = files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining(['keys/root.key', 'objects/runs/a/log', 'objects/runs/b/log']),
    )
    expect(readFileSync(join(target, 'objects/runs/b/log'), 'utf8')).toBe('deleted')
    expect(await storage.size('runs/b/log')).toBeUndefined()
    expect(inObjects()).toEqual(['incoming', 'objects'])
  })

  it('contains keys that are removed, and made, while the database is dumped', async () => {
    const keys = join(dataDir, 'keys/secrets')
    mkdirSync(keys)
    writeFileSync(join(keys, '1.key'), 'first')
    await make((text) => {
      if (text !== 'database') return
      writeFileSync(join(keys, '2.key'), 'second')
      rmSync(join(keys, '1.key'))
    })
    await checkBackup(target, silent)
    expect(readFileSync(join(target, 'keys/secrets/1.key'), 'utf8')).toBe('first')
    expect(readFileSync(join(target, 'keys/secrets/2.key'), 'utf8')).toBe('second')
  })

  it('is written only to a new folder, and an interrupted backup is distinguished from a complete one', async () => {
    rmSync(join(dataDir, 'keys'), { recursive: true })
    symlinkSync('/nowhere', join(dataDir, 'keys'))
    const cut = make((text) => {
      if (text === 'objects') throw new Error('cut')
    })
    await expect(cut).rejects.toThrow()
    expect(readdirSync(target)).toContain('INCOMPLETE')
    await expect(make()).rejects.toThrow('was interrupted')
    await expect(checkBackup(target, silent)).rejects.toThrow('contains no complete backup')
    writeFileSync(join(parent, 'file'), '')
    target = parent
    await expect(make()).rejects.toThrow('is not empty')
    expect(inObjects()).toEqual(['incoming', 'objects'])
  })

  it('fails if the hold on deletions ended before all objects were copied', async () => {
    const cut = make((text) => {
      if (text === 'objects') rmSync(join(dataDir, 'objects/hold'))
    })
    await expect(cut).rejects.toThrow('deletions were not held until the end')
    await expect(checkBackup(target, silent)).rejects.toThrow('contains no complete backup')
    expect(inObjects()).toEqual(['incoming', 'objects'])
  })

  it('is refused if a byte of it was changed', async () => {
    await make()
    writeFileSync(join(target, 'objects/runs/a/log'), 'kepT')
    rmSync(join(target, 'objects/runs/b/log'))
    await expect(checkBackup(target, silent)).rejects.toMatchObject({
      problems: [
        'the backup is incomplete or damaged:',
        'objects/runs/a/log was changed',
        'objects/runs/b/log is missing',
      ],
    })
  })

  it('is refused if its schema is of no release, or of a later one', async () => {
    await make()
    const path = join(target, 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { migrations: string[] }
    const checked = (migrations: readonly string[]) => {
      writeFileSync(path, JSON.stringify({ ...manifest, migrations }))
      return checkBackup(target, silent)
    }
    await expect(checked(['0070-baseline'])).rejects.toThrow('before the first release')
    await expect(checked([...manifest.migrations, '9999-later'])).rejects.toThrow('9999-later')
    await checked(manifest.migrations)
  })

  it('is refused while another one is in progress', async () => {
    const hold = await pauseDeletions(join(dataDir, 'objects'))
    await expect(make()).rejects.toThrow('another backup of this service is in progress')
    await hold.release()
  })
})

describe('copying a file', () => {
  it('follows no link out of the folder', async () => {
    const outside = join(parent, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret'), 'x')
    const root = join(dataDir, 'objects/objects')
    symlinkSync(outside, join(root, 'folder'))
    symlinkSync(join(outside, 'secret'), join(root, 'file'))
    const found: string[] = []
    for await (const path of filesBelow(root)) found.push(path)
    expect(found.toSorted()).toEqual(['runs/a/log', 'runs/b/log'])
    mkdirSync(target)
    for (const path of ['folder/secret', 'file']) {
      expect(await copyOut({ root, path, target, name: path, recipients })).toBeUndefined()
    }
    expect(readdirSync(target)).toEqual([])
  })
})

describe('deletions', () => {
  it('leave no object behind while the hold ends', async () => {
    const keys = Array.from({ length: 1000 }, (_, at) => `runs/${at}/log`)
    await storage.putAll(keys.map((key) => ({ key, bytes: Buffer.from('x') })))
    writeFileSync(join(dataDir, 'objects/hold'), '')
    const loop = ['-c', 'while :; do rm -rf -- "$0"; done', join(dataDir, 'objects/held')]
    const ending = spawn('sh', loop, { stdio: 'ignore' })
    await Promise.all(keys.map((key) => storage.delete(key)))
    ending.kill('SIGKILL')
    const left = await Promise.all(keys.map((key) => storage.size(key)))
    expect(left.filter((size) => size !== undefined)).toEqual([])
  })

  it('resume after the process that held them has died', async () => {
    const hold = join(dataDir, 'objects/hold')
    writeFileSync(hold, '')
    await storage.delete('runs/a/log')
    expect(readdirSync(join(dataDir, 'objects/held/runs/a'))).toEqual(['log'])
    utimesSync(hold, new Date(0), new Date(0))
    await storage.delete('runs/b/log')
    expect(await storage.size('runs/b/log')).toBeUndefined()
    expect(inObjects()).toEqual(['incoming', 'objects'])
  })
})
