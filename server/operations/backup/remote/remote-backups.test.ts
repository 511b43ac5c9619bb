import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bucketName, TestBucket } from '../../../../testing/bucket/test-bucket.ts'
import { checkBackup } from '../check-backup.ts'
import { type ListedFile, writeFileList } from '../file-list.ts'
import { completeBackup, readManifest, startBackup } from '../manifest.ts'
import { RemoteBackups } from './remote-backups.ts'

const name = '2026-11-29T020000Z'
const path = (file: string, backup = name) => `service/${backup}/${file}`
const bucket = await TestBucket.start()
let parent: string
let source: string
let configFile: string

beforeEach(async () => {
  bucket.reset()
  parent = mkdtempSync(join(tmpdir(), 'sandbox-test-remote-'))
  source = await makeBackup(name)
  configFile = join(parent, 'rclone.conf')
  const lines = [
    ...['[store]', 'type = s3', 'provider = Other', 'access_key_id = a', 'secret_access_key = b'],
    ...['region = us-east-1', `endpoint = ${bucket.url}`, 'upload_cutoff = 5Mi', 'chunk_size = 5Mi'],
  ]
  writeFileSync(configFile, `${lines.join('\n')}\n`, { mode: 0o600 })
})
afterEach(() => rmSync(parent, { recursive: true }))

const contents: Record<string, Buffer> = {
  'database/companies.rows.gz': Buffer.alloc(5000, 'rows'),
  'keys/root.key': Buffer.from('key'),
  'objects/runs/a/log': Buffer.alloc(12_000_000, 'a log in parts'),
  'objects/runs/b/log é ': Buffer.from('strange'),
  'objects/runs/c/empty': Buffer.alloc(0),
}

async function makeBackup(of: string): Promise<string> {
  const folder = join(parent, of)
  await startBackup(folder)
  const files: ListedFile[] = []
  for (const [file, bytes] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    files.push({ path: file, byteSize: bytes.length, sha256 })
  }
  await completeBackup(folder, {
    ...{ format: 1, release: '1', migrations: [], tables: [], sequences: {}, bytes: 0, files: files.length },
    ...{ madeAt: '2026-11-29T02:00:05.000Z', filesSha256: await writeFileList(folder, files) },
  })
  return folder
}

const remote = (of = bucketName) => new RemoteBackups({ path: `store:${of}/service`, configFile })
const copy = (signal?: AbortSignal) => remote().copy(source, name, signal)
const states = async () => (await remote().list()).map((found) => [found.name, found.isComplete])

const writes = /^(PUT|POST) /
const readsLog = /^GET .*runs\/a\/log$/

describe('a copied backup', () => {
  it('is in the bucket as it is on the disk, and comes back as it was', async () => {
    writeFileSync(join(source, 'trial.json'), '{}')
    await copy()
    expect(await states()).toEqual([[name, true]])
    const expected = [...Object.keys(contents), 'files.gz', 'manifest.json'].map((file) => path(file))
    expect([...bucket.stored.objects.keys()].toSorted()).toEqual(expected.toSorted())
    const fetched = join(parent, 'fetched')
    await remote().fetch(name, fetched)
    await checkFiles(fetched)
    await expect(remote().fetch(name, fetched)).rejects.toThrow('is not empty')
    await expect(remote().fetch('2026-11-28T020000Z', join(parent, 'none'))).rejects.toThrow(
      'contains no complete backup',
    )
  })

  it('has its manifest last, after every file was read back', async () => {
    await copy()
    const at = (request: string) => bucket.requests.findIndex((made) => made.startsWith(request))
    const manifestAt = at(`PUT ${path('manifest.json')}`)
    for (const file of [...Object.keys(contents), 'files.gz']) {
      const readAt = at(`GET ${path(file)}`)
      // An empty file has no bytes to read.
      if (contents[file]?.length !== 0) expect(readAt, file).toBeGreaterThan(0)
      expect(readAt, file).toBeLessThan(manifestAt)
    }
    const later = bucket.requests.slice(manifestAt + 1)
    expect(later.filter((made) => /^(PUT|POST|DELETE)/.test(made))).toEqual([])
  })

  it('is not sent again when it is complete', async () => {
    await copy()
    bucket.requests.length = 0
    await copy()
    expect(bucket.requests.filter((made) => /^(PUT|POST|DELETE)/.test(made))).toEqual([])
  })
})

async function checkFiles(folder: string): Promise<void> {
  for (const [file, bytes] of Object.entries(contents)) {
    expect(readFileSync(join(folder, file)).equals(bytes), file).toBe(true)
  }
  expect(await readManifest(folder)).toEqual(await readManifest(source))
  expect(readdirSync(folder)).not.toContain('INCOMPLETE')
}

describe('a faulty bucket', () => {
  it.each([
    ['is busy', 'slow_down', writes],
    ['writes and does not answer', 'lost', writes],
    ['breaks an answer off', 'cut', readsLog],
  ] as const)(
    'that %s is asked again',
    async (_case, fault, pattern) => {
      bucket.failing(pattern, fault, 2)
      await copy()
      await remote().fetch(name, join(parent, 'fetched'))
      await checkFiles(join(parent, 'fetched'))
    },
    60_000,
  )

  it('that returns other bytes has no complete backup, and the next copy sends them again', async () => {
    bucket.failing(readsLog, 'wrong_bytes')
    await expect(copy()).rejects.toThrow('1 differences found')
    expect(bucket.requests.filter((made) => made.startsWith(`PUT ${path('manifest.json')}`))).toEqual([])
    expect(bucket.stored.objects.has(path('objects/runs/a/log'))).toBe(false)
    bucket.fault = () => undefined
    await copy()
    expect(await states()).toEqual([[name, true]])
  }, 60_000)

  it('that loses the manifest has no complete backup', async () => {
    bucket.failing(/^GET .*\/manifest\.json$/, 'wrong_bytes')
    await expect(copy()).rejects.toThrow('is not what was written')
    expect(await states()).toEqual([[name, false]])
  }, 60_000)

  it('that does not exist, and a file of credentials that others can read, are refused', async () => {
    await expect(remote('other').check('machine')).rejects.toThrow('NoSuchBucket')
    chmodSync(configFile, 0o640)
    await expect(copy()).rejects.toThrow(`chmod 600 ${configFile}`)
    rmSync(configFile)
    await expect(copy()).rejects.toThrow('does not exist')
    expect(bucket.stored.objects.size).toBe(0)
  }, 60_000)
})

describe('a copy', () => {
  it('that was interrupted is continued, and sends no file again that is there', async () => {
    const stopping = new AbortController()
    bucket.fault = (request) => {
      if (/^PUT .*keys\/root\.key$/.test(request)) stopping.abort()
      return stopping.signal.aborted ? 'lost' : undefined
    }
    await expect(copy(stopping.signal)).rejects.toThrow()
    bucket.fault = () => undefined
    expect(await states()).toEqual([[name, false]])
    const there = [...bucket.stored.objects.keys()]
    bucket.requests.length = 0
    await copy()
    const sent = bucket.requests.filter((made) => made.startsWith('PUT'))
    expect(there.filter((file) => sent.some((made) => made.startsWith(`PUT ${file}`)))).toEqual([])
    expect(await states()).toEqual([[name, true]])
  })

  it('of a backup with a damaged file is not complete', async () => {
    writeFileSync(join(source, 'keys/root.key'), 'KEY')
    await expect(copy()).rejects.toThrow('1 differences found')
    expect(await states()).toEqual([[name, false]])
    await expect(checkBackup(source, () => undefined)).rejects.toThrow('keys/root.key was changed')
  })
})

describe('retention in the bucket', () => {
  it('removes what the rules do not keep and old incomplete copies, and nothing of the future or of others', async () => {
    const put = (key: string) => bucket.stored.store(key, Buffer.from('x'), {})
    const day = (date: string) => `${date}T020000Z`
    for (const date of ['2026-11-26', '2026-11-27', '2026-11-28', '2027-01-01'])
      put(path('manifest.json', day(date)))
    for (const date of ['2026-11-20', '2026-11-28', '2027-01-02']) put(path('files.gz', day(date)))
    put('service/my-own/files.gz')
    put('other/2026-11-01T020000Z/manifest.json')
    const keep = { daily: 2, weekly: 0, monthly: 0 }
    const removed = await remote().retain(keep, new Date('2026-11-28T03:00Z'))
    expect(removed).toEqual([day('2026-11-26'), day('2026-11-20')])
    expect((await states()).map(([found]) => found)).toEqual(
      ['2027-01-02', '2027-01-01', '2026-11-28', '2026-11-27'].map(day),
    )
    expect(bucket.stored.objects.has('service/my-own/files.gz')).toBe(true)
    expect(bucket.stored.objects.has('other/2026-11-01T020000Z/manifest.json')).toBe(true)
  })

  it('begins a removal with the manifest', async () => {
    await copy()
    await remote().remove(name)
    const removals = bucket.requests.filter((made) => made.startsWith('DELETE'))
    expect(removals[0]).toContain(path('manifest.json'))
    expect(bucket.stored.objects.size).toBe(0)
  })

  it('is of one service', async () => {
    await remote().check('machine-1')
    await remote().check('machine-1')
    await expect(remote().check('machine-2')).rejects.toThrow('has backups of another service')
  })
})
