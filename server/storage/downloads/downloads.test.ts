import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { eventually } from '../../../testing/eventually.ts'
import { downloadsMax, downloadsOfCompanyMax, downloadsOfLinkMax } from './download-slots.ts'
import { Downloads } from './downloads.ts'

const newDownloads = () => new Downloads(testStorage())
const readerOf = (companyId: string, link: number, signal = new AbortController().signal) => ({
  companyId,
  linkId: `${companyId} ${link}`,
  signal,
})
const busy = { code: 'downloads_busy' }

it('a stream has its slot before it is opened, until its reader leaves', async () => {
  const downloads = newDownloads()
  const leaving = new AbortController()
  const reader = readerOf('com_a', 1, leaving.signal)
  const open = async () => Readable.from(['never read'])
  const bodies = []
  for (let at = 0; at < downloadsOfLinkMax; at += 1) bodies.push(await downloads.stream(reader, open))
  const neverOpened = () => expect.unreachable()
  await expect(downloads.stream(reader, neverOpened)).rejects.toMatchObject(busy)
  const closed = bodies.map((body) => once(body, 'close'))
  leaving.abort()
  await Promise.all(closed)
  const next = await downloads.stream(readerOf('com_a', 1), open)
  expect(await next.toArray()).toEqual(['never read'])
  const gone = await downloads.stream(reader, open)
  expect(gone.destroyed).toBe(true)
})

describe('a stream whose bytes do not move for minutes', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('ends if its reader takes none', async () => {
    const body = await newDownloads().stream(readerOf('com_a', 1), async () =>
      Readable.from([Buffer.alloc(100), Buffer.alloc(100)], { objectMode: false }),
    )
    const write = vi.fn<() => void>()
    body.pipe(new Writable({ highWaterMark: 1, write }))
    await eventually(() => expect(write).toHaveBeenCalled())
    vi.advanceTimersByTime(121_000)
    expect(body.destroyed).toBe(true)
  })

  it('goes on if they are not there yet', async () => {
    const { promise: late, resolve: arrive } = Promise.withResolvers<Buffer>()
    const source = async function* () {
      yield await late
    }
    const body = await newDownloads().stream(readerOf('com_a', 1), async () =>
      Readable.from(source(), { objectMode: false }),
    )
    const read = body.pipe(new PassThrough()).toArray()
    vi.advanceTimersByTime(600_000)
    arrive(Buffer.from('late'))
    expect(String(Buffer.concat(await read))).toBe('late')
  })
})

it('a stream that cannot be opened gives its slot back', async () => {
  const downloads = newDownloads()
  const broken = async () => Promise.reject(new Error('broken'))
  for (let at = 0; at <= downloadsOfLinkMax; at += 1)
    await expect(downloads.stream(readerOf('com_a', 1), broken)).rejects.toThrow('broken')
})

it('companies that take all slots leave some to each other one', async () => {
  const downloads = newDownloads()
  const open = async () => Readable.from(['never read'])
  for (let company = 0; company < downloadsMax / downloadsOfCompanyMax; company += 1) {
    for (let at = 0; at < downloadsOfCompanyMax; at += 1)
      await downloads.stream(readerOf(`com_${company}`, at % 2), open)
    await expect(downloads.stream(readerOf(`com_${company}`, 2), open)).rejects.toMatchObject(busy)
  }
  expect(await downloads.stream(readerOf('com_quiet', 1), open)).toBeInstanceOf(Readable)
})

it('charges each piece to its company before it is sent, and sends it once the company may go on', async () => {
  const spent: [string, number][] = []
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
  const spend = (companyId: string, ms: number) => {
    spent.push([companyId, ms])
    return spent.length === 1 ? Promise.resolve() : mayGoOn
  }
  const downloads = new Downloads(testStorage(), { spend })
  const source = Readable.from([Buffer.alloc(1024 ** 2, 1), Buffer.alloc(1, 2)], { objectMode: false })
  const body = await downloads.stream(readerOf('com_a', 1), async () => source)
  let received = 0
  body.on('data', (piece: Buffer) => {
    received += piece.length
  })
  body.resume()
  await eventually(() => expect(spent.length).toBe(2))
  expect(received).toBe(1024 ** 2)
  goOn()
  await once(body, 'end')
  expect(received).toBe(1024 ** 2 + 1)
  expect(spent).toEqual([
    ['com_a', 2],
    ['com_a', expect.closeTo(0)],
  ])
})

it('frees the slot of a reader that leaves while its company has to wait', async () => {
  const leaving = new AbortController()
  const spending = Promise.withResolvers<AbortSignal>()
  const spend = (_companyId: string, _ms: number, signal: AbortSignal) => {
    spending.resolve(signal)
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  }
  const downloads = new Downloads(testStorage(), { spend })
  const open = async () => Readable.from([Buffer.alloc(1)])
  const body = await downloads.stream(readerOf('com_a', 1, leaving.signal), open)
  body.resume()
  await spending.promise
  leaving.abort()
  await eventually(() => expect(body.closed).toBe(true))
})

it('closes what it was opened from if nobody reads it', async () => {
  const leaving = new AbortController()
  const source = Readable.from(['never read'])
  await newDownloads().stream(readerOf('com_a', 1, leaving.signal), async () => source)
  leaving.abort()
  await eventually(() => expect(source.destroyed).toBe(true))
})
