import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { SentBody } from './sent-body.ts'

const stalledMs = 1000
const pieceBytes = 100_000

/** Pieces in one buffer, each filled with its number. */
async function* pieces(count: number): AsyncGenerator<Buffer, void> {
  const shared = Buffer.alloc(pieceBytes)
  for (let number = 1; number <= count; number += 1) {
    await setImmediate()
    yield shared.fill(number)
  }
}

const expectPieces = (bytes: Buffer, count: number) => {
  expect(bytes.length).toBe(count * pieceBytes)
  for (let number = 1; number <= count; number += 1)
    expect(
      bytes.subarray((number - 1) * pieceBytes, number * pieceBytes).every((byte) => byte === number),
    ).toBe(true)
}

it('a slow connection gets every piece as it was', async () => {
  const server = createServer((_request, response) => void new SentBody(pieces(60), stalledMs).pipe(response))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const [answer] = (await once(get({ port, agent: false }), 'response')) as [IncomingMessage]
  const read: Buffer[] = []
  // The connection takes no more until the reader has taken all that arrived.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    read.push(chunk)
    await setImmediate()
  }
  expectPieces(Buffer.concat(read), 60)
})

it('the next piece is read once the one before is written', async () => {
  const asked = vi.fn<() => void>()
  const source = async function* () {
    for await (const piece of pieces(3)) {
      asked()
      yield piece
    }
  }
  let written: () => void = () => undefined
  const answer = new Writable({
    highWaterMark: 10 * pieceBytes,
    write: (_chunk, _encoding, done) => {
      written = done
    },
  })
  const body = new SentBody(source(), stalledMs)
  body.pipe(answer)
  await eventually(() => expect(asked).toHaveBeenCalledTimes(1))
  for (let round = 0; round < 10; round += 1) await setImmediate()
  expect(asked).toHaveBeenCalledTimes(1)
  written()
  await eventually(() => expect(asked).toHaveBeenCalledTimes(2))
})

it('any other reader gets copies', async () => {
  expectPieces(Buffer.concat(await new SentBody(pieces(5), stalledMs).toArray()), 5)
})

it('a source that fails breaks the body', async () => {
  const source = async function* (): AsyncGenerator<Buffer, void> {
    yield Buffer.from('first')
    throw new Error('the disk failed')
  }
  const body = new SentBody(source(), stalledMs)
  const failed = once(body, 'error')
  body.pipe(new Writable({ write: (_chunk, _encoding, done) => done() }))
  expect(await failed).toMatchObject([{ message: 'the disk failed' }])
})

it('a connection that breaks ends the source', async () => {
  const ended = vi.fn<() => void>()
  const source = async function* () {
    try {
      yield* pieces(1000)
    } finally {
      ended()
    }
  }
  const body = new SentBody(source(), stalledMs).on('error', () => undefined)
  body.pipe(
    new Writable({ write: (_chunk, _encoding, done) => done(new Error('reset')) }).on(
      'error',
      () => undefined,
    ),
  )
  await eventually(() => expect(ended).toHaveBeenCalled())
  expect(body.destroyed).toBe(true)
})

describe('a body whose bytes do not move', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('ends if its reader takes none', async () => {
    const write = vi.fn<() => void>()
    const body = new SentBody(pieces(2), stalledMs)
    body.pipe(new Writable({ write }))
    await eventually(() => expect(write).toHaveBeenCalled())
    vi.advanceTimersByTime(stalledMs + 1)
    expect(body.destroyed).toBe(true)
  })

  it('ends if nobody reads it', () => {
    const body = new SentBody(pieces(2), stalledMs)
    vi.advanceTimersByTime(stalledMs + 1)
    expect(body.destroyed).toBe(true)
  })

  it('goes on if they are not there yet', async () => {
    const { promise: late, resolve: arrive } = Promise.withResolvers<Buffer>()
    const source = async function* () {
      yield await late
    }
    const taken: Buffer[] = []
    const answer = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        taken.push(chunk)
        done()
      },
    })
    new SentBody(source(), stalledMs).pipe(answer)
    vi.advanceTimersByTime(100 * stalledMs)
    arrive(Buffer.from('late'))
    await eventually(() => expect(answer.writableFinished).toBe(true))
    expect(String(Buffer.concat(taken))).toBe('late')
  })
})
