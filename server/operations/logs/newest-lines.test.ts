import { appendFile, link, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FollowedLines } from './follow-lines.ts'
import type { LogLine } from './log-line.ts'
import { type LinesWanted, newestLines } from './newest-lines.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-logs-'))
})
afterEach(() => rm(folder, { recursive: true }))

const path = (name: string) => join(folder, name)
const write = (name: string, lines: string[]) => writeFile(path(name), `${lines.join('\n')}\n`)
const line = (time: number, level: number, msg: string, name = 'api') =>
  JSON.stringify({ level, time, pid: 7, name, msg })
const wanted = (rest: Partial<LinesWanted>): LinesWanted => ({
  ...{ services: ['api', 'worker', 'builds', 'postgres', 'supervisor'], level: 'info', limit: 100 },
  ...rest,
})
const textsOf = (lines: LogLine[]) => lines.map(({ service, level, text }) => `${service} ${level} ${text}`)
const newest = async (rest: Partial<LinesWanted>) => textsOf(await newestLines(folder, wanted(rest)))

test('lines of several logs come in the order of time, with older files and what a crash wrote', async () => {
  await write('api.log.1', [line(1000, 30, 'first')])
  await write('api.log', [
    line(3000, 40, 'third'),
    'Error: broken',
    '    at a frame',
    line(6000, 20, 'detail'),
  ])
  await write('worker.log', [line(2000, 30, 'second', 'worker'), line(4000, 50, 'fourth', 'builds')])
  await write('postgres.log', ['1970-01-01 00:00:05.000 UTC [7] ERROR:  fifth'])
  await write('supervisor.log', ['1970-01-01T00:00:07.000Z api ended'])
  const all = [
    ...['api info first', 'worker info second', 'api warn third'],
    ...['api error Error: broken', 'api error     at a frame'],
    ...['builds error fourth', 'postgres error fifth', 'supervisor info api ended'],
  ]
  expect(await newest({})).toEqual(all)
  expect(await newest({ limit: 3 })).toEqual(all.slice(-3))
  expect(await newest({ since: new Date(4000) })).toEqual(all.slice(-3))
  expect(await newest({ level: 'error', services: ['builds'] })).toEqual(['builds error fourth'])
  expect(await newest({ services: ['agent'] })).toEqual([])
})

test('files that are rotated meanwhile are read once, and none is left out', async () => {
  await write('api.log.1', [line(1000, 30, 'first')])
  expect(await newest({})).toEqual(['api info first'])
  // The file that was just read has its next name.
  await link(path('api.log.1'), path('api.log'))
  await write('api.log.2', [line(500, 30, 'older')])
  expect(await newest({})).toEqual(['api info older', 'api info first'])
})

test('what is written is followed without a gap, and into the next file', async () => {
  await write('api.log', [line(1000, 30, 'before')])
  const followed = new FollowedLines(folder, wanted({}))
  const stop = new AbortController()
  await appendFile(path('api.log'), `${line(2000, 30, 'after')}\n${line(3000, 30, 'cut').slice(0, 9)}`)
  expect(textsOf(await newestLines(folder, wanted({}), followed.starts))).toEqual(['api info before'])
  const lines = followed.lines(stop.signal)
  const next = async () => {
    const { value } = await lines.next()
    return value?.text
  }
  expect(await next()).toBe('after')
  await appendFile(path('api.log'), `${line(3000, 30, 'cut').slice(9)}\n${line(3000, 20, 'detail')}\n`)
  expect(await next()).toBe('cut')
  await appendFile(path('api.log'), `${line(4000, 30, 'last of the file')}\n`)
  await rename(path('api.log'), path('api.log.1'))
  await write('api.log', [line(5000, 30, 'first of the next')])
  await write('worker.log', [line(6000, 30, 'a new log', 'worker')])
  const texts = [await next(), await next(), await next()]
  expect(texts).toEqual(['last of the file', 'first of the next', 'a new log'])
  stop.abort()
  expect(await lines.next()).toEqual({ done: true, value: undefined })
  followed.close()
})
